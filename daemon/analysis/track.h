/* SPDX-License-Identifier: ISC */
/*
 * What the engine remembers of a rule and subject: its votes and its finding.
 * A fixed pool; pages of it are touched as it fills. Private to the engine.
 */
#ifndef RS_TRACK_H
#define RS_TRACK_H

#include "finding.h"
#include "vote.h"

#define RS_TRACKS_MAX 128u /* findings that stand, have just ended, or are voted on */
#define RS_TRACKS_KEPT 32u /* of them for rules that say one thing in a tick */

struct rs_track {
	bool is_used;
	bool is_active;
	bool has_cleared;      /* stood before, until cleared_ns */
	bool is_refused;       /* carried, but there was no room: counted */
	bool has_changed;      /* since it was last told */
	enum rs_severity said; /* of the last sample that was not clear */
	size_t rule;
	rs_ns raised_ns, cleared_ns; /* on the view's mono_ns */
	rs_ns unclear_ns;	     /* when a sample was last not clear */
	struct rs_votes votes;
	struct rs_finding f; /* id 0 until raised */
};

struct rs_tracks {
	size_t n; /* none above is in use */
	struct rs_track at[RS_TRACKS_MAX];
};

/* subject NULL: the only one of the rule. NULL when there is none. */
const struct rs_track *rs_track_find(
    const struct rs_tracks *p, size_t rule, const struct rs_subject *subject);
/* A new one with the votes it would have had; NULL when there is no room. */
struct rs_track *rs_track_add(struct rs_tracks *p, size_t rule, const struct rs_subject *subject,
    const struct rs_votes *votes);
void rs_track_release(struct rs_tracks *p, struct rs_track *t);

/* Takes over what the rule said; what the engine decides stays. */
void rs_track_take_words(struct rs_track *t, const struct rs_finding *said);

/* The same vote for all tracks of the rule; RS_TRACKS_ALL: of all rules. */
#define RS_TRACKS_ALL SIZE_MAX
void rs_tracks_vote(struct rs_tracks *p, size_t rule, uint64_t tick, enum rs_vote vote);
void rs_tracks_forget_votes(struct rs_tracks *p);

/* The findings that stand, most severe first, then newest; at most cap. */
size_t rs_tracks_active(const struct rs_tracks *p, const struct rs_finding **ret, size_t cap);

#endif

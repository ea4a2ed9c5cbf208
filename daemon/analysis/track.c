/* SPDX-License-Identifier: ISC */
/*
 * The pool of tracks.
 */
#include "track.h"

#include <string.h>

const struct rs_track *
rs_track_find(const struct rs_tracks *p, size_t rule, const struct rs_subject *subject)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct rs_track *const t = &p->at[i];
		if (t->is_used && t->rule == rule &&
		    (!subject || rs_subject_same(&t->f.subject, subject)))
			return t;
	}
	return NULL;
}

struct rs_track *
rs_track_add(struct rs_tracks *p, size_t rule, const struct rs_subject *subject,
    const struct rs_votes *votes)
{
	size_t at = 0;

	while (at < p->n && p->at[at].is_used)
		at++;
	if (at == RS_TRACKS_MAX)
		return NULL;
	p->n = RS_MAX(p->n, at + 1);
	struct rs_track *const t = &p->at[at];
	memset(t, 0, sizeof(*t));
	t->is_used = true;
	t->rule = rule;
	t->f.subject = *subject;
	t->votes = *votes;
	return t;
}

void
rs_track_release(struct rs_tracks *p, struct rs_track *t)
{
	t->is_used = false;
	while (p->n > 0 && !p->at[p->n - 1].is_used)
		p->n--;
}

void
rs_track_take_words(struct rs_track *t, const struct rs_finding *said)
{
	struct rs_finding *const f = &t->f;

	if (!rs_subject_same(&f->subject, &said->subject))
		t->has_changed = true;
	f->subject = said->subject;
	f->confidence = said->confidence;
	memcpy(f->message, said->message, sizeof(f->message));
	memcpy(f->evidence, said->evidence, said->n_evidence * sizeof(f->evidence[0]));
	memcpy(f->causes, said->causes, said->n_causes * sizeof(f->causes[0]));
	memcpy(f->advice, said->advice, said->n_advice * sizeof(f->advice[0]));
	memcpy(f->ruled_out, said->ruled_out, said->n_ruled_out * sizeof(f->ruled_out[0]));
	f->n_evidence = said->n_evidence;
	f->n_causes = said->n_causes;
	f->n_advice = said->n_advice;
	f->n_ruled_out = said->n_ruled_out;
}

void
rs_tracks_vote(struct rs_tracks *p, size_t rule, uint64_t tick, enum rs_vote vote)
{
	for (size_t i = 0; i < p->n; i++) {
		struct rs_track *const t = &p->at[i];
		if (t->is_used && (t->rule == rule || rule == RS_TRACKS_ALL))
			*rs_vote_at(&t->votes, tick) = (struct rs_ballot){.vote = (uint8_t)vote};
	}
}

void
rs_tracks_forget_votes(struct rs_tracks *p)
{
	for (size_t i = 0; i < p->n; i++) {
		if (p->at[i].is_used)
			memset(&p->at[i].votes, 0, sizeof(p->at[i].votes));
	}
}

static bool
goes_before(const struct rs_finding *a, const struct rs_finding *b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	if (a->raised_ms != b->raised_ms)
		return a->raised_ms > b->raised_ms;
	return a->id > b->id;
}

size_t
rs_tracks_active(const struct rs_tracks *p, const struct rs_finding **ret, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < p->n; i++) {
		const struct rs_finding *const f = &p->at[i].f;
		if (!p->at[i].is_active)
			continue;
		/* Into a full list it comes in place of the last, or not at all. */
		if (n == cap && (n == 0 || !goes_before(f, ret[n - 1])))
			continue;
		size_t at = n < cap ? n++ : n - 1;
		for (; at > 0 && goes_before(f, ret[at - 1]); at--)
			ret[at] = ret[at - 1];
		ret[at] = f;
	}
	return n;
}

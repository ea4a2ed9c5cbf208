/* SPDX-License-Identifier: ISC */
/*
 * What the engine remembers, between asking the rules (engine.c) and raising and
 * clearing findings (episodes.c). Private to these two.
 */
#ifndef RS_ENGINE_STATE_H
#define RS_ENGINE_STATE_H

#include "causes.h"
#include "says.h"
#include "track.h"

struct rs_rule_state {
	bool is_evaluated;
	char why_not[96];
	struct rs_votes votes; /* CLEAR where it was evaluated: those of a subject not yet named */
};

struct rs_engine {
	const struct rs_rule *const *rules;
	size_t n_rules;
	struct rs_rule_state *states; /* n_rules; owned */
	size_t *by_rank;	      /* n_rules rule numbers, highest rank first; owned */
	struct rs_rule_conf *confs;   /* n_rules; owned */
	int64_t next_id;
	uint64_t tick; /* of the rings; counts missed ticks too */
	rs_ns interval_ns, due_ns;
	rs_ns now_ns;
	int64_t wall_ms, boot_ms;
	unsigned n_active;
	uint64_t refused;
	rs_finding_fn fn; /* during a run */
	void *arg;
	struct rs_recent *recent; /* owned */
	struct rs_causes causes;
	struct rs_said said[RS_SAYS_MAX];
	struct rs_group groups[RS_GROUPS_MAX]; /* of the view */
	struct rs_tracks tracks;
};

/* Says one thing in a tick: of the machine, or of the one core that matters. */
static inline bool
rs_rule_is_single(const struct rs_rule *r)
{
	return r->has_one_subject || r->rank > 0;
}

/* After the votes of a tick: clears what they clear, then raises what they raise,
 * the higher ranks first, and tells of each. */
void rs_engine_decide(struct rs_engine *e);

#endif

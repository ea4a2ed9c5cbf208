/* SPDX-License-Identifier: ISC */
/*
 * Rings, windows and majorities.
 */
#include "vote.h"

struct rs_ballot *
rs_vote_at(struct rs_votes *v, uint64_t tick)
{
	return &v->at[tick % RS_VOTE_TICKS];
}

unsigned
rs_vote_window(rs_ns interval_ns, unsigned seconds, unsigned samples)
{
	const rs_ns span = (rs_ns)seconds * RS_NS_PER_S;
	const rs_ns ticks = interval_ns > 0 ? (span + interval_ns - 1) / interval_ns : 0;

	return (unsigned)RS_MIN(RS_MAX(ticks, (rs_ns)samples), (rs_ns)RS_VOTE_TICKS);
}

void
rs_vote_count(const struct rs_votes *v, uint64_t newest, unsigned window, struct rs_tally *ret)
{
	struct rs_tally t = {.window = window};

	for (unsigned i = 0; i < window; i++) {
		const struct rs_ballot *const b = &v->at[(newest - i) % RS_VOTE_TICKS];
		t.missing += b->vote == RS_VOTE_MISSING;
		t.valid += b->vote >= RS_VOTE_CLEAR;
		t.clear += b->vote == RS_VOTE_CLEAR;
		t.raise += b->vote == RS_VOTE_RAISE;
		for (unsigned s = 0; b->vote > RS_VOTE_CLEAR && s <= b->severity; s++)
			t.severity[s]++;
	}
	*ret = t;
}

bool
rs_vote_carries(const struct rs_tally *t, unsigned votes)
{
	return t->valid >= RS_VOTE_VALID_MIN && votes * 5 >= (t->window - t->missing) * 4;
}

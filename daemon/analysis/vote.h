/* SPDX-License-Identifier: ISC */
/*
 * Votes over ticks. A ring holds what each of the last ticks said; a tally
 * counts a window of it; a motion is carried by 80 %. Pure, engine only.
 *
 * What counts in a window of N ticks:
 * - A tick that was missed, or had no value, is neither for nor against and
 *   leaves the window shorter: 4 of 5, or 3 of 3 with two missing.
 * - With fewer than 3 ticks that have a value nothing is carried.
 * - Ticks before the first one ever are not missing: a young window is not a
 *   short one, so the first motion needs 4 of 5 too.
 */
#ifndef RS_VOTE_H
#define RS_VOTE_H

#include <stdbool.h>

#include "rs.h"

#define RS_VOTE_TICKS 160u   /* ring; the longest window is 150 ticks: 30 s at 200 ms */
#define RS_VOTE_VALID_MIN 3u /* with fewer the state is kept */

enum rs_vote {
	RS_VOTE_NONE, /* before the first tick */
	RS_VOTE_MISSING,
	RS_VOTE_CLEAR,
	RS_VOTE_BETWEEN,
	RS_VOTE_RAISE
};

struct rs_ballot {
	uint8_t vote;	  /* enum rs_vote */
	uint8_t severity; /* enum rs_severity, of BETWEEN and RAISE */
};

struct rs_votes {
	struct rs_ballot at[RS_VOTE_TICKS]; /* [tick % RS_VOTE_TICKS] */
};

struct rs_tally {
	unsigned window; /* ticks asked for */
	unsigned valid;	 /* of them with a value */
	unsigned missing;
	unsigned raise, clear;
	unsigned severity[3]; /* [s]: said at least severity s */
};

/* The place of a tick in the ring. */
struct rs_ballot *rs_vote_at(struct rs_votes *v, uint64_t tick);
/* Ticks in max(seconds, samples). */
unsigned rs_vote_window(rs_ns interval_ns, unsigned seconds, unsigned samples);
/* Counts the window that ends with tick `newest`. */
void rs_vote_count(
    const struct rs_votes *v, uint64_t newest, unsigned window, struct rs_tally *ret);
/* Whether `votes` of the tally are at least 80 % and there are enough. */
bool rs_vote_carries(const struct rs_tally *t, unsigned votes);

#endif

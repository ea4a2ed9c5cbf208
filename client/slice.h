/* SPDX-License-Identifier: ISC */
/*
 * A range of time, (after, before], asked for in slices that join: each begins
 * where the last one ended, halfway between two ticks of the running boot, so
 * that a clock that is moved by milliseconds meanwhile puts no tick into both or
 * none; of minutes or hours between two of those. Pure.
 */
#ifndef RS_SLICE_H
#define RS_SLICE_H

#include <stdbool.h>

#include "rs.h"

struct rs_slice {
	int64_t after_ms, before_ms; /* what is left; epoch */
	int64_t between_ms;	     /* a moment between two ticks */
	int64_t unit_ms;	     /* how far apart such moments are */
	int64_t len_ms;		     /* of the next slice, at most */
};

/* The first slice is all of it. after_ms < before_ms, interval_ms > 0. */
void rs_slice_init(struct rs_slice *s, int64_t after_ms, int64_t before_ms, int64_t between_ms,
    int64_t interval_ms);
bool rs_slice_is_over(const struct rs_slice *s);
/* The end of the slice that begins at after_ms. */
int64_t rs_slice_end(const struct rs_slice *s);
/* Goes on behind the slice that ended there; after a small answer with one twice as
 * long. */
void rs_slice_next(struct rs_slice *s, int64_t end_ms, bool was_small);
/* From now on slices end at this moment or whole units before or behind it. */
void rs_slice_align(struct rs_slice *s, int64_t between_ms, int64_t unit_ms);
/* Halves the slice; false when it is one tick already. */
bool rs_slice_halve(struct rs_slice *s);

#endif

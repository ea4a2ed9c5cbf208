/* SPDX-License-Identifier: ISC */
/*
 * Findings on their way to the disk. One that flaps would wear flash out with a
 * transaction an event: the first of a minute are written at once, those that
 * follow wait for its end. Until then, and while writing fails, they are here, of
 * each the latest state, and in every answer. Store thread.
 */
#ifndef RS_HELD_H
#define RS_HELD_H

#include "store.h"

/* Different findings; one more pushes out the oldest active one: more will be heard
 * of it. */
#define RS_HELD_MAX 64u
/* Times in a minute that what is held need not wait. */
#define RS_HELD_WRITES 6u

struct rs_held {
	struct rs_finding *list[RS_HELD_MAX]; /* owned; in the order of their last event */
	unsigned n;
	rs_ns minute_ns; /* when the first write of this minute was */
	unsigned writes; /* in this minute; 0: never yet */
	uint64_t dropped;
};

void rs_held_fini(struct rs_held *h);
/* Takes the place of an older state of the same finding. */
void rs_held_put(struct rs_held *h, struct rs_finding *take);
/* Whether what is held may be written now; if so it counts as a write. */
bool rs_held_is_due(struct rs_held *h, rs_ns now_ns);
/* The one at the front is on disk. */
void rs_held_written(struct rs_held *h);
/* What is held is newer than what was read of the disk, newest first. At most
 * `max` stay. 0 or -ENOMEM. */
int rs_held_merge(const struct rs_held *h, struct rs_finding_list *l, size_t max);

#endif

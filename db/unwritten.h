/* SPDX-License-Identifier: ISC */
/*
 * Changes of settings on their way to the disk. A write of its own for each tick
 * would wear flash out where settings change all the time: the first of a minute
 * are written at once, those that follow wait for its end. Until then, and while
 * writing fails, they are here and in every answer. Loop thread; what is with
 * the store thread is only read here.
 */
#ifndef RS_UNWRITTEN_H
#define RS_UNWRITTEN_H

#include "store.h"

/* As many as a tick of the model notes. */
#define RS_UNWRITTEN_MAX 4096u
/* Writes in a minute that do not wait for its end. */
#define RS_UNWRITTEN_WRITES 6u

struct rs_unwritten {
	struct rs_change *held; /* owned; ascending ids */
	size_t n, cap;
	const struct rs_change_list *writing; /* with the store thread; NULL: none */
	rs_ns minute_ns;		      /* when the first write of this minute was */
	unsigned writes;		      /* in this minute; 0: never yet */
	bool is_failing;
	uint64_t dropped; /* the oldest, for want of room */
};

void rs_unwritten_fini(struct rs_unwritten *u);
/* Ascending ids. */
void rs_unwritten_add(struct rs_unwritten *u, const struct rs_change *c, size_t n);
/* Whether it is time to write what is held. */
bool rs_unwritten_is_due(const struct rs_unwritten *u, rs_ns now_ns);
/* What to write, once: NULL when there is nothing, when some are being written,
 * or without memory. */
struct rs_change_list *rs_unwritten_take(struct rs_unwritten *u, rs_ns now_ns);
/* The list that was taken is back. Not written, its changes are held again. */
void rs_unwritten_done(struct rs_unwritten *u, const struct rs_change_list *list, bool is_written);
/* Puts what is here before what was read of the disk, by the same question. 0
 * or -ENOMEM. */
int rs_unwritten_merge(
    const struct rs_unwritten *u, const struct rs_change_query *q, struct rs_change_list *list);

#endif

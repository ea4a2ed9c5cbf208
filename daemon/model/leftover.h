/* SPDX-License-Identifier: ISC */
/*
 * What a process that ended without a word left in its head file (head.h): read into
 * memory, with nothing in it that was not whole. Any thread, one at a time.
 */
#ifndef RS_LEFTOVER_H
#define RS_LEFTOVER_H

#include "block.h"
#include "fact.h"

struct rs_leftover {
	struct rs_block *blocks;   /* owned; by `next`, the oldest first; in memory */
	struct rs_change *changes; /* owned; ascending ids */
	size_t n_changes;
	uint64_t ticks; /* in the blocks */
	uint64_t torn;	/* ticks that were not whole, not in the blocks */
};
void rs_leftover_fini(struct rs_leftover *l);

/* The latest changes in the file, each at its id modulo their number. */
#define RS_HEAD_CHANGES 256u
struct rs_change_slot {
	uint64_t check; /* rs_change_slot_check; 0: empty */
	struct rs_change change;
};
uint64_t rs_change_slot_check(const struct rs_change_slot *s);

/* Where everything lies in a file whose header is believed. */
struct rs_leftover_place {
	int fd;
	off_t changes_at, blocks_at;
	uint32_t n_blocks, max_series;
	rs_ns interval_ns;
};
/* 0 or -ENOMEM. What cannot be read is left out. */
int rs_leftover_read(const struct rs_leftover_place *p, struct rs_leftover *ret);

#endif

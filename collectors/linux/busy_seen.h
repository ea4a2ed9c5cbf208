/* SPDX-License-Identifier: ISC */
/*
 * What processes had used when they were looked at last, to tell the busy ones:
 * a memory of fixed size, in which what is pushed out is looked at anew. Loop
 * thread.
 */
#ifndef RS_BUSY_SEEN_H
#define RS_BUSY_SEEN_H

#include "rs.h"

enum { RS_BUSY_SETS = 128, RS_BUSY_WAYS = 8 };

struct rs_busy_seen {
	struct rs_busy_entry {
		uint32_t key; /* 0: free */
		uint32_t ticks, start;
		rs_ns at_ns;
	} entries[RS_BUSY_SETS][RS_BUSY_WAYS];
};

/* The share of a core (more than 1 with several threads) used since the last
 * look, and notes this one; NAN at the first. key: of a process or a thread, not
 * 0; start tells that it is still the same; ticks of 1/100 s. */
double rs_busy_since(
    struct rs_busy_seen *s, uint32_t key, uint64_t start, uint64_t ticks, rs_ns now_ns);

#endif

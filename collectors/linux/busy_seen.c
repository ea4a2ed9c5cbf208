/* SPDX-License-Identifier: ISC */
#include "busy_seen.h"

#include <math.h>
#include <stdbool.h>

#define TICKS_PER_S 100.0

/* The entry of the key, or the one that gives way to it: a free one, else that
 * which was looked at longest ago. */
static struct rs_busy_entry *
find(struct rs_busy_seen *s, uint32_t key)
{
	struct rs_busy_entry *const set = s->entries[key % RS_BUSY_SETS];
	struct rs_busy_entry *oldest = &set[0];
	for (size_t i = 0; i < RS_BUSY_WAYS; i++) {
		if (set[i].key == key)
			return &set[i];
		if (oldest->key != 0 && (set[i].key == 0 || set[i].at_ns < oldest->at_ns))
			oldest = &set[i];
	}
	return oldest;
}

double
rs_busy_since(struct rs_busy_seen *s, uint32_t key, uint64_t start, uint64_t ticks, rs_ns now_ns)
{
	struct rs_busy_entry *const e = find(s, key);
	/* The differences are what counts, so the low bits will do. */
	const uint32_t low_start = (uint32_t)start, low_ticks = (uint32_t)ticks;
	const uint32_t used = low_ticks - e->ticks;
	const bool is_same =
	    e->key == key && e->start == low_start && now_ns > e->at_ns && used <= INT32_MAX;
	const double seconds = (double)(now_ns - e->at_ns) / (double)RS_NS_PER_S;
	*e = (struct rs_busy_entry){key, low_ticks, low_start, now_ns};
	return is_same ? (double)used / TICKS_PER_S / seconds : (double)NAN;
}

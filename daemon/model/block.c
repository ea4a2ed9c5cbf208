/* SPDX-License-Identifier: ISC */
/*
 * A minute block's memory. A tick writes all its series side by side: a page or
 * two, where a column a series would be a cold page for every few of them. The big arrays are
 * mapped, so that pages of series that never appear cost nothing; after a reset their pages are
 * kept, since the next minute writes them again.
 */
/* MAP_ANONYMOUS is not in POSIX. */
#define _GNU_SOURCE
#include "block.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void *
map_pages(size_t bytes)
{
	void *const p = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	return p == MAP_FAILED ? NULL : p;
}

static size_t
values_bytes(const struct rs_block *b)
{
	return (size_t)b->max_series * b->ticks * sizeof(*b->values);
}

static size_t
present_bytes(const struct rs_block *b)
{
	return (size_t)b->max_series * b->present_words * sizeof(*b->present);
}

static size_t
series_bytes(const struct rs_block *b)
{
	return (size_t)b->max_series * sizeof(*b->series);
}

int
rs_block_new(uint32_t max_series, rs_ns interval_ns, struct rs_block **ret)
{
	if (!max_series || interval_ns <= 0 || interval_ns > RS_BLOCK_NS)
		return -EINVAL;
	const rs_ns ticks = (RS_BLOCK_NS + interval_ns - 1) / interval_ns;
	if (ticks > RS_BLOCK_TICKS_MAX)
		return -EINVAL;
	struct rs_block *const b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->max_series = max_series;
	b->interval_ns = interval_ns;
	b->ticks = (uint32_t)ticks;
	b->present_words = (b->ticks + 63) / 64;
	b->minute = -1;
	b->values = map_pages(values_bytes(b));
	b->present = map_pages(present_bytes(b));
	b->series = map_pages(series_bytes(b));
	if (!b->values || !b->present || !b->series) {
		rs_block_free(b);
		return -ENOMEM;
	}
	*ret = b;
	return 0;
}

void
rs_block_free(struct rs_block *b)
{
	if (!b)
		return;
	if (b->values)
		(void)munmap(b->values, values_bytes(b));
	if (b->present)
		(void)munmap(b->present, present_bytes(b));
	if (b->series)
		(void)munmap(b->series, series_bytes(b));
	free(b);
}

void
rs_block_reset(struct rs_block *b, int64_t minute)
{
	/* Only what was used, so that untouched pages stay untouched. */
	memset(b->series, 0, (size_t)b->n_series * sizeof(*b->series));
	memset(b->present, 0, (size_t)b->n_series * b->present_words * sizeof(*b->present));
	memset(b->has_tick, 0, sizeof(b->has_tick));
	memset(b->length_us, 0, sizeof(b->length_us));
	b->n_series = 0;
	b->minute = minute;
	b->wall_offset_ms = 0;
	b->is_clock_ok = false;
	b->is_committed = false;
	b->is_with_store = false;
}

void
rs_block_put(struct rs_block *b, uint32_t slot, uint32_t tick, int64_t value)
{
	if (slot >= b->max_series || tick >= b->ticks)
		return;
	b->values[(size_t)tick * b->max_series + slot] = value;
	b->present[(size_t)slot * b->present_words + tick / 64] |= UINT64_C(1) << (tick % 64);
}

bool
rs_block_get(const struct rs_block *b, uint32_t slot, uint32_t tick, int64_t *ret)
{
	if (slot >= b->n_series || tick >= b->ticks ||
	    !(b->present[(size_t)slot * b->present_words + tick / 64] >> (tick % 64) & 1))
		return false;
	*ret = b->values[(size_t)tick * b->max_series + slot];
	return true;
}

int64_t
rs_block_tick_ms(const struct rs_block *b, uint32_t tick)
{
	return (b->minute * RS_BLOCK_NS + (rs_ns)tick * b->interval_ns) / RS_NS_PER_MS;
}

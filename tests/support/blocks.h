/* SPDX-License-Identifier: ISC */
/*
 * Minute blocks made by hand, as the model would fill them.
 */
#ifndef RS_TEST_BLOCKS_H
#define RS_TEST_BLOCKS_H

#include <check.h>
#include <stdio.h>

#include "block.h"

/* An empty minute; free with rs_block_free. offset_ms: wall minus boot clock. */
static inline struct rs_block *
test_block(uint32_t max_series, rs_ns interval_ns, int64_t minute, int64_t offset_ms)
{
	struct rs_block *b = NULL;

	ck_assert_int_eq(rs_block_new(max_series, interval_ns, &b), 0);
	rs_block_reset(b, minute);
	b->wall_offset_ms = offset_ms;
	b->is_clock_ok = true;
	return b;
}

/* Ticks [from, to) happen, each as long as the interval. */
static inline void
test_ticks(struct rs_block *b, uint32_t from, uint32_t to)
{
	for (uint32_t t = from; t < to; t++) {
		b->has_tick[t] = true;
		b->length_us[t] = (uint32_t)(b->interval_ns / 1000);
	}
}

static inline struct rs_labels
test_cpu(int32_t cpu)
{
	struct rs_labels l = rs_labels_none;

	l.cpu = cpu;
	return l;
}

static inline struct rs_labels
test_device(const char *name)
{
	struct rs_labels l = rs_labels_none;

	(void)snprintf(l.device, sizeof(l.device), "%s", name);
	return l;
}

/* The next slot of the block becomes this series. */
static inline uint32_t
test_series(struct rs_block *b, uint32_t uid, enum rs_metric_id metric, struct rs_labels labels)
{
	const uint32_t slot = b->n_series++;

	ck_assert_uint_lt(slot, b->max_series);
	b->series[slot] =
	    (struct rs_block_series){.uid = uid, .metric = (uint16_t)metric, .labels = labels};
	return slot;
}

/* The same value at all ticks that happened. */
static inline void
test_fill(struct rs_block *b, uint32_t slot, int64_t value)
{
	for (uint32_t t = 0; t < b->ticks; t++) {
		if (b->has_tick[t])
			rs_block_put(b, slot, t, value);
	}
}

#endif

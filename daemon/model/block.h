/* SPDX-License-Identifier: ISC */
/*
 * One minute of samples of all series: the head the live program writes into
 * and, once the minute is over, the unit handed to the store. After hand-over
 * nobody writes; loop and store thread both may read until the store gives it
 * back.
 */
#ifndef RS_BLOCK_H
#define RS_BLOCK_H

#include <stdbool.h>

#include "metric.h"

#define RS_BLOCK_NS (60 * RS_NS_PER_S)
#define RS_BLOCK_TICKS_MAX 300u /* 60 s at 200 ms */

struct rs_block_series {
	uint32_t uid; /* unique in this process, never reused; 0: slot unused */
	uint16_t metric;
	struct rs_labels labels;
};

struct rs_block {
	int64_t minute; /* start on CLOCK_BOOTTIME, in minutes since boot */
	rs_ns interval_ns;
	uint32_t ticks;	   /* slots in this minute: RS_BLOCK_NS / interval */
	uint32_t n_series; /* slots used, holes (uid 0) included */
	uint32_t max_series;
	/* per tick slot t: due boot time is minute start + t * interval */
	bool has_tick[RS_BLOCK_TICKS_MAX];
	uint32_t length_us[RS_BLOCK_TICKS_MAX]; /* measured since the tick before; 0: first ever */
	int64_t wall_offset_ms;			/* wall clock minus boot clock at the newest tick */
	bool is_clock_ok;
	struct rs_block_series *series; /* max_series */
	int64_t *values;   /* [tick * max_series + slot]: increment, or gauge x scale */
	uint64_t *present; /* [slot * present_words + t / 64] bit t % 64 */
	uint32_t present_words;
	bool is_committed;  /* loop thread: the store has it on disk */
	bool is_with_store; /* loop thread: handed over, not yet given back */
};

/* Memory is reserved for max_series, touched only as series appear. */
int rs_block_new(uint32_t max_series, rs_ns interval_ns, struct rs_block **ret);
void rs_block_free(struct rs_block *b); /* NULL-safe */
/* Empties it for a new minute; series slots are cleared too. */
void rs_block_reset(struct rs_block *b, int64_t minute);
void rs_block_put(struct rs_block *b, uint32_t slot, uint32_t tick, int64_t value);
bool rs_block_get(const struct rs_block *b, uint32_t slot, uint32_t tick, int64_t *ret);
/* Boot time in ms of tick slot t. */
int64_t rs_block_tick_ms(const struct rs_block *b, uint32_t tick);

#endif

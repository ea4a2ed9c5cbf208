/* SPDX-License-Identifier: ISC */
/*
 * An answer in the making: series x time steps, filled from stored rows in the
 * store thread and from the head's blocks in the loop thread by the same code.
 * Pure; one thread at a time.
 *
 * In an answer of a tier ticks become that tier's buckets, whatever they come
 * from, and a bucket belongs to the step that holds its middle. So it makes no
 * difference which of them are stored as buckets already.
 */
#ifndef RS_GRID_H
#define RS_GRID_H

#include "bucket.h"
#include "codec.h"
#include "keymap.h"
#include "store.h"
#include "tier.h"

/* Series x steps of one answer; 16 bytes each while it is made. */
#define RS_GRID_CELLS_MAX 1000000u

struct rs_grid_row;

struct rs_grid {
	struct rs_query q;
	int status;
	bool wants_metric[RS_M_COUNT];
	enum rs_tier tier;
	/* The axis: step i covers (first_end_ms + (i - 1) * step_ms, first_end_ms + i * step_ms].
	 */
	int64_t step_ms, first_end_ms;
	size_t n_steps;
	int64_t last_tick_ms; /* in the range; the last step is told to end there */
	int64_t lag_ms;	      /* ticks of a bucket lie so much before its slot */
	/* rows[i] belongs to keys.keys[i]; only series with a value have one */
	struct rs_keymap keys;
	struct rs_grid_row *rows;
	size_t cap_rows;
	size_t data_first, data_end; /* steps with a value: [first, end) */
};

/* Where values may lie and how they are spaced, for rs_grid_set_axis. */
struct rs_grid_span {
	enum rs_tier tier;
	int64_t oldest_ms, newest_ms; /* wall clock; oldest > newest: nothing */
	int64_t interval_ms;	      /* of ticks */
	int64_t phase_ms;	      /* wall time of a tick at the beginning of a slot */
};

/* Where samples of a boot come from. */
struct rs_grid_source {
	int64_t boot_ms;   /* boot clock: when the minute or the bucket's slot begins */
	int64_t offset_ms; /* wall clock minus boot clock */
	uint32_t scale;	   /* raw values per unit */
};

/* q is copied; its filters point to rs_label_names. -EINVAL: not a range. */
int rs_grid_init(struct rs_grid *g, const struct rs_query *q);
void rs_grid_fini(struct rs_grid *g);
bool rs_grid_wants(const struct rs_grid *g, uint16_t metric, const struct rs_labels *labels);
/* How far apart values of a tier are. */
int64_t rs_grid_slot_ms(const struct rs_grid_span *span);
/* The step is the smallest multiple of the tier's slot that divides the asked
 * range into at most q.points steps; all steps end with the last tick of a slot,
 * and the last step has the last tick in the range. -E2BIG: more than
 * RS_QUERY_POINTS_MAX. */
int rs_grid_set_axis(struct rs_grid *g, const struct rs_grid_span *span);
/* Accumulates what lies in the range: ticks of one minute. After an error the
 * grid's status is set and further calls do nothing. */
void rs_grid_add(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    const struct rs_chunk_axis *axis, const int64_t *values, const uint64_t *present);
/* The same of a stored bucket, whose tier is not coarser than the grid's. */
void rs_grid_add_bucket(struct rs_grid *g, const struct rs_key *key,
    const struct rs_grid_source *src, enum rs_tier tier, const struct rs_bucket *b);
/* All wanted series of a block; offset_ms: wall clock minus boot clock. */
void rs_grid_add_block(struct rs_grid *g, const struct rs_block *b, int64_t offset_ms);
/* Moves the answer into h (zeroed by the caller), cut to the steps between the
 * first and the last value, series in the order of rs_key_compare. */
void rs_grid_finish(struct rs_grid *g, struct rs_history *h);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What a tier keeps of a series in one slot of time (a minute or an hour), and
 * the bytes of a tier's row: buckets of series that share their slots. Pure, no
 * allocation but the output buffer, any thread. The format is described in
 * docs/block-format.md and is the same on every machine.
 */
#ifndef RS_BUCKET_H
#define RS_BUCKET_H

#include "block.h"
#include "buf.h"
#include "packed.h"

/* min and max of a counter are its rate, stored values per second, times this:
 * exact for one event in a tick of 60 s. */
#define RS_BUCKET_RATE_SCALE 240

struct rs_bucket {
	/* Least and greatest tick. Gauge: stored value; counter: rate (above). */
	int64_t min, max;
	int64_t sum;	   /* of the stored values, saturated */
	int64_t length_us; /* of the ticks counted */
	uint32_t count;	   /* ticks with a value; 0: none, all else is 0 */
};

/* Takes one tick in; length_us: 0..UINT32_MAX, as in a block. A counter's tick of
 * unknown length (0) is left out: its increment is no rate. */
void rs_bucket_add(struct rs_bucket *b, enum rs_kind kind, int64_t value, int64_t length_us);
/* Takes the ticks of another bucket in. */
void rs_bucket_merge(struct rs_bucket *b, const struct rs_bucket *other);

#define RS_TIER_SLOTS_MAX 60u
#define RS_TIER_SERIES_MAX 32u
/* No row is larger. */
#define RS_TIER_BYTES_MAX ((size_t)128 * 1024)

struct rs_tier_series {
	uint32_t id;
	const struct rs_bucket *buckets; /* one a slot; at least one is not empty */
};

/* Appends a row to out. slots: 1..RS_TIER_SLOTS_MAX of slot_ms each. Ids ascend
 * and are not 0. Of an empty bucket only the count is looked at. -EINVAL, also for
 * a bucket that cannot be; -ENOMEM (out is then as long as before). */
int rs_tier_encode(uint32_t slot_ms, uint32_t slots, const struct rs_tier_series *series,
    size_t n_series, struct rs_buf *out);

/* A row being read; borrows the bytes. */
struct rs_tier_row {
	uint32_t slot_ms, slots;
	struct rs_packed packed;
	/* What most series share: slots with a bucket, its ticks, their length. */
	uint64_t present;
	int64_t count[RS_TIER_SLOTS_MAX];
	int64_t length_us[RS_TIER_SLOTS_MAX];
};

/* Checks header, table, checksum and what the series share. Anything wrong:
 * -EBADMSG. */
int rs_tier_open(struct rs_tier_row *row, const void *data, size_t len);
/* The next series by ascending id: 1, with row->slots buckets; 0 at the end.
 * ret_buckets may be NULL: the series is skipped, which costs nearly nothing.
 * -EBADMSG: nothing of ret_buckets is to be used; those behind it can be read. */
int rs_tier_next(
    struct rs_tier_row *row, uint32_t *ret_id, struct rs_bucket ret_buckets[RS_TIER_SLOTS_MAX]);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The keys of the table `raw` and what stands at its ends. Store thread.
 */
#ifndef RS_RAW_H
#define RS_RAW_H

#include "codec.h"
#include "sql.h"

#define RS_MINUTE_MS (RS_BLOCK_NS / RS_NS_PER_MS)
/* The wall clock is read after the boot clock: so much is no change of either. */
#define RS_OFFSET_NOISE_MS 10

/* Keys: boot << 40 | minute << 12 | part; none is 0. */
#define RS_RAW_PARTS 4096
#define RS_RAW_MINUTES (INT64_C(1) << 28)
#define RS_RAW_BOOTS (INT64_C(1) << 23)

static inline int64_t
rs_raw_key(int64_t boot, int64_t minute, int64_t part)
{
	return (boot * RS_RAW_MINUTES + minute) * RS_RAW_PARTS + part;
}

static inline int64_t
rs_raw_boot(int64_t key)
{
	return key / RS_RAW_PARTS / RS_RAW_MINUTES;
}

static inline int64_t
rs_raw_minute(int64_t key)
{
	return key / RS_RAW_PARTS % RS_RAW_MINUTES;
}

struct rs_raw_range {
	int64_t first, last; /* keys, both included */
};
extern const struct rs_raw_range rs_raw_all;

/* The lowest and the highest key of the range, 0 where there is none. */
int rs_raw_lowest(struct rs_db *db, const struct rs_raw_range *range, int64_t *ret);
int rs_raw_highest(struct rs_db *db, const struct rs_raw_range *range, int64_t *ret);

/* Boot clock of the first and the last tick in a row; its minute's first
 * moment when the chunk is damaged. */
int rs_raw_ends(struct rs_db *db, int64_t key, int64_t *ret_first_ms, int64_t *ret_last_ms);

#endif

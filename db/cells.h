/* SPDX-License-Identifier: ISC */
/*
 * Rows of `minute` and `hour` as cells: a line of buckets a series, a bucket a
 * slot. Store thread.
 */
#ifndef RS_CELLS_H
#define RS_CELLS_H

#include "bucket.h"
#include "rows.h"

struct rs_cells {
	struct rs_buf row; /* work space */
	uint64_t damaged;  /* rows, or series in them, that could not be read */
};

void rs_cells_init(struct rs_cells *c);
void rs_cells_fini(struct rs_cells *c);

/* Series of a row: their ids are first_id, first_id + 1, ... */
static inline uint32_t
rs_cells_ids(enum rs_tier tier)
{
	return UINT32_C(1) << rs_tiers[tier].group_shift;
}

/* A row being read, until rs_cells_next says that it ends. */
struct rs_cells_row {
	enum rs_tier tier;
	uint32_t first_id;
	struct rs_tier_row row;
};
/* 1; 0: there is none that can be read; negative errno. */
int rs_cells_open(
    struct rs_cells *c, struct rs_db *db, enum rs_tier tier, int64_t key, struct rs_cells_row *ret);
/* The next series: its place in the group, or -1 at the end. */
int rs_cells_next(struct rs_cells *c, struct rs_db *db, struct rs_cells_row *row,
    struct rs_bucket ret_buckets[RS_TIER_SLOTS_MAX]);

/* Writes a row, within a transaction. lines: rs_cells_ids of the tier's slots each;
 * those without a tick take what the row had. *bytes grows by its size. */
int rs_cells_put(struct rs_cells *c, struct rs_db *db, enum rs_tier tier, int64_t key,
    struct rs_bucket *lines, int64_t *bytes);

#endif

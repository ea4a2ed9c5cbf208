/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "cells.h"

static const struct {
	enum rs_sql_id get, put;
} tables[RS_TIER_COUNT] = {
    [RS_TIER_MINUTE] = {RS_SQL_MINUTE_GET, RS_SQL_MINUTE_PUT},
    [RS_TIER_HOUR] = {RS_SQL_HOUR_GET, RS_SQL_HOUR_PUT},
};

void
rs_cells_init(struct rs_cells *c)
{
	*c = (struct rs_cells){0};
	rs_buf_init(&c->row, RS_TIER_BYTES_MAX);
}

void
rs_cells_fini(struct rs_cells *c)
{
	rs_buf_fini(&c->row);
}

/* --- reading ------------------------------------------------------------- */

int
rs_cells_open(
    struct rs_cells *c, struct rs_db *db, enum rs_tier tier, int64_t key, struct rs_cells_row *ret)
{
	const struct rs_tier_shape *const shape = &rs_tiers[tier];
	sqlite3_stmt *const st = rs_sql(db, tables[tier].get);

	(void)sqlite3_bind_int64(st, 1, key);
	const int r = rs_sql_step(db, st);
	if (r <= 0)
		return r;
	const void *const data = sqlite3_column_blob(st, 0);
	const size_t len = (size_t)sqlite3_column_bytes(st, 0);
	ret->tier = tier;
	ret->first_id = rs_tier_key_group(tier, key) << shape->group_shift;
	if (data != NULL && rs_tier_open(&ret->row, data, len) == 0 &&
	    ret->row.slots == shape->slots && ret->row.slot_ms == shape->slot_ms)
		return 1;
	c->damaged++;
	(void)sqlite3_reset(st);
	return 0;
}

int
rs_cells_next(struct rs_cells *c, struct rs_db *db, struct rs_cells_row *row,
    struct rs_bucket ret_buckets[RS_TIER_SLOTS_MAX])
{
	uint32_t id;
	int r;

	while ((r = rs_tier_next(&row->row, &id, ret_buckets)) != 0) {
		if (r > 0 && id >= row->first_id && id - row->first_id < rs_cells_ids(row->tier))
			return (int)(id - row->first_id);
		c->damaged++;
	}
	(void)rs_sql(db, tables[row->tier].get);
	return -1;
}

/* --- writing ------------------------------------------------------------- */

/* A cell that what is finer has nothing for keeps what it had: that may be gone. */
static int
keep_old(
    struct rs_cells *c, struct rs_db *db, enum rs_tier tier, int64_t key, struct rs_bucket *lines)
{
	const uint32_t slots = rs_tiers[tier].slots;
	struct rs_bucket old[RS_TIER_SLOTS_MAX];
	struct rs_cells_row row;
	int i;
	const int r = rs_cells_open(c, db, tier, key, &row);

	if (r <= 0)
		return r;
	while ((i = rs_cells_next(c, db, &row, old)) >= 0) {
		struct rs_bucket *const line = &lines[(size_t)i * slots];

		for (uint32_t t = 0; t < slots; t++) {
			if (line[t].count == 0)
				line[t] = old[t];
		}
	}
	return 0;
}

static bool
has_ticks(const struct rs_bucket *line, uint32_t slots)
{
	for (uint32_t t = 0; t < slots; t++) {
		if (line[t].count > 0)
			return true;
	}
	return false;
}

int
rs_cells_put(struct rs_cells *c, struct rs_db *db, enum rs_tier tier, int64_t key,
    struct rs_bucket *lines, int64_t *bytes)
{
	const struct rs_tier_shape *const shape = &rs_tiers[tier];
	const uint32_t first_id = rs_tier_key_group(tier, key) << shape->group_shift;
	struct rs_tier_series series[RS_TIER_SERIES_MAX];
	size_t n = 0;
	int r = keep_old(c, db, tier, key, lines);

	if (r < 0)
		return r;
	for (uint32_t i = 0; i < rs_cells_ids(tier); i++) {
		const struct rs_bucket *const line = &lines[(size_t)i * shape->slots];

		if (has_ticks(line, shape->slots))
			series[n++] = (struct rs_tier_series){first_id + i, line};
	}
	if (n == 0)
		return 0;
	rs_buf_reset(&c->row);
	r = rs_tier_encode((uint32_t)shape->slot_ms, shape->slots, series, n, &c->row);
	if (r < 0)
		return r;
	sqlite3_stmt *const st = rs_sql(db, tables[tier].put);
	(void)sqlite3_bind_int64(st, 1, key);
	(void)sqlite3_bind_blob(st, 2, c->row.data, (int)c->row.len, SQLITE_STATIC);
	*bytes += (int64_t)c->row.len;
	return rs_sql_run(db, st);
}

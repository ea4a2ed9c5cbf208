/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "rows.h"

static const struct {
	enum rs_sql_id first, sizes, cut;
} tables[RS_TIER_COUNT] = {
    [RS_TIER_RAW] = {RS_SQL_RAW_FIRST, RS_SQL_RAW_SIZES, RS_SQL_RAW_CUT},
    [RS_TIER_MINUTE] = {RS_SQL_MINUTE_FIRST, RS_SQL_MINUTE_SIZES, RS_SQL_MINUTE_CUT},
    [RS_TIER_HOUR] = {RS_SQL_HOUR_FIRST, RS_SQL_HOUR_SIZES, RS_SQL_HOUR_CUT},
};

/* Statements whose parameters are a range of keys. */
static sqlite3_stmt *
bind_range(struct rs_db *db, enum rs_sql_id id, const struct rs_raw_range *range)
{
	sqlite3_stmt *const st = rs_sql(db, id);

	(void)sqlite3_bind_int64(st, 1, range->first);
	(void)sqlite3_bind_int64(st, 2, range->last);
	return st;
}

int
rs_rows_lowest(struct rs_db *db, enum rs_tier tier, const struct rs_raw_range *range, int64_t *ret)
{
	*ret = 0;
	return rs_sql_int(db, bind_range(db, tables[tier].first, range), ret);
}

int
rs_rows_cut(struct rs_db *db, enum rs_tier tier, const struct rs_raw_range *range,
    struct rs_rows_budget *budget)
{
	sqlite3_stmt *const sizes = bind_range(db, tables[tier].sizes, range);
	struct rs_raw_range cut = *range;
	bool is_empty = true;
	int r = 0;

	/* The lengths stand beside the keys: the blobs are not read. */
	while (budget->rows > 0 && budget->bytes > 0 && (r = rs_sql_step(db, sizes)) > 0) {
		cut.last = sqlite3_column_int64(sizes, 0);
		budget->bytes -= sqlite3_column_int64(sizes, 1);
		budget->rows--;
		is_empty = false;
	}
	(void)sqlite3_reset(sizes);
	if (r < 0 || is_empty)
		return r;
	/* The parts of a minute belong together: if its tier is made again, it is made
	 * of all of them or of none. */
	if (tier == RS_TIER_RAW)
		cut.last |= RS_RAW_PARTS - 1;
	return rs_sql_run(db, bind_range(db, tables[tier].cut, &cut));
}

/* Whatever the file says, keys are made of it. */
static int64_t
until(sqlite3_stmt *st, int column, int64_t max)
{
	return RS_MAX(RS_MIN(sqlite3_column_int64(st, column), max), 0);
}

int
rs_rows_boot(struct rs_db *db, int64_t id, struct rs_rows_boot *ret)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_NEXT);

	(void)sqlite3_bind_int64(st, 1, id);
	const int r = rs_sql_step(db, st);
	if (r <= 0)
		return r;
	*ret = (struct rs_rows_boot){.id = sqlite3_column_int64(st, 0),
	    .minute_until = until(st, 1, RS_ROWS_HOURS),
	    .hour_until = until(st, 2, RS_ROWS_HOURS / 24),
	    .offset_ms = RS_MAX(
		RS_MIN(sqlite3_column_int64(st, 3), RS_ROWS_OFFSET_MAX_MS), -RS_ROWS_OFFSET_MAX_MS),
	    .is_clock_ok = sqlite3_column_int(st, 4)};
	(void)sqlite3_reset(st);
	return ret->id < RS_RAW_BOOTS;
}

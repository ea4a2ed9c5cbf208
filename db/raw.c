/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "raw.h"

const struct rs_raw_range rs_raw_all = {.first = 0, .last = INT64_MAX};

static int
edge(struct rs_db *db, enum rs_sql_id id, const struct rs_raw_range *range, int64_t *ret)
{
	sqlite3_stmt *const st = rs_sql(db, id);

	*ret = 0;
	(void)sqlite3_bind_int64(st, 1, range->first);
	(void)sqlite3_bind_int64(st, 2, range->last);
	return rs_sql_int(db, st, ret);
}

int
rs_raw_lowest(struct rs_db *db, const struct rs_raw_range *range, int64_t *ret)
{
	return edge(db, RS_SQL_RAW_FIRST, range, ret);
}

int
rs_raw_highest(struct rs_db *db, const struct rs_raw_range *range, int64_t *ret)
{
	return edge(db, RS_SQL_RAW_LAST, range, ret);
}

int
rs_raw_ends(struct rs_db *db, int64_t key, int64_t *ret_first_ms, int64_t *ret_last_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_SCAN);
	uint32_t first = 0, last = 0;
	struct rs_chunk c;

	(void)sqlite3_bind_int64(st, 1, key);
	(void)sqlite3_bind_int64(st, 2, key);
	const int r = rs_sql_step(db, st);
	if (r < 0)
		return r;
	const void *const data = r > 0 ? sqlite3_column_blob(st, 1) : NULL;
	if (data == NULL || rs_chunk_open(&c, data, (size_t)sqlite3_column_bytes(st, 1)) < 0 ||
	    !rs_chunk_ends(c.axis.present, c.axis.ticks, &first, &last))
		c.axis.interval_ms = 0;
	(void)sqlite3_reset(st);
	*ret_first_ms = rs_raw_minute(key) * RS_MINUTE_MS + (int64_t)first * c.axis.interval_ms;
	*ret_last_ms = rs_raw_minute(key) * RS_MINUTE_MS + (int64_t)last * c.axis.interval_ms;
	return 0;
}

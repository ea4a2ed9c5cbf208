/* SPDX-License-Identifier: ISC */
/*
 * All rows of a boot at once, when its clock is set: seldom. Store thread.
 */
#include "events.h"

#include <stdlib.h>

#include "finding.h"

static int
set_offset(struct rs_db *db, int64_t boot, int64_t offset_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_EVENT_SET);

	(void)sqlite3_bind_int64(st, 1, boot);
	(void)sqlite3_bind_int64(st, 2, offset_ms);
	return rs_sql_run(db, st);
}

int
rs_events_offset(struct rs_db *db, int64_t boot, int64_t *ret_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_EVENT_OFFSET);

	(void)sqlite3_bind_int64(st, 1, boot);
	const int r = rs_sql_step(db, st);
	if (r <= 0)
		return r;
	const bool is_known = sqlite3_column_type(st, 0) != SQLITE_NULL;
	if (is_known)
		*ret_ms = sqlite3_column_int64(st, 0);
	(void)sqlite3_reset(st);
	return is_known;
}

int
rs_events_begin(struct rs_db *db, struct rs_appender *a, int64_t offset_ms, int64_t *ret_ms)
{
	int r = rs_appender_need_boot(a, db, offset_ms);

	if (r == 0)
		r = rs_events_offset(db, a->boot, ret_ms);
	if (r != 0)
		return RS_MIN(r, 0);
	*ret_ms = offset_ms;
	return set_offset(db, a->boot, offset_ms);
}

static int
move(struct rs_db *db, enum rs_sql_id id, int64_t boot, int64_t by_ms)
{
	sqlite3_stmt *const st = rs_sql(db, id);

	(void)sqlite3_bind_int64(st, 1, boot);
	(void)sqlite3_bind_int64(st, 2, by_ms);
	return rs_sql_run(db, st);
}

int
rs_events_follow(struct rs_db *db, int64_t boot, int64_t offset_ms)
{
	int64_t told_ms = 0;
	int r = rs_events_offset(db, boot, &told_ms);

	if (r <= 0 || llabs(offset_ms - told_ms) <= RS_CLOCK_NOISE_MS)
		return RS_MIN(r, 0);
	r = move(db, RS_SQL_FINDING_MOVE, boot, offset_ms - told_ms);
	if (r == 0)
		r = move(db, RS_SQL_CHANGE_MOVE, boot, offset_ms - told_ms);
	return r == 0 ? set_offset(db, boot, offset_ms) : r;
}

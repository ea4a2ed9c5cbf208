/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "rollup.h"

enum {
	MINUTES_OF_HOUR = 60,
	HOURS_OF_DAY = 24,
	GROUP_IDS = 32, /* 1 << rs_tiers[RS_TIER_MINUTE].group_shift */
	/* A bite is some 10 ms of work: */
	BITE_SAMPLES = 1000000,
	BITE_ROWS = 256 /* of `minute` */
};

void
rs_rollup_init(struct rs_rollup *u, int64_t bite_bytes)
{
	*u = (struct rs_rollup){.bite_bytes = bite_bytes, .bite_samples = BITE_SAMPLES};
	rs_cells_init(&u->cells);
}

void
rs_rollup_fini(struct rs_rollup *u)
{
	rs_hour_fini(&u->hour);
	rs_cells_fini(&u->cells);
}

/* --- a day --------------------------------------------------------------- */

/* The lowest group from next_group on that has a row in one of the hours;
 * INT64_MAX: none. */
static int
find_group(const struct rs_rollup *u, struct rs_db *db, int64_t *ret)
{
	const int64_t day = u->work.period;

	*ret = INT64_MAX;
	for (int64_t hour = day * HOURS_OF_DAY; hour < (day + 1) * HOURS_OF_DAY; hour++) {
		const struct rs_raw_range range = {
		    .first = rs_tier_key(RS_TIER_MINUTE, u->work.boot, hour, u->next_group),
		    .last = rs_tier_key(RS_TIER_MINUTE, u->work.boot, hour + 1, 0) - 1};
		int64_t key;
		const int r = rs_rows_lowest(db, RS_TIER_MINUTE, &range, &key);

		if (r < 0)
			return r;
		if (key != 0)
			*ret = RS_MIN(*ret, rs_tier_key_group(RS_TIER_MINUTE, key));
	}
	return 0;
}

/* The hours of a group's series; lines: HOURS_OF_DAY each. */
static int
read_hours(struct rs_rollup *u, struct rs_db *db, int64_t group, struct rs_bucket *lines, int *rows)
{
	struct rs_bucket minutes[RS_TIER_SLOTS_MAX];
	struct rs_cells_row row;

	for (int64_t h = 0; h < HOURS_OF_DAY; h++) {
		const int64_t key = rs_tier_key(
		    RS_TIER_MINUTE, u->work.boot, u->work.period * HOURS_OF_DAY + h, group);
		int i;
		const int r = rs_cells_open(&u->cells, db, RS_TIER_MINUTE, key, &row);

		if (r < 0)
			return r;
		if (r == 0)
			continue;
		(*rows)++;
		while ((i = rs_cells_next(&u->cells, db, &row, minutes)) >= 0) {
			for (uint32_t t = 0; t < MINUTES_OF_HOUR; t++)
				rs_bucket_merge(&lines[(int64_t)i * HOURS_OF_DAY + h], &minutes[t]);
		}
	}
	return 0;
}

/* 1: there is more of the day. */
static int
write_day(struct rs_rollup *u, struct rs_db *db)
{
	const uint32_t n_ids = rs_cells_ids(RS_TIER_HOUR);
	int64_t group, bytes = 0;
	int r = 0, rows = 0;

	while (r == 0 && rows < BITE_ROWS && bytes < u->bite_bytes) {
		struct rs_bucket lines[GROUP_IDS * HOURS_OF_DAY] = {0};

		r = find_group(u, db, &group);
		if (r < 0 || group == INT64_MAX)
			return r;
		r = read_hours(u, db, group, lines, &rows);
		for (uint32_t i = 0; r == 0 && i < GROUP_IDS; i += n_ids) {
			const int64_t key = rs_tier_key(RS_TIER_HOUR, u->work.boot, u->work.period,
			    (group * GROUP_IDS + i) / n_ids);

			r = rs_cells_put(&u->cells, db, RS_TIER_HOUR, key,
			    &lines[(size_t)i * HOURS_OF_DAY], &bytes);
		}
		u->next_group = group + 1;
	}
	return r < 0 ? r : 1;
}

/* --- transactions -------------------------------------------------------- */

/* What is being made is complete. The hours of a day that is made are, too. */
static int
set_until(const struct rs_rollup_work *work, struct rs_db *db)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_UNTIL);
	const int64_t until = work->period + 1;
	const bool is_hour = work->tier == RS_TIER_MINUTE;

	(void)sqlite3_bind_int64(st, 1, work->boot);
	(void)sqlite3_bind_int64(st, 2, is_hour ? until : until * HOURS_OF_DAY);
	(void)sqlite3_bind_int64(st, 3, is_hour ? 0 : until);
	return rs_sql_run(db, st);
}

static int
write_some(struct rs_rollup *u, struct rs_db *db)
{
	struct rs_hour_budget budget = {.samples = u->bite_samples, .bytes = u->bite_bytes};
	int r = rs_sql_exec(db, RS_SQL_BEGIN);

	if (r == 0)
		r = u->work.tier == RS_TIER_MINUTE ? rs_hour_write(&u->hour, db, &u->cells, &budget)
						   : write_day(u, db);
	const bool is_made = r == 0;
	if (is_made)
		r = set_until(&u->work, db);
	if (r >= 0)
		r = rs_sql_exec(db, RS_SQL_COMMIT);
	if (r < 0)
		rs_sql_rollback(db, r);
	if (is_made)
		u->work.tier = RS_TIER_RAW;
	return RS_MIN(r, 0);
}

static int
make_some_of_hour(struct rs_rollup *u, struct rs_db *db)
{
	bool is_same = false;
	int r = u->hour.is_looked_up ? 0 : rs_hour_look_up(&u->hour, db, &u->cells);

	if (r < 0 || !u->hour.is_looked_up)
		return r;
	r = rs_hour_check(&u->hour, db, &is_same);
	if (r == 0 && !is_same)
		rs_hour_begin(&u->hour, u->work.boot, u->work.period);
	return r == 0 && is_same ? write_some(u, db) : r;
}

/* --- what there is to do ------------------------------------------------- */

/* Hours before days, so that a day has all its hours. */
static int
look_at_boot(
    struct rs_db *db, const struct rs_rows_boot *b, bool is_running, struct rs_rollup_work *ret)
{
	const struct rs_raw_range all = rs_rows_since(RS_TIER_RAW, b->id, 0);
	const struct rs_raw_range raw =
	    rs_rows_since(RS_TIER_RAW, b->id, b->minute_until * MINUTES_OF_HOUR);
	const struct rs_raw_range minutes =
	    rs_rows_since(RS_TIER_MINUTE, b->id, b->hour_until * HOURS_OF_DAY);
	int64_t hour = RS_ROWS_HOURS; /* the first that is not over */
	int64_t key = 0;
	int r = 0;

	*ret = (struct rs_rollup_work){.boot = b->id};
	if (is_running) {
		r = rs_raw_highest(db, &all, &key);
		hour = key == 0 ? b->minute_until : rs_raw_minute(key) / MINUTES_OF_HOUR;
	}
	if (r == 0)
		r = rs_raw_lowest(db, &raw, &key);
	if (r < 0)
		return r;
	ret->period = rs_raw_minute(key) / MINUTES_OF_HOUR;
	if (key != 0 && ret->period < hour) {
		ret->tier = RS_TIER_MINUTE;
		return 0;
	}
	r = rs_rows_lowest(db, RS_TIER_MINUTE, &minutes, &key);
	if (r < 0 || key == 0)
		return r;
	ret->period = rs_tier_key_period(RS_TIER_MINUTE, key) / HOURS_OF_DAY;
	if (ret->period < hour / HOURS_OF_DAY)
		ret->tier = RS_TIER_HOUR;
	return 0;
}

static int
find_work(struct rs_rollup *u, struct rs_db *db, int64_t running, struct rs_rollup_work *ret)
{
	struct rs_rows_boot b;
	int r;

	*ret = (struct rs_rollup_work){0};
	while ((r = rs_rows_boot(db, u->done_boot, &b)) > 0) {
		if (b.id != running) {
			r = look_at_boot(db, &b, false, ret);
			if (r < 0 || ret->tier != RS_TIER_RAW)
				return r;
		}
		/* It is over: nothing is added to it any more. */
		u->done_boot = b.id + 1;
	}
	if (r < 0 || running == 0)
		return r;
	r = rs_rows_boot(db, running, &b);
	return r > 0 && b.id == running ? look_at_boot(db, &b, true, ret) : RS_MIN(r, 0);
}

int
rs_rollup_bite(struct rs_rollup *u, struct rs_db *db, int64_t running)
{
	struct rs_rollup_work work;
	int r = find_work(u, db, running, &work);

	if (r < 0 || work.tier == RS_TIER_RAW)
		return r;
	/* What was begun is the first of what there is, but for a late block before
	 * it. Then it may be other than it was. */
	if (work.tier != u->work.tier || work.boot != u->work.boot ||
	    work.period != u->work.period) {
		u->work = work;
		u->next_group = 0;
		rs_hour_begin(&u->hour, work.boot, work.period);
	}
	r = work.tier == RS_TIER_MINUTE ? make_some_of_hour(u, db) : write_some(u, db);
	if (r < 0)
		u->work.tier = RS_TIER_RAW;
	return r < 0 ? r : 1;
}

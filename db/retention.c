/* SPDX-License-Identifier: ISC */
/*
 * Keys ascend with the boot and its clock, and boots with the time they began to
 * store: the lowest key is the oldest, whatever the wall clock said. Store thread.
 */
#include "retention.h"

#include <stdlib.h>

enum {
	BITE_ROWS = 64,
	BITE_BYTES = 1024 * 1024,
	BITE_SERIES = 64 /* they lie all over their index */
};

#define HOUR_MS INT64_C(3600000)
/* A clock that jumped has to show that it is right. */
#define JUMP_MS HOUR_MS
#define STEADY_MS (6 * HOUR_MS)

void
rs_retention_init(struct rs_retention *t, const struct rs_store_limits *limits)
{
	*t = (struct rs_retention){.limits = *limits, .done_hour = -1};
}

/* --- which rows ------------------------------------------------------------ */

enum why {
	TOO_OLD,
	TAKEN, /* the next tier has it */
	ANY
};

struct rule {
	enum why why;
	/* TOO_OLD */
	struct rs_retention_now now;
	int64_t limit_ms;
	bool is_clock_right;
};

/* Periods of the tier below this are in the next one. */
static int64_t
taken_until(enum rs_tier tier, const struct rs_rows_boot *b)
{
	const int64_t until[RS_TIER_COUNT] = {b->minute_until * 60, b->hour_until * 24, INT64_MAX};

	return until[tier];
}

/* Wall time when the next boot began whose clock is believed; INT64_MAX: none. */
static int
find_next_start(struct rs_db *db, int64_t boot, int64_t now_ms, int64_t *ret_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_KNEW);

	*ret_ms = INT64_MAX;
	(void)sqlite3_bind_int64(st, 1, boot);
	(void)sqlite3_bind_int64(st, 2, now_ms);
	return rs_sql_int(db, st, ret_ms);
}

/* What was before this moment of the boot's clock is too old. */
static int
find_old(struct rs_db *db, const struct rule *rule, const struct rs_rows_boot *b, int64_t *ret_ms)
{
	const struct rs_retention_now *const now = &rule->now;
	const int64_t since_ms = now->ms - rule->limit_ms;
	const int64_t now_ms = now->ms + now->offset_ms;

	*ret_ms = INT64_MIN;
	if (b->id == now->boot) {
		*ret_ms = since_ms;
		return 0;
	}
	if (now->others_ms >= rule->limit_ms) {
		*ret_ms = INT64_MAX;
		return 0;
	}
	if (!rule->is_clock_right)
		return 0;
	if (b->is_clock_ok && b->offset_ms <= now_ms) {
		*ret_ms = since_ms + now->offset_ms - b->offset_ms;
		return 0;
	}
	/* Nobody knows when it was, but it was over when the next one began. */
	int64_t next_ms;
	const int r = find_next_start(db, b->id, now_ms, &next_ms);
	if (r == 0 && next_ms <= since_ms + now->offset_ms)
		*ret_ms = INT64_MAX;
	return r;
}

/* Periods of the boot below *ret may go. */
static int
find_until(struct rs_db *db, enum rs_tier tier, const struct rule *rule,
    const struct rs_rows_boot *b, int64_t *ret)
{
	int64_t old_ms;

	*ret = rule->why == ANY ? INT64_MAX : taken_until(tier, b);
	if (rule->why != TOO_OLD)
		return 0;
	const int r = find_old(db, rule, b, &old_ms);
	/* Whole hours of samples: each transaction wears the flash. */
	const int64_t unit_ms = RS_MAX(rs_rows_period_ms(tier), HOUR_MS);
	const int64_t units = RS_MAX(old_ms, 0) / unit_ms;
	*ret = RS_MIN(*ret, units * (unit_ms / rs_rows_period_ms(tier)));
	return r;
}

/* Deletes what the rule says, from the oldest on, as far as the budget goes. By
 * time nothing goes before what is older, whatever the clocks said. */
static int
cut(struct rs_db *db, enum rs_tier tier, const struct rule *rule, struct rs_rows_budget *budget)
{
	struct rs_raw_range range = rs_raw_all;
	int64_t boot = 0;

	while (budget->rows > 0 && budget->bytes > 0) {
		struct rs_rows_boot b;
		int64_t key, until = INT64_MAX;
		int r = rs_rows_lowest(db, tier, &range, &key);

		if (r < 0 || key == 0)
			return r;
		if (boot == rs_raw_boot(key)) {
			/* The rest of it stays. */
			if (rule->why == TOO_OLD || boot + 1 == RS_RAW_BOOTS)
				return 0;
			range.first = rs_rows_key(tier, boot + 1, 0);
			continue;
		}
		boot = rs_raw_boot(key);
		r = rs_rows_boot(db, boot, &b);
		/* What belongs to no boot has no time: nobody can ask for it. */
		if (r > 0 && b.id == boot)
			r = find_until(db, tier, rule, &b, &until);
		const struct rs_raw_range old = rs_rows_before(tier, boot, until);
		if (r >= 0)
			r = rs_rows_cut(db, tier, &old, budget);
		if (r < 0 || old.last == INT64_MAX)
			return r;
		range.first = old.last + 1;
	}
	return 0;
}

/* --- series and boots ------------------------------------------------------ */

/* The oldest moment that anything stored tells of. */
static int
find_oldest(struct rs_db *db, struct rs_boot_time *ret)
{
	*ret = (struct rs_boot_time){.boot = INT64_MAX};
	for (enum rs_tier tier = RS_TIER_RAW; tier < RS_TIER_COUNT; tier++) {
		int64_t key;
		const int r = rs_rows_lowest(db, tier, &rs_raw_all, &key);

		if (r < 0)
			return r;
		if (key == 0)
			continue;
		const int64_t boot = rs_raw_boot(key);
		const int64_t ms = rs_rows_period(tier, key) * rs_rows_period_ms(tier);
		if (boot < ret->boot || (boot == ret->boot && ms < ret->ms))
			*ret = (struct rs_boot_time){.boot = boot, .ms = ms};
	}
	return 0;
}

/* Series that ended before all that is stored; no row names them, and their ids
 * may be used again. Then boots that nothing refers to. */
static int
prune(struct rs_db *db, const struct rs_retention_now *now, bool *ret_more)
{
	struct rs_boot_time oldest;
	int r = find_oldest(db, &oldest);

	if (r < 0)
		return r;
	sqlite3_stmt *st = rs_sql(db, RS_SQL_SERIES_CUT);
	(void)sqlite3_bind_int64(st, 1, oldest.boot);
	(void)sqlite3_bind_int64(st, 2, oldest.ms);
	(void)sqlite3_bind_int(st, 3, BITE_SERIES);
	r = rs_sql_run(db, st);
	*ret_more = r == 0 && sqlite3_changes(db->handle) == BITE_SERIES;
	if (r < 0 || now == NULL)
		return r;
	/* Those that the store itself has in mind stay. */
	int64_t first = oldest.boot;
	if (now->boot != 0)
		first = RS_MIN(first, now->boot);
	if (now->newest_boot != 0)
		first = RS_MIN(first, now->newest_boot);
	st = rs_sql(db, RS_SQL_BOOT_CUT);
	(void)sqlite3_bind_int64(st, 1, first);
	return rs_sql_run(db, st);
}

/* --- by time --------------------------------------------------------------- */

static bool
is_clock_steady(struct rs_retention *t, const struct rs_retention_now *now)
{
	if (!t->has_offset || llabs(now->offset_ms - t->offset_ms) > JUMP_MS) {
		t->has_offset = true;
		t->offset_ms = now->offset_ms;
		t->offset_since_ms = now->ms;
	}
	return now->ms - t->offset_since_ms >= STEADY_MS;
}

static int
cut_old(struct rs_retention *t, struct rs_db *db, const struct rs_retention_now *now,
    bool is_steady, bool *ret_more)
{
	const int64_t limits[RS_TIER_COUNT] = {
	    t->limits.raw_ms, t->limits.minute_ms, t->limits.hour_ms};
	struct rs_rows_budget budget = {.rows = BITE_ROWS, .bytes = BITE_BYTES};
	struct rule rule = {.why = TOO_OLD, .now = *now};
	struct rs_rows_boot b = {0};
	int r = rs_rows_boot(db, now->boot, &b);

	rule.is_clock_right = is_steady && b.id == now->boot && b.is_clock_ok;
	for (enum rs_tier tier = RS_TIER_RAW; r >= 0 && tier < RS_TIER_COUNT; tier++) {
		rule.limit_ms = limits[tier];
		if (rule.limit_ms > 0)
			r = cut(db, tier, &rule, &budget);
	}
	bool has_more_series = false;
	if (r >= 0)
		r = prune(db, now, &has_more_series);
	*ret_more = has_more_series || budget.rows == 0 || budget.bytes <= 0;
	return r;
}

int
rs_retention_bite(struct rs_retention *t, struct rs_db *db, const struct rs_retention_now *now)
{
	const bool is_steady = is_clock_steady(t, now);
	const int64_t hour = now->ms / HOUR_MS;
	bool has_more = false;

	if (hour == t->done_hour)
		return 0;
	/* A transaction that changes nothing writes nothing. */
	int r = rs_sql_exec(db, RS_SQL_BEGIN);
	if (r == 0)
		r = cut_old(t, db, now, is_steady, &has_more);
	if (r == 0)
		r = rs_sql_exec(db, RS_SQL_COMMIT);
	if (r < 0) {
		rs_sql_rollback(db, r);
		return r;
	}
	if (!has_more)
		t->done_hour = hour;
	return has_more;
}

/* --- by size ----------------------------------------------------------------- */

static const struct {
	enum rs_tier tier;
	enum why why;
} sacrifices[] = {{RS_TIER_RAW, TAKEN}, {RS_TIER_MINUTE, TAKEN}, {RS_TIER_HOUR, ANY},
    {RS_TIER_MINUTE, ANY}, {RS_TIER_RAW, ANY}};

/* 1: something is gone. */
static int
sacrifice(struct rs_retention *t, struct rs_db *db, int64_t bytes)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(sacrifices); i++) {
		const enum rs_tier tier = sacrifices[i].tier;
		const struct rule rule = {.why = sacrifices[i].why};
		struct rs_rows_budget budget = {.rows = BITE_ROWS, .bytes = bytes};
		bool has_more;
		int r = cut(db, tier, &rule, &budget);

		if (r == 0 && budget.rows == BITE_ROWS)
			continue;
		t->given_up[tier] += BITE_ROWS - budget.rows;
		if (r == 0 && tier == RS_TIER_HOUR)
			r = prune(db, NULL, &has_more);
		return r < 0 ? r : 1;
	}
	return 0;
}

int
rs_retention_free(struct rs_retention *t, struct rs_db *db, int64_t bytes)
{
	int r = rs_sql_exec(db, RS_SQL_BEGIN);

	if (r == 0)
		r = sacrifice(t, db, RS_MIN(RS_MAX(bytes, 1), BITE_BYTES));
	const bool is_some = r > 0;
	if (r >= 0)
		r = rs_sql_exec(db, RS_SQL_COMMIT);
	if (r < 0)
		rs_sql_rollback(db, r);
	return r < 0 ? r : is_some;
}

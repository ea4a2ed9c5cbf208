/* SPDX-License-Identifier: ISC */
/*
 * A range of wall time becomes one range of keys a boot and table, through the
 * offset of that boot. Store thread.
 */
#include "reach.h"

#include <errno.h>
#include <stdlib.h>

#include "rows.h"

static const enum rs_sql_id first_ids[RS_TIER_COUNT] = {
    RS_SQL_RAW_FIRST, RS_SQL_MINUTE_FIRST, RS_SQL_HOUR_FIRST};
static const enum rs_sql_id last_ids[RS_TIER_COUNT] = {
    RS_SQL_RAW_LAST, RS_SQL_MINUTE_LAST, RS_SQL_HOUR_LAST};

void
rs_reach_fini(struct rs_reach *r)
{
	free(r->boots);
	*r = (struct rs_reach){0};
}

/* --- what is there ----------------------------------------------------- */

static int64_t
floor_periods(int64_t ms, enum rs_tier tier)
{
	const int64_t period = rs_rows_period_ms(tier);

	return ms / period - (ms % period < 0);
}

/* The first or last key of a range, 0 where there is none. Behind a damaged page
 * it goes on, a period further, two, four, and so on. */
static int
find_edge(struct rs_db *db, enum rs_tier tier, bool is_last, struct rs_raw_range range,
    int64_t *ret, unsigned *damaged)
{
	int64_t skip = rs_rows_key(tier, 0, 1);

	*ret = 0;
	while (range.first <= range.last) {
		sqlite3_stmt *const st = rs_sql(db, is_last ? last_ids[tier] : first_ids[tier]);

		(void)sqlite3_bind_int64(st, 1, range.first);
		(void)sqlite3_bind_int64(st, 2, range.last);
		const int r = rs_sql_int(db, st, ret);
		if (r != -EBADMSG)
			return r;
		(*damaged)++;
		*ret = 0;
		if (skip > range.last - range.first)
			break;
		if (is_last)
			range.last -= skip;
		else
			range.first += skip;
		skip = RS_MIN(skip, INT64_MAX / 2) * 2;
	}
	return 0;
}

/* What of a boot is asked for, boot clock. */
struct window {
	int64_t after_ms, before_ms;
	int64_t lag_ms; /* the middle of a bucket is so much earlier */
};

/* The first bucket in a row whose middle lies in the window: 1, none: 0. */
static int
find_bucket(struct rs_db *db, enum rs_tier tier, int64_t key, const struct window *w,
    int64_t *ret_ms, unsigned *damaged)
{
	sqlite3_stmt *const st =
	    rs_sql(db, tier == RS_TIER_MINUTE ? RS_SQL_MINUTE_GET : RS_SQL_HOUR_GET);
	const int64_t slot_ms = rs_tiers[tier].slot_ms;
	struct rs_tier_row row;

	(void)sqlite3_bind_int64(st, 1, key);
	int r = rs_sql_step(db, st);
	const void *const data = r > 0 ? sqlite3_column_blob(st, 0) : NULL;
	if (data == NULL || rs_tier_open(&row, data, (size_t)sqlite3_column_bytes(st, 0)) < 0) {
		*damaged += r == -EBADMSG || r > 0;
		row.slots = 0;
	}
	(void)sqlite3_reset(st);
	if (r < 0 && r != -EBADMSG)
		return r;
	for (uint32_t t = 0; t < row.slots; t++) {
		const int64_t start =
		    rs_rows_period(tier, key) * rs_rows_period_ms(tier) + t * slot_ms;
		const int64_t middle = start - w->lag_ms + slot_ms / 2;

		if (row.count[t] == 0 || middle <= w->after_ms || middle > w->before_ms)
			continue;
		*ret_ms = start;
		return 1;
	}
	return 0;
}

/* The first row with something in the window, and when that begins. */
static int
find_oldest(struct rs_db *db, enum rs_tier tier, const struct window *w, struct rs_raw_range *range,
    struct rs_boot_reach *b, unsigned *damaged)
{
	for (;;) {
		int64_t key = 0;
		int r = find_edge(db, tier, false, *range, &key, damaged);

		if (r < 0 || key == 0)
			return r;
		b->oldest_ms[tier] = rs_rows_period(tier, key) * rs_rows_period_ms(tier);
		if (tier != RS_TIER_RAW)
			r = find_bucket(db, tier, key, w, &b->oldest_ms[tier], damaged);
		if (r < 0)
			return r;
		if (r > 0 || tier == RS_TIER_RAW) {
			b->rows[tier].first = key;
			return 0;
		}
		range->first = rs_rows_key(tier, b->boot, rs_rows_period(tier, key) + 1);
	}
}

/* The rows of one table. */
static int
look_at(struct rs_db *db, enum rs_tier tier, const struct window *w, struct rs_boot_reach *b,
    unsigned *damaged)
{
	const int64_t end = RS_RAW_MINUTES * RS_MINUTE_MS - 1;

	if (w->before_ms < 0 || w->after_ms >= end)
		return 0;
	/* The bucket whose middle is the first may begin in the period before. */
	const int64_t margin = rs_tiers[tier].slot_ms / 2;
	const int64_t from = RS_MAX(w->after_ms - margin, 0);
	const int64_t to = RS_MIN(w->before_ms + w->lag_ms, end);
	struct rs_raw_range range = {.first = rs_rows_key(tier, b->boot, floor_periods(from, tier)),
	    .last = rs_rows_key(tier, b->boot, floor_periods(to, tier) + 1) - 1};
	int r = find_oldest(db, tier, w, &range, b, damaged);
	if (r == 0 && b->rows[tier].first != 0)
		r = find_edge(db, tier, true, range, &b->rows[tier].last, damaged);
	return r;
}

/* Room for one more. */
static int
grow(struct rs_reach *r)
{
	if (r->n < r->cap)
		return 0;
	const size_t cap = r->cap == 0 ? 8 : r->cap * 2;
	struct rs_boot_reach *const boots = realloc(r->boots, cap * sizeof(*boots));

	if (boots == NULL)
		return -ENOMEM;
	r->boots = boots;
	r->cap = cap;
	return 0;
}

bool
rs_reach_rows(
    const struct rs_boot_reach *b, enum rs_tier tier, enum rs_tier from, struct rs_raw_range *ret)
{
	/* In periods of `from`: what the next tier has, and how far this one goes. */
	const int64_t taken[RS_TIER_COUNT] = {b->minute_until * 60, b->hour_until * 24, 0};
	const int64_t until[RS_TIER_COUNT] = {INT64_MAX, b->minute_until, b->hour_until};

	*ret = b->rows[from];
	if (from > tier || ret->last == 0)
		return false;
	if (from < tier)
		ret->first = RS_MAX(ret->first, rs_rows_key(from, b->boot, taken[from]));
	if (from > RS_TIER_RAW)
		ret->last = RS_MIN(ret->last, rs_rows_key(from, b->boot, until[from]) - 1);
	return ret->first <= ret->last;
}

/* What the boot adds to each tier's reach. */
static void
widen(struct rs_reach *r, const struct rs_boot_reach *b)
{
	for (enum rs_tier tier = RS_TIER_RAW; tier < RS_TIER_COUNT; tier++) {
		for (enum rs_tier from = RS_TIER_RAW; from <= tier; from++) {
			struct rs_raw_range rows;

			if (!rs_reach_rows(b, tier, from, &rows))
				continue;
			const int64_t first =
			    rs_rows_period(from, rows.first) * rs_rows_period_ms(from);
			const int64_t last =
			    (rs_rows_period(from, rows.last) + 1) * rs_rows_period_ms(from);
			const int64_t oldest = RS_MAX(b->oldest_ms[from], first) + b->offset_ms;
			r->oldest_ms[tier] = RS_MIN(r->oldest_ms[tier], oldest);
			r->newest_ms = RS_MAX(r->newest_ms, last + b->offset_ms);
		}
	}
	r->phase_ms = b->offset_ms;
}

static int
find_boots(struct rs_db *db, const struct rs_query *q, const struct rs_query_env *env,
    struct rs_reach *reach, unsigned *damaged)
{
	sqlite3_stmt *const boots = rs_sql(db, RS_SQL_BOOT_LIST);
	int r;

	while ((r = rs_sql_step(db, boots)) > 0) {
		r = grow(reach);
		if (r < 0)
			break;
		struct rs_boot_reach *const b = &reach->boots[reach->n];
		*b = (struct rs_boot_reach){.boot = sqlite3_column_int64(boots, 0),
		    .offset_ms = sqlite3_column_int64(boots, 1),
		    .minute_until = sqlite3_column_int64(boots, 2),
		    .hour_until = sqlite3_column_int64(boots, 3)};
		if (b->boot == env->boot)
			b->offset_ms = env->offset_ms;
		const struct window w = {.after_ms = q->after_ms - b->offset_ms,
		    .before_ms = q->before_ms - b->offset_ms,
		    .lag_ms = env->interval_ms};
		bool has_rows = false;
		for (enum rs_tier t = RS_TIER_RAW; r == 0 && t < RS_TIER_COUNT; t++) {
			r = look_at(db, t, &w, b, damaged);
			has_rows = has_rows || b->rows[t].last != 0;
		}
		if (r < 0)
			break;
		if (has_rows) {
			reach->n++;
			widen(reach, b);
		}
	}
	(void)sqlite3_reset(boots);
	return r;
}

int
rs_reach_find(struct rs_db *db, const struct rs_query *q, const struct rs_query_env *env,
    struct rs_reach *ret, unsigned *ret_damaged)
{
	*ret = (struct rs_reach){.newest_ms = INT64_MIN, .phase_ms = env->offset_ms};
	*ret_damaged = 0;
	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++)
		ret->oldest_ms[t] = INT64_MAX;
	const int r = find_boots(db, q, env, ret, ret_damaged);
	if (env->head_oldest_ms > RS_MIN(env->head_newest_ms, q->before_ms) ||
	    env->head_newest_ms <= q->after_ms)
		return r;
	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++)
		ret->oldest_ms[t] = RS_MIN(ret->oldest_ms[t], env->head_oldest_ms);
	ret->newest_ms = RS_MAX(ret->newest_ms, env->head_newest_ms);
	ret->phase_ms = env->offset_ms;
	return r;
}

int
rs_reach_oldest(struct rs_db *db, enum rs_tier tier, struct rs_boot_time *ret)
{
	const struct window w = {.after_ms = INT64_MIN, .before_ms = INT64_MAX};
	unsigned damaged = 0;
	int64_t key = 0, last_ms;
	int r = find_edge(db, tier, false, rs_raw_all, &key, &damaged);

	*ret = (struct rs_boot_time){0};
	if (r < 0 || key == 0)
		return r;
	ret->boot = rs_tier_key_boot(key);
	ret->ms = rs_rows_period(tier, key) * rs_rows_period_ms(tier);
	r = tier == RS_TIER_RAW ? rs_raw_ends(db, key, &ret->ms, &last_ms)
				: find_bucket(db, tier, key, &w, &ret->ms, &damaged);
	return RS_MIN(r, 0);
}

/* --- the choice -------------------------------------------------------- */

/* From where on the tier has something of the range. */
static int64_t
begin_of(const struct rs_reach *r, const struct rs_query *q, enum rs_tier tier)
{
	return RS_MIN(RS_MAX(r->oldest_ms[tier], q->after_ms), q->before_ms);
}

/* Keys tell raw samples to the minute. */
static int64_t
precision_ms(enum rs_tier tier)
{
	return tier == RS_TIER_RAW ? RS_MINUTE_MS : rs_tiers[tier].slot_ms;
}

static bool
reaches(const struct rs_reach *r, const struct rs_query *q, enum rs_tier tier)
{
	const int64_t own = begin_of(r, q, tier);

	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++) {
		if (own - begin_of(r, q, t) >= precision_ms(t))
			return false;
	}
	return true;
}

static bool
is_fine_enough(const struct rs_query *q, enum rs_tier tier)
{
	const int64_t range = q->before_ms - q->after_ms;

	return tier == RS_TIER_RAW || (rs_tiers[tier].slot_ms <= range / q->points &&
					  rs_tiers[tier].slot_ms <= range / RS_REACH_SLOTS_MIN);
}

static bool
is_small_enough(
    const struct rs_reach *r, const struct rs_query *q, enum rs_tier tier, int64_t slot_ms)
{
	const int64_t newest = RS_MIN(r->newest_ms, q->before_ms);

	return newest < begin_of(r, q, tier) ||
	       (newest - begin_of(r, q, tier)) / slot_ms + 2 <= RS_QUERY_POINTS_MAX;
}

static enum rs_tier
choose(const struct rs_reach *r, const struct rs_query *q, int64_t interval_ms)
{
	enum rs_tier finest = RS_TIER_COUNT, coarsest = RS_TIER_RAW;

	if (q->tier >= RS_TIER_ONLY_RAW)
		return (enum rs_tier)(q->tier - RS_TIER_ONLY_RAW);
	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++) {
		const struct rs_grid_span span = {.tier = t, .interval_ms = interval_ms};

		if (!reaches(r, q, t))
			continue;
		if (finest == RS_TIER_COUNT)
			finest = t;
		if (q->tier == RS_TIER_FINEST) {
			return t;
		} else if (q->points == 0) {
			coarsest = t;
			if (is_small_enough(r, q, t, rs_grid_slot_ms(&span)))
				break;
		} else if (finest == t || is_fine_enough(q, t)) {
			coarsest = t;
		}
	}
	return coarsest;
}

void
rs_reach_choose(const struct rs_reach *r, const struct rs_query *q, const struct rs_query_env *env,
    struct rs_grid_span *ret)
{
	*ret = (struct rs_grid_span){.tier = choose(r, q, env->interval_ms),
	    .interval_ms = env->interval_ms,
	    .phase_ms = r->phase_ms,
	    .oldest_ms = INT64_MAX,
	    .newest_ms = INT64_MIN};
	if (r->newest_ms < r->oldest_ms[ret->tier])
		return;
	/* The middle of a bucket may be in another step than the values of it that
	 * there are. */
	const int64_t margin = rs_tiers[ret->tier].slot_ms / 2;
	ret->oldest_ms = r->oldest_ms[ret->tier] - margin;
	ret->newest_ms = r->newest_ms + margin;
}

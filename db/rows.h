/* SPDX-License-Identifier: ISC */
/*
 * The tables `raw`, `minute` and `hour` as what they have in common: keys that
 * ascend with boot and time, and a blob. Store thread.
 */
#ifndef RS_ROWS_H
#define RS_ROWS_H

#include "raw.h"
#include "tier.h"

/* The first key of a period of a boot: of raw a minute. */
static inline int64_t
rs_rows_key(enum rs_tier tier, int64_t boot, int64_t period)
{
	return tier == RS_TIER_RAW ? rs_raw_key(boot, period, 0)
				   : rs_tier_key(tier, boot, period, 0);
}

static inline int64_t
rs_rows_period(enum rs_tier tier, int64_t key)
{
	return tier == RS_TIER_RAW ? rs_raw_minute(key) : rs_tier_key_period(tier, key);
}

static inline int64_t
rs_rows_period_ms(enum rs_tier tier)
{
	return tier == RS_TIER_RAW ? RS_MINUTE_MS : rs_tier_period_ms(tier);
}

/* All keys of a boot from a period on. */
static inline struct rs_raw_range
rs_rows_since(enum rs_tier tier, int64_t boot, int64_t period)
{
	return (struct rs_raw_range){.first = rs_rows_key(tier, boot, period),
	    .last = rs_rows_key(tier, boot, 0) + (RS_RAW_MINUTES * RS_RAW_PARTS - 1)};
}

/* All keys of a boot before a period. */
static inline struct rs_raw_range
rs_rows_before(enum rs_tier tier, int64_t boot, int64_t period)
{
	const struct rs_raw_range all = rs_rows_since(tier, boot, 0);
	const int64_t periods = RS_RAW_MINUTES * RS_MINUTE_MS / rs_rows_period_ms(tier);

	return (struct rs_raw_range){.first = all.first,
	    .last = period > periods ? all.last : rs_rows_key(tier, boot, period) - 1};
}

/* The lowest key of the range, 0 where there is none. */
int rs_rows_lowest(
    struct rs_db *db, enum rs_tier tier, const struct rs_raw_range *range, int64_t *ret);

/* What a transaction may still delete. */
struct rs_rows_budget {
	unsigned rows;
	int64_t bytes;
};
/* Deletes from the lowest key of the range on, at least one row while *budget has
 * some, and takes it from there. Samples go by whole minutes, as the range does. */
int rs_rows_cut(struct rs_db *db, enum rs_tier tier, const struct rs_raw_range *range,
    struct rs_rows_budget *budget);

#define RS_ROWS_HOURS (RS_RAW_MINUTES / 60)
/* No clock is further away. */
#define RS_ROWS_OFFSET_MAX_MS INT64_C(1000000000000000)

/* A row of `boots`: how far its tiers are made, and its clock. */
struct rs_rows_boot {
	int64_t id;			  /* below RS_RAW_BOOTS */
	int64_t minute_until, hour_until; /* at most RS_ROWS_HOURS, and of days no more */
	int64_t offset_ms;		  /* wall clock minus boot clock */
	bool is_clock_ok;
};
/* The first boot from `id` on: 1, none: 0, negative errno. */
int rs_rows_boot(struct rs_db *db, int64_t id, struct rs_rows_boot *ret);

#endif

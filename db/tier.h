/* SPDX-License-Identifier: ISC */
/*
 * The tiers and the keys of their tables. Times are those of the boot clock of
 * the row's boot. Pure.
 */
#ifndef RS_TIER_H
#define RS_TIER_H

#include "rs.h"

/* From fine to coarse. */
enum rs_tier { RS_TIER_RAW, RS_TIER_MINUTE, RS_TIER_HOUR, RS_TIER_COUNT };

/* The tables `minute` and `hour`: a row is `slots` buckets of `slot_ms` of the
 * series with one id >> group_shift. id = boot << 40 | period << period_shift |
 * group, where a period is slots * slot_ms. */
struct rs_tier_shape {
	const char *name; /* as in answers: "raw", "minute", "hour" */
	int64_t slot_ms;  /* 0 for raw */
	uint32_t slots;
	unsigned group_shift, period_shift;
};
extern const struct rs_tier_shape rs_tiers[RS_TIER_COUNT];

/* Series ids that the keys have room for: below this. */
#define RS_TIER_IDS_MAX (UINT32_C(1) << 22)

static inline int64_t
rs_tier_period_ms(enum rs_tier tier)
{
	return rs_tiers[tier].slot_ms * (int64_t)rs_tiers[tier].slots;
}

static inline int64_t
rs_tier_key(enum rs_tier tier, int64_t boot, int64_t period, int64_t group)
{
	return boot << 40 | period << rs_tiers[tier].period_shift | group;
}

static inline int64_t
rs_tier_key_boot(int64_t key)
{
	return key >> 40;
}

static inline uint32_t
rs_tier_key_group(enum rs_tier tier, int64_t key)
{
	return (uint32_t)(key & ((INT64_C(1) << rs_tiers[tier].period_shift) - 1));
}

static inline int64_t
rs_tier_key_period(enum rs_tier tier, int64_t key)
{
	return (key & ((INT64_C(1) << 40) - 1)) >> rs_tiers[tier].period_shift;
}

#endif

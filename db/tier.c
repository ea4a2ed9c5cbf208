/* SPDX-License-Identifier: ISC */
#include "tier.h"

const struct rs_tier_shape rs_tiers[RS_TIER_COUNT] = {
    [RS_TIER_RAW] = {.name = "raw"},
    [RS_TIER_MINUTE] =
	{.name = "minute", .slot_ms = 60000, .slots = 60, .group_shift = 5, .period_shift = 17},
    [RS_TIER_HOUR] =
	{.name = "hour", .slot_ms = 3600000, .slots = 24, .group_shift = 3, .period_shift = 19},
};

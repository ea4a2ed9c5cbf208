/* SPDX-License-Identifier: ISC */
/*
 * Link modes as speeds. Each way to send at a speed has a bit of its own, whose
 * number never changes (enum ethtool_link_mode_bit_indices in linux/ethtool.h);
 * those newer than this table are left out. Pure.
 */
#include "ethtool_settings.h"

enum { RANGES_MAX = 4 };

/* By speed, then half duplex first; bits from first to last. */
static const struct speed {
	uint32_t mbit;
	bool is_half;
	uint8_t n;
	struct {
		uint8_t first, last;
	} bits[RANGES_MAX];
} speeds[] = {
    {10, true, 1, {{0, 0}}},
    {10, false, 2, {{1, 1}, {92, 92}}},
    {100, true, 2, {{2, 2}, {90, 90}}},
    {100, false, 3, {{3, 3}, {67, 67}, {91, 91}}},
    {1000, true, 1, {{4, 4}}},
    {1000, false, 4, {{5, 5}, {17, 17}, {41, 41}, {68, 68}}},
    {2500, false, 2, {{15, 15}, {47, 47}}},
    {5000, false, 1, {{48, 48}}},
    {10000, false, 3, {{12, 12}, {18, 20}, {42, 46}}},
    {20000, false, 1, {{21, 22}}},
    {25000, false, 1, {{31, 33}}},
    {40000, false, 1, {{23, 26}}},
    {50000, false, 3, {{34, 35}, {40, 40}, {52, 56}}},
    {56000, false, 1, {{27, 30}}},
    {100000, false, 3, {{36, 39}, {57, 61}, {75, 79}}},
    {200000, false, 2, {{62, 66}, {80, 84}}},
    {400000, false, 2, {{69, 73}, {85, 89}}},
    {800000, false, 1, {{93, 98}}},
};

static bool
has_bit(const uint32_t *mask, size_t words, unsigned bit)
{
	return bit / 32 < words && (mask[bit / 32] >> bit % 32 & 1);
}

static bool
has_speed(const uint32_t *mask, size_t words, const struct speed *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		for (unsigned bit = s->bits[i].first; bit <= s->bits[i].last; bit++) {
			if (has_bit(mask, words, bit))
				return true;
		}
	}
	return false;
}

bool
rs_link_modes_format(const uint32_t *mask, size_t words, struct rs_buf *b)
{
	bool has_any = false;
	for (size_t i = 0; i < RS_ARRAY_LEN(speeds); i++) {
		if (!has_speed(mask, words, &speeds[i]))
			continue;
		rs_buf_printf(b, "%s%u/%s", has_any ? " " : "", speeds[i].mbit,
		    speeds[i].is_half ? "half" : "full");
		has_any = true;
	}
	return has_any;
}

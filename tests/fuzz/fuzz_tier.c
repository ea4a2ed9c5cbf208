/* SPDX-License-Identifier: ISC */
/*
 * Rows of the minute and hour tiers. The input is read as it is and then with a
 * checksum that fits, so that what lies behind that check is reached. What is
 * believed is written again and must read the same.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "bucket.h"

struct decoded {
	uint32_t id;
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
};

static void
check_again(const struct rs_tier_row *row, const struct decoded *d, size_t n)
{
	struct rs_tier_series series[RS_TIER_SERIES_MAX];
	struct rs_tier_row again;
	struct decoded twin;
	struct rs_buf b;

	for (size_t i = 0; i < n; i++)
		series[i] = (struct rs_tier_series){.id = d[i].id, .buckets = d[i].buckets};
	rs_buf_init(&b, RS_TIER_BYTES_MAX);
	if (rs_tier_encode(row->slot_ms, row->slots, series, n, &b) < 0 ||
	    rs_tier_open(&again, b.data, b.len) < 0)
		abort();
	for (size_t i = 0; i < n; i++) {
		if (rs_tier_next(&again, &twin.id, twin.buckets) != 1 || twin.id != d[i].id)
			abort();
		for (uint32_t t = 0; t < row->slots; t++) {
			const struct rs_bucket *const was = &d[i].buckets[t],
						      *is = &twin.buckets[t];

			if (is->min != was->min || is->max != was->max || is->sum != was->sum ||
			    is->length_us != was->length_us || is->count != was->count)
				abort();
		}
	}
	if (rs_tier_next(&again, &twin.id, NULL) != 0)
		abort();
	rs_buf_fini(&b);
}

static void
read_row(const void *data, size_t len)
{
	struct decoded d[RS_TIER_SERIES_MAX];
	struct rs_tier_row row;
	size_t n = 0;

	if (rs_tier_open(&row, data, len) < 0)
		return;
	for (uint32_t i = 0; i < row.packed.n; i++) {
		const int r = rs_tier_next(&row, &d[n].id, d[n].buckets);

		if (r == 0)
			abort();
		if (r > 0)
			n++;
	}
	if (n > 0)
		check_again(&row, d, n);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_row(data, size);
	if (size < RS_PACKED_SUM_BYTES)
		return 0;
	uint8_t *const copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	const uint32_t sum = rs_packed_checksum(copy, size - RS_PACKED_SUM_BYTES);
	for (unsigned i = 0; i < RS_PACKED_SUM_BYTES; i++)
		copy[size - RS_PACKED_SUM_BYTES + i] = (uint8_t)(sum >> (8 * i));
	read_row(copy, size);
	free(copy);
	return 0;
}

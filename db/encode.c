/* SPDX-License-Identifier: ISC */
/*
 * Writes chunks: a stream for the axis, one for each series (stream.h). Pure,
 * any thread.
 */
#include "codec.h"

#include <errno.h>
#include <string.h>

void
rs_chunk_axis_of(const struct rs_block *b, struct rs_chunk_axis *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->interval_ms = (uint32_t)(b->interval_ns / RS_NS_PER_MS);
	ret->ticks = RS_MIN(b->ticks, RS_BLOCK_TICKS_MAX);
	for (uint32_t t = 0; t < ret->ticks; t++) {
		if (!b->has_tick[t])
			continue;
		ret->present[t / 64] |= UINT64_C(1) << (t % 64);
		ret->length_us[t] = b->length_us[t];
	}
}

/* True when the series has a value at a tick of the axis. */
static bool
has_values(const struct rs_chunk_axis *a, const uint64_t *present)
{
	for (uint32_t w = 0; w < (a->ticks + 63) / 64; w++) {
		if (present[w] & a->present[w])
			return true;
	}
	return false;
}

bool
rs_chunk_ends(const uint64_t *present, uint32_t ticks, uint32_t *ret_first, uint32_t *ret_last)
{
	uint32_t first = 0, end = ticks;

	while (first < ticks && !rs_chunk_bit(present, first))
		first++;
	if (first == ticks)
		return false;
	while (!rs_chunk_bit(present, end - 1))
		end--;
	*ret_first = first;
	*ret_last = end - 1;
	return true;
}

static int
check_input(const struct rs_chunk_axis *a, const struct rs_chunk_series *series, size_t n)
{
	uint32_t last = 0;

	if (n == 0 || n > RS_CHUNK_SERIES_MAX || !rs_chunk_is_sane(a->interval_ms, a->ticks))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (series[i].id <= last || !has_values(a, series[i].present))
			return -EINVAL;
		last = series[i].id;
	}
	return 0;
}

static struct rs_stream
stream_of(const struct rs_chunk_axis *a, const struct rs_chunk_series *series)
{
	struct rs_stream s = {.values = series->values,
	    .apart = series->apart,
	    .present = series->present,
	    .all = a->present,
	    .slots = a->ticks};

	rs_stream_measure(&s);
	return s;
}

int
rs_chunk_encode(const struct rs_chunk_axis *a, const struct rs_chunk_series *series, size_t n,
    struct rs_buf *out)
{
	struct rs_packed_series sizes[RS_CHUNK_SERIES_MAX];
	uint64_t all[RS_CHUNK_WORDS];
	const int r = check_input(a, series, n);

	if (r < 0)
		return r;
	rs_stream_all(a->ticks, all);
	struct rs_stream axis = {.values = a->length_us,
	    .apart = 1,
	    .present = a->present,
	    .all = all,
	    .slots = a->ticks};
	rs_stream_measure(&axis);
	for (size_t i = 0; i < n; i++) {
		const struct rs_stream s = stream_of(a, &series[i]);

		sizes[i] = (struct rs_packed_series){series[i].id, (uint32_t)rs_stream_bytes(&s)};
	}
	const struct rs_packed_plan plan = {.format = RS_CHUNK_FORMAT,
	    .slots = (uint16_t)a->ticks,
	    .slot_ms = a->interval_ms,
	    .axis_bytes = (uint32_t)rs_stream_bytes(&axis),
	    .n = (uint16_t)n,
	    .series = sizes};
	uint8_t *const start = (uint8_t *)rs_buf_reserve(out, rs_packed_bytes(&plan));
	if (start == NULL)
		return -ENOMEM;

	uint8_t *p = rs_stream_put(rs_packed_begin(start, &plan), &axis);
	for (size_t i = 0; i < n; i++) {
		const struct rs_stream s = stream_of(a, &series[i]);

		p = rs_stream_put(p, &s);
	}
	out->len += (size_t)(rs_packed_end(start, p) - start);
	return 0;
}

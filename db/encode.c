/* SPDX-License-Identifier: ISC */
/*
 * Writes chunks: per series the minimum, a bit width and the differences to
 * the minimum. Differences are unsigned 64-bit throughout, so that the whole
 * range of int64 is exact. Pure, any thread.
 */
#include "codec.h"

#include <errno.h>
#include <string.h>

#include "chunkbytes.h"

/* How a stream will be written. */
struct shape {
	int64_t min;
	unsigned width; /* bits a value, 0..64 */
	uint32_t count; /* values present */
	bool is_full;	/* at every tick of the axis */
};

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

bool
rs_chunk_has_values(const struct rs_chunk_axis *a, const uint64_t *present)
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

static uint64_t
zigzag(int64_t v)
{
	const uint64_t u = (uint64_t)v;
	return v < 0 ? ~(u << 1) : u << 1;
}

static unsigned
varint_bytes(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 7)
		n++;
	return n;
}

static uint8_t *
put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

/* The values of a series, or of the axis, in their order. */
struct values {
	const int64_t *first;
	size_t apart;
	const uint64_t *present;
};

static int64_t
value_at(const struct values *v, uint32_t t)
{
	return v->first[t * v->apart];
}

static struct values
values_of(const struct rs_chunk_series *s)
{
	return (struct values){s->values, s->apart, s->present};
}

static struct shape
shape_of(const struct values *v, const uint64_t *all, uint32_t ticks)
{
	struct shape s = {.is_full = true};
	int64_t max = 0;

	for (uint32_t t = 0; t < ticks; t++) {
		if (!rs_chunk_bit(all, t))
			continue;
		if (!rs_chunk_bit(v->present, t)) {
			s.is_full = false;
			continue;
		}
		const int64_t value = value_at(v, t);
		if (s.count++ == 0)
			s.min = max = value;
		else if (value < s.min)
			s.min = value;
		else if (value > max)
			max = value;
	}
	for (uint64_t range = (uint64_t)max - (uint64_t)s.min; range; range >>= 1)
		s.width++;
	return s;
}

static bool
is_empty_stream(const struct shape *s)
{
	return s->is_full && s->width == 0 && s->min == 0;
}

static size_t
stream_bytes(const struct shape *s, uint32_t ticks)
{
	if (is_empty_stream(s))
		return 0;
	return 1 + (s->is_full ? 0 : (ticks + 7) / 8) + varint_bytes(zigzag(s->min)) +
	       ((size_t)s->count * s->width + 7) / 8;
}

static uint8_t *
put_bitmap(uint8_t *p, const uint64_t *present, const uint64_t *all, uint32_t ticks)
{
	const unsigned bytes = (ticks + 7) / 8;

	for (unsigned i = 0; i < bytes; i++)
		*p++ = (uint8_t)((present[i / 8] & all[i / 8]) >> (8 * (i % 8)) & 0xff);
	return p;
}

static uint8_t *
put_stream(
    uint8_t *p, const struct shape *s, const struct values *v, const uint64_t *all, uint32_t ticks)
{
	if (is_empty_stream(s))
		return p;
	*p++ = (uint8_t)(s->width | (s->is_full ? 0 : RS_CHUNK_HAS_BITMAP));
	if (!s->is_full)
		p = put_bitmap(p, v->present, all, ticks);
	p = put_varint(p, zigzag(s->min));
	if (s->width == 0)
		return p;

	uint64_t pending = 0;
	unsigned filled = 0; /* bits in pending, < 64 */
	for (uint32_t t = 0; t < ticks; t++) {
		if (!rs_chunk_bit(all, t) || !rs_chunk_bit(v->present, t))
			continue;
		const uint64_t above = (uint64_t)value_at(v, t) - (uint64_t)s->min;

		pending |= above << filled;
		if (filled + s->width < 64) {
			filled += s->width;
			continue;
		}
		p = rs_put_le(p, pending, 8);
		pending = filled ? above >> (64 - filled) : 0;
		filled = filled + s->width - 64;
	}
	return rs_put_le(p, pending, (filled + 7) / 8);
}

static int
check_input(const struct rs_chunk_axis *a, const struct rs_chunk_series *series, size_t n)
{
	uint32_t last = 0;

	if (n == 0 || n > RS_CHUNK_SERIES_MAX || !rs_chunk_is_sane(a->interval_ms, a->ticks))
		return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		if (series[i].id <= last || !rs_chunk_has_values(a, series[i].present))
			return -EINVAL;
		last = series[i].id;
	}
	return 0;
}

/* Bytes of table and streams; the axis is the first stream. */
static size_t
body_bytes(const struct rs_chunk_axis *a, const struct rs_chunk_series *series, size_t n,
    const struct shape *axis)
{
	size_t bytes = stream_bytes(axis, a->ticks);
	uint32_t last = 0;

	bytes += varint_bytes(bytes);
	for (size_t i = 0; i < n; i++) {
		const struct values v = values_of(&series[i]);
		const struct shape s = shape_of(&v, a->present, a->ticks);
		const size_t len = stream_bytes(&s, a->ticks);

		bytes += varint_bytes(series[i].id - last) + varint_bytes(len) + len;
		last = series[i].id;
	}
	return bytes;
}

int
rs_chunk_encode(const struct rs_chunk_axis *a, const struct rs_chunk_series *series, size_t n,
    struct rs_buf *out)
{
	uint64_t all[RS_CHUNK_WORDS];
	const int r = check_input(a, series, n);

	if (r < 0)
		return r;
	rs_chunk_all_ticks(a->ticks, all);
	const struct values lengths = {a->length_us, 1, a->present};
	const struct shape axis = shape_of(&lengths, all, a->ticks);
	const size_t bytes =
	    RS_CHUNK_HEADER_BYTES + body_bytes(a, series, n, &axis) + RS_CHUNK_SUM_BYTES;
	uint8_t *const start = (uint8_t *)rs_buf_reserve(out, bytes);
	if (start == NULL)
		return -ENOMEM;

	uint8_t *p = rs_put_le(start, RS_CHUNK_FORMAT, 2);
	p = rs_put_le(p, a->ticks, 2);
	p = rs_put_le(p, a->interval_ms, 4);
	p = rs_put_le(p, n, 2);
	p = put_varint(p, stream_bytes(&axis, a->ticks));
	uint32_t last = 0;
	for (size_t i = 0; i < n; i++) {
		const struct values v = values_of(&series[i]);
		const struct shape s = shape_of(&v, a->present, a->ticks);

		p = put_varint(p, series[i].id - last);
		p = put_varint(p, stream_bytes(&s, a->ticks));
		last = series[i].id;
	}
	p = put_stream(p, &axis, &lengths, all, a->ticks);
	for (size_t i = 0; i < n; i++) {
		const struct values v = values_of(&series[i]);
		const struct shape s = shape_of(&v, a->present, a->ticks);

		p = put_stream(p, &s, &v, a->present, a->ticks);
	}
	p = rs_put_le(p, rs_chunk_checksum(start, (size_t)(p - start)), RS_CHUNK_SUM_BYTES);
	out->len += (size_t)(p - start);
	return 0;
}

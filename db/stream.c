/* SPDX-License-Identifier: ISC */
/*
 * The writer takes a stream's minimum, a bit width and the differences to the
 * minimum, which are unsigned 64-bit throughout, so that the whole range of
 * int64 is exact. The reader believes nothing: every length is checked before it
 * is used, and no memory is asked for.
 */
#include "stream.h"

#include <errno.h>
#include <string.h>

#include "bytes.h"

/* In a stream's first byte; the rest of it is the width. */
enum { HAS_BITMAP = 0x80 };

static uint64_t
zigzag(int64_t v)
{
	const uint64_t u = (uint64_t)v;
	return v < 0 ? ~(u << 1) : u << 1;
}

static int64_t
unzigzag(uint64_t u)
{
	return (int64_t)(u & 1 ? ~(u >> 1) : u >> 1);
}

/* --- bits ---------------------------------------------------------------- */

static unsigned
words_of(uint32_t slots)
{
	return (slots + 63) / 64;
}

void
rs_stream_all(uint32_t slots, uint64_t *ret_present)
{
	memset(ret_present, 0xff, words_of(slots) * sizeof(*ret_present));
	if (slots % 64 != 0)
		ret_present[slots / 64] = (UINT64_C(1) << (slots % 64)) - 1;
}

static uint32_t
count_bits(const uint64_t *present, uint32_t slots)
{
	uint32_t n = 0;

	for (unsigned w = 0; w < words_of(slots); w++) {
		for (uint64_t bits = present[w]; bits; bits &= bits - 1)
			n++;
	}
	return n;
}

static uint8_t *
put_bitmap(uint8_t *p, const struct rs_stream *s)
{
	const unsigned bytes = (s->slots + 7) / 8;

	for (unsigned i = 0; i < bytes; i++)
		*p++ = (uint8_t)((s->present[i / 8] & s->all[i / 8]) >> (8 * (i % 8)) & 0xff);
	return p;
}

/* Reads the bitmap of a stream; false unless it is a part of `all`. */
static bool
get_bitmap(const uint8_t **p, const uint8_t *end, const uint64_t *all, uint32_t slots,
    uint64_t *ret_present)
{
	const unsigned bytes = (slots + 7) / 8;

	if ((size_t)(end - *p) < bytes)
		return false;
	memset(ret_present, 0, words_of(slots) * sizeof(*ret_present));
	for (unsigned i = 0; i < bytes; i++)
		ret_present[i / 8] |= (uint64_t)(*p)[i] << (8 * (i % 8));
	*p += bytes;
	for (unsigned w = 0; w < words_of(slots); w++) {
		if (ret_present[w] & ~all[w])
			return false;
	}
	return true;
}

/* width bits from bit `at` on; the caller knows that they lie before end. */
static uint64_t
get_bits(const uint8_t *p, const uint8_t *end, size_t at, unsigned width)
{
	const unsigned shift = at % 8;

	p += at / 8;
	const size_t left = (size_t)(end - p);
	uint64_t v = (left >= 8 ? rs_get_le64(p) : rs_get_le(p, (unsigned)left)) >> shift;
	if (shift + width > 64)
		v |= (uint64_t)p[8] << (64 - shift);
	return width == 64 ? v : v & ((UINT64_C(1) << width) - 1);
}

/* --- streams ------------------------------------------------------------- */

void
rs_stream_measure(struct rs_stream *s)
{
	int64_t min = 0, max = 0;

	s->count = 0;
	s->is_full = true;
	for (uint32_t t = 0; t < s->slots; t++) {
		if (!rs_stream_bit(s->all, t))
			continue;
		if (!rs_stream_bit(s->present, t)) {
			s->is_full = false;
			continue;
		}
		const int64_t value = s->values[t * s->apart];
		if (s->count++ == 0)
			min = max = value;
		else if (value < min)
			min = value;
		else if (value > max)
			max = value;
	}
	s->min = min;
	s->width = 0;
	for (uint64_t range = (uint64_t)max - (uint64_t)min; range; range >>= 1)
		s->width++;
}

static bool
is_nothing(const struct rs_stream *s)
{
	return s->is_full && s->width == 0 && s->min == 0;
}

size_t
rs_stream_bytes(const struct rs_stream *s)
{
	if (is_nothing(s))
		return 0;
	return 1 + (s->is_full ? 0 : (s->slots + 7) / 8) + rs_varint_bytes(zigzag(s->min)) +
	       ((size_t)s->count * s->width + 7) / 8;
}

uint8_t *
rs_stream_put(uint8_t *p, const struct rs_stream *s)
{
	if (is_nothing(s))
		return p;
	*p++ = (uint8_t)(s->width | (s->is_full ? 0 : HAS_BITMAP));
	if (!s->is_full)
		p = put_bitmap(p, s);
	p = rs_put_varint(p, zigzag(s->min));
	if (s->width == 0)
		return p;

	uint64_t pending = 0;
	unsigned filled = 0; /* bits in pending, < 64 */
	for (uint32_t t = 0; t < s->slots; t++) {
		if (!rs_stream_bit(s->all, t) || !rs_stream_bit(s->present, t))
			continue;
		const uint64_t above = (uint64_t)s->values[t * s->apart] - (uint64_t)s->min;

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

int
rs_stream_get(const uint8_t **p, const uint8_t *end, const uint64_t *all, uint32_t slots,
    int64_t *ret_values, uint64_t *ret_present)
{
	if (*p == end)
		return -EBADMSG;
	const unsigned width = **p & (HAS_BITMAP - 1);
	const bool has_bitmap = *(*p)++ & HAS_BITMAP;
	uint64_t u = 0;

	memcpy(ret_present, all, words_of(slots) * sizeof(*all));
	if (width > 64 || (has_bitmap && !get_bitmap(p, end, all, slots, ret_present)) ||
	    !rs_get_varint(p, end, &u))
		return -EBADMSG;
	const uint32_t count = count_bits(ret_present, slots);
	const size_t bits = (size_t)count * width;
	if (count == 0 || (size_t)(end - *p) < (bits + 7) / 8)
		return -EBADMSG;
	const uint8_t *const packed = *p;
	*p += (bits + 7) / 8;
	if (bits % 8 != 0 && (*p)[-1] >> (bits % 8) != 0)
		return -EBADMSG; /* the padding is zero */

	const uint64_t min = (uint64_t)unzigzag(u);
	size_t at = 0;
	for (uint32_t t = 0; t < slots; t++) {
		if (!rs_stream_bit(ret_present, t))
			continue;
		ret_values[t] = (int64_t)(min + (width ? get_bits(packed, *p, at, width) : 0));
		at += width;
	}
	return 0;
}

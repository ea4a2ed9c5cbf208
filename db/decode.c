/* SPDX-License-Identifier: ISC */
/*
 * Reads chunks and believes nothing: every length is checked before it is
 * used, and no memory is asked for. Pure, any thread.
 */
#include "codec.h"

#include <errno.h>
#include <string.h>

#include "chunkbytes.h"

uint32_t
rs_chunk_checksum(const void *data, size_t len)
{
	const uint8_t *p = data;
	uint64_t h = len;

	/* Each step is a bijection of the state, so one changed word always
	 * changes the 64 bits that are folded below. */
	for (; len >= 8; p += 8, len -= 8) {
		h = (h ^ rs_get_le64(p)) * UINT64_C(0x9fb21c651e98df25);
		h ^= h >> 32;
	}
	h = (h ^ rs_get_le(p, (unsigned)len)) * UINT64_C(0x9fb21c651e98df25);
	return (uint32_t)(h >> 32);
}

static int64_t
unzigzag(uint64_t u)
{
	return (int64_t)(u & 1 ? ~(u >> 1) : u >> 1);
}

static bool
get_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < RS_CHUNK_VARINT_BYTES && *p + i < end; i++) {
		const uint8_t byte = (*p)[i];

		if (i == RS_CHUNK_VARINT_BYTES - 1 && byte > 1)
			return false; /* more than 64 bits */
		v |= (uint64_t)(byte & 0x7f) << (7 * i);
		if (byte < 0x80) {
			*p += i + 1;
			*ret = v;
			return true;
		}
	}
	return false;
}

static uint32_t
count_bits(const uint64_t *present)
{
	uint32_t n = 0;

	for (uint32_t w = 0; w < RS_CHUNK_WORDS; w++) {
		for (uint64_t bits = present[w]; bits; bits &= bits - 1)
			n++;
	}
	return n;
}

/* Reads the bitmap of a stream; false unless it is a part of `all`. */
static bool
get_bitmap(const uint8_t **p, const uint8_t *end, const uint64_t *all, uint32_t ticks,
    uint64_t *ret_present)
{
	const unsigned bytes = (ticks + 7) / 8;

	if ((size_t)(end - *p) < bytes)
		return false;
	memset(ret_present, 0, RS_CHUNK_WORDS * sizeof(*ret_present));
	for (unsigned i = 0; i < bytes; i++)
		ret_present[i / 8] |= (uint64_t)(*p)[i] << (8 * (i % 8));
	*p += bytes;
	for (uint32_t w = 0; w < RS_CHUNK_WORDS; w++) {
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

static int
get_stream(const uint8_t *p, const uint8_t *end, const uint64_t *all, uint32_t ticks,
    int64_t *ret_values, uint64_t *ret_present)
{
	memcpy(ret_present, all, RS_CHUNK_WORDS * sizeof(*all));
	if (p == end) {
		memset(ret_values, 0, ticks * sizeof(*ret_values));
		return 0;
	}
	const unsigned width = *p & (RS_CHUNK_HAS_BITMAP - 1);
	const bool has_bitmap = *p++ & RS_CHUNK_HAS_BITMAP;
	uint64_t u = 0;
	if (width > 64 || (has_bitmap && !get_bitmap(&p, end, all, ticks, ret_present)) ||
	    !get_varint(&p, end, &u))
		return -EBADMSG;
	const uint32_t count = count_bits(ret_present);
	const size_t bits = (size_t)count * width;
	if (count == 0 || (size_t)(end - p) != (bits + 7) / 8)
		return -EBADMSG;
	if (bits % 8 != 0 && end[-1] >> (bits % 8) != 0)
		return -EBADMSG; /* the padding is zero */

	const uint64_t min = (uint64_t)unzigzag(u);
	size_t at = 0;
	for (uint32_t t = 0; t < ticks; t++) {
		if (!rs_chunk_bit(ret_present, t))
			continue;
		ret_values[t] = (int64_t)(min + (width ? get_bits(p, end, at, width) : 0));
		at += width;
	}
	return 0;
}

/* Walks the table once: ids ascend and the lengths fill what follows exactly.
 * Leaves c at the first series. */
static int
check_table(struct rs_chunk *c, size_t *ret_axis_len)
{
	const uint8_t *p = c->table;
	uint64_t axis_len, id = 0, sum = 0;

	if (!get_varint(&p, c->end, &axis_len))
		return -EBADMSG;
	c->table = p;
	for (uint32_t i = 0; i < c->n_series; i++) {
		uint64_t step, len;

		if (!get_varint(&p, c->end, &step) || !get_varint(&p, c->end, &len))
			return -EBADMSG;
		if (step == 0 || step > UINT32_MAX - id || len > RS_CHUNK_BYTES_MAX)
			return -EBADMSG;
		id += step;
		sum += len;
	}
	if (axis_len > RS_CHUNK_BYTES_MAX || axis_len + sum != (uint64_t)(c->end - p))
		return -EBADMSG;
	c->stream = p;
	*ret_axis_len = (size_t)axis_len;
	return 0;
}

static int
open_axis(struct rs_chunk *c, size_t len)
{
	uint64_t all[RS_CHUNK_WORDS];
	struct rs_chunk_axis *const a = &c->axis;

	rs_chunk_all_ticks(a->ticks, all);
	const int r =
	    get_stream(c->stream, c->stream + len, all, a->ticks, a->length_us, a->present);
	if (r < 0)
		return r;
	for (uint32_t t = 0; t < a->ticks; t++) {
		if (rs_chunk_bit(a->present, t) &&
		    (a->length_us[t] < 0 || a->length_us[t] > UINT32_MAX))
			return -EBADMSG;
	}
	c->stream += len;
	return 0;
}

int
rs_chunk_open(struct rs_chunk *c, const void *data, size_t len)
{
	const uint8_t *const p = data;
	size_t axis_len = 0;

	memset(c, 0, sizeof(*c));
	if (len < RS_CHUNK_HEADER_BYTES + RS_CHUNK_SUM_BYTES || len > RS_CHUNK_BYTES_MAX)
		return -EBADMSG;
	c->end = p + len - RS_CHUNK_SUM_BYTES;
	if (rs_get_le(p, 2) != RS_CHUNK_FORMAT ||
	    rs_get_le(c->end, RS_CHUNK_SUM_BYTES) != rs_chunk_checksum(p, len - RS_CHUNK_SUM_BYTES))
		return -EBADMSG;
	c->axis.ticks = (uint32_t)rs_get_le(p + 2, 2);
	c->axis.interval_ms = (uint32_t)rs_get_le(p + 4, 4);
	c->n_series = (uint32_t)rs_get_le(p + 8, 2);
	c->table = p + RS_CHUNK_HEADER_BYTES;
	if (!rs_chunk_is_sane(c->axis.interval_ms, c->axis.ticks) || c->n_series == 0 ||
	    c->n_series > RS_CHUNK_SERIES_MAX)
		return -EBADMSG;
	const int r = check_table(c, &axis_len);
	return r < 0 ? r : open_axis(c, axis_len);
}

bool
rs_chunk_next(struct rs_chunk *c, struct rs_chunk_entry *ret)
{
	uint64_t step, len;

	if (c->n_taken == c->n_series || !get_varint(&c->table, c->end, &step) ||
	    !get_varint(&c->table, c->end, &len))
		return false;
	c->n_taken++;
	c->last_id += (uint32_t)step;
	*ret = (struct rs_chunk_entry){.id = c->last_id, .stream = c->stream, .len = (size_t)len};
	c->stream += len;
	return true;
}

int
rs_chunk_values(const struct rs_chunk *c, const struct rs_chunk_entry *e,
    int64_t ret_values[static RS_BLOCK_TICKS_MAX], uint64_t ret_present[static RS_CHUNK_WORDS])
{
	return get_stream(
	    e->stream, e->stream + e->len, c->axis.present, c->axis.ticks, ret_values, ret_present);
}

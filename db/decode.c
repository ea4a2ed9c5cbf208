/* SPDX-License-Identifier: ISC */
/*
 * Reads chunks and believes nothing of them. Pure, any thread.
 */
#include "codec.h"

#include <errno.h>
#include <string.h>

/* A stream that has the bytes for itself. */
static int
get_stream(const uint8_t *p, const uint8_t *end, const uint64_t *all, uint32_t ticks,
    int64_t *ret_values, uint64_t *ret_present)
{
	memset(ret_present, 0, RS_CHUNK_WORDS * sizeof(*ret_present));
	if (p == end) {
		memcpy(ret_present, all, RS_CHUNK_WORDS * sizeof(*all));
		memset(ret_values, 0, ticks * sizeof(*ret_values));
		return 0;
	}
	const int r = rs_stream_get(&p, end, all, ticks, ret_values, ret_present);
	return r < 0 || p == end ? r : -EBADMSG;
}

int
rs_chunk_open(struct rs_chunk *c, const void *data, size_t len)
{
	struct rs_packed *const packed = &c->packed;
	struct rs_chunk_axis *const a = &c->axis;
	uint64_t all[RS_CHUNK_WORDS] = {0};

	memset(a, 0, sizeof(*a));
	if (len > RS_CHUNK_BYTES_MAX)
		return -EBADMSG;
	int r = rs_packed_open(packed, RS_CHUNK_FORMAT, RS_CHUNK_SERIES_MAX, data, len);
	if (r < 0)
		return r;
	if (!rs_chunk_is_sane(packed->slot_ms, packed->slots))
		return -EBADMSG;
	a->interval_ms = packed->slot_ms;
	a->ticks = packed->slots;
	rs_stream_all(a->ticks, all);
	r = get_stream(packed->axis, packed->axis_end, all, a->ticks, a->length_us, a->present);
	for (uint32_t t = 0; r == 0 && t < a->ticks; t++) {
		if (rs_chunk_bit(a->present, t) &&
		    (a->length_us[t] < 0 || a->length_us[t] > UINT32_MAX))
			r = -EBADMSG;
	}
	return r;
}

bool
rs_chunk_next(struct rs_chunk *c, struct rs_chunk_entry *ret)
{
	const uint8_t *end;

	if (!rs_packed_next(&c->packed, &ret->id, &ret->stream, &end))
		return false;
	ret->len = (size_t)(end - ret->stream);
	return true;
}

int
rs_chunk_values(const struct rs_chunk *c, const struct rs_chunk_entry *e,
    int64_t ret_values[static RS_BLOCK_TICKS_MAX], uint64_t ret_present[static RS_CHUNK_WORDS])
{
	return get_stream(
	    e->stream, e->stream + e->len, c->axis.present, c->axis.ticks, ret_values, ret_present);
}

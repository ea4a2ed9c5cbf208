/* SPDX-License-Identifier: ISC */
/* Every length of the table is checked before it is used. */
#include "packed.h"

#include <errno.h>
#include <string.h>

#include "bytes.h"

enum { HEADER_BYTES = 10 };

uint32_t
rs_packed_checksum(const void *data, size_t len)
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

size_t
rs_packed_bytes(const struct rs_packed_plan *plan)
{
	size_t bytes = HEADER_BYTES + rs_varint_bytes(plan->axis_bytes) + plan->axis_bytes;
	uint32_t last = 0;

	for (size_t i = 0; i < plan->n; i++) {
		const struct rs_packed_series *const s = &plan->series[i];

		bytes += rs_varint_bytes(s->id - last) + rs_varint_bytes(s->bytes) + s->bytes;
		last = s->id;
	}
	return bytes + RS_PACKED_SUM_BYTES;
}

uint8_t *
rs_packed_begin(uint8_t *p, const struct rs_packed_plan *plan)
{
	uint32_t last = 0;

	p = rs_put_le(p, plan->format, 2);
	p = rs_put_le(p, plan->slots, 2);
	p = rs_put_le(p, plan->slot_ms, 4);
	p = rs_put_le(p, plan->n, 2);
	p = rs_put_varint(p, plan->axis_bytes);
	for (size_t i = 0; i < plan->n; i++) {
		p = rs_put_varint(p, plan->series[i].id - last);
		p = rs_put_varint(p, plan->series[i].bytes);
		last = plan->series[i].id;
	}
	return p;
}

uint8_t *
rs_packed_end(uint8_t *start, uint8_t *p)
{
	return rs_put_le(p, rs_packed_checksum(start, (size_t)(p - start)), RS_PACKED_SUM_BYTES);
}

/* Walks the table once: ids ascend and the lengths fill what follows exactly.
 * Leaves p at the first series. */
static int
check_table(struct rs_packed *p)
{
	const size_t left = (size_t)(p->end - p->table);
	uint64_t len, id = 0;

	if (!rs_get_varint(&p->table, p->end, &len) || len > left)
		return -EBADMSG;
	const size_t axis = (size_t)len;
	const uint8_t *at = p->table;
	size_t sum = axis;
	for (uint32_t i = 0; i < p->n; i++) {
		uint64_t step;

		if (!rs_get_varint(&at, p->end, &step) || !rs_get_varint(&at, p->end, &len))
			return -EBADMSG;
		if (step == 0 || step > UINT32_MAX - id || len > left - sum)
			return -EBADMSG;
		id += step;
		sum += (size_t)len;
	}
	if (sum != (size_t)(p->end - at))
		return -EBADMSG;
	p->axis = at;
	p->axis_end = at + axis;
	p->stream = p->axis_end;
	return 0;
}

int
rs_packed_open(
    struct rs_packed *p, unsigned format, uint32_t series_max, const void *data, size_t len)
{
	const uint8_t *const bytes = data;

	memset(p, 0, sizeof(*p));
	if (len < HEADER_BYTES + RS_PACKED_SUM_BYTES)
		return -EBADMSG;
	len -= RS_PACKED_SUM_BYTES;
	p->end = bytes + len;
	if (rs_get_le(bytes, 2) != format ||
	    rs_get_le(p->end, RS_PACKED_SUM_BYTES) != rs_packed_checksum(bytes, len))
		return -EBADMSG;
	p->slots = (uint32_t)rs_get_le(bytes + 2, 2);
	p->slot_ms = (uint32_t)rs_get_le(bytes + 4, 4);
	p->n = (uint32_t)rs_get_le(bytes + 8, 2);
	p->table = bytes + HEADER_BYTES;
	return p->n == 0 || p->n > series_max ? -EBADMSG : check_table(p);
}

bool
rs_packed_next(
    struct rs_packed *p, uint32_t *ret_id, const uint8_t **ret_stream, const uint8_t **ret_end)
{
	uint64_t step, len;

	if (p->n_taken == p->n || !rs_get_varint(&p->table, p->end, &step) ||
	    !rs_get_varint(&p->table, p->end, &len))
		return false;
	p->n_taken++;
	p->last_id += (uint32_t)step;
	*ret_id = p->last_id;
	*ret_stream = p->stream;
	p->stream += len;
	*ret_end = p->stream;
	return true;
}

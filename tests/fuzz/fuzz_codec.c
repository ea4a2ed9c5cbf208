/* SPDX-License-Identifier: ISC */
/*
 * Chunks of stored samples. The input is read as it is and then with a
 * checksum that fits, so that what lies behind that check is reached. What is
 * believed is written again and must read the same.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "codec.h"

struct decoded {
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
};

static void
check_again(const struct rs_chunk *c, const struct rs_chunk_entry *e, const struct decoded *d)
{
	const struct rs_chunk_series one = {
	    .id = e->id, .apart = 1, .values = d->values, .present = d->present};
	struct rs_chunk again;
	struct rs_chunk_entry entry;
	struct decoded twin;
	struct rs_buf b;

	rs_buf_init(&b, RS_CHUNK_BYTES_MAX);
	if (rs_chunk_encode(&c->axis, &one, 1, &b) < 0 ||
	    rs_chunk_open(&again, b.data, b.len) < 0 || !rs_chunk_next(&again, &entry) ||
	    entry.id != e->id || rs_chunk_values(&again, &entry, twin.values, twin.present) < 0 ||
	    memcmp(twin.present, d->present, sizeof(twin.present)) != 0)
		abort();
	for (uint32_t t = 0; t < c->axis.ticks; t++) {
		if (rs_chunk_bit(d->present, t) && twin.values[t] != d->values[t])
			abort();
	}
	rs_buf_fini(&b);
}

static void
read_chunk(const void *data, size_t len)
{
	struct rs_chunk c;
	struct rs_chunk_entry e;
	struct decoded d;

	if (rs_chunk_open(&c, data, len) < 0)
		return;
	while (rs_chunk_next(&c, &e)) {
		if (rs_chunk_values(&c, &e, d.values, d.present) == 0)
			check_again(&c, &e, &d);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_chunk(data, size);
	if (size < 4)
		return 0;
	uint8_t *const copy = malloc(size);
	if (copy == NULL)
		return 0;
	memcpy(copy, data, size);
	const uint32_t sum = rs_packed_checksum(copy, size - 4);
	for (unsigned i = 0; i < 4; i++)
		copy[size - 4 + i] = (uint8_t)(sum >> (8 * i));
	read_chunk(copy, size);
	free(copy);
	return 0;
}

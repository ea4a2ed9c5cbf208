/* SPDX-License-Identifier: ISC */
/*
 * What the writer and the reader of chunks share: bytes in a fixed order, and
 * the constants of the format. Pure.
 */
#ifndef RS_CHUNKBYTES_H
#define RS_CHUNKBYTES_H

#include <string.h>

#include "codec.h"

enum {
	RS_CHUNK_FORMAT = 1,
	RS_CHUNK_HEADER_BYTES = 10,
	RS_CHUNK_SUM_BYTES = 4,
	RS_CHUNK_VARINT_BYTES = 10,
	RS_CHUNK_HAS_BITMAP = 0x80 /* in a stream's first byte; the rest of it is the width */
};

static inline uint8_t *
rs_put_le(uint8_t *p, uint64_t v, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		*p++ = (uint8_t)(v >> (8 * i) & 0xff);
	return p;
}

static inline uint64_t
rs_get_le(const uint8_t *p, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)p[i] << (8 * i);
	return v;
}

/* Spelled out so that compilers see the one load that it is. */
static inline uint64_t
rs_get_le64(const uint8_t *p)
{
	return (uint64_t)p[0] | (uint64_t)p[1] << 8 | (uint64_t)p[2] << 16 | (uint64_t)p[3] << 24 |
	       (uint64_t)p[4] << 32 | (uint64_t)p[5] << 40 | (uint64_t)p[6] << 48 |
	       (uint64_t)p[7] << 56;
}

/* Bits 0..ticks - 1. */
static inline void
rs_chunk_all_ticks(uint32_t ticks, uint64_t ret[static RS_CHUNK_WORDS])
{
	memset(ret, 0, RS_CHUNK_WORDS * sizeof(*ret));
	for (uint32_t t = 0; t < ticks; t++)
		ret[t / 64] |= UINT64_C(1) << (t % 64);
}

static inline bool
rs_chunk_is_sane(uint32_t interval_ms, uint32_t ticks)
{
	const uint32_t minute_ms = (uint32_t)(RS_BLOCK_NS / RS_NS_PER_MS);

	return interval_ms >= 1 && interval_ms <= minute_ms && ticks >= 1 &&
	       ticks <= RS_BLOCK_TICKS_MAX && (ticks - 1) * interval_ms < minute_ms;
}

#endif

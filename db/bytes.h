/* SPDX-License-Identifier: ISC */
/*
 * Numbers as bytes in a fixed order: what streams and what is around them are
 * written with. Pure.
 */
#ifndef RS_BYTES_H
#define RS_BYTES_H

#include <stdbool.h>

#include "rs.h"

enum { RS_VARINT_BYTES = 10 }; /* at most */

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

static inline unsigned
rs_varint_bytes(uint64_t v)
{
	unsigned n = 1;

	while (v >>= 7)
		n++;
	return n;
}

static inline uint8_t *
rs_put_varint(uint8_t *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (uint8_t)(v | 0x80);
	*p++ = (uint8_t)v;
	return p;
}

static inline bool
rs_get_varint(const uint8_t **p, const uint8_t *end, uint64_t *ret)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < RS_VARINT_BYTES && *p + i < end; i++) {
		const uint8_t byte = (*p)[i];

		if (i == RS_VARINT_BYTES - 1 && byte > 1)
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

#endif

/* SPDX-License-Identifier: ISC */
/*
 * A checksum for what never leaves this machine: finds torn and foreign bytes, not
 * malice. Multiply and fold, a word a step. Any thread.
 */
#ifndef RS_HASH_H
#define RS_HASH_H

#include <string.h>

#include "rs.h"

#define RS_HASH_START UINT64_C(0x9e3779b97f4a7c15)

static inline uint64_t
rs_hash_word(uint64_t h, uint64_t word)
{
	h = (h ^ word) * UINT64_C(0x9fb21c651e98df25);
	return h ^ h >> 32;
}

static inline uint64_t
rs_hash_bytes(uint64_t h, const void *bytes, size_t len)
{
	const unsigned char *p = bytes;
	uint64_t word;

	h = rs_hash_word(h, len);
	for (; len >= sizeof(word); p += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, p, sizeof(word));
		h = rs_hash_word(h, word);
	}
	word = 0;
	if (len > 0)
		memcpy(&word, p, len);
	return rs_hash_word(h, word);
}

#endif

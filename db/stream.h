/* SPDX-License-Identifier: ISC */
/*
 * What chunks of samples and rows of tiers are made of: streams of integers in
 * packed bits (docs/block-format.md). Pure, any thread.
 */
#ifndef RS_STREAM_H
#define RS_STREAM_H

#include <stdbool.h>

#include "rs.h"

static inline bool
rs_stream_bit(const uint64_t *present, uint32_t slot)
{
	return present[slot / 64] >> (slot % 64) & 1;
}

/* Integers for some of the slots, to be written. */
struct rs_stream {
	const int64_t *values; /* slot t's is values[t * apart], read where present */
	size_t apart;
	const uint64_t *present; /* bit t % 64 of word t / 64 */
	const uint64_t *all;	 /* the slots it may have; present may have more */
	uint32_t slots;
	/* By rs_stream_measure: */
	uint32_t count; /* values to write */
	int64_t min;
	unsigned width; /* bits a value above min, 0..64 */
	bool is_full;	/* a value at every slot it may have */
};
void rs_stream_measure(struct rs_stream *s);
/* Bytes of a stream that was measured and has a value; 0: it is 0 wherever it
 * may be and needs none. */
size_t rs_stream_bytes(const struct rs_stream *s);
/* Writes these bytes and returns their end. */
uint8_t *rs_stream_put(uint8_t *p, const struct rs_stream *s);

/* Reads a stream of at least one byte from *p on and moves *p behind it. `all` and
 * ret_present have a bit a slot in whole words; ret_values stays as it was where
 * ret_present has none. -EBADMSG: nothing of the output is to be used. */
int rs_stream_get(const uint8_t **p, const uint8_t *end, const uint64_t *all, uint32_t slots,
    int64_t *ret_values, uint64_t *ret_present);

/* Sets bits 0..slots - 1 of whole words. */
void rs_stream_all(uint32_t slots, uint64_t *ret_present);

#endif

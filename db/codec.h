/* SPDX-License-Identifier: ISC */
/*
 * The bytes of stored samples: one chunk is one minute of at most 512 series,
 * bit-packed. Pure, no allocation but the output buffer, any thread. The
 * format is described in docs/block-format.md and is the same on every
 * machine.
 */
#ifndef RS_CODEC_H
#define RS_CODEC_H

#include "block.h"
#include "buf.h"
#include "packed.h"
#include "stream.h"

#define RS_CHUNK_SERIES_MAX 512u
/* Words of a presence bitmap. */
#define RS_CHUNK_WORDS ((RS_BLOCK_TICKS_MAX + 63u) / 64u)
#define RS_CHUNK_FORMAT 1u
/* No chunk is larger: every value of every series in 64 bits. */
#define RS_CHUNK_BYTES_MAX ((size_t)2 * 1024 * 1024)

/* What all series of a chunk share: which ticks of the minute happened and how
 * long each was. Tick t stands for `t * interval_ms` after the minute began. */
struct rs_chunk_axis {
	uint32_t interval_ms;
	uint32_t ticks;
	uint64_t present[RS_CHUNK_WORDS]; /* bit t % 64 of word t / 64 */
	int64_t length_us[RS_BLOCK_TICKS_MAX];
};

/* One series to encode. values: one per tick slot, read where present; those of
 * neighbouring slots lie `apart` elements from each other. */
struct rs_chunk_series {
	uint32_t id;
	uint32_t apart;
	const int64_t *values;
	const uint64_t *present; /* at least one bit that the axis has, too */
};

void rs_chunk_axis_of(const struct rs_block *b, struct rs_chunk_axis *ret);

/* Appends a chunk to out. Ids ascend and are not 0. -EINVAL, -ENOMEM (out is
 * then as long as before). */
int rs_chunk_encode(const struct rs_chunk_axis *a, const struct rs_chunk_series *series,
    size_t n_series, struct rs_buf *out);

/* A chunk being read; borrows the bytes. */
struct rs_chunk {
	struct rs_chunk_axis axis;
	struct rs_packed packed;
};

struct rs_chunk_entry {
	uint32_t id;
	const uint8_t *stream;
	size_t len;
};

/* Checks header, table and checksum. Anything wrong: -EBADMSG. */
int rs_chunk_open(struct rs_chunk *c, const void *data, size_t len);
/* The next series by ascending id; false at the end. */
bool rs_chunk_next(struct rs_chunk *c, struct rs_chunk_entry *ret);
/* Decodes a series; where no bit of ret_present is set the value is
 * unspecified. -EBADMSG: not a stream; nothing of the output is to be used. */
int rs_chunk_values(const struct rs_chunk *c, const struct rs_chunk_entry *e,
    int64_t ret_values[static RS_BLOCK_TICKS_MAX], uint64_t ret_present[static RS_CHUNK_WORDS]);

/* The first and the last tick with a value; false: none has one. */
bool rs_chunk_ends(
    const uint64_t *present, uint32_t ticks, uint32_t *ret_first, uint32_t *ret_last);

static inline bool
rs_chunk_bit(const uint64_t *present, uint32_t t)
{
	return rs_stream_bit(present, t);
}

/* The interval and the ticks of a minute that can be. */
static inline bool
rs_chunk_is_sane(uint32_t interval_ms, uint32_t ticks)
{
	const uint32_t minute_ms = (uint32_t)(RS_BLOCK_NS / RS_NS_PER_MS);

	return interval_ms >= 1 && interval_ms <= minute_ms && ticks >= 1 &&
	       ticks <= RS_BLOCK_TICKS_MAX && (ticks - 1) * interval_ms < minute_ms;
}

#endif

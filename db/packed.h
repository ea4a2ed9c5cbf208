/* SPDX-License-Identifier: ISC */
/*
 * What is around the streams of chunks and of tier rows: a header, a table of the
 * series and a checksum (docs/block-format.md). Pure, any thread.
 */
#ifndef RS_PACKED_H
#define RS_PACKED_H

#include <stdbool.h>

#include "rs.h"

struct rs_packed_series {
	uint32_t id;
	uint32_t bytes; /* of its streams */
};

/* What is to be written: the header, the table, then the bytes of the axis and
 * of each series in turn, by the caller, and the checksum. */
struct rs_packed_plan {
	uint16_t format;
	uint16_t slots;
	uint32_t slot_ms;
	uint32_t axis_bytes;
	uint16_t n;
	const struct rs_packed_series *series; /* ids ascend and are not 0 */
};
size_t rs_packed_bytes(const struct rs_packed_plan *plan); /* all of it */
uint8_t *rs_packed_begin(uint8_t *p, const struct rs_packed_plan *plan);
/* p: where the streams end. Returns the end of all. */
uint8_t *rs_packed_end(uint8_t *start, uint8_t *p);

/* Being read; borrows the bytes. */
struct rs_packed {
	uint32_t slots, slot_ms, n;
	uint32_t n_taken, last_id;	/* rs_packed_next */
	const uint8_t *axis, *axis_end; /* the bytes of the axis */
	const uint8_t *table, *stream, *end;
};
/* Checks the checksum, that the format is the one given, and that the table
 * fills the bytes exactly with 1..series_max ascending ids. -EBADMSG. */
int rs_packed_open(
    struct rs_packed *p, unsigned format, uint32_t series_max, const void *data, size_t len);
/* The next series by ascending id, without a look at its bytes; false at the end. */
bool rs_packed_next(
    struct rs_packed *p, uint32_t *ret_id, const uint8_t **ret_stream, const uint8_t **ret_end);

/* The checksum that stands behind len bytes. */
#define RS_PACKED_SUM_BYTES 4u
uint32_t rs_packed_checksum(const void *data, size_t len);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * History as the daemon sends it, piece by piece, into what an export prints.
 * Pure.
 */
#ifndef RS_LINES_H
#define RS_LINES_H

#include "buf.h"
#include "error.h"
#include "text.h"

struct rs_lines {
	bool is_last;	  /* no piece follows */
	bool has_header;  /* the line of names is printed */
	size_t n;	  /* rows, values or documents so far */
	char series[128]; /* labels of the values so far */
};

/* Of rows as CSV: all of them, below the line of names. -EBADMSG: not that. */
int rs_lines_csv(struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e);
/* Of rows as CSV: the known values, one a line. -EBADMSG also when they are of
 * more than one series. */
int rs_lines_ministat(
    struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e);
/* Of columns as JSON: the document in a line. One without times only when there
 * is no other. */
int rs_lines_json(struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e);

/* The first time in a piece of either form; false: there is none. */
bool rs_lines_first_ms(struct rs_text body, int64_t *ret);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Questions to the daemon over HTTP. One connection, used again. The only place
 * that talks to the network.
 */
#ifndef RS_FETCH_H
#define RS_FETCH_H

#include "buf.h"
#include "error.h"
#include "text.h"

struct rs_target;
struct rs_fetch;

/* No answer may be larger. */
#define RS_FETCH_BYTES_MAX ((size_t)64 << 20)

/* Reads the token, the first line of the file; NULL for none. */
int rs_fetch_open(const struct rs_target *target, const char *token_file, struct rs_error *e,
    struct rs_fetch **ret);
void rs_fetch_close(struct rs_fetch *f);
/* GET of what is below /api/v1/. The body is JSON by its content type and stays
 * valid until the next question. -EINVAL: the daemon did not understand the
 * question; other errors: no answer. The sentence says what was tried and why it
 * failed. */
int rs_fetch_get(
    struct rs_fetch *f, const char *path, struct rs_text *ret_body, struct rs_error *e);
/* The same for a piece of a long answer, of the type "application/json" or
 * "text/csv", however slowly it comes. -EFBIG: more than max_bytes, -E2BIG: more
 * than the daemon answers at once, -EAGAIN: it may answer later. */
int rs_fetch_piece(struct rs_fetch *f, const char *path, const char *type, size_t max_bytes,
    struct rs_text *ret_body, struct rs_error *e);
/* A header of the last answer, NULL when it has none of this name; valid until the
 * next question. */
const char *rs_fetch_header(const struct rs_fetch *f, const char *name);
/* Appends "?name=value" or "&name=value" to a path, encoded. */
void rs_fetch_parameter(struct rs_buf *path, const char *name, const char *value);

#endif

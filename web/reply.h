/* SPDX-License-Identifier: ISC */
/*
 * What a handler answers: status, headers and one of three bodies (bytes made
 * for this reply, constant bytes, a source read piece by piece). http.c sends
 * it and releases what it holds. Loop thread.
 */
#ifndef RS_REPLY_H
#define RS_REPLY_H

#include <stdbool.h>

#include "buf.h"

#define RS_TYPE_JSON "application/json"
#define RS_TYPE_PROBLEM "application/problem+json"
#define RS_TYPE_CSV "text/csv; charset=utf-8; header=present"
#define RS_TYPE_EVENTS "text/event-stream"

enum { RS_REPLY_HEADERS_MAX = 16 };
#define RS_REPLY_BODY_MAX ((size_t)64 << 20)

/* What rs_source.read returns beside a number of bytes. */
enum { RS_SOURCE_WAIT = 0, RS_SOURCE_END = -1, RS_SOURCE_FAILED = -2 };

/* A body made while it is sent, so that neither a long history nor an endless
 * stream is ever held as text. */
struct rs_source {
	/* Writes 1 to cap bytes to dst and returns how many. RS_SOURCE_WAIT only
	 * from a source with set_wake, which then calls wake once when it has more.
	 * RS_SOURCE_FAILED cuts the connection: the reader must not take what it
	 * has for the whole. */
	ptrdiff_t (*read)(void *arg, char *dst, size_t cap);
	void (*set_wake)(void *arg, void (*wake)(void *wake_arg), void *wake_arg);
	void (*free)(void *arg);
	void *arg;
};

struct rs_header {
	const char *name, *value; /* static, or valid until the reply is sent */
};

struct rs_reply {
	unsigned status;
	const char *type;   /* NULL: no body */
	struct rs_buf body; /* owned */
	const void *fixed;  /* constant bytes in place of body; NULL: none */
	size_t fixed_len;
	struct rs_source source; /* in place of body when read is set; owned */
	struct rs_header headers[RS_REPLY_HEADERS_MAX];
	size_t n_headers;
	char etag[24]; /* "" or quoted */
};

/* An empty 200. */
void rs_reply_init(struct rs_reply *r);
void rs_reply_fini(struct rs_reply *r);
/* Releases body and headers set so far; for an answer that turns into another. */
void rs_reply_reset(struct rs_reply *r);
/* Adds a header; name and value are kept as pointers. */
void rs_reply_header(struct rs_reply *r, const char *name, const char *value);
/* The problem document of RFC 9457 with a sentence; returns 0 for `return`. */
int rs_reply_problem(struct rs_reply *r, unsigned status, const char *format, ...) RS_PRINTF(3, 4);
/* "Not Found" of 404; "Error" for a status not used here. */
const char *rs_status_text(unsigned status);

#endif

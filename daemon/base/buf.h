/* SPDX-License-Identifier: ISC */
/*
 * Growing bytes with a hard limit. A failed growth is sticky: later puts do
 * nothing and `failed` stays true, so a writer checks once at the end.
 */
#ifndef RS_BUF_H
#define RS_BUF_H

#include <stdbool.h>

#include "rs.h"

struct rs_buf {
	char *data; /* len bytes; not NUL-terminated unless rs_buf_cstr was called */
	size_t len, cap, max_bytes;
	bool failed;
};

/* An empty buffer that may grow to max_bytes; allocates nothing yet. */
void rs_buf_init(struct rs_buf *b, size_t max_bytes);
void rs_buf_fini(struct rs_buf *b);
/* Forgets the content and the failure, keeps the memory. */
void rs_buf_reset(struct rs_buf *b);
void rs_buf_put(struct rs_buf *b, const void *bytes, size_t len);
void rs_buf_puts(struct rs_buf *b, const char *s);
void rs_buf_putc(struct rs_buf *b, char c);
void rs_buf_printf(struct rs_buf *b, const char *format, ...) RS_PRINTF(2, 3);
/* Makes room for len more bytes and returns where to write them, or NULL
 * (failed); the caller then adds what it wrote to len. */
char *rs_buf_reserve(struct rs_buf *b, size_t len);
/* The content as a C string (adds a NUL that is not counted); "" on failure. */
const char *rs_buf_cstr(struct rs_buf *b);

#endif

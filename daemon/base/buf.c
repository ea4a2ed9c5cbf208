/* SPDX-License-Identifier: ISC */
/*
 * A growing buffer that never passes its limit and whose failure is sticky.
 * Any thread, each with its own object.
 */
#include "buf.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_BYTES = 256 };

void
rs_buf_init(struct rs_buf *b, size_t max_bytes)
{
	/* No object is larger than half the address space. */
	*b = (struct rs_buf){.max_bytes = RS_MIN(max_bytes, SIZE_MAX / 2)};
}

void
rs_buf_fini(struct rs_buf *b)
{
	free(b->data);
	rs_buf_init(b, b->max_bytes);
}

void
rs_buf_reset(struct rs_buf *b)
{
	b->len = 0;
	b->failed = false;
}

/* Makes room for `more` bytes and a NUL behind them, which is not part of the
 * limit. */
static bool
grow(struct rs_buf *b, size_t more)
{
	if (b->failed)
		return false;
	if (b->len < b->cap && more < b->cap - b->len)
		return true;
	if (more > b->max_bytes - b->len) {
		b->failed = true;
		return false;
	}
	const size_t need = b->len + more + 1;
	size_t cap = b->cap > 0 ? b->cap : RS_MIN((size_t)FIRST_BYTES, b->max_bytes + 1);

	while (cap < need)
		cap = cap > b->max_bytes / 2 ? b->max_bytes + 1 : cap * 2;
	char *data = realloc(b->data, cap);
	if (data == NULL) {
		b->failed = true;
		return false;
	}
	b->data = data;
	b->cap = cap;
	return true;
}

void
rs_buf_put(struct rs_buf *b, const void *bytes, size_t len)
{
	if (len == 0 || !grow(b, len))
		return;
	memcpy(b->data + b->len, bytes, len);
	b->len += len;
}

void
rs_buf_puts(struct rs_buf *b, const char *s)
{
	rs_buf_put(b, s, strlen(s));
}

void
rs_buf_putc(struct rs_buf *b, char c)
{
	if (!grow(b, 1))
		return;
	b->data[b->len++] = c;
}

void
rs_buf_printf(struct rs_buf *b, const char *format, ...)
{
	va_list args;

	if (!grow(b, 1))
		return;
	va_start(args, format);
	const int len = vsnprintf(b->data + b->len, b->cap - b->len, format, args);
	va_end(args);
	if (len < 0) {
		b->failed = true;
		return;
	}
	if ((size_t)len >= b->cap - b->len) {
		if (!grow(b, (size_t)len))
			return;
		va_start(args, format);
		(void)vsnprintf(b->data + b->len, b->cap - b->len, format, args);
		va_end(args);
	}
	b->len += (size_t)len;
}

char *
rs_buf_reserve(struct rs_buf *b, size_t len)
{
	return grow(b, len) ? b->data + b->len : NULL;
}

const char *
rs_buf_cstr(struct rs_buf *b)
{
	if (!grow(b, 0))
		return "";
	b->data[b->len] = '\0';
	return b->data;
}

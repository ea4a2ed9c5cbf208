/* SPDX-License-Identifier: ISC */
/*
 * Scanners over bytes that are not NUL-terminated. rs_text_line and
 * rs_text_u64 are the hot path of every tick. Pure; any thread.
 */
#include "text.h"

#include <string.h>

static bool
is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static const char *
after_blanks(struct rs_text t)
{
	while (t.p < t.end && is_blank(*t.p))
		t.p++;
	return t.p;
}

/* The value of a digit, or at least 10. */
static unsigned
digit_of(char c)
{
	return (unsigned)(unsigned char)c - '0';
}

/* The value of a hexadecimal digit, or 16. */
static unsigned
hex_of(char c)
{
	if (digit_of(c) < 10)
		return digit_of(c);
	const unsigned letter = ((unsigned)(unsigned char)c | 0x20u) - 'a';

	return letter < 6 ? letter + 10 : 16;
}

struct rs_text
rs_text_of(const char *s)
{
	return (struct rs_text){s, s + strlen(s)};
}

size_t
rs_text_len(struct rs_text t)
{
	return (size_t)(t.end - t.p);
}

bool
rs_text_same(struct rs_text a, struct rs_text b)
{
	const size_t len = rs_text_len(a);

	return len == rs_text_len(b) && (len == 0 || memcmp(a.p, b.p, len) == 0);
}

bool
rs_text_eq(struct rs_text t, const char *s)
{
	return rs_text_same(t, rs_text_of(s));
}

bool
rs_text_starts(struct rs_text t, const char *prefix)
{
	return rs_text_skip(&t, prefix);
}

bool
rs_text_line(struct rs_text *t, struct rs_text *ret_line)
{
	if (t->p == t->end)
		return false;
	const char *start = t->p;
	const char *lf = memchr(start, '\n', rs_text_len(*t));
	const char *end = lf != NULL ? lf : t->end;

	t->p = lf != NULL ? lf + 1 : t->end;
	if (end > start && end[-1] == '\r')
		end--;
	*ret_line = (struct rs_text){start, end};
	return true;
}

bool
rs_text_word(struct rs_text *t, struct rs_text *ret_word)
{
	const char *start = after_blanks(*t);
	const char *p = start;

	while (p < t->end && !is_blank(*p))
		p++;
	if (p == start)
		return false;
	*ret_word = (struct rs_text){start, p};
	t->p = p;
	return true;
}

void
rs_text_blanks(struct rs_text *t)
{
	t->p = after_blanks(*t);
}

bool
rs_text_skip(struct rs_text *t, const char *s)
{
	const size_t len = strlen(s);

	if (len > rs_text_len(*t) || (len > 0 && memcmp(t->p, s, len) != 0))
		return false;
	t->p += len;
	return true;
}

bool
rs_text_u64(struct rs_text *t, uint64_t *ret)
{
	const char *const start = after_blanks(*t);
	const char *const end = t->end;
	/* 19 digits always fit: no check in the loop that nearly all take. */
	const char *const fits = end - start > 19 ? start + 19 : end;
	const char *p = start;
	uint64_t value = 0;
	unsigned digit;

	for (; p < fits && (digit = digit_of(*p)) < 10; p++)
		value = value * 10 + digit;
	if (p == start)
		return false;
	for (; p < end && (digit = digit_of(*p)) < 10; p++) {
		if (value > (UINT64_MAX - digit) / 10)
			return false;
		value = value * 10 + digit;
	}
	*ret = value;
	t->p = p;
	return true;
}

bool
rs_text_hex(struct rs_text *t, uint64_t *ret)
{
	const char *const start = after_blanks(*t);
	const char *p = start;
	uint64_t value = 0;
	unsigned digit;

	for (; p < t->end && (digit = hex_of(*p)) < 16; p++) {
		if (value >> 60 != 0)
			return false;
		value = value << 4 | digit;
	}
	if (p == start)
		return false;
	*ret = value;
	t->p = p;
	return true;
}

static bool
is_space(char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

struct rs_text
rs_text_trim(struct rs_text t)
{
	while (t.p < t.end && is_space(*t.p))
		t.p++;
	while (t.p < t.end && is_space(t.end[-1]))
		t.end--;
	return t;
}

bool
rs_text_until(struct rs_text *t, char c, struct rs_text *ret_before)
{
	const char *at = t->p < t->end ? memchr(t->p, c, rs_text_len(*t)) : NULL;

	if (at == NULL)
		return false;
	*ret_before = (struct rs_text){t->p, at};
	t->p = at + 1;
	return true;
}

bool
rs_text_copy(struct rs_text t, char *dst, size_t cap)
{
	const size_t len = rs_text_len(t);

	if (cap == 0)
		return false;
	const size_t n = RS_MIN(len, cap - 1);

	if (n > 0)
		memcpy(dst, t.p, n);
	dst[n] = '\0';
	return n == len;
}

void
rs_text_defuse(char *s)
{
	for (; *s != '\0'; s++) {
		const unsigned char c = (unsigned char)*s;

		if (c < 0x20 || c == 0x7f)
			*s = '?';
	}
}

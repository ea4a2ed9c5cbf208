/* SPDX-License-Identifier: ISC */
/*
 * A cursor over bytes that are not NUL-terminated. Scanners advance *t and
 * return true, or return false and leave *t and the output untouched. No
 * allocation, no locale.
 */
#ifndef RS_TEXT_H
#define RS_TEXT_H

#include <stdbool.h>

#include "rs.h"

struct rs_text {
	const char *p, *end;
};

struct rs_text rs_text_of(const char *s); /* of a C string */
size_t rs_text_len(struct rs_text t);
bool rs_text_eq(struct rs_text t, const char *s);
bool rs_text_same(struct rs_text a, struct rs_text b);
bool rs_text_starts(struct rs_text t, const char *prefix);

/* Next line without its LF or CRLF; false at the end of the text. A last line
 * without newline counts; an empty line is a line. */
bool rs_text_line(struct rs_text *t, struct rs_text *ret_line);
/* Skips blanks and tabs, then takes bytes up to the next blank or tab. */
bool rs_text_word(struct rs_text *t, struct rs_text *ret_word);
/* Skips blanks and tabs. */
void rs_text_blanks(struct rs_text *t);
/* Takes exactly this string. */
bool rs_text_skip(struct rs_text *t, const char *s);
/* Blanks, then decimal digits that fit into 64 bits. A longer number or no
 * digit is false. Stops at the first byte that is no digit. */
bool rs_text_u64(struct rs_text *t, uint64_t *ret);
/* The same in hexadecimal without prefix. */
bool rs_text_hex(struct rs_text *t, uint64_t *ret);
/* Without blanks, tabs and line ends on either side. */
struct rs_text rs_text_trim(struct rs_text t);
/* First occurrence of c: what is before it goes to ret_before, *t continues
 * behind it. */
bool rs_text_until(struct rs_text *t, char c, struct rs_text *ret_before);
/* Copies into dst with a NUL, cutting at cap - 1 bytes; returns false when cut. */
bool rs_text_copy(struct rs_text t, char *dst, size_t cap);
/* Replaces control characters of a C string by '?': for texts that quote what
 * was read and end on a terminal or in a log. */
void rs_text_defuse(char *s);

#endif

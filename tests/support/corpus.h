/* SPDX-License-Identifier: ISC */
/*
 * The corpus of real inputs: where it is, its files, and as much of JSON as its
 * expected.json needs. A value is kept as its text.
 */
#ifndef RS_TEST_CORPUS_H
#define RS_TEST_CORPUS_H

#include <check.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text.h"

#define CORPUS RS_SHARED_DIR "/corpus"

/* Strings are the only thing in which a bracket means nothing. */
static inline const char *
corpus_skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

static inline struct rs_text
corpus_take_value(struct rs_text *t)
{
	*t = rs_text_trim(*t);
	const char *p = t->p;
	unsigned depth = 0;
	while (p < t->end) {
		if (*p == '"') {
			p = corpus_skip_string(p, t->end);
			continue;
		}
		if (depth == 0 && strchr(",:]}", *p))
			break;
		depth += strchr("[{", *p) != NULL;
		depth -= strchr("]}", *p) != NULL;
		p++;
	}
	const struct rs_text value = rs_text_trim((struct rs_text){t->p, p});
	t->p = p;
	return value;
}

/* The next element of an array, with an empty key, or of an object. */
static inline bool
corpus_next_element(struct rs_text *t, struct rs_text *ret_key, struct rs_text *ret)
{
	*t = rs_text_trim(*t);
	if (t->p == t->end || *t->p == ']' || *t->p == '}')
		return false;
	t->p += strchr("[{,", *t->p) != NULL;
	*t = rs_text_trim(*t);
	if (t->p == t->end || *t->p == ']' || *t->p == '}')
		return false;
	*ret = corpus_take_value(t);
	*ret_key = (struct rs_text){ret->p, ret->p};
	*t = rs_text_trim(*t);
	if (t->p < t->end && *t->p == ':') {
		*ret_key = *ret;
		t->p++;
		*ret = corpus_take_value(t);
	}
	return true;
}

/* The text of a JSON string, escapes resolved as far as they occur. */
static inline void
corpus_unquote(struct rs_text t, char *dst, size_t cap)
{
	size_t n = 0;
	for (const char *p = t.p + 1; p < t.end - 1 && n + 1 < cap; p++) {
		p += *p == '\\';
		dst[n++] = *p;
	}
	dst[n] = '\0';
}

static inline bool
corpus_member(struct rs_text object, const char *key, struct rs_text *ret)
{
	struct rs_text name = {0}, value;
	char text[64];
	while (corpus_next_element(&object, &name, &value)) {
		corpus_unquote(name, text, sizeof(text));
		if (strcmp(text, key) == 0) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static inline struct rs_text
corpus_must(struct rs_text object, const char *key)
{
	struct rs_text value = {0};
	ck_assert_msg(corpus_member(object, key, &value), "no member '%s'", key);
	return value;
}

static inline double
corpus_number_of(struct rs_text object, const char *key)
{
	const struct rs_text t = corpus_must(object, key);
	char text[40];
	ck_assert(rs_text_copy(t, text, sizeof(text)));
	return strcmp(text, "null") == 0 ? (double)NAN : strtod(text, NULL);
}

/* A file of a case; free() what is returned. */
static inline char *
corpus_read_file(const char *dir, const char *name, struct rs_text *ret)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s/%s", CORPUS, dir, name);
	FILE *const f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	const long size = ftell(f);
	rewind(f);
	char *const text = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, f), (size_t)size);
	(void)fclose(f);
	*ret = (struct rs_text){text, text + size};
	return text;
}

#endif

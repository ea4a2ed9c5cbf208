/* SPDX-License-Identifier: ISC */
/*
 * Writes JSON as a stream into a buffer: no tree, no allocation of its own,
 * no newline. Commas and nesting are its business; a mistake in nesting (ours,
 * never the input's) makes the document "not whole" and is found by
 * rs_json_is_whole. Locale-free. Any thread, each with its own object.
 */
#ifndef RS_JSON_H
#define RS_JSON_H

#include <stdbool.h>

#include "text.h"

struct rs_buf;

enum { RS_JSON_DEPTH_MAX = 16, RS_JSON_NUMBER_MAX = 32 };

struct rs_json {
	struct rs_buf *out; /* may be changed between calls to cut a document in pieces */
	unsigned depth;
	char closer[RS_JSON_DEPTH_MAX]; /* of each open level: '}' or ']' */
	bool has_members[RS_JSON_DEPTH_MAX];
	bool has_key;  /* a key waits for its value */
	bool has_root; /* something was written on the outermost level */
	bool is_broken;
};

void rs_json_init(struct rs_json *j, struct rs_buf *out);
/* One complete value was written, nothing is open, and the buffer held it. */
bool rs_json_is_whole(const struct rs_json *j);

void rs_json_object(struct rs_json *j);
void rs_json_array(struct rs_json *j);
/* Closes the innermost object or array. */
void rs_json_end(struct rs_json *j);
void rs_json_key(struct rs_json *j, const char *key);

/* Invalid UTF-8 becomes U+FFFD, byte by byte. */
void rs_json_string(struct rs_json *j, const char *s);
void rs_json_text(struct rs_json *j, struct rs_text t);
void rs_json_int(struct rs_json *j, int64_t v);
void rs_json_uint(struct rs_json *j, uint64_t v);
/* NAN and infinities are null; see rs_json_format. */
void rs_json_double(struct rs_json *j, double v);
void rs_json_bool(struct rs_json *j, bool v);
void rs_json_null(struct rs_json *j);

/* Length of the UTF-8 sequence that begins at p < end; 0: none does. */
size_t rs_json_utf8_len(const char *p, const char *end);

/* Key and value in one step, for the flat objects of the API. An empty or NULL
 * string and a negative integer of the `known` kind are null. */
void rs_json_put_string(struct rs_json *j, const char *key, const char *s);
void rs_json_put_known_string(struct rs_json *j, const char *key, const char *s);
void rs_json_put_int(struct rs_json *j, const char *key, int64_t v);
void rs_json_put_known_int(struct rs_json *j, const char *key, int64_t v);
void rs_json_put_uint(struct rs_json *j, const char *key, uint64_t v);
void rs_json_put_double(struct rs_json *j, const char *key, double v);
void rs_json_put_bool(struct rs_json *j, const char *key, bool v);
void rs_json_put_null(struct rs_json *j, const char *key);

/* A number as JSON, six significant digits; whole numbers exact up to 2^53,
 * and no digit of a large number's integer part is lost. NAN and infinities:
 * "null". Returns the length; NUL-terminated. */
size_t rs_json_format(double v, char dst[static RS_JSON_NUMBER_MAX]);

#endif

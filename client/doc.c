/* SPDX-License-Identifier: ISC */
/*
 * Reading of documents.
 */
#include "doc.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>

/* An empty object takes three bytes of text and some hundred of memory. The map
 * of 1152 cores and 4000 queues has about 100 thousand values. */
enum { VALUES_MAX = 2 << 20 };

/* At least as many values as there are. */
static size_t
count_values(struct rs_text t)
{
	size_t n = 1;

	for (; t.p < t.end; t.p++)
		n += *t.p == ',' || *t.p == '[' || *t.p == '{';
	return n;
}

int
rs_doc_parse(struct rs_text body, struct json_t **ret, struct rs_error *e)
{
	json_error_t why;

	if (count_values(body) > VALUES_MAX)
		return rs_error_set(e, -EBADMSG, "more than %d values", VALUES_MAX);
	/* Nesting is limited by the library (JSON_PARSER_MAX_DEPTH). */
	json_t *const doc = json_loadb(body.p, rs_text_len(body), JSON_DECODE_ANY, &why);

	if (doc == NULL)
		return rs_error_set(e, -EBADMSG, "line %d: %s", why.line, why.text);
	*ret = doc;
	return 0;
}

double
rs_doc_number(const struct json_t *object, const char *key)
{
	const json_t *const v = json_object_get(object, key);

	return json_is_number(v) ? json_number_value(v) : (double)NAN;
}

int
rs_doc_flag(const struct json_t *object, const char *key)
{
	const json_t *const v = json_object_get(object, key);

	return json_is_boolean(v) ? json_is_true(v) : -1;
}

const char *
rs_doc_string(const struct json_t *object, const char *key)
{
	const json_t *const v = json_object_get(object, key);

	return json_string_length(v) > 0 ? json_string_value(v) : NULL;
}

const char *
rs_doc_word(const struct json_t *object, const char *key)
{
	const char *const s = rs_doc_string(object, key);

	return s != NULL ? s : "-";
}

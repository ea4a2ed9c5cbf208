/* SPDX-License-Identifier: ISC */
/*
 * Pieces of history.
 */
#include "lines.h"

#include <errno.h>
#include <string.h>

#include "num.h"
#include "page.h"

/* How far into a document its times begin at most: behind four short members. */
enum { HEAD_MAX = 512 };

static int
not_history(struct rs_error *e)
{
	return rs_error_set(e, -EBADMSG,
	    "the answer to /api/v1/series cannot be read: another program, or another version?");
}

/* Takes the line of names. A piece ends with the end of a line. */
static bool
take_header(struct rs_text *body, struct rs_text *ret)
{
	const bool is_whole = body->p < body->end && body->end[-1] == '\n';

	return is_whole && rs_text_line(body, ret) && rs_text_starts(*ret, "time_ms,");
}

/* A row begins with a time, which is a number; ret_labels is what stands between
 * that and the value. */
static bool
take_apart(struct rs_text row, struct rs_text *ret_labels, struct rs_text *ret_value)
{
	struct rs_text time;
	const char *last;

	if (!rs_text_until(&row, ',', &time) || rs_text_len(time) == 0 ||
	    strspn(time.p, "-0123456789") < rs_text_len(time))
		return false;
	for (last = row.end; last > row.p && last[-1] != ','; last--)
		;
	*ret_value = (struct rs_text){last, row.end};
	*ret_labels = (struct rs_text){row.p, last};
	return true;
}

int
rs_lines_csv(struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e)
{
	struct rs_text row, labels, value;

	if (!take_header(&body, &row))
		return not_history(e);
	if (!r->has_header)
		rs_page_put_line(out, row);
	r->has_header = true;
	for (; rs_text_line(&body, &row); r->n++) {
		if (!take_apart(row, &labels, &value))
			return not_history(e);
		rs_page_put_line(out, row);
	}
	return 0;
}

/* Only what can be in a number of JSON. */
static bool
is_number(struct rs_text t)
{
	for (; t.p < t.end; t.p++) {
		if (*t.p == '\0' || strchr("+-.0123456789Ee", *t.p) == NULL)
			return false;
	}
	return true;
}

static bool
is_same_series(struct rs_lines *r, struct rs_text labels)
{
	if (r->n == 0)
		return rs_text_copy(labels, r->series, sizeof(r->series));
	return rs_text_eq(labels, r->series);
}

int
rs_lines_ministat(struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e)
{
	struct rs_text row, labels, value;

	if (!take_header(&body, &row))
		return not_history(e);
	while (rs_text_line(&body, &row)) {
		if (!take_apart(row, &labels, &value) || !is_number(value))
			return not_history(e);
		if (rs_text_len(value) == 0)
			continue;
		if (!is_same_series(r, labels))
			return rs_error_set(e, -EBADMSG, "a second series came up meanwhile");
		rs_page_put_line(out, value);
		r->n++;
	}
	return 0;
}

/* What stands behind the word in the head of a document. */
static bool
find_behind(struct rs_text doc, const char *word, struct rs_text *ret)
{
	const char *const end = doc.p + RS_MIN(rs_text_len(doc), (size_t)HEAD_MAX);

	for (*ret = doc; ret->p < end; ret->p++) {
		if (rs_text_skip(ret, word))
			return true;
	}
	return false;
}

static bool
has_times(struct rs_text doc)
{
	struct rs_text rest;

	return !find_behind(doc, "\"time_ms\":[]", &rest);
}

bool
rs_lines_first_ms(struct rs_text body, int64_t *ret)
{
	struct rs_text rest, time;
	const bool is_json = rs_text_starts(body, "{");
	const bool is_found =
	    is_json ? find_behind(body, "\"time_ms\":[", &rest) : find_behind(body, "\n", &rest);

	if (!is_found)
		return false;
	time = (struct rs_text){rest.p, rest.p};
	while (time.end < rest.end && *time.end != ',' && *time.end != ']')
		time.end++;
	return rs_num_i64(time, ret) == 0;
}

int
rs_lines_json(struct rs_lines *r, struct rs_text body, struct rs_buf *out, struct rs_error *e)
{
	const struct rs_text doc = rs_text_trim(body);

	if (!rs_text_starts(doc, "{") || doc.end[-1] != '}')
		return not_history(e);
	if (!has_times(doc) && !(r->is_last && r->n == 0))
		return 0;
	rs_page_put_json(out, doc);
	r->n++;
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * ringside changes: what was set differently, newest first.
 */
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>

#include "args.h"
#include "cmd.h"
#include "doc.h"
#include "fetch.h"
#include "figure.h"
#include "table.h"
#include "words.h"

/* The newest first; what happened at once stays in its order. */
struct entry {
	const json_t *change;
	double at_ms; /* 0: not known */
	size_t place;
};

static int
compare(const void *a, const void *b)
{
	const struct entry *const x = a, *const y = b;

	if (x->at_ms != y->at_ms)
		return x->at_ms < y->at_ms ? 1 : -1;
	return x->place < y->place ? -1 : x->place > y->place;
}

/* NULL when there is none, or no memory. */
static struct entry *
sort(const json_t *changes)
{
	const size_t n = json_array_size(changes);
	struct entry *const entries = n > 0 ? calloc(n, sizeof(*entries)) : NULL;

	for (size_t i = 0; entries != NULL && i < n; i++) {
		const json_t *const change = json_array_get(changes, i);
		const double at_ms = rs_doc_number(change, "at_ms");

		entries[i] = (struct entry){change, at_ms > 0 ? at_ms : 0, i};
	}
	if (entries != NULL)
		qsort(entries, n, sizeof(*entries), compare);
	return entries;
}

/* An empty text is a value, too. */
static const char *
value_of(const json_t *change, const char *key)
{
	const char *const text = rs_doc_string(change, key);

	if (text != NULL)
		return text;
	return json_is_string(json_object_get(change, key)) ? "\"\"" : "-";
}

void
rs_show_changes(struct rs_page *p, const struct json_t *changes)
{
	static const struct rs_column columns[] = {
	    {"when", RS_LEFT, 19, false},
	    {"setting", RS_LEFT, 12, false},
	    {"of", RS_LEFT, 16, false},
	    {"old -> new", RS_LEFT, 0, false},
	};
	const size_t n = json_array_size(changes);
	struct entry *const entries = sort(changes);
	struct rs_buf scratch;
	struct rs_table t;
	char when[24];

	if (n == 0)
		rs_page_prose(p, 0, "no changes");
	p->out.failed |= n > 0 && entries == NULL;
	rs_buf_init(&scratch, p->out.max_bytes);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; entries != NULL && i < n; i++) {
		const json_t *const c = entries[i].change;

		rs_figure_time(entries[i].at_ms, when);
		rs_table_cell(&t, RS_PLAIN, "%s", when);
		rs_table_cell(&t, RS_PLAIN, "%s", rs_doc_word(c, "kind"));
		rs_table_cell(
		    &t, RS_PLAIN, "%s", rs_words_subject(&scratch, json_object_get(c, "subject")));
		rs_table_cell(&t, RS_PLAIN, "%s -> %s", value_of(c, "old"), value_of(c, "new"));
	}
	rs_table_print(&t, p, 0);
	rs_buf_fini(&scratch);
	free(entries);
}

int
rs_cmd_changes(struct rs_session *s, struct rs_error *e)
{
	const struct {
		const char *name, *value;
	} parameters[] = {
	    {"kind", s->args->kind},
	    {"device", s->args->device},
	    {"limit", s->args->limit},
	};
	struct rs_buf path;
	json_t *changes = NULL;

	rs_buf_init(&path, 2048);
	rs_buf_puts(&path, "changes");
	for (size_t i = 0; i < RS_ARRAY_LEN(parameters); i++) {
		if (parameters[i].value != NULL)
			rs_fetch_parameter(&path, parameters[i].name, parameters[i].value);
	}
	const int rc = path.failed
			   ? rs_error_set(e, -EINVAL, "the question is too long")
			   : rs_session_ask(s, rs_buf_cstr(&path), RS_DOC_ARRAY, &changes, e);

	rs_buf_fini(&path);
	if (rc < 0)
		return rc;
	if (!s->args->is_json)
		rs_show_changes(&s->page, changes);
	json_decref(changes);
	return RS_EXIT_OK;
}

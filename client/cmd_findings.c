/* SPDX-License-Identifier: ISC */
/*
 * ringside findings: each with its evidence and what to try.
 */
#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "args.h"
#include "cmd.h"
#include "doc.h"
#include "figure.h"
#include "table.h"
#include "words.h"

static void
show_head(struct rs_page *p, const json_t *f)
{
	const char *const severity = rs_doc_word(f, "severity");
	struct rs_buf scratch;

	rs_buf_init(&scratch, p->out.max_bytes);
	rs_page_style(p, rs_words_style(severity));
	rs_page_printf(p, "%-4s", severity);
	rs_page_style(p, RS_PLAIN);
	rs_page_printf(p, "  ");
	rs_page_style(p, RS_BOLD);
	rs_page_printf(p, "%s", rs_doc_word(f, "code"));
	rs_page_style(p, RS_PLAIN);
	rs_page_printf(p, "  ");
	rs_page_prose(p, 6, "%s", rs_words_subject(&scratch, json_object_get(f, "subject")));
	rs_buf_fini(&scratch);
}

static void
show_times(struct rs_page *p, const json_t *f)
{
	char raised[24], cleared[24], episodes[24];

	rs_figure_time(rs_doc_number(f, "raised_ms"), raised);
	rs_figure_time(rs_doc_number(f, "cleared_ms"), cleared);
	rs_figure_index(rs_doc_number(f, "episodes"), episodes);
	rs_page_indent(p, 2);
	/* A capture has no time of day. */
	if (raised[0] == '-')
		rs_page_printf(p, "%s", rs_doc_flag(f, "active") == 0 ? "over, " : "");
	else if (cleared[0] == '-')
		rs_page_printf(p, "since %s, ", raised);
	else
		rs_page_printf(p, "%s to %s, ", raised, cleared);
	if (rs_doc_number(f, "episodes") > 1)
		rs_page_printf(p, "%s episodes, ", episodes);
	rs_page_printf(p, "%s confidence", rs_doc_word(f, "confidence"));
	if (rs_doc_flag(f, "stale") == 1) {
		rs_page_end(p);
		rs_page_printf(p, "  the last known state: too few samples to judge now");
	}
	rs_page_end(p);
}

static void
show_evidence(struct rs_page *p, const json_t *evidence)
{
	static const struct rs_column columns[] = {
	    {"evidence", RS_LEFT, 30, false},
	    {"value", RS_LEFT, 0, false},
	};
	struct rs_table t;

	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; i < json_array_size(evidence); i++) {
		const json_t *const one = json_array_get(evidence, i);
		const double value = rs_doc_number(one, "value");
		const char *const unit = rs_doc_string(one, "unit");
		const char *const text = rs_doc_string(one, "text");
		char quantity[48];

		rs_figure_quantity(value, unit != NULL ? unit : "", quantity);
		rs_table_cell(&t, RS_PLAIN, "%s", rs_doc_word(one, "label"));
		if (text == NULL)
			rs_table_cell(&t, RS_PLAIN, "%s", quantity);
		else if (isnan(value))
			rs_table_cell(&t, RS_PLAIN, "%s", text);
		else
			rs_table_cell(&t, RS_PLAIN, "%s, %s", quantity, text);
	}
	rs_table_print(&t, p, 2);
}

static void
show_causes(struct rs_page *p, const json_t *causes)
{

	for (size_t i = 0; i < json_array_size(causes); i++) {
		const json_t *const one = json_array_get(causes, i);
		rs_page_printf(p, i == 0 ? "  perhaps: " : "           ");
		rs_page_prose(
		    p, p->column, "%s", json_is_string(one) ? json_string_value(one) : "-");
	}
}

/* The causes it is not, in one paragraph: "core.a (reason), core.b (reason)"; *told is
 * what was said last, for a core that limits and its cause have the same. */
static void
show_ruled_out(struct rs_page *p, const json_t *ruled_out, const json_t **told)
{
	struct rs_buf all;

	if (json_array_size(ruled_out) == 0)
		return;
	if (json_equal(ruled_out, *told)) {
		rs_page_printf(p, "  not:     as above");
		rs_page_end(p);
		return;
	}
	*told = ruled_out;
	rs_buf_init(&all, p->out.max_bytes);
	for (size_t i = 0; i < json_array_size(ruled_out); i++) {
		const json_t *const one = json_array_get(ruled_out, i);
		rs_buf_printf(&all, "%s%s (%s)", i > 0 ? ", " : "", rs_doc_word(one, "code"),
		    rs_doc_word(one, "reason"));
	}
	rs_page_printf(p, "  not:     ");
	rs_page_prose(p, p->column, "%s", rs_buf_cstr(&all));
	rs_buf_fini(&all);
}

/* A command stays on one line, however long: it is there to be copied. */
static void
show_advice(struct rs_page *p, const json_t *advice)
{

	for (size_t i = 0; i < json_array_size(advice); i++) {
		const json_t *const one = json_array_get(advice, i);
		const char *const expect = rs_doc_string(one, "expect");
		const char *const undo = rs_doc_string(one, "undo");

		rs_page_printf(p, "  try:     ");
		rs_page_style(p, RS_BOLD);
		rs_page_printf(p, "%s", rs_doc_word(one, "command"));
		rs_page_end(p);
		if (rs_doc_flag(one, "disruptive") == 1) {
			rs_page_printf(p, "           (interrupts traffic)");
			rs_page_end(p);
		}
		if (expect != NULL) {
			rs_page_printf(p, "  expect:  ");
			rs_page_prose(p, p->column, "%s", expect);
		}
		if (undo != NULL) {
			rs_page_printf(p, "  undo:    %s", undo);
			rs_page_end(p);
		}
	}
}

void
rs_show_findings(struct rs_page *p, const struct json_t *findings)
{
	const json_t *told = NULL;

	if (json_array_size(findings) == 0)
		rs_page_prose(p, 0, "no findings");
	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *const f = json_array_get(findings, i);
		if (i > 0)
			rs_page_end(p);
		show_head(p, f);
		show_times(p, f);
		rs_page_indent(p, 2);
		rs_page_prose(p, 2, "%s", rs_doc_word(f, "message"));
		show_evidence(p, json_object_get(f, "evidence"));
		show_causes(p, json_object_get(f, "causes"));
		show_ruled_out(p, json_object_get(f, "ruled_out"), &told);
		show_advice(p, json_object_get(f, "advice"));
	}
}

int
rs_cmd_findings(struct rs_session *s, struct rs_error *e)
{
	json_t *findings;
	const int rc =
	    rs_session_ask(s, s->args->is_all ? "findings?state=all" : "findings?state=active",
		RS_DOC_ARRAY, &findings, e);

	if (rc < 0)
		return rc;
	if (!s->args->is_json)
		rs_show_findings(&s->page, findings);
	json_decref(findings);
	return RS_EXIT_OK;
}

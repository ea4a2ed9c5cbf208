/* SPDX-License-Identifier: ISC */
/*
 * ringside status: the verdict and what stands behind it, on one screen.
 */
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "doc.h"
#include "error.h"
#include "figure.h"
#include "words.h"

/* Where the values stand. */
enum { VALUES = 12 };

static void
put_label(struct rs_page *p, const char *label)
{
	rs_page_printf(p, "%s", label);
	rs_page_indent(p, VALUES);
}

static void
show_hottest(struct rs_page *p, const json_t *summary)
{
	const double effective = rs_doc_number(summary, "effective_cores");
	char core[24], load[24], cores[24];

	rs_figure_index(rs_doc_number(summary, "hottest_core"), core);
	rs_figure_percent(rs_doc_number(summary, "hottest_core_load"), load);
	rs_figure_index(rs_doc_number(summary, "cores"), cores);
	put_label(p, "hottest");
	rs_page_printf(p, "core %s of %s, %s packet load", core, cores, load);
	if (fabs(effective) < 1e6)
		rs_page_printf(p, " (spread over %.1f cores)", effective);
	rs_page_end(p);
}

static void
show_throughput(struct rs_page *p, const json_t *summary)
{
	char rx[24], tx[24], packets[24], drops[24];

	rs_figure(rs_doc_number(summary, "rx_bps"), "bit/s", rx);
	rs_figure(rs_doc_number(summary, "tx_bps"), "bit/s", tx);
	rs_figure(rs_doc_number(summary, "rx_pps"), "pps", packets);
	rs_figure(rs_doc_number(summary, "drops_pps"), "pps", drops);
	put_label(p, "throughput");
	rs_page_prose(p, VALUES, "rx %s, %s; tx %s; dropped %s", rx, packets, tx, drops);
}

static void
show_findings(struct rs_page *p, const json_t *summary, const json_t *findings, const char *why)
{
	char active[24];

	rs_figure_index(rs_doc_number(summary, "findings_active"), active);
	put_label(p, "findings");
	if (findings == NULL && why != NULL)
		rs_page_prose(p, VALUES, "%s active, not listed: %s", active, why);
	else
		rs_page_prose(p, VALUES, "%s active", active);
	for (size_t i = 0; i < json_array_size(findings); i++) {
		const json_t *const f = json_array_get(findings, i);
		const char *const severity = rs_doc_word(f, "severity");

		rs_page_indent(p, 2);
		rs_page_style(p, rs_words_style(severity));
		rs_page_printf(p, "%-4s", severity);
		rs_page_style(p, RS_PLAIN);
		rs_page_printf(p, "  %s  ", rs_doc_word(f, "code"));
		rs_page_prose(p, p->column, "%s", rs_doc_word(f, "message"));
	}
}

/* What a reader might take for known. */
static void
show_unknown(struct rs_page *p, const json_t *summary)
{
	const char *const accounting = rs_doc_word(summary, "cpu_accounting");
	const struct {
		bool is_so;
		const char *text;
	} known[] = {
	    {!(rs_doc_number(summary, "sampled_at_ms") > 0), "no sample has been taken yet"},
	    {rs_doc_flag(summary, "clock_ok") == 0,
		"the time of day: the clock is not set, times are provisional"},
	    {strcmp(accounting, "tick") == 0,
		"time in hard interrupts: this kernel samples CPU time by its tick"},
	    {strcmp(accounting, "unknown") == 0, "how this kernel accounts CPU time"},
	};
	bool is_first = true;

	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (!known[i].is_so)
			continue;
		put_label(p, is_first ? "not known" : "");
		rs_page_prose(p, VALUES, "%s", known[i].text);
		is_first = false;
	}
}

void
rs_show_status(
    struct rs_page *p, const struct json_t *summary, const struct json_t *findings, const char *why)
{
	const char *const state = rs_doc_word(summary, "state");

	rs_page_style(p, RS_BOLD);
	rs_page_prose(p, 0, "%s", rs_doc_word(summary, "verdict"));
	put_label(p, "state");
	rs_page_style(p, rs_words_style(state));
	rs_page_printf(p, "%s", state);
	rs_page_end(p);
	show_hottest(p, summary);
	show_throughput(p, summary);
	show_findings(p, summary, findings, why);
	show_unknown(p, summary);
}

int
rs_status_exit(const struct json_t *summary)
{
	static const struct {
		const char *state;
		int status;
	} known[] = {
	    {"ok", RS_EXIT_OK},
	    {"info", RS_EXIT_OK},
	    {"warn", RS_EXIT_WARN},
	    {"crit", RS_EXIT_CRIT},
	};
	const char *const state = rs_doc_word(summary, "state");

	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (strcmp(state, known[i].state) == 0)
			return known[i].status;
	}
	return RS_EXIT_UNKNOWN;
}

int
rs_cmd_status(struct rs_session *s, struct rs_error *e)
{
	json_t *summary, *findings = NULL;
	struct rs_error why = {0};
	const int rc = rs_session_ask(s, "summary", RS_DOC_OBJECT, &summary, e);

	if (rc < 0)
		return rc;
	if (!s->args->is_json) {
		/* The verdict stands without the list. */
		if (rs_doc_number(summary, "findings_active") > 0)
			(void)rs_session_ask(
			    s, "findings?state=active", RS_DOC_ARRAY, &findings, &why);
		rs_show_status(&s->page, summary, findings, why.code != 0 ? why.text : NULL);
	}
	const int status = rs_status_exit(summary);

	json_decref(findings);
	json_decref(summary);
	return status;
}

/* SPDX-License-Identifier: ISC */
/*
 * ringside diagnose: a capture or a pasted output, judged without a daemon.
 */
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "diagnose/diagnosis.h"
#include "doc.h"
#include "figure.h"
#include "table.h"
#include "words.h"

/* Where the values stand. */
enum { VALUES = 12, CORES_TOLD = 32, DIGITS = 10 };

static void
put_label(struct rs_page *p, const char *label)
{
	rs_page_printf(p, "%s", label);
	rs_page_indent(p, VALUES);
}

static const char *
word_of_flag(int flag)
{
	return flag < 0 ? "cannot be told" : flag > 0 ? "yes" : "no";
}

static void
show_head(struct rs_page *p, const json_t *doc)
{
	static const struct {
		const char *basis, *text;
	} bases[] = {
	    {"rates", "rates"},
	    {"deltas", "differences; the time between the samples is not known"},
	    {"totals", "totals since boot: they do not tell when"},
	};
	const char *const basis = rs_doc_word(doc, "basis");
	const double interval = rs_doc_number(doc, "interval_s");
	char samples[24];

	rs_page_style(p, RS_BOLD);
	rs_page_prose(p, 0, "%s", rs_doc_word(doc, "verdict"));
	put_label(p, "flagged");
	rs_page_prose(p, VALUES, "%s", word_of_flag(rs_doc_flag(doc, "flag")));
	put_label(p, "imbalanced");
	rs_page_prose(p, VALUES, "%s", word_of_flag(rs_doc_flag(doc, "imbalanced")));
	rs_figure_index(rs_doc_number(doc, "samples"), samples);
	put_label(p, "samples");
	rs_page_printf(p, "%s", samples);
	if (interval > 0.0)
		rs_page_printf(p, ", %.6g s apart", interval);
	for (size_t i = 0; i < RS_ARRAY_LEN(bases); i++) {
		if (strcmp(bases[i].basis, basis) == 0)
			rs_page_printf(p, "; %s", bases[i].text);
	}
	rs_page_end(p);
}

/* A count as it is; "-" where it was not read. */
static void
put_count(struct rs_table *t, const json_t *object, const char *key)
{
	const double value = rs_doc_number(object, key);

	if (isnan(value))
		rs_table_cell(t, RS_PLAIN, "-");
	else
		rs_table_cell(t, RS_PLAIN, "%.0f", value);
}

static void
put_percent(struct rs_table *t, const json_t *object, const char *key)
{
	char text[24];

	rs_figure_percent(rs_doc_number(object, key), text);
	rs_table_cell(t, RS_PLAIN, "%s", text);
}

/* Of a large machine only those that had something to do. */
static bool
is_told(const json_t *core, size_t n)
{
	return n <= CORES_TOLD || rs_doc_number(core, "nic_interrupt_share") >= 0.01 ||
	       rs_doc_number(core, "packet_load") >= 0.05;
}

static void
show_cores(struct rs_page *p, const json_t *cores)
{
	static const struct rs_column columns[] = {
	    {"core", RS_RIGHT, 4, false},
	    {"packets", RS_RIGHT, 7, true},
	    {"busy", RS_RIGHT, 6, true},
	    {"NIC irqs", RS_RIGHT, 11, true},
	    {"share", RS_RIGHT, 6, true},
	    {"NET_RX", RS_RIGHT, 11, true},
	    {"processed", RS_RIGHT, 11, true},
	    {"dropped", RS_RIGHT, 8, true},
	    {"squeezed", RS_RIGHT, 8, true},
	};
	const size_t n = json_array_size(cores);
	struct rs_table t;
	size_t told = 0;

	if (n == 0)
		return;
	rs_page_end(p);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	for (size_t i = 0; i < n; i++) {
		const json_t *const c = json_array_get(cores, i);
		if (!is_told(c, n))
			continue;
		put_count(&t, c, "core");
		put_percent(&t, c, "packet_load");
		put_percent(&t, c, "busy");
		put_count(&t, c, "nic_interrupts");
		put_percent(&t, c, "nic_interrupt_share");
		put_count(&t, c, "net_rx");
		put_count(&t, c, "softnet_processed");
		put_count(&t, c, "softnet_dropped");
		put_count(&t, c, "softnet_squeezed");
		told++;
	}
	rs_table_print(&t, p, 0);
	if (told < n)
		rs_page_prose(p, 0, "%zu more cores with next to nothing", n - told);
}

static void
show_notes(struct rs_page *p, const json_t *notes)
{
	if (json_array_size(notes) == 0)
		return;
	rs_page_end(p);
	for (size_t i = 0; i < json_array_size(notes); i++) {
		put_label(p, i == 0 ? "noted" : "");
		rs_page_prose(p, VALUES, "%s", json_string_value(json_array_get(notes, i)));
	}
}

/* "t0/proc/stat": the part behind the sample. */
static const char *
plain_name(const char *file)
{
	const char *p = file;

	if (*p++ != 't' || *p < '0' || *p > '9')
		return file;
	while (*p >= '0' && *p <= '9')
		p++;
	return *p == '/' ? p + 1 : file;
}

/* What each sample has is listed once. */
static bool
is_listed(const json_t *read, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(plain_name(json_string_value(json_array_get(read, i))), name) == 0)
			return true;
	}
	return false;
}

static void
show_read(struct rs_page *p, const json_t *read)
{
	struct rs_buf list;

	rs_buf_init(&list, 1u << 20);
	for (size_t i = 0; i < json_array_size(read); i++) {
		const char *const name = plain_name(json_string_value(json_array_get(read, i)));
		if (!is_listed(read, i, name))
			rs_buf_printf(&list, "%s%s", list.len > 0 ? ", " : "", name);
	}
	rs_page_end(p);
	put_label(p, "read");
	rs_page_prose(p, VALUES, "%s", list.len > 0 ? rs_buf_cstr(&list) : "nothing");
	rs_buf_fini(&list);
}

static void
show_skipped(struct rs_page *p, const json_t *skipped)
{
	for (size_t i = 0; i < json_array_size(skipped); i++) {
		const json_t *const one = json_array_get(skipped, i);
		const double line = rs_doc_number(one, "line");
		put_label(p, i == 0 ? "skipped" : "");
		if (line > 0.0)
			rs_page_prose(p, VALUES, "%s line %.0f: %s", rs_doc_word(one, "file"), line,
			    rs_doc_word(one, "reason"));
		else
			rs_page_prose(p, VALUES, "%s: %s", rs_doc_word(one, "file"),
			    rs_doc_word(one, "reason"));
	}
}

void
rs_show_diagnosis(struct rs_page *p, const struct json_t *doc)
{
	show_head(p, doc);
	rs_page_end(p);
	rs_show_findings(p, json_object_get(doc, "findings"));
	show_cores(p, json_object_get(doc, "cores"));
	show_notes(p, json_object_get(doc, "notes"));
	show_read(p, json_object_get(doc, "read"));
	show_skipped(p, json_object_get(doc, "skipped"));
}

static int
print(struct rs_session *s, const struct rs_diagnosis *d, struct rs_error *e)
{
	json_t *const doc = rs_diagnosis_document(d);
	char *const text =
	    doc != NULL && s->args->is_json
		? json_dumps(doc, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(DIGITS))
		: NULL;
	const bool is_made = doc != NULL && (!s->args->is_json || text != NULL);

	if (is_made && s->args->is_json)
		rs_page_put_json(&s->page.out, rs_text_of(text));
	else if (is_made)
		rs_show_diagnosis(&s->page, doc);
	free(text);
	json_decref(doc);
	return is_made ? 0 : rs_error_set(e, -ENOMEM, "the answer cannot be made: out of memory");
}

int
rs_cmd_diagnose(struct rs_session *s, struct rs_error *e)
{
	struct rs_diagnosis *const d = malloc(sizeof(*d));

	if (d == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	int rc = rs_diagnose(s->args->path, d, e);
	if (rc == 0)
		rc = print(s, d, e);
	const int status = d->is_usable ? RS_EXIT_OK : RS_EXIT_FAILED;

	rs_diagnosis_free(d);
	free(d);
	return rc < 0 ? rc : status;
}

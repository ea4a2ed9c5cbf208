/* SPDX-License-Identifier: ISC */
/*
 * Writers of history answers. Loop thread.
 */
#include "history.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "pieces.h"

/* Values or rows a piece; about 4 to 40 kB of text. */
enum { PIECE = 512 };

enum phase { PHASE_HEAD, PHASE_TIMES, PHASE_SERIES, PHASE_VALUES, PHASE_ROWS, PHASE_DONE };

struct answer {
	struct rs_pieces pieces;    /* first: the pieces are their answer */
	struct rs_history *history; /* owned */
	struct rs_history_form form;
	enum phase phase;
	size_t series, at; /* what comes next within the phase */
};

const struct rs_metric *
rs_history_metric(struct rs_text name)
{
	for (size_t i = 0; i < RS_M_COUNT; i++) {
		if (rs_text_eq(name, rs_metrics[i].name))
			return &rs_metrics[i];
	}
	return NULL;
}

bool
rs_history_has_label(const struct rs_metric *m, const char *name)
{
	if (strcmp(name, "mode") == 0)
		return m->mode != NULL;
	if (strcmp(name, "direction") == 0)
		return m->direction != NULL;
	switch (m->on) {
	case RS_ON_CPU:
		return strcmp(name, "cpu") == 0;
	case RS_ON_NIC:
		return strcmp(name, "device") == 0;
	case RS_ON_IRQ:
		return strcmp(name, "irq") == 0 || strcmp(name, "device") == 0;
	case RS_ON_QUEUE:
		return strcmp(name, "device") == 0 || strcmp(name, "queue") == 0;
	case RS_ON_HOST:
		break;
	}
	return false;
}

size_t
rs_history_bytes(const struct rs_history *h)
{
	return sizeof(*h) + h->n_times * sizeof(*h->time_ms) +
	       h->n_series * (sizeof(*h->series) + h->n_times * sizeof(double));
}

/* The unit of the values: counters come as rates, their sum as what they count. */
static void
unit_of(const struct rs_history_form *form, char dst[static 32])
{
	const struct rs_metric *m = form->metric;
	const bool is_rate = m->kind == RS_COUNTER && form->aggregate != RS_SUM;

	(void)snprintf(dst, 32, "%s%s", rs_unit_name(m->unit), is_rate ? "/s" : "");
}

static bool
series_label(const struct rs_history_series *s, const char *name, char dst[static 24])
{
	return rs_label_value(&rs_metrics[s->metric], &s->labels, name, dst);
}

/* ---- JSON in columns ---- */

static void
json_head(struct answer *a)
{
	struct rs_json *j = &a->pieces.json;
	char unit[32];

	unit_of(&a->form, unit);
	rs_json_object(j);
	rs_json_put_string(j, "metric", a->form.metric->name);
	rs_json_put_string(j, "unit", unit);
	rs_json_put_known_string(j, "tier", a->history->tier);
	rs_json_put_known_int(
	    j, "resolution_ms", a->history->resolution_ms > 0 ? a->history->resolution_ms : -1);
	if (a->history->incomplete != 0)
		rs_json_put_string(j, "incomplete", rs_store_words(a->history->incomplete));
	rs_json_key(j, "time_ms");
	rs_json_array(j);
	a->phase = PHASE_TIMES;
}

static void
json_times(struct answer *a)
{
	const size_t end = RS_MIN(a->at + PIECE, a->history->n_times);

	for (; a->at < end; a->at++)
		rs_json_int(&a->pieces.json, a->history->time_ms[a->at]);
	if (a->at < a->history->n_times)
		return;
	rs_json_end(&a->pieces.json);
	rs_json_key(&a->pieces.json, "series");
	rs_json_array(&a->pieces.json);
	a->phase = PHASE_SERIES;
}

static void
json_series(struct answer *a)
{
	char value[24];

	if (a->series == a->history->n_series) {
		rs_json_end(&a->pieces.json);
		rs_json_end(&a->pieces.json);
		a->phase = PHASE_DONE;
		return;
	}
	rs_json_object(&a->pieces.json);
	rs_json_key(&a->pieces.json, "labels");
	rs_json_object(&a->pieces.json);
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (series_label(&a->history->series[a->series], rs_label_names[i], value))
			rs_json_put_string(&a->pieces.json, rs_label_names[i], value);
	}
	rs_json_end(&a->pieces.json);
	rs_json_key(&a->pieces.json, "values");
	rs_json_array(&a->pieces.json);
	a->at = 0;
	a->phase = PHASE_VALUES;
}

static void
json_values(struct answer *a)
{
	const size_t end = RS_MIN(a->at + PIECE, a->history->n_times);
	const double *values = a->history->series[a->series].values;

	for (; a->at < end; a->at++)
		rs_json_double(&a->pieces.json, values[a->at]);
	if (a->at < a->history->n_times)
		return;
	rs_json_end(&a->pieces.json);
	rs_json_end(&a->pieces.json);
	a->series++;
	a->phase = PHASE_SERIES;
}

/* ---- JSON in rows ---- */

static void
json_row(struct answer *a, const struct rs_history_series *s)
{
	struct rs_json *j = &a->pieces.json;
	char value[24];

	rs_json_object(j);
	rs_json_put_int(j, "time_ms", a->history->time_ms[a->at]);
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (series_label(s, rs_label_names[i], value))
			rs_json_put_string(j, rs_label_names[i], value);
	}
	rs_json_put_double(j, "value", s->values[a->at]);
	rs_json_end(j);
}

/* ---- CSV (RFC 4180) ---- */

static void
csv_text(struct rs_buf *out, const char *s)
{
	if (strpbrk(s, ",\"\r\n") == NULL) {
		rs_buf_puts(out, s);
		return;
	}
	rs_buf_putc(out, '"');
	for (; *s != '\0'; s++) {
		if (*s == '"')
			rs_buf_putc(out, '"');
		rs_buf_putc(out, *s);
	}
	rs_buf_putc(out, '"');
}

/* Not known is an empty field. */
static void
csv_value(struct rs_buf *out, double v)
{
	char text[RS_JSON_NUMBER_MAX];
	const size_t len = rs_json_format(v, text);

	rs_buf_putc(out, ',');
	if (text[0] != 'n')
		rs_buf_put(out, text, len);
}

/* "cpu=0" or "device=eth0 direction=rx": the head of a column. */
static void
csv_column_head(struct rs_buf *out, const struct rs_history_series *s)
{
	char name[256] = "", value[24];
	size_t len = 0;

	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (series_label(s, rs_label_names[i], value))
			len += (size_t)snprintf(name + len, sizeof(name) - len, "%s%s=%s",
			    len > 0 ? " " : "", rs_label_names[i], value);
	}
	rs_buf_putc(out, ',');
	csv_text(out, len > 0 ? name : "value");
}

static void
csv_head(struct answer *a)
{
	struct rs_buf *out = &a->pieces.text;

	rs_buf_puts(out, "time_ms");
	if (a->form.layout == RS_LAYOUT_COLUMNS) {
		for (size_t i = 0; i < a->history->n_series; i++)
			csv_column_head(out, &a->history->series[i]);
	} else {
		for (size_t i = 0; rs_label_names[i] != NULL; i++) {
			if (rs_history_has_label(a->form.metric, rs_label_names[i]))
				rs_buf_printf(out, ",%s", rs_label_names[i]);
		}
		rs_buf_puts(out, ",value");
	}
	rs_buf_puts(out, "\r\n");
	a->phase = PHASE_ROWS;
}

static void
csv_row(struct answer *a, const struct rs_history_series *s)
{
	char value[24];

	rs_buf_printf(&a->pieces.text, "%" PRId64, a->history->time_ms[a->at]);
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (!rs_history_has_label(a->form.metric, rs_label_names[i]))
			continue;
		rs_buf_putc(&a->pieces.text, ',');
		if (series_label(s, rs_label_names[i], value))
			csv_text(&a->pieces.text, value);
	}
	csv_value(&a->pieces.text, s->values[a->at]);
	rs_buf_puts(&a->pieces.text, "\r\n");
}

/* ---- pieces ---- */

/* One time of all series a line. */
static void
wide_rows(struct answer *a)
{
	const struct rs_history *h = a->history;
	size_t values = 0;

	for (; a->at < h->n_times && values < PIECE; a->at++) {
		rs_buf_printf(&a->pieces.text, "%" PRId64, a->history->time_ms[a->at]);
		for (size_t i = 0; i < h->n_series; i++)
			csv_value(&a->pieces.text, h->series[i].values[a->at]);
		rs_buf_puts(&a->pieces.text, "\r\n");
		values += h->n_series + 1;
	}
	if (a->at == h->n_times)
		a->phase = PHASE_DONE;
}

/* One value a line, in the order of time. */
static void
long_rows(struct answer *a)
{
	const struct rs_history *h = a->history;

	for (size_t n = 0; n < PIECE; n++) {
		if (a->series == h->n_series) {
			a->series = 0;
			a->at++;
		}
		if (a->at >= h->n_times || h->n_series == 0) {
			if (a->form.format == RS_FORMAT_JSON)
				rs_json_end(&a->pieces.json);
			a->phase = PHASE_DONE;
			return;
		}
		if (a->form.format == RS_FORMAT_JSON)
			json_row(a, &h->series[a->series]);
		else
			csv_row(a, &h->series[a->series]);
		a->series++;
	}
}

static void
write_head(struct answer *a)
{
	if (a->form.format == RS_FORMAT_CSV) {
		csv_head(a);
	} else if (a->form.layout == RS_LAYOUT_COLUMNS) {
		json_head(a);
	} else {
		rs_json_array(&a->pieces.json);
		a->phase = PHASE_ROWS;
	}
}

static void
write_piece(struct rs_pieces *p)
{
	struct answer *a = (struct answer *)p;

	switch (a->phase) {
	case PHASE_HEAD:
		write_head(a);
		break;
	case PHASE_TIMES:
		json_times(a);
		break;
	case PHASE_SERIES:
		json_series(a);
		break;
	case PHASE_VALUES:
		json_values(a);
		break;
	case PHASE_ROWS:
		if (a->form.format == RS_FORMAT_CSV && a->form.layout == RS_LAYOUT_COLUMNS)
			wide_rows(a);
		else
			long_rows(a);
		break;
	case PHASE_DONE:
		break;
	}
	p->is_done = a->phase == PHASE_DONE;
}

static void
free_answer(struct rs_pieces *p)
{
	struct answer *a = (struct answer *)p;

	rs_history_free(a->history);
	free(a);
}

int
rs_history_source(struct rs_history *take, const struct rs_history_form *form, size_t *held,
    struct rs_source *ret)
{
	struct answer *a = calloc(1, sizeof(*a));

	if (a == NULL) {
		rs_history_free(take);
		return -ENOMEM;
	}
	a->history = take;
	a->form = *form;
	rs_pieces_init(&a->pieces, write_piece, free_answer, held, rs_history_bytes(take));
	*ret = rs_pieces_source(&a->pieces);
	return 0;
}

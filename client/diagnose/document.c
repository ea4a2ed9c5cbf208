/* SPDX-License-Identifier: ISC */
/*
 * The answer as JSON. What is not known is null.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/document.h"

/* --- cores ---------------------------------------------------------------- */

static const struct rs_core_load *
load_of(const struct rs_diagnosis *d, unsigned cpu)
{
	for (size_t i = 0; i < d->judged.n_loads; i++) {
		if (d->judged.loads[i].cpu == cpu)
			return &d->judged.loads[i];
	}
	return NULL;
}

/* What screens tell of cores whose load is not known; the last one counts. */
static void
find_busy(const struct rs_diagnosis *d, double ret[static RS_CPU_MAX])
{
	for (size_t i = 0; i < RS_CPU_MAX; i++)
		ret[i] = NAN;
	for (size_t i = 0; i < d->screens.n; i++) {
		const struct rs_screen *const s = &d->screens.at[i];
		for (size_t k = 0; k < s->n_cores; k++) {
			if (!isnan(s->cores[k].busy))
				ret[s->cores[k].cpu] = s->cores[k].busy;
		}
	}
}

static json_t *
cores(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();
	double busy[RS_CPU_MAX], sum = 0.0;

	find_busy(d, busy);
	for (size_t i = 0; i < d->counted.n_cores; i++) {
		if (!isnan(d->counted.cores[i].nic_interrupts))
			sum += d->counted.cores[i].nic_interrupts;
	}
	for (size_t i = 0; i < d->counted.n_cores; i++) {
		const struct rs_total_core *const c = &d->counted.cores[i];
		const struct rs_core_load *const load = load_of(d, c->cpu);
		json_t *const one = json_object();
		rs_json_set(one, "core", json_integer(c->cpu));
		rs_json_set(one, "packet_load",
		    rs_json_ratio(load != NULL ? load->packet_load : (double)NAN));
		rs_json_set(one, "busy", rs_json_ratio(load != NULL ? load->busy : busy[c->cpu]));
		rs_json_set(one, "nic_interrupts", rs_json_number(c->nic_interrupts));
		rs_json_set(one, "nic_interrupt_share",
		    rs_json_ratio(sum > 0.0 ? c->nic_interrupts / sum : (double)NAN));
		rs_json_set(one, "net_rx", rs_json_number(c->net_rx));
		rs_json_set(one, "softnet_processed", rs_json_number(c->processed));
		rs_json_set(one, "softnet_dropped", rs_json_number(c->dropped));
		rs_json_set(one, "softnet_squeezed", rs_json_number(c->squeezed));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
interrupts(const struct rs_diagnosis *d)
{
	const struct rs_lines_table *const t = &d->last.lines;
	json_t *const one = json_object();
	const bool has_columns = t->columns > 0;

	rs_json_set(one, "cores_in_header", has_columns ? json_integer(t->columns) : json_null());
	rs_json_set(one, "first_core", has_columns ? json_integer(t->cpu[0]) : json_null());
	rs_json_set(
	    one, "last_core", has_columns ? json_integer(t->cpu[t->columns - 1]) : json_null());
	rs_json_set(one, "rows", t->all_rows > 0 ? json_integer(t->all_rows) : json_null());
	rs_json_set(
	    one, "numbered_rows", t->all_rows > 0 ? json_integer(t->numbered_rows) : json_null());
	return one;
}

/* --- devices -------------------------------------------------------------- */

/* The part of a shared line's actions that is the device's own. */
static void
own_action(const char *actions, const char *device, char *dst, size_t cap)
{
	struct rs_text rest = rs_text_of(actions != NULL ? actions : ""), part;
	bool is_last = false;

	(void)rs_text_copy(rs_text_trim(rest), dst, cap);
	while (!is_last) {
		char one[128];
		if (!rs_text_until(&rest, ',', &part)) {
			part = rest;
			is_last = true;
		}
		(void)rs_text_copy(rs_text_trim(part), one, sizeof(one));
		if (strstr(one, device) != NULL) {
			(void)rs_text_copy(rs_text_of(one), dst, cap);
			return;
		}
	}
}

static json_t *
line(const struct rs_counted *c, const struct rs_total_feed *f, const char *device)
{
	const struct rs_total_line *const l = &c->lines[f->line];
	struct rs_text irq = rs_text_of(l->irq);
	json_t *const one = json_object();
	char name[128];
	uint64_t n;
	double most = 0.0;
	size_t core = 0;

	for (size_t i = 0; l->counts != NULL && i < c->n_cores; i++) {
		if ((double)l->counts[i] > most) {
			most = (double)l->counts[i];
			core = i;
		}
	}
	const bool has_core = l->counts != NULL && most > 0.0;
	own_action(l->actions, device, name, sizeof(name));
	rs_json_set(one, "irq", rs_text_u64(&irq, &n) ? json_integer((json_int_t)n) : json_null());
	rs_json_set(one, "name", rs_json_words(name));
	rs_json_set(
	    one, "queue", f->queue >= 0 && f->is_queue ? json_integer(f->queue) : json_null());
	rs_json_set(one, "total", rs_json_number(l->total));
	rs_json_set(one, "busiest_core", has_core ? json_integer(c->cores[core].cpu) : json_null());
	rs_json_set(one, "busiest_share", rs_json_ratio(has_core ? most / l->total : (double)NAN));
	return one;
}

static json_t *
packets(const struct rs_counted *c, const struct rs_total_device *d)
{
	json_t *const all = json_array();
	double sum = 0.0;

	for (uint32_t i = 0; i < d->n_queues; i++)
		sum += c->queues[d->first_queue + i].packets;
	for (uint32_t i = 0; i < d->n_queues; i++) {
		const struct rs_total_queue *const q = &c->queues[d->first_queue + i];
		json_t *const one = json_object();
		rs_json_set(one, "queue", json_integer(q->queue));
		rs_json_set(one, "total", rs_json_number(q->packets));
		rs_json_set(
		    one, "share", rs_json_ratio(sum > 0.0 ? q->packets / sum : (double)NAN));
		(void)json_array_append_new(all, one);
	}
	return all;
}

/* A line with two feeds of the device, for rx and tx, is listed once. */
static json_t *
device(const struct rs_counted *c, uint32_t at)
{
	const struct rs_total_device *const d = &c->devices[at];
	json_t *const one = json_object(), *const lines = json_array(), *const loss = json_object();

	for (size_t i = 0; i < c->n_feeds; i++) {
		const struct rs_total_feed *const f = &c->feeds[i];
		bool is_listed = false;
		for (size_t k = i; k > 0 && c->feeds[k - 1].line == f->line; k--)
			is_listed |= c->feeds[k - 1].device == at;
		if (f->device == at && !is_listed)
			(void)json_array_append_new(lines, line(c, f, d->name));
	}
	for (uint32_t i = 0; i < d->n_losses; i++) {
		const struct rs_total_loss *const l = &c->losses[d->first_loss + i];
		json_t *const name = rs_json_words(l->name);
		rs_json_set(loss, json_string_value(name), rs_json_number(l->count));
		json_decref(name);
	}
	rs_json_set(one, "device", rs_json_words(d->name));
	rs_json_set(one, "driver", rs_json_text(d->driver));
	rs_json_set(one, "irqs", json_integer((json_int_t)json_array_size(lines)));
	rs_json_set(one, "queues", lines);
	rs_json_set(one, "rx_queue_packets", packets(c, d));
	rs_json_set(one, "loss", loss);
	return one;
}

static json_t *
devices(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < d->counted.n_devices; i++)
		(void)json_array_append_new(all, device(&d->counted, i));
	return all;
}

/* --- the rest ------------------------------------------------------------- */

static json_t *
skipped(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (size_t i = 0; i < d->problems.n; i++) {
		const struct rs_problem *const p = &d->problems.at[i];
		json_t *const one = json_object();
		rs_json_set(one, "file", rs_json_words(p->file));
		rs_json_set(one, "line", p->line > 0 ? json_integer(p->line) : json_null());
		rs_json_set(one, "reason", rs_json_words(p->reason));
		(void)json_array_append_new(all, one);
	}
	if (d->problems.n_more > 0) {
		json_t *const one = json_object();
		rs_json_set(one, "file", json_string("(others)"));
		rs_json_set(one, "line", json_null());
		rs_json_set(one, "reason", json_sprintf("%zu more", d->problems.n_more));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
read_files(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (size_t i = 0; i < d->first.n_read; i++)
		(void)json_array_append_new(all, rs_json_words(d->first.read[i]));
	for (size_t i = 0; i < d->last.n_read; i++)
		(void)json_array_append_new(all, rs_json_words(d->last.read[i]));
	return all;
}

static json_t *
notes(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (size_t i = 0; i < d->n_notes; i++)
		(void)json_array_append_new(all, rs_json_words(d->notes[i]));
	return all;
}

struct json_t *
rs_diagnosis_document(const struct rs_diagnosis *d)
{
	static const char *const bases[] = {
	    [RS_BASIS_RATES] = "rates", [RS_BASIS_DELTAS] = "deltas", [RS_BASIS_TOTALS] = "totals"};
	json_t *const doc = json_object();

	if (doc == NULL)
		return NULL;
	rs_json_set(doc, "verdict", rs_json_words(d->verdict));
	rs_json_set(doc, "flag", rs_json_truth(d->flag));
	rs_json_set(doc, "imbalanced", rs_json_truth(d->imbalanced));
	rs_json_set(doc, "samples", json_integer((json_int_t)d->capture.n_samples));
	rs_json_set(doc, "interval_s", rs_json_number(d->interval_s));
	rs_json_set(doc, "basis", json_string(bases[d->basis]));
	rs_json_set(doc, "cores", cores(d));
	rs_json_set(doc, "interrupts", interrupts(d));
	rs_json_set(doc, "devices", devices(d));
	rs_json_set(doc, "findings", rs_json_findings(d));
	rs_json_set(doc, "notes", notes(d));
	rs_json_set(doc, "read", read_files(d));
	rs_json_set(doc, "skipped", skipped(d));
	return doc;
}

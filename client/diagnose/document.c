/* SPDX-License-Identifier: ISC */
/*
 * The answer as JSON. What is not known is null.
 */
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "diagnose/diagnosis.h"

static json_t *
number(double value)
{
	if (isnan(value))
		return json_null();
	return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
							   : json_real(value);
}

/* Shares with as many digits as make sense. */
static json_t *
ratio(double value)
{
	return isnan(value) ? json_null() : json_real(round(value * 1e4) / 1e4);
}

static json_t *
truth(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

/* Of what is no UTF-8 only the plain letters. */
static json_t *
words(const char *s)
{
	char plain[sizeof(((struct rs_diagnosis *)0)->verdict)];
	json_t *const j = json_string(s);

	if (j != NULL)
		return j;
	(void)snprintf(plain, sizeof(plain), "%s", s);
	for (char *p = plain; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	return json_string(plain);
}

static json_t *
text_or_null(const char *s)
{
	return s != NULL && s[0] != '\0' ? words(s) : json_null();
}

static void
set(json_t *object, const char *key, json_t *take_value)
{
	(void)json_object_set_new(object, key, take_value);
}

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
		set(one, "core", json_integer(c->cpu));
		set(one, "packet_load", ratio(load != NULL ? load->packet_load : (double)NAN));
		set(one, "busy", ratio(load != NULL ? load->busy : busy[c->cpu]));
		set(one, "nic_interrupts", number(c->nic_interrupts));
		set(one, "nic_interrupt_share",
		    ratio(sum > 0.0 ? c->nic_interrupts / sum : (double)NAN));
		set(one, "net_rx", number(c->net_rx));
		set(one, "softnet_processed", number(c->processed));
		set(one, "softnet_dropped", number(c->dropped));
		set(one, "softnet_squeezed", number(c->squeezed));
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

	set(one, "cores_in_header", has_columns ? json_integer(t->columns) : json_null());
	set(one, "first_core", has_columns ? json_integer(t->cpu[0]) : json_null());
	set(one, "last_core", has_columns ? json_integer(t->cpu[t->columns - 1]) : json_null());
	set(one, "rows", t->all_rows > 0 ? json_integer(t->all_rows) : json_null());
	set(one, "numbered_rows", t->all_rows > 0 ? json_integer(t->numbered_rows) : json_null());
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
	set(one, "irq", rs_text_u64(&irq, &n) ? json_integer((json_int_t)n) : json_null());
	set(one, "name", words(name));
	set(one, "queue", f->queue >= 0 && f->is_queue ? json_integer(f->queue) : json_null());
	set(one, "total", number(l->total));
	set(one, "busiest_core", has_core ? json_integer(c->cores[core].cpu) : json_null());
	set(one, "busiest_share", ratio(has_core ? most / l->total : (double)NAN));
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
		set(one, "queue", json_integer(q->queue));
		set(one, "total", number(q->packets));
		set(one, "share", ratio(sum > 0.0 ? q->packets / sum : (double)NAN));
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
		json_t *const name = words(l->name);
		set(loss, json_string_value(name), number(l->count));
		json_decref(name);
	}
	set(one, "device", words(d->name));
	set(one, "driver", text_or_null(d->driver));
	set(one, "irqs", json_integer((json_int_t)json_array_size(lines)));
	set(one, "queues", lines);
	set(one, "rx_queue_packets", packets(c, d));
	set(one, "loss", loss);
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

/* --- findings ------------------------------------------------------------- */

static json_t *
subject(const struct rs_subject *s)
{
	json_t *const one = json_object();

	set(one, "kind", json_string(rs_subject_kind_name(s->kind)));
	if (s->core >= 0)
		set(one, "core", json_integer(s->core));
	if (s->device[0] != '\0')
		set(one, "device", words(s->device));
	if (s->queue >= 0)
		set(one, "queue", json_integer(s->queue));
	if (s->direction[0] != '\0')
		set(one, "direction", words(s->direction));
	if (s->irq[0] != '\0')
		set(one, "irq", words(s->irq));
	return one;
}

static json_t *
evidence(const struct rs_finding *f)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < f->n_evidence; i++) {
		const struct rs_evidence *const e = &f->evidence[i];
		json_t *const one = json_object();
		set(one, "label", words(e->label));
		set(one, "value", number(e->value));
		set(one, "unit", text_or_null(rs_unit_name(e->unit)));
		if (e->text[0] != '\0')
			set(one, "text", words(e->text));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
advice(const struct rs_finding *f)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < f->n_advice; i++) {
		const struct rs_advice *const a = &f->advice[i];
		json_t *const one = json_object();
		set(one, "command", words(a->command));
		set(one, "expect", words(a->expect));
		set(one, "undo", words(a->undo));
		set(one, "persistent", json_boolean(a->is_persistent));
		set(one, "disruptive", json_boolean(a->is_disruptive));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
finding(const struct rs_finding *f, json_int_t id, bool has_ended)
{
	json_t *const one = json_object(), *const causes = json_array();

	for (uint32_t i = 0; i < f->n_causes; i++)
		(void)json_array_append_new(causes, words(f->causes[i]));
	set(one, "id", json_integer(id));
	set(one, "code", words(f->code));
	set(one, "title", words(f->title));
	set(one, "severity", json_string(rs_severity_name(f->severity)));
	set(one, "confidence", json_string(rs_confidence_name(f->confidence)));
	set(one, "subject", subject(&f->subject));
	/* A capture has no time of day. */
	set(one, "raised_ms", json_null());
	set(one, "cleared_ms", json_null());
	set(one, "active", json_boolean(!has_ended));
	set(one, "episodes", json_integer(f->episodes));
	set(one, "message", words(f->message));
	set(one, "evidence", evidence(f));
	set(one, "causes", causes);
	set(one, "advice", advice(f));
	return one;
}

static json_t *
findings(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();
	json_int_t id = 0;

	for (size_t i = 0; i < d->n_findings; i++)
		(void)json_array_append_new(all, finding(&d->findings[i], ++id, false));
	for (size_t i = 0; i < d->judged.n_ended; i++)
		(void)json_array_append_new(all, finding(&d->judged.ended[i], ++id, true));
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
		set(one, "file", words(p->file));
		set(one, "line", p->line > 0 ? json_integer(p->line) : json_null());
		set(one, "reason", words(p->reason));
		(void)json_array_append_new(all, one);
	}
	if (d->problems.n_more > 0) {
		json_t *const one = json_object();
		set(one, "file", json_string("(others)"));
		set(one, "line", json_null());
		set(one, "reason", json_sprintf("%zu more", d->problems.n_more));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
read_files(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (size_t i = 0; i < d->first.n_read; i++)
		(void)json_array_append_new(all, words(d->first.read[i]));
	for (size_t i = 0; i < d->last.n_read; i++)
		(void)json_array_append_new(all, words(d->last.read[i]));
	return all;
}

static json_t *
notes(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();

	for (size_t i = 0; i < d->n_notes; i++)
		(void)json_array_append_new(all, words(d->notes[i]));
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
	set(doc, "verdict", words(d->verdict));
	set(doc, "flag", truth(d->flag));
	set(doc, "imbalanced", truth(d->imbalanced));
	set(doc, "samples", json_integer((json_int_t)d->capture.n_samples));
	set(doc, "interval_s", number(d->interval_s));
	set(doc, "basis", json_string(bases[d->basis]));
	set(doc, "cores", cores(d));
	set(doc, "interrupts", interrupts(d));
	set(doc, "devices", devices(d));
	set(doc, "findings", findings(d));
	set(doc, "notes", notes(d));
	set(doc, "read", read_files(d));
	set(doc, "skipped", skipped(d));
	return doc;
}

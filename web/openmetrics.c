/* SPDX-License-Identifier: ISC */
/*
 * /metrics: every series of the model as last read, findings, and the instrument
 * itself; settings and queues are in metrics_machine.c. Labels are those of the
 * series everywhere. The number of families does not depend on the machine, that
 * of samples is kept down: of interrupt lines only those of network interfaces,
 * of the softirqs that are not the network's only those that ever ran. Loop
 * thread.
 */
#include <errno.h>
#include <math.h>
#include <string.h>

#include "api.h"
#include "exposition.h"
#include "openmetrics.h"
#include "server.h"

enum { NANO = 1000000000 };

/* --- series ------------------------------------------------------------ */

struct series {
	struct rs_exposition *x;
	enum rs_metric_id metric;
};

static bool
is_other_softirq(enum rs_metric_id metric)
{
	return metric >= RS_M_SOFTIRQ_HI && metric <= RS_M_SOFTIRQ_RCU &&
	       metric != RS_M_SOFTIRQ_NET_RX && metric != RS_M_SOFTIRQ_NET_TX;
}

static void
put_series(void *arg, const struct rs_labels *l, double value)
{
	const struct series *const s = arg;
	const struct rs_metric *const m = &rs_metrics[s->metric];

	if (value <= 0 && is_other_softirq(s->metric))
		return;
	rs_exposition_sample(s->x);
	rs_openmetrics_labels(s->x, l, m->direction);
	if (m->mode != NULL)
		rs_exposition_label(s->x, "mode", m->mode);
	rs_exposition_value(s->x, value, m->scale);
}

static bool
is_first_of_name(size_t metric)
{
	for (size_t i = 0; i < metric; i++) {
		if (strcmp(rs_metrics[i].name, rs_metrics[metric].name) == 0)
			return false;
	}
	return true;
}

/* One help for all metrics of a name: "user: ...; nice: ..." where they differ. */
static void
join_help(size_t first, struct rs_buf *out)
{
	const char *const help = rs_metrics[first].help;
	bool is_one = true;

	rs_buf_reset(out);
	for (size_t i = first; i < RS_M_COUNT; i++) {
		const struct rs_metric *const m = &rs_metrics[i];

		if (strcmp(m->name, rs_metrics[first].name) != 0)
			continue;
		is_one = is_one && strcmp(m->help, help) == 0;
		rs_buf_printf(out, "%s%s: %s", out->len > 0 ? "; " : "",
		    m->mode != NULL ? m->mode : m->direction, m->help);
	}
	if (is_one) {
		rs_buf_reset(out);
		rs_buf_puts(out, help);
	}
}

static void
put_all_series(struct rs_exposition *x, const struct rs_model *model)
{
	struct rs_buf help;

	rs_buf_init(&help, 4096);
	for (size_t i = 0; i < RS_M_COUNT; i++) {
		if (!is_first_of_name(i))
			continue;
		join_help(i, &help);
		const struct rs_family f = {rs_metrics[i].name,
		    rs_metrics[i].kind == RS_COUNTER ? RS_FAMILY_COUNTER : RS_FAMILY_GAUGE,
		    rs_unit_name(rs_metrics[i].unit), rs_buf_cstr(&help)};
		rs_exposition_family(x, &f);
		for (size_t k = i; k < RS_M_COUNT; k++) {
			struct series s = {x, (enum rs_metric_id)k};

			if (strcmp(rs_metrics[k].name, f.name) == 0)
				rs_model_each_sample(model, s.metric, put_series, &s);
		}
	}
	rs_buf_fini(&help);
}

/* --- findings ---------------------------------------------------------- */

/* Of every rule that could be judged, so that "none" is a value. */
static void
put_findings(struct rs_exposition *x, const struct rs_engine *engine)
{
	static const struct rs_family family = {"finding_active", RS_FAMILY_GAUGE, NULL,
	    "Findings that stand, by rule and severity; a rule that lacks its input is left out"};
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n =
	    RS_MIN(rs_engine_active(engine, active, RS_FINDINGS_MAX), (size_t)RS_FINDINGS_MAX);

	rs_exposition_family(x, &family);
	for (size_t i = 0; rs_rules[i] != NULL; i++) {
		const bool is_judged = rs_engine_not_evaluated(engine, i) == NULL;
		unsigned standing[RS_CRIT + 1] = {0};

		for (size_t k = 0; k < n; k++) {
			if (strcmp(active[k]->code, rs_rules[i]->code) == 0)
				standing[active[k]->severity]++;
		}
		for (unsigned s = 0; s <= RS_CRIT; s++) {
			if (!is_judged && standing[s] == 0)
				continue;
			rs_exposition_sample(x);
			rs_exposition_label(x, "code", rs_rules[i]->code);
			rs_exposition_label(x, "severity", rs_severity_name((enum rs_severity)s));
			rs_exposition_value(x, standing[s], 1);
		}
	}
}

/* --- the instrument ---------------------------------------------------- */

static void
put_store_state(struct rs_exposition *x, const char *state)
{
	static const struct rs_family family = {"store_state", RS_FAMILY_GAUGE, NULL,
	    "1 for the state that history is in; memory: there is no file"};
	static const char *const states[] = {"ok", "memory", "failing", "closed", "stuck"};

	rs_exposition_family(x, &family);
	for (size_t i = 0; i < RS_ARRAY_LEN(states); i++) {
		rs_exposition_sample(x);
		rs_exposition_label(x, "state", states[i]);
		rs_exposition_value(x, strcmp(state, states[i]) == 0, 1);
	}
}

static void
put_sources(struct rs_exposition *x, const struct rs_health *h)
{
	static const struct rs_family family = {"source_up", RS_FAMILY_GAUGE, NULL,
	    "1 for a source of readings that works, 0 for one that is missing, forbidden or "
	    "failing"};

	rs_exposition_family(x, &family);
	for (size_t i = 0; i < h->n_sources; i++) {
		rs_exposition_sample(x);
		rs_exposition_label(x, "source", h->sources[i].id);
		rs_exposition_value(x, strcmp(h->sources[i].state, "ok") == 0, 1);
	}
}

static double
seconds(rs_ns ns)
{
	return (double)ns / NANO;
}

/* A count of bytes that is not known is negative. */
static double
known(int64_t bytes)
{
	return bytes < 0 ? (double)NAN : (double)bytes;
}

static void
put_instrument(struct rs_exposition *x, const struct rs_live *live)
{
	struct rs_health h = {0};
	struct rs_store_stats store;
	struct rs_model_stats model;

	live->get_health(live->arg, &h);
	rs_store_get_stats(live->store, &store);
	rs_model_get_stats(live->model, &model);
	const struct {
		struct rs_family family;
		double value;
		uint32_t scale;
	} figures[] = {
	    {{"ticks", RS_FAMILY_COUNTER, NULL, "Samples taken"}, (double)h.ticks, 1},
	    {{"ticks_late", RS_FAMILY_COUNTER, NULL, "Samples late by over half an interval"},
		(double)h.ticks_late, 1},
	    {{"ticks_missed", RS_FAMILY_COUNTER, NULL,
		 "Samples not taken because the program was busy"},
		(double)h.ticks_missed, 1},
	    {{"tick_cpu_seconds", RS_FAMILY_COUNTER, "seconds", "CPU time spent on samples"},
		seconds(h.tick_cpu_total_ns), NANO},
	    {{"process_cpu_seconds", RS_FAMILY_COUNTER, "seconds", "CPU time of the whole program"},
		seconds(h.process_cpu_ns), NANO},
	    {{"process_resident_bytes", RS_FAMILY_GAUGE, "bytes", "Resident memory"},
		known(h.rss_bytes), 1},
	    {{"process_proportional_bytes", RS_FAMILY_GAUGE, "bytes",
		 "Resident memory, pages of several programs divided among them"},
		known(h.pss_bytes), 1},
	    {{"loop_delay_max_seconds", RS_FAMILY_GAUGE, "seconds",
		 "Longest time that one event kept the others waiting"},
		seconds(h.loop.longest_ns), NANO},
	    {{"store_written_bytes", RS_FAMILY_COUNTER, "bytes", "Written to database and log"},
		(double)store.bytes_written, 1},
	    {{"store_size_bytes", RS_FAMILY_GAUGE, "bytes", "Size of database and log"},
		known(store.size_bytes), 1},
	    {{"store_commits", RS_FAMILY_COUNTER, NULL, "Transactions written"},
		(double)store.commits, 1},
	    {{"store_commit_errors", RS_FAMILY_COUNTER, NULL, "Transactions that failed"},
		(double)store.commit_errors, 1},
	    {{"history_series", RS_FAMILY_GAUGE, NULL, "Series that history keeps"}, model.series,
		1},
	    {{"history_series_refused", RS_FAMILY_COUNTER, NULL,
		 "Series that history had no room for"},
		(double)model.series_refused, 1},
	    {{"history_blocks_dropped", RS_FAMILY_COUNTER, NULL,
		 "Minutes of samples given up because they could not be written"},
		(double)model.blocks_dropped, 1},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(figures); i++) {
		if (isnan(figures[i].value))
			continue;
		rs_exposition_family(x, &figures[i].family);
		rs_exposition_sample(x);
		rs_exposition_value(x, figures[i].value, figures[i].scale);
	}
	put_store_state(x, store.state);
	put_sources(x, &h);
}

/* --- all of it --------------------------------------------------------- */

void
rs_openmetrics_write(struct rs_buf *out, const struct rs_live *live, bool is_openmetrics)
{
	static const struct rs_family build = {
	    "build", RS_FAMILY_INFO, NULL, "The program that answers"};
	struct rs_exposition x;

	rs_exposition_begin(&x, out, is_openmetrics);
	rs_exposition_family(&x, &build);
	rs_exposition_sample(&x);
	rs_exposition_label(&x, "version", RS_VERSION);
	rs_exposition_value(&x, 1, 1);
	put_all_series(&x, live->model);
	rs_openmetrics_machine(&x, rs_model_view(live->model));
	put_findings(&x, live->engine);
	put_instrument(&x, live);
	rs_exposition_end(&x);
}

int
rs_api_metrics(struct rs_request *q, struct rs_reply *r)
{
	const bool is_openmetrics = rs_exposition_wants_openmetrics(q->headers.accept);

	r->type = is_openmetrics ? RS_TYPE_OPENMETRICS : RS_TYPE_PROMETHEUS;
	rs_reply_header(r, "Vary", "Accept");
	rs_openmetrics_write(&r->body, q->web->live, is_openmetrics);
	return r->body.failed ? -ENOMEM : 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * The instrument itself: health, the event stream, and the table of all
 * routes. Loop thread.
 */
#include <errno.h>

#include "api.h"
#include "clock.h"
#include "http.h"
#include "route.h"
#include "server.h"

/* Bytes a day are not told from less than this. */
enum { RATE_SECONDS_MIN = 300 };

void
rs_reply_json(struct rs_reply *r, struct rs_json *j)
{
	r->type = RS_TYPE_JSON;
	rs_json_init(j, &r->body);
}

int
rs_reply_json_end(struct rs_reply *r, const struct rs_json *j)
{
	(void)r;
	return rs_json_is_whole(j) ? 0 : -ENOMEM;
}

void
rs_reply_incomplete(struct rs_reply *r, int error)
{
	if (error != 0)
		rs_reply_header(r, "Ringside-Incomplete", rs_store_words(error));
}

static double
microseconds(rs_ns ns)
{
	return (double)ns / 1e3;
}

static void
put_ticks(struct rs_json *j, const struct rs_health *h, double uptime_s)
{
	rs_json_put_string(j, "version", RS_VERSION);
	rs_json_put_double(j, "uptime_s", uptime_s);
	rs_json_put_uint(j, "ticks", h->ticks);
	rs_json_put_uint(j, "ticks_late", h->ticks_late);
	rs_json_put_uint(j, "ticks_missed", h->ticks_missed);
	rs_json_put_double(j, "tick_cpu_us", microseconds(h->tick_cpu_mean_ns));
	rs_json_put_double(j, "tick_cpu_last_us", microseconds(h->tick_cpu_last_ns));
	rs_json_put_double(j, "tick_cpu_max_us", microseconds(h->tick_cpu_max_ns));
	rs_json_put_double(j, "process_cpu_s", (double)h->process_cpu_ns / 1e9);
	rs_json_put_known_int(j, "rss_bytes", h->rss_bytes);
	rs_json_put_known_int(j, "pss_bytes", h->pss_bytes);
	rs_json_put_string(j, "loop_method", h->loop_method);
	rs_json_put_uint(j, "loop_callbacks", h->loop.callbacks);
	rs_json_put_uint(j, "loop_slow_callbacks", h->loop.slow_callbacks);
	rs_json_put_double(j, "loop_delay_max_us", microseconds(h->loop.longest_ns));
	rs_json_put_double(j, "loop_delay_recent_us", microseconds(h->loop.longest_recent_ns));
}

static void
put_tiers(struct rs_json *j, const struct rs_store_stats *s)
{
	rs_json_key(j, "tiers");
	rs_json_array(j);
	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++) {
		rs_json_object(j);
		rs_json_put_string(j, "tier", rs_tiers[t].name);
		rs_json_put_known_int(
		    j, "oldest_ms", s->tier_oldest_ms[t] > 0 ? s->tier_oldest_ms[t] : -1);
		rs_json_put_uint(j, "rows_given_up", s->given_up[t]);
		rs_json_end(j);
	}
	rs_json_end(j);
}

static void
put_store(struct rs_json *j, struct rs_store *store, double uptime_s)
{
	struct rs_store_stats s;

	rs_store_get_stats(store, &s);
	rs_json_put_uint(j, "bytes_written", s.bytes_written);
	rs_json_key(j, "bytes_written_per_day");
	if (uptime_s < RATE_SECONDS_MIN)
		rs_json_null(j);
	else
		rs_json_uint(j, (uint64_t)((double)s.bytes_written / uptime_s * 86400));
	rs_json_key(j, "store");
	rs_json_object(j);
	rs_json_put_string(j, "state", s.state);
	rs_json_put_known_string(j, "reason", s.error);
	rs_json_put_int(
	    j, "since_ms", (rs_clock_wall() - (rs_clock_mono() - s.since_ns)) / RS_NS_PER_MS);
	rs_json_put_uint(j, "damaged", s.damaged);
	rs_json_put_uint(j, "damaged_rows", s.damaged_rows);
	rs_json_put_known_int(j, "size_bytes", s.size_bytes);
	rs_json_put_known_int(j, "oldest_ms", s.oldest_ms > 0 ? s.oldest_ms : -1);
	put_tiers(j, &s);
	rs_json_put_uint(j, "commits", s.commits);
	rs_json_put_uint(j, "commit_errors", s.commit_errors);
	rs_json_put_double(j, "commit_max_us", microseconds(s.longest_commit_ns));
	rs_json_put_uint(j, "blocks_written", s.blocks_written);
	rs_json_put_uint(j, "blocks_failed", s.blocks_failed);
	rs_json_put_uint(j, "findings_dropped", s.findings_dropped);
	rs_json_put_uint(j, "changes_dropped", s.changes_dropped);
	rs_json_put_uint(j, "queue", s.queue_len);
	rs_json_end(j);
}

static void
put_head(struct rs_json *j, const struct rs_head_health *h)
{
	if (h->state == NULL)
		return;
	rs_json_key(j, "head");
	rs_json_object(j);
	rs_json_put_string(j, "state", h->state);
	rs_json_put_known_string(j, "path", h->path);
	rs_json_put_known_string(j, "error", h->error);
	rs_json_put_known_string(j, "refused", h->refused);
	rs_json_put_uint(j, "recovered_ticks", h->recovered_ticks);
	rs_json_put_uint(j, "dropped_ticks", h->dropped_ticks);
	rs_json_end(j);
}

static void
put_alerts(struct rs_json *j, const struct rs_health *h)
{
	rs_json_key(j, "alerts");
	rs_json_array(j);
	for (size_t i = 0; i < RS_ARRAY_LEN(h->alerts); i++) {
		const struct rs_alert_health *const a = &h->alerts[i];

		if (a->kind == NULL)
			continue;
		rs_json_object(j);
		rs_json_put_string(j, "kind", a->kind);
		rs_json_put_uint(j, "delivered", a->delivered);
		rs_json_put_uint(j, "waiting", a->waiting);
		rs_json_put_uint(j, "failed_attempts", a->failed_attempts);
		rs_json_put_uint(j, "dropped", a->dropped);
		rs_json_put_known_string(j, "error", a->error);
		rs_json_end(j);
	}
	rs_json_end(j);
}

static void
put_model(struct rs_json *j, const struct rs_live *live)
{
	struct rs_model_stats s;

	rs_model_get_stats(live->model, &s);
	rs_json_put_uint(j, "series", s.series);
	rs_json_put_uint(j, "series_max", s.series_max);
	rs_json_put_uint(j, "series_refused", s.series_refused);
	rs_json_put_uint(j, "minutes_dropped", s.blocks_dropped);
	rs_json_put_uint(j, "counter_wraps", s.counter_wraps);
	rs_json_put_uint(j, "counter_resets", s.counter_resets);
	rs_json_put_uint(j, "gaps", s.gaps);
	rs_json_put_uint(j, "changes_lost", s.changes_lost);
	rs_json_put_uint(j, "findings_refused", rs_engine_refused(live->engine));
	rs_json_key(j, "rules_not_evaluated");
	rs_json_array(j);
	for (size_t i = 0; rs_rules[i] != NULL; i++) {
		const char *why = rs_engine_not_evaluated(live->engine, i);

		if (why == NULL)
			continue;
		rs_json_object(j);
		rs_json_put_string(j, "code", rs_rules[i]->code);
		rs_json_put_string(j, "reason", why);
		rs_json_end(j);
	}
	rs_json_end(j);
}

static void
put_sources(struct rs_json *j, const struct rs_health *h)
{
	rs_json_key(j, "sources");
	rs_json_array(j);
	for (size_t i = 0; i < h->n_sources; i++) {
		const struct rs_source_health *s = &h->sources[i];

		rs_json_object(j);
		rs_json_put_string(j, "id", s->id);
		rs_json_put_known_string(j, "path", s->path);
		rs_json_put_string(j, "state", s->state);
		rs_json_put_known_string(j, "reason", s->reason);
		rs_json_put_uint(j, "reads", s->reads);
		rs_json_put_uint(j, "failures", s->failures);
		rs_json_put_uint(j, "skipped_rows", s->skipped_rows);
		rs_json_put_double(j, "cost_us", microseconds(s->last_cost_ns));
		rs_json_end(j);
	}
	rs_json_end(j);
}

static void
put_web(struct rs_json *j, const struct rs_web *w)
{
	struct rs_web_stats s;

	rs_web_get_stats(w, &s);
	rs_json_key(j, "http");
	rs_json_object(j);
	rs_json_put_uint(j, "connections", s.connections);
	rs_json_put_uint(j, "streams", s.streams);
	rs_json_put_uint(j, "requests", s.requests);
	rs_json_put_uint(j, "refused", s.refused);
	rs_json_put_uint(j, "events", s.events);
	rs_json_put_uint(j, "events_lost", s.events_lost);
	rs_json_put_uint(j, "gaps", s.gaps);
	rs_json_end(j);
}

int
rs_api_health(struct rs_request *q, struct rs_reply *r)
{
	const struct rs_live *live = q->web->live;
	struct rs_health h = {0};
	struct rs_json j;

	live->get_health(live->arg, &h);
	const double uptime_s = (double)(rs_clock_mono() - h.started_mono_ns) / 1e9;

	rs_reply_json(r, &j);
	rs_json_object(&j);
	put_ticks(&j, &h, uptime_s);
	put_store(&j, live->store, uptime_s);
	put_head(&j, &h.head);
	put_alerts(&j, &h);
	put_model(&j, live);
	put_web(&j, q->web);
	put_sources(&j, &h);
	rs_json_end(&j);
	return rs_reply_json_end(r, &j);
}

int
rs_api_stream(struct rs_request *q, struct rs_reply *r)
{
	/* HEAD too: an EventSource does not tell its page why it was refused. */
	if (q->has_all_streams || rs_hub_is_full(q->web->hub))
		return rs_reply_problem(r, 503, "too many event streams are open");
	r->type = RS_TYPE_EVENTS;
	/* Proxies that buffer would hold the events back. */
	rs_reply_header(r, "X-Accel-Buffering", "no");
	if (q->method == RS_METHOD_HEAD)
		return 0;
	const int e = rs_hub_join(q->web->hub, q->headers.last_event_id, &r->source);

	if (e == -ESHUTDOWN)
		return rs_reply_problem(r, 503, "the server is stopping");
	return e;
}

/* ---- the routes ---- */

static const struct rs_param findings_params[] = {
    {.name = "state",
	.type = RS_PARAM_CHOICE,
	.choices = rs_state_choices,
	.fallback = "active",
	.help = "only what stands now, or past findings too (the newest 1000)"},
    {.name = "after",
	.type = RS_PARAM_TIME,
	.help = "with state=all: not what was cleared by then: epoch seconds, negative "
		"seconds relative to now, or RFC 3339"},
    {.name = NULL},
};

static const struct rs_param changes_params[] = {
    {.name = "after",
	.type = RS_PARAM_TIME,
	.help =
	    "begin, not included: epoch seconds, negative seconds relative to now, or RFC 3339"},
    {.name = "before", .type = RS_PARAM_TIME, .help = "end, included"},
    {.name = "limit",
	.type = RS_PARAM_COUNT,
	.min = 1,
	.max = RS_CHANGES_LISTED_MAX,
	.fallback = "200",
	.help = "at most so many, the newest"},
    {.name = "kind",
	.type = RS_PARAM_TEXT,
	.min = 1,
	.max = 63,
	.help = "only changes of this setting"},
    {.name = "device",
	.type = RS_PARAM_TEXT,
	.min = 1,
	.max = 23,
	.help = "only changes on this network device"},
    {.name = NULL},
};

#define RS_LABEL_PARAM(label, text)                                                                \
	{                                                                                          \
		.name = (label), .type = RS_PARAM_TEXT, .min = 1, .max = 23, .may_repeat = true,   \
		.help = (text)                                                                     \
	}

static const struct rs_param series_params[] = {
    {.name = "metric",
	.type = RS_PARAM_TEXT,
	.min = 1,
	.max = 63,
	.is_required = true,
	.help = "name of the metric; /api/v1/catalog lists them"},
    RS_LABEL_PARAM("cpu", "only series of this CPU number; repeated: either"),
    RS_LABEL_PARAM("device", "only series of this network device"),
    RS_LABEL_PARAM("queue", "only series of this queue number"),
    RS_LABEL_PARAM("direction", "rx or tx"),
    RS_LABEL_PARAM("irq", "only series of this interrupt"),
    RS_LABEL_PARAM("mode", "only series of this mode of CPU time or kind of soft interrupt"),
    {.name = "after",
	.type = RS_PARAM_TIME,
	.fallback = "-600",
	.help =
	    "begin, not included: epoch seconds, negative seconds relative to now, or RFC 3339"},
    {.name = "before", .type = RS_PARAM_TIME, .fallback = "-0", .help = "end, included"},
    {.name = "points",
	.type = RS_PARAM_COUNT,
	.min = 1,
	.max = RS_QUERY_POINTS_MAX,
	.help = "down-sample to at most this many points, from samples, minutes or hours as "
		"suits them; left out: as fine as there is over the whole range"},
    {.name = "aggregate",
	.type = RS_PARAM_CHOICE,
	.choices = rs_aggregate_choices,
	.fallback = "avg",
	.help = "how samples of one point are put together; sum is the increase of a counter"},
    {.name = "tier",
	.type = RS_PARAM_CHOICE,
	.choices = rs_tier_choices,
	.fallback = "any",
	.help = "what is answered from: any, by range and points; the finest that reaches back to "
		"the beginning, even if that is too much for one answer; or this one"},
    {.name = "format",
	.type = RS_PARAM_CHOICE,
	.choices = rs_format_choices,
	.fallback = "json",
	.help = "JSON, or CSV of RFC 4180"},
    {.name = "layout",
	.type = RS_PARAM_CHOICE,
	.choices = rs_layout_choices,
	.fallback = "columns",
	.help = "times and values as columns, or one row a value"},
    {.name = NULL},
};

const struct rs_route rs_routes[] = {
    {"/api/v1/summary", rs_api_summary, NULL, "State, verdict and totals in one flat object."},
    {"/api/v1/cores", rs_api_cores, NULL, "Every core: load, time by mode, packet work."},
    {"/api/v1/interfaces", rs_api_interfaces, NULL, "Every network interface."},
    {"/api/v1/interrupts", rs_api_interrupts, NULL, "Every interrupt line and where it fires."},
    {"/api/v1/queues", rs_api_queues, NULL, "Every queue: packets, share, its interrupt."},
    {"/api/v1/map", rs_api_map, NULL,
	"Devices, queues, interrupts and cores, with the settings that join them."},
    {"/api/v1/findings", rs_api_findings, findings_params,
	"Findings with evidence, advice, and of a core that limits the causes ruled out."},
    {"/api/v1/changes", rs_api_changes, changes_params, "Settings that changed, newest first."},
    {"/api/v1/catalog", rs_api_catalog, NULL, "Every series known, with its first and last time."},
    {"/api/v1/series", rs_api_series, series_params, "History of one metric."},
    {"/api/v1/stream", rs_api_stream, NULL,
	"Server-sent events: tick, finding, change, gap. Last-Event-ID resumes."},
    {"/api/v1/health", rs_api_health, NULL, "The instrument itself."},
    {"/metrics", rs_api_metrics, NULL,
	"Prometheus text 0.0.4, or OpenMetrics 1.0.0 when Accept asks for it."},
    {NULL, NULL, NULL, NULL},
};

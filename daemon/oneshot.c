/* SPDX-License-Identifier: ISC */
/*
 * What ends by itself: --once, --check-config, --describe.
 */
#include "oneshot.h"

#include "api.h"
#include "clock.h"
#include "live.h"
#include "log.h"
#include "tick.h"
#include "web.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <time.h>

#define OUTPUT_MAX (64u << 20)

/* ------------------------------------------------------------ --once */

static void
sleep_until(rs_ns at_ns)
{
	const struct timespec t = {
	    .tv_sec = (time_t)(at_ns / RS_NS_PER_S),
	    .tv_nsec = (long)(at_ns % RS_NS_PER_S),
	};
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) {
	}
}

static void
put_json(struct rs_buf *out, const struct rs_live *live)
{
	const struct rs_view *const v = rs_model_view(live->model);
	struct rs_json j;
	rs_json_init(&j, out);
	rs_json_object(&j);
	rs_json_key(&j, "summary");
	rs_api_put_summary(&j, live);
	rs_json_key(&j, "cores");
	rs_api_put_cores(&j, v);
	rs_json_key(&j, "interfaces");
	rs_api_put_interfaces(&j, v);
	rs_json_key(&j, "interrupts");
	rs_api_put_interrupts(&j, v);
	rs_json_key(&j, "findings"); /* none: two samples decide nothing */
	rs_json_array(&j);
	rs_json_end(&j);
	rs_json_end(&j);
	rs_buf_putc(out, '\n');
}

/* A column of width 8: whole per cent, or "-" for no value. */
static void
put_percent(struct rs_buf *out, double ratio)
{
	if (isnan(ratio))
		rs_buf_printf(out, "%8s", "-");
	else
		rs_buf_printf(out, "%7.0f%%", 100.0 * ratio);
}

static void
put_number(struct rs_buf *out, double value)
{
	if (isnan(value))
		rs_buf_printf(out, "%12s", "-");
	else
		rs_buf_printf(out, "%12.0f", value);
}

static void
put_cores(struct rs_buf *out, const struct rs_view *v)
{
	rs_buf_printf(out, "\n%-6s%8s%8s%8s%8s%8s%8s%8s%12s%12s\n", "core", "packet", "busy",
	    "user", "system", "irq", "softirq", "steal", "NIC irq/s", "packets/s");
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		rs_buf_printf(out, "%-6u", c->cpu);
		if (!c->is_online) {
			rs_buf_puts(out, " offline\n");
			continue;
		}
		const double shares[] = {c->packet_load, c->busy, c->user + c->nice, c->system,
		    c->irq, c->softirq, c->steal};
		for (size_t k = 0; k < RS_ARRAY_LEN(shares); k++)
			put_percent(out, shares[k]);
		put_number(out, c->nic_interrupts_ps);
		put_number(out, c->processed_pps);
		rs_buf_puts(out, c->is_eligible ? "\n" : "  not judged\n");
	}
}

static void
put_interfaces(struct rs_buf *out, const struct rs_view *v)
{
	rs_buf_printf(out, "\n%-16s%14s%14s%12s%12s%12s\n", "interface", "in", "out", "in p/s",
	    "out p/s", "missed/s");
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		char in[24], away[24];
		rs_format_bps(n->rx_bps, in);
		rs_format_bps(n->tx_bps, away);
		rs_buf_printf(out, "%-16s%14s%14s", n->info.name, in, away);
		put_number(out, n->rx_pps);
		put_number(out, n->tx_pps);
		put_number(out, n->rx_missed_pps);
		rs_buf_putc(out, '\n');
	}
}

static void
put_interrupts(struct rs_buf *out, const struct rs_view *v)
{
	rs_buf_printf(out, "\n%-6s%12s  %s\n", "irq", "per second", "where, and whose");
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (isnan(q->rate_ps) || q->rate_ps <= 0)
			continue;
		rs_buf_printf(out, "%-6s%12.0f ", q->name, q->rate_ps);
		for (uint32_t k = 0; k < q->n_cells && k < 4; k++)
			rs_buf_printf(out, " core %u: %.0f", q->cells[k].cpu, q->cells[k].rate_ps);
		rs_buf_printf(out, "%s  %s\n", q->n_cells > 4 ? " ..." : "", q->actions);
	}
}

static void
put_sources(struct rs_buf *out, const struct rs_sampler *s)
{
	size_t n;
	const struct rs_source_health *const h = rs_sampler_health(s, &n);
	for (size_t i = 0; i < n; i++) {
		if (*h[i].reason)
			rs_buf_printf(
			    out, "not read: %s (%s): %s\n", h[i].id, h[i].path, h[i].reason);
	}
}

static void
put_text(struct rs_buf *out, struct rs_instrument *i)
{
	const struct rs_verdict *const verdict = rs_instrument_verdict(i);
	const struct rs_view *const v = rs_model_view(i->model);
	rs_buf_printf(out, "%s: %s\n", rs_state_name(verdict->state), verdict->line);
	put_cores(out, v);
	put_interfaces(out, v);
	put_interrupts(out, v);
	put_sources(out, i->sampler);
	rs_buf_puts(out, "\none interval; findings take five seconds and need the daemon\n");
}

static int
print(struct rs_buf *out)
{
	const bool is_whole = !out->failed && fwrite(out->data, 1, out->len, stdout) == out->len &&
			      fflush(stdout) == 0;
	rs_buf_fini(out);
	return is_whole ? 0 : -EIO;
}

int
rs_oneshot_once(const struct rs_options *o, const struct rs_config *c, struct rs_error *e)
{
	struct rs_instrument instrument;
	rs_log_setup(RS_LOG_STDERR, RS_LOG_ERR); /* what is missing is in the frame */
	const int rc = rs_instrument_open(o->root, c, 1, &instrument, e);
	if (rc < 0)
		return rc;
	const rs_ns first = rs_clock_mono();
	(void)rs_instrument_tick(&instrument, first, first, NULL, NULL);
	sleep_until(first + c->interval_ns);
	(void)rs_instrument_tick(&instrument, first + c->interval_ns, rs_clock_mono(), NULL, NULL);
	struct rs_buf out;
	rs_buf_init(&out, OUTPUT_MAX);
	if (o->is_json) {
		const struct rs_live live = {
		    .model = instrument.model,
		    .engine = instrument.engine,
		    .verdict = rs_instrument_verdict(&instrument),
		};
		put_json(&out, &live);
	} else {
		put_text(&out, &instrument);
	}
	rs_instrument_close(&instrument);
	return print(&out) < 0 ? rs_error_set(e, -EIO, "cannot write to standard output") : 0;
}

/* ------------------------------------------------------------ --check-config */

int
rs_oneshot_check_web(const struct rs_config *c, const char *token, struct rs_error *e)
{
	struct rs_error why = {0};
	const struct rs_web_conf web = {
	    .listen = (const char *const *)c->listen.item,
	    .token = *token ? token : NULL,
	    .allow_anonymous_read = c->allow_anonymous_read,
	    .allowed_hosts = (const char *const *)c->allowed_hosts.item,
	    .cors_origins = (const char *const *)c->cors_origins.item,
	    .max_connections = c->max_connections,
	};
	const int rc = rs_web_check(&web, &why);
	return rc < 0 ? rs_config_blame(c, "web", rc, why.text, e) : 0;
}

int
rs_oneshot_check(const struct rs_config *c, struct rs_error *e)
{
	char token[256];
	struct rs_error why = {0};
	const int rc = rs_config_token(c, token, &why);
	if (rc < 0)
		return rs_config_blame(c, "web", rc, why.text, e);
	return rs_oneshot_check_web(c, token, e);
}

/* ------------------------------------------------------------ --describe */

/* {cpu,mode=user}: the labels, those with one value with it. */
static void
describe_labels(const struct rs_metric *m, struct rs_buf *out)
{
	static const char *const on[] = {
	    [RS_ON_HOST] = "",
	    [RS_ON_CPU] = "cpu",
	    [RS_ON_NIC] = "device",
	    [RS_ON_IRQ] = "irq",
	    [RS_ON_QUEUE] = "device,queue",
	};
	if (m->on == RS_ON_HOST)
		return;
	rs_buf_printf(out, "{%s", on[m->on]);
	if (m->direction)
		rs_buf_printf(out, ",direction=%s", m->direction);
	if (m->mode)
		rs_buf_printf(out, ",mode=%s", m->mode);
	rs_buf_puts(out, "}");
}

static void
describe_metrics(struct rs_buf *out)
{
	for (size_t i = 0; i < RS_M_COUNT; i++) {
		const struct rs_metric *const m = &rs_metrics[i];
		rs_buf_puts(out, m->name);
		describe_labels(m, out);
		rs_buf_printf(out, "\n\t%s; %s, %s%s\n", m->help,
		    m->kind == RS_COUNTER ? "counter" : "gauge",
		    *rs_unit_name(m->unit) ? rs_unit_name(m->unit) : "no unit",
		    m->kind == RS_COUNTER ? ", shown as a rate per second" : "");
	}
}

static void
describe_rules(struct rs_buf *out)
{
	for (size_t i = 0; rs_rules[i]; i++) {
		const struct rs_rule *const r = rs_rules[i];
		rs_buf_printf(out, "%s: %s\n\t%s\n", r->code, r->title, r->help);
		for (const struct rs_threshold *t = r->thresholds; t && t->key; t++)
			rs_buf_printf(
			    out, "\t%s.%s = %g: %s\n", r->code, t->key, t->value, t->help);
	}
}

int
rs_oneshot_describe(const char *what)
{
	static const struct {
		const char *what;
		void (*describe)(struct rs_buf *out);
	} all[] = {
	    {"metrics", describe_metrics},
	    {"rules", describe_rules},
	    {"config", rs_config_describe},
	    {"api", rs_web_describe},
	};
	struct rs_buf out;
	rs_buf_init(&out, OUTPUT_MAX);
	for (size_t i = 0; i < RS_ARRAY_LEN(all); i++) {
		if (rs_text_eq(rs_text_of(what), all[i].what))
			all[i].describe(&out);
	}
	return print(&out);
}

/* SPDX-License-Identifier: ISC */
/*
 * The machine as of the last tick: summary, cores, interfaces, interrupts.
 * Loop thread.
 */
#include <math.h>
#include <stdio.h>

#include "api.h"
#include "irqname.h"
#include "server.h"

static bool
has_sample(const struct rs_view *v)
{
	return v->tick != 0;
}

static const char *
accounting_name(enum rs_cpu_accounting a)
{
	switch (a) {
	case RS_ACCOUNTING_TICK:
		return "tick";
	case RS_ACCOUNTING_PRECISE:
		return "precise";
	case RS_ACCOUNTING_UNKNOWN:
		break;
	}
	return "unknown";
}

void
rs_api_put_summary(struct rs_json *j, const struct rs_live *live)
{
	const struct rs_view *v = rs_model_view(live->model);
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const bool is_sampled = has_sample(v);

	rs_json_object(j);
	if (live->make_verdict != NULL)
		live->make_verdict(live->arg);
	rs_json_put_string(j, "state", rs_state_name(live->verdict->state));
	rs_json_put_string(j, "verdict", live->verdict->line);
	rs_json_put_known_int(j, "hottest_core", v->has_packet_load ? (int)v->hottest_core : -1);
	rs_json_put_double(
	    j, "hottest_core_load", v->has_packet_load ? v->hottest_core_load : (double)NAN);
	rs_json_put_double(j, "effective_cores", is_sampled ? v->effective_cores : (double)NAN);
	rs_json_put_known_int(j, "cores", v->n_online > 0 ? (int)v->n_online : -1);
	rs_json_put_string(j, "cpu_accounting", accounting_name(v->accounting));
	rs_json_put_double(j, "rx_bps", is_sampled ? v->rx_bps : (double)NAN);
	rs_json_put_double(j, "tx_bps", is_sampled ? v->tx_bps : (double)NAN);
	rs_json_put_double(j, "rx_pps", is_sampled ? v->rx_pps : (double)NAN);
	rs_json_put_double(j, "drops_pps", is_sampled ? v->drops_pps : (double)NAN);
	rs_json_put_uint(
	    j, "findings_active", rs_engine_active(live->engine, active, RS_FINDINGS_MAX));
	rs_json_put_known_int(j, "sampled_at_ms", is_sampled ? v->wall_ms : -1);
	rs_json_put_known_int(
	    j, "interval_ms", v->interval_ns > 0 ? v->interval_ns / RS_NS_PER_MS : -1);
	rs_json_put_bool(j, "clock_ok", v->is_clock_ok);
	rs_json_end(j);
}

static void
put_way(struct rs_json *j, const char *device, int32_t queue, const char *direction)
{
	rs_json_object(j);
	rs_json_put_known_string(j, "device", device);
	rs_json_put_known_int(j, "queue", queue);
	rs_json_put_known_string(j, "direction", direction);
	rs_json_end(j);
}

/* A line that serves both directions of a queue feeds two queues. */
static void
put_feed(struct rs_json *j, const struct rs_view *v, const struct rs_irq_feed *f)
{
	const struct rs_nic_view *nic = rs_view_nic(v, f->ifindex);
	const char *device = nic != NULL ? nic->info.name : NULL;

	if (f->is_rx)
		put_way(j, device, f->queue, "rx");
	if (f->is_tx)
		put_way(j, device, f->queue, "tx");
	if (!f->is_rx && !f->is_tx)
		put_way(j, device, f->queue, NULL);
}

/* What the line feeds; a device's control line feeds nothing. */
static void
put_feeds(struct rs_json *j, const struct rs_view *v, const struct rs_irq_view *irq)
{
	for (uint32_t i = 0; i < irq->n_feeds; i++) {
		if (irq->feeds[i].role == RS_IRQ_QUEUE)
			put_feed(j, v, &irq->feeds[i]);
	}
}

/* Whether the line fired on the core in the last interval. */
static bool
fires_on(const struct rs_irq_view *irq, unsigned cpu)
{
	for (uint32_t i = 0; i < irq->n_cells && irq->cells[i].cpu <= cpu; i++) {
		if (irq->cells[i].cpu == cpu)
			return irq->cells[i].rate_ps > 0;
	}
	return false;
}

/* The queues a thread polls; when the kernel does not tell, its device. Those
 * whose line fired on the same core have been put. */
static void
put_polled(struct rs_json *j, const struct rs_view *v, const struct rs_thread_view *t, unsigned cpu)
{
	const struct rs_nic_view *nic = rs_view_nic(v, t->thread.ifindex);
	bool is_told = false;

	for (uint32_t i = 0; nic != NULL && i < nic->n_queues; i++) {
		const struct rs_queue_view *q = &v->queues[nic->first_queue + i];

		if (q->napi == 0 || q->napi != t->thread.napi_id)
			continue;
		if (q->line == NULL || !fires_on(q->line, cpu))
			put_way(j, nic->info.name, q->queue, q->is_tx ? "tx" : "rx");
		is_told = true;
	}
	if (nic != NULL && !is_told)
		put_way(j, nic->info.name, -1, NULL);
}

void
rs_api_put_fed_by(struct rs_json *j, const struct rs_view *v, unsigned cpu)
{
	rs_json_key(j, "fed_by");
	rs_json_array(j);
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *irq = &v->irqs[i];

		if (irq->is_nic_queue && fires_on(irq, cpu))
			put_feeds(j, v, irq);
	}
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *t = &v->threads[i];

		if (t->thread.class == RS_THREAD_NAPI && t->thread.cpu == (int32_t)cpu &&
		    t->load > 0)
			put_polled(j, v, t, cpu);
	}
	rs_json_end(j);
}

static void
put_softnet(struct rs_json *j, const struct rs_core_view *c)
{
	rs_json_key(j, "softnet");
	rs_json_object(j);
	rs_json_put_double(j, "processed_pps", c->processed_pps);
	rs_json_put_double(j, "dropped_pps", c->dropped_pps);
	rs_json_put_double(j, "squeezed_ps", c->squeezed_ps);
	rs_json_put_double(j, "rps_ps", c->rps_ps);
	rs_json_put_double(j, "flow_limit_ps", c->flow_limit_ps);
	rs_json_put_double(j, "backlog", c->backlog);
	rs_json_end(j);
}

static void
put_core(struct rs_json *j, const struct rs_view *v, const struct rs_core_view *c)
{
	/* The timer tick does not see hard interrupts: its 0 means nothing. */
	const double irq = v->accounting == RS_ACCOUNTING_TICK ? (double)NAN : c->irq;

	rs_json_object(j);
	rs_json_put_uint(j, "core", c->cpu);
	rs_json_put_bool(j, "online", c->is_online);
	rs_json_put_bool(j, "eligible", c->is_eligible);
	rs_json_put_double(j, "packet_load", c->packet_load);
	rs_json_put_double(j, "busy", c->busy);
	rs_json_put_double(j, "user", c->user);
	rs_json_put_double(j, "nice", c->nice);
	rs_json_put_double(j, "system", c->system);
	rs_json_put_double(j, "irq", irq);
	rs_json_put_double(j, "softirq", c->softirq);
	rs_json_put_double(j, "steal", c->steal);
	rs_json_put_double(j, "iowait", c->iowait);
	rs_json_put_double(j, "idle", c->idle);
	rs_json_put_double(j, "nic_interrupts_ps", c->nic_interrupts_ps);
	rs_json_put_double(j, "net_rx_ps", c->net_rx_ps);
	put_softnet(j, c);
	rs_json_put_double(j, "freq_hz", c->freq_hz);
	rs_json_put_double(j, "freq_max_hz", c->freq_max_hz);
	rs_api_put_fed_by(j, v, c->cpu);
	rs_json_end(j);
}

void
rs_api_put_cores(struct rs_json *j, const struct rs_view *v)
{
	rs_json_array(j);
	for (size_t i = 0; i < v->n_cores; i++)
		put_core(j, v, &v->cores[i]);
	rs_json_end(j);
}

/* A fact the kernel tells as 1, 0 or not at all. */
static void
put_tristate(struct rs_json *j, const char *key, int8_t v)
{
	rs_json_key(j, key);
	if (v < 0)
		rs_json_null(j);
	else
		rs_json_bool(j, v == 1);
}

/* Losses by stage; what the driver books in none of them is unattributed. */
static void
put_drops(struct rs_json *j, const struct rs_nic_view *n)
{
	rs_json_key(j, "drops");
	rs_json_object(j);
	rs_json_put_double(j, "wire_pps", n->lost_wire_pps);
	rs_json_put_double(j, "ring_pps", n->lost_ring_pps);
	rs_json_put_double(j, "qdisc_pps", n->lost_qdisc_pps);
	rs_json_put_double(j, "tx_pps", n->lost_tx_pps);
	rs_json_put_double(j, "unattributed_pps", n->lost_unattributed_pps);
	rs_json_end(j);
}

static void
put_interface(struct rs_json *j, const struct rs_nic_view *n)
{
	const struct rs_nic_info *info = &n->info;

	rs_json_object(j);
	rs_json_put_string(j, "device", info->name);
	rs_json_put_uint(j, "ifindex", info->ifindex);
	rs_json_put_known_string(j, "driver", info->driver);
	rs_json_put_known_string(j, "kind", info->kind);
	put_tristate(j, "up", info->is_up);
	rs_json_put_known_int(j, "speed_bps", info->speed_bps);
	rs_json_put_known_string(j, "duplex",
	    info->duplex < 0	? NULL
	    : info->duplex == 1 ? "full"
				: "half");
	rs_json_put_known_int(j, "mtu", info->mtu);
	rs_json_put_double(j, "rx_bps", n->rx_bps);
	rs_json_put_double(j, "tx_bps", n->tx_bps);
	rs_json_put_double(j, "rx_pps", n->rx_pps);
	rs_json_put_double(j, "tx_pps", n->tx_pps);
	rs_json_put_double(j, "rx_utilization", n->rx_utilization);
	rs_json_put_double(j, "tx_utilization", n->tx_utilization);
	rs_json_put_double(j, "rx_dropped_pps", n->rx_dropped_pps);
	rs_json_put_double(j, "tx_dropped_pps", n->tx_dropped_pps);
	rs_json_put_double(j, "rx_missed_pps", n->rx_missed_pps);
	rs_json_put_double(j, "errors_pps", n->errors_pps);
	put_drops(j, n);
	rs_json_put_known_int(j, "carrier_changes", info->carrier_changes);
	rs_json_put_known_int(j, "rx_queues", info->rx_queues);
	rs_json_put_known_int(j, "tx_queues", info->tx_queues);
	rs_json_end(j);
}

void
rs_api_put_interfaces(struct rs_json *j, const struct rs_view *v)
{
	rs_json_array(j);
	for (size_t i = 0; i < v->n_nics; i++)
		put_interface(j, &v->nics[i]);
	rs_json_end(j);
}

/* "eth0-rx-0, eth0-tx-0" as a list. */
static void
put_actions(struct rs_json *j, const char *actions)
{
	struct rs_text rest = rs_text_of(actions != NULL ? actions : ""), one;

	rs_json_key(j, "actions");
	rs_json_array(j);
	while (rs_text_until(&rest, ',', &one)) {
		rs_json_text(j, rs_text_trim(one));
		rest = rs_text_trim(rest);
	}
	if (rs_text_len(rest) > 0)
		rs_json_text(j, rs_text_trim(rest));
	rs_json_end(j);
}

void
rs_api_put_cells(struct rs_json *j, const struct rs_irq_view *irq)
{
	char cpu[12];

	rs_json_object(j);
	for (uint32_t i = 0; irq != NULL && i < irq->n_cells; i++) {
		const struct rs_irq_cell *cell = &irq->cells[i];

		if (!(cell->rate_ps > 0))
			continue;
		(void)snprintf(cpu, sizeof(cpu), "%u", cell->cpu);
		rs_json_put_double(j, cpu, cell->rate_ps);
	}
	rs_json_end(j);
}

void
rs_api_put_interrupt(struct rs_json *j, const struct rs_view *v, const struct rs_irq_view *irq)
{
	struct rs_text name = rs_text_of(irq->name);
	uint64_t number;
	const bool has_number = rs_text_u64(&name, &number) && number <= UINT32_MAX;
	const uint32_t key = has_number ? (uint32_t)number : 0;

	rs_json_object(j);
	rs_json_put_string(j, "irq", irq->name);
	put_actions(j, irq->actions);
	rs_json_put_known_string(j, "chip", irq->chip);
	rs_json_key(j, "feeds");
	rs_json_array(j);
	put_feeds(j, v, irq);
	rs_json_end(j);
	rs_json_put_double(j, "rate_ps", irq->rate_ps);
	rs_json_key(j, "per_core_ps");
	rs_api_put_cells(j, irq);
	rs_json_put_known_string(j, "affinity",
	    has_number ? rs_view_fact(v, RS_F_IRQ_AFFINITY, key, RS_NO_QUEUE) : NULL);
	rs_json_put_known_string(j, "effective_affinity",
	    has_number ? rs_view_fact(v, RS_F_IRQ_EFFECTIVE, key, RS_NO_QUEUE) : NULL);
	rs_json_end(j);
}

void
rs_api_put_interrupts(struct rs_json *j, const struct rs_view *v)
{
	rs_json_array(j);
	for (size_t i = 0; i < v->n_irqs; i++)
		rs_api_put_interrupt(j, v, &v->irqs[i]);
	rs_json_end(j);
}

int
rs_api_summary(struct rs_request *q, struct rs_reply *r)
{
	struct rs_json j;

	rs_reply_json(r, &j);
	rs_api_put_summary(&j, q->web->live);
	return rs_reply_json_end(r, &j);
}

static int
reply_view(struct rs_request *q, struct rs_reply *r,
    void (*put)(struct rs_json *j, const struct rs_view *v))
{
	struct rs_json j;

	rs_reply_json(r, &j);
	put(&j, rs_model_view(q->web->live->model));
	return rs_reply_json_end(r, &j);
}

int
rs_api_cores(struct rs_request *q, struct rs_reply *r)
{
	return reply_view(q, r, rs_api_put_cores);
}

int
rs_api_interfaces(struct rs_request *q, struct rs_reply *r)
{
	return reply_view(q, r, rs_api_put_interfaces);
}

int
rs_api_interrupts(struct rs_request *q, struct rs_reply *r)
{
	return reply_view(q, r, rs_api_put_interrupts);
}

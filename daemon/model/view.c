/* SPDX-License-Identifier: ISC */
/*
 * The view: this tick's values gathered for rules and API.
 */
#include "state.h"

#include <math.h>
#include <string.h>

/* On the wire a frame has 4 bytes of checksum and 20 of preamble and gap that
 * no counter holds (Documentation/networking/statistics.rst). */
#define WIRE_OVERHEAD_BYTES 24.0

#define TIME_FIELDS 8 /* the first of a core's fields are shares of time */

static void
build_core(const struct rs_model *m, unsigned cpu, struct rs_core_view *v)
{
	const struct rs_core_state *const c = &m->cores[cpu];
	const struct {
		enum rs_metric_id metric;
		double *to;
	} fields[] = {
	    {RS_M_CPU_USER, &v->user},
	    {RS_M_CPU_NICE, &v->nice},
	    {RS_M_CPU_SYSTEM, &v->system},
	    {RS_M_CPU_IDLE, &v->idle},
	    {RS_M_CPU_IOWAIT, &v->iowait},
	    {RS_M_CPU_IRQ, &v->irq},
	    {RS_M_CPU_SOFTIRQ, &v->softirq},
	    {RS_M_CPU_STEAL, &v->steal},
	    {RS_M_CORE_INTERRUPTS, &v->interrupts_ps},
	    {RS_M_CORE_NIC_INTERRUPTS, &v->nic_interrupts_ps},
	    {RS_M_SOFTIRQ_NET_RX, &v->net_rx_ps},
	    {RS_M_SOFTNET_PROCESSED, &v->processed_pps},
	    {RS_M_SOFTNET_DROPPED, &v->dropped_pps},
	    {RS_M_SOFTNET_SQUEEZED, &v->squeezed_ps},
	    {RS_M_SOFTNET_RPS, &v->rps_ps},
	    {RS_M_SOFTNET_FLOW_LIMIT, &v->flow_limit_ps},
	    {RS_M_SOFTNET_BACKLOG, &v->backlog},
	    {RS_M_CORE_FREQ, &v->freq_hz},
	    {RS_M_CORE_FREQ_MAX, &v->freq_max_hz},
	    {RS_M_CORE_THROTTLED, &v->throttled_ps},
	    {RS_M_CORE_THROTTLED_TIME, &v->throttled},
	};
	memset(v, 0, sizeof(*v));
	v->cpu = cpu;
	v->is_online = c->is_online;
	v->is_freq_measured = c->is_freq_measured;
	v->group = m->cpus.is_present && m->cpus.has_groups ? m->cpus.group[cpu] : cpu;
	for (size_t i = 0; i < RS_ARRAY_LEN(fields); i++)
		*fields[i].to = rs_series_now(m, c->slot, fields[i].metric);
	/* Ticks of 10 ms end where they like: 1.01 of a second is still a second. */
	for (size_t i = 0; i < TIME_FIELDS; i++)
		*fields[i].to = *fields[i].to > 1.0 ? 1.0 : *fields[i].to;
	v->packet_load = v->packet_load_max = v->busy = NAN;
}

static void
build_cores(struct rs_model *m)
{
	size_t n = 0;
	for (unsigned cpu = 0; cpu < m->n_cores; cpu++)
		n += m->cores[cpu].is_known;
	if (rs_model_grow((void **)&m->core_views, &m->cap_core_views, n, sizeof(*m->core_views)) <
	    0)
		n = 0;
	size_t at = 0;
	for (unsigned cpu = 0; cpu < m->n_cores && at < n; cpu++) {
		if (m->cores[cpu].is_known)
			build_core(m, cpu, &m->core_views[at++]);
	}
	m->view.cores = m->core_views;
	m->view.n_cores = n;
}

/* A sum of what is known; NAN when nothing is. */
static double
sum_known(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

static double
utilization(double bps, double pps, int64_t speed_bps)
{
	if (speed_bps <= 0)
		return NAN;
	return (bps + 8.0 * WIRE_OVERHEAD_BYTES * pps) / (double)speed_bps;
}

/* The sum of the fields of struct rtnl_link_stats64 that the bits name. */
static double
sum_fields(const struct rs_model *m, const struct rs_nic_state *n, unsigned bits)
{
	static const struct {
		unsigned bit;
		enum rs_metric_id metric;
	} fields[] = {
	    {RS_LOSS_MISSED, RS_M_NIC_RX_MISSED},
	    {RS_LOSS_FIFO, RS_M_NIC_RX_FIFO},
	    {RS_LOSS_OVER, RS_M_NIC_RX_OVER},
	    {RS_LOSS_DROPPED, RS_M_NIC_RX_DROPPED},
	    {RS_LOSS_ERRORS, RS_M_NIC_RX_ERRORS},
	    {RS_LOSS_DRIVER, RS_M_NIC_RX_RING},
	};
	double sum = NAN;
	for (size_t i = 0; i < RS_ARRAY_LEN(fields); i++) {
		if (bits & fields[i].bit)
			sum = sum_known(sum, rs_series_now(m, n->slot, fields[i].metric));
	}
	return sum;
}

/* What is left of a sum when its part is taken out; a part that is not known
 * takes nothing. Two counters read at one instant need not be of one instant. */
static double
without(double sum, double part)
{
	return isnan(part) ? sum : fmax(0.0, sum - part);
}

/* Each packet lost is in one stage. What a driver books in two fields is counted
 * in the ring's and taken out of the other; what no stage explains (software
 * drops, unknown protocols among them) remains. */
static void
build_losses(const struct rs_model *m, const struct rs_nic_state *n, struct rs_nic_view *v)
{
	/* Of a driver that is not known, what the kernel's field is meant for. */
	const unsigned ring = n->info.loss_ring ? n->info.loss_ring : RS_LOSS_MISSED;
	unsigned in = n->info.loss_ring_in;
	/* A source without rx_missed has it in rx_dropped (/proc/net/dev). */
	if ((in & RS_LOSS_MISSED) && isnan(v->rx_missed_pps))
		in |= RS_LOSS_DROPPED;
	const unsigned rest = RS_LOSS_MISSED | RS_LOSS_FIFO | RS_LOSS_OVER | RS_LOSS_DROPPED;
	const double wire = sum_fields(m, n, ring & RS_LOSS_ERRORS ? 0 : RS_LOSS_ERRORS);
	v->lost_ring_pps = sum_fields(m, n, ring);
	v->lost_wire_pps = in & RS_LOSS_ERRORS ? without(wire, v->lost_ring_pps) : wire;
	v->lost_qdisc_pps = rs_series_now(m, n->slot, RS_M_NIC_TX_QDISC);
	v->requeues_ps = rs_series_now(m, n->slot, RS_M_NIC_TX_REQUEUES);
	v->rx_pause_ps = rs_series_now(m, n->slot, RS_M_NIC_RX_PAUSE);
	v->tx_pause_ps = rs_series_now(m, n->slot, RS_M_NIC_TX_PAUSE);
	v->tx_stops_ps = rs_series_now(m, n->slot, RS_M_NIC_TX_STOPS);
	v->tx_timeouts_ps = rs_series_now(m, n->slot, RS_M_NIC_TX_TIMEOUTS);
	v->allowance_pps = rs_series_now(m, n->slot, RS_M_NIC_ALLOWANCE);
	v->lost_tx_pps =
	    sum_known(v->tx_dropped_pps, rs_series_now(m, n->slot, RS_M_NIC_TX_ERRORS));
	const unsigned elsewhere = ring | (in & ~(unsigned)RS_LOSS_DROPPED);
	const double others = sum_fields(m, n, rest & ~elsewhere);
	/* Where only a part of the ring's losses is the driver's to tell, that
	 * part is what rx_dropped has as well. */
	const unsigned part = ring & RS_LOSS_DRIVER ? RS_LOSS_DRIVER : ring;
	v->lost_unattributed_pps =
	    in & RS_LOSS_DROPPED ? without(others, sum_fields(m, n, part)) : others;
}

static void
build_nic(const struct rs_model *m, const struct rs_nic_state *n, struct rs_nic_view *v)
{
	memset(v, 0, sizeof(*v));
	v->info = n->info;
	v->has_counters = n->has_counters;
	v->rx_bps = 8.0 * rs_series_now(m, n->slot, RS_M_NIC_RX_BYTES);
	v->tx_bps = 8.0 * rs_series_now(m, n->slot, RS_M_NIC_TX_BYTES);
	v->rx_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_PACKETS);
	v->tx_pps = rs_series_now(m, n->slot, RS_M_NIC_TX_PACKETS);
	v->rx_utilization = utilization(v->rx_bps, v->rx_pps, n->info.speed_bps);
	v->tx_utilization = utilization(v->tx_bps, v->tx_pps, n->info.speed_bps);
	v->rx_dropped_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_DROPPED);
	v->tx_dropped_pps = rs_series_now(m, n->slot, RS_M_NIC_TX_DROPPED);
	v->rx_missed_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_MISSED);
	v->rx_fifo_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_FIFO);
	v->rx_crc_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_CRC);
	v->rx_over_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_OVER);
	v->rx_nohandler_pps = rs_series_now(m, n->slot, RS_M_NIC_RX_NOHANDLER);
	v->errors_pps = sum_known(rs_series_now(m, n->slot, RS_M_NIC_RX_ERRORS),
	    rs_series_now(m, n->slot, RS_M_NIC_TX_ERRORS));
	v->origin = n->origin;
	build_losses(m, n, v);
}

static void
build_nics(struct rs_model *m)
{
	size_t n = m->n_nics;
	if (rs_model_grow((void **)&m->nic_views, &m->cap_nic_views, n, sizeof(*m->nic_views)) < 0)
		n = 0;
	bool has_physical = false;
	for (size_t i = 0; i < n; i++) {
		build_nic(m, &m->nics[i], &m->nic_views[i]);
		has_physical |= m->nics[i].info.is_physical;
	}
	for (size_t i = 0; i < n; i++) {
		const struct rs_nic_info *const info = &m->nic_views[i].info;
		m->nic_views[i].counts_in_sums = !info->is_loopback &&
						 !info->is_master_or_stacked &&
						 (info->is_physical || !has_physical);
	}
	m->view.nics = m->nic_views;
	m->view.n_nics = n;
}

static bool
feeds_a_queue(const struct rs_irq_state *s)
{
	for (uint32_t i = 0; i < s->n_feeds; i++) {
		if (s->feeds[i].role == RS_IRQ_QUEUE)
			return true;
	}
	return false;
}

static void
build_irqs(struct rs_model *m)
{
	uint32_t n = m->irqs_applied ? m->n_irqs : 0;
	if (rs_model_grow((void **)&m->irq_views, &m->cap_irq_views, n, sizeof(*m->irq_views)) < 0)
		n = 0;
	for (uint32_t i = 0; i < n; i++) {
		const struct rs_irq_state *const s = &m->irqs[i];
		struct rs_irq_view *const v = &m->irq_views[i];
		memcpy(v->name, s->name, sizeof(v->name));
		v->chip = s->chip ? s->chip : "";
		v->actions = s->actions ? s->actions : "";
		v->rate_ps = s->has_value ? s->rate_ps : (double)NAN;
		v->unhandled_ps = rs_irq_unhandled_now(m, s);
		v->cells = s->n_moved ? &m->moved[s->first_moved] : NULL;
		v->n_cells = s->n_moved;
		v->feeds = s->feeds;
		v->n_feeds = s->n_feeds;
		v->is_nic_queue = feeds_a_queue(s);
	}
	m->view.irqs = m->irq_views;
	m->view.n_irqs = n;
}

static void
build_host(struct rs_model *m)
{
	struct rs_view *const v = &m->view;
	v->temperature_celsius = rs_series_now(m, m->host_slot, RS_M_TEMPERATURE);
	v->conntrack_entries = rs_series_now(m, m->host_slot, RS_M_CONNTRACK_ENTRIES);
	v->conntrack_dropped_pps = rs_series_now(m, m->host_slot, RS_M_CONNTRACK_DROPPED);
	v->conntrack_early_drops_ps = rs_series_now(m, m->host_slot, RS_M_CONNTRACK_EARLY_DROPS);
	v->conntrack_insert_failed_ps =
	    rs_series_now(m, m->host_slot, RS_M_CONNTRACK_INSERT_FAILED);
}

static void
build_sums(struct rs_view *v)
{
	v->rx_bps = v->tx_bps = v->rx_pps = v->tx_pps = v->drops_pps = NAN;
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (!n->counts_in_sums)
			continue;
		v->rx_bps = sum_known(v->rx_bps, n->rx_bps);
		v->tx_bps = sum_known(v->tx_bps, n->tx_bps);
		v->rx_pps = sum_known(v->rx_pps, n->rx_pps);
		v->tx_pps = sum_known(v->tx_pps, n->tx_pps);
		/* A queueing discipline drops to keep queues short: that is its work. */
		v->drops_pps = sum_known(v->drops_pps, n->lost_ring_pps);
		v->drops_pps = sum_known(v->drops_pps, n->tx_dropped_pps);
	}
	for (size_t i = 0; i < v->n_cores; i++)
		v->drops_pps = sum_known(v->drops_pps, v->cores[i].dropped_pps);
}

/* Without the kernel's own word: hard interrupt time that is booked at all
 * means precise accounting; none after many interrupts means tick accounting
 * (kernel/sched/cputime.c). */
static enum rs_cpu_accounting
accounting(const struct rs_model *m)
{
	if (m->cpus.is_present && m->cpus.precise_irq_time >= 0)
		return m->cpus.precise_irq_time ? RS_ACCOUNTING_PRECISE : RS_ACCOUNTING_TICK;
	uint64_t irq_cs = 0, interrupts = 0;
	for (unsigned cpu = 0; cpu < m->n_cores; cpu++) {
		const struct rs_core_state *const c = &m->cores[cpu];
		const uint32_t slot = c->slot ? c->slot[m->local_index[RS_M_CPU_IRQ]] : RS_NO_SLOT;
		if (slot != RS_NO_SLOT && m->series[slot].has_prev)
			irq_cs += m->series[slot].prev_raw;
	}
	for (size_t i = 0; m->irqs_have_prev && i < (size_t)m->n_irqs * m->n_columns; i++) {
		if (m->irqs[i / m->n_columns].is_numbered)
			interrupts += m->prev_cells[i];
	}
	if (irq_cs > 10)
		return RS_ACCOUNTING_PRECISE;
	return irq_cs == 0 && interrupts > 100000 ? RS_ACCOUNTING_TICK : RS_ACCOUNTING_UNKNOWN;
}

static bool
has_rates(const struct rs_model *m)
{
	for (size_t i = 0; i < m->view.n_cores; i++) {
		if (!isnan(m->view.cores[i].idle) || !isnan(m->view.cores[i].processed_pps))
			return true;
	}
	return false;
}

void
rs_view_build(struct rs_model *m)
{
	struct rs_view *const v = &m->view;
	v->tick = m->tick;
	v->mono_ns = m->now.mono_ns;
	v->due_ns = m->now.due_ns;
	v->wall_ms = m->now.wall_ms;
	v->boot_ms = m->now.boot_ns / RS_NS_PER_MS;
	v->is_clock_ok = m->now.is_clock_ok;
	v->interval_ns = m->conf.interval_ns;
	v->missing = m->missing;
	build_cores(m);
	build_nics(m);
	build_irqs(m);
	rs_queues_view(m);
	rs_threads_view(m);
	v->napis = m->napis;
	v->n_napis = m->n_napis;
	v->facts = m->facts;
	v->n_facts = m->n_facts;
	v->changes = m->changes;
	v->n_changes = m->n_changes;
	rs_flows_view(m);
	build_host(m);
	build_sums(v);
	/* The guess walks the whole matrix: not each tick. */
	if (m->cpus.precise_irq_time >= 0 ||
	    (v->accounting == RS_ACCOUNTING_UNKNOWN && m->tick % 64 <= 2))
		v->accounting = accounting(m);
	if (v->accounting == RS_ACCOUNTING_TICK) {
		for (size_t i = 0; i < v->n_cores; i++)
			m->core_views[i].irq = NAN;
	}
	v->has_rates = has_rates(m);
	v->has_packet_load = false;
	v->hottest_core_load = v->effective_cores = NAN;
	v->n_online = v->n_eligible = v->n_eligible_groups = 0;
}

const struct rs_core_view *
rs_view_core(const struct rs_view *v, unsigned cpu)
{
	size_t low = 0, high = v->n_cores;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (v->cores[mid].cpu < cpu)
			low = mid + 1;
		else
			high = mid;
	}
	return low < v->n_cores && v->cores[low].cpu == cpu ? &v->cores[low] : NULL;
}

const struct rs_thread_view *
rs_view_queue_thread(const struct rs_view *v, const struct rs_queue_view *q)
{
	for (size_t i = 0; q->napi != 0 && i < v->n_threads; i++) {
		const struct rs_thread *const t = &v->threads[i].thread;
		if (t->class == RS_THREAD_NAPI && t->napi_id == q->napi && t->ifindex == q->ifindex)
			return &v->threads[i];
	}
	return NULL;
}

const struct rs_nic_view *
rs_view_nic(const struct rs_view *v, uint32_t ifindex)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		if (v->nics[i].info.ifindex == ifindex)
			return &v->nics[i];
	}
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/* Views made by hand. */
#include "view_builder.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

static void *
must_calloc(size_t n, size_t size)
{
	void *p = calloc(n, size);

	if (!p)
		abort();
	return p;
}

struct rs_vb *
rs_vb_new(size_t n_cores)
{
	struct rs_vb *b = must_calloc(1, sizeof(*b));

	b->cores = must_calloc(n_cores, sizeof(*b->cores));
	b->n_cores = n_cores;
	b->groups = must_calloc(RS_GROUPS_MAX + 1, sizeof(*b->groups));
	for (unsigned i = 0; i < n_cores; i++) {
		b->cores[i].cpu = b->cores[i].group = i;
		b->cores[i].is_online = true;
		b->cores[i].throttled = NAN;
		rs_vb_core(b, i, 0.0, 0.0);
	}
	b->v.interval_ns = RS_NS_PER_S;
	b->v.wall_ms = 1700000000000;
	b->v.is_clock_ok = true;
	b->v.accounting = RS_ACCOUNTING_PRECISE;
	b->v.cores = b->cores;
	b->v.n_cores = n_cores;
	b->v.nics = b->nics;
	b->v.irqs = b->irqs;
	b->v.threads = b->threads;
	b->v.changes = b->changes;
	b->v.temperature_celsius = NAN;
	b->v.conntrack_entries = b->v.conntrack_dropped_pps = NAN;
	b->v.conntrack_early_drops_ps = b->v.conntrack_insert_failed_ps = NAN;
	return b;
}

void
rs_vb_free(struct rs_vb *b)
{
	for (size_t i = 0; b && i < b->v.n_irqs; i++)
		free(b->lines[i].cells);
	if (b) {
		free(b->cores);
		free(b->groups);
	}
	free(b);
}

void
rs_vb_core(struct rs_vb *b, unsigned cpu, double load, double busy)
{
	struct rs_core_view *c = &b->cores[cpu];

	c->user = c->nice = c->iowait = c->irq = c->steal = 0.0;
	c->softirq = load;
	c->system = fmax(0.0, busy - load);
	c->idle = 1.0 - busy;
	c->processed_pps = 1e5 * load;
	c->net_rx_ps = c->processed_pps / 10.0;
	c->dropped_pps = c->squeezed_ps = c->rps_ps = c->flow_limit_ps = c->backlog = 0.0;
}

void
rs_vb_loads(struct rs_vb *b, const double *percent, size_t n)
{
	for (unsigned i = 0; i < n; i++)
		rs_vb_core(b, i, percent[i] / 100.0, percent[i] / 100.0);
}

void
rs_vb_core_unknown(struct rs_vb *b, unsigned cpu)
{
	struct rs_core_view *c = &b->cores[cpu];

	c->user = c->nice = c->system = c->idle = c->iowait = c->irq = c->softirq = c->steal = NAN;
	c->processed_pps = c->dropped_pps = c->rps_ps = NAN;
}

struct rs_nic_view *
rs_vb_nic(struct rs_vb *b, const char *name, int64_t speed_bps)
{
	if (b->v.n_nics == RS_VB_NICS)
		abort();
	struct rs_nic_view *n = &b->nics[b->v.n_nics++];

	n->info.ifindex = (uint32_t)b->v.n_nics + 1;
	(void)rs_text_copy(rs_text_of(name), n->info.name, sizeof(n->info.name));
	n->info.speed_bps = speed_bps;
	n->info.is_physical = true;
	n->info.is_up = 1;
	n->counts_in_sums = true;
	n->rx_missed_pps = 0.0;
	n->rx_pause_ps = n->tx_pause_ps = n->tx_stops_ps = n->tx_timeouts_ps = NAN;
	n->allowance_pps = NAN;
	rs_vb_traffic(n, 0.0, 0.0, 0.0);
	return n;
}

void
rs_vb_traffic(struct rs_nic_view *n, double rx_bps, double tx_bps, double pps)
{
	const double speed = n->info.speed_bps > 0 ? (double)n->info.speed_bps : (double)NAN;

	n->rx_bps = rx_bps;
	n->tx_bps = tx_bps;
	n->rx_pps = rx_bps > 0.0 ? pps : 0.0;
	n->tx_pps = tx_bps > 0.0 ? pps : 0.0;
	n->rx_utilization = (n->rx_bps + 8.0 * 24.0 * n->rx_pps) / speed;
	n->tx_utilization = (n->tx_bps + 8.0 * 24.0 * n->tx_pps) / speed;
}

static uint32_t
ifindex_of(const struct rs_vb *b, const char *device)
{
	for (size_t k = 0; k < b->v.n_nics; k++) {
		if (strcmp(b->nics[k].info.name, device) == 0)
			return b->nics[k].info.ifindex;
	}
	return 0;
}

size_t
rs_vb_irq(struct rs_vb *b, const char *irq, const char *actions, const char *device, int32_t queue,
    enum rs_irq_role role)
{
	if (b->v.n_irqs == RS_VB_IRQS)
		abort();
	const size_t i = b->v.n_irqs++;
	struct rs_vb_irq *line = &b->lines[i];

	line->cells = must_calloc(b->n_cores, sizeof(*line->cells));
	line->feeds[0].queue = queue;
	line->feeds[0].is_rx = line->feeds[0].is_tx = 1;
	line->feeds[0].role = role;
	line->feeds[0].ifindex = ifindex_of(b, device);
	(void)rs_text_copy(rs_text_of(actions), line->actions, sizeof(line->actions));
	(void)rs_text_copy(rs_text_of(irq), b->irqs[i].name, sizeof(b->irqs[i].name));
	(void)rs_text_copy(rs_text_of("PCI-MSI"), line->chip, sizeof(line->chip));
	b->irqs[i].chip = line->chip;
	b->irqs[i].actions = line->actions;
	b->irqs[i].cells = line->cells;
	b->irqs[i].feeds = line->feeds;
	b->irqs[i].n_feeds = role != RS_IRQ_OTHER;
	b->irqs[i].is_nic_queue = role == RS_IRQ_QUEUE;
	b->irqs[i].unhandled_ps = NAN;
	return i;
}

void
rs_vb_share(struct rs_vb *b, size_t irq, const char *device, int32_t queue)
{
	struct rs_vb_irq *line = &b->lines[irq];

	if (b->irqs[irq].n_feeds == RS_VB_FEEDS)
		abort();
	line->feeds[b->irqs[irq].n_feeds++] = (struct rs_irq_feed){
	    .ifindex = ifindex_of(b, device),
	    .queue = queue,
	    .is_rx = 1,
	    .is_tx = 1,
	    .role = RS_IRQ_QUEUE,
	};
}

void
rs_vb_fire(struct rs_vb *b, size_t irq, unsigned cpu, double rate_ps)
{
	struct rs_vb_irq *line = &b->lines[irq];

	uint32_t at = 0;

	while (at < line->n_cells && line->cells[at].cpu != cpu)
		at++;
	if (at == line->n_cells) {
		line->cells[line->n_cells++] = (struct rs_irq_cell){.cpu = (uint16_t)cpu};
		b->irqs[irq].n_cells = line->n_cells;
	}
	line->cells[at].rate_ps += rate_ps;
	b->irqs[irq].rate_ps += rate_ps;
}

void
rs_vb_silence(struct rs_vb *b, size_t irq)
{
	b->lines[irq].n_cells = b->irqs[irq].n_cells = 0;
	b->irqs[irq].rate_ps = 0.0;
}

/* "napi/eth0-8193" polls the instance 8193 of eth0. */
static void
name_napi(const struct rs_vb *b, struct rs_thread *t)
{
	struct rs_text text = rs_text_of(t->name), device;
	char name[16];
	uint64_t id;

	if (t->class != RS_THREAD_NAPI || !rs_text_skip(&text, "napi/") ||
	    !rs_text_until(&text, '-', &device) || !rs_text_u64(&text, &id))
		return;
	(void)rs_text_copy(device, name, sizeof(name));
	t->ifindex = ifindex_of(b, name);
	t->napi_id = (uint32_t)id;
}

struct rs_thread_view *
rs_vb_thread(
    struct rs_vb *b, enum rs_thread_class class, const char *name, unsigned cpu, double load)
{
	size_t i = 0;

	while (i < b->v.n_threads && strcmp(b->threads[i].thread.name, name) != 0)
		i++;
	if (i == RS_VB_THREADS)
		abort();
	b->v.n_threads = i < b->v.n_threads ? b->v.n_threads : i + 1;
	b->v.has_threads = true;
	struct rs_thread_view *t = &b->threads[i];
	(void)rs_text_copy(rs_text_of(name), t->thread.name, sizeof(t->thread.name));
	t->thread.class = class;
	t->thread.ifindex = class == RS_THREAD_IRQ ? 2 : 0; /* of the first interface */
	t->thread.tid = (int32_t)i + 10;
	t->thread.cpu = (int32_t)cpu;
	t->load = load;
	name_napi(b, &t->thread);
	return t;
}

static int
compare_fact(const struct rs_fact *f, enum rs_fact_id id, uint32_t key, uint16_t queue)
{
	if (f->id != id)
		return f->id < id ? -1 : 1;
	if (f->key != key)
		return f->key < key ? -1 : 1;
	return f->queue < queue ? -1 : f->queue > queue;
}

/* As the model does (daemon/model/facts.c). */
static void
note_change(struct rs_vb *b, enum rs_fact_id id, uint32_t key)
{
	if (b->n_changes == RS_VB_CHANGES)
		abort();
	struct rs_change *const c = &b->changes[b->n_changes++];

	*c = (struct rs_change){.fact = (uint16_t)id, .labels = rs_labels_none};
	for (size_t i = 0; rs_facts[id].on == RS_ON_NIC && i < b->v.n_nics; i++) {
		if (b->nics[i].info.ifindex == key)
			memcpy(c->labels.device, b->nics[i].info.name, sizeof(c->labels.device));
	}
}

void
rs_vb_fact(struct rs_vb *b, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value)
{
	size_t i = 0;

	while (i < b->v.n_facts && compare_fact(&b->facts[i], id, key, queue) < 0)
		i++;
	if (i == b->v.n_facts || compare_fact(&b->facts[i], id, key, queue) != 0) {
		if (b->v.n_facts == RS_VB_FACTS)
			abort();
		memmove(&b->facts[i + 1], &b->facts[i], (b->v.n_facts - i) * sizeof(b->facts[0]));
		b->facts[i] = (struct rs_fact){.id = (uint16_t)id,
		    .queue = queue,
		    .key = key,
		    .value = b->values[b->v.n_facts++]};
	} else if (!rs_text_eq(value, b->facts[i].value)) {
		note_change(b, id, key);
	}
	const size_t at = (size_t)(b->facts[i].value - b->values[0]) / sizeof(b->values[0]);
	(void)rs_text_copy(value, b->values[at], sizeof(b->values[at]));
	b->v.facts = b->facts;
}

/* As the model has them: by interface, receive queues, then transmit, each in
 * order. */
static bool
is_before(const struct rs_queue_view *a, uint32_t ifindex, bool is_tx, uint16_t queue)
{
	if (a->ifindex != ifindex)
		return a->ifindex < ifindex;
	if (a->is_tx != is_tx)
		return !a->is_tx;
	return a->queue < queue;
}

struct rs_queue_view *
rs_vb_queue(
    struct rs_vb *b, uint32_t ifindex, bool is_tx, uint16_t queue, double pps, double drops_pps)
{
	size_t i = 0;

	while (i < b->v.n_queues && is_before(&b->queues[i], ifindex, is_tx, queue))
		i++;
	struct rs_queue_view *const q = &b->queues[i];
	if (i == b->v.n_queues || q->ifindex != ifindex || q->is_tx != is_tx || q->queue != queue) {
		if (b->v.n_queues == RS_VB_QUEUES)
			abort();
		memmove(q + 1, q, (b->v.n_queues++ - i) * sizeof(*q));
		*q = (struct rs_queue_view){
		    .ifindex = ifindex, .queue = queue, .is_tx = is_tx, .bps = NAN};
		q->source = RS_QUEUES_NETLINK;
	}
	q->pps = pps;
	q->drops_pps = drops_pps;
	b->v.queues = b->queues;
	return q;
}

void
rs_vb_flow(struct rs_vb *b, const struct rs_heavy_flow *f)
{
	size_t i = 0, n = b->v.n_flows;

	while (i < n && (b->flows[i].protocol != f->protocol ||
			    memcmp(&b->flows[i].ends, &f->ends, sizeof(f->ends)) != 0))
		i++;
	if (i < n)
		memmove(&b->flows[i], &b->flows[i + 1], (--n - i) * sizeof(*f));
	if (f->bps > 0.0) {
		if (n == RS_HEAVY_FLOWS_MAX)
			abort();
		for (i = n++; i > 0 && b->flows[i - 1].bps < f->bps; i--)
			b->flows[i] = b->flows[i - 1];
		b->flows[i] = *f;
	}
	b->v.flows = b->flows;
	b->v.n_flows = n;
	b->v.has_flows = true;
}

static const struct rs_irq_view *
line_of(const struct rs_vb *b, const struct rs_queue_view *q)
{
	for (size_t i = 0; i < b->v.n_irqs; i++) {
		for (uint32_t k = 0; k < b->irqs[i].n_feeds; k++) {
			const struct rs_irq_feed *const f = &b->irqs[i].feeds[k];
			if (f->role == RS_IRQ_QUEUE && f->ifindex == q->ifindex &&
			    f->queue == (int32_t)q->queue)
				return &b->irqs[i];
		}
	}
	return NULL;
}

/* As the model does (daemon/model/queues.c). */
static void
settle_queues(struct rs_vb *b)
{
	for (size_t n = 0; n < b->v.n_nics; n++) {
		struct rs_nic_view *const nic = &b->nics[n];
		double sums[2] = {0.0, 0.0};

		nic->first_queue = nic->n_queues = 0;
		for (uint32_t i = 0; i < b->v.n_queues; i++) {
			if (b->queues[i].ifindex != nic->info.ifindex)
				continue;
			nic->first_queue = nic->n_queues++ == 0 ? i : nic->first_queue;
			sums[b->queues[i].is_tx] += isnan(b->queues[i].pps) ? 0 : b->queues[i].pps;
		}
		for (uint32_t i = 0; i < nic->n_queues; i++) {
			struct rs_queue_view *const q = &b->queues[nic->first_queue + i];
			q->share = sums[q->is_tx] > 0.0 ? q->pps / sums[q->is_tx] : (double)NAN;
			q->line = line_of(b, q);
		}
	}
}

static double
sum_known(double a, double b)
{
	if (isnan(a))
		return b;
	return isnan(b) ? a : a + b;
}

static void
sum_nics(struct rs_vb *b)
{
	struct rs_view *v = &b->v;

	v->rx_bps = v->tx_bps = v->rx_pps = v->tx_pps = v->drops_pps = NAN;
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *n = &b->nics[i];
		if (!n->counts_in_sums)
			continue;
		v->rx_bps = sum_known(v->rx_bps, n->rx_bps);
		v->tx_bps = sum_known(v->tx_bps, n->tx_bps);
		v->rx_pps = sum_known(v->rx_pps, n->rx_pps);
		v->tx_pps = sum_known(v->tx_pps, n->tx_pps);
		v->drops_pps = sum_known(v->drops_pps, n->lost_ring_pps);
	}
	for (size_t i = 0; i < v->n_cores; i++)
		v->drops_pps = sum_known(v->drops_pps, b->cores[i].dropped_pps);
}

static void
sum_irqs(struct rs_vb *b)
{
	const double none = b->lacks_interrupts ? (double)NAN : 0.0;

	for (size_t i = 0; i < b->n_cores; i++)
		b->cores[i].nic_interrupts_ps = b->cores[i].interrupts_ps = none;
	for (size_t i = 0; i < b->v.n_irqs; i++) {
		for (uint32_t k = 0; k < b->irqs[i].n_cells; k++) {
			const struct rs_irq_cell *cell = &b->irqs[i].cells[k];
			b->cores[cell->cpu].interrupts_ps += cell->rate_ps;
			if (b->irqs[i].n_feeds > 0)
				b->cores[cell->cpu].nic_interrupts_ps += cell->rate_ps;
		}
	}
}

/* As the model does (daemon/model/threads.c). */
static void
sum_threads(struct rs_vb *b)
{
	for (size_t i = 0; i < b->n_cores; i++)
		b->cores[i].packet_threads = b->v.has_threads ? 0.0 : (double)NAN;
	for (size_t i = 0; i < b->v.n_threads; i++) {
		const struct rs_thread_view *t = &b->threads[i];
		if (rs_thread_does_packets(&t->thread) && !isnan(t->load))
			b->cores[t->thread.cpu].packet_threads += t->load;
	}
}

const struct rs_view *
rs_vb_tick(struct rs_vb *b)
{
	struct rs_view *v = &b->v;

	v->tick++;
	v->due_ns += v->interval_ns;
	v->mono_ns = v->due_ns + 200000;
	v->wall_ms += v->interval_ns / RS_NS_PER_MS;
	v->has_rates = true;
	v->n_changes = b->n_changes;
	b->n_changes = 0;
	sum_nics(b);
	sum_irqs(b);
	sum_threads(b);
	settle_queues(b);
	rs_load_fill(v, b->cores, b->n_cores, &b->cpus, &b->reserved, b->groups);
	return v;
}

void
rs_vb_skip(struct rs_vb *b, unsigned ticks)
{
	b->v.due_ns += ticks * b->v.interval_ns;
	b->v.wall_ms += ticks * b->v.interval_ns / RS_NS_PER_MS;
}

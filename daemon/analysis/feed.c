/* SPDX-License-Identifier: ISC */
/*
 * From interrupt lines to "core 3 is fed by eth0". Link, mailbox and admin
 * lines say nothing about packets and are left out.
 */
#include "feed.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

/* A source below this share of what reaches the core is not worth a name. */
#define WORTH_NAMING 0.10
/* One line with this share of a device's interrupts stands for its queue. */
#define ONE_QUEUE 0.80

bool
rs_irq_is_busy(const struct rs_irq_view *q, double min_rate_ps)
{
	return q->is_nic_queue && q->rate_ps >= min_rate_ps;
}

double
rs_irq_rate_on(const struct rs_irq_view *q, unsigned cpu)
{
	for (uint32_t i = 0; i < q->n_cells; i++) {
		if (q->cells[i].cpu == cpu)
			return q->cells[i].rate_ps;
	}
	return 0.0;
}

int
rs_irq_busiest_core(const struct rs_irq_view *q)
{
	double most = 0.0;
	int cpu = -1;

	for (uint32_t i = 0; i < q->n_cells; i++) {
		if (q->cells[i].rate_ps > most) {
			most = q->cells[i].rate_ps;
			cpu = q->cells[i].cpu;
		}
	}
	return cpu;
}

const struct rs_irq_feed *
rs_irq_feed_of(const struct rs_irq_view *q, uint32_t ifindex)
{
	for (uint32_t i = 0; i < q->n_feeds; i++) {
		const struct rs_irq_feed *const f = &q->feeds[i];
		if (f->role == RS_IRQ_QUEUE && (ifindex == 0 || f->ifindex == ifindex))
			return f;
	}
	return NULL;
}

/* Adds a line to the devices seen so far; queue_rate is what f.queue has. */
static size_t
add_line(const struct rs_view *v, const struct rs_irq_feed *feed, double rate_ps,
    struct rs_core_feed *f, double *queue_rate, size_t n)
{
	size_t at = 0;

	while (at < n && f[at].ifindex != feed->ifindex)
		at++;
	if (at == n) {
		const struct rs_nic_view *const nic = rs_view_nic(v, feed->ifindex);
		if (!nic || n == RS_FEEDS_MAX)
			return n;
		f[n] = (struct rs_core_feed){.ifindex = feed->ifindex, .queue = -1};
		memcpy(f[n].device, nic->info.name, sizeof(f[n].device));
		queue_rate[n++] = 0.0;
	}
	f[at].rate_ps += rate_ps;
	if (feed->queue == f[at].queue) {
		queue_rate[at] += rate_ps; /* rx and tx of one queue may have a line each */
	} else if (rate_ps > queue_rate[at]) {
		queue_rate[at] = rate_ps;
		f[at].queue = feed->queue;
	}
	return n;
}

static void
sort_by_rate(struct rs_core_feed *f, size_t n)
{
	for (size_t i = 1; i < n; i++) {
		const struct rs_core_feed moved = f[i];
		size_t at = i;
		for (; at > 0 && f[at - 1].rate_ps < moved.rate_ps; at--)
			f[at] = f[at - 1];
		f[at] = moved;
	}
}

/* A device with a line for rx and one for tx names itself in a line once. */
static bool
is_first_of_device(const struct rs_irq_view *q, uint32_t at)
{
	for (uint32_t i = 0; i < at; i++) {
		if (q->feeds[i].role == RS_IRQ_QUEUE && q->feeds[i].ifindex == q->feeds[at].ifindex)
			return false;
	}
	return q->feeds[at].role == RS_IRQ_QUEUE;
}

size_t
rs_feeds_of_core(const struct rs_view *v, unsigned cpu, struct rs_core_feed *ret, size_t cap)
{
	struct rs_core_feed f[RS_FEEDS_MAX];
	double queue_rate[RS_FEEDS_MAX];
	size_t n = 0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		const double rate = q->is_nic_queue ? rs_irq_rate_on(q, cpu) : 0.0;
		for (uint32_t j = 0; rate > 0.0 && j < q->n_feeds; j++) {
			if (is_first_of_device(q, j))
				n = add_line(v, &q->feeds[j], rate, f, queue_rate, n);
		}
	}
	for (size_t i = 0; i < n; i++) {
		if (queue_rate[i] < ONE_QUEUE * f[i].rate_ps)
			f[i].queue = -1;
	}
	sort_by_rate(f, n);
	n = RS_MIN(n, cap);
	memcpy(ret, f, n * sizeof(*ret));
	return n;
}

static void
append(char *dst, size_t cap, const char *text)
{
	const size_t len = strlen(dst);

	(void)snprintf(dst + len, cap - len, "%s%s", len > 0 ? " and " : "", text);
}

static void
append_thread(const struct rs_view *v, unsigned cpu, char *dst, size_t cap)
{
	const struct rs_thread_view *const t = rs_load_busiest_thread(v, cpu, true);
	char text[64];

	if (t) {
		(void)snprintf(text, sizeof(text), "thread %s", t->thread.name);
		append(dst, cap, text);
	}
}

bool
rs_feed_is_read(const struct rs_core_view *c)
{
	return !isnan(c->nic_interrupts_ps) && !isnan(c->processed_pps) && !isnan(c->rps_ps);
}

void
rs_feed_phrase(const struct rs_view *v, unsigned cpu, char *dst, size_t cap)
{
	struct rs_core_feed f[RS_FEEDS_MAX];
	const size_t n = rs_feeds_of_core(v, cpu, f, RS_FEEDS_MAX);
	const struct rs_core_view *const core = rs_view_core(v, cpu);
	const double rps = core && core->rps_ps >= 1.0 ? core->rps_ps : 0.0;
	double all = rps;
	char text[64];

	for (size_t i = 0; i < n; i++)
		all += f[i].rate_ps;
	dst[0] = '\0';
	if (core && rs_load_is_threads(core))
		append_thread(v, cpu, dst, cap);
	for (size_t i = 0; i < RS_MIN(n, 2u); i++) {
		if (f[i].rate_ps < 1.0 || f[i].rate_ps < WORTH_NAMING * all)
			continue;
		if (f[i].queue >= 0)
			(void)snprintf(
			    text, sizeof(text), "%s queue %d", f[i].device, (int)f[i].queue);
		else
			(void)snprintf(text, sizeof(text), "%s", f[i].device);
		append(dst, cap, text);
	}
	if (rps > WORTH_NAMING * all)
		append(dst, cap, "packets handed over by other cores (RPS)");
	if (dst[0] == '\0')
		append(dst, cap,
		    core && rs_feed_is_read(core)
			? "packets without NIC interrupts (virtual interfaces or RPS)"
			: "a packet source that could not be read");
}

double
rs_feed_count_cores(const struct rs_view *v)
{
	double n = NAN;

	for (size_t i = 0; i < v->n_cores; i++) {
		const double rate = v->cores[i].nic_interrupts_ps;
		if (!isnan(rate))
			n = fmax(n, 0.0) + (rate >= RS_NETWORK_WORK_PS); /* fmax leaves NAN out */
	}
	return n;
}

static uint32_t
device_of(const struct rs_irq_view *q)
{
	uint32_t ifindex = 0;

	for (uint32_t i = 0; i < q->n_feeds; i++) {
		if (q->feeds[i].role != RS_IRQ_QUEUE)
			continue;
		if (ifindex != 0 && ifindex != q->feeds[i].ifindex)
			return 0;
		ifindex = q->feeds[i].ifindex;
	}
	return ifindex;
}

/* The core that has more than half of the pile if any has: a majority vote
 * weighted by rate needs no table of cores. */
static void
vote_majority(const struct rs_irq_view *q, unsigned *cpu, double *lead)
{
	for (uint32_t i = 0; i < q->n_cells; i++) {
		const struct rs_irq_cell *const c = &q->cells[i];
		if (c->cpu == *cpu) {
			*lead += c->rate_ps;
		} else if (c->rate_ps > *lead) {
			*cpu = c->cpu;
			*lead = c->rate_ps - *lead;
		} else {
			*lead -= c->rate_ps;
		}
	}
}

void
rs_irq_pile_of(const struct rs_view *v, double min_rate_ps, struct rs_irq_pile *ret)
{
	struct rs_irq_pile p = {.share = NAN};
	unsigned cpu = 0;
	double lead = 0.0, on_cpu = 0.0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (!rs_irq_is_busy(q, min_rate_ps))
			continue;
		const uint32_t device = device_of(q);
		p.ifindex = p.lines == 0 || p.ifindex == device ? device : 0;
		p.lines++;
		p.rate_ps += q->rate_ps;
		vote_majority(q, &cpu, &lead);
	}
	for (size_t i = 0; i < v->n_irqs; i++) {
		if (rs_irq_is_busy(&v->irqs[i], min_rate_ps))
			on_cpu += rs_irq_rate_on(&v->irqs[i], cpu);
	}
	p.cpu = cpu;
	if (p.lines > 0)
		p.share = on_cpu / p.rate_ps;
	*ret = p;
}

/* Adds a device unless it is listed; those beyond cap are counted. */
static size_t
note_device(uint32_t ifindex, uint32_t *ret, size_t cap, size_t n)
{
	const size_t listed = RS_MIN(n, cap);

	for (size_t at = 0; at < listed; at++) {
		if (ret[at] == ifindex)
			return n;
	}
	if (n < cap)
		ret[n] = ifindex;
	return n + 1;
}

size_t
rs_busy_devices(const struct rs_view *v, double min_rate_ps, uint32_t *ret, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		for (uint32_t k = 0; rs_irq_is_busy(q, min_rate_ps) && k < q->n_feeds; k++) {
			if (is_first_of_device(q, k) && rs_view_nic(v, q->feeds[k].ifindex))
				n = note_device(q->feeds[k].ifindex, ret, cap, n);
		}
	}
	return n;
}

void
rs_nic_names(const struct rs_nic_view *const *nics, size_t n, char dst[static RS_NIC_NAMES_BYTES])
{
	size_t len = 0;

	dst[0] = '\0';
	for (size_t i = 0; i < RS_MIN(n, RS_NIC_NAMES_MAX); i++) {
		const char *const before = i == 0 ? "" : i + 1 == n ? " and " : ", ";
		(void)snprintf(
		    dst + len, RS_NIC_NAMES_BYTES - len, "%s%s", before, nics[i]->info.name);
		len += strlen(dst + len);
	}
}

void
rs_irq_pile_phrase(const struct rs_view *v, unsigned cpu, char *dst, size_t cap)
{
	const struct rs_nic_view *nics[RS_NIC_NAMES_MAX];
	uint32_t devices[RS_NIC_NAMES_MAX];
	const size_t n = rs_busy_devices(v, RS_PILE_LINE_PS, devices, RS_NIC_NAMES_MAX);
	char names[RS_NIC_NAMES_BYTES];

	/* More than can be named are all there are. */
	if (n == 0 || n > RS_NIC_NAMES_MAX) {
		(void)snprintf(dst, cap, "every NIC interrupt fires on core %u", cpu);
		return;
	}
	for (size_t i = 0; i < n; i++)
		nics[i] = rs_view_nic(v, devices[i]);
	rs_nic_names(nics, n, names);
	(void)snprintf(dst, cap, "every interrupt of %s fires on core %u", names, cpu);
}

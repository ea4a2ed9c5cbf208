/* SPDX-License-Identifier: ISC */
/*
 * From screens and rates of interfaces to the plain data that the rules over a
 * glimpse judge.
 */
#include "diagnose/seen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/judged.h"
#include "glimpse.h"

enum { THREADS_MAX = 64, DEVICES_MAX = 64 };

/* Of the last screen, or of all where it is a matter of the highest. */
struct seen {
	struct rs_glimpse g;
	struct rs_glimpse_thread threads[THREADS_MAX];
	struct rs_glimpse_clock *clocks;
	struct rs_glimpse_traffic *traffic;
	size_t n_clocks, cap_clocks, n_traffic, cap_traffic;
};

static void
see_threads(struct seen *g, const struct rs_screen *s, unsigned n_cores)
{
	for (size_t i = 0; i < s->n_threads && g->g.n_threads < THREADS_MAX; i++) {
		const struct rs_screen_thread *const t = &s->threads[i];
		struct rs_glimpse_thread *const to = &g->threads[g->g.n_threads];
		bool does_packets;
		*to = (struct rs_glimpse_thread){.name = t->name, .load = t->load, .cpu = t->cpu};
		to->is_kernel = rs_thread_is_kernel(t->name, &does_packets);
		if (s->is_thread_of_all) {
			if (n_cores == 0)
				continue; /* a share of nobody knows how many cores */
			to->load *= n_cores;
		}
		for (size_t k = 0; k < s->n_threads; k++) {
			if (k != i && s->threads[k].pid == t->pid)
				to->others = fmax(to->others, s->threads[k].load);
		}
		g->g.n_threads++;
	}
	g->g.threads = g->threads;
}

static void
see_cores(struct seen *g, const struct rs_screen *s)
{
	const struct rs_screen_core *const all = &s->all;
	double busy = 0.0, packets = 0.0;
	size_t n = 0;

	for (size_t i = 0; i < s->n_cores; i++) {
		const struct rs_screen_core *const c = &s->cores[i];
		if (isnan(c->busy) || (isnan(c->softirq) && isnan(c->irq)))
			continue;
		busy += c->busy;
		packets += (isnan(c->irq) ? 0.0 : c->irq) + (isnan(c->softirq) ? 0.0 : c->softirq);
		n++;
	}
	if (n > 0) {
		g->g.has_cores = true;
		g->g.busy = busy / (double)n;
		g->g.packets = packets / (double)n;
	} else if (all->cpu == RS_SCREEN_ALL && !isnan(all->busy)) {
		g->g.busy = all->busy;
		g->g.system = all->system;
		g->g.packets =
		    (isnan(all->irq) ? 0.0 : all->irq) + (isnan(all->softirq) ? 0.0 : all->softirq);
	}
}

static struct rs_glimpse_clock *
clock_of(struct seen *g, unsigned cpu)
{
	for (size_t i = 0; i < g->n_clocks; i++) {
		if (g->clocks[i].cpu == cpu)
			return &g->clocks[i];
	}
	struct rs_glimpse_clock *const c =
	    rs_list_add(&g->clocks, &g->n_clocks, &g->cap_clocks, sizeof(*c), RS_CPU_MAX);
	if (c != NULL)
		c->cpu = cpu;
	return c;
}

static void
see_clocks(struct seen *g, const struct rs_screen *s)
{
	for (size_t i = 0; i < s->n_cores; i++) {
		const struct rs_screen_core *const c = &s->cores[i];
		struct rs_glimpse_clock *const to =
		    isnan(c->clock_hz) ? NULL : clock_of(g, (unsigned)c->cpu);
		if (to == NULL || !(c->busy >= to->busy))
			continue;
		to->busy = c->busy;
		to->hz = c->clock_hz;
		to->nominal_hz = c->nominal_hz;
	}
}

/* As they are called as a rule; '#': a digit, or "-" as in "br-lan". */
static bool
is_virtual(const char *name)
{
	static const char *const begins[] = {
	    "docker", "veth", "virbr", "br#", "tun#", "tap#", "wg#", "lo"};

	for (size_t i = 0; i < RS_ARRAY_LEN(begins); i++) {
		const size_t len = strcspn(begins[i], "#");
		if (strncmp(name, begins[i], len) != 0)
			continue;
		const char *const next = name + len;
		if (begins[i][len] == '\0' || *next == '-' || (*next >= '0' && *next <= '9'))
			return true;
	}
	return false;
}

static void
see_traffic(struct seen *g, const struct rs_sar *sar)
{
	for (size_t i = 0; i < sar->n; i++) {
		const struct rs_sar_device *const from = &sar->devices[i];
		const double n = (double)from->n;
		const bool is_rx = from->rx_pps >= from->tx_pps;
		struct rs_glimpse_traffic *const to = rs_list_add(
		    &g->traffic, &g->n_traffic, &g->cap_traffic, sizeof(*to), DEVICES_MAX);
		if (to == NULL)
			return;
		to->device = from->name;
		to->pps = (is_rx ? from->rx_pps : from->tx_pps) / n;
		to->bytes_ps = (is_rx ? from->rx_bytes_ps : from->tx_bytes_ps) / n;
		to->is_virtual = is_virtual(from->name);
	}
	g->g.traffic = g->traffic;
	g->g.n_traffic = g->n_traffic;
}

int
rs_seen_judge(const struct rs_screens *screens, const struct rs_sar *sar, unsigned n_cores,
    struct rs_finding *ret, size_t cap, size_t *ret_n)
{
	struct seen g = {
	    .g = {.busy = NAN, .packets = NAN, .system = NAN, .n_cores = n_cores},
	};

	for (size_t i = 0; i < screens->n; i++) {
		const struct rs_screen *const s = &screens->at[i];
		see_cores(&g, s);
		see_clocks(&g, s);
		g.g.is_bsd |= s->is_bsd;
		if (s->n_threads > 0) {
			g.g.n_threads = 0;
			see_threads(&g, s, n_cores);
		}
	}
	g.g.clocks = g.clocks;
	g.g.n_clocks = g.n_clocks;
	see_traffic(&g, sar);
	const int rc = rs_glimpse_judge(&g.g, ret, cap, ret_n);
	free(g.clocks);
	free(g.traffic);
	return rc;
}

/* SPDX-License-Identifier: ISC */
/*
 * Sums over lines and cores.
 */
#include "totals_case.h"

#include <math.h>

#include "cpuset.h"

#define ACTIVE 0.001

static bool
is_of(const struct rs_totals *t, uint32_t line, enum rs_total_which which, uint32_t device)
{
	const struct rs_total_line *const l = &t->lines[line];

	if (which == RS_LINES_ALL)
		return true;
	for (uint32_t i = 0; i < l->n_feeds; i++) {
		const uint32_t of = t->feeds[l->first_feed + i].device;
		if (which == RS_LINES_DEVICE ? of == device : !t->devices[of].is_wireless)
			return true;
	}
	return false;
}

size_t
rs_line_devices(const struct rs_totals *t, uint32_t line, uint32_t ret[static 2])
{
	const struct rs_total_line *const l = &t->lines[line];
	size_t n = 0;

	for (uint32_t i = 0; i < l->n_feeds; i++) {
		const uint32_t of = t->feeds[l->first_feed + i].device;
		if ((n > 0 && of == ret[0]) || (n > 1 && of == ret[1]))
			continue;
		if (n < 2)
			ret[n] = of;
		n++;
	}
	return n;
}

static void
add_line(const struct rs_totals *t, uint32_t line, double sums[static RS_CPU_MAX])
{
	const uint32_t *const counts = t->lines[line].counts;

	for (size_t c = 0; counts && c < RS_MIN(t->n_cores, RS_CPU_MAX); c++)
		sums[c] += (double)counts[c];
}

/* The largest of the sums: its share of all; NAN: all are 0. */
static double
top_of(const double *sums, size_t n, size_t *ret_core, double *ret_all)
{
	double all = 0.0, most = 0.0;

	*ret_core = 0;
	for (size_t c = 0; c < n; c++) {
		all += sums[c];
		if (sums[c] > most) {
			most = sums[c];
			*ret_core = c;
		}
	}
	*ret_all = all;
	return all > 0.0 ? most / all : (double)NAN;
}

struct rs_pile
rs_pile_of(const struct rs_totals *t, enum rs_total_which which, uint32_t device)
{
	double sums[RS_CPU_MAX] = {0.0};
	struct rs_pile p = {.share = NAN};

	for (uint32_t i = 0; i < t->n_lines; i++) {
		if (is_of(t, i, which, device))
			add_line(t, i, sums);
	}
	p.share = top_of(sums, RS_MIN(t->n_cores, RS_CPU_MAX), &p.core, &p.all);
	for (uint32_t i = 0; i < t->n_lines; i++) {
		if (!t->lines[i].counts || !(t->lines[i].total >= ACTIVE * p.all) ||
		    t->lines[i].total <= 0.0 || !is_of(t, i, which, device))
			continue;
		p.one_active = i;
		p.n_active++;
	}
	return p;
}

/* The unit of a feed among those found; SIZE_MAX: a new one. */
static size_t
find_unit(const struct rs_queue_unit *units, size_t n, const struct rs_total_feed *f)
{
	for (size_t i = 0; f->queue >= 0 && i < n; i++) {
		if (units[i].device == f->device && units[i].queue == f->queue)
			return i;
	}
	return SIZE_MAX;
}

/* The core that took the most of all lines of the unit. A line with feeds for two
 * queues, or for rx and tx, counts once. */
static void
place_unit(const struct rs_totals *t, struct rs_queue_unit *u)
{
	double sums[RS_CPU_MAX] = {0.0}, all;

	for (size_t i = 0; i < t->n_feeds; i++) {
		const struct rs_total_feed *const f = &t->feeds[i];
		const bool is_mine = u->queue >= 0 ? f->device == u->device && f->queue == u->queue
						   : f->line == u->line;
		if (is_mine && (i == 0 || t->feeds[i - 1].line != f->line))
			add_line(t, f->line, sums);
	}
	u->share = top_of(sums, RS_MIN(t->n_cores, RS_CPU_MAX), &u->core, &all);
}

size_t
rs_queue_units_of(const struct rs_totals *t, struct rs_queue_unit *ret, size_t cap)
{
	size_t n = 0;

	for (size_t i = 0; i < t->n_feeds; i++) {
		const struct rs_total_feed *const f = &t->feeds[i];
		const double total = t->lines[f->line].total;
		/* A line with two queues is one interrupt. */
		if (!f->is_queue || (i > 0 && t->feeds[i - 1].line == f->line &&
					t->feeds[i - 1].device == f->device))
			continue;
		const size_t at = find_unit(ret, RS_MIN(n, cap), f);
		if (at != SIZE_MAX) {
			ret[at].total += total;
			continue;
		}
		if (n < cap)
			ret[n] = (struct rs_queue_unit){.device = f->device,
			    .queue = f->queue,
			    .line = f->line,
			    .total = total};
		n++;
	}
	n = RS_MIN(n, cap);
	for (size_t i = 0; i < n; i++)
		place_unit(t, &ret[i]);
	return n;
}

double
rs_total_top(
    const struct rs_totals *t, enum rs_total_count which, size_t *ret_core, double *ret_all)
{
	double counts[RS_CPU_MAX] = {0.0};
	const size_t n = RS_MIN(t->n_cores, RS_CPU_MAX);

	for (size_t i = 0; i < n; i++) {
		const double of[] = {
		    [RS_TOTAL_NET_RX] = t->cores[i].net_rx,
		    [RS_TOTAL_PROCESSED] = t->cores[i].processed,
		    [RS_TOTAL_SOFTIRQ_TIME] = t->cores[i].softirq_s,
		};
		counts[i] = isnan(of[which]) ? 0.0 : of[which];
	}
	return top_of(counts, n, ret_core, ret_all);
}

size_t
rs_queue_units_count(const struct rs_total_case *s, uint32_t device)
{
	size_t n = 0;

	for (size_t i = 0; i < s->n_units; i++)
		n += s->units[i].device == device;
	return n;
}

double
rs_totals_busiest(const struct rs_totals *t, unsigned *ret_cpu, double *ret_all)
{
	const struct rs_pile p = rs_pile_of(t, RS_LINES_ALL, 0);

	*ret_all = p.all;
	*ret_cpu = t->n_cores > 0 ? t->cores[p.core].cpu : 0;
	return p.share;
}

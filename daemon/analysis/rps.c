/* SPDX-License-Identifier: ISC */
/*
 * One mask for all queues of an interface: packets are shared out by their flow,
 * whichever queue they came by (net/core/dev.c, get_rps_cpu).
 */
#include "rps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "masks.h"
#include "places.h"

const char *
rs_rps_mask(const struct rs_rps *r, unsigned queue)
{
	return rs_view_fact(r->v, RS_F_RPS_CPUS, r->nic->info.ifindex, (uint16_t)queue);
}

/* Both are needed: a table for the machine, and one for the queue. Where the first
 * cannot be read (outside the first network namespace), the second tells. */
static bool
may_have_rfs(const struct rs_view *v)
{
	const char *const all = rs_view_fact(v, RS_F_RPS_SOCK_FLOWS, 0, RS_NO_QUEUE);

	return !all || strcmp(all, "0") != 0;
}

static bool
follows_flows(const struct rs_view *v, uint32_t ifindex, unsigned queue)
{
	const char *const own = rs_view_fact(v, RS_F_RPS_FLOWS, ifindex, (uint16_t)queue);

	return own && strcmp(own, "0") != 0;
}

static unsigned
count_queues(const struct rs_view *v, const struct rs_nic_view *nic)
{
	unsigned n = nic->info.rx_queues > 0 ? (unsigned)nic->info.rx_queues : 0;

	for (uint32_t i = 0; n == 0 && i < nic->n_queues; i++)
		n += !v->queues[nic->first_queue + i].is_tx;
	return n;
}

void
rs_rps_of(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_rps *ret)
{
	*ret = (struct rs_rps){.v = v, .nic = nic, .n = count_queues(v, nic)};
	/* Not told how many: those that have a mask. */
	while (nic->info.rx_queues <= 0 && ret->n == 0 && rs_rps_mask(ret, ret->n_known))
		ret->n_known++;
	ret->n = RS_MAX(ret->n, ret->n_known);
	ret->n_known = 0;
	const bool may_follow = may_have_rfs(v);
	for (unsigned q = 0; q < ret->n; q++) {
		const char *const mask = rs_rps_mask(ret, q);
		ret->n_known += mask != NULL;
		ret->n_set += mask && !rs_mask_is_empty(mask);
		ret->has_rfs |= may_follow && follows_flows(v, nic->info.ifindex, q);
	}
}

bool
rs_rps_is_read(const struct rs_rps *r)
{
	return r->n > 0 && r->n_known == r->n;
}

void
rs_rps_interrupted(const struct rs_rps *r, struct rs_cpuset *ret)
{
	rs_cpuset_zero(ret);
	for (size_t i = 0; i < r->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &r->v->irqs[i];
		const int cpu =
		    rs_irq_feed_of(q, r->nic->info.ifindex) && rs_irq_is_busy(q, RS_PILE_LINE_PS)
			? rs_irq_busiest_core(q)
			: -1;
		if (cpu >= 0)
			rs_cpuset_add(ret, (unsigned)cpu);
	}
}

/* A physical core that may take a part, and how busy it is without. */
bool
rs_not_set(const struct rs_rps *r, struct rs_cause *ret)
{
	return rs_not(ret, "RPS masks of %s are 0", r->nic->info.name);
}

struct candidate {
	unsigned cpu;
	double busy;
};

/* The least busy first. */
static size_t
list_candidates(
    const struct rs_rps *r, int from, double work, struct candidate ret[static RS_PLACES_MAX])
{
	struct rs_cpuset cores;
	unsigned cpus[RS_PLACES_MAX];

	rs_place_cores(r->v, r->nic->info.ifindex, &cores);
	const size_t n = rs_place_list(r->v, &cores, cpus);
	for (size_t i = 0; i < n; i++) {
		const struct rs_group *const g = rs_place_group(r->v, cpus[i]);
		const bool is_from = from >= 0 && g == rs_place_group(r->v, (unsigned)from);
		const struct candidate c = {
		    .cpu = cpus[i], .busy = is_from ? fmax(0.0, g->busy - work) : g->busy};
		size_t at = i;
		for (; at > 0 && ret[at - 1].busy > c.busy; at--)
			ret[at] = ret[at - 1];
		ret[at] = c;
	}
	return n;
}

bool
rs_rps_choose(const struct rs_rps *r, int from, double work, struct rs_cpuset *ret)
{
	struct candidate c[RS_PLACES_MAX];
	const size_t n = list_candidates(r, from, work, c);
	double least = INFINITY;
	size_t best = 0;

	/* With k of them the busiest of these has so much, and its part of the work. */
	for (size_t k = 1; k <= n; k++) {
		const double full = c[k - 1].busy + work / (double)k;
		if (full > least)
			continue;
		least = full;
		best = k;
	}
	rs_cpuset_zero(ret);
	for (size_t i = 0; i < best; i++)
		rs_cpuset_add(ret, c[i].cpu);
	return best > 0;
}

static const char all_queues[] =
    "for q in /sys/class/net/%s/queues/rx-*; do echo %s > $q/rps_cpus; done";
static const char one_queue[] = "echo %s > /sys/class/net/%s/queues/rx-0/rps_cpus";

/* False: no room. */
static bool
write_all(const struct rs_rps *r, const char *mask, char *dst, size_t cap)
{
	const char *const device = r->nic->info.name;
	const int n = r->n == 1 ? snprintf(dst, cap, one_queue, mask, device)
				: snprintf(dst, cap, all_queues, device, mask);

	return n > 0 && (size_t)n < cap;
}

/* The mask of a queue as it would be written. */
static bool
hex_of(const struct rs_rps *r, unsigned queue, char *dst, size_t cap)
{
	struct rs_cpuset s;

	return rs_mask_of(rs_rps_mask(r, queue), &s) && rs_mask_hex(&s, dst, cap);
}

static bool
write_undo(const struct rs_rps *r, char *dst, size_t cap)
{
	const char *const first = rs_rps_mask(r, 0);
	char hex[96];
	bool is_same = first != NULL;
	size_t len;

	for (unsigned q = 1; is_same && q < r->n; q++) {
		const char *const mask = rs_rps_mask(r, q);
		is_same = mask && strcmp(mask, first) == 0;
	}
	if (is_same)
		return hex_of(r, 0, hex, sizeof(hex)) && write_all(r, hex, dst, cap);
	(void)snprintf(dst, cap, "for p in");
	for (unsigned q = 0; q < r->n; q++) {
		len = strlen(dst);
		if (!hex_of(r, q, hex, sizeof(hex)))
			return false;
		const int wrote = snprintf(dst + len, cap - len, " %u:%s", q, hex);
		if (wrote < 0 || (size_t)wrote >= cap - len)
			return false;
	}
	len = strlen(dst);
	const int n = snprintf(dst + len, cap - len,
	    "; do echo ${p#*:} > /sys/class/net/%s/queues/rx-${p%%:*}/rps_cpus; done",
	    r->nic->info.name);
	return n > 0 && (size_t)n < cap - len;
}

bool
rs_rps_advise(
    const struct rs_rps *r, const struct rs_cpuset *s, const char *expect, struct rs_says *out)
{
	struct rs_advice a = {.is_persistent = false};
	char mask[96];

	if (!rs_mask_hex(s, mask, sizeof(mask)) ||
	    !write_all(r, mask, a.command, sizeof(a.command)))
		return false;
	(void)snprintf(a.expect, sizeof(a.expect), "%s", expect);
	/* Each of them was logged when it was changed. */
	if (!write_undo(r, a.undo, sizeof(a.undo)))
		(void)snprintf(a.undo, sizeof(a.undo), "the masks before: ringside changes");
	rs_advise(out, &a);
	return true;
}

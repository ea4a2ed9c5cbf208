/* SPDX-License-Identifier: ISC */
/*
 * The figures under a finding about cores.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "load.h"
#include "umbrella.h"

/* Threads are told of from this share of a core on. */
#define WORTH_TELLING 0.01
#define LISTED 8u /* cores or groups with a line of their own; the next stands for the rest */

static int
percent(double ratio)
{
	return (int)lround(ratio * 100.0);
}

/* The eligible cores of the groups that `firsts` names. */
static void
cores_of_groups(const struct rs_scene *s, const struct rs_cpuset *firsts, char *dst, size_t cap,
    unsigned *ret_n)
{
	struct rs_cpuset set;

	rs_cpuset_zero(&set);
	for (size_t i = 0; i < s->v->n_cores; i++) {
		const struct rs_core_view *const c = &s->v->cores[i];
		if (c->is_eligible && rs_cpuset_has(firsts, RS_MIN(c->group, c->cpu)))
			rs_cpuset_add(&set, c->cpu);
	}
	rs_cpuset_format(&set, dst, cap);
	*ret_n = rs_cpuset_count(&set);
}

static double
load_of_group(const void *groups, size_t i)
{
	return ((const struct rs_group *)groups)[i].packet_load;
}

static double
load_of_core(const void *cores, size_t i)
{
	const struct rs_core_view *const c = &((const struct rs_core_view *)cores)[i];

	return c->is_eligible ? c->packet_load : -1.0;
}

/* Indexes of the highest loads, highest first; equal ones in their order. */
static size_t
pick_hottest(double (*load_of)(const void *all, size_t i), const void *all, size_t n,
    size_t ret[static LISTED + 1])
{
	size_t picked = 0;

	for (size_t i = 0; i < n; i++) {
		const double load = load_of(all, i);
		size_t at = picked;
		while (at > 0 && load_of(all, ret[at - 1]) < load)
			at--;
		if (at == LISTED + 1)
			continue;
		picked = RS_MIN(picked + 1, LISTED + 1);
		memmove(&ret[at + 1], &ret[at], (picked - 1 - at) * sizeof(ret[0]));
		ret[at] = i;
	}
	return picked;
}

void
rs_scene_hot_names(const struct rs_scene *s, double hot, char *dst, size_t cap)
{
	struct rs_cpuset set;

	rs_cpuset_zero(&set);
	for (size_t i = 0; i < s->n; i++) {
		if (rs_group_is_hot(&s->groups[i], hot))
			rs_cpuset_add(&set, rs_scene_cpu(s, &s->groups[i]));
	}
	rs_cpuset_format(&set, dst, cap);
}

static void
list_cores(
    struct rs_says *out, const struct rs_scene *s, const char *label, double hot, bool wants_idle)
{
	struct rs_cpuset firsts;
	unsigned n = 0, n_cores;
	char cores[64];

	rs_cpuset_zero(&firsts);
	for (size_t i = 0; i < s->n; i++) {
		const struct rs_group *const g = &s->groups[i];
		if (wants_idle ? g->busy >= RS_IDLE_BUSY : !rs_group_is_hot(g, hot))
			continue;
		rs_cpuset_add(&firsts, g->first);
		n++;
	}
	cores_of_groups(s, &firsts, cores, sizeof(cores), &n_cores);
	if (n == 0)
		rs_evidence_text(out, label, "none of %zu", s->n);
	else
		rs_evidence_text(out, label, "%u of %zu: %s", n, s->n, cores);
}

void
rs_evidence_loads(
    struct rs_says *out, const struct rs_scene *s, const struct rs_shape *shape, double hot)
{
	size_t picked[LISTED + 1];
	const size_t n = pick_hottest(load_of_group, s->groups, s->n, picked);

	for (size_t i = 0; i < RS_MIN(n, LISTED); i++) {
		const struct rs_group *const g = &s->groups[picked[i]];
		struct rs_cpuset first;
		char cores[32], label[64];
		unsigned n_cores;
		rs_cpuset_zero(&first);
		rs_cpuset_add(&first, g->first);
		cores_of_groups(s, &first, cores, sizeof(cores), &n_cores);
		(void)snprintf(
		    label, sizeof(label), "core%s %s packet load", n_cores > 1 ? "s" : "", cores);
		rs_evidence_noted(
		    out, label, g->packet_load, RS_UNIT_RATIO, "busy %d %%", percent(g->busy));
	}
	if (n > LISTED)
		rs_evidence_text(out, "other cores", "%zu with at most %d %% packet load",
		    s->n - LISTED, percent(s->groups[picked[LISTED]].packet_load));
	rs_evidence(out, "effective cores", s->v->effective_cores, RS_UNIT_CORES);
	if (shape->sum > 0.0) {
		const double mean = shape->sum / (double)s->n;
		rs_evidence(out, "load per core if spread evenly", mean, RS_UNIT_RATIO);
		rs_evidence(
		    out, "possible gain if spread evenly, times", shape->max / mean, RS_UNIT_NONE);
	}
	list_cores(out, s, "hot cores", hot, false);
	list_cores(out, s, "idle cores", hot, true);
}

static void
tell_feeds(struct rs_says *out, const struct rs_view *v, unsigned cpu)
{
	struct rs_core_feed feeds[RS_FEEDS_MAX];
	const size_t n = rs_feeds_of_core(v, cpu, feeds, RS_FEEDS_MAX);

	for (size_t i = 0; i < RS_MIN(n, 2u); i++) {
		char label[96], queue[24] = "";
		if (feeds[i].queue >= 0)
			(void)snprintf(queue, sizeof(queue), " queue %d", (int)feeds[i].queue);
		(void)snprintf(label, sizeof(label), "interrupts of %s%s on core %u",
		    feeds[i].device, queue, cpu);
		rs_evidence(out, label, feeds[i].rate_ps, RS_UNIT_PER_SECOND);
	}
}

void
rs_evidence_threads(struct rs_says *out, const struct rs_view *v, unsigned cpu)
{
	const struct rs_core_view *const c = rs_view_core(v, cpu);
	const struct rs_thread_view *const packets = rs_load_busiest_thread(v, cpu, true);
	const struct rs_thread_view *const process = rs_load_busiest_thread(v, cpu, false);
	char label[64];

	if (c && packets && c->packet_threads >= WORTH_TELLING) {
		(void)snprintf(label, sizeof(label), "packet threads on core %u", cpu);
		rs_evidence_noted(out, label, c->packet_threads, RS_UNIT_RATIO,
		    "%s takes %.2f of core %u", packets->thread.name, packets->load, cpu);
	}
	if (process && process->load >= WORTH_TELLING) {
		(void)snprintf(label, sizeof(label), "busiest process on core %u", cpu);
		rs_evidence_noted(
		    out, label, process->load, RS_UNIT_RATIO, "%s", process->thread.name);
	}
}

void
rs_evidence_core(struct rs_says *out, const struct rs_scene *s, const struct rs_group *g)
{
	const struct rs_core_view *const c = rs_view_core(s->v, g->cpu);
	char label[96];

	if (!c)
		return;
	(void)snprintf(label, sizeof(label), "packets into the stack on core %u", g->cpu);
	rs_evidence(out, label, c->processed_pps, RS_UNIT_PPS);
	if (c->dropped_pps > 0.0) {
		(void)snprintf(label, sizeof(label), "packets dropped on core %u", g->cpu);
		rs_evidence(out, label, c->dropped_pps, RS_UNIT_PPS);
	}
	if (isnan(c->nic_interrupts_ps)) {
		(void)snprintf(label, sizeof(label), "NIC interrupts on core %u", g->cpu);
		rs_evidence(out, label, NAN, RS_UNIT_PER_SECOND);
	}
	tell_feeds(out, s->v, g->cpu);
	if (c->rps_ps >= 1.0) {
		(void)snprintf(label, sizeof(label), "wake-ups of core %u by RPS", g->cpu);
		rs_evidence(out, label, c->rps_ps, RS_UNIT_PER_SECOND);
	}
	rs_evidence_threads(out, s->v, g->cpu);
	rs_evidence(out, "cores taking NIC interrupts", rs_feed_count_cores(s->v), RS_UNIT_CORES);
}

/* "2 isolated (2-3), 1 reserved (0)"; false: it has no room. */
static bool
write_excluded(const struct rs_view *v, bool names_them, char *dst, size_t cap)
{
	static const struct {
		enum rs_excluded why;
		const char *word;
	} kinds[] = {
	    {RS_CORE_ISOLATED, "isolated"},
	    {RS_CORE_NOHZ_FULL, "nohz_full"},
	    {RS_CORE_RESERVED, "reserved"},
	    {RS_CORE_POLLING, "polling"},
	    {RS_CORE_COUNTS, "without a value"},
	};
	size_t len = 0;

	dst[0] = '\0';
	for (size_t k = 0; k < RS_ARRAY_LEN(kinds); k++) {
		struct rs_cpuset set;
		char cores[24];
		rs_cpuset_zero(&set);
		for (size_t i = 0; i < v->n_cores; i++) {
			if (v->cores[i].excluded == kinds[k].why && !v->cores[i].is_eligible)
				rs_cpuset_add(&set, v->cores[i].cpu);
		}
		const unsigned n = rs_cpuset_count(&set);
		if (n == 0)
			continue;
		rs_cpuset_format(&set, cores, sizeof(cores));
		const int wrote = snprintf(dst + len, cap - len, "%s%u %s%s%s%s",
		    len == 0 ? "" : ", ", n, kinds[k].word, names_them ? " (" : "",
		    names_them ? cores : "", names_them ? ")" : "");
		if (wrote < 0 || (size_t)wrote >= cap - len)
			return false;
		len += (size_t)wrote;
	}
	return true;
}

/* Each kind, and where there is room which cores they are. */
static void
tell_excluded(struct rs_says *out, const struct rs_view *v)
{
	char text[sizeof(((struct rs_evidence *)NULL)->text)];

	if (!write_excluded(v, true, text, sizeof(text)))
		(void)write_excluded(v, false, text, sizeof(text));
	if (text[0] != '\0')
		rs_evidence_text(out, "cores not counted", "%s", text);
}

void
rs_evidence_method(struct rs_says *out, const struct rs_scene *s, const struct rs_group *g)
{
	const struct rs_core_view *const c = rs_view_core(s->v, g->cpu);

	switch (s->v->accounting) {
	case RS_ACCOUNTING_PRECISE:
		rs_evidence_text(out, "CPU accounting", "precise");
		break;
	case RS_ACCOUNTING_TICK:
		rs_evidence_text(out, "CPU accounting",
		    "by timer tick: loads are sampled; core %u is at most %d %%", g->cpu,
		    c ? percent(c->packet_load_max) : 100);
		break;
	case RS_ACCOUNTING_UNKNOWN:
		rs_evidence_text(out, "CPU accounting", "not known, taken as by timer tick");
		break;
	}
	tell_excluded(out, s->v);
	if (!s->v->has_threads)
		rs_evidence_text(out, "packet threads", "not read");
}

static int
percent_or_0(double a, double b)
{
	return percent((isnan(a) ? 0.0 : a) + (isnan(b) ? 0.0 : b));
}

void
rs_evidence_split(struct rs_says *out, const struct rs_view *v)
{
	size_t picked[LISTED + 1];
	const size_t n = pick_hottest(load_of_core, v->cores, v->n_cores, picked);

	for (size_t i = 0; i < RS_MIN(n, LISTED); i++) {
		const struct rs_core_view *const c = &v->cores[picked[i]];
		char label[64], irq[16] = "-";
		if (!c->is_eligible)
			continue;
		if (!isnan(c->irq))
			(void)snprintf(irq, sizeof(irq), "%d", percent(c->irq));
		(void)snprintf(label, sizeof(label), "core %u packet load", c->cpu);
		rs_evidence_noted(out, label, c->packet_load, RS_UNIT_RATIO,
		    "usr %d, sys %d, soft %d, irq %s %%", percent_or_0(c->user, c->nice),
		    percent_or_0(c->system, 0.0), percent(c->softirq), irq);
	}
}

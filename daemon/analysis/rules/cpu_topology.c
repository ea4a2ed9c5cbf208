/* SPDX-License-Identifier: ISC */
/*
 * The core that is full with packets is the wrong one: a small one while a larger
 * has room, or half a core, whose other half handles packets, too, while a whole one
 * is idle.
 */
#include <math.h>
#include <stdio.h>

#include "feed.h"
#include "load.h"
#include "moves.h"
#include "num.h"
#include "places.h"
#include "shape.h"
#include "umbrella.h"

enum { HOT, HOT_CLEAR, SMALL, SIBLING };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is full"},
    [HOT_CLEAR] = {"hot_clear", 0.80, 0.50, 1.0, RS_UNIT_RATIO, "It stays full down to here"},
    [SMALL] = {"small", 0.80, 0.10, 1.0, RS_UNIT_RATIO,
	"Part of the largest core's capacity, below which a core is small"},
    [SIBLING] = {"sibling", 0.30, 0.05, 1.0, RS_UNIT_RATIO,
	"Packet load from which a sibling has a part in the work"},
    {0},
};

struct place {
	unsigned from, to;	 /* cores */
	double capacity, larger; /* NAN: it is about siblings */
};

static double
capacity_of(const struct rs_view *v, unsigned cpu)
{
	const char *const text = rs_view_fact(v, RS_F_CAPACITY, cpu, RS_NO_QUEUE);
	double x;

	return text && rs_num_double(rs_text_of(text), &x) == 0 && x > 0.0 ? x : (double)NAN;
}

/* The largest core with room; of those the idlest. */
static bool
find_larger(const struct rs_view *v, unsigned cpu, double small, struct place *ret)
{
	double busy = NAN;

	*ret = (struct place){.from = cpu, .capacity = capacity_of(v, cpu), .larger = NAN};
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		const struct rs_group *const g = &v->groups[i];
		const double larger = capacity_of(v, g->cpu);
		if (!(g->busy < RS_IDLE_BUSY) || !(ret->capacity < small * larger) ||
		    larger < ret->larger || (larger <= ret->larger && g->busy >= busy))
			continue;
		ret->to = g->cpu;
		ret->larger = larger;
		busy = g->busy;
	}
	return !isnan(ret->larger);
}

/* The sibling that handles packets beside it, the one with less of them to be moved. */
static bool
find_sibling(const struct rs_view *v, const struct rs_group *g, double least, struct place *ret)
{
	const struct rs_group *idle = NULL;
	const struct rs_core_view *lesser = NULL;
	unsigned n = 0;

	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		if (!c->is_eligible || RS_MIN(c->group, c->cpu) != g->first ||
		    c->packet_load < least)
			continue;
		n++;
		if (!lesser || c->packet_load < lesser->packet_load)
			lesser = c;
	}
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		if (v->groups[i].busy < RS_IDLE_BUSY && (!idle || v->groups[i].busy < idle->busy))
			idle = &v->groups[i];
	}
	if (n < 2 || !idle)
		return false;
	*ret = (struct place){.from = lesser->cpu, .to = idle->cpu, .capacity = NAN, .larger = NAN};
	return true;
}

/* The NIC's line that fires most on the core; NULL: none does. */
static const struct rs_irq_view *
busiest_line(const struct rs_view *v, unsigned cpu)
{
	const struct rs_irq_view *busiest = NULL;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (q->is_nic_queue && rs_irq_rate_on(q, cpu) >= RS_NETWORK_WORK_PS &&
		    (!busiest || rs_irq_rate_on(q, cpu) > rs_irq_rate_on(busiest, cpu)))
			busiest = q;
	}
	return busiest;
}

static void
tell(const struct rs_view *v, const struct rs_group *g, const struct place *p, struct rs_says *out)
{
	const struct rs_irq_view *const line = busiest_line(v, p->from);
	struct rs_moves m;

	if (!isnan(p->larger)) {
		rs_message(out,
		    "core %u, a small one, is full of packets while core %u, a larger one, is "
		    "idle",
		    p->from, p->to);
		rs_evidence(out, "its capacity", p->capacity, RS_UNIT_NONE);
		rs_evidence(out, "that of the larger", p->larger, RS_UNIT_NONE);
		rs_cause(out, "its interrupts, or RPS, name the small core");
	} else {
		rs_message(out,
		    "core %u and its sibling, two halves of one physical core, both handle "
		    "packets while core %u is idle",
		    p->from, p->to);
		rs_cause(
		    out, "siblings (SMT) share one core: the second brings little for packets");
	}
	rs_evidence_noted(out, "packet load of the physical core", g->packet_load, RS_UNIT_RATIO,
	    "busy %ld %%", lround(g->busy * 100.0));
	if (!line)
		return;
	rs_moves_begin(&m, v);
	if (rs_moves_add(&m, line, p->to))
		rs_moves_advise(&m, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_scene s;
	struct place p;

	if (!rs_scene_begin(v, out, &s))
		return;
	const struct rs_group *const g = rs_scene_hottest(&s, out, t[HOT_CLEAR]);
	if (s.n < 2 || !rs_group_is_hot(g, t[HOT_CLEAR]) ||
	    (!find_larger(v, g->cpu, t[SMALL], &p) && !find_sibling(v, g, t[SIBLING], &p)))
		return;
	const struct rs_subject subject = rs_core_subject(g->cpu);
	rs_say(out, &subject, rs_condition_of(rs_group_is_hot(g, t[HOT]), true), RS_WARN,
	    rs_scene_confidence(&s, g, rs_hot_margin(g, t[HOT]), RS_HIGH));
	tell(v, g, &p, out);
}

RS_RULE(cpu_topology) = {
    .code = "cpu.topology",
    .title = "Packets are handled by a weak or a shared core",
    .help = "Cores may differ in size, and two may share one physical core: packets belong on "
	    "large and whole ones.",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

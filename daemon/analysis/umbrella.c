/* SPDX-License-Identifier: ISC */
/*
 * Severity, confidence and cause of the rules about cores.
 */
#include "umbrella.h"

#include <limits.h>
#include <math.h>

#include "cause.h"
#include "feed.h"
#include "lead.h"
#include "load.h"
#include "loss.h"

#define LOSS_CRIT 0.001
#define STANDING_CRIT_NS (60 * RS_NS_PER_S)
#define LINK_USED 0.90
#define STEAL_DOUBTFUL 0.05
#define TICK_HZ 100.0 /* the kernel's HZ is not told: the coarsest in use */

bool
rs_scene_begin(const struct rs_view *v, struct rs_says *out, struct rs_scene *ret)
{
	if (!v->has_packet_load) {
		rs_needs(out, v->missing ? v->missing : "a value of at least one core");
		return false;
	}
	if (v->n_eligible_groups > RS_GROUPS_MAX) {
		rs_needs(out, "a machine with fewer physical cores");
		return false;
	}
	*ret = (struct rs_scene){
	    .v = v, .groups = v->groups, .n = v->n_eligible_groups, .named.first = UINT_MAX};
	return true;
}

const struct rs_group *
rs_scene_hottest(struct rs_scene *s, const struct rs_says *out, double hot_clear)
{
	const int32_t standing = out ? rs_standing_core(out) : -1;
	const struct rs_core_view *const core =
	    standing >= 0 ? rs_view_core(s->v, (unsigned)standing) : NULL;
	const struct rs_group *top = &s->groups[0];

	for (size_t i = 0; i < s->n; i++) {
		const struct rs_group *const g = &s->groups[i];
		if (core && core->is_eligible && g->first == RS_MIN(core->group, core->cpu) &&
		    rs_group_is_hot(g, hot_clear)) {
			s->named = *g;
			s->named.cpu = core->cpu;
			return &s->named;
		}
		if (g->packet_load > top->packet_load)
			top = g;
	}
	s->named = *top;
	return &s->named;
}

unsigned
rs_scene_cpu(const struct rs_scene *s, const struct rs_group *g)
{
	return g->first == s->named.first ? s->named.cpu : g->cpu;
}

struct rs_subject
rs_core_subject(unsigned cpu)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_CORE;
	s.core = (int32_t)cpu;
	return s;
}

enum rs_condition
rs_condition_of(bool raises, bool holds)
{
	if (raises)
		return RS_COND_RAISE;
	return holds ? RS_COND_BETWEEN : RS_COND_CLEAR;
}

static bool
is_lossy(double lost_pps, double passed_pps)
{
	return lost_pps > 0.0 && lost_pps >= LOSS_CRIT * (passed_pps + lost_pps);
}

static bool
is_of_hot_group(const struct rs_scene *s, const struct rs_core_view *c, double hot)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->groups[i].first == RS_MIN(c->group, c->cpu))
			return rs_group_is_hot(&s->groups[i], hot);
	}
	return false;
}

/* In a ring that a hot core serves. */
static bool
loses_in_rings(const struct rs_view *v, double hot)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		struct rs_ring_core core;
		if (!is_lossy(nic->lost_ring_pps, nic->rx_pps))
			continue;
		rs_ring_core_of(v, nic, &core);
		if (rs_ring_core_is_hot(&core, hot))
			return true;
	}
	return false;
}

static bool
loses_packets(const struct rs_scene *s, double hot)
{
	for (size_t i = 0; i < s->v->n_cores; i++) {
		const struct rs_core_view *const c = &s->v->cores[i];
		if (c->is_eligible && is_lossy(c->dropped_pps, c->processed_pps) &&
		    is_of_hot_group(s, c, hot))
			return true;
	}
	return loses_in_rings(s->v, hot);
}

enum rs_severity
rs_scene_severity(const struct rs_scene *s, const struct rs_says *out,
    const struct rs_subject *subject, double hot)
{
	if (!rs_link_has_room(s->v))
		return RS_INFO;
	/* No speed known: NAN, and no escalation. */
	if (rs_standing_ns(out, subject) >= STANDING_CRIT_NS && rs_load_link_use(s->v) < LINK_USED)
		return RS_CRIT;
	return loses_packets(s, hot) ? RS_CRIT : RS_WARN;
}

static bool
is_stolen_from(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].is_eligible && v->cores[i].steal >= STEAL_DOUBTFUL)
			return true;
	}
	return false;
}

double
rs_hot_margin(const struct rs_group *g, double hot)
{
	const double margin = fabs(g->packet_load - hot);

	return g->packet_load >= hot ? margin
				     : fmin(margin, fabs(g->packet_load - RS_HOT_MIXED_LOAD));
}

enum rs_confidence
rs_scene_confidence(
    const struct rs_scene *s, const struct rs_group *g, double margin, enum rs_confidence best)
{
	const struct rs_core_view *const core = rs_view_core(s->v, g->cpu);
	const double seconds = (double)s->v->interval_ns / (double)RS_NS_PER_S;
	const double p = g->packet_load;
	const double error = sqrt(p * (1.0 - p) / (TICK_HZ * fmax(seconds, 0.01)));

	if (core && !rs_load_is_networks(core))
		return RS_LOW; /* whether its softirq time is the network's is not known */
	if (is_stolen_from(s->v))
		return RS_LOW;
	if (s->v->accounting != RS_ACCOUNTING_PRECISE && fabs(margin) < 3.0 * error)
		return RS_LOW;
	return best;
}

/* A thread has one core at a time, and a queue has one thread. */
static void
tell_thread_cause(const struct rs_view *v, unsigned cpu, struct rs_says *out)
{
	const struct rs_thread_view *const t = rs_load_busiest_thread(v, cpu, true);

	if (t && t->thread.class == RS_THREAD_VPN)
		rs_cause(out, "encryption of a tunnel by %s", t->thread.name);
	else if (t)
		rs_cause(out, "one flow or several flows hashed to the queue that thread %s serves",
		    t->thread.name);
}

void
rs_scene_cause(const struct rs_scene *s, const struct rs_group *g, struct rs_says *out)
{
	const struct rs_core_view *const core = rs_view_core(s->v, g->cpu);
	const struct rs_lead *const lead = rs_lead_in(out);
	bool is_mine;
	const struct rs_cause *const cause = rs_cause_in(out, &is_mine);

	if (lead && lead->group.first == g->first)
		rs_rule_out(out);
	/* In the words of the rule that explains it, so that the verdict says it
	 * once. */
	if (cause && lead && lead->group.first == g->first) {
		rs_cause(out, "%s", cause->phrase);
		return;
	}
	if (core && rs_load_is_threads(core))
		tell_thread_cause(s->v, g->cpu, out);
	else if (core && core->nic_interrupts_ps >= fmax(1.0, core->rps_ps))
		rs_cause(out, "one flow or several flows hashed to the same queue");
	else if (core && rs_feed_is_read(core))
		rs_cause(out,
		    "one flow, or receive packet steering (RPS) that sends all flows to core %u",
		    g->cpu);
}

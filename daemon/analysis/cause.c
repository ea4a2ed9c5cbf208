/* SPDX-License-Identifier: ISC */
/*
 * The rules of causes speak in the words of the cause that the engine found, so
 * that the umbrella, the verdict and the finding say the same.
 */
#include "cause.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "load.h"

#define LINK_FULL 0.95
/* Below these a core's cost for a packet says little: batches are small. */
#define WORTH_LOAD 0.20
#define WORTH_PPS 1000.0

bool
rs_not(struct rs_cause *ret, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	rs_cut(ret->phrase, sizeof(ret->phrase),
	    vsnprintf(ret->phrase, sizeof(ret->phrase), format, ap));
	va_end(ap);
	return false;
}

bool
rs_not_known(struct rs_cause *ret, const char *what)
{
	ret->is_unknown = true;
	return rs_not(ret, "%s", what);
}

bool
rs_not_by_interrupts(const struct rs_lead *l, struct rs_cause *ret)
{
	const unsigned cpu = l->group.cpu;

	if (l->is_by_rps)
		return rs_not(ret, "other cores hand core %u its packets (RPS)", cpu);
	if (l->thread)
		return rs_not(
		    ret, "thread %s does the packet work of core %u", l->thread->thread.name, cpu);
	if (l->v->n_irqs == 0)
		return rs_not_known(ret, "/proc/interrupts");
	return rs_not(ret, "no interrupt of a NIC queue fires on core %u", cpu);
}

bool
rs_not_elsewhere(const struct rs_lead *l, struct rs_cause *ret)
{
	return rs_not(ret, "none of the %u cores has less than %ld %% packet load",
	    l->v->n_eligible_groups, lround(RS_IDLE_BUSY * 100.0));
}

const struct rs_lead *
rs_cause_turn(const struct rs_says *out)
{
	bool is_mine;

	return rs_cause_in(out, &is_mine) && is_mine ? rs_lead_in(out) : NULL;
}

const struct rs_lead *
rs_cause_only_turn(struct rs_says *out)
{
	const char *const what = rs_cause_lacks(out);

	if (what)
		rs_needs(out, what);
	return rs_cause_turn(out);
}

void
rs_cause_say(struct rs_says *out, const struct rs_lead *l, const struct rs_subject *subject)
{
	bool is_mine;
	const struct rs_cause *const cause = rs_cause_in(out, &is_mine);

	rs_say(out, subject, l->condition, l->severity, cause->confidence);
	rs_message(out, "%s", cause->phrase);
	rs_rule_out(out);
}

struct rs_subject
rs_nic_subject(const struct rs_nic_view *nic)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_INTERFACE;
	memcpy(s.device, nic->info.name, sizeof(s.device));
	return s;
}

void
rs_cause_figures(struct rs_says *out, const struct rs_lead *l)
{
	const double pps = l->core->processed_pps;
	char label[64];

	(void)snprintf(label, sizeof(label), "packet load of core %u", l->group.cpu);
	rs_evidence_noted(out, label, l->group.packet_load, RS_UNIT_RATIO, "busy %ld %%",
	    lround(l->group.busy * 100.0));
	if (l->nic && !isnan(l->nic->rx_pps)) {
		(void)snprintf(label, sizeof(label), "packets received by %s", l->nic->info.name);
		rs_evidence(out, label, l->nic->rx_pps, RS_UNIT_PPS);
	}
	if (l->busiest && l->n_rx > 1) {
		(void)snprintf(label, sizeof(label), "share of its busiest queue");
		rs_evidence_noted(
		    out, label, l->share, RS_UNIT_RATIO, "queue %u", (unsigned)l->busiest->queue);
	}
	if (pps >= WORTH_PPS)
		rs_evidence(out, "packets for a second of its CPU time", pps / l->core->packet_load,
		    RS_UNIT_NONE);
	rs_evidence_text(out, "cores with room", "%zu of %u", l->n_cold, l->v->n_eligible_groups);
}

/* Packets for a second of CPU time on the other cores that have a part of the
 * work; NAN: none has enough of it to tell, or RPS splits it between cores. */
static double
pace_of_others(const struct rs_lead *l)
{
	double pps = 0.0, load = 0.0;

	for (size_t i = 0; i < l->v->n_cores; i++) {
		const struct rs_core_view *const c = &l->v->cores[i];
		if (c->rps_ps > 0.0)
			return NAN;
		if (!c->is_eligible || c->group == l->core->group ||
		    !(c->packet_load >= WORTH_LOAD) || !(c->processed_pps >= WORTH_PPS))
			continue;
		pps += c->processed_pps;
		load += c->packet_load;
	}
	return load > 0.0 ? pps / load : (double)NAN;
}

bool
rs_link_has_room(const struct rs_view *v)
{
	return !(rs_load_link_use(v) >= LINK_FULL);
}

bool
rs_cause_can_spread(struct rs_says *out, const struct rs_lead *l)
{
	if (!rs_link_has_room(l->v)) {
		rs_evidence_text(out, "no advice", "the link is full: more cores carry no more");
		return false;
	}
	const double pace = pace_of_others(l);
	/* What the core's packets would take of the others, shared out between all
	 * that have room and itself. */
	const double after = l->core->processed_pps / pace / (double)(l->n_cold + 1);
	if (after >= l->core->packet_load) {
		rs_evidence_text(out, "no advice",
		    "other cores do %.0f packets for a second of CPU time: spreading wins nothing",
		    pace);
		return false;
	}
	return true;
}

bool
rs_lead_is_fed_by_nic(const struct rs_lead *l)
{
	if (!l->nic || l->is_by_rps)
		return false;
	if (l->thread && l->thread->thread.class == RS_THREAD_VPN)
		return false;
	return l->thread || (l->n_feeds > 0 && l->feeds[0].ifindex == l->nic->info.ifindex);
}

/* SPDX-License-Identifier: ISC */
/*
 * Receive queues of two interfaces meet on the core that leads while another
 * core has room. What a line interrupts for after sending does not count: the
 * queue in and the queue out of a flow may well be served by one core.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "moves.h"
#include "places.h"
#include "umbrella.h"
#include "verdict.h"

#define LISTED 6u
#define WARN_LOAD 0.50

static bool
gives_much(const struct rs_lead *l, size_t feed)
{
	double sum = 0.0;

	for (size_t i = 0; i < l->n_feeds; i++)
		sum += isnan(l->feed_rx_pps[i]) ? 0.0 : l->feed_rx_pps[i];
	return l->feed_rx_pps[feed] >= RS_FEEDS_SHARE * sum;
}

static bool
has_two(const struct rs_view *v)
{
	unsigned n = 0;

	for (size_t i = 0; i < v->n_nics; i++)
		n += v->nics[i].counts_in_sums;
	return n >= 2;
}

static bool
is_not(const struct rs_lead *l, struct rs_cause *ret)
{
	size_t by_rate = 0, by_pps = 0;
	double sum = 0.0;

	if (!has_two(l->v))
		return false;
	if (l->n_rx_nics == 0 && l->n_nics >= 2)
		return rs_not_known(ret, "packets of each receive queue");
	for (size_t i = 0; i < l->n_feeds; i++) {
		sum += isnan(l->feed_rx_pps[i]) ? 0.0 : l->feed_rx_pps[i];
		if (l->feeds[i].rate_ps > l->feeds[by_rate].rate_ps)
			by_rate = i;
		if (!(l->feed_rx_pps[i] <= l->feed_rx_pps[by_pps]) && !isnan(l->feed_rx_pps[i]))
			by_pps = i;
	}
	if (l->n_rx_nics > 0)
		return rs_not(ret, "%s receives %.0f of the %.0f packets/s that core %u gets",
		    l->feeds[by_pps].device, rs_round_3(l->feed_rx_pps[by_pps]), rs_round_3(sum),
		    l->group.cpu);
	return rs_not(ret, "%.0f of the %.0f NIC interrupts/s on core %u are of %s",
	    rs_round_3(l->feeds[by_rate].rate_ps), rs_round_3(l->feeds_ps), l->group.cpu,
	    l->feeds[by_rate].device);
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	const struct rs_nic_view *nics[RS_NIC_NAMES_MAX];
	char names[RS_NIC_NAMES_BYTES];
	size_t n = 0;

	(void)t;
	if (l->is_by_rps || l->thread || l->n_feeds == 0)
		return rs_not_by_interrupts(l, ret);
	if (l->n_rx_nics < 2)
		return is_not(l, ret);
	if (l->n_cold == 0)
		return rs_not_elsewhere(l, ret);
	for (size_t i = 0; i < l->n_feeds && n < RS_NIC_NAMES_MAX; i++) {
		if (gives_much(l, i))
			nics[n++] = rs_view_nic(l->v, l->feeds[i].ifindex);
	}
	ret->confidence = RS_HIGH;
	rs_nic_names(nics, n, names);
	(void)snprintf(
	    ret->phrase, sizeof(ret->phrase), "queues of %s meet on core %u", names, l->group.cpu);
	return true;
}

static void
tell_feeds(const struct rs_lead *l, struct rs_says *out)
{
	char label[64];

	for (size_t i = 0; i < l->n_feeds; i++) {
		if (isnan(l->feed_rx_pps[i]))
			continue;
		(void)snprintf(label, sizeof(label), "packets of %s received on core %u",
		    l->feeds[i].device, l->group.cpu);
		rs_evidence(out, label, l->feed_rx_pps[i], RS_UNIT_PPS);
	}
}

static void
tell_lines(const struct rs_lead *l, struct rs_says *out)
{
	unsigned told = 0;
	char label[160];

	for (size_t i = 0; i < l->v->n_irqs && told < LISTED; i++) {
		const struct rs_irq_view *const q = &l->v->irqs[i];
		const double here = q->is_nic_queue ? rs_irq_rate_on(q, l->group.cpu) : 0.0;
		if (here < RS_PILE_LINE_PS)
			continue;
		(void)snprintf(label, sizeof(label), "irq %s %s", q->name, q->actions);
		rs_evidence_text(out, label, "%.0f/s of %.0f/s on core %u", rs_round_3(here),
		    rs_round_3(q->rate_ps), l->group.cpu);
		told++;
	}
}

/* The one that gives least of those that give much goes elsewhere: where the core
 * is left to the other. -1: none. */
static int
feed_to_move(const struct rs_lead *l)
{
	int least = -1;

	for (size_t i = 0; i < l->n_feeds; i++) {
		if (gives_much(l, i) && (least < 0 || l->feed_rx_pps[i] < l->feed_rx_pps[least]))
			least = (int)i;
	}
	return least;
}

static void
advise(const struct rs_lead *l, struct rs_says *out)
{
	const int feed = feed_to_move(l);
	struct rs_cpuset cores;
	struct rs_moves m;

	if (feed < 0)
		return;
	const uint32_t ifindex = l->feeds[feed].ifindex;
	rs_place_cores(l->v, ifindex, &cores);
	rs_place_without(l->v, l->group.cpu, &cores);
	const int to = rs_place_coldest(l->v, &cores);
	rs_moves_begin(&m, l->v);
	for (size_t i = 0; to >= 0 && i < l->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &l->v->irqs[i];
		/* A shared line is no line of its own. */
		if (!rs_irq_feed_of(q, ifindex) || !rs_irq_is_busy(q, RS_PILE_LINE_PS) ||
		    rs_irq_busiest_core(q) != (int)l->group.cpu)
			continue;
		if (!rs_moves_add(&m, q, (unsigned)to))
			break;
	}
	rs_moves_advise(&m, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);

	(void)v;
	(void)t;
	if (!l)
		return;
	/* By itself a warning, but where the link is the limit. */
	struct rs_lead warned = *l;
	if (l->group.packet_load >= WARN_LOAD && rs_link_has_room(l->v))
		warned.severity = RS_MAX(l->severity, RS_WARN);
	const struct rs_subject subject = rs_core_subject(l->group.cpu);
	rs_cause_say(out, &warned, &subject);
	rs_cause(out, "drivers begin with the same core, each with its first queue");
	tell_feeds(l, out);
	tell_lines(l, out);
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise(l, out);
}

RS_RULE(irq_nics_collide) = {
    .code = "irq.nics_collide",
    .title = "Queues of two interfaces share a core",
    .help = "Two interfaces give their packets to the same core while another has room.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 40,
    .explains = explains,
};

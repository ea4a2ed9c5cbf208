/* SPDX-License-Identifier: ISC */
/*
 * A receive ring overflows because the core that serves it is full. A larger ring
 * would only make packets older: what fills the core is told by the rules about
 * cores. Where more load makes less come through, it is receive livelock.
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "loss.h"
#include "umbrella.h"
#include "verdict.h"

enum { HOT, HOT_CLEAR, CRITICAL, FORWARDED, OFFERED };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which the core is full"},
    [HOT_CLEAR] = {"hot_clear", 0.80, 0.50, 1.0, RS_UNIT_RATIO, "It stays full down to here"},
    [CRITICAL] = {"critical", 0.001, 0.0, 1.0, RS_UNIT_RATIO,
	"Part of the packets lost that makes it critical"},
    [FORWARDED] = {"livelock_forwarded", 0.90, 0.0, 1.0, RS_UNIT_RATIO,
	"Livelock: less than this part of the best packet rate of five minutes is forwarded"},
    [OFFERED] = {"livelock_offered", 1.10, 1.0, 100.0, RS_UNIT_NONE,
	"Livelock: so many times what was offered then is offered now"},
    {0},
};

/* Of the machine, as the best of the last minutes is. */
static bool
is_livelock(const struct rs_view *v, const struct rs_recent *r, const double *t)
{
	double forwarded, offered;

	return rs_recent_best(r, &forwarded, &offered) && v->tx_pps < t[FORWARDED] * forwarded &&
	       v->rx_pps + v->drops_pps >= t[OFFERED] * offered;
}

static void
tell_message(const struct rs_nic_view *nic, const struct rs_ring_loss *l, bool is_livelocked,
    struct rs_says *out)
{
	char share[24], rate[24], queue[24] = "", who[24] = "no core can";

	rs_format_share(l->share, share);
	rs_format_pps(nic->rx_pps + l->lost_pps, rate);
	if (l->queue >= 0)
		(void)snprintf(queue, sizeof(queue), " queue %d", (int)l->queue);
	if (l->core.cpu >= 0)
		(void)snprintf(who, sizeof(who), "core %d cannot", (int)l->core.cpu);
	rs_message(out, "%s%s loses %s of %s in its ring: %s keep up%s", nic->info.name, queue,
	    share, rate, who, is_livelocked ? " (receive overload)" : "");
}

static void
tell(const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_ring_loss *l,
    bool is_livelocked, struct rs_says *out)
{
	double forwarded, offered;
	char share[24];

	tell_message(nic, l, is_livelocked, out);
	if (l->core.cpu >= 0)
		rs_cause(out, "core %d is full; why its work is not shared is told with the core",
		    (int)l->core.cpu);
	else
		rs_cause(out, "all cores are full");
	if (is_livelocked)
		rs_cause(out, "receive livelock: time goes into packets that are then dropped");
	rs_format_share(l->share, share);
	rs_evidence_noted(out, "packets lost in the ring", l->lost_pps, RS_UNIT_PPS, "%s", share);
	rs_evidence(out, "packets offered to it", nic->rx_pps + l->lost_pps, RS_UNIT_PPS);
	rs_evidence(out, "packets forwarded by the machine", v->tx_pps, RS_UNIT_PPS);
	if (rs_recent_best(rs_recent_of(out), &forwarded, &offered))
		rs_evidence_noted(out, "the most it forwarded in five minutes", forwarded,
		    RS_UNIT_PPS, "%.0f were offered then", rs_round_3(offered));
	if (l->core.cpu >= 0)
		rs_evidence_noted(out, "packet load of the core that serves it",
		    l->core.packet_load, RS_UNIT_RATIO, "core %d, busy %ld %%", (int)l->core.cpu,
		    lround(l->core.busy * 100.0));
	rs_evidence_text(out, "no advice",
	    "a larger ring only adds delay; share the core's work, or shed packets early (nft "
	    "ingress)");
}

static void
look(const struct rs_view *v, const struct rs_nic_view *nic, const double *t, struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(nic);
	struct rs_ring_loss l;

	if (!rs_ring_loss_of(v, rs_recent_of(out), nic, &l) || !(l.lost_pps > 0.0) ||
	    isnan(l.share))
		return;
	const bool is_hot = rs_ring_core_is_hot(&l.core, t[HOT]);
	const bool stays =
	    rs_standing_ns(out, &subject) > 0 && rs_ring_core_is_hot(&l.core, t[HOT_CLEAR]);
	if (!is_hot && !stays)
		return;
	rs_say(out, &subject, rs_condition_of(is_hot, stays),
	    l.share >= t[CRITICAL] ? RS_CRIT : RS_WARN, l.is_by_queue ? RS_HIGH : RS_MEDIUM);
	tell(v, nic, &l, is_livelock(v, rs_recent_of(out), t), out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	rs_rings_look(v, t, out, look);
}

RS_RULE(ring_overflow_saturated) = {
    .code = "ring.overflow_saturated",
    .title = "Packets are lost in the ring because the core cannot keep up",
    .help = "The device has no free descriptor, since the core that takes packets from its ring is "
	    "full.",
    .voting = RS_VOTING_COUNTER,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

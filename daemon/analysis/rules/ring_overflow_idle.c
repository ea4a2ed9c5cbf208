/* SPDX-License-Identifier: ISC */
/*
 * A receive ring overflows although the core that serves it has time: bursts, a
 * small ring, interrupts held back for long, deep sleep. Where the core is full it
 * is ring.overflow_saturated, to which this gives way. Only what drivers count as
 * missed is loss here, not what a filter or an unknown protocol discards.
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "loss.h"
#include "umbrella.h"
#include "verdict.h"

enum { LOSS, PACKETS, BUSY, HOT };

static const struct rs_threshold thresholds[] = {
    [LOSS] = {"loss", 0.0001, 0.0, 1.0, RS_UNIT_RATIO,
	"Part of the packets that is lost, now or in the last minute"},
    [PACKETS] = {"packets", 10.0, 1.0, 1e9, RS_UNIT_PACKETS, "And so many of them at least"},
    [BUSY] = {"busy", 0.70, 0.0, 1.0, RS_UNIT_RATIO,
	"Busy share of the core from which bursts may fill it"},
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO,
	"Packet load from which the core is the cause, not the ring"},
    {0},
};

/* An interrupt must not be held back for more than half of what the ring takes. */
#define HOLDS_TIMES 2.0

enum core_state { HAS_TIME, MAY_FILL, NOT_KNOWN };

static enum core_state
state_of(const struct rs_view *v, const struct rs_ring_loss *l, double busy)
{
	if (l->core.cpu >= 0)
		return l->core.busy < busy ? HAS_TIME : MAY_FILL;
	/* Whichever it is. */
	for (size_t i = 0; i < v->n_cores; i++) {
		if (!(v->cores[i].busy < busy) && v->cores[i].is_online)
			return NOT_KNOWN;
	}
	return v->has_packet_load ? HAS_TIME : NOT_KNOWN;
}

static void
tell_message(const struct rs_nic_view *nic, const struct rs_ring_loss *l, enum core_state state,
    struct rs_says *out)
{
	const long busy = lround(l->core.busy * 100.0);
	char share[24];

	rs_format_share(fmax(l->share, l->share_60), share);
	if (l->core.cpu < 0)
		rs_message(out, "%s loses %s of its packets in the ring%s", nic->info.name, share,
		    state == HAS_TIME ? " although all cores have time" : "");
	else if (state == HAS_TIME)
		rs_message(out,
		    "%s loses %s of its packets in the ring although core %d has time (%ld %% "
		    "busy)",
		    nic->info.name, share, (int)l->core.cpu, busy);
	else
		rs_message(out,
		    "%s loses %s of its packets in the ring; core %d is %ld %% busy, bursts may "
		    "fill it",
		    nic->info.name, share, (int)l->core.cpu, busy);
}

static bool
is_held_too_long(const struct rs_view *v, const struct rs_nic_view *nic)
{
	const int64_t usecs = rs_nic_number(v, nic, RS_F_COALESCE_RX_USECS);

	return rs_nic_is(v, nic, RS_F_COALESCE_ADAPTIVE_RX, "off") && usecs > 1 &&
	       rs_ring_holds_us(v, nic) < HOLDS_TIMES * (double)usecs;
}

static void
tell_causes(const struct rs_view *v, const struct rs_nic_view *nic, enum core_state state,
    struct rs_says *out)
{
	if (state == MAY_FILL)
		rs_cause(out, "bursts that fill the core for less than a second");
	if (is_held_too_long(v, nic))
		rs_cause(out, "interrupts are held back for longer than the ring holds");
	rs_cause(out, "bursts longer than the ring");
	rs_cause(out, "a core in deep sleep, or interrupts off for long in another driver");
}

static void
advise_ring(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_says *out)
{
	const long long now = rs_nic_number(v, nic, RS_F_RING_RX);
	const long long max = rs_nic_number(v, nic, RS_F_RING_RX_MAX);
	struct rs_advice a = {.is_disruptive = true};

	if (now <= 0 || max <= now)
		return;
	(void)snprintf(a.command, sizeof(a.command), "ethtool -G %s rx %lld", nic->info.name,
	    RS_MIN(2 * now, max));
	(void)snprintf(a.expect, sizeof(a.expect),
	    "no more loss; if some remains, double it again. Larger rings cost cache: compare the "
	    "throughput before and after");
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -G %s rx %lld", nic->info.name, now);
	rs_advise(out, &a);
}

static void
advise_usecs(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_says *out)
{
	const long long now = rs_nic_number(v, nic, RS_F_COALESCE_RX_USECS);
	const double holds = rs_ring_holds_us(v, nic);
	struct rs_advice a = {.is_disruptive = false};
	char time[24];

	(void)snprintf(a.command, sizeof(a.command), "ethtool -C %s rx-usecs %ld", nic->info.name,
	    lround(fmax(1.0, holds / (2.0 * HOLDS_TIMES))));
	rs_format_time(holds / 1e6, time);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "no more loss, and more interrupts: the ring holds %s at wire rate", time);
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -C %s rx-usecs %lld", nic->info.name, now);
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_ring_loss *l,
    enum core_state state, struct rs_says *out)
{
	const char *const ring = rs_view_fact(v, RS_F_RING_RX, nic->info.ifindex, RS_NO_QUEUE);
	const char *const max = rs_view_fact(v, RS_F_RING_RX_MAX, nic->info.ifindex, RS_NO_QUEUE);
	const double holds = rs_ring_holds_us(v, nic);
	char time[24];

	tell_message(nic, l, state, out);
	tell_causes(v, nic, state, out);
	rs_evidence(out, "packets lost in the ring", l->lost_pps, RS_UNIT_PPS);
	rs_evidence(out, "packets lost in the last minute", l->lost_60, RS_UNIT_PACKETS);
	if (l->queue >= 0)
		rs_evidence_text(out, "the queue that loses the most", "%d", (int)l->queue);
	rs_evidence_text(out, "receive ring", "%.12s of at most %.12s descriptors",
	    ring ? ring : "unknown", max ? max : "unknown");
	rs_format_time(holds / 1e6, time);
	if (!isnan(holds))
		rs_evidence_text(out, "time it holds at wire rate", "%s at this packet size", time);
	if (l->core.cpu >= 0)
		rs_evidence_noted(out, "packet load of the core that serves it",
		    l->core.packet_load, RS_UNIT_RATIO, "core %d, busy %ld %%", (int)l->core.cpu,
		    lround(l->core.busy * 100.0));
	else
		rs_evidence_text(out, "core that serves it", "not known");
	if (is_held_too_long(v, nic))
		advise_usecs(v, nic, out);
	if (state == HAS_TIME)
		advise_ring(v, nic, out);
	else
		rs_evidence_text(out, "no larger ring",
		    "in front of a core that may be full it would only add delay");
}

/* While it stands only new loss counts; else that of a minute may raise it, where
 * no core was hot meanwhile. */
static bool
is_lost(const struct rs_ring_loss *l, const double *t, bool is_standing)
{
	const double lost = isnan(l->lost_60) ? l->lost_pps : l->lost_60;

	if (l->lost_pps > 0.0)
		return fmax(l->share, l->share_60) >= t[LOSS] && lost >= t[PACKETS];
	return !is_standing && l->cold_60 >= t[PACKETS] &&
	       l->share_60 * l->cold_60 >= t[LOSS] * l->lost_60;
}

static void
look(const struct rs_view *v, const struct rs_nic_view *nic, const double *t, struct rs_says *out)
{
	static const enum rs_confidence confidence[] = {
	    [HAS_TIME] = RS_HIGH, [MAY_FILL] = RS_LOW, [NOT_KNOWN] = RS_LOW};
	const struct rs_subject subject = rs_nic_subject(nic);
	struct rs_ring_loss l;

	if (!rs_ring_loss_of(v, rs_recent_of(out), nic, &l) ||
	    rs_ring_core_is_hot(&l.core, t[HOT]) ||
	    !is_lost(&l, t, rs_standing_ns(out, &subject) > 0))
		return;
	const enum core_state state = state_of(v, &l, t[BUSY]);
	const bool is_sure = l.is_by_queue || state != HAS_TIME;
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, is_sure ? confidence[state] : RS_MEDIUM);
	tell(v, nic, &l, state, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	rs_rings_look(v, t, out, look);
}

RS_RULE(ring_overflow_idle) = {
    .code = "ring.overflow_idle",
    .title = "Packets are lost in the ring although its core has time",
    .help = "The device has no free descriptor now and then, while the core that takes packets "
	    "from its ring is not full.",
    .voting = RS_VOTING_COUNTER,
    .gives_way_to = "ring.overflow_saturated",
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * Nothing here is saturated, yet the rate does not move: sender, receiver, provider
 * or the path beyond limit it. Said only where nothing on this machine explains it:
 * no core leads or is hot, no link is near full, no thread fills a core, nothing is
 * lost, paused, stolen or shaped.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "loss.h"
#include "recent.h"
#include "umbrella.h"
#include "verdict.h"

enum { VARIATION, VARIATION_CLEAR, USE, CORE, THREAD };

static const struct rs_threshold thresholds[] = {
    [VARIATION] = {"variation", 0.01, 0.0001, 1.0, RS_UNIT_RATIO,
	"Standard deviation of ten seconds, as a part of their mean"},
    [VARIATION_CLEAR] = {"variation_clear", 0.02, 0.0001, 1.0, RS_UNIT_RATIO,
	"The deviation above which it clears"},
    [USE] = {"use", 0.90, 0.0, 1.0, RS_UNIT_RATIO, "Use of a link from which the link explains it"},
    [CORE] = {"core", 0.80, 0.0, 1.0, RS_UNIT_RATIO,
	"Packet load or busy share from which a core does"},
    [THREAD] = {"thread", 0.90, 0.0, 1.0, RS_UNIT_RATIO,
	"Share of a core from which a thread does"},
    {0},
};

#define PAUSE_PS 1.0
#define STEAL 0.05

/* A core is full, or its time is taken. */
static bool
has_full_core(const struct rs_view *v, const double *t)
{
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		if (v->groups[i].packet_load >= t[CORE])
			return true;
	}
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		if (c->is_eligible && (c->steal >= STEAL || c->throttled_ps > 0.0))
			return true;
	}
	for (size_t i = 0; i < v->n_threads; i++) {
		if (v->threads[i].load >= t[THREAD])
			return true;
	}
	return false;
}

/* It carries a part of the traffic that is worth a look. */
static bool
is_busy(const struct rs_view *v, const struct rs_nic_view *nic)
{
	return nic->counts_in_sums &&
	       (nic->rx_bps > 0.10 * v->rx_bps || nic->tx_bps > 0.10 * v->tx_bps);
}

static bool
explains(const struct rs_view *v, const struct rs_nic_view *nic, const double *t)
{
	const char *const qdisc = rs_view_fact(v, RS_F_QDISC, nic->info.ifindex, RS_NO_QUEUE);

	/* Of a link whose speed is not known nobody can say that it is not full. */
	return nic->info.speed_bps <= 0 || !(nic->rx_utilization < t[USE]) ||
	       !(nic->tx_utilization < t[USE]) || nic->lost_ring_pps > 0.0 ||
	       nic->lost_qdisc_pps > 0.0 || nic->lost_tx_pps > 0.0 || nic->lost_wire_pps > 0.0 ||
	       nic->rx_pause_ps >= PAUSE_PS || nic->tx_pause_ps >= PAUSE_PS || rs_is_shaped(qdisc);
}

/* Virtual interfaces on the way may shape as well. */
static bool
has_explanation(const struct rs_view *v, const double *t)
{
	if (v->drops_pps > 0.0 || has_full_core(v, t))
		return true;
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		const char *const qdisc =
		    rs_view_fact(v, RS_F_QDISC, nic->info.ifindex, RS_NO_QUEUE);
		if ((is_busy(v, nic) && explains(v, nic, t)) || rs_is_shaped(qdisc))
			return true;
	}
	return false;
}

/* Whether all was read that could explain it: else this is the likeliest answer
 * only. */
static bool
is_all_read(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		if (is_busy(v, nic) &&
		    (isnan(nic->rx_pause_ps) || isnan(nic->lost_ring_pps) ||
			!rs_view_fact(v, RS_F_QDISC, nic->info.ifindex, RS_NO_QUEUE)))
			return false;
	}
	return v->has_threads;
}

static void
tell(const struct rs_view *v, double mean_bps, double variation, struct rs_says *out)
{
	char rate[24];

	rs_format_bps(mean_bps, rate);
	rs_message(out, "limit is elsewhere: %s flat, no core above %ld %%, no loss", rate,
	    lround(v->hottest_core_load * 100.0));
	rs_cause(out, "sender, receiver, provider or the path beyond: TCP window, Wi-Fi, a disk, a "
		      "rate limit");
	rs_evidence(out, "mean of ten seconds", mean_bps, RS_UNIT_BPS);
	rs_evidence_text(out, "its deviation", "%.1f %%", variation * 100.0);
	rs_evidence(out, "busiest core", v->hottest_core_load, RS_UNIT_RATIO);
	rs_evidence(out, "fullest link", rs_load_link_use(v), RS_UNIT_RATIO);
	rs_evidence_text(out, "loss, pause frames, shapers", "%s",
	    is_all_read(v) ? "none" : "none, but not all of it could be read");
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_recent *const r = rs_recent_of(out);
	const bool is_tx = v->tx_bps > v->rx_bps;
	double mean_bps, variation;

	if (rs_load_flow(v) == RS_FLOW_UNKNOWN) {
		rs_needs(out, "interface counters");
		return;
	}
	if (rs_load_flow(v) != RS_FLOW_SOME || !v->has_packet_load || rs_lead_in(out) ||
	    !rs_recent_flow(r, is_tx, &mean_bps, &variation) || !(variation < t[VARIATION_CLEAR]) ||
	    has_explanation(v, t))
		return;
	rs_say(out, &rs_subject_host, rs_condition_of(variation < t[VARIATION], true), RS_INFO,
	    is_all_read(v) ? RS_HIGH : RS_MEDIUM);
	tell(v, mean_bps, variation, out);
}

RS_RULE(rate_external) = {
    .code = "rate.external",
    .title = "Nothing here is saturated: the limit is elsewhere",
    .help = "The rate stands still while this machine has room everywhere. Tuning it would change "
	    "nothing.",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

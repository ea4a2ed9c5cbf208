/* SPDX-License-Identifier: ISC */
/*
 * Pause frames throttle traffic. Received, they stop our sending with no counter of
 * loss moving; sent, they move our loss into the neighbour, which hides a ring that
 * overflows. Frames that arrive where none are obeyed throttle nothing.
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "loss.h"
#include "recent.h"
#include "umbrella.h"
#include "verdict.h"

enum { FRAMES, FRAMES_CLEAR, HOT };

static const struct rs_threshold thresholds[] = {
    [FRAMES] = {"frames", 10.0, 0.1, 1e6, RS_UNIT_PER_SECOND, "Pause frames per second"},
    [FRAMES_CLEAR] = {"frames_clear", 5.0, 0.0, 1e6, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO,
	"Packet load from which a core is the reason to send them"},
    {0},
};

static void
advise(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_says *out)
{
	const char *const rx = rs_view_fact(v, RS_F_PAUSE_RX, nic->info.ifindex, RS_NO_QUEUE);
	const char *const tx = rs_view_fact(v, RS_F_PAUSE_TX, nic->info.ifindex, RS_NO_QUEUE);
	struct rs_advice a = {.is_disruptive = true};

	if (!rx || !tx)
		return;
	(void)snprintf(a.command, sizeof(a.command), "ethtool -A %s rx off tx off", nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "no more pauses: what is too much is lost where it is too much, and is counted there. "
	    "Not in a storage fabric that must not lose");
	(void)snprintf(
	    a.undo, sizeof(a.undo), "ethtool -A %s rx %.8s tx %.8s", nic->info.name, rx, tx);
	rs_advise(out, &a);
}

static void
say(const struct rs_view *v, const struct rs_nic_view *nic, bool is_tx, const double *t,
    struct rs_says *out)
{
	const double rate = is_tx ? nic->tx_pause_ps : nic->rx_pause_ps;
	const bool is_known = rs_nic_is(v, nic, is_tx ? RS_F_PAUSE_TX : RS_F_PAUSE_RX, "on");
	struct rs_subject subject = rs_nic_subject(nic);
	struct rs_ring_core core;

	(void)snprintf(subject.direction, sizeof(subject.direction), "%s", is_tx ? "tx" : "rx");
	rs_say(out, &subject, rs_condition_of(rate >= t[FRAMES], true), RS_WARN,
	    is_known ? RS_HIGH : RS_MEDIUM);
	rs_ring_core_of(v, nic, &core);
	if (!is_tx) {
		rs_message(out, "the neighbour at %s throttles us: %.0f pause frames a second",
		    nic->info.name, rs_round_3(rate));
		rs_cause(out, "the other side, or what is behind it, cannot take what we send");
	} else {
		rs_message(out,
		    "%s throttles its neighbour: %.0f pause frames a second, the loss is there",
		    nic->info.name, rs_round_3(rate));
		if (rs_ring_core_is_hot(&core, t[HOT]))
			rs_cause(out, "core %d cannot keep up with the ring", (int)core.cpu);
		else
			rs_cause(out, "bursts longer than the receive ring, or a slow bus");
	}
	rs_evidence(out, "pause frames received", nic->rx_pause_ps, RS_UNIT_PER_SECOND);
	rs_evidence(out, "pause frames sent", nic->tx_pause_ps, RS_UNIT_PER_SECOND);
	rs_evidence(out, "packets lost in the ring", nic->lost_ring_pps, RS_UNIT_PPS);
	if (!is_tx) {
		rs_evidence(out, "dropped before sending in the last minute",
		    rs_recent_sum(rs_recent_of(out), nic->info.ifindex, RS_RECENT_QDISC_60),
		    RS_UNIT_PACKETS);
		rs_evidence(
		    out, "times a full ring stopped a queue", nic->tx_stops_ps, RS_UNIT_PER_SECOND);
	}
	rs_evidence(out, "use of the link, sending", nic->tx_utilization, RS_UNIT_RATIO);
	if (core.cpu >= 0)
		rs_evidence_noted(out, "packet load of the core that serves it", core.packet_load,
		    RS_UNIT_RATIO, "core %d", (int)core.cpu);
	advise(v, nic, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		is_known |= !isnan(nic->rx_pause_ps) || !isnan(nic->tx_pause_ps);
		if (nic->rx_pause_ps >= t[FRAMES_CLEAR] && !rs_nic_is(v, nic, RS_F_PAUSE_RX, "off"))
			say(v, nic, false, t, out);
		if (nic->tx_pause_ps >= t[FRAMES_CLEAR])
			say(v, nic, true, t, out);
	}
	if (!is_known)
		rs_needs(out, "counters of pause frames (ethtool -I -a)");
}

RS_RULE(link_pause) = {
    .code = "link.pause",
    .title = "Pause frames throttle traffic",
    .help = "A device that cannot take more asks the other side to stop for a moment. The loss is "
	    "then elsewhere, and no counter here shows it.",
    .thresholds = thresholds,
    .evaluate = evaluate,
};

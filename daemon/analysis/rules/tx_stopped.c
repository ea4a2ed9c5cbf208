/* SPDX-License-Identifier: ISC */
/*
 * The transmit side blocks: a queue stood still for seconds, the queueing
 * discipline drops, or full rings stop queues all the time. A discipline that
 * manages its queue drops on purpose where the link or a shaper is the limit, and a
 * full link stops queues: that is told as such, or not at all. What pause frames of
 * the neighbour do is link.pause's.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "loss.h"
#include "umbrella.h"
#include "verdict.h"

enum { DROPS, STOPS, STOPS_CLEAR, NEAR, FULL, PAUSE };

static const struct rs_threshold thresholds[] = {
    [DROPS] = {"drops", 0.001, 0.0, 1.0, RS_UNIT_RATIO,
	"Part of the packets to be sent that the queueing discipline drops, now or in a minute"},
    [STOPS] = {"stops", 10.0, 0.1, 1e6, RS_UNIT_PER_SECOND,
	"Times per second that a full ring stops a transmit queue"},
    [STOPS_CLEAR] = {"stops_clear", 5.0, 0.0, 1e6, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    [NEAR] = {"near", 0.80, 0.0, 1.0, RS_UNIT_RATIO,
	"Use of the link from which a managed queue drops on purpose"},
    [FULL] = {"full", 0.95, 0.0, 1.0, RS_UNIT_RATIO, "Use from which the link is full"},
    [PAUSE] = {"pause", 10.0, 0.1, 1e6, RS_UNIT_PER_SECOND,
	"Pause frames received per second that explain it: link.pause tells"},
    {0},
};

/* A minute of so few drops proves nothing, nor does a second. */
#define DROPS_MIN 10.0
#define DROPS_NOW_MIN_PS 100.0
/* So little is what a managed queue tells its senders with, wherever it stands. */
#define SIGNAL 0.01

static const char *const managing[] = {
    "fq_codel", "codel", "cake", "cake_mq", "fq_pie", "pie", "dualpi2", "red", "choke", "sfb"};

/* What is known of the way out in this tick. */
struct way {
	const struct rs_view *v;
	const struct rs_nic_view *nic;
	const char *qdisc; /* NULL: not known */
	bool is_managed;
	double dropped;	     /* by the discipline in the last minute */
	double share;	     /* of what was to be sent then or now, whichever is more */
	const char *because; /* why it is no fault of this machine; NULL */
};

static bool
is_managed(const char *qdisc)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(managing); i++) {
		if (rs_has_word(qdisc, managing[i]))
			return true;
	}
	return false;
}

/* NAN: what was sent is not known. */
static double
share_of(double dropped, double sent)
{
	return dropped > 0.0 ? dropped / (dropped + sent) : 0.0;
}

static struct way
way_of(const struct rs_view *v, const struct rs_recent *r, const struct rs_nic_view *nic,
    const double *t)
{
	const uint32_t ifindex = nic->info.ifindex;
	struct way w = {.v = v,
	    .nic = nic,
	    .qdisc = rs_view_fact(v, RS_F_QDISC, ifindex, RS_NO_QUEUE),
	    .dropped = rs_recent_sum(r, ifindex, RS_RECENT_QDISC_60)};
	const double sent = rs_recent_sum(r, ifindex, RS_RECENT_TX_60);

	w.is_managed = is_managed(w.qdisc);
	w.share = share_of(w.dropped, sent);
	if (nic->lost_qdisc_pps >= DROPS_NOW_MIN_PS)
		w.share = fmax(w.share, share_of(nic->lost_qdisc_pps, nic->tx_pps));
	if (nic->tx_utilization >= t[FULL])
		w.because = "the link is full";
	else if (rs_is_shaped(w.qdisc))
		w.because = "a shaper holds it back";
	return w;
}

static void
tell_figures(const struct way *w, struct rs_says *out)
{
	const struct rs_nic_view *const nic = w->nic;

	if (w->because)
		rs_cause(out, "%s", w->because);
	rs_evidence_text(out, "queueing discipline", "%s", w->qdisc ? w->qdisc : "not known");
	rs_evidence(out, "dropped by it in the last minute", w->dropped, RS_UNIT_PACKETS);
	rs_evidence(out, "given back by the driver", nic->requeues_ps, RS_UNIT_PER_SECOND);
	rs_evidence(out, "times a full ring stopped a queue", nic->tx_stops_ps, RS_UNIT_PER_SECOND);
	rs_evidence(out, "use of the link, sending", nic->tx_utilization, RS_UNIT_RATIO);
	rs_evidence(out, "pause frames received", nic->rx_pause_ps, RS_UNIT_PER_SECOND);
}

/* Its neighbour stops it: that is link.pause, which tells what is dropped and stopped
 * by it. */
static bool
is_paused(const struct rs_view *v, const struct rs_nic_view *nic, const double *t)
{
	return nic->rx_pause_ps >= t[PAUSE] && !rs_nic_is(v, nic, RS_F_PAUSE_RX, "off");
}

/* A queue stood still although the device should have sent. */
static void
say_timeout(const struct way *w, const struct rs_subject *subject, struct rs_says *out)
{
	struct rs_advice a = {
	    .command = "dmesg | grep -iE 'transmit queue|tx hang|tx timeout|reset adapter'",
	    .expect = "names queue and driver: update driver and firmware, try another slot, or "
		      "switch offloads off one by one",
	    .undo = "nothing to undo: it only looks",
	};

	rs_say(out, subject, RS_COND_RAISE, RS_CRIT, RS_HIGH);
	rs_message(out, "a transmit queue of %s stood still and was reset", w->nic->info.name);
	rs_cause(out, "the device hangs, or an interrupt of it is lost");
	tell_figures(w, out);
	rs_evidence(out, "resets", w->nic->tx_timeouts_ps, RS_UNIT_PER_SECOND);
	rs_advise(out, &a);
}

static void
say_drops(
    const struct way *w, const double *t, const struct rs_subject *subject, struct rs_says *out)
{
	const struct rs_nic_view *const nic = w->nic;
	const bool is_near = w->because || nic->tx_utilization >= t[NEAR];
	const bool is_known = w->qdisc && (w->because || !isnan(nic->tx_utilization));
	char share[24], qdisc[28];

	rs_format_share(w->share, share);
	rs_copy_cut(qdisc, sizeof(qdisc), w->qdisc ? w->qdisc : "queueing discipline not known");
	if (w->is_managed && (is_near || !is_known || w->share < SIGNAL)) {
		rs_say(out, subject, RS_COND_RAISE, RS_INFO, is_known ? RS_HIGH : RS_LOW);
		rs_message(out, "queue management (AQM) active on %s: %s drops %s", nic->info.name,
		    qdisc, share);
		rs_cause(out, "that is its work: it keeps queues short where more comes than fits");
	} else {
		rs_say(out, subject, RS_COND_RAISE, w->because || !is_known ? RS_INFO : RS_WARN,
		    is_known ? RS_MEDIUM : RS_LOW);
		rs_message(
		    out, "%s drops %s of what it should send (%s)", nic->info.name, share, qdisc);
		if (!w->because)
			rs_cause(out, "bursts longer than the queue, or a driver that stops it");
	}
	tell_figures(w, out);
}

static void
advise_ring(const struct way *w, struct rs_says *out)
{
	const long long now = rs_nic_number(w->v, w->nic, RS_F_RING_TX);
	const long long max = rs_nic_number(w->v, w->nic, RS_F_RING_TX_MAX);
	struct rs_advice a = {.is_disruptive = true};

	if (now <= 0 || max <= now)
		return;
	(void)snprintf(a.command, sizeof(a.command), "ethtool -G %s tx %lld", w->nic->info.name,
	    RS_MIN(2 * now, max));
	(void)snprintf(a.expect, sizeof(a.expect),
	    "the queue stops less often; throughput does not fall. txqueuelen is no remedy");
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -G %s tx %lld", w->nic->info.name, now);
	rs_advise(out, &a);
}

/* Nothing is lost by it, and where the link is full, a full ring is how it should
 * be. */
static void
say_stops(
    const struct way *w, const double *t, const struct rs_subject *subject, struct rs_says *out)
{
	const double rate = w->nic->tx_stops_ps;

	if (w->nic->tx_utilization >= t[FULL])
		return;
	rs_say(out, subject, rs_condition_of(rate >= t[STOPS], true), RS_INFO, RS_MEDIUM);
	rs_message(out, "transmit queues of %s stop %.0f times a second, their ring being full",
	    w->nic->info.name, rs_round_3(rate));
	if (!w->because)
		rs_cause(
		    out, "bursts longer than the transmit ring, or completions that come late");
	tell_figures(w, out);
	if (!w->because)
		advise_ring(w, out);
}

static void
look(const struct rs_view *v, const struct rs_nic_view *nic, const double *t, struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(nic);
	const struct rs_recent *const r = rs_recent_of(out);
	const bool is_standing = rs_standing_ns(out, &subject) > 0;

	if (nic->tx_timeouts_ps > 0.0) {
		const struct way w = way_of(v, r, nic, t);
		say_timeout(&w, &subject, out);
		return;
	}
	if (is_paused(v, nic, t))
		return;
	/* While it stands only new drops count, else those of a minute. */
	if (nic->lost_qdisc_pps > 0.0 ||
	    (!is_standing && rs_recent_sum(r, nic->info.ifindex, RS_RECENT_QDISC_60) > 0.0)) {
		const struct way w = way_of(v, r, nic, t);
		if (w.share >= t[DROPS] && w.dropped >= DROPS_MIN) {
			say_drops(&w, t, &subject, out);
			return;
		}
	}
	if (nic->tx_stops_ps >= t[STOPS_CLEAR]) {
		const struct way w = way_of(v, r, nic, t);
		say_stops(&w, t, &subject, out);
	}
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		if (!nic->info.is_physical && !nic->counts_in_sums)
			continue;
		is_known |= !isnan(nic->lost_qdisc_pps) || !isnan(nic->tx_stops_ps) ||
			    !isnan(nic->tx_timeouts_ps);
		look(v, nic, t, out);
	}
	if (!is_known)
		rs_needs(out, "counters of queueing disciplines or transmit queues");
}

RS_RULE(tx_stopped) = {
    .code = "tx.stopped",
    .title = "The transmit side of an interface blocks",
    .help = "Packets that should leave are dropped in front of the device, its queues stop all the "
	    "time, or one of them hangs.",
    .voting = RS_VOTING_COUNTER,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * A core drops packets because its backlog is full. Only what RPS hands over and
 * virtual interfaces go through a backlog. What the flow limit sheds is counted as
 * dropped as well (net/core/dev.c, enqueue_to_backlog) and is no loss of this kind.
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "loss.h"
#include "places.h"
#include "umbrella.h"
#include "verdict.h"

enum { HOT, CRITICAL, PACKETS, LOSS };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO,
	"Packet load from which the core is the cause, not its backlog"},
    [CRITICAL] = {"critical", 0.001, 0.0, 1.0, RS_UNIT_RATIO,
	"Part of the packets that makes it critical where the core is full"},
    [PACKETS] = {"packets", 10.0, 1.0, 1e9, RS_UNIT_PACKETS,
	"Packets dropped in the last minute, in bursts far from each other"},
    [LOSS] = {"loss", 0.0001, 0.0, 1.0, RS_UNIT_RATIO, "And their part of all packets"},
    {0},
};

#define BACKLOG_ADVISED 4096

static double
lost_by(const struct rs_core_view *c)
{
	return c->dropped_pps - (c->flow_limit_ps > 0.0 ? c->flow_limit_ps : 0.0);
}

struct droppers {
	bool is_known;
	const struct rs_core_view *named; /* NULL: no core drops */
	struct rs_cpuset cores;
	unsigned n;
	double lost_pps, passed_pps;
};

/* The core to name is that of the standing finding while it drops, else the one
 * that drops most. */
static void
find_droppers(const struct rs_view *v, const struct rs_says *out, struct droppers *ret)
{
	const int32_t standing = rs_standing_core(out);

	*ret = (struct droppers){.is_known = false};
	rs_cpuset_zero(&ret->cores);
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		const bool is_standing = ret->named && (int32_t)ret->named->cpu == standing;
		ret->is_known |= !isnan(c->dropped_pps);
		if (!(lost_by(c) > 0.0))
			continue;
		rs_cpuset_add(&ret->cores, c->cpu);
		ret->n++;
		ret->lost_pps += lost_by(c);
		ret->passed_pps += isnan(c->processed_pps) ? 0.0 : c->processed_pps;
		if (!ret->named || (int32_t)c->cpu == standing ||
		    (!is_standing && lost_by(c) > lost_by(ret->named)))
			ret->named = c;
	}
}

static void
tell_message(const struct droppers *d, struct rs_says *out)
{
	char rate[24], cores[48];

	rs_format_pps(d->lost_pps, rate);
	rs_cpuset_format(&d->cores, cores, sizeof(cores));
	if (d->n == 1)
		rs_message(out, "core %s drops %s: its backlog is full", cores, rate);
	else
		rs_message(out, "cores %s drop %s: their backlogs are full", cores, rate);
}

static void
tell_cause(const struct rs_core_view *c, bool is_hot, struct rs_says *out)
{
	if (is_hot)
		rs_cause(out, "core %u is full: packets come faster than it takes them", c->cpu);
	else if (c->rps_ps >= 1.0)
		rs_cause(out, "bursts longer than the backlog, handed over by RPS");
	else
		rs_cause(out, "bursts longer than the backlog, from a virtual interface (veth, "
			      "tun, ppp, tunnel)");
}

static void
advise(const struct rs_view *v, struct rs_says *out)
{
	const int64_t now = rs_host_number(v, RS_F_NETDEV_MAX_BACKLOG);
	struct rs_advice a = {.is_persistent = false};

	if (now <= 0)
		return;
	(void)snprintf(a.command, sizeof(a.command), "sysctl -w net.core.netdev_max_backlog=%lld",
	    (long long)RS_MAX(2 * now, (int64_t)BACKLOG_ADVISED));
	(void)snprintf(a.expect, sizeof(a.expect),
	    "no more drops; packets wait longer in bursts. If drops go on, the cores are too slow");
	(void)snprintf(
	    a.undo, sizeof(a.undo), "sysctl -w net.core.netdev_max_backlog=%lld", (long long)now);
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct droppers *d, bool is_hot, struct rs_says *out)
{
	const struct rs_core_view *const c = d->named;
	const char *const limit = rs_view_fact(v, RS_F_NETDEV_MAX_BACKLOG, 0, RS_NO_QUEUE);
	char share[24];

	tell_message(d, out);
	tell_cause(c, is_hot, out);
	rs_format_share(d->lost_pps / (d->lost_pps + d->passed_pps), share);
	rs_evidence_noted(out, "packets dropped", d->lost_pps, RS_UNIT_PPS, "%s of them", share);
	if (d->n > 1)
		rs_evidence_noted(
		    out, "the most by one core", lost_by(c), RS_UNIT_PPS, "core %u", c->cpu);
	rs_evidence(out, "packets waiting in that core's backlog", c->backlog, RS_UNIT_PACKETS);
	rs_evidence_text(out, "net.core.netdev_max_backlog", "%.20s", limit ? limit : "not known");
	rs_evidence(out, "packet load of that core", c->packet_load, RS_UNIT_RATIO);
	rs_evidence(out, "wake-ups of it by RPS", c->rps_ps, RS_UNIT_PER_SECOND);
	if (is_hot)
		rs_evidence_text(
		    out, "no advice", "a longer backlog in front of a full core only adds delay");
	else
		advise(v, out);
}

/* Bursts may be further apart than five samples: then what a minute lost raises it.
 * While it stands only new drops keep it. */
static void
evaluate_minute(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_recent_backlog b = rs_recent_backlog(rs_recent_of(out));
	const struct rs_core_view *const c = b.cpu >= 0 ? rs_view_core(v, (unsigned)b.cpu) : NULL;

	if (rs_standing_core(out) >= 0 || !c || !(b.lost >= t[PACKETS]) ||
	    !(b.lost >= t[LOSS] * (b.lost + b.passed)))
		return;
	const struct rs_subject subject = rs_core_subject(c->cpu);
	char share[24];
	rs_format_share(b.lost / (b.lost + b.passed), share);
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_HIGH);
	rs_message(out, "the backlog of core %u overflows in bursts: %.0f packets lost in a minute",
	    c->cpu, rs_round_3(b.lost));
	tell_cause(c, false, out);
	rs_evidence_noted(out, "packets dropped in the last minute", b.lost, RS_UNIT_PACKETS,
	    "%s of them", share);
	rs_evidence(out, "packet load of that core", c->packet_load, RS_UNIT_RATIO);
	advise(v, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct droppers d;

	find_droppers(v, out, &d);
	if (!d.is_known) {
		rs_needs(out, "counters of the cores' backlogs (/proc/net/softnet_stat)");
		return;
	}
	if (!d.named) {
		evaluate_minute(v, t, out);
		return;
	}
	const struct rs_group *const g = rs_place_group(v, d.named->cpu);
	const bool is_hot = g && rs_group_is_hot(g, t[HOT]);
	const bool is_much =
	    lost_by(d.named) >= t[CRITICAL] * (lost_by(d.named) + d.named->processed_pps);
	const struct rs_subject subject = rs_core_subject(d.named->cpu);
	const bool is_crit = is_hot && is_much && rs_link_has_room(v);
	rs_say(out, &subject, RS_COND_RAISE, is_crit ? RS_CRIT : RS_WARN, RS_HIGH);
	tell(v, &d, is_hot, out);
}

RS_RULE(softnet_dropped) = {
    .code = "softnet.dropped",
    .title = "A core drops packets because its backlog is full",
    .help = "What RPS hands over, and what virtual interfaces receive, waits in a backlog of the "
	    "core; when that is full it is lost.",
    .voting = RS_VOTING_COUNTER,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

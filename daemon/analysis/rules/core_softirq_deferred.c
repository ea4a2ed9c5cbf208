/* SPDX-License-Identifier: ISC */
/*
 * ksoftirqd has to do the receive work: softirqs come again faster than they are
 * done with, and what is left over competes with processes. A symptom of a core
 * that is full; on real-time kernels, and with threaded NAPI, how it is meant.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "load.h"
#include "process.h"
#include "umbrella.h"

enum { LOAD, LOAD_CLEAR, PACKETS };

static const struct rs_threshold thresholds[] = {
    [LOAD] = {"load", 0.50, 0.05, 1.0, RS_UNIT_RATIO, "Share of a core that ksoftirqd takes"},
    [LOAD_CLEAR] = {"load_clear", 0.35, 0.01, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    [PACKETS] = {"packets", 1000.0, 1.0, 1e7, RS_UNIT_PPS, "Packets per second of that core"},
    {0},
};

#define WORTH_MOVING 0.10
#define FULL 0.90

/* The core that a thread works for, where it handles packets; NULL: it does not. */
static const struct rs_core_view *
core_of(const struct rs_view *v, const struct rs_thread_view *k, double min_pps)
{
	const struct rs_core_view *const c =
	    k->thread.cpu >= 0 ? rs_view_core(v, (unsigned)k->thread.cpu) : NULL;

	return c && c->processed_pps > min_pps ? c : NULL;
}

/* The interface that interrupts the core most is polled by threads. */
static bool
is_threaded(const struct rs_view *v, unsigned cpu)
{
	struct rs_core_feed feed;
	const char *const threaded = rs_feeds_of_core(v, cpu, &feed, 1) > 0
					 ? rs_view_fact(v, RS_F_THREADED, feed.ifindex, RS_NO_QUEUE)
					 : NULL;

	return threaded && strcmp(threaded, "on") == 0;
}

/* The busiest of its kind, or the one at the core of the finding that stands; and
 * the others that are as far. */
static const struct rs_thread_view *
find_busiest(
    const struct rs_view *v, const double *t, int32_t standing, struct rs_cpuset *ret_others)
{
	const struct rs_thread_view *busiest = NULL;

	rs_cpuset_zero(ret_others);
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const k = &v->threads[i];
		if (k->thread.class != RS_THREAD_KSOFTIRQD || !(k->load >= t[LOAD_CLEAR]) ||
		    !core_of(v, k, t[PACKETS]) || is_threaded(v, (unsigned)k->thread.cpu))
			continue;
		rs_cpuset_add(ret_others, (unsigned)k->thread.cpu);
		if (!busiest || k->thread.cpu == standing ||
		    (busiest->thread.cpu != standing && k->load > busiest->load))
			busiest = k;
	}
	if (busiest)
		rs_cpuset_remove(ret_others, (unsigned)busiest->thread.cpu);
	return busiest;
}

static void
tell_cause(const struct rs_core_view *core, struct rs_says *out)
{
	const struct rs_lead *const l = rs_lead_in(out);
	bool is_mine;
	const struct rs_cause *const cause = rs_cause_in(out, &is_mine);

	if (l && cause && l->group.first == RS_MIN(core->group, core->cpu))
		rs_cause(out, "%s", cause->phrase);
	rs_cause(out, "softirqs come again faster than they are done with: the core is full");
}

static void
tell(const struct rs_view *v, const struct rs_thread_view *k, const struct rs_core_view *core,
    const struct rs_cpuset *others, struct rs_says *out)
{
	const struct rs_thread_view *const process = rs_load_busiest_thread(v, core->cpu, false);
	char label[64], cores[64];

	rs_message(out, "%s takes %ld %% of core %u: receive work waits its turn with processes",
	    k->thread.name, lround(k->load * 100.0), core->cpu);
	tell_cause(core, out);
	(void)snprintf(label, sizeof(label), "thread ksoftirqd of core %u", core->cpu);
	rs_evidence(out, label, k->load, RS_UNIT_RATIO);
	(void)snprintf(label, sizeof(label), "packet load of core %u", core->cpu);
	rs_evidence_noted(out, label, core->packet_load, RS_UNIT_RATIO,
	    "its softirq time contains that of the thread");
	(void)snprintf(label, sizeof(label), "packets into the stack on core %u", core->cpu);
	rs_evidence(out, label, core->processed_pps, RS_UNIT_PPS);
	rs_evidence(out, "poll rounds (NET_RX)", core->net_rx_ps, RS_UNIT_PER_SECOND);
	rs_evidence(
	    out, "of them ended with work left (squeezed)", core->squeezed_ps, RS_UNIT_PER_SECOND);
	rs_evidence_threads(out, v, core->cpu);
	if (rs_cpuset_count(others) > 0) {
		rs_cpuset_format(others, cores, sizeof(cores));
		rs_evidence_text(out, "other cores where it is so", "%s", cores);
	}
	if (rs_kernel_realtime(v) == RS_REALTIME_UNKNOWN)
		rs_evidence_text(out, "real-time kernel", "not known; there this is by design");
	if (process && process->load >= WORTH_MOVING)
		rs_advise_process_off(v, process, core->cpu,
		    "the process leaves the core to the packets; if it is who receives them, "
		    "undo it",
		    out);
}

/* A ceiling that is near is worth knowing; it matters when the core is full, loses
 * packets, or a process there has to wait. */
static enum rs_severity
severity_of(const struct rs_view *v, const struct rs_core_view *core)
{
	const struct rs_thread_view *const process = rs_load_busiest_thread(v, core->cpu, false);
	const bool matters = core->packet_load >= FULL || core->dropped_pps > 0.0 ||
			     (process && process->load >= WORTH_MOVING);

	return matters && rs_link_has_room(v) ? RS_WARN : RS_INFO;
}

static bool
lacks_packets(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		if (!isnan(v->cores[i].processed_pps))
			return false;
	}
	return true;
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_cpuset others;

	if (!v->has_threads || lacks_packets(v)) {
		rs_needs(out, v->has_threads ? "packets of the cores (/proc/net/softnet_stat)"
					     : "threads (/proc/*/stat)");
		return;
	}
	if (rs_kernel_realtime(v) == RS_REALTIME_YES)
		return;
	const struct rs_thread_view *const k = find_busiest(v, t, rs_standing_core(out), &others);
	const struct rs_core_view *const core = k ? core_of(v, k, t[PACKETS]) : NULL;
	if (!core)
		return;
	const struct rs_subject subject = rs_core_subject(core->cpu);
	rs_say(out, &subject, rs_condition_of(k->load >= t[LOAD], true), severity_of(v, core),
	    rs_kernel_realtime(v) == RS_REALTIME_NO ? RS_HIGH : RS_MEDIUM);
	tell(v, k, core, &others, out);
}

RS_RULE(core_softirq_deferred) = {
    .code = "core.softirq_deferred",
    .title = "ksoftirqd has to do the receive work",
    .help = "Softirqs that come again faster than they are done with are left to a thread, which "
	    "competes with processes. It is a sign of a full core, no fault by itself.",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

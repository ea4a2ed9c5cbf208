/* SPDX-License-Identifier: ISC */
/*
 * Threaded NAPI: two of its threads share the core that leads while another has
 * room (a cause); or it is off where it would let the scheduler help (b). That of
 * tunnels is vpn.bound's to tell.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "places.h"
#include "process.h"
#include "umbrella.h"

enum { BUSY, KSOFTIRQD, KSOFTIRQD_CLEAR, PACKETS };

static const struct rs_threshold thresholds[] = {
    [BUSY] = {"busy", 0.05, 0.01, 1.0, RS_UNIT_RATIO,
	"Share of a core from which a thread counts as busy"},
    [KSOFTIRQD] = {"ksoftirqd", 0.50, 0.01, 1.0, RS_UNIT_RATIO,
	"Share of a core that ksoftirqd takes, from which threads are suggested"},
    [KSOFTIRQD_CLEAR] = {"ksoftirqd_clear", 0.30, 0.0, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    [PACKETS] = {"packets", 1000.0, 1.0, 1e7, RS_UNIT_PPS, "Packets per second of that core"},
    {0},
};

#define THREADS_MAX 16u
#define WORTH_NAMING 0.10
#define MOSTLY 0.50
#define NEEDED "threads (/proc/*/stat)"

/* Busy NAPI threads on the core, busiest first; returns how many, at most
 * THREADS_MAX. */
static size_t
find_threads(const struct rs_view *v, unsigned cpu, double busy,
    const struct rs_thread_view *ret[static THREADS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const t = &v->threads[i];
		if (t->thread.class != RS_THREAD_NAPI || t->thread.cpu != (int32_t)cpu ||
		    !(t->load >= busy))
			continue;
		if (n == THREADS_MAX && ret[n - 1]->load >= t->load)
			continue;
		size_t at = n < THREADS_MAX ? n++ : n - 1;
		for (; at > 0 && ret[at - 1]->load < t->load; at--)
			ret[at] = ret[at - 1];
		ret[at] = t;
	}
	return n;
}

/* The interfaces whose threads have a part of the time, by their number, so that
 * they are named alike in each tick; returns how many. */
static size_t
list_nics(const struct rs_view *v, const struct rs_thread_view *const *threads, size_t n,
    const struct rs_nic_view *ret[static RS_NIC_NAMES_MAX])
{
	size_t named = 0;
	double all = 0.0;

	for (size_t i = 0; i < n; i++)
		all += threads[i]->load;
	for (size_t k = 0; k < v->n_nics && named < RS_NIC_NAMES_MAX; k++) {
		double part = 0.0;
		for (size_t i = 0; i < n; i++) {
			if (threads[i]->thread.ifindex == v->nics[k].info.ifindex)
				part += threads[i]->load;
		}
		if (part >= WORTH_NAMING * all && part > 0.0)
			ret[named++] = &v->nics[k];
	}
	return named;
}

static bool
has_any(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_threads; i++) {
		if (v->threads[i].thread.class == RS_THREAD_NAPI)
			return true;
	}
	return false;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	const struct rs_thread_view *threads[THREADS_MAX];
	const struct rs_nic_view *nics[RS_NIC_NAMES_MAX];
	char names[RS_NIC_NAMES_BYTES];

	if (!l->v->has_threads)
		return rs_not_known(ret, NEEDED);
	if (!has_any(l->v))
		return false;
	const size_t n = find_threads(l->v, l->group.cpu, t[BUSY], threads);
	if (n < 2)
		return rs_not(ret, "%s polling thread is busy on core %u",
		    n == 0 ? "no" : "only one", l->group.cpu);
	if (!l->thread)
		return rs_not(ret, "threads do %.2f of the %.2f packet load of core %u",
		    l->core->packet_threads, l->core->packet_load, l->group.cpu);
	if (l->n_cold == 0)
		return rs_not_elsewhere(l, ret);
	ret->confidence = RS_HIGH;
	const size_t named = list_nics(l->v, threads, n, nics);
	if (named > 0)
		rs_nic_names(nics, named, names);
	else
		(void)snprintf(names, sizeof(names), "interfaces");
	(void)snprintf(ret->phrase, sizeof(ret->phrase), "threads that poll %s share core %u",
	    names, l->group.cpu);
	return true;
}

/* --- (a) --------------------------------------------------------------- */

/* The core that takes the interrupt of the queue the thread polls; -1: not known. */
static int
interrupted_for(const struct rs_view *v, const struct rs_thread *t)
{
	for (size_t i = 0; t->napi_id != 0 && i < v->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[i];
		if (q->napi == t->napi_id && q->ifindex == t->ifindex && q->line)
			return rs_irq_busiest_core(q->line);
	}
	return -1;
}

/* Each thread gets a core of its own while there are some: that of its interrupt
 * where it is free, else the coldest. The first stays when its interrupt does not say
 * otherwise. */
static void
advise_pins(const struct rs_lead *l, const struct rs_thread_view *const *threads, size_t n,
    struct rs_says *out)
{
	static const char end[] = "; do taskset -pc ${p#*:} ${p%:*}; done";
	struct rs_advice a = {.command = "for p in", .undo = "for p in"};
	struct rs_cpuset free_cores;
	char online[40], word[32];
	size_t len = 0, undo_len = 0;

	rs_place_online(l->v, online, sizeof(online));
	rs_place_cores(l->v, 0, &free_cores);
	for (size_t i = 0; i < n; i++) {
		const struct rs_thread *const t = &threads[i]->thread;
		int cpu = interrupted_for(l->v, t);
		if (cpu < 0 && i == 0)
			cpu = (int)l->group.cpu;
		/* More threads than cores: another one for each. */
		if (rs_cpuset_count(&free_cores) == 0)
			rs_place_cores(l->v, 0, &free_cores);
		if (cpu < 0 || !rs_cpuset_has(&free_cores, (unsigned)cpu))
			cpu = rs_place_coldest(l->v, &free_cores);
		if (cpu < 0)
			break;
		rs_place_without(l->v, (unsigned)cpu, &free_cores);
		len = strlen(a.command);
		undo_len = strlen(a.undo);
		(void)snprintf(word, sizeof(word), " %d:%d", (int)t->tid, cpu);
		if (len + strlen(word) + sizeof(end) > sizeof(a.command))
			break;
		memcpy(a.command + len, word, strlen(word) + 1);
		(void)snprintf(a.undo + undo_len, sizeof(a.undo) - undo_len, " %d", (int)t->tid);
	}
	len = strlen(a.command);
	undo_len = strlen(a.undo);
	(void)snprintf(a.command + len, sizeof(a.command) - len, "%s", end);
	(void)snprintf(
	    a.undo + undo_len, sizeof(a.undo) - undo_len, "; do taskset -pc %s $p; done", online);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "the threads share the cores evenly; those that are made anew (link down and up) begin "
	    "free again");
	rs_advise(out, &a);
}

static void
tell_shared(const struct rs_lead *l, const double *t, struct rs_says *out)
{
	const struct rs_thread_view *threads[THREADS_MAX];
	const size_t n = find_threads(l->v, l->group.cpu, t[BUSY], threads);
	const struct rs_subject subject = rs_core_subject(l->group.cpu);
	char label[64];

	rs_cause_say(out, l, &subject);
	rs_cause(out, "the scheduler keeps them there, or somebody pinned them");
	for (size_t i = 0; i < RS_MIN(n, (size_t)6); i++) {
		(void)snprintf(label, sizeof(label), "thread %.32s", threads[i]->thread.name);
		rs_evidence_noted(out, label, threads[i]->load, RS_UNIT_RATIO,
		    "of core %u, thread %d", l->group.cpu, (int)threads[i]->thread.tid);
	}
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise_pins(l, threads, n, out);
}

/* --- (b) --------------------------------------------------------------- */

/* The interface that gives the core most of its interrupts, where it has one queue
 * and threads are switched off; NULL: none. Kernels before 5.12 have no such switch. */
static const struct rs_nic_view *
find_unthreaded(const struct rs_view *v, unsigned cpu)
{
	struct rs_core_feed feeds[RS_FEEDS_MAX];
	const size_t n = rs_feeds_of_core(v, cpu, feeds, RS_FEEDS_MAX);
	double all = 0.0;

	for (size_t i = 0; i < n; i++)
		all += feeds[i].rate_ps;
	if (n == 0 || feeds[0].rate_ps < MOSTLY * all)
		return NULL;
	const struct rs_nic_view *const nic = rs_view_nic(v, feeds[0].ifindex);
	const char *const threaded = rs_view_fact(v, RS_F_THREADED, feeds[0].ifindex, RS_NO_QUEUE);
	const bool is_off = threaded && strcmp(threaded, "off") == 0;
	return nic && nic->info.rx_queues == 1 && is_off ? nic : NULL;
}

static void
tell_unthreaded(const struct rs_thread_view *k, const struct rs_core_view *core,
    const struct rs_nic_view *nic, struct rs_says *out)
{
	struct rs_advice a = {.expect =
				  "receive work becomes a thread, which the scheduler may put "
				  "on a free core; softirq time turns into system time"};
	char label[64];

	rs_message(out, "%s takes %ld %% of core %u; %s has one queue and no thread for it",
	    k->thread.name, lround(k->load * 100.0), core->cpu, nic->info.name);
	rs_cause(out, "more receive work than softirqs get through: it competes with processes");
	(void)snprintf(label, sizeof(label), "thread %.32s", k->thread.name);
	rs_evidence(out, label, k->load, RS_UNIT_RATIO);
	(void)snprintf(label, sizeof(label), "packets into the stack on core %u", core->cpu);
	rs_evidence(out, label, core->processed_pps, RS_UNIT_PPS);
	(void)snprintf(
	    a.command, sizeof(a.command), "echo 1 > /sys/class/net/%s/threaded", nic->info.name);
	(void)snprintf(
	    a.undo, sizeof(a.undo), "echo 0 > /sys/class/net/%s/threaded", nic->info.name);
	rs_advise(out, &a);
}

static void
look_at_ksoftirqd(const struct rs_view *v, const double *t, struct rs_says *out)
{
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const k = &v->threads[i];
		if (k->thread.class != RS_THREAD_KSOFTIRQD || !(k->load >= t[KSOFTIRQD_CLEAR]) ||
		    k->thread.cpu < 0)
			continue;
		const struct rs_core_view *const core = rs_view_core(v, (unsigned)k->thread.cpu);
		const struct rs_nic_view *const nic = core && core->processed_pps >= t[PACKETS]
							  ? find_unthreaded(v, core->cpu)
							  : NULL;
		/* On a real-time kernel ksoftirqd has the work by design. */
		if (!nic || v->n_eligible_groups < 2 || rs_kernel_realtime(v) == RS_REALTIME_YES)
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		rs_say(out, &subject, rs_condition_of(k->load >= t[KSOFTIRQD], true), RS_INFO,
		    RS_MEDIUM);
		tell_unthreaded(k, core, nic, out);
		return;
	}
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);

	if (!v->has_threads) {
		rs_needs(out, NEEDED);
		return;
	}
	if (l)
		tell_shared(l, t, out);
	look_at_ksoftirqd(v, t, out);
}

RS_RULE(napi_threads) = {
    .code = "napi.threads",
    .title = "Threads that poll interfaces share a core, or are missing",
    .help = "With threaded NAPI each queue is polled by a thread of its own. They help only on "
	    "cores of their own.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 35,
    .explains = explains,
};

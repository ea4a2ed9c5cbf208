/* SPDX-License-Identifier: ISC */
/*
 * A process with one thread at work is the bottleneck: it fills a core while the
 * box has room. Busy pollers do so on purpose. Under tick accounting a thread's
 * time contains the softirqs that interrupted it: then it must be far more than
 * its core's packet load. The subject is the machine: a thread wanders.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "load.h"
#include "process.h"
#include "umbrella.h"

enum { LOAD, LOAD_CLEAR, OTHER, BOX, BOX_CLEAR, TICK };

static const struct rs_threshold thresholds[] = {
    [LOAD] = {"load", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Share of a core that one thread takes"},
    [LOAD_CLEAR] = {"load_clear", 0.80, 0.10, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    [OTHER] = {"other", 0.20, 0.01, 1.0, RS_UNIT_RATIO,
	"Share from which another thread of the process has a part in the work"},
    [BOX] = {"box", 0.60, 0.05, 1.0, RS_UNIT_RATIO, "Mean busy share of all cores, below which"},
    [BOX_CLEAR] = {"box_clear", 0.70, 0.05, 1.0, RS_UNIT_RATIO, "The mean above which it clears"},
    [TICK] = {"tick", 0.50, 0.0, 1.0, RS_UNIT_RATIO,
	"With time by ticks: how far above its core's packet load"},
    {0},
};

/* Beginnings of the names of threads that poll on purpose: DPDK, Open vSwitch, VPP. */
static const char *const pollers[] = {
    "lcore-", "rte_", "dpdk", "pmd-", "vpp_", "testpmd", "l2fwd", "l3fwd", "eal-"};

/* Processes that packets are known to pass through. */
static const struct known {
	const char *begins, *cause;
	struct rs_advice advice; /* command "": none */
} known[] = {
    {"openvpn", "without data channel offload (DCO) OpenVPN serves all clients in one thread",
	{"openvpn --version | grep -o DCO; modinfo -F filename ovpn ovpn-dco-v2",
	    "DCO and a module: with AEAD ciphers, no compression and topology subnet the kernel "
	    "takes over; else one instance for each core",
	    "nothing to undo", false, false}},
    {"Suricata", "Suricata with one worker: --runmode workers and an af-packet cluster",
	{.command = ""}},
    {"W#", "Suricata with one worker: --runmode workers and an af-packet cluster", {.command = ""}},
    {"snort", "Snort 2 inspects in one thread", {.command = ""}},
    {"squid", "Squid serves in one process unless it has several workers", {.command = ""}},
    {"tailscaled", "a tunnel in user space: each packet is copied to it and back", {.command = ""}},
    {"wireguard-go", "a tunnel in user space: the kernel's WireGuard uses all cores",
	{.command = ""}},
    {"boringtun", "a tunnel in user space: the kernel's WireGuard uses all cores", {.command = ""}},
    {"zerotier-one", "a tunnel in user space: each packet is copied to it and back",
	{.command = ""}},
    {"ocserv", "a tunnel in user space with one thread for a client", {.command = ""}},
    {"pppd", "PPP in user space: each packet passes through pppd", {.command = ""}},
    {"xl2tpd", "L2TP in user space: each packet passes through xl2tpd", {.command = ""}},
    {"haproxy", "HAProxy with one thread: nbthread", {.command = ""}},
};

static bool
begins(const struct rs_thread_view *t, const char *with)
{
	return strncmp(t->thread.name, with, strlen(with)) == 0;
}

static const struct known *
find_known(const struct rs_thread_view *t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (begins(t, known[i].begins))
			return &known[i];
	}
	return NULL;
}

/* By its name, or because it has a core that was kept free for it. */
static bool
is_deliberate(const struct rs_thread_view *t, const struct rs_core_view *core)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(pollers); i++) {
		if (begins(t, pollers[i]))
			return true;
	}
	return core && core->excluded != RS_CORE_COUNTS && core->excluded != RS_CORE_OFFLINE;
}

/* Where softirq time may be in the thread's: enough is left without it. */
static bool
is_its_own_time(const struct rs_view *v, const struct rs_thread_view *t,
    const struct rs_core_view *core, double least)
{
	if (v->accounting == RS_ACCOUNTING_PRECISE)
		return true;
	return core && t->load - core->packet_load >= least;
}

static bool
has_helpers(const struct rs_view *v, const struct rs_thread_view *t, double other)
{
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const x = &v->threads[i];
		if (x != t && x->thread.class == RS_THREAD_USER && t->thread.pid > 0 &&
		    x->thread.pid == t->thread.pid && x->load >= other)
			return true;
	}
	return false;
}

static const struct rs_core_view *
core_of(const struct rs_view *v, const struct rs_thread_view *t)
{
	return t->thread.cpu >= 0 ? rs_view_core(v, (unsigned)t->thread.cpu) : NULL;
}

static const struct rs_thread_view *
find_thread(const struct rs_view *v, const double *t)
{
	const struct rs_thread_view *busiest = NULL;

	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const x = &v->threads[i];
		if (x->thread.class != RS_THREAD_USER || !(x->load >= t[LOAD_CLEAR]) ||
		    (busiest && busiest->load >= x->load))
			continue;
		const struct rs_core_view *const core = core_of(v, x);
		if (!is_deliberate(x, core) && is_its_own_time(v, x, core, t[TICK]) &&
		    !has_helpers(v, x, t[OTHER]))
			busiest = x;
	}
	return busiest;
}

static double
mean_busy(const struct rs_scene *s)
{
	double sum = 0.0;

	for (size_t i = 0; i < s->n; i++)
		sum += s->groups[i].busy;
	return sum / (double)s->n;
}

static void
tell_message(const struct rs_thread_view *t, double busy, struct rs_says *out)
{
	const uint32_t n = t->thread.threads;
	/* A thread beside the first has a name of its own. */
	const bool is_named = n > 1 && t->thread.pid > 0 && t->thread.pid != t->thread.tid;
	char threads[48] = "", where[24] = "a core";

	if (n == 1)
		(void)snprintf(threads, sizeof(threads), " (1 thread)");
	else if (is_named)
		(void)snprintf(threads, sizeof(threads), " (1 of %u of process %d)", (unsigned)n,
		    (int)t->thread.pid);
	else if (n > 1)
		(void)snprintf(threads, sizeof(threads), " (1 of %u threads)", (unsigned)n);
	if (t->thread.cpu >= 0)
		(void)snprintf(where, sizeof(where), "core %d", (int)t->thread.cpu);
	rs_message(out, "%s %s%s uses %ld %% of %s", is_named ? "thread" : "process",
	    t->thread.name, threads, lround(fmin(1.0, t->load) * 100.0), where);
	rs_cause(out, "%s; box only %ld %% busy",
	    n > 1 ? "one thread does its work" : "single-threaded", lround(busy * 100.0));
}

static void
tell(const struct rs_scene *s, const struct rs_thread_view *t, double busy, struct rs_says *out)
{
	const struct rs_core_view *const core = core_of(s->v, t);
	const struct known *const k = find_known(t);

	tell_message(t, busy, out);
	if (k)
		rs_cause(out, "%s", k->cause);
	else
		rs_cause(out, "whether packets pass through it is not known");
	rs_evidence_noted(out, "its thread", t->load, RS_UNIT_RATIO, "%s, thread %d",
	    t->thread.name, (int)t->thread.tid);
	rs_evidence(out, "box busy", busy, RS_UNIT_RATIO);
	rs_evidence_text(out, "what one thread can use",
	    "%ld %% of the box: %ld %% busy looks fine and is not", lround(100.0 / (double)s->n),
	    lround(busy * 100.0));
	if (core)
		rs_evidence(out, "packet load of its core", core->packet_load, RS_UNIT_RATIO);
	if (s->v->accounting != RS_ACCOUNTING_PRECISE)
		rs_evidence_text(out, "CPU accounting",
		    "by timer tick: its time may contain some of the packets'");
	if (k && k->advice.command[0])
		rs_advise(out, &k->advice);
	if (core && core->packet_load >= RS_PROCESS_WORTH / 2.0)
		rs_advise_process_off(s->v, t, core->cpu,
		    "it no longer shares its core with packets: their part of it is won", out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_scene s;

	if (!v->has_threads) {
		rs_needs(out, "threads (/proc/*/task/*/stat)");
		return;
	}
	if (!rs_scene_begin(v, out, &s))
		return;
	const struct rs_thread_view *const x = find_thread(v, t);
	const double busy = mean_busy(&s);
	if (!x || !(busy < t[BOX_CLEAR]))
		return;
	const bool is_sure = find_known(x) && v->accounting == RS_ACCOUNTING_PRECISE;
	rs_say(out, &rs_subject_host, rs_condition_of(x->load >= t[LOAD] && busy < t[BOX], true),
	    rs_load_flow(v) == RS_FLOW_SOME ? RS_WARN : RS_INFO, is_sure ? RS_HIGH : RS_MEDIUM);
	tell(&s, x, busy, out);
}

RS_RULE(core_user_single) = {
    .code = "core.user_single",
    .title = "A single-threaded process is the bottleneck",
    .help = "A process with one thread at work can use one core, however many there are.",
    .window_s = 10,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * Rules over a moment.
 */
#include "glimpse.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "says.h"
#include "totals_case.h"
#include "verdict.h"

/* core.user_single */
#define THREAD_FULL 0.90
#define THREAD_OTHERS 0.20
#define BOX_BUSY 0.60
/* core.saturated_all, where only the machine as a whole is told: each core is at
 * least 0.9 then when there are two. */
#define WHOLE_BUSY 0.95
#define WHOLE_PACKETS 0.50
/* cpu.freq_low */
#define CLOCK_BUSY 0.80
#define CLOCK_LOW 0.90
/* A frame of 60 bytes is the smallest there is. */
#define SMALL_BYTES 64.0
#define SMALL_PPS 10000.0
#define SMALL_PACKETS 0.25
#define SMALL_BUSY 0.80

/* Processes that packets pass through. */
static const char *const in_the_way[] = {"openvpn", "snort", "suricata", "squid", "haproxy",
    "nginx", "charon", "strongswan", "tincd", "stunnel", "wireguard-go", "boringtun", "pppoe",
    "pppd", "natd", "dnsmasq", "unbound", "ntopng", "zeek", "fastnetmon", "softflowd", "l2tpd",
    "xl2tpd", "vpnserver", "sshd", "iperf", "iperf3", "socat", "hev-socks5", "sing-box", "xray"};

static bool
is_in_the_way(const char *name)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(in_the_way); i++) {
		const size_t len = strlen(in_the_way[i]);
		if (strncmp(name, in_the_way[i], len) == 0 &&
		    (name[len] == '\0' || strchr(" {:/", name[len])))
			return true;
	}
	return false;
}

static void
tell_moment(struct rs_says *out)
{
	rs_evidence_text(
	    out, "basis", "one screen: a moment, not the ten seconds a verdict should rest on");
}

static void
judge_thread(const struct rs_glimpse *g, struct rs_says *out)
{
	const struct rs_glimpse_thread *top = NULL;

	for (size_t i = 0; i < g->n_threads; i++) {
		const struct rs_glimpse_thread *const t = &g->threads[i];
		if (!t->is_kernel && t->load >= THREAD_FULL && t->others < THREAD_OTHERS &&
		    (!top || t->load > top->load))
			top = t;
	}
	/* Of one core it is all there is, and of a full machine nothing special. */
	if (!top || g->n_cores == 1 || !(g->busy < BOX_BUSY))
		return;
	struct rs_subject subject = rs_subject_host;
	char core[32] = "a core", name[44];
	if (top->cpu >= 0) {
		subject = rs_total_core_subject((unsigned)top->cpu);
		(void)snprintf(core, sizeof(core), "core %d", top->cpu);
	}
	rs_say(
	    out, &subject, RS_COND_RAISE, is_in_the_way(top->name) ? RS_WARN : RS_INFO, RS_MEDIUM);
	rs_copy_cut(name, sizeof(name), top->name);
	rs_message(out,
	    "process %s uses %ld %% of %s with one thread, while the machine is %ld %% busy", name,
	    rs_total_percent(fmin(top->load, 1.0)), core, rs_total_percent(g->busy));
	rs_cause(out, "a program with a single thread: more cores do not help it");
	rs_evidence(out, "CPU time of the thread", top->load, RS_UNIT_CORES);
	rs_evidence(out, "busy, mean of all cores", g->busy, RS_UNIT_RATIO);
	if (g->n_cores > 0)
		rs_evidence_text(out, "what one thread can use", "%ld %% of %u cores",
		    rs_total_percent(1.0 / (double)g->n_cores), g->n_cores);
	tell_moment(out);
	if (strncmp(top->name, "openvpn", 7) == 0) {
		struct rs_advice a = {
		    .expect =
			"OpenVPN 2.6 with data channel offload moves the work into the kernel; "
			"else several instances, or WireGuard",
		};
		(void)snprintf(a.command, sizeof(a.command), "openvpn --version | head -1%s",
		    g->is_bsd ? "; kldstat -m if_ovpn" : "; modinfo ovpn ovpn-dco-v2 2>/dev/null");
		rs_advise(out, &a);
	}
}

static void
judge_whole(const struct rs_glimpse *g, struct rs_says *out)
{
	if (g->has_cores || !(g->busy >= WHOLE_BUSY) || !(g->packets >= WHOLE_PACKETS))
		return;
	rs_say(out, &rs_subject_host, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_message(out,
	    "the CPU as a whole is saturated, not imbalanced: %ld %% busy on all cores together, "
	    "%ld %% of it in softirq",
	    rs_total_percent(g->busy), rs_total_percent(g->packets));
	rs_cause(out, "not enough CPU for this packet rate and these features%s",
	    g->system >= 0.2 ? "; work in the kernel beside it, such as encryption" : "");
	rs_evidence(out, "busy, all cores", g->busy, RS_UNIT_RATIO);
	rs_evidence(out, "packet work", g->packets, RS_UNIT_RATIO);
	rs_evidence(out, "kernel for processes", g->system, RS_UNIT_RATIO);
	for (size_t i = 0; i < RS_MIN(g->n_threads, 6u); i++)
		rs_evidence(out, g->threads[i].name, g->threads[i].load, RS_UNIT_CORES);
	tell_moment(out);
}

static void
judge_clock(const struct rs_glimpse *g, struct rs_says *out)
{
	const struct rs_glimpse_clock *worst = NULL;
	size_t n = 0;

	for (size_t i = 0; i < g->n_clocks; i++) {
		const struct rs_glimpse_clock *const c = &g->clocks[i];
		if (!(c->busy >= CLOCK_BUSY) || !(c->hz < CLOCK_LOW * c->nominal_hz))
			continue;
		n++;
		if (!worst || c->busy > worst->busy)
			worst = c;
	}
	if (!worst)
		return;
	const struct rs_subject subject = rs_total_core_subject(worst->cpu);
	/* Clocks are multiples of some 100 MHz, and measured a little off. */
	const double now = round(worst->hz / 1e7) * 10.0,
		     top = round(worst->nominal_hz / 1e7) * 10.0;
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_message(out,
	    "core %u runs at %.0f MHz of %.0f MHz while it is %ld %% busy: the clock is what "
	    "limits",
	    worst->cpu, now, top, rs_total_percent(worst->busy));
	rs_cause(out, "firmware, a power-saving governor or heat holds the clock down");
	rs_evidence_text(out, "clock", "%.0f MHz measured, %.0f MHz nominal", worst->hz / 1e6,
	    worst->nominal_hz / 1e6);
	rs_evidence_text(out, "cores so", "%zu of %zu that are told", n, g->n_clocks);
	rs_evidence(out, "busy at that clock", worst->busy, RS_UNIT_RATIO);
	tell_moment(out);
}

static void
judge_small(const struct rs_glimpse *g, struct rs_says *out)
{
	const struct rs_glimpse_traffic *most = NULL;

	for (size_t i = 0; i < g->n_traffic; i++) {
		const struct rs_glimpse_traffic *const t = &g->traffic[i];
		if (!(t->pps >= SMALL_PPS) || !(t->bytes_ps <= SMALL_BYTES * t->pps))
			continue;
		/* Several devices pass the same packets: the smallest ones name the flood. */
		if (!most || t->bytes_ps * most->pps < most->bytes_ps * t->pps)
			most = t;
	}
	if (!most || !(g->packets >= SMALL_PACKETS))
		return;
	struct rs_subject subject = rs_subject_host;
	char rate[24];
	subject.kind = RS_SUBJECT_INTERFACE;
	(void)snprintf(subject.device, sizeof(subject.device), "%.15s", most->device);
	rs_format_pps(most->pps, rate);
	rs_say(out, &subject, RS_COND_RAISE, g->busy >= SMALL_BUSY ? RS_WARN : RS_INFO, RS_MEDIUM);
	rs_message(out,
	    "a flood of small packets on %s: %s of %.0f bytes each; %ld %% of the CPU is packet "
	    "work, %ld %% busy in all",
	    most->device, rate, most->bytes_ps / most->pps, rs_total_percent(g->packets),
	    rs_total_percent(g->busy));
	rs_cause(out, "many tiny packets, such as connection attempts (SYN) or acknowledgements%s",
	    most->is_virtual ? "; the device is virtual: no NIC and no interrupt is behind it"
			     : "");
	for (size_t i = 0; i < RS_MIN(g->n_traffic, 8u); i++)
		rs_evidence(out, g->traffic[i].device, g->traffic[i].pps, RS_UNIT_PPS);
	rs_evidence(out, "busy", g->busy, RS_UNIT_RATIO);
	rs_evidence(out, "packet work", g->packets, RS_UNIT_RATIO);
	tell_moment(out);
}

static const struct {
	const char *code, *title;
	void (*judge)(const struct rs_glimpse *g, struct rs_says *out);
} rules[] = {
    {"core.saturated_all", "The CPU as a whole is the limit", judge_whole},
    {"cpu.freq_low", "The clock is below its maximum under load", judge_clock},
    {"core.user_single", "A single-threaded process is the bottleneck", judge_thread},
    {"packets.small", "Small packets take the CPU", judge_small},
};

int
rs_glimpse_judge(const struct rs_glimpse *g, struct rs_finding *ret, size_t cap, size_t *ret_n)
{
	struct rs_said *const said = calloc(RS_SAYS_MAX, sizeof(*said));
	struct rs_says says = {.said = said};

	*ret_n = 0;
	for (size_t i = 0; said && i < RS_ARRAY_LEN(rules); i++) {
		rs_says_begin(&says, i);
		rules[i].judge(g, &says);
		for (unsigned k = 0; k < says.n && *ret_n < cap; k++) {
			struct rs_finding *const f = &ret[(*ret_n)++];
			*f = said[k].words;
			(void)snprintf(f->code, sizeof(f->code), "%s", rules[i].code);
			(void)snprintf(f->title, sizeof(f->title), "%s", rules[i].title);
			f->episodes = 1;
		}
	}
	const int rc = said ? 0 : -ENOMEM;
	free(said);
	return rc;
}

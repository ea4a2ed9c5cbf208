/* SPDX-License-Identifier: ISC */
/*
 * Packet load P, busy share B and who takes part, from the shares of elapsed
 * time in the view. Called once a tick between model and rules, on the loop
 * thread.
 */
#include "load.h"

#include <math.h>
#include <string.h>

#define MIN_FLOW_USE 0.05
#define MIN_FLOW_PPS 5000.0

/* A core owned by a user-space poller (DPDK, VPP). */
#define POLLING_USER 0.95
#define POLLING_SOFTIRQ 0.01

/* Negative differences are rounding of the kernel's books; what a kernel does
 * not count takes no time. */
static double
share(double x)
{
	return x > 0.0 ? x : 0.0;
}

static double
clamp_ratio(double x)
{
	return fmin(1.0, fmax(0.0, x));
}

/* Both were read, and neither packets nor NIC interrupts reach the core. */
static bool
is_not_networks(const struct rs_core_view *c)
{
	return c->processed_pps < RS_NETWORK_WORK_PS && c->nic_interrupts_ps < RS_NETWORK_WORK_PS;
}

bool
rs_load_is_networks(const struct rs_core_view *c)
{
	if (c->processed_pps >= RS_NETWORK_WORK_PS || c->nic_interrupts_ps >= RS_NETWORK_WORK_PS)
		return true;
	return is_not_networks(c) && c->packet_threads > 0.0;
}

bool
rs_load_is_threads(const struct rs_core_view *c)
{
	return c->packet_threads > 0.0 && c->packet_threads >= 0.5 * c->packet_load;
}

static bool
is_polling(const struct rs_core_view *c, double available)
{
	return share(c->user) >= POLLING_USER * available &&
	       share(c->softirq) < POLLING_SOFTIRQ * available;
}

static enum rs_excluded
exclusion(
    const struct rs_core_view *c, const struct rs_cpu_info *cpus, const struct rs_cpuset *reserved)
{
	if (!c->is_online)
		return RS_CORE_OFFLINE;
	if (cpus && cpus->has_isolated && rs_cpuset_has(&cpus->isolated, c->cpu))
		return RS_CORE_ISOLATED;
	if (cpus && cpus->has_nohz_full && rs_cpuset_has(&cpus->nohz_full, c->cpu))
		return RS_CORE_NOHZ_FULL;
	if (reserved && rs_cpuset_has(reserved, c->cpu))
		return RS_CORE_RESERVED;
	return RS_CORE_COUNTS;
}

/* K. The kernel books these threads as system time, as it does none of its
 * softirqs; yet in a thread's own time it includes the softirqs that interrupted
 * it, unless it accounts precisely (update_curr in kernel/sched/fair.c). So what
 * is more than system time is in the softirq share already. */
static double
time_of_threads(const struct rs_core_view *c, double unaccounted)
{
	return fmin(share(c->packet_threads), share(c->system) + unaccounted);
}

/* Shares are of elapsed time, P and B of the time the hypervisor left. */
static void
fill_core(struct rs_core_view *c)
{
	c->packet_load = c->packet_load_max = c->busy = NAN;
	c->is_eligible = false;
	const double available = 1.0 - share(c->steal);
	if (!c->is_online || isnan(c->softirq) || isnan(c->idle) || available <= 0.0)
		return;
	const double idle = share(c->idle) + share(c->iowait);
	const double packet = share(c->irq) + share(c->softirq);
	const double counted =
	    share(c->user) + share(c->nice) + share(c->system) + idle + packet + share(c->steal);
	/* Idle time of a tickless core leaves interrupts out, but nobody books
	 * them (kernel/time/tick-sched.c): the shares then sum to less than 1. */
	const double unaccounted = fmax(0.0, 1.0 - counted);
	c->busy = clamp_ratio(1.0 - idle / available);
	const double threads = time_of_threads(c, unaccounted);
	if (!isnan(c->packet_threads))
		c->packet_threads = threads;
	if (is_not_networks(c)) {
		c->packet_load = c->packet_load_max = clamp_ratio(threads / available);
	} else {
		c->packet_load = clamp_ratio((packet + threads) / available);
		c->packet_load_max = clamp_ratio(c->packet_load + unaccounted / available);
	}
	if (c->excluded == RS_CORE_COUNTS && is_polling(c, available))
		c->excluded = RS_CORE_POLLING;
	c->is_eligible = c->excluded == RS_CORE_COUNTS;
}

/* Fills at most RS_GROUPS_MAX and returns how many there are. */
static size_t
fill_groups(const struct rs_view *v, struct rs_group *ret)
{
	uint16_t at[RS_CPU_MAX]; /* [group]: its place in ret + 1, 0 for none yet */
	const unsigned max_cpu = v->n_cores > 0 ? v->cores[v->n_cores - 1].cpu : 0;
	size_t n = 0;

	memset(at, 0, (RS_MIN(max_cpu, RS_CPU_MAX - 1) + 1) * sizeof(at[0]));
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		if (!c->is_eligible)
			continue;
		const unsigned first = RS_MIN(c->group, c->cpu);
		if (at[first] == 0) {
			at[first] = (uint16_t)++n;
			if (n <= RS_GROUPS_MAX)
				ret[n - 1] = (struct rs_group){.cpu = c->cpu, .first = first};
		}
		if (at[first] > RS_GROUPS_MAX)
			continue;
		struct rs_group *const g = &ret[at[first] - 1];
		if (g->cpu != c->cpu && c->packet_load > rs_view_core(v, g->cpu)->packet_load)
			g->cpu = c->cpu;
		g->packet_load = fmin(1.0, g->packet_load + c->packet_load);
		g->busy = fmin(1.0, g->busy + c->busy);
	}
	return n;
}

static void
fill_sums(struct rs_view *v, struct rs_group *groups)
{
	const size_t n = fill_groups(v, groups);
	double sum = 0.0, sum_of_squares = 0.0;

	v->groups = groups;
	v->n_eligible_groups = (unsigned)n;
	v->effective_cores = NAN;
	if (n > RS_GROUPS_MAX)
		return;
	for (size_t i = 0; i < n; i++) {
		sum += groups[i].packet_load;
		sum_of_squares += groups[i].packet_load * groups[i].packet_load;
	}
	if (sum_of_squares > 0.0)
		v->effective_cores = sum * sum / sum_of_squares;
}

void
rs_load_fill(struct rs_view *v, struct rs_core_view *cores, size_t n_cores,
    const struct rs_cpu_info *cpus, const struct rs_cpuset *reserved, struct rs_group *groups)
{
	v->has_packet_load = false;
	v->hottest_core = 0;
	v->hottest_core_load = NAN;
	v->n_online = v->n_eligible = 0;
	for (size_t i = 0; i < n_cores; i++) {
		struct rs_core_view *const c = &cores[i];
		c->excluded = exclusion(c, cpus, reserved);
		fill_core(c);
		v->n_online += c->is_online;
		v->n_eligible += c->is_eligible;
		if (!c->is_eligible)
			continue;
		if (!v->has_packet_load || c->packet_load > v->hottest_core_load) {
			v->hottest_core = c->cpu;
			v->hottest_core_load = c->packet_load;
		}
		v->has_packet_load = true;
	}
	fill_sums(v, groups);
}

enum rs_flow
rs_load_flow(const struct rs_view *v)
{
	enum rs_flow flow = RS_FLOW_UNKNOWN;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (!n->counts_in_sums)
			continue;
		if (n->rx_pps >= MIN_FLOW_PPS || n->tx_pps >= MIN_FLOW_PPS ||
		    n->rx_utilization >= MIN_FLOW_USE || n->tx_utilization >= MIN_FLOW_USE)
			return RS_FLOW_SOME;
		if (!isnan(n->rx_pps) || !isnan(n->tx_pps))
			flow = RS_FLOW_NONE;
	}
	return flow;
}

double
rs_load_link_use(const struct rs_view *v)
{
	double use = NAN;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (n->counts_in_sums)
			use = fmax(use, fmax(n->rx_utilization, n->tx_utilization));
	}
	return use; /* fmax leaves NAN out unless all are */
}

const struct rs_thread_view *
rs_load_busiest_thread(const struct rs_view *v, unsigned cpu, bool does_packets)
{
	const struct rs_thread_view *busiest = NULL;

	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const t = &v->threads[i];
		const bool is_kind = does_packets ? rs_thread_does_packets(&t->thread)
						  : t->thread.class == RS_THREAD_USER;
		if (is_kind && t->thread.cpu == (int32_t)cpu && t->load > 0.0 &&
		    (!busiest || t->load > busiest->load))
			busiest = t;
	}
	return busiest;
}

/* SPDX-License-Identifier: ISC */
/*
 * The one definition of a core's packet load, of who takes part, and of the
 * sums over cores (reference: README "How load is judged"). Pure over the view.
 */
#ifndef RS_LOAD_H
#define RS_LOAD_H

#include "view.h"

/* Below this many packets or NIC interrupts per second a core's softirq time
 * belongs to timers, RCU and block I/O, not to the network. */
#define RS_NETWORK_WORK_PS 100.0

/* In texts a core counts as idle below this. */
#define RS_IDLE_BUSY 0.30

/* Fills the fields of cores and view that view.h names for load.c. A core that
 * counts but is not eligible has no value in this tick.
 * cpus: isolated and nohz_full sets; reserved: the operator's; both may be NULL.
 * groups: room for RS_GROUPS_MAX, which the view refers to from then on. */
void rs_load_fill(struct rs_view *v, struct rs_core_view *cores, size_t n_cores,
    const struct rs_cpu_info *cpus, const struct rs_cpuset *reserved, struct rs_group *groups);

/* Whether packets or NIC interrupts are known to reach the core, or threads are
 * known to do all its packet work. Where they are not, but one of them was not
 * read, its packet load is kept and doubtful. */
bool rs_load_is_networks(const struct rs_core_view *c);
/* Whether threads do at least half of the core's packet work. */
bool rs_load_is_threads(const struct rs_core_view *c);
/* The busiest thread on the core that does packet work, or that of a process;
 * NULL: none took time. */
const struct rs_thread_view *rs_load_busiest_thread(
    const struct rs_view *v, unsigned cpu, bool does_packets);

/* How many of n_eligible_groups are in v->groups: what walks them ends here. */
static inline size_t
rs_load_groups(const struct rs_view *v)
{
	return RS_MIN(v->n_eligible_groups, RS_GROUPS_MAX);
}

enum rs_flow {
	RS_FLOW_UNKNOWN, /* no interface that counts has a value */
	RS_FLOW_NONE,
	RS_FLOW_SOME /* an interface carries 5 % of its wire rate or 5000 packets/s */
};
/* The minimum load below which nothing is called skewed. */
enum rs_flow rs_load_flow(const struct rs_view *v);

/* Utilization of the busiest direction of all interfaces that count and have a
 * known speed; NAN when there is none. */
double rs_load_link_use(const struct rs_view *v);

#endif

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
 * cpus: isolated and nohz_full sets; reserved: the operator's; both may be NULL. */
void rs_load_fill(struct rs_view *v, struct rs_core_view *cores, size_t n_cores,
    const struct rs_cpu_info *cpus, const struct rs_cpuset *reserved);

/* A group of SMT siblings counts as one: P_g = min(1, sum P), B_g = min(1, sum B). */
struct rs_group {
	unsigned cpu;	/* the sibling with the highest packet load */
	unsigned first; /* what names the group: the lowest CPU number of all its siblings */
	double packet_load, busy;
};

/* More physical cores than this are not judged, and it is said. */
#define RS_GROUPS_MAX 2048u

/* The eligible groups with a value, by their lowest eligible CPU; fills at most
 * cap and returns how many there are. */
size_t rs_load_groups(const struct rs_view *v, struct rs_group *ret, size_t cap);

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

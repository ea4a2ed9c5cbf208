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

/* Fills the fields of cores and view that view.h names for load.c.
 * cpus: isolated and nohz_full sets; reserved: the operator's. */
void rs_load_fill(struct rs_view *v, struct rs_core_view *cores, size_t n_cores,
    const struct rs_cpu_info *cpus, const struct rs_cpuset *reserved);

/* A group of SMT siblings counts as one: P_g = min(1, sum P), B_g = min(1, sum B). */
struct rs_group {
	unsigned cpu; /* the sibling with the highest packet load */
	unsigned first; /* lowest CPU number of the group */
	double packet_load, busy;
	bool does_network_work;
};
/* The eligible groups with a value; returns how many of at most cap. */
size_t rs_load_groups(const struct rs_view *v, struct rs_group *ret, size_t cap);

#endif

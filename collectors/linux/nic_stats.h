/* SPDX-License-Identifier: ISC */
/*
 * What `ethtool -S` of one interface is read for: where the counters of its
 * queues and those of what its ring lost are is found from the names once, so
 * that a reading costs additions only. Used by nic_list.c and nic_queues.c; loop
 * thread.
 */
#ifndef RS_NIC_STATS_H
#define RS_NIC_STATS_H

#include "ethtool.h"
#include "stat_names.h"

struct rs_frame;
struct rs_nic_info;

/* Zeroed to begin with. */
struct rs_nic_stats {
	uint32_t n;		     /* counters the interface has; 0: they are of no use */
	bool has_queues;	     /* some count packets, bytes or drops of queues */
	bool has_traffic;	     /* some count packets or bytes */
	bool has_ring;		     /* some count what the ring lost */
	bool needs_ring;	     /* and nothing else tells */
	bool has_pause, has_stops;   /* some count pause frames, full rings, */
	bool has_allowance;	     /* packets beyond what the cloud allows */
	uint8_t pace_s, ring_pace_s; /* as in rs_reading */
	uint8_t more_pace_s;	     /* of pause frames and full rings */
	/* what follows is nic_stats.c's own */
	struct rs_stat_plan plan;
	uint64_t planned; /* hash of what the plan was made of; 0: there is none */
};

/* Finds out anew. Allocates only when names, their number or the queues are
 * others than before. 0; -EOPNOTSUPP: nothing is of use; else as rs_ethtool_*:
 * n is 0 and only needs_ring set then. */
int rs_nic_stats_find(
    struct rs_nic_stats *st, const struct rs_ethtool *e, const struct rs_nic_info *nic);
/* Pure: whether a reading is due that was last made at `last`. Ticks are not
 * exact: one that is a little early is in time. A second try within a tick is
 * due as the first was. */
bool rs_nic_stats_is_due(rs_ns last, uint8_t pace_s, rs_ns now);
void rs_nic_stats_fini(struct rs_nic_stats *st); /* the memory it holds; zeroes it */

/* Pure: puts what a reading of n values says. */
void rs_nic_stats_put_queues(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f);
void rs_nic_stats_put_ring(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f);

void rs_nic_stats_put_pause(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f);
void rs_nic_stats_put_stops(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f);
void rs_nic_stats_put_allowance(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f);

#endif

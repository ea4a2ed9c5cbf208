/* SPDX-License-Identifier: ISC */
/*
 * What happened lately, for rules that look further back than one tick: sums
 * over the last minutes for each interface, and how the machine's throughput
 * moved. The engine adds each tick before it asks the rules; they only read.
 * All memory is taken at creation. Loop thread.
 */
#ifndef RS_RECENT_H
#define RS_RECENT_H

#include "trend.h"

struct rs_recent;

/* What is summed for an interface, and over how many seconds. */
enum rs_recent_id {
	RS_RECENT_RX_60,       /* packets received */
	RS_RECENT_RING_60,     /* packets lost in the ring */
	RS_RECENT_COLD_60,     /* of these, in ticks in which no core was hot */
	RS_RECENT_TX_60,       /* packets sent */
	RS_RECENT_QDISC_60,    /* packets dropped by the queueing discipline */
	RS_RECENT_CARRIER_300, /* times the carrier came or went, but for changes of settings */
	RS_RECENT_RX_600,      /* packets received */
	RS_RECENT_WIRE_600, /* frames with errors on the wire, but for a link that comes or goes */
	RS_RECENT_CRC_600,  /* of these, those with a wrong checksum */
	RS_RECENT_COUNT
};

/* Interfaces followed; more are left out: their sums are not known. */
#define RS_RECENT_NICS_MAX 64u

int rs_recent_new(struct rs_recent **ret);
void rs_recent_free(struct rs_recent *r); /* NULL-safe */
/* Once a tick. After a gap, or when the interval changed, what was there goes on
 * to count: sums are of increments, not of ticks. */
void rs_recent_add(struct rs_recent *r, const struct rs_view *v);

/* The sum of an interface; NAN: not known, or nothing was read since the span
 * began. */
double rs_recent_sum(const struct rs_recent *r, uint32_t ifindex, enum rs_recent_id id);

/* Throughput of the last 10 s in one direction of the machine: mean in bit/s and
 * standard deviation over mean; false: fewer than 5 samples or not 8 s of them. */
bool rs_recent_flow(
    const struct rs_recent *r, bool is_tx, double *ret_mean_bps, double *ret_variation);

/* How many connections the table gained a second in the last 10 s; false: as
 * above. */
bool rs_recent_conntrack(const struct rs_recent *r, double *ret_growth_ps);

/* What the cores' backlogs lost and took in the last 60 s, without what was lost
 * while a core was hot and what the flow limit shed, and the core that lost most
 * when that was last so. */
struct rs_recent_backlog {
	double lost, passed; /* packets; NAN: not known */
	int32_t cpu;	     /* -1: none */
};
struct rs_recent_backlog rs_recent_backlog(const struct rs_recent *r);

/* The best packet rate forwarded (sent) in a tick of the last 300 s, the present
 * tick not counted, and what was offered then (received and lost before the
 * stack); false: none. */
bool rs_recent_best(const struct rs_recent *r, double *ret_forwarded_pps, double *ret_offered_pps);

/* How the load of the hottest core followed the packets of the last hour; NULL: that
 * is not known. */
const struct rs_line *rs_recent_line(const struct rs_recent *r);

#endif

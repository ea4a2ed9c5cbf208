/* SPDX-License-Identifier: ISC */
/*
 * Views made by hand: cores with packet load and busy share, interfaces with
 * traffic, interrupt lines that fire. For the tests of the analysis layer.
 */
#ifndef RS_VIEW_BUILDER_H
#define RS_VIEW_BUILDER_H

#include "irqname.h"
#include "view.h"

#define RS_VB_NICS 8u
#define RS_VB_IRQS 64u
#define RS_VB_FACTS 128u
#define RS_VB_QUEUES 64u
#define RS_VB_FEEDS 4u
#define RS_VB_THREADS 16u
#define RS_VB_CHANGES 16u

struct rs_vb_irq {
	char actions[48];
	char chip[32];
	struct rs_irq_feed feeds[RS_VB_FEEDS];
	struct rs_irq_cell *cells; /* n_cores */
	uint32_t n_cells;
};

/* What a test changes between ticks it changes in the fields. */
struct rs_vb {
	struct rs_view v;
	struct rs_core_view *cores;
	size_t n_cores;
	struct rs_group *groups; /* one more than RS_GROUPS_MAX, which stays 0 */
	struct rs_nic_view nics[RS_VB_NICS];
	struct rs_irq_view irqs[RS_VB_IRQS];
	struct rs_vb_irq lines[RS_VB_IRQS];
	struct rs_thread_view threads[RS_VB_THREADS];
	struct rs_queue_view queues[RS_VB_QUEUES];
	struct rs_fact facts[RS_VB_FACTS];
	char values[RS_VB_FACTS][96]; /* of the facts */
	struct rs_heavy_flow flows[RS_HEAVY_FLOWS_MAX];
	struct rs_change changes[RS_VB_CHANGES];
	size_t n_changes;	 /* since the last tick */
	struct rs_cpu_info cpus; /* isolated, nohz_full */
	struct rs_cpuset reserved;
	bool lacks_interrupts; /* /proc/interrupts cannot be read */
};

/* Idle cores, precise accounting, a tick each second, no interface. Ends the
 * program when memory runs out. */
struct rs_vb *rs_vb_new(size_t n_cores);
void rs_vb_free(struct rs_vb *b);

/* A core with packet load and busy share; what is busy beyond packets is time
 * of processes in the kernel. Packets follow the load: 1000 per per cent. */
void rs_vb_core(struct rs_vb *b, unsigned cpu, double load, double busy);
/* The same for all cores, load and busy in per cent and equal. */
void rs_vb_loads(struct rs_vb *b, const double *percent, size_t n);
/* A core of which nothing is known in this tick. */
void rs_vb_core_unknown(struct rs_vb *b, unsigned cpu);

/* A physical interface without traffic; speed_bps -1: unknown. Returns it. */
struct rs_nic_view *rs_vb_nic(struct rs_vb *b, const char *name, int64_t speed_bps);
/* Payload rates; utilization follows where the speed is known. */
void rs_vb_traffic(struct rs_nic_view *n, double rx_bps, double tx_bps, double pps);

/* An interrupt line of the interface; queue -1: none known. Returns its index. */
size_t rs_vb_irq(struct rs_vb *b, const char *irq, const char *actions, const char *device,
    int32_t queue, enum rs_irq_role role);
/* From now on the line fires so often on this core, too. */
void rs_vb_fire(struct rs_vb *b, size_t irq, unsigned cpu, double rate_ps);
void rs_vb_silence(struct rs_vb *b, size_t irq);

/* From now on the thread takes this share of the core; until the first one is
 * named, nobody looked for threads. The time is part of what the core was given
 * as busy beyond its packet load. */
struct rs_thread_view *rs_vb_thread(
    struct rs_vb *b, enum rs_thread_class class, const char *name, unsigned cpu, double load);

/* One more interface fed by the line, which then is shared. */
void rs_vb_share(struct rs_vb *b, size_t irq, const char *device, int32_t queue);

/* A queue of the interface, made when it is new: packets and lost packets per
 * second. Shares, and the lines that feeds name, follow with the tick. */
struct rs_queue_view *rs_vb_queue(
    struct rs_vb *b, uint32_t ifindex, bool is_tx, uint16_t queue, double pps, double drops_pps);

/* A flow with these bits per second, in place of the one with the same ends and
 * protocol; 0: it ends. Until the first, nobody looked for flows. */
void rs_vb_flow(struct rs_vb *b, const struct rs_heavy_flow *f);

/* A setting; queue RS_NO_QUEUE: of no queue. Another value than before is a change.
 * Ends the program when there are too many. */
void rs_vb_fact(
    struct rs_vb *b, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value);

/* The next tick: sums, loads and who takes part are computed anew. */
const struct rs_view *rs_vb_tick(struct rs_vb *b);
/* Ticks that never come. */
void rs_vb_skip(struct rs_vb *b, unsigned ticks);

#endif

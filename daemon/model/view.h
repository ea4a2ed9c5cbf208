/* SPDX-License-Identifier: ISC */
/*
 * The machine as of the last tick: what rules judge and the API shows. Plain
 * data, owned by the model, read-only for everybody but load.c (which fills
 * the fields it is named for). NAN = no value; rates are per second of
 * measured monotonic time. Loop thread.
 */
#ifndef RS_VIEW_H
#define RS_VIEW_H

#include <stdbool.h>

#include "frame.h"

enum rs_cpu_accounting {
	RS_ACCOUNTING_UNKNOWN,
	RS_ACCOUNTING_TICK,   /* time is sampled by the timer tick: irq is not seen */
	RS_ACCOUNTING_PRECISE /* CONFIG_IRQ_TIME_ACCOUNTING */
};

enum rs_excluded {
	RS_CORE_COUNTS,
	RS_CORE_OFFLINE,
	RS_CORE_ISOLATED,
	RS_CORE_NOHZ_FULL,
	RS_CORE_RESERVED, /* by the operator's configuration */
	RS_CORE_POLLING	  /* a user-space poller owns it: >= 95 % user, no softirq */
};

struct rs_core_view {
	unsigned cpu;
	unsigned group; /* lowest CPU number of its SMT siblings; itself without SMT */
	bool is_online;
	/* shares of elapsed time */
	double user, nice, system, idle, iowait, irq, softirq, steal;
	double interrupts_ps, nic_interrupts_ps, net_rx_ps;
	double processed_pps, dropped_pps, squeezed_ps, rps_ps, flow_limit_ps, backlog;
	/* Share taken by kernel threads that do packet work; load.c takes out what is
	 * softirq time. NAN: nobody looked. */
	double packet_threads;
	double freq_hz, freq_max_hz;
	bool is_freq_measured;		/* false: freq_hz is what was asked for */
	double throttled_ps, throttled; /* events; share of the time. NAN: not told */
	/* filled by analysis/load.c */
	enum rs_excluded excluded;
	bool is_eligible;
	double packet_load; /* P: share of available time; 0 when the core does no network work */
	double packet_load_max; /* P + U/A, the upper bound under tick accounting */
	double busy;		/* B */
};

/* A group of SMT siblings counts as one: P_g = min(1, sum P), B_g = min(1, sum B). */
struct rs_group {
	unsigned cpu;	/* the sibling with the highest packet load */
	unsigned first; /* what names the group: the lowest CPU number of all its siblings */
	double packet_load, busy;
};

/* More physical cores than this are not judged, and it is said. */
#define RS_GROUPS_MAX 2048u

struct rs_nic_view {
	struct rs_nic_info info;
	bool
	    counts_in_sums; /* physical, or where there are none all but lo; no masters, no VLANs */
	double rx_bps, tx_bps, rx_pps, tx_pps;
	double rx_utilization,
	    tx_utilization; /* of wire rate, framing included; NAN without speed */
	double rx_dropped_pps, tx_dropped_pps, rx_missed_pps, rx_fifo_pps, errors_pps;
	double rx_crc_pps, rx_over_pps, rx_nohandler_pps;
	bool has_counters; /* counters were read at least once */
	/* Losses by stage; NAN: not known. See rs_nic_info.loss for the ring's. */
	double lost_wire_pps, lost_ring_pps, lost_qdisc_pps, lost_tx_pps, lost_unattributed_pps;
	double requeues_ps; /* packets the driver gave back to the queueing discipline */
	double rx_pause_ps, tx_pause_ps; /* pause frames */
	double tx_stops_ps;    /* times a transmit queue was stopped, its ring being full */
	double tx_timeouts_ps; /* times one stood still and was reset */
	double allowance_pps;  /* packets beyond the cloud's limits; NAN: nobody counts them */
	uint32_t first_queue, n_queues; /* in rs_view.queues: receive queues, then transmit */
	struct rs_queue_origin origin;	/* of their counters */
};

/* A queue in one direction. */
struct rs_queue_view {
	uint32_t ifindex;
	uint16_t queue;
	bool is_tx;
	enum rs_queue_source source;
	double pps, bps, drops_pps;
	double share;			/* of the packets of the interface in this direction */
	const struct rs_irq_view *line; /* NULL: not known */
	uint32_t napi;			/* id; 0: not told */
};

struct rs_thread_view {
	struct rs_thread thread;
	double load; /* share of a core between its last two readings */
};

struct rs_irq_cell {
	uint16_t cpu;
	double rate_ps;
};

struct rs_irq_view {
	char name[16];
	const char *chip;		 /* NUL-terminated, owned by the model */
	const char *actions;		 /* ", "-joined */
	double rate_ps;			 /* NAN: no value yet */
	double unhandled_ps;		 /* that no handler took for its own; NAN: nobody looked */
	const struct rs_irq_cell *cells; /* cells that moved in the last interval, by CPU */
	uint32_t n_cells;
	const struct rs_irq_feed *feeds;
	uint32_t n_feeds;
	bool is_nic_queue; /* at least one feed is a queue */
};

struct rs_view {
	uint64_t tick;	  /* number of this tick since start; 0: none yet */
	rs_ns mono_ns;	  /* when it began */
	rs_ns due_ns;	  /* the multiple of the interval it stands for */
	int64_t wall_ms;  /* sampled_at */
	int64_t boot_ms;  /* the same on the boot clock; 0: not known */
	bool is_clock_ok; /* wall times are believed */
	rs_ns interval_ns;
	bool has_rates; /* at least one source had two readings */
	enum rs_cpu_accounting accounting;
	const struct rs_core_view *cores; /* ascending CPU number; offline ones listed too */
	size_t n_cores;
	const struct rs_nic_view *nics; /* ascending ifindex */
	size_t n_nics;
	const struct rs_irq_view *irqs; /* order of /proc/interrupts, numbered rows and others */
	size_t n_irqs;
	const struct rs_queue_view *queues; /* by interface: receive queues, then transmit */
	size_t n_queues;
	const struct rs_thread_view *threads; /* those that were followed */
	size_t n_threads;
	bool has_threads; /* false: nobody looked */
	const struct rs_napi *napis;
	size_t n_napis;
	const struct rs_fact *facts; /* sorted by kind, key and queue */
	size_t n_facts;
	const struct rs_change *changes; /* of settings, seen in this tick */
	size_t n_changes;
	const struct rs_heavy_flow *flows; /* of the last look at connections; heaviest first */
	size_t n_flows;
	bool has_flows;		    /* false: nobody looked lately, or nobody may */
	double temperature_celsius; /* hottest sensor */
	double conntrack_entries, conntrack_dropped_pps, conntrack_early_drops_ps,
	    conntrack_insert_failed_ps;
	/* sums over nics with counts_in_sums; NAN when none has a value */
	double rx_bps, tx_bps, rx_pps, tx_pps;
	double
	    drops_pps; /* backlog drops and what devices report as missed; no unknown protocols */
	/* filled by analysis/load.c */
	bool has_packet_load;  /* at least one eligible core has P */
	unsigned hottest_core; /* valid when has_packet_load */
	double hottest_core_load;
	double effective_cores; /* (sum P)^2 / sum P^2 over groups; NAN when all are 0 */
	unsigned n_online, n_eligible, n_eligible_groups;
	/* The eligible groups with a value, by their lowest eligible CPU: the first
	 * RS_GROUPS_MAX of n_eligible_groups. */
	const struct rs_group *groups;
	const char *missing; /* what a verdict lacks ("/proc/stat"), NULL when nothing */
};

const struct rs_core_view *rs_view_core(const struct rs_view *v, unsigned cpu);	  /* or NULL */
const struct rs_nic_view *rs_view_nic(const struct rs_view *v, uint32_t ifindex); /* or NULL */
/* The value of a setting, or NULL when it is not known. */
const char *rs_view_fact(const struct rs_view *v, enum rs_fact_id id, uint32_t key, uint16_t queue);
/* The thread that polls the queue, or NULL: it has none, or that is not told. */
const struct rs_thread_view *rs_view_queue_thread(
    const struct rs_view *v, const struct rs_queue_view *q);
/* Whether the thread's time is packet work that softirq does not contain. */
bool rs_thread_does_packets(const struct rs_thread *t);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * One reading of one source: what a collector's parser fills and the model
 * takes over. Values that are not put have no value; zero is a value.
 * Text slices point into the reader's buffer and are valid until its next read.
 */
#ifndef RS_FRAME_H
#define RS_FRAME_H

#include <stdbool.h>

#include "cpuset.h"
#include "fact.h"
#include "flow.h"

/* A number of a metric on a thing. key: CPU number, ifindex (also of a queue),
 * 0 for the host. pace_s: the source is read, or brings itself up to date, only
 * once in so many seconds; 0: each tick. */
struct rs_reading {
	uint8_t metric; /* enum rs_metric_id */
	uint8_t pace_s;
	uint16_t queue; /* of the interface; 0 elsewhere */
	uint32_t key;
	uint64_t value; /* raw: counter as read, gauge x scale */
};

/* A row of /proc/interrupts. */
struct rs_irq_row {
	struct rs_text name; /* "31", "LOC", "IPI0" */
	struct rs_text rest; /* everything behind the counts, trimmed: chip, trigger, actions */
	uint32_t first_cell; /* index into cells */
	uint32_t cells;	     /* counts in this row: number of columns, or fewer (ERR: 1, FIQ: 0) */
	bool is_numbered;    /* the name is a decimal number */
};

/* The interrupts x cores matrix. Column c is CPU cpu[c]. */
struct rs_irq_matrix {
	bool is_present; /* the source was parsed */
	uint32_t columns;
	uint16_t *cpu;
	struct rs_irq_row *rows;
	uint32_t n_rows;
	uint32_t *cells; /* counts are 32-bit in the kernel's print format */
	uint32_t n_cells;
	/* capacities, kept between reads */
	uint32_t cap_columns, cap_rows, cap_cells;
};

/* Fields of struct rtnl_link_stats64, as bits of rs_nic_info.loss_*: those that
 * hold what was lost in the ring (loss_ring, summed), and those that such
 * packets are in as well (loss_ring_in). RS_LOSS_DRIVER: the counters of the
 * driver itself (NIC_RX_RING) tell. Drivers differ; 0: not known. */
enum rs_loss {
	RS_LOSS_MISSED = 1,
	RS_LOSS_FIFO = 2,
	RS_LOSS_OVER = 4,
	RS_LOSS_DROPPED = 8,
	RS_LOSS_ERRORS = 16,
	RS_LOSS_DRIVER = 32
};

/* What is known of a network interface beside its counters. */
struct rs_nic_info {
	uint32_t ifindex;
	char name[16];
	char driver[32]; /* "": unknown */
	char kind[16]; /* "physical", "vlan", "bridge", "bond", "veth", "loopback", ...; "": unknown
			*/
	char device[64];     /* basename of the device link: "0000:01:00.0", "virtio2"; "": none */
	char bus_parent[64]; /* basename of the device's parent, for virtio the PCI address; "":
				none */
	int64_t speed_bps;   /* -1: unknown */
	int8_t duplex;	     /* 1 full, 0 half, -1 unknown */
	int8_t is_up;	     /* 1 lower layer up, 0 down, -1 unknown */
	int32_t mtu;	     /* -1: unknown */
	int64_t carrier_changes;      /* -1: unknown */
	int32_t rx_queues, tx_queues; /* -1: unknown */
	/* What the driver's counters mean: see rs_loss. */
	uint8_t loss_ring, loss_ring_in;
	bool is_loopback, is_physical;
	bool is_master_or_stacked; /* bridge, bond, VLAN: its packets count on another interface too
				    */
	uint16_t n_irqs;	   /* MSI vectors of the device, ascending; 0: unknown */
	uint32_t irqs[128];
};

/* Where the counters of an interface's queues come from. */
enum rs_queue_source { RS_QUEUES_NONE, RS_QUEUES_NETLINK, RS_QUEUES_ETHTOOL };

/* The queues of an interface whose counters were asked for in this reading. */
struct rs_queue_origin {
	uint32_t ifindex;
	enum rs_queue_source source;
	uint8_t pace_s;	 /* as in rs_reading */
	char reason[80]; /* why there are none, or not all */
};

/* A NAPI instance as the kernel tells it (netdev family, napi-get). */
struct rs_napi {
	uint32_t ifindex, id;
	int32_t irq; /* -1: not told */
	int32_t pid; /* of its thread; -1: it has none */
};

/* Which NAPI instance serves a queue (netdev family, queue-get). */
struct rs_queue_napi {
	uint32_t ifindex, napi_id;
	uint16_t queue;
	bool is_tx;
};

enum rs_thread_class {
	RS_THREAD_NAPI,	     /* napi/DEV-ID: polls a NIC */
	RS_THREAD_IRQ,	     /* irq/N-*: handler of an interrupt; the model knows whose */
	RS_THREAD_VPN,	     /* WireGuard and crypto workers */
	RS_THREAD_KSOFTIRQD, /* its time is already in softirq */
	RS_THREAD_USER	     /* a busy thread of a process */
};

/* A thread as read: CPU time since it began and the core it ran on last. */
struct rs_thread {
	int32_t pid, tid;
	uint64_t start; /* with the tid it tells threads apart; any unit */
	enum rs_thread_class class;
	int32_t cpu; /* -1: not told */
	uint64_t runtime_ns;
	uint32_t ifindex; /* of the interface it works for; 0: not told. The model finds it */
	uint32_t napi_id; /* RS_THREAD_NAPI: 0: not told */
	int32_t irq;	  /* RS_THREAD_IRQ: the line it handles; -1 elsewhere */
	uint32_t threads; /* RS_THREAD_USER: of its process; 0: not told */
	char name[32];
	rs_ns at_ns; /* when it was read */
};

/* Interrupts of a line that no handler took for its own, as /proc/irq/N/spurious
 * counts them: the kernel begins at zero again now and then (kernel/irq/spurious.c). */
struct rs_irq_unhandled {
	uint32_t irq, count;
};
#define RS_UNHANDLED_MAX 64u
/* Lines that are looked at closely at once. */
#define RS_LOUD_IRQS_MAX 4u

/* A setting as read; value {NULL, NULL}: it is no longer there. */
struct rs_fact_reading {
	uint16_t id; /* enum rs_fact_id */
	uint16_t queue;
	uint32_t key;
	uint32_t at, len; /* in the frame's words; len UINT32_MAX: no longer there */
};

/* Cores as the system describes them; has_* false: the file was not there. */
struct rs_cpu_info {
	bool is_present;
	bool has_online, has_possible, has_isolated, has_nohz_full, has_groups;
	struct rs_cpuset online, possible, isolated, nohz_full;
	uint16_t group[RS_CPU_MAX]; /* lowest CPU number among the thread siblings */
	int8_t precise_irq_time;    /* CONFIG_IRQ_TIME_ACCOUNTING: 1 yes, 0 no, -1 not told */
};

struct rs_frame {
	rs_ns at_ns; /* CLOCK_MONOTONIC when the source was read */
	bool is_hot; /* told to active sources: some core was busy, look closely */
	/* Likewise: a device got other channels, of which no notice tells; other cores
	 * are online. */
	bool has_new_channels, has_new_cores;
	/* Told to them as well: lines of old controllers that fire often. */
	uint32_t loud_irqs[RS_LOUD_IRQS_MAX];
	unsigned n_loud_irqs;
	struct rs_reading *readings;
	size_t n_readings, cap_readings;
	bool has_cpus_seen;
	struct rs_irq_matrix irqs;
	bool has_nics; /* nics is the complete list of interfaces */
	struct rs_nic_info *nics;
	size_t n_nics, cap_nics;
	struct rs_queue_origin *origins;
	size_t n_origins, cap_origins;
	bool is_freq_measured; /* CORE_FREQ of this frame was measured, not asked for */
	bool has_napis;	       /* napis and queue_napis are all there are */
	struct rs_napi *napis;
	size_t n_napis, cap_napis;
	struct rs_queue_napi *queue_napis;
	size_t n_queue_napis, cap_queue_napis;
	bool has_threads; /* threads lists all that are followed */
	struct rs_thread *threads;
	size_t n_threads, cap_threads;
	struct rs_fact_reading *facts;
	size_t n_facts, cap_facts;
	char *words; /* the text of facts */
	size_t n_words, cap_words;
	unsigned skipped_rows; /* rows that could not be used */
	char note[128];	       /* what of the source was not permitted; "": nothing */
	bool is_out_of_memory; /* sticky until reset: the frame is incomplete */
	size_t max_readings;   /* growth limit */
	unsigned n_unhandled;
	bool has_flows; /* flows are the heaviest there are, RS_HEAVY_FLOWS_MAX at most */
	struct rs_heavy_flow *flows;
	size_t n_flows, cap_flows;
	bool has_connections; /* of a captured list: all there were */
	struct rs_connection *connections;
	size_t n_connections, cap_connections;
	/* Large and seldom looked at: last, so that the rest is on one page. */
	struct rs_irq_unhandled unhandled[RS_UNHANDLED_MAX];
	struct rs_cpuset cpus_seen; /* CPUs /proc/stat has a row for */
	struct rs_cpu_info cpus;
};

int rs_frame_new(size_t max_readings, struct rs_frame **ret);
void rs_frame_free(struct rs_frame *f); /* NULL-safe */
/* Empties it for the next source, keeps the memory. */
void rs_frame_reset(struct rs_frame *f, rs_ns at_ns);

void rs_put(struct rs_frame *f, enum rs_metric_id metric, uint32_t key, uint64_t value);
void rs_put_paced(
    struct rs_frame *f, enum rs_metric_id metric, uint32_t key, uint64_t value, uint8_t pace_s);
void rs_put_queue(struct rs_frame *f, enum rs_metric_id metric, uint32_t ifindex, uint16_t queue,
    uint64_t value, uint8_t pace_s);
/* queue: RS_NO_QUEUE where the fact is not of a queue. */
void rs_put_fact(
    struct rs_frame *f, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value);
void rs_put_fact_gone(struct rs_frame *f, enum rs_fact_id id, uint32_t key, uint16_t queue);
/* Append one, zeroed; NULL when out of memory or past the limit. */
struct rs_queue_origin *rs_frame_origin(struct rs_frame *f);
struct rs_napi *rs_frame_napi(struct rs_frame *f);
struct rs_queue_napi *rs_frame_queue_napi(struct rs_frame *f);
struct rs_thread *rs_frame_thread(struct rs_frame *f);
struct rs_heavy_flow *rs_frame_flow(struct rs_frame *f);
struct rs_connection *rs_frame_connection(struct rs_frame *f);
/* Appends an interface with everything unknown; NULL when out of memory. */
struct rs_nic_info *rs_frame_nic(struct rs_frame *f);
/* Make room; false when out of memory or past the limit (the frame says so). */
bool rs_frame_irq_columns(struct rs_frame *f, uint32_t columns);
struct rs_irq_row *rs_frame_irq_row(struct rs_frame *f); /* with room for `columns` cells */

/* For sources that name interfaces but have no ifindex (/proc/net/dev): a
 * stable key made from the name, above every real ifindex. The frame lists the
 * interface in nics. 0 when out of memory. */
uint32_t rs_frame_named_nic(struct rs_frame *f, struct rs_text name);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What is measured, each thing described once: the table that collectors,
 * rules, store, API and documentation share. Constant data, any thread.
 */
#ifndef RS_METRIC_H
#define RS_METRIC_H

#include <stdbool.h>

#include "text.h"

enum rs_kind {
	RS_COUNTER, /* monotonic count, stored as increments, shown as a rate per second */
	RS_GAUGE    /* a level, stored as value x scale */
};

enum rs_unit {
	RS_UNIT_NONE, /* a bare number */
	RS_UNIT_SECONDS,
	RS_UNIT_RATIO, /* 0..1 */
	RS_UNIT_PACKETS,
	RS_UNIT_BYTES,
	RS_UNIT_INTERRUPTS,
	RS_UNIT_EVENTS,
	RS_UNIT_HZ,
	RS_UNIT_CELSIUS,
	RS_UNIT_CORES, /* units below are for evidence only */
	RS_UNIT_BPS,
	RS_UNIT_PPS,
	RS_UNIT_PER_SECOND,
	RS_UNIT_COUNT
};

/* "seconds", "ratio", "packets", "bit/s", ... */
const char *rs_unit_name(enum rs_unit u);

enum rs_on { RS_ON_HOST, RS_ON_CPU, RS_ON_NIC, RS_ON_IRQ, RS_ON_QUEUE };

/* id, name, mode, direction, kind, counter width in bits, unit, raw values per
 * unit, what it is measured on, help. mode and direction are constant labels,
 * NULL when the metric has none. Sources: fs/proc/stat.c, fs/proc/softirqs.c,
 * net/core/net-procfs.c, struct rtnl_link_stats64 in linux/if_link.h. */
#define RS_METRIC_CPU_TIME(X, id, mode, help)                                                      \
	X(id, "core_cpu_seconds", mode, NULL, RS_COUNTER, 64, RS_UNIT_SECONDS, 100, RS_ON_CPU, help)
#define RS_METRIC_SOFTIRQ(X, id, mode)                                                             \
	X(id, "core_softirqs", mode, NULL, RS_COUNTER, 32, RS_UNIT_EVENTS, 1, RS_ON_CPU,           \
	    "Softirq handler runs on the core")
#define RS_METRIC_NIC(X, id, name, direction, unit, help)                                          \
	X(id, name, NULL, direction, RS_COUNTER, 64, unit, 1, RS_ON_NIC, help)
#define RS_METRIC_QUEUE(X, id, name, direction, unit, help)                                        \
	X(id, name, NULL, direction, RS_COUNTER, 64, unit, 1, RS_ON_QUEUE, help)

#define RS_METRICS(X)                                                                              \
	RS_METRIC_CPU_TIME(X, CPU_USER, "user", "CPU time in user mode, guests included")          \
	RS_METRIC_CPU_TIME(X, CPU_NICE, "nice", "CPU time in niced user mode")                     \
	RS_METRIC_CPU_TIME(X, CPU_SYSTEM, "system", "CPU time in the kernel for processes")        \
	RS_METRIC_CPU_TIME(X, CPU_IDLE, "idle", "Idle time")                                       \
	RS_METRIC_CPU_TIME(X, CPU_IOWAIT, "iowait", "Idle time with I/O outstanding")              \
	RS_METRIC_CPU_TIME(X, CPU_IRQ, "irq", "Time in hard interrupt handlers")                   \
	RS_METRIC_CPU_TIME(X, CPU_SOFTIRQ, "softirq", "Time in soft interrupt handlers")           \
	RS_METRIC_CPU_TIME(X, CPU_STEAL, "steal", "Time taken by the hypervisor")                  \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_HI, "hi")                                                     \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_TIMER, "timer")                                               \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_NET_TX, "net_tx")                                             \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_NET_RX, "net_rx")                                             \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_BLOCK, "block")                                               \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_IRQ_POLL, "irq_poll")                                         \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_TASKLET, "tasklet")                                           \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_SCHED, "sched")                                               \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_HRTIMER, "hrtimer")                                           \
	RS_METRIC_SOFTIRQ(X, SOFTIRQ_RCU, "rcu")                                                   \
	X(SOFTNET_PROCESSED, "core_softnet_processed_packets", NULL, NULL, RS_COUNTER, 32,         \
	    RS_UNIT_PACKETS, 1, RS_ON_CPU,                                                         \
	    "Passes through the receive core on this CPU; more than wire packets with VLANs")      \
	X(SOFTNET_DROPPED, "core_softnet_dropped_packets", NULL, NULL, RS_COUNTER, 32,             \
	    RS_UNIT_PACKETS, 1, RS_ON_CPU, "Packets dropped because the CPU's backlog was full")   \
	X(SOFTNET_SQUEEZED, "core_softnet_squeezed", NULL, NULL, RS_COUNTER, 32, RS_UNIT_EVENTS,   \
	    1, RS_ON_CPU, "Poll rounds that ended by budget with work left")                       \
	X(SOFTNET_RPS, "core_softnet_rps", NULL, NULL, RS_COUNTER, 32, RS_UNIT_EVENTS, 1,          \
	    RS_ON_CPU, "Wake-ups of this CPU by receive packet steering")                          \
	X(SOFTNET_FLOW_LIMIT, "core_softnet_flow_limit_packets", NULL, NULL, RS_COUNTER, 32,       \
	    RS_UNIT_PACKETS, 1, RS_ON_CPU, "Packets dropped by the flow limit")                    \
	X(SOFTNET_BACKLOG, "core_softnet_backlog_packets", NULL, NULL, RS_GAUGE, 32,               \
	    RS_UNIT_PACKETS, 1, RS_ON_CPU, "Packets waiting in the CPU's backlog")                 \
	X(CORE_INTERRUPTS, "core_interrupts", NULL, NULL, RS_COUNTER, 64, RS_UNIT_INTERRUPTS, 1,   \
	    RS_ON_CPU, "Numbered interrupts served by the core")                                   \
	X(CORE_NIC_INTERRUPTS, "core_nic_interrupts", NULL, NULL, RS_COUNTER, 64,                  \
	    RS_UNIT_INTERRUPTS, 1, RS_ON_CPU, "Interrupts of network devices served by the core")  \
	X(CORE_PACKET_LOAD, "core_packet_load_ratio", NULL, NULL, RS_GAUGE, 0, RS_UNIT_RATIO,      \
	    10000, RS_ON_CPU, "Share of the core's available time spent on packet work")           \
	X(CORE_BUSY, "core_busy_ratio", NULL, NULL, RS_GAUGE, 0, RS_UNIT_RATIO, 10000, RS_ON_CPU,  \
	    "Share of the core's available time that was not idle")                                \
	X(CORE_PACKET_THREADS, "core_packet_thread_ratio", NULL, NULL, RS_GAUGE, 0, RS_UNIT_RATIO, \
	    10000, RS_ON_CPU,                                                                      \
	    "Share of the core's time taken by kernel threads that do packet work")                \
	X(CORE_FREQ, "core_frequency_hertz", NULL, NULL, RS_GAUGE, 0, RS_UNIT_HZ, 1, RS_ON_CPU,    \
	    "Clock of the core, as measured or, where that is not permitted, as requested")        \
	X(CORE_FREQ_MAX, "core_frequency_max_hertz", NULL, NULL, RS_GAUGE, 0, RS_UNIT_HZ, 1,       \
	    RS_ON_CPU, "Highest clock of the core, boost included")                                \
	X(CORE_THROTTLED, "core_throttle_events", NULL, NULL, RS_COUNTER, 64, RS_UNIT_EVENTS, 1,   \
	    RS_ON_CPU, "Times the core was slowed down for its heat")                              \
	X(CORE_THROTTLED_TIME, "core_throttled_seconds", NULL, NULL, RS_COUNTER, 64,               \
	    RS_UNIT_SECONDS, 1000, RS_ON_CPU, "Time for which heat slowed the core down")          \
	RS_METRIC_NIC(X, NIC_RX_BYTES, "interface_bytes", "rx", RS_UNIT_BYTES, "Bytes")            \
	RS_METRIC_NIC(X, NIC_TX_BYTES, "interface_bytes", "tx", RS_UNIT_BYTES, "Bytes")            \
	RS_METRIC_NIC(X, NIC_RX_PACKETS, "interface_packets", "rx", RS_UNIT_PACKETS, "Packets")    \
	RS_METRIC_NIC(X, NIC_TX_PACKETS, "interface_packets", "tx", RS_UNIT_PACKETS, "Packets")    \
	RS_METRIC_NIC(X, NIC_RX_ERRORS, "interface_error_packets", "rx", RS_UNIT_PACKETS,          \
	    "Packets with an error")                                                               \
	RS_METRIC_NIC(X, NIC_TX_ERRORS, "interface_error_packets", "tx", RS_UNIT_PACKETS,          \
	    "Packets with an error")                                                               \
	RS_METRIC_NIC(X, NIC_RX_DROPPED, "interface_dropped_packets", "rx", RS_UNIT_PACKETS,       \
	    "Packets dropped by software; unknown protocols count here too")                       \
	RS_METRIC_NIC(X, NIC_TX_DROPPED, "interface_dropped_packets", "tx", RS_UNIT_PACKETS,       \
	    "Packets dropped on the way out")                                                      \
	RS_METRIC_NIC(X, NIC_RX_MISSED, "interface_missed_packets", "rx", RS_UNIT_PACKETS,         \
	    "Packets the device lost for want of a buffer, as its driver reports them")            \
	RS_METRIC_NIC(X, NIC_RX_FIFO, "interface_fifo_error_packets", "rx", RS_UNIT_PACKETS,       \
	    "Receive FIFO errors, as the driver reports them")                                     \
	RS_METRIC_NIC(X, NIC_RX_OVER, "interface_over_error_packets", "rx", RS_UNIT_PACKETS,       \
	    "Receive overruns, as the driver reports them")                                        \
	RS_METRIC_NIC(X, NIC_RX_CRC, "interface_crc_error_packets", "rx", RS_UNIT_PACKETS,         \
	    "Packets with a wrong checksum on the wire")                                           \
	RS_METRIC_NIC(X, NIC_RX_NOHANDLER, "interface_nohandler_packets", "rx", RS_UNIT_PACKETS,   \
	    "Packets that arrived on an inactive device")                                          \
	RS_METRIC_NIC(X, NIC_MULTICAST, "interface_multicast_packets", "rx", RS_UNIT_PACKETS,      \
	    "Multicast packets received")                                                          \
	RS_METRIC_NIC(X, NIC_COLLISIONS, "interface_collisions", "tx", RS_UNIT_EVENTS,             \
	    "Collisions on half-duplex media")                                                     \
	RS_METRIC_NIC(X, NIC_RX_RING, "interface_ring_packets", "rx", RS_UNIT_PACKETS,             \
	    "Packets lost in the device or its ring, by the counters that mean so in its driver")  \
	X(NIC_TX_QDISC, "interface_qdisc_dropped_packets", NULL, "tx", RS_COUNTER, 32,             \
	    RS_UNIT_PACKETS, 1, RS_ON_NIC, "Packets dropped by the queueing discipline")           \
	X(NIC_TX_REQUEUES, "interface_qdisc_requeues", NULL, "tx", RS_COUNTER, 32, RS_UNIT_EVENTS, \
	    1, RS_ON_NIC, "Packets the driver gave back to the queueing discipline")               \
	RS_METRIC_NIC(X, NIC_RX_PAUSE, "interface_pause_frames", "rx", RS_UNIT_EVENTS,             \
	    "Pause frames: those received tell the device to stop sending")                        \
	RS_METRIC_NIC(X, NIC_TX_PAUSE, "interface_pause_frames", "tx", RS_UNIT_EVENTS,             \
	    "Pause frames: those sent tell the neighbour to stop")                                 \
	RS_METRIC_NIC(X, NIC_TX_STOPS, "interface_queue_stops", "tx", RS_UNIT_EVENTS,              \
	    "Times a transmit ring was full and its queue stopped")                                \
	RS_METRIC_NIC(X, NIC_TX_TIMEOUTS, "interface_transmit_timeouts", "tx", RS_UNIT_EVENTS,     \
	    "Times a transmit queue stood still for seconds and was reset")                        \
	X(NIC_ALLOWANCE, "interface_allowance_exceeded_packets", NULL, NULL, RS_COUNTER, 64,       \
	    RS_UNIT_PACKETS, 1, RS_ON_NIC,                                                         \
	    "Packets held back or dropped because the cloud's limits for the port were reached")   \
	RS_METRIC_QUEUE(                                                                           \
	    X, QUEUE_RX_PACKETS, "queue_packets", "rx", RS_UNIT_PACKETS, "Packets of the queue")   \
	RS_METRIC_QUEUE(                                                                           \
	    X, QUEUE_TX_PACKETS, "queue_packets", "tx", RS_UNIT_PACKETS, "Packets of the queue")   \
	RS_METRIC_QUEUE(                                                                           \
	    X, QUEUE_RX_BYTES, "queue_bytes", "rx", RS_UNIT_BYTES, "Bytes of the queue")           \
	RS_METRIC_QUEUE(                                                                           \
	    X, QUEUE_TX_BYTES, "queue_bytes", "tx", RS_UNIT_BYTES, "Bytes of the queue")           \
	RS_METRIC_QUEUE(X, QUEUE_RX_DROPS, "queue_dropped_packets", "rx", RS_UNIT_PACKETS,         \
	    "Packets the queue lost")                                                              \
	RS_METRIC_QUEUE(X, QUEUE_TX_DROPS, "queue_dropped_packets", "tx", RS_UNIT_PACKETS,         \
	    "Packets the queue lost")                                                              \
	X(IRQ_INTERRUPTS, "irq_interrupts", NULL, NULL, RS_COUNTER, 64, RS_UNIT_INTERRUPTS, 1,     \
	    RS_ON_IRQ, "Interrupts of the line on all cores")                                      \
	X(TEMPERATURE, "temperature_celsius", NULL, NULL, RS_GAUGE, 0, RS_UNIT_CELSIUS, 1000,      \
	    RS_ON_HOST, "Hottest sensor of the processor")                                         \
	X(STATE, "state", NULL, NULL, RS_GAUGE, 0, RS_UNIT_NONE, 1, RS_ON_HOST,                    \
	    "0 ok, 1 info, 2 warn, 3 crit, 4 unknown")                                             \
	X(CONNTRACK_ENTRIES, "conntrack_entries", NULL, NULL, RS_GAUGE, 0, RS_UNIT_NONE, 1,        \
	    RS_ON_HOST, "Connections in the table of connection tracking")                         \
	X(CONNTRACK_DROPPED, "conntrack_dropped_packets", NULL, NULL, RS_COUNTER, 32,              \
	    RS_UNIT_PACKETS, 1, RS_ON_HOST,                                                        \
	    "Packets dropped because no connection could be made for them")                        \
	X(CONNTRACK_EARLY_DROPS, "conntrack_early_drops", NULL, NULL, RS_COUNTER, 32,              \
	    RS_UNIT_EVENTS, 1, RS_ON_HOST,                                                         \
	    "Connections given up to make room for new ones in a full table")                      \
	X(CONNTRACK_INSERT_FAILED, "conntrack_insert_failed", NULL, NULL, RS_COUNTER, 32,          \
	    RS_UNIT_EVENTS, 1, RS_ON_HOST,                                                         \
	    "Connections that could not be entered; two packets at once of one are such, too")

enum rs_metric_id {
#define RS_METRIC_ENUM(id, ...) RS_M_##id,
	RS_METRICS(RS_METRIC_ENUM)
#undef RS_METRIC_ENUM
	    RS_M_COUNT
};

struct rs_metric {
	const char *name; /* without the ringside_ prefix and _total suffix of /metrics */
	const char *mode, *direction;
	enum rs_kind kind;
	uint8_t
	    width; /* bits, where a counter wraps: 16, 32, 64; 0: a sum made here, never wraps */
	enum rs_unit unit;
	uint32_t scale; /* raw values per unit */
	enum rs_on on;
	const char *help;
};

/* Indexed by enum rs_metric_id. */
extern const struct rs_metric rs_metrics[RS_M_COUNT];

/* The labels a series carries beside the constant ones of its metric. */
struct rs_labels {
	int32_t cpu;	 /* -1: none */
	int32_t queue;	 /* -1: none */
	char device[16]; /* "": none */
	char irq[16];	 /* "": none */
};
extern const struct rs_labels rs_labels_none;

bool rs_labels_same(const struct rs_labels *a, const struct rs_labels *b);

/* The value of label `name` ("cpu", "device", "queue", "direction", "irq",
 * "mode") of a series as text in dst; false when the series has no such label. */
bool rs_label_value(
    const struct rs_metric *m, const struct rs_labels *l, const char *name, char dst[static 24]);
/* The six label names in the order all outputs use; ends with NULL. */
extern const char *const rs_label_names[];

#endif

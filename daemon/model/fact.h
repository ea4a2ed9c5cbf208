/* SPDX-License-Identifier: ISC */
/*
 * Settings: what somebody chose and the kernel tells as a word or a number. Each
 * kind is described once; the model keeps the last known value of each and makes
 * a change of every difference between two known values. Constant data, any
 * thread.
 */
#ifndef RS_FACT_H
#define RS_FACT_H

#include "metric.h"

/* id, name, what it is set on, help. On a queue the direction is part of the
 * kind, as with metrics. Values are text as one would type it: CPU lists
 * ("0-3", the empty one "none"), decimal numbers, "on" and "off". An indirection
 * table is a list of queues: "0-3 x32" is 0,1,2,3 thirty-two times, "0-2 x42+2"
 * 0,1,2 forty-two times and its first two again, "0x64,1x64" runs of one queue. */
#define RS_FACTS(X)                                                                                \
	X(KERNEL, "kernel", RS_ON_HOST, NULL, "Kernel release")                                    \
	X(FIRMWARE, "firmware", RS_ON_HOST, NULL, "Firmware version (DMI)")                        \
	X(IRQBALANCE, "irqbalance", RS_ON_HOST, NULL, "Whether irqbalance is running")             \
	X(NETDEV_BUDGET, "netdev_budget", RS_ON_HOST, NULL, "Packets a poll round may take")       \
	X(NETDEV_BUDGET_USECS, "netdev_budget_usecs", RS_ON_HOST, NULL,                            \
	    "Microseconds a poll round may take")                                                  \
	X(NETDEV_MAX_BACKLOG, "netdev_max_backlog", RS_ON_HOST, NULL,                              \
	    "Packets that may wait in a core's backlog")                                           \
	X(DEV_WEIGHT, "dev_weight", RS_ON_HOST, NULL, "Packets a backlog poll may take")           \
	X(RPS_SOCK_FLOWS, "rps_sock_flow_entries", RS_ON_HOST, NULL,                               \
	    "Flows RFS may follow in all")                                                         \
	X(CPU_BOOST, "cpu_boost", RS_ON_HOST, NULL, "Whether cores may go beyond the base clock")  \
	X(GOVERNOR, "cpu_governor", RS_ON_CPU, NULL, "Frequency governor")                         \
	X(FREQ_MIN, "cpu_freq_min_khz", RS_ON_CPU, NULL, "Lowest frequency allowed, kHz")          \
	X(FREQ_MAX, "cpu_freq_max_khz", RS_ON_CPU, NULL, "Highest frequency allowed, kHz")         \
	X(IRQ_AFFINITY, "irq_affinity", RS_ON_IRQ, NULL, "Cores the interrupt may fire on")        \
	X(IRQ_EFFECTIVE, "irq_effective_affinity", RS_ON_IRQ, NULL,                                \
	    "Cores the interrupt controller took of them")                                         \
	X(DRIVER, "driver", RS_ON_NIC, NULL, "Driver")                                             \
	X(CARRIER, "carrier", RS_ON_NIC, NULL, "Whether the link is up")                           \
	X(SPEED, "speed_mbit", RS_ON_NIC, NULL, "Link speed, Mbit/s")                              \
	X(DUPLEX, "duplex", RS_ON_NIC, NULL, "Duplex mode")                                        \
	X(MTU, "mtu", RS_ON_NIC, NULL, "Largest packet, bytes")                                    \
	X(RX_QUEUES, "rx_queues", RS_ON_NIC, NULL, "Receive queues in use")                        \
	X(TX_QUEUES, "tx_queues", RS_ON_NIC, NULL, "Transmit queues in use")                       \
	X(THREADED, "threaded", RS_ON_NIC, NULL, "Whether NAPI polls in threads of its own")       \
	X(QDISC, "qdisc", RS_ON_NIC, NULL, "Queueing discipline at the root")                      \
	X(CHANNELS_COMBINED, "channels_combined", RS_ON_NIC, NULL,                                 \
	    "Combined channels (ethtool -l)")                                                      \
	X(CHANNELS_COMBINED_MAX, "channels_combined_max", RS_ON_NIC, NULL, "Their maximum")        \
	X(CHANNELS_RX, "channels_rx", RS_ON_NIC, NULL, "Receive channels")                         \
	X(CHANNELS_RX_MAX, "channels_rx_max", RS_ON_NIC, NULL, "Their maximum")                    \
	X(CHANNELS_TX, "channels_tx", RS_ON_NIC, NULL, "Transmit channels")                        \
	X(CHANNELS_TX_MAX, "channels_tx_max", RS_ON_NIC, NULL, "Their maximum")                    \
	X(RING_RX, "ring_rx", RS_ON_NIC, NULL, "Receive descriptors (ethtool -g)")                 \
	X(RING_RX_MAX, "ring_rx_max", RS_ON_NIC, NULL, "Their maximum")                            \
	X(RING_TX, "ring_tx", RS_ON_NIC, NULL, "Transmit descriptors")                             \
	X(RING_TX_MAX, "ring_tx_max", RS_ON_NIC, NULL, "Their maximum")                            \
	X(COALESCE_ADAPTIVE_RX, "coalesce_adaptive_rx", RS_ON_NIC, NULL,                           \
	    "Whether the driver adapts the receive interrupt rate (ethtool -c)")                   \
	X(COALESCE_ADAPTIVE_TX, "coalesce_adaptive_tx", RS_ON_NIC, NULL,                           \
	    "Whether the driver adapts the transmit interrupt rate")                               \
	X(COALESCE_RX_USECS, "coalesce_rx_usecs", RS_ON_NIC, NULL,                                 \
	    "Microseconds a receive interrupt is held back")                                       \
	X(COALESCE_RX_FRAMES, "coalesce_rx_frames", RS_ON_NIC, NULL,                               \
	    "Packets a receive interrupt is held back for")                                        \
	X(COALESCE_TX_USECS, "coalesce_tx_usecs", RS_ON_NIC, NULL,                                 \
	    "Microseconds a transmit interrupt is held back")                                      \
	X(COALESCE_TX_FRAMES, "coalesce_tx_frames", RS_ON_NIC, NULL,                               \
	    "Packets a transmit interrupt is held back for")                                       \
	X(RSS_TABLE, "rss_table", RS_ON_NIC, NULL, "Indirection table (ethtool -x)")               \
	X(RSS_KEY, "rss_key", RS_ON_NIC, NULL, "Hash key, hexadecimal")                            \
	X(RSS_HASH, "rss_hash", RS_ON_NIC, NULL, "Hash function")                                  \
	X(PAUSE_RX, "pause_rx", RS_ON_NIC, NULL, "Whether pause frames are obeyed (ethtool -a)")   \
	X(PAUSE_TX, "pause_tx", RS_ON_NIC, NULL, "Whether pause frames are sent")                  \
	X(OFFLOADS, "offloads", RS_ON_NIC, NULL,                                                   \
	    "Offloads that are on (ethtool -k): of rx, tx, sg, tso, gso, gro, lro, rxhash, "       \
	    "ntuple, rxvlan, txvlan, rx-gro-hw, hw-tc-offload")                                    \
	X(RPS_CPUS, "rps_cpus", RS_ON_QUEUE, "rx",                                                 \
	    "Cores that packets of the queue are handed to")                                       \
	X(RPS_FLOWS, "rps_flow_cnt", RS_ON_QUEUE, "rx", "Flows RFS may follow on the queue")       \
	X(XPS_CPUS, "xps_cpus", RS_ON_QUEUE, "tx", "Cores that send through the queue")            \
	X(XPS_RXQS, "xps_rxqs", RS_ON_QUEUE, "tx", "Receive queues whose flows are sent through it")

enum rs_fact_id {
#define RS_FACT_ENUM(id, ...) RS_F_##id,
	RS_FACTS(RS_FACT_ENUM)
#undef RS_FACT_ENUM
	    RS_F_COUNT
};

struct rs_fact_kind {
	const char *name;
	enum rs_on on;
	const char *direction; /* on a queue: "rx" or "tx"; else NULL */
	const char *help;
};

/* Indexed by enum rs_fact_id. */
extern const struct rs_fact_kind rs_facts[RS_F_COUNT];

/* The kind of this name; RS_F_COUNT: there is none. */
enum rs_fact_id rs_fact_find(struct rs_text name);

#define RS_NO_QUEUE UINT16_MAX

/* How many bytes of the value may be shown; SIZE_MAX: all. Of the hash key only
 * enough to see that it changed: who knows it can send all his flows to one
 * queue. */
size_t rs_fact_shown(unsigned id);

/* A setting as last read. key as in rs_reading, the number of the line for
 * interrupts. */
struct rs_fact {
	uint16_t id; /* enum rs_fact_id */
	uint16_t queue;
	uint32_t key;
	const char *value; /* NUL-terminated, owned by the model */
};

/* One difference of two known values. Plain data, copied freely. */
struct rs_change {
	int64_t id;
	int64_t at_ms; /* wall clock of the tick that saw it */
	uint16_t fact; /* enum rs_fact_id */
	struct rs_labels labels;
	char old[128], new[128]; /* cut with "..." */
};

/* What was set, in the words that findings use. */
struct rs_subject;
void rs_change_subject(const struct rs_change *c, struct rs_subject *ret);

#endif

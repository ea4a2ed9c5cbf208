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
	X(HYPERVISOR, "hypervisor", RS_ON_HOST, NULL,                                              \
	    "Whether the machine is a guest: a hypervisor is present, or none")                    \
	X(SYSTEM, "system", RS_ON_HOST, NULL, "Operating system and its version (os-release)")     \
	X(NUMA_NODES, "numa_nodes", RS_ON_HOST, NULL,                                              \
	    "Memory nodes and their cores (0:0-7 1:8-15), where there are several")                \
	X(IRQBALANCE_SERVICE, "irqbalance_service", RS_ON_HOST, NULL,                              \
	    "What would start irqbalance: systemd or openwrt")                                     \
	X(IP_FORWARD, "ip_forward", RS_ON_HOST, NULL, "Whether packets are forwarded (IPv4)")      \
	X(CONNTRACK_MAX, "nf_conntrack_max", RS_ON_HOST, NULL,                                     \
	    "Connections that may be tracked; 0 is no limit")                                      \
	X(CONNTRACK_BUCKETS, "nf_conntrack_buckets", RS_ON_HOST, NULL,                             \
	    "Size of the hash table of connections")                                               \
	X(CONNTRACK_ESTABLISHED, "nf_conntrack_tcp_timeout_established", RS_ON_HOST, NULL,         \
	    "Seconds an idle TCP connection stays in the table")                                   \
	X(REALTIME, "realtime", RS_ON_HOST, NULL, "Whether it is a real-time kernel (PREEMPT_RT)") \
	X(PASSIVE_TRIP, "passive_trip_celsius", RS_ON_HOST, NULL,                                  \
	    "Temperature from which the processor is slowed down")                                 \
	X(GOVERNOR, "cpu_governor", RS_ON_CPU, NULL, "Frequency governor")                         \
	X(FREQ_MIN, "cpu_freq_min_khz", RS_ON_CPU, NULL, "Lowest frequency allowed, kHz")          \
	X(FREQ_MAX, "cpu_freq_max_khz", RS_ON_CPU, NULL, "Highest frequency allowed, kHz")         \
	X(GOVERNORS, "cpu_governors", RS_ON_CPU, NULL, "Governors there are")                      \
	X(CAPACITY, "cpu_capacity", RS_ON_CPU, NULL,                                               \
	    "What the core can do, of 1024, where cores differ")                                   \
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
	X(RSS_UDP4, "rss_udp4", RS_ON_NIC, NULL,                                                   \
	    "What of UDP over IPv4 is hashed (rx-flow-hash): sd addresses, fn ports")              \
	X(PAUSE_RX, "pause_rx", RS_ON_NIC, NULL, "Whether pause frames are obeyed (ethtool -a)")   \
	X(PAUSE_TX, "pause_tx", RS_ON_NIC, NULL, "Whether pause frames are sent")                  \
	X(OFFLOADS, "offloads", RS_ON_NIC, NULL,                                                   \
	    "Offloads that are on (ethtool -k): of rx, tx, sg, tso, gso, gro, lro, rxhash, "       \
	    "ntuple, rxvlan, txvlan, rx-gro-hw, hw-tc-offload")                                    \
	X(NUMA_NODE, "numa_node", RS_ON_NIC, NULL, "Memory node of the device")                    \
	X(MASTER, "master", RS_ON_NIC, NULL, "Bridge or bond the interface is a port of")          \
	X(AUTONEG, "autoneg", RS_ON_NIC, NULL, "Whether the speed is negotiated (ethtool)")        \
	X(LINK_SUPPORTED, "link_supported", RS_ON_NIC, NULL,                                       \
	    "Speeds the port is made for, Mbit/s and duplex")                                      \
	X(LINK_ADVERTISED, "link_advertised", RS_ON_NIC, NULL, "Speeds offered to the other side") \
	X(LINK_PARTNER, "link_partner", RS_ON_NIC, NULL, "Speeds the other side offers")           \
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
	int64_t at_ms;	    /* wall clock of the tick that saw it */
	int64_t at_boot_ms; /* its boot clock; 0: not known */
	uint16_t fact;	    /* enum rs_fact_id */
	struct rs_labels labels;
	char old[128], new[128]; /* cut with "..." */
};

/* As rs_finding_follow. */
bool rs_change_follow(struct rs_change *c, int64_t offset_ms);

/* What was set, in the words that findings use. */
struct rs_subject;
void rs_change_subject(const struct rs_change *c, struct rs_subject *ret);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Flows of packets: what tells one from another, and the heaviest of them. A
 * connection is two flows, one in each direction, each as it comes in from the
 * wire (before addresses are translated). Plain data, any thread.
 */
#ifndef RS_FLOW_H
#define RS_FLOW_H

#include <stdbool.h>

#include "rs.h"

/* A flow's ends in network byte order; IPv4 addresses are the first 4 bytes. */
struct rs_flow_ends {
	bool is_ipv6;
	uint8_t source[16], destination[16];
	uint16_t source_port, destination_port; /* host byte order; 0: none */
};

/* Only the heaviest are told. */
#define RS_HEAVY_FLOWS_MAX 64u

struct rs_heavy_flow {
	struct rs_flow_ends ends;
	uint8_t protocol; /* as in the IP header: 6 TCP, 17 UDP */
	uint32_t ifindex; /* it comes in by, as routes tell; 0: not known */
	double bps;	  /* bits of IP packets per second between two looks */
};

/* A tracked connection as the kernel lists it: the flow that began it, and the
 * one that answers. */
struct rs_connection {
	struct rs_flow_ends ends[2];
	uint64_t bytes[2]; /* of IP packets since it began */
	uint32_t id;	   /* 0: not told */
	uint16_t zone;
	uint8_t protocol;
	bool has_bytes; /* false: nobody counts (net.netfilter.nf_conntrack_acct) */
};

/* More connections than this are not looked through. */
#define RS_CONNECTIONS_MAX 50000u

#endif

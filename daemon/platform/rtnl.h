/* SPDX-License-Identifier: ISC */
/*
 * Interface counters, kinds and queueing disciplines by rtnetlink: one dump each
 * (RTM_GETSTATS with IFLA_STATS_LINK_64, RTM_GETLINK, RTM_GETQDISC) over a kept
 * socket (include/uapi/linux/if_link.h, rtnetlink.h). Called by the collectors on
 * the loop thread.
 */
#ifndef RS_RTNL_H
#define RS_RTNL_H

#include <stdbool.h>

#include "rs.h"

struct rs_rtnl;

/* The fields of struct rtnl_link_stats64 in its order; fields a shorter answer
 * lacks are not present. */
#define RS_LINK_STATS 25
struct rs_link_stats {
	uint32_t ifindex;
	unsigned n; /* fields present */
	uint64_t field[RS_LINK_STATS];
};
enum {
	RS_LINK_RX_PACKETS,
	RS_LINK_TX_PACKETS,
	RS_LINK_RX_BYTES,
	RS_LINK_TX_BYTES,
	RS_LINK_RX_ERRORS,
	RS_LINK_TX_ERRORS,
	RS_LINK_RX_DROPPED,
	RS_LINK_TX_DROPPED,
	RS_LINK_MULTICAST,
	RS_LINK_COLLISIONS,
	RS_LINK_RX_LENGTH_ERRORS,
	RS_LINK_RX_OVER_ERRORS,
	RS_LINK_RX_CRC_ERRORS,
	RS_LINK_RX_FRAME_ERRORS,
	RS_LINK_RX_FIFO_ERRORS,
	RS_LINK_RX_MISSED_ERRORS,
	RS_LINK_TX_ABORTED_ERRORS,
	RS_LINK_TX_CARRIER_ERRORS,
	RS_LINK_TX_FIFO_ERRORS,
	RS_LINK_TX_HEARTBEAT_ERRORS,
	RS_LINK_TX_WINDOW_ERRORS,
	RS_LINK_RX_COMPRESSED,
	RS_LINK_TX_COMPRESSED,
	RS_LINK_RX_NOHANDLER,
	RS_LINK_RX_OTHERHOST_DROPPED
};

int rs_rtnl_open(struct rs_rtnl **ret);
void rs_rtnl_close(struct rs_rtnl *r); /* NULL-safe */
/* fn once per interface. Negative errno: nothing of this dump counts. */
int rs_rtnl_stats(
    struct rs_rtnl *r, void (*fn)(void *arg, const struct rs_link_stats *s), void *arg);

/* Pure part of the above: one datagram of a dump. *ret_done set at its end.
 * -EINVAL on a malformed message, -EAGAIN when the kernel says the dump was
 * interrupted (NLM_F_DUMP_INTR). */
int rs_rtnl_parse_stats(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, const struct rs_link_stats *s), void *arg, bool *ret_done);

/* What sort of virtual device an interface is ("veth", "vlan", ...:
 * IFLA_INFO_KIND); devices without a kind are not told. */
int rs_rtnl_kinds(
    struct rs_rtnl *r, void (*fn)(void *arg, uint32_t ifindex, const char *kind), void *arg);
/* Pure part of the above, as rs_rtnl_parse_stats. */
int rs_rtnl_parse_kinds(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, uint32_t ifindex, const char *kind), void *arg, bool *ret_done);

/* A queueing discipline. */
struct rs_qdisc {
	uint32_t ifindex;
	bool is_root;
	bool is_ingress; /* it stands where packets come in */
	char kind[16];	 /* "fq_codel"; longer ones are cut */
	bool has_stats;
	uint32_t drops, requeues; /* 32 bits in the kernel (struct gnet_stats_queue) */
};

/* Those of one interface come one after the other. */
int rs_rtnl_qdiscs(struct rs_rtnl *r, void (*fn)(void *arg, const struct rs_qdisc *q), void *arg);
/* Pure part of the above, as rs_rtnl_parse_stats. */
int rs_rtnl_parse_qdiscs(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, const struct rs_qdisc *q), void *arg, bool *ret_done);

/* The interface that packets to this address leave by, in network byte order, and
 * so the one that packets from it should come in by; that of an own address is the
 * loopback. -ENETUNREACH: none; other errno. */
int rs_rtnl_route(
    struct rs_rtnl *r, bool is_ipv6, const uint8_t address[static 16], uint32_t *ret_ifindex);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The connections the kernel tracks, by ctnetlink: a dump in parts over a kept
 * socket (include/uapi/linux/netfilter/nfnetlink_conntrack.h). Needs CAP_NET_ADMIN
 * (net/netfilter/nfnetlink.c, nfnetlink_rcv). Called by the collector on the loop
 * thread; the parser is pure.
 */
#ifndef RS_CTNL_H
#define RS_CTNL_H

#include <stddef.h>

#include "flow.h"

struct rs_ctnl;

typedef void (*rs_ctnl_fn)(void *arg, const struct rs_connection *c);

/* -EPROTONOSUPPORT: the kernel has no netfilter netlink. */
int rs_ctnl_open(struct rs_ctnl **ret);
void rs_ctnl_close(struct rs_ctnl *c); /* NULL-safe */
/* Asks for all; then step until *ret_done. A step takes at most so many datagrams,
 * about a hundred connections each, and never waits. Negative errno: the dump is
 * over and nothing of it counts; -EPERM; -EAGAIN: ask again. */
int rs_ctnl_begin(struct rs_ctnl *c);
int rs_ctnl_step(struct rs_ctnl *c, unsigned datagrams, rs_ctnl_fn fn, void *arg, bool *ret_done);
void rs_ctnl_give_up(struct rs_ctnl *c);

/* Pure part of the above: one datagram, see rs_nl_parse. Connections without
 * addresses of IP are not told. */
int rs_ctnl_parse(
    const void *bytes, size_t len, uint32_t seq, rs_ctnl_fn fn, void *arg, bool *ret_done);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * A kept netlink socket to ask dumps and single questions over, and the walk through the datagrams
 * they are answered with. The files of the families (genl.c) make the requests
 * and read the attributes. Called on the loop thread; parsing is pure.
 */
#ifndef RS_NETLINK_H
#define RS_NETLINK_H

#include <stdbool.h>

#include "rs.h"

struct nlmsghdr;
struct rs_netlink;

/* Bytes of a datagram. */
struct rs_nl_span {
	const char *p, *end;
};

/* The messages of a dump that are wanted. */
struct rs_nl_want {
	uint32_t seq;
	uint16_t type;
};

/* Gets a message without its header; an error other than 0 ends the dump. */
typedef int (*rs_nl_message_fn)(void *arg, struct rs_nl_span payload);

/* protocol: NETLINK_GENERIC, ... Negative errno. */
int rs_netlink_open(int protocol, struct rs_netlink **ret);
void rs_netlink_close(struct rs_netlink *n); /* NULL-safe */
/* A whole dump. The request is a header with its type and length and the rest
 * of the message behind it; flags and number are set here. fn gets the answers
 * of the type `answer`. Negative errno: nothing of this dump counts; -EAGAIN:
 * ask again. */
int rs_netlink_dump(struct rs_netlink *n, struct nlmsghdr *request, uint16_t answer,
    rs_nl_message_fn fn, void *arg);

/* The same for a request that has one answer: fn is called once. */
int rs_netlink_ask(struct rs_netlink *n, struct nlmsghdr *request, uint16_t answer,
    rs_nl_message_fn fn, void *arg);

/* A dump in parts, for answers too long for one tick: begin, then step until
 * *ret_done. A step takes at most so many datagrams of those that are there and
 * waits for none. An error ends the dump. */
int rs_netlink_begin(struct rs_netlink *n, struct nlmsghdr *request);
int rs_netlink_step(struct rs_netlink *n, uint16_t answer, unsigned datagrams, rs_nl_message_fn fn,
    void *arg, bool *ret_done);
/* Leaves the rest of it unread. */
void rs_netlink_give_up(struct rs_netlink *n);

/* The pure part of a dump: one datagram. *ret_done is set at the end of the
 * dump. -EINVAL on a malformed message, -EAGAIN when the kernel says that the
 * dump was interrupted (NLM_F_DUMP_INTR), else the kernel's or fn's error. */
int rs_nl_parse(const void *bytes, size_t len, struct rs_nl_want want, rs_nl_message_fn fn,
    void *arg, bool *ret_done);
/* Takes a structure off the front; false when there is not so much. */
bool rs_nl_take(struct rs_nl_span *s, void *ret, size_t size);
/* Takes the next attribute. False at the end, *ret_bad then true when what is
 * left is no attribute. */
bool rs_nl_attr(
    struct rs_nl_span *s, uint16_t *ret_type, struct rs_nl_span *ret_value, bool *ret_bad);
/* An unsigned number of 1, 2, 4 or 8 bytes; false: no such length. */
bool rs_nl_uint(struct rs_nl_span value, uint64_t *ret);

#endif

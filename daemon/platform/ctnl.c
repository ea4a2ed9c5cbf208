/* SPDX-License-Identifier: ISC */
/*
 * The request for all connections and the attributes of the answers. Numbers in
 * them are in network byte order. Loop thread; the parser is pure.
 */
#include "ctnl.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

enum {
	GET_ALL = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_GET,
	CONNECTION = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW
};

struct rs_ctnl {
	struct rs_netlink *link;
};

struct sink {
	rs_ctnl_fn fn;
	void *arg;
};

/* A number of 1, 2, 4 or 8 bytes in network byte order. */
static bool
take_number(struct rs_nl_span value, uint64_t *ret)
{
	const size_t n = (size_t)(value.end - value.p);
	uint64_t x = 0;

	if (n != 1 && n != 2 && n != 4 && n != 8)
		return false;
	for (size_t i = 0; i < n; i++)
		x = x << 8 | (uint8_t)value.p[i];
	*ret = x;
	return true;
}

/* What is being read of a connection. */
struct reading {
	struct rs_connection c;
	bool has_address[2][2]; /* of each direction: source, destination */
	bool has_count[2];
};

/* CTA_TUPLE_IP. An address of another length than its kind's is none. */
static bool
read_addresses(struct rs_nl_span s, struct reading *r, unsigned d)
{
	struct rs_flow_ends *const e = &r->c.ends[d];
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;

	while (rs_nl_attr(&s, &type, &value, &is_bad)) {
		const bool is_ipv6 = type == CTA_IP_V6_SRC || type == CTA_IP_V6_DST;
		const bool is_source = type == CTA_IP_V4_SRC || type == CTA_IP_V6_SRC;
		if (!is_ipv6 && !is_source && type != CTA_IP_V4_DST)
			continue;
		if (!rs_nl_take(&value, is_source ? e->source : e->destination, is_ipv6 ? 16 : 4))
			return false;
		e->is_ipv6 = is_ipv6;
		r->has_address[d][is_source ? 0 : 1] = true;
	}
	return !is_bad;
}

/* CTA_TUPLE_PROTO. */
static bool
read_ports(struct rs_nl_span s, struct reading *r, unsigned d)
{
	struct rs_flow_ends *const e = &r->c.ends[d];
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;

	while (rs_nl_attr(&s, &type, &value, &is_bad)) {
		uint64_t n;
		if (type != CTA_PROTO_NUM && type != CTA_PROTO_SRC_PORT &&
		    type != CTA_PROTO_DST_PORT)
			continue;
		if (!take_number(value, &n) || n > UINT16_MAX)
			return false;
		if (type == CTA_PROTO_NUM)
			r->c.protocol = (uint8_t)n;
		else if (type == CTA_PROTO_SRC_PORT)
			e->source_port = (uint16_t)n;
		else
			e->destination_port = (uint16_t)n;
	}
	return !is_bad;
}

static bool
read_tuple(struct rs_nl_span s, struct reading *r, unsigned d)
{
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;

	while (rs_nl_attr(&s, &type, &value, &is_bad)) {
		if ((type == CTA_TUPLE_IP && !read_addresses(value, r, d)) ||
		    (type == CTA_TUPLE_PROTO && !read_ports(value, r, d)))
			return false;
	}
	return !is_bad;
}

static bool
read_counters(struct rs_nl_span s, struct reading *r, unsigned d)
{
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;

	while (rs_nl_attr(&s, &type, &value, &is_bad)) {
		if (type != CTA_COUNTERS_BYTES)
			continue;
		if (!take_number(value, &r->c.bytes[d]))
			return false;
		r->has_count[d] = true;
	}
	return !is_bad;
}

static bool
read_attribute(uint16_t type, struct rs_nl_span value, struct reading *r)
{
	uint64_t n;

	switch (type) {
	case CTA_TUPLE_ORIG:
	case CTA_TUPLE_REPLY:
		return read_tuple(value, r, type == CTA_TUPLE_REPLY);
	case CTA_COUNTERS_ORIG:
	case CTA_COUNTERS_REPLY:
		return read_counters(value, r, type == CTA_COUNTERS_REPLY);
	case CTA_ID:
		if (!take_number(value, &n) || n > UINT32_MAX)
			return false;
		r->c.id = (uint32_t)n;
		return true;
	case CTA_ZONE:
		if (!take_number(value, &n) || n > UINT16_MAX)
			return false;
		r->c.zone = (uint16_t)n;
		return true;
	default: /* of the kernel's, not ours */
		return true;
	}
}

static int
connection_message(void *arg, struct rs_nl_span payload)
{
	const struct sink *const sink = arg;
	struct reading r = {.c.protocol = 0};
	struct nfgenmsg head;
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;

	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		if (!read_attribute(type, value, &r))
			return -EINVAL;
	}
	if (is_bad)
		return -EINVAL;
	r.c.has_bytes = r.has_count[0] && r.has_count[1];
	const bool has_ends = r.has_address[0][0] && r.has_address[0][1] && r.has_address[1][0] &&
			      r.has_address[1][1];
	if (has_ends && r.c.ends[0].is_ipv6 == r.c.ends[1].is_ipv6)
		sink->fn(sink->arg, &r.c);
	return 0;
}

int
rs_ctnl_parse(const void *bytes, size_t len, uint32_t seq, rs_ctnl_fn fn, void *arg, bool *ret_done)
{
	struct sink sink = {fn, arg};

	return rs_nl_parse(
	    bytes, len, (struct rs_nl_want){seq, CONNECTION}, connection_message, &sink, ret_done);
}

int
rs_ctnl_open(struct rs_ctnl **ret)
{
	struct rs_ctnl *const c = calloc(1, sizeof(*c));

	if (!c)
		return -ENOMEM;
	const int error = rs_netlink_open(NETLINK_NETFILTER, &c->link);
	if (error) {
		free(c);
		return error;
	}
	*ret = c;
	return 0;
}

void
rs_ctnl_close(struct rs_ctnl *c)
{
	if (!c)
		return;
	rs_netlink_close(c->link);
	free(c);
}

int
rs_ctnl_begin(struct rs_ctnl *c)
{
	struct {
		struct nlmsghdr head;
		struct nfgenmsg body;
	} q = {
	    .head = {.nlmsg_type = GET_ALL, .nlmsg_len = sizeof(q)},
	    .body = {.nfgen_family = AF_UNSPEC, .version = NFNETLINK_V0},
	};

	return rs_netlink_begin(c->link, &q.head);
}

int
rs_ctnl_step(struct rs_ctnl *c, unsigned datagrams, rs_ctnl_fn fn, void *arg, bool *ret_done)
{
	struct sink sink = {fn, arg};

	return rs_netlink_step(c->link, CONNECTION, datagrams, connection_message, &sink, ret_done);
}

void
rs_ctnl_give_up(struct rs_ctnl *c)
{
	rs_netlink_give_up(c->link);
}

/* SPDX-License-Identifier: ISC */
/*
 * The requests of rtnetlink that are asked, and the attributes of their answers.
 * Loop thread; the parsers are pure.
 */
#include "rtnl.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "netlink.h"

struct rs_rtnl {
	struct rs_netlink *link;
};

static size_t
left(struct rs_nl_span s)
{
	return (size_t)(s.end - s.p);
}

/* A string of the kernel's, cut to 15 characters. */
static void
copy_kind(struct rs_nl_span value, char kind[static 16])
{
	const size_t n = strnlen(value.p, RS_MIN(left(value), (size_t)15));
	memcpy(kind, value.p, n);
	kind[n] = '\0';
}

struct stats_sink {
	void (*fn)(void *arg, const struct rs_link_stats *s);
	void *arg;
};

static int
stats_message(void *arg, struct rs_nl_span payload)
{
	const struct stats_sink *const sink = arg;
	struct if_stats_msg head;
	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	struct rs_link_stats stats = {.ifindex = head.ifindex};
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		if (type != IFLA_STATS_LINK_64)
			continue;
		const size_t n = RS_MIN(left(value) / sizeof(uint64_t), (size_t)RS_LINK_STATS);
		stats.n = (unsigned)n;
		memcpy(stats.field, value.p, n * sizeof(uint64_t));
	}
	if (is_bad || head.ifindex == 0)
		return -EINVAL;
	if (stats.n)
		sink->fn(sink->arg, &stats);
	return 0;
}

int
rs_rtnl_parse_stats(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, const struct rs_link_stats *s), void *arg, bool *ret_done)
{
	struct stats_sink sink = {fn, arg};
	return rs_nl_parse(
	    bytes, len, (struct rs_nl_want){seq, RTM_NEWSTATS}, stats_message, &sink, ret_done);
}

struct kind_sink {
	void (*fn)(void *arg, uint32_t ifindex, const char *kind);
	void *arg;
};

/* IFLA_INFO_KIND inside IFLA_LINKINFO as a C string; "" when there is none. */
static bool
find_kind(struct rs_nl_span info, char kind[static 16])
{
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	while (rs_nl_attr(&info, &type, &value, &is_bad)) {
		if (type == IFLA_INFO_KIND)
			copy_kind(value, kind);
	}
	return !is_bad;
}

static int
kind_message(void *arg, struct rs_nl_span payload)
{
	const struct kind_sink *const sink = arg;
	struct ifinfomsg head;
	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	char kind[16] = "";
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		if (type == IFLA_LINKINFO && !find_kind(value, kind))
			return -EINVAL;
	}
	if (is_bad || head.ifi_index <= 0)
		return -EINVAL;
	if (*kind)
		sink->fn(sink->arg, (uint32_t)head.ifi_index, kind);
	return 0;
}

int
rs_rtnl_parse_kinds(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, uint32_t ifindex, const char *kind), void *arg, bool *ret_done)
{
	struct kind_sink sink = {fn, arg};
	return rs_nl_parse(
	    bytes, len, (struct rs_nl_want){seq, RTM_NEWLINK}, kind_message, &sink, ret_done);
}

struct qdisc_sink {
	void (*fn)(void *arg, const struct rs_qdisc *q);
	void *arg;
};

/* struct gnet_stats_queue inside TCA_STATS2. */
static bool
find_queue_stats(struct rs_nl_span stats, struct rs_qdisc *q)
{
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	while (rs_nl_attr(&stats, &type, &value, &is_bad)) {
		struct gnet_stats_queue counts;
		if (type != TCA_STATS_QUEUE || !rs_nl_take(&value, &counts, sizeof(counts)))
			continue;
		q->has_stats = true;
		q->drops = counts.drops;
		q->requeues = counts.requeues;
	}
	return !is_bad;
}

static int
qdisc_message(void *arg, struct rs_nl_span payload)
{
	const struct qdisc_sink *const sink = arg;
	struct tcmsg head;
	if (!rs_nl_take(&payload, &head, sizeof(head)) || head.tcm_ifindex <= 0)
		return -EINVAL;
	struct rs_qdisc q = {
	    .ifindex = (uint32_t)head.tcm_ifindex,
	    .is_root = head.tcm_parent == TC_H_ROOT,
	    .is_ingress = head.tcm_parent == TC_H_INGRESS,
	};
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		if (type == TCA_KIND)
			copy_kind(value, q.kind);
		else if (type == TCA_STATS2 && !find_queue_stats(value, &q))
			return -EINVAL;
	}
	if (is_bad)
		return -EINVAL;
	if (*q.kind)
		sink->fn(sink->arg, &q);
	return 0;
}

int
rs_rtnl_parse_qdiscs(const void *bytes, size_t len, uint32_t seq,
    void (*fn)(void *arg, const struct rs_qdisc *q), void *arg, bool *ret_done)
{
	struct qdisc_sink sink = {fn, arg};
	return rs_nl_parse(
	    bytes, len, (struct rs_nl_want){seq, RTM_NEWQDISC}, qdisc_message, &sink, ret_done);
}

int
rs_rtnl_open(struct rs_rtnl **ret)
{
	struct rs_rtnl *const r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	const int error = rs_netlink_open(NETLINK_ROUTE, &r->link);
	if (error) {
		free(r);
		return error;
	}
	*ret = r;
	return 0;
}

void
rs_rtnl_close(struct rs_rtnl *r)
{
	if (!r)
		return;
	rs_netlink_close(r->link);
	free(r);
}

int
rs_rtnl_stats(struct rs_rtnl *r, void (*fn)(void *arg, const struct rs_link_stats *s), void *arg)
{
	struct {
		struct nlmsghdr head;
		struct if_stats_msg body;
	} q = {
	    .head = {.nlmsg_type = RTM_GETSTATS, .nlmsg_len = sizeof(q)},
	    .body.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};
	struct stats_sink sink = {fn, arg};
	return rs_netlink_dump(r->link, &q.head, RTM_NEWSTATS, stats_message, &sink);
}

int
rs_rtnl_kinds(
    struct rs_rtnl *r, void (*fn)(void *arg, uint32_t ifindex, const char *kind), void *arg)
{
	struct {
		struct nlmsghdr head;
		struct ifinfomsg body;
	} q = {
	    .head = {.nlmsg_type = RTM_GETLINK, .nlmsg_len = sizeof(q)},
	};
	struct kind_sink sink = {fn, arg};
	return rs_netlink_dump(r->link, &q.head, RTM_NEWLINK, kind_message, &sink);
}

int
rs_rtnl_qdiscs(struct rs_rtnl *r, void (*fn)(void *arg, const struct rs_qdisc *q), void *arg)
{
	struct {
		struct nlmsghdr head;
		struct tcmsg body;
	} q = {
	    .head = {.nlmsg_type = RTM_GETQDISC, .nlmsg_len = sizeof(q)},
	};
	struct qdisc_sink sink = {fn, arg};
	return rs_netlink_dump(r->link, &q.head, RTM_NEWQDISC, qdisc_message, &sink);
}

static int
route_message(void *arg, struct rs_nl_span payload)
{
	uint32_t *const ifindex = arg;
	struct rtmsg head;
	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	uint64_t number;
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		if (type == RTA_OIF && rs_nl_uint(value, &number) && number <= INT32_MAX)
			*ifindex = (uint32_t)number;
	}
	return is_bad ? -EINVAL : 0;
}

int
rs_rtnl_route(
    struct rs_rtnl *r, bool is_ipv6, const uint8_t address[static 16], uint32_t *ret_ifindex)
{
	struct {
		struct nlmsghdr head;
		struct rtmsg body;
		struct rtattr to;
		uint8_t address[16];
	} q = {.head = {.nlmsg_type = RTM_GETROUTE}};
	const size_t bytes = is_ipv6 ? 16 : 4;
	uint32_t ifindex = 0;
	q.body.rtm_family = is_ipv6 ? AF_INET6 : AF_INET;
	q.body.rtm_dst_len = (unsigned char)(8 * bytes);
	q.to = (struct rtattr){.rta_len = (unsigned short)RTA_LENGTH(bytes), .rta_type = RTA_DST};
	memcpy(q.address, address, bytes);
	q.head.nlmsg_len = (uint32_t)(sizeof(q) - 16 + bytes);
	const int error = rs_netlink_ask(r->link, &q.head, RTM_NEWROUTE, route_message, &ifindex);
	if (error)
		return error;
	*ret_ifindex = ifindex;
	return ifindex ? 0 : -ENETUNREACH;
}

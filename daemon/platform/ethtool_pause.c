/* SPDX-License-Identifier: ISC */
/*
 * Numbers of the family are those of linux/ethtool_netlink.h, which never change.
 */
#include "ethtool_pause.h"

#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#include "genl.h"

struct rs_ethtool_pause {
	struct rs_netlink *link;
	uint16_t family;
};

/* The statistics in the message; false: it has none, or is malformed. */
static bool
find_stats(struct rs_nl_span s, struct rs_nl_span *ret, bool *ret_bad)
{
	struct rs_nl_span value;
	uint16_t type;
	bool has_stats = false;
	while (rs_nl_attr(&s, &type, &value, ret_bad)) {
		if (type != ETHTOOL_A_PAUSE_STATS)
			continue;
		*ret = value;
		has_stats = true;
	}
	return has_stats && !*ret_bad;
}

int
rs_ethtool_parse_pause(struct rs_nl_span payload, struct rs_pause_frames *ret)
{
	struct genlmsghdr head;
	struct rs_nl_span stats, value;
	struct rs_pause_frames frames = {.has_rx = false};
	uint16_t type;
	bool is_bad;
	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	if (head.cmd != ETHTOOL_MSG_PAUSE_GET_REPLY)
		return 0;
	if (!find_stats(payload, &stats, &is_bad))
		return is_bad ? -EINVAL : 0;
	while (rs_nl_attr(&stats, &type, &value, &is_bad)) {
		const bool is_rx = type == ETHTOOL_A_PAUSE_STAT_RX_FRAMES;
		if (!is_rx && type != ETHTOOL_A_PAUSE_STAT_TX_FRAMES)
			continue;
		if (!rs_nl_uint(value, is_rx ? &frames.rx : &frames.tx))
			return -EINVAL;
		*(is_rx ? &frames.has_rx : &frames.has_tx) = true;
	}
	if (is_bad)
		return -EINVAL;
	*ret = frames;
	return 0;
}

static int
pause_message(void *arg, struct rs_nl_span payload)
{
	return rs_ethtool_parse_pause(payload, arg);
}

int
rs_ethtool_pause_get(struct rs_ethtool_pause *p, uint32_t ifindex, struct rs_pause_frames *ret)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
		struct nlattr nest;
		struct nlattr index_attr;
		uint32_t index;
		struct nlattr flags_attr;
		uint32_t flags;
	} q = {
	    .head = {.nlmsg_type = p->family, .nlmsg_len = sizeof(q)},
	    .genl = {.cmd = ETHTOOL_MSG_PAUSE_GET, .version = ETHTOOL_GENL_VERSION},
	    .nest = {.nla_type = ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED},
	    .index_attr = {.nla_type = ETHTOOL_A_HEADER_DEV_INDEX},
	    .index = ifindex,
	    .flags_attr = {.nla_type = ETHTOOL_A_HEADER_FLAGS},
	    .flags = ETHTOOL_FLAG_STATS,
	};
	struct rs_pause_frames frames = {.has_rx = false};
	q.index_attr.nla_len = sizeof(q.index_attr) + sizeof(q.index);
	q.flags_attr.nla_len = sizeof(q.flags_attr) + sizeof(q.flags);
	q.nest.nla_len = (uint16_t)(sizeof(q.nest) + q.index_attr.nla_len + q.flags_attr.nla_len);
	const int error = rs_netlink_ask(p->link, &q.head, p->family, pause_message, &frames);
	if (error)
		return error;
	if (!frames.has_rx && !frames.has_tx)
		return -EOPNOTSUPP;
	*ret = frames;
	return 0;
}

int
rs_ethtool_pause_open(struct rs_ethtool_pause **ret)
{
	struct rs_ethtool_pause *const p = calloc(1, sizeof(*p));
	if (!p)
		return -ENOMEM;
	int error = rs_netlink_open(NETLINK_GENERIC, &p->link);
	if (!error)
		error = rs_genl_resolve(p->link, ETHTOOL_GENL_NAME, &p->family);
	if (error) {
		rs_ethtool_pause_close(p);
		return error;
	}
	*ret = p;
	return 0;
}

void
rs_ethtool_pause_close(struct rs_ethtool_pause *p)
{
	if (!p)
		return;
	rs_netlink_close(p->link);
	free(p);
}

/* SPDX-License-Identifier: ISC */
/*
 * The netdev family by numbers of its own: the headers of a distribution may be
 * older than the kernel (linux/netdev.h came with 6.3, qstats with 6.9). They
 * are those of Documentation/netlink/specs/netdev.yaml, which never change.
 */
#include "genl.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdlib.h>
#include <string.h>

#define FAMILY "netdev"

enum { CMD_QUEUE_GET = 10, CMD_NAPI_GET = 11, CMD_QSTATS_GET = 12, VERSION = 1 };

enum { QUEUE_ID = 1, QUEUE_IFINDEX, QUEUE_TYPE, QUEUE_NAPI_ID };
enum { NAPI_IFINDEX = 1, NAPI_ID, NAPI_IRQ, NAPI_PID };
enum {
	QSTATS_IFINDEX = 1,
	QSTATS_QUEUE_TYPE,
	QSTATS_QUEUE_ID,
	QSTATS_SCOPE,
	QSTATS_RX_PACKETS = 8,
	QSTATS_RX_BYTES,
	QSTATS_TX_PACKETS,
	QSTATS_TX_BYTES,
	QSTATS_RX_ALLOC_FAIL,
	QSTATS_RX_HW_DROPS,
	QSTATS_RX_HW_DROP_OVERRUNS,
	QSTATS_TX_HW_DROPS = 24,
	QSTATS_TX_STOP = 33
};
enum { TYPE_RX = 0, TYPE_TX = 1, SCOPE_QUEUE = 1 };

#define BIT(type) (UINT64_C(1) << (type))

struct rs_genl {
	struct rs_netlink *link;
	uint16_t family;
};

/* Attributes of a message that are numbers, by their type. */
enum { TYPES = 40 };
struct numbers {
	uint64_t has; /* BIT of those that are there */
	uint64_t value[TYPES];
};

static bool
has_all(const struct numbers *n, uint64_t bits)
{
	return (n->has & bits) == bits;
}

/* Reads the answer to cmd: the attributes whose BIT is in `wanted`. Returns 1, 0
 * when it is another message, -EINVAL when it is malformed. */
static int
read_numbers(struct rs_nl_span s, uint8_t cmd, uint64_t wanted, struct numbers *ret)
{
	struct genlmsghdr head;
	if (!rs_nl_take(&s, &head, sizeof(head)))
		return -EINVAL;
	if (head.cmd != cmd)
		return 0;
	uint16_t type;
	struct rs_nl_span value;
	bool is_bad;
	ret->has = 0;
	while (rs_nl_attr(&s, &type, &value, &is_bad)) {
		if (type >= TYPES || !(wanted & BIT(type)))
			continue;
		if (!rs_nl_uint(value, &ret->value[type]))
			return -EINVAL;
		ret->has |= BIT(type);
	}
	return is_bad ? -EINVAL : 1;
}

/* An index the kernel gives (a positive int), a queue that can be counted. */
static bool
is_index(uint64_t v)
{
	return v > 0 && v <= INT32_MAX;
}

struct qstats_sink {
	rs_qstats_fn fn;
	void *arg;
};

/* The first of the attributes that is there. */
static bool
first_of(const struct numbers *n, unsigned a, unsigned b, uint64_t *ret)
{
	const unsigned type = n->has & BIT(a) ? a : b;
	if (!(n->has & BIT(type)))
		return false;
	*ret = n->value[type];
	return true;
}

static int
qstats_message(void *arg, struct rs_nl_span payload)
{
	static const uint64_t of_a_queue =
	    BIT(QSTATS_IFINDEX) | BIT(QSTATS_QUEUE_TYPE) | BIT(QSTATS_QUEUE_ID);
	static const uint64_t wanted =
	    BIT(QSTATS_IFINDEX) | BIT(QSTATS_QUEUE_TYPE) | BIT(QSTATS_QUEUE_ID) |
	    BIT(QSTATS_RX_PACKETS) | BIT(QSTATS_RX_BYTES) | BIT(QSTATS_TX_PACKETS) |
	    BIT(QSTATS_TX_BYTES) | BIT(QSTATS_RX_HW_DROPS) | BIT(QSTATS_RX_HW_DROP_OVERRUNS) |
	    BIT(QSTATS_TX_HW_DROPS) | BIT(QSTATS_TX_STOP);
	const struct qstats_sink *const sink = arg;
	struct numbers n;
	const int read = read_numbers(payload, CMD_QSTATS_GET, wanted, &n);
	if (read <= 0)
		return read;
	if (!(n.has & BIT(QSTATS_IFINDEX)) || !is_index(n.value[QSTATS_IFINDEX]))
		return -EINVAL;
	/* Of a whole device, or of a kind of queue or a queue there are no words for. */
	if (!has_all(&n, of_a_queue) || n.value[QSTATS_QUEUE_TYPE] > TYPE_TX ||
	    n.value[QSTATS_QUEUE_ID] > UINT16_MAX)
		return 0;
	struct rs_qstats q = {
	    .ifindex = (uint32_t)n.value[QSTATS_IFINDEX],
	    .queue = (uint16_t)n.value[QSTATS_QUEUE_ID],
	    .is_tx = n.value[QSTATS_QUEUE_TYPE] == TYPE_TX,
	};
	const unsigned packets = q.is_tx ? QSTATS_TX_PACKETS : QSTATS_RX_PACKETS;
	const unsigned bytes = q.is_tx ? QSTATS_TX_BYTES : QSTATS_RX_BYTES;
	/* All drops have the overruns among them. */
	const unsigned drops = q.is_tx ? QSTATS_TX_HW_DROPS : QSTATS_RX_HW_DROPS;
	const unsigned overruns = q.is_tx ? QSTATS_TX_HW_DROPS : QSTATS_RX_HW_DROP_OVERRUNS;
	q.has_packets = first_of(&n, packets, packets, &q.packets);
	q.has_bytes = first_of(&n, bytes, bytes, &q.bytes);
	q.has_drops = first_of(&n, drops, overruns, &q.drops);
	q.has_stops = q.is_tx && first_of(&n, QSTATS_TX_STOP, QSTATS_TX_STOP, &q.stops);
	sink->fn(sink->arg, &q);
	return 0;
}

int
rs_genl_parse_qstats(const void *bytes, size_t len, struct rs_nl_want want, rs_qstats_fn fn,
    void *arg, bool *ret_done)
{
	struct qstats_sink sink = {fn, arg};
	return rs_nl_parse(bytes, len, want, qstats_message, &sink, ret_done);
}

struct napi_sink {
	rs_genl_napi_fn fn;
	void *arg;
};

static int
napi_message(void *arg, struct rs_nl_span payload)
{
	const struct napi_sink *const sink = arg;
	struct numbers n;
	const int read = read_numbers(payload, CMD_NAPI_GET,
	    BIT(NAPI_IFINDEX) | BIT(NAPI_ID) | BIT(NAPI_IRQ) | BIT(NAPI_PID), &n);
	if (read <= 0)
		return read;
	if (!has_all(&n, BIT(NAPI_IFINDEX) | BIT(NAPI_ID)) || !is_index(n.value[NAPI_IFINDEX]) ||
	    n.value[NAPI_ID] == 0 || n.value[NAPI_ID] > UINT32_MAX)
		return -EINVAL;
	struct rs_genl_napi napi = {
	    .ifindex = (uint32_t)n.value[NAPI_IFINDEX],
	    .id = (uint32_t)n.value[NAPI_ID],
	    .irq = -1,
	    .pid = -1,
	};
	if (n.has & BIT(NAPI_IRQ) && n.value[NAPI_IRQ] <= INT32_MAX)
		napi.irq = (int32_t)n.value[NAPI_IRQ];
	/* 0: the thread is not of this process namespace. */
	if (n.has & BIT(NAPI_PID) && is_index(n.value[NAPI_PID]))
		napi.pid = (int32_t)n.value[NAPI_PID];
	sink->fn(sink->arg, &napi);
	return 0;
}

int
rs_genl_parse_napis(const void *bytes, size_t len, struct rs_nl_want want, rs_genl_napi_fn fn,
    void *arg, bool *ret_done)
{
	struct napi_sink sink = {fn, arg};
	return rs_nl_parse(bytes, len, want, napi_message, &sink, ret_done);
}

struct queue_sink {
	rs_genl_queue_fn fn;
	void *arg;
};

static int
queue_message(void *arg, struct rs_nl_span payload)
{
	static const uint64_t of_a_queue = BIT(QUEUE_IFINDEX) | BIT(QUEUE_TYPE) | BIT(QUEUE_ID);
	const struct queue_sink *const sink = arg;
	struct numbers n;
	const int read = read_numbers(payload, CMD_QUEUE_GET, of_a_queue | BIT(QUEUE_NAPI_ID), &n);
	if (read <= 0)
		return read;
	if (!has_all(&n, of_a_queue) || !is_index(n.value[QUEUE_IFINDEX]))
		return -EINVAL;
	if (n.value[QUEUE_TYPE] > TYPE_TX || n.value[QUEUE_ID] > UINT16_MAX)
		return 0;
	struct rs_genl_queue q = {
	    .ifindex = (uint32_t)n.value[QUEUE_IFINDEX],
	    .queue = (uint16_t)n.value[QUEUE_ID],
	    .is_tx = n.value[QUEUE_TYPE] == TYPE_TX,
	};
	if (n.has & BIT(QUEUE_NAPI_ID) && n.value[QUEUE_NAPI_ID] <= UINT32_MAX)
		q.napi_id = (uint32_t)n.value[QUEUE_NAPI_ID];
	sink->fn(sink->arg, &q);
	return 0;
}

int
rs_genl_parse_queues(const void *bytes, size_t len, struct rs_nl_want want, rs_genl_queue_fn fn,
    void *arg, bool *ret_done)
{
	struct queue_sink sink = {fn, arg};
	return rs_nl_parse(bytes, len, want, queue_message, &sink, ret_done);
}

struct family_sink {
	const char *name;
	uint16_t id; /* 0: not found */
};

static int
family_message(void *arg, struct rs_nl_span payload)
{
	struct family_sink *const sink = arg;
	struct genlmsghdr head;
	if (!rs_nl_take(&payload, &head, sizeof(head)))
		return -EINVAL;
	uint16_t type;
	uint64_t id = 0;
	struct rs_nl_span value;
	bool is_bad, is_it = false;
	const size_t size = strlen(sink->name) + 1;
	while (rs_nl_attr(&payload, &type, &value, &is_bad)) {
		const size_t len = (size_t)(value.end - value.p);
		if (type == CTRL_ATTR_FAMILY_NAME)
			is_it = len == size && memcmp(value.p, sink->name, size) == 0;
		else if (type == CTRL_ATTR_FAMILY_ID && !rs_nl_uint(value, &id))
			return -EINVAL;
	}
	if (is_bad || (is_it && (id < NLMSG_MIN_TYPE || id > UINT16_MAX)))
		return -EINVAL;
	if (is_it)
		sink->id = (uint16_t)id;
	return 0;
}

int
rs_genl_parse_family(const void *bytes, size_t len, struct rs_nl_want want, const char *name,
    uint16_t *ret_id, bool *ret_done)
{
	struct family_sink sink = {.name = name};
	const int error = rs_nl_parse(bytes, len, want, family_message, &sink, ret_done);
	if (sink.id)
		*ret_id = sink.id;
	return error;
}

/* A request with at most one number. */
struct request {
	struct nlmsghdr head;
	struct genlmsghdr genl;
	struct nlattr attr;
	uint32_t value;
};

static int
dump(struct rs_genl *g, uint8_t cmd, rs_nl_message_fn fn, void *arg)
{
	struct request q = {
	    .head = {.nlmsg_type = g->family, .nlmsg_len = offsetof(struct request, attr)},
	    .genl = {.cmd = cmd, .version = VERSION},
	    .attr = {.nla_type = QSTATS_SCOPE, .nla_len = sizeof(q.attr) + sizeof(q.value)},
	    .value = SCOPE_QUEUE,
	};
	if (cmd == CMD_QSTATS_GET)
		q.head.nlmsg_len = sizeof(q);
	return rs_netlink_dump(g->link, &q.head, g->family, fn, arg);
}

int
rs_genl_resolve(struct rs_netlink *link, const char *name, uint16_t *ret_id)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
	} q = {
	    .head = {.nlmsg_type = GENL_ID_CTRL, .nlmsg_len = sizeof(q)},
	    .genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	};
	struct family_sink sink = {.name = name};
	const int error = rs_netlink_dump(link, &q.head, GENL_ID_CTRL, family_message, &sink);
	if (error)
		return error;
	*ret_id = sink.id;
	return sink.id ? 0 : -ENOENT;
}

int
rs_genl_open(struct rs_genl **ret)
{
	struct rs_genl *const g = calloc(1, sizeof(*g));
	if (!g)
		return -ENOMEM;
	int error = rs_netlink_open(NETLINK_GENERIC, &g->link);
	if (!error)
		error = rs_genl_resolve(g->link, FAMILY, &g->family);
	if (error) {
		rs_genl_close(g);
		return error;
	}
	*ret = g;
	return 0;
}

void
rs_genl_close(struct rs_genl *g)
{
	if (!g)
		return;
	rs_netlink_close(g->link);
	free(g);
}

int
rs_genl_qstats(struct rs_genl *g, rs_qstats_fn fn, void *arg)
{
	struct qstats_sink sink = {fn, arg};
	return dump(g, CMD_QSTATS_GET, qstats_message, &sink);
}

int
rs_genl_napis(struct rs_genl *g, rs_genl_napi_fn fn, void *arg)
{
	struct napi_sink sink = {fn, arg};
	return dump(g, CMD_NAPI_GET, napi_message, &sink);
}

int
rs_genl_queues(struct rs_genl *g, rs_genl_queue_fn fn, void *arg)
{
	struct queue_sink sink = {fn, arg};
	return dump(g, CMD_QUEUE_GET, queue_message, &sink);
}

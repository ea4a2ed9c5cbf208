/* SPDX-License-Identifier: ISC */
/*
 * Interface counters by rtnetlink, written by hand: two requests are not worth
 * a library. Loop thread. A dump is answered while the request is sent
 * (net/netlink/af_netlink.c, netlink_dump_start), so there is nothing to wait
 * for but another holder of the kernel's rtnl lock.
 */
#define _GNU_SOURCE /* MSG_TRUNC semantics, SOCK_CLOEXEC */
#include "rtnl.h"

#include <errno.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
	FIRST_BYTES = 65536, /* the kernel's dump datagrams have at most 32 kB */
	MAX_BYTES = 1 << 20,
	WAIT_MS = 100,
	DATAGRAMS_MAX = 4096 /* of one dump */
};

struct rs_rtnl {
	int fd; /* -1: opened again at the next dump */
	uint32_t seq;
	char *buf;
	size_t cap;
};

/* One message of a datagram; payload and attributes as byte ranges. */
struct span {
	const char *p, *end;
};

static size_t
left(struct span s)
{
	return (size_t)(s.end - s.p);
}

/* Takes the next attribute; false at the end, *ret_bad set when what is left
 * is no attribute. */
static bool
next_attr(struct span *s, struct rtattr *ret_head, struct span *ret_value, bool *ret_bad)
{
	struct rtattr head;
	if (left(*s) == 0)
		return false;
	*ret_bad = true;
	if (left(*s) < sizeof(head))
		return false;
	memcpy(&head, s->p, sizeof(head));
	if (head.rta_len < sizeof(head) || head.rta_len > left(*s))
		return false;
	*ret_bad = false;
	*ret_value = (struct span){s->p + sizeof(head), s->p + head.rta_len};
	s->p += RS_MIN((size_t)RTA_ALIGN(head.rta_len), left(*s));
	head.rta_type = (unsigned short)(head.rta_type & NLA_TYPE_MASK);
	*ret_head = head;
	return true;
}

/* The error code at the front of NLMSG_ERROR and NLMSG_DONE, or `otherwise`
 * when it is none. */
static int
error_code(struct span payload, int otherwise)
{
	int32_t code = 0;
	if (left(payload) < sizeof(code))
		return otherwise;
	memcpy(&code, payload.p, sizeof(code));
	return code < 0 && code > -4096 ? code : otherwise;
}

typedef int (*message_fn)(void *arg, struct span payload);

/* Walks one datagram of the dump `seq`; fn gets the messages of `type`. */
static int
parse_datagram(struct span s, uint32_t seq, uint16_t type, message_fn fn, void *arg, bool *ret_done)
{
	while (left(s) > 0) {
		struct nlmsghdr head;
		if (left(s) < sizeof(head))
			return -EINVAL;
		memcpy(&head, s.p, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > left(s))
			return -EINVAL;
		const struct span payload = {s.p + sizeof(head), s.p + head.nlmsg_len};
		s.p += RS_MIN((size_t)NLMSG_ALIGN(head.nlmsg_len), left(s));
		if (head.nlmsg_seq != seq)
			continue; /* left over from a dump that was given up */
		if (head.nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (head.nlmsg_type == NLMSG_DONE) {
			*ret_done = true;
			return error_code(payload, 0);
		}
		if (head.nlmsg_type == NLMSG_ERROR)
			return error_code(payload, -EINVAL);
		const int error = head.nlmsg_type == type ? fn(arg, payload) : 0;
		if (error)
			return error;
	}
	return 0;
}

struct stats_sink {
	void (*fn)(void *arg, const struct rs_link_stats *s);
	void *arg;
};

static int
stats_message(void *arg, struct span payload)
{
	const struct stats_sink *const sink = arg;
	struct if_stats_msg head;
	if (left(payload) < sizeof(head))
		return -EINVAL;
	memcpy(&head, payload.p, sizeof(head));
	payload.p += sizeof(head);
	struct rtattr attr;
	struct span value;
	bool is_bad = false;
	struct rs_link_stats stats = {.ifindex = head.ifindex};
	while (next_attr(&payload, &attr, &value, &is_bad)) {
		if (attr.rta_type != IFLA_STATS_LINK_64)
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
	const char *const p = bytes;
	struct stats_sink sink = {fn, arg};
	return parse_datagram(
	    (struct span){p, p + len}, seq, RTM_NEWSTATS, stats_message, &sink, ret_done);
}

struct kind_sink {
	void (*fn)(void *arg, uint32_t ifindex, const char *kind);
	void *arg;
};

/* IFLA_INFO_KIND inside IFLA_LINKINFO as a C string; "" when there is none. */
static bool
find_kind(struct span info, char kind[static 16])
{
	struct rtattr attr;
	struct span value;
	bool is_bad = false;
	while (next_attr(&info, &attr, &value, &is_bad)) {
		if (attr.rta_type != IFLA_INFO_KIND)
			continue;
		const size_t n = RS_MIN(left(value), (size_t)15);
		memcpy(kind, value.p, n);
		kind[n] = '\0';
	}
	return !is_bad;
}

static int
kind_message(void *arg, struct span payload)
{
	const struct kind_sink *const sink = arg;
	struct ifinfomsg head;
	if (left(payload) < sizeof(head))
		return -EINVAL;
	memcpy(&head, payload.p, sizeof(head));
	payload.p += sizeof(head);
	struct rtattr attr;
	struct span value;
	bool is_bad = false;
	char kind[16] = "";
	while (next_attr(&payload, &attr, &value, &is_bad)) {
		if (attr.rta_type == IFLA_LINKINFO && !find_kind(value, kind))
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
	const char *const p = bytes;
	struct kind_sink sink = {fn, arg};
	return parse_datagram(
	    (struct span){p, p + len}, seq, RTM_NEWLINK, kind_message, &sink, ret_done);
}

static int
open_socket(void)
{
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (fd < 0)
		return -errno;
	const struct sockaddr_nl self = {.nl_family = AF_NETLINK};
	if (bind(fd, (const struct sockaddr *)&self, sizeof(self)) == 0)
		return fd;
	const int error = -errno;
	(void)close(fd);
	return error;
}

static void
drop_socket(struct rs_rtnl *r)
{
	if (r->fd >= 0)
		(void)close(r->fd);
	r->fd = -1;
}

int
rs_rtnl_open(struct rs_rtnl **ret)
{
	struct rs_rtnl *const r = calloc(1, sizeof(*r));
	if (!r)
		return -ENOMEM;
	r->cap = FIRST_BYTES;
	r->buf = malloc(r->cap);
	r->fd = r->buf ? open_socket() : -ENOMEM;
	if (r->fd < 0) {
		const int error = r->fd;
		free(r->buf);
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
	drop_socket(r);
	free(r->buf);
	free(r);
}

/* What is asked for and how the messages of the answer are called. */
struct request {
	struct nlmsghdr head;
	union {
		struct if_stats_msg stats;
		struct ifinfomsg link;
	} body;
};

static int
send_request(struct rs_rtnl *r, struct request q)
{
	q.head.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	q.head.nlmsg_seq = ++r->seq;
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const ssize_t n = sendto(
	    r->fd, &q, q.head.nlmsg_len, 0, (const struct sockaddr *)&kernel, sizeof(kernel));
	return n < 0 ? -errno : 0;
}

/* The buffer was too small: the datagram is lost and with it this dump. */
static int
grow_buffer(struct rs_rtnl *r, size_t need)
{
	if (need > MAX_BYTES)
		return -EMSGSIZE;
	char *const p = realloc(r->buf, need);
	if (!p)
		return -ENOMEM;
	r->buf = p;
	r->cap = need;
	return -EAGAIN;
}

/* One datagram of the kernel's into the buffer: its length or an error. */
static ssize_t
receive(struct rs_rtnl *r)
{
	for (unsigned tries = 0; tries < 64; tries++) {
		struct sockaddr_nl from = {.nl_family = AF_NETLINK};
		socklen_t size = sizeof(from);
		const ssize_t n =
		    recvfrom(r->fd, r->buf, r->cap, MSG_TRUNC, (struct sockaddr *)&from, &size);
		if (n >= 0 && from.nl_pid != 0)
			continue; /* another process wrote to our socket */
		if (n >= 0)
			return (size_t)n > r->cap ? grow_buffer(r, (size_t)n) : n;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		struct pollfd p = {.fd = r->fd, .events = POLLIN};
		if (poll(&p, 1, WAIT_MS) == 0)
			return -ETIMEDOUT;
	}
	return -EBUSY;
}

/* A whole dump whose messages are of type `answer`. After a failure the socket
 * is not used again: the rest of the answer would still be in it. */
static int
dump(struct rs_rtnl *r, const struct request *q, uint16_t answer, message_fn fn, void *arg)
{
	if (r->fd < 0)
		r->fd = open_socket();
	if (r->fd < 0)
		return r->fd;
	int error = send_request(r, *q);
	bool is_done = false;
	for (unsigned i = 0; !error && !is_done; i++) {
		const ssize_t n = i < DATAGRAMS_MAX ? receive(r) : -EMSGSIZE;
		if (n < 0)
			error = (int)n;
		else
			error = parse_datagram(
			    (struct span){r->buf, r->buf + n}, r->seq, answer, fn, arg, &is_done);
	}
	if (error)
		drop_socket(r);
	return error;
}

int
rs_rtnl_stats(struct rs_rtnl *r, void (*fn)(void *arg, const struct rs_link_stats *s), void *arg)
{
	const struct request q = {
	    .head = {.nlmsg_type = RTM_GETSTATS,
		.nlmsg_len = NLMSG_LENGTH(sizeof(struct if_stats_msg))},
	    .body.stats.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64),
	};
	struct stats_sink sink = {fn, arg};
	return dump(r, &q, RTM_NEWSTATS, stats_message, &sink);
}

int
rs_rtnl_kinds(
    struct rs_rtnl *r, void (*fn)(void *arg, uint32_t ifindex, const char *kind), void *arg)
{
	const struct request q = {
	    .head = {.nlmsg_type = RTM_GETLINK,
		.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg))},
	    .body.link.ifi_family = AF_UNSPEC,
	};
	struct kind_sink sink = {fn, arg};
	return dump(r, &q, RTM_NEWLINK, kind_message, &sink);
}

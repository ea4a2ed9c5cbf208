/* SPDX-License-Identifier: ISC */
/*
 * Netlink by hand: a few dumps are not worth a library. A dump is answered while
 * the request is sent (net/netlink/af_netlink.c, netlink_dump_start), so there
 * is nothing to wait for but another holder of the kernel's locks.
 */
#define _GNU_SOURCE /* MSG_TRUNC semantics, SOCK_CLOEXEC */
#include "netlink.h"

#include <errno.h>
#include <linux/netlink.h>
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

struct rs_netlink {
	int protocol;
	int fd; /* -1: opened again at the next dump */
	uint32_t seq;
	char *buf;
	size_t cap;
};

static size_t
left(struct rs_nl_span s)
{
	return (size_t)(s.end - s.p);
}

bool
rs_nl_take(struct rs_nl_span *s, void *ret, size_t size)
{
	if (left(*s) < size)
		return false;
	memcpy(ret, s->p, size);
	s->p += size;
	return true;
}

bool
rs_nl_attr(struct rs_nl_span *s, uint16_t *ret_type, struct rs_nl_span *ret_value, bool *ret_bad)
{
	struct nlattr head;
	*ret_bad = false;
	if (left(*s) == 0)
		return false;
	*ret_bad = true;
	if (left(*s) < sizeof(head))
		return false;
	memcpy(&head, s->p, sizeof(head));
	if (head.nla_len < sizeof(head) || head.nla_len > left(*s))
		return false;
	*ret_bad = false;
	*ret_type = (uint16_t)(head.nla_type & NLA_TYPE_MASK);
	*ret_value = (struct rs_nl_span){s->p + sizeof(head), s->p + head.nla_len};
	s->p += RS_MIN((size_t)NLA_ALIGN(head.nla_len), left(*s));
	return true;
}

bool
rs_nl_uint(struct rs_nl_span value, uint64_t *ret)
{
	uint8_t u8;
	uint16_t u16;
	uint32_t u32;
	switch (left(value)) {
	case sizeof(u8):
		memcpy(&u8, value.p, sizeof(u8));
		*ret = u8;
		return true;
	case sizeof(u16):
		memcpy(&u16, value.p, sizeof(u16));
		*ret = u16;
		return true;
	case sizeof(u32):
		memcpy(&u32, value.p, sizeof(u32));
		*ret = u32;
		return true;
	case sizeof(*ret):
		memcpy(ret, value.p, sizeof(*ret));
		return true;
	default:
		return false;
	}
}

/* The error code at the front of NLMSG_ERROR and NLMSG_DONE, or `otherwise`
 * when it is none. */
static int
error_code(struct rs_nl_span payload, int otherwise)
{
	int32_t code;
	if (!rs_nl_take(&payload, &code, sizeof(code)))
		return otherwise;
	return code < 0 && code > -4096 ? code : otherwise;
}

int
rs_nl_parse(const void *bytes, size_t len, struct rs_nl_want want, rs_nl_message_fn fn, void *arg,
    bool *ret_done)
{
	struct rs_nl_span s = {bytes, (const char *)bytes + len};
	while (left(s) > 0) {
		struct nlmsghdr head;
		if (left(s) < sizeof(head))
			return -EINVAL;
		memcpy(&head, s.p, sizeof(head));
		if (head.nlmsg_len < sizeof(head) || head.nlmsg_len > left(s))
			return -EINVAL;
		const struct rs_nl_span payload = {s.p + sizeof(head), s.p + head.nlmsg_len};
		s.p += RS_MIN((size_t)NLMSG_ALIGN(head.nlmsg_len), left(s));
		if (head.nlmsg_seq != want.seq)
			continue; /* left over from a dump that was given up */
		if (head.nlmsg_flags & NLM_F_DUMP_INTR)
			return -EAGAIN;
		if (head.nlmsg_type == NLMSG_DONE) {
			*ret_done = true;
			return error_code(payload, 0);
		}
		if (head.nlmsg_type == NLMSG_ERROR)
			return error_code(payload, -EINVAL);
		const int error = head.nlmsg_type == want.type ? fn(arg, payload) : 0;
		if (error)
			return error;
	}
	return 0;
}

static int
open_socket(int protocol)
{
	const int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, protocol);
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
drop_socket(struct rs_netlink *n)
{
	if (n->fd >= 0)
		(void)close(n->fd);
	n->fd = -1;
}

int
rs_netlink_open(int protocol, struct rs_netlink **ret)
{
	struct rs_netlink *const n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	n->protocol = protocol;
	n->cap = FIRST_BYTES;
	n->buf = malloc(n->cap);
	n->fd = n->buf ? open_socket(protocol) : -ENOMEM;
	if (n->fd < 0) {
		const int error = n->fd;
		rs_netlink_close(n);
		return error;
	}
	*ret = n;
	return 0;
}

void
rs_netlink_close(struct rs_netlink *n)
{
	if (!n)
		return;
	drop_socket(n);
	free(n->buf);
	free(n);
}

static int
send_request(struct rs_netlink *n, struct nlmsghdr *request, uint16_t flags)
{
	request->nlmsg_flags = NLM_F_REQUEST | flags;
	request->nlmsg_seq = ++n->seq;
	const struct sockaddr_nl kernel = {.nl_family = AF_NETLINK};
	const ssize_t sent = sendto(n->fd, request, request->nlmsg_len, 0,
	    (const struct sockaddr *)&kernel, sizeof(kernel));
	return sent < 0 ? -errno : 0;
}

/* The buffer was too small: the datagram is lost and with it this dump. */
static int
grow_buffer(struct rs_netlink *n, size_t need)
{
	if (need > MAX_BYTES)
		return -EMSGSIZE;
	char *const p = realloc(n->buf, need);
	if (!p)
		return -ENOMEM;
	n->buf = p;
	n->cap = need;
	return -EAGAIN;
}

/* One datagram of the kernel's into the buffer: its length or an error; -ETIMEDOUT:
 * none came in so long. */
static ssize_t
receive(struct rs_netlink *n, int wait_ms)
{
	for (unsigned tries = 0; tries < 64; tries++) {
		struct sockaddr_nl from = {.nl_family = AF_NETLINK};
		socklen_t size = sizeof(from);
		const ssize_t len =
		    recvfrom(n->fd, n->buf, n->cap, MSG_TRUNC, (struct sockaddr *)&from, &size);
		if (len >= 0 && from.nl_pid != 0)
			continue; /* another process wrote to our socket */
		if (len >= 0)
			return (size_t)len > n->cap ? grow_buffer(n, (size_t)len) : len;
		if (errno == EINTR)
			continue;
		if (errno != EAGAIN)
			return -errno;
		struct pollfd p = {.fd = n->fd, .events = POLLIN};
		if (poll(&p, 1, wait_ms) == 0)
			return -ETIMEDOUT;
	}
	return -EBUSY;
}

static int
open_again(struct rs_netlink *n)
{
	if (n->fd < 0)
		n->fd = open_socket(n->protocol);
	return RS_MIN(n->fd, 0);
}

/* Datagrams until *is_done, which fn may set as well. */
static int
read_answer(struct rs_netlink *n, uint16_t answer, rs_nl_message_fn fn, void *arg, bool *is_done)
{
	const struct rs_nl_want want = {n->seq, answer};
	int error = 0;
	for (unsigned i = 0; !error && !*is_done; i++) {
		const ssize_t len = i < DATAGRAMS_MAX ? receive(n, WAIT_MS) : -EMSGSIZE;
		if (len < 0)
			error = (int)len;
		else
			error = rs_nl_parse(n->buf, (size_t)len, want, fn, arg, is_done);
	}
	return error;
}

/* After a failure the socket is not used again: the rest of the answer would
 * still be in it. */
int
rs_netlink_dump(
    struct rs_netlink *n, struct nlmsghdr *request, uint16_t answer, rs_nl_message_fn fn, void *arg)
{
	bool is_done = false;
	int error = open_again(n);
	if (error)
		return error;
	error = send_request(n, request, NLM_F_DUMP);
	if (!error)
		error = read_answer(n, answer, fn, arg, &is_done);
	if (error)
		drop_socket(n);
	return error;
}

struct single {
	rs_nl_message_fn fn;
	void *arg;
	bool is_answered;
};

static int
single_message(void *arg, struct rs_nl_span payload)
{
	struct single *const s = arg;
	s->is_answered = true;
	return s->fn(s->arg, payload);
}

int
rs_netlink_ask(
    struct rs_netlink *n, struct nlmsghdr *request, uint16_t answer, rs_nl_message_fn fn, void *arg)
{
	struct single s = {fn, arg, false};
	int error = open_again(n);
	if (error)
		return error;
	error = send_request(n, request, 0);
	if (!error)
		error = read_answer(n, answer, single_message, &s, &s.is_answered);
	if (error)
		drop_socket(n);
	return error;
}

int
rs_netlink_begin(struct rs_netlink *n, struct nlmsghdr *request)
{
	int error = open_again(n);
	if (!error)
		error = send_request(n, request, NLM_F_DUMP);
	if (error)
		drop_socket(n);
	return error;
}

int
rs_netlink_step(struct rs_netlink *n, uint16_t answer, unsigned datagrams, rs_nl_message_fn fn,
    void *arg, bool *ret_done)
{
	const struct rs_nl_want want = {n->seq, answer};
	int error = n->fd < 0 ? -EBADF : 0;
	*ret_done = false;
	for (unsigned i = 0; !error && !*ret_done && i < datagrams; i++) {
		const ssize_t len = receive(n, 0);
		if (len == -ETIMEDOUT)
			break;
		error =
		    len < 0 ? (int)len : rs_nl_parse(n->buf, (size_t)len, want, fn, arg, ret_done);
	}
	if (error)
		drop_socket(n);
	return error;
}

void
rs_netlink_give_up(struct rs_netlink *n)
{
	drop_socket(n);
}

/* SPDX-License-Identifier: ISC */
/*
 * RTNLGRP_LINK brings one message per change of an interface (net/core/
 * rtnetlink.c, rtnetlink_event). Only its header is looked at.
 */
#define _GNU_SOURCE /* SOCK_CLOEXEC, SOCK_NONBLOCK */
#include "linkwatch.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

/* One call takes at most so many; more count as lost. */
enum { NOTICES_MAX = 512 };

struct rs_linkwatch {
	int fd;
};

int
rs_linkwatch_open(struct rs_linkwatch **ret)
{
	struct rs_linkwatch *const w = calloc(1, sizeof(*w));
	if (!w)
		return -ENOMEM;
	const struct sockaddr_nl self = {.nl_family = AF_NETLINK, .nl_groups = RTMGRP_LINK};
	w->fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_ROUTE);
	if (w->fd < 0 || bind(w->fd, (const struct sockaddr *)&self, sizeof(self)) < 0) {
		const int error = -errno;
		rs_linkwatch_close(w);
		return error;
	}
	*ret = w;
	return 0;
}

void
rs_linkwatch_close(struct rs_linkwatch *w)
{
	if (!w)
		return;
	if (w->fd >= 0)
		(void)close(w->fd);
	free(w);
}

void
rs_linkwatch_take(struct rs_linkwatch *w, void (*fn)(void *arg, uint32_t ifindex), void *arg)
{
	/* The rest of a longer message is cut off, which is meant. */
	struct {
		struct nlmsghdr head;
		struct ifinfomsg link;
	} notice;
	for (unsigned i = 0; i < NOTICES_MAX; i++) {
		struct sockaddr_nl from = {.nl_family = AF_NETLINK};
		socklen_t size = sizeof(from);
		const ssize_t n =
		    recvfrom(w->fd, &notice, sizeof(notice), 0, (struct sockaddr *)&from, &size);
		if (n < 0 && errno == EAGAIN)
			return;
		if (n < 0 && errno != EINTR)
			break; /* ENOBUFS: the queue was too short */
		if (n < (ssize_t)sizeof(notice) || from.nl_pid != 0)
			continue;
		const bool is_link =
		    notice.head.nlmsg_type == RTM_NEWLINK || notice.head.nlmsg_type == RTM_DELLINK;
		if (is_link && notice.link.ifi_index > 0)
			fn(arg, (uint32_t)notice.link.ifi_index);
	}
	fn(arg, 0);
}

/* SPDX-License-Identifier: ISC */
/*
 * The kernel's floor for one tick: the sources that the daemon reads each
 * second, kept open, read whole, nothing parsed. Wakes up at 1 Hz and prints
 * the CPU time of the whole process for each tick, the wake-up included;
 * bench_daemon.py runs it beside the daemon, in the same namespace and the same
 * seconds.
 *
 *	bench_floor SECONDS
 */
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static const char *const files[] = {
    "/proc/stat", "/proc/interrupts", "/proc/softirqs", "/proc/net/softnet_stat"};
static char buffer[4u << 20];

static rs_ns
clock_ns(clockid_t clock)
{
	struct timespec t;
	(void)clock_gettime(clock, &t);
	return (rs_ns)t.tv_sec * RS_NS_PER_S + t.tv_nsec;
}

static void
read_whole(int fd)
{
	off_t at = 0;
	ssize_t n;
	while ((n = pread(fd, buffer, sizeof(buffer), at)) > 0)
		at += n;
}

static int
dump_stats(int fd)
{
	struct {
		struct nlmsghdr head;
		struct if_stats_msg stats;
	} request = {
	    .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(request.stats)),
		.nlmsg_type = RTM_GETSTATS,
		.nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP},
	    .stats = {.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64)},
	};
	if (send(fd, &request, request.head.nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		const ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
		if (n < (ssize_t)sizeof(struct nlmsghdr))
			return -EIO;
		struct nlmsghdr head;
		for (ssize_t at = 0; at + (ssize_t)sizeof(head) <= n;
		     at += (ssize_t)NLMSG_ALIGN(head.nlmsg_len)) {
			memcpy(&head, buffer + at, sizeof(head));
			if (head.nlmsg_type == NLMSG_DONE || head.nlmsg_type == NLMSG_ERROR ||
			    head.nlmsg_len < sizeof(head))
				return 0;
		}
	}
}

int
main(int argc, char *argv[])
{
	uint64_t seconds = 0;
	int fds[RS_ARRAY_LEN(files)];
	if (argc != 2 || rs_num_u64(rs_text_of(argv[1]), &seconds) < 0 || seconds == 0)
		return 2;
	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++)
		fds[i] = open(files[i], O_RDONLY | O_CLOEXEC);
	const int netlink = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	/* At whole seconds, as the daemon ticks: much else in a kernel is rounded to
	 * them (round_jiffies), and its cost falls on whoever runs then. */
	rs_ns due = (clock_ns(CLOCK_MONOTONIC) / RS_NS_PER_S + 1) * RS_NS_PER_S;
	rs_ns before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (uint64_t i = 0; i < seconds; i++, due += RS_NS_PER_S) {
		const struct timespec at = {due / RS_NS_PER_S, due % RS_NS_PER_S};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
		}
		for (size_t k = 0; k < RS_ARRAY_LEN(files); k++)
			read_whole(fds[k]);
		if (dump_stats(netlink) < 0)
			return 1;
		const rs_ns after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		printf("%.3f\n", (double)(after - before) / 1e3);
		(void)fflush(stdout);
		before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	return 0;
}

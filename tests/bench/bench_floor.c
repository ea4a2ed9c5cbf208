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
#define _GNU_SOURCE /* struct ifreq, IFF_UP */
#include "num.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/genetlink.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "ethtool.h"
#include "genl.h"

enum { NICS_MAX = 64, QSTATS_GET = 12, SCOPE = 4, SCOPE_QUEUE = 1 };

static const char *const files[] = {
    "/proc/stat", "/proc/interrupts", "/proc/softirqs", "/proc/net/softnet_stat"};
static char buffer[4u << 20];

struct nic {
	char name[16];
	uint32_t ifindex, n; /* counters of `ethtool -S` */
};

struct sources {
	int fds[RS_ARRAY_LEN(files)];
	int route, generic;
	uint16_t netdev; /* number of the family; 0: there is none */
	bool has_qstats; /* some driver answers */
	struct rs_ethtool *ethtool;
	struct nic nics[NICS_MAX]; /* those that are read by ethtool */
	size_t n_nics;
};

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

typedef void (*datagram_fn)(struct sources *s, size_t len);

/* Sends the request and receives until the answer ends; fn, or NULL, gets each
 * datagram, in the buffer. */
static int
dump(struct sources *s, int fd, struct nlmsghdr *request, datagram_fn fn)
{
	request->nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP;
	if (send(fd, request, request->nlmsg_len, 0) < 0)
		return -errno;
	for (;;) {
		const ssize_t n = recv(fd, buffer, sizeof(buffer), 0);
		if (n < (ssize_t)sizeof(struct nlmsghdr))
			return -EIO;
		if (fn)
			fn(s, (size_t)n);
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

static int
dump_stats(struct sources *s)
{
	struct {
		struct nlmsghdr head;
		struct if_stats_msg stats;
	} request = {
	    .head = {.nlmsg_len = NLMSG_LENGTH(sizeof(request.stats)), .nlmsg_type = RTM_GETSTATS},
	    .stats = {.filter_mask = IFLA_STATS_FILTER_BIT(IFLA_STATS_LINK_64)},
	};
	return dump(s, s->route, &request.head, NULL);
}

static int
dump_qstats(struct sources *s, datagram_fn fn)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
		struct nlattr attr;
		uint32_t scope;
	} request = {
	    .head = {.nlmsg_len = sizeof(request), .nlmsg_type = s->netdev},
	    .genl = {.cmd = QSTATS_GET, .version = 1},
	    .attr = {.nla_len = sizeof(request.attr) + sizeof(uint32_t), .nla_type = SCOPE},
	    .scope = SCOPE_QUEUE,
	};
	return dump(s, s->generic, &request.head, fn);
}

static void
find_family(struct sources *s, size_t len)
{
	bool is_done = false;
	(void)rs_genl_parse_family(
	    buffer, len, (struct rs_nl_want){0, GENL_ID_CTRL}, "netdev", &s->netdev, &is_done);
}

/* What netlink tells is not read by ethtool. */
static void
note_qstats(void *arg, const struct rs_qstats *q)
{
	struct sources *const s = arg;
	s->has_qstats = true;
	for (size_t i = 0; i < s->n_nics; i++) {
		if (s->nics[i].ifindex == q->ifindex)
			s->nics[i] = s->nics[--s->n_nics];
	}
}

static void
note_answers(struct sources *s, size_t len)
{
	bool is_done = false;
	(void)rs_genl_parse_qstats(
	    buffer, len, (struct rs_nl_want){0, s->netdev}, note_qstats, s, &is_done);
}

static void
find_nics(struct sources *s)
{
	struct if_nameindex *const list = if_nameindex();
	for (const struct if_nameindex *i = list; i && i->if_index; i++) {
		unsigned flags = 0;
		struct nic *const nic = &s->nics[s->n_nics];
		if (s->n_nics == NICS_MAX ||
		    rs_ethtool_flags(s->ethtool, i->if_name, &flags) != 0 || !(flags & IFF_UP) ||
		    rs_ethtool_count(s->ethtool, i->if_name, &nic->n) != 0)
			continue;
		(void)rs_text_copy(rs_text_of(i->if_name), nic->name, sizeof(nic->name));
		nic->ifindex = i->if_index;
		s->n_nics++;
	}
	if_freenameindex(list);
}

static int
open_sources(struct sources *s)
{
	struct {
		struct nlmsghdr head;
		struct genlmsghdr genl;
	} request = {
	    .head = {.nlmsg_len = sizeof(request), .nlmsg_type = GENL_ID_CTRL},
	    .genl = {.cmd = CTRL_CMD_GETFAMILY, .version = 1},
	};
	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++)
		s->fds[i] = open(files[i], O_RDONLY | O_CLOEXEC);
	s->route = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	s->generic = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const int error = rs_ethtool_open(&s->ethtool);
	if (error)
		return error;
	find_nics(s);
	(void)dump(s, s->generic, &request.head, find_family);
	return s->netdev ? dump_qstats(s, note_answers) : 0;
}

static int
tick(struct sources *s)
{
	const uint64_t *values;
	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++)
		read_whole(s->fds[i]);
	const int error = dump_stats(s);
	if (error)
		return error;
	for (size_t i = 0; i < s->n_nics; i++)
		(void)rs_ethtool_values(s->ethtool, s->nics[i].name, s->nics[i].n, &values);
	return s->has_qstats ? dump_qstats(s, NULL) : 0;
}

int
main(int argc, char *argv[])
{
	static struct sources s;
	uint64_t seconds = 0;
	if (argc != 2 || rs_num_u64(rs_text_of(argv[1]), &seconds) < 0 || seconds == 0)
		return 2;
	if (open_sources(&s) < 0)
		return 1;
	/* At whole seconds, as the daemon ticks: much else in a kernel is rounded to
	 * them (round_jiffies), and its cost falls on whoever runs then. */
	rs_ns due = (clock_ns(CLOCK_MONOTONIC) / RS_NS_PER_S + 1) * RS_NS_PER_S;
	rs_ns before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	for (uint64_t i = 0; i < seconds; i++, due += RS_NS_PER_S) {
		const struct timespec at = {due / RS_NS_PER_S, due % RS_NS_PER_S};
		while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR) {
		}
		if (tick(&s) < 0)
			return 1;
		const rs_ns after = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
		printf("%.3f\n", (double)(after - before) / 1e3);
		(void)fflush(stdout);
		before = clock_ns(CLOCK_PROCESS_CPUTIME_ID);
	}
	return 0;
}

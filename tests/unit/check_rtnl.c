/* SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* unshare() */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "linkwatch.h"
#include "rs_check.h"
#include "rtnl.h"

enum { SEQ = 77 };

/* A datagram under construction. */
struct builder {
	char bytes[4096];
	size_t len;
};

static size_t
append(struct builder *b, const void *p, size_t len)
{
	const size_t at = b->len;
	ck_assert_uint_le(at + len, sizeof(b->bytes));
	if (len)
		memcpy(b->bytes + at, p, len);
	b->len = (at + len + 3) & ~(size_t)3;
	return at;
}

static size_t
begin(struct builder *b, uint16_t type, uint16_t flags, uint32_t seq)
{
	const struct nlmsghdr h = {.nlmsg_type = type, .nlmsg_flags = flags, .nlmsg_seq = seq};
	return append(b, &h, sizeof(h));
}

static void
end(struct builder *b, size_t at)
{
	const uint32_t len = (uint32_t)(b->len - at);
	memcpy(b->bytes + at, &len, sizeof(len));
}

static void
attribute(struct builder *b, uint16_t type, const void *value, size_t len)
{
	const struct rtattr a = {.rta_len = (uint16_t)(sizeof(a) + len), .rta_type = type};
	(void)append(b, &a, sizeof(a));
	(void)append(b, value, len);
}

/* Statistics of one interface with n fields: 100 x ifindex + number of field. */
static void
stats_message(struct builder *b, uint32_t ifindex, unsigned n, uint16_t flags, uint32_t seq)
{
	uint64_t fields[40];
	for (unsigned i = 0; i < n; i++)
		fields[i] = 100u * ifindex + i;
	const size_t at = begin(b, RTM_NEWSTATS, NLM_F_MULTI | flags, seq);
	const struct if_stats_msg m = {.ifindex = ifindex, .filter_mask = 1};
	(void)append(b, &m, sizeof(m));
	attribute(b, IFLA_STATS_LINK_64, fields, n * sizeof(fields[0]));
	end(b, at);
}

static void
done_message(struct builder *b, int32_t code)
{
	const size_t at = begin(b, NLMSG_DONE, NLM_F_MULTI, SEQ);
	(void)append(b, &code, sizeof(code));
	end(b, at);
}

struct seen {
	unsigned n;
	struct rs_link_stats last;
	uint64_t sum;
};

static void
see(void *arg, const struct rs_link_stats *s)
{
	struct seen *const seen = arg;
	seen->n++;
	seen->last = *s;
	ck_assert_uint_le(s->n, RS_LINK_STATS);
	for (unsigned i = 0; i < s->n; i++)
		seen->sum += s->field[i];
}

/* Parses an exact copy, so that a read past the end is found. */
static int
parse(const char *bytes, size_t len, struct seen *seen, bool *done)
{
	char *const copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, len);
	memset(seen, 0, sizeof(*seen));
	*done = false;
	const int r = rs_rtnl_parse_stats(copy, len, SEQ, see, seen, done);
	free(copy);
	return r;
}

START_TEST(a_whole_answer_gives_each_interface_once)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	stats_message(&b, 1, RS_LINK_STATS, 0, SEQ);
	stats_message(&b, 7, RS_LINK_STATS, 0, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(!done);
	done_message(&b, 0);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(done);
	ck_assert_uint_eq(seen.last.ifindex, 7);
	ck_assert_uint_eq(seen.last.n, RS_LINK_STATS);
	ck_assert_uint_eq(seen.last.field[RS_LINK_TX_BYTES], 703);
	ck_assert_uint_eq(seen.last.field[RS_LINK_RX_OTHERHOST_DROPPED], 724);
}
END_TEST

START_TEST(other_lengths_of_the_structure_are_accepted)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	/* 23 fields before rx_nohandler, more in kernels to come. */
	stats_message(&b, 3, 23, 0, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.last.n, 23);
	stats_message(&b, 4, 30, 0, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_uint_eq(seen.last.n, RS_LINK_STATS);
}
END_TEST

START_TEST(an_interface_without_the_attribute_is_not_told)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	const struct if_stats_msg m = {.ifindex = 3};
	const size_t at = begin(&b, RTM_NEWSTATS, 0, SEQ);
	(void)append(&b, &m, sizeof(m));
	attribute(&b, IFLA_STATS_LINK_XSTATS, "x", 1);
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 0);
}
END_TEST

START_TEST(answers_to_another_request_are_passed_over)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	stats_message(&b, 1, RS_LINK_STATS, 0, SEQ - 1);
	stats_message(&b, 2, RS_LINK_STATS, 0, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.last.ifindex, 2);
}
END_TEST

START_TEST(an_interrupted_dump_asks_for_another)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	stats_message(&b, 1, RS_LINK_STATS, NLM_F_DUMP_INTR, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), -EAGAIN);
}
END_TEST

START_TEST(errors_of_the_kernel_are_passed_on)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	done_message(&b, -EOPNOTSUPP);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), -EOPNOTSUPP);
	b.len = 0;
	const size_t at = begin(&b, NLMSG_ERROR, 0, SEQ);
	const struct nlmsgerr e = {.error = -EPERM};
	(void)append(&b, &e, sizeof(e));
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), -EPERM);
}
END_TEST

START_TEST(a_cut_answer_is_refused_wherever_it_is_cut)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	stats_message(&b, 1, 3, 0, SEQ);
	const size_t first = b.len;
	stats_message(&b, 2, 25, 0, SEQ);
	const size_t second = b.len;
	done_message(&b, 0);
	for (size_t len = 0; len < b.len; len++) {
		const bool is_between = len == 0 || len == first || len == second;
		ck_assert_int_eq(parse(b.bytes, len, &seen, &done), is_between ? 0 : -EINVAL);
		ck_assert(!done);
	}
}
END_TEST

static const struct {
	size_t at; /* byte to damage in the first message */
	unsigned char value;
} damages[] = {
    {0, 0},    /* message length 0 */
    {0, 15},   /* shorter than its header */
    {0, 20},   /* no room for the statistics header */
    {1, 0xff}, /* longer than the datagram */
    {28, 0},   /* attribute length 0 */
    {28, 3},   /* shorter than its header */
    {29, 0xff} /* longer than the message */
};

START_TEST(a_damaged_length_is_refused)
{
	struct builder b = {.len = 0};
	struct seen seen;
	bool done;
	stats_message(&b, 5, 25, 0, SEQ);
	b.bytes[damages[_i].at] = (char)damages[_i].value;
	ck_assert_int_eq(parse(b.bytes, b.len, &seen, &done), -EINVAL);
}
END_TEST

START_TEST(random_damage_does_no_harm)
{
	struct builder whole = {.len = 0};
	stats_message(&whole, 1, 25, 0, SEQ);
	stats_message(&whole, 2, 25, 0, SEQ);
	done_message(&whole, 0);
	uint32_t state = 12345;
	for (unsigned round = 0; round < 20000; round++) {
		struct builder b = whole;
		struct seen seen;
		bool done;
		for (unsigned i = 0; i < 3; i++) {
			state = state * 1664525u + 1013904223u;
			b.bytes[(state >> 8) % b.len] = (char)(state >> 24);
		}
		(void)parse(b.bytes, b.len - state % 5, &seen, &done);
		ck_assert_uint_le(seen.n, 2 + b.len / sizeof(struct nlmsghdr));
	}
}
END_TEST

static char kind_seen[16];

static void
see_kind(void *arg, uint32_t ifindex, const char *kind)
{
	*(uint32_t *)arg = ifindex;
	ck_assert_uint_lt(strlen(kind), sizeof(kind_seen));
	memcpy(kind_seen, kind, strlen(kind) + 1);
}

static void
kind_message(struct builder *b, int ifindex, const char *kind)
{
	const size_t at = begin(b, RTM_NEWLINK, NLM_F_MULTI, SEQ);
	const struct ifinfomsg m = {.ifi_index = ifindex};
	(void)append(b, &m, sizeof(m));
	attribute(b, IFLA_IFNAME, "some", 5);
	struct builder info = {.len = 0};
	attribute(&info, IFLA_INFO_KIND, kind, strlen(kind) + 1);
	attribute(b, IFLA_LINKINFO | NLA_F_NESTED, info.bytes, info.len);
	end(b, at);
}

START_TEST(the_kind_of_an_interface_is_found)
{
	struct builder b = {.len = 0};
	uint32_t ifindex = 0;
	bool done = false;
	kind_message(&b, 9, "veth");
	done_message(&b, 0);
	ck_assert_int_eq(rs_rtnl_parse_kinds(b.bytes, b.len, SEQ, see_kind, &ifindex, &done), 0);
	ck_assert(done);
	ck_assert_uint_eq(ifindex, 9);
	ck_assert_str_eq(kind_seen, "veth");
	/* Longer than any the kernel has: cut, not overrun. */
	b.len = 0;
	kind_message(&b, 9, "abcdefghijklmnopqrstuvwxyz");
	ck_assert_int_eq(rs_rtnl_parse_kinds(b.bytes, b.len, SEQ, see_kind, &ifindex, &done), 0);
	ck_assert_str_eq(kind_seen, "abcdefghijklmno");
}
END_TEST

START_TEST(a_cut_kind_is_refused_wherever_it_is_cut)
{
	struct builder b = {.len = 0};
	uint32_t ifindex = 0;
	bool done = false;
	kind_message(&b, 9, "bridge");
	for (size_t len = 1; len < b.len; len++) {
		char *const copy = malloc(len);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, b.bytes, len);
		ck_assert_int_eq(
		    rs_rtnl_parse_kinds(copy, len, SEQ, see_kind, &ifindex, &done), -EINVAL);
		free(copy);
	}
	ck_assert_uint_eq(ifindex, 0);
}
END_TEST

struct qdiscs {
	unsigned n;
	struct rs_qdisc last;
};

static void
see_qdisc(void *arg, const struct rs_qdisc *q)
{
	struct qdiscs *const seen = arg;
	seen->n++;
	seen->last = *q;
	ck_assert_uint_lt(strlen(q->kind), sizeof(q->kind));
}

static void
qdisc_message(struct builder *b, int ifindex, uint32_t parent, const char *kind, size_t stats_bytes)
{
	const size_t at = begin(b, RTM_NEWQDISC, NLM_F_MULTI, SEQ);
	const struct tcmsg m = {.tcm_ifindex = ifindex, .tcm_parent = parent};
	const struct gnet_stats_queue counts = {
	    .qlen = 1, .backlog = 2, .drops = 4000000000u, .requeues = 5, .overlimits = 6};
	(void)append(b, &m, sizeof(m));
	attribute(b, TCA_KIND, kind, strlen(kind) + 1);
	struct builder stats = {.len = 0};
	attribute(&stats, TCA_STATS_BASIC, "0123456789abcdef", 16);
	attribute(&stats, TCA_STATS_QUEUE, &counts, stats_bytes);
	attribute(b, TCA_STATS2 | NLA_F_NESTED, stats.bytes, stats.len);
	end(b, at);
}

static int
parse_qdiscs(const struct builder *b, size_t len, struct qdiscs *seen, bool *done)
{
	char *const copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, b->bytes, len);
	memset(seen, 0, sizeof(*seen));
	*done = false;
	const int r = rs_rtnl_parse_qdiscs(copy, len, SEQ, see_qdisc, seen, done);
	free(copy);
	return r;
}

START_TEST(a_queueing_discipline_is_told_with_its_counts)
{
	struct builder b = {.len = 0};
	struct qdiscs seen;
	bool done;
	qdisc_message(&b, 3, TC_H_ROOT, "fq_codel", sizeof(struct gnet_stats_queue));
	ck_assert_int_eq(parse_qdiscs(&b, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.last.ifindex, 3);
	ck_assert_str_eq(seen.last.kind, "fq_codel");
	ck_assert(seen.last.is_root && !seen.last.is_ingress && seen.last.has_stats);
	ck_assert_uint_eq(seen.last.drops, 4000000000u);
	ck_assert_uint_eq(seen.last.requeues, 5);
	qdisc_message(&b, 3, TC_H_INGRESS, "clsact", sizeof(struct gnet_stats_queue));
	ck_assert_int_eq(parse_qdiscs(&b, b.len, &seen, &done), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(!seen.last.is_root && seen.last.is_ingress);
	/* Without counts, below another; a longer name than any is cut. */
	b.len = 0;
	qdisc_message(&b, 3, 0x10001, "abcdefghijklmnopqrstuvwxyz", 4);
	done_message(&b, 0);
	ck_assert_int_eq(parse_qdiscs(&b, b.len, &seen, &done), 0);
	ck_assert(done);
	ck_assert_str_eq(seen.last.kind, "abcdefghijklmno");
	ck_assert(!seen.last.is_root && !seen.last.is_ingress && !seen.last.has_stats);
}
END_TEST

START_TEST(a_cut_queueing_discipline_is_refused_wherever_it_is_cut)
{
	struct builder b = {.len = 0};
	struct qdiscs seen;
	bool done;
	qdisc_message(&b, 3, TC_H_ROOT, "mq", sizeof(struct gnet_stats_queue));
	for (size_t len = 1; len < b.len; len++) {
		ck_assert_int_eq(parse_qdiscs(&b, len, &seen, &done), -EINVAL);
		ck_assert_uint_eq(seen.n, 0);
	}
	/* Of no interface. */
	b.len = 0;
	qdisc_message(&b, 0, TC_H_ROOT, "mq", sizeof(struct gnet_stats_queue));
	ck_assert_int_eq(parse_qdiscs(&b, b.len, &seen, &done), -EINVAL);
}
END_TEST

static void
find_loopback(void *arg, const struct rs_link_stats *s)
{
	if (s->ifindex == if_nametoindex("lo"))
		*(struct rs_link_stats *)arg = *s;
}

START_TEST(the_kernel_counts_what_loopback_carries)
{
	struct rs_rtnl *r;
	struct rs_link_stats before = {0}, after = {0};
	ck_assert_int_eq(rs_rtnl_open(&r), 0);
	ck_assert_int_eq(rs_rtnl_stats(r, find_loopback, &before), 0);
	ck_assert_uint_gt(before.n, RS_LINK_RX_MISSED_ERRORS);
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	const struct sockaddr_in to = {
	    .sin_family = AF_INET, .sin_port = htons(9), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	for (unsigned i = 0; i < 10; i++)
		(void)sendto(fd, "0123456789", 10, 0, (const struct sockaddr *)&to, sizeof(to));
	(void)close(fd);
	ck_assert_int_eq(rs_rtnl_stats(r, find_loopback, &after), 0);
	/* Each refused datagram makes the next sendto fail: at least 5 go out. */
	ck_assert_uint_ge(after.field[RS_LINK_TX_PACKETS], before.field[RS_LINK_TX_PACKETS] + 5);
	ck_assert_uint_ge(after.field[RS_LINK_TX_BYTES], before.field[RS_LINK_TX_BYTES] + 190);
	rs_rtnl_close(r);
}
END_TEST

START_TEST(the_kernel_answers_many_dumps_over_one_socket)
{
	struct rs_rtnl *r;
	struct rs_link_stats lo;
	uint32_t ifindex = 0;
	ck_assert_int_eq(rs_rtnl_open(&r), 0);
	for (unsigned i = 0; i < 50; i++) {
		memset(&lo, 0, sizeof(lo));
		ck_assert_int_eq(rs_rtnl_stats(r, find_loopback, &lo), 0);
		ck_assert_uint_eq(lo.ifindex, if_nametoindex("lo"));
		ck_assert_int_eq(rs_rtnl_kinds(r, see_kind, &ifindex), 0);
		struct qdiscs qdiscs = {0};
		ck_assert_int_eq(rs_rtnl_qdiscs(r, see_qdisc, &qdiscs), 0);
	}
	rs_rtnl_close(r);
}
END_TEST

static void
count_notice(void *arg, uint32_t ifindex)
{
	uint32_t *const seen = arg;
	*seen = ifindex;
}

/* Takes loopback up in a network namespace of its own. 0, 77: not allowed, or
 * the number of what failed. */
static int
watch_loopback(void)
{
	if (unshare(CLONE_NEWNET) != 0 && unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0)
		return 77;
	struct rs_linkwatch *w;
	uint32_t seen = UINT32_MAX;
	if (rs_linkwatch_open(&w) != 0)
		return 1;
	rs_linkwatch_take(w, count_notice, &seen);
	if (seen != UINT32_MAX)
		return 2;
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq request = {.ifr_name = "lo", .ifr_flags = IFF_UP};
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) != 0)
		return 77;
	rs_linkwatch_take(w, count_notice, &seen);
	if (seen != if_nametoindex("lo"))
		return 3;
	seen = UINT32_MAX;
	rs_linkwatch_take(w, count_notice, &seen);
	if (seen != UINT32_MAX)
		return 4;
	/* More notices than a queue holds: all may have changed. */
	for (unsigned i = 0; i < 3000; i++) {
		request.ifr_flags ^= IFF_UP;
		(void)ioctl(fd, SIOCSIFFLAGS, &request);
	}
	rs_linkwatch_take(w, count_notice, &seen);
	rs_linkwatch_close(w);
	return seen == 0 ? 0 : 5;
}

START_TEST(a_change_is_noticed_once)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(watch_loopback());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		(void)printf("# no network namespace here: notices were not tested\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("rtnl");
	TCase *const t = tcase_create("parse");
	tcase_add_test(t, a_whole_answer_gives_each_interface_once);
	tcase_add_test(t, other_lengths_of_the_structure_are_accepted);
	tcase_add_test(t, an_interface_without_the_attribute_is_not_told);
	tcase_add_test(t, answers_to_another_request_are_passed_over);
	tcase_add_test(t, an_interrupted_dump_asks_for_another);
	tcase_add_test(t, errors_of_the_kernel_are_passed_on);
	tcase_add_test(t, a_cut_answer_is_refused_wherever_it_is_cut);
	tcase_add_loop_test(t, a_damaged_length_is_refused, 0, (int)RS_ARRAY_LEN(damages));
	tcase_add_test(t, random_damage_does_no_harm);
	tcase_add_test(t, the_kind_of_an_interface_is_found);
	tcase_add_test(t, a_cut_kind_is_refused_wherever_it_is_cut);
	tcase_add_test(t, a_queueing_discipline_is_told_with_its_counts);
	tcase_add_test(t, a_cut_queueing_discipline_is_refused_wherever_it_is_cut);
	suite_add_tcase(s, t);
	TCase *const live = tcase_create("live");
	tcase_add_test(live, the_kernel_counts_what_loopback_carries);
	tcase_add_test(live, the_kernel_answers_many_dumps_over_one_socket);
	tcase_add_test(live, a_change_is_noticed_once);
	suite_add_tcase(s, live);
	return s;
}

RS_CHECK_MAIN(suite())

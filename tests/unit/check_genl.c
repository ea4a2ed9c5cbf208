/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <string.h>

#include "ethtool_pause.h"
#include "genl.h"
#include "rs_check.h"

/* Numbers of Documentation/netlink/specs/netdev.yaml, as in genl.c. */
enum { QUEUE_GET = 10, NAPI_GET = 11, QSTATS_GET = 12 };
enum { SEQ = 77, FAMILY = 35 };
static const struct rs_nl_want want = {SEQ, FAMILY};
static const struct rs_nl_want want_ctrl = {SEQ, GENL_ID_CTRL};

/* A datagram under construction. */
struct builder {
	char bytes[4096];
	size_t len;
	size_t at; /* of the message being built */
};

static void
append(struct builder *b, const void *p, size_t len)
{
	ck_assert_uint_le(b->len + len + 3, sizeof(b->bytes));
	if (len)
		memcpy(b->bytes + b->len, p, len);
	b->len = (b->len + len + 3) & ~(size_t)3;
}

static void
header(struct builder *b, uint16_t type, uint16_t flags, uint32_t seq)
{
	const struct nlmsghdr h = {
	    .nlmsg_type = type, .nlmsg_flags = (uint16_t)(NLM_F_MULTI | flags), .nlmsg_seq = seq};
	b->at = b->len;
	append(b, &h, sizeof(h));
}

static void
end(struct builder *b)
{
	const uint32_t len = (uint32_t)(b->len - b->at);
	memcpy(b->bytes + b->at, &len, sizeof(len));
}

static void
begin(struct builder *b, uint8_t cmd, uint16_t flags, uint32_t seq)
{
	const struct genlmsghdr g = {.cmd = cmd, .version = 1};
	header(b, FAMILY, flags, seq);
	append(b, &g, sizeof(g));
}

static void
attribute(struct builder *b, uint16_t type, const void *value, size_t len)
{
	const struct nlattr a = {.nla_len = (uint16_t)(sizeof(a) + len), .nla_type = type};
	append(b, &a, sizeof(a));
	append(b, value, len);
}

static void
u32(struct builder *b, uint16_t type, uint32_t value)
{
	attribute(b, type, &value, sizeof(value));
}

static void
u64(struct builder *b, uint16_t type, uint64_t value)
{
	attribute(b, type, &value, sizeof(value));
}

static void
code(struct builder *b, uint16_t type, int32_t error)
{
	header(b, type, 0, SEQ);
	append(b, &error, sizeof(error));
	end(b);
}

/* Counters of a queue: packets in 4 bytes, bytes in 8, as the kernel does. */
static void
qstats(struct builder *b, uint32_t ifindex, uint32_t type, uint32_t queue)
{
	begin(b, QSTATS_GET, 0, SEQ);
	u32(b, 1, ifindex);
	u32(b, 2, type);
	u32(b, 3, queue);
	u32(b, (uint16_t)(type ? 10 : 8), 1000 * ifindex + queue);
	u64(b, (uint16_t)(type ? 11 : 9), (UINT64_C(1) << 40) + queue);
	end(b);
}

struct seen {
	unsigned n;
	struct rs_qstats qstats;
	struct rs_genl_napi napi;
	struct rs_genl_queue queue;
	bool is_done;
};

static void
see_qstats(void *arg, const struct rs_qstats *q)
{
	struct seen *const seen = arg;
	seen->n++;
	seen->qstats = *q;
}

static void
see_napi(void *arg, const struct rs_genl_napi *n)
{
	struct seen *const seen = arg;
	seen->n++;
	seen->napi = *n;
}

static void
see_queue(void *arg, const struct rs_genl_queue *q)
{
	struct seen *const seen = arg;
	seen->n++;
	seen->queue = *q;
}

enum parser { QSTATS, NAPIS, QUEUES, PARSERS };

/* Parses an exact copy, so that a read past the end is found. */
static int
parse(enum parser which, const struct builder *b, size_t len, struct seen *seen)
{
	char *const copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, b->bytes, len);
	memset(seen, 0, sizeof(*seen));
	int rc = 0;
	if (which == QSTATS)
		rc = rs_genl_parse_qstats(copy, len, want, see_qstats, seen, &seen->is_done);
	else if (which == NAPIS)
		rc = rs_genl_parse_napis(copy, len, want, see_napi, seen, &seen->is_done);
	else
		rc = rs_genl_parse_queues(copy, len, want, see_queue, seen, &seen->is_done);
	free(copy);
	return rc;
}

START_TEST(each_queue_is_told_with_numbers_of_either_width)
{
	struct builder b = {.len = 0};
	struct seen seen;
	qstats(&b, 4, 0, 0);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.qstats.ifindex, 4);
	ck_assert_uint_eq(seen.qstats.queue, 0);
	ck_assert(!seen.qstats.is_tx);
	ck_assert(seen.qstats.has_packets);
	ck_assert_uint_eq(seen.qstats.packets, 4000);
	ck_assert(seen.qstats.has_bytes);
	ck_assert_uint_eq(seen.qstats.bytes, UINT64_C(1) << 40);
	qstats(&b, 4, 1, 7);
	code(&b, NLMSG_DONE, 0);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(seen.is_done);
	ck_assert(seen.qstats.is_tx);
	ck_assert_uint_eq(seen.qstats.queue, 7);
	ck_assert_uint_eq(seen.qstats.packets, 4007);
}
END_TEST

START_TEST(what_a_driver_does_not_keep_is_not_zero)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, QSTATS_GET, 0, SEQ);
	u32(&b, 1, 4);
	u32(&b, 2, 0);
	u32(&b, 3, 2);
	u64(&b, 12, 5); /* rx-alloc-fail */
	end(&b);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert(!seen.qstats.has_packets);
	ck_assert(!seen.qstats.has_bytes);
	ck_assert(!seen.qstats.has_drops);
}
END_TEST

static const struct {
	uint32_t type;
	uint16_t attr[2];
	uint64_t drops;
	bool has;
} drops[] = {
    {0, {13, 14}, 113, true}, /* all drops have the overruns among them */
    {0, {14, 0}, 114, true},  /* overruns alone */
    {1, {24, 25}, 124, true}, /* tx-hw-drops; errors are among them */
    {1, {13, 14}, 0, false},  /* of the other direction */
    {0, {23, 0}, 0, false}    /* rate limits alone are no loss of the ring's */
};

START_TEST(drops_are_those_of_the_direction)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, QSTATS_GET, 0, SEQ);
	u32(&b, 1, 4);
	u32(&b, 2, drops[_i].type);
	u32(&b, 3, 0);
	for (unsigned i = 0; i < 2; i++) {
		if (drops[_i].attr[i])
			u64(&b, drops[_i].attr[i], 100u + drops[_i].attr[i]);
	}
	end(&b);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert(seen.qstats.has_drops == drops[_i].has);
	if (drops[_i].has)
		ck_assert_uint_eq(seen.qstats.drops, drops[_i].drops);
}
END_TEST

START_TEST(stops_are_those_of_transmit_queues)
{
	struct builder b = {.len = 0};
	struct seen seen;
	for (uint32_t type = 0; type < 2; type++) {
		b.len = 0;
		begin(&b, QSTATS_GET, 0, SEQ);
		u32(&b, 1, 4);
		u32(&b, 2, type);
		u32(&b, 3, 0);
		u64(&b, 33, 55); /* tx-stop */
		u64(&b, 34, 54); /* tx-wake */
		end(&b);
		ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
		ck_assert(seen.qstats.has_stops == (type == 1));
		ck_assert_uint_eq(seen.qstats.stops, type ? 55 : 0);
	}
}
END_TEST

START_TEST(totals_and_unknown_kinds_of_queue_are_passed_over)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, QSTATS_GET, 0, SEQ); /* of the device */
	u32(&b, 1, 4);
	u64(&b, 8, 1);
	end(&b);
	qstats(&b, 4, 2, 0);	 /* neither rx nor tx */
	qstats(&b, 4, 0, 65536); /* no such queue */
	begin(&b, 3, 0, SEQ);	 /* an answer to something else */
	u32(&b, 1, 4);
	end(&b);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 0);
}
END_TEST

START_TEST(unknown_attributes_are_passed_over)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, QSTATS_GET, 0, SEQ);
	attribute(&b, 0, "", 0);
	attribute(&b, 63, "xyz", 3);
	attribute(&b, 5000, "xyz", 3);
	u32(&b, 1 | NLA_F_NET_BYTEORDER, 4); /* flags are no part of the type */
	u32(&b, 2, 0);
	u32(&b, 3, 1);
	attribute(&b, 12 | NLA_F_NESTED, "abcdefghijk", 11);
	u64(&b, 8, 99);
	attribute(&b, 40, NULL, 0);
	end(&b);
	ck_assert_int_eq(parse(QSTATS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 1);
	ck_assert_uint_eq(seen.qstats.packets, 99);
}
END_TEST

START_TEST(a_napi_has_a_line_and_a_thread_only_when_they_are_told)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, NAPI_GET, 0, SEQ);
	u32(&b, 1, 4);
	u32(&b, 2, 8193);
	end(&b);
	ck_assert_int_eq(parse(NAPIS, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.napi.ifindex, 4);
	ck_assert_uint_eq(seen.napi.id, 8193);
	ck_assert_int_eq(seen.napi.irq, -1);
	ck_assert_int_eq(seen.napi.pid, -1);
	b.len = 0;
	begin(&b, NAPI_GET, 0, SEQ);
	u32(&b, 1, 4);
	u32(&b, 2, 8193);
	u32(&b, 3, 0); /* line 0 is a line */
	u32(&b, 4, 456);
	u32(&b, 5, 0); /* defer-hard-irqs */
	u64(&b, 6, 20000);
	end(&b);
	ck_assert_int_eq(parse(NAPIS, &b, b.len, &seen), 0);
	ck_assert_int_eq(seen.napi.irq, 0);
	ck_assert_int_eq(seen.napi.pid, 456);
	b.len = 0;
	begin(&b, NAPI_GET, 0, SEQ);
	u32(&b, 1, 4);
	u32(&b, 2, 8193);
	u32(&b, 3, UINT32_MAX);
	u32(&b, 4, 0); /* of another process namespace */
	end(&b);
	ck_assert_int_eq(parse(NAPIS, &b, b.len, &seen), 0);
	ck_assert_int_eq(seen.napi.irq, -1);
	ck_assert_int_eq(seen.napi.pid, -1);
}
END_TEST

START_TEST(a_queue_names_its_napi_when_it_has_one)
{
	struct builder b = {.len = 0};
	struct seen seen;
	begin(&b, QUEUE_GET, 0, SEQ);
	u32(&b, 1, 3);
	u32(&b, 2, 5);
	u32(&b, 3, 1);
	u32(&b, 4, 8200);
	end(&b);
	ck_assert_int_eq(parse(QUEUES, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.queue.ifindex, 5);
	ck_assert_uint_eq(seen.queue.queue, 3);
	ck_assert(seen.queue.is_tx);
	ck_assert_uint_eq(seen.queue.napi_id, 8200);
	b.len = 0;
	begin(&b, QUEUE_GET, 0, SEQ);
	u32(&b, 1, 0);
	u32(&b, 2, 5);
	u32(&b, 3, 0);
	end(&b);
	ck_assert_int_eq(parse(QUEUES, &b, b.len, &seen), 0);
	ck_assert(!seen.queue.is_tx);
	ck_assert_uint_eq(seen.queue.napi_id, 0);
}
END_TEST

/* A good message of the kind. */
static void
good(struct builder *b, enum parser which, uint16_t flags, uint32_t seq)
{
	static const uint8_t cmds[] = {QSTATS_GET, NAPI_GET, QUEUE_GET};
	begin(b, cmds[which], flags, seq);
	u32(b, (uint16_t)(which == QUEUES ? 2 : 1), 4);
	u32(b, (uint16_t)(which == QUEUES ? 1 : 2), 1);
	u32(b, 3, 1);
	u32(b, (uint16_t)(which == QSTATS ? 10 : 4), 17);
	end(b);
}

START_TEST(a_cut_answer_is_refused_wherever_it_is_cut)
{
	struct builder b = {.len = 0};
	struct seen seen;
	good(&b, (enum parser)_i, 0, SEQ);
	const size_t first = b.len;
	good(&b, (enum parser)_i, 0, SEQ);
	const size_t second = b.len;
	code(&b, NLMSG_DONE, 0);
	for (size_t len = 0; len < b.len; len++) {
		const bool is_between = len == 0 || len == first || len == second;
		ck_assert_int_eq(parse((enum parser)_i, &b, len, &seen), is_between ? 0 : -EINVAL);
		ck_assert(!seen.is_done);
	}
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 2);
	ck_assert(seen.is_done);
}
END_TEST

START_TEST(a_cut_attribute_is_refused_where_the_message_ends_with_it)
{
	struct builder whole = {.len = 0};
	struct seen seen;
	good(&whole, (enum parser)_i, 0, SEQ);
	for (uint32_t len = sizeof(struct nlmsghdr); len < whole.len; len++) {
		struct builder b = whole;
		memcpy(b.bytes, &len, sizeof(len));
		/* Between two attributes it is complete: some are missing then. */
		const bool is_between =
		    len >= sizeof(struct nlmsghdr) + sizeof(struct genlmsghdr) && len % 8 == 4;
		const int rc = parse((enum parser)_i, &b, len, &seen);
		if (!is_between)
			ck_assert_int_eq(rc, -EINVAL);
		else
			ck_assert(rc == 0 || rc == -EINVAL);
	}
}
END_TEST

static const struct {
	size_t at; /* byte to damage in the message of good() */
	unsigned char value;
} damages[] = {
    {0, 0},	/* message length 0 */
    {0, 15},	/* shorter than its header */
    {0, 18},	/* no room for the generic header */
    {1, 0xff},	/* longer than the datagram */
    {20, 0},	/* attribute length 0 */
    {20, 3},	/* shorter than its header */
    {20, 4},	/* an index without a value */
    {20, 7},	/* of 3 bytes */
    {21, 0xff}, /* longer than the message */
    {24, 0},	/* index 0 */
    {27, 0x80}	/* no positive int */
};

START_TEST(a_damaged_length_or_index_is_refused)
{
	for (unsigned which = 0; which < PARSERS; which++) {
		struct builder b = {.len = 0};
		struct seen seen;
		good(&b, (enum parser)which, 0, SEQ);
		b.bytes[damages[_i].at] = (char)damages[_i].value;
		ck_assert_int_eq(parse((enum parser)which, &b, b.len, &seen), -EINVAL);
		ck_assert_uint_eq(seen.n, 0);
	}
}
END_TEST

START_TEST(errors_of_the_kernel_are_passed_on)
{
	struct builder b = {.len = 0};
	struct seen seen;
	code(&b, NLMSG_ERROR, -EOPNOTSUPP);
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), -EOPNOTSUPP);
	b.len = 0;
	good(&b, (enum parser)_i, 0, SEQ);
	code(&b, NLMSG_DONE, -EPERM);
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), -EPERM);
	b.len = 0;
	code(&b, NLMSG_ERROR, 5); /* no error code */
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), -EINVAL);
}
END_TEST

START_TEST(an_interrupted_dump_asks_for_another)
{
	struct builder b = {.len = 0};
	struct seen seen;
	good(&b, (enum parser)_i, NLM_F_DUMP_INTR, SEQ);
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), -EAGAIN);
	ck_assert_uint_eq(seen.n, 0);
}
END_TEST

START_TEST(answers_to_another_request_are_passed_over)
{
	struct builder b = {.len = 0};
	struct seen seen;
	good(&b, (enum parser)_i, 0, SEQ - 1);
	good(&b, (enum parser)_i, 0, SEQ);
	header(&b, FAMILY + 1, 0, SEQ); /* of another family */
	end(&b);
	ck_assert_int_eq(parse((enum parser)_i, &b, b.len, &seen), 0);
	ck_assert_uint_eq(seen.n, 1);
}
END_TEST

START_TEST(random_damage_does_no_harm)
{
	struct builder whole = {.len = 0};
	for (unsigned i = 0; i < 3; i++)
		good(&whole, (enum parser)_i, 0, SEQ);
	code(&whole, NLMSG_DONE, 0);
	uint32_t state = 12345;
	for (unsigned round = 0; round < 20000; round++) {
		struct builder b = whole;
		struct seen seen;
		for (unsigned i = 0; i < 3; i++) {
			state = state * 1664525u + 1013904223u;
			b.bytes[(state >> 8) % b.len] = (char)(state >> 24);
		}
		(void)parse((enum parser)_i, &b, b.len - state % 5, &seen);
		ck_assert_uint_le(seen.n, 3 + b.len / sizeof(struct nlmsghdr));
	}
}
END_TEST

static void
family(struct builder *b, const char *name, size_t len, uint16_t id)
{
	const struct genlmsghdr g = {.cmd = CTRL_CMD_NEWFAMILY, .version = 2};
	header(b, GENL_ID_CTRL, 0, SEQ);
	append(b, &g, sizeof(g));
	attribute(b, CTRL_ATTR_FAMILY_NAME, name, len);
	attribute(b, CTRL_ATTR_FAMILY_ID, &id, sizeof(id));
	u32(b, CTRL_ATTR_VERSION, 1);
	end(b);
}

START_TEST(the_family_is_found_by_its_whole_name)
{
	struct builder b = {.len = 0};
	uint16_t id = 0;
	bool is_done = false;
	family(&b, "nlctrl", 7, GENL_ID_CTRL);
	family(&b, "netdev2", 8, 30);
	family(&b, "netdev", 6, 31); /* without its NUL */
	ck_assert_int_eq(
	    rs_genl_parse_family(b.bytes, b.len, want_ctrl, "netdev", &id, &is_done), 0);
	ck_assert_uint_eq(id, 0);
	family(&b, "netdev", 7, 32);
	family(&b, "tcp_metrics", 12, 33);
	ck_assert_int_eq(
	    rs_genl_parse_family(b.bytes, b.len, want_ctrl, "netdev", &id, &is_done), 0);
	ck_assert_uint_eq(id, 32);
	id = 0;
	b.len = 0;
	family(&b, "netdev", 7, 3); /* a number of netlink's own messages */
	ck_assert_int_eq(
	    rs_genl_parse_family(b.bytes, b.len, want_ctrl, "netdev", &id, &is_done), -EINVAL);
	ck_assert_uint_eq(id, 0);
}
END_TEST

/* --- pause frames, of the family "ethtool" --- */

static const uint64_t rx_frames = 12, tx_frames = UINT64_MAX;

/* The answer of the kernel: the settings, then what was counted. */
static struct rs_nl_span
pause_answer(struct builder *b, bool has_rx, bool has_tx)
{
	struct builder stats = {.len = 0};
	const uint8_t on = 1;
	if (has_tx)
		u64(&stats, ETHTOOL_A_PAUSE_STAT_TX_FRAMES, tx_frames);
	if (has_rx)
		u64(&stats, ETHTOOL_A_PAUSE_STAT_RX_FRAMES, rx_frames);
	begin(b, ETHTOOL_MSG_PAUSE_GET_REPLY, 0, SEQ);
	attribute(b, ETHTOOL_A_PAUSE_HEADER | NLA_F_NESTED, "", 0);
	attribute(b, ETHTOOL_A_PAUSE_RX, &on, sizeof(on));
	attribute(b, ETHTOOL_A_PAUSE_STATS | NLA_F_NESTED, stats.bytes, stats.len);
	end(b);
	return (struct rs_nl_span){b->bytes + sizeof(struct nlmsghdr), b->bytes + b->len};
}

START_TEST(pause_frames_are_told_as_far_as_they_are_counted)
{
	for (unsigned i = 0; i < 4; i++) {
		struct builder b = {.len = 0};
		struct rs_pause_frames f = {.has_rx = false};
		const bool has_rx = i & 1, has_tx = i & 2;
		ck_assert_int_eq(rs_ethtool_parse_pause(pause_answer(&b, has_rx, has_tx), &f), 0);
		ck_assert(f.has_rx == has_rx && f.has_tx == has_tx);
		ck_assert_uint_eq(f.rx, has_rx ? rx_frames : 0);
		ck_assert_uint_eq(f.tx, has_tx ? tx_frames : 0);
	}
}
END_TEST

START_TEST(an_answer_about_pause_that_is_cut_or_none_gives_nothing)
{
	struct builder b = {.len = 0};
	const struct rs_nl_span whole = pause_answer(&b, true, true);
	struct rs_pause_frames f = {.has_rx = false};
	for (const char *end_at = whole.p; end_at < whole.end; end_at++) {
		const struct rs_nl_span cut = {whole.p, end_at};
		(void)rs_ethtool_parse_pause(cut, &f);
		ck_assert(!f.has_rx && !f.has_tx);
	}
	b.bytes[sizeof(struct nlmsghdr)] = ETHTOOL_MSG_PAUSE_NTF; /* the command */
	ck_assert_int_eq(rs_ethtool_parse_pause(whole, &f), 0);
	ck_assert(!f.has_rx && !f.has_tx);
}
END_TEST

/* NULL, after a line that says so, where the kernel has no such family. */
static struct rs_genl *
open_live(void)
{
	struct rs_genl *g = NULL;
	const int error = rs_genl_open(&g);
	if (error == -ENOENT)
		(void)printf("# SKIP the kernel has no netdev family: not tested\n");
	else
		ck_assert_int_eq(error, 0);
	return g;
}

START_TEST(the_kernel_answers_many_dumps_over_one_socket)
{
	struct rs_genl *const g = open_live();
	for (unsigned i = 0; g && i < 20; i++) {
		struct seen queues = {.n = 0}, napis = {.n = 0}, counters = {.n = 0};
		const int error = rs_genl_queues(g, see_queue, &queues);
		if (error == -EOPNOTSUPP) {
			(void)printf("# SKIP the kernel tells no queues: not tested\n");
			break;
		}
		ck_assert_int_eq(error, 0);
		ck_assert_int_eq(rs_genl_napis(g, see_napi, &napis), 0);
		const int rc = rs_genl_qstats(g, see_qstats, &counters);
		ck_assert(rc == 0 || rc == -EOPNOTSUPP);
		/* A queue that has a NAPI instance is served by one that is listed. */
		ck_assert(queues.queue.napi_id == 0 || napis.n > 0);
	}
	rs_genl_close(g);
}
END_TEST

/* Loopback has no such settings, and an interface that is not there no answer; the
 * socket is good for another question each time. */
START_TEST(the_kernel_says_who_counts_no_pause_frames)
{
	struct rs_ethtool_pause *p = NULL;
	struct rs_pause_frames f;
	const int error = rs_ethtool_pause_open(&p);
	if (error == -ENOENT) {
		(void)printf("# SKIP the kernel has no ethtool family: not tested\n");
		return;
	}
	ck_assert_int_eq(error, 0);
	for (unsigned i = 0; i < 5; i++) {
		ck_assert_int_eq(rs_ethtool_pause_get(p, 1, &f), -EOPNOTSUPP);
		ck_assert_int_eq(rs_ethtool_pause_get(p, INT32_MAX, &f), -ENODEV);
	}
	rs_ethtool_pause_close(p);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("genl");
	TCase *const t = tcase_create("parse");
	tcase_add_test(t, each_queue_is_told_with_numbers_of_either_width);
	tcase_add_test(t, what_a_driver_does_not_keep_is_not_zero);
	tcase_add_loop_test(t, drops_are_those_of_the_direction, 0, (int)RS_ARRAY_LEN(drops));
	tcase_add_test(t, stops_are_those_of_transmit_queues);
	tcase_add_test(t, totals_and_unknown_kinds_of_queue_are_passed_over);
	tcase_add_test(t, unknown_attributes_are_passed_over);
	tcase_add_test(t, a_napi_has_a_line_and_a_thread_only_when_they_are_told);
	tcase_add_test(t, a_queue_names_its_napi_when_it_has_one);
	tcase_add_loop_test(t, a_cut_answer_is_refused_wherever_it_is_cut, 0, PARSERS);
	tcase_add_loop_test(
	    t, a_cut_attribute_is_refused_where_the_message_ends_with_it, 0, PARSERS);
	tcase_add_loop_test(t, a_damaged_length_or_index_is_refused, 0, (int)RS_ARRAY_LEN(damages));
	tcase_add_loop_test(t, errors_of_the_kernel_are_passed_on, 0, PARSERS);
	tcase_add_loop_test(t, an_interrupted_dump_asks_for_another, 0, PARSERS);
	tcase_add_loop_test(t, answers_to_another_request_are_passed_over, 0, PARSERS);
	tcase_add_loop_test(t, random_damage_does_no_harm, 0, PARSERS);
	tcase_add_test(t, the_family_is_found_by_its_whole_name);
	tcase_add_test(t, pause_frames_are_told_as_far_as_they_are_counted);
	tcase_add_test(t, an_answer_about_pause_that_is_cut_or_none_gives_nothing);
	suite_add_tcase(s, t);
	TCase *const live = tcase_create("live");
	tcase_add_test(live, the_kernel_says_who_counts_no_pause_frames);
	tcase_add_test(live, the_kernel_answers_many_dumps_over_one_socket);
	suite_add_tcase(s, live);
	return s;
}

RS_CHECK_MAIN(suite())

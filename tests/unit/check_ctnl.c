/* SPDX-License-Identifier: ISC */
#include <errno.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/nfnetlink_conntrack.h>
#include <linux/netlink.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctnl.h"
#include "rs.h"
#include "rs_check.h"

enum { SEQ = 77, CONNECTION = NFNL_SUBSYS_CTNETLINK << 8 | IPCTNL_MSG_CT_NEW };

/* A datagram under construction; everything begins at a multiple of four. */
struct builder {
	char bytes[4096];
	size_t len;
};

static void
append(struct builder *b, const void *p, size_t len)
{
	ck_assert_uint_le(b->len + len + 3, sizeof(b->bytes));
	memset(b->bytes + b->len, 0, len + 3);
	if (len)
		memcpy(b->bytes + b->len, p, len);
	b->len = (b->len + len + 3) & ~(size_t)3;
}

static void
attribute(struct builder *b, uint16_t type, const void *value, size_t len)
{
	const struct nlattr a = {.nla_len = (uint16_t)(sizeof(a) + len), .nla_type = type};
	append(b, &a, sizeof(a));
	append(b, value, len);
}

/* Nested: ended by nest_end, which gets what this returns. */
static size_t
nest(struct builder *b, uint16_t type)
{
	const size_t at = b->len;
	attribute(b, type | NLA_F_NESTED, NULL, 0);
	return at;
}

static void
nest_end(struct builder *b, size_t at)
{
	const uint16_t len = (uint16_t)(b->len - at);
	memcpy(b->bytes + at, &len, sizeof(len));
}

static size_t
begin(struct builder *b, uint16_t type, uint32_t seq)
{
	const size_t at = b->len;
	const struct nlmsghdr h = {
	    .nlmsg_type = type, .nlmsg_flags = NLM_F_MULTI, .nlmsg_seq = seq};
	append(b, &h, sizeof(h));
	return at;
}

static void
end(struct builder *b, size_t at)
{
	const uint32_t len = (uint32_t)(b->len - at);
	memcpy(b->bytes + at, &len, sizeof(len));
}

/* Address and port of an end are all made of `mark`. */
static void
tuple(struct builder *b, uint16_t type, bool is_ipv6, uint8_t from, uint8_t to)
{
	uint8_t address[16];
	const uint8_t protocol = 6;
	const size_t bytes = is_ipv6 ? 16 : 4, at = nest(b, type), ip = nest(b, CTA_TUPLE_IP);
	memset(address, from, sizeof(address));
	attribute(b, is_ipv6 ? CTA_IP_V6_SRC : CTA_IP_V4_SRC, address, bytes);
	memset(address, to, sizeof(address));
	attribute(b, is_ipv6 ? CTA_IP_V6_DST : CTA_IP_V4_DST, address, bytes);
	nest_end(b, ip);
	const size_t proto = nest(b, CTA_TUPLE_PROTO);
	const uint8_t ports[2][2] = {{0x10, from}, {0x20, to}};
	attribute(b, CTA_PROTO_NUM, &protocol, 1);
	attribute(b, CTA_PROTO_SRC_PORT, ports[0], 2);
	attribute(b, CTA_PROTO_DST_PORT, ports[1], 2);
	nest_end(b, proto);
	nest_end(b, at);
}

static void
counters(struct builder *b, uint16_t type, uint8_t last)
{
	const uint8_t packets[8] = {0, 0, 0, 0, 0, 0, 0, 9};
	const uint8_t bytes[8] = {0, 0, 0, 1, 0, 0, 0, last};
	const size_t at = nest(b, type);
	attribute(b, CTA_COUNTERS_PACKETS, packets, sizeof(packets));
	attribute(b, CTA_COUNTERS_BYTES, bytes, sizeof(bytes));
	nest_end(b, at);
}

static void
connection_message(struct builder *b, bool is_ipv6, bool is_counted, uint32_t seq)
{
	const uint8_t id[4] = {1, 2, 3, 4}, zone[2] = {0, 5}, status[4] = {0};
	const struct nfgenmsg m = {.nfgen_family = 2};
	const size_t at = begin(b, CONNECTION, seq);
	append(b, &m, sizeof(m));
	tuple(b, CTA_TUPLE_ORIG, is_ipv6, 7, 8);
	tuple(b, CTA_TUPLE_REPLY, is_ipv6, 8, 7);
	attribute(b, CTA_STATUS, status, sizeof(status));
	if (is_counted) {
		counters(b, CTA_COUNTERS_ORIG, 1);
		counters(b, CTA_COUNTERS_REPLY, 2);
	}
	attribute(b, CTA_ID, id, sizeof(id));
	attribute(b, CTA_ZONE, zone, sizeof(zone));
	end(b, at);
}

static void
done_message(struct builder *b, int32_t code)
{
	const size_t at = begin(b, NLMSG_DONE, SEQ);
	append(b, &code, sizeof(code));
	end(b, at);
}

static struct rs_connection last;
static unsigned n_seen;

static void
see(void *arg, const struct rs_connection *c)
{
	(void)arg;
	last = *c;
	n_seen++;
}

/* Parses an exact copy, so that a read past the end is found. */
static int
parse(const char *bytes, size_t len, bool *done)
{
	char *const copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, bytes, len);
	n_seen = 0;
	*done = false;
	const int r = rs_ctnl_parse(copy, len, SEQ, see, NULL, done);
	free(copy);
	return r;
}

START_TEST(a_connection_is_told_with_both_directions)
{
	struct builder b = {.len = 0};
	bool done;
	connection_message(&b, _i == 1, true, SEQ);
	done_message(&b, 0);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), 0);
	ck_assert(done);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert(last.ends[0].is_ipv6 == (_i == 1) && last.ends[1].is_ipv6 == (_i == 1));
	ck_assert_uint_eq(last.protocol, 6);
	ck_assert_uint_eq(last.ends[0].source[_i == 1 ? 15 : 3], 7);
	ck_assert_uint_eq(last.ends[1].source[0], 8);
	ck_assert_uint_eq(last.ends[0].source_port, 0x1007);
	ck_assert_uint_eq(last.ends[1].destination_port, 0x2007);
	ck_assert(last.has_bytes);
	ck_assert_uint_eq(last.bytes[0], (UINT64_C(1) << 32) + 1);
	ck_assert_uint_eq(last.bytes[1], (UINT64_C(1) << 32) + 2);
	ck_assert_uint_eq(last.id, 0x01020304);
	ck_assert_uint_eq(last.zone, 5);
}
END_TEST

START_TEST(without_accounting_there_are_no_bytes)
{
	struct builder b = {.len = 0};
	bool done;
	connection_message(&b, false, false, SEQ);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), 0);
	ck_assert_uint_eq(n_seen, 1);
	ck_assert(!last.has_bytes);
}
END_TEST

START_TEST(a_connection_with_one_direction_is_not_told)
{
	struct builder b = {.len = 0};
	const struct nfgenmsg m = {.nfgen_family = 2};
	bool done;
	const size_t at = begin(&b, CONNECTION, SEQ);
	append(&b, &m, sizeof(m));
	tuple(&b, CTA_TUPLE_ORIG, false, 7, 8);
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), 0);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(answers_to_another_request_are_passed_over)
{
	struct builder b = {.len = 0};
	bool done;
	connection_message(&b, false, true, SEQ - 1);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), 0);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(a_refusal_is_passed_on)
{
	struct builder b = {.len = 0};
	const struct nlmsgerr e = {.error = -EPERM};
	bool done;
	const size_t at = begin(&b, NLMSG_ERROR, SEQ);
	append(&b, &e, sizeof(e));
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), -EPERM);
}
END_TEST

START_TEST(a_cut_answer_is_refused_wherever_it_is_cut)
{
	struct builder b = {.len = 0};
	bool done;
	connection_message(&b, true, true, SEQ);
	const size_t first = b.len;
	connection_message(&b, false, true, SEQ);
	for (size_t len = 1; len < b.len; len++) {
		ck_assert_int_eq(parse(b.bytes, len, &done), len == first ? 0 : -EINVAL);
		ck_assert_uint_eq(n_seen, len >= first);
		ck_assert(!done);
	}
}
END_TEST

/* Lengths of attributes that do not fit what is in them. */
static const struct {
	uint16_t type;
	size_t len;
} odd[] = {{CTA_ID, 3}, {CTA_ID, 8}, {CTA_ZONE, 4}, {CTA_ID, 0}};

START_TEST(a_number_of_odd_length_is_refused)
{
	struct builder b = {.len = 0};
	const struct nfgenmsg m = {.nfgen_family = 2};
	const char value[8] = "\xff\xff\xff\xff\xff\xff\xff\xff";
	bool done;
	const size_t at = begin(&b, CONNECTION, SEQ);
	append(&b, &m, sizeof(m));
	attribute(&b, odd[_i].type, value, odd[_i].len);
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), -EINVAL);
	ck_assert_uint_eq(n_seen, 0);
}
END_TEST

START_TEST(an_address_that_is_too_short_is_refused)
{
	struct builder b = {.len = 0};
	const struct nfgenmsg m = {.nfgen_family = 2};
	bool done;
	const size_t at = begin(&b, CONNECTION, SEQ);
	append(&b, &m, sizeof(m));
	const size_t t = nest(&b, CTA_TUPLE_ORIG), ip = nest(&b, CTA_TUPLE_IP);
	attribute(&b, CTA_IP_V6_SRC, "1234", 4);
	nest_end(&b, ip);
	nest_end(&b, t);
	end(&b, at);
	ck_assert_int_eq(parse(b.bytes, b.len, &done), -EINVAL);
}
END_TEST

START_TEST(random_damage_does_no_harm)
{
	struct builder whole = {.len = 0};
	connection_message(&whole, false, true, SEQ);
	connection_message(&whole, true, true, SEQ);
	done_message(&whole, 0);
	uint32_t state = 12345;
	for (unsigned round = 0; round < 20000; round++) {
		struct builder b = whole;
		bool done;
		for (unsigned i = 0; i < 3; i++) {
			state = state * 1664525u + 1013904223u;
			b.bytes[(state >> 8) % b.len] = (char)(state >> 24);
		}
		(void)parse(b.bytes, b.len - state % 5, &done);
		ck_assert_uint_le(n_seen, 2 + b.len / sizeof(struct nlmsghdr));
	}
}
END_TEST

/* Of the running kernel: all are told, or it says why not. */
START_TEST(the_kernel_answers_in_parts)
{
	struct rs_ctnl *c;
	bool done = false;
	int error = rs_ctnl_open(&c);
	if (error) {
		ck_assert_int_eq(error, -EPROTONOSUPPORT);
		return;
	}
	error = rs_ctnl_begin(c);
	for (unsigned i = 0; i < 100000 && !error && !done; i++)
		error = rs_ctnl_step(c, 1, see, NULL, &done);
	ck_assert_msg(done || error == -EPERM || error == -EINVAL, "%s", strerror(-error));
	/* One that is given up can be asked again. */
	if (!error) {
		ck_assert_int_eq(rs_ctnl_begin(c), 0);
		rs_ctnl_give_up(c);
		ck_assert_int_eq(rs_ctnl_step(c, 1, see, NULL, &done), -EBADF);
		ck_assert_int_eq(rs_ctnl_begin(c), 0);
	}
	rs_ctnl_close(c);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("ctnl");
	TCase *tc = tcase_create("ctnl");

	tcase_add_loop_test(tc, a_connection_is_told_with_both_directions, 0, 2);
	tcase_add_test(tc, without_accounting_there_are_no_bytes);
	tcase_add_test(tc, a_connection_with_one_direction_is_not_told);
	tcase_add_test(tc, answers_to_another_request_are_passed_over);
	tcase_add_test(tc, a_refusal_is_passed_on);
	tcase_add_test(tc, a_cut_answer_is_refused_wherever_it_is_cut);
	tcase_add_loop_test(tc, a_number_of_odd_length_is_refused, 0, (int)RS_ARRAY_LEN(odd));
	tcase_add_test(tc, an_address_that_is_too_short_is_refused);
	tcase_add_test(tc, random_damage_does_no_harm);
	tcase_add_test(tc, the_kernel_answers_in_parts);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

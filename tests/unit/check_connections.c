/* SPDX-License-Identifier: ISC */
/* Lists of tracked connections in captures, and what two of them tell of flows. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "model.h"
#include "rs_check.h"

extern const struct rs_collector rs_collector_proc_nf_conntrack;

static struct rs_frame *frame;

static void
set_up(void)
{
	ck_assert_int_eq(rs_frame_new(1u << 20, &frame), 0);
}

static void
tear_down(void)
{
	rs_frame_free(frame);
}

/* From a copy of exactly its size. */
static int
parse_bytes(const char *text, size_t len)
{
	const struct rs_sys sys = {.online = NULL};
	char *const copy = malloc(len ? len : 1);

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, len);
	rs_frame_reset(frame, RS_NS_PER_S);
	const int rc =
	    rs_collector_proc_nf_conntrack.parse((struct rs_text){copy, copy + len}, &sys, frame);
	free(copy);
	return rc;
}

static const char text[] =
    "ipv4     2 tcp      6 431999 ESTABLISHED src=10.0.0.2 dst=10.0.1.2 sport=5201 dport=40000 "
    "packets=5 bytes=123456789012 src=10.0.1.2 dst=192.0.2.1 sport=40000 dport=6000 packets=4 "
    "bytes=300 [ASSURED] mark=0 zone=7 use=2\n"
    "ipv6     10 udp      17 29 src=2001:db8::1 dst=2001:db8::2 sport=53 dport=5353 packets=1 "
    "bytes=70 [UNREPLIED] src=2001:db8::2 dst=2001:db8::1 sport=5353 dport=53 packets=0 bytes=0 "
    "mark=0 use=2\r\n"
    "ipv4     2 unknown  47 599 src=10.0.0.1 dst=10.0.0.9 src=10.0.0.9 dst=10.0.0.1 use=2\n";

START_TEST(connections_are_read_with_both_directions)
{
	ck_assert_int_eq(parse_bytes(text, strlen(text)), 0);
	ck_assert(frame->has_connections);
	ck_assert_uint_eq(frame->n_connections, 3);
	ck_assert_uint_eq(frame->skipped_rows, 0);
	const struct rs_connection *c = &frame->connections[0];
	ck_assert_uint_eq(c->protocol, 6);
	ck_assert_uint_eq(c->zone, 7);
	ck_assert_uint_eq(c->bytes[0], 123456789012);
	ck_assert_uint_eq(c->bytes[1], 300);
	ck_assert_uint_eq(c->ends[0].source[0], 10);
	ck_assert_uint_eq(c->ends[0].source_port, 5201);
	ck_assert_uint_eq(c->ends[1].destination[0], 192); /* as it comes back, translated */
	ck_assert_uint_eq(c->ends[1].destination_port, 6000);
	ck_assert(frame->connections[1].ends[1].is_ipv6 && frame->connections[1].has_bytes);
	ck_assert_uint_eq(frame->connections[1].ends[1].source[15], 2);
	ck_assert(!frame->connections[2].has_bytes);
	ck_assert_uint_eq(frame->connections[2].protocol, 47);
}
END_TEST

/* Cut anywhere: what is told is of whole lines, and is what stands in them. */
START_TEST(a_cut_list_tells_whole_lines_only)
{
	for (size_t len = 0; len < strlen(text); len++) {
		const int rc = parse_bytes(text, len);
		ck_assert(rc == 0 || rc == -EINVAL);
		ck_assert_uint_le(frame->n_connections, 3);
		if (frame->n_connections > 0)
			ck_assert_uint_eq(frame->connections[0].bytes[1], 300);
		if (frame->n_connections > 1)
			ck_assert_uint_eq(frame->connections[1].bytes[0], 70);
	}
}
END_TEST

static const char *const odd[] = {
    "",
    "\n",
    "ipv4",
    "ipv4 2 tcp 6 9 src=10.0.0.1",
    "garbage \x01\xff\n",
    "ipv4 2 tcp 6 9 src=10.0.0.1 dst=10.0.0.2 src=10.0.0.2 dst=10.0.0.1 src=1.1.1.1 use=1",
    "ipv4 2 tcp 6 9 src=10.0.0.999 dst=10.0.0.2 src=10.0.0.2 dst=10.0.0.1 use=1",
    "ipv4 2 tcp 6 9 src=::1 dst=::2 src=::2 dst=::1 use=1",
    "ipv4 2 tcp 999 9 src=10.0.0.1 dst=10.0.0.2 src=10.0.0.2 dst=10.0.0.1 use=1",
    "ipv4 2 tcp 6 9 dst=10.0.0.2 src=10.0.0.1 src=10.0.0.2 dst=10.0.0.1 use=1",
    "ipv4 2 tcp 6 9 src=10.0.0.1 dst=10.0.0.2 sport=65536 src=10.0.0.2 dst=10.0.0.1 use=1",
    "ipv4 2 tcp 6 9 src=::1 dst=::2 bytes=1 src=::2 dst=::1 bytes=1 use=1",
    "ipv6 10 tcp 6 9 src=::1 dst=::2 bytes=99999999999999999999 src=::2 dst=::1 bytes=1 use=1",
    "ipv4 2 tcp 6 9 src=10.0.0.1 dst=10.0.0.2 bytes=-4 src=10.0.0.2 dst=10.0.0.1 bytes=1 use=1",
};

START_TEST(what_is_no_connection_is_not_told)
{
	const int rc = parse_bytes(odd[_i], strlen(odd[_i]));
	ck_assert_uint_eq(frame->n_connections, 0);
	ck_assert(!frame->has_connections);
	ck_assert_int_eq(rc, frame->skipped_rows > 0 ? -EINVAL : 0);
}
END_TEST

/* Two samples of a capture: the model finds the flows. */
START_TEST(two_lists_tell_the_heaviest_flows)
{
	static const char first[] =
	    "ipv4 2 tcp 6 9 src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 bytes=1000 src=10.0.0.2 "
	    "dst=10.0.0.1 sport=2 dport=1 bytes=100 use=1\n";
	static const char second[] =
	    "ipv4 2 tcp 6 9 src=10.0.0.1 dst=10.0.0.2 sport=1 dport=2 bytes=126000 src=10.0.0.2 "
	    "dst=10.0.0.1 sport=2 dport=1 bytes=350 use=1\n";
	const struct rs_model_conf conf = {
	    .interval_ns = RS_NS_PER_S, .max_series = 100, .n_blocks = 3};
	struct rs_model *m;

	ck_assert_int_eq(rs_model_new(&conf, &m), 0);
	for (unsigned tick = 1; tick <= 100; tick++) {
		const struct rs_model_time t = {
		    .mono_ns = tick * RS_NS_PER_S, .due_ns = tick * RS_NS_PER_S};
		rs_model_begin(m, &t);
		if (tick <= 2) {
			const char *const list = tick == 1 ? first : second;
			ck_assert_int_eq(parse_bytes(list, strlen(list)), 0);
			frame->at_ns = t.mono_ns;
			rs_model_apply(m, frame);
		}
		rs_model_build_view(m);
		const struct rs_view *const v = rs_model_view(m);
		/* News for a minute and a half; before the second list there is none. */
		ck_assert_int_eq(v->has_flows, tick >= 2 && tick <= 92);
		ck_assert_uint_eq(v->n_flows, v->has_flows ? 2 : 0);
		if (v->has_flows)
			ck_assert_double_eq_tol(v->flows[0].bps, 1e6, 1e-3);
		(void)rs_model_end(m);
	}
	rs_model_free(m);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("connections");
	TCase *tc = tcase_create("connections");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, connections_are_read_with_both_directions);
	tcase_add_test(tc, a_cut_list_tells_whole_lines_only);
	tcase_add_loop_test(
	    tc, what_is_no_connection_is_not_told, 0, (int)(sizeof(odd) / sizeof(odd[0])));
	tcase_add_test(tc, two_lists_tell_the_heaviest_flows);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "flowtable.h"
#include "rs_check.h"

#define S RS_NS_PER_S

/* Connection number i of many that differ in addresses and ports. */
static struct rs_connection
connection(unsigned i, uint64_t forth, uint64_t back)
{
	struct rs_connection c = {.protocol = 6, .has_bytes = true, .bytes = {forth, back}};

	memcpy(c.ends[0].source, &i, sizeof(i));
	memcpy(c.ends[1].destination, &i, sizeof(i));
	c.ends[0].source_port = c.ends[1].destination_port = (uint16_t)(1024 + i % 60000);
	c.ends[0].destination_port = c.ends[1].source_port = 443;
	return c;
}

static struct rs_flow_table *table;
static struct rs_heavy_flow flows[RS_HEAVY_FLOWS_MAX];
static size_t n_flows;

static void
set_up(void)
{
	ck_assert_int_eq(rs_flow_table_new(&table), 0);
}

static void
tear_down(void)
{
	rs_flow_table_free(table);
}

/* A look at n connections, each of which has carried so much, at once. */
static bool
look(unsigned n, uint64_t bytes, rs_ns at_ns)
{
	ck_assert_int_eq(rs_flow_table_begin(table, n, at_ns), 0);
	for (unsigned i = 0; i < n; i++) {
		const struct rs_connection c = connection(i, bytes * (i + 1), 0);
		rs_flow_table_add(table, &c, at_ns);
	}
	return rs_flow_table_end(table, flows, &n_flows);
}

START_TEST(one_look_tells_nothing)
{
	ck_assert(!look(3, 1000, S));
	ck_assert_uint_eq(n_flows, 0);
}
END_TEST

START_TEST(two_looks_tell_rates_heaviest_first)
{
	(void)look(3, 1000, S);
	ck_assert(look(3, 2000000, 6 * S));
	ck_assert_uint_eq(n_flows, 3);
	/* (3 x 2000000 - 3 x 1000) bytes in 5 s. */
	ck_assert_double_eq_tol(flows[0].bps, 5997000.0 * 8 / 5, 1.0);
	ck_assert_double_eq_tol(flows[2].bps, 1999000.0 * 8 / 5, 1.0);
	const struct rs_connection last = connection(2, 0, 0);
	ck_assert_int_eq(memcmp(&flows[0].ends, &last.ends[0], sizeof(flows[0].ends)), 0);
	ck_assert_uint_eq(flows[0].protocol, 6);
	ck_assert_uint_eq(flows[0].ifindex, 0);
}
END_TEST

START_TEST(both_directions_are_flows)
{
	struct rs_connection c = connection(1, 100, 200);
	(void)rs_flow_table_begin(table, 1, S);
	rs_flow_table_add(table, &c, S);
	(void)rs_flow_table_end(table, flows, &n_flows);
	c.bytes[0] += 1000;
	c.bytes[1] += 500;
	(void)rs_flow_table_begin(table, 1, 2 * S);
	rs_flow_table_add(table, &c, 2 * S);
	ck_assert(rs_flow_table_end(table, flows, &n_flows));
	ck_assert_uint_eq(n_flows, 2);
	ck_assert_double_eq_tol(flows[0].bps, 8000.0, 1e-6);
	ck_assert_double_eq_tol(flows[1].bps, 4000.0, 1e-6);
	ck_assert_int_eq(memcmp(&flows[1].ends, &c.ends[1], sizeof(c.ends[1])), 0);
}
END_TEST

START_TEST(a_connection_that_began_since_counts_as_a_whole)
{
	(void)look(1, 1000, S);
	ck_assert_int_eq(rs_flow_table_begin(table, 2, 5 * S), 0);
	const struct rs_connection c = connection(77, 4000000, 0);
	rs_flow_table_add(table, &c, 5 * S);
	ck_assert(rs_flow_table_end(table, flows, &n_flows));
	ck_assert_uint_eq(n_flows, 1);
	ck_assert_double_eq_tol(flows[0].bps, 4000000.0 * 8 / 4, 1e-6);
}
END_TEST

START_TEST(counters_that_fall_are_no_rate)
{
	(void)look(2, 9000, S);
	ck_assert(look(2, 100, 2 * S));
	ck_assert_uint_eq(n_flows, 0);
	ck_assert(look(2, 300, 3 * S));
	ck_assert_uint_eq(n_flows, 2);
	ck_assert_double_eq_tol(flows[0].bps, 400.0 * 8, 1e-6);
}
END_TEST

START_TEST(a_connection_told_twice_counts_once)
{
	(void)look(1, 1000, S);
	(void)rs_flow_table_begin(table, 1, 2 * S);
	const struct rs_connection c = connection(0, 2000, 0), more = connection(0, 2500, 0);
	rs_flow_table_add(table, &c, 2 * S);
	rs_flow_table_add(table, &more, 2 * S + S / 2);
	ck_assert(rs_flow_table_end(table, flows, &n_flows));
	ck_assert_uint_eq(n_flows, 1);
	ck_assert_double_eq_tol(flows[0].bps, 8000.0, 1e-6);
}
END_TEST

START_TEST(connections_without_counts_are_not_told)
{
	for (unsigned k = 1; k <= 3; k++) {
		struct rs_connection c = connection(0, 1000u * k, 0);
		c.has_bytes = false;
		(void)rs_flow_table_begin(table, 1, k * S);
		rs_flow_table_add(table, &c, k * S);
		ck_assert(!rs_flow_table_end(table, flows, &n_flows));
		ck_assert_uint_eq(n_flows, 0);
	}
}
END_TEST

/* Each connection is seen at the same place of a look that takes long. */
START_TEST(a_look_may_take_many_ticks)
{
	for (unsigned k = 0; k < 2; k++) {
		const rs_ns begin = S + k * 40 * S;
		(void)rs_flow_table_begin(table, 20, begin);
		for (unsigned i = 0; i < 20; i++) {
			const struct rs_connection c = connection(i, 1000 + k * 40000, 0);
			rs_flow_table_add(table, &c, begin + i * S);
		}
		(void)rs_flow_table_end(table, flows, &n_flows);
	}
	ck_assert_uint_eq(n_flows, 20);
	for (size_t i = 0; i < n_flows; i++)
		ck_assert_double_eq_tol(flows[i].bps, 8000.0, 1e-6);
}
END_TEST

START_TEST(a_look_given_up_spoils_nothing)
{
	(void)look(2, 1000, S);
	(void)rs_flow_table_begin(table, 2, 3 * S);
	const struct rs_connection c = connection(0, 3000, 0);
	rs_flow_table_add(table, &c, 3 * S);
	ck_assert(look(2, 5000, 5 * S));
	ck_assert_uint_eq(n_flows, 2);
	ck_assert_double_eq_tol(flows[0].bps, 8000.0 * 8 / 4, 1e-6); /* the second: 2000 to 10000 */
	ck_assert_double_eq_tol(flows[1].bps, 2000.0 * 8 / 2, 1e-6); /* 3000 to 5000 in 2 s */
}
END_TEST

/* The heaviest of all are told, however many there are; rates are exact. */
START_TEST(the_heaviest_of_many_are_told)
{
	const unsigned n = 40000;
	(void)look(n, 10, S);
	ck_assert(look(n, 20, 11 * S));
	ck_assert_uint_eq(n_flows, RS_HEAVY_FLOWS_MAX);
	for (size_t i = 0; i < n_flows; i++)
		ck_assert_double_eq_tol(flows[i].bps, (double)(n - i) * 10 * 8 / 10, 1e-6);
	/* Others in their places: none of them had carried anything before. */
	(void)rs_flow_table_begin(table, n, 21 * S);
	for (unsigned i = n; i < 2 * n; i++) {
		const struct rs_connection c = connection(i, 10, 0);
		rs_flow_table_add(table, &c, 21 * S);
	}
	ck_assert(rs_flow_table_end(table, flows, &n_flows));
	for (size_t i = 0; i < n_flows; i++)
		ck_assert_double_le(flows[i].bps, 10 * 8 / 10.0 + 1e-6);
}
END_TEST

/* More than the table has places for: what found none is not told as news later. */
START_TEST(a_table_too_small_invents_no_flow)
{
	for (unsigned k = 1; k <= 3; k++) {
		ck_assert_int_eq(rs_flow_table_begin(table, 10, k * 10 * S), 0);
		for (unsigned i = 0; i < 20000; i++) {
			const struct rs_connection c = connection(i, 1000000 + k, 0);
			rs_flow_table_add(table, &c, k * 10 * S);
		}
		(void)rs_flow_table_end(table, flows, &n_flows);
		for (size_t i = 0; i < n_flows; i++)
			ck_assert_double_le(flows[i].bps, 1.0);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("flowtable");
	TCase *tc = tcase_create("flowtable");

	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, one_look_tells_nothing);
	tcase_add_test(tc, two_looks_tell_rates_heaviest_first);
	tcase_add_test(tc, both_directions_are_flows);
	tcase_add_test(tc, a_connection_that_began_since_counts_as_a_whole);
	tcase_add_test(tc, counters_that_fall_are_no_rate);
	tcase_add_test(tc, a_connection_told_twice_counts_once);
	tcase_add_test(tc, connections_without_counts_are_not_told);
	tcase_add_test(tc, a_look_may_take_many_ticks);
	tcase_add_test(tc, a_look_given_up_spoils_nothing);
	tcase_add_test(tc, the_heaviest_of_many_are_told);
	tcase_add_test(tc, a_table_too_small_invents_no_flow);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

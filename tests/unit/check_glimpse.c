/* SPDX-License-Identifier: ISC */
#include <math.h>
#include <string.h>

#include "glimpse.h"
#include "rs.h"
#include "rs_check.h"

enum { FOUND = 8 };

static struct rs_finding found[FOUND];
static size_t n_found;

static void
judge(const struct rs_glimpse *g)
{
	ck_assert_int_eq(rs_glimpse_judge(g, found, FOUND, &n_found), 0);
	for (size_t i = 0; i < n_found; i++)
		ck_assert_int_le(found[i].confidence, RS_MEDIUM);
}

static const struct {
	struct rs_glimpse_thread thread;
	double busy;
	unsigned n_cores;
	int severity; /* -1: nothing */
} threads[] = {
    {{"openvpn", 0.97, 0.0, 1, false}, 0.34, 4, RS_WARN},
    {{"suricata{W#01}", 0.95, 0.10, 1, false}, 0.34, 4, RS_WARN},
    {{"make", 0.99, 0.0, 1, false}, 0.34, 4, RS_INFO},	    /* packets do not pass it */
    {{"openvpn", 0.97, 0.0, -1, false}, 0.34, 0, RS_WARN},  /* where it ran is not told */
    {{"openvpn", 0.89, 0.0, 1, false}, 0.34, 4, -1},	    /* has time left */
    {{"openvpn", 0.97, 0.5, 1, false}, 0.34, 4, -1},	    /* has a second thread at work */
    {{"openvpn", 0.97, 0.0, 1, false}, 0.70, 4, -1},	    /* a full machine */
    {{"openvpn", 0.97, 0.0, 0, false}, 0.97, 1, -1},	    /* all there is */
    {{"ksoftirqd/1", 0.99, 0.0, 1, true}, 0.34, 4, -1},	    /* packet work itself */
    {{"openvpn", 0.97, 0.0, 1, false}, (double)NAN, 4, -1}, /* how busy the others are */
};

START_TEST(a_thread_that_fills_a_core_is_told_when_the_machine_is_not_full)
{
	const struct rs_glimpse g = {
	    .n_cores = threads[_i].n_cores,
	    .has_cores = true,
	    .busy = threads[_i].busy,
	    .packets = 0.05,
	    .system = NAN,
	    .threads = &threads[_i].thread,
	    .n_threads = 1,
	};

	judge(&g);
	ck_assert_uint_eq(n_found, threads[_i].severity >= 0);
	if (n_found == 0)
		return;
	ck_assert_str_eq(found[0].code, "core.user_single");
	ck_assert_int_eq((int)found[0].severity, threads[_i].severity);
	ck_assert_int_eq(found[0].subject.core, threads[_i].thread.cpu);
}
END_TEST

START_TEST(a_full_machine_is_told_where_cores_are_not)
{
	struct rs_glimpse g = {.busy = 0.97, .packets = 0.61, .system = 0.30};

	judge(&g);
	ck_assert_uint_eq(n_found, 1);
	ck_assert_str_eq(found[0].code, "core.saturated_all");
	ck_assert_ptr_nonnull(strstr(found[0].message, "saturated, not imbalanced"));
	ck_assert_ptr_nonnull(strstr(found[0].causes[0], "encryption"));
	g.packets = 0.2; /* not by packets */
	judge(&g);
	ck_assert_uint_eq(n_found, 0);
	g.packets = 0.61;
	g.has_cores = true; /* the rules over cores tell */
	judge(&g);
	ck_assert_uint_eq(n_found, 0);
}
END_TEST

static const struct {
	struct rs_glimpse_clock clock;
	bool is_told;
} clocks[] = {
    {{1, 600e6, 998e6, 0.84}, true},
    {{1, 600e6, 998e6, 0.50}, false}, /* may sleep */
    {{1, 950e6, 998e6, 0.99}, false}, /* measured a little off */
    {{1, 1400e6, 998e6, 0.99}, false},
    {{1, 600e6, (double)NAN, 0.99}, false},
};

START_TEST(a_low_clock_under_load_is_told)
{
	const struct rs_glimpse g = {
	    .busy = NAN, .packets = NAN, .system = NAN, .clocks = &clocks[_i].clock, .n_clocks = 1};

	judge(&g);
	ck_assert_uint_eq(n_found, clocks[_i].is_told);
	if (n_found > 0)
		ck_assert_ptr_nonnull(strstr(found[0].message, "600 MHz of 1000 MHz"));
}
END_TEST

static const struct {
	struct rs_glimpse_traffic traffic;
	double packets, busy;
	int severity; /* -1: nothing */
} floods[] = {
    {{"docker0", 21e3, 21e3 * 44, true}, 0.31, 0.90, RS_WARN},
    {{"eth0", 21e3, 21e3 * 60, false}, 0.31, 0.50, RS_INFO},
    {{"eth0", 9e3, 9e3 * 44, false}, 0.31, 0.90, -1},	 /* few */
    {{"eth0", 21e3, 21e3 * 500, false}, 0.31, 0.90, -1}, /* large */
    {{"eth0", 21e3, 21e3 * 44, false}, 0.05, 0.90, -1},	 /* cost nothing */
    {{"eth0", 21e3, 21e3 * 44, false}, (double)NAN, 0.9, -1},
};

START_TEST(many_small_packets_are_told_when_they_cost)
{
	const struct rs_glimpse g = {.busy = floods[_i].busy,
	    .has_cores = true,
	    .packets = floods[_i].packets,
	    .system = NAN,
	    .traffic = &floods[_i].traffic,
	    .n_traffic = 1};

	judge(&g);
	ck_assert_uint_eq(n_found, floods[_i].severity >= 0);
	if (n_found > 0)
		ck_assert_int_eq((int)found[0].severity, floods[_i].severity);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("glimpse");
	TCase *const tc = tcase_create("glimpse");

	tcase_add_loop_test(tc, a_thread_that_fills_a_core_is_told_when_the_machine_is_not_full, 0,
	    (int)RS_ARRAY_LEN(threads));
	tcase_add_test(tc, a_full_machine_is_told_where_cores_are_not);
	tcase_add_loop_test(tc, a_low_clock_under_load_is_told, 0, (int)RS_ARRAY_LEN(clocks));
	tcase_add_loop_test(
	    tc, many_small_packets_are_told_when_they_cost, 0, (int)RS_ARRAY_LEN(floods));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* The line through the minutes of the last hour, and what it makes of the headroom. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "headroom.h"
#include "recent.h"
#include "rs_check.h"
#include "view_builder.h"

#define K 1e3
#define M 1e6

/* --- the line ---------------------------------------------------------- */

static double xs[RS_TREND_MINUTES + 1], ys[RS_TREND_MINUTES + 1];

/* n minutes evenly from `low` to `high` kpps, on P = a + b * kpps, with `noise` up and
 * down in turns. */
static void
fill(unsigned n, double low, double high, double a, double b, double noise)
{
	for (unsigned i = 0; i < n; i++) {
		const double kpps = low + (high - low) * i / (n - 1.0);
		xs[i] = kpps * K;
		ys[i] = a + b * kpps + (i % 2 ? noise : -noise);
	}
}

static const struct {
	unsigned n;
	double low, high, a, b, noise;
	bool is_line;
} lines[] = {
    {20, 20, 60, .05, .01, 0, true},
    {60, 20, 60, .05, .01, 0, true},
    {21, 20, 60, .05, .01, .03, true},
    {60, 20, 60, -.10, .012, .02, true},
    {19, 20, 60, .05, .01, 0, false},	/* too few */
    {20, 20, 60, .05, .01, .06, false}, /* too far off it */
    {60, 20, 44, .05, .01, 0, true},
    {60, 20, 40, .05, .01, 0, false},  /* a range of two, but by the outermost ones only */
    {60, 40, 40, .05, .01, 0, false},  /* no range */
    {60, 20, 60, .50, 0, 0, false},    /* other work than packets */
    {60, 20, 60, .90, -.01, 0, false}, /* the more packets the less load */
    {60, 20, 60, .50, .002, 0, false}, /* rises by less than it may scatter */
    {60, 0, 60, .20, .01, 0, true},
};

START_TEST(a_line_needs_minutes_and_range_and_little_scatter)
{
	struct rs_line line;

	fill(lines[_i].n, lines[_i].low, lines[_i].high, lines[_i].a, lines[_i].b, lines[_i].noise);
	ck_assert_int_eq(rs_line_fit(xs, ys, lines[_i].n, &line), lines[_i].is_line);
	if (!lines[_i].is_line)
		return;
	ck_assert_uint_eq(line.minutes, lines[_i].n);
	ck_assert_double_eq_tol(line.a, lines[_i].a, lines[_i].noise + 1e-9);
	ck_assert_double_eq_tol(line.b * K, lines[_i].b, lines[_i].noise / 20 + 1e-9);
}
END_TEST

START_TEST(more_minutes_than_an_hour_has_are_no_line)
{
	struct rs_line line;

	fill(RS_TREND_MINUTES + 1, 20, 60, .05, .01, 0);
	ck_assert(!rs_line_fit(xs, ys, RS_TREND_MINUTES + 1, &line));
	ck_assert(!rs_line_fit(xs, ys, 0, &line));
}
END_TEST

/* What least squares would follow. */
START_TEST(odd_minutes_do_not_move_the_line)
{
	struct rs_line line;

	fill(24, 20, 60, .05, .01, 0);
	for (unsigned i = 0; i < 24; i += 5)
		ys[i] = .94;
	ck_assert(rs_line_fit(xs, ys, 24, &line));
	ck_assert_double_eq_tol(line.a, .05, 1e-9);
	ck_assert_double_eq_tol(line.b * K, .01, 1e-9);
}
END_TEST

START_TEST(odd_minutes_make_no_range)
{
	struct rs_line line;

	fill(24, 30, 31, .05, .01, 0);
	xs[3] = 90 * K;
	ys[3] = .95;
	xs[9] = 10 * K;
	ys[9] = .15;
	ck_assert(!rs_line_fit(xs, ys, 24, &line));
}
END_TEST

/* A median of many that are in disorder, and of equal ones. */
START_TEST(the_order_of_minutes_does_not_matter)
{
	struct rs_line there, back;

	fill(41, 20, 60, .05, .01, .02);
	ck_assert(rs_line_fit(xs, ys, 41, &there));
	for (unsigned i = 0; i < 41; i++) {
		const unsigned from = i * 16 % 41;
		const double kpps = 20 + from;
		xs[i] = kpps * K;
		ys[i] = .05 + .01 * kpps + (from % 2 ? .02 : -.02);
	}
	ck_assert(rs_line_fit(xs, ys, 41, &back));
	ck_assert_double_eq_tol(there.a, back.a, 1e-12);
	ck_assert_double_eq_tol(there.b, back.b, 1e-15);
}
END_TEST

/* --- headroom by it ---------------------------------------------------- */

/* A fifth of a core whatever comes, and 1 % for each kpps: .95 at 75 kpps. */
static const struct rs_line sample = {.a = .20, .b = .01 / K, .minutes = 30};

static const struct {
	double mbps, kpps, hottest;
	enum rs_extrapolation how;
	double more; /* Mbit/s; by proportion where the line does not count */
} rooms[] = {
    {500, 50, .70, RS_BY_HISTORY, 250}, {500, 50, .79, RS_BY_HISTORY, 250}, /* near the line */
    {500, 50, .81, RS_ABOUT, 86.4},  /* not on it: another traffic */
    {500, 50, .59, RS_ABOUT, 305.1}, /* the same */
    {300, 30, .50, RS_BY_HISTORY, 450},
    {290, 29, .49, RS_AT_LEAST, 272.2},					 /* less than half full */
    {740, 74, .94, RS_BY_HISTORY, 10}, {740, 78, .94, RS_BY_HISTORY, 0}, /* beyond its end */
    {740, 75, .95, RS_ABOUT, 0},					 /* full: measured */
    {500, 0, .70, RS_ABOUT, 178.6}, /* packets are not counted */
};

START_TEST(headroom_follows_the_line_where_it_holds)
{
	struct rs_headroom h;

	rs_headroom_model(
	    rooms[_i].mbps * M, (double)INFINITY, rooms[_i].hottest, rooms[_i].hottest, 4, &h);
	rs_headroom_by_line(&h, &sample, rooms[_i].kpps * K);
	ck_assert_int_eq(h.how, rooms[_i].how);
	ck_assert_double_eq_tol(h.more_bps / M, rooms[_i].more, .1);
	ck_assert(h.even_ceiling_bps >= h.ceiling_bps);
}
END_TEST

START_TEST(headroom_by_the_line_ends_at_the_link)
{
	struct rs_headroom h;

	rs_headroom_model(500 * M, 600 * M, .7, .7, 4, &h);
	rs_headroom_by_line(&h, &sample, 50 * K);
	ck_assert_int_eq(h.how, RS_BY_HISTORY);
	ck_assert_double_eq_tol(h.more_bps / M, 100, 1e-6);
	ck_assert_double_eq_tol(h.ceiling_bps / M, 750, 1e-6);
	ck_assert_double_eq_tol(h.gain_if_even, 1.0, 1e-9);
}
END_TEST

/* --- minutes ----------------------------------------------------------- */

static struct rs_vb *b;
static struct rs_nic_view *nic;
static struct rs_recent *recent;

static void
set_up(void)
{
	b = rs_vb_new(4);
	nic = rs_vb_nic(b, "eth0", 1000000000);
	ck_assert_int_eq(rs_recent_new(&recent), 0);
}

static void
tear_down(void)
{
	rs_recent_free(recent);
	rs_vb_free(b);
}

static void
tick(unsigned n)
{
	while (n-- > 0)
		rs_recent_add(recent, rs_vb_tick(b));
}

/* A minute at so many kpps, with the load the line above has for them. */
static void
minute(double kpps)
{
	rs_vb_core(b, 2, .20 + .01 * kpps, .20 + .01 * kpps);
	rs_vb_traffic(nic, kpps * 10 * M, 0, kpps * K);
	tick(60);
}

static void
minutes(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		minute(20 + i % 10 * 4);
}

START_TEST(twenty_minutes_make_a_line)
{
	minutes(19);
	ck_assert_ptr_null(rs_recent_line(recent));
	minutes(1);
	const struct rs_line *const line = rs_recent_line(recent);
	ck_assert_ptr_nonnull(line);
	ck_assert_double_eq_tol(line->a, .20, .01);
	ck_assert_double_eq_tol(line->b * K, .01, 5e-4);
}
END_TEST

START_TEST(minutes_of_an_hour_ago_do_not_count)
{
	minutes(30);
	ck_assert_uint_ge(rs_recent_line(recent)->minutes, 28);
	for (unsigned i = 0; i < 45; i++)
		minute(0); /* .20, and no packets */
	ck_assert_ptr_null(rs_recent_line(recent));
	minutes(70);
	ck_assert_uint_le(rs_recent_line(recent)->minutes, RS_TREND_MINUTES);
}
END_TEST

START_TEST(a_gap_of_hours_leaves_nothing)
{
	minutes(30);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	rs_vb_skip(b, 2 * 3600);
	tick(1);
	ck_assert_ptr_null(rs_recent_line(recent));
	tick(60);
	ck_assert_ptr_null(rs_recent_line(recent));
}
END_TEST

START_TEST(idle_and_full_minutes_do_not_count)
{
	for (unsigned i = 0; i < 50; i++) {
		const double load = i % 2 ? .1 : .97;
		rs_vb_core(b, 2, load, load);
		rs_vb_traffic(nic, load * M, 0, load * K);
		tick(60);
	}
	ck_assert_ptr_null(rs_recent_line(recent));
}
END_TEST

START_TEST(a_setting_begins_the_hour_anew)
{
	rs_vb_fact(b, RS_F_CONNTRACK_MAX, 0, RS_NO_QUEUE, rs_text_of("1000"));
	rs_vb_fact(b, RS_F_RPS_CPUS, nic->info.ifindex, 0, rs_text_of("none"));
	minutes(30);
	rs_vb_fact(b, RS_F_CONNTRACK_MAX, 0, RS_NO_QUEUE, rs_text_of("2000"));
	tick(1);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	rs_vb_fact(b, RS_F_RPS_CPUS, nic->info.ifindex, 0, rs_text_of("1-3"));
	tick(1);
	ck_assert_ptr_null(rs_recent_line(recent));
	minutes(22);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
}
END_TEST

START_TEST(another_number_of_cores_begins_it_anew)
{
	minutes(30);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	b->cores[3].is_online = false;
	tick(1);
	ck_assert_ptr_null(rs_recent_line(recent));
}
END_TEST

/* A process at 95 % on any core, or one that was not read. */
START_TEST(a_core_that_is_away_for_a_second_changes_nothing)
{
	const struct rs_core_view kept = b->cores[3];

	minutes(30);
	b->cores[3].user = 0.97;
	b->cores[3].idle = 0.03;
	tick(1);
	ck_assert_uint_eq(b->v.n_eligible, 3);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	b->cores[3] = kept;
	rs_vb_core_unknown(b, 3);
	tick(1);
	ck_assert_uint_eq(b->v.n_eligible, 3);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	b->cores[3] = kept;
	minutes(2);
	ck_assert_uint_ge(rs_recent_line(recent)->minutes, 28);
}
END_TEST

/* Whichever core was not read, it may be the hottest. */
START_TEST(a_tick_without_one_of_the_cores_does_not_count)
{
	for (unsigned i = 0; i < 30; i++) {
		const double kpps = 20 + i % 10 * 4;
		rs_vb_traffic(nic, kpps * 10 * M, 0, kpps * K);
		rs_vb_core(b, 1, .10, .10);
		rs_vb_core_unknown(b, 2);
		tick(20);
		rs_vb_core(b, 2, .20 + .01 * kpps, .20 + .01 * kpps);
		tick(40);
	}
	ck_assert_double_eq_tol(rs_recent_line(recent)->b * K, .01, 5e-4);
}
END_TEST

START_TEST(another_clock_begins_it_anew)
{
	b->cores[2].freq_max_hz = 2e9;
	b->cores[2].freq_hz = 1.9e9;
	minutes(30);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	b->cores[2].freq_hz = 1.2e9;
	minutes(2);
	ck_assert_ptr_null(rs_recent_line(recent));
	minutes(22);
	ck_assert_ptr_nonnull(rs_recent_line(recent));
}
END_TEST

START_TEST(ticks_without_a_clock_hide_no_other_clock)
{
	b->cores[2].freq_max_hz = 2e9;
	for (unsigned i = 0; i < 30; i++) {
		const double kpps = 20 + i % 10 * 4;
		rs_vb_core(b, 2, .20 + .01 * kpps, .20 + .01 * kpps);
		rs_vb_traffic(nic, kpps * 10 * M, 0, kpps * K);
		b->cores[2].freq_hz = NAN;
		tick(5);
		b->cores[2].freq_hz = 1.9e9;
		tick(55);
	}
	ck_assert_ptr_nonnull(rs_recent_line(recent));
	b->cores[2].freq_hz = 1.0e9;
	minutes(2);
	ck_assert_ptr_null(rs_recent_line(recent));
}
END_TEST

START_TEST(minutes_without_a_clock_do_not_count_beside_those_with_one)
{
	minutes(5); /* nobody told it yet */
	b->cores[2].freq_max_hz = 2e9;
	b->cores[2].freq_hz = 1.9e9;
	minutes(20);
	ck_assert_uint_ge(rs_recent_line(recent)->minutes, 24);
	const unsigned n = rs_recent_line(recent)->minutes;
	b->cores[2].freq_hz = NAN;
	minutes(6);
	ck_assert_uint_le(rs_recent_line(recent)->minutes, n + 1);
	b->cores[2].freq_hz = 1.0e9;
	minutes(2);
	ck_assert_ptr_null(rs_recent_line(recent));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("trend");
	TCase *tc = tcase_create("line");

	tcase_add_loop_test(
	    tc, a_line_needs_minutes_and_range_and_little_scatter, 0, (int)RS_ARRAY_LEN(lines));
	tcase_add_test(tc, more_minutes_than_an_hour_has_are_no_line);
	tcase_add_test(tc, odd_minutes_do_not_move_the_line);
	tcase_add_test(tc, odd_minutes_make_no_range);
	tcase_add_test(tc, the_order_of_minutes_does_not_matter);
	suite_add_tcase(s, tc);
	tc = tcase_create("headroom");
	tcase_add_loop_test(
	    tc, headroom_follows_the_line_where_it_holds, 0, (int)RS_ARRAY_LEN(rooms));
	tcase_add_test(tc, headroom_by_the_line_ends_at_the_link);
	suite_add_tcase(s, tc);
	tc = tcase_create("minutes");
	tcase_add_checked_fixture(tc, set_up, tear_down);
	tcase_add_test(tc, twenty_minutes_make_a_line);
	tcase_add_test(tc, minutes_of_an_hour_ago_do_not_count);
	tcase_add_test(tc, a_gap_of_hours_leaves_nothing);
	tcase_add_test(tc, idle_and_full_minutes_do_not_count);
	tcase_add_test(tc, a_setting_begins_the_hour_anew);
	tcase_add_test(tc, another_number_of_cores_begins_it_anew);
	tcase_add_test(tc, a_core_that_is_away_for_a_second_changes_nothing);
	tcase_add_test(tc, a_tick_without_one_of_the_cores_does_not_count);
	tcase_add_test(tc, another_clock_begins_it_anew);
	tcase_add_test(tc, ticks_without_a_clock_hide_no_other_clock);
	tcase_add_test(tc, minutes_without_a_clock_do_not_count_beside_those_with_one);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

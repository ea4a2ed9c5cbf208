/* SPDX-License-Identifier: ISC */
#include <math.h>

#include "recent.h"
#include "rs_check.h"
#include "view_builder.h"

static struct rs_vb *b;
static struct rs_recent *r;
static struct rs_nic_view *n;

static void
begin(void)
{
	b = rs_vb_new(2);
	n = rs_vb_nic(b, "eth0", 1000000000);
	ck_assert_int_eq(rs_recent_new(&r), 0);
}

static void
end(void)
{
	rs_recent_free(r);
	rs_vb_free(b);
}

static void
ticks(unsigned count)
{
	for (unsigned i = 0; i < count; i++)
		rs_recent_add(r, rs_vb_tick(b));
}

START_TEST(recent_sums_what_happened_in_its_span)
{
	rs_vb_traffic(n, 1e6, 0, 100);
	n->lost_ring_pps = 3;
	ticks(31);
	/* The first tick has no length: thirty seconds were seen. */
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RX_60), 3000, 1e-6);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RING_60), 90, 1e-6);
	ticks(300);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RX_60), 6000, 1e-6);
	rs_vb_traffic(n, 0, 0, 0);
	ticks(60);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RX_60), 0.0);
	ck_assert_double_gt(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RX_600), 30000.0);
}
END_TEST

START_TEST(recent_sum_survives_a_gap_shorter_than_its_span_only)
{
	n->lost_ring_pps = 10;
	ticks(11);
	rs_vb_skip(b, 30);
	n->lost_ring_pps = 0;
	ticks(1);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RING_60), 100, 1e-6);
	rs_vb_skip(b, 200);
	n->lost_ring_pps = NAN;
	ticks(1);
	ck_assert_double_nan(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RING_60));
}
END_TEST

START_TEST(recent_sum_of_what_is_not_known_is_not_zero)
{
	n->lost_ring_pps = NAN;
	ticks(20);
	ck_assert_double_nan(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RING_60));
	ck_assert_double_nan(rs_recent_sum(r, n->info.ifindex + 7, RS_RECENT_RX_60));
}
END_TEST

START_TEST(recent_counts_carrier_changes_but_not_those_of_another_life)
{
	n->info.carrier_changes = 40;
	ticks(2);
	n->info.carrier_changes = 44;
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 4.0);
	n->info.carrier_changes = 2; /* the driver was loaded again */
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 4.0);
	n->info.carrier_changes = 3;
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 5.0);
}
END_TEST

/* Somebody sets the ring, and drivers drop the link for that. */
static void
set_ring(const char *value)
{
	rs_vb_fact(b, RS_F_RING_RX, n->info.ifindex, RS_NO_QUEUE, rs_text_of(value));
}

START_TEST(recent_leaves_out_carrier_changes_that_a_setting_brought_about)
{
	n->info.carrier_changes = 4;
	set_ring("256");
	ticks(30);
	n->info.carrier_changes = 5; /* by itself */
	ticks(30);
	/* The setting is seen after the link. */
	n->info.carrier_changes = 7;
	ticks(4);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 3.0);
	set_ring("512");
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 1.0);
	/* And before it. */
	ticks(30);
	set_ring("1024");
	ticks(2);
	n->info.carrier_changes = 9;
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 1.0);
	ticks(30);
	n->info.carrier_changes = 10;
	ticks(1);
	ck_assert_double_eq(rs_recent_sum(r, n->info.ifindex, RS_RECENT_CARRIER_300), 2.0);
}
END_TEST

START_TEST(recent_leaves_out_damaged_frames_of_a_link_that_comes_or_goes)
{
	n->info.carrier_changes = 4;
	n->lost_wire_pps = 1;
	ticks(11);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_WIRE_600), 10, 1e-6);
	n->lost_wire_pps = 0;
	ticks(30);
	n->lost_wire_pps = 50;
	ticks(1); /* as it goes */
	n->info.carrier_changes = 5;
	n->info.is_up = 0;
	ticks(8);
	n->info.carrier_changes = 6;
	n->info.is_up = 1;
	ticks(5); /* as it comes */
	n->lost_wire_pps = 0;
	ticks(5);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_WIRE_600), 10, 1e-6);
	n->lost_wire_pps = 2;
	ticks(5);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_WIRE_600), 20, 1e-6);
}
END_TEST

START_TEST(recent_tells_loss_while_no_core_was_hot)
{
	n->lost_ring_pps = 10;
	ticks(11);
	rs_vb_core(b, 1, 0.95, 0.95);
	ticks(10);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_RING_60), 200, 1e-6);
	ck_assert_double_eq_tol(rs_recent_sum(r, n->info.ifindex, RS_RECENT_COLD_60), 100, 1e-6);
}
END_TEST

START_TEST(recent_tells_what_backlogs_lost_while_no_core_was_hot)
{
	b->cores[0].dropped_pps = b->cores[1].dropped_pps = NAN;
	ticks(1);
	ck_assert_int_eq(rs_recent_backlog(r).cpu, -1);
	ck_assert_double_nan(rs_recent_backlog(r).lost);
	for (unsigned i = 0; i < 2; i++) {
		b->cores[i].dropped_pps = 0;
		b->cores[i].processed_pps = 1000;
	}
	b->cores[1].dropped_pps = 15;
	b->cores[1].flow_limit_ps = 5; /* shed on purpose */
	ticks(10);
	b->cores[1].dropped_pps = 0;
	ticks(10);
	ck_assert_double_eq_tol(rs_recent_backlog(r).lost, 100, 1e-6);
	ck_assert_double_eq_tol(rs_recent_backlog(r).passed, 40000, 1e-6);
	ck_assert_int_eq(rs_recent_backlog(r).cpu, 1);
	rs_vb_core(b, 1, 0.95, 0.95);
	b->cores[0].dropped_pps = 10;
	ticks(10);
	ck_assert_double_eq_tol(rs_recent_backlog(r).lost, 100, 1e-6);
	ck_assert_int_eq(rs_recent_backlog(r).cpu, 1);
	b->cores[0].dropped_pps = 0;
	ticks(60);
	ck_assert_double_eq(rs_recent_backlog(r).lost, 0.0);
}
END_TEST

START_TEST(recent_tells_how_fast_the_table_of_connections_grows)
{
	double growth;
	ck_assert(!rs_recent_conntrack(r, &growth));
	for (unsigned i = 0; i < 20; i++) {
		b->v.conntrack_entries = 1000 + 50 * i;
		ticks(1);
		ck_assert(rs_recent_conntrack(r, &growth) == (i >= 8));
	}
	ck_assert_double_eq_tol(growth, 50, 1e-6);
	b->v.conntrack_entries = NAN;
	ticks(1);
	ck_assert(!rs_recent_conntrack(r, &growth));
}
END_TEST

START_TEST(recent_flow_tells_flat_from_moving)
{
	double mean, variation;

	rs_vb_traffic(n, 5e8, 1e6, 1000);
	ticks(5);
	ck_assert(!rs_recent_flow(r, false, &mean, &variation));
	ticks(6);
	ck_assert(rs_recent_flow(r, false, &mean, &variation));
	ck_assert_double_eq_tol(mean, 5e8, 1);
	ck_assert_double_lt(variation, 1e-9);
	for (unsigned i = 0; i < 10; i++) {
		rs_vb_traffic(n, i % 2 ? 4e8 : 6e8, 1e6, 1000);
		ticks(1);
	}
	ck_assert(rs_recent_flow(r, false, &mean, &variation));
	ck_assert_double_eq_tol(variation, 0.2, 1e-6);
}
END_TEST

START_TEST(recent_best_is_of_the_past_five_minutes)
{
	double forwarded, offered;

	ck_assert(!rs_recent_best(r, &forwarded, &offered));
	rs_vb_traffic(n, 1e6, 1e6, 200000);
	ticks(5);
	rs_vb_traffic(n, 1e6, 1e6, 100000);
	ticks(20);
	ck_assert(rs_recent_best(r, &forwarded, &offered));
	ck_assert_double_eq(forwarded, 200000);
	ck_assert_double_eq(offered, 200000);
	ticks(320);
	ck_assert(rs_recent_best(r, &forwarded, &offered));
	ck_assert_double_eq(forwarded, 100000);
}
END_TEST

START_TEST(recent_takes_over_the_place_of_an_interface_that_is_gone)
{
	/* More interfaces than places, one after the other. */
	rs_vb_traffic(n, 1e6, 0, 100);
	for (unsigned i = 0; i < 3 * RS_RECENT_NICS_MAX; i++) {
		n->info.ifindex = 100 + i;
		ticks(3);
		ck_assert_double_eq_tol(
		    rs_recent_sum(r, n->info.ifindex, RS_RECENT_RX_60), i ? 300 : 200, 1e-6);
	}
	ck_assert_double_nan(rs_recent_sum(r, 100, RS_RECENT_RX_60));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("recent");
	TCase *tc = tcase_create("recent");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, recent_sums_what_happened_in_its_span);
	tcase_add_test(tc, recent_sum_survives_a_gap_shorter_than_its_span_only);
	tcase_add_test(tc, recent_sum_of_what_is_not_known_is_not_zero);
	tcase_add_test(tc, recent_counts_carrier_changes_but_not_those_of_another_life);
	tcase_add_test(tc, recent_leaves_out_carrier_changes_that_a_setting_brought_about);
	tcase_add_test(tc, recent_leaves_out_damaged_frames_of_a_link_that_comes_or_goes);
	tcase_add_test(tc, recent_tells_loss_while_no_core_was_hot);
	tcase_add_test(tc, recent_tells_what_backlogs_lost_while_no_core_was_hot);
	tcase_add_test(tc, recent_tells_how_fast_the_table_of_connections_grows);
	tcase_add_test(tc, recent_flow_tells_flat_from_moving);
	tcase_add_test(tc, recent_best_is_of_the_past_five_minutes);
	tcase_add_test(tc, recent_takes_over_the_place_of_an_interface_that_is_gone);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

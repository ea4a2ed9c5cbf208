/* SPDX-License-Identifier: ISC */
#include <math.h>

#include "chance.h"
#include "rs.h"
#include "rs_check.h"

/* Exact values, computed with integers. */
static const struct {
	unsigned queues, flows;
	double share, p, within;
} cases[] = {
    {2, 8, 0.5, 1.0, 0.0},
    {2, 8, 0.75, 0.2891, 5e-5},
    {2, 8, 0.9, 0.00781, 5e-6},
    {2, 16, 0.75, 0.0768, 5e-5},
    {2, 64, 0.75, 0.0001, 5e-5},
    {4, 4, 0.5, 0.9062, 5e-5},
    {4, 4, 0.75, 0.2031, 5e-5},
    {4, 4, 0.9, 0.01562, 5e-6},
    {4, 5, 0.5, 0.4141, 5e-5},
    {4, 5, 0.75, 0.0625, 5e-5},
    {4, 8, 0.5, 0.4489, 5e-5},
    {4, 8, 0.75, 0.0169, 5e-5},
    {4, 16, 0.5, 0.1085, 5e-5},
    {4, 16, 0.75, 0.0002, 5e-5},
    {4, 32, 0.5, 0.0080, 5e-5},
    {8, 4, 0.5, 0.5898, 5e-5},
    {8, 8, 0.5, 0.0899, 5e-5},
    {8, 16, 0.5, 0.0024, 5e-5},
    {4, 2, 1.0, 0.25, 1e-12},
    {4, 10, 1.0, 3.814697265625e-6, 1e-15},
    {4, 32, 1.0, 2.168404344971009e-19, 1e-30},
    {8, 16, 1.0, 2.8421709430404007e-14, 1e-25},
};

START_TEST(chance_of_a_share_is_exact)
{
	const double p = rs_chance_of_share(cases[_i].flows, cases[_i].queues, cases[_i].share);

	ck_assert_double_le(fabs(p - cases[_i].p), cases[_i].within);
}
END_TEST

START_TEST(chance_of_a_share_is_that_of_counting)
{
	/* All 4^6 ways to put six flows on four queues. */
	for (unsigned least = 1; least <= 6; least++) {
		unsigned hits = 0;
		for (unsigned way = 0; way < 4096; way++) {
			unsigned n[4] = {0}, most = 0;
			for (unsigned f = 0; f < 6; f++)
				n[way >> (2 * f) & 3]++;
			for (unsigned q = 0; q < 4; q++)
				most = n[q] > most ? n[q] : most;
			hits += most >= least;
		}
		ck_assert_double_eq_tol(
		    rs_chance_of_share(6, 4, least / 6.0), hits / 4096.0, 1e-12);
	}
}
END_TEST

START_TEST(chance_at_its_limits)
{
	ck_assert_double_eq(rs_chance_of_share(0, 4, 1.0), 1.0);
	ck_assert_double_eq(rs_chance_of_share(5, 1, 1.0), 1.0);
	ck_assert_double_nan(rs_chance_of_share(5, 0, 1.0));
	ck_assert_double_nan(rs_chance_of_share(5, 4, (double)NAN));
	ck_assert_double_eq(rs_chance_of_share(5, 4, 1.5), 0.0);
	ck_assert_double_eq(
	    rs_chance_of_share(100000, 4, 0.9), rs_chance_of_share(RS_CHANCE_FLOWS_MAX, 4, 0.9));
	/* A thousand queues: neither overflow nor a number out of range. */
	ck_assert_double_ge(rs_chance_of_share(64, 1000, 0.05), 0.0);
	ck_assert_double_le(rs_chance_of_share(64, 1000, 0.05), 1.0);
}
END_TEST

START_TEST(chance_of_all_on_one_falls_with_each_flow)
{
	ck_assert_double_eq(rs_chance_of_one(1.0, 4), 1.0);
	ck_assert_double_eq_tol(rs_chance_of_one(2.0, 4), 0.25, 1e-15);
	/* The fewest effective flows for which it is no chance. */
	ck_assert_double_lt(rs_chance_of_one(8.0, 2), 0.01);
	ck_assert_double_ge(rs_chance_of_one(7.0, 2), 0.01);
	ck_assert_double_lt(rs_chance_of_one(5.0, 4), 0.01);
	ck_assert_double_ge(rs_chance_of_one(4.0, 4), 0.01);
	ck_assert_double_lt(rs_chance_of_one(4.0, 8), 0.01);
	ck_assert_double_ge(rs_chance_of_one(3.0, 8), 0.01);
}
END_TEST

START_TEST(chance_counts_effective_flows)
{
	const double equal[] = {3, 3, 3, 3}, uneven[] = {97, 1, 1, 1};

	ck_assert_double_eq_tol(rs_effective_flows(equal, 4), 4.0, 1e-12);
	ck_assert_double_lt(rs_effective_flows(uneven, 4), 1.1);
	ck_assert_double_eq(rs_effective_flows(equal, 0), 0.0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("chance");
	TCase *tc = tcase_create("chance");

	tcase_add_loop_test(tc, chance_of_a_share_is_exact, 0, (int)RS_ARRAY_LEN(cases));
	tcase_add_test(tc, chance_of_a_share_is_that_of_counting);
	tcase_add_test(tc, chance_at_its_limits);
	tcase_add_test(tc, chance_of_all_on_one_falls_with_each_flow);
	tcase_add_test(tc, chance_counts_effective_flows);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

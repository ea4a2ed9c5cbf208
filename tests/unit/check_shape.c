/* SPDX-License-Identifier: ISC */
/*
 * The reference cases: gap, slack and result of each, the classes by the
 * thresholds of the definition, and that no index of evenness could decide.
 */
#include <math.h>
#include <string.h>

#include "rs_check.h"
#include "shape.h"

enum class { OK, IMBALANCED, SATURATED, AT_LIMIT, SKEWED };

/* Loads in per cent (P = B); `rest` cores more at the last value. gap is G, or
 * without a hot core the lead of the hottest. -1: none. */
static const struct {
	double p[8];
	size_t n, rest;
	size_t n_hot;
	double gap, slack;
	enum class class;
} vectors[] = {
    {{13.8, 14.2, 5.5, 100}, 4, 0, 1, 88.83, 2.67, IMBALANCED},
    {{31.4, 0, 76.5, 51.4}, 4, 0, 0, 48.90, 2.41, OK},
    {{0.5, 0, 0, 0}, 4, 0, 0, 0.50, 4.00, OK},
    {{4, 1, 0, 0}, 4, 0, 0, 3.67, 3.95, OK},
    {{100, 98, 99, 97}, 4, 0, 4, -1, 0, SATURATED},
    {{60, 60, 0, 0}, 4, 0, 0, 40.00, 2.80, OK},
    {{100, 100, 0, 0}, 4, 0, 2, 100, 2.00, IMBALANCED},
    {{100, 100, 100, 0}, 4, 0, 3, 100, 1.00, IMBALANCED},
    {{100, 70, 70, 70}, 4, 0, 1, 30.00, 0.90, AT_LIMIT},
    {{76, 3, 2, 3}, 4, 0, 0, 73.33, 3.16, SKEWED},
    {{100, 8}, 2, 0, 1, 92.00, 0.92, IMBALANCED},
    {{95, 60}, 2, 0, 1, 35.00, 0.40, AT_LIMIT},
    {{100, 5}, 2, 6, 1, 95.00, 6.65, IMBALANCED},
    {{50, 50, 50, 50, 50, 50, 50, 50}, 8, 0, 0, 0, 4.0, OK},
    {{100, 20, 20, 20, 20, 20, 20, 20}, 8, 0, 1, 80, 5.6, IMBALANCED},
    {{50, 50, 50, 50, 50, 50, 50, 0}, 8, 0, 0, 7.14, 4.5, OK},
    {{100}, 1, 0, 1, -1, 0, SATURATED},
    {{89}, 1, 0, 0, 89, 0.11, OK},
};

/* The same with 64 cores, where the first eight differ from the others. */
static const struct {
	double first, second, others; /* core 0, cores 1 to 7, cores 8 to 63 */
	size_t n_hot;
	double gap, slack;
	enum class class;
} wide[] = {
    {50, 50, 0, 0, 44.44, 60.0, OK},
    {100, 20, 0, 1, 97.78, 61.6, IMBALANCED},
    {100, 100, 1, 8, 99.00, 55.44, IMBALANCED},
};

static enum class classify(const struct rs_group *groups, size_t n) {
	struct rs_shape s;

	rs_shape_of(groups, n, 0.90, &s);
	if (rs_shape_is_imbalanced(&s, 0.60, 0.5)) return IMBALANCED;
	if (rs_shape_is_saturated(&s, 0.85)) return SATURATED;
	if (s.n_hot > 0) return AT_LIMIT;
	return rs_shape_is_skewed(&s, 0.50, 0.60) ? SKEWED : OK;
}

static struct rs_group
group_of(double load, double busy)
{
	return (struct rs_group){.packet_load = load, .busy = busy};
}

static void
assert_shape(const struct rs_group *g, size_t n, size_t n_hot, double gap, double slack)
{
	struct rs_shape s;

	rs_shape_of(g, n, 0.90, &s);
	ck_assert_uint_eq(s.n, n);
	ck_assert_uint_eq(s.n_hot, n_hot);
	if (n_hot > 0 && n_hot < n)
		ck_assert_double_eq_tol(s.gap * 100.0, gap, 0.006);
	else
		ck_assert(isnan(s.gap));
	if (n_hot == 0)
		ck_assert_double_eq_tol(s.lead * 100.0, gap, 0.006);
	ck_assert_double_eq_tol(s.slack, slack, 0.006);
}

START_TEST(shape_of_the_reference_vectors)
{
	struct rs_group g[16];
	const size_t n = vectors[_i].n + vectors[_i].rest;

	for (size_t i = 0; i < n; i++) {
		const double p = vectors[_i].p[RS_MIN(i, vectors[_i].n - 1)] / 100.0;
		g[i] = group_of(p, p);
	}
	assert_shape(g, n, vectors[_i].n_hot, vectors[_i].gap, vectors[_i].slack);
	ck_assert_int_eq(classify(g, n), vectors[_i].class);
}
END_TEST

START_TEST(shape_of_64_cores)
{
	struct rs_group g[64];

	for (size_t i = 0; i < 64; i++) {
		const double p = (i == 0     ? wide[_i].first
				     : i < 8 ? wide[_i].second
					     : wide[_i].others) /
				 100.0;
		g[i] = group_of(p, p);
	}
	if (wide[_i].n_hot > 0)
		assert_shape(g, 64, wide[_i].n_hot, wide[_i].gap, wide[_i].slack);
	ck_assert_int_eq(classify(g, 64), wide[_i].class);
	struct rs_shape s;
	rs_shape_of(g, 64, 0.90, &s);
	ck_assert_double_eq_tol(s.slack, wide[_i].slack, 0.006);
}
END_TEST

/* The seed's first column taken as further busy time. */
START_TEST(shape_slack_counts_all_busy_time)
{
	const struct rs_group g[] = {
	    group_of(.138, .146), group_of(.142, .146), group_of(.055, .067), group_of(1, 1)};

	assert_shape(g, 4, 1, 88.83, 2.641);
	ck_assert_int_eq(classify(g, 4), IMBALANCED);
}
END_TEST

/* P, B of one core beside three idle ones: hot or not. */
static const struct {
	double load, busy;
	bool is_hot;
} heats[] = {
    {.90, .90, true},
    {.89, .96, false},
    {.50, .97, true},
    {.50, .96, false},
    {.49, 1.0, false},
    {.0, 1.0, false},
    {.7, 1.0, true},
};

START_TEST(shape_hot_is_packet_work_or_a_full_core_with_much_of_it)
{
	const struct rs_group g = group_of(heats[_i].load, heats[_i].busy);

	ck_assert_int_eq(rs_group_is_hot(&g, 0.90), heats[_i].is_hot);
}
END_TEST

/* Just at and just below each threshold of the imbalance; three other cores. */
static const struct {
	double hot, load, busy; /* the hot core; load and busy of the others */
	bool is_raised, is_held;
} edges[] = {
    {.90, .30, .50, true, true},
    {.90, .31, .50, false, true},
    {.89, .10, .10, false, true},
    {.95, .35, .35, true, true},
    {1.0, .40, .8333, true, true},
    {1.0, .40, .84, false, true},
    {1.0, .40, .90, false, true},
    {1.0, .40, .91, false, false},
    {1.0, .55, .55, false, true},
    {1.0, .56, .56, false, false},
    {.80, .0, .0, false, true},
    {.79, .0, .0, false, false},
};

START_TEST(shape_imbalance_raises_and_clears_at_its_thresholds)
{
	struct rs_group g[4];
	struct rs_shape raise, hold;

	g[0] = group_of(edges[_i].hot, edges[_i].hot);
	for (size_t i = 1; i < 4; i++)
		g[i] = group_of(edges[_i].load, edges[_i].busy);
	rs_shape_of(g, 4, 0.90, &raise);
	rs_shape_of(g, 4, 0.80, &hold);
	ck_assert_int_eq(rs_shape_is_imbalanced(&raise, 0.60, 0.5), edges[_i].is_raised);
	ck_assert_int_eq(rs_shape_is_imbalanced(&hold, 0.45, 0.3), edges[_i].is_held);
}
END_TEST

START_TEST(shape_of_a_single_core_is_saturated_when_it_is_hot)
{
	const struct rs_group g = group_of(.92, .92);
	struct rs_shape s;

	rs_shape_of(&g, 1, 0.90, &s);
	ck_assert(rs_shape_is_saturated(&s, 1.0)); /* whatever the threshold of several */
	ck_assert(!rs_shape_is_imbalanced(&s, 0.0, 0.0));
	rs_shape_of(&g, 1, 0.93, &s);
	ck_assert(!rs_shape_is_saturated(&s, 0.0));
}
END_TEST

/* Max/mean, CV, Jain's index: each ranks a case that is fine as worse than one
 * that is not. This is why none of them is computed. */
START_TEST(shape_no_index_of_evenness_separates_the_cases)
{
	static const double quiet[] = {0.5, 0, 0, 0}, bad[] = {13.8, 14.2, 5.5, 100};
	static const double good[] = {31.4, 0, 76.5, 51.4}, three[] = {100, 100, 100, 0};
	const double *const cases[] = {quiet, bad, good, three};
	double ratio[4], jain[4];

	for (size_t i = 0; i < 4; i++) {
		double sum = 0, squares = 0, max = 0;
		for (size_t k = 0; k < 4; k++) {
			sum += cases[i][k];
			squares += cases[i][k] * cases[i][k];
			max = fmax(max, cases[i][k]);
		}
		ratio[i] = max / (sum / 4);
		jain[i] = sum * sum / (4 * squares);
	}
	ck_assert_double_eq_tol(ratio[1], 2.996, 0.0005);
	ck_assert_double_eq_tol(jain[2], 0.6692, 0.00005);
	ck_assert(ratio[0] > ratio[1] && ratio[2] > ratio[3]);
	ck_assert(jain[0] < jain[1] && jain[2] < jain[3]);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("shape");
	TCase *tc = tcase_create("shape");

	tcase_add_loop_test(tc, shape_of_the_reference_vectors, 0, (int)RS_ARRAY_LEN(vectors));
	tcase_add_loop_test(tc, shape_of_64_cores, 0, (int)RS_ARRAY_LEN(wide));
	tcase_add_test(tc, shape_slack_counts_all_busy_time);
	tcase_add_loop_test(tc, shape_hot_is_packet_work_or_a_full_core_with_much_of_it, 0,
	    (int)RS_ARRAY_LEN(heats));
	tcase_add_loop_test(
	    tc, shape_imbalance_raises_and_clears_at_its_thresholds, 0, (int)RS_ARRAY_LEN(edges));
	tcase_add_test(tc, shape_of_a_single_core_is_saturated_when_it_is_hot);
	tcase_add_test(tc, shape_no_index_of_evenness_separates_the_cases);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

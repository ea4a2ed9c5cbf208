/* SPDX-License-Identifier: ISC */
/*
 * Windows and majorities; and what they make of the sampling noise of a tick
 * accounted kernel, computed exactly: every pattern of votes, weighted with
 * its binomial probability, is put to the function the engine uses.
 */
#include <math.h>
#include <string.h>

#include "rs_check.h"
#include "vote.h"

static const struct {
	rs_ns interval_ns;
	unsigned seconds, samples, window;
} windows[] = {
    {RS_NS_PER_S, 5, 5, 5},
    {RS_NS_PER_S / 2, 5, 5, 10},
    {RS_NS_PER_S / 5, 5, 5, 25},
    {60 * RS_NS_PER_S, 5, 5, 5},
    {3 * RS_NS_PER_S, 5, 5, 5},
    {RS_NS_PER_S, 15, 15, 15},
    {RS_NS_PER_S / 5, 15, 15, 75},
    {60 * RS_NS_PER_S, 15, 15, 15},
    {300 * RS_NS_PER_MS, 5, 5, 17},
    {RS_NS_PER_S, 12, 5, 12},
    {RS_NS_PER_MS, 5, 5, RS_VOTE_TICKS},
    {0, 5, 5, 5},
};

START_TEST(vote_window_is_the_longer_of_seconds_and_samples)
{
	ck_assert_uint_eq(
	    rs_vote_window(windows[_i].interval_ns, windows[_i].seconds, windows[_i].samples),
	    windows[_i].window);
}
END_TEST

/* Oldest first: R raise, B between, C clear, - missing, . before the start. */
static struct rs_votes
votes_of(const char *text)
{
	static const char letters[] = ".-CBR";
	struct rs_votes v;

	memset(&v, 0, sizeof(v));
	for (size_t i = 0; text[i]; i++)
		v.at[i].vote = (uint8_t)(strchr(letters, text[i]) - letters);
	return v;
}

static const struct {
	const char *votes;
	bool is_carried;
} raises[] = {
    {"RRRRR", true},
    {"CRRRR", true},
    {"RRCRR", true},
    {"RRRCB", false},
    {"RRRBB", false},
    {"BBBBB", false},
    {".RRRR", true}, /* a young window needs four, too */
    {"..RRR", false},
    {"-RRRR", true},
    {"-RRRC", false}, /* 3 of 4 */
    {"--RRR", true},
    {"R-R-R", true}, /* every second tick missed on an overloaded box */
    {"--RRC", false},
    {"---RR", false}, /* fewer than three samples decide nothing */
    {"-----", false},
    {"CCCCCCCCRRRRRRRR", false}, /* 8 of 16 */
    {"CRRRRRRRRC", true},	 /* 8 of 10 */
    {"CRRRRRRRBC", false},
};

START_TEST(vote_is_carried_by_four_fifths_of_what_was_sampled)
{
	const struct rs_votes v = votes_of(raises[_i].votes);
	const size_t n = strlen(raises[_i].votes);
	struct rs_tally t;

	rs_vote_count(&v, n - 1, (unsigned)n, &t);
	ck_assert_msg(
	    rs_vote_carries(&t, t.raise) == raises[_i].is_carried, "%s", raises[_i].votes);
}
END_TEST

START_TEST(vote_tally_counts_each_kind)
{
	struct rs_votes v = votes_of(".-CBRR");
	struct rs_tally t;

	v.at[3].severity = 2;
	v.at[4].severity = 1;
	rs_vote_count(&v, 5, 6, &t);
	ck_assert_uint_eq(t.window, 6);
	ck_assert_uint_eq(t.missing, 1);
	ck_assert_uint_eq(t.valid, 4);
	ck_assert_uint_eq(t.clear, 1);
	ck_assert_uint_eq(t.raise, 2);
	ck_assert_uint_eq(t.severity[0], 3);
	ck_assert_uint_eq(t.severity[1], 2);
	ck_assert_uint_eq(t.severity[2], 1);
}
END_TEST

START_TEST(vote_window_slides_over_the_ring)
{
	struct rs_votes v;
	struct rs_tally t;

	memset(&v, 0, sizeof(v));
	for (uint64_t tick = 0; tick < 3 * RS_VOTE_TICKS; tick++) {
		v.at[tick % RS_VOTE_TICKS].vote = tick % 4 ? RS_VOTE_CLEAR : RS_VOTE_RAISE;
		if (tick < RS_VOTE_TICKS)
			continue;
		rs_vote_count(&v, tick, RS_VOTE_TICKS, &t);
		ck_assert_uint_eq(t.raise, RS_VOTE_TICKS / 4);
		ck_assert_uint_eq(t.valid, RS_VOTE_TICKS);
	}
}
END_TEST

/* P(at least k of n). */
static double
at_least(unsigned n, double p, unsigned k)
{
	double sum = 0.0;

	for (unsigned i = k; i <= n; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
			   (n - i) * log(1.0 - p));
	return sum;
}

/* P(the motion is carried) when each of n samples votes for it with p. */
static double
carried(unsigned n, double p)
{
	double sum = 0.0;

	for (unsigned pattern = 0; pattern < 1u << n; pattern++) {
		struct rs_votes v;
		struct rs_tally t;
		double weight = 1.0;
		memset(&v, 0, sizeof(v));
		for (unsigned i = 0; i < n; i++) {
			const bool is_for = pattern >> i & 1;
			v.at[i].vote = is_for ? RS_VOTE_RAISE : RS_VOTE_CLEAR;
			weight *= is_for ? p : 1.0 - p;
		}
		rs_vote_count(&v, n - 1, n, &t);
		if (rs_vote_carries(&t, t.raise))
			sum += weight;
	}
	return sum;
}

/* True load; standard error and P(sample >= .90) at HZ=100; the votes 4 of 5
 * and 8 of 10 at HZ=100, 4 of 5 at 127, 250 and 1000. */
static const double noise[][8] = {
    {0.80, .0400, .0057, .00000, .000000, .00000, .00000, .00000},
    {0.85, .0357, .0994, .00045, .000000, .00002, .00000, .00000},
    {0.88, .0325, .3337, .04544, .003430, .01177, .00576, .00000},
    {0.90, .0300, .5832, .30848, .141636, .17801, .26072, .22252},
    {0.93, .0255, .9092, .93156, .944785, .90593, .99215, 1.0000},
    {0.95, .0218, .9885, .99871, .999829, .99874, 1.0000, 1.0000},
};

START_TEST(vote_tames_the_noise_of_tick_accounting)
{
	const double *row = noise[_i], p = row[0];
	const double sample = at_least(100, p, 90);

	ck_assert_double_eq_tol(sqrt(p * (1 - p) / 100), row[1], 0.00006);
	ck_assert_double_eq_tol(sample, row[2], 0.00006);
	ck_assert_double_eq_tol(carried(5, sample), row[3], 0.000006);
	ck_assert_double_eq_tol(carried(10, sample), row[4], 0.0000006);
	ck_assert_double_eq_tol(carried(5, at_least(127, p, 115)), row[5], 0.000006);
	ck_assert_double_eq_tol(carried(5, at_least(250, p, 225)), row[6], 0.000006);
	ck_assert_double_eq_tol(carried(5, at_least(1000, p, 900)), row[7], 0.000006);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("vote");
	TCase *tc = tcase_create("vote");

	tcase_add_loop_test(
	    tc, vote_window_is_the_longer_of_seconds_and_samples, 0, (int)RS_ARRAY_LEN(windows));
	tcase_add_loop_test(
	    tc, vote_is_carried_by_four_fifths_of_what_was_sampled, 0, (int)RS_ARRAY_LEN(raises));
	tcase_add_test(tc, vote_tally_counts_each_kind);
	tcase_add_test(tc, vote_window_slides_over_the_ring);
	tcase_add_loop_test(
	    tc, vote_tames_the_noise_of_tick_accounting, 0, (int)RS_ARRAY_LEN(noise));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

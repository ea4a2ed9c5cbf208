/* SPDX-License-Identifier: ISC */
/*
 * Wraps told from resets, at every width.
 */
#include "rate.h"
#include "rs_check.h"

#define S RS_NS_PER_S

static const struct rs_metric narrow = {.kind = RS_COUNTER, .width = 16, .unit = RS_UNIT_PACKETS};
static const struct rs_metric half = {.kind = RS_COUNTER, .width = 32, .unit = RS_UNIT_PACKETS};
static const struct rs_metric full = {.kind = RS_COUNTER, .width = 64, .unit = RS_UNIT_BYTES};
static const struct rs_metric cpu_time = {.kind = RS_COUNTER, .width = 64, .unit = RS_UNIT_SECONDS};

static const struct {
	const char *claim;
	const struct rs_metric *metric;
	uint64_t prev, cur;
	double last_rate_ps;
	enum rs_step step;
	uint64_t increment;
} cases[] = {
    {"a count that stands adds nothing", &half, 7, 7, 0, RS_STEP_OK, 0},
    {"a count that rises adds the difference", &half, 7, 19, 0, RS_STEP_OK, 12},
    {"a 64-bit count may rise by anything", &full, 0, UINT64_MAX, 0, RS_STEP_OK, UINT64_MAX},
    {"32 bits wrap", &half, UINT32_MAX - 9, 90, 100, RS_STEP_WRAP, 100},
    {"32 bits wrap without a rate before", &half, UINT32_MAX, 0, 0, RS_STEP_WRAP, 1},
    {"a fall from the middle is a reset", &half, 3000000000u, 100, 1000, RS_STEP_RESET, 0},
    {"a fast count wraps further", &half, UINT32_MAX - 9999999, 30000000, 8e6, RS_STEP_WRAP,
	40000000},
    {"the same jump of a slow count is a reset", &half, UINT32_MAX - 9999999, 30000000, 10,
	RS_STEP_RESET, 0},
    {"a count beyond its width was not that wide", &half, UINT64_C(1) << 33, 5, 0, RS_STEP_RESET,
	0},
    {"16 bits wrap", &narrow, 65530, 4, 10, RS_STEP_WRAP, 10},
    {"64 bits never wrap", &full, UINT64_MAX, 3, 1e18, RS_STEP_RESET, 0},
    {"a 32-bit kernel's fallen byte count is a gap, not a guess", &full, UINT32_MAX, 1000, 1e6,
	RS_STEP_RESET, 0},
    {"idle time steps back by rounding", &cpu_time, 64279, 64278, 100, RS_STEP_OK, 0},
    {"up to three seconds are noise", &cpu_time, 64279, 63979, 100, RS_STEP_OK, 0},
    {"more is a core that was unplugged", &cpu_time, 64279, 63978, 100, RS_STEP_RESET, 0},
};

START_TEST(steps)
{
	uint64_t increment = 0;
	ck_assert_msg(rs_rate_step(cases[_i].metric, cases[_i].prev, cases[_i].cur, S,
			  cases[_i].last_rate_ps, &increment) == cases[_i].step,
	    "%s", cases[_i].claim);
	ck_assert_msg(increment == cases[_i].increment, "%s", cases[_i].claim);
}
END_TEST

START_TEST(more_than_two_and_a_half_periods_are_a_gap)
{
	ck_assert(!rs_rate_is_gap(S, S));
	ck_assert(!rs_rate_is_gap(5 * S / 2, S));
	ck_assert(rs_rate_is_gap(5 * S / 2 + 1, S));
	ck_assert(rs_rate_is_gap(0, S));
	ck_assert(rs_rate_is_gap(-1, S));
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("rate");
	TCase *const t = tcase_create("rate");
	tcase_add_loop_test(t, steps, 0, (int)RS_ARRAY_LEN(cases));
	tcase_add_test(t, more_than_two_and_a_half_periods_are_a_gap);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

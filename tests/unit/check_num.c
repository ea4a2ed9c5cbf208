/* SPDX-License-Identifier: ISC */
/* Numbers of configurations and requests: exact, or refused with the reason. */
#include <errno.h>

#include "num.h"
#include "rs_check.h"

static const struct {
	const char *text;
	int result;
	uint64_t value;
} wholes[] = {
    {"0", 0, 0},
    {"18446744073709551615", 0, UINT64_MAX},
    {"18446744073709551616", -ERANGE, 0},
    {"123456789012345678901234567890", -ERANGE, 0},
    {"123456789012345678901234567890x", -EINVAL, 0},
    {"", -EINVAL, 0},
    {" 1", -EINVAL, 0},
    {"1 ", -EINVAL, 0},
    {"-1", -EINVAL, 0},
    {"1.0", -EINVAL, 0},
    {"0x10", -EINVAL, 0},
    {"1e3", -EINVAL, 0},
};

START_TEST(num_u64_is_the_whole_text_or_nothing)
{
	uint64_t value = 0;

	ck_assert_int_eq(rs_num_u64(rs_text_of(wholes[_i].text), &value), wholes[_i].result);
	ck_assert_uint_eq(value, wholes[_i].value);
}
END_TEST

static const struct {
	const char *text;
	int result;
	int64_t value;
} integers[] = {
    {"-0", 0, 0},
    {"+5", 0, 5},
    {"-5", 0, -5},
    {"9223372036854775807", 0, INT64_MAX},
    {"9223372036854775808", -ERANGE, 0},
    {"-9223372036854775808", 0, INT64_MIN},
    {"-9223372036854775809", -ERANGE, 0},
    {"-99999999999999999999999", -ERANGE, 0},
    {"--1", -EINVAL, 0},
    {"+-1", -EINVAL, 0},
    {"-", -EINVAL, 0},
    {"", -EINVAL, 0},
};

START_TEST(num_i64_reaches_both_ends)
{
	int64_t value = 0;

	ck_assert_int_eq(rs_num_i64(rs_text_of(integers[_i].text), &value), integers[_i].result);
	ck_assert_int_eq(value, integers[_i].value);
}
END_TEST

static const struct {
	const char *text;
	int result;
	double value;
} doubles[] = {
    {"0", 0, 0.0},
    {"1.5", 0, 1.5},
    {"-0.25", 0, -0.25},
    {"+3", 0, 3.0},
    {"0.1", 0, 0.1},
    {"0.30", 0, 0.3},
    {"1234567.125", 0, 1234567.125},
    {"0.333333333333333333333333333333333333", 0, 0.33333333333333333},
    {"99999999999999999999.5", -ERANGE, 0.0},
    {"99999999999999999999.5x", -EINVAL, 0.0},
    {".5", -EINVAL, 0.0},
    {"5.", -EINVAL, 0.0},
    {"1,5", -EINVAL, 0.0},
    {"1.2.3", -EINVAL, 0.0},
    {"1e3", -EINVAL, 0.0},
    {"nan", -EINVAL, 0.0},
    {"inf", -EINVAL, 0.0},
    {"0x1p3", -EINVAL, 0.0},
    {"", -EINVAL, 0.0},
    {"-", -EINVAL, 0.0},
};

START_TEST(num_double_is_plain_decimal)
{
	double value = 0;

	ck_assert_int_eq(rs_num_double(rs_text_of(doubles[_i].text), &value), doubles[_i].result);
	ck_assert_double_eq_tol(value, doubles[_i].value, 1e-15);
}
END_TEST

static const struct {
	const char *text;
	int result;
	rs_ns value;
} durations[] = {
    {"200ms", 0, 200 * RS_NS_PER_MS},
    {"0s", 0, 0},
    {"1s", 0, RS_NS_PER_S},
    {"5m", 0, 300 * RS_NS_PER_S},
    {"2h", 0, 7200 * RS_NS_PER_S},
    {"7d", 0, 7 * 86400 * RS_NS_PER_S},
    {"3y", 0, INT64_C(3) * 365 * 86400 * RS_NS_PER_S},
    {"292y", 0, INT64_C(292) * 365 * 86400 * RS_NS_PER_S},
    {"293y", -ERANGE, 0},
    {"99999999999999999999s", -ERANGE, 0},
    {"99999999999999999999x", -EINVAL, 0},
    {"60", -EINVAL, 0},
    {"s", -EINVAL, 0},
    {"1 s", -EINVAL, 0},
    {"1S", -EINVAL, 0},
    {"1sec", -EINVAL, 0},
    {"-1s", -EINVAL, 0},
    {"1.5s", -EINVAL, 0},
    {"", -EINVAL, 0},
};

START_TEST(num_duration_needs_a_unit)
{
	rs_ns value = 0;

	ck_assert_int_eq(
	    rs_num_duration(rs_text_of(durations[_i].text), &value), durations[_i].result);
	ck_assert_int_eq(value, durations[_i].value);
}
END_TEST

static const struct {
	const char *text;
	int result;
	uint64_t value;
} sizes[] = {
    {"4096", 0, 4096},
    {"4096B", 0, 4096},
    {"512kB", 0, 512000},
    {"256MB", 0, 256000000},
    {"2GB", 0, UINT64_C(2000000000)},
    {"1KiB", 0, 1024},
    {"1MiB", 0, 1048576},
    {"8GiB", 0, UINT64_C(8) << 30},
    {"17179869183GiB", 0, UINT64_C(17179869183) << 30},
    {"17179869184GiB", -ERANGE, 0},
    {"18446744073709551616", -ERANGE, 0},
    {"1TB", -EINVAL, 0},
    {"1kb", -EINVAL, 0},
    {"kB", -EINVAL, 0},
    {"-1", -EINVAL, 0},
    {"", -EINVAL, 0},
};

START_TEST(num_size_knows_both_families_of_units)
{
	uint64_t value = 0;

	ck_assert_int_eq(rs_num_size(rs_text_of(sizes[_i].text), &value), sizes[_i].result);
	ck_assert_uint_eq(value, sizes[_i].value);
}
END_TEST

START_TEST(num_bool_takes_the_eight_words)
{
	static const char *const yes[] = {"yes", "true", "on", "1"};
	static const char *const no[] = {"no", "false", "off", "0"};
	static const char *const neither[] = {"", "y", "Yes", "2", "yes ", "01"};
	bool value;

	for (size_t i = 0; i < RS_ARRAY_LEN(yes); i++) {
		value = false;
		ck_assert_int_eq(rs_num_bool(rs_text_of(yes[i]), &value), 0);
		ck_assert(value);
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(no); i++) {
		value = true;
		ck_assert_int_eq(rs_num_bool(rs_text_of(no[i]), &value), 0);
		ck_assert(!value);
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(neither); i++)
		ck_assert_int_eq(rs_num_bool(rs_text_of(neither[i]), &value), -EINVAL);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("num");
	TCase *tc = tcase_create("num");

	tcase_add_loop_test(tc, num_u64_is_the_whole_text_or_nothing, 0, (int)RS_ARRAY_LEN(wholes));
	tcase_add_loop_test(tc, num_i64_reaches_both_ends, 0, (int)RS_ARRAY_LEN(integers));
	tcase_add_loop_test(tc, num_double_is_plain_decimal, 0, (int)RS_ARRAY_LEN(doubles));
	tcase_add_loop_test(tc, num_duration_needs_a_unit, 0, (int)RS_ARRAY_LEN(durations));
	tcase_add_loop_test(tc, num_size_knows_both_families_of_units, 0, (int)RS_ARRAY_LEN(sizes));
	tcase_add_test(tc, num_bool_takes_the_eight_words);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

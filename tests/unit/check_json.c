/* SPDX-License-Identifier: ISC */
/* The JSON writer: what comes out is JSON, whatever goes in. */
#include <locale.h>
#include <math.h>
#include <string.h>

#include "buf.h"
#include "json.h"
#include "rs_check.h"

static struct rs_buf out;
static struct rs_json j;

static void
setup(void)
{
	rs_buf_init(&out, 4096);
	rs_json_init(&j, &out);
}

static void
teardown(void)
{
	rs_buf_fini(&out);
}

static const struct {
	double value;
	const char *text;
} numbers[] = {
    {0, "0"},
    {-0.0, "0"},
    {1, "1"},
    {-1, "-1"},
    {0.5, "0.5"},
    {-0.25, "-0.25"},
    {0.1, "0.1"},
    {0.982314159, "0.982314"},
    {1.0 / 3, "0.333333"},
    {0.000123456789, "0.000123457"},
    {0.0001, "0.0001"},
    {99.9999999, "100"},
    {0.99999999, "1"},
    {12.34, "12.34"},
    {999999.4, "999999"},
    {999999.7, "1000000"},
    {944123456.7, "944123457"},
    {1000000, "1000000"},
    {9007199254740991.0, "9007199254740991"},
    {18446744073709551616.0, "1.84467e19"},
    {-1e300, "-1e300"},
    {1.7976931348623157e308, "1.79769e308"},
    {0.00001, "1e-5"},
    {2.5e-7, "2.5e-7"},
    {9.999999e-5, "1e-4"},
    {1e-310, "0"},
    {5e-324, "0"},
    {(double)NAN, "null"},
    {(double)INFINITY, "null"},
    {-(double)INFINITY, "null"},
};

START_TEST(json_numbers_have_the_digits_that_are_of_use)
{
	char text[RS_JSON_NUMBER_MAX];

	ck_assert_uint_eq(rs_json_format(numbers[_i].value, text), strlen(numbers[_i].text));
	ck_assert_str_eq(text, numbers[_i].text);
}
END_TEST

START_TEST(json_numbers_stay_within_half_a_unit_of_the_sixth_digit)
{
	char text[RS_JSON_NUMBER_MAX];

	for (double v = 1.23456789e-12; v < 1e22; v *= 3.7) {
		const size_t len = rs_json_format(v, text);

		ck_assert_uint_lt(len, RS_JSON_NUMBER_MAX);
		const double back = strtod(text, NULL);

		ck_assert_msg(fabs(back - v) <= v * 5.1e-6, "%.17g became %s", v, text);
	}
}
END_TEST

START_TEST(json_numbers_do_not_follow_the_locale)
{
	char text[RS_JSON_NUMBER_MAX];

	/* Where no such locale is installed nothing is proven, nor broken. */
	(void)setlocale(LC_ALL, "de_DE.UTF-8");
	(void)rs_json_format(0.5, text);
	(void)setlocale(LC_ALL, "C");
	ck_assert_str_eq(text, "0.5");
}
END_TEST

static const struct {
	const char *bytes;
	size_t len;
	const char *text;
} strings[] = {
    {"", 0, "\"\""},
    {"eth0", 4, "\"eth0\""},
    {"a\"b\\c/", 6, "\"a\\\"b\\\\c/\""},
    {"\b\f\n\r\t", 5, "\"\\b\\f\\n\\r\\t\""},
    {"\0\x01\x1f\x7f", 4, "\"\\u0000\\u0001\\u001f\x7f\""},
    {"gr\xc3\xbc\xc3\x9f", 6, "\"gr\xc3\xbc\xc3\x9f\""},
    {"\xe2\x82\xac", 3, "\"\xe2\x82\xac\""},
    {"\xf0\x9f\x98\x80", 4, "\"\xf0\x9f\x98\x80\""},
    /* a lone byte, a cut sequence, overlong, a surrogate, beyond U+10FFFF */
    {"\xff", 1, "\"\xef\xbf\xbd\""},
    {"x\xc3", 2, "\"x\xef\xbf\xbd\""},
    {"\xe2\x82", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\xc0\xaf", 2, "\"\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\xe0\x80\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\xed\xa0\x80", 3, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\xf4\x90\x80\x80", 4, "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    {"\x80z", 2, "\"\xef\xbf\xbdz\""},
};

START_TEST(json_strings_are_escaped_and_always_utf_8)
{
	/* An own allocation, so that the sanitizer sees one byte too far. */
	char *bytes = malloc(strings[_i].len + 1);

	ck_assert_ptr_nonnull(bytes);
	memcpy(bytes, strings[_i].bytes, strings[_i].len);
	char *exact = realloc(bytes, strings[_i].len > 0 ? strings[_i].len : 1);

	ck_assert_ptr_nonnull(exact);
	rs_json_text(&j, (struct rs_text){exact, exact + strings[_i].len});
	free(exact);
	ck_assert(rs_json_is_whole(&j));
	ck_assert_str_eq(rs_buf_cstr(&out), strings[_i].text);
}
END_TEST

START_TEST(json_nesting_makes_its_commas)
{
	rs_json_object(&j);
	rs_json_put_int(&j, "a", INT64_MIN);
	rs_json_put_uint(&j, "b", UINT64_MAX);
	rs_json_key(&j, "c");
	rs_json_array(&j);
	rs_json_bool(&j, true);
	rs_json_null(&j);
	rs_json_array(&j);
	rs_json_end(&j);
	rs_json_object(&j);
	rs_json_end(&j);
	rs_json_end(&j);
	rs_json_put_known_int(&j, "d", -1);
	rs_json_put_known_string(&j, "e", "");
	rs_json_put_known_string(&j, "f", NULL);
	rs_json_put_string(&j, "g", "");
	rs_json_put_bool(&j, "h", false);
	rs_json_put_double(&j, "i", 1.5);
	rs_json_put_null(&j, "j\"");
	ck_assert(!rs_json_is_whole(&j));
	rs_json_end(&j);
	ck_assert(rs_json_is_whole(&j));
	ck_assert_str_eq(rs_buf_cstr(&out),
	    "{\"a\":-9223372036854775808,\"b\":18446744073709551615,\"c\":[true,null,[],{}],"
	    "\"d\":null,\"e\":null,\"f\":null,\"g\":\"\",\"h\":false,\"i\":1.5,\"j\\\"\":null}");
}
END_TEST

static void
two_roots(void)
{
	rs_json_null(&j);
	rs_json_null(&j);
}

static void
value_without_key(void)
{
	rs_json_object(&j);
	rs_json_null(&j);
	rs_json_end(&j);
}

static void
key_without_value(void)
{
	rs_json_object(&j);
	rs_json_key(&j, "a");
	rs_json_end(&j);
}

static void
key_in_array(void)
{
	rs_json_array(&j);
	rs_json_put_null(&j, "a");
	rs_json_end(&j);
}

static void
end_too_many(void)
{
	rs_json_array(&j);
	rs_json_end(&j);
	rs_json_end(&j);
}

static void
too_deep(void)
{
	for (int i = 0; i < 2 * RS_JSON_DEPTH_MAX; i++)
		rs_json_array(&j);
	for (int i = 0; i < 2 * RS_JSON_DEPTH_MAX; i++)
		rs_json_end(&j);
}

static void
nothing(void)
{
}

static void (*const mistakes[])(void) = {
    two_roots, value_without_key, key_without_value, key_in_array, end_too_many, too_deep, nothing};

START_TEST(json_mistakes_in_nesting_are_found)
{
	mistakes[_i]();
	ck_assert(!rs_json_is_whole(&j));
}
END_TEST

START_TEST(json_that_did_not_fit_is_not_whole)
{
	rs_buf_fini(&out);
	rs_buf_init(&out, 10);
	rs_json_string(&j, "longer than ten bytes");
	ck_assert(!rs_json_is_whole(&j));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("json");
	TCase *tc = tcase_create("json");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(
	    tc, json_numbers_have_the_digits_that_are_of_use, 0, (int)RS_ARRAY_LEN(numbers));
	tcase_add_test(tc, json_numbers_stay_within_half_a_unit_of_the_sixth_digit);
	tcase_add_test(tc, json_numbers_do_not_follow_the_locale);
	tcase_add_loop_test(
	    tc, json_strings_are_escaped_and_always_utf_8, 0, (int)RS_ARRAY_LEN(strings));
	tcase_add_test(tc, json_nesting_makes_its_commas);
	tcase_add_loop_test(tc, json_mistakes_in_nesting_are_found, 0, (int)RS_ARRAY_LEN(mistakes));
	tcase_add_test(tc, json_that_did_not_fit_is_not_whole);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* The cursor: every scanner takes its thing or leaves all untouched. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rs_check.h"
#include "text.h"

#define U64_MAX_DIGITS "18446744073709551615"

static const struct {
	const char *text;
	bool is_number;
	uint64_t value;
	const char *rest; /* after a success */
} decimals[] = {
    {"0", true, 0, ""},
    {"7 8", true, 7, " 8"},
    {" \t 42x", true, 42, "x"},
    {"0000000000000000000000000000012", true, 12, ""},
    {"9999999999999999999", true, UINT64_C(9999999999999999999), ""},
    {U64_MAX_DIGITS, true, UINT64_MAX, ""},
    {U64_MAX_DIGITS " 1", true, UINT64_MAX, " 1"},
    {"18446744073709551616", false, 0, NULL},
    {"99999999999999999999", false, 0, NULL},
    {"184467440737095516150", false, 0, NULL},
    {"", false, 0, NULL},
    {"  ", false, 0, NULL},
    {"-1", false, 0, NULL},
    {"+1", false, 0, NULL},
    {"x1", false, 0, NULL},
    {"\n1", false, 0, NULL},
    {"\xff", false, 0, NULL},
    {":", false, 0, NULL},
    {"/", false, 0, NULL},
};

START_TEST(text_u64_takes_what_fits_into_64_bits_and_nothing_else)
{
	struct rs_text t = rs_text_of(decimals[_i].text);
	const struct rs_text before = t;
	uint64_t value = 77;

	ck_assert_int_eq(rs_text_u64(&t, &value), decimals[_i].is_number);
	if (decimals[_i].is_number) {
		ck_assert_uint_eq(value, decimals[_i].value);
		ck_assert(rs_text_eq(t, decimals[_i].rest));
	} else {
		ck_assert_uint_eq(value, 77);
		ck_assert_ptr_eq(t.p, before.p);
	}
}
END_TEST

START_TEST(text_u64_never_reads_behind_the_end)
{
	/* An own allocation, so that the sanitizer sees one byte too far. */
	for (size_t len = 0; len <= strlen(U64_MAX_DIGITS); len++) {
		char *bytes = malloc(len + 1);
		uint64_t value = 0;

		ck_assert_ptr_nonnull(bytes);
		memcpy(bytes, U64_MAX_DIGITS, len);
		bytes[len] = '9';
		struct rs_text t = {bytes, bytes + len};

		ck_assert_int_eq(rs_text_u64(&t, &value), len > 0);
		ck_assert_ptr_eq(t.p, bytes + len);
		free(bytes);
	}
}
END_TEST

START_TEST(text_hex_takes_both_cases_up_to_16_digits)
{
	struct rs_text t = rs_text_of(" fFffFFff00000001,2");
	struct rs_text too_long = rs_text_of("10000000000000000");
	struct rs_text none = rs_text_of("g1");
	struct rs_text empty = rs_text_of("");
	uint64_t value = 0;

	ck_assert(rs_text_hex(&t, &value));
	ck_assert_uint_eq(value, UINT64_C(0xffffffff00000001));
	ck_assert(rs_text_eq(t, ",2"));
	ck_assert(!rs_text_hex(&too_long, &value));
	ck_assert(rs_text_eq(too_long, "10000000000000000"));
	ck_assert(!rs_text_hex(&none, &value));
	ck_assert(!rs_text_hex(&empty, &value));
	ck_assert_uint_eq(value, UINT64_C(0xffffffff00000001));
}
END_TEST

START_TEST(text_line_splits_at_lf_and_crlf_and_keeps_empty_lines)
{
	struct rs_text t = rs_text_of("one\r\n\ntwo\rx\n\r\nlast");
	static const char *const lines[] = {"one", "", "two\rx", "", "last"};
	struct rs_text line;

	for (size_t i = 0; i < RS_ARRAY_LEN(lines); i++) {
		ck_assert(rs_text_line(&t, &line));
		ck_assert_msg(rs_text_eq(line, lines[i]), "line %zu", i);
	}
	ck_assert(!rs_text_line(&t, &line));
	ck_assert(rs_text_eq(line, "last"));
}
END_TEST

START_TEST(text_line_makes_no_line_of_a_final_newline)
{
	struct rs_text t = rs_text_of("a\n");
	struct rs_text empty = {NULL, NULL};
	struct rs_text line;

	ck_assert(rs_text_line(&t, &line));
	ck_assert(!rs_text_line(&t, &line));
	ck_assert(!rs_text_line(&empty, &line));
}
END_TEST

START_TEST(text_word_stops_at_blank_or_tab)
{
	struct rs_text t = rs_text_of("  CPU0\tCPU1  ");
	struct rs_text word;

	ck_assert(rs_text_word(&t, &word));
	ck_assert(rs_text_eq(word, "CPU0"));
	ck_assert(rs_text_word(&t, &word));
	ck_assert(rs_text_eq(word, "CPU1"));
	ck_assert(!rs_text_word(&t, &word));
	ck_assert(rs_text_eq(t, "  "));
}
END_TEST

START_TEST(text_skip_and_until_take_exactly_their_string)
{
	struct rs_text t = rs_text_of("cpu0:rest");
	struct rs_text before;

	ck_assert(!rs_text_skip(&t, "cpux"));
	ck_assert(!rs_text_skip(&t, "cpu0:rest-and-more"));
	ck_assert(rs_text_skip(&t, "cpu"));
	ck_assert(rs_text_skip(&t, ""));
	ck_assert(!rs_text_until(&t, ';', &before));
	ck_assert(rs_text_until(&t, ':', &before));
	ck_assert(rs_text_eq(before, "0"));
	ck_assert(rs_text_eq(t, "rest"));
	ck_assert(rs_text_starts(t, "re"));
	ck_assert(!rs_text_starts(t, "est"));
}
END_TEST

START_TEST(text_trim_takes_blanks_and_line_ends_off_both_sides)
{
	ck_assert(rs_text_eq(rs_text_trim(rs_text_of("\t a b \r\n")), "a b"));
	ck_assert(rs_text_eq(rs_text_trim(rs_text_of(" \n ")), ""));
	ck_assert(rs_text_eq(rs_text_trim(rs_text_of("")), ""));
}
END_TEST

START_TEST(text_copy_says_when_it_cut)
{
	char dst[4];

	ck_assert(rs_text_copy(rs_text_of("abc"), dst, sizeof(dst)));
	ck_assert_str_eq(dst, "abc");
	ck_assert(!rs_text_copy(rs_text_of("wxyz"), dst, sizeof(dst)));
	ck_assert_str_eq(dst, "wxy");
	ck_assert(!rs_text_copy(rs_text_of("a"), dst, 0));
	ck_assert(rs_text_copy(rs_text_of(""), dst, 1));
	ck_assert_str_eq(dst, "");
}
END_TEST

START_TEST(text_same_compares_bytes_and_lengths)
{
	const struct rs_text none = {NULL, NULL};

	ck_assert(rs_text_same(rs_text_of("ab"), rs_text_of("ab")));
	ck_assert(!rs_text_same(rs_text_of("ab"), rs_text_of("abc")));
	ck_assert(!rs_text_same(rs_text_of("ab"), rs_text_of("ac")));
	ck_assert(rs_text_same(none, rs_text_of("")));
	ck_assert_uint_eq(rs_text_len(none), 0);
}
END_TEST

START_TEST(text_defuse_leaves_no_control_character)
{
	char s[] = "a\nb\x1b[31m\tc\x7f\xc3\xa4";

	rs_text_defuse(s);
	ck_assert_str_eq(s, "a?b?[31m?c?\xc3\xa4");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("text");
	TCase *tc = tcase_create("text");

	tcase_add_loop_test(tc, text_u64_takes_what_fits_into_64_bits_and_nothing_else, 0,
	    (int)RS_ARRAY_LEN(decimals));
	tcase_add_test(tc, text_u64_never_reads_behind_the_end);
	tcase_add_test(tc, text_hex_takes_both_cases_up_to_16_digits);
	tcase_add_test(tc, text_line_splits_at_lf_and_crlf_and_keeps_empty_lines);
	tcase_add_test(tc, text_line_makes_no_line_of_a_final_newline);
	tcase_add_test(tc, text_word_stops_at_blank_or_tab);
	tcase_add_test(tc, text_skip_and_until_take_exactly_their_string);
	tcase_add_test(tc, text_trim_takes_blanks_and_line_ends_off_both_sides);
	tcase_add_test(tc, text_copy_says_when_it_cut);
	tcase_add_test(tc, text_same_compares_bytes_and_lengths);
	tcase_add_test(tc, text_defuse_leaves_no_control_character);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

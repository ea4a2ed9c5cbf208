/* SPDX-License-Identifier: ISC */
/* Figures, lines and tables as they come out. */
#include <errno.h>
#include <math.h>
#include <string.h>
#include <time.h>

#include "figure.h"
#include "rs_check.h"
#include "table.h"

static const struct {
	double value;
	const char *unit, *text;
} figures[] = {
    {0, "bit/s", "0 bit/s"},
    {(double)NAN, "bit/s", "-"},
    {(double)INFINITY, "bit/s", "-"},
    {1e19, "bit/s", "-"},
    {0.001, "pps", "<0.1 pps"},
    {0.3, "pps", "0.3 pps"},
    {1, "", "1"},
    {5.02, "", "5"},
    {9.94, "", "9.9"},
    {9.97, "", "10"},
    {999.4, "pps", "999 pps"},
    {999.6, "pps", "1.00 kpps"},
    {1100, "", "1.10 k"},
    {9994, "", "9.99 k"},
    {9996, "", "10.0 k"},
    {62100.4, "pps", "62.1 kpps"},
    {760e6, "bit/s", "760 Mbit/s"},
    {12.04e6, "bit/s", "12.0 Mbit/s"},
    {1e18, "", "1000 P"},
    {-1500, "", "-1.50 k"},
    {-0.0, "", "0"},
};

START_TEST(figures_have_three_digits_and_a_prefix)
{
	char text[24];

	rs_figure(figures[_i].value, figures[_i].unit, text);
	ck_assert_str_eq(text, figures[_i].text);
}
END_TEST

static const struct {
	double value;
	const char *unit, *text;
} quantities[] = {
    {0.981, "ratio", "98 %"},
    {0.001, "ratio", "<1 %"},
    {0, "ratio", "0 %"},
    {1.5, "ratio", "150 %"},
    {(double)NAN, "ratio", "-"},
    {1e300, "ratio", "-"},
    {-1e300, "cores", "-"},
    {760123456, "bit/s", "760 Mbit/s"},
    {1234.5, "packets/s", "1.23 kpps"},
    {11900, "1/s", "11.9 k/s"},
    {13, "1/s", "13/s"},
    {1, "cores", "1 core"},
    {3.2e9, "Hz", "3.20 GHz"},
    {1.25, "cores", "1.25 cores"},
    {55.5, "celsius", "55.5 celsius"},
    {3, "", "3"},
    {3, "a unit that is far longer than any", "3 a unit that is far longe"},
};

START_TEST(quantities_know_the_units_of_the_api)
{
	char text[48];

	rs_figure_quantity(quantities[_i].value, quantities[_i].unit, text);
	ck_assert_str_eq(text, quantities[_i].text);
}
END_TEST

START_TEST(line_rates_are_round)
{
	static const struct {
		double bps;
		const char *text;
	} rates[] = {{1e9, "1 Gbit/s"}, {2.5e9, "2.5 Gbit/s"}, {100e6, "100 Mbit/s"},
	    {(double)NAN, "-"}, {0, "-"}, {-1, "-"}};
	char text[24];

	for (size_t i = 0; i < RS_ARRAY_LEN(rates); i++) {
		rs_figure_speed(rates[i].bps, text);
		ck_assert_str_eq(text, rates[i].text);
	}
}
END_TEST

START_TEST(numbers_of_things_are_whole)
{
	static const struct {
		double value;
		const char *text;
	} numbers[] = {{0, "0"}, {1151, "1151"}, {4294967295.0, "4294967295"}, {4294967296.0, "-"},
	    {1.5, "-"}, {-1, "-"}, {(double)NAN, "-"}};
	char text[24];

	for (size_t i = 0; i < RS_ARRAY_LEN(numbers); i++) {
		rs_figure_index(numbers[i].value, text);
		ck_assert_str_eq(text, numbers[i].text);
	}
}
END_TEST

START_TEST(times_are_of_the_place_and_within_reason)
{
	static const struct {
		double ms;
		const char *text;
	} times[] = {{1796061945526.0, "2026-11-30 20:05:45"}, {253402300799999.0, NULL},
	    {253402300800000.0, "-"}, {0, "-"}, {-5, "-"}, {1e300, "-"}, {(double)NAN, "-"}};
	char text[24];

	ck_assert_int_eq(setenv("TZ", "XST-2", 1), 0);
	tzset();
	for (size_t i = 0; i < RS_ARRAY_LEN(times); i++) {
		rs_figure_time(times[i].ms, text);
		if (times[i].text != NULL)
			ck_assert_str_eq(text, times[i].text);
	}
}
END_TEST

START_TEST(bars_have_ten_steps)
{
	static const struct {
		double ratio;
		const char *text;
	} bars[] = {{0, ".........."}, {0.44, "####......"}, {1, "##########"}, {17, "##########"},
	    {-1, "-"}, {(double)NAN, "-"}};
	char text[12];

	for (size_t i = 0; i < RS_ARRAY_LEN(bars); i++) {
		rs_figure_bar(bars[i].ratio, text);
		ck_assert_str_eq(text, bars[i].text);
	}
}
END_TEST

static void
expect(struct rs_page *p, const char *text)
{
	ck_assert_str_eq(rs_buf_cstr(&p->out), text);
	rs_page_fini(p);
}

START_TEST(what_is_put_stays_one_line_without_control_characters)
{
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_page_style(&p, RS_CRITICAL);
	/* ESC, newline, DEL, and CSI as U+009B and as a byte; an umlaut, U+00A0 and a
	 * character of four bytes stay, a cut one does not. */
	rs_page_printf(&p, "a\x1b[2J\nb%s",
	    "\r\x7f\xc2\x9b|\x9b\xff\xc3\xa4\xc2\xa0"
	    "\xf0\x9f\x94\xa5\xf0\x9f\x94");
	rs_page_end(&p);
	expect(&p, "a?[2J?b????|??\xc3\xa4\xc2\xa0\xf0\x9f\x94\xa5???\n");
}
END_TEST

START_TEST(a_style_ends_with_its_line)
{
	struct rs_page p;

	rs_page_init(&p, 0, true);
	rs_page_style(&p, RS_PLAIN);
	rs_page_style(&p, RS_WARNING);
	rs_page_printf(&p, "a");
	rs_page_end(&p);
	rs_page_printf(&p, "b");
	rs_page_end(&p);
	expect(&p, "\x1b[0;33ma\x1b[0m\nb\n");
}
END_TEST

START_TEST(prose_is_broken_between_words_where_the_page_ends)
{
	struct rs_page p;

	rs_page_init(&p, 10, false);
	rs_page_printf(&p, "x ");
	rs_page_prose(&p, 2, "%s", "1234 678 abcdefghijkl \xc3\xa4\xc3\xa4\xc3\xa4 56789 b");
	rs_page_prose(&p, 0, "%s", "  ");
	expect(&p, "x 1234 678\n  abcdefghijkl\n  \xc3\xa4\xc3\xa4\xc3\xa4\n  56789 b\n\n");
}
END_TEST

START_TEST(prose_is_not_broken_where_nobody_looks)
{
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_page_prose(&p, 2, "%0100d %0100d", 0, 0);
	ck_assert_uint_eq(p.out.len, 202);
	rs_page_fini(&p);
}
END_TEST

START_TEST(a_page_that_cannot_be_printed_is_an_error)
{
	FILE *const full = fopen("/dev/full", "w");
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_page_printf(&p, "a");
	if (full != NULL) {
		ck_assert_int_eq(rs_page_write(&p, full), -ENOSPC);
		(void)fclose(full);
	}
	p.out.failed = true;
	ck_assert_int_eq(rs_page_write(&p, stdout), -ENOMEM);
	rs_page_fini(&p);
}
END_TEST

static const struct rs_column columns[] = {
    {"name", RS_LEFT, 3, false},
    {"n", RS_RIGHT, 5, false},
    {"maybe", RS_LEFT, 0, true},
    {"rest", RS_LEFT, 0, false},
};

static void
put_row(struct rs_table *t, const char *name, const char *n, const char *maybe, const char *rest)
{
	rs_table_cell(t, RS_PLAIN, "%s", name);
	rs_table_cell(t, RS_PLAIN, "%s", n);
	rs_table_cell(t, RS_PLAIN, "%s", maybe);
	rs_table_cell(t, RS_PLAIN, "%s", rest);
}

START_TEST(a_table_aligns_and_leaves_out_what_says_nothing)
{
	struct rs_page p;
	struct rs_table t;

	rs_page_init(&p, 40, false);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	put_row(&t, "\xc3\xa4", "1", "-", "words that do not fit into it");
	put_row(&t, "longer", "1234567", "", "-");
	rs_table_add(&t, "\x1b%d", 1);
	rs_table_print(&t, &p, 1);
	expect(&p, " name          n  rest\n"
		   " \xc3\xa4             1  words that do not fit\n"
		   "                  into it\n"
		   " longer  1234567  -?1\n");
}
END_TEST

START_TEST(an_optional_column_is_there_for_one_cell)
{
	struct rs_page p;
	struct rs_table t;

	rs_page_init(&p, 0, false);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	put_row(&t, "a", "1", "-", "x");
	put_row(&t, "b", "2", "on", "y");
	rs_table_print(&t, &p, 0);
	expect(&p, "name      n  maybe  rest\n"
		   "a         1  -      x\n"
		   "b         2  on     y\n");
}
END_TEST

START_TEST(a_cell_is_cut_and_says_so)
{
	static const char forty_one[] = "1234567890123456789012345678901234567890x";
	struct rs_page p;
	struct rs_table t;

	rs_page_init(&p, 0, false);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	put_row(&t, forty_one, "1", "-", forty_one);
	rs_table_print(&t, &p, 0);
	ck_assert_ptr_nonnull(
	    strstr(rs_buf_cstr(&p.out), "\n1234567890123456789012345678901234567...      1  "
					"1234567890123456789012345678901234567890x\n"));
	rs_page_fini(&p);
}
END_TEST

START_TEST(an_empty_table_is_nothing)
{
	struct rs_page p;
	struct rs_table t;

	rs_page_init(&p, 0, false);
	rs_table_init(&t, columns, RS_ARRAY_LEN(columns));
	rs_table_print(&t, &p, 2);
	expect(&p, "");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("client_page");
	TCase *tc = tcase_create("client_page");

	tcase_add_loop_test(
	    tc, figures_have_three_digits_and_a_prefix, 0, (int)RS_ARRAY_LEN(figures));
	tcase_add_loop_test(
	    tc, quantities_know_the_units_of_the_api, 0, (int)RS_ARRAY_LEN(quantities));
	tcase_add_test(tc, line_rates_are_round);
	tcase_add_test(tc, numbers_of_things_are_whole);
	tcase_add_test(tc, times_are_of_the_place_and_within_reason);
	tcase_add_test(tc, bars_have_ten_steps);
	tcase_add_test(tc, what_is_put_stays_one_line_without_control_characters);
	tcase_add_test(tc, a_style_ends_with_its_line);
	tcase_add_test(tc, prose_is_broken_between_words_where_the_page_ends);
	tcase_add_test(tc, prose_is_not_broken_where_nobody_looks);
	tcase_add_test(tc, a_page_that_cannot_be_printed_is_an_error);
	tcase_add_test(tc, a_table_aligns_and_leaves_out_what_says_nothing);
	tcase_add_test(tc, an_optional_column_is_there_for_one_cell);
	tcase_add_test(tc, a_cell_is_cut_and_says_so);
	tcase_add_test(tc, an_empty_table_is_nothing);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

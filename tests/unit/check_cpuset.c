/* SPDX-License-Identifier: ISC */
/* CPU sets and the kernel's two spellings of them. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "buf.h"
#include "cpuset.h"
#include "rs_check.h"

static const struct {
	const char *text;
	int result;
	unsigned count;
	const char *list; /* how it is written back */
} lists[] = {
    {"", 0, 0, ""},
    {"\n", 0, 0, ""},
    {"0", 0, 1, "0"},
    {"0-3,8\n", 0, 5, "0-3,8"},
    {"8,0-3", 0, 5, "0-3,8"},
    {"0-2,1-5", 0, 6, "0-5"},
    {"62-65", 0, 4, "62-65"},
    {"3-3", 0, 1, "3"},
    {"0, 2", 0, 2, "0,2"},
    {"0-1151\r\n", 0, 1152, "0-1151"},
    {"8191", 0, 1, "8191"},
    {"0-8191", 0, 8192, "0-8191"},
    {"8192", -ERANGE, 0, NULL},
    {"0-99999999999999999999", -ERANGE, 0, NULL},
    {"3-1", -EINVAL, 0, NULL},
    {"1,", -EINVAL, 0, NULL},
    {",1", -EINVAL, 0, NULL},
    {"1,,2", -EINVAL, 0, NULL},
    {"1-", -EINVAL, 0, NULL},
    {"-1", -EINVAL, 0, NULL},
    {"0-3:1/2", -EINVAL, 0, NULL},
    {"0 1", -EINVAL, 0, NULL},
    {"all", -EINVAL, 0, NULL},
    {"(null)", -EINVAL, 0, NULL},
};

START_TEST(cpuset_list_is_read_and_written_back)
{
	struct rs_cpuset set;
	char text[64];

	rs_cpuset_zero(&set);
	rs_cpuset_add(&set, 7);
	const int r = rs_cpuset_parse_list(rs_text_of(lists[_i].text), &set);
	ck_assert_int_eq(r, lists[_i].result);
	if (r < 0) {
		ck_assert_msg(rs_cpuset_has(&set, 7), "a failure changed the set");
		return;
	}
	ck_assert_uint_eq(rs_cpuset_count(&set), lists[_i].count);
	rs_cpuset_format(&set, text, sizeof(text));
	ck_assert_str_eq(text, lists[_i].list);
}
END_TEST

static const struct {
	const char *text;
	int result;
	const char *list;
} masks[] = {
    {"0", 0, ""},
    {"f\n", 0, "0-3"},
    {"ff,00000001", 0, "0,32-39"},
    {"00000000,00000000,80000000", 0, "31"},
    {"1,00000000,00000000", 0, "64"},
    {"FFFFFFFF", 0, "0-31"},
    {"1,1", 0, "0,32"},
    {"", -EINVAL, NULL},
    {",", -EINVAL, NULL},
    {"1,", -EINVAL, NULL},
    {",1", -EINVAL, NULL},
    {"1, 1", -EINVAL, NULL},
    {"0x1", -EINVAL, NULL},
    {"100000000", -EINVAL, NULL},
    {"g", -EINVAL, NULL},
    {"1\nf", -EINVAL, NULL},
};

START_TEST(cpuset_mask_is_read_in_groups_of_32_bits)
{
	struct rs_cpuset set;
	char text[64];
	const int r = rs_cpuset_parse_mask(rs_text_of(masks[_i].text), &set);

	ck_assert_int_eq(r, masks[_i].result);
	if (r < 0)
		return;
	rs_cpuset_format(&set, text, sizeof(text));
	ck_assert_str_eq(text, masks[_i].list);
}
END_TEST

START_TEST(cpuset_mask_has_room_for_8192_and_refuses_a_bit_above)
{
	struct rs_cpuset set;
	struct rs_buf b;

	rs_buf_init(&b, 4096);
	rs_buf_puts(&b, "80000000");
	for (int i = 0; i < 255; i++)
		rs_buf_puts(&b, ",00000000");
	ck_assert_int_eq(rs_cpuset_parse_mask(rs_text_of(rs_buf_cstr(&b)), &set), 0);
	ck_assert_uint_eq(rs_cpuset_next(&set, 0), 8191);
	rs_buf_puts(&b, ",00000000");
	ck_assert_int_eq(rs_cpuset_parse_mask(rs_text_of(rs_buf_cstr(&b)), &set), -ERANGE);
	/* Zeros above are only a wider kernel. */
	rs_buf_reset(&b);
	rs_buf_puts(&b, "0");
	for (int i = 0; i < 300; i++)
		rs_buf_puts(&b, ",00000001");
	ck_assert_int_eq(rs_cpuset_parse_mask(rs_text_of(rs_buf_cstr(&b)), &set), -ERANGE);
	rs_buf_reset(&b);
	for (int i = 0; i < 300; i++)
		rs_buf_puts(&b, "00000000,");
	rs_buf_puts(&b, "00000001");
	ck_assert_int_eq(rs_cpuset_parse_mask(rs_text_of(rs_buf_cstr(&b)), &set), 0);
	ck_assert_uint_eq(rs_cpuset_count(&set), 1);
	rs_buf_fini(&b);
}
END_TEST

START_TEST(cpuset_members_are_walked_in_order)
{
	static const unsigned members[] = {0, 1, 63, 64, 127, 200, 4095, 8191};
	struct rs_cpuset set;
	unsigned cpu = 0;

	rs_cpuset_zero(&set);
	ck_assert_uint_eq(rs_cpuset_next(&set, 0), RS_CPU_MAX);
	for (size_t i = 0; i < RS_ARRAY_LEN(members); i++)
		rs_cpuset_add(&set, members[i]);
	for (size_t i = 0; i < RS_ARRAY_LEN(members); i++) {
		cpu = rs_cpuset_next(&set, cpu);
		ck_assert_uint_eq(cpu, members[i]);
		cpu++;
	}
	ck_assert_uint_eq(rs_cpuset_next(&set, cpu), RS_CPU_MAX);
	ck_assert_uint_eq(rs_cpuset_next(&set, UINT32_MAX), RS_CPU_MAX);
}
END_TEST

START_TEST(cpuset_ignores_numbers_out_of_range)
{
	struct rs_cpuset set;

	rs_cpuset_zero(&set);
	rs_cpuset_add(&set, RS_CPU_MAX);
	rs_cpuset_add(&set, UINT32_MAX);
	ck_assert_uint_eq(rs_cpuset_count(&set), 0);
	ck_assert(!rs_cpuset_has(&set, RS_CPU_MAX));
	rs_cpuset_add(&set, 5);
	rs_cpuset_remove(&set, RS_CPU_MAX + 5);
	ck_assert(rs_cpuset_has(&set, 5));
	rs_cpuset_remove(&set, 5);
	ck_assert(!rs_cpuset_has(&set, 5));
}
END_TEST

START_TEST(cpuset_format_cuts_between_items)
{
	struct rs_cpuset set;
	static const char whole[] = "0,2,4,6,100-2000";

	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of(whole), &set), 0);
	for (size_t cap = 1; cap <= sizeof(whole); cap++) {
		/* An own allocation, so that the sanitizer sees one byte too far. */
		char *text = malloc(cap);

		ck_assert_ptr_nonnull(text);
		rs_cpuset_format(&set, text, cap);
		ck_assert_uint_lt(strlen(text), cap);
		if (cap == sizeof(whole))
			ck_assert_str_eq(text, whole);
		if (cap == 12)
			ck_assert_str_eq(text, "0,2,4,6...");
		if (cap == 4)
			ck_assert_str_eq(text, "...");
		free(text);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("cpuset");
	TCase *tc = tcase_create("cpuset");

	tcase_add_loop_test(tc, cpuset_list_is_read_and_written_back, 0, (int)RS_ARRAY_LEN(lists));
	tcase_add_loop_test(
	    tc, cpuset_mask_is_read_in_groups_of_32_bits, 0, (int)RS_ARRAY_LEN(masks));
	tcase_add_test(tc, cpuset_mask_has_room_for_8192_and_refuses_a_bit_above);
	tcase_add_test(tc, cpuset_members_are_walked_in_order);
	tcase_add_test(tc, cpuset_ignores_numbers_out_of_range);
	tcase_add_test(tc, cpuset_format_cuts_between_items);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

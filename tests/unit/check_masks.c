/* SPDX-License-Identifier: ISC */
/* Sets of cores as advice writes them and as settings have them. */
#include <stdio.h>
#include <string.h>

#include "masks.h"
#include "rs_check.h"

static const struct {
	const char *list, *hex;
} masks[] = {
    {"", "0"},
    {"0", "1"},
    {"1-3", "e"},
    {"0-31", "ffffffff"},
    {"32", "1,00000000"},
    {"0-39", "ff,ffffffff"},
    {"4,36,68", "10,00000010,00000010"},
    {"64", "1,00000000,00000000"},
    {"0,95", "80000000,00000000,00000001"},
};

START_TEST(masks_are_written_in_groups_of_32_bits)
{
	struct rs_cpuset s, back;
	char hex[64];

	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of(masks[_i].list), &s), 0);
	ck_assert(rs_mask_hex(&s, hex, sizeof(hex)));
	ck_assert_str_eq(hex, masks[_i].hex);
	/* The kernel's own spelling reads back as the same set. */
	ck_assert_int_eq(rs_cpuset_parse_mask(rs_text_of(hex), &back), 0);
	ck_assert_mem_eq(&s, &back, sizeof(s));
}
END_TEST

START_TEST(a_mask_that_does_not_fit_is_none)
{
	struct rs_cpuset s;
	char hex[64];

	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of("0-39"), &s), 0);
	for (size_t cap = 1; cap <= strlen("ff,ffffffff"); cap++)
		ck_assert(!rs_mask_hex(&s, hex, cap));
	ck_assert(rs_mask_hex(&s, hex, strlen("ff,ffffffff") + 1));
	rs_cpuset_zero(&s);
	rs_cpuset_add(&s, RS_CPU_MAX - 1);
	ck_assert(!rs_mask_hex(&s, hex, sizeof(hex)));
	char all[RS_CPU_MAX / 4 + RS_CPU_MAX / 32];
	ck_assert(rs_mask_hex(&s, all, sizeof(all)));
	ck_assert_int_eq(strncmp(all, "80000000,00000000,", 18), 0);
}
END_TEST

START_TEST(a_list_is_whole_or_none)
{
	struct rs_cpuset s;
	char list[16];

	rs_cpuset_zero(&s);
	ck_assert(!rs_mask_list(&s, list, sizeof(list)));
	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of("0-3,8"), &s), 0);
	ck_assert(rs_mask_list(&s, list, sizeof(list)));
	ck_assert_str_eq(list, "0-3,8");
	ck_assert(!rs_mask_list(&s, list, 5));
}
END_TEST

static const struct {
	const char *value;
	bool is_known, is_empty, has_3;
	int only;
} settings[] = {
    {NULL, false, false, false, -1},
    {"none", true, true, false, -1},
    {"3", true, false, true, 3},
    {"0-3", true, false, true, -1},
    {"3-3", true, false, true, 3},
    {"0-2,4-7", true, false, false, -1},
    {"0,2,3", true, false, true, -1},
    {"13,30-33", true, false, false, -1},
    {"0-3,5...", false, false, true, -1},
    {"what", false, false, false, -1},
};

START_TEST(settings_are_read_back)
{
	struct rs_cpuset s;

	ck_assert_int_eq(rs_mask_of(settings[_i].value, &s), settings[_i].is_known);
	ck_assert_int_eq(rs_mask_is_empty(settings[_i].value), settings[_i].is_empty);
	ck_assert_int_eq(rs_mask_has(settings[_i].value, 3), settings[_i].has_3);
	ck_assert_int_eq(rs_mask_only(settings[_i].value), settings[_i].only);
	if (settings[_i].is_known)
		ck_assert_int_eq(rs_cpuset_has(&s, 3), settings[_i].has_3);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("masks");
	TCase *const t = tcase_create("masks");
	tcase_add_loop_test(t, masks_are_written_in_groups_of_32_bits, 0, (int)RS_ARRAY_LEN(masks));
	tcase_add_test(t, a_mask_that_does_not_fit_is_none);
	tcase_add_test(t, a_list_is_whole_or_none);
	tcase_add_loop_test(t, settings_are_read_back, 0, (int)RS_ARRAY_LEN(settings));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

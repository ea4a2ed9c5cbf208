/* SPDX-License-Identifier: ISC */
/* The growing buffer and the error object: hard limits, sticky failure. */
#include <errno.h>
#include <string.h>

#include "buf.h"
#include "error.h"
#include "rs_check.h"

START_TEST(buf_grows_and_keeps_all_bytes)
{
	struct rs_buf b;

	rs_buf_init(&b, 1000000);
	for (int i = 0; i < 10000; i++)
		rs_buf_printf(&b, "%d,", i % 10);
	ck_assert(!b.failed);
	ck_assert_uint_eq(b.len, 20000);
	for (size_t i = 0; i < b.len; i++)
		ck_assert_int_eq(b.data[i], i % 2 == 0 ? (char)('0' + i / 2 % 10) : ',');
	rs_buf_fini(&b);
	ck_assert_uint_eq(b.len, 0);
}
END_TEST

START_TEST(buf_fills_its_limit_exactly)
{
	struct rs_buf b;

	rs_buf_init(&b, 5);
	rs_buf_put(&b, "abcd", 4);
	rs_buf_putc(&b, 'e');
	ck_assert(!b.failed);
	ck_assert_str_eq(rs_buf_cstr(&b), "abcde");
	rs_buf_putc(&b, 'f');
	ck_assert(b.failed);
	rs_buf_fini(&b);
}
END_TEST

START_TEST(buf_failure_is_sticky_until_reset)
{
	struct rs_buf b;

	rs_buf_init(&b, 10);
	rs_buf_puts(&b, "1234");
	rs_buf_puts(&b, "5678901");
	ck_assert(b.failed);
	ck_assert_uint_eq(b.len, 4);
	rs_buf_putc(&b, 'x');
	rs_buf_printf(&b, "y");
	ck_assert_ptr_null(rs_buf_reserve(&b, 1));
	ck_assert_uint_eq(b.len, 4);
	ck_assert_str_eq(rs_buf_cstr(&b), "");
	rs_buf_reset(&b);
	rs_buf_puts(&b, "again");
	ck_assert_str_eq(rs_buf_cstr(&b), "again");
	rs_buf_fini(&b);
}
END_TEST

START_TEST(buf_printf_longer_than_the_space_is_whole)
{
	struct rs_buf b;
	char longer[3000];

	memset(longer, 'z', sizeof(longer) - 1);
	longer[sizeof(longer) - 1] = '\0';
	rs_buf_init(&b, 10000);
	rs_buf_printf(&b, "%s-%s", longer, "end");
	ck_assert(!b.failed);
	ck_assert_uint_eq(b.len, sizeof(longer) - 1 + 4);
	ck_assert_str_eq(rs_buf_cstr(&b) + sizeof(longer) - 1, "-end");
	rs_buf_fini(&b);
	rs_buf_init(&b, 100);
	rs_buf_printf(&b, "%s", longer);
	ck_assert(b.failed);
	ck_assert_uint_eq(b.len, 0);
	rs_buf_fini(&b);
}
END_TEST

START_TEST(buf_reserve_gives_room_for_exactly_that_much)
{
	struct rs_buf b;

	rs_buf_init(&b, 300);
	char *room = rs_buf_reserve(&b, 300);

	ck_assert_ptr_nonnull(room);
	memset(room, 'r', 300);
	b.len += 300;
	ck_assert_uint_eq(strlen(rs_buf_cstr(&b)), 300);
	ck_assert_ptr_null(rs_buf_reserve(&b, SIZE_MAX));
	rs_buf_fini(&b);
}
END_TEST

START_TEST(buf_empty_and_absurd_sizes_are_safe)
{
	struct rs_buf b;

	rs_buf_init(&b, 0);
	rs_buf_puts(&b, "");
	ck_assert(!b.failed);
	ck_assert_str_eq(rs_buf_cstr(&b), "");
	rs_buf_putc(&b, 'x');
	ck_assert(b.failed);
	rs_buf_fini(&b);
	rs_buf_init(&b, SIZE_MAX);
	ck_assert_ptr_null(rs_buf_reserve(&b, SIZE_MAX));
	ck_assert(b.failed);
	rs_buf_fini(&b);
}
END_TEST

START_TEST(error_keeps_the_first_and_deepest)
{
	struct rs_error e = {0};

	ck_assert_int_eq(rs_error_set(&e, -EINVAL, "%s:%u: odd", "file", 7u), -EINVAL);
	ck_assert_int_eq(rs_error_set(&e, -EIO, "later"), -EIO);
	ck_assert_int_eq(e.code, -EINVAL);
	ck_assert_str_eq(e.text, "file:7: odd");
	rs_error_clear(&e);
	ck_assert_int_eq(rs_error_set(&e, -EIO, "now\n%s", "\x1b"), -EIO);
	ck_assert_str_eq(e.text, "now??");
	ck_assert_int_eq(rs_error_set(NULL, -ENOMEM, "nobody listens"), -ENOMEM);
	rs_error_clear(NULL);
}
END_TEST

START_TEST(error_cuts_a_long_sentence)
{
	struct rs_error e = {0};

	ck_assert_int_eq(rs_error_set(&e, -EIO, "%0999d", 1), -EIO);
	ck_assert_uint_eq(strlen(e.text), sizeof(e.text) - 1);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("buf");
	TCase *tc = tcase_create("buf");

	tcase_add_test(tc, buf_grows_and_keeps_all_bytes);
	tcase_add_test(tc, buf_fills_its_limit_exactly);
	tcase_add_test(tc, buf_failure_is_sticky_until_reset);
	tcase_add_test(tc, buf_printf_longer_than_the_space_is_whole);
	tcase_add_test(tc, buf_reserve_gives_room_for_exactly_that_much);
	tcase_add_test(tc, buf_empty_and_absurd_sizes_are_safe);
	tcase_add_test(tc, error_keeps_the_first_and_deepest);
	tcase_add_test(tc, error_cuts_a_long_sentence);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

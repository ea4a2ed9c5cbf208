/* SPDX-License-Identifier: ISC */
/*
 * The minute block: what is put is there, what is not put is absent.
 */
#include "block.h"
#include "rs_check.h"

#include <errno.h>

START_TEST(what_was_put_is_there_and_nothing_else)
{
	struct rs_block *b;
	ck_assert_int_eq(rs_block_new(100, RS_NS_PER_S, &b), 0);
	ck_assert_uint_eq(b->ticks, 60);
	rs_block_reset(b, 7);
	b->n_series = 3;
	rs_block_put(b, 1, 0, -5);
	rs_block_put(b, 1, 59, INT64_MAX);
	int64_t v = 42;
	ck_assert(rs_block_get(b, 1, 0, &v));
	ck_assert_int_eq(v, -5);
	ck_assert(rs_block_get(b, 1, 59, &v));
	ck_assert(v == INT64_MAX);
	v = 42;
	ck_assert(!rs_block_get(b, 1, 1, &v));
	ck_assert(!rs_block_get(b, 0, 0, &v));
	ck_assert(!rs_block_get(b, 99, 0, &v));
	ck_assert(!rs_block_get(b, 1, 60, &v));
	ck_assert_int_eq(v, 42);
	rs_block_free(b);
}
END_TEST

START_TEST(a_reset_block_is_empty)
{
	struct rs_block *b;
	ck_assert_int_eq(rs_block_new(100, 200 * RS_NS_PER_MS, &b), 0);
	ck_assert_uint_eq(b->ticks, 300);
	rs_block_reset(b, 1);
	b->n_series = 2;
	b->series[1].uid = 9;
	rs_block_put(b, 1, 299, 1);
	rs_block_reset(b, 2);
	b->n_series = 2;
	int64_t v;
	ck_assert(!rs_block_get(b, 1, 299, &v));
	ck_assert_uint_eq(b->series[1].uid, 0);
	rs_block_free(b);
}
END_TEST

START_TEST(puts_outside_do_nothing)
{
	struct rs_block *b;
	ck_assert_int_eq(rs_block_new(1, RS_BLOCK_NS, &b), 0);
	ck_assert_uint_eq(b->ticks, 1);
	rs_block_reset(b, 0);
	rs_block_put(b, 1, 0, 1);
	rs_block_put(b, 0, 1, 1);
	b->n_series = 1;
	int64_t v;
	ck_assert(!rs_block_get(b, 0, 0, &v));
	rs_block_free(b);
}
END_TEST

START_TEST(ticks_have_their_due_time)
{
	struct rs_block *b;
	ck_assert_int_eq(rs_block_new(1, 250 * RS_NS_PER_MS, &b), 0);
	rs_block_reset(b, 2);
	ck_assert_int_eq(rs_block_tick_ms(b, 0), 120000);
	ck_assert_int_eq(rs_block_tick_ms(b, 3), 120750);
	rs_block_free(b);
}
END_TEST

START_TEST(impossible_shapes_are_refused)
{
	struct rs_block *b = NULL;
	ck_assert_int_eq(rs_block_new(0, RS_NS_PER_S, &b), -EINVAL);
	ck_assert_int_eq(rs_block_new(1, 0, &b), -EINVAL);
	ck_assert_int_eq(rs_block_new(1, RS_NS_PER_MS, &b), -EINVAL);
	ck_assert_int_eq(rs_block_new(1, 61 * RS_NS_PER_S, &b), -EINVAL);
	ck_assert_ptr_null(b);
	rs_block_free(NULL);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("block");
	TCase *const t = tcase_create("block");
	tcase_add_test(t, what_was_put_is_there_and_nothing_else);
	tcase_add_test(t, a_reset_block_is_empty);
	tcase_add_test(t, puts_outside_do_nothing);
	tcase_add_test(t, ticks_have_their_due_time);
	tcase_add_test(t, impossible_shapes_are_refused);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

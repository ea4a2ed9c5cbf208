/* SPDX-License-Identifier: ISC */
/*
 * The model with its blocks in a head file: whenever the process may be killed,
 * all ticks that ended are there.
 */
#include "model.h"
#include "rs_check.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define S RS_NS_PER_S
#define BOOT "11111111-2222-3333-4444-555555555555"

static char folder[64], path[96], copy[96];
static struct rs_model *model;
static struct rs_frame *frame;
static struct rs_head *head;
static rs_ns now; /* monotonic = boot clock; the minute is 10 at the start */

static struct rs_head *
open_head(const char *name)
{
	const struct rs_head_conf c = {.path = name, .owner = "db", .boot_id = BOOT};
	struct rs_head *h = NULL;
	ck_assert_int_eq(rs_head_open(&c, &h), 0);
	return h;
}

static void
setup(void)
{
	const struct rs_model_conf c = {.interval_ns = S, .max_series = 500, .n_blocks = 3};
	(void)snprintf(folder, sizeof(folder), "/tmp/ringside-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(folder));
	(void)snprintf(path, sizeof(path), "%s/head", folder);
	(void)snprintf(copy, sizeof(copy), "%s/copy", folder);
	ck_assert_int_eq(rs_model_new(&c, &model), 0);
	ck_assert_int_eq(rs_frame_new(1000, &frame), 0);
	head = open_head(path);
	now = 600 * S;
}

static void
teardown(void)
{
	rs_model_free(model);
	rs_frame_free(frame);
	rs_head_close(head, true);
	(void)unlink(copy);
	ck_assert_int_eq(rmdir(folder), 0);
}

/* A tick of some cores that were busy for so long. */
static struct rs_block *
tick(unsigned cores, uint64_t user)
{
	const struct rs_model_time t = {.mono_ns = now,
	    .due_ns = now,
	    .boot_ns = now,
	    .wall_ms = 1800000000000 + now / 1000000,
	    .is_clock_ok = true};
	rs_model_begin(model, &t);
	rs_frame_reset(frame, now);
	frame->has_cpus_seen = true;
	for (unsigned cpu = 0; cpu < cores; cpu++) {
		rs_cpuset_add(&frame->cpus_seen, cpu);
		rs_put(frame, RS_M_CPU_USER, cpu, user + cpu);
	}
	rs_model_apply(model, frame);
	rs_model_build_view(model);
	struct rs_block *const b = rs_model_end(model);
	now += S;
	return b;
}

/* What a process would find that starts now. The file itself is locked. */
static struct rs_leftover
look(void)
{
	struct stat st;
	const int from = open(path, O_RDONLY);
	ck_assert_int_eq(fstat(from, &st), 0);
	char *const bytes = malloc((size_t)st.st_size);
	ck_assert_int_eq(read(from, bytes, (size_t)st.st_size), st.st_size);
	(void)close(from);
	const int to = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0600);
	ck_assert_int_eq(write(to, bytes, (size_t)st.st_size), st.st_size);
	(void)close(to);
	free(bytes);
	struct rs_head *const h = open_head(copy);
	struct rs_leftover l;
	ck_assert_int_eq(rs_head_read(h, &l), 0);
	rs_head_close(h, false);
	return l;
}

START_TEST(every_tick_that_ended_is_in_the_file)
{
	ck_assert_int_eq(rs_model_use_head(model, head), 0);
	uint64_t user = 0;
	for (uint64_t n = 1; n <= 100; n++) {
		user += n;
		struct rs_block *const b = tick(n < 30 ? 1 : 3, user);
		if (b)
			rs_model_block_done(model, b, false);
		struct rs_leftover l = look();
		ck_assert_uint_eq(l.ticks, n);
		ck_assert_uint_eq(l.torn, 0);
		const struct rs_block *newest = l.blocks;
		while (newest->next)
			newest = newest->next;
		int64_t v = 0;
		const uint32_t t = (uint32_t)((n - 1) % 60);
		ck_assert_int_eq(newest->minute, 10 + (int64_t)(n - 1) / 60);
		ck_assert(newest->has_tick[t]);
		ck_assert(rs_block_get(newest, 0, t, &v) == (n > 1));
		ck_assert(n == 1 || v == (int64_t)n);
		ck_assert(newest->wall_offset_ms == 1800000000000);
		ck_assert_uint_eq(newest->length_us[t], n > 1 ? 1000000 : 0);
		rs_leftover_fini(&l);
	}
	ck_assert_int_eq(rs_model_head_error(model), 0);
}
END_TEST

START_TEST(what_the_store_committed_is_not_left)
{
	ck_assert_int_eq(rs_model_use_head(model, head), 0);
	struct rs_block *b = NULL;
	for (unsigned n = 0; n <= 60; n++)
		b = tick(1, n);
	ck_assert_ptr_nonnull(b);
	struct rs_leftover l = look();
	ck_assert_uint_eq(l.ticks, 61);
	rs_leftover_fini(&l);
	ck_assert(!rs_model_is_all_stored(model));
	rs_model_block_done(model, b, true);
	l = look();
	ck_assert_uint_eq(l.ticks, 1);
	rs_leftover_fini(&l);
	b = rs_model_flush(model);
	ck_assert(!rs_model_is_all_stored(model));
	rs_model_block_done(model, b, true);
	ck_assert(rs_model_is_all_stored(model));
	l = look();
	ck_assert_ptr_null(l.blocks);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_head_that_comes_later_has_the_next_minute)
{
	for (unsigned n = 0; n < 30; n++)
		(void)tick(1, n);
	ck_assert_int_eq(rs_model_use_head(model, head), 0);
	(void)tick(1, 30);
	struct rs_leftover l = look();
	ck_assert_ptr_null(l.blocks);
	rs_leftover_fini(&l);
	struct rs_block *b = NULL;
	for (unsigned n = 31; !b; n++)
		b = tick(1, n);
	/* the minute that began before is whole, in memory */
	for (uint32_t t = 0; t < 60; t++)
		ck_assert(b->has_tick[t]);
	(void)tick(1, 90);
	l = look();
	ck_assert_uint_eq(l.ticks, 2);
	rs_leftover_fini(&l);
}
END_TEST

START_TEST(a_first_tick_in_a_slot_that_is_stored_is_not_stored_again)
{
	rs_model_set_stored_until(model, 600 * 1000);
	now += 300 * RS_NS_PER_MS;
	(void)tick(1, 5);
	(void)tick(1, 6);
	const struct rs_block *const b = rs_model_flush(model);
	ck_assert(!b->has_tick[0]);
	ck_assert(b->has_tick[1]);
	int64_t v;
	ck_assert(rs_block_get(b, 0, 1, &v));
	ck_assert_int_eq(v, 1);
}
END_TEST

START_TEST(a_clock_behind_what_is_stored_costs_one_tick)
{
	rs_model_set_stored_until(model, 9000 * 1000);
	(void)tick(1, 5);
	(void)tick(1, 6);
	(void)tick(1, 7);
	const struct rs_block *const b = rs_model_flush(model);
	ck_assert(!b->has_tick[0]);
	ck_assert(b->has_tick[1] && b->has_tick[2]);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("model_head");
	TCase *const t = tcase_create("model_head");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_tick_that_ended_is_in_the_file);
	tcase_add_test(t, what_the_store_committed_is_not_left);
	tcase_add_test(t, a_head_that_comes_later_has_the_next_minute);
	tcase_add_test(t, a_first_tick_in_a_slot_that_is_stored_is_not_stored_again);
	tcase_add_test(t, a_clock_behind_what_is_stored_costs_one_tick);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

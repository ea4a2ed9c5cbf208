/* SPDX-License-Identifier: ISC */
/*
 * Minutes that wait for each other, and what a killed process left: both are in
 * the database once, whatever failed on the way.
 */
#include "rs_check.h"

#include <sys/stat.h>

#include "append.h"
#include "head.h"
#include "migrate.h"
#include "raw.h"
#include "storerig.h"
#include "vault.h"

static struct rs_leftover left;

static void
open_with(const char *db, int64_t commit_minutes, struct rs_leftover *l)
{
	struct rs_error e = {0};
	struct rs_store_conf c = {.path = db,
	    .interval_ns = RS_NS_PER_S,
	    .commit_interval_ns = commit_minutes * RS_BLOCK_NS,
	    .leftover = l};

	(void)snprintf(c.boot_id, sizeof(c.boot_id), "%s", boot_a);
	ck_assert_msg(rs_store_open(&c, loop, on_block, NULL, &e, &store) == 0, "%s", e.text);
	ck_assert(l == NULL || (l->blocks == NULL && l->changes == NULL));
}

static void
close_store(void)
{
	rs_store_close(store);
	store = NULL;
}

static void
hand_over(struct rs_block *b)
{
	ck_assert_int_eq(rs_store_append(store, b), 0);
}

/* The sum of what core 0 and 1 counted, over all time. */
static double
total(rs_head_fn from)
{
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 1, RS_SUM);
	struct rs_history *const h = query(&q, from);
	double sum = 0;

	ck_assert_int_eq(h->status, 0);
	for (size_t i = 0; i < h->n_series; i++)
		sum += h->series[i].values[0];
	rs_history_free(h);
	return sum;
}

/* Rows of a minute. */
static int64_t
rows(int64_t minute)
{
	char sql[160];

	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM raw WHERE id BETWEEN %lld AND %lld",
	    (long long)rs_raw_key(1, minute, 0), (long long)rs_raw_key(1, minute + 1, 0) - 1);
	return test_shell_int(dir.db, sql);
}

static void
setup(void)
{
	set_up();
	left = (struct rs_leftover){0};
}

static void
teardown(void)
{
	tear_down();
	rs_leftover_fini(&left);
}

/* --- minutes that wait ------------------------------------------------- */

START_TEST(minutes_wait_for_the_commit_interval)
{
	open_with(dir.db, 3, NULL);
	hand_over(plain_block(100, 10));
	hand_over(plain_block(101, 20));
	ck_assert_double_eq(total(get_head), 60 * (10 + 11 + 20 + 21));
	ck_assert_double_eq(total(no_head), 0);
	ck_assert_uint_eq(blocks_done, 0);
	hand_over(plain_block(102, 30));
	wait_for(&blocks_good, 3);
	ck_assert_uint_eq(stats().commits, 1);
	ck_assert_uint_eq(stats().blocks_written, 3);
	ck_assert_double_eq(total(no_head), 60 * (10 + 11 + 20 + 21 + 30 + 31));
	ck_assert_double_eq(total(get_head), 60 * (10 + 11 + 20 + 21 + 30 + 31));
	hand_over(plain_block(103, 40));
	ck_assert_double_eq(total(no_head), 60 * (10 + 11 + 20 + 21 + 30 + 31));
}
END_TEST

START_TEST(after_a_suspend_nothing_waits_any_longer)
{
	open_with(dir.db, 5, NULL);
	hand_over(plain_block(100, 10));
	hand_over(plain_block(200, 10));
	wait_for(&blocks_good, 2);
	ck_assert_uint_eq(stats().commits, 1);
}
END_TEST

START_TEST(what_waits_is_written_at_the_end)
{
	open_with(dir.db, 10, NULL);
	hand_over(plain_block(100, 10));
	hand_over(plain_block(101, 20));
	close_store();
	ck_assert_uint_eq(blocks_good, 2);
	open_with(dir.db, 10, NULL);
	ck_assert_double_eq(total(no_head), 60 * (10 + 11 + 20 + 21));
}
END_TEST

START_TEST(a_failed_transaction_gives_all_of_its_minutes_back)
{
	struct rs_block *blocks[3];

	open_with(dir.db, 3, NULL);
	atomic_store(&fault_disk.failures, 1);
	for (int i = 0; i < 3; i++) {
		blocks[i] = plain_block(100 + i, 10);
		hand_over(blocks[i]);
	}
	wait_for(&blocks_bad, 3);
	ck_assert_uint_eq(stats().blocks_failed, 3);
	fault_disk_heal();
	/* Offered again, each goes at once; a newer minute waits as before. */
	for (int i = 0; i < 3; i++)
		hand_over(blocks[i]);
	hand_over(plain_block(103, 10));
	wait_for(&blocks_good, 3);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(rows(100 + i), 1);
	ck_assert_int_eq(rows(103), 0);
	ck_assert_double_eq(total(get_head), 4 * 60 * (10 + 11));
}
END_TEST

START_TEST(a_disk_that_fails_to_the_end_gives_back_what_waited)
{
	open_with(dir.db, 10, NULL);
	hand_over(plain_block(100, 10));
	hand_over(plain_block(101, 10));
	atomic_store(&fault_disk.failures, 1000);
	close_store();
	ck_assert_uint_eq(blocks_bad, 2);
	fault_disk_heal();
}
END_TEST

/* Without the thread, which would make the tiers at once. */
START_TEST(a_late_minute_opens_the_tiers_again)
{
	static const struct {
		int64_t minute, minute_until, hour_until;
	} steps[] = {
	    {59, 0, 0},
	    {24 * 60 * 3 + 1, 72, 3}, /* behind all that is made */
	    {24 * 60 + 61, 25, 1},
	    {24 * 60 * 2, 25, 1},
	};
	struct rs_error e = {0};
	struct rs_db *db = NULL;
	struct rs_appender a;
	rs_ns commit_ns;

	ck_assert_int_eq(rs_db_open(dir.db, &e, &db), 0);
	ck_assert_int_eq(rs_appender_init(&a, db, boot_a), 0);
	for (size_t i = 0; i < RS_ARRAY_LEN(steps); i++) {
		const struct rs_block *const b = plain_block(steps[i].minute, 10);
		ck_assert_int_eq(rs_append_blocks(&a, db, b, OFFSET, &commit_ns), 0);
		if (i == 0)
			test_shell(dir.db, "UPDATE boots SET minute_until = 72, hour_until = 3");
		else
			ck_assert_int_eq(test_shell_int(dir.db, "SELECT minute_until FROM boots"),
			    steps[i].minute_until);
		ck_assert(i == 0 || test_shell_int(dir.db, "SELECT hour_until FROM boots") ==
					steps[i].hour_until);
	}
	rs_appender_fini(&a);
	rs_db_close(db);
}
END_TEST

/* --- what a killed process left ---------------------------------------- */

/* A minute of a process before this one: other names for the same slots. */
static struct rs_block *
leave(int64_t minute, rs_ns interval_ns, uint32_t from, uint32_t to, int64_t value)
{
	struct rs_block *const b = test_block(16, interval_ns, minute, OFFSET);
	struct rs_block **at = &left.blocks;

	test_ticks(b, from, to);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(1)), value);
	test_fill(b, test_series(b, 2, RS_M_CORE_INTERRUPTS, test_cpu(0)), value);
	left.ticks += to - from;
	while (*at != NULL)
		at = &(*at)->next;
	*at = b;
	return b;
}

START_TEST(what_was_left_is_there_before_anything_else)
{
	(void)leave(100, RS_NS_PER_S, 0, 60, 5);
	(void)leave(101, RS_NS_PER_S, 0, 30, 5);
	open_with(dir.db, 1, &left);
	ck_assert_uint_eq(stats().recovered_ticks, 90);
	ck_assert(!stats().is_recovering);
	ck_assert_int_eq(stats().newest_ms, 101 * MINUTE + 29 * SECOND);
	ck_assert_double_eq(total(no_head), 90 * 2 * 5);
	/* Its slots and names mean other series here. */
	append(plain_block(102, 100));
	const struct rs_query q = ask_interrupts(OFFSET + 102 * MINUTE - 1, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, 2);
	ck_assert_int_eq(h->series[0].labels.cpu, 0);
	ck_assert_uint_eq(h->n_times, 60);
	ck_assert_double_eq(h->series[0].values[7], 100);
	ck_assert_double_eq(h->series[1].values[7], 101);
	rs_history_free(h);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM series"), 2);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 1);
}
END_TEST

START_TEST(ticks_that_are_stored_are_not_stored_again)
{
	open_with(dir.db, 1, NULL);
	append(plain_block(100, 10));
	struct rs_block *const half = new_block(101, OFFSET);
	test_ticks(half, 0, 20);
	test_fill(half, test_series(half, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 10);
	append(half);
	close_store();
	(void)leave(100, RS_NS_PER_S, 0, 60, 5);
	(void)leave(101, RS_NS_PER_S, 10, 40, 5);
	open_with(dir.db, 1, &left);
	ck_assert_uint_eq(stats().recovered_ticks, 20);
	ck_assert_int_eq(rows(100), 1);
	ck_assert_int_eq(rows(101), 2);
	ck_assert_double_eq(total(no_head), 60 * (10 + 11) + 20 * 10 + 20 * 2 * 5);
}
END_TEST

START_TEST(nothing_is_written_when_all_is_stored)
{
	open_with(dir.db, 1, NULL);
	append(plain_block(100, 10));
	close_store();
	(void)leave(100, RS_NS_PER_S, 0, 60, 5);
	open_with(dir.db, 1, &left);
	ck_assert_uint_eq(stats().recovered_ticks, 0);
	ck_assert(!stats().is_recovering);
	ck_assert_double_eq(total(no_head), 60 * (10 + 11));
}
END_TEST

START_TEST(another_interval_is_no_obstacle)
{
	open_with(dir.db, 1, NULL);
	struct rs_block *const half = new_block(100, OFFSET);
	test_ticks(half, 0, 20);
	test_fill(half, test_series(half, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 10);
	append(half);
	close_store();
	(void)leave(100, 200 * RS_NS_PER_MS, 150, 300, 1);
	open_with(dir.db, 1, &left);
	ck_assert_uint_eq(stats().recovered_ticks, 150);
	ck_assert_double_eq(total(no_head), 20 * 10 + 150 * 2);
}
END_TEST

START_TEST(findings_end_with_the_last_sample_that_was_left)
{
	const struct rs_finding f = full_finding(1);

	open_with(dir.db, 1, NULL);
	append(plain_block(100, 10));
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	close_store();
	(void)leave(101, RS_NS_PER_S, 0, 30, 5);
	open_with(dir.db, 1, &left);
	struct rs_finding_list *const l = findings();
	ck_assert_uint_eq(l->n, 1);
	ck_assert_int_eq(l->findings[0].cleared_ms, OFFSET + 101 * MINUTE + 29 * SECOND);
	rs_finding_list_free(l);
}
END_TEST

static void
leave_changes(int64_t first, int64_t last)
{
	left.changes = calloc((size_t)(last - first + 1), sizeof(*left.changes));
	for (int64_t id = first; id <= last; id++) {
		struct rs_change *const c = &left.changes[left.n_changes++];
		*c = (struct rs_change){.id = id, .at_ms = OFFSET + id, .fact = RS_F_MTU};
		c->labels = rs_labels_none;
	}
}

START_TEST(changes_that_were_not_stored_are)
{
	open_with(dir.db, 1, NULL);
	change(1, 2);
	close_store();
	leave_changes(1, 5);
	open_with(dir.db, 1, &left);
	ck_assert_int_eq(rs_store_next_change_id(store), 6);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM changes"), 5);
	close_store();
	leave_changes(RS_PROVISIONAL_ID, RS_PROVISIONAL_ID + 3);
	open_with(dir.db, 1, &left);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM changes"), 5);
}
END_TEST

START_TEST(what_was_left_waits_for_a_database_that_is_closed)
{
	char missing[128];

	(void)snprintf(missing, sizeof(missing), "%s/later/test.db", dir.name);
	(void)leave(100, RS_NS_PER_S, 0, 60, 5);
	open_with(missing, 1, &left);
	ck_assert_str_eq(stats().state, "closed");
	ck_assert(stats().is_recovering);
	ck_assert_uint_eq(stats().recovered_ticks, 0);
	struct rs_block *const b = plain_block(102, 10);
	hand_over(b);
	wait_for(&blocks_bad, 1);
	*strrchr(missing, '/') = '\0';
	ck_assert_int_eq(mkdir(missing, 0700), 0);
	atomic_fetch_add(&test_clock_ahead_ns, 2 * RS_VAULT_RETRY_NS);
	append(b);
	ck_assert(!stats().is_recovering);
	ck_assert_uint_eq(stats().recovered_ticks, 60);
	ck_assert_double_eq(total(no_head), 60 * 2 * 5 + 60 * (10 + 11));
	close_store();
	(void)snprintf(missing, sizeof(missing), "rm -r '%s/later'", dir.name);
	ck_assert_int_eq(system(missing), 0);
}
END_TEST

START_TEST(what_was_left_waits_for_a_disk_that_fails)
{
	open_with(dir.db, 1, NULL);
	append(plain_block(99, 10));
	close_store();
	(void)leave(100, RS_NS_PER_S, 0, 60, 5);
	atomic_store(&fault_disk.failures, 1);
	open_with(dir.db, 1, &left);
	ck_assert(stats().is_recovering);
	ck_assert_str_eq(stats().state, "ok");
	fault_disk_heal();
	append(plain_block(101, 10));
	ck_assert(!stats().is_recovering);
	ck_assert_uint_eq(stats().recovered_ticks, 60);
	ck_assert_double_eq(total(no_head), 60 * 2 * 5 + 2 * 60 * (10 + 11));
	ck_assert_int_eq(rows(100), 1);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("recover");
	TCase *const t = tcase_create("recover");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 120);
	tcase_add_test(t, minutes_wait_for_the_commit_interval);
	tcase_add_test(t, after_a_suspend_nothing_waits_any_longer);
	tcase_add_test(t, what_waits_is_written_at_the_end);
	tcase_add_test(t, a_failed_transaction_gives_all_of_its_minutes_back);
	tcase_add_test(t, a_disk_that_fails_to_the_end_gives_back_what_waited);
	tcase_add_test(t, a_late_minute_opens_the_tiers_again);
	tcase_add_test(t, what_was_left_is_there_before_anything_else);
	tcase_add_test(t, ticks_that_are_stored_are_not_stored_again);
	tcase_add_test(t, nothing_is_written_when_all_is_stored);
	tcase_add_test(t, another_interval_is_no_obstacle);
	tcase_add_test(t, findings_end_with_the_last_sample_that_was_left);
	tcase_add_test(t, changes_that_were_not_stored_are);
	tcase_add_test(t, what_was_left_waits_for_a_database_that_is_closed);
	tcase_add_test(t, what_was_left_waits_for_a_disk_that_fails);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * The store as the program sees it, on real files: what is handed over comes
 * back, over restarts and closings, and foreign files are left alone.
 */
#include "rs_check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "append.h"
#include "migrate.h"
#include "query.h"
#include "storerig.h"
#include "unwritten.h"

/* --- samples ----------------------------------------------------------- */

START_TEST(samples_survive_a_restart)
{
	open_store(dir.db, boot_a);
	append(plain_block(100, 10));
	append(plain_block(101, 20));
	reopen(boot_a);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);

	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 120);
	ck_assert_int_eq(h->time_ms[0], 100 * MINUTE + OFFSET);
	ck_assert_int_eq(h->time_ms[119], 102 * MINUTE - SECOND + OFFSET);
	ck_assert_uint_eq(h->n_series, 2);
	for (size_t i = 0; i < 120; i++) {
		ck_assert_double_eq(h->series[0].values[i], i < 60 ? 10 : 20);
		ck_assert_double_eq(h->series[1].values[i], i < 60 ? 11 : 21);
	}
	rs_history_free(h);
}
END_TEST

START_TEST(the_head_and_the_database_make_one_answer)
{
	open_store(dir.db, boot_a);
	append(plain_block(100, 10));
	/* The current minute, which the store has never seen, with one series more. */
	struct rs_block *const b = plain_block(101, 20);
	test_fill(b, test_series(b, 3, RS_M_CORE_INTERRUPTS, test_cpu(7)), 70);
	const struct rs_query q = ask_interrupts(
	    OFFSET + 101 * MINUTE - 3 * SECOND, OFFSET + 101 * MINUTE + 2 * SECOND, 0, RS_AVG);
	struct rs_history *const h = query(&q, get_head);

	ck_assert_uint_eq(h->n_times, 5);
	ck_assert_uint_eq(h->n_series, 3);
	for (size_t i = 0; i < 5; i++) {
		/* If the committed block were counted twice this would not show it,
		 * but the sum below does. */
		ck_assert_double_eq(h->series[0].values[i], i < 2 ? 10 : 20);
		ck_assert(i < 2 ? isnan(h->series[2].values[i]) : h->series[2].values[i] == 70);
	}
	rs_history_free(h);
	const struct rs_query sum = ask_interrupts(0, INT64_MAX, 1, RS_SUM);
	struct rs_history *const all = query(&sum, get_head);
	ck_assert_uint_eq(all->n_times, 1);
	ck_assert_double_eq(all->series[0].values[0], 60 * 10 + 60 * 20);
	rs_history_free(all);
}
END_TEST

START_TEST(blocks_on_their_way_are_counted_once)
{
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 1, RS_SUM);
	struct rs_history *between = NULL, *after = NULL;

	open_store(dir.db, boot_a);
	/* One before the question, one behind it, none waited for. */
	ck_assert_int_eq(rs_store_append(store, plain_block(100, 1)), 0);
	ck_assert_int_eq(rs_store_query(store, &q, get_head, NULL, on_history, &between), 0);
	ck_assert_int_eq(rs_store_append(store, plain_block(101, 1)), 0);
	ck_assert_int_eq(rs_store_query(store, &q, get_head, NULL, on_history, &after), 0);
	wait_for(&answers, 2);
	ck_assert_double_eq(between->series[0].values[0], 120);
	ck_assert_double_eq(after->series[0].values[0], 120);
	rs_history_free(between);
	rs_history_free(after);
}
END_TEST

START_TEST(a_fresh_store_answers_from_the_head_alone)
{
	open_store(dir.db, boot_a);
	(void)plain_block(100, 10);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, get_head);

	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 60);
	ck_assert_int_eq(h->time_ms[59], 101 * MINUTE - SECOND + OFFSET);
	rs_history_free(h);
}
END_TEST

START_TEST(an_empty_store_gives_an_empty_answer)
{
	open_store(dir.db, boot_a);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);

	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 0);
	rs_history_free(h);
	struct rs_catalog *const c = catalog(no_head);
	ck_assert_uint_eq(c->n, 0);
	rs_catalog_free(c);
	ck_assert_int_eq(stats().oldest_ms, 0);
}
END_TEST

START_TEST(a_restart_within_a_minute_loses_neither_half)
{
	open_store(dir.db, boot_a);
	struct rs_block *first = new_block(100, OFFSET);
	test_ticks(first, 0, 20);
	test_fill(first, test_series(first, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 5);
	append(first);
	reopen(boot_a);
	struct rs_block *const second = new_block(100, OFFSET);
	test_ticks(second, 25, 60);
	test_fill(second, test_series(second, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 9);
	append(second);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);

	ck_assert_uint_eq(h->n_times, 60);
	ck_assert_uint_eq(h->n_series, 1);
	for (size_t i = 0; i < 60; i++) {
		if (i >= 20 && i < 25)
			ck_assert(isnan(h->series[0].values[i]));
		else
			ck_assert_double_eq(h->series[0].values[i], i < 20 ? 5 : 9);
	}
	rs_history_free(h);
}
END_TEST

START_TEST(steps_over_many_minutes_keep_peaks_and_gaps)
{
	open_store(dir.db, boot_a);
	/* Minutes 0 to 9 without 4 and 5; one tick of 1000 in minute 7. */
	for (int64_t m = 0; m < 10; m++) {
		if (m == 4 || m == 5)
			continue;
		struct rs_block *const b = plain_block(m, 10);
		if (m == 7)
			rs_block_put(b, 0, 30, 1000);
		append(b);
	}
	struct rs_query q =
	    ask_interrupts(OFFSET - SECOND, OFFSET + 10 * MINUTE - SECOND, 10, RS_MAX_OF);
	struct rs_history *h = query(&q, no_head);
	ck_assert_int_eq(h->resolution_ms, MINUTE);
	ck_assert_uint_eq(h->n_times, 10);
	for (size_t i = 0; i < 10; i++) {
		ck_assert_int_eq(h->time_ms[i], OFFSET + ((int64_t)i + 1) * MINUTE - SECOND);
		if (i == 4 || i == 5)
			ck_assert(isnan(h->series[0].values[i]));
		else
			ck_assert_double_eq(h->series[0].values[i], i == 7 ? 1000 : 10);
	}
	rs_history_free(h);

	q.aggregate = RS_AVG;
	h = query(&q, no_head);
	ck_assert_double_eq_tol(h->series[0].values[7], (59 * 10 + 1000) / 60.0, 1e-9);
	rs_history_free(h);
}
END_TEST

START_TEST(filters_choose_series_in_the_database)
{
	open_store(dir.db, boot_a);
	struct rs_block *const b = new_block(100, OFFSET);
	test_ticks(b, 0, 2);
	for (uint32_t i = 0; i < 3; i++) {
		static const char *const names[] = {"lan", "wan", "dmz"};
		test_fill(b, test_series(b, 2 * i + 1, RS_M_NIC_RX_BYTES, test_device(names[i])),
		    INT64_C(10) * i);
		test_fill(b, test_series(b, 2 * i + 2, RS_M_NIC_TX_BYTES, test_device(names[i])),
		    10 * i + 1);
	}
	append(b);
	struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	(void)snprintf(q.metric, sizeof(q.metric), "interface_bytes");
	q.n_filters = 3;
	q.filters[0] = (struct rs_filter){.label = "device", .value = "dmz"};
	q.filters[1] = (struct rs_filter){.label = "direction", .value = "tx"};
	q.filters[2] = (struct rs_filter){.label = "device", .value = "wan"};
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, 2);
	ck_assert_str_eq(h->series[0].labels.device, "dmz");
	ck_assert_double_eq(h->series[0].values[1], 21);
	ck_assert_str_eq(h->series[1].labels.device, "wan");
	ck_assert_double_eq(h->series[1].values[1], 11);
	rs_history_free(h);
}
END_TEST

START_TEST(more_series_than_a_chunk_holds_come_back)
{
	enum { N = 1300 };
	open_store(dir.db, boot_a);
	struct rs_block *const b = test_block(N, RS_NS_PER_S, 100, OFFSET);
	head[n_head++] = b;
	test_ticks(b, 0, 60);
	/* uids and slots in no order of the labels */
	for (uint32_t i = 0; i < N; i++) {
		const int32_t cpu = (int32_t)(i * 7 % N);
		test_fill(b, test_series(b, i + 1, RS_M_CORE_INTERRUPTS, test_cpu(cpu)),
		    INT64_C(3) * cpu);
	}
	append(b);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 3);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 1, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, N);
	for (int32_t i = 0; i < N; i++) {
		ck_assert_int_eq(h->series[i].labels.cpu, i);
		ck_assert_double_eq(h->series[i].values[0], 3 * i);
	}
	rs_history_free(h);
}
END_TEST

START_TEST(an_interface_that_comes_back_within_a_minute_is_one_series)
{
	open_store(dir.db, boot_a);
	struct rs_block *b = new_block(100, OFFSET);
	test_ticks(b, 0, 60);
	const uint32_t old = test_series(b, 1, RS_M_NIC_RX_BYTES, test_device("ppp0"));
	const uint32_t born = test_series(b, 2, RS_M_NIC_RX_BYTES, test_device("ppp0"));
	for (uint32_t t = 0; t < 60; t++) {
		if (t < 20)
			rs_block_put(b, old, t, 1);
		else if (t >= 30)
			rs_block_put(b, born, t, 2);
	}
	append(b);
	/* In the next minute only the second is left. */
	b = new_block(101, OFFSET);
	test_ticks(b, 0, 60);
	test_series(b, 0, RS_M_NIC_RX_BYTES, rs_labels_none);
	test_fill(b, test_series(b, 2, RS_M_NIC_RX_BYTES, test_device("ppp0")), 3);
	append(b);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM series"), 1);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM series WHERE last_boot IS NULL"), 1);
	struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	(void)snprintf(q.metric, sizeof(q.metric), "interface_bytes");
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, 1);
	ck_assert_uint_eq(h->n_times, 120);
	for (size_t i = 0; i < 120; i++) {
		const double v = h->series[0].values[i];
		ck_assert(i >= 20 && i < 30 ? isnan(v) : v == (i < 20 ? 1 : i < 60 ? 2 : 3));
	}
	rs_history_free(h);
}
END_TEST

START_TEST(a_block_that_cannot_be_stored_comes_back_as_such)
{
	open_store(dir.db, boot_a);
	struct rs_block *const b = plain_block(-5, 1);
	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_bad, 1);
	ck_assert_str_eq(stats().state, "failing");
	ck_assert_uint_eq(stats().blocks_failed, 1);
	ck_assert_str_ne(stats().error, "");
	append(plain_block(5, 1));
	ck_assert_str_eq(stats().state, "ok");
	ck_assert_str_eq(stats().error, "");
	ck_assert_uint_eq(stats().blocks_written, 1);
}
END_TEST

START_TEST(a_first_block_that_fails_is_as_if_it_had_never_been)
{
	open_store(dir.db, boot_a);
	test_shell(dir.db, "CREATE TRIGGER full BEFORE INSERT ON raw "
			   "BEGIN SELECT RAISE(ABORT, 'no room'); END");
	struct rs_block *const b = plain_block(100, 1);
	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_bad, 1);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 0);
	test_shell(dir.db, "DROP TRIGGER full");
	append(b);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 1);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 60);
	rs_history_free(h);
}
END_TEST

START_TEST(a_failed_commit_leaves_nothing_behind_and_the_next_one_works)
{
	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	/* From outside: the second minute cannot be written. */
	char sql[160];
	(void)snprintf(sql, sizeof(sql),
	    "CREATE TRIGGER full BEFORE INSERT ON raw WHEN NEW.id >= %lld "
	    "BEGIN SELECT RAISE(ABORT, 'no room'); END",
	    (long long)rs_raw_key(1, 101, 0));
	test_shell(dir.db, sql);
	struct rs_block *const b = plain_block(101, 1);
	test_fill(b, test_series(b, 9, RS_M_CORE_INTERRUPTS, test_cpu(9)), 1);
	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_bad, 1);
	ck_assert_str_eq(stats().error, "no room");
	/* What failed is read from the head as long as that has it. */
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 1, RS_SUM);
	struct rs_history *h = query(&q, get_head);
	ck_assert_uint_eq(h->n_series, 3);
	ck_assert_double_eq(h->series[0].values[0], 120);
	rs_history_free(h);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM series"), 2);

	test_shell(dir.db, "DROP TRIGGER full");
	append(b);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM series"), 3);
	h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, 3);
	ck_assert_double_eq(h->series[0].values[0], 120);
	rs_history_free(h);
}
END_TEST

START_TEST(a_damaged_chunk_is_a_gap)
{
	open_store(dir.db, boot_a);
	for (int64_t m = 100; m < 103; m++)
		append(plain_block(m, 10));
	char sql[160];
	(void)snprintf(sql, sizeof(sql),
	    "UPDATE raw SET data = substr(data, 1, 20) WHERE id = %lld",
	    (long long)rs_raw_key(1, 101, 0));
	test_shell(dir.db, sql);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 180);
	for (size_t i = 0; i < 180; i++) {
		const double v = h->series[0].values[i];
		ck_assert(i >= 60 && i < 120 ? isnan(v) : v == 10);
	}
	rs_history_free(h);
}
END_TEST

/* --- boots and clocks -------------------------------------------------- */

START_TEST(each_boot_has_its_own_clock)
{
	open_store(dir.db, boot_a);
	append(plain_block(1000, 1));
	reopen(boot_b);
	/* Started anew: small minutes, later wall time. */
	struct rs_block *const b = new_block(2, OFFSET + 2000 * MINUTE + 250);
	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 2);
	append(b);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	const size_t n = h->n_times;

	ck_assert_int_eq(h->status, 0);
	/* Times are those of the newer boot; the older one's fall into the next. */
	ck_assert_int_eq(h->time_ms[0], 1000 * MINUTE + OFFSET + 250);
	ck_assert_int_eq(h->time_ms[n - 1], 2003 * MINUTE - SECOND + OFFSET + 250);
	ck_assert_double_eq(h->series[0].values[0], 1);
	ck_assert_double_eq(h->series[0].values[n - 1], 2);
	ck_assert(isnan(h->series[0].values[n / 2]));
	rs_history_free(h);

	const struct rs_query first = ask_interrupts(0, OFFSET + 1001 * MINUTE, 0, RS_AVG);
	struct rs_history *const old = query(&first, no_head);
	ck_assert_uint_eq(old->n_times, 60);
	ck_assert_int_eq(old->time_ms[0], 1000 * MINUTE + OFFSET);
	rs_history_free(old);
}
END_TEST

START_TEST(samples_move_when_the_clock_is_set)
{
	open_store(dir.db, boot_a);
	/* In 1970, then the time becomes known. */
	struct rs_block *b = new_block(1, 5000);
	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	b->is_clock_ok = false;
	append(b);
	append(plain_block(2, 2));
	const struct rs_query q = ask_interrupts(OFFSET, OFFSET + 10 * MINUTE, 0, RS_AVG);
	struct rs_history *h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 120);
	ck_assert_int_eq(h->time_ms[0], OFFSET + MINUTE);
	ck_assert_double_eq(h->series[0].values[0], 1);
	rs_history_free(h);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT clock_ok FROM boots"), 1);

	/* Set again while the new minute is only in the head. */
	b = new_block(3, OFFSET + 3600 * SECOND);
	test_ticks(b, 0, 60);
	const struct rs_query later =
	    ask_interrupts(OFFSET + 3600 * SECOND, OFFSET + 7200 * SECOND, 0, RS_AVG);
	h = query(&later, get_head);
	ck_assert_uint_eq(h->n_times, 120);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 3600 * SECOND + MINUTE);
	rs_history_free(h);
}
END_TEST

START_TEST(reading_the_clocks_moves_no_sample)
{
	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	for (int64_t m = 2; m < 6; m++) {
		struct rs_block *const b = plain_block(m, 1);
		b->wall_offset_ms += m % 2 == 0 ? 1 : -1;
		append(b);
	}
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT wall_offset_ms FROM boots"), OFFSET);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, get_head);
	ck_assert_int_eq(h->time_ms[0], OFFSET + MINUTE);
	rs_history_free(h);
}
END_TEST

START_TEST(without_a_boot_id_each_start_is_a_boot)
{
	open_store(dir.db, "");
	append(plain_block(100, 1));
	reopen("");
	append(plain_block(100, 2));
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 2);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(DISTINCT id >> 40) FROM raw"), 2);
}
END_TEST

/* --- memory ------------------------------------------------------------ */

START_TEST(in_memory_the_last_hour_is_kept)
{
	open_store(NULL, boot_a);
	ck_assert_str_eq(stats().state, "memory");
	for (int64_t m = 0; m < 63; m++) {
		struct rs_block *const b = plain_block(m, m);
		if (m < 2)
			test_fill(b, test_series(b, 5, RS_M_CORE_INTERRUPTS, test_cpu(5)), 1);
		append(b);
	}
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 3600);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 3 * MINUTE);
	rs_history_free(h);
	/* The series of long ago is gone with its samples. */
	struct rs_catalog *const c = catalog(no_head);
	ck_assert_uint_eq(c->n, 2);
	rs_catalog_free(c);
	ck_assert_int_eq(stats().oldest_ms, OFFSET + 3 * MINUTE);
	ck_assert_uint_eq(test_dir_count(&dir), 0);
}
END_TEST

/* --- catalog ----------------------------------------------------------- */

START_TEST(the_catalog_knows_when_series_came_and_went)
{
	open_store(dir.db, boot_a);
	struct rs_block *b = plain_block(10, 1);
	const uint32_t gone = test_series(b, 3, RS_M_NIC_RX_BYTES, test_device("usb0"));
	rs_block_put(b, gone, 5, 1);
	rs_block_put(b, gone, 41, 1);
	append(b);
	append(plain_block(11, 1));
	b = new_block(12, OFFSET);
	test_ticks(b, 0, 30);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	rs_block_put(b, test_series(b, 8, RS_M_STATE, rs_labels_none), 7, 0);
	struct rs_catalog *c = catalog(get_head);

	ck_assert_uint_eq(c->n, 4);
	ck_assert_uint_eq(c->entries[0].metric, RS_M_CORE_INTERRUPTS);
	ck_assert_int_eq(c->entries[0].first_ms, OFFSET + 10 * MINUTE);
	ck_assert_int_eq(c->entries[0].last_ms, OFFSET + 12 * MINUTE + 29 * SECOND);
	ck_assert_int_eq(c->entries[1].labels.cpu, 1);
	ck_assert_int_eq(c->entries[1].last_ms, OFFSET + 12 * MINUTE - SECOND);
	ck_assert_uint_eq(c->entries[2].metric, RS_M_NIC_RX_BYTES);
	ck_assert_int_eq(c->entries[2].first_ms, OFFSET + 10 * MINUTE + 5 * SECOND);
	ck_assert_int_eq(c->entries[2].last_ms, OFFSET + 10 * MINUTE + 41 * SECOND);
	ck_assert_uint_eq(c->entries[3].metric, RS_M_STATE);
	ck_assert_int_eq(c->entries[3].first_ms, OFFSET + 12 * MINUTE + 7 * SECOND);
	rs_catalog_free(c);

	/* After a restart what was seen last is still known, before and after
	 * the first block of the new start; then usb0 is back. */
	reopen(boot_a);
	c = catalog(no_head);
	ck_assert_uint_eq(c->n, 3);
	ck_assert_int_eq(c->entries[0].last_ms, OFFSET + 12 * MINUTE - SECOND);
	ck_assert_int_eq(c->entries[2].last_ms, OFFSET + 10 * MINUTE + 41 * SECOND);
	rs_catalog_free(c);
	b = new_block(20, OFFSET);
	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_NIC_RX_BYTES, test_device("usb0")), 1);
	append(b);
	c = catalog(no_head);
	ck_assert_uint_eq(c->n, 3);
	ck_assert_int_eq(c->entries[0].last_ms, OFFSET + 12 * MINUTE - SECOND);
	ck_assert_int_eq(c->entries[2].first_ms, OFFSET + 10 * MINUTE + 5 * SECOND);
	ck_assert_int_eq(c->entries[2].last_ms, OFFSET + 21 * MINUTE - SECOND);
	rs_catalog_free(c);
}
END_TEST

START_TEST(series_of_a_metric_this_program_does_not_know_are_left_out)
{
	open_store(dir.db, boot_a);
	append(plain_block(10, 1));
	test_shell(dir.db,
	    "INSERT INTO series SELECT 77, 'from_the_future', mode, direction, cpu, device, queue, "
	    "irq, kind, scale, unit, first_boot, first_ms, last_boot, last_ms FROM series LIMIT 1");
	struct rs_catalog *const c = catalog(no_head);
	ck_assert_uint_eq(c->n, 2);
	rs_catalog_free(c);
}
END_TEST

START_TEST(values_keep_the_scale_they_were_stored_with)
{
	open_store(dir.db, boot_a);
	struct rs_block *const b = new_block(10, OFFSET);
	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 9, RS_M_CORE_BUSY, test_cpu(0)), 5000);
	append(b);
	/* As if an older version had stored hundredths. */
	test_shell(dir.db, "UPDATE series SET scale = 100");
	append(plain_block(11, 1));
	reopen(boot_a);
	struct rs_block *const now = new_block(12, OFFSET);
	test_ticks(now, 0, 60);
	test_fill(now, test_series(now, 9, RS_M_CORE_BUSY, test_cpu(0)), 5000);
	append(now);
	struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	(void)snprintf(q.metric, sizeof(q.metric), "core_busy_ratio");
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_series, 1);
	ck_assert_double_eq(h->series[0].values[0], 50);
	ck_assert_double_eq(h->series[0].values[179], 0.5);
	rs_history_free(h);
	struct rs_catalog *const c = catalog(no_head);
	ck_assert_uint_eq(c->n, 3);
	rs_catalog_free(c);
}
END_TEST

/* --- findings ---------------------------------------------------------- */

static void
check_evidence(const struct rs_evidence *e, const struct rs_evidence *expected)
{
	ck_assert_str_eq(e->label, expected->label);
	ck_assert(isnan(e->value) ? isnan(expected->value) : e->value == expected->value);
	ck_assert_int_eq(e->unit, expected->unit);
	ck_assert_str_eq(e->text, expected->text);
}

static void
check_advice(const struct rs_advice *a, const struct rs_advice *expected)
{
	ck_assert_str_eq(a->command, expected->command);
	ck_assert_str_eq(a->expect, expected->expect);
	ck_assert_str_eq(a->undo, expected->undo);
	ck_assert(a->is_persistent == expected->is_persistent);
	ck_assert(a->is_disruptive == expected->is_disruptive);
}

static void
check_parts(const struct rs_finding *f, const struct rs_finding *expected)
{
	ck_assert_uint_eq(f->n_evidence, expected->n_evidence);
	for (uint32_t i = 0; i < f->n_evidence; i++)
		check_evidence(&f->evidence[i], &expected->evidence[i]);
	ck_assert_uint_eq(f->n_causes, expected->n_causes);
	for (uint32_t i = 0; i < f->n_causes; i++)
		ck_assert_str_eq(f->causes[i], expected->causes[i]);
	ck_assert_uint_eq(f->n_advice, expected->n_advice);
	for (uint32_t i = 0; i < f->n_advice; i++)
		check_advice(&f->advice[i], &expected->advice[i]);
}

static void
check_finding(const struct rs_finding *f, const struct rs_finding *expected)
{
	ck_assert_int_eq(f->id, expected->id);
	ck_assert_str_eq(f->code, expected->code);
	ck_assert_str_eq(f->title, expected->title);
	ck_assert_int_eq(f->severity, expected->severity);
	ck_assert_int_eq(f->confidence, expected->confidence);
	ck_assert(rs_subject_same(&f->subject, &expected->subject));
	ck_assert_int_eq(f->raised_ms, expected->raised_ms);
	ck_assert_int_eq(f->cleared_ms, expected->cleared_ms);
	ck_assert_uint_eq(f->episodes, expected->episodes);
	ck_assert_str_eq(f->message, expected->message);
	check_parts(f, expected);
}

START_TEST(findings_come_back_as_they_were)
{
	open_store(dir.db, boot_a);
	ck_assert_int_eq(rs_store_next_finding_id(store), 1);
	struct rs_finding f = full_finding(1), bare = {.id = 2, .code = "x", .raised_ms = 5};
	bare.subject = rs_subject_host;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	ck_assert_int_eq(rs_store_finding(store, &bare), 0);
	struct rs_finding_list *l = findings();
	ck_assert_uint_eq(l->n, 2);
	check_finding(&l->findings[0], &bare);
	check_finding(&l->findings[1], &f);
	rs_finding_list_free(l);

	/* Written again: replaced as a whole, its children too. */
	f.cleared_ms = f.raised_ms + 5000;
	f.n_evidence = 1;
	f.n_causes = 0;
	bare.cleared_ms = 9;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	ck_assert_int_eq(rs_store_finding(store, &bare), 0);
	rs_store_close(store);
	store = NULL;
	open_store(dir.db, boot_a);
	ck_assert_int_eq(rs_store_next_finding_id(store), 3);
	l = findings();
	ck_assert_uint_eq(l->n, 2);
	check_finding(&l->findings[0], &bare);
	check_finding(&l->findings[1], &f);
	rs_finding_list_free(l);
}
END_TEST

START_TEST(findings_left_active_end_with_the_samples)
{
	open_store(dir.db, boot_a);
	struct rs_finding f = full_finding(7);
	f.raised_ms = OFFSET + 10 * MINUTE + 1;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	append(plain_block(10, 1));
	reopen(boot_b);
	ck_assert_int_eq(rs_store_next_finding_id(store), 8);
	struct rs_finding_list *const l = findings();
	f.cleared_ms = OFFSET + 11 * MINUTE - SECOND;
	check_finding(&l->findings[0], &f);
	rs_finding_list_free(l);
}
END_TEST

START_TEST(no_finding_ends_before_it_began)
{
	open_store(dir.db, boot_a);
	struct rs_finding set_back = full_finding(6), left = full_finding(7);
	set_back.raised_ms = OFFSET + 10 * MINUTE;
	set_back.cleared_ms = set_back.raised_ms - 3600 * SECOND;
	left.raised_ms = OFFSET + 12 * MINUTE; /* after the newest sample */
	ck_assert_int_eq(rs_store_finding(store, &set_back), 0);
	ck_assert_int_eq(rs_store_finding(store, &left), 0);
	append(plain_block(10, 1));
	reopen(boot_b);
	struct rs_finding_list *const l = findings();
	set_back.cleared_ms = set_back.raised_ms;
	left.cleared_ms = left.raised_ms;
	check_finding(&l->findings[0], &left);
	check_finding(&l->findings[1], &set_back);
	rs_finding_list_free(l);
}
END_TEST

START_TEST(a_finding_that_is_written_does_not_hide_that_blocks_are_not)
{
	open_store(dir.db, boot_a);
	test_shell(dir.db, "CREATE TRIGGER full BEFORE INSERT ON raw "
			   "BEGIN SELECT RAISE(ABORT, 'no room'); END");
	struct rs_block *const b = plain_block(100, 1);
	struct rs_finding f = full_finding(1);
	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_bad, 1);
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings()); /* in order: the finding is answered */
	ck_assert_uint_eq(stats().commits, 1);
	ck_assert_str_eq(stats().state, "failing");
	ck_assert_str_eq(stats().error, "no room");

	/* Nor the other way round. */
	test_shell(dir.db, "CREATE TRIGGER mute BEFORE UPDATE ON findings "
			   "BEGIN SELECT RAISE(ABORT, 'no words'); END");
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	test_shell(dir.db, "DROP TRIGGER full");
	append(b);
	ck_assert_str_eq(stats().state, "failing");
	ck_assert_str_eq(stats().error, "no words");
	test_shell(dir.db, "DROP TRIGGER mute");
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	ck_assert_str_eq(stats().state, "ok");
	ck_assert_str_eq(stats().error, "");
}
END_TEST

START_TEST(at_most_a_thousand_findings_are_listed)
{
	open_store(dir.db, boot_a);
	test_shell(dir.db,
	    "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200) "
	    "INSERT INTO findings (id, code, title, severity, confidence, subject, raised_ms, "
	    "episodes, message) SELECT i, 'c', '', 'warn', 'high', 'host', i, 1, '' FROM n");
	struct rs_finding_list *const l = findings();
	ck_assert_uint_eq(l->n, 1000);
	ck_assert_int_eq(l->findings[0].id, 1200);
	ck_assert_int_eq(l->findings[0].severity, RS_WARN);
	ck_assert_int_eq(l->findings[0].subject.core, -1);
	rs_finding_list_free(l);
}
END_TEST

/* --- jobs -------------------------------------------------------------- */

START_TEST(closing_answers_everything_once_and_keeps_what_was_handed_over)
{
	struct rs_history *histories[10] = {0}; /* more than the thread has at once */
	struct rs_catalog *c = NULL;
	struct rs_finding_list *l = NULL;
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	const struct rs_finding f = full_finding(1);

	open_store(dir.db, boot_a);
	for (int64_t m = 0; m < 10; m++) {
		ck_assert_int_eq(rs_store_append(store, plain_block(m, 1)), 0);
		ck_assert_int_eq(
		    rs_store_query(store, &q, get_head, NULL, on_history, &histories[m]), 0);
	}
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	ck_assert_int_eq(rs_store_catalog(store, get_head, NULL, on_catalog, &c), 0);
	ck_assert_int_eq(rs_store_findings(store, on_findings, &l), 0);
	rs_store_close(store);
	store = NULL;
	ck_assert_uint_eq(blocks_good, 10);
	ck_assert_uint_eq(answers, RS_ARRAY_LEN(histories) + 2);
	for (size_t i = 0; i < RS_ARRAY_LEN(histories); i++) {
		ck_assert_ptr_nonnull(histories[i]);
		ck_assert(histories[i]->status == 0 || histories[i]->status == -ECANCELED);
		rs_history_free(histories[i]);
	}
	rs_catalog_free(c);
	rs_finding_list_free(l);

	open_store(dir.db, boot_a);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 600);
	rs_history_free(h);
	l = findings();
	ck_assert_uint_eq(l->n, 1);
	rs_finding_list_free(l);
}
END_TEST

/* When a question gives up, and the status it gives up with. */
static const struct give_up_case {
	bool is_closing, is_late;
	int status;
} give_up_cases[] = {
    {false, false, 0}, {true, false, -ECANCELED}, {false, true, -ETIME}, {true, true, -ECANCELED}};

START_TEST(a_query_that_gives_up_leaves_nothing_open)
{
	const struct give_up_case *const c = &give_up_cases[_i];
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	atomic_bool is_closing;
	struct rs_query_env env = {.boot = 1,
	    .offset_ms = OFFSET,
	    .interval_ms = SECOND,
	    .head_oldest_ms = 1,
	    .deadline_ns = c->is_late ? 1 : INT64_MAX,
	    .is_closing = &is_closing};
	struct rs_grid g;
	struct rs_db *db = NULL;
	unsigned damaged;

	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	rs_store_close(store);
	store = NULL;
	ck_assert_int_eq(rs_db_open(dir.db, NULL, &db), 0);
	atomic_init(&is_closing, c->is_closing);
	ck_assert_int_eq(rs_grid_init(&g, &q), 0);
	ck_assert_int_eq(rs_query_run(db, &g, &env, &damaged), c->status);
	ck_assert_int_eq(g.status, c->status);
	ck_assert_uint_eq(g.keys.n, c->status != 0 ? 0 : 2);
	rs_grid_fini(&g);
	for (int k = 0; k < RS_SQL_COUNT; k++)
		ck_assert(!sqlite3_stmt_busy(db->statements[k]));
	rs_db_close(db);
}
END_TEST

START_TEST(a_question_that_takes_too_long_ends_and_writing_goes_on)
{
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);

	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	append(plain_block(2, 1));
	/* The store thread sees each chunk come a little before half of the time is
	 * over: the third look is too late. */
	atomic_store(&test_clock_step_ns, RS_QUERY_NS_MAX * 2 / 5);
	struct rs_history *h = query(&q, no_head);
	ck_assert_int_eq(h->status, 0);
	rs_history_free(h);
	append(plain_block(3, 1));
	h = query(&q, no_head);
	ck_assert_int_eq(h->status, -ETIME);
	ck_assert_uint_eq(h->n_times, 0);
	rs_history_free(h);
	atomic_store(&test_clock_step_ns, 0);
	append(plain_block(4, 1));
	h = query(&q, no_head);
	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 240);
	rs_history_free(h);
}
END_TEST

/* --- changes ----------------------------------------------------------- */

/* The newest is `newest`, and below it all down to 1 follow. */
static void
check_changes(unsigned newest)
{
	struct rs_change_list *l = NULL;
	const unsigned n = answers + 1;

	ck_assert_int_eq(rs_store_changes(store, &all_changes, on_changes, &l), 0);
	wait_for(&answers, n);
	ck_assert_int_eq(l->status, 0);
	ck_assert_uint_eq(l->n, newest);
	for (size_t i = 0; i < l->n; i++) {
		ck_assert_int_eq(l->changes[i].id, (int64_t)newest - (int64_t)i);
		ck_assert_str_eq(l->changes[i].new, "2");
	}
	rs_change_list_free(l);
}

#define COUNT_CHANGES "SELECT count(*) FROM changes"

START_TEST(changes_survive_a_restart_also_those_that_waited)
{
	open_store(dir.db, boot_a);
	ck_assert_int_eq(rs_store_next_change_id(store), 1);
	check_changes(0);
	change(1, 2);
	change(3, 3);
	check_changes(3);
	reopen(boot_b);
	ck_assert_int_eq(rs_store_next_change_id(store), 4);
	check_changes(3);
	change(4, 4);
	ck_assert_int_eq(rs_store_next_change_id(store), 5);
	/* Closed while the first is being written. */
	change(5, 6);
	reopen(boot_b);
	check_changes(6);
}
END_TEST

START_TEST(changes_of_a_tick_are_one_transaction_and_a_minute_has_few)
{
	open_store(dir.db, boot_a);
	change(1, 300);
	check_changes(300);
	ck_assert_uint_eq(stats().commits, 1);
	/* A few more are written at once, a lasting storm is not. */
	for (unsigned id = 301; id < 320; id++) {
		change(id, id);
		check_changes(id);
	}
	ck_assert_uint_eq(stats().commits, RS_UNWRITTEN_WRITES);
	ck_assert_int_eq(
	    test_shell_int(dir.db, COUNT_CHANGES), 300 + (int64_t)RS_UNWRITTEN_WRITES - 1);
	append(plain_block(1, 1));
	check_changes(319);
	ck_assert_uint_eq(stats().commits, RS_UNWRITTEN_WRITES + 2);
	ck_assert_int_eq(test_shell_int(dir.db, COUNT_CHANGES), 319);
	atomic_fetch_add(&test_clock_ahead_ns, 60 * RS_NS_PER_S);
	change(320, 320);
	check_changes(320);
	ck_assert_int_eq(test_shell_int(dir.db, COUNT_CHANGES), 320);
	ck_assert_uint_eq(stats().changes_dropped, 0);
}
END_TEST

START_TEST(changes_that_cannot_be_written_are_told_and_written_later)
{
	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	atomic_store(&fault_disk.failures, 1);
	change(1, 2);
	check_changes(2);
	ck_assert_str_eq(stats().state, "failing");
	ck_assert_int_eq(test_shell_int(dir.db, COUNT_CHANGES), 0);
	/* With those that come next, or with the next minute. */
	change(3, 3);
	check_changes(3);
	ck_assert_str_eq(stats().state, "ok");
	ck_assert_int_eq(test_shell_int(dir.db, COUNT_CHANGES), 3);
	reopen(boot_a);
	check_changes(3);
}
END_TEST

START_TEST(changes_that_hang_in_the_disk_are_told)
{
	struct rs_change_list *l = NULL;

	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	(void)pthread_mutex_lock(&fault_disk.gate);
	/* Asked before they are handed over, answered while they are written. */
	const struct rs_finding f = full_finding(1);
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	ck_assert_int_eq(rs_store_changes(store, &all_changes, on_changes, &l), 0);
	change(1, 2);
	change(3, 3);
	(void)pthread_mutex_unlock(&fault_disk.gate);
	wait_for(&answers, 1);
	ck_assert_int_eq(l->status, 0);
	ck_assert_uint_eq(l->n, 3);
	ck_assert_int_eq(l->changes[0].id, 3);
	rs_change_list_free(l);
	check_changes(3);
}
END_TEST

START_TEST(in_memory_changes_are_answered_too)
{
	open_store(NULL, boot_a);
	change(1, 2);
	change(3, 3);
	check_changes(3);
	ck_assert_str_eq(stats().state, "memory");
}
END_TEST

START_TEST(a_file_of_version_1_takes_changes)
{
	test_shell(dir.db, rs_schema_steps[0]);
	test_shell(dir.db, "PRAGMA application_id = 0x526e6773; PRAGMA user_version = 1");
	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	change(1, 1);
	check_changes(1);
}
END_TEST

/* --- a disk that hangs or fails ---------------------------------------- */

START_TEST(a_store_that_waits_for_the_disk_says_so_and_takes_no_questions)
{
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *h = NULL;
	struct rs_catalog *c = NULL;
	struct rs_finding_list *l = NULL;
	struct rs_change_list *changes = NULL;

	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	(void)pthread_mutex_lock(&fault_disk.gate);
	ck_assert_int_eq(rs_store_append(store, plain_block(101, 1)), 0);
	ck_assert_str_eq(stats().state, "ok");
	atomic_fetch_add(&test_clock_ahead_ns, RS_STORE_STUCK_NS + 1);
	ck_assert_str_eq(stats().state, "stuck");
	/* A younger block does not hide the old one. */
	ck_assert_int_eq(rs_store_append(store, plain_block(102, 1)), 0);
	ck_assert_str_eq(stats().state, "stuck");
	ck_assert_int_eq(rs_store_query(store, &q, no_head, NULL, on_history, &h), -EAGAIN);
	ck_assert_int_eq(rs_store_catalog(store, no_head, NULL, on_catalog, &c), -EAGAIN);
	ck_assert_int_eq(rs_store_findings(store, on_findings, &l), -EAGAIN);
	ck_assert_int_eq(rs_store_changes(store, &all_changes, on_changes, &changes), -EAGAIN);
	ck_assert_uint_eq(answers, 0);

	(void)pthread_mutex_unlock(&fault_disk.gate);
	wait_for(&blocks_good, 3);
	ck_assert_str_eq(stats().state, "ok");
	h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 180);
	rs_history_free(h);
}
END_TEST

static void
append_badly(struct rs_block *b)
{
	const unsigned n = blocks_bad + 1;

	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_bad, n);
	ck_assert_str_eq(stats().state, "failing");
}

/* What makes the first attempt fail: the log cannot be synced, or another
 * program holds the database for longer than the store waits. */
static const bool is_locked_cases[] = {false, true};

START_TEST(a_block_that_failed_is_stored_once_when_it_comes_again)
{
	sqlite3 *other = NULL;
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	const struct rs_query sum = ask_interrupts(0, INT64_MAX, 1, RS_SUM);

	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	if (is_locked_cases[_i])
		other = test_shell_open(dir.db, "BEGIN IMMEDIATE");
	else
		atomic_store(&fault_disk.failures, 1);
	struct rs_block *const b = plain_block(101, 2);
	append_badly(b);
	if (other != NULL)
		ck_assert_int_eq(sqlite3_close(other), SQLITE_OK);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 1);
	append(b);
	ck_assert_str_eq(stats().state, "ok");
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 2);
	for (int round = 0; round < 2; round++) {
		struct rs_history *h = query(&q, round == 0 ? get_head : no_head);
		ck_assert_uint_eq(h->n_times, 120);
		ck_assert_double_eq(h->series[0].values[119], 2);
		rs_history_free(h);
		h = query(&sum, round == 0 ? get_head : no_head);
		ck_assert_double_eq(h->series[0].values[0], 60 * 1 + 60 * 2);
		rs_history_free(h);
		reopen(boot_a);
	}
}
END_TEST

/* Fails once, while the block behind it is stored. A series has ended in the
 * failed one, one came with it, one comes in the next and one is in neither. */
START_TEST(a_block_that_comes_behind_newer_ones_changes_nothing_of_theirs)
{
	static const struct {
		const char *device;
		int64_t first_ms, last_ms;
	} expected[] = {
	    {"always", 100 * MINUTE, 103 * MINUTE - SECOND},
	    {"both", 101 * MINUTE, 103 * MINUTE - SECOND},
	    {"ended", 100 * MINUTE, 102 * MINUTE - SECOND},
	    {"new", 102 * MINUTE, 103 * MINUTE - SECOND},
	    {"only", 101 * MINUTE, 102 * MINUTE - SECOND},
	};
	/* by minute, from 100 on */
	static const char *const devices[][4] = {
	    {"always", "ended"},
	    {"always", "ended", "both", "only"},
	    {"always", "new", "both"},
	};
	struct rs_block *blocks[3];

	open_store(dir.db, boot_a);
	for (uint32_t m = 0; m < 3; m++) {
		/* The clock is set while the middle one waits. */
		struct rs_block *const b = new_block(100 + m, m < 2 ? 5000 : OFFSET);
		b->is_clock_ok = m == 2;
		test_ticks(b, 0, 60);
		for (uint32_t i = 0; i < 4 && devices[m][i] != NULL; i++)
			test_fill(b,
			    test_series(
				b, 10 * m + i + 1, RS_M_NIC_RX_BYTES, test_device(devices[m][i])),
			    m);
		blocks[m] = b;
	}
	append(blocks[0]);
	atomic_store(&fault_disk.failures, 1);
	append_badly(blocks[1]);
	append(blocks[2]);
	append(blocks[1]);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 3);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT wall_offset_ms FROM boots"), OFFSET);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT clock_ok FROM boots"), 1);
	/* As it is, after an empty minute that ends all of them, after a start. */
	for (int round = 0; round < 3; round++) {
		struct rs_catalog *const c = catalog(no_head);
		ck_assert_uint_eq(c->n, RS_ARRAY_LEN(expected));
		for (size_t i = 0; i < c->n; i++) {
			const struct rs_catalog_entry *const e = &c->entries[i];
			ck_assert_str_eq(e->labels.device, expected[i].device);
			ck_assert_msg(e->first_ms == OFFSET + expected[i].first_ms &&
					  e->last_ms == OFFSET + expected[i].last_ms,
			    "round %d, '%s': %lld to %lld", round, e->labels.device,
			    (long long)(e->first_ms - OFFSET), (long long)(e->last_ms - OFFSET));
		}
		rs_catalog_free(c);
		if (round == 0) {
			struct rs_block *const b = new_block(103, OFFSET);
			test_ticks(b, 0, 60);
			append(b);
		} else {
			reopen(boot_a);
		}
	}
}
END_TEST

START_TEST(a_clean_end_leaves_one_file_and_its_lock)
{
	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	rs_store_close(store);
	store = NULL;
	ck_assert_uint_eq(test_dir_count(&dir), 2);
}
END_TEST

START_TEST(full_queues_refuse_and_count)
{
	struct rs_history *h[RS_QUERIES_MAX + 1] = {0};
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 1, RS_AVG);
	unsigned n_blocks = 0, n_queries = 0, n_findings = 0;

	/* Answers are only taken when the loop runs. */
	open_store(dir.db, boot_a);
	struct rs_block *refused = NULL;
	for (;;) {
		struct rs_block *const b = plain_block(n_blocks, 1);

		if (rs_store_append(store, b) == -EAGAIN) {
			refused = b;
			break;
		}
		n_blocks++;
	}
	ck_assert(!refused->is_with_store);
	while (n_queries < RS_ARRAY_LEN(h) &&
	       rs_store_query(store, &q, no_head, NULL, on_history, &h[n_queries]) == 0)
		n_queries++;
	ck_assert_uint_eq(n_queries, RS_QUERIES_MAX);
	struct rs_finding f = full_finding(1);
	while (rs_store_finding(store, &f) == 0) {
		f.id = 1 + ++n_findings % 4;
		ck_assert_uint_lt(n_findings, 1000);
	}
	ck_assert_uint_eq(stats().findings_dropped, 1);
	wait_for(&blocks_good, n_blocks);
	wait_for(&answers, n_queries);
	for (unsigned i = 0; i < n_queries; i++)
		rs_history_free(h[i]);
	/* And there is room again. */
	append(refused);
	struct rs_finding_list *const l = findings();
	ck_assert_uint_eq(l->n, 4);
	rs_finding_list_free(l);
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	ck_assert_uint_eq(stats().findings_dropped, 1);
}
END_TEST

START_TEST(what_is_written_is_counted)
{
	open_store(dir.db, boot_a);
	struct rs_block *const b = new_block(1, OFFSET);
	test_ticks(b, 7, 60);
	for (int32_t c = 0; c < 2; c++)
		test_fill(b, test_series(b, (uint32_t)c + 1, RS_M_CORE_INTERRUPTS, test_cpu(c)), 1);
	append(b);
	const struct rs_store_stats first = stats();
	ck_assert_uint_gt(first.bytes_written, 0);
	ck_assert_int_gt(first.size_bytes, 0);
	ck_assert_int_eq(first.oldest_ms, OFFSET + MINUTE + 7 * SECOND);
	append(plain_block(2, 1));
	const struct rs_store_stats second = stats();
	/* A log frame is a page and its header. */
	ck_assert_uint_ge(second.bytes_written, first.bytes_written + 4096 + 24);
	ck_assert_uint_eq(second.commits, 2);
	ck_assert_int_gt(second.longest_commit_ns, 0);
	/* A minute like the one before touches few pages: less than six. */
	ck_assert_uint_lt(second.bytes_written - first.bytes_written, 24720);
	ck_assert_uint_eq(second.queue_len, 0);
}
END_TEST

START_TEST(people_can_read_the_tables)
{
	open_store(dir.db, boot_a);
	append(plain_block(1, 1));
	append(new_block(2, OFFSET));
	const struct rs_finding f = full_finding(1);
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM series_times WHERE metric = "
				   "'core_interrupts' AND first_utc LIKE '2023-11-14 %'"),
	    2);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM findings WHERE severity = 'crit' AND "
				   "device = 'eth0' AND cleared_ms IS NULL AND core IS NULL"),
	    1);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM finding_evidence WHERE "
						"unit = 'ratio' AND value > 0.3"),
	    1);
}
END_TEST

/* --- the list ---------------------------------------------------------- */

static TCase *
add_case(Suite *s, const char *name)
{
	TCase *const t = tcase_create(name);

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 90);
	suite_add_tcase(s, t);
	return t;
}

static Suite *
suite(void)
{
	Suite *const s = suite_create("store");
	TCase *t = add_case(s, "samples");

	tcase_add_test(t, samples_survive_a_restart);
	tcase_add_test(t, the_head_and_the_database_make_one_answer);
	tcase_add_test(t, blocks_on_their_way_are_counted_once);
	tcase_add_test(t, a_fresh_store_answers_from_the_head_alone);
	tcase_add_test(t, an_empty_store_gives_an_empty_answer);
	tcase_add_test(t, a_restart_within_a_minute_loses_neither_half);
	tcase_add_test(t, steps_over_many_minutes_keep_peaks_and_gaps);
	tcase_add_test(t, filters_choose_series_in_the_database);
	tcase_add_test(t, more_series_than_a_chunk_holds_come_back);
	tcase_add_test(t, an_interface_that_comes_back_within_a_minute_is_one_series);
	tcase_add_test(t, a_block_that_cannot_be_stored_comes_back_as_such);
	tcase_add_test(t, a_first_block_that_fails_is_as_if_it_had_never_been);
	tcase_add_test(t, a_failed_commit_leaves_nothing_behind_and_the_next_one_works);
	tcase_add_test(t, a_damaged_chunk_is_a_gap);

	t = add_case(s, "clocks");
	tcase_add_test(t, each_boot_has_its_own_clock);
	tcase_add_test(t, samples_move_when_the_clock_is_set);
	tcase_add_test(t, reading_the_clocks_moves_no_sample);
	tcase_add_test(t, without_a_boot_id_each_start_is_a_boot);

	t = add_case(s, "memory");
	tcase_add_test(t, in_memory_the_last_hour_is_kept);

	t = add_case(s, "catalog");
	tcase_add_test(t, the_catalog_knows_when_series_came_and_went);
	tcase_add_test(t, series_of_a_metric_this_program_does_not_know_are_left_out);
	tcase_add_test(t, values_keep_the_scale_they_were_stored_with);

	t = add_case(s, "findings");
	tcase_add_test(t, findings_come_back_as_they_were);
	tcase_add_test(t, findings_left_active_end_with_the_samples);
	tcase_add_test(t, no_finding_ends_before_it_began);
	tcase_add_test(t, a_finding_that_is_written_does_not_hide_that_blocks_are_not);
	tcase_add_test(t, at_most_a_thousand_findings_are_listed);

	t = add_case(s, "changes");
	tcase_add_test(t, changes_survive_a_restart_also_those_that_waited);
	tcase_add_test(t, changes_of_a_tick_are_one_transaction_and_a_minute_has_few);
	tcase_add_test(t, changes_that_cannot_be_written_are_told_and_written_later);
	tcase_add_test(t, changes_that_hang_in_the_disk_are_told);
	tcase_add_test(t, in_memory_changes_are_answered_too);
	tcase_add_test(t, a_file_of_version_1_takes_changes);

	t = add_case(s, "jobs");
	tcase_add_test(t, closing_answers_everything_once_and_keeps_what_was_handed_over);
	tcase_add_loop_test(
	    t, a_query_that_gives_up_leaves_nothing_open, 0, RS_ARRAY_LEN(give_up_cases));
	tcase_add_test(t, a_question_that_takes_too_long_ends_and_writing_goes_on);
	tcase_add_test(t, a_clean_end_leaves_one_file_and_its_lock);
	tcase_add_test(t, full_queues_refuse_and_count);
	tcase_add_test(t, what_is_written_is_counted);

	t = add_case(s, "disk");
	tcase_add_test(t, a_store_that_waits_for_the_disk_says_so_and_takes_no_questions);
	tcase_add_loop_test(t, a_block_that_failed_is_stored_once_when_it_comes_again, 0,
	    RS_ARRAY_LEN(is_locked_cases));
	tcase_add_test(t, a_block_that_comes_behind_newer_ones_changes_nothing_of_theirs);

	t = add_case(s, "files");
	tcase_add_test(t, people_can_read_the_tables);
	return s;
}

RS_CHECK_MAIN(suite())

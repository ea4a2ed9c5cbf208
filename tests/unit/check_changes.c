/* SPDX-License-Identifier: ISC */
/*
 * Changes of settings: their rows, and how they wait for them. The store as a
 * whole is in check_store.c.
 */
#include "rs_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "changes.h"
#include "finding.h"
#include "migrate.h"
#include "unwritten.h"

#define MINUTE_NS (60 * RS_NS_PER_S)

static const struct rs_change_query everything = {.after_ms = INT64_MIN,
    .before_ms = INT64_MAX,
    .limit = RS_CHANGES_LISTED_MAX,
    .fact = RS_F_COUNT};

static struct rs_db *db;
static struct rs_unwritten unwritten;

static void
set_up(void)
{
	struct rs_error e = {0};

	ck_assert_msg(rs_db_open(NULL, &e, &db) == 0, "%s", e.text);
	unwritten = (struct rs_unwritten){0};
}

static void
tear_down(void)
{
	rs_db_close(db);
	rs_unwritten_fini(&unwritten);
}

static struct rs_change
change(int64_t id, enum rs_fact_id fact, const char *device)
{
	struct rs_change c = {.id = id, .at_ms = 1000 * id, .fact = (uint16_t)fact};

	c.labels = rs_labels_none;
	(void)snprintf(c.labels.device, sizeof(c.labels.device), "%s", device);
	(void)snprintf(c.old, sizeof(c.old), "old %lld", (long long)id);
	(void)snprintf(c.new, sizeof(c.new), "new %lld", (long long)id);
	return c;
}

static void
check_same(const struct rs_change *c, const struct rs_change *expected)
{
	ck_assert_int_eq(c->id, expected->id);
	ck_assert_int_eq(c->at_ms, expected->at_ms);
	ck_assert_uint_eq(c->fact, expected->fact);
	ck_assert(rs_labels_same(&c->labels, &expected->labels));
	ck_assert_str_eq(c->old, expected->old);
	ck_assert_str_eq(c->new, expected->new);
}

/* Changes first..last, all of one kind. */
static void
add_rows(int64_t first, int64_t last)
{
	const size_t n = (size_t)(last - first + 1);
	struct rs_change *const c = calloc(n, sizeof(*c));

	ck_assert_ptr_nonnull(c);
	for (size_t i = 0; i < n; i++)
		c[i] = change(first + (int64_t)i, RS_F_MTU, "eth0");
	ck_assert_int_eq(rs_changes_add(db, NULL, c, n), 0);
	free(c);
}

static struct rs_change_list
read_rows(const struct rs_change_query *q)
{
	struct rs_change_list l = {0};

	ck_assert_int_eq(rs_changes_read(db, q, 0, &l), 0);
	return l;
}

static int64_t
ask(const char *sql)
{
	sqlite3_stmt *st = NULL;

	ck_assert_msg(sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL) == SQLITE_OK, "%s", sql);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	const int64_t v = sqlite3_column_int64(st, 0);
	ck_assert_int_eq(sqlite3_finalize(st), SQLITE_OK);
	return v;
}

/* --- rows -------------------------------------------------------------- */

/* One on each kind of thing, and what a person finds in the table. */
static const struct row_case {
	enum rs_fact_id fact;
	struct rs_labels labels;
	const char *where; /* of its row */
} row_cases[] = {
    {RS_F_KERNEL, {.cpu = -1, .queue = -1},
	"kind = 'kernel' AND subject = 'host' AND core IS NULL AND device IS NULL AND queue IS "
	"NULL "
	"AND direction IS NULL AND irq IS NULL"},
    {RS_F_GOVERNOR, {.cpu = 0, .queue = -1},
	"kind = 'cpu_governor' AND subject = 'core' AND core = 0 AND device IS NULL"},
    {RS_F_RING_RX, {.cpu = -1, .queue = -1, .device = "eth0"},
	"kind = 'ring_rx' AND subject = 'interface' AND device = 'eth0' AND queue IS NULL"},
    {RS_F_IRQ_AFFINITY, {.cpu = -1, .queue = -1, .irq = "31"},
	"kind = 'irq_affinity' AND subject = 'irq' AND irq = '31' AND device IS NULL"},
    {RS_F_IRQ_AFFINITY, {.cpu = -1, .queue = 3, .device = "eth0", .irq = "31"},
	"subject = 'irq' AND irq = '31' AND device = 'eth0' AND queue = 3 AND direction IS NULL"},
    {RS_F_XPS_CPUS, {.cpu = -1, .queue = 0, .device = "eth0"},
	"kind = 'xps_cpus' AND subject = 'queue' AND device = 'eth0' AND queue = 0 AND "
	"direction = 'tx'"},
};

START_TEST(a_change_comes_back_as_it_was_and_people_can_read_it)
{
	const struct row_case *const r = &row_cases[_i];
	struct rs_change c = change(5, r->fact, "");
	char sql[400];

	c.labels = r->labels;
	c.old[0] = '\0'; /* an empty mask is a value */
	ck_assert_int_eq(rs_changes_add(db, NULL, &c, 1), 0);
	struct rs_change_list l = read_rows(&everything);
	ck_assert_uint_eq(l.n, 1);
	check_same(&l.changes[0], &c);
	free(l.changes);
	(void)snprintf(sql, sizeof(sql),
	    "SELECT count(*) FROM changes WHERE %s AND old = '' AND new = 'new 5'", r->where);
	ck_assert_msg(ask(sql) == 1, "%s", sql);
}
END_TEST

START_TEST(the_newest_come_first_and_the_oldest_go)
{
	add_rows(1, 4000);
	add_rows(4001, 8000);
	add_rows(8001, RS_CHANGES_KEPT);
	ck_assert_int_eq(ask("SELECT count(*) FROM changes"), RS_CHANGES_KEPT);
	add_rows(RS_CHANGES_KEPT + 1, RS_CHANGES_KEPT + 70);
	ck_assert_int_eq(ask("SELECT count(*) FROM changes"), RS_CHANGES_KEPT);
	ck_assert_int_eq(ask("SELECT min(id) FROM changes"), 71);
	struct rs_change_list l = read_rows(&everything);
	ck_assert_uint_eq(l.n, RS_CHANGES_LISTED_MAX);
	for (size_t i = 0; i < l.n; i++)
		ck_assert_int_eq(l.changes[i].id, RS_CHANGES_KEPT + 70 - (int64_t)i);
	free(l.changes);
}
END_TEST

/* Rows 1 to 6: the device, and whether it is the second kind. */
static const struct {
	const char *device;
	bool is_ring;
} six[] = {{"a", false}, {"b", true}, {"a", true}, {"", false}, {"a", false}, {"b", false}};

static const struct filter_case {
	struct rs_change_query q;
	const char *ids;
} filter_cases[] = {
    {{INT64_MIN, INT64_MAX, 10, RS_F_COUNT, "", false, 0}, "654321"},
    {{2000, 5000, 10, RS_F_COUNT, "", false, 0}, "543"}, /* (after, before] */
    {{1999, 4999, 10, RS_F_COUNT, "", false, 0}, "432"},
    {{6000, INT64_MAX, 10, RS_F_COUNT, "", false, 0}, ""},
    {{INT64_MIN, INT64_MAX, 2, RS_F_COUNT, "", false, 0}, "65"},
    {{INT64_MIN, INT64_MAX, 10, RS_F_RING_RX, "", false, 0}, "32"},
    {{INT64_MIN, INT64_MAX, 10, RS_F_COUNT, "a", false, 0}, "531"},
    {{INT64_MIN, INT64_MAX, 1, RS_F_MTU, "a", false, 0},
	"5"}, /* the limit is of those that match */
    {{INT64_MIN, 4000, 10, RS_F_MTU, "a", false, 0}, "1"},
    {{INT64_MIN, INT64_MAX, 10, RS_F_COUNT, "c", false, 0}, ""},
    {{INT64_MIN, INT64_MAX, 10, RS_F_COUNT, "a' OR 1 --", false, 0}, ""},
};

static void
check_ids(const struct rs_change_list *l, const char *ids)
{
	ck_assert_uint_eq(l->n, strlen(ids));
	for (size_t i = 0; i < l->n; i++)
		ck_assert_int_eq(l->changes[i].id, ids[i] - '0');
}

/* Wherever they are: the first `_i % 3 * 3` on disk, the rest not yet. */
START_TEST(questions_choose_alike_on_disk_and_before)
{
	const struct filter_case *const c = &filter_cases[_i / 3];
	const size_t n_rows = (size_t)(_i % 3) * 3;
	struct rs_change_list l;

	for (size_t i = 0; i < RS_ARRAY_LEN(six); i++) {
		const struct rs_change one =
		    change((int64_t)i + 1, six[i].is_ring ? RS_F_RING_RX : RS_F_MTU, six[i].device);

		if (i < n_rows)
			ck_assert_int_eq(rs_changes_add(db, NULL, &one, 1), 0);
		else
			rs_unwritten_add(&unwritten, &one, 1);
	}
	l = read_rows(&c->q);
	ck_assert_int_eq(rs_unwritten_merge(&unwritten, &c->q, &l), 0);
	check_ids(&l, c->ids);
	free(l.changes);
}
END_TEST

START_TEST(all_of_a_batch_are_written_or_none)
{
	struct rs_change c[] = {change(1, RS_F_MTU, "a"), change(2, RS_F_MTU, "a"),
	    change(2, RS_F_MTU, "b"), change(3, RS_F_MTU, "a")};

	ck_assert_int_lt(rs_changes_add(db, NULL, c, RS_ARRAY_LEN(c)), 0);
	ck_assert_int_eq(ask("SELECT count(*) FROM changes"), 0);
	ck_assert_msg(strstr(db->error, "UNIQUE") != NULL, "%s", db->error);
	ck_assert_int_eq(rs_changes_add(db, NULL, c, 2), 0);
	ck_assert_int_eq(ask("SELECT count(*) FROM changes"), 2);
}
END_TEST

START_TEST(ids_go_on_behind_those_that_are_kept)
{
	int64_t next = 0;

	ck_assert_int_eq(rs_changes_init(db, &next), 0);
	ck_assert_int_eq(next, 1);
	add_rows(7, 9);
	ck_assert_int_eq(rs_changes_init(db, &next), 0);
	ck_assert_int_eq(next, 10);
}
END_TEST

START_TEST(kinds_of_another_version_are_left_out)
{
	add_rows(1, 2);
	ck_assert_int_eq(sqlite3_exec(db->handle,
			     "INSERT INTO changes (id, at_ms, kind, subject, old, new) "
			     "VALUES (3, 1, 'colour', 'host', 'red', 'blue')",
			     NULL, NULL, NULL),
	    SQLITE_OK);
	struct rs_change_list l = read_rows(&everything);
	check_ids(&l, "21");
	free(l.changes);
}
END_TEST

/* --- on their way ------------------------------------------------------ */

static void
hold(int64_t first, int64_t last)
{
	for (int64_t id = first; id <= last; id++) {
		const struct rs_change c = change(id, RS_F_MTU, "a");

		rs_unwritten_add(&unwritten, &c, 1);
	}
}

/* Everything that is here. */
static void
check_here(const char *ids)
{
	struct rs_change_list l = {0};

	ck_assert_int_eq(rs_unwritten_merge(&unwritten, &everything, &l), 0);
	check_ids(&l, ids);
	free(l.changes);
}

/* Writes what is held, well or badly. */
static void
write_held(rs_ns at_ns, bool is_good, size_t n)
{
	struct rs_change_list *const list = rs_unwritten_take(&unwritten, at_ns);

	ck_assert_ptr_nonnull(list);
	ck_assert_uint_eq(list->n, n);
	rs_unwritten_done(&unwritten, list, is_good);
	rs_change_list_free(list);
}

START_TEST(the_first_of_a_minute_are_written_at_once_the_rest_wait)
{
	const rs_ns at = 7 * RS_NS_PER_S;

	for (unsigned i = 0; i < RS_UNWRITTEN_WRITES; i++) {
		hold(i + 1, i + 1);
		ck_assert(rs_unwritten_is_due(&unwritten, at + i));
		write_held(at + i, true, 1);
		check_here("");
	}
	hold(7, 8);
	ck_assert(!rs_unwritten_is_due(&unwritten, at + MINUTE_NS - 1));
	check_here("87");
	ck_assert(rs_unwritten_is_due(&unwritten, at + MINUTE_NS));
	write_held(at + MINUTE_NS, true, 2);
	/* A new minute, as good as the first. */
	hold(9, 9);
	ck_assert(rs_unwritten_is_due(&unwritten, at + MINUTE_NS + 1));
	ck_assert_ptr_nonnull(unwritten.held);
	write_held(at + MINUTE_NS + 1, true, 1);
	ck_assert_ptr_null(rs_unwritten_take(&unwritten, at + 2 * MINUTE_NS));
}
END_TEST

START_TEST(one_write_at_a_time_and_all_are_told)
{
	hold(1, 1);
	struct rs_change_list *const first = rs_unwritten_take(&unwritten, 0);
	ck_assert_ptr_nonnull(first);
	hold(2, 3);
	ck_assert_ptr_null(rs_unwritten_take(&unwritten, 1));
	check_here("321");
	rs_unwritten_done(&unwritten, first, true);
	rs_change_list_free(first);
	check_here("32");
	write_held(2, true, 2);
	check_here("");
}
END_TEST

START_TEST(what_could_not_be_written_comes_again_in_order)
{
	hold(1, 2);
	struct rs_change_list *list = rs_unwritten_take(&unwritten, 0);
	hold(3, 4);
	rs_unwritten_done(&unwritten, list, false);
	rs_change_list_free(list);
	check_here("4321");
	list = rs_unwritten_take(&unwritten, MINUTE_NS);
	ck_assert_uint_eq(list->n, 4);
	for (size_t i = 0; i < 4; i++)
		ck_assert_int_eq(list->changes[i].id, (int64_t)i + 1);
	rs_unwritten_done(&unwritten, list, true);
	rs_change_list_free(list);
	ck_assert_uint_eq(unwritten.dropped, 0);
}
END_TEST

START_TEST(a_storm_does_not_wait_but_a_failing_disk_is_not_asked_each_tick)
{
	for (unsigned i = 0; i < RS_UNWRITTEN_WRITES; i++) {
		hold(i + 1, i + 1);
		write_held(0, true, 1);
	}
	hold(11, 10 + RS_UNWRITTEN_MAX / 4 - 1);
	ck_assert(!rs_unwritten_is_due(&unwritten, 1));
	hold(10 + RS_UNWRITTEN_MAX / 4, 10 + RS_UNWRITTEN_MAX / 4);
	ck_assert(rs_unwritten_is_due(&unwritten, 1));
	write_held(1, false, RS_UNWRITTEN_MAX / 4);
	ck_assert(!rs_unwritten_is_due(&unwritten, 2));
	ck_assert(rs_unwritten_is_due(&unwritten, 1 + MINUTE_NS));
}
END_TEST

START_TEST(the_oldest_are_dropped_and_counted_when_there_is_no_room)
{
	static struct rs_change many[RS_UNWRITTEN_MAX + 5];
	struct rs_change_list l = {0};
	struct rs_change_query two = everything;

	two.limit = 2;
	hold(1, 10);
	for (size_t i = 0; i < RS_ARRAY_LEN(many); i++)
		many[i] = change((int64_t)i + 11, RS_F_MTU, "a");
	rs_unwritten_add(&unwritten, many, RS_UNWRITTEN_MAX - 4);
	ck_assert_uint_eq(unwritten.n, RS_UNWRITTEN_MAX);
	ck_assert_uint_eq(unwritten.dropped, 6);
	ck_assert_int_eq(unwritten.held[0].id, 7);
	ck_assert_int_eq(rs_unwritten_merge(&unwritten, &two, &l), 0);
	ck_assert_uint_eq(l.n, 2);
	ck_assert_int_eq(l.changes[0].id, RS_UNWRITTEN_MAX - 4 + 10);
	free(l.changes);
	/* More than there is room for at all. */
	rs_unwritten_add(&unwritten, many, RS_ARRAY_LEN(many));
	ck_assert_uint_eq(unwritten.n, RS_UNWRITTEN_MAX);
	ck_assert_uint_eq(unwritten.dropped, 6 + RS_UNWRITTEN_MAX + 5);
	ck_assert_int_eq(unwritten.held[0].id, 16);
}
END_TEST

/* --- kinds ------------------------------------------------------------- */

START_TEST(kinds_are_found_by_their_names)
{
	for (unsigned i = 0; i < RS_F_COUNT; i++)
		ck_assert_uint_eq(rs_fact_find(rs_text_of(rs_facts[i].name)), i);
	ck_assert_uint_eq(rs_fact_find(rs_text_of("")), RS_F_COUNT);
	ck_assert_uint_eq(rs_fact_find(rs_text_of("mt")), RS_F_COUNT);
	ck_assert_uint_eq(rs_fact_find(rs_text_of("MTU")), RS_F_COUNT);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("changes");
	TCase *const t = tcase_create("changes");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(
	    t, a_change_comes_back_as_it_was_and_people_can_read_it, 0, RS_ARRAY_LEN(row_cases));
	tcase_add_test(t, the_newest_come_first_and_the_oldest_go);
	tcase_add_loop_test(
	    t, questions_choose_alike_on_disk_and_before, 0, 3 * RS_ARRAY_LEN(filter_cases));
	tcase_add_test(t, all_of_a_batch_are_written_or_none);
	tcase_add_test(t, ids_go_on_behind_those_that_are_kept);
	tcase_add_test(t, kinds_of_another_version_are_left_out);
	tcase_add_test(t, the_first_of_a_minute_are_written_at_once_the_rest_wait);
	tcase_add_test(t, one_write_at_a_time_and_all_are_told);
	tcase_add_test(t, what_could_not_be_written_comes_again_in_order);
	tcase_add_test(t, a_storm_does_not_wait_but_a_failing_disk_is_not_asked_each_tick);
	tcase_add_test(t, the_oldest_are_dropped_and_counted_when_there_is_no_room);
	tcase_add_test(t, kinds_are_found_by_their_names);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

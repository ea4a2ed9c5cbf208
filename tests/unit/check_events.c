/* SPDX-License-Identifier: ISC */
/*
 * Findings and changes of a machine that learns the time late: their rows follow
 * its clock, and so do answers before the rows do.
 */
#include "rs_check.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "changes.h"
#include "events.h"
#include "finding.h"
#include "findings.h"
#include "migrate.h"
#include "unwritten.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
/* Wall clock minus boot clock: a machine without a clock starts in 1970. */
#define UNSET INT64_C(0)
#define SET INT64_C(1700000000000)

static struct rs_db *db;
static struct rs_appender appender;

static void
set_up(void)
{
	struct rs_error e = {0};

	ck_assert_msg(rs_db_open(NULL, &e, &db) == 0, "%s", e.text);
	ck_assert_int_eq(rs_appender_init(&appender, db, "this boot"), 0);
}

static void
tear_down(void)
{
	rs_appender_fini(&appender);
	rs_db_close(db);
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

/* A finding raised at boot_ms while the wall clock was offset_ms ahead. */
static struct rs_finding
finding(int64_t id, int64_t boot_ms, int64_t offset_ms)
{
	struct rs_finding f = {.id = id,
	    .code = "core.skewed",
	    .title = "Skewed",
	    .subject = rs_subject_host,
	    .raised_ms = boot_ms + offset_ms,
	    .raised_boot_ms = boot_ms,
	    .episodes = 1};

	return f;
}

static void
put_finding(const struct rs_finding *f)
{
	ck_assert_int_eq(rs_findings_put(db, &appender, f), 0);
}

static struct rs_change
change(int64_t id, int64_t boot_ms, int64_t offset_ms)
{
	struct rs_change c = {.id = id,
	    .at_ms = boot_ms + offset_ms,
	    .at_boot_ms = boot_ms,
	    .fact = RS_F_MTU,
	    .labels = test_device("eth0"),
	    .old = "1500",
	    .new = "9000"};

	return c;
}

static void
add_change(int64_t id, int64_t boot_ms, int64_t offset_ms)
{
	const struct rs_change c = change(id, boot_ms, offset_ms);

	ck_assert_int_eq(rs_changes_add(db, &appender, &c, 1), 0);
}

/* A minute's samples are written while the wall clock is offset_ms ahead. */
static void
append(int64_t minute, int64_t offset_ms)
{
	struct rs_block *const b = test_block(4, RS_NS_PER_S, minute, offset_ms);
	rs_ns commit_ns;

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	ck_assert_int_eq(rs_append_blocks(&appender, db, b, offset_ms, &commit_ns), 0);
	rs_block_free(b);
}

/* --- rows ---------------------------------------------------------------- */

START_TEST(rows_move_when_the_clock_of_their_boot_is_set)
{
	struct rs_finding f = finding(1, 10 * SECOND, UNSET);

	put_finding(&f);
	f = finding(2, 20 * SECOND, UNSET);
	f.cleared_ms = 30 * SECOND;
	put_finding(&f);
	add_change(1, 40 * SECOND, UNSET);
	append(0, UNSET);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings WHERE id = 1"), 10 * SECOND);
	append(1, SET);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings WHERE id = 1"), SET + 10 * SECOND);
	ck_assert_int_eq(ask("SELECT cleared_ms IS NULL FROM findings WHERE id = 1"), 1);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings WHERE id = 2"), SET + 20 * SECOND);
	ck_assert_int_eq(ask("SELECT cleared_ms FROM findings WHERE id = 2"), SET + 30 * SECOND);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes"), SET + 40 * SECOND);
	/* And back, by a clock that was wrong. */
	append(2, SET - 3600 * SECOND);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes"), SET - 3600 * SECOND + 40 * SECOND);
}
END_TEST

START_TEST(a_clock_that_is_corrected_a_little_moves_nothing)
{
	add_change(1, 40 * SECOND, SET);
	append(0, SET);
	for (int64_t m = 1; m <= 3; m++)
		append(m, SET + m % 2 * 2 * SECOND);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes"), SET + 40 * SECOND);
	append(4, SET + 2 * SECOND + 1);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes"), SET + 42 * SECOND + 1);
}
END_TEST

/* Before the first minute is over there is no row of the boot. */
START_TEST(the_first_event_makes_the_row_of_its_boot)
{
	const struct rs_finding f = finding(1, 10 * SECOND, UNSET);

	ck_assert_int_eq(appender.boot, 0);
	put_finding(&f);
	ck_assert_int_eq(appender.boot, 1);
	ck_assert_int_eq(ask("SELECT count(*) FROM boots WHERE boot_id = 'this boot'"), 1);
	ck_assert_int_eq(ask("SELECT clock_ok FROM boots"), 0);
	append(0, SET);
	ck_assert_int_eq(ask("SELECT count(*) FROM boots"), 1);
	ck_assert_int_eq(ask("SELECT clock_ok FROM boots"), 1);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings"), SET + 10 * SECOND);
}
END_TEST

START_TEST(a_row_of_a_boot_that_was_not_written_is_made_again)
{
	const struct rs_finding f = finding(1, 10 * SECOND, UNSET);

	ck_assert_int_eq(
	    sqlite3_exec(db->handle, "ALTER TABLE finding_advice RENAME TO x", NULL, NULL, NULL),
	    SQLITE_OK);
	ck_assert_int_lt(rs_findings_put(db, &appender, &f), 0);
	ck_assert_int_eq(appender.boot, 0);
	ck_assert_int_eq(ask("SELECT count(*) FROM boots"), 0);
	ck_assert_int_eq(
	    sqlite3_exec(db->handle, "ALTER TABLE x RENAME TO finding_advice", NULL, NULL, NULL),
	    SQLITE_OK);
	put_finding(&f);
	ck_assert_int_eq(ask("SELECT boot FROM findings"), appender.boot);
}
END_TEST

/* The engine tells of the clock at once, the samples a minute later. */
START_TEST(what_knows_the_time_already_is_not_moved_twice)
{
	struct rs_finding f = finding(1, 10 * SECOND, UNSET);

	put_finding(&f);
	append(0, UNSET);
	ck_assert(rs_finding_follow(&f, SET));
	ck_assert_int_eq(f.raised_ms, SET + 10 * SECOND);
	put_finding(&f);
	add_change(1, 70 * SECOND, SET);
	/* All of the boot by one clock, that of its samples. */
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings"), UNSET + 10 * SECOND);
	append(1, SET);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings"), SET + 10 * SECOND);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes"), SET + 70 * SECOND);
	/* And what comes late, told by the old clock. */
	add_change(2, 50 * SECOND, UNSET);
	ck_assert_int_eq(ask("SELECT at_ms FROM changes WHERE id = 2"), SET + 50 * SECOND);
}
END_TEST

START_TEST(events_of_other_boots_and_of_none_stay)
{
	struct rs_finding f = finding(1, 10 * SECOND, UNSET);

	put_finding(&f);
	append(0, UNSET);
	rs_appender_fini(&appender);
	ck_assert_int_eq(rs_appender_init(&appender, db, "next boot"), 0);
	f = finding(2, 0, SET);
	put_finding(&f);
	append(0, UNSET);
	append(1, SET);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings WHERE id = 1"), 10 * SECOND);
	ck_assert_int_eq(ask("SELECT raised_ms FROM findings WHERE id = 2"), SET);
	ck_assert_int_eq(ask("SELECT boot IS NULL FROM findings WHERE id = 2"), 1);
}
END_TEST

/* --- answers ----------------------------------------------------------- */

START_TEST(answers_about_findings_can_follow_the_clock)
{
	struct rs_finding f = finding(1, 10 * SECOND, UNSET);
	struct rs_finding_list l = {0};

	put_finding(&f);
	f = finding(2, 0, SET);
	put_finding(&f);
	append(0, UNSET);
	ck_assert_int_eq(rs_findings_read(db, appender.boot, &l), 0);
	ck_assert_uint_eq(l.n, 2);
	ck_assert(!rs_finding_follow(&l.findings[0], SET));
	ck_assert_int_eq(l.findings[1].raised_boot_ms, 10 * SECOND);
	ck_assert(!rs_finding_follow(&l.findings[1], UNSET));
	ck_assert(rs_finding_follow(&l.findings[1], SET));
	ck_assert_int_eq(l.findings[1].raised_ms, SET + 10 * SECOND);
	free(l.findings);
}
END_TEST

START_TEST(changes_are_asked_for_and_told_by_the_clock_of_now)
{
	struct rs_change_query q = {.after_ms = SET,
	    .before_ms = SET + MINUTE,
	    .limit = 10,
	    .fact = RS_F_COUNT,
	    .has_offset = true,
	    .offset_ms = SET};
	const struct rs_change held = change(3, 30 * SECOND, UNSET);
	struct rs_unwritten unwritten = {0};

	add_change(1, 10 * SECOND, UNSET);
	add_change(2, 61 * SECOND, UNSET);
	append(0, UNSET);
	rs_unwritten_add(&unwritten, &held, 1);
	for (unsigned round = 0; round < 2; round++) {
		struct rs_change_list l = {0};

		ck_assert_int_eq(rs_changes_read(db, &q, appender.boot, &l), 0);
		ck_assert_int_eq(rs_unwritten_merge(&unwritten, &q, &l), 0);
		ck_assert_uint_eq(l.n, round == 0 ? 2 : 0);
		if (round == 0) {
			ck_assert_int_eq(l.changes[0].at_ms, SET + 30 * SECOND);
			ck_assert_int_eq(l.changes[1].at_ms, SET + 10 * SECOND);
		}
		free(l.changes);
		q.has_offset = false;
	}
	rs_unwritten_fini(&unwritten);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("events");
	TCase *t = tcase_create("rows");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, rows_move_when_the_clock_of_their_boot_is_set);
	tcase_add_test(t, a_clock_that_is_corrected_a_little_moves_nothing);
	tcase_add_test(t, the_first_event_makes_the_row_of_its_boot);
	tcase_add_test(t, a_row_of_a_boot_that_was_not_written_is_made_again);
	tcase_add_test(t, what_knows_the_time_already_is_not_moved_twice);
	tcase_add_test(t, events_of_other_boots_and_of_none_stay);
	suite_add_tcase(s, t);

	t = tcase_create("answers");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, answers_about_findings_can_follow_the_clock);
	tcase_add_test(t, changes_are_asked_for_and_told_by_the_clock_of_now);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

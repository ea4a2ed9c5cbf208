/* SPDX-License-Identifier: ISC */
/*
 * Databases of earlier versions: opened by this one, everything in them can still
 * be read, the tiers are made of it bit by bit, and new samples go on behind.
 */
#include "rs_check.h"

#include <math.h>

#include "blocks.h"
#include "catalog.h"
#include "changes.h"
#include "clock.h"
#include "dbdir.h"
#include "findings.h"
#include "query.h"
#include "tierdb.h"

#define MINUTE INT64_C(60000)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
#define START INT64_C(1700000040000) /* a whole minute */
/* Minutes from one stored to the next, and how many days of them. */
#define EVERY 10
#define DAYS 3

static struct test_dir dir;
static struct tier_db t;
static const struct rs_store_limits no_limits;

static void
set_up(void)
{
	test_dir_make(&dir);
}

static void
tear_down(void)
{
	test_dir_remove(&dir);
}

/* --- as they were written -------------------------------------------------- */

/* Three series of four ticks, the example of docs/block-format.md. */
static const char example[] = "0100040098 3a0000 0300 09 0703 a50200 0103 870b8087a70e800119 "
			      "021434 800103 b4b1a117";

static void
put_chunk(sqlite3 *db, int64_t boot, int64_t minute, const void *data, size_t len)
{
	sqlite3_stmt *st = NULL;

	ck_assert_int_eq(
	    sqlite3_prepare_v2(db, "INSERT INTO raw VALUES (?, ?)", -1, &st, NULL), SQLITE_OK);
	(void)sqlite3_bind_int64(st, 1, boot << 40 | minute << 12);
	(void)sqlite3_bind_blob(st, 2, data, (int)len, SQLITE_STATIC);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_DONE);
	(void)sqlite3_finalize(st);
}

static void
put_example(sqlite3 *db, int64_t boot, int64_t minute)
{
	uint8_t bytes[64];
	size_t n = 0;

	for (const char *p = example; *p != '\0'; p++) {
		const char digits[] = {p[0], p[1], '\0'};

		if (*p == ' ')
			continue;
		bytes[n++] = (uint8_t)strtoul(digits, NULL, 16);
		p++;
	}
	put_chunk(db, boot, minute, bytes, n);
}

/* Six ticks of 10 s: series 7 counts `minute` in each. */
static void
put_plain(sqlite3 *db, int64_t boot, int64_t minute)
{
	struct rs_chunk_axis axis = {.interval_ms = 10000, .ticks = 6, .present = {0x3f}};
	const int64_t values[6] = {minute, minute, minute, minute, minute, minute};
	const struct rs_chunk_series series = {
	    .id = 7, .apart = 1, .values = values, .present = axis.present};
	struct rs_buf b;

	for (int i = 0; i < 6; i++)
		axis.length_us[i] = 10000000;
	rs_buf_init(&b, RS_CHUNK_BYTES_MAX);
	ck_assert_int_eq(rs_chunk_encode(&axis, &series, 1, &b), 0);
	put_chunk(db, boot, minute, b.data, b.len);
	rs_buf_fini(&b);
}

/* What versions 1 and 2 had in common. */
static const char rows_of_1[] =
    "INSERT INTO boots VALUES (1, 'boot-old', 1700000040000, 1);"
    "INSERT INTO boots VALUES (2, NULL, 0, 0);"
    "INSERT INTO series VALUES (7, 'core_interrupts', '', '', 0, '', -1, '', 'counter', 1,"
    " 'interrupts', 1, 180000, NULL, NULL);"
    "INSERT INTO series VALUES (300, 'core_interrupts', '', '', 1, '', -1, '', 'counter', 1,"
    " 'interrupts', 1, 180000, 1, 225000);"
    "INSERT INTO series VALUES (301, 'temperature_celsius', '', '', -1, '', -1, '', 'gauge', "
    "1000, 'celsius', 1, 180000, 1, 180000);"
    /* A metric that there is no more. */
    "INSERT INTO series VALUES (302, 'core_wishes', '', '', 0, '', -1, '', 'counter', 1,"
    " '', 1, 180000, 1, 180000);"
    "INSERT INTO findings VALUES (7, 'core.imbalance', 't', 'warn', 'high', 'core', 2, NULL,"
    " NULL, NULL, NULL, 1700000100000, 1700000200000, 3, 'm');"
    "INSERT INTO findings VALUES (8, 'core.saturated', 't', 'crit', 'low', 'host', NULL, NULL,"
    " NULL, NULL, NULL, 1700000100000, NULL, 1, 'n');"
    "INSERT INTO finding_evidence VALUES (7, 0, 'load', 0.9, 'ratio', '');"
    "INSERT INTO finding_causes VALUES (7, 0, 'one queue');"
    "INSERT INTO finding_advice VALUES (7, 0, 'c', 'e', 'u', 1, 0)";

static const char rows_of_2[] =
    "INSERT INTO changes VALUES (5, 1700000150000, 'irq_affinity', 'irq', NULL, NULL, NULL, "
    "NULL, '17', '0-3', '2')";

static void
make_old(int version)
{
	char mark[96];

	(void)snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d",
	    0x526e6773, version);
	test_shell(dir.db, "PRAGMA journal_mode = WAL");
	for (int i = 0; i < version; i++)
		test_shell(dir.db, rs_schema_steps[i]);
	test_shell(dir.db, mark);
	test_shell(dir.db, rows_of_1);
	if (version >= 2)
		test_shell(dir.db, rows_of_2);
	sqlite3 *const db = test_shell_open(dir.db, "BEGIN");
	put_example(db, 1, 3);
	put_example(db, 2, 8);
	for (int64_t minute = EVERY; minute < DAYS * 1440; minute += EVERY)
		put_plain(db, 1, minute);
	ck_assert_int_eq(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}

/* Of series 7. */
static const int64_t n_plain = DAYS * 1440 / EVERY - 1;

static double
all_of_series_7(void)
{
	const int64_t n = n_plain;

	/* Two examples, and 6 times EVERY, 2 * EVERY, ... */
	return (double)(2 * (10 + 11 + 13) + 6 * EVERY * (n * (n + 1) / 2));
}

/* --- as it is read --------------------------------------------------------- */

/* The increase of a core's interrupts over everything that is stored. */
static double
ask(const char *cpu, uint32_t points, const char **ret_tier)
{
	static atomic_bool is_closing;
	struct rs_query q = {.metric = "core_interrupts",
	    .after_ms = -DAY,
	    .before_ms = START + 400 * DAY,
	    .points = points,
	    .aggregate = RS_SUM,
	    .n_filters = 1};
	const struct rs_query_env env = {.interval_ms = 10000,
	    .head_oldest_ms = 1,
	    .head_newest_ms = 0,
	    .deadline_ns = rs_clock_mono() + 60 * RS_NS_PER_S,
	    .is_closing = &is_closing};
	struct rs_history *const h = calloc(1, sizeof(*h));
	unsigned damaged;
	struct rs_grid g;
	double sum = 0;

	ck_assert_ptr_nonnull(h);
	q.filters[0].label = "cpu";
	(void)snprintf(q.filters[0].value, sizeof(q.filters[0].value), "%s", cpu);
	ck_assert_int_eq(rs_grid_init(&g, &q), 0);
	ck_assert_int_eq(rs_query_run(t.db, &g, &env, &damaged), 0);
	ck_assert_uint_eq(damaged, 0);
	rs_grid_finish(&g, h);
	rs_grid_fini(&g);
	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_le(h->n_series, 1);
	for (size_t i = 0; h->n_series > 0 && i < h->n_times; i++)
		sum += isnan(h->series[0].values[i]) ? 0 : h->series[0].values[i];
	if (ret_tier != NULL)
		*ret_tier = h->tier;
	rs_history_free(h);
	return sum;
}

static void
check_answers(void)
{
	ck_assert_double_eq(ask("0", 1, NULL), all_of_series_7());
	ck_assert_double_eq(ask("0", 1000, NULL), all_of_series_7());
	ck_assert_double_eq(ask("1", 1, NULL), 0);
}

/* What old tables had in their old columns, as one text. */
static char *
dump(void)
{
	static const char sql[] =
	    "SELECT group_concat(x, char(10)) FROM ("
	    "SELECT 'b' || id || quote(boot_id) || wall_offset_ms || clock_ok AS x FROM boots "
	    "UNION ALL SELECT 's' || id || metric || mode || direction || cpu || device || queue "
	    "|| "
	    "irq || kind || scale || unit || first_boot || first_ms FROM series "
	    "UNION ALL SELECT 'r' || id || quote(data) FROM raw "
	    "UNION ALL SELECT 'f' || id || code || title || severity || confidence || subject || "
	    "quote(core) || quote(device) || raised_ms || quote(cleared_ms) || episodes || message "
	    "FROM findings "
	    "UNION ALL SELECT 'e' || finding || n || label || value || unit || text "
	    "FROM finding_evidence "
	    "UNION ALL SELECT 'c' || finding || n || text FROM finding_causes "
	    "UNION ALL SELECT 'a' || finding || n || command || expect || undo || persistent "
	    "FROM finding_advice)";
	sqlite3 *const db = test_shell_open(dir.db, "");
	sqlite3_stmt *st = NULL;

	ck_assert_msg(
	    sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK, "%s", sqlite3_errmsg(db));
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	char *const text = strdup((const char *)sqlite3_column_text(st, 0));
	ck_assert_int_eq(sqlite3_finalize(st), SQLITE_OK);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	return text;
}

static const int versions[] = {1, 2};

START_TEST(nothing_of_it_is_lost)
{
	make_old(versions[_i]);
	char *const before = dump();
	tier_db_open(&t, dir.db, "boot-new", &no_limits);
	char *const after = dump();
	ck_assert_str_eq(before, after);
	ck_assert_int_eq(tier_db_int(&t, "PRAGMA user_version"), rs_schema_version);
	check_answers();
	tier_db_close(&t);
	free(before);
	free(after);
}
END_TEST

START_TEST(findings_and_changes_are_read)
{
	struct rs_finding_list *const l = calloc(1, sizeof(*l));
	struct rs_change_list *const c = calloc(1, sizeof(*c));
	const struct rs_change_query all = {
	    .after_ms = 0, .before_ms = INT64_MAX, .limit = 10, .fact = RS_F_COUNT};

	ck_assert(l != NULL && c != NULL);
	make_old(versions[_i]);
	tier_db_open(&t, dir.db, "boot-new", &no_limits);
	ck_assert_int_eq(rs_findings_read(t.db, 0, l), 0);
	ck_assert_uint_eq(l->n, 2);
	ck_assert_int_eq(l->findings[1].id, 7);
	ck_assert_str_eq(l->findings[1].code, "core.imbalance");
	ck_assert_int_eq(l->findings[1].subject.core, 2);
	ck_assert_int_eq(l->findings[1].cleared_ms, INT64_C(1700000200000));
	ck_assert_uint_eq(l->findings[1].n_evidence, 1);
	ck_assert_uint_eq(l->findings[1].n_causes, 1);
	ck_assert_uint_eq(l->findings[1].n_advice, 1);
	ck_assert_int_eq(rs_changes_read(t.db, &all, 0, c), 0);
	ck_assert_uint_eq(c->n, versions[_i] >= 2 ? 1 : 0);
	if (c->n > 0) {
		ck_assert_int_eq(c->changes[0].at_ms, INT64_C(1700000150000));
		ck_assert_str_eq(c->changes[0].labels.irq, "17");
		ck_assert_str_eq(c->changes[0].new, "2");
	}
	rs_finding_list_free(l);
	rs_change_list_free(c);
	tier_db_close(&t);
}
END_TEST

static int64_t
count(const char *what)
{
	char sql[128];

	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", what);
	return tier_db_int(&t, sql);
}

START_TEST(its_tiers_are_made_an_hour_or_a_day_at_a_time)
{
	int64_t rows = 0;

	make_old(versions[_i]);
	tier_db_open(&t, dir.db, "boot-new", &no_limits);
	const int64_t now_ms = 10 * MINUTE, offset = START + 5 * DAY;
	unsigned bites = 0;
	while (rs_upkeep_bite(&t.upkeep, t.db, &t.appender, now_ms, offset) > 0) {
		const int64_t n = count("minute") + count("hour");

		/* Three series at most, in two groups. */
		ck_assert_int_le(n - rows, 2);
		rows = n;
		bites++;
		if (bites % 10 == 0)
			check_answers();
	}
	/* Of the second boot an hour and its day. */
	ck_assert_uint_eq(bites, DAYS * 24 + DAYS + 2);
	/* Where the example is, there are two groups. */
	ck_assert_int_eq(count("minute"), DAYS * 24 + 1 + 2);
	ck_assert_int_eq(count("hour"), DAYS + 1 + 2);
	check_answers();
	/* Without the samples: the answer comes from the tiers alone. */
	tier_db_exec(&t, "DELETE FROM raw");
	check_answers();
	tier_db_exec(&t, "DELETE FROM minute");
	check_answers();
	ck_assert_int_eq(tier_db_upkeep(&t, now_ms, offset), 0);
	tier_db_close(&t);
}
END_TEST

static void
append(int64_t minute, int64_t offset_ms, int32_t cpu, int64_t value)
{
	struct rs_block *const b = test_block(4, 10 * RS_NS_PER_S, minute, offset_ms);

	test_ticks(b, 0, 6);
	test_fill(b, test_series(b, (uint32_t)cpu + 1, RS_M_CORE_INTERRUPTS, test_cpu(cpu)), value);
	ck_assert_msg(tier_db_append(&t, b) == 0, "%s", t.db->error);
	rs_block_free(b);
}

/* The boot that was running when the program was replaced, or a new one. */
static const char *const boots[] = {"boot-old", "boot-new"};

START_TEST(new_samples_go_on_behind_it)
{
	const bool is_same = strcmp(boots[_i], "boot-old") == 0;
	const int64_t minute = is_same ? DAYS * 1440 : 5;
	const int64_t offset = is_same ? START : START + 4 * DAY;

	make_old(2);
	/* The first boot is the newest, or its time does not go on. */
	if (is_same)
		test_shell(
		    dir.db, "DELETE FROM boots WHERE id = 2; DELETE FROM raw WHERE id >> 40 = 2");
	tier_db_open(&t, dir.db, boots[_i], &no_limits);
	append(minute, offset, 0, 1000);
	append(minute + 1, offset, 4, 1);
	/* Known series keep their rows, new ones get free ids. */
	ck_assert_int_eq(count("series WHERE cpu = 0 AND metric = 'core_interrupts'"), 1);
	ck_assert_int_eq(count("series WHERE cpu = 4 AND id IN (7, 300, 301, 302)"), 0);
	const double expected = all_of_series_7() + 6 * 1000 - (is_same ? 34 : 0);
	ck_assert_double_eq(ask("0", 1, NULL), expected);
	(void)tier_db_upkeep(&t, (minute + 2) * MINUTE, offset);
	ck_assert_double_eq(ask("0", 1, NULL), expected);
	/* Of the running boot the last hour is not over. */
	ck_assert_int_eq(tier_db_int(&t, "SELECT minute_until FROM boots WHERE id = 1"), DAYS * 24);
	tier_db_close(&t);
}
END_TEST

START_TEST(too_old_samples_go_only_when_the_tiers_have_them)
{
	const struct rs_store_limits limits = {DAY, 2 * DAY, 0, 0};

	make_old(2);
	tier_db_open(&t, dir.db, "boot-new", &limits);
	append(5, START + 5 * DAY, 4, 1);
	/* One of the old boots never knew the time: it was before all this. */
	for (int64_t hour = 1; hour < 50; hour++)
		(void)tier_db_upkeep(&t, hour * HOUR, START + 5 * DAY);
	ck_assert_int_eq(count("raw"), 1);
	ck_assert_int_eq(count("minute"), 0);
	ck_assert_int_eq(count("hour"), DAYS + 1 + 2);
	check_answers();
	tier_db_close(&t);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("upgrade");
	TCase *const t_case = tcase_create("upgrade");

	tcase_add_checked_fixture(t_case, set_up, tear_down);
	tcase_set_timeout(t_case, 60);
	tcase_add_loop_test(t_case, nothing_of_it_is_lost, 0, RS_ARRAY_LEN(versions));
	tcase_add_loop_test(t_case, findings_and_changes_are_read, 0, RS_ARRAY_LEN(versions));
	tcase_add_loop_test(
	    t_case, its_tiers_are_made_an_hour_or_a_day_at_a_time, 0, RS_ARRAY_LEN(versions));
	tcase_add_loop_test(t_case, new_samples_go_on_behind_it, 0, RS_ARRAY_LEN(boots));
	tcase_add_test(t_case, too_old_samples_go_only_when_the_tiers_have_them);
	suite_add_tcase(s, t_case);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * Whose file it is and which schema it has: foreign, newer and unreadable
 * files are refused with a reason and not a byte of them changes.
 */
#include "rs_check.h"

#include <errno.h>

#include "aside.h"
#include "dbdir.h"
#include "migrate.h"

static struct test_dir dir;

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

static struct rs_db *
open_db(const char *path)
{
	struct rs_db *db = NULL;
	struct rs_error e = {0};

	ck_assert_msg(rs_db_open(path, &e, &db) == 0, "%s", e.text);
	return db;
}

static void
make_db(void)
{
	rs_db_close(open_db(dir.db));
}

static void
check_version(int64_t expected)
{
	ck_assert_int_eq(test_shell_int(dir.db, "PRAGMA user_version"), expected);
}

static void
check_same(const char *name, struct test_bytes before)
{
	struct test_bytes after = test_read_file(name);

	ck_assert_uint_eq(after.len, before.len);
	ck_assert(before.len == 0 || memcmp(after.data, before.data, before.len) == 0);
	free(after.data);
	free(before.data);
}

/* Opening must fail, say why and name the file, and leave all as it was. */
static void
check_refused(const char *path, int code, const char *reason)
{
	char wal[112];
	struct rs_error e = {0};
	struct rs_db *db = NULL;

	(void)snprintf(wal, sizeof(wal), "%s-wal", path);
	struct test_bytes db_before = test_read_file(path), wal_before = test_read_file(wal);
	/* SQLite makes an index for a log it reads; it is only a cache. */
	const unsigned files = test_dir_count(&dir) + (wal_before.len > 0);
	const int r = rs_db_open(path, &e, &db);
	ck_assert_msg(r == code, "%d: %s", r, e.text);
	ck_assert_int_eq(e.code, code);
	ck_assert_msg(strstr(e.text, reason) != NULL, "%s", e.text);
	ck_assert_msg(strstr(e.text, path) != NULL, "%s", e.text);
	ck_assert_ptr_null(db);
	check_same(path, db_before);
	check_same(wal, wal_before);
	ck_assert_uint_le(test_dir_count(&dir), files);
}

/* --- ours -------------------------------------------------------------- */

START_TEST(a_new_database_says_what_it_is)
{
	make_db();
	check_version(rs_schema_version);
	ck_assert_int_eq(test_shell_int(dir.db, "PRAGMA application_id"), RS_DB_APPLICATION_ID);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT 'wal' = (SELECT * FROM pragma_journal_mode)"), 1);
	/* The database and its lock; the log is folded in at the end. */
	ck_assert_uint_eq(test_dir_count(&dir), 2);
}
END_TEST

/* While it is open; the umask may take more away. */
static const struct mode_case {
	mode_t umask, mode;
} mode_cases[] = {{0000, 0640}, {0022, 0640}, {0077, 0600}};

START_TEST(its_files_are_not_for_everybody)
{
	const struct mode_case *const c = &mode_cases[_i];
	const mode_t before = umask(c->umask);
	struct rs_db *const db = open_db(dir.db);
	static const char *const suffixes[] = {"", "-wal", "-shm", "-lock"};

	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		char name[112];
		struct stat st;

		(void)snprintf(name, sizeof(name), "%s%s", dir.db, suffixes[i]);
		ck_assert_msg(stat(name, &st) == 0, "%s", name);
		ck_assert_msg((st.st_mode & 07777) == c->mode, "%s: %o", name, st.st_mode);
	}
	rs_db_close(db);
	(void)umask(before);
}
END_TEST

START_TEST(it_opens_again)
{
	make_db();
	make_db();
}
END_TEST

START_TEST(an_empty_file_becomes_a_database)
{
	test_write_file(dir.db, "", 0);
	make_db();
	check_version(rs_schema_version);
}
END_TEST

START_TEST(a_start_that_was_cut_short_is_finished)
{
	/* WAL is switched on before the first transaction. */
	test_shell(dir.db, "PRAGMA journal_mode = WAL");
	make_db();
	check_version(rs_schema_version);
}
END_TEST

START_TEST(settings_are_those_a_router_wants)
{
	struct rs_db *const db = open_db(dir.db);
	static const struct {
		const char *sql;
		int expected;
	} settings[] = {
	    {"PRAGMA synchronous", 2},				   /* FULL */
	    {"PRAGMA cache_size", -512}, {"PRAGMA temp_store", 2}, /* MEMORY */
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(settings); i++) {
		sqlite3_stmt *st = NULL;

		ck_assert_int_eq(
		    sqlite3_prepare_v2(db->handle, settings[i].sql, -1, &st, NULL), SQLITE_OK);
		ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
		ck_assert_int_eq(sqlite3_column_int(st, 0), settings[i].expected);
		ck_assert_int_eq(sqlite3_finalize(st), SQLITE_OK);
	}
	rs_db_close(db);
}
END_TEST

START_TEST(every_statement_fits_the_schema)
{
	struct rs_db *const db = open_db(NULL);

	for (int i = 0; i < RS_SQL_COUNT; i++)
		ck_assert_msg(
		    rs_sql(db, (enum rs_sql_id)i) != NULL, "%d: %s", i, rs_sql_message(db));
	rs_db_close(db);
}
END_TEST

/* --- steps ------------------------------------------------------------- */

START_TEST(steps_are_taken_from_where_the_file_is)
{
	static const char *const steps[] = {
	    "not reached", "CREATE TABLE two (x)", "CREATE TABLE three (x)"};
	struct rs_db *const db = open_db(dir.db);
	struct rs_error e = {0};

	test_shell(dir.db, "PRAGMA user_version = 1");
	ck_assert_msg(rs_db_migrate(db, steps, 3, &e) == 0, "%s", e.text);
	rs_db_close(db);
	check_version(3);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM two, three"), 0);
}
END_TEST

START_TEST(a_failing_step_leaves_the_schema_before_it)
{
	static const char *const steps[] = {
	    "not reached", "CREATE TABLE two (x)", "CREATE TABLE three (x); SELECT nonsense"};
	struct rs_db *const db = open_db(dir.db);
	struct rs_error e = {0};

	test_shell(dir.db, "PRAGMA user_version = 1");
	ck_assert_int_lt(rs_db_migrate(db, steps, 3, &e), 0);
	ck_assert_msg(strstr(e.text, "nonsense") != NULL, "%s", e.text);
	rs_db_close(db);
	check_version(2);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM sqlite_master WHERE name = 'two'"), 1);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM sqlite_master WHERE name = 'three'"), 0);
}
END_TEST

/* A database as the first version made and filled it: the step it knew, and a
 * row of each kind. */
static void
make_version_1(void)
{
	char mark[96];

	(void)snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = 1",
	    RS_DB_APPLICATION_ID);
	test_shell(dir.db, "PRAGMA journal_mode = WAL");
	test_shell(dir.db, rs_schema_steps[0]);
	test_shell(dir.db, mark);
	test_shell(dir.db,
	    "INSERT INTO boots VALUES (3, 'b', 5000, 1);"
	    "INSERT INTO series VALUES (1, 'core_interrupts', '', '', 0, '', -1, '', 'counter', 1,"
	    " 'interrupts', 3, 60000, NULL, NULL);"
	    "INSERT INTO raw VALUES ((3 << 40) | (1 << 12), x'00');"
	    "INSERT INTO findings VALUES (7, 'core.imbalance', 't', 'warn', 'high', 'core', 2, "
	    "NULL,"
	    " NULL, NULL, NULL, 1000, 2000, 1, 'm');"
	    "INSERT INTO finding_evidence VALUES (7, 0, 'load', 0.9, 'ratio', '');"
	    "INSERT INTO finding_causes VALUES (7, 0, 'one queue');"
	    "INSERT INTO finding_advice VALUES (7, 0, 'c', 'e', 'u', 0, 0)");
}

START_TEST(a_database_of_version_1_is_brought_up_to_date_and_keeps_its_rows)
{
	static const char *const tables[] = {"boots", "series", "raw", "findings",
	    "finding_evidence", "finding_causes", "finding_advice", "series_times"};

	make_version_1();
	check_version(1);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM sqlite_master WHERE name = 'changes'"), 0);
	make_db();
	check_version(rs_schema_version);
	ck_assert_int_eq(test_shell_int(dir.db, "PRAGMA application_id"), RS_DB_APPLICATION_ID);
	for (size_t i = 0; i < RS_ARRAY_LEN(tables); i++) {
		char sql[64];

		(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM %s", tables[i]);
		ck_assert_msg(test_shell_int(dir.db, sql) == 1, "%s", tables[i]);
	}
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM findings WHERE id = 7 AND "
						"message = 'm' AND cleared_ms = 2000"),
	    1);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM changes"), 0);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT 'ok' = integrity_check FROM "
						"pragma_integrity_check"),
	    1);
	/* And a second time there is nothing to do. */
	make_db();
	check_version(rs_schema_version);
}
END_TEST

/* The same schema, whichever way it was reached. */
START_TEST(an_old_database_ends_like_a_new_one)
{
	static const char sql[] = "SELECT group_concat(name || ' ' || sql, char(10)) FROM "
				  "(SELECT name, sql FROM sqlite_master ORDER BY name)";
	char *text[2];

	for (int i = 0; i < 2; i++) {
		if (i == 0)
			make_version_1();
		make_db();
		sqlite3 *const db = test_shell_open(dir.db, "");
		sqlite3_stmt *st = NULL;

		ck_assert_int_eq(sqlite3_prepare_v2(db, sql, -1, &st, NULL), SQLITE_OK);
		ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
		text[i] = strdup((const char *)sqlite3_column_text(st, 0));
		ck_assert_int_eq(sqlite3_finalize(st), SQLITE_OK);
		ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
		ck_assert_int_eq(unlink(dir.db), 0);
	}
	ck_assert_str_eq(text[0], text[1]);
	free(text[0]);
	free(text[1]);
}
END_TEST

/* --- damaged ----------------------------------------------------------- */

/* What is written where in a database of ours, and what is said of it. */
static const struct damage_case {
	off_t at;
	size_t len;
	const char *reason;
} damage_cases[] = {
    {0, 100, "no header of a database"}, {100, 1000, "malformed"}, /* the table of tables */
    {100, 8, "malformed"}, {18, 2, "file is not a database"}, /* format versions beyond any known */
};

START_TEST(a_damaged_database_is_ours_still)
{
	const struct damage_case *const c = &damage_cases[_i];
	static const char garbage[1000] = "no such page";
	struct rs_error e = {0};
	struct rs_db *db = NULL;

	make_db();
	const int fd = open(dir.db, O_WRONLY);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(
	    pwrite(fd, c->at == 18 ? "\xff\xff" : garbage, c->len, c->at), (ssize_t)c->len);
	(void)close(fd);
	struct test_bytes before = test_read_file(dir.db);
	const int r = rs_db_open(dir.db, &e, &db);
	ck_assert_msg(r == -EBADMSG, "%d: %s", r, e.text);
	ck_assert_msg(strstr(e.text, c->reason) != NULL, "%s", e.text);
	check_same(dir.db, before);
}
END_TEST

START_TEST(a_damaged_database_is_moved_aside_with_all_that_belongs_to_it)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	struct rs_aside aside;
	struct rs_error e = {0};

	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), "%s%s", dir.db, suffixes[i]);
		test_write_file(name, suffixes[i], strlen(suffixes[i]));
	}
	ck_assert_msg(rs_aside_move(dir.db, &aside, &e) == 0, "%s", e.text);
	ck_assert_int_eq(strncmp(aside.name, dir.db, strlen(dir.db)), 0);
	for (size_t i = 0; i < RS_ARRAY_LEN(suffixes); i++) {
		char name[PATH_MAX + 16];

		(void)snprintf(name, sizeof(name), "%s%s", dir.db, suffixes[i]);
		ck_assert_int_lt(access(name, F_OK), 0);
		(void)snprintf(name, sizeof(name), "%s%s", aside.name, suffixes[i]);
		struct test_bytes b = test_read_file(name);
		ck_assert_uint_eq(b.len, strlen(suffixes[i]));
		free(b.data);
	}
	make_db();
}
END_TEST

START_TEST(few_damaged_databases_are_kept_and_those_with_the_most)
{
	static const struct {
		size_t bytes;
		unsigned removed;
		bool is_kept;
	} steps[] = {
	    {5000, 0, true}, {9000, 0, true}, {7000, 1, true}, {9000, 1, true}, {100, 1, false}};
	static const char bytes[9000];
	static const char *const others[] = {"x.db.damaged-20240101-000000",
	    "test.db.damaged-20240101", "test.db.damaged-2024010a-000000", "test.db.damaged-"};
	struct rs_aside aside;

	for (size_t i = 0; i < RS_ARRAY_LEN(others); i++) {
		char name[128];

		(void)snprintf(name, sizeof(name), "%s/%s", dir.name, others[i]);
		test_write_file(name, "", 0);
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(steps); i++) {
		struct stat st;

		test_write_file(dir.db, bytes, steps[i].bytes);
		ck_assert_int_eq(rs_aside_move(dir.db, &aside, NULL), 0);
		ck_assert_uint_eq(aside.removed, steps[i].removed);
		ck_assert_int_eq(access(dir.db, F_OK), -1);
		ck_assert_int_eq(aside.name[0] != '\0', steps[i].is_kept);
		if (steps[i].is_kept) {
			ck_assert_int_eq(stat(aside.name, &st), 0);
			ck_assert_int_eq(st.st_size, (off_t)steps[i].bytes);
		}
	}
	/* And the lock. */
	ck_assert_uint_eq(test_dir_count(&dir), RS_ARRAY_LEN(others) + RS_ASIDE_KEPT + 1);
}
END_TEST

START_TEST(nothing_is_moved_from_under_another_daemon)
{
	struct rs_db *const db = open_db(dir.db);
	struct rs_aside aside;
	struct rs_error e = {0};

	ck_assert_int_eq(rs_aside_move(dir.db, &aside, &e), -EALREADY);
	ck_assert_int_eq(access(dir.db, F_OK), 0);
	rs_db_close(db);
}
END_TEST

/* --- not ours ---------------------------------------------------------- */

/* Makes a database one of the next version. */
static const char *
newer(void)
{
	static char sql[64];

	(void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", rs_schema_version + 1);
	return sql;
}

START_TEST(a_newer_schema_is_left_alone)
{
	char lock[112];

	make_db();
	test_shell(dir.db, newer());
	check_refused(dir.db, -EPROTONOSUPPORT, "newer version");
	/* Tried again each minute: not even a lock is made. */
	(void)snprintf(lock, sizeof(lock), "%s-lock", dir.db);
	ck_assert_int_eq(unlink(lock), 0);
	check_refused(dir.db, -EPROTONOSUPPORT, "newer version");
	ck_assert_uint_eq(test_dir_count(&dir), 1);
}
END_TEST

START_TEST(a_newer_schema_that_is_only_in_the_log_is_left_alone)
{
	char name[2][128];

	make_db();
	/* A copy made while the other program runs is what its kill leaves. */
	sqlite3 *const db = test_shell_open(dir.db, newer());
	for (int i = 0; i < 2; i++) {
		const char *const suffix = i == 0 ? "" : "-wal";

		(void)snprintf(name[i], sizeof(name[i]), "%s%s", dir.db, suffix);
		struct test_bytes b = test_read_file(name[i]);
		ck_assert_uint_gt(b.len, 0);
		(void)snprintf(name[i], sizeof(name[i]), "%s/copy.db%s", dir.name, suffix);
		test_write_file(name[i], b.data, b.len);
		free(b.data);
	}
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	check_refused(name[0], -EPROTONOSUPPORT, "newer version");
}
END_TEST

static const char *const others[] = {
    "CREATE TABLE moz_places (id INTEGER PRIMARY KEY)",
    "PRAGMA application_id = 99",
    "PRAGMA application_id = 99; PRAGMA journal_mode = WAL; CREATE TABLE t (x)",
    "PRAGMA journal_mode = WAL; CREATE TABLE t (x)",
};

START_TEST(a_database_of_another_program_is_left_alone)
{
	test_shell(dir.db, others[_i]);
	check_refused(dir.db, -EEXIST, "another program");
}
END_TEST

START_TEST(a_foreign_table_that_is_only_in_the_log_is_left_alone)
{
	sqlite3 *const db =
	    test_shell_open(dir.db, "PRAGMA journal_mode = WAL; CREATE TABLE t (x)");

	check_refused(dir.db, -EEXIST, "another program");
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
}
END_TEST

/* Shorter than a header, its first bytes, and longer than one. */
static const struct {
	const char *text;
	int times;
} texts[] = {{"key = value\n", 1}, {"SQLite format 3", 1}, {"key = value\n", 20}};

START_TEST(a_file_that_is_no_database_is_left_alone)
{
	char text[300];
	size_t len = 0;

	for (int i = 0; i < texts[_i].times; i++)
		len += (size_t)snprintf(text + len, sizeof(text) - len, "%s", texts[_i].text);
	test_write_file(dir.db, text, len);
	check_refused(dir.db, -EILSEQ, "not an SQLite database");
}
END_TEST

START_TEST(a_missing_folder_is_named)
{
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/no/such.db", dir.name);
	check_refused(path, -ENOENT, "No such file");
}
END_TEST

START_TEST(a_folder_is_no_database)
{
	struct rs_error e = {0};
	struct rs_db *db = NULL;

	ck_assert_int_eq(mkdir(dir.db, 0700), 0);
	ck_assert_int_eq(rs_db_open(dir.db, &e, &db), -EISDIR);
	ck_assert_msg(strstr(e.text, dir.db) != NULL, "%s", e.text);
	ck_assert_int_eq(rmdir(dir.db), 0);
}
END_TEST

/* Root may do anything; as somebody else, permissions count. */
static void
become_nobody(mode_t dir_mode)
{
	ck_assert_int_eq(chmod(dir.name, dir_mode), 0);
	if (getuid() == 0)
		ck_assert_int_eq(seteuid(65534), 0);
}

static void
become_self(void)
{
	ck_assert_int_eq(seteuid(getuid()), 0);
	ck_assert_int_eq(chmod(dir.name, 0700), 0);
}

START_TEST(a_file_without_permission_is_named)
{
	static const mode_t modes[] = {0000, 0200, 0400};

	become_nobody(0777);
	make_db();
	for (size_t i = 0; i < RS_ARRAY_LEN(modes); i++) {
		ck_assert_int_eq(chmod(dir.db, modes[i]), 0);
		check_refused(dir.db, -EACCES, "Permission denied");
	}
	become_self();
}
END_TEST

START_TEST(a_folder_without_permission_is_named)
{
	become_nobody(0555);
	check_refused(dir.db, -EACCES, "Permission denied");
	become_self();
}
END_TEST

START_TEST(a_second_daemon_is_refused_and_the_shell_is_not)
{
	struct rs_db *const first = open_db(dir.db);
	char pid[32];

	(void)snprintf(pid, sizeof(pid), "process %ld", (long)getpid());
	check_refused(dir.db, -EALREADY, pid);
	test_shell(dir.db, "INSERT INTO boots (id, wall_offset_ms, clock_ok) VALUES (5, 0, 0)");
	ck_assert_int_eq(rs_sql_exec(first, RS_SQL_BEGIN), 0);
	ck_assert_int_eq(rs_sql_exec(first, RS_SQL_COMMIT), 0);
	rs_db_close(first);
	make_db();
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("migrate");
	TCase *t = tcase_create("ours");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, a_new_database_says_what_it_is);
	tcase_add_loop_test(t, its_files_are_not_for_everybody, 0, RS_ARRAY_LEN(mode_cases));
	tcase_add_test(t, it_opens_again);
	tcase_add_test(t, an_empty_file_becomes_a_database);
	tcase_add_test(t, a_start_that_was_cut_short_is_finished);
	tcase_add_test(t, settings_are_those_a_router_wants);
	tcase_add_test(t, every_statement_fits_the_schema);
	tcase_add_test(t, steps_are_taken_from_where_the_file_is);
	tcase_add_test(t, a_failing_step_leaves_the_schema_before_it);
	tcase_add_test(t, a_database_of_version_1_is_brought_up_to_date_and_keeps_its_rows);
	tcase_add_test(t, an_old_database_ends_like_a_new_one);
	suite_add_tcase(s, t);

	t = tcase_create("damaged");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, a_damaged_database_is_ours_still, 0, RS_ARRAY_LEN(damage_cases));
	tcase_add_test(t, a_damaged_database_is_moved_aside_with_all_that_belongs_to_it);
	tcase_add_test(t, few_damaged_databases_are_kept_and_those_with_the_most);
	tcase_add_test(t, nothing_is_moved_from_under_another_daemon);
	suite_add_tcase(s, t);

	t = tcase_create("not ours");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_test(t, a_newer_schema_is_left_alone);
	tcase_add_test(t, a_newer_schema_that_is_only_in_the_log_is_left_alone);
	tcase_add_loop_test(
	    t, a_database_of_another_program_is_left_alone, 0, RS_ARRAY_LEN(others));
	tcase_add_test(t, a_foreign_table_that_is_only_in_the_log_is_left_alone);
	tcase_add_loop_test(t, a_file_that_is_no_database_is_left_alone, 0, RS_ARRAY_LEN(texts));
	tcase_add_test(t, a_missing_folder_is_named);
	tcase_add_test(t, a_folder_is_no_database);
	tcase_add_test(t, a_file_without_permission_is_named);
	tcase_add_test(t, a_folder_without_permission_is_named);
	tcase_add_test(t, a_second_daemon_is_refused_and_the_shell_is_not);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * A disk that fails at every possible moment, one that loses its power, and a
 * database that cannot be had, is taken away, or is damaged: nothing is lost
 * that was said to be stored, and what could not be stored is told and comes
 * later.
 */
#include "rs_check.h"

#include "changes.h"
#include "held.h"
#include "migrate.h"
#include "raw.h"
#include "storerig.h"
#include "vault.h"

/* --- every operation fails once ---------------------------------------- */

/* A database with one block, to begin with. */
static struct test_bytes
make_base(void)
{
	open_store(dir.db, boot_a);
	append(plain_block(100, 10));
	rs_store_close(store);
	store = NULL;
	return test_read_file(dir.db);
}

static void
put_base(const struct test_bytes *base)
{
	char name[128];

	(void)snprintf(name, sizeof(name), "%s-wal", dir.db);
	(void)unlink(name);
	(void)snprintf(name, sizeof(name), "%s-shm", dir.db);
	(void)unlink(name);
	test_write_file(dir.db, base->data, base->len);
}

static unsigned
count_aside(void)
{
	unsigned n = 0;
	DIR *const files = opendir(dir.name);

	ck_assert_ptr_nonnull(files);
	for (struct dirent *f; (f = readdir(files)) != NULL;)
		n += strstr(f->d_name, ".damaged-") != NULL &&
		     strchr("0123456789", f->d_name[strlen(f->d_name) - 1]) != NULL;
	(void)closedir(files);
	return n;
}

static int64_t
count_minute(const char *db, int64_t minute)
{
	char sql[160];

	(void)snprintf(sql, sizeof(sql), "SELECT count(*) FROM raw WHERE id BETWEEN %lld AND %lld",
	    (long long)rs_raw_key(1, minute, 0), (long long)rs_raw_key(1, minute + 1, 0) - 1);
	return test_shell_int(db, sql);
}

static void
check_integrity(const char *db)
{
	ck_assert_int_eq(
	    test_shell_int(
		db, "SELECT 'ok' = group_concat(integrity_check) FROM pragma_integrity_check"),
	    1);
}

static bool
try_append(struct rs_block *b)
{
	const unsigned good = blocks_good, n = blocks_done + 1;

	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_done, n);
	return blocks_good > good;
}

static const struct fault_case {
	const char *name;
	struct fault_plan plan;
} fault_cases[] = {
    {"write EIO", {.ops = 1 << FAULT_WRITE, .rc = SQLITE_IOERR_WRITE, .error = EIO}},
    {"short write",
	{.ops = 1 << FAULT_WRITE, .rc = SQLITE_IOERR_WRITE, .error = EIO, .is_short = true}},
    {"write ENOSPC", {.ops = 1 << FAULT_WRITE, .rc = SQLITE_FULL, .error = ENOSPC}},
    {"writes EROFS", {.ops = 1 << FAULT_WRITE | 1 << FAULT_TRUNCATE,
			 .rc = SQLITE_IOERR_WRITE,
			 .error = EROFS,
			 .is_lasting = true}},
    {"full from then on, cut short", {.ops = 1 << FAULT_WRITE,
					 .rc = SQLITE_FULL,
					 .error = ENOSPC,
					 .is_short = true,
					 .is_lasting = true}},
    {"sync", {.ops = 1 << FAULT_SYNC, .rc = SQLITE_IOERR_FSYNC, .error = EIO}},
    {"syncs", {.ops = 1 << FAULT_SYNC, .rc = SQLITE_IOERR_FSYNC, .error = EIO, .is_lasting = true}},
    {"read", {.ops = 1 << FAULT_READ, .rc = SQLITE_IOERR_READ, .error = EIO}},
    /* What SQLite's own VFS makes of EIO. */
    {"unreadable", {.ops = 1 << FAULT_READ, .rc = SQLITE_IOERR_CORRUPTFS, .error = EIO}},
    {"all", {.ops = 1 << FAULT_READ | 1 << FAULT_WRITE | 1 << FAULT_TRUNCATE | 1 << FAULT_SYNC,
		.rc = SQLITE_IOERR,
		.error = EIO,
		.is_lasting = true}},
};

/* Two blocks, a finding and a change with the at-th operation failing, and the end,
 * which folds the log in. How many operations there were. */
static unsigned
run_with_fault(const struct fault_case *c, unsigned at, struct rs_block *const blocks[2])
{
	struct fault_plan plan = c->plan;
	const struct rs_finding f = full_finding(1);
	bool is_good[2];

	open_store(dir.db, boot_a);
	plan.at = at;
	fault_disk_set(plan);
	for (int i = 0; i < 2; i++) {
		is_good[i] = try_append(blocks[i]);
		if (i == 0) {
			ck_assert_int_eq(rs_store_finding(store, &f), 0);
			change(1, 1);
		}
	}
	rs_store_close(store);
	store = NULL;
	const unsigned n = fault_disk_done();
	fault_disk_heal();
	check_integrity(dir.db);
	for (int i = 0; i < 2; i++) {
		const int64_t stored = count_minute(dir.db, blocks[i]->minute);

		/* A commit that failed at the last step may be there all the same. */
		ck_assert_msg(stored == 1 || (stored == 0 && !is_good[i]),
		    "%s %u: block %d %s and there %lld times", c->name, at, i,
		    is_good[i] ? "good" : "bad", (long long)stored);
		blocks[i]->is_committed = stored == 1;
	}
	return n;
}

START_TEST(whichever_operation_fails_the_database_is_whole)
{
	const struct fault_case *const c = &fault_cases[_i];
	const struct test_bytes base = make_base();
	const struct rs_query sum = ask_interrupts(0, INT64_MAX, 1, RS_SUM);
	struct rs_block *const blocks[] = {plain_block(101, 20), plain_block(102, 30)};
	unsigned at = 0, n;

	/* Until there is no at-th operation. */
	do {
		put_base(&base);
		n = run_with_fault(c, ++at, blocks);
		/* The program goes on, or is started again: nothing is missing. */
		open_store(dir.db, boot_a);
		for (int i = 0; i < 2; i++) {
			if (!blocks[i]->is_committed)
				append(blocks[i]);
		}
		ck_assert_str_eq(stats().state, "ok");
		struct rs_history *const h = query(&sum, no_head);
		ck_assert_int_eq(h->status, 0);
		ck_assert_double_eq(h->series[0].values[0], 60 * (10 + 20 + 30));
		rs_history_free(h);
		ck_assert_uint_eq(count_aside(), 0);
		rs_store_close(store);
		store = NULL;
	} while (n >= at);
	ck_assert_uint_gt(at, 3);
	free(base.data);
}
END_TEST

/* --- the power fails --------------------------------------------------- */

enum { CRASHES_MAX = 400, WRITES_MAX = 200 };

/* What the disk has of a file for sure, and what was written since. */
struct disk_file {
	struct test_bytes synced;
	struct {
		void *data;
		size_t len, at;
	} writes[WRITES_MAX];
	unsigned n_writes;
};

/* One moment: what each file is then, in three ways, and how many blocks had been
 * said to be stored. */
enum { AS_WRITTEN, AS_SYNCED, AS_TORN, WAYS };
static struct crash {
	struct test_bytes files[WAYS][FAULT_FILES];
	unsigned good;
} crashes[CRASHES_MAX];
static unsigned n_crashes;
static struct disk_file disk[FAULT_FILES];
static uint32_t chance;

static uint32_t
draw(void)
{
	chance ^= chance << 13;
	chance ^= chance >> 17;
	chance ^= chance << 5;
	return chance;
}

static void
name_of(int file, char name[static 128])
{
	(void)snprintf(name, 128, "%s%s", dir.db, file == FAULT_DB ? "" : "-wal");
}

static void
put_bytes(struct test_bytes *b, const void *data, size_t len, size_t at)
{
	if (at + len > b->len) {
		b->data = realloc(b->data, at + len);
		ck_assert_ptr_nonnull(b->data);
		memset(b->data + b->len, 0, at + len - b->len);
		b->len = at + len;
	}
	memcpy(b->data + at, data, len);
}

static struct test_bytes
copy_of(const struct test_bytes *b)
{
	struct test_bytes copy = {0};

	if (b->len > 0)
		put_bytes(&copy, b->data, b->len, 0);
	return copy;
}

/* Of each write since the sync some sectors arrived and others did not. */
static struct test_bytes
tear(const struct disk_file *f)
{
	struct test_bytes b = copy_of(&f->synced);

	for (unsigned i = 0; i < f->n_writes; i++) {
		for (size_t at = 0; at < f->writes[i].len; at += 512) {
			const size_t len = RS_MIN(f->writes[i].len - at, (size_t)512);

			if (draw() % 2 == 0)
				put_bytes(&b, (const char *)f->writes[i].data + at, len,
				    f->writes[i].at + at);
		}
	}
	return b;
}

static void
note_synced(int file)
{
	char name[128];
	struct disk_file *const f = &disk[file];

	name_of(file, name);
	free(f->synced.data);
	f->synced = test_read_file(name);
	while (f->n_writes > 0)
		free(f->writes[--f->n_writes].data);
}

static void
watch_crashes(enum fault_op op, int file, const void *data, int len, int64_t at)
{
	ck_assert_uint_lt(n_crashes, CRASHES_MAX);
	struct crash *const c = &crashes[n_crashes++];

	c->good = blocks_good;
	for (int i = 0; i < FAULT_FILES; i++) {
		char name[128];

		name_of(i, name);
		c->files[AS_WRITTEN][i] = test_read_file(name);
		c->files[AS_SYNCED][i] = copy_of(&disk[i].synced);
		c->files[AS_TORN][i] = tear(&disk[i]);
	}
	struct disk_file *const f = &disk[file];
	if (op == FAULT_WRITE) {
		ck_assert_uint_lt(f->n_writes, WRITES_MAX);
		f->writes[f->n_writes].data = malloc((size_t)len);
		memcpy(f->writes[f->n_writes].data, data, (size_t)len);
		f->writes[f->n_writes].len = (size_t)len;
		f->writes[f->n_writes++].at = (size_t)at;
	} else if (op == FAULT_SYNC) {
		note_synced(file);
	}
}

static void
check_crash(const struct crash *c, int way, unsigned which)
{
	char name[FAULT_FILES][128];

	for (int i = 0; i < FAULT_FILES; i++) {
		(void)snprintf(name[i], sizeof(name[i]), "%s/crash.db%s", dir.name,
		    i == FAULT_DB ? "" : "-wal");
		test_write_file(name[i], c->files[way][i].data, c->files[way][i].len);
	}
	struct rs_db *db = NULL;
	struct rs_error e = {0};
	ck_assert_msg(
	    rs_db_open(name[0], &e, &db) == 0, "crash %u, way %d: %s", which, way, e.text);
	rs_db_close(db);
	check_integrity(name[0]);
	for (unsigned i = 0; i < c->good; i++)
		ck_assert_msg(count_minute(name[0], 100 + i) == 1,
		    "crash %u, way %d: minute %u is gone", which, way, i);
	(void)unlink(name[FAULT_LOG]);
}

START_TEST(whenever_the_power_fails_what_was_stored_is_there)
{
	const struct rs_finding f = full_finding(1);

	chance = 0x2545f491u + (uint32_t)_i;
	n_crashes = 0;
	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	for (int i = 0; i < FAULT_FILES; i++)
		note_synced(i);
	fault_disk_watch(watch_crashes);
	append(plain_block(101, 2));
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	change(1, 40);
	append(plain_block(102, 3));
	/* The end folds the log into the database. */
	rs_store_close(store);
	store = NULL;
	fault_disk_heal();
	ck_assert_uint_gt(n_crashes, 20);
	for (unsigned i = 0; i < n_crashes; i++) {
		for (int way = 0; way < WAYS; way++) {
			check_crash(&crashes[i], way, i);
			for (int file = 0; file < FAULT_FILES; file++)
				free(crashes[i].files[way][file].data);
		}
	}
	for (int i = 0; i < FAULT_FILES; i++) {
		note_synced(i);
		free(disk[i].synced.data);
		disk[i].synced = (struct test_bytes){0};
	}
}
END_TEST

/* --- a database that cannot be had ------------------------------------- */

static void
pass_retry(void)
{
	atomic_fetch_add(&test_clock_ahead_ns, RS_VAULT_RETRY_NS);
}

static void
check_state(const char *state, const char *error)
{
	const struct rs_store_stats s = stats();

	ck_assert_msg(
	    strcmp(s.state, state) == 0 && strcmp(s.error, error) == 0, "%s: %s", s.state, s.error);
}

/* A finding raised by this process, its n-th. */
static struct rs_finding
own_finding(int64_t n)
{
	return full_finding(rs_store_next_finding_id(store) + n);
}

static void
raise_finding(int64_t id)
{
	const struct rs_finding f = full_finding(id);

	ck_assert_int_eq(rs_store_finding(store, &f), 0);
}

static struct rs_change_list *
changes(void)
{
	struct rs_change_list *l = NULL;
	const unsigned n = answers + 1;

	ck_assert_int_eq(rs_store_changes(store, &all_changes, on_changes, &l), 0);
	wait_for(&answers, n);
	ck_assert_int_eq(l->status, 0);
	return l;
}

/* Another name for the folder of the database, and back. */
static void
hide_folder(bool is_hidden)
{
	char name[80];

	(void)snprintf(name, sizeof(name), "%s-gone", dir.name);
	ck_assert_int_eq(is_hidden ? rename(dir.name, name) : rename(name, dir.name), 0);
}

/* An earlier process left three findings, one active, and two changes. */
static void
make_past(void)
{
	open_store(dir.db, boot_a);
	append(plain_block(10, 1));
	for (int64_t id = 1; id <= 3; id++) {
		struct rs_finding f = full_finding(id);

		f.cleared_ms = id < 3 ? f.raised_ms + 1 : 0;
		ck_assert_int_eq(rs_store_finding(store, &f), 0);
	}
	change(1, 2);
	rs_store_close(store);
	store = NULL;
}

/* Of a new database, and of one with a past. */
static void
open_with_faults(const struct fault_case *c, const struct test_bytes *base, int64_t id)
{
	unsigned at = 0, n;

	/* Until there is no at-th operation. */
	do {
		struct fault_plan plan = c->plan;

		if (base != NULL)
			put_base(base);
		plan.at = ++at;
		fault_disk_set(plan);
		open_store(dir.db, boot_a);
		n = fault_disk_done();
		fault_disk_heal();
		atomic_fetch_add(&test_clock_ahead_ns, RS_VAULT_RETRY_NS);
		const struct rs_finding f = full_finding(rs_store_next_finding_id(store));
		ck_assert_int_eq(rs_store_finding(store, &f), 0);
		append(plain_block(200, 1));
		ck_assert_msg(
		    strcmp(stats().state, "ok") == 0, "%s %u: %s", c->name, at, stats().error);
		rs_store_close(store);
		store = NULL;
		check_integrity(dir.db);
		ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM findings"), id);
		/* One failure is no damage. */
		ck_assert(c->plan.is_lasting || count_aside() == 0);
		ck_assert_int_eq(unlink(dir.db), 0);
		forget_head();
	} while (n >= at);
}

START_TEST(whichever_operation_fails_while_opening_it_opens_later)
{
	const struct fault_case *const c = &fault_cases[_i];

	open_with_faults(c, NULL, 1);
	make_past();
	struct test_bytes base = test_read_file(dir.db);
	open_with_faults(c, &base, 4);
	free(base.data);
}
END_TEST

#define MESSAGES "SELECT count(DISTINCT message) FROM findings"

START_TEST(a_database_that_comes_late_takes_all_that_waited_and_keeps_its_past)
{
	make_past();
	hide_folder(true);
	open_store(dir.db, boot_b);
	check_state("closed", "file or directory is missing");
	struct rs_block *const b = plain_block(1, 5);
	ck_assert(!try_append(b));
	check_state("closed", "file or directory is missing");
	struct rs_finding f = own_finding(0);
	const int64_t first = f.id, first_change = rs_store_next_change_id(store);
	ck_assert_int_gt(first, 3);
	(void)snprintf(f.message, sizeof(f.message), "while it was gone");
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	change(first_change, first_change + 1);

	/* All of it is told meanwhile, and that there is more. */
	struct rs_finding_list *l = findings();
	ck_assert_uint_eq(l->n, 1);
	ck_assert_int_eq(l->findings[0].id, first);
	ck_assert_int_eq(l->incomplete, -ENOENT);
	rs_finding_list_free(l);
	struct rs_change_list *c = changes();
	ck_assert_uint_eq(c->n, 2);
	ck_assert_int_eq(c->changes[0].id, first_change + 1);
	ck_assert_int_eq(c->incomplete, -ENOENT);
	rs_change_list_free(c);

	hide_folder(false);
	pass_retry();
	append(b);
	check_state("ok", "");
	/* In the database ids go on from where they were, the past ended, and this
	 * process knows its own by the ids it gave them. */
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM findings"), 4);
	ck_assert_int_eq(test_shell_int(dir.db, MESSAGES), 2);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM findings WHERE cleared_ms IS NULL"), 1);
	l = findings();
	ck_assert_int_eq(l->incomplete, 0);
	ck_assert_uint_eq(l->n, 4);
	ck_assert_int_eq(l->findings[0].id, first);
	ck_assert_int_eq(l->findings[1].id, 3);
	rs_finding_list_free(l);
	/* It is written again, under the same number. */
	f.cleared_ms = f.raised_ms + 5;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	change(first_change + 2, first_change + 2);
	rs_finding_list_free(findings());
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT cleared_ms - raised_ms FROM findings "
						"WHERE id = 4 AND message LIKE 'while%'"),
	    5);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM changes"), 5);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM changes"), 5);
	c = changes();
	ck_assert_uint_eq(c->n, 5);
	ck_assert_int_eq(c->changes[0].id, first_change + 2);
	ck_assert_int_eq(c->changes[3].id, 2);
	rs_change_list_free(c);
	ck_assert_uint_eq(stats().findings_dropped + stats().changes_dropped, 0);

	reopen(boot_b);
	ck_assert_int_eq(rs_store_next_finding_id(store), 5);
	ck_assert_int_eq(rs_store_next_change_id(store), 6);
}
END_TEST

START_TEST(while_there_is_no_database_the_head_answers)
{
	hide_folder(true);
	open_store(dir.db, boot_a);
	ck_assert(!try_append(plain_block(100, 10)));
	(void)plain_block(101, 20);
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, get_head);
	ck_assert_int_eq(h->status, 0);
	ck_assert_int_eq(h->incomplete, -ENOENT);
	ck_assert_str_eq(rs_store_words(h->incomplete), "file or directory is missing");
	ck_assert_uint_eq(h->n_times, 120);
	ck_assert_double_eq(h->series[0].values[0], 10);
	ck_assert_double_eq(h->series[0].values[119], 20);
	rs_history_free(h);
	struct rs_catalog *const c = catalog(get_head);
	ck_assert_int_eq(c->incomplete, -ENOENT);
	ck_assert_uint_eq(c->n, 2);
	rs_catalog_free(c);
	hide_folder(false);
}
END_TEST

START_TEST(a_folder_that_goes_and_comes_back_is_the_same_database)
{
	make_past();
	open_store(dir.db, boot_a);
	append(plain_block(20, 1));
	raise_finding(4);
	change(3, 3);
	rs_finding_list_free(findings());
	hide_folder(true);
	/* SQLite would write on, to files without a name. */
	struct rs_block *const b = plain_block(21, 1);
	ck_assert(!try_append(b));
	check_state("closed", "file or directory is missing");
	raise_finding(5);
	hide_folder(false);
	pass_retry();
	append(b);
	raise_finding(4);
	rs_finding_list_free(findings());
	check_state("ok", "");
	/* Nothing has two numbers, and what this process has active goes on. */
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM findings"), 5);
	ck_assert_int_eq(
	    test_shell_int(dir.db, "SELECT count(*) FROM findings WHERE cleared_ms IS NULL"), 2);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 3);
}
END_TEST

static const char *const taken[] = {"", "-wal", "-lock"};

START_TEST(files_that_are_taken_away_are_noticed_before_the_next_write)
{
	char name[128];

	open_store(dir.db, boot_a);
	append(plain_block(20, 1));
	raise_finding(1);
	rs_finding_list_free(findings());
	(void)snprintf(name, sizeof(name), "%s%s", dir.db, taken[_i]);
	ck_assert_int_eq(unlink(name), 0);
	append(plain_block(21, 1));
	raise_finding(2);
	rs_finding_list_free(findings());
	check_state("ok", "");
	/* Only with the database itself its content is gone. */
	const bool is_gone = taken[_i][0] == '\0';
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), is_gone ? 1 : 2);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM findings"), is_gone ? 1 : 2);
	struct rs_finding_list *const l = findings();
	ck_assert_int_eq(l->findings[0].id, 2);
	rs_finding_list_free(l);
	check_integrity(dir.db);
	/* And nobody else gets in. */
	struct rs_db *db = NULL;
	ck_assert_int_eq(rs_db_open(dir.db, NULL, &db), -EALREADY);
}
END_TEST

/* Events make the row of their boot, too. Without a boot id nothing tells databases
 * apart but samples. */
static const char *const boot_ids[] = {boot_a, ""};

START_TEST(a_database_removed_before_the_first_minute_is_begun_anew)
{
	struct rs_finding f = full_finding(1);

	open_store(dir.db, boot_ids[_i]);
	f.raised_boot_ms = MINUTE;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 1);
	ck_assert_int_eq(unlink(dir.db), 0);
	f.id = 2;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	append(plain_block(1, 1));
	append(plain_block(2, 1));
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM boots"), 1);
	ck_assert_int_eq(test_shell_int(dir.db,
			     "SELECT count(*) FROM raw JOIN boots ON boots.id = raw.id >> 40"),
	    2);
}
END_TEST

START_TEST(a_newer_schema_waits_untouched_until_it_is_gone)
{
	char sql[64];

	make_past();
	(void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", rs_schema_version + 1);
	test_shell(dir.db, sql);
	struct test_bytes before = test_read_file(dir.db);
	open_store(dir.db, boot_a);
	ck_assert_str_eq(stats().state, "closed");
	ck_assert_ptr_nonnull(strstr(stats().error, "newer version"));
	struct rs_block *const b = plain_block(30, 1);
	for (int i = 0; i < 3; i++) {
		pass_retry();
		ck_assert(!try_append(b));
	}
	struct test_bytes after = test_read_file(dir.db);
	ck_assert_uint_eq(after.len, before.len);
	ck_assert_int_eq(memcmp(after.data, before.data, before.len), 0);
	free(after.data);
	free(before.data);
	(void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", rs_schema_version);
	test_shell(dir.db, sql);
	pass_retry();
	append(b);
	check_state("ok", "");
}
END_TEST

START_TEST(only_strangers_and_a_second_daemon_end_the_start)
{
	struct rs_error e = {0};
	struct rs_db *db = NULL;

	test_write_file(dir.db, "key = value", 11);
	ck_assert_int_eq(try_open(dir.db, boot_a, &e), -EILSEQ);
	ck_assert_ptr_nonnull(strstr(e.text, "not an SQLite database"));
	ck_assert_int_eq(unlink(dir.db), 0);
	test_shell(dir.db, "CREATE TABLE moz_places (x)");
	rs_error_clear(&e);
	ck_assert_int_eq(try_open(dir.db, boot_a, &e), -EEXIST);
	ck_assert_ptr_nonnull(strstr(e.text, "another program"));
	ck_assert_int_eq(unlink(dir.db), 0);
	ck_assert_int_eq(rs_db_open(dir.db, NULL, &db), 0);
	rs_error_clear(&e);
	ck_assert_int_eq(try_open(dir.db, boot_a, &e), -EALREADY);
	ck_assert_ptr_nonnull(strstr(e.text, "another ringsided"));
	rs_db_close(db);
	ck_assert_ptr_null(store);
}
END_TEST

START_TEST(a_start_does_not_wait_long_for_the_disk)
{
	make_past();
	/* Ending the finding that was left active needs a sync. */
	(void)pthread_mutex_lock(&fault_disk.gate);
	open_store(dir.db, boot_b);
	check_state("closed", "not opened yet");
	raise_finding(rs_store_next_finding_id(store));
	struct rs_block *const b = plain_block(1, 1);
	ck_assert_int_eq(rs_store_append(store, b), 0);
	(void)pthread_mutex_unlock(&fault_disk.gate);
	wait_for(&blocks_good, 1 + 1);
	check_state("ok", "");
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM findings"), 4);
}
END_TEST

/* --- damage ------------------------------------------------------------ */

/* What is spoilt of an open database, and what must be written to notice. */
static void
spoil(off_t at, size_t len)
{
	static const char garbage[8192] = "no such page";
	const int fd = open(dir.db, O_WRONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, garbage, len, at), (ssize_t)len);
	(void)close(fd);
}

START_TEST(a_database_damaged_while_it_is_used_is_replaced)
{
	struct stat st;
	char sql[64];

	make_past();
	open_store(dir.db, boot_b);
	append(plain_block(20, 1));
	/* All pages but the first, and no copy of them in the log or, after something
	 * was written, in memory. */
	test_shell(dir.db, "PRAGMA wal_checkpoint(TRUNCATE)");
	ck_assert_int_eq(stat(dir.db, &st), 0);
	for (off_t at = 4096; at < st.st_size; at += 4096)
		spoil(at, 4096);
	(void)snprintf(sql, sizeof(sql), "PRAGMA user_version = %d", rs_schema_version);
	test_shell(dir.db, sql);
	struct rs_block *const b = plain_block(21, 7);
	append(b);
	ck_assert_uint_eq(stats().damaged, 1);
	check_state("ok", "");
	raise_finding(4);
	rs_finding_list_free(findings());
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	struct rs_history *const h = query(&q, no_head);
	ck_assert_uint_eq(h->n_times, 60);
	ck_assert_double_eq(h->series[0].values[0], 7);
	rs_history_free(h);
	check_integrity(dir.db);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT max(id) FROM findings"), 1);
	struct rs_finding_list *const l = findings();
	ck_assert_int_eq(l->findings[0].id, 4);
	rs_finding_list_free(l);
	ck_assert_uint_eq(count_aside(), 1);
}
END_TEST

START_TEST(a_database_found_damaged_is_replaced)
{
	make_past();
	spoil(_i == 0 ? 0 : 100, 3000);
	open_store(dir.db, boot_b);
	check_state("ok", "");
	ck_assert_uint_eq(stats().damaged, 1);
	ck_assert_int_eq(rs_store_next_finding_id(store), 1);
	append(plain_block(1, 1));
	ck_assert_uint_eq(count_aside(), 1);
}
END_TEST

/* --- a disk in trouble ------------------------------------------------- */

START_TEST(a_full_disk_is_told_and_forgotten_when_there_is_room)
{
	struct rs_block *late[4];

	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	/* Before it is written back to the database the log must grow. */
	atomic_store(&fault_disk.room, 0);
	for (int i = 0; i < 4; i++) {
		late[i] = plain_block(101 + i, 1);
		ck_assert(!try_append(late[i]));
		check_state("failing", "disk full");
	}
	raise_finding(1);
	change(1, 1);
	struct rs_finding_list *l = findings();
	ck_assert_uint_eq(l->n, 1);
	rs_finding_list_free(l);
	check_state("failing", "disk full");
	ck_assert_uint_gt(stats().commit_errors, 4);
	atomic_store(&fault_disk.room, -1);
	for (int i = 0; i < 4; i++)
		append(late[i]);
	struct rs_change_list *const c = changes();
	ck_assert_uint_eq(c->n, 1);
	rs_change_list_free(c);
	check_state("ok", "");
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM raw"), 5);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM findings"), 1);
	ck_assert_uint_eq(stats().findings_dropped + stats().changes_dropped, 0);
}
END_TEST

START_TEST(a_disk_that_can_be_read_no_more_is_told_and_asked_again)
{
	open_store(dir.db, boot_a);
	append(plain_block(100, 1));
	/* So that memory does not have it all. */
	test_shell(dir.db, "PRAGMA wal_checkpoint(TRUNCATE)");
	fault_disk_set((struct fault_plan){.ops = 1 << FAULT_READ | 1 << FAULT_WRITE,
	    .at = 1,
	    .is_lasting = true,
	    .rc = SQLITE_IOERR_CORRUPTFS,
	    .error = EIO});
	struct rs_block *const b = plain_block(101, 1);
	ck_assert(!try_append(b));
	ck_assert_str_ne(stats().state, "ok");
	const struct rs_query q = ask_interrupts(0, INT64_MAX, 0, RS_AVG);
	rs_history_free(query(&q, get_head));
	fault_disk_heal();
	pass_retry();
	append(b);
	check_state("ok", "");
}
END_TEST

/* The disk of the test is as full as it says. */
bool has_room(const struct rs_place *p, int64_t bytes) __asm__("__wrap_rs_place_has_room");
bool has_real_room(const struct rs_place *p, int64_t bytes) __asm__("__real_rs_place_has_room");

bool
has_room(const struct rs_place *p, int64_t bytes)
{
	const int64_t room = atomic_load(&fault_disk.room);
	struct stat log;
	char name[128];

	(void)snprintf(name, sizeof(name), "%s-wal", dir.db);
	return has_real_room(p, bytes) &&
	       (room < 0 || stat(name, &log) < 0 || room >= log.st_size + 2 * bytes);
}

/* Enough series to fill some pages. */
static struct rs_block *
large_block(int64_t minute)
{
	struct rs_block *const b = new_block(minute, OFFSET);

	test_ticks(b, 0, 60);
	for (int32_t c = 0; c < 32; c++) {
		const uint32_t slot =
		    test_series(b, (uint32_t)c + 1, RS_M_CORE_INTERRUPTS, test_cpu(c));

		for (uint32_t t = 0; t < 60; t++)
			rs_block_put(
			    b, slot, t, (int64_t)((t * 7919u + (uint32_t)c) % 65521u) << 20);
	}
	return b;
}

START_TEST(on_a_disk_that_stays_full_the_oldest_gives_way)
{
	char lock[128];

	open_store(dir.db, boot_a);
	for (int64_t m = 0; m < 8; m++)
		append(large_block(m));
	atomic_store(&fault_disk.room, 200000);
	for (int64_t m = 8; m < 60; m++)
		append(large_block(m));
	check_state("ok", "");
	ck_assert_int_eq(count_minute(dir.db, 59), 1);
	ck_assert_int_eq(count_minute(dir.db, 0), 0);
	/* It is counted, also when the database is opened again. */
	const struct rs_store_stats full = stats();
	const int64_t oldest = test_shell_int(dir.db, "SELECT min(id) >> 12 & 0xfffffff FROM raw");
	ck_assert_uint_gt(full.given_up[RS_TIER_RAW], 0);
	ck_assert_int_eq(full.tier_oldest_ms[RS_TIER_RAW], OFFSET + oldest * MINUTE);
	ck_assert_int_eq(full.tier_oldest_ms[RS_TIER_HOUR], 0);
	check_integrity(dir.db);
	(void)snprintf(lock, sizeof(lock), "%s-lock", dir.db);
	ck_assert_int_eq(unlink(lock), 0);
	append(large_block(60));
	ck_assert_uint_ge(stats().given_up[RS_TIER_RAW], full.given_up[RS_TIER_RAW]);
}
END_TEST

/* A reader from outside keeps the log from being emptied, which has its share of the
 * limit. */
START_TEST(what_keeps_the_size_from_its_limit_is_told)
{
	struct rs_store_conf c = {
	    .path = dir.db, .interval_ns = RS_NS_PER_S, .limits = {.max_bytes = 4000000}};
	struct rs_error e = {0};
	struct rs_block *b = NULL;
	int64_t m = 0;

	(void)snprintf(c.boot_id, sizeof(c.boot_id), "%s", boot_a);
	ck_assert_int_eq(rs_store_open(&c, loop, on_block, NULL, &e, &store), 0);
	append(large_block(m++));
	sqlite3 *const reader = test_shell_open(dir.db, "BEGIN; SELECT count(*) FROM raw");
	do {
		ck_assert_int_lt(m, 60);
		b = large_block(m++);
	} while (try_append(b));
	ck_assert_str_eq(stats().state, "failing");
	ck_assert_msg(strstr(stats().error, "another program reads") != NULL, "%s", stats().error);
	ck_assert_int_le(stats().size_bytes, c.limits.max_bytes);
	ck_assert_int_eq(sqlite3_close(reader), SQLITE_OK);
	append(b);
	check_state("ok", "");
}
END_TEST

static const struct word_case {
	int rc, error;
	const char *words;
} word_cases[] = {
    {SQLITE_IOERR_WRITE, EROFS, "read-only file system"},
    {SQLITE_IOERR_WRITE, EIO, "input/output error"},
    {SQLITE_IOERR_WRITE, EDQUOT, "disk quota used up"},
    {SQLITE_IOERR_WRITE, ENXIO, "the device is gone"},
    {SQLITE_FULL, ENOSPC, "disk full"},
};

START_TEST(errors_come_in_words)
{
	const struct word_case *const c = &word_cases[_i];

	open_store(dir.db, boot_a);
	const rs_ns before = stats().since_ns;
	fault_disk_set((struct fault_plan){
	    .ops = 1 << FAULT_WRITE, .at = 1, .is_lasting = true, .rc = c->rc, .error = c->error});
	struct rs_block *const b = plain_block(1, 1);
	ck_assert(!try_append(b));
	check_state("failing", c->words);
	ck_assert_int_gt(stats().since_ns, before);
	fault_disk_heal();
	append(b);
	check_state("ok", "");
}
END_TEST

/* --- findings that wait ------------------------------------------------ */

START_TEST(a_finding_that_flaps_is_few_transactions_and_its_last_state_is_stored)
{
	struct rs_finding f = full_finding(1);

	open_store(dir.db, boot_a);
	for (uint32_t i = 1; i <= 40; i++) {
		f.episodes = i;
		f.cleared_ms = i % 2 == 0 ? f.raised_ms + i : 0;
		ck_assert_int_eq(rs_store_finding(store, &f), 0);
		struct rs_finding_list *const l = findings();
		ck_assert_uint_eq(l->n, 1);
		ck_assert_uint_eq(l->findings[0].episodes, i);
		rs_finding_list_free(l);
	}
	ck_assert_uint_eq(stats().commits, RS_HELD_WRITES);
	append(plain_block(1, 1));
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT episodes FROM findings"), 40);
	atomic_fetch_add(&test_clock_ahead_ns, 60 * RS_NS_PER_S);
	f.episodes = 41;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	rs_finding_list_free(findings());
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT episodes FROM findings"), 41);
	f.episodes = 42;
	for (int i = 0; i < 10; i++)
		ck_assert_int_eq(rs_store_finding(store, &f), 0);
	f.episodes = 43;
	ck_assert_int_eq(rs_store_finding(store, &f), 0);
	reopen(boot_a);
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT episodes FROM findings"), 43);
	ck_assert_uint_eq(stats().findings_dropped, 0);
}
END_TEST

START_TEST(findings_beyond_what_is_held_are_counted)
{
	hide_folder(true);
	open_store(dir.db, boot_a);
	const int64_t first = rs_store_next_finding_id(store);
	for (int64_t i = 0; i < RS_HELD_MAX + 5; i++) {
		struct rs_finding f = full_finding(first + i);

		f.cleared_ms = i < 3 ? f.raised_ms + 1 : 0;
		ck_assert_int_eq(rs_store_finding(store, &f), 0);
		struct rs_finding_list *const l = findings();
		ck_assert_uint_eq(l->n, (size_t)RS_MIN(i + 1, (int64_t)RS_HELD_MAX));
		rs_finding_list_free(l);
	}
	ck_assert_uint_eq(stats().findings_dropped, 5);
	hide_folder(false);
	pass_retry();
	append(plain_block(1, 1));
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM findings"), RS_HELD_MAX);
	/* Of the cleared ones nothing more would have been heard. */
	ck_assert_int_eq(test_shell_int(dir.db, "SELECT count(*) FROM findings "
						"WHERE cleared_ms IS NOT NULL"),
	    3);
}
END_TEST

/* --- the list ---------------------------------------------------------- */

static void
set_up_disk(void)
{
	fault_disk_heal();
	set_up();
}

static TCase *
add_case(Suite *s, const char *name)
{
	TCase *const t = tcase_create(name);

	tcase_add_checked_fixture(t, set_up_disk, tear_down);
	tcase_set_timeout(t, 240);
	suite_add_tcase(s, t);
	return t;
}

static Suite *
suite(void)
{
	Suite *const s = suite_create("faults");
	TCase *t = add_case(s, "every operation");

	tcase_add_loop_test(
	    t, whichever_operation_fails_the_database_is_whole, 0, RS_ARRAY_LEN(fault_cases));
	tcase_add_loop_test(t, whichever_operation_fails_while_opening_it_opens_later, 0,
	    RS_ARRAY_LEN(fault_cases));
	tcase_add_loop_test(t, whenever_the_power_fails_what_was_stored_is_there, 0, 4);

	t = add_case(s, "not to be had");
	tcase_add_test(t, a_database_that_comes_late_takes_all_that_waited_and_keeps_its_past);
	tcase_add_test(t, while_there_is_no_database_the_head_answers);
	tcase_add_test(t, a_folder_that_goes_and_comes_back_is_the_same_database);
	tcase_add_loop_test(
	    t, files_that_are_taken_away_are_noticed_before_the_next_write, 0, RS_ARRAY_LEN(taken));
	tcase_add_loop_test(
	    t, a_database_removed_before_the_first_minute_is_begun_anew, 0, RS_ARRAY_LEN(boot_ids));
	tcase_add_test(t, a_newer_schema_waits_untouched_until_it_is_gone);
	tcase_add_test(t, only_strangers_and_a_second_daemon_end_the_start);
	tcase_add_test(t, a_start_does_not_wait_long_for_the_disk);

	t = add_case(s, "damage");
	tcase_add_test(t, a_database_damaged_while_it_is_used_is_replaced);
	tcase_add_loop_test(t, a_database_found_damaged_is_replaced, 0, 2);

	t = add_case(s, "disk");
	tcase_add_test(t, a_full_disk_is_told_and_forgotten_when_there_is_room);
	tcase_add_test(t, on_a_disk_that_stays_full_the_oldest_gives_way);
	tcase_add_test(t, what_keeps_the_size_from_its_limit_is_told);
	tcase_add_test(t, a_disk_that_can_be_read_no_more_is_told_and_asked_again);
	tcase_add_loop_test(t, errors_come_in_words, 0, RS_ARRAY_LEN(word_cases));

	t = add_case(s, "findings");
	tcase_add_test(t, a_finding_that_flaps_is_few_transactions_and_its_last_state_is_stored);
	tcase_add_test(t, findings_beyond_what_is_held_are_counted);
	return s;
}

RS_CHECK_MAIN(suite())

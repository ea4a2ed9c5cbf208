/* SPDX-License-Identifier: ISC */
/*
 * A folder for the files of one test, and looks at them from outside: bytes,
 * and SQL as the sqlite3 shell would run it.
 */
#ifndef RS_TEST_DBDIR_H
#define RS_TEST_DBDIR_H

#include <check.h>
#include <dirent.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct test_dir {
	char name[64];
	char db[96]; /* name/test.db, not made */
};

static inline void
test_dir_make(struct test_dir *d)
{
	(void)snprintf(d->name, sizeof(d->name), "/tmp/ringside-test-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(d->name));
	(void)snprintf(d->db, sizeof(d->db), "%s/test.db", d->name);
}

static inline void
test_dir_remove(const struct test_dir *d)
{
	DIR *const files = opendir(d->name);

	ck_assert_ptr_nonnull(files);
	for (struct dirent *e; (e = readdir(files)) != NULL;)
		(void)unlinkat(dirfd(files), e->d_name, 0);
	(void)closedir(files);
	(void)rmdir(d->name);
}

static inline unsigned
test_dir_count(const struct test_dir *d)
{
	unsigned n = 0;
	DIR *const files = opendir(d->name);

	ck_assert_ptr_nonnull(files);
	for (struct dirent *e; (e = readdir(files)) != NULL;)
		n += e->d_name[0] != '.';
	(void)closedir(files);
	return n;
}

struct test_bytes {
	unsigned char *data; /* malloc */
	size_t len;
};

/* A file that is not there is empty. */
static inline struct test_bytes
test_read_file(const char *name)
{
	struct test_bytes b = {0};
	struct stat st;
	const int fd = open(name, O_RDONLY);

	if (fd < 0)
		return b;
	ck_assert_int_eq(fstat(fd, &st), 0);
	b.len = (size_t)st.st_size;
	b.data = malloc(b.len + 1);
	ck_assert_ptr_nonnull(b.data);
	ck_assert_int_eq(read(fd, b.data, b.len), (ssize_t)b.len);
	(void)close(fd);
	return b;
}

static inline void
test_write_file(const char *name, const void *data, size_t len)
{
	const int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, data, len), (ssize_t)len);
	(void)close(fd);
}

/* Runs sql; the connection comes back open. */
static inline sqlite3 *
test_shell_open(const char *name, const char *sql)
{
	sqlite3 *db = NULL;
	char *message = NULL;

	ck_assert_int_eq(sqlite3_open(name, &db), SQLITE_OK);
	/* The store may be writing, too. */
	(void)sqlite3_busy_timeout(db, 20000);
	(void)sqlite3_exec(db, sql, NULL, NULL, &message);
	ck_assert_msg(message == NULL, "%s: %s", sql, message);
	return db;
}

static inline void
test_shell(const char *name, const char *sql)
{
	ck_assert_int_eq(sqlite3_close(test_shell_open(name, sql)), SQLITE_OK);
}

/* The first column of the first row. */
static inline int64_t
test_shell_int(const char *name, const char *sql)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;

	ck_assert_int_eq(sqlite3_open_v2(name, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	ck_assert_msg(sqlite3_prepare_v2(db, sql, -1, &st, NULL) == SQLITE_OK, "%s", sql);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	const int64_t v = sqlite3_column_int64(st, 0);
	(void)sqlite3_finalize(st);
	ck_assert_int_eq(sqlite3_close(db), SQLITE_OK);
	return v;
}

#endif

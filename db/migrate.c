/* SPDX-License-Identifier: ISC */
/*
 * Opens in this order: a lock file beside the database (SQLite's own locks
 * cannot keep a second daemon out and let the sqlite3 shell in), a look at the
 * file's header without SQLite, a look through SQLite, and only then anything
 * that writes.
 */
#include "migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

enum {
	BUSY_MS = 5000,
	/* What a network carries is not for everybody. SQLite gives its log and
	 * index the mode of the database. */
	FILE_MODE = 0640
};

/* What a file says of itself. */
struct identity {
	int64_t application_id, version;
	bool is_empty; /* has no tables */
};

/* --- one daemon a database ------------------------------------------------ */

static int
refuse_second(const char *path, int fd, struct rs_error *e)
{
	char pid[16] = "";
	const ssize_t n = pread(fd, pid, sizeof(pid) - 1, 0);

	pid[n > 0 ? strcspn(pid, "\n") : 0] = '\0';
	return rs_error_set(e, -EBUSY, "database '%s' is in use by another ringsided (process %s)",
	    path, pid[0] != '\0' ? pid : "unknown");
}

static int
take_lock(struct rs_db *db, struct rs_error *e)
{
	char name[4096], pid[16];

	if ((size_t)snprintf(name, sizeof(name), "%s-lock", db->path) >= sizeof(name))
		return rs_error_set(e, -ENAMETOOLONG, "database path is too long");
	db->lock_fd = open(name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	db->is_lock_new = db->lock_fd >= 0;
	if (db->lock_fd < 0 && errno == EEXIST)
		db->lock_fd = open(name, O_RDWR | O_CLOEXEC);
	if (db->lock_fd < 0)
		return rs_error_set(e, -errno, "cannot open '%s': %s", name, strerror(errno));
	/* Not a POSIX record lock: that would not hold within one process. */
	if (flock(db->lock_fd, LOCK_EX | LOCK_NB) < 0) {
		if (errno == EWOULDBLOCK)
			return refuse_second(db->path, db->lock_fd, e);
		return rs_error_set(e, -errno, "cannot lock '%s': %s", name, strerror(errno));
	}
	const int len = snprintf(pid, sizeof(pid), "%ld\n", (long)getpid());
	if (ftruncate(db->lock_fd, 0) < 0 || pwrite(db->lock_fd, pid, (size_t)len, 0) < 0)
		return rs_error_set(e, -errno, "cannot write '%s': %s", name, strerror(errno));
	return 0;
}

/* A refused file keeps nothing of us beside it. */
static void
remove_lock(const struct rs_db *db)
{
	char name[4096];

	if (db->is_lock_new &&
	    (size_t)snprintf(name, sizeof(name), "%s-lock", db->path) < sizeof(name))
		(void)unlink(name);
}

/* --- is it ours? ------------------------------------------------------- */

static int
check_identity(const char *path, const struct identity *id, int newest, struct rs_error *e)
{
	if (id->application_id != RS_DB_APPLICATION_ID &&
	    !(id->application_id == 0 && id->is_empty))
		return rs_error_set(e, -EBADMSG,
		    "'%s' is a database of another program; nothing was changed", path);
	if (id->version > newest)
		return rs_error_set(e, -EPROTONOSUPPORT,
		    "'%s' was written by a newer version (schema %lld, this program knows %d); "
		    "nothing was changed",
		    path, (long long)id->version, newest);
	return 0;
}

static uint32_t
get_be(const unsigned char *p, unsigned bytes)
{
	uint32_t v = 0;

	while (bytes-- > 0)
		v = v << 8 | *p++;
	return v;
}

/* Looks at the header as the file format document of SQLite describes it. The
 * log, if there is one, may know better: that is asked through SQLite later. A
 * file that is not there is made, empty: SQLite would let everybody read it. */
static int
check_header(const char *path, int newest, struct rs_error *e)
{
	unsigned char header[108];
	/* Read-only is not enough, and SQLite would not say so. */
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);

	if (fd < 0)
		return rs_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	const ssize_t n = pread(fd, header, sizeof(header), 0);
	const int code = n < 0 ? -errno : 0;
	(void)close(fd);
	if (code < 0)
		return rs_error_set(e, code, "cannot read '%s': %s", path, strerror(-code));
	if (n == 0)
		return 0;
	if ((size_t)n < sizeof(header) || memcmp(header, "SQLite format 3", 16) != 0)
		return rs_error_set(
		    e, -EBADMSG, "'%s' is not an SQLite database; nothing was changed", path);
	const struct identity id = {
	    .version = get_be(header + 60, 4),
	    .application_id = get_be(header + 68, 4),
	    /* the table of tables is a leaf without cells */
	    .is_empty = header[100] == 0x0d && get_be(header + 103, 2) == 0,
	};
	return check_identity(path, &id, newest, e);
}

/* --- through SQLite ---------------------------------------------------- */

static int
fail_sql(const struct rs_db *db, const char *what, struct rs_error *e)
{
	return rs_error_set(e, rs_sql_errno(db), "%s '%s': %s", what,
	    db->path != NULL ? db->path : "memory", rs_sql_message(db));
}

static int
get_int(struct rs_db *db, const char *sql, int64_t *ret)
{
	sqlite3_stmt *st = NULL;

	(void)sqlite3_prepare_v2(db->handle, sql, -1, &st, NULL);
	const int r = rs_sql_int(db, st, ret);
	(void)sqlite3_finalize(st);
	return r;
}

static int
check_content(struct rs_db *db, int newest, struct rs_error *e)
{
	int64_t n_tables = 0;
	struct identity id = {0};

	if (get_int(db, "PRAGMA application_id", &id.application_id) < 0 ||
	    get_int(db, "PRAGMA user_version", &id.version) < 0 ||
	    get_int(db, "SELECT count(*) FROM sqlite_master", &n_tables) < 0)
		return fail_sql(db, "cannot read", e);
	id.is_empty = n_tables == 0;
	return check_identity(db->path, &id, newest, e);
}

static int
set_up(struct rs_db *db, struct rs_error *e)
{
	/* The page cache is small: memory is dearer than reads here. */
	static const char settings[] = "PRAGMA cache_size = -512;"
				       "PRAGMA temp_store = MEMORY;"
				       "PRAGMA journal_mode = WAL;"
				       "PRAGMA synchronous = FULL;";

	if (sqlite3_exec(db->handle, settings, NULL, NULL, NULL) != SQLITE_OK)
		return fail_sql(db, "cannot set up", e);
	return 0;
}

static int
open_file(struct rs_db *db, int newest, struct rs_error *e)
{
	int r = take_lock(db, e);

	if (r == 0)
		r = check_header(db->path, newest, e);
	if (r == 0)
		r = rs_vfs_new(&db->vfs);
	if (r < 0)
		return rs_error_set(e, r, "out of memory");
	if (sqlite3_open_v2(db->path, &db->handle,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		rs_vfs_name(db->vfs)) != SQLITE_OK)
		return fail_sql(db, "cannot open", e);
	(void)sqlite3_busy_timeout(db->handle, BUSY_MS);
	/* Until it is known to be ours, closing must not move its log. */
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	r = check_content(db, newest, e);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(db->handle, "main"))
		return rs_error_set(e, -EACCES, "cannot write '%s'", db->path);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	return set_up(db, e);
}

static int
open_memory(struct rs_db *db, struct rs_error *e)
{
	if (sqlite3_open_v2(":memory:", &db->handle,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		NULL) != SQLITE_OK)
		return fail_sql(db, "cannot open", e);
	return 0;
}

int
rs_db_open(const char *path, struct rs_error *e, struct rs_db **ret)
{
	struct rs_db *const db = calloc(1, sizeof(*db));

	if (db == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	db->lock_fd = -1;
	if (path != NULL && (db->path = strdup(path)) == NULL) {
		free(db);
		return rs_error_set(e, -ENOMEM, "out of memory");
	}
	int r = path != NULL ? open_file(db, rs_schema_version, e) : open_memory(db, e);
	if (r == 0)
		r = rs_db_migrate(db, rs_schema_steps, rs_schema_version, e);
	if (r < 0) {
		remove_lock(db);
		rs_db_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

void
rs_db_close(struct rs_db *db)
{
	if (db == NULL)
		return;
	rs_sql_finalize(db);
	(void)sqlite3_close(db->handle);
	rs_vfs_free(db->vfs);
	/* Last: closing it lets the next daemon in. */
	if (db->lock_fd >= 0)
		(void)close(db->lock_fd);
	free(db->path);
	free(db);
}

/* --- migration --------------------------------------------------------- */

static int
run_step(struct rs_db *db, const char *sql, int from)
{
	char mark[96];

	(void)snprintf(mark, sizeof(mark), "PRAGMA application_id = %d; PRAGMA user_version = %d;",
	    RS_DB_APPLICATION_ID, from + 1);
	int r = rs_sql_exec(db, RS_SQL_BEGIN);
	if (r == 0 && (sqlite3_exec(db->handle, sql, NULL, NULL, NULL) != SQLITE_OK ||
			  sqlite3_exec(db->handle, mark, NULL, NULL, NULL) != SQLITE_OK))
		r = rs_sql_errno(db);
	return r == 0 ? rs_sql_exec(db, RS_SQL_COMMIT) : r;
}

int
rs_db_migrate(struct rs_db *db, const char *const *steps, int version, struct rs_error *e)
{
	int64_t at = 0;

	if (get_int(db, "PRAGMA user_version", &at) < 0)
		return fail_sql(db, "cannot read", e);
	for (; at < version; at++) {
		const int r = run_step(db, steps[at], (int)at);

		if (r < 0) {
			(void)fail_sql(db, "cannot update the schema of", e);
			rs_sql_rollback(db, r);
			return r;
		}
	}
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * Opens in this order: a look at the file's header without SQLite, the lock file
 * beside it, a look through SQLite, and only then anything that writes.
 */
#include "migrate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* --- is it ours? ------------------------------------------------------- */

static int
check_identity(const char *path, const struct identity *id, int newest, struct rs_error *e)
{
	if (id->application_id != RS_DB_APPLICATION_ID &&
	    !(id->application_id == 0 && id->is_empty))
		return rs_error_set(
		    e, -EEXIST, "'%s' is a database of another program; nothing was changed", path);
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
 * log, if there is one, may know better: that is asked through SQLite later. */
static int
check_header(const char *path, int newest, struct rs_error *e)
{
	unsigned char header[108];
	/* Read-only is not enough, and SQLite would not say so. */
	const int fd = open(path, O_RDWR | O_CLOEXEC);

	if (fd < 0)
		return errno == ENOENT
			   ? 0
			   : rs_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	const ssize_t n = pread(fd, header, sizeof(header), 0);
	const int code = n < 0 ? -errno : 0;
	(void)close(fd);
	if (code < 0)
		return rs_error_set(e, code, "cannot read '%s': %s", path, strerror(-code));
	if (n == 0)
		return 0;
	if ((size_t)n < sizeof(header) || memcmp(header, "SQLite format 3", 16) != 0)
		return rs_error_set(
		    e, -EILSEQ, "'%s' is not an SQLite database; nothing was changed", path);
	const struct identity id = {
	    .version = get_be(header + 60, 4),
	    .application_id = get_be(header + 68, 4),
	    /* the table of tables is a leaf without cells */
	    .is_empty = header[100] == 0x0d && get_be(header + 103, 2) == 0,
	};
	return check_identity(path, &id, newest, e);
}

/* A file that is not there is made, empty: SQLite would let everybody read it. */
static int
make_file(const char *path, struct rs_error *e)
{
	const int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, FILE_MODE);

	if (fd < 0)
		return rs_error_set(e, -errno, "cannot open '%s': %s", path, strerror(errno));
	(void)close(fd);
	return 0;
}

/* No stranger to a place where a daemon had its database before is anything but
 * that database, damaged. */
static int
check_file(const char *path, int newest, struct rs_error *e)
{
	struct rs_error why = {0};
	const int r = check_header(path, newest, &why);

	if (r == -EILSEQ && rs_lock_is_there(path))
		return rs_error_set(e, -EBADMSG, "'%s' has no header of a database any more", path);
	return r < 0 ? rs_error_set(e, r, "%s", why.text) : 0;
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
open_handle(struct rs_db *db, int newest, struct rs_error *e)
{
	if (sqlite3_open_v2(db->path, &db->handle,
		SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX,
		rs_vfs_name(db->vfs)) != SQLITE_OK)
		return fail_sql(db, "cannot open", e);
	(void)sqlite3_busy_timeout(db->handle, BUSY_MS);
	/* Until it is known to be ours, closing must not move its log. */
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	const int r = check_content(db, newest, e);
	if (r < 0)
		return r;
	if (sqlite3_db_readonly(db->handle, "main"))
		return rs_error_set(e, -EACCES, "cannot write '%s'", db->path);
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 0, NULL);
	return set_up(db, e);
}

static int
open_file(struct rs_db *db, int newest, struct rs_error *e)
{
	int r = check_file(db->path, newest, e);

	if (r == 0)
		r = rs_lock_take(db->path, &db->lock, e);
	if (r == 0)
		r = make_file(db->path, e);
	if (r == 0 && rs_vfs_new(&db->vfs) < 0)
		r = rs_error_set(e, -ENOMEM, "out of memory");
	return r == 0 ? open_handle(db, newest, e) : r;
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
	db->lock.fd = -1;
	if (path != NULL && (db->path = strdup(path)) == NULL) {
		free(db);
		return rs_error_set(e, -ENOMEM, "out of memory");
	}
	int r = path != NULL ? open_file(db, rs_schema_version, e) : open_memory(db, e);
	if (r == 0)
		r = rs_db_migrate(db, rs_schema_steps, rs_schema_version, e);
	if (r < 0) {
		rs_lock_remove(path, &db->lock);
		rs_db_close(db);
		return r;
	}
	*ret = db;
	return 0;
}

void
rs_db_leave(struct rs_db *db)
{
	(void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, NULL);
	rs_db_close(db);
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
	rs_lock_drop(&db->lock);
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

/* SPDX-License-Identifier: ISC */
/*
 * Statements are prepared once and kept; SQLite's result codes become errno
 * here and nowhere else. One thread at a time.
 */
#include "sql.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[RS_SQL_COUNT] = {
#define RS_SQL_TEXT(id, text) [RS_SQL_##id] = (text),
    RS_SQL_STATEMENTS(RS_SQL_TEXT)
#undef RS_SQL_TEXT
};

sqlite3_stmt *
rs_sql(struct rs_db *db, enum rs_sql_id id)
{
	sqlite3_stmt **const st = &db->statements[id];

	if (*st == NULL) {
		(void)sqlite3_prepare_v3(
		    db->handle, texts[id], -1, SQLITE_PREPARE_PERSISTENT, st, NULL);
		return *st;
	}
	(void)sqlite3_reset(*st);
	(void)sqlite3_clear_bindings(*st);
	return *st;
}

int
rs_sql_step(struct rs_db *db, sqlite3_stmt *st)
{
	if (st == NULL)
		return rs_sql_errno(db);
	const int rc = sqlite3_step(st);

	if (rc == SQLITE_ROW)
		return 1;
	const int r = rc == SQLITE_DONE ? 0 : rs_sql_errno(db);
	(void)sqlite3_reset(st);
	return r;
}

int
rs_sql_run(struct rs_db *db, sqlite3_stmt *st)
{
	int r;

	do {
		r = rs_sql_step(db, st);
	} while (r > 0);
	return r;
}

int
rs_sql_exec(struct rs_db *db, enum rs_sql_id id)
{
	return rs_sql_run(db, rs_sql(db, id));
}

int
rs_sql_int(struct rs_db *db, sqlite3_stmt *st, int64_t *ret)
{
	const int r = rs_sql_step(db, st);

	if (r <= 0)
		return r;
	if (sqlite3_column_type(st, 0) != SQLITE_NULL)
		*ret = sqlite3_column_int64(st, 0);
	(void)sqlite3_reset(st);
	return 0;
}

void
rs_sql_rollback(struct rs_db *db, int code)
{
	/* Not every failure is SQLite's. */
	const bool is_sql = rs_sql_errno(db) == code;

	(void)snprintf(db->error, sizeof(db->error), "%s",
	    is_sql ? sqlite3_errmsg(db->handle) : strerror(-code));
	/* A full disk may have ended the transaction already. */
	if (!sqlite3_get_autocommit(db->handle))
		(void)rs_sql_exec(db, RS_SQL_ROLLBACK);
}

void
rs_sql_finalize(struct rs_db *db)
{
	for (size_t i = 0; i < RS_SQL_COUNT; i++) {
		(void)sqlite3_finalize(db->statements[i]);
		db->statements[i] = NULL;
	}
}

void
rs_sql_bind_text(sqlite3_stmt *st, int i, const char *s)
{
	(void)sqlite3_bind_text(st, i, s, -1, SQLITE_STATIC);
}

void
rs_sql_bind_known_text(sqlite3_stmt *st, int i, const char *s)
{
	if (s[0] != '\0')
		rs_sql_bind_text(st, i, s);
}

void
rs_sql_bind_known_int(sqlite3_stmt *st, int i, int32_t v)
{
	if (v >= 0)
		(void)sqlite3_bind_int(st, i, v);
}

int32_t
rs_sql_known_int(sqlite3_stmt *st, int column)
{
	return sqlite3_column_type(st, column) == SQLITE_NULL ? -1 : sqlite3_column_int(st, column);
}

void
rs_sql_text(sqlite3_stmt *st, int column, char *dst, size_t cap)
{
	const unsigned char *const s = sqlite3_column_text(st, column);
	const size_t len = s == NULL ? 0 : strlen((const char *)s);
	const size_t n = RS_MIN(len, cap - 1);

	if (n > 0)
		memcpy(dst, s, n);
	dst[n] = '\0';
}

static const struct {
	int rc, code;
} codes[] = {
    {SQLITE_PERM, -EACCES},
    {SQLITE_BUSY, -EBUSY},
    {SQLITE_LOCKED, -EBUSY},
    {SQLITE_PROTOCOL, -EBUSY},
    {SQLITE_NOMEM, -ENOMEM},
    {SQLITE_READONLY, -EROFS},
    {SQLITE_INTERRUPT, -ECANCELED},
    {SQLITE_CORRUPT, -EBADMSG},
    {SQLITE_NOTADB, -EBADMSG},
    {SQLITE_FULL, -ENOSPC},
    {SQLITE_TOOBIG, -E2BIG},
};

int
rs_sql_errno(const struct rs_db *db)
{
	const int rc = sqlite3_errcode(db->handle) & 0xff;

	for (size_t i = 0; i < RS_ARRAY_LEN(codes); i++) {
		if (codes[i].rc == rc)
			return codes[i].code;
	}
	if (rc != SQLITE_CANTOPEN && rc != SQLITE_IOERR)
		return -EPROTO; /* what it means is in SQLite's own words only */
	const int system = db->vfs != NULL ? rs_vfs_error(db->vfs) : 0;
	return system > 0 ? -system : -EIO;
}

const char *
rs_sql_message(const struct rs_db *db)
{
	return sqlite3_errmsg(db->handle);
}

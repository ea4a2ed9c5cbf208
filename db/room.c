/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "room.h"

#include <errno.h>
#include <stdio.h>

/* What SQLite has without a limit. */
#define PAGES_MAX INT64_C(1073741823)

enum {
	LOG_SHARE = 4,			 /* of the limit goes to the log, or */
	LOG_BYTES_MAX = 8 * 1024 * 1024, /* no more than that */
	LOG_PAGES_MAX = 1000,		 /* SQLite's own measure of when to empty it */
	FRAME_HEADER_BYTES = 24,	 /* wal.c */
	BATCH_SHARE = 32,		 /* of the file, or */
	BATCH_BYTES_MAX = 1024 * 1024,	 /* no more than that */
	SPARE_PAGES = 128		 /* of a file that is too large and full */
};

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
get_pages(struct rs_db *db, int64_t *ret_all, int64_t *ret_free)
{
	const int r = rs_sql_int(db, rs_sql(db, RS_SQL_PAGE_COUNT), ret_all);

	return r < 0 ? r : rs_sql_int(db, rs_sql(db, RS_SQL_PAGE_FREE), ret_free);
}

/* A file that is too large needs some pages more to become smaller, for the tiers
 * of what is given up. Not with each start again. */
static int64_t
find_wall(const struct rs_room *m, int64_t pages, int64_t free_pages)
{
	if (!m->has_limit)
		return PAGES_MAX;
	if (pages <= m->max_pages)
		return m->max_pages;
	return pages + (free_pages < SPARE_PAGES ? SPARE_PAGES : 0);
}

int
rs_room_init(struct rs_room *m, struct rs_db *db, int64_t max_bytes)
{
	char sql[200];
	int64_t pages = 0, free_pages = 0;

	*m = (struct rs_room){.has_limit = max_bytes > 0, .batch_bytes = BATCH_BYTES_MAX};
	int r = get_int(db, "PRAGMA page_size", &m->page_bytes);
	if (r == 0)
		r = get_pages(db, &pages, &free_pages);
	if (r < 0)
		return r;
	m->log_bytes = LOG_BYTES_MAX;
	m->max_pages = PAGES_MAX;
	if (m->has_limit) {
		m->log_bytes = RS_MIN(max_bytes / LOG_SHARE, (int64_t)LOG_BYTES_MAX);
		m->max_pages = (max_bytes - m->log_bytes) / m->page_bytes;
		m->batch_bytes = RS_MIN(m->max_pages * m->page_bytes / BATCH_SHARE, m->batch_bytes);
	}
	m->wall_pages = find_wall(m, pages, free_pages);
	const int64_t log_pages =
	    RS_MIN(m->log_bytes / 2 / (m->page_bytes + FRAME_HEADER_BYTES), LOG_PAGES_MAX);
	/* Some distributions have SQLite write zeroes over all that is deleted: as
	 * many writes again, for nothing secret. */
	(void)snprintf(sql, sizeof(sql),
	    "PRAGMA secure_delete = OFF; PRAGMA max_page_count = %lld; "
	    "PRAGMA wal_autocheckpoint = %lld; PRAGMA journal_size_limit = %lld",
	    (long long)m->wall_pages, (long long)RS_MAX(log_pages, 1), (long long)m->log_bytes);
	return sqlite3_exec(db->handle, sql, NULL, NULL, NULL) == SQLITE_OK ? 0 : rs_sql_errno(db);
}

int
rs_room_look(const struct rs_room *m, struct rs_db *db, struct rs_room_left *ret)
{
	int64_t pages = 0, free_pages = 0;
	const int r = get_pages(db, &pages, &free_pages);

	if (r < 0)
		return r;
	const int64_t surplus = pages - free_pages - m->max_pages;
	ret->free_bytes = free_pages * m->page_bytes;
	ret->growth_bytes = RS_MAX(m->wall_pages - pages, 0) * m->page_bytes;
	ret->surplus_bytes = RS_MAX(surplus, 0) * m->page_bytes;
	return 0;
}

/* 0 also while there is none. */
static int64_t
log_file_bytes(struct rs_db *db)
{
	sqlite3_file *log = NULL;
	sqlite3_int64 size = 0;

	(void)sqlite3_file_control(db->handle, "main", SQLITE_FCNTL_JOURNAL_POINTER, &log);
	if (log == NULL || log->pMethods == NULL ||
	    log->pMethods->xFileSize(log, &size) != SQLITE_OK)
		return 0;
	return size;
}

int
rs_room_in_log(const struct rs_room *m, struct rs_db *db, int64_t bytes)
{
	int in_log = 0, moved = 0;

	if (!m->has_limit)
		return 0;
	/* Commits empty it when it is half full, if nobody else reads. */
	const int64_t size = log_file_bytes(db);
	if (bytes <= m->log_bytes / 2 && size <= m->log_bytes)
		return 0;
	const int rc = sqlite3_wal_checkpoint_v2(
	    db->handle, "main", SQLITE_CHECKPOINT_PASSIVE, &in_log, &moved);
	if (rc != SQLITE_OK && rc != SQLITE_BUSY)
		return rs_sql_errno(db);
	if ((rc == SQLITE_OK && moved >= in_log) || size + bytes <= m->log_bytes)
		return 0;
	(void)snprintf(db->error, sizeof(db->error),
	    "another program reads the database and keeps its log from being emptied");
	return -ENOSPC;
}

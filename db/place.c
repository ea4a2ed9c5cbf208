/* SPDX-License-Identifier: ISC */
/*
 * The files are known by device and inode, as of when they were opened. Store
 * thread.
 */
#include "place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>

#include "migrate.h"

static const char *const suffixes[RS_PLACE_FILES] = {"", "-wal", "-lock"};

/* --- words ------------------------------------------------------------- */

static const struct {
	int code;
	const char *words;
} meanings[] = {
    {-ENOSPC, "disk full"},
    {-EDQUOT, "disk quota used up"},
    {-EROFS, "read-only file system"},
    {-EBUSY, "locked by another program"},
    {-EIO, "input/output error"},
    {-ENXIO, "the device is gone"},
    {-ENODEV, "the device is gone"},
    {-EACCES, "permission denied"},
    {-EPERM, "permission denied"},
    {-ENOENT, "file or directory is missing"},
    {-ENOTDIR, "file or directory is missing"},
    {-EBADMSG, "the database is damaged"},
    {-ENOMEM, "out of memory"},
    {-ECANCELED, "interrupted"},
};

const char *
rs_place_words(int code)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(meanings); i++) {
		if (meanings[i].code == code)
			return meanings[i].words;
	}
	return NULL;
}

/* --- the files --------------------------------------------------------- */

static bool
stat_file(const struct rs_place *p, const char *suffix, struct stat *ret)
{
	char name[PATH_MAX];

	return (size_t)snprintf(name, sizeof(name), "%s%s", p->path, suffix) < sizeof(name) &&
	       stat(name, ret) == 0;
}

static void
note_files(struct rs_place *p)
{
	for (size_t i = 0; i < RS_PLACE_FILES; i++) {
		struct stat st;

		p->files[i] = stat_file(p, suffixes[i], &st)
				  ? (struct rs_file_id){.dev = st.st_dev, .ino = st.st_ino}
				  : (struct rs_file_id){0};
	}
}

bool
rs_place_is_there(const struct rs_place *p)
{
	for (size_t i = 0; p->path != NULL && i < RS_PLACE_FILES; i++) {
		struct stat st;

		if (p->files[i].ino == 0)
			continue;
		if (!stat_file(p, suffixes[i], &st)) {
			if (errno == EACCES)
				continue; /* a folder of root's: nobody can tell */
			return false;
		}
		if (st.st_ino != p->files[i].ino || st.st_dev != p->files[i].dev)
			return false;
	}
	return true;
}

int64_t
rs_place_bytes(const struct rs_place *p)
{
	struct stat st;
	int64_t sum;

	if (!stat_file(p, "", &st))
		return -1;
	sum = (int64_t)st.st_size;
	if (stat_file(p, "-wal", &st))
		sum += (int64_t)st.st_size;
	return sum;
}

bool
rs_place_has_room(const struct rs_place *p, int64_t bytes)
{
	struct stat log;
	struct statvfs disk;

	if (statvfs(p->path, &disk) < 0)
		return true; /* nobody knows */
	const int64_t log_bytes = stat_file(p, "-wal", &log) ? (int64_t)log.st_size : 0;
	return (double)disk.f_bavail * (double)disk.f_frsize >= (double)(log_bytes + 2 * bytes);
}

uint64_t
rs_place_written(const struct rs_place *p)
{
	const uint64_t now =
	    p->db != NULL && p->db->vfs != NULL ? rs_vfs_stats(p->db->vfs).bytes_written : 0;

	return p->bytes_written + now;
}

/* --- life -------------------------------------------------------------- */

int
rs_place_init(struct rs_place *p, const char *path)
{
	*p = (struct rs_place){0};
	(void)rs_error_set(&p->why, -EAGAIN, "not opened yet");
	if (path != NULL && (p->path = strdup(path)) == NULL)
		return -ENOMEM;
	return 0;
}

static void
close_db(struct rs_place *p, bool as_is)
{
	if (p->db == NULL)
		return;
	/* What closing writes is counted in a database that is gone by then. */
	p->bytes_written = rs_place_written(p);
	if (as_is)
		rs_db_leave(p->db);
	else
		rs_db_close(p->db);
	p->db = NULL;
}

void
rs_place_fini(struct rs_place *p)
{
	close_db(p, false);
	free(p->path);
	p->path = NULL;
}

void
rs_place_close(struct rs_place *p, bool as_is, int code, const char *why)
{
	close_db(p, as_is);
	rs_error_clear(&p->why);
	(void)rs_error_set(&p->why, code, "%s", why);
}

static int
try_open(struct rs_place *p, int (*look_up)(void *arg, struct rs_db *db), void *arg)
{
	rs_error_clear(&p->why);
	int r = rs_db_open(p->path, &p->why, &p->db);

	if (r < 0)
		return r;
	r = look_up(arg, p->db);
	if (r < 0) {
		(void)rs_error_set(&p->why, r, "cannot use '%s': %s",
		    p->path != NULL ? p->path : "memory", rs_sql_message(p->db));
		close_db(p, true);
		return r;
	}
	if (p->path != NULL)
		note_files(p);
	p->was_open = true;
	return 0;
}

static int
move_aside(struct rs_place *p)
{
	rs_error_clear(&p->why);
	const int r = rs_aside_move(p->path, &p->aside, &p->why);

	p->n_damaged += r == 0;
	return r;
}

static bool
is_damaged(const struct rs_place *p, int status)
{
	/* What has lost its header while we ran is no stranger. */
	return p->path != NULL && (status == -EBADMSG || (status == -EILSEQ && p->was_open));
}

int
rs_place_open(struct rs_place *p, int (*look_up)(void *arg, struct rs_db *db), void *arg)
{
	int r = try_open(p, look_up, arg);

	/* A disk that fails to read once looks the same to SQLite. */
	if (is_damaged(p, r))
		r = try_open(p, look_up, arg);
	if (!is_damaged(p, r))
		return r;
	r = move_aside(p);
	return r == 0 ? try_open(p, look_up, arg) : r;
}

int
rs_place_give_up(struct rs_place *p)
{
	rs_place_close(p, true, -EBADMSG, "the database is damaged");
	return move_aside(p);
}

/* SPDX-License-Identifier: ISC */
/*
 * Each call goes to the file of the VFS below, which lies behind ours in the
 * memory that SQLite provides.
 */
#include "vfs.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

struct rs_vfs {
	sqlite3_vfs base; /* first: SQLite gives us this address */
	sqlite3_vfs *below;
	char name[40];
	struct rs_vfs_stats stats;
	int error; /* errno of the last call that failed */
};

struct file {
	sqlite3_file base; /* first */
	struct rs_vfs *vfs;
	bool is_counted;
	/* the file of the VFS below follows */
};

static sqlite3_file *
below(sqlite3_file *f)
{
	return (sqlite3_file *)(void *)((struct file *)(void *)f + 1);
}

/* SQLite forgets the errno of a commit. */
static int
note_error(struct rs_vfs *v, int rc)
{
	if (rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ)
		v->error = errno;
	return rc;
}

static int
note(sqlite3_file *f, int rc)
{
	return note_error(((struct file *)(void *)f)->vfs, rc);
}

static int
file_close(sqlite3_file *f)
{
	return below(f)->pMethods->xClose(below(f));
}

static int
file_read(sqlite3_file *f, void *data, int len, sqlite3_int64 at)
{
	return note(f, below(f)->pMethods->xRead(below(f), data, len, at));
}

static int
file_write(sqlite3_file *f, const void *data, int len, sqlite3_int64 at)
{
	const struct file *const ours = (struct file *)(void *)f;
	const int rc = below(f)->pMethods->xWrite(below(f), data, len, at);

	if (rc == SQLITE_OK && ours->is_counted)
		ours->vfs->stats.bytes_written += (uint64_t)len;
	return note(f, rc);
}

static int
file_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	return note(f, below(f)->pMethods->xTruncate(below(f), size));
}

static int
file_sync(sqlite3_file *f, int flags)
{
	const struct file *const ours = (struct file *)(void *)f;

	if (ours->is_counted)
		ours->vfs->stats.syncs++;
	return note(f, below(f)->pMethods->xSync(below(f), flags));
}

static int
file_size(sqlite3_file *f, sqlite3_int64 *ret)
{
	return note(f, below(f)->pMethods->xFileSize(below(f), ret));
}

static int
file_lock(sqlite3_file *f, int level)
{
	return below(f)->pMethods->xLock(below(f), level);
}

static int
file_unlock(sqlite3_file *f, int level)
{
	return below(f)->pMethods->xUnlock(below(f), level);
}

static int
file_check_reserved_lock(sqlite3_file *f, int *ret)
{
	return below(f)->pMethods->xCheckReservedLock(below(f), ret);
}

static int
file_control(sqlite3_file *f, int op, void *arg)
{
	return below(f)->pMethods->xFileControl(below(f), op, arg);
}

static int
file_sector_size(sqlite3_file *f)
{
	return below(f)->pMethods->xSectorSize(below(f));
}

static int
file_device_characteristics(sqlite3_file *f)
{
	return below(f)->pMethods->xDeviceCharacteristics(below(f));
}

static int
file_shm_map(sqlite3_file *f, int page, int page_size, int is_extended, void volatile **ret)
{
	return note(f, below(f)->pMethods->xShmMap(below(f), page, page_size, is_extended, ret));
}

static int
file_shm_lock(sqlite3_file *f, int offset, int n, int flags)
{
	return below(f)->pMethods->xShmLock(below(f), offset, n, flags);
}

static void
file_shm_barrier(sqlite3_file *f)
{
	below(f)->pMethods->xShmBarrier(below(f));
}

static int
file_shm_unmap(sqlite3_file *f, int is_deleted)
{
	return below(f)->pMethods->xShmUnmap(below(f), is_deleted);
}

/* Version 2: all that a log needs. The memory-mapped reads of version 3 are
 * never asked for. */
static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = file_close,
    .xRead = file_read,
    .xWrite = file_write,
    .xTruncate = file_truncate,
    .xSync = file_sync,
    .xFileSize = file_size,
    .xLock = file_lock,
    .xUnlock = file_unlock,
    .xCheckReservedLock = file_check_reserved_lock,
    .xFileControl = file_control,
    .xSectorSize = file_sector_size,
    .xDeviceCharacteristics = file_device_characteristics,
    .xShmMap = file_shm_map,
    .xShmLock = file_shm_lock,
    .xShmBarrier = file_shm_barrier,
    .xShmUnmap = file_shm_unmap,
};

static int
vfs_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
	struct file *const ours = (struct file *)(void *)f;
	struct rs_vfs *const vfs = (struct rs_vfs *)(void *)v;

	ours->base.pMethods = NULL;
	ours->vfs = vfs;
	ours->is_counted = (flags & (SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_WAL)) != 0;
	const int rc =
	    note_error(vfs, vfs->below->xOpen(vfs->below, path, below(f), flags, ret_flags));
	/* SQLite closes what has methods, even after a failed open. */
	if (below(f)->pMethods != NULL)
		ours->base.pMethods = &methods;
	return rc;
}

int
rs_vfs_new(struct rs_vfs **ret)
{
	sqlite3_vfs *const under = sqlite3_vfs_find(NULL);
	struct rs_vfs *const v = calloc(1, sizeof(*v));

	if (under == NULL || v == NULL) {
		free(v);
		return -ENOMEM;
	}
	/* All but opening is inherited; those methods use only fields that are
	 * copied with them. */
	v->base = *under;
	v->base.pNext = NULL;
	v->base.zName = v->name;
	v->base.szOsFile = (int)sizeof(struct file) + under->szOsFile;
	v->base.xOpen = vfs_open;
	v->below = under;
	(void)snprintf(v->name, sizeof(v->name), "ringside-%p", (void *)v);
	if (sqlite3_vfs_register(&v->base, 0) != SQLITE_OK) {
		free(v);
		return -ENOMEM;
	}
	*ret = v;
	return 0;
}

void
rs_vfs_free(struct rs_vfs *v)
{
	if (v == NULL)
		return;
	(void)sqlite3_vfs_unregister(&v->base);
	free(v);
}

const char *
rs_vfs_name(const struct rs_vfs *v)
{
	return v->name;
}

int
rs_vfs_error(const struct rs_vfs *v)
{
	return v->error;
}

struct rs_vfs_stats
rs_vfs_stats(const struct rs_vfs *v)
{
	return v->stats;
}

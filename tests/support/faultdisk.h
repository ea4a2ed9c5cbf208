/* SPDX-License-Identifier: ISC */
/*
 * A disk that hangs, fails, is full or loses its power, below SQLite; and a clock
 * that can be set forward. The program must be linked with --wrap=rs_clock_mono;
 * call fault_disk_install before the first database is opened. Only databases
 * called test.db, and their logs, are on it.
 */
#ifndef RS_TEST_FAULTDISK_H
#define RS_TEST_FAULTDISK_H

#include <check.h>
#include <errno.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "rs.h"

/* The files, and what is done to them. */
enum { FAULT_DB, FAULT_LOG, FAULT_FILES };
enum fault_op { FAULT_READ, FAULT_WRITE, FAULT_TRUNCATE, FAULT_SYNC, FAULT_OPS };

/* Which operations fail, counted from when this was set. */
struct fault_plan {
	unsigned ops;	 /* bits 1 << enum fault_op */
	unsigned at;	 /* the at-th of them; 0: none */
	bool is_lasting; /* and all that follow */
	bool is_short;	 /* of a write half the bytes go through */
	int rc, error;	 /* what SQLite hears, and errno */
};

static struct {
	sqlite3_vfs vfs, *below;
	sqlite3_io_methods methods[FAULT_FILES];
	const sqlite3_io_methods *real;
	pthread_mutex_t gate; /* whoever holds it stops the disk */
	atomic_uint failures; /* how many syncs of the log fail from now on */
	/* The store thread uses the disk when it likes. */
	pthread_mutex_t lock;
	struct fault_plan plan;
	unsigned done; /* operations of plan.ops */
	void (*watch)(enum fault_op op, int file, const void *data, int len, int64_t at);
	_Atomic int64_t room; /* bytes that files may still grow by; negative: enough */
} fault_disk = {.gate = PTHREAD_MUTEX_INITIALIZER, .lock = PTHREAD_MUTEX_INITIALIZER, .room = -1};

static inline void
fault_disk_set(struct fault_plan plan)
{
	(void)pthread_mutex_lock(&fault_disk.lock);
	fault_disk.plan = plan;
	fault_disk.done = 0;
	(void)pthread_mutex_unlock(&fault_disk.lock);
}

static inline unsigned
fault_disk_done(void)
{
	(void)pthread_mutex_lock(&fault_disk.lock);
	const unsigned n = fault_disk.done;
	(void)pthread_mutex_unlock(&fault_disk.lock);
	return n;
}

/* Called before each write and after each sync that works. */
static inline void
fault_disk_watch(void (*watch)(enum fault_op op, int file, const void *data, int len, int64_t at))
{
	(void)pthread_mutex_lock(&fault_disk.lock);
	fault_disk.watch = watch;
	(void)pthread_mutex_unlock(&fault_disk.lock);
}

static inline void
fault_disk_tell(enum fault_op op, const sqlite3_file *f, const void *data, int len, int64_t at)
{
	(void)pthread_mutex_lock(&fault_disk.lock);
	if (fault_disk.watch != NULL)
		fault_disk.watch(op,
		    f->pMethods == &fault_disk.methods[FAULT_DB] ? FAULT_DB : FAULT_LOG, data, len,
		    at);
	(void)pthread_mutex_unlock(&fault_disk.lock);
}

static inline void
fault_disk_heal(void)
{
	fault_disk_set((struct fault_plan){0});
	fault_disk_watch(NULL);
	atomic_store(&fault_disk.failures, 0);
	atomic_store(&fault_disk.room, -1);
}

/* 0, or what SQLite is to hear; *ret_is_short: half of it is done all the same. */
static inline int
fault_disk_meet(enum fault_op op, bool *ret_is_short)
{
	(void)pthread_mutex_lock(&fault_disk.lock);
	const struct fault_plan p = fault_disk.plan;
	const bool is_meant = (p.ops & 1u << op) != 0;
	const unsigned n = fault_disk.done += is_meant;
	(void)pthread_mutex_unlock(&fault_disk.lock);

	*ret_is_short = p.is_short;
	if (!is_meant || p.at == 0 || n < p.at || (n > p.at && !p.is_lasting))
		return SQLITE_OK;
	errno = p.error;
	return p.rc;
}

static inline int
fault_disk_read(sqlite3_file *f, void *data, int len, sqlite3_int64 at)
{
	bool is_short;
	const int rc = fault_disk_meet(FAULT_READ, &is_short);

	return rc != SQLITE_OK ? rc : fault_disk.real->xRead(f, data, len, at);
}

/* Whether the file may grow so far. */
static inline bool
fault_disk_has_room(sqlite3_file *f, int64_t end)
{
	sqlite3_int64 size = 0;
	const int64_t room = atomic_load(&fault_disk.room);

	if (room < 0 || fault_disk.real->xFileSize(f, &size) != SQLITE_OK || end <= size)
		return true;
	if (end - size > room)
		return false;
	atomic_fetch_sub(&fault_disk.room, end - size);
	return true;
}

static inline int
fault_disk_write(sqlite3_file *f, const void *data, int len, sqlite3_int64 at)
{
	bool is_short;
	const int rc = fault_disk_meet(FAULT_WRITE, &is_short);

	if (rc != SQLITE_OK) {
		const int error = errno;

		if (is_short)
			(void)fault_disk.real->xWrite(f, data, len / 2, at);
		errno = error;
		return rc;
	}
	if (!fault_disk_has_room(f, at + len))
		return SQLITE_FULL;
	fault_disk_tell(FAULT_WRITE, f, data, len, at);
	return fault_disk.real->xWrite(f, data, len, at);
}

static inline int
fault_disk_truncate(sqlite3_file *f, sqlite3_int64 size)
{
	bool is_short;
	const int rc = fault_disk_meet(FAULT_TRUNCATE, &is_short);

	if (rc != SQLITE_OK)
		return rc;
	fault_disk_tell(FAULT_TRUNCATE, f, NULL, 0, size);
	return fault_disk.real->xTruncate(f, size);
}

static inline int
fault_disk_sync(sqlite3_file *f, int flags)
{
	bool is_short;

	(void)pthread_mutex_lock(&fault_disk.gate);
	(void)pthread_mutex_unlock(&fault_disk.gate);
	if (f->pMethods == &fault_disk.methods[FAULT_LOG] &&
	    atomic_load(&fault_disk.failures) > 0) {
		atomic_fetch_sub(&fault_disk.failures, 1);
		errno = EIO;
		return SQLITE_IOERR_FSYNC;
	}
	int rc = fault_disk_meet(FAULT_SYNC, &is_short);

	if (rc == SQLITE_OK)
		rc = fault_disk.real->xSync(f, flags);
	if (rc == SQLITE_OK)
		fault_disk_tell(FAULT_SYNC, f, NULL, 0, 0);
	return rc;
}

static inline bool
fault_disk_is_ours(const char *path, const char *end)
{
	const size_t len = path != NULL ? strlen(path) : 0, n = strlen(end);

	return len > n && strcmp(path + len - n, end) == 0;
}

static inline int
fault_disk_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
	static const char *const names[FAULT_FILES] = {"/test.db", "/test.db-wal"};

	(void)v;
	const int rc = fault_disk.below->xOpen(fault_disk.below, path, f, flags, ret_flags);
	for (int i = 0; rc == SQLITE_OK && i < FAULT_FILES; i++) {
		if (!fault_disk_is_ours(path, names[i]))
			continue;
		if (fault_disk.methods[i].xRead == NULL) {
			fault_disk.real = f->pMethods;
			fault_disk.methods[i] = *f->pMethods;
			fault_disk.methods[i].xRead = fault_disk_read;
			fault_disk.methods[i].xWrite = fault_disk_write;
			fault_disk.methods[i].xTruncate = fault_disk_truncate;
			fault_disk.methods[i].xSync = fault_disk_sync;
		}
		f->pMethods = &fault_disk.methods[i];
	}
	return rc;
}

static inline void
fault_disk_install(void)
{
	if (fault_disk.below != NULL)
		return;
	fault_disk.below = sqlite3_vfs_find(NULL);
	ck_assert_ptr_nonnull(fault_disk.below);
	fault_disk.vfs = *fault_disk.below;
	fault_disk.vfs.pNext = NULL;
	fault_disk.vfs.zName = "fault";
	fault_disk.vfs.xOpen = fault_disk_open;
	ck_assert_int_eq(sqlite3_vfs_register(&fault_disk.vfs, 1), SQLITE_OK);
}

/* --- the clock --------------------------------------------------------- */

static _Atomic rs_ns test_clock_ahead_ns; /* of the real one */
/* Threads but the main one: each look at the clock takes this long. */
static _Atomic rs_ns test_clock_step_ns;
static pthread_t test_clock_main;

rs_ns test_clock_mono(void) __asm__("__wrap_rs_clock_mono");

rs_ns
test_clock_mono(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	if (!pthread_equal(pthread_self(), test_clock_main))
		atomic_fetch_add(&test_clock_ahead_ns, atomic_load(&test_clock_step_ns));
	return t.tv_sec * RS_NS_PER_S + t.tv_nsec + atomic_load(&test_clock_ahead_ns);
}

#endif

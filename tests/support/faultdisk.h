/* SPDX-License-Identifier: ISC */
/*
 * A disk that hangs or fails when SQLite's log is synced, and a clock that can
 * be set forward. The program must be linked with --wrap=rs_clock_mono; call
 * fault_disk_install before the first database is opened.
 */
#ifndef RS_TEST_FAULTDISK_H
#define RS_TEST_FAULTDISK_H

#include <check.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "rs.h"

static struct {
	sqlite3_vfs vfs, *below;
	sqlite3_io_methods log_methods;
	int (*sync)(sqlite3_file *f, int flags);
	pthread_mutex_t gate; /* whoever holds it stops the disk */
	atomic_uint failures; /* how many syncs fail from now on */
} fault_disk = {.gate = PTHREAD_MUTEX_INITIALIZER};

static inline int
fault_disk_sync(sqlite3_file *f, int flags)
{
	(void)pthread_mutex_lock(&fault_disk.gate);
	(void)pthread_mutex_unlock(&fault_disk.gate);
	if (atomic_load(&fault_disk.failures) > 0) {
		atomic_fetch_sub(&fault_disk.failures, 1);
		return SQLITE_IOERR_FSYNC;
	}
	return fault_disk.sync(f, flags);
}

static inline int
fault_disk_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
	(void)v;
	const int rc = fault_disk.below->xOpen(fault_disk.below, path, f, flags, ret_flags);

	if (rc == SQLITE_OK && (flags & SQLITE_OPEN_WAL) != 0) {
		fault_disk.log_methods = *f->pMethods;
		fault_disk.sync = f->pMethods->xSync;
		fault_disk.log_methods.xSync = fault_disk_sync;
		f->pMethods = &fault_disk.log_methods;
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

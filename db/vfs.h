/* SPDX-License-Identifier: ISC */
/*
 * A layer over SQLite's default VFS that counts what reaches the database and
 * its log: the figure that tells how fast a flash wears. One per database;
 * store thread, but for new and free.
 */
#ifndef RS_VFS_H
#define RS_VFS_H

#include "rs.h"

struct rs_vfs;

int rs_vfs_new(struct rs_vfs **ret);
void rs_vfs_free(struct rs_vfs *v); /* NULL-safe; no connection uses it any more */
/* For sqlite3_open_v2. */
const char *rs_vfs_name(const struct rs_vfs *v);

/* errno of the last call to the system that failed; 0: none did. */
int rs_vfs_error(const struct rs_vfs *v);

struct rs_vfs_stats {
	uint64_t bytes_written, syncs; /* main database and WAL */
};
struct rs_vfs_stats rs_vfs_stats(const struct rs_vfs *v);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * One daemon a database: a lock file beside it. SQLite's own locks cannot keep a
 * second daemon out and let the sqlite3 shell in. Store thread.
 */
#ifndef RS_LOCK_H
#define RS_LOCK_H

#include <stdbool.h>

#include "error.h"

struct rs_lock {
	int fd;	     /* -1: not taken */
	bool is_new; /* there was no such file before */
};

/* Whether a daemon had a database here before. */
bool rs_lock_is_there(const char *path);
/* -EALREADY: another daemon has it. Others as the system gave them. */
int rs_lock_take(const char *path, struct rs_lock *l, struct rs_error *e);
/* Lets the next daemon in; the file stays. */
void rs_lock_drop(struct rs_lock *l);
/* A file that is refused keeps nothing of us beside it: removes what this lock
 * has made. */
void rs_lock_remove(const char *path, const struct rs_lock *l);

#endif

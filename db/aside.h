/* SPDX-License-Identifier: ISC */
/*
 * Damaged databases: moved out of the way under a name with a date, for somebody
 * to look at. Store thread.
 */
#ifndef RS_ASIDE_H
#define RS_ASIDE_H

#include <limits.h>

#include "error.h"

/* So many are kept: a flash that damages one file after the other must not be
 * filled up with them. The smallest go first: they have the least history. */
#define RS_ASIDE_KEPT 2

/* What was done. */
struct rs_aside {
	char name[PATH_MAX]; /* what the database is called now; "": it was removed */
	unsigned removed;    /* how many had to go */
};

/* Renames the closed database with its log, index and journal to
 * PATH.damaged-YYYYMMDD-HHMMSS (UTC). -EALREADY: another daemon has it. */
int rs_aside_move(const char *path, struct rs_aside *ret, struct rs_error *e);

#endif

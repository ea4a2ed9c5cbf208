/* SPDX-License-Identifier: ISC */
/*
 * Tells which folders of /proc and /sys had a file written to, so that their
 * files need not be read to find out: inotify. What the kernel changes by itself
 * it does not tell. Live machine only; loop thread.
 */
#ifndef RS_FILEWATCH_H
#define RS_FILEWATCH_H

#include <stdbool.h>

#include "rs.h"

struct rs_filewatch;

/* No folder: *watch of rs_filewatch_set before it is set. */
#define RS_FILEWATCH_NONE (-1)

int rs_filewatch_open(struct rs_filewatch **ret);
void rs_filewatch_close(struct rs_filewatch *w); /* NULL-safe */
/* Watches the files of the folder ("proc/irq/5"), the one of this name as of now:
 * to be repeated, as another may have come in its place. *watch is its number.
 * Negative errno, *watch is none then; -ENOSPC: as many as the user may have. */
int rs_filewatch_set(struct rs_filewatch *w, int *watch, const char *folder);
void rs_filewatch_drop(struct rs_filewatch *w, int *watch);
/* Never waits. fn at least once for each folder that was written to since the last
 * call; RS_FILEWATCH_NONE: notices were lost, all may have been. */
void rs_filewatch_take(struct rs_filewatch *w, void (*fn)(void *arg, int watch), void *arg);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The processes of the machine by number, a few at a time: /proc may hold
 * thousands, and a tick has no time for all of them. Loop thread.
 */
#ifndef RS_PIDS_H
#define RS_PIDS_H

#include "root.h"

/* Numbers go up to here (PID_MAX_LIMIT in include/linux/threads.h). */
#define RS_PID_LIMIT (1 << 22)

struct rs_pids;

int rs_pids_open(const struct rs_root *root, struct rs_pids **ret);
void rs_pids_close(struct rs_pids *p); /* NULL-safe */
/* Writes the lowest numbers >= from in ascending order, at most cap of them, and
 * returns how many; 0: there are no more. Negative errno. */
int rs_pids_from(struct rs_pids *p, int32_t from, int32_t *ret, size_t cap);

#endif

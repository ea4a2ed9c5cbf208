/* SPDX-License-Identifier: ISC */
/*
 * The threads that are followed: what each had used when it was read last, from
 * descriptors that stay open, so that a number given to another process is not
 * taken for it. Used by the collector of threads. Loop thread.
 */
#ifndef RS_THREAD_FOLLOW_H
#define RS_THREAD_FOLLOW_H

#include "frame.h"
#include "root.h"
#include "task_stat.h"

struct rs_follows;

int rs_follows_new(const struct rs_root *root, struct rs_follows **ret);
void rs_follows_free(struct rs_follows *s); /* NULL-safe */

bool rs_follows_has(const struct rs_follows *s, int32_t tid, uint64_t start);
/* Follows a thread from now on: t has class, pid and what its name tells; the
 * rest is filled in here. False: there are too many of its class, or it is gone.
 * Of processes the busiest few are followed: load is what this one used. */
bool rs_follows_add(struct rs_follows *s, const struct rs_thread *t,
    const struct rs_task_stat *stat, double load, rs_ns now_ns);
/* Reads those whose time has come (with is_all: all of them), forgets who is
 * gone, and puts all into the frame. */
void rs_follows_read(struct rs_follows *s, bool is_all, struct rs_frame *f);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Who was born since the last look: threads of the kernel for certain, processes
 * where the kernel does not tell the ones from the others. Used by the collector
 * of threads. Loop thread.
 */
#ifndef RS_NEWBORN_H
#define RS_NEWBORN_H

#include "pids.h"

struct rs_newborn;

/* pids is borrowed. */
int rs_newborn_open(const struct rs_root *root, struct rs_pids *pids, struct rs_newborn **ret);
void rs_newborn_close(struct rs_newborn *n); /* NULL-safe */
/* From here on; all who live now are known. */
void rs_newborn_begin(struct rs_newborn *n, rs_ns now_ns);
/* Every few seconds calls fn for those born meanwhile. */
typedef void (*rs_newborn_fn)(void *arg, int32_t pid);
void rs_newborn_each(struct rs_newborn *n, rs_ns now_ns, rs_newborn_fn fn, void *arg);

#endif

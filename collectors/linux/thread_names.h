/* SPDX-License-Identifier: ISC */
/*
 * Which threads of the kernel do packet work, by their names. Pure; used by the
 * collector of threads.
 */
#ifndef RS_THREAD_NAMES_H
#define RS_THREAD_NAMES_H

#include <stdbool.h>

#include "frame.h"

/* Fills in class, core (-1: the name tells none), irq and napi_id. False: a
 * thread that is not followed. Only for threads of the kernel: any process may
 * take such a name. */
bool rs_thread_classify(struct rs_text comm, struct rs_thread *ret);

/* A worker of a work queue: its name tells what it works at, and changes. */
bool rs_thread_is_worker(struct rs_text comm);

#endif

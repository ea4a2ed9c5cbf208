/* SPDX-License-Identifier: ISC */
/*
 * The line /proc/PID/stat (also .../task/TID/stat) and its neighbour schedstat.
 * Pure; used by the collector of threads.
 */
#ifndef RS_TASK_STAT_H
#define RS_TASK_STAT_H

#include <stdbool.h>

#include "text.h"

struct rs_task_stat {
	int32_t pid;
	struct rs_text comm; /* into the text; any byte may be in it */
	bool is_kernel;	     /* a thread of the kernel's own */
	uint64_t ticks;	     /* user and system time, 1/100 s */
	uint32_t threads;    /* of the process */
	uint32_t cpu;	     /* it ran on last */
	uint64_t start;	     /* since boot, 1/100 s */
};

/* 0; -EINVAL when anything of this is not there whole. */
int rs_task_stat_parse(struct rs_text t, struct rs_task_stat *ret);

/* Time on a core in ns; false where the kernel keeps none. */
bool rs_task_runtime_parse(struct rs_text t, uint64_t *ret_ns);

#endif

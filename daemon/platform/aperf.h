/* SPDX-License-Identifier: ISC */
/*
 * The clock a core really had, by the processor's own counters: APERF counts
 * cycles as they are, MPERF at the rate of the time stamp counter, both only
 * while the core runs. x86; asked of perf, which needs CAP_PERFMON, root, or
 * kernel.perf_event_paranoid at 0 or below. Loop thread.
 */
#ifndef RS_APERF_H
#define RS_APERF_H

#include "root.h"

struct rs_aperf;

/* -ENOENT: the processor or the kernel has no such counters; -EACCES, -EPERM:
 * not permitted. Descriptors of the cores are opened when they are asked for. */
int rs_aperf_open(const struct rs_root *root, struct rs_aperf **ret);
void rs_aperf_close(struct rs_aperf *a); /* NULL-safe */
/* The mean clock of a core while it ran since it was asked for last. -EAGAIN: not
 * yet; negative errno of perf, after which the core begins anew. */
int rs_aperf_hz(struct rs_aperf *a, unsigned cpu, double *ret_hz);

#endif

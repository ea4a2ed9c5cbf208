/* SPDX-License-Identifier: ISC */
/*
 * Processes and threads on the cores that handle packets: what kind of kernel runs
 * them, and where advice may send them. Used by the rules about cores. Pure.
 */
#ifndef RS_PROCESS_H
#define RS_PROCESS_H

#include "places.h"
#include "rule.h"

/* A process with this share of a core is worth moving. */
#define RS_PROCESS_WORTH 0.20

enum rs_realtime { RS_REALTIME_UNKNOWN, RS_REALTIME_NO, RS_REALTIME_YES };
/* On a real-time kernel softirqs run in threads by design. */
enum rs_realtime rs_kernel_realtime(const struct rs_view *v);

/* The cores that take part, have no part of the packet work to speak of and are not
 * siblings of this one: where a process is out of its way. */
void rs_process_places(const struct rs_view *v, unsigned cpu, struct rs_cpuset *ret);
/* Advises to run the thread there; says nothing when there is no such core. */
void rs_advise_process_off(const struct rs_view *v, const struct rs_thread_view *t, unsigned cpu,
    const char *expect, struct rs_says *out);

#endif

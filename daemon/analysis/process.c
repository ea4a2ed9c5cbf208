/* SPDX-License-Identifier: ISC */
/*
 * taskset takes a thread by its number, so that of a process with several only the
 * one that was seen is moved.
 */
#include "process.h"

#include <stdio.h>
#include <string.h>

#include "load.h"
#include "masks.h"

/* A core with more packet work than this is none to send a process to. */
#define SPARE_LOAD 0.20
#define SPARE_BUSY 0.50

enum rs_realtime
rs_kernel_realtime(const struct rs_view *v)
{
	const char *const told = rs_view_fact(v, RS_F_REALTIME, 0, RS_NO_QUEUE);
	const char *const kernel = rs_view_fact(v, RS_F_KERNEL, 0, RS_NO_QUEUE);

	if (told)
		return strcmp(told, "on") == 0 ? RS_REALTIME_YES : RS_REALTIME_NO;
	if (!kernel)
		return RS_REALTIME_UNKNOWN;
	return strstr(kernel, "-rt") ? RS_REALTIME_YES : RS_REALTIME_NO;
}

void
rs_process_places(const struct rs_view *v, unsigned cpu, struct rs_cpuset *ret)
{
	rs_place_cores(v, 0, ret);
	rs_place_without(v, cpu, ret);
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		const struct rs_group *const g = &v->groups[i];
		if (g->packet_load >= SPARE_LOAD || g->busy >= SPARE_BUSY)
			rs_place_without(v, g->cpu, ret);
	}
}

void
rs_advise_process_off(const struct rs_view *v, const struct rs_thread_view *t, unsigned cpu,
    const char *expect, struct rs_says *out)
{
	struct rs_advice a = {.is_persistent = false};
	struct rs_cpuset places;
	char cores[64], online[40];

	rs_process_places(v, cpu, &places);
	if (t->thread.tid <= 0 || !rs_mask_list(&places, cores, sizeof(cores)))
		return;
	rs_place_online(v, online, sizeof(online));
	(void)snprintf(
	    a.command, sizeof(a.command), "taskset -pc %s %d", cores, (int)t->thread.tid);
	(void)snprintf(a.expect, sizeof(a.expect), "%s", expect);
	(void)snprintf(a.undo, sizeof(a.undo), "taskset -pc %s %d", online, (int)t->thread.tid);
	rs_advise(out, &a);
}

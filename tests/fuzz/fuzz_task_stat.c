/* SPDX-License-Identifier: ISC */
/*
 * The line of a thread, its name, and its run time. Whatever a thread calls
 * itself, the numbers behind the name are its own.
 */
#include "fuzz.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/task_stat.h"
#include "linux/thread_names.h"

static void
check_name(struct rs_text comm)
{
	struct rs_thread t = {0};

	(void)rs_thread_is_worker(comm);
	if (!rs_thread_classify(comm, &t))
		return;
	if (t.class > RS_THREAD_USER || t.cpu < -1 || t.cpu >= (int32_t)RS_CPU_MAX || t.irq < -1)
		abort();
	if ((t.irq >= 0) != (t.class == RS_THREAD_IRQ))
		abort();
}

/* The input as the name in a line of which the rest is known. */
static void
check_as_name(const char *name, size_t len)
{
	static const char front[] = "42 (", rest[] =
						") S 2 0 0 0 -1 2129984 0 0 0 0 7 34 0 0 20 0 "
						"1 0 55 0 0 1 0 0 0 0 0 0 0 0 0 1 0 0 17 3 0 0\n";
	char line[512];
	struct rs_task_stat s;

	if (len > sizeof(line) - sizeof(front) - sizeof(rest))
		return;
	memcpy(line, front, sizeof(front) - 1);
	memcpy(line + sizeof(front) - 1, name, len);
	memcpy(line + sizeof(front) - 1 + len, rest, sizeof(rest) - 1);
	const struct rs_text t = {line, line + sizeof(front) + len + sizeof(rest) - 2};
	if (rs_task_stat_parse(t, &s) < 0 || s.pid != 42 || s.ticks != 41 || s.start != 55 ||
	    s.cpu != 3 || s.threads != 1 || !s.is_kernel || rs_text_len(s.comm) != len)
		abort();
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text t = {(const char *)data, (const char *)data + size};
	struct rs_task_stat s;
	uint64_t ns = 0;

	if (rs_task_stat_parse(t, &s) == 0) {
		if (s.pid <= 0 || s.cpu >= RS_CPU_MAX || s.comm.p < t.p || s.comm.end > t.end ||
		    s.comm.p > s.comm.end)
			abort();
		check_name(s.comm);
	}
	if (rs_task_runtime_parse(t, &ns) && ns == 0)
		abort();
	check_name(t);
	check_as_name(t.p, size);
	return 0;
}

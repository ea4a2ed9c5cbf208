/* SPDX-License-Identifier: ISC */
#include "task_stat.h"

#include <errno.h>
#include <string.h>

#include "cpuset.h"

/* include/linux/sched.h */
#define PF_KTHREAD 0x00200000u

/* Fields by their number in proc_pid_stat(5); the name is the second. */
enum { FLAGS = 9, UTIME = 14, STIME = 15, THREADS = 20, START = 22, CPU = 39 };
enum { FIRST = 3, FIELDS = CPU - FIRST + 1 };

static bool
is_wanted(unsigned field)
{
	return field == FLAGS || field == UTIME || field == STIME || field == THREADS ||
	       field == START || field == CPU;
}

/* What is behind the name. Of the numbers that are not wanted some are negative,
 * and the first is a letter. */
static bool
take_fields(struct rs_text t, uint64_t ret[static FIELDS])
{
	for (unsigned field = FIRST; field <= CPU; field++) {
		struct rs_text word;
		/* At the cut end of a text a number may lack digits. */
		if (!rs_text_word(&t, &word) || t.p == t.end)
			return false;
		if (!is_wanted(field))
			continue;
		if (*word.p < '0' || *word.p > '9' || !rs_text_u64(&word, &ret[field - FIRST]) ||
		    word.p != word.end)
			return false;
	}
	return true;
}

/* The name is between the first "(" and the last ")": it may have more of both,
 * blanks and line ends (do_task_stat in fs/proc/array.c escapes nothing), while
 * all that follows are numbers. */
static bool
split_name(struct rs_text t, struct rs_text *ret_name, struct rs_text *ret_rest)
{
	if (!rs_text_skip(&t, " ("))
		return false;
	const char *end = t.end;
	while (end > t.p && end[-1] != ')')
		end--;
	if (end == t.p)
		return false;
	*ret_name = (struct rs_text){t.p, end - 1};
	*ret_rest = (struct rs_text){end, t.end};
	return true;
}

int
rs_task_stat_parse(struct rs_text t, struct rs_task_stat *ret)
{
	uint64_t pid, f[FIELDS];
	struct rs_text name, rest;
	if (t.p == t.end || *t.p < '0' || *t.p > '9' || !rs_text_u64(&t, &pid) || pid == 0 ||
	    pid > INT32_MAX || !split_name(t, &name, &rest) || !take_fields(rest, f))
		return -EINVAL;
	if (f[CPU - FIRST] >= RS_CPU_MAX || f[THREADS - FIRST] > UINT32_MAX ||
	    f[STIME - FIRST] > UINT64_MAX - f[UTIME - FIRST])
		return -EINVAL;
	*ret = (struct rs_task_stat){
	    .pid = (int32_t)pid,
	    .comm = name,
	    .is_kernel = (f[FLAGS - FIRST] & PF_KTHREAD) != 0,
	    .ticks = f[UTIME - FIRST] + f[STIME - FIRST],
	    .threads = (uint32_t)f[THREADS - FIRST],
	    .cpu = (uint32_t)f[CPU - FIRST],
	    .start = f[START - FIRST],
	};
	return 0;
}

bool
rs_task_runtime_parse(struct rs_text t, uint64_t *ret_ns)
{
	uint64_t ns;
	struct rs_text rest = t;
	if (t.p == t.end || *t.p < '0' || *t.p > '9' || !rs_text_u64(&rest, &ns) ||
	    rest.p == rest.end || *rest.p != ' ')
		return false;
	/* Without CONFIG_SCHED_INFO, or while its accounting is off, three zeros
	 * are printed (proc_pid_schedstat in fs/proc/base.c). */
	if (ns == 0)
		return false;
	*ret_ns = ns;
	return true;
}

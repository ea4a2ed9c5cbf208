/* SPDX-License-Identifier: ISC */
/*
 * Numbers are given to processes and threads in ascending order and begin anew at
 * their end, and /proc/loadavg tells the one given last: while that stays, nobody
 * was born, and between two of them is who was.
 */
#include "newborn.h"

#include <errno.h>
#include <stdlib.h>

#include "num.h"
#include "reader.h"

#define PERIOD_NS (3 * RS_NS_PER_S)
#define CHILDREN_BYTES_MAX (1u << 20)

/* Of those who are listed, so many at once; the others in the next tick. */
enum { BATCH = 16, FEW = 2, LOADAVG_BYTES_MAX = 256 };

struct rs_newborn {
	struct rs_pids *pids;
	struct rs_reader *loadavg, *children; /* the latter of kthreadd */
	int32_t next;			      /* all below were looked at when they were young */
	rs_ns looked_ns;
};

int
rs_newborn_open(const struct rs_root *root, struct rs_pids *pids, struct rs_newborn **ret)
{
	struct rs_newborn *const n = calloc(1, sizeof(*n));
	if (!n)
		return -ENOMEM;
	n->pids = pids;
	int error = rs_reader_open(root, "proc/loadavg", LOADAVG_BYTES_MAX, &n->loadavg);
	if (!error)
		error = rs_reader_open(
		    root, "proc/2/task/2/children", CHILDREN_BYTES_MAX, &n->children);
	if (error) {
		rs_newborn_close(n);
		return error;
	}
	*ret = n;
	return 0;
}

void
rs_newborn_close(struct rs_newborn *n)
{
	if (!n)
		return;
	rs_reader_close(n->loadavg);
	rs_reader_close(n->children);
	free(n);
}

/* The number given last: the fifth word (fs/proc/loadavg.c). 0: not told. */
static int32_t
newest(struct rs_newborn *n)
{
	struct rs_text t, word = {0};
	uint64_t pid = 0;
	if (rs_reader_read(n->loadavg, &t) < 0)
		return 0;
	t = rs_text_trim(t);
	for (unsigned i = 0; i < 5; i++) {
		if (!rs_text_word(&t, &word))
			return 0;
	}
	return rs_num_u64(word, &pid) < 0 || pid > RS_PID_LIMIT ? 0 : (int32_t)pid;
}

void
rs_newborn_begin(struct rs_newborn *n, rs_ns now_ns)
{
	struct rs_text t;
	n->next = newest(n) + 1;
	n->looked_ns = now_ns;
	(void)rs_reader_read(n->children, &t); /* makes its buffer now, not in some later tick */
}

static bool
is_newborn(uint64_t pid, int32_t next, int32_t last)
{
	const bool is_from_next = pid >= (uint64_t)next, is_to_last = pid <= (uint64_t)last;
	if (pid == 0 || pid > RS_PID_LIMIT)
		return false;
	return last < next ? is_from_next || is_to_last : is_from_next && is_to_last;
}

/* The threads of the kernel are the children of kthreadd; not every kernel lists
 * children (CONFIG_PROC_CHILDREN). */
static bool
look_at_children(struct rs_newborn *n, int32_t last, rs_newborn_fn fn, void *arg)
{
	struct rs_text t;
	uint64_t pid;
	if (rs_reader_read(n->children, &t) < 0)
		return false;
	while (rs_text_u64(&t, &pid)) {
		if (is_newborn(pid, n->next, last))
			fn(arg, (int32_t)pid);
	}
	n->next = last + 1;
	return true;
}

/* How many of the list were born since: it ascends. */
static int
count_newborn(const int32_t *pids, int got, int32_t next, int32_t last)
{
	int n = 0;
	while (n < got && is_newborn((uint64_t)pids[n], next, last))
		n++;
	return n;
}

/* False: there are more. */
static bool
look_at_list(struct rs_newborn *n, int32_t last, rs_newborn_fn fn, void *arg)
{
	int32_t pids[BATCH];
	const int got = rs_pids_from(n->pids, n->next, pids, BATCH);
	const int born = count_newborn(pids, got, n->next, last);
	/* Most are processes; to look at a few costs less than to list all threads
	 * of the kernel. */
	if (born > FEW && look_at_children(n, last, fn, arg))
		return true;
	for (int i = 0; i < born; i++)
		fn(arg, pids[i]);
	if (born == BATCH) {
		n->next = pids[BATCH - 1] + 1;
		return false;
	}
	/* Where numbers have begun anew they go on from there. */
	const bool is_complete = born < got || last >= n->next - 1;
	n->next = is_complete ? last + 1 : 1;
	return is_complete;
}

void
rs_newborn_each(struct rs_newborn *n, rs_ns now_ns, rs_newborn_fn fn, void *arg)
{
	if (now_ns - n->looked_ns < PERIOD_NS)
		return;
	const int32_t last = newest(n);
	if (last == 0 || last + 1 == n->next || look_at_list(n, last, fn, arg))
		n->looked_ns = now_ns;
}

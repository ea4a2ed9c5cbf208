/* SPDX-License-Identifier: ISC */
/*
 * All processes are looked at once, later those born since: numbers are given in
 * ascending order, and /proc/loadavg tells the one given last (fs/proc/loadavg.c).
 * A newborn is looked at one look late, for it gets its name only when it begins
 * its program. While irqbalance runs, only its own name is read; after its end
 * all are looked at again, for a restart is no change.
 */
#include "irqbalance.h"

#include <errno.h>
#include <stdlib.h>

#include "num.h"
#include "pids.h"

/* Ticks come late, never early: half a second of slack keeps the pace. */
#define EACH_NS (4 * RS_NS_PER_S - RS_NS_PER_S / 2)

/* Names read in one look, and in the first. */
enum { SOME = 16, MANY = 8192 };

struct rs_irqbalance {
	struct rs_kept *kept; /* borrowed */
	struct rs_pids *pids;
	int32_t loadavg, name; /* files; the name of the one that runs */
	int32_t pid;	       /* it; 0: none */
	int32_t next;	       /* all below were looked at */
	int32_t last;	       /* the number given last, at the look before */
	bool is_all;	       /* not yet all that lived in the beginning */
	bool is_known, is_blind;
	bool has_begun;
	rs_ns looked_ns;
};

int
rs_irqbalance_open(const struct rs_root *root, struct rs_kept *kept, struct rs_irqbalance **ret)
{
	struct rs_irqbalance *const b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->kept = kept;
	b->loadavg = b->name = RS_KEPT_NEW;
	const int error = rs_pids_open(root, &b->pids);
	if (error) {
		free(b);
		return error;
	}
	*ret = b;
	return 0;
}

void
rs_irqbalance_close(struct rs_irqbalance *b)
{
	if (!b)
		return;
	rs_kept_drop(b->kept, &b->loadavg);
	rs_kept_drop(b->kept, &b->name);
	rs_pids_close(b->pids);
	free(b);
}

static bool
has_name(struct rs_irqbalance *b, int32_t *file, int32_t pid, const char *name)
{
	struct rs_text t;
	return rs_kept_read(b->kept, file, &t, "proc/%d/comm", pid) == 0 && rs_text_eq(t, name);
}

/* The number given last, or what it was before. */
static int32_t
newest(struct rs_irqbalance *b)
{
	struct rs_text t, word = {NULL, NULL};
	uint64_t pid;
	if (rs_kept_read(b->kept, &b->loadavg, &t, "proc/loadavg") != 0)
		return b->last;
	for (unsigned i = 0; i < 5; i++) {
		if (!rs_text_word(&t, &word))
			return b->last;
	}
	return rs_num_u64(word, &pid) == 0 && pid < INT32_MAX ? (int32_t)pid : b->last;
}

static bool
is_it(struct rs_irqbalance *b, int32_t pid)
{
	int32_t file = RS_KEPT_NEW;
	if (!has_name(b, &file, pid, "irqbalance")) {
		rs_kept_drop(b->kept, &file);
		return false;
	}
	b->name = file;
	b->pid = pid;
	return true;
}

/* Looks at those from `next` to `last`, or to the end of the list where the
 * numbers have begun anew; at so many. True: it is found, or all were looked at. */
static bool
look_on(struct rs_irqbalance *b, int32_t last, unsigned most)
{
	const bool is_to_end = b->is_all || last < b->next - 1;
	for (unsigned seen = 0; seen < most; seen += SOME) {
		int32_t pids[SOME];
		const int n = rs_pids_from(b->pids, b->next, pids, SOME);
		for (int i = 0; i < n && (is_to_end || pids[i] <= last); i++) {
			if (is_it(b, pids[i]))
				return true;
		}
		if (n == SOME && (is_to_end || pids[SOME - 1] <= last)) {
			b->next = pids[SOME - 1] + 1;
			continue;
		}
		b->next = is_to_end && !b->is_all ? 1 : last + 1;
		b->is_all = false;
		return n >= 0;
	}
	return false;
}

/* The first kernel thread is hidden from those who see only their own processes
 * (hidepid) or live in a namespace of processes. */
static bool
can_see_all(struct rs_irqbalance *b)
{
	int32_t file = RS_KEPT_NEW;
	const bool can = has_name(b, &file, 2, "kthreadd");
	rs_kept_drop(b->kept, &file);
	return can;
}

static void
begin(struct rs_irqbalance *b)
{
	b->is_all = true;
	b->next = 1;
	b->last = newest(b);
	b->is_blind = !can_see_all(b);
	b->is_known = !b->is_blind && look_on(b, b->last, MANY);
}

static void
look(struct rs_irqbalance *b)
{
	if (b->pid) {
		if (has_name(b, &b->name, b->pid, "irqbalance"))
			return;
		rs_kept_drop(b->kept, &b->name);
		b->pid = 0;
		begin(b);
		return;
	}
	if (!b->is_blind && (b->is_all || b->next != b->last + 1))
		b->is_known |= look_on(b, b->last, SOME);
	b->last = newest(b);
}

int
rs_irqbalance_look(struct rs_irqbalance *b, rs_ns now_ns)
{
	const bool is_first = !b->has_begun;
	if (is_first || now_ns - b->looked_ns >= EACH_NS) {
		b->has_begun = true;
		b->looked_ns = now_ns;
		if (is_first)
			begin(b);
		else
			look(b);
	}
	if (b->pid)
		return 1;
	return b->is_known ? 0 : -1;
}

/* SPDX-License-Identifier: ISC */
/*
 * Threads that do packet work, and the busiest threads of processes. /proc is
 * walked a few processes at a time, in rounds: slowly while nothing is hot, fast
 * when some core begins to be. Who was born since the last look is looked at
 * first, so that a new thread of the kernel's shows within seconds. Loop thread.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "busy_seen.h"
#include "collector.h"
#include "newborn.h"
#include "num.h"
#include "pids.h"
#include "task_stat.h"
#include "thread_follow.h"
#include "thread_names.h"

enum { LINE_BYTES = 1024, WORKERS_MAX = 512, TASKS_MAX = 64, BATCH = 32, FIRST_WALK_MAX = 8192 };

/* Processes looked at per second: in rounds while nothing is hot, while some core
 * is, and in the first two rounds of that, since it takes two looks to see what is
 * busy. Workers of the kernel while some core is hot and there are tunnels. */
#define ROUND_PS 0.25
#define ROUND_HOT_PS 6.0
#define ROUND_FIRST_PS 16.0
#define WORKERS_HOT_PS 4.0
#define FIRST_ROUNDS 2u
/* Cool for so long: what comes then is a new heat. */
#define COOL_NS (30 * RS_NS_PER_S)

/* A process is busy from this share of a core. */
#define BUSY_LOAD 0.05
#define KTHREADD 2

struct state {
	const struct rs_root *root;
	struct rs_pids *pids;
	struct rs_follows *follows;
	struct rs_newborn *newborn;
	bool has_walked;
	bool has_kernel;  /* threads of the kernel are to be seen */
	bool has_tunnels; /* workers that encrypt are, or were */
	int refused;	  /* why a process could not be read; 0 */
	int32_t round;	  /* the round goes on from here, when the queue is empty */
	int32_t queue[BATCH];
	unsigned n_queue, next_queued;
	double credit, worker_credit;
	rs_ns now_ns, last_ns, hot_ns;
	unsigned first_rounds; /* still to be made fast */
	int32_t again;	       /* to be looked at again soon; 0: none */
	rs_ns again_ns;
	int32_t workers[WORKERS_MAX];
	size_t n_workers, next_worker;
	struct rs_busy_seen seen;
};

static uint32_t
seen_key(int32_t tid, bool is_thread)
{
	return (uint32_t)tid << 1 | is_thread;
}

/* 0; negative errno. */
static int
read_line(
    const struct state *s, const char *path, char line[static LINE_BYTES], struct rs_task_stat *ret)
{
	const int n = rs_root_read(s->root, path, line, LINE_BYTES);
	return n < 0 ? n : rs_task_stat_parse((struct rs_text){line, line + n}, ret);
}

static void
follow_user(struct state *s, const struct rs_task_stat *stat, int32_t pid, double load)
{
	const struct rs_thread t = {.pid = pid,
	    .class = RS_THREAD_USER,
	    .cpu = -1,
	    .irq = -1,
	    .tid = stat->pid,
	    .threads = stat->threads};
	if (!rs_follows_has(s->follows, stat->pid, stat->start))
		(void)rs_follows_add(s->follows, &t, stat, load, s->now_ns);
}

static void
look_again(struct state *s, int32_t pid)
{
	if (s->again != 0)
		return;
	s->again = pid;
	s->again_ns = s->now_ns;
}

struct task_walk {
	struct state *s;
	int32_t pid;
	unsigned n;
	bool has_unknown;
};

static bool
look_at_task(void *arg, const char *name)
{
	struct task_walk *const w = arg;
	char path[64], line[LINE_BYTES];
	struct rs_task_stat stat;
	uint64_t tid;
	if (rs_num_u64(rs_text_of(name), &tid) < 0 || tid > RS_PID_LIMIT)
		return true;
	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/stat", w->pid, (int)tid);
	if (read_line(w->s, path, line, &stat) < 0)
		return true;
	const double load = rs_busy_since(
	    &w->s->seen, seen_key(stat.pid, true), stat.start, stat.ticks, w->s->now_ns);
	w->has_unknown |= isnan(load);
	if (load >= BUSY_LOAD)
		follow_user(w->s, &stat, w->pid, load);
	return ++w->n < TASKS_MAX;
}

/* Which of its threads are busy takes two looks. */
static void
look_at_tasks(struct state *s, int32_t pid)
{
	char path[32];
	struct task_walk w = {.s = s, .pid = pid};
	(void)snprintf(path, sizeof(path), "proc/%d/task", pid);
	(void)rs_root_list(s->root, path, look_at_task, &w);
	if (w.has_unknown)
		look_again(s, pid);
}

static void
look_at_process(struct state *s, const struct rs_task_stat *stat)
{
	const double load = rs_busy_since(
	    &s->seen, seen_key(stat->pid, false), stat->start, stat->ticks, s->now_ns);
	if (!(load >= BUSY_LOAD))
		return;
	if (stat->threads > 1)
		look_at_tasks(s, stat->pid);
	else
		follow_user(s, stat, stat->pid, load);
}

static void
note_worker(struct state *s, int32_t pid)
{
	size_t i = 0;
	while (i < s->n_workers && s->workers[i] != pid)
		i++;
	if (i == s->n_workers && i < WORKERS_MAX)
		s->workers[s->n_workers++] = pid;
}

static void
look_at_kernel_thread(struct state *s, const struct rs_task_stat *stat)
{
	struct rs_thread t = {.pid = stat->pid, .tid = stat->pid};
	/* Born a moment ago, it still has its parent's name (kernel/kthread.c). */
	if (stat->pid != KTHREADD && rs_text_eq(stat->comm, "kthreadd"))
		look_again(s, stat->pid);
	if (rs_thread_is_worker(stat->comm))
		note_worker(s, stat->pid);
	if (!rs_thread_classify(stat->comm, &t))
		return;
	s->has_tunnels |= t.class == RS_THREAD_VPN;
	if (!rs_follows_has(s->follows, stat->pid, stat->start))
		(void)rs_follows_add(s->follows, &t, stat, (double)NAN, s->now_ns);
}

/* False: there is no such worker any more. */
static bool
look_at(struct state *s, int32_t pid)
{
	char path[32], line[LINE_BYTES];
	struct rs_task_stat stat;
	(void)snprintf(path, sizeof(path), "proc/%d/stat", pid);
	const int error = read_line(s, path, line, &stat);
	if (error == -EACCES || error == -EPERM)
		s->refused = error;
	if (error < 0)
		return false;
	s->has_kernel |= stat.is_kernel;
	if (stat.is_kernel)
		look_at_kernel_thread(s, &stat);
	else
		look_at_process(s, &stat);
	return stat.is_kernel && rs_thread_is_worker(stat.comm);
}

static void
walk(struct state *s)
{
	int32_t pids[BATCH], at = 1;
	for (unsigned n = 0; n < FIRST_WALK_MAX; n += BATCH) {
		const int got = rs_pids_from(s->pids, at, pids, BATCH);
		if (got <= 0)
			return;
		for (int i = 0; i < got; i++)
			(void)look_at(s, pids[i]);
		at = pids[got - 1] + 1;
	}
}

/* A listing names many for the price of one. */
static bool
fill_queue(struct state *s)
{
	const int got = rs_pids_from(s->pids, s->round, s->queue, BATCH);
	s->n_queue = got > 0 ? (unsigned)got : 0;
	s->next_queued = 0;
	s->round = got > 0 ? s->queue[got - 1] + 1 : 1;
	if (got <= 0 && s->first_rounds > 0)
		s->first_rounds--;
	return got > 0;
}

static void
walk_round(struct state *s, unsigned n)
{
	for (; n > 0; n--) {
		if (s->next_queued == s->n_queue && !fill_queue(s))
			return;
		(void)look_at(s, s->queue[s->next_queued++]);
	}
}

static void
look_at_newborn(void *arg, int32_t pid)
{
	struct state *const s = arg;
	(void)look_at(s, pid);
}

static void
walk_workers(struct state *s, size_t n)
{
	for (n = RS_MIN(n, s->n_workers); n > 0; n--) {
		if (s->next_worker >= s->n_workers)
			s->next_worker = 0;
		if (look_at(s, s->workers[s->next_worker]))
			s->next_worker++;
		else
			s->workers[s->next_worker] = s->workers[--s->n_workers];
	}
}

/* Whole looks that are due at so many per second, at most a batch. */
static unsigned
take_credit(double *credit, double per_second, double seconds)
{
	*credit = fmin(*credit + per_second * seconds, BATCH);
	const unsigned n = (unsigned)*credit;
	*credit -= n;
	return n;
}

static void
walk_more(struct state *s, bool is_hot)
{
	const rs_ns now = s->now_ns;
	const double seconds = (double)(now - s->last_ns) / (double)RS_NS_PER_S;
	if (is_hot && (s->hot_ns == 0 || now - s->hot_ns > COOL_NS))
		s->first_rounds = FIRST_ROUNDS;
	if (is_hot)
		s->hot_ns = now;
	const double hot_ps = s->first_rounds > 0 ? ROUND_FIRST_PS : ROUND_HOT_PS;
	walk_round(s, take_credit(&s->credit, is_hot ? hot_ps : ROUND_PS, seconds));
	if (is_hot && s->has_tunnels)
		walk_workers(s, take_credit(&s->worker_credit, WORKERS_HOT_PS, seconds));
	if (s->again != 0 && now - s->again_ns >= RS_NS_PER_S / 2) {
		const int32_t pid = s->again;
		s->again = 0;
		(void)look_at(s, pid);
	}
	rs_newborn_each(s->newborn, s->now_ns, look_at_newborn, s);
}

/* Everybody, at the first time; in a captured tree each time. */
static int
walk_all(struct state *s)
{
	s->refused = 0;
	s->has_kernel = false;
	rs_newborn_begin(s->newborn, s->now_ns);
	walk(s);
	/* Where processes are hidden (hidepid) or a container has its own, those of
	 * the kernel are not to be seen: then nothing is known of them. */
	if (!s->has_kernel)
		return s->refused ? s->refused : -ENOENT;
	s->has_walked = true;
	return 0;
}

static void
close_threads(void *state)
{
	struct state *const s = state;
	rs_follows_free(s->follows);
	rs_pids_close(s->pids);
	rs_newborn_close(s->newborn);
	free(s);
}

static int
open_threads(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	int error = rs_pids_open(root, &s->pids);
	if (!error)
		error = rs_newborn_open(root, s->pids, &s->newborn);
	if (!error)
		error = rs_follows_new(root, &s->follows);
	if (error) {
		close_threads(s);
		return error;
	}
	*ret_state = s;
	return 0;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	const bool is_live = rs_root_is_live(s->root);
	s->now_ns = f->at_ns;
	if (!s->has_walked || !is_live) {
		const int error = walk_all(s);
		if (error)
			return error;
	} else {
		walk_more(s, f->is_hot);
	}
	s->last_ns = f->at_ns;
	rs_follows_read(s->follows, f->is_hot || !is_live, f);
	return 0;
}

static const char *const paths[] = {"proc/*/stat", "proc/*/schedstat", "proc/*/task/*/stat",
    "proc/*/task/*/schedstat", "proc/loadavg", "proc/2/task/2/children", NULL};

RS_COLLECTOR(proc_threads) = {
    .id = "threads",
    .summary = "threads that do packet work, busy threads of processes",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_threads,
    .collect = collect,
    .close = close_threads,
};

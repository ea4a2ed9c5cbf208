/* SPDX-License-Identifier: ISC */
/*
 * A thread that took time is read each tick, one that did not every few seconds:
 * as long as no core is busy it cannot matter. Its time on a core is schedstat's,
 * in ns, where the kernel has that, else in ticks of 10 ms.
 */
#include "thread_follow.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kept.h"
#include "thread_names.h"

enum { FOLLOWS_MAX = 256, FILES_KEPT = 384 };

#define NS_PER_TICK (RS_NS_PER_S / 100)
#define IDLE_NS (5 * RS_NS_PER_S)
/* Of processes: below this share of a core for so long it is let go. */
#define USER_QUIET_LOAD 0.02
#define USER_QUIET_NS (60 * RS_NS_PER_S)
#define MOVED_LOAD 0.001

static const unsigned class_max[] = {
    [RS_THREAD_NAPI] = 192,
    [RS_THREAD_IRQ] = 96,
    [RS_THREAD_VPN] = 128,
    [RS_THREAD_KSOFTIRQD] = 64,
    [RS_THREAD_USER] = 8,
};

struct follow {
	struct rs_thread t; /* as told; at_ns of the last reading */
	int32_t stat_file, time_file;
	bool is_of_process; /* below task/: one thread of several */
	bool is_bound;	    /* its name tells the core */
	bool has_runtime;   /* schedstat tells its time */
	double load;	    /* between the last two readings; NAN */
	rs_ns busy_ns;	    /* when it was not quiet */
};

struct rs_follows {
	struct rs_kept *kept;
	bool is_live;
	size_t n;
	struct follow all[FOLLOWS_MAX];
};

int
rs_follows_new(const struct rs_root *root, struct rs_follows **ret)
{
	struct rs_follows *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->is_live = rs_root_is_live(root);
	const int error = rs_kept_open(root, FILES_KEPT, &s->kept);
	if (error) {
		free(s);
		return error;
	}
	*ret = s;
	return 0;
}

static void
drop(struct rs_follows *s, size_t i)
{
	rs_kept_drop(s->kept, &s->all[i].stat_file);
	rs_kept_drop(s->kept, &s->all[i].time_file);
	s->all[i] = s->all[--s->n];
}

void
rs_follows_free(struct rs_follows *s)
{
	if (!s)
		return;
	while (s->n > 0)
		drop(s, s->n - 1);
	rs_kept_close(s->kept);
	free(s);
}

bool
rs_follows_has(const struct rs_follows *s, int32_t tid, uint64_t start)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->all[i].t.tid == tid && s->all[i].t.start == start)
			return true;
	}
	return false;
}

static int
read_file(struct rs_follows *s, const struct follow *f, int32_t *file, const char *name,
    struct rs_text *ret)
{
	if (f->is_of_process)
		return rs_kept_read(
		    s->kept, file, ret, "proc/%d/task/%d/%s", f->t.pid, f->t.tid, name);
	return rs_kept_read(s->kept, file, ret, "proc/%d/%s", f->t.tid, name);
}

/* False: it is not what it was. */
static bool
read_stat(struct rs_follows *s, struct follow *f, struct rs_thread *t)
{
	struct rs_text text;
	struct rs_task_stat stat;
	if (read_file(s, f, &f->stat_file, "stat", &text) < 0 ||
	    rs_task_stat_parse(text, &stat) < 0 || stat.start != t->start)
		return false;
	if (t->class == RS_THREAD_VPN) {
		struct rs_thread now = *t;
		/* A worker may have gone over to other work. */
		if (!rs_thread_classify(stat.comm, &now) || now.class != RS_THREAD_VPN)
			return false;
	}
	(void)rs_text_copy(stat.comm, t->name, sizeof(t->name));
	rs_text_defuse(t->name);
	if (!f->is_bound)
		t->cpu = (int32_t)stat.cpu;
	if (!f->has_runtime)
		t->runtime_ns = stat.ticks * (uint64_t)NS_PER_TICK;
	return true;
}

static bool
read_runtime(struct rs_follows *s, struct follow *f, struct rs_thread *t)
{
	struct rs_text text;
	return read_file(s, f, &f->time_file, "schedstat", &text) == 0 &&
	       rs_task_runtime_parse(text, &t->runtime_ns);
}

static void
note(struct follow *f, const struct rs_thread *t)
{
	const rs_ns dt = t->at_ns - f->t.at_ns;
	if (dt > 0 && t->runtime_ns >= f->t.runtime_ns)
		f->load = (double)(t->runtime_ns - f->t.runtime_ns) / (double)dt;
	if (!(f->load < USER_QUIET_LOAD))
		f->busy_ns = t->at_ns;
	f->t = *t;
}

/* False: gone, or not to be followed any longer. */
static bool
read_follow(struct rs_follows *s, struct follow *f, rs_ns now_ns)
{
	struct rs_thread t = f->t;
	t.at_ns = now_ns;
	if (f->has_runtime && !read_runtime(s, f, &t))
		return false;
	/* One that did not run is where it was and does what it did. In a captured
	 * tree only its line tells that it is still the same. */
	const bool has_run = !f->has_runtime || t.runtime_ns != f->t.runtime_ns;
	const bool needs_line = has_run && !(f->is_bound && f->has_runtime);
	if ((needs_line || !s->is_live) && !read_stat(s, f, &t))
		return false;
	note(f, &t);
	return t.class != RS_THREAD_USER || now_ns - f->busy_ns < USER_QUIET_NS;
}

/* The least busy followed thread of a process. */
static struct follow *
least_busy_user(struct rs_follows *s)
{
	struct follow *least = NULL;
	for (size_t i = 0; i < s->n; i++) {
		struct follow *const f = &s->all[i];
		if (f->t.class == RS_THREAD_USER && (!least || f->load < least->load))
			least = f;
	}
	return least;
}

static bool
make_room(struct rs_follows *s, enum rs_thread_class class, double load)
{
	unsigned n = 0;
	for (size_t i = 0; i < s->n; i++)
		n += s->all[i].t.class == class;
	if (n < class_max[class])
		return s->n < FOLLOWS_MAX;
	if (class != RS_THREAD_USER)
		return false;
	const struct follow *const least = least_busy_user(s);
	/* Half as much again: two of a kind do not take turns. */
	const bool is_busier = least && least->load * 1.5 < load;
	if (is_busier)
		drop(s, (size_t)(least - s->all));
	return is_busier;
}

bool
rs_follows_add(struct rs_follows *s, const struct rs_thread *t, const struct rs_task_stat *stat,
    double load, rs_ns now_ns)
{
	if (!make_room(s, t->class, load))
		return false;
	struct follow *const f = &s->all[s->n];
	*f = (struct follow){
	    .t = *t,
	    .stat_file = RS_KEPT_NEW,
	    .time_file = RS_KEPT_NEW,
	    .is_of_process = t->class == RS_THREAD_USER && stat->threads > 1,
	    .is_bound = t->cpu >= 0,
	    .load = load,
	    .busy_ns = now_ns,
	};
	f->t.tid = stat->pid;
	f->t.start = stat->start;
	f->t.at_ns = now_ns;
	f->has_runtime = read_runtime(s, f, &f->t);
	if (!f->has_runtime)
		rs_kept_drop(s->kept, &f->time_file);
	s->n++;
	if (!read_stat(s, f, &f->t)) {
		drop(s, s->n - 1);
		return false;
	}
	if (f->is_bound && f->has_runtime)
		rs_kept_drop(s->kept, &f->stat_file);
	return true;
}

static bool
is_due(const struct follow *f, rs_ns now_ns)
{
	const bool is_counted = f->t.class != RS_THREAD_USER && f->t.class != RS_THREAD_KSOFTIRQD;
	/* NAN, until it was read twice, is more than nothing. */
	if (is_counted && !(f->load < MOVED_LOAD))
		return true;
	return now_ns - f->t.at_ns >= IDLE_NS;
}

void
rs_follows_read(struct rs_follows *s, bool is_all, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n;) {
		struct follow *const x = &s->all[i];
		const bool is_asked = x->t.at_ns != f->at_ns && (is_all || is_due(x, f->at_ns));
		if (is_asked && !read_follow(s, x, f->at_ns)) {
			drop(s, i);
			continue;
		}
		struct rs_thread *const told = rs_frame_thread(f);
		if (told)
			*told = x->t;
		i++;
	}
	f->has_threads = true;
}

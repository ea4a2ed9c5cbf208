/* SPDX-License-Identifier: ISC */
/*
 * Threads that do packet work: captured trees that change between two samples,
 * the machine itself, and machines that hide their processes.
 */
#define _GNU_SOURCE /* unshare() */
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "collector.h"
#include "faketree.h"
#include "linux/newborn.h"
#include "pids.h"
#include "rs_check.h"

#define S RS_NS_PER_S
#define KERNEL 2129984u /* flags of a thread of the kernel */
#define USER 4194304u

static struct rs_faketree tree;
static struct rs_root *root;
static struct rs_frame *frame;
static const struct rs_collector *collector;
static void *state;
static rs_ns now;

static void
setup(void)
{
	rs_faketree_make(&tree);
	ck_assert_int_eq(rs_frame_new(1000, &frame), 0);
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, "threads") == 0)
			collector = *c;
	}
	ck_assert_ptr_nonnull(collector);
	now = 1000 * S;
}

static void
teardown(void)
{
	if (state)
		collector->close(state);
	state = NULL;
	rs_root_close(root);
	root = NULL;
	rs_frame_free(frame);
	rs_faketree_remove(&tree, NULL);
}

static void
open_threads(const char *at)
{
	ck_assert_int_eq(rs_root_open(at, &root), 0);
	ck_assert_int_eq(collector->open(root, &state), 0);
}

static int
collect(bool is_hot)
{
	rs_frame_reset(frame, now);
	frame->is_hot = is_hot;
	const int rc = collector->collect(state, frame);
	now += S;
	return rc;
}

struct task {
	int pid, tid; /* tid 0: the process */
	const char *comm;
	unsigned flags, threads, cpu;
	unsigned long ticks, start;
	const char *schedstat; /* NULL: none */
};

static void
put(const struct task *t)
{
	char where[64], line[512];
	if (t->tid)
		(void)snprintf(where, sizeof(where), "proc/%d/task/%d", t->pid, t->tid);
	else
		(void)snprintf(where, sizeof(where), "proc/%d", t->pid);
	(void)snprintf(line, sizeof(line),
	    "%d (%s) S 2 0 0 0 -1 %u 0 0 0 0 0 %lu 0 0 20 0 %u 0 %lu 0 0 18446744073709551615 0 0 "
	    "0 0 0 0 0 2147483647 0 1 0 0 17 %u 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
	    t->tid ? t->tid : t->pid, t->comm, t->flags, t->ticks, t->threads, t->start, t->cpu);
	rs_faketree_put(&tree, line, "%s/stat", where);
	if (t->schedstat)
		rs_faketree_put(&tree, t->schedstat, "%s/schedstat", where);
}

static void
take_away(int pid)
{
	char path[32];
	(void)snprintf(path, sizeof(path), "proc/%d", pid);
	rs_faketree_remove(&tree, path);
}

static const struct rs_thread *
thread(int tid)
{
	for (size_t i = 0; i < frame->n_threads; i++) {
		if (frame->threads[i].tid == tid)
			return &frame->threads[i];
	}
	return NULL;
}

static const struct task tasks[] = {
    {1, 0, "init", USER, 1, 0, 500, 1, "5000000000 1 1\n"},
    {2, 0, "kthreadd", KERNEL, 1, 0, 0, 2, "1000 1 1\n"},
    {14, 0, "ksoftirqd/0", KERNEL, 1, 0, 158, 3, "1583221664 19868395673 57756\n"},
    {40, 0, "napi/eth0-8193", KERNEL, 1, 3, 10, 40, "100000000 5 5\n"},
    {41, 0, "napi/enp129s0f0np0-8197", KERNEL, 1, 2, 300, 41, NULL},
    {42, 0, "napi/eth0-8194", KERNEL, 1, 1, 20, 42, "0 0 0\n"},
    {43, 0, "irq/31-eth0-rx-0", KERNEL, 1, 1, 7, 43, "70000000 5 5\n"},
    {44, 0, "kworker/1:0+wg-crypt-wg0", KERNEL, 1, 1, 50, 44, "500000000 1 1\n"},
    {45, 0, "kworker/1:1-events", KERNEL, 1, 1, 50, 45, "500000000 1 1\n"},
    {46, 0, "rcu_preempt", KERNEL, 1, 1, 50, 46, "500000000 1 1\n"},
    /* A process may call itself anything. */
    {60, 0, "napi/eth0-8195", USER, 1, 1, 50, 60, "500000000 1 1\n"},
};

static void
put_all(void)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(tasks); i++)
		put(&tasks[i]);
	rs_faketree_put(&tree, "0.37 0.22 0.17 3/103 60\n", "proc/loadavg");
	rs_faketree_put(&tree, "x", "proc/version");
}

static void
put_changed(size_t i, unsigned cpu, unsigned long ticks, const char *schedstat)
{
	struct task t = tasks[i];
	t.cpu = cpu;
	t.ticks = ticks;
	t.schedstat = schedstat;
	put(&t);
}

START_TEST(threads_of_the_kernel_are_told_by_class)
{
	put_all();
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	ck_assert(frame->has_threads);
	ck_assert_uint_eq(frame->n_threads, 6);
	const struct rs_thread *t = thread(40);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->class, RS_THREAD_NAPI);
	ck_assert_str_eq(t->name, "napi/eth0-8193");
	ck_assert_int_eq(t->cpu, 3);
	ck_assert_uint_eq(t->napi_id, 8193);
	ck_assert_uint_eq(t->start, 40);
	ck_assert_int_eq(t->irq, -1);
	ck_assert_uint_eq(t->runtime_ns, 100000000);
	ck_assert_int_eq(t->at_ns, 1000 * S);
	/* Where the kernel keeps no exact time, that of 10 ms. */
	ck_assert_uint_eq(thread(41)->runtime_ns, 3 * (uint64_t)S);
	ck_assert_uint_eq(thread(42)->runtime_ns, 200000000);
	ck_assert_int_eq(thread(43)->class, RS_THREAD_IRQ);
	ck_assert_int_eq(thread(43)->irq, 31);
	ck_assert_int_eq(thread(44)->class, RS_THREAD_VPN);
	ck_assert_int_eq(thread(14)->class, RS_THREAD_KSOFTIRQD);
	ck_assert_int_eq(thread(14)->cpu, 0);
}
END_TEST

START_TEST(threads_move_take_time_come_and_go)
{
	put_all();
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	put_changed(3, 1, 95, "950000000 5 5\n");
	put_changed(4, 2, 385, NULL);
	take_away(43);
	put(&(struct task){44, 0, "kworker/1:0-events", KERNEL, 1, 1, 90, 44, "900000000 1 1\n"});
	put(&(struct task){45, 0, "kworker/1:1+wg-crypt-wg0", KERNEL, 1, 1, 90, 45, NULL});
	/* The number is another thread's now. */
	put(&(struct task){42, 0, "napi/eth1-300", KERNEL, 1, 0, 1, 4200, "10000000 5 5\n"});
	ck_assert_int_eq(collect(false), 0);
	ck_assert_int_eq(thread(40)->cpu, 1);
	ck_assert_uint_eq(thread(40)->runtime_ns, 950000000);
	ck_assert_int_eq(thread(40)->at_ns, 1001 * S);
	ck_assert_uint_eq(thread(41)->runtime_ns, 3850000000);
	ck_assert_str_eq(thread(42)->name, "napi/eth1-300");
	ck_assert_uint_eq(thread(42)->start, 4200);
	ck_assert_ptr_null(thread(43));
	ck_assert_ptr_null(thread(44)); /* it does other work now */
	ck_assert_int_eq(thread(45)->class, RS_THREAD_VPN);
	ck_assert_uint_eq(frame->n_threads, 5);
}
END_TEST

START_TEST(threads_of_damaged_lines_are_left_out)
{
	put_all();
	rs_faketree_put(&tree, "40 (napi/eth0-8193) S 2 0 0", "proc/40/stat");
	rs_faketree_put(&tree, "", "proc/41/stat");
	rs_faketree_put(&tree, "42 (napi/eth0-8194", "proc/42/stat");
	put(&(struct task){43, 0, "irq/31-\n) (\033[2J", KERNEL, 1, 1, 7, 43, "x"});
	rs_faketree_put(&tree, "1 (x)", "proc/99999999999999999999/stat");
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_ptr_null(thread(40));
	ck_assert_ptr_null(thread(41));
	ck_assert_ptr_null(thread(42));
	/* Nothing of a name ends on a terminal. */
	ck_assert_str_eq(thread(43)->name, "irq/31-?) (?[2J");
	ck_assert_uint_eq(thread(43)->runtime_ns, 70000000);
	/* What a moment ago could be read cannot now. */
	rs_faketree_put(&tree, "", "proc/14/stat");
	ck_assert_int_eq(collect(false), 0);
	ck_assert_ptr_null(thread(14));
}
END_TEST

START_TEST(threads_are_not_known_where_none_of_the_kernels_is_seen)
{
	open_threads(tree.dir);
	ck_assert_int_lt(collect(false), 0); /* no /proc at all */
	ck_assert(!frame->has_threads);
	put(&tasks[0]);
	put(&tasks[RS_ARRAY_LEN(tasks) - 1]);
	ck_assert_int_eq(collect(false), -ENOENT);
	ck_assert(!frame->has_threads);
	put_all();
	ck_assert_int_eq(collect(false), 0);
	ck_assert_uint_eq(frame->n_threads, 6);
}
END_TEST

static void
put_process(int pid, const char *comm, unsigned long ticks)
{
	put(&(struct task){pid, 0, comm, USER, 1, 1, ticks, (unsigned long)pid, NULL});
}

START_TEST(processes_are_followed_while_they_are_busy)
{
	put_all();
	put_process(70, "openvpn", 1000);
	put_process(71, "idle", 1000);
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_ptr_null(thread(70));
	put_process(70, "openvpn", 1060);
	put_process(71, "idle", 1004);
	ck_assert_int_eq(collect(false), 0);
	const struct rs_thread *const t = thread(70);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->class, RS_THREAD_USER);
	ck_assert_int_eq(t->pid, 70);
	ck_assert_uint_eq(t->threads, 1);
	ck_assert_int_eq(t->cpu, 1);
	ck_assert_str_eq(t->name, "openvpn");
	ck_assert_uint_eq(t->runtime_ns, 10600000000);
	ck_assert_ptr_null(thread(71));
	/* Quiet, it is let go after a minute. */
	for (unsigned i = 0; i < 59; i++)
		ck_assert_int_eq(collect(false), 0);
	ck_assert_ptr_nonnull(thread(70));
	ck_assert_int_eq(collect(false), 0);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_ptr_null(thread(70));
}
END_TEST

START_TEST(processes_with_threads_show_the_busy_ones)
{
	static const unsigned long main_ticks[] = {100, 101, 102, 103},
				   busy_ticks[] = {100, 170, 240, 310};
	put_all();
	open_threads(tree.dir);
	for (unsigned i = 0; i < RS_ARRAY_LEN(busy_ticks); i++) {
		const unsigned long sum = main_ticks[i] + busy_ticks[i];
		put(&(struct task){80, 0, "router", USER, 2, 0, sum, 80, NULL});
		put(&(struct task){80, 80, "router", USER, 2, 0, main_ticks[i], 80, NULL});
		put(&(struct task){80, 81, "worker", USER, 2, 3, busy_ticks[i], 81, NULL});
		rs_faketree_put(&tree, "x", "proc/80/task/hm");
		ck_assert_int_eq(collect(false), 0);
	}
	const struct rs_thread *const t = thread(81);
	ck_assert_ptr_nonnull(t);
	ck_assert_int_eq(t->pid, 80);
	ck_assert_int_eq(t->class, RS_THREAD_USER);
	ck_assert_str_eq(t->name, "worker");
	ck_assert_uint_eq(t->threads, 2);
	ck_assert_int_eq(t->cpu, 3);
	ck_assert_uint_eq(t->runtime_ns, 3100000000);
	ck_assert_ptr_null(thread(80));
}
END_TEST

START_TEST(processes_are_followed_up_to_eight_the_busiest)
{
	put_all();
	for (int i = 0; i < 8; i++)
		put_process(100 + i, "some", 0);
	put_process(108, "busier", 0);
	put_process(109, "alike", 0);
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	for (int i = 0; i < 8; i++)
		put_process(100 + i, "some", i == 5 ? 10 : 20);
	put_process(108, "busier", 60);
	put_process(109, "alike", 21);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_uint_eq(frame->n_threads, 6 + 8);
	ck_assert_ptr_nonnull(thread(108));
	ck_assert_ptr_null(thread(105)); /* the least busy gave way */
	ck_assert_ptr_null(thread(109)); /* two of a kind do not take turns */
}
END_TEST

START_TEST(threads_beyond_the_room_are_not_followed)
{
	char name[32];
	put_all();
	for (int i = 0; i < 300; i++) {
		(void)snprintf(name, sizeof(name), "napi/e%d-%d", i, 1000 + i);
		put(&(struct task){1000 + i, 0, name, KERNEL, 1, 0, 1, 1, NULL});
		(void)snprintf(name, sizeof(name), "ksoftirqd/%d", i);
		put(&(struct task){2000 + i, 0, name, KERNEL, 1, 0, 1, 1, NULL});
	}
	open_threads(tree.dir);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_int_eq(collect(false), 0);
	ck_assert_uint_le(frame->n_threads, 256);
	ck_assert_uint_ge(frame->n_threads, 192);
	ck_assert_ptr_nonnull(thread(1000));
}
END_TEST

/* --- the machine itself --- */

START_TEST(pids_are_listed_ascending_from_anywhere)
{
	struct rs_pids *p;
	int32_t pids[3], last = 0;
	unsigned n_all = 0;
	bool has_me = false;
	ck_assert_int_eq(rs_root_open("/", &root), 0);
	ck_assert_int_eq(rs_pids_open(root, &p), 0);
	for (int n; (n = rs_pids_from(p, last + 1, pids, RS_ARRAY_LEN(pids))) > 0;) {
		for (int i = 0; i < n; i++) {
			ck_assert_int_gt(pids[i], last);
			last = pids[i];
			has_me |= last == getpid();
			n_all++;
		}
	}
	ck_assert(has_me);
	ck_assert_uint_gt(n_all, 1);
	ck_assert_int_ge(rs_pids_from(p, getpid(), pids, 1), 1);
	ck_assert_int_eq(pids[0], getpid());
	ck_assert_int_eq(rs_pids_from(p, 1 << 22, pids, 1), 0);
	rs_pids_close(p);
}
END_TEST

START_TEST(pids_of_a_captured_tree_are_listed_the_same)
{
	struct rs_pids *p;
	int32_t pids[4];
	put_all();
	ck_assert_int_eq(rs_root_open(tree.dir, &root), 0);
	ck_assert_int_eq(rs_pids_open(root, &p), 0);
	ck_assert_int_eq(rs_pids_from(p, 3, pids, 4), 4);
	static const int32_t want[] = {14, 40, 41, 42};
	ck_assert_mem_eq(pids, want, sizeof(want));
	ck_assert_int_eq(rs_pids_from(p, 46, pids, 4), 2);
	ck_assert_int_eq(pids[1], 60);
	ck_assert_int_eq(rs_pids_from(p, 61, pids, 4), 0);
	rs_pids_close(p);
}
END_TEST

/* --- who was born --- */

static char born[256];

static void
note_born(void *arg, int32_t pid)
{
	(void)arg;
	const size_t len = strlen(born);
	(void)snprintf(born + len, sizeof(born) - len, "%s%d", len ? " " : "", pid);
}

static const char *
born_at(struct rs_newborn *n, rs_ns at)
{
	born[0] = '\0';
	rs_newborn_each(n, at, note_born, NULL);
	return born;
}

static void
put_loadavg(unsigned last)
{
	char text[64];
	(void)snprintf(text, sizeof(text), "0.37 0.22 0.17 3/103 %u\n", last);
	rs_faketree_put(&tree, text, "proc/loadavg");
}

static void
open_newborn(struct rs_pids **p, struct rs_newborn **n)
{
	ck_assert_int_eq(rs_root_open(tree.dir, &root), 0);
	ck_assert_int_eq(rs_pids_open(root, p), 0);
	ck_assert_int_eq(rs_newborn_open(root, *p, n), 0);
	rs_newborn_begin(*n, 100 * S);
}

START_TEST(newborn_of_many_are_only_the_kernels_children)
{
	struct rs_pids *p;
	struct rs_newborn *n;
	put_loadavg(60);
	rs_faketree_put(&tree, "3 4 60", "proc/2/task/2/children");
	open_newborn(&p, &n);
	put_loadavg(75);
	static const int lives[] = {3, 4, 60, 61, 62, 63, 70, 75};
	for (size_t i = 0; i < RS_ARRAY_LEN(lives); i++)
		rs_faketree_put(&tree, "x", "proc/%d/stat", lives[i]);
	rs_faketree_put(&tree, "3 4 60 61 70 75 ", "proc/2/task/2/children");
	ck_assert_str_eq(born_at(n, 102 * S), ""); /* not each tick */
	ck_assert_str_eq(born_at(n, 103 * S), "61 70 75");
	ck_assert_str_eq(born_at(n, 106 * S), "");
	/* Numbers began anew, and some of them are old ones'. */
	put_loadavg(5);
	static const int later[] = {5, 80, 81, 32767};
	for (size_t i = 0; i < RS_ARRAY_LEN(later); i++)
		rs_faketree_put(&tree, "x", "proc/%d/stat", later[i]);
	rs_faketree_put(
	    &tree, "3 4 60 61 70 75 32767 5 18446744073709551616", "proc/2/task/2/children");
	ck_assert_str_eq(born_at(n, 109 * S), "3 4 32767 5");
	/* A few are looked at whatever they are. */
	put_loadavg(9);
	rs_faketree_put(&tree, "x", "proc/7/stat");
	rs_faketree_put(&tree, "x", "proc/9/stat");
	ck_assert_str_eq(born_at(n, 112 * S), "7 9");
	/* What cannot be read makes nobody be born. */
	rs_faketree_put(&tree, "0.37 0.22", "proc/loadavg");
	ck_assert_str_eq(born_at(n, 115 * S), "");
	put_loadavg(4194305);
	ck_assert_str_eq(born_at(n, 118 * S), "");
	rs_newborn_close(n);
	rs_pids_close(p);
}
END_TEST

START_TEST(newborn_are_found_among_all_where_children_are_not_listed)
{
	struct rs_pids *p;
	struct rs_newborn *n;
	put_loadavg(60);
	rs_faketree_put(&tree, "x", "proc/60/stat");
	open_newborn(&p, &n);
	put_loadavg(100);
	for (int pid = 61; pid < 80; pid++)
		rs_faketree_put(&tree, "x", "proc/%d/stat", pid);
	rs_faketree_put(&tree, "x", "proc/101/stat"); /* too young: next time */
	ck_assert_str_eq(born_at(n, 103 * S), "61 62 63 64 65 66 67 68 69 70 71 72 73 74 75 76");
	ck_assert_str_eq(born_at(n, 104 * S), "77 78 79"); /* the others at once */
	ck_assert_str_eq(born_at(n, 105 * S), "");
	put_loadavg(61);
	ck_assert_str_eq(born_at(n, 107 * S), "101");
	ck_assert_str_eq(born_at(n, 108 * S), "60 61"); /* begun anew */
	ck_assert_str_eq(born_at(n, 111 * S), "");
	rs_newborn_close(n);
	rs_pids_close(p);
}
END_TEST

static bool
sees_kernel_threads(void)
{
	char text[16] = "";
	struct rs_root *r;
	ck_assert_int_eq(rs_root_open("/", &r), 0);
	(void)rs_root_read(r, "proc/2/comm", text, sizeof(text));
	rs_root_close(r);
	return strcmp(text, "kthreadd") == 0;
}

static atomic_bool is_over;

static void *
burn(void *arg)
{
	while (!is_over)
		;
	return arg;
}

/* Until this process has used so much more CPU time. */
static void
wait_for_cpu_time(rs_ns more)
{
	struct timespec t;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	const rs_ns until = (rs_ns)t.tv_sec * S + t.tv_nsec + more;
	do {
		(void)nanosleep(&(struct timespec){0, 1000000}, NULL);
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	} while ((rs_ns)t.tv_sec * S + t.tv_nsec < until);
}

/* The clock of the collector is ours: each of its seconds is 100 ms of the burning
 * thread. */
START_TEST(live_threads_are_found_and_a_busy_one_followed)
{
	pthread_t burner;
	const struct rs_thread *found = NULL;
	uint64_t before = 0;
	if (!sees_kernel_threads()) {
		(void)fprintf(stderr, "SKIP: no threads of the kernel to be seen here\n");
		return;
	}
	ck_assert_int_eq(pthread_create(&burner, NULL, burn, NULL), 0);
	open_threads("/");
	bool has_ksoftirqd = false;
	for (unsigned i = 0; i < 100 && !found; i++) {
		ck_assert_int_eq(collect(true), 0);
		wait_for_cpu_time(S / 10);
		for (size_t k = 0; k < frame->n_threads; k++) {
			const struct rs_thread *const t = &frame->threads[k];
			has_ksoftirqd |= t->class == RS_THREAD_KSOFTIRQD && t->cpu == 0;
			if (t->pid != getpid())
				continue;
			ck_assert_int_eq(t->class, RS_THREAD_USER);
			ck_assert_int_ne(t->tid, getpid());
			if (before && t->runtime_ns > before)
				found = t;
			before = t->runtime_ns;
		}
	}
	is_over = true;
	ck_assert_int_eq(pthread_join(burner, NULL), 0);
	ck_assert(has_ksoftirqd);
	ck_assert_ptr_nonnull(found);
	/* Ended, it is gone with the next reading. */
	const int32_t tid = found->tid;
	ck_assert_int_eq(collect(true), 0);
	ck_assert_ptr_null(thread(tid));
}
END_TEST

/* Runs fn in a child in its own mount and process namespaces. */
static int
run_apart(int flags, int (*fn)(void))
{
	const pid_t outer = fork();
	if (outer == 0) {
		if (unshare(flags) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
			_exit(RS_CHECK_SKIP);
		const pid_t inner = fork();
		if (inner == 0)
			_exit(fn());
		int status = 0;
		(void)waitpid(inner, &status, 0);
		_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
	}
	int status = 0;
	(void)waitpid(outer, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

static int
hidden_from_nobody(void)
{
	if (mount("proc", "/proc", "proc", 0, "hidepid=2") < 0 || setgid(65534) < 0 ||
	    setuid(65534) < 0)
		return RS_CHECK_SKIP;
	open_threads("/");
	return collect(false) == -ENOENT && !frame->has_threads ? 0 : 1;
}

static int
unreadable_for_nobody(void)
{
	if (mount("proc", "/proc", "proc", 0, "hidepid=1") < 0 || setgid(65534) < 0 ||
	    setuid(65534) < 0)
		return RS_CHECK_SKIP;
	open_threads("/");
	return collect(false) == -EPERM && !frame->has_threads ? 0 : 1;
}

static int
in_a_container(void)
{
	if (mount("proc", "/proc", "proc", 0, NULL) < 0)
		return RS_CHECK_SKIP;
	open_threads("/");
	return collect(false) == -ENOENT && !frame->has_threads ? 0 : 1;
}

static const struct {
	const char *what;
	int flags;
	int (*fn)(void);
} hidings[] = {
    {"hidepid=2", CLONE_NEWNS, hidden_from_nobody},
    {"hidepid=1", CLONE_NEWNS, unreadable_for_nobody},
    {"container", CLONE_NEWNS | CLONE_NEWPID, in_a_container},
};

START_TEST(hidden_threads_are_not_taken_for_none)
{
	const int rc = run_apart(hidings[_i].flags, hidings[_i].fn);
	if (rc == RS_CHECK_SKIP)
		(void)fprintf(stderr, "SKIP: %s needs root\n", hidings[_i].what);
	else
		ck_assert_msg(rc == 0, "%s: %d", hidings[_i].what, rc);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("threads");
	TCase *tc = tcase_create("threads");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, threads_of_the_kernel_are_told_by_class);
	tcase_add_test(tc, threads_move_take_time_come_and_go);
	tcase_add_test(tc, threads_of_damaged_lines_are_left_out);
	tcase_add_test(tc, threads_are_not_known_where_none_of_the_kernels_is_seen);
	tcase_add_test(tc, processes_are_followed_while_they_are_busy);
	tcase_add_test(tc, processes_with_threads_show_the_busy_ones);
	tcase_add_test(tc, processes_are_followed_up_to_eight_the_busiest);
	tcase_add_test(tc, threads_beyond_the_room_are_not_followed);
	tcase_add_test(tc, pids_are_listed_ascending_from_anywhere);
	tcase_add_test(tc, pids_of_a_captured_tree_are_listed_the_same);
	tcase_add_test(tc, newborn_of_many_are_only_the_kernels_children);
	tcase_add_test(tc, newborn_are_found_among_all_where_children_are_not_listed);
	tcase_add_test(tc, live_threads_are_found_and_a_busy_one_followed);
	tcase_add_loop_test(
	    tc, hidden_threads_are_not_taken_for_none, 0, (int)RS_ARRAY_LEN(hidings));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

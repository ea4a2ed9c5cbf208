/* SPDX-License-Identifier: ISC */
/*
 * bench_loop_delay: how late the loop is while the disk takes 300 ms to sync, with
 * the program's own loop, store and thread. A busy program: every 100 ms a minute of
 * 300 series, a finding, changes and a question go to the store, and as much as it
 * takes is taken. The loop's delay is how late a timer of 5 ms fires. First without
 * the slow disk, then with it.
 */
#include <poll.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "loop.h"
#include "store.h"
#include "traffic.h"

enum {
	SYNC_MS = 300,
	TIMER_MS = 5,
	LOAD_MS = 100,
	PHASE_S = 15,
	DELAYS_MAX = PHASE_S * 1000 / TIMER_MS + 100,
	BLOCKS = 4
};

static struct {
	struct rs_loop *loop;
	struct rs_store *store;
	struct rs_block *blocks[BLOCKS];
	int64_t minute, id;
	double delay_ms[DELAYS_MAX];
	size_t n;
	unsigned answers, stored;
} run;

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "bench_loop_delay: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* --- the slow disk ----------------------------------------------------- */

static struct {
	sqlite3_vfs vfs, *below;
	sqlite3_io_methods methods[2]; /* SQLite has others for the log */
	int (*sync)(sqlite3_file *f, int flags);
	atomic_int sync_ms;
	atomic_uint syncs;
} disk;

static int
disk_sync(sqlite3_file *f, int flags)
{
	(void)poll(NULL, 0, atomic_load(&disk.sync_ms));
	atomic_fetch_add(&disk.syncs, 1);
	return disk.sync(f, flags);
}

static int
disk_open(sqlite3_vfs *v, const char *path, sqlite3_file *f, int flags, int *ret_flags)
{
	(void)v;
	const int rc = disk.below->xOpen(disk.below, path, f, flags, ret_flags);
	const bool is_log = (flags & SQLITE_OPEN_WAL) != 0;

	if (rc == SQLITE_OK && (is_log || (flags & SQLITE_OPEN_MAIN_DB) != 0)) {
		sqlite3_io_methods *const m = &disk.methods[is_log];

		*m = *f->pMethods;
		disk.sync = m->xSync;
		m->xSync = disk_sync;
		f->pMethods = m;
	}
	return rc;
}

static void
install_disk(void)
{
	disk.below = sqlite3_vfs_find(NULL);
	disk.vfs = *disk.below;
	disk.vfs.pNext = NULL;
	disk.vfs.zName = "slow";
	disk.vfs.xOpen = disk_open;
	if (sqlite3_vfs_register(&disk.vfs, 1) != SQLITE_OK)
		die("vfs", "cannot be registered");
}

/* --- the load ---------------------------------------------------------- */

static void
on_block(void *arg, struct rs_block *b, bool is_committed)
{
	(void)arg;
	(void)b;
	run.stored += is_committed;
}

static void
on_history(void *arg, struct rs_history *take)
{
	(void)arg;
	run.answers++;
	rs_history_free(take);
}

static void
ask(void)
{
	struct rs_query q = {
	    .metric = "core_interrupts", .after_ms = 1, .before_ms = INT64_MAX, .points = 60};

	q.n_filters = 1;
	q.filters[0].label = "cpu";
	(void)snprintf(q.filters[0].value, sizeof(q.filters[0].value), "7");
	(void)rs_store_query(run.store, &q, NULL, NULL, on_history, NULL);
}

static void
on_load(void *arg, const struct rs_tick *tick)
{
	struct rs_finding f = {.id = run.id, .code = "bench", .raised_ms = 1};
	struct rs_change c[16];

	(void)arg;
	(void)tick;
	for (size_t i = 0; i < BLOCKS; i++) {
		struct rs_block *const b = run.blocks[i];

		if (b->is_with_store)
			continue;
		b->minute = run.minute++; /* the same samples, a minute later */
		(void)rs_store_append(run.store, b);
		break;
	}
	f.subject = rs_subject_host;
	(void)rs_store_finding(run.store, &f);
	for (size_t i = 0; i < RS_ARRAY_LEN(c); i++)
		c[i] = (struct rs_change){
		    .id = run.id++, .fact = RS_F_MTU, .labels = rs_labels_none, .new = "1400"};
	rs_store_change(run.store, c, RS_ARRAY_LEN(c));
	ask();
}

static void
on_timer(void *arg, const struct rs_tick *tick)
{
	(void)arg;
	/* Those that a long delay swallowed were late, too. */
	for (uint64_t i = 0; i <= tick->missed && run.n < DELAYS_MAX; i++)
		run.delay_ms[run.n++] =
		    (double)(tick->now_ns - tick->due_ns) / 1e6 + (double)i * TIMER_MS;
}

static void
on_end(void *arg)
{
	(void)arg;
	rs_loop_stop(run.loop);
}

/* --- the figures ------------------------------------------------------- */

static int
by_size(const void *a, const void *b)
{
	const double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

struct phase {
	double p99_ms, worst_ms;
};

static struct phase
measure(int sync_ms)
{
	struct rs_event *timer = NULL, *load = NULL, *end = NULL;

	run.n = 0;
	run.answers = run.stored = 0;
	atomic_store(&disk.syncs, 0);
	atomic_store(&disk.sync_ms, sync_ms);
	if (rs_loop_ticker(run.loop, "timer", TIMER_MS * RS_NS_PER_MS, on_timer, NULL, &timer) <
		0 ||
	    rs_loop_ticker(run.loop, "load", LOAD_MS * RS_NS_PER_MS, on_load, NULL, &load) < 0 ||
	    rs_loop_timer(run.loop, "end", on_end, NULL, &end) < 0)
		die("loop", "no timers");
	rs_timer_arm(end, PHASE_S * RS_NS_PER_S);
	if (rs_loop_run(run.loop) < 0 || run.n < DELAYS_MAX / 2)
		die("loop", "did not run");
	rs_event_free(timer);
	rs_event_free(load);
	rs_event_free(end);
	qsort(run.delay_ms, run.n, sizeof(run.delay_ms[0]), by_size);
	fprintf(stderr, "sync %d ms: %u syncs, %u minutes stored, %u answers\n", sync_ms,
	    atomic_load(&disk.syncs), run.stored, run.answers);
	if (atomic_load(&disk.syncs) == 0 || run.stored == 0 || run.answers == 0)
		die("store", "has done nothing");
	return (struct phase){
	    .p99_ms = run.delay_ms[run.n * 99 / 100], .worst_ms = run.delay_ms[run.n - 1]};
}

static struct rs_block *
new_block(struct traffic *t)
{
	struct rs_block *b = NULL;
	int64_t values[TRAFFIC_SERIES];

	if (rs_block_new(TRAFFIC_SERIES, RS_NS_PER_S, &b) < 0)
		die("block", "no memory");
	rs_block_reset(b, 0);
	b->n_series = TRAFFIC_SERIES;
	for (uint32_t i = 0; i < TRAFFIC_SERIES; i++) {
		b->series[i] = (struct rs_block_series){
		    .uid = i + 1, .metric = RS_M_CORE_INTERRUPTS, .labels = rs_labels_none};
		b->series[i].labels.cpu = (int32_t)i;
	}
	for (uint32_t tick = 0; tick < b->ticks; tick++) {
		b->has_tick[tick] = true;
		b->length_us[tick] = 1000000;
		traffic_tick(t, tick, values);
		for (uint32_t i = 0; i < TRAFFIC_SERIES; i++)
			rs_block_put(b, i, tick, values[i]);
	}
	return b;
}

static void
open_all(const char *path)
{
	const struct rs_store_conf conf = {
	    .path = path, .boot_id = "bench", .interval_ns = RS_NS_PER_S};
	struct rs_error e = {0};
	struct traffic traffic;

	install_disk();
	traffic_init(&traffic);
	for (size_t i = 0; i < BLOCKS; i++)
		run.blocks[i] = new_block(&traffic);
	if (rs_loop_new(&run.loop) < 0 ||
	    rs_store_open(&conf, run.loop, on_block, NULL, &e, &run.store) < 0)
		die(path, e.text);
	run.id = rs_store_next_change_id(run.store);
}

static void
close_all(const char *dir, const char *path)
{
	char lock[80];

	atomic_store(&disk.sync_ms, 0);
	rs_store_close(run.store);
	rs_loop_free(run.loop);
	for (size_t i = 0; i < BLOCKS; i++)
		rs_block_free(run.blocks[i]);
	(void)snprintf(lock, sizeof(lock), "%s-lock", path);
	(void)unlink(lock);
	(void)unlink(path);
	(void)rmdir(dir);
}

int
main(void)
{
	char dir[] = "/tmp/ringside-bench-XXXXXX", path[64];

	if (mkdtemp(dir) == NULL)
		die(dir, "cannot be made");
	(void)snprintf(path, sizeof(path), "%s/bench.db", dir);
	open_all(path);
	const struct phase quick = measure(0), slow = measure(SYNC_MS);
	printf("bench loop_delay_slow_fsync_ms %.4g ms\n", slow.p99_ms - quick.p99_ms);
	printf("bench loop_delay_slow_fsync_worst_ms %.4g ms\n", slow.worst_ms);
	printf("bench loop_delay_worst_ms %.4g ms\n", quick.worst_ms);
	close_all(dir, path);
	return EXIT_SUCCESS;
}

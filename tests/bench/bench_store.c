/* SPDX-License-Identifier: ISC */
/*
 * What history costs, with the store's own code: 300 series at 1 Hz (traffic.h).
 *
 *	bench_store BUILD_DIR [DAYS [DATABASE]]
 *
 * Runs DAYS (2) simulated days through the functions of the store thread: samples are kept for one
 *day, so that on the last day as much is given up as is written. Then the loop thread's part at a
 *true 1 Hz for BENCH_SECONDS (130). The database is left behind when named. Prints: bench
 *store_bytes_per_sample, store_written_mb_per_day, store_syncs_per_hour, store_minute_us,
 *store_longest_bite_ms, store_encode_ns_per_sample, store_decode_ns_per_sample, store_tick_us,
 *store_tick_mean_us, store_tick_p95_us, store_tick_hot_us.
 */
#define _GNU_SOURCE /* syscall */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "clock.h"
#include "head.h"
#include "loop.h"
#include "num.h"
#include "raw.h"
#include "rawsize.h"
#include "traffic.h"
#include "vault.h"

enum { TICKS = 60, DAY_MINUTES = 1440, BLOCKS = 4, HOT_TICKS = 60 * 500 };
enum { MAX_SERIES = 20480 }; /* as in a daemon: a tick begins a page */
#define OFFSET_MS INT64_C(1700000000000)
#define DAY_MS (DAY_MINUTES * RS_MINUTE_MS)

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "bench_store: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void
report(const char *name, double value, const char *unit)
{
	printf("bench %s %.4g %s\n", name, value, unit);
	(void)fflush(stdout);
}

/* --- syncs: SQLite's calls end here --------------------------------------- */

static unsigned n_syncs;
int fsync(int fd);
int fdatasync(int fd);

int
fsync(int fd)
{
	n_syncs++;
	return (int)syscall(SYS_fsync, fd);
}

int
fdatasync(int fd)
{
	n_syncs++;
	return (int)syscall(SYS_fdatasync, fd);
}

/* --- a minute ------------------------------------------------------------- */

static void
begin_block(struct rs_block *b, int64_t minute)
{
	rs_block_reset(b, minute);
	b->wall_offset_ms = OFFSET_MS;
	b->is_clock_ok = true;
	b->n_series = TRAFFIC_SERIES;
	for (uint32_t i = 0; i < TRAFFIC_SERIES; i++) {
		struct rs_block_series s = {.uid = i + 1, .labels = rs_labels_none};

		s.metric = RS_M_CORE_INTERRUPTS;
		s.labels.cpu = (int32_t)i;
		rs_block_name(b, i, &s);
	}
}

static void
put_tick(struct rs_block *b, uint32_t t, uint32_t length_us, const int64_t *values)
{
	b->has_tick[t] = true;
	b->length_us[t] = length_us;
	for (uint32_t i = 0; i < TRAFFIC_SERIES; i++)
		rs_block_put(b, i, t, values[i]);
	rs_block_seal(b, t);
}

static void
fill(struct rs_block *b, struct traffic *traffic, int64_t minute)
{
	int64_t values[TRAFFIC_SERIES];

	begin_block(b, minute);
	for (uint32_t t = 0; t < TICKS; t++) {
		const double length_us = 1e6 + 50 * traffic_normal(traffic);

		traffic_tick(traffic, minute * 60 + t, values);
		put_tick(b, t, (uint32_t)length_us, values);
	}
}

/* --- the codec alone ------------------------------------------------------- */

static void
bench_codec(const struct rs_block *b)
{
	enum { ROUNDS = 500 };
	struct rs_chunk_series series[TRAFFIC_SERIES];
	struct rs_chunk_axis axis;
	struct rs_chunk_entry entry;
	struct rs_chunk c;
	struct rs_buf out;
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	const double samples = (double)ROUNDS * TRAFFIC_SERIES * TICKS;

	rs_buf_init(&out, RS_CHUNK_BYTES_MAX);
	rs_chunk_axis_of(b, &axis);
	for (uint32_t i = 0; i < TRAFFIC_SERIES; i++)
		series[i] = (struct rs_chunk_series){.id = i + 1,
		    .values = b->values + i,
		    .apart = b->max_series,
		    .present = b->present + (size_t)i * b->present_words};
	rs_ns start = rs_clock_thread_cpu();
	for (int i = 0; i < ROUNDS; i++) {
		rs_buf_reset(&out);
		if (rs_chunk_encode(&axis, series, TRAFFIC_SERIES, &out) < 0)
			die("encode", "failed");
	}
	report(
	    "store_encode_ns_per_sample", (double)(rs_clock_thread_cpu() - start) / samples, "ns");
	start = rs_clock_thread_cpu();
	for (int i = 0; i < ROUNDS; i++) {
		if (rs_chunk_open(&c, out.data, out.len) < 0)
			die("decode", "failed");
		while (rs_chunk_next(&c, &entry)) {
			if (rs_chunk_values(&c, &entry, values, present) < 0)
				die("decode", "failed");
		}
	}
	report(
	    "store_decode_ns_per_sample", (double)(rs_clock_thread_cpu() - start) / samples, "ns");
	rs_buf_fini(&out);
}

/* --- days ------------------------------------------------------------------ */

struct days {
	struct rs_vault vault;
	struct rs_block *block;
	struct traffic traffic;
	rs_ns cpu_ns, longest_bite_ns;
};

static void
bite(struct days *d)
{
	const rs_ns start = rs_clock_mono();

	rs_vault_bite(&d->vault);
	d->longest_bite_ns = RS_MAX(d->longest_bite_ns, rs_clock_mono() - start);
}

static void
run_day(struct days *d, const char *path, int64_t day)
{
	d->cpu_ns = 0;
	for (int64_t m = day * DAY_MINUTES; m < (day + 1) * DAY_MINUTES; m++) {
		fill(d->block, &d->traffic, m);
		const rs_ns start = rs_clock_thread_cpu();

		if (rs_vault_append(&d->vault, d->block, OFFSET_MS) < 0)
			die(path, d->vault.stats.error);
		while (d->vault.has_upkeep)
			bite(d);
		d->cpu_ns += rs_clock_thread_cpu() - start;
		if (strcmp(d->vault.stats.state, "ok") != 0)
			die(path, d->vault.stats.error);
	}
}

static void
bench_days(const char *path, int64_t n_days)
{
	const struct rs_store_conf conf = {.path = path,
	    .boot_id = "bench",
	    .interval_ns = RS_NS_PER_S,
	    .limits = {.raw_ms = DAY_MS, .minute_ms = 90 * DAY_MS, .hour_ms = 3 * 365 * DAY_MS}};
	struct days d = {.cpu_ns = 0};
	struct raw_size size;

	if (rs_vault_init(&d.vault, &conf) < 0 || rs_vault_open(&d.vault) < 0 ||
	    rs_block_new(TRAFFIC_SERIES, RS_NS_PER_S, &d.block) < 0)
		die(path, d.vault.place.why.text);
	traffic_init(&d.traffic);
	for (int64_t day = 0; day < n_days - 1; day++)
		run_day(&d, path, day);
	const uint64_t before = d.vault.stats.bytes_written;

	n_syncs = 0;
	d.longest_bite_ns = 0;
	run_day(&d, path, n_days - 1);
	report(
	    "store_written_mb_per_day", (double)(d.vault.stats.bytes_written - before) / 1e6, "MB");
	report("store_syncs_per_hour", n_syncs / 24.0, "syncs");
	report("store_minute_us", (double)d.cpu_ns / DAY_MINUTES / 1000, "us");
	report("store_longest_bite_ms", (double)d.longest_bite_ns / 1e6, "ms");
	bench_codec(d.block);
	rs_vault_fini(&d.vault);
	rs_block_free(d.block);
	const char *const why = raw_size_read(path, &size);

	if (why != NULL || size.samples == 0 || size.damaged > 0)
		die(path, why != NULL ? why : "no samples");
	report("store_bytes_per_sample", (double)size.page_bytes / (double)size.samples, "bytes");
	report("store_chunk_bytes_per_sample", (double)size.blob_bytes / (double)size.samples,
	    "bytes");
}

/* --- the loop thread's part of a tick --------------------------------------- */

struct ticks {
	struct rs_loop *loop;
	struct rs_store *store;
	struct rs_block *blocks[BLOCKS], *block;
	struct rs_event *timer;
	struct traffic traffic;
	int64_t values[TRAFFIC_SERIES];
	unsigned n, n_wanted, n_done;
	double *us;
};

static void
next_block(struct ticks *t)
{
	const int64_t minute = t->block == NULL ? 0 : t->block->minute + 1;
	struct rs_block *const done = t->block;

	t->block = NULL;
	for (unsigned i = 0; i < BLOCKS && t->block == NULL; i++) {
		if (t->blocks[i] != done && !t->blocks[i]->is_with_store)
			t->block = t->blocks[i];
	}
	if (t->block == NULL)
		die("store", "does not keep up");
	begin_block(t->block, minute);
	if (done == NULL || t->store == NULL)
		return;
	done->is_with_store = true;
	if (rs_store_append(t->store, done) < 0)
		die("store", "takes no block");
}

/* All that the store asks of the loop in a tick. */
static void
one_tick(struct ticks *t)
{
	const uint32_t at = t->n % TICKS;

	if (at == 0)
		next_block(t);
	put_tick(t->block, at, 1000000, t->values);
}

/* Not at whole seconds, where a kernel does much else whose cost falls on whoever
 * runs then. */
static void
arm(struct ticks *t)
{
	const rs_ns now = rs_clock_mono(), phase = 370 * RS_NS_PER_MS;

	rs_timer_arm(t->timer, RS_NS_PER_S - (now - phase) % RS_NS_PER_S);
}

static void
on_tick(void *arg)
{
	struct ticks *const t = arg;

	traffic_tick(&t->traffic, t->n, t->values);
	const rs_ns start = rs_clock_thread_cpu();

	one_tick(t);
	t->us[t->n++] = (double)(rs_clock_thread_cpu() - start) / 1000;
	if (t->n == t->n_wanted)
		rs_loop_stop(t->loop);
	else
		arm(t);
}

static void
block_done(void *arg, struct rs_block *b, bool is_committed)
{
	struct ticks *const t = arg;

	rs_block_done(b, is_committed);
	t->n_done += is_committed;
}

/* Without a pause and without the store; after that all memory has been touched, as
 * in a daemon that has run for a while. */
static void
run_hot(struct ticks *t)
{
	const rs_ns start = rs_clock_thread_cpu();

	for (; t->n < HOT_TICKS; t->n++)
		one_tick(t);
	report(
	    "store_tick_hot_us", (double)(rs_clock_thread_cpu() - start) / HOT_TICKS / 1000, "us");
	t->n = 0;
	t->block = NULL;
}

static int
compare(const void *a, const void *b)
{
	const double *const x = a, *const y = b;

	return *x < *y ? -1 : *x > *y;
}

static void
report_ticks(struct ticks *t)
{
	double sum = 0;

	for (unsigned i = 0; i < t->n; i++)
		sum += t->us[i];
	qsort(t->us, t->n, sizeof(*t->us), compare);
	report("store_tick_us", t->us[t->n / 2], "us");
	report("store_tick_mean_us", sum / t->n, "us");
	report("store_tick_p95_us", t->us[t->n * 95 / 100], "us");
}

static void
bench_ticks(const char *path, const char *head_path, unsigned seconds)
{
	const struct rs_store_conf conf = {
	    .path = path, .boot_id = "bench", .interval_ns = RS_NS_PER_S};
	const struct rs_head_conf head_conf = {
	    .path = head_path, .owner = path, .boot_id = "bench"};
	struct ticks t = {.n_wanted = seconds, .us = calloc(seconds + 1, sizeof(double))};
	struct rs_leftover leftover = {.blocks = NULL};
	struct rs_error e = {0};
	struct rs_head *head = NULL;

	traffic_init(&t.traffic);
	for (unsigned i = 0; i < BLOCKS; i++) {
		if (rs_block_new(MAX_SERIES, RS_NS_PER_S, &t.blocks[i]) < 0)
			die("blocks", "out of memory");
	}
	if (t.us == NULL || rs_loop_new(&t.loop) < 0 || rs_head_open(&head_conf, &head) < 0 ||
	    rs_head_read(head, &leftover) < 0 || rs_head_begin(head, t.blocks, BLOCKS) < 0)
		die("head", "cannot be made");
	run_hot(&t);
	if (rs_store_open(&conf, t.loop, block_done, &t, &e, &t.store) < 0 ||
	    rs_loop_timer(t.loop, "bench", on_tick, &t, &t.timer) < 0)
		die(path, e.text);
	arm(&t);
	(void)rs_loop_run(t.loop);
	rs_store_close(t.store);
	if (t.n_done == 0 && seconds > TICKS)
		die(path, "no block was written");
	report_ticks(&t);
	for (unsigned i = 0; i < BLOCKS; i++)
		rs_block_free(t.blocks[i]);
	rs_head_close(head, true);
	rs_loop_free(t.loop);
	free(t.us);
}

/* --- a place ---------------------------------------------------------------- */

/* On tmpfs, where there is one. */
static const char *
head_folder(void)
{
	struct stat st;

	return stat("/dev/shm", &st) == 0 ? "/dev/shm" : "/tmp";
}

static void
bench(const char *folder, int64_t n_days, const char *database)
{
	char path[4096], head[4096];
	const char *const wanted = getenv("BENCH_SECONDS");
	uint64_t seconds = 130;

	if (wanted != NULL && rs_num_u64(rs_text_of(wanted), &seconds) < 0)
		die("BENCH_SECONDS", wanted);
	(void)snprintf(path, sizeof(path), "%s/days.db", folder);
	bench_days(database != NULL ? database : path, n_days);
	(void)snprintf(path, sizeof(path), "%s/ticks.db", folder);
	(void)snprintf(head, sizeof(head), "%s/ringside-bench-%ld", head_folder(), (long)getpid());
	if (seconds > 1)
		bench_ticks(path, head, (unsigned)RS_MIN(seconds, UINT64_C(86400)));
}

static void
remove_all(const char *folder)
{
	static const char *const names[] = {"days.db", "ticks.db"};
	static const char *const suffixes[] = {"", "-wal", "-shm", "-lock"};
	char path[4096];

	for (size_t i = 0; i < RS_ARRAY_LEN(names); i++) {
		for (size_t k = 0; k < RS_ARRAY_LEN(suffixes); k++) {
			(void)snprintf(
			    path, sizeof(path), "%s/%s%s", folder, names[i], suffixes[k]);
			(void)unlink(path);
		}
	}
	(void)rmdir(folder);
}

int
main(int argc, char *argv[])
{
	char folder[] = "/tmp/ringside-bench-XXXXXX";
	int64_t n_days = 2;

	if (argc < 2 || argc > 4 ||
	    (argc > 2 && (rs_num_i64(rs_text_of(argv[2]), &n_days) < 0 || n_days < 1))) {
		fprintf(stderr, "usage: bench_store BUILD_DIR [DAYS [DATABASE]]\n");
		return 2;
	}
	if (mkdtemp(folder) == NULL)
		die(folder, strerror(errno));
	bench(folder, n_days, argc > 3 ? argv[3] : NULL);
	remove_all(folder);
	return EXIT_SUCCESS;
}

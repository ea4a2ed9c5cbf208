/* SPDX-License-Identifier: ISC */
/*
 * bench_store [MINUTES [DATABASE]]: what history costs, with the store's own
 * code and no thread: 300 series at 1 Hz, mostly idle, as on a quiet router
 * with a busy interface. The database is made new and left behind when named.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "append.h"
#include "clock.h"
#include "num.h"
#include "worker.h"

enum { SERIES = 300, TICKS = 60, QUERY_RUNS = 200 };

/* --- data: 45 % idle, 15 % rare, 20 % 1..1000/s, 15 % up to 100k/s, 5 % bytes - */

struct source {
	double rate;  /* mean increments a second */
	double level; /* slow drift around it */
};

static uint64_t state = UINT64_C(0x9e3779b97f4a7c15);

static double
uniform(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (double)(state >> 11) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform() + 1e-300)) * cos(6.283185307179586 * uniform());
}

/* Poisson, by its normal approximation where the mean is large. */
static int64_t
count(double mean)
{
	if (mean > 60) {
		const double v = mean + sqrt(mean) * normal();
		return v < 0 ? 0 : (int64_t)(v + 0.5);
	}
	const double end = exp(-mean);
	double p = 1;
	int64_t n = -1;

	do {
		n++;
		p *= uniform();
	} while (p > end);
	return n;
}

static double
rate_of_class(double where)
{
	if (where < 0.45)
		return 0;
	if (where < 0.60)
		return 0.5 * uniform();
	if (where < 0.80)
		return pow(10, 3 * uniform());
	if (where < 0.95)
		return pow(10, 3 + 2 * uniform());
	return pow(10, 5 + 3 * uniform());
}

static void
make_sources(struct source *s)
{
	for (int i = 0; i < SERIES; i++)
		s[i] = (struct source){.rate = rate_of_class((double)i / SERIES), .level = 1};
}

/* A minute: drift and 12 % noise. */
static void
fill(struct rs_block *b, struct source *s, int64_t minute)
{
	rs_block_reset(b, minute);
	b->wall_offset_ms = INT64_C(1700000000000);
	b->n_series = SERIES;
	for (uint32_t t = 0; t < TICKS; t++) {
		b->has_tick[t] = true;
		b->length_us[t] = (uint32_t)(1e6 + 50 * normal());
	}
	for (uint32_t i = 0; i < SERIES; i++) {
		b->series[i] =
		    (struct rs_block_series){.uid = i + 1, .metric = RS_M_CORE_INTERRUPTS};
		b->series[i].labels = rs_labels_none;
		b->series[i].labels.cpu = (int32_t)i;
		for (uint32_t t = 0; t < TICKS; t++) {
			s[i].level += (1 - s[i].level) * 0.01 + 0.01 * normal();
			const double noise = s[i].rate > 1 ? 1 + 0.12 * normal() : 1;
			rs_block_put(b, i, t, count(fmax(0, s[i].rate * s[i].level * noise)));
		}
	}
}

/* --- figures ----------------------------------------------------------- */

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
}

static void
bench_codec(const struct rs_block *b)
{
	enum { ROUNDS = 500 };
	struct rs_chunk_series series[SERIES];
	struct rs_chunk_axis axis;
	struct rs_chunk_entry e;
	struct rs_chunk c;
	struct rs_buf out;
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	const double samples = (double)ROUNDS * SERIES * TICKS;

	rs_buf_init(&out, RS_CHUNK_BYTES_MAX);
	rs_chunk_axis_of(b, &axis);
	for (uint32_t i = 0; i < SERIES; i++)
		series[i] = (struct rs_chunk_series){.id = i + 1,
		    .values = b->values + i,
		    .apart = b->max_series,
		    .present = b->present + (size_t)i * b->present_words};
	rs_ns start = rs_clock_thread_cpu();
	for (int i = 0; i < ROUNDS; i++) {
		rs_buf_reset(&out);
		if (rs_chunk_encode(&axis, series, SERIES, &out) < 0)
			die("encode", "failed");
	}
	report(
	    "store_encode_ns_per_sample", (double)(rs_clock_thread_cpu() - start) / samples, "ns");
	start = rs_clock_thread_cpu();
	for (int i = 0; i < ROUNDS; i++) {
		if (rs_chunk_open(&c, out.data, out.len) < 0)
			die("decode", "failed");
		while (rs_chunk_next(&c, &e)) {
			if (rs_chunk_values(&c, &e, values, present) < 0)
				die("decode", "failed");
		}
	}
	report(
	    "store_decode_ns_per_sample", (double)(rs_clock_thread_cpu() - start) / samples, "ns");
	report("store_chunk_bytes_per_sample", (double)out.len / (SERIES * TICKS), "bytes");
	rs_buf_fini(&out);
}

/* The newest 600 s of one series, and of all of them in 60 points. */
static void
bench_query(struct rs_worker *w, int64_t end_ms, const char *name, const char *cpu)
{
	struct rs_query q = {.metric = "core_interrupts",
	    .after_ms = end_ms - INT64_C(600000),
	    .before_ms = end_ms,
	    .points = cpu == NULL ? 60 : 0};
	size_t n = 0;

	if (cpu != NULL) {
		q.n_filters = 1;
		q.filters[0].label = rs_label_names[0];
		(void)snprintf(q.filters[0].value, sizeof(q.filters[0].value), "%s", cpu);
	}
	const rs_ns start = rs_clock_thread_cpu();
	for (int i = 0; i < QUERY_RUNS; i++) {
		struct rs_grid g;
		struct rs_job job = {.kind = RS_JOB_QUERY,
		    .grid = &g,
		    .offset_ms = INT64_C(1700000000000),
		    .env = {.head_oldest_ms = 1, .head_newest_ms = 0}};
		struct rs_history *const h = calloc(1, sizeof(*h));

		if (h == NULL || rs_grid_init(&g, &q) < 0)
			die("query", "failed");
		rs_worker_run(w, &job);
		rs_grid_finish(&g, h);
		n = h->n_times * h->n_series;
		rs_grid_fini(&g);
		rs_history_free(h);
	}
	report(name, (double)(rs_clock_thread_cpu() - start) / QUERY_RUNS / 1000, "us");
	if (n == 0)
		die(name, "no values");
}

static double
size_of(const char *path)
{
	FILE *const f = fopen(path, "rb");

	if (f == NULL || fseek(f, 0, SEEK_END) != 0)
		die(path, "cannot be read");
	const long size = ftell(f);
	(void)fclose(f);
	return (double)size;
}

static void
bench_days(const char *path, int64_t minutes)
{
	const struct rs_store_conf conf = {
	    .path = path, .boot_id = "bench", .interval_ns = RS_NS_PER_S};
	struct rs_error e = {0};
	struct rs_worker *w = NULL;
	struct rs_block *b = NULL;
	struct source sources[SERIES];
	struct rs_job job = {.kind = RS_JOB_APPEND, .offset_ms = INT64_C(1700000000000)};
	rs_ns spent = 0;

	if (rs_worker_open(&conf, &e, &w) < 0 || rs_block_new(SERIES, RS_NS_PER_S, &b) < 0)
		die(path, e.text);
	make_sources(sources);
	for (int64_t m = 0; m < minutes; m++) {
		fill(b, sources, m);
		if (m == 0)
			bench_codec(b);
		job.block = b;
		const rs_ns start = rs_clock_thread_cpu();
		rs_worker_run(w, &job);
		spent += rs_clock_thread_cpu() - start;
		if (job.status < 0)
			die(path, job.stats.error);
	}
	report("store_minute_us", (double)spent / (double)minutes / 1000, "us");
	report("store_written_mb_per_day",
	    (double)job.stats.bytes_written / 1e6 / (double)minutes * 1440, "MB");
	const int64_t end_ms = job.offset_ms + minutes * RS_MINUTE_MS - 1000;
	bench_query(w, end_ms, "store_query_600s_us", "280");
	bench_query(w, end_ms, "store_query_600s_all_us", NULL);
	rs_worker_free(w);
	rs_block_free(b);
	report(
	    "store_bytes_per_sample", size_of(path) / ((double)minutes * SERIES * TICKS), "bytes");
}

int
main(int argc, char **argv)
{
	char path[] = "/tmp/ringside-bench-XXXXXX";
	int64_t minutes = 240;

	if (argc > 1 &&
	    (rs_num_i64(rs_text_of(argv[1]), &minutes) < 0 || minutes < 10 || minutes > 100000)) {
		fprintf(stderr, "usage: bench_store [MINUTES [DATABASE]]\n");
		return 2;
	}
	if (argc > 2) {
		bench_days(argv[2], minutes);
		return EXIT_SUCCESS;
	}
	const int fd = mkstemp(path);
	if (fd < 0)
		die(path, "cannot be made");
	(void)close(fd);
	bench_days(path, minutes);
	char lock[sizeof(path) + 8];
	(void)snprintf(lock, sizeof(lock), "%s-lock", path);
	(void)unlink(lock);
	(void)unlink(path);
	return EXIT_SUCCESS;
}

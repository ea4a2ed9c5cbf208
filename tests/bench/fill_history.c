/* SPDX-License-Identifier: ISC */
/*
 * fill_history DATABASE COPY: a database as a router has after a year: 300 series,
 * 64 cores among them, each hour of a year, each minute of eleven days, each
 * second of two and a half hours. It is made once; the copy is that with its end
 * moved to now. Prints that end in milliseconds since 1970.
 */
#include <math.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "bucket.h"
#include "clock.h"
#include "raw.h"
#include "tier.h"
#include "traffic.h"
#include "worker.h"

enum { CORES = 64, DEVICES = 11, YEAR_DAYS = 365, MINUTE_DAYS = 11 };
enum { RAW_MINUTES = 150, HALF_HOUR = 30, TICKS = 60 };
/* The year is over, and half an hour more. */
#define END_MINUTE ((int64_t)YEAR_DAYS * 1440 + HALF_HOUR)
#define MADE_WITH_OFFSET_MS INT64_C(1700000000000)

static void
die(const char *what, const char *why)
{
	fprintf(stderr, "fill_history: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

/* --- series ------------------------------------------------------------ */

static struct rs_block_series
series_of(uint32_t i)
{
	static const enum rs_metric_id of_cores[] = {
	    RS_M_CORE_PACKET_LOAD, RS_M_CORE_BUSY, RS_M_CORE_NIC_INTERRUPTS, RS_M_SOFTIRQ_NET_RX};
	static const enum rs_metric_id of_nics[] = {
	    RS_M_NIC_RX_BYTES, RS_M_NIC_TX_BYTES, RS_M_NIC_RX_PACKETS, RS_M_NIC_TX_PACKETS};
	struct rs_block_series s = {.uid = i + 1, .labels = rs_labels_none};
	const uint32_t k = i - CORES * (uint32_t)RS_ARRAY_LEN(of_cores);

	if (i < CORES * RS_ARRAY_LEN(of_cores)) {
		s.metric = (uint16_t)of_cores[i / CORES];
		s.labels.cpu = (int32_t)(i % CORES);
	} else {
		s.metric = (uint16_t)of_nics[k / DEVICES];
		(void)snprintf(s.labels.device, sizeof(s.labels.device), "eth%u", k % DEVICES);
	}
	return s;
}

/* A stored value of a second: what a gauge of 0..1 has, or a count. */
static int64_t
value_of(struct traffic *t, const struct rs_metric *m, uint32_t i, int64_t minute, int64_t count)
{
	const double of_day = 0.3 + 0.2 * sin((double)minute / 229 + i);

	if (m->kind == RS_COUNTER)
		return count;
	return llround((double)m->scale * fmin(1, fmax(0, of_day + 0.05 * traffic_normal(t))));
}

/* --- raw: through the store itself -------------------------------------- */

static void
fill_block(struct rs_block *b, struct traffic *t, int64_t minute)
{
	int64_t counts[TRAFFIC_SERIES];

	rs_block_reset(b, minute);
	b->wall_offset_ms = MADE_WITH_OFFSET_MS;
	b->n_series = TRAFFIC_SERIES;
	for (uint32_t i = 0; i < TRAFFIC_SERIES; i++) {
		const struct rs_block_series s = series_of(i);

		rs_block_name(b, i, &s);
	}
	for (uint32_t k = 0; k < TICKS; k++) {
		b->has_tick[k] = true;
		b->length_us[k] = (uint32_t)(1e6 + 50 * traffic_normal(t));
		traffic_tick(t, minute * 60 + k, counts);
		for (uint32_t i = 0; i < TRAFFIC_SERIES; i++)
			rs_block_put(b, i, k,
			    value_of(t, &rs_metrics[series_of(i).metric], i, minute, counts[i]));
	}
}

static void
make_raw(const char *path, struct traffic *t)
{
	const struct rs_store_conf conf = {
	    .path = path, .boot_id = "a-year-for-benchmarks", .interval_ns = RS_NS_PER_S};
	struct rs_job job = {.kind = RS_JOB_APPEND, .offset_ms = MADE_WITH_OFFSET_MS};
	struct rs_worker *w = NULL;
	struct rs_block *b = NULL;
	struct rs_error e = {0};

	if (rs_worker_open(&conf, &e, &w) < 0 || rs_block_new(TRAFFIC_SERIES, RS_NS_PER_S, &b) < 0)
		die(path, e.text);
	for (int64_t m = END_MINUTE - RAW_MINUTES; m < END_MINUTE; m++) {
		fill_block(b, t, m);
		job.block = b;
		rs_worker_run(w, &job);
		if (job.status < 0)
			die(path, job.stats.error);
	}
	rs_worker_free(w);
	rs_block_free(b);
}

/* --- minutes and hours: buckets as they could have come of samples -------- */

struct known {
	uint32_t id; /* row of series; 0: none */
	enum rs_kind kind;
	uint32_t source; /* of the traffic */
};

struct filler {
	sqlite3 *db;
	struct traffic *traffic;
	int64_t boot;
	struct known *known; /* by id */
	uint32_t n_known;
};

static void
run_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(db));
}

static int64_t
int_of(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *st = NULL;

	if (sqlite3_prepare_v2(db, sql, -1, &st, NULL) != SQLITE_OK ||
	    sqlite3_step(st) != SQLITE_ROW)
		die(sql, sqlite3_errmsg(db));
	const int64_t n = sqlite3_column_int64(st, 0);

	(void)sqlite3_finalize(st);
	return n;
}

static void
read_series(struct filler *f)
{
	sqlite3_stmt *st = NULL;

	f->n_known = (uint32_t)int_of(f->db, "SELECT max(id) + 1 FROM series");
	f->known = calloc(f->n_known, sizeof(*f->known));
	if (f->known == NULL || sqlite3_prepare_v2(f->db, "SELECT id, kind = 'counter' FROM series",
				    -1, &st, NULL) != SQLITE_OK)
		die("series", sqlite3_errmsg(f->db));
	while (sqlite3_step(st) == SQLITE_ROW) {
		const uint32_t id = (uint32_t)sqlite3_column_int64(st, 0);

		f->known[id] = (struct known){.id = id,
		    .kind = sqlite3_column_int(st, 1) != 0 ? RS_COUNTER : RS_GAUGE,
		    .source = (id - 1) % TRAFFIC_SERIES};
	}
	(void)sqlite3_finalize(st);
}

static struct rs_bucket
bucket_of(struct filler *f, const struct known *k, uint32_t seconds)
{
	const struct traffic_source *const s = &f->traffic->sources[k->source];
	struct rs_bucket b = {.count = seconds, .length_us = (int64_t)seconds * 1000000};
	const double mean = k->kind == RS_COUNTER
				? s->rate * exp(0.2 * traffic_normal(f->traffic))
				: 10000 * (0.1 + 0.8 * traffic_uniform(f->traffic));
	const double scale = k->kind == RS_COUNTER ? RS_BUCKET_RATE_SCALE : 1;

	b.sum = llround(mean * seconds);
	b.min = llround(floor(mean * (0.2 + 0.6 * traffic_uniform(f->traffic))) * scale);
	b.max = llround(ceil(mean * (1.2 + traffic_uniform(f->traffic))) * scale);
	if (k->kind == RS_GAUGE)
		b.max = RS_MIN(b.max, 10000);
	return b;
}

static void
put_row(struct filler *f, sqlite3_stmt *st, enum rs_tier tier, int64_t period, uint32_t group)
{
	const struct rs_tier_shape *const shape = &rs_tiers[tier];
	struct rs_bucket buckets[RS_TIER_SERIES_MAX][RS_TIER_SLOTS_MAX];
	struct rs_tier_series series[RS_TIER_SERIES_MAX];
	struct rs_buf row;
	size_t n = 0;

	for (uint32_t i = 0; i < 1u << shape->group_shift; i++) {
		const uint32_t id = group << shape->group_shift | i;

		if (id >= f->n_known || f->known[id].id == 0)
			continue;
		for (uint32_t k = 0; k < shape->slots; k++)
			buckets[n][k] =
			    bucket_of(f, &f->known[id], (uint32_t)(shape->slot_ms / 1000));
		series[n] = (struct rs_tier_series){.id = id, .buckets = buckets[n]};
		n++;
	}
	if (n == 0)
		return;
	rs_buf_init(&row, RS_TIER_BYTES_MAX);
	if (rs_tier_encode((uint32_t)shape->slot_ms, shape->slots, series, n, &row) < 0)
		die(shape->name, "cannot be encoded");
	(void)sqlite3_bind_int64(st, 1, rs_tier_key(tier, f->boot, period, group));
	(void)sqlite3_bind_blob(st, 2, row.data, (int)row.len, SQLITE_STATIC);
	if (sqlite3_step(st) != SQLITE_DONE)
		die(shape->name, sqlite3_errmsg(f->db));
	(void)sqlite3_reset(st);
	rs_buf_fini(&row);
}

static void
make_tier(struct filler *f, enum rs_tier tier, int64_t first, int64_t end)
{
	char sql[80];
	sqlite3_stmt *st = NULL;

	(void)snprintf(
	    sql, sizeof(sql), "INSERT OR REPLACE INTO %s VALUES (?, ?)", rs_tiers[tier].name);
	run_sql(f->db, "BEGIN");
	if (sqlite3_prepare_v2(f->db, sql, -1, &st, NULL) != SQLITE_OK)
		die(sql, sqlite3_errmsg(f->db));
	for (int64_t period = first; period < end; period++) {
		for (uint32_t g = 0; g << rs_tiers[tier].group_shift < f->n_known; g++)
			put_row(f, st, tier, period, g);
	}
	(void)sqlite3_finalize(st);
	run_sql(f->db, "COMMIT");
}

static void
make(const char *path)
{
	struct traffic traffic;
	struct filler f = {.traffic = &traffic};
	char sql[200];

	traffic_init(&traffic);
	make_raw(path, &traffic);
	if (sqlite3_open(path, &f.db) != SQLITE_OK)
		die(path, sqlite3_errmsg(f.db));
	run_sql(f.db, "PRAGMA synchronous = OFF");
	f.boot = int_of(f.db, "SELECT id FROM boots");
	read_series(&f);
	make_tier(&f, RS_TIER_HOUR, 0, YEAR_DAYS);
	make_tier(
	    &f, RS_TIER_MINUTE, (int64_t)(YEAR_DAYS - MINUTE_DAYS) * 24, (int64_t)YEAR_DAYS * 24);
	(void)snprintf(sql, sizeof(sql), "UPDATE boots SET minute_until = %d, hour_until = %d",
	    YEAR_DAYS * 24, YEAR_DAYS);
	run_sql(f.db, sql);
	run_sql(f.db, "UPDATE series SET first_ms = 0");
	free(f.known);
	if (sqlite3_close(f.db) != SQLITE_OK)
		die(path, "does not close");
}

/* --- the copy ------------------------------------------------------------ */

static void
copy_file(const char *from, const char *to)
{
	static char bytes[1 << 20];
	FILE *const in = fopen(from, "rb"), *const out = fopen(to, "wb");
	size_t n;

	if (in == NULL || out == NULL)
		die(in == NULL ? from : to, "cannot be opened");
	while ((n = fread(bytes, 1, sizeof(bytes), in)) > 0) {
		if (fwrite(bytes, 1, n, out) != n)
			die(to, "cannot be written");
	}
	if (ferror(in) || fclose(out) != 0)
		die(to, "cannot be written");
	(void)fclose(in);
}

/* The boot with all of it ends now. */
static int64_t
end_now(const char *path)
{
	const int64_t now_ms = rs_clock_wall() / RS_NS_PER_MS;
	sqlite3 *db = NULL;
	char sql[200];

	if (sqlite3_open(path, &db) != SQLITE_OK)
		die(path, sqlite3_errmsg(db));
	(void)snprintf(sql, sizeof(sql), "UPDATE boots SET wall_offset_ms = %lld",
	    (long long)(now_ms - END_MINUTE * RS_MINUTE_MS));
	run_sql(db, sql);
	(void)sqlite3_close(db);
	return now_ms;
}

int
main(int argc, char *argv[])
{
	char made[4096];

	if (argc != 3) {
		fprintf(stderr, "usage: fill_history DATABASE COPY\n");
		return 2;
	}
	if (access(argv[1], R_OK) != 0) {
		(void)snprintf(made, sizeof(made), "%s.new", argv[1]);
		(void)unlink(made);
		make(made);
		if (rename(made, argv[1]) != 0)
			die(argv[1], "cannot be renamed to");
		(void)snprintf(made, sizeof(made), "%s.new-lock", argv[1]);
		(void)unlink(made);
	}
	copy_file(argv[1], argv[2]);
	printf("%lld\n", (long long)end_now(argv[2]));
	return 0;
}

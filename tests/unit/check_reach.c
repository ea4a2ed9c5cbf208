/* SPDX-License-Identifier: ISC */
/*
 * Answers over the tiers: the same whatever has become a bucket already, from the
 * tier that suits the question, and with a gap where a row is damaged.
 */
#include "rs_check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "clock.h"
#include "dbdir.h"
#include "migrate.h"
#include "query.h"
#include "raw.h"
#include "reach.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)
/* Of ticks: six a minute. */
#define TICK (10 * SECOND)
enum { TICKS = 6 };
/* Boot clock 0 is this wall time. */
#define OFFSET (INT64_C(1700000000123))

/* --- a database made by hand --------------------------------------------- */

/* Of one group of the minute tier and of two of the hour tier. */
enum { COUNTER = 33, GAUGE = 34, LATE = 41, N_SERIES = 3 };

static const struct {
	uint32_t id;
	enum rs_metric_id metric;
	int64_t first_minute;
} series[N_SERIES] = {
    {COUNTER, RS_M_CPU_USER, 0},
    {GAUGE, RS_M_CORE_BUSY, 0},
    {LATE, RS_M_CPU_SYSTEM, 90},
};

/* What most tests have of a boot: 60 hours and 17 minutes. */
enum { MINUTES = 60 * 60 + 17 };

static struct test_dir dir;
static struct rs_db *db;
static int64_t n_minutes; /* that bucket_of knows of */

static void
sql(const char *text)
{
	char *message = NULL;

	(void)sqlite3_exec(db->handle, text, NULL, NULL, &message);
	ck_assert_msg(message == NULL, "%s: %s", text, message);
}

static void
add_boot(int64_t id, int64_t offset_ms)
{
	char text[256];

	(void)snprintf(text, sizeof(text),
	    "INSERT INTO boots (id, boot_id, wall_offset_ms, clock_ok) VALUES (%lld, %lld, %lld, "
	    "1)",
	    (long long)id, (long long)id, (long long)offset_ms);
	sql(text);
}

static void
set_up(void)
{
	struct rs_error e = {0};

	n_minutes = MINUTES;
	test_dir_make(&dir);
	ck_assert_msg(rs_db_open(dir.db, &e, &db) == 0, "%s", e.text);
	for (size_t i = 0; i < N_SERIES; i++) {
		const struct rs_metric *const m = &rs_metrics[series[i].metric];
		char text[512];

		(void)snprintf(text, sizeof(text),
		    "INSERT INTO series (id, metric, mode, direction, cpu, device, queue, irq, "
		    "kind, scale, unit, first_boot, first_ms) "
		    "VALUES (%u, '%s', '%s', '', 0, '', -1, '', '%s', %u, '', 1, 0)",
		    series[i].id, m->name, m->mode != NULL ? m->mode : "",
		    m->kind == RS_COUNTER ? "counter" : "gauge", m->scale);
		sql(text);
	}
}

static void
tear_down(void)
{
	rs_db_close(db);
	test_dir_remove(&dir);
}

/* What was measured: slowly moving, with a peak of one tick now and then. Every
 * 7th minute has no ticks at all, the first tick has no length. */
static bool
has_minute(int64_t minute)
{
	return minute % 7 != 6;
}

static int64_t
value_of(size_t s, int64_t minute, uint32_t tick)
{
	const int64_t n = minute * TICKS + tick;

	return n % 997 == 500 ? 9000 : (n * 7919 + (int64_t)s * 31) % 800;
}

static void
fill_axis(struct rs_chunk_axis *a, int64_t minute)
{
	memset(a, 0, sizeof(*a));
	a->interval_ms = TICK;
	a->ticks = TICKS;
	a->present[0] = (1u << TICKS) - 1;
	for (uint32_t t = 0; t < TICKS; t++)
		a->length_us[t] = minute == 0 && t == 0 ? 0 : TICK * 1000 + minute % 100;
}

static void
put(enum rs_sql_id id, int64_t key, const struct rs_buf *out)
{
	sqlite3_stmt *const st = rs_sql(db, id);

	(void)sqlite3_bind_int64(st, 1, key);
	(void)sqlite3_bind_blob(st, 2, out->data, (int)out->len, SQLITE_STATIC);
	ck_assert_int_eq(rs_sql_run(db, st), 0);
}

static void
put_minute(int64_t boot, int64_t minute)
{
	struct rs_chunk_axis axis;
	struct rs_chunk_series s[N_SERIES];
	int64_t values[N_SERIES][TICKS];
	struct rs_buf out;
	size_t n = 0;

	fill_axis(&axis, minute);
	for (size_t i = 0; i < N_SERIES; i++) {
		if (minute < series[i].first_minute)
			continue;
		for (uint32_t t = 0; t < TICKS; t++)
			values[n][t] = value_of(i, minute, t);
		s[n] = (struct rs_chunk_series){
		    .id = series[i].id, .apart = 1, .values = values[n], .present = axis.present};
		n++;
	}
	rs_buf_init(&out, RS_CHUNK_BYTES_MAX);
	ck_assert_int_eq(rs_chunk_encode(&axis, s, n, &out), 0);
	put(RS_SQL_RAW_ADD, rs_raw_key(boot, minute, 0), &out);
	rs_buf_fini(&out);
}

/* Boot minutes [from, to) as samples. */
static void
put_raw(int64_t boot, int64_t from, int64_t to)
{
	sql("BEGIN");
	for (int64_t m = from; m < to; m++) {
		if (has_minute(m))
			put_minute(boot, m);
	}
	sql("COMMIT");
}

/* The bucket of boot minutes [from, from + n). */
static struct rs_bucket
bucket_of(size_t s, int64_t from, int64_t n)
{
	struct rs_bucket b = {0};
	struct rs_chunk_axis axis;

	for (int64_t m = from; m < RS_MIN(from + n, n_minutes); m++) {
		fill_axis(&axis, m);
		for (uint32_t t = 0; t < TICKS && has_minute(m) && m >= series[s].first_minute; t++)
			rs_bucket_add(&b, rs_metrics[series[s].metric].kind, value_of(s, m, t),
			    axis.length_us[t]);
	}
	return b;
}

/* One period of a tier: a row a group. */
static void
put_period(enum rs_tier tier, int64_t boot, int64_t period)
{
	const struct rs_tier_shape *const shape = &rs_tiers[tier];
	const int64_t minutes = shape->slot_ms / MINUTE;
	struct rs_bucket buckets[N_SERIES][RS_TIER_SLOTS_MAX];
	struct rs_tier_series s[N_SERIES];
	struct rs_buf out;

	rs_buf_init(&out, RS_TIER_BYTES_MAX);
	for (size_t i = 0, n; i < N_SERIES; i += n) {
		const uint32_t group = series[i].id >> shape->group_shift;
		size_t used = 0;

		for (n = 0; i + n < N_SERIES && series[i + n].id >> shape->group_shift == group;
		     n++) {
			bool is_empty = true;

			for (uint32_t t = 0; t < shape->slots; t++) {
				buckets[used][t] = bucket_of(
				    i + n, (period * shape->slots + t) * minutes, minutes);
				is_empty = is_empty && buckets[used][t].count == 0;
			}
			s[used] = (struct rs_tier_series){series[i + n].id, buckets[used]};
			used += !is_empty;
		}
		if (used == 0)
			continue;
		rs_buf_reset(&out);
		ck_assert_int_eq(
		    rs_tier_encode((uint32_t)shape->slot_ms, shape->slots, s, used, &out), 0);
		put(tier == RS_TIER_MINUTE ? RS_SQL_MINUTE_PUT : RS_SQL_HOUR_PUT,
		    rs_tier_key(tier, boot, period, group), &out);
	}
	rs_buf_fini(&out);
}

/* Periods [from, to) of a tier are made. */
static void
roll_up(enum rs_tier tier, int64_t boot, int64_t from, int64_t to)
{
	char text[128];

	sql("BEGIN");
	for (int64_t p = from; p < to; p++)
		put_period(tier, boot, p);
	(void)snprintf(text, sizeof(text), "UPDATE boots SET %s_until = %lld WHERE id = %lld",
	    rs_tiers[tier].name, (long long)to, (long long)boot);
	sql(text);
	sql("COMMIT");
}

/* --- questions --------------------------------------------------------- */

static unsigned damaged;
static atomic_bool is_closing;

static struct rs_query
ask(const char *metric, int64_t after_ms, int64_t before_ms, uint32_t points,
    enum rs_aggregate aggregate)
{
	struct rs_query q = {
	    .after_ms = after_ms, .before_ms = before_ms, .points = points, .aggregate = aggregate};

	(void)snprintf(q.metric, sizeof(q.metric), "%s", metric);
	return q;
}

static struct rs_history *
answer_with(const struct rs_query *q, const struct rs_query_env *env, const struct rs_block *head)
{
	struct rs_history *const h = calloc(1, sizeof(*h));
	struct rs_grid g;

	ck_assert_ptr_nonnull(h);
	ck_assert_int_eq(rs_grid_init(&g, q), 0);
	(void)rs_query_run(db, &g, env, &damaged);
	if (head != NULL)
		rs_grid_add_block(&g, head, env->offset_ms);
	rs_grid_finish(&g, h);
	rs_grid_fini(&g);
	return h;
}

static const struct rs_query_env env_of_boot_1 = {.boot = 1,
    .offset_ms = OFFSET,
    .interval_ms = TICK,
    .head_oldest_ms = 1,
    .deadline_ns = INT64_MAX,
    .is_closing = &is_closing};

static struct rs_history *
answer(const struct rs_query *q)
{
	return answer_with(q, &env_of_boot_1, NULL);
}

static void
check_value(const struct rs_history *h, size_t s, size_t i, double expected)
{
	const double v = h->series[s].values[i];

	if (isnan(expected))
		ck_assert_msg(isnan(v), "value %zu: %g instead of nothing", i, v);
	else
		ck_assert_msg(fabs(v - expected) <= 1e-9 * fabs(expected),
		    "value %zu: %.12g, not %.12g", i, v, expected);
}

static void
check_same(const struct rs_history *h, const struct rs_history *expected)
{
	ck_assert_int_eq(h->status, 0);
	ck_assert_str_eq(h->tier, expected->tier);
	ck_assert_int_eq(h->resolution_ms, expected->resolution_ms);
	ck_assert_uint_eq(h->n_times, expected->n_times);
	ck_assert_uint_eq(h->n_series, expected->n_series);
	for (size_t i = 0; i < h->n_times; i++)
		ck_assert_int_eq(h->time_ms[i], expected->time_ms[i]);
	for (size_t s = 0; s < h->n_series; s++) {
		ck_assert_uint_eq(h->series[s].metric, expected->series[s].metric);
		for (size_t i = 0; i < h->n_times; i++)
			check_value(h, s, i, expected->series[s].values[i]);
	}
}

/* --- the same, however it is stored ------------------------------------- */

/* What has become of the samples. */
static const struct stored_case {
	int64_t minute_until, hour_until; /* hours, days made */
	int64_t raw_from;		  /* minutes; older samples are gone */
	int64_t minutes_from;		  /* hours; older minutes are gone */
} stored_cases[] = {
    {1, 0, 0, 0}, {60, 0, 0, 0}, {60, 2, 0, 0}, {60, 2, 3600, 0}, {60, 2, 3600, 48},
    {50, 1, 3000, 24}, {61, 3, MINUTES, 61}, /* of a boot that is over, all of it */
};

static const struct {
	const char *metric;
	int64_t after_ms, before_ms; /* boot clock */
	uint32_t points;
} same_questions[] = {
    {"core_cpu_seconds", -TICK, 61 * HOUR - TICK, 1000}, /* minutes by four */
    {"core_busy_ratio", -TICK, 61 * HOUR - TICK, 1000},
    {"core_cpu_seconds", -TICK, 61 * HOUR - TICK, 60}, /* hours by two */
    {"core_busy_ratio", -TICK, 61 * HOUR - TICK, 60},
    {"core_cpu_seconds", -TICK, 61 * HOUR - TICK, 7},
    {"core_busy_ratio", -DAY, 30 * DAY, 600}, /* beyond all there is */
    {"core_cpu_seconds", 13 * HOUR - TICK, 14 * HOUR + 30 * MINUTE - TICK, 60},
};

static void
store(const struct stored_case *c)
{
	put_raw(1, RS_MIN(c->raw_from, c->minute_until * 60), MINUTES);
	roll_up(RS_TIER_MINUTE, 1, c->minutes_from, c->minute_until);
	roll_up(RS_TIER_HOUR, 1, 0, c->hour_until);
	if (c->raw_from > 0) {
		char text[128];

		(void)snprintf(text, sizeof(text), "DELETE FROM raw WHERE id < %lld",
		    (long long)rs_raw_key(1, c->raw_from, 0));
		sql(text);
	}
}

START_TEST(an_answer_is_the_same_however_much_is_rolled_up)
{
	const struct stored_case *const c = &stored_cases[_i];
	const size_t n = RS_ARRAY_LEN(same_questions) * 4;
	struct rs_history *expected[RS_ARRAY_LEN(same_questions) * 4];
	struct rs_query q;

	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	for (unsigned round = 0; round < 2; round++) {
		for (size_t i = 0; i < n; i++) {
			q = ask(same_questions[i / 4].metric,
			    same_questions[i / 4].after_ms + OFFSET,
			    same_questions[i / 4].before_ms + OFFSET, same_questions[i / 4].points,
			    (enum rs_aggregate)(i % 4));
			/* What is gone can be in no answer that was made of it. */
			const bool is_hours = i / 4 >= 2 && i / 4 <= 5;
			if (round == 1 && !is_hours && c->minutes_from > 0)
				continue;
			if (round == 0) {
				expected[i] = answer(&q);
				ck_assert_uint_gt(expected[i]->n_times, 0);
				continue;
			}
			struct rs_history *const h = answer(&q);
			check_same(h, expected[i]);
			ck_assert_str_eq(h->tier, is_hours ? "hour" : "minute");
			ck_assert_uint_eq(damaged, 0);
			rs_history_free(h);
		}
		if (round == 0) {
			sql("DELETE FROM raw");
			store(c);
		}
	}
	for (size_t i = 0; i < n; i++)
		rs_history_free(expected[i]);
}
END_TEST

/* --- which tier answers ------------------------------------------------- */

/* Wall clock in hours: newest values at NOW. */
#define NOW INT64_C(480000)

/* How far back raw, minute and hour reach, range and points -> tier and step. */
static const struct choice_case {
	int64_t oldest_h[RS_TIER_COUNT];
	int64_t after_h, before_h;
	uint32_t points;
	enum rs_tier tier;
	int64_t step_ms;
} choice_cases[] = {
    /* all there: the coarsest whose slot is no longer than a step */
    {{0, 0, 0}, NOW - 1, NOW, 60, RS_TIER_MINUTE, MINUTE},
    {{0, 0, 0}, NOW - 1, NOW, 61, RS_TIER_RAW, 60 * SECOND},
    {{0, 0, 0}, NOW - 24, NOW, 600, RS_TIER_MINUTE, 3 * MINUTE},
    {{0, 0, 0}, NOW - 24, NOW, 1440, RS_TIER_MINUTE, MINUTE},
    {{0, 0, 0}, NOW - 168, NOW, 168, RS_TIER_HOUR, HOUR},
    {{0, 0, 0}, NOW - 168, NOW, 100, RS_TIER_HOUR, 2 * HOUR},
    {{0, 0, 0}, NOW - 8760, NOW, 600, RS_TIER_HOUR, 15 * HOUR},
    /* slots that are large for the range would fray its ends */
    {{0, 0, 0}, NOW - 3, NOW, 1, RS_TIER_MINUTE, 3 * HOUR},
    {{0, 0, 0}, NOW - 24, NOW, 24, RS_TIER_MINUTE, HOUR},
    {{0, 0, 0}, NOW - 60, NOW, 1, RS_TIER_HOUR, 60 * HOUR},
    /* without points the finest */
    {{0, 0, 0}, NOW - 1, NOW, 0, RS_TIER_RAW, TICK},
    {{0, 0, 0}, NOW - 24, NOW, 0, RS_TIER_RAW, TICK},
    /* but no more than 100000 values */
    {{0, 0, 0}, NOW - 277, NOW, 0, RS_TIER_RAW, TICK},
    {{0, 0, 0}, NOW - 278, NOW, 0, RS_TIER_MINUTE, MINUTE},
    {{0, 0, 0}, NOW - 1666, NOW, 0, RS_TIER_MINUTE, MINUTE},
    {{0, 0, 0}, NOW - 1667, NOW, 0, RS_TIER_HOUR, HOUR},
    {{0, 0, 0}, 0, NOW, 0, RS_TIER_HOUR, HOUR}, /* too many, whatever is done */
    /* a range that is longer than what there is */
    {{NOW - 2, NOW - 2, NOW - 2}, NOW - 8760, NOW, 0, RS_TIER_RAW, TICK},
    {{NOW - 2, NOW - 2, NOW - 2}, NOW - 8760, NOW + 9000, 0, RS_TIER_RAW, TICK},
    /* the coarser one goes further back */
    {{NOW - 168, NOW - 2160, 0}, NOW - 168, NOW, 0, RS_TIER_RAW, TICK},
    {{NOW - 168, NOW - 2160, 0}, NOW - 169, NOW, 0, RS_TIER_MINUTE, MINUTE},
    {{NOW - 168, NOW - 2160, 0}, NOW - 169, NOW, 100000, RS_TIER_MINUTE, MINUTE},
    {{NOW - 168, NOW - 2160, 0}, NOW - 2160, NOW - 2000, 0, RS_TIER_MINUTE, MINUTE},
    {{NOW - 168, NOW - 2160, 0}, NOW - 2161, NOW - 2000, 0, RS_TIER_HOUR, HOUR},
    {{NOW - 168, NOW - 2160, 0}, NOW - 2161, NOW - 2000, 9999, RS_TIER_HOUR, HOUR},
    /* further back than any: as far as there is something */
    {{NOW - 168, NOW - 2160, NOW - 9000}, 0, NOW, 100000, RS_TIER_HOUR, 5 * HOUR},
    {{NOW - 168, NOW - 2160, NOW - 9000}, 0, NOW, 0, RS_TIER_HOUR, HOUR},
    /* by less than a slot: no reason to be coarse */
    {{NOW - 168, NOW - 168, NOW - 168}, NOW - 9000, NOW - 167, 0, RS_TIER_RAW, TICK},
    /* minutes and hours are kept for less than samples */
    {{0, NOW - 48, NOW - 48}, NOW - 72, NOW, 72, RS_TIER_RAW, HOUR},
    {{0, 0, NOW - 48}, NOW - 72, NOW, 72, RS_TIER_MINUTE, HOUR},
    /* nothing anywhere */
    {{INT64_MAX, INT64_MAX, INT64_MAX}, NOW - 24, NOW, 0, RS_TIER_RAW, TICK},
    {{INT64_MAX, INT64_MAX, INT64_MAX}, NOW - 24, NOW, 600, RS_TIER_MINUTE, 3 * MINUTE},
};

START_TEST(the_tier_suits_the_question)
{
	const struct choice_case *const c = &choice_cases[_i];
	const struct rs_query q =
	    ask("state", c->after_h * HOUR, c->before_h * HOUR, c->points, RS_AVG);
	struct rs_reach reach = {.newest_ms = NOW * HOUR, .phase_ms = 123};
	struct rs_grid_span span;
	struct rs_grid g;

	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++) {
		const int64_t h = c->oldest_h[t];

		reach.oldest_ms[t] = h == INT64_MAX ? INT64_MAX : h * HOUR;
		if (h == INT64_MAX)
			reach.newest_ms = INT64_MIN;
	}
	rs_reach_choose(&reach, &q, &env_of_boot_1, &span);
	ck_assert_str_eq(rs_tiers[span.tier].name, rs_tiers[c->tier].name);
	ck_assert_int_eq(rs_grid_init(&g, &q), 0);
	const int r = rs_grid_set_axis(&g, &span);
	ck_assert_int_eq(r, c->after_h == 0 && c->points == 0 && c->oldest_h[2] == 0 ? -E2BIG : 0);
	ck_assert_int_eq(g.step_ms, c->step_ms);
	ck_assert(c->points == 0 || g.n_steps <= c->points);
	rs_grid_fini(&g);
}
END_TEST

START_TEST(a_tier_that_is_asked_for_answers)
{
	static const struct {
		enum rs_tier_wish wish;
		uint32_t points;
		int64_t after_h;
		enum rs_tier tier;
	} cases[] = {
	    {RS_TIER_ONLY_RAW, 600, NOW - 24, RS_TIER_RAW},
	    {RS_TIER_ONLY_MINUTE, 0, NOW - 1, RS_TIER_MINUTE},
	    {RS_TIER_ONLY_HOUR, 600, NOW - 1, RS_TIER_HOUR},
	    {RS_TIER_FINEST, 0, NOW - 1, RS_TIER_RAW},
	    {RS_TIER_FINEST, 10, NOW - 2, RS_TIER_RAW},
	    {RS_TIER_FINEST, 0, NOW - 200, RS_TIER_MINUTE}, /* raw reaches back to NOW - 168 */
	    {RS_TIER_FINEST, 0, NOW - 3000, RS_TIER_HOUR},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(cases); i++) {
		struct rs_query q =
		    ask("state", cases[i].after_h * HOUR, NOW * HOUR, cases[i].points, RS_AVG);
		const struct rs_reach reach = {
		    .oldest_ms = {(NOW - 168) * HOUR, (NOW - 2160) * HOUR, 0},
		    .newest_ms = NOW * HOUR};
		struct rs_grid_span span;

		q.tier = cases[i].wish;
		rs_reach_choose(&reach, &q, &env_of_boot_1, &span);
		ck_assert_msg(
		    span.tier == cases[i].tier, "case %zu: %s", i, rs_tiers[span.tier].name);
	}
}
END_TEST

/* Less than a slot's difference between tiers, at one minute and a half. */
START_TEST(a_tier_reaches_unless_another_has_a_whole_slot_more)
{
	static const struct {
		int64_t raw_ms, minute_ms, hour_ms;
		enum rs_tier tier;
	} cases[] = {
	    {HOUR, HOUR, HOUR, RS_TIER_RAW},
	    {HOUR, HOUR - MINUTE + 1, HOUR, RS_TIER_RAW},
	    {HOUR, HOUR - MINUTE, HOUR, RS_TIER_MINUTE},
	    {HOUR, HOUR, 1, RS_TIER_RAW},
	    {HOUR, HOUR, 0, RS_TIER_HOUR},
	    {HOUR, HOUR - MINUTE, 1, RS_TIER_MINUTE},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(cases); i++) {
		const struct rs_query q = ask("state", -1, 90 * HOUR, 0, RS_AVG);
		const struct rs_reach reach = {
		    .oldest_ms = {cases[i].raw_ms, cases[i].minute_ms, cases[i].hour_ms},
		    .newest_ms = 80 * HOUR};
		struct rs_grid_span span;

		rs_reach_choose(&reach, &q, &env_of_boot_1, &span);
		ck_assert_msg(
		    span.tier == cases[i].tier, "case %zu: %s", i, rs_tiers[span.tier].name);
	}
}
END_TEST

/* A boot that is over after an hour: nothing of it lies in a range behind that,
 * though the day of its row goes on. */
START_TEST(a_row_whose_values_are_all_older_reaches_nowhere)
{
	const int64_t start = OFFSET + 2 * HOUR; /* of the next boot */
	struct rs_query_env env = env_of_boot_1;

	add_boot(1, OFFSET);
	n_minutes = 60;
	put_raw(1, 0, 60);
	roll_up(RS_TIER_MINUTE, 1, 0, 1);
	roll_up(RS_TIER_HOUR, 1, 0, 1);
	add_boot(2, start);
	put_raw(2, 0, 30);
	env.boot = 2;
	env.offset_ms = start;
	for (unsigned i = 0; i < 2; i++) {
		const struct rs_query q = ask("core_busy_ratio",
		    start - (i == 0 ? 30 : 90) * MINUTE, start + HOUR, 0, RS_AVG);
		struct rs_history *const h = answer_with(&q, &env, NULL);

		ck_assert_str_eq(h->tier, "raw");
		ck_assert_int_eq(h->time_ms[0], i == 0 ? start : start - 90 * MINUTE + TICK);
		rs_history_free(h);
	}
	sql("DELETE FROM raw WHERE id < 2 << 40");
	const struct rs_query q =
	    ask("core_busy_ratio", start - 90 * MINUTE, start + HOUR, 0, RS_AVG);
	struct rs_history *const h = answer_with(&q, &env, NULL);
	ck_assert_str_eq(h->tier, "minute");
	rs_history_free(h);
}
END_TEST

/* --- edges, peaks, clocks ------------------------------------------------ */

/* The range of each answer's values is the range asked for, but for slots across
 * its ends of which only the whole is known. */
START_TEST(ends_of_a_range_are_exact_where_samples_are_there)
{
	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	for (unsigned round = 0; round < 2; round++) {
		/* (10:03:25, 11:33:25], in steps of a minute: a part of one more is at
		 * the beginning and not told. */
		struct rs_query q = ask("core_cpu_seconds", OFFSET + 603 * MINUTE + 25 * SECOND,
		    OFFSET + 693 * MINUTE + 25 * SECOND, 90, RS_SUM);
		q.n_filters = 1;
		q.filters[0].label = rs_label_names[5];
		(void)snprintf(q.filters[0].value, sizeof(q.filters[0].value), "user");
		struct rs_history *const h = answer(&q);

		ck_assert_str_eq(h->tier, "minute");
		ck_assert_uint_eq(h->n_times, 90);
		for (size_t i = 0; i < 89; i++)
			ck_assert_int_eq(
			    h->time_ms[i], OFFSET + (605 + (int64_t)i) * MINUTE - TICK);
		ck_assert_int_eq(h->time_ms[89], OFFSET + 693 * MINUTE + 20 * SECOND);
		check_value(h, 0, 0, (double)bucket_of(0, 604, 1).sum / 100);
		check_value(h, 0, 88, NAN);
		check_value(h, 0, 89,
		    (double)(value_of(0, 693, 0) + value_of(0, 693, 1) + value_of(0, 693, 2)) /
			100);
		rs_history_free(h);
		roll_up(RS_TIER_MINUTE, 1, 0, 11);
		sql("DELETE FROM raw WHERE id < (1 << 40) + (660 << 12)");
	}
}
END_TEST

START_TEST(a_peak_of_one_tick_is_there_in_every_tier)
{
	static const uint32_t points[] = {100000, 1000, 60, 1};
	static const char *const tiers[] = {"raw", "minute", "hour", "hour"};

	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	roll_up(RS_TIER_MINUTE, 1, 0, 60);
	roll_up(RS_TIER_HOUR, 1, 0, 2);
	for (size_t i = 0; i < RS_ARRAY_LEN(points); i++) {
		const struct rs_query q = ask("core_busy_ratio", OFFSET - TICK,
		    OFFSET + 61 * HOUR - TICK, points[i], RS_MAX_OF);
		struct rs_history *const h = answer(&q);
		size_t peaks = 0;

		ck_assert_str_eq(h->tier, tiers[i]);
		for (size_t t = 0; t < h->n_times; t++)
			peaks += fabs(h->series[0].values[t] - 0.9) < 1e-12;
		ck_assert_uint_ge(peaks, i == 3 ? 1 : 15);
		rs_history_free(h);
	}
}
END_TEST

/* The clock of the second boot is 20 s off the minutes of the first one: its
 * buckets are told with those of the steps that hold their middle. */
START_TEST(buckets_of_another_phase_belong_to_the_step_of_their_middle)
{
	static const int64_t phases[] = {20, 29, 31, 50};
	const int64_t shift = 600 * HOUR + phases[_i] * SECOND;
	const struct rs_query q = ask("core_busy_ratio", OFFSET + 10 * HOUR - TICK,
	    OFFSET + 603 * HOUR - TICK, 20000, RS_AVG);
	struct rs_query_env env = env_of_boot_1;

	add_boot(1, OFFSET);
	n_minutes = 660;
	roll_up(RS_TIER_MINUTE, 1, 0, 11);
	add_boot(2, OFFSET + shift);
	put_raw(2, 0, 61);
	n_minutes = 61;
	roll_up(RS_TIER_MINUTE, 2, 0, 1);
	/* Steps end with minutes of boot 2. */
	env.boot = 2;
	env.offset_ms = OFFSET + shift;
	struct rs_history *const h = answer_with(&q, &env, NULL);
	n_minutes = 660;
	ck_assert_str_eq(h->tier, "minute");
	ck_assert_int_eq(h->resolution_ms, 2 * MINUTE);
	for (size_t i = 0; i < h->n_times; i++)
		ck_assert_int_eq((h->time_ms[i] + TICK - OFFSET - shift) % MINUTE, 0);
	/* The first value is of minute 600, alone or with the one behind it. */
	const struct rs_bucket one = bucket_of(1, 600, 1), two = bucket_of(1, 600, 2);
	const double v = h->series[0].values[0] * 10000;
	ck_assert(fabs(v - (double)one.sum / one.count) < 1e-6 ||
		  fabs(v - (double)two.sum / two.count) < 1e-6);
	const int64_t middle = 10 * HOUR + 30 * SECOND - TICK;
	ck_assert_int_ge(h->time_ms[0] - OFFSET, middle);
	ck_assert_int_lt(h->time_ms[0] - OFFSET, middle + 2 * MINUTE);
	rs_history_free(h);
}
END_TEST

/* --- the head ------------------------------------------------------------ */

START_TEST(the_minute_that_is_not_over_is_in_every_tier)
{
	static const uint32_t points[] = {0, 200, 60};
	struct rs_block *const b = test_block(4, TICK * RS_NS_PER_MS, MINUTES, OFFSET);
	struct rs_query_env env = env_of_boot_1;
	const int64_t now = OFFSET + MINUTES * MINUTE + 3 * TICK;

	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	roll_up(RS_TIER_MINUTE, 1, 0, 60);
	roll_up(RS_TIER_HOUR, 1, 0, 2);
	test_ticks(b, 0, 3);
	test_fill(b, test_series(b, 1, RS_M_CORE_BUSY, test_cpu(0)), 10000);
	env.head_oldest_ms = OFFSET + MINUTES * MINUTE;
	env.head_newest_ms = now + MINUTE;
	for (size_t i = 0; i < RS_ARRAY_LEN(points); i++) {
		const struct rs_query q =
		    ask("core_busy_ratio", now - 61 * HOUR, now, points[i], RS_MAX_OF);
		struct rs_history *const h = answer_with(&q, &env, b);

		ck_assert_str_eq(h->tier, points[i] == 0    ? "raw"
					  : points[i] == 60 ? "hour"
							    : "minute");
		ck_assert_int_le(h->time_ms[h->n_times - 1], now);
		ck_assert_int_ge(h->time_ms[h->n_times - 1], now - TICK);
		check_value(h, 0, h->n_times - 1, 1.0);
		rs_history_free(h);
	}
	rs_block_free(b);
}
END_TEST

START_TEST(a_fresh_start_has_an_answer_of_every_tier)
{
	struct rs_block *const b = test_block(4, TICK * RS_NS_PER_MS, 0, OFFSET);
	static const int64_t ranges[] = {HOUR, DAY, 30 * DAY, 3650 * DAY};
	struct rs_query_env env = env_of_boot_1;

	test_ticks(b, 0, 3);
	test_fill(b, test_series(b, 1, RS_M_CORE_BUSY, test_cpu(0)), 5000);
	env.boot = 0;
	env.head_oldest_ms = OFFSET;
	env.head_newest_ms = OFFSET + 2 * MINUTE;
	for (size_t i = 0; i < RS_ARRAY_LEN(ranges); i++) {
		const struct rs_query q = ask("core_busy_ratio", OFFSET + 2 * TICK - ranges[i],
		    OFFSET + 2 * TICK, 600, RS_AVG);
		struct rs_history *const h = answer_with(&q, &env, b);

		ck_assert_uint_eq(h->n_times, i == 0 ? 3 : 1);
		ck_assert_int_eq(h->time_ms[h->n_times - 1], OFFSET + 2 * TICK);
		check_value(h, 0, 0, 0.5);
		rs_history_free(h);
	}
	rs_block_free(b);
}
END_TEST

/* --- damage ------------------------------------------------------------ */

/* One byte of one row each is wrong. */
START_TEST(a_damaged_row_is_a_gap_and_told)
{
	static const struct {
		const char *table;
		int64_t key;
		uint32_t points;
		double lost_minutes;
	} cases[] = {
	    {"raw", (INT64_C(1) << 40) + (INT64_C(603) << 12), 0, 1},
	    {"minute", (INT64_C(1) << 40) + (INT64_C(10) << 17) + 1, 1000, 60},
	    {"hour", (INT64_C(1) << 40) + (INT64_C(1) << 19) + 4, 60, 1440},
	};
	char text[256];
	struct rs_query q = ask(
	    "core_busy_ratio", OFFSET - TICK, OFFSET + 61 * HOUR - TICK, cases[_i].points, RS_SUM);

	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	roll_up(RS_TIER_MINUTE, 1, 0, 60);
	roll_up(RS_TIER_HOUR, 1, 0, 2);
	struct rs_history *const whole = answer(&q);
	(void)snprintf(text, sizeof(text),
	    "UPDATE %s SET data = substr(data, 1, 20) || x'5a' || substr(data, 22) WHERE id = %lld",
	    cases[_i].table, (long long)cases[_i].key);
	sql(text);
	ck_assert_int_eq(sqlite3_changes(db->handle), 1);
	struct rs_history *const h = answer(&q);
	double lost = 0;

	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_ge(damaged, 1);
	for (size_t i = 0, k = 0; i < whole->n_times; i++) {
		while (k < h->n_times && h->time_ms[k] < whole->time_ms[i])
			k++;
		const bool is_there = k < h->n_times && h->time_ms[k] == whole->time_ms[i] &&
				      !isnan(h->series[0].values[k]);
		if (!isnan(whole->series[0].values[i]) && !is_there)
			lost += (double)h->resolution_ms / (double)MINUTE;
	}
	/* Minutes without ticks are not lost. */
	ck_assert_msg(lost > 0 && lost <= cases[_i].lost_minutes, "%g minutes are lost", lost);
	rs_history_free(h);
	rs_history_free(whole);
}
END_TEST

/* Overwrites the page in the file that has the bytes of a row. */
static void
spoil_page(const char *table, int64_t key)
{
	enum { PAGE = 4096 };
	struct rs_error e = {0};
	unsigned char wanted[16];
	char text[128];
	sqlite3_stmt *st = NULL;
	size_t at = 0;

	(void)snprintf(text, sizeof(text), "SELECT substr(data, -16) FROM %s WHERE id = %lld",
	    table, (long long)key);
	ck_assert_int_eq(sqlite3_prepare_v2(db->handle, text, -1, &st, NULL), SQLITE_OK);
	ck_assert_int_eq(sqlite3_step(st), SQLITE_ROW);
	ck_assert_int_eq(sqlite3_column_bytes(st, 0), sizeof(wanted));
	memcpy(wanted, sqlite3_column_blob(st, 0), sizeof(wanted));
	(void)sqlite3_finalize(st);
	rs_db_close(db);
	struct test_bytes file = test_read_file(dir.db);
	ck_assert_ptr_nonnull(file.data);
	while (memcmp(file.data + at, wanted, sizeof(wanted)) != 0)
		ck_assert_uint_lt(++at + sizeof(wanted), file.len);
	memset(file.data + at / PAGE * PAGE, 0x5a, PAGE);
	test_write_file(dir.db, file.data, file.len);
	free(file.data);
	ck_assert_msg(rs_db_open(dir.db, &e, &db) == 0, "%s", e.text);
}

START_TEST(a_damaged_page_is_a_gap_and_what_lies_behind_it_is_read)
{
	static const struct {
		const char *table;
		int64_t key;
		uint32_t points;
	} cases[] = {
	    {"raw", (INT64_C(1) << 40) + (INT64_C(2003) << 12), 0},
	    {"raw", (INT64_C(1) << 40) + (INT64_C(0) << 12), 0},
	    {"raw", (INT64_C(1) << 40) + (INT64_C(3601) << 12), 0},
	    {"minute", (INT64_C(1) << 40) + (INT64_C(30) << 17) + 1, 1000},
	};
	const struct rs_query q = ask(
	    "core_busy_ratio", OFFSET - TICK, OFFSET + 61 * HOUR - TICK, cases[_i].points, RS_SUM);

	add_boot(1, OFFSET);
	put_raw(1, 0, MINUTES);
	if (cases[_i].points != 0)
		roll_up(RS_TIER_MINUTE, 1, 0, 60);
	struct rs_history *const whole = answer(&q);
	spoil_page(cases[_i].table, cases[_i].key);
	struct rs_history *const h = answer(&q);
	size_t lost = 0, k = 0, n = 0;

	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_ge(damaged, 1);
	ck_assert_uint_le(damaged, 20);
	ck_assert_str_eq(h->tier, whole->tier);
	for (size_t i = 0; i < whole->n_times; i++) {
		if (isnan(whole->series[0].values[i]))
			continue;
		while (k < h->n_times && h->time_ms[k] < whole->time_ms[i])
			k++;
		if (k == h->n_times || h->time_ms[k] != whole->time_ms[i] ||
		    isnan(h->series[0].values[k]))
			lost++;
		else
			check_value(h, 0, k, whole->series[0].values[i]);
		n++;
	}
	ck_assert_msg(lost > 0 && lost < n / 10, "%zu of %zu values are lost", lost, n);
	rs_history_free(h);
	rs_history_free(whole);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("reach");
	TCase *t = tcase_create("choice");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, the_tier_suits_the_question, 0, RS_ARRAY_LEN(choice_cases));
	tcase_add_test(t, a_tier_that_is_asked_for_answers);
	tcase_add_test(t, a_tier_reaches_unless_another_has_a_whole_slot_more);
	tcase_add_test(t, a_row_whose_values_are_all_older_reaches_nowhere);
	suite_add_tcase(s, t);

	t = tcase_create("same");

	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 120);
	tcase_add_loop_test(
	    t, an_answer_is_the_same_however_much_is_rolled_up, 0, RS_ARRAY_LEN(stored_cases));
	tcase_add_test(t, ends_of_a_range_are_exact_where_samples_are_there);
	tcase_add_test(t, a_peak_of_one_tick_is_there_in_every_tier);
	tcase_add_loop_test(t, buckets_of_another_phase_belong_to_the_step_of_their_middle, 0, 4);
	tcase_add_test(t, the_minute_that_is_not_over_is_in_every_tier);
	tcase_add_test(t, a_fresh_start_has_an_answer_of_every_tier);
	suite_add_tcase(s, t);

	t = tcase_create("damage");
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_add_loop_test(t, a_damaged_row_is_a_gap_and_told, 0, 3);
	tcase_add_loop_test(t, a_damaged_page_is_a_gap_and_what_lies_behind_it_is_read, 0, 4);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * The arithmetic of history: which step a tick falls into, what becomes of
 * several ticks, and where there is nothing.
 */
#include "rs_check.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "grid.h"

/* Boot clock 0 is this wall time. */
#define OFFSET INT64_C(1700000000123)
#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)

static struct rs_query
ask(const char *metric, int64_t after_ms, int64_t before_ms, uint32_t points,
    enum rs_aggregate aggregate)
{
	struct rs_query q = {
	    .after_ms = after_ms, .before_ms = before_ms, .points = points, .aggregate = aggregate};

	(void)snprintf(q.metric, sizeof(q.metric), "%s", metric);
	return q;
}

static void
filter(struct rs_query *q, const char *label, const char *value)
{
	struct rs_filter *const f = &q->filters[q->n_filters++];

	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (strcmp(rs_label_names[i], label) == 0)
			f->label = rs_label_names[i];
	}
	(void)snprintf(f->value, sizeof(f->value), "%s", value);
}

/* The whole way of an answer, with blocks of one boot as the only source. */
static struct rs_history *
answer(const struct rs_query *q, const struct rs_block *const *blocks, size_t n)
{
	struct rs_grid g;
	struct rs_history *const h = calloc(1, sizeof(*h));
	struct rs_grid_span span = {.oldest_ms = INT64_MAX,
	    .newest_ms = INT64_MIN,
	    .interval_ms = SECOND,
	    .phase_ms = OFFSET};

	ck_assert_ptr_nonnull(h);
	ck_assert_int_eq(rs_grid_init(&g, q), 0);
	for (size_t i = 0; i < n; i++) {
		const int64_t start = blocks[i]->minute * MINUTE + OFFSET;

		span.oldest_ms = RS_MIN(span.oldest_ms, start);
		span.newest_ms = RS_MAX(span.newest_ms, start + MINUTE);
	}
	g.status = rs_grid_set_axis(&g, &span);
	for (size_t i = 0; i < n; i++)
		rs_grid_add_block(&g, blocks[i], OFFSET);
	rs_grid_finish(&g, h);
	rs_grid_fini(&g);
	return h;
}

static struct rs_history *
answer_one(const struct rs_query *q, const struct rs_block *b)
{
	return answer(q, &b, 1);
}

static void
check_value(const struct rs_history *h, size_t series, size_t i, double expected)
{
	const double v = h->series[series].values[i];

	if (isnan(expected))
		ck_assert_msg(isnan(v), "step %zu: %g instead of nothing", i, v);
	else
		ck_assert_msg(
		    fabs(v - expected) < 1e-9, "step %zu: %.12g, not %.12g", i, v, expected);
}

/* --- single ticks ------------------------------------------------------ */

START_TEST(every_tick_has_its_due_time_and_rate)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 5, OFFSET);
	const struct rs_query q = ask("core_interrupts", 0, INT64_MAX, 0, RS_AVG);

	test_ticks(b, 0, 60);
	const uint32_t slot = test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(3));
	for (uint32_t t = 0; t < 60; t++)
		rs_block_put(b, slot, t, INT64_C(10) * t);
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_int_eq(h->status, 0);
	ck_assert_int_eq(h->resolution_ms, 1000);
	ck_assert_str_eq(h->tier, "raw");
	ck_assert_uint_eq(h->n_times, 60);
	ck_assert_uint_eq(h->n_series, 1);
	ck_assert_int_eq(h->series[0].labels.cpu, 3);
	for (size_t t = 0; t < 60; t++) {
		ck_assert_int_eq(h->time_ms[t], 5 * MINUTE + (int64_t)t * SECOND + OFFSET);
		check_value(h, 0, t, 10.0 * (double)t);
	}
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(a_range_leaves_its_first_moment_out_and_has_its_last)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_query q =
	    ask("core_interrupts", OFFSET + 10 * SECOND, OFFSET + 20 * SECOND, 0, RS_AVG);

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_uint_eq(h->n_times, 10);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 11 * SECOND);
	ck_assert_int_eq(h->time_ms[9], OFFSET + 20 * SECOND);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(a_first_step_that_is_not_whole_has_only_what_is_in_range)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_query q =
	    ask("core_interrupts", OFFSET + 10 * SECOND, OFFSET + 20 * SECOND, 3, RS_SUM);

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_int_eq(h->resolution_ms, 4 * SECOND);
	ck_assert_uint_eq(h->n_times, 3);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 12 * SECOND);
	check_value(h, 0, 0, 2); /* ticks 11 and 12, not 10 */
	check_value(h, 0, 1, 4);
	check_value(h, 0, 2, 4);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

/* A range that ends between the last tick of the axis and one of another boot. */
START_TEST(ranges_that_join_have_the_ticks_of_every_boot_once)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_grid_span span = {.oldest_ms = OFFSET,
	    .newest_ms = OFFSET + MINUTE,
	    .interval_ms = SECOND,
	    .phase_ms = OFFSET + 600};
	double sum = 0;

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 1);
	for (int64_t at = -300; at < 60 * SECOND; at += 5500) {
		const struct rs_query q = ask("core_interrupts", OFFSET + at,
		    OFFSET + RS_MIN(at + 5500, 60 * SECOND), 0, RS_SUM);
		struct rs_history h = {0};
		struct rs_grid g;

		ck_assert_int_eq(rs_grid_init(&g, &q), 0);
		ck_assert_int_eq(rs_grid_set_axis(&g, &span), 0);
		rs_grid_add_block(&g, b, OFFSET);
		rs_grid_finish(&g, &h);
		ck_assert_uint_eq(h.n_series, 1);
		for (size_t i = 0; i < h.n_times; i++)
			sum += isnan(h.series[0].values[i]) ? 0 : h.series[0].values[i];
		free(h.series[0].values);
		free(h.series);
		free(h.time_ms);
		rs_grid_fini(&g);
	}
	ck_assert_double_eq(sum, 60);
	rs_block_free(b);
}
END_TEST

START_TEST(missed_ticks_are_seen_as_nothing_between_values)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_query q = ask("core_interrupts", 0, INT64_MAX, 0, RS_AVG);

	test_ticks(b, 10, 12);
	test_ticks(b, 14, 16);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 7);
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_uint_eq(h->n_times, 6);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 10 * SECOND);
	for (size_t i = 0; i < 6; i++)
		check_value(h, 0, i, i == 2 || i == 3 ? NAN : 7);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(a_series_that_is_not_there_all_the_time_has_gaps)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_query q = ask("core_interrupts", 0, INT64_MAX, 0, RS_AVG);

	test_ticks(b, 0, 4);
	const uint32_t late = test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(1));
	rs_block_put(b, late, 2, 5);
	test_fill(b, test_series(b, 2, RS_M_CORE_INTERRUPTS, test_cpu(0)), 0);
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_uint_eq(h->n_series, 2);
	ck_assert_int_eq(h->series[0].labels.cpu, 0);
	for (size_t i = 0; i < 4; i++) {
		check_value(h, 0, i, 0);
		check_value(h, 1, i, i == 2 ? 5 : NAN);
	}
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(a_rate_is_over_the_length_the_tick_had)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	struct rs_query q = ask("core_cpu_seconds", 0, INT64_MAX, 0, RS_AVG);

	test_ticks(b, 0, 4);
	b->length_us[0] = 0; /* the first ever: no rate can be known */
	b->length_us[2] = 2500000;
	const uint32_t slot = test_series(b, 1, RS_M_CPU_SOFTIRQ, test_cpu(0));
	test_fill(b, slot, 50);
	struct rs_history *h = answer_one(&q, b);

	ck_assert_uint_eq(h->n_times, 3);
	ck_assert_int_eq(h->time_ms[0], OFFSET + SECOND);
	check_value(h, 0, 0, 0.5);
	check_value(h, 0, 1, 0.2);
	check_value(h, 0, 2, 0.5);
	rs_history_free(h);

	q.aggregate = RS_SUM;
	h = answer_one(&q, b);
	ck_assert_uint_eq(h->n_times, 4);
	check_value(h, 0, 0, 0.5);
	check_value(h, 0, 2, 0.5);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

/* --- steps ------------------------------------------------------------- */

/* Ten ticks of a counter (scale 100, 2 s in the fourth tick) and a gauge
 * (scale 10000), asked for in steps of five. */
static const struct step_case {
	const char *metric;
	enum rs_aggregate aggregate;
	double expected[2];
} step_cases[] = {
    /* counter: 100 in each tick but 900 in tick 7; 1 s each but 2 s in tick 3 */
    {"core_cpu_seconds", RS_AVG, {5.0 / 6, 13.0 / 5}},
    {"core_cpu_seconds", RS_MIN, {0.5, 1}},
    {"core_cpu_seconds", RS_MAX_OF, {1, 9}},
    {"core_cpu_seconds", RS_SUM, {5, 13}},
    /* gauge: 0.1 * tick */
    {"core_busy_ratio", RS_AVG, {0.3, 0.8}},
    {"core_busy_ratio", RS_MIN, {0.1, 0.6}},
    {"core_busy_ratio", RS_MAX_OF, {0.5, 1.0}},
    {"core_busy_ratio", RS_SUM, {1.5, 4.0}},
};

START_TEST(steps_hold_average_peaks_and_sums)
{
	const struct step_case *const c = &step_cases[_i];
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 0, OFFSET);
	const struct rs_query q = ask(c->metric, OFFSET, OFFSET + 10 * SECOND, 2, c->aggregate);

	test_ticks(b, 1, 11);
	b->length_us[3] = 2000000;
	const uint32_t counter = test_series(b, 1, RS_M_CPU_USER, test_cpu(0));
	const uint32_t gauge = test_series(b, 2, RS_M_CORE_BUSY, test_cpu(0));
	for (uint32_t t = 1; t < 11; t++) {
		rs_block_put(b, counter, t, t == 7 ? 900 : 100);
		rs_block_put(b, gauge, t, INT64_C(1000) * t);
	}
	struct rs_history *const h = answer_one(&q, b);

	ck_assert_int_eq(h->resolution_ms, 5000);
	ck_assert_uint_eq(h->n_times, 2);
	ck_assert_int_eq(h->time_ms[0], OFFSET + 5 * SECOND);
	ck_assert_int_eq(h->time_ms[1], OFFSET + 10 * SECOND);
	check_value(h, 0, 0, c->expected[0]);
	check_value(h, 0, 1, c->expected[1]);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

/* The axis alone: range, points -> step, number of steps, first and last end.
 * Ticks are at whole seconds plus 123 ms. */
static const struct axis_case {
	int64_t after_ms, before_ms;
	uint32_t points;
	int64_t step_ms;
	size_t n_steps;
	int64_t first_ms, last_ms;
} axis_cases[] = {
    {123, 600123, 600, 1000, 600, 1123, 600123},
    {123, 600123, 60, 10000, 60, 10123, 600123},
    {123, 600123, 599, 2000, 300, 2123, 600123},
    {123, 600123, 1, 600000, 1, 600123, 600123},
    {0, 600000, 60, 10000, 60, 9123, 599123},
    {0, 600000, 0, 1000, 600, 123, 599123},
    {122, 600123, 600, 2000, 301, 123, 600123}, /* 600.001 s in 600 steps */
    {500, 700, 10, 1000, 0, 0, 0},		/* between two ticks */
    {-5000, 2000, 0, 1000, 2, 123, 1123},	/* nothing is older than 0 */
    {3599123, 9999999, 0, 1000, 1, 3600123, 3600123},
};

START_TEST(an_axis_has_at_most_the_points_asked_for)
{
	const struct axis_case *const c = &axis_cases[_i];
	const struct rs_query q = ask("state", c->after_ms, c->before_ms, c->points, RS_AVG);
	const struct rs_grid_span span = {
	    .oldest_ms = 0, .newest_ms = 3600123, .interval_ms = 1000, .phase_ms = 123};
	struct rs_grid g;

	ck_assert_int_eq(rs_grid_init(&g, &q), 0);
	ck_assert_int_eq(rs_grid_set_axis(&g, &span), 0);
	ck_assert_int_eq(g.step_ms, c->step_ms);
	ck_assert_uint_eq(g.n_steps, c->n_steps);
	ck_assert(c->points == 0 || g.n_steps <= c->points);
	if (g.n_steps > 0) {
		ck_assert_int_eq(g.first_end_ms, c->first_ms);
		ck_assert_int_eq(g.first_end_ms + (int64_t)(g.n_steps - 1) * g.step_ms, c->last_ms);
	}
	rs_grid_fini(&g);
}
END_TEST

START_TEST(too_many_points_are_an_error)
{
	struct rs_query q = ask("state", 0, INT64_MAX, 0, RS_AVG);
	struct rs_grid_span span = {.oldest_ms = 1000,
	    .newest_ms = 1000 * (int64_t)RS_QUERY_POINTS_MAX,
	    .interval_ms = 1000,
	    .phase_ms = 0};
	struct rs_grid g;

	ck_assert_int_eq(rs_grid_init(&g, &q), 0);
	ck_assert_int_eq(rs_grid_set_axis(&g, &span), 0);
	ck_assert_uint_eq(g.n_steps, RS_QUERY_POINTS_MAX);
	span.newest_ms += 1000;
	ck_assert_int_eq(rs_grid_set_axis(&g, &span), -E2BIG);
	rs_grid_fini(&g);
}
END_TEST

START_TEST(too_many_values_are_an_error)
{
	const uint32_t max = RS_GRID_CELLS_MAX / 60;
	struct rs_block *const b = test_block(max + 1, SECOND * RS_NS_PER_MS, 0, 0);
	const struct rs_query q = ask("core_interrupts", -1, 59 * SECOND, 0, RS_AVG);

	test_ticks(b, 0, 60);
	for (uint32_t i = 0; i < max; i++)
		test_fill(b, test_series(b, i + 1, RS_M_CORE_INTERRUPTS, test_cpu((int32_t)i)), 1);
	/* Axis as in answer(), but the offset is 0 here. */
	for (unsigned round = 0; round < 2; round++) {
		struct rs_grid g;
		const struct rs_grid_span span = {
		    .oldest_ms = 0, .newest_ms = MINUTE, .interval_ms = SECOND};
		struct rs_history *const h = calloc(1, sizeof(*h));

		ck_assert_ptr_nonnull(h);
		ck_assert_int_eq(rs_grid_init(&g, &q), 0);
		ck_assert_int_eq(rs_grid_set_axis(&g, &span), 0);
		rs_grid_add_block(&g, b, 0);
		rs_grid_finish(&g, h);
		ck_assert_int_eq(h->status, round == 0 ? 0 : -E2BIG);
		ck_assert_uint_eq(h->n_series, round == 0 ? max : 0);
		rs_history_free(h);
		rs_grid_fini(&g);
		if (round == 0)
			test_fill(b,
			    test_series(b, max + 1, RS_M_CORE_INTERRUPTS, test_cpu((int32_t)max)),
			    1);
	}
	rs_block_free(b);
}
END_TEST

START_TEST(an_empty_range_is_refused)
{
	struct rs_grid g;
	struct rs_query q = ask("state", 5, 5, 0, RS_AVG);

	ck_assert_int_eq(rs_grid_init(&g, &q), -EINVAL);
	q.after_ms = INT64_MAX;
	q.before_ms = INT64_MIN;
	ck_assert_int_eq(rs_grid_init(&g, &q), -EINVAL);
}
END_TEST

START_TEST(the_whole_of_time_is_a_range)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 1, OFFSET);
	struct rs_query q = ask("core_interrupts", INT64_MIN, INT64_MAX, 1, RS_SUM);

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 2);
	struct rs_history *h = answer_one(&q, b);
	ck_assert_uint_eq(h->n_times, 1);
	check_value(h, 0, 0, 120);
	rs_history_free(h);

	q.points = UINT32_MAX;
	h = answer_one(&q, b);
	ck_assert_int_eq(h->status, 0);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(nothing_in_range_is_an_empty_answer)
{
	struct rs_block *const b = test_block(4, SECOND * RS_NS_PER_MS, 1, OFFSET);
	const struct rs_query q = ask("core_interrupts", 0, 1000, 10, RS_AVG);

	test_ticks(b, 0, 60);
	test_fill(b, test_series(b, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 2);
	struct rs_history *const h = answer_one(&q, b);
	ck_assert_int_eq(h->status, 0);
	ck_assert_uint_eq(h->n_times, 0);
	ck_assert_uint_eq(h->n_series, 0);
	ck_assert_int_eq(h->resolution_ms, 1000);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(blocks_of_another_interval_share_the_axis)
{
	struct rs_block *const fine = test_block(4, 200 * RS_NS_PER_MS, 0, OFFSET);
	struct rs_block *const coarse = test_block(4, 10 * SECOND * RS_NS_PER_MS, 1, OFFSET);
	const struct rs_block *const blocks[] = {fine, coarse};
	const struct rs_query q =
	    ask("core_interrupts", OFFSET + 58 * SECOND, OFFSET + 81 * SECOND, 0, RS_AVG);

	test_ticks(fine, 0, 300);
	test_fill(fine, test_series(fine, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 4);
	test_ticks(coarse, 0, 6);
	test_fill(coarse, test_series(coarse, 1, RS_M_CORE_INTERRUPTS, test_cpu(0)), 300);
	struct rs_history *const h = answer(&q, blocks, 2);

	ck_assert_int_eq(h->resolution_ms, 1000);
	ck_assert_uint_eq(h->n_times, 22);
	check_value(h, 0, 0, 20); /* five ticks of 4 in 200 ms */
	/* the step (59 s, 60 s]: four fine ticks and a coarse one */
	check_value(h, 0, 1, (4 * 4 + 300) / (4 * 0.2 + 10));
	for (size_t i = 2; i < 22; i++)
		check_value(h, 0, i, i == 11 || i == 21 ? 30 : NAN);
	rs_history_free(h);
	rs_block_free(fine);
	rs_block_free(coarse);
}
END_TEST

/* --- which series ------------------------------------------------------ */

static struct rs_block *
block_of_labels(void)
{
	struct rs_block *const b = test_block(16, SECOND * RS_NS_PER_MS, 0, OFFSET);
	uint32_t uid = 1;

	test_ticks(b, 1, 3);
	test_fill(b, test_series(b, uid++, RS_M_NIC_TX_BYTES, test_device("eth1")), 1);
	test_fill(b, test_series(b, uid++, RS_M_NIC_RX_BYTES, test_device("eth1")), 2);
	test_fill(b, test_series(b, uid++, RS_M_NIC_RX_BYTES, test_device("eth0")), 3);
	test_fill(b, test_series(b, uid++, RS_M_NIC_TX_BYTES, test_device("eth0")), 4);
	test_fill(b, test_series(b, uid++, RS_M_NIC_RX_PACKETS, test_device("eth0")), 5);
	test_fill(b, test_series(b, uid++, RS_M_NIC_RX_BYTES, test_device("wan")), 6);
	test_series(b, 0, RS_M_NIC_RX_BYTES, test_device("hole"));
	test_series(b, uid++, RS_M_NIC_RX_BYTES, test_device("silent"));
	return b;
}

static const struct filter_case {
	const char *metric;
	const char *filters[6]; /* label, value, ... */
	double expected[8];	/* values in the order of the answer; ends with 0 */
} filter_cases[] = {
    {"interface_bytes", {0}, {3, 2, 6, 4, 1}},
    {"interface_bytes", {"direction", "rx"}, {3, 2, 6}},
    {"interface_bytes", {"device", "eth0"}, {3, 4}},
    {"interface_bytes", {"device", "eth0", "device", "wan"}, {3, 6, 4}},
    {"interface_bytes", {"device", "eth0", "device", "eth1", "direction", "tx"}, {4, 1}},
    {"interface_bytes", {"device", "eth"}, {0}},
    {"interface_bytes", {"cpu", "0"}, {0}},
    {"interface_packets", {0}, {5}},
    {"interface", {0}, {0}},
};

START_TEST(filters_are_either_within_a_label_and_all_across_labels)
{
	const struct filter_case *const c = &filter_cases[_i];
	struct rs_block *const b = block_of_labels();
	struct rs_query q = ask(c->metric, 0, INT64_MAX, 0, RS_AVG);

	for (size_t i = 0; i < 6 && c->filters[i] != NULL; i += 2)
		filter(&q, c->filters[i], c->filters[i + 1]);
	struct rs_history *const h = answer_one(&q, b);
	size_t n = 0;
	while (c->expected[n] > 0)
		n++;
	ck_assert_uint_eq(h->n_series, n);
	for (size_t i = 0; i < n; i++)
		check_value(h, i, 0, c->expected[i]);
	rs_history_free(h);
	rs_block_free(b);
}
END_TEST

START_TEST(many_series_are_all_found_again)
{
	struct rs_keymap m = {0};
	uint32_t at;

	for (int32_t i = 0; i < 5000; i++) {
		const struct rs_labels l = test_cpu(i);

		ck_assert_uint_eq(rs_keymap_find(&m, 3, &l), RS_KEY_NONE);
		ck_assert_int_eq(rs_keymap_put(&m, 3, &l, &at), 0);
		ck_assert_uint_eq(at, (uint32_t)i);
	}
	for (int32_t i = 0; i < 5000; i++) {
		const struct rs_labels l = test_cpu(i);

		ck_assert_uint_eq(rs_keymap_find(&m, 3, &l), (uint32_t)i);
		ck_assert_int_eq(rs_keymap_put(&m, 3, &l, &at), 0);
		ck_assert_uint_eq(at, (uint32_t)i);
		ck_assert_uint_eq(rs_keymap_find(&m, 4, &l), RS_KEY_NONE);
	}
	ck_assert_uint_eq(m.n, 5000);
	rs_keymap_fini(&m);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("query");
	TCase *t = tcase_create("ticks");

	tcase_add_test(t, every_tick_has_its_due_time_and_rate);
	tcase_add_test(t, a_range_leaves_its_first_moment_out_and_has_its_last);
	tcase_add_test(t, a_first_step_that_is_not_whole_has_only_what_is_in_range);
	tcase_add_test(t, ranges_that_join_have_the_ticks_of_every_boot_once);
	tcase_add_test(t, missed_ticks_are_seen_as_nothing_between_values);
	tcase_add_test(t, a_series_that_is_not_there_all_the_time_has_gaps);
	tcase_add_test(t, a_rate_is_over_the_length_the_tick_had);
	suite_add_tcase(s, t);

	t = tcase_create("steps");
	tcase_add_loop_test(t, steps_hold_average_peaks_and_sums, 0, RS_ARRAY_LEN(step_cases));
	tcase_add_loop_test(
	    t, an_axis_has_at_most_the_points_asked_for, 0, RS_ARRAY_LEN(axis_cases));
	tcase_add_test(t, too_many_points_are_an_error);
	tcase_add_test(t, too_many_values_are_an_error);
	tcase_add_test(t, an_empty_range_is_refused);
	tcase_add_test(t, the_whole_of_time_is_a_range);
	tcase_add_test(t, nothing_in_range_is_an_empty_answer);
	tcase_add_test(t, blocks_of_another_interval_share_the_axis);
	suite_add_tcase(s, t);

	t = tcase_create("series");
	tcase_add_loop_test(t, filters_are_either_within_a_label_and_all_across_labels, 0,
	    RS_ARRAY_LEN(filter_cases));
	tcase_add_test(t, many_series_are_all_found_again);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

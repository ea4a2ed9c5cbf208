/* SPDX-License-Identifier: ISC */
/*
 * The arithmetic of history: which step a tick or a bucket belongs to and how
 * several become one value. Counters are rates over the measured length of the
 * ticks, so that a missed tick does not look like a burst. Pure.
 */
#include "grid.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define US_PER_S 1e6
/* Beyond any real time; keeps sums of times away from the ends of int64. */
#define TIME_MAX_MS INT64_C(1000000000000000)

/* Cells of a series. weight: of the average only; seconds (counters) or ticks
 * (gauges), times the scale. */
struct rs_grid_row {
	double *value, *weight;
};

int
rs_grid_init(struct rs_grid *g, const struct rs_query *q)
{
	memset(g, 0, sizeof(*g));
	g->q = *q;
	g->q.after_ms = RS_MAX(q->after_ms, -TIME_MAX_MS);
	g->q.before_ms = RS_MIN(q->before_ms, TIME_MAX_MS);
	g->data_first = SIZE_MAX;
	if (g->q.after_ms >= g->q.before_ms || q->n_filters > RS_QUERY_FILTERS_MAX)
		return -EINVAL;
	for (unsigned i = 0; i < RS_M_COUNT; i++)
		g->wants_metric[i] = strcmp(rs_metrics[i].name, q->metric) == 0;
	return 0;
}

void
rs_grid_fini(struct rs_grid *g)
{
	for (uint32_t i = 0; i < g->keys.n && i < g->cap_rows; i++) {
		free(g->rows[i].value);
		free(g->rows[i].weight);
	}
	free(g->rows);
	g->rows = NULL;
	g->cap_rows = 0;
	rs_keymap_fini(&g->keys);
}

/* Whether one of the filters for this label matches. */
static bool
is_label_wanted(const struct rs_query *q, const char *label, const char *value)
{
	for (size_t i = 0; i < q->n_filters; i++) {
		if (strcmp(q->filters[i].label, label) == 0 &&
		    strcmp(q->filters[i].value, value) == 0)
			return true;
	}
	return false;
}

bool
rs_grid_wants(const struct rs_grid *g, uint16_t metric, const struct rs_labels *labels)
{
	if (metric >= RS_M_COUNT || !g->wants_metric[metric])
		return false;
	for (size_t i = 0; i < g->q.n_filters; i++) {
		const char *const label = g->q.filters[i].label;
		char value[24];

		if (!rs_label_value(&rs_metrics[metric], labels, label, value) ||
		    !is_label_wanted(&g->q, label, value))
			return false;
	}
	return true;
}

/* --- the axis ---------------------------------------------------------- */

/* n / d rounded down, d > 0. */
static int64_t
div_floor(int64_t n, int64_t d)
{
	return n / d - (n % d < 0);
}

static int64_t
div_ceil(int64_t n, int64_t d)
{
	return n / d + (n % d > 0);
}

int64_t
rs_grid_slot_ms(const struct rs_grid_span *span)
{
	return span->tier == RS_TIER_RAW ? span->interval_ms : rs_tiers[span->tier].slot_ms;
}

int
rs_grid_set_axis(struct rs_grid *g, const struct rs_grid_span *span)
{
	const int64_t slot = rs_grid_slot_ms(span);
	const int64_t range = g->q.before_ms - g->q.after_ms;
	const int64_t per_step = (int64_t)RS_MAX(g->q.points, 1u) * slot;

	g->tier = span->tier;
	g->lag_ms = span->interval_ms;
	g->step_ms = g->q.points == 0 ? slot : (range + per_step - 1) / per_step * slot;
	const int64_t oldest = RS_MAX(span->oldest_ms, g->q.after_ms + 1);
	const int64_t newest = RS_MIN(span->newest_ms, g->q.before_ms);
	/* The slot of the last tick in the range ends the last step, which of a tier
	 * is not over then; the others lie whole steps before it. */
	g->last_tick_ms =
	    span->phase_ms +
	    div_floor(g->q.before_ms - span->phase_ms, span->interval_ms) * span->interval_ms;
	const int64_t slot_end = span->phase_ms - span->interval_ms;
	const int64_t last_end = slot_end + div_ceil(g->last_tick_ms - slot_end, slot) * slot;
	if (oldest > newest || oldest > g->last_tick_ms)
		return 0;
	int64_t back_oldest = (last_end - oldest) / g->step_ms;
	const int64_t back_newest = newest >= last_end ? 0 : (last_end - newest) / g->step_ms;
	/* A part of a slot too much, at the beginning. */
	if (g->q.points != 0)
		back_oldest = RS_MIN(back_oldest, (int64_t)g->q.points - 1);
	if (back_oldest < back_newest)
		return 0;
	if (back_oldest - back_newest >= RS_QUERY_POINTS_MAX)
		return -E2BIG;
	g->first_end_ms = last_end - back_oldest * g->step_ms;
	g->n_steps = (size_t)(back_oldest - back_newest + 1);
	return 0;
}

/* --- accumulation ------------------------------------------------------ */

static void
fail(struct rs_grid *g, int status)
{
	if (g->status == 0)
		g->status = status;
}

static int
make_cells(const struct rs_grid *g, struct rs_grid_row *row)
{
	const bool is_average = g->q.aggregate == RS_AVG;

	row->value = calloc(g->n_steps, sizeof(*row->value));
	row->weight = is_average ? calloc(g->n_steps, sizeof(*row->weight)) : NULL;
	if (row->value == NULL || (is_average && row->weight == NULL))
		return -ENOMEM;
	for (size_t i = 0; !is_average && i < g->n_steps; i++)
		row->value[i] = NAN;
	return 0;
}

static int
grow_rows(struct rs_grid *g)
{
	const size_t cap = g->cap_rows == 0 ? 16 : g->cap_rows * 2;
	struct rs_grid_row *const rows = realloc(g->rows, cap * sizeof(*rows));

	if (rows == NULL)
		return -ENOMEM;
	memset(rows + g->cap_rows, 0, (cap - g->cap_rows) * sizeof(*rows));
	g->rows = rows;
	g->cap_rows = cap;
	return 0;
}

/* The row of a series, made when it is new; NULL: the grid has failed. */
static struct rs_grid_row *
row_of(struct rs_grid *g, const struct rs_key *key)
{
	uint32_t i = rs_keymap_find(&g->keys, key->metric, &key->labels);

	if (i != RS_KEY_NONE)
		return &g->rows[i];
	if (g->keys.n >= RS_GRID_CELLS_MAX / g->n_steps) {
		fail(g, -E2BIG);
		return NULL;
	}
	int r = g->keys.n == g->cap_rows ? grow_rows(g) : 0;
	if (r == 0)
		r = rs_keymap_put(&g->keys, key->metric, &key->labels, &i);
	if (r == 0)
		r = make_cells(g, &g->rows[i]);
	if (r < 0) {
		fail(g, r);
		return NULL;
	}
	return &g->rows[i];
}

/* AVG, SUM: a part of what becomes value / weight, or value. MIN, MAX: one of
 * those looked at. */
static void
add_value(const struct rs_grid *g, struct rs_grid_row *row, size_t i, double value, double weight)
{
	double *const cell = &row->value[i];

	switch (g->q.aggregate) {
	case RS_AVG:
		*cell += value;
		row->weight[i] += weight;
		break;
	case RS_MIN:
		*cell = fmin(*cell, value);
		break;
	case RS_MAX_OF:
		*cell = fmax(*cell, value);
		break;
	case RS_SUM:
		*cell = isnan(*cell) ? value : *cell + value;
		break;
	}
}

static void
note_data(struct rs_grid *g, size_t step)
{
	g->data_first = RS_MIN(g->data_first, step);
	g->data_end = RS_MAX(g->data_end, step + 1);
}

/* The first moment that is left out before the axis, and its last one. */
static int64_t
axis_after(const struct rs_grid *g)
{
	return RS_MAX(g->q.after_ms, g->first_end_ms - g->step_ms);
}

static int64_t
axis_last(const struct rs_grid *g)
{
	return g->first_end_ms + (int64_t)(g->n_steps - 1) * g->step_ms;
}

/* The step of time ms, looked for from step i on; both lie on the axis. */
static size_t
step_of(const struct rs_grid *g, size_t i, int64_t ms)
{
	const int64_t end = g->first_end_ms + (int64_t)i * g->step_ms;

	if (ms <= end)
		return i;
	if (ms <= end + g->step_ms)
		return i + 1;
	return i + (size_t)((ms - end + g->step_ms - 1) / g->step_ms);
}

/* Ticks as they are. */
static void
add_ticks(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    const struct rs_chunk_axis *axis, const int64_t *values, const uint64_t *present)
{
	const bool is_rate = rs_metrics[key->metric].kind == RS_COUNTER && g->q.aggregate != RS_SUM;
	/* An average's parts are weighed at the end. */
	const bool is_divided = is_rate && g->q.aggregate != RS_AVG;
	const int64_t start = src->boot_ms + src->offset_ms;
	const int64_t after = axis_after(g);
	/* Ticks of another boot may lie between the last tick of the axis and the end
	 * of the range: they are in no other range. */
	const int64_t last = axis_last(g) == g->last_tick_ms ? g->q.before_ms : axis_last(g);
	struct rs_grid_row *row = NULL;
	size_t i = 0;

	for (uint32_t t = 0; t < axis->ticks; t++) {
		const int64_t at = start + (int64_t)t * axis->interval_ms;

		if (!rs_chunk_bit(present, t) || at <= after || at > last)
			continue;
		/* The first tick ever has no length, so its increment is no rate. */
		if (is_rate && axis->length_us[t] <= 0)
			continue;
		if (row == NULL && (row = row_of(g, key)) == NULL)
			return;
		const double value = (double)values[t] / (double)src->scale;
		const double weight = is_rate ? (double)axis->length_us[t] / US_PER_S : 1.0;
		i = RS_MIN(step_of(g, i, at), g->n_steps - 1);
		add_value(g, row, i, is_divided ? value / weight : value, weight);
		note_data(g, i);
	}
}

/* Boot clock of the middle of a slot: what its ticks measured began one interval
 * before it. */
static int64_t
middle_of(const struct rs_grid *g, int64_t boot_ms, int64_t slot_ms)
{
	return boot_ms - g->lag_ms + slot_ms / 2;
}

/* The bucket of one slot of the grid's tier, or a part of it: a step has whole
 * buckets, but of the range only what is in it. */
static void
add_bucket(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    const struct rs_bucket *b)
{
	const bool is_counter = rs_metrics[key->metric].kind == RS_COUNTER;
	const int64_t slot = rs_tiers[g->tier].slot_ms;
	const int64_t at =
	    middle_of(g, div_floor(src->boot_ms, slot) * slot, slot) + src->offset_ms;
	const double scale = src->scale;
	const double level = is_counter ? scale * RS_BUCKET_RATE_SCALE : scale;

	if (b->count == 0 || at <= g->first_end_ms - g->step_ms)
		return;
	/* Of another boot it may lie across the end. */
	const size_t i = RS_MIN(step_of(g, 0, at), g->n_steps - 1);
	struct rs_grid_row *const row = row_of(g, key);
	if (row == NULL)
		return;
	switch (g->q.aggregate) {
	case RS_AVG:
		add_value(g, row, i, (double)b->sum / scale,
		    is_counter ? (double)b->length_us / US_PER_S : (double)b->count);
		break;
	case RS_MIN:
		add_value(g, row, i, (double)b->min / level, 1);
		break;
	case RS_MAX_OF:
		add_value(g, row, i, (double)b->max / level, 1);
		break;
	case RS_SUM:
		add_value(g, row, i, (double)b->sum / scale, 1);
		break;
	}
	note_data(g, i);
}

/* Ticks of a minute, which are all of one bucket. */
static void
add_minute(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    const struct rs_chunk_axis *axis, const int64_t *values, const uint64_t *present)
{
	const int64_t start = src->boot_ms + src->offset_ms;
	struct rs_bucket b = {0};

	for (uint32_t t = 0; t < axis->ticks; t++) {
		const int64_t at = start + (int64_t)t * axis->interval_ms;

		if (rs_chunk_bit(present, t) && at > g->q.after_ms && at <= g->q.before_ms)
			rs_bucket_add(
			    &b, rs_metrics[key->metric].kind, values[t], axis->length_us[t]);
	}
	add_bucket(g, key, src, &b);
}

void
rs_grid_add(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    const struct rs_chunk_axis *axis, const int64_t *values, const uint64_t *present)
{
	if (g->status != 0 || g->n_steps == 0)
		return;
	if (g->tier == RS_TIER_RAW)
		add_ticks(g, key, src, axis, values, present);
	else
		add_minute(g, key, src, axis, values, present);
}

void
rs_grid_add_bucket(struct rs_grid *g, const struct rs_key *key, const struct rs_grid_source *src,
    enum rs_tier tier, const struct rs_bucket *b)
{
	const int64_t at = middle_of(g, src->boot_ms, rs_tiers[tier].slot_ms) + src->offset_ms;

	if (g->status == 0 && g->n_steps != 0 && at > g->q.after_ms && at <= g->q.before_ms)
		add_bucket(g, key, src, b);
}

void
rs_grid_add_block(struct rs_grid *g, const struct rs_block *b, int64_t offset_ms)
{
	struct rs_chunk_axis axis;
	int64_t column[RS_BLOCK_TICKS_MAX];

	rs_chunk_axis_of(b, &axis);
	for (uint32_t i = 0; i < b->n_series && g->status == 0; i++) {
		const struct rs_block_series *const s = &b->series[i];

		if (s->uid == 0 || !rs_grid_wants(g, s->metric, &s->labels))
			continue;
		const struct rs_key key = {.metric = s->metric, .labels = s->labels};
		const struct rs_grid_source src = {
		    .boot_ms = b->minute * (RS_BLOCK_NS / RS_NS_PER_MS),
		    .offset_ms = offset_ms,
		    .scale = rs_metrics[s->metric].scale};
		for (uint32_t t = 0; t < axis.ticks; t++)
			column[t] = b->values[(size_t)t * b->max_series + i];
		rs_grid_add(
		    g, &key, &src, &axis, column, b->present + (size_t)i * b->present_words);
	}
}

/* --- the answer -------------------------------------------------------- */

struct answer_row {
	const struct rs_key *key;
	struct rs_grid_row *row;
};

static int
by_key(const void *a, const void *b)
{
	const struct answer_row *const left = a, *const right = b;
	return rs_key_compare(left->key, right->key);
}

/* The finished values of a row, n of them from data_first on. */
static double *
take_values(const struct rs_grid *g, struct rs_grid_row *row, size_t n)
{
	double *const values = row->value;

	row->value = NULL;
	memmove(values, values + g->data_first, n * sizeof(*values));
	for (size_t i = 0; row->weight != NULL && i < n; i++) {
		const double weight = row->weight[g->data_first + i];
		values[i] = weight > 0 ? values[i] / weight : (double)NAN;
	}
	return values;
}

void
rs_grid_finish(struct rs_grid *g, struct rs_history *h)
{
	h->resolution_ms = g->step_ms;
	h->tier = rs_tiers[g->tier].name;
	h->status = g->status;
	if (g->status != 0 || g->data_end == 0)
		return;
	const size_t n = g->data_end - g->data_first;
	struct answer_row *const order = calloc(g->keys.n, sizeof(*order));
	h->time_ms = calloc(n, sizeof(*h->time_ms));
	h->series = calloc(g->keys.n, sizeof(*h->series));
	if (order == NULL || h->time_ms == NULL || h->series == NULL) {
		h->status = -ENOMEM;
		free(order);
		return;
	}
	for (size_t i = 0; i < n; i++)
		h->time_ms[i] = RS_MIN(
		    g->last_tick_ms, g->first_end_ms + (int64_t)(g->data_first + i) * g->step_ms);
	h->n_times = n;
	for (uint32_t i = 0; i < g->keys.n; i++)
		order[i] = (struct answer_row){.key = &g->keys.keys[i], .row = &g->rows[i]};
	qsort(order, g->keys.n, sizeof(*order), by_key);
	for (uint32_t i = 0; i < g->keys.n; i++) {
		h->series[h->n_series++] =
		    (struct rs_history_series){.metric = order[i].key->metric,
			.labels = order[i].key->labels,
			.values = take_values(g, order[i].row, n)};
	}
	free(order);
}

void
rs_history_free(struct rs_history *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; i < h->n_series; i++)
		free(h->series[i].values);
	free(h->series);
	free(h->time_ms);
	free(h);
}

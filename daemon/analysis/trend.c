/* SPDX-License-Identifier: ISC */
/*
 * A minute counts when its hottest core had enough to do for batches to form and was
 * not full. Whatever changes what a packet costs, or which core gets it, begins the
 * hour anew: cores, clock, settings.
 */
#include "trend.h"

#include <math.h>
#include <string.h>

#include "load.h"

#define COUNTS_FROM 0.20
#define COUNTS_TO 0.95
#define SECONDS_MIN 30.0
/* The range of packets is that without so many at each end: one odd minute makes no
 * range. */
#define SPARED 2u
#define RANGE_MIN 2.0
#define SCATTER_MAX 0.05
/* The line rises by more than its scatter, or packets are not what fills the core. */
#define RISE_MIN (2.0 * SCATTER_MAX)
#define CLOCK_NOISE 0.10

enum { PAIRS_MAX = RS_TREND_MINUTES * (RS_TREND_MINUTES - 1) / 2 };

/* --- the line ---------------------------------------------------------- */

/* The k-th smallest, by Hoare's selection; in place. */
static double
select_kth(double *x, int n, int k)
{
	int low = 0, high = n - 1;

	while (low < high) {
		const double pivot = x[k];
		int i = low, j = high;
		while (i <= j) {
			while (x[i] < pivot)
				i++;
			while (pivot < x[j])
				j--;
			if (i > j)
				break;
			const double kept = x[i];
			x[i++] = x[j];
			x[j--] = kept;
		}
		if (j < k)
			low = i;
		if (k < i)
			high = j;
	}
	return x[k];
}

static double
median(double *x, int n)
{
	const double upper = select_kth(x, n, n / 2);

	return n % 2 ? upper : (upper + select_kth(x, n, n / 2 - 1)) / 2.0;
}

/* From the lowest to the highest but for those that are spared. */
static bool
has_range(const double *pps, int n, double *ret_span)
{
	double sorted[RS_TREND_MINUTES];

	memcpy(sorted, pps, (size_t)n * sizeof(*pps));
	const double low = select_kth(sorted, n, (int)SPARED);
	const double high = select_kth(sorted, n, n - 1 - (int)SPARED);
	*ret_span = high - low;
	return low > 0.0 && high >= RANGE_MIN * low;
}

bool
rs_line_fit(const double *pps, const double *load, unsigned n_minutes, struct rs_line *ret)
{
	const int n = (int)n_minutes;
	double slopes[PAIRS_MAX], left[RS_TREND_MINUTES], span;
	int pairs = 0;

	if (n_minutes < RS_TREND_MINUTES_MIN || n_minutes > RS_TREND_MINUTES ||
	    !has_range(pps, n, &span))
		return false;
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < i; j++) {
			if (pps[i] != pps[j])
				slopes[pairs++] = (load[i] - load[j]) / (pps[i] - pps[j]);
		}
	}
	ret->b = median(slopes, pairs);
	for (int i = 0; i < n; i++)
		left[i] = load[i] - ret->b * pps[i];
	ret->a = median(left, n);
	for (int i = 0; i < n; i++)
		left[i] = fabs(load[i] - ret->a - ret->b * pps[i]);
	ret->minutes = n_minutes;
	return median(left, n) < SCATTER_MAX && ret->b * span > RISE_MIN;
}

/* --- the minutes ------------------------------------------------------- */

void
rs_trend_init(struct rs_trend *t)
{
	memset(t, 0, sizeof(*t));
	t->minute = -1;
	t->clock_share = NAN;
}

static void
begin_minute(struct rs_trend *t, int64_t minute)
{
	t->minute = minute;
	t->pps = t->load = t->seconds = t->clock = t->clock_seconds = 0.0;
}

static void
begin_anew(struct rs_trend *t)
{
	t->n = 0;
	t->has_line = false;
	t->clock_share = NAN;
	begin_minute(t, t->minute);
}

/* Keeps the 60 minutes before this one. */
static void
forget_old(struct rs_trend *t, int64_t minute)
{
	unsigned old = 0;

	while (old < t->n && t->at[old].minute < minute - (int64_t)RS_TREND_MINUTES)
		old++;
	t->n -= old;
	memmove(t->at, t->at + old, t->n * sizeof(t->at[0]));
}

/* Another clock is another core. False: whether it is another is not known of this
 * minute, but of those before. */
static bool
follow_clock(struct rs_trend *t, double share)
{
	if (fabs(share - t->clock_share) > CLOCK_NOISE)
		t->n = 0;
	if (t->n == 0 || isnan(t->clock_share))
		t->clock_share = share;
	return isnan(share) == isnan(t->clock_share);
}

static void
keep_minute(struct rs_trend *t)
{
	const double mean = t->load / t->seconds;

	if (!(t->seconds >= SECONDS_MIN) || mean < COUNTS_FROM || mean >= COUNTS_TO ||
	    !follow_clock(t, t->clock / t->clock_seconds))
		return;
	t->at[t->n].minute = t->minute;
	t->at[t->n].pps = t->pps / t->seconds;
	t->at[t->n++].load = mean;
}

static void
draw(struct rs_trend *t)
{
	double pps[RS_TREND_MINUTES], load[RS_TREND_MINUTES];

	for (unsigned i = 0; i < t->n; i++) {
		pps[i] = t->at[i].pps;
		load[i] = t->at[i].load;
	}
	t->has_line = rs_line_fit(pps, load, t->n, &t->line);
}

static void
end_minute(struct rs_trend *t, int64_t minute)
{
	forget_old(t, minute);
	if (t->minute >= minute - (int64_t)RS_TREND_MINUTES)
		keep_minute(t);
	draw(t);
	begin_minute(t, minute);
}

/* Settings that a packet neither costs more by nor goes another way. */
static bool
is_harmless(enum rs_fact_id id)
{
	static const enum rs_fact_id ids[] = {RS_F_CONNTRACK_MAX, RS_F_CONNTRACK_BUCKETS,
	    RS_F_CONNTRACK_ESTABLISHED, RS_F_PASSIVE_TRIP, RS_F_IRQBALANCE_SERVICE};

	for (size_t i = 0; i < RS_ARRAY_LEN(ids); i++) {
		if (ids[i] == id)
			return true;
	}
	return false;
}

static bool
was_changed(const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_changes; i++) {
		if (!is_harmless((enum rs_fact_id)v->changes[i].fact))
			return true;
	}
	return false;
}

/* The cores that may take part. One that a process polls for a while takes no
 * packets then, and one of which nothing was read is none the less there. */
static unsigned
count_cores(const struct rs_view *v, bool *ret_is_all_read)
{
	unsigned n = 0;

	*ret_is_all_read = true;
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		n += c->excluded == RS_CORE_COUNTS || c->excluded == RS_CORE_POLLING;
		if (c->excluded == RS_CORE_COUNTS && !c->is_eligible)
			*ret_is_all_read = false;
	}
	return n;
}

static const struct rs_group *
find_hottest(const struct rs_view *v)
{
	const struct rs_group *hottest = NULL;

	for (size_t i = 0; i < rs_load_groups(v); i++) {
		if (!hottest || v->groups[i].packet_load > hottest->packet_load)
			hottest = &v->groups[i];
	}
	return hottest;
}

void
rs_trend_add(struct rs_trend *t, const struct rs_view *v, double seconds)
{
	const int64_t minute = v->mono_ns / (60 * RS_NS_PER_S);
	const double pps = fmax(v->rx_pps, v->tx_pps);
	const struct rs_group *const hottest = v->has_packet_load ? find_hottest(v) : NULL;
	bool is_all_read;
	const unsigned n_cores = count_cores(v, &is_all_read);

	if (minute != t->minute)
		end_minute(t, minute);
	if (was_changed(v) || (hottest && t->n_cores != n_cores))
		begin_anew(t);
	if (hottest)
		t->n_cores = n_cores;
	if (!hottest || isnan(pps) || !is_all_read)
		return;
	const struct rs_core_view *const core = rs_view_core(v, hottest->cpu);
	const double clock = core ? core->freq_hz / core->freq_max_hz : (double)NAN;
	t->pps += pps * seconds;
	t->load += hottest->packet_load * seconds;
	t->seconds += seconds;
	if (isnan(clock))
		return;
	t->clock += clock * seconds;
	t->clock_seconds += seconds;
}

const struct rs_line *
rs_trend_line(const struct rs_trend *t)
{
	return t->has_line ? &t->line : NULL;
}

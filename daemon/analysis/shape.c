/* SPDX-License-Identifier: ISC */
/*
 * Hot groups, gap, slack and lead. No index of evenness decides: max/mean, CV,
 * Jain and Gini all rank a quiet box worse than a saturated core.
 */
#include "shape.h"

#include <math.h>

/* Loads are sums of hundredths: 0.95 - 0.35 must reach 0.60. */
static bool
reaches(double x, double threshold)
{
	return x >= threshold - 1e-9;
}

bool
rs_group_is_hot(const struct rs_group *g, double hot)
{
	return reaches(g->packet_load, hot) ||
	       (reaches(g->busy, RS_HOT_MIXED_BUSY) && reaches(g->packet_load, RS_HOT_MIXED_LOAD));
}

void
rs_shape_of(const struct rs_group *groups, size_t n, double hot, struct rs_shape *ret)
{
	struct rs_shape s = {.n = n};
	double hot_sum = 0.0, busy_sum = 0.0;

	for (size_t i = 0; i < n; i++) {
		const struct rs_group *const g = &groups[i];
		s.sum += g->packet_load;
		s.max = fmax(s.max, g->packet_load);
		busy_sum += g->busy;
		if (rs_group_is_hot(g, hot)) {
			s.n_hot++;
			hot_sum += g->packet_load;
		} else {
			s.slack += fmax(0.0, 1.0 - g->busy);
		}
	}
	s.mean_busy = busy_sum / (double)n;
	s.lead = n > 1 ? s.max - (s.sum - s.max) / (double)(n - 1) : s.max;
	s.cold_mean = s.n_hot < n ? (s.sum - hot_sum) / (double)(n - s.n_hot) : (double)NAN;
	s.gap = s.n_hot > 0 ? hot_sum / (double)s.n_hot - s.cold_mean : (double)NAN;
	*ret = s;
}

bool
rs_shape_is_imbalanced(const struct rs_shape *s, double gap, double idle)
{
	return s->n_hot > 0 && s->n_hot < s->n && reaches(s->gap, gap) && reaches(s->slack, idle);
}

bool
rs_shape_is_saturated(const struct rs_shape *s, double busy)
{
	return s->n_hot > 0 && (s->n == 1 || reaches(s->mean_busy, busy));
}

bool
rs_shape_is_skewed(const struct rs_shape *s, double load, double gap)
{
	return s->n > 1 && reaches(s->max, load) && reaches(s->lead, gap);
}

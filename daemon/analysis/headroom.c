/* SPDX-License-Identifier: ISC */
/*
 * Ceilings, headroom and what an even spread would gain. Below saturation
 * batching is poor and a packet looks dearer than it will be: the ceiling is a
 * lower bound, and from a nearly idle core no number is made at all.
 */
#include "headroom.h"

#include <math.h>

#define USABLE 0.95	  /* of a core before it counts as full */
#define NUMBER_FROM 0.20  /* below: too little load to extrapolate */
#define CERTAIN_FROM 0.50 /* below: a lower bound */
/* What is farther from the line than this is another traffic than that of the hour. */
#define LINE_HOLDS 0.10

/* x as m x 10^e with 10 <= m < 100. */
static double
mantissa_2(double x, double *ret_unit)
{
	*ret_unit = pow(10.0, floor(log10(x)) - 1.0);
	return x / *ret_unit;
}

double
rs_round_2(double x)
{
	double unit;

	if (!(x > 0.0) || isinf(x))
		return x;
	const double m = mantissa_2(x, &unit);
	return round(m) * unit;
}

double
rs_floor_2(double x)
{
	double unit;

	if (!(x > 0.0) || isinf(x))
		return x;
	const double m = mantissa_2(x, &unit);
	return floor(m + 1e-9) * unit;
}

static void
conclude(struct rs_headroom *h)
{
	h->more_bps = fmax(0.0, fmin(h->link_bps, h->ceiling_bps) - h->now_bps);
	h->gain_if_even =
	    fmin(h->link_bps, h->even_ceiling_bps) / fmin(h->link_bps, h->ceiling_bps);
}

void
rs_headroom_model(
    double now_bps, double link_bps, double hottest, double sum, size_t n, struct rs_headroom *ret)
{
	struct rs_headroom h = {
	    .how = RS_NO_NUMBER,
	    .now_bps = now_bps,
	    .hottest = hottest,
	    .link_bps = link_bps,
	    .ceiling_bps = NAN,
	    .even_ceiling_bps = NAN,
	    .more_bps = NAN,
	    .gain_if_even = NAN,
	};

	if (now_bps > 0.0 && hottest >= NUMBER_FROM) {
		h.how = hottest >= CERTAIN_FROM ? RS_ABOUT : RS_AT_LEAST;
		h.ceiling_bps = hottest >= USABLE ? now_bps : now_bps * USABLE / hottest;
		h.even_ceiling_bps = fmax(h.ceiling_bps, now_bps * USABLE * (double)n / sum);
		conclude(&h);
	}
	*ret = h;
}

void
rs_headroom_by_line(struct rs_headroom *h, const struct rs_line *line, double pps)
{
	/* A full core's ceiling is measured: it is what it does now. */
	if (h->how != RS_ABOUT || h->hottest >= USABLE || !(pps > 0.0) ||
	    fabs(h->hottest - line->a - line->b * pps) > LINE_HOLDS)
		return;
	h->how = RS_BY_HISTORY;
	h->ceiling_bps =
	    h->now_bps * fmax(1.0, (USABLE - line->a) / line->b / pps); /* of the present size */
	h->even_ceiling_bps = fmax(h->even_ceiling_bps, h->ceiling_bps);
	conclude(h);
}

void
rs_headroom_of(const struct rs_view *v, const struct rs_group *groups, size_t n,
    const struct rs_line *line, struct rs_headroom *ret)
{
	const double now_bps = fmax(v->rx_bps, v->tx_bps);
	const double use = rs_load_link_use(v);
	double hottest = n > 0 ? 0.0 : (double)NAN, sum = 0.0;

	for (size_t i = 0; i < n; i++) {
		hottest = fmax(hottest, groups[i].packet_load);
		sum += groups[i].packet_load;
	}
	/* Scaled up as it is, the traffic fills its busiest direction first. */
	rs_headroom_model(
	    now_bps, use > 0.0 ? now_bps / use : (double)INFINITY, hottest, sum, n, ret);
	if (line)
		rs_headroom_by_line(ret, line, fmax(v->rx_pps, v->tx_pps));
}

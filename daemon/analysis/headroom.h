/* SPDX-License-Identifier: ISC */
/*
 * How much more the router could carry, by a linear model of the present
 * tick: CPU per bit constant, flows stay on their cores, the clock is constant.
 * Where the minutes of the last hour lie on a line, by that (trend.h). Pure.
 */
#ifndef RS_HEADROOM_H
#define RS_HEADROOM_H

#include "load.h"
#include "trend.h"

enum rs_extrapolation {
	RS_NO_NUMBER, /* too little load, or nothing known to scale */
	RS_AT_LEAST,  /* low confidence: batches grow with load, so this is a lower bound */
	RS_ABOUT,     /* medium: from the present second alone */
	RS_BY_HISTORY /* high: on the line that load and packets of the last hour make */
};

struct rs_headroom {
	enum rs_extrapolation how;
	double now_bps;	    /* X: what is forwarded, the larger of the in and out sums */
	double hottest;	    /* P of the hottest group */
	double link_bps;    /* L: where the busiest link is full at this mix; INFINITY: unknown */
	double ceiling_bps; /* where the hottest group is full; X itself when it is */
	double even_ceiling_bps; /* where all are full if the work spread evenly */
	double more_bps;	 /* left before the first of link and core is full */
	double gain_if_even;	 /* reachable when spread evenly / reachable now */
};

/* What is not known is NAN. groups as in the view; line: of the last hour, NULL: none. */
void rs_headroom_of(const struct rs_view *v, const struct rs_group *groups, size_t n,
    const struct rs_line *line, struct rs_headroom *ret);

/* The model alone: forwarded bit/s, link limit (INFINITY: unknown), highest P,
 * sum of P, number of groups. */
void rs_headroom_model(
    double now_bps, double link_bps, double hottest, double sum, size_t n, struct rs_headroom *ret);

/* Corrects the model by the line, where that holds now and the core has half its load
 * or more; pps: forwarded at present. */
void rs_headroom_by_line(struct rs_headroom *h, const struct rs_line *line, double pps);

/* Two significant digits: nearest, and not more than x. */
double rs_round_2(double x);
double rs_floor_2(double x);

#endif

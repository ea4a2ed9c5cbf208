/* SPDX-License-Identifier: ISC */
/*
 * How much more the router could carry, by a linear model of the present
 * tick: CPU per bit constant, flows stay on their cores. Pure. The clock is
 * taken as constant and no history is used, so no number is better than
 * medium confidence.
 */
#ifndef RS_HEADROOM_H
#define RS_HEADROOM_H

#include "load.h"

enum rs_extrapolation {
	RS_NO_NUMBER, /* too little load, or nothing known to scale */
	RS_AT_LEAST,  /* low confidence: batches grow with load, so this is a lower bound */
	RS_ABOUT
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

/* What is not known is NAN. groups as in the view. */
void rs_headroom_of(
    const struct rs_view *v, const struct rs_group *groups, size_t n, struct rs_headroom *ret);

/* The model alone: forwarded bit/s, link limit (INFINITY: unknown), highest P,
 * sum of P, number of groups. */
void rs_headroom_model(
    double now_bps, double link_bps, double hottest, double sum, size_t n, struct rs_headroom *ret);

/* Two significant digits: nearest, and not more than x. */
double rs_round_2(double x);
double rs_floor_2(double x);

#endif

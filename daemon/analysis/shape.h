/* SPDX-License-Identifier: ISC */
/*
 * The shape of the load over the groups: who is hot, how far ahead, how much
 * is idle elsewhere. The thresholds are the caller's; the rules and the
 * verdict share this one place. Pure.
 */
#ifndef RS_SHAPE_H
#define RS_SHAPE_H

#include "load.h"

/* Packet work beside a process: the core is full although P alone is not. */
#define RS_HOT_MIXED_BUSY 0.97
#define RS_HOT_MIXED_LOAD 0.50

struct rs_shape {
	size_t n, n_hot;
	double gap;	  /* G: mean P of the hot minus mean P of the others; NAN without both */
	double slack;	  /* S: idle core equivalents outside the hot ones */
	double mean_busy; /* mean B over all */
	double max, lead; /* the highest P, and how far it is above the mean P of the rest */
	double sum;	  /* of P */
	double cold_mean; /* mean P of those that are not hot; NAN when there are none */
};

bool rs_group_is_hot(const struct rs_group *g, double hot);
/* hot: P from which a group is hot. n >= 1. */
void rs_shape_of(const struct rs_group *groups, size_t n, double hot, struct rs_shape *ret);

bool rs_shape_is_imbalanced(const struct rs_shape *s, double gap, double idle);
/* Whether the box as a whole is full, imbalanced or not. */
bool rs_shape_is_saturated(const struct rs_shape *s, double busy);
/* Whether one group is far ahead, hot or not. */
bool rs_shape_is_skewed(const struct rs_shape *s, double load, double gap);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * How the load of the hottest core follows the packets: minutes of the last hour,
 * and the line through them. A part of recent.h; all memory is in the struct. Loop
 * thread.
 */
#ifndef RS_TREND_H
#define RS_TREND_H

#include "view.h"

#define RS_TREND_MINUTES 60u
#define RS_TREND_MINUTES_MIN 20u

/* packet load of the hottest core = a + b * packets per second */
struct rs_line {
	double a, b;
	unsigned minutes; /* it is drawn through */
};

/* Theil-Sen: the median of the slopes between any two, so that a quarter of them may
 * be wrong. False: too few of them, too close together, none the fuller for more
 * packets, or they do not lie on a line. At most RS_TREND_MINUTES. */
bool rs_line_fit(const double *pps, const double *load, unsigned n, struct rs_line *ret);

struct rs_trend {
	struct {
		int64_t minute;
		double pps, load;
	} at[RS_TREND_MINUTES]; /* the n newest that count, oldest first */
	unsigned n;
	/* Of the present minute: sums over its ticks. */
	int64_t minute;
	double pps, load, seconds, clock, clock_seconds;
	/* Under which they were measured. */
	double clock_share; /* of the hottest core's highest; NAN: not known */
	uint32_t n_cores;
	bool has_line;
	struct rs_line line;
};

void rs_trend_init(struct rs_trend *t);
/* Once a tick; the line is drawn anew when a minute is over. */
void rs_trend_add(struct rs_trend *t, const struct rs_view *v, double seconds);
/* NULL: there is none. */
const struct rs_line *rs_trend_line(const struct rs_trend *t);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What 300 counters of a router do at 1 Hz, for benchmarks: 45 % idle, 15 % rare
 * (up to one event in two seconds), 20 % at 1 to 1000/s, 15 % at 1 000 to
 * 100 000/s, 5 % bytes at 1e5 to 1e8/s. Rates of a class are spread evenly over
 * its decades; each drifts slowly (AR(1), 0.98 a second, a factor of e^0.4 in the
 * long run), has 12 % of noise, and all follow the hour of the day by half.
 * The same numbers in each run.
 */
#ifndef TRAFFIC_H
#define TRAFFIC_H

#include "rs.h"

enum { TRAFFIC_SERIES = 300 };

enum traffic_class {
	TRAFFIC_IDLE,
	TRAFFIC_RARE,
	TRAFFIC_SLOW,
	TRAFFIC_FAST,
	TRAFFIC_BYTES,
	TRAFFIC_CLASSES
};

struct traffic_source {
	enum traffic_class class;
	double rate;  /* a second, in the long run */
	double drift; /* logarithm of a factor */
};

struct traffic {
	uint64_t random;
	struct traffic_source sources[TRAFFIC_SERIES]; /* classes are mixed */
};

void traffic_init(struct traffic *t);
/* The increments of one second. */
void traffic_tick(struct traffic *t, int64_t second, int64_t ret[static TRAFFIC_SERIES]);

/* Also for other made-up data: 0 <= x < 1, and with mean 0 and deviation 1. */
double traffic_uniform(struct traffic *t);
double traffic_normal(struct traffic *t);

#endif

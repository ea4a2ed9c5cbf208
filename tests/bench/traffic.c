/* SPDX-License-Identifier: ISC */
/*
 * Made-up counters.
 */
#include "traffic.h"

#include <math.h>

#define DAY_S 86400.0
#define TWO_PI 6.283185307179586

static const struct {
	unsigned of_20; /* so many in twenty */
	double slowest, fastest;
} classes[TRAFFIC_CLASSES] = {
    [TRAFFIC_IDLE] = {9, 0, 0},
    [TRAFFIC_RARE] = {3, 1e-3, 0.5},
    [TRAFFIC_SLOW] = {4, 1, 1e3},
    [TRAFFIC_FAST] = {3, 1e3, 1e5},
    [TRAFFIC_BYTES] = {1, 1e5, 1e8},
};

/* splitmix64 */
static uint64_t
next(struct traffic *t)
{
	uint64_t x = t->random += UINT64_C(0x9e3779b97f4a7c15);

	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

double
traffic_uniform(struct traffic *t)
{
	return (double)(next(t) >> 11) / (double)(UINT64_C(1) << 53);
}

/* Marsaglia's polar method. */
double
traffic_normal(struct traffic *t)
{
	double x, y, s;

	do {
		x = 2 * traffic_uniform(t) - 1;
		y = 2 * traffic_uniform(t) - 1;
		s = x * x + y * y;
	} while (s >= 1 || s <= 0);
	return x * sqrt(-2 * log(s) / s);
}

/* Events in a second with this mean. */
static int64_t
events(struct traffic *t, double mean)
{
	if (mean > 50)
		return llround(fmax(0, mean + sqrt(mean) * traffic_normal(t)));
	double left = traffic_uniform(t), share = exp(-mean);
	int64_t n = 0;

	while (left > share && n < 1000) {
		left -= share;
		share *= mean / (double)++n;
	}
	return n;
}

void
traffic_init(struct traffic *t)
{
	enum traffic_class of_20[20];
	unsigned n = 0;

	for (unsigned c = 0; c < TRAFFIC_CLASSES; c++) {
		for (unsigned i = 0; i < classes[c].of_20; i++)
			of_20[n++] = (enum traffic_class)c;
	}
	*t = (struct traffic){.random = 1};
	for (unsigned i = 0; i < TRAFFIC_SERIES; i++) {
		const enum traffic_class c = of_20[i * 7 % 20];

		t->sources[i].class = c;
		if (c != TRAFFIC_IDLE)
			t->sources[i].rate =
			    classes[c].slowest *
			    pow(classes[c].fastest / classes[c].slowest, traffic_uniform(t));
	}
}

void
traffic_tick(struct traffic *t, int64_t second, int64_t ret[static TRAFFIC_SERIES])
{
	const double of_day = 1 + 0.5 * sin(TWO_PI * (double)second / DAY_S);

	for (unsigned i = 0; i < TRAFFIC_SERIES; i++) {
		struct traffic_source *const s = &t->sources[i];
		double mean = s->rate * of_day;

		ret[i] = 0;
		if (s->class == TRAFFIC_IDLE)
			continue;
		s->drift = 0.98 * s->drift + 0.08 * traffic_normal(t);
		if (s->class != TRAFFIC_RARE)
			mean *= exp(s->drift + 0.12 * traffic_normal(t));
		ret[i] = events(t, mean);
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * What a pasted screen shows beside the cores' loads, which the rules over the
 * view judge: the machine in one line, threads, clocks, the traffic of a moment. A
 * moment proves little: confidence is medium at most. Pure, over plain data of the
 * caller; used by captures.
 */
#ifndef RS_GLIMPSE_H
#define RS_GLIMPSE_H

#include "finding.h"

struct rs_glimpse_thread {
	const char *name;
	double load;   /* of one core */
	double others; /* the busiest other thread of its process */
	int32_t cpu;   /* it ran on last; -1: not told */
	bool is_kernel;
};

/* The clock of a core under load. */
struct rs_glimpse_clock {
	unsigned cpu;
	double hz, nominal_hz;
	double busy; /* the highest that was seen at such a clock */
};

struct rs_glimpse_traffic {
	const char *device;
	double pps, bytes_ps; /* of the larger direction */
	bool is_virtual;      /* no interrupt of its own */
};

/* NAN: not told. */
struct rs_glimpse {
	unsigned n_cores;	      /* 0: not known */
	bool has_cores;		      /* there is a line for each core */
	bool is_bsd;		      /* of a BSD */
	double busy, packets, system; /* of all cores together */
	const struct rs_glimpse_thread *threads;
	size_t n_threads;
	const struct rs_glimpse_clock *clocks;
	size_t n_clocks;
	const struct rs_glimpse_traffic *traffic;
	size_t n_traffic;
};

/* Writes at most cap findings, those that weigh most first. 0 or -ENOMEM. */
int rs_glimpse_judge(const struct rs_glimpse *g, struct rs_finding *ret, size_t cap, size_t *ret_n);

#endif

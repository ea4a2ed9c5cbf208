/* SPDX-License-Identifier: ISC */
/*
 * What the rules over counts share: sums over lines, cores and queues, and words.
 * Private to them (totals*.c).
 */
#ifndef RS_TOTALS_CASE_H
#define RS_TOTALS_CASE_H

#include "rule.h"
#include "totals.h"

#define RS_QUEUE_UNITS_MAX 16384u

/* The counts, and what all rules make of them first. */
struct rs_total_case {
	const struct rs_totals *t;
	double weight; /* counts of differences weigh a thousand times as much */
	const struct rs_queue_unit *units; /* in the order of the lines */
	size_t n_units;
};

/* Units of a device. */
size_t rs_queue_units_count(const struct rs_total_case *s, uint32_t device);

/* Which lines are meant. */
enum rs_total_which { RS_LINES_ALL, RS_LINES_WIRED, RS_LINES_DEVICE };

struct rs_pile {
	double all;	     /* interrupts of those lines */
	size_t core;	     /* index of the core that took the most */
	double share;	     /* its share; NAN: there were none */
	uint32_t n_active;   /* lines that had a thousandth of them */
	uint32_t one_active; /* one of those lines */
};
/* device: of RS_LINES_DEVICE. */
struct rs_pile rs_pile_of(const struct rs_totals *t, enum rs_total_which which, uint32_t device);
/* Devices of a line: the first two, and how many. */
size_t rs_line_devices(const struct rs_totals *t, uint32_t line, uint32_t ret[static 2]);

/* Which core has the most of a count, and what share of all; NAN: nobody has any. */
enum rs_total_count { RS_TOTAL_NET_RX, RS_TOTAL_PROCESSED, RS_TOTAL_SOFTIRQ_TIME };
double rs_total_top(
    const struct rs_totals *t, enum rs_total_count which, size_t *ret_core, double *ret_all);

/* A share that no even spread gives. */
#define RS_TOTAL_PILE 0.80
/* So many interrupts, or packets, that they matter. */
#define RS_TOTAL_MANY 1e7

/* Words. */
struct rs_subject rs_total_core_subject(unsigned cpu);
struct rs_subject rs_total_device_subject(const struct rs_total_device *d);
long rs_total_percent(double ratio);
/* "since boot", "between the samples" */
const char *rs_total_span(const struct rs_totals *t);
/* "11854", "3.53 G"; returns dst. */
const char *rs_total_format(double count, char dst[static 24]);
/* The last piece of evidence: what counts cannot tell. */
void rs_total_tell_basis(const struct rs_totals *t, struct rs_says *out);

/* What to try: each queue of all devices on a core of its own; RPS on all cores but
 * the one that is interrupted. */
void rs_total_advise_affinity(const struct rs_total_case *s, struct rs_says *out);
void rs_total_advise_rps(
    const struct rs_total_case *s, uint32_t device, size_t core, struct rs_says *out);

/* The rules. */
void rs_total_judge_lines(const struct rs_total_case *s, struct rs_says *out);
void rs_total_judge_hashing(const struct rs_total_case *s, struct rs_says *out);
void rs_total_judge_ring(const struct rs_total_case *s, struct rs_says *out);
void rs_total_judge_limit(const struct rs_total_case *s, struct rs_says *out);
void rs_total_judge_netisr(const struct rs_total_case *s, struct rs_says *out);

#endif

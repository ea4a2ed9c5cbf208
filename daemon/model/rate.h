/* SPDX-License-Identifier: ISC */
/*
 * From two readings of a counter to its increment: wrap told from reset. Pure.
 */
#ifndef RS_RATE_H
#define RS_RATE_H

#include "metric.h"

enum rs_step {
	RS_STEP_OK,   /* counted up, or clamped a small step back of a CPU time */
	RS_STEP_WRAP, /* went through the end of its width */
	RS_STEP_RESET /* fell for another reason: no increment */
};

/* A gap of more than this many periods between two readings gives no value. */
#define RS_GAP_PERIODS 2.5

/* prev and cur as read, dt_ns > 0 apart; last_rate_ps: increments per second
 * before (0: unknown), which bounds what a wrap may be. *ret_increment is set
 * unless RS_STEP_RESET. */
enum rs_step rs_rate_step(const struct rs_metric *m, uint64_t prev, uint64_t cur, rs_ns dt_ns,
    double last_rate_ps, uint64_t *ret_increment);

/* True when the readings lie too far apart for a rate. */
bool rs_rate_is_gap(rs_ns dt_ns, rs_ns period_ns);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * From two readings of a counter to its increment.
 */
#include "rate.h"

/* iowait, idle and even user time step back by rounding between the kernel's
 * two books (kernel/sched/cputime.c, fs/proc/stat.c); up to 3 s is noise, more
 * is a core that was unplugged. In 1/100 s. */
#define CPU_TIME_NOISE 300

/* A wrap is believed when the increment it implies is at most this many times
 * the last rate, or within what one line or core can do from a standing start. */
#define WRAP_FACTOR 16.0
#define WRAP_RATE_PS 2e6

enum rs_step
rs_rate_step(const struct rs_metric *m, uint64_t prev, uint64_t cur, rs_ns dt_ns,
    double last_rate_ps, uint64_t *ret_increment)
{
	if (cur >= prev) {
		*ret_increment = cur - prev;
		return RS_STEP_OK;
	}
	if (m->unit == RS_UNIT_SECONDS && prev - cur <= CPU_TIME_NOISE) {
		*ret_increment = 0;
		return RS_STEP_OK;
	}
	if (m->width == 0 || m->width >= 64)
		return RS_STEP_RESET; /* 2^64 is never reached: it fell */
	const uint64_t top = UINT64_C(1) << m->width;
	if (prev >= top)
		return RS_STEP_RESET; /* not as wide as described */
	const uint64_t increment = top - prev + cur;
	const double seconds = (double)dt_ns / (double)RS_NS_PER_S;
	const double limit = RS_MAX(last_rate_ps * WRAP_FACTOR, WRAP_RATE_PS) * seconds;
	if ((double)increment > limit)
		return RS_STEP_RESET;
	*ret_increment = increment;
	return RS_STEP_WRAP;
}

bool
rs_rate_is_gap(rs_ns dt_ns, rs_ns period_ns)
{
	return dt_ns <= 0 || (double)dt_ns > RS_GAP_PERIODS * (double)period_ns;
}

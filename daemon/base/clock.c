/* SPDX-License-Identifier: ISC */
/*
 * Reads the clocks. Called by the loop, by the top of the program and by the
 * store thread; everything below is told the time.
 */
#ifdef __linux__
#define _GNU_SOURCE /* CLOCK_BOOTTIME */
#endif
#include "clock.h"

#include <time.h>

/* Where the system has no clock that counts suspend, none is counted. */
#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

static rs_ns
read_clock(clockid_t id)
{
	struct timespec ts = {0, 0};

	/* Fails only for a clock the kernel does not have; none of these. */
	(void)clock_gettime(id, &ts);
	return (rs_ns)ts.tv_sec * RS_NS_PER_S + (rs_ns)ts.tv_nsec;
}

rs_ns
rs_clock_mono(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

rs_ns
rs_clock_boot(void)
{
	return read_clock(CLOCK_BOOTTIME);
}

rs_ns
rs_clock_wall(void)
{
	return read_clock(CLOCK_REALTIME);
}

rs_ns
rs_clock_process_cpu(void)
{
	return read_clock(CLOCK_PROCESS_CPUTIME_ID);
}

rs_ns
rs_clock_thread_cpu(void)
{
	return read_clock(CLOCK_THREAD_CPUTIME_ID);
}

/* SPDX-License-Identifier: ISC */
/*
 * The clocks of the machine. Only the top of the program reads them; all
 * lower layers are told the time.
 */
#ifndef RS_CLOCK_H
#define RS_CLOCK_H

#include "rs.h"

rs_ns rs_clock_mono(void);	  /* CLOCK_MONOTONIC: rates, schedules */
rs_ns rs_clock_boot(void);	  /* CLOCK_BOOTTIME: keys of stored samples; counts suspend */
rs_ns rs_clock_wall(void);	  /* CLOCK_REALTIME */
rs_ns rs_clock_process_cpu(void); /* CPU time used by this process */
rs_ns rs_clock_thread_cpu(void);  /* CPU time used by this thread */

#endif

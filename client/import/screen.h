/* SPDX-License-Identifier: ISC */
/*
 * Screens of top, mpstat and turbostat: what each core did for a moment, in
 * shares of its time, and the threads listed below. Pure; a screen is filled by
 * one reader and judged like an interval of a capture.
 */
#ifndef RS_SCREEN_H
#define RS_SCREEN_H

#include "cpuset.h"
#include "import/import.h"

/* The whole machine in one line. */
#define RS_SCREEN_ALL (-1)

/* Shares are 0..1; NAN: the screen does not tell. */
struct rs_screen_core {
	int32_t cpu; /* or RS_SCREEN_ALL */
	double user, nice, system, idle, iowait, irq, softirq, steal;
	double busy; /* all but idle */
	double clock_hz, nominal_hz;
	double interrupts_ps;
};

struct rs_screen_thread {
	char name[64];
	int64_t pid; /* threads of a process have the same */
	int32_t cpu; /* it ran on last; -1: not told */
	double load; /* of one core */
};

#define RS_SCREEN_THREADS_MAX 256u

struct rs_screen {
	struct rs_screen_core *cores; /* by the order of the screen; owned */
	size_t n_cores, cap_cores;
	struct rs_cpuset cpus;		  /* that are among them */
	struct rs_screen_core all;	  /* cpu RS_SCREEN_ALL when there is such a line, else 0 */
	struct rs_screen_thread *threads; /* owned */
	size_t n_threads, cap_threads;
	bool is_bsd;	       /* interrupt threads count as "interrupt" */
	bool is_thread_of_all; /* BusyBox: the load of a thread is a share of the machine */
};

/* Screens one after the other. Zeroed to begin with. */
#define RS_SCREENS_MAX 4096u
struct rs_screens {
	struct rs_screen *at; /* owned */
	size_t n, cap;
};

/* A new screen, or core of the last one with all unknown; NULL: no room. */
struct rs_screen *rs_screens_add(struct rs_screens *s);
struct rs_screen_core rs_screen_unknown(int32_t cpu);
struct rs_screen_core *rs_screen_add_core(struct rs_screen *s, int32_t cpu);
bool rs_screen_has(const struct rs_screen *s, int32_t cpu);
void rs_screens_free(struct rs_screens *s); /* what it holds; zeroes it */

/* The readers. They add to the screens; 0 or -ENODATA: nothing of the text could be
 * used. What there is no room for is skipped. */
#define RS_SCREENS_MORE "more screens than are looked at"

/* top of procps, BusyBox, FreeBSD and OpenBSD, in any language. */
int rs_import_top(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips);
/* mpstat -P ALL, also -I SUM; the means at the end are left out where there is
 * anything else. */
int rs_import_mpstat(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips);
int rs_import_turbostat(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips);

#endif

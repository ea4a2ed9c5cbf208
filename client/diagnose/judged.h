/* SPDX-License-Identifier: ISC */
/*
 * The daemon's model and rules over a capture: its samples as ticks of one model,
 * or the shares of a moment (two samples without a time between them, a pasted
 * screen). What a second of a capture was, is one vote; a
 * capture of less than five seconds is judged all the same, with low confidence.
 */
#ifndef RS_JUDGED_H
#define RS_JUDGED_H

#include "diagnose/counted.h"
#include "finding.h"
#include "verdict.h"

/* Load of a core over the whole capture; NAN: not known. */
struct rs_core_load {
	unsigned cpu;
	double packet_load, busy;
};

struct rs_judged {
	bool has_loads;		     /* rules about cores were asked */
	struct rs_finding *findings; /* that stand at the end; owned */
	size_t n_findings, cap_findings;
	struct rs_finding *ended; /* that stood before; owned */
	size_t n_ended, cap_ended;
	struct rs_verdict verdict;  /* when has_loads */
	struct rs_core_load *loads; /* ascending; owned */
	size_t n_loads;
};

/* All samples of the capture, which has times. */
int rs_judged_replay(const struct rs_capture *c, const struct rs_counted *counted,
    const struct rs_sample *first, const struct rs_sample *last, struct rs_judged *ret);
/* The CPU time between two samples: shares alone. */
int rs_judged_shares(const struct rs_counted *counted, const struct rs_sample *first,
    const struct rs_sample *last, struct rs_judged *ret);
/* Screens with a line for each core. */
int rs_judged_screens(
    const struct rs_screens *screens, const struct rs_cpu_info *cpus, struct rs_judged *ret);
void rs_judged_free(struct rs_judged *j);

/* A thread of the kernel, by what top calls it; *ret_does_packets: its time is
 * packet work that softirq does not contain. */
bool rs_thread_is_kernel(const char *name, bool *ret_does_packets);

#endif

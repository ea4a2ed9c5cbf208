/* SPDX-License-Identifier: ISC */
/*
 * A model and the rules for one capture, which is asked second by second. Private to
 * the modules that fill it (judged*.c).
 */
#ifndef RS_COURT_H
#define RS_COURT_H

#include "diagnose/judged.h"
#include "engine.h"
#include "model.h"

/* So many seconds make a judgement; a longer interval has no more votes than the
 * other number. */
enum { RS_VOTES_MIN = 5, RS_VOTES_MAX = 120 };

struct rs_court {
	struct rs_model *model;
	struct rs_engine *engine;
	struct rs_frame *frame;
	struct rs_judged *judged;
	rs_ns now_ns;
	uint64_t tick;
};

/* Empties the judgement, too. */
int rs_court_open(struct rs_court *c, rs_ns interval_ns, struct rs_judged *judged);
void rs_court_close(struct rs_court *c);

/* The view as it is, as so many seconds. */
void rs_court_vote(struct rs_court *c, unsigned votes);
/* What the cores' load is, by their shares in the view. */
void rs_court_loads(struct rs_court *c, const struct rs_cpu_info *cpus);

/* Shares of a core's time; NAN: not told. */
struct rs_shares {
	unsigned cpu;
	double user, nice, system, idle, iowait, irq, softirq, steal;
	double nic_interrupts_ps, processed_pps, packet_threads;
};
/* A moment: the view knows these shares and nothing else, for so many seconds. */
int rs_court_moment(struct rs_court *c, const struct rs_shares *cores, size_t n,
    const struct rs_cpu_info *cpus, unsigned votes);

/* Findings that stand, and the verdict; none is surer than `most`. */
void rs_court_conclude(struct rs_court *c, enum rs_confidence most);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The event loop; hides libevent. One loop, one thread: every function here
 * and every callback runs on the loop thread. Each callback is timed: over
 * 50 ms is counted, over 1 s is logged with its name.
 */
#ifndef RS_LOOP_H
#define RS_LOOP_H

#include <stdbool.h>

#include "rs.h"

struct rs_loop;
struct rs_event; /* a timer, watched descriptor, signal or ticker */

enum { RS_LOOP_READ = 1, RS_LOOP_WRITE = 2 };

int rs_loop_new(struct rs_loop **ret);
void rs_loop_free(struct rs_loop *l); /* NULL-safe; frees events still registered */
/* Runs until rs_loop_stop. 0, or negative errno when the loop itself failed. */
int rs_loop_run(struct rs_loop *l);
void rs_loop_stop(struct rs_loop *l);
/* "epoll", "kqueue", ...: what libevent chose. */
const char *rs_loop_method(const struct rs_loop *l);

/* name: static text for the log. The event is owned by the caller until
 * rs_event_free (NULL-safe, also from inside its own callback). */
int rs_loop_watch(struct rs_loop *l, const char *name, int fd, int interest,
    void (*fn)(void *arg, int ready), void *arg, struct rs_event **ret);
int rs_loop_signal(struct rs_loop *l, const char *name, int signo, void (*fn)(void *arg), void *arg,
    struct rs_event **ret);
/* An unarmed one-shot timer; arm, re-arm and disarm as often as needed. */
int rs_loop_timer(
    struct rs_loop *l, const char *name, void (*fn)(void *arg), void *arg, struct rs_event **ret);
void rs_timer_arm(struct rs_event *e, rs_ns after_ns); /* 0: next turn of the loop */
void rs_timer_disarm(struct rs_event *e);
bool rs_timer_is_armed(const struct rs_event *e);
void rs_event_free(struct rs_event *e);

/* A ticker fires at whole multiples of the period on CLOCK_MONOTONIC, first at
 * the next one. A late tick is one late tick; missed ones are skipped, counted,
 * never replayed. */
struct rs_tick {
	rs_ns due_ns;	 /* the multiple of the period this tick stands for */
	rs_ns now_ns;	 /* when it really began; >= due_ns */
	uint64_t missed; /* whole periods skipped just before this tick */
};
int rs_loop_ticker(struct rs_loop *l, const char *name, rs_ns period_ns,
    void (*fn)(void *arg, const struct rs_tick *tick), void *arg, struct rs_event **ret);

/* Pure: the tick that a wake-up at now_ns stands for, given the last due time
 * (0 for none). False: woken too early, wait until *ret_next_ns. */
bool rs_tick_at(
    rs_ns period_ns, rs_ns last_due_ns, rs_ns now_ns, struct rs_tick *ret_tick, rs_ns *ret_next_ns);

struct rs_loop_stats {
	uint64_t callbacks, slow_callbacks; /* slow: over 50 ms */
	rs_ns longest_ns;		    /* longest callback since start */
	rs_ns longest_recent_ns;	    /* in the last 60 to 120 s */
};
void rs_loop_get_stats(const struct rs_loop *l, struct rs_loop_stats *ret);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The only file that knows libevent. Called by app, http and worker's owner on
 * the loop thread.
 */
#include "loop.h"

#include <errno.h>
#include <event2/event.h>
#include <stdlib.h>
#include <sys/time.h>

#include "clock.h"
#include "log.h"

#define SLOW_NS (50 * RS_NS_PER_MS)
#define STUCK_NS RS_NS_PER_S
#define RECENT_NS (60 * RS_NS_PER_S)

enum kind { KIND_WATCH, KIND_SIGNAL, KIND_TIMER, KIND_TICKER };

struct rs_event {
	struct rs_loop *loop;
	struct rs_event *next, **link; /* list of the loop; *link is this event */
	struct event *ev;	       /* owned */
	const char *name;
	enum kind kind;
	union {
		void (*plain)(void *arg);
		void (*watch)(void *arg, int ready);
		void (*tick)(void *arg, const struct rs_tick *tick);
	} fn;
	void *arg;
	rs_ns period_ns, last_due_ns; /* ticker */
	bool is_running;	      /* its callback is on the stack */
	bool is_freed;		      /* by its own callback: release on return */
};

struct rs_loop {
	struct event_base *base;
	struct rs_event *events;
	bool is_stopping;
	struct rs_loop_stats stats;
	rs_ns window_start_ns; /* of the 60 s that window_ns covers */
	rs_ns window_ns;       /* longest callback of this window */
	rs_ns window_before_ns;
};

static void
log_libevent(int severity, const char *text)
{
	if (severity == EVENT_LOG_ERR)
		rs_log_err("libevent: %s", text);
	else if (severity == EVENT_LOG_WARN)
		rs_log_warn("libevent: %s", text);
	else
		rs_log_debug("libevent: %s", text);
}

int
rs_loop_new(struct rs_loop **ret)
{
	struct rs_loop *l = calloc(1, sizeof(*l));
	struct event_config *config = event_config_new();

	event_set_log_callback(log_libevent);
	if (l == NULL || config == NULL)
		goto fail;
	/* Without the first, timers run on a clock as coarse as the jiffy; with
	 * cached time they are due too early by as long as the callback that
	 * arms them has already run. Either would wake a tick twice. */
	(void)event_config_set_flag(config,
	    EVENT_BASE_FLAG_PRECISE_TIMER | EVENT_BASE_FLAG_NO_CACHE_TIME | EVENT_BASE_FLAG_NOLOCK);
	l->base = event_base_new_with_config(config);
	if (l->base == NULL)
		goto fail;
	event_config_free(config);
	l->window_start_ns = rs_clock_mono();
	*ret = l;
	return 0;
fail:
	if (config != NULL)
		event_config_free(config);
	free(l);
	return -ENOMEM;
}

static void
release(struct rs_event *e)
{
	event_free(e->ev);
	free(e);
}

void
rs_loop_free(struct rs_loop *l)
{
	if (l == NULL)
		return;
	for (struct rs_event *e = l->events, *next; e != NULL; e = next) {
		next = e->next;
		release(e);
	}
	event_base_free(l->base);
	free(l);
}

int
rs_loop_run(struct rs_loop *l)
{
	int r = 0;

	errno = 0;
	if (!l->is_stopping && event_base_loop(l->base, EVLOOP_NO_EXIT_ON_EMPTY) < 0)
		r = errno != 0 ? -errno : -EIO;
	l->is_stopping = false;
	return r;
}

void
rs_loop_stop(struct rs_loop *l)
{
	l->is_stopping = true;
	(void)event_base_loopbreak(l->base);
}

const char *
rs_loop_method(const struct rs_loop *l)
{
	return event_base_get_method(l->base);
}

static void
note_duration(struct rs_loop *l, const char *name, rs_ns start_ns, rs_ns end_ns)
{
	const rs_ns took_ns = end_ns - start_ns;
	const rs_ns age_ns = end_ns - l->window_start_ns;

	if (age_ns >= RECENT_NS) {
		l->window_before_ns = age_ns < 2 * RECENT_NS ? l->window_ns : 0;
		l->window_ns = 0;
		l->window_start_ns += age_ns - age_ns % RECENT_NS;
	}
	l->stats.callbacks++;
	l->window_ns = RS_MAX(l->window_ns, took_ns);
	l->stats.longest_ns = RS_MAX(l->stats.longest_ns, took_ns);
	if (took_ns > SLOW_NS)
		l->stats.slow_callbacks++;
	if (took_ns > STUCK_NS)
		rs_log_warn("'%s' held the event loop for %lld ms", name,
		    (long long)(took_ns / RS_NS_PER_MS));
}

void
rs_loop_get_stats(const struct rs_loop *l, struct rs_loop_stats *ret)
{
	const rs_ns age_ns = rs_clock_mono() - l->window_start_ns;

	*ret = l->stats;
	ret->longest_recent_ns = 0;
	if (age_ns < 2 * RECENT_NS)
		ret->longest_recent_ns = l->window_ns;
	if (age_ns < RECENT_NS)
		ret->longest_recent_ns = RS_MAX(l->window_ns, l->window_before_ns);
}

bool
rs_tick_at(
    rs_ns period_ns, rs_ns last_due_ns, rs_ns now_ns, struct rs_tick *ret_tick, rs_ns *ret_next_ns)
{
	const rs_ns due_ns = now_ns - now_ns % period_ns;

	if (last_due_ns != 0 && due_ns <= last_due_ns) {
		*ret_next_ns = last_due_ns + period_ns;
		return false;
	}
	ret_tick->due_ns = due_ns;
	ret_tick->now_ns = now_ns;
	ret_tick->missed =
	    last_due_ns != 0 ? (uint64_t)((due_ns - last_due_ns) / period_ns) - 1 : 0;
	*ret_next_ns = due_ns + period_ns;
	return true;
}

/* The kernel rounds its own housekeeping to whole seconds (round_jiffies in
 * kernel/time/timer.c); a tick waits until that is over, or its cost would be
 * booked on it. */
static rs_ns
settle_ns(const struct rs_event *e)
{
	return RS_MIN(e->period_ns / 8, 20 * RS_NS_PER_MS);
}

/* Runs the ticker's callback if it is time, and arms it for the next. */
static void
run_ticker(struct rs_event *e, rs_ns now_ns)
{
	struct rs_tick tick;
	rs_ns next_ns;

	if (rs_tick_at(e->period_ns, e->last_due_ns, now_ns, &tick, &next_ns)) {
		e->last_due_ns = tick.due_ns;
		e->fn.tick(e->arg, &tick);
	}
	/* What the callback took is part of the wait; a period it overran gives
	 * one late tick at once. */
	if (!e->is_freed)
		rs_timer_arm(e, RS_MAX(next_ns + settle_ns(e) - rs_clock_mono(), 0));
}

/* What libevent calls, for every kind. */
static void
run_event(evutil_socket_t fd, short what, void *arg)
{
	struct rs_event *e = arg;
	struct rs_loop *l = e->loop;
	const char *name = e->name;
	const rs_ns start_ns = rs_clock_mono();

	(void)fd;
	e->is_running = true;
	switch (e->kind) {
	case KIND_WATCH:
		e->fn.watch(e->arg, ((what & EV_READ) != 0 ? RS_LOOP_READ : 0) |
					((what & EV_WRITE) != 0 ? RS_LOOP_WRITE : 0));
		break;
	case KIND_SIGNAL:
	case KIND_TIMER:
		e->fn.plain(e->arg);
		break;
	case KIND_TICKER:
		run_ticker(e, start_ns);
		break;
	}
	e->is_running = false;
	if (e->is_freed)
		release(e);
	note_duration(l, name, start_ns, rs_clock_mono());
}

/* A new event of the loop, not yet added to libevent. */
static int
new_event(
    struct rs_loop *l, const char *name, enum kind kind, int fd, short what, struct rs_event **ret)
{
	struct rs_event *e = calloc(1, sizeof(*e));

	if (e == NULL)
		return -ENOMEM;
	e->ev = event_new(l->base, fd, what, run_event, e);
	if (e->ev == NULL) {
		free(e);
		return -EINVAL;
	}
	e->loop = l;
	e->name = name;
	e->kind = kind;
	e->next = l->events;
	e->link = &l->events;
	if (e->next != NULL)
		e->next->link = &e->next;
	l->events = e;
	*ret = e;
	return 0;
}

/* Adds to libevent without timeout; frees the event when that fails. */
static int
start_event(struct rs_event *e, struct rs_event **ret)
{
	errno = 0;
	if (event_add(e->ev, NULL) < 0) {
		const int r = errno != 0 ? -errno : -EINVAL;

		rs_event_free(e);
		return r;
	}
	*ret = e;
	return 0;
}

int
/* NOLINTNEXTLINE(readability-function-size): fd and interest are one thing. */
rs_loop_watch(struct rs_loop *l, const char *name, int fd, int interest,
    void (*fn)(void *arg, int ready), void *arg, struct rs_event **ret)
{
	const int what = EV_PERSIST | ((interest & RS_LOOP_READ) != 0 ? EV_READ : 0) |
			 ((interest & RS_LOOP_WRITE) != 0 ? EV_WRITE : 0);
	struct rs_event *e;
	const int r = new_event(l, name, KIND_WATCH, fd, (short)what, &e);

	if (r < 0)
		return r;
	e->fn.watch = fn;
	e->arg = arg;
	return start_event(e, ret);
}

int
rs_loop_signal(struct rs_loop *l, const char *name, int signo, void (*fn)(void *arg), void *arg,
    struct rs_event **ret)
{
	struct rs_event *e;
	const int r = new_event(l, name, KIND_SIGNAL, signo, EV_SIGNAL | EV_PERSIST, &e);

	if (r < 0)
		return r;
	e->fn.plain = fn;
	e->arg = arg;
	return start_event(e, ret);
}

int
rs_loop_timer(
    struct rs_loop *l, const char *name, void (*fn)(void *arg), void *arg, struct rs_event **ret)
{
	struct rs_event *e;
	const int r = new_event(l, name, KIND_TIMER, -1, 0, &e);

	if (r < 0)
		return r;
	e->fn.plain = fn;
	e->arg = arg;
	*ret = e;
	return 0;
}

int
rs_loop_ticker(struct rs_loop *l, const char *name, rs_ns period_ns,
    void (*fn)(void *arg, const struct rs_tick *tick), void *arg, struct rs_event **ret)
{
	struct rs_event *e;

	if (period_ns <= 0)
		return -EINVAL;
	const int r = new_event(l, name, KIND_TICKER, -1, 0, &e);
	if (r < 0)
		return r;
	e->fn.tick = fn;
	e->arg = arg;
	e->period_ns = period_ns;
	rs_timer_arm(e, period_ns - rs_clock_mono() % period_ns);
	*ret = e;
	return 0;
}

void
rs_timer_arm(struct rs_event *e, rs_ns after_ns)
{
	/* Rounded up: never early. */
	const rs_ns after_us = (RS_MAX(after_ns, 0) + 999) / 1000;
	const struct timeval tv = {
	    .tv_sec = (time_t)(after_us / 1000000),
	    .tv_usec = (suseconds_t)(after_us % 1000000),
	};

	/* Fails only when the heap of timers cannot grow. */
	if (event_add(e->ev, &tv) < 0)
		rs_log_err("timer '%s' could not be armed", e->name);
}

void
rs_timer_disarm(struct rs_event *e)
{
	(void)event_del(e->ev);
}

bool
rs_timer_is_armed(const struct rs_event *e)
{
	return event_pending(e->ev, EV_TIMEOUT, NULL) != 0;
}

void
rs_event_free(struct rs_event *e)
{
	if (e == NULL || e->is_freed)
		return;
	*e->link = e->next;
	if (e->next != NULL)
		e->next->link = e->link;
	(void)event_del(e->ev);
	if (e->is_running)
		e->is_freed = true;
	else
		release(e);
}

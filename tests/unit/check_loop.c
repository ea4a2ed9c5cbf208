/* SPDX-License-Identifier: ISC */
/* The schedule of ticks, and the loop that keeps it. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "clock.h"
#include "log.h"
#include "loop.h"
#include "rs_check.h"

#define S RS_NS_PER_S
#define MS RS_NS_PER_MS

static const struct {
	const char *claim;
	rs_ns period, last, now;
	bool is_tick;
	rs_ns due, next;
	uint64_t missed;
} ticks[] = {
    {"the first tick misses none", S, 0, 7 * S + 30, true, 7 * S, 8 * S, 0},
    {"on time", S, 7 * S, 8 * S, true, 8 * S, 9 * S, 0},
    {"a late tick is one late tick", S, 7 * S, 8 * S + 999 * MS, true, 8 * S, 9 * S, 0},
    {"one period missed", S, 7 * S, 9 * S + 1, true, 9 * S, 10 * S, 1},
    {"an hour missed is not replayed", S, 7 * S, 3607 * S + 5, true, 3607 * S, 3608 * S, 3599},
    {"woken too early", S, 7 * S, 8 * S - 1, false, 0, 8 * S, 0},
    {"woken again within the tick", S, 8 * S, 8 * S + 5, false, 0, 9 * S, 0},
    {"a clock that went back waits", S, 8 * S, 3 * S, false, 0, 9 * S, 0},
    {"fifths of a second", 200 * MS, 600 * MS, 1050 * MS, true, 1000 * MS, 1200 * MS, 1},
    {"an odd period", 7, 21, 36, true, 35, 42, 1},
    {"a minute", 60 * S, 120 * S, 180 * S, true, 180 * S, 240 * S, 0},
};

START_TEST(tick_at_stays_on_multiples_of_the_period)
{
	struct rs_tick tick = {-1, -1, 99};
	rs_ns next = -1;

	ck_assert_msg(rs_tick_at(ticks[_i].period, ticks[_i].last, ticks[_i].now, &tick, &next) ==
			  ticks[_i].is_tick,
	    "%s", ticks[_i].claim);
	ck_assert_msg(next == ticks[_i].next, "%s: next", ticks[_i].claim);
	if (!ticks[_i].is_tick)
		return;
	ck_assert_msg(tick.due_ns == ticks[_i].due, "%s: due", ticks[_i].claim);
	ck_assert_msg(tick.now_ns == ticks[_i].now, "%s: now", ticks[_i].claim);
	ck_assert_msg(tick.missed == ticks[_i].missed, "%s: missed", ticks[_i].claim);
}
END_TEST

/* What the callbacks below share. */
struct world {
	struct rs_loop *loop;
	struct rs_event *a, *b;
	int fd[2];
	int calls, other_calls;
	int ready;
	rs_ns last_due;
	uint64_t missed;
};

static struct world w;

static void
setup(void)
{
	memset(&w, 0, sizeof(w));
	ck_assert_int_eq(rs_loop_new(&w.loop), 0);
	ck_assert_int_eq(pipe(w.fd), 0);
}

static void
teardown(void)
{
	rs_loop_free(w.loop);
	(void)close(w.fd[0]);
	(void)close(w.fd[1]);
}

static void
stop_after_20(void *arg, const struct rs_tick *tick)
{
	ck_assert_ptr_eq(arg, &w);
	ck_assert_int_eq(tick->due_ns % (2 * MS), 0);
	ck_assert_int_ge(tick->now_ns, tick->due_ns);
	ck_assert_int_lt(tick->now_ns, tick->due_ns + 2 * MS);
	if (w.calls > 0)
		ck_assert_int_eq(tick->due_ns, w.last_due + 2 * MS * (rs_ns)(tick->missed + 1));
	w.last_due = tick->due_ns;
	if (++w.calls == 20)
		rs_loop_stop(w.loop);
}

START_TEST(ticker_wakes_once_a_tick_and_never_early)
{
	struct rs_loop_stats stats;

	ck_assert_int_eq(rs_loop_ticker(w.loop, "tick", 2 * MS, stop_after_20, &w, &w.a), 0);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	rs_loop_get_stats(w.loop, &stats);
	ck_assert_int_eq(w.calls, 20);
	ck_assert_uint_eq(stats.callbacks, 20);
}
END_TEST

static void
spin(rs_ns ns)
{
	const rs_ns end = rs_clock_mono() + ns;

	while (rs_clock_mono() < end)
		continue;
}

static void
overrun_once(void *arg, const struct rs_tick *tick)
{
	(void)arg;
	w.missed = tick->missed;
	if (++w.calls == 1)
		spin(60 * MS);
	else
		rs_loop_stop(w.loop);
}

START_TEST(ticker_counts_what_a_long_callback_made_it_miss)
{
	struct rs_loop_stats stats;

	ck_assert_int_eq(rs_loop_ticker(w.loop, "tick", 10 * MS, overrun_once, &w, &w.a), 0);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.calls, 2);
	/* 60 ms cover at least 5 whole periods after the one that was due. */
	ck_assert_uint_ge(w.missed, 5);
	rs_loop_get_stats(w.loop, &stats);
	ck_assert_uint_eq(stats.slow_callbacks, 1);
	ck_assert_int_ge(stats.longest_ns, 60 * MS);
	ck_assert_int_eq(stats.longest_recent_ns, stats.longest_ns);
}
END_TEST

START_TEST(ticker_refuses_a_period_of_nothing)
{
	ck_assert_int_eq(rs_loop_ticker(w.loop, "tick", 0, stop_after_20, &w, &w.a), -EINVAL);
	ck_assert_ptr_null(w.a);
}
END_TEST

static void
stop(void *arg)
{
	(void)arg;
	w.calls++;
	rs_loop_stop(w.loop);
}

static void
count_other(void *arg)
{
	(void)arg;
	w.other_calls++;
}

START_TEST(timer_armed_many_times_runs_once_with_the_last_delay)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "kicked", count_other, &w, &w.a), 0);
	ck_assert_int_eq(rs_loop_timer(w.loop, "end", stop, &w, &w.b), 0);
	ck_assert(!rs_timer_is_armed(w.a));
	rs_timer_arm(w.a, 3600 * S);
	ck_assert(rs_timer_is_armed(w.a));
	for (int i = 0; i < 5; i++)
		rs_timer_arm(w.a, 0);
	rs_timer_arm(w.b, 5 * MS);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.other_calls, 1);
	ck_assert(!rs_timer_is_armed(w.a));
}
END_TEST

START_TEST(timer_disarmed_does_not_run)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "never", count_other, &w, &w.a), 0);
	ck_assert_int_eq(rs_loop_timer(w.loop, "end", stop, &w, &w.b), 0);
	rs_timer_arm(w.a, 0);
	rs_timer_disarm(w.a);
	ck_assert(!rs_timer_is_armed(w.a));
	rs_timer_arm(w.b, 5 * MS);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.other_calls, 0);
}
END_TEST

static void
rearm_now(void *arg)
{
	(void)arg;
	w.other_calls++;
	rs_timer_arm(w.a, 0);
}

static void
on_ready(void *arg, int ready)
{
	(void)arg;
	w.ready = ready;
	w.calls++;
	rs_loop_stop(w.loop);
}

START_TEST(timer_that_arms_itself_for_the_next_turn_starves_nobody)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "busy", rearm_now, &w, &w.a), 0);
	rs_timer_arm(w.a, 0);
	ck_assert_int_eq(
	    rs_loop_watch(w.loop, "pipe", w.fd[0], RS_LOOP_READ, on_ready, &w, &w.b), 0);
	ck_assert_int_eq(write(w.fd[1], "x", 1), 1);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.calls, 1);
	ck_assert_int_eq(w.ready, RS_LOOP_READ);
}
END_TEST

START_TEST(watch_reports_what_is_ready)
{
	ck_assert_int_eq(
	    rs_loop_watch(w.loop, "pipe", w.fd[1], RS_LOOP_WRITE, on_ready, &w, &w.a), 0);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.ready, RS_LOOP_WRITE);
}
END_TEST

START_TEST(watch_of_a_closed_descriptor_is_an_error)
{
	ck_assert_int_lt(
	    rs_loop_watch(w.loop, "gone", 1000000, RS_LOOP_READ, on_ready, &w, &w.a), 0);
	ck_assert_ptr_null(w.a);
}
END_TEST

START_TEST(signal_runs_its_callback_on_the_loop)
{
	ck_assert_int_eq(rs_loop_signal(w.loop, "SIGUSR1", SIGUSR1, stop, &w, &w.a), 0);
	ck_assert_int_eq(raise(SIGUSR1), 0);
	ck_assert_int_eq(w.calls, 0);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.calls, 1);
}
END_TEST

static void
free_itself(void *arg)
{
	(void)arg;
	w.calls++;
	rs_event_free(w.a);
	rs_event_free(w.a); /* still allocated until the callback returns */
	rs_timer_arm(w.b, 5 * MS);
}

static void
free_itself_watched(void *arg, int ready)
{
	(void)ready;
	free_itself(arg);
}

static void
free_itself_ticking(void *arg, const struct rs_tick *tick)
{
	(void)tick;
	free_itself(arg);
}

START_TEST(event_of_any_kind_may_free_itself)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "end", stop, &w, &w.b), 0);
	if (_i == 0) {
		ck_assert_int_eq(rs_loop_timer(w.loop, "t", free_itself, &w, &w.a), 0);
		rs_timer_arm(w.a, 0);
	} else if (_i == 1) {
		ck_assert_int_eq(rs_loop_watch(w.loop, "w", w.fd[1], RS_LOOP_WRITE,
				     free_itself_watched, &w, &w.a),
		    0);
	} else if (_i == 2) {
		ck_assert_int_eq(rs_loop_signal(w.loop, "s", SIGUSR1, free_itself, &w, &w.a), 0);
		ck_assert_int_eq(raise(SIGUSR1), 0);
		ck_assert_int_eq(raise(SIGUSR1), 0);
	} else {
		ck_assert_int_eq(rs_loop_ticker(w.loop, "k", MS, free_itself_ticking, &w, &w.a), 0);
	}
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.calls, 2);
}
END_TEST

static void
free_the_other(void *arg)
{
	struct rs_event **other = arg;

	w.calls++;
	rs_event_free(*other);
	*other = NULL;
	rs_loop_stop(w.loop);
}

START_TEST(event_freed_by_another_of_the_same_turn_does_not_run)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "a", free_the_other, &w.b, &w.a), 0);
	ck_assert_int_eq(rs_loop_timer(w.loop, "b", free_the_other, &w.a, &w.b), 0);
	rs_timer_arm(w.a, 0);
	rs_timer_arm(w.b, 0);
	spin(MS);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.calls, 1);
}
END_TEST

START_TEST(loop_stopped_before_it_runs_returns_at_once)
{
	ck_assert_int_eq(rs_loop_timer(w.loop, "never", count_other, &w, &w.a), 0);
	rs_timer_arm(w.a, 0);
	rs_loop_stop(w.loop);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_eq(w.other_calls, 0);
	rs_event_free(NULL);
	rs_loop_free(NULL);
}
END_TEST

START_TEST(loop_names_its_method)
{
	ck_assert_str_ne(rs_loop_method(w.loop), "");
}
END_TEST

static void
hold(void *arg)
{
	(void)arg;
	spin(S + MS);
	rs_loop_stop(w.loop);
}

START_TEST(loop_logs_a_callback_that_held_it_for_a_second)
{
	char line[200] = "";
	const int saved = dup(STDERR_FILENO);

	ck_assert_int_ge(dup2(w.fd[1], STDERR_FILENO), 0);
	rs_log_setup(RS_LOG_STDERR, RS_LOG_INFO);
	ck_assert_int_eq(rs_loop_timer(w.loop, "holder", hold, &w, &w.a), 0);
	rs_timer_arm(w.a, 0);
	ck_assert_int_eq(rs_loop_run(w.loop), 0);
	ck_assert_int_ge(dup2(saved, STDERR_FILENO), 0);
	(void)close(saved);
	ck_assert_int_gt(read(w.fd[0], line, sizeof(line) - 1), 0);
	ck_assert_ptr_nonnull(strstr(line, "'holder' held the event loop for 1"));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("loop");
	TCase *pure = tcase_create("schedule");
	TCase *tc = tcase_create("loop");

	tcase_add_loop_test(
	    pure, tick_at_stays_on_multiples_of_the_period, 0, (int)RS_ARRAY_LEN(ticks));
	suite_add_tcase(s, pure);
	tcase_set_timeout(tc, 60);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, ticker_wakes_once_a_tick_and_never_early);
	tcase_add_test(tc, ticker_counts_what_a_long_callback_made_it_miss);
	tcase_add_test(tc, ticker_refuses_a_period_of_nothing);
	tcase_add_test(tc, timer_armed_many_times_runs_once_with_the_last_delay);
	tcase_add_test(tc, timer_disarmed_does_not_run);
	tcase_add_test(tc, timer_that_arms_itself_for_the_next_turn_starves_nobody);
	tcase_add_test(tc, watch_reports_what_is_ready);
	tcase_add_test(tc, watch_of_a_closed_descriptor_is_an_error);
	tcase_add_test(tc, signal_runs_its_callback_on_the_loop);
	tcase_add_loop_test(tc, event_of_any_kind_may_free_itself, 0, 4);
	tcase_add_test(tc, event_freed_by_another_of_the_same_turn_does_not_run);
	tcase_add_test(tc, loop_stopped_before_it_runs_returns_at_once);
	tcase_add_test(tc, loop_names_its_method);
	tcase_add_test(tc, loop_logs_a_callback_that_held_it_for_a_second);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

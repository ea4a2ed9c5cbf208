/* SPDX-License-Identifier: ISC */
/*
 * Votes become findings: raising, clearing, episodes, severity, staleness,
 * ranks and limits; with rules that say what a test tells them to.
 */
#include <math.h>
#include <string.h>

#include "buf.h"
#include "engine.h"
#include "rs_check.h"

/* What each of the rules says in this tick: a letter as in `say`. The test
 * rules read it from here, since the engine hands them nothing but the view. */
static char now_says[4];
static int core_of_a;
static rs_ns standing_of_a;
static enum rs_severity severity_of_last; /* of the many subjects of a rule */
static int32_t standing_core_of_a;

/* r raise info, R raise warn, X raise crit, b between info, B between warn,
 * C clear by word, c or a blank: no word, '-' needs an input. */
static void
say(char letter, const struct rs_subject *subject, struct rs_says *out)
{
	static const char raise[] = "rRX";
	const char *at = strchr(raise, letter);

	if (letter == '-')
		rs_needs(out, "a letter");
	else if (letter == 'C')
		rs_say(out, subject, RS_COND_CLEAR, RS_INFO, RS_HIGH);
	else if (letter == 'b' || letter == 'B')
		rs_say(out, subject, RS_COND_BETWEEN, letter == 'B' ? RS_WARN : RS_INFO, RS_HIGH);
	else if (at && letter)
		rs_say(out, subject, RS_COND_RAISE, (enum rs_severity)(at - raise), RS_HIGH);
}

static struct rs_subject
core(int n)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_CORE;
	s.core = n;
	return s;
}

static void
evaluate_a(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_subject s = core(core_of_a);

	standing_of_a = rs_standing_ns(out, &s);
	standing_core_of_a = rs_standing_core(out);
	say(now_says[0], &s, out);
	rs_message(out, "message %d at tick %llu", core_of_a, (unsigned long long)v->tick);
	rs_evidence(out, "threshold", t[0], RS_UNIT_RATIO);
}

static void
evaluate_b(const struct rs_view *v, const double *t, struct rs_says *out)
{
	(void)v;
	(void)t;
	say(now_says[1], &rs_subject_host, out);
}

static void
evaluate_c(const struct rs_view *v, const double *t, struct rs_says *out)
{
	(void)v;
	(void)t;
	say(now_says[2], &rs_subject_host, out);
}

static const struct rs_threshold thresholds[] = {
    {"a", 0.25, 0, 1, RS_UNIT_RATIO, "a"},
    {0},
};
/* a: one subject, no rank; b and c: ranks 1 and 2. */
static const struct rs_rule rule_a = {
    .code = "test.a",
    .title = "A",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate_a,
};
static const struct rs_rule rule_b = {
    .code = "test.b", .title = "B", .rank = 1, .evaluate = evaluate_b};
static const struct rs_rule rule_c = {
    .code = "test.c", .title = "C", .rank = 2, .evaluate = evaluate_c};
static const struct rs_rule *const rules[] = {&rule_a, &rule_b, &rule_c, NULL};

static struct rs_engine *e;
static struct rs_view v;
static struct rs_buf events; /* "raised a 5; cleared a 20; ": with the number of the tick */

static void
setup_with(const struct rs_rule *const *with)
{
	memset(&v, 0, sizeof(v));
	memset(now_says, ' ', sizeof(now_says));
	core_of_a = 0;
	severity_of_last = RS_WARN;
	rs_buf_init(&events, 65536);
	v.interval_ns = RS_NS_PER_S;
	v.wall_ms = 1000000;
	ck_assert_int_eq(rs_engine_new(with, NULL, 100, &e), 0);
}

static void
setup(void)
{
	setup_with(rules);
}

static void
teardown(void)
{
	rs_engine_free(e);
	rs_buf_fini(&events);
}

static void
note(void *arg, enum rs_finding_event ev, const struct rs_finding *f)
{
	static const char *const names[] = {"raised", "changed", "cleared"};

	(void)arg;
	rs_buf_printf(&events, "%s %s %llu; ", names[ev], f->code + strlen("test."),
	    (unsigned long long)v.tick);
}

static void
tick(void)
{
	v.tick++;
	v.due_ns += v.interval_ns;
	v.mono_ns = v.due_ns;
	v.wall_ms += v.interval_ns / RS_NS_PER_MS;
	if (v.boot_ms != 0)
		v.boot_ms += v.interval_ns / RS_NS_PER_MS;
	rs_engine_run(e, &v, note, NULL);
}

/* One tick a letter; '_' is a tick that never comes. */
static void
run(unsigned rule, const char *letters)
{
	for (; *letters; letters++) {
		if (*letters == '_') {
			v.due_ns += v.interval_ns;
			continue;
		}
		now_says[rule] = *letters;
		tick();
	}
}

static void
repeat(unsigned rule, char letter, unsigned n)
{
	const char text[] = {letter, '\0'};

	while (n-- > 0)
		run(rule, text);
}

static const struct rs_finding *
first(void)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	return rs_engine_active(e, f, RS_FINDINGS_MAX) > 0 ? f[0] : NULL;
}

/* Votes of rule a from the first tick on, and what happens. */
static const struct {
	const char *says, *events;
} lives[] = {
    {"RRR", ""},
    {"RRRR", "raised a 4; "},
    {"cRRRR", "raised a 5; "},
    {"cccRRcRR", "raised a 8; "},
    {"RRcRcRRcRcRR", ""},      /* never four of five */
    {"RbRbRRbRbRRb", ""},      /* between is not for */
    {"RRR-R", "raised a 5; "}, /* a tick without value is neither: four of four */
    {"RRRcR", "raised a 5; "},
    {"R-R-R", "raised a 5; "},
    {"--R-R", ""},
    {"RR__R", "raised a 3; "},
    {"RR___R", ""},
    /* Raised at 4, then cleared by 12 of 15. */
    {"RRRRccccccccccc", "raised a 4; "},
    {"RRRRcccccccccccc", "raised a 4; cleared a 16; "},
    {"RRRRccccccRcccccc", "raised a 4; cleared a 17; "},
    {"RRRRbbbbbbbbbbbbbbbbbbbb", "raised a 4; "},
    {"RRRRcbcbcbcbcbcbcbcbcbcbcbcbcbcb", "raised a 4; "},
    {"RRRRccccccCCCCCC", "raised a 4; cleared a 16; "},
};

START_TEST(engine_votes_raise_and_clear)
{
	run(0, lives[_i].says);
	ck_assert_str_eq(rs_buf_cstr(&events), lives[_i].events);
}
END_TEST

START_TEST(engine_windows_are_seconds_and_samples)
{
	v.interval_ns = 200 * RS_NS_PER_MS;
	repeat(0, 'R', 19);
	ck_assert_str_eq(rs_buf_cstr(&events), "");
	repeat(0, 'R', 1); /* 20 of 25 */
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 20; ");
	repeat(0, 'c', 59);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 20; ");
	repeat(0, 'c', 1); /* 60 of 75 */
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 20; cleared a 80; ");
}
END_TEST

START_TEST(engine_slow_interval_needs_five_samples)
{
	v.interval_ns = 60 * RS_NS_PER_S;
	run(0, "cRRRR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; ");
	repeat(0, 'c', 12);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; cleared a 17; ");
}
END_TEST

START_TEST(engine_late_tick_is_no_missed_one)
{
	run(0, "cccc");
	run(0, "RR");
	v.due_ns += v.interval_ns / 2; /* never happens with aligned ticks; not a missed one */
	run(0, "RR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 8; ");
}
END_TEST

START_TEST(engine_finding_is_filled)
{
	const struct rs_finding *f;

	run(0, "cccc");
	core_of_a = 3;
	run(0, "RRRR");
	f = first();
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->id, 100);
	ck_assert_str_eq(f->code, "test.a");
	ck_assert_str_eq(f->title, "A");
	ck_assert_int_eq(f->severity, RS_WARN);
	ck_assert_int_eq(f->confidence, RS_HIGH);
	ck_assert_int_eq(f->subject.core, 3);
	ck_assert_int_eq(f->raised_ms, v.wall_ms);
	ck_assert_int_eq(f->cleared_ms, 0);
	ck_assert_uint_eq(f->episodes, 1);
	ck_assert(!f->is_stale);
	ck_assert_str_eq(f->message, "message 3 at tick 8");
	ck_assert_uint_eq(f->n_evidence, 1);
	ck_assert_double_eq(f->evidence[0].value, 0.25);
	/* Words follow while it is not clear, and then stay. */
	run(0, "b");
	ck_assert_str_eq(f->message, "message 3 at tick 9");
	run(0, "cc");
	ck_assert_str_eq(f->message, "message 3 at tick 9");
}
END_TEST

START_TEST(engine_young_window_makes_low_confidence)
{
	run(0, "RRRR");
	ck_assert_int_eq(first()->confidence, RS_LOW);
	run(0, "R");
	ck_assert_int_eq(first()->confidence, RS_HIGH);
	run(0, "-R");
	ck_assert_int_eq(first()->confidence, RS_LOW);
	run(0, "RRRR");
	ck_assert_int_eq(first()->confidence, RS_HIGH);
}
END_TEST

START_TEST(engine_raised_again_within_60_s_is_the_same_finding)
{
	const struct rs_finding *f;
	int64_t raised_ms;

	run(0, "cRRRR");
	raised_ms = first()->raised_ms;
	repeat(0, 'c', 12); /* cleared at 17 */
	ck_assert_ptr_null(first());
	repeat(0, 'c', 56);
	run(0, "RRRR"); /* 60 s later */
	f = first();
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->id, 100);
	ck_assert_uint_eq(f->episodes, 2);
	ck_assert_int_eq(f->raised_ms, raised_ms);
	ck_assert_int_eq(f->cleared_ms, 0);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; cleared a 17; changed a 77; ");
	repeat(0, 'c', 12); /* cleared at 89 */
	repeat(0, 'c', 57);
	run(0, "RRRR"); /* 61 s later */
	ck_assert_int_eq(first()->id, 101);
	ck_assert_uint_eq(first()->episodes, 1);
	ck_assert_int_eq(first()->raised_ms, v.wall_ms);
}
END_TEST

START_TEST(engine_cleared_finding_has_its_end)
{
	run(0, "RRRR");
	const struct rs_finding *f = first();
	repeat(0, 'c', 12);
	ck_assert_int_eq(f->cleared_ms, v.wall_ms);
	ck_assert_int_eq(f->id, 100);
}
END_TEST

START_TEST(engine_end_is_never_before_the_beginning)
{
	run(0, "RRRR");
	const int64_t raised_ms = first()->raised_ms;
	const struct rs_finding *f = first();
	v.wall_ms -= 3600000; /* the clock is set back */
	repeat(0, 'c', 12);
	ck_assert_ptr_null(first());
	ck_assert_int_eq(f->raised_ms, raised_ms);
	ck_assert_int_eq(f->cleared_ms, raised_ms);
}
END_TEST

/* The machine starts in 1970 and learns the time later. */
START_TEST(engine_times_follow_the_clock_when_it_is_set)
{
	static const int64_t year = INT64_C(31536000000);

	v.wall_ms = 5000;
	v.boot_ms = 6000;
	run(0, "RRRR");
	ck_assert_int_eq(first()->raised_ms, 9000);
	ck_assert_int_eq(first()->raised_boot_ms, 10000);
	v.wall_ms += 2000; /* corrected, not set */
	run(0, "R");
	ck_assert_int_eq(first()->raised_ms, 9000);
	v.wall_ms += 50 * year;
	run(0, "R");
	ck_assert_int_eq(first()->raised_ms, 11000 + 50 * year);
	run(0, "R");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 4; changed a 6; ");
	/* What stood and may stand again. */
	repeat(0, 'c', 12);
	ck_assert_ptr_null(first());
	v.wall_ms -= year;
	run(0, "RRRR");
	ck_assert_uint_eq(first()->episodes, 2);
	ck_assert_int_eq(first()->raised_ms, 11000 + 49 * year);
	ck_assert_str_eq(
	    rs_buf_cstr(&events), "raised a 4; changed a 6; cleared a 19; changed a 23; ");
}
END_TEST

START_TEST(engine_stays_and_says_stale_when_samples_lack)
{
	run(0, "cRRRR");
	run(0, "--");
	ck_assert(!first()->is_stale);
	run(0, "-");
	ck_assert(first()->is_stale);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; changed a 8; ");
	repeat(0, '-', 100);
	ck_assert_ptr_nonnull(first());
	run(0, "cc");
	ck_assert(first()->is_stale);
	run(0, "c"); /* three of three clear: the state is known again */
	ck_assert_ptr_null(first());
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; changed a 8; cleared a 111; ");
}
END_TEST

START_TEST(engine_clears_only_in_a_tick_that_is_clear)
{
	/* While few samples come nothing is decided; when they are enough again
	 * four of five are clear, but the last is not. */
	run(0, "RRRR");
	run(0, "----c--c--c-c-");
	ck_assert(first()->is_stale);
	run(0, "R");
	ck_assert_ptr_nonnull(first());
	ck_assert(!first()->is_stale);
	run(0, "c");
	ck_assert_ptr_null(first());
}
END_TEST

START_TEST(engine_long_gap_clears_nothing_by_itself)
{
	run(0, "cRRRR");
	v.due_ns += 1000 * v.interval_ns;
	run(0, "R");
	ck_assert(first()->is_stale);
	run(0, "RR");
	ck_assert(!first()->is_stale);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; changed a 6; changed a 8; ");
}
END_TEST

START_TEST(engine_clock_that_steps_back_misses_nothing)
{
	run(0, "cRR");
	v.due_ns -= 100 * v.interval_ns;
	run(0, "RR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 5; ");
}
END_TEST

START_TEST(engine_new_interval_starts_the_windows_anew)
{
	run(0, "cRRRR");
	run(0, "ccccccccccc"); /* one more would clear it */
	v.interval_ns = 2 * RS_NS_PER_S;
	run(0, "c");
	ck_assert(first()->is_stale);
	repeat(0, 'c', 10);
	ck_assert_ptr_nonnull(first());
	run(0, "c");
	ck_assert_ptr_null(first());
}
END_TEST

START_TEST(engine_severity_is_voted_and_never_falls)
{
	run(0, "rrrrr");
	ck_assert_int_eq(first()->severity, RS_INFO);
	run(0, "RrRRr");
	ck_assert_int_eq(first()->severity, RS_INFO);
	run(0, "RB");
	ck_assert_int_eq(first()->severity, RS_WARN);
	run(0, "RR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 4; changed a 12; ");
	run(0, "XXXX");
	ck_assert_int_eq(first()->severity, RS_CRIT);
	repeat(0, 'r', 30);
	ck_assert_int_eq(first()->severity, RS_CRIT);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 4; changed a 12; changed a 18; ");
	/* A new episode begins with what it is then. */
	repeat(0, 'c', 20);
	run(0, "rrrrr");
	ck_assert_int_eq(first()->severity, RS_INFO);
	ck_assert_uint_eq(first()->episodes, 2);
}
END_TEST

/* A warning is news at once, less than that after ten of twelve seconds. */
START_TEST(engine_less_than_a_warning_may_need_a_longer_window)
{
	static const struct rs_rule slow = {.code = "test.slow",
	    .title = "Slow",
	    .info_window_s = 12,
	    .evaluate = evaluate_a,
	    .thresholds = thresholds};
	static const struct rs_rule *const only_slow[] = {&slow, NULL};
	static const struct {
		const char *says, *events;
	} slow_lives[] = {
	    {"rrrrrrrrr", ""},
	    {"rrrrrrrrrr", "raised slow 10; "},
	    {"RRRR", "raised slow 4; "},
	    {"rrrrRRR", ""},
	    {"rrrrRRRR", "raised slow 8; "},
	    {"rrrrRRrRrr", "raised slow 10; "},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(slow_lives); i++) {
		teardown();
		setup_with(only_slow);
		run(0, slow_lives[i].says);
		ck_assert_str_eq(rs_buf_cstr(&events), slow_lives[i].events);
	}
	ck_assert_int_eq(first()->severity, RS_INFO);
}
END_TEST

START_TEST(engine_severity_of_mixed_votes_is_what_four_fifths_support)
{
	run(0, "crXRX");
	ck_assert_int_eq(first()->severity, RS_INFO);
	run(0, "R");
	ck_assert_int_eq(first()->severity, RS_WARN);
}
END_TEST

START_TEST(engine_one_subject_follows_and_tells)
{
	core_of_a = 1;
	run(0, "RRRRR");
	core_of_a = 2;
	run(0, "R");
	ck_assert_int_eq(first()->subject.core, 2);
	ck_assert_int_eq(first()->id, 100);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 4; changed a 6; ");
}
END_TEST

START_TEST(engine_tells_a_rule_how_long_it_stands)
{
	core_of_a = 7;
	run(0, "RRRR");
	ck_assert_int_eq(standing_of_a, 0);
	ck_assert_int_eq(standing_core_of_a, -1);
	run(0, "R");
	ck_assert_int_eq(standing_of_a, RS_NS_PER_S);
	ck_assert_int_eq(standing_core_of_a, 7);
	run(0, "RR");
	ck_assert_int_eq(standing_of_a, 3 * RS_NS_PER_S);
	repeat(0, 'c', 13);
	ck_assert_int_eq(standing_of_a, 0);
	ck_assert_int_eq(standing_core_of_a, -1);
	/* A new episode stands from its own beginning. */
	run(0, "RRRRR");
	ck_assert_int_eq(standing_of_a, RS_NS_PER_S);
}
END_TEST

/* b has rank 1, c rank 2. */
START_TEST(engine_higher_rank_takes_over_at_once)
{
	now_says[1] = 'R';
	run(2, "cccccc");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised b 4; ");
	run(2, "RRRR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised b 4; cleared b 10; raised c 10; ");
	const struct rs_finding *f[4];
	ck_assert_uint_eq(rs_engine_active(e, f, 4), 1);
	ck_assert_str_eq(f[0]->code, "test.c");
}
END_TEST

START_TEST(engine_lower_rank_waits_and_follows_without_a_gap)
{
	now_says[1] = 'c';
	run(2, "cRRRR");
	now_says[1] = 'R';
	repeat(2, 'c', 11);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised c 5; ");
	run(2, "c");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised c 5; cleared c 17; raised b 17; ");
}
END_TEST

START_TEST(engine_higher_rank_wins_when_both_carry)
{
	now_says[1] = 'R';
	repeat(2, 'R', 5);
	ck_assert_str_eq(rs_buf_cstr(&events), "raised c 4; ");
}
END_TEST

START_TEST(engine_lower_rank_taken_over_is_the_same_finding_when_it_returns)
{
	now_says[1] = 'R';
	run(2, "cccccRRRR");
	repeat(2, 'c', 12);
	ck_assert_str_eq(rs_buf_cstr(&events),
	    "raised b 4; cleared b 9; raised c 9; cleared c 21; changed b 21; ");
	ck_assert_uint_eq(first()->episodes, 2);
	ck_assert_int_eq(first()->id, 100);
}
END_TEST

START_TEST(engine_ranks_leave_other_rules_alone)
{
	now_says[0] = 'r';
	now_says[1] = 'c';
	repeat(2, 'R', 6);
	const struct rs_finding *f[4];
	ck_assert_uint_eq(rs_engine_active(e, f, 4), 2);
	/* Most severe first. */
	ck_assert_str_eq(f[0]->code, "test.c");
	ck_assert_str_eq(f[1]->code, "test.a");
	ck_assert_uint_eq(rs_engine_active(e, f, 1), 1);
}
END_TEST

/* "less" gives way to "more" about the same device and core. */
static const char *device_of_less;
static int core_of_less;

static void
say_of(char letter, const char *device, int on_core, struct rs_says *out)
{
	struct rs_subject s = rs_subject_host;

	s.kind = RS_SUBJECT_INTERFACE;
	s.core = on_core;
	(void)rs_text_copy(rs_text_of(device), s.device, sizeof(s.device));
	say(letter, &s, out);
}

static void
evaluate_less(const struct rs_view *view, const double *t, struct rs_says *out)
{
	(void)view;
	(void)t;
	say_of(now_says[0], device_of_less, core_of_less, out);
}

static void
evaluate_more(const struct rs_view *view, const double *t, struct rs_says *out)
{
	(void)view;
	(void)t;
	say_of(now_says[1], "eth0", -1, out);
}

START_TEST(engine_gives_way_about_the_same_device_at_once)
{
	static const struct rs_rule less = {.code = "test.less",
	    .title = "Less",
	    .gives_way_to = "test.more",
	    .evaluate = evaluate_less};
	static const struct rs_rule more = {
	    .code = "test.more", .title = "More", .evaluate = evaluate_more};
	static const struct rs_rule *const both[] = {&less, &more, NULL};

	teardown();
	setup_with(both);
	device_of_less = "eth0";
	core_of_less = -1;
	/* What stands ends; what would be raised waits for the end of the other. */
	now_says[1] = 'c';
	run(0, "RRRRR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised less 4; ");
	now_says[1] = 'R';
	run(0, "RRRR");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised less 4; raised more 9; cleared less 9; ");
	repeat(0, 'R', 10);
	now_says[1] = 'c';
	repeat(0, 'R', 12);
	ck_assert_str_eq(rs_buf_cstr(&events),
	    "raised less 4; raised more 9; cleared less 9; cleared more 31; changed less 31; ");
	/* Another device is another matter. */
	device_of_less = "eth1";
	now_says[1] = 'R';
	repeat(0, 'R', 5);
	const struct rs_finding *f[4];
	ck_assert_uint_eq(rs_engine_active(e, f, 4), 2);
	/* And so is another core. */
	device_of_less = "eth0";
	core_of_less = 3;
	repeat(0, 'R', 5);
	ck_assert_uint_eq(rs_engine_active(e, f, 4), 3);
}
END_TEST

START_TEST(engine_newest_of_equal_severity_is_first)
{
	now_says[0] = 'R';
	run(1, "cccccRRRR");
	const struct rs_finding *f[4];
	ck_assert_uint_eq(rs_engine_active(e, f, 4), 2);
	ck_assert_str_eq(f[0]->code, "test.b");
	ck_assert_str_eq(f[1]->code, "test.a");
}
END_TEST

START_TEST(engine_lower_rank_does_not_rise_on_old_votes)
{
	/* b's votes carry, but in the tick in which c clears b is not for it. */
	now_says[1] = 'c';
	run(2, "cRRRR");
	now_says[1] = 'R';
	repeat(2, 'c', 11);
	now_says[1] = 'b';
	run(2, "c");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised c 5; cleared c 17; ");
	now_says[1] = 'R';
	run(2, "c");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised c 5; cleared c 17; raised b 18; ");
}
END_TEST

START_TEST(engine_says_why_a_rule_was_not_evaluated)
{
	run(0, "R");
	ck_assert_ptr_null(rs_engine_not_evaluated(e, 0));
	run(0, "-");
	ck_assert_str_eq(rs_engine_not_evaluated(e, 0), "needs a letter");
	ck_assert_ptr_null(rs_engine_not_evaluated(e, 1));
}
END_TEST

START_TEST(engine_rule_switched_off_ends_its_finding)
{
	struct rs_rule_conf confs[3];

	for (size_t i = 0; i < 3; i++)
		rs_rule_conf_default(rules[i], &confs[i]);
	run(0, "RRRRR");
	confs[0].is_enabled = false;
	rs_engine_configure(e, confs);
	run(0, "R");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised a 4; cleared a 6; ");
	ck_assert_str_eq(rs_engine_not_evaluated(e, 0), "switched off by configuration");
	repeat(0, 'R', 20);
	ck_assert_ptr_null(first());
	confs[0].is_enabled = true;
	confs[0].thresholds[0] = 0.75;
	rs_engine_configure(e, confs);
	run(0, "RRRR");
	ck_assert_ptr_nonnull(first());
	ck_assert_double_eq(first()->evidence[0].value, 0.75);
}
END_TEST

START_TEST(engine_defaults_are_those_of_the_table)
{
	struct rs_rule_conf c;

	rs_rule_conf_default(&rule_a, &c);
	ck_assert(c.is_enabled);
	ck_assert_double_eq(c.thresholds[0], 0.25);
	rs_rule_conf_default(&rule_b, &c);
	ck_assert(c.is_enabled);
}
END_TEST

START_TEST(engine_runs_without_rules_and_without_listener)
{
	static const struct rs_rule *const none[] = {NULL};
	struct rs_engine *empty;
	const struct rs_finding *f;

	ck_assert_int_eq(rs_engine_new(none, NULL, 1, &empty), 0);
	rs_engine_run(empty, &v, NULL, NULL);
	ck_assert_uint_eq(rs_engine_active(empty, &f, 1), 0);
	rs_engine_free(empty);
	rs_engine_free(NULL);
}
END_TEST

/* A rule with many subjects. */
static unsigned n_subjects, first_subject;

static void
evaluate_many(const struct rs_view *view, const double *t, struct rs_says *out)
{
	(void)view;
	(void)t;
	for (unsigned i = 0; i < n_subjects; i++) {
		const struct rs_subject s = core((int)(first_subject + i));
		rs_say(out, &s, RS_COND_RAISE, i + 1 == n_subjects ? severity_of_last : RS_WARN,
		    RS_HIGH);
		rs_message(out, "core %u", first_subject + i);
	}
}

enum { MANY = RS_FINDINGS_MAX - RS_FINDINGS_KEPT }; /* findings of them at once */

static unsigned
count_events(const char *word)
{
	unsigned n = 0;

	for (const char *p = rs_buf_cstr(&events); (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

static const struct rs_rule rule_many = {.code = "test.m", .title = "M", .evaluate = evaluate_many};
static const struct rs_rule *const many[] = {&rule_many, NULL};

static void
setup_many(void)
{
	setup_with(many);
	first_subject = 0;
}

START_TEST(engine_subjects_have_findings_of_their_own)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	n_subjects = 2;
	run(0, "     ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), 2);
	ck_assert_int_ne(f[0]->subject.core, f[1]->subject.core);
	first_subject = 1; /* 1 and 2: 0 clears, 2 is raised, 1 stays */
	for (int i = 0; i < 12; i++)
		run(0, " ");
	ck_assert_str_eq(
	    rs_buf_cstr(&events), "raised m 4; raised m 4; raised m 9; cleared m 17; ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), 2);
}
END_TEST

START_TEST(engine_new_subject_was_clear_before)
{
	n_subjects = 0;
	run(0, "          ");
	n_subjects = 1;
	run(0, "   ");
	ck_assert_str_eq(rs_buf_cstr(&events), "");
	run(0, " ");
	ck_assert_str_eq(rs_buf_cstr(&events), "raised m 14; ");
}
END_TEST

START_TEST(engine_refuses_what_it_has_no_room_for_and_counts)
{
	const struct rs_finding *f[RS_FINDINGS_MAX + 1];

	n_subjects = MANY;
	run(0, "     ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX + 1), MANY);
	ck_assert_uint_eq(rs_engine_refused(e), 0);
	/* Other subjects: they are voted on beside those that stand, then refused. */
	n_subjects = 3;
	first_subject = 1000;
	run(0, "          ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX + 1), MANY);
	ck_assert_uint_eq(rs_engine_refused(e), 3);
	run(0, "  "); /* the first ones clear and make room */
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX + 1), 3);
	ck_assert_uint_eq(rs_engine_refused(e), 3);
}
END_TEST

START_TEST(engine_counts_what_a_rule_says_too_much)
{
	n_subjects = RS_FINDINGS_MAX + 1; /* more than a rule may say in a tick */
	run(0, " ");
	ck_assert_uint_eq(rs_engine_refused(e), 1);
}
END_TEST

START_TEST(engine_hears_the_worst_of_what_a_rule_says_too_much)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	n_subjects = RS_FINDINGS_MAX + 1;
	severity_of_last = RS_CRIT;
	run(0, "     ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY);
	ck_assert_int_eq(f[0]->severity, RS_CRIT);
	ck_assert_int_eq(f[0]->subject.core, RS_FINDINGS_MAX);
	ck_assert_str_eq(f[0]->message, "core 64");
}
END_TEST

START_TEST(engine_refuses_subjects_it_cannot_vote_on)
{
	/* Twice as many as a rule may name, all within one window. */
	n_subjects = RS_FINDINGS_MAX;
	for (unsigned i = 0; i < 2; i++) {
		first_subject = i * RS_FINDINGS_MAX;
		run(0, " ");
	}
	ck_assert_uint_eq(rs_engine_refused(e), 32);
}
END_TEST

/* 64 interfaces with two complaints each: what is said of the machine is heard. */
static const struct rs_rule rule_many_too = {
    .code = "test.n", .title = "N", .evaluate = evaluate_many};
static const struct rs_rule *const crowd[] = {&rule_many, &rule_many_too, &rule_a, &rule_c, NULL};

static void
setup_crowd(void)
{
	setup_with(crowd);
	first_subject = 0;
}

START_TEST(engine_has_room_for_the_machine_beside_many_interfaces)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	n_subjects = RS_FINDINGS_MAX;
	run(0, "          ");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY);
	now_says[2] = 'X';
	run(0, "rrrrr");
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY + 2);
	ck_assert_str_eq(f[0]->code, "test.c");
	ck_assert_int_eq(f[0]->severity, RS_CRIT);
	ck_assert_str_eq(f[MANY + 1]->code, "test.a");
}
END_TEST

static void
evaluate_worse(const struct rs_view *view, const double *t, struct rs_says *out)
{
	const struct rs_subject s = core(0);

	(void)view;
	(void)t;
	say(now_says[1], &s, out);
}

static const struct rs_rule rule_worse = {
    .code = "test.w", .title = "W", .evaluate = evaluate_worse};
static const struct rs_rule *const crowd_and_worse[] = {&rule_many, &rule_worse, NULL};
static const struct rs_rule *const crowds_and_worse[] = {
    &rule_many, &rule_many_too, &rule_worse, NULL};

static void
setup_worse(void)
{
	setup_with(crowd_and_worse);
	first_subject = 0;
}

START_TEST(engine_lets_the_least_go_for_what_is_worse)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	n_subjects = RS_FINDINGS_MAX; /* each a warning */
	repeat(1, ' ', 10);
	repeat(1, 'R', 5); /* as bad as they are */
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY);
	ck_assert_str_eq(f[0]->code, "test.m");
	repeat(1, 'X', 5);
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY);
	ck_assert_str_eq(f[0]->code, "test.w");
	ck_assert_int_eq(f[0]->severity, RS_CRIT);
	repeat(1, 'X', 10); /* and the others do not take turns */
	ck_assert_str_eq(f[0]->code, "test.w");
	ck_assert_uint_eq(count_events("cleared"), 1);
}
END_TEST

START_TEST(engine_lets_the_worst_vote_beside_many)
{
	const struct rs_finding *f[RS_FINDINGS_MAX];

	teardown();
	setup_with(crowds_and_worse);
	n_subjects = RS_FINDINGS_MAX; /* of each rule: more than are voted on */
	repeat(1, ' ', 10);
	repeat(1, 'R', 5); /* as bad as they are */
	ck_assert_str_ne(f[rs_engine_active(e, f, 1) - 1]->code, "test.w");
	repeat(1, 'X', 5);
	ck_assert_uint_eq(rs_engine_active(e, f, RS_FINDINGS_MAX), MANY);
	ck_assert_str_eq(f[0]->code, "test.w");
	ck_assert_int_eq(f[0]->severity, RS_CRIT);
	repeat(1, 'X', 10);
	ck_assert_uint_eq(count_events("cleared"), 1);
}
END_TEST

START_TEST(engine_forgets_subjects_that_pass_by)
{
	/* Far more subjects than there is room for, each for three ticks. */
	n_subjects = 8;
	for (unsigned i = 0; i < 300; i++) {
		first_subject = 8 * (i / 3);
		run(0, " ");
	}
	ck_assert_uint_eq(rs_engine_refused(e), 0);
	ck_assert_str_eq(rs_buf_cstr(&events), "");
}
END_TEST

/* What a rule says is cut, never overrun. */
static void
evaluate_long(const struct rs_view *view, const double *t, struct rs_says *out)
{
	char text[1000];
	struct rs_advice a;

	(void)view;
	(void)t;
	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memset(&a, 0, sizeof(a));
	rs_message(out, "nobody listens yet");
	rs_evidence(out, "nor now", 1.0, RS_UNIT_NONE);
	rs_cause(out, "nor now");
	rs_advise(out, &a);
	rs_say(out, &rs_subject_host, RS_COND_RAISE, RS_WARN, RS_HIGH);
	rs_message(out, "%s", text);
	for (int i = 0; i < 100; i++) {
		rs_cause(out, "%s", text);
		rs_advise(out, &a);
		rs_evidence_text(out, text, "%s", text);
	}
}

static const struct rs_rule rule_long = {.code = "test.l", .title = "L", .evaluate = evaluate_long};
static const struct rs_rule *const longs[] = {&rule_long, NULL};

START_TEST(engine_cuts_what_a_rule_says_too_much)
{
	struct rs_engine *other;
	const struct rs_finding *f;

	ck_assert_int_eq(rs_engine_new(longs, NULL, 1, &other), 0);
	for (int i = 0; i < 4; i++) {
		v.due_ns += v.interval_ns;
		rs_engine_run(other, &v, NULL, NULL);
	}
	ck_assert_uint_eq(rs_engine_active(other, &f, 1), 1);
	ck_assert_uint_eq(f->n_evidence, RS_EVIDENCE_MAX);
	ck_assert_uint_eq(f->n_causes, RS_CAUSES_MAX);
	ck_assert_uint_eq(f->n_advice, RS_ADVICE_MAX);
	ck_assert_uint_eq(strlen(f->message), sizeof(f->message) - 1);
	ck_assert_uint_eq(strlen(f->evidence[0].label), sizeof(f->evidence[0].label) - 1);
	ck_assert_uint_eq(strlen(f->evidence[0].text), sizeof(f->evidence[0].text) - 1);
	ck_assert(isnan(f->evidence[0].value));
	rs_engine_free(other);
}
END_TEST

/* Evidence has no more digits than a sampled load supports. */
static void
evaluate_digits(const struct rs_view *view, const double *t, struct rs_says *out)
{
	(void)view;
	(void)t;
	rs_say(out, &rs_subject_host, RS_COND_RAISE, RS_WARN, RS_HIGH);
	rs_evidence(out, "load", 0.98765, RS_UNIT_RATIO);
	rs_evidence(out, "cores", 1.7101, RS_UNIT_CORES);
	rs_evidence(out, "rate", 1234.567, RS_UNIT_PPS);
	rs_evidence(out, "lack", NAN, RS_UNIT_PPS);
	rs_evidence(out, "time", 7.2e-7, RS_UNIT_SECONDS);
}

static const struct rs_rule rule_digits = {
    .code = "test.d", .title = "D", .evaluate = evaluate_digits};
static const struct rs_rule *const digits[] = {&rule_digits, NULL};

START_TEST(engine_evidence_is_rounded_to_what_its_unit_supports)
{
	struct rs_engine *other;
	const struct rs_finding *f;

	ck_assert_int_eq(rs_engine_new(digits, NULL, 1, &other), 0);
	for (int i = 0; i < 4; i++) {
		v.due_ns += v.interval_ns;
		rs_engine_run(other, &v, NULL, NULL);
	}
	ck_assert_uint_eq(rs_engine_active(other, &f, 1), 1);
	ck_assert_double_eq_tol(f->evidence[0].value, 0.99, 1e-12);
	ck_assert_double_eq_tol(f->evidence[1].value, 1.7, 1e-12);
	ck_assert_double_eq_tol(f->evidence[2].value, 1235.0, 1e-12);
	ck_assert(isnan(f->evidence[3].value));
	ck_assert_str_eq(f->evidence[3].text, "not known");
	ck_assert_double_eq(f->evidence[4].value, 7.2e-7);
	rs_engine_free(other);
}
END_TEST

static void
add_rank_tests(TCase *tc)
{
	tcase_add_test(tc, engine_higher_rank_takes_over_at_once);
	tcase_add_test(tc, engine_lower_rank_waits_and_follows_without_a_gap);
	tcase_add_test(tc, engine_higher_rank_wins_when_both_carry);
	tcase_add_test(tc, engine_lower_rank_taken_over_is_the_same_finding_when_it_returns);
	tcase_add_test(tc, engine_ranks_leave_other_rules_alone);
	tcase_add_test(tc, engine_gives_way_about_the_same_device_at_once);
	tcase_add_test(tc, engine_newest_of_equal_severity_is_first);
	tcase_add_test(tc, engine_lower_rank_does_not_rise_on_old_votes);
}

static Suite *
suite(void)
{
	Suite *s = suite_create("engine");
	TCase *tc = tcase_create("engine"), *tm = tcase_create("many"),
	      *crowded = tcase_create("crowd"), *worse = tcase_create("worse");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, engine_votes_raise_and_clear, 0, (int)RS_ARRAY_LEN(lives));
	tcase_add_test(tc, engine_windows_are_seconds_and_samples);
	tcase_add_test(tc, engine_slow_interval_needs_five_samples);
	tcase_add_test(tc, engine_late_tick_is_no_missed_one);
	tcase_add_test(tc, engine_finding_is_filled);
	tcase_add_test(tc, engine_young_window_makes_low_confidence);
	tcase_add_test(tc, engine_raised_again_within_60_s_is_the_same_finding);
	tcase_add_test(tc, engine_cleared_finding_has_its_end);
	tcase_add_test(tc, engine_end_is_never_before_the_beginning);
	tcase_add_test(tc, engine_times_follow_the_clock_when_it_is_set);
	tcase_add_test(tc, engine_stays_and_says_stale_when_samples_lack);
	tcase_add_test(tc, engine_clears_only_in_a_tick_that_is_clear);
	tcase_add_test(tc, engine_long_gap_clears_nothing_by_itself);
	tcase_add_test(tc, engine_clock_that_steps_back_misses_nothing);
	tcase_add_test(tc, engine_new_interval_starts_the_windows_anew);
	tcase_add_test(tc, engine_severity_is_voted_and_never_falls);
	tcase_add_test(tc, engine_less_than_a_warning_may_need_a_longer_window);
	tcase_add_test(tc, engine_severity_of_mixed_votes_is_what_four_fifths_support);
	tcase_add_test(tc, engine_one_subject_follows_and_tells);
	tcase_add_test(tc, engine_tells_a_rule_how_long_it_stands);
	add_rank_tests(tc);
	tcase_add_test(tc, engine_says_why_a_rule_was_not_evaluated);
	tcase_add_test(tc, engine_rule_switched_off_ends_its_finding);
	tcase_add_test(tc, engine_defaults_are_those_of_the_table);
	tcase_add_test(tc, engine_runs_without_rules_and_without_listener);
	tcase_add_test(tc, engine_cuts_what_a_rule_says_too_much);
	tcase_add_test(tc, engine_evidence_is_rounded_to_what_its_unit_supports);
	suite_add_tcase(s, tc);
	tcase_add_checked_fixture(tm, setup_many, teardown);
	tcase_add_test(tm, engine_subjects_have_findings_of_their_own);
	tcase_add_test(tm, engine_new_subject_was_clear_before);
	tcase_add_test(tm, engine_refuses_what_it_has_no_room_for_and_counts);
	tcase_add_test(tm, engine_counts_what_a_rule_says_too_much);
	tcase_add_test(tm, engine_hears_the_worst_of_what_a_rule_says_too_much);
	tcase_add_test(tm, engine_refuses_subjects_it_cannot_vote_on);
	tcase_add_test(tm, engine_forgets_subjects_that_pass_by);
	suite_add_tcase(s, tm);
	tcase_add_checked_fixture(crowded, setup_crowd, teardown);
	tcase_add_test(crowded, engine_has_room_for_the_machine_beside_many_interfaces);
	suite_add_tcase(s, crowded);
	tcase_add_checked_fixture(worse, setup_worse, teardown);
	tcase_add_test(worse, engine_lets_the_least_go_for_what_is_worse);
	tcase_add_test(worse, engine_lets_the_worst_vote_beside_many);
	suite_add_tcase(s, worse);
	return s;
}

RS_CHECK_MAIN(suite())

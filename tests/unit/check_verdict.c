/* SPDX-License-Identifier: ISC */
/* Headroom, numbers as people read them, and the one line. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "headroom.h"
#include "rs_check.h"
#include "verdict.h"
#include "view_builder.h"

#define M 1e6

/* Headroom. The two reference cases: forwarded and link in Mbit/s, loads. */
static const struct {
	double now, link, p[4];
	double cost;		    /* per cent of a core per Mbit/s */
	double ceiling, ceiling_u1; /* as it is spread: with .95 of a core, with all of it */
	double even, even_u1;
	double gain; /* if even */
} references[] = {
    {944, 949, {.314, 0, .765, .514}, .1688, 1172, 1234, 2252, 2370, 1.0},
    {760, 944, {.138, .142, .055, 1.0}, .1757, 760, 760, 2163, 2277, 1.242},
};

START_TEST(headroom_of_the_reference_cases)
{
	struct rs_headroom h;
	double sum = 0.0, max = 0.0;

	for (size_t i = 0; i < 4; i++) {
		sum += references[_i].p[i];
		max = fmax(max, references[_i].p[i]);
	}
	rs_headroom_model(references[_i].now * M, references[_i].link * M, max, sum, 4, &h);
	ck_assert_double_eq_tol(100.0 * sum / references[_i].now, references[_i].cost, 0.00006);
	ck_assert_double_eq_tol(h.ceiling_bps / M, references[_i].ceiling, 0.51);
	ck_assert_double_eq_tol(h.even_ceiling_bps / M, references[_i].even, 0.51);
	ck_assert_double_eq_tol(h.even_ceiling_bps / M / 0.95, references[_i].even_u1, 0.51);
	if (max < 0.95)
		ck_assert_double_eq_tol(h.ceiling_bps / M / 0.95, references[_i].ceiling_u1, 0.51);
	ck_assert_double_eq_tol(h.gain_if_even, references[_i].gain, 0.0005);
	ck_assert_int_eq(h.how, RS_ABOUT);
}
END_TEST

/* X, L (0: unknown), P_h; what may be printed and the headroom, in Mbit/s. */
static const struct {
	double now, link, hottest;
	enum rs_extrapolation how;
	double more;
} rooms[] = {
    {212, 944, .24, RS_AT_LEAST, 627.17},
    {212, 0, .24, RS_AT_LEAST, 627.17},
    {212, 300, .24, RS_AT_LEAST, 88},
    {212, 944, .19, RS_NO_NUMBER, NAN},
    {212, 944, .20, RS_AT_LEAST, 732},
    {212, 944, .49, RS_AT_LEAST, 199.02},
    {212, 944, .50, RS_ABOUT, 190.8},
    {760, 944, .94, RS_ABOUT, 8.09},
    {760, 944, .95, RS_ABOUT, 0},
    {760, 944, 1.0, RS_ABOUT, 0},
    {960, 950, .60, RS_ABOUT, 0},
    {0, 944, .60, RS_NO_NUMBER, NAN},
    {NAN, 944, .60, RS_NO_NUMBER, NAN},
    {212, 944, NAN, RS_NO_NUMBER, NAN},
};

START_TEST(headroom_is_what_the_first_limit_leaves)
{
	struct rs_headroom h;
	const double link = rooms[_i].link > 0 ? rooms[_i].link * M : (double)INFINITY;

	rs_headroom_model(rooms[_i].now * M, link, rooms[_i].hottest, rooms[_i].hottest, 4, &h);
	ck_assert_int_eq(h.how, rooms[_i].how);
	if (isnan(rooms[_i].more))
		ck_assert(isnan(h.more_bps));
	else
		ck_assert_double_eq_tol(h.more_bps / M, rooms[_i].more, 0.01);
}
END_TEST

START_TEST(headroom_of_a_full_box_is_none_even_if_spread)
{
	struct rs_headroom h;

	rs_headroom_model(100 * M, (double)INFINITY, 1.0, 3.94, 4, &h);
	ck_assert_double_eq_tol(h.even_ceiling_bps / M, 100, 1e-9);
	ck_assert_double_eq_tol(h.gain_if_even, 1.0, 1e-9);
}
END_TEST

START_TEST(headroom_link_is_full_where_its_busiest_direction_is)
{
	struct rs_vb *b = rs_vb_new(2);
	struct rs_headroom h;

	rs_vb_core(b, 0, 0.6, 0.6);
	rs_vb_traffic(rs_vb_nic(b, "eth0", 1000000000), 400 * M, 0, 0);
	rs_vb_traffic(rs_vb_nic(b, "eth1", 500000000), 0, 400 * M, 0);
	rs_vb_tick(b);
	rs_headroom_of(&b->v, b->v.groups, 2, NULL, &h);
	ck_assert_double_eq_tol(h.now_bps / M, 400, 1e-6);
	ck_assert_double_eq_tol(h.link_bps / M, 500, 1e-6);
	ck_assert_double_eq_tol(h.hottest, 0.6, 1e-9);
	rs_vb_free(b);
}
END_TEST

static const struct {
	double x, nearest, down;
} digits[] = {
    {627.17e6, 630e6, 620e6},
    {1171.6e6, 1200e6, 1100e6},
    {620e6, 620e6, 620e6},
    {999, 1000, 990},
    {5.87, 5.9, 5.8},
    {0.0, 0.0, 0.0},
};

START_TEST(headroom_is_told_in_two_digits)
{
	ck_assert_double_eq_tol(rs_round_2(digits[_i].x), digits[_i].nearest, 1e-3);
	ck_assert_double_eq_tol(rs_floor_2(digits[_i].x), digits[_i].down, 1e-3);
}
END_TEST

/* Numbers. */
static const struct {
	double x;
	const char *bps, *pps;
} numbers[] = {
    {944e6, "944 Mbit/s", "944 Mpps"},
    {12e3, "12 kbit/s", "12 kpps"},
    {1.2e9, "1.2 Gbit/s", "1.2 Gpps"},
    {149e3, "149 kbit/s", "149 kpps"},
    {80, "80 bit/s", "80 pps"},
    {0, "0 bit/s", "0 pps"},
    {0.4, "0 bit/s", "0 pps"},
    {999.4, "999 bit/s", "999 pps"},
    {999.6, "1 kbit/s", "1 kpps"},
    {9.94e6, "9.9 Mbit/s", "9.9 Mpps"},
    {9.96e6, "10 Mbit/s", "10 Mpps"},
    {999.6e6, "1 Gbit/s", "1 Gpps"},
    {400e12, "400 Tbit/s", "400 Tpps"},
    {12345e12, "12345 Tbit/s", "12345 Tpps"},
    {1e300, "unknown", "unknown"},
    {-1, "unknown", "unknown"},
    {NAN, "unknown", "unknown"},
    {INFINITY, "unknown", "unknown"},
};

START_TEST(format_is_short_and_has_its_unit)
{
	char text[24];

	rs_format_bps(numbers[_i].x, text);
	ck_assert_str_eq(text, numbers[_i].bps);
	rs_format_pps(numbers[_i].x, text);
	ck_assert_str_eq(text, numbers[_i].pps);
}
END_TEST

static const struct {
	double seconds;
	const char *text;
} times[] = {
    {0, "0 ns"},
    {83e-9, "83 ns"},
    {999.4e-9, "999 ns"},
    {999.6e-9, "1 us"},
    {26.443e-6, "26 us"},
    {2609e-6, "2.6 ms"},
    {0.083999256, "84 ms"},
    {1.25, "1.3 s"},
    {59.4, "59 s"},
    {90, "1.5 min"},
    {3600, "1 h"},
    {1e6, "278 h"},
    {-1, "unknown"},
    {NAN, "unknown"},
    {INFINITY, "unknown"},
};

START_TEST(format_of_a_time_has_a_fitting_unit)
{
	char text[24];

	rs_format_time(times[_i].seconds, text);
	ck_assert_str_eq(text, times[_i].text);
}
END_TEST

static const double rounded[][2] = {{0.4, 0}, {9, 9}, {12.6, 13}, {999.6, 1000}, {1234, 1230},
    {123456, 123000}, {999600, 1000000}, {83999256, 84000000}};

START_TEST(format_rounds_rates_to_three_digits)
{
	ck_assert_double_eq_tol(rs_round_3(rounded[_i][0]), rounded[_i][1], 1e-6);
	ck_assert(isnan(rs_round_3(NAN)));
}
END_TEST

/* The line. */

#define VOTES_FULL_TICK 6u /* the first tick with which a window of five is full */

static struct rs_vb *b;
static struct rs_nic_view *nic;
static struct rs_finding findings[8];
static const struct rs_finding *active[8];
static size_t n_active;
static const struct rs_line *hour;

static void
setup(void)
{
	b = rs_vb_new(4);
	nic = rs_vb_nic(b, "eth0", 1000000000);
	b->v.tick = VOTES_FULL_TICK - 1;
	n_active = 0;
	hour = NULL;
}

static void
teardown(void)
{
	rs_vb_free(b);
}

static struct rs_finding *
add(const char *code, enum rs_severity severity, const char *message)
{
	struct rs_finding *f = &findings[n_active];

	memset(f, 0, sizeof(*f));
	strcpy(f->code, code);
	strcpy(f->message, message);
	f->severity = severity;
	f->confidence = RS_HIGH;
	active[n_active++] = f;
	return f;
}

static const struct rs_verdict *
verdict_after(int64_t ended_s_ago)
{
	static struct rs_verdict v;

	rs_verdict_make(&b->v, active, n_active, hour,
	    ended_s_ago < 0 ? 0 : b->v.wall_ms - ended_s_ago * 1000, &v);
	return &v;
}

static const char *
line(void)
{
	rs_vb_tick(b);
	return verdict_after(-1)->line;
}

START_TEST(verdict_waits_for_the_second_sample)
{
	struct rs_verdict v;
	struct rs_view none;

	memset(&none, 0, sizeof(none));
	rs_verdict_make(&none, NULL, 0, NULL, 0, &v);
	ck_assert_int_eq(v.state, RS_STATE_UNKNOWN);
	ck_assert_str_eq(v.line, "no verdict: waiting for the second sample");
	rs_vb_tick(b);
	b->v.has_rates = false;
	ck_assert_str_eq(verdict_after(-1)->line, "no verdict: waiting for the second sample");
}
END_TEST

START_TEST(verdict_names_what_is_missing)
{
	rs_vb_tick(b);
	b->v.missing = "/proc/stat";
	add("core.imbalance", RS_CRIT, "core 3 saturated by eth0");
	ck_assert_str_eq(verdict_after(-1)->line, "no verdict: no values from /proc/stat");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_UNKNOWN);
	b->v.missing = NULL;
	for (unsigned i = 0; i < 4; i++)
		rs_vb_core_unknown(b, i);
	ck_assert_str_eq(line(), "no verdict: no core has a value in this interval");
}
END_TEST

static const struct {
	int64_t ago_s;
	const char *line;
} agos[] = {
    {-1, "idle: 12 kbit/s"},
    {0, "idle: 12 kbit/s; last episode ended less than a minute ago"},
    {59, "idle: 12 kbit/s; last episode ended less than a minute ago"},
    {60, "idle: 12 kbit/s; last episode ended 1 min ago"},
    {7199, "idle: 12 kbit/s; last episode ended 119 min ago"},
    {7200, "idle: 12 kbit/s; last episode ended 2 h ago"},
    {172800, "idle: 12 kbit/s; last episode ended 2 days ago"},
};

START_TEST(verdict_idle_tells_the_rate_and_the_last_episode)
{
	rs_vb_traffic(nic, 12e3, 0, 10);
	rs_vb_tick(b);
	ck_assert_str_eq(verdict_after(agos[_i].ago_s)->line, agos[_i].line);
	ck_assert_int_eq(verdict_after(agos[_i].ago_s)->state, RS_STATE_OK);
}
END_TEST

START_TEST(verdict_clock_that_was_wrong_tells_no_end)
{
	rs_vb_traffic(nic, 12e3, 0, 10);
	rs_vb_tick(b);
	b->v.wall_ms = 1000;
	struct rs_verdict v;
	rs_verdict_make(&b->v, NULL, 0, NULL, 1700000000000, &v);
	ck_assert_str_eq(v.line, "idle: 12 kbit/s");
}
END_TEST

START_TEST(verdict_is_not_idle_when_a_core_is_hot_or_packets_are_lost)
{
	rs_vb_traffic(nic, 12e3, 0, 10);
	rs_vb_core(b, 1, 0.95, 0.95);
	ck_assert_str_eq(line(), "no bottleneck so far: 12 kbit/s, busiest core 95 %");
	rs_vb_core(b, 1, 0, 0);
	b->cores[1].dropped_pps = 3;
	ck_assert_ptr_nonnull(strstr(line(), "no bottleneck: 12 kbit/s, busiest core 0 %"));
	ck_assert_ptr_nonnull(strstr(line(), "; 23 % of 13 pps dropped"));
	b->cores[1].dropped_pps = 0;
	ck_assert_str_eq(line(), "idle: 12 kbit/s");
}
END_TEST

START_TEST(verdict_of_a_hot_core_waits_for_the_votes)
{
	static const char early[] = "core 1 at 99 %: too early to judge; 760 Mbit/s now";

	rs_vb_traffic(nic, 760 * M, 0, 65000);
	rs_vb_core(b, 1, 0.99, 0.99);
	for (b->v.tick = 0; b->v.tick < VOTES_FULL_TICK - 1;) {
		ck_assert_str_eq(line(), early);
		ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_UNKNOWN);
	}
	ck_assert_str_eq(line(), "no bottleneck so far: 760 Mbit/s, busiest core 99 %");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_OK);
	/* Full together with a process is hot too; without rates no rate is told. */
	rs_vb_core(b, 1, 0.62, 0.98);
	nic->counts_in_sums = false;
	b->v.tick = 1;
	ck_assert_str_eq(line(), "core 1 98 % busy: too early to judge");
	/* What is not hot needs no votes. */
	rs_vb_core(b, 1, 0.62, 0.62);
	ck_assert_str_eq(line(), "no bottleneck: rate unknown, busiest core 62 %");
}
END_TEST

START_TEST(verdict_of_a_hot_core_with_a_finding_is_not_too_early)
{
	rs_vb_traffic(nic, 760 * M, 0, 65000);
	rs_vb_core(b, 1, 0.99, 0.99);
	b->v.tick = 3;
	add("irq.all_on_one", RS_WARN, "every NIC interrupt fires on core 1");
	ck_assert_str_eq(line(), "core 1 at 99 %: too early to judge; 760 Mbit/s now; every NIC "
				 "interrupt fires on core 1");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_WARN);
	add("core.imbalance", RS_WARN, "core 1 saturated by eth0");
	ck_assert_ptr_eq(strstr(line(), "core 1 saturated by eth0"), verdict_after(-1)->line);
}
END_TEST

/* rx Mbit/s, packets/s, hottest core in per cent, the line. */
static const struct {
	double mbps, pps, load;
	const char *line;
} fine[] = {
    {212, 18000, 24, "no bottleneck: 212 Mbit/s, busiest core 24 %, at least 620 Mbit/s more"},
    {212, 18000, 19,
	"no bottleneck: 212 Mbit/s, busiest core 19 %, too little load to extrapolate"},
    {212, 18000, 60, "no bottleneck: 212 Mbit/s, busiest core 60 %, about 120 Mbit/s more"},
    {800, 66000, 60,
	"no bottleneck: 800 Mbit/s, busiest core 60 %, about 180 Mbit/s more (then the link)"},
    {800, 66000, 30,
	"no bottleneck: 800 Mbit/s, busiest core 30 %, about 180 Mbit/s more (then the link)"},
    {30, 60000, 50, "no bottleneck: 60 kpps (30 Mbit/s), busiest core 50 %, about 27 Mbit/s more"},
    {760, 65000, 93, "no bottleneck so far: 760 Mbit/s, busiest core 93 %"},
};

START_TEST(verdict_without_bottleneck_tells_the_headroom)
{
	rs_vb_traffic(nic, fine[_i].mbps * M, 0, fine[_i].pps);
	rs_vb_core(b, 2, fine[_i].load / 100.0, fine[_i].load / 100.0);
	ck_assert_str_eq(line(), fine[_i].line);
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_OK);
}
END_TEST

START_TEST(verdict_tells_that_the_headroom_rests_on_the_hour)
{
	static const struct rs_line line_of_hour = {.a = .20, .b = .4 / 18000, .minutes = 30};

	hour = &line_of_hour;
	rs_vb_traffic(nic, 212 * M, 0, 18000);
	rs_vb_core(b, 2, .60, .60);
	ck_assert_str_eq(line(), "no bottleneck: 212 Mbit/s, busiest core 60 %, about 190 Mbit/s "
				 "more (high confidence, by the last hour)");
	/* Another traffic than that of the hour; and where the link is what ends it. */
	rs_vb_core(b, 2, .75, .75);
	ck_assert_str_eq(
	    line(), "no bottleneck: 212 Mbit/s, busiest core 75 %, about 57 Mbit/s more");
	rs_vb_traffic(nic, 800 * M, 0, 18000);
	rs_vb_core(b, 2, .60, .60);
	ck_assert_str_eq(line(), "no bottleneck: 800 Mbit/s, busiest core 60 %, about 200 Mbit/s "
				 "more (then the link)");
}
END_TEST

START_TEST(verdict_is_as_sure_as_the_cause_it_names)
{
	struct rs_finding *const f = add("core.imbalance", RS_WARN, "core 3 saturated");
	struct rs_finding *const cause = add("rps.misset", RS_WARN, "RPS hands all to core 3");

	f->confidence = RS_MEDIUM;
	f->n_causes = 1;
	strcpy(f->causes[0], "RPS hands all to core 3");
	rs_vb_traffic(nic, 760 * M, 0, 65000);
	rs_vb_core(b, 3, 1.0, 1.0);
	ck_assert_ptr_nonnull(strstr(line(), "core 3 saturated: RPS hands all to core 3; 3 of 4"));
	cause->confidence = RS_MEDIUM;
	ck_assert_ptr_nonnull(strstr(line(), "core 3 (medium confidence); 3 of 4"));
	/* A load that is in doubt is not made surer by its cause. */
	cause->confidence = RS_HIGH;
	f->confidence = RS_LOW;
	ck_assert_ptr_nonnull(strstr(line(), "core 3 (low confidence); 3 of 4"));
	/* Another finding says nothing of it. */
	f->confidence = RS_MEDIUM;
	strcpy(cause->message, "eth1 drops");
	ck_assert_ptr_nonnull(strstr(line(), "core 3 (medium confidence); 3 of 4"));
}
END_TEST

START_TEST(verdict_imbalance_tells_who_why_and_what_a_spread_would_reach)
{
	struct rs_finding *f = add("core.imbalance", RS_WARN, "core 3 saturated by eth0 queue 2");

	f->confidence = RS_MEDIUM;
	f->n_causes = 1;
	strcpy(f->causes[0], "one flow or several flows hashed to the same queue");
	rs_vb_traffic(nic, 760 * M, 0, 65000);
	rs_vb_loads(b, (const double[]){13.8, 14.2, 5.5, 100}, 4);
	ck_assert_str_eq(line(),
	    "core 3 saturated by eth0 queue 2: one flow or several flows hashed to the same queue "
	    "(medium confidence); 3 of 4 cores idle; 760 Mbit/s now, ~980 Mbit/s if spread "
	    "(then the link)");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_WARN);
	nic->rx_utilization = NAN;
	ck_assert_ptr_nonnull(strstr(line(), "760 Mbit/s now, ~2.2 Gbit/s if spread"));
	ck_assert_ptr_null(strstr(line(), "link"));
	f->is_ending = true;
	ck_assert_ptr_nonnull(strstr(line(), "(medium confidence); ending; 760 Mbit/s now"));
	f->is_stale = true;
	ck_assert_ptr_nonnull(strstr(line(), "; not confirmed now; 760 Mbit/s now"));
}
END_TEST

START_TEST(verdict_first_limit_wins_and_the_rest_is_added)
{
	add("irq.all_on_one", RS_WARN, "every NIC interrupt fires on core 0");
	struct rs_finding *f = add("core.skewed", RS_INFO, "core 0 does 90 % of the packet work");
	rs_vb_traffic(nic, 500 * M, 0, 50000);
	rs_vb_core(b, 0, 0.8, 0.8);
	ck_assert_str_eq(line(),
	    "core 0 does 90 % of the packet work; 3 of 4 cores idle; 500 Mbit/s now; every NIC "
	    "interrupt fires on core 0");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_WARN);
	/* Named as the cause it is not added again. */
	f->n_causes = 1;
	strcpy(f->causes[0], "every NIC interrupt fires on core 0");
	ck_assert_str_eq(line(),
	    "core 0 does 90 % of the packet work: every NIC interrupt fires on core 0; 3 of 4 "
	    "cores idle; 500 Mbit/s now");
	add("core.imbalance", RS_CRIT, "core 0 saturated");
	ck_assert_ptr_eq(strstr(line(), "core 0 saturated"), verdict_after(-1)->line);
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_CRIT);
}
END_TEST

/* In the order of the decision, each with the severity it needs there. */
static const struct {
	const char *code;
	enum rs_severity severity;
} order[] = {
    {"link.flapping", RS_CRIT},
    {"tx.stopped", RS_CRIT},
    {"link.line_rate", RS_INFO},
    {"qos.one_core", RS_INFO},
    {"link.pause", RS_WARN},
    {"cpu.steal", RS_CRIT},
    {"conntrack.full", RS_CRIT},
    {"core.user_single", RS_INFO},
    {"core.imbalance", RS_WARN},
    {"core.saturated_all", RS_WARN},
    {"core.at_limit", RS_WARN},
    {"ring.overflow_saturated", RS_WARN},
    {"ring.overflow_idle", RS_WARN},
    {"softnet.dropped", RS_WARN},
    {"link.errors", RS_WARN},
    {"core.skewed", RS_INFO},
    {"rate.external", RS_INFO},
};

/* Each is told before all that come later, in whatever order they stand. */
START_TEST(verdict_follows_the_order_of_the_decision)
{
	rs_vb_traffic(nic, 500 * M, 0, 50000);
	for (size_t i = 0; i < RS_ARRAY_LEN(order); i++) {
		for (size_t k = i + 1; k < RS_ARRAY_LEN(order); k++) {
			n_active = 0;
			add(order[k].code, RS_CRIT, "second");
			add(order[i].code, order[i].severity, "first");
			ck_assert_msg(strncmp(line(), "first", 5) == 0, "%s before %s: %s",
			    order[i].code, order[k].code, verdict_after(-1)->line);
		}
	}
}
END_TEST

START_TEST(verdict_small_faults_are_no_limit)
{
	rs_vb_traffic(nic, 500 * M, 0, 50000);
	add("cpu.steal", RS_WARN, "6 % stolen");
	add("conntrack.full", RS_WARN, "state table at 86 %");
	add("link.flapping", RS_WARN, "eth0 came and went 4 times");
	add("tx.stopped", RS_INFO, "queues of eth0 stop");
	add("link.errors", RS_INFO, "frames of a wrong length");
	ck_assert_ptr_nonnull(strstr(line(), "no bottleneck: 500 Mbit/s"));
}
END_TEST

START_TEST(verdict_of_a_full_link_tells_that_the_cores_are_not_the_limit)
{
	rs_vb_traffic(nic, 960 * M, 0, 80000);
	rs_vb_core(b, 2, 0.76, 0.76);
	add("link.line_rate", RS_INFO,
	    "link eth0 in at 99 % of wire: the link is the bottleneck, not the router");
	add("core.skewed", RS_INFO, "core 2 does 97 % of the packet work");
	ck_assert_str_eq(line(),
	    "link eth0 in at 99 % of wire: the link is the bottleneck, not the router; busiest "
	    "core 76 %; 960 Mbit/s now; core 2 does 97 % of the packet work");
}
END_TEST

START_TEST(verdict_of_a_thread_is_not_idle)
{
	add("core.user_single", RS_WARN, "process openvpn (1 thread) uses 100 % of core 1");
	rs_vb_core(b, 1, 0.0, 1.0);
	rs_vb_traffic(nic, 12e3, 0, 10);
	ck_assert_ptr_eq(strstr(line(), "process openvpn"), verdict_after(-1)->line);
}
END_TEST

START_TEST(verdict_prefers_the_surer_finding_of_a_step)
{
	rs_vb_traffic(nic, 500 * M, 0, 50000);
	add("ring.overflow_idle", RS_WARN, "doubtful")->confidence = RS_LOW;
	add("ring.overflow_idle", RS_WARN, "sure");
	ck_assert_ptr_eq(strstr(line(), "sure"), verdict_after(-1)->line);
}
END_TEST

START_TEST(verdict_tells_two_more_findings_and_counts_the_rest)
{
	rs_vb_traffic(nic, 500 * M, 0, 50000);
	rs_vb_core(b, 0, 0.95, 0.95);
	add("core.imbalance", RS_WARN, "core 0 saturated");
	add("cpu.freq_low", RS_INFO, "clock at 1000 of 1400 MHz");
	add("link.errors", RS_INFO, "eth0 errors");
	add("conntrack.full", RS_INFO, "state table");
	add("offload.gro_lro", RS_INFO, "GRO off");
	ck_assert_str_eq(line(),
	    "core 0 saturated; 3 of 4 cores idle; 500 Mbit/s now, ~980 Mbit/s if spread (then the "
	    "link); makes it worse: clock at 1000 of 1400 MHz; eth0 errors; 2 more findings");
}
END_TEST

/* As a virtual router had it: the last sentence ended in the middle of a word. */
START_TEST(verdict_tells_a_finding_whole_or_counts_it)
{
	rs_vb_traffic(nic, 748 * M, 0, 70000);
	rs_vb_core(b, 3, 0.99, 0.99);
	add("core.imbalance", RS_WARN,
	    "core 3 saturated by eth1 and eth0: every interrupt of eth0 and eth1 fires on core 3");
	add("core.softirq_deferred", RS_WARN,
	    "ksoftirqd/3 takes 96 % of core 3: receive work waits its turn with processes");
	add("tx.stopped", RS_INFO,
	    "transmit queues of eth1 stop 13 times a second, their ring being full; and more of "
	    "it that has no room");
	ck_assert_str_eq(line(),
	    "core 3 saturated by eth1 and eth0: every interrupt of eth0 and eth1 fires on core 3; "
	    "3 of "
	    "4 cores idle; 748 Mbit/s now, ~980 Mbit/s if spread (then the link); ksoftirqd/3 "
	    "takes 96 "
	    "% of core 3: receive work waits its turn with processes; 1 more finding");
}
END_TEST

START_TEST(verdict_idle_while_a_finding_ends_says_both)
{
	add("core.saturated_all", RS_WARN, "all 4 cores saturated at 50 kpps")->is_ending = true;
	rs_vb_traffic(nic, 12e3, 0, 10);
	ck_assert_str_eq(line(), "idle: 12 kbit/s; ending: all 4 cores saturated at 50 kpps");
	ck_assert_int_eq(verdict_after(-1)->state, RS_STATE_WARN);
}
END_TEST

START_TEST(verdict_loss_is_told_from_a_thousandth)
{
	add("core.saturated_all", RS_CRIT, "all 4 cores saturated at 149 kpps");
	rs_vb_loads(b, (const double[]){100, 100, 100, 100}, 4);
	rs_vb_traffic(nic, 76 * M, 0, 149000);
	nic->lost_ring_pps = 91000;
	ck_assert_str_eq(line(), "all 4 cores saturated at 149 kpps; 38 % of 240 kpps dropped; "
				 "149 kpps (76 Mbit/s) now");
	nic->lost_ring_pps = 200;
	ck_assert_ptr_nonnull(strstr(line(), "; 0.1 % of 149 kpps dropped"));
	nic->lost_ring_pps = 100;
	ck_assert_ptr_null(strstr(line(), "dropped"));
	nic->lost_ring_pps = NAN;
	ck_assert_ptr_null(strstr(line(), "dropped"));
}
END_TEST

START_TEST(verdict_counts_physical_cores_where_threads_are_more)
{
	add("core.imbalance", RS_WARN, "core 0 saturated");
	b->cores[2].group = 0;
	b->cores[3].group = 1;
	rs_vb_core(b, 0, 1.0, 1.0);
	ck_assert_ptr_nonnull(strstr(line(), "; 1 of 2 physical cores idle"));
}
END_TEST

START_TEST(verdict_without_rates_of_interfaces_invents_none)
{
	struct rs_vb *bare = rs_vb_new(2);
	struct rs_verdict v;

	rs_vb_core(bare, 0, 0.6, 0.6);
	rs_vb_tick(bare);
	rs_verdict_make(&bare->v, NULL, 0, NULL, 0, &v);
	ck_assert_str_eq(v.line, "no bottleneck: rate unknown, busiest core 60 %");
	rs_vb_free(bare);
}
END_TEST

START_TEST(verdict_of_more_cores_than_are_judged_is_none)
{
	struct rs_vb *huge = rs_vb_new(RS_GROUPS_MAX + 1);
	struct rs_verdict v;

	rs_vb_core(huge, 7, 1.0, 1.0);
	rs_vb_tick(huge);
	ck_assert(isnan(huge->v.effective_cores));
	ck_assert_uint_eq(huge->v.n_eligible_groups, RS_GROUPS_MAX + 1);
	ck_assert_uint_eq(huge->v.hottest_core, 7);
	rs_verdict_make(&huge->v, NULL, 0, NULL, 0, &v);
	ck_assert_str_eq(v.line, "no verdict: too many physical cores");
	rs_vb_free(huge);
}
END_TEST

/* The longest there can be: nothing of it is cut. */
START_TEST(verdict_line_has_room_for_all_parts)
{
	struct rs_finding *f = add("core.imbalance", RS_WARN, "");
	char all[sizeof(((struct rs_verdict *)NULL)->line)];

	memset(f->message, 'x', sizeof(f->message) - 1);
	memset(f->causes[0], 'y', sizeof(f->causes[0]) - 1);
	f->n_causes = 1;
	f->confidence = RS_MEDIUM;
	add("link.pause", RS_INFO, "too long for one line");
	rs_vb_traffic(nic, 748 * M, 0, 900000);
	for (unsigned i = 0; i < 4; i++)
		b->cores[i].group = i & ~1u;
	rs_vb_core(b, 0, 1.0, 1.0);
	b->cores[0].dropped_pps = 30000;
	(void)snprintf(all, sizeof(all),
	    "%s: %s (medium confidence); 1 of 2 physical cores idle; 3.2 %% of 930 kpps dropped; "
	    "900 kpps (748 Mbit/s) now, ~810 Mbit/s if spread (then the link); 1 more finding",
	    f->message, f->causes[0]);
	ck_assert_str_eq(line(), all);
}
END_TEST

/* What the last sample said again does not end. */
START_TEST(verdict_of_an_idle_box_says_ending_of_what_ends)
{
	struct rs_finding *f = add("conntrack.full", RS_CRIT, "connection table 97 % full");

	rs_vb_traffic(nic, 12e3, 0, 10);
	ck_assert_str_eq(line(), "idle: 12 kbit/s; connection table 97 % full");
	f->is_ending = true;
	ck_assert_str_eq(line(), "idle: 12 kbit/s; ending: connection table 97 % full");
	f->is_stale = true;
	ck_assert_str_eq(line(), "idle: 12 kbit/s; not confirmed now: connection table 97 % full");
}
END_TEST

START_TEST(verdict_states_have_their_names)
{
	ck_assert_str_eq(rs_state_name(RS_STATE_OK), "ok");
	ck_assert_str_eq(rs_state_name(RS_STATE_INFO), "info");
	ck_assert_str_eq(rs_state_name(RS_STATE_WARN), "warn");
	ck_assert_str_eq(rs_state_name(RS_STATE_CRIT), "crit");
	ck_assert_str_eq(rs_state_name(RS_STATE_UNKNOWN), "unknown");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("verdict");
	TCase *th = tcase_create("headroom"), *tc = tcase_create("line");

	tcase_add_loop_test(th, headroom_of_the_reference_cases, 0, (int)RS_ARRAY_LEN(references));
	tcase_add_loop_test(
	    th, headroom_is_what_the_first_limit_leaves, 0, (int)RS_ARRAY_LEN(rooms));
	tcase_add_test(th, headroom_of_a_full_box_is_none_even_if_spread);
	tcase_add_test(th, headroom_link_is_full_where_its_busiest_direction_is);
	tcase_add_loop_test(th, headroom_is_told_in_two_digits, 0, (int)RS_ARRAY_LEN(digits));
	tcase_add_loop_test(th, format_is_short_and_has_its_unit, 0, (int)RS_ARRAY_LEN(numbers));
	tcase_add_loop_test(th, format_of_a_time_has_a_fitting_unit, 0, (int)RS_ARRAY_LEN(times));
	tcase_add_loop_test(th, format_rounds_rates_to_three_digits, 0, (int)RS_ARRAY_LEN(rounded));
	suite_add_tcase(s, th);
	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, verdict_waits_for_the_second_sample);
	tcase_add_test(tc, verdict_names_what_is_missing);
	tcase_add_loop_test(
	    tc, verdict_idle_tells_the_rate_and_the_last_episode, 0, (int)RS_ARRAY_LEN(agos));
	tcase_add_test(tc, verdict_clock_that_was_wrong_tells_no_end);
	tcase_add_test(tc, verdict_of_a_hot_core_waits_for_the_votes);
	tcase_add_test(tc, verdict_of_a_hot_core_with_a_finding_is_not_too_early);
	tcase_add_test(tc, verdict_is_not_idle_when_a_core_is_hot_or_packets_are_lost);
	tcase_add_loop_test(
	    tc, verdict_without_bottleneck_tells_the_headroom, 0, (int)RS_ARRAY_LEN(fine));
	tcase_add_test(tc, verdict_imbalance_tells_who_why_and_what_a_spread_would_reach);
	tcase_add_test(tc, verdict_tells_that_the_headroom_rests_on_the_hour);
	tcase_add_test(tc, verdict_is_as_sure_as_the_cause_it_names);
	tcase_add_test(tc, verdict_first_limit_wins_and_the_rest_is_added);
	tcase_add_test(tc, verdict_follows_the_order_of_the_decision);
	tcase_add_test(tc, verdict_small_faults_are_no_limit);
	tcase_add_test(tc, verdict_of_a_full_link_tells_that_the_cores_are_not_the_limit);
	tcase_add_test(tc, verdict_of_a_thread_is_not_idle);
	tcase_add_test(tc, verdict_prefers_the_surer_finding_of_a_step);
	tcase_add_test(tc, verdict_tells_two_more_findings_and_counts_the_rest);
	tcase_add_test(tc, verdict_tells_a_finding_whole_or_counts_it);
	tcase_add_test(tc, verdict_idle_while_a_finding_ends_says_both);
	tcase_add_test(tc, verdict_loss_is_told_from_a_thousandth);
	tcase_add_test(tc, verdict_counts_physical_cores_where_threads_are_more);
	tcase_add_test(tc, verdict_without_rates_of_interfaces_invents_none);
	tcase_add_test(tc, verdict_of_more_cores_than_are_judged_is_none);
	tcase_add_test(tc, verdict_line_has_room_for_all_parts);
	tcase_add_test(tc, verdict_of_an_idle_box_says_ending_of_what_ends);
	tcase_add_test(tc, verdict_states_have_their_names);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* Packet load, busy share, and who takes part. */
#include <math.h>
#include <string.h>

#include "load.h"
#include "process.h"
#include "rs_check.h"
#include "view_builder.h"

#define EPS 1e-9

static struct rs_vb *b;

static void
setup(void)
{
	b = rs_vb_new(4);
}

static void
teardown(void)
{
	rs_vb_free(b);
}

/* Shares of elapsed time in, P, B and Pmax out. NAN: not known. */
static const struct {
	const char *what;
	double user, nice, system, idle, iowait, irq, softirq, steal;
	double load, busy, load_max;
} cores[] = {
    {"irq and softirq are packet load", .1, 0, .1, .3, 0, .2, .3, 0, .5, .7, .5},
    {"iowait is idle", 0, 0, .1, .4, .4, 0, .1, 0, .1, .2, .1},
    {"steal leaves less time", 0, 0, 0, .25, 0, 0, .25, .5, .5, .5, .5},
    {"fields that sum to less are an upper bound", 0, 0, 0, .5, 0, 0, .2, 0, .2, .5, .5},
    {"an interrupt column that is not booked counts as 0", 0, 0, 0, .6, 0, NAN, .4, 0, .4, .4, .4},
    {"steps back of idle are 0", 0, 0, 0, -.01, -.5, 0, 1, 0, 1, 1, 1},
    {"rounding beyond the elapsed time is clamped", 0, 0, 0, 0, 0, 0, 1.01, 0, 1, 1, 1},
    {"more idle than time is not busy", 0, 0, 0, 1.02, 0, 0, 0, 0, 0, 0, 0},
    {"no steal column is no steal", 0, 0, 0, .5, 0, 0, .5, NAN, .5, .5, .5},
    {"no softirq, no value", .5, 0, 0, .5, 0, 0, NAN, 0, NAN, NAN, NAN},
    {"no idle, no value", .5, 0, 0, NAN, 0, 0, .5, 0, NAN, NAN, NAN},
    {"all stolen, no value", 0, 0, 0, 0, 0, 0, 0, 1, NAN, NAN, NAN},
};

static void
assert_same(double a, double expected, const char *what)
{
	ck_assert_msg(isnan(expected) ? isnan(a) : fabs(a - expected) < EPS, "%s: %g, expected %g",
	    what, a, expected);
}

START_TEST(load_of_a_core_follows_its_definition)
{
	struct rs_core_view *c = &b->cores[1];

	c->user = cores[_i].user;
	c->nice = cores[_i].nice;
	c->system = cores[_i].system;
	c->idle = cores[_i].idle;
	c->iowait = cores[_i].iowait;
	c->irq = cores[_i].irq;
	c->softirq = cores[_i].softirq;
	c->steal = cores[_i].steal;
	c->processed_pps = 1000.0;
	rs_vb_tick(b);
	assert_same(c->packet_load, cores[_i].load, cores[_i].what);
	assert_same(c->busy, cores[_i].busy, cores[_i].what);
	assert_same(c->packet_load_max, cores[_i].load_max, cores[_i].what);
	ck_assert_int_eq(c->is_eligible, !isnan(cores[_i].load));
	ck_assert_uint_eq(b->v.n_eligible, isnan(cores[_i].load) ? 3 : 4);
}
END_TEST

/* packets/s, NIC interrupts/s, whether the core's softirq is the network's. */
static const struct {
	double pps, nic_ps;
	bool is_network;
} gates[] = {
    {0, 0, false},
    {99, 99, false},
    {100, 0, true},
    {0, 100, true},
    {NAN, 0, true}, /* what was not read is not 0 */
    {0, NAN, true},
    {99, NAN, true},
    {NAN, 100, true},
    {NAN, NAN, true},
};

START_TEST(load_without_packets_or_interrupts_is_not_the_networks)
{
	struct rs_core_view *c = &b->cores[0];

	rs_vb_core(b, 0, 0.9, 0.95);
	c->processed_pps = gates[_i].pps;
	c->nic_interrupts_ps = gates[_i].nic_ps;
	rs_load_fill(&b->v, b->cores, b->n_cores, NULL, NULL, b->groups);
	assert_same(c->packet_load, gates[_i].is_network ? 0.9 : 0.0, "load");
	assert_same(c->packet_load_max, gates[_i].is_network ? 0.9 : 0.0, "upper bound");
	assert_same(c->busy, 0.95, "busy");
}
END_TEST

/* What packet threads took beside system and softirq time, and all of U; in: K as
 * measured; out: K that counts, P, Pmax. The rest of the core is idle. */
static const struct {
	const char *what;
	double pps, nic_ps, system, softirq, steal, unaccounted, measured;
	double threads, load, load_max;
	bool is_networks, is_threads;
} with_threads[] = {
    {"nobody looked", 1000, 0, .5, .2, 0, 0, NAN, NAN, .2, .2, true, false},
    {"none took time", 1000, 0, .5, .2, 0, 0, 0, 0, .2, .2, true, false},
    {"threaded NAPI has no softirq", 65000, 0, .9, 0, 0, 0, .85, .85, .85, .85, true, true},
    {"beside softirqs", 65000, 5000, .5, .3, 0, 0, .4, .4, .7, .7, true, true},
    {"beside many softirqs", 65000, 5000, .5, .6, 0, 0, .1, .1, .7, .7, true, false},
    {"softirqs within the thread are not added", 65000, 0, .2, .5, 0, 0, .7, .2, .7, .7, true,
	false},
    {"what nobody booked may be the thread's", 65000, 0, .1, .2, 0, .3, .3, .3, .5, .8, true, true},
    {"without packets it is packet work itself", 0, 0, .9, .05, 0, 0, .85, .85, .85, .85, true,
	true},
    {"without packets and without threads", 0, 0, .9, .05, 0, 0, 0, 0, 0, 0, false, false},
    {"packets unread: softirq counts, and is doubtful", NAN, NAN, .5, .3, 0, 0, .4, .4, .7, .7,
	false, true},
    {"of the time that is left", 65000, 0, .4, 0, .5, 0, .4, .4, .8, .8, true, true},
    {"more than the core has", 65000, 0, .9, .1, 0, 0, 1.7, .9, 1, 1, true, true},
};

START_TEST(load_counts_threads_that_do_packet_work)
{
	struct rs_core_view *c = &b->cores[2];

	c->processed_pps = with_threads[_i].pps;
	c->nic_interrupts_ps = with_threads[_i].nic_ps;
	c->system = with_threads[_i].system;
	c->softirq = with_threads[_i].softirq;
	c->steal = with_threads[_i].steal;
	c->idle = 1.0 - c->system - c->softirq - c->steal - with_threads[_i].unaccounted;
	c->packet_threads = with_threads[_i].measured;
	/* A second time changes nothing. */
	for (unsigned i = 0; i < 2; i++)
		rs_load_fill(&b->v, b->cores, b->n_cores, NULL, NULL, b->groups);
	assert_same(c->packet_threads, with_threads[_i].threads, with_threads[_i].what);
	assert_same(c->packet_load, with_threads[_i].load, with_threads[_i].what);
	assert_same(c->packet_load_max, with_threads[_i].load_max, with_threads[_i].what);
	ck_assert_msg(
	    rs_load_is_networks(c) == with_threads[_i].is_networks, "%s", with_threads[_i].what);
	ck_assert_msg(
	    rs_load_is_threads(c) == with_threads[_i].is_threads, "%s", with_threads[_i].what);
}
END_TEST

START_TEST(load_names_the_busiest_thread_of_a_core)
{
	(void)rs_vb_thread(b, RS_THREAD_KSOFTIRQD, "ksoftirqd/1", 1, 0.9);
	(void)rs_vb_thread(b, RS_THREAD_NAPI, "napi/eth0-1", 1, 0.2);
	(void)rs_vb_thread(b, RS_THREAD_VPN, "kworker/1:0-wg-crypt-wg0", 1, 0.3);
	(void)rs_vb_thread(b, RS_THREAD_NAPI, "napi/eth0-2", 2, 0.8);
	(void)rs_vb_thread(b, RS_THREAD_USER, "openvpn", 1, 0.4);
	rs_vb_thread(b, RS_THREAD_IRQ, "irq/9-sata", 3, 0.4)->thread.ifindex = 0;
	(void)rs_vb_thread(b, RS_THREAD_NAPI, "napi/eth0-3", 0, NAN);
	ck_assert_str_eq(
	    rs_load_busiest_thread(&b->v, 1, true)->thread.name, "kworker/1:0-wg-crypt-wg0");
	ck_assert_str_eq(rs_load_busiest_thread(&b->v, 1, false)->thread.name, "openvpn");
	ck_assert_str_eq(rs_load_busiest_thread(&b->v, 2, true)->thread.name, "napi/eth0-2");
	ck_assert_ptr_null(rs_load_busiest_thread(&b->v, 3, true)); /* no NIC's */
	ck_assert_ptr_null(rs_load_busiest_thread(&b->v, 0, true)); /* not known */
	ck_assert_ptr_null(rs_load_busiest_thread(&b->v, 2, false));
}
END_TEST

START_TEST(load_leaves_out_who_does_not_take_part)
{
	rs_vb_free(b);
	b = rs_vb_new(7);
	b->cores[0].is_online = false;
	b->cpus.has_isolated = b->cpus.has_nohz_full = true;
	rs_cpuset_add(&b->cpus.isolated, 1);
	rs_cpuset_add(&b->cpus.nohz_full, 2);
	rs_cpuset_add(&b->reserved, 3);
	b->cores[4].user = 0.96; /* a poller: user time, no softirq */
	b->cores[4].idle = 0.04;
	rs_vb_core_unknown(b, 5);
	rs_vb_core(b, 6, 0.5, 0.5);
	rs_vb_core(b, 1, 1.0, 1.0);
	rs_vb_tick(b);
	static const enum rs_excluded why[] = {RS_CORE_OFFLINE, RS_CORE_ISOLATED, RS_CORE_NOHZ_FULL,
	    RS_CORE_RESERVED, RS_CORE_POLLING, RS_CORE_COUNTS, RS_CORE_COUNTS};
	for (size_t i = 0; i < RS_ARRAY_LEN(why); i++) {
		ck_assert_msg(b->cores[i].excluded == why[i], "core %zu", i);
		ck_assert_int_eq(b->cores[i].is_eligible, i == 6);
	}
	ck_assert_uint_eq(b->v.n_online, 6);
	ck_assert_uint_eq(b->v.n_eligible, 1);
	ck_assert_uint_eq(b->v.n_eligible_groups, 1);
	ck_assert_uint_eq(b->v.hottest_core, 6);
	/* Left out is not hidden: its load is still shown. */
	assert_same(b->cores[1].packet_load, 1.0, "isolated core");
}
END_TEST

START_TEST(load_sets_without_their_files_leave_out_nobody)
{
	rs_cpuset_add(&b->cpus.isolated, 1);
	rs_cpuset_add(&b->cpus.nohz_full, 2);
	rs_vb_tick(b);
	ck_assert_uint_eq(b->v.n_eligible, 4);
}
END_TEST

START_TEST(load_of_a_busy_process_is_no_poller)
{
	/* Softirq beside it, or a little less user time: an ordinary core. */
	b->cores[0].user = 0.96;
	b->cores[0].idle = 0.02;
	b->cores[0].softirq = 0.02;
	b->cores[1].user = 0.94;
	b->cores[1].idle = 0.06;
	rs_vb_tick(b);
	ck_assert_int_eq(b->cores[0].excluded, RS_CORE_COUNTS);
	ck_assert_int_eq(b->cores[1].excluded, RS_CORE_COUNTS);
}
END_TEST

START_TEST(load_is_unknown_when_no_core_has_a_value)
{
	for (unsigned i = 0; i < 4; i++)
		rs_vb_core_unknown(b, i);
	rs_vb_tick(b);
	ck_assert(!b->v.has_packet_load);
	ck_assert(isnan(b->v.hottest_core_load));
	ck_assert(isnan(b->v.effective_cores));
	ck_assert_uint_eq(b->v.n_eligible, 0);
}
END_TEST

START_TEST(load_of_an_idle_box_has_no_effective_cores)
{
	rs_vb_tick(b);
	ck_assert(b->v.has_packet_load);
	assert_same(b->v.hottest_core_load, 0.0, "hottest");
	ck_assert(isnan(b->v.effective_cores));
}
END_TEST

/* The two reference cases. */
START_TEST(load_effective_cores_of_the_reference_cases)
{
	rs_vb_loads(b, (const double[]){13.8, 14.2, 5.5, 100}, 4);
	rs_vb_tick(b);
	ck_assert_double_eq_tol(b->v.effective_cores, 1.710, 0.0005);
	ck_assert_uint_eq(b->v.hottest_core, 3);
	assert_same(b->v.hottest_core_load, 1.0, "hottest");
	rs_vb_loads(b, (const double[]){31.4, 0, 76.5, 51.4}, 4);
	rs_vb_tick(b);
	ck_assert_double_eq_tol(b->v.effective_cores, 2.677, 0.0005);
	ck_assert_uint_eq(b->v.hottest_core, 2);
}
END_TEST

START_TEST(load_of_siblings_counts_as_one_core)
{
	const struct rs_group *const groups = b->groups;

	b->cores[2].group = 0;
	b->cores[3].group = 1;
	rs_vb_core(b, 0, 0.3, 0.4);
	rs_vb_core(b, 2, 0.4, 0.5);
	rs_vb_core(b, 1, 0.7, 0.8);
	rs_vb_core(b, 3, 0.5, 0.6);
	rs_vb_tick(b);
	ck_assert_ptr_eq(b->v.groups, groups);
	ck_assert_uint_eq(b->v.n_eligible_groups, 2);
	ck_assert_uint_eq(b->v.n_eligible, 4);
	assert_same(groups[0].packet_load, 0.7, "sum of P");
	assert_same(groups[0].busy, 0.9, "sum of B");
	ck_assert_uint_eq(groups[0].cpu, 2);
	ck_assert_uint_eq(groups[0].first, 0);
	assert_same(groups[1].packet_load, 1.0, "at most 1");
	assert_same(groups[1].busy, 1.0, "at most 1");
	ck_assert_uint_eq(groups[1].cpu, 1);
	assert_same(b->v.effective_cores, 1.7 * 1.7 / (0.49 + 1.0), "over groups");
}
END_TEST

START_TEST(load_groups_survive_a_first_sibling_that_is_left_out)
{
	const struct rs_group *const groups = b->groups;

	b->cores[2].group = 0;
	b->cores[3].group = 1;
	b->cores[0].is_online = false;
	rs_cpuset_add(&b->reserved, 3);
	rs_vb_core(b, 2, 0.4, 0.4);
	rs_vb_tick(b);
	ck_assert_uint_eq(b->v.n_eligible_groups, 2);
	ck_assert_uint_eq(groups[0].cpu, 1);
	ck_assert_uint_eq(groups[1].first, 0);
	ck_assert_uint_eq(groups[1].cpu, 2);
	assert_same(groups[1].packet_load, 0.4, "the sibling that is left");
}
END_TEST

START_TEST(load_groups_beyond_the_room_are_counted_not_written)
{
	rs_vb_free(b);
	b = rs_vb_new(RS_GROUPS_MAX + 2);
	for (unsigned i = 0; i < RS_GROUPS_MAX + 2; i++)
		rs_vb_core(b, i, 0.5, 0.5);
	rs_vb_tick(b);
	ck_assert_uint_eq(b->v.n_eligible_groups, RS_GROUPS_MAX + 2);
	assert_same(b->groups[RS_GROUPS_MAX - 1].packet_load, 0.5, "the last that fits");
	assert_same(b->groups[RS_GROUPS_MAX].packet_load, 0.0, "beyond the room");
	ck_assert(isnan(b->v.effective_cores));
}
END_TEST

START_TEST(load_of_1152_cores_and_of_the_highest_number)
{
	rs_vb_free(b);
	b = rs_vb_new(1152);
	for (unsigned i = 576; i < 1152; i++)
		b->cores[i].group = i - 576;
	rs_vb_core(b, 1151, 0.5, 0.5);
	rs_vb_tick(b);
	ck_assert_uint_eq(b->v.n_eligible_groups, 576);
	ck_assert_uint_eq(b->groups[575].cpu, 1151);
	ck_assert_uint_eq(b->v.hottest_core, 1151);
	b->cores[1151].cpu = b->cores[1151].group = RS_CPU_MAX - 1;
	rs_load_fill(&b->v, b->cores, b->n_cores, NULL, NULL, b->groups);
	ck_assert_uint_eq(b->v.n_eligible_groups, 577);
	ck_assert_uint_eq(b->groups[576].cpu, RS_CPU_MAX - 1);
}
END_TEST

START_TEST(load_of_no_core_at_all)
{
	b->v.n_cores = 0;
	rs_load_fill(&b->v, b->cores, 0, NULL, NULL, b->groups);
	ck_assert(!b->v.has_packet_load);
	ck_assert_uint_eq(b->v.n_eligible_groups, 0);
}
END_TEST

/* rx bit/s and packets/s of a gigabit port, whether it counts, what flows. */
static const struct {
	double bps, pps;
	bool counts;
	enum rs_flow flow;
} flows[] = {
    {0, 0, true, RS_FLOW_NONE},
    {49e6, 4000, true, RS_FLOW_NONE},
    {10e6, 5000, true, RS_FLOW_SOME},
    {50e6, 1000, true, RS_FLOW_SOME},
    {500e6, 50000, false, RS_FLOW_UNKNOWN},
    {NAN, NAN, true, RS_FLOW_UNKNOWN},
};

START_TEST(load_needs_a_twentieth_of_a_link_or_5000_packets)
{
	struct rs_nic_view *n = rs_vb_nic(b, "eth0", 1000000000);

	rs_vb_traffic(n, flows[_i].bps, 0.0, flows[_i].pps);
	if (isnan(flows[_i].bps))
		n->rx_pps = n->tx_pps = n->rx_bps = n->tx_bps = n->rx_utilization =
		    n->tx_utilization = NAN;
	n->counts_in_sums = flows[_i].counts;
	rs_vb_tick(b);
	ck_assert_int_eq(rs_load_flow(&b->v), flows[_i].flow);
}
END_TEST

START_TEST(load_link_use_is_of_the_busiest_known_link)
{
	struct rs_nic_view *slow = rs_vb_nic(b, "eth0", 100000000);
	struct rs_nic_view *unknown = rs_vb_nic(b, "veth0", -1);

	ck_assert_double_eq_tol(rs_load_link_use(&b->v), 0.0, EPS);
	rs_vb_traffic(slow, 10e6, 50e6, 0.0);
	rs_vb_traffic(unknown, 900e6, 900e6, 0.0);
	ck_assert_double_eq_tol(rs_load_link_use(&b->v), 0.5, EPS);
	slow->counts_in_sums = false;
	ck_assert(isnan(rs_load_link_use(&b->v)));
}
END_TEST

/* What is behind the last group is not read. */
START_TEST(load_walks_end_at_the_groups_there_are)
{
	struct rs_vb *const huge = rs_vb_new(RS_GROUPS_MAX + 1);
	struct rs_cpuset places;

	rs_vb_tick(huge);
	ck_assert_uint_eq(huge->v.n_eligible_groups, RS_GROUPS_MAX + 1);
	ck_assert_uint_eq(rs_load_groups(&huge->v), RS_GROUPS_MAX);
	huge->groups[RS_GROUPS_MAX] =
	    (struct rs_group){.cpu = 7, .first = 7, .packet_load = 1.0, .busy = 1.0};
	rs_process_places(&huge->v, 0, &places);
	ck_assert(rs_cpuset_has(&places, 7));
	rs_vb_free(huge);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("load");
	TCase *tc = tcase_create("load");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, load_of_a_core_follows_its_definition, 0, (int)RS_ARRAY_LEN(cores));
	tcase_add_loop_test(tc, load_without_packets_or_interrupts_is_not_the_networks, 0,
	    (int)RS_ARRAY_LEN(gates));
	tcase_add_loop_test(
	    tc, load_counts_threads_that_do_packet_work, 0, (int)RS_ARRAY_LEN(with_threads));
	tcase_add_test(tc, load_names_the_busiest_thread_of_a_core);
	tcase_add_test(tc, load_leaves_out_who_does_not_take_part);
	tcase_add_test(tc, load_sets_without_their_files_leave_out_nobody);
	tcase_add_test(tc, load_of_a_busy_process_is_no_poller);
	tcase_add_test(tc, load_is_unknown_when_no_core_has_a_value);
	tcase_add_test(tc, load_of_an_idle_box_has_no_effective_cores);
	tcase_add_test(tc, load_effective_cores_of_the_reference_cases);
	tcase_add_test(tc, load_of_siblings_counts_as_one_core);
	tcase_add_test(tc, load_groups_survive_a_first_sibling_that_is_left_out);
	tcase_add_test(tc, load_groups_beyond_the_room_are_counted_not_written);
	tcase_add_test(tc, load_of_1152_cores_and_of_the_highest_number);
	tcase_add_test(tc, load_of_no_core_at_all);
	tcase_add_loop_test(
	    tc, load_needs_a_twentieth_of_a_link_or_5000_packets, 0, (int)RS_ARRAY_LEN(flows));
	tcase_add_test(tc, load_link_use_is_of_the_busiest_known_link);
	tcase_add_test(tc, load_walks_end_at_the_groups_there_are);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

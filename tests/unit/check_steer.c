/* SPDX-License-Identifier: ISC */
/*
 * Where work may go, the commands that put it there and those that take it back,
 * and what a core that leads receives from whom.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "lead.h"
#include "masks.h"
#include "moves.h"
#include "places.h"
#include "rps.h"
#include "rs_check.h"
#include "says.h"
#include "view_builder.h"

static struct rs_vb *b;
static struct rs_said said[1];
static struct rs_says says;

static void
setup(void)
{
	b = rs_vb_new(8);
	(void)rs_vb_nic(b, "eth0", 1000000000);
	(void)rs_vb_nic(b, "eth1", 1000000000);
	memset(said, 0, sizeof(said));
	memset(&says, 0, sizeof(says));
	says.said = said;
	says.n = 1;
	says.last = &said[0].words;
}

static void
teardown(void)
{
	rs_vb_free(b);
}

static uint32_t
nic(unsigned i)
{
	return b->nics[i].info.ifindex;
}

static void
host(enum rs_fact_id id, const char *value)
{
	rs_vb_fact(b, id, 0, RS_NO_QUEUE, rs_text_of(value));
}

static const char *
list_of(const struct rs_cpuset *s)
{
	static char text[64];

	rs_cpuset_format(s, text, sizeof(text));
	return text;
}

static const char *
places_of(unsigned i)
{
	struct rs_cpuset s;

	rs_vb_tick(b);
	rs_place_cores(&b->v, i < 2 ? nic(i) : 0, &s);
	return list_of(&s);
}

/* --- places ------------------------------------------------------------ */

START_TEST(places_are_the_cores_that_take_part)
{
	b->cpus.has_isolated = true;
	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of("6"), &b->cpus.isolated), 0);
	b->cores[7].is_online = false;
	ck_assert_str_eq(places_of(2), "0-5");
	ck_assert_str_eq(places_of(0), "0-5");
}
END_TEST

START_TEST(places_are_of_the_memory_node_where_it_has_two)
{
	host(RS_F_NUMA_NODES, "0:0-5 1:6 3:7");
	rs_vb_fact(b, RS_F_NUMA_NODE, nic(0), RS_NO_QUEUE, rs_text_of("0"));
	rs_vb_fact(b, RS_F_NUMA_NODE, nic(1), RS_NO_QUEUE, rs_text_of("3"));
	ck_assert_str_eq(places_of(0), "0-5");
	ck_assert_str_eq(places_of(1), "0-7");
	ck_assert_int_eq(rs_node_of_core(&b->v, 5), 0);
	ck_assert_int_eq(rs_node_of_core(&b->v, 7), 3);
	ck_assert_int_eq(rs_node_of_core(&b->v, 9), -1);
	ck_assert_int_eq(rs_node_of_nic(&b->v, nic(1)), 3);
	/* A node nobody lists. */
	rs_vb_fact(b, RS_F_NUMA_NODE, nic(0), RS_NO_QUEUE, rs_text_of("2"));
	ck_assert_str_eq(places_of(0), "0-7");
	rs_vb_fact(b, RS_F_NUMA_NODES, 0, RS_NO_QUEUE, rs_text_of("0:what 1"));
	ck_assert_str_eq(places_of(0), "0-7");
	ck_assert_int_eq(rs_node_of_core(&b->v, 0), -1);
}
END_TEST

START_TEST(siblings_are_one_place)
{
	struct rs_cpuset s;
	unsigned cpus[RS_PLACES_MAX];

	for (unsigned i = 0; i < 4; i++)
		b->cores[i + 4].group = i;
	rs_vb_core(b, 4, 0.5, 0.5);
	rs_vb_core(b, 1, 0.1, 0.1);
	rs_vb_core(b, 3, 0.2, 0.2);
	rs_vb_tick(b);
	rs_place_cores(&b->v, 0, &s);
	ck_assert_uint_eq(rs_place_list(&b->v, &s, cpus), 4);
	ck_assert_uint_eq(cpus[0], 0); /* the first, not the busiest */
	rs_place_without(&b->v, 4, &s);
	ck_assert_str_eq(list_of(&s), "1-3,5-7");
	ck_assert_int_eq(rs_place_coldest(&b->v, &s), 2);
	rs_cpuset_remove(&s, 2);
	ck_assert_int_eq(rs_place_coldest(&b->v, &s), 6);
	rs_cpuset_zero(&s);
	ck_assert_int_eq(rs_place_coldest(&b->v, &s), -1);
}
END_TEST

/* --- moves ------------------------------------------------------------- */

static const struct rs_irq_view *
line(const char *irq, const char *mask)
{
	const size_t i = rs_vb_irq(b, irq, irq, "eth0", 0, RS_IRQ_QUEUE);
	struct rs_text t = rs_text_of(irq);
	uint64_t number = 0;

	ck_assert(rs_text_u64(&t, &number));
	if (mask)
		rs_vb_fact(b, RS_F_IRQ_AFFINITY, (uint32_t)number, RS_NO_QUEUE, rs_text_of(mask));
	return &b->irqs[i];
}

static const struct {
	const char *masks[3]; /* of lines 30 to 32 */
	const char *command, *undo;
} moves[] = {
    {{"0-3", NULL, NULL}, "echo 1 > /proc/irq/30/smp_affinity_list",
	"echo 0-3 > /proc/irq/30/smp_affinity_list"},
    /* Not known: what a line may have that nobody touched. */
    {{"", NULL, NULL}, "echo 1 > /proc/irq/30/smp_affinity_list",
	"echo 0-7 > /proc/irq/30/smp_affinity_list"},
    {{"none", NULL, NULL}, "echo 1 > /proc/irq/30/smp_affinity_list",
	"echo 0-7 > /proc/irq/30/smp_affinity_list"},
    {{"0-3", "0-3", NULL},
	"for p in 30:1 31:2; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done",
	"for q in 30 31; do echo 0-3 > /proc/irq/$q/smp_affinity_list; done"},
    {{"0-3", "5", "0,2"},
	"for p in 30:1 31:2 32:3; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done",
	"for p in 30:0-3 31:5 32:0,2; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done"},
    {{"0-3", "", NULL},
	"for p in 30:1 31:2; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done",
	"for q in 30 31; do echo 0-7 > /proc/irq/$q/smp_affinity_list; done"},
};

START_TEST(moves_are_one_command_and_its_undoing)
{
	static const char *const names[] = {"30", "31", "32"};
	struct rs_moves m;

	rs_vb_tick(b);
	rs_moves_begin(&m, &b->v);
	for (unsigned i = 0; i < 3 && moves[_i].masks[i]; i++) {
		const char *const mask = moves[_i].masks[i];
		ck_assert(rs_moves_add(&m, line(names[i], *mask ? mask : NULL), i + 1));
	}
	rs_moves_advise(&m, &says);
	ck_assert_uint_eq(said[0].words.n_advice, 1);
	ck_assert_str_eq(said[0].words.advice[0].command, moves[_i].command);
	ck_assert_str_eq(said[0].words.advice[0].undo, moves[_i].undo);
}
END_TEST

START_TEST(moves_end_where_the_command_is_full)
{
	struct rs_moves m;
	char name[8];

	rs_vb_tick(b);
	rs_moves_begin(&m, &b->v);
	unsigned n = 0;
	do
		(void)snprintf(name, sizeof(name), "%u", 1000 + n);
	while (n < RS_VB_IRQS && rs_moves_add(&m, line(name, "0-7"), 3) && ++n);
	ck_assert_uint_gt(n, 10);
	ck_assert_uint_lt(n, 30);
	rs_moves_advise(&m, &says);
	const struct rs_advice *const a = &said[0].words.advice[0];
	ck_assert_str_eq(a->command + strlen(a->command) - 6, "; done");
	ck_assert_str_eq(a->undo + strlen(a->undo) - 6, "; done");
}
END_TEST

START_TEST(no_line_no_advice)
{
	struct rs_moves m;

	rs_moves_begin(&m, &b->v);
	rs_moves_advise(&m, &says);
	ck_assert_uint_eq(said[0].words.n_advice, 0);
}
END_TEST

/* --- RPS --------------------------------------------------------------- */

static struct rs_rps
rps(unsigned queues)
{
	struct rs_rps r;

	b->nics[0].info.rx_queues = (int32_t)queues;
	rs_vb_tick(b);
	rs_rps_of(&b->v, &b->nics[0], &r);
	return r;
}

static void
queue_fact(enum rs_fact_id id, uint16_t queue, const char *value)
{
	rs_vb_fact(b, id, nic(0), queue, rs_text_of(value));
}

static const struct {
	const char *flows, *all; /* rps_flow_cnt, rps_sock_flow_entries; NULL: not known */
	bool has;
} rfs[] = {
    {NULL, NULL, false},
    {"0", "32768", false},
    {"4096", "32768", true},
    {"4096", "0", false},
    {"4096", NULL, true},
    {NULL, "32768", false},
};

START_TEST(flows_follow_processes_where_both_tables_are_there)
{
	if (rfs[_i].flows)
		queue_fact(RS_F_RPS_FLOWS, 1, rfs[_i].flows);
	if (rfs[_i].all)
		host(RS_F_RPS_SOCK_FLOWS, rfs[_i].all);
	ck_assert_int_eq(rps(2).has_rfs, rfs[_i].has);
}
END_TEST

START_TEST(masks_of_all_queues_are_known_or_not)
{
	ck_assert(!rs_rps_is_read(&(struct rs_rps){0}));
	queue_fact(RS_F_RPS_CPUS, 0, "none");
	struct rs_rps r = rps(2);
	ck_assert(!rs_rps_is_read(&r));
	queue_fact(RS_F_RPS_CPUS, 1, "0-3");
	r = rps(2);
	ck_assert(rs_rps_is_read(&r));
	ck_assert_uint_eq(r.n_set, 1);
	/* How many there are is not told: as many as have a mask. */
	r = rps(0);
	ck_assert_uint_eq(r.n, 2);
	ck_assert(rs_rps_is_read(&r));
}
END_TEST

/* Loads of cores 0 to 3 in per cent; 4 to 7 are set apart. */
static const struct {
	double loads[4];
	int from;
	double work;
	const char *want;
} choices[] = {
    /* The interrupted core keeps what it has, and is better left out. */
    {{97, 2, 2, 2}, -1, 0.97, "1-3"},
    /* A core that is interrupted, and has room, takes part where that helps. */
    {{10, 98, 2, 2}, 1, 0.98, "0-3"},
    {{45, 98, 2, 2}, 1, 0.98, "1-3"},
    {{45, 98, 40, 40}, 1, 0.98, "0-3"},
    {{90, 98, 92, 91}, 1, 0.98, "1"},
    {{0, 0, 0, 0}, -1, 1.0, "0-3"},
};

START_TEST(packets_are_handed_to_those_that_stay_least_full)
{
	struct rs_cpuset s;

	for (unsigned i = 4; i < 8; i++)
		rs_cpuset_add(&b->reserved, i);
	rs_vb_loads(b, choices[_i].loads, 4);
	const struct rs_rps r = rps(1);
	ck_assert(rs_rps_choose(&r, choices[_i].from, choices[_i].work, &s));
	ck_assert_str_eq(list_of(&s), choices[_i].want);
}
END_TEST

START_TEST(there_may_be_nobody_to_hand_to)
{
	struct rs_cpuset s;

	for (unsigned i = 0; i < 8; i++)
		rs_vb_core_unknown(b, i);
	const struct rs_rps r = rps(1);
	ck_assert(!rs_rps_choose(&r, -1, 0.9, &s));
}
END_TEST

static const struct {
	unsigned queues;
	const char *before[3];
	const char *command, *undo;
} settings[] = {
    {1, {"none"}, "echo e > /sys/class/net/eth0/queues/rx-0/rps_cpus",
	"echo 0 > /sys/class/net/eth0/queues/rx-0/rps_cpus"},
    {1, {"0-39"}, "echo e > /sys/class/net/eth0/queues/rx-0/rps_cpus",
	"echo ff,ffffffff > /sys/class/net/eth0/queues/rx-0/rps_cpus"},
    {2, {"none", "none"}, "for q in /sys/class/net/eth0/queues/rx-*; do echo e > $q/rps_cpus; done",
	"for q in /sys/class/net/eth0/queues/rx-*; do echo 0 > $q/rps_cpus; done"},
    {3, {"none", "1", "2-3"},
	"for q in /sys/class/net/eth0/queues/rx-*; do echo e > $q/rps_cpus; done",
	"for p in 0:0 1:2 2:c; do echo ${p#*:} > /sys/class/net/eth0/queues/rx-${p%:*}/rps_cpus; "
	"done"},
};

START_TEST(a_mask_is_written_to_all_queues_and_taken_back)
{
	struct rs_cpuset s;

	for (uint16_t q = 0; q < settings[_i].queues; q++)
		queue_fact(RS_F_RPS_CPUS, q, settings[_i].before[q]);
	const struct rs_rps r = rps(settings[_i].queues);
	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of("1-3"), &s), 0);
	ck_assert(rs_rps_advise(&r, &s, "it helps", &says));
	const struct rs_advice *const a = &said[0].words.advice[0];
	ck_assert_str_eq(a->command, settings[_i].command);
	ck_assert_str_eq(a->undo, settings[_i].undo);
	ck_assert_str_eq(a->expect, "it helps");
}
END_TEST

START_TEST(an_undoing_too_long_is_in_the_log)
{
	struct rs_cpuset s;

	for (uint16_t q = 0; q < 40; q++)
		queue_fact(RS_F_RPS_CPUS, q, q % 2 ? "1" : "2");
	struct rs_rps r = rps(40);
	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of("1-3"), &s), 0);
	ck_assert(rs_rps_advise(&r, &s, "", &says));
	ck_assert_str_eq(said[0].words.advice[0].undo, "the masks before: ringside changes");
	/* And a command too long is none. */
	rs_cpuset_add(&s, 1151);
	ck_assert(!rs_rps_advise(&r, &s, "", &says));
	ck_assert_uint_eq(said[0].words.n_advice, 1);
}
END_TEST

/* --- who feeds the core that leads -------------------------------------- */

static void
fill_core(unsigned cpu)
{
	rs_vb_core(b, cpu, 0.95, 0.95);
	rs_vb_traffic(&b->nics[0], 5e8, 0.0, 50000);
	rs_vb_traffic(&b->nics[1], 4e8, 0.0, 40000);
}

static struct rs_lead
lead(void)
{
	struct rs_lead l;

	rs_vb_tick(b);
	ck_assert(rs_lead_of(&b->v, &l));
	return l;
}

START_TEST(what_a_core_receives_is_told_by_queues)
{
	fill_core(2);
	for (uint16_t q = 0; q < 2; q++) {
		(void)rs_vb_queue(b, nic(0), false, q, 25000, 0);
		(void)rs_vb_queue(b, nic(1), false, q, q ? 35000 : 5000, 0);
	}
	rs_vb_fire(b, rs_vb_irq(b, "30", "a", "eth0", 0, RS_IRQ_QUEUE), 2, 3000);
	rs_vb_fire(b, rs_vb_irq(b, "31", "b", "eth0", 1, RS_IRQ_QUEUE), 1, 3000);
	const size_t half = rs_vb_irq(b, "32", "c", "eth1", 1, RS_IRQ_QUEUE);
	rs_vb_fire(b, half, 2, 1000);
	rs_vb_fire(b, half, 3, 1000);
	rs_vb_fire(b, rs_vb_irq(b, "33", "d", "eth1", 0, RS_IRQ_QUEUE), 4, 1000);
	const struct rs_lead l = lead();
	ck_assert_uint_eq(l.n_feeds, 2);
	ck_assert_str_eq(l.feeds[0].device, "eth0");
	ck_assert_double_eq(l.feed_rx_pps[0], 25000);
	ck_assert_double_eq(l.feed_rx_pps[1], 17500);
	ck_assert_uint_eq(l.n_rx_nics, 2);
}
END_TEST

START_TEST(what_a_core_receives_is_told_by_the_only_line)
{
	fill_core(2);
	rs_vb_fire(b, rs_vb_irq(b, "30", "eth0", "eth0", -1, RS_IRQ_QUEUE), 2, 3000);
	const size_t line_of_eth1 = rs_vb_irq(b, "31", "eth1", "eth1", -1, RS_IRQ_QUEUE);
	rs_vb_fire(b, line_of_eth1, 2, 300);
	rs_vb_fire(b, line_of_eth1, 1, 2700);
	struct rs_lead l = lead();
	ck_assert_double_eq(l.feed_rx_pps[0], 50000);
	ck_assert_double_eq_tol(l.feed_rx_pps[1], 4000, 1e-6);
	ck_assert_uint_eq(l.n_rx_nics, 1);
	/* With two lines nobody knows which of them is for what it receives. */
	rs_vb_fire(b, rs_vb_irq(b, "32", "eth1", "eth1", -1, RS_IRQ_QUEUE), 2, 3000);
	l = lead();
	ck_assert_uint_eq(l.n_feeds, 2);
	ck_assert_uint_eq(l.n_rx_nics, 0);
}
END_TEST

START_TEST(packets_by_rps_are_those_of_the_interface_that_may_hand_them)
{
	fill_core(2);
	b->cores[2].rps_ps = 5000;
	ck_assert_str_eq(lead().nic->info.name, "eth0");
	rs_vb_fact(b, RS_F_RPS_CPUS, nic(0), 0, rs_text_of("none"));
	rs_vb_fact(b, RS_F_RPS_CPUS, nic(1), 0, rs_text_of("1-2"));
	ck_assert_str_eq(lead().nic->info.name, "eth1");
	rs_vb_fact(b, RS_F_RPS_CPUS, nic(1), 0, rs_text_of("3"));
	ck_assert_ptr_null(lead().nic);
}
END_TEST

START_TEST(a_table_is_counted_queue_by_queue)
{
	struct rs_lead_table t;

	fill_core(2);
	b->nics[0].info.rx_queues = 4;
	rs_vb_fire(b, rs_vb_irq(b, "30", "a", "eth0", 0, RS_IRQ_QUEUE), 2, 3000);
	struct rs_lead l = lead();
	ck_assert(!rs_lead_table(&l, &t));
	rs_vb_fact(b, RS_F_RSS_TABLE, nic(0), RS_NO_QUEUE, rs_text_of("1-2 x40,3"));
	l = lead();
	ck_assert(!rs_lead_table(&l, &t)); /* not of the grammar */
	rs_vb_fact(b, RS_F_RSS_TABLE, nic(0), RS_NO_QUEUE, rs_text_of("1x3,2-3"));
	l = lead();
	ck_assert(rs_lead_table(&l, &t));
	ck_assert_uint_eq(t.entries, 5);
	ck_assert_uint_eq(t.most, 3);
	ck_assert_uint_eq(t.least, 0);
	ck_assert_uint_eq(t.selected, 3);
	ck_assert_uint_eq(t.first, 1);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("steer");
	TCase *const t = tcase_create("steer");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, places_are_the_cores_that_take_part);
	tcase_add_test(t, places_are_of_the_memory_node_where_it_has_two);
	tcase_add_test(t, siblings_are_one_place);
	tcase_add_loop_test(t, moves_are_one_command_and_its_undoing, 0, (int)RS_ARRAY_LEN(moves));
	tcase_add_test(t, moves_end_where_the_command_is_full);
	tcase_add_test(t, no_line_no_advice);
	tcase_add_loop_test(
	    t, flows_follow_processes_where_both_tables_are_there, 0, (int)RS_ARRAY_LEN(rfs));
	tcase_add_test(t, masks_of_all_queues_are_known_or_not);
	tcase_add_loop_test(
	    t, packets_are_handed_to_those_that_stay_least_full, 0, (int)RS_ARRAY_LEN(choices));
	tcase_add_test(t, there_may_be_nobody_to_hand_to);
	tcase_add_loop_test(
	    t, a_mask_is_written_to_all_queues_and_taken_back, 0, (int)RS_ARRAY_LEN(settings));
	tcase_add_test(t, an_undoing_too_long_is_in_the_log);
	tcase_add_test(t, what_a_core_receives_is_told_by_queues);
	tcase_add_test(t, what_a_core_receives_is_told_by_the_only_line);
	tcase_add_test(t, packets_by_rps_are_those_of_the_interface_that_may_hand_them);
	tcase_add_test(t, a_table_is_counted_queue_by_queue);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

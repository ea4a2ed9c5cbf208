/* SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rs.h"
#include "rs_check.h"
#include "totals.h"

enum { CORES = 4, LINES = 16, DEVICES = 4, FOUND = 16 };

/* A machine of four cores; lines are added, then it is judged. */
struct machine {
	struct rs_totals t;
	struct rs_total_core cores[CORES];
	struct rs_total_line lines[LINES];
	uint32_t counts[LINES][CORES];
	struct rs_total_feed feeds[2 * LINES];
	struct rs_total_device devices[DEVICES];
	struct rs_total_queue queues[8];
	struct rs_total_loss losses[8];
	char names[LINES][40];
	struct rs_finding found[FOUND];
	size_t n_found;
};

static struct machine m;

static void
begin(void)
{
	memset(&m, 0, sizeof(m));
	m.t = (struct rs_totals){.span_s = NAN,
	    .cores = m.cores,
	    .n_cores = CORES,
	    .lines = m.lines,
	    .feeds = m.feeds,
	    .devices = m.devices,
	    .queues = m.queues,
	    .losses = m.losses};
	for (unsigned i = 0; i < CORES; i++)
		m.cores[i] = (struct rs_total_core){i, 0.0, NAN, NAN, NAN, NAN, NAN, NAN, false};
}

static uint32_t
device(const char *name)
{
	struct rs_total_device *const d = &m.devices[m.t.n_devices];

	(void)snprintf(d->name, sizeof(d->name), "%s", name);
	d->rx_packets = NAN;
	d->rx_channels = d->max_channels = -1;
	return (uint32_t)m.t.n_devices++;
}

static void
serve(uint32_t of, int32_t queue)
{
	const uint32_t line = (uint32_t)m.t.n_lines - 1;

	m.feeds[m.t.n_feeds++] = (struct rs_total_feed){line, of, queue, true};
	m.lines[line].n_feeds++;
}

/* A line of a queue with its counts on the four cores. */
static void
line(uint32_t of, int32_t queue, const double counts[static CORES])
{
	const size_t at = m.t.n_lines++;
	struct rs_total_line *const l = &m.lines[at];

	(void)snprintf(l->irq, sizeof(l->irq), "%u", (30u + (unsigned)at) & 0xffu);
	(void)snprintf(m.names[at], sizeof(m.names[at]), "%.15s-rx-%d", m.devices[of].name, queue);
	l->actions = m.names[at];
	l->counts = m.counts[at];
	l->first_feed = (uint32_t)m.t.n_feeds;
	for (unsigned i = 0; i < CORES; i++) {
		m.counts[at][i] = (uint32_t)counts[i];
		m.cores[i].nic_interrupts += counts[i];
		l->total += counts[i];
	}
	serve(of, queue);
}

static void
judge(void)
{
	ck_assert_int_eq(rs_totals_judge(&m.t, m.found, FOUND, &m.n_found), 0);
	for (size_t i = 0; i < m.n_found; i++)
		ck_assert_int_le(m.found[i].confidence, RS_MEDIUM);
}

static const struct rs_finding *
find(const char *code)
{
	for (size_t i = 0; i < m.n_found; i++) {
		if (strcmp(m.found[i].code, code) == 0)
			return &m.found[i];
	}
	return NULL;
}

static bool
has_text(const struct rs_finding *f, const char *part)
{
	bool has = strstr(f->message, part) != NULL;

	for (uint32_t i = 0; i < f->n_evidence; i++)
		has |= strstr(f->evidence[i].text, part) != NULL;
	for (uint32_t i = 0; i < f->n_causes; i++)
		has |= strstr(f->causes[i], part) != NULL;
	for (uint32_t i = 0; i < f->n_advice; i++)
		has |= strstr(f->advice[i].command, part) != NULL;
	return has;
}

/* --- all on one -------------------------------------------------------------- */

/* Two queues of a device with these counts. */
static const struct {
	double a[CORES], b[CORES];
	enum rs_total_basis basis;
	bool is_raised;
} piles[] = {
    {{9e6, 0, 0, 0}, {3e6, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, true},
    {{0, 0, 8e6, 0}, {2e6, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, true},    /* 80 % */
    {{0, 0, 79e5, 0}, {21e5, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, false}, /* 79 % */
    {{9e6, 0, 0, 0}, {9e5, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, false},   /* too few */
    {{9e3, 0, 0, 0}, {3e3, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, false},
    {{9e3, 0, 0, 0}, {3e3, 0, 0, 0}, RS_TOTAL_DIFFERENCE, true}, /* a thousandth */
    {{9e3, 0, 0, 0}, {9e2, 0, 0, 0}, RS_TOTAL_DIFFERENCE, false},
    {{3e9, 0, 0, 0}, {0, 3e9, 0, 0}, RS_TOTAL_SINCE_BOOT, false}, /* each its own */
    {{0, 0, 0, 0}, {0, 0, 0, 0}, RS_TOTAL_SINCE_BOOT, false},
};

START_TEST(one_core_with_four_fifths_of_many_interrupts_is_flagged)
{
	begin();
	const uint32_t eth0 = device("eth0");
	line(eth0, 0, piles[_i].a);
	line(eth0, 1, piles[_i].b);
	m.t.basis = piles[_i].basis;
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_int_eq(f != NULL, piles[_i].is_raised);
	if (f != NULL)
		ck_assert_int_eq(f->severity, RS_WARN);
}
END_TEST

START_TEST(the_core_the_devices_and_the_lines_are_named)
{
	begin();
	const uint32_t eth0 = device("eth0"), eth1 = device("eth1");
	line(eth0, 0, (const double[]){0, 0, 9e7, 0});
	line(eth0, 1, (const double[]){0, 0, 8e7, 0});
	line(eth1, 0, (const double[]){0, 0, 7e7, 0});
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->subject.kind, RS_SUBJECT_CORE);
	ck_assert_int_eq(f->subject.core, 2);
	ck_assert_str_eq(
	    f->message, "core 2 takes 100 % of the 240 M interrupts of eth0, eth1 since boot");
	ck_assert(has_text(f, "2 queues, every one on core 2"));
	ck_assert(has_text(f, "single interrupt line 32"));
	ck_assert(has_text(f, "3 of 4: 0-1,3")); /* cores without interrupts */
	ck_assert_str_eq(f->advice[0].command, "for p in 30:0 31:1 32:2; do echo ${p#*:} > "
					       "/proc/irq/${p%:*}/smp_affinity_list; done");
	ck_assert_str_eq(f->advice[0].undo, "for q in 30 31 32; do echo 0-3 > "
					    "/proc/irq/$q/smp_affinity_list; done # the default");
}
END_TEST

START_TEST(both_lines_of_a_queue_go_to_the_same_core)
{
	begin();
	const uint32_t eth0 = device("eth0");
	for (int32_t i = 0; i < 4; i++)
		line(eth0, i % 2, (const double[]){9e7, 0, 0, 0});
	judge();
	ck_assert(has_text(find("irq.all_on_one"), "for p in 30:0 32:0 31:1 33:1;"));
}
END_TEST

START_TEST(isolated_cores_are_left_alone)
{
	begin();
	const uint32_t eth0 = device("eth0");
	for (int32_t i = 0; i < 4; i++)
		line(eth0, i, (const double[]){9e7, 0, 0, 0});
	m.cores[1].is_isolated = true;
	judge();
	ck_assert(has_text(find("irq.all_on_one"), "for p in 30:0 31:2 32:3 33:0;"));
}
END_TEST

START_TEST(the_cause_of_a_full_core_is_told_however_few_the_counts)
{
	begin();
	const uint32_t eth0 = device("eth0");
	line(eth0, 0, (const double[]){900, 0, 0, 0});
	line(eth0, 1, (const double[]){100, 0, 0, 0});
	judge();
	ck_assert_uint_eq(m.n_found, 0);
	m.t.wants_cause = true;
	judge();
	ck_assert_ptr_nonnull(find("irq.all_on_one"));
}
END_TEST

START_TEST(a_device_with_half_of_the_interrupts_is_judged_alone)
{
	begin();
	const uint32_t eth0 = device("eth0"), eth1 = device("eth1");
	line(eth0, 0, (const double[]){0, 3e7, 0, 0});
	line(eth0, 1, (const double[]){0, 3e7, 0, 0});
	line(eth1, 0, (const double[]){3e7, 0, 0, 0});
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->subject.core, 1);
	ck_assert(strstr(f->message, "of eth0 ") != NULL);
}
END_TEST

/* A single line fires somewhere: that alone is no finding until it is a great deal. */
START_TEST(a_single_line_matters_when_it_is_a_great_deal)
{
	begin();
	const uint32_t eth0 = device("eth0");
	line(eth0, -1, (const double[]){0, 9e7, 0, 0});
	judge();
	ck_assert_uint_eq(m.n_found, 0);
	m.counts[0][1] = 200000000;
	m.lines[0].total = m.cores[1].nic_interrupts = 2e8;
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_ptr_nonnull(f);
	ck_assert(has_text(f, "only RPS spreads its packets"));
	ck_assert(has_text(f, "echo d > /sys/class/net/eth0/queues/rx-0/rps_cpus"));
}
END_TEST

START_TEST(queues_that_meet_while_a_core_has_none_are_flagged)
{
	begin();
	const uint32_t eth0 = device("eth0");
	line(eth0, 0, (const double[]){4e6, 0, 0, 0});
	line(eth0, 1, (const double[]){4e6, 0, 0, 0});
	line(eth0, 2, (const double[]){0, 4e6, 0, 0});
	line(eth0, 3, (const double[]){0, 0, 4e6, 0});
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_ptr_nonnull(f);
	ck_assert_int_eq(f->subject.core, 0);
	ck_assert(has_text(f, "while core 3 gets none"));
	/* A core of its own for each: nothing. */
	m.counts[1][0] = 0;
	m.counts[1][3] = 4000000;
	m.cores[0].nic_interrupts = m.cores[3].nic_interrupts = 4e6;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

START_TEST(a_line_of_two_devices_is_flagged)
{
	begin();
	const uint32_t eth0 = device("eth0"), eth1 = device("eth1");
	line(eth0, -1, (const double[]){0, 6e5, 0, 0});
	serve(eth1, -1);
	judge();
	const struct rs_finding *const f = find("irq.all_on_one");
	ck_assert_ptr_nonnull(f);
	ck_assert(has_text(f, "eth0, eth1 share IRQ 30"));
	m.counts[0][1] = 400000;
	m.lines[0].total = m.cores[1].nic_interrupts = 4e5;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

/* What makes the pile of interrupts no matter. */
static void
pile(void)
{
	begin();
	const uint32_t eth0 = device("eth0");
	line(eth0, 0, (const double[]){5e7, 0, 0, 0});
	line(eth0, 1, (const double[]){5e7, 0, 0, 0});
}

START_TEST(packets_outrank_interrupts)
{
	pile();
	m.t.has_softirqs = true;
	for (unsigned i = 0; i < CORES; i++)
		m.cores[i].net_rx = 1e7; /* RPS spreads them */
	judge();
	ck_assert_int_eq(find("irq.all_on_one")->severity, RS_INFO);
	m.cores[0].net_rx = 5e7;
	judge();
	ck_assert_int_eq(find("irq.all_on_one")->severity, RS_WARN);
}
END_TEST

START_TEST(a_core_that_never_ran_out_of_budget_is_no_problem)
{
	pile();
	m.t.has_softnet = true;
	m.cores[0].processed = 1e9;
	m.cores[0].squeezed = m.cores[0].dropped = 0.0;
	judge();
	ck_assert_int_eq(find("irq.all_on_one")->severity, RS_INFO);
	m.cores[0].squeezed = 5e4;
	judge();
	ck_assert_int_eq(find("irq.all_on_one")->severity, RS_WARN);
}
END_TEST

START_TEST(known_loads_make_counts_of_interrupts_no_matter)
{
	pile();
	m.t.has_loads = true;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

START_TEST(a_single_core_has_nothing_to_spread)
{
	pile();
	m.t.n_cores = 1;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

/* Packets of one core while interrupts tell nothing: NET_RX, softnet, softirq time. */
START_TEST(packets_alone_are_judged_by_the_same_shares)
{
	begin();
	m.cores[1].net_rx = 2e7;
	m.cores[2].net_rx = 1e6;
	m.t.has_softirqs = true;
	judge();
	ck_assert(has_text(find("irq.all_on_one"), "95 % of the 21 M receive softirqs"));
	begin();
	m.cores[3].processed = 2e7;
	m.cores[3].squeezed = 500;
	m.cores[3].dropped = 0;
	m.t.has_softnet = true;
	judge();
	ck_assert(has_text(find("irq.all_on_one"), "core 3 has 100 % of the 20 M packets"));
	begin();
	for (unsigned i = 0; i < CORES; i++) {
		m.cores[i].softirq_s = 10.0;
		m.cores[i].booked_s = 20000.0;
	}
	m.cores[2].softirq_s = 1500.0;
	judge();
	ck_assert(has_text(find("irq.all_on_one"), "seconds in softirq"));
	m.cores[2].softirq_s = 500.0; /* 2.5 % of its time */
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

/* --- queues ---------------------------------------------------------------------- */

static const struct {
	double packets[4];
	int32_t channels;
	const char *message; /* NULL: none */
} hashes[] = {
    {{9e7, 0, 1e6, 0}, -1, "eth0 puts 99 % of its packets into queue 0 of 4"},
    {{0, 0, 8e6, 2e6}, -1, "eth0 puts 80 % of its packets into queue 2 of 4"},
    {{0, 0, 79e5, 21e5}, -1, NULL},
    {{9e6, 0, 0, 0}, -1, NULL},	 /* too few */
    {{9e7, 0, 1e6, 0}, 1, NULL}, /* the others are switched off */
    {{3e7, 3e7, 3e7, 3e7}, 4, NULL},
};

START_TEST(a_queue_with_four_fifths_of_the_packets_is_flagged)
{
	begin();
	const uint32_t eth0 = device("eth0");
	m.devices[eth0].n_queues = 4;
	m.devices[eth0].rx_channels = hashes[_i].channels;
	for (uint16_t i = 0; i < 4; i++)
		m.queues[i] = (struct rs_total_queue){i, hashes[_i].packets[i]};
	judge();
	const struct rs_finding *const f = find("rss.not_hashing");
	ck_assert_int_eq(f != NULL, hashes[_i].message != NULL);
	if (f != NULL) {
		ck_assert_str_eq(f->message, hashes[_i].message);
		ck_assert_int_eq(f->subject.kind, RS_SUBJECT_QUEUE);
	}
}
END_TEST

START_TEST(few_cores_for_many_queues_are_flagged)
{
	begin();
	const uint32_t eth0 = device("eth0");
	for (int32_t i = 0; i < 4; i++) {
		double counts[CORES] = {0};
		counts[i] = 1e6;
		line(eth0, i, counts);
	}
	m.t.has_softirqs = true;
	for (unsigned i = 0; i < CORES; i++)
		m.cores[i].net_rx = i < 2 ? 6e6 : 1e5;
	judge();
	ck_assert(has_text(find("rss.not_hashing"), "2 of 4 cores do 98 %"));
	m.cores[2].net_rx = 6e6;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

/* --- losses ------------------------------------------------------------------------ */

static const struct {
	enum rs_total_lost lost;
	double count, received;
	const char *code; /* NULL: none */
	enum rs_severity severity;
} losses[] = {
    {RS_TOTAL_RING, 2e4, 1e7, "ring.overflow", RS_WARN},
    {RS_TOTAL_RING, 2e4, 1e8, "ring.overflow", RS_INFO},
    {RS_TOTAL_RING, 2e4, 1e9, NULL, RS_INFO}, /* 2 of 100000 */
    {RS_TOTAL_RING, 9e3, 1e4, NULL, RS_INFO}, /* few */
    {RS_TOTAL_RING, 1e9, NAN, NULL, RS_INFO}, /* a share of what? */
    {RS_TOTAL_WIRE, 1e9, 1e7, NULL, RS_INFO}, /* no matter of load */
    {RS_TOTAL_LIMIT, 2e6, 1e9, "cpu.steal", RS_WARN},
    {RS_TOTAL_LIMIT, 3.0, 1e9, "cpu.steal", RS_INFO},
    {RS_TOTAL_LIMIT, 0.0, 1e9, NULL, RS_INFO},
};

START_TEST(losses_are_judged_by_their_share)
{
	begin();
	const uint32_t eth0 = device("eth0");
	m.devices[eth0].rx_packets = losses[_i].received;
	m.devices[eth0].n_losses = 1;
	m.losses[0] = (struct rs_total_loss){"rx_missed", losses[_i].count, losses[_i].lost};
	judge();
	ck_assert_uint_eq(m.n_found, losses[_i].code != NULL);
	if (m.n_found > 0) {
		ck_assert_str_eq(m.found[0].code, losses[_i].code);
		ck_assert_int_eq(m.found[0].severity, losses[_i].severity);
	}
}
END_TEST

START_TEST(a_single_network_thread_that_drops_is_flagged)
{
	begin();
	m.t.netisr = (struct rs_total_netisr){.is_present = true,
	    .workstreams = 1,
	    .threads = 1,
	    .cpus = 4,
	    .dropped = 2e6,
	    .queued = 1e7,
	    .protocol = "ip"};
	judge();
	const struct rs_finding *const f = find("softnet.dropped");
	ck_assert_ptr_nonnull(f);
	ck_assert(has_text(f, "one network thread has to do it all"));
	ck_assert(has_text(f, "net.isr.maxthreads"));
	m.t.netisr.dropped = 9e3;
	judge();
	ck_assert_uint_eq(m.n_found, 0);
}
END_TEST

/* --- the rest ------------------------------------------------------------------------- */

START_TEST(findings_that_weigh_most_come_first)
{
	pile();
	m.devices[0].rx_packets = 1e9;
	m.devices[0].n_losses = 1;
	m.losses[0] = (struct rs_total_loss){"missed", 2e5, RS_TOTAL_RING};
	m.t.has_softnet = true;
	m.cores[0].processed = 1e9;
	m.cores[0].squeezed = m.cores[0].dropped = 0.0;
	m.losses[0].count = 2e6;
	judge();
	ck_assert_uint_eq(m.n_found, 2);
	ck_assert_str_eq(m.found[0].code, "ring.overflow");
	ck_assert_int_eq(m.found[1].severity, RS_INFO);
	/* No more than there is room for. */
	ck_assert_int_eq(rs_totals_judge(&m.t, m.found, 1, &m.n_found), 0);
	ck_assert_uint_eq(m.n_found, 1);
}
END_TEST

START_TEST(it_says_whether_it_can_decide)
{
	begin();
	ck_assert(!rs_totals_decide(&m.t));
	const uint32_t eth0 = device("eth0");
	ck_assert(!rs_totals_decide(&m.t));
	m.devices[eth0].n_queues = 1;
	ck_assert(!rs_totals_decide(&m.t));
	m.devices[eth0].n_queues = 2;
	ck_assert(rs_totals_decide(&m.t));
	pile();
	ck_assert(rs_totals_decide(&m.t));
}
END_TEST

START_TEST(the_busiest_core_is_told)
{
	unsigned cpu;
	double all;

	begin();
	ck_assert(isnan(rs_totals_busiest(&m.t, &cpu, &all)));
	pile();
	ck_assert_double_eq(rs_totals_busiest(&m.t, &cpu, &all), 1.0);
	ck_assert_uint_eq(cpu, 0);
	ck_assert_double_eq(all, 1e8);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("totals");
	TCase *const tc = tcase_create("totals");

	tcase_add_loop_test(tc, one_core_with_four_fifths_of_many_interrupts_is_flagged, 0,
	    (int)RS_ARRAY_LEN(piles));
	tcase_add_test(tc, the_core_the_devices_and_the_lines_are_named);
	tcase_add_test(tc, both_lines_of_a_queue_go_to_the_same_core);
	tcase_add_test(tc, isolated_cores_are_left_alone);
	tcase_add_test(tc, the_cause_of_a_full_core_is_told_however_few_the_counts);
	tcase_add_test(tc, a_device_with_half_of_the_interrupts_is_judged_alone);
	tcase_add_test(tc, a_single_line_matters_when_it_is_a_great_deal);
	tcase_add_test(tc, queues_that_meet_while_a_core_has_none_are_flagged);
	tcase_add_test(tc, a_line_of_two_devices_is_flagged);
	tcase_add_test(tc, packets_outrank_interrupts);
	tcase_add_test(tc, a_core_that_never_ran_out_of_budget_is_no_problem);
	tcase_add_test(tc, known_loads_make_counts_of_interrupts_no_matter);
	tcase_add_test(tc, a_single_core_has_nothing_to_spread);
	tcase_add_test(tc, packets_alone_are_judged_by_the_same_shares);
	tcase_add_loop_test(
	    tc, a_queue_with_four_fifths_of_the_packets_is_flagged, 0, (int)RS_ARRAY_LEN(hashes));
	tcase_add_test(tc, few_cores_for_many_queues_are_flagged);
	tcase_add_loop_test(tc, losses_are_judged_by_their_share, 0, (int)RS_ARRAY_LEN(losses));
	tcase_add_test(tc, a_single_network_thread_that_drops_is_flagged);
	tcase_add_test(tc, findings_that_weigh_most_come_first);
	tcase_add_test(tc, it_says_whether_it_can_decide);
	tcase_add_test(tc, the_busiest_core_is_told);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

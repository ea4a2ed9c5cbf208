/* SPDX-License-Identifier: ISC */
#include <math.h>
#include <stdio.h>

#include "loss.h"
#include "rs_check.h"
#include "view_builder.h"

static struct rs_vb *b;
static struct rs_nic_view *n;
static struct rs_recent *r;

static void
begin(void)
{
	b = rs_vb_new(4);
	n = rs_vb_nic(b, "eth0", 1000000000);
	ck_assert_int_eq(rs_recent_new(&r), 0);
}

static void
end(void)
{
	rs_recent_free(r);
	rs_vb_free(b);
}

static void
line(const char *irq, int32_t queue)
{
	(void)rs_vb_irq(b, irq, "eth0", "eth0", queue, RS_IRQ_QUEUE);
}

static void
loads(double a, double c, double d, double f)
{
	const double percent[] = {a, c, d, f};
	rs_vb_loads(b, percent, RS_ARRAY_LEN(percent));
}

/* The core that is said to serve the rings now. */
static struct rs_ring_core
core(void)
{
	struct rs_ring_core c;
	const struct rs_view *const v = rs_vb_tick(b);
	rs_ring_core_of(v, n, &c);
	return c;
}

START_TEST(a_ring_is_served_by_the_fullest_core_of_its_queues)
{
	line("31", 0);
	line("32", 1);
	rs_vb_fire(b, 0, 1, 100);
	rs_vb_fire(b, 1, 2, 9000);
	(void)rs_vb_queue(b, n->info.ifindex, false, 0, 1000, 0);
	(void)rs_vb_queue(b, n->info.ifindex, false, 1, 9000, 0);
	loads(100, 80, 30, 0);
	ck_assert_int_eq(core().cpu, 1);
	loads(100, 20, 30, 0);
	ck_assert_int_eq(core().cpu, 2);
	ck_assert_double_eq_tol(core().packet_load, 0.30, 1e-9);
	/* A queue that hardly gets a packet fills no core. */
	(void)rs_vb_queue(b, n->info.ifindex, false, 0, 10, 0);
	loads(100, 80, 30, 0);
	ck_assert_int_eq(core().cpu, 2);
}
END_TEST

START_TEST(a_line_that_does_not_fire_is_where_it_may_fire)
{
	line("31", 0);
	loads(10, 20, 30, 90);
	ck_assert_int_eq(core().cpu, -1);
	rs_vb_fact(b, RS_F_IRQ_EFFECTIVE, 31, RS_NO_QUEUE, rs_text_of("3"));
	ck_assert_int_eq(core().cpu, 3);
	rs_vb_fact(b, RS_F_IRQ_EFFECTIVE, 31, RS_NO_QUEUE, rs_text_of("2-3"));
	ck_assert_int_eq(core().cpu, -1);
	rs_vb_fire(b, 0, 0, 5);
	ck_assert_int_eq(core().cpu, 0);
}
END_TEST

START_TEST(a_thread_that_polls_the_queue_is_its_core)
{
	line("31", 0);
	rs_vb_fire(b, 0, 1, 100);
	rs_vb_queue(b, n->info.ifindex, false, 0, 1000, 0)->napi = 8193;
	loads(10, 20, 30, 40);
	(void)rs_vb_thread(b, RS_THREAD_NAPI, "napi/eth0-8193", 3, 0.3);
	ck_assert_int_eq(core().cpu, 3);
}
END_TEST

/* Where nobody tells the core, all of them being full is enough to know. */
START_TEST(an_unknown_core_is_hot_when_the_idlest_is)
{
	loads(100, 95, 91, 99);
	const struct rs_ring_core full = core();
	ck_assert_int_eq(full.cpu, -1);
	ck_assert_double_eq_tol(full.packet_load, 0.91, 1e-9);
	ck_assert(rs_ring_core_is_hot(&full, 0.90));
	loads(100, 95, 50, 99);
	const struct rs_ring_core some = core();
	ck_assert(!rs_ring_core_is_hot(&some, 0.90));
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rs_vb_core_unknown(b, cpu);
	const struct rs_ring_core none = core();
	ck_assert_double_nan(none.busy);
	ck_assert(!rs_ring_core_is_hot(&none, 0.0));
}
END_TEST

START_TEST(loss_is_that_of_the_queue_that_loses_the_most)
{
	struct rs_ring_loss l;
	const struct rs_view *v = rs_vb_tick(b);
	ck_assert(!rs_ring_loss_of(v, r, n, &l));
	line("31", 0);
	line("32", 1);
	rs_vb_fire(b, 0, 1, 100);
	rs_vb_fire(b, 1, 2, 100);
	rs_vb_traffic(n, 1e8, 0, 9000);
	n->lost_ring_pps = 1000;
	(void)rs_vb_queue(b, n->info.ifindex, false, 0, 1000, 300);
	(void)rs_vb_queue(b, n->info.ifindex, false, 1, 8000, 700);
	loads(0, 90, 10, 0);
	for (unsigned i = 0; i < 4; i++)
		rs_recent_add(r, v = rs_vb_tick(b));
	ck_assert(rs_ring_loss_of(v, r, n, &l));
	ck_assert_int_eq(l.queue, 1);
	ck_assert_int_eq(l.core.cpu, 2);
	ck_assert(l.is_by_queue);
	ck_assert_double_eq_tol(l.share, 0.1, 1e-9);
	ck_assert_double_eq_tol(l.lost_60, 3000, 1e-6);
	ck_assert_double_eq_tol(l.share_60, 0.1, 1e-9);
	/* What no queue tells. */
	(void)rs_vb_queue(b, n->info.ifindex, false, 0, 1000, NAN);
	(void)rs_vb_queue(b, n->info.ifindex, false, 1, 8000, 0);
	ck_assert(rs_ring_loss_of(v, r, n, &l));
	ck_assert_int_eq(l.queue, -1);
	ck_assert_int_eq(l.core.cpu, 1);
	ck_assert(!l.is_by_queue);
	/* Neither now nor lately. */
	n->lost_ring_pps = NAN;
	rs_vb_skip(b, 200);
	rs_recent_add(r, v = rs_vb_tick(b));
	ck_assert(!rs_ring_loss_of(v, r, n, &l));
}
END_TEST

/* Figures of the reference: a ring of 256 holds 172 us of the smallest frames at
 * a gigabit and 3.15 ms of the largest, one of 1024 four times as much. */
static const struct {
	const char *ring;
	double bytes, us; /* of a frame without its checksum */
} holds[] = {
    {"256", 60, 172},
    {"256", 1514, 3150},
    {"1024", 60, 688},
    {"1024", 1514, 12600},
};

START_TEST(a_ring_holds_what_the_wire_brings_for_so_long)
{
	rs_vb_fact(b, RS_F_RING_RX, n->info.ifindex, RS_NO_QUEUE, rs_text_of(holds[_i].ring));
	rs_vb_traffic(n, 8.0 * holds[_i].bytes * 1000, 0, 1000);
	ck_assert_double_eq_tol(
	    rs_ring_holds_us(rs_vb_tick(b), n), holds[_i].us, 0.01 * holds[_i].us);
	n->info.speed_bps = -1;
	ck_assert_double_nan(rs_ring_holds_us(rs_vb_tick(b), n));
}
END_TEST

static const struct {
	double share;
	const char *text;
} shares[] = {
    {1.0, "100 %"},
    {0.38, "38 %"},
    {0.0996, "10 %"},
    {0.0994, "9.9 %"},
    {0.012, "1.2 %"},
    {0.001, "0.1 %"},
    {0.00094, "0.094 %"},
    {0.0001, "0.010 %"},
    {0.00001, "0.001 %"},
    {0.000001, "< 0.001 %"},
    {0.0, "< 0.001 %"},
};

START_TEST(shares_are_written_with_the_digits_they_need)
{
	char text[24];
	rs_format_share(shares[_i].share, text);
	ck_assert_str_eq(text, shares[_i].text);
}
END_TEST

START_TEST(settings_are_numbers_or_not_known)
{
	rs_vb_fact(b, RS_F_RING_RX, n->info.ifindex, RS_NO_QUEUE, rs_text_of("512"));
	rs_vb_fact(b, RS_F_PAUSE_RX, n->info.ifindex, RS_NO_QUEUE, rs_text_of("off"));
	rs_vb_fact(b, RS_F_CONNTRACK_MAX, 0, RS_NO_QUEUE, rs_text_of("65536"));
	const struct rs_view *const v = rs_vb_tick(b);
	ck_assert_int_eq(rs_nic_number(v, n, RS_F_RING_RX), 512);
	ck_assert_int_eq(rs_nic_number(v, n, RS_F_RING_TX), -1);
	ck_assert_int_eq(rs_nic_number(v, n, RS_F_PAUSE_RX), -1);
	ck_assert_int_eq(rs_host_number(v, RS_F_CONNTRACK_MAX), 65536);
	ck_assert_int_eq(rs_host_number(v, RS_F_CONNTRACK_BUCKETS), -1);
	ck_assert(rs_nic_is(v, n, RS_F_PAUSE_RX, "off"));
	ck_assert(!rs_nic_is(v, n, RS_F_PAUSE_RX, "on"));
	ck_assert(!rs_nic_is(v, n, RS_F_PAUSE_TX, "off"));
}
END_TEST

static const struct {
	const char *qdisc;
	bool is_shaped;
} qdiscs[] = {{NULL, false}, {"", false}, {"mq fq_codel", false}, {"htb fq_codel", true},
    {"cake", true}, {"tbf", true}, {"netem", true}, {"hfsc", true}, {"htbx", false}};

START_TEST(shapers_are_known_by_their_words)
{
	ck_assert_int_eq(rs_is_shaped(qdiscs[_i].qdisc), qdiscs[_i].is_shaped);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("loss");
	TCase *const tc = tcase_create("loss");

	tcase_add_checked_fixture(tc, begin, end);
	tcase_add_test(tc, a_ring_is_served_by_the_fullest_core_of_its_queues);
	tcase_add_test(tc, a_line_that_does_not_fire_is_where_it_may_fire);
	tcase_add_test(tc, a_thread_that_polls_the_queue_is_its_core);
	tcase_add_test(tc, an_unknown_core_is_hot_when_the_idlest_is);
	tcase_add_test(tc, loss_is_that_of_the_queue_that_loses_the_most);
	tcase_add_loop_test(
	    tc, a_ring_holds_what_the_wire_brings_for_so_long, 0, (int)RS_ARRAY_LEN(holds));
	tcase_add_loop_test(
	    tc, shares_are_written_with_the_digits_they_need, 0, (int)RS_ARRAY_LEN(shares));
	tcase_add_test(tc, settings_are_numbers_or_not_known);
	tcase_add_loop_test(tc, shapers_are_known_by_their_words, 0, (int)RS_ARRAY_LEN(qdiscs));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

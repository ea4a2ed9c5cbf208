/* SPDX-License-Identifier: ISC */
/* Which devices interrupt which core, and whether all of them pile on one. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "rs_check.h"
#include "view_builder.h"

static struct rs_vb *b;

static void
setup(void)
{
	b = rs_vb_new(4);
	(void)rs_vb_nic(b, "eth0", 1000000000);
	(void)rs_vb_nic(b, "eth1", 1000000000);
}

static void
teardown(void)
{
	rs_vb_free(b);
}

static size_t
line(const char *irq, const char *device, int32_t queue)
{
	return rs_vb_irq(b, irq, device, device, queue, RS_IRQ_QUEUE);
}

static const char *
phrase(unsigned cpu)
{
	static char text[96];

	rs_vb_tick(b);
	rs_feed_phrase(&b->v, cpu, text, sizeof(text));
	return text;
}

START_TEST(feed_is_summed_by_device_busiest_first)
{
	struct rs_core_feed f[RS_FEEDS_MAX];

	rs_vb_fire(b, line("30", "eth0", 0), 2, 100);
	rs_vb_fire(b, line("31", "eth0", 1), 2, 150);
	rs_vb_fire(b, line("32", "eth1", 3), 2, 900);
	rs_vb_fire(b, line("33", "eth1", 2), 1, 5000);
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 2, f, RS_FEEDS_MAX), 2);
	ck_assert_str_eq(f[0].device, "eth1");
	ck_assert_double_eq(f[0].rate_ps, 900);
	ck_assert_int_eq(f[0].queue, 3);
	ck_assert_str_eq(f[1].device, "eth0");
	ck_assert_double_eq(f[1].rate_ps, 250);
	ck_assert_int_eq(f[1].queue, -1); /* two queues */
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 2, f, 1), 1);
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 3, f, RS_FEEDS_MAX), 0);
}
END_TEST

START_TEST(feed_rx_and_tx_lines_of_a_queue_are_one_queue)
{
	struct rs_core_feed f[RS_FEEDS_MAX];

	rs_vb_fire(b, line("30", "eth0", 2), 1, 600);
	rs_vb_fire(b, line("31", "eth0", 2), 1, 400);
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 1, f, RS_FEEDS_MAX), 1);
	ck_assert_int_eq(f[0].queue, 2);
}
END_TEST

START_TEST(feed_leaves_out_control_and_foreign_lines)
{
	struct rs_core_feed f[RS_FEEDS_MAX];

	rs_vb_fire(b, rs_vb_irq(b, "30", "eth0", "eth0", -1, RS_IRQ_CONTROL), 1, 900);
	rs_vb_fire(b, rs_vb_irq(b, "31", "ahci", "", -1, RS_IRQ_OTHER), 1, 900);
	rs_vb_fire(b, rs_vb_irq(b, "32", "gone", "gone", 0, RS_IRQ_QUEUE), 1, 900);
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 1, f, RS_FEEDS_MAX), 0);
}
END_TEST

START_TEST(feed_shared_line_counts_for_each_device_once)
{
	struct rs_core_feed f[RS_FEEDS_MAX];
	const size_t i = line("11", "eth0", -1);
	const struct rs_irq_feed feeds[] = {
	    {.ifindex = b->nics[0].info.ifindex, .queue = -1, .role = RS_IRQ_QUEUE},
	    {.ifindex = b->nics[1].info.ifindex, .queue = -1, .role = RS_IRQ_QUEUE},
	    {.ifindex = b->nics[0].info.ifindex, .queue = -1, .role = RS_IRQ_QUEUE},
	};

	b->irqs[i].feeds = feeds;
	b->irqs[i].n_feeds = 3;
	rs_vb_fire(b, i, 0, 700);
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_feeds_of_core(&b->v, 0, f, RS_FEEDS_MAX), 2);
	ck_assert_double_eq(f[0].rate_ps, 700);
	ck_assert_double_eq(f[1].rate_ps, 700);
}
END_TEST

/* A shared line is that of each of its devices, whoever asks. */
START_TEST(busy_devices_are_those_of_shared_lines_too)
{
	uint32_t devices[2] = {0, 0};
	char text[96];
	const size_t shared = line("11", "eth1", -1);

	rs_vb_share(b, shared, "eth0", -1);
	rs_vb_share(b, shared, "eth1", -1);
	rs_vb_fire(b, line("10", "eth1", 0), 1, RS_PILE_LINE_PS - 1); /* not busy */
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_busy_devices(&b->v, RS_PILE_LINE_PS, devices, 2), 0);
	rs_vb_fire(b, shared, 1, 500);
	rs_vb_fire(b, line("12", "eth1", 1), 1, 500);
	rs_vb_tick(b);
	ck_assert_uint_eq(rs_busy_devices(&b->v, RS_PILE_LINE_PS, devices, 2), 2);
	ck_assert_uint_eq(devices[0], b->nics[1].info.ifindex);
	ck_assert_uint_eq(devices[1], b->nics[0].info.ifindex);
	/* More than there is room for are counted. */
	ck_assert_uint_eq(rs_busy_devices(&b->v, RS_PILE_LINE_PS, devices, 1), 2);
	rs_irq_pile_phrase(&b->v, 1, text, sizeof(text));
	ck_assert_str_eq(text, "every interrupt of eth1 and eth0 fires on core 1");
	ck_assert_ptr_nonnull(rs_irq_feed_of(&b->irqs[shared], b->nics[0].info.ifindex));
	ck_assert_ptr_null(rs_irq_feed_of(&b->irqs[shared], 99));
	ck_assert_int_eq(rs_irq_busiest_core(&b->irqs[shared]), 1);
}
END_TEST

START_TEST(feed_phrase_names_who_matters)
{
	const size_t a = line("30", "eth0", 2), c = line("31", "eth1", 0);

	ck_assert_str_eq(phrase(3), "packets without NIC interrupts (virtual interfaces or RPS)");
	rs_vb_fire(b, a, 3, 1000);
	ck_assert_str_eq(phrase(3), "eth0 queue 2");
	rs_vb_fire(b, c, 3, 90); /* below a tenth */
	ck_assert_str_eq(phrase(3), "eth0 queue 2");
	rs_vb_fire(b, c, 3, 400);
	ck_assert_str_eq(phrase(3), "eth0 queue 2 and eth1 queue 0");
	b->cores[3].rps_ps = 500;
	ck_assert_str_eq(phrase(3),
	    "eth0 queue 2 and eth1 queue 0 and packets handed over by other cores (RPS)");
	rs_vb_silence(b, a);
	rs_vb_silence(b, c);
	ck_assert_str_eq(phrase(3), "packets handed over by other cores (RPS)");
}
END_TEST

/* What was not read is not "none": then neither RPS nor a virtual interface is named. */
START_TEST(feed_phrase_blames_only_what_was_read)
{
	static const char unread[] = "a packet source that could not be read";
	char text[96];

	b->cores[3].rps_ps = NAN;
	ck_assert_str_eq(phrase(3), unread);
	rs_vb_core(b, 3, 0.5, 0.5);
	b->cores[3].processed_pps = NAN;
	ck_assert_str_eq(phrase(3), unread);
	rs_vb_core(b, 3, 0.5, 0.5);
	b->lacks_interrupts = true;
	ck_assert_str_eq(phrase(3), unread);
	rs_feed_phrase(&b->v, 77, text, sizeof(text));
	ck_assert_str_eq(text, unread);
	/* Handed over it was, whatever else there is. */
	b->cores[3].rps_ps = 500;
	ck_assert_str_eq(phrase(3), "packets handed over by other cores (RPS)");
}
END_TEST

START_TEST(feed_phrase_fits_its_space)
{
	char text[12];

	rs_vb_fire(b, line("30", "eth0", 2), 3, 1000);
	rs_vb_tick(b);
	rs_feed_phrase(&b->v, 3, text, sizeof(text));
	ck_assert_str_eq(text, "eth0 queue ");
}
END_TEST

START_TEST(feed_pile_is_the_busy_lines_together)
{
	struct rs_irq_pile p;

	rs_vb_fire(b, line("30", "eth0", 0), 2, 5000);
	rs_vb_fire(b, line("31", "eth0", 1), 2, 3000);
	const size_t third = line("32", "eth0", 2);
	rs_vb_fire(b, third, 0, 400);
	rs_vb_fire(b, line("33", "eth1", 0), 1, 99);
	rs_vb_tick(b);
	rs_irq_pile_of(&b->v, 100.0, &p);
	ck_assert_uint_eq(p.lines, 3);
	ck_assert_uint_eq(p.cpu, 2);
	ck_assert_double_eq(p.rate_ps, 8400);
	ck_assert_double_eq_tol(p.share, 8000.0 / 8400.0, 1e-12);
	ck_assert_uint_eq(p.ifindex, b->nics[0].info.ifindex);
	rs_irq_pile_of(&b->v, 50.0, &p);
	ck_assert_uint_eq(p.lines, 4);
	ck_assert_uint_eq(p.ifindex, 0);
	rs_irq_pile_of(&b->v, 10000.0, &p);
	ck_assert_uint_eq(p.lines, 0);
	ck_assert(isnan(p.share));
}
END_TEST

START_TEST(feed_pile_of_lines_without_a_value_is_none)
{
	struct rs_irq_pile p;

	b->irqs[line("30", "eth0", 0)].rate_ps = NAN;
	b->irqs[line("31", "eth0", 1)].rate_ps = NAN;
	rs_irq_pile_of(&b->v, 100.0, &p);
	ck_assert_uint_eq(p.lines, 0);
}
END_TEST

/* The core with more than half is found wherever its cells lie. */
START_TEST(feed_pile_finds_the_majority_in_any_order)
{
	struct rs_irq_pile p;
	size_t lines[8];
	char name[8];

	for (unsigned i = 0; i < 8; i++) {
		(void)snprintf(name, sizeof(name), "%u", 30 + i);
		lines[i] = line(name, "eth0", (int32_t)i);
	}
	for (unsigned winner = 0; winner < 4; winner++) {
		for (unsigned order = 0; order < 8; order++) {
			for (unsigned i = 0; i < 8; i++) {
				rs_vb_silence(b, lines[i]);
				/* Each core 40 or so a line, the winner 150. */
				for (unsigned k = 0; k < 4; k++) {
					const unsigned cpu = (k + order + i) % 4;
					rs_vb_fire(
					    b, lines[i], cpu, cpu == winner ? 150 : 30 + 2 * i + k);
				}
			}
			rs_irq_pile_of(&b->v, 100.0, &p);
			ck_assert_uint_eq(p.cpu, winner);
			ck_assert(p.share > 0.5);
		}
	}
}
END_TEST

START_TEST(feed_counts_cores_that_take_nic_interrupts)
{
	const size_t i = line("30", "eth0", 0);

	rs_vb_fire(b, i, 0, 100);
	rs_vb_fire(b, i, 1, 99);
	rs_vb_fire(b, i, 3, 5000);
	rs_vb_tick(b);
	ck_assert_double_eq(rs_feed_count_cores(&b->v), 2);
	b->cores[0].nic_interrupts_ps = NAN;
	ck_assert_double_eq(rs_feed_count_cores(&b->v), 1);
	for (unsigned k = 0; k < 4; k++)
		b->cores[k].nic_interrupts_ps = NAN;
	ck_assert(isnan(rs_feed_count_cores(&b->v)));
}
END_TEST

START_TEST(feed_pile_names_its_devices_as_long_as_they_fit)
{
	static const char *const names[] = {"eth2", "eth3", "eth4"};
	char text[160];

	rs_vb_tick(b);
	rs_irq_pile_phrase(&b->v, 3, text, sizeof(text));
	ck_assert_str_eq(text, "every NIC interrupt fires on core 3");
	rs_vb_fire(b, line("30", "eth1", 0), 3, 900);
	rs_vb_fire(b, line("31", "eth1", 1), 3, 900);
	rs_vb_tick(b);
	rs_irq_pile_phrase(&b->v, 3, text, sizeof(text));
	ck_assert_str_eq(text, "every interrupt of eth1 fires on core 3");
	rs_vb_fire(b, line("32", "eth0", 0), 3, 900);
	for (size_t i = 0; i < 2; i++) {
		(void)rs_vb_nic(b, names[i], 1000000000);
		rs_vb_fire(b, line("33", names[i], 0), 3, 900);
	}
	rs_vb_tick(b);
	rs_irq_pile_phrase(&b->v, 3, text, sizeof(text));
	ck_assert_str_eq(text, "every interrupt of eth1, eth0, eth2 and eth3 fires on core 3");
	(void)rs_vb_nic(b, names[2], 1000000000);
	rs_vb_fire(b, line("35", names[2], 0), 3, 900);
	rs_vb_tick(b);
	rs_irq_pile_phrase(&b->v, 3, text, sizeof(text));
	ck_assert_str_eq(text, "every NIC interrupt fires on core 3");
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("feed");
	TCase *tc = tcase_create("feed");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, feed_is_summed_by_device_busiest_first);
	tcase_add_test(tc, feed_pile_names_its_devices_as_long_as_they_fit);
	tcase_add_test(tc, feed_rx_and_tx_lines_of_a_queue_are_one_queue);
	tcase_add_test(tc, feed_leaves_out_control_and_foreign_lines);
	tcase_add_test(tc, feed_shared_line_counts_for_each_device_once);
	tcase_add_test(tc, busy_devices_are_those_of_shared_lines_too);
	tcase_add_test(tc, feed_phrase_names_who_matters);
	tcase_add_test(tc, feed_phrase_blames_only_what_was_read);
	tcase_add_test(tc, feed_phrase_fits_its_space);
	tcase_add_test(tc, feed_pile_is_the_busy_lines_together);
	tcase_add_test(tc, feed_pile_of_lines_without_a_value_is_none);
	tcase_add_test(tc, feed_pile_finds_the_majority_in_any_order);
	tcase_add_test(tc, feed_counts_cores_that_take_nic_interrupts);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

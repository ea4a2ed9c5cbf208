/* SPDX-License-Identifier: ISC */
/*
 * The model over made-up frames: births, deaths, hot-plug, renames, gaps,
 * wraps, the interrupt matrix, the head blocks.
 */
#include "model.h"
#include "rs_check.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define S RS_NS_PER_S

static struct rs_model *model;
static struct rs_frame *frame;
static rs_ns now; /* monotonic = boot clock in these tests */

static void
open_model(uint32_t max_series)
{
	const struct rs_model_conf c = {.interval_ns = S, .max_series = max_series, .n_blocks = 3};
	ck_assert_int_eq(rs_model_new(&c, &model), 0);
	ck_assert_int_eq(rs_frame_new(10000, &frame), 0);
	now = 600 * S;
}

static void
setup(void)
{
	open_model(500);
}

static void
teardown(void)
{
	rs_model_free(model);
	rs_frame_free(frame);
}

static void
begin_at(rs_ns mono, rs_ns boot)
{
	const struct rs_model_time t = {.mono_ns = mono,
	    .due_ns = mono,
	    .boot_ns = boot,
	    .wall_ms = 1800000000000 + now / 1000000,
	    .is_clock_ok = true};
	rs_model_begin(model, &t);
	rs_frame_reset(frame, now);
}

static void
begin(void)
{
	begin_at(now, now);
}

static struct rs_block *
end(void)
{
	rs_model_build_view(model);
	struct rs_block *const b = rs_model_end(model);
	now += S;
	return b;
}

static void
apply(void)
{
	rs_model_apply(model, frame);
	rs_frame_reset(frame, now);
}

static void
see_cpus(unsigned a, unsigned b)
{
	frame->has_cpus_seen = true;
	for (unsigned cpu = a; cpu <= b; cpu++)
		rs_cpuset_add(&frame->cpus_seen, cpu);
}

static const struct rs_core_view *
core(unsigned cpu)
{
	const struct rs_core_view *const c = rs_view_core(rs_model_view(model), cpu);
	ck_assert_ptr_nonnull(c);
	return c;
}

#define assert_near(a, b) ck_assert_msg(fabs((a) - (b)) < 1e-9, "%f, not %f", (a), (b))
#define assert_none(a) ck_assert_msg(isnan(a), "%f, but there is no value", (a))

START_TEST(the_first_reading_has_no_rate)
{
	begin();
	see_cpus(0, 0);
	rs_put(frame, RS_M_CPU_USER, 0, 1000);
	apply();
	end();
	assert_none(core(0)->user);
	ck_assert(!rs_model_view(model)->has_rates);
}
END_TEST

START_TEST(rates_divide_by_measured_time)
{
	begin();
	see_cpus(0, 0);
	rs_put(frame, RS_M_CPU_USER, 0, 1000);
	apply();
	end();
	now += S / 2; /* the tick comes half a second late */
	begin();
	see_cpus(0, 0);
	rs_put(frame, RS_M_CPU_USER, 0, 1075);
	apply();
	end();
	assert_near(core(0)->user, 0.5);
}
END_TEST

START_TEST(a_gap_of_over_two_and_a_half_periods_has_no_value)
{
	for (int i = 0; i < 2; i++) {
		begin();
		see_cpus(0, 0);
		rs_put(frame, RS_M_SOFTNET_PROCESSED, 0, 100u * (unsigned)i);
		apply();
		end();
		now += 2 * S;
	}
	assert_none(core(0)->processed_pps);
	struct rs_model_stats st;
	rs_model_get_stats(model, &st);
	ck_assert_uint_eq(st.gaps, 1);
}
END_TEST

START_TEST(a_source_that_was_not_read_has_no_value)
{
	for (unsigned i = 0; i < 3; i++) {
		begin();
		see_cpus(0, 0);
		if (i < 2)
			rs_put(frame, RS_M_SOFTNET_PROCESSED, 0, 100 * i);
		apply();
		end();
		if (i == 1)
			assert_near(core(0)->processed_pps, 100.0);
	}
	assert_none(core(0)->processed_pps);
}
END_TEST

START_TEST(a_source_that_missed_a_tick_has_no_value_in_the_next)
{
	for (unsigned i = 0; i < 4; i++) {
		begin();
		see_cpus(0, 0);
		if (i != 1)
			rs_put(frame, RS_M_SOFTNET_PROCESSED, 0, 100 * i);
		apply();
		end();
		if (i == 2)
			assert_none(core(0)->processed_pps);
	}
	assert_near(core(0)->processed_pps, 100.0);
}
END_TEST

START_TEST(a_core_that_leaves_and_returns_starts_anew)
{
	static const unsigned last[] = {1, 1, 0, 1, 1};
	double seen[5];
	for (unsigned i = 0; i < 5; i++) {
		begin();
		see_cpus(0, last[i]);
		/* the counts of a core go on as if it had not been away; files over
		 * possible cores list it all the time */
		for (unsigned cpu = 0; cpu < 2; cpu++)
			rs_put(frame, RS_M_SOFTIRQ_NET_RX, cpu, 1000 + 50 * i);
		apply();
		end();
		seen[i] = core(1)->net_rx_ps;
		ck_assert_int_eq(core(1)->is_online, last[i] == 1);
	}
	assert_none(seen[0]);
	assert_near(seen[1], 50.0);
	assert_none(seen[2]);
	assert_none(seen[3]);
	assert_near(seen[4], 50.0);
	assert_near(core(0)->net_rx_ps, 50.0);
}
END_TEST

START_TEST(cores_are_known_by_number_not_position)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		frame->has_cpus_seen = true;
		rs_cpuset_add(&frame->cpus_seen, 0);
		rs_cpuset_add(&frame->cpus_seen, 7);
		rs_put(frame, RS_M_CPU_SYSTEM, 7, 100 + 30 * i);
		apply();
		end();
	}
	ck_assert_uint_eq(rs_model_view(model)->n_cores, 2);
	assert_near(core(7)->system, 0.3);
	assert_none(core(0)->system);
}
END_TEST

START_TEST(possible_cores_are_listed_offline)
{
	begin();
	see_cpus(0, 1);
	frame->cpus.is_present = frame->cpus.has_possible = true;
	rs_cpuset_zero(&frame->cpus.possible);
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rs_cpuset_add(&frame->cpus.possible, cpu);
	apply();
	end();
	ck_assert_uint_eq(rs_model_view(model)->n_cores, 4);
	ck_assert(core(1)->is_online);
	ck_assert(!core(3)->is_online);
}
END_TEST

/* ------------------------------------------------------------ interfaces */

static void
list_nic(uint32_t ifindex, const char *name)
{
	frame->has_nics = true;
	struct rs_nic_info *const n = rs_frame_nic(frame);
	n->ifindex = ifindex;
	(void)snprintf(n->name, sizeof(n->name), "%s", name);
}

static double
rx_bps(const char *name)
{
	const struct rs_view *const v = rs_model_view(model);
	for (size_t i = 0; i < v->n_nics; i++) {
		if (strcmp(v->nics[i].info.name, name) == 0)
			return v->nics[i].rx_bps;
	}
	return -1;
}

static void
nic_tick(uint32_t ifindex, const char *name, uint64_t bytes)
{
	begin();
	list_nic(ifindex, name);
	rs_put(frame, RS_M_NIC_RX_BYTES, ifindex, bytes);
	apply();
	end();
}

START_TEST(a_renamed_interface_keeps_its_counters)
{
	nic_tick(4, "eth0", 1000);
	nic_tick(4, "eth0", 2000);
	assert_near(rx_bps("eth0"), 8000.0);
	nic_tick(4, "wan", 4000);
	assert_near(rx_bps("wan"), 16000.0);
	ck_assert_double_eq(rx_bps("eth0"), -1);
}
END_TEST

START_TEST(an_interface_reborn_under_its_name_starts_anew)
{
	nic_tick(4, "ppp0", 1000000);
	nic_tick(4, "ppp0", 1001000);
	nic_tick(5, "ppp0", 500);
	assert_none(rx_bps("ppp0"));
	nic_tick(5, "ppp0", 1500);
	assert_near(rx_bps("ppp0"), 8000.0);
}
END_TEST

START_TEST(counters_set_back_are_a_gap)
{
	nic_tick(4, "eth0", 5000);
	nic_tick(4, "eth0", 10);
	assert_none(rx_bps("eth0"));
	nic_tick(4, "eth0", 1010);
	assert_near(rx_bps("eth0"), 8000.0);
}
END_TEST

START_TEST(an_interface_without_description_asks_for_one)
{
	begin();
	rs_put(frame, RS_M_NIC_RX_BYTES, 9, 1);
	apply();
	ck_assert(rs_model_wants_interfaces(model));
	end();
	ck_assert_uint_eq(rs_model_view(model)->n_nics, 0);
	nic_tick(9, "vlan7", 2);
	ck_assert(!rs_model_wants_interfaces(model));
	ck_assert_uint_eq(rs_model_view(model)->n_nics, 1);
}
END_TEST

START_TEST(an_interface_the_counters_no_longer_list_is_gone)
{
	begin();
	list_nic(4, "eth0");
	list_nic(5, "eth1");
	rs_put(frame, RS_M_NIC_RX_BYTES, 4, 1);
	rs_put(frame, RS_M_NIC_RX_BYTES, 5, 1);
	apply();
	end();
	begin();
	rs_put(frame, RS_M_NIC_RX_BYTES, 4, 2);
	apply();
	end();
	ck_assert_uint_eq(rs_model_view(model)->n_nics, 1);
	ck_assert_double_eq(rx_bps("eth1"), -1);
}
END_TEST

START_TEST(sums_count_physical_interfaces_once)
{
	for (uint64_t i = 0; i < 2; i++) {
		begin();
		list_nic(1, "lo");
		frame->nics[0].is_loopback = true;
		list_nic(2, "eth0");
		frame->nics[1].is_physical = true;
		list_nic(3, "eth0.7");
		frame->nics[2].is_master_or_stacked = true;
		list_nic(4, "veth1");
		for (uint32_t n = 1; n <= 4; n++)
			rs_put(frame, RS_M_NIC_RX_BYTES, n, 1000 * i);
		apply();
		end();
	}
	assert_near(rs_model_view(model)->rx_bps, 8000.0);
}
END_TEST

START_TEST(without_physical_interfaces_all_but_loopback_count)
{
	for (uint64_t i = 0; i < 2; i++) {
		begin();
		list_nic(1, "lo");
		frame->nics[0].is_loopback = true;
		list_nic(2, "veth0");
		list_nic(3, "veth1");
		for (uint32_t n = 1; n <= 3; n++)
			rs_put(frame, RS_M_NIC_RX_BYTES, n, 1000 * i);
		apply();
		end();
	}
	assert_near(rs_model_view(model)->rx_bps, 16000.0);
}
END_TEST

START_TEST(utilization_counts_what_is_on_the_wire)
{
	/* 81274 frames of 1514 bytes are 987 Mbit/s of bytes, 1 Gbit/s of wire. */
	for (uint64_t i = 0; i < 2; i++) {
		begin();
		list_nic(2, "eth0");
		frame->nics[0].speed_bps = 1000000000;
		rs_put(frame, RS_M_NIC_RX_BYTES, 2, i * 81274u * 1514u);
		rs_put(frame, RS_M_NIC_RX_PACKETS, 2, i * 81274u);
		apply();
		end();
	}
	ck_assert_double_eq_tol(rs_model_view(model)->nics[0].rx_utilization, 1.0, 0.001);
}
END_TEST

/* ------------------------------------------------------------ interrupts */

static const char *irq_rest[8];
static const char *irq_name[8];

static void
name_line(unsigned row, const char *name, const char *rest)
{
	irq_name[row] = name;
	irq_rest[row] = rest;
}

static void
irqs(unsigned rows, unsigned cpus, const uint16_t *cpu, const uint32_t *cells)
{
	frame->irqs.is_present = true;
	ck_assert(rs_frame_irq_columns(frame, cpus));
	memcpy(frame->irqs.cpu, cpu, cpus * sizeof(*cpu));
	for (unsigned r = 0; r < rows; r++) {
		struct rs_irq_row *const row = rs_frame_irq_row(frame);
		row->name = rs_text_of(irq_name[r]);
		row->rest = rs_text_of(irq_rest[r]);
		row->is_numbered = true;
		row->cells = cpus;
		memcpy(
		    &frame->irqs.cells[row->first_cell], &cells[r * cpus], cpus * sizeof(*cells));
	}
}

static void
irq_tick(unsigned rows, unsigned cpus, const uint16_t *cpu, const uint32_t *cells)
{
	begin();
	irqs(rows, cpus, cpu, cells);
	apply();
	end();
}

static const uint16_t both[] = {0, 1};

START_TEST(moved_cells_are_listed_and_summed)
{
	name_line(0, "30", "PCI-MSI 1-edge eth0-TxRx-0");
	name_line(1, "31", "PCI-MSI 2-edge ahci");
	irq_tick(2, 2, both, (const uint32_t[]){10, 0, 5, 5});
	irq_tick(2, 2, both, (const uint32_t[]){10, 300, 5, 6});
	const struct rs_view *const v = rs_model_view(model);
	ck_assert_uint_eq(v->n_irqs, 2);
	assert_near(v->irqs[0].rate_ps, 300.0);
	ck_assert_uint_eq(v->irqs[0].n_cells, 1);
	ck_assert_uint_eq(v->irqs[0].cells[0].cpu, 1);
	assert_near(v->irqs[0].cells[0].rate_ps, 300.0);
	assert_near(core(1)->interrupts_ps, 301.0);
	assert_near(core(0)->interrupts_ps, 0.0);
}
END_TEST

START_TEST(interrupt_counts_wrap_at_32_bits)
{
	name_line(0, "30", "x");
	irq_tick(1, 2, both, (const uint32_t[]){UINT32_MAX - 49, 0});
	irq_tick(1, 2, both, (const uint32_t[]){50, 0});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 100.0);
}
END_TEST

START_TEST(a_line_set_back_has_no_value)
{
	name_line(0, "30", "x");
	irq_tick(1, 2, both, (const uint32_t[]){3000000000u, 10});
	irq_tick(1, 2, both, (const uint32_t[]){0, 20});
	assert_none(rs_model_view(model)->irqs[0].rate_ps);
	ck_assert_uint_eq(rs_model_view(model)->irqs[0].n_cells, 0);
	irq_tick(1, 2, both, (const uint32_t[]){7, 20});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 7.0);
}
END_TEST

START_TEST(lines_that_come_and_go_do_not_shift_the_others)
{
	name_line(0, "30", "a");
	name_line(1, "32", "c");
	irq_tick(2, 2, both, (const uint32_t[]){100, 0, 700, 0});
	name_line(1, "31", "b");
	name_line(2, "32", "c");
	irq_tick(3, 2, both, (const uint32_t[]){101, 0, 5000, 0, 702, 0});
	const struct rs_view *const v = rs_model_view(model);
	assert_near(v->irqs[0].rate_ps, 1.0);
	assert_none(v->irqs[1].rate_ps);
	assert_near(v->irqs[2].rate_ps, 2.0);
	name_line(0, "31", "b");
	name_line(1, "32", "c");
	irq_tick(2, 2, both, (const uint32_t[]){5003, 0, 706, 0});
	assert_near(v->irqs[0].rate_ps, 3.0);
	assert_near(v->irqs[1].rate_ps, 4.0);
}
END_TEST

START_TEST(a_number_given_to_another_device_starts_anew)
{
	name_line(0, "30", "PCI-MSI 1-edge eth0");
	irq_tick(1, 2, both, (const uint32_t[]){1000, 0});
	irq_rest[0] = "PCI-MSI 1-edge eth1";
	irq_tick(1, 2, both, (const uint32_t[]){1010, 0});
	assert_none(rs_model_view(model)->irqs[0].rate_ps);
	irq_tick(1, 2, both, (const uint32_t[]){1030, 0});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 20.0);
}
END_TEST

START_TEST(interrupts_not_read_in_a_tick_have_no_value_in_the_next)
{
	name_line(0, "30", "x");
	irq_tick(1, 2, both, (const uint32_t[]){10, 0});
	begin();
	end();
	irq_tick(1, 2, both, (const uint32_t[]){30, 0});
	assert_none(rs_model_view(model)->irqs[0].rate_ps);
	irq_tick(1, 2, both, (const uint32_t[]){40, 0});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 10.0);
}
END_TEST

START_TEST(two_rows_of_one_name_stay_apart)
{
	irq_name[0] = irq_name[1] = "9";
	irq_rest[0] = irq_rest[1] = "same";
	irq_tick(2, 2, both, (const uint32_t[]){1, 0, 1000, 0});
	irq_tick(2, 2, both, (const uint32_t[]){2, 0, 1010, 0});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 1.0);
	assert_near(rs_model_view(model)->irqs[1].rate_ps, 10.0);
}
END_TEST

START_TEST(columns_that_change_give_no_rates_for_one_tick)
{
	static const uint16_t odd[] = {0, 2};
	name_line(0, "30", "x");
	irq_tick(1, 2, both, (const uint32_t[]){10, 20});
	irq_tick(1, 2, odd, (const uint32_t[]){11, 5000});
	assert_none(rs_model_view(model)->irqs[0].rate_ps);
	irq_tick(1, 2, odd, (const uint32_t[]){12, 5003});
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 4.0);
	assert_near(core(2)->interrupts_ps, 3.0);
}
END_TEST

START_TEST(a_count_of_the_whole_machine_names_no_core)
{
	for (uint32_t i = 0; i < 2; i++) {
		begin();
		name_line(0, "ERR", "");
		irqs(1, 2, both, (const uint32_t[]){5 * i, 0});
		frame->irqs.rows[0].cells = 1;
		frame->irqs.rows[0].is_numbered = false;
		apply();
		end();
	}
	assert_near(rs_model_view(model)->irqs[0].rate_ps, 5.0);
	ck_assert_uint_eq(rs_model_view(model)->irqs[0].n_cells, 0);
	assert_near(core(0)->interrupts_ps, 0.0);
}
END_TEST

START_TEST(a_bare_name_beside_numbered_lines_is_no_queue)
{
	for (unsigned rows = 1; rows <= 2; rows++) {
		begin();
		list_nic(3, "eth0");
		name_line(0, "30", "PCI-MSI-edge      eth0");
		name_line(1, "31", "PCI-MSI-edge      eth0-TxRx-0");
		irqs(rows, 2, both, (const uint32_t[]){0, 0, 0, 0});
		apply();
		end();
		ck_assert_int_eq(rs_model_view(model)->irqs[0].is_nic_queue, rows == 1);
	}
	ck_assert(rs_model_view(model)->irqs[1].is_nic_queue);
}
END_TEST

START_TEST(a_line_feeds_the_nic_sums_of_its_core)
{
	for (uint32_t i = 0; i < 2; i++) {
		begin();
		list_nic(3, "eth0");
		name_line(0, "30", "PCI-MSI-edge      eth0-TxRx-0");
		name_line(1, "31", "PCI-MSI-edge      ahci");
		irqs(2, 2, both, (const uint32_t[]){0, 200 * i, 0, 900 * i});
		apply();
		end();
	}
	assert_near(core(1)->nic_interrupts_ps, 200.0);
	assert_near(core(1)->interrupts_ps, 1100.0);
	ck_assert(rs_model_view(model)->irqs[0].is_nic_queue);
	ck_assert(!rs_model_view(model)->irqs[1].is_nic_queue);
}
END_TEST

/* ------------------------------------------------------------ limits, blocks */

static struct rs_block *
user_tick(uint64_t raw)
{
	begin();
	see_cpus(0, 0);
	rs_put(frame, RS_M_CPU_USER, 0, raw);
	apply();
	return end();
}

START_TEST(beyond_the_limit_history_is_refused_but_everything_is_seen)
{
	teardown();
	open_model(64);
	for (unsigned i = 0; i < 2; i++) {
		begin();
		see_cpus(0, 99);
		for (unsigned cpu = 0; cpu < 100; cpu++)
			rs_put(frame, RS_M_CPU_USER, cpu, 50 * i);
		apply();
		rs_model_build_view(model);
		for (unsigned cpu = 0; cpu < 8; cpu++)
			rs_model_put(model, RS_M_CORE_PACKET_LOAD, cpu, 0.5);
		(void)rs_model_end(model);
		now += S;
	}
	assert_near(core(99)->user, 0.5);
	struct rs_model_stats st;
	rs_model_get_stats(model, &st);
	/* 85 % of 64 for the times, the rest for the loads */
	ck_assert_uint_eq(st.series, 54 + 8);
	ck_assert_uint_eq(st.series_refused, 46);
	struct rs_block *const b = rs_model_flush(model);
	unsigned loads = 0;
	for (uint32_t i = 0; i < b->n_series; i++)
		loads += b->series[i].metric == RS_M_CORE_PACKET_LOAD;
	ck_assert_uint_eq(loads, 8);
}
END_TEST

START_TEST(a_minute_that_was_not_written_is_offered_again)
{
	struct rs_block *b = NULL;
	for (uint64_t i = 0; i <= 60; i++)
		b = user_tick(i);
	ck_assert_ptr_nonnull(b);
	ck_assert_ptr_null(rs_model_retry(model));
	rs_model_block_done(model, b, false);
	ck_assert_ptr_eq(rs_model_retry(model), b);
	ck_assert_ptr_null(rs_model_retry(model)); /* it is with the store now */
	rs_model_block_done(model, b, true);
	ck_assert_ptr_null(rs_model_retry(model));
	struct rs_model_stats st;
	rs_model_get_stats(model, &st);
	ck_assert_uint_eq(st.blocks_dropped, 0);
}
END_TEST

START_TEST(after_a_suspend_two_ticks_may_meet_in_a_slot_and_the_later_one_stays)
{
	(void)user_tick(0);
	(void)user_tick(10);
	/* the boot clock falls back by a tick: not a thing clocks do, but slots may meet */
	begin_at(now, now - S);
	see_cpus(0, 0);
	rs_put(frame, RS_M_CPU_SYSTEM, 0, 5);
	apply();
	(void)end();
	struct rs_block *const b = rs_model_flush(model);
	int64_t v;
	ck_assert(!rs_block_get(b, 0, 1, &v));
	ck_assert(b->has_tick[1]);
}
END_TEST

START_TEST(jitter_between_the_clocks_does_not_move_a_tick)
{
	/* The boot clock is 599.999999 s ahead: a hair of jitter crosses the slot. */
	static const rs_ns jitter[] = {0, 2000, -900, 500, 0};
	for (unsigned i = 0; i < RS_ARRAY_LEN(jitter); i++) {
		begin_at(now, now + 600 * S - 1000 + RS_MAX(jitter[i], 0));
		see_cpus(0, 0);
		apply();
		(void)end();
	}
	struct rs_block *const b = rs_model_flush(model);
	unsigned ticks = 0;
	for (uint32_t t = 0; t < b->ticks; t++)
		ticks += b->has_tick[t];
	ck_assert_uint_ge(ticks, 4);
}
END_TEST

START_TEST(without_proc_stat_others_tell_who_is_online)
{
	irq_tick(0, 2, both, NULL);
	ck_assert(core(1)->is_online);
	begin();
	frame->cpus.is_present = frame->cpus.has_online = true;
	rs_cpuset_zero(&frame->cpus.online);
	rs_cpuset_add(&frame->cpus.online, 0);
	apply();
	end();
	ck_assert(!core(1)->is_online);
	begin();
	see_cpus(0, 1);
	apply();
	end();
	ck_assert(core(1)->is_online);
}
END_TEST

START_TEST(where_devices_are_known_virtual_interfaces_own_no_line)
{
	begin();
	list_nic(3, "eth0");
	list_nic(4, "veth0");
	(void)snprintf(frame->nics[0].device, sizeof(frame->nics[0].device), "0000:01:00.0");
	name_line(0, "30", "PCI-MSI-edge      eth0-TxRx-0");
	name_line(1, "31", "PCI-MSI-edge      veth0");
	irqs(2, 2, both, (const uint32_t[]){0, 0, 0, 0});
	apply();
	end();
	ck_assert_uint_eq(rs_model_view(model)->irqs[0].n_feeds, 1);
	ck_assert_uint_eq(rs_model_view(model)->irqs[1].n_feeds, 0);
}
END_TEST

START_TEST(interfaces_that_come_and_go_for_ever_do_not_use_series_up)
{
	teardown();
	open_model(64);
	for (uint32_t i = 1; i < 2000; i++) {
		char name[16];
		(void)snprintf(name, sizeof(name), "veth%u", i);
		nic_tick(i, name, 1);
		now += 10 * S; /* a minute ends now and then: slots become free */
	}
	struct rs_model_stats st;
	rs_model_get_stats(model, &st);
	ck_assert_uint_eq(st.series_refused, 0);
	ck_assert_uint_le(st.series, 2);
}
END_TEST

START_TEST(a_minute_is_handed_over_when_the_next_begins)
{
	struct rs_block *b = NULL;
	for (uint64_t i = 0; i < 60; i++)
		ck_assert_ptr_null(user_tick(10 * i));
	b = user_tick(600);
	ck_assert_ptr_nonnull(b);
	ck_assert_int_eq(b->minute, 10);
	ck_assert_uint_eq(b->n_series, 1);
	ck_assert_uint_eq(b->series[0].metric, RS_M_CPU_USER);
	ck_assert_int_eq(b->series[0].labels.cpu, 0);
	int64_t v = 0;
	ck_assert(!rs_block_get(b, 0, 0, &v));
	for (uint32_t t = 1; t < 60; t++) {
		ck_assert(rs_block_get(b, 0, t, &v));
		ck_assert_int_eq(v, 10);
		ck_assert_uint_eq(b->length_us[t], 1000000);
	}
	ck_assert(b->is_with_store);
	ck_assert(b->wall_offset_ms == 1800000000000);
	const struct rs_block *held[4];
	ck_assert_uint_eq(rs_model_blocks(model, held, 4), 2);
	ck_assert_ptr_eq(held[0], b);
	ck_assert_int_eq(held[1]->minute, 11);
	rs_model_block_done(model, b, true);
}
END_TEST

START_TEST(a_store_that_keeps_all_blocks_costs_minutes_not_the_present)
{
	struct rs_block *held[8];
	unsigned n = 0;
	for (uint64_t i = 0; i < 600; i++) {
		struct rs_block *const b = user_tick(i);
		if (b)
			held[n++] = b;
	}
	/* three blocks: one is written, two are at the store */
	ck_assert_uint_eq(n, 2);
	struct rs_model_stats st;
	rs_model_get_stats(model, &st);
	ck_assert_uint_eq(st.blocks_dropped, 7);
	assert_near(core(0)->user, 0.01);
	rs_model_block_done(model, held[0], true);
	for (uint64_t i = 600; i < 661 && n < 3; i++) {
		struct rs_block *const b = user_tick(i);
		if (b)
			held[n++] = b;
	}
	ck_assert_uint_eq(n, 3);
}
END_TEST

START_TEST(the_unfinished_minute_can_be_flushed)
{
	(void)user_tick(0);
	(void)user_tick(50);
	struct rs_block *const b = rs_model_flush(model);
	ck_assert_ptr_nonnull(b);
	int64_t v;
	ck_assert(rs_block_get(b, 0, 1, &v));
	ck_assert_int_eq(v, 50);
	ck_assert(!b->has_tick[2]);
	ck_assert_ptr_null(rs_model_flush(model));
}
END_TEST

START_TEST(derived_levels_are_stored_scaled)
{
	begin();
	see_cpus(0, 0);
	apply();
	rs_model_build_view(model);
	rs_model_put(model, RS_M_CORE_PACKET_LOAD, 0, 0.98765);
	rs_model_put(model, RS_M_CORE_BUSY, 0, NAN);
	(void)rs_model_end(model);
	struct rs_block *const b = rs_model_flush(model);
	ck_assert_uint_eq(b->n_series, 1);
	int64_t v;
	ck_assert(rs_block_get(b, 0, 0, &v));
	ck_assert_int_eq(v, 9877);
}
END_TEST

START_TEST(accounting_is_told_from_counts_when_the_kernel_does_not_say)
{
	name_line(0, "30", "x");
	begin();
	see_cpus(0, 1);
	rs_put(frame, RS_M_CPU_IRQ, 0, 0);
	irqs(1, 2, both, (const uint32_t[]){500000, 0});
	apply();
	end();
	ck_assert_int_eq(rs_model_view(model)->accounting, RS_ACCOUNTING_TICK);
	teardown();
	setup();
	begin();
	see_cpus(0, 1);
	rs_put(frame, RS_M_CPU_IRQ, 0, 400);
	irqs(1, 2, both, (const uint32_t[]){500000, 0});
	apply();
	end();
	ck_assert_int_eq(rs_model_view(model)->accounting, RS_ACCOUNTING_PRECISE);
}
END_TEST

/* ------------------------------------------------------------ slow sources */

/* A tick in which the clock of core 0 is read every five ticks, up to `last`. */
static void
clock_tick(unsigned i, unsigned last)
{
	begin();
	see_cpus(0, 0);
	if (i % 5 == 0 && i <= last) {
		rs_put_paced(frame, RS_M_CORE_FREQ, 0, 2000000000 + 1000000 * i, 5);
		rs_put_paced(frame, RS_M_TEMPERATURE, 0, 50000 + 100 * i, 5);
		frame->is_freq_measured = i == 5;
	}
	apply();
	end();
}

START_TEST(the_level_of_a_slow_source_stands_until_it_is_late)
{
	for (unsigned i = 0; i < 19; i++) {
		clock_tick(i, 5);
		const unsigned read = i < 5 ? 0 : 5;
		/* 2.5 times its period after the last reading it is not believed. */
		if (i <= 5 + 12) {
			assert_near(core(0)->freq_hz, 2e9 + 1e6 * read);
			assert_near(rs_model_view(model)->temperature_celsius, 50.0 + 0.1 * read);
			ck_assert_int_eq(core(0)->is_freq_measured, read == 5);
		} else {
			assert_none(core(0)->freq_hz);
			assert_none(rs_model_view(model)->temperature_celsius);
		}
	}
	/* History has it in each of those ticks. */
	const struct rs_block *const b = rs_model_flush(model);
	int64_t v;
	ck_assert(rs_block_get(b, 0, 3, &v));
	ck_assert_int_eq(v, 2000000000);
	ck_assert(rs_block_get(b, 0, 17, &v));
	ck_assert_int_eq(v, 2005000000);
	ck_assert(!rs_block_get(b, 0, 18, &v));
}
END_TEST

static void
connections_tick(unsigned i)
{
	begin();
	see_cpus(0, 0);
	if (i % 2 == 0) {
		rs_put_paced(frame, RS_M_CONNTRACK_ENTRIES, 0, 1000 + i, 2);
		rs_put_paced(frame, RS_M_CONNTRACK_DROPPED, 0, 10 * i, 2);
		rs_put_paced(frame, RS_M_CONNTRACK_EARLY_DROPS, 0, 20 * i, 2);
		rs_put_paced(frame, RS_M_CONNTRACK_INSERT_FAILED, 0, UINT32_MAX - 30 + 30 * i, 2);
	}
	apply();
	end();
}

START_TEST(the_table_of_connections_is_in_the_view)
{
	const struct rs_view *const v = rs_model_view(model);
	connections_tick(0);
	assert_near(v->conntrack_entries, 1000.0);
	assert_none(v->conntrack_dropped_pps);
	for (unsigned i = 1; i < 5; i++)
		connections_tick(i);
	assert_near(v->conntrack_entries, 1004.0);
	assert_near(v->conntrack_dropped_pps, 10.0);
	assert_near(v->conntrack_early_drops_ps, 20.0);
	assert_near(v->conntrack_insert_failed_ps, 30.0); /* through the end of its width */
}
END_TEST

START_TEST(a_level_read_each_tick_does_not_stand)
{
	begin();
	see_cpus(0, 0);
	rs_put(frame, RS_M_SOFTNET_BACKLOG, 0, 7);
	apply();
	end();
	assert_near(core(0)->backlog, 7.0);
	begin();
	see_cpus(0, 0);
	apply();
	end();
	assert_none(core(0)->backlog);
}
END_TEST

START_TEST(what_a_slow_source_said_of_a_core_ends_with_it)
{
	clock_tick(0, 0);
	assert_near(core(0)->freq_hz, 2e9);
	begin();
	see_cpus(1, 1);
	apply();
	end();
	clock_tick(1, 0);
	assert_none(core(0)->freq_hz);
}
END_TEST

START_TEST(throttling_counted_by_a_slow_source_has_a_rate)
{
	for (unsigned i = 0; i < 12; i++) {
		begin();
		see_cpus(0, 0);
		if (i % 5 == 0)
			rs_put_paced(frame, RS_M_CORE_THROTTLED, 0, 1000 + 3 * i, 5);
		apply();
		end();
		if (i < 5)
			assert_none(core(0)->throttled_ps);
		else
			assert_near(core(0)->throttled_ps, 3.0);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("model");
	TCase *const t = tcase_create("model");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_first_reading_has_no_rate);
	tcase_add_test(t, rates_divide_by_measured_time);
	tcase_add_test(t, a_gap_of_over_two_and_a_half_periods_has_no_value);
	tcase_add_test(t, a_source_that_was_not_read_has_no_value);
	tcase_add_test(t, a_source_that_missed_a_tick_has_no_value_in_the_next);
	tcase_add_test(t, interrupts_not_read_in_a_tick_have_no_value_in_the_next);
	tcase_add_test(t, a_core_that_leaves_and_returns_starts_anew);
	tcase_add_test(t, cores_are_known_by_number_not_position);
	tcase_add_test(t, possible_cores_are_listed_offline);
	tcase_add_test(t, a_renamed_interface_keeps_its_counters);
	tcase_add_test(t, an_interface_reborn_under_its_name_starts_anew);
	tcase_add_test(t, counters_set_back_are_a_gap);
	tcase_add_test(t, an_interface_without_description_asks_for_one);
	tcase_add_test(t, an_interface_the_counters_no_longer_list_is_gone);
	tcase_add_test(t, sums_count_physical_interfaces_once);
	tcase_add_test(t, without_physical_interfaces_all_but_loopback_count);
	tcase_add_test(t, utilization_counts_what_is_on_the_wire);
	tcase_add_test(t, moved_cells_are_listed_and_summed);
	tcase_add_test(t, interrupt_counts_wrap_at_32_bits);
	tcase_add_test(t, a_line_set_back_has_no_value);
	tcase_add_test(t, lines_that_come_and_go_do_not_shift_the_others);
	tcase_add_test(t, a_number_given_to_another_device_starts_anew);
	tcase_add_test(t, two_rows_of_one_name_stay_apart);
	tcase_add_test(t, columns_that_change_give_no_rates_for_one_tick);
	tcase_add_test(t, a_count_of_the_whole_machine_names_no_core);
	tcase_add_test(t, a_bare_name_beside_numbered_lines_is_no_queue);
	tcase_add_test(t, a_line_feeds_the_nic_sums_of_its_core);
	tcase_add_test(t, beyond_the_limit_history_is_refused_but_everything_is_seen);
	tcase_add_test(t, a_minute_that_was_not_written_is_offered_again);
	tcase_add_test(t, after_a_suspend_two_ticks_may_meet_in_a_slot_and_the_later_one_stays);
	tcase_add_test(t, jitter_between_the_clocks_does_not_move_a_tick);
	tcase_add_test(t, without_proc_stat_others_tell_who_is_online);
	tcase_add_test(t, where_devices_are_known_virtual_interfaces_own_no_line);
	tcase_add_test(t, interfaces_that_come_and_go_for_ever_do_not_use_series_up);
	tcase_add_test(t, a_minute_is_handed_over_when_the_next_begins);
	tcase_add_test(t, a_store_that_keeps_all_blocks_costs_minutes_not_the_present);
	tcase_add_test(t, the_unfinished_minute_can_be_flushed);
	tcase_add_test(t, derived_levels_are_stored_scaled);
	tcase_add_test(t, accounting_is_told_from_counts_when_the_kernel_does_not_say);
	tcase_add_test(t, the_level_of_a_slow_source_stands_until_it_is_late);
	tcase_add_test(t, the_table_of_connections_is_in_the_view);
	tcase_add_test(t, a_level_read_each_tick_does_not_stand);
	tcase_add_test(t, what_a_slow_source_said_of_a_core_ends_with_it);
	tcase_add_test(t, throttling_counted_by_a_slow_source_has_a_rate);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

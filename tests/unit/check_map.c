/* SPDX-License-Identifier: ISC */
/*
 * Queues, NAPI instances, threads and settings in the model, over made-up
 * frames.
 */
#include "irqname.h"
#include "model.h"
#include "rs_check.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define S RS_NS_PER_S

static struct rs_model *model;
static struct rs_frame *frame;
static rs_ns now;

static void
setup(void)
{
	const struct rs_model_conf c = {.interval_ns = S, .max_series = 500, .n_blocks = 3};
	ck_assert_int_eq(rs_model_new(&c, &model), 0);
	ck_assert_int_eq(rs_frame_new(10000, &frame), 0);
	now = 600 * S;
}

static void
teardown(void)
{
	rs_model_free(model);
	rs_frame_free(frame);
}

static void
begin(void)
{
	const struct rs_model_time t = {.mono_ns = now,
	    .due_ns = now,
	    .boot_ns = now,
	    .wall_ms = 1800000000000 + now / 1000000,
	    .is_clock_ok = true};
	rs_model_begin(model, &t);
	rs_frame_reset(frame, now);
}

static void
apply(void)
{
	rs_model_apply(model, frame);
	rs_frame_reset(frame, now);
}

static const struct rs_view *
end(void)
{
	rs_model_build_view(model);
	(void)rs_model_end(model);
	now += S;
	return rs_model_view(model);
}

static struct rs_nic_info *
describe(uint32_t ifindex, const char *name, int rx_queues, int tx_queues)
{
	struct rs_nic_info *const n = rs_frame_nic(frame);
	n->ifindex = ifindex;
	(void)snprintf(n->name, sizeof(n->name), "%s", name);
	(void)snprintf(n->device, sizeof(n->device), "0000:0%u:00.0", ifindex % 10);
	n->is_physical = true;
	n->rx_queues = rx_queues;
	n->tx_queues = tx_queues;
	frame->has_nics = true;
	return n;
}

static void
put_origin(uint32_t ifindex, uint8_t pace_s)
{
	struct rs_queue_origin *const o = rs_frame_origin(frame);
	o->ifindex = ifindex;
	o->source = RS_QUEUES_ETHTOOL;
	o->pace_s = pace_s;
}

static void
put_line(const char *number, const char *rest, uint32_t count)
{
	if (!frame->irqs.is_present) {
		frame->irqs.is_present = true;
		ck_assert(rs_frame_irq_columns(frame, 1));
		frame->irqs.cpu[0] = 0;
	}
	struct rs_irq_row *const row = rs_frame_irq_row(frame);
	row->name = rs_text_of(number);
	row->rest = rs_text_of(rest);
	row->is_numbered = true;
	row->cells = 1;
	frame->irqs.cells[row->first_cell] = count;
}

static const struct rs_queue_view *
queue(uint32_t ifindex, unsigned number, bool is_tx)
{
	const struct rs_view *const v = rs_model_view(model);
	for (size_t i = 0; i < v->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[i];
		if (q->ifindex == ifindex && q->queue == number && q->is_tx == is_tx)
			return q;
	}
	return NULL;
}

#define assert_near(a, b) ck_assert_msg(fabs((a) - (b)) < 1e-9, "%f, not %f", (a), (b))
#define assert_none(a) ck_assert_msg(isnan(a), "%f, but there is no value", (a))

START_TEST(queues_have_rates_and_shares)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		describe(2, "eth0", 2, 1);
		put_origin(2, 0);
		rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 1000 + 300 * i, 0);
		rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 1, 5000 + 100 * i, 0);
		rs_put_queue(frame, RS_M_QUEUE_RX_BYTES, 2, 1, 1000 * i, 0);
		apply();
		end();
	}
	ck_assert_uint_eq(rs_model_view(model)->n_queues, 3);
	assert_near(queue(2, 0, false)->pps, 300.0);
	assert_near(queue(2, 0, false)->share, 0.75);
	assert_near(queue(2, 1, false)->bps, 8000.0);
	ck_assert_int_eq(queue(2, 1, false)->source, RS_QUEUES_ETHTOOL);
	/* The queue that is there and was not counted is shown without a value. */
	assert_none(queue(2, 0, true)->pps);
	assert_none(queue(2, 0, true)->share);
}
END_TEST

START_TEST(a_queue_that_is_no_longer_listed_ends_and_returns_anew)
{
	struct rs_model_stats st;
	for (unsigned i = 0; i < 4; i++) {
		begin();
		describe(2, "eth0", i == 1 || i == 2 ? 1 : 2, 0);
		put_origin(2, 0);
		rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 100 * i, 0);
		if (i == 0 || i == 3)
			rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 1, 100 * i, 0);
		apply();
		end();
		rs_model_get_stats(model, &st);
		ck_assert_uint_eq(st.series, i == 0 || i == 3 ? 2 : 1);
		ck_assert_int_eq(queue(2, 1, false) != NULL, i == 0 || i == 3);
	}
	assert_none(queue(2, 1, false)->pps);
	assert_near(queue(2, 0, false)->pps, 100.0);
}
END_TEST

START_TEST(a_renamed_interface_keeps_the_counts_of_its_queues)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		describe(2, i ? "wan0" : "eth0", 1, 0);
		put_origin(2, 0);
		rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 500 * i, 0);
		apply();
		end();
	}
	assert_near(queue(2, 0, false)->pps, 500.0);
}
END_TEST

/* Everything that history holds, of all series. */
static uint64_t
stored_in_all(void)
{
	const struct rs_block *blocks[3];
	const size_t n = rs_model_blocks(model, blocks, 3);
	uint64_t sum = 0;
	for (size_t b = 0; b < n; b++) {
		for (uint32_t i = 0; i < blocks[b]->n_series; i++) {
			for (uint32_t t = 0; t < blocks[b]->ticks; t++) {
				int64_t value;
				if (rs_block_get(blocks[b], i, t, &value))
					sum += (uint64_t)value;
			}
		}
	}
	return sum;
}

/* What a device counts in three seconds is three ticks' worth, of the same sum. */
START_TEST(a_slow_source_is_spread_over_its_period)
{
	for (unsigned i = 0; i < 9; i++) {
		begin();
		describe(2, "eth0", 1, 0);
		if (i % 3 == 0) {
			put_origin(2, 3);
			rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 1000 * (i / 3), 3);
		}
		apply();
		end();
		if (i >= 3)
			ck_assert_msg(fabs(queue(2, 0, false)->pps - 1000.0 / 3) < 1.0,
			    "tick %u: %f", i, queue(2, 0, false)->pps);
		else
			assert_none(queue(2, 0, false)->pps);
	}
	ck_assert_uint_eq(stored_in_all(), 2000);
}
END_TEST

static const struct {
	uint8_t pace_s;
	unsigned at[8]; /* ticks with a reading; the last one ends the test */
} paces[] = {
    {3, {0, 3, 6, 9}},
    {4, {0, 4, 7, 11, 15}}, /* one tick early, once */
    {2, {0, 2, 3, 4, 7, 9}},
};

/* A thousand a tick, read now and then: none is lost, none is doubled. */
START_TEST(a_slow_source_that_is_early_or_late_keeps_its_sum)
{
	unsigned n = 1, next = 0;
	while (n < 8 && paces[_i].at[n])
		n++;
	const unsigned last = paces[_i].at[n - 1];
	/* As many ticks more as the last increment is spread over. */
	for (unsigned tick = 0; tick <= 2 * last; tick++) {
		begin();
		describe(2, tick == 5 ? "wan0" : "eth0", 1, 0);
		if (next < n && paces[_i].at[next] == tick) {
			put_origin(2, paces[_i].pace_s);
			rs_put_queue(
			    frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 1000 * tick, paces[_i].pace_s);
			next++;
		}
		apply();
		end();
	}
	ck_assert_uint_eq(stored_in_all(), 1000 * last);
}
END_TEST

START_TEST(a_slow_source_that_stops_has_no_value)
{
	for (unsigned i = 0; i < 12; i++) {
		begin();
		describe(2, "eth0", 1, 0);
		if (i == 0 || i == 3)
			rs_put_queue(frame, RS_M_QUEUE_RX_PACKETS, 2, 0, 100 * i, 3);
		apply();
		end();
	}
	assert_none(queue(2, 0, false)->pps);
}
END_TEST

START_TEST(lines_are_mapped_by_name_and_better_by_the_kernel)
{
	begin();
	describe(2, "eth0", 2, 2);
	put_line("30", "PCI-MSI 1-edge eth0-TxRx-0", 1);
	put_line("31", "PCI-MSI 2-edge eth0-TxRx-1", 1);
	apply();
	end();
	ck_assert_str_eq(queue(2, 0, false)->line->name, "30");
	ck_assert_str_eq(queue(2, 1, true)->line->name, "31");
	/* The kernel says it is the other way round: names are only names. */
	begin();
	for (unsigned q = 0; q < 2; q++) {
		struct rs_napi *const napi = rs_frame_napi(frame);
		*napi =
		    (struct rs_napi){.ifindex = 2, .id = 100 + q, .irq = 31 - (int)q, .pid = -1};
		for (unsigned is_tx = 0; is_tx < 2; is_tx++) {
			struct rs_queue_napi *const to = rs_frame_queue_napi(frame);
			*to = (struct rs_queue_napi){
			    .ifindex = 2, .napi_id = 100 + q, .queue = (uint16_t)q, .is_tx = is_tx};
		}
	}
	frame->has_napis = true;
	put_line("30", "PCI-MSI 1-edge eth0-TxRx-0", 2);
	put_line("31", "PCI-MSI 2-edge eth0-TxRx-1", 2);
	apply();
	const struct rs_view *const v = end();
	ck_assert_str_eq(queue(2, 0, false)->line->name, "31");
	ck_assert_str_eq(queue(2, 1, true)->line->name, "30");
	ck_assert_uint_eq(queue(2, 1, false)->napi, 101);
	ck_assert_uint_eq(v->irqs[0].n_feeds, 1);
	ck_assert_uint_eq(v->irqs[0].feeds[0].is_rx + v->irqs[0].feeds[0].is_tx, 2);
}
END_TEST

START_TEST(a_line_alone_makes_a_queue_where_their_number_is_not_told)
{
	for (int told = -1; told <= 1; told += 2) {
		begin();
		describe(2, "eth0", told, told);
		put_line("30", "PCI-MSI 1-edge eth0-TxRx-0", 1);
		put_line("31", "PCI-MSI 2-edge eth0-TxRx-1", 1);
		apply();
		end();
		ck_assert_int_eq(queue(2, 1, false) != NULL, told < 0);
		ck_assert_ptr_nonnull(queue(2, 0, false));
	}
}
END_TEST

static double
unhandled_after(uint32_t count, bool is_read)
{
	begin();
	describe(2, "eth0", 1, 1);
	put_line("16", "IO-APIC 16-fasteoi eth0, ehci_hcd", 1);
	put_line("17", "IO-APIC 17-fasteoi ahci", 1);
	apply();
	if (is_read)
		frame->unhandled[frame->n_unhandled++] =
		    (struct rs_irq_unhandled){.irq = 16, .count = count};
	apply();
	const struct rs_view *const v = end();
	assert_none(v->irqs[1].unhandled_ps);
	return v->irqs[0].unhandled_ps;
}

/* Readings of the count, -1: none, and the rate from then on; -1: no value. */
static const struct {
	int32_t count, rate;
} unhandled_ticks[] = {
    {-1, -1},
    {500, -1},
    {900, 400},
    {900, 0},
    /* The kernel began anew: what it shows came since. */
    {120, 120},
    /* The last one stands for a tick or two, not for ever. */
    {-1, 120},
    {-1, 120},
    {-1, -1},
    /* And after the gap there is no rate. */
    {9000, -1},
    {9010, 10},
};

START_TEST(what_no_handler_took_has_a_rate_while_it_is_read)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(unhandled_ticks); i++) {
		const int32_t count = unhandled_ticks[i].count, want = unhandled_ticks[i].rate;
		const double rate = unhandled_after((uint32_t)count, count >= 0);
		if (want < 0)
			assert_none(rate);
		else
			assert_near(rate, (double)want);
	}
}
END_TEST

START_TEST(the_only_queue_need_not_be_numbered)
{
	begin();
	describe(2, "eth0", 1, 1);
	put_line("30", "IO-APIC 20-fasteoi eth0", 1);
	apply();
	end();
	ck_assert_str_eq(queue(2, 0, false)->line->name, "30");
	ck_assert_str_eq(queue(2, 0, true)->line->name, "30");
}
END_TEST

static void
put_thread(int tid, const char *name, enum rs_thread_class class, int cpu, uint64_t ms)
{
	struct rs_thread *const t = rs_frame_thread(frame);
	t->pid = t->tid = tid;
	t->start = 1;
	t->class = class;
	t->cpu = cpu;
	t->runtime_ns = ms * RS_NS_PER_MS;
	t->at_ns = frame->at_ns;
	(void)snprintf(t->name, sizeof(t->name), "%s", name);
	frame->has_threads = true;
}

static void
see_cpus(unsigned n)
{
	frame->has_cpus_seen = true;
	for (unsigned cpu = 0; cpu < n; cpu++)
		rs_cpuset_add(&frame->cpus_seen, cpu);
}

START_TEST(threads_take_their_share_of_the_core_they_ran_on)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		see_cpus(2);
		describe(2, "eth0", 1, 1);
		describe(3, "eth0-1", 1, 1);
		put_thread(50, "napi/eth0-8193", RS_THREAD_NAPI, 1, 700 * i);
		put_thread(51, "napi/eth0-1-8194", RS_THREAD_NAPI, 1, 200 * i);
		put_thread(52, "ksoftirqd/1", RS_THREAD_KSOFTIRQD, 1, 100 * i);
		put_thread(53, "openvpn", RS_THREAD_USER, 0, 900 * i);
		apply();
		end();
	}
	const struct rs_view *const v = rs_model_view(model);
	assert_near(rs_view_core(v, 1)->packet_threads, 0.9);
	assert_near(rs_view_core(v, 0)->packet_threads, 0.0);
	ck_assert_uint_eq(v->n_threads, 4);
	assert_near(v->threads[3].load, 0.9);
	ck_assert_uint_eq(v->threads[0].thread.ifindex, 2);
	ck_assert_uint_eq(v->threads[0].thread.napi_id, 8193);
	ck_assert_uint_eq(v->threads[1].thread.ifindex, 3);
	ck_assert_uint_eq(v->threads[1].thread.napi_id, 8194);
}
END_TEST

START_TEST(without_a_look_at_threads_their_share_is_not_known)
{
	begin();
	see_cpus(1);
	apply();
	assert_none(rs_view_core(end(), 0)->packet_threads);
}
END_TEST

START_TEST(a_thread_reborn_under_its_number_starts_anew)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		put_thread(50, "napi/eth0-1", RS_THREAD_NAPI, 0, 100 + 500 * i);
		frame->threads[0].start = i;
		apply();
		end();
	}
	assert_none(rs_model_view(model)->threads[0].load);
}
END_TEST

static const struct rs_change *
only_change(void)
{
	size_t n;
	const struct rs_change *const c = rs_model_changes(model, &n);
	ck_assert_uint_eq(n, 1);
	return c;
}

static size_t
count_changes(void)
{
	size_t n;
	(void)rs_model_changes(model, &n);
	return n;
}

static void
put_rps(uint16_t number, const char *value)
{
	rs_put_fact(frame, RS_F_RPS_CPUS, 2, number, rs_text_of(value));
}

START_TEST(a_change_is_a_difference_of_two_known_values)
{
	rs_model_set_next_change(model, 41);
	begin();
	describe(2, "eth0", 2, 2);
	put_rps(1, "0");
	apply();
	end();
	ck_assert_uint_eq(count_changes(), 0);
	begin();
	put_rps(1, "0");
	apply();
	end();
	ck_assert_uint_eq(count_changes(), 0);
	begin();
	put_rps(1, "0-3");
	apply();
	const struct rs_view *const v = end();
	const struct rs_change *const c = only_change();
	ck_assert_int_eq(c->id, 41);
	ck_assert_int_eq(c->at_ms, v->wall_ms);
	ck_assert_str_eq(rs_facts[c->fact].name, "rps_cpus");
	ck_assert_str_eq(c->labels.device, "eth0");
	ck_assert_int_eq(c->labels.queue, 1);
	ck_assert_str_eq(c->old, "0");
	ck_assert_str_eq(c->new, "0-3");
	ck_assert_str_eq(rs_view_fact(v, RS_F_RPS_CPUS, 2, 1), "0-3");
	ck_assert_ptr_null(rs_view_fact(v, RS_F_RPS_CPUS, 2, 0));
	begin();
	end();
	ck_assert_uint_eq(count_changes(), 0);
}
END_TEST

START_TEST(what_was_gone_returns_without_a_change)
{
	begin();
	describe(2, "eth0", 2, 2);
	put_rps(0, "0");
	apply();
	end();
	begin();
	rs_put_fact_gone(frame, RS_F_RPS_CPUS, 2, 0);
	apply();
	ck_assert_ptr_null(rs_view_fact(end(), RS_F_RPS_CPUS, 2, 0));
	begin();
	put_rps(0, "3");
	apply();
	end();
	ck_assert_uint_eq(count_changes(), 0);
	/* The interface goes, and another one gets its number. */
	begin();
	describe(3, "eth1", 1, 1);
	apply();
	ck_assert_ptr_null(rs_view_fact(end(), RS_F_RPS_CPUS, 2, 0));
	begin();
	describe(2, "eth7", 1, 1);
	describe(3, "eth1", 1, 1);
	put_rps(0, "1");
	apply();
	end();
	ck_assert_uint_eq(count_changes(), 0);
}
END_TEST

/* Before any value was put, a frame has no memory for values. */
START_TEST(what_was_never_there_may_be_gone)
{
	begin();
	rs_put_fact_gone(frame, RS_F_RPS_CPUS, 2, 0);
	ck_assert_ptr_null(frame->words);
	apply();
	ck_assert_ptr_null(rs_view_fact(end(), RS_F_RPS_CPUS, 2, 0));
}
END_TEST

START_TEST(the_settings_of_those_that_stay_are_kept)
{
	char value[16];
	begin();
	for (uint32_t i = 2; i < 5; i++) {
		describe(i, "eth", 2, 2)->name[3] = (char)('0' + i);
		for (uint16_t q = 0; q < 2; q++) {
			(void)snprintf(value, sizeof(value), "%u", 10 * i + q);
			rs_put_fact(frame, RS_F_RPS_CPUS, i, q, rs_text_of(value));
			rs_put_fact(frame, RS_F_XPS_CPUS, i, q, rs_text_of(value));
		}
	}
	/* The number of a line that is the same as that of an interface. */
	rs_put_fact(frame, RS_F_IRQ_AFFINITY, 3, RS_NO_QUEUE, rs_text_of("7"));
	apply();
	end();
	begin();
	describe(2, "eth2", 2, 2);
	describe(4, "eth4", 2, 2);
	apply();
	const struct rs_view *const v = end();
	for (uint32_t i = 2; i < 5; i++) {
		for (uint16_t q = 0; q < 2; q++) {
			const char *const rps = rs_view_fact(v, RS_F_RPS_CPUS, i, q);
			const char *const xps = rs_view_fact(v, RS_F_XPS_CPUS, i, q);
			(void)snprintf(value, sizeof(value), "%u", 10 * i + q);
			ck_assert(i == 3 ? !rps && !xps
					 : strcmp(rps, value) == 0 && strcmp(xps, value) == 0);
		}
	}
	ck_assert_str_eq(rs_view_fact(v, RS_F_IRQ_AFFINITY, 3, RS_NO_QUEUE), "7");
}
END_TEST

START_TEST(the_link_and_the_queue_count_are_settings_too)
{
	begin();
	describe(2, "eth0", 4, 4)->speed_bps = 1000000000;
	apply();
	end();
	begin();
	describe(2, "eth0", 2, 4); /* its speed is not known now */
	apply();
	end();
	ck_assert_str_eq(rs_facts[only_change()->fact].name, "rx_queues");
	ck_assert_str_eq(only_change()->old, "4");
	ck_assert_str_eq(only_change()->new, "2");
	begin();
	describe(2, "eth0", 2, 4)->speed_bps = 100000000;
	apply();
	end();
	ck_assert_str_eq(rs_facts[only_change()->fact].name, "speed_mbit");
	ck_assert_str_eq(only_change()->new, "100");
}
END_TEST

START_TEST(the_affinity_of_a_line_names_its_device_and_queue)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		describe(2, "eth0", 2, 2);
		put_line("31", "PCI-MSI 2-edge eth0-TxRx-1", 1);
		apply();
		rs_put_fact(frame, RS_F_IRQ_AFFINITY, 31, RS_NO_QUEUE, rs_text_of(i ? "3" : "0-3"));
		apply();
		end();
	}
	const struct rs_change *const c = only_change();
	ck_assert_str_eq(c->labels.irq, "31");
	ck_assert_str_eq(c->labels.device, "eth0");
	ck_assert_int_eq(c->labels.queue, 1);
	/* A disk's line may move as it likes. */
	begin();
	describe(2, "eth0", 2, 2);
	put_line("31", "PCI-MSI 2-edge eth0-TxRx-1", 1);
	put_line("32", "PCI-MSI 3-edge ahci", 1);
	apply();
	rs_put_fact(frame, RS_F_IRQ_AFFINITY, 32, RS_NO_QUEUE, rs_text_of("0"));
	apply();
	rs_put_fact(frame, RS_F_IRQ_AFFINITY, 32, RS_NO_QUEUE, rs_text_of("1"));
	apply();
	ck_assert_str_eq(rs_view_fact(end(), RS_F_IRQ_AFFINITY, 32, RS_NO_QUEUE), "1");
	ck_assert_uint_eq(count_changes(), 0);
	/* Another driver gets the number: what was set before is not its past. */
	begin();
	describe(2, "eth0", 2, 2);
	put_line("31", "PCI-MSI 2-edge ahci", 1);
	apply();
	rs_put_fact(frame, RS_F_IRQ_AFFINITY, 31, RS_NO_QUEUE, rs_text_of("0"));
	apply();
	end();
	ck_assert_uint_eq(count_changes(), 0);
}
END_TEST

START_TEST(of_the_hash_key_only_the_beginning_is_logged)
{
	static const char *const keys[] = {
	    "6d5a56da255b0ec24167253d43a38fb0", "0123456789abcdef0123456789abcdef"};
	for (unsigned i = 0; i < 2; i++) {
		begin();
		describe(2, "eth0", 1, 1);
		rs_put_fact(frame, RS_F_RSS_KEY, 2, RS_NO_QUEUE, rs_text_of(keys[i]));
		apply();
		end();
	}
	ck_assert_str_eq(only_change()->old, "6d5a56da...");
	ck_assert_str_eq(only_change()->new, "01234567...");
	ck_assert_str_eq(rs_view_fact(rs_model_view(model), RS_F_RSS_KEY, 2, RS_NO_QUEUE), keys[1]);
}
END_TEST

START_TEST(long_values_are_cut_in_the_log_only)
{
	char a[400], b[400];
	memset(a, 'a', sizeof(a));
	memset(b, 'b', sizeof(b));
	a[399] = b[399] = '\0';
	b[3] = '\n';
	begin();
	rs_put_fact(frame, RS_F_FIRMWARE, 0, RS_NO_QUEUE, rs_text_of(a));
	apply();
	end();
	begin();
	rs_put_fact(frame, RS_F_FIRMWARE, 0, RS_NO_QUEUE, rs_text_of(b));
	apply();
	const struct rs_view *const v = end();
	ck_assert_uint_eq(strlen(only_change()->new), 127);
	ck_assert_str_eq(only_change()->new + 124, "...");
	ck_assert_int_eq(only_change()->new[3], '?');
	ck_assert_uint_eq(strlen(rs_view_fact(v, RS_F_FIRMWARE, 0, RS_NO_QUEUE)), 399);
}
END_TEST

static void
put_losses(struct rs_nic_info *n, unsigned ring, unsigned in, unsigned i)
{
	n->loss_ring = (uint8_t)ring;
	n->loss_ring_in = (uint8_t)in;
	rs_put(frame, RS_M_NIC_RX_MISSED, 2, 30 * i);
	rs_put(frame, RS_M_NIC_RX_FIFO, 2, 50 * i);
	rs_put(frame, RS_M_NIC_RX_DROPPED, 2, 70 * i);
	rs_put(frame, RS_M_NIC_RX_ERRORS, 2, 100 * i);
	rs_put(frame, RS_M_NIC_TX_DROPPED, 2, 5 * i);
	rs_put(frame, RS_M_NIC_TX_ERRORS, 2, 2 * i);
	rs_put(frame, RS_M_NIC_RX_RING, 2, 40 * i);
}

static const struct {
	unsigned ring, in;
	double wire, lost_ring, unattributed;
} losses[] = {
    /* not known: missed as the kernel means it; the rest is nobody's */
    {0, 0, 100, 30, 120},
    /* igb: fifo is the queues' drops and missed */
    {RS_LOSS_FIFO, RS_LOSS_MISSED, 100, 50, 70},
    /* cxgb4: the device's drops are in rx_dropped and nowhere else */
    {RS_LOSS_DROPPED, 0, 100, 70, 80},
    /* the ring's losses are errors too */
    {RS_LOSS_FIFO, RS_LOSS_ERRORS, 50, 50, 100},
    /* the driver's own counter, part of rx_dropped */
    {RS_LOSS_DRIVER, RS_LOSS_DROPPED, 100, 40, 110},
};

START_TEST(each_lost_packet_is_in_one_stage)
{
	for (unsigned i = 0; i < 2; i++) {
		begin();
		put_losses(describe(2, "eth0", 1, 1), losses[_i].ring, losses[_i].in, i);
		apply();
		end();
	}
	const struct rs_nic_view *const n = rs_view_nic(rs_model_view(model), 2);
	assert_near(n->lost_wire_pps, losses[_i].wire);
	assert_near(n->lost_ring_pps, losses[_i].lost_ring);
	assert_near(n->lost_unattributed_pps, losses[_i].unattributed);
	assert_near(n->lost_tx_pps, 7.0);
	assert_none(n->lost_qdisc_pps);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("map");
	TCase *const t = tcase_create("map");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, queues_have_rates_and_shares);
	tcase_add_test(t, a_queue_that_is_no_longer_listed_ends_and_returns_anew);
	tcase_add_test(t, a_renamed_interface_keeps_the_counts_of_its_queues);
	tcase_add_test(t, a_slow_source_is_spread_over_its_period);
	tcase_add_loop_test(
	    t, a_slow_source_that_is_early_or_late_keeps_its_sum, 0, (int)RS_ARRAY_LEN(paces));
	tcase_add_test(t, a_slow_source_that_stops_has_no_value);
	tcase_add_test(t, lines_are_mapped_by_name_and_better_by_the_kernel);
	tcase_add_test(t, a_line_alone_makes_a_queue_where_their_number_is_not_told);
	tcase_add_test(t, what_no_handler_took_has_a_rate_while_it_is_read);
	tcase_add_test(t, the_only_queue_need_not_be_numbered);
	tcase_add_test(t, threads_take_their_share_of_the_core_they_ran_on);
	tcase_add_test(t, without_a_look_at_threads_their_share_is_not_known);
	tcase_add_test(t, a_thread_reborn_under_its_number_starts_anew);
	tcase_add_test(t, a_change_is_a_difference_of_two_known_values);
	tcase_add_test(t, what_was_gone_returns_without_a_change);
	tcase_add_test(t, what_was_never_there_may_be_gone);
	tcase_add_test(t, the_settings_of_those_that_stay_are_kept);
	tcase_add_test(t, the_link_and_the_queue_count_are_settings_too);
	tcase_add_test(t, the_affinity_of_a_line_names_its_device_and_queue);
	tcase_add_test(t, of_the_hash_key_only_the_beginning_is_logged);
	tcase_add_test(t, long_values_are_cut_in_the_log_only);
	tcase_add_loop_test(t, each_lost_packet_is_in_one_stage, 0, (int)RS_ARRAY_LEN(losses));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

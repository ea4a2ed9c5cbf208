/* SPDX-License-Identifier: ISC */
/* Threads in the model: their share of a core, and whose they are. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "model.h"
#include "rs_check.h"

#define S RS_NS_PER_S

static struct rs_model *model;
static struct rs_frame *frame;
static rs_ns now;

static void
setup(void)
{
	const struct rs_model_conf c = {.interval_ns = S, .max_series = 500, .n_blocks = 3};
	ck_assert_int_eq(rs_model_new(&c, &model), 0);
	ck_assert_int_eq(rs_frame_new(1000, &frame), 0);
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
	frame->has_cpus_seen = true;
	for (unsigned cpu = 0; cpu < 4; cpu++)
		rs_cpuset_add(&frame->cpus_seen, cpu);
}

static void
end(void)
{
	rs_model_apply(model, frame);
	rs_model_build_view(model);
	(void)rs_model_end(model);
	now += S;
}

static struct rs_thread *
put(enum rs_thread_class class, int32_t tid, const char *name, int32_t cpu, uint64_t runtime_ms)
{
	struct rs_thread *const t = rs_frame_thread(frame);
	ck_assert_ptr_nonnull(t);
	frame->has_threads = true;
	t->class = class;
	t->pid = t->tid = tid;
	t->start = 1;
	t->cpu = cpu;
	t->irq = -1;
	t->runtime_ns = runtime_ms * 1000000;
	t->at_ns = now;
	(void)snprintf(t->name, sizeof(t->name), "%s", name);
	return t;
}

static void
describe(uint32_t ifindex, const char *name)
{
	frame->has_nics = true;
	struct rs_nic_info *const n = rs_frame_nic(frame);
	ck_assert_ptr_nonnull(n);
	n->ifindex = ifindex;
	(void)snprintf(n->name, sizeof(n->name), "%s", name);
}

static void
line(const char *name, const char *rest)
{
	if (!frame->irqs.is_present) {
		frame->irqs.is_present = true;
		ck_assert(rs_frame_irq_columns(frame, 4));
		for (uint16_t cpu = 0; cpu < 4; cpu++)
			frame->irqs.cpu[cpu] = cpu;
	}
	struct rs_irq_row *const row = rs_frame_irq_row(frame);
	ck_assert_ptr_nonnull(row);
	row->name = rs_text_of(name);
	row->rest = rs_text_of(rest);
	row->is_numbered = true;
	row->cells = 4;
	memset(&frame->irqs.cells[row->first_cell], 0, 4 * sizeof(*frame->irqs.cells));
}

static const struct rs_thread_view *
thread(int32_t tid)
{
	const struct rs_view *const v = rs_model_view(model);
	for (size_t i = 0; i < v->n_threads; i++) {
		if (v->threads[i].thread.tid == tid)
			return &v->threads[i];
	}
	ck_abort_msg("no thread %d", (int)tid);
	return NULL;
}

static double
threads_of_core(unsigned cpu)
{
	return rs_view_core(rs_model_view(model), cpu)->packet_threads;
}

#define assert_near(a, b) ck_assert_msg(fabs((a) - (b)) < 1e-9, "%f, not %f", (a), (b))
#define assert_none(a) ck_assert_msg(isnan(a), "%f, but there is no value", (a))

START_TEST(threads_have_a_share_from_the_second_reading_on)
{
	begin();
	end();
	ck_assert(!rs_model_view(model)->has_threads);
	assert_none(threads_of_core(3)); /* nobody looked */
	begin();
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 3, 1000);
	(void)put(RS_THREAD_VPN, 41, "kworker/2:0-wg-crypt-wg0", 2, 0);
	(void)put(RS_THREAD_KSOFTIRQD, 14, "ksoftirqd/3", 3, 0);
	(void)put(RS_THREAD_USER, 70, "openvpn", 3, 0);
	end();
	ck_assert(rs_model_view(model)->has_threads);
	assert_none(thread(40)->load);
	assert_near(threads_of_core(3), 0.0);
	begin();
	(void)put(RS_THREAD_USER, 70, "openvpn", 3, 100);
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 3, 1600);
	(void)put(RS_THREAD_NAPI, 45, "napi/eth0-2", 3, 5000); /* new */
	(void)put(RS_THREAD_VPN, 41, "kworker/2:0-wg-crypt-wg0", 2, 250);
	(void)put(RS_THREAD_KSOFTIRQD, 14, "ksoftirqd/3", 3, 900);
	end();
	assert_near(thread(40)->load, 0.6);
	assert_near(thread(70)->load, 0.1);
	assert_near(threads_of_core(3), 0.6); /* what is packet work only */
	assert_near(threads_of_core(2), 0.25);
	assert_near(threads_of_core(0), 0.0);
}
END_TEST

START_TEST(threads_not_read_in_a_tick_keep_their_share)
{
	begin();
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 1, 0);
	end();
	begin();
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 1, 500);
	end();
	const rs_ns read = now - S;
	for (unsigned i = 0; i < 65; i++) {
		begin();
		put(RS_THREAD_NAPI, 40, "napi/eth0-1", 1, 500)->at_ns = read;
		end();
		if (i < 60)
			assert_near(threads_of_core(1), 0.5);
	}
	assert_near(threads_of_core(1), 0.0); /* long ago */
	begin();
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 1, 600);
	end();
	assert_near(thread(40)->load, 0.1 / 66.0);
}
END_TEST

START_TEST(threads_of_the_same_number_are_told_apart)
{
	begin();
	(void)put(RS_THREAD_NAPI, 40, "napi/eth0-1", 1, 0);
	end();
	begin();
	put(RS_THREAD_NAPI, 40, "napi/eth1-1", 1, 500)->start = 2;
	end();
	assert_none(thread(40)->load);
	begin();
	put(RS_THREAD_NAPI, 40, "napi/eth1-1", 1, 100)->start = 2; /* set back */
	end();
	assert_none(thread(40)->load);
	begin();
	put(RS_THREAD_NAPI, 40, "napi/eth1-1", 1, 2100)->start = 2; /* two seconds in one */
	end();
	assert_near(thread(40)->load, 1.0);
	/* Of a core that is not there, or not told. */
	begin();
	put(RS_THREAD_NAPI, 40, "napi/eth1-1", 77, 3100)->start = 2;
	(void)put(RS_THREAD_NAPI, 41, "napi/eth1-2", -1, 3100);
	end();
	for (unsigned cpu = 0; cpu < 4; cpu++)
		assert_near(threads_of_core(cpu), 0.0);
}
END_TEST

/* Handlers of interrupts count when their line is a NIC's. */
START_TEST(threads_of_interrupts_count_where_the_line_is_a_nics)
{
	for (unsigned i = 0; i < 3; i++) {
		begin();
		if (i == 0)
			describe(3, "eth0");
		line("31", "PCI-MSI-edge      eth0-TxRx-0");
		line("32", "PCI-MSI-edge      ahci");
		put(RS_THREAD_IRQ, 50, "irq/31-eth0-TxRx-0", 1, UINT64_C(300) * i)->irq = 31;
		put(RS_THREAD_IRQ, 51, "irq/32-ahci", 1, UINT64_C(500) * i)->irq = 32;
		put(RS_THREAD_IRQ, 52, "irq/33-gone", 1, UINT64_C(500) * i)->irq = 33;
		end();
	}
	ck_assert_uint_eq(thread(50)->thread.ifindex, 3);
	ck_assert_uint_eq(thread(51)->thread.ifindex, 0);
	ck_assert_uint_eq(thread(52)->thread.ifindex, 0);
	assert_near(threads_of_core(1), 0.3);
}
END_TEST

/* name, instance and interface found by it; those are "eth0" 3, "eth0-1" 4, "br" 5. */
static const struct {
	const char *name;
	uint32_t napi_id, ifindex;
} napis[] = {
    {"napi/eth0-8193", 8193, 3},
    {"napi/eth0-1-8193", 8193, 4},
    {"napi/eth0-1", 1, 3},
    {"napi/br-258", 258, 5},
    {"napi/eth-258", 0, 0},
    {"napi/eth01-258", 0, 0},
    {"napi/eth0", 0, 0},
    {"napi/eth0-", 0, 0},
    {"napi/eth0-12x", 0, 0},
    {"napi/", 0, 0},
    {"backlog_napi/1", 0, 0},
};

static void
napi_ticks(size_t which, bool is_told)
{
	for (uint64_t i = 0; i < 10; i++) {
		begin();
		if (i == 0) {
			describe(3, "eth0");
			describe(4, "eth0-1");
			describe(5, "br");
		}
		if (i == 0 && is_told) {
			frame->has_napis = true;
			*rs_frame_napi(frame) = (struct rs_napi){5, 700, -1, 40};
			*rs_frame_napi(frame) = (struct rs_napi){4, 8193, -1, -1};
		}
		(void)put(RS_THREAD_NAPI, 40, napis[which].name, 1, 100 * i);
		(void)put(RS_THREAD_NAPI, 41, napis[which].name, 1, 0);
		end();
	}
}

START_TEST(threads_of_napi_belong_to_the_interface_they_name)
{
	napi_ticks((size_t)_i, false);
	ck_assert_msg(thread(40)->thread.ifindex == napis[_i].ifindex, "%s: %u", napis[_i].name,
	    (unsigned)thread(40)->thread.ifindex);
	ck_assert_uint_eq(thread(41)->thread.ifindex, napis[_i].ifindex);
	ck_assert_uint_eq(thread(40)->thread.napi_id, napis[_i].napi_id);
	assert_near(threads_of_core(1), 0.1);
}
END_TEST

START_TEST(threads_of_napi_belong_to_whom_the_kernel_says)
{
	napi_ticks((size_t)_i, true);
	ck_assert_uint_eq(thread(40)->thread.ifindex, 5); /* by its number */
	ck_assert_uint_eq(thread(40)->thread.napi_id, 700);
	/* Another namespace's, whatever its name. */
	ck_assert_uint_eq(thread(41)->thread.ifindex, 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("model_threads");
	TCase *tc = tcase_create("model_threads");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, threads_have_a_share_from_the_second_reading_on);
	tcase_add_test(tc, threads_not_read_in_a_tick_keep_their_share);
	tcase_add_test(tc, threads_of_the_same_number_are_told_apart);
	tcase_add_test(tc, threads_of_interrupts_count_where_the_line_is_a_nics);
	tcase_add_loop_test(
	    tc, threads_of_napi_belong_to_the_interface_they_name, 0, (int)RS_ARRAY_LEN(napis));
	tcase_add_loop_test(
	    tc, threads_of_napi_belong_to_whom_the_kernel_says, 0, (int)RS_ARRAY_LEN(napis));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

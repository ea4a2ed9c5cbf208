/* SPDX-License-Identifier: ISC */
/* The shapes of the API, from a view made by hand: names, nulls, nothing more. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "api.h"
#include "buf.h"
#include "fact.h"
#include "irqname.h"
#include "rs_check.h"

#define NOT_KNOWN ((double)NAN)

static struct rs_core_view cores[2];
static struct rs_nic_view nics[2];
static struct rs_irq_view irqs[3];
static const struct rs_irq_feed feeds[] = {
    {.ifindex = 2, .queue = 0, .is_rx = 1, .is_tx = 1, .role = RS_IRQ_QUEUE},
    {.ifindex = 2, .queue = -1, .is_rx = 1, .role = RS_IRQ_QUEUE},
    {.ifindex = 2, .queue = -1, .role = RS_IRQ_CONTROL},
    {.ifindex = 99, .queue = 3, .is_tx = 1, .role = RS_IRQ_QUEUE},
};
static const struct rs_irq_cell cells[] = {{0, 0}, {1, 250.5}};
static struct rs_view view;
static struct rs_buf out;
static struct rs_json j;

static void
fill_cores(void)
{
	cores[0] = (struct rs_core_view){.cpu = 0,
	    .is_online = true,
	    .user = 0.1,
	    .nice = 0,
	    .system = 0.2,
	    .idle = 0.25,
	    .iowait = 0,
	    .irq = 0.05,
	    .softirq = 0.4,
	    .steal = 0,
	    .nic_interrupts_ps = 0,
	    .net_rx_ps = 12345.678,
	    .processed_pps = 1e6,
	    .dropped_pps = 0,
	    .squeezed_ps = 3,
	    .rps_ps = 0,
	    .flow_limit_ps = NOT_KNOWN,
	    .backlog = 17,
	    .freq_hz = 1.8e9,
	    .freq_max_hz = 2.4e9,
	    .is_eligible = true,
	    .packet_load = 0.45,
	    .busy = 0.75};
	cores[1] = (struct rs_core_view){.cpu = 5,
	    .user = NOT_KNOWN,
	    .nice = NOT_KNOWN,
	    .system = NOT_KNOWN,
	    .idle = NOT_KNOWN,
	    .iowait = NOT_KNOWN,
	    .irq = NOT_KNOWN,
	    .softirq = NOT_KNOWN,
	    .steal = NOT_KNOWN,
	    .nic_interrupts_ps = NOT_KNOWN,
	    .net_rx_ps = NOT_KNOWN,
	    .processed_pps = NOT_KNOWN,
	    .dropped_pps = NOT_KNOWN,
	    .squeezed_ps = NOT_KNOWN,
	    .rps_ps = NOT_KNOWN,
	    .flow_limit_ps = NOT_KNOWN,
	    .backlog = NOT_KNOWN,
	    .freq_hz = NOT_KNOWN,
	    .freq_max_hz = NOT_KNOWN,
	    .packet_load = NOT_KNOWN,
	    .busy = NOT_KNOWN};
}

static void
fill_nics(void)
{
	nics[0] = (struct rs_nic_view){.info = {.ifindex = 2,
					   .name = "eth\"0",
					   .driver = "igb",
					   .kind = "physical",
					   .speed_bps = INT64_C(1000000000),
					   .duplex = 1,
					   .is_up = 1,
					   .mtu = 1500,
					   .carrier_changes = 4,
					   .rx_queues = 8,
					   .tx_queues = 8},
	    .rx_bps = 944123456.25,
	    .tx_bps = 12,
	    .rx_pps = 80000.5,
	    .tx_pps = 0,
	    .rx_utilization = 0.97,
	    .tx_utilization = 0,
	    .rx_dropped_pps = 1,
	    .tx_dropped_pps = 2,
	    .rx_missed_pps = 3,
	    .errors_pps = 4,
	    .lost_wire_pps = 5,
	    .lost_ring_pps = 3,
	    .lost_qdisc_pps = NOT_KNOWN,
	    .lost_tx_pps = 2,
	    .lost_unattributed_pps = 1};
	nics[1] = (struct rs_nic_view){.info = {.ifindex = 3,
					   .name = "x",
					   .speed_bps = -1,
					   .duplex = -1,
					   .is_up = -1,
					   .mtu = -1,
					   .carrier_changes = -1,
					   .rx_queues = -1,
					   .tx_queues = -1},
	    .rx_bps = NOT_KNOWN,
	    .tx_bps = NOT_KNOWN,
	    .rx_pps = NOT_KNOWN,
	    .tx_pps = NOT_KNOWN,
	    .rx_utilization = NOT_KNOWN,
	    .tx_utilization = NOT_KNOWN,
	    .rx_dropped_pps = NOT_KNOWN,
	    .tx_dropped_pps = NOT_KNOWN,
	    .rx_missed_pps = NOT_KNOWN,
	    .errors_pps = NOT_KNOWN,
	    .lost_wire_pps = NOT_KNOWN,
	    .lost_ring_pps = NOT_KNOWN,
	    .lost_qdisc_pps = NOT_KNOWN,
	    .lost_tx_pps = NOT_KNOWN,
	    .lost_unattributed_pps = NOT_KNOWN};
}

static void
setup(void)
{
	fill_cores();
	fill_nics();
	irqs[0] = (struct rs_irq_view){.name = "31",
	    .chip = "PCI-MSIX-0000:01:00.0 0-edge",
	    .actions = "eth0-TxRx-0, eth0-rx",
	    .rate_ps = 250.5,
	    .cells = cells,
	    .n_cells = 2,
	    .feeds = feeds,
	    .n_feeds = 4,
	    .is_nic_queue = true};
	irqs[1] = (struct rs_irq_view){.name = "LOC", .rate_ps = NOT_KNOWN};
	view = (struct rs_view){.tick = 2,
	    .accounting = RS_ACCOUNTING_PRECISE,
	    .cores = cores,
	    .n_cores = 2,
	    .nics = nics,
	    .n_nics = 2,
	    .irqs = irqs,
	    .n_irqs = 2};
	rs_buf_init(&out, 65536);
	rs_json_init(&j, &out);
}

static void
teardown(void)
{
	rs_buf_fini(&out);
}

static void
assert_json(const char *expected)
{
	ck_assert(rs_json_is_whole(&j));
	ck_assert_str_eq(rs_buf_cstr(&out), expected);
}

START_TEST(api_cores_have_every_field_and_null_for_what_is_not_known)
{
	rs_api_put_cores(&j, &view);
	assert_json(
	    "[{\"core\":0,\"online\":true,\"eligible\":true,\"packet_load\":0.45,\"busy\":0.75,"
	    "\"user\":0.1,\"nice\":0,\"system\":0.2,\"irq\":0.05,\"softirq\":0.4,\"steal\":0,"
	    "\"iowait\":0,\"idle\":0.25,\"nic_interrupts_ps\":0,\"net_rx_ps\":12345.7,"
	    "\"softnet\":{\"processed_pps\":1000000,\"dropped_pps\":0,\"squeezed_ps\":3,"
	    "\"rps_ps\":0,\"flow_limit_ps\":null,\"backlog\":17},\"freq_hz\":1800000000,"
	    "\"freq_max_hz\":2400000000,\"fed_by\":[]},"
	    "{\"core\":5,\"online\":false,\"eligible\":false,\"packet_load\":null,\"busy\":null,"
	    "\"user\":null,\"nice\":null,\"system\":null,\"irq\":null,\"softirq\":null,"
	    "\"steal\":null,\"iowait\":null,\"idle\":null,\"nic_interrupts_ps\":null,"
	    "\"net_rx_ps\":null,\"softnet\":{\"processed_pps\":null,\"dropped_pps\":null,"
	    "\"squeezed_ps\":null,\"rps_ps\":null,\"flow_limit_ps\":null,\"backlog\":null},"
	    "\"freq_hz\":null,\"freq_max_hz\":null,\"fed_by\":[]}]");
}
END_TEST

START_TEST(api_cores_have_no_irq_time_under_tick_accounting)
{
	view.accounting = RS_ACCOUNTING_TICK;
	rs_api_put_cores(&j, &view);
	ck_assert(rs_json_is_whole(&j));
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&out), "\"system\":0.2,\"irq\":null,"));
}
END_TEST

START_TEST(api_cores_are_fed_by_queues_that_fired_on_them)
{
	/* Cell 1 is core 1, cell 0 did not move. */
	cores[1].cpu = 1;
	rs_api_put_cores(&j, &view);
	const char *text = rs_buf_cstr(&out), *second = strstr(text, "{\"core\":1,");

	ck_assert_ptr_nonnull(second);
	ck_assert_ptr_nonnull(strstr(text, "\"fed_by\":[]},{\"core\":1,"));
	ck_assert_str_eq(strstr(second, "\"fed_by\""),
	    "\"fed_by\":[{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"rx\"},"
	    "{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"tx\"},"
	    "{\"device\":\"eth\\\"0\",\"queue\":null,\"direction\":\"rx\"},"
	    "{\"device\":null,\"queue\":3,\"direction\":\"tx\"}]}]");
}
END_TEST

/* Of a polled queue the line fires now and then, on the core of its thread too. */
START_TEST(api_cores_tell_a_queue_once_that_is_polled_where_its_line_fires)
{
	static const struct rs_irq_feed feed = {
	    .ifindex = 2, .queue = 0, .is_rx = 1, .role = RS_IRQ_QUEUE};
	const struct rs_queue_view queue = {.ifindex = 2, .napi = 8193, .line = &irqs[0]};
	struct rs_thread_view thread = {.load = 0.5,
	    .thread = {.class = RS_THREAD_NAPI, .cpu = 1, .ifindex = 2, .napi_id = 8193}};

	irqs[0].feeds = &feed;
	irqs[0].n_feeds = 1;
	nics[0].n_queues = 1;
	view.queues = &queue;
	view.n_queues = 1;
	view.threads = &thread;
	view.n_threads = 1;
	rs_api_put_fed_by(&j, &view, 1);
	rs_api_put_fed_by(&j, &view, 0);
	thread.thread.cpu = 0;
	rs_api_put_fed_by(&j, &view, 0);
	ck_assert_str_eq(rs_buf_cstr(&out),
	    "[{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"rx\"}][]"
	    "[{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"rx\"}]");
}
END_TEST

START_TEST(api_interfaces_have_every_field_and_null_for_what_is_not_known)
{
	rs_api_put_interfaces(&j, &view);
	assert_json(
	    "[{\"device\":\"eth\\\"0\",\"ifindex\":2,\"driver\":\"igb\",\"kind\":\"physical\","
	    "\"up\":true,\"speed_bps\":1000000000,\"duplex\":\"full\",\"mtu\":1500,"
	    "\"rx_bps\":944123456,\"tx_bps\":12,\"rx_pps\":80000.5,\"tx_pps\":0,"
	    "\"rx_utilization\":0.97,\"tx_utilization\":0,\"rx_dropped_pps\":1,"
	    "\"tx_dropped_pps\":2,\"rx_missed_pps\":3,\"errors_pps\":4,"
	    "\"drops\":{\"wire_pps\":5,\"ring_pps\":3,\"qdisc_pps\":null,\"tx_pps\":2,"
	    "\"unattributed_pps\":1},\"carrier_changes\":4,\"rx_queues\":8,\"tx_queues\":8},"
	    "{\"device\":\"x\",\"ifindex\":3,\"driver\":null,\"kind\":null,\"up\":null,"
	    "\"speed_bps\":null,\"duplex\":null,\"mtu\":null,\"rx_bps\":null,\"tx_bps\":null,"
	    "\"rx_pps\":null,\"tx_pps\":null,\"rx_utilization\":null,\"tx_utilization\":null,"
	    "\"rx_dropped_pps\":null,\"tx_dropped_pps\":null,\"rx_missed_pps\":null,"
	    "\"errors_pps\":null,\"drops\":{\"wire_pps\":null,\"ring_pps\":null,"
	    "\"qdisc_pps\":null,\"tx_pps\":null,\"unattributed_pps\":null},"
	    "\"carrier_changes\":null,\"rx_queues\":null,\"tx_queues\":null}]");
}
END_TEST

START_TEST(api_interrupts_leave_zero_cells_and_control_lines_out)
{
	irqs[2] = (struct rs_irq_view){.name = "9", .chip = "", .actions = "acpi", .rate_ps = 0};
	view.n_irqs = 3;
	rs_api_put_interrupts(&j, &view);
	assert_json(
	    "[{\"irq\":\"31\",\"actions\":[\"eth0-TxRx-0\",\"eth0-rx\"],"
	    "\"chip\":\"PCI-MSIX-0000:01:00.0 0-edge\",\"feeds\":["
	    "{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"rx\"},"
	    "{\"device\":\"eth\\\"0\",\"queue\":0,\"direction\":\"tx\"},"
	    "{\"device\":\"eth\\\"0\",\"queue\":null,\"direction\":\"rx\"},"
	    "{\"device\":null,\"queue\":3,\"direction\":\"tx\"}],"
	    "\"rate_ps\":250.5,\"per_core_ps\":{\"1\":250.5},\"affinity\":null,"
	    "\"effective_affinity\":null},"
	    "{\"irq\":\"LOC\",\"actions\":[],\"chip\":null,\"feeds\":[],\"rate_ps\":null,"
	    "\"per_core_ps\":{},\"affinity\":null,\"effective_affinity\":null},"
	    "{\"irq\":\"9\",\"actions\":[\"acpi\"],\"chip\":null,\"feeds\":[],\"rate_ps\":0,"
	    "\"per_core_ps\":{},\"affinity\":null,\"effective_affinity\":null}]");
}
END_TEST

START_TEST(api_empty_views_are_empty_arrays)
{
	static const struct rs_view empty;

	rs_api_put_cores(&j, &empty);
	assert_json("[]");
}
END_TEST

START_TEST(api_finding_has_subject_evidence_causes_and_advice)
{
	struct rs_finding f = {.id = 12,
	    .code = "core.imbalance",
	    .title = "One core does it",
	    .severity = RS_WARN,
	    .confidence = RS_HIGH,
	    .subject = {.kind = RS_SUBJECT_CORE, .core = 3, .queue = -1},
	    .raised_ms = INT64_C(1700000000123),
	    .episodes = 2,
	    .message = "Core 3 is busy.",
	    .evidence = {{.label = "packet load", .value = 0.98, .unit = RS_UNIT_RATIO},
		{.label = "note", .value = NOT_KNOWN, .text = "threads count as 0"}},
	    .n_evidence = 2,
	    .causes = {"one queue"},
	    .n_causes = 1,
	    .ruled_out = {{"irq.all_on_one", "All on one", "4 \"cores\" take part"},
		{"napi.threads", "Threads", "not known: needs threads"}},
	    .n_ruled_out = 2,
	    .advice = {{.command = "ethtool -L eth0 combined 4",
		.expect = "four queues",
		.undo = "",
		.is_disruptive = true}},
	    .n_advice = 1};

	rs_api_put_finding(&j, &f);
	assert_json(
	    "{\"id\":12,\"code\":\"core.imbalance\",\"title\":\"One core does it\","
	    "\"severity\":\"warn\",\"confidence\":\"high\",\"subject\":{\"kind\":\"core\",\"core\":"
	    "3},"
	    "\"raised_ms\":1700000000123,\"cleared_ms\":null,\"episodes\":2,\"stale\":false,"
	    "\"message\":\"Core 3 is busy.\",\"evidence\":[{\"label\":\"packet "
	    "load\",\"value\":0.98,"
	    "\"unit\":\"ratio\"},{\"label\":\"note\",\"value\":null,\"unit\":\"\","
	    "\"text\":\"threads count as 0\"}],\"causes\":[\"one queue\"],"
	    "\"ruled_out\":[{\"code\":\"irq.all_on_one\",\"title\":\"All on one\","
	    "\"reason\":\"4 \\\"cores\\\" take part\"},{\"code\":\"napi.threads\","
	    "\"title\":\"Threads\",\"reason\":\"not known: needs threads\"}],"
	    "\"advice\":[{\"command\":"
	    "\"ethtool -L eth0 combined 4\",\"expect\":\"four queues\",\"undo\":null,"
	    "\"persistent\":false,\"disruptive\":true}]}");
}
END_TEST

START_TEST(api_finding_subject_names_what_applies)
{
	struct rs_finding f = {.subject = {.kind = RS_SUBJECT_QUEUE,
				   .core = -1,
				   .queue = 0,
				   .device = "eth0",
				   .direction = "rx",
				   .irq = "31"},
	    .cleared_ms = 5,
	    .is_stale = true};

	rs_api_put_finding(&j, &f);
	ck_assert(rs_json_is_whole(&j));
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&out),
	    "\"subject\":{\"kind\":\"queue\",\"device\":\"eth0\",\"queue\":0,\"direction\":\"rx\","
	    "\"irq\":\"31\"},\"raised_ms\":0,\"cleared_ms\":5,"));
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&out), "\"stale\":true"));
	ck_assert_ptr_nonnull(strstr(rs_buf_cstr(&out), "\"ruled_out\":[]"));
}
END_TEST

static const struct {
	struct rs_change change;
	const char *subject;
} changes[] = {
    {{.fact = RS_F_KERNEL, .labels = {.cpu = -1, .queue = -1}}, "{\"kind\":\"host\"}"},
    {{.fact = RS_F_GOVERNOR, .labels = {.cpu = 0, .queue = -1}}, "{\"kind\":\"core\",\"core\":0}"},
    {{.fact = RS_F_MTU, .labels = {.cpu = -1, .queue = -1, .device = "eth\"0"}},
	"{\"kind\":\"interface\",\"device\":\"eth\\\"0\"}"},
    {{.fact = RS_F_RPS_CPUS, .labels = {.cpu = -1, .queue = 0, .device = "x"}},
	"{\"kind\":\"queue\",\"device\":\"x\",\"queue\":0,\"direction\":\"rx\"}"},
    {{.fact = RS_F_XPS_CPUS, .labels = {.cpu = -1, .queue = 7, .device = "x"}},
	"{\"kind\":\"queue\",\"device\":\"x\",\"queue\":7,\"direction\":\"tx\"}"},
    {{.fact = RS_F_IRQ_EFFECTIVE, .labels = {.cpu = -1, .queue = -1, .irq = "31"}},
	"{\"kind\":\"irq\",\"irq\":\"31\"}"},
};

START_TEST(api_change_has_the_subject_of_its_kind)
{
	struct rs_change c = changes[_i].change;
	char expected[400];

	c.id = 12;
	c.at_ms = INT64_C(1700000000123);
	(void)snprintf(c.old, sizeof(c.old), "0-3");
	(void)snprintf(expected, sizeof(expected),
	    "{\"id\":12,\"at_ms\":1700000000123,\"kind\":\"%s\",\"subject\":%s,\"old\":\"0-3\","
	    "\"new\":\"\"}",
	    rs_facts[c.fact].name, changes[_i].subject);
	rs_api_put_change(&j, &c);
	assert_json(expected);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("api");
	TCase *tc = tcase_create("api");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, api_cores_have_every_field_and_null_for_what_is_not_known);
	tcase_add_test(tc, api_cores_have_no_irq_time_under_tick_accounting);
	tcase_add_test(tc, api_cores_are_fed_by_queues_that_fired_on_them);
	tcase_add_test(tc, api_cores_tell_a_queue_once_that_is_polled_where_its_line_fires);
	tcase_add_test(tc, api_interfaces_have_every_field_and_null_for_what_is_not_known);
	tcase_add_test(tc, api_interrupts_leave_zero_cells_and_control_lines_out);
	tcase_add_test(tc, api_empty_views_are_empty_arrays);
	tcase_add_test(tc, api_finding_has_subject_evidence_causes_and_advice);
	tcase_add_test(tc, api_finding_subject_names_what_applies);
	tcase_add_loop_test(tc, api_change_has_the_subject_of_its_kind, 0, RS_ARRAY_LEN(changes));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

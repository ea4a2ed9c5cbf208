/* SPDX-License-Identifier: ISC */
/*
 * The text parsers: what they make of whole, old, odd and damaged files. Each
 * text is parsed from a copy of exactly its size, so that a sanitizer sees a
 * read past its end.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "rs_check.h"

static struct rs_frame *frame;
static char *copy; /* the text the frame's slices point into */
static struct rs_cpuset online;
static struct rs_sys sys;

static void
set_up(void)
{
	ck_assert_int_eq(rs_frame_new(1u << 20, &frame), 0);
	sys = (struct rs_sys){.online = NULL};
	copy = NULL;
}

static void
tear_down(void)
{
	rs_frame_free(frame);
	free(copy);
}

static void
set_online(const char *list)
{
	ck_assert_int_eq(rs_cpuset_parse_list(rs_text_of(list), &online), 0);
	sys.online = &online;
}

static int
parse_bytes(const char *id, const char *text, size_t len)
{
	free(copy);
	copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, text, len);
	rs_frame_reset(frame, 0);
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, id) == 0)
			return (*c)->parse((struct rs_text){copy, copy + len}, &sys, frame);
	}
	ck_abort_msg("no collector '%s'", id);
	return 0;
}

static int
parse(const char *id, const char *text)
{
	return parse_bytes(id, text, strlen(text));
}

static bool
find(enum rs_metric_id metric, uint32_t key, uint64_t *ret)
{
	for (size_t i = 0; i < frame->n_readings; i++) {
		if (frame->readings[i].metric == metric && frame->readings[i].key == key) {
			*ret = frame->readings[i].value;
			return true;
		}
	}
	return false;
}

static void
assert_value(enum rs_metric_id metric, uint32_t key, uint64_t want)
{
	uint64_t got = 0;
	ck_assert_msg(find(metric, key, &got), "no %s of %u", rs_metrics[metric].name, key);
	ck_assert_uint_eq(got, want);
}

static void
assert_none(enum rs_metric_id metric, uint32_t key)
{
	uint64_t got;
	ck_assert(!find(metric, key, &got));
}

/* --- whole files, used by the tests of damage too --- */

static const char stat_text[] = "cpu  300 3 30 3000 9 0 6 0 0 0\n"
				"cpu0 100 1 10 1000 3 1 2 4 50 0\n"
				"cpu2 101 2 11 1001 4 2 3 5 51 0\n"
				"cpu17 18446744073709551615 0 12 1002 5 3 4 6 52 0\n"
				"intr 123456 0 9 0 0 0 1\n"
				"ctxt 99\n"
				"softirq 10 1 2 3\n";

static const char softirqs_text[] = "                    CPU0       CPU1       CPU3       \n"
				    "          HI:          0          1          2\n"
				    "      NET_TX:         10         11         12\n"
				    "      NET_RX: 4294967295    5000001    5000002\n"
				    "    WHATEVER:          7          7          7\n"
				    "         RCU:        300        301        302\n";

static const char softnet_text[] =
    "0000aaaa 00000001 00000002 00000000 00000000 00000000 00000000 00000000 00000000 00000003 "
    "00000004 00000005 00000000 00000000 00000005\n"
    "ffffffff 00000011 00000012 00000000 00000000 00000000 00000000 00000000 00000000 00000013 "
    "00000014 00000015 00000003 00000000 00000005\n";

static const char net_dev_text[] =
    "Inter-|   Receive                                                |  Transmit\n"
    " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop "
    "fifo colls carrier compressed\n"
    "    lo:     100       2    0    0    0     0          0         0      100       2    0    0  "
    "  "
    "0     0       0          0\n"
    "  eth0: 9999999999 8000000    1    2    3     4          5         6 7777777777 6000000    7  "
    " "
    " 8    9    10      11         12\n"
    "wan.100:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n";

static const char interrupts_text[] =
    "            CPU0       CPU1       CPU3       \n"
    "   0:         40          0          0   IO-APIC   2-edge      timer\n"
    "  24: 4294967295         12          0   PCI-MSI 524288-edge      eth0-TxRx-0\n"
    "  25:          1          2          3   GIC  1e100000.ethernet\n"
    " 100:          0          0          9   PCI-MSI 65537-edge      enp5s0f4d1 (queue 11), "
    "eth%d\n"
    "IPI0:2768808080          2          3       Rescheduling interrupts\n"
    " FIQ:              usb_fiq\n"
    " ERR:          7\n"
    " LOC:        100        200        300   Local timer interrupts\n";

static const struct {
	const char *id, *text;
} wholes[] = {
    {"stat", stat_text},
    {"softirqs", softirqs_text},
    {"softnet", softnet_text},
    {"net_dev", net_dev_text},
    {"interrupts", interrupts_text},
};

/* --- what the whole files give --- */

START_TEST(cpu_times_are_those_of_the_named_cores)
{
	ck_assert_int_eq(parse("stat", stat_text), 0);
	ck_assert_uint_eq(frame->n_readings, 24);
	assert_value(RS_M_CPU_USER, 0, 100);
	assert_value(RS_M_CPU_STEAL, 2, 5);
	assert_value(RS_M_CPU_IRQ, 17, 3);
	assert_value(RS_M_CPU_USER, 17, UINT64_MAX);
	assert_none(RS_M_CPU_USER, 1);
	char list[32];
	ck_assert(frame->has_cpus_seen);
	rs_cpuset_format(&frame->cpus_seen, list, sizeof(list));
	ck_assert_str_eq(list, "0,2,17");
	ck_assert_uint_eq(frame->skipped_rows, 0);
}
END_TEST

START_TEST(softirqs_are_those_of_the_header_s_cores)
{
	ck_assert_int_eq(parse("softirqs", softirqs_text), 0);
	assert_value(RS_M_SOFTIRQ_NET_RX, 0, UINT32_MAX);
	assert_value(RS_M_SOFTIRQ_NET_RX, 3, 5000002);
	assert_value(RS_M_SOFTIRQ_RCU, 1, 301);
	assert_none(RS_M_SOFTIRQ_RCU, 2);
	ck_assert_uint_eq(frame->n_readings, 12);
	ck_assert_uint_eq(frame->skipped_rows, 0);
}
END_TEST

START_TEST(softnet_rows_are_those_of_their_cpu_column)
{
	set_online("0-1"); /* not asked when rows have numbers */
	ck_assert_int_eq(parse("softnet", softnet_text), 0);
	assert_value(RS_M_SOFTNET_PROCESSED, 0, 0xaaaa);
	assert_value(RS_M_SOFTNET_DROPPED, 0, 1);
	assert_value(RS_M_SOFTNET_SQUEEZED, 3, 0x12);
	assert_value(RS_M_SOFTNET_RPS, 3, 0x13);
	assert_value(RS_M_SOFTNET_FLOW_LIMIT, 3, 0x14);
	assert_value(RS_M_SOFTNET_BACKLOG, 3, 0x15);
	assert_value(RS_M_SOFTNET_PROCESSED, 3, UINT32_MAX);
	assert_none(RS_M_SOFTNET_PROCESSED, 1);
}
END_TEST

static uint32_t
nic_key(const char *name)
{
	for (size_t i = 0; i < frame->n_nics; i++) {
		if (strcmp(frame->nics[i].name, name) == 0)
			return frame->nics[i].ifindex;
	}
	ck_abort_msg("no interface '%s'", name);
	return 0;
}

START_TEST(interface_counters_are_told_by_name)
{
	ck_assert_int_eq(parse("net_dev", net_dev_text), 0);
	ck_assert(frame->has_nics);
	ck_assert_uint_eq(frame->n_nics, 3);
	const uint32_t eth0 = nic_key("eth0");
	assert_value(RS_M_NIC_RX_BYTES, eth0, 9999999999);
	assert_value(RS_M_NIC_RX_DROPPED, eth0, 2);
	assert_value(RS_M_NIC_RX_FIFO, eth0, 3);
	assert_value(RS_M_NIC_MULTICAST, eth0, 6);
	assert_value(RS_M_NIC_TX_DROPPED, eth0, 8);
	assert_value(RS_M_NIC_COLLISIONS, eth0, 10);
	/* drop contains what was missed; how much of it is not told. */
	assert_none(RS_M_NIC_RX_MISSED, eth0);
	assert_none(RS_M_NIC_RX_CRC, eth0);
	assert_value(RS_M_NIC_TX_PACKETS, nic_key("wan.100"), 10);
	ck_assert(frame->nics[0].is_loopback);
	/* The key is made from the name: the same in the next reading. */
	const uint32_t wan = nic_key("wan.100");
	ck_assert_int_eq(parse("net_dev", net_dev_text), 0);
	ck_assert_uint_eq(nic_key("wan.100"), wan);
}
END_TEST

static const struct rs_irq_row *
row_of(const char *name)
{
	for (uint32_t i = 0; i < frame->irqs.n_rows; i++) {
		if (rs_text_eq(frame->irqs.rows[i].name, name))
			return &frame->irqs.rows[i];
	}
	return NULL;
}

static uint32_t
cell(const char *name, uint32_t column)
{
	const struct rs_irq_row *const r = row_of(name);
	ck_assert_msg(r != NULL, "no row '%s'", name);
	ck_assert_uint_lt(column, r->cells);
	return frame->irqs.cells[r->first_cell + column];
}

static void
assert_rest(const char *name, const char *want)
{
	char got[256];
	ck_assert_ptr_nonnull(row_of(name));
	ck_assert(rs_text_copy(row_of(name)->rest, got, sizeof(got)));
	ck_assert_str_eq(got, want);
}

START_TEST(interrupts_are_a_matrix_of_lines_and_named_cores)
{
	ck_assert_int_eq(parse("interrupts", interrupts_text), 0);
	const struct rs_irq_matrix *const m = &frame->irqs;
	ck_assert(m->is_present);
	ck_assert_uint_eq(m->columns, 3);
	ck_assert_uint_eq(m->cpu[2], 3);
	ck_assert_uint_eq(m->n_rows, 8);
	ck_assert_uint_eq(cell("24", 0), UINT32_MAX);
	ck_assert_uint_eq(cell("100", 2), 9);
	ck_assert_uint_eq(cell("IPI0", 0), 2768808080);
	ck_assert_uint_eq(cell("ERR", 0), 7);
	ck_assert_uint_eq(row_of("ERR")->cells, 1);
	ck_assert_uint_eq(row_of("FIQ")->cells, 0);
	ck_assert(row_of("100")->is_numbered);
	ck_assert(!row_of("IPI0")->is_numbered);
	assert_rest("0", "IO-APIC   2-edge      timer");
	assert_rest("25", "GIC  1e100000.ethernet");
	assert_rest("100", "PCI-MSI 65537-edge      enp5s0f4d1 (queue 11), eth%d");
	assert_rest("FIQ", "usb_fiq");
	ck_assert_uint_eq(frame->skipped_rows, 0);
}
END_TEST

static const char conntrack_text[] =
    "entries  clashres found new invalid ignore delete chainlength insert insert_failed drop "
    "early_drop icmp_error  expect_new expect_create expect_delete search_restart\n"
    "0000fde8  00000001 00000002 00000000 00000003 00000000 00000000 00000000 00000000 00000010 "
    "00000005 00000001 00000000  00000000 00000000 00000000 00000000\n"
    "0000fde8  00000001 00000002 00000000 00000003 00000000 00000000 00000000 00000000 00000020 "
    "fffffffe 00000002 00000000  00000000 00000000 00000000 00000000\n";
static const char old_conntrack_text[] =
    "entries  searched found new invalid ignore delete delete_list insert insert_failed drop "
    "early_drop icmp_error\r\n"
    "00000007  00000001 00000002 00000003 00000004 00000005 00000006 00000007 00000008 00000009 "
    "0000000a 0000000b 0000000c\r\n";

START_TEST(conntrack_is_read_by_the_names_of_its_header)
{
	ck_assert_int_eq(parse("conntrack", conntrack_text), 0);
	ck_assert_uint_eq(frame->n_readings, 4);
	assert_value(RS_M_CONNTRACK_ENTRIES, 0, 65000);
	assert_value(RS_M_CONNTRACK_INSERT_FAILED, 0, 0x30);
	assert_value(RS_M_CONNTRACK_EARLY_DROPS, 0, 3);
	assert_value(RS_M_CONNTRACK_DROPPED, 0, 3); /* 32 bits wide, and so is the sum */
	ck_assert_int_eq(parse("conntrack", old_conntrack_text), 0);
	assert_value(RS_M_CONNTRACK_ENTRIES, 0, 7);
	assert_value(RS_M_CONNTRACK_INSERT_FAILED, 0, 9);
	assert_value(RS_M_CONNTRACK_DROPPED, 0, 10);
	assert_value(RS_M_CONNTRACK_EARLY_DROPS, 0, 11);
	/* Other columns, or none of ours. */
	ck_assert_int_eq(parse("conntrack", "drop entries\n00000003 00000009\n"), 0);
	ck_assert_uint_eq(frame->n_readings, 2);
	assert_value(RS_M_CONNTRACK_ENTRIES, 0, 9);
	assert_value(RS_M_CONNTRACK_DROPPED, 0, 3);
	ck_assert_int_eq(parse("conntrack", "found new\n00000003 00000009\n"), -EINVAL);
}
END_TEST

START_TEST(conntrack_with_a_row_missing_has_no_sums)
{
	/* One of three cores is missing. */
	set_online("0-2");
	ck_assert_int_eq(parse("conntrack", conntrack_text), 0);
	ck_assert_uint_eq(frame->n_readings, 1);
	assert_value(RS_M_CONNTRACK_ENTRIES, 0, 65000);
	/* More rows than cores online: there are possible ones beside. */
	set_online("0");
	ck_assert_int_eq(parse("conntrack", conntrack_text), 0);
	ck_assert_uint_eq(frame->n_readings, 4);
	/* Cut anywhere no sum is made of a part. */
	set_online("0-1");
	for (size_t len = 0; len < sizeof(conntrack_text) - 2; len++) {
		const int rc = parse_bytes("conntrack", conntrack_text, len);
		ck_assert(rc == 0 || rc == -EINVAL);
		assert_none(RS_M_CONNTRACK_DROPPED, 0);
		ck_assert_uint_le(frame->n_readings, 1);
	}
	ck_assert_int_eq(
	    parse("conntrack", "entries drop\n00000009 00000001\n00000009 000000001\n"), 0);
	assert_none(RS_M_CONNTRACK_DROPPED, 0);
	ck_assert_uint_eq(frame->skipped_rows, 1);
}
END_TEST

/* --- damage --- */

static bool
is_in(const struct rs_frame *whole, const struct rs_reading *r)
{
	for (size_t i = 0; i < whole->n_readings; i++) {
		const struct rs_reading *const w = &whole->readings[i];
		if (w->metric == r->metric && w->key == r->key && w->value == r->value)
			return true;
	}
	return false;
}

static bool
has_row(
    const struct rs_irq_matrix *whole, const struct rs_irq_matrix *m, const struct rs_irq_row *row)
{
	for (uint32_t i = 0; i < whole->n_rows; i++) {
		const struct rs_irq_row *const w = &whole->rows[i];
		if (rs_text_same(w->name, row->name) && w->cells == row->cells &&
		    memcmp(whole->cells + w->first_cell, m->cells + row->first_cell,
			row->cells * sizeof(uint32_t)) == 0)
			return true;
	}
	return false;
}

/* All that the frame holds is in `whole` too. */
static void
assert_part_of(const struct rs_frame *whole)
{
	for (size_t i = 0; i < frame->n_readings; i++)
		ck_assert(is_in(whole, &frame->readings[i]));
	ck_assert_uint_le(frame->irqs.n_rows, whole->irqs.n_rows);
	for (uint32_t i = 0; i < frame->irqs.n_rows; i++)
		ck_assert(has_row(&whole->irqs, &frame->irqs, &frame->irqs.rows[i]));
	for (unsigned cpu = 0; cpu < 64; cpu++)
		ck_assert(!rs_cpuset_has(&frame->cpus_seen, cpu) ||
			  rs_cpuset_has(&whole->cpus_seen, cpu));
}

/* Parses the whole text, keeps the frame and goes on with a new one. */
static struct rs_frame *
parse_and_keep(size_t i, char **ret_copy)
{
	ck_assert_int_eq(parse(wholes[i].id, wholes[i].text), 0);
	struct rs_frame *const kept = frame;
	*ret_copy = copy;
	set_up();
	return kept;
}

START_TEST(a_cut_file_gives_a_part_of_the_numbers_and_no_others)
{
	char *kept_copy;
	struct rs_frame *const whole = parse_and_keep((size_t)_i, &kept_copy);
	const size_t len = strlen(wholes[_i].text);
	for (size_t n = 0; n < len; n++) {
		const int error = parse_bytes(wholes[_i].id, wholes[_i].text, n);
		ck_assert(error == 0 || error == -EINVAL);
		assert_part_of(whole);
	}
	ck_assert_int_eq(parse(wholes[_i].id, ""), -EINVAL);
	rs_frame_free(whole);
	free(kept_copy);
}
END_TEST

static void
assert_sound(void)
{
	const struct rs_irq_matrix *const m = &frame->irqs;
	for (uint32_t i = 0; i < m->n_rows; i++) {
		const struct rs_irq_row *const r = &m->rows[i];
		ck_assert_uint_le(r->cells, m->columns);
		ck_assert_uint_le(r->first_cell + m->columns, m->n_cells);
		ck_assert(r->name.p < r->name.end && r->rest.p <= r->rest.end);
	}
	for (size_t i = 0; i < frame->n_readings; i++) {
		if (rs_metrics[frame->readings[i].metric].on == RS_ON_CPU)
			ck_assert_uint_lt(frame->readings[i].key, RS_CPU_MAX);
	}
}

START_TEST(any_byte_may_be_any_other)
{
	static const char others[] = {'\0', '\t', '\n', '\r', ' ', '-', '9', ':', 'x', '|', '\xff'};
	const size_t len = strlen(wholes[_i].text);
	char *const text = malloc(len);
	ck_assert_ptr_nonnull(text);
	for (size_t n = 0; n < len * sizeof(others); n++) {
		memcpy(text, wholes[_i].text, len);
		text[n / sizeof(others)] = others[n % sizeof(others)];
		(void)parse_bytes(wholes[_i].id, text, len);
		assert_sound();
	}
	free(text);
}
END_TEST

START_TEST(crlf_changes_nothing)
{
	char *kept_copy;
	struct rs_frame *const whole = parse_and_keep((size_t)_i, &kept_copy);
	char text[4096];
	size_t n = 0;
	for (const char *p = wholes[_i].text; *p; p++) {
		if (*p == '\n')
			text[n++] = '\r';
		text[n++] = *p;
	}
	ck_assert_int_eq(parse_bytes(wholes[_i].id, text, n), 0);
	assert_part_of(whole);
	ck_assert_uint_eq(frame->n_readings, whole->n_readings);
	ck_assert_uint_eq(frame->irqs.n_rows, whole->irqs.n_rows);
	rs_frame_free(whole);
	free(kept_copy);
}
END_TEST

START_TEST(the_final_newline_may_be_missing)
{
	char *kept_copy;
	struct rs_frame *const whole = parse_and_keep((size_t)_i, &kept_copy);
	ck_assert_int_eq(
	    parse_bytes(wholes[_i].id, wholes[_i].text, strlen(wholes[_i].text) - 1), 0);
	assert_part_of(whole);
	/* A number at the very end might be cut: softirqs end with one. */
	ck_assert_uint_ge(frame->n_readings + 1, whole->n_readings);
	ck_assert_uint_eq(frame->irqs.n_rows, whole->irqs.n_rows);
	rs_frame_free(whole);
	free(kept_copy);
}
END_TEST

/* --- single rows --- */

static const struct {
	const char *id, *text;
	int error;
	unsigned skipped;
	size_t n_readings;
	uint32_t n_rows; /* of interrupts */
} rows[] = {
    /* /proc/stat */
    {"stat", "cpu0 1 2 3 4\n", 0, 0, 4, 0},
    {"stat", "cpu0 1 2 3 4 5 6 7\n", 0, 0, 7, 0},
    {"stat", "cpu0 1 2 3 4 5 6 7 8\n", 0, 0, 8, 0},
    {"stat", "cpu0 1 2 3 4 5 6 7 8 9 10 11 12\n", 0, 0, 8, 0},
    {"stat", "cpu0 1 2 3\n", -EINVAL, 1, 0, 0},
    {"stat", "cpu0 1 2 3 -4 5 6 7 8\ncpu1 1 2 3 4\n", 0, 1, 4, 0},
    {"stat", "cpu0 1 2 3 4x 5 6 7 8\ncpu1 1 2 3 4\n", 0, 1, 4, 0},
    {"stat", "cpu0 1 2 99999999999999999999 4 5\ncpu1 1 2 3 4\n", 0, 1, 4, 0},
    {"stat", "cpu0 1 2 3 4\n\n\ncpu1 1 2 3 4\n", 0, 0, 8, 0},
    {"stat", "cpu0 1 2 3 4\ncpu0 5 6 7 8\n", 0, 1, 4, 0},
    {"stat", "cpu8191 1 2 3 4\ncpu8192 1 2 3 4\n", 0, 1, 4, 0},
    {"stat", "cpu99999999999999999999 1 2 3 4\n", -EINVAL, 1, 0, 0},
    {"stat", "cpu 1 2 3 4\n", -EINVAL, 0, 0, 0},
    {"stat", "intr 5 6 7\nctxt 9\n", -EINVAL, 0, 0, 0},
    /* /proc/softirqs */
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n RCU: 1\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n RCU: 1 2 3\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n RCU: 1 4294967296\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n RCU: 1 99999999999999999999\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n RCU: 1 -2\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n nonsense\n", 0, 1, 2, 0},
    {"softirqs", " CPU0 CPU1\n HI: 1 2\n\n", 0, 0, 2, 0},
    {"softirqs", " CPU0 CPU1\n BLOCK_IOPOLL: 1 2\n", 0, 0, 2, 0},
    {"softirqs", "HI: 1 2\n", -EINVAL, 0, 0, 0},
    {"softirqs", " CPU1 CPU0\n HI: 1 2\n", -EINVAL, 0, 0, 0},
    {"softirqs", " CPU0 CPU8192\n HI: 1 2\n", -EINVAL, 0, 0, 0},
    {"softirqs", " CPU0 CPU1\n", -EINVAL, 0, 0, 0},
    /* /proc/net/dev */
    {"net_dev", "eth0:1:1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", 0, 0, 11, 0},
    {"net_dev", "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15\n", -EINVAL, 1, 0, 0},
    {"net_dev", "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17\n", -EINVAL, 1, 0, 0},
    {"net_dev", "eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 -16\n", -EINVAL, 1, 0, 0},
    {"net_dev", "eth0: 99999999999999999999 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", -EINVAL, 1, 0,
	0},
    {"net_dev", "eth0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", -EINVAL, 1, 0, 0},
    {"net_dev", ": 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", -EINVAL, 1, 0, 0},
    {"net_dev", "fifteen-bytes-x: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", 0, 0, 11, 0},
    {"net_dev", "sixteen-bytes-xx: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", -EINVAL, 1, 0, 0},
    {"net_dev",
	"e: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\ne: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16\n", 0,
	1, 11, 0},
    {"net_dev", "a|b\n", -EINVAL, 0, 0, 0},
    /* /proc/interrupts */
    {"interrupts", "CPU0 CPU1\n24: 1 2 chip eth0\n", 0, 0, 0, 1},
    {"interrupts", "\nnoise\n  CPU0 CPU1\n24: 1 2 chip eth0\n", 0, 0, 0, 1},
    {"interrupts", "\tCPU0\tCPU1\n\t24:\t1\t2\tchip\n", 0, 0, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 chip eth0\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 2 3 chip eth0\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 4294967296 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 99999999999999999999 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: -1 2 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 -2 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n24 1 2 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\n: 1 2 chip\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\nno such file: x\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\nSIXTEEN_BYTES_XX: 1 2 x\n25: 1 2 x\n", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\nFIFTEEN_BYTES_X: 1 2 x\n25: 1 2 x\n", 0, 0, 0, 2},
    {"interrupts", "CPU0 CPU1\n24: 1 2\n", 0, 0, 0, 1},
    {"interrupts", "CPU0 CPU1\n24: 1 2\n25: 3 4", 0, 1, 0, 1},
    {"interrupts", "CPU0 CPU1\nERR: 1\nMIS: 0\nERR: 1 2 3\n", 0, 1, 0, 2},
    {"interrupts", "CPU0\n24: 1 chip\nERR: 1\n", 0, 0, 0, 2},
    {"interrupts", "24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU1 CPU0\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU0\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPUX\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU8192\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU99999999999999999999\n24: 1 2 chip\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU1\n", -EINVAL, 0, 0, 0},
    {"interrupts", "CPU0 CPU1", -EINVAL, 0, 0, 0},
};

START_TEST(a_row_that_cannot_be_used_is_counted_and_left_out)
{
	ck_assert_msg(parse(rows[_i].id, rows[_i].text) == rows[_i].error &&
			  frame->skipped_rows == rows[_i].skipped &&
			  frame->n_readings == rows[_i].n_readings &&
			  frame->irqs.n_rows == rows[_i].n_rows,
	    "%s '%s': %u skipped, %zu readings, %u rows", rows[_i].id, rows[_i].text,
	    frame->skipped_rows, frame->n_readings, frame->irqs.n_rows);
}
END_TEST

START_TEST(a_core_whose_times_are_damaged_is_still_there)
{
	ck_assert_int_eq(parse("stat", "cpu0 1 2 3 4\ncpu1 1 2 -3 4\n"), 0);
	ck_assert(rs_cpuset_has(&frame->cpus_seen, 1));
	assert_none(RS_M_CPU_USER, 1);
}
END_TEST

START_TEST(a_long_line_of_interrupts_in_stat_is_passed_over)
{
	enum { BYTES = 200000 };
	char *const text = malloc(BYTES + 64);
	ck_assert_ptr_nonnull(text);
	int n = sprintf(text, "cpu0 1 2 3 4 5 6 7 8\nintr 1");
	while (n < BYTES)
		n += sprintf(text + n, " 0");
	n += sprintf(text + n, "\ncpu1 1 2 3 4 5 6 7 8\n");
	ck_assert_int_eq(parse_bytes("stat", text, (size_t)n), 0);
	ck_assert_uint_eq(frame->n_readings, 16);
	free(text);
}
END_TEST

/* Rows of softnet_stat with as many columns as asked; the first is 1, 2, ... */
static size_t
softnet_rows(char *text, unsigned n, unsigned columns)
{
	size_t len = 0;
	for (unsigned r = 0; r < n; r++) {
		for (unsigned c = 0; c < columns; c++)
			len += (size_t)sprintf(
			    text + len, "%08x%c", c ? 0 : r + 1, c + 1 < columns ? ' ' : '\n');
	}
	return len;
}

START_TEST(old_softnet_rows_are_the_online_cores_in_order)
{
	char text[1024];
	for (unsigned columns = 9; columns <= 12; columns++) {
		const size_t len = softnet_rows(text, 3, columns);
		set_online("0,2,5");
		ck_assert_int_eq(parse_bytes("softnet", text, len), 0);
		assert_value(RS_M_SOFTNET_PROCESSED, 0, 1);
		assert_value(RS_M_SOFTNET_PROCESSED, 2, 2);
		assert_value(RS_M_SOFTNET_PROCESSED, 5, 3);
		const size_t known = 3u + (columns > 9) + (columns > 10) + (columns > 11);
		ck_assert_uint_eq(frame->n_readings, 3 * known);
		/* As many rows as cores, or nobody knows which is whose. */
		set_online("0-3");
		ck_assert_int_eq(parse_bytes("softnet", text, len), -EINVAL);
		set_online("0-1");
		ck_assert_int_eq(parse_bytes("softnet", text, len), -EINVAL);
		sys.online = NULL;
		ck_assert_int_eq(parse_bytes("softnet", text, len), -EINVAL);
		ck_assert_uint_eq(frame->n_readings, 0);
	}
}
END_TEST

static const char *const bad_softnet[] = {
    "00000001 00000001 00000001 00000000 00000000 00000000 00000000 00000000\n", /* 8 columns */
    "1 1 1 0 0 0 0 0 0\n",
    "0000000g 00000001 00000001 00000000 00000000 00000000 00000000 00000000 00000000\n",
    "00000000000000000001 0000000a 00000001 00000000 0 00000000 00000000 00000000 00000000\n",
    "-0000001 00000001 00000001 00000000 00000000 00000000 00000000 00000000 00000000\n",
    "\n\n",
};

START_TEST(a_damaged_softnet_row_is_no_core_s)
{
	set_online("0");
	ck_assert_int_eq(parse("softnet", bad_softnet[_i]), -EINVAL);
	/* Beside a good row of the new form it is one skipped row. */
	char text[1024];
	(void)snprintf(text, sizeof(text), "%s%s", softnet_text, bad_softnet[_i]);
	ck_assert_int_eq(parse("softnet", text), 0);
	ck_assert_uint_eq(frame->skipped_rows, bad_softnet[_i][0] != '\n');
	ck_assert_uint_eq(frame->n_readings, 12);
}
END_TEST

/* --- many cores --- */

enum { MANY = 1152, LINES = 20 };

static uint32_t
value_of(unsigned line, unsigned cpu)
{
	const uint32_t x = (line * 7919u + cpu) * 2654435761u;
	return x >> (x & 31);
}

/* CPUs 0 to 1151 without 7 and without 100 to 163. */
static bool
is_online(unsigned cpu)
{
	return cpu != 7 && (cpu < 100 || cpu > 163);
}

static size_t
many_cores(char *text, const char *blank, int width)
{
	size_t len = 0;
	for (unsigned c = 0; c < MANY; c++)
		len += is_online(c) ? (size_t)sprintf(text + len, " CPU%-8u", c) : 0;
	text[len++] = '\n';
	for (unsigned l = 0; l < LINES; l++) {
		len += (size_t)sprintf(text + len, "%5u:", l);
		for (unsigned c = 0; c < MANY; c++) {
			if (is_online(c))
				len += (size_t)sprintf(
				    text + len, "%s%*u", blank, width, value_of(l, c));
		}
		len += (size_t)sprintf(text + len, "  PCI-MSI  eth0-TxRx-%u\n", l);
	}
	return len;
}

START_TEST(a_thousand_cores_with_gaps_keep_their_numbers)
{
	/* The kernel's layout, and two that are not: single blanks, wider. */
	static const struct {
		const char *blank;
		int width;
	} layouts[] = {{" ", 10}, {" ", 1}, {"  ", 10}};
	char *const text = malloc((size_t)(LINES + 1) * MANY * 13 + 4096);
	ck_assert_ptr_nonnull(text);
	const size_t len = many_cores(text, layouts[_i].blank, layouts[_i].width);
	ck_assert_int_eq(parse_bytes("interrupts", text, len), 0);
	const struct rs_irq_matrix *const m = &frame->irqs;
	ck_assert_uint_eq(m->columns, MANY - 65);
	ck_assert_uint_eq(m->n_rows, LINES);
	ck_assert_uint_eq(frame->skipped_rows, 0);
	for (unsigned l = 0; l < LINES; l++) {
		char rest[40];
		(void)sprintf(rest, "PCI-MSI  eth0-TxRx-%u", l);
		ck_assert(rs_text_eq(m->rows[l].rest, rest));
		ck_assert_uint_eq(m->rows[l].cells, m->columns);
		for (uint32_t c = 0; c < m->columns; c++) {
			ck_assert(is_online(m->cpu[c]));
			ck_assert_uint_eq(
			    m->cells[m->rows[l].first_cell + c], value_of(l, m->cpu[c]));
		}
	}
	free(text);
}
END_TEST

START_TEST(a_thousand_cores_have_all_their_softirqs)
{
	char *const text = malloc((size_t)2 * MANY * 12 + 4096);
	ck_assert_ptr_nonnull(text);
	size_t len = 0;
	for (unsigned c = 0; c < MANY; c++)
		len += (size_t)sprintf(text + len, " CPU%-8u", c);
	len += (size_t)sprintf(text + len, "\n NET_RX:");
	for (unsigned c = 0; c < MANY; c++)
		len += (size_t)sprintf(text + len, " %10u", value_of(0, c));
	text[len++] = '\n';
	ck_assert_int_eq(parse_bytes("softirqs", text, len), 0);
	ck_assert_uint_eq(frame->n_readings, MANY);
	for (unsigned c = 0; c < MANY; c++)
		assert_value(RS_M_SOFTIRQ_NET_RX, c, value_of(0, c));
	free(text);
}
END_TEST

/* The quick way through a row in the kernel's layout and the slow one for all
 * others agree whatever a byte is. One blank more behind the name is enough to
 * be sent the slow way. */
START_TEST(both_ways_through_a_row_agree)
{
	enum { COLUMNS = 17 };
	char quick[1024], slow[1024];
	size_t header = 0;
	for (unsigned c = 0; c < COLUMNS; c++)
		header += (size_t)sprintf(quick + header, "CPU%-8u", c);
	quick[header++] = '\n';
	const size_t name = header + (size_t)sprintf(quick + header, "24:");
	size_t len = name;
	for (unsigned c = 0; c < COLUMNS; c++)
		len += (size_t)sprintf(quick + len, " %10u", value_of(3, c * 5));
	const size_t end = len;
	len += (size_t)sprintf(quick + len, "  chip  eth0\n25: 1\n");
	for (size_t at = name; at <= end; at++) {
		const char before = quick[at];
		for (unsigned byte = 0; byte < 256; byte++) {
			quick[at] = (char)byte;
			memcpy(slow, quick, name);
			slow[name] = ' ';
			memcpy(slow + name + 1, quick + name, len - name);
			const int first = parse_bytes("interrupts", quick, len);
			struct rs_frame *const kept = frame;
			char *const kept_copy = copy;
			set_up();
			ck_assert_int_eq(parse_bytes("interrupts", slow, len + 1), first);
			ck_assert_uint_eq(frame->skipped_rows, kept->skipped_rows);
			ck_assert_uint_eq(frame->irqs.n_rows, kept->irqs.n_rows);
			for (uint32_t i = 0; i < frame->irqs.n_rows; i++) {
				ck_assert(has_row(&kept->irqs, &frame->irqs, &frame->irqs.rows[i]));
				ck_assert(rs_text_same(
				    kept->irqs.rows[i].rest, frame->irqs.rows[i].rest));
			}
			rs_frame_free(kept);
			free(kept_copy);
		}
		quick[at] = before;
	}
}
END_TEST

START_TEST(a_frame_that_is_full_says_so)
{
	rs_frame_free(frame);
	ck_assert_int_eq(rs_frame_new(5, &frame), 0);
	(void)parse("stat", stat_text);
	ck_assert(frame->is_out_of_memory);
	ck_assert_uint_eq(frame->n_readings, 5);
	rs_frame_free(frame);
	ck_assert_int_eq(rs_frame_new(1u << 20, &frame), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("collectors");
	TCase *const t = tcase_create("parsers");
	const int n = (int)RS_ARRAY_LEN(wholes);
	tcase_add_checked_fixture(t, set_up, tear_down);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, cpu_times_are_those_of_the_named_cores);
	tcase_add_test(t, softirqs_are_those_of_the_header_s_cores);
	tcase_add_test(t, softnet_rows_are_those_of_their_cpu_column);
	tcase_add_test(t, interface_counters_are_told_by_name);
	tcase_add_test(t, interrupts_are_a_matrix_of_lines_and_named_cores);
	tcase_add_test(t, conntrack_is_read_by_the_names_of_its_header);
	tcase_add_test(t, conntrack_with_a_row_missing_has_no_sums);
	tcase_add_loop_test(t, a_cut_file_gives_a_part_of_the_numbers_and_no_others, 0, n);
	tcase_add_loop_test(t, any_byte_may_be_any_other, 0, n);
	tcase_add_loop_test(t, crlf_changes_nothing, 0, n);
	tcase_add_loop_test(t, the_final_newline_may_be_missing, 0, n);
	tcase_add_loop_test(
	    t, a_row_that_cannot_be_used_is_counted_and_left_out, 0, (int)RS_ARRAY_LEN(rows));
	tcase_add_test(t, a_core_whose_times_are_damaged_is_still_there);
	tcase_add_test(t, a_long_line_of_interrupts_in_stat_is_passed_over);
	tcase_add_test(t, old_softnet_rows_are_the_online_cores_in_order);
	tcase_add_loop_test(
	    t, a_damaged_softnet_row_is_no_core_s, 0, (int)RS_ARRAY_LEN(bad_softnet));
	tcase_add_loop_test(t, a_thousand_cores_with_gaps_keep_their_numbers, 0, 3);
	tcase_add_test(t, a_thousand_cores_have_all_their_softirqs);
	tcase_add_test(t, both_ways_through_a_row_agree);
	tcase_add_test(t, a_frame_that_is_full_says_so);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

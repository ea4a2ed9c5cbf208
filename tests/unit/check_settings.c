/* SPDX-License-Identifier: ISC */
/*
 * The collectors of settings, over captured trees and over the machine itself.
 */
#define _GNU_SOURCE /* unshare(), nftw() */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <net/if.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "collector.h"
#include "linux/settings.h"
#include "model.h"
#include "rs_check.h"

/* --- forms --- */

static const struct {
	rs_setting_form form;
	const char *text, *want; /* NULL: it is not of the form */
} forms[] = {
    {rs_setting_mask, "0", "none"},
    {rs_setting_mask, "00000000,00000000", "none"},
    {rs_setting_mask, "f", "0-3"},
    {rs_setting_mask, "0000000f\n", "0-3"},
    {rs_setting_mask, "1,00000005", "0,2,32"},
    {rs_setting_mask, "", NULL},
    {rs_setting_mask, "0-3", NULL},
    {rs_setting_mask, "fffffffff", NULL},
    {rs_setting_list, "", "none"},
    {rs_setting_list, "0,1,2,3,8", "0-3,8"},
    {rs_setting_list, "2-3", "2-3"},
    {rs_setting_list, "3-2", NULL},
    {rs_setting_list, "f", NULL},
    {rs_setting_number, "300", "300"},
    {rs_setting_number, "0300\n", "300"},
    {rs_setting_number, "-1", NULL},
    {rs_setting_number, "12 apples", NULL},
    {rs_setting_number, "99999999999999999999", NULL},
    {rs_setting_number, "", NULL},
    {rs_setting_switch, "0", "off"},
    {rs_setting_switch, "1", "on"},
    {rs_setting_switch, "2", "2"},
    {rs_setting_switch, "yes", NULL},
    {rs_setting_inverse, "0", "on"},
    {rs_setting_inverse, "1", "off"},
    {rs_setting_word, "powersave", "powersave"},
    {rs_setting_word, " v4.11 \xe9\x01 ", "v4.11 ??"},
    {rs_setting_word, " \n", NULL},
};

START_TEST(a_value_has_one_spelling)
{
	char text[RS_SETTING_BYTES];
	const bool is_of_form = forms[_i].form(rs_text_of(forms[_i].text), text);
	ck_assert_int_eq(is_of_form, forms[_i].want != NULL);
	if (is_of_form)
		ck_assert_str_eq(text, forms[_i].want);
}
END_TEST

START_TEST(a_zero_byte_ends_no_word)
{
	static const char with_zero[] = "a \0b\n";
	char text[RS_SETTING_BYTES];
	const struct rs_text t = {with_zero, with_zero + sizeof(with_zero) - 1};
	ck_assert(rs_setting_word(t, text));
	ck_assert_str_eq(text, "a ?b");
}
END_TEST

START_TEST(a_set_longer_than_its_place_is_cut)
{
	/* Every other one of 8192. */
	static char mask[8192 / 4 + 8192 / 32 + 1];
	char text[RS_SETTING_BYTES];
	size_t len = 0;
	for (unsigned i = 0; i < 8192 / 32; i++)
		len += (size_t)snprintf(mask + len, sizeof(mask) - len, "%s55555555", i ? "," : "");
	ck_assert(rs_setting_mask(rs_text_of(mask), text));
	ck_assert_uint_lt(strlen(text), sizeof(text));
	ck_assert_str_eq(text + strlen(text) - 3, "...");
}
END_TEST

/* --- rounds --- */

START_TEST(a_round_takes_four_seconds_however_long_a_tick_is)
{
	static const rs_ns ticks[] = {RS_NS_PER_S / 5, RS_NS_PER_S, 2 * RS_NS_PER_S};
	for (size_t k = 0; k < RS_ARRAY_LEN(ticks); k++) {
		for (size_t n = 1; n < 500; n += 7) {
			struct rs_rounds r = {0};
			rs_ns at = 1000 * RS_NS_PER_S;
			/* All at first. */
			ck_assert_uint_eq(rs_rounds_due(&r, n, at), n);
			size_t done = 0, most = 0;
			for (rs_ns t = 0; t < RS_ROUND_NS; t += ticks[k]) {
				at += ticks[k];
				const size_t due = rs_rounds_due(&r, n, at);
				done += due;
				most = RS_MAX(most, due);
			}
			ck_assert_uint_ge(done, n);
			ck_assert_uint_le(most, n * (size_t)(ticks[k] / 1000) / 4000000 + 1);
		}
	}
}
END_TEST

START_TEST(a_second_has_a_limit_of_steps)
{
	struct rs_rounds r = {0};
	ck_assert_uint_eq(rs_rounds_due(&r, 100000, 0), RS_ROUND_FIRST);
	ck_assert_uint_eq(rs_rounds_due(&r, 100000, RS_NS_PER_S), RS_ROUND_MOST);
	ck_assert_uint_eq(rs_rounds_due(&r, 100000, 3 * RS_NS_PER_S), 2 * RS_ROUND_MOST);
	/* Nor does a pause make a heap of them. */
	ck_assert_uint_eq(rs_rounds_due(&r, 100000, 1000 * RS_NS_PER_S), 4 * RS_ROUND_MOST);
	ck_assert_uint_eq(rs_rounds_due(&r, 0, 1001 * RS_NS_PER_S), 0);
	/* A clock that stands still, or steps back, does no harm. */
	ck_assert_uint_eq(rs_rounds_due(&r, 5, 1001 * RS_NS_PER_S), 1);
	ck_assert_uint_eq(rs_rounds_due(&r, 5, 0), 1);
}
END_TEST

/* Most rounds do not ask for what was refused: it is named all the same, or each
 * that does would tell of it as of something new. */
START_TEST(what_is_asked_for_in_few_rounds_stays_refused)
{
	const struct rs_setting what = {RS_F_THREADED, 2, RS_NO_QUEUE, rs_setting_switch};
	const struct rs_text none = {NULL, NULL};
	struct rs_rounds r = {0};
	struct rs_frame *f;
	rs_ns at = 1000 * RS_NS_PER_S;
	ck_assert_int_eq(rs_frame_new(10, &f), 0);
	for (unsigned i = 0; i < 10 * RS_ROUND_SLOW; i++, at += RS_ROUND_NS) {
		rs_frame_reset(f, at);
		(void)rs_rounds_due(&r, 1, at);
		if (i % RS_ROUND_SLOW == 0)
			rs_setting_told(&r, f, &what, -EACCES, none);
		rs_rounds_note(&r, f);
		ck_assert_str_eq(f->note, "not permitted: threaded");
		rs_rounds_end(&r);
	}
	/* Now it is permitted. */
	for (unsigned i = 0; i < 5 * RS_ROUND_SLOW; i++, at += RS_ROUND_NS) {
		(void)rs_rounds_due(&r, 1, at);
		rs_rounds_end(&r);
	}
	rs_frame_reset(f, at);
	rs_rounds_note(&r, f);
	ck_assert_str_eq(f->note, "");
	rs_frame_free(f);
}
END_TEST

/* --- a collector --- */

static struct rs_frame *frame;
static struct rs_root *root;
static const struct rs_collector *collector;
static void *state;

static const struct rs_collector *
find_collector(const char *id)
{
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, id) == 0)
			return *c;
	}
	return NULL;
}

static void
open_collector(const char *dir, const char *id)
{
	collector = find_collector(id);
	ck_assert_ptr_nonnull(collector);
	ck_assert_int_eq(rs_frame_new(1u << 16, &frame), 0);
	ck_assert_int_eq(rs_root_open(dir, &root), 0);
	ck_assert_int_eq(collector->open(root, &state), 0);
}

static void
close_collector(void)
{
	collector->close(state);
	rs_root_close(root);
	rs_frame_free(frame);
}

static int
collect(rs_ns at)
{
	rs_frame_reset(frame, at);
	return collector->collect(state, frame);
}

/* What the frame says last of a fact; NULL: nothing; "gone". */
static const char *
fact(enum rs_fact_id id, uint32_t key, uint16_t queue)
{
	static char text[RS_SETTING_BYTES];
	const char *found = NULL;
	for (size_t i = 0; i < frame->n_facts; i++) {
		const struct rs_fact_reading *const r = &frame->facts[i];
		if (r->id != id || r->key != key || r->queue != queue)
			continue;
		if (r->len == UINT32_MAX) {
			found = "gone";
			continue;
		}
		ck_assert_uint_lt(r->len, sizeof(text));
		memcpy(text, frame->words + r->at, r->len);
		text[r->len] = '\0';
		found = text;
	}
	return found;
}

#define HOST(id) fact(id, 0, RS_NO_QUEUE)

/* --- trees --- */

static char dir[] = "/tmp/rs_check_settings.XXXXXX";

static void put(const char *text, const char *format, ...) RS_PRINTF(2, 3);

/* Writes a file of the tree, making its folders. */
static void
put(const char *text, const char *format, ...)
{
	char path[256];
	va_list args;
	va_start(args, format);
	const int len = snprintf(path, sizeof(path), "%s/", dir);
	(void)vsnprintf(path + len, sizeof(path) - (size_t)len, format, args);
	va_end(args);
	for (char *p = path + len; *p; p++) {
		if (*p != '/')
			continue;
		*p = '\0';
		ck_assert(mkdir(path, 0700) == 0 || errno == EEXIST);
		*p = '/';
	}
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

static int
remove_entry(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

/* The whole tree, or a part of it. */
static void
remove_tree(const char *part)
{
	char path[256];
	(void)snprintf(path, sizeof(path), "%s%s", dir, part);
	ck_assert_int_eq(nftw(path, remove_entry, 16, FTW_DEPTH | FTW_PHYS), 0);
}

static void
make_tree(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
}

static void
remove_all(void)
{
	remove_tree("");
}

static void
put_nic(const char *name, unsigned ifindex, unsigned rx, unsigned tx)
{
	char number[16];
	(void)snprintf(number, sizeof(number), "%u\n", ifindex);
	put(number, "sys/class/net/%s/ifindex", name);
	put("0\n", "sys/class/net/%s/threaded", name);
	for (unsigned i = 0; i < rx; i++) {
		put("00000000\n", "sys/class/net/%s/queues/rx-%u/rps_cpus", name, i);
		put("0\n", "sys/class/net/%s/queues/rx-%u/rps_flow_cnt", name, i);
	}
	for (unsigned i = 0; i < tx; i++) {
		put("2\n", "sys/class/net/%s/queues/tx-%u/xps_cpus", name, i);
		put("0\n", "sys/class/net/%s/queues/tx-%u/xps_rxqs", name, i);
	}
}

START_TEST(masks_of_queues_are_read_from_a_tree)
{
	put_nic("eth0", 2, 2, 2);
	put_nic("eth1", 3, 1, 1);
	put_nic("lo", 1, 1, 1);
	put("f\n", "sys/class/net/eth0/queues/rx-1/rps_cpus");
	put("4096\n", "sys/class/net/eth0/queues/rx-1/rps_flow_cnt");
	put("1\n", "sys/class/net/eth0/threaded");
	put("", "sys/class/net/bonding_masters");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 0), "none");
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 1), "0-3");
	ck_assert_str_eq(fact(RS_F_RPS_FLOWS, 2, 1), "4096");
	ck_assert_str_eq(fact(RS_F_XPS_CPUS, 2, 0), "1");
	ck_assert_str_eq(fact(RS_F_XPS_RXQS, 2, 1), "none");
	ck_assert_str_eq(fact(RS_F_THREADED, 2, RS_NO_QUEUE), "on");
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 3, 0), "none");
	ck_assert_str_eq(fact(RS_F_THREADED, 3, RS_NO_QUEUE), "off");
	/* One transmit queue has no choice; loopback is no NIC. */
	ck_assert_ptr_null(fact(RS_F_XPS_CPUS, 3, 0));
	ck_assert_ptr_null(fact(RS_F_RPS_CPUS, 1, 0));
	/* What only the live machine tells. */
	ck_assert_ptr_null(fact(RS_F_CHANNELS_RX, 2, RS_NO_QUEUE));
	ck_assert_uint_eq(frame->skipped_rows, 0);
	close_collector();
}
END_TEST

START_TEST(the_memory_node_of_a_device_is_told_where_it_has_one)
{
	put_nic("eth0", 2, 1, 1);
	put_nic("eth1", 3, 1, 1);
	put_nic("eth2", 4, 1, 1);
	put("1\n", "sys/class/net/eth0/device/numa_node");
	put("-1\n", "sys/class/net/eth1/device/numa_node");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(fact(RS_F_NUMA_NODE, 2, RS_NO_QUEUE), "1");
	ck_assert_str_eq(fact(RS_F_NUMA_NODE, 3, RS_NO_QUEUE), "gone");
	ck_assert_str_eq(fact(RS_F_NUMA_NODE, 4, RS_NO_QUEUE), "gone");
	ck_assert_uint_eq(frame->skipped_rows, 0);
	close_collector();
}
END_TEST

static void
put_link(const char *target, const char *path)
{
	char full[256];
	(void)snprintf(full, sizeof(full), "%s/%s", dir, path);
	ck_assert_int_eq(symlink(target, full), 0);
}

START_TEST(the_bridge_of_a_port_is_told)
{
	put_nic("eth0", 2, 1, 1);
	put_nic("eth1", 3, 1, 1);
	put("", "sys/class/net/br0/ifindex");
	put_link("../br0", "sys/class/net/eth0/master");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(fact(RS_F_MASTER, 2, RS_NO_QUEUE), "br0");
	ck_assert_str_eq(fact(RS_F_MASTER, 3, RS_NO_QUEUE), "gone");
	close_collector();
}
END_TEST

/* The reading of the timeouts of an interface; UINT64_MAX: there is none. */
static uint64_t
timeouts(uint32_t ifindex)
{
	for (size_t i = 0; i < frame->n_readings; i++) {
		const struct rs_reading *const r = &frame->readings[i];
		if (r->metric == RS_M_NIC_TX_TIMEOUTS && r->key == ifindex)
			return r->value;
	}
	return UINT64_MAX;
}

START_TEST(timeouts_of_all_transmit_queues_are_summed)
{
	const unsigned queues = 20;
	put_nic("eth0", 2, 1, queues);
	put_nic("veth0", 3, 1, 2);
	for (unsigned i = 0; i < queues; i++)
		put(i == 3 ? "2\n" : "1\n", "sys/class/net/eth0/queues/tx-%u/tx_timeout", i);
	put("9\n", "sys/class/net/veth0/queues/tx-0/tx_timeout");
	put_link("../../../0000:01:00.0", "sys/class/net/eth0/device");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_uint_eq(timeouts(2), queues + 1);
	/* An interface without a device has none that could hang. */
	ck_assert_uint_eq(timeouts(3), UINT64_MAX);
	put("5\n", "sys/class/net/eth0/queues/tx-19/tx_timeout");
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_uint_eq(timeouts(2), queues + 5);
	/* What is not known of one is not known of all. */
	remove_tree("/sys/class/net/eth0/queues/tx-7/tx_timeout");
	ck_assert_int_eq(collect(2 * RS_NS_PER_S), 0);
	ck_assert_uint_eq(timeouts(2), UINT64_MAX);
	close_collector();
}
END_TEST

START_TEST(a_queue_that_went_away_is_told)
{
	put_nic("eth0", 2, 2, 2);
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 1), "none");
	remove_tree("/sys/class/net/eth0/queues/rx-1");
	remove_tree("/sys/class/net/eth0/queues/tx-1");
	put("ff\n", "sys/class/net/eth0/queues/rx-0/rps_cpus");
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 0), "0-7");
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 1), "gone");
	ck_assert_str_eq(fact(RS_F_RPS_FLOWS, 2, 1), "gone");
	ck_assert_str_eq(fact(RS_F_XPS_CPUS, 2, 1), "gone");
	/* The last one has no choice any more. */
	ck_assert_str_eq(fact(RS_F_XPS_CPUS, 2, 0), "gone");
	/* And back. */
	put_nic("eth0", 2, 2, 2);
	ck_assert_int_eq(collect(2 * RS_NS_PER_S), 0);
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 1), "none");
	ck_assert_str_eq(fact(RS_F_XPS_CPUS, 2, 0), "1");
	close_collector();
}
END_TEST

START_TEST(what_cannot_be_read_says_so)
{
	put_nic("eth0", 2, 2, 1);
	put("what?\n", "sys/class/net/eth0/queues/rx-0/rps_cpus");
	put("5\n", "sys/class/net/eth0/queues/rx-x/rps_cpus");
	put("5\n", "sys/class/net/eth0/queues/rx-99999999999999999999/rps_cpus");
	put("no number\n", "sys/class/net/eth1/ifindex");
	remove_tree("/sys/class/net/eth0/threaded");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_uint_eq(frame->skipped_rows, 1);
	ck_assert_ptr_null(fact(RS_F_RPS_CPUS, 2, 0));
	ck_assert_str_eq(fact(RS_F_RPS_CPUS, 2, 1), "none");
	ck_assert_str_eq(fact(RS_F_THREADED, 2, RS_NO_QUEUE), "gone");
	close_collector();
	remove_tree("/sys/class");
	open_collector(dir, "nic_settings");
	ck_assert_int_eq(collect(0), -ENOENT);
	close_collector();
}
END_TEST

START_TEST(interrupts_are_read_from_a_tree)
{
	put("0-3\n", "proc/irq/24/smp_affinity_list");
	put("2\n", "proc/irq/24/effective_affinity_list");
	put("0,1\n", "proc/irq/100/smp_affinity_list");
	put("", "proc/irq/7/smp_affinity_list");
	put("f\n", "proc/irq/default_smp_affinity");
	open_collector(dir, "irq_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 24, RS_NO_QUEUE), "0-3");
	ck_assert_str_eq(fact(RS_F_IRQ_EFFECTIVE, 24, RS_NO_QUEUE), "2");
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 100, RS_NO_QUEUE), "0-1");
	ck_assert_str_eq(fact(RS_F_IRQ_EFFECTIVE, 100, RS_NO_QUEUE), "gone");
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 7, RS_NO_QUEUE), "none");
	/* One goes, one comes, one moves. */
	remove_tree("/proc/irq/7");
	put("1\n", "proc/irq/25/smp_affinity_list");
	put("3\n", "proc/irq/24/smp_affinity_list");
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 7, RS_NO_QUEUE), "gone");
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 25, RS_NO_QUEUE), "1");
	ck_assert_str_eq(fact(RS_F_IRQ_AFFINITY, 24, RS_NO_QUEUE), "3");
	close_collector();
	remove_tree("/proc");
	open_collector(dir, "irq_settings");
	ck_assert_int_eq(collect(0), -ENOENT);
	close_collector();
}
END_TEST

START_TEST(what_no_handler_took_is_counted_line_by_line)
{
	put("0-3\n", "proc/irq/16/smp_affinity_list");
	put("count 35\nunhandled 3\nlast_unhandled 12 ms\n", "proc/irq/16/spurious");
	put("0-3\n", "proc/irq/17/smp_affinity_list");
	put("count 35\nunhandled many\n", "proc/irq/17/spurious");
	put("0-3\n", "proc/irq/18/smp_affinity_list");
	put("count 1\nunhandled 4294967295\n", "proc/irq/18/spurious");
	open_collector(dir, "irq_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_uint_eq(frame->n_unhandled, 2);
	ck_assert_uint_eq(frame->unhandled[0].irq, 16);
	ck_assert_uint_eq(frame->unhandled[0].count, 3);
	ck_assert_uint_eq(frame->unhandled[1].irq, 18);
	ck_assert_uint_eq(frame->unhandled[1].count, UINT32_MAX);
	close_collector();
}
END_TEST

START_TEST(the_host_is_read_from_a_tree)
{
	put("6.1.0-18-amd64\n", "proc/sys/kernel/osrelease");
	put("#1 SMP PREEMPT_RT Debian 6.1.76-1 (2024-02-01)\n", "proc/sys/kernel/version");
	put("300\n", "proc/sys/net/core/netdev_budget");
	put("2000\n", "proc/sys/net/core/netdev_budget_usecs");
	put("1000\n", "proc/sys/net/core/netdev_max_backlog");
	put("64\n", "proc/sys/net/core/dev_weight");
	put("32768\n", "proc/sys/net/core/rps_sock_flow_entries");
	put("1\n", "proc/sys/net/ipv4/ip_forward");
	put("65536\n", "proc/sys/net/netfilter/nf_conntrack_max");
	put("16384\n", "proc/sys/net/netfilter/nf_conntrack_buckets");
	put("432000\n", "proc/sys/net/netfilter/nf_conntrack_tcp_timeout_established");
	put("v4.11.0.6\n", "sys/class/dmi/id/bios_version");
	put("04/26/2020\n", "sys/class/dmi/id/bios_date");
	put("1\n", "sys/devices/system/cpu/cpufreq/boost");
	put("0 1\n", "sys/devices/system/cpu/cpufreq/policy0/related_cpus");
	put("ondemand\n", "sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
	put("600000\n", "sys/devices/system/cpu/cpufreq/policy0/scaling_min_freq");
	put("1400000\n", "sys/devices/system/cpu/cpufreq/policy0/scaling_max_freq");
	put("ondemand performance \n",
	    "sys/devices/system/cpu/cpufreq/policy0/scaling_available_governors");
	put("3\n", "sys/devices/system/cpu/cpufreq/policy3/related_cpus");
	put("performance\n", "sys/devices/system/cpu/cpufreq/policy3/scaling_governor");
	put("ID=debian\nVERSION_ID=12\n", "etc/os-release");
	put("flags : fpu\n", "proc/cpuinfo");
	open_collector(dir, "host_settings");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(HOST(RS_F_KERNEL), "6.1.0-18-amd64");
	ck_assert_str_eq(HOST(RS_F_REALTIME), "on");
	ck_assert_str_eq(HOST(RS_F_FIRMWARE), "v4.11.0.6 04/26/2020");
	ck_assert_str_eq(HOST(RS_F_NETDEV_BUDGET), "300");
	ck_assert_str_eq(HOST(RS_F_NETDEV_BUDGET_USECS), "2000");
	ck_assert_str_eq(HOST(RS_F_NETDEV_MAX_BACKLOG), "1000");
	ck_assert_str_eq(HOST(RS_F_DEV_WEIGHT), "64");
	ck_assert_str_eq(HOST(RS_F_RPS_SOCK_FLOWS), "32768");
	ck_assert_str_eq(HOST(RS_F_IP_FORWARD), "on");
	ck_assert_str_eq(HOST(RS_F_CONNTRACK_MAX), "65536");
	ck_assert_str_eq(HOST(RS_F_CONNTRACK_BUCKETS), "16384");
	ck_assert_str_eq(HOST(RS_F_CONNTRACK_ESTABLISHED), "432000");
	ck_assert_str_eq(HOST(RS_F_CPU_BOOST), "on");
	ck_assert_str_eq(HOST(RS_F_SYSTEM), "debian 12");
	ck_assert_str_eq(HOST(RS_F_HYPERVISOR), "none");
	ck_assert_str_eq(fact(RS_F_GOVERNOR, 0, RS_NO_QUEUE), "ondemand");
	ck_assert_str_eq(fact(RS_F_GOVERNOR, 1, RS_NO_QUEUE), "ondemand");
	ck_assert_str_eq(fact(RS_F_GOVERNORS, 1, RS_NO_QUEUE), "ondemand performance");
	ck_assert_str_eq(fact(RS_F_GOVERNORS, 3, RS_NO_QUEUE), "gone");
	ck_assert_str_eq(fact(RS_F_FREQ_MIN, 1, RS_NO_QUEUE), "600000");
	ck_assert_str_eq(fact(RS_F_FREQ_MAX, 1, RS_NO_QUEUE), "1400000");
	ck_assert_str_eq(fact(RS_F_GOVERNOR, 3, RS_NO_QUEUE), "performance");
	ck_assert_ptr_null(fact(RS_F_GOVERNOR, 2, RS_NO_QUEUE));
	/* A captured tree does not tell what runs. */
	ck_assert_ptr_null(HOST(RS_F_IRQBALANCE));
	/* As most are. */
	put("#1 SMP PREEMPT_DYNAMIC Debian 6.1.76-1 (2024-02-01)\n", "proc/sys/kernel/version");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(HOST(RS_F_REALTIME), "off");
	/* Another driver has another file for boost. */
	put("1\n", "sys/devices/system/cpu/intel_pstate/no_turbo");
	remove_tree("/sys/devices/system/cpu/cpufreq/policy0");
	remove_tree("/proc/sys/net/core/netdev_budget");
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_str_eq(HOST(RS_F_CPU_BOOST), "off");
	ck_assert_str_eq(HOST(RS_F_NETDEV_BUDGET), "gone");
	ck_assert_str_eq(fact(RS_F_GOVERNOR, 1, RS_NO_QUEUE), "gone");
	ck_assert_str_eq(fact(RS_F_GOVERNOR, 3, RS_NO_QUEUE), "performance");
	close_collector();
}
END_TEST

START_TEST(a_host_that_tells_nothing_has_no_settings)
{
	put("", "proc/empty");
	put("\n", "sys/class/dmi/id/bios_version");
	open_collector(dir, "host_settings");
	ck_assert_int_eq(collect(0), 0);
	for (unsigned i = 0; i < RS_F_COUNT; i++) {
		const char *const value = HOST((enum rs_fact_id)i);
		ck_assert(!value || strcmp(value, "gone") == 0);
	}
	close_collector();
}
END_TEST

/* 0, or the number of what failed. */
static int
read_as_nobody(void)
{
	if (geteuid() == 0 && seteuid(65534) != 0)
		return 1;
	open_collector(dir, "nic_settings");
	if (collect(0) != 0)
		return 2;
	if (strcmp(frame->note, "not permitted: threaded, rps_cpus") != 0)
		return 3;
	if (fact(RS_F_RPS_CPUS, 2, 0) || !fact(RS_F_RPS_CPUS, 2, 1) || !fact(RS_F_RPS_FLOWS, 2, 0))
		return 4;
	close_collector();
	return 0;
}

START_TEST(what_is_refused_is_named_and_the_rest_is_told)
{
	char command[256];
	put_nic("eth0", 2, 2, 2);
	(void)snprintf(command, sizeof(command),
	    "chmod -R a+rX %s && chmod 0 %s/sys/class/net/eth0/threaded "
	    "%s/sys/class/net/eth0/queues/rx-0/rps_cpus",
	    dir, dir, dir);
	ck_assert_int_eq(system(command), 0);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(read_as_nobody());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

enum { MANY_LINES = 600 };

static void
put_lines(const char *value)
{
	for (unsigned i = 0; i < MANY_LINES; i++)
		put(value, "proc/irq/%u/smp_affinity_list", i);
}

/* A tree that is "/" counts as the live machine. 0, or what failed. */
static int
see_many_masks_written(void)
{
	rs_ns now = 1000 * RS_NS_PER_S;
	put_lines("0-3\n");
	if (chroot(dir) != 0 || chdir("/") != 0)
		return RS_CHECK_SKIP;
	*dir = '\0';
	open_collector("/", "irq_settings");
	if (collect(now) != 0 || frame->n_facts < MANY_LINES)
		return 1;
	(void)collect(now += RS_NS_PER_S);
	put_lines("2\n");
	bool has_told[MANY_LINES] = {false};
	unsigned told = 0;
	for (unsigned tick = 0; tick < 10 && told < MANY_LINES; tick++) {
		if (collect(now += RS_NS_PER_S) != 0)
			return 2;
		/* Some that were written to, and those of the round. */
		if (frame->n_facts > 2 * RS_ROUND_MOST)
			return 3;
		for (unsigned i = 0; i < MANY_LINES; i++) {
			const char *const f = fact(RS_F_IRQ_AFFINITY, i, RS_NO_QUEUE);
			told += !has_told[i] && f && strcmp(f, "2") == 0;
			has_told[i] |= f && strcmp(f, "2") == 0;
		}
	}
	return told == MANY_LINES ? 0 : 4;
}

START_TEST(many_lines_that_were_written_to_take_turns)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(see_many_masks_written());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == RS_CHECK_SKIP)
		(void)printf("# SKIP not permitted to change the root\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

/* --- the machine itself --- */

START_TEST(the_machine_tells_its_kernel_and_interrupts)
{
	open_collector("/", "host_settings");
	ck_assert_int_eq(collect(rs_clock_mono()), 0);
	ck_assert_ptr_nonnull(HOST(RS_F_KERNEL));
	close_collector();
	open_collector("/", "irq_settings");
	if (collect(rs_clock_mono()) == 0)
		ck_assert_str_eq(frame->note, "");
	close_collector();
}
END_TEST

/* A process of that name; it ends with the test at the latest. */
static pid_t
start_irqbalance(void)
{
	int ready[2];
	char byte;
	ck_assert_int_eq(pipe(ready), 0);
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)prctl(PR_SET_NAME, "irqbalance");
		(void)write(ready[1], "x", 1);
		for (;;)
			(void)pause();
	}
	ck_assert_int_eq(read(ready[0], &byte, 1), 1);
	(void)close(ready[0]);
	(void)close(ready[1]);
	return child;
}

static void
stop(pid_t child)
{
	(void)kill(child, SIGKILL);
	(void)waitpid(child, NULL, 0);
}

START_TEST(irqbalance_is_noticed_when_it_starts_and_when_it_ends)
{
	rs_ns at = 1000 * RS_NS_PER_S;
	open_collector("/", "host_settings");
	ck_assert_int_eq(collect(at), 0);
	const char *told = HOST(RS_F_IRQBALANCE);
	if (!told || strcmp(told, "running") == 0) {
		(void)printf("# irqbalance runs here, or cannot be seen: it was not tested\n");
		close_collector();
		return;
	}
	ck_assert_str_eq(told, "not running");
	pid_t child = start_irqbalance();
	/* A newborn is looked at one look late. */
	unsigned ticks = 0;
	do {
		at += RS_NS_PER_S;
		ck_assert_int_eq(collect(at), 0);
		ck_assert_uint_le(++ticks, 100);
	} while (strcmp(HOST(RS_F_IRQBALANCE), "running") != 0);
	ck_assert_uint_ge(ticks, 8);
	/* A restart is no end. */
	stop(child);
	child = start_irqbalance();
	ck_assert_int_eq(collect(at + 4 * RS_NS_PER_S), 0);
	ck_assert_str_eq(HOST(RS_F_IRQBALANCE), "running");
	stop(child);
	ck_assert_int_eq(collect(at + 8 * RS_NS_PER_S), 0);
	ck_assert_str_eq(HOST(RS_F_IRQBALANCE), "not running");
	close_collector();
}
END_TEST

static bool
write_text(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);
	const bool is_written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	if (fd >= 0)
		(void)close(fd);
	return is_written;
}

static bool
make_namespace(void)
{
	return unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("sysfs", "/sys", "sysfs", 0, NULL) == 0 &&
	       system("ip link add name rsw0 numrxqueues 4 numtxqueues 4 type veth peer name rsw1 "
		      "numrxqueues 4 numtxqueues 4 2>/dev/null && ip link set rsw0 up && "
		      "ip link set rsw1 up") == 0;
}

/* Runs commands for a process that may not any more. */
static int commands[2] = {-1, -1}, answers[2] = {-1, -1};

static void
serve_commands(void)
{
	char command[256];
	(void)close(commands[1]);
	(void)close(answers[0]);
	while (read(commands[0], command, sizeof(command)) == (ssize_t)sizeof(command)) {
		const int status = system(command);
		if (write(answers[1], &status, sizeof(status)) != (ssize_t)sizeof(status))
			break;
	}
	_exit(0);
}

static int
run(const char *text)
{
	char command[256] = "";
	int status = -1;
	if (commands[1] < 0)
		return system(text);
	ck_assert_uint_lt(strlen(text), sizeof(command));
	memcpy(command, text, strlen(text));
	if (write(commands[1], command, sizeof(command)) != (ssize_t)sizeof(command) ||
	    read(answers[0], &status, sizeof(status)) != (ssize_t)sizeof(status))
		return -1;
	return status;
}

/* Goes on in a namespace of users that may not watch files. */
static bool
give_up_watching(void)
{
	if (pipe(commands) != 0 || pipe(answers) != 0)
		return false;
	const pid_t helper = fork();
	if (helper == 0)
		serve_commands();
	(void)close(commands[0]);
	(void)close(answers[1]);
	return helper > 0 && unshare(CLONE_NEWUSER) == 0 &&
	       write_text("/proc/self/uid_map", "0 0 1\n") &&
	       write_text("/proc/sys/user/max_inotify_instances", "0\n");
}

/* Runs fn in a process with a network namespace of its own and a sysfs that shows
 * it; or says that this is not allowed here. */
static void
in_namespace(int (*fn)(void), bool can_watch)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0) {
		const bool is_ready = make_namespace() && (can_watch || give_up_watching());
		const int failed = is_ready ? fn() : 77;
		(void)fflush(stdout);
		_exit(failed);
	}
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		(void)printf("# no namespaces here: changes of settings were not tested\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}

static struct rs_model *model;
static rs_ns now = 1000 * RS_NS_PER_S;

/* A tick of the collectors named, which are open already. */
struct source {
	const char *id;
	void *state;
};

static int
tick(struct source *sources, size_t n)
{
	now += RS_NS_PER_S;
	const struct rs_model_time t = {
	    .mono_ns = now, .due_ns = now, .boot_ns = now, .wall_ms = now / 1000000};
	rs_model_begin(model, &t);
	for (size_t i = 0; i < n; i++) {
		rs_frame_reset(frame, now);
		if (find_collector(sources[i].id)->collect(sources[i].state, frame) != 0)
			return -1;
		rs_model_apply(model, frame);
	}
	rs_model_build_view(model);
	(void)rs_model_end(model);
	return 0;
}

static int
open_sources(struct source *sources, size_t n)
{
	const struct rs_model_conf conf = {
	    .interval_ns = RS_NS_PER_S, .max_series = 1000, .n_blocks = 4};
	if (rs_frame_new(1u << 16, &frame) != 0 || rs_root_open("/", &root) != 0 ||
	    rs_model_new(&conf, &model) != 0)
		return -1;
	for (size_t i = 0; i < n; i++) {
		if (find_collector(sources[i].id)->open(root, &sources[i].state) != 0)
			return -1;
	}
	return 0;
}

static void
close_sources(struct source *sources, size_t n)
{
	for (size_t i = 0; i < n; i++)
		find_collector(sources[i].id)->close(sources[i].state);
	rs_model_free(model);
	rs_root_close(root);
	rs_frame_free(frame);
}

static const struct {
	const char *command;
	enum rs_fact_id id;
	int queue; /* -1: of the device */
	const char *old, *new;
	unsigned ticks; /* within so many */
} steps[] = {
    {"echo 1 >/sys/class/net/rsw0/queues/rx-2/rps_cpus", RS_F_RPS_CPUS, 2, "none", "0", 1},
    {"echo 64 >/sys/class/net/rsw0/queues/rx-0/rps_flow_cnt", RS_F_RPS_FLOWS, 0, "0", "64", 1},
    {"echo 1 >/sys/class/net/rsw0/queues/tx-3/xps_cpus", RS_F_XPS_CPUS, 3, "none", "0", 1},
    {"echo 2 >/sys/class/net/rsw0/queues/tx-1/xps_rxqs", RS_F_XPS_RXQS, 1, "none", "1", 1},
    {"ethtool -K rsw0 tso off", RS_F_OFFLOADS, -1, "tso", "gso", 1},
    {"ethtool -K rsw0 gro on && echo 1 >/sys/class/net/rsw0/threaded", RS_F_THREADED, -1, "off",
	"on", 1},
    {"ethtool -L rsw0 rx 2", RS_F_CHANNELS_RX, -1, "4", "2", 4},
    {"ethtool -L rsw0 rx 4", RS_F_CHANNELS_RX, -1, "2", "4", 4},
    /* A queue that came back is followed like any other. */
    {"echo 1 >/sys/class/net/rsw0/queues/rx-3/rps_cpus", RS_F_RPS_CPUS, 3, "none", "0", 1},
    {"tc qdisc replace dev rsw0 root pfifo", RS_F_QDISC, -1, "noqueue", "pfifo", 4},
    {"ip link set rsw0 mtu 1400", RS_F_MTU, -1, "1500", "1400", 1},
    /* The same device under another name is no other device. */
    {"ip link set rsw0 name rsx0 && echo 1 >/sys/class/net/rsx0/queues/rx-1/rps_cpus",
	RS_F_RPS_CPUS, 1, "none", "0", 1},
};

/* Whether the changes of this tick have it. */
static bool
has_change(size_t i)
{
	size_t n;
	const struct rs_change *const changes = rs_model_changes(model, &n);
	for (size_t k = 0; k < n; k++) {
		const struct rs_change *const c = &changes[k];
		/* Of the words of offloads one is enough. */
		const bool is_it =
		    steps[i].id == RS_F_OFFLOADS
			? strstr(c->old, steps[i].old) && !strstr(c->new, steps[i].old) &&
			      strstr(c->new, steps[i].new)
			: strcmp(c->old, steps[i].old) == 0 && strcmp(c->new, steps[i].new) == 0;
		if (c->fact == steps[i].id && c->labels.queue == steps[i].queue && is_it &&
		    strncmp(c->labels.device, "rs", 2) == 0)
			return true;
	}
	return false;
}

/* A change may take so many ticks more than its step says. */
static unsigned patience;

/* 0, or the number of the step that failed, plus 10. */
static int
follow_changes(void)
{
	struct source sources[] = {{"interfaces", NULL}, {"qdisc", NULL}, {"nic_settings", NULL}};
	if (open_sources(sources, RS_ARRAY_LEN(sources)) != 0)
		return 1;
	for (unsigned i = 0; i < 3; i++) {
		if (tick(sources, RS_ARRAY_LEN(sources)) != 0)
			return 2;
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(steps); i++) {
		bool is_seen = false;
		if (run(steps[i].command) != 0) {
			(void)printf("# not possible here: %s\n", steps[i].command);
			continue;
		}
		for (unsigned k = 0; k < steps[i].ticks + patience && !is_seen; k++) {
			if (tick(sources, RS_ARRAY_LEN(sources)) != 0)
				return 3;
			is_seen = has_change(i);
		}
		if (!is_seen)
			return (int)i + 10;
	}
	/* Gone for good: nothing is told of it, and nobody falls. */
	const uint32_t ifindex = if_nametoindex("rsx0");
	if (run("ip link del rsx0") != 0)
		return 4;
	for (unsigned i = 0; i < 6; i++) {
		if (tick(sources, RS_ARRAY_LEN(sources)) != 0)
			return 5;
	}
	if (rs_view_fact(rs_model_view(model), RS_F_THREADED, ifindex, RS_NO_QUEUE))
		return 6;
	close_sources(sources, RS_ARRAY_LEN(sources));
	return 0;
}

START_TEST(what_is_set_becomes_a_change)
{
	in_namespace(follow_changes, true);
}
END_TEST

START_TEST(what_is_set_becomes_a_change_where_nobody_may_watch)
{
	patience = 4; /* a round */
	in_namespace(follow_changes, false);
}
END_TEST

/* Without a write nothing but a round of questions may follow. */
static int
stay_quiet(void)
{
	struct source sources[] = {{"nic_settings", NULL}, {"irq_settings", NULL}};
	size_t n;
	if (open_sources(sources, RS_ARRAY_LEN(sources)) != 0)
		return 1;
	for (unsigned i = 0; i < 200; i++) {
		if (tick(sources, RS_ARRAY_LEN(sources)) != 0)
			return 2;
		(void)rs_model_changes(model, &n);
		for (size_t k = 0; k < n; k++) {
			/* Someone may move an interrupt of the machine meanwhile. */
			if (rs_model_changes(model, &n)[k].fact != RS_F_IRQ_AFFINITY &&
			    rs_model_changes(model, &n)[k].fact != RS_F_IRQ_EFFECTIVE)
				return 3;
		}
	}
	close_sources(sources, RS_ARRAY_LEN(sources));
	return 0;
}

START_TEST(nothing_changes_by_itself)
{
	in_namespace(stay_quiet, true);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("settings");
	TCase *const pure = tcase_create("pure");
	tcase_add_loop_test(pure, a_value_has_one_spelling, 0, (int)RS_ARRAY_LEN(forms));
	tcase_add_test(pure, a_zero_byte_ends_no_word);
	tcase_add_test(pure, a_set_longer_than_its_place_is_cut);
	tcase_add_test(pure, a_round_takes_four_seconds_however_long_a_tick_is);
	tcase_add_test(pure, a_second_has_a_limit_of_steps);
	tcase_add_test(pure, what_is_asked_for_in_few_rounds_stays_refused);
	suite_add_tcase(s, pure);
	TCase *const tree = tcase_create("tree");
	tcase_add_checked_fixture(tree, make_tree, remove_all);
	tcase_add_test(tree, masks_of_queues_are_read_from_a_tree);
	tcase_add_test(tree, the_memory_node_of_a_device_is_told_where_it_has_one);
	tcase_add_test(tree, the_bridge_of_a_port_is_told);
	tcase_add_test(tree, timeouts_of_all_transmit_queues_are_summed);
	tcase_add_test(tree, a_queue_that_went_away_is_told);
	tcase_add_test(tree, what_cannot_be_read_says_so);
	tcase_add_test(tree, interrupts_are_read_from_a_tree);
	tcase_add_test(tree, what_no_handler_took_is_counted_line_by_line);
	tcase_add_test(tree, the_host_is_read_from_a_tree);
	tcase_add_test(tree, a_host_that_tells_nothing_has_no_settings);
	tcase_add_test(tree, what_is_refused_is_named_and_the_rest_is_told);
	tcase_add_test(tree, many_lines_that_were_written_to_take_turns);
	suite_add_tcase(s, tree);
	TCase *const live = tcase_create("live");
	tcase_set_timeout(live, 60);
	tcase_add_test(live, the_machine_tells_its_kernel_and_interrupts);
	tcase_add_test(live, irqbalance_is_noticed_when_it_starts_and_when_it_ends);
	tcase_add_test(live, what_is_set_becomes_a_change);
	tcase_add_test(live, what_is_set_becomes_a_change_where_nobody_may_watch);
	tcase_add_test(live, nothing_changes_by_itself);
	suite_add_tcase(s, live);
	return s;
}

RS_CHECK_MAIN(suite())

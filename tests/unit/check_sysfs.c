/* SPDX-License-Identifier: ISC */
/*
 * The collectors that read sysfs, over captured trees and over the machine
 * itself.
 */
#define _GNU_SOURCE /* unshare() */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "collector.h"
#include "rs_check.h"

#define FIXTURES RS_TEST_DIR "/fixtures"
#define ROUTER FIXTURES "/router-4cpu-igb/t0"
#define GUEST FIXTURES "/kvm-2cpu-virtio/t0"

static struct rs_frame *frame;
static struct rs_root *root;
static const struct rs_collector *collector;
static void *state;

static void
open_collector(const char *dir, const char *id)
{
	collector = NULL;
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, id) == 0)
			collector = *c;
	}
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

static const struct rs_nic_info *
nic(const char *name)
{
	for (size_t i = 0; i < frame->n_nics; i++) {
		if (strcmp(frame->nics[i].name, name) == 0)
			return &frame->nics[i];
	}
	return NULL;
}

/* --- cores --- */

static void
assert_list(const struct rs_cpuset *set, const char *want)
{
	char text[64];
	rs_cpuset_format(set, text, sizeof(text));
	ck_assert_str_eq(text, want);
}

START_TEST(cores_are_described_as_the_tree_says)
{
	open_collector(ROUTER, "cpu");
	ck_assert_int_eq(collect(0), 0);
	const struct rs_cpu_info *const c = &frame->cpus;
	ck_assert(c->is_present && c->has_online && c->has_possible && c->has_isolated);
	assert_list(&c->online, "0-1,3");
	assert_list(&c->possible, "0-3");
	assert_list(&c->isolated, "3");
	/* "(null)" is what the kernel prints for none. */
	ck_assert(c->has_nohz_full);
	assert_list(&c->nohz_full, "");
	ck_assert(c->has_groups);
	ck_assert_uint_eq(c->group[0], 0);
	ck_assert_uint_eq(c->group[1], 1);
	ck_assert_uint_eq(c->group[3], 1);
	ck_assert_int_eq(c->precise_irq_time, 1); /* by its configuration */
	close_collector();
}
END_TEST

START_TEST(pressure_files_tell_the_accounting)
{
	/* Linux 6.18 with pressure files but none for interrupts. */
	open_collector(GUEST, "cpu");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_int_eq(frame->cpus.precise_irq_time, 0);
	close_collector();
}
END_TEST

START_TEST(a_tree_without_cores_says_missing)
{
	open_collector(FIXTURES, "cpu");
	ck_assert_int_eq(collect(0), -ENOENT);
	ck_assert(!frame->cpus.is_present);
	close_collector();
}
END_TEST

/* --- interfaces --- */

static const struct {
	uint32_t ifindex;
	const char *name, *driver, *kind, *device, *bus_parent;
	int64_t speed_bps;
	int duplex, is_up, mtu, rx_queues, tx_queues;
	bool is_physical, is_stacked;
} interfaces[] = {
    {1, "lo", "", "loopback", "", "", -1, -1, 1, 65536, 1, 1, false, false},
    {2, "eth0", "igb", "physical", "0000:01:00.0", "0000:00:01.0", 1000000000, 1, 1, 1500, 4, 4,
	true, false},
    {3, "eth0.100", "", "vlan", "", "", 1000000000, 1, 1, 1500, 1, 1, false, true},
    {4, "br0", "", "bridge", "", "", 1000000000, -1, 1, 1500, 1, 1, false, true},
    {5, "bond0", "", "bond", "", "", -1, -1, 0, 1500, 16, 16, false, true},
    {6, "tap0", "", "tun", "", "", -1, 1, 1, 1500, 1, 1, false, false},
    {7, "veth1", "", "veth", "", "", -1, 1, 1, 1500, 1, 1, false, false},
    {9, "wlan0", "ath11k", "wlan", "18000000.wifi", "soc", -1, -1, 0, 1500, 1, 4, true, false},
    {10, "usb0", "r8152", "physical", "2-1.4:1.0", "2-1.4", -1, -1, 1, -1, 1, 1, true, false},
};

START_TEST(an_interface_is_described_as_the_tree_says)
{
	open_collector(ROUTER, "interfaces");
	ck_assert_int_eq(collect(0), 0);
	const struct rs_nic_info *const n = nic(interfaces[_i].name);
	ck_assert_ptr_nonnull(n);
	ck_assert_uint_eq(n->ifindex, interfaces[_i].ifindex);
	ck_assert_str_eq(n->driver, interfaces[_i].driver);
	ck_assert_str_eq(n->kind, interfaces[_i].kind);
	ck_assert_str_eq(n->device, interfaces[_i].device);
	ck_assert_str_eq(n->bus_parent, interfaces[_i].bus_parent);
	ck_assert_int_eq(n->speed_bps, interfaces[_i].speed_bps);
	ck_assert_int_eq(n->duplex, interfaces[_i].duplex);
	ck_assert_int_eq(n->is_up, interfaces[_i].is_up);
	ck_assert_int_eq(n->mtu, interfaces[_i].mtu);
	ck_assert_int_eq(n->rx_queues, interfaces[_i].rx_queues);
	ck_assert_int_eq(n->tx_queues, interfaces[_i].tx_queues);
	ck_assert_int_eq(n->is_physical, interfaces[_i].is_physical);
	ck_assert_int_eq(n->is_master_or_stacked, interfaces[_i].is_stacked);
	ck_assert_int_eq(n->is_loopback, interfaces[_i].ifindex == 1);
	close_collector();
}
END_TEST

START_TEST(vectors_are_found_and_sorted)
{
	open_collector(ROUTER, "interfaces");
	ck_assert_int_eq(collect(0), 0);
	const struct rs_nic_info *const eth0 = nic("eth0"), *const usb0 = nic("usb0");
	ck_assert_uint_eq(eth0->n_irqs, 5);
	for (unsigned i = 0; i < eth0->n_irqs; i++)
		ck_assert_uint_eq(eth0->irqs[i], 24 + i);
	ck_assert_int_eq(eth0->carrier_changes, 5);
	/* A USB device interrupts by its host controller, a virtio one by PCI. */
	ck_assert_uint_eq(usb0->n_irqs, 1);
	ck_assert_uint_eq(usb0->irqs[0], 30);
	ck_assert_int_eq(usb0->carrier_changes, -1);
	ck_assert_uint_eq(nic("eth0.100")->n_irqs, 0);
	close_collector();
	open_collector(GUEST, "interfaces");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_str_eq(nic("eth0")->device, "virtio2");
	ck_assert_str_eq(nic("eth0")->bus_parent, "0000:00:03.0");
	ck_assert_uint_eq(nic("eth0")->n_irqs, 3);
	close_collector();
}
END_TEST

START_TEST(what_is_no_interface_is_not_listed)
{
	open_collector(ROUTER, "interfaces");
	ck_assert_int_eq(collect(0), 0);
	ck_assert(frame->has_nics);
	ck_assert_uint_eq(frame->n_nics, RS_ARRAY_LEN(interfaces));
	ck_assert_ptr_null(nic("bonding_masters"));
	ck_assert_ptr_null(nic("evil")); /* a link that would lead out of the tree */
	ck_assert_uint_eq(frame->skipped_rows, 1);
	close_collector();
}
END_TEST

START_TEST(a_tree_without_interfaces_says_missing)
{
	open_collector(FIXTURES, "interfaces");
	ck_assert_int_eq(collect(0), -ENOENT);
	ck_assert(!frame->has_nics);
	close_collector();
}
END_TEST

/* --- a tree that changes --- */

static char dir[] = "/tmp/rs_check_sysfs.XXXXXX";

static void
put(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	(void)close(fd);
}

static const char *const tree[] = {"sys", "sys/class", "sys/class/net", "sys/class/net/eth0"};

static void
make_tree(void)
{
	memcpy(dir + strlen(dir) - 6, "XXXXXX", 6);
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	for (size_t i = 0; i < RS_ARRAY_LEN(tree); i++)
		ck_assert_int_eq(mkdir(tree[i], 0700), 0);
	put("sys/class/net/eth0/ifindex", "2\n");
	put("sys/class/net/eth0/mtu", "1500\n");
}

static void
remove_tree(void)
{
	(void)unlink("sys/class/net/eth0/ifindex");
	(void)unlink("sys/class/net/eth0/mtu");
	for (size_t i = RS_ARRAY_LEN(tree); i-- > 0;)
		(void)rmdir(tree[i]);
	(void)chdir("/");
	(void)rmdir(dir);
}

START_TEST(changes_renames_and_departures_are_followed)
{
	make_tree();
	open_collector(dir, "interfaces");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_int_eq(nic("eth0")->mtu, 1500);
	/* What was not told is not known. */
	ck_assert_int_eq(nic("eth0")->speed_bps, -1);
	ck_assert_int_eq(nic("eth0")->is_up, -1);
	ck_assert_int_eq(nic("eth0")->rx_queues, -1);
	ck_assert_str_eq(nic("eth0")->kind, "");
	put("sys/class/net/eth0/mtu", "9000\n");
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_int_eq(nic("eth0")->mtu, 9000);
	ck_assert_int_eq(rename("sys/class/net/eth0", "sys/class/net/wan"), 0);
	ck_assert_int_eq(collect(2 * RS_NS_PER_S), 0);
	ck_assert_uint_eq(frame->n_nics, 1);
	ck_assert_uint_eq(nic("wan")->ifindex, 2);
	ck_assert_int_eq(rename("sys/class/net/wan", "sys/class/net/eth0"), 0);
	put("sys/class/net/eth0/ifindex", "not a number\n");
	ck_assert_int_eq(collect(3 * RS_NS_PER_S), -ENOENT);
	ck_assert_uint_eq(frame->skipped_rows, 1);
	close_collector();
	remove_tree();
}
END_TEST

/* --- the machine itself --- */

START_TEST(the_machine_has_a_loopback_and_an_online_core)
{
	open_collector("/", "interfaces");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_ptr_nonnull(nic("lo"));
	ck_assert(nic("lo")->is_loopback);
	ck_assert_uint_eq(nic("lo")->ifindex, if_nametoindex("lo"));
	/* Also without notices the list is whole. */
	ck_assert_int_eq(collect(RS_NS_PER_S), 0);
	ck_assert_ptr_nonnull(nic("lo"));
	close_collector();
	open_collector("/", "cpu");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_uint_ge(rs_cpuset_count(&frame->cpus.online), 1);
	close_collector();
	open_collector("/", "rtnl_stats");
	ck_assert_int_eq(collect(0), 0);
	ck_assert_uint_ge(frame->n_readings, 15);
	close_collector();
}
END_TEST

static int
change_mtu(const char *name, int mtu)
{
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq request = {.ifr_mtu = mtu};
	memcpy(request.ifr_name, name, strlen(name) + 1);
	const int r = ioctl(fd, SIOCSIFMTU, &request);
	(void)close(fd);
	return r;
}

/* In a network namespace of its own, whose interfaces sysfs shows to those who
 * mount it there. 0, 77: not allowed. */
static int
follow_loopback(void)
{
	if (unshare(CLONE_NEWNET | CLONE_NEWNS) != 0 ||
	    mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL) != 0)
		return 77;
	open_collector("/", "interfaces");
	if (collect(0) != 0 || !nic("lo"))
		return 1;
	if (change_mtu("lo", 1234) != 0)
		return 77;
	if (collect(1) != 0 || nic("lo")->mtu != 1234)
		return 2;
	close_collector();
	return 0;
}

START_TEST(a_change_is_seen_without_reading_all_again)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(follow_loopback());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		(void)printf("# no namespaces here: changes were not tested\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("sysfs");
	TCase *const t = tcase_create("sysfs");
	tcase_add_test(t, cores_are_described_as_the_tree_says);
	tcase_add_test(t, pressure_files_tell_the_accounting);
	tcase_add_test(t, a_tree_without_cores_says_missing);
	tcase_add_loop_test(
	    t, an_interface_is_described_as_the_tree_says, 0, (int)RS_ARRAY_LEN(interfaces));
	tcase_add_test(t, vectors_are_found_and_sorted);
	tcase_add_test(t, what_is_no_interface_is_not_listed);
	tcase_add_test(t, a_tree_without_interfaces_says_missing);
	tcase_add_test(t, changes_renames_and_departures_are_followed);
	tcase_add_test(t, the_machine_has_a_loopback_and_an_online_core);
	tcase_add_test(t, a_change_is_seen_without_reading_all_again);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

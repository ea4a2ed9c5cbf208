/* SPDX-License-Identifier: ISC */
/* Guest or not, which system, memory nodes, and who would start irqbalance. */
#define _GNU_SOURCE /* nftw(), mkdtemp() */
#include "faketree.h"
#include "linux/machine.h"
#include "rs_check.h"

enum { HYPERVISOR, SYSTEM, NODES, SERVICE };

static struct rs_faketree tree;
static struct rs_frame *frame;

static void
setup(void)
{
	rs_faketree_make(&tree);
	ck_assert_int_eq(rs_frame_new(100, &frame), 0);
}

static void
teardown(void)
{
	rs_frame_free(frame);
	rs_faketree_remove(&tree, NULL);
}

/* What the step says; NULL: that it is not known. */
static const char *
told(unsigned step)
{
	static char text[4096];
	struct rs_root *root;

	ck_assert_int_eq(rs_root_open(tree.dir, &root), 0);
	rs_frame_reset(frame, 0);
	rs_machine_read(root, step, frame);
	rs_root_close(root);
	ck_assert_uint_eq(frame->n_facts, 1);
	const struct rs_fact_reading *const r = &frame->facts[0];
	if (r->len == UINT32_MAX)
		return NULL;
	ck_assert_uint_lt(r->len, sizeof(text));
	memcpy(text, frame->words + r->at, r->len);
	text[r->len] = '\0';
	return text;
}

static const struct {
	const char *path, *text, *want; /* NULL: not known */
} guests[] = {
    {"proc/empty", "", NULL},
    {"proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme hypervisor lahf_lm\nbugs\t: none\n",
	"present"},
    {"proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu vme lahf_lm\nvmx flags\t: hypervisor\n",
	"none"},
    /* A word that is only a part of one. */
    {"proc/cpuinfo", "flags\t\t: fpu hypervisors\n", "none"},
    /* ARM lists no such flag. */
    {"proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n", NULL},
    {"sys/hypervisor/type", "xen\n", "present"},
    {"sys/class/dmi/id/sys_vendor", "QEMU\n", "present"},
    {"sys/class/dmi/id/product_name", "Virtual Machine\n", "present"},
    {"sys/class/dmi/id/sys_vendor", "PC Engines\n", "none"},
    {"proc/device-tree/compatible", "friendlyarm,nanopi-r4s", "none"},
    {"proc/device-tree/compatible", "linux,dummy-virt", "present"},
    {"proc/device-tree/hypervisor/compatible", "linux,kvm", "present"},
};

START_TEST(a_guest_is_known_where_the_machine_tells)
{
	rs_faketree_put(&tree, guests[_i].text, "%s", guests[_i].path);
	const char *const said = told(HYPERVISOR);
	if (guests[_i].want)
		ck_assert_str_eq(said, guests[_i].want);
	else
		ck_assert_ptr_null(said);
}
END_TEST

/* Only its beginning is read, and the first core is in it. */
START_TEST(a_long_list_of_cores_is_no_hindrance)
{
	static char text[100000];
	size_t len =
	    (size_t)snprintf(text, sizeof(text), "processor\t: 0\nflags\t\t: fpu hypervisor\n");

	while (len + 20 < sizeof(text))
		len += (size_t)snprintf(text + len, sizeof(text) - len, "processor\t: 1\n");
	rs_faketree_put(&tree, text, "proc/cpuinfo");
	ck_assert_str_eq(told(HYPERVISOR), "present");
}
END_TEST

static const struct {
	const char *text, *want;
} systems[] = {
    {"PRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\nVERSION_ID=\"12\"\nID=debian\n", "debian 12"},
    {"NAME=\"OpenWrt\"\r\nID=\"openwrt\"\r\nVERSION_ID=\"24.10.0\"\r\n", "openwrt 24.10.0"},
    {"ID='vyos'", "vyos"},
    {"ID_LIKE=debian\nVERSION_ID=12\n", NULL},
    {"ID=\n", NULL},
    {"ID=\"\x1b[31m\"\n", "?[31m"},
    {"", NULL},
};

START_TEST(the_system_has_a_name_and_a_version)
{
	rs_faketree_put(&tree, systems[_i].text, "etc/os-release");
	const char *const said = told(SYSTEM);
	if (systems[_i].want)
		ck_assert_str_eq(said, systems[_i].want);
	else
		ck_assert_ptr_null(said);
}
END_TEST

START_TEST(nodes_are_told_where_there_are_several)
{
	ck_assert_ptr_null(told(NODES));
	rs_faketree_put(&tree, "0-3\n", "sys/devices/system/node/node0/cpulist");
	rs_faketree_put(&tree, "0-1\n", "sys/devices/system/node/online");
	ck_assert_ptr_null(told(NODES));
	/* One with memory only takes no part. */
	rs_faketree_put(&tree, "\n", "sys/devices/system/node/node2/cpulist");
	ck_assert_ptr_null(told(NODES));
	rs_faketree_put(&tree, "4-7,12\n", "sys/devices/system/node/node10/cpulist");
	ck_assert_str_eq(told(NODES), "0:0-3 10:4-7,12");
	rs_faketree_put(&tree, "seven\n", "sys/devices/system/node/node1/cpulist");
	ck_assert_str_eq(told(NODES), "0:0-3 10:4-7,12");
}
END_TEST

START_TEST(irqbalance_is_started_by_what_is_there)
{
	ck_assert_ptr_null(told(SERVICE));
	/* A unit without systemd running, as in a container, starts nothing. */
	rs_faketree_put(&tree, "", "usr/lib/systemd/system/irqbalance.service");
	ck_assert_ptr_null(told(SERVICE));
	rs_faketree_put(&tree, "", "run/systemd/system/x");
	ck_assert_str_eq(told(SERVICE), "systemd");
	rs_faketree_remove(&tree, "usr");
	ck_assert_ptr_null(told(SERVICE));
	rs_faketree_put(&tree, "", "sbin/procd");
	rs_faketree_put(&tree, "", "etc/init.d/irqbalance");
	ck_assert_str_eq(told(SERVICE), "openwrt");
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("machine");
	TCase *const t = tcase_create("machine");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_loop_test(
	    t, a_guest_is_known_where_the_machine_tells, 0, (int)RS_ARRAY_LEN(guests));
	tcase_add_test(t, a_long_list_of_cores_is_no_hindrance);
	tcase_add_loop_test(t, the_system_has_a_name_and_a_version, 0, (int)RS_ARRAY_LEN(systems));
	tcase_add_test(t, nodes_are_told_where_there_are_several);
	tcase_add_test(t, irqbalance_is_started_by_what_is_there);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * A file missing or refusing (speed of a link that is down: EINVAL) is
 * "unknown". Loop thread.
 */
#include "nic_attributes.h"

#include <errno.h>
#include <linux/if_arp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"
#include "irqname.h"
#include "num.h"

#define DIR "sys/class/net/"

enum { PATH_BYTES = 192, MBIT = 1000000 };

/* One interface being read. */
struct reading {
	const struct rs_root *root;
	const char *name;
	struct rs_nic_info *nic;
	/* what its directory holds */
	bool has_lower, has_bonding, has_bridge, has_tun;
};

static const char *
path_of(const struct reading *r, const char *attribute, char path[static PATH_BYTES])
{
	(void)snprintf(path, PATH_BYTES, DIR "%s/%s", r->name, attribute);
	return path;
}

static int
read_text(const struct reading *r, const char *attribute, char *dst, size_t cap)
{
	char path[PATH_BYTES];
	return rs_root_read(r->root, path_of(r, attribute, path), dst, cap);
}

/* A number, or `otherwise` when it is not told. */
static int64_t
read_number(const struct reading *r, const char *attribute, int64_t otherwise)
{
	char text[32];
	int64_t value;
	if (read_text(r, attribute, text, sizeof(text)) < 0 ||
	    rs_num_i64(rs_text_trim(rs_text_of(text)), &value) != 0)
		return otherwise;
	return value;
}

static bool
note_entry(void *arg, const char *entry)
{
	struct reading *const r = arg;
	r->has_lower |= strncmp(entry, "lower_", 6) == 0;
	r->has_bonding |= strcmp(entry, "bonding") == 0;
	r->has_bridge |= strcmp(entry, "bridge") == 0;
	r->has_tun |= strcmp(entry, "tun_flags") == 0;
	return true;
}

static bool
count_queue(void *arg, const char *entry)
{
	struct rs_nic_info *const nic = arg;
	nic->rx_queues += strncmp(entry, "rx-", 3) == 0;
	nic->tx_queues += strncmp(entry, "tx-", 3) == 0;
	return true;
}

static void
read_queues(const struct reading *r)
{
	char path[PATH_BYTES];
	struct rs_nic_info *const nic = r->nic;
	nic->rx_queues = nic->tx_queues = 0;
	if (rs_root_list(r->root, path_of(r, "queues", path), count_queue, nic) != 0)
		nic->rx_queues = nic->tx_queues = -1;
}

/* Keeps the vectors ascending, the lowest where there are too many. */
static bool
add_vector(void *arg, const char *entry)
{
	struct rs_nic_info *const nic = arg;
	uint64_t irq;
	if (rs_num_u64(rs_text_of(entry), &irq) != 0 || irq > UINT32_MAX)
		return true;
	unsigned at = nic->n_irqs;
	while (at > 0 && nic->irqs[at - 1] > irq)
		at--;
	const unsigned kept = RS_MIN(nic->n_irqs + 1u, (unsigned)RS_ARRAY_LEN(nic->irqs));
	if (at >= kept)
		return true;
	memmove(&nic->irqs[at + 1], &nic->irqs[at], (kept - 1 - at) * sizeof(nic->irqs[0]));
	nic->irqs[at] = (uint32_t)irq;
	nic->n_irqs = (uint16_t)kept;
	return true;
}

/* The vectors are the PCI device's. A virtio device is its child; a USB device
 * hangs on hubs on a host controller. */
static void
read_vectors(const struct reading *r)
{
	static const char up[] = "../../../../../../../../";
	const bool is_virtio = strncmp(r->nic->device, "virtio", 6) == 0;
	const size_t most = rs_usb_bus(r->nic->device) >= 0 ? (sizeof(up) - 1) / 3 : is_virtio;
	for (size_t level = 0; level <= most; level++) {
		char path[PATH_BYTES];
		(void)snprintf(path, sizeof(path), DIR "%s/device/%smsi_irqs", r->name,
		    up + sizeof(up) - 1 - 3 * level);
		if (rs_root_list(r->root, path, add_vector, r->nic) == 0)
			return;
	}
}

/* Copies the last component of path and cuts it off. */
static bool
take_last(char *path, char *dst, size_t cap)
{
	char *const slash = strrchr(path, '/');
	if (!slash)
		return false;
	(void)rs_text_copy(rs_text_of(slash + 1), dst, cap);
	*slash = '\0';
	return true;
}

/* "../../devices/pci0000:00/0000:00:03.0/virtio2/net/eth0" tells device and
 * parent; "../../devices/virtual/net/lo" that there is none. False: the link is
 * not of the kernel's making. */
static bool
read_path(const struct reading *r, char *target)
{
	char part[64];
	struct rs_nic_info *const nic = r->nic;
	if (!take_last(target, part, sizeof(part)) || strcmp(part, r->name) != 0 ||
	    !take_last(target, part, sizeof(part)) || strcmp(part, "net") != 0 ||
	    !take_last(target, part, sizeof(part)))
		return false;
	if (strcmp(part, "virtual") == 0)
		return true;
	(void)rs_text_copy(rs_text_of(part), nic->device, sizeof(nic->device));
	(void)take_last(target, nic->bus_parent, sizeof(nic->bus_parent));
	return true;
}

static int
read_device(const struct reading *r)
{
	char path[PATH_BYTES], target[512];
	struct rs_nic_info *const nic = r->nic;
	(void)snprintf(path, sizeof(path), DIR "%s", r->name);
	if (rs_root_readlink(r->root, path, target, sizeof(target)) >= 0) {
		if (!read_path(r, target))
			return -EINVAL;
	} else if (rs_root_readlink_base(
		       r->root, path_of(r, "device", path), nic->device, sizeof(nic->device)) < 0) {
		*nic->device = '\0';
	}
	if (!*nic->device)
		return 0;
	nic->is_physical = true;
	if (rs_root_readlink_base(
		r->root, path_of(r, "device/driver", path), nic->driver, sizeof(nic->driver)) < 0)
		*nic->driver = '\0';
	const struct rs_driver *const driver = rs_driver_of(nic);
	nic->loss_ring = driver ? driver->loss_ring : 0;
	nic->loss_ring_in = driver ? driver->loss_ring_in : 0;
	read_vectors(r);
	return 0;
}

/* DEVTYPE=... of the uevent file. */
static void
read_devtype(const struct reading *r, char *dst, size_t cap)
{
	char text[512];
	const int n = read_text(r, "uevent", text, sizeof(text));
	struct rs_text t = {text, text + RS_MAX(n, 0)}, line;
	*dst = '\0';
	while (rs_text_line(&t, &line)) {
		if (rs_text_skip(&line, "DEVTYPE="))
			(void)rs_text_copy(line, dst, cap);
	}
}

/* Packets of these are counted by another interface too. */
static const char *const stacked_kinds[] = {"bond", "bridge", "geneve", "gre", "gretap", "hsr",
    "ifb", "ip6gre", "ip6tnl", "ipip", "ipvlan", "macvlan", "macvtap", "ppp", "sit", "team", "vlan",
    "vrf", "vti", "vxlan", "wireguard"};

/* The speed these report is a constant of the driver's. */
static const char *const made_up_speeds[] = {"tun", "veth"};

static bool
is_in(const char *const *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], s) == 0)
			return true;
	}
	return false;
}

void
rs_nic_set_kind(struct rs_nic_info *nic, const char *kind)
{
	(void)rs_text_copy(rs_text_of(kind), nic->kind, sizeof(nic->kind));
	if (is_in(stacked_kinds, RS_ARRAY_LEN(stacked_kinds), kind))
		nic->is_master_or_stacked = true;
	if (is_in(made_up_speeds, RS_ARRAY_LEN(made_up_speeds), kind))
		nic->speed_bps = -1;
}

/* A pair of veth has no mark of its own in sysfs: a virtual Ethernet device on
 * top of nothing whose iflink is another's. */
static bool
looks_like_veth(const struct reading *r, int64_t type)
{
	const int64_t iflink = read_number(r, "iflink", 0);
	return type == ARPHRD_ETHER && !r->has_lower && iflink > 0 && r->nic->ifindex &&
	       iflink != r->nic->ifindex;
}

static void
read_kind(struct reading *r)
{
	struct rs_nic_info *const nic = r->nic;
	const int64_t type = read_number(r, "type", -1);
	char devtype[sizeof(nic->kind)], path[PATH_BYTES];
	(void)snprintf(path, sizeof(path), DIR "%s", r->name);
	(void)rs_root_list(r->root, path, note_entry, r);
	read_devtype(r, devtype, sizeof(devtype));
	nic->is_loopback = type == ARPHRD_LOOPBACK;
	nic->is_master_or_stacked = r->has_lower || r->has_bonding || r->has_bridge;
	const char *kind = "";
	if (nic->is_loopback)
		kind = "loopback";
	else if (*devtype)
		kind = devtype;
	else if (r->has_bonding)
		kind = "bond";
	else if (r->has_bridge)
		kind = "bridge";
	else if (r->has_tun)
		kind = "tun";
	else if (nic->is_physical)
		kind = "physical";
	else if (looks_like_veth(r, type))
		kind = "veth";
	rs_nic_set_kind(nic, kind);
}

/* The value of the word a file holds, or -1. */
static int8_t
read_word(const struct reading *r, const char *attribute, const char *yes, const char *no)
{
	char text[32];
	if (read_text(r, attribute, text, sizeof(text)) <= 0)
		return -1;
	if (strcmp(text, yes) == 0)
		return 1;
	return (int8_t)(strcmp(text, no) == 0 ? 0 : -1);
}

/* Whether the lower layer is up. */
static int8_t
read_up(const struct reading *r)
{
	char text[32];
	/* Reading carrier of an interface that is not up: EINVAL
	 * (net/core/net-sysfs.c, carrier_show). A captured tree lacks it then. */
	const int n = read_text(r, "carrier", text, sizeof(text));
	if (n == -EINVAL || (n > 0 && *text == '0'))
		return 0;
	if (n > 0 && *text == '1')
		return 1;
	return read_word(r, "operstate", "up", "down");
}

static void
read_link(const struct reading *r)
{
	struct rs_nic_info *const nic = r->nic;
	/* Unknown is -1, in old kernels 4294967295; 0 is no speed either. */
	const int64_t mbit = read_number(r, "speed", -1);
	nic->speed_bps = mbit > 0 && mbit < UINT32_MAX ? mbit * MBIT : -1;
	nic->duplex = read_word(r, "duplex", "full", "half");
	nic->is_up = read_up(r);
	const int64_t mtu = read_number(r, "mtu", -1);
	nic->mtu = mtu >= 0 && mtu <= INT32_MAX ? (int32_t)mtu : -1;
	nic->carrier_changes = read_number(r, "carrier_changes", -1);
}

int
rs_nic_read(const struct rs_root *root, const char *name, struct rs_nic_info *ret)
{
	struct rs_nic_info nic = {.speed_bps = -1, .duplex = -1, .is_up = -1};
	struct reading r = {.root = root, .name = name, .nic = &nic};
	char text[32];
	uint64_t ifindex;
	if (strlen(name) >= sizeof(nic.name))
		return -EINVAL;
	memcpy(nic.name, name, strlen(name) + 1);
	const int n = read_text(&r, "ifindex", text, sizeof(text));
	if (n < 0)
		return n;
	if (rs_num_u64(rs_text_of(text), &ifindex) != 0 || ifindex == 0 || ifindex > INT32_MAX)
		return -EINVAL;
	nic.ifindex = (uint32_t)ifindex;
	const int error = read_device(&r);
	if (error)
		return error;
	read_link(&r);
	read_kind(&r);
	read_queues(&r);
	*ret = nic;
	return 0;
}

/* false: not told. */
static bool
read_power(
    const struct rs_root *root, const char *name, const char *attribute, char text[static 32])
{
	char path[PATH_BYTES];
	(void)snprintf(path, sizeof(path), DIR "%s/device/power/%s", name, attribute);
	return rs_root_read(root, path, text, 32) > 0;
}

bool
rs_nic_may_sleep(const struct rs_root *root, const char *name)
{
	char text[32];
	return read_power(root, name, "control", text) && strcmp(text, "on") != 0;
}

bool
rs_nic_is_asleep(const struct rs_root *root, const char *name)
{
	char text[32];
	/* "suspended", "suspending" (drivers/base/power/sysfs.c) */
	return read_power(root, name, "runtime_status", text) && strncmp(text, "suspend", 7) == 0;
}

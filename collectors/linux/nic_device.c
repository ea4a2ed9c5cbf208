/* SPDX-License-Identifier: ISC */
/*
 * Small files that are read seldom, or a few of many in turn.
 */
#include "nic_device.h"

#include <net/if.h>
#include <stdio.h>

#include "settings.h"

#define DIR "sys/class/net"

enum { PATH_BYTES = 96, PACE_MAX_S = 120 };

static const char *
path_of(const char *name, const char *file, char path[static PATH_BYTES])
{
	(void)snprintf(path, PATH_BYTES, DIR "/%s/%s", name, file);
	return path;
}

/* -1 is "none in particular". A virtio device is at the node of its parent. */
static void
read_numa_node(const struct rs_root *root, const char *name, uint32_t ifindex, struct rs_frame *f)
{
	static const char *const files[] = {"device/numa_node", "device/../numa_node"};
	char path[PATH_BYTES], text[32], value[RS_SETTING_BYTES];
	for (size_t i = 0; i < RS_ARRAY_LEN(files); i++) {
		if (rs_root_read(root, path_of(name, files[i], path), text, sizeof(text)) <= 0)
			continue;
		if (!rs_setting_number(rs_text_of(text), value))
			break;
		rs_put_fact(f, RS_F_NUMA_NODE, ifindex, RS_NO_QUEUE, rs_text_of(value));
		return;
	}
	rs_put_fact_gone(f, RS_F_NUMA_NODE, ifindex, RS_NO_QUEUE);
}

static void
read_master(const struct rs_root *root, const char *name, uint32_t ifindex, struct rs_frame *f)
{
	char path[PATH_BYTES], master[IF_NAMESIZE];
	if (rs_root_readlink_base(root, path_of(name, "master", path), master, sizeof(master)) > 0)
		rs_put_fact(f, RS_F_MASTER, ifindex, RS_NO_QUEUE, rs_text_of(master));
	else
		rs_put_fact_gone(f, RS_F_MASTER, ifindex, RS_NO_QUEUE);
}

void
rs_nic_device_read(
    const struct rs_root *root, const char *name, uint32_t ifindex, struct rs_frame *f)
{
	read_numa_node(root, name, ifindex, f);
	read_master(root, name, ifindex, f);
}

/* The driver is told when a queue stands still, and the kernel counts that
 * (net/sched/sch_generic.c, dev_watchdog). */
static bool
read_one(const struct rs_root *root, const char *name, uint32_t queue, uint64_t *ret)
{
	char path[PATH_BYTES], text[32];
	(void)snprintf(path, sizeof(path), DIR "/%s/queues/tx-%u/tx_timeout", name, queue);
	if (rs_root_read(root, path, text, sizeof(text)) <= 0)
		return false;
	struct rs_text t = rs_text_of(text);
	return rs_text_u64(&t, ret);
}

/* The pace is what it took: a round is the longer the more interfaces there are. */
static void
put_sum(struct rs_nic_timeouts *t, bool is_live, uint32_t ifindex, struct rs_frame *f)
{
	const rs_ns since_s = (f->at_ns - t->put_ns) / RS_NS_PER_S + 1;
	const uint8_t pace_s = (uint8_t)RS_MIN(since_s, (rs_ns)PACE_MAX_S);
	if (!t->is_in_part)
		rs_put_paced(f, RS_M_NIC_TX_TIMEOUTS, ifindex, t->sum, is_live ? pace_s : 0);
	*t = (struct rs_nic_timeouts){.put_ns = f->at_ns};
}

void
rs_nic_timeouts_read(struct rs_nic_timeouts *t, const struct rs_root *root, const char *name,
    uint32_t ifindex, uint32_t n, struct rs_frame *f)
{
	uint64_t count = 0;
	if (read_one(root, name, t->at, &count))
		t->sum += count;
	else
		t->is_in_part = true;
	if (++t->at >= n)
		put_sum(t, rs_root_is_live(root), ifindex, f);
}

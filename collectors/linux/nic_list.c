/* SPDX-License-Identifier: ISC */
/*
 * Indices come from one dump in the beginning and from notices later; what an
 * interface is comes from ioctls and, for its driver and queues, from sysfs.
 * Allocates only when interfaces or their counters change. Loop thread.
 */
#include "nic_list.h"

#include <errno.h>
#include <linux/if.h>
#include <stdlib.h>
#include <string.h>

#include "linkwatch.h"
#include "nic_attributes.h"
#include "rtnl.h"

/* Names and queues may change while their number stays. */
#define REFRESH_NS (60 * RS_NS_PER_S)
#define RETRY_NS (5 * RS_NS_PER_S)
#define NEVER INT64_MAX

enum { INTERFACES_MAX = 4096, TRIES = 3 };

struct rs_nic_entry *
rs_nic_list_find(struct rs_nic_list *l, uint32_t ifindex)
{
	for (size_t i = 0; i < l->n; i++) {
		const size_t k = (l->at + i) % l->n;
		if (l->entries[k].ifindex == ifindex) {
			l->at = k;
			return &l->entries[k];
		}
	}
	return NULL;
}

/* NULL: more than INTERFACES_MAX, or no memory. */
static struct rs_nic_entry *
find_or_add(struct rs_nic_list *l, uint32_t ifindex)
{
	struct rs_nic_entry *e = rs_nic_list_find(l, ifindex);
	if (e)
		return e;
	if (l->n == l->cap) {
		const size_t cap = RS_MIN(l->cap * 2 + 8, (size_t)INTERFACES_MAX);
		void *const p = l->n < cap ? realloc(l->entries, cap * sizeof(*l->entries)) : NULL;
		if (!p)
			return NULL;
		l->entries = p;
		l->cap = cap;
	}
	e = &l->entries[l->n++];
	*e = (struct rs_nic_entry){.ifindex = ifindex,
	    .is_noted = true,
	    .read_ns = RS_NIC_LONG_AGO,
	    .ring_ns = RS_NIC_LONG_AGO,
	    .more_ns = RS_NIC_LONG_AGO,
	    .pause_ns = RS_NIC_LONG_AGO,
	    .none_ns = RS_NIC_LONG_AGO};
	return e;
}

static void
drop_at(struct rs_nic_list *l, size_t i)
{
	rs_nic_stats_fini(&l->entries[i].stats);
	l->entries[i] = l->entries[--l->n];
}

static void
note_change(void *arg, uint32_t ifindex)
{
	struct rs_nic_list *const l = arg;
	struct rs_nic_entry *const e = ifindex ? find_or_add(l, ifindex) : NULL;
	if (e) {
		e->is_noted = true;
		l->is_stale |= e->is_in_frame;
	} else if (ifindex == 0) {
		/* Notices were lost. */
		for (size_t i = 0; i < l->n; i++)
			l->entries[i].is_noted = true;
		l->is_to_list = true;
		l->is_stale = true;
	}
}

static void
note_listed(void *arg, const struct rs_link_stats *s)
{
	struct rs_nic_entry *const e = find_or_add(arg, s->ifindex);
	if (e)
		e->is_listed = true;
}

static int
list(struct rs_nic_list *l)
{
	int error = -EAGAIN;
	for (unsigned tries = 0; tries < TRIES && error == -EAGAIN; tries++) {
		for (size_t i = 0; i < l->n; i++)
			l->entries[i].is_listed = false;
		error = rs_rtnl_stats(l->rtnl, note_listed, l);
	}
	if (error)
		return error;
	for (size_t i = l->n; i-- > 0;) {
		if (!l->entries[i].is_listed)
			drop_at(l, i);
	}
	l->is_to_list = false;
	return 0;
}

/* Where sysfs does not know the interface it is another namespace's: names alone
 * must do then. */
static int
find_stats(const struct rs_nic_list *l, struct rs_nic_entry *e)
{
	struct rs_nic_info info;
	if (rs_nic_read(l->root, e->name, &info) != 0 || info.ifindex != e->ifindex) {
		memset(&info, 0, sizeof(info));
		memcpy(info.name, e->name, sizeof(info.name));
		info.rx_queues = info.tx_queues = -1;
		e->may_sleep = e->is_physical = false;
	} else {
		e->is_physical = info.is_physical;
		e->may_sleep = rs_nic_may_sleep(l->root, e->name);
	}
	if (rs_nic_list_is_asleep(l, e))
		return -ENODEV;
	return rs_nic_stats_find(&e->stats, l->ethtool, &info);
}

/* False: it is gone. */
static bool
describe(struct rs_nic_list *l, struct rs_nic_entry *e, rs_ns now)
{
	unsigned flags = 0;
	int error = rs_ethtool_name(l->ethtool, e->ifindex, e->name);
	if (!error)
		error = rs_ethtool_flags(l->ethtool, e->name, &flags);
	if (error == -ENODEV)
		return false;
	/* It may have other queues now. */
	if (e->is_noted)
		e->read_ns = RS_NIC_LONG_AGO;
	e->is_noted = e->lacks_pause = false;
	e->none_ns = RS_NIC_LONG_AGO;
	e->is_up = (flags & IFF_UP) != 0;
	e->is_loopback = (flags & IFF_LOOPBACK) != 0;
	e->stats.n = 0;
	if (!error && e->is_up && !e->is_loopback) {
		error = find_stats(l, e);
		l->has_new = true;
	}
	e->error = error;
	if (error && error != -EOPNOTSUPP)
		e->describe_ns = now + RETRY_NS;
	else
		e->describe_ns = e->stats.n ? now + REFRESH_NS : NEVER;
	return true;
}

/* All that changed, and one of those whose time has come. */
static void
describe_noted(struct rs_nic_list *l, rs_ns now)
{
	bool has_turn = true;
	for (size_t i = l->n; i-- > 0;) {
		struct rs_nic_entry *const e = &l->entries[i];
		const bool is_due = has_turn && now >= e->describe_ns;
		has_turn &= !is_due;
		if ((e->is_noted || is_due) && !describe(l, e, now))
			drop_at(l, i);
	}
}

int
rs_nic_list_follow(struct rs_nic_list *l, rs_ns now)
{
	rs_linkwatch_take(l->watch, note_change, l);
	const int error = l->is_to_list ? list(l) : 0;
	if (error)
		return error;
	describe_noted(l, now);
	return 0;
}

bool
rs_nic_list_is_same(struct rs_nic_list *l)
{
	l->is_stale = false;
	rs_linkwatch_take(l->watch, note_change, l);
	return !l->is_stale;
}

bool
rs_nic_list_is_asleep(const struct rs_nic_list *l, const struct rs_nic_entry *e)
{
	return e->may_sleep && rs_nic_is_asleep(l->root, e->name);
}

void
rs_nic_list_failed(struct rs_nic_entry *e, int error, rs_ns now)
{
	e->error = error;
	e->stats.n = 0;
	e->none_ns = RS_NIC_LONG_AGO;
	e->describe_ns = now + RETRY_NS;
}

int
rs_nic_list_open(
    struct rs_nic_list *l, const struct rs_root *root, const struct rs_ethtool *ethtool)
{
	*l = (struct rs_nic_list){.root = root, .ethtool = ethtool, .is_to_list = true};
	const int error = rs_linkwatch_open(&l->watch);
	return error ? error : rs_rtnl_open(&l->rtnl);
}

void
rs_nic_list_close(struct rs_nic_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		rs_nic_stats_fini(&l->entries[i].stats);
	free(l->entries);
	rs_rtnl_close(l->rtnl);
	rs_linkwatch_close(l->watch);
	*l = (struct rs_nic_list){0};
}

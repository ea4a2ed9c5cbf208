/* SPDX-License-Identifier: ISC */
/*
 * /sys/class/net: what each interface is. Some 15 files an interface would be
 * dearer than all other sources together, so on the live machine the kernel's
 * notices tell which to read again; beside that one interface at a time is read
 * now and then, for what changes without notice (speed negotiated anew,
 * queues). Allocates only when interfaces appear. Loop thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "linkwatch.h"
#include "nic_attributes.h"
#include "rtnl.h"

#define DIR "sys/class/net"
#define REFRESH_NS (10 * RS_NS_PER_S)

/* A notice may come just before what it tells is to be seen: an interface that
 * goes is announced before its directory is removed (net/core/dev.c,
 * unregister_netdevice_many). So each is followed twice, a period apart. */
enum { INTERFACES_MAX = 4096, TURNS = 2 };

struct entry {
	struct rs_nic_info info; /* name from the directory */
	bool is_listed;
	uint8_t to_read; /* how many of the next turns read it */
};

struct state {
	const struct rs_root *root;
	struct rs_linkwatch *watch; /* NULL: read all each time */
	struct rs_rtnl *rtnl;	    /* NULL: no kinds by netlink */
	struct entry *entries;
	size_t n, cap;
	size_t at;	  /* where the next name of the directory is looked for first */
	unsigned to_list; /* as to_read, for the directory */
	bool is_settled;  /* all notices are followed up and told */
	bool is_full;	  /* more interfaces than INTERFACES_MAX, or no memory */
	size_t refresh_at;
	rs_ns refreshed_ns;
};

static void
note_change(void *arg, uint32_t ifindex)
{
	struct state *const s = arg;
	s->to_list = TURNS;
	for (size_t i = 0; i < s->n; i++) {
		if (ifindex == 0 || s->entries[i].info.ifindex == ifindex)
			s->entries[i].to_read = TURNS;
	}
}

static struct entry *
find_entry(struct state *s, const char *name)
{
	for (size_t i = 0; i < s->n; i++) {
		const size_t k = (s->at + i) % s->n;
		if (strcmp(s->entries[k].info.name, name) == 0) {
			s->at = k + 1;
			return &s->entries[k];
		}
	}
	return NULL;
}

static struct entry *
add_entry(struct state *s)
{
	if (s->n == s->cap) {
		const size_t cap = RS_MIN(s->cap * 2 + 8, (size_t)INTERFACES_MAX);
		struct entry *const p = s->n < cap ? realloc(s->entries, cap * sizeof(*p)) : NULL;
		if (!p)
			return NULL;
		s->entries = p;
		s->cap = cap;
	}
	struct entry *const e = &s->entries[s->n++];
	memset(e, 0, sizeof(*e));
	return e;
}

static bool
note_name(void *arg, const char *name)
{
	struct state *const s = arg;
	struct entry *e = find_entry(s, name);
	const size_t len = strlen(name);
	if (!e && len < sizeof(e->info.name)) {
		e = add_entry(s);
		s->is_full = !e;
		if (e) {
			memcpy(e->info.name, name, len + 1);
			e->to_read = TURNS;
		}
	}
	if (e)
		e->is_listed = true;
	return !s->is_full;
}

/* Forgets what the last listing did not have. */
static void
drop_unlisted(struct state *s)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++) {
		if (!s->entries[i].is_listed)
			continue;
		if (kept != i)
			s->entries[kept] = s->entries[i];
		kept++;
	}
	s->n = kept;
}

static int
list(struct state *s)
{
	for (size_t i = 0; i < s->n; i++)
		s->entries[i].is_listed = false;
	s->at = 0;
	const int error = rs_root_list(s->root, DIR, note_name, s);
	if (error)
		return error;
	drop_unlisted(s);
	s->to_list--;
	return 0;
}

static void
set_kind(void *arg, uint32_t ifindex, const char *kind)
{
	struct state *const s = arg;
	for (size_t i = 0; i < s->n; i++) {
		struct rs_nic_info *const nic = &s->entries[i].info;
		if (nic->ifindex == ifindex)
			rs_nic_set_kind(nic, kind);
	}
}

/* Returns how many could not be read: gone, or no interfaces. */
static unsigned
read_noted(struct state *s)
{
	bool has_virtual = false;
	unsigned failed = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct entry *const e = &s->entries[i];
		if (!e->to_read)
			continue;
		e->to_read--;
		char name[sizeof(e->info.name)];
		memcpy(name, e->info.name, sizeof(name));
		const int error = rs_nic_read(s->root, name, &e->info);
		/* bonding_masters is a file. */
		failed += error != 0 && error != -ENOTDIR;
		e->is_listed = error == 0;
		has_virtual |= e->is_listed && !e->info.is_physical && !e->info.is_loopback;
	}
	drop_unlisted(s);
	/* Without the answer the kind is what sysfs lets guess. */
	if (has_virtual && s->rtnl)
		(void)rs_rtnl_kinds(s->rtnl, set_kind, s);
	return failed;
}

static bool
is_noted(const struct state *s)
{
	for (size_t i = 0; i < s->n; i++) {
		if (s->entries[i].to_read)
			return true;
	}
	return false;
}

static void
put_all(const struct state *s, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n; i++) {
		struct rs_nic_info *const nic = rs_frame_nic(f);
		if (!nic)
			return;
		*nic = s->entries[i].info;
	}
	f->has_nics = true;
}

static int
open_net(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	s->to_list = TURNS;
	if (rs_root_is_live(root)) {
		if (rs_linkwatch_open(&s->watch) != 0)
			s->watch = NULL;
		if (rs_rtnl_open(&s->rtnl) != 0)
			s->rtnl = NULL;
	}
	*ret_state = s;
	return 0;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	if (s->watch)
		rs_linkwatch_take(s->watch, note_change, s);
	if (!s->watch || f->has_new_channels)
		note_change(s, 0);
	const bool is_due = s->n && f->at_ns - s->refreshed_ns >= REFRESH_NS;
	/* What has not changed is not told again. */
	if (s->is_settled && !s->to_list && !is_due)
		return 0;
	s->is_settled = false;
	if (s->to_list) {
		const int error = list(s);
		if (error)
			return error;
	}
	if (is_due && s->n) {
		s->refresh_at = (s->refresh_at + 1) % s->n;
		s->entries[s->refresh_at].to_read = 1;
		s->refreshed_ns = f->at_ns;
	}
	f->skipped_rows = read_noted(s) + s->is_full;
	if (s->n == 0)
		return -ENOENT;
	put_all(s, f);
	s->is_settled = !s->to_list && !is_noted(s);
	return 0;
}

static void
close_net(void *state)
{
	struct state *const s = state;
	rs_linkwatch_close(s->watch);
	rs_rtnl_close(s->rtnl);
	free(s->entries);
	free(s);
}

static const char *const paths[] = {DIR, NULL};

RS_COLLECTOR(sys_class_net) = {
    .id = "interfaces",
    .summary = "network interfaces: driver, speed, queues, vectors",
    .paths = paths,
    .period_ms = 1000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_net,
    .collect = collect,
    .close = close_net,
};

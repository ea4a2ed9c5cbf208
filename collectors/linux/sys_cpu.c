/* SPDX-License-Identifier: ISC */
/*
 * /sys/devices/system/cpu: which cores are online, kept free of work, and
 * siblings of each other. Read when /proc/stat has got other rows, and now and then.
 * Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "irq_accounting.h"
#include "num.h"
#include "reader.h"

#define DIR "sys/devices/system/cpu/"
#define REFRESH_NS (60 * RS_NS_PER_S)

enum { LIST_BYTES_MAX = 65536 };

struct state {
	const struct rs_root *root;
	struct rs_reader *online;
	bool is_known; /* info was read at read_at_ns */
	rs_ns read_at_ns;
	struct rs_cpu_info info;
};

static bool
read_list(const struct rs_root *root, const char *path, struct rs_cpuset *ret)
{
	/* As long a list as RS_CPU_MAX / 2 single numbers is not met; a longer one
	 * is not known. */
	char text[4096];
	const int n = rs_root_read(root, path, text, sizeof(text));
	if (n < 0)
		return false;
	/* lib/vsprintf.c writes this for a mask that was never made. */
	const struct rs_text t = rs_text_trim((struct rs_text){text, text + n});
	if (rs_text_eq(t, "(null)")) {
		rs_cpuset_zero(ret);
		return true;
	}
	return rs_cpuset_parse_list(t, ret) == 0;
}

/* Gives all siblings of cpu the number of the lowest. */
static bool
read_siblings(const struct rs_root *root, unsigned cpu, struct rs_cpu_info *info)
{
	char path[128];
	struct rs_cpuset siblings;
	(void)snprintf(path, sizeof(path), DIR "cpu%u/topology/thread_siblings_list", cpu);
	if (!read_list(root, path, &siblings) || !rs_cpuset_has(&siblings, cpu))
		return false;
	const unsigned lowest = rs_cpuset_next(&siblings, 0);
	for (unsigned s = lowest; s < RS_CPU_MAX; s = rs_cpuset_next(&siblings, s + 1))
		info->group[s] = (uint16_t)lowest;
	return true;
}

static void
read_groups(const struct rs_root *root, struct rs_cpu_info *info)
{
	for (unsigned cpu = 0; cpu < RS_CPU_MAX; cpu++)
		info->group[cpu] = (uint16_t)cpu;
	info->has_groups = false;
	const struct rs_cpuset *const cpus = info->has_online ? &info->online : &info->possible;
	if (!info->has_online && !info->has_possible)
		return;
	for (unsigned c = rs_cpuset_next(cpus, 0); c < RS_CPU_MAX;
	     c = rs_cpuset_next(cpus, c + 1)) {
		/* A lower sibling may have told already. */
		if (info->group[c] == c && read_siblings(root, c, info))
			info->has_groups = true;
	}
}

static void
read_rest(const struct rs_root *root, struct rs_cpu_info *info)
{
	info->has_possible = read_list(root, DIR "possible", &info->possible);
	info->has_isolated = read_list(root, DIR "isolated", &info->isolated);
	info->has_nohz_full = read_list(root, DIR "nohz_full", &info->nohz_full);
	read_groups(root, info);
}

/* Not every machine tells them (drivers/base/arch_topology.c): none where the first core
 * has none. */
static void
put_capacities(const struct state *s, struct rs_frame *f)
{
	const struct rs_cpuset *const cpus = &s->info.online;
	for (unsigned c = rs_cpuset_next(cpus, 0); c < RS_CPU_MAX;
	     c = rs_cpuset_next(cpus, c + 1)) {
		char path[64], text[16];
		uint64_t capacity;
		(void)snprintf(path, sizeof(path), DIR "cpu%u/cpu_capacity", c);
		if (rs_root_read(s->root, path, text, sizeof(text)) <= 0 ||
		    rs_num_u64(rs_text_trim(rs_text_of(text)), &capacity) != 0)
			return;
		rs_put_fact(f, RS_F_CAPACITY, c, RS_NO_QUEUE, rs_text_trim(rs_text_of(text)));
	}
}

/* True when the set of online CPUs is not what it was. */
static bool
read_online(struct state *s)
{
	const struct rs_cpuset before = s->info.online;
	const bool had = s->info.has_online;
	struct rs_text t;
	s->info.has_online =
	    rs_reader_read(s->online, &t) == 0 && rs_cpuset_parse_list(t, &s->info.online) == 0;
	if (!s->info.has_online)
		rs_cpuset_zero(&s->info.online);
	return had != s->info.has_online || memcmp(&before, &s->info.online, sizeof(before)) != 0;
}

static int
open_cpu(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	const int error = rs_reader_open(root, DIR "online", LIST_BYTES_MAX, &s->online);
	if (error) {
		free(s);
		return error;
	}
	s->info.precise_irq_time = (int8_t)rs_irq_accounting(root);
	*ret_state = s;
	return 0;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	const bool is_due = !s->is_known || f->at_ns - s->read_at_ns >= REFRESH_NS;
	/* What has not changed is not told again: it is 20 kB. */
	if (!is_due && rs_root_is_live(s->root) && !f->has_new_cores)
		return 0;
	if (!read_online(s) && !is_due)
		return 0;
	read_rest(s->root, &s->info);
	s->is_known = s->info.has_online || s->info.has_possible;
	s->read_at_ns = f->at_ns;
	if (!s->is_known)
		return -ENOENT;
	put_capacities(s, f);
	f->cpus = s->info;
	f->cpus.is_present = true;
	return 0;
}

static void
close_cpu(void *state)
{
	struct state *const s = state;
	rs_reader_close(s->online);
	free(s);
}

static const char *const paths[] = {DIR "online", DIR "possible", DIR "isolated", DIR "nohz_full",
    DIR "cpu*/topology/thread_siblings_list", DIR "cpu*/cpu_capacity", "proc/pressure/irq",
    "proc/pressure/cpu", "proc/sys/kernel/osrelease", NULL};

RS_COLLECTOR(sys_cpu) = {
    .id = "cpu",
    .summary = "cores: online, isolated, siblings",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_cpu,
    .collect = collect,
    .close = close_cpu,
};

/* SPDX-License-Identifier: ISC */
/*
 * Two counters a core in a group, so that one reading takes both at once. The
 * rate of the time stamp counter is constant: it is measured once, between the
 * first two readings.
 */
#define _GNU_SOURCE /* syscall() */
#include "aperf.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cpuset.h"

#define PMU "sys/bus/event_source/devices/msr/"

/* The rate is believed after so long: two readings within it differ by little. */
#define TSC_NS_MIN (RS_NS_PER_S / 10)

struct core {
	int aperf_fd, mperf_fd; /* 0: not open; the first leads the group */
	bool has_prev;
	uint64_t prev_aperf, prev_mperf;
};

struct rs_aperf {
	uint32_t type;
	uint64_t aperf, mperf, tsc; /* how perf calls them */
	int tsc_fd;		    /* -1: closed, the rate is known */
	uint64_t first_tsc, first_ns;
	double tsc_hz; /* 0: not known yet */
	struct core *cores;
	unsigned n_cores;
};

static int
read_number(const struct rs_root *root, const char *path, uint64_t *ret)
{
	char text[64];
	const int n = rs_root_read(root, path, text, sizeof(text));
	struct rs_text t = {text, text + (n > 0 ? n : 0)};
	if (n < 0)
		return n;
	/* "9", or for an event "event=0x01" (arch/x86/events/msr.c) */
	const bool is_hex = rs_text_skip(&t, "event=0x");
	if (!(is_hex ? rs_text_hex(&t, ret) : rs_text_u64(&t, ret)) || t.p != t.end)
		return -ENOENT;
	return 0;
}

static int
open_event(const struct rs_aperf *a, uint64_t event, unsigned cpu, int group, uint64_t format)
{
	struct perf_event_attr attr = {
	    .type = a->type, .size = sizeof(attr), .config = event, .read_format = format};
	const long fd =
	    syscall(SYS_perf_event_open, &attr, -1, (int)cpu, group, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : (int)fd;
}

static void
close_core(struct core *c)
{
	if (c->mperf_fd > 0)
		(void)close(c->mperf_fd);
	if (c->aperf_fd > 0)
		(void)close(c->aperf_fd);
	*c = (struct core){0};
}

static int
open_core(const struct rs_aperf *a, unsigned cpu, struct core *c)
{
	const int aperf = open_event(a, a->aperf, cpu, -1, PERF_FORMAT_GROUP);
	if (aperf < 0)
		return aperf;
	c->aperf_fd = aperf;
	const int mperf = open_event(a, a->mperf, cpu, aperf, PERF_FORMAT_GROUP);
	if (mperf < 0) {
		close_core(c);
		return mperf;
	}
	c->mperf_fd = mperf;
	return 0;
}

/* Of an event, or of a group (PERF_FORMAT_GROUP: how many, then each). */
static int
read_values(int fd, uint64_t *ret, size_t size)
{
	const ssize_t n = read(fd, ret, size);
	if (n < 0)
		return -errno;
	/* 0: the core has left (perf_read in kernel/events/core.c). */
	return (size_t)n == size ? 0 : -ENODEV;
}

static void
close_tsc(struct rs_aperf *a)
{
	if (a->tsc_fd >= 0)
		(void)close(a->tsc_fd);
	a->tsc_fd = -1;
}

/* Until the rate is known; on any core, all have the same. */
static int
read_tsc(struct rs_aperf *a, unsigned cpu)
{
	uint64_t now[2]; /* counter, ns that it was counting */
	if (a->tsc_fd < 0)
		a->tsc_fd = open_event(a, a->tsc, cpu, -1, PERF_FORMAT_TOTAL_TIME_ENABLED);
	if (a->tsc_fd < 0)
		return a->tsc_fd;
	const int error = read_values(a->tsc_fd, now, sizeof(now));
	if (error) {
		close_tsc(a);
		a->first_ns = 0;
		return error;
	}
	if (a->first_ns == 0) {
		a->first_tsc = now[0];
		a->first_ns = now[1];
		return 0;
	}
	const uint64_t ns = now[1] - a->first_ns;
	if (ns < (uint64_t)TSC_NS_MIN)
		return 0;
	a->tsc_hz = (double)(now[0] - a->first_tsc) * (double)RS_NS_PER_S / (double)ns;
	close_tsc(a);
	return 0;
}

int
rs_aperf_open(const struct rs_root *root, struct rs_aperf **ret)
{
	struct rs_aperf *const a = calloc(1, sizeof(*a));
	uint64_t type;
	if (!a)
		return -ENOMEM;
	a->tsc_fd = -1;
	int error = read_number(root, PMU "type", &type);
	if (!error)
		error = read_number(root, PMU "events/aperf", &a->aperf);
	if (!error)
		error = read_number(root, PMU "events/mperf", &a->mperf);
	if (!error)
		error = read_number(root, PMU "events/tsc", &a->tsc);
	if (!error) {
		a->type = (uint32_t)type;
		error = read_tsc(a, 0);
	}
	if (error) {
		rs_aperf_close(a);
		return error;
	}
	*ret = a;
	return 0;
}

void
rs_aperf_close(struct rs_aperf *a)
{
	if (!a)
		return;
	for (unsigned i = 0; i < a->n_cores; i++)
		close_core(&a->cores[i]);
	free(a->cores);
	close_tsc(a);
	free(a);
}

static int
make_room(struct rs_aperf *a, unsigned cpu)
{
	if (cpu < a->n_cores)
		return 0;
	if (cpu >= RS_CPU_MAX)
		return -EINVAL;
	struct core *const cores = realloc(a->cores, (cpu + 1) * sizeof(*cores));
	if (!cores)
		return -ENOMEM;
	memset(&cores[a->n_cores], 0, (cpu + 1 - a->n_cores) * sizeof(*cores));
	a->cores = cores;
	a->n_cores = cpu + 1;
	return 0;
}

static int
read_core(struct rs_aperf *a, unsigned cpu, struct core *c, double *ret_hz)
{
	uint64_t v[3]; /* how many, APERF, MPERF */
	if (c->aperf_fd == 0) {
		const int error = open_core(a, cpu, c);
		if (error)
			return error;
	}
	const int error = read_values(c->aperf_fd, v, sizeof(v));
	if (error)
		return error;
	const uint64_t ran = v[2] - c->prev_mperf;
	const bool has_value = c->has_prev && ran > 0 && a->tsc_hz > 0.0;
	if (has_value)
		*ret_hz = a->tsc_hz * (double)(v[1] - c->prev_aperf) / (double)ran;
	c->prev_aperf = v[1];
	c->prev_mperf = v[2];
	c->has_prev = true;
	return has_value ? 0 : -EAGAIN;
}

int
rs_aperf_hz(struct rs_aperf *a, unsigned cpu, double *ret_hz)
{
	int error = make_room(a, cpu);
	if (error)
		return error;
	if (a->tsc_hz <= 0.0)
		error = read_tsc(a, cpu);
	if (!error)
		error = read_core(a, cpu, &a->cores[cpu], ret_hz);
	if (error && error != -EAGAIN)
		close_core(&a->cores[cpu]);
	return error;
}

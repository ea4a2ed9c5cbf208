/* SPDX-License-Identifier: ISC */
/*
 * /sys/devices/system/cpu: the clock of each core and how often heat slowed it
 * down. Cores that share a frequency policy share its files. Where perf lets us,
 * the clock is measured; else it is what was asked for last, or, on x86, what the
 * kernel saw at its last tick. Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "aperf.h"
#include "collector.h"
#include "kept.h"
#include "num.h"

#define DIR "sys/devices/system/cpu/"

/* Once in so many readings (a minute) is asked for what was missing. */
enum { PERIOD_S = 5, RETRY_EACH = 12, FILES_KEPT = 128, NO_POLICY = UINT16_MAX };

struct policy {
	unsigned number; /* of policyN */
	int32_t cur_file, max_file;
	uint64_t cur_hz, max_hz; /* 0: not known */
};

struct core {
	uint16_t cpu;
	uint16_t policy; /* index, or NO_POLICY */
	int32_t throttle_file, time_file;
};

struct state {
	const struct rs_root *root;
	struct rs_kept *kept;
	struct rs_aperf *aperf; /* NULL: not there, or not permitted */
	struct policy *policies;
	struct core *cores;
	size_t n_policies, n_cores, cap;
	unsigned turn;
};

static void
forget(struct state *s)
{
	for (size_t i = 0; i < s->n_policies; i++) {
		rs_kept_drop(s->kept, &s->policies[i].cur_file);
		rs_kept_drop(s->kept, &s->policies[i].max_file);
	}
	for (size_t i = 0; i < s->n_cores; i++) {
		rs_kept_drop(s->kept, &s->cores[i].throttle_file);
		rs_kept_drop(s->kept, &s->cores[i].time_file);
	}
	s->n_policies = s->n_cores = 0;
}

/* At most one policy a core. */
static int
make_room(struct state *s, size_t n)
{
	if (n <= s->cap)
		return 0;
	struct policy *const policies = realloc(s->policies, n * sizeof(*policies));
	if (policies)
		s->policies = policies;
	struct core *const cores = realloc(s->cores, n * sizeof(*cores));
	if (cores)
		s->cores = cores;
	if (!policies || !cores)
		return -ENOMEM;
	s->cap = n;
	return 0;
}

/* cpu3/cpufreq is a link to ../cpufreq/policy0; false: the core has none. */
static bool
policy_number(const struct rs_root *root, unsigned cpu, unsigned *ret)
{
	char path[64], base[32];
	uint64_t number;
	(void)snprintf(path, sizeof(path), DIR "cpu%u/cpufreq", cpu);
	if (rs_root_readlink_base(root, path, base, sizeof(base)) < 0)
		return false;
	struct rs_text t = rs_text_of(base);
	if (!rs_text_skip(&t, "policy") || rs_num_u64(t, &number) < 0 || number >= RS_CPU_MAX)
		return false;
	*ret = (unsigned)number;
	return true;
}

static uint16_t
policy_index(struct state *s, unsigned number)
{
	size_t i = 0;
	while (i < s->n_policies && s->policies[i].number != number)
		i++;
	if (i == s->n_policies)
		s->policies[s->n_policies++] = (struct policy){
		    .number = number, .cur_file = RS_KEPT_NEW, .max_file = RS_KEPT_NEW};
	return (uint16_t)i;
}

static int
discover(struct state *s)
{
	char text[4096];
	struct rs_cpuset cpus;
	forget(s);
	int n = rs_root_read(s->root, DIR "present", text, sizeof(text));
	if (n < 0)
		n = rs_root_read(s->root, DIR "online", text, sizeof(text));
	if (n < 0)
		return n;
	if (rs_cpuset_parse_list((struct rs_text){text, text + n}, &cpus) < 0)
		return -EINVAL;
	const int error = make_room(s, rs_cpuset_count(&cpus));
	if (error)
		return error;
	for (unsigned cpu = rs_cpuset_next(&cpus, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&cpus, cpu + 1)) {
		unsigned number;
		s->cores[s->n_cores++] = (struct core){
		    .cpu = (uint16_t)cpu,
		    .policy =
			policy_number(s->root, cpu, &number) ? policy_index(s, number) : NO_POLICY,
		    .throttle_file = RS_KEPT_NEW,
		    .time_file = RS_KEPT_NEW,
		};
	}
	return 0;
}

/* kHz in the file; an offline policy is busy (EBUSY), and a driver that cannot
 * tell says 0 or "<unknown>" (show_scaling_cur_freq in cpufreq.c). */
static uint64_t
read_hz(struct state *s, const struct policy *p, int32_t *file, const char *name)
{
	struct rs_text t;
	uint64_t khz;
	if (rs_kept_read(s->kept, file, &t, DIR "cpufreq/policy%u/%s", p->number, name) < 0 ||
	    rs_num_u64(t, &khz) < 0 || khz > UINT32_MAX)
		return 0;
	return khz * 1000;
}

/* What was measured of the cores that could be; false: of none. */
static bool
put_measured(struct state *s, struct rs_frame *f)
{
	double hz;
	for (size_t i = 0; s->aperf && i < s->n_cores; i++) {
		if (rs_aperf_hz(s->aperf, s->cores[i].cpu, &hz) == 0) {
			rs_put_paced(f, RS_M_CORE_FREQ, s->cores[i].cpu, (uint64_t)hz, PERIOD_S);
			f->is_freq_measured = true;
		}
	}
	return f->is_freq_measured;
}

static void
put_policies(struct state *s, bool wants_clock, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n_policies; i++) {
		struct policy *const p = &s->policies[i];
		p->max_hz = read_hz(s, p, &p->max_file, "cpuinfo_max_freq");
		p->cur_hz = wants_clock ? read_hz(s, p, &p->cur_file, "scaling_cur_freq") : 0;
	}
	for (size_t i = 0; i < s->n_cores; i++) {
		const struct core *const c = &s->cores[i];
		if (c->policy == NO_POLICY)
			continue;
		const struct policy *const p = &s->policies[c->policy];
		if (p->cur_hz)
			rs_put_paced(f, RS_M_CORE_FREQ, c->cpu, p->cur_hz, PERIOD_S);
		if (p->max_hz)
			rs_put_paced(f, RS_M_CORE_FREQ_MAX, c->cpu, p->max_hz, PERIOD_S);
	}
}

/* The number that was put; 0: there is none, too. */
static uint64_t
put_heat(struct state *s, struct rs_frame *f, unsigned cpu, int32_t *file, const char *name,
    enum rs_metric_id metric)
{
	struct rs_text t;
	uint64_t value;
	if (rs_kept_read(s->kept, file, &t, DIR "cpu%u/thermal_throttle/%s", cpu, name) < 0 ||
	    rs_num_u64(t, &value) < 0)
		return 0;
	rs_put_paced(f, metric, cpu, value, PERIOD_S);
	return value;
}

/* Intel only (arch/x86/kernel/cpu/mce/therm_throt.c); the time since 5.6, which
 * grows when a time of heat is over, and is not looked at before the first. What the
 * package counts is the same on each of its cores, and its cores count as well. */
static void
put_throttled(struct state *s, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n_cores; i++) {
		struct core *const c = &s->cores[i];
		if (put_heat(s, f, c->cpu, &c->throttle_file, "core_throttle_count",
			RS_M_CORE_THROTTLED) > 0)
			(void)put_heat(s, f, c->cpu, &c->time_file, "core_throttle_total_time_ms",
			    RS_M_CORE_THROTTLED_TIME);
	}
}

/* The files of a core leave with it and return with it (thermal_throttle_online
 * in arch/x86/kernel/cpu/mce/therm_throt.c), those of a policy with its driver. */
static void
retry(struct state *s)
{
	for (size_t i = 0; i < s->n_policies; i++) {
		rs_kept_retry(&s->policies[i].cur_file);
		rs_kept_retry(&s->policies[i].max_file);
	}
	for (size_t i = 0; i < s->n_cores; i++) {
		rs_kept_retry(&s->cores[i].throttle_file);
		rs_kept_retry(&s->cores[i].time_file);
	}
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	/* Until there is a driver; one that is replaced names its files the same. */
	const int error = s->n_policies == 0 ? discover(s) : 0;
	if (error)
		return error;
	if (++s->turn % RETRY_EACH == 0)
		retry(s);
	const bool is_measured = put_measured(s, f);
	put_policies(s, !is_measured, f);
	put_throttled(s, f);
	return f->n_readings ? 0 : -ENOENT;
}

static void
close_cpufreq(void *state)
{
	struct state *const s = state;
	forget(s);
	free(s->policies);
	free(s->cores);
	rs_aperf_close(s->aperf);
	rs_kept_close(s->kept);
	free(s);
}

static int
open_cpufreq(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	const int error = rs_kept_open(root, FILES_KEPT, &s->kept);
	if (error) {
		free(s);
		return error;
	}
	/* Without it the requested clock is told. */
	if (rs_root_is_live(root))
		(void)rs_aperf_open(root, &s->aperf);
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {DIR "cpufreq/policy*/scaling_cur_freq",
    DIR "cpufreq/policy*/cpuinfo_max_freq", DIR "cpu*/cpufreq",
    DIR "cpu*/thermal_throttle/core_throttle_count",
    DIR "cpu*/thermal_throttle/core_throttle_total_time_ms", DIR "present", DIR "online",
    "sys/bus/event_source/devices/msr/type", "sys/bus/event_source/devices/msr/events/aperf",
    "sys/bus/event_source/devices/msr/events/mperf", "sys/bus/event_source/devices/msr/events/tsc",
    NULL};

RS_COLLECTOR(sys_cpufreq) = {
    .id = "cpufreq",
    .summary = "clock of the cores and its throttling",
    .paths = paths,
    .period_ms = PERIOD_S * 1000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_cpufreq,
    .collect = collect,
    .close = close_cpufreq,
};

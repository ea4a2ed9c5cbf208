/* SPDX-License-Identifier: ISC */
/*
 * /proc/softirqs: runs of the softirq handlers per core, a column per possible
 * CPU (unlike /proc/interrupts). Pure; loop thread.
 */
#include <errno.h>

#include "collector.h"
#include "cpu_columns.h"

/* kernel/softirq.c, softirq_to_name. */
static const struct {
	const char *name;
	enum rs_metric_id metric;
} kinds[] = {
    {"HI", RS_M_SOFTIRQ_HI},
    {"TIMER", RS_M_SOFTIRQ_TIMER},
    {"NET_TX", RS_M_SOFTIRQ_NET_TX},
    {"NET_RX", RS_M_SOFTIRQ_NET_RX},
    {"BLOCK", RS_M_SOFTIRQ_BLOCK},
    {"IRQ_POLL", RS_M_SOFTIRQ_IRQ_POLL},
    {"BLOCK_IOPOLL", RS_M_SOFTIRQ_IRQ_POLL}, /* before 4.5 */
    {"TASKLET", RS_M_SOFTIRQ_TASKLET},
    {"SCHED", RS_M_SOFTIRQ_SCHED},
    {"HRTIMER", RS_M_SOFTIRQ_HRTIMER},
    {"RCU", RS_M_SOFTIRQ_RCU},
};

static bool
find_kind(struct rs_text name, enum rs_metric_id *ret)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		if (rs_text_eq(name, kinds[i].name)) {
			*ret = kinds[i].metric;
			return true;
		}
	}
	return false;
}

/* Takes exactly n counts of 32 bits to the end of the line, putting them
 * nowhere: which CPU a count of a shorter or longer row is for is not known. */
static bool
has_counts(struct rs_text t, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value;
		if (!rs_text_u64(&t, &value) || value > UINT32_MAX)
			return false;
		if (t.p < t.end && *t.p != ' ' && *t.p != '\t')
			return false;
	}
	return rs_text_len(rs_text_trim(t)) == 0;
}

static bool
parse_row(struct rs_text line, bool is_cut, const uint16_t *cpus, uint32_t n, struct rs_frame *f)
{
	struct rs_text name;
	enum rs_metric_id metric;
	if (!rs_text_until(&line, ':', &name))
		return false;
	if (!find_kind(rs_text_trim(name), &metric))
		return true; /* a kind of later kernels */
	if (!has_counts(line, n))
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint64_t value = 0;
		(void)rs_text_u64(&line, &value);
		/* A number at the cut end of the text may lack digits. */
		if (line.p < line.end || !is_cut)
			rs_put(f, metric, cpus[i], value);
	}
	return true;
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	(void)sys;
	uint16_t cpus[RS_CPU_MAX];
	uint32_t n = 0;
	struct rs_text line;
	while (n == 0 && rs_text_line(&t, &line))
		n = rs_cpu_columns(line, cpus, RS_CPU_MAX);
	while (n > 0 && rs_text_line(&t, &line)) {
		const bool is_cut = t.p == t.end && t.end[-1] != '\n';
		if (!parse_row(line, is_cut, cpus, n, f) && rs_text_len(rs_text_trim(line)) > 0)
			f->skipped_rows++;
	}
	return f->n_readings ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/softirqs", NULL};

RS_COLLECTOR(proc_softirqs) = {
    .id = "softirqs",
    .summary = "softirq handler runs per core",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .parse = parse,
};

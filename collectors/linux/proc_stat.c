/* SPDX-License-Identifier: ISC */
/*
 * /proc/stat: CPU time per core. There is a row per online CPU. Pure; loop
 * thread.
 */
#include <errno.h>

#include "collector.h"

/* The columns of a row in order (fs/proc/stat.c). What follows, guest and
 * guest_nice, is inside user and nice already. Old kernels have fewer. Values
 * are USER_HZ ticks: 1/100 s wherever we build (include/asm-generic/param.h),
 * which is the scale of the metrics. */
static const enum rs_metric_id fields[] = {
    RS_M_CPU_USER,
    RS_M_CPU_NICE,
    RS_M_CPU_SYSTEM,
    RS_M_CPU_IDLE,
    RS_M_CPU_IOWAIT,
    RS_M_CPU_IRQ,
    RS_M_CPU_SOFTIRQ,
    RS_M_CPU_STEAL,
};
enum { FIELDS = RS_ARRAY_LEN(fields), FIELDS_MIN = 4 };

/* "cpu12 " at the front. */
static bool
take_cpu(struct rs_text *line, unsigned *ret)
{
	struct rs_text t = *line;
	uint64_t cpu;
	if (!rs_text_skip(&t, "cpu") || t.p == t.end || *t.p < '0' || *t.p > '9')
		return false;
	if (!rs_text_u64(&t, &cpu) || cpu >= RS_CPU_MAX || t.p == t.end || *t.p != ' ')
		return false;
	*line = t;
	*ret = (unsigned)cpu;
	return true;
}

/* The numbers of a row, at most FIELDS; 0 when one of them is none of the
 * kernel's. A number at the cut end of the text may lack digits: left out. */
static unsigned
take_fields(struct rs_text line, bool is_cut, uint64_t *ret)
{
	unsigned n = 0;
	rs_text_blanks(&line);
	while (line.p < line.end && n < FIELDS) {
		if (*line.p < '0' || *line.p > '9' || !rs_text_u64(&line, &ret[n]))
			return 0;
		if (line.p < line.end && *line.p != ' ')
			return 0;
		if (line.p < line.end || !is_cut)
			n++;
		rs_text_blanks(&line);
	}
	return n;
}

static bool
parse_row(struct rs_text line, bool is_cut, struct rs_frame *f)
{
	unsigned cpu;
	uint64_t values[FIELDS];
	if (!take_cpu(&line, &cpu) || rs_cpuset_has(&f->cpus_seen, cpu))
		return false;
	rs_cpuset_add(&f->cpus_seen, cpu);
	f->has_cpus_seen = true;
	const unsigned n = take_fields(line, is_cut, values);
	if (n < FIELDS_MIN)
		return false;
	for (unsigned i = 0; i < n; i++)
		rs_put(f, fields[i], cpu, values[i]);
	return true;
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	(void)sys;
	struct rs_text line;
	while (rs_text_line(&t, &line)) {
		const bool is_cut = t.p == t.end && t.end[-1] != '\n';
		struct rs_text rest = line;
		/* The line of sums is not needed: "cpu " and a blank. */
		if (!rs_text_skip(&rest, "cpu") || rs_text_starts(rest, " "))
			continue;
		if (!parse_row(line, is_cut, f))
			f->skipped_rows++;
	}
	return f->n_readings ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/stat", NULL};

RS_COLLECTOR(proc_stat) = {
    .id = "stat",
    .summary = "CPU time per core",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .is_essential = true,
    .parse = parse,
};

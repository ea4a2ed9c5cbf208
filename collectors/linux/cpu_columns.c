/* SPDX-License-Identifier: ISC */
/*
 * Both files print "CPU%-8d" per column (kernel/irq/proc.c, fs/proc/softirqs.c).
 */
#include "cpu_columns.h"

uint32_t
rs_cpu_columns_bound(struct rs_text line)
{
	/* "CPU0" and a blank. */
	const size_t n = rs_text_len(line) / 5 + 1;
	return (uint32_t)RS_MIN(n, (size_t)RS_CPU_MAX);
}

uint32_t
rs_cpu_columns(struct rs_text line, uint16_t *ret, uint32_t cap)
{
	uint32_t n = 0;
	uint64_t next = 0; /* numbers ascend; offline CPUs leave gaps */
	for (rs_text_blanks(&line); line.p < line.end; rs_text_blanks(&line)) {
		uint64_t cpu;
		if (!rs_text_skip(&line, "CPU") || line.p == line.end || *line.p == ' ')
			return 0;
		if (!rs_text_u64(&line, &cpu) || cpu < next || cpu >= RS_CPU_MAX || n == cap)
			return 0;
		if (line.p < line.end && *line.p != ' ' && *line.p != '\t')
			return 0;
		ret[n++] = (uint16_t)cpu;
		next = cpu + 1;
	}
	return n;
}

/* SPDX-License-Identifier: ISC */
/*
 * "On-line CPU(s) list: 0-3" or "0,0,0,0,,0,0,0,0" under "# CPU,Core,Socket,Node".
 */
#include "import/lscpu.h"

#include <errno.h>

/* CPU, core and socket: the first three columns of `lscpu -p`, whatever follows. */
static bool
take_row(struct rs_text line, unsigned ret[static 3])
{
	for (unsigned i = 0; i < 3; i++) {
		struct rs_text word;
		uint64_t n;
		if (!rs_text_until(&line, ',', &word)) {
			word = line;
			line.p = line.end;
		}
		if (!rs_import_is_u64(word, &n) || n >= RS_CPU_MAX)
			return false;
		ret[i] = (unsigned)n;
	}
	return true;
}

/* The lowest CPU of each core and socket stands for all of them. */
static void
put_row(const unsigned row[static 3], uint32_t seen[static RS_CPU_MAX], struct rs_cpu_info *ret)
{
	const unsigned cpu = row[0];

	if (rs_cpuset_has(&ret->online, cpu) && ret->has_groups)
		return;
	seen[cpu] = row[1] << 16 | row[2];
	rs_cpuset_add(&ret->online, cpu);
	ret->has_online = ret->has_groups = true;
	ret->group[cpu] = (uint16_t)cpu;
	for (unsigned other = rs_cpuset_next(&ret->online, 0); other < cpu;
	     other = rs_cpuset_next(&ret->online, other + 1)) {
		if (seen[other] == seen[cpu]) {
			ret->group[cpu] = (uint16_t)other;
			return;
		}
	}
}

static bool
take_pair(struct rs_text line, struct rs_cpu_info *ret)
{
	struct rs_text name;

	if (!rs_text_until(&line, ':', &name))
		return false;
	if (rs_text_eq(name, "On-line CPU(s) list") && !ret->has_online)
		ret->has_online = rs_cpuset_parse_list(rs_text_trim(line), &ret->online) == 0;
	return true;
}

int
rs_import_lscpu(struct rs_text t, struct rs_cpu_info *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	uint32_t seen[RS_CPU_MAX] = {0};
	unsigned row[3];
	bool has_any = false;

	while (rs_lines_next(&lines, &line)) {
		if (*line.p == '#')
			continue;
		if (take_row(line, row)) {
			put_row(row, seen, ret);
			has_any = true;
		} else if (take_pair(line, ret)) {
			has_any = true;
		} else {
			rs_skip(skips, lines.number, "neither a row nor a name with a value");
		}
	}
	return has_any ? 0 : -ENODATA;
}

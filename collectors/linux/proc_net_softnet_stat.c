/* SPDX-License-Identifier: ISC */
/*
 * /proc/net/softnet_stat: the receive core per CPU, a row of hexadecimal
 * columns per online CPU (net/core/net-procfs.c). The CPU's number is column 13
 * since Linux 5.10; before, rows are the online CPUs in order. Pure; loop
 * thread.
 */
#include <errno.h>

#include "collector.h"

enum {
	COLUMNS_MIN = 9, /* 2.6 */
	CPU_COLUMN = 12,
	COLUMNS_USED = 13,
	DIGITS = 8 /* each is printed with %08x */
};

static const struct {
	unsigned column;
	enum rs_metric_id metric;
} columns[] = {
    {0, RS_M_SOFTNET_PROCESSED},
    {1, RS_M_SOFTNET_DROPPED},
    {2, RS_M_SOFTNET_SQUEEZED},
    {9, RS_M_SOFTNET_RPS},
    {10, RS_M_SOFTNET_FLOW_LIMIT},
    {11, RS_M_SOFTNET_BACKLOG},
};

/* The columns of a row, the first COLUMNS_USED of them kept; 0: not such a
 * row. The width tells whether a number is whole. */
static unsigned
take_row(struct rs_text line, uint64_t *ret)
{
	unsigned n = 0;
	struct rs_text word;
	while (rs_text_word(&line, &word)) {
		uint64_t value;
		if (rs_text_len(word) != DIGITS || !rs_text_hex(&word, &value) ||
		    word.p != word.end)
			return 0;
		if (n < COLUMNS_USED)
			ret[n] = value;
		n++;
	}
	return n >= COLUMNS_MIN ? n : 0;
}

static void
put_row(struct rs_frame *f, unsigned cpu, const uint64_t *values, unsigned n)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(columns); i++) {
		if (columns[i].column < n)
			rs_put(f, columns[i].metric, cpu, values[columns[i].column]);
	}
}

/* Rows of at least 13 columns. */
static void
parse_numbered(struct rs_text t, struct rs_frame *f)
{
	struct rs_text line;
	while (rs_text_line(&t, &line)) {
		uint64_t values[COLUMNS_USED];
		const unsigned n = take_row(line, values);
		if (n > CPU_COLUMN && values[CPU_COLUMN] < RS_CPU_MAX)
			put_row(f, (unsigned)values[CPU_COLUMN], values, n);
		else if (rs_text_len(rs_text_trim(line)) > 0)
			f->skipped_rows++;
	}
}

/* Rows without CPU number, all of n columns. */
static void
parse_ordered(struct rs_text t, unsigned n, const struct rs_cpuset *online, struct rs_frame *f)
{
	struct rs_text line;
	unsigned cpu = 0;
	while (rs_text_line(&t, &line)) {
		uint64_t values[COLUMNS_USED];
		if (take_row(line, values) != n)
			continue;
		cpu = rs_cpuset_next(online, cpu);
		put_row(f, cpu++, values, n);
	}
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	struct rs_text scan = t, line;
	unsigned first = 0, widest = 0, rows = 0, others = 0;
	while (rs_text_line(&scan, &line)) {
		uint64_t values[COLUMNS_USED];
		const unsigned n = take_row(line, values);
		if (n && !first)
			first = n;
		widest = RS_MAX(widest, n);
		if (n && n == first)
			rows++;
		else if (rs_text_len(rs_text_trim(line)) > 0)
			others++;
	}
	if (widest > CPU_COLUMN) {
		parse_numbered(t, f);
	} else if (rows && !others && sys->online && rows == rs_cpuset_count(sys->online)) {
		parse_ordered(t, first, sys->online, f);
	}
	return f->n_readings ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/net/softnet_stat", NULL};

RS_COLLECTOR(proc_net_softnet_stat) = {
    .id = "softnet",
    .summary = "packets entering the network stack per core",
    .paths = paths,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .parse = parse,
};

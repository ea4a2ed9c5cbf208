/* SPDX-License-Identifier: ISC */
/*
 * /proc/net/stat/nf_conntrack: a header of names and a row of hexadecimal columns
 * for each possible CPU (net/netfilter/nf_conntrack_standalone.c, ct_cpu_seq_show).
 * Which columns there are changed over the versions, so they go by their names.
 * Pure; loop thread.
 */
#include <errno.h>

#include "collector.h"

enum { COLUMNS_MAX = 32, DIGITS = 8, PACE_S = 2, NO_COLUMN = COLUMNS_MAX };

enum wanted { ENTRIES, DROPPED, EARLY_DROPS, INSERT_FAILED, WANTED };

static const struct {
	const char *name;
	enum rs_metric_id metric;
} columns[WANTED] = {
    [ENTRIES] = {"entries", RS_M_CONNTRACK_ENTRIES},
    [DROPPED] = {"drop", RS_M_CONNTRACK_DROPPED},
    [EARLY_DROPS] = {"early_drop", RS_M_CONNTRACK_EARLY_DROPS},
    [INSERT_FAILED] = {"insert_failed", RS_M_CONNTRACK_INSERT_FAILED},
};

/* Returns how many columns there are; 0: no header. */
static unsigned
read_header(struct rs_text line, unsigned at[static WANTED])
{
	struct rs_text word;
	unsigned n = 0;
	for (size_t i = 0; i < WANTED; i++)
		at[i] = NO_COLUMN;
	for (; n < COLUMNS_MAX && rs_text_word(&line, &word); n++) {
		for (size_t i = 0; i < WANTED; i++) {
			if (rs_text_eq(word, columns[i].name))
				at[i] = n;
		}
	}
	return at[ENTRIES] < n ? n : 0;
}

/* All columns of the header, or it is no row. The width tells whether a number is
 * whole. */
static bool
read_row(struct rs_text line, unsigned n, uint32_t ret[static COLUMNS_MAX])
{
	struct rs_text word;
	unsigned at = 0;
	while (rs_text_word(&line, &word)) {
		uint64_t value;
		if (at == n || rs_text_len(word) != DIGITS || !rs_text_hex(&word, &value) ||
		    word.p != word.end)
			return false;
		ret[at++] = (uint32_t)value;
	}
	return at == n;
}

/* The number of connections is the same in all rows, the rest is each CPU's own:
 * 32 bits wide, and so is the sum. With a row missing it is not known. */
static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	struct rs_text line;
	unsigned at[WANTED], rows = 0;
	uint32_t row[COLUMNS_MAX], sums[WANTED] = {0};
	const unsigned n = rs_text_line(&t, &line) ? read_header(line, at) : 0;
	while (n && rs_text_line(&t, &line)) {
		if (rs_text_len(rs_text_trim(line)) == 0)
			continue;
		if (!read_row(line, n, row)) {
			f->skipped_rows++;
			continue;
		}
		for (size_t i = 0; i < WANTED; i++)
			sums[i] += at[i] < n ? row[at[i]] : 0;
		sums[ENTRIES] = row[at[ENTRIES]];
		rows++;
	}
	if (rows == 0)
		return -EINVAL;
	const bool is_whole =
	    f->skipped_rows == 0 && (!sys->online || rows >= rs_cpuset_count(sys->online));
	for (size_t i = 0; i < WANTED; i++) {
		if (at[i] < n && (i == ENTRIES || is_whole))
			rs_put_paced(f, columns[i].metric, 0, sums[i], PACE_S);
	}
	return 0;
}

static const char *const paths[] = {"proc/net/stat/nf_conntrack", NULL};

RS_COLLECTOR(proc_net_nf_conntrack) = {
    .id = "conntrack",
    .summary = "connection tracking: connections, and what found no room",
    .paths = paths,
    .period_ms = PACE_S * 1000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .parse = parse,
};

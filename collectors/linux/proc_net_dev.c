/* SPDX-License-Identifier: ISC */
/*
 * /proc/net/dev: interface counters, for captured trees; the live machine is
 * asked by netlink. Its columns are sums of several counters
 * (net/core/net-procfs.c, dev_seq_printf_stats): receive "drop" contains what
 * the device missed, "frame" four sorts of errors. Pure; loop thread.
 */
#include <errno.h>
#include <string.h>

#include "collector.h"

enum { COLUMNS = 16 };

static const struct {
	unsigned column;
	enum rs_metric_id metric;
} columns[] = {
    {0, RS_M_NIC_RX_BYTES},
    {1, RS_M_NIC_RX_PACKETS},
    {2, RS_M_NIC_RX_ERRORS},
    {3, RS_M_NIC_RX_DROPPED},
    {4, RS_M_NIC_RX_FIFO},
    {7, RS_M_NIC_MULTICAST},
    {8, RS_M_NIC_TX_BYTES},
    {9, RS_M_NIC_TX_PACKETS},
    {10, RS_M_NIC_TX_ERRORS},
    {11, RS_M_NIC_TX_DROPPED},
    {13, RS_M_NIC_COLLISIONS},
};

/* The name ends at the last ':' of the first word: alias names have one of
 * their own, and old kernels put no blank behind it. */
static bool
take_name(struct rs_text *line, struct rs_text *ret)
{
	struct rs_text after = *line, word, name;
	if (!rs_text_word(&after, &word))
		return false;
	const char *colon = word.end;
	while (colon > word.p && colon[-1] != ':')
		colon--;
	if (colon == word.p)
		return false;
	name = (struct rs_text){word.p, colon - 1};
	if (rs_text_len(name) == 0 || rs_text_len(name) >= sizeof(((struct rs_nic_info *)0)->name))
		return false;
	line->p = colon;
	*ret = name;
	return true;
}

static bool
take_columns(struct rs_text line, uint64_t *ret)
{
	for (unsigned i = 0; i < COLUMNS; i++) {
		if (!rs_text_u64(&line, &ret[i]))
			return false;
		if (line.p < line.end && *line.p != ' ')
			return false;
	}
	/* The last column is not used: if the text was cut there, no matter. */
	return rs_text_len(rs_text_trim(line)) == 0;
}

static bool
is_listed(const struct rs_frame *f, struct rs_text name)
{
	for (size_t i = 0; i < f->n_nics; i++) {
		if (rs_text_eq(name, f->nics[i].name))
			return true;
	}
	return false;
}

static bool
parse_row(struct rs_text line, struct rs_frame *f)
{
	struct rs_text name;
	uint64_t values[COLUMNS];
	if (!take_name(&line, &name) || !take_columns(line, values) || is_listed(f, name))
		return false;
	const uint32_t key = rs_frame_named_nic(f, name);
	if (!key)
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(columns); i++)
		rs_put(f, columns[i].metric, key, values[columns[i].column]);
	return true;
}

static bool
is_heading(struct rs_text line)
{
	return rs_text_len(rs_text_trim(line)) == 0 ||
	       memchr(line.p, '|', rs_text_len(line)) != NULL;
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	(void)sys;
	struct rs_text line;
	while (!f->is_out_of_memory && rs_text_line(&t, &line)) {
		if (!is_heading(line) && !parse_row(line, f))
			f->skipped_rows++;
	}
	return f->n_readings ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/net/dev", NULL};

RS_COLLECTOR(proc_net_dev) = {
    .id = "net_dev",
    .summary = "interface counters as text",
    .paths = paths,
    .where = RS_WHERE_CAPTURE,
    .parse = parse,
};

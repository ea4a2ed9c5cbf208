/* SPDX-License-Identifier: ISC */
/*
 * The forms of those texts, as far as anybody reads them.
 */
#include "take/nic_text.h"

#include <stdio.h>
#include <string.h>

#include "rss.h"

enum { ROW_ENTRIES = 8 };

bool
rs_nic_text_driver(const struct rs_root *root, const char *name, struct rs_buf *ret)
{
	char path[96], driver[64], bus[64];

	(void)snprintf(path, sizeof(path), "sys/class/net/%s/device/driver", name);
	if (rs_root_readlink_base(root, path, driver, sizeof(driver)) < 0)
		return false;
	rs_buf_printf(ret, "driver: %s\n", driver);
	(void)snprintf(path, sizeof(path), "sys/class/net/%s/device", name);
	if (rs_root_readlink_base(root, path, bus, sizeof(bus)) >= 0)
		rs_buf_printf(ret, "bus-info: %s\n", bus);
	return true;
}

bool
rs_nic_text_stats(const struct rs_ethtool *e, const char *name, struct rs_buf *ret)
{
	const char *names;
	const uint64_t *values = NULL;
	uint32_t n;

	if (rs_ethtool_count(e, name, &n) < 0 || rs_ethtool_names(e, name, n, &names) < 0)
		return false;
	/* Values take the place of names: those are kept. */
	struct rs_buf kept;
	rs_buf_init(&kept, (size_t)n * RS_ETHTOOL_NAME_BYTES + 1);
	rs_buf_put(&kept, names, (size_t)n * RS_ETHTOOL_NAME_BYTES);
	const bool is_read = !kept.failed && rs_ethtool_values(e, name, n, &values) == 0;
	if (is_read)
		rs_buf_printf(ret, "NIC statistics:\n");
	for (uint32_t i = 0; is_read && i < n; i++)
		rs_buf_printf(ret, "     %.*s: %llu\n", (int)RS_ETHTOOL_NAME_BYTES,
		    kept.data + (size_t)i * RS_ETHTOOL_NAME_BYTES, (unsigned long long)values[i]);
	rs_buf_fini(&kept);
	return is_read;
}

/* The places of an answer (ethtool_settings.h) in the order of the text; the title of
 * a part stands before its first one. */
static const struct row {
	enum rs_ethtool_group group;
	unsigned at;
	const char *title, *label;
} rows[] = {
    {RS_ETHTOOL_CHANNELS, 3, "Pre-set maximums:\n", "RX"},
    {RS_ETHTOOL_CHANNELS, 5, "", "TX"},
    {RS_ETHTOOL_CHANNELS, 1, "", "Combined"},
    {RS_ETHTOOL_CHANNELS, 2, "Current hardware settings:\n", "RX"},
    {RS_ETHTOOL_CHANNELS, 4, "", "TX"},
    {RS_ETHTOOL_CHANNELS, 0, "", "Combined"},
    {RS_ETHTOOL_RINGS, 1, "Pre-set maximums:\n", "RX"},
    {RS_ETHTOOL_RINGS, 3, "", "TX"},
    {RS_ETHTOOL_RINGS, 0, "Current hardware settings:\n", "RX"},
    {RS_ETHTOOL_RINGS, 2, "", "TX"},
    {RS_ETHTOOL_COALESCE, 2, "", "rx-usecs"},
    {RS_ETHTOOL_COALESCE, 3, "", "rx-frames"},
    {RS_ETHTOOL_COALESCE, 4, "", "tx-usecs"},
    {RS_ETHTOOL_COALESCE, 5, "", "tx-frames"},
};

static const char *const titles[RS_ETHTOOL_GROUPS] = {
    [RS_ETHTOOL_CHANNELS] = "Channel parameters for",
    [RS_ETHTOOL_RINGS] = "Ring parameters for",
    [RS_ETHTOOL_COALESCE] = "Coalesce parameters for",
};

static void
put_value(struct rs_buf *b, struct rs_text value)
{
	if (value.p == NULL)
		rs_buf_printf(b, "n/a");
	else
		rs_buf_put(b, value.p, rs_text_len(value));
}

static void
put_rows(enum rs_ethtool_group group, const struct rs_ethtool_answer *a, struct rs_buf *b)
{
	if (group == RS_ETHTOOL_COALESCE) {
		rs_buf_printf(b, "Adaptive RX: ");
		put_value(b, a->value[0]);
		rs_buf_printf(b, "  TX: ");
		put_value(b, a->value[1]);
		rs_buf_putc(b, '\n');
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(rows); i++) {
		if (rows[i].group != group)
			continue;
		rs_buf_printf(b, "%s%s:\t", rows[i].title, rows[i].label);
		put_value(b, a->value[rows[i].at]);
		rs_buf_putc(b, '\n');
	}
}

static bool
put_table(const char *name, struct rs_text table, struct rs_buf *b)
{
	uint32_t entries, queues;

	if (table.p == NULL || !rs_rss_table_size(table, &entries, &queues))
		return false;
	rs_buf_printf(
	    b, "RX flow hash indirection table for %s with %u RX ring(s):\n", name, queues);
	for (uint32_t i = 0; i < entries; i++) {
		if (i % ROW_ENTRIES == 0)
			rs_buf_printf(b, "%s%5u:", i > 0 ? "\n" : "", i);
		rs_buf_printf(b, " %5d", rs_rss_table_at(table, i));
	}
	rs_buf_putc(b, '\n');
	return true;
}

bool
rs_nic_text_settings(struct rs_ethtool_settings *e, const char *name, enum rs_ethtool_group group,
    struct rs_buf *ret)
{
	struct rs_ethtool_answer a;

	if (rs_ethtool_settings_get(e, name, group, &a) < 0)
		return false;
	if (group == RS_ETHTOOL_RSS)
		return put_table(name, a.value[0], ret);
	if (titles[group] == NULL)
		return false;
	rs_buf_printf(ret, "%s %s:\n", titles[group], name);
	put_rows(group, &a, ret);
	return true;
}

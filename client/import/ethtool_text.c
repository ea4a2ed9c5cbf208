/* SPDX-License-Identifier: ISC */
/*
 * Lines of "name: value", under headings where a name has two values.
 */
#include "import/ethtool_text.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Under which heading a name has this meaning. */
enum part { PART_ANY, PART_MAXIMUM, PART_CURRENT };
enum group { GROUP_NONE, GROUP_CHANNELS, GROUP_RINGS, GROUP_COALESCE };

static const struct {
	enum group group;
	enum part part;
	const char *name;
	enum rs_fact_id id;
} settings[] = {
    {GROUP_CHANNELS, PART_MAXIMUM, "Combined", RS_F_CHANNELS_COMBINED_MAX},
    {GROUP_CHANNELS, PART_CURRENT, "Combined", RS_F_CHANNELS_COMBINED},
    {GROUP_CHANNELS, PART_MAXIMUM, "RX", RS_F_CHANNELS_RX_MAX},
    {GROUP_CHANNELS, PART_CURRENT, "RX", RS_F_CHANNELS_RX},
    {GROUP_CHANNELS, PART_MAXIMUM, "TX", RS_F_CHANNELS_TX_MAX},
    {GROUP_CHANNELS, PART_CURRENT, "TX", RS_F_CHANNELS_TX},
    {GROUP_RINGS, PART_MAXIMUM, "RX", RS_F_RING_RX_MAX},
    {GROUP_RINGS, PART_CURRENT, "RX", RS_F_RING_RX},
    {GROUP_RINGS, PART_MAXIMUM, "TX", RS_F_RING_TX_MAX},
    {GROUP_RINGS, PART_CURRENT, "TX", RS_F_RING_TX},
    {GROUP_COALESCE, PART_ANY, "rx-usecs", RS_F_COALESCE_RX_USECS},
    {GROUP_COALESCE, PART_ANY, "rx-frames", RS_F_COALESCE_RX_FRAMES},
    {GROUP_COALESCE, PART_ANY, "tx-usecs", RS_F_COALESCE_TX_USECS},
    {GROUP_COALESCE, PART_ANY, "tx-frames", RS_F_COALESCE_TX_FRAMES},
};

static const struct {
	const char *begins;
	enum group group;
} groups[] = {
    {"Channel parameters", GROUP_CHANNELS},
    {"Ring parameters", GROUP_RINGS},
    {"Coalesce parameters", GROUP_COALESCE},
};

/* "Name:  value". */
static bool
take_pair(struct rs_text line, struct rs_text *ret_name, struct rs_text *ret_value)
{
	struct rs_text name;

	if (!rs_text_until(&line, ':', &name))
		return false;
	*ret_name = rs_text_trim(name);
	*ret_value = rs_text_trim(line);
	return true;
}

/* "Cannot get device channel parameters", "netlink error: ...". */
static bool
is_refusal(struct rs_text line)
{
	return rs_text_starts(line, "Cannot get") || rs_text_starts(line, "netlink error") ||
	       rs_text_starts(line, "no channel parameters") ||
	       rs_text_starts(line, ": Operation not supported");
}

int
rs_import_ethtool_driver(struct rs_text t, struct rs_import_driver *ret)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line, name, value;

	*ret = (struct rs_import_driver){0};
	while (rs_lines_next(&lines, &line)) {
		if (!take_pair(line, &name, &value))
			continue;
		if (rs_text_eq(name, "driver"))
			(void)rs_text_copy(value, ret->driver, sizeof(ret->driver));
		else if (rs_text_eq(name, "bus-info"))
			(void)rs_text_copy(value, ret->bus, sizeof(ret->bus));
	}
	rs_text_defuse(ret->driver);
	rs_text_defuse(ret->bus);
	return ret->driver[0] != '\0' ? 0 : -ENODATA;
}

static void
add(struct rs_import_settings *s, enum rs_fact_id id, struct rs_text value)
{
	if (s->n == RS_IMPORT_SETTINGS_MAX)
		return;
	struct rs_import_setting *const set = &s->at[s->n];

	set->id = id;
	if (rs_text_copy(value, set->value, sizeof(set->value)))
		s->n++;
}

/* "Adaptive RX: on  TX: on" */
static bool
take_adaptive(struct rs_text line, struct rs_import_settings *s)
{
	static const struct {
		const char *name;
		enum rs_fact_id id;
	} ways[] = {{"RX:", RS_F_COALESCE_ADAPTIVE_RX}, {"TX:", RS_F_COALESCE_ADAPTIVE_TX}};
	struct rs_words w;

	rs_words_split(line, &w);
	if (w.n == 0 || !rs_text_eq(w.at[0], "Adaptive"))
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(ways); i++) {
		const int at = rs_words_find(&w, ways[i].name);
		if (at >= 0 && at + 1 < (int)w.n &&
		    (rs_text_eq(w.at[at + 1], "on") || rs_text_eq(w.at[at + 1], "off")))
			add(s, ways[i].id, w.at[at + 1]);
	}
	return true;
}

static enum group
group_of(struct rs_text line, enum group before)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(groups); i++) {
		if (rs_text_starts(line, groups[i].begins))
			return groups[i].group;
	}
	return before;
}

static bool
take_setting(enum group group, enum part part, struct rs_text line, struct rs_import_settings *s)
{
	struct rs_text name, value;
	uint64_t number;

	if (!take_pair(line, &name, &value))
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(settings); i++) {
		if (settings[i].group != group ||
		    (settings[i].part != PART_ANY && settings[i].part != part) ||
		    !rs_text_eq(name, settings[i].name))
			continue;
		if (rs_import_is_u64(value, &number))
			add(s, settings[i].id, value);
		return rs_import_is_u64(value, &number) || rs_text_eq(value, "n/a");
	}
	return true; /* "RX Mini", "stats-block-usecs": nobody asks */
}

int
rs_import_ethtool_settings(struct rs_text t, struct rs_import_settings *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	enum group group = GROUP_NONE;
	enum part part = PART_ANY;
	struct rs_text line;
	bool is_refused = false;

	ret->n = 0;
	while (rs_lines_next(&lines, &line)) {
		const enum group begun = group_of(line, GROUP_NONE);

		is_refused |= is_refusal(line);
		if (begun != GROUP_NONE)
			group = begun;
		else if (rs_text_starts(line, "Pre-set maximums"))
			part = PART_MAXIMUM;
		else if (rs_text_starts(line, "Current hardware settings"))
			part = PART_CURRENT;
		else if (group != GROUP_NONE && !is_refusal(line) && !take_adaptive(line, ret) &&
			 !take_setting(group, part, line, ret))
			rs_skip(skips, lines.number, "not a setting with a number");
	}
	if (ret->n > 0)
		return 0;
	return is_refused ? -EOPNOTSUPP : -ENODATA;
}

/* "   16:      0     1     0     1": the first entry's number, then queues. */
static bool
take_entries(struct rs_text line, struct rs_import_table *t)
{
	struct rs_text first;
	uint64_t number, queue;

	if (!rs_text_until(&line, ':', &first) || !rs_import_is_u64(rs_text_trim(first), &number) ||
	    number != t->n_entries)
		return false;
	while (rs_text_u64(&line, &queue)) {
		if (queue >= UINT16_MAX || t->n_entries == RS_IMPORT_TABLE_MAX)
			return false;
		t->queue[t->n_entries++] = (uint32_t)queue;
		t->n_queues = RS_MAX(t->n_queues, (uint32_t)queue + 1);
	}
	return rs_text_len(rs_text_trim(line)) == 0;
}

int
rs_import_ethtool_table(struct rs_text t, struct rs_import_table *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	bool is_in_table = false, is_refused = false;

	memset(ret, 0, sizeof(*ret));
	while (rs_lines_next(&lines, &line)) {
		is_refused |= is_refusal(line);
		if (rs_text_starts(line, "RX flow hash indirection table")) {
			is_in_table = true;
		} else if (is_in_table && line.p < line.end && *line.p >= '0' && *line.p <= '9') {
			if (!take_entries(line, ret))
				rs_skip(skips, lines.number, "not a row of the indirection table");
		} else {
			is_in_table = false;
		}
	}
	if (ret->n_entries > 0)
		return 0;
	return is_refused ? -EOPNOTSUPP : -ENODATA;
}

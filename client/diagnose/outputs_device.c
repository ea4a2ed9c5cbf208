/* SPDX-License-Identifier: ISC */
/*
 * What is told of one device.
 */
#include <errno.h>
#include <stdlib.h>

#include "diagnose/outputs.h"

static struct rs_device_file *
device_of(struct rs_sample *s, const struct rs_output *o)
{
	return rs_sample_device(
	    s, rs_text_len(o->device) > 0 ? o->device : rs_text_of("(not named)"));
}

/* Lines that are no counter: each is read alone. */
static void
find_bad_lines(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_stat_set set = {0};
	struct rs_text line;

	while (skips->n < RS_SKIPS_MAX && rs_lines_next(&lines, &line)) {
		if (rs_stat_set_parse(&set, line) < 0 && set.skipped > 0)
			rs_skip(skips, lines.number, "not a counter with its value");
	}
	rs_stat_set_free(&set);
}

int
rs_output_stats(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);
	struct rs_stat_set set = {0};

	if (d == NULL)
		return -ENOMEM;
	const int rc = rs_stat_set_parse(&set, o->text);
	if (rc < 0) {
		rs_stat_set_free(&set);
		return rc;
	}
	if (set.skipped > 0)
		find_bad_lines(o->text, o->skips);
	rs_stat_set_free(&d->stats);
	d->stats = set;
	d->has_stats = true;
	return 0;
}

int
rs_output_driver(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);

	return d != NULL ? rs_import_ethtool_driver(o->text, &d->driver) : -ENOMEM;
}

static void
add_settings(struct rs_import_settings *to, const struct rs_import_settings *from)
{
	for (unsigned i = 0; i < from->n; i++) {
		unsigned at = 0;
		while (at < to->n && to->at[at].id != from->at[i].id)
			at++;
		if (at == RS_IMPORT_SETTINGS_MAX)
			return;
		to->at[at] = from->at[i];
		to->n = RS_MAX(to->n, at + 1);
	}
}

int
rs_output_settings(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);
	struct rs_import_settings set;

	if (d == NULL)
		return -ENOMEM;
	const int rc = rs_import_ethtool_settings(o->text, &set, o->skips);
	if (rc == 0)
		add_settings(&d->settings, &set);
	return rc;
}

int
rs_output_table(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);

	if (d == NULL)
		return -ENOMEM;
	if (d->table == NULL)
		d->table = calloc(1, sizeof(*d->table));
	if (d->table == NULL)
		return -ENOMEM;
	return rs_import_ethtool_table(o->text, d->table, o->skips);
}

/* A listing of the folders of queues: "rx-0 tx-0 tx-1 tx-10". */
int
rs_output_queue_folders(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);
	struct rs_lines lines = rs_lines_of(o->text);
	struct rs_text line, word;
	int32_t rx = 0, tx = 0;

	while (d != NULL && rs_lines_next(&lines, &line)) {
		while (rs_text_word(&line, &word)) {
			rx += rs_text_starts(word, "rx-");
			tx += rs_text_starts(word, "tx-");
		}
	}
	if (d == NULL || rx + tx == 0)
		return d == NULL ? -ENOMEM : -ENODATA;
	d->rx_queues = rx;
	d->tx_queues = tx;
	return 0;
}

/* "packets:3811442658", and of newer ones "packets 3811442658"; false: no such pair. */
static bool
take_pair(const struct rs_words *w, unsigned i, const char *name, uint64_t *ret)
{
	struct rs_text t = w->at[i];

	if (!rs_text_skip(&t, name))
		return false;
	if (rs_text_skip(&t, ":"))
		return rs_import_is_u64(t, ret);
	return t.p == t.end && i + 1 < w->n && rs_import_is_u64(w->at[i + 1], ret);
}

/* "RX packets:3811442658 errors:0 dropped:7183 ..." */
int
rs_output_ifconfig(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_device_file *const d = device_of(s, o);
	struct rs_lines lines = rs_lines_of(o->text);
	struct rs_text line;
	bool has_any = false;

	while (d != NULL && rs_lines_next(&lines, &line)) {
		struct rs_words w;
		if (!rs_text_starts(line, "RX "))
			continue;
		rs_words_split(line, &w);
		for (unsigned i = 1; i < w.n; i++) {
			has_any |= take_pair(&w, i, "dropped", &d->dropped);
			has_any |= take_pair(&w, i, "packets", &d->rx_packets);
		}
	}
	return has_any ? 0 : -ENODATA;
}

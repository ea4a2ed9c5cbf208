/* SPDX-License-Identifier: ISC */
/*
 * A header with IFACE names the columns; rows have as many words.
 */
#include "import/sar.h"

#include <errno.h>
#include <stdlib.h>

struct header {
	struct rs_words words;
	int name, rx_pps, tx_pps, rx_kb, tx_kb;
};

static bool
take_header(const struct rs_words *w, struct header *ret)
{
	const struct header h = {
	    .words = *w,
	    .name = rs_words_find(w, "IFACE"),
	    .rx_pps = rs_words_find(w, "rxpck/s"),
	    .tx_pps = rs_words_find(w, "txpck/s"),
	    .rx_kb = rs_words_find(w, "rxkB/s"),
	    .tx_kb = rs_words_find(w, "txkB/s"),
	};

	if (h.name < 0 || h.rx_pps < 0 || h.tx_pps < 0 || h.rx_kb < 0 || h.tx_kb < 0)
		return false;
	*ret = h;
	return true;
}

static struct rs_sar_device *
device_of(struct rs_sar *s, struct rs_text name)
{
	for (size_t i = 0; i < s->n; i++) {
		if (rs_text_eq(name, s->devices[i].name))
			return &s->devices[i];
	}
	struct rs_sar_device *const d =
	    rs_list_add(&s->devices, &s->n, &s->cap, sizeof(*d), RS_SAR_DEVICES_MAX);
	if (d != NULL) {
		(void)rs_text_copy(name, d->name, sizeof(d->name));
		rs_text_defuse(d->name);
	}
	return d;
}

static bool
take_row(const struct header *h, const struct rs_words *w, struct rs_sar *s)
{
	double rx_pps, tx_pps, rx_kb, tx_kb;

	if (w->n != h->words.n || !rs_import_is_number(w->at[h->rx_pps], &rx_pps) ||
	    !rs_import_is_number(w->at[h->tx_pps], &tx_pps) ||
	    !rs_import_is_number(w->at[h->rx_kb], &rx_kb) ||
	    !rs_import_is_number(w->at[h->tx_kb], &tx_kb))
		return false;
	struct rs_sar_device *const d = device_of(s, w->at[h->name]);

	if (d == NULL)
		return true;
	d->rx_pps += rx_pps;
	d->tx_pps += tx_pps;
	/* sysstat's kB are of 1024 bytes (its manual, sar -n DEV). */
	d->rx_bytes_ps += rx_kb * 1024.0;
	d->tx_bytes_ps += tx_kb * 1024.0;
	d->n++;
	return true;
}

int
rs_import_sar(struct rs_text t, struct rs_sar *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_words w;
	struct header h = {.words.n = 0};
	bool has_header = false;

	while (rs_lines_next(&lines, &line)) {
		rs_words_split(line, &w);
		if (take_header(&w, &h))
			has_header = true;
		else if (has_header && w.at[0].end[-1] == ':')
			continue; /* "Average:" */
		else if (has_header && !take_row(&h, &w, ret))
			rs_skip(skips, lines.number, "not a row of the header's columns");
	}
	return ret->n > 0 ? 0 : -ENODATA;
}

void
rs_sar_free(struct rs_sar *s)
{
	free(s->devices);
	*s = (struct rs_sar){0};
}

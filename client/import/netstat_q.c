/* SPDX-License-Identifier: ISC */
/*
 * The table of workstreams is found by its header; columns may be left out
 * ("...").
 */
#include "import/netstat_q.h"

#include <errno.h>

struct header {
	struct rs_words words;
	int workstream, cpu, name, dropped, queued, handled, watermark;
};

static bool
take_header(const struct rs_words *w, struct header *ret)
{
	const struct header h = {
	    .words = *w,
	    .workstream = rs_words_find(w, "WSID"),
	    .cpu = rs_words_find(w, "CPU"),
	    .name = rs_words_find(w, "Name"),
	    .dropped = rs_words_find(w, "QDrops"),
	    .queued = rs_words_find(w, "Queued"),
	    .handled = rs_words_find(w, "Handled"),
	    .watermark = rs_words_find(w, "WMark"),
	};

	if (h.workstream < 0 || h.cpu < 0 || h.name < 0)
		return false;
	*ret = h;
	return true;
}

/* A column that is not there is not known. */
static bool
take_count(const struct rs_words *w, int at, uint64_t *ret)
{
	*ret = RS_NETISR_UNKNOWN;
	return at < 0 || rs_import_is_u64(w->at[at], ret);
}

static bool
take_row(const struct header *h, const struct rs_words *w, struct rs_netisr *n)
{
	struct rs_netisr_row r = {0};
	uint64_t workstream, cpu;

	if (w->n != h->words.n || !rs_import_is_u64(w->at[h->workstream], &workstream) ||
	    !rs_import_is_u64(w->at[h->cpu], &cpu) || workstream > UINT16_MAX || cpu > UINT16_MAX)
		return false;
	if (!take_count(w, h->dropped, &r.dropped) || !take_count(w, h->queued, &r.queued) ||
	    !take_count(w, h->handled, &r.handled) || !take_count(w, h->watermark, &r.watermark))
		return false;
	r.workstream = (uint32_t)workstream;
	r.cpu = (uint32_t)cpu;
	(void)rs_text_copy(w->at[h->name], r.name, sizeof(r.name));
	rs_text_defuse(r.name);
	bool is_known = false;
	for (unsigned i = 0; i < n->n; i++)
		is_known |= n->rows[i].workstream == r.workstream;
	n->workstreams += !is_known;
	if (n->n < RS_NETISR_ROWS_MAX)
		n->rows[n->n++] = r;
	return true;
}

/* "Thread count   1   1"; the first number is the present one. */
static void
take_configuration(const struct rs_words *w, struct rs_netisr *n)
{
	uint64_t value;

	if (w->n >= 3 && rs_text_eq(w->at[0], "Thread") && rs_text_eq(w->at[1], "count") &&
	    rs_import_is_u64(w->at[2], &value) && value <= UINT16_MAX)
		n->threads = (int64_t)value;
}

/* "ip   1   256   cpu   hybrid   C--" under "Name Proto QLimit". */
static void
take_limit(const struct rs_words *w, int at, struct rs_netisr *n)
{
	uint64_t limit;

	if (at >= 0 && at < (int)w->n && rs_import_is_u64(w->at[at], &limit) &&
	    (n->limit == RS_NETISR_UNKNOWN || limit > n->limit))
		n->limit = limit;
}

int
rs_import_netstat_q(struct rs_text t, struct rs_netisr *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_words w;
	struct header h = {.words.n = 0};
	bool has_header = false;
	int limit = -1;

	ret->n = 0;
	ret->workstreams = 0;
	ret->threads = -1;
	ret->limit = RS_NETISR_UNKNOWN;
	while (rs_lines_next(&lines, &line)) {
		rs_words_split(line, &w);
		if (take_header(&w, &h)) {
			has_header = true;
		} else if (!has_header) {
			take_configuration(&w, ret);
			take_limit(&w, limit, ret);
			if (rs_words_find(&w, "QLimit") >= 0)
				limit = rs_words_find(&w, "QLimit");
		} else if (!take_row(&h, &w, ret)) {
			rs_skip(skips, lines.number, "not a row of the header's columns");
		}
	}
	return ret->n > 0 ? 0 : -ENODATA;
}

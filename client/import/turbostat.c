/* SPDX-License-Identifier: ISC */
/*
 * turbostat: a header, a row for the whole machine with "-" for a core, a row for
 * each core. Its columns depend on the processor and on options.
 */
#include <errno.h>
#include <math.h>

#include "import/screen.h"

#include "cpuset.h"

struct header {
	struct rs_words words;
	int cpu, busy, clock, nominal;
};

static bool
take_header(const struct rs_words *w, struct header *ret)
{
	const struct header h = {
	    .words = *w,
	    .cpu = rs_words_find(w, "CPU"),
	    .busy = rs_words_find(w, "Busy%"),
	    .clock = rs_words_find(w, "Bzy_MHz"),
	    .nominal = rs_words_find(w, "TSC_MHz"),
	};

	if (h.cpu < 0 || h.busy < 0 || h.clock < 0)
		return false;
	*ret = h;
	return true;
}

static double
value_at(const struct rs_words *w, int at)
{
	double value;

	return at >= 0 && at < (int)w->n && rs_import_is_number(w->at[at], &value) ? value
										   : (double)NAN;
}

/* Whether the row is one; of a core, or of all of them. */
static bool
take_row(const struct header *h, const struct rs_words *w, struct rs_screen *s)
{
	uint64_t cpu = 0;
	const bool is_all = w->n == h->words.n && rs_text_eq(w->at[h->cpu], "-");

	if (w->n != h->words.n || isnan(value_at(w, h->busy)) ||
	    (!is_all && (!rs_import_is_u64(w->at[h->cpu], &cpu) || cpu >= RS_CPU_MAX)))
		return false;
	if (rs_screen_has(s, is_all ? RS_SCREEN_ALL : (int32_t)cpu))
		return false;
	struct rs_screen_core *const c =
	    rs_screen_add_core(s, is_all ? RS_SCREEN_ALL : (int32_t)cpu);

	if (c == NULL)
		return false;
	c->busy = value_at(w, h->busy) / 100.0;
	c->clock_hz = value_at(w, h->clock) * 1e6;
	c->nominal_hz = value_at(w, h->nominal) * 1e6;
	return true;
}

int
rs_import_turbostat(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_words w;
	struct header h = {.words.n = 0};
	struct rs_screen *s = NULL;
	bool has_row = false;

	while (rs_lines_next(&lines, &line)) {
		rs_words_split(line, &w);
		if (take_header(&w, &h)) {
			s = rs_screens_add(ret);
			if (s == NULL) {
				rs_skip(skips, lines.number, RS_SCREENS_MORE);
				break;
			}
			continue;
		}
		if (s == NULL)
			continue; /* before the first header */
		if (take_row(&h, &w, s))
			has_row = true;
		else
			rs_skip(skips, lines.number, "not a row of the header's columns");
	}
	return has_row ? 0 : -ENODATA;
}

/* SPDX-License-Identifier: ISC */
/*
 * mpstat: a header that names its columns, a row for each core and one for all
 * of them; again for each interval. With a clock of twelve hours both have a word
 * more, and where the language has another word for it, the column of the core is
 * still "CPU".
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>

#include "import/screen.h"

#include "cpuset.h"

static const struct column {
	const char *name;
	size_t field;
	double scale;
} columns[] = {
    {"%usr", offsetof(struct rs_screen_core, user), 0.01},
    {"%user", offsetof(struct rs_screen_core, user), 0.01},
    {"%nice", offsetof(struct rs_screen_core, nice), 0.01},
    {"%sys", offsetof(struct rs_screen_core, system), 0.01},
    {"%system", offsetof(struct rs_screen_core, system), 0.01},
    {"%iowait", offsetof(struct rs_screen_core, iowait), 0.01},
    {"%irq", offsetof(struct rs_screen_core, irq), 0.01},
    {"%soft", offsetof(struct rs_screen_core, softirq), 0.01},
    {"%steal", offsetof(struct rs_screen_core, steal), 0.01},
    {"%idle", offsetof(struct rs_screen_core, idle), 0.01},
    {"intr/s", offsetof(struct rs_screen_core, interrupts_ps), 1.0},
};

struct reading {
	struct rs_words header;
	int cpu; /* place of the core's number; -1: no header yet */
	struct rs_screens *screens;
	struct rs_screen *screen; /* NULL: the next row begins one */
	bool is_full;
};

static const struct column *
find_column(struct rs_text name)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(columns); i++) {
		if (rs_text_eq(name, columns[i].name))
			return &columns[i];
	}
	return NULL;
}

static bool
take_header(struct reading *r, const struct rs_words *w)
{
	const int cpu = rs_words_find(w, "CPU");
	bool has_column = false;

	for (int i = cpu + 1; cpu >= 0 && i < (int)w->n; i++)
		has_column |= find_column(w->at[i]) != NULL;
	if (!has_column)
		return false;
	r->header = *w;
	r->cpu = cpu;
	r->screen = NULL;
	return true;
}

static bool
take_cpu(struct rs_text word, int32_t *ret)
{
	uint64_t cpu;

	if (rs_text_eq(word, "all") || rs_text_eq(word, "alle") || rs_text_eq(word, "tous")) {
		*ret = RS_SCREEN_ALL;
		return true;
	}
	if (!rs_import_is_u64(word, &cpu) || cpu >= RS_CPU_MAX)
		return false;
	*ret = (int32_t)cpu;
	return true;
}

/* Whether each number of the row is one; the core gets them when it is given. */
static bool
take_values(const struct reading *r, const struct rs_words *w, struct rs_screen_core *ret)
{
	for (unsigned i = (unsigned)r->cpu + 1; i < w->n; i++) {
		const struct column *const c = find_column(r->header.at[i]);
		double value;

		if (!rs_import_is_number(w->at[i], &value))
			return false;
		if (c != NULL && ret != NULL)
			*(double *)(void *)((char *)ret + c->field) = value * c->scale;
	}
	return true;
}

/* NULL: it is no row; the caller says so. */
static const char *
take_row(struct reading *r, const struct rs_words *w)
{
	int32_t cpu;

	if (w->n != r->header.n)
		return "another number of columns than the header";
	if (!take_cpu(w->at[r->cpu], &cpu) || !take_values(r, w, NULL))
		return "not a number where one belongs";
	if (r->screen == NULL)
		r->screen = rs_screens_add(r->screens);
	if (r->screen != NULL && rs_screen_has(r->screen, cpu))
		return "a core that was there already";
	struct rs_screen_core *const c =
	    r->screen != NULL ? rs_screen_add_core(r->screen, cpu) : NULL;

	r->is_full |= c == NULL;
	if (c == NULL)
		return RS_SCREENS_MORE;
	(void)take_values(r, w, c);
	/* Idle while I/O is outstanding is idle. */
	if (!isnan(c->idle))
		c->busy = fmax(0.0, 1.0 - c->idle - (isnan(c->iowait) ? 0.0 : c->iowait));
	return NULL;
}

/* "Average:": the word in front of those rows ends so in all languages. */
static bool
is_mean(const struct rs_words *w)
{
	return w->n > 0 && w->at[0].end[-1] == ':';
}

static void
read_all(struct rs_text t, bool has_means, struct reading *r, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_words w;

	while (!r->is_full && rs_lines_next(&lines, &line)) {
		rs_words_split(line, &w);
		if (is_mean(&w) != has_means || take_header(r, &w))
			continue;
		if (r->cpu < 0)
			continue; /* the banner */
		const char *const why = take_row(r, &w);
		if (why != NULL)
			rs_skip(skips, lines.number, why);
	}
}

int
rs_import_mpstat(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips)
{
	const size_t before = ret->n;

	for (int has_means = 0; has_means < 2 && ret->n == before; has_means++) {
		struct reading r = {.cpu = -1, .screens = ret};
		read_all(t, has_means, &r, skips);
	}
	return ret->n > before ? 0 : -ENODATA;
}

/* SPDX-License-Identifier: ISC */
/*
 * Lines of interrupts: whose they are, and what each core got of them.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/counted.h"

/* No machine has more of network devices. */
enum { LINES_MAX = 8192, FEEDS_MAX = 16384, FEEDS_OF_LINE = 16 };

/* When a total of 32 bits may have gone round: near the end, or far from its
 * neighbour where both are large. */
#define NEAR_WRAP (0.9 * 4294967296.0)
#define TENFOLD 10.0
#define MANY_FOR_WRAP 1e9

struct rs_old_row {
	const struct rs_lines_row *row;
	const uint32_t *cells;
	uint32_t columns[RS_CPU_MAX];
};

static const struct rs_lines_row *
find_row(const struct rs_lines_table *t, const struct rs_lines_row *like, size_t hint)
{
	for (size_t i = 0; i < t->n_rows; i++) {
		const struct rs_lines_row *const r = &t->rows[(hint + i) % t->n_rows];
		if (strcmp(r->name, like->name) == 0 && strcmp(r->rest, like->rest) == 0)
			return r;
	}
	return NULL;
}

/* Where each CPU has its column in the first sample; UINT32_MAX: it has none. */
static void
find_columns(const struct rs_lines_table *t, uint32_t ret[static RS_CPU_MAX])
{
	for (size_t i = 0; i < RS_CPU_MAX; i++)
		ret[i] = UINT32_MAX;
	for (uint32_t i = 0; i < t->columns; i++)
		ret[t->cpu[i]] = i;
}

/* What a row of the last sample counted on each core; old: the same row of the first
 * one, NULL: there is none. */
static void
fill_counts(const struct rs_counted *c, const struct rs_lines_table *now,
    const struct rs_lines_row *r, const struct rs_old_row *old, uint32_t *ret)
{
	for (uint32_t k = 0; k < r->cells && k < now->columns; k++) {
		const unsigned cpu = now->cpu[k];
		const size_t core = rs_counted_core(c, cpu);
		const uint32_t column = old->row != NULL ? old->columns[cpu] : UINT32_MAX;
		if (core == SIZE_MAX)
			continue;
		ret[core] = now->cells[r->first_cell + k];
		if (column < UINT32_MAX && column < old->row->cells)
			ret[core] -= old->cells[old->row->first_cell + column];
	}
}

static void
note_doubtful(struct rs_counted *c, const char *irq)
{
	if (c->n_doubtful++ == 0)
		(void)snprintf(c->doubtful, sizeof(c->doubtful), "%s", irq);
}

static char *
keep_text(struct rs_counted *c, struct rs_text t)
{
	char **const one =
	    rs_list_add(&c->texts, &c->n_texts, &c->cap_texts, sizeof(*one), LINES_MAX);
	const size_t len = rs_text_len(t);

	if (one == NULL)
		return NULL;
	*one = malloc(len + 1);
	if (*one == NULL) {
		c->n_texts--;
		return NULL;
	}
	memcpy(*one, t.p, len);
	(*one)[len] = '\0';
	rs_text_defuse(*one);
	return *one;
}

static struct rs_total_line *
add_line(struct rs_counted *c)
{
	struct rs_total_line *const line =
	    rs_list_add(&c->lines, &c->n_lines, &c->cap_lines, sizeof(*line), LINES_MAX);

	if (line != NULL)
		line->first_feed = (uint32_t)c->n_feeds;
	c->has_more |= line == NULL;
	return line;
}

/* A feed of the line added last. */
static void
add_feed(struct rs_counted *c, uint32_t device, int32_t queue, bool is_queue)
{
	struct rs_total_feed *const f =
	    rs_list_add(&c->feeds, &c->n_feeds, &c->cap_feeds, sizeof(*f), FEEDS_MAX);

	c->has_more |= f == NULL;
	if (f == NULL)
		return;
	*f = (struct rs_total_feed){(uint32_t)c->n_lines - 1, device, queue, is_queue};
	c->lines[c->n_lines - 1].n_feeds++;
}

/* Numbered lines of a device make its bare one the link's. */
static void
settle(const struct rs_sample *s, const struct rs_interfaces *all, bool *numbered)
{
	struct rs_irq_feed feeds[FEEDS_OF_LINE];

	for (size_t i = 0; i < s->lines.n_rows; i++) {
		const size_t n = rs_interfaces_feeds(all, &s->lines.rows[i], feeds, FEEDS_OF_LINE);
		for (size_t k = 0; k < n; k++)
			numbered[feeds[k].ifindex - 1] |= rs_irq_is_numbered(&feeds[k]);
	}
}

/* Of the line's feeds those that are listed: queues, and bare names. */
static size_t
listed_feeds(const struct rs_counted *c, const struct rs_lines_row *row, const bool *numbered,
    struct rs_irq_feed *ret)
{
	const size_t n = rs_interfaces_feeds(&c->interfaces, row, ret, FEEDS_OF_LINE);
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		struct rs_irq_feed f = ret[i];
		rs_irq_settle(&f, numbered[f.ifindex - 1]);
		if ((f.role == RS_IRQ_QUEUE && rs_interfaces_own(&c->interfaces, &f, row)) ||
		    f.is_bare)
			ret[kept++] = f;
	}
	return kept;
}

static void
find_doubtful(struct rs_counted *c)
{
	for (size_t i = 0; i < c->n_lines; i++) {
		const struct rs_total_line *const l = &c->lines[i];
		bool is_near = false;
		for (size_t k = 0; l->counts != NULL && k < c->n_cores; k++)
			is_near |= (double)l->counts[k] >= NEAR_WRAP;
		const double before = i > 0 ? c->lines[i - 1].total : l->total;
		const double less = fmin(before, l->total), more = fmax(before, l->total);
		const bool is_apart = less > 0.0 && more >= MANY_FOR_WRAP &&
				      more >= TENFOLD * less && less >= MANY_FOR_WRAP / TENFOLD;
		if (is_near || is_apart)
			note_doubtful(c, l->irq);
	}
}

/* A line, which row of the sample it is, and its feeds. */
static void
take_row(struct rs_counted *c, const struct rs_lines_row *r, size_t row,
    const struct rs_irq_feed *feeds, size_t n_feeds)
{
	struct rs_total_line *const line = add_line(c);
	struct rs_text chip, actions;

	if (line == NULL)
		return;
	(void)snprintf(line->irq, sizeof(line->irq), "%s", r->name);
	rs_irq_split(rs_text_of(r->rest), &chip, &actions);
	line->row = (uint32_t)row;
	line->actions = keep_text(c, actions);
	for (size_t i = 0; i < n_feeds; i++)
		add_feed(c, feeds[i].ifindex - 1, feeds[i].queue, feeds[i].role == RS_IRQ_QUEUE);
}

static int
make_lines(struct rs_counted *c, const struct rs_sample *last)
{
	bool *const numbered = calloc(RS_MAX(c->interfaces.n, (size_t)1), sizeof(*numbered));
	struct rs_irq_feed feeds[FEEDS_OF_LINE];
	int rc = numbered != NULL ? 0 : -ENOMEM;

	if (rc == 0)
		settle(last, &c->interfaces, numbered);
	for (size_t i = 0; rc == 0 && i < last->lines.n_rows && !c->has_more; i++) {
		const struct rs_lines_row *const r = &last->lines.rows[i];
		const size_t n = listed_feeds(c, r, numbered, feeds);
		if (n > 0)
			take_row(c, r, i, feeds, n);
	}
	free(numbered);
	return rc;
}

static void
sum_line(struct rs_counted *c, struct rs_total_line *l, const uint32_t *counts)
{
	l->counts = counts;
	for (size_t k = 0; k < c->n_cores; k++) {
		l->total += (double)counts[k];
		c->cores[k].nic_interrupts += (double)counts[k];
	}
}

/* Counts of lines are of all of them at once: lists may move while they grow. */
static int
count_lines(struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last)
{
	struct rs_old_row *const old = malloc(sizeof(*old));
	const bool has_old = first != last && first->lines.is_present;

	c->cells = calloc(
	    RS_MAX(c->n_lines, (size_t)1) * RS_MAX(c->n_cores, (size_t)1), sizeof(*c->cells));
	if (c->cells == NULL || old == NULL) {
		free(old);
		return -ENOMEM;
	}
	old->row = NULL;
	old->cells = first->lines.cells;
	find_columns(&first->lines, old->columns);
	for (size_t i = 0; c->n_lines > 0 && i < c->n_cores; i++)
		c->cores[i].nic_interrupts = 0.0;
	for (size_t i = 0; i < c->n_lines; i++) {
		const size_t row = c->lines[i].row;
		uint32_t *const counts = c->cells + i * c->n_cores;
		if (has_old)
			old->row = find_row(&first->lines, &last->lines.rows[row], row);
		fill_counts(c, &last->lines, &last->lines.rows[row], old, counts);
		sum_line(c, &c->lines[i], counts);
	}
	if (first == last)
		find_doubtful(c);
	free(old);
	return 0;
}

/* Rows of vmstat, which do not tell the core. */
static void
make_bsd_lines(struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last)
{
	for (size_t i = 0; i < last->n_bsd_lines; i++) {
		const struct rs_bsd_line *const l = &last->bsd_lines[i];
		const struct rs_total_device *const d = rs_counted_device(c, l->device);
		if (l->is_control)
			continue;
		struct rs_total_line *const line = d != NULL ? add_line(c) : NULL;
		if (line == NULL)
			return;
		add_feed(c, (uint32_t)(d - c->devices), l->queue, true);
		(void)snprintf(line->irq, sizeof(line->irq), "%d", (int)l->irq);
		line->actions = l->name;
		line->total = (double)l->total;
		for (size_t k = 0; first != last && k < first->n_bsd_lines; k++) {
			const struct rs_bsd_line *const old = &first->bsd_lines[k];
			if (old->irq == l->irq && strcmp(old->name, l->name) == 0)
				line->total = (double)rs_counted_minus(l->total, old->total);
		}
	}
}

int
rs_counted_lines(struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last)
{
	int rc = make_lines(c, last);

	if (rc == 0)
		rc = count_lines(c, first, last);
	if (rc == 0)
		make_bsd_lines(c, first, last);
	return rc;
}

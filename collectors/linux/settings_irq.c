/* SPDX-License-Identifier: ISC */
/*
 * /proc/irq: on which cores each interrupt may fire and which of them its
 * controller took. Which lines are a NIC's only the model knows, and reading two
 * masks costs less than finding out: so all numbered lines are read. Who writes a
 * mask is noticed; what the kernel does by itself is looked for when interfaces
 * changed, and now and then. Allocates only when lines appear. Loop thread.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "filewatch.h"
#include "kept.h"
#include "linkwatch.h"
#include "num.h"
#include "settings.h"

#define DIR "proc/irq"

/* A controller may move an interrupt only when it fires next (kernel/irq/migration.c):
 * the cores it took are read again a little later. */
enum { TURNS = 3 };

/* An open file keeps its folder's watch alive (see filewatch.c). */
enum { LINES_MAX = 4096, FILES_KEPT = 256 };

/* The two files of a line. */
static const struct {
	const char *file;
	enum rs_fact_id id;
} files[] = {
    {"smp_affinity_list", RS_F_IRQ_AFFINITY},
    {"effective_affinity_list", RS_F_IRQ_EFFECTIVE},
};

enum { FILES = RS_ARRAY_LEN(files) };

struct line {
	uint32_t irq;
	int32_t file[FILES]; /* see kept.h */
	int32_t spurious;    /* file */
	int watch;
	bool is_listed;
	unsigned to_read; /* in how many of the next turns */
};

struct state {
	const struct rs_root *root;
	struct rs_kept *kept;
	struct rs_filewatch *watch; /* NULL: read all each round */
	struct rs_linkwatch *links; /* NULL: no notices of interfaces */
	struct line *lines;	    /* ascending */
	size_t n, cap;
	bool is_full;
	bool is_stirred; /* all may have changed */
	size_t at;	 /* the next step of the round: line, then file; n: it is over */
	size_t noted_at; /* the line that was last read for a notice */
	rs_ns began_ns;	 /* the round */
	rs_ns looked_ns; /* for notices of interfaces */
	struct rs_rounds rounds;
};

static size_t
lower_bound(const struct state *s, uint32_t irq)
{
	size_t low = 0, high = s->n;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (s->lines[mid].irq < irq)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static struct line *
insert(struct state *s, size_t at, uint32_t irq)
{
	if (s->n == s->cap) {
		const size_t cap = RS_MIN(s->cap * 2 + 32, (size_t)LINES_MAX);
		struct line *const p = s->n < cap ? realloc(s->lines, cap * sizeof(*p)) : NULL;
		if (!p)
			return NULL;
		s->lines = p;
		s->cap = cap;
	}
	memmove(&s->lines[at + 1], &s->lines[at], (s->n - at) * sizeof(*s->lines));
	s->n++;
	s->lines[at] = (struct line){.irq = irq,
	    .file = {RS_KEPT_NEW, RS_KEPT_NEW},
	    .spurious = RS_KEPT_NEW,
	    .watch = RS_FILEWATCH_NONE,
	    .to_read = 1};
	return &s->lines[at];
}

static bool
note_name(void *arg, const char *name)
{
	struct state *const s = arg;
	uint64_t irq;
	if (rs_num_u64(rs_text_of(name), &irq) != 0 || irq > UINT32_MAX)
		return true; /* default_smp_affinity */
	const size_t at = lower_bound(s, (uint32_t)irq);
	struct line *const line =
	    at < s->n && s->lines[at].irq == irq ? &s->lines[at] : insert(s, at, (uint32_t)irq);
	if (line)
		line->is_listed = true;
	else
		s->is_full = true;
	return true;
}

static void
drop(struct state *s, struct line *line)
{
	for (size_t k = 0; k < FILES; k++)
		rs_kept_drop(s->kept, &line->file[k]);
	rs_kept_drop(s->kept, &line->spurious);
	if (s->watch)
		rs_filewatch_drop(s->watch, &line->watch);
}

/* A line the last listing did not have has no settings any more. */
static void
drop_unlisted(struct state *s, struct rs_frame *f)
{
	size_t kept = 0;
	for (size_t i = 0; i < s->n; i++) {
		struct line *const line = &s->lines[i];
		if (line->is_listed) {
			s->lines[kept++] = *line;
			continue;
		}
		for (size_t k = 0; k < FILES; k++)
			rs_put_fact_gone(f, files[k].id, line->irq, RS_NO_QUEUE);
		drop(s, line);
	}
	s->n = kept;
}

static void
read_file(struct state *s, struct rs_frame *f, struct line *line, size_t k)
{
	const struct rs_setting what = {files[k].id, line->irq, RS_NO_QUEUE, rs_setting_list};
	struct rs_text t = {NULL, NULL};
	const int error =
	    rs_kept_read(s->kept, &line->file[k], &t, DIR "/%u/%s", line->irq, files[k].file);
	rs_setting_told(&s->rounds, f, &what, error, t);
}

/* The watch first: what is written after it was set is noticed. */
static void
watch_line(struct state *s, struct line *line)
{
	char folder[32];
	(void)snprintf(folder, sizeof(folder), DIR "/%u", line->irq);
	/* As many as there may be: without, all are read each round. */
	if (s->watch && rs_filewatch_set(s->watch, &line->watch, folder) == -ENOSPC) {
		rs_filewatch_close(s->watch);
		s->watch = NULL;
	}
}

static void
on_write(void *arg, int watch)
{
	struct state *const s = arg;
	s->is_stirred |= watch == RS_FILEWATCH_NONE;
	for (size_t i = 0; i < s->n && watch != RS_FILEWATCH_NONE; i++) {
		if (s->lines[i].watch == watch)
			s->lines[i].to_read = TURNS;
	}
}

static void
on_link(void *arg, uint32_t ifindex)
{
	struct state *const s = arg;
	(void)ifindex;
	s->is_stirred = true;
}

/* A script or irqbalance may write to all at once: they take turns. */
static void
read_noted(struct state *s, struct rs_frame *f, size_t most)
{
	for (size_t n = s->n; n > 0 && most > 0; n--) {
		s->noted_at = s->noted_at + 1 < s->n ? s->noted_at + 1 : 0;
		struct line *const line = &s->lines[s->noted_at];
		if (!line->to_read)
			continue;
		line->to_read--;
		most--;
		for (size_t k = 0; k < FILES; k++)
			read_file(s, f, line, k);
	}
}

static int
begin_round(struct state *s, struct rs_frame *f)
{
	rs_rounds_end(&s->rounds);
	for (size_t i = 0; i < s->n; i++)
		s->lines[i].is_listed = false;
	s->is_full = s->is_stirred = false;
	s->began_ns = f->at_ns;
	s->at = 0;
	const int error = rs_root_list(s->root, DIR, note_name, s);
	if (error)
		return error;
	drop_unlisted(s, f);
	for (size_t i = 0; i < s->n; i++) {
		if (s->lines[i].watch == RS_FILEWATCH_NONE)
			watch_line(s, &s->lines[i]);
	}
	return 0;
}

static void
step(struct state *s, struct rs_frame *f)
{
	struct line *const line = &s->lines[s->at / FILES];
	const size_t k = s->at++ % FILES;
	if (k == 0)
		watch_line(s, line);
	rs_kept_retry(&line->file[k]);
	read_file(s, f, line, k);
}

/* Whether to read all again. Links are looked at once a round. */
static bool
is_round_due(struct state *s, rs_ns now_ns)
{
	const rs_ns since = now_ns - s->began_ns;
	if (s->links && now_ns - s->looked_ns >= RS_ROUND_NS) {
		s->looked_ns = now_ns;
		rs_linkwatch_take(s->links, on_link, s);
	}
	return !s->watch || s->is_stirred || since >= RS_ROUND_SLOW * RS_ROUND_NS;
}

/* "count 35\nunhandled 3\nlast_unhandled 12 ms" (kernel/irq/proc.c) */
static void
read_spurious(struct state *s, struct rs_frame *f, struct line *line)
{
	struct rs_text t, row;
	uint64_t count;
	if (f->n_unhandled == RS_UNHANDLED_MAX ||
	    rs_kept_read(s->kept, &line->spurious, &t, DIR "/%u/spurious", line->irq) != 0)
		return;
	while (rs_text_line(&t, &row)) {
		if (rs_text_skip(&row, "unhandled") && rs_text_u64(&row, &count) &&
		    count <= UINT32_MAX)
			f->unhandled[f->n_unhandled++] =
			    (struct rs_irq_unhandled){.irq = line->irq, .count = (uint32_t)count};
	}
}

/* Of the lines that fire often; in a captured tree nobody says which. */
static void
read_loud(struct state *s, struct rs_frame *f)
{
	for (size_t i = 0; i < s->n && !rs_root_is_live(s->root); i++)
		read_spurious(s, f, &s->lines[i]);
	for (unsigned i = 0; i < f->n_loud_irqs; i++) {
		const size_t at = lower_bound(s, f->loud_irqs[i]);
		if (at < s->n && s->lines[at].irq == f->loud_irqs[i])
			read_spurious(s, f, &s->lines[at]);
	}
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	const bool is_live = rs_root_is_live(s->root), is_first = !s->rounds.has_begun;
	if (s->watch)
		rs_filewatch_take(s->watch, on_write, s);
	size_t due = rs_rounds_due(&s->rounds, s->n * FILES, f->at_ns);
	if (s->at >= s->n * FILES && (is_first || is_round_due(s, f->at_ns))) {
		const int error = begin_round(s, f);
		if (error)
			return error;
	}
	read_noted(s, f, is_first || !is_live ? s->n : RS_ROUND_MOST / FILES);
	if (!is_live)
		due = s->n * FILES;
	for (; due > 0 && s->at < s->n * FILES; due--)
		step(s, f);
	read_loud(s, f);
	f->skipped_rows += s->is_full;
	rs_rounds_note(&s->rounds, f);
	return 0;
}

static void
close_irq(void *state)
{
	struct state *const s = state;
	for (size_t i = 0; i < s->n; i++)
		drop(s, &s->lines[i]);
	rs_kept_close(s->kept);
	rs_filewatch_close(s->watch);
	rs_linkwatch_close(s->links);
	free(s->lines);
	free(s);
}

static int
open_irq(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->root = root;
	const int error = rs_kept_open(root, FILES_KEPT, &s->kept);
	if (error) {
		free(s);
		return error;
	}
	if (rs_root_is_live(root)) {
		if (rs_filewatch_open(&s->watch) != 0)
			s->watch = NULL;
		if (rs_linkwatch_open(&s->links) != 0)
			s->links = NULL;
	}
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {
    DIR, DIR "/*/smp_affinity_list", DIR "/*/effective_affinity_list", DIR "/*/spurious", NULL};

RS_COLLECTOR(settings_irq) = {
    .id = "irq_settings",
    .summary = "interrupts: cores wanted and taken, and what nobody handled",
    .paths = paths,
    .period_ms = 1000,
    .where = RS_WHERE_LIVE | RS_WHERE_CAPTURE,
    .open = open_irq,
    .collect = collect,
    .close = close_irq,
};

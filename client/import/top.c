/* SPDX-License-Identifier: ISC */
/*
 * top, of several makers:
 *
 *	%Cpu0  : 19,1 ut,  0,7 sy,  0,0 ni, 80,2 id, ...	procps, any language
 *	Cpu0  :  5.0%us,  2.0%sy, ...				procps before 3.3
 *	CPU 0:  0.0% user,  0.0% nice, ... 96.9% interrupt	FreeBSD
 *	CPU0 states:  0.0% user, ... 0.5% sys, 0.0% spin, ...	OpenBSD
 *	CPU:   0% usr  34% sys   0% nic  31% idle ...		BusyBox
 *
 * A value stands before its word. The words of procps are translated, their order
 * is not. Below, a header with PID names the columns of the threads.
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <string.h>
#include <strings.h>

#include "import/screen.h"

#include "cpuset.h"

static const struct {
	const char *word;
	size_t field;
	bool is_bsd;
} words[] = {
    {"us", offsetof(struct rs_screen_core, user), false},
    {"usr", offsetof(struct rs_screen_core, user), false},
    {"user", offsetof(struct rs_screen_core, user), false},
    {"sy", offsetof(struct rs_screen_core, system), false},
    {"sys", offsetof(struct rs_screen_core, system), false},
    {"system", offsetof(struct rs_screen_core, system), false},
    {"ni", offsetof(struct rs_screen_core, nice), false},
    {"nic", offsetof(struct rs_screen_core, nice), false},
    {"nice", offsetof(struct rs_screen_core, nice), false},
    {"id", offsetof(struct rs_screen_core, idle), false},
    {"idle", offsetof(struct rs_screen_core, idle), false},
    {"wa", offsetof(struct rs_screen_core, iowait), false},
    {"io", offsetof(struct rs_screen_core, iowait), false},
    {"hi", offsetof(struct rs_screen_core, irq), false},
    {"irq", offsetof(struct rs_screen_core, irq), false},
    {"si", offsetof(struct rs_screen_core, softirq), false},
    {"sirq", offsetof(struct rs_screen_core, softirq), false},
    {"st", offsetof(struct rs_screen_core, steal), false},
    {"interrupt", offsetof(struct rs_screen_core, irq), true},
    {"intr", offsetof(struct rs_screen_core, irq), true},
};

/* procps: us sy ni id wa hi si st (its manual, "2b. TASK and CPU states"). */
static const size_t order[] = {
    offsetof(struct rs_screen_core, user),
    offsetof(struct rs_screen_core, system),
    offsetof(struct rs_screen_core, nice),
    offsetof(struct rs_screen_core, idle),
    offsetof(struct rs_screen_core, iowait),
    offsetof(struct rs_screen_core, irq),
    offsetof(struct rs_screen_core, softirq),
    offsetof(struct rs_screen_core, steal),
};

/* Columns of the threads. */
struct threads {
	int pid, cpu, load, name; /* places; pid -1: no header yet */
};

struct reading {
	struct rs_screens *screens;
	struct rs_screen *screen;
	struct threads threads;
	bool has_rows; /* of this screen's threads */
	bool is_full;
};

static bool
is_letter(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* "%Cpu0  :", "%Cpu(s):", "CPU 0:", "CPU:", "CPU0 states:". */
static bool
take_title(struct rs_text *t, int32_t *ret_cpu)
{
	struct rs_text at = *t, title;
	uint64_t cpu;

	if (!rs_text_until(&at, ':', &title))
		return false;
	*t = at;
	(void)rs_text_skip(&title, "%");
	if (rs_text_len(title) < 3 || strncasecmp(title.p, "cpu", 3) != 0)
		return false;
	title.p += 3;
	*ret_cpu = RS_SCREEN_ALL;
	if (rs_text_u64(&title, &cpu)) {
		if (cpu >= RS_CPU_MAX)
			return false;
		*ret_cpu = (int32_t)cpu;
	}
	title = rs_text_trim(title);
	return rs_text_len(title) == 0 || rs_text_eq(title, "(s)") || rs_text_eq(title, "states");
}

static double *
field(struct rs_screen_core *c, size_t offset)
{
	return (double *)(void *)((char *)c + offset);
}

/* Puts a value by its word, else by its place; false: neither is known. */
static bool
put(struct rs_screen_core *c, struct rs_text word, unsigned place, double share, bool *ret_bsd)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++) {
		if (!rs_text_eq(word, words[i].word))
			continue;
		*field(c, words[i].field) = share;
		*ret_bsd |= words[i].is_bsd;
		return true;
	}
	if (rs_text_eq(word, "spin") || place >= RS_ARRAY_LEN(order))
		return true; /* spinning is busy, but no work */
	*field(c, order[place]) = share;
	return false;
}

/* The pairs of value and word behind the title. */
static bool
take_shares(struct rs_text t, struct rs_screen_core *c, bool *ret_bsd)
{
	unsigned place = 0;

	*ret_bsd = false;
	while (t.p < t.end) {
		double percent;
		struct rs_text word;

		if (!rs_import_number(&t, &percent) || percent > 100.5)
			return false;
		(void)rs_text_skip(&t, "%");
		rs_text_blanks(&t);
		word = (struct rs_text){t.p, t.p};
		while (t.p < t.end && is_letter(*t.p))
			t.p++;
		word.end = t.p;
		if (rs_text_len(word) == 0)
			return false;
		(void)put(c, word, place++, percent / 100.0, ret_bsd);
		(void)rs_text_skip(&t, ",");
		rs_text_blanks(&t);
	}
	if (place < 4 || isnan(c->idle))
		return false;
	c->busy = fmax(0.0, 1.0 - c->idle - (isnan(c->iowait) ? 0.0 : c->iowait));
	return true;
}

/* The screen that a line of this core belongs to: a core named twice begins a new
 * one, and so does what follows a list of threads. */
static struct rs_screen *
screen_for(struct reading *r, int32_t cpu)
{
	if (r->screen == NULL || rs_screen_has(r->screen, cpu) || r->has_rows) {
		r->screen = rs_screens_add(r->screens);
		r->has_rows = false;
		r->threads.pid = -1;
	}
	r->is_full |= r->screen == NULL;
	return r->screen;
}

static const char *
take_core(struct reading *r, struct rs_text line, int32_t cpu)
{
	struct rs_screen_core shares = rs_screen_unknown(cpu);
	bool is_bsd;

	if (!take_shares(line, &shares, &is_bsd))
		return "no shares of CPU time behind the title";
	struct rs_screen *const s = screen_for(r, cpu);
	struct rs_screen_core *const c = s != NULL ? rs_screen_add_core(s, cpu) : NULL;

	r->is_full |= c == NULL;
	if (c == NULL)
		return RS_SCREENS_MORE;
	*c = shares;
	s->is_bsd |= is_bsd;
	return NULL;
}

static int
first_of(const struct rs_words *w, const char *const *names, size_t n)
{
	int at = -1;

	for (size_t i = 0; i < n && at < 0; i++)
		at = rs_words_find(w, names[i]);
	return at;
}

static bool
take_header(struct reading *r, const struct rs_words *w)
{
	static const char *const loads[] = {"%CPU", "WCPU", "CPU"};
	static const char *const names[] = {"COMMAND", "Command", "COMANDO", "BEFEHL", "COM."};
	static const char *const cpus[] = {"C", "P"};
	const struct threads t = {
	    .pid = rs_words_find(w, "PID"),
	    .cpu = first_of(w, cpus, RS_ARRAY_LEN(cpus)),
	    .load = first_of(w, loads, RS_ARRAY_LEN(loads)),
	    .name = first_of(w, names, RS_ARRAY_LEN(names)),
	};

	if (t.pid < 0 || t.load < 0)
		return false;
	r->threads = t;
	if (t.name < 0)
		r->threads.name = (int)w->n - 1; /* the last column in all of them */
	if (r->screen == NULL)
		r->screen = rs_screens_add(r->screens);
	r->is_full |= r->screen == NULL;
	/* BusyBox alone tells the share of memory in per cent, of all cores. */
	if (r->screen != NULL)
		r->screen->is_thread_of_all = rs_words_find(w, "%VSZ") >= 0;
	return true;
}

static bool
take_percent(struct rs_text word, double *ret)
{
	return rs_import_number(&word, ret) &&
	       (word.p == word.end || (rs_text_skip(&word, "%") && word.p == word.end));
}

static const char *
take_thread(struct reading *r, const struct rs_words *w, struct rs_text line)
{
	const struct threads *const t = &r->threads;
	uint64_t pid, cpu;
	double percent;

	if ((int)w->n <= t->name || !rs_import_is_u64(w->at[t->pid], &pid) || pid > INT32_MAX)
		return "not a row of the header's columns";
	if (!take_percent(w->at[t->load], &percent))
		return "no share of CPU time where the header has it";
	struct rs_screen_thread *const thread = rs_list_add(&r->screen->threads,
	    &r->screen->n_threads, &r->screen->cap_threads, sizeof(*thread), RS_SCREEN_THREADS_MAX);

	r->has_rows = true;
	if (thread == NULL)
		return NULL; /* the first ones are the busiest */
	thread->pid = (int64_t)pid;
	thread->load = percent / 100.0;
	thread->cpu = -1;
	if (t->cpu >= 0 && rs_import_is_u64(w->at[t->cpu], &cpu) && cpu < RS_CPU_MAX)
		thread->cpu = (int32_t)cpu;
	(void)rs_text_copy(
	    rs_words_from(w, (unsigned)t->name, line), thread->name, sizeof(thread->name));
	rs_text_defuse(thread->name);
	return NULL;
}

static const char *
take_line(struct reading *r, struct rs_text line)
{
	struct rs_text rest = line;
	struct rs_words w;
	int32_t cpu;

	if (take_title(&rest, &cpu))
		return take_core(r, rest, cpu);
	rs_words_split(line, &w);
	if (take_header(r, &w) || r->threads.pid < 0)
		return NULL; /* "Mem:", "Tasks:" and the like */
	return take_thread(r, &w, line);
}

int
rs_import_top(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips)
{
	struct reading r = {.screens = ret, .threads.pid = -1};
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	bool has_any = false;

	while (!r.is_full && rs_lines_next(&lines, &line)) {
		const char *const why = take_line(&r, line);
		if (why != NULL)
			rs_skip(skips, lines.number, why);
		has_any |= r.screen != NULL && (r.screen->n_cores > 0 || r.screen->n_threads > 0 ||
						   r.screen->all.cpu == RS_SCREEN_ALL);
	}
	return has_any ? 0 : -ENODATA;
}

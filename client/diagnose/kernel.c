/* SPDX-License-Identifier: ISC */
/*
 * To find a line that could not be used, each is parsed alone, behind the header
 * where there is one.
 */
#include "diagnose/kernel.h"

#include <errno.h>
#include <string.h>

#include "buf.h"
#include "linux/cpu_columns.h"

/* How many bytes the search for bad lines may parse. */
#define SEARCH_BYTES_MAX (32u << 20)
#define LINE_BYTES_MAX (1u << 20)

const struct rs_collector *
rs_kernel_collector(const char *path)
{
	for (size_t i = 0; rs_collectors[i] != NULL; i++) {
		if (rs_collectors[i]->parse != NULL &&
		    strcmp(rs_collectors[i]->paths[0], path) == 0)
			return rs_collectors[i];
	}
	return NULL;
}

static bool
is_header(struct rs_text line)
{
	uint16_t cpus[RS_CPU_MAX];

	line = rs_text_trim(line);
	return rs_text_starts(line, "CPU") && rs_cpu_columns(line, cpus, RS_CPU_MAX) > 0;
}

/* Takes lines up to the header, which is returned; empty where there is none. */
static struct rs_text
take_header(struct rs_text *t, unsigned *number)
{
	struct rs_text rest = *t, line;
	unsigned n = 0;

	while (rs_text_line(&rest, &line)) {
		n++;
		if (is_header(line)) {
			*t = rest;
			*number = n;
			return line;
		}
	}
	return (struct rs_text){t->p, t->p};
}

/* Whether the collector has no use for the line alone. */
static bool
is_bad(const struct rs_kernel_text *t, struct rs_text header, struct rs_text line, bool is_cut,
    struct rs_buf *scratch, struct rs_frame *f)
{
	struct rs_cpuset first;
	const bool is_softnet = strcmp(t->collector->id, "softnet") == 0;

	rs_buf_reset(scratch);
	if (rs_text_len(header) > 0) {
		rs_buf_put(scratch, header.p, rs_text_len(header));
		rs_buf_putc(scratch, '\n');
	}
	rs_buf_put(scratch, line.p, rs_text_len(line));
	if (!is_cut)
		rs_buf_putc(scratch, '\n');
	if (scratch->failed)
		return true;
	rs_cpuset_zero(&first);
	rs_cpuset_add(&first, 0);
	const struct rs_sys sys = {.online = is_softnet ? &first : NULL};
	rs_frame_reset(f, 0);
	const int rc = t->collector->parse(
	    (struct rs_text){scratch->data, scratch->data + scratch->len}, &sys, f);
	return is_softnet ? rc < 0 : f->skipped_rows > 0;
}

static const char *
reason_of(const struct rs_kernel_text *t, bool is_cut)
{
	if (is_cut)
		return "cut off at the end of the file";
	if (strcmp(t->collector->id, "interrupts") == 0)
		return "not a count for each core";
	return "not a row of this file";
}

/* Notes the lines that could not be used. */
static void
find_bad_lines(const struct rs_kernel_text *t, struct rs_frame *f, struct rs_skips *skips)
{
	struct rs_text rest = t->text, line;
	struct rs_buf scratch;
	unsigned number = 0;
	size_t parsed = 0;

	rs_buf_init(&scratch, LINE_BYTES_MAX);
	const struct rs_text header = take_header(&rest, &number);
	number -= t->is_headed;
	while (skips->n < RS_SKIPS_MAX && parsed < SEARCH_BYTES_MAX && rs_text_line(&rest, &line)) {
		const bool is_cut = rest.p == rest.end && rest.end[-1] != '\n';
		number++;
		parsed += rs_text_len(header) + rs_text_len(line) + 64;
		if (rs_text_len(rs_text_trim(line)) > 0 &&
		    is_bad(t, header, line, is_cut, &scratch, f))
			rs_skip(skips, number, reason_of(t, is_cut));
	}
	rs_buf_fini(&scratch);
}

static unsigned
count_lines(struct rs_text t)
{
	struct rs_text line;
	unsigned n = 0;

	while (rs_text_line(&t, &line))
		n += rs_text_len(rs_text_trim(line)) > 0;
	return n;
}

static const char *
why_nothing(const struct rs_kernel_text *t)
{
	if (strcmp(t->collector->id, "softnet") == 0)
		return "rows do not name their cores, and are not as many as cores are online";
	return "nothing in it could be used";
}

int
rs_kernel_parse(
    struct rs_kernel_text *t, struct rs_frame *f, const char *file, struct rs_problems *problems)
{
	struct rs_skips skips = {.n = 0};

	if (!t->has_online) {
		const unsigned n = RS_MIN(count_lines(t->text), RS_CPU_MAX);
		rs_cpuset_zero(&t->online);
		for (unsigned i = 0; i < n; i++)
			rs_cpuset_add(&t->online, i);
	}
	const struct rs_sys sys = {.online = &t->online};
	const rs_ns at_ns = f->at_ns;
	int rc = t->collector->parse(t->text, &sys, f);

	if (rc == 0 && f->is_out_of_memory)
		rc = -ENOMEM;
	if (rc < 0) {
		rs_problem(problems, file, 0, "%s", rc == -EINVAL ? why_nothing(t) : strerror(-rc));
		return rc;
	}
	const unsigned skipped = f->skipped_rows;
	if (skipped == 0)
		return 0;
	find_bad_lines(t, f, &skips);
	if (skips.n == 0)
		rs_problem(problems, file, 0, "%u rows do not fit the others", skipped);
	rs_problem_skips(problems, file, &skips);
	if (skipped > skips.n && skips.n > 0)
		rs_problem(problems, file, 0, "%u more rows like these", skipped - skips.n);
	/* The frame was needed for the search. */
	rs_frame_reset(f, at_ns);
	return t->collector->parse(t->text, &sys, f);
}

void
rs_kernel_count_rows(struct rs_text t, uint32_t *ret_all, uint32_t *ret_numbered)
{
	unsigned number;
	struct rs_text line;

	*ret_all = *ret_numbered = 0;
	if (rs_text_len(take_header(&t, &number)) == 0)
		return;
	while (rs_text_line(&t, &line)) {
		struct rs_text name, word;
		uint64_t irq;
		line = rs_text_trim(line);
		if (!rs_text_until(&line, ':', &name) || rs_text_len(name) == 0)
			continue;
		struct rs_text rest = name;
		if (!rs_text_word(&rest, &word) || !rs_text_same(word, name))
			continue;
		++*ret_all;
		*ret_numbered += *name.p >= '0' && *name.p <= '9' && rs_text_u64(&name, &irq) &&
				 name.p == name.end;
	}
}

void
rs_kernel_sum_of_interrupts(struct rs_text t, uint64_t *ret)
{
	struct rs_text line;

	while (rs_text_line(&t, &line)) {
		if (rs_text_skip(&line, "intr ")) {
			(void)rs_text_u64(&line, ret);
			return;
		}
	}
}

/* The counts of a row: numbers behind the colon that something else follows. */
static unsigned
count_columns(struct rs_text line)
{
	struct rs_text name;
	uint64_t value;
	unsigned n = 0;

	line = rs_text_trim(line);
	if (!rs_text_until(&line, ':', &name) || !rs_text_u64(&name, &value) || name.p != name.end)
		return 0;
	while (rs_text_u64(&line, &value))
		n++;
	/* "1-edge": the last number began the text. */
	if (n > 0 && line.p < line.end && *line.p != ' ' && *line.p != '\t')
		n--;
	rs_text_blanks(&line);
	return line.p < line.end ? n : 0;
}

bool
rs_kernel_add_header(struct rs_text t, struct rs_buf *ret)
{
	unsigned rows[RS_CPU_MAX + 1] = {0}, columns = 0;
	struct rs_text rest = t, line;

	while (rs_text_line(&rest, &line)) {
		const unsigned n = count_columns(line);
		if (n <= RS_CPU_MAX)
			rows[n]++;
	}
	rows[0] = 0; /* what is no row */
	for (unsigned n = 1; n <= RS_CPU_MAX; n++)
		columns = rows[n] > rows[columns] ? n : columns;
	if (columns == 0)
		return false;
	rs_buf_reset(ret);
	for (unsigned i = 0; i < columns; i++)
		rs_buf_printf(ret, " CPU%u", i);
	rs_buf_putc(ret, '\n');
	rs_buf_put(ret, t.p, rs_text_len(t));
	return !ret->failed;
}

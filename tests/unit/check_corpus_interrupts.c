/* SPDX-License-Identifier: ISC */
/*
 * Real /proc/interrupts files against numbers computed by another reader: rows,
 * columns, and for each device its lines with total and busiest CPU. The lines
 * are found by name here, by a regular expression there.
 */
#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "corpus.h"
#include "irqname.h"
#include "rs_check.h"

/* One file of a case and the key of its numbers. */
struct sample {
	char dir[80], file[48], key[24];
};
static struct sample samples[256];
static size_t n_samples;

static const struct rs_collector *
interrupts(void)
{
	for (const struct rs_collector *const *c = rs_collectors; *c; c++) {
		if (strcmp((*c)->id, "interrupts") == 0)
			return *c;
	}
	ck_abort_msg("no such collector");
	return NULL;
}

/* The counts of a row: numbers behind the colon that something else follows. */
static unsigned
count_columns(struct rs_text line)
{
	struct rs_text name;
	uint64_t value;
	unsigned n = 0;
	if (!rs_text_until(&line, ':', &name) || !rs_text_u64(&name, &value))
		return 0;
	while (rs_text_u64(&line, &value))
		n++;
	rs_text_blanks(&line);
	return line.p < line.end ? n : 0;
}

/* An excerpt has no header: as many CPUs as its shortest row has counts. */
static char *
with_header(struct rs_text t, struct rs_text *ret)
{
	unsigned columns = UINT32_MAX;
	struct rs_text rest = t, line;
	while (rs_text_line(&rest, &line)) {
		const unsigned n = count_columns(line);
		columns = n > 0 && n < columns ? n : columns;
	}
	ck_assert_uint_lt(columns, 4096);
	const size_t cap = rs_text_len(t) + 9 * (size_t)columns + 2;
	char *const text = malloc(cap);
	ck_assert_ptr_nonnull(text);
	size_t n = 0;
	for (unsigned i = 0; i < columns; i++)
		n += (size_t)snprintf(text + n, cap - n, " CPU%u", i);
	text[n++] = '\n';
	memcpy(text + n, t.p, rs_text_len(t));
	*ret = (struct rs_text){text, text + n + rs_text_len(t)};
	return text;
}

static bool
ends_with(const char *s, const char *suffix)
{
	return strlen(s) >= strlen(suffix) && strcmp(s + strlen(s) - strlen(suffix), suffix) == 0;
}

/* The text of a compressed file; NULL when there is nothing to unpack it. */
static char *
unpack(const struct sample *s, struct rs_text *ret)
{
	char command[600];
	size_t n = 0, cap = 1u << 20, got = 1;
	char *text = NULL;
	(void)snprintf(
	    command, sizeof(command), "bzip2 -dc '%s/%s/%s' 2>/dev/null", CORPUS, s->dir, s->file);
	FILE *const f = popen(command, "r"); /* NOLINT(cert-env33-c): a test */
	ck_assert_ptr_nonnull(f);
	for (; got > 0; n += got) {
		cap *= n + 1 >= cap || !text ? 2 : 1;
		text = realloc(text, cap);
		ck_assert_ptr_nonnull(text);
		got = fread(text + n, 1, cap - n - 1, f);
	}
	const bool is_there = pclose(f) == 0 && n > 0;
	*ret = (struct rs_text){text, text + n};
	if (!is_there)
		free(text);
	return is_there ? text : NULL;
}

static struct rs_frame *
parse_file(const struct sample *s, char **ret_text)
{
	struct rs_text t;
	struct rs_frame *f;
	const struct rs_sys sys = {0};
	const bool is_packed = ends_with(s->file, ".bz2");
	*ret_text = is_packed ? unpack(s, &t) : corpus_read_file(s->dir, s->file, &t);
	if (!*ret_text) {
		(void)printf("# %s: not checked, there is no bzip2\n", s->dir);
		return NULL;
	}
	ck_assert_int_eq(rs_frame_new(1u << 20, &f), 0);
	if (strstr(s->file, "grep")) {
		/* Without header no column has a name. */
		ck_assert_int_eq(interrupts()->parse(t, &sys, f), -EINVAL);
		ck_assert(!f->irqs.is_present);
		rs_frame_reset(f, 0);
		char *const more = with_header(t, &t);
		free(*ret_text);
		*ret_text = more;
	}
	const int error = interrupts()->parse(t, &sys, f);
	ck_assert_msg(error == 0, "%s/%s: %s", s->dir, s->file, strerror(-error));
	return f;
}

/* The corpus' names of devices say what sysfs would: "eth0", "pci:ADDRESS",
 * "eth0 (PLATFORM NAME)", "wifi (DRIVER)", "wifi (DRIVER NAMES)",
 * "usb nic (xhci usb1)". */
static void
describe(const char *label, struct rs_nic_info *nic)
{
	*nic = (struct rs_nic_info){.ifindex = 2};
	struct rs_text t = rs_text_of(label), before = t, within = {0};
	char inside[64] = "";
	const bool is_open = rs_text_until(&t, '(', &before);
	if (is_open && rs_text_until(&t, ')', &within))
		(void)rs_text_copy(within, inside, sizeof(inside));
	const char *device = NULL;
	if (strncmp(label, "pci:", 4) == 0)
		device = label + 4;
	else if (strcmp(label, "virtio (shared)") == 0)
		device = "virtio3";
	else if (strncmp(label, "virtio", 6) == 0 || (!is_open && strchr(label, '.')))
		device = label;
	else if (strncmp(inside, "virtio", 6) == 0 || strchr(inside, '.') != NULL)
		device = inside;
	else if (strcmp(inside, "xhci usb1") == 0)
		device = "1-1:1.0";
	else if (strcmp(inside, "al_eth") == 0)
		device = "0000:00:01.0"; /* only the lines tell */
	else if (*inside) {
		inside[strcspn(inside, " ")] = '\0';
		(void)snprintf(nic->driver, sizeof(nic->driver), "%.31s", inside);
	} else
		(void)rs_text_copy(rs_text_trim(before), nic->name, sizeof(nic->name));
	if (device)
		(void)rs_text_copy(rs_text_of(device), nic->device, sizeof(nic->device));
}

/* \d is not known to POSIX. */
static void
compile(struct rs_text quoted, regex_t *ret)
{
	char python[256], posix[600] = "";
	corpus_unquote(quoted, python, sizeof(python));
	size_t n = 0;
	for (const char *p = python; *p && n < sizeof(posix) - 8; p++) {
		if (p[0] == '\\' && p[1] == 'd') {
			memcpy(posix + n, "[0-9]", 6);
			n += 5;
			p++;
		} else {
			posix[n++] = *p;
			posix[n] = '\0';
		}
	}
	ck_assert_msg(regcomp(ret, posix, REG_EXTENDED | REG_NOSUB) == 0, "%s", posix);
}

static bool
is_line_of(const struct rs_irq_row *row, const struct rs_nic_info *nic)
{
	struct rs_text chip, actions;
	struct rs_irq_feed feed[8];
	rs_irq_split(row->rest, &chip, &actions);
	const size_t n = rs_irq_feeds(row->name, chip, actions, nic, 1, feed, 8);
	/* Control lines are not listed there, but for those without a word. */
	return n > 0 && (feed[0].role == RS_IRQ_QUEUE || feed[0].is_bare);
}

static void
compare_line(const struct sample *s, const struct rs_irq_matrix *m, const struct rs_irq_row *row,
    struct rs_text expected)
{
	char name[16];
	(void)rs_text_copy(row->name, name, sizeof(name));
	const uint32_t *const cells = m->cells + row->first_cell;
	uint64_t total = 0;
	uint32_t best = 0;
	for (uint32_t i = 0; i < row->cells; i++) {
		total += cells[i];
		best = cells[i] > cells[best] ? i : best;
	}
	const double cpu = corpus_number_of(expected, "busiest_cpu");
	const double share = corpus_number_of(expected, "busiest_share");
	ck_assert_msg(strtod(name, NULL) == corpus_number_of(expected, "irq") &&
			  (double)total == corpus_number_of(expected, "total"),
	    "%s: line %s has %llu", s->dir, name, (unsigned long long)total);
	if (total == 0)
		return;
	ck_assert_msg(m->cpu[best] == cpu, "%s: line %s", s->dir, name);
	ck_assert_msg(fabs(100.0 * cells[best] / (double)total - share) <= 0.051,
	    "%s: line %s: share", s->dir, name);
}

static void
compare_device(const struct sample *s, const struct rs_irq_matrix *m, struct rs_text label,
    struct rs_text regex, struct rs_text facts)
{
	char text[64];
	struct rs_nic_info nic;
	corpus_unquote(label, text, sizeof(text));
	describe(text, &nic);
	struct rs_text device, queues = {0}, key, expected;
	const bool has_numbers = corpus_member(corpus_must(facts, "nics"), text, &device);
	if (has_numbers)
		queues = corpus_must(device, "queues");
	else
		(void)printf("# %s: '%s' has lines but no numbers\n", s->dir, text);
	regex_t re;
	compile(regex, &re);
	for (uint32_t i = 0; i < m->n_rows; i++) {
		const struct rs_irq_row *const row = &m->rows[i];
		char rest[256];
		(void)rs_text_copy(row->rest, rest, sizeof(rest));
		const bool is_wanted = row->is_numbered && regexec(&re, rest, 0, NULL, 0) == 0;
		ck_assert_msg(is_wanted == (row->is_numbered && is_line_of(row, &nic)),
		    "%s: '%s' and '%s'", s->dir, text, rest);
		if (!is_wanted || !has_numbers)
			continue;
		ck_assert(corpus_next_element(&queues, &key, &expected));
		compare_line(s, m, row, expected);
	}
	ck_assert_msg(!corpus_next_element(&queues, &key, &expected), "%s: lines missing", s->dir);
	regfree(&re);
}

START_TEST(a_real_file_gives_the_known_numbers)
{
	const struct sample *const s = &samples[_i];
	char *text;
	struct rs_text json;
	struct rs_frame *const f = parse_file(s, &text);
	if (!f)
		return;
	char *const document = corpus_read_file(s->dir, "expected.json", &json);
	const struct rs_text facts = corpus_must(corpus_must(json, "facts"), s->key);
	const struct rs_irq_matrix *const m = &f->irqs;
	unsigned numbered = 0;
	for (uint32_t i = 0; i < m->n_rows; i++)
		numbered += m->rows[i].is_numbered;
	ck_assert_double_eq(m->columns, corpus_number_of(facts, "cpus_in_header"));
	ck_assert_double_eq(m->cpu[0], corpus_number_of(facts, "first_cpu"));
	ck_assert_double_eq(m->cpu[m->columns - 1], corpus_number_of(facts, "last_cpu"));
	ck_assert_double_eq(m->n_rows, corpus_number_of(facts, "rows"));
	ck_assert_double_eq(numbered, corpus_number_of(facts, "numbered_rows"));
	struct rs_text devices = corpus_must(json, "netdev_regex"), label = {0}, regex;
	while (corpus_next_element(&devices, &label, &regex))
		compare_device(s, m, label, regex, facts);
	free(document);
	rs_frame_free(f);
	free(text);
}
END_TEST

static bool
is_there(const char *dir, const char *file)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s/%s", CORPUS, dir, file);
	FILE *const f = fopen(path, "rb");
	if (f)
		(void)fclose(f);
	return f != NULL;
}

static void
add_sample(const char *dir, const char *file, const char *key)
{
	if (!is_there(dir, file) || n_samples == RS_ARRAY_LEN(samples))
		return;
	struct sample *const s = &samples[n_samples++];
	(void)snprintf(s->dir, sizeof(s->dir), "%.79s", dir);
	(void)snprintf(s->file, sizeof(s->file), "%s", file);
	(void)snprintf(s->key, sizeof(s->key), "%s", key);
}

static void
find_samples(void)
{
	DIR *const d = opendir(CORPUS);
	if (!d)
		return;
	for (struct dirent *e = readdir(d); e; e = readdir(d)) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		add_sample(e->d_name, "proc/interrupts", "interrupts");
		add_sample(e->d_name, "proc-interrupts.grep.txt", "interrupts");
		add_sample(e->d_name, "proc/interrupts.bz2", "interrupts");
		for (unsigned i = 0; i < 10; i++) {
			char file[40], key[24];
			(void)snprintf(file, sizeof(file), "t%u/proc/interrupts", i);
			(void)snprintf(key, sizeof(key), "t%u:interrupts", i);
			add_sample(e->d_name, file, key);
		}
	}
	(void)closedir(d);
}

int
main(void)
{
	find_samples();
	if (n_samples == 0) {
		(void)printf("1..0 # SKIP no corpus in %s\n", CORPUS);
		return RS_CHECK_SKIP;
	}
	Suite *const s = suite_create("corpus_interrupts");
	TCase *const t = tcase_create("corpus");
	tcase_add_loop_test(t, a_real_file_gives_the_known_numbers, 0, (int)n_samples);
	suite_add_tcase(s, t);
	return rs_check_run(s);
}

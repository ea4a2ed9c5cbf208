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
#include "irqname.h"
#include "rs_check.h"

#define CORPUS RS_SHARED_DIR "/corpus"

/* One file of a case and the key of its numbers. */
struct sample {
	char dir[80], file[48], key[24];
};
static struct sample samples[256];
static size_t n_samples;

/* A JSON value is kept as its text. Strings are the only thing in which a
 * bracket means nothing. */
static const char *
skip_string(const char *p, const char *end)
{
	for (p++; p < end && *p != '"'; p++)
		p += *p == '\\';
	return p < end ? p + 1 : end;
}

static struct rs_text
take_value(struct rs_text *t)
{
	*t = rs_text_trim(*t);
	const char *p = t->p;
	unsigned depth = 0;
	while (p < t->end) {
		if (*p == '"') {
			p = skip_string(p, t->end);
			continue;
		}
		if (depth == 0 && strchr(",:]}", *p))
			break;
		depth += strchr("[{", *p) != NULL;
		depth -= strchr("]}", *p) != NULL;
		p++;
	}
	const struct rs_text value = rs_text_trim((struct rs_text){t->p, p});
	t->p = p;
	return value;
}

/* The next element of an array, or of an object with its key. */
static bool
next_element(struct rs_text *t, struct rs_text *ret_key, struct rs_text *ret)
{
	*t = rs_text_trim(*t);
	if (t->p == t->end || *t->p == ']' || *t->p == '}')
		return false;
	t->p += strchr("[{,", *t->p) != NULL;
	*t = rs_text_trim(*t);
	if (t->p == t->end || *t->p == ']' || *t->p == '}')
		return false;
	*ret = take_value(t);
	*t = rs_text_trim(*t);
	if (t->p < t->end && *t->p == ':') {
		*ret_key = *ret;
		t->p++;
		*ret = take_value(t);
	}
	return true;
}

/* The text of a JSON string, escapes resolved as far as they occur. */
static void
unquote(struct rs_text t, char *dst, size_t cap)
{
	size_t n = 0;
	for (const char *p = t.p + 1; p < t.end - 1 && n + 1 < cap; p++) {
		p += *p == '\\';
		dst[n++] = *p;
	}
	dst[n] = '\0';
}

static bool
member(struct rs_text object, const char *key, struct rs_text *ret)
{
	struct rs_text name = {0}, value;
	char text[64];
	while (next_element(&object, &name, &value)) {
		unquote(name, text, sizeof(text));
		if (strcmp(text, key) == 0) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static struct rs_text
must(struct rs_text object, const char *key)
{
	struct rs_text value = {0};
	ck_assert_msg(member(object, key, &value), "no member '%s'", key);
	return value;
}

static double
number_of(struct rs_text object, const char *key)
{
	const struct rs_text t = must(object, key);
	char text[40];
	ck_assert(rs_text_copy(t, text, sizeof(text)));
	return strcmp(text, "null") == 0 ? (double)NAN : strtod(text, NULL);
}

static char *
read_file(const struct sample *s, const char *name, struct rs_text *ret)
{
	char path[512];
	(void)snprintf(path, sizeof(path), "%s/%s/%s", CORPUS, s->dir, name);
	FILE *const f = fopen(path, "rb");
	ck_assert_msg(f != NULL, "cannot open %s", path);
	ck_assert_int_eq(fseek(f, 0, SEEK_END), 0);
	const long size = ftell(f);
	rewind(f);
	char *const text = malloc((size_t)size + 1);
	ck_assert_ptr_nonnull(text);
	ck_assert_uint_eq(fread(text, 1, (size_t)size, f), (size_t)size);
	(void)fclose(f);
	*ret = (struct rs_text){text, text + size};
	return text;
}

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

static struct rs_frame *
parse_file(const struct sample *s, char **ret_text)
{
	struct rs_text t;
	struct rs_frame *f;
	const struct rs_sys sys = {0};
	*ret_text = read_file(s, s->file, &t);
	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	const int error = interrupts()->parse(t, &sys, f);
	const bool is_excerpt = strstr(s->file, "grep") != NULL;
	if (error && !is_excerpt)
		ck_abort_msg("%s/%s: %s", s->dir, s->file, strerror(-error));
	/* Without header no column has a name. */
	if (is_excerpt)
		ck_assert_int_eq(error, -EINVAL);
	return f;
}

/* The corpus' names of devices say what sysfs would: "eth0", "pci:ADDRESS",
 * "eth0 (PLATFORM NAME)", "wifi (DRIVER)", "usb nic (xhci usb1)". */
static bool
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
	else if (strchr(inside, ' '))
		return false; /* nothing that sysfs would tell */
	else if (*inside)
		(void)rs_text_copy(within, nic->driver, sizeof(nic->driver));
	else
		(void)rs_text_copy(rs_text_trim(before), nic->name, sizeof(nic->name));
	if (device)
		(void)rs_text_copy(rs_text_of(device), nic->device, sizeof(nic->device));
	return true;
}

/* \d is not known to POSIX. */
static void
compile(struct rs_text quoted, regex_t *ret)
{
	char python[256], posix[600] = "";
	unquote(quoted, python, sizeof(python));
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
	const double cpu = number_of(expected, "busiest_cpu");
	const double share = number_of(expected, "busiest_share");
	ck_assert_msg(strtod(name, NULL) == number_of(expected, "irq") &&
			  (double)total == number_of(expected, "total"),
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
	unquote(label, text, sizeof(text));
	if (!describe(text, &nic)) {
		(void)printf("# %s: '%s' is not checked\n", s->dir, text);
		return;
	}
	struct rs_text device, queues = {0}, key, expected;
	const bool has_numbers = member(must(facts, "nics"), text, &device);
	if (has_numbers)
		queues = must(device, "queues");
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
		ck_assert(next_element(&queues, &key, &expected));
		compare_line(s, m, row, expected);
	}
	ck_assert_msg(!next_element(&queues, &key, &expected), "%s: lines missing", s->dir);
	regfree(&re);
}

START_TEST(a_real_file_gives_the_known_numbers)
{
	const struct sample *const s = &samples[_i];
	char *text;
	struct rs_text json;
	struct rs_frame *const f = parse_file(s, &text);
	if (!f->irqs.is_present) {
		rs_frame_free(f);
		free(text);
		return;
	}
	char *const document = read_file(s, "expected.json", &json);
	const struct rs_text facts = must(must(json, "facts"), s->key);
	const struct rs_irq_matrix *const m = &f->irqs;
	unsigned numbered = 0;
	for (uint32_t i = 0; i < m->n_rows; i++)
		numbered += m->rows[i].is_numbered;
	ck_assert_double_eq(m->columns, number_of(facts, "cpus_in_header"));
	ck_assert_double_eq(m->cpu[0], number_of(facts, "first_cpu"));
	ck_assert_double_eq(m->cpu[m->columns - 1], number_of(facts, "last_cpu"));
	ck_assert_double_eq(m->n_rows, number_of(facts, "rows"));
	ck_assert_double_eq(numbered, number_of(facts, "numbered_rows"));
	struct rs_text devices = must(json, "netdev_regex"), label = {0}, regex;
	while (next_element(&devices, &label, &regex))
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
		if (is_there(e->d_name, "proc/interrupts.bz2"))
			(void)printf("# %s is compressed: not checked\n", e->d_name);
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

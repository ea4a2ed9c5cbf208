/* SPDX-License-Identifier: ISC */
/*
 * Which output a file is: each is known by its name, or by what it looks like.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/guess.h"
#include "diagnose/kernel.h"
#include "diagnose/outputs.h"

enum { FILES_MAX = 4096 };

/* --- how they are known --------------------------------------------------- */

/* Whether a line of the first ones begins so, or has the word. */
enum { LOOK_LINES = 40 };

static bool
has_line(struct rs_text t, const char *begin)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;

	while (lines.number < LOOK_LINES && rs_lines_next(&lines, &line)) {
		if (rs_text_starts(line, begin))
			return true;
	}
	return false;
}

static bool
has_words(struct rs_text t, const char *a, const char *b)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_words w;

	while (lines.number < LOOK_LINES && rs_lines_next(&lines, &line)) {
		rs_words_split(line, &w);
		if (rs_words_find(&w, a) >= 0 && rs_words_find(&w, b) >= 0)
			return true;
	}
	return false;
}

/* Eight digits of the kernel's %08x at the front, and many of them. */
static bool
looks_like_softnet(struct rs_text t)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line, word;
	unsigned n = 0;

	if (!rs_lines_next(&lines, &line))
		return false;
	while (rs_text_word(&line, &word)) {
		uint64_t value;
		if (rs_text_len(word) != 8 || !rs_text_hex(&word, &value) || word.p != word.end)
			return false;
		n++;
	}
	return n >= 9;
}

static bool
looks_like_lines(struct rs_text t)
{
	struct rs_buf with_header;
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	bool has_row = false;

	if (has_words(t, "CPU0", "CPU1") || has_line(t, "CPU0"))
		return !has_line(t, "NET_RX:") && !has_line(t, "HI:");
	/* Rows alone: "45:   1540180896   0   IR-PCI-MSI-edge   eth4[0]". */
	if (!rs_lines_next(&lines, &line))
		return false;
	rs_buf_init(&with_header, 1u << 20);
	has_row = rs_kernel_add_header(line, &with_header);
	rs_buf_fini(&with_header);
	return has_row;
}

/* A list of names of interrupts, one a line and nothing else. */
static bool
looks_like_names(struct rs_text t)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line, word;
	struct rs_guess g;
	unsigned n = 0;

	while (lines.number < LOOK_LINES && rs_lines_next(&lines, &line)) {
		struct rs_text rest = line;
		if (!rs_text_word(&rest, &word) || !rs_text_same(word, line) || !rs_guess(word, &g))
			return false;
		n++;
	}
	return n > 0;
}

enum { COUNTS = true, NO_COUNTS = false };

static const struct kind {
	const char *name;   /* the file's, without .txt and packing; '.' at its end: a device
			       follows; '*': anything */
	const char *line;   /* a line begins so; NULL: not that way */
	const char *words;  /* a second word on a line with `line` as a word; NULL */
	rs_output_fn *take; /* NULL: known, but nothing in it is looked at */
	bool is_counts;	    /* each line ends with a number: one without a line end may be cut */
} kinds[] = {
    {"ethtool-S.", "NIC statistics:", NULL, rs_output_stats, COUNTS},
    {"ethtool-i.", "driver: ", NULL, rs_output_driver, NO_COUNTS},
    {"ethtool-l.", "Channel parameters for", NULL, rs_output_settings, NO_COUNTS},
    {"ethtool-g.", "Ring parameters for", NULL, rs_output_settings, NO_COUNTS},
    {"ethtool-c.", "Coalesce parameters for", NULL, rs_output_settings, NO_COUNTS},
    {"ethtool-x.", "RX flow hash indirection table for", NULL, rs_output_table, NO_COUNTS},
    {"ethtool-k.", "Features for", NULL, NULL, NO_COUNTS},
    {"ethtool-a.", "Pause parameters for", NULL, NULL, NO_COUNTS},
    {"mpstat*", "%idle", "CPU", rs_output_mpstat, NO_COUNTS},
    {"mpstat*", "intr/s", "CPU", rs_output_mpstat, NO_COUNTS},
    {"turbostat*", "Bzy_MHz", "CPU", rs_output_turbostat, NO_COUNTS},
    {"sar-n-DEV*", "IFACE", "rxpck/s", rs_output_sar, NO_COUNTS},
    {"netstat-Q*", "WSID", "CPU", rs_output_netstat_q, COUNTS},
    {"top*", "%Cpu", NULL, rs_output_top, NO_COUNTS},
    {"top*", "CPU 0:", NULL, rs_output_top, NO_COUNTS},
    {"top*", "CPU0", "states:", rs_output_top, NO_COUNTS},
    {"top*", "CPU:", NULL, rs_output_top, NO_COUNTS},
    {"top*", "Cpu", NULL, rs_output_top, NO_COUNTS},
    {"top*", "PID", "COMMAND", rs_output_top, NO_COUNTS},
    {"vmstat-i*", "interrupt ", NULL, rs_output_vmstat, COUNTS},
    {"vmstat-i*", "irq", "total", rs_output_vmstat, COUNTS},
    {"sysctl-dev*", "dev.", NULL, rs_output_sysctl, COUNTS},
    {"lscpu*", "Architecture:", NULL, rs_output_lscpu, NO_COUNTS},
    {"lscpu*", "# The following is the parsable format", NULL, rs_output_lscpu, NO_COUNTS},
    {"proc-interrupts*", NULL, NULL, rs_output_interrupts, NO_COUNTS},
    {"proc-softirqs*", "NET_RX:", NULL, rs_output_softirqs, NO_COUNTS},
    {"proc-stat*", "cpu ", NULL, rs_output_stat, NO_COUNTS},
    {"proc-stat*", "cpu0 ", NULL, rs_output_stat, NO_COUNTS},
    {"proc-net-softnet_stat*", NULL, NULL, rs_output_softnet, NO_COUNTS},
    {"proc-net-dev*", "Inter-|", NULL, rs_output_net_dev, NO_COUNTS},
    {"ifconfig.", "RX packets", NULL, rs_output_ifconfig, NO_COUNTS},
    {"sys-class-net-*", NULL, NULL, rs_output_queue_folders, NO_COUNTS},
    {"sys-devices-system-cpu*", NULL, NULL, rs_output_cpu_lists, NO_COUNTS},
    {"rps_cpus*", "/sys/", NULL, rs_output_paths, NO_COUNTS},
    {"proc-irq*", "/proc/", NULL, rs_output_paths, NO_COUNTS},
    {"proc-irq*", "Interrupt ", NULL, rs_output_paths, NO_COUNTS},
};

/* Those that no word tells. */
static const struct kind other_kinds[] = {
    {NULL, NULL, NULL, rs_output_softnet, NO_COUNTS},
    {NULL, NULL, NULL, rs_output_interrupts, NO_COUNTS},
    {NULL, NULL, NULL, rs_output_names, NO_COUNTS},
};
static bool (*const others_look[])(struct rs_text t) = {
    looks_like_softnet, looks_like_lines, looks_like_names};

/* "ethtool-S.eth0.txt.gz" as "ethtool-S.eth0". */
static struct rs_text
stem_of(const char *name)
{
	static const char *const ends[] = {".gz", ".bz2", ".xz", ".txt", ".grep"};
	struct rs_text t = rs_text_of(name);

	for (size_t i = 0; i < RS_ARRAY_LEN(ends); i++) {
		const size_t len = strlen(ends[i]);
		if (rs_text_len(t) > len && memcmp(t.end - len, ends[i], len) == 0)
			t.end -= len;
	}
	return t;
}

static bool
ends_with(struct rs_text t, const char *end)
{
	const size_t len = strlen(end);

	return rs_text_len(t) > len && memcmp(t.end - len, end, len) == 0;
}

static bool
fits_name(const char *pattern, struct rs_text stem, struct rs_text *ret_device)
{
	static const char folders[] = "sys-class-net-*", tail[] = "-queues";
	const char last = pattern[strlen(pattern) - 1];
	const size_t len = strlen(pattern) - (last == '*');
	struct rs_text t = stem;

	*ret_device = (struct rs_text){t.end, t.end};
	if (rs_text_len(t) < len || memcmp(t.p, pattern, len) != 0)
		return false;
	t.p += len;
	if (last == '.') {
		*ret_device = t;
		return rs_text_len(t) > 0;
	}
	/* "sys-class-net-eth0-queues": the device is in between. */
	if (strcmp(pattern, folders) == 0) {
		*ret_device = (struct rs_text){t.p, t.end - (sizeof(tail) - 1)};
		return ends_with(t, tail);
	}
	return last == '*' || t.p == t.end;
}

/* NULL: none. */
static const struct kind *
kind_by_name(const char *name, struct rs_text *ret_device)
{
	const struct rs_text stem = stem_of(name);

	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		if (fits_name(kinds[i].name, stem, ret_device))
			return &kinds[i];
	}
	return NULL;
}

static const struct kind *
kind_by_look(struct rs_text t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		if (kinds[i].line != NULL &&
		    (kinds[i].words != NULL ? has_words(t, kinds[i].line, kinds[i].words)
					    : has_line(t, kinds[i].line)))
			return &kinds[i];
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(other_kinds); i++) {
		if (others_look[i](t))
			return &other_kinds[i];
	}
	return NULL;
}

/* "Channel parameters for eth0:" */
static struct rs_text
device_by_look(struct rs_text t, const struct kind *kind)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line, word = {t.end, t.end};

	while (kind->line != NULL && rs_lines_next(&lines, &line)) {
		if (!rs_text_skip(&line, kind->line) || !rs_text_word(&line, &word))
			continue;
		if (rs_text_len(word) > 0 && word.end[-1] == ':')
			word.end--;
		return word;
	}
	return (struct rs_text){t.end, t.end};
}

/* --- taking them ---------------------------------------------------------- */

static const char *
reason_of(int rc)
{
	switch (-rc) {
	case EOPNOTSUPP:
		return "the driver does not tell this";
	case ENOSYS:
		return "known, but nothing in it is looked at";
	case ENODATA:
		return "nothing in it could be used";
	default:
		return strerror(-rc);
	}
}

/* Without the last line when that has no end. */
static struct rs_text
whole_lines(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	const char *end = t.end;

	while (end > t.p && end[-1] != '\n')
		end--;
	if (end == t.end)
		return t;
	while (rs_lines_next(&lines, &line))
		continue;
	rs_skip(skips, lines.number, "cut off at the end of the file");
	return (struct rs_text){t.p, end};
}

/* An output as a kind of which it may be. */
static int
take(struct rs_sample *s, const struct kind *kind, const struct rs_output *o, bool is_cut)
{
	struct rs_output whole = *o;

	if (kind->take == NULL)
		return -ENOSYS;
	*o->skips = (struct rs_skips){.n = 0};
	if (is_cut || kind->is_counts)
		whole.text = whole_lines(o->text, o->skips);
	return kind->take(s, &whole);
}

static bool
notes_itself(const struct kind *kind)
{
	return kind->take == rs_output_interrupts || kind->take == rs_output_softirqs ||
	       kind->take == rs_output_stat || kind->take == rs_output_softnet ||
	       kind->take == rs_output_net_dev;
}

/* By its name, and where that promised too much, by its look. False: it is nothing
 * known. */
static bool
take_output(struct rs_sample *s, const char *name, const struct rs_text t, bool is_cut,
    const struct rs_sample_reading *r)
{
	struct rs_skips skips = {.n = 0};
	struct rs_output o = {.text = t, .name = name, .reading = r, .skips = &skips};
	const struct kind *kind = kind_by_name(name, &o.device);
	const struct kind *const look = kind_by_look(t);
	char file[RS_CAPTURE_NAME + sizeof(s->prefix)];
	int rc = -ENODATA;

	if (kind == NULL && look == NULL)
		return false;
	if (kind != NULL)
		rc = take(s, kind, &o, is_cut);
	if (rc == -ENODATA && look != NULL && (kind == NULL || look->take != kind->take)) {
		kind = look;
		if (rs_text_len(o.device) == 0)
			o.device = device_by_look(t, kind);
		rc = take(s, kind, &o, is_cut);
	}
	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, name);
	rs_problem_skips(r->problems, file, &skips);
	if (rc < 0)
		rs_problem(r->problems, file, 0, "%s", reason_of(rc));
	else if (!notes_itself(kind))
		rs_sample_note_read(s, name);
	return true;
}

bool
rs_sample_take_pasted(
    struct rs_sample *s, const char *name, struct rs_text t, const struct rs_sample_reading *r)
{
	return take_output(s, name, t, false, r);
}

struct names {
	char (*at)[RS_CAPTURE_NAME]; /* owned */
	size_t n, cap;
	size_t n_more;
};

static bool
note_name(void *arg, const char *name)
{
	struct names *const all = arg;

	if (strlen(name) >= RS_CAPTURE_NAME) {
		all->n_more++;
		return true;
	}
	char(*const one)[RS_CAPTURE_NAME] =
	    rs_list_add(&all->at, &all->n, &all->cap, sizeof(*all->at), FILES_MAX);
	if (one != NULL)
		memcpy(*one, name, strlen(name) + 1);
	else
		all->n_more++;
	return one != NULL;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* What is looked at elsewhere. */
static bool
is_known_other(const char *name)
{
	return strcmp(name, "meta.json") == 0 || strcmp(name, "proc") == 0 ||
	       strcmp(name, "sys") == 0 || (name[0] == 't' && name[1] >= '0' && name[1] <= '9');
}

static void
take_named(struct rs_sample *s, const char *name, const struct rs_sample_reading *r)
{
	char file[RS_CAPTURE_NAME + sizeof(s->prefix)];

	if (is_known_other(name))
		return;
	const int rc = rs_capture_read_one(r->root, name, r->text);
	if (rc == -EISDIR)
		return;
	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, name);
	if (rc < 0)
		rs_problem(r->problems, file, 0, "%s", rs_capture_reason(rc));
	if (rc < 0 && r->text->len == 0)
		return;
	const struct rs_text t = {r->text->data, r->text->data + r->text->len};
	if (!take_output(s, name, t, rc < 0, r))
		rs_problem(r->problems, file, 0, "not an output this program knows");
}

void
rs_sample_take_files(struct rs_sample *s, const struct rs_sample_reading *r)
{
	struct names all = {.n = 0};

	(void)rs_root_list(r->root, ".", note_name, &all);
	if (all.n > 0)
		qsort(all.at, all.n, sizeof(*all.at), compare_names);
	for (size_t i = 0; i < all.n; i++)
		take_named(s, all.at[i], r);
	if (all.n_more > 0)
		rs_problem(r->problems, s->prefix[0] != '\0' ? s->prefix : ".", 0,
		    "more files than %d, or names too long: not all are read", FILES_MAX);
	free(all.at);
}

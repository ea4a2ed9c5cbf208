/* SPDX-License-Identifier: ISC */
/*
 * Tables of names and words.
 */
#include <string.h>

#include "diagnose/guess.h"
#include "diagnose/kernel.h"
#include "diagnose/kinds.h"

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

static const struct rs_output_kind kinds[] = {
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
static const struct rs_output_kind other_kinds[] = {
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
const struct rs_output_kind *
rs_output_kind_by_name(const char *name, struct rs_text *ret_device)
{
	const struct rs_text stem = stem_of(name);

	for (size_t i = 0; i < RS_ARRAY_LEN(kinds); i++) {
		if (fits_name(kinds[i].name, stem, ret_device))
			return &kinds[i];
	}
	return NULL;
}

const struct rs_output_kind *
rs_output_kind_by_look(struct rs_text t)
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
struct rs_text
rs_output_kind_device(const struct rs_output_kind *kind, struct rs_text t)
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

/* SPDX-License-Identifier: ISC */
/*
 * The readers of pasted outputs; RS_FUZZ_IMPORT names which.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/guess.h"
#include "fuzz.h"
#include "import/ethtool_text.h"
#include "import/lscpu.h"
#include "import/netstat_q.h"
#include "import/pathlines.h"
#include "import/sar.h"
#include "import/screen.h"
#include "import/sysctl_dev.h"
#include "import/vmstat.h"

static void
require(bool is_so)
{
	if (!is_so)
		abort();
}

static bool
is_inside(struct rs_text part, struct rs_text whole)
{
	return rs_text_len(part) == 0 || (part.p >= whole.p && part.end <= whole.end);
}

static void
check_skips(const struct rs_skips *s, unsigned lines)
{
	for (unsigned i = 0; i < RS_MIN(s->n, RS_SKIPS_MAX); i++)
		require(s->at[i].line <= lines && s->at[i].why != NULL);
}

static void
check_core(const struct rs_screen_core *c)
{
	const double shares[] = {
	    c->user, c->nice, c->system, c->idle, c->iowait, c->irq, c->softirq, c->steal, c->busy};

	require(c->cpu >= RS_SCREEN_ALL && c->cpu < (int32_t)RS_CPU_MAX);
	for (size_t i = 0; i < RS_ARRAY_LEN(shares); i++)
		require(isnan(shares[i]) || (shares[i] >= 0.0 && isfinite(shares[i])));
}

static void
read_screens(int (*read)(struct rs_text t, struct rs_screens *ret, struct rs_skips *skips),
    struct rs_text t, struct rs_skips *skips)
{
	struct rs_screens s = {0};

	(void)read(t, &s, skips);
	for (size_t i = 0; i < s.n; i++) {
		for (size_t k = 0; k < s.at[i].n_cores; k++)
			check_core(&s.at[i].cores[k]);
		for (size_t k = 0; k < s.at[i].n_threads; k++) {
			const struct rs_screen_thread *const one = &s.at[i].threads[k];
			require(memchr(one->name, '\0', sizeof(one->name)) != NULL);
			require(one->load >= 0.0 && one->cpu < (int32_t)RS_CPU_MAX);
		}
	}
	rs_screens_free(&s);
}

static void
read_top(struct rs_text t, struct rs_skips *skips)
{
	read_screens(rs_import_top, t, skips);
}

static void
read_mpstat(struct rs_text t, struct rs_skips *skips)
{
	read_screens(rs_import_mpstat, t, skips);
	skips->n = RS_MIN(skips->n, RS_SKIPS_MAX);
}

static void
read_turbostat(struct rs_text t, struct rs_skips *skips)
{
	read_screens(rs_import_turbostat, t, skips);
}

static void
read_ethtool(struct rs_text t, struct rs_skips *skips)
{
	static struct rs_import_table table;
	struct rs_import_driver driver;
	struct rs_import_settings settings;

	(void)rs_import_ethtool_driver(t, &driver);
	(void)rs_import_ethtool_settings(t, &settings, skips);
	require(settings.n <= RS_IMPORT_SETTINGS_MAX);
	(void)rs_import_ethtool_table(t, &table, skips);
	require(table.n_entries <= RS_IMPORT_TABLE_MAX);
	for (uint32_t i = 0; i < table.n_entries; i++)
		require(table.queue[i] < table.n_queues);
}

static void
read_vmstat(struct rs_text t, struct rs_skips *skips)
{
	struct rs_vmstat v = {0};

	(void)rs_import_vmstat(t, &v, skips);
	for (size_t i = 0; i < v.n; i++)
		require(is_inside(v.rows[i].name, t) && is_inside(v.rows[i].device, t) &&
			is_inside(v.rows[i].suffix, t) && v.rows[i].queue >= -1);
	rs_vmstat_free(&v);
}

static void
read_netstat_q(struct rs_text t, struct rs_skips *skips)
{
	static struct rs_netisr n;

	(void)rs_import_netstat_q(t, &n, skips);
	require(n.n <= RS_NETISR_ROWS_MAX && n.workstreams >= (n.n > 0));
}

static void
read_sysctl(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_sysctl_row r;

	while (rs_import_sysctl_next(&lines, &r, skips))
		require(r.kind < RS_SYSCTL_KINDS && is_inside(r.device, t) &&
			is_inside(r.leaf, t) && is_inside(r.text, t) &&
			(r.is_number || r.value == 0));
}

static void
read_sar(struct rs_text t, struct rs_skips *skips)
{
	struct rs_sar s = {0};

	(void)rs_import_sar(t, &s, skips);
	for (size_t i = 0; i < s.n; i++)
		require(s.devices[i].n > 0 && s.devices[i].rx_pps >= 0.0);
	rs_sar_free(&s);
}

static void
read_lscpu(struct rs_text t, struct rs_skips *skips)
{
	static struct rs_cpu_info c;

	memset(&c, 0, sizeof(c));
	(void)rs_import_lscpu(t, &c, skips);
	for (unsigned i = rs_cpuset_next(&c.online, 0); c.has_groups && i < RS_CPU_MAX;
	     i = rs_cpuset_next(&c.online, i + 1))
		require(c.group[i] < RS_CPU_MAX);
}

static void
read_paths(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_path_row r;

	while (rs_import_path_next(&lines, &r, skips))
		require(is_inside(r.path, t) && is_inside(r.value, t) &&
			memchr(r.device, '\0', sizeof(r.device)) != NULL);
}

static void
read_names(struct rs_text t, struct rs_skips *skips)
{
	struct rs_lines lines = rs_lines_of(t);
	struct rs_text line;
	struct rs_guess g;

	(void)skips;
	while (rs_lines_next(&lines, &line)) {
		if (rs_guess(line, &g))
			require(is_inside(g.interface, line) && is_inside(g.device, line));
	}
}

static const struct {
	const char *name;
	void (*read)(struct rs_text t, struct rs_skips *skips);
} readers[] = {
    {"top", read_top},
    {"mpstat", read_mpstat},
    {"turbostat", read_turbostat},
    {"ethtool", read_ethtool},
    {"vmstat", read_vmstat},
    {"netstat_q", read_netstat_q},
    {"sysctl_dev", read_sysctl},
    {"sar", read_sar},
    {"lscpu", read_lscpu},
    {"paths", read_paths},
    {"names", read_names},
};

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct rs_text t = {(const char *)data, (const char *)data + size};
	struct rs_skips skips = {.n = 0};
	unsigned lines = 1;

	for (const char *p = t.p; p < t.end; p++)
		lines += *p == '\n';
	for (size_t i = 0; i < RS_ARRAY_LEN(readers); i++) {
		if (strcmp(readers[i].name, RS_FUZZ_IMPORT) == 0)
			readers[i].read(t, &skips);
	}
	check_skips(&skips, lines);
	return 0;
}

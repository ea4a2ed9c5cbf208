/* SPDX-License-Identifier: ISC */
/*
 * What is told of the machine as a whole.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/guess.h"
#include "diagnose/kernel.h"
#include "diagnose/outputs.h"
#include "import/lscpu.h"
#include "import/sysctl_dev.h"
#include "import/vmstat.h"

/* No machine has more. */
enum { ROWS_MAX = 8192 };
static const char more_rows[] = "more rows than are looked at";

int
rs_output_top(struct rs_sample *s, const struct rs_output *o)
{
	return rs_import_top(o->text, &s->screens, o->skips);
}

int
rs_output_mpstat(struct rs_sample *s, const struct rs_output *o)
{
	return rs_import_mpstat(o->text, &s->screens, o->skips);
}

int
rs_output_turbostat(struct rs_sample *s, const struct rs_output *o)
{
	return rs_import_turbostat(o->text, &s->screens, o->skips);
}

int
rs_output_sar(struct rs_sample *s, const struct rs_output *o)
{
	return rs_import_sar(o->text, &s->sar, o->skips);
}

int
rs_output_lscpu(struct rs_sample *s, const struct rs_output *o)
{
	return rs_import_lscpu(o->text, &s->cpus, o->skips);
}

int
rs_output_vmstat(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_vmstat v = {0};
	const int rc = rs_import_vmstat(o->text, &v, o->skips);

	for (size_t i = 0; i < v.n; i++) {
		if (!v.rows[i].is_nic)
			continue;
		struct rs_bsd_line *const l = rs_list_add(
		    &s->bsd_lines, &s->n_bsd_lines, &s->cap_bsd_lines, sizeof(*l), ROWS_MAX);
		if (l == NULL) {
			rs_skip(o->skips, 0, more_rows);
			break;
		}
		struct rs_text name = v.rows[i].name, irq;
		(void)rs_text_until(&name, ':', &irq);
		(void)rs_text_copy(rs_text_trim(name), l->name, sizeof(l->name));
		(void)rs_text_copy(v.rows[i].device, l->device, sizeof(l->device));
		rs_text_defuse(l->name);
		rs_text_defuse(l->device);
		l->irq = v.rows[i].irq;
		l->queue = v.rows[i].queue;
		l->is_control = v.rows[i].is_control;
		l->total = v.rows[i].total;
	}
	rs_vmstat_free(&v);
	return rc;
}

int
rs_output_netstat_q(struct rs_sample *s, const struct rs_output *o)
{
	if (s->netisr == NULL)
		s->netisr = malloc(sizeof(*s->netisr));
	if (s->netisr == NULL)
		return -ENOMEM;
	const int rc = rs_import_netstat_q(o->text, s->netisr, o->skips);
	if (rc < 0) {
		free(s->netisr);
		s->netisr = NULL;
	}
	return rc;
}

int
rs_output_sysctl(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_lines lines = rs_lines_of(o->text);
	struct rs_sysctl_row r;
	bool has_any = false;

	while (rs_import_sysctl_next(&lines, &r, o->skips)) {
		has_any = true;
		s->bsd_idle_cores += r.kind == RS_SYSCTL_CX_LOWEST && rs_text_eq(r.text, "C1");
		if (r.kind == RS_SYSCTL_OTHER || r.kind == RS_SYSCTL_CX_LOWEST)
			continue;
		struct rs_bsd_counter *const c = rs_list_add(&s->bsd_counters, &s->n_bsd_counters,
		    &s->cap_bsd_counters, sizeof(*c), ROWS_MAX);
		if (c == NULL) {
			rs_skip(o->skips, lines.number, more_rows);
			return 0;
		}
		/* "ix.0" as interfaces are called: "ix0". */
		char name[32];
		(void)rs_text_copy(r.device, name, sizeof(name));
		char *const dot = strrchr(name, '.');
		if (dot != NULL)
			memmove(dot, dot + 1, strlen(dot));
		memcpy(c->device, name, sizeof(c->device));
		(void)rs_text_copy(r.leaf, c->leaf, sizeof(c->leaf));
		rs_text_defuse(c->device);
		rs_text_defuse(c->leaf);
		c->kind = (uint8_t)r.kind;
		c->queue = r.queue;
		c->value = r.value;
	}
	return has_any ? 0 : -ENODATA;
}

int
rs_output_paths(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_lines lines = rs_lines_of(rs_sample_keep(s, o->text));
	struct rs_path_row r;
	bool has_any = false;

	while (lines.rest.p != NULL && rs_import_path_next(&lines, &r, o->skips)) {
		struct rs_path_row *const row =
		    rs_list_add(&s->paths, &s->n_paths, &s->cap_paths, sizeof(*row), ROWS_MAX);
		if (row == NULL) {
			rs_skip(o->skips, lines.number, more_rows);
			return 0;
		}
		*row = r;
		has_any = true;
	}
	return has_any ? 0 : -ENODATA;
}

/* "online: 0-1,4-7 (cores 2 and 3 offline of 8)" */
int
rs_output_cpu_lists(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_lines lines = rs_lines_of(o->text);
	struct rs_text line, name, list;
	bool has_any = false;

	while (rs_lines_next(&lines, &line)) {
		struct rs_cpuset set;
		if (!rs_text_until(&line, ':', &name) || !rs_text_word(&line, &list) ||
		    rs_cpuset_parse_list(list, &set) < 0) {
			rs_skip(o->skips, lines.number, "not a name with a list of cores");
			continue;
		}
		has_any = true;
		if (rs_text_eq(name, "online")) {
			s->cpus.online = set;
			s->cpus.has_online = true;
		} else if (rs_text_eq(name, "possible")) {
			s->cpus.possible = set;
			s->cpus.has_possible = true;
		}
	}
	return has_any ? 0 : -ENODATA;
}

int
rs_output_names(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_lines lines = rs_lines_of(o->text);
	struct rs_text line;
	struct rs_guess g;

	s->names.n = 0;
	while (rs_lines_next(&lines, &line)) {
		if (!rs_guess(line, &g)) {
			rs_skip(o->skips, lines.number, "no name of an interrupt");
			continue;
		}
		(void)rs_text_copy(line, s->names.last, sizeof(s->names.last));
		rs_text_defuse(s->names.last);
		if (s->names.n++ == 0)
			memcpy(s->names.first, s->names.last, sizeof(s->names.first));
	}
	return s->names.n > 0 ? 0 : -ENODATA;
}

/* --- the kernel's --------------------------------------------------------- */

static int
take_kernel(struct rs_sample *s, const struct rs_output *o, const char *path)
{
	const struct rs_sample_text t = {
	    .collector = rs_kernel_collector(path), .text = o->text, .name = o->name};

	rs_sample_take_text(s, &t, o->reading);
	return 0; /* if it was not, the reason is noted */
}

int
rs_output_interrupts(struct rs_sample *s, const struct rs_output *o)
{
	struct rs_sample_text t = {
	    .collector = rs_kernel_collector("proc/interrupts"), .text = o->text, .name = o->name};
	struct rs_buf with_header;
	uint32_t rows, numbered;

	rs_kernel_count_rows(o->text, &rows, &numbered);
	rs_buf_init(&with_header, (size_t)2 * RS_UNPACK_FILE_MAX);
	if (rows == 0 && rs_kernel_add_header(o->text, &with_header)) {
		t.text = (struct rs_text){with_header.data, with_header.data + with_header.len};
		t.is_headed = true;
		rs_skip(o->skips, 0, "no header: cores are numbered by their columns");
	}
	if (rows > 0 || t.is_headed)
		rs_sample_take_text(s, &t, o->reading);
	rs_buf_fini(&with_header);
	return rows > 0 || t.is_headed ? 0 : -ENODATA;
}

int
rs_output_softirqs(struct rs_sample *s, const struct rs_output *o)
{
	return take_kernel(s, o, "proc/softirqs");
}

int
rs_output_stat(struct rs_sample *s, const struct rs_output *o)
{
	return take_kernel(s, o, "proc/stat");
}

int
rs_output_softnet(struct rs_sample *s, const struct rs_output *o)
{
	return take_kernel(s, o, "proc/net/softnet_stat");
}

int
rs_output_net_dev(struct rs_sample *s, const struct rs_output *o)
{
	return take_kernel(s, o, "proc/net/dev");
}

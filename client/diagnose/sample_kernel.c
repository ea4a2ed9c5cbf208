/* SPDX-License-Identifier: ISC */
/*
 * The kernel's files of a sample: each is parsed by the collector that the daemon
 * has for it, the frame is kept in the sample and handed on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/kernel.h"
#include "diagnose/sample.h"

/* What follows the counts of an interrupt is kept up to this. */
enum { ACTIONS_MAX = 1024, NICS_MAX = 4096 };

/* --- what a frame says ---------------------------------------------------- */

static const struct {
	enum rs_metric_id metric;
	enum rs_core_count count;
} core_metrics[] = {
    {RS_M_SOFTIRQ_NET_RX, RS_COUNT_NET_RX},
    {RS_M_SOFTNET_PROCESSED, RS_COUNT_PROCESSED},
    {RS_M_SOFTNET_DROPPED, RS_COUNT_DROPPED},
    {RS_M_SOFTNET_SQUEEZED, RS_COUNT_SQUEEZED},
    {RS_M_SOFTNET_RPS, RS_COUNT_RPS},
    {RS_M_CPU_USER, RS_COUNT_USER},
    {RS_M_CPU_NICE, RS_COUNT_NICE},
    {RS_M_CPU_SYSTEM, RS_COUNT_SYSTEM},
    {RS_M_CPU_IDLE, RS_COUNT_IDLE},
    {RS_M_CPU_IOWAIT, RS_COUNT_IOWAIT},
    {RS_M_CPU_IRQ, RS_COUNT_IRQ},
    {RS_M_CPU_SOFTIRQ, RS_COUNT_SOFTIRQ},
    {RS_M_CPU_STEAL, RS_COUNT_STEAL},
};

static bool
is_softirq(uint8_t metric)
{
	return metric >= RS_M_SOFTIRQ_HI && metric <= RS_M_SOFTIRQ_RCU;
}

static void
take_core_reading(struct rs_sample *s, const struct rs_reading *r)
{
	struct rs_core_counts *const c = rs_sample_core(s, r->key);

	if (c == NULL)
		return;
	if (is_softirq(r->metric)) {
		s->has_softirqs = true;
		s->softirq_columns = RS_MAX(s->softirq_columns, r->key + 1);
		c->has_softirqs |= r->value > 0;
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(core_metrics); i++) {
		if (core_metrics[i].metric != r->metric)
			continue;
		c->at[core_metrics[i].count] = r->value;
		s->has_softnet |= core_metrics[i].count == RS_COUNT_PROCESSED;
	}
}

static const char *
name_of_key(const struct rs_frame *f, uint32_t key)
{
	for (size_t i = 0; i < f->n_nics; i++) {
		if (f->nics[i].ifindex == key)
			return f->nics[i].name;
	}
	return NULL;
}

static void
take_device_reading(struct rs_sample *s, const struct rs_frame *f, const struct rs_reading *r)
{
	const char *const name = name_of_key(f, r->key);
	struct rs_device_file *const d =
	    name != NULL ? rs_sample_device(s, rs_text_of(name)) : NULL;

	if (d == NULL)
		return;
	s->has_net_dev = true;
	d->is_up = true;
	if (r->metric == RS_M_NIC_RX_PACKETS)
		d->rx_packets = r->value;
	else if (r->metric == RS_M_NIC_RX_DROPPED)
		d->dropped = r->value;
}

static bool
copy_row(struct rs_lines_row *to, const struct rs_irq_row *from)
{
	const size_t len = RS_MIN(rs_text_len(from->rest), (size_t)ACTIONS_MAX);

	(void)rs_text_copy(from->name, to->name, sizeof(to->name));
	to->first_cell = from->first_cell;
	to->cells = from->cells;
	to->is_numbered = from->is_numbered;
	to->rest = malloc(len + 1);
	if (to->rest == NULL)
		return false;
	if (len > 0)
		memcpy(to->rest, from->rest.p, len);
	to->rest[len] = '\0';
	return true;
}

static void
take_lines(struct rs_sample *s, const struct rs_irq_matrix *m)
{
	struct rs_lines_table *const t = &s->lines;

	rs_sample_free_lines(t);
	t->cpu = malloc(RS_MAX(m->columns, 1u) * sizeof(*t->cpu));
	t->cells = malloc(RS_MAX(m->n_cells, 1u) * sizeof(*t->cells));
	t->rows = calloc(RS_MAX(m->n_rows, 1u), sizeof(*t->rows));
	if (t->cpu == NULL || t->cells == NULL || t->rows == NULL) {
		rs_sample_free_lines(t);
		return;
	}
	t->columns = m->columns;
	memcpy(t->cpu, m->cpu, m->columns * sizeof(*t->cpu));
	memcpy(t->cells, m->cells, m->n_cells * sizeof(*t->cells));
	while (t->n_rows < m->n_rows && copy_row(&t->rows[t->n_rows], &m->rows[t->n_rows]))
		t->n_rows++;
	t->is_present = true;
}

static void
take_nics(struct rs_sample *s, const struct rs_frame *f)
{
	s->n_nics = 0;
	for (size_t i = 0; i < f->n_nics; i++) {
		struct rs_nic_info *const n =
		    rs_list_add(&s->nics, &s->n_nics, &s->cap_nics, sizeof(*n), NICS_MAX);
		if (n == NULL)
			return;
		*n = f->nics[i];
	}
}

static void
take_frame(struct rs_sample *s, const struct rs_frame *f)
{
	for (size_t i = 0; i < f->n_readings; i++) {
		const struct rs_reading *const r = &f->readings[i];
		if (rs_metrics[r->metric].on == RS_ON_CPU && r->key < RS_CPU_MAX)
			take_core_reading(s, r);
		else if (rs_metrics[r->metric].on == RS_ON_NIC)
			take_device_reading(s, f, r);
	}
	if (f->irqs.is_present)
		take_lines(s, &f->irqs);
	if (f->has_cpus_seen) {
		s->has_stat = true;
		s->stat_cpus = f->cpus_seen;
	}
	if (f->cpus.is_present)
		s->cpus = f->cpus;
	/* A list by names alone is no description. */
	if (f->has_nics && f->n_nics > 0 && f->nics[0].ifindex < UINT32_C(0x80000000))
		take_nics(s, f);
}

/* --- the kernel's files --------------------------------------------------- */

/* Who is online, for rows that do not tell their core. */
static bool
find_online(const struct rs_sample *s, struct rs_cpuset *ret)
{
	if (s->has_stat) {
		*ret = s->stat_cpus;
	} else if (s->lines.is_present) {
		rs_cpuset_zero(ret);
		for (uint32_t c = 0; c < s->lines.columns; c++)
			rs_cpuset_add(ret, s->lines.cpu[c]);
	} else if (s->cpus.has_online) {
		*ret = s->cpus.online;
	} else {
		return false;
	}
	return true;
}

void
rs_sample_take_text(
    struct rs_sample *s, const struct rs_sample_text *t, const struct rs_sample_reading *r)
{
	struct rs_kernel_text text = {
	    .collector = t->collector, .text = t->text, .is_headed = t->is_headed};
	char file[RS_CAPTURE_NAME + sizeof(s->prefix)];

	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, t->name);
	text.has_online = find_online(s, &text.online);
	rs_frame_reset(r->frame, r->at_ns);
	const int rc = rs_kernel_parse(&text, r->frame, file, r->problems);
	if (rc == 0)
		take_frame(s, r->frame);
	if (strcmp(t->collector->id, "interrupts") == 0)
		rs_kernel_count_rows(t->text, &s->lines.all_rows, &s->lines.numbered_rows);
	if (strcmp(t->collector->id, "stat") == 0)
		rs_kernel_sum_of_interrupts(t->text, &s->interrupts);
	if (rc < 0)
		return;
	rs_sample_note_read(s, t->name);
	if (r->fn != NULL)
		r->fn(r->arg, r->frame);
}

static void
take_file(struct rs_sample *s, const struct rs_collector *c, const struct rs_sample_reading *r)
{
	char name[RS_CAPTURE_NAME], file[RS_CAPTURE_NAME + sizeof(s->prefix)];
	const int rc = rs_capture_read(r->root, c->paths[0], r->text, name);

	if (rc == -ENOENT)
		return;
	(void)snprintf(file, sizeof(file), "%s%s", s->prefix, name);
	if (rc < 0)
		rs_problem(r->problems, file, 0, "%s", rs_capture_reason(rc));
	if (rc < 0 && r->text->len == 0)
		return;
	const struct rs_sample_text t = {
	    .collector = c, .text = {r->text->data, r->text->data + r->text->len}, .name = name};
	rs_sample_take_text(s, &t, r);
}

/* Whether the frame says anything but that files are not there. */
static bool
has_content(const struct rs_frame *f)
{
	for (size_t i = 0; i < f->n_facts; i++) {
		if (f->facts[i].len != UINT32_MAX)
			return true;
	}
	return f->n_readings + f->n_nics + f->n_threads > 0 || f->cpus.has_online;
}

/* Sources that walk through folders. */
static void
take_active(struct rs_sample *s, const struct rs_collector *c, const struct rs_sample_reading *r)
{
	void *state;

	rs_frame_reset(r->frame, r->at_ns);
	r->frame->is_hot = true; /* look closely */
	if (c->open(r->root, &state) < 0)
		return;
	if (c->collect(state, r->frame) == 0 && !r->frame->is_out_of_memory) {
		take_frame(s, r->frame);
		if (has_content(r->frame))
			rs_sample_note_read(s, c->paths[0]);
		if (r->fn != NULL)
			r->fn(r->arg, r->frame);
	}
	c->close(state);
}

void
rs_sample_take_root(struct rs_sample *s, const struct rs_sample_reading *r)
{
	for (size_t i = 0; rs_collectors[i] != NULL; i++) {
		const struct rs_collector *const c = rs_collectors[i];
		if (!(c->where & RS_WHERE_CAPTURE))
			continue;
		if (c->parse != NULL)
			take_file(s, c, r);
		else
			take_active(s, c, r);
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * The memory of a sample.
 */
#include "diagnose/sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Texts and names of one sample. */
enum { TEXTS_MAX = 4096, DEVICES_MAX = 4096 };

void
rs_sample_init(struct rs_sample *s)
{
	memset(s, 0, sizeof(*s));
	s->interrupts = RS_COUNT_NONE;
	s->cpus.precise_irq_time = -1;
}

static void
free_texts(char **texts, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(texts[i]);
	free(texts);
}

void
rs_sample_free_lines(struct rs_lines_table *t)
{
	for (size_t i = 0; t->rows != NULL && i < t->n_rows; i++)
		free(t->rows[i].rest);
	free(t->rows);
	free(t->cells);
	free(t->cpu);
	memset(t, 0, sizeof(*t));
}

void
rs_sample_free(struct rs_sample *s)
{
	rs_sample_free_lines(&s->lines);
	for (size_t i = 0; i < s->n_devices; i++) {
		rs_stat_set_free(&s->devices[i].stats);
		free(s->devices[i].table);
	}
	free(s->cores);
	free(s->nics);
	free(s->devices);
	free(s->bsd_lines);
	free(s->bsd_counters);
	free(s->netisr);
	free(s->paths);
	rs_sar_free(&s->sar);
	rs_screens_free(&s->screens);
	free_texts(s->texts, s->n_texts);
	free_texts(s->read, s->n_read);
	rs_sample_init(s);
}

struct rs_device_file *
rs_sample_device(struct rs_sample *s, struct rs_text name)
{
	for (size_t i = 0; i < s->n_devices; i++) {
		if (rs_text_eq(name, s->devices[i].name))
			return &s->devices[i];
	}
	struct rs_device_file *const d =
	    rs_list_add(&s->devices, &s->n_devices, &s->cap_devices, sizeof(*d), DEVICES_MAX);
	if (d == NULL)
		return NULL;
	(void)rs_text_copy(name, d->name, sizeof(d->name));
	rs_text_defuse(d->name);
	d->rx_queues = d->tx_queues = -1;
	d->dropped = d->rx_packets = RS_COUNT_NONE;
	return d;
}

struct rs_core_counts *
rs_sample_core(struct rs_sample *s, unsigned cpu)
{
	while (s->n_cores <= cpu) {
		struct rs_core_counts *const c =
		    rs_list_add(&s->cores, &s->n_cores, &s->cap_cores, sizeof(*c), RS_CPU_MAX);
		if (c == NULL)
			return NULL;
		for (unsigned i = 0; i < RS_COUNTS; i++)
			c->at[i] = RS_COUNT_NONE;
	}
	return &s->cores[cpu];
}

void
rs_sample_note_read(struct rs_sample *s, const char *name)
{
	char text[RS_CAPTURE_NAME + sizeof(s->prefix)];

	(void)snprintf(text, sizeof(text), "%s%s", s->prefix, name);
	rs_text_defuse(text);
	for (size_t i = 0; i < s->n_read; i++) {
		if (strcmp(s->read[i], text) == 0)
			return;
	}
	char **const one = rs_list_add(&s->read, &s->n_read, &s->cap_read, sizeof(*one), TEXTS_MAX);
	if (one == NULL)
		return;
	*one = strdup(text);
	if (*one == NULL)
		s->n_read--;
}

static void
inherit_device(struct rs_device_file *to, struct rs_device_file *from)
{
	if (to->driver.driver[0] == '\0')
		to->driver = from->driver;
	if (to->settings.n == 0)
		to->settings = from->settings;
	if (to->table == NULL) {
		to->table = from->table;
		from->table = NULL;
	}
	if (to->rx_queues < 0) {
		to->rx_queues = from->rx_queues;
		to->tx_queues = from->tx_queues;
	}
}

void
rs_sample_inherit(struct rs_sample *last, struct rs_sample *first)
{
	if (!last->cpus.is_present && !last->cpus.has_online && !last->cpus.has_groups)
		last->cpus = first->cpus;
	if (last->n_nics == 0) {
		free(last->nics);
		last->nics = first->nics;
		last->n_nics = first->n_nics;
		last->cap_nics = first->cap_nics;
		first->nics = NULL;
		first->n_nics = first->cap_nics = 0;
	}
	for (size_t i = 0; i < first->n_devices; i++) {
		struct rs_device_file *const from = &first->devices[i];
		struct rs_device_file *const to = rs_sample_device(last, rs_text_of(from->name));
		if (to != NULL)
			inherit_device(to, from);
	}
}

struct rs_text
rs_sample_keep(struct rs_sample *s, struct rs_text t)
{
	const size_t len = rs_text_len(t);
	char **const one =
	    rs_list_add(&s->texts, &s->n_texts, &s->cap_texts, sizeof(*one), TEXTS_MAX);

	if (one == NULL)
		return (struct rs_text){0};
	*one = malloc(len + 1);
	if (*one == NULL) {
		s->n_texts--;
		return (struct rs_text){0};
	}
	memcpy(*one, t.p, len);
	(*one)[len] = '\0';
	return (struct rs_text){*one, *one + len};
}

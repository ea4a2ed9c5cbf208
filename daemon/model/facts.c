/* SPDX-License-Identifier: ISC */
/*
 * Settings: one sorted array of the last known values. A first value, and one
 * after the thing was gone, is no change.
 */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* In one tick; a machine that is set up anew has some hundreds. */
#define CHANGES_MAX 4096u
#define FACTS_MAX 262144u

static int
compare(const struct rs_fact *f, uint16_t id, uint32_t key, uint16_t queue)
{
	if (f->id != id)
		return f->id < id ? -1 : 1;
	if (f->key != key)
		return f->key < key ? -1 : 1;
	if (f->queue != queue)
		return f->queue < queue ? -1 : 1;
	return 0;
}

/* The position of the first fact that is not less. */
static size_t
lower_bound(const struct rs_fact *facts, size_t n, uint16_t id, uint32_t key, uint16_t queue)
{
	size_t low = 0, high = n;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (compare(&facts[mid], id, key, queue) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

const char *
rs_view_fact(const struct rs_view *v, enum rs_fact_id id, uint32_t key, uint16_t queue)
{
	const size_t i = lower_bound(v->facts, v->n_facts, (uint16_t)id, key, queue);
	const bool is_it = i < v->n_facts && compare(&v->facts[i], (uint16_t)id, key, queue) == 0;
	return is_it ? v->facts[i].value : NULL;
}

static void
cut(unsigned id, const char *s, char dst[static 128])
{
	const size_t most = RS_MIN(rs_fact_shown(id), (size_t)124);
	if (!rs_text_copy(rs_text_of(s), dst, 128) || strlen(dst) > RS_MAX(most, rs_fact_shown(id)))
		memcpy(dst + most, "...", 4);
	rs_text_defuse(dst);
}

/* What the setting is on, in the words of the labels. */
static void
label(const struct rs_model *m, const struct rs_fact *f, struct rs_labels *ret)
{
	const struct rs_nic_state *nic = NULL;
	*ret = rs_labels_none;
	switch (rs_facts[f->id].on) {
	case RS_ON_HOST:
		break;
	case RS_ON_CPU:
		ret->cpu = (int32_t)f->key;
		break;
	case RS_ON_IRQ:
		(void)snprintf(ret->irq, sizeof(ret->irq), "%u", f->key);
		nic = rs_irqs_nic_of(m, ret->irq, &ret->queue);
		break;
	case RS_ON_QUEUE:
		ret->queue = f->queue;
		nic = rs_nic_find(m, f->key);
		break;
	case RS_ON_NIC:
		nic = rs_nic_find(m, f->key);
		break;
	}
	if (nic)
		(void)rs_text_copy(rs_text_of(nic->info.name), ret->device, sizeof(ret->device));
}

/* Lines of disks and timers move as well, with irqbalance each ten seconds: of
 * the log of a router only those are part that network devices have. */
static bool
is_told(const struct rs_fact *f, const struct rs_labels *labels)
{
	return rs_facts[f->id].on != RS_ON_IRQ || *labels->device;
}

static void
note_change(struct rs_model *m, const struct rs_fact *f, const char *new)
{
	struct rs_labels labels;
	label(m, f, &labels);
	if (!is_told(f, &labels))
		return;
	if (m->n_changes == CHANGES_MAX || rs_model_grow((void **)&m->changes, &m->cap_changes,
					       m->n_changes + 1, sizeof(*m->changes)) < 0) {
		m->stats.changes_lost++;
		return;
	}
	struct rs_change *const c = &m->changes[m->n_changes++];
	memset(c, 0, sizeof(*c));
	c->id = m->next_change_id++;
	c->at_ms = m->now.wall_ms;
	c->at_boot_ms = m->now.boot_ns / RS_NS_PER_MS;
	c->fact = f->id;
	c->labels = labels;
	cut(f->id, f->value, c->old);
	cut(f->id, new, c->new);
}

static void
forget_at(struct rs_model *m, size_t i)
{
	free(m->fact_values[i]);
	memmove(&m->facts[i], &m->facts[i + 1], (m->n_facts - i - 1) * sizeof(*m->facts));
	memmove(&m->fact_values[i], &m->fact_values[i + 1],
	    (m->n_facts - i - 1) * sizeof(*m->fact_values));
	m->n_facts--;
}

static void
insert_at(struct rs_model *m, size_t i, const struct rs_fact *f, char *take)
{
	if (m->n_facts == FACTS_MAX ||
	    rs_model_grow((void **)&m->facts, &m->cap_facts, m->n_facts + 1, sizeof(*m->facts)) <
		0 ||
	    rs_model_grow((void **)&m->fact_values, &m->cap_fact_values, m->n_facts + 1,
		sizeof(*m->fact_values)) < 0) {
		free(take);
		return;
	}
	memmove(&m->facts[i + 1], &m->facts[i], (m->n_facts - i) * sizeof(*m->facts));
	memmove(
	    &m->fact_values[i + 1], &m->fact_values[i], (m->n_facts - i) * sizeof(*m->fact_values));
	m->n_facts++;
	m->facts[i] = *f;
	m->facts[i].value = m->fact_values[i] = take;
}

static bool
is_value(const char *value, struct rs_text t)
{
	const size_t len = rs_text_len(t);
	return strlen(value) == len && memcmp(value, t.p, len) == 0;
}

void
rs_fact_set(
    struct rs_model *m, enum rs_fact_id id, uint32_t key, uint16_t queue, struct rs_text value)
{
	const struct rs_fact f = {.id = (uint16_t)id, .queue = queue, .key = key};
	const size_t i = lower_bound(m->facts, m->n_facts, f.id, key, queue);
	const bool is_known = i < m->n_facts && compare(&m->facts[i], f.id, key, queue) == 0;
	if (is_known && value.p && is_value(m->facts[i].value, value))
		return;
	if (!value.p) {
		if (is_known)
			forget_at(m, i);
		return;
	}
	char *const copy = rs_model_copy_text(value);
	if (!copy)
		return;
	if (!is_known) {
		insert_at(m, i, &f, copy);
		return;
	}
	note_change(m, &m->facts[i], copy);
	free(m->fact_values[i]);
	m->facts[i].value = m->fact_values[i] = copy;
}

void
rs_facts_apply(struct rs_model *m, const struct rs_frame *f)
{
	static const struct rs_text gone = {NULL, NULL}, empty = {"", ""};
	for (size_t i = 0; i < f->n_facts; i++) {
		const struct rs_fact_reading *const r = &f->facts[i];
		struct rs_text value = r->len == UINT32_MAX ? gone : empty;
		/* Without a value there need not be any words. */
		if (r->len > 0 && r->len < UINT32_MAX)
			value = (struct rs_text){f->words + r->at, f->words + r->at + r->len};
		rs_fact_set(m, (enum rs_fact_id)r->id, r->key, r->queue, value);
	}
}

void
rs_facts_forget(struct rs_model *m, enum rs_on on, uint32_t key)
{
	/* In one pass: where many interfaces leave at once there are many settings. */
	size_t kept = 0;
	for (size_t i = 0; i < m->n_facts; i++) {
		if (m->facts[i].key == key && rs_facts[m->facts[i].id].on == on) {
			free(m->fact_values[i]);
			continue;
		}
		if (kept != i) {
			m->facts[kept] = m->facts[i];
			m->fact_values[kept] = m->fact_values[i];
		}
		kept++;
	}
	m->n_facts = kept;
}

void
rs_facts_fini(struct rs_model *m)
{
	for (size_t i = 0; i < m->n_facts; i++)
		free(m->fact_values[i]);
	free(m->facts);
	free(m->fact_values);
	free(m->changes);
}

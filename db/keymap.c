/* SPDX-License-Identifier: ISC */
/*
 * An open-addressing table over an array of keys, never more than half full.
 * Any thread, each with its own object.
 */
#include "keymap.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_KEYS = 32 };

static uint32_t
hash_bytes(uint32_t h, const char *p, size_t len)
{
	for (size_t i = 0; i < len; i++)
		h = (h ^ (uint8_t)p[i]) * UINT32_C(16777619);
	return h;
}

static uint32_t
hash_number(uint32_t h, uint32_t v)
{
	h = (h ^ v) * UINT32_C(0x9e3779b1);
	return h ^ h >> 15;
}

static uint32_t
hash_key(uint16_t metric, const struct rs_labels *l)
{
	uint32_t h = hash_number(UINT32_C(2166136261), metric);

	h = hash_number(h, (uint32_t)l->cpu);
	h = hash_number(h, (uint32_t)l->queue);
	h = hash_bytes(h, l->device, strlen(l->device));
	h = hash_bytes(h, l->irq, strlen(l->irq));
	return h ^ h >> 16;
}

void
rs_keymap_fini(struct rs_keymap *m)
{
	free(m->keys);
	free(m->slots);
	*m = (struct rs_keymap){0};
}

/* The slot of the key, or the free one it would go to. */
static uint32_t
probe(const struct rs_keymap *m, uint16_t metric, const struct rs_labels *labels)
{
	uint32_t at = hash_key(metric, labels) & (m->n_slots - 1);

	while (m->slots[at] != 0) {
		const struct rs_key *const k = &m->keys[m->slots[at] - 1];

		if (k->metric == metric && rs_labels_same(&k->labels, labels))
			break;
		at = (at + 1) & (m->n_slots - 1);
	}
	return at;
}

uint32_t
rs_keymap_find(const struct rs_keymap *m, uint16_t metric, const struct rs_labels *labels)
{
	if (m->n_slots == 0)
		return RS_KEY_NONE;
	const uint32_t slot = m->slots[probe(m, metric, labels)];
	return slot == 0 ? RS_KEY_NONE : slot - 1;
}

static int
grow(struct rs_keymap *m)
{
	const uint32_t cap = m->cap == 0 ? FIRST_KEYS : m->cap * 2;

	if (cap > UINT32_MAX / 4)
		return -ENOMEM;
	struct rs_key *const keys = realloc(m->keys, cap * sizeof(*keys));
	if (keys == NULL)
		return -ENOMEM;
	m->keys = keys;
	uint32_t *const slots = calloc((size_t)cap * 2, sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	free(m->slots);
	m->slots = slots;
	m->n_slots = cap * 2;
	m->cap = cap;
	for (uint32_t i = 0; i < m->n; i++)
		m->slots[probe(m, keys[i].metric, &keys[i].labels)] = i + 1;
	return 0;
}

int
rs_keymap_put(struct rs_keymap *m, uint16_t metric, const struct rs_labels *labels, uint32_t *ret)
{
	if (m->n == m->cap) {
		const int r = grow(m);

		if (r < 0)
			return r;
	}
	const uint32_t at = probe(m, metric, labels);
	if (m->slots[at] == 0) {
		m->keys[m->n] = (struct rs_key){.metric = metric, .labels = *labels};
		m->slots[at] = ++m->n;
	}
	*ret = m->slots[at] - 1;
	return 0;
}

int
rs_key_compare(const struct rs_key *a, const struct rs_key *b)
{
	if (a->metric != b->metric)
		return a->metric < b->metric ? -1 : 1;
	if (a->labels.cpu != b->labels.cpu)
		return a->labels.cpu < b->labels.cpu ? -1 : 1;
	if (a->labels.queue != b->labels.queue)
		return a->labels.queue < b->labels.queue ? -1 : 1;
	const int r = strcmp(a->labels.device, b->labels.device);
	return r != 0 ? r : strcmp(a->labels.irq, b->labels.irq);
}

/* SPDX-License-Identifier: ISC */
/*
 * Interfaces: known by ifindex, so that a rename keeps the counters and only
 * changes the label.
 */
#include "state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Position of the first interface with an index >= ifindex. */
static size_t
lower_bound(const struct rs_model *m, uint32_t ifindex)
{
	size_t low = 0, high = m->n_nics;
	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (m->nics[mid].info.ifindex < ifindex)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct rs_nic_state *
rs_nic_find(const struct rs_model *m, uint32_t ifindex)
{
	const size_t i = lower_bound(m, ifindex);
	return i < m->n_nics && m->nics[i].info.ifindex == ifindex ? &m->nics[i] : NULL;
}

static void
end_nic(struct rs_model *m, struct rs_nic_state *n)
{
	rs_slots_end(m, n->slot, RS_ON_NIC);
	free(n->slot);
	n->slot = NULL;
	rs_queues_end(m, n);
	rs_facts_forget(m, RS_ON_NIC, n->info.ifindex);
	rs_facts_forget(m, RS_ON_QUEUE, n->info.ifindex);
}

/* Whether an interrupt line can be the interface's: those of containers come and
 * go, and mapping all lines for each would be dear. */
static bool
may_have_lines(const struct rs_model *m, const struct rs_nic_info *info)
{
	bool has_devices = false;
	if (info->device[0])
		return true;
	for (size_t i = 0; i < m->n_nics; i++)
		has_devices |= m->nics[i].info.device[0] != '\0';
	for (size_t i = 0; i < m->n_queue_napis; i++) {
		if (m->queue_napis[i].ifindex == info->ifindex)
			return true;
	}
	return !has_devices;
}

static void
remove_at(struct rs_model *m, size_t i)
{
	m->nics_changed |= may_have_lines(m, &m->nics[i].info);
	end_nic(m, &m->nics[i]);
	memmove(&m->nics[i], &m->nics[i + 1], (m->n_nics - i - 1) * sizeof(*m->nics));
	m->n_nics--;
}

static void
put_word(struct rs_model *m, enum rs_fact_id id, uint32_t ifindex, const char *word)
{
	if (word && *word)
		rs_fact_set(m, id, ifindex, RS_NO_QUEUE, rs_text_of(word));
}

static void
put_number(struct rs_model *m, enum rs_fact_id id, uint32_t ifindex, int64_t value)
{
	char text[24];
	if (value < 0)
		return;
	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	put_word(m, id, ifindex, text);
}

/* What a description says that is a setting too. Unknown leaves the last value:
 * a link that is down has no speed, and has it again when it comes back. */
static void
put_facts(struct rs_model *m, const struct rs_nic_info *i)
{
	if (i->ifindex >= UINT32_C(0x80000000))
		return;
	put_word(m, RS_F_DRIVER, i->ifindex, i->driver);
	put_word(m, RS_F_CARRIER, i->ifindex, i->is_up < 0 ? NULL : i->is_up ? "up" : "down");
	put_number(m, RS_F_SPEED, i->ifindex, i->speed_bps < 0 ? -1 : i->speed_bps / 1000000);
	put_word(m, RS_F_DUPLEX, i->ifindex, i->duplex < 0 ? NULL : i->duplex ? "full" : "half");
	put_number(m, RS_F_MTU, i->ifindex, i->mtu);
	put_number(m, RS_F_RX_QUEUES, i->ifindex, i->rx_queues);
	put_number(m, RS_F_TX_QUEUES, i->ifindex, i->tx_queues);
}

static struct rs_nic_state *
insert(struct rs_model *m, const struct rs_nic_info *info)
{
	if (rs_model_grow((void **)&m->nics, &m->cap_nics, m->n_nics + 1, sizeof(*m->nics)) < 0)
		return NULL;
	const size_t i = lower_bound(m, info->ifindex);
	memmove(&m->nics[i + 1], &m->nics[i], (m->n_nics - i) * sizeof(*m->nics));
	struct rs_nic_state *const n = &m->nics[i];
	memset(n, 0, sizeof(*n));
	n->slot = rs_slots_new(m, RS_ON_NIC);
	m->n_nics++;
	m->nics_changed |= may_have_lines(m, info);
	if (!n->slot) {
		remove_at(m, i);
		return NULL;
	}
	n->info = *info;
	put_facts(m, &n->info);
	return n;
}

/* The same counters under another label: new series that go on from the last
 * reading. */
static void
relabel(struct rs_model *m, uint32_t *slots, enum rs_on on, const struct rs_labels *labels)
{
	for (unsigned i = 0; slots && i < m->n_local[on]; i++) {
		const uint32_t old = slots[i];
		if (old == RS_NO_SLOT)
			continue;
		const struct rs_series before = m->series[old];
		rs_series_end(m, old);
		slots[i] = rs_series_new(m, (enum rs_metric_id)before.metric, labels);
		if (slots[i] == RS_NO_SLOT)
			continue;
		struct rs_series *const s = &m->series[slots[i]];
		s->has_prev = before.has_prev;
		s->prev_raw = before.prev_raw;
		s->prev_ns = before.prev_ns;
		s->prev_tick = before.prev_tick;
		s->last_rate_raw_ps = before.last_rate_raw_ps;
		s->pace_s = before.pace_s;
		s->held = before.held;
		s->held_ticks = before.held_ticks;
		s->held_now = before.held_now;
		/* What this tick was given of it already. */
		s->has_stored = before.has_stored;
		s->stored = before.stored;
		s->now = before.now;
	}
}

static void
rename_series(struct rs_model *m, struct rs_nic_state *n)
{
	struct rs_labels labels = rs_labels_none;
	(void)rs_text_copy(rs_text_of(n->info.name), labels.device, sizeof(labels.device));
	relabel(m, n->slot, RS_ON_NIC, &labels);
	for (uint32_t i = 0; i < n->n_queues; i++) {
		labels.queue = (int32_t)i;
		relabel(m, n->queues[i].slot, RS_ON_QUEUE, &labels);
	}
}

static void
update(struct rs_model *m, struct rs_nic_state *n, const struct rs_nic_info *info)
{
	const bool is_renamed = strcmp(n->info.name, info->name) != 0;
	if (is_renamed || strcmp(n->info.device, info->device) != 0 ||
	    n->info.n_irqs != info->n_irqs ||
	    memcmp(n->info.irqs, info->irqs, info->n_irqs * sizeof(info->irqs[0])) != 0)
		m->nics_changed = true;
	n->info = *info;
	if (is_renamed)
		rename_series(m, n);
	put_facts(m, &n->info);
}

static bool
is_listed(const struct rs_frame *f, uint32_t ifindex)
{
	for (size_t i = 0; i < f->n_nics; i++) {
		if (f->nics[i].ifindex == ifindex)
			return true;
	}
	return false;
}

/* /proc/net/dev names interfaces without index: where sysfs described the same
 * name already, that one is meant. */
static struct rs_nic_state *
by_name(const struct rs_model *m, const char *name)
{
	for (size_t i = 0; i < m->n_nics; i++) {
		if (strcmp(m->nics[i].info.name, name) == 0)
			return &m->nics[i];
	}
	return NULL;
}

static bool
has_only_names(const struct rs_frame *f)
{
	return f->n_nics > 0 && f->nics[0].ifindex >= UINT32_C(0x80000000);
}

void
rs_nics_apply(struct rs_model *m, const struct rs_frame *f)
{
	if (!f->has_nics)
		return;
	const bool is_by_name = has_only_names(f);
	for (size_t i = 0; i < f->n_nics; i++) {
		const struct rs_nic_info *const info = &f->nics[i];
		struct rs_nic_state *const n = rs_nic_find(m, info->ifindex);
		if (n)
			update(m, n, info);
		else if (!is_by_name || !by_name(m, info->name))
			(void)insert(m, info);
	}
	for (size_t i = m->n_nics; !is_by_name && i-- > 0;) {
		/* What a list by name added stays its own. */
		if (m->nics[i].info.ifindex < UINT32_C(0x80000000) &&
		    !is_listed(f, m->nics[i].info.ifindex))
			remove_at(m, i);
	}
	m->wants_nics = false;
}

static struct rs_nic_state *
nic_of_key(const struct rs_model *m, const struct rs_frame *f, uint32_t key)
{
	struct rs_nic_state *const n = rs_nic_find(m, key);
	if (n || key < UINT32_C(0x80000000))
		return n;
	for (size_t i = 0; i < f->n_nics; i++) {
		if (f->nics[i].ifindex == key)
			return by_name(m, f->nics[i].name);
	}
	return NULL;
}

void
rs_nics_read(struct rs_model *m, const struct rs_frame *f, const struct rs_reading *r)
{
	struct rs_nic_state *const n = nic_of_key(m, f, r->key);
	/* The others come from sources that do not list all interfaces. */
	const bool is_of_list = r->metric <= RS_M_NIC_COLLISIONS;
	m->nics_counted |= is_of_list;
	if (!n) {
		m->wants_nics |= is_of_list;
		return;
	}
	n->was_seen_in_counters |= is_of_list;
	n->has_counters |= is_of_list;
	struct rs_labels labels = rs_labels_none;
	(void)rs_text_copy(rs_text_of(n->info.name), labels.device, sizeof(labels.device));
	rs_series_read_paced(m, rs_series_slot(m, n->slot, (enum rs_metric_id)r->metric, &labels),
	    r->value, f->at_ns, r->pace_s);
}

/* An interface that the counters no longer list is gone, even if the slower
 * descriptions have not noticed yet. */
void
rs_nics_sweep(struct rs_model *m)
{
	for (size_t i = m->n_nics; i-- > 0;) {
		struct rs_nic_state *const n = &m->nics[i];
		if (m->nics_counted && n->has_counters && !n->was_seen_in_counters)
			remove_at(m, i);
		else
			n->was_seen_in_counters = false;
	}
	m->nics_counted = false;
}

void
rs_nics_fini(struct rs_model *m)
{
	for (size_t i = 0; i < m->n_nics; i++) {
		free(m->nics[i].slot);
		for (uint32_t k = 0; k < m->nics[i].n_queues; k++)
			free(m->nics[i].queues[k].slot);
		free(m->nics[i].queues);
	}
	free(m->nics);
	free(m->infos);
}

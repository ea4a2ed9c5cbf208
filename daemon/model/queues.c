/* SPDX-License-Identifier: ISC */
/*
 * Queues of an interface: their counters, and the interrupt lines they are
 * served by. A queue that its driver no longer lists ends.
 */
#include "state.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Far more than any device has (struct ethtool_channels of the largest: 1024). */
#define QUEUES_MAX 4096u

static struct rs_queue_state *
get(struct rs_nic_state *n, uint32_t queue)
{
	if (queue >= QUEUES_MAX)
		return NULL;
	const size_t before = n->cap_queues;
	if (rs_model_grow(
		(void **)&n->queues, &n->cap_queues, (size_t)queue + 1, sizeof(*n->queues)) < 0)
		return NULL;
	for (size_t i = before; i < n->cap_queues; i++)
		n->queues[i].line[0] = n->queues[i].line[1] = RS_NO_SLOT;
	n->n_queues = RS_MAX(n->n_queues, queue + 1);
	return &n->queues[queue];
}

void
rs_queues_read(struct rs_model *m, const struct rs_reading *r, rs_ns at_ns)
{
	struct rs_nic_state *const n = rs_nic_find(m, r->key);
	struct rs_queue_state *const q = n ? get(n, r->queue) : NULL;
	if (!q)
		return;
	if (!q->slot)
		q->slot = rs_slots_new(m, RS_ON_QUEUE);
	if (!q->slot)
		return;
	struct rs_labels labels = rs_labels_none;
	labels.queue = r->queue;
	(void)rs_text_copy(rs_text_of(n->info.name), labels.device, sizeof(labels.device));
	q->seen_tick = m->tick;
	rs_series_read_paced(m, rs_series_slot(m, q->slot, (enum rs_metric_id)r->metric, &labels),
	    r->value, at_ns, r->pace_s);
}

static void
end_queue(struct rs_model *m, struct rs_queue_state *q)
{
	rs_slots_end(m, q->slot, RS_ON_QUEUE);
	free(q->slot);
	q->slot = NULL;
}

/* After the readings of the frame. */
void
rs_queues_apply(struct rs_model *m, const struct rs_frame *f)
{
	for (size_t i = 0; i < f->n_origins; i++) {
		struct rs_nic_state *const n = rs_nic_find(m, f->origins[i].ifindex);
		if (!n)
			continue;
		n->origin = f->origins[i];
		for (uint32_t k = 0; k < n->n_queues; k++) {
			if (n->queues[k].slot && n->queues[k].seen_tick != m->tick)
				end_queue(m, &n->queues[k]);
		}
	}
}

void
rs_queues_end(struct rs_model *m, struct rs_nic_state *n)
{
	for (uint32_t i = 0; i < n->n_queues; i++)
		end_queue(m, &n->queues[i]);
	free(n->queues);
	n->queues = NULL;
	n->n_queues = 0;
	n->cap_queues = 0;
}

static uint32_t
count_of(const struct rs_nic_state *n, bool is_tx)
{
	const int32_t told = is_tx ? n->info.tx_queues : n->info.rx_queues;
	return told > 0 ? RS_MIN((uint32_t)told, QUEUES_MAX) : 0;
}

void
rs_queues_unmap(struct rs_model *m)
{
	for (size_t i = 0; i < m->n_nics; i++) {
		for (uint32_t k = 0; k < m->nics[i].n_queues; k++) {
			struct rs_queue_state *const q = &m->nics[i].queues[k];
			q->line[0] = q->line[1] = RS_NO_SLOT;
			q->has_napi[0] = q->has_napi[1] = false;
		}
	}
}

static void
map_way(struct rs_nic_state *n, int32_t queue, bool is_tx, uint32_t line)
{
	/* A device with one queue need not number it. */
	if (queue < 0 && count_of(n, is_tx) == 1)
		queue = 0;
	struct rs_queue_state *const q = queue >= 0 ? get(n, (uint32_t)queue) : NULL;
	if (q && q->line[is_tx] == RS_NO_SLOT)
		q->line[is_tx] = line;
}

void
rs_queues_map(struct rs_model *m, const struct rs_irq_feed *f, uint32_t line)
{
	struct rs_nic_state *const n = rs_nic_find(m, f->ifindex);
	if (!n || f->role != RS_IRQ_QUEUE)
		return;
	/* A line that does not tell serves both. */
	const bool is_both = !f->is_rx && !f->is_tx;
	if (f->is_rx || is_both)
		map_way(n, f->queue, false, line);
	if (f->is_tx || is_both)
		map_way(n, f->queue, true, line);
}

void
rs_queues_set_napi(struct rs_model *m, const struct rs_queue_napi *q)
{
	struct rs_nic_state *const n = rs_nic_find(m, q->ifindex);
	struct rs_queue_state *const s = n ? get(n, q->queue) : NULL;
	if (!s)
		return;
	s->napi[q->is_tx] = q->napi_id;
	s->has_napi[q->is_tx] = true;
}

/* Whether the queue has a counter of the direction. */
static bool
has_counter(const struct rs_model *m, const struct rs_queue_state *q, bool is_tx)
{
	static const enum rs_metric_id of[2][3] = {
	    {RS_M_QUEUE_RX_PACKETS, RS_M_QUEUE_RX_BYTES, RS_M_QUEUE_RX_DROPS},
	    {RS_M_QUEUE_TX_PACKETS, RS_M_QUEUE_TX_BYTES, RS_M_QUEUE_TX_DROPS}};
	for (size_t i = 0; q->slot && i < 3; i++) {
		if (q->slot[m->local_index[of[is_tx][i]]] != RS_NO_SLOT)
			return true;
	}
	return false;
}

/* A line alone makes a queue only where their number is not told: virtio keeps
 * the lines of queues that are out of use. */
static uint32_t
shown_of(const struct rs_model *m, const struct rs_nic_state *n, bool is_tx)
{
	const bool is_told = (is_tx ? n->info.tx_queues : n->info.rx_queues) >= 0;
	uint32_t count = count_of(n, is_tx);
	for (uint32_t k = count; k < n->n_queues; k++) {
		const struct rs_queue_state *const q = &n->queues[k];
		if (has_counter(m, q, is_tx) || (!is_told && q->line[is_tx] != RS_NO_SLOT))
			count = k + 1;
	}
	return count;
}

static void
build_one(const struct rs_model *m, const struct rs_nic_state *n, uint32_t k, bool is_tx,
    struct rs_queue_view *v)
{
	const struct rs_queue_state *const q = k < n->n_queues ? &n->queues[k] : NULL;
	const uint32_t *const slot = q ? q->slot : NULL;
	const uint32_t line = q ? q->line[is_tx] : RS_NO_SLOT;
	memset(v, 0, sizeof(*v));
	v->ifindex = n->info.ifindex;
	v->queue = (uint16_t)k;
	v->is_tx = is_tx;
	v->pps = rs_series_now(m, slot, is_tx ? RS_M_QUEUE_TX_PACKETS : RS_M_QUEUE_RX_PACKETS);
	v->bps = 8.0 * rs_series_now(m, slot, is_tx ? RS_M_QUEUE_TX_BYTES : RS_M_QUEUE_RX_BYTES);
	v->drops_pps = rs_series_now(m, slot, is_tx ? RS_M_QUEUE_TX_DROPS : RS_M_QUEUE_RX_DROPS);
	v->share = NAN;
	v->source = n->origin.source;
	v->napi = q && q->has_napi[is_tx] ? q->napi[is_tx] : 0;
	if (line != RS_NO_SLOT && line < m->view.n_irqs)
		v->line = &m->view.irqs[line];
}

static void
fill_shares(struct rs_queue_view *v, uint32_t n)
{
	double sum = 0;
	for (uint32_t i = 0; i < n; i++)
		sum += isnan(v[i].pps) ? 0 : v[i].pps;
	for (uint32_t i = 0; sum > 0 && i < n; i++)
		v[i].share = v[i].pps / sum;
}

void
rs_queues_view(struct rs_model *m)
{
	/* Fewer than the interfaces when memory is short. */
	const size_t n_nics = m->view.n_nics;
	size_t n = 0;
	for (size_t i = 0; i < n_nics; i++) {
		if (!m->nics[i].info.is_loopback)
			n += shown_of(m, &m->nics[i], false) + shown_of(m, &m->nics[i], true);
	}
	if (rs_model_grow(
		(void **)&m->queue_views, &m->cap_queue_views, n, sizeof(*m->queue_views)) < 0)
		n = 0;
	size_t at = 0;
	for (size_t i = 0; n > 0 && i < n_nics; i++) {
		const struct rs_nic_state *const nic = &m->nics[i];
		m->nic_views[i].first_queue = (uint32_t)at;
		m->nic_views[i].n_queues = 0;
		for (int is_tx = 0; !nic->info.is_loopback && is_tx < 2; is_tx++) {
			const uint32_t shown = shown_of(m, nic, is_tx);
			for (uint32_t k = 0; k < shown; k++)
				build_one(m, nic, k, is_tx, &m->queue_views[at + k]);
			fill_shares(&m->queue_views[at], shown);
			at += shown;
			m->nic_views[i].n_queues += shown;
		}
	}
	m->view.queues = m->queue_views;
	m->view.n_queues = at;
}

/* SPDX-License-Identifier: ISC */
/*
 * The tick: begin, apply what was read, build the view, end; and the pool of
 * minute blocks.
 */
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static int
grow(void **array, size_t *cap, size_t need, size_t size, bool is_zeroed)
{
	if (need <= *cap)
		return 0;
	const size_t want = need + need / 4 + 8;
	char *const p = realloc(*array, want * size);
	if (!p)
		return -ENOMEM;
	if (is_zeroed)
		memset(p + *cap * size, 0, (want - *cap) * size);
	*array = p;
	*cap = want;
	return 0;
}

int
rs_model_grow(void **array, size_t *cap, size_t need, size_t size)
{
	return grow(array, cap, need, size, true);
}

int
rs_model_grow_raw(void **array, size_t *cap, size_t need, size_t size)
{
	return grow(array, cap, need, size, false);
}

/* Columns so many that each tick of a block begins a page: the few that are used
 * then touch one page a tick, not two. */
static uint32_t
whole_pages(uint32_t columns)
{
	const uint32_t a_page = 4096 / sizeof(int64_t);
	return (columns + a_page - 1) / a_page * a_page;
}

int
rs_model_new(const struct rs_model_conf *c, struct rs_model **ret)
{
	if (c->n_blocks < 3 || c->interval_ns <= 0 || c->max_series == 0)
		return -EINVAL;
	struct rs_model *const m = calloc(1, sizeof(*m));
	if (!m)
		return -ENOMEM;
	m->conf = *c;
	m->cpus.precise_irq_time = -1;
	m->stats.series_max = c->max_series;
	m->next_change_id = 1;
	m->stored_until_ms = -1;
	int rc = rs_series_init(m);
	m->blocks = calloc(c->n_blocks, sizeof(struct rs_block *));
	if (!m->blocks)
		rc = -ENOMEM;
	for (unsigned i = 0; rc == 0 && i < c->n_blocks; i++)
		rc = rs_block_new(
		    whole_pages(c->max_series), RS_MIN(c->interval_ns, RS_BLOCK_NS), &m->blocks[i]);
	if (rc < 0) {
		rs_model_free(m);
		return rc;
	}
	*ret = m;
	return 0;
}

void
rs_model_free(struct rs_model *m)
{
	if (!m)
		return;
	rs_irqs_fini(m);
	rs_threads_fini(m);
	rs_facts_fini(m);
	rs_flows_fini(m);
	rs_nics_fini(m);
	rs_cores_fini(m);
	rs_series_fini(m);
	for (unsigned i = 0; m->blocks && i < m->conf.n_blocks; i++)
		rs_block_free(m->blocks[i]);
	free(m->blocks);
	free(m->core_views);
	free(m->nic_views);
	free(m->irq_views);
	free(m->queue_views);
	free(m);
}

void
rs_model_set_reserved(struct rs_model *m, const struct rs_cpuset *reserved)
{
	m->conf.reserved = *reserved;
}

const struct rs_cpuset *
rs_model_reserved(const struct rs_model *m)
{
	return &m->conf.reserved;
}

bool
rs_model_wants_interfaces(const struct rs_model *m)
{
	return m->wants_nics;
}

rs_ns
rs_model_due_boot(const struct rs_model *m)
{
	return m->now.due_ns + m->boot_offset_ns;
}

void
rs_model_begin(struct rs_model *m, const struct rs_model_time *t)
{
	m->before = m->now;
	m->has_before = m->tick > 0;
	m->now = *t;
	/* The clocks are read one after the other: less than a millisecond is no
	 * suspend, and must not carry a tick over the edge of its slot. */
	const rs_ns offset = t->boot_ns - t->mono_ns;
	if (offset < m->boot_offset_ns || offset - m->boot_offset_ns > RS_NS_PER_MS)
		m->boot_offset_ns = offset;
	m->tick++;
	m->missing = NULL;
	m->n_changes = 0;
	m->irqs_applied = false;
	rs_series_begin(m);
	const rs_ns since = t->mono_ns - m->before.mono_ns;
	if (m->has_before && (double)since > 2.5 * (double)m->conf.interval_ns)
		m->stats.gaps++;
}

static void
apply_reading(struct rs_model *m, const struct rs_frame *f, const struct rs_reading *r)
{
	switch (rs_metrics[r->metric].on) {
	case RS_ON_CPU:
		rs_cores_read(m, f, r);
		return;
	case RS_ON_NIC:
		rs_nics_read(m, f, r);
		return;
	case RS_ON_HOST:
		rs_series_read_paced(m,
		    rs_series_slot(m, m->host_slot, (enum rs_metric_id)r->metric, &rs_labels_none),
		    r->value, f->at_ns, r->pace_s);
		return;
	case RS_ON_QUEUE:
		rs_queues_read(m, r, f->at_ns);
		return;
	case RS_ON_IRQ:
		return; /* comes as a matrix */
	}
}

void
rs_model_apply(struct rs_model *m, const struct rs_frame *f)
{
	rs_cores_apply(m, f);
	rs_nics_apply(m, f);
	for (size_t i = 0; i < f->n_readings; i++)
		apply_reading(m, f, &f->readings[i]);
	rs_queues_apply(m, f);
	rs_napis_apply(m, f);
	rs_irqs_apply(m, f);
	rs_irqs_take_unhandled(m, f);
	rs_threads_apply(m, f);
	rs_facts_apply(m, f);
	rs_flows_apply(m, f);
}

void
rs_model_missing(struct rs_model *m, const char *source)
{
	if (!m->missing)
		m->missing = source;
}

void
rs_model_build_view(struct rs_model *m)
{
	rs_nics_sweep(m);
	if (m->nics_changed)
		rs_irqs_map(m);
	rs_view_build(m);
}

struct rs_view *
rs_model_view_rw(struct rs_model *m)
{
	return &m->view;
}

struct rs_core_view *
rs_model_cores_rw(struct rs_model *m)
{
	return m->core_views;
}

void
rs_model_put(struct rs_model *m, enum rs_metric_id metric, uint32_t key, double value)
{
	if (isnan(value))
		return;
	const uint32_t slot = rs_metrics[metric].on == RS_ON_CPU
				  ? rs_core_slot(m, key, metric)
				  : rs_series_slot(m, m->host_slot, metric, &rs_labels_none);
	rs_series_level(m, slot, value);
}

/* A block for a new minute: the oldest one the store does not hold. */
static struct rs_block *
take_block(struct rs_model *m)
{
	struct rs_block *best = NULL;
	for (unsigned i = 0; i < m->conf.n_blocks; i++) {
		struct rs_block *const b = m->blocks[i];
		if (!b->is_with_store && b != m->block && (!best || b->minute < best->minute))
			best = b;
	}
	return best;
}

static void
begin_block(struct rs_model *m, int64_t minute)
{
	struct rs_block *const next = take_block(m);
	if (!next)
		return;
	if (next->minute >= 0 && !next->is_committed)
		m->stats.blocks_dropped++;
	m->block = next;
	rs_block_reset(next, minute);
	rs_series_announce(m);
}

/* Ends the current block; returns it when the store is to have it. */
static struct rs_block *
finish_block(struct rs_model *m)
{
	struct rs_block *const b = m->block;
	m->block = NULL;
	if (!b)
		return NULL;
	b->is_with_store = true;
	return b;
}

struct rs_block *
rs_model_end(struct rs_model *m)
{
	const int64_t minute = rs_model_due_boot(m) / RS_BLOCK_NS;
	struct rs_block *done = NULL;
	if (m->block && m->block->minute != minute) {
		if (take_block(m)) {
			done = finish_block(m);
		} else {
			/* The store holds every other block: this minute is given up. */
			m->block = NULL;
		}
	}
	if (!m->block)
		begin_block(m, minute);
	if (m->block)
		rs_series_store(m);
	return done;
}

void
rs_model_block_done(struct rs_model *m, struct rs_block *b, bool is_committed)
{
	(void)m; /* the pool finds its blocks by their state */
	rs_block_done(b, is_committed);
}

struct rs_block *
rs_model_retry(struct rs_model *m)
{
	struct rs_block *oldest = NULL;
	for (unsigned i = 0; i < m->conf.n_blocks; i++) {
		struct rs_block *const b = m->blocks[i];
		if (b->minute >= 0 && b != m->block && !b->is_with_store && !b->is_committed &&
		    (!oldest || b->minute < oldest->minute))
			oldest = b;
	}
	if (oldest)
		oldest->is_with_store = true;
	return oldest;
}

struct rs_block *
rs_model_flush(struct rs_model *m)
{
	return finish_block(m);
}

int
rs_model_use_head(struct rs_model *m, struct rs_head *h)
{
	return rs_head_begin(h, m->blocks, m->conf.n_blocks);
}

int
rs_model_head_error(const struct rs_model *m)
{
	return !m->block || rs_block_is_home(m->block) ? 0 : m->block->home_error;
}

void
rs_model_set_stored_until(struct rs_model *m, int64_t boot_ms)
{
	m->stored_until_ms = boot_ms;
}

bool
rs_model_is_all_stored(const struct rs_model *m)
{
	for (unsigned i = 0; i < m->conf.n_blocks; i++) {
		if (m->blocks[i]->minute >= 0 && !m->blocks[i]->is_committed)
			return false;
	}
	return true;
}

const struct rs_view *
rs_model_view(const struct rs_model *m)
{
	return &m->view;
}

const struct rs_cpu_info *
rs_model_cpus(const struct rs_model *m)
{
	return &m->cpus;
}

size_t
rs_model_blocks(const struct rs_model *m, const struct rs_block **ret_blocks, size_t cap)
{
	size_t n = 0;
	for (unsigned i = 0; i < m->conf.n_blocks && n < cap; i++) {
		const struct rs_block *const b = m->blocks[i];
		if (b->minute < 0)
			continue;
		size_t at = n++;
		for (; at > 0 && ret_blocks[at - 1]->minute > b->minute; at--)
			ret_blocks[at] = ret_blocks[at - 1];
		ret_blocks[at] = b;
	}
	return n;
}

void
rs_model_set_next_change(struct rs_model *m, int64_t id)
{
	m->next_change_id = id;
}

const struct rs_change *
rs_model_changes(const struct rs_model *m, size_t *ret_n)
{
	*ret_n = m->n_changes;
	return m->changes;
}

void
rs_model_get_stats(const struct rs_model *m, struct rs_model_stats *ret)
{
	*ret = m->stats;
	ret->series = m->n_kept;
}

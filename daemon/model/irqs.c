/* SPDX-License-Identifier: ISC */
/*
 * The interrupts x cores matrix: previous counts as one u32 matrix, what moved
 * as a sparse list, row totals and sums per core as series. A line is the same
 * as long as its name and everything behind its counts are: numbers are given
 * anew when a driver reloads.
 */
#include "rate.h"
#include "state.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* No line and core is interrupted more often than this; a larger difference of
 * a 32-bit count means that it was set back. */
#define IRQ_RATE_MAX_PS 20e6

#define FEEDS_MAX 8u /* more than a line has, but for some ports of one device */

static bool
is_same_line(const struct rs_irq_state *s, const struct rs_irq_row *r)
{
	return rs_text_eq(r->name, s->name) && rs_text_len(r->rest) == s->rest_len &&
	       (s->rest_len == 0 || memcmp(r->rest.p, s->rest, s->rest_len) == 0);
}

static void
end_line(struct rs_model *m, struct rs_irq_state *s)
{
	rs_series_end(m, s->slot);
	struct rs_text name = rs_text_of(s->name);
	uint64_t irq;
	if (s->is_numbered && rs_text_u64(&name, &irq))
		rs_facts_forget(m, RS_ON_IRQ, (uint32_t)irq);
	free(s->rest);
	free(s->chip);
	free(s->actions);
	free(s->feeds);
	memset(s, 0, sizeof(*s));
	s->slot = RS_NO_SLOT;
}

char *
rs_model_copy_text(struct rs_text t)
{
	const size_t len = rs_text_len(t);
	char *const s = malloc(len + 1);
	if (!s)
		return NULL;
	if (len > 0)
		memcpy(s, t.p, len);
	s[len] = '\0';
	return s;
}

static void
add_napi_queue(const struct rs_queue_napi *q, struct rs_irq_feed *feeds, size_t *n)
{
	for (size_t i = 0; i < *n; i++) {
		struct rs_irq_feed *const f = &feeds[i];
		if (f->ifindex == q->ifindex && f->queue == q->queue) {
			f->is_rx |= !q->is_tx;
			f->is_tx |= q->is_tx;
			return;
		}
	}
	if (*n == FEEDS_MAX)
		return;
	feeds[(*n)++] = (struct rs_irq_feed){.ifindex = q->ifindex,
	    .queue = q->queue,
	    .is_rx = !q->is_tx,
	    .is_tx = q->is_tx,
	    .role = RS_IRQ_QUEUE};
}

/* What the kernel itself says the line is for; 0: it does not say. */
static size_t
feeds_by_napi(const struct rs_model *m, const struct rs_irq_state *s, struct rs_irq_feed *feeds)
{
	struct rs_text name = rs_text_of(s->name);
	uint64_t irq;
	size_t n = 0;
	if (m->n_napis == 0 || !rs_text_u64(&name, &irq))
		return 0;
	for (size_t i = 0; i < m->n_napis; i++) {
		const struct rs_napi *const napi = &m->napis[i];
		if (napi->irq < 0 || (uint64_t)napi->irq != irq)
			continue;
		for (size_t k = 0; k < m->n_queue_napis; k++) {
			const struct rs_queue_napi *const q = &m->queue_napis[k];
			if (q->ifindex == napi->ifindex && q->napi_id == napi->id)
				add_napi_queue(q, feeds, &n);
		}
	}
	return n;
}

static void
map_line(struct rs_model *m, struct rs_irq_state *s, size_t n_infos)
{
	struct rs_irq_feed feeds[FEEDS_MAX];
	size_t n = s->is_numbered ? feeds_by_napi(m, s, feeds) : 0;
	if (n == 0 && s->is_numbered)
		n = rs_irq_feeds(rs_text_of(s->name), rs_text_of(s->chip), rs_text_of(s->actions),
		    m->infos, n_infos, feeds, FEEDS_MAX);
	free(s->feeds);
	s->feeds = NULL;
	s->n_feeds = 0;
	s->is_nic = n > 0;
	if (n == 0)
		return;
	const size_t kept = RS_MIN(n, RS_ARRAY_LEN(feeds));
	s->feeds = malloc(kept * sizeof(*s->feeds));
	if (!s->feeds)
		return;
	memcpy(s->feeds, feeds, kept * sizeof(*s->feeds));
	s->n_feeds = (uint32_t)kept;
}

static size_t
gather_infos(struct rs_model *m)
{
	if (rs_model_grow((void **)&m->infos, &m->cap_infos, m->n_nics, sizeof(*m->infos)) < 0)
		return 0;
	/* Where sysfs names devices, an interface without one has no interrupt. */
	bool has_devices = false;
	for (size_t i = 0; i < m->n_nics; i++)
		has_devices |= m->nics[i].info.device[0] != '\0';
	size_t n = 0;
	for (size_t i = 0; i < m->n_nics; i++) {
		if (!has_devices || m->nics[i].info.device[0] != '\0')
			m->infos[n++] = m->nics[i].info;
	}
	return n;
}

static bool
has_numbered(const struct rs_model *m, uint32_t ifindex)
{
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		for (uint32_t k = 0; k < m->irqs[i].n_feeds; k++) {
			if (m->irqs[i].feeds[k].ifindex == ifindex &&
			    rs_irq_is_numbered(&m->irqs[i].feeds[k]))
				return true;
		}
	}
	return false;
}

/* A bare device name is the only queue's line, or the link's beside numbered
 * ones: it takes all lines to tell. */
static void
settle_bare(struct rs_model *m)
{
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		for (uint32_t k = 0; k < m->irqs[i].n_feeds; k++) {
			struct rs_irq_feed *const f = &m->irqs[i].feeds[k];
			if (f->is_bare)
				rs_irq_settle(f, has_numbered(m, f->ifindex));
		}
	}
}

void
rs_irqs_map(struct rs_model *m)
{
	const size_t n = gather_infos(m);
	for (uint32_t i = 0; i < m->n_irqs; i++)
		map_line(m, &m->irqs[i], n);
	settle_bare(m);
	rs_queues_unmap(m);
	for (size_t i = 0; i < m->n_queue_napis; i++)
		rs_queues_set_napi(m, &m->queue_napis[i]);
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		for (uint32_t k = 0; k < m->irqs[i].n_feeds; k++)
			rs_queues_map(m, &m->irqs[i].feeds[k], i);
	}
	m->nics_changed = false;
}

static int
keep_napis(struct rs_model *m, const struct rs_frame *f)
{
	if (rs_model_grow((void **)&m->napis, &m->cap_napis, f->n_napis, sizeof(*m->napis)) < 0 ||
	    rs_model_grow((void **)&m->queue_napis, &m->cap_queue_napis, f->n_queue_napis,
		sizeof(*m->queue_napis)) < 0)
		return -ENOMEM;
	if (f->n_napis > 0)
		memcpy(m->napis, f->napis, f->n_napis * sizeof(*f->napis));
	if (f->n_queue_napis > 0)
		memcpy(m->queue_napis, f->queue_napis, f->n_queue_napis * sizeof(*f->queue_napis));
	m->n_napis = f->n_napis;
	m->n_queue_napis = f->n_queue_napis;
	return 0;
}

static bool
has_same_napis(const struct rs_model *m, const struct rs_frame *f)
{
	if (m->n_napis != f->n_napis || m->n_queue_napis != f->n_queue_napis)
		return false;
	for (size_t i = 0; i < m->n_napis; i++) {
		const struct rs_napi *const a = &m->napis[i], *const b = &f->napis[i];
		if (a->ifindex != b->ifindex || a->id != b->id || a->irq != b->irq ||
		    a->pid != b->pid)
			return false;
	}
	for (size_t i = 0; i < m->n_queue_napis; i++) {
		const struct rs_queue_napi *const a = &m->queue_napis[i], *const b =
									      &f->queue_napis[i];
		if (a->ifindex != b->ifindex || a->napi_id != b->napi_id || a->queue != b->queue ||
		    a->is_tx != b->is_tx)
			return false;
	}
	return true;
}

void
rs_napis_apply(struct rs_model *m, const struct rs_frame *f)
{
	if (!f->has_napis || has_same_napis(m, f))
		return;
	if (keep_napis(m, f) < 0)
		m->n_napis = m->n_queue_napis = 0;
	m->nics_changed = true;
}

const struct rs_nic_state *
rs_irqs_nic_of(const struct rs_model *m, const char *name, int32_t *ret_queue)
{
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		const struct rs_irq_state *const s = &m->irqs[i];
		if (s->n_feeds == 0 || strcmp(s->name, name) != 0)
			continue;
		*ret_queue = s->n_feeds == 1 ? s->feeds[0].queue : -1;
		return rs_nic_find(m, s->feeds[0].ifindex);
	}
	return NULL;
}

static bool
begin_line(struct rs_model *m, struct rs_irq_state *s, const struct rs_irq_row *r)
{
	memset(s, 0, sizeof(*s));
	s->slot = RS_NO_SLOT;
	(void)rs_text_copy(r->name, s->name, sizeof(s->name));
	struct rs_text chip = {0}, actions = {0};
	rs_irq_split(r->rest, &chip, &actions);
	s->rest = rs_model_copy_text(r->rest);
	s->rest_len = rs_text_len(r->rest);
	s->chip = rs_model_copy_text(chip);
	s->actions = rs_model_copy_text(actions);
	s->is_numbered = r->is_numbered;
	s->rate_ps = NAN;
	if (!s->rest || !s->chip || !s->actions) {
		end_line(m, s);
		return false;
	}
	struct rs_labels labels = rs_labels_none;
	(void)rs_text_copy(r->name, labels.irq, sizeof(labels.irq));
	s->slot = rs_series_new(m, RS_M_IRQ_INTERRUPTS, &labels);
	m->nics_changed = true; /* map it with the others */
	return true;
}

static uint32_t
hash_line(const char *name, size_t name_len, const char *rest, size_t rest_len)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < name_len; i++)
		h = (h ^ (uint8_t)name[i]) * 16777619u;
	for (size_t i = 0; i < rest_len; i++)
		h = (h ^ (uint8_t)rest[i]) * 16777619u;
	return h;
}

/* A table of the lines known so far, open addressing; entries are index + 1. */
static uint32_t *
index_lines(const struct rs_model *m, uint32_t *ret_mask)
{
	uint32_t size = 64;
	while (size < 2 * m->n_irqs)
		size *= 2;
	uint32_t *const table = calloc(size, sizeof(*table));
	if (!table)
		return NULL;
	*ret_mask = size - 1;
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		const struct rs_irq_state *const s = &m->irqs[i];
		uint32_t at = hash_line(s->name, strlen(s->name), s->rest, s->rest_len) & *ret_mask;
		while (table[at])
			at = (at + 1) & *ret_mask;
		table[at] = i + 1;
	}
	return table;
}

/* The first known line that is this row and not yet taken; rows may repeat. */
static uint32_t
claim(const struct rs_model *m, uint32_t *table, uint32_t mask, const struct rs_irq_row *r)
{
	uint32_t at = hash_line(r->name.p, rs_text_len(r->name), r->rest.p, rs_text_len(r->rest));
	for (at &= mask; table[at]; at = (at + 1) & mask) {
		const uint32_t i = table[at] - 1;
		if (table[at] != UINT32_MAX && is_same_line(&m->irqs[i], r)) {
			table[at] = UINT32_MAX;
			return i;
		}
	}
	return UINT32_MAX;
}

/* Lines came, went or moved: match rows with lines, begin new ones, end those
 * without a row. */
static int
resync(struct rs_model *m, const struct rs_irq_matrix *x)
{
	uint32_t mask = 0;
	uint32_t *const table = index_lines(m, &mask);
	struct rs_irq_state *const next = calloc(RS_MAX(x->n_rows, 1), sizeof(*next));
	if (!table || !next) {
		free(table);
		free(next);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < x->n_rows; i++) {
		const uint32_t old = claim(m, table, mask, &x->rows[i]);
		if (old == UINT32_MAX) {
			(void)begin_line(m, &next[i], &x->rows[i]);
			continue;
		}
		next[i] = m->irqs[old];
		memset(&m->irqs[old], 0, sizeof(m->irqs[old]));
		m->irqs[old].slot = RS_NO_SLOT;
	}
	for (uint32_t i = 0; i < m->n_irqs; i++)
		end_line(m, &m->irqs[i]);
	free(m->irqs);
	free(table);
	m->irqs = next;
	m->n_irqs = x->n_rows;
	return 0;
}

static bool
is_in_step(const struct rs_model *m, const struct rs_irq_matrix *x)
{
	if (m->n_irqs != x->n_rows)
		return false;
	for (uint32_t i = 0; i < x->n_rows; i++) {
		if (!is_same_line(&m->irqs[i], &x->rows[i]))
			return false;
	}
	return true;
}

/* Differences of one line; false when a count fell. A row with fewer cells than
 * columns (ERR, MIS) counts for the whole machine: no core is named. */
static bool
diff_line(struct rs_model *m, const uint32_t *prev, const uint32_t *cur, uint32_t n, double seconds,
    uint64_t *ret_sum)
{
	const double max = RS_MIN(IRQ_RATE_MAX_PS * seconds, (double)INT32_MAX);
	const uint32_t limit = (uint32_t)max;
	const uint32_t first = m->n_moved;
	uint64_t sum = 0;
	for (uint32_t c = 0; c < n; c++) {
		const uint32_t d = cur[c] - prev[c];
		if (!d)
			continue;
		if (d > limit || m->n_moved == m->cap_moved) {
			m->n_moved = first;
			return false;
		}
		sum += d;
		if (n < m->n_columns)
			continue;
		m->moved[m->n_moved++] =
		    (struct rs_irq_cell){.cpu = m->columns[c], .rate_ps = (double)d};
	}
	*ret_sum = sum;
	return true;
}

/* Adds the moved cells of a line to the sums per core and makes rates of them. */
static void
sum_cores(struct rs_model *m, const struct rs_irq_state *s, double seconds)
{
	for (uint32_t i = 0; i < s->n_moved; i++) {
		struct rs_irq_cell *const c = &m->moved[s->first_moved + i];
		if (s->is_numbered)
			m->cpu_irqs[c->cpu] += c->rate_ps;
		if (s->is_nic)
			m->cpu_nic_irqs[c->cpu] += c->rate_ps;
		c->rate_ps /= seconds;
	}
}

static void
diff_all(struct rs_model *m, const struct rs_irq_matrix *x, rs_ns dt_ns)
{
	const double seconds = (double)dt_ns / (double)RS_NS_PER_S;
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		struct rs_irq_state *const s = &m->irqs[i];
		const struct rs_irq_row *const r = &x->rows[i];
		uint64_t sum = 0;
		if (!s->has_prev || s->prev_n != r->cells)
			continue;
		s->first_moved = m->n_moved;
		if (!diff_line(m, &m->prev_cells[(size_t)s->prev_row * m->n_columns],
			&x->cells[r->first_cell], r->cells, seconds, &sum)) {
			m->stats.counter_resets++;
			continue;
		}
		s->n_moved = m->n_moved - s->first_moved;
		s->has_value = true;
		s->rate_ps = (double)sum / seconds;
		rs_series_add(m, s->slot, sum, dt_ns);
		sum_cores(m, s, seconds);
	}
	for (uint32_t c = 0; c < m->n_columns; c++) {
		const unsigned cpu = m->columns[c];
		rs_series_add(m, rs_core_slot(m, cpu, RS_M_CORE_INTERRUPTS),
		    (uint64_t)m->cpu_irqs[cpu], dt_ns);
		rs_series_add(m, rs_core_slot(m, cpu, RS_M_CORE_NIC_INTERRUPTS),
		    (uint64_t)m->cpu_nic_irqs[cpu], dt_ns);
	}
}

static int
make_room(struct rs_model *m, const struct rs_irq_matrix *x)
{
	unsigned top = 0;
	for (uint32_t c = 0; c < x->columns; c++)
		top = RS_MAX(top, (unsigned)x->cpu[c] + 1);
	size_t cap = m->cap_columns, cap_moved = m->cap_moved;
	size_t cap_sums = m->cap_cpu_irqs, cap_nic_sums = m->cap_cpu_irqs;
	int rc = rs_model_grow((void **)&m->columns, &cap, x->columns, sizeof(*m->columns));
	m->cap_columns = (uint32_t)cap;
	if (rc == 0)
		rc = rs_model_grow_raw((void **)&m->prev_cells, &m->cap_prev_cells,
		    (size_t)x->n_rows * x->columns, sizeof(*m->prev_cells));
	if (rc == 0)
		rc = rs_model_grow_raw(
		    (void **)&m->moved, &cap_moved, x->n_cells, sizeof(*m->moved));
	m->cap_moved = (uint32_t)cap_moved;
	if (rc == 0)
		rc = rs_model_grow((void **)&m->cpu_irqs, &cap_sums, top, sizeof(*m->cpu_irqs));
	if (rc == 0)
		rc = rs_model_grow(
		    (void **)&m->cpu_nic_irqs, &cap_nic_sums, top, sizeof(*m->cpu_nic_irqs));
	if (rc == 0)
		m->cap_cpu_irqs = (unsigned)RS_MIN(cap_sums, cap_nic_sums);
	return rc;
}

static void
keep(struct rs_model *m, const struct rs_irq_matrix *x)
{
	m->n_columns = x->columns;
	memcpy(m->columns, x->cpu, x->columns * sizeof(*x->cpu));
	if (x->n_cells > 0)
		memcpy(m->prev_cells, x->cells, (size_t)x->n_cells * sizeof(*x->cells));
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		m->irqs[i].prev_row = i;
		m->irqs[i].prev_n = x->rows[i].cells;
		m->irqs[i].has_prev = true;
	}
}

void
rs_irqs_apply(struct rs_model *m, const struct rs_frame *f)
{
	const struct rs_irq_matrix *const x = &f->irqs;
	if (!x->is_present || x->columns == 0)
		return;
	const bool has_same_columns = x->columns == m->n_columns &&
				      memcmp(x->cpu, m->columns, x->columns * sizeof(*x->cpu)) == 0;
	if (m->online_by <= RS_ONLINE_BY_INTERRUPTS) {
		struct rs_cpuset seen;
		rs_cpuset_zero(&seen);
		for (uint32_t c = 0; c < x->columns; c++)
			rs_cpuset_add(&seen, x->cpu[c]);
		rs_cores_online(m, &seen, RS_ONLINE_BY_INTERRUPTS);
	}
	if (make_room(m, x) < 0 || (!is_in_step(m, x) && resync(m, x) < 0)) {
		m->irqs_have_prev = false;
		return;
	}
	if (m->nics_changed)
		rs_irqs_map(m);
	for (uint32_t i = 0; i < m->n_irqs; i++) {
		struct rs_irq_state *const s = &m->irqs[i];
		s->has_value = false;
		s->n_moved = 0;
		s->rate_ps = NAN;
	}
	m->n_moved = 0;
	memset(m->cpu_irqs, 0, m->cap_cpu_irqs * sizeof(*m->cpu_irqs));
	memset(m->cpu_nic_irqs, 0, m->cap_cpu_irqs * sizeof(*m->cpu_nic_irqs));
	const rs_ns dt = f->at_ns - m->irqs_prev_ns;
	/* After a hot-plug the columns differ: one interval without values. */
	if (m->irqs_have_prev && m->irqs_prev_tick + 1 == m->tick && has_same_columns &&
	    !rs_rate_is_gap(dt, m->conf.interval_ns))
		diff_all(m, x, dt);
	keep(m, x);
	m->irqs_prev_tick = m->tick;
	m->irqs_prev_ns = f->at_ns;
	m->irqs_have_prev = true;
	m->irqs_applied = true;
}

void
rs_irqs_fini(struct rs_model *m)
{
	for (uint32_t i = 0; i < m->n_irqs; i++)
		end_line(m, &m->irqs[i]);
	free(m->irqs);
	free(m->columns);
	free(m->prev_cells);
	free(m->moved);
	free(m->cpu_irqs);
	free(m->cpu_nic_irqs);
	free(m->napis);
	free(m->queue_napis);
}

/* SPDX-License-Identifier: ISC */
/*
 * Threads that do packet work: the share of a core each took between its last
 * two readings.
 */
#include "state.h"

#include <math.h>
#include <stdlib.h>

/* A thread that was not read for so long has no share any more. */
#define STALE_NS (60 * RS_NS_PER_S)

static const struct rs_thread_view *
find(const struct rs_model *m, const struct rs_thread *t, size_t hint)
{
	for (size_t i = 0; i < m->n_threads; i++) {
		const struct rs_thread_view *const v = &m->threads[(hint + i) % m->n_threads];
		if (v->thread.tid == t->tid && v->thread.start == t->start)
			return v;
	}
	return NULL;
}

/* Cores, 0..1; NAN without two readings. */
static double
load_of(const struct rs_thread_view *before, const struct rs_thread *t)
{
	if (!before)
		return NAN;
	const rs_ns dt = t->at_ns - before->thread.at_ns;
	if (dt <= 0)
		return before->load;
	if (t->runtime_ns < before->thread.runtime_ns)
		return NAN;
	const double load = (double)(t->runtime_ns - before->thread.runtime_ns) / (double)dt;
	return load > 1.0 ? 1.0 : load;
}

void
rs_threads_apply(struct rs_model *m, const struct rs_frame *f)
{
	if (!f->has_threads)
		return;
	if (rs_model_grow((void **)&m->next_threads, &m->cap_next_threads, f->n_threads,
		sizeof(*m->next_threads)) < 0)
		return;
	for (size_t i = 0; i < f->n_threads; i++) {
		const struct rs_thread *const t = &f->threads[i];
		m->next_threads[i].load = load_of(m->n_threads ? find(m, t, i) : NULL, t);
		m->next_threads[i].thread = *t;
		if (f->at_ns - t->at_ns > STALE_NS)
			m->next_threads[i].load = NAN;
	}
	struct rs_thread_view *const old = m->threads;
	const size_t cap = m->cap_threads;
	m->threads = m->next_threads;
	m->n_threads = f->n_threads;
	m->cap_threads = m->cap_next_threads;
	m->next_threads = old;
	m->cap_next_threads = cap;
	m->has_threads = true;
}

bool
rs_thread_does_packets(const struct rs_thread *t)
{
	switch (t->class) {
	case RS_THREAD_NAPI:
	case RS_THREAD_IRQ:
	case RS_THREAD_VPN:
		return true;
	case RS_THREAD_KSOFTIRQD:
	case RS_THREAD_USER:
		break;
	}
	return false;
}

/* Sums per core what the threads took; NAN on all when none were looked for. */
void
rs_threads_view(struct rs_model *m)
{
	struct rs_view *const v = &m->view;
	v->threads = m->threads;
	v->n_threads = m->n_threads;
	v->has_threads = m->has_threads;
	for (size_t i = 0; i < v->n_cores; i++)
		m->core_views[i].packet_threads = m->has_threads ? 0.0 : (double)NAN;
	for (size_t i = 0; i < m->n_threads; i++) {
		const struct rs_thread_view *const t = &m->threads[i];
		if (t->thread.cpu < 0 || isnan(t->load) || !rs_thread_does_packets(&t->thread))
			continue;
		const struct rs_core_view *const found = rs_view_core(v, (unsigned)t->thread.cpu);
		if (found)
			m->core_views[found - v->cores].packet_threads += t->load;
	}
}

void
rs_threads_fini(struct rs_model *m)
{
	free(m->threads);
	free(m->next_threads);
}

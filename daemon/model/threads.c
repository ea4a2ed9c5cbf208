/* SPDX-License-Identifier: ISC */
/*
 * Threads that do packet work: the share of a core each took between its last
 * two readings.
 */
#include "state.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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
		const struct rs_thread_view *const before = m->n_threads ? find(m, t, i) : NULL;
		m->next_threads[i].load = load_of(before, t);
		m->next_threads[i].thread = *t;
		if (before && t->ifindex == 0 && before->thread.ifindex != 0) {
			m->next_threads[i].thread.ifindex = before->thread.ifindex;
			m->next_threads[i].thread.napi_id = before->thread.napi_id;
		}
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
	case RS_THREAD_VPN:
		return true;
	case RS_THREAD_IRQ:
		return t->ifindex != 0; /* others are of disks and the like */
	case RS_THREAD_KSOFTIRQD:
	case RS_THREAD_USER:
		break;
	}
	return false;
}

/* "napi/eth0-8193"; the number is not a part of the interface's name. */
static void
find_by_name(const struct rs_model *m, struct rs_thread *t)
{
	struct rs_text name = rs_text_of(t->name);
	if (!rs_text_skip(&name, "napi/"))
		return;
	for (size_t i = 0; i < m->n_nics; i++) {
		struct rs_text rest = name;
		uint64_t id;
		if (rs_text_skip(&rest, m->nics[i].info.name) && rs_text_skip(&rest, "-") &&
		    rs_text_u64(&rest, &id) && rest.p == rest.end && id <= UINT32_MAX) {
			t->ifindex = m->nics[i].info.ifindex;
			t->napi_id = (uint32_t)id;
			return;
		}
	}
}

/* Where the kernel told of all instances and their threads, it decides: names
 * stay behind when an interface is renamed, and the threads of other network
 * namespaces have names like ours. */
static void
find_instance(const struct rs_model *m, struct rs_thread *t)
{
	for (size_t i = 0; i < m->n_napis; i++) {
		if (m->napis[i].pid == t->tid) {
			t->ifindex = m->napis[i].ifindex;
			t->napi_id = m->napis[i].id;
			return;
		}
	}
	if (m->n_napis == 0)
		find_by_name(m, t);
}

static uint32_t
interface_of_line(const struct rs_model *m, int32_t irq)
{
	char name[16];
	int32_t queue;
	(void)snprintf(name, sizeof(name), "%d", (int)irq);
	const struct rs_nic_state *const nic = rs_irqs_nic_of(m, name, &queue);
	return nic ? nic->info.ifindex : 0;
}

/* A thread lives as long as its line or its instance: what was found stays. One
 * that does nothing is looked up now and then. */
static void
find_interfaces(struct rs_model *m)
{
	for (size_t i = 0; i < m->n_threads; i++) {
		struct rs_thread *const t = &m->threads[i].thread;
		if (t->ifindex != 0 || (m->threads[i].load <= 0.0 && (m->tick + i) % 8 != 0))
			continue;
		if (t->class == RS_THREAD_NAPI)
			find_instance(m, t);
		else if (t->class == RS_THREAD_IRQ)
			t->ifindex = interface_of_line(m, t->irq);
	}
}

/* Sums per core what the threads took; NAN on all when none were looked for. */
void
rs_threads_view(struct rs_model *m)
{
	struct rs_view *const v = &m->view;
	find_interfaces(m);
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

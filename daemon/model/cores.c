/* SPDX-License-Identifier: ISC */
/*
 * Cores: known by the number the files name, born and gone with hot-plug.
 */
#include "state.h"

#include <stdlib.h>

struct rs_core_state *
rs_core_get(struct rs_model *m, unsigned cpu)
{
	if (cpu >= RS_CPU_MAX)
		return NULL;
	if (cpu >= m->n_cores) {
		size_t cap = m->n_cores;
		if (rs_model_grow((void **)&m->cores, &cap, cpu + 1, sizeof(*m->cores)) < 0)
			return NULL;
		m->n_cores = (unsigned)cap;
	}
	struct rs_core_state *const c = &m->cores[cpu];
	if (!c->slot) {
		c->slot = rs_slots_new(m, RS_ON_CPU);
		if (!c->slot)
			return NULL;
	}
	c->is_known = true;
	return c;
}

uint32_t
rs_core_slot(struct rs_model *m, unsigned cpu, enum rs_metric_id metric)
{
	struct rs_core_state *const c = rs_core_get(m, cpu);
	if (!c)
		return RS_NO_SLOT;
	struct rs_labels labels = rs_labels_none;
	labels.cpu = (int32_t)cpu;
	return rs_series_slot(m, c->slot, metric, &labels);
}

/* A core that left starts anew when it returns; one that came has no value in
 * this interval. */
void
rs_cores_online(struct rs_model *m, const struct rs_cpuset *seen, enum rs_online_by by)
{
	if (by < m->online_by)
		return;
	for (unsigned cpu = 0; cpu < m->n_cores; cpu++) {
		struct rs_core_state *const c = &m->cores[cpu];
		const bool is_online = rs_cpuset_has(seen, cpu);
		if (c->is_known && c->is_online && !is_online)
			rs_slots_forget(m, c->slot, RS_ON_CPU);
		c->is_online = is_online;
	}
	for (unsigned cpu = rs_cpuset_next(seen, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(seen, cpu + 1)) {
		struct rs_core_state *const c = rs_core_get(m, cpu);
		if (c)
			c->is_online = true;
	}
	m->online_by = by;
}

void
rs_cores_apply(struct rs_model *m, const struct rs_frame *f)
{
	if (f->has_cpus_seen)
		rs_cores_online(m, &f->cpus_seen, RS_ONLINE_BY_STAT);
	if (!f->cpus.is_present)
		return;
	m->cpus = f->cpus;
	if (f->cpus.has_online)
		rs_cores_online(m, &f->cpus.online, RS_ONLINE_BY_SYSFS);
	if (!f->cpus.has_possible)
		return;
	for (unsigned cpu = rs_cpuset_next(&f->cpus.possible, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&f->cpus.possible, cpu + 1))
		(void)rs_core_get(m, cpu);
}

void
rs_cores_read(struct rs_model *m, const struct rs_frame *f, const struct rs_reading *r)
{
	/* Files that list possible CPUs repeat the last count of an offline one. */
	if (m->online_by >= RS_ONLINE_BY_SYSFS &&
	    (r->key >= m->n_cores || !m->cores[r->key].is_online))
		return;
	const uint32_t slot = rs_core_slot(m, r->key, (enum rs_metric_id)r->metric);
	if (slot == RS_NO_SLOT)
		return;
	if (r->metric == RS_M_CORE_FREQ)
		m->cores[r->key].is_freq_measured = f->is_freq_measured;
	rs_series_read_paced(m, slot, r->value, f->at_ns, r->pace_s);
}

void
rs_cores_fini(struct rs_model *m)
{
	for (unsigned cpu = 0; cpu < m->n_cores; cpu++)
		free(m->cores[cpu].slot);
	free(m->cores);
}

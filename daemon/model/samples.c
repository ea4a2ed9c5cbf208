/* SPDX-License-Identifier: ISC */
/*
 * The series as a scraper wants them: the last reading of each, not what changed
 * since the one before.
 */
#include "rate.h"
#include "state.h"

/* A series that was not read for so long is as good as gone: some sources are
 * read at a slower pace than the tick. */
#define STALE_NS (10 * RS_NS_PER_S)

struct walk {
	const struct rs_model *model;
	enum rs_metric_id metric;
	rs_sample_fn fn;
	void *arg;
};

static bool
is_current(const struct rs_model *m, const struct rs_series *s)
{
	const rs_ns age = m->now.mono_ns - s->prev_ns;
	const rs_ns pace = RS_MAX(s->pace_s * RS_NS_PER_S, m->conf.interval_ns);
	return s->has_prev && (age <= STALE_NS || !rs_rate_is_gap(age, pace));
}

static void
show(const struct walk *w, uint32_t slot)
{
	if (slot == RS_NO_SLOT)
		return;
	const struct rs_series *const s = &w->model->series[slot];
	const struct rs_metric *const d = &rs_metrics[s->metric];
	if (!is_current(w->model, s))
		return;
	const double raw = d->kind == RS_GAUGE ? (double)s->stored : (double)s->prev_raw;
	w->fn(w->arg, &w->model->labels[slot], raw / (double)d->scale);
}

static void
show_of(const struct walk *w, const uint32_t *slots)
{
	if (slots)
		show(w, slots[w->model->local_index[w->metric]]);
}

static void
show_queues(const struct walk *w, const struct rs_nic_state *n)
{
	for (uint32_t i = 0; i < n->n_queues; i++)
		show_of(w, n->queues[i].slot);
}

void
rs_model_each_sample(const struct rs_model *m, enum rs_metric_id metric, rs_sample_fn fn, void *arg)
{
	const struct walk w = {m, metric, fn, arg};
	switch (rs_metrics[metric].on) {
	case RS_ON_HOST:
		show_of(&w, m->host_slot);
		return;
	case RS_ON_CPU:
		for (unsigned cpu = 0; cpu < m->n_cores; cpu++)
			show_of(&w, m->cores[cpu].slot);
		return;
	case RS_ON_NIC:
		for (size_t i = 0; i < m->n_nics; i++)
			show_of(&w, m->nics[i].slot);
		return;
	case RS_ON_QUEUE:
		for (size_t i = 0; i < m->n_nics; i++)
			show_queues(&w, &m->nics[i]);
		return;
	case RS_ON_IRQ:
		for (uint32_t i = 0; i < m->n_irqs; i++) {
			if (m->irqs[i].is_nic)
				show(&w, m->irqs[i].slot);
		}
		return;
	}
}

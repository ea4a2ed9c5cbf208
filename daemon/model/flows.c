/* SPDX-License-Identifier: ISC */
/*
 * The heaviest flows as they were told last, or as two captured lists of
 * connections tell. They are looked for while a core is busy, and are no series:
 * after a while without news there are none.
 */
#include "state.h"

#include <string.h>

#include "flowtable.h"

/* Looks are some seconds apart, and the longest list takes a minute. */
#define STALE_NS (90 * RS_NS_PER_S)

static void
take(struct rs_model *m, const struct rs_heavy_flow *flows, size_t n, rs_ns at_ns)
{
	m->n_flows = RS_MIN(n, (size_t)RS_HEAVY_FLOWS_MAX);
	if (m->n_flows > 0)
		memcpy(m->flows, flows, m->n_flows * sizeof(m->flows[0]));
	m->flows_ns = at_ns;
	m->has_flows = true;
}

static void
compare(struct rs_model *m, const struct rs_frame *f)
{
	struct rs_heavy_flow flows[RS_HEAVY_FLOWS_MAX];
	size_t n;

	if (!m->flow_table && rs_flow_table_new(&m->flow_table) < 0)
		return;
	if (rs_flow_table_begin(m->flow_table, f->n_connections, f->at_ns) < 0)
		return;
	for (size_t i = 0; i < f->n_connections; i++)
		rs_flow_table_add(m->flow_table, &f->connections[i], f->at_ns);
	if (rs_flow_table_end(m->flow_table, flows, &n))
		take(m, flows, n, f->at_ns);
}

void
rs_flows_apply(struct rs_model *m, const struct rs_frame *f)
{
	if (f->has_flows)
		take(m, f->flows, f->n_flows, f->at_ns);
	if (f->has_connections)
		compare(m, f);
}

void
rs_flows_view(struct rs_model *m)
{
	struct rs_view *const v = &m->view;

	m->has_flows &= m->now.mono_ns - m->flows_ns <= STALE_NS;
	v->has_flows = m->has_flows;
	v->flows = m->flows;
	v->n_flows = m->has_flows ? m->n_flows : 0;
}

void
rs_flows_fini(struct rs_model *m)
{
	rs_flow_table_free(m->flow_table);
}

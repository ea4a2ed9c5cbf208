/* SPDX-License-Identifier: ISC */
/*
 * The interrupts of a NIC fire on cores of another memory node than its own while
 * some core has much packet work. A node that is not known says nothing.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "moves.h"
#include "places.h"
#include "umbrella.h"

enum { SHARE, SHARE_CLEAR, LOAD };

static const struct rs_threshold thresholds[] = {
    [SHARE] = {"share", 0.50, 0.05, 1.0, RS_UNIT_RATIO,
	"Part of a NIC's interrupts that cores of another memory node take"},
    [SHARE_CLEAR] = {"share_clear", 0.30, 0.0, 1.0, RS_UNIT_RATIO,
	"The part below which it clears"},
    [LOAD] = {"load", 0.50, 0.0, 1.0, RS_UNIT_RATIO,
	"Packet load of the hottest core below which nothing is said"},
    {0},
};

#define NICS_MAX 64u /* more have no memory node to be told of */

/* Of an interface's queue lines: interrupts in all, and on its own node. */
struct sums {
	const struct rs_nic_view *nic;
	struct rs_cpuset node;
	double all, near;
};

static size_t
list_nics(const struct rs_view *v, struct sums ret[static NICS_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_nics && n < NICS_MAX; i++) {
		ret[n] = (struct sums){.nic = &v->nics[i]};
		n += rs_node_cores(v, v->nics[i].info.ifindex, &ret[n].node);
	}
	return n;
}

static void
add_line(const struct rs_irq_view *q, struct sums *s)
{
	s->all += q->rate_ps;
	for (uint32_t k = 0; k < q->n_cells; k++) {
		if (rs_cpuset_has(&s->node, q->cells[k].cpu))
			s->near += q->cells[k].rate_ps;
	}
}

static void
sum_lines(const struct rs_view *v, struct sums *sums, size_t n)
{
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		for (size_t k = 0; rs_irq_is_busy(q, 1.0) && k < n; k++) {
			if (rs_irq_feed_of(q, sums[k].nic->info.ifindex))
				add_line(q, &sums[k]);
		}
	}
}

static void
tell(const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_cpuset *node,
    double far, struct rs_says *out)
{
	struct rs_cpuset places_set;
	unsigned places[RS_PLACES_MAX];
	char cores[64];
	struct rs_moves m;

	rs_message(out, "%ld %% of the interrupts of %s fire on cores of another memory node",
	    lround(far * 100.0), nic->info.name);
	rs_cause(out, "affinity masks that were made without a look at the memory nodes");
	rs_cpuset_format(node, cores, sizeof(cores));
	rs_evidence(out, "interrupts on other nodes", far, RS_UNIT_RATIO);
	rs_evidence_text(out, "memory node of the device", "%d, with cores %s",
	    rs_node_of_nic(v, nic->info.ifindex), cores);
	rs_evidence_noted(out, "hottest core", v->hottest_core_load, RS_UNIT_RATIO,
	    "core %u, node %d", v->hottest_core, rs_node_of_core(v, v->hottest_core));
	rs_place_cores(v, nic->info.ifindex, &places_set);
	/* Where hardly a core of the node takes part, all are places: no advice. */
	for (size_t i = 0; i < RS_ARRAY_LEN(places_set.word); i++) {
		if (places_set.word[i] & ~node->word[i])
			return;
	}
	const size_t n = rs_place_list(v, &places_set, places);
	rs_moves_begin(&m, v);
	(void)rs_moves_spread(&m, nic->info.ifindex, RS_PILE_LINE_PS, places, n, 0);
	rs_moves_advise(&m, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct sums sums[NICS_MAX];

	if (!rs_view_fact(v, RS_F_NUMA_NODES, 0, RS_NO_QUEUE) || !(v->hottest_core_load >= t[LOAD]))
		return;
	const size_t n = list_nics(v, sums);
	sum_lines(v, sums, n);
	for (size_t i = 0; i < n; i++) {
		const struct sums *const s = &sums[i];
		const double far = s->all >= RS_PILE_LINE_PS ? 1.0 - s->near / s->all : 0.0;
		if (far < t[SHARE_CLEAR])
			continue;
		const struct rs_subject subject = rs_nic_subject(s->nic);
		rs_say(out, &subject, rs_condition_of(far >= t[SHARE], true), RS_INFO, RS_HIGH);
		tell(v, s->nic, &s->node, far, out);
	}
}

RS_RULE(irq_numa_remote) = {
    .code = "irq.numa_remote",
    .title = "Interrupts fire on the other memory node",
    .help =
	"Packets lie in the memory of the node the device is at; cores of another node reach it "
	"more slowly.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

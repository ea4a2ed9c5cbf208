/* SPDX-License-Identifier: ISC */
/*
 * From counters of loss to the core behind them. Queues and lines are looked at
 * only where something is lost.
 */
#include "loss.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "load.h"
#include "masks.h"
#include "moves.h"
#include "places.h"
#include "shape.h"

/* Framing that no counter holds, as in daemon/model/view.c. */
#define WIRE_OVERHEAD_BYTES 24.0
/* A queue with less of its interface's packets does not fill a core. */
#define WORTH_SHARE 0.01

/* --- the core ---------------------------------------------------------- */

static void
fill_core(const struct rs_view *v, int cpu, struct rs_ring_core *ret)
{
	const struct rs_core_view *const c = cpu >= 0 ? rs_view_core(v, (unsigned)cpu) : NULL;
	const struct rs_group *const g = c ? rs_place_group(v, c->cpu) : NULL;

	*ret = (struct rs_ring_core){.cpu = -1, .packet_load = NAN, .busy = NAN};
	if (!c || isnan(c->busy))
		return;
	ret->cpu = cpu;
	ret->packet_load = g ? g->packet_load : c->packet_load;
	ret->busy = g ? g->busy : c->busy;
}

static int
core_of_line(const struct rs_view *v, const struct rs_irq_view *line)
{
	const int cpu = line ? rs_irq_busiest_core(line) : -1;

	return cpu >= 0 || !line ? cpu : rs_mask_only(rs_line_effective(v, line));
}

static int
core_of_queue(const struct rs_view *v, const struct rs_queue_view *q)
{
	const struct rs_thread_view *const t = rs_view_queue_thread(v, q);

	return t ? t->thread.cpu : core_of_line(v, q->line);
}

static void
take_fuller(const struct rs_view *v, int cpu, struct rs_ring_core *best)
{
	struct rs_ring_core c;

	fill_core(v, cpu, &c);
	if (c.cpu >= 0 && (best->cpu < 0 || c.packet_load > best->packet_load))
		*best = c;
}

/* Whichever it is, it has at least this load. */
static void
take_idlest(const struct rs_view *v, struct rs_ring_core *ret)
{
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		const struct rs_group *const g = &v->groups[i];
		if (!(g->packet_load >= ret->packet_load)) {
			ret->packet_load = g->packet_load;
			ret->busy = g->busy;
		}
	}
}

void
rs_ring_core_of(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_ring_core *ret)
{
	*ret = (struct rs_ring_core){.cpu = -1, .packet_load = NAN, .busy = NAN};
	for (uint32_t i = 0; i < nic->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[nic->first_queue + i];
		if (!q->is_tx && !(q->share < WORTH_SHARE))
			take_fuller(v, core_of_queue(v, q), ret);
	}
	/* Queues whose lines are not told, or no queues at all. */
	for (size_t i = 0; ret->cpu < 0 && i < v->n_irqs; i++) {
		if (rs_irq_feed_of(&v->irqs[i], nic->info.ifindex))
			take_fuller(v, core_of_line(v, &v->irqs[i]), ret);
	}
	if (ret->cpu < 0)
		take_idlest(v, ret);
}

bool
rs_ring_core_is_hot(const struct rs_ring_core *c, double hot)
{
	const struct rs_group g = {.packet_load = c->packet_load, .busy = c->busy};

	return rs_group_is_hot(&g, hot);
}

/* --- the loss ---------------------------------------------------------- */

/* The receive queue that loses the most; NULL: not told. */
static const struct rs_queue_view *
losing_queue(const struct rs_view *v, const struct rs_nic_view *nic)
{
	const struct rs_queue_view *worst = NULL;

	for (uint32_t i = 0; i < nic->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[nic->first_queue + i];
		if (!q->is_tx && q->drops_pps > (worst ? worst->drops_pps : 0.0))
			worst = q;
	}
	return worst;
}

/* NAN: what was received is not known. */
static double
share_of(double lost, double received)
{
	return lost > 0.0 ? lost / (lost + received) : 0.0;
}

bool
rs_ring_loss_of(const struct rs_view *v, const struct rs_recent *r, const struct rs_nic_view *nic,
    struct rs_ring_loss *ret)
{
	const double lost_60 = rs_recent_sum(r, nic->info.ifindex, RS_RECENT_RING_60);

	if (!(nic->lost_ring_pps > 0.0) && !(lost_60 > 0.0))
		return false;
	const struct rs_queue_view *const q = losing_queue(v, nic);
	*ret = (struct rs_ring_loss){
	    .lost_pps = isnan(nic->lost_ring_pps) ? 0.0 : nic->lost_ring_pps,
	    .lost_60 = lost_60,
	    .cold_60 = rs_recent_sum(r, nic->info.ifindex, RS_RECENT_COLD_60),
	    .queue = q ? (int32_t)q->queue : -1,
	};
	ret->share = share_of(ret->lost_pps, nic->rx_pps);
	ret->share_60 = share_of(lost_60, rs_recent_sum(r, nic->info.ifindex, RS_RECENT_RX_60));
	fill_core(v, q ? core_of_queue(v, q) : -1, &ret->core);
	ret->is_by_queue = ret->core.cpu >= 0;
	if (!ret->is_by_queue)
		rs_ring_core_of(v, nic, &ret->core);
	return true;
}

double
rs_ring_holds_us(const struct rs_view *v, const struct rs_nic_view *nic)
{
	const int64_t ring = rs_nic_number(v, nic, RS_F_RING_RX);
	const double bits = nic->rx_bps / nic->rx_pps + 8.0 * WIRE_OVERHEAD_BYTES;

	if (ring <= 0 || nic->info.speed_bps <= 0 || !(nic->rx_pps > 0.0))
		return NAN;
	return (double)ring * bits / (double)nic->info.speed_bps * 1e6;
}

/* --- words ------------------------------------------------------------- */

void
rs_format_share(double share, char dst[static 24])
{
	/* Of a per cent. */
	const unsigned thousandths = (unsigned)lround(fmin(fmax(share, 0.0), 1.0) * 1e5);

	if (thousandths >= 9950)
		(void)snprintf(dst, 24, "%u %%", (thousandths + 500) / 1000);
	else if (thousandths >= 95)
		(void)snprintf(
		    dst, 24, "%u.%u %%", (thousandths + 50) / 1000, (thousandths + 50) / 100 % 10);
	else if (thousandths >= 1)
		(void)snprintf(dst, 24, "0.%03u %%", thousandths);
	else
		(void)snprintf(dst, 24, "< 0.001 %%");
}

static int64_t
number_of(const char *text)
{
	struct rs_text t = rs_text_of(text ? text : "");
	uint64_t n;

	return rs_text_u64(&t, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

int64_t
rs_nic_number(const struct rs_view *v, const struct rs_nic_view *nic, enum rs_fact_id id)
{
	return number_of(rs_view_fact(v, id, nic->info.ifindex, RS_NO_QUEUE));
}

bool
rs_nic_is(
    const struct rs_view *v, const struct rs_nic_view *nic, enum rs_fact_id id, const char *value)
{
	const char *const is = rs_view_fact(v, id, nic->info.ifindex, RS_NO_QUEUE);

	return is && strcmp(is, value) == 0;
}

int64_t
rs_host_number(const struct rs_view *v, enum rs_fact_id id)
{
	return number_of(rs_view_fact(v, id, 0, RS_NO_QUEUE));
}

bool
rs_host_is(const struct rs_view *v, enum rs_fact_id id, const char *value)
{
	const char *const is = rs_view_fact(v, id, 0, RS_NO_QUEUE);

	return is && strcmp(is, value) == 0;
}

bool
rs_has_word(const char *value, const char *word)
{
	struct rs_text t = rs_text_of(value ? value : ""), w;

	while (rs_text_word(&t, &w)) {
		if (rs_text_eq(w, word))
			return true;
	}
	return false;
}

bool
rs_is_shaped(const char *qdisc)
{
	static const char *const shaping[] = {
	    "cake", "cake_mq", "htb", "tbf", "hfsc", "cbq", "netem"};

	for (size_t i = 0; i < RS_ARRAY_LEN(shaping); i++) {
		if (rs_has_word(qdisc, shaping[i]))
			return true;
	}
	return false;
}

void
rs_rings_look(const struct rs_view *v, const double *thresholds, struct rs_says *out,
    void (*look)(const struct rs_view *v, const struct rs_nic_view *nic, const double *thresholds,
	struct rs_says *out))
{
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		if (!nic->info.is_physical && !nic->counts_in_sums)
			continue;
		is_known |= !isnan(nic->lost_ring_pps);
		look(v, nic, thresholds, out);
	}
	if (!is_known)
		rs_needs(out, "counters of packets lost in receive rings");
}

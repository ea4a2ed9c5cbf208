/* SPDX-License-Identifier: ISC */
/*
 * Who leads, in the terms of the umbrella rules, and where its packets come
 * from.
 */
#include "lead.h"

#include <math.h>
#include <string.h>

#include "masks.h"
#include "rss.h"

/* The thresholds of core.imbalance and core.skewed, from which a cause is
 * looked for; what the configuration says of those rules decides whether they
 * are told. */
#define HOT 0.90
#define HOT_CLEAR 0.80
#define GAP 0.60
#define GAP_CLEAR 0.45
#define IDLE 0.5
#define IDLE_CLEAR 0.3
#define SKEW 0.50
#define SKEW_CLEAR 0.40
#define LINK_FULL 0.95

static bool
judge(const struct rs_view *v, struct rs_lead *l)
{
	struct rs_shape raise, hold, flat;

	rs_shape_of(v->groups, v->n_eligible_groups, HOT, &raise);
	rs_shape_of(v->groups, v->n_eligible_groups, HOT_CLEAR, &hold);
	rs_shape_of(v->groups, v->n_eligible_groups, 1.0, &flat);
	const bool is_imbalanced = rs_shape_is_imbalanced(&raise, GAP, IDLE);
	const bool is_skewed =
	    rs_shape_is_skewed(&flat, SKEW, GAP) && rs_load_flow(v) == RS_FLOW_SOME;
	l->is_imbalanced = is_imbalanced || rs_shape_is_imbalanced(&hold, GAP_CLEAR, IDLE_CLEAR);
	l->condition = is_imbalanced || is_skewed ? RS_COND_RAISE : RS_COND_BETWEEN;
	/* A core that was never full and only leads is no warning on its way up; one that is
	 * on its way down keeps what it has (engine.c). */
	const bool warns = is_imbalanced || (l->is_imbalanced && !is_skewed);
	l->severity = warns && !(rs_load_link_use(v) >= LINK_FULL) ? RS_WARN : RS_INFO;
	return l->is_imbalanced || is_skewed ||
	       (rs_shape_is_skewed(&flat, SKEW_CLEAR, GAP_CLEAR) &&
		   rs_load_flow(v) == RS_FLOW_SOME);
}

static const struct rs_group *
find_highest(const struct rs_view *v)
{
	const struct rs_group *top = &v->groups[0];

	for (size_t i = 1; i < rs_load_groups(v); i++) {
		if (v->groups[i].packet_load > top->packet_load)
			top = &v->groups[i];
	}
	return top;
}

static void
find_feeds(const struct rs_view *v, struct rs_lead *l)
{
	l->n_feeds = rs_feeds_of_core(v, l->group.cpu, l->feeds, RS_FEEDS_MAX);
	for (size_t i = 0; i < l->n_feeds; i++)
		l->feeds_ps += l->feeds[i].rate_ps;
	for (size_t i = 0; i < l->n_feeds; i++)
		l->n_nics += l->feeds_ps >= RS_NETWORK_WORK_PS &&
			     l->feeds[i].rate_ps >= RS_FEEDS_SHARE * l->feeds_ps;
}

/* What a receive queue takes to the core; NAN: not known. */
static double
queue_on_core(
    const struct rs_nic_view *nic, const struct rs_queue_view *q, bool is_only, unsigned cpu)
{
	const double pps = is_only && isnan(q->pps) ? nic->rx_pps : q->pps;

	if (pps <= 0.0)
		return 0.0;
	if (!q->line || !(q->line->rate_ps > 0.0))
		return NAN;
	return pps * rs_irq_rate_on(q->line, cpu) / q->line->rate_ps;
}

/* The same for a device whose queues nobody lists, when it has one line. */
static double
only_line_on_core(const struct rs_view *v, const struct rs_nic_view *nic, unsigned cpu)
{
	const struct rs_irq_view *only = NULL;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (!rs_irq_feed_of(q, nic->info.ifindex) || !(q->rate_ps > 0.0))
			continue;
		if (only)
			return NAN;
		only = q;
	}
	return only ? nic->rx_pps * rs_irq_rate_on(only, cpu) / only->rate_ps : (double)NAN;
}

static double
received_on_core(const struct rs_view *v, const struct rs_nic_view *nic, unsigned cpu)
{
	uint32_t n = 0;
	double sum = 0.0;

	while (n < nic->n_queues && !v->queues[nic->first_queue + n].is_tx)
		n++;
	if (n == 0)
		return only_line_on_core(v, nic, cpu);
	for (uint32_t i = 0; i < n; i++)
		sum += queue_on_core(nic, &v->queues[nic->first_queue + i], n == 1, cpu);
	return sum;
}

static void
find_received(const struct rs_view *v, struct rs_lead *l)
{
	double sum = 0.0;

	for (size_t i = 0; i < l->n_feeds; i++) {
		const struct rs_nic_view *const nic = rs_view_nic(v, l->feeds[i].ifindex);
		l->feed_rx_pps[i] = nic ? received_on_core(v, nic, l->group.cpu) : (double)NAN;
		if (!isnan(l->feed_rx_pps[i]))
			sum += l->feed_rx_pps[i];
		else if (l->feeds[i].rate_ps >= RS_FEEDS_SHARE * l->feeds_ps)
			return;
	}
	for (size_t i = 0; i < l->n_feeds; i++)
		l->n_rx_nics += sum > 0.0 && l->feed_rx_pps[i] >= RS_FEEDS_SHARE * sum;
}

/* What a device sends may interrupt more often than what another receives: where it is
 * known, the one that gives the core most packets comes first. */
static void
put_feeding_first(struct rs_lead *l)
{
	size_t best = 0;

	for (size_t i = 1; l->n_rx_nics > 0 && i < l->n_feeds; i++) {
		if (l->feed_rx_pps[i] > l->feed_rx_pps[best] || isnan(l->feed_rx_pps[best]))
			best = i;
	}
	const struct rs_core_feed feed = l->feeds[best];
	const double pps = l->feed_rx_pps[best];
	l->feeds[best] = l->feeds[0];
	l->feed_rx_pps[best] = l->feed_rx_pps[0];
	l->feeds[0] = feed;
	l->feed_rx_pps[0] = pps;
}

/* The masks of all its queues name this core alone. */
static bool
hands_all_to(const struct rs_view *v, const struct rs_nic_view *n, unsigned cpu)
{
	for (int32_t q = 0; q < RS_MAX(n->info.rx_queues, 1); q++) {
		const char *const mask =
		    rs_view_fact(v, RS_F_RPS_CPUS, n->info.ifindex, (uint16_t)q);
		if (rs_mask_only(mask) != (int)cpu)
			return false;
	}
	return true;
}

/* At least half of the interface's interrupts are the core's own. */
static bool
interrupts_mostly(const struct rs_view *v, const struct rs_nic_view *n, unsigned cpu)
{
	double all = 0.0, here = 0.0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (!(q->rate_ps > 0.0) || !rs_irq_feed_of(q, n->info.ifindex))
			continue;
		all += q->rate_ps;
		here += rs_irq_rate_on(q, cpu);
	}
	return all > 0.0 && here >= 0.5 * all;
}

/* Wake-ups count only while the core sleeps: one that is full is woken seldom.
 * Then the masks tell, where they hand it what most packets came by. */
static bool
is_by_rps(const struct rs_view *v, const struct rs_core_view *core)
{
	double sum = 0.0;

	if (core->rps_ps > 1.0 && core->rps_ps > core->nic_interrupts_ps)
		return true;
	for (size_t i = 0; i < v->n_nics; i++) {
		if (v->nics[i].counts_in_sums)
			sum += isnan(v->nics[i].rx_pps) ? 0.0 : v->nics[i].rx_pps;
	}
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (n->counts_in_sums && n->rx_pps >= 0.5 * sum && n->rx_pps > 0.0)
			return hands_all_to(v, n, core->cpu) && !interrupts_mostly(v, n, core->cpu);
	}
	return false;
}

/* Whether RPS hands packets of the interface to the core; true as well where no
 * mask of it was read. */
static bool
may_hand_to(const struct rs_view *v, const struct rs_nic_view *n, unsigned cpu)
{
	bool is_read = false;

	for (int32_t q = 0; q < RS_MAX(n->info.rx_queues, 1); q++) {
		const char *const mask =
		    rs_view_fact(v, RS_F_RPS_CPUS, n->info.ifindex, (uint16_t)q);
		is_read |= mask != NULL;
		if (rs_mask_has(mask, cpu))
			return true;
	}
	return !is_read;
}

/* The interface with the most received packets, among those that count; where the
 * core gets them by RPS, that may hand to it. */
static const struct rs_nic_view *
find_busiest_nic(const struct rs_view *v, const struct rs_lead *l)
{
	const struct rs_nic_view *best = NULL;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (n->counts_in_sums && !isnan(n->rx_pps) && (!best || n->rx_pps > best->rx_pps) &&
		    (!l->is_by_rps || may_hand_to(v, n, l->group.cpu)))
			best = n;
	}
	return best;
}

static void
find_nic(const struct rs_view *v, struct rs_lead *l)
{
	if (l->thread && l->thread->thread.class == RS_THREAD_NAPI &&
	    l->thread->thread.ifindex != 0)
		l->nic = rs_view_nic(v, l->thread->thread.ifindex);
	else if (!l->is_by_rps && l->n_feeds > 0)
		l->nic = rs_view_nic(v, l->feeds[0].ifindex);
	else
		l->nic = find_busiest_nic(v, l);
}

static void
find_queue(const struct rs_view *v, struct rs_lead *l)
{
	l->share = NAN;
	if (!l->nic)
		return;
	for (uint32_t i = 0; i < l->nic->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[l->nic->first_queue + i];
		if (q->is_tx)
			break;
		l->rx = l->rx ? l->rx : q;
		l->n_rx++;
		if (!isnan(q->pps) && q->pps > 0.0 && (!l->busiest || q->pps > l->busiest->pps))
			l->busiest = q;
	}
	if (l->n_rx == 0 && l->nic->info.rx_queues > 0)
		l->n_rx = (unsigned)l->nic->info.rx_queues;
	if (l->busiest)
		l->share = l->busiest->share;
}

bool
rs_lead_of(const struct rs_view *v, struct rs_lead *ret)
{
	/* A quiet tick ends here, before anything is cleared or searched. */
	if (!v->has_packet_load || v->n_eligible_groups < 2 ||
	    v->n_eligible_groups > RS_GROUPS_MAX || !(v->hottest_core_load >= SKEW_CLEAR))
		return false;
	memset(ret, 0, sizeof(*ret));
	ret->v = v;
	if (!judge(v, ret))
		return false;
	ret->group = *find_highest(v);
	ret->core = rs_view_core(v, ret->group.cpu);
	if (!ret->core)
		return false;
	find_feeds(v, ret);
	find_received(v, ret);
	put_feeding_first(ret);
	ret->is_by_rps = is_by_rps(v, ret->core);
	if (rs_load_is_threads(ret->core))
		ret->thread = rs_load_busiest_thread(v, ret->group.cpu, true);
	find_nic(v, ret);
	find_queue(v, ret);
	for (size_t i = 0; i < rs_load_groups(v); i++)
		ret->n_cold += v->groups[i].packet_load < RS_IDLE_BUSY;
	return true;
}

/* Bytes walked through to count a table: a table that needs more is odd enough to
 * be left alone. */
#define TABLE_BYTES_MAX 32768u

bool
rs_lead_table(const struct rs_lead *l, struct rs_lead_table *ret)
{
	const char *const text = rs_lead_fact(l, RS_F_RSS_TABLE);
	uint32_t queues;

	if (!text || l->n_rx < 2 || strlen(text) * l->n_rx > TABLE_BYTES_MAX)
		return false;
	*ret = (struct rs_lead_table){
	    .text = rs_text_of(text), .n = l->n_rx, .least = UINT32_MAX, .first = l->n_rx};
	if (!rs_rss_table_size(ret->text, &ret->entries, &queues) || ret->entries == 0)
		return false;
	for (unsigned q = 0; q < ret->n; q++) {
		const uint32_t count = rs_rss_table_count(ret->text, q);
		ret->most = RS_MAX(ret->most, count);
		ret->least = RS_MIN(ret->least, count);
		ret->selected += count > 0;
		if (count > 0)
			ret->first = RS_MIN(ret->first, q);
	}
	return ret->selected > 0;
}

const char *
rs_lead_fact(const struct rs_lead *l, enum rs_fact_id id)
{
	return l->nic ? rs_view_fact(l->v, id, l->nic->info.ifindex, RS_NO_QUEUE) : NULL;
}

int64_t
rs_lead_number(const struct rs_lead *l, enum rs_fact_id id)
{
	const char *const text = rs_lead_fact(l, id);
	struct rs_text t = rs_text_of(text ? text : "");
	uint64_t n;

	return text && rs_text_u64(&t, &n) && n <= INT64_MAX ? (int64_t)n : -1;
}

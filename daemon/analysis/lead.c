/* SPDX-License-Identifier: ISC */
/*
 * Who leads, in the terms of the umbrella rules, and where its packets come
 * from.
 */
#include "lead.h"

#include <math.h>
#include <string.h>

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
	l->severity = l->is_imbalanced && !(rs_load_link_use(v) >= LINK_FULL) ? RS_WARN : RS_INFO;
	return l->is_imbalanced || is_skewed ||
	       (rs_shape_is_skewed(&flat, SKEW_CLEAR, GAP_CLEAR) &&
		   rs_load_flow(v) == RS_FLOW_SOME);
}

static const struct rs_group *
find_highest(const struct rs_view *v)
{
	const struct rs_group *top = &v->groups[0];

	for (size_t i = 1; i < v->n_eligible_groups; i++) {
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

/* The interface with the most received packets, among those that count. */
static const struct rs_nic_view *
find_busiest_nic(const struct rs_view *v)
{
	const struct rs_nic_view *best = NULL;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const n = &v->nics[i];
		if (n->counts_in_sums && !isnan(n->rx_pps) && (!best || n->rx_pps > best->rx_pps))
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
		l->nic = find_busiest_nic(v);
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
	ret->is_by_rps = ret->core->rps_ps > fmax(1.0, ret->core->nic_interrupts_ps);
	if (rs_load_is_threads(ret->core))
		ret->thread = rs_load_busiest_thread(v, ret->group.cpu, true);
	find_nic(v, ret);
	find_queue(v, ret);
	for (size_t i = 0; i < v->n_eligible_groups; i++)
		ret->n_cold += v->groups[i].packet_load < RS_IDLE_BUSY;
	return true;
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

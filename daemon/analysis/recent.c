/* SPDX-License-Identifier: ISC */
/*
 * A span is cut into slots, and the slot that is older than the span is
 * emptied when its turn comes again: a sum is exact to one slot.
 */
#include "recent.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
	SLOTS = 60,
	FLOW_TICKS = 64, /* 10 s at 200 ms, and room */
	FLOW_MIN = 5,
	BEST_SLOT_S = 5
};
#define FLOW_NS (10 * RS_NS_PER_S)
#define FLOW_SPAN_MIN_NS (8 * RS_NS_PER_S)

struct sum {
	int64_t slot; /* number of the newest slot */
	bool is_known;
	double at[SLOTS];
};

struct nic {
	uint32_t ifindex; /* 0: free */
	uint64_t seen;	  /* tick */
	int64_t carrier_changes;
	struct sum sums[RS_RECENT_COUNT];
};

struct sample {
	rs_ns at_ns;
	double bps[2]; /* in, out */
};

struct best {
	int64_t slot;
	double forwarded_pps, offered_pps; /* forwarded 0: none */
};

struct rs_recent {
	uint64_t tick;
	rs_ns now_ns;
	struct sample flow[FLOW_TICKS]; /* ring, next: where the next one goes */
	unsigned next, n;
	struct best best[SLOTS];
	double forwarded_pps, offered_pps; /* of the tick before: not yet in best */
	struct nic nics[RS_RECENT_NICS_MAX];
};

static const unsigned spans_s[RS_RECENT_COUNT] = {
    [RS_RECENT_RX_60] = 60,
    [RS_RECENT_RING_60] = 60,
    [RS_RECENT_TX_60] = 60,
    [RS_RECENT_QDISC_60] = 60,
    [RS_RECENT_CARRIER_300] = 300,
    [RS_RECENT_RX_600] = 600,
    [RS_RECENT_WIRE_600] = 600,
};

int
rs_recent_new(struct rs_recent **ret)
{
	struct rs_recent *const r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->forwarded_pps = NAN;
	*ret = r;
	return 0;
}

void
rs_recent_free(struct rs_recent *r)
{
	free(r);
}

/* --- sums -------------------------------------------------------------- */

static int64_t
slot_at(rs_ns at_ns, unsigned span_s)
{
	return at_ns / (span_s * RS_NS_PER_S / SLOTS);
}

/* Empties the slots that passed since the newest. */
static void
advance(struct sum *s, int64_t slot)
{
	const int64_t passed = slot - s->slot;

	for (int64_t i = 1; i <= RS_MIN(passed, (int64_t)SLOTS); i++)
		s->at[(s->slot + i) % SLOTS] = 0.0;
	if (passed > 0)
		s->slot = slot;
	if (passed >= SLOTS)
		s->is_known = false;
}

static void
add(struct sum *s, rs_ns now_ns, unsigned span_s, double increment)
{
	const int64_t slot = slot_at(now_ns, span_s);

	advance(s, slot);
	if (isnan(increment))
		return;
	s->at[slot % SLOTS] += increment;
	s->is_known = true;
}

static struct nic *
find_nic(struct rs_recent *r, uint32_t ifindex)
{
	struct nic *room = NULL;

	for (unsigned i = 0; i < RS_RECENT_NICS_MAX; i++) {
		struct nic *const n = &r->nics[i];

		if (n->ifindex == ifindex)
			return n;
		if (!room && (n->ifindex == 0 || n->seen + 1 < r->tick))
			room = n; /* free, or of an interface that is gone */
	}
	if (room) {
		memset(room, 0, sizeof(*room));
		room->ifindex = ifindex;
		room->carrier_changes = -1;
	}
	return room;
}

static void
add_nic(struct rs_recent *r, const struct rs_nic_view *v, double seconds)
{
	struct nic *const n = find_nic(r, v->info.ifindex);
	double carrier = NAN;

	if (!n)
		return;
	if (n->carrier_changes >= 0 && v->info.carrier_changes >= n->carrier_changes)
		carrier = (double)(v->info.carrier_changes - n->carrier_changes);
	n->seen = r->tick;
	n->carrier_changes = v->info.carrier_changes;
	const double increments[RS_RECENT_COUNT] = {
	    [RS_RECENT_RX_60] = v->rx_pps * seconds,
	    [RS_RECENT_RING_60] = v->lost_ring_pps * seconds,
	    [RS_RECENT_TX_60] = v->tx_pps * seconds,
	    [RS_RECENT_QDISC_60] = v->lost_qdisc_pps * seconds,
	    [RS_RECENT_CARRIER_300] = carrier,
	    [RS_RECENT_RX_600] = v->rx_pps * seconds,
	    [RS_RECENT_WIRE_600] = v->lost_wire_pps * seconds,
	};
	for (unsigned i = 0; i < RS_RECENT_COUNT; i++)
		add(&n->sums[i], r->now_ns, spans_s[i], increments[i]);
}

double
rs_recent_sum(const struct rs_recent *r, uint32_t ifindex, enum rs_recent_id id)
{
	for (unsigned i = 0; i < RS_RECENT_NICS_MAX; i++) {
		if (r->nics[i].ifindex != ifindex || r->nics[i].seen != r->tick)
			continue;
		double all = 0.0;
		for (unsigned s = 0; s < SLOTS; s++)
			all += r->nics[i].sums[id].at[s];
		return r->nics[i].sums[id].is_known ? all : (double)NAN;
	}
	return NAN;
}

/* --- the machine ------------------------------------------------------- */

static void
add_flow(struct rs_recent *r, const struct rs_view *v)
{
	r->flow[r->next] = (struct sample){.at_ns = v->mono_ns, .bps = {v->rx_bps, v->tx_bps}};
	r->next = (r->next + 1) % FLOW_TICKS;
	r->n = RS_MIN(r->n + 1, (unsigned)FLOW_TICKS);
}

bool
rs_recent_flow(const struct rs_recent *r, bool is_tx, double *ret_mean_bps, double *ret_variation)
{
	double sum = 0.0, squares = 0.0;
	rs_ns oldest = r->now_ns;
	unsigned n = 0;

	for (unsigned i = 0; i < r->n; i++) {
		const struct sample *const s =
		    &r->flow[(r->next + FLOW_TICKS - 1 - i) % FLOW_TICKS];

		if (r->now_ns - s->at_ns >= FLOW_NS || isnan(s->bps[is_tx]))
			break;
		sum += s->bps[is_tx];
		oldest = s->at_ns;
		n++;
	}
	if (n < FLOW_MIN || r->now_ns - oldest < FLOW_SPAN_MIN_NS || !(sum > 0.0))
		return false;
	const double mean = sum / n;
	for (unsigned i = 0; i < n; i++) {
		const double d =
		    r->flow[(r->next + FLOW_TICKS - 1 - i) % FLOW_TICKS].bps[is_tx] - mean;
		squares += d * d;
	}
	*ret_mean_bps = mean;
	*ret_variation = sqrt(squares / n) / mean;
	return true;
}

/* A tick is compared with those before it, so it is added a tick later. */
static void
add_best(struct rs_recent *r, const struct rs_view *v)
{
	const int64_t slot = v->mono_ns / (BEST_SLOT_S * RS_NS_PER_S);
	struct best *const b = &r->best[slot % SLOTS];

	if (b->slot != slot)
		*b = (struct best){.slot = slot};
	if (r->forwarded_pps > b->forwarded_pps) {
		b->forwarded_pps = r->forwarded_pps;
		b->offered_pps = r->offered_pps;
	}
	r->forwarded_pps = v->tx_pps;
	r->offered_pps = v->rx_pps + (isnan(v->drops_pps) ? 0.0 : v->drops_pps);
}

bool
rs_recent_best(const struct rs_recent *r, double *ret_forwarded_pps, double *ret_offered_pps)
{
	const int64_t slot = r->now_ns / (BEST_SLOT_S * RS_NS_PER_S);
	const struct best *best = NULL;

	for (unsigned i = 0; i < SLOTS; i++) {
		const struct best *const b = &r->best[i];

		if (b->slot > slot - SLOTS && b->forwarded_pps > 0.0 &&
		    (!best || b->forwarded_pps > best->forwarded_pps))
			best = b;
	}
	if (!best)
		return false;
	*ret_forwarded_pps = best->forwarded_pps;
	*ret_offered_pps = best->offered_pps;
	return true;
}

void
rs_recent_add(struct rs_recent *r, const struct rs_view *v)
{
	const double seconds =
	    r->tick > 0 ? (double)(v->mono_ns - r->now_ns) / (double)RS_NS_PER_S : 0.0;

	r->tick++;
	r->now_ns = v->mono_ns;
	add_flow(r, v);
	add_best(r, v);
	for (size_t i = 0; i < v->n_nics; i++) {
		if (v->nics[i].info.is_physical || v->nics[i].counts_in_sums)
			add_nic(r, &v->nics[i], seconds);
	}
}

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
	BEST_SLOT_S = 5,
	BACKLOG_S = 60
};
#define FLOW_NS (10 * RS_NS_PER_S)
#define FLOW_SPAN_MIN_NS (8 * RS_NS_PER_S)
#define HOT 0.90
/* A link that came needs so long until its frames are whole. */
#define SETTLE_NS (5 * RS_NS_PER_S)
/* Settings are read every four seconds: what the link did so long before and after
 * a change of them was seen is theirs. */
#define EXCUSED_NS (10 * RS_NS_PER_S)
#define EXCUSED_SLOTS 3 /* of five seconds */

struct sum {
	int64_t slot; /* number of the newest slot */
	bool is_known;
	double at[SLOTS];
};

struct nic {
	uint32_t ifindex; /* 0: free */
	uint64_t seen;	  /* tick */
	int64_t carrier_changes;
	rs_ns moved_ns;	  /* when the carrier came or went */
	rs_ns excused_ns; /* when a setting changed for which drivers drop the link */
	struct sum sums[RS_RECENT_COUNT];
};

struct sample {
	rs_ns at_ns;
	double bps[2]; /* in, out */
	double connections;
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
	struct sum backlog_lost, backlog_passed;
	int32_t backlog_cpu; /* that lost most when that was last so; -1: none */
	struct best best[SLOTS];
	double forwarded_pps, offered_pps; /* of the tick before: not yet in best */
	struct nic nics[RS_RECENT_NICS_MAX];
	struct rs_trend trend;
};

static const unsigned spans_s[RS_RECENT_COUNT] = {
    [RS_RECENT_RX_60] = 60,
    [RS_RECENT_RING_60] = 60,
    [RS_RECENT_COLD_60] = 60,
    [RS_RECENT_TX_60] = 60,
    [RS_RECENT_QDISC_60] = 60,
    [RS_RECENT_CARRIER_300] = 300,
    [RS_RECENT_RX_600] = 600,
    [RS_RECENT_WIRE_600] = 600,
    [RS_RECENT_CRC_600] = 600,
};

int
rs_recent_new(struct rs_recent **ret)
{
	struct rs_recent *const r = calloc(1, sizeof(*r));

	if (!r)
		return -ENOMEM;
	r->forwarded_pps = NAN;
	r->backlog_cpu = -1;
	rs_trend_init(&r->trend);
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

/* The place of a slot in its ring, also before time 0. */
static size_t
place_of(int64_t slot)
{
	const int64_t at = slot % SLOTS;

	return (size_t)(at < 0 ? at + SLOTS : at);
}

/* Empties the slots that passed since the newest. */
static void
advance(struct sum *s, int64_t slot)
{
	const int64_t passed = slot - s->slot;

	for (int64_t i = 1; i <= RS_MIN(passed, (int64_t)SLOTS); i++)
		s->at[place_of(s->slot + i)] = 0.0;
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
	s->at[place_of(slot)] += increment;
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
		room->moved_ns = room->excused_ns = INT64_MIN / 2;
	}
	return room;
}

/* Takes back what was added in the newest slots. */
static void
forget_newest(struct sum *s, unsigned slots)
{
	for (unsigned i = 0; i < slots; i++)
		s->at[(s->slot + SLOTS - i) % SLOTS] = 0.0;
}

/* Whether a setting of the interface changed for which drivers reset the device:
 * `ethtool -L`, `-G`, `-s`, another MTU. */
static bool
was_set_anew(const struct rs_view *v, const struct rs_nic_view *nic)
{
	static const enum rs_fact_id resets[] = {RS_F_RX_QUEUES, RS_F_TX_QUEUES,
	    RS_F_CHANNELS_COMBINED, RS_F_CHANNELS_RX, RS_F_CHANNELS_TX, RS_F_RING_RX, RS_F_RING_TX,
	    RS_F_MTU, RS_F_AUTONEG, RS_F_LINK_ADVERTISED};

	for (size_t i = 0; i < v->n_changes; i++) {
		if (strcmp(v->changes[i].labels.device, nic->info.name) != 0)
			continue;
		for (size_t k = 0; k < RS_ARRAY_LEN(resets); k++) {
			if (v->changes[i].fact == resets[k])
				return true;
		}
	}
	return false;
}

/* How often the carrier came and went by itself; NAN: not known. */
static double
count_carrier(struct rs_recent *r, struct nic *n, const struct rs_nic_view *nic, bool is_set_anew)
{
	double carrier = NAN;

	if (n->carrier_changes >= 0 && nic->info.carrier_changes >= n->carrier_changes)
		carrier = (double)(nic->info.carrier_changes - n->carrier_changes);
	n->carrier_changes = nic->info.carrier_changes;
	if (is_set_anew) {
		n->excused_ns = r->now_ns;
		forget_newest(&n->sums[RS_RECENT_CARRIER_300], EXCUSED_SLOTS);
	}
	if (carrier > 0.0 || nic->info.is_up == 0) {
		n->moved_ns = r->now_ns;
		forget_newest(&n->sums[RS_RECENT_WIRE_600], 1);
		forget_newest(&n->sums[RS_RECENT_CRC_600], 1);
	}
	return carrier > 0.0 && r->now_ns - n->excused_ns < EXCUSED_NS ? 0.0 : carrier;
}

static bool
has_hot_core(const struct rs_view *v)
{
	return v->has_packet_load && v->hottest_core_load >= HOT;
}

static void
add_nic(
    struct rs_recent *r, const struct rs_view *view, const struct rs_nic_view *v, double seconds)
{
	struct nic *const n = find_nic(r, v->info.ifindex);

	if (!n)
		return;
	n->seen = r->tick;
	const double carrier = count_carrier(r, n, v, was_set_anew(view, v));
	const bool is_settled = r->now_ns - n->moved_ns >= SETTLE_NS;
	const double increments[RS_RECENT_COUNT] = {
	    [RS_RECENT_RX_60] = v->rx_pps * seconds,
	    [RS_RECENT_RING_60] = v->lost_ring_pps * seconds,
	    [RS_RECENT_COLD_60] = has_hot_core(view) ? 0.0 : v->lost_ring_pps * seconds,
	    [RS_RECENT_TX_60] = v->tx_pps * seconds,
	    [RS_RECENT_QDISC_60] = v->lost_qdisc_pps * seconds,
	    [RS_RECENT_CARRIER_300] = carrier,
	    [RS_RECENT_RX_600] = v->rx_pps * seconds,
	    [RS_RECENT_WIRE_600] = is_settled ? v->lost_wire_pps * seconds : 0.0,
	    [RS_RECENT_CRC_600] = is_settled ? v->rx_crc_pps * seconds : 0.0,
	};
	for (unsigned i = 0; i < RS_RECENT_COUNT; i++)
		add(&n->sums[i], r->now_ns, spans_s[i], increments[i]);
}

static double
total_of(const struct sum *s)
{
	double all = 0.0;

	for (unsigned i = 0; i < SLOTS; i++)
		all += s->at[i];
	return s->is_known ? all : (double)NAN;
}

double
rs_recent_sum(const struct rs_recent *r, uint32_t ifindex, enum rs_recent_id id)
{
	for (unsigned i = 0; i < RS_RECENT_NICS_MAX; i++) {
		if (r->nics[i].ifindex != ifindex || r->nics[i].seen != r->tick)
			continue;
		return total_of(&r->nics[i].sums[id]);
	}
	return NAN;
}

/* --- the machine ------------------------------------------------------- */

static void
add_flow(struct rs_recent *r, const struct rs_view *v)
{
	r->flow[r->next] = (struct sample){.at_ns = v->mono_ns,
	    .bps = {v->rx_bps, v->tx_bps},
	    .connections = v->conntrack_entries};
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

bool
rs_recent_conntrack(const struct rs_recent *r, double *ret_growth_ps)
{
	const struct sample *newest = NULL, *oldest = NULL;

	for (unsigned i = 0; i < r->n; i++) {
		const struct sample *const s =
		    &r->flow[(r->next + FLOW_TICKS - 1 - i) % FLOW_TICKS];

		if (r->now_ns - s->at_ns >= FLOW_NS || isnan(s->connections))
			break;
		newest = newest ? newest : s;
		oldest = s;
	}
	if (!newest || newest->at_ns - oldest->at_ns < FLOW_SPAN_MIN_NS)
		return false;
	*ret_growth_ps = (newest->connections - oldest->connections) * (double)RS_NS_PER_S /
			 (double)(newest->at_ns - oldest->at_ns);
	return true;
}

static void
add_backlogs(struct rs_recent *r, const struct rs_view *v, double seconds)
{
	const double counts = has_hot_core(v) ? 0.0 : 1.0;
	double lost = NAN, passed = NAN, most = 0.0;

	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		/* What the flow limit sheds is counted as dropped, too. */
		const double pps = counts * fmax(0.0, c->dropped_pps - fmax(0.0, c->flow_limit_ps));
		if (isnan(c->dropped_pps) || isnan(c->processed_pps))
			continue;
		lost = fmax(0.0, lost) + pps * seconds;
		passed = fmax(0.0, passed) + c->processed_pps * seconds;
		if (pps <= most)
			continue;
		most = pps;
		r->backlog_cpu = (int32_t)c->cpu;
	}
	add(&r->backlog_lost, r->now_ns, BACKLOG_S, lost);
	add(&r->backlog_passed, r->now_ns, BACKLOG_S, passed);
}

struct rs_recent_backlog
rs_recent_backlog(const struct rs_recent *r)
{
	return (struct rs_recent_backlog){
	    .lost = total_of(&r->backlog_lost),
	    .passed = total_of(&r->backlog_passed),
	    .cpu = r->backlog_cpu,
	};
}

/* A tick is compared with those before it, so it is added a tick later. */
static void
add_best(struct rs_recent *r, const struct rs_view *v)
{
	const int64_t slot = v->mono_ns / (BEST_SLOT_S * RS_NS_PER_S);
	struct best *const b = &r->best[place_of(slot)];

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

const struct rs_line *
rs_recent_line(const struct rs_recent *r)
{
	return rs_trend_line(&r->trend);
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
	add_backlogs(r, v, seconds);
	rs_trend_add(&r->trend, v, seconds);
	for (size_t i = 0; i < v->n_nics; i++) {
		if (v->nics[i].info.is_physical || v->nics[i].counts_in_sums)
			add_nic(r, v, &v->nics[i], seconds);
	}
}

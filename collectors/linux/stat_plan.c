/* SPDX-License-Identifier: ISC */
/*
 * What a name says is believed when the interface has such a queue: that gate
 * keeps out what only looks like one ("rx_64_octets" is a size), and the names
 * that drivers list for queues that are not in use. Pure; any thread.
 */
#include "stat_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drivers.h"

/* Where it is not known how many queues there are: so many may be, and a
 * higher one where the one before it is. */
#define QUEUES_LIKELY 16u

/* Makes room for one more; NULL: out of memory. */
static void *
grow(void *list, uint32_t n, uint32_t *cap, size_t size)
{
	if (n < *cap)
		return list;
	const uint32_t more = *cap ? 2 * *cap : 64;
	void *const p = realloc(list, more * size);
	if (p)
		*cap = more;
	return p;
}

static int
add_use(struct rs_stat_plan *p, const struct rs_stat_use *u)
{
	void *const room = grow(p->uses, p->n_uses, &p->cap_uses, sizeof(*p->uses));
	if (!room)
		return -ENOMEM;
	p->uses = room;
	p->uses[p->n_uses++] = *u;
	return 0;
}

static int
add_part(struct rs_stat_plan *p, enum rs_stat_sum what, uint32_t index)
{
	void *const room =
	    grow(p->parts[what], p->n_parts[what], &p->cap_parts[what], sizeof(*p->parts[what]));
	if (!room)
		return -ENOMEM;
	p->parts[what] = room;
	p->parts[what][p->n_parts[what]++] = index;
	return 0;
}

/* Adds all counters of the list, or the first of them. */
static int
plan_list(struct rs_stat_plan *p, const struct rs_stat_set *s, enum rs_stat_sum what,
    const char *list, bool is_one)
{
	const uint32_t n = RS_MIN(s->n, RS_STATS_MAX);
	for (uint32_t i = 0; list && i < n; i++) {
		if (!rs_driver_lists(list, rs_stat_name(s, i)))
			continue;
		const int error = add_part(p, what, i);
		if (error || is_one)
			return error;
	}
	return 0;
}

/* Each driver has one of these. Those that tell stop from go on have both; one
 * episode is one of each. */
static const char rx_pause[] =
    "rx_flow_control_xoff,port.link_xoff_rx,link_xoff_rx.nic,rx_pause_ctrl_phy,rx_pause,"
    "rx_pause_frames,rx_xoff_pause_rcvd,rx_xoff_frames,fc_received,port_rx_pause,"
    "mmc_rx_pause_frames,IEEE_rx_fdxfc,mac.rx_pause_mac_ctrl_frames,frames_rx_pause,"
    "MAC rx valid pause frames,rx_flow_control_packets,mac_rx_mac_pause_num,rx_mac_pause,"
    "rx_pause_packets";
static const char tx_pause[] =
    "tx_flow_control_xoff,port.link_xoff_tx,link_xoff_tx.nic,tx_pause_ctrl_phy,tx_pause,"
    "tx_pause_frames,tx_pauseframes,tx_xoff_sent,tx_xoff_frames,fc_sent,port_tx_pause,"
    "mmc_tx_pause_frame,IEEE_tx_fdxfc,mac.tx_pause_mac_ctrl_frames,frames_tx_pause,"
    "MAC tx valid pause frames,mac_tx_mac_pause_num,tx_mac_pause,tx_pause_packets";

/* Of a driver that does not tell by queue, in this order: a stop, or that it went
 * on after one. */
static const char *const stops[] = {
    "tx_queue_stopped", "tx_stopped", "tx_restart_queue", "tx_restart"};

static int
plan_stops(struct rs_stat_plan *p, const struct rs_stat_set *s)
{
	int error = 0;
	for (uint32_t i = 0; !error && i < p->n_uses; i++) {
		if (p->uses[i].kind == RS_STAT_TXSTOP)
			error = add_part(p, RS_STAT_STOPS, p->uses[i].index);
	}
	for (size_t i = 0; !error && p->n_parts[RS_STAT_STOPS] == 0 && i < RS_ARRAY_LEN(stops); i++)
		error = plan_list(p, s, RS_STAT_STOPS, stops[i], true);
	return error;
}

/* Amazon's ena; what is local to the link passes no router. */
static const char allowance[] =
    "bw_in_allowance_exceeded,bw_out_allowance_exceeded,pps_allowance_exceeded,"
    "conntrack_allowance_exceeded";

static int
plan_sums(struct rs_stat_plan *p, const struct rs_stat_set *s, const char *ring)
{
	int error = plan_list(p, s, RS_STAT_RING, ring, false);
	if (!error)
		error = plan_list(p, s, RS_STAT_RX_PAUSE, rx_pause, true);
	if (!error)
		error = plan_list(p, s, RS_STAT_TX_PAUSE, tx_pause, true);
	if (!error)
		error = plan_list(p, s, RS_STAT_ALLOWANCE, allowance, false);
	return error ? error : plan_stops(p, s);
}

static bool
is_same_key(const struct rs_stat_use *a, const struct rs_stat_use *b)
{
	return a->is_tx == b->is_tx && a->queue == b->queue && a->kind == b->kind;
}

static int
compare(const void *x, const void *y)
{
	const struct rs_stat_use *const a = x, *const b = y;
	if (a->is_tx != b->is_tx)
		return a->is_tx - b->is_tx;
	if (a->queue != b->queue)
		return a->queue - b->queue;
	if (a->kind != b->kind)
		return a->kind - b->kind;
	if (a->rank != b->rank)
		return a->rank - b->rank;
	return a->index < b->index ? -1 : a->index > b->index;
}

/* Whether the name was there for the same queue before: a text may hold the
 * same lines twice. */
static bool
is_repeated(const struct rs_stat_plan *p, const struct rs_stat_set *s, uint32_t kept,
    const struct rs_stat_use *u)
{
	const struct rs_text name = rs_stat_name(s, u->index);
	while (kept > 0 && is_same_key(&p->uses[kept - 1], u)) {
		if (rs_text_same(rs_stat_name(s, p->uses[--kept].index), name))
			return true;
	}
	return false;
}

/* last: the queue before it, or -1. */
static bool
has_queue(const struct rs_stat_use *u, int32_t queues, int32_t last)
{
	if (queues >= 0)
		return u->queue < queues;
	return u->queue < QUEUES_LIKELY || u->queue <= last + 1;
}

/* Of the sorted uses, keeps those that stand both gates, each thing once. */
static void
choose(struct rs_stat_plan *p, const struct rs_stat_set *s, int32_t rx_queues, int32_t tx_queues)
{
	uint32_t kept = 0;
	int32_t last[2] = {-1, -1};
	for (uint32_t i = 0; i < p->n_uses; i++) {
		const struct rs_stat_use u = p->uses[i];
		const struct rs_stat_use *const before = kept ? &p->uses[kept - 1] : NULL;
		if (!has_queue(&u, u.is_tx ? tx_queues : rx_queues, last[u.is_tx]))
			continue;
		last[u.is_tx] = u.queue;
		if (before && is_same_key(before, &u) &&
		    (before->rank < u.rank || is_repeated(p, s, kept, &u)))
			continue;
		p->uses[kept++] = u;
	}
	p->n_uses = kept;
}

static void
count_values(struct rs_stat_plan *p)
{
	p->n_values = 0;
	for (uint32_t i = 0; i < p->n_uses; i++)
		p->n_values = RS_MAX(p->n_values, p->uses[i].index + 1);
	for (unsigned what = 0; what < RS_STAT_SUMS; what++) {
		for (uint32_t i = 0; i < p->n_parts[what]; i++)
			p->n_values = RS_MAX(p->n_values, p->parts[what][i] + 1);
	}
}

int
rs_stat_plan_make(struct rs_stat_plan *p, const struct rs_stat_set *s,
    const struct rs_driver *driver, int32_t rx_queues, int32_t tx_queues)
{
	const uint32_t n = RS_MIN(s->n, RS_STATS_MAX);
	struct rs_stat_place place = {0};
	p->n_uses = p->n_values = 0;
	memset(p->n_parts, 0, sizeof(p->n_parts));
	for (uint32_t i = 0; i < n; i++) {
		struct rs_stat_use u;
		if (!rs_stat_read(s, i, &place, &u))
			continue;
		const int error = add_use(p, &u);
		if (error)
			return error;
	}
	if (p->n_uses)
		qsort(p->uses, p->n_uses, sizeof(*p->uses), compare);
	choose(p, s, rx_queues, tx_queues);
	const int error = plan_sums(p, s, driver ? driver->ring : NULL);
	count_values(p);
	return error;
}

void
rs_stat_plan_free(struct rs_stat_plan *p)
{
	free(p->uses);
	for (unsigned what = 0; what < RS_STAT_SUMS; what++)
		free(p->parts[what]);
	*p = (struct rs_stat_plan){0};
}

bool
rs_stat_next(const struct rs_stat_plan *p, const uint64_t *values, uint32_t n_values, uint32_t *at,
    struct rs_stat_use *ret, uint64_t *ret_sum)
{
	if (n_values < p->n_values || *at >= p->n_uses)
		return false;
	*ret = p->uses[*at];
	*ret_sum = 0;
	for (; *at < p->n_uses && is_same_key(&p->uses[*at], ret); ++*at)
		*ret_sum += values[p->uses[*at].index];
	return true;
}

bool
rs_stat_total(const struct rs_stat_plan *p, enum rs_stat_sum what, const uint64_t *values,
    uint32_t n_values, uint64_t *ret)
{
	if (!p->n_parts[what] || n_values < p->n_values)
		return false;
	*ret = 0;
	for (uint32_t i = 0; i < p->n_parts[what]; i++)
		*ret += values[p->parts[what][i]];
	return true;
}

bool
rs_stat_ring(const struct rs_stat_plan *p, const uint64_t *values, uint32_t n_values, uint64_t *ret)
{
	return rs_stat_total(p, RS_STAT_RING, values, n_values, ret);
}

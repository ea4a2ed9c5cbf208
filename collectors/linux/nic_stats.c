/* SPDX-License-Identifier: ISC */
/*
 * Names are read again now and then; a plan is made only when their hash is
 * another one. Loop thread.
 */
#include "nic_stats.h"

#include <errno.h>
#include <string.h>

#include "drivers.h"

#define SLACK_NS (RS_NS_PER_S / 5)
#define DROPS_PACE_S 10
/* Of what a reading tells aside, and of what one is made for alone: it may take a
 * hundred registers of the device. */
#define ASIDE_PACE_S 4
#define ALONE_PACE_S 10

_Static_assert(RS_STAT_NAME_BYTES == RS_ETHTOOL_NAME_BYTES, "the kernel's names as they come");

/* FNV-1a. */
static uint64_t
hash(uint64_t h, const void *bytes, size_t len)
{
	const uint8_t *const p = bytes;
	for (size_t i = 0; i < len; i++)
		h = (h ^ p[i]) * UINT64_C(1099511628211);
	return h;
}

static uint64_t
hash_of(const char *names, uint32_t n, const struct rs_nic_info *nic)
{
	uint64_t h = hash(UINT64_C(14695981039346656037), names, (size_t)n * RS_STAT_NAME_BYTES);
	h = hash(h, &nic->rx_queues, sizeof(nic->rx_queues));
	h = hash(h, &nic->tx_queues, sizeof(nic->tx_queues));
	h = hash(h, nic->driver, strlen(nic->driver));
	return h ? h : 1;
}

static bool
counts(const struct rs_stat_plan *p, enum rs_stat_kind most)
{
	for (uint32_t i = 0; i < p->n_uses; i++) {
		if (p->uses[i].kind <= most)
			return true;
	}
	return false;
}

/* names are the ethtool region's: they are gone with the next answer. */
static int
make_plan(struct rs_nic_stats *st, const struct rs_ethtool *e, const struct rs_nic_info *nic,
    const char *names, uint32_t n)
{
	struct rs_stat_set set = {.names = NULL};
	const uint64_t *values;
	int error = rs_stat_set_size(&set, n);
	if (!error) {
		memcpy(set.names, names, (size_t)n * RS_STAT_NAME_BYTES);
		error = rs_ethtool_values(e, nic->name, n, &values);
	}
	if (!error) {
		memcpy(set.values, values, n * sizeof(*values));
		error = rs_stat_plan_make(
		    &st->plan, &set, rs_driver_of(nic), nic->rx_queues, nic->tx_queues);
	}
	rs_stat_set_free(&set);
	return error;
}

int
rs_nic_stats_find(
    struct rs_nic_stats *st, const struct rs_ethtool *e, const struct rs_nic_info *nic)
{
	const struct rs_driver *const driver = rs_driver_of(nic);
	const char *names;
	uint32_t n;
	st->n = 0;
	st->has_queues = st->has_ring = st->has_pause = st->has_stops = st->has_allowance = false;
	st->needs_ring = driver && driver->loss_ring & RS_LOSS_DRIVER;
	int error = rs_ethtool_count(e, nic->name, &n);
	if (!error)
		error = rs_ethtool_names(e, nic->name, n, &names);
	if (error)
		return error;
	const uint64_t now = hash_of(names, n, nic);
	if (now != st->planned) {
		st->planned = 0;
		error = make_plan(st, e, nic, names, n);
		if (error)
			return error;
		st->planned = now;
	}
	st->pace_s = driver ? driver->pace_s : 0;
	st->ring_pace_s = driver ? RS_MAX(driver->pace_s, driver->refresh_s) : 0;
	st->has_queues = counts(&st->plan, RS_STAT_DROPS);
	st->has_traffic = counts(&st->plan, RS_STAT_BYTES);
	/* A veth counts drops of its queues and nothing else; a machine may have a
	 * thousand of them. */
	if (!st->has_traffic)
		st->pace_s = RS_MAX(st->pace_s, DROPS_PACE_S);
	st->has_ring = st->plan.n_parts[RS_STAT_RING] > 0;
	st->has_pause =
	    st->plan.n_parts[RS_STAT_RX_PAUSE] > 0 || st->plan.n_parts[RS_STAT_TX_PAUSE] > 0;
	st->has_stops = st->plan.n_parts[RS_STAT_STOPS] > 0;
	st->has_allowance = st->plan.n_parts[RS_STAT_ALLOWANCE] > 0;
	const uint8_t more_pace_s = st->has_traffic || st->needs_ring ? ASIDE_PACE_S : ALONE_PACE_S;
	st->more_pace_s = RS_MAX(st->ring_pace_s, more_pace_s);
	if (!st->has_queues && !(st->has_ring && st->needs_ring) && !st->has_pause &&
	    !st->has_stops && !st->has_allowance)
		return -EOPNOTSUPP;
	st->n = n;
	return 0;
}

bool
rs_nic_stats_is_due(rs_ns last, uint8_t pace_s, rs_ns now)
{
	return last == now || now - last >= pace_s * RS_NS_PER_S - SLACK_NS;
}

void
rs_nic_stats_fini(struct rs_nic_stats *st)
{
	rs_stat_plan_free(&st->plan);
	memset(st, 0, sizeof(*st));
}

void
rs_nic_stats_put_queues(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f)
{
	static const enum rs_metric_id metrics[][2] = {
	    [RS_STAT_PACKETS] = {RS_M_QUEUE_RX_PACKETS, RS_M_QUEUE_TX_PACKETS},
	    [RS_STAT_BYTES] = {RS_M_QUEUE_RX_BYTES, RS_M_QUEUE_TX_BYTES},
	    [RS_STAT_DROPS] = {RS_M_QUEUE_RX_DROPS, RS_M_QUEUE_TX_DROPS},
	};
	struct rs_stat_use use;
	uint64_t sum;
	uint32_t at = 0;
	while (rs_stat_next(&st->plan, values, st->n, &at, &use, &sum)) {
		if (use.kind < RS_ARRAY_LEN(metrics))
			rs_put_queue(
			    f, metrics[use.kind][use.is_tx], ifindex, use.queue, sum, st->pace_s);
	}
}

void
rs_nic_stats_put_ring(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f)
{
	uint64_t lost;
	if (rs_stat_ring(&st->plan, values, st->n, &lost))
		rs_put_paced(f, RS_M_NIC_RX_RING, ifindex, lost, st->ring_pace_s);
}

static void
put_total(const struct rs_nic_stats *st, enum rs_stat_sum what, const uint64_t *values,
    uint32_t ifindex, enum rs_metric_id metric, struct rs_frame *f)
{
	uint64_t total;
	if (rs_stat_total(&st->plan, what, values, st->n, &total))
		rs_put_paced(f, metric, ifindex, total, st->more_pace_s);
}

void
rs_nic_stats_put_pause(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f)
{
	put_total(st, RS_STAT_RX_PAUSE, values, ifindex, RS_M_NIC_RX_PAUSE, f);
	put_total(st, RS_STAT_TX_PAUSE, values, ifindex, RS_M_NIC_TX_PAUSE, f);
}

void
rs_nic_stats_put_stops(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f)
{
	put_total(st, RS_STAT_STOPS, values, ifindex, RS_M_NIC_TX_STOPS, f);
}

void
rs_nic_stats_put_allowance(
    const struct rs_nic_stats *st, const uint64_t *values, uint32_t ifindex, struct rs_frame *f)
{
	put_total(st, RS_STAT_ALLOWANCE, values, ifindex, RS_M_NIC_ALLOWANCE, f);
}

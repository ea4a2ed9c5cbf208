/* SPDX-License-Identifier: ISC */
/*
 * Counters of each interface's queues, from where they are told best: the netdev
 * family of netlink, else `ethtool -S`, whose one reading also gives what the
 * ring lost. Aside, and less often, pause frames and how often a full ring stopped
 * a transmit queue. A tick reads values only; nic_list.c knows beforehand of whom.
 * Loop thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "ethtool_pause.h"
#include "genl.h"
#include "nic_list.h"

#define RETRY_NS (5 * RS_NS_PER_S)
#define NEVER INT64_MAX

enum {
	TRIES = 3,
	NONE_PACE_S = 10, /* that there are no counters is told again so often */
	PAUSE_PACE_S = 4
};

struct state {
	struct rs_ethtool *ethtool;
	struct rs_nic_list list;
	struct rs_genl *genl;		/* NULL: not open */
	bool is_genl_missing;		/* the kernel knows nothing of it */
	struct rs_ethtool_pause *pause; /* NULL: the kernel knows nothing of it */
	rs_ns probe_ns;			/* when netlink is asked though nobody answered last time */
	struct rs_frame *f;		/* of this tick */
};

/* Two sources need not count from the same beginning: where another one told
 * before, the first frame is without counters, which ends the queues. */
static bool
continues(const struct rs_nic_entry *nic, enum rs_queue_source source)
{
	return nic->told == RS_QUEUES_NONE || nic->told == source;
}

/* ------------------------------------------------------------ by netlink */

static void
put_if(struct rs_frame *f, bool has, enum rs_metric_id metric, const struct rs_qstats *q,
    uint64_t value)
{
	if (has)
		rs_put_queue(f, metric, q->ifindex, q->queue, value, 0);
}

/* A driver that counts no packets of a queue is not trusted with the rest. */
static void
put_qstats(void *arg, const struct rs_qstats *q)
{
	struct state *const s = arg;
	struct rs_nic_entry *const nic = rs_nic_list_find(&s->list, q->ifindex);
	if (!nic || nic->is_noted || nic->is_loopback || !nic->is_up || !q->has_packets)
		return;
	nic->is_answered = nic->is_in_frame = true;
	if (q->has_drops && !q->is_tx) {
		nic->has_drops = true;
		nic->rx_drops += q->drops;
	}
	if (q->has_stops) {
		nic->has_stops = true;
		nic->stops += q->stops;
	}
	if (!continues(nic, RS_QUEUES_NETLINK))
		return;
	put_if(s->f, true, q->is_tx ? RS_M_QUEUE_TX_PACKETS : RS_M_QUEUE_RX_PACKETS, q, q->packets);
	put_if(
	    s->f, q->has_bytes, q->is_tx ? RS_M_QUEUE_TX_BYTES : RS_M_QUEUE_RX_BYTES, q, q->bytes);
	put_if(
	    s->f, q->has_drops, q->is_tx ? RS_M_QUEUE_TX_DROPS : RS_M_QUEUE_RX_DROPS, q, q->drops);
}

static int
dump_qstats(struct state *s)
{
	if (!s->genl) {
		const int error = s->is_genl_missing ? -ENOENT : rs_genl_open(&s->genl);
		if (error)
			return error;
	}
	int error = -EAGAIN;
	for (unsigned tries = 0; tries < TRIES && error == -EAGAIN; tries++) {
		s->f->n_readings = 0;
		for (size_t i = 0; i < s->list.n; i++) {
			struct rs_nic_entry *const nic = &s->list.entries[i];
			nic->is_answered = nic->is_in_frame = false;
			nic->has_drops = nic->has_stops = false;
			nic->rx_drops = nic->stops = 0;
		}
		error = rs_genl_qstats(s->genl, put_qstats, s);
	}
	return error;
}

/* Asked only where somebody answers or may. */
static int
read_netlink(struct state *s)
{
	bool is_needed = false;
	for (size_t i = 0; i < s->list.n; i++) {
		is_needed |= s->list.entries[i].was_answered;
		s->list.entries[i].is_answered = false;
	}
	if (!is_needed && !s->list.has_new && s->f->at_ns < s->probe_ns)
		return 0;
	const int error = dump_qstats(s);
	s->list.has_new = false;
	s->probe_ns = error ? s->f->at_ns + RETRY_NS : NEVER;
	for (size_t i = 0; !error && i < s->list.n; i++)
		s->list.entries[i].was_answered = s->list.entries[i].is_answered;
	if (!error || is_needed)
		return error;
	/* Nobody's counters are missed. */
	s->f->n_readings = 0;
	if (error == -ENOENT || error == -EOPNOTSUPP) {
		rs_genl_close(s->genl);
		s->genl = NULL;
		s->is_genl_missing = true;
		s->probe_ns = NEVER;
	}
	return 0;
}

/* ------------------------------------------------------------ by ethtool */

/* Whether `ethtool -S` is what tells of the queues. */
static bool
is_ethtools(const struct rs_nic_entry *nic)
{
	return nic->stats.n && nic->stats.has_queues && !nic->is_answered;
}

/* Of what netlink does not tell. */
static bool
wants_pause(const struct rs_nic_entry *nic)
{
	return nic->stats.has_pause && nic->lacks_pause;
}

static bool
wants_stops(const struct rs_nic_entry *nic)
{
	return nic->stats.has_stops && !(nic->is_answered && nic->has_stops);
}

static bool
wants_more(const struct rs_nic_entry *nic)
{
	return wants_pause(nic) || wants_stops(nic) || nic->stats.has_allowance;
}

static void
put_more(struct state *s, struct rs_nic_entry *nic, const uint64_t *values)
{
	if (wants_pause(nic))
		rs_nic_stats_put_pause(&nic->stats, values, nic->ifindex, s->f);
	if (wants_stops(nic))
		rs_nic_stats_put_stops(&nic->stats, values, nic->ifindex, s->f);
	if (nic->stats.has_allowance)
		rs_nic_stats_put_allowance(&nic->stats, values, nic->ifindex, s->f);
	nic->more_ns = s->f->at_ns;
}

/* Returns whether the counters of the queues were read. */
static bool
read_ethtool(struct state *s, struct rs_nic_entry *nic)
{
	const struct rs_nic_stats *const st = &nic->stats;
	const rs_ns now = s->f->at_ns;
	const bool has_queues =
	    is_ethtools(nic) && rs_nic_stats_is_due(nic->read_ns, st->pace_s, now);
	const bool has_ring = st->n && st->has_ring && (has_queues || st->needs_ring) &&
			      rs_nic_stats_is_due(nic->ring_ns, st->ring_pace_s, now);
	const bool has_more = st->n && nic->is_physical && wants_more(nic) &&
			      rs_nic_stats_is_due(nic->more_ns, st->more_pace_s, now);
	const uint64_t *values;
	if (!has_queues && !has_ring && !has_more)
		return false;
	const int error = rs_nic_list_is_asleep(&s->list, nic)
			      ? -ENODEV
			      : rs_ethtool_values(s->ethtool, nic->name, st->n, &values);
	if (error == -ESTALE)
		nic->is_noted = true;
	else if (error)
		rs_nic_list_failed(nic, error, now);
	if (error)
		return false;
	nic->is_in_frame = true;
	if (has_queues && continues(nic, RS_QUEUES_ETHTOOL))
		rs_nic_stats_put_queues(st, values, nic->ifindex, s->f);
	if (has_queues)
		nic->read_ns = now;
	if (has_ring) {
		rs_nic_stats_put_ring(st, values, nic->ifindex, s->f);
		nic->ring_ns = now;
	}
	if (has_more)
		put_more(s, nic, values);
	return has_queues;
}

/* Where it is told by netlink it is not read from `ethtool -S`, which may be far
 * dearer. */
static void
read_pause(struct state *s, struct rs_nic_entry *nic)
{
	const uint8_t least_s = PAUSE_PACE_S, pace_s = RS_MAX(nic->stats.pace_s, least_s);
	struct rs_pause_frames frames;
	nic->lacks_pause |= !s->pause;
	if (!nic->is_physical || !nic->is_up || nic->lacks_pause ||
	    !rs_nic_stats_is_due(nic->pause_ns, pace_s, s->f->at_ns) ||
	    rs_nic_list_is_asleep(&s->list, nic))
		return;
	nic->pause_ns = s->f->at_ns;
	const int error = rs_ethtool_pause_get(s->pause, nic->ifindex, &frames);
	nic->lacks_pause = error == -EOPNOTSUPP;
	if (error)
		return;
	if (frames.has_rx)
		rs_put_paced(s->f, RS_M_NIC_RX_PAUSE, nic->ifindex, frames.rx, pace_s);
	if (frames.has_tx)
		rs_put_paced(s->f, RS_M_NIC_TX_PAUSE, nic->ifindex, frames.tx, pace_s);
}

/* ------------------------------------------------------------ a tick */

static const char *
why_none(const struct rs_nic_entry *nic)
{
	static const struct {
		int error;
		const char *why;
	} reasons[] = {
	    {0, "the driver has no queue counters"},
	    {-EOPNOTSUPP, "the driver has no queue counters"},
	    {-EPERM, "not permitted"},
	    {-EACCES, "not permitted"},
	    {-ENODEV, "the device is asleep or being reset"},
	    {-E2BIG, "the driver has more counters than are read"},
	};
	if (!nic->error && !nic->is_up)
		return "the interface is down";
	for (size_t i = 0; i < RS_ARRAY_LEN(reasons); i++) {
		if (reasons[i].error == nic->error)
			return reasons[i].why;
	}
	return strerror(-nic->error);
}

static const char drops_only[] = "the driver counts drops of its queues, not packets";

static void
put_origin(struct rs_frame *f, struct rs_nic_entry *nic, enum rs_queue_source source)
{
	struct rs_queue_origin *const o = rs_frame_origin(f);
	if (!o)
		return;
	nic->source = source;
	o->ifindex = nic->ifindex;
	o->source = source;
	if (source == RS_QUEUES_ETHTOOL) {
		o->pace_s = nic->stats.pace_s;
		if (!nic->stats.has_traffic)
			(void)rs_text_copy(rs_text_of(drops_only), o->reason, sizeof(o->reason));
	} else if (source == RS_QUEUES_NONE) {
		(void)rs_text_copy(rs_text_of(why_none(nic)), o->reason, sizeof(o->reason));
	}
}

/* Interfaces without counters may be many: not all are told of each time. */
static void
put_none(struct rs_frame *f, struct rs_nic_entry *nic)
{
	if (nic->told == RS_QUEUES_NONE &&
	    !rs_nic_stats_is_due(nic->none_ns, NONE_PACE_S, f->at_ns))
		return;
	put_origin(f, nic, RS_QUEUES_NONE);
	nic->none_ns = f->at_ns;
}

/* One that changed since it was described is left out, and so is one whose time
 * has not come. */
static void
read_nic(struct state *s, struct rs_nic_entry *nic)
{
	if (nic->is_noted || nic->is_loopback)
		return;
	read_pause(s, nic);
	const bool was_read = read_ethtool(s, nic);
	if (nic->is_answered && nic->has_stops)
		rs_put(s->f, RS_M_NIC_TX_STOPS, nic->ifindex, nic->stops);
	if (nic->is_answered) {
		if (nic->has_drops && nic->stats.needs_ring && !nic->stats.has_ring)
			rs_put(s->f, RS_M_NIC_RX_RING, nic->ifindex, nic->rx_drops);
		put_origin(s->f, nic, RS_QUEUES_NETLINK);
	} else if (was_read) {
		put_origin(s->f, nic, RS_QUEUES_ETHTOOL);
	} else if (!is_ethtools(nic)) {
		put_none(s->f, nic);
	}
}

static int
read_all(struct state *s)
{
	s->f->n_readings = s->f->n_origins = 0;
	for (size_t i = 0; i < s->list.n; i++) {
		s->list.entries[i].is_in_frame = false;
		s->list.entries[i].source = s->list.entries[i].told;
	}
	const int error = read_netlink(s);
	for (size_t i = 0; !error && i < s->list.n; i++)
		read_nic(s, &s->list.entries[i]);
	return error;
}

static void
note_told(struct rs_nic_list *l)
{
	for (size_t i = 0; i < l->n; i++)
		l->entries[i].told = l->entries[i].source;
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	s->f = f;
	for (size_t i = 0; f->has_new_channels && i < s->list.n; i++)
		s->list.entries[i].is_noted = true;
	int error = rs_nic_list_follow(&s->list, f->at_ns);
	/* Interfaces are read by name: one that was given another name meanwhile
	 * lent its own to another. What changed is left out of the next try. */
	for (unsigned tries = 0; !error && tries < TRIES; tries++) {
		error = read_all(s);
		if (!error && rs_nic_list_is_same(&s->list)) {
			note_told(&s->list);
			return 0;
		}
	}
	f->n_readings = f->n_origins = 0;
	return error;
}

static void
close_queues(void *state)
{
	struct state *const s = state;
	rs_nic_list_close(&s->list);
	rs_genl_close(s->genl);
	rs_ethtool_pause_close(s->pause);
	rs_ethtool_close(s->ethtool);
	free(s);
}

static int
open_queues(const struct rs_root *root, void **ret_state)
{
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	s->probe_ns = NEVER;
	int error = rs_ethtool_open(&s->ethtool);
	if (!error)
		error = rs_nic_list_open(&s->list, root, s->ethtool);
	/* Without it ethtool -S has to tell. */
	if (!error && rs_ethtool_pause_open(&s->pause) != 0)
		s->pause = NULL;
	if (error) {
		close_queues(s);
		return error;
	}
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {NULL};

RS_COLLECTOR(nic_queues) = {
    .id = "queues",
    .summary = "counters of NIC queues by netlink or ethtool",
    .paths = paths,
    .where = RS_WHERE_LIVE,
    .open = open_queues,
    .collect = collect,
    .close = close_queues,
};

/* SPDX-License-Identifier: ISC */
/*
 * A round begins with what ethtool sets, for nobody tells when it changes; but
 * for offloads, which come with a notice of the link. Now and then, and when
 * there was a notice, the rest follows: how many queues there are, and all files.
 */
#include "nic_settings.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "irqname.h"
#include "nic_attributes.h"
#include "num.h"

#define DIR "sys/class/net"

enum {
	QUEUES_MAX = 4096,
	PATH_BYTES = 96,
	OF_QUEUE = 2,
	/* A device may have hundreds of transmit queues, and one stands still for five
	 * seconds before anybody says so: not all are looked at in each round. */
	TIMEOUTS_A_ROUND = 8
};

/* The files of a queue, by direction: receive, transmit. */
static const struct {
	const char *file;
	enum rs_fact_id id;
	rs_setting_form form;
} queue_files[2][OF_QUEUE] = {
    {{"rps_cpus", RS_F_RPS_CPUS, rs_setting_mask},
	{"rps_flow_cnt", RS_F_RPS_FLOWS, rs_setting_number}},
    {{"xps_cpus", RS_F_XPS_CPUS, rs_setting_mask}, {"xps_rxqs", RS_F_XPS_RXQS, rs_setting_mask}},
};

/* The facts an answer's values are, in the order of ethtool_settings.h. */
static const struct {
	unsigned n;
	enum rs_fact_id id[RS_ETHTOOL_VALUES];
} ethtool_facts[RS_ETHTOOL_GROUPS] = {
    [RS_ETHTOOL_CHANNELS] = {6,
	{RS_F_CHANNELS_COMBINED, RS_F_CHANNELS_COMBINED_MAX, RS_F_CHANNELS_RX, RS_F_CHANNELS_RX_MAX,
	    RS_F_CHANNELS_TX, RS_F_CHANNELS_TX_MAX}},
    [RS_ETHTOOL_RINGS] = {4, {RS_F_RING_RX, RS_F_RING_RX_MAX, RS_F_RING_TX, RS_F_RING_TX_MAX}},
    [RS_ETHTOOL_COALESCE] = {6,
	{RS_F_COALESCE_ADAPTIVE_RX, RS_F_COALESCE_ADAPTIVE_TX, RS_F_COALESCE_RX_USECS,
	    RS_F_COALESCE_RX_FRAMES, RS_F_COALESCE_TX_USECS, RS_F_COALESCE_TX_FRAMES}},
    [RS_ETHTOOL_PAUSE] = {2, {RS_F_PAUSE_RX, RS_F_PAUSE_TX}},
    [RS_ETHTOOL_OFFLOADS] = {1, {RS_F_OFFLOADS}},
    [RS_ETHTOOL_RSS] = {3, {RS_F_RSS_TABLE, RS_F_RSS_KEY, RS_F_RSS_HASH}},
    [RS_ETHTOOL_UDP_HASH] = {1, {RS_F_RSS_UDP4}},
    [RS_ETHTOOL_LINK] = {4,
	{RS_F_AUTONEG, RS_F_LINK_SUPPORTED, RS_F_LINK_ADVERTISED, RS_F_LINK_PARTNER}},
};

static const char *
path_of(const struct rs_nic_settings *n, const char *file, char path[static PATH_BYTES])
{
	(void)snprintf(path, PATH_BYTES, DIR "/%s/%s", n->name, file);
	return path;
}

void
rs_nic_settings_init(struct rs_nic_settings *n, uint32_t ifindex)
{
	*n = (struct rs_nic_settings){
	    .ifindex = ifindex,
	    .may_sleep = true,
	    .threaded = RS_KEPT_NEW,
	    .watch = RS_FILEWATCH_NONE,
	    .round = ifindex, /* so that not all read their files in the same tick */
	};
}

static void
drop_queue(struct rs_nic_queue *q, const struct rs_nic_sources *s)
{
	for (size_t k = 0; k < OF_QUEUE; k++)
		rs_kept_drop(s->kept, &q->file[k]);
	if (s->watch)
		rs_filewatch_drop(s->watch, &q->watch);
}

void
rs_nic_settings_fini(struct rs_nic_settings *n, const struct rs_nic_sources *s)
{
	for (size_t way = 0; way < 2; way++) {
		for (uint32_t i = 0; i < n->queues[way].n; i++)
			drop_queue(&n->queues[way].queue[i], s);
		free(n->queues[way].queue);
	}
	rs_kept_drop(s->kept, &n->threaded);
	if (s->watch)
		rs_filewatch_drop(s->watch, &n->watch);
}

void
rs_nic_settings_noted(struct rs_nic_settings *n, const struct rs_nic_sources *s, const char *name)
{
	char path[PATH_BYTES], device[64];
	(void)rs_text_copy(rs_text_of(name), n->name, sizeof(n->name));
	n->has_device =
	    rs_root_readlink_base(s->root, path_of(n, "device", path), device, sizeof(device)) > 0;
	n->is_usb = n->has_device && rs_usb_bus(device) >= 0;
	n->is_urgent = true;
	n->links = 0;
	n->step = 0;
}

/* --- ethtool --- */

/* A driver that cannot hold interrupts back by frames says 0 (see
 * ethtool_settings.c): zero counts once another number was seen. */
static bool
is_told(struct rs_nic_settings *n, enum rs_fact_id id, struct rs_text value)
{
	if (id != RS_F_COALESCE_RX_FRAMES && id != RS_F_COALESCE_TX_FRAMES)
		return value.p != NULL;
	bool *const has = &n->has_frames[id == RS_F_COALESCE_TX_FRAMES];
	*has |= value.p && !rs_text_eq(value, "0");
	return *has && value.p;
}

/* With other channels come other queues. FNV-1a. */
static void
note_channels(struct rs_nic_settings *n, const struct rs_ethtool_answer *a)
{
	uint32_t h = 2166136261u;
	for (size_t i = 0; i < RS_ETHTOOL_VALUES; i++) {
		for (const char *p = a->value[i].p; p < a->value[i].end; p++)
			h = (h ^ (uint8_t)*p) * 16777619u;
		h = (h ^ ',') * 16777619u;
	}
	if (h == n->channels)
		return;
	n->channels = h;
	n->is_full = true;
	n->links = 0;
}

static void
ask(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f,
    enum rs_ethtool_group group)
{
	struct rs_ethtool_answer answer = {{{NULL, NULL}}};
	/* These change with a notice of the link. */
	const bool is_seldom = group == RS_ETHTOOL_OFFLOADS || group == RS_ETHTOOL_LINK ||
			       group == RS_ETHTOOL_UDP_HASH || n->is_usb;
	if ((n->lacks >> group & 1) || (is_seldom && !n->is_full) || n->is_asleep)
		return;
	const int error = rs_ethtool_settings_get(s->ethtool, n->name, group, &answer);
	if (error == -EPERM || error == -EACCES) {
		rs_rounds_refuse(&s->rounds, ethtool_facts[group].id[0]);
		return;
	}
	if (error == -EOPNOTSUPP)
		n->lacks |= 1u << group;
	else if (error)
		return; /* being reset, or gone in a moment: the last values stand */
	for (unsigned i = 0; i < ethtool_facts[group].n; i++) {
		const enum rs_fact_id id = ethtool_facts[group].id[i];
		if (is_told(n, id, answer.value[i]))
			rs_put_fact(f, id, n->ifindex, RS_NO_QUEUE, answer.value[i]);
		else
			rs_put_fact_gone(f, id, n->ifindex, RS_NO_QUEUE);
	}
	if (group == RS_ETHTOOL_CHANNELS)
		note_channels(n, &answer);
}

/* --- files --- */

struct count {
	uint32_t n[2];
};

static bool
count_queue(void *arg, const char *entry)
{
	struct count *const c = arg;
	const bool is_tx = strncmp(entry, "tx-", 3) == 0;
	uint64_t queue;
	if ((is_tx || strncmp(entry, "rx-", 3) == 0) &&
	    rs_num_u64(rs_text_of(entry + 3), &queue) == 0 && queue < QUEUES_MAX)
		c->n[is_tx] = RS_MAX(c->n[is_tx], (uint32_t)queue + 1);
	return true;
}

/* A device with one transmit queue has no choice of them (net/core/net-sysfs.c,
 * xps_cpus_show). */
static uint32_t
read_of(uint32_t n, size_t way)
{
	return way == 1 && n == 1 ? 0 : n;
}

static void
set_count(struct rs_nic_settings *n, const struct rs_nic_sources *s, struct rs_frame *f, size_t way,
    uint32_t count)
{
	struct rs_nic_queues *const q = &n->queues[way];
	if (count > q->cap) {
		struct rs_nic_queue *const p = realloc(q->queue, count * sizeof(*p));
		if (!p)
			return;
		q->queue = p;
		q->cap = count;
	}
	for (uint32_t i = read_of(count, way); i < q->n; i++) {
		drop_queue(&q->queue[i], s);
		for (size_t k = 0; k < OF_QUEUE; k++)
			rs_put_fact_gone(f, queue_files[way][k].id, n->ifindex, (uint16_t)i);
	}
	for (uint32_t i = q->n; i < count; i++)
		q->queue[i] = (struct rs_nic_queue){
		    .file = {RS_KEPT_NEW, RS_KEPT_NEW}, .watch = RS_FILEWATCH_NONE};
	if (q->n == count)
		return;
	q->n = count;
	n->timeouts = (struct rs_nic_timeouts){.put_ns = n->timeouts.put_ns};
}

static void
set_watch(struct rs_nic_sources *s, int *watch, const char *folder)
{
	if (s->watch && rs_filewatch_set(s->watch, watch, folder) == -ENOSPC)
		s->has_no_room = true;
}

/* What there is to read, and whether the device may be asked. */
static void
look(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f)
{
	char path[PATH_BYTES];
	struct count c = {{0, 0}};
	n->may_sleep = rs_nic_may_sleep(s->root, n->name);
	rs_nic_device_read(s->root, n->name, n->ifindex, f);
	(void)snprintf(path, sizeof(path), DIR "/%s", n->name);
	set_watch(s, &n->watch, path);
	const int links = rs_root_links(s->root, path_of(n, "queues", path));
	if (links > 0 && links == n->links)
		return;
	if (rs_root_list(s->root, path, count_queue, &c) != 0)
		return;
	n->links = links;
	set_count(n, s, f, 0, c.n[0]);
	set_count(n, s, f, 1, c.n[1]);
}

static void
read_threaded(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f)
{
	const struct rs_setting what = {RS_F_THREADED, n->ifindex, RS_NO_QUEUE, rs_setting_switch};
	struct rs_text t = {NULL, NULL};
	const int error = rs_kept_read(s->kept, &n->threaded, &t, DIR "/%s/threaded", n->name);
	rs_setting_told(&s->rounds, f, &what, error, t);
}

static void
read_queue(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f, size_t way,
    uint32_t queue)
{
	struct rs_nic_queue *const q = &n->queues[way].queue[queue];
	const char *const kind = way ? "tx" : "rx";
	for (size_t k = 0; k < OF_QUEUE; k++) {
		const struct rs_setting what = {
		    queue_files[way][k].id, n->ifindex, (uint16_t)queue, queue_files[way][k].form};
		struct rs_text t = {NULL, NULL};
		const int error = rs_kept_read(s->kept, &q->file[k], &t, DIR "/%s/queues/%s-%u/%s",
		    n->name, kind, queue, queue_files[way][k].file);
		rs_setting_told(&s->rounds, f, &what, error, t);
		/* Missing ones are looked for again in the next round. */
		rs_kept_retry(&q->file[k]);
	}
}

/* The watch first: what is written after it was set is noticed. */
static void
watch_and_read_queue(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f,
    size_t way, uint32_t queue)
{
	char path[PATH_BYTES];
	(void)snprintf(
	    path, sizeof(path), DIR "/%s/queues/%s-%u", n->name, way ? "tx" : "rx", queue);
	set_watch(s, &n->queues[way].queue[queue].watch, path);
	read_queue(n, s, f, way, queue);
}

/* --- steps --- */

/* Behind those of ethtool, where all is read; the timeouts follow, for only then it
 * is known how many queues there are. */
enum { STEP_LOOK, STEP_THREADED, STEP_FILES };

static size_t
asked_of(const struct rs_nic_sources *s)
{
	return s->ethtool ? RS_ETHTOOL_GROUPS : 0;
}

/* As many steps as transmit queues are looked at in a round. */
static size_t
timeouts_of(const struct rs_nic_settings *n, const struct rs_nic_sources *s)
{
	const uint32_t most = rs_root_is_live(s->root) ? TIMEOUTS_A_ROUND : QUEUES_MAX;
	return n->has_device ? RS_MIN(n->queues[1].n, most) : 0;
}

/* The first of them. */
static size_t
timeouts_at(const struct rs_nic_settings *n, const struct rs_nic_sources *s)
{
	return asked_of(s) + (n->is_full ? STEP_FILES : 0);
}

size_t
rs_nic_settings_steps(const struct rs_nic_settings *n, const struct rs_nic_sources *s)
{
	const size_t steps = timeouts_at(n, s) + timeouts_of(n, s);
	if (!n->is_full)
		return steps;
	return steps + read_of(n->queues[0].n, 0) + read_of(n->queues[1].n, 1);
}

static void
begin(struct rs_nic_settings *n, const struct rs_nic_sources *s)
{
	n->round++;
	n->is_full = n->is_urgent || !s->watch || n->round % RS_ROUND_SLOW == 0;
	n->is_hurried = n->is_urgent;
	n->is_urgent = false;
	if (n->is_full) {
		n->lacks = 0;
		rs_kept_retry(&n->threaded);
	}
	n->is_asleep = n->may_sleep && rs_nic_is_asleep(s->root, n->name);
}

bool
rs_nic_settings_step(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f)
{
	if (n->step == 0)
		begin(n, s);
	const size_t at = n->step++, asked = asked_of(s), timeouts = timeouts_at(n, s);
	const size_t queues = timeouts + timeouts_of(n, s), rx = read_of(n->queues[0].n, 0);
	if (at < asked)
		ask(n, s, f, (enum rs_ethtool_group)at);
	else if (at < timeouts && at == asked + STEP_LOOK)
		look(n, s, f);
	else if (at < timeouts)
		read_threaded(n, s, f);
	else if (at < queues)
		rs_nic_timeouts_read(&n->timeouts, s->root, n->name, n->ifindex, n->queues[1].n, f);
	else if (at < queues + rx)
		watch_and_read_queue(n, s, f, 0, (uint32_t)(at - queues));
	else if (at < rs_nic_settings_steps(n, s))
		watch_and_read_queue(n, s, f, 1, (uint32_t)(at - queues - rx));
	if (n->step < rs_nic_settings_steps(n, s))
		return true;
	n->step = 0;
	n->is_hurried = false;
	return false;
}

void
rs_nic_settings_written(struct rs_nic_settings *n, int watch)
{
	n->is_noted |= n->watch == watch;
	for (size_t way = 0; way < 2; way++) {
		for (uint32_t i = 0; i < n->queues[way].n; i++) {
			struct rs_nic_queue *const q = &n->queues[way].queue[i];
			if (q->watch != watch)
				continue;
			q->is_noted = n->is_noted = true;
		}
	}
}

void
rs_nic_settings_read_noted(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f)
{
	if (!n->is_noted)
		return;
	n->is_noted = false;
	read_threaded(n, s, f);
	for (size_t way = 0; way < 2; way++) {
		for (uint32_t i = 0; i < read_of(n->queues[way].n, way); i++) {
			struct rs_nic_queue *const q = &n->queues[way].queue[i];
			if (q->is_noted)
				read_queue(n, s, f, way, i);
			q->is_noted = false;
		}
	}
}

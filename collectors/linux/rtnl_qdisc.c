/* SPDX-License-Identifier: ISC */
/*
 * Queueing disciplines over netlink: which there are, and what the root of each
 * interface dropped and took back from its driver. Roots with children (mq, htb)
 * count for them (net/sched/sch_mq.c, sch_api.c, qdisc_tree_reduce_backlog).
 * Interfaces that are down have none. Live machine only; loop thread.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collector.h"
#include "rtnl.h"
#include "settings.h"

/* A device with many queues has a discipline each, and all are in the answer: it
 * is asked for the less often the longer it is, about this many of them a second. */
enum {
	LOOPBACK = 1, /* its number in every namespace (drivers/net/loopback.c) */
	EACH_SECOND = 32,
	PACE_MIN_S = RS_ROUND_NS / RS_NS_PER_S,
	PACE_MAX_S = 60,
	KINDS_MAX = 8
};

struct kind {
	char name[16];
};

/* The interface whose disciplines are being told. */
struct device {
	uint32_t ifindex;
	struct kind root;
	struct kind kinds[KINDS_MAX]; /* of those below the root, sorted */
	unsigned n_kinds;
};

struct state {
	struct rs_rtnl *rtnl;
	struct rs_frame *f;
	struct device device;
	bool has_asked;
	rs_ns asked_ns;
	uint8_t pace_s;
	unsigned told; /* disciplines of this answer */
};

static void
copy_kind(struct kind *dst, const char *kind)
{
	(void)rs_text_copy(rs_text_of(kind), dst->name, sizeof(dst->name));
	rs_text_defuse(dst->name);
}

static void
add_kind(struct device *d, const char *kind)
{
	struct kind k;
	copy_kind(&k, kind);
	unsigned at = 0;
	while (at < d->n_kinds && strcmp(d->kinds[at].name, k.name) < 0)
		at++;
	if (d->n_kinds == KINDS_MAX || (at < d->n_kinds && strcmp(d->kinds[at].name, k.name) == 0))
		return;
	memmove(&d->kinds[at + 1], &d->kinds[at], (d->n_kinds - at) * sizeof(k));
	d->kinds[at] = k;
	d->n_kinds++;
}

/* "mq fq_codel": the root and what kinds are below it. */
static void
put_setting(struct state *s)
{
	const struct device *const d = &s->device;
	char text[sizeof(struct kind) * (KINDS_MAX + 1)];
	size_t len = strlen(d->root.name);
	if (len == 0)
		return;
	memcpy(text, d->root.name, len);
	for (unsigned i = 0; i < d->n_kinds; i++) {
		const size_t more = strlen(d->kinds[i].name);
		text[len] = ' ';
		memcpy(text + len + 1, d->kinds[i].name, more);
		len += 1 + more;
	}
	rs_put_fact(s->f, RS_F_QDISC, d->ifindex, RS_NO_QUEUE, (struct rs_text){text, text + len});
}

static void
begin_device(struct state *s, uint32_t ifindex)
{
	put_setting(s);
	s->device.ifindex = ifindex;
	*s->device.root.name = '\0';
	s->device.n_kinds = 0;
}

static void
take(void *arg, const struct rs_qdisc *q)
{
	struct state *const s = arg;
	s->told++;
	if (q->ifindex != s->device.ifindex)
		begin_device(s, q->ifindex);
	if (q->is_ingress || q->ifindex == LOOPBACK)
		return;
	if (!q->is_root) {
		add_kind(&s->device, q->kind);
		return;
	}
	copy_kind(&s->device.root, q->kind);
	if (!q->has_stats)
		return;
	rs_put_paced(s->f, RS_M_NIC_TX_QDISC, q->ifindex, q->drops, s->pace_s);
	rs_put_paced(s->f, RS_M_NIC_TX_REQUEUES, q->ifindex, q->requeues, s->pace_s);
}

static int
dump(struct state *s)
{
	int error = -EAGAIN;
	/* An interface that comes or goes in the middle of a dump spoils it. */
	for (unsigned tries = 0; tries < 3 && error == -EAGAIN; tries++) {
		s->f->n_readings = s->f->n_facts = s->f->n_words = 0;
		s->told = 0;
		s->device = (struct device){0};
		error = rs_rtnl_qdiscs(s->rtnl, take, s);
	}
	if (!error)
		put_setting(s);
	return error;
}

static uint8_t
pace_of(unsigned told)
{
	const unsigned pace_s = RS_MAX(told / EACH_SECOND, (unsigned)PACE_MIN_S);
	return (uint8_t)RS_MIN(pace_s, (unsigned)PACE_MAX_S);
}

static int
collect(void *state, struct rs_frame *f)
{
	struct state *const s = state;
	/* Ticks come late, never early: half a second of slack keeps the pace. */
	if (s->has_asked && f->at_ns - s->asked_ns < s->pace_s * RS_NS_PER_S - RS_NS_PER_S / 2)
		return 0;
	s->f = f;
	const int error = dump(s);
	if (error)
		return error;
	s->has_asked = true;
	s->asked_ns = f->at_ns;
	s->pace_s = pace_of(s->told);
	return 0;
}

static void
close_qdisc(void *state)
{
	struct state *const s = state;
	rs_rtnl_close(s->rtnl);
	free(s);
}

static int
open_qdisc(const struct rs_root *root, void **ret_state)
{
	(void)root;
	struct state *const s = calloc(1, sizeof(*s));
	if (!s)
		return -ENOMEM;
	const int error = rs_rtnl_open(&s->rtnl);
	if (error) {
		free(s);
		return error;
	}
	s->pace_s = PACE_MIN_S;
	*ret_state = s;
	return 0;
}

static const char *const paths[] = {NULL};

RS_COLLECTOR(rtnl_qdisc) = {
    .id = "qdisc",
    .summary = "queueing disciplines by netlink: kinds, drops, requeues",
    .paths = paths,
    .period_ms = 1000,
    .where = RS_WHERE_LIVE,
    .open = open_qdisc,
    .collect = collect,
    .close = close_qdisc,
};

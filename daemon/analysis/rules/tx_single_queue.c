/* SPDX-License-Identifier: ISC */
/*
 * Transmit is funnelled through one queue: a queueing discipline with one lock at
 * the root of a device with several queues, or one queue that takes nearly all
 * although the packets came in by many. Shapers are qos.one_core's; wireless, DSA
 * ports and bonds have one queue by design.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "masks.h"
#include "places.h"

enum { SHARE, REQUEUES, REQUEUES_CLEAR };

static const struct rs_threshold thresholds[] = {
    [SHARE] = {"share", 0.95, 0.50, 1.0, RS_UNIT_RATIO,
	"Part of the packets sent that one transmit queue takes"},
    [REQUEUES] = {"requeues", 100.0, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"Packets per second the driver gives back, from which it is told of without a hot core"},
    [REQUEUES_CLEAR] = {"requeues_clear", 50.0, 0.0, 1e6, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    {0},
};

#define MIN_PPS 5000.0
/* Receive queues that are used evenly by so many tell of many flows. */
#define MANY_QUEUES 4u
#define EVEN 1.5

/* One lock for all queues, and nothing but queueing: could be had for each queue. */
static const char *const single_roots[] = {"pfifo_fast", "pfifo", "bfifo", "fq_codel", "codel",
    "fq", "fq_pie", "pie", "sfq", "sfb", "choke", "red"};

static const char *const single_by_design[] = {"wlan", "dsa", "bond", "team", "bridge", "vlan"};

static bool
is_in(const char *const *list, size_t n, const char *s)
{
	for (size_t i = 0; i < n; i++) {
		if (strcmp(list[i], s) == 0)
			return true;
	}
	return false;
}

/* Word for word: "fq_codel limit 10240p" is fq_codel. */
static const char *
single_root(const struct rs_view *v, const struct rs_nic_view *nic, char word[static 24])
{
	const char *const qdisc = rs_view_fact(v, RS_F_QDISC, nic->info.ifindex, RS_NO_QUEUE);
	struct rs_text t = rs_text_of(qdisc ? qdisc : ""), first;

	if (!rs_text_word(&t, &first) || !rs_text_copy(first, word, 24) ||
	    !is_in(single_roots, RS_ARRAY_LEN(single_roots), word))
		return NULL;
	return word;
}

static unsigned
count_tx(const struct rs_view *v, const struct rs_nic_view *nic)
{
	unsigned n = 0;

	for (uint32_t i = 0; i < nic->n_queues; i++)
		n += v->queues[nic->first_queue + i].is_tx;
	return nic->info.tx_queues > 0 ? (unsigned)nic->info.tx_queues : n;
}

static bool
may_be_single(const struct rs_view *v, const struct rs_nic_view *nic)
{
	return count_tx(v, nic) >= 2 && nic->tx_pps >= MIN_PPS &&
	       !is_in(single_by_design, RS_ARRAY_LEN(single_by_design), nic->info.kind);
}

/* The transmit queue with nearly all packets; NULL: none, or not known. */
static const struct rs_queue_view *
only_queue(const struct rs_view *v, const struct rs_nic_view *nic, double share)
{
	for (uint32_t i = 0; i < nic->n_queues; i++) {
		const struct rs_queue_view *const q = &v->queues[nic->first_queue + i];
		if (q->is_tx && q->share >= share)
			return q;
	}
	return NULL;
}

static bool
comes_in_evenly(const struct rs_lead *l)
{
	return l->n_rx >= MANY_QUEUES && l->share * l->n_rx <= EVEN;
}

/* The interface that is the funnel; NULL: none. */
static const struct rs_nic_view *
find_funnel(const struct rs_lead *l, const double *t, bool *ret_by_root)
{
	const struct rs_nic_view *best = NULL;

	for (size_t i = 0; i < l->v->n_nics; i++) {
		const struct rs_nic_view *const nic = &l->v->nics[i];
		char word[24];
		if (!may_be_single(l->v, nic) || (best && nic->tx_pps <= best->tx_pps))
			continue;
		const bool by_root = single_root(l->v, nic, word) != NULL;
		if (!by_root && !(comes_in_evenly(l) && only_queue(l->v, nic, t[SHARE])))
			continue;
		*ret_by_root = by_root;
		best = nic;
	}
	return best;
}

static void
write_phrase(const struct rs_view *v, const struct rs_nic_view *nic, const double *t, bool by_root,
    char *dst, size_t cap)
{
	const struct rs_queue_view *const only = by_root ? NULL : only_queue(v, nic, t[SHARE]);
	char word[24] = "";

	if (only)
		(void)snprintf(dst, cap, "%s sends nearly all packets by queue %u of %u",
		    nic->info.name, (unsigned)only->queue, count_tx(v, nic));
	else
		(void)snprintf(dst, cap,
		    "%s sends all its packets through one lock (root qdisc %s)", nic->info.name,
		    single_root(v, nic, word));
}

/* Of the interface that sends most, by several queues; where there is none, there
 * is no funnel. */
static bool
is_not(const struct rs_lead *l, struct rs_cause *ret)
{
	const struct rs_nic_view *best = NULL;

	for (size_t i = 0; i < l->v->n_nics; i++) {
		const struct rs_nic_view *const nic = &l->v->nics[i];
		if (may_be_single(l->v, nic) && (!best || nic->tx_pps > best->tx_pps))
			best = nic;
	}
	const char *const root =
	    best ? rs_view_fact(l->v, RS_F_QDISC, best->info.ifindex, RS_NO_QUEUE) : NULL;
	if (!best)
		return false;
	if (!root)
		return rs_not_known(ret, "the root queueing discipline of the interface");
	return rs_not(ret, "%s sends by %u queues, its root qdisc is %s", best->info.name,
	    count_tx(l->v, best), root);
}

/* Where a receive queue stands out, that is why a core leads. */
static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	bool by_root = false;

	if (l->is_by_rps)
		return rs_not_by_interrupts(l, ret);
	if (l->n_rx == 1)
		return rs_not(ret, "the packets come in by one queue of %s", l->nic->info.name);
	if (l->n_rx == 0 || isnan(l->share))
		return rs_not_known(ret, "packets of each receive queue");
	if (l->share >= RS_QUEUE_STANDS_OUT)
		return rs_not(ret, "%ld %% of the packets come in by one of %u queues of %s",
		    lround(l->share * 100.0), l->n_rx, l->nic->info.name);
	const struct rs_nic_view *const nic = find_funnel(l, t, &by_root);
	if (!nic)
		return is_not(l, ret);
	ret->confidence = RS_MEDIUM;
	write_phrase(l->v, nic, t, by_root, ret->phrase, sizeof(ret->phrase));
	return true;
}

static void
advise_mq(const struct rs_nic_view *nic, const char *root, struct rs_says *out)
{
	struct rs_advice a = {.is_persistent = false};

	(void)snprintf(
	    a.command, sizeof(a.command), "tc qdisc replace dev %s root mq", nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "each transmit queue has a discipline of its own (net.core.default_qdisc); requeues "
	    "fall");
	(void)snprintf(
	    a.undo, sizeof(a.undo), "tc qdisc replace dev %s root %s", nic->info.name, root);
	rs_advise(out, &a);
}

/* The queue's core as the mask wants it; the last queue has no core of its own
 * where there are more of them. */
static void
advise_xps(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_says *out)
{
	static const char end[] =
	    "; do echo ${p#*:} > /sys/class/net/%s/queues/tx-${p%%:*}/xps_cpus; done";
	struct rs_advice a = {.command = "for p in", .undo = "for p in"};
	struct rs_cpuset cores;
	unsigned places[RS_PLACES_MAX];
	const unsigned n = count_tx(v, nic);

	rs_place_cores(v, nic->info.ifindex, &cores);
	const size_t n_places = rs_place_list(v, &cores, places);
	for (unsigned q = 0; q < n && n_places > 0; q++) {
		const char *const before =
		    rs_view_fact(v, RS_F_XPS_CPUS, nic->info.ifindex, (uint16_t)q);
		struct rs_cpuset one, old;
		char hex[64], old_hex[64];
		rs_cpuset_zero(&one);
		rs_cpuset_add(&one, places[q % n_places]);
		if (!rs_mask_of(before, &old) || !rs_mask_hex(&one, hex, sizeof(hex)) ||
		    !rs_mask_hex(&old, old_hex, sizeof(old_hex)))
			return;
		const size_t len = strlen(a.command), undo_len = strlen(a.undo);
		if (len + strlen(hex) + 96 > sizeof(a.command) ||
		    undo_len + strlen(old_hex) + 96 > sizeof(a.undo))
			return;
		(void)snprintf(a.command + len, sizeof(a.command) - len, " %u:%s", q, hex);
		(void)snprintf(a.undo + undo_len, sizeof(a.undo) - undo_len, " %u:%s", q, old_hex);
	}
	const size_t len = strlen(a.command), undo_len = strlen(a.undo);
	(void)snprintf(a.command + len, sizeof(a.command) - len, end, nic->info.name);
	(void)snprintf(a.undo + undo_len, sizeof(a.undo) - undo_len, end, nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "each core sends by a queue of its own; all queues count packets");
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct rs_nic_view *nic, const double *t, bool by_root,
    struct rs_says *out)
{
	const struct rs_queue_view *const only = only_queue(v, nic, t[SHARE]);
	char word[24];

	rs_cause(out, "%s",
	    by_root ? "a root discipline that was set by hand: multi-queue devices begin with mq"
		    : "a transmit hash without ports, or no transmit steering (XPS)");
	rs_evidence_text(out, "root queueing discipline", "%s",
	    by_root ? single_root(v, nic, word) : "one for each queue");
	rs_evidence(out, "transmit queues", count_tx(v, nic), RS_UNIT_NONE);
	rs_evidence(out, "packets sent", nic->tx_pps, RS_UNIT_PPS);
	rs_evidence(out, "given back by the driver", nic->requeues_ps, RS_UNIT_PER_SECOND);
	if (only)
		rs_evidence_noted(out, "share of one transmit queue", only->share, RS_UNIT_RATIO,
		    "queue %u", (unsigned)only->queue);
}

/* Without a core that leads: the driver gives packets back. */
static void
look_at_requeues(
    const struct rs_view *v, const double *t, const struct rs_nic_view *told, struct rs_says *out)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		char word[24], phrase[160];
		if (nic == told || !(nic->requeues_ps >= t[REQUEUES_CLEAR]) ||
		    !may_be_single(v, nic) || !single_root(v, nic, word))
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		rs_say(out, &subject,
		    nic->requeues_ps >= t[REQUEUES] ? RS_COND_RAISE : RS_COND_BETWEEN, RS_INFO,
		    RS_MEDIUM);
		write_phrase(v, nic, t, true, phrase, sizeof(phrase));
		rs_message(out, "%s", phrase);
		tell(v, nic, t, true, out);
		advise_mq(nic, word, out);
	}
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);
	bool by_root = false;
	const struct rs_nic_view *const nic = l ? find_funnel(l, t, &by_root) : NULL;

	if (nic) {
		const struct rs_subject subject = rs_nic_subject(nic);
		char word[24];
		rs_cause_say(out, l, &subject);
		tell(v, nic, t, by_root, out);
		rs_cause_figures(out, l);
		if (by_root && rs_link_has_room(v))
			advise_mq(nic, single_root(v, nic, word), out);
		else if (rs_link_has_room(v))
			advise_xps(v, nic, out);
	}
	look_at_requeues(v, t, nic, out);
}

RS_RULE(tx_single_queue) = {
    .code = "tx.single_queue",
    .title = "All packets are sent through one queue or one lock",
    .help = "The device has several transmit queues, but the packets pass through one of them, or "
	    "through one discipline in front of all: cores wait for each other.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 100,
    .explains = explains,
};

/* SPDX-License-Identifier: ISC */
/*
 * A NIC with several queues whose packets, or interrupts, are nearly all those of
 * one; packets on few cores although there are more queues.
 */
#include <math.h>
#include <stdio.h>

#include "totals_case.h"

#define FEW_TAKES 0.05
#define FEW_ALL 0.95

/* The queue that got the most of a device's packets. */
static bool
find_lone_queue(const struct rs_total_case *s, const struct rs_total_device *d, uint16_t *ret_queue,
    double *ret_share, double *ret_all)
{
	double most = 0.0, all = 0.0;

	for (uint32_t i = 0; i < d->n_queues; i++) {
		const struct rs_total_queue *const q = &s->t->queues[d->first_queue + i];
		all += q->packets;
		if (q->packets > most) {
			most = q->packets;
			*ret_queue = q->queue;
		}
	}
	*ret_all = all;
	*ret_share = all > 0.0 ? most / all : (double)NAN;
	return d->n_queues >= 2 && d->rx_channels != 1 && all * s->weight >= RS_TOTAL_MANY &&
	       *ret_share >= RS_TOTAL_PILE;
}

static void
say_not_hashing(const struct rs_total_device *d, uint16_t queue, double share, struct rs_says *out)
{
	struct rs_subject subject = rs_total_device_subject(d);

	subject.kind = RS_SUBJECT_QUEUE;
	subject.queue = queue;
	(void)snprintf(subject.direction, sizeof(subject.direction), "rx");
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_message(out, "%s puts %ld %% of its packets into queue %u of %u", d->name,
	    rs_total_percent(share), queue, d->n_queues);
	rs_cause(out, "traffic the NIC does not hash: PPPoE, VLAN or switch tags, a tunnel");
	rs_cause(out, "one large flow, or an indirection table that names one queue");
}

static void
tell_queues(const struct rs_total_case *s, const struct rs_total_device *d, struct rs_says *out)
{
	for (uint32_t i = 0; i < RS_MIN(d->n_queues, 8u); i++) {
		const struct rs_total_queue *const q = &s->t->queues[d->first_queue + i];
		char label[64];
		(void)snprintf(label, sizeof(label), "%.40s queue %u", d->name, q->queue);
		if (q->packets > 0.0)
			rs_evidence(out, label, q->packets, RS_UNIT_PACKETS);
		else
			rs_evidence_text(out, label, "never used");
	}
}

static void
judge_queue_counters(const struct rs_total_case *s, struct rs_says *out)
{
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const struct rs_total_device *const d = &s->t->devices[i];
		uint16_t queue = 0;
		double share, all;
		if (!find_lone_queue(s, d, &queue, &share, &all))
			continue;
		say_not_hashing(d, queue, share, out);
		tell_queues(s, d, out);
		rs_total_tell_basis(s->t, out);
		struct rs_advice a = {.command = ""};
		(void)snprintf(a.command, sizeof(a.command),
		    "grep . /sys/class/net/%.32s/queues/rx-*/rps_cpus; ip -d link show | grep -B1 "
		    "-i -e ppp -e vlan",
		    d->name);
		(void)snprintf(a.expect, sizeof(a.expect),
		    "tells what is on top of the NIC and whether RPS is on; then RPS: a mask of "
		    "the "
		    "other cores into rps_cpus");
		rs_advise(out, &a);
	}
}

/* Lines whose core is not told (vmstat): one queue with most interrupts. */
static void
judge_queue_lines(const struct rs_total_case *s, struct rs_says *out)
{

	for (uint32_t d = 0; d < s->t->n_devices; d++) {
		double all = 0.0, most = 0.0;
		size_t queues = 0, top = 0;
		for (size_t i = 0; i < s->n_units; i++) {
			if (s->units[i].device != d || s->t->lines[s->units[i].line].counts)
				continue;
			queues++;
			all += s->units[i].total;
			if (s->units[i].total > most) {
				most = s->units[i].total;
				top = i;
			}
		}
		if (queues < 2 || all * s->weight < RS_TOTAL_MANY || most < RS_TOTAL_PILE * all)
			continue;
		struct rs_subject subject = rs_total_device_subject(&s->t->devices[d]);
		subject.kind = RS_SUBJECT_QUEUE;
		subject.queue = s->units[top].queue;
		rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
		rs_message(out, "queue %d of %s has %ld %% of the interrupts of its %zu queues",
		    s->units[top].queue, s->t->devices[d].name, rs_total_percent(most / all),
		    queues);
		rs_cause(out, "traffic the NIC does not hash: PPPoE, VLAN tags, a tunnel");
		rs_cause(out, "one large flow");
		rs_total_tell_basis(s->t, out);
	}
}

/* Cores that do a twentieth of it or more, and what they do together. */
static size_t
count_takers(const struct rs_total_case *s, double all, double *ret_share)
{
	size_t n = 0;

	*ret_share = 0.0;
	for (size_t i = 0; i < s->t->n_cores; i++) {
		if (!(s->t->cores[i].net_rx >= FEW_TAKES * all))
			continue;
		n++;
		*ret_share += s->t->cores[i].net_rx / all;
	}
	return n;
}

/* Packets on half of the cores or fewer, although the NIC has twice the queues. */
static void
judge_few_cores(const struct rs_total_case *s, struct rs_says *out)
{
	size_t top, most_queues = 0;
	uint32_t device = 0;
	double all, share;

	if (!s->t->has_softirqs || s->t->n_cores < 3)
		return;
	const double first = rs_total_top(s->t, RS_TOTAL_NET_RX, &top, &all);
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const size_t queues = rs_queue_units_count(s, i);
		if (queues > most_queues) {
			most_queues = queues;
			device = i;
		}
	}
	if (all * s->weight < RS_TOTAL_MANY || first >= RS_TOTAL_PILE)
		return;
	const size_t takers = count_takers(s, all, &share);
	if (share < FEW_ALL || 2 * takers > s->t->n_cores || 2 * takers > most_queues)
		return;
	const struct rs_subject subject = rs_total_device_subject(&s->t->devices[device]);
	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_message(out,
	    "%zu of %zu cores do %ld %% of the receive work (NET_RX), although %s has %zu queues",
	    takers, s->t->n_cores, rs_total_percent(share), s->t->devices[device].name,
	    most_queues);
	rs_cause(out, "few flows, or traffic the NIC does not hash");
	rs_cause(out, "queues that are served by the same cores");
	for (size_t i = 0; i < RS_MIN(s->t->n_cores, 8u); i++) {
		char label[64];
		(void)snprintf(
		    label, sizeof(label), "core %u, share of NET_RX", s->t->cores[i].cpu);
		rs_evidence(out, label, s->t->cores[i].net_rx / all, RS_UNIT_RATIO);
	}
	rs_total_tell_basis(s->t, out);
}

void
rs_total_judge_hashing(const struct rs_total_case *s, struct rs_says *out)
{
	if (s->t->has_loads)
		return;
	judge_queue_counters(s, out);
	judge_queue_lines(s, out);
	judge_few_cores(s, out);
}

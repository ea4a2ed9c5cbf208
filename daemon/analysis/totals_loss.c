/* SPDX-License-Identifier: ISC */
/*
 * Packets that were lost, by counts: in the device, at a limit of the provider's,
 * in front of the network threads. Some loss is everywhere: what matters is its
 * share.
 */
#include <math.h>
#include <stdio.h>

#include "totals_case.h"

#define LOSS_MANY 1e4
#define LOSS_WARN 1e-3
#define LOSS_INFO 1e-4
#define LIMIT_MANY 1e5
#define LIMIT_RATIO 1e-5

/* Counters of one thing are often there twice: the largest is taken. */
static const struct rs_total_loss *
largest_loss(
    const struct rs_total_case *s, const struct rs_total_device *d, enum rs_total_lost lost)
{
	const struct rs_total_loss *most = NULL;

	for (uint32_t i = 0; i < d->n_losses; i++) {
		const struct rs_total_loss *const l = &s->t->losses[d->first_loss + i];
		if (l->lost == lost && (!most || l->count > most->count))
			most = l;
	}
	return most;
}

void
rs_total_judge_ring(const struct rs_total_case *s, struct rs_says *out)
{
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const struct rs_total_device *const d = &s->t->devices[i];
		const struct rs_total_loss *const l = largest_loss(s, d, RS_TOTAL_RING);
		if (!l || isnan(d->rx_packets) || l->count * s->weight < LOSS_MANY)
			continue;
		const double ratio = l->count / (d->rx_packets + l->count);
		if (ratio < LOSS_INFO)
			continue;
		const struct rs_subject subject = rs_total_device_subject(d);
		char lost[24];
		rs_say(
		    out, &subject, RS_COND_RAISE, ratio < LOSS_WARN ? RS_INFO : RS_WARN, RS_MEDIUM);
		rs_message(out, "%s lost %.2g %% of its packets in the device (%s %s)", d->name,
		    ratio * 100.0, l->name, rs_total_format(l->count, lost));
		rs_cause(out, "the cores that poll it cannot keep up");
		rs_cause(out, "bursts longer than its ring, or interrupts held back too long");
		rs_evidence(out, l->name, l->count, RS_UNIT_PACKETS);
		rs_evidence(out, "received", d->rx_packets, RS_UNIT_PACKETS);
		rs_evidence_text(out, "lost of what came", "%.3g %%", ratio * 100.0);
		rs_total_tell_basis(s->t, out);
	}
}

void
rs_total_judge_limit(const struct rs_total_case *s, struct rs_says *out)
{
	for (uint32_t i = 0; i < s->t->n_devices; i++) {
		const struct rs_total_device *const d = &s->t->devices[i];
		const struct rs_total_loss *const l = largest_loss(s, d, RS_TOTAL_LIMIT);
		if (!l || l->count <= 0.0)
			continue;
		const double weight = s->weight;
		const bool is_much = isnan(d->rx_packets) ? l->count * weight >= LIMIT_MANY
							  : l->count >= LIMIT_RATIO * d->rx_packets;
		const struct rs_subject subject = rs_total_device_subject(d);
		char lost[24];
		rs_say(out, &subject, RS_COND_RAISE, is_much ? RS_WARN : RS_INFO, RS_MEDIUM);
		rs_message(out,
		    "the provider of the machine held back %s packets of %s (%s): its limit, not "
		    "this machine's cores",
		    rs_total_format(l->count, lost), d->name, l->name);
		rs_cause(out, "the traffic is more than the instance type is allowed");
		for (uint32_t k = 0; k < d->n_losses; k++) {
			const struct rs_total_loss *const one = &s->t->losses[d->first_loss + k];
			if (one->lost == RS_TOTAL_LIMIT)
				rs_evidence(out, one->name, one->count, RS_UNIT_PACKETS);
		}
		rs_total_tell_basis(s->t, out);
	}
}

void
rs_total_judge_netisr(const struct rs_total_case *s, struct rs_says *out)
{
	const struct rs_total_netisr *const n = &s->t->netisr;
	const double offered = n->dropped + n->queued;
	char count[24];

	if (!n->is_present || !(n->dropped * s->weight >= LOSS_MANY) ||
	    !(n->dropped >= LOSS_WARN * offered))
		return;
	const bool is_single = n->workstreams == 1 && n->cpus != 1;
	rs_say(out, &rs_subject_host, RS_COND_RAISE, RS_WARN, RS_MEDIUM);
	rs_message(out, "%.3g %% of the packets queued for %s were dropped (QDrops %.0f)%s",
	    n->dropped / offered * 100.0, n->protocol, n->dropped,
	    is_single ? ": one network thread has to do it all" : "");
	if (is_single)
		rs_cause(out,
		    "a single network thread: net.isr.maxthreads allows one; a longer queue in "
		    "front of it would not help");
	else
		rs_cause(out, "its threads cannot keep up");
	rs_evidence(out, "QDrops", n->dropped, RS_UNIT_PACKETS);
	rs_evidence_text(out, "handled", "%s packets", rs_total_format(n->queued, count));
	rs_evidence_text(out, "network threads", "%u workstream%s%s", n->workstreams,
	    n->workstreams == 1 ? "" : "s", n->workstreams == 1 ? ", on one core" : "");
	if (n->cpus > 0)
		rs_evidence_text(out, "cores", "%u workstream%s, %u CPUs", n->workstreams,
		    n->workstreams == 1 ? "" : "s", n->cpus);
	rs_total_tell_basis(s->t, out);
	if (is_single) {
		struct rs_advice a = {
		    .command = "echo 'net.isr.maxthreads=\"-1\"' >> /boot/loader.conf.local",
		    .expect = "after a reboot as many workstreams as cores in netstat -Q, and no "
			      "QDrops",
		    .undo = "remove the line",
		    .is_persistent = true,
		};
		rs_advise(out, &a);
	}
}

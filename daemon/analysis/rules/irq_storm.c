/* SPDX-License-Identifier: ISC */
/*
 * An interrupt line screams: a NIC's with hardly a packet for many interrupts,
 * another device's that is the busiest of all, or one that no handler takes for
 * its own. Timers and interrupts between cores are no devices.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "umbrella.h"
#include "verdict.h"

enum { NIC_LINE, NIC_LINE_CLEAR, PACKETS, OTHER_LINE, OTHER_LINE_CLEAR, UNHANDLED, BUSY };

static const struct rs_threshold thresholds[] = {
    [NIC_LINE] = {"nic", 30000.0, 1000.0, 1e7, RS_UNIT_PER_SECOND,
	"Interrupts per second from which a line of a NIC may be a storm"},
    [NIC_LINE_CLEAR] = {"nic_clear", 20000.0, 1000.0, 1e7, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    [PACKETS] = {"packets", 0.10, 0.001, 1.0, RS_UNIT_RATIO,
	"Packets for each interrupt below which it is one"},
    [OTHER_LINE] = {"other", 20000.0, 1000.0, 1e7, RS_UNIT_PER_SECOND,
	"Interrupts per second from which another device's line is one"},
    [OTHER_LINE_CLEAR] = {"other_clear", 15000.0, 1000.0, 1e7, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    [UNHANDLED] = {"unhandled", 100.0, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"Interrupts per second that no handler takes"},
    [BUSY] = {"busy", 0.50, 0.0, 1.0, RS_UNIT_RATIO,
	"Busy share of its core from which this is a warning"},
    {0},
};

enum kind { NIC, OTHER, NOBODYS };

/* Words in the actions of what is no device. */
static const char *const no_devices[] = {"timer", "tick", "IPI", "ipi", "resched", "call_func",
    "twd", "hpet", "rtc", "clock", "pmu", "perf"};

static bool
is_device(const struct rs_irq_view *q)
{
	/* Lines without a number are the kernel's own. */
	if (q->name[0] < '0' || q->name[0] > '9')
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(no_devices); i++) {
		if (strstr(q->actions, no_devices[i]) || strstr(q->chip, no_devices[i]))
			return false;
	}
	return true;
}

/* Packets in and out of the interfaces and queues the line serves; NAN: not
 * known. */
static double
packets_of(const struct rs_view *v, const struct rs_irq_view *q)
{
	double sum = 0.0;

	for (uint32_t i = 0; i < q->n_feeds; i++) {
		const struct rs_irq_feed *const f = &q->feeds[i];
		const struct rs_nic_view *const nic = rs_view_nic(v, f->ifindex);
		double both = 0.0;
		bool is_told = false;
		for (uint32_t k = 0; nic && f->queue >= 0 && k < nic->n_queues; k++) {
			const struct rs_queue_view *const u = &v->queues[nic->first_queue + k];
			if (u->queue != (uint32_t)f->queue || isnan(u->pps))
				continue;
			both += u->pps;
			is_told = true;
		}
		/* Of the interface as a whole: more than the queue has, never less. */
		if (nic && !is_told)
			both = nic->rx_pps + nic->tx_pps;
		sum += both;
	}
	return sum;
}

/* Packets of interfaces that no line is known of: the loud one may be theirs. NAN:
 * not known. */
static double
packets_without_line(const struct rs_view *v)
{
	double sum = 0.0;

	for (size_t n = 0; n < v->n_nics; n++) {
		const struct rs_nic_view *const nic = &v->nics[n];
		bool has_line = nic->info.is_loopback;
		for (size_t i = 0; i < v->n_irqs && !has_line; i++)
			has_line = rs_irq_feed_of(&v->irqs[i], nic->info.ifindex);
		if (!has_line && nic->info.is_physical)
			sum += nic->rx_pps + nic->tx_pps;
	}
	return sum;
}

static bool
is_screaming_nic(
    const struct rs_view *v, const struct rs_irq_view *q, const double *t, enum rs_condition *ret)
{
	if (!rs_irq_is_busy(q, t[NIC_LINE_CLEAR]) || !(packets_of(v, q) < t[PACKETS] * q->rate_ps))
		return false;
	*ret = rs_condition_of(q->rate_ps >= t[NIC_LINE], true);
	return true;
}

/* What the line is in this tick; false: nothing. */
static bool
judge(const struct rs_view *v, const struct rs_irq_view *q, const struct rs_irq_view *loudest,
    const double *t, enum kind *ret_kind, enum rs_condition *ret)
{
	if (q->unhandled_ps >= t[UNHANDLED] && is_device(q)) {
		*ret_kind = NOBODYS;
		*ret = RS_COND_RAISE;
		return true;
	}
	*ret_kind = NIC;
	if (is_screaming_nic(v, q, t, ret))
		return true;
	*ret_kind = OTHER;
	*ret = rs_condition_of(q->rate_ps >= t[OTHER_LINE], true);
	return q == loudest && !q->is_nic_queue && q->rate_ps >= t[OTHER_LINE_CLEAR] &&
	       packets_without_line(v) < t[PACKETS] * q->rate_ps;
}

/* The line of a device with the most interrupts, NICs' too. */
static const struct rs_irq_view *
find_loudest(const struct rs_view *v)
{
	const struct rs_irq_view *loudest = NULL;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (q->rate_ps > (loudest ? loudest->rate_ps : 1.0) && is_device(q))
			loudest = q;
	}
	return loudest;
}

/* How to find the device: by its vector, or by its place on a wire. */
static void
advise(const struct rs_irq_view *q, struct rs_says *out)
{
	struct rs_advice a = {.is_persistent = false};

	if (strstr(q->chip, "MSI"))
		(void)snprintf(a.command, sizeof(a.command),
		    "ls -d /sys/bus/pci/devices/*/msi_irqs/%s", q->name);
	else
		(void)snprintf(a.command, sizeof(a.command),
		    "grep -lx %s /sys/bus/pci/devices/*/irq", q->name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "names the device: update its firmware or driver; if it is not needed, unload its "
	    "driver or switch it off in the firmware");
	(void)snprintf(a.undo, sizeof(a.undo), "nothing to undo: it only looks");
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct rs_irq_view *q, enum kind kind, int cpu,
    struct rs_says *out)
{
	const double packets = packets_of(v, q);
	char actions[44];

	rs_copy_cut(actions, sizeof(actions), q->actions);
	switch (kind) {
	case NIC:
		rs_message(out, "irq %s (%s) fires %.0f times a second for %.0f packets", q->name,
		    actions, rs_round_3(q->rate_ps), rs_round_3(packets));
		rs_cause(out, "firmware or driver that does not answer its interrupt");
		break;
	case OTHER:
		rs_message(out, "irq %s (%s) fires %.0f times a second, more than any other",
		    q->name, actions, rs_round_3(q->rate_ps));
		rs_cause(out, "a device that is no network interface, at work or gone wrong");
		break;
	case NOBODYS:
		rs_message(out, "irq %s (%s) fires %.0f times a second for nobody", q->name,
		    actions, rs_round_3(q->unhandled_ps));
		rs_cause(out, "a device on the line without a driver, or a broken one");
		break;
	}
	rs_evidence(out, "interrupts of the line", q->rate_ps, RS_UNIT_PER_SECOND);
	if (q->is_nic_queue)
		rs_evidence(out, "packets of its interfaces or queue", packets, RS_UNIT_PPS);
	rs_evidence(out, "that no handler took", q->unhandled_ps, RS_UNIT_PER_SECOND);
	rs_evidence_text(out, "controller", "%s", q->chip);
	if (cpu >= 0) {
		const struct rs_core_view *const core = rs_view_core(v, (unsigned)cpu);
		char label[64];
		(void)snprintf(label, sizeof(label), "busy share of core %d", cpu);
		rs_evidence(out, label, core ? core->busy : (double)NAN, RS_UNIT_RATIO);
	}
	advise(q, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	if (v->n_irqs == 0) {
		rs_needs(out, "/proc/interrupts");
		return;
	}
	const struct rs_irq_view *const loudest = find_loudest(v);
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		enum rs_condition condition;
		enum kind kind;
		if (!judge(v, q, loudest, t, &kind, &condition))
			continue;
		const int cpu = rs_irq_busiest_core(q);
		const struct rs_core_view *const core =
		    cpu >= 0 ? rs_view_core(v, (unsigned)cpu) : NULL;
		const bool is_busy = kind == NOBODYS || (core && core->busy >= t[BUSY]);
		struct rs_subject subject = rs_subject_host;
		subject.kind = RS_SUBJECT_IRQ;
		memcpy(subject.irq, q->name, sizeof(subject.irq));
		const struct rs_irq_feed *const f = rs_irq_feed_of(q, 0);
		const struct rs_nic_view *const nic = f ? rs_view_nic(v, f->ifindex) : NULL;
		if (nic)
			memcpy(subject.device, nic->info.name, sizeof(subject.device));
		rs_say(out, &subject, condition, is_busy ? RS_WARN : RS_INFO,
		    kind == OTHER ? RS_MEDIUM : RS_HIGH);
		tell(v, q, kind, cpu, out);
	}
}

RS_RULE(irq_storm) = {
    .code = "irq.storm",
    .title = "An interrupt line screams",
    .help = "A device interrupts far more often than its work explains, and takes time of its core "
	    "with it.",
    .thresholds = thresholds,
    .evaluate = evaluate,
};

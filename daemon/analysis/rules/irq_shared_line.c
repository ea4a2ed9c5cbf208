/* SPDX-License-Identifier: ISC */
/*
 * Two network devices, or one and another device, on one interrupt line: each
 * interrupt runs the handlers of all, and one core serves them. Where the other
 * device has nothing to do, nothing is said.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "umbrella.h"
#include "verdict.h"

enum { LINE, LINE_CLEAR, LOAD, WORK };

static const struct rs_threshold thresholds[] = {
    [LINE] = {"line", 1000.0, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"Interrupts per second from which a shared line is told of"},
    [LINE_CLEAR] = {"line_clear", 500.0, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"The rate below which it clears"},
    [LOAD] = {"load", 0.50, 0.0, 1.0, RS_UNIT_RATIO,
	"Packet load of its core from which this is a warning"},
    [WORK] = {"work", RS_NETWORK_WORK_PS, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"Packets, or interrupts no packet accounts for, that another device needs to count"},
    {0},
};

struct sharing {
	const struct rs_irq_view *line;
	const struct rs_nic_view *nics[RS_NIC_NAMES_MAX]; /* that have packets */
	unsigned n;
	bool has_other; /* a device that is no NIC, and gives it work */
	bool is_unread; /* packets of an interface are not known */
	int cpu;	/* that serves it; -1: none in this tick */
};

static double
packets_of(const struct rs_nic_view *n)
{
	return n->rx_pps + n->tx_pps;
}

static unsigned
count_actions(const char *actions)
{
	unsigned n = *actions != '\0';

	for (; *actions; actions++)
		n += *actions == ',';
	return n;
}

/* Whether several devices have work on the line. */
static bool
look(const struct rs_view *v, const struct rs_irq_view *q, const double *t, struct sharing *ret)
{
	unsigned devices = 0;
	double packets = 0.0;

	memset(ret, 0, sizeof(*ret));
	ret->line = q;
	ret->cpu = rs_irq_busiest_core(q);
	for (uint32_t i = 0; i < q->n_feeds; i++) {
		const struct rs_nic_view *const nic = rs_view_nic(v, q->feeds[i].ifindex);
		bool is_seen = !nic;
		for (uint32_t k = 0; k < i; k++)
			is_seen |= q->feeds[k].ifindex == q->feeds[i].ifindex;
		if (is_seen)
			continue;
		devices++;
		packets += packets_of(nic);
		ret->is_unread |= isnan(packets_of(nic));
		if (packets_of(nic) >= t[WORK] && ret->n < RS_ARRAY_LEN(ret->nics))
			ret->nics[ret->n++] = nic;
	}
	/* With a packet for each interrupt there is nothing left for others. */
	ret->has_other = count_actions(q->actions) > devices && q->rate_ps >= packets + t[WORK];
	return ret->n >= 2 || (ret->n == 1 && ret->has_other);
}

/* A line with two actions that is a NIC's, too. */
static bool
may_be_shared(const struct rs_irq_view *q, double min_rate_ps)
{
	return rs_irq_is_busy(q, min_rate_ps) && strchr(q->actions, ',');
}

static const char *
chip_of(const struct rs_irq_view *q)
{
	return *q->chip ? q->chip : "legacy";
}

static void
write_phrase(const struct sharing *s, char *dst, size_t cap)
{
	char names[RS_NIC_NAMES_BYTES], chip[28], actions[52];

	rs_copy_cut(chip, sizeof(chip), chip_of(s->line));
	rs_copy_cut(actions, sizeof(actions), s->line->actions);
	if (s->n < 2) {
		(void)snprintf(dst, cap, "%s shares IRQ %s (%s) with another device: %s",
		    s->nics[0]->info.name, s->line->name, chip, actions);
		return;
	}
	rs_nic_names(s->nics, s->n, names);
	(void)snprintf(dst, cap, "%s share IRQ %s (%s)", names, s->line->name, chip);
}

/* The line gives the core at least half of its NIC interrupts, of two interfaces;
 * says why not otherwise. */
static bool
is_cause(const struct rs_lead *l, const struct rs_irq_view *q, const double *t, struct sharing *s,
    struct rs_cause *ret)
{
	const double here = rs_irq_rate_on(q, l->group.cpu);

	if (!look(l->v, q, t, s) || s->n < 2)
		return rs_not(ret, "fewer than two interfaces of irq %s have packets", q->name);
	if (here < 0.5 * l->core->nic_interrupts_ps)
		return rs_not(ret, "shared irq %s gives core %u %.0f of its %.0f NIC interrupts/s",
		    q->name, l->group.cpu, rs_round_3(here),
		    rs_round_3(l->core->nic_interrupts_ps));
	return true;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct sharing s;
	bool is_unread = false;

	if (l->is_by_rps || l->v->n_irqs == 0)
		return rs_not_by_interrupts(l, ret);
	(void)rs_not(ret, "no line with %.0f interrupts/s is shared", t[LINE]);
	for (size_t i = 0; i < l->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &l->v->irqs[i];
		if (!may_be_shared(q, t[LINE]))
			continue;
		if (is_cause(l, q, t, &s, ret)) {
			ret->confidence = RS_HIGH;
			write_phrase(&s, ret->phrase, sizeof(ret->phrase));
			return true;
		}
		is_unread |= s.n < 2 && s.is_unread;
	}
	return is_unread ? rs_not_known(ret, "packets of the interfaces") : false;
}

/* Which device is what, and which option keeps it from interrupts of its own. */
static void
advise(const struct sharing *s, struct rs_says *out)
{
	struct rs_advice look_at = {.is_persistent = false};
	struct rs_advice option = {
	    .command = "grep -o -w -E 'pci=nomsi|nomsi|noapic|acpi=off|noacpi' /proc/cmdline",
	    .expect = "an option it prints keeps devices from interrupts of their own: remove it, "
		      "or enable MSI in the firmware; takes a restart",
	    .undo = "nothing to undo: it only looks",
	};

	(void)snprintf(look_at.command, sizeof(look_at.command),
	    "grep -lx %s /sys/bus/pci/devices/*/irq", s->line->name);
	(void)snprintf(look_at.expect, sizeof(look_at.expect),
	    "names the devices on the line: another slot, a newer driver, or in a virtual machine "
	    "virtio in place of them, gives each its own");
	(void)snprintf(look_at.undo, sizeof(look_at.undo), "nothing to undo: it only looks");
	rs_advise(out, &option);
	rs_advise(out, &look_at);
}

static void
tell(const struct rs_view *v, const struct sharing *s, struct rs_says *out)
{
	char phrase[160], label[64];

	write_phrase(s, phrase, sizeof(phrase));
	rs_message(out, "%s", phrase);
	rs_cause(out, "message-signalled interrupts (MSI) are off, or not supported");
	rs_evidence_text(out, "actions of the line", "%s", s->line->actions);
	rs_evidence(out, "interrupts of the line", s->line->rate_ps, RS_UNIT_PER_SECOND);
	for (unsigned i = 0; i < s->n; i++) {
		(void)snprintf(label, sizeof(label), "packets of %s", s->nics[i]->info.name);
		rs_evidence(out, label, packets_of(s->nics[i]), RS_UNIT_PPS);
	}
	const struct rs_core_view *const core =
	    s->cpu >= 0 ? rs_view_core(v, (unsigned)s->cpu) : NULL;
	if (core) {
		(void)snprintf(label, sizeof(label), "packet load of core %u", core->cpu);
		rs_evidence(out, label, core->packet_load, RS_UNIT_RATIO);
	}
	advise(s, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);

	if (v->n_irqs == 0) {
		rs_needs(out, "/proc/interrupts");
		return;
	}
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		struct sharing s;
		if (!may_be_shared(q, t[LINE_CLEAR]) || !look(v, q, t, &s))
			continue;
		const struct rs_core_view *const core =
		    s.cpu >= 0 ? rs_view_core(v, (unsigned)s.cpu) : NULL;
		struct rs_subject subject = rs_subject_host;
		subject.kind = RS_SUBJECT_IRQ;
		memcpy(subject.irq, q->name, sizeof(subject.irq));
		memcpy(subject.device, s.nics[0]->info.name, sizeof(subject.device));
		const bool is_busy = core && core->packet_load >= t[LOAD] &&
				     v->n_eligible_groups > 1 && rs_link_has_room(v);
		rs_say(out, &subject, rs_condition_of(q->rate_ps >= t[LINE], true),
		    is_busy ? RS_WARN : RS_INFO, s.n >= 2 ? RS_HIGH : RS_MEDIUM);
		if (l && s.n >= 2 && s.cpu == (int)l->group.cpu)
			rs_rule_out(out);
		tell(v, &s, out);
	}
}

RS_RULE(irq_shared_line) = {
    .code = "irq.shared_line",
    .title = "Several devices share one interrupt line",
    .help = "Each interrupt of the line runs the handlers of all its devices, on one core.",
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 10,
    .explains = explains,
};

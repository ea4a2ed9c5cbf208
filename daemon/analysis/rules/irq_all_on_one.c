/* SPDX-License-Identifier: ISC */
/*
 * Every NIC interrupt fires on the same core. One line alone is not enough for
 * that, nor is a core that the operator took out of the count, nor a machine
 * with one core.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "feed.h"
#include "irqname.h"
#include "lead.h"
#include "umbrella.h"

enum { SHARE, SHARE_CLEAR, LINE, LINE_CLEAR, LOAD };

static const struct rs_threshold thresholds[] = {
    [SHARE] = {"share", RS_PILE_SHARE, 0.50, 1.0, RS_UNIT_RATIO,
	"Share of all NIC interrupts that one core takes"},
    [SHARE_CLEAR] = {"share_clear", 0.90, 0.50, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    [LINE] = {"line", RS_PILE_LINE_PS, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"Interrupts per second from which a line is active"},
    [LINE_CLEAR] = {"line_clear", 50.0, 1.0, 1e6, RS_UNIT_PER_SECOND,
	"It stays active down to here"},
    [LOAD] = {"load", 0.50, 0.0, 1.0, RS_UNIT_RATIO,
	"Packet load of that core from which this is a warning"},
    {0},
};

#define LISTED 8u /* lines with evidence of their own */

static bool
is_pile(const struct rs_irq_pile *p, double min_share)
{
	return p->lines >= 2 && p->share >= min_share;
}

/* The busiest lines of the pile, busiest first. */
static size_t
busiest_lines(
    const struct rs_view *v, double min_rate_ps, const struct rs_irq_view *ret[static LISTED])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (!rs_irq_is_busy(q, min_rate_ps))
			continue;
		/* Into a full list it comes in place of the last, or not at all. */
		if (n == LISTED && ret[n - 1]->rate_ps >= q->rate_ps)
			continue;
		size_t at = n < LISTED ? n++ : n - 1;
		for (; at > 0 && ret[at - 1]->rate_ps < q->rate_ps; at--)
			ret[at] = ret[at - 1];
		ret[at] = q;
	}
	return n;
}

static void
tell_lines(
    const struct rs_view *v, const struct rs_irq_pile *p, double min_rate_ps, struct rs_says *out)
{
	const struct rs_irq_view *lines[LISTED];
	const size_t n = busiest_lines(v, min_rate_ps, lines);
	char label[160];

	rs_evidence(out, "share of NIC interrupts", p->share, RS_UNIT_RATIO);
	for (size_t i = 0; i < n; i++) {
		const double here = rs_irq_rate_on(lines[i], p->cpu);
		(void)snprintf(
		    label, sizeof(label), "irq %s %.32s", lines[i]->name, lines[i]->actions);
		rs_evidence_text(out, label, "%ld/s on core %u, %ld/s on others", lround(here),
		    p->cpu, lround(lines[i]->rate_ps - here));
	}
	if (p->lines > n)
		rs_evidence_text(out, "other NIC lines", "%zu less busy ones", p->lines - n);
}

/* The first device whose queue the line serves; NULL: none. */
static const struct rs_irq_feed *
queue_feed(const struct rs_irq_view *q)
{
	for (uint32_t i = 0; i < q->n_feeds; i++) {
		if (q->feeds[i].role == RS_IRQ_QUEUE)
			return &q->feeds[i];
	}
	return NULL;
}

/* The devices of the pile in the order of their lines; at most RS_ADVICE_MAX. */
static size_t
devices_of(const struct rs_view *v, double min_rate_ps, uint32_t ret[static RS_ADVICE_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < v->n_irqs && n < RS_ADVICE_MAX; i++) {
		const struct rs_irq_feed *const f = queue_feed(&v->irqs[i]);
		size_t at = 0;
		if (!f || !rs_irq_is_busy(&v->irqs[i], min_rate_ps))
			continue;
		while (at < n && ret[at] != f->ifindex)
			at++;
		if (at == n)
			ret[n++] = f->ifindex;
	}
	return n;
}

static const char write_each[] = "; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done";
static const char write_all[] = "; do echo %s > /proc/irq/$q/smp_affinity_list; done";

/* Queue i of a device goes to the i-th physical core, rx and tx of it together;
 * the next device starts elsewhere, or all the first queues would meet. Returns
 * how many lines the command has room for. */
static unsigned
add_lines(const struct rs_scene *s, double min_rate_ps, uint32_t ifindex, size_t offset,
    struct rs_advice *a)
{
	size_t next = 0;
	unsigned n = 0;

	for (size_t i = 0; i < s->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &s->v->irqs[i];
		const struct rs_irq_feed *const f = queue_feed(q);
		char pair[32];
		if (!f || f->ifindex != ifindex || !rs_irq_is_busy(q, min_rate_ps))
			continue;
		const size_t queue = f->queue >= 0 ? (size_t)f->queue : next++;
		(void)snprintf(
		    pair, sizeof(pair), " %s:%u", q->name, s->groups[(queue + offset) % s->n].cpu);
		const size_t len = strlen(a->command), undo_len = strlen(a->undo);
		if (len + strlen(pair) + sizeof(write_each) > sizeof(a->command))
			break;
		(void)snprintf(a->command + len, sizeof(a->command) - len, "%s", pair);
		(void)snprintf(a->undo + undo_len, sizeof(a->undo) - undo_len, " %s", q->name);
		n++;
	}
	return n;
}

/* The list of online cores, or the words that make it where it is too long. */
static void
format_online(const struct rs_view *v, char *dst, size_t cap)
{
	struct rs_cpuset online;

	rs_cpuset_zero(&online);
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].is_online)
			rs_cpuset_add(&online, v->cores[i].cpu);
	}
	rs_cpuset_format(&online, dst, cap);
	if (strstr(dst, "..."))
		(void)snprintf(dst, cap, "$(cat /sys/devices/system/cpu/online)");
}

static void
advise_static(
    const struct rs_scene *s, const struct rs_irq_pile *p, double min_rate_ps, struct rs_says *out)
{
	uint32_t devices[RS_ADVICE_MAX];
	const size_t n = devices_of(s->v, min_rate_ps, devices);
	unsigned covered = 0;
	char online[40];

	format_online(s->v, online, sizeof(online));
	for (size_t i = 0; i < n; i++) {
		struct rs_advice a = {
		    .command = "for p in",
		    .expect = "other cores take interrupts at once; a write that fails is refused "
			      "by driver or controller; a running irqbalance undoes it",
		    .undo = "for q in",
		};
		covered += add_lines(s, min_rate_ps, devices[i], i * s->n / n, &a);
		size_t len = strlen(a.command);
		(void)snprintf(a.command + len, sizeof(a.command) - len, "%s", write_each);
		len = strlen(a.undo);
		(void)snprintf(a.undo + len, sizeof(a.undo) - len, write_all, online);
		rs_advise(out, &a);
	}
	if (covered < p->lines)
		rs_evidence_text(
		    out, "lines in the advice", "%u of %u; go on like that", covered, p->lines);
}

/* The number of the line as settings know it. */
static const char *
affinity_of(const struct rs_view *v, const struct rs_irq_view *q)
{
	struct rs_text name = rs_text_of(q->name);
	uint64_t irq;

	if (!rs_text_u64(&name, &irq) || irq > UINT32_MAX)
		return NULL;
	return rs_view_fact(v, RS_F_IRQ_AFFINITY, (uint32_t)irq, RS_NO_QUEUE);
}

/* What the lines of the pile are allowed: one mask for all, or that it differs. */
static void
tell_masks(const struct rs_view *v, double min_rate_ps, struct rs_says *out)
{
	const char *first = NULL;
	unsigned same = 0, other = 0, unknown = 0;

	for (size_t i = 0; i < v->n_irqs; i++) {
		if (!rs_irq_is_busy(&v->irqs[i], min_rate_ps))
			continue;
		const char *const mask = affinity_of(v, &v->irqs[i]);
		first = first ? first : mask;
		unknown += !mask;
		same += mask && strcmp(mask, first) == 0;
		other += mask && strcmp(mask, first) != 0;
	}
	if (!first)
		rs_evidence_text(out, "affinity masks", "not known");
	else if (other == 0 && unknown == 0)
		rs_evidence_text(out, "affinity masks", "cores %.40s for all lines", first);
	else
		rs_evidence_text(out, "affinity masks",
		    "cores %.40s for %u lines, others for %u, not known for %u", first, same, other,
		    unknown);
}

static void
tell_irqbalance(const struct rs_view *v, struct rs_says *out)
{
	const char *const value = rs_view_fact(v, RS_F_IRQBALANCE, 0, RS_NO_QUEUE);

	rs_evidence_text(out, "irqbalance", "%.40s", value ? value : "not known whether it runs");
}

static void
tell(const struct rs_scene *s, const struct rs_irq_pile *p, double min_rate_ps, struct rs_says *out)
{
	char phrase[160];

	rs_irq_pile_phrase(s->v, p->cpu, phrase, sizeof(phrase));
	rs_message(out, "%s", phrase);
	rs_cause(
	    out, "affinity masks that name one core, or the default and no irqbalance at work");
	rs_cause(out, "an interrupt controller that serves one core only");
	tell_lines(s->v, p, min_rate_ps, out);
	rs_evidence(out, "packet load of that core", rs_view_core(s->v, p->cpu)->packet_load,
	    RS_UNIT_RATIO);
	rs_evidence_threads(out, s->v, p->cpu);
	tell_masks(s->v, min_rate_ps, out);
	tell_irqbalance(s->v, out);
	advise_static(s, p, min_rate_ps, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_irq_pile raise, hold;
	struct rs_scene s;

	if (v->n_irqs == 0) {
		rs_needs(out, "/proc/interrupts");
		return;
	}
	if (!rs_scene_begin(v, out, &s))
		return;
	rs_irq_pile_of(v, t[LINE], &raise);
	rs_irq_pile_of(v, t[LINE_CLEAR], &hold);
	const bool raises = is_pile(&raise, t[SHARE]);
	const bool holds = is_pile(&hold, t[SHARE_CLEAR]);
	if (s.n < 2 || (!raises && !holds))
		return;
	const struct rs_irq_pile *const p = raises ? &raise : &hold;
	const struct rs_core_view *const core = rs_view_core(v, p->cpu);
	if (!core || !core->is_eligible)
		return;
	const bool is_busy = core->packet_load >= t[LOAD];
	struct rs_subject subject = rs_core_subject(p->cpu);
	const struct rs_nic_view *const nic = rs_view_nic(v, hold.lines > 0 ? hold.ifindex : 0);
	if (nic)
		memcpy(subject.device, nic->info.name, sizeof(subject.device));
	rs_say(
	    out, &subject, rs_condition_of(raises, holds), is_busy ? RS_WARN : RS_INFO, RS_MEDIUM);
	tell(&s, p, raises ? t[LINE] : t[LINE_CLEAR], out);
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_irq_pile pile;

	rs_irq_pile_of(l->v, t[LINE], &pile);
	if (!is_pile(&pile, t[SHARE]) || pile.cpu != l->group.cpu)
		return false;
	ret->confidence = RS_HIGH;
	rs_irq_pile_phrase(l->v, pile.cpu, ret->phrase, sizeof(ret->phrase));
	return true;
}

RS_RULE(irq_all_on_one) = {
    .code = "irq.all_on_one",
    .title = "Every NIC interrupt fires on the same core",
    .help = "Receive work starts on the core that is interrupted: while all lines fire on one, "
	    "the others cannot help.",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 20,
    .explains = explains,
};

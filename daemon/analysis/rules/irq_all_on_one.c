/* SPDX-License-Identifier: ISC */
/*
 * Every NIC interrupt fires on the same core. One line alone is not enough for
 * that, nor is a core that the operator took out of the count, nor a machine
 * with one core.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "lead.h"
#include "loss.h"
#include "masks.h"
#include "moves.h"
#include "places.h"
#include "umbrella.h"
#include "verdict.h"

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
		    label, sizeof(label), "irq %s %s", lines[i]->name, lines[i]->actions);
		rs_evidence_text(out, label, "%.0f/s on core %u, %.0f/s on others",
		    rs_round_3(here), p->cpu, rs_round_3(lines[i]->rate_ps - here));
	}
	if (p->lines > n)
		rs_evidence_text(out, "other NIC lines", "%zu less busy ones", p->lines - n);
}

/* The devices take turns at the physical cores: were each to begin with the first,
 * all the first queues would meet. */
static void
advise_static(
    const struct rs_view *v, const struct rs_irq_pile *p, double min_rate_ps, struct rs_says *out)
{
	uint32_t devices[RS_ADVICE_MAX];
	const size_t n =
	    RS_MIN(rs_busy_devices(v, min_rate_ps, devices, RS_ADVICE_MAX), (size_t)RS_ADVICE_MAX);
	unsigned covered = 0;

	for (size_t i = 0; i < n; i++) {
		struct rs_cpuset cores;
		unsigned places[RS_PLACES_MAX];
		struct rs_moves m;
		rs_place_cores(v, devices[i], &cores);
		const size_t n_places = rs_place_list(v, &cores, places);
		rs_moves_begin(&m, v);
		covered += rs_moves_spread(
		    &m, devices[i], min_rate_ps, places, n_places, i * n_places / n);
		rs_moves_advise(&m, out);
	}
	if (covered < p->lines)
		rs_evidence_text(
		    out, "lines in the advice", "%u of %u; go on like that", covered, p->lines);
}

/* What is allowed for the lines of the pile. */
struct masks {
	const char *first; /* NULL: none is known */
	unsigned same, other, unknown;
	unsigned elsewhere; /* that do not allow the core of the pile */
	unsigned only;	    /* that allow no other */
};

static void
read_masks(const struct rs_view *v, unsigned cpu, double min_rate_ps, struct masks *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < v->n_irqs; i++) {
		if (!rs_irq_is_busy(&v->irqs[i], min_rate_ps))
			continue;
		const char *const mask = rs_line_affinity(v, &v->irqs[i]);
		ret->first = ret->first ? ret->first : mask;
		ret->unknown += !mask;
		ret->same += mask && strcmp(mask, ret->first) == 0;
		ret->other += mask && strcmp(mask, ret->first) != 0;
		ret->elsewhere += mask && !rs_mask_has(mask, cpu);
		ret->only += rs_mask_only(mask) == (int)cpu;
	}
}

/* Several lines that are wanted elsewhere: masks have no effect here, which is
 * irq.affinity_mismatch. */
static bool
is_refused(const struct rs_view *v, unsigned cpu, double min_rate_ps)
{
	struct masks m;

	read_masks(v, cpu, min_rate_ps, &m);
	return m.elsewhere >= 2;
}

/* Where the line fires, or may. */
static bool
is_wanted_on(const struct rs_view *v, const struct rs_irq_view *line, unsigned cpu)
{
	const char *const effective = rs_line_effective(v, line);
	const char *const mask = effective ? effective : rs_line_affinity(v, line);

	return !mask || rs_mask_has(mask, cpu);
}

/* One busy line a device, and a line of one of them that is quiet would fire elsewhere:
 * lines are spread, packets are not. Which queue they come by is told by the rules about
 * flows; two devices that meet on a core by it, by irq.nics_collide. */
static bool
is_of_queues(const struct rs_view *v, const struct rs_irq_pile *p, double min_rate_ps)
{
	uint32_t devices[RS_FEEDS_MAX];
	const size_t n = rs_busy_devices(v, min_rate_ps, devices, RS_FEEDS_MAX);

	if (n != p->lines || n > RS_FEEDS_MAX)
		return false;
	for (size_t i = 0; i < v->n_irqs; i++) {
		const struct rs_irq_view *const q = &v->irqs[i];
		if (!q->is_nic_queue || rs_irq_is_busy(q, min_rate_ps) ||
		    is_wanted_on(v, q, p->cpu))
			continue;
		for (size_t k = 0; k < n; k++) {
			if (rs_irq_feed_of(q, devices[k]))
				return true;
		}
	}
	return false;
}

static void
tell_masks(const struct masks *m, struct rs_says *out)
{
	char first[40];

	rs_copy_cut(first, sizeof(first), m->first ? m->first : "");
	if (!m->first)
		rs_evidence_text(out, "affinity masks", "not known");
	else if (m->other == 0 && m->unknown == 0)
		rs_evidence_text(out, "affinity masks", "cores %s for all lines", first);
	else
		rs_evidence_text(out, "affinity masks",
		    "cores %s for %u lines, others for %u, not known for %u", first, m->same,
		    m->other, m->unknown);
}

/* Where irqbalance may help: on a machine of its own, for a guest's cores wander
 * between those of its host. */
static bool
is_guest(const struct rs_view *v)
{
	const char *const hypervisor = rs_view_fact(v, RS_F_HYPERVISOR, 0, RS_NO_QUEUE);

	return !hypervisor || strcmp(hypervisor, "none") != 0;
}

static void
advise_irqbalance(const struct rs_view *v, struct rs_says *out)
{
	static const struct {
		const char *service, *state;
		struct rs_advice advice;
	} ways[] = {
	    {"systemd", "not running",
		{"systemctl enable --now irqbalance",
		    "it spreads the lines within ten seconds; version 1.9 or newer",
		    "systemctl disable --now irqbalance", true, false}},
	    {"systemd", "running",
		{"systemctl restart irqbalance",
		    "it looks at all lines anew: version 1.8.0 skips NICs until it is restarted",
		    "nothing to undo", false, false}},
	    {"openwrt", "not running",
		{"uci set irqbalance.irqbalance.enabled=1; uci commit irqbalance; "
		 "service irqbalance start",
		    "it spreads the lines within ten seconds",
		    "uci set irqbalance.irqbalance.enabled=0; uci commit irqbalance; "
		    "service irqbalance stop",
		    true, false}},
	};

	if (is_guest(v))
		return;
	for (size_t i = 0; i < RS_ARRAY_LEN(ways); i++) {
		if (rs_host_is(v, RS_F_IRQBALANCE_SERVICE, ways[i].service) &&
		    rs_host_is(v, RS_F_IRQBALANCE, ways[i].state))
			rs_advise(out, &ways[i].advice);
	}
}

/* Likeliest first. */
static void
tell_causes(const struct rs_view *v, unsigned cpu, const struct masks *m, struct rs_says *out)
{
	const bool is_known = m->first && m->unknown == 0;
	const bool is_running = rs_host_is(v, RS_F_IRQBALANCE, "running");

	if (is_running)
		rs_cause(out, "irqbalance is running, and leaves the lines on core %u", cpu);
	if (is_known && m->only == m->same + m->other)
		rs_cause(out, "the affinity masks of all lines name core %u alone", cpu);
	else if (is_known && m->only == 0)
		rs_cause(
		    out, "of masks that allow several cores the controller takes core %u", cpu);
	else if (!is_running)
		rs_cause(out, "affinity masks that name one core, or the default and no "
			      "irqbalance at work");
	if (!is_known)
		rs_cause(out, "an interrupt controller that serves one core only");
	else if (rs_host_is(v, RS_F_IRQBALANCE, "not running"))
		rs_cause(out, "irqbalance is not running");
}

static void
tell_irqbalance(const struct rs_view *v, struct rs_says *out)
{
	const char *const value = rs_view_fact(v, RS_F_IRQBALANCE, 0, RS_NO_QUEUE);

	rs_evidence_text(out, "irqbalance", "%s", value ? value : "not known whether it runs");
	if (rs_host_is(v, RS_F_HYPERVISOR, "present"))
		rs_evidence_text(out, "machine",
		    "a guest: its cores may wander, so irqbalance "
		    "is not advised");
}

static void
tell(const struct rs_view *v, const struct rs_irq_pile *p, double min_rate_ps, struct rs_says *out)
{
	struct masks masks;
	char phrase[160];

	read_masks(v, p->cpu, min_rate_ps, &masks);
	rs_irq_pile_phrase(v, p->cpu, phrase, sizeof(phrase));
	rs_message(out, "%s", phrase);
	tell_causes(v, p->cpu, &masks, out);
	tell_lines(v, p, min_rate_ps, out);
	rs_evidence(
	    out, "packet load of that core", rs_view_core(v, p->cpu)->packet_load, RS_UNIT_RATIO);
	rs_evidence_threads(out, v, p->cpu);
	tell_masks(&masks, out);
	tell_irqbalance(v, out);
	advise_irqbalance(v, out);
	advise_static(v, p, min_rate_ps, out);
}

/* With threaded NAPI the interrupt only wakes a thread, which runs where the
 * scheduler wants: then the pile is not why the core is busy. */
static bool
is_of_threads(const struct rs_view *v, const struct rs_core_view *core)
{
	const struct rs_thread_view *const t = rs_load_busiest_thread(v, core->cpu, true);

	return rs_load_is_threads(core) && t && t->thread.class == RS_THREAD_NAPI;
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
	const double min_rate_ps = raises ? t[LINE] : t[LINE_CLEAR];
	if (!core || !core->is_eligible || is_refused(v, p->cpu, min_rate_ps) ||
	    is_of_queues(v, p, min_rate_ps))
		return;
	const bool is_busy =
	    core->packet_load >= t[LOAD] && !is_of_threads(v, core) && rs_link_has_room(v);
	struct rs_subject subject = rs_core_subject(p->cpu);
	const struct rs_nic_view *const nic = rs_view_nic(v, hold.lines > 0 ? hold.ifindex : 0);
	if (nic)
		memcpy(subject.device, nic->info.name, sizeof(subject.device));
	rs_say(
	    out, &subject, rs_condition_of(raises, holds), is_busy ? RS_WARN : RS_INFO, RS_MEDIUM);
	if (rs_cause_turn(out))
		rs_rule_out(out);
	tell(v, p, min_rate_ps, out);
}

static bool
is_not(
    const struct rs_view *v, const struct rs_irq_pile *p, double min_rate_ps, struct rs_cause *ret)
{
	/* A full core is interrupted seldom, and by several lines for all that. */
	if (p->lines == 0)
		return rs_not(
		    ret, "no interrupt line of a NIC fires %.0f times a second", min_rate_ps);
	if (p->lines == 1)
		return rs_not(
		    ret, "only one interrupt line of a NIC is busy: there is nothing to spread");
	if (p->share >= 0.5)
		return rs_not(ret,
		    "core %u takes %ld %% of the NIC interrupts, %.0f cores take part", p->cpu,
		    lround(p->share * 100.0), rs_feed_count_cores(v));
	return rs_not(ret, "no core takes half of the NIC interrupts, %.0f cores take part",
	    rs_feed_count_cores(v));
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_irq_pile pile;

	rs_irq_pile_of(l->v, t[LINE], &pile);
	if (l->is_by_rps || l->v->n_irqs == 0 || is_of_threads(l->v, l->core))
		return rs_not_by_interrupts(l, ret);
	if (!is_pile(&pile, t[SHARE]))
		return is_not(l->v, &pile, t[LINE], ret);
	if (pile.cpu != l->group.cpu)
		return rs_not(ret, "every NIC interrupt fires on core %u, not on core %u", pile.cpu,
		    l->group.cpu);
	if (is_refused(l->v, pile.cpu, t[LINE]))
		return rs_not(ret, "the masks of its lines want them elsewhere already");
	if (is_of_queues(l->v, &pile, t[LINE]))
		return rs_not(ret, "one line a device is busy, and the quiet ones fire elsewhere");
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

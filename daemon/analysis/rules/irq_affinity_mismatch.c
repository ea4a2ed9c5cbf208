/* SPDX-License-Identifier: ISC */
/*
 * Interrupts reach the core that leads although they are wanted elsewhere, or
 * although the masks of a device's lines leave the choice and the controller
 * makes the same one for all. A wide mask of which one core is taken is normal
 * as long as the lines differ.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "masks.h"
#include "moves.h"
#include "places.h"
#include "rps.h"
#include "verdict.h"

enum { SHARE };

static const struct rs_threshold thresholds[] = {
    [SHARE] = {"share", 0.20, 0.01, 1.0, RS_UNIT_RATIO,
	"Part of the core's NIC interrupts that is wanted elsewhere"},
    {0},
};

#define LISTED 6u
#define MOSTLY 0.50

/* The core takes most of the line's interrupts, and is not in its mask. */
static bool
is_astray(const struct rs_view *v, const struct rs_irq_view *q, unsigned cpu)
{
	const double here = rs_irq_rate_on(q, cpu);

	if (!q->is_nic_queue || here < RS_PILE_LINE_PS || here < MOSTLY * q->rate_ps)
		return false;
	const char *const wanted = rs_line_affinity(v, q);
	return wanted && !rs_mask_is_empty(wanted) && !rs_mask_has(wanted, cpu);
}

/* The line may fire on several cores, and its controller took this one. */
static bool
is_left_to_controller(const struct rs_view *v, const struct rs_irq_view *q, unsigned cpu)
{
	const char *const wanted = rs_line_affinity(v, q);

	return wanted && !rs_mask_is_empty(wanted) && rs_mask_only(wanted) < 0 &&
	       rs_mask_has(wanted, cpu) && rs_mask_only(rs_line_effective(v, q)) == (int)cpu &&
	       rs_irq_rate_on(q, cpu) >= MOSTLY * q->rate_ps;
}

struct mismatch {
	unsigned astray; /* lines that are wanted elsewhere */
	double astray_ps;
	uint32_t device;	  /* of the first of them */
	const char *irq, *wanted; /* of the first of them */
	unsigned left, busy;   /* busy lines of the leading device: left to the controller; all */
	unsigned here, unread; /* busy lines on the core; of them, whose mask is not known */
};

static void
look(const struct rs_lead *l, struct mismatch *ret)
{
	const unsigned cpu = l->group.cpu;

	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < l->v->n_irqs; i++) {
		const struct rs_irq_view *const q = &l->v->irqs[i];
		const bool is_here = q->is_nic_queue && rs_irq_rate_on(q, cpu) >= RS_PILE_LINE_PS;
		ret->here += is_here;
		ret->unread += is_here && !rs_line_affinity(l->v, q);
		if (is_astray(l->v, q, cpu)) {
			if (ret->astray++ == 0) {
				ret->device = rs_irq_feed_of(q, 0)->ifindex;
				ret->irq = q->name;
				ret->wanted = rs_line_affinity(l->v, q);
			}
			ret->astray_ps += rs_irq_rate_on(q, cpu);
		}
		if (!l->nic || !rs_irq_is_busy(q, RS_PILE_LINE_PS) ||
		    !rs_irq_feed_of(q, l->nic->info.ifindex))
			continue;
		ret->busy++;
		ret->left += is_left_to_controller(l->v, q, cpu);
	}
}

static bool
is_astray_enough(const struct rs_lead *l, const double *t, const struct mismatch *m)
{
	return m->astray > 0 && m->astray_ps >= t[SHARE] * l->core->nic_interrupts_ps;
}

static bool
is_not(const struct rs_lead *l, const struct mismatch *m, struct rs_cause *ret)
{
	if (m->unread > 0)
		return rs_not_known(ret, "affinity masks (/proc/irq/*/smp_affinity_list)");
	if (m->astray > 0)
		return rs_not(ret,
		    "%u line%s wanted elsewhere: %.0f of %.0f interrupts/s on core %u", m->astray,
		    m->astray > 1 ? "s" : "", rs_round_3(m->astray_ps),
		    rs_round_3(l->core->nic_interrupts_ps), l->group.cpu);
	if (m->left > 0)
		return rs_not(ret, "the controller chose core %u for %u of the %u busy lines of %s",
		    l->group.cpu, m->left, m->busy, l->nic->info.name);
	if (m->here == 0)
		return rs_not(ret, "no line fires %.0f times a second on core %u", RS_PILE_LINE_PS,
		    l->group.cpu);
	if (m->here == 1)
		return rs_not(ret, "the mask of its only line on core %u allows it", l->group.cpu);
	return rs_not(
	    ret, "the masks of all %u lines that fire on core %u allow it", m->here, l->group.cpu);
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct mismatch m;

	if (l->is_by_rps || l->thread || l->n_feeds == 0)
		return rs_not_by_interrupts(l, ret);
	look(l, &m);
	ret->confidence = RS_HIGH;
	if (is_astray_enough(l, t, &m) && m.astray == 1) {
		char wanted[40];
		rs_copy_cut(wanted, sizeof(wanted), m.wanted);
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "irq %s fires on core %u although it is wanted on %s", m.irq, l->group.cpu,
		    wanted);
		return true;
	}
	if (is_astray_enough(l, t, &m)) {
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "%u interrupt lines fire on core %u although they are wanted elsewhere",
		    m.astray, l->group.cpu);
		return true;
	}
	if (m.left < 2 || m.left < m.busy)
		return is_not(l, &m, ret);
	(void)snprintf(ret->phrase, sizeof(ret->phrase),
	    "the interrupt controller puts all lines of %s on core %u", l->nic->info.name,
	    l->group.cpu);
	return true;
}

static void
tell_line(const struct rs_lead *l, const struct rs_irq_view *q, struct rs_says *out)
{
	const char *const told = rs_line_effective(l->v, q);
	char label[160], wanted[24], effective[24];

	(void)snprintf(label, sizeof(label), "irq %s %s", q->name, q->actions);
	rs_copy_cut(wanted, sizeof(wanted), rs_line_affinity(l->v, q));
	rs_copy_cut(effective, sizeof(effective), told ? told : "not known");
	rs_evidence_text(out, label, "wanted %s, effective %s, %.0f/s of %.0f/s on core %u", wanted,
	    effective, rs_round_3(rs_irq_rate_on(q, l->group.cpu)), rs_round_3(q->rate_ps),
	    l->group.cpu);
}

static void
tell_lines(const struct rs_lead *l, bool is_astray_case, struct rs_says *out)
{
	unsigned told = 0;

	for (size_t i = 0; i < l->v->n_irqs && told < LISTED; i++) {
		const struct rs_irq_view *const q = &l->v->irqs[i];
		const bool is_one = is_astray_case ? is_astray(l->v, q, l->group.cpu)
						   : rs_irq_is_busy(q, RS_PILE_LINE_PS) &&
							 rs_irq_feed_of(q, l->nic->info.ifindex);
		if (!is_one)
			continue;
		tell_line(l, q, out);
		told++;
	}
}

/* A line that does not go where it is wanted will not go elsewhere either: then
 * packets are handed on. */
static void
advise_rps(const struct rs_lead *l, const struct rs_nic_view *nic, struct rs_says *out)
{
	struct rs_cpuset mask;
	struct rs_rps r;

	rs_rps_of(l->v, nic, &r);
	if (rs_rps_is_read(&r) && r.n_set == 0 && !r.has_rfs &&
	    rs_rps_choose(&r, -1, l->group.packet_load, &mask))
		(void)rs_rps_advise(&r, &mask,
		    "other cores take the stack's part of two flows or more, wherever the lines "
		    "fire",
		    out);
}

static void
advise_masks(const struct rs_lead *l, struct rs_says *out)
{
	const uint32_t ifindex = l->nic->info.ifindex;
	struct rs_cpuset cores;
	unsigned places[RS_PLACES_MAX];
	struct rs_moves m;

	rs_place_cores(l->v, ifindex, &cores);
	const size_t n = rs_place_list(l->v, &cores, places);
	rs_moves_begin(&m, l->v);
	(void)rs_moves_spread(&m, ifindex, RS_PILE_LINE_PS, places, n, 0);
	rs_moves_advise(&m, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);
	struct mismatch m;

	if (v->n_irqs == 0)
		rs_needs(out, "/proc/interrupts");
	if (!l)
		return;
	look(l, &m);
	const bool is_astray_case = is_astray_enough(l, t, &m);
	const struct rs_nic_view *const nic = is_astray_case ? rs_view_nic(v, m.device) : l->nic;
	if (!nic)
		return;
	const struct rs_subject subject = rs_nic_subject(nic);
	rs_cause_say(out, l, &subject);
	rs_cause(out, "%s",
	    is_astray_case
		? "a kernel-managed interrupt, or a controller that does not follow the mask"
		: "a controller that takes one core of each mask, the same for all");
	tell_lines(l, is_astray_case, out);
	rs_cause_figures(out, l);
	if (!rs_cause_can_spread(out, l))
		return;
	if (is_astray_case)
		advise_rps(l, nic, out);
	else
		advise_masks(l, out);
}

RS_RULE(irq_affinity_mismatch) = {
    .code = "irq.affinity_mismatch",
    .title = "Interrupts fire on another core than they are wanted on",
    .help = "The affinity mask of a line is a wish. Some controllers take one core of it, some "
	    "drivers keep their own, and then a mask alone does not spread the work.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .thresholds = thresholds,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 30,
    .explains = explains,
};

/* SPDX-License-Identifier: ISC */
/*
 * Receive packet steering (RPS) that does not help: all packets handed to one
 * core, or back to the core that was interrupted; cores in the mask that cannot
 * take any; steering on top of a device that spreads by itself. Not where flows
 * are to follow their processes (RFS).
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "feed.h"
#include "masks.h"
#include "places.h"
#include "rps.h"

enum { WAKE_UPS, EVEN };

static const struct rs_threshold thresholds[] = {
    [WAKE_UPS] = {"wake_ups", 1000.0, 1.0, 1e7, RS_UNIT_PER_SECOND,
	"Wake-ups by RPS from which steering on top of queues is told of"},
    [EVEN] = {"even", 1.5, 1.0, 100.0, RS_UNIT_NONE,
	"The busiest queue has at most so many times an even part: the device spreads well"},
    {0},
};

#define NICS_MAX RS_NIC_NAMES_MAX
/* Of the packets of the leading interface, that another one must have. */
#define WORTH_SHARE 0.05

enum kind {
	ONE_CORE, /* (b) all masks name the same core, and it leads */
	ITSELF,	  /* (b) the mask of the only queue names the core it interrupts */
	INCLUDED  /* (d) it leads, and the masks name it beside others */
};

/* Whether the masks of all queues that the core could get packets from are `cpu`
 * alone; *ret_has: it is in some of them. */
static bool
are_only(const struct rs_rps *r, unsigned cpu, bool *ret_has)
{
	bool are = true;

	*ret_has = false;
	for (unsigned q = 0; q < r->n && (are || !*ret_has); q++) {
		const char *const mask = rs_rps_mask(r, q);
		are &= rs_mask_only(mask) == (int)cpu;
		*ret_has |= rs_mask_has(mask, cpu);
	}
	return are;
}

/* A queue of the interface interrupts the core. */
static bool
is_interrupted(const struct rs_lead *l)
{
	return l->n_feeds > 0 && l->feeds[0].ifindex == l->nic->info.ifindex &&
	       l->core->nic_interrupts_ps >= RS_PILE_LINE_PS;
}

/* The better mask; false: there is none. */
static bool
correct(const struct rs_lead *l, const struct rs_rps *r, enum kind kind, struct rs_cpuset *ret)
{
	/* The interrupted core keeps the driver's work, which may be all. */
	const int from = kind == ONE_CORE ? (int)l->group.cpu : -1;

	if (!rs_rps_choose(r, from, l->group.packet_load, ret))
		return false;
	/* Where the one core is the best there is, nothing is wrong. */
	return !rs_cpuset_has(ret, l->group.cpu) || (kind == ONE_CORE && rs_cpuset_count(ret) > 1);
}

static bool
find_kind(const struct rs_lead *l, const struct rs_rps *r, enum kind *ret)
{
	bool has;
	const bool is_only = are_only(r, l->group.cpu, &has);

	if (is_only && l->is_by_rps)
		*ret = ONE_CORE;
	else if (is_only && is_interrupted(l) && l->n_rx == 1)
		*ret = ITSELF;
	else if (has && !is_only && is_interrupted(l) && !l->is_by_rps)
		*ret = INCLUDED;
	else
		return false;
	return true;
}

static bool
judge(const struct rs_lead *l, struct rs_rps *r, enum kind *ret, struct rs_cpuset *ret_mask)
{
	if (!l->nic)
		return false;
	rs_rps_of(l->v, l->nic, r);
	return rs_rps_is_read(r) && r->n_set > 0 && !r->has_rfs && find_kind(l, r, ret) &&
	       correct(l, r, *ret, ret_mask);
}

/* Why it is not judged to be so. */
static bool
is_not(const struct rs_lead *l, const struct rs_rps *r, struct rs_cause *ret)
{
	const char *const device = l->nic ? l->nic->info.name : "";
	enum kind kind;
	bool has;

	if (!l->nic)
		return false;
	if (!rs_rps_is_read(r))
		return rs_not_known(ret, RS_RPS_NEEDED);
	if (r->n_set == 0)
		return rs_not_set(r, ret);
	if (r->has_rfs)
		return rs_not(ret, "flows of %s follow their processes (RFS)", device);
	if (find_kind(l, r, &kind))
		return rs_not(ret, "no core has more room than those in the masks of %s", device);
	(void)are_only(r, l->group.cpu, &has);
	if (!has)
		return rs_not(ret, "RPS masks of %s do not name core %u", device, l->group.cpu);
	return rs_not(ret, "RPS masks of %s name core%s %s", device,
	    rs_mask_only(rs_rps_mask(r, 0)) < 0 ? "s" : "", rs_rps_mask(r, 0));
}

/* The leading interface, and where it hands all its packets to the core, those
 * that do so, too. Returns how many. */
static size_t
list_handing(
    const struct rs_lead *l, enum kind kind, const struct rs_nic_view *ret[static NICS_MAX])
{
	size_t n = 0;

	ret[n++] = l->nic;
	for (size_t i = 0; kind == ONE_CORE && i < l->v->n_nics && n < NICS_MAX; i++) {
		const struct rs_nic_view *const nic = &l->v->nics[i];
		struct rs_rps r;
		bool has;
		if (nic == l->nic || !nic->counts_in_sums ||
		    !(nic->rx_pps >= WORTH_SHARE * l->nic->rx_pps))
			continue;
		rs_rps_of(l->v, nic, &r);
		if (rs_rps_is_read(&r) && are_only(&r, l->group.cpu, &has))
			ret[n++] = nic;
	}
	return n;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	static const struct {
		const char *before, *between, *after;
	} phrases[] = {
	    [ONE_CORE] = {"all packets of", "to", ""},
	    [ITSELF] = {"the packets of", "to", ", which it interrupts anyway"},
	    [INCLUDED] = {"packets of", "back to", ", which it interrupts"},
	};
	const struct rs_nic_view *nics[NICS_MAX];
	struct rs_cpuset mask;
	struct rs_rps r;
	enum kind kind;
	char names[RS_NIC_NAMES_BYTES];

	(void)t;
	if (!judge(l, &r, &kind, &mask))
		return is_not(l, &r, ret);
	ret->confidence = RS_HIGH;
	const size_t n = list_handing(l, kind, nics);
	rs_nic_names(nics, n, names);
	(void)snprintf(ret->phrase, sizeof(ret->phrase), "RPS hands %s %s %s core %u%s",
	    phrases[kind].before, names, phrases[kind].between, l->group.cpu, phrases[kind].after);
	return true;
}

/* --- figures ----------------------------------------------------------- */

static double
sum_wake_ups(const struct rs_view *v)
{
	double sum = 0.0;

	for (size_t i = 0; i < v->n_cores; i++)
		sum += isnan(v->cores[i].rps_ps) ? 0.0 : v->cores[i].rps_ps;
	return sum;
}

/* The masks as they are, and the cores that are interrupted. */
static void
tell_masks(const struct rs_rps *r, struct rs_says *out)
{
	struct rs_cpuset interrupted;
	char cores[64], first[56];
	bool is_same = true;

	for (unsigned q = 1; q < r->n; q++)
		is_same &= strcmp(rs_rps_mask(r, q), rs_rps_mask(r, 0)) == 0;
	rs_copy_cut(first, sizeof(first), rs_rps_mask(r, 0));
	if (is_same)
		rs_evidence_text(out, "RPS masks", "cores %s on all %u queues", first, r->n);
	else
		rs_evidence_text(
		    out, "RPS masks", "cores %s on queue 0, others on %u more", first, r->n - 1);
	rs_rps_interrupted(r, &interrupted);
	rs_cpuset_format(&interrupted, cores, sizeof(cores));
	rs_evidence_text(
	    out, "cores it interrupts", "%s", cores[0] ? cores : "none (no line of its own)");
	rs_evidence(out, "wake-ups by RPS", sum_wake_ups(r->v), RS_UNIT_PER_SECOND);
}

static void
advise(const struct rs_lead *l, const struct rs_rps *r, const struct rs_cpuset *mask,
    struct rs_says *out)
{
	char cores[40], expect[160];
	const unsigned n = rs_cpuset_count(mask);

	rs_cpuset_format(mask, cores, sizeof(cores));
	(void)snprintf(expect, sizeof(expect),
	    "cores %s share the packets of two flows or more: core %u falls towards %ld %%", cores,
	    l->group.cpu, lround(l->group.packet_load / RS_MAX(n, 1u) * 100.0));
	if (!rs_rps_advise(r, mask, expect, out))
		rs_evidence_text(out, "no advice", "the mask is too long for a command");
}

static void
tell_cause(const struct rs_lead *l, struct rs_says *out)
{
	static const char *const causes[] = {
	    [ONE_CORE] = "a mask with one core: each packet is handed on, and none is spread",
	    [ITSELF] = "a mask that names the interrupted core: the packets do not leave it",
	    [INCLUDED] = "a mask with all cores: the interrupted one has the driver's work besides",
	};
	const struct rs_nic_view *nics[NICS_MAX];
	struct rs_cpuset mask;
	struct rs_rps r;
	enum kind kind;

	if (!judge(l, &r, &kind, &mask))
		return;
	const struct rs_subject subject = rs_nic_subject(l->nic);
	rs_cause_say(out, l, &subject);
	rs_cause(out, "%s", causes[kind]);
	tell_masks(&r, out);
	rs_cause_figures(out, l);
	if (!rs_cause_can_spread(out, l))
		return;
	const size_t n = list_handing(l, kind, nics);
	for (size_t i = 0; i < n; i++) {
		rs_rps_of(l->v, nics[i], &r);
		advise(l, &r, &mask, out);
	}
}

/* --- what is wrong without a core that leads --------------------------- */

/* (c) Of the cores in the first mask, those that are offline or kept free. */
static unsigned
find_unfit(const struct rs_view *v, const char *mask, struct rs_cpuset *ret)
{
	struct rs_cpuset s;

	rs_cpuset_zero(ret);
	if (!rs_mask_of(mask, &s))
		return 0;
	for (unsigned cpu = rs_cpuset_next(&s, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&s, cpu + 1)) {
		const struct rs_core_view *const c = rs_view_core(v, cpu);
		if (c && (!c->is_online || c->excluded == RS_CORE_ISOLATED ||
			     c->excluded == RS_CORE_NOHZ_FULL || c->excluded == RS_CORE_RESERVED))
			rs_cpuset_add(ret, cpu);
	}
	return rs_cpuset_count(ret);
}

/* The first mask without those; one of its own where nothing is left. */
static bool
without_unfit(const struct rs_rps *r, const struct rs_cpuset *unfit, struct rs_cpuset *ret)
{
	if (!rs_mask_of(rs_rps_mask(r, 0), ret))
		return false;
	for (size_t i = 0; i < RS_ARRAY_LEN(ret->word); i++)
		ret->word[i] &= ~unfit->word[i];
	return rs_cpuset_count(ret) > 0 || rs_rps_choose(r, -1, 1.0, ret);
}

static void
tell_unfit(const struct rs_rps *r, const struct rs_cpuset *unfit, struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(r->nic);
	const unsigned n = rs_cpuset_count(unfit);
	struct rs_cpuset mask;
	char cores[64];

	rs_cpuset_format(unfit, cores, sizeof(cores));
	rs_say(out, &subject, RS_COND_RAISE, RS_INFO, RS_HIGH);
	rs_message(out, "the RPS masks of %s name core%s %s, which %s offline or kept free",
	    r->nic->info.name, n > 1 ? "s" : "", cores, n > 1 ? "are" : "is");
	rs_cause(out, "packets for an offline core stay where they came in; an isolated one is "
		      "disturbed");
	tell_masks(r, out);
	if (without_unfit(r, unfit, &mask))
		(void)rs_rps_advise(
		    r, &mask, "packets are handed to cores that can take them", out);
}

/* (a) The device has a queue for each core, and uses them evenly. */
static bool
is_redundant(const struct rs_rps *r, const double *t)
{
	double most = 0.0;
	unsigned n = 0;

	for (uint32_t i = 0; i < r->nic->n_queues; i++) {
		const struct rs_queue_view *const q = &r->v->queues[r->nic->first_queue + i];
		if (q->is_tx)
			break;
		if (isnan(q->share))
			return false;
		most = fmax(most, q->share);
		n++;
	}
	return n >= 2 && n >= r->v->n_eligible_groups && most * n <= t[EVEN];
}

static void
tell_redundant(const struct rs_rps *r, const double *t, struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(r->nic);
	struct rs_cpuset none;

	if (!is_redundant(r, t))
		return;
	rs_cpuset_zero(&none);
	rs_say(out, &subject, RS_COND_RAISE, RS_INFO, RS_HIGH);
	rs_message(out, "RPS hands packets of %s on although its %u queues spread them evenly",
	    r->nic->info.name, r->n);
	rs_cause(out, "steering that was set for a device with fewer queues");
	tell_masks(r, out);
	(void)rs_rps_advise(
	    r, &none, "wake-ups of other cores end, packets stay with their queue's core", out);
}

static void
tell_others(
    const struct rs_view *v, const double *t, const struct rs_nic_view *told, struct rs_says *out)
{
	const bool is_steering = sum_wake_ups(v) >= t[WAKE_UPS];

	for (size_t i = 0; i < v->n_nics; i++) {
		struct rs_cpuset unfit;
		struct rs_rps r;
		if (&v->nics[i] == told || v->nics[i].info.is_loopback)
			continue;
		/* One look tells of most interfaces that nothing is wrong. */
		const char *const first =
		    rs_view_fact(v, RS_F_RPS_CPUS, v->nics[i].info.ifindex, 0);
		if (!first || rs_mask_is_empty(first))
			continue;
		const bool is_unfit = find_unfit(v, first, &unfit) > 0;
		if (!is_steering && !is_unfit)
			continue;
		rs_rps_of(v, &v->nics[i], &r);
		if (!rs_rps_is_read(&r) || r.has_rfs)
			continue;
		if (is_steering && is_redundant(&r, t))
			tell_redundant(&r, t, out);
		else if (is_unfit)
			tell_unfit(&r, &unfit, out);
	}
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);

	if (l)
		tell_cause(l, out);
	tell_others(v, t, l ? l->nic : NULL, out);
}

RS_RULE(rps_misset) = {
    .code = "rps.misset",
    .title = "Receive packet steering is set so that it does not help",
    .help = "RPS hands packets from the interrupted core to others. Its masks name one core, cores "
	    "that cannot help, or are not needed beside the queues of the device.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .thresholds = thresholds,
    .evaluate = evaluate,
    .cause_order = 50,
    .explains = explains,
};

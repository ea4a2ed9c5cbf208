/* SPDX-License-Identifier: ISC */
/*
 * The core that leads is the only one, or one of few, that the device can
 * interrupt, and nobody hands packets on: receive packet steering (RPS) is off.
 * Where the device could have more queues, those come first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "masks.h"
#include "num.h"
#include "places.h"
#include "rps.h"

/* Few queues: one, or fewer than cores and none of them stands out. */
static bool
has_few_queues(const struct rs_lead *l, struct rs_cause *ret)
{
	if (l->n_rx == 1)
		return true;
	if (l->n_rx == 0)
		return rs_not_known(ret, "receive queues of the interface");
	if (l->n_rx >= l->v->n_eligible_groups)
		return rs_not(ret, "%s has %u receive queues for %u cores", l->nic->info.name,
		    l->n_rx, l->v->n_eligible_groups);
	if (isnan(l->share))
		return rs_not_known(ret, "packets of each receive queue");
	if (l->share >= RS_QUEUE_STANDS_OUT)
		return rs_not(ret, "one of its %u receive queues has %ld %% of the packets",
		    l->n_rx, lround(l->share * 100.0));
	return true;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_rps r;

	(void)t;
	if (!rs_lead_is_fed_by_nic(l))
		return rs_not_by_interrupts(l, ret);
	if (l->n_cold == 0)
		return rs_not_elsewhere(l, ret);
	if (!has_few_queues(l, ret))
		return false;
	rs_rps_of(l->v, l->nic, &r);
	if (!rs_rps_is_read(&r))
		return rs_not_known(ret, RS_RPS_NEEDED);
	if (r.n_set > 0)
		return rs_not(ret, "RPS masks of %s are set (%u of %u receive queues)",
		    l->nic->info.name, r.n_set, r.n);
	ret->confidence = RS_HIGH;
	if (l->n_rx == 1)
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "%s has one receive queue and hands no packets to other cores (RPS is off)",
		    l->nic->info.name);
	else
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "%s has %u receive queues for %u cores and hands no packets on (RPS is off)",
		    l->nic->info.name, l->n_rx, l->v->n_eligible_groups);
	return true;
}

/* The way of the system itself, which lasts. */
static void
advise_system(const struct rs_lead *l, struct rs_says *out)
{
	const char *const system = rs_view_fact(l->v, RS_F_SYSTEM, 0, RS_NO_QUEUE);
	struct rs_text t = rs_text_of(system ? system : "");
	struct rs_advice a = {.is_persistent = true};
	uint64_t major = 0;

	if (rs_text_skip(&t, "openwrt ")) {
		/* Since 24.10 1 is one other core for each queue, 2 all of them. */
		(void)rs_text_u64(&t, &major);
		(void)snprintf(a.command, sizeof(a.command),
		    "uci set network.globals.packet_steering=%d; uci commit network; "
		    "service network reload",
		    major >= 24 ? 2 : 1);
		(void)snprintf(a.undo, sizeof(a.undo),
		    "uci delete network.globals.packet_steering; uci commit network; "
		    "service network reload");
		(void)snprintf(
		    a.expect, sizeof(a.expect), "the same for all interfaces, kept over a reboot");
	} else if (rs_text_skip(&t, "vyos")) {
		(void)snprintf(a.command, sizeof(a.command),
		    "set interfaces ethernet %s offload rps", l->nic->info.name);
		(void)snprintf(a.undo, sizeof(a.undo), "delete interfaces ethernet %s offload rps",
		    l->nic->info.name);
		(void)snprintf(a.expect, sizeof(a.expect),
		    "in configuration mode, with commit and save: all cores but the first, kept "
		    "over a reboot");
	} else {
		return;
	}
	rs_advise(out, &a);
}

static void
advise(const struct rs_lead *l, const struct rs_rps *r, struct rs_says *out)
{
	struct rs_cpuset s;
	char cores[40], expect[160];

	/* How much of its work is the driver's is not known: it keeps all. */
	if (!rs_rps_choose(r, -1, l->group.packet_load, &s))
		return;
	rs_cpuset_format(&s, cores, sizeof(cores));
	(void)snprintf(expect, sizeof(expect),
	    "cores %s share the stack's part of two flows or more; core %u keeps the driver's; "
	    "costs "
	    "wake-ups: measure",
	    cores, l->group.cpu);
	if (!rs_rps_advise(r, &s, expect, out))
		rs_evidence_text(out, "no advice", "the mask is too long for a command");
	advise_system(l, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);
	struct rs_rps r;

	(void)t;
	if (!l)
		return;
	const struct rs_subject subject = rs_nic_subject(l->nic);
	rs_rps_of(v, l->nic, &r);
	rs_cause_say(out, l, &subject);
	rs_cause(out, "fewer receive queues than cores, and a device that has no more");
	rs_evidence_text(out, "RPS masks", "none on all %u queues", r.n);
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise(l, &r, out);
}

RS_RULE(rps_needed) = {
    .code = "rps.needed",
    .title = "Few receive queues, and no core hands packets on",
    .help =
	"All packets of the device pass through the core it interrupts. Receive packet steering "
	"would give the larger part of the work to other cores, flow by flow.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 70,
    .explains = explains,
};

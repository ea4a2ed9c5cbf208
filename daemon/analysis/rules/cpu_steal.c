/* SPDX-License-Identifier: ISC */
/*
 * The hypervisor gives the time of this guest's cores to others. The core that
 * loses most is told of; on a machine of its own there is nobody to take it.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "speed.h"
#include "umbrella.h"

enum { SHARE, SHARE_CLEAR, CRIT };

static const struct rs_threshold thresholds[] = {
    [SHARE] = {"share", 0.05, 0.001, 1.0, RS_UNIT_RATIO, "Part of a core's time that is stolen"},
    [SHARE_CLEAR] = {"share_clear", 0.03, 0.0, 1.0, RS_UNIT_RATIO,
	"The part below which it clears"},
    [CRIT] = {"crit", 0.10, 0.001, 1.0, RS_UNIT_RATIO, "The part from which it is critical"},
    {0},
};

#define LISTED 8u

static void
tell_cores(const struct rs_view *v, double least, struct rs_says *out)
{
	unsigned told = 0;

	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		char label[64];
		if (!(c->steal >= least))
			continue;
		if (told++ == LISTED) {
			rs_evidence_text(out, "other cores", "more of them lose time");
			return;
		}
		(void)snprintf(label, sizeof(label), "time stolen from core %u", c->cpu);
		rs_evidence(out, label, c->steal, RS_UNIT_RATIO);
	}
}

static void
tell(const struct rs_view *v, const struct rs_core_view *worst, double mean, double least,
    struct rs_says *out)
{
	const char *const balance = rs_view_fact(v, RS_F_IRQBALANCE, 0, RS_NO_QUEUE);

	rs_message(out, "the hypervisor takes %ld %% of core %u's time",
	    lround(worst->steal * 100.0), worst->cpu);
	rs_cause(out, "the host has more virtual cores at work than real ones: pin this guest's, "
		      "avoid overcommit, or take a larger instance");
	if (balance && strcmp(balance, "running") == 0)
		rs_cause(out, "irqbalance is running: it does not help where cores wander");
	tell_cores(v, least, out);
	rs_evidence(out, "mean of all cores", mean, RS_UNIT_RATIO);
	rs_evidence(
	    out, "packet load of that core, of what is left", worst->packet_load, RS_UNIT_RATIO);
	rs_evidence_text(out, "machine", "%s", rs_is_guest(v) ? "a guest" : "not known");
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_core_view *worst = NULL;
	double sum = 0.0;
	unsigned n = 0;

	if (rs_is_bare(v)) {
		rs_needs(out, "a hypervisor: this machine is not virtual");
		return;
	}
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		if (!c->is_online || isnan(c->steal))
			continue;
		sum += fmax(0.0, c->steal);
		n++;
		if (!worst || c->steal > worst->steal)
			worst = c;
	}
	if (!worst)
		rs_needs(out, v->missing ? v->missing : "a value of at least one core");
	if (!worst || !(worst->steal >= t[SHARE_CLEAR]))
		return;
	rs_say(out, &rs_subject_host, rs_condition_of(worst->steal >= t[SHARE], true),
	    worst->steal >= t[CRIT] ? RS_CRIT : RS_WARN, RS_HIGH);
	tell(v, worst, sum / n, t[SHARE_CLEAR], out);
}

RS_RULE(cpu_steal) = {
    .code = "cpu.steal",
    .title = "The hypervisor takes time from the cores",
    .help = "Time in which a core had work and the host gave it to others. No setting in the guest "
	    "wins it back.",
    .window_s = 30,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

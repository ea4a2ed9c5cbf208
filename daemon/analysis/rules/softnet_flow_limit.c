/* SPDX-License-Identifier: ISC */
/*
 * The kernel sheds packets of the largest flow so that the others get through. It
 * is protection, so no more than a note.
 */
#include <math.h>

#include "umbrella.h"
#include "verdict.h"

/* The core that sheds most; NULL: none, *ret_is_known telling whether anybody
 * looked. */
static const struct rs_core_view *
find_shedding(const struct rs_view *v, bool *ret_is_known)
{
	const struct rs_core_view *most = NULL;

	*ret_is_known = false;
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		*ret_is_known |= !isnan(c->flow_limit_ps);
		if (c->flow_limit_ps > (most ? most->flow_limit_ps : 0.0))
			most = c;
	}
	return most;
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	bool is_known;
	const struct rs_core_view *const c = find_shedding(v, &is_known);
	char rate[24];

	(void)t;
	if (!is_known)
		rs_needs(out, "counters of the flow limit (/proc/net/softnet_stat)");
	if (!c)
		return;
	const struct rs_subject subject = rs_core_subject(c->cpu);
	rs_say(out, &subject, RS_COND_RAISE, RS_INFO, RS_HIGH);
	rs_format_pps(c->flow_limit_ps, rate);
	rs_message(out, "core %u sheds %s of its largest flow (flow limit)", c->cpu, rate);
	rs_cause(out, "one flow that is more than half of what waits for a core that falls behind: "
		      "a large transfer, or an attack");
	rs_evidence(out, "shed by the flow limit", c->flow_limit_ps, RS_UNIT_PPS);
	rs_evidence(out, "dropped by that core in all", c->dropped_pps, RS_UNIT_PPS);
	rs_evidence(out, "packet load of that core", c->packet_load, RS_UNIT_RATIO);
	rs_evidence_text(out, "what it is for",
	    "protection: the other flows get through (net.core.flow_limit_cpu_bitmap)");
}

RS_RULE(softnet_flow_limit) = {
    .code = "softnet.flow_limit",
    .title = "The kernel sheds packets of the largest flow",
    .help = "Where a core falls behind, the flow limit drops packets of the flow that fills its "
	    "backlog, so that the others get through.",
    .voting = RS_VOTING_COUNTER,
    .has_one_subject = true,
    .evaluate = evaluate,
};

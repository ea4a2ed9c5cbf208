/* SPDX-License-Identifier: ISC */
/*
 * A link comes and goes. What a change of settings brings about (`ethtool -L`,
 * `-G`, another MTU) is taken out beforehand (recent.h).
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "recent.h"
#include "umbrella.h"

enum { CHANGES, CRITICAL };

static const struct rs_threshold thresholds[] = {
    [CHANGES] = {"changes", 4.0, 2.0, 1e6, RS_UNIT_EVENTS,
	"Times in five minutes that the link comes or goes"},
    [CRITICAL] = {"critical", 10.0, 2.0, 1e6, RS_UNIT_EVENTS,
	"The number from which it is critical"},
    {0},
};

static void
tell(const struct rs_nic_view *nic, double changes, struct rs_says *out)
{
	struct rs_advice a = {.undo = "nothing to undo: it only looks"};

	rs_message(out, "link %s came or went %.0f times in five minutes", nic->info.name, changes);
	rs_cause(out, "a cable, plug or optical module with a loose contact");
	rs_cause(
	    out, "two sides that do not agree, or energy saving (EEE) that one of them cannot");
	rs_evidence(out, "came or went in five minutes", changes, RS_UNIT_EVENTS);
	rs_evidence(out, "since it was set up", (double)nic->info.carrier_changes, RS_UNIT_EVENTS);
	rs_evidence_text(out, "the link is now", "%s",
	    nic->info.is_up == 1   ? "up"
	    : nic->info.is_up == 0 ? "down"
				   : "not known");
	(void)snprintf(a.command, sizeof(a.command), "ethtool --show-eee %s; ethtool %s",
	    nic->info.name, nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "where EEE is enabled, `ethtool --set-eee %s eee off` rules it out; where both sides "
	    "negotiate, exchange the cable, then the port",
	    nic->info.name);
	rs_advise(out, &a);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		if (!nic->info.is_physical)
			continue;
		const double changes =
		    rs_recent_sum(rs_recent_of(out), nic->info.ifindex, RS_RECENT_CARRIER_300);
		is_known |= nic->info.carrier_changes >= 0;
		if (!(changes >= t[CHANGES]))
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		rs_say(out, &subject, RS_COND_RAISE, changes >= t[CRITICAL] ? RS_CRIT : RS_WARN,
		    RS_HIGH);
		tell(nic, changes, out);
	}
	if (!is_known)
		rs_needs(out, "how often links came and went (carrier_changes)");
}

RS_RULE(link_flapping) = {
    .code = "link.flapping",
    .title = "A link comes and goes",
    .help = "Each time all packets on their way are lost, and routes may change.",
    .voting = RS_VOTING_COUNTER,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

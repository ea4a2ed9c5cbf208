/* SPDX-License-Identifier: ISC */
/*
 * The cloud holds back or drops packets beyond what it allows the port: bandwidth,
 * packets a second, connections. Any is too many. Amazon's driver counts them.
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "verdict.h"

static const struct rs_threshold thresholds[] = {
    {"packets", 1.0, 0.001, 1e7, RS_UNIT_PPS, "Packets per second beyond what is allowed"},
    {0},
};

static void
tell(const struct rs_nic_view *nic, struct rs_says *out)
{
	struct rs_advice a = {
	    .expect = "it tells which limit: bandwidth in or out, packets, or connections; a "
		      "larger instance has higher ones",
	    .undo = "nothing to undo"};
	char rate[24];

	rs_format_pps(nic->allowance_pps, rate);
	rs_message(out, "the cloud's limits hold back %s of %s", rate, nic->info.name);
	rs_cause(out, "the instance's limit of bandwidth, packets or connections is reached");
	rs_evidence(out, "packets beyond what is allowed", nic->allowance_pps, RS_UNIT_PPS);
	rs_evidence(out, "packets received", nic->rx_pps, RS_UNIT_PPS);
	rs_evidence(out, "packets sent", nic->tx_pps, RS_UNIT_PPS);
	(void)snprintf(a.command, sizeof(a.command), "ethtool -S %s | grep allowance_exceeded",
	    nic->info.name);
	rs_advise(out, &a);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		is_known |= !isnan(nic->allowance_pps);
		if (!(nic->allowance_pps >= t[0]))
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_HIGH);
		tell(nic, out);
	}
	if (!is_known)
		rs_needs(out, "a port whose driver counts the cloud's limits (ena)");
}

RS_RULE(cloud_allowance) = {
    .code = "cloud.allowance",
    .title = "The cloud's limits for the port are reached",
    .help = "Clouds limit bandwidth, packets and connections of an instance, and hold back or drop "
	    "what is beyond.",
    .voting = RS_VOTING_COUNTER,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

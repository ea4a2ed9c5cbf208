/* SPDX-License-Identifier: ISC */
/*
 * One flow is nearly all that the queue of the core that leads receives. Packets of
 * a flow stay in order by staying on a queue and a core, so no setting spreads its
 * receive path. Where flows are not known it may be several that met: both are
 * named. Last of the causes: the rules that know the flows say so before.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "flows.h"
#include "masks.h"
#include "places.h"
#include "rps.h"
#include "verdict.h"

/* Tunnels that end or pass here, by what is seen of them on the wire. */
static const struct {
	uint8_t protocol; /* 0: UDP with this port */
	uint16_t port;
	const char *what;
} tunnels[] = {
    {47, 0, "GRE"},
    {4, 0, "IP in IP"},
    {41, 0, "IPv6 in IPv4"},
    {50, 0, "IPsec (ESP)"},
    {0, 4500, "IPsec (ESP in UDP)"},
    {0, 51820, "WireGuard"},
    {0, 4789, "VXLAN"},
    {0, 1194, "OpenVPN"},
};

static const char *
tunnel_of(const struct rs_heavy_flow *f)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(tunnels); i++) {
		const bool is_port = f->ends.source_port == tunnels[i].port ||
				     f->ends.destination_port == tunnels[i].port;
		if (tunnels[i].protocol ? f->protocol == tunnels[i].protocol
					: f->protocol == 17 && is_port)
			return tunnels[i].what;
	}
	return NULL;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_lead_flows f;
	char rate[24];

	(void)t;
	rs_lead_flows_of(l, &f);
	if (!rs_flows_matter(l, &f, ret))
		return false;
	if (f.say == RS_FLOWS_UNKNOWN) {
		ret->confidence = RS_MEDIUM;
		(void)snprintf(ret->phrase, sizeof(ret->phrase),
		    "one flow or a hash collision (p=%.2g for two flows)", f.chance);
		return true;
	}
	if (f.say != RS_FLOWS_ELEPHANT)
		return rs_not(ret, "the biggest flow has %ld %% of queue %u",
		    lround(f.biggest * 100.0), (unsigned)l->busiest->queue);
	ret->confidence = f.is_by_route ? RS_HIGH : RS_MEDIUM;
	rs_format_bps(f.at[0].flow->bps, rate);
	(void)snprintf(
	    ret->phrase, sizeof(ret->phrase), "one flow of %s is nearly all of the queue", rate);
	return true;
}

/* --- advice ------------------------------------------------------------ */

/* The driver's part stays, the stack's part goes to one other core. */
static void
advise_split(const struct rs_lead *l, struct rs_says *out)
{
	const unsigned queue = l->busiest->queue;
	const char *const device = l->nic->info.name;
	struct rs_advice a = {.is_persistent = false};
	struct rs_cpuset cores, one;
	struct rs_rps r;
	char mask[64];

	rs_rps_of(l->v, l->nic, &r);
	if (!rs_rps_is_read(&r) || !rs_mask_is_empty(rs_rps_mask(&r, queue)))
		return;
	rs_place_cores(l->v, l->nic->info.ifindex, &cores);
	rs_place_without(l->v, l->group.cpu, &cores);
	const int to = rs_place_coldest(l->v, &cores);
	if (to < 0)
		return;
	rs_cpuset_zero(&one);
	rs_cpuset_add(&one, (unsigned)to);
	if (!rs_mask_hex(&one, mask, sizeof(mask)))
		return;
	(void)snprintf(a.command, sizeof(a.command),
	    "echo %s > /sys/class/net/%s/queues/rx-%u/rps_cpus", mask, device, queue);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "core %u keeps interrupts and the driver, core %d gets the stack's part; costs "
	    "wake-ups: measure before and after",
	    l->group.cpu, to);
	(void)snprintf(a.undo, sizeof(a.undo), "echo 0 > /sys/class/net/%s/queues/rx-%u/rps_cpus",
	    device, queue);
	rs_advise(out, &a);
}

static void
tell_one(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const char *const tunnel = tunnel_of(f->at[0].flow);

	rs_cause(out, "packets of a flow stay on one queue and one core: no setting spreads its "
		      "receive path; a faster core or cheaper packets help");
	if (tunnel)
		rs_cause(out,
		    "it looks like a tunnel (%s): all flows in it are one for the NIC; several "
		    "tunnels or ports would be several",
		    tunnel);
	if (f->at[0].queue >= 0 && f->at[0].queue != (int)l->busiest->queue)
		rs_cause(out,
		    "its hash gives queue %d: the NIC hashes otherwise, or a filter "
		    "places it",
		    f->at[0].queue);
}

/* Whether it is UDP is not known either, so that this is no advice. */
static void
tell_either(const struct rs_lead *l, struct rs_says *out)
{
	const char *const udp = rs_lead_fact(l, RS_F_RSS_UDP4);

	rs_cause(out, "one flow, or several whose hash gives the same queue: which of them "
		      "is not told without byte counts of connections");
	if (udp && strcmp(udp, "sd") == 0)
		rs_cause(out,
		    "if it is UDP, any number of flows between two addresses: rx-flow-hash udp4 is "
		    "sd, `ethtool -N %s rx-flow-hash udp4 sdfn` takes in the ports",
		    l->nic->info.name);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_turn(out);
	struct rs_lead_flows f;

	(void)v;
	(void)t;
	if (!l)
		return;
	rs_lead_flows_of(l, &f);
	const struct rs_subject subject = rs_queue_subject(l->nic, l->busiest);
	rs_cause_say(out, l, &subject);
	if (f.say == RS_FLOWS_ELEPHANT)
		tell_one(l, &f, out);
	else
		tell_either(l, out);
	rs_flows_evidence(out, l, &f);
	rs_cause_figures(out, l);
	/* What makes packets cheaper is offload.gro_lro's to say. */
	if (f.say == RS_FLOWS_ELEPHANT && rs_cause_can_spread(out, l))
		advise_split(l, out);
}

RS_RULE(flow_elephant) = {
    .code = "flow.elephant",
    .title = "One flow is more than a core can carry",
    .help = "One queue stands out, and one flow is nearly all of it. A flow stays on one core so "
	    "that its packets stay in order. Without byte counts of connections it may also be "
	    "several flows that met on one queue.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 200,
    .explains = explains,
};

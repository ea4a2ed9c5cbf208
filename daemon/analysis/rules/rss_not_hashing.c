/* SPDX-License-Identifier: ISC */
/*
 * Nearly all packets come by one queue although there are so many flows that chance
 * does not do that: the NIC does not spread this traffic. Why is told by what the
 * packets look like to it, the likeliest first.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "flows.h"
#include "loss.h"
#include "rps.h"
#include "verdict.h"

#define UDP_MOSTLY 0.50

static bool
is_not(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_cause *ret)
{
	if (f->say == RS_FLOWS_ELEPHANT)
		return rs_not(ret, "one flow has %ld %% of queue %u", lround(f->biggest * 100.0),
		    (unsigned)l->busiest->queue);
	if (l->share < RS_FLOWS_ALL_SHARE)
		return rs_not(ret, "queues beside queue %u have %ld %% of the packets",
		    (unsigned)l->busiest->queue, lround((1.0 - l->share) * 100.0));
	if (f->chance > 0.0)
		return rs_not(ret, "chance does that with %u flows (p=%.2g)", f->n, f->chance);
	return rs_not(ret, "too little to tell by: %u flows, %.0f packets/s", f->n,
	    rs_round_3(l->nic->rx_pps));
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	struct rs_lead_flows f;

	(void)t;
	rs_lead_flows_of(l, &f);
	if (!rs_flows_matter(l, &f, ret))
		return false;
	if (f.say == RS_FLOWS_UNKNOWN)
		return rs_not_known(ret, RS_FLOWS_NEEDED);
	if (f.say != RS_FLOWS_NOT_HASHING)
		return is_not(l, &f, ret);
	ret->confidence = f.is_by_route ? RS_HIGH : RS_MEDIUM;
	(void)snprintf(ret->phrase, sizeof(ret->phrase),
	    "%s does not spread this traffic over its %u queues (%u flows, p=%.2g)",
	    l->nic->info.name, f.queues, (unsigned)f.effective, f.chance);
	return true;
}

/* --- clues --------------------------------------------------------------- */

static bool
is_ppp(const struct rs_nic_view *nic)
{
	return strcmp(nic->info.kind, "ppp") == 0;
}

static bool
is_dsa(const struct rs_nic_view *nic)
{
	return strcmp(nic->info.kind, "dsa") == 0;
}

static bool
is_vlan(const struct rs_nic_view *nic)
{
	return strcmp(nic->info.kind, "vlan") == 0;
}

/* The kind of UDP hash as `ethtool -N` spells it; NULL: not known. */
static const char *
udp_hash(const struct rs_lead *l)
{
	return rs_lead_fact(l, RS_F_RSS_UDP4);
}

static bool
has_udp_without_ports(const struct rs_lead *l, const struct rs_lead_flows *f)
{
	const char *const hash = udp_hash(l);

	return f->udp_share >= UDP_MOSTLY && (!hash || strcmp(hash, "sdfn") != 0);
}

/* The heaviest flow of this kind among the heaviest. */
static bool
has_flow(const struct rs_lead_flows *f, uint8_t protocol, uint16_t port)
{
	for (unsigned i = 0; i < RS_MIN(f->n, RS_LEAD_FLOWS_MAX); i++) {
		const struct rs_heavy_flow *const flow = f->at[i].flow;
		if (flow->protocol == protocol && (port == 0 || flow->ends.source_port == port ||
						      flow->ends.destination_port == port))
			return true;
	}
	return false;
}

/* Headers before or in place of those the NIC looks for: a hash made by the kernel
 * sees through them. Returns whether there are any. */
static bool
tell_headers(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const struct rs_nic_view *const ppp = rs_find_carried(l, is_ppp);
	const struct rs_nic_view *const tunnel = rs_find_carried(l, rs_is_tunnel);
	const struct rs_nic_view *const dsa = rs_find_carried(l, is_dsa);
	const struct rs_nic_view *const vlan = rs_find_carried(l, is_vlan);

	if (ppp)
		rs_cause(out, "%s carries it: the NIC does not look for addresses behind PPPoE",
		    ppp->info.name);
	if (dsa)
		rs_cause(out, "switch tags stand before the addresses (ports of a switch, %s)",
		    dsa->info.name);
	if (tunnel)
		rs_cause(out,
		    "%s carries it: the outer header of a tunnel is the same for all flows in it",
		    tunnel->info.name);
	else if (has_flow(f, 47, 0) || has_flow(f, 50, 0) || has_flow(f, 4, 0))
		rs_cause(out, "tunnels without ports (GRE, ESP, IP in IP): few outer addresses");
	if (vlan && !ppp)
		rs_cause(out, "two VLAN tags, if there are (QinQ, %s): the NIC looks behind one",
		    vlan->info.name);
	return ppp || dsa || tunnel || vlan;
}

static void
tell_clues(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const char *const driver = l->nic->info.driver;
	const bool has_headers = tell_headers(l, f, out);
	const char *const udp = udp_hash(l);

	if (f->udp_share >= UDP_MOSTLY && udp && strcmp(udp, "sdfn") != 0)
		rs_cause(out, "UDP is hashed by addresses only (rx-flow-hash udp4 is %s)", udp);
	else if (has_udp_without_ports(l, f))
		rs_cause(out, "UDP, which many NICs hash by addresses only (rx-flow-hash was not "
			      "read)");
	if (strcmp(driver, "i40e") == 0 && has_flow(f, 17, 4500))
		rs_cause(out, "ESP in UDP, which some devices of i40e (X722) keep on queue 0");
	if (has_headers)
		return;
	if (strcmp(driver, "igb") == 0 && f->queues == 2)
		rs_cause(out, "driver or firmware: i211 was seen to use queue 0 only");
	else
		rs_cause(out,
		    "driver or firmware: another kind of hash, or one over MAC addresses, "
		    "which are the same for all that is routed");
}

/* --- advice ------------------------------------------------------------ */

static void
advise_udp(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const char *const udp = udp_hash(l);
	const char *const device = l->nic->info.name;
	struct rs_advice a = {.is_persistent = false};

	if (!udp || f->udp_share < UDP_MOSTLY || strcmp(udp, "sd") != 0)
		return;
	(void)snprintf(
	    a.command, sizeof(a.command), "ethtool -N %s rx-flow-hash udp4 sdfn", device);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "UDP flows spread by their ports; fragments have none and may overtake or be "
	    "overtaken");
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -N %s rx-flow-hash udp4 %s", device, udp);
	rs_advise(out, &a);
}

static void
advise_rps_of(const struct rs_lead *l, const struct rs_nic_view *nic, struct rs_says *out)
{
	struct rs_cpuset s;
	struct rs_rps r;

	rs_rps_of(l->v, nic, &r);
	if (!rs_rps_is_read(&r) || r.n_set > 0 || !rs_rps_choose(&r, -1, l->group.packet_load, &s))
		return;
	(void)rs_rps_advise(&r, &s,
	    "the kernel's own hash shares out the stack's part, flow by flow; the driver's part "
	    "stays; costs wake-ups: measure",
	    out);
}

/* A hash of the NIC's that is the same for all flows would be used by RPS, too. */
static void
advise_own_hash(const struct rs_lead *l, struct rs_says *out)
{
	struct rs_advice a = {.is_persistent = false};

	if (!rs_has_word(rs_lead_fact(l, RS_F_OFFLOADS), "rxhash"))
		return;
	(void)snprintf(a.command, sizeof(a.command), "ethtool -K %s rxhash off", l->nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "only if RPS alone changes nothing: the kernel then computes the hash itself");
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -K %s rxhash on", l->nic->info.name);
	rs_advise(out, &a);
}

static void
advise(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const struct rs_nic_view *const ppp = rs_find_carried(l, is_ppp);

	advise_udp(l, f, out);
	advise_rps_of(l, l->nic, out);
	if (ppp)
		advise_rps_of(l, ppp, out);
	advise_own_hash(l, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);
	struct rs_lead_flows f;

	(void)v;
	(void)t;
	if (!l)
		return;
	rs_lead_flows_of(l, &f);
	const struct rs_subject subject = rs_nic_subject(l->nic);
	rs_cause_say(out, l, &subject);
	tell_clues(l, &f, out);
	rs_flows_evidence(out, l, &f);
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise(l, &f, out);
}

RS_RULE(rss_not_hashing) = {
    .code = "rss.not_hashing",
    .title = "The NIC does not spread this traffic",
    .help = "Nearly all packets come by one queue, though so many flows would hardly ever meet by "
	    "chance. What the NIC hashes is the same for all of them.",
    .window_s = 10,
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 120,
    .explains = explains,
};

/* SPDX-License-Identifier: ISC */
/*
 * Several flows have met on the queue of the core that leads, and it may well be
 * chance: a hash spreads flows, not evenly, but as dice do.
 */
#include <arpa/inet.h>
#include <math.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "flows.h"
#include "loss.h"
#include "rps.h"

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
	if (f.say == RS_FLOWS_ELEPHANT)
		return rs_not(ret, "one flow has %ld %% of queue %u", lround(f.biggest * 100.0),
		    (unsigned)l->busiest->queue);
	if (f.say != RS_FLOWS_COLLISION && f.n_big < 2)
		return rs_not(ret, "%s of the %u flows received has a fifth of queue %u",
		    f.n_big == 0 ? "none" : "only one", f.n, (unsigned)l->busiest->queue);
	if (f.say != RS_FLOWS_COLLISION)
		return rs_not(ret, "%u flows would not meet so by chance (p=%.2g)", f.n, f.chance);
	if (!rs_link_has_room(l->v))
		return rs_not(ret, "the link is full: flows that part carry no more");
	/* Computed to be there, or only known to be big. */
	const int queue = (int)l->busiest->queue;
	ret->confidence =
	    f.is_by_route && f.at[f.big[0]].queue == queue && f.at[f.big[1]].queue == queue
		? RS_HIGH
		: RS_MEDIUM;
	(void)snprintf(ret->phrase, sizeof(ret->phrase),
	    "%u flows met on one queue (a hash collision, p=%.2g)", f.n_big, f.chance);
	return true;
}

/* --- advice ------------------------------------------------------------ */

/* Another key is another draw. The key is not shown, so that undoing it is to be
 * prepared. */
static void
advise_key(const struct rs_lead *l, struct rs_says *out)
{
	const char *const key = rs_lead_fact(l, RS_F_RSS_KEY);
	struct rs_advice a = {.is_disruptive = true};
	unsigned digits = 0;

	for (const char *p = key ? key : ""; *p; p++)
		digits += *p != ':';
	if (digits < 80 || digits % 2 != 0)
		return;
	(void)snprintf(a.command, sizeof(a.command),
	    "ethtool -X %s hkey $(od -An -v -tx1 -N%u /dev/urandom | tr -d '\\n' | "
	    "sed 's/^ //; s/ /:/g')",
	    l->nic->info.name, digits / 2);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "all flows are dealt anew: look at the queues again; ports next to each other may meet "
	    "with one key and never with another");
	(void)snprintf(a.undo, sizeof(a.undo),
	    "ethtool -X %s hkey KEY, with the key that `ethtool -x %s` shows before",
	    l->nic->info.name, l->nic->info.name);
	rs_advise(out, &a);
}

/* Drivers whose devices place a flow by addresses and ports, switched by ntuple. */
static const char *const placing[] = {"ixgbe", "i40e", "ice", "mlx5_core", "bnxt_en"};

static bool
can_place(const struct rs_lead *l, bool *ret_is_on)
{
	const char *const list = rs_lead_fact(l, RS_F_OFFLOADS);
	bool is_able = false;

	*ret_is_on = rs_has_word(list, "ntuple");
	for (size_t i = 0; i < RS_ARRAY_LEN(placing); i++)
		is_able |= strcmp(l->nic->info.driver, placing[i]) == 0;
	return list && is_able;
}

/* The queue that receives least; -1: not known of all. */
static int
emptiest(const struct rs_lead *l)
{
	const struct rs_queue_view *best = NULL;

	for (unsigned i = 0; l->rx && i < l->n_rx; i++) {
		if (isnan(l->rx[i].pps))
			return -1;
		if (!best || l->rx[i].pps < best->pps)
			best = &l->rx[i];
	}
	return best && best != l->busiest ? (int)best->queue : -1;
}

/* The second heaviest goes elsewhere. */
static void
advise_place(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	const struct rs_heavy_flow *const flow = f->at[f->big[1]].flow;
	const char *const device = l->nic->info.name;
	struct rs_advice a = {.is_persistent = false};
	char from[16] = "", to[16] = "";
	bool is_on;
	const int queue = emptiest(l);

	if (!can_place(l, &is_on) || queue < 0 || flow->ends.is_ipv6 ||
	    (flow->protocol != IPPROTO_TCP && flow->protocol != IPPROTO_UDP))
		return;
	(void)inet_ntop(AF_INET, flow->ends.source, from, sizeof(from));
	(void)inet_ntop(AF_INET, flow->ends.destination, to, sizeof(to));
	if (!is_on)
		(void)snprintf(a.command, sizeof(a.command), "ethtool -K %s ntuple on; ", device);
	const size_t n = strlen(a.command);
	(void)snprintf(a.command + n, sizeof(a.command) - n,
	    "ethtool -N %s flow-type %s src-ip %s dst-ip %s src-port %u dst-port %u action %d",
	    device, flow->protocol == IPPROTO_TCP ? "tcp4" : "udp4", from, to,
	    (unsigned)flow->ends.source_port, (unsigned)flow->ends.destination_port, queue);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "the flow moves to queue %d and its core; core %u falls; holds for this connection",
	    queue, l->group.cpu);
	(void)snprintf(a.undo, sizeof(a.undo),
	    "ethtool -N %s delete ID, with the ID the command printed%s%s%s", device,
	    is_on ? "" : "; ethtool -K ", is_on ? "" : device, is_on ? "" : " ntuple off");
	rs_advise(out, &a);
}

/* On top of the queues only where there are cores without one. */
static void
advise_rps(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_says *out)
{
	struct rs_cpuset s;
	struct rs_rps r;

	if (l->v->n_eligible_groups <= f->queues)
		return;
	rs_rps_of(l->v, l->nic, &r);
	if (!rs_rps_is_read(&r) || r.n_set > 0 || !rs_rps_choose(&r, -1, l->group.packet_load, &s))
		return;
	(void)rs_rps_advise(&r, &s,
	    "flows that met on the queue part in the stack; the driver's part stays; costs "
	    "wake-ups: measure",
	    out);
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
	const struct rs_subject subject = rs_queue_subject(l->nic, l->busiest);
	rs_cause_say(out, l, &subject);
	rs_cause(out,
	    "bad luck of the hash: two flows meet in 1 of %u cases; a connection with "
	    "another source port is another draw",
	    f.queues);
	rs_cause(out, "more flows at once come out more even");
	rs_flows_evidence(out, l, &f);
	rs_cause_figures(out, l);
	if (!rs_cause_can_spread(out, l))
		return;
	advise_place(l, &f, out);
	advise_key(l, out);
	advise_rps(l, &f, out);
}

RS_RULE(flow_collision) = {
    .code = "flow.collision",
    .title = "Several flows met on one queue",
    .help = "The hash of the NIC gave several heavy flows the same queue, and so the same core. "
	    "That is expected now and then: with two flows and four queues each fourth time.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 130,
    .explains = explains,
};

/* SPDX-License-Identifier: ISC */
/*
 * GRO is off on an interface whose packets keep a core busy: each packet then
 * crosses the stack alone. Or LRO is on where packets are forwarded: it merges what
 * must not be merged, and the kernel switches it off when forwarding begins
 * (dev_disable_lro), so somebody put it on again. Small packets gain nothing from
 * GRO.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "loss.h"
#include "umbrella.h"

enum { PACKETS, BYTES, HOT, BUSY };

static const struct rs_threshold thresholds[] = {
    [PACKETS] = {"packets", 1000.0, 1.0, 1e9, RS_UNIT_PPS,
	"Packets received from which GRO is missed"},
    [BYTES] = {"bytes", 256.0, 0.0, 65536.0, RS_UNIT_BYTES, "Their mean size at least"},
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is hot"},
    [BUSY] = {"busy", 0.85, 0.0, 1.0, RS_UNIT_RATIO,
	"Mean busy share from which the CPU is the limit"},
    {0},
};

/* A core or the CPU as a whole is the limit, or one core leads: *ret is how bad
 * that is. */
static bool
is_cpu_short(
    const struct rs_view *v, const double *t, const struct rs_says *out, enum rs_severity *ret)
{
	const struct rs_lead *const lead = rs_lead_in(out);
	struct rs_shape shape;

	*ret = lead ? lead->severity : RS_WARN;
	if (lead)
		return true;
	if (!v->has_packet_load || v->n_eligible_groups == 0 ||
	    v->n_eligible_groups > RS_GROUPS_MAX)
		return false;
	rs_shape_of(v->groups, v->n_eligible_groups, t[HOT], &shape);
	return rs_shape_is_saturated(&shape, t[BUSY]) && rs_link_has_room(v);
}

/* Whether what it receives goes on: by routing, or as a port of a bridge. */
static const char *
why_forwarding(const struct rs_view *v, const struct rs_nic_view *nic)
{
	const char *const forward = rs_view_fact(v, RS_F_IP_FORWARD, 0, RS_NO_QUEUE);
	const char *const master = rs_view_fact(v, RS_F_MASTER, nic->info.ifindex, RS_NO_QUEUE);

	for (size_t i = 0; master && i < v->n_nics; i++) {
		if (strcmp(v->nics[i].info.name, master) == 0 &&
		    strcmp(v->nics[i].info.kind, "bridge") == 0)
			return "it is a port of a bridge";
	}
	return forward && strcmp(forward, "on") == 0 ? "this machine forwards packets" : NULL;
}

static void
advise(const struct rs_nic_view *nic, const char *name, bool wants_on, const char *expect,
    struct rs_says *out)
{
	struct rs_advice a = {.is_disruptive = !wants_on}; /* LRO is the device's: it may reset */

	(void)snprintf(a.command, sizeof(a.command), "ethtool -K %s %s %s", nic->info.name, name,
	    wants_on ? "on" : "off");
	(void)snprintf(a.expect, sizeof(a.expect), "%s", expect);
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -K %s %s %s", nic->info.name, name,
	    wants_on ? "off" : "on");
	rs_advise(out, &a);
}

static void
say_gro_off(const struct rs_nic_view *nic, const char *offloads, enum rs_severity severity,
    struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(nic);

	rs_say(out, &subject, RS_COND_RAISE, severity, RS_HIGH);
	rs_message(out, "GRO is off on %s: each packet crosses the stack alone", nic->info.name);
	rs_cause(out, "switched off by hand, or by a script for another fault");
	rs_evidence_text(out, "offloads that are on", "%s", offloads);
	rs_evidence(out, "packets received", nic->rx_pps, RS_UNIT_PPS);
	rs_evidence(out, "their mean size", nic->rx_bps / 8.0 / nic->rx_pps, RS_UNIT_BYTES);
	advise(nic, "gro", true,
	    "less packet load at the same throughput, for TCP above all; not where the driver is "
	    "known to be at fault with it",
	    out);
}

static void
say_lro_on(
    const struct rs_nic_view *nic, const char *offloads, const char *why, struct rs_says *out)
{
	const struct rs_subject subject = rs_nic_subject(nic);

	rs_say(out, &subject, RS_COND_RAISE, RS_WARN, RS_HIGH);
	rs_message(
	    out, "LRO is on on %s, and %s: merged packets cannot be sent on", nic->info.name, why);
	rs_cause(out, "switched on again after the kernel had switched it off");
	rs_evidence_text(out, "offloads that are on", "%s", offloads);
	rs_evidence_text(out, "why it matters", "%s", why);
	advise(nic, "lro", false,
	    "forwarded connections no longer stall; GRO does the same without harm", out);
}

static bool
misses_gro(const struct rs_nic_view *nic, const char *offloads, const double *t)
{
	return !rs_has_word(offloads, "gro") && nic->rx_pps >= t[PACKETS] &&
	       nic->rx_bps / 8.0 >= t[BYTES] * nic->rx_pps;
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	enum rs_severity severity;
	const bool is_short = is_cpu_short(v, t, out, &severity);
	bool is_known = false;

	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		const char *const offloads =
		    nic->info.is_physical
			? rs_view_fact(v, RS_F_OFFLOADS, nic->info.ifindex, RS_NO_QUEUE)
			: NULL;
		if (!offloads)
			continue;
		is_known = true;
		const char *const why =
		    rs_has_word(offloads, "lro") ? why_forwarding(v, nic) : NULL;
		if (why)
			say_lro_on(nic, offloads, why, out);
		else if (is_short && misses_gro(nic, offloads, t))
			say_gro_off(nic, offloads, severity, out);
	}
	if (!is_known)
		rs_needs(out, "offloads of an interface (ethtool -k)");
}

RS_RULE(offload_gro_lro) = {
    .code = "offload.gro_lro",
    .title = "GRO is off, or LRO is on in a machine that forwards",
    .help = "GRO merges packets of a flow before the stack and splits them again behind it, which "
	    "saves CPU. LRO cannot split them, so it does not go with forwarding.",
    .thresholds = thresholds,
    .evaluate = evaluate,
};

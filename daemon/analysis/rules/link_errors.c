/* SPDX-License-Identifier: ISC */
/*
 * Frames arrive damaged. A few while a link comes up or goes are none of this;
 * they are taken out beforehand (recent.h).
 */
#include <math.h>
#include <stdio.h>

#include "cause.h"
#include "headroom.h"
#include "loss.h"
#include "speed.h"
#include "umbrella.h"
#include "verdict.h"

enum { FRAMES, RATIO, CRITICAL };

static const struct rs_threshold thresholds[] = {
    [FRAMES] = {"frames", 5.0, 1.0, 1e9, RS_UNIT_PACKETS, "Damaged frames in ten minutes"},
    [RATIO] = {"ratio", 1e-6, 0.0, 1.0, RS_UNIT_RATIO, "And their part of all frames"},
    [CRITICAL] = {"critical", 1e-4, 0.0, 1.0, RS_UNIT_RATIO, "The part from which it is critical"},
    {0},
};

/* A guest's device has no wire: an emulated one counts frames that the host did
 * not pad as too short. A wrong checksum is a wire's, also behind a device that was
 * handed through. */
static bool
is_emulated(const struct rs_view *v, const struct rs_recent *r, const struct rs_nic_view *nic)
{
	return rs_is_guest(v) && !(rs_recent_sum(r, nic->info.ifindex, RS_RECENT_CRC_600) > 0.0);
}

static void
tell(const struct rs_view *v, const struct rs_nic_view *nic, double damaged, double ratio,
    struct rs_says *out)
{
	struct rs_advice a = {.undo = "nothing to undo: it only looks"};

	rs_message(out, "%s received %.0f damaged frames in ten minutes, 1 of about %.0f",
	    nic->info.name, rs_round_3(damaged), fmax(1.0, rs_round_2(1.0 / ratio)));
	rs_cause(out, "a cable, plug or optical module that is damaged, dirty or too weak");
	if (rs_nic_is(v, nic, RS_F_DUPLEX, "half"))
		rs_cause(out, "half duplex here and full duplex there");
	rs_evidence(out, "damaged frames in ten minutes", damaged, RS_UNIT_PACKETS);
	rs_evidence_text(out, "their part of all frames", "%.2g", ratio);
	rs_evidence(out, "damaged frames now", nic->lost_wire_pps, RS_UNIT_PPS);
	rs_evidence(out, "of them with a wrong checksum", nic->rx_crc_pps, RS_UNIT_PPS);
	(void)snprintf(a.command, sizeof(a.command),
	    "ethtool -S %s | grep -iE 'crc|fcs|align|symbol|length|jabber'; ethtool -m %s",
	    nic->info.name, nic->info.name);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "tells which kind, and the power an optical module receives: clean or exchange cable "
	    "and module, try another port");
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
		const struct rs_recent *const r = rs_recent_of(out);
		const double damaged = rs_recent_sum(r, nic->info.ifindex, RS_RECENT_WIRE_600);
		const double whole = rs_recent_sum(r, nic->info.ifindex, RS_RECENT_RX_600);
		const double ratio = damaged / (damaged + whole);
		is_known |= !isnan(nic->lost_wire_pps);
		if (!(damaged >= t[FRAMES]) || !(ratio >= t[RATIO]) || is_emulated(v, r, nic))
			continue;
		const struct rs_subject subject = rs_nic_subject(nic);
		rs_say(out, &subject, RS_COND_RAISE, ratio >= t[CRITICAL] ? RS_CRIT : RS_WARN,
		    RS_HIGH);
		tell(v, nic, damaged, ratio, out);
	}
	if (!is_known)
		rs_needs(out, "counters of damaged frames");
}

RS_RULE(link_errors) = {
    .code = "link.errors",
    .title = "Frames arrive damaged",
    .help = "Checksum, length or symbol errors: something between the two ends spoils frames, "
	    "which are lost then.",
    .voting = RS_VOTING_COUNTER,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

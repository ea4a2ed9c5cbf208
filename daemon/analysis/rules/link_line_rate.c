/* SPDX-License-Identifier: ISC */
/*
 * A link is full: it is the bottleneck, not the router. Framing counts, so that
 * small packets are not missed; an interface whose speed is not known, or made up
 * by a virtual driver, says nothing. One finding, of the fullest direction: what
 * comes in by one full link leaves by another.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"
#include "load.h"
#include "umbrella.h"
#include "verdict.h"

enum { USE, USE_CLEAR };

static const struct rs_threshold thresholds[] = {
    [USE] = {"use", 0.95, 0.10, 1.5, RS_UNIT_RATIO, "Part of the wire rate, framing included"},
    [USE_CLEAR] = {"use_clear", 0.90, 0.0, 1.5, RS_UNIT_RATIO, "The part below which it clears"},
    {0},
};

/* Of two directions that are as full as each other, the one out is named. */
#define ALIKE 0.02
/* Ethernet, IP and TCP headers in front of the data. */
#define HEADER_BYTES 54.0

struct direction {
	const struct rs_nic_view *nic;
	bool is_tx;
	double use;
};

static double
use_of(const struct rs_nic_view *nic, bool is_tx)
{
	return is_tx ? nic->tx_utilization : nic->rx_utilization;
}

/* The first direction with this use or more. */
static bool
find_as_full(const struct rs_view *v, double use, bool is_tx, struct direction *ret)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];
		if (!nic->counts_in_sums || !(use_of(nic, is_tx) >= use))
			continue;
		*ret = (struct direction){nic, is_tx, use_of(nic, is_tx)};
		return true;
	}
	return false;
}

/* False: the speed of no link is known. */
static bool
find_fullest(const struct rs_view *v, struct direction *ret)
{
	const double use = rs_load_link_use(v);

	return find_as_full(v, use - ALIKE, true, ret) || find_as_full(v, use, false, ret);
}

static const char *
word_of(bool is_tx)
{
	return is_tx ? "out" : "in";
}

/* The other directions that are full as well; as many as there is room for. */
static void
tell_others(const struct rs_view *v, const struct direction *d, double use, struct rs_says *out)
{
	char text[96] = "";
	size_t len = 0;

	for (size_t i = 0; i < 2 * v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i / 2];
		const bool is_tx = i % 2 == 1, is_named = nic == d->nic && is_tx == d->is_tx;
		if (!nic->counts_in_sums || !(use_of(nic, is_tx) >= use) || is_named ||
		    len + 24 >= sizeof(text))
			continue;
		(void)snprintf(text + len, sizeof(text) - len, "%s%s %s", len > 0 ? ", " : "",
		    nic->info.name, word_of(is_tx));
		len = strlen(text);
	}
	if (len > 0)
		rs_evidence_text(out, "full as well", "%s", text);
}

static void
tell(const struct rs_view *v, const struct direction *d, double use, struct rs_says *out)
{
	const double bps = d->is_tx ? d->nic->tx_bps : d->nic->rx_bps;
	const double pps = d->is_tx ? d->nic->tx_pps : d->nic->rx_pps;
	const double data = bps - 8.0 * HEADER_BYTES * pps;

	rs_message(out, "link %s %s at %ld %% of wire: the link is the bottleneck, not the router",
	    d->nic->info.name, word_of(d->is_tx), lround(fmin(d->use, 1.0) * 100.0));
	rs_cause(out, "more traffic than the port carries: a faster port, or several links for "
		      "many flows");
	rs_evidence_noted(out, "use of the link", d->use, RS_UNIT_RATIO, "%s %s", d->nic->info.name,
	    word_of(d->is_tx));
	rs_evidence(out, "speed of the link", (double)d->nic->info.speed_bps, RS_UNIT_BPS);
	rs_evidence(out, "without framing", bps, RS_UNIT_BPS);
	rs_evidence(out, "of it data, were it all TCP", data < 0.0 ? 0.0 : data, RS_UNIT_BPS);
	rs_evidence(out, "packets", pps, RS_UNIT_PPS);
	tell_others(v, d, use, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct direction d;

	if (!find_fullest(v, &d)) {
		rs_needs(out, "the speed of a link");
		return;
	}
	if (!(d.use >= t[USE_CLEAR]))
		return;
	struct rs_subject subject = rs_nic_subject(d.nic);
	(void)snprintf(subject.direction, sizeof(subject.direction), "%s", d.is_tx ? "tx" : "rx");
	rs_say(out, &subject, rs_condition_of(d.use >= t[USE], true), RS_INFO, RS_HIGH);
	tell(v, &d, t[USE], out);
}

RS_RULE(link_line_rate) = {
    .code = "link.line_rate",
    .title = "The link is the bottleneck, not the router",
    .help = "The wire carries what it can, framing included. Nothing on the router makes it carry "
	    "more.",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

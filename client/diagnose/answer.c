/* SPDX-License-Identifier: ISC */
/*
 * The verdict's line, and what it is based on.
 */
#include <math.h>
#include <string.h>

#include "diagnose/diagnosis.h"

static bool
is_judged(const struct rs_diagnosis *d, const struct rs_finding *f)
{
	for (size_t i = 0; i < d->judged.n_findings; i++) {
		if (strcmp(d->judged.findings[i].code, f->code) == 0)
			return true;
	}
	return false;
}

static bool
has_warning(const struct rs_diagnosis *d)
{
	return d->n_findings > 0 && d->findings[0].severity >= RS_WARN;
}

/* Findings that the line of the daemon's verdict does not have. */
static void
add_findings(struct rs_diagnosis *d, bool has_begun)
{
	static const char rest[] = "; %u more finding%s";
	const size_t cap = sizeof(d->verdict) - sizeof(rest) - 10;
	unsigned more = 0;

	for (size_t i = 0; i < d->n_findings; i++) {
		const struct rs_finding *const f = &d->findings[i];
		if (d->judged.has_loads && is_judged(d, f))
			continue;
		if (f->severity < RS_WARN && has_begun)
			continue;
		const bool is_warning = f->severity >= RS_WARN;
		more += !rs_append(d->verdict, cap, "%s%s%s", has_begun ? "; " : "",
		    is_warning ? "" : "nothing to flag: ", f->message);
		if (!has_begun && is_warning && f->n_causes > 0)
			(void)rs_append(d->verdict, cap, ": %s", f->causes[0]);
		if (!has_begun && is_warning)
			(void)rs_append(
			    d->verdict, cap, " (%s confidence)", rs_confidence_name(f->confidence));
		has_begun = true;
	}
	if (more > 0)
		(void)rs_append(d->verdict, sizeof(d->verdict), rest, more, more == 1 ? "" : "s");
}

static void
say_quiet(struct rs_diagnosis *d)
{
	unsigned cpu;
	double all;
	const double share = rs_totals_busiest(&d->counted.totals, &cpu, &all);
	const char *const span = d->basis == RS_BASIS_TOTALS ? "since boot" : "between the samples";

	if (d->counted.n_cores == 1)
		(void)rs_append(d->verdict, sizeof(d->verdict),
		    "nothing to flag: a single core, there is nothing to spread");
	else if (isnan(share))
		(void)rs_append(d->verdict, sizeof(d->verdict), "nothing to flag in what was read");
	else
		(void)rs_append(d->verdict, sizeof(d->verdict),
		    "nothing to flag: %.0f NIC interrupts %s, core %u takes most with %ld %% of "
		    "%zu "
		    "cores",
		    all, span, cpu, lround(share * 100.0), d->counted.n_cores);
}

static void
say_cannot_tell(struct rs_diagnosis *d)
{
	(void)rs_append(d->verdict, sizeof(d->verdict),
	    "cannot tell: %s; needed are two samples some seconds apart of /proc/stat, "
	    "/proc/interrupts, /proc/softirqs and /proc/net/softnet_stat, and /sys/class/net: it "
	    "maps "
	    "interrupts to devices, whatever drivers call them",
	    d->is_usable ? "nothing that was read shows who does the packet work"
			 : "nothing could be read");
}

static void
say_verdict(struct rs_diagnosis *d)
{
	const bool has_own = d->judged.has_loads && d->judged.verdict.line[0] != '\0';
	bool is_own_first = has_own;

	/* "no bottleneck" of the loads does not stand before a loss. */
	for (size_t i = 0; i < d->n_findings; i++) {
		if (d->findings[i].severity >= RS_WARN && !is_judged(d, &d->findings[i]) &&
		    d->judged.verdict.state <= RS_STATE_INFO)
			is_own_first = false;
	}
	if (is_own_first)
		(void)rs_append(d->verdict, sizeof(d->verdict), "%s", d->judged.verdict.line);
	if (is_own_first || has_warning(d) || d->n_findings > 0)
		add_findings(d, is_own_first);
	/* Where the work is, behind what was lost. */
	if (has_own && !is_own_first && d->judged.verdict.state == RS_STATE_INFO)
		(void)rs_append(d->verdict, sizeof(d->verdict), "; %s", d->judged.verdict.line);
	if (d->verdict[0] == '\0' && d->flag == 0)
		say_quiet(d);
	if (d->verdict[0] == '\0')
		say_cannot_tell(d);
	else if (!d->judged.has_loads && d->basis == RS_BASIS_TOTALS && d->flag >= 0)
		(void)rs_append(d->verdict, sizeof(d->verdict),
		    "; one sample: two would tell how busy the cores are");
}

static void
say_flags(struct rs_diagnosis *d)
{
	const bool is_decided = d->judged.has_loads || rs_totals_decide(&d->counted.totals);

	d->flag = has_warning(d) ? 1 : is_decided ? 0 : -1;
	d->imbalanced = d->judged.has_loads ? 0 : -1;
	for (size_t i = 0; i < d->judged.n_findings; i++) {
		if (strcmp(d->judged.findings[i].code, "core.imbalance") == 0)
			d->imbalanced = 1;
	}
}

static void
find_basis(struct rs_diagnosis *d)
{
	const size_t n = d->capture.n_samples;
	const double span = rs_capture_span_s(&d->capture);

	d->interval_s = NAN;
	d->basis = RS_BASIS_TOTALS;
	if (n > 1) {
		d->basis = isnan(span) ? RS_BASIS_DELTAS : RS_BASIS_RATES;
		d->interval_s = span / (double)(n - 1);
	} else if (d->judged.has_loads) {
		d->basis = RS_BASIS_RATES; /* a screen shows shares of a moment */
	}
}

void
rs_diagnosis_answer(struct rs_diagnosis *d)
{
	find_basis(d);
	say_flags(d);
	say_verdict(d);
}

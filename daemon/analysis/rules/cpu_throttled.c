/* SPDX-License-Identifier: ISC */
/*
 * Heat slows the processor down: by its own counters, where it has some; else by a
 * clock below its maximum on a busy core while the temperature is at a passive trip
 * point. What a package counts is not looked at: each of its cores shows the same.
 */
#include <math.h>
#include <stdio.h>

#include "speed.h"
#include "umbrella.h"

enum { TIME, EVENTS, BUSY, CLOCK };

static const struct rs_threshold thresholds[] = {
    [TIME] = {"time", 0.05, 0.001, 1.0, RS_UNIT_RATIO, "Part of the time a core is slowed down"},
    [EVENTS] = {"events", 0.5, 0.01, 1e6, RS_UNIT_PER_SECOND,
	"Times a second a core is slowed down"},
    [BUSY] = {"busy", 0.80, 0.10, 1.0, RS_UNIT_RATIO,
	"Without counters: busy share of a core that has to run at its clock"},
    [CLOCK] = {"clock", 0.90, 0.10, 1.0, RS_UNIT_RATIO,
	"Without counters: part of the highest clock, below which"},
    {0},
};

#define STEP_KHZ 100000L

struct heat {
	const struct rs_core_view *core; /* NULL: none is slowed down */
	bool is_counted;
	bool is_known; /* something was read that would tell */
};

static bool
is_worse(const struct rs_core_view *a, const struct rs_core_view *b)
{
	const double x = fmax(0.0, a->throttled), y = fmax(0.0, b->throttled);

	return x != y ? x > y : a->throttled_ps > b->throttled_ps;
}

/* By counters. */
static void
look_at_counters(const struct rs_view *v, const double *t, struct heat *h)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		h->is_known |= !isnan(c->throttled_ps);
		if ((c->throttled >= t[TIME] || c->throttled_ps >= t[EVENTS]) &&
		    (!h->core || is_worse(c, h->core)))
			h->core = c;
	}
	h->is_counted = h->core != NULL;
}

/* By the clock of the slowest that is busy. */
static void
look_at_clock(const struct rs_view *v, const double *t, struct heat *h)
{
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		const double share = rs_clock_share(c);
		h->is_known |=
		    !isnan(share) && !isnan(rs_passive_trip(v)) && !isnan(v->temperature_celsius);
		if (c->busy >= t[BUSY] && share < t[CLOCK] && rs_is_near_trip(v) &&
		    (!h->core || share < rs_clock_share(h->core)))
			h->core = c;
	}
}

/* The clock it can hold, in steps of 100 MHz. */
static void
advise_cap(const struct rs_view *v, const struct rs_core_view *c, struct rs_says *out)
{
	static const char set[] = "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq; "
				  "do echo %ld > $f; done";
	const char *const max = rs_core_setting(v, RS_F_FREQ_MAX);
	const double share = rs_clock_share(c);
	struct rs_advice a = {
	    .expect = "a lower clock that it can hold: steadier results. Better: air, a "
		      "clean or larger cooler, a faster fan"};

	if (!max || !(share < 1.0) || !(share > 0.0))
		return;
	const long khz = (long)(c->freq_hz / 1e3) / STEP_KHZ * STEP_KHZ;
	const long now = lround(fmin(c->freq_max_hz / 1e3, 1e9));
	if (khz <= 0 || khz >= now)
		return;
	(void)snprintf(a.command, sizeof(a.command), set, khz);
	(void)snprintf(a.undo, sizeof(a.undo),
	    "for f in /sys/devices/system/cpu/cpu*/cpufreq/scaling_max_freq; do echo %.20s > $f; "
	    "done",
	    max);
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct heat *h, struct rs_says *out)
{
	const struct rs_core_view *const c = h->core;
	const double share = rs_clock_share(c);

	if (c->throttled > 0.0)
		rs_message(out, "heat slows core %u down for %ld ms of each second", c->cpu,
		    lround(fmin(1.0, c->throttled) * 1000.0));
	else if (h->is_counted)
		rs_message(
		    out, "heat slows core %u down %.1f times a second", c->cpu, c->throttled_ps);
	else
		rs_message(out, "heat holds core %u at %ld of %ld MHz", c->cpu,
		    lround(c->freq_hz / 1e6), lround(c->freq_max_hz / 1e6));
	rs_cause(out, "cooling does not keep up: dust, a fan that stands, a warm place");
	if (!h->is_counted)
		rs_cause(out, "no counter tells it: clock and temperature do");
	if (h->is_counted) {
		rs_evidence(
		    out, "times a second it was slowed down", c->throttled_ps, RS_UNIT_PER_SECOND);
		if (!isnan(c->throttled))
			rs_evidence(
			    out, "part of the time", fmin(1.0, c->throttled), RS_UNIT_RATIO);
	}
	rs_evidence(out, "temperature", v->temperature_celsius, RS_UNIT_CELSIUS);
	if (!isnan(rs_passive_trip(v)))
		rs_evidence(out, "it is slowed down from", rs_passive_trip(v), RS_UNIT_CELSIUS);
	if (!isnan(share)) {
		rs_evidence_noted(out, "clock", c->freq_hz, RS_UNIT_HZ, "%s",
		    c->is_freq_measured ? "measured" : "as requested");
		rs_evidence(out, "highest clock", c->freq_max_hz, RS_UNIT_HZ);
	}
	rs_evidence(out, "busy share of that core", c->busy, RS_UNIT_RATIO);
	advise_cap(v, c, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct heat h = {.core = NULL};

	look_at_counters(v, t, &h);
	if (!h.core)
		look_at_clock(v, t, &h);
	if (!h.is_known)
		rs_needs(
		    out, "throttling counters, or clock, temperature and a passive trip point");
	if (!h.is_known || !h.core)
		return;
	rs_say(out, &rs_subject_host, RS_COND_RAISE, RS_WARN, h.is_counted ? RS_HIGH : RS_MEDIUM);
	tell(v, &h, out);
}

RS_RULE(cpu_throttled) = {
    .code = "cpu.throttled",
    .title = "Heat slows the processor down",
    .help = "A processor that is too hot lowers its clock: throughput falls, and results differ "
	    "from run to run.",
    .voting = RS_VOTING_COUNTER,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * The busiest core of the packets runs below its clock, or may not go beyond the
 * base clock while one or two cores carry all. With all cores at work boost is
 * promised to nobody: then only what holds the clock down counts.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "loss.h"
#include "num.h"
#include "shape.h"
#include "speed.h"
#include "umbrella.h"

enum { BUSY, CLOCK, CLOCK_CLEAR, HOT };

static const struct rs_threshold thresholds[] = {
    [BUSY] = {"busy", 0.80, 0.10, 1.0, RS_UNIT_RATIO,
	"Busy share from which a core needs its clock"},
    [CLOCK] = {"clock", 0.90, 0.10, 1.0, RS_UNIT_RATIO, "Part of the highest clock, below which"},
    [CLOCK_CLEAR] = {"clock_clear", 0.95, 0.10, 1.5, RS_UNIT_RATIO,
	"The part above which it clears"},
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is hot"},
    {0},
};

#define FEW_BUSY 2u
#define WORKS 0.50
#define AT_LEAST 1.05 /* of the lowest clock: it stands there */

#define POLICIES "/sys/devices/system/cpu/cpu*/cpufreq/"

/* The clock of the core and what is set. */
struct state {
	const struct rs_core_view *core;
	double share;			  /* of the highest; NAN */
	double max_khz, cap_khz, min_khz; /* set; NAN: not known */
	const char *governor;		  /* NULL: not known, or cores differ */
	bool is_capped, is_lowest, is_boost_off, is_few;
	bool is_hot;
};

static double
number_of(const struct rs_view *v, enum rs_fact_id id, unsigned cpu)
{
	const char *const text = rs_view_fact(v, id, cpu, RS_NO_QUEUE);
	double x;

	return text && rs_num_double(rs_text_of(text), &x) == 0 && x > 0.0 ? x : (double)NAN;
}

static void
count_groups(const struct rs_view *v, double hot, size_t *ret_hot, size_t *ret_busy)
{
	*ret_hot = *ret_busy = 0;
	for (size_t i = 0; i < rs_load_groups(v); i++) {
		*ret_hot += rs_group_is_hot(&v->groups[i], hot);
		*ret_busy += v->groups[i].busy >= WORKS;
	}
}

static void
look(const struct rs_view *v, const double *t, struct state *ret)
{
	size_t n_hot, n_busy;
	const struct rs_core_view *const c = rs_view_core(v, v->hottest_core);

	count_groups(v, t[HOT], &n_hot, &n_busy);
	*ret = (struct state){
	    .core = c,
	    .share = rs_clock_share(c),
	    .max_khz = c->freq_max_hz / 1e3,
	    .cap_khz = number_of(v, RS_F_FREQ_MAX, c->cpu),
	    .min_khz = number_of(v, RS_F_FREQ_MIN, c->cpu),
	    .governor = rs_core_setting(v, RS_F_GOVERNOR),
	    .is_few = n_busy <= FEW_BUSY,
	    .is_hot = n_hot > 0,
	};
	ret->is_capped = ret->cap_khz < t[CLOCK] * ret->max_khz;
	ret->is_lowest =
	    ret->min_khz < t[CLOCK] * ret->max_khz && c->freq_hz / 1e3 <= AT_LEAST * ret->min_khz;
	ret->is_boost_off =
	    rs_host_is(v, RS_F_CPU_BOOST, "off") && n_hot >= 1 && n_hot <= FEW_BUSY && ret->is_few;
}

static long
mhz(double hz)
{
	return lround(hz / 1e6);
}

static void
advise_cap(const struct state *s, const char *cap, struct rs_says *out)
{
	static const char set[] = "for f in " POLICIES "scaling_max_freq; do echo %ld > $f; done";
	struct rs_advice a = {.expect = "the clock rises under load; more heat, and often less "
					"gain than the clock says"};

	if (!cap)
		return;
	(void)snprintf(a.command, sizeof(a.command), set, lround(s->max_khz));
	(void)snprintf(a.undo, sizeof(a.undo), set, lround(s->cap_khz));
	rs_advise(out, &a);
}

static void
advise_governor(const struct rs_view *v, const struct state *s, struct rs_says *out)
{
	static const char set[] = "for f in " POLICIES "scaling_governor; do echo %.20s > $f; done";
	const char *const there = rs_core_setting(v, RS_F_GOVERNORS);
	struct rs_advice a = {.expect = "the clock stays high; more heat, and often less gain than "
					"the clock says"};

	if (!s->governor || !rs_has_word(there, "performance") ||
	    strcmp(s->governor, "performance") == 0)
		return;
	(void)snprintf(a.command, sizeof(a.command), set, "performance");
	(void)snprintf(a.undo, sizeof(a.undo), set, s->governor);
	rs_advise(out, &a);
}

/* Each driver has its own switch. */
static void
advise_boost(struct rs_says *out)
{
	static const struct rs_advice a = {
	    "cd /sys/devices/system/cpu; if [ -e intel_pstate/no_turbo ]; then echo 0 > "
	    "intel_pstate/no_turbo; else echo 1 > cpufreq/boost; fi",
	    "a core that works alone goes beyond its base clock: 40 % more brought one flow 6 % "
	    "in one measurement",
	    "cd /sys/devices/system/cpu; if [ -e intel_pstate/no_turbo ]; then echo 1 > "
	    "intel_pstate/no_turbo; else echo 0 > cpufreq/boost; fi",
	    false, false};

	rs_advise(out, &a);
}

static void
tell_settings(const struct rs_view *v, const struct state *s, struct rs_says *out)
{
	const char *const boost = rs_view_fact(v, RS_F_CPU_BOOST, 0, RS_NO_QUEUE);
	const char *const firmware = rs_view_fact(v, RS_F_FIRMWARE, 0, RS_NO_QUEUE);
	const char *const governor = rs_view_fact(v, RS_F_GOVERNOR, s->core->cpu, RS_NO_QUEUE);

	if (!isnan(s->share)) {
		rs_evidence_noted(out, "clock", s->core->freq_hz, RS_UNIT_HZ, "%s",
		    s->core->is_freq_measured ? "measured" : "as requested");
		rs_evidence(out, "highest clock", s->core->freq_max_hz, RS_UNIT_HZ);
	}
	rs_evidence(out, "busy share of that core", s->core->busy, RS_UNIT_RATIO);
	rs_evidence_text(out, "governor", "%s", governor ? governor : "not known");
	if (s->is_capped)
		rs_evidence(out, "highest clock allowed", s->cap_khz * 1e3, RS_UNIT_HZ);
	rs_evidence_text(out, "boost", "%.20s", boost ? boost : "not known");
	if (!isnan(v->temperature_celsius))
		rs_evidence(out, "temperature", v->temperature_celsius, RS_UNIT_CELSIUS);
	if (firmware)
		rs_evidence_text(out, "firmware", "%s", firmware);
}

static void
tell_low(const struct rs_view *v, const struct state *s, struct rs_says *out)
{
	rs_message(out, "clock of core %u at %ld of %ld MHz while it is %ld %% busy", s->core->cpu,
	    mhz(s->core->freq_hz), mhz(s->core->freq_max_hz), lround(s->core->busy * 100.0));
	if (s->is_capped)
		rs_cause(
		    out, "scaling_max_freq allows no more than %ld MHz", lround(s->cap_khz / 1e3));
	else if (s->governor && strcmp(s->governor, "performance") != 0)
		rs_cause(out, "the governor %.20s does not raise it", s->governor);
	else
		rs_cause(out, "firmware, heat or a power limit holds it down");
	tell_settings(v, s, out);
	if (s->is_capped)
		advise_cap(s, rs_core_setting(v, RS_F_FREQ_MAX), out);
	else
		advise_governor(v, s, out);
	if (s->is_boost_off)
		advise_boost(out);
}

static void
tell_boost(const struct rs_view *v, const struct state *s, struct rs_says *out)
{
	rs_message(
	    out, "boost is off while core %u carries the packets nearly alone", s->core->cpu);
	rs_cause(out, "somebody switched it off");
	tell_settings(v, s, out);
	advise_boost(out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct state s;

	if (!v->has_packet_load) {
		rs_needs(out, v->missing ? v->missing : "a value of at least one core");
		return;
	}
	look(v, t, &s);
	if (isnan(s.share) && !rs_view_fact(v, RS_F_CPU_BOOST, 0, RS_NO_QUEUE)) {
		rs_needs(out, "the clock of the cores (cpufreq)");
		return;
	}
	/* Where heat holds it down, that is what to tell. */
	const bool is_low = s.core->busy >= t[BUSY] && s.share < t[CLOCK_CLEAR] &&
			    (s.is_few || s.is_capped || s.is_lowest) && !rs_is_slowed_by_heat(v);
	const bool raises = is_low && s.share < t[CLOCK];
	if (!is_low && !s.is_boost_off)
		return;
	rs_say(out, &rs_subject_host, rs_condition_of(raises || s.is_boost_off, true),
	    raises && s.is_hot ? RS_WARN : RS_INFO,
	    is_low && !s.core->is_freq_measured ? RS_MEDIUM : RS_HIGH);
	if (is_low)
		tell_low(v, &s, out);
	else
		tell_boost(v, &s, out);
}

RS_RULE(cpu_freq_low) = {
    .code = "cpu.freq_low",
    .title = "The clock is below its maximum under load",
    .help = "A core that is nearly full runs slower than it could, or boost is off where one core "
	    "carries all.",
    .window_s = 10,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

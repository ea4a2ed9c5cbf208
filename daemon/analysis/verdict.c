/* SPDX-License-Identifier: ISC */
/*
 * What is my bottleneck, in one line: the first that applies of "cannot tell",
 * "idle", the finding that limits, "no bottleneck". Called once a tick after
 * the rules, on the loop thread.
 */
#include "verdict.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "headroom.h"
#include "shape.h"

#define HOT 0.90
#define SMALL_PACKET_BYTES 256.0
#define MANY_PACKETS_PPS 1000.0
#define MINUTE_S INT64_C(60)
#define HOUR_S INT64_C(3600)
#define DAY_S INT64_C(86400)
#define LOSS_TOLD 0.001
#define OTHERS_TOLD 2u
#define OTHERS_TO 320u /* bytes of the line: no longer for their sake */
/* Before this tick no vote has all its samples: the first tick has no rates. */
#define VOTES_FULL_TICK 6u

/* What a line is made of. */
struct summary {
	const struct rs_view *v;
	size_t n;
	const struct rs_group *groups;
	struct rs_headroom room;
	const struct rs_finding *const *active;
	size_t n_active;
	char *line;
	size_t cap;
};

const char *
rs_state_name(enum rs_state s)
{
	static const char *const names[] = {
	    [RS_STATE_OK] = "ok",
	    [RS_STATE_INFO] = "info",
	    [RS_STATE_WARN] = "warn",
	    [RS_STATE_CRIT] = "crit",
	    [RS_STATE_UNKNOWN] = "unknown",
	};
	return names[s];
}

static void add(struct summary *s, const char *format, ...) RS_PRINTF(2, 3);

/* A part that has no room is left out whole. */
static void
add(struct summary *s, const char *format, ...)
{
	const size_t len = strlen(s->line);
	va_list ap;

	va_start(ap, format);
	const int n = vsnprintf(s->line + len, s->cap - len, format, ap);
	va_end(ap);
	if (n < 0 || (size_t)n >= s->cap - len)
		s->line[len] = '\0';
}

static long
percent(double ratio)
{
	return lround(ratio * 100.0);
}

/* Forwarded: the larger of in and out; in packets too where they are small. */
static bool
format_now(const struct rs_view *v, char *dst, size_t cap)
{
	const double bps = fmax(v->rx_bps, v->tx_bps), pps = fmax(v->rx_pps, v->tx_pps);
	char rate[24], packets[24];

	if (isnan(bps))
		return false;
	rs_format_bps(bps, rate);
	rs_format_pps(pps, packets);
	if (pps >= MANY_PACKETS_PPS && bps / 8.0 < SMALL_PACKET_BYTES * pps)
		(void)snprintf(dst, cap, "%s (%s)", packets, rate);
	else
		(void)snprintf(dst, cap, "%s", rate);
	return true;
}

/* Findings. */

/* What follows the message of the finding that limits. */
enum tail {
	TAIL_CORES,   /* idle cores, and what could be reached if the work spread */
	TAIL_BUSIEST, /* how busy the busiest core is: it is not the limit */
	TAIL_NONE
};

/* The order of the decision. Findings of other rules are causes or notes: they
 * follow what limits. */
struct step {
	const char *code;
	enum rs_severity least;
	enum tail tail;
};

/* Told even where nothing flows: they may be why. */
static const struct step faults[] = {
    {"link.flapping", RS_CRIT, TAIL_NONE},
    {"tx.stopped", RS_CRIT, TAIL_NONE},
};

static const struct step limits[] = {
    {"link.line_rate", RS_INFO, TAIL_BUSIEST},
    {"qos.one_core", RS_INFO, TAIL_BUSIEST},
    {"link.pause", RS_WARN, TAIL_BUSIEST},
    {"cloud.allowance", RS_WARN, TAIL_BUSIEST},
    {"cpu.steal", RS_CRIT, TAIL_BUSIEST},
    {"conntrack.full", RS_CRIT, TAIL_BUSIEST},
    {"core.user_single", RS_INFO, TAIL_CORES},
    {"core.imbalance", RS_INFO, TAIL_CORES},
    {"core.saturated_all", RS_INFO, TAIL_CORES},
    {"core.at_limit", RS_INFO, TAIL_CORES},
    {"ring.overflow_saturated", RS_INFO, TAIL_BUSIEST},
    {"ring.overflow_idle", RS_INFO, TAIL_BUSIEST},
    {"tx.stopped", RS_WARN, TAIL_BUSIEST},
    {"softnet.dropped", RS_INFO, TAIL_BUSIEST},
    {"link.errors", RS_WARN, TAIL_BUSIEST},
    {"core.skewed", RS_INFO, TAIL_CORES},
    {"rate.external", RS_INFO, TAIL_NONE},
};

/* Of one rule the worst that stands, and of those the surest. */
static const struct rs_finding *
find_of(const struct summary *s, const struct step *step)
{
	const struct rs_finding *best = NULL;

	for (size_t i = 0; i < s->n_active; i++) {
		const struct rs_finding *const f = s->active[i];

		if (strcmp(f->code, step->code) != 0 || f->severity < step->least)
			continue;
		if (!best || f->severity > best->severity ||
		    (f->severity == best->severity && f->confidence > best->confidence))
			best = f;
	}
	return best;
}

static const struct rs_finding *
find_first(const struct summary *s, const struct step *steps, size_t n, enum tail *ret_tail)
{
	for (size_t i = 0; i < n; i++) {
		const struct rs_finding *const f = find_of(s, &steps[i]);

		if (f) {
			*ret_tail = steps[i].tail;
			return f;
		}
	}
	return NULL;
}

static const struct rs_finding *
find_fault(const struct summary *s)
{
	enum tail tail;

	return find_first(s, faults, RS_ARRAY_LEN(faults), &tail);
}

static const struct rs_finding *
find_limit(const struct summary *s, enum tail *ret_tail)
{
	return find_first(s, limits, RS_ARRAY_LEN(limits), ret_tail);
}

static enum rs_state
worst_state(const struct summary *s)
{
	static const enum rs_state states[] = {
	    [RS_INFO] = RS_STATE_INFO,
	    [RS_WARN] = RS_STATE_WARN,
	    [RS_CRIT] = RS_STATE_CRIT,
	};
	enum rs_state worst = RS_STATE_OK;

	for (size_t i = 0; i < s->n_active; i++)
		worst = RS_MAX(worst, states[s->active[i]->severity]);
	return worst;
}

static bool
is_told(const struct rs_finding *limit, const struct rs_finding *f)
{
	for (uint32_t i = 0; limit && i < limit->n_causes; i++) {
		if (strstr(limit->causes[i], f->message))
			return true;
	}
	return f == limit;
}

/* Never the limit by themselves. */
static bool
makes_worse(const struct rs_finding *f)
{
	static const char *const codes[] = {"cpu.freq_low", "cpu.throttled", "offload.gro_lro",
	    "ip.fragments", "irq.moderation_low", "irq.moderation_high", "irq.numa_remote"};

	for (size_t i = 0; i < RS_ARRAY_LEN(codes); i++) {
		if (strcmp(f->code, codes[i]) == 0)
			return true;
	}
	return false;
}

/* What else stands and was not named as the cause: the worst of it that has room,
 * for the line is one line; a sentence is told whole or counted. */
static void
add_others(struct summary *s, const struct rs_finding *limit)
{
	unsigned told = 0, more = 0;

	for (size_t i = 0; i < s->n_active; i++) {
		const struct rs_finding *const f = s->active[i];
		const char *const how = limit && makes_worse(f) ? "makes it worse: " : "";

		if (is_told(limit, f))
			continue;
		if (told < OTHERS_TOLD && strlen(s->line) + strlen(how) + strlen(f->message) +
						  sizeof("; ; 1000 more findings") <=
					      OTHERS_TO) {
			add(s, "; %s%s", how, f->message);
			told++;
		} else {
			more++;
		}
	}
	if (more > 0)
		add(s, "; %u more finding%s", more, more > 1 ? "s" : "");
}

/* Parts. */

/* The hottest of the hot groups; NULL: none is hot. */
static const struct rs_group *
find_hot(const struct summary *s)
{
	const struct rs_group *hot = NULL;

	for (size_t i = 0; i < s->n; i++) {
		const struct rs_group *const g = &s->groups[i];
		if (rs_group_is_hot(g, HOT) && (!hot || g->packet_load > hot->packet_load))
			hot = g;
	}
	return hot;
}

static bool
is_idle(const struct summary *s)
{
	static const struct step thread = {"core.user_single", RS_INFO, TAIL_CORES};

	return !find_hot(s) && rs_load_flow(s->v) == RS_FLOW_NONE && !(s->v->drops_pps > 0.0) &&
	       !find_of(s, &thread);
}

static void
add_idle_cores(struct summary *s)
{
	const char *const kind = s->n == s->v->n_eligible ? "cores" : "physical cores";
	size_t idle = 0;

	for (size_t i = 0; i < s->n; i++)
		idle += s->groups[i].busy < RS_IDLE_BUSY;
	if (idle > 0)
		add(s, "; %zu of %zu %s idle", idle, s->n, kind);
}

static void
add_loss(struct summary *s)
{
	const double offered = s->v->rx_pps + s->v->drops_pps;
	char text[24];

	if (!(s->v->drops_pps >= LOSS_TOLD * offered) || s->v->drops_pps < 1.0)
		return;
	rs_format_pps(offered, text);
	if (s->v->drops_pps < 0.10 * offered)
		add(s, "; %.1f %% of %s dropped", s->v->drops_pps / offered * 100.0, text);
	else
		add(s, "; %ld %% of %s dropped", percent(s->v->drops_pps / offered), text);
}

/* Its message has the share already, and it may be that of a minute. */
static bool
tells_loss(const struct rs_finding *f)
{
	return strncmp(f->code, "ring.", strlen("ring.")) == 0;
}

/* "; 760 Mbit/s now, ~940 Mbit/s if spread (then the link)" */
static void
add_reach(struct summary *s, bool can_spread)
{
	const double even = fmin(s->room.even_ceiling_bps, s->room.link_bps);
	char now[64], reach[24];

	if (!format_now(s->v, now, sizeof(now)))
		return;
	rs_format_bps(rs_round_2(even), reach);
	if (!can_spread || s->room.how == RS_NO_NUMBER || even < 1.05 * s->room.now_bps)
		add(s, "; %s now", now);
	else
		add(s, "; %s now, ~%s if spread%s", now, reach,
		    s->room.link_bps <= s->room.even_ceiling_bps ? " (then the link)" : "");
}

/* Lines. */

static void
add_ago(struct summary *s, int64_t seconds)
{
	if (seconds < MINUTE_S)
		add(s, "; last episode ended less than a minute ago");
	else if (seconds < 2 * HOUR_S)
		add(s, "; last episode ended %ld min ago", (long)(seconds / MINUTE_S));
	else if (seconds < 2 * DAY_S)
		add(s, "; last episode ended %ld h ago", (long)(seconds / HOUR_S));
	else
		add(s, "; last episode ended %ld days ago", (long)(seconds / DAY_S));
}

static void
say_idle(struct summary *s, int64_t last_cleared_ms)
{
	enum tail tail;
	const struct rs_finding *const limit = find_limit(s, &tail);
	const int64_t ago_s = (s->v->wall_ms - last_cleared_ms) / 1000;
	char now[64];

	add(s, "idle: %s", format_now(s->v, now, sizeof(now)) ? now : "rate unknown");
	if (limit)
		add(s, "; %s%s",
		    limit->is_stale    ? "not confirmed now: "
		    : limit->is_ending ? "ending: "
				       : "",
		    limit->message);
	else if (last_cleared_ms > 0 && ago_s >= 0)
		add_ago(s, ago_s);
	add_others(s, limit);
}

static void
add_busiest(struct summary *s)
{
	if (!isnan(s->room.hottest))
		add(s, "; %s %ld %%", s->n == 1 ? "single core" : "busiest core",
		    percent(s->room.hottest));
}

/* An umbrella is sure of the core and not of the reason; the finding that is the
 * reason may be. A core that is doubtful itself stays so. */
static enum rs_confidence
confidence_of(const struct summary *s, const struct rs_finding *f)
{
	enum rs_confidence best = f->confidence;

	for (size_t i = 0; best == RS_MEDIUM && f->n_causes > 0 && i < s->n_active; i++) {
		if (strcmp(s->active[i]->message, f->causes[0]) == 0)
			best = RS_MAX(best, s->active[i]->confidence);
	}
	return best;
}

static void
say_limit(struct summary *s, const struct rs_finding *f, enum tail tail)
{
	const bool is_imbalance = strcmp(f->code, "core.imbalance") == 0;

	add(s, "%s", f->message);
	if (f->n_causes > 0 && tail == TAIL_CORES)
		add(s, ": %s", f->causes[0]);
	const enum rs_confidence confidence =
	    tail == TAIL_CORES ? confidence_of(s, f) : f->confidence;
	if (confidence != RS_HIGH)
		add(s, " (%s confidence)", rs_confidence_name(confidence));
	if (f->is_ending || f->is_stale)
		add(s, "%s", f->is_stale ? "; not confirmed now" : "; ending");
	else if (tail == TAIL_CORES)
		add_idle_cores(s);
	else if (tail == TAIL_BUSIEST)
		add_busiest(s);
	if (!tells_loss(f))
		add_loss(s);
	if (tail != TAIL_NONE)
		add_reach(s, is_imbalance && !f->is_ending);
	add_others(s, f);
}

/* The line is told where it is what the number rests on. */
static const char *
how_sure(const struct summary *s)
{
	return s->room.how == RS_BY_HISTORY ? " (high confidence, by the last hour)" : "";
}

static void
say_no_bottleneck(struct summary *s)
{
	char now[64], more[24];
	const char *const who = s->n == 1 ? "single core" : "busiest core";
	const bool is_full = s->room.hottest >= HOT;

	add(s, "no bottleneck%s: %s, %s %ld %%", is_full ? " so far" : "",
	    format_now(s->v, now, sizeof(now)) ? now : "rate unknown", who,
	    percent(s->room.hottest));
	if (!is_full && s->room.how == RS_NO_NUMBER && s->room.now_bps > 0.0)
		add(s, ", too little load to extrapolate");
	if (!is_full && s->room.how != RS_NO_NUMBER) {
		const bool is_link = s->room.link_bps <= s->room.ceiling_bps;
		const bool is_bound = s->room.how == RS_AT_LEAST && !is_link;
		rs_format_bps(
		    is_bound ? rs_floor_2(s->room.more_bps) : rs_round_2(s->room.more_bps), more);
		add(s, ", %s %s more%s", is_bound ? "at least" : "about", more,
		    is_link ? " (then the link)" : how_sure(s));
	}
	add_loss(s);
	add_others(s, NULL);
}

/* A hot core of which the votes cannot know yet: neither fine nor a finding. */
static void
say_too_early(struct summary *s, const struct rs_group *hot)
{
	if (hot->packet_load >= HOT)
		add(s, "core %u at %ld %%: too early to judge", hot->cpu,
		    percent(hot->packet_load));
	else
		add(s, "core %u %ld %% busy: too early to judge", hot->cpu, percent(hot->busy));
	add_loss(s);
	add_reach(s, false);
	add_others(s, NULL);
}

/* Why there is no verdict; NULL: there is one. */
static const char *
why_unknown(const struct rs_view *v)
{
	if (v->missing)
		return v->missing;
	if (v->tick == 0 || !v->has_rates)
		return "waiting for the second sample";
	if (!v->has_packet_load)
		return "no core has a value in this interval";
	if (v->n_eligible_groups > RS_GROUPS_MAX)
		return "too many physical cores";
	return NULL;
}

static bool
is_too_early(const struct summary *s)
{
	enum tail tail;

	return s->v->tick < VOTES_FULL_TICK && !is_idle(s) && !find_limit(s, &tail) && find_hot(s);
}

static struct summary
summary_of(const struct rs_view *v, const struct rs_finding *const *active, size_t n_active)
{
	return (struct summary){
	    .v = v,
	    .groups = v->groups,
	    .n = v->n_eligible_groups,
	    .active = active,
	    .n_active = n_active,
	};
}

enum rs_state
rs_verdict_state(const struct rs_view *v, const struct rs_finding *const *active, size_t n_active)
{
	const struct summary s = summary_of(v, active, n_active);

	if (why_unknown(v) || (n_active == 0 && is_too_early(&s)))
		return RS_STATE_UNKNOWN;
	return worst_state(&s);
}

void
rs_verdict_make(const struct rs_view *v, const struct rs_finding *const *active, size_t n_active,
    const struct rs_line *line, int64_t last_cleared_ms, struct rs_verdict *ret)
{
	struct summary s = summary_of(v, active, n_active);

	s.line = ret->line;
	s.cap = sizeof(ret->line);
	s.line[0] = '\0';
	ret->state = rs_verdict_state(v, active, n_active);
	if (why_unknown(v)) {
		add(&s, "no verdict: %s%s", v->missing ? "no values from " : "", why_unknown(v));
		return;
	}
	rs_headroom_of(v, s.groups, s.n, line, &s.room);
	enum tail tail = TAIL_NONE;
	const struct rs_finding *const fault = find_fault(&s);
	const struct rs_finding *const limit = find_limit(&s, &tail);
	if (fault)
		say_limit(&s, fault, TAIL_NONE);
	else if (is_idle(&s))
		say_idle(&s, last_cleared_ms);
	else if (limit)
		say_limit(&s, limit, tail);
	else if (is_too_early(&s))
		say_too_early(&s, find_hot(&s));
	else
		say_no_bottleneck(&s);
}

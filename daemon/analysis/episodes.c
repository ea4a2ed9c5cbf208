/* SPDX-License-Identifier: ISC */
/*
 * The life of a finding: votes raise it, make it worse, leave it doubtful, clear it,
 * and raise it again within a minute as one more episode of the same. Of what cannot
 * stand together the more important stands.
 */
#include <stdio.h>
#include <string.h>

#include "engine_state.h"

#define RAISE_S 5u
#define RAISE_SAMPLES 5u
#define CLEAR_S 15u
#define CLEAR_SAMPLES 15u
#define COUNTER_RAISE 2u
#define COUNTER_CLEAR_NS (60 * RS_NS_PER_S)
#define SAME_EPISODE_NS (60 * RS_NS_PER_S)

static const struct rs_rule *
rule_of(const struct rs_engine *e, const struct rs_track *t)
{
	return e->rules[t->rule];
}

static void
tell(struct rs_engine *e, enum rs_finding_event ev, struct rs_track *t)
{
	t->has_changed = false;
	if (e->fn)
		e->fn(e->arg, ev, &t->f);
}

static void
clear_track(struct rs_engine *e, struct rs_track *t)
{
	t->is_active = false;
	t->has_cleared = true;
	t->cleared_ns = e->now_ns;
	t->f.cleared_ms = RS_MAX(e->wall_ms, t->f.raised_ms); /* the clock may be set back */
	t->f.is_stale = t->f.is_ending = false;
	e->n_active--;
	tell(e, RS_FINDING_CLEARED, t);
}

static void
count(const struct rs_engine *e, const struct rs_track *t, unsigned seconds, unsigned samples,
    struct rs_tally *ret)
{
	rs_vote_count(&t->votes, e->tick, rs_vote_window(e->interval_ns, seconds, samples), ret);
}

/* Few samples make an active finding stale and keep it; fewer than five
 * seconds of them make it doubtful. */
static void
judge_window(struct rs_engine *e, struct rs_track *t)
{
	struct rs_tally recent;

	count(e, t, RAISE_S, RAISE_SAMPLES, &recent);
	const bool is_stale = recent.valid < RS_VOTE_VALID_MIN;
	if (recent.valid < recent.window)
		t->f.confidence = RS_LOW;
	if (t->f.is_stale != is_stale) {
		t->f.is_stale = is_stale;
		t->has_changed = true;
	}
}

static void
settle_active(struct rs_engine *e, struct rs_track *t)
{
	struct rs_tally tally;

	judge_window(e, t);
	count(e, t, CLEAR_S, CLEAR_SAMPLES, &tally);
	t->f.is_ending = rs_vote_at(&t->votes, e->tick)->vote == RS_VOTE_CLEAR;
	const bool is_clear = rule_of(e, t)->voting == RS_VOTING_COUNTER
				  ? e->now_ns - t->unclear_ns >= COUNTER_CLEAR_NS
				  : rs_vote_carries(&tally, tally.clear);
	if (!e->confs[t->rule].is_enabled || (!t->f.is_stale && t->f.is_ending && is_clear))
		clear_track(e, t);
}

/* Whether so many samples of the window are enough to raise. */
static bool
raises(const struct rs_engine *e, const struct rs_track *t, const struct rs_tally *tally,
    unsigned samples)
{
	return rule_of(e, t)->voting == RS_VOTING_COUNTER ? samples >= COUNTER_RAISE
							  : rs_vote_carries(tally, samples);
}

/* Severity is voted over the same window and never falls while it stands. */
static void
raise_severity(const struct rs_engine *e, struct rs_track *t, const struct rs_tally *tally)
{
	for (int s = RS_CRIT; s > (int)t->f.severity; s--) {
		if (!raises(e, t, tally, tally->severity[s]))
			continue;
		t->f.severity = (enum rs_severity)s;
		t->has_changed = true;
		return;
	}
}

static void
raise_track(struct rs_engine *e, struct rs_track *t, const struct rs_tally *tally)
{
	const struct rs_rule *const r = rule_of(e, t);
	const bool is_same = t->has_cleared && e->now_ns - t->cleared_ns <= SAME_EPISODE_NS;

	if (!is_same) {
		t->f.id = e->next_id++;
		t->f.raised_ms = e->wall_ms;
		t->f.raised_boot_ms = e->boot_ms;
		t->f.episodes = 0;
		(void)snprintf(t->f.code, sizeof(t->f.code), "%s", r->code);
		(void)snprintf(t->f.title, sizeof(t->f.title), "%s", r->title);
	}
	t->f.episodes++;
	t->f.cleared_ms = 0;
	t->f.severity = RS_INFO;
	raise_severity(e, t, tally);
	t->f.is_stale = false;
	t->is_active = true;
	t->raised_ns = e->now_ns;
	e->n_active++;
	judge_window(e, t);
	tell(e, is_same ? RS_FINDING_CHANGED : RS_FINDING_RAISED, t);
}

/* Of the ranked rules the highest stands alone: false when a higher one does,
 * otherwise the lower ones end now. */
static bool
take_over(struct rs_engine *e, unsigned rank)
{
	for (size_t i = 0; i < e->tracks.n; i++) {
		if (e->tracks.at[i].is_active && rule_of(e, &e->tracks.at[i])->rank > rank)
			return false;
	}
	for (size_t i = 0; i < e->tracks.n; i++) {
		struct rs_track *const t = &e->tracks.at[i];
		if (t->is_active && rule_of(e, t)->rank > 0 && rule_of(e, t)->rank < rank)
			clear_track(e, t);
	}
	return true;
}

/* Whether a finding of the rule it gives way to stands for the same device and core. */
static bool
is_outdone(const struct rs_engine *e, const struct rs_track *t)
{
	const char *const code = rule_of(e, t)->gives_way_to;

	for (size_t i = 0; code && i < e->tracks.n; i++) {
		const struct rs_track *const other = &e->tracks.at[i];
		if (other->is_active && strcmp(rule_of(e, other)->code, code) == 0 &&
		    other->f.subject.core == t->f.subject.core &&
		    strcmp(other->f.subject.device, t->f.subject.device) == 0)
			return true;
	}
	return false;
}

/* Whether the votes raise it, by the window for what they say. */
static bool
is_carried(const struct rs_engine *e, struct rs_track *t, struct rs_tally *tally)
{
	const unsigned info_window_s = rule_of(e, t)->info_window_s;

	if (info_window_s > 0 && !raises(e, t, tally, tally->severity[RS_WARN]))
		count(e, t, info_window_s, RAISE_SAMPLES, tally);
	return rs_vote_at(&t->votes, e->tick)->vote == RS_VOTE_RAISE &&
	       raises(e, t, tally, tally->raise);
}

/* The severity that the votes carry. */
static enum rs_severity
severity_of(const struct rs_engine *e, const struct rs_track *t, const struct rs_tally *tally)
{
	int s = RS_CRIT;

	while (s > RS_INFO && !raises(e, t, tally, tally->severity[s]))
		s--;
	return (enum rs_severity)s;
}

/* Where there is no room the least of the many makes it for what is worse. */
static bool
find_room(struct rs_engine *e, const struct rs_track *t, enum rs_severity severity)
{
	struct rs_track *least = NULL;

	if (e->n_active + (rs_rule_is_single(rule_of(e, t)) ? 0 : RS_FINDINGS_KEPT) <
	    RS_FINDINGS_MAX)
		return true;
	for (size_t i = 0; i < e->tracks.n; i++) {
		struct rs_track *const at = &e->tracks.at[i];
		if (at->is_active && !rs_rule_is_single(rule_of(e, at)) &&
		    at->f.severity < severity && (!least || at->f.severity < least->f.severity))
			least = at;
	}
	if (least)
		clear_track(e, least);
	return least != NULL;
}

static void
try_raise(struct rs_engine *e, struct rs_track *t)
{
	const struct rs_rule *const r = rule_of(e, t);
	struct rs_tally tally;

	count(e, t, r->window_s > 0 ? r->window_s : RAISE_S, RAISE_SAMPLES, &tally);
	if (t->is_active) {
		raise_severity(e, t, &tally);
		return;
	}
	if (!is_carried(e, t, &tally) || is_outdone(e, t) ||
	    (r->rank > 0 && !take_over(e, r->rank)))
		return;
	if (!find_room(e, t, severity_of(e, t, &tally))) {
		e->refused += !t->is_refused;
		t->is_refused = true;
		return;
	}
	t->is_refused = false;
	raise_track(e, t, &tally);
}

/* Neither a finding, nor an episode that may go on, nor voted on. */
static bool
is_over(const struct rs_engine *e, const struct rs_track *t)
{
	struct rs_tally tally;

	if (t->is_active || (t->has_cleared && e->now_ns - t->cleared_ns <= SAME_EPISODE_NS))
		return false;
	const struct rs_rule *const r = rule_of(e, t);
	count(e, t, RS_MAX(RS_MAX(r->window_s, r->info_window_s), RAISE_S), RAISE_SAMPLES, &tally);
	return tally.severity[RS_INFO] == 0;
}

static void
end_tick(struct rs_engine *e, struct rs_track *t)
{
	if (t->is_active && is_outdone(e, t))
		clear_track(e, t);
	if (t->is_active && t->has_changed)
		tell(e, RS_FINDING_CHANGED, t);
	if (t->is_used && is_over(e, t))
		rs_track_release(&e->tracks, t);
}

void
rs_engine_decide(struct rs_engine *e)
{
	for (size_t i = 0; i < e->tracks.n; i++) {
		if (e->tracks.at[i].is_active)
			settle_active(e, &e->tracks.at[i]);
	}
	for (size_t i = 0; i < e->n_rules; i++) {
		for (size_t j = 0; j < e->tracks.n; j++) {
			if (e->tracks.at[j].is_used && e->tracks.at[j].rule == e->by_rank[i])
				try_raise(e, &e->tracks.at[j]);
		}
	}
	for (size_t i = e->tracks.n; i-- > 0;)
		end_tick(e, &e->tracks.at[i]);
}

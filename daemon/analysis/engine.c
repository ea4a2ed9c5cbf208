/* SPDX-License-Identifier: ISC */
/*
 * Findings from votes. Each tick: ask every rule, note its votes, clear what
 * the votes clear, then raise what they raise, the higher ranks first. All
 * memory is taken at creation; pages of it are touched as findings appear.
 */
#include "engine.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lead.h"
#include "recent.h"
#include "says.h"
#include "track.h"

#define RAISE_S 5u
#define RAISE_SAMPLES 5u
#define CLEAR_S 15u
#define CLEAR_SAMPLES 15u
#define COUNTER_RAISE 2u
#define COUNTER_CLEAR_NS (60 * RS_NS_PER_S)
#define SAME_EPISODE_NS (60 * RS_NS_PER_S)

struct rule_state {
	struct rs_rule_conf conf;
	bool is_evaluated;
	char why_not[96];
	struct rs_votes votes; /* CLEAR where it was evaluated: those of a subject not yet named */
};

struct rs_engine {
	const struct rs_rule *const *rules;
	size_t n_rules;
	struct rule_state *states; /* n_rules; owned */
	size_t *by_rank;	   /* n_rules rule numbers, highest rank first; owned */
	size_t *by_cause;	   /* those that explain, in their order; owned */
	size_t n_causes;
	int64_t next_id;
	uint64_t tick; /* of the rings; counts missed ticks too */
	rs_ns interval_ns, due_ns;
	rs_ns now_ns;
	int64_t wall_ms, boot_ms;
	unsigned n_active;
	uint64_t refused;
	rs_finding_fn fn; /* during a run */
	void *arg;
	struct rs_recent *recent; /* owned */
	bool has_lead, has_cause; /* in this tick */
	size_t cause_rule;
	struct rs_cause cause;
	struct rs_lead lead;
	struct rs_said said[RS_SAYS_MAX];
	struct rs_group groups[RS_GROUPS_MAX]; /* of the view */
	struct rs_tracks tracks;
};

void
rs_rule_conf_default(const struct rs_rule *r, struct rs_rule_conf *ret)
{
	*ret = (struct rs_rule_conf){.is_enabled = true};
	for (size_t i = 0; r->thresholds && r->thresholds[i].key; i++) {
		assert(i < RS_THRESHOLDS_MAX);
		ret->thresholds[i] = r->thresholds[i].value;
	}
}

static void
sort_by_rank(struct rs_engine *e)
{
	for (size_t i = 0; i < e->n_rules; i++) {
		size_t at = i;
		for (; at > 0 && e->rules[e->by_rank[at - 1]]->rank < e->rules[i]->rank; at--)
			e->by_rank[at] = e->by_rank[at - 1];
		e->by_rank[at] = i;
	}
}

static void
sort_causes(struct rs_engine *e)
{
	for (size_t i = 0; i < e->n_rules; i++) {
		const unsigned order = e->rules[i]->cause_order;
		size_t at = e->n_causes;
		if (order == 0)
			continue;
		for (; at > 0 && e->rules[e->by_cause[at - 1]]->cause_order > order; at--)
			e->by_cause[at] = e->by_cause[at - 1];
		e->by_cause[at] = i;
		e->n_causes++;
	}
}

int
rs_engine_new(const struct rs_rule *const *rules, const struct rs_rule_conf *confs,
    int64_t first_id, struct rs_engine **ret)
{
	struct rs_engine *const e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->rules = rules;
	while (rules[e->n_rules])
		e->n_rules++;
	e->states = calloc(e->n_rules + 1, sizeof(*e->states));
	e->by_rank = calloc(e->n_rules + 1, sizeof(*e->by_rank));
	e->by_cause = calloc(e->n_rules + 1, sizeof(*e->by_cause));
	if (!e->states || !e->by_rank || !e->by_cause || rs_recent_new(&e->recent) < 0) {
		rs_engine_free(e);
		return -ENOMEM;
	}
	e->next_id = first_id;
	for (size_t i = 0; i < e->n_rules; i++)
		rs_rule_conf_default(rules[i], &e->states[i].conf);
	if (confs)
		rs_engine_configure(e, confs);
	sort_by_rank(e);
	sort_causes(e);
	*ret = e;
	return 0;
}

void
rs_engine_free(struct rs_engine *e)
{
	if (!e)
		return;
	free(e->states);
	free(e->by_rank);
	free(e->by_cause);
	rs_recent_free(e->recent);
	free(e);
}

void
rs_engine_configure(struct rs_engine *e, const struct rs_rule_conf *confs)
{
	for (size_t i = 0; i < e->n_rules; i++)
		e->states[i].conf = confs[i];
}

/* Time. */

static void
tell_missing(struct rs_engine *e)
{
	e->tick++;
	for (size_t i = 0; i < e->n_rules; i++)
		rs_vote_at(&e->states[i].votes, e->tick)->vote = RS_VOTE_MISSING;
	rs_tracks_vote(&e->tracks, RS_TRACKS_ALL, e->tick, RS_VOTE_MISSING);
}

static void
forget_votes(struct rs_engine *e)
{
	for (size_t i = 0; i < e->n_rules; i++)
		memset(&e->states[i].votes, 0, sizeof(e->states[i].votes));
	rs_tracks_forget_votes(&e->tracks);
}

/* To the tick of this view; ticks that never came are missing samples. */
static void
advance(struct rs_engine *e, const struct rs_view *v)
{
	if (v->interval_ns != e->interval_ns) {
		forget_votes(e);
	} else if (v->due_ns > e->due_ns && e->interval_ns > 0) {
		const rs_ns missed = (v->due_ns - e->due_ns - 1) / e->interval_ns;
		for (rs_ns i = 0; i < RS_MIN(missed, (rs_ns)RS_VOTE_TICKS); i++)
			tell_missing(e);
	}
	e->tick++;
	e->interval_ns = v->interval_ns;
	e->due_ns = v->due_ns;
	e->now_ns = v->mono_ns;
	e->wall_ms = v->wall_ms;
	e->boot_ms = v->boot_ms;
}

/* A machine that starts without knowing the time learns it later: what stands, or
 * may stand again, is then told with its real time. */
static void
follow_clock(struct rs_engine *e)
{
	for (size_t i = 0; i < e->tracks.n; i++) {
		struct rs_track *const t = &e->tracks.at[i];
		if (t->is_used && rs_finding_follow(&t->f, e->wall_ms - e->boot_ms))
			t->has_changed = true;
	}
}

/* Asking the rules. */

/* Of rules with one subject any subject means that one. */
static const struct rs_track *
find_track(const struct rs_engine *e, size_t rule, const struct rs_subject *subject)
{
	return rs_track_find(&e->tracks, rule, e->rules[rule]->has_one_subject ? NULL : subject);
}

rs_ns
rs_standing_ns(const struct rs_says *out, const struct rs_subject *subject)
{
	const struct rs_track *const t = find_track(out->engine, out->rule, subject);

	return t && t->is_active ? out->engine->now_ns - t->raised_ns : 0;
}

int32_t
rs_standing_core(const struct rs_says *out)
{
	const struct rs_track *const t = find_track(out->engine, out->rule, &rs_subject_host);

	return t && t->is_active ? t->f.subject.core : -1;
}

const struct rs_recent *
rs_recent_of(const struct rs_says *out)
{
	return out->engine->recent;
}

const struct rs_lead *
rs_lead_in(const struct rs_says *out)
{
	return out->engine->has_lead ? &out->engine->lead : NULL;
}

const struct rs_cause *
rs_cause_in(const struct rs_says *out, bool *ret_is_mine)
{
	const struct rs_engine *const e = out->engine;

	*ret_is_mine = e->has_cause && e->cause_rule == out->rule;
	return e->has_cause ? &e->cause : NULL;
}

/* The first in the order of causes that explains the core that leads. */
static void
find_cause(struct rs_engine *e, const struct rs_view *v)
{
	e->has_cause = false;
	e->has_lead = rs_lead_of(v, &e->lead);
	for (size_t i = 0; e->has_lead && !e->has_cause && i < e->n_causes; i++) {
		const size_t rule = e->by_cause[i];
		const struct rule_state *const s = &e->states[rule];

		e->cause = (struct rs_cause){.confidence = RS_MEDIUM};
		e->cause_rule = rule;
		e->has_cause = s->conf.is_enabled &&
			       e->rules[rule]->explains(&e->lead, s->conf.thresholds, &e->cause);
	}
}

/* Says one thing in a tick: of the machine, or of the one core that matters. */
static bool
is_single(const struct rs_rule *r)
{
	return r->has_one_subject || r->rank > 0;
}

/* A complaint that each of many interfaces has must not keep out what is said of
 * the machine. */
static bool
has_room_to_vote(const struct rs_engine *e, size_t rule)
{
	size_t free = RS_TRACKS_MAX;

	for (size_t i = 0; i < e->tracks.n; i++)
		free -= e->tracks.at[i].is_used;
	return free > (is_single(e->rules[rule]) ? 0 : RS_TRACKS_KEPT);
}

static struct rs_track *
find_or_add_track(struct rs_engine *e, size_t rule, const struct rs_subject *subject)
{
	const struct rs_track *const t = find_track(e, rule, subject);

	if (t)
		return &e->tracks.at[t - e->tracks.at];
	return has_room_to_vote(e, rule)
		   ? rs_track_add(&e->tracks, rule, subject, &e->states[rule].votes)
		   : NULL;
}

static void
vote_all(struct rs_engine *e, size_t rule, enum rs_vote vote)
{
	rs_vote_at(&e->states[rule].votes, e->tick)->vote = (uint8_t)vote;
	rs_tracks_vote(&e->tracks, rule, e->tick, vote);
}

static void
take_votes(struct rs_engine *e, const struct rs_says *says)
{
	for (unsigned i = 0; i < says->n; i++) {
		const struct rs_said *const said = &says->said[i];
		if (said->condition == RS_COND_CLEAR)
			continue;
		struct rs_track *const t = find_or_add_track(e, says->rule, &said->words.subject);
		if (!t) {
			e->refused++;
			continue;
		}
		*rs_vote_at(&t->votes, e->tick) = (struct rs_ballot){
		    .vote = said->condition == RS_COND_RAISE ? RS_VOTE_RAISE : RS_VOTE_BETWEEN,
		    .severity = (uint8_t)said->words.severity,
		};
		t->unclear_ns = e->now_ns;
		rs_track_take_words(t, &said->words);
	}
	e->refused += says->refused;
}

static void
ask(struct rs_engine *e, const struct rs_view *v, size_t rule)
{
	struct rule_state *const s = &e->states[rule];
	struct rs_says says = {.engine = e, .said = e->said};

	if (!s->conf.is_enabled) {
		s->is_evaluated = false;
		(void)snprintf(s->why_not, sizeof(s->why_not), "switched off by configuration");
		vote_all(e, rule, RS_VOTE_MISSING);
		return;
	}
	rs_says_begin(&says, rule);
	e->rules[rule]->evaluate(v, s->conf.thresholds, &says);
	s->is_evaluated = says.needs[0] == '\0';
	memcpy(s->why_not, says.needs, sizeof(s->why_not));
	vote_all(e, rule, s->is_evaluated ? RS_VOTE_CLEAR : RS_VOTE_MISSING);
	if (s->is_evaluated)
		take_votes(e, &says);
}

/* Raising and clearing. */

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
	if (!e->states[t->rule].conf.is_enabled || (!t->f.is_stale && t->f.is_ending && is_clear))
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

/* Whether a finding of the rule it gives way to stands for the same device. */
static bool
is_outdone(const struct rs_engine *e, const struct rs_track *t)
{
	const char *const code = rule_of(e, t)->gives_way_to;

	for (size_t i = 0; code && i < e->tracks.n; i++) {
		const struct rs_track *const other = &e->tracks.at[i];
		if (other->is_active && strcmp(rule_of(e, other)->code, code) == 0 &&
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

	if (e->n_active + (is_single(rule_of(e, t)) ? 0 : RS_FINDINGS_KEPT) < RS_FINDINGS_MAX)
		return true;
	for (size_t i = 0; i < e->tracks.n; i++) {
		struct rs_track *const at = &e->tracks.at[i];
		if (at->is_active && !is_single(rule_of(e, at)) && at->f.severity < severity &&
		    (!least || at->f.severity < least->f.severity))
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
rs_engine_run(struct rs_engine *e, const struct rs_view *v, rs_finding_fn fn, void *arg)
{
	e->fn = fn;
	e->arg = arg;
	advance(e, v);
	follow_clock(e);
	rs_recent_add(e->recent, v);
	find_cause(e, v);
	for (size_t i = 0; i < e->n_rules; i++)
		ask(e, v, i);
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
	e->fn = NULL;
}

/* Answers. */

size_t
rs_engine_active(const struct rs_engine *e, const struct rs_finding **ret, size_t cap)
{
	return rs_tracks_active(&e->tracks, ret, cap);
}

const char *
rs_engine_not_evaluated(const struct rs_engine *e, size_t rule)
{
	const struct rule_state *const s = &e->states[rule];

	return s->is_evaluated ? NULL : s->why_not;
}

struct rs_group *
rs_engine_groups(struct rs_engine *e)
{
	return e->groups;
}

const struct rs_rule *
rs_engine_cause(const struct rs_engine *e)
{
	return e->has_cause ? e->rules[e->cause_rule] : NULL;
}

uint64_t
rs_engine_refused(const struct rs_engine *e)
{
	return e->refused;
}

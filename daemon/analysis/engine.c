/* SPDX-License-Identifier: ISC */
/*
 * From the view to votes: each tick the rules of causes are asked about the core
 * that leads, then every rule about everything, and what it says is noted. What
 * becomes of the votes is in episodes.c. All memory is taken at creation; pages of
 * it are touched as findings appear.
 */
#include "engine_state.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "recent.h"

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
	e->confs = calloc(e->n_rules + 1, sizeof(*e->confs));
	if (!e->states || !e->by_rank || !e->confs || rs_recent_new(&e->recent) < 0 ||
	    rs_causes_init(&e->causes, rules, e->n_rules) < 0) {
		rs_engine_free(e);
		return -ENOMEM;
	}
	e->next_id = first_id;
	for (size_t i = 0; i < e->n_rules; i++)
		rs_rule_conf_default(rules[i], &e->confs[i]);
	if (confs)
		rs_engine_configure(e, confs);
	sort_by_rank(e);
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
	free(e->confs);
	rs_causes_fini(&e->causes);
	rs_recent_free(e->recent);
	free(e);
}

void
rs_engine_configure(struct rs_engine *e, const struct rs_rule_conf *confs)
{
	for (size_t i = 0; i < e->n_rules; i++)
		e->confs[i] = confs[i];
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
	const struct rs_causes *const c = &out->engine->causes;

	return c->has_lead ? &c->lead : NULL;
}

const struct rs_cause *
rs_cause_in(const struct rs_says *out, bool *ret_is_mine)
{
	size_t rule;
	const struct rs_cause *const cause = rs_causes_found(&out->engine->causes, &rule);

	*ret_is_mine = cause && rule == out->rule;
	return cause;
}

const char *
rs_cause_lacks(const struct rs_says *out)
{
	return rs_causes_lacking(&out->engine->causes, out->rule);
}

void
rs_rule_out(struct rs_says *out)
{
	if (out->last)
		out->last->n_ruled_out =
		    rs_causes_ruled_out(&out->engine->causes, out->last->ruled_out);
}

/* A complaint that each of many interfaces has must not keep out what is said of
 * the machine. */
static bool
has_room_to_vote(const struct rs_engine *e, size_t rule)
{
	size_t free = RS_TRACKS_MAX;

	for (size_t i = 0; i < e->tracks.n; i++)
		free -= e->tracks.at[i].is_used;
	return free > (rs_rule_is_single(e->rules[rule]) ? 0 : RS_TRACKS_KEPT);
}

/* Nor one what is worse: the least of the many that are voted on makes room for it. */
static void
make_room(struct rs_engine *e, enum rs_severity severity)
{
	struct rs_track *least = NULL;

	for (size_t i = 0; i < e->tracks.n; i++) {
		struct rs_track *const t = &e->tracks.at[i];
		if (t->is_used && !t->is_active && !rs_rule_is_single(e->rules[t->rule]) &&
		    t->said < severity && (!least || t->said < least->said))
			least = t;
	}
	if (!least)
		return;
	rs_track_release(&e->tracks, least);
	e->refused++;
}

static struct rs_track *
find_or_add_track(
    struct rs_engine *e, size_t rule, const struct rs_subject *subject, enum rs_severity severity)
{
	const struct rs_track *const t = find_track(e, rule, subject);

	if (t)
		return &e->tracks.at[t - e->tracks.at];
	if (!has_room_to_vote(e, rule))
		make_room(e, severity);
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
		struct rs_track *const t =
		    find_or_add_track(e, says->rule, &said->words.subject, said->words.severity);
		if (!t) {
			e->refused++;
			continue;
		}
		*rs_vote_at(&t->votes, e->tick) = (struct rs_ballot){
		    .vote = said->condition == RS_COND_RAISE ? RS_VOTE_RAISE : RS_VOTE_BETWEEN,
		    .severity = (uint8_t)said->words.severity,
		};
		t->unclear_ns = e->now_ns;
		t->said = said->words.severity;
		rs_track_take_words(t, &said->words);
	}
	e->refused += says->refused;
}

static void
ask(struct rs_engine *e, const struct rs_view *v, size_t rule)
{
	struct rs_rule_state *const s = &e->states[rule];
	struct rs_says says = {.engine = e, .said = e->said};

	if (!e->confs[rule].is_enabled) {
		s->is_evaluated = false;
		(void)snprintf(s->why_not, sizeof(s->why_not), "switched off by configuration");
		vote_all(e, rule, RS_VOTE_MISSING);
		return;
	}
	rs_says_begin(&says, rule);
	e->rules[rule]->evaluate(v, e->confs[rule].thresholds, &says);
	s->is_evaluated = says.needs[0] == '\0';
	memcpy(s->why_not, says.needs, sizeof(s->why_not));
	vote_all(e, rule, s->is_evaluated ? RS_VOTE_CLEAR : RS_VOTE_MISSING);
	if (s->is_evaluated)
		take_votes(e, &says);
}

void
rs_engine_run(struct rs_engine *e, const struct rs_view *v, rs_finding_fn fn, void *arg)
{
	e->fn = fn;
	e->arg = arg;
	advance(e, v);
	follow_clock(e);
	rs_recent_add(e->recent, v);
	rs_causes_ask(&e->causes, v, e->confs);
	for (size_t i = 0; i < e->n_rules; i++)
		ask(e, v, i);
	rs_engine_decide(e);
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
	const struct rs_rule_state *const s = &e->states[rule];

	return s->is_evaluated ? NULL : s->why_not;
}

struct rs_group *
rs_engine_groups(struct rs_engine *e)
{
	return e->groups;
}

const struct rs_recent *
rs_engine_recent(const struct rs_engine *e)
{
	return e->recent;
}

uint64_t
rs_engine_refused(const struct rs_engine *e)
{
	return e->refused;
}

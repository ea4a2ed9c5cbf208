/* SPDX-License-Identifier: ISC */
/*
 * The interface of a rule: a pure function over the view of one tick. A rule
 * keeps no state, asks no clock, reads nothing but the view. The engine votes
 * over ticks, raises, clears and remembers. To add one: a file in rules/, its
 * name in rules/CMakeLists.txt, a scenario.
 */
#ifndef RS_RULE_H
#define RS_RULE_H

#include "finding.h"
#include "view.h"

/* What one sample says of one subject. */
enum rs_condition {
	RS_COND_CLEAR,	 /* the clear condition holds */
	RS_COND_BETWEEN, /* neither: between the raise and the clear threshold */
	RS_COND_RAISE	 /* the raise condition holds */
};

struct rs_says; /* collects what a rule says in one tick; engine's */

/* Ends behind a blank or comma, with "...", what snprintf could not put into dst
 * whole: nothing is cut in a word, or in a number, which would be another one.
 * wanted: what snprintf returned. All that is said below ends so where it is too long. */
void rs_cut(char *dst, size_t cap, int wanted);
/* The text, or as much of it. */
void rs_copy_cut(char *dst, size_t cap, const char *text);

/* The statements below attach to the last rs_say of this tick. A subject that
 * is not mentioned in a tick in which the rule was evaluated is clear. Severity
 * is voted like the condition and never falls while the finding stands; texts
 * are those of the last tick that was not clear. */
void rs_say(struct rs_says *out, const struct rs_subject *subject, enum rs_condition c,
    enum rs_severity s, enum rs_confidence f);
void rs_message(struct rs_says *out, const char *format, ...) RS_PRINTF(2, 3);
/* The value is rounded to what its unit supports; NAN: "not known". A
 * label is the same in every tick: what was measured is value and text. */
void rs_evidence(struct rs_says *out, const char *label, double value, enum rs_unit unit);
/* With what a number cannot say beside it. */
void rs_evidence_noted(struct rs_says *out, const char *label, double value, enum rs_unit unit,
    const char *format, ...) RS_PRINTF(5, 6);
void rs_evidence_text(struct rs_says *out, const char *label, const char *format, ...)
    RS_PRINTF(3, 4);
void rs_cause(struct rs_says *out, const char *format, ...) RS_PRINTF(2, 3);
void rs_advise(struct rs_says *out, const struct rs_advice *a);
/* The rule lacks an input: "not evaluated: needs ...". Nothing else counts then. */
void rs_needs(struct rs_says *out, const char *what);

/* The engine's memory, for severities that grow with time and for a subject
 * that stays while it can. */
/* How long the finding of this rule and subject has stood, 0 when it does not. */
rs_ns rs_standing_ns(const struct rs_says *out, const struct rs_subject *subject);
/* The core the finding of a rule with one subject stands at; -1: none stands. */
int32_t rs_standing_core(const struct rs_says *out);

/* What happened lately (recent.h); never NULL. */
struct rs_recent;
const struct rs_recent *rs_recent_of(const struct rs_says *out);
/* The core that leads (lead.h), NULL: none does. */
struct rs_lead;
const struct rs_lead *rs_lead_in(const struct rs_says *out);

/* Why a core leads, in the words of the rule that explains it. Where it does not,
 * the phrase is why not (cause.h: rs_not), what would have to be known to tell
 * (rs_not_known), or empty: this machine cannot have the cause. */
struct rs_cause {
	char phrase[160];
	enum rs_confidence confidence;
	bool is_unknown;
};
/* The cause found in this tick, NULL: none was. is_mine: by this rule, which then
 * says so; a rule of causes is silent otherwise. */
const struct rs_cause *rs_cause_in(const struct rs_says *out, bool *ret_is_mine);
/* What this rule lacked to tell whether it is the cause; NULL: nothing, or no core
 * leads. */
const char *rs_cause_lacks(const struct rs_says *out);
/* Attaches the causes that were asked and are not the one, each with its reason. */
void rs_rule_out(struct rs_says *out);

struct rs_threshold {
	const char *key; /* configuration key, without the rule's code */
	double value, min, max;
	enum rs_unit unit;
	const char *help;
};

enum rs_voting {
	/* Raised by 80 % of the samples of window_s, at least 5; cleared by 80 % of
	 * 15 seconds, at least 15 samples. */
	RS_VOTING_LEVEL,
	/* Counts of what should not happen: raised by 2 of the last 5 samples, cleared
	 * when 60 seconds passed in which every sample was clear. */
	RS_VOTING_COUNTER
};

struct rs_rule {
	const char *code;  /* "core.imbalance" */
	const char *title; /* for people */
	const char *help;  /* what it means, one or two sentences */
	enum rs_voting voting;
	unsigned window_s; /* of RS_VOTING_LEVEL, at most 30; 0: 5 seconds */
	/* The same for samples that say no more than INFO; 0: as window_s. A core that
	 * leads without being full is news after ten seconds only. */
	unsigned info_window_s;
	/* Findings of the rules with a rank replace each other: of those that could
	 * stand, the one with the highest rank does. 0: not in the group. */
	unsigned rank;
	/* The code of a rule that says more of the same device and core: while a finding
	 * of that one stands, this one's does not. NULL: none. */
	const char *gives_way_to;
	/* One finding whose subject follows the hottest core, instead of one for
	 * each subject named. */
	bool has_one_subject;
	const struct rs_threshold *thresholds; /* ends with a NULL key; may be NULL */
	void (*evaluate)(const struct rs_view *v, const double *thresholds, struct rs_says *out);
	/* Rules of causes: the place in the order in which they are asked to explain
	 * the core that leads, 1 first; 0: not a cause. The first that returns true is
	 * the cause of this tick, and the umbrella rules and the verdict use its
	 * phrase. Those that return false say why not, where it was read. Pure. */
	unsigned cause_order;
	bool (*explains)(const struct rs_lead *l, const double *thresholds, struct rs_cause *ret);
};

/* Begins the definition of rs_rule_NAME. */
#define RS_RULE(name)                                                                              \
	extern const struct rs_rule rs_rule_##name;                                                \
	const struct rs_rule rs_rule_##name

/* All rules in the order of rules/CMakeLists.txt; ends with NULL. Generated. */
extern const struct rs_rule *const rs_rules[];

#endif

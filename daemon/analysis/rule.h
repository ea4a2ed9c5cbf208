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
	RS_COND_CLEAR,   /* the clear condition holds */
	RS_COND_BETWEEN, /* neither: between the raise and the clear threshold */
	RS_COND_RAISE    /* the raise condition holds */
};

struct rs_says; /* collects what a rule says in one tick; engine's */

/* The statements below attach to the last rs_say of this tick. A subject that
 * is not mentioned in a tick in which the rule was evaluated is clear. */
void rs_say(struct rs_says *out, const struct rs_subject *subject, enum rs_condition c,
    enum rs_severity s, enum rs_confidence f);
void rs_message(struct rs_says *out, const char *format, ...) RS_PRINTF(2, 3);
void rs_evidence(struct rs_says *out, const char *label, double value, enum rs_unit unit);
void rs_evidence_text(struct rs_says *out, const char *label, const char *format, ...)
    RS_PRINTF(3, 4);
void rs_cause(struct rs_says *out, const char *format, ...) RS_PRINTF(2, 3);
void rs_advise(struct rs_says *out, const struct rs_advice *a);
/* The rule lacks an input: "not evaluated: needs ...". Nothing else counts then. */
void rs_needs(struct rs_says *out, const char *what);
/* How long the finding of this rule and subject has stood, 0 when it does not:
 * the engine's answer, for severities that grow with time. */
rs_ns rs_standing_ns(const struct rs_says *out, const struct rs_subject *subject);

enum rs_rule_type {
	RS_RULE_LEVEL,  /* votes: raise 4 of 5, clear 12 of 15 (1 s samples) */
	RS_RULE_COUNTER /* loss is bursty: raise on 2 of 5, clear after 60 s without */
};

struct rs_threshold {
	const char *key; /* configuration key, without the rule's code */
	double value, min, max;
	enum rs_unit unit;
	const char *help;
};

struct rs_rule {
	const char *code;  /* "core.imbalance" */
	const char *title; /* for people */
	const char *help;  /* what it means, one or two sentences */
	enum rs_rule_type type;
	/* Findings of one exclusive group replace each other: of those that could
	 * stand, the one with the highest rank does. 0: not in the group. */
	unsigned rank;
	/* The subject follows the hottest core instead of naming separate findings. */
	bool has_one_subject;
	const struct rs_threshold *thresholds; /* ends with a NULL key; may be NULL */
	void (*evaluate)(const struct rs_view *v, const double *thresholds, struct rs_says *out);
};

/* All rules in the order of rules/CMakeLists.txt; ends with NULL. Generated. */
extern const struct rs_rule *const rs_rules[];

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What one rule says in one tick, between rule and engine. Private to the
 * engine: rules see only the functions of rule.h.
 */
#ifndef RS_SAYS_H
#define RS_SAYS_H

#include "rule.h"

#define RS_SAYS_MAX 64u /* subjects of one rule in one tick; more are refused and counted */

struct rs_said {
	enum rs_condition condition;
	struct rs_finding words; /* subject, severity, confidence and texts; the rest is not set */
};

struct rs_engine;

struct rs_says {
	const struct rs_engine *engine;
	size_t rule;
	char needs[96];	      /* "": evaluated */
	struct rs_said *said; /* RS_SAYS_MAX; engine's */
	unsigned n, refused;
	struct rs_finding *last; /* what statements attach to; NULL: refused */
};

/* Forgets the rule before. */
void rs_says_begin(struct rs_says *s, size_t rule);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Who explains the core that leads: the rules of causes in their order, what each
 * of them answered in this tick, and which is the cause. Private to the engine.
 */
#ifndef RS_CAUSES_H
#define RS_CAUSES_H

#include "engine.h"
#include "lead.h"

struct rs_causes {
	const struct rs_rule *const *rules;
	size_t *order; /* numbers of the rules that explain, in their order; owned */
	size_t n;
	struct rs_cause *said; /* what each of them answered, in that order; owned */
	size_t found;	       /* the one that is the cause; n: none is */
	bool has_lead;
	struct rs_lead lead;
};

int rs_causes_init(struct rs_causes *c, const struct rs_rule *const *rules, size_t n_rules);
void rs_causes_fini(struct rs_causes *c);

/* Once a tick, before the rules are evaluated. confs: one per rule. */
void rs_causes_ask(struct rs_causes *c, const struct rs_view *v, const struct rs_rule_conf *confs);
/* The cause of this tick and the number of its rule; NULL: none was found. */
const struct rs_cause *rs_causes_found(const struct rs_causes *c, size_t *ret_rule);
/* What this rule lacked to tell; NULL: nothing. */
const char *rs_causes_lacking(const struct rs_causes *c, size_t rule);
/* Those that were asked and are not the cause; returns how many. */
uint32_t rs_causes_ruled_out(
    const struct rs_causes *c, struct rs_ruled_out ret[static RS_RULED_OUT_MAX]);

#endif

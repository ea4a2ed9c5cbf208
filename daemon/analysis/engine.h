/* SPDX-License-Identifier: ISC */
/*
 * Runs the rules each tick, votes, raises and clears findings. Loop thread.
 */
#ifndef RS_ENGINE_H
#define RS_ENGINE_H

#include "rule.h"

#define RS_FINDINGS_MAX 64  /* active at once; more are refused and counted */
#define RS_FINDINGS_KEPT 16 /* of them for what is said of the machine */
#define RS_THRESHOLDS_MAX 8

struct rs_engine;

/* What the configuration says of one rule; index as in rs_rules. */
struct rs_rule_conf {
	bool is_enabled;
	double thresholds[RS_THRESHOLDS_MAX];
};
/* The defaults of a rule. */
void rs_rule_conf_default(const struct rs_rule *r, struct rs_rule_conf *ret);

/* rules: NULL-terminated, rs_rules in the program, own ones in tests.
 * confs: one per rule, copied; NULL: defaults. first_id: the id of the first
 * finding raised. */
int rs_engine_new(const struct rs_rule *const *rules, const struct rs_rule_conf *confs,
    int64_t first_id, struct rs_engine **ret);
void rs_engine_free(struct rs_engine *e); /* NULL-safe */
void rs_engine_configure(struct rs_engine *e, const struct rs_rule_conf *confs);

enum rs_finding_event { RS_FINDING_RAISED, RS_FINDING_CHANGED, RS_FINDING_CLEARED };
/* Called for each event during rs_engine_run; CHANGED: severity, subject or
 * staleness changed, an episode was added, or the clock was set. */
typedef void (*rs_finding_fn)(void *arg, enum rs_finding_event ev, const struct rs_finding *f);

void rs_engine_run(struct rs_engine *e, const struct rs_view *v, rs_finding_fn fn, void *arg);
/* Active findings, most severe first, then newest; returns the count. Pointers
 * are valid until the next run. */
size_t rs_engine_active(const struct rs_engine *e, const struct rs_finding **ret, size_t cap);
/* Why rule i was not evaluated in the last run; NULL when it was. */
const char *rs_engine_not_evaluated(const struct rs_engine *e, size_t rule);
/* Room for RS_GROUPS_MAX, for the view of the tick: most of it is never touched. */
struct rs_group *rs_engine_groups(struct rs_engine *e);
/* What happened lately (recent.h), as of the last run. */
const struct rs_recent *rs_engine_recent(const struct rs_engine *e);
uint64_t rs_engine_refused(const struct rs_engine *e);
/* At shutdown nothing is cleared: what stands is told again after restart. */

#endif

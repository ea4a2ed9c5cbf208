/* SPDX-License-Identifier: ISC */
/*
 * Packet work saturates some cores while others idle. A core that only burns
 * in processes, timers or block I/O has no packet load and never starts this.
 */
#include <stdio.h>

#include "feed.h"
#include "umbrella.h"

enum { HOT, HOT_CLEAR, GAP, GAP_CLEAR, IDLE, IDLE_CLEAR };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is hot"},
    [HOT_CLEAR] = {"hot_clear", 0.80, 0.50, 1.0, RS_UNIT_RATIO, "It stays hot down to here"},
    [GAP] = {"gap", 0.60, 0.0, 1.0, RS_UNIT_RATIO,
	"Mean packet load of the hot cores above that of the others"},
    [GAP_CLEAR] = {"gap_clear", 0.45, 0.0, 1.0, RS_UNIT_RATIO, "The gap below which it clears"},
    [IDLE] = {"idle", 0.5, 0.0, 64.0, RS_UNIT_CORES, "Idle time of the other cores, in cores"},
    [IDLE_CLEAR] = {"idle_clear", 0.3, 0.0, 64.0, RS_UNIT_CORES,
	"The idle time below which it clears"},
    {0},
};

static void
tell_message(const struct rs_scene *s, const struct rs_shape *shape, const struct rs_group *g,
    double hot, struct rs_says *out)
{
	char by[96], names[48];

	rs_feed_phrase(s->v, g->cpu, by, sizeof(by));
	rs_scene_hot_names(s, hot, names, sizeof(names));
	if (shape->n_hot <= 1)
		rs_message(out, "core %u saturated by %s", g->cpu, by);
	else
		rs_message(out, "cores %s saturated, core %u by %s", names, g->cpu, by);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_scene s;
	struct rs_shape raise, hold;

	if (!rs_scene_begin(v, out, &s))
		return;
	rs_shape_of(s.groups, s.n, t[HOT], &raise);
	rs_shape_of(s.groups, s.n, t[HOT_CLEAR], &hold);
	const bool raises = rs_shape_is_imbalanced(&raise, t[GAP], t[IDLE]);
	const bool holds = rs_shape_is_imbalanced(&hold, t[GAP_CLEAR], t[IDLE_CLEAR]);
	if (!raises && !holds)
		return;
	const double hot = raises ? t[HOT] : t[HOT_CLEAR];
	const struct rs_group *const g = rs_scene_hottest(&s, out, t[HOT_CLEAR]);
	const struct rs_subject subject = rs_core_subject(g->cpu);
	rs_say(out, &subject, rs_condition_of(raises, holds),
	    rs_scene_severity(&s, out, &subject, hot),
	    rs_scene_confidence(&s, g, rs_hot_margin(g, t[HOT]), RS_MEDIUM));
	tell_message(&s, raises ? &raise : &hold, g, hot, out);
	rs_scene_cause(&s, g, out);
	rs_evidence_loads(out, &s, raises ? &raise : &hold, hot);
	rs_evidence_core(out, &s, g);
	rs_evidence_method(out, &s, g);
}

RS_RULE(core_imbalance) = {
    .code = "core.imbalance",
    .title = "Packet work saturates some cores while others idle",
    .help = "The router's limit is the hot core, not the machine: the same work spread over the "
	    "other cores would fit.",
    .rank = 4,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * A hot core that is neither far ahead of idle ones nor part of a full box.
 * Both of those have a higher rank, so this one only has to see that a core is
 * hot. It carries no advice about steering.
 */
#include <math.h>
#include <stdio.h>

#include "umbrella.h"

enum { HOT, HOT_CLEAR };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is hot"},
    [HOT_CLEAR] = {"hot_clear", 0.80, 0.50, 1.0, RS_UNIT_RATIO, "It stays hot down to here"},
    {0},
};

static double
cold_mean_busy(const struct rs_shape *shape)
{
	return 1.0 - shape->slack / (double)(shape->n - shape->n_hot);
}

static void
tell_message(const struct rs_scene *s, const struct rs_shape *shape, const struct rs_group *g,
    double hot, struct rs_says *out)
{
	char names[40], who[64];

	rs_scene_hot_names(s, hot, names, sizeof(names));
	if (shape->n_hot > 1)
		(void)snprintf(who, sizeof(who), "cores %s at their limit", names);
	else
		(void)snprintf(who, sizeof(who), "core %u at its limit", g->cpu);
	if (shape->n_hot == shape->n) {
		rs_message(out, "%s", who);
		return;
	}
	const long load = lround(shape->cold_mean * 100.0);
	const long busy = lround(cold_mean_busy(shape) * 100.0);
	if (busy - load < 10)
		rs_message(out, "%s, the others at %ld %%", who, load);
	else
		rs_message(
		    out, "%s, the others at %ld %% packet load and %ld %% busy", who, load, busy);
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
	if (s.n == 1 || hold.n_hot + raise.n_hot == 0)
		return;
	const bool raises = raise.n_hot > 0;
	const double hot = raises ? t[HOT] : t[HOT_CLEAR];
	const struct rs_group *const g = rs_scene_hottest(&s, out, t[HOT_CLEAR]);
	const struct rs_subject subject = rs_core_subject(g->cpu);
	rs_say(out, &subject, rs_condition_of(raises, true),
	    rs_scene_severity(&s, out, &subject, hot),
	    rs_scene_confidence(&s, g, rs_hot_margin(g, t[HOT]), RS_MEDIUM));
	tell_message(&s, raises ? &raise : &hold, g, hot, out);
	rs_evidence_loads(out, &s, raises ? &raise : &hold, hot);
	rs_evidence_core(out, &s, g);
	rs_evidence_method(out, &s, g);
}

RS_RULE(core_at_limit) = {
    .code = "core.at_limit",
    .title = "A core is at its limit, the others are not far behind",
    .help = "Packet work saturates a core, but the others have too little room for spreading to "
	    "gain much.",
    .rank = 2,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

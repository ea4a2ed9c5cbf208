/* SPDX-License-Identifier: ISC */
/*
 * The CPU as a whole is the limit: a core is saturated with packet work and
 * there is nowhere to move it. Of a single core it is all that can be said.
 * Processes alone never start it: without packet work no core is hot.
 */
#include <math.h>
#include <stdio.h>

#include "feed.h"
#include "umbrella.h"
#include "verdict.h"

enum { HOT, HOT_CLEAR, BUSY, BUSY_CLEAR };

static const struct rs_threshold thresholds[] = {
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is hot"},
    [HOT_CLEAR] = {"hot_clear", 0.80, 0.50, 1.0, RS_UNIT_RATIO, "It stays hot down to here"},
    [BUSY] = {"busy", 0.85, 0.0, 1.0, RS_UNIT_RATIO, "Mean busy share of all cores"},
    [BUSY_CLEAR] = {"busy_clear", 0.75, 0.0, 1.0, RS_UNIT_RATIO, "The share below which it clears"},
    {0},
};

static void
tell_message(const struct rs_scene *s, const struct rs_shape *shape, const struct rs_group *g,
    struct rs_says *out)
{
	char by[96], rate[24], at[40] = "";
	const double pps = fmax(s->v->rx_pps, s->v->tx_pps);

	/* The packets may be those of another network namespace. */
	if (pps >= RS_NETWORK_WORK_PS) {
		rs_format_pps(pps, rate);
		(void)snprintf(at, sizeof(at), " at %s", rate);
	}
	rs_feed_phrase(s->v, g->cpu, by, sizeof(by));
	if (shape->n == 1)
		rs_message(out, "the single core is saturated%s by %s", at, by);
	else if (shape->n_hot == shape->n && shape->n == 2)
		rs_message(out, "both cores saturated%s", at);
	else if (shape->n_hot == shape->n)
		rs_message(out, "all %zu cores saturated%s", shape->n, at);
	else
		rs_message(out, "the CPU is the limit%s: %zu cores %ld %% busy, core %u saturated",
		    at, shape->n, lround(shape->mean_busy * 100.0), g->cpu);
}

/* Whether processes rather than packets fill the cores that are not hot. */
static bool
is_shared_with_processes(const struct rs_shape *shape)
{
	const double n_cold = (double)(shape->n - shape->n_hot);

	return n_cold > 0.0 && shape->cold_mean * n_cold < 0.5 * (n_cold - shape->slack);
}

static void
tell_cost(const struct rs_view *v, struct rs_says *out)
{
	const double pps = fmax(v->rx_pps, v->tx_pps);
	double sum = 0.0;
	char cost[24] = "not known";

	for (size_t i = 0; i < v->n_cores; i++)
		sum += v->cores[i].is_eligible ? v->cores[i].packet_load : 0.0;
	rs_evidence(out, "packets", pps, RS_UNIT_PPS);
	/* The work may be for packets of another network namespace. */
	if (pps >= RS_NETWORK_WORK_PS)
		rs_format_time(sum / pps, cost);
	rs_evidence_text(out, "CPU time per packet", "%s", cost);
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
	/* Where it is an imbalance too, that rule's rank decides. */
	const bool raises = rs_shape_is_saturated(&raise, t[BUSY]);
	const bool holds = rs_shape_is_saturated(&hold, t[BUSY_CLEAR]);
	if (!raises && !holds)
		return;
	const double hot = raises ? t[HOT] : t[HOT_CLEAR];
	const struct rs_shape *const shape = raises ? &raise : &hold;
	const struct rs_group *const g = rs_scene_hottest(&s, out, t[HOT_CLEAR]);
	const bool is_shared = is_shared_with_processes(shape);
	rs_say(out, &rs_subject_host, rs_condition_of(raises, holds),
	    rs_scene_severity(&s, out, &rs_subject_host, hot),
	    rs_scene_confidence(&s, g, rs_hot_margin(g, t[HOT]), is_shared ? RS_MEDIUM : RS_HIGH));
	tell_message(&s, shape, g, out);
	if (is_shared)
		rs_cause(out, "processes take most of the time on the other cores");
	else
		rs_cause(out, "not enough CPU for this packet rate and these features");
	rs_evidence_split(out, v);
	rs_evidence(out, "busy, mean of all cores", shape->mean_busy, RS_UNIT_RATIO);
	tell_cost(v, out);
	rs_evidence_core(out, &s, g);
	rs_evidence_method(out, &s, g);
}

RS_RULE(core_saturated_all) = {
    .code = "core.saturated_all",
    .title = "The CPU as a whole is the limit",
    .help = "Packet work saturates a core and the others have no room to take any of it: only "
	    "less work per packet or more CPU helps.",
    .rank = 3,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

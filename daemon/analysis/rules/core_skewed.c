/* SPDX-License-Identifier: ISC */
/*
 * One core carries nearly all packet work but still has room: nothing is lost,
 * but the ceiling is that core. A core that is hot as well has a finding of a
 * higher rank. Transfers shorter than ten seconds are no news.
 */
#include <math.h>
#include <stdio.h>

#include "headroom.h"
#include "recent.h"
#include "umbrella.h"
#include "verdict.h"

enum { LOAD, LOAD_CLEAR, GAP, GAP_CLEAR };

static const struct rs_threshold thresholds[] = {
    [LOAD] = {"load", 0.50, 0.0, 1.0, RS_UNIT_RATIO, "Packet load of the core ahead"},
    [LOAD_CLEAR] = {"load_clear", 0.40, 0.0, 1.0, RS_UNIT_RATIO, "The load below which it clears"},
    [GAP] = {"gap", 0.60, 0.0, 1.0, RS_UNIT_RATIO,
	"Its packet load above the mean of the other cores"},
    [GAP_CLEAR] = {"gap_clear", 0.45, 0.0, 1.0, RS_UNIT_RATIO, "The gap below which it clears"},
    {0},
};

static void
tell_message(const struct rs_scene *s, const struct rs_shape *shape, const struct rs_group *g,
    struct rs_says *out)
{
	const struct rs_line *const line = rs_recent_line(rs_recent_of(out));
	struct rs_headroom room;
	char ceiling[24];
	const long share = lround(g->packet_load / shape->sum * 100.0);

	rs_headroom_of(s->v, s->groups, s->n, line, &room);
	if (room.how == RS_NO_NUMBER) {
		rs_message(out, "core %u does %ld %% of the packet work", g->cpu, share);
		return;
	}
	rs_format_bps(rs_round_2(fmin(room.ceiling_bps, room.link_bps)), ceiling);
	rs_message(out,
	    "core %u does %ld %% of the packet work; at the present mix this router tops out near "
	    "%s%s",
	    g->cpu, share, ceiling, room.link_bps < room.ceiling_bps ? " (the link)" : "");
	if (room.how == RS_BY_HISTORY)
		rs_evidence_noted(out, "ceiling of that core", rs_round_2(room.ceiling_bps),
		    RS_UNIT_BPS, "high confidence: on the line of %u minutes of the last hour",
		    line->minutes);
	else
		rs_evidence_noted(out, "ceiling of that core", rs_round_2(room.ceiling_bps),
		    RS_UNIT_BPS, "%s confidence: from the present second alone",
		    room.how == RS_ABOUT ? "medium" : "low");
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct rs_scene s;
	struct rs_shape shape;

	if (!rs_scene_begin(v, out, &s))
		return;
	const enum rs_flow flow = rs_load_flow(v);
	if (flow == RS_FLOW_UNKNOWN) {
		rs_needs(out, "interface counters");
		return;
	}
	rs_shape_of(s.groups, s.n, 1.0, &shape);
	const bool raises = rs_shape_is_skewed(&shape, t[LOAD], t[GAP]);
	const bool holds = rs_shape_is_skewed(&shape, t[LOAD_CLEAR], t[GAP_CLEAR]);
	if (flow == RS_FLOW_NONE || (!raises && !holds))
		return;
	const struct rs_group *const g = rs_scene_hottest(&s, NULL, 1.0);
	const struct rs_subject subject = rs_core_subject(g->cpu);
	rs_say(out, &subject, rs_condition_of(raises, holds), RS_INFO,
	    rs_scene_confidence(&s, g, shape.lead - t[GAP], RS_MEDIUM));
	tell_message(&s, &shape, g, out);
	rs_scene_cause(&s, g, out);
	rs_evidence_loads(out, &s, &shape, 1.0);
	rs_evidence_core(out, &s, g);
	rs_evidence_method(out, &s, g);
}

RS_RULE(core_skewed) = {
    .code = "core.skewed",
    .title = "One core carries nearly all packet work but still has room",
    .help = "The router's ceiling is that core; the others hardly take part.",
    .window_s = 12, /* 80 % of it: nothing younger than 10 s */
    .rank = 1,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

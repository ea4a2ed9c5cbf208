/* SPDX-License-Identifier: ISC */
/*
 * What the umbrella rules share: the groups of this tick, the core to name,
 * severity, confidence, cause and evidence. These rules say what limits and
 * carry no advice; the rules of causes do. Used by rules/core_*.c.
 */
#ifndef RS_UMBRELLA_H
#define RS_UMBRELLA_H

#include "rule.h"
#include "shape.h"

struct rs_scene {
	const struct rs_view *v;
	const struct rs_group *groups; /* the view's */
	size_t n;
	struct rs_group named; /* by rs_scene_hottest */
};

/* False when the rule cannot judge this tick; rs_needs was said then. */
bool rs_scene_begin(const struct rs_view *v, struct rs_says *out, struct rs_scene *ret);

/* The group to name: that of the standing finding while it is hot at hot_clear,
 * else (or with out NULL) the one with the highest P. Its `cpu` is the core to
 * name. */
const struct rs_group *rs_scene_hottest(
    struct rs_scene *s, const struct rs_says *out, double hot_clear);

/* The core that stands for a group: its hottest, or the one to name. */
unsigned rs_scene_cpu(const struct rs_scene *s, const struct rs_group *g);

struct rs_subject rs_core_subject(unsigned cpu);

/* From the raise and the hold condition. */
enum rs_condition rs_condition_of(bool raises, bool holds);

/* WARN; CRIT with loss of 0.1 % at a hot core, or after 60 s of standing with
 * the link known to be below 90 %. INFO while a link is full: that is the limit. */
enum rs_severity rs_scene_severity(const struct rs_scene *s, const struct rs_says *out,
    const struct rs_subject *subject, double hot);

/* How far the load of a hot group is from the threshold it passed. */
double rs_hot_margin(const struct rs_group *g, double hot);
/* `best` unless something makes the measurement itself doubtful: a margin
 * within three standard errors, steal, a counter missing. */
enum rs_confidence rs_scene_confidence(
    const struct rs_scene *s, const struct rs_group *g, double margin, enum rs_confidence best);

/* What may pile the packets on this core, as far as this tick tells; nothing
 * where their source was not read. */
void rs_scene_cause(const struct rs_scene *s, const struct rs_group *g, struct rs_says *out);

/* The names of the hot groups' hottest cores: "0-1,3". */
void rs_scene_hot_names(const struct rs_scene *s, double hot, char *dst, size_t cap);

/* Evidence, in the order of reading: loads of the hottest groups and the sums
 * over them; the named core's packets and sources; how it was measured. */
void rs_evidence_loads(
    struct rs_says *out, const struct rs_scene *s, const struct rs_shape *shape, double hot);
void rs_evidence_core(struct rs_says *out, const struct rs_scene *s, const struct rs_group *g);
/* The threads that do packet work on the core, and the busiest process there. */
void rs_evidence_threads(struct rs_says *out, const struct rs_view *v, unsigned cpu);
void rs_evidence_method(struct rs_says *out, const struct rs_scene *s, const struct rs_group *g);
/* Loads of single cores, split by kind of work; at most eight. */
void rs_evidence_split(struct rs_says *out, const struct rs_view *v);

#endif

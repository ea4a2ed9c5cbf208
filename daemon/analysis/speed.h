/* SPDX-License-Identifier: ISC */
/*
 * How fast the cores are allowed to be: clock, heat, and whether the machine is one
 * of its own. Used by the rules about the processor. Pure.
 */
#ifndef RS_SPEED_H
#define RS_SPEED_H

#include "view.h"

/* The clock of a core as a part of its maximum; NAN: not known. */
double rs_clock_share(const struct rs_core_view *c);

/* From which temperature the processor is slowed down; NAN: not known. */
double rs_passive_trip(const struct rs_view *v);
/* Within 5 K of it, or beyond. */
bool rs_is_near_trip(const struct rs_view *v);
/* The same, or a core counts that heat slowed it down. */
bool rs_is_slowed_by_heat(const struct rs_view *v);

/* Whether the machine is known to be one of its own; known to be a guest. */
bool rs_is_bare(const struct rs_view *v);
bool rs_is_guest(const struct rs_view *v);

/* The value of a setting that all cores have alike; NULL: not known of one, or they
 * differ. */
const char *rs_core_setting(const struct rs_view *v, enum rs_fact_id id);

#endif

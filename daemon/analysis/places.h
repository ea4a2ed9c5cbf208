/* SPDX-License-Identifier: ISC */
/*
 * Which cores work may be given to in advice: those that take part, of the
 * memory node of the interface, one for each physical core. Pure.
 */
#ifndef RS_PLACES_H
#define RS_PLACES_H

#include "cpuset.h"
#include "view.h"

/* As many cores as an advice may name. */
#define RS_PLACES_MAX 64u

/* The memory node a core or an interface is at; -1: not known, or there is one
 * only. */
int rs_node_of_core(const struct rs_view *v, unsigned cpu);
int rs_node_of_nic(const struct rs_view *v, uint32_t ifindex);
/* The cores of the node of the interface; false: not known. */
bool rs_node_cores(const struct rs_view *v, uint32_t ifindex, struct rs_cpuset *ret);

/* The cores that take part, of the interface's node where it has two or more
 * physical cores that do; ifindex 0: of all nodes. */
void rs_place_cores(const struct rs_view *v, uint32_t ifindex, struct rs_cpuset *ret);
/* Takes a core and its siblings out: a sibling brings nothing for packet work. */
void rs_place_without(const struct rs_view *v, unsigned cpu, struct rs_cpuset *s);
/* The physical core a core is of; NULL: it does not take part. */
const struct rs_group *rs_place_group(const struct rs_view *v, unsigned cpu);
/* One core for each physical core with one in the set, in their order; returns
 * how many, at most RS_PLACES_MAX. */
size_t rs_place_list(
    const struct rs_view *v, const struct rs_cpuset *s, unsigned ret[static RS_PLACES_MAX]);
/* The one of them with the least work; -1: the set is empty. */
int rs_place_coldest(const struct rs_view *v, const struct rs_cpuset *s);

/* The list of online cores, or the words that make it where it is too long. */
void rs_place_online(const struct rs_view *v, char *dst, size_t cap);

#endif

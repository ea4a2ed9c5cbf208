/* SPDX-License-Identifier: ISC */
/*
 * Memory nodes are one setting, "0:0-7 1:8-15": it is there where there are
 * several.
 */
#include "places.h"

#include <stdio.h>
#include <string.h>

#include "load.h"
#include "masks.h"

/* The next node of the setting and the list of its cores. */
static bool
take_node(struct rs_text *t, uint64_t *ret_node, struct rs_text *ret_cores)
{
	struct rs_text word;

	if (!rs_text_word(t, &word) || !rs_text_u64(&word, ret_node) || !rs_text_skip(&word, ":"))
		return false;
	*ret_cores = word;
	return true;
}

static struct rs_text
nodes_of(const struct rs_view *v)
{
	const char *const nodes = rs_view_fact(v, RS_F_NUMA_NODES, 0, RS_NO_QUEUE);

	return rs_text_of(nodes ? nodes : "");
}

int
rs_node_of_core(const struct rs_view *v, unsigned cpu)
{
	struct rs_text t = nodes_of(v), cores;
	uint64_t node;

	while (take_node(&t, &node, &cores)) {
		/* What follows the list is a blank, which ends it. */
		if (rs_mask_has(cores.p, cpu))
			return (int)node;
	}
	return -1;
}

int
rs_node_of_nic(const struct rs_view *v, uint32_t ifindex)
{
	const char *const value = rs_view_fact(v, RS_F_NUMA_NODE, ifindex, RS_NO_QUEUE);
	struct rs_text nodes = nodes_of(v), t = rs_text_of(value ? value : "");
	uint64_t node;

	return nodes.p != nodes.end && rs_text_u64(&t, &node) && node <= UINT16_MAX ? (int)node
										    : -1;
}

bool
rs_node_cores(const struct rs_view *v, uint32_t ifindex, struct rs_cpuset *ret)
{
	const int wanted = rs_node_of_nic(v, ifindex);
	struct rs_text t = nodes_of(v), cores;
	uint64_t node;

	while (wanted >= 0 && take_node(&t, &node, &cores)) {
		if (node == (uint64_t)wanted)
			return rs_cpuset_parse_list(cores, ret) == 0;
	}
	return false;
}

static size_t
count_groups(const struct rs_view *v, const struct rs_cpuset *s)
{
	unsigned cpus[RS_PLACES_MAX];

	return rs_place_list(v, s, cpus);
}

void
rs_place_cores(const struct rs_view *v, uint32_t ifindex, struct rs_cpuset *ret)
{
	struct rs_cpuset node, near;

	rs_cpuset_zero(ret);
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].is_eligible)
			rs_cpuset_add(ret, v->cores[i].cpu);
	}
	if (ifindex == 0 || !rs_node_cores(v, ifindex, &node))
		return;
	near = *ret;
	for (size_t i = 0; i < RS_ARRAY_LEN(near.word); i++)
		near.word[i] &= node.word[i];
	if (count_groups(v, &near) >= 2)
		*ret = near;
}

void
rs_place_without(const struct rs_view *v, unsigned cpu, struct rs_cpuset *s)
{
	const struct rs_core_view *const core = rs_view_core(v, cpu);

	rs_cpuset_remove(s, cpu);
	for (size_t i = 0; core && i < v->n_cores; i++) {
		if (v->cores[i].group == core->group)
			rs_cpuset_remove(s, v->cores[i].cpu);
	}
}

/* The first of the siblings that is in the set: the same in each tick. */
static int
core_of_group(const struct rs_view *v, const struct rs_group *g, const struct rs_cpuset *s)
{
	if (rs_cpuset_has(s, g->first))
		return (int)g->first;
	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		if (RS_MIN(c->group, c->cpu) == g->first && rs_cpuset_has(s, c->cpu))
			return (int)c->cpu;
	}
	return -1;
}

const struct rs_group *
rs_place_group(const struct rs_view *v, unsigned cpu)
{
	const struct rs_core_view *const c = rs_view_core(v, cpu);

	for (size_t i = 0; c && i < rs_load_groups(v); i++) {
		if (v->groups[i].first == RS_MIN(c->group, c->cpu))
			return &v->groups[i];
	}
	return NULL;
}

size_t
rs_place_list(
    const struct rs_view *v, const struct rs_cpuset *s, unsigned ret[static RS_PLACES_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < rs_load_groups(v) && n < RS_PLACES_MAX; i++) {
		const int cpu = core_of_group(v, &v->groups[i], s);
		if (cpu >= 0)
			ret[n++] = (unsigned)cpu;
	}
	return n;
}

int
rs_place_coldest(const struct rs_view *v, const struct rs_cpuset *s)
{
	const struct rs_group *best = NULL;
	int best_cpu = -1;

	for (size_t i = 0; i < rs_load_groups(v); i++) {
		const struct rs_group *const g = &v->groups[i];
		if (best && g->busy >= best->busy)
			continue;
		const int cpu = core_of_group(v, g, s);
		if (cpu < 0)
			continue;
		best = g;
		best_cpu = cpu;
	}
	return best_cpu;
}

void
rs_place_online(const struct rs_view *v, char *dst, size_t cap)
{
	struct rs_cpuset online;

	rs_cpuset_zero(&online);
	for (size_t i = 0; i < v->n_cores; i++) {
		if (v->cores[i].is_online)
			rs_cpuset_add(&online, v->cores[i].cpu);
	}
	if (!rs_mask_list(&online, dst, cap))
		(void)snprintf(dst, cap, "$(cat /sys/devices/system/cpu/online)");
}

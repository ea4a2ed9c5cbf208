/* SPDX-License-Identifier: ISC */
/*
 * The advice to put interrupt lines on other cores: one command that writes
 * smp_affinity_list of each, and the one that writes back what was read before.
 * Used by the rules about interrupts. Pure.
 */
#ifndef RS_MOVES_H
#define RS_MOVES_H

#include "rule.h"

#define RS_MOVES_MAX 40u

struct rs_moves {
	const struct rs_view *v;
	unsigned n;
	struct {
		const char *irq;
		const char *mask; /* as it is now; NULL: not known */
		unsigned cpu;
	} at[RS_MOVES_MAX];
	/* Of the lines so far, each with the byte that parts it from the next. */
	struct rs_moves_size {
		size_t names, cpus, masks;
		bool is_same, has_unknown; /* their masks */
	} size;
	struct rs_advice advice;
};

void rs_moves_begin(struct rs_moves *m, const struct rs_view *v);
/* False: the command has no room for it. */
bool rs_moves_add(struct rs_moves *m, const struct rs_irq_view *line, unsigned cpu);
/* Gives the advice; no line, no advice. */
void rs_moves_advise(struct rs_moves *m, struct rs_says *out);

/* The device's busy queue lines go to the places one after the other, rx and tx
 * of a queue together, beginning at the place `offset`. min_rate_ps: lines below
 * stay where they are. Returns how many had room. */
unsigned rs_moves_spread(struct rs_moves *m, uint32_t ifindex, double min_rate_ps,
    const unsigned *places, size_t n_places, size_t offset);

/* What is allowed for the line; NULL: not known. */
const char *rs_line_affinity(const struct rs_view *v, const struct rs_irq_view *line);
const char *rs_line_effective(const struct rs_view *v, const struct rs_irq_view *line);

#endif

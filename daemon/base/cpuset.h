/* SPDX-License-Identifier: ISC */
/*
 * A set of logical CPU numbers, and the kernel's two spellings of it: the list
 * ("0-3,8") and the mask ("ff,00000001").
 */
#ifndef RS_CPUSET_H
#define RS_CPUSET_H

#include <stdbool.h>

#include "text.h"

/* CONFIG_NR_CPUS tops out at 8192 on x86 (arch/x86/Kconfig). */
#define RS_CPU_MAX 8192u

struct rs_cpuset {
	uint64_t word[RS_CPU_MAX / 64];
};

void rs_cpuset_zero(struct rs_cpuset *s);
void rs_cpuset_add(struct rs_cpuset *s, unsigned cpu); /* out of range: ignored */
void rs_cpuset_remove(struct rs_cpuset *s, unsigned cpu);
bool rs_cpuset_has(const struct rs_cpuset *s, unsigned cpu);
unsigned rs_cpuset_count(const struct rs_cpuset *s);
/* The first member >= from, or RS_CPU_MAX. */
unsigned rs_cpuset_next(const struct rs_cpuset *s, unsigned from);
/* A list; empty text is the empty set. -EINVAL, -ERANGE (number too high). */
int rs_cpuset_parse_list(struct rs_text t, struct rs_cpuset *ret);
/* A comma-grouped hexadecimal mask. -EINVAL, -ERANGE. */
int rs_cpuset_parse_mask(struct rs_text t, struct rs_cpuset *ret);
/* Writes the list form, NUL-terminated, cut with "..." when cap is short. */
void rs_cpuset_format(const struct rs_cpuset *s, char *dst, size_t cap);

#endif

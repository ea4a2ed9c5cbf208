/* SPDX-License-Identifier: ISC */
/*
 * The memory of screens.
 */
#include "import/screen.h"

#include <math.h>
#include <stdlib.h>

#include "cpuset.h"

struct rs_screen_core
rs_screen_unknown(int32_t cpu)
{
	return (struct rs_screen_core){
	    .cpu = cpu,
	    .user = NAN,
	    .nice = NAN,
	    .system = NAN,
	    .idle = NAN,
	    .iowait = NAN,
	    .irq = NAN,
	    .softirq = NAN,
	    .steal = NAN,
	    .busy = NAN,
	    .clock_hz = NAN,
	    .nominal_hz = NAN,
	    .interrupts_ps = NAN,
	};
}

struct rs_screen *
rs_screens_add(struct rs_screens *s)
{
	return rs_list_add(&s->at, &s->n, &s->cap, sizeof(*s->at), RS_SCREENS_MAX);
}

struct rs_screen_core *
rs_screen_add_core(struct rs_screen *s, int32_t cpu)
{
	struct rs_screen_core *c = &s->all;

	if (cpu != RS_SCREEN_ALL) {
		c = rs_list_add(
		    &s->cores, &s->n_cores, &s->cap_cores, sizeof(*s->cores), RS_CPU_MAX);
		rs_cpuset_add(&s->cpus, (unsigned)cpu);
	}
	if (c != NULL)
		*c = rs_screen_unknown(cpu);
	return c;
}

bool
rs_screen_has(const struct rs_screen *s, int32_t cpu)
{
	return cpu == RS_SCREEN_ALL ? s->all.cpu == RS_SCREEN_ALL
				    : rs_cpuset_has(&s->cpus, (unsigned)cpu);
}

void
rs_screens_free(struct rs_screens *s)
{
	for (size_t i = 0; i < s->n; i++) {
		free(s->at[i].cores);
		free(s->at[i].threads);
	}
	free(s->at);
	*s = (struct rs_screens){0};
}

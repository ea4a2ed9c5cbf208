/* SPDX-License-Identifier: ISC */
/*
 * Commands against an uneven spread.
 */
#include <stdio.h>
#include <string.h>

#include "totals_case.h"

enum { DEVICES_ADVISED = 2 };

/* And not the address of a device, or a driver's name. */
static bool
is_interface(const char *name)
{
	return strpbrk(name, ":./") == NULL && strlen(name) <= 15;
}

/* The mask of all cores but one, as rps_cpus wants it; false: too many cores. */
static bool
format_mask(const struct rs_total_case *s, size_t except, char *dst, size_t cap)
{
	uint64_t mask = 0;

	for (size_t i = 0; i < s->t->n_cores; i++) {
		if (s->t->cores[i].cpu >= 32)
			return false;
		if (i != except && !s->t->cores[i].is_isolated)
			mask |= UINT64_C(1) << s->t->cores[i].cpu;
	}
	(void)snprintf(dst, cap, "%llx", (unsigned long long)mask);
	return mask != 0;
}

void
rs_total_advise_rps(
    const struct rs_total_case *s, uint32_t device, size_t core, struct rs_says *out)
{
	const char *const name = s->t->devices[device].name;
	struct rs_advice a = {
	    .expect = "softirq time appears on the other cores when there are several flows; "
		      "measure, as it costs an interrupt between cores for each batch"};
	char mask[24];

	/* Only an interface has such a file. */
	if (!is_interface(name) || !format_mask(s, core, mask, sizeof(mask)))
		return;
	(void)snprintf(a.command, sizeof(a.command),
	    "echo %s > /sys/class/net/%.32s/queues/rx-0/rps_cpus", mask, name);
	(void)snprintf(
	    a.undo, sizeof(a.undo), "echo 0 > /sys/class/net/%.32s/queues/rx-0/rps_cpus", name);
	rs_advise(out, &a);
}

static const char write_each[] = "; do echo ${p#*:} > /proc/irq/${p%:*}/smp_affinity_list; done";
/* What was set is not in the capture. */
static const char write_all[] =
    "; do echo 0-%u > /proc/irq/$q/smp_affinity_list; done # the default";

/* "30:0" to the command and "30" to what undoes it; false: no room. */
static bool
add_pair(struct rs_advice *a, const char *irq, unsigned cpu)
{
	const size_t len = strlen(a->command), undo = strlen(a->undo);
	char pair[40];

	(void)snprintf(pair, sizeof(pair), " %s:%u", irq, cpu);
	if (len + strlen(pair) + sizeof(write_each) > sizeof(a->command) ||
	    undo + strlen(irq) + sizeof(write_all) + 12 > sizeof(a->undo))
		return false;
	memcpy(a->command + len, pair, strlen(pair) + 1);
	(void)snprintf(a->undo + undo, sizeof(a->undo) - undo, " %s", irq);
	return true;
}

/* All lines of a queue go to one core. */
static bool
add_unit(
    const struct rs_total_case *s, const struct rs_queue_unit *u, unsigned cpu, struct rs_advice *a)
{
	for (uint32_t i = u->line; i < s->t->n_lines; i++) {
		const struct rs_total_line *const l = &s->t->lines[i];
		bool is_mine = i == u->line;
		for (uint32_t k = 0; k < l->n_feeds && u->queue >= 0; k++) {
			const struct rs_total_feed *const f = &s->t->feeds[l->first_feed + k];
			is_mine |= f->device == u->device && f->queue == u->queue;
		}
		if (is_mine && l->total > 0.0 && !add_pair(a, l->irq, cpu))
			return false;
	}
	return true;
}

/* The core behind this one that is free for packets, in a circle. */
static size_t
next_core(const struct rs_totals *t, size_t at)
{
	for (size_t i = 1; i <= t->n_cores; i++) {
		const size_t next = (at + i) % t->n_cores;
		if (!t->cores[next].is_isolated)
			return next;
	}
	return at;
}

/* Each queue of all devices to a core of its own; false: they do not fit into a
 * line. */
static bool
list_all(const struct rs_total_case *s, struct rs_advice *a)
{
	const unsigned highest = s->t->cores[s->t->n_cores - 1].cpu;
	size_t core = s->t->n_cores - 1;

	(void)snprintf(a->command, sizeof(a->command), "for p in");
	(void)snprintf(a->undo, sizeof(a->undo), "for q in");
	for (size_t i = 0; i < s->n_units; i++) {
		if (!(s->units[i].total > 0.0))
			continue;
		core = next_core(s->t, core);
		if (!add_unit(s, &s->units[i], s->t->cores[core].cpu, a))
			return false;
	}
	const size_t len = strlen(a->command), undo = strlen(a->undo);
	(void)snprintf(a->command + len, sizeof(a->command) - len, "%s", write_each);
	(void)snprintf(a->undo + undo, sizeof(a->undo) - undo, write_all, highest);
	return true;
}

/* All vectors of one device, one core after the other. */
static void
loop_over(const struct rs_total_case *s, const char *name, struct rs_advice *a)
{
	const unsigned highest = s->t->cores[s->t->n_cores - 1].cpu;

	(void)snprintf(a->command, sizeof(a->command),
	    "i=0; for q in /sys/class/net/%.15s/device/msi_irqs/*; do echo $((i %% %u)) > "
	    "/proc/irq/${q##*/}/smp_affinity_list; i=$((i+1)); done",
	    name, highest + 1);
	(void)snprintf(a->undo, sizeof(a->undo),
	    "for q in /sys/class/net/%.15s/device/msi_irqs/*; do echo 0-%u > "
	    "/proc/irq/${q##*/}/smp_affinity_list; done # the default",
	    name, highest);
}

void
rs_total_advise_affinity(const struct rs_total_case *s, struct rs_says *out)
{
	struct rs_advice a = {
	    .expect = "other cores take interrupts at once; a running irqbalance undoes it"};
	unsigned told = 0;

	if (list_all(s, &a)) {
		rs_advise(out, &a);
		return;
	}
	/* A core that is not there would be asked for. */
	if (s->t->cores[s->t->n_cores - 1].cpu + 1 != s->t->n_cores)
		return;
	for (uint32_t i = 0; i < s->t->n_devices && told < DEVICES_ADVISED; i++) {
		const char *const name = s->t->devices[i].name;
		if (!is_interface(name) || rs_queue_units_count(s, i) < 2 ||
		    !(rs_pile_of(s->t, RS_LINES_DEVICE, i).all > 0.0))
			continue;
		loop_over(s, name, &a);
		rs_advise(out, &a);
		told++;
	}
}

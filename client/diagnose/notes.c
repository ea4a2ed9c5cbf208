/* SPDX-License-Identifier: ISC */
/*
 * Facts that are worth a sentence and no finding: what the machine is, what each
 * device has, and what the counts must not be taken for.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "import/sysctl_dev.h"
#include "rule.h"

#define SQUEEZES_TOLD 100.0
#define NEAR_WRAP (0.70 * 4294967296.0)

static long
percent(double ratio)
{
	return lround(ratio * 100.0);
}

static const char *
plural(size_t n)
{
	return n == 1 ? "" : "s";
}

/* --- cores ---------------------------------------------------------------- */

static const char *
source_of_cores(const struct rs_sample *s)
{
	if (s->has_stat)
		return "by /proc/stat";
	if (s->lines.is_present)
		return "by the columns of /proc/interrupts";
	if (s->cpus.has_online)
		return "by the list of online CPUs";
	if (s->has_softnet)
		return "by /proc/net/softnet_stat";
	if (s->has_softirqs)
		return "by /proc/softirqs";
	return "in what was pasted; there may be more";
}

static void
note_cores(struct rs_diagnosis *d)
{
	const struct rs_counted *const c = &d->counted;
	struct rs_cpuset set;
	char list[120];

	if (c->n_cores == 0)
		return;
	rs_cpuset_zero(&set);
	for (size_t i = 0; i < c->n_cores; i++)
		rs_cpuset_add(&set, c->cores[i].cpu);
	rs_cpuset_format(&set, list, sizeof(list));
	if (c->columns_beyond > 0)
		rs_note(d,
		    "%zu CPU%s (%s) %s; /proc/softirqs has %u columns: those of possible CPUs, "
		    "not "
		    "of those that are there",
		    c->n_cores, plural(c->n_cores), list, source_of_cores(&d->last),
		    d->last.softirq_columns);
	else
		rs_note(d, "%zu CPU%s (%s) %s", c->n_cores, plural(c->n_cores), list,
		    source_of_cores(&d->last));
	if (d->last.has_stat && d->last.cpus.has_online &&
	    memcmp(&d->last.cpus.online, &d->last.stat_cpus, sizeof(set)) != 0) {
		rs_cpuset_format(&d->last.cpus.online, list, sizeof(list));
		rs_note(
		    d, "sysfs has other CPUs online (%s) than /proc/stat: that is believed", list);
	}
}

/* What /proc/stat says that must not be taken for load. */
static void
note_stat(struct rs_diagnosis *d)
{
	bool has_softirq = false;

	if (!d->last.has_stat)
		return;
	if (d->last.interrupts != RS_COUNT_NONE && d->last.interrupts > 0)
		rs_note(d, "%llu interrupts in all since boot (the first number of the line intr)",
		    (unsigned long long)d->last.interrupts);
	for (size_t i = 0; i < d->counted.n_cores; i++) {
		const unsigned cpu = d->counted.cores[i].cpu;
		if (cpu >= d->last.n_cores)
			continue;
		const uint64_t *const t = d->last.cores[cpu].at;
		has_softirq |= t[RS_COUNT_SOFTIRQ] != RS_COUNT_NONE && t[RS_COUNT_SOFTIRQ] > 0;
		if (t[RS_COUNT_IRQ] != RS_COUNT_NONE && t[RS_COUNT_IRQ] > 100000 &&
		    t[RS_COUNT_IDLE] == 0 && t[RS_COUNT_SYSTEM] == 0)
			rs_note(d,
			    "core %u has interrupt time but no idle and no system time at all "
			    "since boot: "
			    "doubt that counter, the kernel books its idle time as irq",
			    cpu);
	}
	if (!has_softirq)
		rs_note(d, "softirq time is 0 on all cores: it is not told here (a container?)");
}

static void
note_squeezes(struct rs_diagnosis *d)
{
	const struct rs_total_core *top = NULL;
	double all = 0.0;

	for (size_t i = 0; i < d->counted.n_cores; i++) {
		const struct rs_total_core *const c = &d->counted.cores[i];
		if (!(c->squeezed > 0.0))
			continue;
		all += c->squeezed;
		if (top == NULL || c->squeezed > top->squeezed)
			top = c;
	}
	if (top == NULL || all < SQUEEZES_TOLD)
		return;
	rs_note(d,
	    "core %u has %ld %% of the %.0f squeezes (poll rounds that ended by budget or time: "
	    "netdev_budget, netdev_budget_usecs), %.2g %% of the packets it processed; a squeeze "
	    "is "
	    "no loss",
	    top->cpu, percent(top->squeezed / all), all, top->squeezed / top->processed * 100.0);
}

/* The row whose count is nearest to the end of 32 bits. */
static void
note_wrap(struct rs_diagnosis *d)
{
	const struct rs_lines_table *const t = &d->last.lines;
	const struct rs_lines_row *most = NULL;
	uint32_t top = 0;
	char rest[44];

	for (size_t i = 0; i < t->n_rows; i++) {
		for (uint32_t k = 0; k < t->rows[i].cells; k++) {
			const uint32_t count = t->cells[t->rows[i].first_cell + k];
			if (count > top) {
				top = count;
				most = &t->rows[i];
			}
		}
	}
	if (d->counted.n_doubtful > 0) {
		rs_note(d,
		    "%u interrupt counter%s may have gone round at 2^32 (IRQ %s first): totals do "
		    "not "
		    "tell the balance; take two samples, differences are wrap-safe",
		    d->counted.n_doubtful, plural(d->counted.n_doubtful), d->counted.doubtful);
	} else if (most != NULL && top >= NEAR_WRAP) {
		rs_copy_cut(rest, sizeof(rest), most->rest);
		rs_note(d,
		    "row %s (%s) is at %ld %% of 2^32: such counters go round; take two "
		    "samples, "
		    "differences are wrap-safe",
		    most->name, rest, percent((double)top / 4294967296.0));
	}
}

/* --- paths ---------------------------------------------------------------- */

static bool
is_zero(struct rs_text mask)
{
	for (; mask.p < mask.end; mask.p++) {
		if (*mask.p != '0' && *mask.p != ',')
			return false;
	}
	return true;
}

static bool
is_stacked(const char *device)
{
	return strncmp(device, "bond", 4) == 0 || strncmp(device, "team", 4) == 0 ||
	       strncmp(device, "br", 2) == 0;
}

static void
note_rps(struct rs_diagnosis *d)
{
	const char *off = NULL;
	size_t n_off = 0;

	for (size_t i = 0; i < d->last.n_paths; i++) {
		const struct rs_path_row *const p = &d->last.paths[i];
		char all[160], mask[40];
		if (p->kind != RS_PATH_RPS || p->is_missing)
			continue;
		if (is_zero(p->value)) {
			off = p->device;
			n_off++;
			continue;
		}
		(void)rs_text_copy(p->value, all, sizeof(all));
		rs_copy_cut(mask, sizeof(mask), all);
		rs_note(d, "RPS mask %s on %s rx queue %u%s", mask, p->device, p->queue,
		    is_stacked(p->device) ? ": packets are polled at the ports below, before RPS "
					    "of this device; look at "
					    "the interrupts of the bond's ports first"
					  : "");
	}
	if (n_off > 0)
		rs_note(d, "RPS is off on %zu receive queue%s (%s)", n_off, plural(n_off), off);
}

/* Which cores interrupts are allowed on. */
static void
note_affinity(struct rs_diagnosis *d)
{
	char text[RS_NOTE_BYTES - 40] = "", more[32] = "";
	size_t missing = 0, n = 0, told = 0;
	uint32_t first_missing = 0;

	for (size_t i = 0; i < d->last.n_paths; i++) {
		const struct rs_path_row *const p = &d->last.paths[i];
		struct rs_cpuset set;
		char list[48];
		int rc;
		if (p->kind != RS_PATH_AFFINITY && p->kind != RS_PATH_AFFINITY_LIST)
			continue;
		if (p->is_missing) {
			first_missing = missing++ == 0 ? p->irq : first_missing;
			continue;
		}
		rc = p->kind == RS_PATH_AFFINITY ? rs_cpuset_parse_mask(p->value, &set)
						 : rs_cpuset_parse_list(p->value, &set);
		/* All cores is no choice. */
		if (rc < 0 || rs_cpuset_count(&set) > 2)
			continue;
		rs_cpuset_format(&set, list, sizeof(list));
		told +=
		    rs_append(text, sizeof(text), "%sIRQ %u: %s", n > 0 ? "; " : "", p->irq, list);
		n++;
	}
	if (n > told)
		(void)snprintf(more, sizeof(more), "; %zu more", n - told);
	if (n > 0)
		rs_note(d, "allowed cores: %s%s", text, more);
	if (missing > 0)
		rs_note(d, "%zu IRQ%s missing, such as %u: numbers have holes, they are left out",
		    missing, plural(missing), first_missing);
}

/* --- threads, FreeBSD ----------------------------------------------------- */

static void
note_threads(struct rs_diagnosis *d)
{
	for (size_t i = 0; i < d->screens.n; i++) {
		const struct rs_screen *const s = &d->screens.at[i];
		double sum = 0.0;
		const char *top = NULL;
		for (size_t k = 0; k < s->n_threads; k++) {
			bool does_packets;
			(void)rs_thread_is_kernel(s->threads[k].name, &does_packets);
			if (!does_packets)
				continue;
			sum += s->threads[k].load;
			top = top == NULL ? s->threads[k].name : top;
		}
		if (top == NULL)
			continue;
		rs_note(d,
		    "threads like %.40s poll NICs: their time counts as packet work (count napi/ "
		    "threads), though it is booked as system; together %ld %% of %s",
		    top, percent(sum), s->is_thread_of_all ? "all cores" : "one core");
	}
}

static void
note_bsd(struct rs_diagnosis *d)
{
	const struct rs_bsd_counter *good = NULL, *total = NULL;

	for (size_t i = 0; i < d->last.n_bsd_counters; i++) {
		const struct rs_bsd_counter *const c = &d->last.bsd_counters[i];
		if (c->kind == RS_SYSCTL_RX_GOOD)
			good = c;
		if (c->kind == RS_SYSCTL_RX_TOTAL)
			total = c;
	}
	if (good != NULL && total != NULL && good->value == 0 && total->value > 0)
		rs_note(d, "%s received %llu packets and none was good: not a matter of load",
		    total->device, (unsigned long long)total->value);
	if (d->last.bsd_idle_cores > 0)
		rs_note(d,
		    "C1 is the deepest idle state allowed on %u cores; how often idle states were "
		    "entered is no load",
		    d->last.bsd_idle_cores);
	if (d->last.n_bsd_lines > 0)
		rs_note(d, "vmstat counts interrupts over all cores; few of them can also mean a "
			   "queue that is "
			   "polled all the time");
}

static void
note_netisr(struct rs_diagnosis *d)
{
	const struct rs_netisr *const first = d->first.netisr, *const last = d->last.netisr;

	if (first != NULL && last != NULL && first->workstreams != last->workstreams)
		rs_note(d,
		    "%s has %u workstream%s and %s %u: two set-ups, not two samples of one; each "
		    "is "
		    "judged alone",
		    d->first.prefix, first->workstreams, plural(first->workstreams), d->last.prefix,
		    last->workstreams);
}

void
rs_notes_make(struct rs_diagnosis *d)
{
	note_cores(d);
	note_stat(d);
	rs_notes_devices(d);
	note_wrap(d);
	note_rps(d);
	note_affinity(d);
	note_squeezes(d);
	note_threads(d);
	note_bsd(d);
	note_netisr(d);
}

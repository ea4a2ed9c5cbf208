/* SPDX-License-Identifier: ISC */
/*
 * What each device has, and where its queues are.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/diagnosis.h"
#include "rule.h"

#define HOME 0.90 /* of a queue's interrupts: the core is its home */
enum { DEVICES_TOLD = 12, LINES_TOLD = 4, UNITS_TOLD = 64 };

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

/* "cores 5: none, core 7: two" where each queue has a home. */
static void
note_homes(struct rs_diagnosis *d, const char *name, const struct rs_queue_unit *units, size_t n)
{
	const struct rs_counted *const c = &d->counted;
	struct rs_cpuset none;
	unsigned on[RS_CPU_MAX] = {0};
	char list[80], twice[120] = "";

	if (n < 3 || n > UNITS_TOLD || 2 * n < c->n_cores)
		return;
	for (size_t i = 0; i < n; i++) {
		if (units[i].total > 0.0 && !(units[i].share >= HOME))
			return;
		on[units[i].core] += units[i].total > 0.0;
	}
	rs_cpuset_zero(&none);
	for (size_t k = 0; k < c->n_cores; k++) {
		if (on[k] == 0)
			rs_cpuset_add(&none, c->cores[k].cpu);
		if (on[k] >= 2)
			(void)rs_append(twice, sizeof(twice), ", core %u has %u%s", c->cores[k].cpu,
			    on[k], on[k] == 2 ? " (two)" : "");
	}
	if (rs_cpuset_count(&none) == 0 || twice[0] == '\0')
		return;
	rs_cpuset_format(&none, list, sizeof(list));
	const bool is_one = rs_cpuset_count(&none) == 1;
	rs_note(d, "%s: core%s %s %s no queue%s", name, is_one ? "" : "s", list,
	    is_one ? "has" : "have", twice);
}

static const char *
action_of(const struct rs_counted *c, const struct rs_queue_unit *u)
{
	const char *const actions = c->lines[u->line].actions;

	return actions != NULL ? actions : "";
}

static void
note_queues(struct rs_diagnosis *d, const char *name, const struct rs_queue_unit *units, size_t n)
{
	const struct rs_counted *const c = &d->counted;
	char first[44], last[44];
	size_t active = 0;

	for (size_t i = 0; i < n; i++)
		active += units[i].total > 0.0;
	rs_copy_cut(first, sizeof(first), n > 0 ? action_of(c, &units[0]) : "");
	rs_copy_cut(last, sizeof(last), n > 0 ? action_of(c, &units[n - 1]) : "");
	if (n > 1) {
		rs_note(d, "%s: %zu queues (%s to %s), %zu of %zu active", name, n, first, last,
		    active, n);
		note_homes(d, name, units, n);
	} else if (n == 1 && active == 1 && !isnan(units[0].share)) {
		rs_note(d, "%s has a single interrupt line, IRQ %s (%s): %ld %% of %.0f on core %u",
		    name, c->lines[units[0].line].irq, first, percent(units[0].share),
		    units[0].total, c->cores[units[0].core].cpu);
	}
}

/* The units of each device are gathered behind those of all. */
static void
note_devices(struct rs_diagnosis *d)
{
	const size_t cap = RS_MAX(d->counted.n_feeds, (size_t)1);
	struct rs_queue_unit *const units = calloc(2 * cap, sizeof(*units));
	const size_t n = units != NULL ? rs_queue_units_of(&d->counted.totals, units, cap) : 0;

	for (uint32_t i = 0; i < RS_MIN(d->counted.n_devices, (size_t)DEVICES_TOLD); i++) {
		struct rs_queue_unit *const mine = units + cap;
		size_t n_mine = 0;
		for (size_t k = 0; k < n; k++) {
			if (units[k].device == i)
				mine[n_mine++] = units[k];
		}
		note_queues(d, d->counted.devices[i].name, mine, n_mine);
	}
	free(units);
	if (!d->counted.interfaces.has_sysfs && d->counted.n_lines > 0)
		rs_note(d,
		    "/sys/class/net/*/device is not in the capture: devices and queues are told by "
		    "the names of their interrupts; its msi_irqs would be surer");
}

static void
note_shared(struct rs_diagnosis *d)
{
	const struct rs_counted *const c = &d->counted;
	unsigned told = 0;

	for (size_t i = 0; i < c->n_lines && told < LINES_TOLD; i++) {
		const char *const actions = c->lines[i].actions;
		if (actions == NULL || strchr(actions, ',') == NULL)
			continue;
		char shared[104];
		rs_copy_cut(shared, sizeof(shared), actions);
		rs_note(d, "IRQ %s is shared by %s: its count cannot be split, and is counted once",
		    c->lines[i].irq, shared);
		told++;
	}
}

static void
note_settings(struct rs_diagnosis *d)
{
	for (size_t i = 0; i < d->counted.n_devices; i++) {
		const struct rs_total_device *const t = &d->counted.devices[i];
		if (t->rx_channels > 0 && t->max_channels > t->rx_channels)
			rs_note(d, "%s: %d of %d channels are in use (ethtool -l)", t->name,
			    t->rx_channels, t->max_channels);
	}
	for (size_t i = 0; i < d->last.n_devices; i++) {
		const struct rs_device_file *const f = &d->last.devices[i];
		if (f->rx_queues >= 0 && f->tx_queues >= 0)
			rs_note(d, "%s: %d rx queue%s, %d tx queue%s in sysfs", f->name,
			    f->rx_queues, plural((size_t)f->rx_queues), f->tx_queues,
			    plural((size_t)f->tx_queues));
		if (f->table != NULL && f->table->n_queues > 0)
			rs_note(d, "%s: the indirection table names %u queue%s in %u entries",
			    f->name, f->table->n_queues, plural(f->table->n_queues),
			    f->table->n_entries);
	}
}

static const struct rs_total_loss *
largest_ring_loss(const struct rs_counted *c, const struct rs_total_device *t)
{
	const struct rs_total_loss *most = NULL;

	for (uint32_t i = 0; i < t->n_losses; i++) {
		const struct rs_total_loss *const l = &c->losses[t->first_loss + i];
		if (l->lost == RS_TOTAL_RING && (most == NULL || l->count > most->count))
			most = l;
	}
	return most;
}

/* The NIC's loss and what the stack counts as dropped are two things. */
static void
note_losses(struct rs_diagnosis *d)
{
	for (size_t i = 0; i < d->counted.n_devices; i++) {
		const struct rs_total_device *const t = &d->counted.devices[i];
		const struct rs_total_loss *const l = largest_ring_loss(&d->counted, t);
		char part[64] = "", dropped[80] = "";
		if (l == NULL)
			continue;
		if (t->rx_packets > 0.0)
			(void)snprintf(part, sizeof(part), ", %.2g per million received",
			    l->count / t->rx_packets * 1e6);
		for (size_t k = 0; k < d->last.n_devices; k++) {
			if (strcmp(d->last.devices[k].name, t->name) == 0 &&
			    d->last.devices[k].dropped != RS_COUNT_NONE)
				(void)snprintf(dropped, sizeof(dropped), " (%llu here)",
				    (unsigned long long)d->last.devices[k].dropped);
		}
		rs_note(d,
		    "%s: the NIC missed %.0f packets (%s%s); what the stack dropped%s is another "
		    "count, "
		    "with frames of unknown protocols in it",
		    t->name, l->count, l->name, part, dropped);
	}
}

static bool
has_repeated_names(const struct rs_stat_set *s)
{
	for (uint32_t i = 1; i < RS_MIN(s->n, 512u); i++) {
		for (uint32_t k = 0; k < i; k++) {
			if (rs_text_same(rs_stat_name(s, i), rs_stat_name(s, k)))
				return true;
		}
	}
	return false;
}

static void
note_counters(struct rs_diagnosis *d)
{
	for (size_t i = 0; i < d->counted.n_devices; i++) {
		const struct rs_total_device *const t = &d->counted.devices[i];
		for (size_t k = 0; k < d->last.n_devices; k++) {
			const struct rs_device_file *const f = &d->last.devices[k];
			if (strcmp(f->name, t->name) != 0 || !f->has_stats)
				continue;
			if (has_repeated_names(&f->stats))
				rs_note(d,
				    "%s repeats the names of its counters for each queue: %u "
				    "receive queues "
				    "are kept apart, not merged",
				    t->name, t->n_queues);
			else if (t->n_queues == 0)
				rs_note(
				    d, "%s: its %u counters are not by queue", t->name, f->stats.n);
		}
	}
}

/* What there was no room for. */
static void
note_rest(struct rs_diagnosis *d)
{
	const struct rs_bare_names *const names = &d->last.names;

	if (names->n > 0)
		rs_note(d, "%u name%s of interrupts without counts: %s%s%s", names->n,
		    plural(names->n), names->first, names->n > 1 ? " to " : "",
		    names->n > 1 ? names->last : "");
	if (d->counted.interfaces.is_too_large)
		rs_note(d, "so many interrupts and devices that it was not told whose they are");
	if (d->counted.has_more)
		rs_note(d, "more lines, devices or counters than are looked at: the first are");
}

void
rs_notes_devices(struct rs_diagnosis *d)
{
	note_devices(d);
	note_rest(d);
	note_shared(d);
	note_settings(d);
	note_losses(d);
	note_counters(d);
}

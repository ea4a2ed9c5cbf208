/* SPDX-License-Identifier: ISC */
/*
 * Differences and sums.
 */
#include "diagnose/counted.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEVICES_MAX = 4096 };

uint64_t
rs_counted_minus(uint64_t last, uint64_t first)
{
	if (last >= first)
		return last - first;
	/* A 32-bit counter in the upper half of its range went round; else it was
	 * set back. */
	return first <= UINT32_MAX && first > UINT32_MAX / 2 ? last + (UINT64_C(1) << 32) - first
							     : last;
}

size_t
rs_counted_core(const struct rs_counted *c, unsigned cpu)
{
	size_t low = 0, high = c->n_cores;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (c->cores[mid].cpu < cpu)
			low = mid + 1;
		else
			high = mid;
	}
	return low < c->n_cores && c->cores[low].cpu == cpu ? low : SIZE_MAX;
}

/* --- cores ---------------------------------------------------------------- */

static void
add_screen_cores(const struct rs_screens *s, struct rs_cpuset *set)
{
	for (size_t i = 0; i < s->n; i++) {
		for (size_t k = 0; k < s->at[i].n_cores; k++)
			rs_cpuset_add(set, (unsigned)s->at[i].cores[k].cpu);
	}
}

/* One network thread does not tell how many cores there are. */
static void
add_netisr_cores(const struct rs_sample *s, struct rs_cpuset *set)
{
	struct rs_cpuset seen;

	rs_cpuset_zero(&seen);
	for (unsigned i = 0; s->netisr != NULL && i < s->netisr->n; i++)
		rs_cpuset_add(&seen, s->netisr->rows[i].cpu);
	if (rs_cpuset_count(&seen) > 1)
		*set = seen;
}

/* Cores that are online, as the surest of the sources tells. */
static void
find_cores(const struct rs_sample *s, const struct rs_screens *screens, struct rs_cpuset *ret)
{
	rs_cpuset_zero(ret);
	if (s->has_stat) {
		*ret = s->stat_cpus;
	} else if (s->lines.is_present) {
		for (uint32_t i = 0; i < s->lines.columns; i++)
			rs_cpuset_add(ret, s->lines.cpu[i]);
	} else if (s->cpus.has_online) {
		*ret = s->cpus.online;
	} else if (s->has_softnet) {
		for (unsigned i = 0; i < s->n_cores; i++) {
			if (s->cores[i].at[RS_COUNT_PROCESSED] != RS_COUNT_NONE)
				rs_cpuset_add(ret, i);
		}
	} else if (s->has_softirqs) {
		/* A core that never ran a softirq, not even its timer's, is not there. */
		for (unsigned i = 0; i < s->n_cores; i++) {
			if (s->cores[i].has_softirqs)
				rs_cpuset_add(ret, i);
		}
	}
	if (rs_cpuset_count(ret) == 0)
		add_screen_cores(screens, ret);
	if (rs_cpuset_count(ret) == 0)
		add_netisr_cores(s, ret);
}

static double
count_of(const struct rs_sample *first, const struct rs_sample *last, unsigned cpu,
    enum rs_core_count which)
{
	const uint64_t now = cpu < last->n_cores ? last->cores[cpu].at[which] : RS_COUNT_NONE;
	const uint64_t then = cpu < first->n_cores ? first->cores[cpu].at[which] : RS_COUNT_NONE;

	if (now == RS_COUNT_NONE || (first != last && then == RS_COUNT_NONE))
		return NAN;
	if (first == last)
		return (double)now;
	/* All of them have 32 bits (CPU time is another matter). */
	return (double)((now - then) & UINT32_MAX);
}

/* Hundredths of a second since boot (USER_HZ). */
static void
take_time(struct rs_total_core *c, const uint64_t at[static RS_COUNTS])
{
	if (at[RS_COUNT_SOFTIRQ] == RS_COUNT_NONE)
		return;
	c->softirq_s = (double)at[RS_COUNT_SOFTIRQ] / 100.0;
	c->booked_s = 0.0;
	for (unsigned i = RS_COUNT_USER; i <= RS_COUNT_STEAL; i++)
		c->booked_s += at[i] != RS_COUNT_NONE ? (double)at[i] / 100.0 : 0.0;
}

static int
make_cores(struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last,
    const struct rs_screens *screens)
{
	struct rs_cpuset online;

	find_cores(last, screens, &online);
	for (unsigned cpu = rs_cpuset_next(&online, 0); cpu < RS_CPU_MAX;
	     cpu = rs_cpuset_next(&online, cpu + 1)) {
		struct rs_total_core *const one =
		    rs_list_add(&c->cores, &c->n_cores, &c->cap_cores, sizeof(*one), RS_CPU_MAX);
		if (one == NULL)
			return -ENOMEM;
		one->cpu = cpu;
		one->nic_interrupts = NAN;
		one->net_rx = count_of(first, last, cpu, RS_COUNT_NET_RX);
		one->processed = count_of(first, last, cpu, RS_COUNT_PROCESSED);
		one->dropped = count_of(first, last, cpu, RS_COUNT_DROPPED);
		one->squeezed = count_of(first, last, cpu, RS_COUNT_SQUEEZED);
		one->softirq_s = one->booked_s = NAN;
		one->is_isolated =
		    last->cpus.has_isolated && rs_cpuset_has(&last->cpus.isolated, cpu);
		if (first == last && cpu < last->n_cores)
			take_time(one, last->cores[cpu].at);
		c->totals.has_softirqs |= !isnan(one->net_rx);
		c->totals.has_softnet |= !isnan(one->processed);
	}
	if (last->softirq_columns > c->n_cores)
		c->columns_beyond = last->softirq_columns - (uint32_t)c->n_cores;
	return 0;
}

/* --- devices -------------------------------------------------------------- */

struct rs_total_device *
rs_counted_device(struct rs_counted *c, const char *name)
{
	for (size_t i = 0; i < c->n_devices; i++) {
		if (strcmp(c->devices[i].name, name) == 0)
			return &c->devices[i];
	}
	struct rs_total_device *const d =
	    rs_list_add(&c->devices, &c->n_devices, &c->cap_devices, sizeof(*d), DEVICES_MAX);
	c->has_more |= d == NULL;
	if (d == NULL)
		return NULL;
	(void)snprintf(d->name, sizeof(d->name), "%s", name);
	d->rx_packets = NAN;
	d->rx_channels = d->max_channels = -1;
	return d;
}

/* Interfaces come first, so that feeds refer to them by their places. */
static int
make_devices(struct rs_counted *c)
{
	for (size_t i = 0; i < c->interfaces.n; i++) {
		struct rs_total_device *const d = rs_list_add(
		    &c->devices, &c->n_devices, &c->cap_devices, sizeof(*d), DEVICES_MAX);
		if (d == NULL)
			return -ENOMEM;
		memcpy(d->name, c->interfaces.at[i].name, sizeof(d->name));
		memcpy(d->driver, c->interfaces.infos[i].driver, sizeof(d->driver));
		d->is_wireless = c->interfaces.at[i].is_wireless;
		d->rx_packets = NAN;
		d->rx_channels = d->max_channels = -1;
	}
	return 0;
}

static struct rs_total_netisr
netisr_of(const struct rs_netisr *n)
{
	struct rs_total_netisr ret = {.is_present = true,
	    .workstreams = n->workstreams,
	    .threads = n->threads > 0 ? (unsigned)n->threads : 0};
	double most = -1.0;

	for (unsigned i = 0; i < n->n; i++) {
		const struct rs_netisr_row *const r = &n->rows[i];
		const double dropped = r->dropped != RS_NETISR_UNKNOWN ? (double)r->dropped : 0.0;
		ret.dropped += dropped;
		ret.queued += r->queued != RS_NETISR_UNKNOWN ? (double)r->queued : 0.0;
		if (dropped > most) {
			most = dropped;
			memcpy(ret.protocol, r->name, sizeof(ret.protocol));
		}
	}
	return ret;
}

static unsigned
netisr_cores(const struct rs_netisr *n)
{
	unsigned highest = 0;

	for (unsigned i = 0; i < n->n; i++)
		highest = RS_MAX(highest, n->rows[i].cpu);
	return highest > 0 ? highest + 1 : 0;
}

/* Two samples of one set-up make a difference. Of two set-ups, or after counters
 * were set back, each is a sample of its own, and the one that lost more is
 * judged. */
static void
make_netisr(struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last)
{
	struct rs_total_netisr *const to = &c->totals.netisr;
	unsigned cpus = (unsigned)c->n_cores;

	if (last->netisr != NULL) {
		*to = netisr_of(last->netisr);
		cpus = RS_MAX(cpus, netisr_cores(last->netisr));
	}
	if (first != last && first->netisr != NULL) {
		const struct rs_total_netisr old = netisr_of(first->netisr);
		cpus = RS_MAX(cpus, netisr_cores(first->netisr));
		if (to->is_present && to->workstreams == old.workstreams &&
		    to->dropped >= old.dropped && to->queued >= old.queued) {
			to->dropped -= old.dropped;
			to->queued -= old.queued;
		} else if (!to->is_present || old.dropped > to->dropped) {
			*to = old;
		}
	}
	to->cpus = cpus;
}

int
rs_counted_make(const struct rs_sample *first, const struct rs_sample *last,
    const struct rs_screens *screens, struct rs_counted *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->totals.basis = first == last ? RS_TOTAL_SINCE_BOOT : RS_TOTAL_DIFFERENCE;
	int rc = rs_interfaces_find(last, &ret->interfaces);
	if (rc == 0)
		rc = make_cores(ret, first, last, screens);
	if (rc == 0)
		rc = make_devices(ret);
	if (rc == 0)
		rc = rs_counted_lines(ret, first, last);
	if (rc == 0)
		rc = rs_counted_devices(ret, first, last);
	make_netisr(ret, first, last);
	ret->totals.cores = ret->cores;
	ret->totals.n_cores = ret->n_cores;
	ret->totals.lines = ret->lines;
	ret->totals.n_lines = ret->n_lines;
	ret->totals.feeds = ret->feeds;
	ret->totals.n_feeds = ret->n_feeds;
	ret->totals.devices = ret->devices;
	ret->totals.n_devices = ret->n_devices;
	ret->totals.queues = ret->queues;
	ret->totals.n_queues = ret->n_queues;
	ret->totals.losses = ret->losses;
	ret->totals.n_losses = ret->n_losses;
	return rc;
}

void
rs_counted_free(struct rs_counted *c)
{
	for (size_t i = 0; i < c->n_texts; i++)
		free(c->texts[i]);
	free(c->texts);
	free(c->cores);
	free(c->lines);
	free(c->feeds);
	free(c->devices);
	free(c->queues);
	free(c->losses);
	free(c->cells);
	rs_interfaces_free(&c->interfaces);
	memset(c, 0, sizeof(*c));
}

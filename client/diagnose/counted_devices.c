/* SPDX-License-Identifier: ISC */
/*
 * Counters of drivers: packets of receive queues, and what was lost. By the
 * templates and tables the daemon has for `ethtool -S`, and by the patterns of
 * FreeBSD's sysctl.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "diagnose/counted.h"
#include "import/sysctl_dev.h"
#include "linux/drivers.h"

/* No machine has more. */
enum { QUEUES_MAX = 65536, QUEUES_OF_DEVICE = 4096, LOSSES_MAX = 4096 };
/* How far from its place a counter of the sample before is looked for. */
enum { MOVED_MAX = 4096 };

static const struct rs_device_file *
file_of(const struct rs_sample *s, const char *name)
{
	for (size_t i = 0; i < s->n_devices; i++) {
		if (strcmp(s->devices[i].name, name) == 0)
			return &s->devices[i];
	}
	return NULL;
}

/* The same counter in the sample before; 0 where it was not. A driver lists them in
 * the same order each time, names may repeat, and some may have come or gone. */
static uint64_t
value_before(const struct rs_stat_set *old, uint32_t *cursor, struct rs_text name)
{
	for (uint32_t k = 0; k < RS_MIN(old->n, (uint32_t)MOVED_MAX); k++) {
		const uint32_t at = (*cursor + k) % old->n;
		if (rs_text_same(rs_stat_name(old, at), name)) {
			*cursor = at + 1;
			return old->values[at];
		}
	}
	return 0;
}

/* What each counter did; the caller frees it. NULL: no memory. */
static uint64_t *
increments(const struct rs_stat_set *now, const struct rs_stat_set *old)
{
	uint64_t *const values = malloc(RS_MAX(now->n, 1u) * sizeof(*values));
	uint32_t cursor = 0;

	for (uint32_t i = 0; values != NULL && i < now->n; i++) {
		values[i] = now->values[i];
		if (old != NULL)
			values[i] = rs_counted_minus(
			    values[i], value_before(old, &cursor, rs_stat_name(now, i)));
	}
	return values;
}

/* The queue's packets are added to what it has. */
static void
add_queue(struct rs_counted *c, struct rs_total_device *d, uint16_t queue, double packets)
{
	uint32_t i = 0;

	while (i < d->n_queues && c->queues[d->first_queue + i].queue != queue)
		i++;
	if (i == d->n_queues) {
		struct rs_total_queue *const q = i < QUEUES_OF_DEVICE
						     ? rs_list_add(&c->queues, &c->n_queues,
							   &c->cap_queues, sizeof(*q), QUEUES_MAX)
						     : NULL;
		c->has_more |= q == NULL;
		if (q == NULL)
			return;
		q->queue = queue;
		d->n_queues++;
	}
	c->queues[d->first_queue + i].packets += packets;
}

/* Counters of the same name, for several queues, are one. */
static void
add_loss(struct rs_counted *c, struct rs_total_device *d, struct rs_text name, double count,
    enum rs_total_lost lost)
{
	char text[sizeof(c->losses->name)];
	uint32_t i = 0;

	(void)rs_text_copy(name, text, sizeof(text));
	rs_text_defuse(text);
	while (i < d->n_losses && strcmp(c->losses[d->first_loss + i].name, text) != 0)
		i++;
	if (i == d->n_losses) {
		struct rs_total_loss *const l =
		    rs_list_add(&c->losses, &c->n_losses, &c->cap_losses, sizeof(*l), LOSSES_MAX);
		c->has_more |= l == NULL;
		if (l == NULL)
			return;
		memcpy(l->name, text, sizeof(l->name));
		l->lost = lost;
		d->n_losses++;
	}
	c->losses[d->first_loss + i].count += count;
}

static bool
kind_of_loss(const struct rs_driver *driver, struct rs_text name, enum rs_total_lost *ret)
{
	switch (rs_driver_lost(driver, name)) {
	case RS_LOST_NOTHING:
		return false;
	case RS_LOST_RING:
		*ret = RS_TOTAL_RING;
		return true;
	case RS_LOST_WIRE:
		*ret = RS_TOTAL_WIRE;
		return true;
	case RS_LOST_SOFTWARE:
		*ret = RS_TOTAL_SOFTWARE;
		return true;
	case RS_LOST_LIMIT:
		*ret = RS_TOTAL_LIMIT;
		return true;
	}
	return false;
}

static void
take_losses(struct rs_counted *c, struct rs_total_device *d, const struct rs_stat_set *set,
    const uint64_t *values, const struct rs_driver *driver)
{
	for (uint32_t i = 0; i < set->n; i++) {
		const struct rs_text name = rs_stat_name(set, i);
		enum rs_total_lost lost;
		if (rs_text_eq(name, "rx_packets"))
			d->rx_packets = (double)values[i];
		if (values[i] > 0 && kind_of_loss(driver, name, &lost))
			add_loss(c, d, name, (double)values[i], lost);
	}
}

/* The plan is made of the names, its sums of the increments. */
static void
take_queues(struct rs_counted *c, struct rs_total_device *d, const struct rs_stat_set *set,
    const uint64_t *values, const struct rs_stat_plan *plan)
{
	struct rs_stat_use use;
	uint64_t sum;
	uint32_t at = 0;
	double all = 0.0;

	while (rs_stat_next(plan, values, set->n, &at, &use, &sum)) {
		if (use.is_tx || use.kind != RS_STAT_PACKETS)
			continue;
		add_queue(c, d, use.queue, (double)sum);
		all += (double)sum;
	}
	if (isnan(d->rx_packets) && d->n_queues > 0)
		d->rx_packets = all;
}

static int32_t
queues_of(const struct rs_counted *c, const char *name)
{
	for (size_t i = 0; i < c->interfaces.n; i++) {
		if (strcmp(c->interfaces.at[i].name, name) == 0)
			return c->interfaces.infos[i].rx_queues;
	}
	return -1;
}

static int
take_stats(struct rs_counted *c, struct rs_total_device *d, const struct rs_device_file *now,
    const struct rs_device_file *old)
{
	/* Where nobody says which driver it is, the file may bear its name. */
	const struct rs_driver *const driver =
	    rs_driver_find(d->driver[0] != '\0' ? d->driver : d->name);
	struct rs_stat_plan plan = {0};
	uint64_t *const values =
	    increments(&now->stats, old != NULL && old->has_stats ? &old->stats : NULL);
	int rc = values != NULL ? 0 : -ENOMEM;

	if (rc == 0)
		rc = rs_stat_plan_make(&plan, &now->stats, driver, queues_of(c, d->name), -1);
	d->first_loss = (uint32_t)c->n_losses;
	d->first_queue = (uint32_t)c->n_queues;
	if (rc == 0) {
		take_losses(c, d, &now->stats, values, driver);
		take_queues(c, d, &now->stats, values, &plan);
	}
	rs_stat_plan_free(&plan);
	free(values);
	return rc;
}

static void
take_settings(struct rs_total_device *d, const struct rs_device_file *f)
{
	for (unsigned i = 0; i < f->settings.n; i++) {
		const struct rs_import_setting *const s = &f->settings.at[i];
		struct rs_text t = rs_text_of(s->value);
		uint64_t n;
		if (!rs_text_u64(&t, &n) || n > INT16_MAX)
			continue;
		if (s->id == RS_F_CHANNELS_COMBINED ||
		    (s->id == RS_F_CHANNELS_RX && d->rx_channels <= 0 && n > 0))
			d->rx_channels = (int32_t)n;
		if (s->id == RS_F_CHANNELS_COMBINED_MAX ||
		    (s->id == RS_F_CHANNELS_RX_MAX && d->max_channels <= 0 && n > 0))
			d->max_channels = (int32_t)n;
	}
}

static int
take_device(struct rs_counted *c, const struct rs_device_file *now, const struct rs_sample *first,
    const struct rs_sample *last)
{
	const bool is_known = now->has_stats || now->settings.n > 0 || now->table != NULL ||
			      now->driver.driver[0] != '\0';
	struct rs_total_device *const d = is_known ? rs_counted_device(c, now->name) : NULL;
	const struct rs_device_file *const old = first != last ? file_of(first, now->name) : NULL;

	if (d == NULL)
		return 0;
	d->is_counted = true;
	if (d->driver[0] == '\0')
		memcpy(d->driver, now->driver.driver, sizeof(d->driver));
	take_settings(d, now);
	const int rc = now->has_stats ? take_stats(c, d, now, old) : 0;
	if (isnan(d->rx_packets) && now->rx_packets != RS_COUNT_NONE)
		d->rx_packets = (double)now->rx_packets;
	return rc;
}

/* --- FreeBSD -------------------------------------------------------------- */

static uint64_t
bsd_increment(const struct rs_sample *first, const struct rs_sample *last, size_t i)
{
	const struct rs_bsd_counter *const now = &last->bsd_counters[i];

	for (size_t k = 0; first != last && k < first->n_bsd_counters; k++) {
		const struct rs_bsd_counter *const old = &first->bsd_counters[k];
		if (strcmp(old->device, now->device) == 0 && strcmp(old->leaf, now->leaf) == 0)
			return rs_counted_minus(now->value, old->value);
	}
	return now->value;
}

static bool
is_taken(const struct rs_counted *c, const char *name)
{
	for (size_t i = 0; i < c->n_devices; i++) {
		if (strcmp(c->devices[i].name, name) == 0)
			return c->devices[i].is_counted;
	}
	return false;
}

/* Of one device in one go: its queues and losses lie together. */
static void
take_bsd_device(struct rs_counted *c, const char *name, const struct rs_sample *first,
    const struct rs_sample *last)
{
	struct rs_total_device *const d = rs_counted_device(c, name);
	double by_kind[RS_SYSCTL_KINDS];

	if (d == NULL)
		return;
	for (size_t i = 0; i < RS_ARRAY_LEN(by_kind); i++)
		by_kind[i] = NAN;
	d->is_counted = true;
	d->first_loss = (uint32_t)c->n_losses;
	d->first_queue = (uint32_t)c->n_queues;
	for (size_t i = 0; i < last->n_bsd_counters; i++) {
		const struct rs_bsd_counter *const k = &last->bsd_counters[i];
		if (strcmp(k->device, name) != 0)
			continue;
		const double n = (double)bsd_increment(first, last, i);
		const char *const dot = strrchr(k->leaf, '.');
		if (k->kind == RS_SYSCTL_LOST && n > 0.0)
			add_loss(
			    c, d, rs_text_of(dot != NULL ? dot + 1 : k->leaf), n, RS_TOTAL_RING);
		else if (k->kind == RS_SYSCTL_QUEUE_RX)
			add_queue(c, d, k->queue, n);
		by_kind[k->kind] = isnan(by_kind[k->kind]) ? n : by_kind[k->kind] + n;
	}
	const double total = by_kind[RS_SYSCTL_RX_TOTAL], good = by_kind[RS_SYSCTL_RX_GOOD];
	d->rx_packets = !isnan(total) ? total : !isnan(good) ? good : by_kind[RS_SYSCTL_RX_BY_SIZE];
}

int
rs_counted_devices(
    struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last)
{
	int rc = 0;

	for (size_t i = 0; rc == 0 && i < last->n_devices; i++)
		rc = take_device(c, &last->devices[i], first, last);
	for (size_t i = 0; i < last->n_bsd_counters; i++) {
		if (!is_taken(c, last->bsd_counters[i].device))
			take_bsd_device(c, last->bsd_counters[i].device, first, last);
	}
	return rc;
}

/* SPDX-License-Identifier: ISC */
/*
 * /metrics: the settings, and which interrupt and core serve which queue. Loop
 * thread.
 */
#include <stdio.h>
#include <string.h>

#include "cpuset.h"
#include "exposition.h"
#include "irqname.h"
#include "num.h"
#include "openmetrics.h"
#include "view.h"

void
rs_openmetrics_labels(struct rs_exposition *x, const struct rs_labels *l, const char *direction)
{
	if (l->cpu >= 0)
		rs_exposition_label_uint(x, "cpu", (uint64_t)l->cpu);
	if (l->device[0] != '\0')
		rs_exposition_label(x, "device", l->device);
	if (l->queue >= 0)
		rs_exposition_label_uint(x, "queue", (uint64_t)l->queue);
	if (direction != NULL)
		rs_exposition_label(x, "direction", direction);
	if (l->irq[0] != '\0')
		rs_exposition_label(x, "irq", l->irq);
}

/* --- settings ---------------------------------------------------------- */

/* Those whose value is one number; the others are words. */
static const bool is_number[RS_F_COUNT] = {
    [RS_F_NETDEV_BUDGET] = true,
    [RS_F_NETDEV_BUDGET_USECS] = true,
    [RS_F_NETDEV_MAX_BACKLOG] = true,
    [RS_F_DEV_WEIGHT] = true,
    [RS_F_RPS_SOCK_FLOWS] = true,
    [RS_F_FREQ_MIN] = true,
    [RS_F_FREQ_MAX] = true,
    [RS_F_SPEED] = true,
    [RS_F_MTU] = true,
    [RS_F_RX_QUEUES] = true,
    [RS_F_TX_QUEUES] = true,
    [RS_F_CHANNELS_COMBINED] = true,
    [RS_F_CHANNELS_COMBINED_MAX] = true,
    [RS_F_CHANNELS_RX] = true,
    [RS_F_CHANNELS_RX_MAX] = true,
    [RS_F_CHANNELS_TX] = true,
    [RS_F_CHANNELS_TX_MAX] = true,
    [RS_F_RING_RX] = true,
    [RS_F_RING_RX_MAX] = true,
    [RS_F_RING_TX] = true,
    [RS_F_RING_TX_MAX] = true,
    [RS_F_COALESCE_RX_USECS] = true,
    [RS_F_COALESCE_RX_FRAMES] = true,
    [RS_F_COALESCE_TX_USECS] = true,
    [RS_F_COALESCE_TX_FRAMES] = true,
    [RS_F_RPS_FLOWS] = true,
};

/* The line of an interrupt number, looked for from where the last one was: both
 * lists ascend. */
static const struct rs_irq_view *
find_line(const struct rs_view *v, uint32_t irq, size_t *hint)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "%u", irq);
	for (size_t i = 0; i < v->n_irqs; i++) {
		const size_t at = (*hint + i) % v->n_irqs;

		if (strcmp(v->irqs[at].name, name) == 0) {
			*hint = at;
			return &v->irqs[at];
		}
	}
	return NULL;
}

static void
label_device(const struct rs_view *v, uint32_t ifindex, struct rs_labels *l)
{
	const struct rs_nic_view *const nic = rs_view_nic(v, ifindex);

	if (nic != NULL)
		(void)rs_text_copy(rs_text_of(nic->info.name), l->device, sizeof(l->device));
}

/* What a setting is on. False: not shown, a line of no network interface. */
static bool
label_fact(const struct rs_view *v, const struct rs_fact *f, size_t *hint, struct rs_labels *ret)
{
	*ret = rs_labels_none;
	switch (rs_facts[f->id].on) {
	case RS_ON_HOST:
		return true;
	case RS_ON_CPU:
		ret->cpu = (int32_t)f->key;
		return true;
	case RS_ON_QUEUE:
		ret->queue = f->queue;
		label_device(v, f->key, ret);
		return ret->device[0] != '\0';
	case RS_ON_NIC:
		label_device(v, f->key, ret);
		return ret->device[0] != '\0';
	case RS_ON_IRQ:
		break;
	}
	const struct rs_irq_view *const line = find_line(v, f->key, hint);

	if (line == NULL || line->n_feeds == 0)
		return false;
	(void)rs_text_copy(rs_text_of(line->name), ret->irq, sizeof(ret->irq));
	label_device(v, line->feeds[0].ifindex, ret);
	if (line->n_feeds == 1)
		ret->queue = line->feeds[0].queue;
	return true;
}

/* Long ones are cut: a label is for telling values apart. */
static void
put_word(struct rs_exposition *x, const char *value)
{
	char cut[128];

	if (!rs_text_copy(rs_text_of(value), cut, sizeof(cut)))
		memcpy(cut + sizeof(cut) - 4, "...", 4);
	rs_exposition_label(x, "value", cut);
	rs_exposition_value(x, 1, 1);
}

static void
put_settings(struct rs_exposition *x, const struct rs_view *v, bool are_numbers)
{
	size_t hint = 0;
	struct rs_labels l;

	for (size_t i = 0; i < v->n_facts; i++) {
		const struct rs_fact *const f = &v->facts[i];
		uint64_t number = 0;

		/* The hash key is nobody's business who can see load. */
		if (is_number[f->id] != are_numbers || f->id == RS_F_RSS_KEY ||
		    !label_fact(v, f, &hint, &l))
			continue;
		if (are_numbers && rs_num_u64(rs_text_of(f->value), &number) < 0)
			continue;
		rs_exposition_sample(x);
		rs_exposition_label(x, "setting", rs_facts[f->id].name);
		rs_openmetrics_labels(x, &l, rs_facts[f->id].direction);
		if (are_numbers)
			rs_exposition_value(x, (double)number, 1);
		else
			put_word(x, f->value);
	}
}

/* --- queues ------------------------------------------------------------ */

/* The cores a line is served by: as the interrupt controller was told, or else
 * where it fired in the last interval. */
static void
find_cores(const struct rs_view *v, const struct rs_irq_view *line, struct rs_cpuset *ret)
{
	uint64_t irq;

	rs_cpuset_zero(ret);
	if (rs_num_u64(rs_text_of(line->name), &irq) == 0 && irq <= UINT32_MAX) {
		const char *const told =
		    rs_view_fact(v, RS_F_IRQ_EFFECTIVE, (uint32_t)irq, RS_NO_QUEUE);

		if (told != NULL && rs_cpuset_parse_list(rs_text_of(told), ret) == 0 &&
		    rs_cpuset_count(ret) > 0)
			return;
	}
	rs_cpuset_zero(ret);
	for (uint32_t i = 0; i < line->n_cells; i++) {
		if (line->cells[i].rate_ps > 0)
			rs_cpuset_add(ret, line->cells[i].cpu);
	}
}

static void
put_queue(struct rs_exposition *x, const struct rs_view *v, const struct rs_nic_view *nic,
    const struct rs_queue_view *q)
{
	struct rs_labels l = rs_labels_none;
	struct rs_cpuset cores;

	if (q->line == NULL)
		return;
	(void)rs_text_copy(rs_text_of(nic->info.name), l.device, sizeof(l.device));
	(void)rs_text_copy(rs_text_of(q->line->name), l.irq, sizeof(l.irq));
	l.queue = q->queue;
	find_cores(v, q->line, &cores);
	unsigned cpu = rs_cpuset_next(&cores, 0);

	/* Without a core it still says which line serves the queue. */
	do {
		l.cpu = cpu < RS_CPU_MAX ? (int32_t)cpu : -1;
		rs_exposition_sample(x);
		rs_openmetrics_labels(x, &l, q->is_tx ? "tx" : "rx");
		rs_exposition_value(x, 1, 1);
		cpu = cpu < RS_CPU_MAX ? rs_cpuset_next(&cores, cpu + 1) : cpu;
	} while (cpu < RS_CPU_MAX);
}

static void
put_queues(struct rs_exposition *x, const struct rs_view *v)
{
	for (size_t i = 0; i < v->n_nics; i++) {
		const struct rs_nic_view *const nic = &v->nics[i];

		for (uint32_t k = 0; k < nic->n_queues; k++)
			put_queue(x, v, nic, &v->queues[nic->first_queue + k]);
	}
}

void
rs_openmetrics_machine(struct rs_exposition *x, const struct rs_view *v)
{
	static const struct rs_family words = {"setting", RS_FAMILY_INFO, NULL,
	    "A setting that is a word or a list, as the kernel tells it"};
	static const struct rs_family numbers = {"setting_value", RS_FAMILY_GAUGE, NULL,
	    "A setting that is a number, in the unit its name or the kernel gives it"};
	static const struct rs_family queues = {"queue_cpu", RS_FAMILY_INFO, NULL,
	    "Which interrupt serves a queue, and on which core: the effective affinity, or, where "
	    "it is not told, where it fired last"};

	rs_exposition_family(x, &words);
	put_settings(x, v, false);
	rs_exposition_family(x, &numbers);
	put_settings(x, v, true);
	rs_exposition_family(x, &queues);
	put_queues(x, v);
}

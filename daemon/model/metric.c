/* SPDX-License-Identifier: ISC */
/*
 * The metric table and what can be asked of it. Constant data, any thread.
 */
#include "metric.h"

#include <stdio.h>
#include <string.h>

#define RS_METRIC_ROW(id, ...) [RS_M_##id] = {__VA_ARGS__},
const struct rs_metric rs_metrics[RS_M_COUNT] = {RS_METRICS(RS_METRIC_ROW)};
#undef RS_METRIC_ROW

const struct rs_labels rs_labels_none = {.cpu = -1, .queue = -1};

const char *const rs_label_names[] = {"cpu", "device", "queue", "direction", "irq", "mode", NULL};

static const char *const unit_names[RS_UNIT_COUNT] = {
    [RS_UNIT_NONE] = "",
    [RS_UNIT_SECONDS] = "seconds",
    [RS_UNIT_RATIO] = "ratio",
    [RS_UNIT_PACKETS] = "packets",
    [RS_UNIT_BYTES] = "bytes",
    [RS_UNIT_INTERRUPTS] = "interrupts",
    [RS_UNIT_EVENTS] = "events",
    [RS_UNIT_CORES] = "cores",
    [RS_UNIT_BPS] = "bit/s",
    [RS_UNIT_PPS] = "packets/s",
    [RS_UNIT_PER_SECOND] = "1/s",
    [RS_UNIT_HZ] = "Hz",
    [RS_UNIT_CELSIUS] = "celsius",
};

const char *
rs_unit_name(enum rs_unit u)
{
	return (unsigned)u < RS_UNIT_COUNT ? unit_names[u] : "";
}

bool
rs_labels_same(const struct rs_labels *a, const struct rs_labels *b)
{
	return a->cpu == b->cpu && a->queue == b->queue && strcmp(a->device, b->device) == 0 &&
	       strcmp(a->irq, b->irq) == 0;
}

static bool
number_label(int32_t n, char dst[static 24])
{
	if (n < 0)
		return false;
	(void)snprintf(dst, 24, "%d", n);
	return true;
}

static bool
text_label(const char *s, char dst[static 24])
{
	if (!s || !*s)
		return false;
	(void)snprintf(dst, 24, "%s", s);
	return true;
}

bool
rs_label_value(
    const struct rs_metric *m, const struct rs_labels *l, const char *name, char dst[static 24])
{
	if (strcmp(name, "cpu") == 0)
		return number_label(l->cpu, dst);
	if (strcmp(name, "queue") == 0)
		return number_label(l->queue, dst);
	if (strcmp(name, "device") == 0)
		return text_label(l->device, dst);
	if (strcmp(name, "irq") == 0)
		return text_label(l->irq, dst);
	if (strcmp(name, "mode") == 0)
		return text_label(m->mode, dst);
	if (strcmp(name, "direction") == 0)
		return text_label(m->direction, dst);
	return false;
}

/* SPDX-License-Identifier: ISC */
/*
 * What /metrics tells, as one document. Loop thread.
 */
#ifndef RS_OPENMETRICS_H
#define RS_OPENMETRICS_H

#include <stdbool.h>

struct rs_buf;
struct rs_exposition;
struct rs_labels;
struct rs_live;
struct rs_view;

/* OpenMetrics 1.0.0, or Prometheus text 0.0.4. */
void rs_openmetrics_write(struct rs_buf *out, const struct rs_live *live, bool is_openmetrics);

/* Its parts: settings and queues, and the labels of a sample in the order of
 * rs_label_names; direction: NULL for none. */
void rs_openmetrics_machine(struct rs_exposition *x, const struct rs_view *v);
void rs_openmetrics_labels(
    struct rs_exposition *x, const struct rs_labels *l, const char *direction);

#endif

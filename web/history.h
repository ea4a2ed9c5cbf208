/* SPDX-License-Identifier: ISC */
/*
 * The answer of a history query as a source: made piece by piece while it is
 * sent, in any of its forms. Loop thread.
 */
#ifndef RS_HISTORY_H
#define RS_HISTORY_H

#include "reply.h"
#include "store.h"

enum rs_history_format { RS_FORMAT_JSON, RS_FORMAT_CSV };
enum rs_history_layout { RS_LAYOUT_COLUMNS, RS_LAYOUT_ROWS };

struct rs_history_form {
	enum rs_history_format format;
	enum rs_history_layout layout;
	enum rs_aggregate aggregate;
	const struct rs_metric *metric; /* any entry of its name */
};

/* The first entry of this name in rs_metrics, or NULL. Entries of one name have
 * the same unit, kind and labels. */
const struct rs_metric *rs_history_metric(struct rs_text name);
/* Whether series of the metric carry the label. */
bool rs_history_has_label(const struct rs_metric *m, const char *name);

/* Memory that h holds. */
size_t rs_history_bytes(const struct rs_history *h);

/* Takes h, on failure too. held: a sum this answer adds itself to while it
 * lives. -ENOMEM. */
int rs_history_source(struct rs_history *take, const struct rs_history_form *form, size_t *held,
    struct rs_source *ret);

#endif

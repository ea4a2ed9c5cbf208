/* SPDX-License-Identifier: ISC */
/*
 * Writes what Prometheus reads, in either of two formats: text 0.0.4
 * (prometheus.io/docs/instrumenting/exposition_formats) and OpenMetrics 1.0.0.
 * A family is begun with its description, which is written before its first
 * sample; one without samples leaves nothing. Locale-free. Any thread, each with
 * its own object.
 */
#ifndef RS_EXPOSITION_H
#define RS_EXPOSITION_H

#include <stdbool.h>

#include "rs.h"

#define RS_TYPE_PROMETHEUS "text/plain; version=0.0.4; charset=utf-8"
#define RS_TYPE_OPENMETRICS "application/openmetrics-text; version=1.0.0; charset=utf-8"

struct rs_buf;

enum rs_family_type { RS_FAMILY_COUNTER, RS_FAMILY_GAUGE, RS_FAMILY_INFO };

struct rs_family {
	const char *name; /* without ringside_, _total, _info */
	enum rs_family_type type;
	const char *unit; /* told when the name ends with it; NULL: none */
	const char *help;
};

struct rs_exposition {
	struct rs_buf *out;
	bool is_openmetrics;
	struct rs_family family;
	bool is_described; /* the family's header is written */
	bool has_labels;   /* the sample has one */
};

/* Whether OpenMetrics is what the sender of this Accept header likes best; not
 * when it is NULL or makes no sense. */
bool rs_exposition_wants_openmetrics(const char *accept);

void rs_exposition_begin(struct rs_exposition *x, struct rs_buf *out, bool is_openmetrics);
/* What f points to stays until the next family. */
void rs_exposition_family(struct rs_exposition *x, const struct rs_family *f);
/* A sample: begun, labels, then its value. */
void rs_exposition_sample(struct rs_exposition *x);
/* Any bytes; those that are not UTF-8 are spelt \xNN. */
void rs_exposition_label(struct rs_exposition *x, const char *name, const char *value);
void rs_exposition_label_uint(struct rs_exposition *x, const char *name, uint64_t value);
/* Rounded to 1/scale, a power of ten; not NAN or infinite. */
void rs_exposition_value(struct rs_exposition *x, double value, uint32_t scale);
void rs_exposition_end(struct rs_exposition *x);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Which output a file is: each is known by its name, or by what it looks like. Pure.
 */
#ifndef RS_KINDS_H
#define RS_KINDS_H

#include "diagnose/outputs.h"

struct rs_output_kind {
	const char *name;   /* the file's, without .txt and packing; '.' at its end: a device
			       follows; '*': anything */
	const char *line;   /* a line begins so; NULL: not that way */
	const char *words;  /* a second word on a line with `line` as a word; NULL */
	rs_output_fn *take; /* NULL: known, but nothing in it is looked at */
	bool is_counts;	    /* each line ends with a number: one without a line end may be cut */
};

/* NULL: none. The device is a part of the name, or empty. */
const struct rs_output_kind *rs_output_kind_by_name(const char *name, struct rs_text *ret_device);
const struct rs_output_kind *rs_output_kind_by_look(struct rs_text t);
/* What the text calls its device: "Channel parameters for eth0:"; empty: nothing. */
struct rs_text rs_output_kind_device(const struct rs_output_kind *kind, struct rs_text t);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * "Did you mean ...?": the known name nearest to a word somebody wrote. Pure.
 */
#ifndef RS_NEAREST_H
#define RS_NEAREST_H

#include "text.h"

struct rs_nearest {
	struct rs_text word;
	const char *best;
	unsigned distance;
};

void rs_nearest_begin(struct rs_nearest *n, struct rs_text word);
void rs_nearest_try(struct rs_nearest *n, const char *name);
/* The best name tried, or NULL when none resembles the word. */
const char *rs_nearest_best(const struct rs_nearest *n);

#endif

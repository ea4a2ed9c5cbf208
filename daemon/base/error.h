/* SPDX-License-Identifier: ISC */
/*
 * Out-of-band context for a failed call: a negative errno plus one sentence,
 * set once by the deepest layer that knows what went wrong. Any thread, each
 * with its own object.
 */
#ifndef RS_ERROR_H
#define RS_ERROR_H

#include "rs.h"

struct rs_error {
	int code;	/* negative errno, 0 while unset */
	char text[512]; /* one sentence without newline, cut when longer */
};

/* Stores code and text unless e is NULL or already set; returns code, so that
 * `return rs_error_set(e, -EINVAL, ...)` reads as one step. */
int rs_error_set(struct rs_error *e, int code, const char *format, ...) RS_PRINTF(3, 4);

/* Forgets what was set. */
void rs_error_clear(struct rs_error *e);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Times as the API and the command line take them. Pure.
 */
#ifndef RS_TIMEPARSE_H
#define RS_TIMEPARSE_H

#include "error.h"
#include "text.h"

/* Epoch seconds, negative seconds relative to now, or RFC 3339; fractions of a
 * second count to the millisecond. -EINVAL and a sentence. */
int rs_time_parse(struct rs_text t, int64_t now_ms, int64_t *ret_ms, struct rs_error *e);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Lists of what a client takes, with weights (RFC 9110, 12.4.2 and 12.5). Pure.
 */
#ifndef RS_ACCEPT_H
#define RS_ACCEPT_H

#include <stdbool.h>

#include "text.h"

/* The next piece before c, or the rest, without blanks around it; false at the
 * end. */
bool rs_accept_piece(struct rs_text *t, char c, struct rs_text *ret);
/* Names do not differ by case. */
bool rs_accept_same(struct rs_text t, const char *name);
/* A weight, 0 to 1; false when it is none. */
bool rs_accept_weight(struct rs_text t, double *ret);
/* Whether the sender of this Accept-Encoding header takes gzip and does not like
 * what is not encoded better; not when it is NULL or makes no sense. */
bool rs_accept_gzip(const char *accept_encoding);

#endif

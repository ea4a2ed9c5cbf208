/* SPDX-License-Identifier: ISC */
/*
 * Words that more than one command has: what something is about, how bad it is.
 */
#ifndef RS_WORDS_H
#define RS_WORDS_H

#include "page.h"

struct json_t;

/* How a state or severity looks. */
enum rs_style rs_words_style(const char *severity);
/* A subject object: "eth0 rx queue 2", "irq 34 (eth0 queue 2)", "core 3",
 * "host"; valid until the next. */
const char *rs_words_subject(struct rs_buf *scratch, const struct json_t *subject);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What ends by itself: --once, --check-config, --describe.
 */
#ifndef RS_ONESHOT_H
#define RS_ONESHOT_H

#include "options.h"

/* Each writes to standard output and returns 0 or negative errno. */
int rs_oneshot_once(const struct rs_options *o, const struct rs_config *c, struct rs_error *e);
/* Listeners and access rules, given the credential. */
int rs_oneshot_check_web(const struct rs_config *c, const char *token, struct rs_error *e);
int rs_oneshot_check(const struct rs_config *c, struct rs_error *e);
int rs_oneshot_describe(const char *what);

#endif

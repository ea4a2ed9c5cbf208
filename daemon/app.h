/* SPDX-License-Identifier: ISC */
/*
 * The running daemon: opened in one order, closed in the mirrored one, and the
 * tick in between. Loop thread.
 */
#ifndef RS_APP_H
#define RS_APP_H

#include "options.h"

struct rs_app;

/* Takes the configuration (it is freed with the application). A negative errno
 * and a sentence in e; nothing is left behind. */
int rs_app_open(
    const struct rs_options *o, struct rs_config *take, struct rs_error *e, struct rs_app **ret);
/* Until SIGTERM or SIGINT. 0, or negative errno. */
int rs_app_run(struct rs_app *a);
/* Writes what is pending, answers everybody, frees. NULL-safe, safe half open. */
void rs_app_close(struct rs_app *a);

#endif

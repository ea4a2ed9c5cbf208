/* SPDX-License-Identifier: ISC */
/*
 * Tells others of findings that were raised or cleared: a command ([alerts]
 * exec) and a web address ([alerts] webhook, through curl: the daemon has no
 * HTTP client of its own). Loop thread.
 */
#ifndef RS_ALERTS_H
#define RS_ALERTS_H

#include "engine.h"
#include "outbox.h"

struct rs_alerts;

struct rs_alerts_conf {
	const char *exec;    /* a shell command, "" none */
	const char *webhook; /* http:// or https://, "" none */
};

/* False: not an address that curl may be given; *ret_why says what is wrong. */
bool rs_alerts_is_webhook(const char *url, const char **ret_why);

int rs_alerts_new(const struct rs_alerts_conf *c, struct rs_loop *loop, struct rs_alerts **ret);
void rs_alerts_free(struct rs_alerts *a); /* NULL-safe */

/* What the engine says. Told are raised and cleared findings, and those that are
 * raised again within the same episode after it was told that they cleared. */
void rs_alerts_finding(struct rs_alerts *a, enum rs_finding_event ev, const struct rs_finding *f);

/* NULL where the kind is not configured. */
const struct rs_outbox *rs_alerts_exec(const struct rs_alerts *a);
const struct rs_outbox *rs_alerts_webhook(const struct rs_alerts *a);

#endif

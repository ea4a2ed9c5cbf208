/* SPDX-License-Identifier: ISC */
/*
 * Documents that a command is to take on its standard input, one at a time and
 * in order. A command that fails is tried again, later each time; one that hangs
 * is ended. Nothing here waits: a full queue gives up its oldest document and
 * counts it. Loop thread.
 */
#ifndef RS_OUTBOX_H
#define RS_OUTBOX_H

#include "loop.h"
#include "text.h"

struct rs_outbox;

struct rs_outbox_conf {
	const char *name;	 /* for the log: "alerts.exec" */
	const char *const *argv; /* NULL-terminated; copied */
	const char *secret;	 /* what descriptor 3 of the command reads, NULL: nothing; copied */
	rs_ns timeout_ns;	 /* a command may take so long */
	rs_ns retry_ns;		 /* before the second attempt; doubled up to a minute */
	unsigned attempts;	 /* then the document is given up */
};

int rs_outbox_new(const struct rs_outbox_conf *c, struct rs_loop *loop, struct rs_outbox **ret);
/* What runs and has read its document is left to end by itself. NULL-safe. */
void rs_outbox_free(struct rs_outbox *o);

/* Copied. -ENOMEM, or -E2BIG: longer than 256 kB; it is counted as dropped. */
int rs_outbox_put(struct rs_outbox *o, struct rs_text document);

/* After SIGCHLD: takes the end of the command, if it is that. */
void rs_outbox_reap(struct rs_outbox *o);

struct rs_outbox_stats {
	uint64_t delivered, failed_attempts, dropped;
	unsigned waiting;
	bool is_failing;
	char error[160]; /* of the last failed attempt, "" when not failing */
};
void rs_outbox_get_stats(const struct rs_outbox *o, struct rs_outbox_stats *ret);

#endif

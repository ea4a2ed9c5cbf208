/* SPDX-License-Identifier: ISC */
/*
 * A bounded queue of pointers between the loop and the store thread. The only
 * place with a lock. Order is kept; what is put is the taker's.
 */
#ifndef RS_MAILBOX_H
#define RS_MAILBOX_H

#include <stdbool.h>

#include "rs.h"

struct rs_mailbox;

int rs_mailbox_new(size_t capacity, struct rs_mailbox **ret);
void rs_mailbox_free(struct rs_mailbox *m); /* NULL-safe; must be empty */
/* Never waits: -EAGAIN when full, -EPIPE after close. */
int rs_mailbox_put(struct rs_mailbox *m, void *take);
/* The oldest, or NULL. With wait: blocks until there is one or the box is
 * closed and empty (then NULL). */
void *rs_mailbox_take(struct rs_mailbox *m, bool wait);
void rs_mailbox_close(struct rs_mailbox *m);
/* Readable while the box is not empty: for rs_loop_watch on the taker's side.
 * rs_mailbox_take clears it when it takes the last. */
int rs_mailbox_fd(const struct rs_mailbox *m);
size_t rs_mailbox_len(struct rs_mailbox *m);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Settings that changed as rows of a plain table, bounded in number. Store
 * thread, but for rs_changes_init.
 */
#ifndef RS_CHANGES_H
#define RS_CHANGES_H

#include "append.h"
#include "store.h"

/* *ret_next: the next free id. */
int rs_changes_init(struct rs_db *db, int64_t *ret_next);

/* Inserts all of them or none. What is then older than the newest
 * RS_CHANGES_KEPT goes in the same transaction: about as many as came. a: of the
 * running boot, whose clock they follow; NULL: their times stay. */
int rs_changes_add(struct rs_db *db, struct rs_appender *a, const struct rs_change *c, size_t n);

/* Kinds that this program does not know are left out. boot: the running one, 0:
 * none. */
int rs_changes_read(
    struct rs_db *db, const struct rs_change_query *q, int64_t boot, struct rs_change_list *ret);

#endif

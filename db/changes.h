/* SPDX-License-Identifier: ISC */
/*
 * Settings that changed as rows of a plain table, bounded in number. Store
 * thread, but for rs_changes_init.
 */
#ifndef RS_CHANGES_H
#define RS_CHANGES_H

#include "sql.h"
#include "store.h"

/* *ret_next: the next free id. */
int rs_changes_init(struct rs_db *db, int64_t *ret_next);

/* Inserts all of them or none. What is then older than the newest
 * RS_CHANGES_KEPT goes in the same transaction: about as many as came. */
int rs_changes_add(struct rs_db *db, const struct rs_change *c, size_t n);

/* Kinds that this program does not know are left out. */
int rs_changes_read(struct rs_db *db, const struct rs_change_query *q, struct rs_change_list *ret);

#endif

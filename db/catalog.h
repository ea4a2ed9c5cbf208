/* SPDX-License-Identifier: ISC */
/*
 * The list of all series. The loop thread begins it with what the head has: that
 * costs little. The store thread adds what is stored, sorts and merges.
 */
#ifndef RS_CATALOG_H
#define RS_CATALOG_H

#include "sql.h"
#include "store.h"

/* The series of the blocks, in no order and some of them more than once. offset_ms:
 * wall clock minus boot clock. 0 or -ENOMEM. Pure. */
int rs_catalog_begin(
    struct rs_catalog *c, const struct rs_block *const *blocks, size_t n_blocks, int64_t offset_ms);

/* Adds all stored series. newest_ms: when those not yet closed were last seen.
 * Store thread. */
int rs_catalog_read(struct rs_db *db, int64_t newest_ms, struct rs_catalog *c);

/* Each series once, in the order of rs_key_compare. Pure. */
void rs_catalog_end(struct rs_catalog *c);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The list of all series ever stored: read in the store thread, completed with
 * the head in the loop thread.
 */
#ifndef RS_CATALOG_H
#define RS_CATALOG_H

#include "sql.h"
#include "store.h"

/* All series, in the order of rs_key_compare. newest_ms: when those not yet
 * closed were last seen. Store thread. */
int rs_catalog_read(struct rs_db *db, int64_t newest_ms, struct rs_catalog *ret);

/* Adds what only the head knows and keeps the order. offset_ms: wall clock
 * minus boot clock. Pure. */
int rs_catalog_merge(
    struct rs_catalog *c, const struct rs_block *const *blocks, size_t n_blocks, int64_t offset_ms);

#endif

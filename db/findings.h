/* SPDX-License-Identifier: ISC */
/*
 * Findings as rows, in plain tables that the sqlite3 shell can read. Store
 * thread, but for rs_findings_init.
 */
#ifndef RS_FINDINGS_H
#define RS_FINDINGS_H

#include "sql.h"
#include "store.h"

#define RS_FINDINGS_MAX 1000

/* Findings that a program before us left active ended when it did: at
 * newest_ms, or when they were raised. *ret_next: the next free id. */
int rs_findings_init(struct rs_db *db, int64_t newest_ms, int64_t *ret_next);

/* Inserts or replaces by id, in its own transaction. */
int rs_findings_put(struct rs_db *db, const struct rs_finding *f);

/* Newest first, at most RS_FINDINGS_MAX. */
int rs_findings_read(struct rs_db *db, struct rs_finding_list *ret);

#endif

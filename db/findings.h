/* SPDX-License-Identifier: ISC */
/*
 * Findings as rows, in plain tables that the sqlite3 shell can read. Store
 * thread, but for rs_findings_init.
 */
#ifndef RS_FINDINGS_H
#define RS_FINDINGS_H

#include "append.h"
#include "store.h"

#define RS_FINDINGS_MAX 1000

/* Findings that a program before us left active ended when it did: at
 * newest_ms, or when they were raised. *ret_next: the next free id. */
int rs_findings_init(struct rs_db *db, int64_t newest_ms, int64_t *ret_next);

/* Inserts or replaces by id, in its own transaction. a: of the running boot, whose
 * clock the finding follows; NULL: its times stay. */
int rs_findings_put(struct rs_db *db, struct rs_appender *a, const struct rs_finding *f);

/* Newest first, at most RS_FINDINGS_MAX. Those of the running boot (0: none) have
 * its boot clock, too, so that they can follow the clock of the moment. */
int rs_findings_read(struct rs_db *db, int64_t boot, struct rs_finding_list *ret);

#endif

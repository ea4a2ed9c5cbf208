/* SPDX-License-Identifier: ISC */
/*
 * Opening the database: whose it is, which schema it has, and the steps to the
 * newest one. Nothing of a file that is refused is changed. Store thread.
 */
#ifndef RS_MIGRATE_H
#define RS_MIGRATE_H

#include "error.h"
#include "sql.h"

/* PRAGMA application_id: "Rngs". */
#define RS_DB_APPLICATION_ID 0x526e6773

/* SQL that leads from schema i to schema i + 1. Generated from schema.sql
 * and schema_N.sql. */
extern const char *const rs_schema_steps[];
extern const int rs_schema_version;

/* NULL: in memory. -EALREADY: another daemon has it. -EEXIST: a database of
 * another program. -EILSEQ: not a database. -EPROTONOSUPPORT: written by a newer
 * version. None of these changes anything. -EBADMSG: ours, and damaged. Others as
 * the system gave them. */
int rs_db_open(const char *path, struct rs_error *e, struct rs_db **ret);
void rs_db_close(struct rs_db *db); /* NULL-safe */
/* Closes, and leaves database and log as they are. */
void rs_db_leave(struct rs_db *db);

/* Takes a checked database from its schema to `version`, each step in its own
 * transaction. */
int rs_db_migrate(struct rs_db *db, const char *const *steps, int version, struct rs_error *e);

#endif

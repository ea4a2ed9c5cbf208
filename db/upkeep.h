/* SPDX-License-Identifier: ISC */
/*
 * What keeps the database lasting: making the minute and hour tiers of finer
 * ones (rollup.c) and giving up what is too old or too much (retention.c).
 * Everything in bites of a few milliseconds, each its own transaction, so that
 * samples and questions never wait long. Store thread. All of it does nothing for
 * a database in memory.
 */
#ifndef RS_UPKEEP_H
#define RS_UPKEEP_H

#include "append.h"
#include "retention.h"
#include "rollup.h"
#include "room.h"
#include "sql.h"
#include "store.h"

struct rs_upkeep {
	struct rs_retention retention; /* given_up[]: rows, for want of room */
	struct rs_rollup rollup;       /* cells.damaged: what could not be read, for a log line */
	struct rs_room room;
	bool is_memory;
	unsigned doublings; /* of what rs_upkeep_make_room is told */
};

/* Once after each opening of the database, with no transaction open. Sets what
 * keeps the files below limits->max_bytes. 0 or negative errno. */
int rs_upkeep_init(struct rs_upkeep *u, struct rs_db *db, const struct rs_store_limits *limits);
/* Before or after the database is closed; also after a failed init. */
void rs_upkeep_fini(struct rs_upkeep *u);

/* Does one bite. 1: there is more to do; 0: nothing; negative errno: rolled
 * back, try again after the next minute. now_ms: boot clock of the running boot
 * a->boot; offset_ms: its wall clock minus boot clock. */
int rs_upkeep_bite(struct rs_upkeep *u, struct rs_db *db, const struct rs_appender *a,
    int64_t now_ms, int64_t offset_ms);

/* About how many bytes a block takes, rather too many than too few. */
int64_t rs_upkeep_estimate(const struct rs_block *b);

/* Before samples are written, outside of a transaction: sees to it that about
 * `bytes` more fit below limits.max_bytes, giving up raw samples, oldest first,
 * then minutes, then hours. is_disk_full: writing failed with -ENOSPC, or would; the
 * file cannot grow either, and only its own free pages count. After that writing is
 * worth a second try. -ENOSPC: not possible, or a reader from outside keeps the log
 * from being emptied; db->error says which. */
int rs_upkeep_make_room(struct rs_upkeep *u, struct rs_db *db, int64_t bytes, bool is_disk_full);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * How large the database and its log may grow together. The file has a hard wall
 * (PRAGMA max_page_count) and never shrinks: its free pages are used again. The
 * log has a share of its own, is emptied when half of it is used, and begins at
 * its front again. Store thread.
 */
#ifndef RS_ROOM_H
#define RS_ROOM_H

#include <stdbool.h>

#include "sql.h"

struct rs_room {
	bool has_limit;
	int64_t page_bytes;
	int64_t max_pages;   /* that the file should have at most */
	int64_t wall_pages;  /* more only when it is larger already */
	int64_t log_bytes;   /* the log's share */
	int64_t batch_bytes; /* what is given up at a time: not a little each minute */
};

/* max_bytes 0: no limit. Outside of a transaction. */
int rs_room_init(struct rs_room *m, struct rs_db *db, int64_t max_bytes);

struct rs_room_left {
	int64_t free_bytes;    /* of pages that are in the file */
	int64_t growth_bytes;  /* up to the wall */
	int64_t surplus_bytes; /* that should not be in the file; 0: all is well */
};
int rs_room_look(const struct rs_room *m, struct rs_db *db, struct rs_room_left *ret);

/* Before a transaction of about so many bytes: empties the log first when it
 * would need more than its share. -ENOSPC: it cannot be emptied, for somebody
 * else reads, and must not grow any more. */
int rs_room_in_log(const struct rs_room *m, struct rs_db *db, int64_t bytes);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Writes minute blocks: rows of `boots`, `series` and `raw`. Store thread.
 */
#ifndef RS_APPEND_H
#define RS_APPEND_H

#include "known.h"
#include "raw.h"

struct rs_append_pick;

struct rs_appender {
	const char *boot_id;	    /* borrowed; "": not known, each start is a new boot */
	int64_t boot;		    /* row of boots; 0: none yet */
	struct rs_boot_time newest; /* stored tick */
	struct rs_known known;
	struct rs_known late;	      /* slots of a block that is older than `newest` */
	struct rs_append_pick *picks; /* work space */
	uint32_t cap_picks;
	struct rs_buf chunk; /* work space */
};

/* Looks up what is stored already. 0 or negative errno. */
int rs_appender_init(struct rs_appender *a, struct rs_db *db, const char *boot_id);
void rs_appender_fini(struct rs_appender *a);
/* Makes the row of the running boot if it has none yet: a->boot. offset_ms: wall
 * clock minus boot clock. In a transaction it is gone with that. */
int rs_appender_need_boot(struct rs_appender *a, struct rs_db *db, int64_t offset_ms);

/* The block and those behind it by `next`, the oldest first, in one transaction;
 * nothing of them is stored after an error. offset_ms: wall clock minus boot clock,
 * written to the boot. In memory only the last 60 minutes stay. A block may come
 * again after an error, also behind newer ones: it changes nothing that they said
 * of the boot and of what is there now, but tiers made without it are made again.
 * *ret_commit_ns: how long the commit took. */
int rs_append_blocks(struct rs_appender *a, struct rs_db *db, const struct rs_block *b,
    int64_t offset_ms, rs_ns *ret_commit_ns);

#endif

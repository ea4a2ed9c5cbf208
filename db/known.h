/* SPDX-License-Identifier: ISC */
/*
 * The rows of `series`: which one a slot of the blocks is, and when series
 * came and went. The time a series was last seen is written when it is gone,
 * not each minute: that would rewrite the whole table for nothing. Store
 * thread, within the transaction of a block.
 */
#ifndef RS_KNOWN_H
#define RS_KNOWN_H

#include "codec.h"
#include "keymap.h"
#include "sql.h"
#include "tier.h"

/* A moment on the boot clock of a boot (row of `boots`; 0: never). */
struct rs_boot_time {
	int64_t boot, ms;
};

struct rs_known_slot {
	uint32_t uid;
	uint32_t id; /* row of series; 0: the slot had no values in the last block */
	int64_t last_ms;
};

struct rs_known {
	struct rs_known_slot *slots; /* those of the last block */
	uint32_t n;
	/* Not known what the last block had, after a start or a failure: series
	 * still open in the database ended with the newest stored tick. */
	bool is_cold;
	uint32_t last_id; /* of the last row that was made; 0: none yet */
};

void rs_known_init(struct rs_known *k);
void rs_known_fini(struct rs_known *k);
/* After a transaction that did not happen. */
void rs_known_forget(struct rs_known *k);

/* Finds, makes, reopens and closes rows so that slots[i].id is the series of
 * the block's slot i, 0 where it has no values. */
int rs_known_update(struct rs_known *k, struct rs_db *db, const struct rs_block *b, int64_t boot,
    const struct rs_boot_time *newest);

/* The same for a block that is older than stored ones: rows are found, made and
 * widened to its span, and which series are open stays as it is. */
int rs_known_insert(struct rs_known *k, struct rs_db *db, const struct rs_block *b, int64_t boot);

/* Kinds of the series first_id, first_id + 1, ...: RS_KNOWN_NOT for ids without a
 * row. */
#define RS_KNOWN_NOT 0xff
int rs_known_kinds(struct rs_db *db, uint32_t first_id, uint32_t n, uint8_t *ret_kinds);

/* The series of a row of RS_SQL_SERIES_LABELS; false when this program does
 * not know the metric any more. */
bool rs_known_of_row(sqlite3_stmt *st, struct rs_key *ret, uint32_t *ret_scale);

#endif

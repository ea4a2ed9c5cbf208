/* SPDX-License-Identifier: ISC */
/*
 * What is given up: rows that are too old, rows for which there is no room, and
 * the series and boots that nothing stored tells of any more. Each call deletes a
 * bounded number of rows in one transaction. Store thread.
 */
#ifndef RS_RETENTION_H
#define RS_RETENTION_H

#include <stdbool.h>

#include "append.h"
#include "rows.h"
#include "store.h"

struct rs_retention {
	struct rs_store_limits limits;
	/* The clock must have kept its course for a while before what other boots
	 * stored is too old: a wrong year must not empty the history. */
	bool has_offset;
	int64_t offset_ms, offset_since_ms; /* boot clock of the running boot */
	int64_t done_hour; /* of the running boot: nothing is to be done until the next */
	uint64_t given_up[RS_TIER_COUNT]; /* rows, for want of room */
};

/* Of the boot that runs. */
struct rs_retention_now {
	int64_t boot;	     /* 0: it has stored nothing yet */
	int64_t ms;	     /* its clock */
	int64_t offset_ms;   /* wall clock minus that */
	int64_t others_ms;   /* what other boots stored is at least so old */
	int64_t newest_boot; /* of what is stored; 0: nothing */
};

void rs_retention_init(struct rs_retention *t, const struct rs_store_limits *limits);

/* Rows that are too old, whole hours of them, once an hour. 1: there may be more. */
int rs_retention_bite(struct rs_retention *t, struct rs_db *db, const struct rs_retention_now *now);

/* Gives up about so many bytes of rows: samples first, oldest first, that are in
 * the minute tier already; then minutes that are in the hour tier; then hours; and
 * what is only here when there is nothing else. 1; 0: there is nothing at all. */
int rs_retention_free(struct rs_retention *t, struct rs_db *db, int64_t bytes);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * An hour of a boot on its way from `raw` to `minute`, in bites. Memory stays
 * small with many series, for it is made of a window of series at a time; which
 * rows of raw have some of them is looked up first, so that each is read but once
 * or twice more. Store thread.
 */
#ifndef RS_HOUR_H
#define RS_HOUR_H

#include "cells.h"

/* A row of raw and the series in it. */
struct rs_hour_part {
	int64_t key;
	uint32_t first_id, last_id;
};

struct rs_hour {
	int64_t boot, hour;
	struct rs_hour_part *parts; /* owned; those that can be read, ascending */
	size_t n, cap;
	int64_t n_rows, first_key, last_key; /* damaged ones too */
	uint32_t ticks;			     /* in a minute, at most */
	bool is_looked_up;
	uint32_t next_id; /* series below are written */
};

void rs_hour_fini(struct rs_hour *h);
/* Keeps the memory. */
void rs_hour_begin(struct rs_hour *h, int64_t boot, int64_t hour);

/* A bite of looking up, until is_looked_up. c->damaged counts. */
int rs_hour_look_up(struct rs_hour *h, struct rs_db *db, struct rs_cells *c);
/* Whether the rows are still those that were looked up. */
int rs_hour_check(const struct rs_hour *h, struct rs_db *db, bool *ret_is_same);

/* What a transaction may do: it ends after the window that has used one of them
 * up. */
struct rs_hour_budget {
	int64_t samples, bytes;
};
/* A bite of writing, within a transaction. 1: there is more; 0: all is written. */
int rs_hour_write(
    struct rs_hour *h, struct rs_db *db, struct rs_cells *c, struct rs_hour_budget *budget);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Reads samples back into a grid. A statement never stays open: what it gives
 * is copied before the answer leaves. Store thread.
 */
#ifndef RS_QUERY_H
#define RS_QUERY_H

#include <stdatomic.h>

#include "grid.h"
#include "sql.h"

/* What a query must know beside its text. */
struct rs_query_env {
	int64_t boot;	   /* the running one; 0: it has stored nothing yet */
	int64_t offset_ms; /* its wall clock minus boot clock */
	int64_t interval_ms;
	/* Where the head may have values, wall clock; oldest > newest: nowhere. */
	int64_t head_oldest_ms, head_newest_ms;
	rs_ns deadline_ns;	 /* rs_clock_mono; later: -ETIME */
	atomic_bool *is_closing; /* true: give up soon, -ECANCELED */
};

/* Fills the grid with what is stored; an error goes to its status too.
 * *ret_damaged counts chunks that could not be read and were left out. */
int rs_query_run(
    struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env, unsigned *ret_damaged);

/* Wall time of the oldest value in the table of a tier; 0: none. */
int rs_query_oldest(struct rs_db *db, enum rs_tier tier, int64_t *ret_ms);
/* Wall clock minus boot clock of a boot, 0 when unknown. */
int rs_query_offset(struct rs_db *db, int64_t boot, int64_t *ret_ms);

#endif

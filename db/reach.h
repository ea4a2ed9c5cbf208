/* SPDX-License-Identifier: ISC */
/*
 * How far back each tier reaches in an asked range, and which of them answers.
 * Store thread.
 */
#ifndef RS_REACH_H
#define RS_REACH_H

#include "grid.h"
#include "known.h"
#include "query.h"
#include "raw.h"

/* What is stored of a boot in the range. */
struct rs_boot_reach {
	int64_t boot, offset_ms;
	/* Hours and days of its clock: those below are in `minute`, in `hour`. */
	int64_t minute_until, hour_until;
	/* Rows that touch the range; last 0: none. */
	struct rs_raw_range rows[RS_TIER_COUNT];
	int64_t oldest_ms[RS_TIER_COUNT]; /* boot clock: of the first value in them */
};

struct rs_reach {
	struct rs_boot_reach *boots; /* owned; those with rows, ascending */
	size_t n, cap;
	/* Of all that an answer of the tier can be made of, the head included: wall
	 * clock, oldest > newest: nothing. */
	int64_t oldest_ms[RS_TIER_COUNT], newest_ms;
	int64_t phase_ms; /* wall minus boot clock of the newest boot that has something */
};

void rs_reach_fini(struct rs_reach *r);
/* The first value in the table of a tier, on the clock of its boot; boot 0: there is
 * none. */
int rs_reach_oldest(struct rs_db *db, enum rs_tier tier, struct rs_boot_time *ret);

/* Looks at the ends of all tables. *ret_damaged: rows that could not be read. */
int rs_reach_find(struct rs_db *db, const struct rs_query *q, const struct rs_query_env *env,
    struct rs_reach *ret, unsigned *ret_damaged);

/* The tier of an answer, and where its axis is:
 *
 * A tier reaches when no other has a whole slot that is older. With `points`, it
 * is the coarsest one that reaches and whose slot is no longer than a step
 * (range / points), provided the range has RS_REACH_SLOTS_MIN of its slots, so
 * that slots across an end of the range do not matter; when all that reach are
 * too coarse, the finest of them, and the step is then one slot. Without, the
 * finest that reaches and whose answer is not too large; where each is, the
 * coarsest, and the answer is -E2BIG. q->tier overrules all that. */
#define RS_REACH_SLOTS_MIN 60
void rs_reach_choose(const struct rs_reach *r, const struct rs_query *q,
    const struct rs_query_env *env, struct rs_grid_span *ret);

/* Which of the boot's rows of `from` belong in an answer of `tier`; false: none. */
bool rs_reach_rows(
    const struct rs_boot_reach *b, enum rs_tier tier, enum rs_tier from, struct rs_raw_range *ret);

#endif

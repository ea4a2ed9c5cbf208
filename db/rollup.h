/* SPDX-License-Identifier: ISC */
/*
 * Makes the rows of `minute` from those of `raw`, an hour of a boot at a time,
 * and the rows of `hour` from those of `minute`, a day at a time. Each is a
 * function of what is finer: made again, it is the same. What is not in the
 * database is only how far an hour or a day has come, so that a crash in between
 * repeats it. Store thread.
 */
#ifndef RS_ROLLUP_H
#define RS_ROLLUP_H

#include "hour.h"

struct rs_rollup {
	int64_t done_boot; /* boots below it need nothing, but for the running one */
	/* What is being made: an hour for `minute`, a day for `hour`; RS_TIER_RAW:
	 * nothing. */
	struct rs_rollup_work {
		enum rs_tier tier;
		int64_t boot, period;
	} work;
	struct rs_hour hour;
	int64_t next_group; /* of the day: those below are written */
	struct rs_cells cells;
	int64_t bite_bytes; /* a transaction writes so much, and a little more */
	int64_t bite_samples;
};

void rs_rollup_init(struct rs_rollup *u, int64_t bite_bytes);
void rs_rollup_fini(struct rs_rollup *u);

/* Does a part of what can be made: of the running boot (0: it has none yet) hours
 * and days that are over, of others everything. 1: did something; 0: there is
 * nothing; negative errno: what it did is rolled back. */
int rs_rollup_bite(struct rs_rollup *u, struct rs_db *db, int64_t running);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Reads stored rows into a grid. What is damaged is left out, and reading goes
 * on behind it. Store thread.
 */
#ifndef RS_SCAN_H
#define RS_SCAN_H

#include "reach.h"

/* A stored series that is asked for. */
struct rs_wanted {
	uint32_t id, scale;
	struct rs_key key;
};

struct rs_wanted_list {
	struct rs_wanted *list; /* ascending by id */
	size_t n, cap;
};

/* Everything of one boot that belongs in an answer of the grid's tier. *damaged is
 * counted up. -ETIME, -ECANCELED: env says so. */
int rs_scan_boot(struct rs_db *db, struct rs_grid *g, const struct rs_boot_reach *b,
    const struct rs_wanted_list *want, const struct rs_query_env *env, unsigned *damaged);

#endif

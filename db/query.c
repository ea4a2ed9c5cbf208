/* SPDX-License-Identifier: ISC */
/*
 * A question's way: which series it means, how far back each tier reaches
 * (reach.c), which of them answers, its rows (scan.c). Two boots whose times
 * overlap, because a clock was wrong, both count in the steps they share. Store
 * thread.
 */
#include "query.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "known.h"
#include "scan.h"

/* --- which series ------------------------------------------------------ */

static int
add_candidate(struct rs_wanted_list *c, const struct rs_wanted *one)
{
	if (c->n == c->cap) {
		const size_t cap = c->cap == 0 ? 64 : c->cap * 2;
		struct rs_wanted *const list = realloc(c->list, cap * sizeof(*list));

		if (list == NULL)
			return -ENOMEM;
		c->list = list;
		c->cap = cap;
	}
	c->list[c->n++] = *one;
	return 0;
}

static int
by_id(const void *a, const void *b)
{
	const struct rs_wanted *const left = a, *const right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* A label that may have one value only narrows down what has to be looked at; the
 * statement has them in the order of rs_label_names, from 2 on. */
static void
bind_filters(sqlite3_stmt *st, const struct rs_query *q)
{
	for (int k = 0; rs_label_names[k] != NULL; k++) {
		const struct rs_filter *only = NULL;
		size_t n = 0;

		for (size_t i = 0; i < q->n_filters; i++) {
			if (strcmp(q->filters[i].label, rs_label_names[k]) != 0)
				continue;
			only = &q->filters[i];
			n++;
		}
		if (n == 1)
			rs_sql_bind_text(st, 2 + k, only->value);
	}
}

static int
find_series(struct rs_db *db, const struct rs_grid *g, struct rs_wanted_list *ret)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_OF_METRIC);
	int r;

	rs_sql_bind_text(st, 1, g->q.metric);
	bind_filters(st, &g->q);
	while ((r = rs_sql_step(db, st)) > 0) {
		const sqlite3_int64 id = sqlite3_column_int64(st, 9);
		struct rs_wanted one;

		if (id < 1 || id > UINT32_MAX || !rs_known_of_row(st, &one.key, &one.scale) ||
		    !rs_grid_wants(g, one.key.metric, &one.key.labels))
			continue;
		one.id = (uint32_t)id;
		r = add_candidate(ret, &one);
		if (r < 0) {
			(void)sqlite3_reset(st);
			return r;
		}
	}
	if (ret->n > 0)
		qsort(ret->list, ret->n, sizeof(*ret->list), by_id);
	return r;
}

/* --- the answer -------------------------------------------------------- */

static int
read_all(struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env,
    const struct rs_reach *reach, const struct rs_wanted_list *want, unsigned *damaged)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < reach->n; i++)
		r = rs_scan_boot(db, g, &reach->boots[i], want, env, damaged);
	return r;
}

static int
run(struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env, unsigned *damaged)
{
	struct rs_wanted_list want = {0};
	struct rs_reach reach = {0};
	struct rs_grid_span span;

	int r = find_series(db, g, &want);
	if (r == 0)
		r = rs_reach_find(db, &g->q, env, &reach, damaged);
	if (r == 0) {
		rs_reach_choose(&reach, &g->q, env, &span);
		r = rs_grid_set_axis(g, &span);
	}
	if (r == 0 && want.n > 0 && g->n_steps > 0)
		r = read_all(db, g, env, &reach, &want, damaged);
	rs_reach_fini(&reach);
	free(want.list);
	return r;
}

int
rs_query_run(
    struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env, unsigned *ret_damaged)
{
	*ret_damaged = 0;
	/* One transaction: locks and the log's end are looked at once, not at each row. */
	int r = rs_sql_exec(db, RS_SQL_BEGIN_READ);
	if (r == 0)
		r = run(db, g, env, ret_damaged);
	if (!sqlite3_get_autocommit(db->handle))
		(void)rs_sql_exec(db, RS_SQL_COMMIT);
	if (r < 0 && g->status == 0)
		g->status = r;
	return r;
}

/* --- facts for the statistics ------------------------------------------ */

int
rs_query_offset(struct rs_db *db, int64_t boot, int64_t *ret_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_OFFSET);

	*ret_ms = 0;
	(void)sqlite3_bind_int64(st, 1, boot);
	return rs_sql_int(db, st, ret_ms);
}

int
rs_query_oldest(struct rs_db *db, enum rs_tier tier, int64_t *ret_ms)
{
	struct rs_boot_time oldest;
	int64_t offset = 0;
	int r = rs_reach_oldest(db, tier, &oldest);

	if (r == 0 && oldest.boot != 0)
		r = rs_query_offset(db, oldest.boot, &offset);
	*ret_ms = r < 0 || oldest.boot == 0 ? 0 : oldest.ms + offset;
	return r;
}

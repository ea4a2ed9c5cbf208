/* SPDX-License-Identifier: ISC */
/*
 * A range of wall time becomes one range of keys a boot, through the offset of
 * that boot. Two boots whose times overlap, because a clock was wrong, both
 * count in the steps they share. Store thread.
 */
#include "query.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "known.h"
#include "raw.h"

/* A stored series that the query wants. */
struct candidate {
	uint32_t id, scale;
	struct rs_key key;
};

struct candidates {
	struct candidate *list; /* ascending by id */
	size_t n, cap;
};

/* Keys of one boot that may lie in the asked range. */
struct boot_range {
	struct rs_raw_range keys;
	int64_t offset_ms;
};

/* --- which series ------------------------------------------------------ */

static int
add_candidate(struct candidates *c, const struct candidate *one)
{
	if (c->n == c->cap) {
		const size_t cap = c->cap == 0 ? 64 : c->cap * 2;
		struct candidate *const list = realloc(c->list, cap * sizeof(*list));

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
	const struct candidate *const left = a, *const right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

static int
find_series(struct rs_db *db, const struct rs_grid *g, struct candidates *ret)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_OF_METRIC);
	int r;

	rs_sql_bind_text(st, 1, g->q.metric);
	while ((r = rs_sql_step(db, st)) > 0) {
		const sqlite3_int64 id = sqlite3_column_int64(st, 9);
		struct candidate one;

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

/* --- which rows -------------------------------------------------------- */

static int64_t
floor_minutes(int64_t ms)
{
	return ms / RS_MINUTE_MS - (ms % RS_MINUTE_MS < 0);
}

/* The next boot with keys in the range: 1, none: 0, negative errno. */
static int
next_boot(struct rs_db *db, sqlite3_stmt *boots, const struct rs_grid *g,
    const struct rs_query_env *env, struct boot_range *ret)
{
	int r;

	while ((r = rs_sql_step(db, boots)) > 0) {
		const int64_t boot = sqlite3_column_int64(boots, 0);
		const int64_t offset =
		    boot == env->boot ? env->offset_ms : sqlite3_column_int64(boots, 1);
		const int64_t first = floor_minutes(g->q.after_ms - offset);
		const int64_t last = floor_minutes(g->q.before_ms - offset);

		if (last < 0 || first >= RS_RAW_MINUTES)
			continue;
		ret->keys.first = rs_raw_key(boot, RS_MAX(first, 0), 0);
		ret->keys.last =
		    rs_raw_key(boot, RS_MIN(last, RS_RAW_MINUTES - 1), RS_RAW_PARTS - 1);
		ret->offset_ms = offset;
		return 1;
	}
	return r;
}

/* Where values lie, and the phase of the newest boot that has some. */
static int
find_span(struct rs_db *db, const struct rs_grid *g, const struct rs_query_env *env,
    struct rs_grid_span *ret)
{
	sqlite3_stmt *const boots = rs_sql(db, RS_SQL_BOOT_LIST);
	struct boot_range range;
	int r;

	while ((r = next_boot(db, boots, g, env, &range)) > 0) {
		int64_t first, last;

		if ((r = rs_raw_lowest(db, &range.keys, &first)) < 0 ||
		    (r = rs_raw_highest(db, &range.keys, &last)) < 0)
			break;
		if (first == 0)
			continue;
		const int64_t oldest = rs_raw_minute(first) * RS_MINUTE_MS + range.offset_ms;
		const int64_t newest = (rs_raw_minute(last) + 1) * RS_MINUTE_MS + range.offset_ms;
		ret->oldest_ms = RS_MIN(ret->oldest_ms, oldest);
		ret->newest_ms = RS_MAX(ret->newest_ms, newest);
		ret->phase_ms = range.offset_ms;
	}
	(void)sqlite3_reset(boots);
	return r;
}

/* --- reading ----------------------------------------------------------- */

/* Adds the wanted series of one chunk: both lists ascend by id. -EBADMSG: it
 * is damaged; what was read before the damage counts. */
static int
read_chunk(const void *data, size_t len, int64_t start_ms, const struct candidates *want,
    struct rs_grid *g)
{
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	struct rs_chunk c;
	struct rs_chunk_entry e;
	size_t i = 0;
	int r = rs_chunk_open(&c, data, len);

	while (r == 0 && i < want->n && rs_chunk_next(&c, &e)) {
		while (i < want->n && want->list[i].id < e.id)
			i++;
		if (i == want->n || want->list[i].id != e.id)
			continue;
		r = rs_chunk_values(&c, &e, values, present);
		const struct rs_grid_source src = {
		    .start_ms = start_ms, .axis = &c.axis, .scale = want->list[i].scale};
		if (r == 0)
			rs_grid_add(g, &want->list[i].key, &src, values, present);
	}
	return r;
}

/* Asked at each chunk: writing waits for a question. */
static int
give_up(const struct rs_query_env *env)
{
	if (atomic_load(env->is_closing))
		return -ECANCELED;
	return rs_clock_mono() > env->deadline_ns ? -ETIME : 0;
}

static int
read_range(struct rs_db *db, const struct boot_range *range, const struct candidates *want,
    struct rs_grid *g, const struct rs_query_env *env, unsigned *damaged)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_SCAN);
	int r;

	(void)sqlite3_bind_int64(st, 1, range->keys.first);
	(void)sqlite3_bind_int64(st, 2, range->keys.last);
	while ((r = rs_sql_step(db, st)) > 0 && g->status == 0) {
		const int64_t minute = rs_raw_minute(sqlite3_column_int64(st, 0));
		const void *const data = sqlite3_column_blob(st, 1);
		const int len = sqlite3_column_bytes(st, 1);

		r = give_up(env);
		if (r < 0)
			break;
		if (data == NULL || read_chunk(data, (size_t)len,
					minute * RS_MINUTE_MS + range->offset_ms, want, g) < 0)
			(*damaged)++;
	}
	(void)sqlite3_reset(st);
	return r < 0 ? r : g->status;
}

static int
run(struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env, struct candidates *want,
    unsigned *damaged)
{
	struct rs_grid_span span = {.oldest_ms = INT64_MAX,
	    .newest_ms = INT64_MIN,
	    .interval_ms = env->interval_ms,
	    .phase_ms = env->offset_ms};
	struct boot_range range;
	int r = find_series(db, g, want);

	if (r == 0 && want->n > 0)
		r = find_span(db, g, env, &span);
	if (env->head_oldest_ms <= RS_MIN(env->head_newest_ms, g->q.before_ms) &&
	    env->head_newest_ms > g->q.after_ms) {
		span.oldest_ms = RS_MIN(span.oldest_ms, env->head_oldest_ms);
		span.newest_ms = RS_MAX(span.newest_ms, env->head_newest_ms);
		span.phase_ms = env->offset_ms;
	}
	if (r == 0)
		r = rs_grid_set_axis(g, &span);
	if (r < 0 || want->n == 0 || g->n_steps == 0)
		return r;
	sqlite3_stmt *const boots = rs_sql(db, RS_SQL_BOOT_LIST);
	while ((r = next_boot(db, boots, g, env, &range)) > 0) {
		r = read_range(db, &range, want, g, env, damaged);
		if (r < 0)
			break;
	}
	(void)sqlite3_reset(boots);
	return r;
}

int
rs_query_run(
    struct rs_db *db, struct rs_grid *g, const struct rs_query_env *env, unsigned *ret_damaged)
{
	struct candidates want = {0};

	*ret_damaged = 0;
	const int r = run(db, g, env, &want, ret_damaged);
	free(want.list);
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
rs_query_oldest(struct rs_db *db, int64_t *ret_ms)
{
	int64_t key = 0, offset = 0, first_ms = 0, last_ms;
	int r = rs_raw_lowest(db, &rs_raw_all, &key);

	*ret_ms = 0;
	if (r < 0 || key == 0)
		return r;
	r = rs_query_offset(db, rs_raw_boot(key), &offset);
	if (r == 0)
		r = rs_raw_ends(db, key, &first_ms, &last_ms);
	*ret_ms = r < 0 ? 0 : first_ms + offset;
	return r;
}

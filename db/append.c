/* SPDX-License-Identifier: ISC */
/*
 * From a block to rows: its series in the order of their ids, cut into chunks.
 * Store thread.
 */
#include "append.h"

#include <errno.h>
#include <stdlib.h>

#include "clock.h"
#include "events.h"

/* A slot of the block that has values. */
struct rs_append_pick {
	uint32_t id, slot;
};

/* --- what is stored already -------------------------------------------- */

static int
find_newest(struct rs_db *db, struct rs_boot_time *ret)
{
	int64_t key = 0, first_ms;
	const int r = rs_raw_highest(db, &rs_raw_all, &key);

	if (r < 0 || key == 0)
		return r;
	ret->boot = rs_raw_boot(key);
	return rs_raw_ends(db, key, &first_ms, &ret->ms);
}

int
rs_appender_init(struct rs_appender *a, struct rs_db *db, const char *boot_id)
{
	*a = (struct rs_appender){.boot_id = boot_id};
	rs_known_init(&a->known);
	rs_known_init(&a->late);
	rs_buf_init(&a->chunk, RS_CHUNK_BYTES_MAX);
	int r = find_newest(db, &a->newest);
	if (r == 0 && boot_id[0] != '\0') {
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_FIND);

		rs_sql_bind_text(st, 1, boot_id);
		r = rs_sql_int(db, st, &a->boot);
	}
	return r;
}

void
rs_appender_fini(struct rs_appender *a)
{
	rs_known_fini(&a->known);
	rs_known_fini(&a->late);
	free(a->picks);
	rs_buf_fini(&a->chunk);
}

/* --- boots ------------------------------------------------------------- */

static int
add_boot(struct rs_appender *a, struct rs_db *db, int64_t offset_ms, bool is_clock_ok)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_ADD);

	if (a->boot_id[0] != '\0')
		rs_sql_bind_text(st, 1, a->boot_id);
	(void)sqlite3_bind_int64(st, 2, offset_ms);
	(void)sqlite3_bind_int(st, 3, is_clock_ok);
	const int r = rs_sql_run(db, st);
	if (r < 0)
		return r;
	a->boot = sqlite3_last_insert_rowid(db->handle);
	return a->boot < RS_RAW_BOOTS ? 0 : -EOVERFLOW;
}

int
rs_appender_need_boot(struct rs_appender *a, struct rs_db *db, int64_t offset_ms)
{
	return a->boot != 0 ? 0 : add_boot(a, db, offset_ms, false);
}

static int
write_boot(struct rs_appender *a, struct rs_db *db, int64_t offset_ms, bool is_clock_ok)
{
	if (a->boot == 0)
		return add_boot(a, db, offset_ms, is_clock_ok);
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_SET);

	(void)sqlite3_bind_int64(st, 1, a->boot);
	(void)sqlite3_bind_int64(st, 2, offset_ms);
	(void)sqlite3_bind_int(st, 3, is_clock_ok);
	const int r = rs_sql_run(db, st);
	return r == 0 ? rs_events_follow(db, a->boot, offset_ms) : r;
}

/* --- raw --------------------------------------------------------------- */

static int
by_id(const void *a, const void *b)
{
	const struct rs_append_pick *const left = a, *const right = b;

	if (left->id != right->id)
		return left->id < right->id ? -1 : 1;
	return left->slot < right->slot ? -1 : left->slot > right->slot;
}

/* The slots with values, ascending by id. */
static int
pick_slots(struct rs_appender *a, const struct rs_known *k, uint32_t *ret_n)
{
	if (k->n > a->cap_picks) {
		struct rs_append_pick *const picks = realloc(a->picks, k->n * sizeof(*picks));

		if (picks == NULL)
			return -ENOMEM;
		a->picks = picks;
		a->cap_picks = k->n;
	}
	*ret_n = 0;
	for (uint32_t i = 0; i < k->n; i++) {
		if (k->slots[i].id != 0)
			a->picks[(*ret_n)++] =
			    (struct rs_append_pick){.id = k->slots[i].id, .slot = i};
	}
	if (*ret_n > 0)
		qsort(a->picks, *ret_n, sizeof(*a->picks), by_id);
	return 0;
}

/* Moves up to a chunk's series with different ids from the front of the picks
 * to `out`; what is left moves up. Two slots of one series go to two parts. */
static uint32_t
take_part(struct rs_appender *a, uint32_t *n, const struct rs_block *b,
    struct rs_chunk_series out[static RS_CHUNK_SERIES_MAX])
{
	uint32_t taken = 0, kept = 0;

	for (uint32_t i = 0; i < *n; i++) {
		const struct rs_append_pick p = a->picks[i];

		if (taken == RS_CHUNK_SERIES_MAX || (taken > 0 && out[taken - 1].id == p.id)) {
			a->picks[kept++] = p;
			continue;
		}
		out[taken++] = (struct rs_chunk_series){.id = p.id,
		    .values = b->values + p.slot,
		    .apart = b->max_series,
		    .present = b->present + (size_t)p.slot * b->present_words};
	}
	*n = kept;
	return taken;
}

static int
write_raw(struct rs_appender *a, struct rs_db *db, const struct rs_block *b,
    const struct rs_known *known, const struct rs_chunk_axis *axis)
{
	struct rs_chunk_series part[RS_CHUNK_SERIES_MAX];
	const struct rs_raw_range minute = {.first = rs_raw_key(a->boot, b->minute, 0),
	    .last = rs_raw_key(a->boot, b->minute, RS_RAW_PARTS - 1)};
	int64_t key = 0;
	uint32_t n = 0;
	int r = rs_raw_highest(db, &minute, &key);

	/* Behind what another start of the daemon wrote for this minute. */
	key = key == 0 ? minute.first : key + 1;
	if (r == 0)
		r = pick_slots(a, known, &n);
	for (; r == 0 && n > 0; key++) {
		const uint32_t taken = take_part(a, &n, b, part);

		if (key > minute.last)
			return -EOVERFLOW;
		rs_buf_reset(&a->chunk);
		r = rs_chunk_encode(axis, part, taken, &a->chunk);
		if (r < 0)
			return r;
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_ADD);
		(void)sqlite3_bind_int64(st, 1, key);
		(void)sqlite3_bind_blob(st, 2, a->chunk.data, (int)a->chunk.len, SQLITE_STATIC);
		r = rs_sql_run(db, st);
	}
	return r;
}

/* --- the transaction --------------------------------------------------- */

/* Without a file there is no retention but this. */
static int
prune_hour(struct rs_appender *a, struct rs_db *db, int64_t minute)
{
	const int64_t first = RS_MAX(minute - 59, 0);
	sqlite3_stmt *st = rs_sql(db, RS_SQL_RAW_PRUNE);

	(void)sqlite3_bind_int64(st, 1, rs_raw_key(a->boot, first, 0));
	const int r = rs_sql_run(db, st);
	if (r < 0)
		return r;
	st = rs_sql(db, RS_SQL_SERIES_PRUNE);
	(void)sqlite3_bind_int64(st, 1, a->boot);
	(void)sqlite3_bind_int64(st, 2, first * RS_MINUTE_MS);
	return rs_sql_run(db, st);
}

static int
write_newest(struct rs_appender *a, struct rs_db *db, const struct rs_block *b,
    const struct rs_chunk_axis *axis, int64_t offset_ms)
{
	int r = write_boot(a, db, offset_ms, b->is_clock_ok);

	if (r == 0)
		r = rs_known_update(&a->known, db, b, a->boot, &a->newest);
	if (r == 0)
		r = write_raw(a, db, b, &a->known, axis);
	if (r == 0 && db->path == NULL)
		r = prune_hour(a, db, b->minute);
	return r;
}

static int
write_late(struct rs_appender *a, struct rs_db *db, const struct rs_block *b,
    const struct rs_chunk_axis *axis)
{
	const int r = rs_known_insert(&a->late, db, b, a->boot);

	return r == 0 ? write_raw(a, db, b, &a->late, axis) : r;
}

/* Tiers that were made of this hour and day already are made again. */
static int
reopen_tiers(const struct rs_appender *a, struct rs_db *db, const struct rs_block *b)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_REOPEN);
	const int64_t ms = b->minute * RS_MINUTE_MS;

	(void)sqlite3_bind_int64(st, 1, a->boot);
	(void)sqlite3_bind_int64(st, 2, ms / rs_tier_period_ms(RS_TIER_MINUTE));
	(void)sqlite3_bind_int64(st, 3, ms / rs_tier_period_ms(RS_TIER_HOUR));
	return rs_sql_run(db, st);
}

/* One block within the transaction. */
static int
write_block(struct rs_appender *a, struct rs_db *db, const struct rs_block *b, int64_t offset_ms)
{
	struct rs_chunk_axis axis;
	uint32_t first, last;

	rs_chunk_axis_of(b, &axis);
	if (!rs_chunk_ends(axis.present, axis.ticks, &first, &last))
		return 0; /* nothing happened in this minute */
	if (b->minute < 0 || b->minute >= RS_RAW_MINUTES)
		return -EINVAL;
	const bool is_late =
	    a->boot != 0 && a->newest.boot == a->boot && rs_block_tick_ms(b, first) < a->newest.ms;
	int r = is_late ? write_late(a, db, b, &axis) : write_newest(a, db, b, &axis, offset_ms);
	if (r == 0)
		r = reopen_tiers(a, db, b);
	if (r == 0 && !is_late)
		a->newest = (struct rs_boot_time){.boot = a->boot, .ms = rs_block_tick_ms(b, last)};
	return r;
}

static int
commit(struct rs_db *db, rs_ns *ret_ns)
{
	const rs_ns start = rs_clock_mono();
	const int r = rs_sql_exec(db, RS_SQL_COMMIT);

	*ret_ns = rs_clock_mono() - start;
	return r;
}

int
rs_append_blocks(struct rs_appender *a, struct rs_db *db, const struct rs_block *b,
    int64_t offset_ms, rs_ns *ret_commit_ns)
{
	const struct rs_boot_time newest = a->newest;
	const int64_t boot = a->boot;
	int r = rs_sql_exec(db, RS_SQL_BEGIN);

	*ret_commit_ns = 0;
	for (; r == 0 && b != NULL; b = b->next)
		r = write_block(a, db, b, offset_ms);
	if (r == 0)
		r = commit(db, ret_commit_ns);
	if (r < 0) {
		rs_sql_rollback(db, r);
		rs_known_forget(&a->known);
		a->newest = newest;
		a->boot = boot;
	}
	return r;
}

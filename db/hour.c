/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "hour.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"
#include "known.h"

enum {
	MINUTES = 60,	    /* of the hour */
	GROUP_IDS = 32,	    /* 1 << rs_tiers[RS_TIER_MINUTE].group_shift */
	WINDOW_GROUPS = 10, /* a common router is done in one */
	WINDOW_IDS = WINDOW_GROUPS * GROUP_IDS,
	BITE_PARTS = 512, /* to look up */
	STREAM_COST = 6	  /* in samples */
};

void
rs_hour_fini(struct rs_hour *h)
{
	free(h->parts);
}

void
rs_hour_begin(struct rs_hour *h, int64_t boot, int64_t hour)
{
	struct rs_hour_part *const parts = h->parts;
	const size_t cap = h->cap;

	*h = (struct rs_hour){.boot = boot, .hour = hour, .parts = parts, .cap = cap};
}

static struct rs_raw_range
rows_of(const struct rs_hour *h)
{
	return (struct rs_raw_range){.first = rs_raw_key(h->boot, h->hour * MINUTES, 0),
	    .last = rs_raw_key(h->boot, (h->hour + 1) * MINUTES, 0) - 1};
}

/* --- which rows of raw --------------------------------------------------- */

static int
add_part(struct rs_hour *h, const struct rs_hour_part *one)
{
	if (h->n == h->cap) {
		const size_t cap = h->cap == 0 ? 64 : h->cap * 2;
		struct rs_hour_part *const parts = realloc(h->parts, cap * sizeof(*parts));

		if (parts == NULL)
			return -ENOMEM;
		h->parts = parts;
		h->cap = cap;
	}
	h->parts[h->n++] = *one;
	return 0;
}

static int
look_at(struct rs_hour *h, struct rs_cells *c, int64_t key, const void *data, size_t len)
{
	struct rs_hour_part one = {.key = key};
	struct rs_chunk_entry e;
	struct rs_chunk chunk;

	if (h->n_rows++ == 0)
		h->first_key = key;
	h->last_key = key;
	if (data == NULL || rs_chunk_open(&chunk, data, len) < 0) {
		c->damaged++;
		return 0;
	}
	while (rs_chunk_next(&chunk, &e) && e.id < RS_TIER_IDS_MAX) {
		if (one.first_id == 0)
			one.first_id = e.id;
		one.last_id = e.id;
	}
	h->ticks = RS_MAX(h->ticks, chunk.axis.ticks);
	return one.first_id == 0 ? 0 : add_part(h, &one);
}

int
rs_hour_look_up(struct rs_hour *h, struct rs_db *db, struct rs_cells *c)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_SCAN);
	const struct rs_raw_range rows = rows_of(h);
	int r = 1;

	(void)sqlite3_bind_int64(st, 1, h->n_rows > 0 ? h->last_key + 1 : rows.first);
	(void)sqlite3_bind_int64(st, 2, rows.last);
	for (unsigned n = 0; n < BITE_PARTS; n++) {
		r = rs_sql_step(db, st);
		if (r <= 0)
			break;
		const void *const data = sqlite3_column_blob(st, 1);
		r = look_at(
		    h, c, sqlite3_column_int64(st, 0), data, (size_t)sqlite3_column_bytes(st, 1));
		if (r < 0)
			break;
		r = 1;
	}
	(void)sqlite3_reset(st);
	h->is_looked_up = r == 0;
	return RS_MIN(r, 0);
}

int
rs_hour_check(const struct rs_hour *h, struct rs_db *db, bool *ret_is_same)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_COUNT);
	const struct rs_raw_range rows = rows_of(h);
	int64_t n = 0, first = 0;

	(void)sqlite3_bind_int64(st, 1, rows.first);
	(void)sqlite3_bind_int64(st, 2, rows.last);
	int r = rs_sql_int(db, st, &n);
	if (r == 0)
		r = rs_raw_lowest(db, &rows, &first);
	/* They go from the front. */
	*ret_is_same = n == h->n_rows && first == h->first_key;
	return r;
}

/* --- a window of series -------------------------------------------------- */

struct window {
	uint32_t first_id, end_id;
	struct rs_bucket *groups[WINDOW_GROUPS]; /* owned; NULL: no values */
	uint8_t kinds[WINDOW_IDS];
	/* Ticks that a series had in an earlier part of the minute: what was written
	 * twice counts once. */
	int64_t minute;
	uint32_t interval_ms;
	uint64_t seen[WINDOW_IDS][RS_CHUNK_WORDS];
};

/* The series that come next, fewer when a minute has many ticks. False: all are
 * written. */
static bool
next_window(const struct rs_hour *h, struct window *w)
{
	const uint32_t groups = RS_MAX(WINDOW_GROUPS * 60 / RS_MAX(h->ticks, 60), 1);
	uint32_t first = UINT32_MAX;

	for (size_t i = 0; i < h->n; i++) {
		const struct rs_hour_part *const p = &h->parts[i];

		if (p->last_id >= h->next_id)
			first = RS_MIN(first, RS_MAX(p->first_id, h->next_id));
	}
	if (first == UINT32_MAX)
		return false;
	*w = (struct window){.first_id = first / GROUP_IDS * GROUP_IDS, .minute = -1};
	w->end_id = w->first_id + groups * GROUP_IDS;
	return true;
}

static struct rs_bucket *
line_of(struct window *w, uint32_t i)
{
	struct rs_bucket **const group = &w->groups[i / GROUP_IDS];

	if (*group == NULL)
		*group = calloc((size_t)GROUP_IDS * MINUTES, sizeof(**group));
	return *group == NULL ? NULL : &(*group)[(size_t)(i % GROUP_IDS) * MINUTES];
}

/* The parts of a minute come one after the other. */
static void
begin_part(struct window *w, int64_t minute, uint32_t interval_ms)
{
	if (w->minute == minute)
		return;
	memset(w->seen, 0, sizeof(w->seen));
	w->minute = minute;
	w->interval_ms = interval_ms;
}

static void
leave_out_seen(uint64_t *present, uint64_t *seen)
{
	for (uint32_t i = 0; i < RS_CHUNK_WORDS; i++) {
		present[i] &= ~seen[i];
		seen[i] |= present[i];
	}
}

static int
add_series(struct window *w, struct rs_cells *c, const struct rs_chunk *chunk,
    const struct rs_chunk_entry *e)
{
	const uint32_t i = e->id - w->first_id;
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];

	if (w->kinds[i] == RS_KNOWN_NOT)
		return 0;
	if (rs_chunk_values(chunk, e, values, present) < 0) {
		c->damaged++;
		return 0;
	}
	/* Ticks of another interval are others, as far as can be told. */
	if (w->interval_ms == chunk->axis.interval_ms)
		leave_out_seen(present, w->seen[i]);
	struct rs_bucket *const line = line_of(w, i);
	if (line == NULL)
		return -ENOMEM;
	struct rs_bucket *const b = &line[w->minute % MINUTES];
	for (uint32_t t = 0; t < chunk->axis.ticks; t++) {
		if (rs_chunk_bit(present, t))
			rs_bucket_add(
			    b, (enum rs_kind)w->kinds[i], values[t], chunk->axis.length_us[t]);
	}
	return 0;
}

static int
read_part(struct window *w, struct rs_db *db, struct rs_cells *c, int64_t key, int64_t *samples)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_SCAN);
	struct rs_chunk_entry e;
	struct rs_chunk chunk;

	(void)sqlite3_bind_int64(st, 1, key);
	(void)sqlite3_bind_int64(st, 2, key);
	int r = rs_sql_step(db, st);
	if (r <= 0)
		return r;
	r = 0;
	const void *const data = sqlite3_column_blob(st, 1);
	const size_t len = (size_t)sqlite3_column_bytes(st, 1);
	/* One that is damaged was counted when it was looked up. */
	if (data != NULL && rs_chunk_open(&chunk, data, len) == 0) {
		begin_part(w, rs_raw_minute(key), chunk.axis.interval_ms);
		while (r == 0 && rs_chunk_next(&chunk, &e) && e.id < w->end_id) {
			if (e.id < w->first_id)
				continue;
			*samples += chunk.axis.ticks + STREAM_COST;
			r = add_series(w, c, &chunk, &e);
		}
	}
	(void)sqlite3_reset(st);
	return r;
}

static int
write_window(const struct rs_hour *h, struct window *w, struct rs_db *db, struct rs_cells *c,
    struct rs_hour_budget *budget)
{
	int64_t samples = 0, bytes = 0;
	int r = rs_known_kinds(db, w->first_id, w->end_id - w->first_id, w->kinds);

	for (size_t i = 0; r == 0 && i < h->n; i++) {
		const struct rs_hour_part *const p = &h->parts[i];

		if (p->first_id < w->end_id && p->last_id >= w->first_id)
			r = read_part(w, db, c, p->key, &samples);
	}
	for (uint32_t i = 0; i < WINDOW_GROUPS; i++) {
		const int64_t key =
		    rs_tier_key(RS_TIER_MINUTE, h->boot, h->hour, w->first_id / GROUP_IDS + i);

		if (r == 0 && w->groups[i] != NULL)
			r = rs_cells_put(c, db, RS_TIER_MINUTE, key, w->groups[i], &bytes);
		free(w->groups[i]);
	}
	budget->samples -= samples;
	budget->bytes -= bytes;
	return r;
}

int
rs_hour_write(
    struct rs_hour *h, struct rs_db *db, struct rs_cells *c, struct rs_hour_budget *budget)
{
	struct window w;

	while (next_window(h, &w)) {
		if (budget->samples <= 0 || budget->bytes <= 0)
			return 1;
		const int r = write_window(h, &w, db, c, budget);
		if (r < 0)
			return r;
		h->next_id = w.end_id;
	}
	return 0;
}

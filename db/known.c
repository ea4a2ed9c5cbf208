/* SPDX-License-Identifier: ISC */
/*
 * A row is looked up when a slot gets a new owner and then remembered, so that
 * an ordinary minute touches `series` not at all. Store thread.
 */
#include "known.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
rs_known_init(struct rs_known *k)
{
	*k = (struct rs_known){.is_cold = true};
}

void
rs_known_fini(struct rs_known *k)
{
	free(k->slots);
}

void
rs_known_forget(struct rs_known *k)
{
	if (k->n > 0)
		memset(k->slots, 0, k->n * sizeof(*k->slots));
	k->is_cold = true;
}

/* --- columns ----------------------------------------------------------- */

static const char *
or_empty(const char *s)
{
	return s == NULL ? "" : s;
}

static const char *
kind_name(const struct rs_metric *m)
{
	return m->kind == RS_COUNTER ? "counter" : "gauge";
}

/* The nine columns of RS_SQL_SERIES_LABELS, in that order. */
static void
bind_series(sqlite3_stmt *st, const struct rs_block_series *s)
{
	const struct rs_metric *const m = &rs_metrics[s->metric];

	rs_sql_bind_text(st, 1, m->name);
	rs_sql_bind_text(st, 2, or_empty(m->mode));
	rs_sql_bind_text(st, 3, or_empty(m->direction));
	(void)sqlite3_bind_int(st, 4, s->labels.cpu);
	rs_sql_bind_text(st, 5, s->labels.device);
	(void)sqlite3_bind_int(st, 6, s->labels.queue);
	rs_sql_bind_text(st, 7, s->labels.irq);
	rs_sql_bind_text(st, 8, kind_name(m));
	(void)sqlite3_bind_int64(st, 9, m->scale);
}

/* The metric with these texts, or RS_M_COUNT. */
static uint16_t
find_metric(const char *name, const char *mode, const char *direction, const char *kind)
{
	unsigned i = 0;

	for (; i < RS_M_COUNT; i++) {
		const struct rs_metric *const m = &rs_metrics[i];

		if (strcmp(m->name, name) == 0 && strcmp(or_empty(m->mode), mode) == 0 &&
		    strcmp(or_empty(m->direction), direction) == 0 &&
		    strcmp(kind_name(m), kind) == 0)
			break;
	}
	return (uint16_t)i;
}

static const char *
column_text(sqlite3_stmt *st, int column)
{
	return or_empty((const char *)sqlite3_column_text(st, column));
}

int
rs_known_kinds(struct rs_db *db, uint32_t first_id, uint32_t n, uint8_t *ret_kinds)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_KINDS);
	int r;

	memset(ret_kinds, RS_KNOWN_NOT, n);
	(void)sqlite3_bind_int64(st, 1, first_id);
	(void)sqlite3_bind_int64(st, 2, (int64_t)first_id + n - 1);
	while ((r = rs_sql_step(db, st)) > 0) {
		const bool is_counter = strcmp(column_text(st, 1), "counter") == 0;

		ret_kinds[sqlite3_column_int64(st, 0) - first_id] =
		    is_counter ? RS_COUNTER : RS_GAUGE;
	}
	return r;
}

bool
rs_known_of_row(sqlite3_stmt *st, struct rs_key *ret, uint32_t *ret_scale)
{
	const sqlite3_int64 scale = sqlite3_column_int64(st, 8);

	ret->metric = find_metric(
	    column_text(st, 0), column_text(st, 1), column_text(st, 2), column_text(st, 7));
	ret->labels = rs_labels_none;
	ret->labels.cpu = sqlite3_column_int(st, 3);
	rs_sql_text(st, 4, ret->labels.device, sizeof(ret->labels.device));
	ret->labels.queue = sqlite3_column_int(st, 5);
	rs_sql_text(st, 6, ret->labels.irq, sizeof(ret->labels.irq));
	*ret_scale = (uint32_t)scale;
	return ret->metric < RS_M_COUNT && scale >= 1 && scale <= UINT32_MAX;
}

/* --- rows -------------------------------------------------------------- */

/* Ids of rows that are gone are used again: nothing stored names them any more
 * (retention.c), and the keys of the tiers have no room for ever larger ones. */
static int
find_free_id(struct rs_known *k, struct rs_db *db, uint32_t *ret_id)
{
	int64_t id = RS_MAX(k->last_id, 1);

	for (int i = 0; i < 2; i++) {
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_GAP);

		(void)sqlite3_bind_int64(st, 1, id);
		const int r = rs_sql_int(db, st, &id);
		if (r < 0)
			return r;
		if (id < RS_TIER_IDS_MAX) {
			*ret_id = (uint32_t)id;
			return 0;
		}
		id = 1;
	}
	return -EOVERFLOW;
}

static int
add_row(struct rs_known *k, struct rs_db *db, const struct rs_block_series *s,
    const struct rs_boot_time *first, uint32_t *ret_id)
{
	int r = find_free_id(k, db, ret_id);

	if (r < 0)
		return r;
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_ADD);
	bind_series(st, s);
	rs_sql_bind_text(st, 10, rs_unit_name(rs_metrics[s->metric].unit));
	(void)sqlite3_bind_int64(st, 11, first->boot);
	(void)sqlite3_bind_int64(st, 12, first->ms);
	(void)sqlite3_bind_int64(st, 13, *ret_id);
	r = rs_sql_run(db, st);
	if (r == 0)
		k->last_id = *ret_id;
	return r;
}

/* The row of a series: 1, none: 0, or negative errno. */
static int
find_row(struct rs_db *db, const struct rs_block_series *s, uint32_t *ret_id, bool *ret_is_open)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_FIND);

	bind_series(st, s);
	const int r = rs_sql_step(db, st);
	if (r <= 0)
		return r;
	const sqlite3_int64 id = sqlite3_column_int64(st, 0);
	*ret_is_open = sqlite3_column_int(st, 1);
	(void)sqlite3_reset(st);
	if (id < 1 || id > UINT32_MAX)
		return -EBADMSG;
	*ret_id = (uint32_t)id;
	return 1;
}

/* The row of a series that has values now: found, reopened or made. */
static int
open_row(struct rs_known *k, struct rs_db *db, const struct rs_block_series *s,
    const struct rs_boot_time *first, uint32_t *ret_id)
{
	bool is_open = false;
	const int r = find_row(db, s, ret_id, &is_open);

	if (r < 0)
		return r;
	if (r == 0)
		return add_row(k, db, s, first, ret_id);
	if (is_open)
		return 0;
	sqlite3_stmt *const reopen = rs_sql(db, RS_SQL_SERIES_REOPEN);
	(void)sqlite3_bind_int64(reopen, 1, *ret_id);
	return rs_sql_run(db, reopen);
}

/* Statements that set one end of a row. */
static int
set_end(struct rs_db *db, enum rs_sql_id sql, uint32_t id, const struct rs_boot_time *end)
{
	sqlite3_stmt *const st = rs_sql(db, sql);

	(void)sqlite3_bind_int64(st, 1, id);
	(void)sqlite3_bind_int64(st, 2, end->boot);
	(void)sqlite3_bind_int64(st, 3, end->ms);
	return rs_sql_run(db, st);
}

/* The row of a series that had values from first to last, both long ago. */
static int
widen_row(struct rs_known *k, struct rs_db *db, const struct rs_block_series *s,
    const struct rs_boot_time *first, const struct rs_boot_time *last, uint32_t *ret_id)
{
	bool is_open = false;
	int r = find_row(db, s, ret_id, &is_open);

	if (r < 0)
		return r;
	if (r == 0) {
		r = add_row(k, db, s, first, ret_id);
		return r == 0 ? set_end(db, RS_SQL_SERIES_CLOSE, *ret_id, last) : r;
	}
	r = set_end(db, RS_SQL_SERIES_SINCE, *ret_id, first);
	/* An open row is not touched: its last_ columns are NULL. */
	return r == 0 ? set_end(db, RS_SQL_SERIES_UNTIL, *ret_id, last) : r;
}

static int
close_row(struct rs_known *k, struct rs_db *db, int64_t boot, const struct rs_known_slot *was)
{
	/* Two slots may be one series: an interface that came back. */
	for (uint32_t i = 0; i < k->n; i++) {
		if (k->slots[i].id == was->id)
			return 0;
	}
	return set_end(db, RS_SQL_SERIES_CLOSE, was->id,
	    &(struct rs_boot_time){.boot = boot, .ms = was->last_ms});
}

/* Series still open in the database ended with the newest stored tick, or, when
 * no sample is left to tell, before this block. */
static int
close_all(struct rs_db *db, const struct rs_boot_time *newest, const struct rs_boot_time *now)
{
	const struct rs_boot_time *const end = newest->boot != 0 ? newest : now;
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_CLOSE_ALL);

	(void)sqlite3_bind_int64(st, 1, end->boot);
	(void)sqlite3_bind_int64(st, 2, end->ms);
	return rs_sql_run(db, st);
}

/* --- slots ------------------------------------------------------------- */

static int
reserve(struct rs_known *k, uint32_t n)
{
	if (n <= k->n)
		return 0;
	struct rs_known_slot *const slots = realloc(k->slots, n * sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	memset(slots + k->n, 0, (n - k->n) * sizeof(*slots));
	k->slots = slots;
	k->n = n;
	return 0;
}

static bool
get_ends(const struct rs_block *b, uint32_t i, uint32_t *ret_first, uint32_t *ret_last)
{
	const struct rs_block_series *const s = &b->series[i];

	return s->uid != 0 && s->metric < RS_M_COUNT &&
	       rs_chunk_ends(
		   b->present + (size_t)i * b->present_words, b->ticks, ret_first, ret_last);
}

/* One slot of the block. What it held before and does not any more goes to
 * *ret_was (id 0: nothing). */
static int
update_slot(struct rs_known *k, struct rs_db *db, const struct rs_block *b, uint32_t i,
    int64_t boot, struct rs_known_slot *ret_was)
{
	struct rs_known_slot *const slot = &k->slots[i];
	const struct rs_block_series *const s = i < b->n_series ? &b->series[i] : NULL;
	uint32_t first = 0, last = 0;
	const bool has_values = s != NULL && get_ends(b, i, &first, &last);

	*ret_was = (struct rs_known_slot){0};
	if (!has_values || slot->uid != s->uid) {
		*ret_was = *slot;
		*slot = (struct rs_known_slot){0};
	}
	if (!has_values)
		return 0;
	if (slot->id == 0) {
		const struct rs_boot_time from = {.boot = boot, .ms = rs_block_tick_ms(b, first)};
		const int r = open_row(k, db, s, &from, &slot->id);

		if (r < 0)
			return r;
		slot->uid = s->uid;
	}
	slot->last_ms = rs_block_tick_ms(b, last);
	return 0;
}

int
rs_known_update(struct rs_known *k, struct rs_db *db, const struct rs_block *b, int64_t boot,
    const struct rs_boot_time *newest)
{
	const struct rs_boot_time now = {.boot = boot, .ms = rs_block_tick_ms(b, 0)};
	int r = reserve(k, b->n_series);

	if (r == 0 && k->is_cold)
		r = close_all(db, newest, &now);
	if (r < 0 || k->n == 0)
		return r;
	k->is_cold = false;

	/* First all that is there, then what is gone: see close_row. */
	struct rs_known_slot *const gone = calloc(k->n, sizeof(*gone));
	uint32_t n_gone = 0;
	if (gone == NULL)
		return -ENOMEM;
	for (uint32_t i = 0; r == 0 && i < k->n; i++) {
		r = update_slot(k, db, b, i, boot, &gone[n_gone]);
		n_gone += gone[n_gone].id != 0;
	}
	for (uint32_t i = 0; r == 0 && i < n_gone; i++)
		r = close_row(k, db, boot, &gone[i]);
	free(gone);
	return r;
}

int
rs_known_insert(struct rs_known *k, struct rs_db *db, const struct rs_block *b, int64_t boot)
{
	int r = reserve(k, b->n_series);

	rs_known_forget(k);
	for (uint32_t i = 0; r == 0 && i < b->n_series; i++) {
		uint32_t first = 0, last = 0;

		if (!get_ends(b, i, &first, &last))
			continue;
		const struct rs_boot_time from = {.boot = boot, .ms = rs_block_tick_ms(b, first)};
		const struct rs_boot_time to = {.boot = boot, .ms = rs_block_tick_ms(b, last)};
		r = widen_row(k, db, &b->series[i], &from, &to, &k->slots[i].id);
	}
	return r;
}

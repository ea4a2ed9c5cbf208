/* SPDX-License-Identifier: ISC */
/*
 * A series that is in the newest stored block has no end in the database; it
 * ends with that block, and then with the head. Each part says its thread.
 */
#include "catalog.h"

#include <errno.h>
#include <stdlib.h>

#include "known.h"

static int
by_key(const void *a, const void *b)
{
	const struct rs_catalog_entry *const left = a, *const right = b;
	const struct rs_key x = {.metric = left->metric, .labels = left->labels};
	const struct rs_key y = {.metric = right->metric, .labels = right->labels};

	return rs_key_compare(&x, &y);
}

void
rs_catalog_free(struct rs_catalog *c)
{
	if (c == NULL)
		return;
	free(c->entries);
	free(c);
}

static void
sort(struct rs_catalog *c)
{
	if (c->n > 0)
		qsort(c->entries, c->n, sizeof(*c->entries), by_key);
}

/* --- store thread ------------------------------------------------------ */

static int
add_entry(struct rs_catalog *c, size_t *cap, const struct rs_catalog_entry *one)
{
	if (c->n == *cap) {
		const size_t want = *cap == 0 ? 64 : *cap * 2;
		struct rs_catalog_entry *const entries =
		    realloc(c->entries, want * sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		c->entries = entries;
		*cap = want;
	}
	c->entries[c->n++] = *one;
	return 0;
}

/* Rows that differ only in how their values are scaled are one series. */
static void
merge_equal(struct rs_catalog *c)
{
	size_t n = c->n > 0;

	for (size_t i = 1; i < c->n; i++) {
		struct rs_catalog_entry *const last = &c->entries[n - 1];

		if (by_key(last, &c->entries[i]) != 0) {
			c->entries[n++] = c->entries[i];
			continue;
		}
		last->first_ms = RS_MIN(last->first_ms, c->entries[i].first_ms);
		last->last_ms = RS_MAX(last->last_ms, c->entries[i].last_ms);
	}
	c->n = n;
}

int
rs_catalog_read(struct rs_db *db, int64_t newest_ms, struct rs_catalog *ret)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_LIST);
	size_t cap = 0;
	int r;

	while ((r = rs_sql_step(db, st)) > 0) {
		struct rs_key key;
		uint32_t scale;

		if (!rs_known_of_row(st, &key, &scale))
			continue;
		const bool is_open = sqlite3_column_type(st, 10) == SQLITE_NULL;
		const struct rs_catalog_entry one = {.metric = key.metric,
		    .labels = key.labels,
		    .first_ms = sqlite3_column_int64(st, 9),
		    .last_ms = is_open ? newest_ms : sqlite3_column_int64(st, 10)};
		r = add_entry(ret, &cap, &one);
		if (r < 0)
			break;
	}
	(void)sqlite3_reset(st);
	if (r < 0)
		return r;
	sort(ret);
	merge_equal(ret);
	return 0;
}

/* --- loop thread ------------------------------------------------------- */

/* Makes room for every series of the blocks. */
static int
reserve(struct rs_catalog *c, const struct rs_block *const *blocks, size_t n_blocks)
{
	size_t n = c->n;

	for (size_t i = 0; i < n_blocks; i++)
		n += blocks[i]->n_series;
	if (n == 0)
		return 0;
	struct rs_catalog_entry *const entries = realloc(c->entries, n * sizeof(*entries));
	if (entries == NULL)
		return -ENOMEM;
	c->entries = entries;
	return 0;
}

/* There is room for one more. */
static int
merge_entry(struct rs_catalog *c, struct rs_keymap *known, const struct rs_catalog_entry *one)
{
	uint32_t i = 0;
	const uint32_t before = known->n;
	const int r = rs_keymap_put(known, one->metric, &one->labels, &i);

	if (r < 0)
		return r;
	if (known->n > before)
		c->entries[c->n++] = *one;
	else
		c->entries[i].last_ms = RS_MAX(c->entries[i].last_ms, one->last_ms);
	return 0;
}

static int
merge_block(
    struct rs_catalog *c, struct rs_keymap *known, const struct rs_block *b, int64_t offset_ms)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < b->n_series; i++) {
		const struct rs_block_series *const s = &b->series[i];
		uint32_t first, last;

		if (s->uid == 0 || !rs_chunk_ends(b->present + (size_t)i * b->present_words,
				       b->ticks, &first, &last))
			continue;
		const struct rs_catalog_entry one = {.metric = s->metric,
		    .labels = s->labels,
		    .first_ms = rs_block_tick_ms(b, first) + offset_ms,
		    .last_ms = rs_block_tick_ms(b, last) + offset_ms};
		r = merge_entry(c, known, &one);
	}
	return r;
}

int
rs_catalog_merge(
    struct rs_catalog *c, const struct rs_block *const *blocks, size_t n_blocks, int64_t offset_ms)
{
	struct rs_keymap known = {0};
	const size_t n_stored = c->n;
	uint32_t at;
	int r = reserve(c, blocks, n_blocks);

	for (size_t i = 0; r == 0 && i < n_stored; i++)
		r = rs_keymap_put(&known, c->entries[i].metric, &c->entries[i].labels, &at);
	for (size_t i = 0; r == 0 && i < n_blocks; i++)
		r = merge_block(c, &known, blocks[i], offset_ms);
	rs_keymap_fini(&known);
	if (c->n > n_stored)
		sort(c);
	return r;
}

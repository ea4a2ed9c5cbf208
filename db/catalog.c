/* SPDX-License-Identifier: ISC */
/*
 * A series that is in the newest stored block has no end in the database; it
 * ends with that block, and then with the head. When the oldest samples are given
 * up, its row still tells when it began: it is known since the oldest value held.
 * Each part says its thread.
 */
#include "catalog.h"

#include <errno.h>
#include <stdlib.h>

#include "known.h"
#include "reach.h"

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

static int
add_entry(struct rs_catalog *c, const struct rs_catalog_entry *one)
{
	if (c->n == c->cap) {
		const size_t cap = c->cap == 0 ? 64 : c->cap * 2;
		struct rs_catalog_entry *const entries =
		    realloc(c->entries, cap * sizeof(*entries));

		if (entries == NULL)
			return -ENOMEM;
		c->entries = entries;
		c->cap = cap;
	}
	c->entries[c->n++] = *one;
	return 0;
}

static void
widen(struct rs_catalog_entry *to, const struct rs_catalog_entry *one)
{
	to->first_ms = RS_MIN(to->first_ms, one->first_ms);
	to->last_ms = RS_MAX(to->last_ms, one->last_ms);
}

/* Beside what the head has these are rows that differ only in how their values
 * are scaled. */
void
rs_catalog_end(struct rs_catalog *c)
{
	size_t n = c->n > 0;

	if (c->n > 0)
		qsort(c->entries, c->n, sizeof(*c->entries), by_key);
	for (size_t i = 1; i < c->n; i++) {
		if (by_key(&c->entries[n - 1], &c->entries[i]) == 0)
			widen(&c->entries[n - 1], &c->entries[i]);
		else
			c->entries[n++] = c->entries[i];
	}
	c->n = n;
}

/* --- loop thread ------------------------------------------------------- */

/* Which entry a slot of the blocks has become. */
struct slot {
	uint32_t uid; /* 0: none */
	size_t entry;
};

static int
add_block(struct rs_catalog *c, struct slot *slots, const struct rs_block *b, int64_t offset_ms)
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
		if (slots[i].uid == s->uid) {
			widen(&c->entries[slots[i].entry], &one);
			continue;
		}
		slots[i] = (struct slot){.uid = s->uid, .entry = c->n};
		r = add_entry(c, &one);
	}
	return r;
}

int
rs_catalog_begin(
    struct rs_catalog *c, const struct rs_block *const *blocks, size_t n_blocks, int64_t offset_ms)
{
	uint32_t n = 0;
	int r = 0;

	for (size_t i = 0; i < n_blocks; i++)
		n = RS_MAX(n, blocks[i]->n_series);
	struct slot *const slots = calloc((size_t)n + 1, sizeof(*slots));
	if (slots == NULL)
		return -ENOMEM;
	for (size_t i = 0; r == 0 && i < n_blocks; i++)
		r = add_block(c, slots, blocks[i], offset_ms);
	free(slots);
	return r;
}

/* --- store thread ------------------------------------------------------ */

struct boot {
	int64_t id, offset_ms;
};

struct boots {
	struct boot *list; /* owned; ascending */
	size_t n, cap;
};

static int
read_boots(struct rs_db *db, struct boots *ret)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_LIST);
	int r;

	while ((r = rs_sql_step(db, st)) > 0) {
		if (ret->n == ret->cap) {
			const size_t cap = ret->cap == 0 ? 16 : ret->cap * 2;
			struct boot *const list = realloc(ret->list, cap * sizeof(*list));

			if (list == NULL) {
				(void)sqlite3_reset(st);
				return -ENOMEM;
			}
			ret->list = list;
			ret->cap = cap;
		}
		ret->list[ret->n++] = (struct boot){
		    .id = sqlite3_column_int64(st, 0), .offset_ms = sqlite3_column_int64(st, 1)};
	}
	return r;
}

static int
by_id(const void *a, const void *b)
{
	const struct boot *const left = a, *const right = b;
	return left->id < right->id ? -1 : left->id > right->id;
}

/* False: the boot is not known. */
static bool
wall_ms(const struct boots *boots, const struct rs_boot_time *t, int64_t *ret_ms)
{
	const struct boot wanted = {.id = t->boot};
	const struct boot *const boot =
	    boots->n > 0 ? bsearch(&wanted, boots->list, boots->n, sizeof(wanted), by_id) : NULL;

	if (boot != NULL)
		*ret_ms = t->ms + boot->offset_ms;
	return boot != NULL;
}

static bool
is_before(const struct rs_boot_time *a, const struct rs_boot_time *b)
{
	return a->boot != b->boot ? a->boot < b->boot : a->ms < b->ms;
}

/* What lasted from first to last (boot 0: it still does) and is held from `oldest`
 * on. False: nothing of it is. */
static bool
find_times(sqlite3_stmt *st, const struct boots *boots, const struct rs_boot_time *oldest,
    int64_t newest_ms, struct rs_catalog_entry *ret)
{
	struct rs_boot_time first = {
	    .boot = sqlite3_column_int64(st, 9), .ms = sqlite3_column_int64(st, 10)};
	const struct rs_boot_time last = {
	    .boot = sqlite3_column_int64(st, 11), .ms = sqlite3_column_int64(st, 12)};

	if (oldest->boot == 0 || (last.boot != 0 && is_before(&last, oldest)))
		return false;
	if (is_before(&first, oldest))
		first = *oldest;
	ret->last_ms = newest_ms;
	return wall_ms(boots, &first, &ret->first_ms) &&
	       (last.boot == 0 || wall_ms(boots, &last, &ret->last_ms));
}

static int
read_series(struct rs_db *db, const struct boots *boots, const struct rs_boot_time *oldest,
    int64_t newest_ms, struct rs_catalog *c)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_SERIES_LIST);
	int r;

	while ((r = rs_sql_step(db, st)) > 0) {
		struct rs_catalog_entry one;
		struct rs_key key;
		uint32_t scale;

		if (!rs_known_of_row(st, &key, &scale) ||
		    !find_times(st, boots, oldest, newest_ms, &one))
			continue;
		one.metric = key.metric;
		one.labels = key.labels;
		r = add_entry(c, &one);
		if (r < 0)
			break;
	}
	(void)sqlite3_reset(st);
	return r;
}

/* Of all that is stored; boot 0: nothing. */
static int
find_oldest(struct rs_db *db, struct rs_boot_time *ret)
{
	int r = 0;

	*ret = (struct rs_boot_time){0};
	for (enum rs_tier t = RS_TIER_RAW; r == 0 && t < RS_TIER_COUNT; t++) {
		struct rs_boot_time one;

		r = rs_reach_oldest(db, t, &one);
		if (one.boot != 0 && (ret->boot == 0 || one.boot < ret->boot ||
					 (one.boot == ret->boot && one.ms < ret->ms)))
			*ret = one;
	}
	return r;
}

int
rs_catalog_read(struct rs_db *db, int64_t newest_ms, struct rs_catalog *c)
{
	struct rs_boot_time oldest = {0};
	struct boots boots = {0};
	int r = find_oldest(db, &oldest);

	if (r == 0)
		r = read_boots(db, &boots);
	if (r == 0)
		r = read_series(db, &boots, &oldest, newest_ms, c);
	free(boots.list);
	return r;
}

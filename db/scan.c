/* SPDX-License-Identifier: ISC */
/*
 * Rows of a minute are read in their order. Rows of tiers are few to a series
 * and many to a table, so each is looked up by its key. Store thread.
 */
#include "scan.h"

#include <errno.h>

#include "clock.h"

struct scan {
	struct rs_db *db;
	struct rs_grid *g;
	const struct rs_boot_reach *boot;
	const struct rs_wanted *want;
	size_t n_want;
	const struct rs_query_env *env;
	unsigned damaged;
};

/* Asked at each row: writing waits for a question. */
static int
give_up(const struct scan *s)
{
	if (s->g->status != 0)
		return s->g->status;
	if (atomic_load(s->env->is_closing))
		return -ECANCELED;
	return rs_clock_mono() > s->env->deadline_ns ? -ETIME : 0;
}

/* --- minutes ----------------------------------------------------------- */

/* Adds the wanted series of one chunk: both lists ascend by id. -EBADMSG: it
 * is damaged; what was read before the damage counts. */
static int
read_chunk(const struct scan *s, int64_t key, const void *data, size_t len)
{
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	struct rs_chunk c;
	struct rs_chunk_entry e;
	size_t i = 0;
	int r = data != NULL ? rs_chunk_open(&c, data, len) : -EBADMSG;

	while (r == 0 && i < s->n_want && rs_chunk_next(&c, &e)) {
		while (i < s->n_want && s->want[i].id < e.id)
			i++;
		if (i == s->n_want || s->want[i].id != e.id)
			continue;
		r = rs_chunk_values(&c, &e, values, present);
		const struct rs_grid_source src = {.boot_ms = rs_raw_minute(key) * RS_MINUTE_MS,
		    .offset_ms = s->boot->offset_ms,
		    .scale = s->want[i].scale};
		if (r == 0)
			rs_grid_add(s->g, &s->want[i].key, &src, &c.axis, values, present);
	}
	return r;
}

/* Reads on until the end or a damaged page: -EBADMSG. *ret_key: the last row. */
static int
read_chunks(struct scan *s, const struct rs_raw_range *range, int64_t *ret_key)
{
	sqlite3_stmt *const st = rs_sql(s->db, RS_SQL_RAW_SCAN);
	int r;

	(void)sqlite3_bind_int64(st, 1, range->first);
	(void)sqlite3_bind_int64(st, 2, range->last);
	while ((r = rs_sql_step(s->db, st)) > 0) {
		*ret_key = sqlite3_column_int64(st, 0);
		r = give_up(s);
		if (r < 0)
			break;
		const void *const data = sqlite3_column_blob(st, 1);
		const size_t len = (size_t)sqlite3_column_bytes(st, 1);
		if (read_chunk(s, *ret_key, data, len) < 0)
			s->damaged++;
	}
	(void)sqlite3_reset(st);
	return r;
}

/* Behind a damaged page it goes on a minute later; two, four, ... when that is
 * damaged, too. */
static int
read_minutes(struct scan *s, struct rs_raw_range range)
{
	const int64_t minute = rs_raw_key(0, 1, 0);
	int64_t skip = minute;

	for (;;) {
		int64_t key = range.first - 1;
		const int r = read_chunks(s, &range, &key);

		if (r != -EBADMSG)
			return r;
		s->damaged++;
		skip = key < range.first ? skip * 2 : minute;
		if (range.last - key <= skip)
			return 0;
		range.first = key + skip;
	}
}

/* --- tiers ------------------------------------------------------------- */

/* A row's period and the series wanted of it. */
struct part {
	enum rs_tier tier;
	int64_t period;
	const struct rs_wanted *want;
	size_t n;
};

static void
add_buckets(const struct scan *s, const struct part *part, const struct rs_wanted *want,
    const struct rs_tier_row *row, const struct rs_bucket *buckets)
{
	for (uint32_t t = 0; t < row->slots; t++) {
		const struct rs_grid_source src = {
		    .boot_ms = (part->period * row->slots + t) * row->slot_ms,
		    .offset_ms = s->boot->offset_ms,
		    .scale = want->scale};

		if (buckets[t].count > 0)
			rs_grid_add_bucket(s->g, &want->key, &src, part->tier, &buckets[t]);
	}
}

/* -EBADMSG: the row is damaged; what of it can be read counts. */
static int
read_row(const struct scan *s, const struct part *part, const void *data, size_t len)
{
	const struct rs_tier_shape *const shape = &rs_tiers[part->tier];
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	struct rs_tier_row row;
	uint32_t id = 0;
	size_t i = 0;
	bool is_damaged = false;

	if (data == NULL || rs_tier_open(&row, data, len) < 0 || row.slots != shape->slots ||
	    row.slot_ms != shape->slot_ms)
		return -EBADMSG;
	for (;;) {
		const struct rs_packed here = row.packed;

		/* Others are passed over without being decoded. */
		if (rs_tier_next(&row, &id, NULL) == 0)
			break;
		while (i < part->n && part->want[i].id < id)
			i++;
		if (i == part->n)
			break;
		if (part->want[i].id != id)
			continue;
		row.packed = here;
		if (rs_tier_next(&row, &id, buckets) > 0)
			add_buckets(s, part, &part->want[i], &row, buckets);
		else
			is_damaged = true;
	}
	return is_damaged ? -EBADMSG : 0;
}

static int
look_up(struct scan *s, const struct part *part)
{
	sqlite3_stmt *const st =
	    rs_sql(s->db, part->tier == RS_TIER_MINUTE ? RS_SQL_MINUTE_GET : RS_SQL_HOUR_GET);
	const int64_t group = part->want[0].id >> rs_tiers[part->tier].group_shift;

	(void)sqlite3_bind_int64(
	    st, 1, rs_tier_key(part->tier, s->boot->boot, part->period, group));
	int r = rs_sql_step(s->db, st);
	if (r > 0) {
		const void *const data = sqlite3_column_blob(st, 0);

		r = read_row(s, part, data, (size_t)sqlite3_column_bytes(st, 0));
		(void)sqlite3_reset(st);
	}
	s->damaged += r == -EBADMSG;
	return r == -EBADMSG ? 0 : r;
}

static int
read_periods(struct scan *s, enum rs_tier tier, const struct rs_raw_range *range)
{
	const unsigned shift = rs_tiers[tier].group_shift;
	const int64_t last = rs_tier_key_period(tier, range->last);
	struct part part = {.tier = tier, .period = rs_tier_key_period(tier, range->first)};

	for (; part.period <= last; part.period++) {
		for (size_t i = 0; i < s->n_want; i += part.n) {
			int r = give_up(s);

			part.want = &s->want[i];
			for (part.n = 1; i + part.n < s->n_want; part.n++) {
				if (part.want[part.n].id >> shift != part.want[0].id >> shift)
					break;
			}
			if (r == 0)
				r = look_up(s, &part);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

int
rs_scan_boot(struct rs_db *db, struct rs_grid *g, const struct rs_boot_reach *b,
    const struct rs_wanted_list *want, const struct rs_query_env *env, unsigned *damaged)
{
	struct scan s = {
	    .db = db, .g = g, .boot = b, .want = want->list, .n_want = want->n, .env = env};
	int r = 0;

	for (enum rs_tier from = RS_TIER_RAW; r == 0 && from <= g->tier; from++) {
		struct rs_raw_range range;

		if (!rs_reach_rows(b, g->tier, from, &range))
			continue;
		r = from == RS_TIER_RAW ? read_minutes(&s, range) : read_periods(&s, from, &range);
	}
	*damaged += s.damaged;
	return r;
}

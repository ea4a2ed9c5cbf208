/* SPDX-License-Identifier: ISC */
/* Store thread. */
#include "recover.h"

#include <stdlib.h>

#include "changes.h"

/* A process killed right after a commit left minutes that are stored. */
static int
drop_stored(const struct rs_appender *a, struct rs_db *db, struct rs_block *b)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_RAW_SCAN);
	int r;

	(void)sqlite3_bind_int64(st, 1, rs_raw_key(a->boot, b->minute, 0));
	(void)sqlite3_bind_int64(st, 2, rs_raw_key(a->boot, b->minute, RS_RAW_PARTS - 1));
	while ((r = rs_sql_step(db, st)) > 0) {
		const void *const data = sqlite3_column_blob(st, 1);
		struct rs_chunk c;

		/* Another interval is another process, which wrote other ticks. */
		if (data == NULL ||
		    rs_chunk_open(&c, data, (size_t)sqlite3_column_bytes(st, 1)) < 0 ||
		    (rs_ns)c.axis.interval_ms * RS_NS_PER_MS != b->interval_ns)
			continue;
		for (uint32_t t = 0; t < RS_MIN(c.axis.ticks, b->ticks); t++) {
			if (rs_chunk_bit(c.axis.present, t) && b->has_tick[t])
				rs_block_drop_tick(b, t);
		}
	}
	return r;
}

static uint64_t
count_ticks(const struct rs_block *b)
{
	uint64_t n = 0;

	for (uint32_t t = 0; t < b->ticks; t++)
		n += b->has_tick[t];
	return n;
}

/* What the wall clock was ahead of the boot clock at last; what is stored stays when
 * the difference is only that of reading the clocks. */
static int
find_offset(
    const struct rs_appender *a, struct rs_db *db, const struct rs_block *newest, int64_t *ret_ms)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_BOOT_OFFSET);
	int64_t stored_ms = INT64_MIN / 2;

	(void)sqlite3_bind_int64(st, 1, a->boot);
	const int r = rs_sql_int(db, st, &stored_ms);
	const bool is_noise = llabs(newest->wall_offset_ms - stored_ms) <= RS_OFFSET_NOISE_MS;
	*ret_ms = is_noise ? stored_ms : newest->wall_offset_ms;
	return r;
}

static int
recover_samples(
    struct rs_appender *a, struct rs_db *db, const struct rs_leftover *l, uint64_t *ret_ticks)
{
	const struct rs_block *newest = NULL;
	uint64_t ticks = 0;
	int64_t offset_ms = 0;
	rs_ns commit_ns;
	int r = 0;

	for (struct rs_block *b = l->blocks; r == 0 && b != NULL; b = b->next) {
		r = a->boot != 0 ? drop_stored(a, db, b) : 0;
		const uint64_t n = count_ticks(b);
		ticks += n;
		newest = n > 0 ? b : newest;
	}
	if (r < 0 || newest == NULL)
		return r;
	r = find_offset(a, db, newest, &offset_ms);
	if (r == 0)
		r = rs_append_blocks(a, db, l->blocks, offset_ms, &commit_ns);
	/* The names of its series mean others in this process. */
	rs_known_forget(&a->known);
	if (r == 0)
		*ret_ticks += ticks;
	return r;
}

static int
recover_changes(struct rs_appender *a, struct rs_db *db, const struct rs_leftover *l)
{
	int64_t next = 0;
	size_t first = 0, end;

	if (l->n_changes == 0)
		return 0;
	const int r = rs_changes_init(db, &next);
	if (r < 0)
		return r;
	while (first < l->n_changes && l->changes[first].id < next)
		first++;
	/* Under such ids it cannot be told whether they are stored. */
	for (end = first; end < l->n_changes && l->changes[end].id < RS_PROVISIONAL_ID; end++)
		continue;
	return end > first ? rs_changes_add(db, a, l->changes + first, end - first) : 0;
}

int
rs_recover(struct rs_appender *a, struct rs_db *db, struct rs_leftover *l, uint64_t *ret_ticks)
{
	int r = recover_samples(a, db, l, ret_ticks);

	while (r == 0 && l->blocks != NULL) {
		struct rs_block *const b = l->blocks;

		l->blocks = b->next;
		rs_block_free(b);
	}
	if (r == 0)
		r = recover_changes(a, db, l);
	if (r == 0)
		rs_leftover_fini(l);
	return r;
}

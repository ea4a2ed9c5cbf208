/* SPDX-License-Identifier: ISC */
/*
 * In which order things are done: first the tiers, so that what is given up next
 * is in them. Store thread.
 */
#include "upkeep.h"

#include <errno.h>
#include <stdio.h>

enum {
	/* What the tiers of a bite may need, and no more than this share of the file. */
	ROLLUP_BYTES = 256 * 1024,
	ROLLUP_SHARE = 16,
	/* Always left for findings and changes, and for pages that are not full. */
	SPARE_BYTES = 64 * 1024,
	SPARE_SHARE = 32,
	/* Twice what samples of a busy router take. */
	BYTES_PER_VALUE = 2,
	BYTES_PER_SERIES = 8,
	DOUBLINGS_MAX = 3,
	DOUBLED_SHARE = 4
};

int
rs_upkeep_init(struct rs_upkeep *u, struct rs_db *db, const struct rs_store_limits *limits)
{
	*u = (struct rs_upkeep){.is_memory = db->path == NULL};
	rs_retention_init(&u->retention, limits);
	const int r = u->is_memory ? 0 : rs_room_init(&u->room, db, limits->max_bytes);
	/* A transaction should not fill the log's share. */
	rs_rollup_init(&u->rollup, u->room.log_bytes / 4);
	return r;
}

void
rs_upkeep_fini(struct rs_upkeep *u)
{
	rs_rollup_fini(&u->rollup);
}

int64_t
rs_upkeep_estimate(const struct rs_block *b)
{
	return b->n_series * ((int64_t)b->ticks * BYTES_PER_VALUE + BYTES_PER_SERIES);
}

static int64_t
share_of(const struct rs_upkeep *u, int64_t bytes, int64_t share)
{
	return RS_MIN(bytes, u->room.max_pages * u->room.page_bytes / share);
}

static int
no_room(struct rs_db *db)
{
	(void)snprintf(db->error, sizeof(db->error), "max_size leaves no room");
	return -ENOSPC;
}

static int
make_room(struct rs_upkeep *u, struct rs_db *db, int64_t bytes, bool is_disk_full)
{
	const int64_t need = bytes + share_of(u, SPARE_BYTES, SPARE_SHARE);
	struct rs_room_left left;
	int r = rs_room_in_log(&u->room, db, bytes);

	if (r < 0)
		return r;
	/* All that there is would be given up for nothing. */
	if (need > u->room.wall_pages * u->room.page_bytes)
		return no_room(db);
	while ((r = rs_room_look(&u->room, db, &left)) == 0) {
		const int64_t room = left.free_bytes + (is_disk_full ? 0 : left.growth_bytes);

		if (room >= need)
			return 0;
		r = rs_retention_free(&u->retention, db, RS_MAX(need - room, u->room.batch_bytes));
		if (r <= 0)
			return r < 0 ? r : no_room(db);
	}
	return r;
}

int
rs_upkeep_make_room(struct rs_upkeep *u, struct rs_db *db, int64_t bytes, bool is_disk_full)
{
	if (u->is_memory)
		return 0;
	/* Or the samples take more than was thought: that is learnt. */
	if (is_disk_full && u->doublings < DOUBLINGS_MAX)
		u->doublings++;
	const int64_t more = share_of(u, bytes << u->doublings, DOUBLED_SHARE);
	return make_room(u, db, RS_MAX(bytes, more), is_disk_full);
}

/* What a larger limit has left behind. */
static int
shrink(struct rs_upkeep *u, struct rs_db *db)
{
	struct rs_room_left left;
	const int r = rs_room_look(&u->room, db, &left);

	if (r < 0 || left.surplus_bytes == 0)
		return r;
	return rs_retention_free(&u->retention, db, left.surplus_bytes);
}

int
rs_upkeep_bite(struct rs_upkeep *u, struct rs_db *db, const struct rs_appender *a, int64_t now_ms,
    int64_t offset_ms)
{
	const struct rs_retention_now now = {.boot = a->boot,
	    .ms = now_ms,
	    .offset_ms = offset_ms,
	    /* Without an id it is not known whether a boot is another one. */
	    .others_ms = a->boot_id[0] != '\0' ? now_ms : 0,
	    .newest_boot = a->newest.boot};

	if (u->is_memory)
		return 0;
	int r = make_room(u, db, share_of(u, ROLLUP_BYTES, ROLLUP_SHARE), false);
	if (r == 0)
		r = rs_rollup_bite(&u->rollup, db, a->boot);
	if (r == 0)
		r = rs_retention_bite(&u->retention, db, &now);
	return r == 0 ? shrink(u, db) : r;
}

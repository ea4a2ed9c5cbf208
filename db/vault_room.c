/* SPDX-License-Identifier: ISC */
/*
 * Room for what is written: below the limit, on the disk, and for longer than raw
 * samples are kept. Store thread.
 */
#include <errno.h>
#include <string.h>

#include "clock.h"
#include "log.h"
#include "vault.h"

/* --- room -------------------------------------------------------------- */

/* Before and after upkeep: -EFBIG instead of -ENOSPC when not the disk is full but
 * what the file may have; db->error says more. */
static void
hush(struct rs_vault *v)
{
	v->place.db->error[0] = '\0';
}

static int
tell_limit(const struct rs_vault *v, int status)
{
	const char *const error = v->place.db->error;
	const bool is_disk = error[0] == '\0' || strcmp(error, sqlite3_errstr(SQLITE_FULL)) == 0;

	return status == -ENOSPC && !is_disk ? -EFBIG : status;
}

int
rs_vault_make_room(struct rs_vault *v, int64_t bytes, bool is_disk_full)
{
	hush(v);
	return tell_limit(v, rs_upkeep_make_room(&v->upkeep, v->place.db, bytes, is_disk_full));
}

void
rs_vault_empty_log(struct rs_vault *v)
{
	(void)sqlite3_wal_checkpoint_v2(
	    v->place.db->handle, "main", SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
}

/* Once the disk is full it is too late: what is in the log makes the file grow, and
 * giving up rows is written to the log first. So from when that would hardly fit, new
 * samples go where old ones were. */
void
rs_vault_spare_disk(struct rs_vault *v, int64_t bytes)
{
	if (v->place.path == NULL || rs_place_has_room(&v->place, bytes))
		return;
	rs_vault_empty_log(v);
	(void)rs_vault_make_room(v, bytes, true);
}

/* --- upkeep ------------------------------------------------------------ */

static int
bite(struct rs_vault *v, void *arg)
{
	(void)arg;
	/* Before the first samples nobody has told the time. */
	const int64_t now_ms = v->now_ms != 0 ? v->now_ms : rs_clock_boot() / RS_NS_PER_MS;
	const int64_t offset_ms =
	    v->now_ms != 0 ? v->offset_ms : rs_clock_wall() / RS_NS_PER_MS - now_ms;
	hush(v);
	const int r = rs_upkeep_bite(&v->upkeep, v->place.db, &v->appender, now_ms, offset_ms);

	v->has_upkeep = r > 0;
	return r > 0 ? 0 : tell_limit(v, r);
}

void
rs_vault_bite(struct rs_vault *v)
{
	if (!v->has_upkeep || v->place.db == NULL)
		return;
	v->has_upkeep = false; /* after an error: with the next minute */
	(void)rs_vault_write(v, RS_WRITE_UPKEEP, bite, NULL, 0);
	const uint64_t damaged = v->upkeep.rollup.cells.damaged;
	if (damaged > v->told_damaged)
		rs_log_warn("%llu damaged rows of '%s' were left out of its tiers",
		    (unsigned long long)(damaged - v->told_damaged), rs_vault_name(v));
	v->told_damaged = damaged;
}

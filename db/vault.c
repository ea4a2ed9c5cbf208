/* SPDX-License-Identifier: ISC */
/*
 * One line in the log when writing begins to fail, one when it works again. Store
 * thread.
 */
#include "vault.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "changes.h"
#include "clock.h"
#include "findings.h"
#include "log.h"
#include "migrate.h"
#include "query.h"
#include "recover.h"
#include "text.h"

enum { UNRECOVERED_MAX = 3 };

/* --- state ------------------------------------------------------------- */

const char *
rs_vault_name(const struct rs_vault *v)
{
	return v->place.path != NULL ? v->place.path : "memory";
}

/* Why nothing can be written now; NULL: it can. */
static const char *
find_reason(const struct rs_vault *v)
{
	if (v->place.db == NULL) {
		const char *const words = rs_place_words(v->place.why.code);
		return words != NULL ? words : v->place.why.text;
	}
	for (size_t i = 0; i < RS_WRITES; i++) {
		if (v->writes[i].is_failing)
			return v->writes[i].error;
	}
	return NULL;
}

static void
set_state(struct rs_vault *v)
{
	const char *const reason = find_reason(v);
	const char *state = v->place.path == NULL ? "memory" : "ok";

	if (reason != NULL)
		state = v->place.db == NULL ? "closed" : "failing";
	if (strcmp(state, v->stats.state) != 0)
		v->stats.since_ns = rs_clock_mono();
	(void)snprintf(v->stats.state, sizeof(v->stats.state), "%s", state);
	(void)rs_text_copy(
	    rs_text_of(reason != NULL ? reason : ""), v->stats.error, sizeof(v->stats.error));
	v->stats.damaged = v->place.n_damaged;
}

/* How far back each tier goes, and what it had to give up. */
static void
measure_tiers(struct rs_vault *v)
{
	struct rs_store_stats *const s = &v->stats;

	s->oldest_ms = 0;
	for (enum rs_tier t = RS_TIER_RAW; t < RS_TIER_COUNT; t++) {
		int64_t *const oldest = &s->tier_oldest_ms[t];

		(void)rs_query_oldest(v->place.db, t, oldest);
		if (*oldest != 0 && (s->oldest_ms == 0 || *oldest < s->oldest_ms))
			s->oldest_ms = *oldest;
		s->given_up[t] = v->upkeep.retention.given_up[t];
	}
}

static void
measure(struct rs_vault *v)
{
	const struct rs_appender *const a = &v->appender;

	set_state(v);
	if (v->place.path != NULL) {
		v->stats.bytes_written = rs_place_written(&v->place);
		v->stats.size_bytes = rs_place_bytes(&v->place);
	}
	if (v->place.db != NULL)
		measure_tiers(v);
	v->stats.newest_ms = a->boot != 0 && a->newest.boot == a->boot ? a->newest.ms : -1;
}

/* After an attempt to write. */
static void
note_write(struct rs_vault *v, enum rs_write kind, int status, bool was_failing)
{
	v->writes[kind].is_failing = status < 0;
	if (status < 0 && v->place.db != NULL) {
		const char *words = rs_place_words(status);

		if (words == NULL)
			words =
			    v->place.db->error[0] != '\0' ? v->place.db->error : strerror(-status);
		(void)snprintf(v->writes[kind].error, sizeof(v->writes[kind].error), "%s", words);
	}
	const char *const reason = find_reason(v);
	if (reason != NULL && !was_failing)
		rs_log_err("cannot write history to '%s': %s; the live view goes on",
		    rs_vault_name(v), v->place.db != NULL ? reason : v->place.why.text);
	else if (was_failing && reason == NULL)
		rs_log_notice("history is written to '%s' again", rs_vault_name(v));
	measure(v);
}

/* --- opening ----------------------------------------------------------- */

/* Whether this process wrote to this database before: its newest samples are
 * those that were last known, and so is its row of this boot. Where boots have no id
 * only samples tell. */
static bool
is_known(const struct rs_vault *v, const struct rs_appender *a)
{
	const struct rs_appender *const before = &v->appender;
	const bool is_same_boot = v->boot_id[0] != '\0'
				      ? a->boot == before->boot
				      : before->boot == 0 || before->newest.boot == before->boot;

	return v->place.was_open && is_same_boot && a->newest.boot == before->newest.boot &&
	       a->newest.ms == before->newest.ms;
}

/* What an earlier process had no time to write. */
static int
recover(struct rs_vault *v, struct rs_db *db, struct rs_appender *a)
{
	if (!v->stats.is_recovering)
		return 0;
	const int r = rs_recover(a, db, &v->leftover, &v->stats.recovered_ticks);
	if (r == 0)
		v->stats.is_recovering = false;
	return r;
}

/* What an earlier process left: samples, findings that it can no longer end, and
 * ids. */
static int
look_back(struct rs_vault *v, struct rs_db *db, struct rs_appender *a)
{
	int64_t offset_ms = 0, finding_id = 0, change_id = 0;
	int r = 0;

	/* What cannot be written now may be later, and the rest can be read. */
	if (recover(v, db, a) == -EBADMSG)
		return -EBADMSG;
	if (a->newest.boot != 0)
		r = rs_query_offset(db, a->newest.boot, &offset_ms);
	if (r == 0)
		r = rs_findings_init(db, a->newest.ms + offset_ms, &finding_id);
	if (r == 0)
		r = rs_changes_init(db, &change_id);
	if (r < 0)
		return r;
	v->own_finding_id = finding_id;
	v->own_change_id = change_id;
	return 0;
}

static int
look_up(void *arg, struct rs_db *db)
{
	struct rs_vault *const v = arg;
	struct rs_appender a;
	struct rs_upkeep upkeep = {0};
	int r = rs_appender_init(&a, db, v->boot_id);

	if (r == 0 && is_known(v, &a))
		a.boot = v->appender.boot; /* also where boots have no id */
	else if (r == 0)
		r = look_back(v, db, &a);
	if (r == 0)
		r = rs_upkeep_init(&upkeep, db, &v->limits);
	if (r < 0) {
		rs_upkeep_fini(&upkeep);
		rs_appender_fini(&a);
		return r;
	}
	rs_appender_fini(&v->appender);
	v->appender = a;
	memcpy(upkeep.retention.given_up, v->upkeep.retention.given_up,
	    sizeof(upkeep.retention.given_up));
	rs_upkeep_fini(&v->upkeep);
	v->upkeep = upkeep;
	v->has_upkeep = db->path != NULL;
	v->told_damaged = 0;
	return 0;
}

static void
tell_damage(const struct rs_vault *v)
{
	const struct rs_aside *const a = &v->place.aside;

	if (a->name[0] != '\0')
		rs_log_err("the database '%s' is damaged: moved to '%s', a new one is begun",
		    rs_vault_name(v), a->name);
	else
		rs_log_err("the database '%s' is damaged again: removed, a new one is begun",
		    rs_vault_name(v));
}

int
rs_vault_open(struct rs_vault *v)
{
	const unsigned n_damaged = v->place.n_damaged;
	const int r = rs_place_open(&v->place, look_up, v);

	v->tried_ns = rs_clock_mono();
	if (v->place.n_damaged != n_damaged)
		tell_damage(v);
	/* What failed before says nothing of this one. */
	for (size_t i = 0; r == 0 && i < RS_WRITES; i++)
		v->writes[i].is_failing = false;
	measure(v);
	return r;
}

int
rs_vault_get_ready(struct rs_vault *v)
{
	if (v->place.db != NULL && !rs_place_is_there(&v->place)) {
		rs_log_err(
		    "somebody moved or removed the database '%s' or its log", rs_vault_name(v));
		rs_place_close(&v->place, false, -ENOENT, "it was moved or removed");
		v->tried_ns = 0;
	}
	if (v->place.db == NULL &&
	    (v->tried_ns == 0 || rs_clock_mono() - v->tried_ns >= RS_VAULT_RETRY_NS))
		(void)rs_vault_open(v);
	return v->place.db != NULL ? 0 : v->place.why.code;
}

/* SQLite says that the file is damaged. It says the same of a disk that failed to
 * read once: only if it says so again that is so. */
static int
renew(struct rs_vault *v, bool is_sure)
{
	if (!is_sure)
		rs_place_close(&v->place, true, -EBADMSG, "the database is damaged");
	else if (rs_place_give_up(&v->place) < 0)
		return v->place.why.code;
	else
		tell_damage(v);
	return rs_vault_open(v);
}

/* --- writing ----------------------------------------------------------- */

/* The disk is full: an empty log can be used from its front, and rows that are
 * given up leave pages. */
static int
write_in_place(struct rs_vault *v, rs_write_fn write, void *arg, int64_t bytes)
{
	rs_vault_empty_log(v);
	const int r = write(v, arg);

	if (r != -ENOSPC || rs_vault_make_room(v, bytes, true) < 0)
		return r;
	return write(v, arg);
}

static int
write_somehow(struct rs_vault *v, rs_write_fn write, void *arg, int64_t bytes)
{
	int r = rs_vault_get_ready(v);

	if (r < 0)
		return r;
	r = write(v, arg);
	if (r == -ENOSPC)
		r = write_in_place(v, write, arg, bytes);
	for (int again = 0; again < 2 && r == -EBADMSG; again++) {
		r = renew(v, again > 0);
		if (r == 0)
			r = write(v, arg);
	}
	return r;
}

int
rs_vault_write(struct rs_vault *v, enum rs_write kind, rs_write_fn write, void *arg, int64_t bytes)
{
	const bool was_failing = find_reason(v) != NULL;
	const int r = write_somehow(v, write, arg, bytes);

	v->stats.commits += r == 0 && kind != RS_WRITE_UPKEEP;
	v->stats.commit_errors += r < 0;
	note_write(v, kind, r, was_failing);
	return r;
}

/* --- samples ----------------------------------------------------------- */

struct append {
	const struct rs_block *blocks;
	int64_t bytes; /* about */
};

/* It is not the disk, then. Some attempts more, and it is over. */
static void
give_up_leftover(struct rs_vault *v, int why)
{
	if (++v->n_unrecovered < UNRECOVERED_MAX)
		return;
	v->stats.unrecovered_ticks = v->leftover.ticks;
	v->stats.is_recovering = false;
	rs_log_err("%llu samples of a process that was killed could not be written: %s",
	    (unsigned long long)v->leftover.ticks, strerror(-why));
	rs_leftover_fini(&v->leftover);
}

static int
write_blocks(struct rs_vault *v, void *arg)
{
	const struct append *const a = arg;
	rs_ns commit_ns = 0;
	int r = rs_vault_make_room(v, a->bytes, false);

	if (r < 0)
		return r;
	rs_vault_spare_disk(v, a->bytes);
	const int left = recover(v, v->place.db, &v->appender);
	r = rs_append_blocks(&v->appender, v->place.db, a->blocks, v->offset_ms, &commit_ns);
	if (left < 0 && r == 0)
		give_up_leftover(v, left);
	v->stats.longest_commit_ns = RS_MAX(v->stats.longest_commit_ns, commit_ns);
	return r;
}

int
rs_vault_append(struct rs_vault *v, const struct rs_block *blocks, int64_t offset_ms)
{
	struct append a = {.blocks = blocks};
	unsigned n = 0;

	for (const struct rs_block *b = blocks; b != NULL; b = b->next, n++) {
		a.bytes += rs_upkeep_estimate(b);
		v->now_ms = RS_MAX(v->now_ms, (b->minute + 1) * RS_MINUTE_MS);
	}
	v->offset_ms = offset_ms;
	const int r = rs_vault_write(v, RS_WRITE_BLOCKS, write_blocks, &a, a.bytes);
	if (r == 0)
		v->stats.blocks_written += n;
	else
		v->stats.blocks_failed += n;
	v->has_upkeep = r == 0 && v->place.path != NULL;
	return r;
}

/* --- life -------------------------------------------------------------- */

int
rs_vault_init(struct rs_vault *v, const struct rs_store_conf *c)
{
	*v = (struct rs_vault){.limits = c->limits};
	if (rs_place_init(&v->place, c->path) < 0)
		return -ENOMEM;
	(void)snprintf(v->boot_id, sizeof(v->boot_id), "%s", c->boot_id);
	if (c->leftover != NULL) {
		v->leftover = *c->leftover;
		*c->leftover = (struct rs_leftover){0};
		v->stats.is_recovering = v->leftover.blocks != NULL || v->leftover.n_changes > 0;
	}
	v->stats.size_bytes = -1;
	measure(v);
	return 0;
}

void
rs_vault_close(struct rs_vault *v)
{
	rs_upkeep_fini(&v->upkeep);
	v->upkeep = (struct rs_upkeep){0};
	v->has_upkeep = false;
	rs_place_close(&v->place, false, -ECANCELED, "closed");
}

void
rs_vault_fini(struct rs_vault *v)
{
	rs_vault_close(v);
	rs_place_fini(&v->place);
	rs_appender_fini(&v->appender);
	rs_leftover_fini(&v->leftover);
}

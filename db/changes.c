/* SPDX-License-Identifier: ISC */
/*
 * One row a change, its parts as columns for people. Store thread.
 */
#include "changes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"
#include "finding.h"

/* --- writing ----------------------------------------------------------- */

/* The row of a change that follows the clock of a boot; 0: of none. */
static int
add_row(struct rs_db *db, const struct rs_change *c, int64_t boot)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_CHANGE_ADD);
	struct rs_subject subject;

	rs_change_subject(c, &subject);
	(void)sqlite3_bind_int64(st, 1, c->id);
	(void)sqlite3_bind_int64(st, 2, c->at_ms);
	rs_sql_bind_text(st, 3, rs_facts[c->fact].name);
	rs_sql_bind_text(st, 4, rs_subject_kind_name(subject.kind));
	rs_sql_bind_known_int(st, 5, subject.core);
	rs_sql_bind_known_text(st, 6, subject.device);
	rs_sql_bind_known_int(st, 7, subject.queue);
	rs_sql_bind_known_text(st, 8, subject.direction);
	rs_sql_bind_known_text(st, 9, subject.irq);
	rs_sql_bind_text(st, 10, c->old);
	rs_sql_bind_text(st, 11, c->new);
	if (boot != 0)
		(void)sqlite3_bind_int64(st, 12, boot);
	return rs_sql_run(db, st);
}

/* Told as the other events of its boot are. */
static int
add_one(struct rs_db *db, struct rs_appender *a, const struct rs_change *c)
{
	struct rs_change moved = *c;
	int64_t offset_ms = 0;

	if (a == NULL || c->at_boot_ms == 0)
		return add_row(db, c, 0);
	const int r = rs_events_begin(db, a, c->at_ms - c->at_boot_ms, &offset_ms);
	if (r < 0)
		return r;
	(void)rs_change_follow(&moved, offset_ms);
	return add_row(db, &moved, a->boot);
}

static int
add_all(struct rs_db *db, struct rs_appender *a, const struct rs_change *c, size_t n)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++)
		r = add_one(db, a, &c[i]);
	if (r < 0 || n == 0)
		return r;
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_CHANGE_PRUNE);

	(void)sqlite3_bind_int64(st, 1, c[n - 1].id - RS_CHANGES_KEPT);
	return rs_sql_run(db, st);
}

int
rs_changes_add(struct rs_db *db, struct rs_appender *a, const struct rs_change *c, size_t n)
{
	const int64_t boot = a != NULL ? a->boot : 0;
	int r = rs_sql_exec(db, RS_SQL_BEGIN);

	if (r == 0)
		r = add_all(db, a, c, n);
	if (r == 0)
		r = rs_sql_exec(db, RS_SQL_COMMIT);
	if (r < 0) {
		rs_sql_rollback(db, r);
		if (a != NULL)
			a->boot = boot;
	}
	return r;
}

/* --- reading ----------------------------------------------------------- */

static struct rs_text
column_text(sqlite3_stmt *st, int column)
{
	const unsigned char *const s = sqlite3_column_text(st, column);

	return rs_text_of(s != NULL ? (const char *)s : "");
}

/* False: of a kind that is not known here. */
static bool
get_change(sqlite3_stmt *st, struct rs_change *c)
{
	const enum rs_fact_id fact = rs_fact_find(column_text(st, 2));

	if (fact == RS_F_COUNT)
		return false;
	memset(c, 0, sizeof(*c));
	c->id = sqlite3_column_int64(st, 0);
	c->at_ms = sqlite3_column_int64(st, 1);
	c->fact = (uint16_t)fact;
	c->labels.cpu = rs_sql_known_int(st, 3);
	rs_sql_text(st, 4, c->labels.device, sizeof(c->labels.device));
	c->labels.queue = rs_sql_known_int(st, 5);
	rs_sql_text(st, 6, c->labels.irq, sizeof(c->labels.irq));
	rs_sql_text(st, 7, c->old, sizeof(c->old));
	rs_sql_text(st, 8, c->new, sizeof(c->new));
	return true;
}

int
rs_changes_read(
    struct rs_db *db, const struct rs_change_query *q, int64_t boot, struct rs_change_list *ret)
{
	int64_t told_ms = 0;
	const int has_offset =
	    boot != 0 && q->has_offset ? rs_events_offset(db, boot, &told_ms) : 0;
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_CHANGE_LIST);
	const uint32_t limit = RS_MIN(q->limit, (uint32_t)RS_CHANGES_LISTED_MAX);
	int r;

	if (has_offset < 0)
		return has_offset;
	ret->changes = calloc(limit + 1, sizeof(*ret->changes));
	if (ret->changes == NULL)
		return -ENOMEM;
	(void)sqlite3_bind_int64(st, 1, q->after_ms);
	(void)sqlite3_bind_int64(st, 2, q->before_ms);
	if (q->fact != RS_F_COUNT)
		rs_sql_bind_text(st, 3, rs_facts[q->fact].name);
	rs_sql_bind_known_text(st, 4, q->device);
	(void)sqlite3_bind_int64(st, 5, limit);
	(void)sqlite3_bind_int64(st, 7, 0);
	if (has_offset > 0 && llabs(q->offset_ms - told_ms) > RS_CLOCK_NOISE_MS) {
		(void)sqlite3_bind_int64(st, 6, boot);
		(void)sqlite3_bind_int64(st, 7, q->offset_ms - told_ms);
	}
	while ((r = rs_sql_step(db, st)) > 0)
		ret->n += get_change(st, &ret->changes[ret->n]);
	return r;
}

void
rs_change_list_free(struct rs_change_list *l)
{
	if (l == NULL)
		return;
	free(l->changes);
	free(l);
}

/* --- at the start ------------------------------------------------------ */

int
rs_changes_init(struct rs_db *db, int64_t *ret_next)
{
	int64_t max = 0;
	const int r = rs_sql_int(db, rs_sql(db, RS_SQL_CHANGE_MAX), &max);

	*ret_next = max + 1;
	return r;
}

/* SPDX-License-Identifier: ISC */
/*
 * One row a finding and rows for its evidence, causes and advice. Whether it
 * is stale is a matter of the moment and not stored. Store thread.
 */
#include "findings.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "events.h"

/* --- writing ----------------------------------------------------------- */

/* The row of a finding that follows the clock of a boot; 0: of none. */
static int
put_finding(struct rs_db *db, const struct rs_finding *f, int64_t boot)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_FINDING_PUT);

	(void)sqlite3_bind_int64(st, 1, f->id);
	rs_sql_bind_text(st, 2, f->code);
	rs_sql_bind_text(st, 3, f->title);
	rs_sql_bind_text(st, 4, rs_severity_name(f->severity));
	rs_sql_bind_text(st, 5, rs_confidence_name(f->confidence));
	rs_sql_bind_text(st, 6, rs_subject_kind_name(f->subject.kind));
	rs_sql_bind_known_int(st, 7, f->subject.core);
	rs_sql_bind_known_text(st, 8, f->subject.device);
	rs_sql_bind_known_int(st, 9, f->subject.queue);
	rs_sql_bind_known_text(st, 10, f->subject.direction);
	rs_sql_bind_known_text(st, 11, f->subject.irq);
	(void)sqlite3_bind_int64(st, 12, f->raised_ms);
	/* The wall clock may have been set back in between. */
	if (f->cleared_ms != 0)
		(void)sqlite3_bind_int64(st, 13, RS_MAX(f->raised_ms, f->cleared_ms));
	(void)sqlite3_bind_int64(st, 14, f->episodes);
	rs_sql_bind_text(st, 15, f->message);
	if (boot != 0)
		(void)sqlite3_bind_int64(st, 16, boot);
	return rs_sql_run(db, st);
}

static int
put_evidence(struct rs_db *db, const struct rs_finding *f)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < RS_MIN(f->n_evidence, RS_EVIDENCE_MAX); i++) {
		const struct rs_evidence *const e = &f->evidence[i];
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_EVIDENCE_ADD);

		(void)sqlite3_bind_int64(st, 1, f->id);
		(void)sqlite3_bind_int64(st, 2, i);
		rs_sql_bind_text(st, 3, e->label);
		if (!isnan(e->value))
			(void)sqlite3_bind_double(st, 4, e->value);
		rs_sql_bind_text(st, 5, rs_unit_name(e->unit));
		rs_sql_bind_text(st, 6, e->text);
		r = rs_sql_run(db, st);
	}
	return r;
}

static int
put_causes(struct rs_db *db, const struct rs_finding *f)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < RS_MIN(f->n_causes, RS_CAUSES_MAX); i++) {
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_CAUSES_ADD);

		(void)sqlite3_bind_int64(st, 1, f->id);
		(void)sqlite3_bind_int64(st, 2, i);
		rs_sql_bind_text(st, 3, f->causes[i]);
		r = rs_sql_run(db, st);
	}
	return r;
}

static int
put_advice(struct rs_db *db, const struct rs_finding *f)
{
	int r = 0;

	for (uint32_t i = 0; r == 0 && i < RS_MIN(f->n_advice, RS_ADVICE_MAX); i++) {
		const struct rs_advice *const a = &f->advice[i];
		sqlite3_stmt *const st = rs_sql(db, RS_SQL_ADVICE_ADD);

		(void)sqlite3_bind_int64(st, 1, f->id);
		(void)sqlite3_bind_int64(st, 2, i);
		rs_sql_bind_text(st, 3, a->command);
		rs_sql_bind_text(st, 4, a->expect);
		rs_sql_bind_text(st, 5, a->undo);
		(void)sqlite3_bind_int(st, 6, a->is_persistent);
		(void)sqlite3_bind_int(st, 7, a->is_disruptive);
		r = rs_sql_run(db, st);
	}
	return r;
}

/* Runs statements that take one integer. */
static int
run_each(struct rs_db *db, const enum rs_sql_id *ids, size_t n, int64_t value)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n; i++) {
		sqlite3_stmt *const st = rs_sql(db, ids[i]);

		(void)sqlite3_bind_int64(st, 1, value);
		r = rs_sql_run(db, st);
	}
	return r;
}

static const enum rs_sql_id clear_ids[] = {
    RS_SQL_EVIDENCE_CLEAR, RS_SQL_CAUSES_CLEAR, RS_SQL_ADVICE_CLEAR};
static const enum rs_sql_id prune_ids[] = {
    RS_SQL_EVIDENCE_PRUNE, RS_SQL_CAUSES_PRUNE, RS_SQL_ADVICE_PRUNE, RS_SQL_FINDING_PRUNE};

/* Told as the other events of its boot are. */
static int
put_moved(struct rs_db *db, struct rs_appender *a, const struct rs_finding *f)
{
	struct rs_finding moved = *f;
	int64_t offset_ms = 0;

	if (a == NULL || f->raised_boot_ms == 0)
		return put_finding(db, f, 0);
	const int r = rs_events_begin(db, a, f->raised_ms - f->raised_boot_ms, &offset_ms);
	if (r < 0)
		return r;
	(void)rs_finding_follow(&moved, offset_ms);
	return put_finding(db, &moved, a->boot);
}

static int
put_all(struct rs_db *db, struct rs_appender *a, const struct rs_finding *f)
{
	int r = put_moved(db, a, f);

	if (r == 0)
		r = run_each(db, clear_ids, RS_ARRAY_LEN(clear_ids), f->id);
	if (r == 0)
		r = put_evidence(db, f);
	if (r == 0)
		r = put_causes(db, f);
	if (r == 0)
		r = put_advice(db, f);
	/* In memory nothing else limits them. */
	if (r == 0 && db->path == NULL)
		r = run_each(db, prune_ids, RS_ARRAY_LEN(prune_ids), f->id - RS_FINDINGS_MAX);
	return r;
}

int
rs_findings_put(struct rs_db *db, struct rs_appender *a, const struct rs_finding *f)
{
	const int64_t boot = a != NULL ? a->boot : 0;
	int r = f->id > 0 ? rs_sql_exec(db, RS_SQL_BEGIN) : -EINVAL;

	if (r == 0)
		r = put_all(db, a, f);
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

/* The place of a text among names; 0, the first, when it is none of them. */
static unsigned
place_of(sqlite3_stmt *st, int column, const char *(*name)(unsigned), unsigned n)
{
	const unsigned char *const text = sqlite3_column_text(st, column);

	for (unsigned i = 0; text != NULL && i < n; i++) {
		if (strcmp((const char *)text, name(i)) == 0)
			return i;
	}
	return 0;
}

static const char *
severity_name(unsigned i)
{
	return rs_severity_name((enum rs_severity)i);
}

static const char *
confidence_name(unsigned i)
{
	return rs_confidence_name((enum rs_confidence)i);
}

static const char *
subject_name(unsigned i)
{
	return rs_subject_kind_name((enum rs_subject_kind)i);
}

static const char *
unit_name(unsigned i)
{
	return rs_unit_name((enum rs_unit)i);
}

static void
get_finding(sqlite3_stmt *st, struct rs_finding *f)
{
	memset(f, 0, sizeof(*f));
	f->id = sqlite3_column_int64(st, 0);
	rs_sql_text(st, 1, f->code, sizeof(f->code));
	rs_sql_text(st, 2, f->title, sizeof(f->title));
	f->severity = (enum rs_severity)place_of(st, 3, severity_name, RS_CRIT + 1);
	f->confidence = (enum rs_confidence)place_of(st, 4, confidence_name, RS_HIGH + 1);
	f->subject.kind = (enum rs_subject_kind)place_of(st, 5, subject_name, RS_SUBJECT_IRQ + 1);
	f->subject.core = rs_sql_known_int(st, 6);
	rs_sql_text(st, 7, f->subject.device, sizeof(f->subject.device));
	f->subject.queue = rs_sql_known_int(st, 8);
	rs_sql_text(st, 9, f->subject.direction, sizeof(f->subject.direction));
	rs_sql_text(st, 10, f->subject.irq, sizeof(f->subject.irq));
	f->raised_ms = sqlite3_column_int64(st, 11);
	f->cleared_ms = sqlite3_column_int64(st, 12);
	f->episodes = (uint32_t)sqlite3_column_int64(st, 13);
	rs_sql_text(st, 14, f->message, sizeof(f->message));
}

static void
get_evidence(sqlite3_stmt *st, struct rs_finding *f)
{
	struct rs_evidence *const e = &f->evidence[f->n_evidence++];

	rs_sql_text(st, 0, e->label, sizeof(e->label));
	e->value =
	    sqlite3_column_type(st, 1) == SQLITE_NULL ? (double)NAN : sqlite3_column_double(st, 1);
	e->unit = (enum rs_unit)place_of(st, 2, unit_name, RS_UNIT_COUNT);
	rs_sql_text(st, 3, e->text, sizeof(e->text));
}

static void
get_cause(sqlite3_stmt *st, struct rs_finding *f)
{
	char *const cause = f->causes[f->n_causes++];

	rs_sql_text(st, 0, cause, sizeof(f->causes[0]));
}

static void
get_advice(sqlite3_stmt *st, struct rs_finding *f)
{
	struct rs_advice *const a = &f->advice[f->n_advice++];

	rs_sql_text(st, 0, a->command, sizeof(a->command));
	rs_sql_text(st, 1, a->expect, sizeof(a->expect));
	rs_sql_text(st, 2, a->undo, sizeof(a->undo));
	a->is_persistent = sqlite3_column_int(st, 3) != 0;
	a->is_disruptive = sqlite3_column_int(st, 4) != 0;
}

static const struct child {
	enum rs_sql_id id;
	int max;
	void (*get)(sqlite3_stmt *st, struct rs_finding *f);
} children[] = {
    {RS_SQL_EVIDENCE_LIST, RS_EVIDENCE_MAX, get_evidence},
    {RS_SQL_CAUSES_LIST, RS_CAUSES_MAX, get_cause},
    {RS_SQL_ADVICE_LIST, RS_ADVICE_MAX, get_advice},
};

static int
get_children(struct rs_db *db, struct rs_finding *f)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(children); i++) {
		sqlite3_stmt *const st = rs_sql(db, children[i].id);
		int r = 0;

		(void)sqlite3_bind_int64(st, 1, f->id);
		for (int n = 0; n < children[i].max && (r = rs_sql_step(db, st)) > 0; n++)
			children[i].get(st, f);
		(void)sqlite3_reset(st);
		if (r < 0)
			return r;
	}
	return 0;
}

static struct rs_finding *
add_one(struct rs_finding_list *l, size_t *cap)
{
	if (l->n == *cap) {
		const size_t want = *cap == 0 ? 16 : *cap * 2;
		struct rs_finding *const findings = realloc(l->findings, want * sizeof(*findings));

		if (findings == NULL)
			return NULL;
		l->findings = findings;
		*cap = want;
	}
	return &l->findings[l->n++];
}

int
rs_findings_read(struct rs_db *db, int64_t boot, struct rs_finding_list *ret)
{
	int64_t offset_ms = 0;
	const int has_offset = boot != 0 ? rs_events_offset(db, boot, &offset_ms) : 0;
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_FINDING_LIST);
	size_t cap = 0;
	int r;

	if (has_offset < 0)
		return has_offset;
	(void)sqlite3_bind_int(st, 1, RS_FINDINGS_MAX);
	while ((r = rs_sql_step(db, st)) > 0) {
		struct rs_finding *const f = add_one(ret, &cap);

		if (f == NULL) {
			r = -ENOMEM;
			break;
		}
		get_finding(st, f);
		if (has_offset > 0 && sqlite3_column_int64(st, 15) == boot)
			f->raised_boot_ms = f->raised_ms - offset_ms;
		r = get_children(db, f);
		if (r < 0)
			break;
	}
	(void)sqlite3_reset(st);
	return r;
}

void
rs_finding_list_free(struct rs_finding_list *l)
{
	if (l == NULL)
		return;
	free(l->findings);
	free(l);
}

/* --- at the start ------------------------------------------------------ */

int
rs_findings_init(struct rs_db *db, int64_t newest_ms, int64_t *ret_next)
{
	sqlite3_stmt *const st = rs_sql(db, RS_SQL_FINDING_END_ALL);
	int64_t max = 0;

	(void)sqlite3_bind_int64(st, 1, newest_ms);
	int r = rs_sql_run(db, st);
	if (r == 0)
		r = rs_sql_int(db, rs_sql(db, RS_SQL_FINDING_MAX), &max);
	*ret_next = max + 1;
	return r;
}

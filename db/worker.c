/* SPDX-License-Identifier: ISC */
/*
 * The thread, and what each kind of job means. Whether there is a database to do it
 * with is vault.c's business.
 */
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "changes.h"
#include "clock.h"
#include "findings.h"
#include "held.h"
#include "log.h"
#include "migrate.h"
#include "vault.h"

/* musl gives threads 128 KiB; SQLite and a chunk's tables want more room. */
enum { STACK_BYTES = 1024 * 1024 };

struct rs_worker {
	struct rs_vault vault;
	struct rs_db *empty; /* in memory, for questions while there is no database */
	int64_t interval_ms;
	struct rs_held held;
	int64_t first_finding_id; /* of this process, as the loop gives them */
	bool has_thread;
	pthread_t thread;
	struct rs_mailbox *jobs, *replies;
	atomic_bool is_closing;
};

/* --- findings and changes ---------------------------------------------- */

/* In the database the ids of this process follow those of its past. */
static int64_t
finding_shift(const struct rs_worker *w)
{
	return w->vault.own_finding_id - w->first_finding_id;
}

static int
write_finding(struct rs_vault *v, void *arg)
{
	const struct rs_worker *const w = arg;
	struct rs_finding *const f = w->held.list[0];
	const int64_t id = f->id;

	f->id += finding_shift(w);
	const int r = rs_findings_put(v->place.db, &v->appender, f);
	f->id = id;
	return r;
}

static void
write_held(struct rs_worker *w)
{
	while (
	    w->held.n > 0 && rs_vault_write(&w->vault, RS_WRITE_FINDING, write_finding, w, 0) == 0)
		rs_held_written(&w->held);
}

static int
write_changes(struct rs_vault *v, void *arg)
{
	const struct rs_job *const job = arg;
	const struct rs_change_list *const l = job->changes;
	const int64_t shift = v->own_change_id - job->first_change_id;

	if (shift == 0)
		return rs_changes_add(v->place.db, &v->appender, l->changes, l->n);
	/* The loop reads the list too: it stays as it is. */
	struct rs_change *const shifted = malloc(l->n * sizeof(*shifted));
	if (shifted == NULL)
		return -ENOMEM;
	memcpy(shifted, l->changes, l->n * sizeof(*shifted));
	for (size_t i = 0; i < l->n; i++)
		shifted[i].id += shift;
	const int r = rs_changes_add(v->place.db, &v->appender, shifted, l->n);
	free(shifted);
	return r;
}

/* --- jobs -------------------------------------------------------------- */

static void
open_first(struct rs_worker *w, struct rs_job *job)
{
	struct rs_vault *const v = &w->vault;
	const rs_ns start = rs_clock_mono();

	job->status = rs_vault_open(v);
	if (v->tried_ns - start > RS_NS_PER_S)
		rs_log_notice("opening the database '%s' took %lld ms", rs_vault_name(v),
		    (long long)((v->tried_ns - start) / RS_NS_PER_MS));
	if (job->status < 0) {
		job->why = malloc(sizeof(*job->why));
		if (job->why != NULL)
			*job->why = v->place.why;
		return;
	}
	job->first_finding_id = v->own_finding_id;
	job->first_change_id = v->own_change_id;
	job->has_offset = v->appender.boot != 0 &&
			  rs_query_offset(v->place.db, v->appender.boot, &job->offset_ms) == 0;
}

static void
append(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_vault_append(&w->vault, job->block, job->offset_ms);
	write_held(w);
	if (job->status == 0)
		rs_vault_bite(&w->vault);
}

static void
put_finding(struct rs_worker *w, struct rs_job *job)
{
	w->first_finding_id = job->first_finding_id;
	rs_held_put(&w->held, job->finding);
	job->finding = NULL;
	if (rs_held_is_due(&w->held, rs_clock_mono()))
		write_held(w);
	w->vault.stats.findings_dropped = w->held.dropped;
	job->status = 0; /* held, at least */
}

static void
put_changes(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_vault_write(&w->vault, RS_WRITE_CHANGES, write_changes, job, 0);
	if (job->status < 0 && job->is_last)
		rs_log_err("%zu changes of settings could not be written to '%s'", job->changes->n,
		    rs_vault_name(&w->vault));
}

/* --- questions --------------------------------------------------------- */

/* The database; NULL: there is none now, and the answer says so. */
static struct rs_db *
get_db(struct rs_worker *w, struct rs_job *job)
{
	job->incomplete = rs_vault_get_ready(&w->vault);
	return job->incomplete == 0 ? w->vault.place.db : NULL;
}

/* One that holds nothing: the answer is then what the head has. */
static struct rs_db *
get_empty(struct rs_worker *w)
{
	if (w->empty == NULL)
		(void)rs_db_open(NULL, NULL, &w->empty);
	return w->empty;
}

static void
query(struct rs_worker *w, struct rs_job *job)
{
	struct rs_db *db = get_db(w, job);
	unsigned damaged = 0;

	job->env.boot = db != NULL ? w->vault.appender.boot : 0;
	job->env.offset_ms = job->offset_ms;
	job->env.interval_ms = w->interval_ms;
	job->env.deadline_ns = rs_clock_mono() + RS_QUERY_NS_MAX;
	job->env.is_closing = &w->is_closing;
	if (db == NULL)
		db = get_empty(w);
	job->status = db != NULL ? rs_query_run(db, job->grid, &job->env, &damaged) : -ENOMEM;
	job->grid->status = RS_MIN(job->grid->status, job->status);
	/* The same ones again are no news. */
	if (damaged <= w->vault.stats.damaged_rows)
		return;
	w->vault.stats.damaged_rows = damaged;
	rs_log_warn("%u damaged rows of '%s' were left out of an answer", damaged,
	    rs_vault_name(&w->vault));
}

/* Wall time of the newest stored tick; 0: none. */
static int64_t
newest_ms(struct rs_worker *w, int64_t offset_ms)
{
	const struct rs_appender *const a = &w->vault.appender;

	if (a->newest.boot == 0)
		return 0;
	if (a->newest.boot != a->boot &&
	    rs_query_offset(w->vault.place.db, a->newest.boot, &offset_ms) < 0)
		return 0;
	return a->newest.ms + offset_ms;
}

static void
read_catalog(struct rs_worker *w, struct rs_job *job)
{
	struct rs_db *const db = get_db(w, job);

	if (db != NULL)
		job->status = rs_catalog_read(db, newest_ms(w, job->offset_ms), job->catalog);
	rs_catalog_end(job->catalog);
}

static void
read_findings(struct rs_worker *w, struct rs_job *job)
{
	struct rs_db *const db = get_db(w, job);
	struct rs_finding_list *const l = job->findings;

	w->first_finding_id = job->first_finding_id;
	if (db != NULL)
		job->status = rs_findings_read(db, w->vault.appender.boot, l);
	for (size_t i = 0; i < l->n; i++) {
		if (l->findings[i].id >= w->vault.own_finding_id)
			l->findings[i].id -= finding_shift(w);
	}
	if (job->status == 0)
		job->status = rs_held_merge(&w->held, l, RS_FINDINGS_MAX);
}

static void
read_changes(struct rs_worker *w, struct rs_job *job)
{
	struct rs_db *const db = get_db(w, job);
	struct rs_change_list *const l = job->changes;
	const int64_t own = w->vault.own_change_id;

	if (db != NULL)
		job->status = rs_changes_read(db, &job->which, w->vault.appender.boot, l);
	for (size_t i = 0; i < l->n; i++) {
		if (l->changes[i].id >= own)
			l->changes[i].id -= own - job->first_change_id;
	}
}

/* --- the thread -------------------------------------------------------- */

static void (*const do_job[])(struct rs_worker *w, struct rs_job *job) = {
    [RS_JOB_OPEN] = open_first,
    [RS_JOB_APPEND] = append,
    [RS_JOB_FINDING] = put_finding,
    [RS_JOB_CHANGE] = put_changes,
    [RS_JOB_QUERY] = query,
    [RS_JOB_CATALOG] = read_catalog,
    [RS_JOB_FINDINGS] = read_findings,
    [RS_JOB_CHANGES] = read_changes,
};

void
rs_worker_run(struct rs_worker *w, struct rs_job *job)
{
	do_job[job->kind](w, job);
	job->stats = w->vault.stats;
}

/* What waited for the end of the minute does not wait any longer. */
static void
finish(struct rs_worker *w)
{
	w->vault.tried_ns = 0;
	write_held(w);
	if (w->held.n > 0)
		rs_log_err("%u findings could not be written to '%s'", w->held.n,
		    rs_vault_name(&w->vault));
	rs_vault_close(&w->vault);
}

/* The next job; NULL at the end. While there is none the time is used. */
static struct rs_job *
take_job(struct rs_worker *w)
{
	struct rs_job *job;

	while ((job = rs_mailbox_take(w->jobs, false)) == NULL && w->vault.has_upkeep &&
	       !atomic_load(&w->is_closing))
		rs_vault_bite(&w->vault);
	return job != NULL ? job : rs_mailbox_take(w->jobs, true);
}

static void *
run_thread(void *arg)
{
	struct rs_worker *const w = arg;
	struct rs_job *job;

	while ((job = take_job(w)) != NULL) {
		rs_worker_run(w, job);
		/* There is room for every job that can be on its way. */
		(void)rs_mailbox_put(w->replies, job);
	}
	finish(w);
	return NULL;
}

/* --- life -------------------------------------------------------------- */

int
rs_worker_new(const struct rs_store_conf *c, struct rs_worker **ret)
{
	struct rs_worker *const w = calloc(1, sizeof(*w));

	if (w == NULL || rs_vault_init(&w->vault, c) < 0) {
		free(w);
		return -ENOMEM;
	}
	atomic_init(&w->is_closing, false);
	w->interval_ms = c->interval_ns / RS_NS_PER_MS;
	*ret = w;
	return 0;
}

int
rs_worker_open(const struct rs_store_conf *c, struct rs_error *e, struct rs_worker **ret)
{
	struct rs_worker *w = NULL;
	int r = rs_worker_new(c, &w);

	if (r < 0)
		return rs_error_set(e, r, "out of memory");
	r = rs_vault_open(&w->vault);
	if (r < 0) {
		(void)rs_error_set(e, r, "%s", w->vault.place.why.text);
		rs_worker_free(w);
		return r;
	}
	*ret = w;
	return 0;
}

const struct rs_store_stats *
rs_worker_stats(const struct rs_worker *w)
{
	return &w->vault.stats;
}

int
rs_worker_start(struct rs_worker *w, struct rs_mailbox *jobs, struct rs_mailbox *replies)
{
	pthread_attr_t attr;
	sigset_t all, old;

	w->jobs = jobs;
	w->replies = replies;
	int r = -pthread_attr_init(&attr);
	if (r < 0)
		return r;
	r = -pthread_attr_setstacksize(&attr, STACK_BYTES);
	/* Signals are the loop's. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &old);
	if (r == 0)
		r = -pthread_create(&w->thread, &attr, run_thread, w);
	(void)pthread_sigmask(SIG_SETMASK, &old, NULL);
	(void)pthread_attr_destroy(&attr);
	w->has_thread = r == 0;
	return r;
}

void
rs_worker_join(struct rs_worker *w)
{
	if (!w->has_thread)
		return;
	atomic_store(&w->is_closing, true);
	rs_mailbox_close(w->jobs);
	(void)pthread_join(w->thread, NULL);
	w->has_thread = false;
}

void
rs_worker_free(struct rs_worker *w)
{
	if (w == NULL)
		return;
	rs_vault_fini(&w->vault);
	rs_db_close(w->empty);
	rs_held_fini(&w->held);
	free(w);
}

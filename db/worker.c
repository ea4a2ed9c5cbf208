/* SPDX-License-Identifier: ISC */
/*
 * The thread, what each kind of job means, the state that `health` shows, and
 * the log lines about it: one when writing begins to fail, one when it works
 * again.
 */
#include "worker.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "append.h"
#include "catalog.h"
#include "changes.h"
#include "clock.h"
#include "findings.h"
#include "log.h"
#include "migrate.h"

/* musl gives threads 128 KiB; SQLite and a chunk's tables want more room. */
enum { STACK_BYTES = 1024 * 1024 };

enum write_kind { WRITE_BLOCK, WRITE_FINDING, WRITE_CHANGE, N_WRITES };

struct rs_worker {
	struct rs_db *db;
	char boot_id[40];
	int64_t interval_ms;
	struct rs_appender appender;
	struct rs_store_stats stats;
	int64_t next_finding_id, next_change_id;
	/* The last attempt of each kind: a small write that works does not prove
	 * that a large one does. */
	struct {
		bool is_failing;
		char error[160];
	} writes[N_WRITES];
	bool has_thread;
	pthread_t thread;
	struct rs_mailbox *jobs, *replies;
	atomic_bool is_closing;
};

/* --- state ------------------------------------------------------------- */

static int64_t
size_of(const char *path, const char *suffix)
{
	char name[4096];
	struct stat st;

	if ((size_t)snprintf(name, sizeof(name), "%s%s", path, suffix) >= sizeof(name) ||
	    stat(name, &st) < 0)
		return 0;
	return (int64_t)st.st_size;
}

/* Failing while any kind of write fails; true if so. */
static bool
set_state(struct rs_worker *w)
{
	const char *state = w->db->path == NULL ? "memory" : "ok";
	const char *error = "";
	bool is_failing = false;

	for (size_t i = 0; i < N_WRITES && !is_failing; i++) {
		if (!w->writes[i].is_failing)
			continue;
		is_failing = true;
		state = "failing";
		error = w->writes[i].error;
	}
	(void)snprintf(w->stats.state, sizeof(w->stats.state), "%s", state);
	(void)snprintf(w->stats.error, sizeof(w->stats.error), "%s", error);
	return is_failing;
}

static void
measure(struct rs_worker *w)
{
	w->stats.size_bytes = -1;
	if (w->db->path != NULL) {
		w->stats.bytes_written = rs_vfs_stats(w->db->vfs).bytes_written;
		w->stats.size_bytes = size_of(w->db->path, "") + size_of(w->db->path, "-wal");
	}
	(void)rs_query_oldest(w->db, &w->stats.oldest_ms);
}

/* After each attempt to write. */
static void
note_write(struct rs_worker *w, enum write_kind kind, int status)
{
	const char *const path = w->db->path != NULL ? w->db->path : "memory";
	const bool was_failing = set_state(w);

	w->writes[kind].is_failing = status != 0;
	if (status == 0) {
		w->stats.commits++;
	} else {
		w->stats.commit_errors++;
		(void)snprintf(
		    w->writes[kind].error, sizeof(w->writes[kind].error), "%s", w->db->error);
	}
	const bool is_failing = set_state(w);
	if (is_failing && !was_failing)
		rs_log_err("cannot write history to '%s': %s; the live view goes on", path,
		    w->stats.error);
	else if (was_failing && !is_failing)
		rs_log_notice("history is written to '%s' again", path);
	measure(w);
}

/* --- jobs -------------------------------------------------------------- */

static void
append(struct rs_worker *w, struct rs_job *job)
{
	rs_ns commit_ns = 0;

	job->status = rs_append_block(&w->appender, w->db, job->block, job->offset_ms, &commit_ns);
	w->stats.longest_commit_ns = RS_MAX(w->stats.longest_commit_ns, commit_ns);
	if (job->status == 0)
		w->stats.blocks_written++;
	else
		w->stats.blocks_failed++;
	note_write(w, WRITE_BLOCK, job->status);
}

static void
put_finding(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_findings_put(w->db, job->finding);
	if (job->status < 0)
		w->stats.findings_dropped++;
	note_write(w, WRITE_FINDING, job->status);
}

static void
put_changes(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_changes_add(w->db, job->changes->changes, job->changes->n);
	note_write(w, WRITE_CHANGE, job->status);
}

static void
query(struct rs_worker *w, struct rs_job *job)
{
	unsigned damaged = 0;

	job->env.boot = w->appender.boot;
	job->env.offset_ms = job->offset_ms;
	job->env.interval_ms = w->interval_ms;
	job->env.deadline_ns = rs_clock_mono() + RS_QUERY_NS_MAX;
	job->env.is_closing = &w->is_closing;
	job->status = rs_query_run(w->db, job->grid, &job->env, &damaged);
	if (damaged > 0)
		rs_log_warn("%u damaged blocks of '%s' were left out of an answer", damaged,
		    w->db->path != NULL ? w->db->path : "memory");
}

/* Wall time of the newest stored tick; 0: none. */
static int64_t
newest_ms(struct rs_worker *w, int64_t offset_ms)
{
	const struct rs_appender *const a = &w->appender;

	if (a->newest.boot == 0)
		return 0;
	if (a->newest.boot != a->boot && rs_query_offset(w->db, a->newest.boot, &offset_ms) < 0)
		return 0;
	return a->newest.ms + offset_ms;
}

static void
read_catalog(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_catalog_read(w->db, newest_ms(w, job->offset_ms), job->catalog);
}

static void
read_findings(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_findings_read(w->db, job->findings);
}

static void
read_changes(struct rs_worker *w, struct rs_job *job)
{
	job->status = rs_changes_read(w->db, &job->which, job->changes);
}

static void (*const do_job[])(struct rs_worker *w, struct rs_job *job) = {
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
	job->stats = w->stats;
}

/* --- life -------------------------------------------------------------- */

int
rs_worker_open(const struct rs_store_conf *c, struct rs_error *e, struct rs_worker **ret)
{
	struct rs_worker *const w = calloc(1, sizeof(*w));
	int64_t offset_ms = 0;

	if (w == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	atomic_init(&w->is_closing, false);
	(void)snprintf(w->boot_id, sizeof(w->boot_id), "%s", c->boot_id);
	w->interval_ms = c->interval_ns / RS_NS_PER_MS;
	int r = rs_db_open(c->path, e, &w->db);
	if (r == 0)
		r = rs_appender_init(&w->appender, w->db, w->boot_id);
	if (r == 0 && w->appender.newest.boot != 0)
		r = rs_query_offset(w->db, w->appender.newest.boot, &offset_ms);
	if (r == 0)
		r = rs_findings_init(w->db, w->appender.newest.ms + offset_ms, &w->next_finding_id);
	if (r == 0)
		r = rs_changes_init(w->db, &w->next_change_id);
	if (r < 0) {
		if (w->db != NULL)
			(void)rs_error_set(e, r, "cannot use '%s': %s",
			    c->path != NULL ? c->path : "memory", rs_sql_message(w->db));
		rs_worker_free(w);
		return r;
	}
	(void)set_state(w);
	measure(w);
	*ret = w;
	return 0;
}

int64_t
rs_worker_next_finding_id(const struct rs_worker *w)
{
	return w->next_finding_id;
}

int64_t
rs_worker_next_change_id(const struct rs_worker *w)
{
	return w->next_change_id;
}

bool
rs_worker_offset(struct rs_worker *w, int64_t *ret_ms)
{
	return w->appender.boot != 0 && rs_query_offset(w->db, w->appender.boot, ret_ms) == 0;
}

const struct rs_store_stats *
rs_worker_stats(const struct rs_worker *w)
{
	return &w->stats;
}

static void *
run_thread(void *arg)
{
	struct rs_worker *const w = arg;
	struct rs_job *job;

	while ((job = rs_mailbox_take(w->jobs, true)) != NULL) {
		rs_worker_run(w, job);
		/* There is room for every job that can be on its way. */
		(void)rs_mailbox_put(w->replies, job);
	}
	rs_db_close(w->db);
	w->db = NULL;
	return NULL;
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
	rs_db_close(w->db);
	rs_appender_fini(&w->appender);
	free(w);
}

/* SPDX-License-Identifier: ISC */
/*
 * The store thread: takes jobs in order, does them, gives them back. Between
 * rs_worker_start and rs_worker_join everything behind the mailboxes is its
 * own; what the two threads share beside them is one flag that makes waiting
 * queries give up at the end.
 */
#ifndef RS_WORKER_H
#define RS_WORKER_H

#include "error.h"
#include "grid.h"
#include "mailbox.h"
#include "query.h"

enum rs_job_kind {
	RS_JOB_APPEND,
	RS_JOB_FINDING,
	RS_JOB_CHANGE,
	RS_JOB_QUERY,
	RS_JOB_CATALOG,
	RS_JOB_FINDINGS,
	RS_JOB_CHANGES
};

struct rs_job {
	enum rs_job_kind kind;
	int status;		     /* the answer: 0 or negative errno */
	struct rs_store_stats stats; /* as of the answer */
	int64_t offset_ms;	     /* wall clock minus boot clock now */
	/* RS_JOB_APPEND */
	struct rs_block *block;	  /* NULL: not with the store */
	rs_ns handed_ns;	  /* loop thread: rs_clock_mono of the hand-over */
	struct rs_job *next_free; /* loop thread */
	/* RS_JOB_FINDING; owned */
	struct rs_finding *finding;
	/* RS_JOB_CHANGE: what to write, RS_JOB_CHANGES: the answer; owned */
	struct rs_change_list *changes;
	struct rs_change_query which;
	/* RS_JOB_QUERY; owned */
	struct rs_grid *grid;
	struct rs_history *history;
	struct rs_query_env env; /* head's part by the loop, the rest by the worker */
	/* RS_JOB_CATALOG, RS_JOB_FINDINGS; owned */
	struct rs_catalog *catalog;
	struct rs_finding_list *findings;
	/* loop thread: who gets the answer */
	rs_head_fn head;
	void *head_arg;
	union {
		void (*history)(void *arg, struct rs_history *take);
		void (*catalog)(void *arg, struct rs_catalog *take);
		void (*findings)(void *arg, struct rs_finding_list *take);
		void (*changes)(void *arg, struct rs_change_list *take);
	} done;
	void *arg;
};

struct rs_worker;

/* Opens the database; in the caller's thread. */
int rs_worker_open(const struct rs_store_conf *c, struct rs_error *e, struct rs_worker **ret);
/* What is known right after opening. */
int64_t rs_worker_next_finding_id(const struct rs_worker *w);
int64_t rs_worker_next_change_id(const struct rs_worker *w);
/* The stored offset of the running boot; false: this boot stored nothing yet. */
bool rs_worker_offset(struct rs_worker *w, int64_t *ret_ms);
const struct rs_store_stats *rs_worker_stats(const struct rs_worker *w);

/* Does one job. The thread calls it; without a thread (benchmark) the owner. */
void rs_worker_run(struct rs_worker *w, struct rs_job *job);

/* From here on only the thread uses w and the database, until rs_worker_join.
 * Jobs come out of `jobs` and go to `replies`, which is never full. */
int rs_worker_start(struct rs_worker *w, struct rs_mailbox *jobs, struct rs_mailbox *replies);
/* Closes `jobs`, waits until all of them are answered and the database is
 * closed. Does nothing without a thread. */
void rs_worker_join(struct rs_worker *w);
void rs_worker_free(struct rs_worker *w); /* NULL-safe; closes what is open */

#endif

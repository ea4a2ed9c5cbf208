/* SPDX-License-Identifier: ISC */
/*
 * The store thread: takes jobs in order, does them, gives them back, and does
 * upkeep in between. Between rs_worker_start and rs_worker_join everything behind
 * the mailboxes is its own; what the two threads share beside them is one flag
 * that makes waiting queries give up at the end.
 *
 * The database is open, or closed: it cannot be had now, and is tried again with
 * the jobs that follow. A damaged one is moved aside and a new one begun. While it
 * is closed, nothing is written, and questions are answered from what the loop and
 * this thread hold.
 */
#ifndef RS_WORKER_H
#define RS_WORKER_H

#include "error.h"
#include "grid.h"
#include "mailbox.h"
#include "query.h"

enum rs_job_kind {
	RS_JOB_OPEN, /* the first */
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
	int64_t offset_ms;	     /* wall clock minus boot clock now; RS_JOB_OPEN: as stored */
	int incomplete; /* to a question: why what is stored is not in the answer, or 0 */
	/* Findings and changes, written or asked for: the first id of this process.
	 * RS_JOB_OPEN: the first free ones. Stored ids may be others. */
	int64_t first_finding_id, first_change_id;
	/* RS_JOB_OPEN: this boot has stored something; why there is no database, in
	 * a sentence, owned */
	bool has_offset;
	struct rs_error *why;
	/* RS_JOB_APPEND */
	struct rs_block *block;	  /* and those behind it by `next`; NULL: not with the store */
	rs_ns handed_ns;	  /* loop thread: rs_clock_mono of the hand-over */
	struct rs_job *next_free; /* loop thread */
	/* Questions: loop thread, the one behind it that waits for its turn, too */
	struct rs_job *next;
	/* RS_JOB_FINDING; owned */
	struct rs_finding *finding;
	/* RS_JOB_CHANGE: what to write, RS_JOB_CHANGES: the answer; owned */
	struct rs_change_list *changes;
	bool is_last; /* the store is being closed: these do not come again */
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

/* Without the database: that is a job. 0 or -ENOMEM. */
int rs_worker_new(const struct rs_store_conf *c, struct rs_worker **ret);
/* The same, and opens it in the caller's thread (benchmark). */
int rs_worker_open(const struct rs_store_conf *c, struct rs_error *e, struct rs_worker **ret);

/* Before the thread starts. */
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

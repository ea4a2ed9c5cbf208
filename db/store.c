/* SPDX-License-Identifier: ISC */
/*
 * The loop's side of history: what goes to the store thread and what comes
 * back. All limits are here, so that neither mailbox can be full and every
 * job has a place in the answers. Loop thread.
 */
#include "store.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "clock.h"
#include "raw.h"
#include "unwritten.h"
#include "worker.h"

enum {
	BLOCKS_MAX = 16, /* more than a model's pool */
	FINDINGS_MAX = 64,
	JOBS_MAX = BLOCKS_MAX + FINDINGS_MAX + RS_QUERIES_MAX + 2 /* of changes */,
	HEAD_BLOCKS_MAX = 64,
	OFFSET_NOISE_MS = 10,	   /* the clocks are read one after the other */
	HEAD_GROWTH_MS = 60 * 1000 /* how much newer the head may be when an answer returns */
};

struct rs_store {
	struct rs_worker *worker;
	struct rs_mailbox *jobs, *replies;
	struct rs_event *watch;
	void (*block_done)(void *arg, struct rs_block *b, bool is_committed);
	void *arg;
	struct rs_store_stats stats; /* as of the last answer */
	uint64_t findings_dropped;   /* here, because too many were waiting */
	struct rs_unwritten unwritten;
	int64_t next_finding_id, next_change_id;
	int64_t offset_ms;     /* wall clock minus boot clock, without the noise */
	int64_t offset_minute; /* of the block that knew it */
	bool has_offset;
	unsigned n_findings, n_queries; /* on their way */
	/* Blocks are handed over within a tick, which allocates nothing. */
	struct rs_job block_jobs[BLOCKS_MAX];
	struct rs_job *free_block_jobs;
};

/* --- the head ---------------------------------------------------------- */

static bool
has_ticks(const struct rs_block *b)
{
	for (uint32_t t = 0; t < b->ticks; t++) {
		if (b->has_tick[t])
			return true;
	}
	return false;
}

/* Blocks as they are now; none without a head. */
static size_t
get_head(const struct rs_job *job, const struct rs_block *ret[static HEAD_BLOCKS_MAX])
{
	return job->head != NULL ? job->head(job->head_arg, ret, HEAD_BLOCKS_MAX) : 0;
}

/* Follows the wall clock, but not the jitter of reading it: a sample keeps its
 * time from one answer to the next. A block that is handed over again knows
 * only what the clock was then. False: the block has not ticked yet. */
static bool
note_offset(struct rs_store *s, const struct rs_block *b)
{
	if (!has_ticks(b))
		return false;
	if (s->has_offset && b->minute < s->offset_minute)
		return true;
	if (!s->has_offset || llabs(b->wall_offset_ms - s->offset_ms) > OFFSET_NOISE_MS)
		s->offset_ms = b->wall_offset_ms;
	s->offset_minute = b->minute;
	s->has_offset = true;
	return true;
}

/* Where the head may have values by the time the answer is back. */
static void
note_head(struct rs_store *s, struct rs_job *job)
{
	const struct rs_block *blocks[HEAD_BLOCKS_MAX];
	const size_t n = get_head(job, blocks);

	job->env.head_oldest_ms = INT64_MAX;
	job->env.head_newest_ms = INT64_MIN;
	for (size_t i = n; i-- > 0;) {
		if (note_offset(s, blocks[i]))
			break; /* the newest one knows best */
	}
	for (size_t i = 0; i < n; i++) {
		const int64_t start = blocks[i]->minute * RS_MINUTE_MS + s->offset_ms;

		if (blocks[i]->is_committed || !has_ticks(blocks[i]))
			continue;
		job->env.head_oldest_ms = RS_MIN(job->env.head_oldest_ms, start);
		job->env.head_newest_ms =
		    RS_MAX(job->env.head_newest_ms, start + RS_MINUTE_MS + HEAD_GROWTH_MS);
	}
	job->offset_ms = s->offset_ms;
}

/* --- answers ----------------------------------------------------------- */

static void
answer_block(struct rs_store *s, struct rs_job *job)
{
	struct rs_block *const b = job->block;

	job->block = NULL;
	job->next_free = s->free_block_jobs;
	s->free_block_jobs = job;
	b->is_committed = job->status == 0;
	b->is_with_store = false;
	s->block_done(s->arg, b, b->is_committed);
}

/* What was committed when the query ran is marked so by now: its answer came
 * through the same mailbox before. All else is read from the head. */
static void
answer_query(struct rs_job *job)
{
	const struct rs_block *blocks[HEAD_BLOCKS_MAX];
	const size_t n = get_head(job, blocks);

	for (size_t i = 0; i < n; i++) {
		if (!blocks[i]->is_committed)
			rs_grid_add_block(job->grid, blocks[i], job->offset_ms);
	}
	struct rs_history *const h = job->history;
	rs_grid_finish(job->grid, h);
	job->history = NULL;
	job->done.history(job->arg, h);
}

static void
answer_catalog(struct rs_job *job)
{
	const struct rs_block *blocks[HEAD_BLOCKS_MAX];
	const size_t n = get_head(job, blocks);
	struct rs_catalog *const c = job->catalog;

	c->status = job->status;
	if (c->status == 0)
		c->status = rs_catalog_merge(c, blocks, n, job->offset_ms);
	job->catalog = NULL;
	job->done.catalog(job->arg, c);
}

/* What was on its way to the disk before the question was asked is there by
 * now, or came back. */
static void
answer_changes(struct rs_store *s, struct rs_job *job)
{
	struct rs_change_list *const l = job->changes;

	l->status = job->status;
	if (l->status == 0)
		l->status = rs_unwritten_merge(&s->unwritten, &job->which, l);
	job->changes = NULL;
	job->done.changes(job->arg, l);
}

static void
free_job(struct rs_job *job)
{
	if (job == NULL)
		return;
	if (job->grid != NULL)
		rs_grid_fini(job->grid);
	free(job->grid);
	free(job->finding);
	rs_history_free(job->history);
	rs_catalog_free(job->catalog);
	rs_finding_list_free(job->findings);
	rs_change_list_free(job->changes);
	free(job);
}

static void
answer(struct rs_store *s, struct rs_job *job)
{
	s->stats = job->stats;
	switch (job->kind) {
	case RS_JOB_APPEND:
		answer_block(s, job);
		return;
	case RS_JOB_FINDING:
		s->n_findings--;
		break;
	case RS_JOB_CHANGE:
		rs_unwritten_done(&s->unwritten, job->changes, job->status == 0);
		break;
	case RS_JOB_QUERY:
		s->n_queries--;
		answer_query(job);
		break;
	case RS_JOB_CATALOG:
		s->n_queries--;
		answer_catalog(job);
		break;
	case RS_JOB_FINDINGS:
		s->n_queries--;
		job->findings->status = job->status;
		job->done.findings(job->arg, job->findings);
		job->findings = NULL;
		break;
	case RS_JOB_CHANGES:
		s->n_queries--;
		answer_changes(s, job);
		break;
	}
	free_job(job);
}

static void
on_replies(void *arg, int ready)
{
	struct rs_store *const s = arg;
	struct rs_job *job;

	(void)ready;
	while ((job = rs_mailbox_take(s->replies, false)) != NULL)
		answer(s, job);
}

/* --- changes ---------------------------------------------------------- */

/* One write at a time: what comes meanwhile goes with the next. */
static void
write_changes(struct rs_store *s)
{
	struct rs_change_list *const list = rs_unwritten_take(&s->unwritten, rs_clock_mono());

	if (list == NULL)
		return;
	struct rs_job *const job = calloc(1, sizeof(*job));

	if (job != NULL) {
		job->kind = RS_JOB_CHANGE;
		job->changes = list;
	}
	if (job == NULL || rs_mailbox_put(s->jobs, job) < 0) {
		rs_unwritten_done(&s->unwritten, list, false);
		rs_change_list_free(list);
		free(job);
	}
}

/* --- life -------------------------------------------------------------- */

static int
start(struct rs_store *s, struct rs_loop *loop)
{
	int r = rs_mailbox_new(JOBS_MAX, &s->jobs);

	if (r == 0)
		r = rs_mailbox_new(JOBS_MAX, &s->replies);
	if (r == 0)
		r = rs_loop_watch(loop, "store", rs_mailbox_fd(s->replies), RS_LOOP_READ,
		    on_replies, s, &s->watch);
	if (r == 0)
		r = rs_worker_start(s->worker, s->jobs, s->replies);
	return r;
}

int
rs_store_open(const struct rs_store_conf *c, struct rs_loop *loop,
    void (*block_done)(void *arg, struct rs_block *b, bool is_committed), void *arg,
    struct rs_error *e, struct rs_store **ret)
{
	struct rs_store *const s = calloc(1, sizeof(*s));

	if (s == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	s->block_done = block_done;
	s->arg = arg;
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		s->block_jobs[i].next_free = s->free_block_jobs;
		s->free_block_jobs = &s->block_jobs[i];
	}
	int r = rs_worker_open(c, e, &s->worker);
	if (r < 0) {
		free(s);
		return r;
	}
	s->next_finding_id = rs_worker_next_finding_id(s->worker);
	s->next_change_id = rs_worker_next_change_id(s->worker);
	s->has_offset = rs_worker_offset(s->worker, &s->offset_ms);
	s->stats = *rs_worker_stats(s->worker);
	r = start(s, loop);
	if (r < 0) {
		(void)rs_error_set(e, r, "cannot start the store thread: %s", strerror(-r));
		rs_store_close(s);
		return r;
	}
	*ret = s;
	return 0;
}

void
rs_store_close(struct rs_store *s)
{
	if (s == NULL)
		return;
	if (s->jobs != NULL) {
		/* The last need not wait for those before them: nobody asks any more. */
		s->unwritten.writing = NULL;
		write_changes(s);
	}
	rs_worker_join(s->worker);
	if (s->replies != NULL)
		on_replies(s, RS_LOOP_READ);
	rs_event_free(s->watch);
	rs_mailbox_free(s->jobs);
	rs_mailbox_free(s->replies);
	rs_worker_free(s->worker);
	rs_unwritten_fini(&s->unwritten);
	free(s);
}

/* --- jobs -------------------------------------------------------------- */

int64_t
rs_store_next_finding_id(const struct rs_store *s)
{
	return s->next_finding_id;
}

int64_t
rs_store_next_change_id(const struct rs_store *s)
{
	return s->next_change_id;
}

/* The thread may hang in the disk: only this side can tell. */
static bool
is_stuck(const struct rs_store *s)
{
	rs_ns oldest = INT64_MAX;

	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		if (s->block_jobs[i].block != NULL)
			oldest = RS_MIN(oldest, s->block_jobs[i].handed_ns);
	}
	return oldest != INT64_MAX && rs_clock_mono() - oldest > RS_STORE_STUCK_NS;
}

int
rs_store_append(struct rs_store *s, struct rs_block *take)
{
	struct rs_job *const job = s->free_block_jobs;

	if (job == NULL)
		return -EAGAIN;
	(void)note_offset(s, take);
	job->kind = RS_JOB_APPEND;
	job->block = take;
	job->offset_ms = s->offset_ms;
	job->handed_ns = rs_clock_mono();
	take->is_with_store = true;
	const int r = rs_mailbox_put(s->jobs, job);
	if (r < 0) {
		job->block = NULL;
		take->is_with_store = false;
		return r;
	}
	s->free_block_jobs = job->next_free;
	write_changes(s);
	return 0;
}

int
rs_store_finding(struct rs_store *s, const struct rs_finding *f)
{
	struct rs_job *job = NULL;
	int r = s->n_findings < FINDINGS_MAX ? 0 : -EAGAIN;

	if (r == 0) {
		job = calloc(1, sizeof(*job));
		r = job != NULL && (job->finding = malloc(sizeof(*f))) != NULL ? 0 : -ENOMEM;
	}
	if (r == 0) {
		job->kind = RS_JOB_FINDING;
		*job->finding = *f;
		r = rs_mailbox_put(s->jobs, job);
	}
	if (r < 0) {
		free_job(job);
		s->findings_dropped++;
		return r;
	}
	s->n_findings++;
	s->next_finding_id = RS_MAX(s->next_finding_id, f->id + 1);
	return 0;
}

void
rs_store_change(struct rs_store *s, const struct rs_change *c, size_t n)
{
	rs_unwritten_add(&s->unwritten, c, n);
	if (n > 0)
		s->next_change_id = RS_MAX(s->next_change_id, c[n - 1].id + 1);
	if (rs_unwritten_is_due(&s->unwritten, rs_clock_mono()))
		write_changes(s);
}

/* A question without its answer's memory; NULL: *ret_error says why. */
static struct rs_job *
new_question(struct rs_store *s, enum rs_job_kind kind, void *arg, int *ret_error)
{
	struct rs_job *job = NULL;

	*ret_error = -EAGAIN;
	if (s->n_queries < RS_QUERIES_MAX && !is_stuck(s)) {
		*ret_error = -ENOMEM;
		job = calloc(1, sizeof(*job));
	}
	if (job == NULL)
		return NULL;
	job->kind = kind;
	job->arg = arg;
	return job;
}

/* Takes the job; when r says that it is not whole, or when it cannot be sent,
 * it is freed. */
static int
send_question(struct rs_store *s, struct rs_job *job, int r)
{
	if (r == 0) {
		note_head(s, job);
		r = rs_mailbox_put(s->jobs, job);
	}
	if (r != 0)
		free_job(job);
	else
		s->n_queries++;
	return r;
}

int
rs_store_query(struct rs_store *s, const struct rs_query *q, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_history *take), void *arg)
{
	int r;
	struct rs_job *const job = new_question(s, RS_JOB_QUERY, arg, &r);

	if (job == NULL)
		return r;
	job->head = head;
	job->head_arg = head_arg;
	job->done.history = done;
	job->history = calloc(1, sizeof(*job->history));
	job->grid = calloc(1, sizeof(*job->grid));
	if (job->history != NULL && job->grid != NULL)
		r = rs_grid_init(job->grid, q);
	return send_question(s, job, r);
}

int
rs_store_catalog(struct rs_store *s, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_catalog *take), void *arg)
{
	int r;
	struct rs_job *const job = new_question(s, RS_JOB_CATALOG, arg, &r);

	if (job == NULL)
		return r;
	job->head = head;
	job->head_arg = head_arg;
	job->done.catalog = done;
	job->catalog = calloc(1, sizeof(*job->catalog));
	return send_question(s, job, job->catalog != NULL ? 0 : r);
}

int
rs_store_findings(
    struct rs_store *s, void (*done)(void *arg, struct rs_finding_list *take), void *arg)
{
	int r;
	struct rs_job *const job = new_question(s, RS_JOB_FINDINGS, arg, &r);

	if (job == NULL)
		return r;
	job->done.findings = done;
	job->findings = calloc(1, sizeof(*job->findings));
	return send_question(s, job, job->findings != NULL ? 0 : r);
}

int
rs_store_changes(struct rs_store *s, const struct rs_change_query *q,
    void (*done)(void *arg, struct rs_change_list *take), void *arg)
{
	int r;
	struct rs_job *const job = new_question(s, RS_JOB_CHANGES, arg, &r);

	if (job == NULL)
		return r;
	job->done.changes = done;
	job->which = *q;
	job->changes = calloc(1, sizeof(*job->changes));
	return send_question(s, job, job->changes != NULL ? 0 : r);
}

void
rs_store_get_stats(struct rs_store *s, struct rs_store_stats *ret)
{
	*ret = s->stats;
	ret->findings_dropped += s->findings_dropped;
	ret->changes_dropped = s->unwritten.dropped;
	ret->queue_len = rs_mailbox_len(s->jobs);
	if (is_stuck(s))
		(void)snprintf(ret->state, sizeof(ret->state), "stuck");
}

/* SPDX-License-Identifier: ISC */
/*
 * The loop's side of history: what goes to the store thread and what comes
 * back. All limits are here, so that neither mailbox can be full and every
 * job has a place in the answers. Loop thread.
 */
#include "store.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "catalog.h"
#include "clock.h"
#include "log.h"
#include "place.h"
#include "raw.h"
#include "unwritten.h"
#include "worker.h"

enum {
	BLOCKS_MAX = 16, /* more than a model's pool */
	FINDINGS_MAX = 64,
	QUESTIONS_MAX = 8, /* with the thread at once */
	JOBS_MAX = BLOCKS_MAX + FINDINGS_MAX + QUESTIONS_MAX + 2 /* of changes */,
	HEAD_BLOCKS_MAX = 64,
	OPEN_MS = 1000,		   /* the longest wait for the database at the start */
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
	int64_t first_finding_id, first_change_id; /* of this process */
	int64_t next_finding_id, next_change_id;
	int64_t offset_ms;     /* wall clock minus boot clock, without the noise */
	int64_t offset_minute; /* of the block that knew it */
	bool has_offset, is_closing;
	unsigned n_findings, n_queries;	   /* on their way */
	unsigned n_questions;		   /* of the latter, with the thread */
	struct rs_job *asked, **asked_end; /* the others, owned; by `next` */
	/* Blocks are handed over within a tick, which allocates nothing. */
	struct rs_job block_jobs[BLOCKS_MAX];
	struct rs_job *free_block_jobs;
	/* Not handed to the thread yet; by `next`, the oldest first. */
	struct rs_block *waiting;
	int64_t commit_minutes; /* so long the oldest waits, itself included */
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
	if (!s->has_offset || llabs(b->wall_offset_ms - s->offset_ms) > RS_OFFSET_NOISE_MS)
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
give_back(struct rs_store *s, struct rs_block *blocks, bool is_committed)
{
	while (blocks != NULL) {
		struct rs_block *const b = blocks;

		blocks = b->next;
		b->next = NULL;
		b->is_committed = is_committed;
		b->is_with_store = false;
		b->has_failed = !is_committed;
		s->block_done(s->arg, b, is_committed);
	}
}

static void
answer_blocks(struct rs_store *s, struct rs_job *job)
{
	struct rs_block *const blocks = job->block;

	job->block = NULL;
	job->next_free = s->free_block_jobs;
	s->free_block_jobs = job;
	give_back(s, blocks, job->status == 0);
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
	h->incomplete = job->incomplete;
	job->history = NULL;
	job->done.history(job->arg, h);
}

static void
answer_catalog(struct rs_job *job)
{
	struct rs_catalog *const c = job->catalog;

	c->status = job->status;
	c->incomplete = job->incomplete;
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
	l->incomplete = job->incomplete;
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
	free(job->why);
	free(job->finding);
	rs_history_free(job->history);
	rs_catalog_free(job->catalog);
	rs_finding_list_free(job->findings);
	rs_change_list_free(job->changes);
	free(job);
}

static void
forget_question(struct rs_store *s)
{
	s->n_queries--;
	s->n_questions--;
}

/* The start goes on without a database. */
static void
tell_closed(const struct rs_job *job)
{
	if (job->status < 0)
		rs_log_err("no history: %s; the live view goes on",
		    job->why != NULL ? job->why->text : rs_store_words(job->status));
}

static void
answer(struct rs_store *s, struct rs_job *job)
{
	s->stats = job->stats;
	switch (job->kind) {
	case RS_JOB_OPEN: /* later than it was waited for */
		tell_closed(job);
		break;
	case RS_JOB_APPEND:
		answer_blocks(s, job);
		return;
	case RS_JOB_FINDING:
		s->n_findings--;
		break;
	case RS_JOB_CHANGE:
		rs_unwritten_done(&s->unwritten, job->changes, job->status == 0);
		break;
	case RS_JOB_QUERY:
		forget_question(s);
		answer_query(job);
		break;
	case RS_JOB_CATALOG:
		forget_question(s);
		answer_catalog(job);
		break;
	case RS_JOB_FINDINGS:
		forget_question(s);
		job->findings->status = job->status;
		job->findings->incomplete = job->incomplete;
		job->done.findings(job->arg, job->findings);
		job->findings = NULL;
		break;
	case RS_JOB_CHANGES:
		forget_question(s);
		answer_changes(s, job);
		break;
	}
	free_job(job);
}

/* Gives the thread what waits, while it has few. */
static void
send_questions(struct rs_store *s)
{
	while (s->asked != NULL && s->n_questions < QUESTIONS_MAX) {
		struct rs_job *const job = s->asked;

		struct rs_job *const next = job->next;

		note_head(s, job);
		if (rs_mailbox_put(s->jobs, job) < 0)
			return;
		/* From here on the job is the thread's. */
		s->n_questions++;
		s->asked = next;
		if (next == NULL)
			s->asked_end = &s->asked;
	}
}

static void
on_replies(void *arg, int ready)
{
	struct rs_store *const s = arg;
	struct rs_job *job;

	(void)ready;
	while ((job = rs_mailbox_take(s->replies, false)) != NULL)
		answer(s, job);
	send_questions(s);
}

/* Nobody will look at what still waits. */
static void
refuse_questions(struct rs_store *s)
{
	while (s->asked != NULL) {
		struct rs_job *const job = s->asked;

		s->asked = job->next;
		s->n_questions++; /* as if */
		job->status = -ECANCELED;
		job->stats = s->stats;
		if (job->grid != NULL)
			job->grid->status = job->status;
		answer(s, job);
	}
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
		job->first_change_id = s->first_change_id;
		job->changes = list;
		job->is_last = s->is_closing;
	}
	if (job == NULL || rs_mailbox_put(s->jobs, job) < 0) {
		rs_unwritten_done(&s->unwritten, list, false);
		rs_change_list_free(list);
		free(job);
	}
}

/* --- blocks ------------------------------------------------------------ */

/* Among those that wait, for one transaction. */
static struct rs_block **
find_place(struct rs_store *s, const struct rs_block *b)
{
	struct rs_block **at = &s->waiting;

	while (*at != NULL && (*at)->minute <= b->minute)
		at = &(*at)->next;
	return at;
}

/* The end of the newest is now. A block that could not be written has waited. */
static bool
is_due(const struct rs_store *s, const struct rs_block *newest)
{
	return newest->has_failed || newest->minute + 1 - s->waiting->minute >= s->commit_minutes;
}

static int
send_waiting(struct rs_store *s)
{
	struct rs_job *const job = s->free_block_jobs;

	if (s->waiting == NULL)
		return 0;
	if (job == NULL)
		return -EAGAIN;
	job->kind = RS_JOB_APPEND;
	job->block = s->waiting;
	job->offset_ms = s->offset_ms;
	job->handed_ns = rs_clock_mono();
	const int r = rs_mailbox_put(s->jobs, job);
	if (r < 0) {
		job->block = NULL;
		return r;
	}
	s->free_block_jobs = job->next_free;
	s->waiting = NULL;
	return 0;
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

/* Where the database does not tell the next ids in time: unlike any in it, also of
 * starts before, as far as the clock can tell. */
static void
make_up_ids(struct rs_store *s)
{
	const int64_t id = RS_MAX(RS_PROVISIONAL_ID, rs_clock_wall() / RS_NS_PER_MS);

	s->first_finding_id = s->first_change_id = id;
}

/* What the database knows of the past, or why there is none: that is an error only
 * if it is somebody else's. */
static int
learn(struct rs_store *s, const struct rs_job *job, struct rs_error *e)
{
	s->stats = job->stats;
	if (job->status == 0) {
		s->first_finding_id = job->first_finding_id;
		s->first_change_id = job->first_change_id;
		s->has_offset = job->has_offset;
		s->offset_ms = job->offset_ms;
		return 0;
	}
	if (job->status == -EALREADY || job->status == -EEXIST || job->status == -EILSEQ)
		return rs_error_set(
		    e, job->status, "%s", job->why != NULL ? job->why->text : "refused");
	tell_closed(job);
	return 0;
}

/* The thread opens the database: that may take longer than the first sample can
 * wait for. */
static int
open_database(struct rs_store *s, struct rs_error *e)
{
	struct pollfd answer = {.fd = rs_mailbox_fd(s->replies), .events = POLLIN};
	struct rs_job *job = calloc(1, sizeof(*job));
	int r = job != NULL ? 0 : -ENOMEM;

	if (r == 0) {
		job->kind = RS_JOB_OPEN;
		r = rs_mailbox_put(s->jobs, job);
	}
	if (r < 0) {
		free(job);
		return rs_error_set(e, r, "out of memory");
	}
	make_up_ids(s);
	(void)poll(&answer, 1, OPEN_MS);
	job = rs_mailbox_take(s->replies, false);
	if (job != NULL)
		r = learn(s, job, e);
	free_job(job);
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
	s->asked_end = &s->asked;
	s->commit_minutes = RS_MAX(c->commit_interval_ns / RS_BLOCK_NS, 1);
	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		s->block_jobs[i].next_free = s->free_block_jobs;
		s->free_block_jobs = &s->block_jobs[i];
	}
	int r = rs_worker_new(c, &s->worker);
	if (r < 0) {
		free(s);
		return rs_error_set(e, r, "out of memory");
	}
	s->stats = *rs_worker_stats(s->worker);
	r = start(s, loop);
	if (r < 0)
		(void)rs_error_set(e, r, "cannot start the store thread: %s", strerror(-r));
	else
		r = open_database(s, e);
	if (r < 0) {
		rs_store_close(s);
		return r;
	}
	s->next_finding_id = s->first_finding_id;
	s->next_change_id = s->first_change_id;
	*ret = s;
	return 0;
}

void
rs_store_close(struct rs_store *s)
{
	if (s == NULL)
		return;
	s->is_closing = true;
	if (s->jobs != NULL) {
		(void)send_waiting(s);
		/* The last need not wait for those before them: nobody asks any more. */
		s->unwritten.writing = NULL;
		write_changes(s);
	}
	rs_worker_join(s->worker);
	if (s->replies != NULL)
		on_replies(s, RS_LOOP_READ);
	refuse_questions(s);
	give_back(s, s->waiting, false);
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

/* The thread may hang in the disk: only this side can tell. Since when; 0: it does
 * not. */
static rs_ns
stuck_since(const struct rs_store *s)
{
	rs_ns oldest = INT64_MAX;

	for (size_t i = 0; i < BLOCKS_MAX; i++) {
		if (s->block_jobs[i].block != NULL)
			oldest = RS_MIN(oldest, s->block_jobs[i].handed_ns);
	}
	return oldest != INT64_MAX && rs_clock_mono() - oldest > RS_STORE_STUCK_NS
		   ? oldest + RS_STORE_STUCK_NS
		   : 0;
}

int
rs_store_append(struct rs_store *s, struct rs_block *take)
{
	if (s->free_block_jobs == NULL)
		return -EAGAIN;
	(void)note_offset(s, take);
	struct rs_block **const at = find_place(s, take);
	take->next = *at;
	take->is_with_store = true;
	*at = take;
	const int r = is_due(s, take) ? send_waiting(s) : 0;
	if (r < 0) {
		*at = take->next;
		take->next = NULL;
		take->is_with_store = false;
		return r;
	}
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
		job->first_finding_id = s->first_finding_id;
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
	if (s->n_queries < RS_QUERIES_MAX && stuck_since(s) == 0) {
		*ret_error = -ENOMEM;
		job = calloc(1, sizeof(*job));
	}
	if (job == NULL)
		return NULL;
	job->kind = kind;
	job->first_finding_id = s->first_finding_id;
	job->first_change_id = s->first_change_id;
	job->arg = arg;
	return job;
}

/* Takes the job; when r says that it is not whole it is freed. */
static int
send_question(struct rs_store *s, struct rs_job *job, int r)
{
	if (r != 0) {
		free_job(job);
		return r;
	}
	s->n_queries++;
	*s->asked_end = job;
	s->asked_end = &job->next;
	send_questions(s);
	return 0;
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
	if (job->catalog != NULL) {
		const struct rs_block *blocks[HEAD_BLOCKS_MAX];
		const size_t n = get_head(job, blocks);

		note_head(s, job);
		r = rs_catalog_begin(job->catalog, blocks, n, job->offset_ms);
	}
	return send_question(s, job, r);
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
	const rs_ns since = stuck_since(s);

	if (since != 0) {
		(void)snprintf(ret->state, sizeof(ret->state), "stuck");
		(void)snprintf(ret->error, sizeof(ret->error), "the disk does not answer");
		ret->since_ns = since;
	}
}

const char *
rs_store_words(int code)
{
	const char *const words = rs_place_words(code);

	return words != NULL ? words : strerror(-code);
}

/* SPDX-License-Identifier: ISC */
/*
 * A store on a real file below a disk that fails when it is told to, and a loop
 * that runs until an answer is there. One at a time; the program must be linked
 * with --wrap=rs_clock_mono.
 */
#ifndef RS_TEST_STORERIG_H
#define RS_TEST_STORERIG_H

#include <check.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "blocks.h"
#include "dbdir.h"
#include "faultdisk.h"
#include "query.h"
#include "store.h"

#define SECOND INT64_C(1000)
#define MINUTE (60 * SECOND)
#define DEADLINE_NS (60 * RS_NS_PER_S)
/* Wall clock minus boot clock: the machine started at a whole minute. */
#define OFFSET (INT64_C(28333333) * MINUTE)

static RS_UNUSED const char boot_a[] = "11111111-2222-3333-4444-555555555555";
static RS_UNUSED const char boot_b[] = "66666666-7777-8888-9999-aaaaaaaaaaaa";

/* --- the fixture ------------------------------------------------------- */

static struct test_dir dir;
static struct rs_loop *loop;
static struct rs_store *store;
static struct rs_event *deadline;
/* Blocks that the model would hold; committed ones stay, as in the model. */
static const struct rs_block *head[64];
static size_t n_head;
static unsigned blocks_good, blocks_bad, blocks_done, answers;
static unsigned waited_for, *waited_on;

static inline void
on_deadline(void *arg)
{
	(void)arg;
	ck_abort_msg("no answer within the deadline");
}

static inline void
set_up(void)
{
	test_clock_main = pthread_self();
	fault_disk_install();
	test_dir_make(&dir);
	ck_assert_int_eq(rs_loop_new(&loop), 0);
	ck_assert_int_eq(rs_loop_timer(loop, "deadline", on_deadline, NULL, &deadline), 0);
	store = NULL;
	n_head = 0;
	blocks_good = blocks_bad = blocks_done = answers = 0;
}

static inline void
forget_head(void)
{
	while (n_head > 0) {
		/* test_block gave them to us writable. */
		union {
			const struct rs_block *borrowed;
			struct rs_block *owned;
		} b = {.borrowed = head[--n_head]};
		rs_block_free(b.owned);
	}
}

static inline void
tear_down(void)
{
	rs_store_close(store);
	rs_event_free(deadline);
	rs_loop_free(loop);
	forget_head();
	test_dir_remove(&dir);
}

/* Runs the loop until *count reaches n. */
static inline void
wait_for(unsigned *count, unsigned n)
{
	waited_on = count;
	waited_for = n;
	rs_timer_arm(deadline, DEADLINE_NS);
	while (*count < n)
		ck_assert_int_eq(rs_loop_run(loop), 0);
	rs_timer_disarm(deadline);
	waited_on = NULL;
}

static inline void
note(unsigned *count)
{
	(*count)++;
	if (waited_on == count && *count >= waited_for)
		rs_loop_stop(loop);
}

static inline void
on_block(void *arg, struct rs_block *b, bool is_committed)
{
	(void)arg;
	ck_assert(!b->is_with_store);
	ck_assert(b->is_committed == is_committed);
	note(is_committed ? &blocks_good : &blocks_bad);
	note(&blocks_done);
}

static inline int
try_open(const char *p, const char *boot_id, struct rs_error *e)
{
	struct rs_store_conf c = {.path = p, .interval_ns = RS_NS_PER_S};

	(void)snprintf(c.boot_id, sizeof(c.boot_id), "%s", boot_id);
	return rs_store_open(&c, loop, on_block, NULL, e, &store);
}

static inline void
open_store(const char *p, const char *boot_id)
{
	struct rs_error e = {0};

	ck_assert_msg(try_open(p, boot_id, &e) == 0, "%s", e.text);
}

static inline void
reopen(const char *boot_id)
{
	rs_store_close(store);
	store = NULL;
	open_store(dir.db, boot_id);
}

/* A block of the head; freed at the end. */
static inline struct rs_block *
new_block(int64_t minute, int64_t offset_ms)
{
	struct rs_block *const b = test_block(32, RS_NS_PER_S, minute, offset_ms);

	ck_assert_uint_lt(n_head, RS_ARRAY_LEN(head));
	head[n_head++] = b;
	return b;
}

/* A full minute of two cores' interrupts: core c counts `base + c` a tick. */
static inline struct rs_block *
plain_block(int64_t minute, int64_t base)
{
	struct rs_block *const b = new_block(minute, OFFSET);

	test_ticks(b, 0, 60);
	for (int32_t c = 0; c < 2; c++)
		test_fill(b, test_series(b, (uint32_t)c + 1, RS_M_CORE_INTERRUPTS, test_cpu(c)),
		    base + c);
	return b;
}

static inline void
append(struct rs_block *b)
{
	const unsigned n = blocks_good + 1;

	ck_assert_int_eq(rs_store_append(store, b), 0);
	wait_for(&blocks_good, n);
}

static inline size_t
get_head(void *arg, const struct rs_block **ret, size_t cap)
{
	const size_t n = RS_MIN(n_head, cap);

	(void)arg;
	for (size_t i = 0; i < n; i++)
		ret[i] = head[i];
	return n;
}

/* Forgets the head, as a restart does. */
static inline size_t
no_head(void *arg, const struct rs_block **ret, size_t cap)
{
	(void)arg;
	(void)ret;
	(void)cap;
	return 0;
}

static inline void
on_history(void *arg, struct rs_history *take)
{
	struct rs_history **const ret = arg;

	*ret = take;
	note(&answers);
}

static inline struct rs_query
ask_interrupts(int64_t after_ms, int64_t before_ms, uint32_t points, enum rs_aggregate aggregate)
{
	return (struct rs_query){.metric = "core_interrupts",
	    .after_ms = after_ms,
	    .before_ms = before_ms,
	    .points = points,
	    .aggregate = aggregate};
}

static inline struct rs_history *
query(const struct rs_query *q, rs_head_fn from)
{
	struct rs_history *h = NULL;
	const unsigned n = answers + 1;

	ck_assert_int_eq(rs_store_query(store, q, from, NULL, on_history, &h), 0);
	wait_for(&answers, n);
	ck_assert_ptr_nonnull(h);
	return h;
}

static inline void
on_catalog(void *arg, struct rs_catalog *take)
{
	struct rs_catalog **const ret = arg;

	*ret = take;
	note(&answers);
}

static inline struct rs_catalog *
catalog(rs_head_fn from)
{
	struct rs_catalog *c = NULL;
	const unsigned n = answers + 1;

	ck_assert_int_eq(rs_store_catalog(store, from, NULL, on_catalog, &c), 0);
	wait_for(&answers, n);
	ck_assert_int_eq(c->status, 0);
	return c;
}

static inline void
on_findings(void *arg, struct rs_finding_list *take)
{
	struct rs_finding_list **const ret = arg;

	*ret = take;
	note(&answers);
}

static inline struct rs_finding_list *
findings(void)
{
	struct rs_finding_list *l = NULL;
	const unsigned n = answers + 1;

	ck_assert_int_eq(rs_store_findings(store, on_findings, &l), 0);
	wait_for(&answers, n);
	ck_assert_int_eq(l->status, 0);
	return l;
}

static inline struct rs_store_stats
stats(void)
{
	struct rs_store_stats s;

	rs_store_get_stats(store, &s);
	return s;
}

/* --- findings and changes ---------------------------------------------- */

static inline struct rs_finding
full_finding(int64_t id)
{
	struct rs_finding f = {.id = id,
	    .code = "core.imbalance",
	    .title = "One core carries it all",
	    .severity = RS_CRIT,
	    .confidence = RS_MEDIUM,
	    .subject = {.kind = RS_SUBJECT_QUEUE,
		.core = -1,
		.queue = 0,
		.device = "eth0",
		.direction = "rx",
		.irq = "31"},
	    .raised_ms = 1700000000123,
	    .episodes = 3,
	    .message = "it's 'quoted'; \"twice\" \xc3\xa4",
	    .n_evidence = 2,
	    .n_causes = 2,
	    .n_advice = 1};

	f.evidence[0] = (struct rs_evidence){
	    .label = "load", .value = 0.30000000000000004, .unit = RS_UNIT_RATIO, .text = ""};
	f.evidence[1] = (struct rs_evidence){
	    .label = "note", .value = NAN, .unit = RS_UNIT_NONE, .text = "two cores not counted"};
	(void)snprintf(f.causes[0], sizeof(f.causes[0]), "first");
	(void)snprintf(f.causes[1], sizeof(f.causes[1]), "second");
	f.advice[0] = (struct rs_advice){.command = "echo 2 > /proc/irq/31/smp_affinity",
	    .expect = "core 1 takes over",
	    .undo = "echo 1 > ...",
	    .is_persistent = false,
	    .is_disruptive = true};
	return f;
}

static inline void
on_changes(void *arg, struct rs_change_list *take)
{
	struct rs_change_list **const ret = arg;

	*ret = take;
	note(&answers);
}

static RS_UNUSED const struct rs_change_query all_changes = {.after_ms = INT64_MIN,
    .before_ms = INT64_MAX,
    .limit = RS_CHANGES_LISTED_MAX,
    .fact = RS_F_COUNT};

/* Changes first..last of one tick. */
static inline void
change(int64_t first, int64_t last)
{
	struct rs_change c[300];
	size_t n = 0;

	for (int64_t id = first; id <= last; id++) {
		ck_assert_uint_lt(n, RS_ARRAY_LEN(c));
		c[n] =
		    (struct rs_change){.id = id, .fact = RS_F_IRQ_AFFINITY, .old = "0", .new = "2"};
		c[n].labels = rs_labels_none;
		(void)snprintf(c[n].labels.irq, sizeof(c[n].labels.irq), "31");
		n++;
	}
	rs_store_change(store, c, n);
}

#endif

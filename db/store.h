/* SPDX-License-Identifier: ISC */
/*
 * History: what the loop thread calls. All SQLite is in the store thread
 * (worker.c, query.c, migrate.c); jobs go there through a mailbox and come
 * back through another, in order. No call here waits for the disk except
 * rs_store_open and rs_store_close.
 */
#ifndef RS_STORE_H
#define RS_STORE_H

#include "block.h"
#include "error.h"
#include "fact.h"
#include "finding.h"
#include "loop.h"
#include "tier.h"

struct rs_store;

/* How long each tier is kept and how large the file may grow. In memory the last
 * hour is kept whatever stands here. */
struct rs_store_limits {
	int64_t raw_ms, minute_ms, hour_ms; /* 0: for ever */
	int64_t max_bytes;		    /* database plus log; 0: no limit */
};

struct rs_leftover;
struct rs_store_conf {
	const char *path; /* NULL: in memory only, the last hour is kept */
	char boot_id[40]; /* of this boot; "" where the system has none */
	rs_ns interval_ns;
	rs_ns commit_interval_ns; /* blocks wait so long for one transaction; 0: 60 s */
	struct rs_store_limits limits;
	/* Of an earlier process of this boot (head.h): written before all else. What
	 * it has is the store's from rs_store_open on. NULL: nothing. */
	struct rs_leftover *leftover;
};

/* Starts the thread, which opens or creates the database and migrates it, and waits
 * for that, but not long. Errors, as negative errno with a sentence in e, are a
 * file that is not ours and a second daemon on the database, and want of memory.
 * All else leaves the database closed: damaged is moved aside for a new one; newer
 * schema, missing folder, no permission, read-only, locked, slow: it is tried
 * again. rs_store_get_stats tells.
 * done: called on the loop for every block handed to rs_store_append, exactly
 * once; b->is_committed is set by then. Findings that an earlier process left
 * active end with its last sample. */
int rs_store_open(const struct rs_store_conf *c, struct rs_loop *loop,
    void (*block_done)(void *arg, struct rs_block *b, bool is_committed), void *arg,
    struct rs_error *e, struct rs_store **ret);
/* Answers every job, writes what is pending, joins; calls block_done and query
 * callbacks from inside. NULL-safe. */
void rs_store_close(struct rs_store *s);

/* The id the next new finding or change gets. Where the database was not open in
 * time they are far above those in it, until the next start. */
#define RS_PROVISIONAL_ID (INT64_C(1) << 40)
int64_t rs_store_next_finding_id(const struct rs_store *s);
int64_t rs_store_next_change_id(const struct rs_store *s);

/* Never waits. -EAGAIN: the queue is full, the block stays the caller's. Blocks are
 * written together when the oldest has waited for the commit interval. One that came
 * back uncommitted may be handed over again, also after newer ones, and is written
 * at once. */
int rs_store_append(struct rs_store *s, struct rs_block *take);
/* Writes a finding (insert, or update by id). Copied. -EAGAIN: dropped, counted. */
int rs_store_finding(struct rs_store *s, const struct rs_finding *f);
/* The changes of a tick, written in one transaction: at once, or, when there are
 * many in a minute, at its end (unwritten.h). Copied. What finds no room pushes out the oldest,
 * which is counted. */
void rs_store_change(struct rs_store *s, const struct rs_change *c, size_t n);

#define RS_QUERY_FILTERS_MAX 16
#define RS_QUERY_POINTS_MAX 100000u
/* Writing waits while a question is answered: this long at most for one over
 * samples, from when its turn came, looked at between chunks. */
#define RS_QUERY_NS_MAX (5 * RS_NS_PER_S)
/* Questions on their way, catalogs and lists included. The thread gets few at a
 * time, so that samples and findings need not wait for all of them. */
#define RS_QUERIES_MAX 128
enum rs_aggregate { RS_AVG, RS_MIN, RS_MAX_OF, RS_SUM };
/* Which tier answers: by range and points; the finest that reaches back to the
 * begin of the range, however large the answer is; or this one, in the order of
 * enum rs_tier. */
enum rs_tier_wish {
	RS_TIER_ANY,
	RS_TIER_FINEST,
	RS_TIER_ONLY_RAW,
	RS_TIER_ONLY_MINUTE,
	RS_TIER_ONLY_HOUR
};

struct rs_filter {
	const char *label; /* one of rs_label_names */
	char value[24];	   /* a repeated label means either */
};

/* A question over samples. Filled by the asker, answered in place. */
struct rs_query {
	char metric[64];
	struct rs_filter filters[RS_QUERY_FILTERS_MAX];
	size_t n_filters;
	int64_t after_ms, before_ms; /* epoch ms, (after, before] */
	uint32_t points;	     /* 0: every tick */
	enum rs_aggregate aggregate;
	enum rs_tier_wish tier;
};

/* One answered series. values: one per time, NAN = no value. */
struct rs_history_series {
	uint16_t metric;
	struct rs_labels labels;
	double *values;
};
struct rs_history {
	/* 0; -E2BIG: more points or series than a reply may have; -ETIME: reading
	 * took longer than RS_QUERY_NS_MAX; other: errno */
	int status;
	/* 0, or why there is nothing stored in the answer, only what memory holds:
	 * negative errno, rs_store_words */
	int incomplete;
	int64_t resolution_ms;
	const char *tier; /* "raw" */
	size_t n_times;
	int64_t *time_ms; /* ascending; the end of each step */
	size_t n_series;
	struct rs_history_series *series;
};
void rs_history_free(struct rs_history *h); /* NULL-safe */

/* head: blocks not certainly on disk yet, read on the loop thread when the
 * answer returns (rs_model_blocks). done runs on the loop, always once, and
 * owns h. -EAGAIN: RS_QUERIES_MAX on their way or the store is stuck, -EINVAL: an
 * empty range; done is not called.
 * Times are boot clock plus what the wall clock is ahead of it now: a sample
 * moves when the clock is set. Boots whose wall times overlap are merged. */
typedef size_t (*rs_head_fn)(void *arg, const struct rs_block **ret, size_t cap);
int rs_store_query(struct rs_store *s, const struct rs_query *q, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_history *take), void *arg);

/* Every series of which something is held, and since when. */
struct rs_catalog_entry {
	uint16_t metric;
	struct rs_labels labels;
	int64_t first_ms, last_ms;
};
struct rs_catalog {
	int status;
	int incomplete; /* as in a history */
	size_t n, cap;	/* entries, and how many there is room for */
	struct rs_catalog_entry *entries;
};
void rs_catalog_free(struct rs_catalog *c);
/* head: as in rs_store_query, but read when the question is asked. */
int rs_store_catalog(struct rs_store *s, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_catalog *take), void *arg);

/* Findings of the past, newest first, at most 1000. Those of this boot have
 * raised_boot_ms (rs_finding_follow). */
struct rs_finding_list {
	int status;
	int incomplete; /* as in a history */
	size_t n;
	struct rs_finding *findings;
};
void rs_finding_list_free(struct rs_finding_list *l);
int rs_store_findings(
    struct rs_store *s, void (*done)(void *arg, struct rs_finding_list *take), void *arg);

/* Which of the changes, (after, before]. The answer begins with the newest and
 * has what is not on disk yet. */
#define RS_CHANGES_KEPT 10000
#define RS_CHANGES_LISTED_MAX 1000
struct rs_change_query {
	int64_t after_ms, before_ms;
	uint32_t limit;	 /* 1..RS_CHANGES_LISTED_MAX */
	uint16_t fact;	 /* RS_F_COUNT: all */
	char device[24]; /* "": all */
	/* Wall clock minus boot clock now: times of this boot are told by it. */
	bool has_offset;
	int64_t offset_ms;
};

struct rs_change_list {
	int status;
	int incomplete; /* as in a history */
	size_t n;
	struct rs_change *changes;
};
void rs_change_list_free(struct rs_change_list *l); /* NULL-safe */
int rs_store_changes(struct rs_store *s, const struct rs_change_query *q,
    void (*done)(void *arg, struct rs_change_list *take), void *arg);

/* A block that has been with the store for longer: stuck. */
#define RS_STORE_STUCK_NS (10 * RS_NS_PER_S)

struct rs_store_stats {
	/* "ok", "memory"; "failing": the last block, finding or change could not
	 * be written; "closed": the database cannot be had now; "stuck": a block
	 * waits for longer than RS_STORE_STUCK_NS, and until it is answered all
	 * questions are refused */
	char state[16];
	char error[160];	/* why it is failing or closed, else "": "disk full" */
	rs_ns since_ns;		/* rs_clock_mono: so long it is in this state */
	unsigned damaged;	/* databases moved aside since the start */
	unsigned damaged_rows;	/* the most that one answer had to do without */
	uint64_t bytes_written; /* to database and WAL since start, as SQLite passed them on */
	uint64_t commits, commit_errors;
	uint64_t blocks_written, blocks_failed, findings_dropped, changes_dropped;
	rs_ns longest_commit_ns;
	size_t queue_len;
	int64_t size_bytes; /* database plus WAL; -1 unknown */
	int64_t oldest_ms;  /* span held; 0: nothing */
	/* The same of each table: a tier goes back at least as far as the finer ones;
	 * and how many of its rows were given up for want of room. */
	int64_t tier_oldest_ms[RS_TIER_COUNT];
	uint64_t given_up[RS_TIER_COUNT];
	/* Of the leftover: ticks written, ticks that could not be, and whether it
	 * still is to be. */
	uint64_t recovered_ticks, unrecovered_ticks;
	bool is_recovering;
	/* Boot clock of the newest tick stored of this boot; -1: none */
	int64_t newest_ms;
};
void rs_store_get_stats(struct rs_store *s, struct rs_store_stats *ret);

/* What an error of the database means: "disk full". */
const char *rs_store_words(int code);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The model: entities with births and deaths, counters turned into rates, the
 * view of the last tick and the head block history is made of. Loop thread.
 *
 * A tick is: rs_model_begin, rs_model_apply for every source read, then
 * analysis reads the view and puts what it derives, then rs_model_end.
 */
#ifndef RS_MODEL_H
#define RS_MODEL_H

#include "block.h"
#include "frame.h"
#include "head.h"
#include "loop.h"
#include "view.h"

struct rs_model_conf {
	rs_ns interval_ns; /* that a sample is expected in; of a capture it may be any */
	uint32_t max_series;
	unsigned n_blocks; /* minute blocks in the pool, >= 3 */
	struct rs_cpuset reserved;
};

struct rs_model;

int rs_model_new(const struct rs_model_conf *c, struct rs_model **ret);
void rs_model_free(struct rs_model *m); /* NULL-safe */
void rs_model_set_reserved(struct rs_model *m, const struct rs_cpuset *reserved);
const struct rs_cpuset *rs_model_reserved(const struct rs_model *m);

/* The beginning of a tick on three clocks, read together; due_ns is on the
 * monotonic one. */
struct rs_model_time {
	rs_ns mono_ns, due_ns, boot_ns;
	int64_t wall_ms;
	bool is_clock_ok;
};
void rs_model_begin(struct rs_model *m, const struct rs_model_time *t);
void rs_model_apply(struct rs_model *m, const struct rs_frame *f);
/* A source failed: its metrics have no value this tick (they have none anyway
 * unless applied), and what it must not be judged without is named. */
void rs_model_missing(struct rs_model *m, const char *source);
/* Builds the view from what was applied; before analysis. */
void rs_model_build_view(struct rs_model *m);
/* For analysis/load.c: the same view, writable. */
struct rs_view *rs_model_view_rw(struct rs_model *m);
struct rs_core_view *rs_model_cores_rw(struct rs_model *m);
/* A derived gauge (value in units, NAN = no value). key as in rs_reading. */
void rs_model_put(struct rs_model *m, enum rs_metric_id metric, uint32_t key, double value);
/* Closes the tick. Returns the block of a minute that just ended, or NULL; the
 * caller hands it to the store and reports back with rs_model_block_done. */
struct rs_block *rs_model_end(struct rs_model *m);
void rs_model_block_done(struct rs_model *m, struct rs_block *b, bool is_committed);
/* The oldest finished block that is neither on disk nor with the store, to be
 * handed over again; NULL: none. It counts as dropped when its memory is taken
 * for a new minute. */
struct rs_block *rs_model_retry(struct rs_model *m);
/* At shutdown: the unfinished block with what it holds, or NULL. */
struct rs_block *rs_model_flush(struct rs_model *m);

/* From the next minute on blocks lie in the head file, which must outlive the
 * model. 0 or negative errno as rs_head_begin. */
int rs_model_use_head(struct rs_model *m, struct rs_head *h);
/* Why the current minute is not in it; 0: it is, or none is used. */
int rs_model_head_error(const struct rs_model *m);
/* Boot clock of the newest tick that history has of this boot: when the first
 * tick falls into its slot it is not stored, so that no tick is there twice. */
void rs_model_set_stored_until(struct rs_model *m, int64_t boot_ms);
/* Whether the store has committed all that was ever handed over. */
bool rs_model_is_all_stored(const struct rs_model *m);

const struct rs_view *rs_model_view(const struct rs_model *m);
const struct rs_cpu_info *rs_model_cpus(const struct rs_model *m);

/* The id of the next change; 1 until told. */
void rs_model_set_next_change(struct rs_model *m, int64_t id);
/* Settings that changed in this tick; valid until the next one begins. */
const struct rs_change *rs_model_changes(const struct rs_model *m, size_t *ret_n);

/* Calls fn for each series of the metric that is there, by CPU number or by
 * ifindex and queue: a counter as last read, a sum made here since the start, a
 * gauge; in units. Left out is what was not read lately, and interrupt lines that
 * serve no network interface. Between ticks; labels are the model's. */
typedef void (*rs_sample_fn)(void *arg, const struct rs_labels *labels, double value);
void rs_model_each_sample(
    const struct rs_model *m, enum rs_metric_id metric, rs_sample_fn fn, void *arg);

/* Blocks still held, oldest first, the current one last; for recent queries. */
size_t rs_model_blocks(const struct rs_model *m, const struct rs_block **ret_blocks, size_t cap);

/* True when counters came for an interface that is not described yet: read the
 * descriptions before their time. */
bool rs_model_wants_interfaces(const struct rs_model *m);

struct rs_model_stats {
	uint32_t series, series_max;
	uint64_t series_refused; /* of those seen, how many history had no room for */
	uint64_t blocks_dropped; /* minutes given up because the store held all blocks */
	uint64_t counter_wraps, counter_resets;
	uint64_t changes_lost; /* more settings changed in one tick than are noted */
	uint64_t gaps;	       /* ticks later than 2.5 intervals */
};
void rs_model_get_stats(const struct rs_model *m, struct rs_model_stats *ret);

#endif

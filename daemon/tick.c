/* SPDX-License-Identifier: ISC */
/*
 * One sample from the kernel to the verdict.
 */
#include "tick.h"

#include "clock.h"
#include "load.h"
#include "recent.h"

#include <errno.h>
#include <string.h>

/* Minute blocks: those that wait for a commit, the one being written, and two for
 * while the store is at work. */
static unsigned
n_blocks(const struct rs_config *c)
{
	return (unsigned)(c->commit_interval_ns / RS_BLOCK_NS) + 3;
}

/* A clock before this program was written is not set: 2026-01-01. */
#define CLOCK_SANE_MS INT64_C(1767225600000)

/* How many series fit into the memory allowed for all blocks. */
static uint32_t
series_limit(const struct rs_config *c)
{
	const uint64_t ticks = (uint64_t)(RS_BLOCK_NS / c->interval_ns);
	const uint64_t each = ticks * sizeof(int64_t) + (ticks + 63) / 64 * sizeof(uint64_t) +
			      sizeof(struct rs_block_series);
	const uint64_t fit = c->max_memory_bytes / (n_blocks(c) * each);
	const uint64_t limit = RS_MIN(fit, c->max_series);
	return limit < 64 ? 64 : (uint32_t)limit;
}

int
rs_instrument_open(const char *root, const struct rs_config *c, int64_t first_finding_id,
    struct rs_instrument *ret, struct rs_error *e)
{
	memset(ret, 0, sizeof(*ret));
	ret->interval_ns = c->interval_ns;
	int rc = rs_root_open(root, &ret->root);
	if (rc < 0)
		return rs_error_set(e, rc, "%s: %s", root, strerror(-rc));
	const struct rs_model_conf conf = {
	    .interval_ns = c->interval_ns,
	    .max_series = series_limit(c),
	    .n_blocks = n_blocks(c),
	    .reserved = c->reserved_cores,
	};
	rc = rs_sampler_open(ret->root, &ret->sampler);
	if (rc == 0)
		rc = rs_model_new(&conf, &ret->model);
	if (rc == 0)
		rc = rs_engine_new(rs_rules, c->rules, first_finding_id, &ret->engine);
	if (rc < 0) {
		rs_instrument_close(ret);
		return rs_error_set(e, rc, "cannot start sampling: %s", strerror(-rc));
	}
	return 0;
}

void
rs_instrument_close(struct rs_instrument *i)
{
	rs_engine_free(i->engine);
	rs_model_free(i->model);
	rs_sampler_close(i->sampler);
	rs_root_close(i->root);
	memset(i, 0, sizeof(*i));
}

struct relay {
	struct rs_instrument *instrument;
	rs_finding_fn fn;
	void *arg;
};

static void
relay_finding(void *arg, enum rs_finding_event ev, const struct rs_finding *f)
{
	const struct relay *const r = arg;
	if (ev == RS_FINDING_CLEARED)
		r->instrument->last_cleared_boot_ms = rs_model_view(r->instrument->model)->boot_ms;
	if (r->fn)
		r->fn(r->arg, ev, f);
}

static void
put_derived(struct rs_instrument *i)
{
	const struct rs_view *const v = rs_model_view(i->model);
	for (size_t n = 0; n < v->n_cores; n++) {
		const struct rs_core_view *const c = &v->cores[n];
		rs_model_put(i->model, RS_M_CORE_PACKET_LOAD, c->cpu, c->packet_load);
		rs_model_put(i->model, RS_M_CORE_BUSY, c->cpu, c->busy);
		rs_model_put(i->model, RS_M_CORE_PACKET_THREADS, c->cpu, c->packet_threads);
	}
	rs_model_put(i->model, RS_M_STATE, 0, (double)i->verdict.state);
}

const struct rs_verdict *
rs_instrument_verdict(struct rs_instrument *i)
{
	const struct rs_finding *active[RS_FINDINGS_MAX];
	if (!i->is_worded) {
		const struct rs_view *const v = rs_model_view(i->model);
		const size_t n = rs_engine_active(i->engine, active, RS_FINDINGS_MAX);
		/* By the clock of now, which may have been set since. */
		const int64_t cleared_ms = i->last_cleared_boot_ms != 0
					       ? v->wall_ms - v->boot_ms + i->last_cleared_boot_ms
					       : 0;
		rs_verdict_make(v, active, n, rs_recent_line(rs_engine_recent(i->engine)),
		    cleared_ms, &i->verdict);
		i->is_worded = true;
	}
	return &i->verdict;
}

struct rs_block *
rs_instrument_tick(
    struct rs_instrument *i, rs_ns due_ns, rs_ns mono_ns, rs_finding_fn fn, void *arg)
{
	const int64_t wall_ms = rs_clock_wall() / RS_NS_PER_MS;
	/* The three clocks as of mono_ns, whenever that was. The boot clock is read
	 * last: a hair too late it stays in its tick's slot, too early it would not. */
	const rs_ns since = rs_clock_mono() - mono_ns;
	const struct rs_model_time t = {
	    .mono_ns = mono_ns,
	    .due_ns = due_ns,
	    .boot_ns = rs_clock_boot() - since,
	    .wall_ms = wall_ms - since / RS_NS_PER_MS,
	    .is_clock_ok = wall_ms > CLOCK_SANE_MS,
	};
	struct rs_model *const m = i->model;
	rs_model_begin(m, &t);
	rs_sampler_run(i->sampler, m, mono_ns, i->interval_ns);
	rs_model_build_view(m);
	struct rs_view *const v = rs_model_view_rw(m);
	rs_load_fill(v, rs_model_cores_rw(m), v->n_cores, rs_model_cpus(m), rs_model_reserved(m),
	    rs_engine_groups(i->engine));
	struct relay relay = {i, fn, arg};
	rs_engine_run(i->engine, v, relay_finding, &relay);
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n = rs_engine_active(i->engine, active, RS_FINDINGS_MAX);
	i->verdict.state = rs_verdict_state(v, active, n);
	i->is_worded = false;
	put_derived(i);
	return rs_model_end(m);
}

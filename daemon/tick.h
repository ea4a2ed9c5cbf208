/* SPDX-License-Identifier: ISC */
/*
 * One sample from the kernel to the verdict, without loop, store or network:
 * what the daemon does each tick, --once twice, and tests as often as they like.
 */
#ifndef RS_TICK_H
#define RS_TICK_H

#include "config.h"
#include "engine.h"
#include "model.h"
#include "sampler.h"
#include "verdict.h"

struct rs_instrument {
	struct rs_root *root;
	struct rs_sampler *sampler;
	struct rs_model *model;
	struct rs_engine *engine;
	struct rs_verdict verdict; /* its line: by rs_instrument_verdict */
	bool is_worded;
	rs_ns interval_ns;
	int64_t last_cleared_boot_ms; /* end of the last finding; 0: none ended */
};

/* root: "/" or a captured tree. Negative errno and a sentence in e. */
int rs_instrument_open(const char *root, const struct rs_config *c, int64_t first_finding_id,
    struct rs_instrument *ret, struct rs_error *e);
void rs_instrument_close(struct rs_instrument *i); /* what it owns; safe half open */

/* The verdict of the last tick. The line is made when somebody asks: putting
 * numbers into words would be a good part of a tick. */
const struct rs_verdict *rs_instrument_verdict(struct rs_instrument *i);

/* due_ns and mono_ns on the monotonic clock. fn as in engine.h, may be NULL.
 * Returns the block of a minute that ended, or NULL. */
struct rs_block *rs_instrument_tick(
    struct rs_instrument *i, rs_ns due_ns, rs_ns mono_ns, rs_finding_fn fn, void *arg);

#endif

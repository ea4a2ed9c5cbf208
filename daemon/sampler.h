/* SPDX-License-Identifier: ISC */
/*
 * Reads what is due, parses it, hands the frames to the model, and keeps the
 * health of each source. Loop thread.
 */
#ifndef RS_SAMPLER_H
#define RS_SAMPLER_H

#include "live.h"
#include "model.h"
#include "root.h"

struct rs_sampler;

/* Takes the collectors that fit the root: the live machine or a captured tree. */
int rs_sampler_open(const struct rs_root *root, struct rs_sampler **ret);
void rs_sampler_close(struct rs_sampler *s); /* NULL-safe */
/* Another monotonic clock for the instants of reading, for tests that replay. */
void rs_sampler_set_clock(struct rs_sampler *s, rs_ns (*now)(void));
/* One tick: everything due. now_ns on the monotonic clock; period_ns of a tick. */
void rs_sampler_run(struct rs_sampler *s, struct rs_model *m, rs_ns now_ns, rs_ns period_ns);
const struct rs_source_health *rs_sampler_health(const struct rs_sampler *s, size_t *ret_n);

#endif

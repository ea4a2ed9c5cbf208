/* SPDX-License-Identifier: ISC */
/*
 * The web layer as it runs in the program, for tests: on a loop in a thread of
 * its own, over a small live model and a store that answers when it is told.
 * The store's functions (store.h) are defined here.
 */
#ifndef HTTP_RIG_H
#define HTTP_RIG_H

#include "http.h"
#include "live.h"
#include "web.h"

struct rig {
	struct rs_loop *loop;
	struct rs_model *model;
	struct rs_engine *engine;
	struct rs_verdict verdict;
	struct rs_live live;
	struct rs_web *web;
	unsigned port; /* 0: no TCP listener */
};

/* What the store does; set before, or from rig_call. */
struct rig_store {
	bool is_held;	/* questions wait until is_held is false and rig_answer is called */
	int refusal;	/* instead of taking a question; 0: none */
	int status;	/* of answers */
	int incomplete; /* of answers */
	size_t n_series, n_times, n_catalog, n_findings;
	unsigned asked, answered;
	struct rs_query last; /* the last question about series */
	struct rs_change_query last_changes;
};
extern struct rig_store rig_store;

/* Opens with what c says; NULL: defaults. listen NULL: 127.0.0.1, any port. */
void rig_open(struct rig *r, const struct rs_web_conf *c);
/* Closes the server, then the store, then the rest. */
void rig_close(struct rig *r);
/* Runs fn on the loop thread and waits for it. */
void rig_call(struct rig *r, void (*fn)(struct rig *r, void *arg), void *arg);

/* For rig_call: publishes n events named "tick" with `bytes` of data each. */
struct rig_events {
	unsigned n;
	size_t bytes;
};
void rig_publish(struct rig *r, void *events);
/* Releases what the store holds. */
void rig_answer(struct rig *r, void *unused);
/* A real tick: samples, judges, publishes. */
void rig_tick(struct rig *r, void *unused);

void rig_stats(struct rig *r, struct rs_web_stats *ret);
/* Turns the HTTP library was given so far. */
uint64_t rig_runs(struct rig *r);
/* Waits until as many streams are open. */
void rig_wait_streams(struct rig *r, unsigned n);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What the web layer shows of the running program: pointers to what app.c
 * owns, valid between ticks on the loop thread.
 */
#ifndef RS_LIVE_H
#define RS_LIVE_H

#include "engine.h"
#include "model.h"
#include "store.h"
#include "verdict.h"

/* Health of one source, as the sampler sees it. */
struct rs_source_health {
	const char *id;
	const char *path;  /* the first one */
	const char *state; /* "ok", "missing", "forbidden", "failing" */
	char reason[128];  /* why not ok, or what of it was not permitted; "": all well */
	uint64_t reads, failures;
	uint64_t skipped_rows; /* rows of the last reading that could not be used */
	rs_ns last_cost_ns;
};

/* The file the newest minutes are in. */
struct rs_head_health {
	const char *state;   /* "mapped", "memory"; NULL: not told */
	const char *path;    /* "": none is wanted */
	const char *error;   /* why they are in memory though one is; "" */
	const char *refused; /* why what was there at the start was not believed; "" */
	/* of an earlier process, from the file: in the database, and lost */
	uint64_t recovered_ticks, dropped_ticks;
};

/* How findings are told to a command or an address. */
struct rs_alert_health {
	const char *kind; /* "exec", "webhook"; NULL: not configured */
	uint64_t delivered, failed_attempts, dropped;
	unsigned waiting;
	char error[160]; /* of the last attempt; "": it worked */
};

struct rs_health {
	rs_ns started_mono_ns;
	uint64_t ticks, ticks_late, ticks_missed;
	/* loop thread, wake to publish */
	rs_ns tick_cpu_last_ns, tick_cpu_mean_ns, tick_cpu_max_ns;
	rs_ns tick_cpu_total_ns;
	rs_ns process_cpu_ns;
	int64_t rss_bytes, pss_bytes; /* -1: unknown */
	const struct rs_source_health *sources;
	size_t n_sources;
	struct rs_loop_stats loop;
	const char *loop_method;
	struct rs_head_health head;
	struct rs_alert_health alerts[2];
};

struct rs_live {
	struct rs_model *model;
	struct rs_engine *engine;
	struct rs_store *store; /* never NULL while the program serves */
	/* The verdict of the last tick; make_verdict, when not NULL, is called with
	 * arg before its line is read. */
	const struct rs_verdict *verdict;
	void (*make_verdict)(void *arg);
	void (*get_health)(void *arg, struct rs_health *ret);
	void *arg;
};

#endif

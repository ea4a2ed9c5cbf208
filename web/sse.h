/* SPDX-License-Identifier: ISC */
/*
 * The hub of the event stream: each event is formatted once into a ring, each
 * client has a position in it and is a source (reply.h) for its connection. A
 * client that falls behind by more than the ring, which is bounded in events
 * and in bytes, skips to the oldest event kept and is told with `event: gap`.
 * Knows nothing of HTTP. Loop thread.
 *
 * Event ids are "INSTANCE-NUMBER"; the instance tells a reconnecting client of
 * an earlier run of the program from one of this run.
 */
#ifndef RS_SSE_H
#define RS_SSE_H

#include <stdbool.h>

#include "loop.h"
#include "reply.h"

/* Events that are kept whatever their size, and so many while they are small: a
 * tick may come with hundreds of changes. */
#define RS_HUB_RING 64u
#define RS_HUB_RING_SMALL 1024u

struct rs_hub;

struct rs_hub_conf {
	unsigned max_clients;
	rs_ns heartbeat_ns; /* a comment line after so long without an event */
	uint64_t instance;  /* different in each run: the wall clock at start will do */
};

int rs_hub_new(const struct rs_hub_conf *c, struct rs_loop *loop, struct rs_hub **ret);
/* After the last source was freed. NULL-safe. */
void rs_hub_free(struct rs_hub *h);
/* Ends all streams: sources are woken and answer RS_SOURCE_END from now on. */
void rs_hub_close(struct rs_hub *h);

/* Whether rs_hub_join would say -EBUSY. */
bool rs_hub_is_full(const struct rs_hub *h);
/* A new client as a source; last_event_id may be NULL. Events after that id
 * come first; without one, only what is published from now on. -EBUSY: too
 * many clients, -ESHUTDOWN: closed, -ENOMEM. */
int rs_hub_join(struct rs_hub *h, const char *last_event_id, struct rs_source *ret);

/* Whether formatting an event is worth it: somebody listens, or left so short
 * a time ago that he may come back and ask for what he missed. */
bool rs_hub_is_wanted(const struct rs_hub *h);
/* The next event: write its data (one line, no newline) to the buffer returned,
 * then commit. Exactly one rs_hub_commit per begin; nothing else in between. */
struct rs_buf *rs_hub_begin(struct rs_hub *h, const char *event);
/* False: the data did not fit or there was no memory; clients see a gap. */
bool rs_hub_commit(struct rs_hub *h);
/* An event happened that nobody wanted: its number is used up. */
void rs_hub_skip(struct rs_hub *h);

struct rs_hub_stats {
	unsigned clients;
	uint64_t events; /* formatted */
	uint64_t gaps;	 /* told to clients */
	uint64_t lost;	 /* too large, or no memory */
};
void rs_hub_get_stats(const struct rs_hub *h, struct rs_hub_stats *ret);

#endif

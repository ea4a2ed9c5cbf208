/* SPDX-License-Identifier: ISC */
/*
 * Accepts connections on all listeners and counts them: in all and by address,
 * where those that carry an event stream are counted apart.
 *
 * Browsers and proxies keep connections they may need again. So where a limit is
 * reached, the one that was idle for longest gives way, and whoever came waits in
 * line until a place is free. Who waited in vain, or finds the line full, gets a
 * 503 instead of staying unseen in the backlog. Loop thread.
 */
#ifndef RS_GATE_H
#define RS_GATE_H

#include "listen.h"
#include "loop.h"

struct rs_gate;

/* A connection that was let in. */
struct rs_visitor {
	struct rs_gate *gate; /* NULL: place not in use */
	enum rs_peer peer;
	unsigned char key[RS_PEER_KEY_LEN]; /* what it is counted by */
	bool is_stream, is_leaving;
	int fd;		  /* borrowed */
	rs_ns idle_since; /* may lie ahead; 0: a request is being read or answered */
};

struct rs_gate_conf {
	unsigned max_connections;
	unsigned max_per_address; /* without streams, and as many streams; unix sockets: any */
	rs_ns patience_ns;	  /* how long one waits in line */
	/* Takes over fd, on failure too. The visitor stays until rs_gate_leave. */
	void (*enter)(void *arg, int fd, const struct sockaddr_storage *address, socklen_t len,
	    struct rs_visitor *visitor);
	/* After some entered or were refused. */
	void (*settle)(void *arg);
	void *arg;
};

/* Owns the listeners then, on failure too. Negative errno. */
int rs_gate_open(const struct rs_gate_conf *c, struct rs_listener *take, size_t n_listeners,
    struct rs_loop *loop, struct rs_gate **ret);
/* Lets nobody in any more; visitors may still leave. */
void rs_gate_shut(struct rs_gate *g);
/* After the last visitor left. NULL-safe. */
void rs_gate_free(struct rs_gate *g);
void rs_gate_leave(struct rs_visitor *v);

/* What its connection does: it has a request, that is answered by a stream, it is
 * done with it. */
void rs_gate_begin(struct rs_visitor *v);
void rs_gate_stream(struct rs_visitor *v);
void rs_gate_rest(struct rs_visitor *v);
/* Whether its address has as many streams as it may. */
bool rs_gate_has_all_streams(const struct rs_visitor *v);
/* Whether somebody waits for a place. */
bool rs_gate_is_crowded(const struct rs_gate *g);

struct rs_gate_stats {
	unsigned connections;
	uint64_t refused;
};
void rs_gate_get_stats(const struct rs_gate *g, struct rs_gate_stats *ret);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Accepts connections on all listeners and counts them: in all and by address.
 * What is over a limit gets a 503 at once instead of waiting unseen in the
 * backlog. Loop thread.
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
};

struct rs_gate_conf {
	unsigned max_connections, max_per_address; /* unix sockets count in all only */
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

struct rs_gate_stats {
	unsigned connections;
	uint64_t refused;
};
void rs_gate_get_stats(const struct rs_gate *g, struct rs_gate_stats *ret);

#endif

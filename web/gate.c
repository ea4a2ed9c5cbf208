/* SPDX-License-Identifier: ISC */
/*
 * Accepting and its limits. Loop thread.
 */
#include "gate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log.h"

enum { ACCEPTS_A_TURN = 16 };

struct door {
	struct rs_gate *gate;
	struct rs_listener listener; /* owned */
	struct rs_event *watch;	     /* owned; NULL while nobody is let in */
};

struct rs_gate {
	struct rs_gate_conf conf;
	struct rs_loop *loop;
	struct rs_event *pause; /* owned; accepting goes on when it fires */
	struct door *doors;
	size_t n_doors;
	struct rs_visitor *visitors; /* conf.max_connections places */
	struct rs_gate_stats stats;
};

/* A free place, or NULL when one of the limits is reached. */
static struct rs_visitor *
find_place(struct rs_gate *g, enum rs_peer peer, const unsigned char *key)
{
	struct rs_visitor *unused = NULL;
	unsigned same = 0;

	for (unsigned i = 0; i < g->conf.max_connections; i++) {
		struct rs_visitor *v = &g->visitors[i];

		if (v->gate == NULL)
			unused = v;
		else if (v->peer == peer && memcmp(v->key, key, RS_PEER_KEY_LEN) == 0)
			same++;
	}
	/* All peers of a unix socket have the same empty key. */
	return peer != RS_PEER_UNIX && same >= g->conf.max_per_address ? NULL : unused;
}

/* Says why, as far as that is possible without waiting. */
static void
refuse(struct rs_gate *g, int fd)
{
	static const char body[] = "{\"type\":\"about:blank\",\"title\":\"Service Unavailable\","
				   "\"status\":503,\"detail\":\"too many connections\"}";
	char reply[512], request[4096];
	const int len = snprintf(reply, sizeof(reply),
	    "HTTP/1.1 503 Service Unavailable\r\nContent-Type: " RS_TYPE_PROBLEM "\r\n"
	    "Retry-After: 10\r\nConnection: close\r\nContent-Length: %zu\r\n\r\n%s",
	    sizeof(body) - 1, body);

	/* Unread input would turn the close into a reset that overtakes the reply. */
	(void)recv(fd, request, sizeof(request), MSG_DONTWAIT);
	(void)send(fd, reply, (size_t)len, MSG_DONTWAIT | MSG_NOSIGNAL);
	(void)shutdown(fd, SHUT_WR);
	(void)close(fd);
	g->stats.refused++;
	rs_log_notice("connection refused: %u of %u are open, at most %u per address",
	    g->stats.connections, g->conf.max_connections, g->conf.max_per_address);
}

static void
receive(struct rs_gate *g, int fd, const struct sockaddr_storage *address, socklen_t len)
{
	unsigned char key[RS_PEER_KEY_LEN];
	const enum rs_peer peer = rs_peer_of(address, key);
	struct rs_visitor *v = find_place(g, peer, key);

	if (v == NULL) {
		refuse(g, fd);
		return;
	}
	*v = (struct rs_visitor){.gate = g, .peer = peer};
	memcpy(v->key, key, sizeof(key));
	g->stats.connections++;
	g->conf.enter(g->conf.arg, fd, address, len, v);
}

void
rs_gate_leave(struct rs_visitor *v)
{
	v->gate->stats.connections--;
	v->gate = NULL;
}

static void
stop_watching(struct rs_gate *g)
{
	for (size_t i = 0; i < g->n_doors; i++) {
		rs_event_free(g->doors[i].watch);
		g->doors[i].watch = NULL;
	}
}

static void
on_connection(void *arg, int ready)
{
	struct door *door = arg;
	struct rs_gate *g = door->gate;
	struct sockaddr_storage address;
	socklen_t len;

	(void)ready;
	for (unsigned i = 0; i < ACCEPTS_A_TURN; i++) {
		const int fd = rs_listen_accept(&door->listener, &address, &len);

		if (fd >= 0) {
			receive(g, fd, &address, len);
			continue;
		}
		if (fd == -EMFILE || fd == -ENFILE || fd == -ENOBUFS || fd == -ENOMEM) {
			/* The descriptor stays readable: asking at once would spin. */
			rs_log_warn("cannot accept connections: %s", strerror(-fd));
			stop_watching(g);
			rs_timer_arm(g->pause, RS_NS_PER_S);
		}
		break;
	}
	g->conf.settle(g->conf.arg);
}

static int
start_watching(struct rs_gate *g)
{
	for (size_t i = 0; i < g->n_doors; i++) {
		struct door *door = &g->doors[i];
		const int r = rs_loop_watch(g->loop, "http listener", door->listener.fd,
		    RS_LOOP_READ, on_connection, door, &door->watch);

		if (r < 0)
			return r;
	}
	return 0;
}

static void
on_pause_over(void *arg)
{
	struct rs_gate *g = arg;

	if (start_watching(g) < 0) {
		stop_watching(g);
		rs_timer_arm(g->pause, RS_NS_PER_S);
	}
}

int
rs_gate_open(const struct rs_gate_conf *c, struct rs_listener *take, size_t n_listeners,
    struct rs_loop *loop, struct rs_gate **ret)
{
	struct rs_gate *g = calloc(1, sizeof(*g));
	int r = -ENOMEM;

	if (g != NULL) {
		g->doors = calloc(n_listeners, sizeof(*g->doors));
		g->visitors = calloc(c->max_connections, sizeof(*g->visitors));
	}
	if (g == NULL || g->doors == NULL || g->visitors == NULL) {
		for (size_t i = 0; i < n_listeners; i++)
			rs_listen_close(&take[i]);
		goto fail;
	}
	g->conf = *c;
	g->loop = loop;
	g->n_doors = n_listeners;
	for (size_t i = 0; i < n_listeners; i++)
		g->doors[i] = (struct door){.gate = g, .listener = take[i]};
	r = rs_loop_timer(loop, "http pause", on_pause_over, g, &g->pause);
	if (r == 0)
		r = start_watching(g);
	if (r < 0)
		goto fail;
	*ret = g;
	return 0;
fail:
	rs_gate_free(g);
	return r;
}

void
rs_gate_shut(struct rs_gate *g)
{
	stop_watching(g);
	rs_event_free(g->pause);
	g->pause = NULL;
	for (size_t i = 0; i < g->n_doors; i++)
		rs_listen_close(&g->doors[i].listener);
}

void
rs_gate_free(struct rs_gate *g)
{
	if (g == NULL)
		return;
	rs_gate_shut(g);
	free(g->doors);
	free(g->visitors);
	free(g);
}

void
rs_gate_get_stats(const struct rs_gate *g, struct rs_gate_stats *ret)
{
	*ret = g->stats;
}

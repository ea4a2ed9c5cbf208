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

#include "clock.h"
#include "log.h"

enum { ACCEPTS_A_TURN = 16 };
/* A browser behind a proxy that speaks HTTP/2 asks for all of the page at once, each
 * file on a connection of its own. */
enum { LINE_MAX = 64, LINE_PER_ADDRESS = 48 };
/* Who has just come has his first request on the way. */
#define GRACE_NS RS_NS_PER_S
/* The line is looked at when somebody leaves or rests, and so often. */
#define LOOK_NS (RS_NS_PER_S / 5)

struct door {
	struct rs_gate *gate;
	struct rs_listener listener; /* owned */
	struct rs_event *watch;	     /* owned; NULL while nobody is let in */
};

/* Where a connection comes from, and what it is counted by. */
struct caller {
	int fd; /* owned */
	struct sockaddr_storage address;
	socklen_t len;
	enum rs_peer peer;
	unsigned char key[RS_PEER_KEY_LEN];
	rs_ns until; /* when it has waited long enough */
};

struct rs_gate {
	struct rs_gate_conf conf;
	struct rs_loop *loop;
	struct rs_event *pause; /* owned; accepting goes on when it fires */
	struct rs_event *look;	/* owned; armed while somebody waits */
	struct door *doors;
	size_t n_doors;
	struct rs_visitor *visitors; /* conf.max_connections places */
	struct caller *line;	     /* LINE_MAX places, who came first is first */
	size_t n_line;
	struct rs_gate_stats stats;
};

/* All peers of a unix socket have the same empty key. */
static bool
is_of(const struct rs_visitor *v, enum rs_peer peer, const unsigned char *key)
{
	return v->gate != NULL && v->peer == peer && memcmp(v->key, key, RS_PEER_KEY_LEN) == 0;
}

static bool
gives_way(const struct rs_visitor *v, rs_ns now)
{
	return v->idle_since != 0 && v->idle_since <= now && !v->is_leaving;
}

/* A free place. NULL when a limit is reached; *ret_idle is who makes room by giving
 * way then, or NULL. */
static struct rs_visitor *
find_place(struct rs_gate *g, const struct caller *c, rs_ns now, struct rs_visitor **ret_idle)
{
	struct rs_visitor *unused = NULL, *own = NULL, *any = NULL;
	unsigned same = 0;

	for (unsigned i = 0; i < g->conf.max_connections; i++) {
		struct rs_visitor *v = &g->visitors[i];
		const bool is_same = is_of(v, c->peer, c->key);

		if (v->gate == NULL)
			unused = v;
		else if (is_same && !v->is_stream)
			same++;
		if (v->gate == NULL || !gives_way(v, now))
			continue;
		if (any == NULL || v->idle_since < any->idle_since)
			any = v;
		if (is_same && (own == NULL || v->idle_since < own->idle_since))
			own = v;
	}
	const bool is_over = c->peer != RS_PEER_UNIX && same >= g->conf.max_per_address;

	*ret_idle = is_over ? own : any;
	return is_over ? NULL : unused;
}

/* The library sees the end of the input in its next turn and closes. */
static void
send_away(struct rs_visitor *v, rs_ns now)
{
	char byte;

	/* What was not read yet is a request. */
	if (recv(v->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0) {
		v->idle_since = now;
		return;
	}
	v->is_leaving = true;
	(void)shutdown(v->fd, SHUT_RDWR);
}

static bool
let_in(struct rs_gate *g, const struct caller *c, rs_ns now)
{
	struct rs_visitor *idle, *v = find_place(g, c, now, &idle);

	if (v == NULL) {
		if (idle != NULL)
			send_away(idle, now);
		return false;
	}
	*v = (struct rs_visitor){
	    .gate = g, .peer = c->peer, .fd = c->fd, .idle_since = now + GRACE_NS};
	memcpy(v->key, c->key, sizeof(v->key));
	g->stats.connections++;
	g->conf.enter(g->conf.arg, c->fd, &c->address, c->len, v);
	return true;
}

static bool
join_line(struct rs_gate *g, struct caller *c, rs_ns now)
{
	unsigned same = 0;

	for (size_t i = 0; i < g->n_line; i++) {
		const struct caller *other = &g->line[i];

		same += other->peer == c->peer && memcmp(other->key, c->key, sizeof(c->key)) == 0;
	}
	if (g->n_line == LINE_MAX || same >= LINE_PER_ADDRESS)
		return false;
	c->until = now + g->conf.patience_ns;
	g->line[g->n_line++] = *c;
	if (!rs_timer_is_armed(g->look))
		rs_timer_arm(g->look, LOOK_NS);
	return true;
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
receive(struct rs_gate *g, struct caller *c, rs_ns now)
{
	c->peer = rs_peer_of(&c->address, c->key);
	if (!let_in(g, c, now) && !join_line(g, c, now))
		refuse(g, c->fd);
}

static void
on_look(void *arg)
{
	struct rs_gate *g = arg;
	const rs_ns now = rs_clock_mono();
	size_t kept = 0;

	for (size_t i = 0; i < g->n_line; i++) {
		const struct caller c = g->line[i];

		if (let_in(g, &c, now))
			continue;
		if (now >= c.until)
			refuse(g, c.fd);
		else
			g->line[kept++] = c;
	}
	g->n_line = kept;
	if (kept > 0)
		rs_timer_arm(g->look, LOOK_NS);
	g->conf.settle(g->conf.arg);
}

/* Never from here: the library is in the middle of its turn. */
static void
look_soon(struct rs_gate *g)
{
	if (g->n_line > 0)
		rs_timer_arm(g->look, 0);
}

void
rs_gate_leave(struct rs_visitor *v)
{
	struct rs_gate *g = v->gate;

	g->stats.connections--;
	v->gate = NULL;
	look_soon(g);
}

void
rs_gate_begin(struct rs_visitor *v)
{
	v->idle_since = 0;
}

void
rs_gate_stream(struct rs_visitor *v)
{
	v->is_stream = true;
	look_soon(v->gate);
}

void
rs_gate_rest(struct rs_visitor *v)
{
	v->idle_since = rs_clock_mono();
	v->is_stream = false;
	look_soon(v->gate);
}

bool
rs_gate_has_all_streams(const struct rs_visitor *v)
{
	const struct rs_gate *g = v->gate;
	unsigned n = 0;

	for (unsigned i = 0; i < g->conf.max_connections; i++)
		n += g->visitors[i].is_stream && is_of(&g->visitors[i], v->peer, v->key);
	return v->peer != RS_PEER_UNIX && n >= g->conf.max_per_address;
}

bool
rs_gate_is_crowded(const struct rs_gate *g)
{
	return g->n_line > 0;
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
	const rs_ns now = rs_clock_mono();
	struct caller c;

	(void)ready;
	for (unsigned i = 0; i < ACCEPTS_A_TURN; i++) {
		c.fd = rs_listen_accept(&door->listener, &c.address, &c.len);
		if (c.fd >= 0) {
			receive(g, &c, now);
			continue;
		}
		if (c.fd == -EMFILE || c.fd == -ENFILE || c.fd == -ENOBUFS || c.fd == -ENOMEM) {
			/* The descriptor stays readable: asking at once would spin. */
			rs_log_warn("cannot accept connections: %s", strerror(-c.fd));
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
		g->line = calloc(LINE_MAX, sizeof(*g->line));
	}
	if (g == NULL || g->doors == NULL || g->visitors == NULL || g->line == NULL) {
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
		r = rs_loop_timer(loop, "http line", on_look, g, &g->look);
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
	rs_event_free(g->look);
	g->pause = g->look = NULL;
	while (g->n_line > 0)
		refuse(g, g->line[--g->n_line].fd);
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
	free(g->line);
	free(g);
}

void
rs_gate_get_stats(const struct rs_gate *g, struct rs_gate_stats *ret)
{
	*ret = g->stats;
}

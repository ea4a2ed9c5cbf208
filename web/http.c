/* SPDX-License-Identifier: ISC */
/*
 * The only file that knows libmicrohttpd. Loop thread.
 *
 * One library daemon without a listening socket serves all listeners: gate.c
 * accepts and hands over (MHD_add_connection), so that there is one epoll
 * descriptor to watch, one timer, one limit of connections over TCP and unix
 * sockets, and each connection is known by the kind of its peer.
 *
 * How the library must be driven in this mode (external epoll):
 * - After every MHD_run ask MHD_get_timeout and arm the timer, zero included:
 *   its descriptors are edge-triggered inside its epoll.
 * - MHD_resume_connection only sets a flag. A run from the loop must follow,
 *   never from inside one of the library's callbacks: kick().
 * - A content reader returns 0 only after MHD_suspend_connection.
 * - Streams keep the ordinary timeout; it restarts with each resume, so a
 *   reader that does not read is closed, one that is sent heartbeats is not.
 * - A suspended connection that is left at MHD_stop_daemon is an abort: resume
 *   all, run, stop.
 * - While suspended, a client's leaving is not noticed, so a request that
 *   waits for the store cannot vanish under it.
 */
#include "http.h"

#include <errno.h>
#include <microhttpd.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "gate.h"
#include "log.h"
#include "route.h"

/* Without it the kernel takes some 3 MB for each reader that does not read. */
enum { SOURCE_SNDBUF = 64 * 1024 };
/* What is read of a source without chunks (HTTP/1.0) in one go. */
enum { SOURCE_BLOCK = 16 * 1024 };
/* Turns given at shutdown to what can still be sent without waiting. */
enum { LAST_TURNS = 16 };

enum state {
	STATE_NEW,	/* nothing looked at */
	STATE_HEADERS,	/* headers taken over */
	STATE_WAITING,	/* deferred: suspended until finished */
	STATE_FINISHED, /* the deferred reply is ready */
	STATE_REPLIED
};

struct exchange {
	struct rs_request q; /* first: a request is its exchange */
	struct rs_http *http;
	struct MHD_Connection *connection;
	enum state state;
	char *uri;		       /* owned; as received */
	struct exchange *next, **link; /* list of those that wait */
};

/* A reply's source on its way through the library. */
struct body {
	struct rs_http *http;
	struct MHD_Connection *connection;
	struct rs_source source; /* owned */
	bool is_suspended;
};

struct rs_http {
	struct rs_http_conf conf;
	struct rs_loop *loop;
	struct MHD_Daemon *daemon;
	struct rs_event *watch; /* of the library's epoll descriptor */
	struct rs_event *timer; /* next turn the library asked for, or a kick */
	struct rs_gate *gate;
	struct rs_visitor *arriving; /* of the connection being handed over */
	struct exchange *waiting;
	bool is_running, is_kicked, is_closing;
	struct rs_http_stats stats;
};

static void
arm(struct rs_http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	if (h->is_kicked)
		rs_timer_arm(h->timer, 0);
	else if (MHD_get_timeout(h->daemon, &ms) == MHD_YES)
		rs_timer_arm(h->timer, (rs_ns)RS_MIN(ms, 3600000ULL) * RS_NS_PER_MS);
	else
		rs_timer_disarm(h->timer);
}

static void
run(struct rs_http *h)
{
	h->is_kicked = false;
	h->is_running = true;
	(void)MHD_run(h->daemon);
	h->is_running = false;
	h->stats.runs++;
	arm(h);
}

/* Something was resumed: one run from the loop, however many kicks. */
static void
kick(struct rs_http *h)
{
	h->is_kicked = true;
	if (!h->is_running && !h->is_closing)
		rs_timer_arm(h->timer, 0);
}

static void
on_timer(void *arg)
{
	run(arg);
}

static void
on_epoll(void *arg, int ready)
{
	(void)ready;
	run(arg);
}

/* ---- connections ---- */

static struct rs_visitor *
visitor_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info->socket_context;
}

static void
connection_changed(void *cls, struct MHD_Connection *connection, void **socket_context,
    enum MHD_ConnectionNotificationCode what)
{
	const struct rs_http *h = cls;

	(void)connection;
	if (what == MHD_CONNECTION_NOTIFY_STARTED)
		*socket_context = h->arriving;
	else
		rs_gate_leave(*socket_context);
}

static void
on_enter(void *arg, int fd, const struct sockaddr_storage *address, socklen_t len,
    struct rs_visitor *visitor)
{
	struct rs_http *h = arg;

	h->arriving = visitor;
	if (MHD_add_connection(h->daemon, fd, (const struct sockaddr *)address, len) == MHD_YES)
		return;
	/* The library has closed the socket, and told us so only if it had already
	 * announced the connection. */
	if (visitor->gate != NULL)
		rs_gate_leave(visitor);
}

static void
on_settle(void *arg)
{
	run(arg);
}

/* ---- sources ---- */

static void
wake_body(void *arg)
{
	struct body *b = arg;

	if (!b->is_suspended)
		return;
	b->is_suspended = false;
	MHD_resume_connection(b->connection);
	kick(b->http);
}

static ssize_t
read_body(void *cls, uint64_t at, char *dst, size_t cap)
{
	struct body *b = cls;
	const ptrdiff_t n = b->source.read(b->source.arg, dst, cap);

	(void)at;
	if (n > 0)
		return (ssize_t)n;
	if (n == RS_SOURCE_FAILED)
		return MHD_CONTENT_READER_END_WITH_ERROR;
	if (n == RS_SOURCE_END || b->http->is_closing)
		return MHD_CONTENT_READER_END_OF_STREAM;
	b->is_suspended = true;
	MHD_suspend_connection(b->connection);
	return 0;
}

static void
free_body(void *cls)
{
	struct body *b = cls;

	b->source.free(b->source.arg);
	free(b);
}

static void
bound_send_buffer(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
	    MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	const int bytes = SOURCE_SNDBUF;

	if (info != NULL)
		(void)setsockopt(info->connect_fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

static struct MHD_Response *
respond_from_source(struct exchange *x)
{
	struct rs_reply *r = &x->q.reply;
	struct body *b = calloc(1, sizeof(*b));

	if (b == NULL)
		return NULL;
	*b = (struct body){.http = x->http, .connection = x->connection, .source = r->source};
	struct MHD_Response *response = MHD_create_response_from_callback(
	    MHD_SIZE_UNKNOWN, SOURCE_BLOCK, read_body, b, free_body);

	if (response == NULL) {
		free(b);
		return NULL;
	}
	r->source = (struct rs_source){0};
	/* The library ends the chunks of a body that HEAD does not have (0.9.75):
	 * without chunks it cannot. */
	if (x->q.method == RS_METHOD_HEAD)
		(void)MHD_set_response_options(
		    response, MHD_RF_HTTP_1_0_COMPATIBLE_STRICT, MHD_RO_END);
	if (b->source.set_wake != NULL) {
		b->source.set_wake(b->source.arg, wake_body, b);
		rs_gate_stream(visitor_of(x->connection));
	}
	bound_send_buffer(x->connection);
	return response;
}

/* ---- replies ---- */

/* Bytes the library only reads, whatever its prototype says. */
static void *
without_const(const void *bytes)
{
	union {
		const void *in;
		void *out;
	} pointer = {.in = bytes};

	return pointer.out;
}

/* The response with its body; what it took over is gone from the reply. */
static struct MHD_Response *
respond(struct exchange *x)
{
	struct rs_reply *r = &x->q.reply;

	if (r->source.read != NULL)
		return respond_from_source(x);
	if (r->fixed != NULL)
		return MHD_create_response_from_buffer(
		    r->fixed_len, without_const(r->fixed), MHD_RESPMEM_PERSISTENT);
	/* The memory of a buffer comes from malloc; the library frees it. */
	struct MHD_Response *response =
	    MHD_create_response_from_buffer(r->body.len, r->body.data, MHD_RESPMEM_MUST_FREE);

	if (response != NULL)
		rs_buf_init(&r->body, 0);
	return response;
}

static enum MHD_Result
send_reply(struct exchange *x)
{
	struct rs_http *h = x->http;
	struct rs_reply *r = &x->q.reply;

	if (r->body.failed)
		(void)rs_reply_problem(r, 500, "the answer did not fit into memory");
	h->conf.complete(h->conf.arg, &x->q);
	struct MHD_Response *response = respond(x);

	if (response == NULL)
		return MHD_NO;
	if (r->type != NULL)
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, r->type);
	if (r->etag[0] != '\0')
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_ETAG, r->etag);
	for (size_t i = 0; i < r->n_headers; i++)
		(void)MHD_add_response_header(response, r->headers[i].name, r->headers[i].value);
	/* Nobody may be in the middle of asking again when the connection gives way. */
	if (rs_gate_is_crowded(h->gate))
		(void)MHD_add_response_header(response, MHD_HTTP_HEADER_CONNECTION, "close");
	x->state = STATE_REPLIED;
	const enum MHD_Result queued = MHD_queue_response(x->connection, r->status, response);

	MHD_destroy_response(response);
	return queued;
}

/* ---- requests ---- */

static void
finished(struct rs_request *q)
{
	struct exchange *x = (struct exchange *)q;
	const bool is_suspended = x->state == STATE_WAITING;

	x->state = STATE_FINISHED;
	if (!is_suspended)
		return;
	*x->link = x->next;
	if (x->next != NULL)
		x->next->link = x->link;
	MHD_resume_connection(x->connection);
	kick(x->http);
}

static enum MHD_Result
wait_for_answer(struct exchange *x)
{
	struct rs_http *h = x->http;

	/* It may have come at once. */
	if (x->state == STATE_FINISHED)
		return send_reply(x);
	x->state = STATE_WAITING;
	x->next = h->waiting;
	x->link = &h->waiting;
	if (x->next != NULL)
		x->next->link = &x->next;
	h->waiting = x;
	MHD_suspend_connection(x->connection);
	return MHD_YES;
}

static enum MHD_Result
take_header(void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	(void)kind;
	rs_request_header(cls, name, value != NULL ? value : "");
	return MHD_YES;
}

static void
take_over_headers(struct exchange *x, const char *method)
{
	const struct rs_visitor *visitor = visitor_of(x->connection);

	x->q.peer = visitor->peer;
	x->q.has_all_streams = rs_gate_has_all_streams(visitor);
	x->q.method = rs_method_of(method);
	x->q.now_ms = rs_clock_wall() / RS_NS_PER_MS;
	(void)MHD_get_connection_values(x->connection, MHD_HEADER_KIND, take_header, &x->q);
	x->state = STATE_HEADERS;
}

static enum MHD_Result
dispatch(struct exchange *x)
{
	struct rs_http *h = x->http;
	int r;

	h->stats.requests++;
	if (h->is_closing)
		r = rs_reply_problem(&x->q.reply, 503, "the server is stopping");
	else
		r = h->conf.serve(h->conf.arg, &x->q, x->uri);
	if (r == RS_LATER)
		return wait_for_answer(x);
	if (r < 0) {
		rs_log_warn("request for '%s' failed: %s", x->q.path, strerror(-r));
		(void)rs_reply_problem(&x->q.reply, 500, "%s", strerror(-r));
	}
	return send_reply(x);
}

/* No route takes a body yet. A reply now means that it is not read and that the
 * connection ends after the reply. */
static enum MHD_Result
headers_complete(struct exchange *x, const char *method)
{
	take_over_headers(x, method);
	if (!x->q.headers.has_body)
		return MHD_YES;
	if (x->q.method != RS_METHOD_GET && x->q.method != RS_METHOD_HEAD)
		return dispatch(x);
	(void)rs_reply_problem(&x->q.reply, 400, "a body was not expected");
	return send_reply(x);
}

/* The library calls this when the headers are complete, again when the body
 * is, and again after a resume. */
static enum MHD_Result
// NOLINTNEXTLINE(readability-function-size): the library's prototype
answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
    const char *version, const char *upload, size_t *upload_len, void **context)
{
	struct exchange *x = *context;

	(void)cls;
	(void)connection;
	(void)url;
	(void)version;
	(void)upload;
	*upload_len = 0;
	if (x == NULL)
		return MHD_NO;
	switch (x->state) {
	case STATE_NEW:
		return headers_complete(x, method);
	case STATE_HEADERS:
		return dispatch(x);
	case STATE_FINISHED:
		return send_reply(x);
	case STATE_WAITING:
	case STATE_REPLIED:
		break;
	}
	return MHD_YES;
}

/* Called with the raw target, before the library decodes it in place. */
static void *
begin_request(void *cls, const char *uri, struct MHD_Connection *connection)
{
	struct exchange *x = calloc(1, sizeof(*x));

	rs_gate_begin(visitor_of(connection));
	if (x == NULL)
		return NULL;
	x->uri = strdup(uri != NULL ? uri : "");
	if (x->uri == NULL) {
		free(x);
		return NULL;
	}
	x->http = cls;
	x->connection = connection;
	x->q.path = "";
	x->q.finished = finished;
	rs_reply_init(&x->q.reply);
	return x;
}

static void
end_request(void *cls, struct MHD_Connection *connection, void **context,
    enum MHD_RequestTerminationCode why)
{
	struct exchange *x = *context;

	(void)cls;
	(void)why;
	rs_gate_rest(visitor_of(connection));
	*context = NULL;
	if (x == NULL)
		return;
	rs_request_fini(&x->q);
	free(x->uri);
	free(x);
}

/* ---- open and close ---- */

static void log_line(void *cls, const char *format, va_list args) RS_PRINTF(2, 0);

/* What clients do wrong; nothing a person must know. */
static void
log_line(void *cls, const char *format, va_list args)
{
	char line[256];

	(void)cls;
	(void)vsnprintf(line, sizeof(line), format, args);
	line[strcspn(line, "\n")] = '\0';
	rs_text_defuse(line);
	rs_log_debug("http: %s", line);
}

static void
panic(void *cls, const char *file, unsigned line, const char *reason)
{
	(void)cls;
	rs_log_err("libmicrohttpd gives up at %s:%u: %s", file, line,
	    reason != NULL ? reason : "no reason told");
	abort();
}

static void
ignore_sigpipe(void)
{
	struct sigaction action;

	if (sigaction(SIGPIPE, NULL, &action) == 0 && action.sa_handler == SIG_DFL) {
		action.sa_handler = SIG_IGN;
		(void)sigaction(SIGPIPE, &action, NULL);
	}
}

static struct MHD_Daemon *
start_daemon(struct rs_http *h)
{
	MHD_set_panic_func(panic, NULL);
	ignore_sigpipe();
	/* The logger must be the first option: earlier ones log without it. */
	return MHD_start_daemon(
	    MHD_USE_EPOLL | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_NO_LISTEN_SOCKET | MHD_USE_ERROR_LOG,
	    0, NULL, NULL, answer, h, MHD_OPTION_EXTERNAL_LOGGER, log_line, NULL,
	    MHD_OPTION_CONNECTION_LIMIT, h->conf.max_connections, MHD_OPTION_CONNECTION_TIMEOUT,
	    h->conf.timeout_s, MHD_OPTION_STRICT_FOR_CLIENT, 1, MHD_OPTION_URI_LOG_CALLBACK,
	    begin_request, h, MHD_OPTION_NOTIFY_COMPLETED, end_request, h,
	    MHD_OPTION_NOTIFY_CONNECTION, connection_changed, h, MHD_OPTION_SIGPIPE_HANDLED_BY_APP,
	    1, MHD_OPTION_END);
}

static int
start(struct rs_http *h)
{
	h->daemon = start_daemon(h);
	if (h->daemon == NULL)
		return -EIO;
	const union MHD_DaemonInfo *info = MHD_get_daemon_info(h->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	int r = info != NULL ? 0 : -ENOTSUP;

	if (r == 0)
		r = rs_loop_timer(h->loop, "http", on_timer, h, &h->timer);
	if (r == 0 && info != NULL)
		r = rs_loop_watch(
		    h->loop, "http", info->epoll_fd, RS_LOOP_READ, on_epoll, h, &h->watch);
	return r;
}

int
rs_http_open(const struct rs_http_conf *c, struct rs_listener *take, size_t n_listeners,
    struct rs_loop *loop, struct rs_error *e, struct rs_http **ret)
{
	struct rs_http *h = calloc(1, sizeof(*h));
	struct rs_gate_conf gate = {.max_connections = c->max_connections,
	    .max_per_address = c->max_per_address,
	    .patience_ns = c->patience_ns,
	    .enter = on_enter,
	    .settle = on_settle,
	    .arg = h};
	int r = -ENOMEM;

	if (h != NULL) {
		h->conf = *c;
		h->loop = loop;
		r = start(h);
	}
	if (r == 0) {
		r = rs_gate_open(&gate, take, n_listeners, loop, &h->gate);
	} else {
		for (size_t i = 0; i < n_listeners; i++)
			rs_listen_close(&take[i]);
	}
	if (r < 0) {
		rs_http_close(h);
		return rs_error_set(e, r, "cannot start the HTTP server: %s", strerror(-r));
	}
	*ret = h;
	return 0;
}

static void
release_waiting(struct rs_http *h)
{
	while (h->waiting != NULL) {
		struct exchange *x = h->waiting;

		/* Whoever holds the ticket finds out when he redeems it. */
		if (x->q.ticket != NULL)
			x->q.ticket->request = NULL;
		x->q.ticket = NULL;
		(void)rs_reply_problem(&x->q.reply, 503, "the server is stopping");
		rs_request_finish(&x->q);
	}
}

static void
stop_daemon(struct rs_http *h)
{
	MHD_UNSIGNED_LONG_LONG ms;

	release_waiting(h);
	(void)MHD_run(h->daemon);
	for (unsigned i = 0; i < LAST_TURNS; i++) {
		if (MHD_get_timeout(h->daemon, &ms) != MHD_YES || ms > 0)
			break;
		(void)MHD_run(h->daemon);
	}
	MHD_stop_daemon(h->daemon);
}

void
rs_http_close(struct rs_http *h)
{
	if (h == NULL)
		return;
	h->is_closing = true;
	if (h->gate != NULL)
		rs_gate_shut(h->gate);
	rs_event_free(h->watch);
	if (h->daemon != NULL)
		stop_daemon(h);
	rs_event_free(h->timer);
	rs_gate_free(h->gate);
	free(h);
}

void
rs_http_get_stats(const struct rs_http *h, struct rs_http_stats *ret)
{
	struct rs_gate_stats gate;

	rs_gate_get_stats(h->gate, &gate);
	*ret = h->stats;
	ret->connections = gate.connections;
	ret->refused_connections = gate.refused;
}

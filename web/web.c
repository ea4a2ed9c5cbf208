/* SPDX-License-Identifier: ISC */
/*
 * The application's side of the server: opens and closes its parts, publishes
 * events. Loop thread.
 *
 * Closing: first rs_web_close, then rs_store_close, then the model may go. The
 * store answers questions still in flight when it closes; nobody waits for
 * those any more (their tickets say so) and nothing of the server is touched.
 */
#include "web.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api.h"
#include "clock.h"
#include "http.h"
#include "log.h"
#include "route.h"
#include "server.h"

enum { MAX_CONNECTIONS = 64, MAX_PER_ADDRESS = 16, TIMEOUT_S = 30, HEARTBEAT_S = 10 };
enum { PATIENCE_S = 5 };

/* ---- configuration ---- */

static int
check_credential(const struct rs_web_conf *c, const char *listener, struct rs_error *e)
{
	if (c->token != NULL || c->allow_anonymous_read)
		return 0;
	return rs_error_set(e, -EINVAL,
	    "listen: '%s' can be reached from other machines, which needs token_file, or "
	    "allow_anonymous_read = yes to let everybody read",
	    listener);
}

static int
check_origins(const struct rs_web_conf *c, struct rs_error *e)
{
	for (size_t i = 0; c->cors_origins != NULL && c->cors_origins[i] != NULL; i++) {
		struct rs_text t = rs_text_of(c->cors_origins[i]), rest = t, path;

		if ((!rs_text_skip(&rest, "http://") && !rs_text_skip(&rest, "https://")) ||
		    rs_text_len(rest) == 0 || rs_text_until(&rest, '/', &path))
			return rs_error_set(
			    e, -EINVAL, "cors_origins: '%s': expected as http://host:port", t.p);
	}
	return 0;
}

/* Addresses to open; inherited sockets are used instead. */
static size_t
count_listen(const struct rs_web_conf *c)
{
	size_t n = 0;

	while (c->n_inherited == 0 && c->listen != NULL && c->listen[n] != NULL)
		n++;
	return n;
}

int
rs_web_check(const struct rs_web_conf *c, struct rs_error *e)
{
	const size_t n = count_listen(c);
	bool is_private;
	int r = check_origins(c, e);

	if (r == 0 && c->token != NULL && c->token[0] == '\0')
		r = rs_error_set(e, -EINVAL, "token_file: the token is empty");
	if (r == 0 && c->n_inherited == 0 && n == 0)
		r = rs_error_set(e, -EINVAL, "listen: no address");
	/* Inherited sockets are judged when they are taken. */
	for (size_t i = 0; r == 0 && i < n; i++) {
		r = rs_listen_check(c->listen[i], &is_private, e);
		if (r == 0 && !is_private)
			r = check_credential(c, c->listen[i], e);
	}
	return r;
}

static void
close_listeners(struct rs_listener *listeners, size_t n)
{
	for (size_t i = 0; i < n; i++)
		rs_listen_close(&listeners[i]);
	free(listeners);
}

static int
open_listener(const struct rs_web_conf *c, size_t i, struct rs_listener *ret, struct rs_error *e)
{
	char url[160];
	int r;

	if (c->n_inherited == 0)
		return rs_listen_open(c->listen[i], ret, e);
	r = rs_listen_adopt(c->inherited_fds[i], ret, e);
	if (r == 0 && !ret->is_private) {
		rs_listen_url(ret, url, sizeof(url));
		r = check_credential(c, url, e);
	}
	return r;
}

static int
open_listeners(
    const struct rs_web_conf *c, struct rs_error *e, struct rs_listener **ret, size_t *ret_n)
{
	const size_t n = c->n_inherited + count_listen(c);
	int r;

	struct rs_listener *listeners = calloc(RS_MAX(n, 1), sizeof(*listeners));

	if (listeners == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	for (size_t i = 0; i < n; i++) {
		listeners[i].fd = -1;
		r = open_listener(c, i, &listeners[i], e);
		if (r < 0) {
			close_listeners(listeners, i + 1);
			return r;
		}
	}
	*ret = listeners;
	*ret_n = n;
	return 0;
}

static char *
join_urls(const struct rs_listener *listeners, size_t n)
{
	struct rs_buf out;
	char url[160];

	rs_buf_init(&out, n * (sizeof(url) + 2));
	for (size_t i = 0; i < n; i++) {
		rs_listen_url(&listeners[i], url, sizeof(url));
		rs_buf_printf(&out, "%s%s", i > 0 ? ", " : "", url);
	}
	char *joined = strdup(rs_buf_cstr(&out));

	rs_buf_fini(&out);
	return joined;
}

/* ---- open and close ---- */

static int
load_policy(struct rs_policy *ret, const struct rs_web_conf *c)
{
	char hostname[256] = "";

	if (gethostname(hostname, sizeof(hostname) - 1) < 0)
		hostname[0] = '\0';
	return rs_policy_init(ret, c, hostname);
}

static int
open_parts(struct rs_web *w, const struct rs_web_conf *c, struct rs_loop *loop)
{
	const unsigned max = c->max_connections != 0 ? c->max_connections : MAX_CONNECTIONS;
	const struct rs_hub_conf hub = {
	    /* Plain requests always find a connection. */
	    .max_clients = RS_MAX(max / 4 * 3, 1u),
	    .heartbeat_ns = c->heartbeat_ns != 0 ? c->heartbeat_ns : HEARTBEAT_S * RS_NS_PER_S,
	    .instance = (uint64_t)(rs_clock_wall() / RS_NS_PER_MS),
	};

	if (c->web_dir != NULL) {
		w->web_dir = strdup(c->web_dir);
		if (w->web_dir == NULL)
			return -ENOMEM;
	}
	const int r = load_policy(&w->policy, c);

	return r < 0 ? r : rs_hub_new(&hub, loop, &w->hub);
}

int
rs_web_open(const struct rs_web_conf *c, struct rs_loop *loop, const struct rs_live *live,
    struct rs_error *e, struct rs_web **ret)
{
	struct rs_http_conf http = {
	    .max_connections = c->max_connections != 0 ? c->max_connections : MAX_CONNECTIONS,
	    .max_per_address = c->max_per_address != 0 ? c->max_per_address : MAX_PER_ADDRESS,
	    .timeout_s = c->timeout_s != 0 ? c->timeout_s : TIMEOUT_S,
	    .patience_ns = c->patience_ns != 0 ? c->patience_ns : PATIENCE_S * RS_NS_PER_S,
	    .serve = rs_serve,
	    .complete = rs_serve_complete,
	};
	struct rs_listener *listeners = NULL;
	size_t n_listeners = 0;
	int r = rs_web_check(c, e);

	if (r < 0)
		return r;
	struct rs_web *w = calloc(1, sizeof(*w));

	if (w == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	w->live = live;
	http.arg = w;
	r = open_parts(w, c, loop);
	if (r < 0)
		(void)rs_error_set(e, r, "cannot start the HTTP server: %s", strerror(-r));
	if (r == 0)
		r = open_listeners(c, e, &listeners, &n_listeners);
	if (r == 0) {
		w->url = join_urls(listeners, n_listeners);
		r = rs_http_open(&http, listeners, n_listeners, loop, e, &w->http);
		free(listeners);
	}
	if (r < 0) {
		rs_web_close(w);
		return r;
	}
	*ret = w;
	return 0;
}

void
rs_web_close(struct rs_web *w)
{
	if (w == NULL)
		return;
	if (w->hub != NULL)
		rs_hub_close(w->hub);
	rs_http_close(w->http);
	rs_hub_free(w->hub);
	rs_policy_fini(&w->policy);
	free(w->web_dir);
	free(w->url);
	free(w);
}

int
rs_web_reconfigure(struct rs_web *w, const struct rs_web_conf *c)
{
	struct rs_policy policy;
	const int r = load_policy(&policy, c);

	if (r < 0)
		return r;
	rs_policy_fini(&w->policy);
	w->policy = policy;
	return 0;
}

const char *
rs_web_url(const struct rs_web *w)
{
	return w->url != NULL ? w->url : "";
}

void
rs_web_describe(struct rs_buf *out)
{
	rs_route_describe(rs_routes, out);
}

/* ---- events ---- */

/* Only the first that is lost is worth a line, the rest are counted. */
static void
publish(struct rs_web *w, const char *event)
{
	if (rs_hub_commit(w->hub) || w->has_lost_event)
		return;
	w->has_lost_event = true;
	rs_log_warn("a %s event was too large or found no memory: open streams see a gap", event);
}

void
rs_web_publish_tick(struct rs_web *w)
{
	const struct rs_view *v = rs_model_view(w->live->model);
	struct rs_json j;

	if (!rs_hub_is_wanted(w->hub)) {
		rs_hub_skip(w->hub);
		return;
	}
	rs_json_init(&j, rs_hub_begin(w->hub, "tick"));
	rs_json_object(&j);
	rs_json_key(&j, "summary");
	rs_api_put_summary(&j, w->live);
	rs_json_key(&j, "cores");
	rs_api_put_cores(&j, v);
	rs_json_key(&j, "interfaces");
	rs_api_put_interfaces(&j, v);
	rs_json_key(&j, "queues");
	rs_api_put_queues(&j, v);
	rs_json_end(&j);
	publish(w, "tick");
}

static const char *
event_name(enum rs_finding_event ev)
{
	switch (ev) {
	case RS_FINDING_RAISED:
		return "raised";
	case RS_FINDING_CHANGED:
		return "changed";
	case RS_FINDING_CLEARED:
		return "cleared";
	}
	return "changed";
}

void
rs_web_publish_finding(struct rs_web *w, enum rs_finding_event ev, const struct rs_finding *f)
{
	struct rs_json j;

	if (!rs_hub_is_wanted(w->hub)) {
		rs_hub_skip(w->hub);
		return;
	}
	rs_json_init(&j, rs_hub_begin(w->hub, "finding"));
	rs_json_object(&j);
	rs_json_put_string(&j, "event", event_name(ev));
	rs_json_key(&j, "finding");
	rs_api_put_finding(&j, f);
	rs_json_end(&j);
	publish(w, "finding");
}

void
rs_web_publish_change(struct rs_web *w, const struct rs_change *c)
{
	struct rs_json j;

	if (!rs_hub_is_wanted(w->hub)) {
		rs_hub_skip(w->hub);
		return;
	}
	rs_json_init(&j, rs_hub_begin(w->hub, "change"));
	rs_api_put_change(&j, c);
	publish(w, "change");
}

void
rs_web_get_stats(const struct rs_web *w, struct rs_web_stats *ret)
{
	struct rs_http_stats http;
	struct rs_hub_stats hub;

	rs_http_get_stats(w->http, &http);
	rs_hub_get_stats(w->hub, &hub);
	*ret = (struct rs_web_stats){
	    .connections = http.connections,
	    .streams = hub.clients,
	    .requests = http.requests,
	    .refused = w->refused + http.refused_connections,
	    .events = hub.events,
	    .gaps = hub.gaps,
	    .events_lost = hub.lost,
	};
}

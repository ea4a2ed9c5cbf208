/* SPDX-License-Identifier: ISC */
/*
 * What becomes of a request: the name it was sent to, who sent it, its route,
 * its parameters, in this order. Loop thread.
 */
#include <errno.h>
#include <string.h>

#include "accept.h"
#include "api.h"
#include "pack.h"
#include "route.h"
#include "server.h"

static bool
is_read(const struct rs_request *q)
{
	return q->method == RS_METHOD_GET || q->method == RS_METHOD_HEAD;
}

static int
only_read(struct rs_reply *r)
{
	(void)rs_reply_problem(r, 405, "only GET and HEAD");
	rs_reply_header(r, "Allow", "GET, HEAD");
	return 0;
}

/* A browser asks so before it lets a page of another origin send a credential. */
static bool
is_preflight(const struct rs_web *w, const struct rs_request *q)
{
	return q->method == RS_METHOD_OPTIONS && q->headers.preflight_method != NULL &&
	       rs_policy_origin(&w->policy, q->headers.origin) != NULL;
}

static int
reply_preflight(struct rs_reply *r)
{
	r->status = 204;
	rs_reply_header(r, "Access-Control-Allow-Methods", "GET, HEAD");
	rs_reply_header(r, "Access-Control-Allow-Headers", "Authorization, Last-Event-ID");
	rs_reply_header(r, "Access-Control-Max-Age", "600");
	return 0;
}

static int
refuse_access(struct rs_reply *r, enum rs_access access)
{
	if (access == RS_ACCESS_CLOSED)
		return rs_reply_problem(
		    r, 403, "reading from other machines needs a token, and none is configured");
	(void)rs_reply_problem(r, 401, "a token is needed");
	rs_reply_header(r, "WWW-Authenticate", "Bearer realm=\"Ringside\"");
	rs_reply_header(r, "WWW-Authenticate", "Basic realm=\"Ringside\", charset=\"UTF-8\"");
	return 0;
}

static int
serve_asset(struct rs_request *q, struct rs_reply *r)
{
	const bool is_api = strncmp(q->path, "/api/", 5) == 0;
	const int e = is_api ? -ENOENT : rs_api_asset(q, r);

	if (e == -ENOENT)
		return rs_reply_problem(r, 404, "nothing is here");
	if (e == 0 && !is_read(q))
		return only_read(r);
	return e;
}

static int
serve_route(const struct rs_route *route, struct rs_request *q, struct rs_reply *r)
{
	struct rs_error e = {0};

	if (!is_read(q))
		return only_read(r);
	if (rs_route_check(route, q, &e) < 0)
		return rs_reply_problem(r, 400, "%s", e.text);
	return route->handler(q, r);
}

int
rs_serve(void *arg, struct rs_request *q, const char *target)
{
	struct rs_web *w = arg;
	struct rs_reply *r = &q->reply;
	struct rs_error e = {0};

	q->web = w;
	if (q->headers.n_hosts > 1)
		return rs_reply_problem(r, 400, "more than one Host");
	/* Without Host it is HTTP/1.0, which no browser speaks. */
	if (q->headers.host != NULL && !rs_policy_knows_host(&w->policy, q->headers.host)) {
		w->refused++;
		return rs_reply_problem(r, 421,
		    "this server is not known by that name; names other than its own are listed "
		    "in allowed_hosts");
	}
	const int parsed = rs_request_parse(q, target, &e);

	if (parsed < 0)
		return rs_reply_problem(r, parsed == -ENOMEM ? 500 : 400, "%s", e.text);
	if (is_preflight(w, q))
		return reply_preflight(r);
	const enum rs_access access = rs_policy_read(&w->policy, q->peer, &q->headers);

	if (access != RS_ACCESS_OPEN) {
		w->refused++;
		return refuse_access(r, access);
	}
	const struct rs_route *route = rs_route_find(rs_routes, q->path);

	return route != NULL ? serve_route(route, q, r) : serve_asset(q, r);
}

/* What the page asks for when it is opened is mostly JSON, a long history of many
 * cores some hundred kB. The stream is small and must not wait for more; what scrapes
 * /metrics is near; the tag of a file is of these bytes. */
static bool
is_worth_packing(const struct rs_request *q)
{
	const struct rs_reply *r = &q->reply;
	const bool is_text = r->type != NULL && (strcmp(r->type, RS_TYPE_JSON) == 0 ||
						    strcmp(r->type, RS_TYPE_CSV) == 0);

	return is_text && r->etag[0] == '\0' && r->source.set_wake == NULL &&
	       rs_accept_gzip(q->headers.accept_encoding);
}

void
rs_serve_complete(void *arg, struct rs_request *q)
{
	const struct rs_web *w = arg;
	struct rs_reply *r = &q->reply;
	const char *origin = rs_policy_origin(&w->policy, q->headers.origin);

	/* What is not stored needs no Vary for it (RFC 9110, 12.5.5). */
	if (is_worth_packing(q))
		rs_pack_reply(r);
	rs_reply_header(r, "X-Content-Type-Options", "nosniff");
	/* A file has a tag; which of the two headers it needs is known where it is served. */
	if (r->etag[0] == '\0') {
		rs_reply_header(r, "Referrer-Policy", "no-referrer");
		rs_reply_header(r, "Cache-Control", "no-store");
	}
	if (w->policy.cors_origins[0] != NULL)
		rs_reply_header(r, "Vary", "Origin");
	if (origin != NULL)
		rs_reply_header(r, "Access-Control-Allow-Origin", origin);
}

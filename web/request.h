/* SPDX-License-Identifier: ISC */
/*
 * A request as handlers see it, made by http.c from what the HTTP library
 * parsed: decoded path and parameters, the few headers that matter, who asks.
 * Deferring an answer is here too, so that handlers know nothing of suspended
 * connections. Loop thread.
 */
#ifndef RS_REQUEST_H
#define RS_REQUEST_H

#include <stdbool.h>

#include "error.h"
#include "reply.h"
#include "text.h"

struct rs_web;

enum rs_method { RS_METHOD_GET, RS_METHOD_HEAD, RS_METHOD_OPTIONS, RS_METHOD_OTHER };
enum rs_peer { RS_PEER_REMOTE, RS_PEER_LOOPBACK, RS_PEER_UNIX };

/* NULL: not sent. */
struct rs_headers {
	const char *host, *origin, *authorization, *if_none_match, *last_event_id;
	const char *accept, *accept_encoding;
	const char *preflight_method; /* Access-Control-Request-Method */
	unsigned n_hosts;
	bool is_forwarded; /* Forwarded, X-Forwarded-*, X-Real-IP or Via: through a proxy */
	bool has_body;	   /* one is announced */
};

enum { RS_ARGS_MAX = 32 };
/* Longest request target taken; longer ones are refused before parsing. */
enum { RS_TARGET_MAX = 8192 };

struct rs_arg {
	struct rs_text name, value; /* decoded; within rs_request.target */
	int64_t number; /* filled by rs_route_check: time in ms, count, index of the choice */
};

/* Held by whoever makes a deferred answer; outlives the request if it must. */
struct rs_ticket {
	struct rs_request *request; /* NULL: nobody waits any more */
};

struct rs_request {
	enum rs_method method;
	enum rs_peer peer;
	bool has_all_streams; /* its address has as many streams open as it may */
	struct rs_headers headers;
	int64_t now_ms; /* wall clock when it arrived */
	char *target;	/* owned; decoded in place */
	const char *path;
	struct rs_arg args[RS_ARGS_MAX];
	size_t n_args;
	const struct rs_route *route; /* NULL until one was found */
	struct rs_web *web;
	struct rs_reply reply;
	struct rs_ticket *ticket;		/* borrowed; NULL unless deferred */
	void (*finished)(struct rs_request *q); /* http.c's: the deferred reply is ready */
};

enum rs_method rs_method_of(const char *name);
/* Takes over one header line; value stays as long as the request. */
void rs_request_header(struct rs_request *q, const char *name, const char *value);
/* Splits and decodes "/path?name=value&...": strict percent-encoding, '+' is a
 * blank in a value, no control characters, at most RS_ARGS_MAX parameters.
 * -EINVAL and a sentence, or -ENOMEM. Fields set before (web, peer) stay. */
int rs_request_parse(struct rs_request *q, const char *target, struct rs_error *e);
/* Releases what rs_request_parse allocated, the reply, and the hold of a ticket. */
void rs_request_fini(struct rs_request *q);

/* The first parameter of this name, or NULL. */
const struct rs_arg *rs_request_arg(const struct rs_request *q, const char *name);

/* From a handler that returns RS_LATER: the ticket to redeem when the answer
 * is known. NULL: no memory. */
struct rs_ticket *rs_request_defer(struct rs_request *q);
/* The request that waits, or NULL when the server closed meanwhile. Frees the
 * ticket. Whoever gets a request fills its reply and calls rs_request_finish. */
struct rs_request *rs_ticket_redeem(struct rs_ticket *take);
void rs_request_finish(struct rs_request *q);

#endif

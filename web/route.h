/* SPDX-License-Identifier: ISC */
/*
 * The routes of the API with their parameters: one table that checks requests,
 * documents the API and finds handlers. Loop thread.
 */
#ifndef RS_ROUTE_H
#define RS_ROUTE_H

#include "request.h"

/* Returned by a handler that deferred its answer (rs_request_defer). */
#define RS_LATER 1

/* Fills q->reply and returns 0, or RS_LATER, or negative errno: the server
 * answers 500 in its place. */
typedef int (*rs_handler)(struct rs_request *q, struct rs_reply *r);

enum rs_param_type {
	RS_PARAM_TEXT,	/* min..max bytes */
	RS_PARAM_TIME,	/* see rs_time_parse */
	RS_PARAM_COUNT, /* whole number min..max */
	RS_PARAM_CHOICE /* one of choices; the number is its index */
};

struct rs_param {
	const char *name;
	enum rs_param_type type;
	int64_t min, max;
	const char *const *choices; /* NULL-terminated */
	const char *fallback;	    /* as one would write it; NULL: none */
	bool is_required, may_repeat;
	const char *help;
};

struct rs_route {
	const char *path;
	rs_handler handler;
	const struct rs_param *params; /* ends with a NULL name; NULL: takes none */
	const char *help;
};

/* Ends with a NULL path. */
extern const struct rs_route rs_routes[];

/* NULL: no such route. */
const struct rs_route *rs_route_find(const struct rs_route *routes, const char *path);
/* Checks the parameters of q against those of the route, fills their numbers
 * and q->route. -EINVAL and a sentence that names the parameter. */
int rs_route_check(const struct rs_route *route, struct rs_request *q, struct rs_error *e);
/* After rs_route_check: the value of a parameter with a number, its fallback
 * when it was not given. */
int64_t rs_route_number(const struct rs_request *q, const char *name);
struct rs_buf;
/* Routes and parameters as text. */
void rs_route_describe(const struct rs_route *routes, struct rs_buf *out);

#endif

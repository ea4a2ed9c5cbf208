/* SPDX-License-Identifier: ISC */
/*
 * Parameters checked against their table. Loop thread; pure but for memory.
 */
#include "route.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "nearest.h"
#include "num.h"
#include "timeparse.h"

const struct rs_route *
rs_route_find(const struct rs_route *routes, const char *path)
{
	for (; routes->path != NULL; routes++) {
		if (strcmp(routes->path, path) == 0)
			return routes;
	}
	return NULL;
}

static const struct rs_param *
find_param(const struct rs_route *route, struct rs_text name)
{
	for (const struct rs_param *p = route->params; p != NULL && p->name != NULL; p++) {
		if (rs_text_eq(name, p->name))
			return p;
	}
	return NULL;
}

/* What of a value may be quoted in an answer. */
static int
quotable(struct rs_text t)
{
	return (int)RS_MIN(rs_text_len(t), (size_t)64);
}

static int
unknown_param(const struct rs_route *route, struct rs_text name, struct rs_error *e)
{
	struct rs_nearest nearest;

	rs_nearest_begin(&nearest, name);
	for (const struct rs_param *p = route->params; p != NULL && p->name != NULL; p++)
		rs_nearest_try(&nearest, p->name);
	const char *best = rs_nearest_best(&nearest);

	return rs_error_set(e, -EINVAL, "unknown parameter '%.*s'%s%s%s", quotable(name), name.p,
	    best != NULL ? ", did you mean '" : "", best != NULL ? best : "",
	    best != NULL ? "'?" : "");
}

static int
parse_text(const struct rs_param *p, struct rs_text value, struct rs_error *e)
{
	const size_t len = rs_text_len(value);

	if (len < (size_t)p->min || len > (size_t)p->max)
		return rs_error_set(e, -EINVAL,
		    "%s: expected %" PRId64 " to %" PRId64 " bytes of text", p->name, p->min,
		    p->max);
	return 0;
}

static int
parse_time(const struct rs_param *p, struct rs_text value, int64_t now_ms, int64_t *ret,
    struct rs_error *e)
{
	struct rs_error why = {0};

	if (rs_time_parse(value, now_ms, ret, &why) < 0)
		return rs_error_set(e, -EINVAL, "%s: %s", p->name, why.text);
	return 0;
}

static int
parse_count(const struct rs_param *p, struct rs_text value, int64_t *ret, struct rs_error *e)
{
	int64_t v;

	if (rs_num_i64(value, &v) < 0 || v < p->min || v > p->max)
		return rs_error_set(e, -EINVAL,
		    "%s: expected a whole number from %" PRId64 " to %" PRId64, p->name, p->min,
		    p->max);
	*ret = v;
	return 0;
}

static int
parse_choice(const struct rs_param *p, struct rs_text value, int64_t *ret, struct rs_error *e)
{
	struct rs_buf names;

	for (int64_t i = 0; p->choices[i] != NULL; i++) {
		if (rs_text_eq(value, p->choices[i])) {
			*ret = i;
			return 0;
		}
	}
	rs_buf_init(&names, 256);
	for (size_t i = 0; p->choices[i] != NULL; i++)
		rs_buf_printf(&names, "%s%s", i > 0 ? ", " : "", p->choices[i]);
	(void)rs_error_set(e, -EINVAL, "%s: expected one of %s", p->name, rs_buf_cstr(&names));
	rs_buf_fini(&names);
	return -EINVAL;
}

static int
parse_value(const struct rs_param *p, struct rs_text value, int64_t now_ms, int64_t *ret,
    struct rs_error *e)
{
	switch (p->type) {
	case RS_PARAM_TEXT:
		return parse_text(p, value, e);
	case RS_PARAM_TIME:
		return parse_time(p, value, now_ms, ret, e);
	case RS_PARAM_COUNT:
		return parse_count(p, value, ret, e);
	case RS_PARAM_CHOICE:
		return parse_choice(p, value, ret, e);
	}
	return -EINVAL;
}

int
rs_route_check(const struct rs_route *route, struct rs_request *q, struct rs_error *e)
{
	for (size_t i = 0; i < q->n_args; i++) {
		struct rs_arg *arg = &q->args[i];
		const struct rs_param *p = find_param(route, arg->name);

		if (p == NULL)
			return unknown_param(route, arg->name, e);
		if (!p->may_repeat && rs_request_arg(q, p->name) != arg)
			return rs_error_set(e, -EINVAL, "%s: given more than once", p->name);
		const int r = parse_value(p, arg->value, q->now_ms, &arg->number, e);
		if (r < 0)
			return r;
	}
	for (const struct rs_param *p = route->params; p != NULL && p->name != NULL; p++) {
		if (p->is_required && rs_request_arg(q, p->name) == NULL)
			return rs_error_set(e, -EINVAL, "%s: missing", p->name);
	}
	q->route = route;
	return 0;
}

int64_t
rs_route_number(const struct rs_request *q, const char *name)
{
	const struct rs_arg *arg = rs_request_arg(q, name);
	int64_t v = 0;

	if (arg != NULL)
		return arg->number;
	const struct rs_param *p = find_param(q->route, rs_text_of(name));

	assert(p != NULL && p->fallback != NULL);
	if (p != NULL && p->fallback != NULL)
		(void)parse_value(p, rs_text_of(p->fallback), q->now_ms, &v, NULL);
	return v;
}

static void
describe_param(const struct rs_param *p, struct rs_buf *out)
{
	rs_buf_printf(out, "    %s=", p->name);
	switch (p->type) {
	case RS_PARAM_TEXT:
		rs_buf_puts(out, "TEXT");
		break;
	case RS_PARAM_TIME:
		rs_buf_puts(out, "TIME");
		break;
	case RS_PARAM_COUNT:
		rs_buf_printf(out, "%" PRId64 "..%" PRId64, p->min, p->max);
		break;
	case RS_PARAM_CHOICE:
		for (size_t i = 0; p->choices[i] != NULL; i++)
			rs_buf_printf(out, "%s%s", i > 0 ? "|" : "", p->choices[i]);
		break;
	}
	if (p->fallback != NULL)
		rs_buf_printf(out, " (default %s)", p->fallback);
	if (p->is_required)
		rs_buf_puts(out, " (required)");
	if (p->may_repeat)
		rs_buf_puts(out, " (may be repeated)");
	rs_buf_printf(out, "\n        %s\n", p->help);
}

void
rs_route_describe(const struct rs_route *routes, struct rs_buf *out)
{
	for (; routes->path != NULL; routes++) {
		rs_buf_printf(out, "GET %s\n    %s\n", routes->path, routes->help);
		for (const struct rs_param *p = routes->params; p != NULL && p->name != NULL; p++)
			describe_param(p, out);
	}
}

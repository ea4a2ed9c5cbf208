/* SPDX-License-Identifier: ISC */
/*
 * Decoding of request targets, and tickets of deferred answers. What is parsed
 * here comes from anybody. Loop thread.
 */
#include "request.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum rs_method
rs_method_of(const char *name)
{
	static const char *const names[] = {
	    [RS_METHOD_GET] = "GET",
	    [RS_METHOD_HEAD] = "HEAD",
	    [RS_METHOD_OPTIONS] = "OPTIONS",
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(names); i++) {
		if (strcmp(name, names[i]) == 0)
			return (enum rs_method)i;
	}
	return RS_METHOD_OTHER;
}

static bool
tells_of_proxy(const char *name)
{
	static const char *const names[] = {"Forwarded", "Via", "X-Real-IP"};

	for (size_t i = 0; i < RS_ARRAY_LEN(names); i++) {
		if (strcasecmp(name, names[i]) == 0)
			return true;
	}
	return strncasecmp(name, "X-Forwarded-", strlen("X-Forwarded-")) == 0;
}

static bool
announces_body(const char *name, const char *value)
{
	return strcasecmp(name, "Transfer-Encoding") == 0 ||
	       (strcasecmp(name, "Content-Length") == 0 && strcmp(value, "0") != 0);
}

void
rs_request_header(struct rs_request *q, const char *name, const char *value)
{
	struct rs_headers *h = &q->headers;
	const struct {
		const char *name;
		const char **value;
	} wanted[] = {
	    {"Host", &h->host},
	    {"Origin", &h->origin},
	    {"Authorization", &h->authorization},
	    {"If-None-Match", &h->if_none_match},
	    {"Last-Event-ID", &h->last_event_id},
	    {"Accept", &h->accept},
	    {"Accept-Encoding", &h->accept_encoding},
	    {"Access-Control-Request-Method", &h->preflight_method},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(wanted); i++) {
		if (strcasecmp(name, wanted[i].name) == 0)
			*wanted[i].value = value;
	}
	if (strcasecmp(name, "Host") == 0)
		h->n_hosts++;
	h->is_forwarded = h->is_forwarded || tells_of_proxy(name);
	h->has_body = h->has_body || announces_body(name, value);
}

static int
hex_digit(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	if (c >= 'A' && c <= 'F')
		return c - 'A' + 10;
	return -1;
}

/* Decodes t in place (t lies in writable memory that starts at base). */
static int
decode(char *base, struct rs_text *t, bool plus_is_blank, struct rs_error *e)
{
	char *const start = base + (t->p - base);
	char *to = start;

	for (const char *from = t->p; from < t->end; from++) {
		char c = *from;

		if (c == '+' && plus_is_blank) {
			c = ' ';
		} else if (c == '%') {
			const int high = t->end - from > 2 ? hex_digit(from[1]) : -1;
			const int low = high >= 0 ? hex_digit(from[2]) : -1;

			if (low < 0)
				return rs_error_set(e, -EINVAL, "incomplete %%-encoding");
			c = (char)(high * 16 + low);
			from += 2;
		}
		if ((unsigned char)c < 0x20 || c == 0x7f)
			return rs_error_set(e, -EINVAL, "control character in the address");
		*to++ = c;
	}
	t->p = start;
	t->end = to;
	return 0;
}

/* One "name=value"; an empty piece ("a=1&&b=2") is nothing. */
static int
add_arg(struct rs_request *q, struct rs_text piece, struct rs_error *e)
{
	struct rs_arg arg = {.name = piece, .value = {piece.end, piece.end}};
	struct rs_text rest = piece;
	int r;

	if (rs_text_len(piece) == 0)
		return 0;
	if (q->n_args == RS_ARGS_MAX)
		return rs_error_set(e, -EINVAL, "more than %d parameters", RS_ARGS_MAX);
	if (rs_text_until(&rest, '=', &arg.name))
		arg.value = rest;
	r = decode(q->target, &arg.name, true, e);
	if (r == 0)
		r = decode(q->target, &arg.value, true, e);
	if (r == 0)
		q->args[q->n_args++] = arg;
	return r;
}

int
rs_request_parse(struct rs_request *q, const char *target, struct rs_error *e)
{
	const size_t len = strlen(target);
	struct rs_text rest, path, piece;
	bool has_query;
	int r;

	q->path = "";
	if (len > RS_TARGET_MAX)
		return rs_error_set(e, -EINVAL, "address longer than %d bytes", RS_TARGET_MAX);
	q->target = malloc(len + 1);
	if (q->target == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	memcpy(q->target, target, len + 1);
	rest = rs_text_of(q->target);
	has_query = rs_text_until(&rest, '?', &path);
	if (!has_query)
		path = rest;
	while (has_query) {
		const bool has_more = rs_text_until(&rest, '&', &piece);

		r = add_arg(q, has_more ? piece : rest, e);
		if (r < 0)
			return r;
		has_query = has_more;
	}
	r = decode(q->target, &path, false, e);
	if (r < 0)
		return r;
	q->target[path.end - q->target] = '\0';
	q->path = q->target;
	return 0;
}

void
rs_request_fini(struct rs_request *q)
{
	if (q->ticket != NULL)
		q->ticket->request = NULL;
	q->ticket = NULL;
	rs_reply_fini(&q->reply);
	free(q->target);
	q->target = NULL;
}

const struct rs_arg *
rs_request_arg(const struct rs_request *q, const char *name)
{
	for (size_t i = 0; i < q->n_args; i++) {
		if (rs_text_eq(q->args[i].name, name))
			return &q->args[i];
	}
	return NULL;
}

struct rs_ticket *
rs_request_defer(struct rs_request *q)
{
	struct rs_ticket *ticket = malloc(sizeof(*ticket));

	if (ticket != NULL) {
		ticket->request = q;
		q->ticket = ticket;
	}
	return ticket;
}

struct rs_request *
rs_ticket_redeem(struct rs_ticket *take)
{
	struct rs_request *q = take->request;

	if (q != NULL)
		q->ticket = NULL;
	free(take);
	return q;
}

void
rs_request_finish(struct rs_request *q)
{
	q->finished(q);
}

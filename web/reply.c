/* SPDX-License-Identifier: ISC */
/*
 * Replies and the problem document. Loop thread.
 */
#include "reply.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>

#include "json.h"

void
rs_reply_init(struct rs_reply *r)
{
	*r = (struct rs_reply){.status = 200};
	rs_buf_init(&r->body, RS_REPLY_BODY_MAX);
}

void
rs_reply_fini(struct rs_reply *r)
{
	rs_buf_fini(&r->body);
	if (r->source.free != NULL)
		r->source.free(r->source.arg);
	r->source = (struct rs_source){0};
}

void
rs_reply_reset(struct rs_reply *r)
{
	rs_reply_fini(r);
	rs_reply_init(r);
}

void
rs_reply_header(struct rs_reply *r, const char *name, const char *value)
{
	assert(r->n_headers < RS_REPLY_HEADERS_MAX);
	r->headers[r->n_headers++] = (struct rs_header){.name = name, .value = value};
}

const char *
rs_status_text(unsigned status)
{
	static const struct {
		unsigned status;
		const char *text;
	} known[] = {
	    {200, "OK"},
	    {204, "No Content"},
	    {304, "Not Modified"},
	    {400, "Bad Request"},
	    {401, "Unauthorized"},
	    {403, "Forbidden"},
	    {404, "Not Found"},
	    {405, "Method Not Allowed"},
	    {413, "Content Too Large"},
	    {421, "Misdirected Request"},
	    {500, "Internal Server Error"},
	    {503, "Service Unavailable"},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (known[i].status == status)
			return known[i].text;
	}
	return "Error";
}

int
rs_reply_problem(struct rs_reply *r, unsigned status, const char *format, ...)
{
	char detail[512];
	struct rs_json j;
	va_list args;

	va_start(args, format);
	(void)vsnprintf(detail, sizeof(detail), format, args);
	va_end(args);
	rs_reply_reset(r);
	r->status = status;
	r->type = RS_TYPE_PROBLEM;
	rs_json_init(&j, &r->body);
	rs_json_object(&j);
	rs_json_put_string(&j, "type", "about:blank");
	rs_json_put_string(&j, "title", rs_status_text(status));
	rs_json_put_uint(&j, "status", status);
	rs_json_put_string(&j, "detail", detail);
	rs_json_end(&j);
	if (status == 503)
		rs_reply_header(r, "Retry-After", "1");
	return 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * What an HTTP request brings: the first line is the target, the second Host,
 * the third Authorization, the fourth Last-Event-ID, the fifth Origin, the sixth
 * Accept.
 */
#include "fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "auth.h"
#include "exposition.h"
#include "route.h"
#include "sse.h"
#include "web.h"

enum { LINES = 6 };

/* A C string of the next line; NULL when there is none. */
static char *
take_line(const char **at, const char *end)
{
	const char *start = *at;

	if (start >= end)
		return NULL;
	const char *newline = memchr(start, '\n', (size_t)(end - start));
	const size_t len = (size_t)((newline != NULL ? newline : end) - start);
	char *line = malloc(len + 1);

	if (line == NULL)
		abort();
	memcpy(line, start, len);
	line[len] = '\0';
	*at = newline != NULL ? newline + 1 : end;
	return line;
}

static void
ask(const char *target)
{
	struct rs_request q = {.now_ms = INT64_C(1700000000000)};
	struct rs_error e = {0};

	rs_reply_init(&q.reply);
	if (rs_request_parse(&q, target, &e) == 0) {
		const struct rs_route *route = rs_route_find(rs_routes, q.path);

		/* A known route for all the rest, so that its parameters are tried. */
		if (route == NULL)
			route = rs_route_find(rs_routes, "/api/v1/series");
		if (rs_route_check(route, &q, &e) < 0 && e.text[0] == '\0')
			abort();
	} else if (e.text[0] == '\0') {
		abort();
	}
	(void)rs_reply_problem(&q.reply, 400, "%s", e.text);
	rs_request_fini(&q);
}

static void
judge(char *const line[LINES])
{
	static const char *const origins[] = {"https://panel.example", NULL};
	const struct rs_web_conf conf = {
	    .token = "s3cret", .allowed_hosts = origins, .cors_origins = origins};
	static const char *const names[LINES] = {
	    NULL, "Host", "Authorization", "Last-Event-ID", "Origin", "Accept"};
	struct rs_request q = {0};
	struct rs_policy policy;

	if (rs_policy_init(&policy, &conf, "gate.example") < 0)
		abort();
	for (size_t i = 1; i < LINES; i++) {
		if (line[i] == NULL)
			continue;
		rs_request_header(&q, names[i], line[i]);
		/* The bytes as a name, too. */
		rs_request_header(&q, line[i], "x");
	}
	if (q.headers.host != NULL)
		(void)rs_policy_knows_host(&policy, q.headers.host);
	(void)rs_policy_read(&policy, RS_PEER_REMOTE, &q.headers);
	(void)rs_policy_origin(&policy, q.headers.origin);
	(void)rs_exposition_wants_openmetrics(q.headers.accept);
	rs_policy_fini(&policy);
}

static void
resume(const char *id)
{
	const struct rs_hub_conf conf = {
	    .max_clients = 1, .heartbeat_ns = RS_NS_PER_S, .instance = 1};
	struct rs_source source;
	struct rs_loop *loop;
	struct rs_hub *hub;
	char text[256];

	if (rs_loop_new(&loop) < 0 || rs_hub_new(&conf, loop, &hub) < 0)
		abort();
	rs_hub_skip(hub);
	if (rs_hub_join(hub, id, &source) < 0)
		abort();
	while (source.read(source.arg, text, sizeof(text)) > 0)
		;
	source.free(source.arg);
	rs_hub_free(hub);
	rs_loop_free(loop);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *at = (const char *)data, *end = at + size;
	char *line[LINES];

	for (size_t i = 0; i < LINES; i++)
		line[i] = take_line(&at, end);
	if (line[0] != NULL)
		ask(line[0]);
	judge(line);
	if (line[3] != NULL)
		resume(line[3]);
	for (size_t i = 0; i < LINES; i++)
		free(line[i]);
	return 0;
}

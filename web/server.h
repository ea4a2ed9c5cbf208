/* SPDX-License-Identifier: ISC */
/*
 * The server as the API's handlers see it: what web.c owns. Loop thread.
 */
#ifndef RS_SERVER_H
#define RS_SERVER_H

#include "auth.h"
#include "live.h"
#include "sse.h"
#include "web.h"

struct rs_http;

struct rs_web {
	const struct rs_live *live; /* the application's */
	struct rs_policy policy;
	struct rs_hub *hub;
	struct rs_http *http;
	char *web_dir;	     /* owned; NULL: built-in assets */
	char *url;	     /* owned; of all listeners */
	bool has_lost_event; /* and said so */
	uint64_t refused;    /* requests turned away by host or credential */
	size_t answer_bytes; /* held by long answers being sent */
};

/* For http.c (rs_http_conf): answers a request, adds the headers all have. arg
 * is the rs_web. */
int rs_serve(void *arg, struct rs_request *q, const char *target);
void rs_serve_complete(void *arg, struct rs_request *q);

#endif

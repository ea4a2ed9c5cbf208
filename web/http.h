/* SPDX-License-Identifier: ISC */
/*
 * libmicrohttpd inside the event loop. What the library is and how it must be
 * driven is known in http.c alone. Loop thread.
 */
#ifndef RS_HTTP_H
#define RS_HTTP_H

#include "listen.h"
#include "loop.h"
#include "request.h"

struct rs_http;

struct rs_http_conf {
	unsigned max_connections, max_per_address; /* gate.h */
	rs_ns patience_ns;
	unsigned timeout_s; /* without progress, streams included */
	/* Answers a request whose target is not parsed yet: fills q->reply and
	 * returns 0, or RS_LATER, or negative errno. */
	int (*serve)(void *arg, struct rs_request *q, const char *target);
	/* Last touch before a reply is sent: headers common to all. */
	void (*complete)(void *arg, struct rs_request *q);
	void *arg;
};

/* Serves the listeners, which it owns then even on failure. */
int rs_http_open(const struct rs_http_conf *c, struct rs_listener *take, size_t n_listeners,
    struct rs_loop *loop, struct rs_error *e, struct rs_http **ret);
/* Answers everybody who waits with 503, ends what is being sent, stops. Sources
 * that wait must end by themselves from now on (rs_hub_close comes first).
 * NULL-safe. */
void rs_http_close(struct rs_http *h);

struct rs_http_stats {
	unsigned connections;
	uint64_t requests, refused_connections;
	uint64_t runs; /* turns of the library: none while nothing happens */
};
void rs_http_get_stats(const struct rs_http *h, struct rs_http_stats *ret);

#endif

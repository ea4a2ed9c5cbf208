/* SPDX-License-Identifier: ISC */
/*
 * The HTTP side as the application sees it: open, publish a tick, close.
 * Loop thread.
 */
#ifndef RS_WEB_H
#define RS_WEB_H

#include "error.h"
#include "live.h"

struct rs_web;

struct rs_web_conf {
	const char *const *listen; /* "ADDR:PORT", "[V6]:PORT", "unix:/PATH"; NULL-terminated */
	const int *inherited_fds;  /* listening sockets from the service manager; used instead */
	size_t n_inherited;
	const char *token;		  /* NULL: none */
	bool allow_anonymous_read;	  /* on non-loopback listeners */
	const char *const *allowed_hosts; /* NULL-terminated, may be NULL */
	const char *const *cors_origins;  /* NULL-terminated, may be NULL */
	unsigned max_connections;	  /* of all listeners, streams included; 0: 64 */
	const char *web_dir; /* assets from disk instead, for development; NULL: built in */
	/* 0 for the defaults of the contract; tests set others. */
	unsigned max_per_address; /* 16, and 16 streams */
	unsigned timeout_s;	  /* 30, without progress */
	rs_ns patience_ns;	  /* 5 s, for a place when all are taken */
	rs_ns heartbeat_ns;	  /* 10 s */
};

/* 0 when the listener is usable as configured; otherwise -EINVAL and a
 * sentence: bad address, or not loopback without a credential. Pure: for
 * --check-config. */
int rs_web_check(const struct rs_web_conf *c, struct rs_error *e);

int rs_web_open(const struct rs_web_conf *c, struct rs_loop *loop, const struct rs_live *live,
    struct rs_error *e, struct rs_web **ret);
/* Before rs_store_close: questions in flight may be answered after this. NULL-safe. */
void rs_web_close(struct rs_web *w);

/* After a tick: sends the `tick` event to all streams. */
void rs_web_publish_tick(struct rs_web *w);
void rs_web_publish_finding(struct rs_web *w, enum rs_finding_event ev, const struct rs_finding *f);
void rs_web_publish_change(struct rs_web *w, const struct rs_change *c);
/* What changed without restart (token, hosts, origins). Copied. -ENOMEM:
 * nothing has changed. */
int rs_web_reconfigure(struct rs_web *w, const struct rs_web_conf *c);
/* "http://127.0.0.1:7464/, unix:/run/x": all listeners in the order of the
 * configuration, for the start-up line. */
const char *rs_web_url(const struct rs_web *w);
/* The routes and their parameters, as text for --describe api. */
struct rs_buf;
void rs_web_describe(struct rs_buf *out);

struct rs_web_stats {
	unsigned connections, streams;
	uint64_t requests, refused, events, gaps;
	uint64_t events_lost; /* too large, or no memory */
};
void rs_web_get_stats(const struct rs_web *w, struct rs_web_stats *ret);

#endif

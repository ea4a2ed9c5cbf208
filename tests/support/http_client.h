/* SPDX-License-Identifier: ISC */
/*
 * A plain HTTP/1.1 client for tests: blocking, one deadline for everything,
 * fails the test by itself.
 */
#ifndef HTTP_CLIENT_H
#define HTTP_CLIENT_H

#include <stdbool.h>

#include "buf.h"

/* Connections to 127.0.0.1:port. from: the address to come from ("127.0.0.7"),
 * NULL for the usual. small_buffer: a receive buffer of a few kB. */
int client_dial(unsigned port, const char *from, bool small_buffer);
int client_dial_unix(const char *path);
void client_send(int fd, const char *text);
/* The same for a peer that may answer and close before all is sent: then false. */
bool client_try_send(int fd, const char *text);

struct answer {
	unsigned status;
	char head[8192]; /* status line and headers, CRLF ended */
	struct rs_buf body;
};
/* Reads one whole reply: by Content-Length, chunks, or to the end. */
void client_read(int fd, bool is_head, struct answer *ret);
void answer_fini(struct answer *a);
/* The value of a header, "" when it is not there. */
const char *answer_header(const struct answer *a, const char *name, char dst[static 512]);

/* One request on a connection of its own. headers: complete lines, or "". */
void client_get(unsigned port, const char *target, const char *headers, struct answer *ret);

/* True when the peer closes (or resets) before the deadline; reads and drops
 * what comes before, and adds up how much that was. */
bool client_sees_end(int fd, size_t *ret_bytes);

/* An event stream. */
struct stream {
	int fd;
	struct rs_buf raw, text; /* as received; without chunks */
	bool is_ended;		 /* the last chunk was read, or the peer closed */
};
struct event {
	char id[64], name[32];
	char *data; /* owned */
};
/* Opens and reads the headers, which must be those of a stream. */
void stream_open(
    struct stream *s, unsigned port, const char *from, bool small_buffer, const char *last_id);
void stream_close(struct stream *s);
/* The next event; comments and the retry line are passed over. False: the
 * stream ended. */
bool stream_next(struct stream *s, struct event *ret);
void event_fini(struct event *e);

#endif

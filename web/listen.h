/* SPDX-License-Identifier: ISC */
/*
 * Listening sockets: "ADDR:PORT", "[V6]:PORT", "unix:/PATH", or inherited from
 * the service manager. Loop thread.
 */
#ifndef RS_LISTEN_H
#define RS_LISTEN_H

#include <sys/socket.h>

#include "request.h"

struct rs_listener {
	int fd;		 /* owned; -1: none */
	char *unix_path; /* owned; a socket file of ours, removed on close; NULL: none */
	bool is_private; /* only this machine can reach it: loopback or unix */
};

/* Reads an address without opening anything. -EINVAL and a sentence. */
int rs_listen_check(const char *spec, bool *ret_is_private, struct rs_error *e);
int rs_listen_open(const char *spec, struct rs_listener *ret, struct rs_error *e);
/* Takes over a socket that listens already. */
int rs_listen_adopt(int fd, struct rs_listener *ret, struct rs_error *e);
void rs_listen_close(struct rs_listener *l);
/* "http://127.0.0.1:7464/" or "unix:/run/x", as it really is (port 0 resolved). */
void rs_listen_url(const struct rs_listener *l, char *dst, size_t cap);

/* A waiting connection, close-on-exec; negative errno (-EAGAIN: none). */
int rs_listen_accept(
    const struct rs_listener *l, struct sockaddr_storage *ret_peer, socklen_t *ret_len);

/* Where a peer is, and what its connections are counted by: IPv4 address, or
 * the /64 network of an IPv6 address. */
enum { RS_PEER_KEY_LEN = 9 };
enum rs_peer rs_peer_of(
    const struct sockaddr_storage *peer, unsigned char ret_key[static RS_PEER_KEY_LEN]);

#endif

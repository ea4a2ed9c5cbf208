/* SPDX-License-Identifier: ISC */
/*
 * Who may ask: the credential, the Host a request was meant for (DNS
 * rebinding), the origins other pages may read from. Pure over a copy of the
 * configuration. Loop thread.
 */
#ifndef RS_AUTH_H
#define RS_AUTH_H

#include "request.h"

struct rs_web_conf;

struct rs_policy {
	char *token; /* owned; NULL: none */
	bool allow_anonymous_read;
	char **allowed_hosts, **cors_origins; /* owned, NULL-terminated */
	char hostname[256];		      /* this machine's */
};

/* Copies what matters; hostname may be "". -ENOMEM. */
int rs_policy_init(struct rs_policy *ret, const struct rs_web_conf *c, const char *hostname);
void rs_policy_fini(struct rs_policy *p);

/* The Host header names this server: an address literal, localhost, the
 * machine's own name, or an allowed one; with or without port. */
bool rs_policy_knows_host(const struct rs_policy *p, const char *host);

enum rs_access {
	RS_ACCESS_OPEN,
	RS_ACCESS_NEEDS_CREDENTIAL, /* 401: none, or a wrong one */
	RS_ACCESS_CLOSED	    /* 403: none would do */
};
enum rs_access rs_policy_read(
    const struct rs_policy *p, enum rs_peer peer, const struct rs_headers *h);

/* The configured origin equal to this Origin header, or NULL. */
const char *rs_policy_origin(const struct rs_policy *p, const char *origin);

#endif

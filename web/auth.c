/* SPDX-License-Identifier: ISC */
/*
 * Credentials, hosts and origins. Loop thread.
 */
#include "auth.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "web.h"

static void
free_list(char **list)
{
	for (size_t i = 0; list != NULL && list[i] != NULL; i++)
		free(list[i]);
	free(list);
}

/* A copy of a NULL-terminated list, NULL meaning empty. */
static int
copy_list(const char *const *list, char ***ret)
{
	size_t n = 0;

	while (list != NULL && list[n] != NULL)
		n++;
	char **copy = calloc(n + 1, sizeof(*copy));

	if (copy == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		copy[i] = strdup(list[i]);
		if (copy[i] == NULL) {
			free_list(copy);
			return -ENOMEM;
		}
	}
	*ret = copy;
	return 0;
}

int
rs_policy_init(struct rs_policy *ret, const struct rs_web_conf *c, const char *hostname)
{
	struct rs_policy p = {.allow_anonymous_read = c->allow_anonymous_read};
	int r = copy_list(c->allowed_hosts, &p.allowed_hosts);

	if (r == 0)
		r = copy_list(c->cors_origins, &p.cors_origins);
	if (r == 0 && c->token != NULL) {
		p.token = strdup(c->token);
		r = p.token != NULL ? 0 : -ENOMEM;
	}
	if (r < 0) {
		rs_policy_fini(&p);
		return r;
	}
	(void)rs_text_copy(rs_text_of(hostname), p.hostname, sizeof(p.hostname));
	*ret = p;
	return 0;
}

void
rs_policy_fini(struct rs_policy *p)
{
	free(p->token);
	free_list(p->allowed_hosts);
	free_list(p->cors_origins);
	*p = (struct rs_policy){0};
}

static bool
same_name(struct rs_text t, const char *name)
{
	return rs_text_len(t) == strlen(name) && strncasecmp(t.p, name, rs_text_len(t)) == 0;
}

/* "" or ":" and digits; curl and browsers leave the default port out. */
static bool
is_port(struct rs_text t)
{
	if (rs_text_len(t) == 0)
		return true;
	if (!rs_text_skip(&t, ":"))
		return false;
	for (; t.p < t.end; t.p++) {
		if (*t.p < '0' || *t.p > '9')
			return false;
	}
	return true;
}

static bool
is_address(int family, struct rs_text t)
{
	char text[INET6_ADDRSTRLEN];
	struct in6_addr address;

	return rs_text_copy(t, text, sizeof(text)) && inet_pton(family, text, &address) == 1;
}

bool
rs_policy_knows_host(const struct rs_policy *p, const char *host)
{
	struct rs_text rest = rs_text_of(host), name;

	if (rs_text_skip(&rest, "["))
		return rs_text_until(&rest, ']', &name) && is_address(AF_INET6, name) &&
		       is_port(rest);
	name = rest;
	if (rs_text_until(&rest, ':', &name)) {
		rest.p--;
		if (!is_port(rest))
			return false;
	}
	if (is_address(AF_INET, name))
		return true;
	/* "localhost." is the same name, written absolute. */
	if (rs_text_len(name) > 1 && name.end[-1] == '.')
		name.end--;
	if (rs_text_len(name) == 0)
		return false;
	if (same_name(name, "localhost") || same_name(name, p->hostname))
		return true;
	struct rs_text own = rs_text_of(p->hostname), first_label;

	if (rs_text_until(&own, '.', &first_label) &&
	    rs_text_len(name) == rs_text_len(first_label) &&
	    strncasecmp(name.p, first_label.p, rs_text_len(name)) == 0)
		return true;
	for (size_t i = 0; p->allowed_hosts[i] != NULL; i++) {
		if (same_name(name, p->allowed_hosts[i]))
			return true;
	}
	return false;
}

/* Takes as long whatever the difference is; the token's length is no secret. */
static bool
is_token(const struct rs_policy *p, const char *text, size_t len)
{
	const size_t token_len = strlen(p->token);
	volatile unsigned char difference = len == token_len ? 0 : 1;

	for (size_t i = 0; i < len && token_len > 0; i++)
		difference |= (unsigned char)(text[i] ^ p->token[i % token_len]);
	return difference == 0;
}

static int
base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (c >= '0' && c <= '9')
		return c - '0' + 52;
	return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* Padding may be missing. False: not base64, or longer than cap. */
static bool
base64_decode(struct rs_text t, char *dst, size_t cap, size_t *ret_len)
{
	uint32_t bits = 0;
	unsigned n_bits = 0;
	size_t len = 0;

	while (t.p < t.end && t.end[-1] == '=')
		t.end--;
	for (; t.p < t.end; t.p++) {
		const int digit = base64_digit(*t.p);

		if (digit < 0)
			return false;
		bits = (bits << 6 | (uint32_t)digit) & 0xffff;
		n_bits += 6;
		if (n_bits < 8)
			continue;
		if (len == cap)
			return false;
		n_bits -= 8;
		dst[len++] = (char)(bits >> n_bits & 0xff);
	}
	*ret_len = len;
	return true;
}

/* "Bearer TOKEN", or "Basic base64(anything:TOKEN)" which is all a browser and
 * its EventSource can send. */
static bool
has_credential(const struct rs_policy *p, const char *authorization)
{
	struct rs_text t, scheme, user;
	char decoded[512];
	size_t len;

	if (p->token == NULL || p->token[0] == '\0' || authorization == NULL)
		return false;
	t = rs_text_of(authorization);
	if (!rs_text_word(&t, &scheme))
		return false;
	t = rs_text_trim(t);
	if (same_name(scheme, "Bearer"))
		return is_token(p, t.p, rs_text_len(t));
	if (!same_name(scheme, "Basic") || !base64_decode(t, decoded, sizeof(decoded), &len))
		return false;
	t = (struct rs_text){decoded, decoded + len};
	return rs_text_until(&t, ':', &user) && is_token(p, t.p, rs_text_len(t));
}

enum rs_access
rs_policy_read(const struct rs_policy *p, enum rs_peer peer, const struct rs_headers *h)
{
	/* A proxy on this machine connects from loopback on behalf of anybody. */
	if (peer != RS_PEER_REMOTE && !h->is_forwarded)
		return RS_ACCESS_OPEN;
	if (p->allow_anonymous_read || has_credential(p, h->authorization))
		return RS_ACCESS_OPEN;
	return p->token != NULL ? RS_ACCESS_NEEDS_CREDENTIAL : RS_ACCESS_CLOSED;
}

const char *
rs_policy_origin(const struct rs_policy *p, const char *origin)
{
	if (origin == NULL)
		return NULL;
	for (size_t i = 0; p->cors_origins[i] != NULL; i++) {
		if (strcasecmp(origin, p->cors_origins[i]) == 0)
			return p->cors_origins[i];
	}
	return NULL;
}

/* SPDX-License-Identifier: ISC */
/*
 * Listening sockets and the addresses of peers. Loop thread.
 */
#include "listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "num.h"

enum { BACKLOG = 64 };

/* Any of the three families; one object, so that no pointer is cast. */
union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
	struct sockaddr_un local;
	struct sockaddr_storage storage;
};

static bool
is_loopback_v4(const struct in_addr *a)
{
	return ntohl(a->s_addr) >> 24 == 127;
}

/* The IPv4 address inside ::ffff:0:0/96. */
static struct in_addr
mapped_v4(const struct in6_addr *a)
{
	struct in_addr v4;

	memcpy(&v4, a->s6_addr + 12, sizeof(v4));
	return v4;
}

static bool
is_loopback(const union address *a)
{
	if (a->any.sa_family == AF_INET)
		return is_loopback_v4(&a->v4.sin_addr);
	if (a->any.sa_family != AF_INET6)
		return false;
	if (IN6_IS_ADDR_V4MAPPED(&a->v6.sin6_addr)) {
		const struct in_addr v4 = mapped_v4(&a->v6.sin6_addr);

		return is_loopback_v4(&v4);
	}
	return IN6_IS_ADDR_LOOPBACK(&a->v6.sin6_addr);
}

static int
parse_unix(struct rs_text path, union address *ret, struct rs_error *e)
{
	if (!rs_text_starts(path, "/"))
		return rs_error_set(e, -EINVAL, "'unix:%.*s': expected an absolute path",
		    (int)rs_text_len(path), path.p);
	ret->local.sun_family = AF_UNIX;
	if (!rs_text_copy(path, ret->local.sun_path, sizeof(ret->local.sun_path)))
		return rs_error_set(e, -EINVAL, "'unix:%.*s': longer than %zu bytes",
		    (int)rs_text_len(path), path.p, sizeof(ret->local.sun_path) - 1);
	return 0;
}

/* IPv6 sockets do not take IPv4 here. */
static int
refuse_mapped(const char *spec, const struct sockaddr_in6 *v6, struct rs_error *e)
{
	const struct in_addr v4 = mapped_v4(&v6->sin6_addr);
	char text[INET_ADDRSTRLEN] = "";

	(void)inet_ntop(AF_INET, &v4, text, sizeof(text));
	return rs_error_set(e, -EINVAL, "'%s': is an IPv4 address, written as %s:%u", spec, text,
	    ntohs(v6->sin6_port));
}

static int
parse_address(const char *spec, union address *ret, struct rs_error *e)
{
	struct rs_text rest = rs_text_of(spec), host;
	char text[INET6_ADDRSTRLEN];
	uint64_t port = 0;
	bool is_v6, is_ok;

	memset(ret, 0, sizeof(*ret));
	if (rs_text_skip(&rest, "unix:"))
		return parse_unix(rest, ret, e);
	is_v6 = rs_text_skip(&rest, "[");
	is_ok = is_v6 ? rs_text_until(&rest, ']', &host) && rs_text_skip(&rest, ":")
		      : rs_text_until(&rest, ':', &host);
	is_ok = is_ok && rs_text_copy(host, text, sizeof(text)) && rs_num_u64(rest, &port) == 0 &&
		port <= 65535;
	if (is_ok && is_v6) {
		ret->v6.sin6_family = AF_INET6;
		ret->v6.sin6_port = htons((uint16_t)port);
		is_ok = inet_pton(AF_INET6, text, &ret->v6.sin6_addr) == 1;
		if (is_ok && IN6_IS_ADDR_V4MAPPED(&ret->v6.sin6_addr))
			return refuse_mapped(spec, &ret->v6, e);
	} else if (is_ok) {
		ret->v4.sin_family = AF_INET;
		ret->v4.sin_port = htons((uint16_t)port);
		is_ok = inet_pton(AF_INET, text, &ret->v4.sin_addr) == 1;
	}
	if (!is_ok)
		return rs_error_set(
		    e, -EINVAL, "'%s': expected ADDRESS:PORT, [IPV6]:PORT or unix:/PATH", spec);
	return 0;
}

int
rs_listen_check(const char *spec, bool *ret_is_private, struct rs_error *e)
{
	union address a;
	const int r = parse_address(spec, &a, e);

	if (r == 0)
		*ret_is_private = a.any.sa_family == AF_UNIX || is_loopback(&a);
	return r;
}

/* Removes the socket file of a program that is gone. */
static int
remove_stale(const union address *a, const char *spec, struct rs_error *e)
{
	struct stat st;

	if (lstat(a->local.sun_path, &st) < 0)
		return errno == ENOENT ? 0
				       : rs_error_set(e, -errno, "%s: %s", spec, strerror(errno));
	if (!S_ISSOCK(st.st_mode))
		return rs_error_set(e, -EEXIST, "%s: exists and is not a socket", spec);
	const int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return rs_error_set(e, -errno, "%s: %s", spec, strerror(errno));
	const int r = connect(fd, &a->any, sizeof(a->local)) < 0 ? errno : 0;

	(void)close(fd);
	if (r != ECONNREFUSED)
		return rs_error_set(e, -EADDRINUSE, "%s: in use by another program", spec);
	if (unlink(a->local.sun_path) < 0)
		return rs_error_set(e, -errno, "%s: %s", spec, strerror(errno));
	return 0;
}

static int
set_flags(int fd)
{
	if (fcntl(fd, F_SETFD, FD_CLOEXEC) < 0)
		return -errno;
	const int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0 ? -errno : 0;
}

static socklen_t
address_len(const union address *a)
{
	if (a->any.sa_family == AF_UNIX)
		return sizeof(a->local);
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* A socket file gets the mode 0777 less the umask (net/unix/af_unix.c:
 * unix_bind_bsd), here 0660. A chmod by path could hit something else that was
 * put there meanwhile. Files that the other thread makes in this moment come
 * out narrower at most by what is nobody's to use: x and others. */
static int
bind_to(int fd, const union address *a)
{
	if (a->any.sa_family != AF_UNIX)
		return bind(fd, &a->any, address_len(a)) < 0 ? -errno : 0;
	const mode_t before = umask(0117);
	const int r = bind(fd, &a->any, address_len(a)) < 0 ? -errno : 0;

	(void)umask(before);
	return r;
}

/* bind and listen with the options of the family. */
static int
start(int fd, const union address *a)
{
	const int on = 1;
	int r = set_flags(fd);

	if (r < 0)
		return r;
	if (a->any.sa_family != AF_UNIX &&
	    setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -errno;
	/* "[::]" means what it says; IPv4 has its own line. */
	if (a->any.sa_family == AF_INET6 &&
	    setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0)
		return -errno;
	r = bind_to(fd, a);
	if (r < 0)
		return r;
	return listen(fd, BACKLOG) < 0 ? -errno : 0;
}

int
rs_listen_open(const char *spec, struct rs_listener *ret, struct rs_error *e)
{
	struct rs_listener l = {.fd = -1};
	union address a;
	int r = parse_address(spec, &a, e);

	if (r == 0 && a.any.sa_family == AF_UNIX)
		r = remove_stale(&a, spec, e);
	if (r < 0)
		return r;
	l.is_private = a.any.sa_family == AF_UNIX || is_loopback(&a);
	l.fd = socket(a.any.sa_family, SOCK_STREAM, 0);
	r = l.fd < 0 ? -errno : start(l.fd, &a);
	if (r == 0 && a.any.sa_family == AF_UNIX) {
		l.unix_path = strdup(a.local.sun_path);
		r = l.unix_path != NULL ? 0 : -ENOMEM;
	}
	if (r < 0) {
		(void)rs_error_set(e, r, "cannot listen on %s: %s", spec, strerror(-r));
		rs_listen_close(&l);
		return r;
	}
	*ret = l;
	return 0;
}

int
rs_listen_adopt(int fd, struct rs_listener *ret, struct rs_error *e)
{
	union address a;
	socklen_t len = sizeof(a);
	int is_listening = 0;
	socklen_t option_len = sizeof(is_listening);

	memset(&a, 0, sizeof(a));
	if (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &is_listening, &option_len) < 0 ||
	    is_listening == 0)
		return rs_error_set(e, -EINVAL, "inherited descriptor %d does not listen", fd);
	if (getsockname(fd, &a.any, &len) < 0)
		return rs_error_set(e, -errno, "inherited descriptor %d: %s", fd, strerror(errno));
	const int r = set_flags(fd);

	if (r < 0)
		return rs_error_set(e, r, "inherited descriptor %d: %s", fd, strerror(-r));
	*ret = (struct rs_listener){
	    .fd = fd, .is_private = a.any.sa_family == AF_UNIX || is_loopback(&a)};
	return 0;
}

void
rs_listen_close(struct rs_listener *l)
{
	if (l->fd >= 0)
		(void)close(l->fd);
	if (l->unix_path != NULL)
		(void)unlink(l->unix_path);
	free(l->unix_path);
	*l = (struct rs_listener){.fd = -1};
}

void
rs_listen_url(const struct rs_listener *l, char *dst, size_t cap)
{
	char text[INET6_ADDRSTRLEN] = "?";
	union address a;
	socklen_t len = sizeof(a);

	memset(&a, 0, sizeof(a));
	if (getsockname(l->fd, &a.any, &len) < 0)
		a.any.sa_family = AF_UNSPEC;
	if (a.any.sa_family == AF_INET) {
		(void)inet_ntop(AF_INET, &a.v4.sin_addr, text, sizeof(text));
		(void)snprintf(dst, cap, "http://%s:%u/", text, ntohs(a.v4.sin_port));
	} else if (a.any.sa_family == AF_INET6) {
		(void)inet_ntop(AF_INET6, &a.v6.sin6_addr, text, sizeof(text));
		(void)snprintf(dst, cap, "http://[%s]:%u/", text, ntohs(a.v6.sin6_port));
	} else {
		(void)snprintf(
		    dst, cap, "unix:%s", a.any.sa_family == AF_UNIX ? a.local.sun_path : text);
	}
}

int
rs_listen_accept(const struct rs_listener *l, struct sockaddr_storage *ret_peer, socklen_t *ret_len)
{
	union address a;
	socklen_t len = sizeof(a);

	memset(&a, 0, sizeof(a));
	const int fd = accept(l->fd, &a.any, &len);

	if (fd < 0)
		return -errno;
	(void)fcntl(fd, F_SETFD, FD_CLOEXEC);
	*ret_peer = a.storage;
	*ret_len = len;
	return fd;
}

enum rs_peer
rs_peer_of(const struct sockaddr_storage *peer, unsigned char ret_key[static RS_PEER_KEY_LEN])
{
	union address a = {.storage = *peer};

	memset(ret_key, 0, RS_PEER_KEY_LEN);
	if (a.any.sa_family == AF_UNIX)
		return RS_PEER_UNIX;
	if (a.any.sa_family == AF_INET6 && !IN6_IS_ADDR_V4MAPPED(&a.v6.sin6_addr)) {
		ret_key[0] = 6;
		memcpy(ret_key + 1, a.v6.sin6_addr.s6_addr, 8);
	} else if (a.any.sa_family == AF_INET6 || a.any.sa_family == AF_INET) {
		const struct in_addr v4 =
		    a.any.sa_family == AF_INET ? a.v4.sin_addr : mapped_v4(&a.v6.sin6_addr);

		ret_key[0] = 4;
		memcpy(ret_key + 1, &v4, sizeof(v4));
	}
	return is_loopback(&a) ? RS_PEER_LOOPBACK : RS_PEER_REMOTE;
}

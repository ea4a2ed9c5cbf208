/* SPDX-License-Identifier: ISC */
/*
 * Serves the dashboard: from the binary, or from a folder while it is being
 * written. Loop thread.
 */
#include "assets.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "server.h"

/* Everything comes from this host, nothing is inline. */
#define CONTENT_POLICY                                                                             \
	"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "             \
	"frame-ancestors 'none'"
enum { FILE_BYTES_MAX = 4 << 20 };

static const struct {
	const char *suffix, *type;
} types[] = {
    {".html", "text/html; charset=utf-8"},
    {".css", "text/css; charset=utf-8"},
    {".js", "text/javascript; charset=utf-8"},
    {".svg", "image/svg+xml"},
    {".json", "application/json"},
    {".txt", "text/plain; charset=utf-8"},
    {".png", "image/png"},
    {".ico", "image/vnd.microsoft.icon"},
    {".woff2", "font/woff2"},
};

/* NULL: not a kind of file that is served. */
static const char *
type_of(const char *path)
{
	const size_t len = strlen(path);

	for (size_t i = 0; i < RS_ARRAY_LEN(types); i++) {
		const size_t n = strlen(types[i].suffix);

		if (len > n && strcmp(path + len - n, types[i].suffix) == 0)
			return types[i].type;
	}
	return NULL;
}

/* A strong tag of the content: FNV-1a. */
static void
make_etag(const unsigned char *bytes, size_t len, char dst[static 24])
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < len; i++)
		hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
	(void)snprintf(dst, 24, "\"%016" PRIx64 "\"", hash);
}

/* If-None-Match: a list of tags or "*"; weak ones compare equal (RFC 9110 13.1.2). */
static bool
has_tag(const char *list, const char *etag)
{
	struct rs_text rest, one;

	if (list == NULL)
		return false;
	rest = rs_text_of(list);
	for (bool has_more = true; has_more;) {
		has_more = rs_text_until(&rest, ',', &one);
		one = rs_text_trim(has_more ? one : rest);
		(void)rs_text_skip(&one, "W/");
		if (rs_text_eq(one, "*") || rs_text_eq(one, etag))
			return true;
	}
	return false;
}

/* Letters, digits, '-', '_', '.' and '/', no name that begins with a dot: no
 * path leads out of the folder. */
static bool
is_plain_path(const char *path)
{
	for (const char *p = path; *p != '\0'; p++) {
		const bool is_word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') ||
				     (*p >= '0' && *p <= '9') || *p == '-' || *p == '_';

		if (!is_word && *p != '/' && *p != '.')
			return false;
		if (*p == '/' && (p[1] == '.' || p[1] == '/' || p[1] == '\0'))
			return false;
	}
	return path[0] == '/';
}

static int
read_whole(int fd, struct rs_buf *out)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -ENOENT;
	for (;;) {
		char *to = rs_buf_reserve(out, 65536);

		if (to == NULL || out->len > FILE_BYTES_MAX)
			return -EFBIG;
		const ssize_t n = read(fd, to, 65536);

		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		out->len += (size_t)n;
	}
}

static int
read_file(const char *folder, const char *path, struct rs_buf *out)
{
	char full[4096];
	int r;

	if (!is_plain_path(path))
		return -ENOENT;
	if (snprintf(full, sizeof(full), "%s%s", folder, path) >= (int)sizeof(full))
		return -ENOENT;
	const int fd = open(full, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	if (fd < 0)
		return errno == ENOENT || errno == ENOTDIR || errno == ELOOP ? -ENOENT : -errno;
	r = read_whole(fd, out);
	(void)close(fd);
	return r;
}

static const struct rs_asset *
find_asset(const char *path)
{
	for (const struct rs_asset *a = rs_assets; a->path != NULL; a++) {
		if (strcmp(a->path, path) == 0)
			return a;
	}
	return NULL;
}

static void
add_headers(struct rs_reply *r)
{
	rs_reply_header(r, "Content-Security-Policy", CONTENT_POLICY);
	/* Kept, but asked for each time: a new program may bring a new page. */
	rs_reply_header(r, "Cache-Control", "no-cache");
	rs_reply_header(r, "Cross-Origin-Resource-Policy", "same-origin");
}

int
rs_api_asset(struct rs_request *q, struct rs_reply *r)
{
	const char *path = strcmp(q->path, "/") == 0 ? "/index.html" : q->path;
	const char *type = type_of(path);
	int e = 0;

	if (type == NULL)
		return -ENOENT;
	if (q->web->web_dir != NULL) {
		e = read_file(q->web->web_dir, path, &r->body);
		if (e < 0)
			return e;
		make_etag((const unsigned char *)r->body.data, r->body.len, r->etag);
	} else {
		const struct rs_asset *a = find_asset(path);

		if (a == NULL)
			return -ENOENT;
		r->fixed = a->begin;
		r->fixed_len = (size_t)(a->end - a->begin);
		make_etag(a->begin, r->fixed_len, r->etag);
	}
	if (has_tag(q->headers.if_none_match, r->etag)) {
		rs_buf_reset(&r->body);
		r->fixed = NULL;
		r->status = 304;
	} else {
		r->type = type;
	}
	add_headers(r);
	return 0;
}

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

#include "accept.h"
#include "api.h"
#include "server.h"

/* Of what a browser shows as a document (it heeds none with other files): everything
 * comes from this host, nothing is inline. */
#define CONTENT_POLICY                                                                             \
	"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "             \
	"frame-ancestors 'none'"
enum { FILE_BYTES_MAX = 4 << 20 };

struct type {
	const char *suffix, *name;
	bool is_document;
};

static const struct type types[] = {
    {".html", "text/html; charset=utf-8", true},
    {".css", "text/css; charset=utf-8", false},
    {".js", "text/javascript; charset=utf-8", false},
    {".svg", "image/svg+xml", true},
    {".json", "application/json", false},
    {".txt", "text/plain; charset=utf-8", false},
    {".png", "image/png", false},
    {".ico", "image/vnd.microsoft.icon", false},
    {".woff2", "font/woff2", false},
};

/* NULL: not a kind of file that is served. */
static const struct type *
type_of(const char *path)
{
	const size_t len = strlen(path);

	for (size_t i = 0; i < RS_ARRAY_LEN(types); i++) {
		const size_t n = strlen(types[i].suffix);

		if (len > n && strcmp(path + len - n, types[i].suffix) == 0)
			return &types[i];
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
	struct rs_text rest = rs_text_of(list != NULL ? list : ""), one;

	while (rs_accept_piece(&rest, ',', &one)) {
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
add_headers(struct rs_reply *r, bool is_document)
{
	if (is_document) {
		rs_reply_header(r, "Content-Security-Policy", CONTENT_POLICY);
		rs_reply_header(r, "Referrer-Policy", "no-referrer");
	}
	/* Kept, but asked for each time: a new program may bring a new page. */
	rs_reply_header(r, "Cache-Control", "no-cache");
	rs_reply_header(r, "Cross-Origin-Resource-Policy", "same-origin");
	rs_reply_header(r, "Vary", "Accept-Encoding");
}

/* Compressed when the program was built: that costs nothing here. */
static int
take_embedded(const char *path, bool takes_gzip, struct rs_reply *r)
{
	const struct rs_asset *a = find_asset(path);

	if (a == NULL)
		return -ENOENT;
	const bool is_gzip = takes_gzip && a->gzip != NULL;
	const unsigned char *begin = is_gzip ? a->gzip : a->begin;
	const unsigned char *end = is_gzip ? a->gzip_end : a->end;

	r->fixed = begin;
	r->fixed_len = (size_t)(end - begin);
	/* Each form has a tag of its own, as a strong one must be (RFC 9110, 8.8.3.3). */
	make_etag(begin, r->fixed_len, r->etag);
	if (is_gzip)
		rs_reply_header(r, "Content-Encoding", "gzip");
	return 0;
}

/* The folder's file. What is not written there (the charts come from the build) is
 * the program's. */
static int
take_file(const char *folder, const char *path, bool takes_gzip, struct rs_reply *r)
{
	const int e = read_file(folder, path, &r->body);

	if (e == -ENOENT)
		return take_embedded(path, takes_gzip, r);
	if (e == 0)
		make_etag((const unsigned char *)r->body.data, r->body.len, r->etag);
	return e;
}

int
rs_api_asset(struct rs_request *q, struct rs_reply *r)
{
	const char *path = strcmp(q->path, "/") == 0 ? "/index.html" : q->path;
	const struct type *type = type_of(path);
	const bool takes_gzip = rs_accept_gzip(q->headers.accept_encoding);

	if (type == NULL)
		return -ENOENT;
	const int e = q->web->web_dir != NULL ? take_file(q->web->web_dir, path, takes_gzip, r)
					      : take_embedded(path, takes_gzip, r);

	if (e < 0)
		return e;
	if (has_tag(q->headers.if_none_match, r->etag)) {
		rs_buf_reset(&r->body);
		r->fixed = NULL;
		r->status = 304;
	} else {
		r->type = type->name;
	}
	add_headers(r, type->is_document);
	return 0;
}

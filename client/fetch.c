/* SPDX-License-Identifier: ISC */
/*
 * libcurl: what is asked how, and what its errors mean.
 */
#include "fetch.h"

#include <assert.h>
#include <curl/curl.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "doc.h"
#include "target.h"

#define CONNECT_MAX_MS 5000L
#define TOTAL_MAX_MS 30000L
/* A piece of history may come slowly, but must come. Questions queue in the
 * daemon, each for seconds at most. */
#define SILENCE_MAX_S 60L

struct rs_fetch {
	const struct rs_target *target;
	const char *token_file; /* NULL: no token is sent */
	CURL *curl;
	struct curl_slist *headers; /* owned */
	struct rs_buf body;
	char why[CURL_ERROR_SIZE];
};

/* The first line, as the daemon reads it. */
static int
read_token(const char *path, char *dst, size_t cap, struct rs_error *e)
{
	char text[1024];
	struct rs_text rest = {text, text}, line = rest;
	FILE *const f = fopen(path, "r");

	if (f == NULL)
		return rs_error_set(e, -errno, "--token-file: %s: %s", path, strerror(errno));
	errno = 0;
	rest.end += fread(text, 1, sizeof(text), f);
	const int failed = ferror(f) ? errno : 0;

	(void)fclose(f);
	if (failed != 0)
		return rs_error_set(e, -EIO, "--token-file: %s: %s", path, strerror(failed));
	if (rs_text_line(&rest, &line))
		line = rs_text_trim(line);
	bool is_token = rs_text_len(line) > 0 && rs_text_copy(line, dst, cap);

	for (const char *c = line.p; c < line.end; c++)
		is_token = is_token && *c >= 0x20 && *c < 0x7f;
	if (!is_token)
		return rs_error_set(
		    e, -EBADMSG, "--token-file: %s: the first line is no token", path);
	return 0;
}

static int
add_header(struct rs_fetch *f, const char *line)
{
	struct curl_slist *const longer = curl_slist_append(f->headers, line);

	if (longer == NULL)
		return -ENOMEM;
	f->headers = longer;
	return 0;
}

static int
add_headers(struct rs_fetch *f, struct rs_error *e)
{
	char header[320] = "Authorization: Bearer ";
	const size_t len = strlen(header);
	int rc = add_header(f, "Accept: application/json, text/csv, application/problem+json");

	if (rc == 0 && f->token_file != NULL) {
		rc = read_token(f->token_file, header + len, sizeof(header) - len, e);
		if (rc == 0)
			rc = add_header(f, header);
	}
	return rc < 0 ? rs_error_set(e, rc, "out of memory") : 0;
}

/* What does not fit is not taken, which ends the transfer. */
static size_t
on_bytes(char *bytes, size_t size, size_t n, void *arg)
{
	struct rs_buf *const body = arg;

	rs_buf_put(body, bytes, size * n);
	return body->failed ? 0 : size * n;
}

/* An option that the library refuses would leave a limit out. */
static int
set_options(struct rs_fetch *f)
{
	const struct rs_target *const t = f->target;
	CURL *const c = f->curl;
	bool is_set = curl_easy_setopt(c, CURLOPT_PROTOCOLS_STR, "http") == CURLE_OK;

	is_set &= curl_easy_setopt(c, CURLOPT_NOSIGNAL, 1L) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_FOLLOWLOCATION, 0L) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_CONNECTTIMEOUT_MS, CONNECT_MAX_MS) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_LOW_SPEED_LIMIT, 1L) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_LOW_SPEED_TIME, SILENCE_MAX_S) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_ERRORBUFFER, f->why) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_HTTPHEADER, f->headers) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_USERAGENT, "ringside/" RS_VERSION) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, on_bytes) == CURLE_OK;
	is_set &= curl_easy_setopt(c, CURLOPT_WRITEDATA, &f->body) == CURLE_OK;
	if (t->is_local)
		is_set &= curl_easy_setopt(c, CURLOPT_PROXY, "") == CURLE_OK;
	if (t->socket[0] != '\0')
		is_set &= curl_easy_setopt(c, CURLOPT_UNIX_SOCKET_PATH, t->socket) == CURLE_OK;
	return is_set ? 0 : -ENOSYS;
}

int
rs_fetch_open(const struct rs_target *target, const char *token_file, struct rs_error *e,
    struct rs_fetch **ret)
{
	struct rs_fetch *const f = calloc(1, sizeof(*f));

	if (f == NULL || curl_global_init(CURL_GLOBAL_NOTHING) != CURLE_OK) {
		free(f);
		return rs_error_set(e, -ENOMEM, "out of memory");
	}
	f->target = target;
	f->token_file = token_file;
	rs_buf_init(&f->body, RS_FETCH_BYTES_MAX);
	f->curl = curl_easy_init();
	int rc = f->curl != NULL ? add_headers(f, e) : -ENOMEM;

	if (rc == 0)
		rc = set_options(f);
	if (rc < 0) {
		rs_fetch_close(f);
		return rs_error_set(e, rc, "the HTTP library lacks what is needed");
	}
	*ret = f;
	return 0;
}

void
rs_fetch_close(struct rs_fetch *f)
{
	if (f == NULL)
		return;
	curl_easy_cleanup(f->curl);
	curl_slist_free_all(f->headers);
	rs_buf_fini(&f->body);
	free(f);
	curl_global_cleanup();
}

/* Nobody answered, or not to the end. */
static int
no_answer(const struct rs_fetch *f, CURLcode code, struct rs_error *e)
{
	const char *const name = f->target->name;
	const char *why = f->why[0] != '\0' ? f->why : curl_easy_strerror(code);
	long os_error = 0;

	if (code == CURLE_WRITE_ERROR && f->body.failed)
		return rs_error_set(e, -EFBIG, "%s: the answer is larger than %zu MB", name,
		    f->body.max_bytes >> 20);
	if (code != CURLE_COULDNT_CONNECT)
		return rs_error_set(e, -EIO, "%s: no answer: %s", name, why);
	(void)curl_easy_getinfo(f->curl, CURLINFO_OS_ERRNO, &os_error);
	if (os_error != 0)
		why = strerror((int)os_error);
	return rs_error_set(e, -ENOTCONN,
	    "%s: cannot connect: %s (is ringsided running there? -u or RINGSIDE_URL name another "
	    "address)",
	    name, why);
}

static bool
is_type(const char *type, const char *wanted)
{
	const size_t len = strlen(wanted);

	return type != NULL && strncasecmp(type, wanted, len) == 0 &&
	       strchr("; ", type[len]) != NULL;
}

static struct rs_text
body_of(const struct rs_fetch *f)
{
	if (f->body.len == 0)
		return rs_text_of("");
	return (struct rs_text){f->body.data, f->body.data + f->body.len};
}

/* The problem document's sentence, or "" when there is none. */
static void
read_problem(const struct rs_fetch *f, const char *type, char *dst, size_t cap)
{
	json_t *doc = NULL;

	dst[0] = '\0';
	if (!is_type(type, "application/problem+json") || rs_doc_parse(body_of(f), &doc, NULL) < 0)
		return;
	const char *sentence = rs_doc_string(doc, "detail");

	if (sentence == NULL)
		sentence = rs_doc_string(doc, "title");
	if (sentence != NULL)
		(void)rs_text_copy(rs_text_of(sentence), dst, cap);
	json_decref(doc);
}

/* What a refusal means to the caller. */
static int
errno_of(long status)
{
	switch (status) {
	case 400:
		return -EINVAL;
	case 413:
		return -E2BIG;
	case 503:
		return -EAGAIN;
	default:
		return -EIO;
	}
}

static int
refused(
    const struct rs_fetch *f, long status, const char *path, const char *type, struct rs_error *e)
{
	const char *const name = f->target->name;
	char sentence[320];

	read_problem(f, type, sentence, sizeof(sentence));
	if (status == 401 && f->token_file != NULL)
		return rs_error_set(
		    e, -EACCES, "%s: the token in %s is not the daemon's", name, f->token_file);
	if (status == 401)
		return rs_error_set(e, -EACCES,
		    "%s: a token is needed: give the file that has it with --token-file", name);
	if (status == 403)
		return rs_error_set(e, -EACCES,
		    "%s: refused: %s (token_file in the daemon's [web] section sets a token, "
		    "--token-file gives it here)",
		    name, sentence[0] != '\0' ? sentence : "forbidden");
	if (status == 404)
		return rs_error_set(e, -ENOENT,
		    "%s: nothing at /api/v1/%.60s: another program, or an older "
		    "ringsided?",
		    name, path);
	if (status >= 300 && status < 400)
		return rs_error_set(
		    e, -EIO, "%s: answers %ld, a redirection, which is not followed", name, status);
	if (sentence[0] == '\0')
		return rs_error_set(e, -EIO, "%s: answers %ld and no reason", name, status);
	return rs_error_set(e, errno_of(status), "%s: %s", name, sentence);
}

/* GET of an answer of the type, below `total_ms` (0: as long as it comes). */
static int
get(struct rs_fetch *f, const char *path, const char *wanted_type, long total_ms,
    struct rs_text *ret_body, struct rs_error *e)
{
	const char *type = NULL;
	long status = 0;
	char url[2048];

	if ((size_t)snprintf(url, sizeof(url), "%s/api/v1/%s", f->target->base, path) >=
	    sizeof(url))
		return rs_error_set(e, -EINVAL, "the question is too long");
	rs_buf_reset(&f->body);
	f->why[0] = '\0';
	CURLcode code = curl_easy_setopt(f->curl, CURLOPT_URL, url);

	if (code == CURLE_OK)
		code = curl_easy_setopt(f->curl, CURLOPT_TIMEOUT_MS, total_ms);
	if (code == CURLE_OK)
		code = curl_easy_perform(f->curl);
	if (code != CURLE_OK)
		return no_answer(f, code, e);
	(void)curl_easy_getinfo(f->curl, CURLINFO_RESPONSE_CODE, &status);
	(void)curl_easy_getinfo(f->curl, CURLINFO_CONTENT_TYPE, &type);
	if (status != 200)
		return refused(f, status, path, type, e);
	if (!is_type(type, wanted_type))
		return rs_error_set(e, -EBADMSG, "%s: answers %.60s, not %s: another program?",
		    f->target->name, type != NULL ? type : "without a type", wanted_type);
	*ret_body = body_of(f);
	return 0;
}

int
rs_fetch_get(struct rs_fetch *f, const char *path, struct rs_text *ret_body, struct rs_error *e)
{
	f->body.max_bytes = RS_FETCH_BYTES_MAX;
	return get(f, path, "application/json", TOTAL_MAX_MS, ret_body, e);
}

int
rs_fetch_piece(struct rs_fetch *f, const char *path, const char *type, size_t max_bytes,
    struct rs_text *ret_body, struct rs_error *e)
{
	f->body.max_bytes = max_bytes;
	return get(f, path, type, 0, ret_body, e);
}

const char *
rs_fetch_header(const struct rs_fetch *f, const char *name)
{
	struct curl_header *header = NULL;

	return curl_easy_header(f->curl, name, 0, CURLH_HEADER, -1, &header) == CURLHE_OK
		   ? header->value
		   : NULL;
}

void
rs_fetch_parameter(struct rs_buf *path, const char *name, const char *value)
{
	static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
				    "0123456789-._~";
	const bool is_first = path->len == 0 || memchr(path->data, '?', path->len) == NULL;

	rs_buf_printf(path, "%c%s=", is_first ? '?' : '&', name);
	for (; *value != '\0'; value++) {
		if (strchr(plain, *value) != NULL)
			rs_buf_putc(path, *value);
		else
			rs_buf_printf(path, "%%%02X", (unsigned)(unsigned char)*value);
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * Addresses, taken apart by the library that will use them.
 */
#include "target.h"

#include <curl/curl.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "text.h"

#define EXPECTED "expected http://HOST:PORT or unix:/PATH"

/* Copies a part that is there; "" when it is not. False: too long. */
static bool
copy_part(CURLU *u, CURLUPart part, char *dst, size_t cap)
{
	char *text = NULL;

	dst[0] = '\0';
	if (curl_url_get(u, part, &text, 0) != CURLUE_OK)
		return true;
	const bool fits = rs_text_copy(rs_text_of(text), dst, cap);

	curl_free(text);
	return fits;
}

static bool
has_part(CURLU *u, CURLUPart part)
{
	char first[2];

	(void)copy_part(u, part, first, sizeof(first));
	return first[0] != '\0';
}

static bool
is_loopback(const char *host)
{
	const size_t len = strlen(host);
	static const char domain[] = ".localhost";

	if (strcmp(host, "localhost") == 0 || strcmp(host, "[::1]") == 0)
		return true;
	if (strncmp(host, "127.", 4) == 0 && strspn(host, "0123456789.") == len)
		return true;
	return len >= sizeof(domain) && strcmp(host + len - (sizeof(domain) - 1), domain) == 0;
}

static int
take_url(const char *text, CURLU *u, struct rs_target *ret, struct rs_error *e)
{
	char scheme[16], host[300];

	if (!copy_part(u, CURLUPART_SCHEME, scheme, sizeof(scheme)) || strcmp(scheme, "http") != 0)
		return rs_error_set(e, -EINVAL, "'%.200s': " EXPECTED, text);
	if (has_part(u, CURLUPART_USER) || has_part(u, CURLUPART_PASSWORD))
		return rs_error_set(e, -EINVAL,
		    "no credential in the URL, where others can read it: use --token-file");
	if (has_part(u, CURLUPART_QUERY) || has_part(u, CURLUPART_FRAGMENT))
		return rs_error_set(
		    e, -EINVAL, "'%.200s': " EXPECTED ", without '?' and '#'", text);
	if (!copy_part(u, CURLUPART_URL, ret->base, sizeof(ret->base)) ||
	    !copy_part(u, CURLUPART_HOST, host, sizeof(host)))
		return rs_error_set(e, -EINVAL, "'%.200s...': too long", text);
	for (size_t len = strlen(ret->base); len > 0 && ret->base[len - 1] == '/'; len--)
		ret->base[len - 1] = '\0';
	memcpy(ret->name, ret->base, sizeof(ret->name));
	ret->is_local = is_loopback(host);
	return 0;
}

static int
parse_url(const char *text, struct rs_target *ret, struct rs_error *e)
{
	CURLU *const u = curl_url();

	if (u == NULL)
		return rs_error_set(e, -ENOMEM, "out of memory");
	const int rc = curl_url_set(u, CURLUPART_URL, text, 0) == CURLUE_OK
			   ? take_url(text, u, ret, e)
			   : rs_error_set(e, -EINVAL, "'%.200s': " EXPECTED, text);

	curl_url_cleanup(u);
	return rc;
}

int
rs_target_parse(const char *text, struct rs_target *ret, struct rs_error *e)
{
	struct rs_text path = rs_text_of(text);
	struct rs_target t = {.is_local = true};
	int rc = 0;

	if (!rs_text_skip(&path, "unix:"))
		rc = parse_url(text, &t, e);
	else if (!rs_text_starts(path, "/"))
		rc = rs_error_set(e, -EINVAL, "'%.200s': expected an absolute path", text);
	else if (!rs_text_copy(path, t.socket, sizeof(t.socket)))
		rc = rs_error_set(
		    e, -EINVAL, "'%.200s': longer than %zu bytes", text, sizeof(t.socket) - 1);
	if (rc < 0)
		return rc;
	if (t.socket[0] != '\0') {
		(void)snprintf(t.base, sizeof(t.base), "http://localhost");
		(void)snprintf(t.name, sizeof(t.name), "%s", text);
	}
	*ret = t;
	return 0;
}

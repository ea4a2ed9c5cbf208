/* SPDX-License-Identifier: ISC */
/*
 * Reading the configuration: defaults, the file (split by libinih), the
 * credential's file.
 */
#include "config.h"

#include "config_keys.h"

#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define FILE_MAX_BYTES (1 << 20)

static void *
field(struct rs_config *c, const struct rs_key *k)
{
	return (char *)c + k->offset;
}

int
rs_config_default(struct rs_config *ret)
{
	memset(ret, 0, sizeof(*ret));
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		const int rc = rs_config_set(
		    ret, rs_text_of(k->section), rs_text_of(k->name), rs_text_of(k->def), NULL);
		if (rc < 0) {
			rs_config_free(ret);
			return rc;
		}
	}
	size_t n = 0;
	while (rs_rules[n])
		n++;
	ret->rules = calloc(n + 1, sizeof(*ret->rules));
	if (!ret->rules) {
		rs_config_free(ret);
		return -ENOMEM;
	}
	for (size_t i = 0; i < n; i++)
		rs_rule_conf_default(rs_rules[i], &ret->rules[i]);
	return 0;
}

void
rs_config_free(struct rs_config *c)
{
	rs_list_clear(&c->listen);
	rs_list_clear(&c->allowed_hosts);
	rs_list_clear(&c->cors_origins);
	free(c->rules);
	c->rules = NULL;
}

struct parse {
	struct rs_config *config;
	struct rs_text rest;
	const char *name;
	unsigned line;
	struct rs_error *error;
	struct rs_error why; /* of the first failure here */
	int rc;
	unsigned failed_line;
};

static void
fail(struct parse *p, int rc, const struct rs_error *why)
{
	if (p->rc < 0)
		return;
	p->failed_line = p->line;
	p->rc = rs_error_set(&p->why, rc, "%s:%u: %s", p->name, p->line, why->text);
}

/* Gives libinih one line at a time, so that the line number is known and a line
 * too long for its buffer is an error, not cut. */
static char *
next_line(char *dst, int cap, void *arg)
{
	struct parse *const p = arg;
	struct rs_text line;
	if (p->rc < 0 || !rs_text_line(&p->rest, &line))
		return NULL;
	p->line++;
	struct rs_error why = {0};
	if (rs_text_len(line) + 2 > (size_t)cap) {
		(void)rs_error_set(&why, -EINVAL,
		    "the line is longer than %d bytes; split the list over several lines", cap - 2);
		fail(p, -EINVAL, &why);
		return NULL;
	}
	if (memchr(line.p, '\0', rs_text_len(line))) {
		(void)rs_error_set(&why, -EINVAL, "the line holds a NUL byte");
		fail(p, -EINVAL, &why);
		return NULL;
	}
	(void)rs_text_copy(line, dst, (size_t)cap);
	const size_t len = strlen(dst);
	dst[len] = '\n';
	dst[len + 1] = '\0';
	return dst;
}

/* The first mention of a list replaces its default, later ones add to it; any
 * other key may stand once. */
static int
mention(struct parse *p, const char *section, const char *key, struct rs_error *why)
{
	for (size_t i = 0; i < rs_config_n_keys; i++) {
		const struct rs_key *const k = &rs_config_keys[i];
		uint32_t *const line = &p->config->line[i];
		if (strcmp(section, k->section) != 0 || strcmp(key, k->name) != 0)
			continue;
		if (*line > 0 && k->type != RS_KEY_LIST)
			return rs_error_set(why, -EINVAL, "%s: set before, in line %u", key, *line);
		if (*line == 0 && k->type == RS_KEY_LIST)
			rs_list_clear(field(p->config, k));
		*line = p->line;
	}
	return 0;
}

static int
take_pair(void *arg, const char *section, const char *key, const char *value)
{
	struct parse *const p = arg;
	struct rs_error why = {0};
	if (p->rc < 0)
		return 0;
	int rc = mention(p, section, key, &why);
	if (rc == 0)
		rc = rs_config_set(p->config, rs_text_of(section), rs_text_of(key),
		    rs_text_trim(rs_text_of(value)), &why);
	if (rc < 0)
		fail(p, rc == -ENOENT ? -EINVAL : rc, &why);
	return rc == 0;
}

int
rs_config_parse(struct rs_config *c, struct rs_text text, const char *name, struct rs_error *e)
{
	struct parse p = {.config = c, .rest = text, .name = name, .error = e};
	(void)rs_text_copy(rs_text_of(name), c->file, sizeof(c->file));
	memset(c->line, 0, sizeof(c->line));
	const int at = ini_parse_stream(next_line, &p, take_pair, &p);
	/* libinih names the first line it could not split and goes on behind it. */
	if (at > 0 && (p.rc == 0 || (unsigned)at < p.failed_line))
		return rs_error_set(
		    p.error, -EINVAL, "%s:%d: expected [section] or key = value", name, at);
	if (p.rc < 0)
		return rs_error_set(p.error, p.rc, "%s", p.why.text);
	return at < 0 ? rs_error_set(e, -ENOMEM, "%s: out of memory", name) : 0;
}

static int
read_file(const char *path, struct rs_buf *b, struct rs_error *e)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return rs_error_set(e, -errno, "%s: %s", path, strerror(errno));
	struct stat st;
	int rc = 0;
	if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		rc = rs_error_set(e, -EINVAL, "%s: not a regular file", path);
	while (rc == 0) {
		char *const to = rs_buf_reserve(b, 4096);
		if (!to) {
			rc = rs_error_set(e, -EFBIG, "%s: larger than 1 MB", path);
			break;
		}
		const ssize_t n = read(fd, to, 4096);
		if (n == 0)
			break;
		if (n < 0)
			rc = rs_error_set(e, -errno, "%s: %s", path, strerror(errno));
		else
			b->len += (size_t)n;
	}
	(void)close(fd);
	return rc;
}

int
rs_config_load(struct rs_config *c, const char *path, bool must_exist, struct rs_error *e)
{
	struct rs_buf b;
	struct rs_error why = {0};
	rs_buf_init(&b, FILE_MAX_BYTES + 4096);
	int rc = read_file(path, &b, &why);
	if (rc == 0)
		rc = rs_config_parse(
		    c, (struct rs_text){b.data, b.data ? b.data + b.len : b.data}, path, e);
	else if (rc == -ENOENT && !must_exist)
		rc = 0;
	else
		(void)rs_error_set(e, rc, "%s", why.text);
	rs_buf_fini(&b);
	return rc;
}

int
rs_config_token(const struct rs_config *c, char dst[static 256], struct rs_error *e)
{
	struct rs_buf b;
	struct rs_error why = {0};
	dst[0] = '\0';
	if (!*c->token_file)
		return 0;
	rs_buf_init(&b, 8192);
	int rc = read_file(c->token_file, &b, &why);
	if (rc < 0) {
		(void)rs_error_set(e, rc, "token_file: %s", why.text);
	} else {
		struct rs_text all = {b.data, b.data ? b.data + b.len : b.data}, line = {0};
		const bool has_line = b.data && rs_text_line(&all, &line);
		const struct rs_text token = has_line ? rs_text_trim(line) : rs_text_of("");
		if (rs_text_len(token) < 16 || !rs_text_copy(token, dst, 256))
			rc = rs_error_set(e, -EINVAL,
			    "token_file: %s: the first line must be a credential of 16 to 255 "
			    "characters",
			    c->token_file);
	}
	rs_buf_fini(&b);
	return rc;
}

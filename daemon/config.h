/* SPDX-License-Identifier: ISC */
/*
 * The configuration: a plain structure filled from defaults, the INI file and
 * the command line, checked as a whole, replaced as a whole on reload.
 */
#ifndef RS_CONFIG_H
#define RS_CONFIG_H

#include "buf.h"
#include "cpuset.h"
#include "engine.h"
#include "error.h"

#define RS_CONFIG_PATH "/etc/ringside/ringside.conf"
#define RS_LIST_MAX 16
#define RS_CONFIG_KEYS_MAX 64

/* A list of words, NULL-terminated; the strings are owned. */
struct rs_list {
	char *item[RS_LIST_MAX + 1];
};

struct rs_config {
	/* [sampling] */
	rs_ns interval_ns;
	struct rs_cpuset reserved_cores;
	/* [web] */
	struct rs_list listen;
	char token_file[256];
	bool allow_anonymous_read;
	struct rs_list allowed_hosts, cors_origins;
	uint32_t max_connections;
	/* [store] */
	char path[256]; /* "none": in memory */
	rs_ns commit_interval_ns;
	char head_path[256]; /* "none": in memory */
	rs_ns retention_raw_ns, retention_minute_ns, retention_hour_ns;
	uint64_t max_size_bytes;
	/* [limits] */
	uint32_t max_series;
	uint64_t max_memory_bytes;
	/* [alerts] */
	char alert_exec[256], alert_webhook[256];
	/* [service] */
	char user[64];
	char log_target[16], log_level[16];
	/* Where each key of the table was set: line of the file, 0 for nowhere. */
	char file[256];
	uint32_t line[RS_CONFIG_KEYS_MAX];
	/* [rules]: one per entry of rs_rules; owned */
	struct rs_rule_conf *rules;
};

/* Everything at its default. 0 or -ENOMEM. */
int rs_config_default(struct rs_config *ret);
void rs_config_free(struct rs_config *c); /* what it owns, not itself */

/* Reads a text in INI form over what is there; name: for messages
 * ("NAME:LINE: ..."). The first error ends it: -EINVAL, -ERANGE with the line,
 * the key and the nearest known one. */
int rs_config_parse(struct rs_config *c, struct rs_text text, const char *name, struct rs_error *e);
/* The same from a file of at most 1 MB. A missing file is an error only when
 * it must exist. */
int rs_config_load(struct rs_config *c, const char *path, bool must_exist, struct rs_error *e);
/* An error found later than the file was read, told with file and line of the
 * key of the section that the text names. Returns rc. */
int rs_config_blame(
    const struct rs_config *c, const char *section, int rc, const char *text, struct rs_error *e);
/* Rules over several keys (a listener without credential, ...). */
int rs_config_check(const struct rs_config *c, struct rs_error *e);

/* The credential of web.token_file into dst; "" when none is configured. */
int rs_config_token(const struct rs_config *c, char dst[static 256], struct rs_error *e);

/* Sets one key as the file would. -ENOENT: no such key. */
int rs_config_set(struct rs_config *c, struct rs_text section, struct rs_text key,
    struct rs_text value, struct rs_error *e);
/* Whether the file sets the key. */
bool rs_config_is_set(const struct rs_config *c, const char *section, const char *name);
/* The value of the key is not the file's any more. */
void rs_config_unplace(struct rs_config *c, const char *section, const char *key);
/* Appends a word to a list. -E2BIG, -ENOMEM. */
int rs_list_add(struct rs_list *l, struct rs_text word);
void rs_list_clear(struct rs_list *l);

/* All keys with unit, range, default and help, as a file that says the
 * defaults: --describe config. */
void rs_config_describe(struct rs_buf *out);
/* Names the keys in which a and b differ and that need a restart; "" for none. */
void rs_config_needs_restart(
    const struct rs_config *a, const struct rs_config *b, char *dst, size_t cap);

#endif

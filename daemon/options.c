/* SPDX-License-Identifier: ISC */
/*
 * The command line, and how it and the file make a configuration.
 */
#include "options.h"

#include "hash.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const char rs_usage[] =
    "usage: ringsided [-c FILE] [-f] [--root DIR] [--db FILE] [--listen ADDR]...\n"
    "                 [--once [-J]] [--check-config]\n"
    "                 [--describe metrics|rules|config|api] [--version] [--help]\n"
    "\n"
    "  -c, --config FILE   configuration (default " RS_CONFIG_PATH ")\n"
    "  -f, --foreground    stay in the foreground; it always does\n"
    "      --root DIR      read DIR/proc and DIR/sys in place of /\n"
    "      --db FILE       database; none: keep the last hour in memory only\n"
    "      --head FILE     file for the newest minutes, on tmpfs; none: memory only\n"
    "      --listen ADDR   ADDR:PORT, [V6]:PORT or unix:/PATH; several times\n"
    "      --web-dir DIR   serve the page from DIR, for its development\n"
    "      --once          take two samples one interval apart, print them, end\n"
    "  -J, --json          print JSON\n"
    "      --check-config  say whether the configuration is valid, end\n"
    "      --describe WHAT print metrics, rules, config or api, end\n"
    "      --version, --help\n";

enum {
	OPT_ROOT = 256,
	OPT_DB,
	OPT_HEAD,
	OPT_LISTEN,
	OPT_WEB_DIR,
	OPT_ONCE,
	OPT_CHECK,
	OPT_DESCRIBE,
	OPT_VERSION
};

static const struct option long_options[] = {
    {"config", required_argument, NULL, 'c'},
    {"foreground", no_argument, NULL, 'f'},
    {"root", required_argument, NULL, OPT_ROOT},
    {"db", required_argument, NULL, OPT_DB},
    {"head", required_argument, NULL, OPT_HEAD},
    {"listen", required_argument, NULL, OPT_LISTEN},
    {"web-dir", required_argument, NULL, OPT_WEB_DIR},
    {"once", no_argument, NULL, OPT_ONCE},
    {"json", no_argument, NULL, 'J'},
    {"check-config", no_argument, NULL, OPT_CHECK},
    {"describe", required_argument, NULL, OPT_DESCRIBE},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static int
add_listen(struct rs_options *o, const char *address, struct rs_error *e)
{
	for (size_t i = 0; i < RS_LIST_MAX; i++) {
		if (!o->listen[i]) {
			o->listen[i] = address;
			return 0;
		}
	}
	return rs_error_set(e, -EINVAL, "--listen: at most %d addresses", RS_LIST_MAX);
}

static int
set_mode(struct rs_options *o, enum rs_mode mode, struct rs_error *e)
{
	if (o->mode != RS_MODE_RUN && o->mode != mode)
		return rs_error_set(e, -EINVAL,
		    "only one of --once, --check-config, --describe, --version, --help");
	o->mode = mode;
	return 0;
}

static int
set_describe(struct rs_options *o, const char *what, struct rs_error *e)
{
	static const char *const known[] = {"metrics", "rules", "config", "api"};
	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (strcmp(what, known[i]) == 0) {
			o->describe = what;
			return set_mode(o, RS_MODE_DESCRIBE, e);
		}
	}
	return rs_error_set(
	    e, -EINVAL, "--describe: '%.40s' is none of metrics, rules, config, api", what);
}

static int
take_option(struct rs_options *o, int option, const char *argument, struct rs_error *e)
{
	switch (option) {
	case 'c':
		o->config = argument;
		return 0;
	case 'f':
		return 0;
	case 'J':
		o->is_json = true;
		return 0;
	case OPT_ROOT:
		o->root = argument;
		return 0;
	case OPT_DB:
		o->db = argument;
		return 0;
	case OPT_HEAD:
		o->head = argument;
		return 0;
	case OPT_LISTEN:
		return add_listen(o, argument, e);
	case OPT_WEB_DIR:
		o->web_dir = argument;
		return 0;
	case OPT_ONCE:
		return set_mode(o, RS_MODE_ONCE, e);
	case OPT_CHECK:
		return set_mode(o, RS_MODE_CHECK, e);
	case OPT_DESCRIBE:
		return set_describe(o, argument, e);
	case OPT_VERSION:
		return set_mode(o, RS_MODE_VERSION, e);
	case 'h':
		return set_mode(o, RS_MODE_HELP, e);
	}
	return rs_error_set(e, -EINVAL, "unknown option");
}

int
rs_options_parse(int argc, char *const argv[], struct rs_options *ret, struct rs_error *e)
{
	struct rs_options o = {.root = "/"};
	optind = 1;
	opterr = 0;
	for (;;) {
		const int at = optind;
		const int option = getopt_long(argc, argv, "+:c:fJh", long_options, NULL);
		if (option == -1)
			break;
		if (option == ':')
			return rs_error_set(e, -EINVAL, "'%.64s' needs a value", argv[at]);
		if (option == '?')
			return rs_error_set(e, -EINVAL, "unknown option '%.64s'", argv[at]);
		const int rc = take_option(&o, option, optarg, e);
		if (rc < 0)
			return rc;
	}
	if (optind < argc)
		return rs_error_set(e, -EINVAL, "unexpected argument '%.64s'", argv[optind]);
	if (o.is_json && o.mode != RS_MODE_ONCE)
		return rs_error_set(e, -EINVAL, "-J goes with --once");
	*ret = o;
	return 0;
}

/* A database that is not the machine's own has a head file of its own, so that two
 * daemons do not meet in one. */
static void
set_own_head(const char *db, struct rs_config *c)
{
	const size_t len = strlen(c->head_path);
	char hash[16];
	if (strcmp(db, c->path) == 0 || rs_config_is_set(c, "store", "head_path"))
		return;
	const uint32_t h = (uint32_t)rs_hash_bytes(RS_HASH_START, db, strlen(db));
	(void)snprintf(hash, sizeof(hash), "-%08" PRIx32, h);
	(void)rs_text_copy(rs_text_of(hash), c->head_path + len, sizeof(c->head_path) - len);
}

static int
override_store(const struct rs_options *o, struct rs_config *c, struct rs_error *e)
{
	struct rs_error why = {0};
	const struct rs_text section = rs_text_of("store");
	int rc = 0;
	if (o->db) {
		set_own_head(o->db, c);
		rc = rs_config_set(c, section, rs_text_of("path"), rs_text_of(o->db), &why);
	}
	if (rc < 0)
		return rs_error_set(e, rc, "--db: %s", why.text);
	if (o->head)
		rc = rs_config_set(c, section, rs_text_of("head_path"), rs_text_of(o->head), &why);
	return rc < 0 ? rs_error_set(e, rc, "--head: %s", why.text) : 0;
}

static int
override(const struct rs_options *o, struct rs_config *c, struct rs_error *e)
{
	struct rs_error why = {0};
	int rc = override_store(o, c, e);
	if (rc < 0)
		return rc;
	if (o->listen[0]) {
		rs_list_clear(&c->listen);
		rs_config_unplace(c, "web", "listen");
	}
	for (size_t i = 0; o->listen[i]; i++) {
		rc = rs_config_set(
		    c, rs_text_of("web"), rs_text_of("listen"), rs_text_of(o->listen[i]), &why);
		if (rc < 0)
			return rs_error_set(e, rc, "--listen: %s", why.text);
	}
	return 0;
}

int
rs_options_config(const struct rs_options *o, struct rs_config *ret, struct rs_error *e)
{
	int rc = rs_config_default(ret);
	if (rc < 0)
		return rs_error_set(e, rc, "out of memory");
	rc = rs_config_load(ret, o->config ? o->config : RS_CONFIG_PATH, o->config != NULL, e);
	if (rc == 0)
		rc = override(o, ret, e);
	if (rc == 0)
		rc = rs_config_check(ret, e);
	if (rc < 0)
		rs_config_free(ret);
	return rc;
}

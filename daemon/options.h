/* SPDX-License-Identifier: ISC */
/*
 * The command line of ringsided.
 */
#ifndef RS_OPTIONS_H
#define RS_OPTIONS_H

#include "config.h"
#include "error.h"

enum rs_mode {
	RS_MODE_RUN,
	RS_MODE_ONCE,
	RS_MODE_CHECK,
	RS_MODE_DESCRIBE,
	RS_MODE_VERSION,
	RS_MODE_HELP
};

struct rs_options {
	enum rs_mode mode;
	const char *config; /* NULL: the default path, which may be missing */
	const char *root;   /* "/" unless given */
	const char *db;	    /* NULL: the configuration's */
	const char *head;   /* NULL: the configuration's, or one of db's own */
	const char *listen[RS_LIST_MAX + 1];
	const char *web_dir; /* NULL: built-in assets */
	const char *describe;
	bool is_json;
};

extern const char rs_usage[];

/* -EINVAL with a sentence for anything not understood. */
int rs_options_parse(int argc, char *const argv[], struct rs_options *ret, struct rs_error *e);
/* The configuration the options ask for: defaults, file, then what the command
 * line says; checked. */
int rs_options_config(const struct rs_options *o, struct rs_config *ret, struct rs_error *e);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The command line of ringside.
 */
#ifndef RS_ARGS_H
#define RS_ARGS_H

#include <stdbool.h>

#include "error.h"

struct rs_command;

enum rs_args_mode { RS_ARGS_RUN, RS_ARGS_HELP, RS_ARGS_VERSION };

struct rs_args {
	enum rs_args_mode mode;
	const struct rs_command *command; /* when it is to be run */
	const char *url;		  /* NULL: not given */
	const char *token_file;		  /* NULL: none */
	bool is_json;
	bool is_all;			   /* findings */
	const char *kind, *device, *limit; /* changes; NULL: not given */
};

extern const char rs_args_usage[];

/* -EINVAL with a sentence for anything not understood, and with the nearest word
 * that would be. */
int rs_args_parse(int argc, char *const argv[], struct rs_args *ret, struct rs_error *e);

#endif

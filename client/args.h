/* SPDX-License-Identifier: ISC */
/*
 * The command line of ringside.
 */
#ifndef RS_ARGS_H
#define RS_ARGS_H

#include <stdbool.h>

#include "error.h"
#include "text.h"

struct rs_command;

enum rs_args_mode { RS_ARGS_RUN, RS_ARGS_HELP, RS_ARGS_VERSION };
enum rs_export_format { RS_EXPORT_CSV, RS_EXPORT_JSON, RS_EXPORT_MINISTAT };

/* As many as the daemon takes. */
#define RS_ARGS_LABELS_MAX 16

/* "cpu=0" */
struct rs_args_label {
	struct rs_text name, value;
};

struct rs_args {
	enum rs_args_mode mode;
	const struct rs_command *command; /* when it is to be run */
	const char *url;		  /* NULL: not given */
	const char *token_file;		  /* NULL: none */
	bool is_json;
	bool is_all;			   /* findings */
	const char *kind, *device, *limit; /* changes; NULL: not given */
	const char *path;		   /* diagnose, capture; NULL: not given */
	const char *interval, *count;	   /* capture; NULL: not given */
	bool has_flows;			   /* capture */
	/* export; NULL: not given */
	const char *metric, *after, *before, *points, *aggregate, *tier, *format_name;
	struct rs_args_label labels[RS_ARGS_LABELS_MAX];
	size_t n_labels;
	enum rs_export_format format;
};

extern const char rs_args_usage[];

/* -EINVAL with a sentence for anything not understood, and with the nearest word
 * that would be. */
int rs_args_parse(int argc, char *const argv[], struct rs_args *ret, struct rs_error *e);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The commands. Each asks the daemon (rs_cmd_*) and shows what it answered
 * (rs_show_*, pure: a document in, a page out); those that are offline ask nobody.
 */
#ifndef RS_CMD_H
#define RS_CMD_H

#include "session.h"

struct json_t;

enum {
	RS_EXIT_OK = 0,
	RS_EXIT_WARN = 1,
	RS_EXIT_FAILED = 1, /* export */
	RS_EXIT_CRIT = 2,
	RS_EXIT_USAGE = 2,
	RS_EXIT_UNKNOWN = 3
};

struct rs_command {
	const char *name;
	/* The exit status, or negative: no answer; the sentence says why. */
	int (*run)(struct rs_session *s, struct rs_error *e);
	int no_answer;	 /* the exit status then */
	bool is_offline; /* asks no daemon; takes a path */
};

int rs_cmd_status(struct rs_session *s, struct rs_error *e);
int rs_cmd_findings(struct rs_session *s, struct rs_error *e);
int rs_cmd_changes(struct rs_session *s, struct rs_error *e);
int rs_cmd_map(struct rs_session *s, struct rs_error *e);
int rs_cmd_export(struct rs_session *s, struct rs_error *e);
int rs_cmd_capture(struct rs_session *s, struct rs_error *e);
int rs_cmd_diagnose(struct rs_session *s, struct rs_error *e);

/* findings: NULL when they could not be had, and why then. */
void rs_show_status(struct rs_page *p, const struct json_t *summary, const struct json_t *findings,
    const char *why);
void rs_show_findings(struct rs_page *p, const struct json_t *findings);
void rs_show_changes(struct rs_page *p, const struct json_t *changes);
void rs_show_map(struct rs_page *p, const struct json_t *map);
/* Cores and threads of the map. */
void rs_show_map_cores(struct rs_page *p, const struct json_t *map);
/* What rs_diagnosis_document makes. */
void rs_show_diagnosis(struct rs_page *p, const struct json_t *doc);

/* What the state of a summary means to a script. */
int rs_status_exit(const struct json_t *summary);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * ringside: command line to exit status.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "args.h"
#include "cmd.h"
#include "error.h"
#include "fetch.h"
#include "target.h"

enum { WIDTH_MIN = 40, WIDTH_DEFAULT = 80 };

/* The sentence may quote what a daemon said. */
static int
complain(int status, const struct rs_error *e)
{
	struct rs_page p;

	rs_page_init(&p, 0, false);
	rs_page_printf(&p, "ringside: %s", e->text);
	rs_page_end(&p);
	(void)rs_page_write(&p, stderr);
	rs_page_fini(&p);
	return status;
}

/* 0, no limit, when nobody looks: a line for each thing is what scripts want. */
static unsigned
terminal_width(void)
{
	struct winsize size = {0};

	if (!isatty(STDOUT_FILENO))
		return 0;
	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) < 0 || size.ws_col == 0)
		return WIDTH_DEFAULT;
	return RS_MAX((unsigned)size.ws_col, (unsigned)WIDTH_MIN);
}

static bool
wants_colour(void)
{
	const char *const no_colour = getenv("NO_COLOR");
	const char *const term = getenv("TERM");

	return isatty(STDOUT_FILENO) && (no_colour == NULL || no_colour[0] == '\0') &&
	       term != NULL && strcmp(term, "dumb") != 0;
}

static int
find_target(const struct rs_args *a, struct rs_target *ret, struct rs_error *e)
{
	const char *const environment = getenv("RINGSIDE_URL");
	struct rs_error why = {0};
	const char *from = "-u", *url = a->url;

	if (url == NULL && environment != NULL && environment[0] != '\0') {
		from = "RINGSIDE_URL";
		url = environment;
	}
	const int rc = rs_target_parse(url != NULL ? url : RS_TARGET_DEFAULT, ret, &why);

	return rc < 0 ? rs_error_set(e, rc, "%s: %s", from, why.text) : 0;
}

/* Lists of what was come from the database too. */
static void
note_incomplete(const struct rs_fetch *f)
{
	const char *const why = rs_fetch_header(f, "Ringside-Incomplete");
	struct rs_error e = {0};

	if (why == NULL)
		return;
	(void)rs_error_set(&e, -EIO, "not complete: %s", why);
	(void)complain(0, &e);
}

/* target: NULL for a command that asks no daemon. */
static int
run(const struct rs_args *a, const struct rs_target *target)
{
	struct rs_session s = {.args = a};
	struct rs_error e = {0};
	int status = target != NULL ? rs_fetch_open(target, a->token_file, &e, &s.fetch) : 0;

	rs_page_init(&s.page, terminal_width(), wants_colour());
	if (status == 0)
		status = a->command->run(&s, &e);
	if (status >= 0) {
		if (s.fetch != NULL)
			note_incomplete(s.fetch);
		const int rc = rs_page_write(&s.page, stdout);

		if (rc < 0)
			status = rs_error_set(&e, rc, "cannot print: %s", strerror(-rc));
	}
	rs_page_fini(&s.page);
	rs_fetch_close(s.fetch);
	if (status == -EINVAL)
		return complain(RS_EXIT_USAGE, &e);
	return status < 0 ? complain(a->command->no_answer, &e) : status;
}

int
main(int argc, char *argv[])
{
	struct rs_target target;
	struct rs_error e = {0};
	struct rs_args a;

	if (rs_args_parse(argc, argv, &a, &e) < 0) {
		(void)complain(RS_EXIT_USAGE, &e);
		(void)fputs("ringside --help lists commands and options\n", stderr);
		return RS_EXIT_USAGE;
	}
	switch (a.mode) {
	case RS_ARGS_HELP:
		return fputs(rs_args_usage, stdout) < 0 ? RS_EXIT_UNKNOWN : RS_EXIT_OK;
	case RS_ARGS_VERSION:
		return puts("ringside " RS_VERSION) < 0 ? RS_EXIT_UNKNOWN : RS_EXIT_OK;
	case RS_ARGS_RUN:
		break;
	}
	if (a.command->is_offline)
		return run(&a, NULL);
	if (find_target(&a, &target, &e) < 0)
		return complain(RS_EXIT_USAGE, &e);
	return run(&a, &target);
}

/* SPDX-License-Identifier: ISC */
/*
 * ringsided: command line to exit status. The only exit.
 */
#include "app.h"
#include "log.h"
#include "oneshot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { EXIT_CLEAN = 0, EXIT_RUN_TIME = 1, EXIT_USAGE = 2 };

static int
complain(int status, const struct rs_error *e)
{
	(void)fprintf(stderr, "ringsided: %s\n", e->text);
	return status;
}

static int
run(const struct rs_options *o, struct rs_config *take, struct rs_error *e)
{
	struct rs_app *app;
	if (rs_app_open(o, take, e, &app) < 0)
		return complain(EXIT_RUN_TIME, e);
	const int rc = rs_app_run(app);
	rs_app_close(app);
	if (rc < 0)
		rs_log_err("the loop failed: %s", strerror(-rc));
	return rc < 0 ? EXIT_RUN_TIME : EXIT_CLEAN;
}

static int
with_config(const struct rs_options *o, struct rs_error *e)
{
	struct rs_config config;
	if (rs_options_config(o, &config, e) < 0)
		return complain(EXIT_USAGE, e);
	int rc = rs_oneshot_check(&config, e);
	if (rc == 0 && o->mode == RS_MODE_RUN)
		return run(o, &config, e);
	int status = EXIT_CLEAN;
	if (rc < 0) {
		status = complain(EXIT_USAGE, e);
	} else if (o->mode == RS_MODE_ONCE) {
		rc = rs_oneshot_once(o, &config, e);
		status = rc < 0 ? complain(EXIT_RUN_TIME, e) : EXIT_CLEAN;
	} else {
		(void)printf("configuration is valid\n");
	}
	rs_config_free(&config);
	return status;
}

int
main(int argc, char *argv[])
{
	struct rs_options o;
	struct rs_error e = {0};
	if (rs_options_parse(argc, argv, &o, &e) < 0) {
		(void)fprintf(stderr, "ringsided: %s\n%s", e.text, rs_usage);
		return EXIT_USAGE;
	}
	switch (o.mode) {
	case RS_MODE_HELP:
		(void)fputs(rs_usage, stdout);
		return EXIT_CLEAN;
	case RS_MODE_VERSION:
		(void)puts("ringsided " RS_VERSION);
		return EXIT_CLEAN;
	case RS_MODE_DESCRIBE:
		return rs_oneshot_describe(o.describe) < 0 ? EXIT_RUN_TIME : EXIT_CLEAN;
	case RS_MODE_RUN:
	case RS_MODE_ONCE:
	case RS_MODE_CHECK:
		return with_config(&o, &e);
	}
	return EXIT_USAGE;
}

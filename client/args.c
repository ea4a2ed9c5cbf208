/* SPDX-License-Identifier: ISC */
/*
 * Words of the command line. Options may stand before and behind the command.
 */
#include "args.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cmd.h"
#include "nearest.h"
#include "target.h"

const char rs_args_usage[] =
    "usage: ringside [-u URL] [--token-file FILE] COMMAND [OPTION]...\n"
    "\n"
    "  status             the verdict; exit status 0 ok or info, 1 warn, 2 crit,\n"
    "                     3 unknown or no daemon\n"
    "  findings           what stands, with evidence and what to try\n"
    "      --all          also what has been cleared\n"
    "  changes            settings that changed, newest first\n"
    "      --kind KIND --device DEVICE --limit N\n"
    "  map                which queue is served by which core, and who decided that\n"
    "\n"
    "  -u, --url URL      the daemon: http://HOST:PORT or unix:/PATH; else\n"
    "                     RINGSIDE_URL, else " RS_TARGET_DEFAULT "\n"
    "      --token-file FILE\n"
    "                     the first line is the credential\n"
    "  -J, --json         print the daemon's JSON\n"
    "      --version, -h, --help\n";

enum { OPT_TOKEN_FILE = 256, OPT_ALL, OPT_KIND, OPT_DEVICE, OPT_LIMIT, OPT_VERSION };

static const struct option long_options[] = {
    {"url", required_argument, NULL, 'u'},
    {"token-file", required_argument, NULL, OPT_TOKEN_FILE},
    {"json", no_argument, NULL, 'J'},
    {"all", no_argument, NULL, OPT_ALL},
    {"kind", required_argument, NULL, OPT_KIND},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const struct rs_command commands[] = {
    {"status", rs_cmd_status},
    {"findings", rs_cmd_findings},
    {"changes", rs_cmd_changes},
    {"map", rs_cmd_map},
};

/* "unknown WHAT 'word', did you mean 'best'?" */
static int
unknown(const char *what, const char *word, const char *best, struct rs_error *e)
{
	return rs_error_set(e, -EINVAL, "unknown %s '%.60s'%s%s%s", what, word,
	    best != NULL ? ", did you mean '" : "", best != NULL ? best : "",
	    best != NULL ? "'?" : "");
}

static int
unknown_option(const char *word, struct rs_error *e)
{
	char names[RS_ARRAY_LEN(long_options)][24];
	struct rs_nearest nearest;
	const size_t len = strcspn(word, "=");

	rs_nearest_begin(&nearest, (struct rs_text){word, word + len});
	for (size_t i = 0; long_options[i].name != NULL; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "--%s", long_options[i].name);
		rs_nearest_try(&nearest, names[i]);
	}
	return unknown("option", word, rs_nearest_best(&nearest), e);
}

static int
take_command(struct rs_args *a, const char *word, struct rs_error *e)
{
	struct rs_nearest nearest;

	if (a->command != NULL)
		return rs_error_set(e, -EINVAL, "'%.60s' is one word too many", word);
	rs_nearest_begin(&nearest, rs_text_of(word));
	for (size_t i = 0; i < RS_ARRAY_LEN(commands); i++) {
		if (strcmp(word, commands[i].name) == 0) {
			a->command = &commands[i];
			return 0;
		}
		rs_nearest_try(&nearest, commands[i].name);
	}
	return unknown("command", word, rs_nearest_best(&nearest), e);
}

static void
take_option(struct rs_args *a, int option, const char *argument)
{
	switch (option) {
	case 'u':
		a->url = argument;
		break;
	case 'J':
		a->is_json = true;
		break;
	case OPT_TOKEN_FILE:
		a->token_file = argument;
		break;
	case OPT_ALL:
		a->is_all = true;
		break;
	case OPT_KIND:
		a->kind = argument;
		break;
	case OPT_DEVICE:
		a->device = argument;
		break;
	case OPT_LIMIT:
		a->limit = argument;
		break;
	case OPT_VERSION:
		a->mode = RS_ARGS_VERSION;
		break;
	case 'h':
		a->mode = RS_ARGS_HELP;
		break;
	}
}

/* Options of one command mean nothing to the others. */
static int
check(const struct rs_args *a, struct rs_error *e)
{
	const struct {
		bool is_given;
		const char *option;
		int (*run)(struct rs_session *s, struct rs_error *e);
	} owned[] = {
	    {a->is_all, "--all", rs_cmd_findings},
	    {a->kind != NULL, "--kind", rs_cmd_changes},
	    {a->device != NULL, "--device", rs_cmd_changes},
	    {a->limit != NULL, "--limit", rs_cmd_changes},
	};

	if (a->mode != RS_ARGS_RUN)
		return 0;
	if (a->command == NULL)
		return rs_error_set(e, -EINVAL, "a command is missing");
	for (size_t i = 0; i < RS_ARRAY_LEN(owned); i++) {
		if (owned[i].is_given && owned[i].run != a->command->run)
			return rs_error_set(e, -EINVAL, "%s does not go with '%s'", owned[i].option,
			    a->command->name);
	}
	return 0;
}

int
rs_args_parse(int argc, char *const argv[], struct rs_args *ret, struct rs_error *e)
{
	struct rs_args a = {.mode = RS_ARGS_RUN};
	int rc = 0;

	optind = 1;
	opterr = 0;
	while (rc == 0) {
		const int at = optind;
		/* "-": words that are no options come in their place. */
		const int option = getopt_long(argc, argv, "-:u:Jh", long_options, NULL);

		if (option < 0)
			break;
		const char *const word = argv[at < argc ? at : argc - 1];

		if (option == 1)
			rc = take_command(&a, optarg, e);
		else if (option == '?')
			rc = unknown_option(word, e);
		else if (option == ':')
			rc = rs_error_set(e, -EINVAL, "'%.60s' needs a value", word);
		else
			take_option(&a, option, optarg);
	}
	for (; rc == 0 && optind < argc; optind++)
		rc = take_command(&a, argv[optind], e);
	if (rc == 0)
		rc = check(&a, e);
	if (rc == 0)
		*ret = a;
	return rc;
}

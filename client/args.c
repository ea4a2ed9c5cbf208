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
    "  export METRIC [LABEL=VALUE]...\n"
    "                     history; exit status 1 when it is not complete\n"
    "      --after TIME --before TIME\n"
    "                     the last hour otherwise; seconds (negative: before now)\n"
    "                     or 2025-01-31T12:00:00Z\n"
    "      --points N --aggregate avg|min|max|sum\n"
    "                     about N points a series; every sample otherwise\n"
    "      --tier raw|minute|hour\n"
    "                     the finest that reaches back to --after otherwise\n"
    "      --format csv|json|ministat\n"
    "  capture OUT        writes a capture of this machine for diagnose, without a\n"
    "                     daemon: a new folder, or an archive when OUT ends with\n"
    "                     .tar.gz\n"
    "      -i SECONDS -n COUNT\n"
    "                     2 samples, 1 second apart, otherwise\n"
    "      --flows        also who talks to whom: tracked connections\n"
    "  diagnose PATH      judges a capture, or a pasted file, without a daemon; exit\n"
    "                     status 1 when nothing in it can be used\n"
    "\n"
    "  -u, --url URL      the daemon: http://HOST:PORT or unix:/PATH; else\n"
    "                     RINGSIDE_URL, else " RS_TARGET_DEFAULT "\n"
    "      --token-file FILE\n"
    "                     the first line is the credential\n"
    "  -J, --json         print the daemon's JSON\n"
    "      --version, -h, --help\n";

enum {
	OPT_TOKEN_FILE = 256,
	OPT_ALL,
	OPT_KIND,
	OPT_DEVICE,
	OPT_LIMIT,
	OPT_AFTER,
	OPT_BEFORE,
	OPT_POINTS,
	OPT_AGGREGATE,
	OPT_TIER,
	OPT_FORMAT,
	OPT_FLOWS,
	OPT_VERSION
};

static const struct option long_options[] = {
    {"url", required_argument, NULL, 'u'},
    {"token-file", required_argument, NULL, OPT_TOKEN_FILE},
    {"json", no_argument, NULL, 'J'},
    {"all", no_argument, NULL, OPT_ALL},
    {"kind", required_argument, NULL, OPT_KIND},
    {"device", required_argument, NULL, OPT_DEVICE},
    {"limit", required_argument, NULL, OPT_LIMIT},
    {"after", required_argument, NULL, OPT_AFTER},
    {"before", required_argument, NULL, OPT_BEFORE},
    {"points", required_argument, NULL, OPT_POINTS},
    {"aggregate", required_argument, NULL, OPT_AGGREGATE},
    {"tier", required_argument, NULL, OPT_TIER},
    {"format", required_argument, NULL, OPT_FORMAT},
    {"flows", no_argument, NULL, OPT_FLOWS},
    {"version", no_argument, NULL, OPT_VERSION},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const struct rs_command commands[] = {
    {"status", rs_cmd_status, RS_EXIT_UNKNOWN, false},
    {"findings", rs_cmd_findings, RS_EXIT_UNKNOWN, false},
    {"changes", rs_cmd_changes, RS_EXIT_UNKNOWN, false},
    {"map", rs_cmd_map, RS_EXIT_UNKNOWN, false},
    {"export", rs_cmd_export, RS_EXIT_FAILED, false},
    {"capture", rs_cmd_capture, RS_EXIT_FAILED, true},
    {"diagnose", rs_cmd_diagnose, RS_EXIT_FAILED, true},
};

static const char *const formats[] = {
    [RS_EXPORT_CSV] = "csv", [RS_EXPORT_JSON] = "json", [RS_EXPORT_MINISTAT] = "ministat"};

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
take_label(struct rs_args *a, const char *word, struct rs_error *e)
{
	struct rs_args_label label = {.value = rs_text_of(word)};

	if (!rs_text_until(&label.value, '=', &label.name) || rs_text_len(label.name) == 0 ||
	    rs_text_len(label.value) == 0)
		return rs_error_set(
		    e, -EINVAL, "'%.60s': expected LABEL=VALUE, such as cpu=0", word);
	if (a->n_labels == RS_ARGS_LABELS_MAX)
		return rs_error_set(e, -EINVAL, "more than %d labels", RS_ARGS_LABELS_MAX);
	a->labels[a->n_labels++] = label;
	return 0;
}

/* A word behind the command. */
static int
take_operand(struct rs_args *a, const char *word, struct rs_error *e)
{
	if (a->command->is_offline && a->path == NULL) {
		a->path = word;
		return 0;
	}
	if (a->command->run != rs_cmd_export)
		return rs_error_set(e, -EINVAL, "'%.60s' is one word too many", word);
	if (a->metric != NULL)
		return take_label(a, word, e);
	a->metric = word;
	return 0;
}

static int
take_word(struct rs_args *a, const char *word, struct rs_error *e)
{
	struct rs_nearest nearest;

	if (a->command != NULL)
		return take_operand(a, word, e);
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
	const struct {
		int option;
		const char **value;
	} texts[] = {
	    {'u', &a->url},
	    {OPT_TOKEN_FILE, &a->token_file},
	    {OPT_KIND, &a->kind},
	    {OPT_DEVICE, &a->device},
	    {OPT_LIMIT, &a->limit},
	    {OPT_AFTER, &a->after},
	    {OPT_BEFORE, &a->before},
	    {OPT_POINTS, &a->points},
	    {OPT_AGGREGATE, &a->aggregate},
	    {OPT_TIER, &a->tier},
	    {OPT_FORMAT, &a->format_name},
	    {'i', &a->interval},
	    {'n', &a->count},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(texts); i++) {
		if (texts[i].option == option)
			*texts[i].value = argument;
	}
	a->is_json |= option == 'J';
	a->is_all |= option == OPT_ALL;
	a->has_flows |= option == OPT_FLOWS;
	if (option == OPT_VERSION)
		a->mode = RS_ARGS_VERSION;
	else if (option == 'h')
		a->mode = RS_ARGS_HELP;
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
	    {a->after != NULL, "--after", rs_cmd_export},
	    {a->before != NULL, "--before", rs_cmd_export},
	    {a->points != NULL, "--points", rs_cmd_export},
	    {a->aggregate != NULL, "--aggregate", rs_cmd_export},
	    {a->tier != NULL, "--tier", rs_cmd_export},
	    {a->format_name != NULL, "--format", rs_cmd_export},
	    {a->interval != NULL, "-i", rs_cmd_capture},
	    {a->count != NULL, "-n", rs_cmd_capture},
	    {a->has_flows, "--flows", rs_cmd_capture},
	};

	if (a->mode != RS_ARGS_RUN)
		return 0;
	if (a->command == NULL)
		return rs_error_set(e, -EINVAL, "a command is missing");
	if (a->command->is_offline && a->path == NULL)
		return rs_error_set(e, -EINVAL, "%s: %s", a->command->name,
		    a->command->run == rs_cmd_capture ? "where to? a new folder, or NAME.tar.gz"
						      : "which capture or file?");
	for (size_t i = 0; i < RS_ARRAY_LEN(owned); i++) {
		if (owned[i].is_given && owned[i].run != a->command->run)
			return rs_error_set(e, -EINVAL, "%s does not go with '%s'", owned[i].option,
			    a->command->name);
	}
	return 0;
}

/* -J is a format, too. */
static int
check_export(struct rs_args *a, struct rs_error *e)
{
	struct rs_nearest nearest;

	if (a->mode != RS_ARGS_RUN)
		return 0;
	if (a->metric == NULL)
		return rs_error_set(e, -EINVAL,
		    "export: which metric? ringsided --describe metrics lists them all");
	a->format = a->is_json ? RS_EXPORT_JSON : RS_EXPORT_CSV;
	if (a->format_name == NULL)
		return 0;
	rs_nearest_begin(&nearest, rs_text_of(a->format_name));
	for (unsigned i = 0; i < RS_ARRAY_LEN(formats); i++) {
		rs_nearest_try(&nearest, formats[i]);
		if (strcmp(a->format_name, formats[i]) != 0)
			continue;
		if (a->is_json && i != RS_EXPORT_JSON)
			return rs_error_set(
			    e, -EINVAL, "--format %s does not go with --json", formats[i]);
		a->format = (enum rs_export_format)i;
		return 0;
	}
	return unknown("format", a->format_name, rs_nearest_best(&nearest), e);
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
		const int option = getopt_long(argc, argv, "-:u:Jhi:n:", long_options, NULL);

		if (option < 0)
			break;
		const char *const word = argv[at < argc ? at : argc - 1];

		if (option == 1)
			rc = take_word(&a, optarg, e);
		else if (option == '?')
			rc = unknown_option(word, e);
		else if (option == ':')
			rc = rs_error_set(e, -EINVAL, "'%.60s' needs a value", word);
		else
			take_option(&a, option, optarg);
	}
	for (; rc == 0 && optind < argc; optind++)
		rc = take_word(&a, argv[optind], e);
	if (rc == 0)
		rc = check(&a, e);
	if (rc == 0 && a.command != NULL && a.command->run == rs_cmd_export)
		rc = check_export(&a, e);
	if (rc == 0)
		*ret = a;
	return rc;
}

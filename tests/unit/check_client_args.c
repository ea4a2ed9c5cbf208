/* SPDX-License-Identifier: ISC */
/* What may be typed: commands, options, addresses, parameters. */
#include <errno.h>
#include <string.h>

#include "args.h"
#include "cmd.h"
#include "fetch.h"
#include "rs_check.h"
#include "target.h"

#define WORDS_MAX 8

static int
parse(const char *const words[WORDS_MAX], struct rs_args *ret, struct rs_error *e)
{
	char copies[WORDS_MAX][80], *argv[WORDS_MAX + 2] = {copies[0]};
	static char name[] = "ringside";
	int argc = 1;

	argv[0] = name;
	for (; argc <= WORDS_MAX && words[argc - 1] != NULL; argc++) {
		ck_assert_uint_lt(strlen(words[argc - 1]), sizeof(copies[0]));
		argv[argc] = strcpy(copies[argc - 1], words[argc - 1]);
	}
	argv[argc] = NULL;
	return rs_args_parse(argc, argv, ret, e);
}

static const struct {
	const char *words[WORDS_MAX];
	const char *sentence; /* part of it */
} refused[] = {
    {{NULL}, "a command is missing"},
    {{"-J", NULL}, "a command is missing"},
    {{"statsu", NULL}, "unknown command 'statsu', did you mean 'status'?"},
    {{"finding", NULL}, "did you mean 'findings'?"},
    {{"frobnicate", NULL}, "unknown command 'frobnicate'"},
    {{"status", "map", NULL}, "'map' is one word too many"},
    {{"status", "--", "map", NULL}, "'map' is one word too many"},
    {{"status", "--token-fil=x", "--tokenfile", NULL}, "did you mean '--token-file'?"},
    {{"--jsno", "map", NULL}, "unknown option '--jsno', did you mean '--json'?"},
    {{"map", "-x", NULL}, "unknown option '-x'"},
    {{"map", "-Jx", NULL}, "unknown option '-Jx'"},
    {{"map", "-u", NULL}, "'-u' needs a value"},
    {{"map", "--token-file", NULL}, "'--token-file' needs a value"},
    {{"map", "--all", NULL}, "--all does not go with 'map'"},
    {{"status", "--limit", "3", NULL}, "--limit does not go with 'status'"},
    {{"findings", "--kind", "x", NULL}, "--kind does not go with 'findings'"},
    {{"--device", "x", "findings", NULL}, "--device does not go with 'findings'"},
    {{"--json=yes", "map", NULL}, "--json=yes"},
    {{"export", NULL}, "which metric?"},
    {{"exprot", "state", NULL}, "did you mean 'export'?"},
    {{"export", "state", "cpu", NULL}, "'cpu': expected LABEL=VALUE"},
    {{"export", "state", "=0", NULL}, "'=0': expected LABEL=VALUE"},
    {{"export", "state", "cpu=", NULL}, "'cpu=': expected LABEL=VALUE"},
    {{"export", "state", "--format", "cvs", NULL}, "unknown format 'cvs', did you mean 'csv'?"},
    {{"export", "state", "-J", "--format", "csv", NULL}, "--format csv does not go with --json"},
    {{"export", "state", "--limit", "3", NULL}, "--limit does not go with 'export'"},
    {{"map", "--after", "-5", NULL}, "--after does not go with 'map'"},
    {{"changes", "--format", "csv", NULL}, "--format does not go with 'changes'"},
    {{"diagnose", NULL}, "which capture or file?"},
    {{"capture", NULL}, "where to?"},
    {{"diagnose", "a", "-n", "3", NULL}, "-n does not go with 'diagnose'"},
    {{"diagnose", "a", "--flows", NULL}, "--flows does not go with 'diagnose'"},
    {{"diagnose", "a", "b", NULL}, "'b' is one word too many"},
    {{"diagnose", "a", "--all", NULL}, "--all does not go with 'diagnose'"},
};

static const struct {
	const char *words[WORDS_MAX];
	enum rs_export_format format;
} formats[] = {
    {{"export", "state", NULL}, RS_EXPORT_CSV},
    {{"-J", "export", "state", NULL}, RS_EXPORT_JSON},
    {{"export", "--format=json", "state", "-J", NULL}, RS_EXPORT_JSON},
    {{"export", "state", "--format", "ministat", NULL}, RS_EXPORT_MINISTAT},
};

START_TEST(an_export_has_a_format)
{
	struct rs_args a;
	struct rs_error e = {0};

	ck_assert_int_eq(parse(formats[_i].words, &a, &e), 0);
	ck_assert_int_eq(a.format, formats[_i].format);
}
END_TEST

START_TEST(an_export_takes_a_metric_labels_and_times)
{
	static char words[][16] = {
	    "ringside", "export", "m", "cpu=0", "--after", "-3600", "mode=a=b"};
	char *argv[RS_ARRAY_LEN(words) + 1] = {NULL};
	struct rs_args a;
	struct rs_error e = {0};

	/* Labels are told by the words themselves: these last. */
	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++)
		argv[i] = words[i];
	ck_assert_msg(rs_args_parse((int)RS_ARRAY_LEN(words), argv, &a, &e) == 0, "%s", e.text);
	ck_assert_str_eq(a.metric, "m");
	ck_assert_str_eq(a.after, "-3600");
	ck_assert_uint_eq(a.n_labels, 2);
	ck_assert(rs_text_eq(a.labels[0].name, "cpu") && rs_text_eq(a.labels[0].value, "0"));
	ck_assert(rs_text_eq(a.labels[1].name, "mode") && rs_text_eq(a.labels[1].value, "a=b"));
}
END_TEST

START_TEST(what_is_not_understood_is_refused_with_the_nearest_word)
{
	struct rs_args a;
	struct rs_error e = {0};

	ck_assert_int_eq(parse(refused[_i].words, &a, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, refused[_i].sentence) != NULL, "%s", e.text);
}
END_TEST

START_TEST(options_stand_before_and_behind_the_command)
{
	static const char *const before[WORDS_MAX] = {
	    "-Ju", "http://h:1", "--token-file=t", "changes", NULL};
	static const char *const behind[WORDS_MAX] = {
	    "changes", "--url", "http://h:1", "--token-file", "t", "--json", NULL};
	struct rs_args a;
	struct rs_error e = {0};

	for (unsigned i = 0; i < 2; i++) {
		ck_assert_int_eq(parse(i == 0 ? before : behind, &a, &e), 0);
		ck_assert_int_eq(a.mode, RS_ARGS_RUN);
		ck_assert(a.command->run == rs_cmd_changes);
		ck_assert(a.is_json);
		ck_assert_ptr_null(a.kind);
	}
}
END_TEST

START_TEST(help_and_version_need_no_command)
{
	static const char *const help[WORDS_MAX] = {"map", "--help", NULL};
	static const char *const version[WORDS_MAX] = {"--version", NULL};
	struct rs_args a;
	struct rs_error e = {0};

	ck_assert_int_eq(parse(help, &a, &e), 0);
	ck_assert_int_eq(a.mode, RS_ARGS_HELP);
	ck_assert_int_eq(parse(version, &a, &e), 0);
	ck_assert_int_eq(a.mode, RS_ARGS_VERSION);
}
END_TEST

static const struct {
	const char *text;
	const char *base; /* NULL: refused */
	const char *socket;
	bool is_local;
} targets[] = {
    {RS_TARGET_DEFAULT, "http://127.0.0.1:7464", "", true},
    {"http://localhost:1/", "http://localhost:1", "", true},
    {"http://box.localhost:1", "http://box.localhost:1", "", true},
    {"http://[::1]:7464", "http://[::1]:7464", "", true},
    {"http://127.8.9.10", "http://127.8.9.10", "", true},
    {"http://127.0.0.1.example:1", "http://127.0.0.1.example:1", "", false},
    {"http://localhost.example:1", "http://localhost.example:1", "", false},
    {"http://router:7464", "http://router:7464", "", false},
    {"http://router/ringside//", "http://router/ringside", "", false},
    {"unix:/run/ringside/sock", "http://localhost", "/run/ringside/sock", true},
    {"unix:///run/sock", "http://localhost", "///run/sock", true},
    {"", NULL, NULL, false},
    {"router", NULL, NULL, false},
    {"router:7464", NULL, NULL, false},
    {"https://router", NULL, NULL, false},
    {"ftp://router", NULL, NULL, false},
    {"file:///etc/passwd", NULL, NULL, false},
    {"http://", NULL, NULL, false},
    {"http://router:99999", NULL, NULL, false},
    {"http://me:secret@router", NULL, NULL, false},
    {"http://me@router", NULL, NULL, false},
    {"http://router/?a=b", NULL, NULL, false},
    {"http://router/#a", NULL, NULL, false},
    {"http://rou\nter/", NULL, NULL, false},
    {"unix:", NULL, NULL, false},
    {"unix:run/sock", NULL, NULL, false},
    {"unix:/0123456789012345678901234567890123456789012345678901234567890123456789"
     "0123456789012345678901234567890123456",
	NULL, NULL, false},
};

START_TEST(an_address_is_a_url_or_the_path_of_a_socket)
{
	struct rs_target t = {.base = "untouched"};
	struct rs_error e = {0};
	const int rc = rs_target_parse(targets[_i].text, &t, &e);

	if (targets[_i].base == NULL) {
		ck_assert_int_eq(rc, -EINVAL);
		ck_assert_str_ne(e.text, "");
		ck_assert_str_eq(t.base, "untouched");
		return;
	}
	ck_assert_msg(rc == 0, "%s", e.text);
	ck_assert_str_eq(t.base, targets[_i].base);
	ck_assert_str_eq(t.socket, targets[_i].socket);
	ck_assert_int_eq(t.is_local, targets[_i].is_local);
}
END_TEST

START_TEST(a_secret_in_the_address_is_not_repeated)
{
	struct rs_target t;
	struct rs_error e = {0};

	ck_assert_int_eq(rs_target_parse("http://me:hunter2@router", &t, &e), -EINVAL);
	ck_assert_ptr_null(strstr(e.text, "hunter2"));
}
END_TEST

START_TEST(parameters_are_encoded)
{
	struct rs_buf path;

	rs_buf_init(&path, 200);
	rs_buf_puts(&path, "changes");
	rs_fetch_parameter(&path, "kind", "a b&c=d/\xc3\xa4");
	rs_fetch_parameter(&path, "limit", "3");
	ck_assert_str_eq(rs_buf_cstr(&path), "changes?kind=a%20b%26c%3Dd%2F%C3%A4&limit=3");
	rs_buf_fini(&path);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("client_args");
	TCase *tc = tcase_create("client_args");

	tcase_add_loop_test(tc, what_is_not_understood_is_refused_with_the_nearest_word, 0,
	    (int)RS_ARRAY_LEN(refused));
	tcase_add_loop_test(tc, an_export_has_a_format, 0, (int)RS_ARRAY_LEN(formats));
	tcase_add_test(tc, an_export_takes_a_metric_labels_and_times);
	tcase_add_test(tc, options_stand_before_and_behind_the_command);
	tcase_add_test(tc, help_and_version_need_no_command);
	tcase_add_loop_test(
	    tc, an_address_is_a_url_or_the_path_of_a_socket, 0, (int)RS_ARRAY_LEN(targets));
	tcase_add_test(tc, a_secret_in_the_address_is_not_repeated);
	tcase_add_test(tc, parameters_are_encoded);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

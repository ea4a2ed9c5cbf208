/* SPDX-License-Identifier: ISC */
/*
 * Configuration: every key has a default, what is not understood is an error
 * with its line, a bad text changes nothing that matters.
 */
#include "config.h"
#include "config_keys.h"
#include "options.h"
#include "rs_check.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct rs_config config;
static struct rs_error error;

static void
setup(void)
{
	ck_assert_int_eq(rs_config_default(&config), 0);
	rs_error_clear(&error);
}

static void
teardown(void)
{
	rs_config_free(&config);
}

static int
parse(const char *text)
{
	return rs_config_parse(&config, rs_text_of(text), "x.conf", &error);
}

START_TEST(an_empty_file_is_valid)
{
	ck_assert_int_eq(parse(""), 0);
	ck_assert_int_eq(rs_config_check(&config, &error), 0);
	ck_assert(config.interval_ns == RS_NS_PER_S);
	ck_assert_str_eq(config.listen.item[0], "127.0.0.1:7464");
	ck_assert_ptr_null(config.listen.item[1]);
	ck_assert_uint_eq(config.max_series, 20000);
	ck_assert(config.max_size_bytes == 256000000);
	ck_assert(config.retention_raw_ns == 7 * 86400 * RS_NS_PER_S);
}
END_TEST

START_TEST(values_are_taken_in_their_units)
{
	ck_assert_int_eq(parse("# comment\n"
			       "[sampling]\r\n"
			       "interval = 200ms ; why\n"
			       "reserved_cores = 2-3,6\n"
			       "[web]\n"
			       "listen = [::1]:80, unix:/run/r.sock\n"
			       "listen = 127.0.0.1:1\n"
			       "allow_anonymous_read = yes\n"
			       "[store]\nmax_size = 1GB\n"
			       "[rules]\n"
			       "core.imbalance.enabled = no"),
	    0);
	ck_assert(config.interval_ns == 200 * RS_NS_PER_MS);
	ck_assert(rs_cpuset_has(&config.reserved_cores, 6));
	ck_assert_uint_eq(rs_cpuset_count(&config.reserved_cores), 3);
	ck_assert_str_eq(config.listen.item[0], "[::1]:80");
	ck_assert_str_eq(config.listen.item[1], "unix:/run/r.sock");
	ck_assert_str_eq(config.listen.item[2], "127.0.0.1:1");
	ck_assert_ptr_null(config.listen.item[3]);
	ck_assert(config.allow_anonymous_read);
	ck_assert(config.max_size_bytes == 1000000000);
	for (size_t i = 0; rs_rules[i]; i++)
		ck_assert_int_eq(
		    config.rules[i].is_enabled, strcmp(rs_rules[i]->code, "core.imbalance") != 0);
}
END_TEST

static const struct {
	const char *text;
	const char *says; /* all of it must be in the message */
	const char *too;
} bad[] = {
    {"[sampling]\ninterval = 100ms\n", "x.conf:2: interval: '100ms' is out of range",
	"200ms to 60s"},
    {"[sampling]\ninterval = 61s\n", "x.conf:2:", "out of range"},
    {"[sampling]\ninterval = 1s\ninterval = 2s\n", "x.conf:3: interval: set before, in line 2", ""},
    {"[sampling]\ninterval = 1\n", "x.conf:2: interval: '1' is not valid", "200ms to 60s"},
    {"[sampling]\ninterval =\n", "x.conf:2:", "not valid"},
    {"\n\n[sampling]\nintervall = 1s\n", "x.conf:4: unknown key 'intervall'", "'interval'"},
    {"[smapling]\ninterval = 1s\n", "x.conf:2: unknown section [smapling]", "[sampling]"},
    {"interval = 1s\n", "x.conf:1: unknown section []", ""},
    {"[rules]\ncore.imbalanc.enabled = no\n", "x.conf:2: unknown key", "core.imbalance.enabled"},
    {"[rules]\ncore.imbalance.enabled = maybe\n", "x.conf:2: core.imbalance.enabled", "yes or no"},
    {"[rules]\ncore.imbalance.hot = 7\n", "x.conf:2: core.imbalance.hot: '7' is out of range", "0"},
    {"[rules]\ncore.imbalance.hot = nan\n", "x.conf:2: core.imbalance.hot", "not valid"},
    {"[web]\nmax_connections = 99999999999999999999\n", "x.conf:2: max_connections", "4 to 1024"},
    {"[web]\nallow_anonymous_read = perhaps\n", "x.conf:2:", "yes or no"},
    {"[sampling]\nreserved_cores = 3-1\n", "x.conf:2: reserved_cores", "0-3,8"},
    {"[sampling]\nreserved_cores = 0-99999\n", "x.conf:2: reserved_cores", ""},
    {"[service]\nlog = paper\n", "x.conf:2: log: 'paper'", "stderr|syslog"},
    {"[sampling\ninterval = 1s\n", "x.conf:1:", ""},
    {"[sampling]\nnonsense\n", "x.conf:2:", "key = value"},
    {"[web]\nlisten = a b c d e f g h i j k l m n o p q\n", "x.conf:2: listen", "16"},
    {"[limits]\nmax_series = -5\n", "x.conf:2: max_series", "not valid"},
};

START_TEST(what_is_not_understood_is_an_error_with_its_line)
{
	ck_assert_msg(parse(bad[_i].text) < 0, "accepted: %s", bad[_i].text);
	ck_assert_msg(strstr(error.text, bad[_i].says) && strstr(error.text, bad[_i].too),
	    "the message is: %s", error.text);
}
END_TEST

START_TEST(a_line_too_long_is_an_error_not_cut)
{
	char text[1000] = "[web]\nallowed_hosts = ";
	memset(text + strlen(text), 'a', 700);
	ck_assert_int_lt(parse(text), 0);
	ck_assert_msg(strstr(error.text, "x.conf:2: the line is longer"), "%s", error.text);
}
END_TEST

START_TEST(a_nul_byte_is_an_error)
{
	static const char text[] = "[web]\nlisten = 127.0.0.1:1\0evil\n";
	ck_assert_int_lt(rs_config_parse(&config, (struct rs_text){text, text + sizeof(text) - 1},
			     "x.conf", &error),
	    0);
	ck_assert_msg(strstr(error.text, "x.conf:2:"), "%s", error.text);
}
END_TEST

START_TEST(every_cut_of_a_file_is_read_or_refused)
{
	static const char text[] =
	    "[sampling]\ninterval = 500ms\n[web]\nlisten = 127.0.0.1:7 [::1]:8\n"
	    "[rules]\ncore.imbalance.hot = 0.95\n";
	for (size_t n = 0; n < sizeof(text); n++) {
		rs_config_free(&config);
		setup();
		(void)rs_config_parse(&config, (struct rs_text){text, text + n}, "x.conf", &error);
	}
}
END_TEST

START_TEST(an_interval_must_divide_the_minute)
{
	ck_assert_int_eq(parse("[sampling]\ninterval = 7s\n"), 0);
	ck_assert_int_eq(rs_config_check(&config, &error), -EINVAL);
	ck_assert_msg(strstr(error.text, "x.conf:2: interval: a minute"), "%s", error.text);
}
END_TEST

static const struct {
	const char *text;
	const char *says; /* NULL: valid */
} stores[] = {
    {"retention_raw = 2h\nretention_minute = 2d\nretention_hour = 2d\nmax_size = 4MB\n", NULL},
    {"retention_raw = 90d\n", NULL},
    {"retention_raw = 91d\n", "x.conf:2: retention_raw: must not be longer than retention_minute"},
    {"retention_minute = 6d\n",
	"x.conf:2: retention_minute: must not be shorter than retention_raw"},
    {"retention_raw = 200d\nretention_minute = 100d\n",
	"x.conf:3: retention_minute: must not be shorter than retention_raw"},
    {"retention_minute = 2000d\n",
	"x.conf:2: retention_minute: must not be longer than retention_hour"},
    {"retention_hour = 60d\n",
	"x.conf:2: retention_hour: must not be shorter than retention_minute"},
    {"retention_raw = 1h\n", "x.conf:2: retention_raw: '1h' is out of range"},
    {"retention_minute = 1d\n", "x.conf:2: retention_minute: '1d' is out of range"},
    {"max_size = 3MB\n", "x.conf:2: max_size: '3MB' is out of range"},
    {"commit_interval = 30s\n", "x.conf:2: commit_interval: '30s' is out of range"},
    {"commit_interval = 10m\n", NULL},
    {"path = none\nhead_path = none\n", NULL},
    {"path =\n", "x.conf:2: path: a file is needed"},
    {"path = x.db\nhead_path =\n", "x.conf:3: head_path: a file is needed"},
};

START_TEST(a_store_that_cannot_be_meant_is_refused)
{
	char text[256];
	(void)snprintf(text, sizeof(text), "[store]\n%s", stores[_i].text);
	int rc = parse(text);
	if (rc == 0)
		rc = rs_config_check(&config, &error);
	if (!stores[_i].says)
		ck_assert_msg(rc == 0, "%s", error.text);
	else
		ck_assert_msg(
		    rc < 0 && strstr(error.text, stores[_i].says) == error.text, "%s", error.text);
}
END_TEST

START_TEST(a_clear_threshold_above_its_raise_threshold_is_refused)
{
	ck_assert_int_eq(parse("[rules]\ncore.imbalance.hot = 0.6\n"), 0);
	ck_assert_int_eq(rs_config_check(&config, &error), -EINVAL);
	ck_assert_msg(
	    strstr(error.text, "x.conf: [rules] core.imbalance.hot_clear"), "%s", error.text);
}
END_TEST

START_TEST(a_late_error_is_told_with_the_line_of_its_key)
{
	ck_assert_int_eq(parse("[web]\nlisten = foo:7464\n"), 0);
	ck_assert_int_eq(
	    rs_config_blame(&config, "web", -EINVAL, "'foo:7464': expected", &error), -EINVAL);
	ck_assert_str_eq(error.text, "x.conf:2: listen: 'foo:7464': expected");
	rs_error_clear(&error);
	(void)rs_config_blame(&config, "web", -EINVAL, "token_file: no such file", &error);
	ck_assert_str_eq(error.text, "token_file: no such file");
}
END_TEST

START_TEST(a_webhook_is_an_address_of_the_web)
{
	ck_assert_int_eq(parse("[alerts]\nwebhook = https://hooks.example.net/x\n"), 0);
	ck_assert_int_eq(rs_config_check(&config, &error), 0);
	ck_assert_int_eq(parse("[alerts]\n\nwebhook = file:///etc/passwd\n"), 0);
	ck_assert_int_eq(rs_config_check(&config, &error), -EINVAL);
	ck_assert_str_eq(
	    error.text, "x.conf:3: webhook: an address begins with http:// or https://");
}
END_TEST

START_TEST(the_description_is_a_valid_file_once_uncommented)
{
	struct rs_buf all, text;
	rs_buf_init(&all, 1 << 20);
	rs_buf_init(&text, 1 << 20);
	rs_config_describe(&all);
	struct rs_text rest = {all.data, all.data + all.len}, line;
	while (rs_text_line(&rest, &line)) {
		if (rs_text_starts(line, "# "))
			continue;
		if (rs_text_starts(line, "#"))
			line.p++;
		rs_buf_put(&text, line.p, rs_text_len(line));
		rs_buf_putc(&text, '\n');
	}
	ck_assert_msg(parse(rs_buf_cstr(&text)) == 0, "%s", error.text);
	struct rs_config defaults;
	char restart[512];
	ck_assert_int_eq(rs_config_default(&defaults), 0);
	rs_config_needs_restart(&defaults, &config, restart, sizeof(restart));
	ck_assert_str_eq(restart, "");
	rs_config_free(&defaults);
	rs_buf_fini(&all);
	rs_buf_fini(&text);
}
END_TEST

START_TEST(what_needs_a_restart_is_named)
{
	struct rs_config defaults;
	char restart[512];
	ck_assert_int_eq(rs_config_default(&defaults), 0);
	ck_assert_int_eq(
	    parse("[sampling]\ninterval=2s\nreserved_cores=1\n[web]\nlisten=[::1]:5\n"), 0);
	rs_config_needs_restart(&defaults, &config, restart, sizeof(restart));
	ck_assert_str_eq(restart, "sampling.interval, web.listen");
	rs_config_free(&defaults);
}
END_TEST

START_TEST(a_missing_file_counts_only_when_asked_for)
{
	ck_assert_int_eq(rs_config_load(&config, "/nonexistent/x.conf", false, &error), 0);
	ck_assert_int_lt(rs_config_load(&config, "/nonexistent/x.conf", true, &error), 0);
	ck_assert_msg(strstr(error.text, "/nonexistent/x.conf"), "%s", error.text);
	rs_error_clear(&error);
	ck_assert_int_lt(rs_config_load(&config, "/", true, &error), 0);
}
END_TEST

/* ------------------------------------------------------------ command line */

static const struct {
	const char *argv[8];
	const char *says; /* NULL: valid */
} lines[] = {
    {{"ringsided"}, NULL},
    {{"ringsided", "-f", "-c", "x", "--db", "none", "--listen", "[::1]:1"}, NULL},
    {{"ringsided", "--once", "-J", "--root", "/tmp"}, NULL},
    {{"ringsided", "-J"}, "-J goes with --once"},
    {{"ringsided", "--frobnicate"}, "unknown option '--frobnicate'"},
    {{"ringsided", "--listen"}, "'--listen' needs a value"},
    {{"ringsided", "-c"}, "'-c' needs a value"},
    {{"ringsided", "surplus"}, "unexpected argument 'surplus'"},
    {{"ringsided", "--describe", "weather"}, "none of metrics"},
    {{"ringsided", "--once", "--check-config"}, "only one of"},
};

START_TEST(command_lines)
{
	char *argv[9] = {0};
	int argc = 0;
	char copy[8][64];
	for (; argc < 8 && lines[_i].argv[argc]; argc++) {
		(void)rs_text_copy(rs_text_of(lines[_i].argv[argc]), copy[argc], 64);
		argv[argc] = copy[argc];
	}
	struct rs_options o;
	const int rc = rs_options_parse(argc, argv, &o, &error);
	if (!lines[_i].says)
		ck_assert_msg(rc == 0, "%s", error.text);
	else
		ck_assert_msg(rc < 0 && strstr(error.text, lines[_i].says), "%s", error.text);
}
END_TEST

static void
take(struct rs_config *ret, const char *const *arguments)
{
	char *argv[9] = {0};
	char copy[8][128];
	int argc = 0;
	for (; argc < 8 && arguments[argc]; argc++) {
		(void)rs_text_copy(rs_text_of(arguments[argc]), copy[argc], 128);
		argv[argc] = copy[argc];
	}
	struct rs_options o;
	ck_assert_msg(rs_options_parse(argc, argv, &o, &error) == 0, "%s", error.text);
	ck_assert_msg(rs_options_config(&o, ret, &error) == 0, "%s", error.text);
}

START_TEST(a_database_of_ones_own_has_a_head_of_its_own)
{
	char file[] = "/tmp/ringside-test-XXXXXX";
	const int fd = mkstemp(file);
	ck_assert_int_ge(fd, 0);
	(void)close(fd);
	const char *const lines_of[][8] = {
	    {"ringsided", "-c", file},
	    {"ringsided", "-c", file, "--db", "/var/lib/ringside/ringside.db"},
	    {"ringsided", "-c", file, "--db", "/tmp/a.db"},
	    {"ringsided", "-c", file, "--db", "/tmp/b.db"},
	    {"ringsided", "-c", file, "--db", "/tmp/a.db", "--head", "/dev/shm/x"},
	};
	struct rs_config c[RS_ARRAY_LEN(lines_of)];
	for (size_t i = 0; i < RS_ARRAY_LEN(lines_of); i++)
		take(&c[i], lines_of[i]);
	ck_assert_str_eq(c[0].head_path, "/run/ringside/head");
	ck_assert_str_eq(c[1].head_path, "/run/ringside/head");
	ck_assert_ptr_nonnull(strstr(c[2].head_path, "/run/ringside/head-"));
	ck_assert_str_ne(c[2].head_path, c[3].head_path);
	ck_assert_str_eq(c[4].head_path, "/dev/shm/x");
	for (size_t i = 0; i < RS_ARRAY_LEN(lines_of); i++)
		rs_config_free(&c[i]);
	(void)unlink(file);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("config");
	TCase *const t = tcase_create("config");
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, an_empty_file_is_valid);
	tcase_add_test(t, values_are_taken_in_their_units);
	tcase_add_loop_test(
	    t, what_is_not_understood_is_an_error_with_its_line, 0, (int)RS_ARRAY_LEN(bad));
	tcase_add_test(t, a_line_too_long_is_an_error_not_cut);
	tcase_add_test(t, a_nul_byte_is_an_error);
	tcase_add_test(t, every_cut_of_a_file_is_read_or_refused);
	tcase_add_test(t, an_interval_must_divide_the_minute);
	tcase_add_loop_test(
	    t, a_store_that_cannot_be_meant_is_refused, 0, (int)RS_ARRAY_LEN(stores));
	tcase_add_test(t, a_clear_threshold_above_its_raise_threshold_is_refused);
	tcase_add_test(t, a_late_error_is_told_with_the_line_of_its_key);
	tcase_add_test(t, a_webhook_is_an_address_of_the_web);
	tcase_add_test(t, the_description_is_a_valid_file_once_uncommented);
	tcase_add_test(t, what_needs_a_restart_is_named);
	tcase_add_test(t, a_missing_file_counts_only_when_asked_for);
	tcase_add_test(t, a_database_of_ones_own_has_a_head_of_its_own);
	tcase_add_loop_test(t, command_lines, 0, (int)RS_ARRAY_LEN(lines));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

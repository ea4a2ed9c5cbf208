/* SPDX-License-Identifier: ISC */
/*
 * The logger. Standard error is a datagram socket here, so that each write is
 * one message.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "log.h"
#include "rs_check.h"

static int reader = -1;
static int saved_stderr = -1;

static void
setup(void)
{
	int pair[2];

	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, pair), 0);
	reader = pair[0];
	saved_stderr = dup(STDERR_FILENO);
	ck_assert_int_ge(dup2(pair[1], STDERR_FILENO), 0);
	(void)close(pair[1]);
	(void)unsetenv("JOURNAL_STREAM");
	rs_log_setup(RS_LOG_STDERR, RS_LOG_INFO);
}

static void
teardown(void)
{
	(void)dup2(saved_stderr, STDERR_FILENO);
	(void)close(saved_stderr);
	(void)close(reader);
}

/* The next write to standard error, "" when there was none. */
static const char *
next_line(void)
{
	static char line[2048];
	const ssize_t len = recv(reader, line, sizeof(line) - 1, MSG_DONTWAIT);

	line[len > 0 ? len : 0] = '\0';
	return line;
}

START_TEST(log_writes_a_line_at_once_with_its_level)
{
	errno = ENOENT;
	rs_log_warn("core %u is '%s'", 3u, "hot");
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_str_eq(next_line(), "warning: core 3 is 'hot'\n");
	rs_log_err("no");
	ck_assert_str_eq(next_line(), "error: no\n");
	ck_assert_str_eq(next_line(), "");
}
END_TEST

START_TEST(log_hides_what_is_less_urgent_than_asked)
{
	rs_log_debug("hidden");
	ck_assert_str_eq(next_line(), "");
	rs_log_setup(RS_LOG_STDERR, RS_LOG_DEBUG);
	rs_log_debug("shown");
	ck_assert_str_eq(next_line(), "debug: shown\n");
	rs_log_setup(RS_LOG_STDERR, RS_LOG_ERR);
	rs_log_warn("hidden");
	ck_assert_str_eq(next_line(), "");
}
END_TEST

START_TEST(log_gives_priorities_to_the_journal_only)
{
	struct stat st;
	char stream[64];

	ck_assert_int_eq(fstat(STDERR_FILENO, &st), 0);
	(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino);
	(void)setenv("JOURNAL_STREAM", stream, 1);
	rs_log_setup(RS_LOG_STDERR, RS_LOG_INFO);
	rs_log_notice("to the journal");
	ck_assert_str_eq(next_line(), "<5>to the journal\n");
	/* Inherited, but standard error leads elsewhere. */
	(void)snprintf(stream, sizeof(stream), "%llu:%llu", (unsigned long long)st.st_dev,
	    (unsigned long long)st.st_ino + 1);
	(void)setenv("JOURNAL_STREAM", stream, 1);
	rs_log_setup(RS_LOG_STDERR, RS_LOG_INFO);
	rs_log_notice("to a person");
	ck_assert_str_eq(next_line(), "notice: to a person\n");
	(void)unsetenv("JOURNAL_STREAM");
}
END_TEST

START_TEST(log_keeps_a_hostile_text_on_one_short_line)
{
	char text[5000];

	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	rs_log_info("%s", "a\nerror: forged\x1b[2J");
	ck_assert_str_eq(next_line(), "info: a?error: forged?[2J\n");
	rs_log_info("%s", text);
	const char *line = next_line();

	ck_assert_uint_eq(strlen(line), 1024);
	ck_assert_int_eq(line[1023], '\n');
	ck_assert_str_eq(next_line(), "");
}
END_TEST

START_TEST(log_holds_back_the_eleventh_line_of_a_call_site)
{
	for (int i = 0; i < 25; i++)
		rs_log_info("again %d", i);
	for (int i = 0; i < 10; i++)
		ck_assert_str_ne(next_line(), "");
	ck_assert_str_eq(next_line(), "");
	rs_log_info("another call site");
	ck_assert_str_eq(next_line(), "info: another call site\n");
}
END_TEST

START_TEST(log_says_how_many_were_held_back)
{
	struct rs_log_site site = {{0}, 0, 0};

	/* As if ten had been shown two minutes ago and seven held back since. */
	for (size_t i = 0; i < RS_LOG_BURST; i++)
		site.shown_ns[i] = 1;
	site.held = 7;
	rs_log_at(&site, RS_LOG_INFO, "disk is slow");
	ck_assert_str_eq(next_line(), "info: disk is slow (7 like it held back)\n");
	rs_log_at(&site, RS_LOG_INFO, "disk is slow");
	ck_assert_str_eq(next_line(), "info: disk is slow\n");
}
END_TEST

START_TEST(log_passes_at_most_ten_in_any_minute)
{
	struct rs_log_site site = {{0}, 0, 0};
	rs_ns passed[2000];
	size_t n_passed = 0;
	unsigned held, held_in_all = 0, offered = 0;

	/* Seven a second for three minutes, not in step with the minute. */
	for (rs_ns now = 12345; now < 180 * RS_NS_PER_S; now += RS_NS_PER_S / 7) {
		offered++;
		if (rs_log_passes(&site, now, &held)) {
			passed[n_passed++] = now;
			held_in_all += held;
		}
	}
	ck_assert_uint_eq(n_passed, 30);
	ck_assert_uint_eq(held_in_all + site.held, offered - 30);
	for (size_t i = RS_LOG_BURST; i < n_passed; i++)
		ck_assert_int_ge(passed[i] - passed[i - RS_LOG_BURST], 60 * RS_NS_PER_S);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("log");
	TCase *tc = tcase_create("log");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_test(tc, log_writes_a_line_at_once_with_its_level);
	tcase_add_test(tc, log_hides_what_is_less_urgent_than_asked);
	tcase_add_test(tc, log_gives_priorities_to_the_journal_only);
	tcase_add_test(tc, log_keeps_a_hostile_text_on_one_short_line);
	tcase_add_test(tc, log_holds_back_the_eleventh_line_of_a_call_site);
	tcase_add_test(tc, log_says_how_many_were_held_back);
	tcase_add_test(tc, log_passes_at_most_ten_in_any_minute);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* Documents handed to commands, and what findings become of them. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "alerts.h"
#include "log.h"
#include "outbox.h"
#include "rs_check.h"

static struct rs_loop *loop;
static struct rs_outbox *box;
static struct rs_event *child, *guard, *poll;
static char dir[64];
static bool (*is_done)(void);

static void
on_child(void *arg)
{
	(void)arg;
	rs_outbox_reap(box);
}

static void
on_guard(void *arg)
{
	(void)arg;
	ck_abort_msg("waited for half a minute");
}

static void
on_poll(void *arg)
{
	(void)arg;
	if (is_done())
		rs_loop_stop(loop);
	else
		rs_timer_arm(poll, 5 * RS_NS_PER_MS);
}

static void
setup(void)
{
	rs_log_setup(RS_LOG_STDERR, RS_LOG_ERR);
	(void)signal(SIGPIPE, SIG_IGN);
	strcpy(dir, "/tmp/rs-outbox-XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(dir));
	ck_assert_int_eq(chdir(dir), 0);
	ck_assert_int_eq(rs_loop_new(&loop), 0);
	ck_assert_int_eq(rs_loop_timer(loop, "guard", on_guard, NULL, &guard), 0);
	ck_assert_int_eq(rs_loop_timer(loop, "poll", on_poll, NULL, &poll), 0);
	rs_timer_arm(guard, 30 * RS_NS_PER_S);
}

static void
teardown(void)
{
	char command[128];

	rs_event_free(child);
	rs_outbox_free(box);
	rs_event_free(guard);
	rs_event_free(poll);
	rs_loop_free(loop);
	(void)snprintf(command, sizeof(command), "rm -rf %s", dir);
	ck_assert_int_eq(system(command), 0);
}

static void
open_box(const char *command, const char *secret, rs_ns timeout_ns, unsigned attempts)
{
	const char *const argv[] = {"/bin/sh", "-c", command, NULL};
	const struct rs_outbox_conf c = {
	    .name = "test",
	    .argv = argv,
	    .secret = secret,
	    .timeout_ns = timeout_ns,
	    .retry_ns = 10 * RS_NS_PER_MS,
	    .attempts = attempts,
	};
	ck_assert_int_eq(rs_outbox_new(&c, loop, &box), 0);
	ck_assert_int_eq(rs_loop_signal(loop, "SIGCHLD", SIGCHLD, on_child, NULL, &child), 0);
}

static struct rs_outbox_stats
stats(void)
{
	struct rs_outbox_stats s;

	rs_outbox_get_stats(box, &s);
	return s;
}

static void
run_until(bool (*fn)(void))
{
	is_done = fn;
	rs_timer_arm(poll, 0);
	ck_assert_int_eq(rs_loop_run(loop), 0);
}

static bool
is_empty(void)
{
	return stats().waiting == 0;
}

static bool
is_failing(void)
{
	return stats().is_failing;
}

static void
put(const char *text)
{
	ck_assert_int_eq(rs_outbox_put(box, rs_text_of(text)), 0);
}

static const char *
content(const char *name)
{
	static char text[16384];
	FILE *const f = fopen(name, "r");

	ck_assert_msg(f != NULL, "%s", name);
	text[fread(text, 1, sizeof(text) - 1, f)] = '\0';
	(void)fclose(f);
	return text;
}

static unsigned
count(const char *text, const char *word)
{
	unsigned n = 0;

	for (const char *p = text; (p = strstr(p, word)) != NULL; p++)
		n++;
	return n;
}

START_TEST(outbox_delivers_in_order)
{
	open_box("cat >> out", NULL, 10 * RS_NS_PER_S, 3);
	put("one\n");
	put("two\n");
	put("three\n");
	run_until(is_empty);
	ck_assert_str_eq(content("out"), "one\ntwo\nthree\n");
	ck_assert_uint_eq(stats().delivered, 3);
	ck_assert_uint_eq(stats().dropped, 0);
}
END_TEST

START_TEST(outbox_delivers_more_than_a_pipe_holds)
{
	char *const text = malloc(200001);

	ck_assert_ptr_nonnull(text);
	memset(text, 'x', 200000);
	text[200000] = '\0';
	open_box("wc -c > out", NULL, 10 * RS_NS_PER_S, 3);
	put(text);
	free(text);
	run_until(is_empty);
	ck_assert_int_eq(atoi(content("out")), 200000);
}
END_TEST

START_TEST(outbox_tries_again_until_it_works)
{
	/* Works from the third time on. */
	open_box(
	    "echo x >> tries; [ $(wc -l < tries) -ge 3 ] && cat > out", NULL, 10 * RS_NS_PER_S, 10);
	put("document");
	run_until(is_empty);
	ck_assert_str_eq(content("out"), "document");
	ck_assert_uint_eq(stats().failed_attempts, 2);
	ck_assert_uint_eq(stats().delivered, 1);
	ck_assert(!stats().is_failing);
	ck_assert_str_eq(stats().error, "");
}
END_TEST

START_TEST(outbox_gives_up_and_goes_on_with_the_next)
{
	open_box("grep -q good || { echo refused >&2; exit 3; }", NULL, 10 * RS_NS_PER_S, 3);
	put("bad");
	put("good");
	run_until(is_failing);
	ck_assert_str_eq(stats().error, "failed with status 3: refused");
	run_until(is_empty);
	ck_assert_uint_eq(stats().failed_attempts, 3);
	ck_assert_uint_eq(stats().dropped, 1);
	ck_assert_uint_eq(stats().delivered, 1);
}
END_TEST

START_TEST(outbox_ends_a_command_that_hangs_with_all_it_started)
{
	open_box("sleep 1000 & echo $! > pid; wait", NULL, 200 * RS_NS_PER_MS, 1);
	put("x");
	run_until(is_empty);
	ck_assert_str_eq(stats().error, "no answer within 0 s");
	ck_assert_uint_eq(stats().dropped, 1);
	/* Its end may take a moment. */
	const pid_t pid = (pid_t)atoi(content("pid"));
	for (int i = 0; i < 1000 && kill(pid, 0) == 0; i++) {
		char path[64];
		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		FILE *const f = fopen(path, "r");
		char line[256] = "";
		if (f) {
			(void)!fgets(line, sizeof(line), f);
			(void)fclose(f);
		}
		if (strstr(line, ") Z "))
			return; /* nobody collects it here */
		(void)nanosleep(&(struct timespec){.tv_nsec = 5000000}, NULL);
	}
	ck_assert_int_ne(kill(pid, 0), 0);
}
END_TEST

START_TEST(outbox_of_a_command_that_is_not_there_says_so)
{
	const char *const argv[] = {"/nonexistent/command", NULL};
	const struct rs_outbox_conf c = {.name = "test",
	    .argv = argv,
	    .timeout_ns = RS_NS_PER_S,
	    .retry_ns = 5 * RS_NS_PER_MS,
	    .attempts = 2};

	ck_assert_int_eq(rs_outbox_new(&c, loop, &box), 0);
	ck_assert_int_eq(rs_loop_signal(loop, "SIGCHLD", SIGCHLD, on_child, NULL, &child), 0);
	put("x");
	run_until(is_empty);
	ck_assert_ptr_nonnull(strstr(stats().error, "cannot run '/nonexistent/command'"));
	ck_assert_uint_eq(stats().dropped, 1);
}
END_TEST

static bool
has_two(void)
{
	return stats().delivered >= 2;
}

START_TEST(outbox_that_is_full_gives_up_the_oldest_that_waits)
{
	open_box("sleep 0.3; cat >> out; echo >> out", NULL, 10 * RS_NS_PER_S, 3);
	const int before = dup(STDERR_FILENO);
	const int log = open("log", O_CREAT | O_WRONLY, 0600);
	ck_assert_int_eq(dup2(log, STDERR_FILENO), STDERR_FILENO);
	put("first"); /* being delivered */
	for (int i = 0; i < 70; i++) {
		char text[16];
		(void)snprintf(text, sizeof(text), "%d", i);
		put(text);
	}
	ck_assert_int_eq(dup2(before, STDERR_FILENO), STDERR_FILENO);
	(void)close(log);
	(void)close(before);
	ck_assert_uint_eq(count(content("log"), "given up"), 1); /* said once */
	ck_assert_uint_eq(stats().waiting, 64);
	ck_assert_uint_eq(stats().dropped, 7);
	/* The one that is read now stays whole; 0 to 6 are gone. */
	run_until(has_two);
	ck_assert_int_eq(strncmp(content("out"), "first\n7\n", 8), 0);
}
END_TEST

START_TEST(outbox_tells_a_secret_by_descriptor_only)
{
	open_box("cat <&3 > secret; cat > out; tr '\\0' ' ' < /proc/$$/cmdline > args", "hush",
	    10 * RS_NS_PER_S, 1);
	put("document");
	run_until(is_empty);
	ck_assert_str_eq(content("secret"), "hush");
	ck_assert_str_eq(content("out"), "document");
	ck_assert_ptr_null(strstr(content("args"), "hush"));
}
END_TEST

START_TEST(outbox_survives_a_command_that_reads_nothing_and_says_much)
{
	open_box("yes 2>/dev/null | head -c 300000 >&2; exit 1", NULL, 10 * RS_NS_PER_S, 1);
	put("x");
	run_until(is_empty);
	ck_assert_str_eq(stats().error, "failed with status 1: y");
}
END_TEST

/* The second command is started while the pipes of the first are open: did it
 * inherit them, the first would wait for the end of its input as long as the
 * second runs. */
START_TEST(outbox_commands_do_not_hold_the_pipes_of_others)
{
	const char *const argv[] = {"/bin/sh", "-c", "exec sleep 25", NULL};
	const struct rs_outbox_conf c = {.name = "other",
	    .argv = argv,
	    .timeout_ns = 1000 * RS_NS_PER_S,
	    .retry_ns = RS_NS_PER_S,
	    .attempts = 1};
	struct rs_outbox *other;

	open_box("cat > out", NULL, 20 * RS_NS_PER_S, 1);
	ck_assert_int_eq(rs_outbox_new(&c, loop, &other), 0);
	put("document");
	ck_assert_int_eq(rs_outbox_put(other, rs_text_of("x")), 0);
	run_until(is_empty);
	ck_assert_str_eq(content("out"), "document");
	ck_assert_uint_eq(stats().delivered, 1);
	rs_outbox_free(other);
}
END_TEST

/* Findings. */

static struct rs_alerts *alerts;

static bool
has_delivered(void)
{
	struct rs_outbox_stats s;

	rs_outbox_get_stats(rs_alerts_exec(alerts), &s);
	if (s.waiting > 0)
		return false;
	if (!rs_alerts_webhook(alerts))
		return true;
	rs_outbox_get_stats(rs_alerts_webhook(alerts), &s);
	return s.waiting == 0;
}

static struct rs_finding
finding(int64_t id)
{
	struct rs_finding f = {.id = id, .raised_ms = 1700000000000, .severity = RS_WARN};

	strcpy(f.code, "core.imbalance");
	strcpy(f.message, "core 3 saturated by \"eth0\"");
	f.subject = rs_subject_host;
	return f;
}

START_TEST(alerts_tell_what_is_raised_and_cleared)
{
	const struct rs_alerts_conf c = {.exec = "cat >> out", .webhook = ""};
	struct rs_finding f = finding(7), other = finding(8);

	ck_assert_int_eq(rs_alerts_new(&c, loop, &alerts), 0);
	rs_alerts_finding(alerts, RS_FINDING_RAISED, &f);
	rs_alerts_finding(alerts, RS_FINDING_CHANGED, &f); /* it was never told as cleared */
	f.cleared_ms = 1700000060000;
	rs_alerts_finding(alerts, RS_FINDING_CLEARED, &f);
	rs_alerts_finding(alerts, RS_FINDING_CHANGED, &other);
	f.cleared_ms = 0;
	rs_alerts_finding(alerts, RS_FINDING_CHANGED, &f); /* raised again */
	rs_alerts_finding(alerts, RS_FINDING_CHANGED, &f);
	run_until(has_delivered);
	const char *const out = content("out");
	ck_assert_uint_eq(count(out, "\"event\":\"raised\""), 2);
	ck_assert_uint_eq(count(out, "\"event\":\"cleared\""), 1);
	ck_assert_uint_eq(count(out, "\n"), 3);
	ck_assert_uint_eq(count(out, "core 3 saturated by \\\"eth0\\\""), 3);
	rs_alerts_free(alerts);
}
END_TEST

/* A curl of our own tells how the real one would be called. */
START_TEST(alerts_give_curl_no_secret_in_its_arguments)
{
	static const char url[] = "https://hooks.example.net/T0/s3cr3t";
	const struct rs_alerts_conf c = {.exec = "cat >> out", .webhook = url};
	const struct rs_finding f = finding(7);
	char path[256];

	FILE *const script = fopen("curl", "w");
	ck_assert_ptr_nonnull(script);
	(void)fputs("#!/bin/sh\necho \"$@\" > args\ncat <&3 > config\ncat > body\n", script);
	(void)fclose(script);
	ck_assert_int_eq(chmod("curl", 0755), 0);
	(void)snprintf(path, sizeof(path), "%s:/usr/bin:/bin", dir);
	ck_assert_int_eq(setenv("PATH", path, 1), 0);

	ck_assert_int_eq(rs_alerts_new(&c, loop, &alerts), 0);
	rs_alerts_finding(alerts, RS_FINDING_RAISED, &f);
	run_until(has_delivered);
	ck_assert_ptr_null(strstr(content("args"), "s3cr3t"));
	/* Its file of options is not read, and "[" in an address is no pattern. */
	ck_assert_int_eq(strncmp(content("args"), "--disable ", 10), 0);
	ck_assert_ptr_nonnull(strstr(content("args"), " --globoff "));
	ck_assert_ptr_nonnull(
	    strstr(content("config"), "url = \"https://hooks.example.net/T0/s3cr3t\""));
	ck_assert_ptr_nonnull(strstr(content("body"), "\"event\":\"raised\""));
	rs_alerts_free(alerts);
}
END_TEST

static const struct {
	const char *url;
	bool is_good;
} urls[] = {
    {"http://127.0.0.1:8080/x", true},
    {"https://hooks.example.net/a?b=c&d=%20", true},
    {"ftp://example.net/", false},
    {"file:///etc/passwd", false},
    {"example.net", false},
    {"https://a\"\nproxy = \"evil", false},
    {"https://a b", false},
    {"https://a\\b", false},
};

START_TEST(alerts_webhook_is_an_address_curl_may_have)
{
	const char *why;

	ck_assert_msg(
	    rs_alerts_is_webhook(urls[_i].url, &why) == urls[_i].is_good, "%s", urls[_i].url);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("outbox");
	TCase *tc = tcase_create("outbox");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_set_timeout(tc, 60);
	tcase_add_test(tc, outbox_delivers_in_order);
	tcase_add_test(tc, outbox_delivers_more_than_a_pipe_holds);
	tcase_add_test(tc, outbox_tries_again_until_it_works);
	tcase_add_test(tc, outbox_gives_up_and_goes_on_with_the_next);
	tcase_add_test(tc, outbox_ends_a_command_that_hangs_with_all_it_started);
	tcase_add_test(tc, outbox_of_a_command_that_is_not_there_says_so);
	tcase_add_test(tc, outbox_that_is_full_gives_up_the_oldest_that_waits);
	tcase_add_test(tc, outbox_tells_a_secret_by_descriptor_only);
	tcase_add_test(tc, outbox_survives_a_command_that_reads_nothing_and_says_much);
	tcase_add_test(tc, outbox_commands_do_not_hold_the_pipes_of_others);
	tcase_add_test(tc, alerts_tell_what_is_raised_and_cleared);
	tcase_add_test(tc, alerts_give_curl_no_secret_in_its_arguments);
	tcase_add_loop_test(
	    tc, alerts_webhook_is_an_address_curl_may_have, 0, (int)RS_ARRAY_LEN(urls));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* Hosts, credentials and origins: who may read, and through which name. */
#include <errno.h>
#include <string.h>

#include "auth.h"
#include "rs_check.h"
#include "web.h"

static const char *const allowed_hosts[] = {"router.example", "mon.example.", NULL};
static const char *const cors_origins[] = {"https://panel.example", "http://[::1]:3000", NULL};
static const char *const loopback[] = {"127.0.0.1:7464", NULL};

static struct rs_policy policy;

static void
setup(void)
{
	const struct rs_web_conf c = {.listen = loopback,
	    .token = "s3cret",
	    .allowed_hosts = allowed_hosts,
	    .cors_origins = cors_origins};

	ck_assert_int_eq(rs_policy_init(&policy, &c, "gate.lan.example"), 0);
}

static void
teardown(void)
{
	rs_policy_fini(&policy);
}

static const struct {
	const char *host;
	bool is_known;
} hosts[] = {
    {"127.0.0.1", true},
    {"127.0.0.1:7464", true},
    {"192.168.1.1:80", true},
    {"0.0.0.0", true},
    {"[::1]", true},
    {"[::1]:7464", true},
    {"[fe80::1]:1", true},
    {"[::ffff:10.0.0.1]", true},
    {"localhost", true},
    {"LocalHost:7464", true},
    {"localhost.", true},
    {"gate.lan.example", true},
    {"GATE.lan.example:7464", true},
    {"gate", true},
    {"gate:80", true},
    {"router.example", true},
    {"router.example.:443", true},
    {"", false},
    {":7464", false},
    {".", false},
    {"evil.example", false},
    {"evil.example:7464", false},
    {"localhost.evil.example", false},
    {"gate.evil.example", false},
    {"gate.lan", false},
    {"gate.lan.example.evil.example", false},
    {"127.0.0.1.evil.example", false},
    {"127.1", false},
    {"2130706433", false},
    {"0x7f000001", false},
    {"127.0.0.1:x", false},
    {"127.0.0.1:80:80", false},
    {"127.0.0.1@evil.example", false},
    {"evil.example@127.0.0.1", false},
    {"::1", false},
    {"[::1", false},
    {"[::1]x", false},
    {"[::1].evil.example", false},
    {"[evil.example]", false},
    {"[127.0.0.1]", false},
    {"[]", false},
    {"local host", false},
    {"localhost,evil.example", false},
};

START_TEST(auth_knows_only_its_own_names)
{
	ck_assert_msg(rs_policy_knows_host(&policy, hosts[_i].host) == hosts[_i].is_known,
	    "Host: %s", hosts[_i].host);
}
END_TEST

START_TEST(auth_machine_without_name_has_no_empty_host)
{
	const struct rs_web_conf c = {.listen = loopback};
	struct rs_policy nameless;

	ck_assert_int_eq(rs_policy_init(&nameless, &c, ""), 0);
	ck_assert(!rs_policy_knows_host(&nameless, ""));
	ck_assert(!rs_policy_knows_host(&nameless, "gate"));
	ck_assert(rs_policy_knows_host(&nameless, "localhost"));
	rs_policy_fini(&nameless);
}
END_TEST

static const struct {
	enum rs_peer peer;
	bool is_forwarded;
	const char *authorization;
	enum rs_access access;
} readers[] = {
    {RS_PEER_LOOPBACK, false, NULL, RS_ACCESS_OPEN},
    {RS_PEER_UNIX, false, NULL, RS_ACCESS_OPEN},
    {RS_PEER_LOOPBACK, false, "Bearer wrong", RS_ACCESS_OPEN},
    {RS_PEER_LOOPBACK, true, NULL, RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_UNIX, true, NULL, RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_LOOPBACK, true, "Bearer s3cret", RS_ACCESS_OPEN},
    {RS_PEER_REMOTE, false, NULL, RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer s3cret", RS_ACCESS_OPEN},
    {RS_PEER_REMOTE, false, "bearer   s3cret ", RS_ACCESS_OPEN},
    /* "admin:s3cret", ":s3cret", "a:b:s3cret", "admin:wrong", "s3cret" */
    {RS_PEER_REMOTE, false, "Basic YWRtaW46czNjcmV0", RS_ACCESS_OPEN},
    {RS_PEER_REMOTE, false, "basic OnMzY3JldA==", RS_ACCESS_OPEN},
    {RS_PEER_REMOTE, false, "basic OnMzY3JldA", RS_ACCESS_OPEN},
    {RS_PEER_REMOTE, false, "Basic YTpiOnMzY3JldA==", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Basic YWRtaW46d3Jvbmc=", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Basic czNjcmV0", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Basic %%%", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Basic", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer ", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer s3cre", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer s3crets3cret", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Bearer S3CRET", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "Digest s3cret", RS_ACCESS_NEEDS_CREDENTIAL},
    {RS_PEER_REMOTE, false, "s3cret", RS_ACCESS_NEEDS_CREDENTIAL},
};

START_TEST(auth_reading_is_open_here_and_takes_the_token_elsewhere)
{
	const struct rs_headers h = {
	    .authorization = readers[_i].authorization, .is_forwarded = readers[_i].is_forwarded};

	ck_assert_int_eq(rs_policy_read(&policy, readers[_i].peer, &h), readers[_i].access);
}
END_TEST

START_TEST(auth_long_credentials_are_refused_not_cut)
{
	char basic[2048] = "Basic ";
	const struct rs_headers h = {.authorization = basic};

	memset(basic + 6, 'A', sizeof(basic) - 7);
	ck_assert_int_eq(rs_policy_read(&policy, RS_PEER_REMOTE, &h), RS_ACCESS_NEEDS_CREDENTIAL);
}
END_TEST

START_TEST(auth_without_token_nobody_elsewhere_reads_unless_all_may)
{
	struct rs_web_conf c = {.listen = loopback};
	const struct rs_headers bare = {0}, empty = {.authorization = "Bearer "};
	struct rs_policy p;

	ck_assert_int_eq(rs_policy_init(&p, &c, "x"), 0);
	ck_assert_int_eq(rs_policy_read(&p, RS_PEER_REMOTE, &bare), RS_ACCESS_CLOSED);
	ck_assert_int_eq(rs_policy_read(&p, RS_PEER_REMOTE, &empty), RS_ACCESS_CLOSED);
	rs_policy_fini(&p);
	c.allow_anonymous_read = true;
	ck_assert_int_eq(rs_policy_init(&p, &c, "x"), 0);
	ck_assert_int_eq(rs_policy_read(&p, RS_PEER_REMOTE, &bare), RS_ACCESS_OPEN);
	rs_policy_fini(&p);
}
END_TEST

START_TEST(auth_only_listed_origins_may_read_across)
{
	ck_assert_str_eq(
	    rs_policy_origin(&policy, "https://panel.example"), "https://panel.example");
	ck_assert_ptr_nonnull(rs_policy_origin(&policy, "http://[::1]:3000"));
	ck_assert_ptr_null(rs_policy_origin(&policy, "http://panel.example"));
	ck_assert_ptr_null(rs_policy_origin(&policy, "https://panel.example:8443"));
	ck_assert_ptr_null(rs_policy_origin(&policy, "https://panel.example.evil.example"));
	ck_assert_ptr_null(rs_policy_origin(&policy, "null"));
	ck_assert_ptr_null(rs_policy_origin(&policy, ""));
	ck_assert_ptr_null(rs_policy_origin(&policy, NULL));
}
END_TEST

/* ---- listeners ---- */

static const struct {
	const char *listen;
	const char *token;
	bool allow_anonymous_read;
	const char *origin;
	const char *complaint; /* NULL: fine */
} confs[] = {
    {"127.0.0.1:7464", NULL, false, NULL, NULL},
    {"127.9.9.9:0", NULL, false, NULL, NULL},
    {"[::1]:7464", NULL, false, NULL, NULL},
    {"unix:/run/ringside.sock", NULL, false, NULL, NULL},
    {"0.0.0.0:7464", "t", false, NULL, NULL},
    {"0.0.0.0:7464", NULL, true, NULL, NULL},
    {"[::]:7464", "t", false, "https://a.example:1", NULL},
    {"0.0.0.0:7464", NULL, false, NULL, "token_file"},
    {"192.168.1.1:7464", NULL, false, NULL, "token_file"},
    {"[::]:7464", NULL, false, NULL, "token_file"},
    {"[::ffff:127.0.0.1]:7464", NULL, false, NULL, "written as 127.0.0.1:7464"},
    {"[::ffff:192.168.1.1]:0", "t", false, NULL, "written as 192.168.1.1:0"},
    {"127.0.0.1:7464", "", false, NULL, "empty"},
    {"127.0.0.1", NULL, false, NULL, "expected"},
    {"127.0.0.1:", NULL, false, NULL, "expected"},
    {"127.0.0.1:65536", NULL, false, NULL, "expected"},
    {"127.0.0.1:-1", NULL, false, NULL, "expected"},
    {"127.0.0.1:80x", NULL, false, NULL, "expected"},
    {"::1:7464", NULL, false, NULL, "expected"},
    {"[::1]", NULL, false, NULL, "expected"},
    {"[::1]:", NULL, false, NULL, "expected"},
    {"localhost:7464", NULL, false, NULL, "expected"},
    {":7464", NULL, false, NULL, "expected"},
    {"", NULL, false, NULL, "expected"},
    {"unix:relative", NULL, false, NULL, "absolute"},
    {"unix:", NULL, false, NULL, "absolute"},
    {"unix:/"
     "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"
     "aaaaaaaaaaaaaaaaaaaa",
	NULL, false, NULL, "longer"},
    {"127.0.0.1:1", NULL, false, "*", "cors_origins"},
    {"127.0.0.1:1", NULL, false, "panel.example", "cors_origins"},
    {"127.0.0.1:1", NULL, false, "https://panel.example/", "cors_origins"},
    {"127.0.0.1:1", NULL, false, "http://", "cors_origins"},
};

START_TEST(auth_configuration_is_refused_with_a_reason)
{
	const char *const listen[] = {confs[_i].listen, NULL};
	const char *const origins[] = {confs[_i].origin, NULL};
	const struct rs_web_conf c = {.listen = listen,
	    .token = confs[_i].token,
	    .allow_anonymous_read = confs[_i].allow_anonymous_read,
	    .cors_origins = origins};
	struct rs_error e = {0};
	const int r = rs_web_check(&c, &e);

	if (confs[_i].complaint == NULL) {
		ck_assert_msg(r == 0, "%s", e.text);
	} else {
		ck_assert_int_eq(r, -EINVAL);
		ck_assert_msg(strstr(e.text, confs[_i].complaint) != NULL, "%s", e.text);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("auth");
	TCase *tc = tcase_create("auth");

	tcase_add_checked_fixture(tc, setup, teardown);
	tcase_add_loop_test(tc, auth_knows_only_its_own_names, 0, (int)RS_ARRAY_LEN(hosts));
	tcase_add_test(tc, auth_machine_without_name_has_no_empty_host);
	tcase_add_loop_test(tc, auth_reading_is_open_here_and_takes_the_token_elsewhere, 0,
	    (int)RS_ARRAY_LEN(readers));
	tcase_add_test(tc, auth_long_credentials_are_refused_not_cut);
	tcase_add_test(tc, auth_without_token_nobody_elsewhere_reads_unless_all_may);
	tcase_add_test(tc, auth_only_listed_origins_may_read_across);
	tcase_add_loop_test(
	    tc, auth_configuration_is_refused_with_a_reason, 0, (int)RS_ARRAY_LEN(confs));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

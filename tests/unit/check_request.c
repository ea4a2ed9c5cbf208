/* SPDX-License-Identifier: ISC */
/* Request targets, times and tickets: what anybody may send. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "request.h"
#include "rs_check.h"
#include "timeparse.h"

/* name=value pairs of a parsed target, as "path|name=value|...". */
static void
show(const struct rs_request *q, char *dst, size_t cap)
{
	int n = snprintf(dst, cap, "%s", q->path);

	for (size_t i = 0; i < q->n_args; i++)
		n += snprintf(dst + n, cap - (size_t)n, "|%.*s=%.*s",
		    (int)rs_text_len(q->args[i].name), q->args[i].name.p,
		    (int)rs_text_len(q->args[i].value), q->args[i].value.p);
}

static const struct {
	const char *target;
	const char *shown; /* NULL: refused */
} targets[] = {
    {"/", "/"},
    {"/a/b", "/a/b"},
    {"/a?", "/a"},
    {"/a?x", "/a|x="},
    {"/a?x=", "/a|x="},
    {"/a?x=1&y=2", "/a|x=1|y=2"},
    {"/a?x=1&&y=2&", "/a|x=1|y=2"},
    {"/a?=1", "/a|=1"},
    {"/a?x=1=2", "/a|x=1=2"},
    {"/a?x=1?y=2", "/a|x=1?y=2"},
    {"/a?x=a+b%20c%2Bd", "/a|x=a b c+d"},
    {"/a+b?x=%26%3d", "/a+b|x=&="},
    {"/%61pi?%78=%C3%bc", "/api|x=\xc3\xbc"},
    {"/a?x=\xff", "/a|x=\xff"},
    {"/a?x=%2", NULL},
    {"/a?x=%", NULL},
    {"/a?x=%zz", NULL},
    {"/a?x=%%41", NULL},
    {"/a?x=%2&y=1", NULL},
    {"/a?x=%00", NULL},
    {"/a%00b", NULL},
    {"/a%0d%0ab", NULL},
    {"/a?x=%0A", NULL},
    {"/a?x=\x01", NULL},
    {"/a?x=%7f", NULL},
    {"/a?%0a=1", NULL},
    {"", ""},
};

START_TEST(request_targets_are_split_and_strictly_decoded)
{
	struct rs_request q = {0};
	struct rs_error e = {0};
	char shown[256];

	rs_reply_init(&q.reply);
	const int r = rs_request_parse(&q, targets[_i].target, &e);

	if (targets[_i].shown == NULL) {
		ck_assert_int_eq(r, -EINVAL);
		ck_assert_str_ne(e.text, "");
	} else {
		ck_assert_msg(r == 0, "%s", e.text);
		show(&q, shown, sizeof(shown));
		ck_assert_str_eq(shown, targets[_i].shown);
	}
	rs_request_fini(&q);
}
END_TEST

START_TEST(request_targets_cut_anywhere_are_read_or_refused)
{
	static const char whole[] = "/api/v1/series?metric=a%20b&cpu=1&cpu=2&after=-60";

	for (size_t len = 0; len < sizeof(whole); len++) {
		struct rs_request q = {0};
		char cut[sizeof(whole)];

		memcpy(cut, whole, len);
		cut[len] = '\0';
		rs_reply_init(&q.reply);
		(void)rs_request_parse(&q, cut, NULL);
		rs_request_fini(&q);
	}
}
END_TEST

START_TEST(request_refuses_too_many_parameters_and_too_long_targets)
{
	struct rs_request q = {0};
	struct rs_error e = {0};
	char target[RS_TARGET_MAX + 2] = "/a?";

	rs_reply_init(&q.reply);
	for (int i = 0; i < RS_ARGS_MAX; i++)
		strcat(target, "a&");
	ck_assert_int_eq(rs_request_parse(&q, target, &e), 0);
	rs_request_fini(&q);
	q.n_args = 0;
	strcat(target, "a");
	ck_assert_int_eq(rs_request_parse(&q, target, &e), -EINVAL);
	rs_request_fini(&q);
	memset(target, 'a', sizeof(target) - 1);
	target[sizeof(target) - 1] = '\0';
	ck_assert_int_eq(rs_request_parse(&q, target, NULL), -EINVAL);
	rs_request_fini(&q);
}
END_TEST

enum { NOW_S = 1700000000 };
#define NOW_MS (INT64_C(1000) * NOW_S)

static const struct {
	const char *text;
	bool is_time;
	int64_t ms;
} times[] = {
    {"0", true, 0},
    {"1700000000", true, NOW_MS},
    {"1700000000.25", true, NOW_MS + 250},
    {"1700000000.0004", true, NOW_MS},
    {"-60", true, NOW_MS - 60000},
    {"-0", true, NOW_MS},
    {"-0.5", true, NOW_MS - 500},
    {"99999999999", true, INT64_C(99999999999000)},
    {"100000000000", false, 0},
    {"1700000000000", false, 0},
    {"-100000000000", false, 0},
    {"99999999999999999999", false, 0},
    {"1970-01-01T00:00:00Z", true, 0},
    {"2023-11-14T22:13:20Z", true, NOW_MS},
    {"2023-11-14t22:13:20z", true, NOW_MS},
    {"2023-11-14T22:13:20.5Z", true, NOW_MS + 500},
    {"2023-11-14T22:13:20.123456789Z", true, NOW_MS + 123},
    {"2023-11-15T00:13:20+02:00", true, NOW_MS},
    {"2023-11-15T00:13:20 02:00", true, NOW_MS},
    {"2023-11-14T16:43:20-05:30", true, NOW_MS},
    {"2024-02-29T00:00:00Z", true, INT64_C(1709164800000)},
    {"2000-03-01T00:00:00Z", true, INT64_C(951868800000)},
    {"1969-12-31T23:59:59Z", true, -1000},
    {"2016-12-31T23:59:60Z", true, INT64_C(1483228800000)},
    {"2023-02-29T00:00:00Z", false, 0},
    {"1900-02-29T00:00:00Z", false, 0},
    {"2023-00-10T00:00:00Z", false, 0},
    {"2023-13-10T00:00:00Z", false, 0},
    {"2023-04-31T00:00:00Z", false, 0},
    {"2023-04-00T00:00:00Z", false, 0},
    {"2023-04-30T24:00:00Z", false, 0},
    {"2023-04-30T00:60:00Z", false, 0},
    {"2023-04-30T00:00:61Z", false, 0},
    {"2023-04-30T00:00:00", false, 0},
    {"2023-04-30T00:00:00.Z", false, 0},
    {"2023-04-30T00:00:00+0200", false, 0},
    {"2023-04-30T00:00:00+24:00", false, 0},
    {"2023-04-30T00:00:00Zx", false, 0},
    {"2023-04-30", false, 0},
    {"", false, 0},
    {"-", false, 0},
    {"now", false, 0},
    {"1e9", false, 0},
    {"nan", false, 0},
    {"inf", false, 0},
    {"0x10", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1,5", false, 0},
};

START_TEST(request_times_are_seconds_relative_or_rfc_3339)
{
	struct rs_error e = {0};
	int64_t ms = 77;
	const int r = rs_time_parse(rs_text_of(times[_i].text), NOW_MS, &ms, &e);

	ck_assert_msg((r == 0) == times[_i].is_time, "'%s': %s", times[_i].text, e.text);
	ck_assert_int_eq(ms, times[_i].is_time ? times[_i].ms : 77);
}
END_TEST

START_TEST(request_times_in_milliseconds_are_told_from_nonsense)
{
	struct rs_error e = {0};
	int64_t ms;

	ck_assert_int_eq(rs_time_parse(rs_text_of("1700000000000"), NOW_MS, &ms, &e), -EINVAL);
	ck_assert_ptr_nonnull(strstr(e.text, "milliseconds?"));
	rs_error_clear(&e);
	ck_assert_int_eq(rs_time_parse(rs_text_of("soon"), NOW_MS, &ms, &e), -EINVAL);
	ck_assert_ptr_null(strstr(e.text, "milliseconds?"));
}
END_TEST

START_TEST(request_ticket_outlives_the_request)
{
	struct rs_request q = {0};

	rs_reply_init(&q.reply);
	struct rs_ticket *ticket = rs_request_defer(&q);

	ck_assert_ptr_nonnull(ticket);
	rs_request_fini(&q);
	ck_assert_ptr_null(rs_ticket_redeem(ticket));
	ticket = rs_request_defer(&q);
	ck_assert_ptr_eq(rs_ticket_redeem(ticket), &q);
	rs_request_fini(&q);
}
END_TEST

static const struct {
	const char *name, *value;
	bool is_forwarded, has_body;
} headers[] = {
    {"Host", "a", false, false},
    {"Forwarded", "for=a", true, false},
    {"via", "1.1 a", true, false},
    {"VIA", "", true, false},
    {"X-Forwarded-For", "a", true, false},
    {"x-forwarded-host", "a", true, false},
    {"X-Forwarded-", "a", true, false},
    {"X-Real-IP", "a", true, false},
    {"X-Forwarded", "a", false, false},
    {"Viable", "a", false, false},
    {"Content-Length", "0", false, false},
    {"Content-Length", "1", false, true},
    {"content-length", "00", false, true},
    {"Content-Length", "", false, true},
    {"Transfer-Encoding", "chunked", false, true},
    {"Transfer-Encoding", "identity", false, true},
};

START_TEST(request_headers_tell_of_proxies_and_bodies)
{
	struct rs_request q = {0};

	rs_request_header(&q, headers[_i].name, headers[_i].value);
	rs_request_header(&q, "Accept", "x");
	ck_assert_int_eq(q.headers.is_forwarded, headers[_i].is_forwarded);
	ck_assert_int_eq(q.headers.has_body, headers[_i].has_body);
}
END_TEST

START_TEST(request_headers_that_matter_are_kept)
{
	struct rs_request q = {0};

	rs_request_header(&q, "host", "a");
	rs_request_header(&q, "HOST", "b");
	rs_request_header(&q, "authorization", "c");
	rs_request_header(&q, "last-event-id", "d");
	ck_assert_uint_eq(q.headers.n_hosts, 2);
	ck_assert_str_eq(q.headers.host, "b");
	ck_assert_str_eq(q.headers.authorization, "c");
	ck_assert_str_eq(q.headers.last_event_id, "d");
	ck_assert_ptr_null(q.headers.origin);
	ck_assert_int_eq(rs_method_of("GET"), RS_METHOD_GET);
	ck_assert_int_eq(rs_method_of("HEAD"), RS_METHOD_HEAD);
	ck_assert_int_eq(rs_method_of("get"), RS_METHOD_OTHER);
	ck_assert_int_eq(rs_method_of(""), RS_METHOD_OTHER);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("request");
	TCase *tc = tcase_create("request");

	tcase_add_loop_test(
	    tc, request_targets_are_split_and_strictly_decoded, 0, (int)RS_ARRAY_LEN(targets));
	tcase_add_test(tc, request_targets_cut_anywhere_are_read_or_refused);
	tcase_add_test(tc, request_refuses_too_many_parameters_and_too_long_targets);
	tcase_add_loop_test(
	    tc, request_times_are_seconds_relative_or_rfc_3339, 0, (int)RS_ARRAY_LEN(times));
	tcase_add_test(tc, request_times_in_milliseconds_are_told_from_nonsense);
	tcase_add_loop_test(
	    tc, request_headers_tell_of_proxies_and_bodies, 0, (int)RS_ARRAY_LEN(headers));
	tcase_add_test(tc, request_headers_that_matter_are_kept);
	tcase_add_test(tc, request_ticket_outlives_the_request);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

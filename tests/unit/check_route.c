/* SPDX-License-Identifier: ISC */
/* Parameters checked against the tables of the routes. */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "route.h"
#include "rs_check.h"

static const struct {
	const char *target;
	const char *complaint; /* NULL: accepted */
} targets[] = {
    {"/api/v1/summary", NULL},
    {"/api/v1/summary?x=1", "unknown parameter 'x'"},
    {"/api/v1/findings", NULL},
    {"/api/v1/findings?state=active", NULL},
    {"/api/v1/findings?state=all", NULL},
    {"/api/v1/findings?state=", "state: expected one of active, all"},
    {"/api/v1/findings?state=ALL", "state: expected one of active, all"},
    {"/api/v1/findings?stat=all", "did you mean 'state'?"},
    {"/api/v1/findings?state=all&state=all", "state: given more than once"},
    {"/api/v1/series", "metric: missing"},
    {"/api/v1/series?metric=", "metric: expected 1 to 63 bytes"},
    {"/api/v1/series?metric=m", NULL},
    {"/api/v1/series?metric=m&metric=n", "metric: given more than once"},
    {"/api/v1/series?metric=m&cpu=0&cpu=1&device=eth0", NULL},
    {"/api/v1/series?metric=m&cpu=", "cpu: expected 1 to 23 bytes"},
    {"/api/v1/series?metric=m&device=aaaaaaaaaaaaaaaaaaaaaaaa", "device: expected 1 to 23"},
    {"/api/v1/series?metric=m&points=1", NULL},
    {"/api/v1/series?metric=m&points=100000", NULL},
    {"/api/v1/series?metric=m&points=0", "points: expected a whole number from 1 to 100000"},
    {"/api/v1/series?metric=m&points=100001", "points: expected"},
    {"/api/v1/series?metric=m&points=-1", "points: expected"},
    {"/api/v1/series?metric=m&points=1.5", "points: expected"},
    {"/api/v1/series?metric=m&points=99999999999999999999", "points: expected"},
    {"/api/v1/series?metric=m&point=5", "did you mean 'points'?"},
    {"/api/v1/series?metric=m&after=-60&before=-1", NULL},
    {"/api/v1/series?metric=m&after=1700000000000", "after: "},
    {"/api/v1/series?metric=m&after=1700000000000", "milliseconds?"},
    {"/api/v1/series?metric=m&before=", "before: expected"},
    {"/api/v1/series?metric=m&aggregate=avg&format=csv&layout=rows", NULL},
    {"/api/v1/series?metric=m&aggregate=median", "avg, min, max, sum"},
    {"/api/v1/series?metric=m&=x", "unknown parameter ''"},
    {"/api/v1/series?metric=m&Metric=x", "did you mean 'metric'?"},
};

START_TEST(route_parameters_are_checked_by_the_table)
{
	struct rs_request q = {.now_ms = INT64_C(1700000000000)};
	struct rs_error e = {0};

	rs_reply_init(&q.reply);
	ck_assert_int_eq(rs_request_parse(&q, targets[_i].target, &e), 0);
	const struct rs_route *route = rs_route_find(rs_routes, q.path);

	ck_assert_ptr_nonnull(route);
	const int r = rs_route_check(route, &q, &e);

	if (targets[_i].complaint == NULL) {
		ck_assert_msg(r == 0, "%s", e.text);
		ck_assert_ptr_eq(q.route, route);
	} else {
		ck_assert_int_eq(r, -EINVAL);
		ck_assert_msg(strstr(e.text, targets[_i].complaint) != NULL, "%s", e.text);
	}
	rs_request_fini(&q);
}
END_TEST

static int64_t
number_of(const char *target, const char *name)
{
	struct rs_request q = {.now_ms = INT64_C(1700000000000)};
	struct rs_error e = {0};

	rs_reply_init(&q.reply);
	ck_assert_int_eq(rs_request_parse(&q, target, &e), 0);
	ck_assert_int_eq(rs_route_check(rs_route_find(rs_routes, q.path), &q, &e), 0);
	const int64_t v = rs_route_number(&q, name);

	rs_request_fini(&q);
	return v;
}

START_TEST(route_numbers_come_from_the_request_or_the_fallback)
{
	static const char given[] = "/api/v1/series?metric=m&after=5&aggregate=sum&format=csv";
	static const char bare[] = "/api/v1/series?metric=m";

	ck_assert_int_eq(number_of(given, "after"), 5000);
	ck_assert_int_eq(number_of(given, "aggregate"), 3);
	ck_assert_int_eq(number_of(given, "format"), 1);
	ck_assert_int_eq(number_of(bare, "after"), INT64_C(1699999400000));
	ck_assert_int_eq(number_of(bare, "before"), INT64_C(1700000000000));
	ck_assert_int_eq(number_of(bare, "aggregate"), 0);
	ck_assert_int_eq(number_of(bare, "layout"), 0);
}
END_TEST

START_TEST(route_unknown_paths_have_no_route)
{
	static const char *const paths[] = {"", "/", "/api", "/api/v1", "/api/v1/",
	    "/api/v1/summary/", "/API/v1/summary", "/api/v1/runs", "/api/v1/compare", "/metric",
	    "/api/v1/openapi.json"};

	for (size_t i = 0; i < RS_ARRAY_LEN(paths); i++)
		ck_assert_msg(rs_route_find(rs_routes, paths[i]) == NULL, "%s", paths[i]);
}
END_TEST

START_TEST(route_fallbacks_are_valid_values)
{
	for (const struct rs_route *route = rs_routes; route->path != NULL; route++) {
		ck_assert_str_ne(route->help, "");
		for (const struct rs_param *p = route->params; p != NULL && p->name != NULL; p++) {
			struct rs_request q = {.now_ms = 1};
			struct rs_error e = {0};
			char target[256];

			ck_assert_str_ne(p->help, "");
			if (p->fallback == NULL)
				continue;
			(void)snprintf(target, sizeof(target), "%s?metric=m&%s=%s", route->path,
			    p->name, p->fallback);
			if (strcmp(route->path, "/api/v1/series") != 0)
				(void)snprintf(target, sizeof(target), "%s?%s=%s", route->path,
				    p->name, p->fallback);
			rs_reply_init(&q.reply);
			ck_assert_int_eq(rs_request_parse(&q, target, &e), 0);
			ck_assert_msg(rs_route_check(route, &q, &e) == 0, "%s", e.text);
			rs_request_fini(&q);
		}
	}
}
END_TEST

START_TEST(route_description_names_every_route_and_parameter)
{
	struct rs_buf out;

	rs_buf_init(&out, 65536);
	rs_route_describe(rs_routes, &out);
	const char *text = rs_buf_cstr(&out);

	for (const struct rs_route *route = rs_routes; route->path != NULL; route++) {
		ck_assert_ptr_nonnull(strstr(text, route->path));
		for (const struct rs_param *p = route->params; p != NULL && p->name != NULL; p++)
			ck_assert_ptr_nonnull(strstr(text, p->name));
	}
	ck_assert_ptr_nonnull(strstr(text, "points=1..100000"));
	ck_assert_ptr_nonnull(strstr(text, "aggregate=avg|min|max|sum (default avg)"));
	rs_buf_fini(&out);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("route");
	TCase *tc = tcase_create("route");

	tcase_add_loop_test(
	    tc, route_parameters_are_checked_by_the_table, 0, (int)RS_ARRAY_LEN(targets));
	tcase_add_test(tc, route_numbers_come_from_the_request_or_the_fallback);
	tcase_add_test(tc, route_unknown_paths_have_no_route);
	tcase_add_test(tc, route_fallbacks_are_valid_values);
	tcase_add_test(tc, route_description_names_every_route_and_parameter);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

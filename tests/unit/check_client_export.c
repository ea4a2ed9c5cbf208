/* SPDX-License-Identifier: ISC */
/* Which series are meant, slices that join, pieces of history made into lines.
 * JSON is written with ' in place of " here. */
#include <errno.h>
#include <jansson.h>
#include <string.h>

#include "doc.h"
#include "lines.h"
#include "pick.h"
#include "rs_check.h"
#include "slice.h"

/* --- series ------------------------------------------------------------ */

static const char catalog_text[] =
    "[{'metric':'core_busy_ratio','labels':{'cpu':'0'}},"
    "{'metric':'core_busy_ratio','labels':{'cpu':'1'}},"
    "{'metric':'core_cpu_seconds','labels':{'cpu':'0','mode':'user'}},"
    "{'metric':'core_cpu_seconds','labels':{'cpu':'0','mode':'idle'}},"
    "{'metric':'core_cpu_seconds','labels':{'cpu':'1','mode':'user'}},"
    "{'metric':'state','labels':{}},"
    "{'metric':7,'labels':[]},{'labels':{'cpu':'0'}},7,"
    "{'metric':'odd','labels':{'cpu':0,'mode':null}},{'metric':'odd'}]";

static json_t *
parse(const char *text)
{
	char json[1024];
	json_t *doc = NULL;

	ck_assert_uint_lt(strlen(text), sizeof(json));
	(void)strcpy(json, text);
	for (char *c = json; *c != '\0'; c++)
		*c = *c == '\'' ? '"' : *c;
	ck_assert_int_eq(rs_doc_parse(rs_text_of(json), &doc, NULL), 0);
	return doc;
}

static void
set_labels(struct rs_args *a, const char *const words[3])
{
	for (size_t i = 0; i < 3 && words[i] != NULL; i++) {
		struct rs_args_label *const label = &a->labels[a->n_labels++];

		label->value = rs_text_of(words[i]);
		ck_assert(rs_text_until(&label->value, '=', &label->name));
	}
}

static const struct {
	const char *metric, *words[3];
	size_t n;	      /* series; 0: refused */
	const char *sentence; /* part of it; of ministat when there are several */
} picks[] = {
    {"state", {NULL}, 1, ""},
    {"core_busy_ratio", {"cpu=1"}, 1, ""},
    {"core_busy_ratio", {NULL}, 2,
	"2 series of 'core_busy_ratio' match, ministat takes one: "
	"choose with cpu=0|1"},
    {"core_busy_ratio", {"cpu=0", "cpu=1"}, 2, "cpu=0|1"},
    {"core_busy_ratio", {"cpu=0", "cpu=9"}, 1, ""},
    {"core_cpu_seconds", {NULL}, 3, "choose with cpu=0|1 and mode=user|idle"},
    {"core_cpu_seconds", {"mode=user"}, 2, "choose with cpu=0|1"},
    {"core_cpu_seconds", {"cpu=0"}, 2, "choose with mode=user|idle"},
    {"core_cpu_seconds", {"cpu=1", "mode=idle"}, 0, "all of these labels together"},
    {"core_cpu_seconds", {"mode=usr"}, 0, "has mode=usr; there is mode=user|idle"},
    {"core_cpu_seconds", {"mode=idle", "cpu=2"}, 0, "has cpu=2; there is cpu=0|1"},
    {"core_cpu_seconds", {"points=5"}, 0, "have no label 'points'; they have: cpu, mode"},
    {"state", {"cpu=0"}, 0, "have no label 'cpu'; they have: none"},
    {"core_busy_ratoi", {NULL}, 0, "did you mean: core_busy_ratio?"},
    {"core", {NULL}, 0, "did you mean: core_busy_ratio, core_cpu_seconds?"},
    {"ringside_state", {NULL}, 0, "did you mean: state?"},
    {"frobnication", {NULL}, 0, "no series of 'frobnication' (ringsided --describe metrics"},
    {"odd", {"cpu=0"}, 0, "have no label 'cpu'; they have: cpu, mode"},
};

START_TEST(words_choose_series_of_the_catalog)
{
	struct rs_args a = {.metric = picks[_i].metric};
	struct rs_error e = {0};
	json_t *const catalog = parse(catalog_text);
	size_t n = 0;

	set_labels(&a, picks[_i].words);
	const int rc = rs_pick_count(catalog, &a, &n, &e);

	ck_assert_int_eq(rc, picks[_i].n == 0 ? -EINVAL : 0);
	ck_assert_uint_eq(n, picks[_i].n);
	if (n > 1)
		ck_assert_int_eq(rs_pick_refuse(catalog, &a, n, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, picks[_i].sentence) != NULL, "%s", e.text);
	json_decref(catalog);
}
END_TEST

START_TEST(a_sentence_lists_a_few_of_many)
{
	struct rs_args a = {.metric = "m"};
	struct rs_error e = {0};
	json_t *const catalog = json_array();
	size_t n = 0;

	for (int i = 0; i < 5000; i++) {
		char cpu[12];

		(void)snprintf(cpu, sizeof(cpu), "%d", i);
		ck_assert_int_eq(json_array_append_new(catalog, json_pack("{s:s,s:{s:s}}", "metric",
								    "m", "labels", "cpu", cpu)),
		    0);
	}
	ck_assert_int_eq(rs_pick_count(catalog, &a, &n, &e), 0);
	ck_assert_uint_eq(n, 5000);
	ck_assert_int_eq(rs_pick_refuse(catalog, &a, n, &e), -EINVAL);
	ck_assert_msg(strstr(e.text, "cpu=0|1|2|3|4|5|6|7|...") != NULL, "%s", e.text);
	json_decref(catalog);
}
END_TEST

/* --- slices ------------------------------------------------------------ */

static const struct {
	int64_t after_ms, before_ms, interval_ms;
	unsigned ticks_max; /* of an answer; more is refused */
} ranges[] = {
    {0, 1000, 1000, 1},
    {123, 100123, 1000, 7},
    {500, 3600500, 1000, 100},
    {0, 3600000, 200, 1000},
    {-3, 60000, 1000, 59},
    {7, 8, 1000, 1},
    {INT64_C(1700000000000), INT64_C(1700604800000), 1000, 100000},
};

/* A daemon with a tick at phase, phase + interval, ... */
static unsigned
count_ticks(int64_t after_ms, int64_t before_ms, int64_t interval_ms, int64_t phase_ms)
{
	unsigned n = 0;
	int64_t t = after_ms - after_ms % interval_ms - interval_ms + phase_ms % interval_ms;

	for (; t <= before_ms; t += interval_ms)
		n += t > after_ms;
	return n;
}

/* The clock is moved by a millisecond back and forth with each answer. */
START_TEST(slices_have_every_tick_once)
{
	const int64_t interval_ms = ranges[_i].interval_ms;
	const int64_t phase_ms = 3 * interval_ms / 7;
	struct rs_slice s;
	unsigned n = 0, n_answers = 0, n_ticks;

	rs_slice_init(&s, ranges[_i].after_ms, ranges[_i].before_ms,
	    phase_ms + interval_ms / 2 + 40 * interval_ms, interval_ms);
	while (!rs_slice_is_over(&s)) {
		const int64_t end_ms = rs_slice_end(&s);

		ck_assert_int_gt(end_ms, s.after_ms);
		ck_assert_int_le(end_ms, ranges[_i].before_ms);
		ck_assert_uint_lt(++n_answers, 10000);
		/* Ends of the whole range are where somebody put them: left alone. */
		const bool is_inner =
		    s.after_ms != ranges[_i].after_ms && end_ms != ranges[_i].before_ms;
		n_ticks = count_ticks(
		    s.after_ms, end_ms, interval_ms, phase_ms + (is_inner ? n_answers % 2 : 0));
		if (n_ticks > ranges[_i].ticks_max) {
			ck_assert(rs_slice_halve(&s));
			continue;
		}
		n += n_ticks;
		rs_slice_next(&s, end_ms, n_ticks < ranges[_i].ticks_max / 4);
	}
	ck_assert_uint_eq(
	    n, count_ticks(ranges[_i].after_ms, ranges[_i].before_ms, interval_ms, phase_ms));
}
END_TEST

START_TEST(a_slice_of_one_tick_is_not_halved)
{
	struct rs_slice s;
	unsigned n = 0;

	rs_slice_init(&s, 0, 100000, 500, 1000);
	while (rs_slice_halve(&s))
		ck_assert_uint_lt(++n, 20);
	ck_assert_int_le(rs_slice_end(&s) - s.after_ms, 1000);
}
END_TEST

START_TEST(slices_end_where_they_are_told_to)
{
	struct rs_slice s;

	rs_slice_init(&s, 100, 10000000, 500, 1000);
	ck_assert(rs_slice_halve(&s));
	ck_assert_int_eq(rs_slice_end(&s), 4999500);
	rs_slice_align(&s, 123456500, 60000);
	ck_assert_int_eq(rs_slice_end(&s), 4956500);
	rs_slice_next(&s, 4956500, false);
	ck_assert_int_eq(rs_slice_end(&s), 4956500 + 4980000);
	rs_slice_next(&s, rs_slice_end(&s), false);
	ck_assert_int_eq(rs_slice_end(&s), 10000000);
}
END_TEST

START_TEST(slices_grow_again_after_an_empty_time)
{
	struct rs_slice s;
	unsigned n = 0;

	rs_slice_init(&s, 0, INT64_C(1700000000000), 500, 1000);
	while (rs_slice_halve(&s))
		;
	for (; !rs_slice_is_over(&s); n++)
		rs_slice_next(&s, rs_slice_end(&s), true);
	ck_assert_uint_lt(n, 40);
}
END_TEST

/* --- rows -------------------------------------------------------------- */

typedef int (*put_fn)(struct rs_lines *, struct rs_text, struct rs_buf *, struct rs_error *);

static const struct {
	put_fn put;
	const char *pieces[3];
	const char *printed; /* NULL: refused */
	size_t n;
} rows[] = {
    {rs_lines_csv, {"time_ms,cpu,value\r\n1,0,2\r\n1,1,\r\n", "time_ms,cpu,value\r\n2,0,3\r\n"},
	"time_ms,cpu,value\n1,0,2\n1,1,\n2,0,3\n", 3},
    {rs_lines_csv, {"time_ms,value\r\n", "time_ms,value\r\n"}, "time_ms,value\n", 0},
    {rs_lines_csv, {"time_ms,value\n-1,2\n"}, "time_ms,value\n-1,2\n", 1},
    {rs_lines_csv, {"time_ms,device,value\r\n1,\"a,\"\"b\",2\r\n"},
	"time_ms,device,value\n1,\"a,\"\"b\",2\n", 1},
    {rs_lines_csv, {"time_ms,device,value\r\n1,\x1b[2J\x9b\xc2\x85,2\r\n"},
	"time_ms,device,value\n1,?[2J???,2\n", 1},
    {rs_lines_csv, {""}, NULL, 0},
    {rs_lines_csv, {"time_ms,value"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\n1,2"}, NULL, 0},
    {rs_lines_csv, {"<html>\r\n"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\nx,2\r\n"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\n12\r\n"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\n,2\r\n"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\n\r\n"}, NULL, 0},
    {rs_lines_csv, {"time_ms,value\r\n1,2\r\n", ""}, NULL, 0},
    {rs_lines_ministat, {"time_ms,value\r\n1,2\r\n2,\r\n", "time_ms,value\r\n3,-1.5e-7\r\n"},
	"2\n-1.5e-7\n", 2},
    {rs_lines_ministat, {"time_ms,cpu,mode,value\r\n1,0,user,2\r\n2,0,user,3\r\n"}, "2\n3\n", 2},
    {rs_lines_ministat, {"time_ms,device,value\r\n1,\"a,b\",2\r\n2,\"a,b\",3\r\n"}, "2\n3\n", 2},
    {rs_lines_ministat, {"time_ms,cpu,value\r\n"}, "", 0},
    {rs_lines_ministat, {"time_ms,cpu,value\r\n1,0,2\r\n1,1,2\r\n"}, NULL, 0},
    {rs_lines_ministat, {"time_ms,cpu,value\r\n1,0,2\r\n", "time_ms,cpu,value\r\n1,1,2\r\n"}, NULL,
	0},
    {rs_lines_ministat, {"time_ms,value\r\n1,nan\r\n"}, NULL, 0},
    {rs_lines_ministat, {"time_ms,value\r\n1,2"}, NULL, 0},
    {rs_lines_json,
	{"{\"time_ms\":[1],\"s\":[\"\x7f\xc2\x85\xc3\xa4\x9b\"]}\n", "{\"time_ms\":[]}"},
	"{\"time_ms\":[1],\"s\":[\"\\u007f\\u0085\xc3\xa4?\"]}\n", 1},
    {rs_lines_json, {"{\"time_ms\":[]}", "{\"time_ms\":[],\"series\":[]}"},
	"{\"time_ms\":[],\"series\":[]}\n", 1},
    {rs_lines_json, {"{\"a\":\x1b\"\xf0\x9f\""}, NULL, 0},
    {rs_lines_json, {"{\x1b\"\xf0\x9f\"}"}, "{ \"??\"}\n", 1},
    {rs_lines_json, {""}, NULL, 0},
    {rs_lines_json, {"[]"}, NULL, 0},
    {rs_lines_json, {"{"}, NULL, 0},
};

START_TEST(pieces_of_history_become_lines)
{
	struct rs_lines r = {.n = 0};
	struct rs_error e = {0};
	struct rs_buf out;
	int rc = 0;

	rs_buf_init(&out, 10000);
	for (size_t i = 0; rc == 0 && rows[_i].pieces[i] != NULL; i++) {
		/* A copy of its exact size: reading beyond is seen. */
		const size_t len = strlen(rows[_i].pieces[i]);
		char *const copy = malloc(RS_MAX(len, (size_t)1));

		ck_assert_ptr_nonnull(copy);
		memcpy(copy, rows[_i].pieces[i], len);
		r.is_last = rows[_i].pieces[i + 1] == NULL;
		rc = rows[_i].put(&r, (struct rs_text){copy, copy + len}, &out, &e);
		free(copy);
	}
	if (rows[_i].printed == NULL) {
		ck_assert_int_eq(rc, -EBADMSG);
		ck_assert_str_ne(e.text, "");
	} else {
		ck_assert_int_eq(rc, 0);
		ck_assert_str_eq(rs_buf_cstr(&out), rows[_i].printed);
		ck_assert_uint_eq(r.n, rows[_i].n);
	}
	rs_buf_fini(&out);
}
END_TEST

static const struct {
	const char *piece;
	int64_t first_ms; /* -1: none */
} firsts[] = {
    {"time_ms,cpu,value\r\n17,0,2\r\n18,1,\r\n", 17},
    {"time_ms,value\n17", 17},
    {"time_ms,value\r\n", -1},
    {"time_ms,value", -1},
    {"", -1},
    {"{\"unit\":\"time_ms\",\"time_ms\":[17,18],\"series\":[]}", 17},
    {"{\"time_ms\":[17]}", 17},
    {"{\"time_ms\":[]}", -1},
    {"{\"time_ms\":[", -1},
    {"{}\n17,", -1},
};

START_TEST(a_piece_has_a_first_time)
{
	const size_t len = strlen(firsts[_i].piece);
	char *const copy = malloc(RS_MAX(len, (size_t)1));
	int64_t first_ms = -1;

	ck_assert_ptr_nonnull(copy);
	memcpy(copy, firsts[_i].piece, len);
	ck_assert_int_eq(rs_lines_first_ms((struct rs_text){copy, copy + len}, &first_ms),
	    firsts[_i].first_ms >= 0);
	ck_assert_int_eq(first_ms, firsts[_i].first_ms);
	free(copy);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("client_export");
	TCase *tc = tcase_create("client_export");

	tcase_add_loop_test(tc, words_choose_series_of_the_catalog, 0, (int)RS_ARRAY_LEN(picks));
	tcase_add_test(tc, a_sentence_lists_a_few_of_many);
	tcase_add_loop_test(tc, slices_have_every_tick_once, 0, (int)RS_ARRAY_LEN(ranges));
	tcase_add_test(tc, a_slice_of_one_tick_is_not_halved);
	tcase_add_test(tc, slices_end_where_they_are_told_to);
	tcase_add_test(tc, slices_grow_again_after_an_empty_time);
	tcase_add_loop_test(tc, pieces_of_history_become_lines, 0, (int)RS_ARRAY_LEN(rows));
	tcase_add_loop_test(tc, a_piece_has_a_first_time, 0, (int)RS_ARRAY_LEN(firsts));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

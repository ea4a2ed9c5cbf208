/* SPDX-License-Identifier: ISC */
/* History answers: the same text however small the pieces are taken. */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "buf.h"
#include "history.h"
#include "rs_check.h"

/* The store's, replaced here: nothing of SQLite is needed. */
void
rs_history_free(struct rs_history *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; h->series != NULL && i < h->n_series; i++)
		free(h->series[i].values);
	free(h->series);
	free(h->time_ms);
	free(h);
}

const char *
rs_store_words(int code)
{
	return code == -ENOSPC ? "disk full" : "?";
}

static struct rs_history *
make_history(uint16_t metric, size_t n_series, size_t n_times)
{
	struct rs_history *h = calloc(1, sizeof(*h));

	ck_assert_ptr_nonnull(h);
	h->tier = "raw";
	h->resolution_ms = 1000;
	h->n_times = n_times;
	h->n_series = n_series;
	h->time_ms = calloc(n_times + 1, sizeof(*h->time_ms));
	h->series = calloc(n_series + 1, sizeof(*h->series));
	ck_assert(h->time_ms != NULL && h->series != NULL);
	for (size_t t = 0; t < n_times; t++)
		h->time_ms[t] = 1000 + (int64_t)t * 1000;
	for (size_t i = 0; i < n_series; i++) {
		struct rs_history_series *s = &h->series[i];

		s->metric = metric;
		s->labels = rs_labels_none;
		if (rs_metrics[metric].on == RS_ON_CPU)
			s->labels.cpu = (int32_t)i;
		else
			(void)snprintf(s->labels.device, sizeof(s->labels.device), "a,\"%u",
			    (unsigned)i % 100);
		s->values = calloc(n_times + 1, sizeof(*s->values));
		ck_assert_ptr_nonnull(s->values);
		for (size_t t = 0; t < n_times; t++)
			s->values[t] = t % 3 == 1 ? (double)NAN : (double)(i * 10 + t) / 4;
	}
	return h;
}

/* The whole text, taken cap bytes at a time. */
static void
read_all(
    struct rs_history *take, const struct rs_history_form *form, size_t cap, struct rs_buf *ret)
{
	struct rs_source source;
	size_t held = 5;
	ptrdiff_t n;

	ck_assert_int_eq(rs_history_source(take, form, &held, &source), 0);
	ck_assert_uint_gt(held, 5);
	rs_buf_init(ret, (size_t)1 << 26);
	for (;;) {
		/* Exactly this room, so that the sanitizer sees one byte too far. */
		char *room = malloc(cap);

		ck_assert_ptr_nonnull(room);
		n = source.read(source.arg, room, cap);
		ck_assert_int_le(n, (ptrdiff_t)cap);
		if (n > 0)
			rs_buf_put(ret, room, (size_t)n);
		free(room);
		if (n <= 0)
			break;
	}
	ck_assert_int_eq(n, RS_SOURCE_END);
	source.free(source.arg);
	ck_assert_uint_eq(held, 5);
}

static const struct {
	uint16_t metric;
	size_t n_series, n_times;
	struct rs_history_form form;
	const char *text;
} forms[] = {
    {RS_M_CORE_PACKET_LOAD, 2, 3, {RS_FORMAT_JSON, RS_LAYOUT_COLUMNS, RS_AVG, NULL},
	"{\"metric\":\"core_packet_load_ratio\",\"unit\":\"ratio\",\"tier\":\"raw\","
	"\"resolution_ms\":1000,\"time_ms\":[1000,2000,3000],\"series\":["
	"{\"labels\":{\"cpu\":\"0\"},\"values\":[0,null,0.5]},"
	"{\"labels\":{\"cpu\":\"1\"},\"values\":[2.5,null,3]}]}"},
    {RS_M_NIC_RX_BYTES, 1, 2, {RS_FORMAT_JSON, RS_LAYOUT_COLUMNS, RS_AVG, NULL},
	"{\"metric\":\"interface_bytes\",\"unit\":\"bytes/s\",\"tier\":\"raw\","
	"\"resolution_ms\":1000,\"time_ms\":[1000,2000],\"series\":["
	"{\"labels\":{\"device\":\"a,\\\"0\",\"direction\":\"rx\"},\"values\":[0,null]}]}"},
    {RS_M_NIC_RX_BYTES, 0, 0, {RS_FORMAT_JSON, RS_LAYOUT_COLUMNS, RS_SUM, NULL},
	"{\"metric\":\"interface_bytes\",\"unit\":\"bytes\",\"tier\":\"raw\","
	"\"resolution_ms\":1000,\"time_ms\":[],\"series\":[]}"},
    {RS_M_NIC_RX_BYTES, 0, 2, {RS_FORMAT_JSON, RS_LAYOUT_ROWS, RS_AVG, NULL}, "[]"},
    {RS_M_NIC_RX_BYTES, 2, 0, {RS_FORMAT_JSON, RS_LAYOUT_ROWS, RS_AVG, NULL}, "[]"},
    {RS_M_CORE_PACKET_LOAD, 2, 2, {RS_FORMAT_JSON, RS_LAYOUT_ROWS, RS_AVG, NULL},
	"[{\"time_ms\":1000,\"cpu\":\"0\",\"value\":0},{\"time_ms\":1000,\"cpu\":\"1\",\"value\":"
	"2.5},{\"time_ms\":2000,\"cpu\":\"0\",\"value\":null},{\"time_ms\":2000,\"cpu\":\"1\","
	"\"value\":null}]"},
    {RS_M_CORE_PACKET_LOAD, 2, 2, {RS_FORMAT_CSV, RS_LAYOUT_COLUMNS, RS_AVG, NULL},
	"time_ms,cpu=0,cpu=1\r\n1000,0,2.5\r\n2000,,\r\n"},
    {RS_M_NIC_RX_BYTES, 1, 1, {RS_FORMAT_CSV, RS_LAYOUT_COLUMNS, RS_AVG, NULL},
	"time_ms,\"device=a,\"\"0 direction=rx\"\r\n1000,0\r\n"},
    {RS_M_NIC_RX_BYTES, 1, 3, {RS_FORMAT_CSV, RS_LAYOUT_ROWS, RS_AVG, NULL},
	"time_ms,device,direction,value\r\n1000,\"a,\"\"0\",rx,0\r\n2000,\"a,\"\"0\",rx,\r\n"
	"3000,\"a,\"\"0\",rx,0.5\r\n"},
    {RS_M_CORE_PACKET_LOAD, 0, 0, {RS_FORMAT_CSV, RS_LAYOUT_ROWS, RS_AVG, NULL},
	"time_ms,cpu,value\r\n"},
};

START_TEST(history_text_is_the_same_in_pieces_of_any_size)
{
	static const size_t caps[] = {1, 3, 100, 32470};
	struct rs_history_form form = forms[_i].form;
	struct rs_buf text;

	form.metric = &rs_metrics[forms[_i].metric];
	for (size_t i = 0; i < RS_ARRAY_LEN(caps); i++) {
		read_all(make_history(forms[_i].metric, forms[_i].n_series, forms[_i].n_times),
		    &form, caps[i], &text);
		ck_assert_str_eq(rs_buf_cstr(&text), forms[_i].text);
		rs_buf_fini(&text);
	}
}
END_TEST

START_TEST(history_says_what_it_lacks)
{
	const struct rs_history_form form = {.metric = &rs_metrics[RS_M_NIC_RX_BYTES]};
	struct rs_history *h = make_history(RS_M_NIC_RX_BYTES, 0, 0);
	struct rs_buf text;

	h->incomplete = -ENOSPC;
	read_all(h, &form, 100, &text);
	ck_assert_str_eq(rs_buf_cstr(&text),
	    "{\"metric\":\"interface_bytes\",\"unit\":\"bytes/s\",\"tier\":\"raw\","
	    "\"resolution_ms\":1000,\"incomplete\":\"disk full\",\"time_ms\":[],\"series\":[]}");
	rs_buf_fini(&text);
}
END_TEST

START_TEST(history_of_many_pieces_has_every_value_once)
{
	enum { N_SERIES = 7, N_TIMES = 5000 };
	static const struct rs_history_form layouts[] = {
	    {RS_FORMAT_CSV, RS_LAYOUT_COLUMNS, RS_AVG, NULL},
	    {RS_FORMAT_CSV, RS_LAYOUT_ROWS, RS_AVG, NULL},
	};
	static const size_t lines[] = {N_TIMES + 1, N_TIMES * N_SERIES + 1};

	for (size_t i = 0; i < RS_ARRAY_LEN(layouts); i++) {
		struct rs_history_form form = layouts[i];
		struct rs_buf text;
		size_t n = 0;

		form.metric = &rs_metrics[RS_M_CORE_PACKET_LOAD];
		read_all(
		    make_history(RS_M_CORE_PACKET_LOAD, N_SERIES, N_TIMES), &form, 32470, &text);
		for (size_t k = 0; k < text.len; k++)
			n += text.data[k] == '\n';
		ck_assert_uint_eq(n, lines[i]);
		rs_buf_fini(&text);
	}
}
END_TEST

START_TEST(history_knows_the_labels_of_a_metric)
{
	const struct rs_metric *bytes = rs_history_metric(rs_text_of("interface_bytes"));
	const struct rs_metric *cpu = rs_history_metric(rs_text_of("core_cpu_seconds"));
	const struct rs_metric *state = rs_history_metric(rs_text_of("state"));

	ck_assert(bytes != NULL && cpu != NULL && state != NULL);
	ck_assert(
	    rs_history_has_label(bytes, "device") && rs_history_has_label(bytes, "direction"));
	ck_assert(!rs_history_has_label(bytes, "cpu") && !rs_history_has_label(bytes, "mode"));
	ck_assert(rs_history_has_label(cpu, "cpu") && rs_history_has_label(cpu, "mode"));
	ck_assert(!rs_history_has_label(cpu, "device") && !rs_history_has_label(cpu, "queue"));
	ck_assert(!rs_history_has_label(state, "cpu"));
	ck_assert_ptr_null(rs_history_metric(rs_text_of("interface_byte")));
	ck_assert_ptr_null(rs_history_metric(rs_text_of("")));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("history");
	TCase *tc = tcase_create("history");

	tcase_add_loop_test(
	    tc, history_text_is_the_same_in_pieces_of_any_size, 0, (int)RS_ARRAY_LEN(forms));
	tcase_add_test(tc, history_says_what_it_lacks);
	tcase_add_test(tc, history_of_many_pieces_has_every_value_once);
	tcase_add_test(tc, history_knows_the_labels_of_a_metric);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* Answers compressed as they are sent: what is unpacked is what was to be sent. */
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "pack.h"
#include "reply.h"
#include "rs_check.h"

/* A source of len bytes, given in pieces of at most `most`; fails_at: where it fails. */
struct text {
	size_t len, at, most, fails_at;
	unsigned noise; /* 0: the same line again and again */
	unsigned frees;
};

static char
byte_at(const struct text *t, size_t i)
{
	const uint32_t hash = (uint32_t)i * UINT32_C(2654435761);

	return t->noise != 0 ? (char)(hash >> 16 ^ hash >> 3)
			     : "{\"core\":17,\"load\":0.25}\n"[i % 24];
}

static ptrdiff_t
read_text(void *arg, char *dst, size_t cap)
{
	struct text *t = arg;
	const size_t n = RS_MIN(RS_MIN(cap, t->most), t->len - t->at);

	if (t->at >= t->fails_at)
		return RS_SOURCE_FAILED;
	for (size_t i = 0; i < n; i++)
		dst[i] = byte_at(t, t->at + i);
	t->at += n;
	return n > 0 ? (ptrdiff_t)n : RS_SOURCE_END;
}

static void
free_text(void *arg)
{
	struct text *t = arg;

	t->frees++;
}

/* Reads r's source in pieces of cap; what it returned last. */
static ptrdiff_t
read_all(struct rs_reply *r, size_t cap, struct rs_buf *out)
{
	for (;;) {
		char *to = rs_buf_reserve(out, cap);

		ck_assert_ptr_nonnull(to);
		const ptrdiff_t n = r->source.read(r->source.arg, to, cap);

		if (n <= 0)
			return n;
		ck_assert_uint_le((size_t)n, cap);
		out->len += (size_t)n;
	}
}

static void
assert_unpacks_to(const struct rs_buf *packed, const struct text *t)
{
	char *whole = malloc(t->len + 1);
	z_stream z = {.next_in = (unsigned char *)packed->data, .avail_in = (uInt)packed->len};

	ck_assert_ptr_nonnull(whole);
	z.next_out = (unsigned char *)whole;
	z.avail_out = (uInt)t->len + 1;
	ck_assert_int_eq(inflateInit2(&z, 15 + 16), Z_OK);
	ck_assert_int_eq(inflate(&z, Z_FINISH), Z_STREAM_END);
	ck_assert_uint_eq(z.avail_in, 0);
	ck_assert_uint_eq(z.total_out, t->len);
	(void)inflateEnd(&z);
	for (size_t i = 0; i < t->len; i++)
		ck_assert_int_eq(whole[i], byte_at(t, i));
	free(whole);
}

static const struct {
	size_t len, most, cap;
	unsigned noise;
} rows[] = {
    {0, 1, 16384, 0},
    {1, 1, 1, 0},
    {1000, 1, 7, 1},
    {16384, 16384, 16384, 0},
    {16385, 16384, 16384, 1},
    {300000, 16384, 16384, 1},
    {300000, 1000, 100, 1},
    {2000000, 65536, 16384, 0},
};

START_TEST(pack_source_gives_all_of_it)
{
	struct text t = {.len = rows[_i].len,
	    .most = rows[_i].most,
	    .noise = rows[_i].noise,
	    .fails_at = SIZE_MAX};
	struct rs_reply r;
	struct rs_buf packed;

	rs_reply_init(&r);
	rs_buf_init(&packed, 8 << 20);
	r.source = (struct rs_source){.read = read_text, .free = free_text, .arg = &t};
	rs_pack_reply(&r);
	ck_assert_uint_eq(r.n_headers, 1);
	ck_assert_str_eq(r.headers[0].value, "gzip");
	ck_assert_int_eq(read_all(&r, rows[_i].cap, &packed), RS_SOURCE_END);
	assert_unpacks_to(&packed, &t);
	ck_assert_uint_eq(t.frees, 0);
	rs_reply_fini(&r);
	ck_assert_uint_eq(t.frees, 1);
	rs_buf_fini(&packed);
}
END_TEST

START_TEST(pack_source_that_fails_is_not_taken_for_whole)
{
	struct text t = {.len = 100000, .most = 16384, .noise = 1, .fails_at = 50000};
	struct rs_reply r;
	struct rs_buf packed;

	rs_reply_init(&r);
	rs_buf_init(&packed, 1 << 20);
	r.source = (struct rs_source){.read = read_text, .free = free_text, .arg = &t};
	rs_pack_reply(&r);
	ck_assert_int_eq(read_all(&r, 1000, &packed), RS_SOURCE_FAILED);
	rs_reply_fini(&r);
	ck_assert_uint_eq(t.frees, 1);
	rs_buf_fini(&packed);
}
END_TEST

/* However little there is to send of it: others wait for their turn. */
START_TEST(pack_source_is_read_a_little_at_a_time)
{
	struct text t = {.len = 20 << 20, .most = 16384, .fails_at = SIZE_MAX};
	struct rs_reply r;
	char piece[16384];
	ptrdiff_t n;

	rs_reply_init(&r);
	r.source = (struct rs_source){.read = read_text, .free = free_text, .arg = &t};
	rs_pack_reply(&r);
	do {
		const size_t before = t.at;

		n = r.source.read(r.source.arg, piece, sizeof(piece));
		ck_assert_uint_le(t.at - before, 64 << 10);
	} while (n > 0);
	ck_assert_int_eq(n, RS_SOURCE_END);
	ck_assert_uint_eq(t.at, t.len);
	rs_reply_fini(&r);
}
END_TEST

static const struct {
	size_t len;
	unsigned noise, n_headers;
} bodies[] = {{0, 0, 0}, {1023, 0, 0}, {1024, 0, 1}, {100000, 0, 1}, {100000, 1, 1}};

START_TEST(pack_body_of_some_size_only)
{
	const struct text t = {.len = bodies[_i].len, .noise = bodies[_i].noise};
	struct rs_reply r;

	rs_reply_init(&r);
	for (size_t i = 0; i < t.len; i++)
		rs_buf_putc(&r.body, byte_at(&t, i));
	rs_pack_reply(&r);
	ck_assert_uint_eq(r.n_headers, bodies[_i].n_headers);
	if (r.n_headers == 0)
		ck_assert_uint_eq(r.body.len, t.len);
	else
		assert_unpacks_to(&r.body, &t);
	rs_reply_fini(&r);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("pack");
	TCase *tc = tcase_create("pack");

	tcase_add_loop_test(tc, pack_source_gives_all_of_it, 0, RS_ARRAY_LEN(rows));
	tcase_add_test(tc, pack_source_that_fails_is_not_taken_for_whole);
	tcase_add_test(tc, pack_source_is_read_a_little_at_a_time);
	tcase_add_loop_test(tc, pack_body_of_some_size_only, 0, RS_ARRAY_LEN(bodies));
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * The chunk codec: what goes in comes out for all of int64, and nothing but a
 * whole chunk is believed.
 */
#include "rs_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "codec.h"

/* --- material ---------------------------------------------------------- */

/* xorshift64*: the same numbers on every machine. */
struct random {
	uint64_t state;
};

static uint64_t
draw(struct random *r)
{
	r->state ^= r->state >> 12;
	r->state ^= r->state << 25;
	r->state ^= r->state >> 27;
	return r->state * UINT64_C(0x2545f4914f6cdd1d);
}

enum { SERIES = 40 };

struct sample {
	struct rs_chunk_axis axis;
	size_t n;
	struct rs_chunk_series series[RS_CHUNK_SERIES_MAX];
	int64_t values[SERIES][RS_BLOCK_TICKS_MAX];
	uint64_t present[SERIES][RS_CHUNK_WORDS];
};

static void
set_bit(uint64_t *present, uint32_t t)
{
	present[t / 64] |= UINT64_C(1) << (t % 64);
}

static struct sample *
new_sample(uint32_t interval_ms, uint32_t ticks)
{
	struct sample *const s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	s->axis.interval_ms = interval_ms;
	s->axis.ticks = ticks;
	for (uint32_t t = 0; t < ticks; t++) {
		set_bit(s->axis.present, t);
		s->axis.length_us[t] = INT64_C(1000) * interval_ms;
	}
	return s;
}

/* A series with all values `v`; the caller changes what it likes. */
static int64_t *
add_series(struct sample *s, uint32_t id, int64_t v)
{
	const size_t i = s->n++;

	ck_assert_uint_lt(i, SERIES);
	for (uint32_t t = 0; t < s->axis.ticks; t++) {
		s->values[i][t] = v;
		set_bit(s->present[i], t);
	}
	s->series[i] = (struct rs_chunk_series){
	    .id = id, .apart = 1, .values = s->values[i], .present = s->present[i]};
	return s->values[i];
}

static struct rs_buf
encode(const struct sample *s)
{
	struct rs_buf b;

	rs_buf_init(&b, RS_CHUNK_BYTES_MAX);
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, s->n, &b), 0);
	return b;
}

static void
check_series(const struct sample *s, size_t i, const int64_t *values, const uint64_t *present)
{
	for (uint32_t t = 0; t < s->axis.ticks; t++) {
		const bool has = rs_chunk_bit(s->present[i], t) && rs_chunk_bit(s->axis.present, t);

		ck_assert_int_eq(rs_chunk_bit(present, t), has);
		if (has)
			ck_assert_msg(values[t] == s->values[i][t], "series %zu tick %u", i, t);
	}
}

static void
check_round_trip(const struct sample *s)
{
	struct rs_buf b = encode(s);
	struct rs_chunk c;
	struct rs_chunk_entry e;
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];

	ck_assert_int_eq(rs_chunk_open(&c, b.data, b.len), 0);
	ck_assert_uint_eq(c.axis.interval_ms, s->axis.interval_ms);
	ck_assert_uint_eq(c.axis.ticks, s->axis.ticks);
	for (uint32_t t = 0; t < s->axis.ticks; t++) {
		ck_assert_int_eq(rs_chunk_bit(c.axis.present, t), rs_chunk_bit(s->axis.present, t));
		if (rs_chunk_bit(s->axis.present, t))
			ck_assert_int_eq(c.axis.length_us[t], s->axis.length_us[t]);
	}
	for (size_t i = 0; i < s->n; i++) {
		ck_assert(rs_chunk_next(&c, &e));
		ck_assert_uint_eq(e.id, s->series[i].id);
		ck_assert_int_eq(rs_chunk_values(&c, &e, values, present), 0);
		check_series(s, i, values, present);
	}
	ck_assert(!rs_chunk_next(&c, &e));
	rs_buf_fini(&b);
}

/* A minute with gaps, missed ticks and numbers of every size. */
static struct sample *
random_sample(struct random *r)
{
	static const uint32_t intervals[][2] = {
	    {1000, 60}, {200, 300}, {60000, 1}, {7000, 9}, {500, 120}, {930, 65}};
	const uint32_t *const pick = intervals[draw(r) % RS_ARRAY_LEN(intervals)];
	struct sample *const s = new_sample(pick[0], pick[1]);
	uint32_t id = 0;

	for (uint32_t t = 1; t < s->axis.ticks; t++) {
		if (draw(r) % 16 == 0)
			s->axis.present[t / 64] &= ~(UINT64_C(1) << (t % 64));
		s->axis.length_us[t] = (int64_t)(draw(r) & UINT32_MAX);
	}
	const size_t n = 1 + (size_t)(draw(r) % SERIES);
	for (size_t i = 0; i < n; i++) {
		id += 1 + (uint32_t)(draw(r) % (i % 7 == 0 ? 100000 : 2));
		int64_t *const v = add_series(s, id, 0);
		const unsigned shift = (unsigned)(draw(r) % 65);
		const uint64_t base = draw(r) % 3 == 0 ? draw(r) : 0;

		for (uint32_t t = 0; t < s->axis.ticks; t++)
			v[t] = (int64_t)(base + (shift == 64 ? 0 : draw(r) >> shift));
		for (uint32_t t = 1; i % 3 == 0 && t < s->axis.ticks; t++) {
			if (draw(r) % 4 == 0)
				s->present[i][t / 64] &= ~(UINT64_C(1) << (t % 64));
		}
	}
	return s;
}

/* --- there and back ---------------------------------------------------- */

START_TEST(random_minutes_come_back)
{
	struct random r = {.state = 0x5eed + (uint64_t)_i};

	for (int i = 0; i < 50; i++) {
		struct sample *const s = random_sample(&r);

		check_round_trip(s);
		free(s);
	}
}
END_TEST

START_TEST(extremes_of_int64_come_back)
{
	struct sample *const s = new_sample(1000, 60);
	int64_t *v = add_series(s, 1, 0);

	for (uint32_t t = 0; t < 60; t++)
		v[t] = t % 2 == 0 ? INT64_MIN : INT64_MAX;
	(void)add_series(s, 2, INT64_MIN);
	(void)add_series(s, 3, INT64_MAX);
	v = add_series(s, 4, -1);
	v[59] = 0;
	v = add_series(s, UINT32_MAX, INT64_MIN);
	v[0] = INT64_MIN + 1;
	check_round_trip(s);
	free(s);
}
END_TEST

START_TEST(every_width_comes_back)
{
	for (unsigned width = 0; width <= 64; width++) {
		struct sample *const s = new_sample(1000, 60);
		int64_t *const v = add_series(s, 1, -5);
		const uint64_t max = width == 0 ? 0 : UINT64_MAX >> (64 - width);

		v[1] = (int64_t)((uint64_t)-5 + max);
		v[58] = (int64_t)((uint64_t)-5 + max / 2);
		check_round_trip(s);
		free(s);
	}
}
END_TEST

START_TEST(an_idle_series_takes_two_bytes)
{
	struct sample *const s = new_sample(1000, 60);

	add_series(s, 1, 0);
	struct rs_buf one = encode(s);
	add_series(s, 2, 0);
	struct rs_buf two = encode(s);
	ck_assert_uint_eq(two.len - one.len, 2);
	rs_buf_fini(&one);
	rs_buf_fini(&two);
	free(s);
}
END_TEST

START_TEST(values_at_ticks_that_never_were_are_left_out)
{
	struct sample *const s = new_sample(1000, 60);
	int64_t *const v = add_series(s, 1, 7);

	s->axis.present[0] &= ~(UINT64_C(1) << 30);
	v[30] = INT64_MAX;
	check_round_trip(s);
	free(s);
}
END_TEST

START_TEST(bad_input_is_refused)
{
	struct sample *const s = new_sample(1000, 60);
	struct rs_buf b;

	rs_buf_init(&b, RS_CHUNK_BYTES_MAX);
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 0, &b), -EINVAL);
	add_series(s, 5, 1);
	add_series(s, 5, 1);
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 2, &b), -EINVAL);
	s->series[1].id = 6;
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 2, &b), 0);
	memset(s->present[1], 0, sizeof(s->present[1]));
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 2, &b), -EINVAL);
	s->axis.ticks = 0;
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 1, &b), -EINVAL);
	s->axis.ticks = 61;
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 1, &b), -EINVAL);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(too_little_room_leaves_the_output_as_it_was)
{
	struct sample *const s = new_sample(1000, 60);
	struct rs_buf b;

	add_series(s, 1, 1)[3] = INT64_MAX;
	rs_buf_init(&b, 64);
	rs_buf_puts(&b, "before");
	ck_assert_int_eq(rs_chunk_encode(&s->axis, s->series, 1, &b), -ENOMEM);
	ck_assert_uint_eq(b.len, 6);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

/* --- the format -------------------------------------------------------- */

/* Four ticks of 15 s, the third missed; series 7: 10 11 - 13; series 300: idle;
 * series 301: only at the first tick, -2. */
static const uint8_t golden[] = {0x01, 0x00, /* format */
    0x04, 0x00,				     /* ticks */
    0x98, 0x3a, 0x00, 0x00,		     /* interval */
    0x03, 0x00,				     /* series */
    0x09,				     /* the axis stream's length */
    0x07, 0x03,				     /* id 7, 3 bytes */
    0xa5, 0x02, 0x00,			     /* id 7 + 293, no bytes */
    0x01, 0x03,				     /* id 300 + 1, 3 bytes */
    /* axis: width 7, bitmap 1101, minimum 15000000, then 0 3 100 in 7 bits each */
    0x87, 0x0b, 0x80, 0x87, 0xa7, 0x0e, 0x80, 0x01, 0x19,
    /* series 7: width 2, minimum 10, then 0 1 3 */
    0x02, 0x14, 0x34,
    /* series 301: width 0, bitmap 0001, minimum -2 */
    0x80, 0x01, 0x03,
    /* checksum */
    0xb4, 0xb1, 0xa1, 0x17};

static struct sample *
golden_sample(void)
{
	struct sample *const s = new_sample(15000, 4);

	s->axis.present[0] = 0x0b;
	s->axis.length_us[0] = 15000000;
	s->axis.length_us[1] = 15000003;
	s->axis.length_us[3] = 15000100;
	int64_t *const v = add_series(s, 7, 10);
	v[1] = 11;
	v[3] = 13;
	add_series(s, 300, 0);
	add_series(s, 301, -2);
	s->present[2][0] = 1;
	return s;
}

START_TEST(bytes_are_those_of_the_document)
{
	struct sample *const s = golden_sample();
	struct rs_buf b = encode(s);

	for (size_t i = 0; i < RS_MIN(b.len, sizeof(golden)); i++)
		ck_assert_msg(
		    (uint8_t)b.data[i] == golden[i], "byte %zu is %02x", i, (uint8_t)b.data[i]);
	ck_assert_uint_eq(b.len, sizeof(golden));
	check_round_trip(s);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

/* --- damage ------------------------------------------------------------ */

/* Reads all there is; what it says does not matter, only that it ends. */
static int
read_all(const void *data, size_t len)
{
	int64_t values[RS_BLOCK_TICKS_MAX];
	uint64_t present[RS_CHUNK_WORDS];
	struct rs_chunk c;
	struct rs_chunk_entry e;
	int r = rs_chunk_open(&c, data, len);

	while (r == 0 && rs_chunk_next(&c, &e))
		r = rs_chunk_values(&c, &e, values, present);
	return r;
}

/* In memory of exactly its size, for the address sanitizer. */
static uint8_t *
copy(const void *data, size_t len)
{
	uint8_t *const p = malloc(len == 0 ? 1 : len);

	ck_assert_ptr_nonnull(p);
	if (len > 0)
		memcpy(p, data, len);
	return p;
}

static void
seal(uint8_t *p, size_t len)
{
	const uint32_t sum = rs_packed_checksum(p, len - 4);

	for (unsigned i = 0; i < 4; i++)
		p[len - 4 + i] = (uint8_t)(sum >> (8 * i));
}

/* Small, with a stream of each kind. */
static struct sample *
mixed_sample(void)
{
	struct random r = {.state = 7};
	struct sample *const s = new_sample(1000, 60);

	s->axis.present[0] &= ~(UINT64_C(1) << 17);
	add_series(s, 1, 0);
	add_series(s, 2, 1000000);
	for (uint32_t id = 3; id < 200; id += 49) {
		int64_t *const v = add_series(s, id, 0);

		for (uint32_t t = 0; t < 60; t++)
			v[t] = (int64_t)(draw(&r) >> (64 - id / 4 - 4));
	}
	s->present[3][0] &= ~UINT64_C(0xff0);
	return s;
}

START_TEST(every_truncation_is_refused)
{
	struct sample *const s = mixed_sample();
	struct rs_buf b = encode(s);

	for (size_t len = 0; len < b.len; len++) {
		uint8_t *const p = copy(b.data, len);

		ck_assert_int_eq(read_all(p, len), -EBADMSG);
		if (len > 4) {
			/* even with a checksum that fits */
			seal(p, len);
			(void)read_all(p, len);
		}
		free(p);
	}
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(every_flipped_bit_is_noticed)
{
	struct sample *const s = mixed_sample();
	struct rs_buf b = encode(s);
	uint8_t *const p = copy(b.data, b.len);

	for (size_t bit = 0; bit < b.len * 8; bit++) {
		p[bit / 8] ^= (uint8_t)(1u << (bit % 8));
		ck_assert_int_eq(read_all(p, b.len), -EBADMSG);
		p[bit / 8] ^= (uint8_t)(1u << (bit % 8));
	}
	ck_assert_int_eq(read_all(p, b.len), 0);
	free(p);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(a_hostile_chunk_with_a_good_checksum_stays_in_bounds)
{
	struct random r = {.state = 13 + (uint64_t)_i};

	for (int round = 0; round < 5; round++) {
		struct sample *const s = random_sample(&r);
		struct rs_buf b = encode(s);
		uint8_t *const p = copy(b.data, b.len);

		for (int i = 0; i < 200; i++) {
			/* mostly in the header and table, where lengths are */
			const size_t span = i % 2 == 0 ? RS_MIN(b.len, 64) : b.len;
			const size_t at = (size_t)(draw(&r) % (span - 4));
			const uint8_t was = p[at];

			p[at] = (uint8_t)draw(&r);
			seal(p, b.len);
			(void)read_all(p, b.len);
			if (i % 10 != 9) /* let some of it pile up */
				p[at] = was;
		}
		free(p);
		rs_buf_fini(&b);
		free(s);
	}
}
END_TEST

/* Each is the golden chunk with one lie in it, checksum made good. */
static const struct lie {
	const char *what;
	size_t at;
	uint8_t byte;
} lies[] = {
    {"another format", 0, 2},
    {"the format's high byte", 1, 1},
    {"no ticks", 2, 0},
    {"more ticks than a minute has", 2, 5},
    {"an interval of more than a minute", 6, 1},
    {"no series", 8, 0},
    {"more series than the table has", 8, 4},
    {"fewer series than the table has", 8, 2},
    {"513 series", 9, 2},
    {"an axis stream too short", 10, 8},
    {"id 0", 11, 0},
    {"a stream too long", 12, 4},
    {"an id twice", 16, 0},
    {"a width of 65", 18, 0xc1},
    {"an axis with no tick", 19, 0},
    {"an axis with a tick past the end", 19, 0x1b},
    {"a wider stream than its bytes", 27, 3},
    {"padding that is not zero", 29, 0x74},
    {"a value where no tick was", 31, 0x04},
    {"a value nowhere", 31, 0x00},
};

START_TEST(a_lie_is_refused)
{
	uint8_t p[sizeof(golden)];
	const struct lie *const lie = &lies[_i];

	memcpy(p, golden, sizeof(p));
	p[lie->at] = lie->byte;
	seal(p, sizeof(p));
	ck_assert_msg(read_all(p, sizeof(p)) == -EBADMSG, "%s was believed", lie->what);
}
END_TEST

START_TEST(a_minimum_of_more_than_64_bits_is_refused)
{
	/* One tick, one series, its minimum in ten bytes of which the last is 2. */
	uint8_t p[] = {1, 0, 1, 0, 0x60, 0xea, 0, 0, 1, 0, 0, 1, 11, 0, 0xff, 0xff, 0xff, 0xff,
	    0xff, 0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0, 0};

	seal(p, sizeof(p));
	ck_assert_int_eq(read_all(p, sizeof(p)), -EBADMSG);
	p[sizeof(p) - 5] = 1;
	seal(p, sizeof(p));
	ck_assert_int_eq(read_all(p, sizeof(p)), 0);
}
END_TEST

START_TEST(ids_of_more_than_32_bits_are_refused)
{
	struct sample *const s = new_sample(1000, 60);

	add_series(s, 1, 0);
	add_series(s, UINT32_MAX, 0);
	struct rs_buf b = encode(s);
	ck_assert_int_eq(read_all(b.data, b.len), 0);
	/* The first step is behind the header and the axis stream's length. */
	ck_assert_int_eq(b.data[11], 1);
	b.data[11] = 2;
	seal((uint8_t *)b.data, b.len);
	ck_assert_int_eq(read_all(b.data, b.len), -EBADMSG);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("codec");
	TCase *t = tcase_create("round trip");

	tcase_add_loop_test(t, random_minutes_come_back, 0, 4);
	tcase_add_test(t, extremes_of_int64_come_back);
	tcase_add_test(t, every_width_comes_back);
	tcase_add_test(t, an_idle_series_takes_two_bytes);
	tcase_add_test(t, values_at_ticks_that_never_were_are_left_out);
	tcase_add_test(t, bad_input_is_refused);
	tcase_add_test(t, too_little_room_leaves_the_output_as_it_was);
	suite_add_tcase(s, t);

	t = tcase_create("format");
	tcase_add_test(t, bytes_are_those_of_the_document);
	suite_add_tcase(s, t);

	t = tcase_create("damage");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_truncation_is_refused);
	tcase_add_test(t, every_flipped_bit_is_noticed);
	tcase_add_loop_test(t, a_hostile_chunk_with_a_good_checksum_stays_in_bounds, 0, 4);
	tcase_add_loop_test(t, a_lie_is_refused, 0, RS_ARRAY_LEN(lies));
	tcase_add_test(t, ids_of_more_than_32_bits_are_refused);
	tcase_add_test(t, a_minimum_of_more_than_64_bits_is_refused);
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

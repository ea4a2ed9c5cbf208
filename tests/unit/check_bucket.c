/* SPDX-License-Identifier: ISC */
/*
 * Buckets and the rows of the tiers: sums and rates are those of slow
 * arithmetic, what goes into a row comes out for all of int64, and nothing but a
 * whole row is believed.
 */
#include "rs_check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bucket.h"

/* --- material ------------------------------------------------------------ */

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

/* Of any size, either sign. */
static int64_t
draw_any(struct random *r)
{
	const uint64_t v = draw(r) >> (draw(r) % 64);

	return (int64_t)(draw(r) % 2 == 0 ? v : -v);
}

static bool
are_same(const struct rs_bucket *a, const struct rs_bucket *b)
{
	if (a->count == 0 || b->count == 0)
		return a->count == b->count;
	return a->min == b->min && a->max == b->max && a->sum == b->sum &&
	       a->length_us == b->length_us && a->count == b->count;
}

/* --- buckets ------------------------------------------------------------- */

/* increment * scale / length, bit by bit of the increment. */
static int64_t
slow_rate(int64_t increment, uint64_t length_us)
{
	const uint64_t scale = UINT64_C(1000000) * RS_BUCKET_RATE_SCALE;
	const uint64_t size = increment < 0 ? -(uint64_t)increment : (uint64_t)increment;
	uint64_t quotient = 0, rest = 0;

	for (int bit = 63; bit >= 0; bit--) {
		if (quotient > INT64_MAX / 2 - scale)
			return increment < 0 ? INT64_MIN : INT64_MAX;
		quotient *= 2;
		rest *= 2;
		if (size >> bit & 1) {
			quotient += scale / length_us;
			rest += scale % length_us;
		}
		quotient += rest / length_us;
		rest %= length_us;
	}
	quotient += rest * 2 >= length_us;
	return increment < 0 ? -(int64_t)quotient : (int64_t)quotient;
}

static struct rs_bucket
bucket_of(enum rs_kind kind, int64_t value, int64_t length_us)
{
	struct rs_bucket b = {0};

	rs_bucket_add(&b, kind, value, length_us);
	return b;
}

static const struct rate_case {
	int64_t value, length_us, rate;
} rates[] = {
    {0, 1000000, 0},
    {1, 1000000, 240},
    {1, 60000000, 4},
    {1, 200000, 1200},
    {1, 480000000, 1}, /* a half is rounded up */
    {1, 480000001, 0},
    {3, 160000000, 5}, /* 4.5 */
    {-3, 160000000, -5},
    {7, 1000050, 1680}, /* 1679.92 */
    {INT64_C(12500000000), 1000000, INT64_C(3000000000000)},
    {1, 1, 240000000},
    {INT64_MAX, 1, INT64_MAX},
    {INT64_MIN, 1, INT64_MIN},
    {INT64_MAX, 240000000, INT64_MAX},
    {INT64_MAX, 240000001, INT64_C(9223371998424059147)},
    {INT64_MAX, UINT32_MAX, INT64_C(515396075640000000)},
    {INT64_MIN, UINT32_MAX, INT64_C(-515396075640000000)},
};

START_TEST(a_counter_is_taken_as_its_rate_to_the_nearest)
{
	const struct rate_case *const c = &rates[_i];
	const struct rs_bucket b = bucket_of(RS_COUNTER, c->value, c->length_us);

	ck_assert_int_eq(b.min, c->rate);
	ck_assert_int_eq(b.max, c->rate);
	ck_assert_int_eq(b.sum, c->value);
	ck_assert_int_eq(b.length_us, c->length_us);
	ck_assert_uint_eq(b.count, 1);
}
END_TEST

START_TEST(rates_are_those_of_slow_division)
{
	struct random r = {.state = 0xca75};

	for (int i = 0; i < 20000; i++) {
		const int64_t value = draw_any(&r);
		const uint64_t length = 1 + (draw(&r) & UINT32_MAX) % UINT32_MAX;
		const struct rs_bucket b = bucket_of(RS_COUNTER, value, (int64_t)length);

		ck_assert_msg(b.min == slow_rate(value, length), "%lld in %llu us: %lld",
		    (long long)value, (unsigned long long)length, (long long)b.min);
	}
}
END_TEST

START_TEST(a_gauge_is_taken_as_it_is)
{
	struct rs_bucket b = {0};

	rs_bucket_add(&b, RS_GAUGE, -7, 0);
	rs_bucket_add(&b, RS_GAUGE, INT64_MAX, 1000000);
	rs_bucket_add(&b, RS_GAUGE, 3, 1000001);
	ck_assert_int_eq(b.min, -7);
	ck_assert_int_eq(b.max, INT64_MAX);
	ck_assert_int_eq(b.sum, INT64_MAX - 7 + 3);
	ck_assert_int_eq(b.length_us, 2000001);
	ck_assert_uint_eq(b.count, 3);
}
END_TEST

START_TEST(a_counter_s_tick_of_unknown_length_is_left_out)
{
	struct rs_bucket b = {0};

	rs_bucket_add(&b, RS_COUNTER, 5, 0);
	rs_bucket_add(&b, RS_COUNTER, 5, -1);
	ck_assert_uint_eq(b.count, 0);
	rs_bucket_add(&b, RS_COUNTER, 5, 1000000);
	rs_bucket_add(&b, RS_COUNTER, 500, 0);
	ck_assert_uint_eq(b.count, 1);
	ck_assert_int_eq(b.sum, 5);
	ck_assert_int_eq(b.max, 1200);
}
END_TEST

START_TEST(sums_stop_at_the_ends_of_int64)
{
	struct rs_bucket up = bucket_of(RS_GAUGE, INT64_MAX, 1);
	struct rs_bucket down = bucket_of(RS_GAUGE, INT64_MIN, 1);
	struct rs_bucket old = {.count = UINT32_MAX, .length_us = INT64_MAX};

	rs_bucket_add(&up, RS_GAUGE, 1, 1);
	ck_assert_int_eq(up.sum, INT64_MAX);
	rs_bucket_add(&down, RS_GAUGE, -1, 1);
	ck_assert_int_eq(down.sum, INT64_MIN);
	rs_bucket_merge(&down, &up);
	ck_assert_int_eq(down.sum, -1);
	ck_assert_int_eq(down.min, INT64_MIN);
	ck_assert_int_eq(down.max, INT64_MAX);
	rs_bucket_merge(&old, &up);
	ck_assert_uint_eq(old.count, UINT32_MAX);
	ck_assert_int_eq(old.length_us, INT64_MAX);
}
END_TEST

START_TEST(merged_parts_are_the_whole)
{
	struct random r = {.state = 0x3e26e};

	for (int i = 0; i < 200; i++) {
		const enum rs_kind kind = i % 2 == 0 ? RS_COUNTER : RS_GAUGE;
		struct rs_bucket whole = {0}, parts[4] = {{0}}, sum = {0};

		for (int tick = 0; tick < 50; tick++) {
			const int64_t value = draw_any(&r) >> 8;
			const int64_t length = (int64_t)(draw(&r) % 3000000);

			rs_bucket_add(&whole, kind, value, length);
			rs_bucket_add(&parts[draw(&r) % 3], kind, value, length);
		}
		for (size_t p = 0; p < RS_ARRAY_LEN(parts); p++)
			rs_bucket_merge(&sum, &parts[p]);
		ck_assert(are_same(&sum, &whole));
		ck_assert_uint_gt(sum.count, 0);
	}
}
END_TEST

START_TEST(nothing_merged_with_nothing_is_nothing)
{
	struct rs_bucket b = {0};
	const struct rs_bucket empty = {0}, one = bucket_of(RS_GAUGE, -5, 10);

	rs_bucket_merge(&b, &empty);
	ck_assert_uint_eq(b.count, 0);
	rs_bucket_merge(&b, &one);
	ck_assert(are_same(&b, &one));
	rs_bucket_merge(&b, &empty);
	ck_assert(are_same(&b, &one));
}
END_TEST

/* --- there and back ------------------------------------------------------ */

struct sample {
	uint32_t slot_ms, slots;
	size_t n;
	struct rs_tier_series series[RS_TIER_SERIES_MAX];
	struct rs_bucket buckets[RS_TIER_SERIES_MAX][RS_TIER_SLOTS_MAX];
};

static struct sample *
new_sample(uint32_t slot_ms, uint32_t slots)
{
	struct sample *const s = calloc(1, sizeof(*s));

	ck_assert_ptr_nonnull(s);
	s->slot_ms = slot_ms;
	s->slots = slots;
	return s;
}

/* A series that had every tick, each `v`; the caller changes what it likes. */
static struct rs_bucket *
add_series(struct sample *s, uint32_t id, int64_t v)
{
	const size_t i = s->n++;

	ck_assert_uint_lt(i, RS_TIER_SERIES_MAX);
	for (uint32_t t = 0; t < s->slots; t++)
		s->buckets[i][t] = (struct rs_bucket){.min = v,
		    .max = v,
		    .sum = v * 60,
		    .length_us = INT64_C(1000) * s->slot_ms + t % 3,
		    .count = 60};
	s->series[i] = (struct rs_tier_series){.id = id, .buckets = s->buckets[i]};
	return s->buckets[i];
}

static int
encode_into(const struct sample *s, struct rs_buf *b)
{
	return rs_tier_encode(s->slot_ms, s->slots, s->series, s->n, b);
}

static struct rs_buf
encode(const struct sample *s)
{
	struct rs_buf b;

	rs_buf_init(&b, RS_TIER_BYTES_MAX);
	ck_assert_int_eq(encode_into(s, &b), 0);
	return b;
}

static void
check_round_trip(const struct sample *s)
{
	struct rs_buf b = encode(s);
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	struct rs_tier_row row;
	uint32_t id;

	/* with every series, then with each alone */
	for (size_t only = 0; only <= s->n; only++) {
		ck_assert_int_eq(rs_tier_open(&row, b.data, b.len), 0);
		ck_assert_uint_eq(row.slot_ms, s->slot_ms);
		ck_assert_uint_eq(row.slots, s->slots);
		for (size_t i = 0; i < s->n; i++) {
			const bool is_skipped = only < s->n && only != i;

			memset(buckets, 0x55, sizeof(buckets));
			ck_assert_int_eq(rs_tier_next(&row, &id, is_skipped ? NULL : buckets), 1);
			ck_assert_uint_eq(id, s->series[i].id);
			for (uint32_t t = 0; t < s->slots && !is_skipped; t++)
				ck_assert_msg(are_same(&buckets[t], &s->buckets[i][t]),
				    "series %zu slot %u", i, t);
		}
		ck_assert_int_eq(rs_tier_next(&row, &id, buckets), 0);
		ck_assert_int_eq(rs_tier_next(&row, &id, NULL), 0);
	}
	rs_buf_fini(&b);
}

/* A bucket of a row whose slots have all * ticks. */
static struct rs_bucket
draw_bucket(struct random *r, uint32_t all, unsigned shift)
{
	struct rs_bucket b = {0};

	do {
		const int64_t v = (int64_t)(shift == 64 ? 0 : draw(r) >> shift);

		b.min = b.count == 0 ? v : RS_MIN(b.min, v);
		b.max = b.count == 0 ? v : RS_MAX(b.max, v);
		b.sum = (int64_t)((uint64_t)b.sum + (uint64_t)v);
		b.length_us += 1000000 + (int64_t)(draw(r) % 100);
		b.count++;
	} while (b.count < all && draw(r) % 50 != 0);
	return b;
}

/* A row with gaps, late and absent series and numbers of every size. */
static struct sample *
random_sample(struct random *r)
{
	static const uint32_t shapes[][2] = {{60000, 60}, {3600000, 24}, {1, 1}, {UINT32_MAX, 33}};
	const uint32_t *const pick = shapes[draw(r) % RS_ARRAY_LEN(shapes)];
	struct sample *const s = new_sample(pick[0], pick[1]);
	const size_t n = 1 + (size_t)(draw(r) % RS_TIER_SERIES_MAX);
	uint32_t id = 0;

	for (size_t i = 0; i < n; i++) {
		id += 1 + (uint32_t)(draw(r) % (i % 7 == 0 ? 100000 : 2));
		struct rs_bucket *const b = add_series(s, id, (int64_t)(draw(r) % 100));
		const unsigned shift = (unsigned)(draw(r) % 65);
		const uint32_t from = i % 5 == 1 ? (uint32_t)(draw(r) % s->slots) : 0;

		for (uint32_t t = 0; t < s->slots; t++) {
			if (t < from || (i % 3 == 2 && t > from && draw(r) % 4 == 0))
				b[t].count = 0;
			else if (i % 4 != 0)
				b[t] = draw_bucket(r, 60, shift);
		}
	}
	return s;
}

START_TEST(random_rows_come_back)
{
	struct random r = {.state = 0x5eed + (uint64_t)_i};

	for (int i = 0; i < 50; i++) {
		struct sample *const s = random_sample(&r);

		check_round_trip(s);
		free(s);
	}
}
END_TEST

/* Any numbers that a bucket may have, whether ticks could make them or not. */
START_TEST(any_buckets_come_back)
{
	struct random r = {.state = 0xb0c + (uint64_t)_i};
	struct sample *const s = new_sample(60000, 60);

	for (uint32_t id = 1; id <= RS_TIER_SERIES_MAX; id++) {
		struct rs_bucket *const b = add_series(s, id, 0);

		for (uint32_t t = 0; t < 60; t++) {
			const int64_t one = draw_any(&r), other = draw_any(&r);

			b[t] = (struct rs_bucket){.min = RS_MIN(one, other),
			    .max = RS_MAX(one, other),
			    .sum = draw_any(&r),
			    .length_us = draw_any(&r) & INT64_MAX,
			    .count = (uint32_t)(draw(&r) >> (32 + draw(&r) % 32))};
		}
		b[id % 60].count = 1;
	}
	check_round_trip(s);
	struct rs_buf b = encode(s);
	ck_assert_uint_le(b.len, RS_TIER_BYTES_MAX);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(extremes_come_back)
{
	static const struct rs_bucket ends[] = {
	    {INT64_MIN, INT64_MAX, INT64_MIN, 0, 1},
	    {INT64_MIN, INT64_MIN, INT64_MAX, INT64_MAX, UINT32_MAX},
	    {INT64_MAX, INT64_MAX, INT64_MIN, INT64_MAX, 1},
	    {-1, 0, -1, 0, UINT32_MAX},
	    {0, 0, 0, 0, 1},
	};
	struct sample *const s = new_sample(60000, 60);

	for (uint32_t first = 0; first < 5; first++) {
		struct rs_bucket *const b =
		    add_series(s, first == 4 ? UINT32_MAX : first + 1, INT64_C(1) << 40);

		for (uint32_t t = 0; t < 60; t++)
			b[t] = ends[(first + t * (1 + first)) % RS_ARRAY_LEN(ends)];
	}
	check_round_trip(s);
	free(s);
}
END_TEST

START_TEST(one_slot_of_one_tick_comes_back)
{
	struct sample *const s = new_sample(60000, 1);

	*add_series(s, 1, 0) = bucket_of(RS_GAUGE, -3, 0);
	check_round_trip(s);
	free(s);
}
END_TEST

START_TEST(slots_without_any_series_come_back_empty)
{
	struct sample *const s = new_sample(60000, 60);
	struct rs_bucket *const one = add_series(s, 1, 5), *const two = add_series(s, 9, 0);

	for (uint32_t t = 0; t < 60; t++) {
		one[t].count = t == 59 ? 60 : 0;
		two[t].count = t == 30 ? 7 : 0;
	}
	check_round_trip(s);
	free(s);
}
END_TEST

/* --- size ---------------------------------------------------------------- */

static size_t
bytes_of(const struct sample *s)
{
	struct rs_buf b = encode(s);
	const size_t len = b.len;

	rs_buf_fini(&b);
	return len;
}

START_TEST(an_idle_series_takes_two_bytes)
{
	struct sample *const s = new_sample(60000, 60);

	add_series(s, 1, 0);
	const size_t one = bytes_of(s);
	add_series(s, 2, 0);
	ck_assert_uint_eq(bytes_of(s) - one, 2);
	free(s);
}
END_TEST

/* An interface that came in the middle of an hour: the ticks it missed cost a
 * bitmap and the first slot, not a number for each. */
START_TEST(a_series_that_came_late_takes_little_more)
{
	struct sample *const s = new_sample(60000, 60);

	add_series(s, 1, 0);
	const size_t one = bytes_of(s);
	struct rs_bucket *const b = add_series(s, 2, 0);
	for (uint32_t t = 0; t < 20; t++)
		b[t].count = 0;
	b[20].count = 13;
	b[20].length_us = 13000031;
	ck_assert_uint_le(bytes_of(s) - one, 40);
	check_round_trip(s);
	free(s);
}
END_TEST

/* --- what is refused ----------------------------------------------------- */

START_TEST(bad_input_is_refused)
{
	struct sample *const s = new_sample(60000, 60);
	struct rs_bucket *const one = add_series(s, 5, 1), *const two = add_series(s, 5, 1);
	struct rs_buf b;

	rs_buf_init(&b, RS_TIER_BYTES_MAX);
	ck_assert_int_eq(rs_tier_encode(60000, 60, s->series, 0, &b), -EINVAL);
	ck_assert_int_eq(rs_tier_encode(60000, 60, s->series, 33, &b), -EINVAL);
	ck_assert_int_eq(rs_tier_encode(60000, 61, s->series, 1, &b), -EINVAL);
	ck_assert_int_eq(rs_tier_encode(60000, 0, s->series, 1, &b), -EINVAL);
	ck_assert_int_eq(rs_tier_encode(0, 60, s->series, 1, &b), -EINVAL);
	ck_assert_int_eq(encode_into(s, &b), -EINVAL); /* an id twice */
	s->series[0].id = 0;
	ck_assert_int_eq(encode_into(s, &b), -EINVAL);
	s->series[0].id = 4;
	two[7].min = 2; /* above max */
	ck_assert_int_eq(encode_into(s, &b), -EINVAL);
	two[7].count = 0; /* then nobody looks */
	ck_assert_int_eq(encode_into(s, &b), 0);
	two[8].length_us = -1;
	ck_assert_int_eq(encode_into(s, &b), -EINVAL);
	two[8].length_us = 1;
	for (uint32_t t = 0; t < 60; t++)
		one[t].count = 0;
	rs_buf_reset(&b);
	ck_assert_int_eq(encode_into(s, &b), -EINVAL);
	ck_assert_uint_eq(b.len, 0);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(too_little_room_leaves_the_output_as_it_was)
{
	struct sample *const s = new_sample(60000, 60);
	struct rs_buf b;

	add_series(s, 1, 1)[3].sum = INT64_MAX;
	rs_buf_init(&b, 64);
	rs_buf_puts(&b, "before");
	ck_assert_int_eq(encode_into(s, &b), -ENOMEM);
	ck_assert_uint_eq(b.len, 6);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

/* --- the format ---------------------------------------------------------- */

/* docs/block-format.md: four minutes at an interval of 15 s, of the third
 * nothing is known. */
static const uint8_t golden[] = {0x02, 0x00, /* format */
    0x04, 0x00,				     /* slots */
    0x60, 0xea, 0x00, 0x00,		     /* slot_ms */
    0x03, 0x00,				     /* series */
    0x0b,				     /* the axis has 11 bytes */
    0x07, 0x0d,				     /* id 7, 13 bytes */
    0xa5, 0x02, 0x00,			     /* id 7 + 293, no bytes */
    0x01, 0x0f,				     /* id 300 + 1, 15 bytes */
    /* axis: ticks: width 0, bitmap 1101, 4 */
    0x80, 0x0b, 0x08,
    /* their length: width 7, minimum 60000000, then 0 3 100 */
    0x07, 0x80, 0x9c, 0x9c, 0x39, 0x80, 0x01, 0x19,
    /* series 7: min, spread and sum; 0 16 0, 32 0 48, 3 4 6 */
    0x07, 0x05, 0x00, 0x00, 0x02, 0x06, 0x00, 0x20, 0x00, 0x03, 0x02, 0x06, 0x34,
    /* series 301: all five; bitmap 0001 and -2, 7, 3, -1, -15000000 */
    0x1f, 0x80, 0x01, 0x03, 0x00, 0x0e, 0x00, 0x06, 0x00, 0x01, 0x00, 0xff, 0x86, 0xa7, 0x0e,
    /* checksum */
    0x90, 0x50, 0x77, 0x64};

static struct sample *
golden_sample(void)
{
	struct sample *const s = new_sample(60000, 4);

	for (uint32_t id = 0; id < 3; id++) {
		static const int64_t more_us[] = {0, 3, 0, 100};
		struct rs_bucket *const b = add_series(s, id == 0 ? 7 : 299 + id, 0);

		for (uint32_t t = 0; t < 4; t++) {
			b[t].length_us = 60000000 + more_us[t];
			b[t].count = t == 2 ? 0 : 4;
		}
	}
	/* increments of 1 0 2 0, 1 1 1 1 and 0 0 3 3 */
	s->buckets[0][0] = (struct rs_bucket){0, 32, 3, 60000000, 4};
	s->buckets[0][1] = (struct rs_bucket){16, 16, 4, 60000003, 4};
	s->buckets[0][3] = (struct rs_bucket){0, 48, 6, 60000100, 4};
	/* a gauge: -2 0 5, and then nothing */
	memset(s->buckets[2], 0, sizeof(s->buckets[2]));
	s->buckets[2][0] = (struct rs_bucket){-2, 5, 3, 45000000, 3};
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

/* --- damage -------------------------------------------------------------- */

/* Reads all there is; what it says does not matter, only that it ends. */
static int
read_all(const void *data, size_t len)
{
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	struct rs_tier_row row;
	uint32_t id;
	int r = rs_tier_open(&row, data, len);

	while (r == 0) {
		r = rs_tier_next(&row, &id, buckets);
		if (r == 0)
			return 0;
		r = RS_MIN(r, 0);
	}
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
	struct sample *const s = new_sample(60000, 60);

	add_series(s, 1, 0);
	add_series(s, 2, 1000000);
	for (uint32_t id = 3; id < 6; id++) {
		struct rs_bucket *const b = add_series(s, id, 0);

		for (uint32_t t = id; t < 60; t++)
			b[t] = draw_bucket(&r, 60, 20 * (id - 2));
	}
	for (uint32_t t = 5; t < 30; t++)
		s->buckets[4][t].count = 0;
	for (uint32_t i = 0; i < 5; i++)
		s->buckets[i][17].count = 0;
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
			ck_assert_int_eq(read_all(p, len), -EBADMSG);
		}
		free(p);
	}
	rs_buf_fini(&b);
	free(s);
}
END_TEST

START_TEST(a_byte_too_many_is_refused)
{
	struct sample *const s = mixed_sample();
	struct rs_buf b = encode(s);
	uint8_t *const p = copy(b.data, b.len);
	struct rs_tier_row row;

	ck_assert_int_eq(rs_tier_open(&row, p, b.len), 0);
	rs_buf_putc(&b, 0);
	seal((uint8_t *)b.data, b.len);
	ck_assert_int_eq(rs_tier_open(&row, b.data, b.len), -EBADMSG);
	free(p);
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

START_TEST(a_hostile_row_with_a_good_checksum_stays_in_bounds)
{
	struct random r = {.state = 13 + (uint64_t)_i};

	for (int round = 0; round < 10; round++) {
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

/* What is wrong with one series is not the fault of those behind it. */
START_TEST(a_series_that_lies_does_not_hide_the_next)
{
	struct sample *const s = golden_sample();
	struct rs_buf b = encode(s);
	struct rs_bucket buckets[RS_TIER_SLOTS_MAX];
	struct rs_tier_row row;
	uint32_t id;

	b.data[29] = 0; /* the flags of series 7 */
	seal((uint8_t *)b.data, b.len);
	ck_assert_int_eq(rs_tier_open(&row, b.data, b.len), 0);
	ck_assert_int_eq(rs_tier_next(&row, &id, buckets), -EBADMSG);
	ck_assert_uint_eq(id, 7);
	ck_assert_int_eq(rs_tier_next(&row, &id, NULL), 1);
	ck_assert_int_eq(rs_tier_next(&row, &id, buckets), 1);
	ck_assert_uint_eq(id, 301);
	ck_assert(are_same(&buckets[0], &s->buckets[2][0]));
	ck_assert_int_eq(rs_tier_next(&row, &id, buckets), 0);
	rs_buf_fini(&b);
	free(s);
}
END_TEST

/* Each is the golden row with one lie in it, checksum made good. */
static const struct lie {
	const char *what;
	size_t at;
	uint8_t byte;
} lies[] = {
    {"a chunk's format", 0, 1},
    {"the format's high byte", 1, 1},
    {"no slots", 2, 0},
    {"fewer slots than the bitmap has", 2, 3},
    {"61 slots", 2, 61},
    {"no series", 8, 0},
    {"more series than the table has", 8, 4},
    {"fewer series than the table has", 8, 2},
    {"33 series", 8, 33},
    {"more than 255 series", 9, 1},
    {"an axis too short", 10, 10},
    {"id 0", 11, 0},
    {"a series too long", 12, 11},
    {"an id twice", 16, 0},
    {"an axis of more than 64 bits", 18, 0xc1},
    {"an axis with no slot", 19, 0x00},
    {"an axis with a slot past the end", 19, 0x1b},
    {"buckets of no ticks", 20, 0x00},
    {"buckets of a negative number of ticks", 20, 0x01},
    {"lengths of fewer slots than the ticks", 21, 0x87},
    {"negative lengths", 22, 0x81},
    {"padding of the axis", 28, 0x39},
    {"no flags where there are bytes", 29, 0x00},
    {"a sixth stream", 29, 0x27},
    {"a stream more than there are bytes", 29, 0x0f},
    {"a stream less than there are bytes", 29, 0x03},
    {"a wider stream than its bytes", 30, 0x1d},
    {"padding of a minimum", 33, 0x82},
    {"max below min", 35, 0x01},
    {"a bucket where the axis has none", 44, 0x04},
    {"a bucket nowhere", 44, 0x00},
    {"max below min, in the only bucket", 47, 0x01},
    {"no tick left", 51, 0x07},
    {"less than no length left", 56, 0x7e},
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

/* Only the minimum and what differs from the axis may leave buckets out. */
START_TEST(a_series_has_a_sum_for_each_bucket)
{
	static const struct {
		uint8_t flags;
		int expected;
	} cases[] = {{0x01, 0}, {0x02, -EBADMSG}, {0x04, -EBADMSG}, {0x08, 0}, {0x10, 0}};
	/* Four slots of four ticks; series 1 has one stream, 3 in the first slot. */
	uint8_t p[] = {2, 0, 4, 0, 0x60, 0xea, 0, 0, 1, 0, 2, 1, 4, 0x00, 0x08, 0, 0x80, 0x01, 0x06,
	    0, 0, 0, 0};

	for (size_t i = 0; i < RS_ARRAY_LEN(cases); i++) {
		p[15] = cases[i].flags;
		seal(p, sizeof(p));
		ck_assert_int_eq(read_all(p, sizeof(p)), cases[i].expected);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("bucket");
	TCase *t = tcase_create("bucket");

	tcase_add_loop_test(
	    t, a_counter_is_taken_as_its_rate_to_the_nearest, 0, RS_ARRAY_LEN(rates));
	tcase_add_test(t, rates_are_those_of_slow_division);
	tcase_add_test(t, a_gauge_is_taken_as_it_is);
	tcase_add_test(t, a_counter_s_tick_of_unknown_length_is_left_out);
	tcase_add_test(t, sums_stop_at_the_ends_of_int64);
	tcase_add_test(t, merged_parts_are_the_whole);
	tcase_add_test(t, nothing_merged_with_nothing_is_nothing);
	suite_add_tcase(s, t);

	t = tcase_create("round trip");
	tcase_add_loop_test(t, random_rows_come_back, 0, 4);
	tcase_add_loop_test(t, any_buckets_come_back, 0, 4);
	tcase_add_test(t, extremes_come_back);
	tcase_add_test(t, one_slot_of_one_tick_comes_back);
	tcase_add_test(t, slots_without_any_series_come_back_empty);
	tcase_add_test(t, an_idle_series_takes_two_bytes);
	tcase_add_test(t, a_series_that_came_late_takes_little_more);
	tcase_add_test(t, bad_input_is_refused);
	tcase_add_test(t, too_little_room_leaves_the_output_as_it_was);
	suite_add_tcase(s, t);

	t = tcase_create("format");
	tcase_add_test(t, bytes_are_those_of_the_document);
	suite_add_tcase(s, t);

	t = tcase_create("damage");
	tcase_set_timeout(t, 60);
	tcase_add_test(t, every_truncation_is_refused);
	tcase_add_test(t, a_byte_too_many_is_refused);
	tcase_add_test(t, every_flipped_bit_is_noticed);
	tcase_add_loop_test(t, a_hostile_row_with_a_good_checksum_stays_in_bounds, 0, 4);
	tcase_add_test(t, a_series_that_lies_does_not_hide_the_next);
	tcase_add_test(t, a_series_has_a_sum_for_each_bucket);
	tcase_add_loop_test(t, a_lie_is_refused, 0, RS_ARRAY_LEN(lies));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

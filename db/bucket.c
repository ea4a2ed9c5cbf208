/* SPDX-License-Identifier: ISC */
/*
 * Buckets, and rows of them. A row has two streams for its axis, how many ticks
 * most series have in each slot and how long these were, and for each series a
 * byte that tells which of its own five streams are there; one that would be 0
 * everywhere is not. Pure, any thread.
 */
#include "bucket.h"

#include <errno.h>
#include <string.h>

#include "stream.h"

enum { FORMAT = 2 };

/* The streams of a series, in their order. Those of what most series share
 * have a value only where the series differs. */
enum column { MIN, SPREAD, SUM, MORE_TICKS, MORE_LENGTH, COLUMN_COUNT };

/* --- buckets ------------------------------------------------------------- */

static int64_t
add_saturated(int64_t a, int64_t b)
{
	if (b > 0)
		return a > INT64_MAX - b ? INT64_MAX : a + b;
	return a < INT64_MIN - b ? INT64_MIN : a + b;
}

/* increment / length, in RS_BUCKET_RATE_SCALE-ths a second, to the nearest,
 * without more than 64 bits anywhere: 32-bit machines have no more. */
static int64_t
rate(int64_t increment, uint64_t length_us)
{
	const uint64_t scale = UINT64_C(1000000) * RS_BUCKET_RATE_SCALE;
	const uint64_t size = increment < 0 ? -(uint64_t)increment : (uint64_t)increment;
	const uint64_t whole = size / length_us;
	const uint64_t rest = (size % length_us * scale + length_us / 2) / length_us;

	if (whole > ((uint64_t)INT64_MAX - rest) / scale)
		return increment < 0 ? INT64_MIN : INT64_MAX;
	const int64_t r = (int64_t)(whole * scale + rest);
	return increment < 0 ? -r : r;
}

void
rs_bucket_add(struct rs_bucket *b, enum rs_kind kind, int64_t value, int64_t length_us)
{
	const int64_t length = RS_MIN(RS_MAX(length_us, 0), (int64_t)UINT32_MAX);

	if (kind == RS_COUNTER && length == 0)
		return;
	const int64_t level = kind == RS_COUNTER ? rate(value, (uint64_t)length) : value;
	const struct rs_bucket tick = {
	    .min = level, .max = level, .sum = value, .length_us = length, .count = 1};
	rs_bucket_merge(b, &tick);
}

void
rs_bucket_merge(struct rs_bucket *b, const struct rs_bucket *other)
{
	if (other->count == 0)
		return;
	if (b->count == 0) {
		*b = *other;
		return;
	}
	b->min = RS_MIN(b->min, other->min);
	b->max = RS_MAX(b->max, other->max);
	b->sum = add_saturated(b->sum, other->sum);
	b->length_us = add_saturated(b->length_us, other->length_us);
	b->count += RS_MIN(other->count, UINT32_MAX - b->count);
}

/* --- writing ------------------------------------------------------------- */

/* What most series share. */
struct axis {
	uint32_t slots;
	uint64_t all, present;
	int64_t count[RS_TIER_SLOTS_MAX], length_us[RS_TIER_SLOTS_MAX];
};

/* A series as its streams; they borrow the rest. */
struct columns {
	uint64_t present, differs[2];
	int64_t values[COLUMN_COUNT][RS_TIER_SLOTS_MAX];
	struct rs_stream streams[COLUMN_COUNT];
	unsigned flags; /* bit c: stream c is written */
	size_t bytes;	/* the byte of flags included; 0: all streams are 0 */
};

static bool
is_sane(uint32_t slot_ms, uint32_t slots)
{
	return slot_ms >= 1 && slots >= 1 && slots <= RS_TIER_SLOTS_MAX;
}

/* The axis has the fullest bucket of each slot: a series that was there all the
 * time differs nowhere from it. */
static int
find_axis(const struct rs_tier_series *series, size_t n, struct axis *ret)
{
	uint32_t last_id = 0;

	rs_stream_all(ret->slots, &ret->all);
	for (size_t i = 0; i < n; i++) {
		bool is_empty = true;

		for (uint32_t t = 0; t < ret->slots; t++) {
			const struct rs_bucket *const b = &series[i].buckets[t];

			if (b->count == 0)
				continue;
			if (b->min > b->max || b->length_us < 0)
				return -EINVAL;
			is_empty = false;
			if (b->count > ret->count[t]) {
				ret->count[t] = b->count;
				ret->length_us[t] = b->length_us;
			}
			ret->present |= UINT64_C(1) << t;
		}
		if (is_empty || series[i].id <= last_id)
			return -EINVAL;
		last_id = series[i].id;
	}
	return 0;
}

static void
fill_columns(struct columns *c, const struct axis *a, const struct rs_bucket *buckets)
{
	for (uint32_t t = 0; t < a->slots; t++) {
		const struct rs_bucket *const b = &buckets[t];
		const uint64_t bit = UINT64_C(1) << t;

		if (b->count == 0)
			continue;
		const uint64_t more_length = (uint64_t)b->length_us - (uint64_t)a->length_us[t];
		c->present |= bit;
		c->values[MIN][t] = b->min;
		c->values[SPREAD][t] = (int64_t)((uint64_t)b->max - (uint64_t)b->min);
		c->values[SUM][t] = b->sum;
		c->values[MORE_TICKS][t] = (int64_t)b->count - a->count[t];
		c->values[MORE_LENGTH][t] = (int64_t)more_length;
		for (unsigned i = 0; i < 2; i++)
			c->differs[i] |= c->values[MORE_TICKS + i][t] != 0 ? bit : 0;
	}
}

static void
make_columns(struct columns *c, const struct axis *a, const struct rs_bucket *buckets)
{
	memset(c, 0, sizeof(*c));
	fill_columns(c, a, buckets);
	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		struct rs_stream *const s = &c->streams[i];
		const bool is_shared = i >= MORE_TICKS;

		/* Only the first says which buckets there are. */
		*s = (struct rs_stream){.values = c->values[i],
		    .apart = 1,
		    .present = is_shared ? &c->differs[i - MORE_TICKS] : &c->present,
		    .all = i == MIN ? &a->present : &c->present,
		    .slots = a->slots};
		rs_stream_measure(s);
		const size_t bytes = s->count == 0 ? 0 : rs_stream_bytes(s);
		if (bytes > 0)
			c->flags |= 1u << i;
		c->bytes += bytes;
	}
	if (c->flags != 0)
		c->bytes++;
}

static uint8_t *
put_columns(uint8_t *p, const struct columns *c)
{
	if (c->flags == 0)
		return p;
	*p++ = (uint8_t)c->flags;
	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		if (c->flags >> i & 1)
			p = rs_stream_put(p, &c->streams[i]);
	}
	return p;
}

static struct rs_stream
axis_stream(const struct axis *a, const int64_t *values, const uint64_t *all)
{
	struct rs_stream s = {
	    .values = values, .apart = 1, .present = &a->present, .all = all, .slots = a->slots};

	rs_stream_measure(&s);
	return s;
}

int
rs_tier_encode(uint32_t slot_ms, uint32_t slots, const struct rs_tier_series *series,
    size_t n_series, struct rs_buf *out)
{
	struct rs_packed_series sizes[RS_TIER_SERIES_MAX];
	struct axis axis = {.slots = slots};
	struct columns c;

	if (!is_sane(slot_ms, slots) || n_series == 0 || n_series > RS_TIER_SERIES_MAX)
		return -EINVAL;
	const int r = find_axis(series, n_series, &axis);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n_series; i++) {
		make_columns(&c, &axis, series[i].buckets);
		sizes[i] = (struct rs_packed_series){series[i].id, (uint32_t)c.bytes};
	}
	const struct rs_stream ticks = axis_stream(&axis, axis.count, &axis.all);
	const struct rs_stream lengths = axis_stream(&axis, axis.length_us, &axis.present);
	const struct rs_packed_plan plan = {.format = FORMAT,
	    .slots = (uint16_t)slots,
	    .slot_ms = slot_ms,
	    .axis_bytes = (uint32_t)(rs_stream_bytes(&ticks) + rs_stream_bytes(&lengths)),
	    .n = (uint16_t)n_series,
	    .series = sizes};
	uint8_t *const start = (uint8_t *)rs_buf_reserve(out, rs_packed_bytes(&plan));
	if (start == NULL)
		return -ENOMEM;

	uint8_t *p = rs_packed_begin(start, &plan);
	p = rs_stream_put(rs_stream_put(p, &ticks), &lengths);
	for (size_t i = 0; i < n_series; i++) {
		make_columns(&c, &axis, series[i].buckets);
		p = put_columns(p, &c);
	}
	out->len += (size_t)(rs_packed_end(start, p) - start);
	return 0;
}

/* --- reading ------------------------------------------------------------- */

int
rs_tier_open(struct rs_tier_row *row, const void *data, size_t len)
{
	struct rs_packed *const packed = &row->packed;
	uint64_t all, present;

	memset(row, 0, sizeof(*row));
	if (len > RS_TIER_BYTES_MAX)
		return -EBADMSG;
	int r = rs_packed_open(packed, FORMAT, RS_TIER_SERIES_MAX, data, len);
	if (r < 0)
		return r;
	if (!is_sane(packed->slot_ms, packed->slots))
		return -EBADMSG;
	row->slot_ms = packed->slot_ms;
	row->slots = packed->slots;

	const uint8_t *p = packed->axis, *const end = packed->axis_end;
	rs_stream_all(row->slots, &all);
	r = rs_stream_get(&p, end, &all, row->slots, row->count, &row->present);
	if (r == 0 && p < end) {
		r = rs_stream_get(&p, end, &row->present, row->slots, row->length_us, &present);
		if (r == 0 && (p < end || present != row->present))
			r = -EBADMSG;
	}
	for (uint32_t t = 0; r == 0 && t < row->slots; t++) {
		if (!rs_stream_bit(&row->present, t))
			continue;
		if (row->count[t] < 1 || row->count[t] > UINT32_MAX || row->length_us[t] < 0)
			r = -EBADMSG;
	}
	return r;
}

struct decoded {
	uint64_t present;
	int64_t values[COLUMN_COUNT][RS_TIER_SLOTS_MAX]; /* 0 where nothing is said */
};

static int
get_columns(
    const struct rs_tier_row *row, const uint8_t *p, const uint8_t *end, struct decoded *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->present = row->present;
	if (p == end)
		return 0;
	const unsigned flags = *p++;
	if (flags == 0 || flags >> COLUMN_COUNT != 0)
		return -EBADMSG;
	for (unsigned i = 0; i < COLUMN_COUNT; i++) {
		const uint64_t all = ret->present;
		uint64_t present;

		if (!(flags >> i & 1))
			continue;
		const int r = rs_stream_get(&p, end, &all, row->slots, ret->values[i], &present);
		if (r < 0)
			return r;
		if (i == MIN)
			ret->present = present;
		else if (i < MORE_TICKS && present != all)
			return -EBADMSG;
	}
	return p == end ? 0 : -EBADMSG;
}

static int
make_bucket(const struct rs_tier_row *row, const struct decoded *d, uint32_t t, struct rs_bucket *b)
{
	const int64_t min = d->values[MIN][t];
	const int64_t max = (int64_t)((uint64_t)min + (uint64_t)d->values[SPREAD][t]);
	const int64_t more = d->values[MORE_TICKS][t];
	const int64_t length_us =
	    (int64_t)((uint64_t)row->length_us[t] + (uint64_t)d->values[MORE_LENGTH][t]);

	if (max < min || length_us < 0 || more < 1 - row->count[t] ||
	    more > UINT32_MAX - row->count[t])
		return -EBADMSG;
	*b = (struct rs_bucket){.min = min,
	    .max = max,
	    .sum = d->values[SUM][t],
	    .length_us = length_us,
	    .count = (uint32_t)(row->count[t] + more)};
	return 0;
}

int
rs_tier_next(
    struct rs_tier_row *row, uint32_t *ret_id, struct rs_bucket ret_buckets[RS_TIER_SLOTS_MAX])
{
	const uint8_t *p, *end;
	struct decoded d;

	if (!rs_packed_next(&row->packed, ret_id, &p, &end))
		return 0;
	if (ret_buckets == NULL)
		return 1;
	int r = get_columns(row, p, end, &d);
	for (uint32_t t = 0; r == 0 && t < row->slots; t++) {
		if (rs_stream_bit(&d.present, t))
			r = make_bucket(row, &d, t, &ret_buckets[t]);
		else
			ret_buckets[t] = (struct rs_bucket){0};
	}
	return r < 0 ? r : 1;
}

/* SPDX-License-Identifier: ISC */
/*
 * Numbers as people write them into configurations and requests. Each takes
 * the whole text or fails. Pure; any thread.
 */
#include "num.h"

#include <errno.h>

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* Digits at the front of *t; tells "no number" from "number too long". */
static int
scan_u64(struct rs_text *t, uint64_t *ret)
{
	if (t->p == t->end || !is_digit(*t->p))
		return -EINVAL;
	if (rs_text_u64(t, ret))
		return 0;
	while (t->p < t->end && is_digit(*t->p))
		t->p++;
	return -ERANGE;
}

/* What a number with this many more digits than fit is called depends on
 * whether it is a number at all: trailing rubbish is -EINVAL. */
static int
whole_u64(struct rs_text t, uint64_t *ret)
{
	uint64_t value = 0;
	const int r = scan_u64(&t, &value);

	if (r == -EINVAL || t.p != t.end)
		return -EINVAL;
	if (r == 0)
		*ret = value;
	return r;
}

static bool
take_sign(struct rs_text *t)
{
	if (rs_text_skip(t, "-"))
		return true;
	(void)rs_text_skip(t, "+");
	return false;
}

int
rs_num_u64(struct rs_text t, uint64_t *ret)
{
	return whole_u64(t, ret);
}

int
rs_num_i64(struct rs_text t, int64_t *ret)
{
	const bool is_negative = take_sign(&t);
	const uint64_t limit = (uint64_t)INT64_MAX + (is_negative ? 1 : 0);
	uint64_t value = 0;
	const int r = whole_u64(t, &value);

	if (r < 0)
		return r;
	if (value > limit)
		return -ERANGE;
	/* Two's complement: INT64_MIN has no positive twin to negate. */
	*ret = is_negative ? -(int64_t)(value - (value != 0)) - (value != 0) : (int64_t)value;
	return 0;
}

int
rs_num_double(struct rs_text t, double *ret)
{
	const bool is_negative = take_sign(&t);
	uint64_t digits;
	const int r = scan_u64(&t, &digits);
	double scale = 1;

	if (r == -EINVAL)
		return r;
	if (t.p < t.end) {
		if (!rs_text_skip(&t, ".") || t.p == t.end)
			return -EINVAL;
		/* Digits that no longer fit are below the precision of a double. */
		for (; t.p < t.end && is_digit(*t.p); t.p++) {
			if (r == 0 && digits < UINT64_MAX / 100) {
				digits = digits * 10 + (uint64_t)(*t.p - '0');
				scale *= 10;
			}
		}
		if (t.p < t.end)
			return -EINVAL;
	}
	if (r < 0)
		return r;
	const double value = (double)digits / scale;

	*ret = is_negative ? -value : value;
	return 0;
}

struct factor {
	const char *unit;
	uint64_t factor;
};

/* A whole number and one of the units; the product is at most limit. */
static int
with_unit(
    struct rs_text t, const struct factor *units, size_t n_units, uint64_t limit, uint64_t *ret)
{
	uint64_t value = 0;
	const int r = scan_u64(&t, &value);

	if (r == -EINVAL)
		return r;
	for (size_t i = 0; i < n_units; i++) {
		if (!rs_text_eq(t, units[i].unit))
			continue;
		if (r < 0 || value > limit / units[i].factor)
			return -ERANGE;
		*ret = value * units[i].factor;
		return 0;
	}
	return -EINVAL;
}

int
rs_num_duration(struct rs_text t, rs_ns *ret)
{
	static const struct factor units[] = {
	    {"ms", UINT64_C(1000000)},
	    {"s", UINT64_C(1000000000)},
	    {"m", UINT64_C(60) * 1000000000},
	    {"h", UINT64_C(3600) * 1000000000},
	    {"d", UINT64_C(86400) * 1000000000},
	    {"y", UINT64_C(365) * 86400 * 1000000000},
	};
	uint64_t ns;
	const int r = with_unit(t, units, RS_ARRAY_LEN(units), INT64_MAX, &ns);

	if (r == 0)
		*ret = (rs_ns)ns;
	return r;
}

int
rs_num_size(struct rs_text t, uint64_t *ret_bytes)
{
	static const struct factor units[] = {
	    {"", 1},
	    {"B", 1},
	    {"kB", UINT64_C(1000)},
	    {"MB", UINT64_C(1000000)},
	    {"GB", UINT64_C(1000000000)},
	    {"KiB", UINT64_C(1) << 10},
	    {"MiB", UINT64_C(1) << 20},
	    {"GiB", UINT64_C(1) << 30},
	};

	return with_unit(t, units, RS_ARRAY_LEN(units), UINT64_MAX, ret_bytes);
}

int
rs_num_bool(struct rs_text t, bool *ret)
{
	static const struct {
		const char *word;
		bool value;
	} words[] = {
	    {"yes", true},
	    {"true", true},
	    {"on", true},
	    {"1", true},
	    {"no", false},
	    {"false", false},
	    {"off", false},
	    {"0", false},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++) {
		if (rs_text_eq(t, words[i].word)) {
			*ret = words[i].value;
			return 0;
		}
	}
	return -EINVAL;
}

/* SPDX-License-Identifier: ISC */
/*
 * Times in `after` and `before`. Pure, no locale, no time zone but the one
 * written.
 */
#include "timeparse.h"

#include <errno.h>
#include <math.h>

#include "num.h"

/* Epoch seconds from here on are the year 5138 and later: surely milliseconds. */
#define SECONDS_MAX 1e11

/* Exactly n digits. */
static bool
take_digits(struct rs_text *t, unsigned n, int *ret)
{
	int v = 0;

	if (rs_text_len(*t) < n)
		return false;
	for (unsigned i = 0; i < n; i++) {
		if (t->p[i] < '0' || t->p[i] > '9')
			return false;
		v = v * 10 + (t->p[i] - '0');
	}
	t->p += n;
	*ret = v;
	return true;
}

static bool
take_one_of(struct rs_text *t, const char *chars, char *ret)
{
	for (; *chars != '\0'; chars++) {
		if (t->p < t->end && *t->p == *chars) {
			t->p++;
			*ret = *chars;
			return true;
		}
	}
	return false;
}

/* Days since 1970-01-01 in the Gregorian calendar; years 0 to 9999. */
static int64_t
days_since_epoch(int year, int month, int day)
{
	/* The year begins in March, so that the leap day is its last. */
	const int64_t y = month <= 2 ? year - 1 : year;
	const int64_t from_march = (month + 9) % 12;
	const int64_t leap_days = y / 4 - y / 100 + y / 400;

	return 365 * y + leap_days + (153 * from_march + 2) / 5 + day - 1 - 719468;
}

static bool
is_date(int year, int month, int day)
{
	static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	if (month < 1 || month > 12 || day < 1 || year < 1)
		return false;
	const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);

	return day <= lengths[month - 1] + (month == 2 && is_leap ? 1 : 0);
}

/* "Z" or "+hh:mm"; a '+' that was not encoded in the query has become a blank. */
static bool
take_offset(struct rs_text *t, int *ret_minutes)
{
	int hours, minutes;
	char sign, c;

	if (take_one_of(t, "Zz", &sign)) {
		*ret_minutes = 0;
		return true;
	}
	if (!take_one_of(t, "+- ", &sign) || !take_digits(t, 2, &hours) ||
	    !take_one_of(t, ":", &c) || !take_digits(t, 2, &minutes) || hours > 23 || minutes > 59)
		return false;
	*ret_minutes = (sign == '-' ? -1 : 1) * (hours * 60 + minutes);
	return true;
}

/* The digits after the point; what is finer than a millisecond is cut off. */
static bool
take_fraction(struct rs_text *t, int64_t *ret_ms)
{
	int64_t weight = 100;
	int digit = 0;

	if (!take_digits(t, 1, &digit))
		return false;
	*ret_ms = 0;
	do {
		*ret_ms += weight * digit;
		weight /= 10;
	} while (take_digits(t, 1, &digit));
	return true;
}

/* RFC 3339 date-time. */
static bool
take_date_time(struct rs_text t, int64_t *ret_ms)
{
	int year, month, day, hour, minute, second, offset_min;
	int64_t ms = 0;
	char c;

	if (!take_digits(&t, 4, &year) || !take_one_of(&t, "-", &c) ||
	    !take_digits(&t, 2, &month) || !take_one_of(&t, "-", &c) || !take_digits(&t, 2, &day) ||
	    !is_date(year, month, day) || !take_one_of(&t, "Tt ", &c) ||
	    !take_digits(&t, 2, &hour) || !take_one_of(&t, ":", &c) ||
	    !take_digits(&t, 2, &minute) || !take_one_of(&t, ":", &c) ||
	    !take_digits(&t, 2, &second) || hour > 23 || minute > 59 || second > 60)
		return false;
	if (take_one_of(&t, ".", &c) && !take_fraction(&t, &ms))
		return false;
	if (!take_offset(&t, &offset_min) || t.p != t.end)
		return false;
	const int64_t minutes = (int64_t)hour * 60 + minute - offset_min;

	*ret_ms = ((days_since_epoch(year, month, day) * 1440 + minutes) * 60 + second) * 1000 + ms;
	return true;
}

int
rs_time_parse(struct rs_text t, int64_t now_ms, int64_t *ret_ms, struct rs_error *e)
{
	double seconds;
	const int r = rs_num_double(t, &seconds);

	if (r == -ERANGE || (r == 0 && fabs(seconds) >= SECONDS_MAX))
		return rs_error_set(e, -EINVAL,
		    "a time is in seconds, this one is too large: "
		    "milliseconds?");
	if (r == 0) {
		const bool is_relative = rs_text_starts(t, "-");

		*ret_ms = llround(seconds * 1000) + (is_relative ? now_ms : 0);
		return 0;
	}
	if (take_date_time(t, ret_ms))
		return 0;
	return rs_error_set(e, -EINVAL,
	    "expected epoch seconds, negative seconds relative to now, or a time as "
	    "2025-01-31T12:00:00Z");
}

/* SPDX-License-Identifier: ISC */
/*
 * Slices of time.
 */
#include "slice.h"

void
rs_slice_init(struct rs_slice *s, int64_t after_ms, int64_t before_ms, int64_t between_ms,
    int64_t interval_ms)
{
	*s = (struct rs_slice){.after_ms = after_ms,
	    .before_ms = before_ms,
	    .between_ms = between_ms,
	    .unit_ms = interval_ms,
	    .len_ms = before_ms - after_ms};
}

bool
rs_slice_is_over(const struct rs_slice *s)
{
	return s->after_ms >= s->before_ms;
}

/* The last moment up to t that lies between two ticks. */
static int64_t
between_ticks(const struct rs_slice *s, int64_t t)
{
	const int64_t since = (t - s->between_ms) % s->unit_ms;

	return t - (since < 0 ? since + s->unit_ms : since);
}

int64_t
rs_slice_end(const struct rs_slice *s)
{
	if (s->before_ms - s->after_ms <= s->len_ms)
		return s->before_ms;
	const int64_t end = between_ticks(s, s->after_ms + s->len_ms);

	return end > s->after_ms ? end : s->after_ms + s->len_ms;
}

void
rs_slice_next(struct rs_slice *s, int64_t end_ms, bool was_small)
{
	s->after_ms = end_ms;
	if (was_small && s->len_ms < s->before_ms - s->after_ms)
		s->len_ms *= 2;
}

void
rs_slice_align(struct rs_slice *s, int64_t between_ms, int64_t unit_ms)
{
	s->between_ms = between_ms;
	s->unit_ms = unit_ms;
}

bool
rs_slice_halve(struct rs_slice *s)
{
	const int64_t len = rs_slice_end(s) - s->after_ms;

	if (len <= s->unit_ms)
		return false;
	s->len_ms = RS_MAX(len / 2, s->unit_ms);
	return true;
}

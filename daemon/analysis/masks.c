/* SPDX-License-Identifier: ISC */
/*
 * The kernel takes masks in groups of 32 bits with commas between
 * (lib/bitmap-str.c, bitmap_parse), the first of which need not be whole.
 */
#include "masks.h"

#include <stdio.h>
#include <string.h>

#define GROUPS (RS_CPU_MAX / 32)

static uint32_t
group_of(const struct rs_cpuset *s, unsigned i)
{
	return (uint32_t)(s->word[i / 2] >> 32 * (i % 2));
}

bool
rs_mask_hex(const struct rs_cpuset *s, char *dst, size_t cap)
{
	unsigned i = GROUPS - 1;

	while (i > 0 && group_of(s, i) == 0)
		i--;
	int n = snprintf(dst, cap, "%x", group_of(s, i));
	size_t len = 0;
	while (n >= 0 && (size_t)n < cap - len) {
		len += (size_t)n;
		if (i-- == 0)
			return true;
		n = snprintf(dst + len, cap - len, ",%08x", group_of(s, i));
	}
	return false;
}

bool
rs_mask_list(const struct rs_cpuset *s, char *dst, size_t cap)
{
	rs_cpuset_format(s, dst, cap);
	return *dst != '\0' && !strstr(dst, "...");
}

bool
rs_mask_is_empty(const char *value)
{
	return value && strcmp(value, "none") == 0;
}

bool
rs_mask_of(const char *value, struct rs_cpuset *ret)
{
	if (!value || strstr(value, "..."))
		return false;
	if (!rs_mask_is_empty(value))
		return rs_cpuset_parse_list(rs_text_of(value), ret) == 0;
	rs_cpuset_zero(ret);
	return true;
}

/* The next "3" or "3-5" of a list; false: there is none. */
static bool
take_range(struct rs_text *t, uint64_t *ret_first, uint64_t *ret_last)
{
	(void)rs_text_skip(t, ",");
	if (!rs_text_u64(t, ret_first))
		return false;
	*ret_last = *ret_first;
	return !rs_text_skip(t, "-") || rs_text_u64(t, ret_last);
}

bool
rs_mask_has(const char *value, unsigned cpu)
{
	struct rs_text t = rs_text_of(value ? value : "");
	uint64_t first, last;

	while (take_range(&t, &first, &last)) {
		if (first <= cpu && cpu <= last)
			return true;
	}
	return false;
}

int
rs_mask_only(const char *value)
{
	struct rs_text t = rs_text_of(value ? value : "");
	uint64_t first, last;

	return take_range(&t, &first, &last) && first == last && t.p == t.end && first < RS_CPU_MAX
		   ? (int)first
		   : -1;
}

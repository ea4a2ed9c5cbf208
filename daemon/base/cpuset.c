/* SPDX-License-Identifier: ISC */
/*
 * Sets of CPU numbers and the two ways the kernel writes them (lib/vsprintf.c:
 * %*pbl and %*pb). Pure; any thread.
 */
#include "cpuset.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static uint64_t
bit_of(unsigned cpu)
{
	return UINT64_C(1) << cpu % 64;
}

void
rs_cpuset_zero(struct rs_cpuset *s)
{
	memset(s, 0, sizeof(*s));
}

void
rs_cpuset_add(struct rs_cpuset *s, unsigned cpu)
{
	if (cpu < RS_CPU_MAX)
		s->word[cpu / 64] |= bit_of(cpu);
}

void
rs_cpuset_remove(struct rs_cpuset *s, unsigned cpu)
{
	if (cpu < RS_CPU_MAX)
		s->word[cpu / 64] &= ~bit_of(cpu);
}

bool
rs_cpuset_has(const struct rs_cpuset *s, unsigned cpu)
{
	return cpu < RS_CPU_MAX && (s->word[cpu / 64] & bit_of(cpu)) != 0;
}

unsigned
rs_cpuset_count(const struct rs_cpuset *s)
{
	unsigned count = 0;

	for (size_t i = 0; i < RS_ARRAY_LEN(s->word); i++) {
		/* Clears the lowest bit set: one round a member. */
		for (uint64_t w = s->word[i]; w != 0; w &= w - 1)
			count++;
	}
	return count;
}

unsigned
rs_cpuset_next(const struct rs_cpuset *s, unsigned from)
{
	for (unsigned cpu = from; cpu < RS_CPU_MAX; cpu++) {
		if (s->word[cpu / 64] >> cpu % 64 == 0)
			cpu |= 63; /* nothing more in this word */
		else if (rs_cpuset_has(s, cpu))
			return cpu;
	}
	return RS_CPU_MAX;
}

/* A CPU number at the front of *t. */
static int
scan_cpu(struct rs_text *t, unsigned *ret)
{
	uint64_t value;

	rs_text_blanks(t);
	if (t->p == t->end || *t->p < '0' || *t->p > '9')
		return -EINVAL;
	if (!rs_text_u64(t, &value) || value >= RS_CPU_MAX)
		return -ERANGE;
	*ret = (unsigned)value;
	return 0;
}

/* "8" or "0-3" into s. */
static int
parse_range(struct rs_text t, struct rs_cpuset *s)
{
	unsigned first, last;
	int r = scan_cpu(&t, &first);

	if (r < 0)
		return r;
	last = first;
	rs_text_blanks(&t);
	if (rs_text_skip(&t, "-")) {
		r = scan_cpu(&t, &last);
		if (r < 0)
			return r;
		rs_text_blanks(&t);
	}
	if (t.p != t.end || last < first)
		return -EINVAL;
	for (unsigned cpu = first; cpu <= last; cpu++)
		rs_cpuset_add(s, cpu);
	return 0;
}

int
rs_cpuset_parse_list(struct rs_text t, struct rs_cpuset *ret)
{
	struct rs_cpuset set;
	struct rs_text range;
	bool is_last;

	rs_cpuset_zero(&set);
	t = rs_text_trim(t);
	is_last = t.p == t.end;
	while (!is_last) {
		if (!rs_text_until(&t, ',', &range)) {
			range = t;
			is_last = true;
		}
		const int r = parse_range(range, &set);
		if (r < 0)
			return r;
	}
	*ret = set;
	return 0;
}

/* The hexadecimal group that ends at t->end, without its comma; *t loses both.
 * The kernel writes groups of 32 bits. */
static int
take_last_group(struct rs_text *t, uint32_t *ret)
{
	struct rs_text group = *t;
	uint64_t value;

	while (group.p < t->end && t->end[-1] != ',')
		t->end--;
	group.p = t->end;
	/* rs_text_hex would skip blanks; inside a mask there are none. */
	if (group.p == group.end || *group.p == ' ' || *group.p == '\t')
		return -EINVAL;
	if (rs_text_len(group) > 8 || !rs_text_hex(&group, &value) || group.p != group.end)
		return -EINVAL;
	*ret = (uint32_t)value;
	return 0;
}

int
rs_cpuset_parse_mask(struct rs_text t, struct rs_cpuset *ret)
{
	struct rs_cpuset set;
	uint32_t bits;
	bool has_more;

	rs_cpuset_zero(&set);
	t = rs_text_trim(t);
	unsigned word32 = 0;
	do {
		if (take_last_group(&t, &bits) < 0)
			return -EINVAL;
		has_more = t.end > t.p;
		if (has_more)
			t.end--; /* the comma */
		if (word32 < RS_CPU_MAX / 32)
			set.word[word32 / 2] |= (uint64_t)bits << 32 * (word32 % 2);
		else if (bits != 0)
			return -ERANGE;
		word32++;
	} while (has_more);
	*ret = set;
	return 0;
}

/* The last member of the run that begins at `first`. */
static unsigned
run_end(const struct rs_cpuset *s, unsigned first)
{
	unsigned last = first;

	while (rs_cpuset_has(s, last + 1))
		last++;
	return last;
}

void
rs_cpuset_format(const struct rs_cpuset *s, char *dst, size_t cap)
{
	static const char cut[] = "...";
	size_t len = 0, cut_at = 0; /* the last place between items where "..." fits */
	unsigned next;

	if (cap == 0)
		return;
	dst[0] = '\0';
	for (unsigned cpu = rs_cpuset_next(s, 0); cpu < RS_CPU_MAX; cpu = rs_cpuset_next(s, next)) {
		const unsigned last = run_end(s, cpu);
		char item[32];
		const char *comma = len > 0 ? "," : "";
		const int n = last == cpu
				  ? snprintf(item, sizeof(item), "%s%u", comma, cpu)
				  : snprintf(item, sizeof(item), "%s%u-%u", comma, cpu, last);

		if (len + (size_t)n >= cap) {
			if (cut_at + sizeof(cut) <= cap)
				memcpy(dst + cut_at, cut, sizeof(cut));
			return;
		}
		memcpy(dst + len, item, (size_t)n + 1);
		len += (size_t)n;
		if (len + sizeof(cut) <= cap)
			cut_at = len;
		next = last + 1;
	}
}

/* SPDX-License-Identifier: ISC */
/*
 * A minute block's memory. A tick writes all its series side by side: a page or
 * two, where a column a series would be a cold page for every few of them. Memory is
 * mapped, so that pages of series that never appear cost nothing; after a reset its
 * pages are kept, since the next minute writes them again.
 *
 * All of a block is one piece, the same in memory and in the head file: what each
 * tick touches first, then the names of the series, then the values.
 */
/* MAP_ANONYMOUS is not in POSIX. */
#define _GNU_SOURCE
#include "block.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>

#include "hash.h"

enum {
	PAGE = 4096,
	COLUMNS_A_PAGE = PAGE / sizeof(int64_t) /* the file grows by so many slots */
};

/* --- where everything lies --------------------------------------------- */

struct layout {
	size_t seals, length_us, has_tick, present, series, values, bytes;
};

static size_t
whole(size_t bytes, size_t unit)
{
	return (bytes + unit - 1) / unit * unit;
}

static struct layout
layout_of(const struct rs_block *b)
{
	struct layout l = {.seals = whole(sizeof(struct rs_block_top), 8)};
	const size_t n = b->max_series;

	l.length_us = l.seals + b->ticks * sizeof(*b->seals);
	l.has_tick = l.length_us + b->ticks * sizeof(*b->length_us);
	l.present = whole(l.has_tick + b->ticks * sizeof(*b->has_tick), 8);
	l.series = whole(l.present + n * b->present_words * sizeof(*b->present), PAGE);
	l.values = whole(l.series + n * sizeof(*b->series), PAGE);
	l.bytes = whole(l.values + n * b->ticks * sizeof(*b->values), PAGE);
	return l;
}

/* A pointer into the block; all places are aligned for what lies there. */
static void *
at(char *base, size_t offset)
{
	return base + offset;
}

static void
place(struct rs_block *b, char *base)
{
	const struct layout l = layout_of(b);

	b->base = base;
	b->top = at(base, 0);
	b->seals = at(base, l.seals);
	b->length_us = at(base, l.length_us);
	b->has_tick = at(base, l.has_tick);
	b->present = at(base, l.present);
	b->series = at(base, l.series);
	b->values = at(base, l.values);
	b->n_ready = base == b->home ? b->home_ready : b->max_series;
}

size_t
rs_block_bytes(const struct rs_block *b)
{
	return layout_of(b).bytes;
}

int
rs_block_new(uint32_t max_series, rs_ns interval_ns, struct rs_block **ret)
{
	if (!max_series || interval_ns <= 0 || interval_ns > RS_BLOCK_NS)
		return -EINVAL;
	const rs_ns ticks = (RS_BLOCK_NS + interval_ns - 1) / interval_ns;
	/* Pages of a value for each tick and series, twice for all else. */
	if (ticks > RS_BLOCK_TICKS_MAX || max_series > SIZE_MAX / 2 / 8 / (size_t)(ticks + 60))
		return -EINVAL;
	struct rs_block *const b = calloc(1, sizeof(*b));
	if (!b)
		return -ENOMEM;
	b->max_series = max_series;
	b->interval_ns = interval_ns;
	b->ticks = (uint32_t)ticks;
	b->present_words = (b->ticks + 63) / 64;
	b->minute = -1;
	b->home_fd = -1;
	void *const p = mmap(NULL, rs_block_bytes(b), PROT_READ | PROT_WRITE,
	    MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p == MAP_FAILED) {
		free(b);
		return -ENOMEM;
	}
	b->memory = p;
	place(b, b->memory);
	*ret = b;
	return 0;
}

void
rs_block_free(struct rs_block *b)
{
	if (!b)
		return;
	(void)munmap(b->memory, rs_block_bytes(b));
	free(b);
}

/* --- in the file ------------------------------------------------------- */

/* The compiler keeps to the order of what a later process reads. */
static void
in_order(void)
{
	atomic_signal_fence(memory_order_seq_cst);
}

bool
rs_block_is_home(const struct rs_block *b)
{
	return b->home && b->base == b->home;
}

void
rs_block_settle(struct rs_block *b, int fd, off_t at_byte, char *home)
{
	b->home_fd = fd;
	b->home_at = at_byte;
	b->home = home;
	b->home_ready = 0;
}

/* A hole in a file that is full when it is touched is SIGBUS. */
static int
allocate(const struct rs_block *b, size_t from, size_t len)
{
	int rc;

	do {
		rc = posix_fallocate(b->home_fd, b->home_at + (off_t)from, (off_t)len);
	} while (rc == EINTR);
	return -rc;
}

/* Half of what is free is left to the others who keep files there. */
static int
has_room(const struct rs_block *b, uint32_t slots)
{
	struct statvfs st;

	if (fstatvfs(b->home_fd, &st) < 0)
		return -errno;
	const uint64_t bytes = (uint64_t)slots * (b->ticks + 1) * sizeof(*b->values);
	if (st.f_blocks == 0)
		return 0; /* it has no limit */
	return bytes <= st.f_bavail * (uint64_t)st.f_frsize / 2 ? 0 : -ENOSPC;
}

/* Room for so many slots in all ticks, so that a tick has nothing to look after. */
static int
allocate_slots(struct rs_block *b, uint32_t n)
{
	const struct layout l = layout_of(b);
	const uint32_t had = b->home_ready;
	const uint32_t want =
	    RS_MIN((n / COLUMNS_A_PAGE + 1) * (uint32_t)COLUMNS_A_PAGE, b->max_series);
	int rc = has_room(b, want - had);

	if (rc == 0)
		rc = allocate(
		    b, 0, l.present + (size_t)want * b->present_words * sizeof(*b->present));
	if (rc == 0)
		rc = allocate(b, l.series, want * sizeof(*b->series));
	for (size_t t = 0; rc == 0 && t < b->ticks; t++)
		rc = allocate(b, l.values + (t * b->max_series + had) * sizeof(*b->values),
		    (want - had) * sizeof(*b->values));
	if (rc == 0)
		b->home_ready = want;
	return rc;
}

static void
clear(struct rs_block *b, uint32_t n)
{
	memset(b->series, 0, (size_t)n * sizeof(*b->series));
	memset(b->present, 0, (size_t)n * b->present_words * sizeof(*b->present));
	memset(b->has_tick, 0, b->ticks * sizeof(*b->has_tick));
	memset(b->length_us, 0, b->ticks * sizeof(*b->length_us));
	memset(b->seals, 0, b->ticks * sizeof(*b->seals));
}

/* Of an empty block in memory. */
static void
go_home(struct rs_block *b)
{
	b->home_error = b->home_ready > 0 ? 0 : allocate_slots(b, 1);
	if (b->home_error < 0)
		return;
	place(b, b->home);
	b->top->minute = -1;
	in_order();
	clear(b, b->home_ready);
}

/* The rest of the minute is written in memory; what the file has of it stays. */
static void
leave_home(struct rs_block *b)
{
	const struct rs_block was = *b;
	const size_t row = (size_t)b->n_series * sizeof(*b->values);

	place(b, b->memory);
	memcpy(b->base, was.base,
	    layout_of(b).present + (size_t)b->n_series * b->present_words * sizeof(*b->present));
	memcpy(b->series, was.series, (size_t)b->n_series * sizeof(*b->series));
	for (size_t t = 0; t < b->ticks; t++)
		memcpy(b->values + t * b->max_series, was.values + t * b->max_series, row);
}

/* --- the minute -------------------------------------------------------- */

void
rs_block_reset(struct rs_block *b, int64_t minute)
{
	/* Only what was used, so that untouched pages stay untouched. */
	b->top->minute = -1;
	in_order();
	clear(b, b->n_series);
	b->n_series = 0;
	if (b->home && b->base != b->home)
		go_home(b);
	b->minute = minute;
	b->wall_offset_ms = 0;
	b->is_clock_ok = false;
	b->is_committed = false;
	b->is_with_store = false;
	b->has_failed = false;
	*b->top = (struct rs_block_top){.minute = -1};
	in_order();
	b->top->minute = minute;
}

void
rs_block_name(struct rs_block *b, uint32_t slot, const struct rs_block_series *s)
{
	if (slot >= b->max_series)
		return;
	if (slot >= b->n_ready) {
		b->home_error = allocate_slots(b, slot);
		if (b->home_error < 0)
			leave_home(b);
		else
			b->n_ready = b->home_ready;
	}
	struct rs_block_series *const to = &b->series[slot];
	*to = *s;
	to->check = rs_block_series_check(to, slot);
	b->n_series = RS_MAX(b->n_series, slot + 1);
}

void
rs_block_put(struct rs_block *b, uint32_t slot, uint32_t tick, int64_t value)
{
	if (slot >= b->n_ready || tick >= b->ticks)
		return;
	b->values[(size_t)tick * b->max_series + slot] = value;
	b->present[(size_t)slot * b->present_words + tick / 64] |= UINT64_C(1) << (tick % 64);
}

static bool
is_present(const struct rs_block *b, uint32_t slot, uint32_t tick)
{
	return b->present[(size_t)slot * b->present_words + tick / 64] >> (tick % 64) & 1;
}

bool
rs_block_get(const struct rs_block *b, uint32_t slot, uint32_t tick, int64_t *ret)
{
	if (slot >= b->n_series || tick >= b->ticks || !is_present(b, slot, tick))
		return false;
	*ret = b->values[(size_t)tick * b->max_series + slot];
	return true;
}

void
rs_block_drop_tick(struct rs_block *b, uint32_t tick)
{
	b->seals[tick].sum = 0;
	in_order();
	for (uint32_t i = 0; i < b->n_series; i++)
		b->present[(size_t)i * b->present_words + tick / 64] &=
		    ~(UINT64_C(1) << (tick % 64));
	b->has_tick[tick] = false;
	b->length_us[tick] = 0;
}

uint64_t
rs_block_sum(const struct rs_block *b, uint32_t tick)
{
	const int64_t *const values = b->values + (size_t)tick * b->max_series;
	const struct rs_block_seal *const s = &b->seals[tick];
	uint64_t h = rs_hash_word(RS_HASH_START, (uint64_t)b->minute << 16 | tick);

	h = rs_hash_word(h, (uint64_t)s->wall_offset_ms);
	h = rs_hash_word(h, (uint64_t)b->length_us[tick] << 32 | s->is_clock_ok);
	for (uint32_t i = 0; i < b->n_series; i++) {
		if (is_present(b, i, tick))
			h = rs_hash_word(h + i, (uint64_t)values[i]);
	}
	return h != 0 ? h : 1;
}

void
rs_block_seal(struct rs_block *b, uint32_t tick)
{
	struct rs_block_seal *const s = &b->seals[tick];

	if (!rs_block_is_home(b))
		return;
	s->wall_offset_ms = b->wall_offset_ms;
	s->is_clock_ok = b->is_clock_ok;
	b->top->n_series = b->n_series;
	const uint64_t sum = rs_block_sum(b, tick);
	in_order();
	s->sum = sum;
}

void
rs_block_done(struct rs_block *b, bool is_committed)
{
	b->is_with_store = false;
	b->is_committed = is_committed;
	if (rs_block_is_home(b))
		b->top->is_committed = is_committed;
}

uint32_t
rs_block_series_check(const struct rs_block_series *s, uint32_t slot)
{
	uint64_t h = rs_hash_word(RS_HASH_START, (uint64_t)slot << 32 | s->uid);

	h = rs_hash_word(h, s->metric);
	return (uint32_t)rs_hash_bytes(h, &s->labels, sizeof(s->labels));
}

int64_t
rs_block_tick_ms(const struct rs_block *b, uint32_t tick)
{
	return (b->minute * RS_BLOCK_NS + (rs_ns)tick * b->interval_ns) / RS_NS_PER_MS;
}

/* SPDX-License-Identifier: ISC */
/*
 * Bytes are read to where they belong in a block of the same shape, then judged.
 */
#include "leftover.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hash.h"

enum { MINUTES_MAX = 1 << 28 /* as the database */ };

void
rs_leftover_fini(struct rs_leftover *l)
{
	while (l->blocks) {
		struct rs_block *const b = l->blocks;

		l->blocks = b->next;
		rs_block_free(b);
	}
	free(l->changes);
	*l = (struct rs_leftover){0};
}

/* --- blocks ------------------------------------------------------------ */

/* All of len bytes to where they lie in the block. */
static bool
read_part(const struct rs_leftover_place *p, off_t block_at, const struct rs_block *b, void *part,
    size_t len)
{
	const off_t from = block_at + ((char *)part - b->base);
	size_t done = 0;

	while (done < len) {
		const ssize_t n = pread(p->fd, (char *)part + done, len - done, from + (off_t)done);

		if (n <= 0)
			return false;
		done += (size_t)n;
	}
	return true;
}

/* The ticks of a block whose front is read: those that are whole stay. False: none,
 * or they cannot be read. */
static bool
read_ticks(
    const struct rs_leftover_place *p, off_t block_at, struct rs_block *b, struct rs_leftover *l)
{
	const unsigned char *const began = (const unsigned char *)b->has_tick;
	uint32_t n = 0;

	for (uint32_t t = 0; t < b->ticks; t++) {
		const struct rs_block_seal *const s = &b->seals[t];
		const bool has_begun = began[t] != 0 || s->sum != 0;

		if (s->sum != 0 && !read_part(p, block_at, b, b->values + (size_t)t * b->max_series,
				       b->n_series * sizeof(*b->values)))
			return false;
		if (s->sum == 0 || s->is_clock_ok > 1 || rs_block_sum(b, t) != s->sum) {
			rs_block_drop_tick(b, t);
			l->torn += has_begun;
			continue;
		}
		b->has_tick[t] = true;
		b->wall_offset_ms = s->wall_offset_ms;
		b->is_clock_ok = s->is_clock_ok != 0;
		n++;
	}
	l->ticks += n;
	return n > 0;
}

static bool
is_series(const struct rs_block_series *s, uint32_t slot)
{
	return s->uid != 0 && s->check == rs_block_series_check(s, slot) &&
	       s->metric < RS_M_COUNT && memchr(s->labels.device, '\0', sizeof(s->labels.device)) &&
	       memchr(s->labels.irq, '\0', sizeof(s->labels.irq));
}

/* Values that cannot be said whose they are go. */
static void
drop_nameless(struct rs_block *b)
{
	for (uint32_t i = 0; i < b->n_series; i++) {
		if (is_series(&b->series[i], i))
			continue;
		memset(&b->series[i], 0, sizeof(b->series[i]));
		memset(b->present + (size_t)i * b->present_words, 0,
		    b->present_words * sizeof(*b->present));
	}
}

/* Fills b; false: nothing of it is of use. */
static bool
read_block(
    const struct rs_leftover_place *p, off_t block_at, struct rs_block *b, struct rs_leftover *l)
{
	if (!read_part(p, block_at, b, b->base, (size_t)((char *)b->present - b->base)) ||
	    b->top->minute < 0 || b->top->minute >= MINUTES_MAX || b->top->is_committed ||
	    b->top->n_series > b->max_series)
		return false;
	b->minute = b->top->minute;
	b->n_series = b->top->n_series;
	if (!read_part(p, block_at, b, b->present,
		(size_t)b->n_series * b->present_words * sizeof(*b->present)) ||
	    !read_part(p, block_at, b, b->series, b->n_series * sizeof(*b->series)))
		return false;
	if (!read_ticks(p, block_at, b, l))
		return false;
	drop_nameless(b);
	return true;
}

static void
insert_block(struct rs_block **chain, struct rs_block *b)
{
	while (*chain && (*chain)->minute <= b->minute)
		chain = &(*chain)->next;
	b->next = *chain;
	*chain = b;
}

/* --- changes ----------------------------------------------------------- */

uint64_t
rs_change_slot_check(const struct rs_change_slot *s)
{
	return rs_hash_bytes(RS_HASH_START, &s->change, sizeof(s->change));
}

static int
by_id(const void *a, const void *b)
{
	const struct rs_change *const left = a, *const right = b;

	return left->id < right->id ? -1 : left->id > right->id;
}

static bool
is_change(const struct rs_change_slot *s)
{
	const struct rs_change *const c = &s->change;

	return s->check != 0 && s->check == rs_change_slot_check(s) && c->id > 0 &&
	       c->fact < RS_F_COUNT && memchr(c->labels.device, '\0', sizeof(c->labels.device)) &&
	       memchr(c->labels.irq, '\0', sizeof(c->labels.irq)) &&
	       memchr(c->old, '\0', sizeof(c->old)) && memchr(c->new, '\0', sizeof(c->new));
}

static int
read_changes(const struct rs_leftover_place *p, struct rs_leftover *l)
{
	struct rs_change_slot s;

	l->changes = calloc(RS_HEAD_CHANGES, sizeof(*l->changes));
	if (!l->changes)
		return -ENOMEM;
	for (size_t i = 0; i < RS_HEAD_CHANGES; i++) {
		const off_t from = p->changes_at + (off_t)(i * sizeof(s));

		if (pread(p->fd, &s, sizeof(s), from) == (ssize_t)sizeof(s) && is_change(&s))
			l->changes[l->n_changes++] = s.change;
	}
	qsort(l->changes, l->n_changes, sizeof(*l->changes), by_id);
	return 0;
}

int
rs_leftover_read(const struct rs_leftover_place *p, struct rs_leftover *ret)
{
	struct rs_leftover l = {0};
	off_t block_at = p->blocks_at;
	int rc = read_changes(p, &l);

	for (uint32_t i = 0; rc == 0 && i < p->n_blocks; i++) {
		struct rs_block *b;

		rc = rs_block_new(p->max_series, p->interval_ns, &b);
		if (rc < 0)
			break;
		const off_t next_at = block_at + (off_t)rs_block_bytes(b);
		if (read_block(p, block_at, b, &l))
			insert_block(&l.blocks, b);
		else
			rs_block_free(b);
		block_at = next_at;
	}
	if (rc < 0)
		rs_leftover_fini(&l);
	*ret = l;
	return rc;
}

/* SPDX-License-Identifier: ISC */
/*
 * One array of changes, the oldest first. Loop thread.
 */
#include "unwritten.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EARLY = RS_UNWRITTEN_MAX / 4 }; /* so many do not wait */

void
rs_unwritten_fini(struct rs_unwritten *u)
{
	free(u->held);
	*u = (struct rs_unwritten){0};
}

static int
make_room(struct rs_unwritten *u, size_t n)
{
	if (u->held != NULL && n <= u->cap)
		return 0;
	const size_t cap = RS_MAX(n, RS_MIN(u->cap * 2, (size_t)RS_UNWRITTEN_MAX));
	struct rs_change *const held = realloc(u->held, cap * sizeof(*held));

	if (held == NULL)
		return -ENOMEM;
	u->held = held;
	u->cap = cap;
	return 0;
}

void
rs_unwritten_add(struct rs_unwritten *u, const struct rs_change *c, size_t n)
{
	const size_t kept = RS_MIN(n, (size_t)RS_UNWRITTEN_MAX);
	const size_t all = u->n + kept;
	const size_t surplus = all > RS_UNWRITTEN_MAX ? all - RS_UNWRITTEN_MAX : 0;

	if (kept == 0)
		return;
	if (make_room(u, all - surplus) < 0) {
		u->dropped += n;
		return;
	}
	u->dropped += surplus + (n - kept);
	u->n -= surplus;
	if (u->n > 0 && surplus > 0)
		memmove(u->held, u->held + surplus, u->n * sizeof(*u->held));
	memcpy(u->held + u->n, c + (n - kept), kept * sizeof(*c));
	u->n += kept;
}

static bool
is_new_minute(const struct rs_unwritten *u, rs_ns now_ns)
{
	return u->writes == 0 || now_ns - u->minute_ns >= RS_BLOCK_NS;
}

bool
rs_unwritten_is_due(const struct rs_unwritten *u, rs_ns now_ns)
{
	return is_new_minute(u, now_ns) || u->writes < RS_UNWRITTEN_WRITES ||
	       (u->n >= EARLY && !u->is_failing);
}

struct rs_change_list *
rs_unwritten_take(struct rs_unwritten *u, rs_ns now_ns)
{
	struct rs_change_list *const list =
	    u->n > 0 && u->writing == NULL ? calloc(1, sizeof(*list)) : NULL;

	if (list == NULL)
		return NULL;
	list->changes = u->held;
	list->n = u->n;
	u->held = NULL;
	u->n = u->cap = 0;
	u->writing = list;
	if (is_new_minute(u, now_ns)) {
		u->minute_ns = now_ns;
		u->writes = 0;
	}
	u->writes++;
	return list;
}

void
rs_unwritten_done(struct rs_unwritten *u, const struct rs_change_list *list, bool is_written)
{
	const struct rs_unwritten newer = *u;

	u->writing = NULL;
	u->is_failing = !is_written;
	if (is_written)
		return;
	/* They are older than what came meanwhile. */
	u->held = NULL;
	u->n = u->cap = 0;
	rs_unwritten_add(u, list->changes, list->n);
	rs_unwritten_add(u, newer.held, newer.n);
	free(newer.held);
}

static bool
matches(const struct rs_change_query *q, const struct rs_change *c)
{
	return c->at_ms > q->after_ms && c->at_ms <= q->before_ms &&
	       (q->fact == RS_F_COUNT || q->fact == c->fact) &&
	       (q->device[0] == '\0' || strcmp(q->device, c->labels.device) == 0);
}

/* Adds those of an ascending array that are asked for, the newest first. */
static void
add_newest(
    struct rs_change_list *to, const struct rs_change_query *q, const struct rs_change *c, size_t n)
{
	while (n-- > 0 && to->n < q->limit) {
		struct rs_change one = c[n];

		if (q->has_offset)
			(void)rs_change_follow(&one, q->offset_ms);
		if (matches(q, &one))
			to->changes[to->n++] = one;
	}
}

int
rs_unwritten_merge(
    const struct rs_unwritten *u, const struct rs_change_query *q, struct rs_change_list *list)
{
	struct rs_change_list all = {.status = list->status, .incomplete = list->incomplete};

	if (u->n == 0 && u->writing == NULL)
		return 0;
	all.changes = calloc((size_t)q->limit + 1, sizeof(*all.changes));
	if (all.changes == NULL)
		return -ENOMEM;
	add_newest(&all, q, u->held, u->n);
	if (u->writing != NULL)
		add_newest(&all, q, u->writing->changes, u->writing->n);
	const size_t n = RS_MIN(list->n, q->limit - all.n);

	if (n > 0)
		memcpy(all.changes + all.n, list->changes, n * sizeof(*all.changes));
	all.n += n;
	free(list->changes);
	*list = all;
	return 0;
}

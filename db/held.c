/* SPDX-License-Identifier: ISC */
/*
 * An array of pointers: there are few, and they are large. Store thread.
 */
#include "held.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void
rs_held_fini(struct rs_held *h)
{
	for (unsigned i = 0; i < h->n; i++)
		free(h->list[i]);
	h->n = 0;
}

static void
remove_at(struct rs_held *h, unsigned i)
{
	free(h->list[i]);
	h->n--;
	for (; i < h->n; i++)
		h->list[i] = h->list[i + 1];
}

/* An active one, if there is one: more will be heard of it. */
static unsigned
choose_victim(const struct rs_held *h)
{
	for (unsigned i = 0; i < h->n; i++) {
		if (h->list[i]->cleared_ms == 0)
			return i;
	}
	return 0;
}

void
rs_held_put(struct rs_held *h, struct rs_finding *take)
{
	for (unsigned i = 0; i < h->n; i++) {
		if (h->list[i]->id == take->id) {
			remove_at(h, i);
			break;
		}
	}
	if (h->n == RS_HELD_MAX) {
		remove_at(h, choose_victim(h));
		h->dropped++;
	}
	h->list[h->n++] = take;
}

bool
rs_held_is_due(struct rs_held *h, rs_ns now_ns)
{
	if (h->writes == 0 || now_ns - h->minute_ns >= RS_BLOCK_NS) {
		h->minute_ns = now_ns;
		h->writes = 0;
	}
	if (h->n == 0 || h->writes >= RS_HELD_WRITES)
		return false;
	h->writes++;
	return true;
}

void
rs_held_written(struct rs_held *h)
{
	remove_at(h, 0);
}

/* Its place in a list that descends by id; true: it is there. */
static bool
find(const struct rs_finding_list *l, int64_t id, size_t *ret_at)
{
	size_t at = 0;

	while (at < l->n && l->findings[at].id > id)
		at++;
	*ret_at = at;
	return at < l->n && l->findings[at].id == id;
}

int
rs_held_merge(const struct rs_held *h, struct rs_finding_list *l, size_t max)
{
	if (h->n == 0)
		return 0;
	struct rs_finding *const all = realloc(l->findings, (l->n + h->n) * sizeof(*all));

	if (all == NULL)
		return -ENOMEM;
	l->findings = all;
	for (unsigned i = 0; i < h->n; i++) {
		size_t at;

		if (!find(l, h->list[i]->id, &at)) {
			memmove(&all[at + 1], &all[at], (l->n - at) * sizeof(*all));
			l->n++;
		}
		all[at] = *h->list[i];
	}
	l->n = RS_MIN(l->n, max);
	return 0;
}

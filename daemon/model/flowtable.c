/* SPDX-License-Identifier: ISC */
/*
 * A hash table of what each connection had carried when it was seen last. A
 * connection has one of a few places; what was not seen in the last look gives
 * its place away, so that nothing need be taken out.
 */
#include "flowtable.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES = 16, SLOTS_MIN = 1024 };
/* Shorter looks say little of a rate. */
#define SHORTEST_MS 100u

struct slot {
	uint64_t bytes[2];
	uint32_t check; /* the other half of the hash */
	uint32_t at_ms; /* when it was seen last; 0: never */
};

struct rs_flow_table {
	struct slot *slots; /* owned; n_slots, a power of two */
	size_t n_slots;
	uint32_t begun_ms, before_ms; /* this look and the one before; 0: there is none */
	bool is_lossy, was_lossy;     /* some connections found no place */
	bool has_bytes;
	size_t n_top;
	struct rs_heavy_flow top[RS_HEAVY_FLOWS_MAX]; /* heaviest first */
};

int
rs_flow_table_new(struct rs_flow_table **ret)
{
	struct rs_flow_table *const t = calloc(1, sizeof(*t));

	if (!t)
		return -ENOMEM;
	*ret = t;
	return 0;
}

void
rs_flow_table_free(struct rs_flow_table *t)
{
	if (!t)
		return;
	free(t->slots);
	free(t);
}

/* Milliseconds are enough; 0 means never. */
static uint32_t
ms_of(rs_ns at_ns)
{
	const uint32_t ms = (uint32_t)(at_ns / RS_NS_PER_MS);

	return ms ? ms : 1;
}

static int
make_room(struct rs_flow_table *t, size_t expected)
{
	size_t n = SLOTS_MIN;

	while (n < 2 * RS_MIN(expected, (size_t)RS_CONNECTIONS_MAX) && n < SIZE_MAX / 4)
		n *= 2;
	if (n <= t->n_slots)
		return 0;
	struct slot *const slots = calloc(n, sizeof(*slots));
	if (!slots)
		return -ENOMEM;
	free(t->slots);
	t->slots = slots;
	t->n_slots = n;
	t->begun_ms = t->before_ms = 0;
	return 0;
}

int
rs_flow_table_begin(struct rs_flow_table *t, size_t expected, rs_ns at_ns)
{
	const int error = make_room(t, expected);

	if (error)
		return error;
	t->begun_ms = ms_of(at_ns);
	t->is_lossy = t->has_bytes = false;
	t->n_top = 0;
	return 0;
}

/* FNV-1a over what tells connections apart. */
static uint64_t
mix(uint64_t h, const void *p, size_t n)
{
	const uint8_t *const b = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ b[i]) * 1099511628211u;
	return h;
}

static uint64_t
hash_of(const struct rs_connection *c)
{
	uint64_t h = 14695981039346656037u;

	for (unsigned d = 0; d < 2; d++) {
		const struct rs_flow_ends *const e = &c->ends[d];
		const size_t n = e->is_ipv6 ? 16 : 4;
		h = mix(h, e->source, n);
		h = mix(h, e->destination, n);
		h = mix(h, &e->source_port, sizeof(e->source_port));
		h = mix(h, &e->destination_port, sizeof(e->destination_port));
	}
	h = mix(h, &c->id, sizeof(c->id));
	h = mix(h, &c->zone, sizeof(c->zone));
	return mix(h, &c->protocol, sizeof(c->protocol));
}

static bool
is_since(const struct slot *s, uint32_t ms)
{
	return s->at_ms != 0 && s->at_ms - ms <= INT32_MAX;
}

/* Its place from the last look, or one that is free now; NULL: none. */
static struct slot *
find_slot(struct rs_flow_table *t, uint64_t hash, bool *ret_is_known)
{
	const uint32_t check = (uint32_t)(hash >> 32);
	const uint32_t oldest = t->before_ms ? t->before_ms : t->begun_ms;
	struct slot *room = NULL;

	*ret_is_known = false;
	for (size_t i = 0; i < PLACES; i++) {
		struct slot *const s = &t->slots[(hash + i) & (t->n_slots - 1)];
		const bool is_alive = is_since(s, oldest);
		if (is_alive && s->check == check) {
			*ret_is_known = true;
			return s;
		}
		if (!is_alive && !room)
			room = s;
	}
	return room;
}

static void
rank(struct rs_flow_table *t, const struct rs_heavy_flow *f)
{
	size_t at = t->n_top;

	if (at == RS_HEAVY_FLOWS_MAX) {
		if (f->bps <= t->top[at - 1].bps)
			return;
		at--;
	} else {
		t->n_top++;
	}
	for (; at > 0 && t->top[at - 1].bps < f->bps; at--)
		t->top[at] = t->top[at - 1];
	t->top[at] = *f;
}

/* One that was not there before began since: all it carried is news. */
static void
compare(struct rs_flow_table *t, const struct rs_connection *c, const struct slot *s, bool is_known,
    uint32_t now_ms)
{
	const uint32_t dt_ms = now_ms - (is_known ? s->at_ms : t->before_ms);

	if (t->before_ms == 0 || dt_ms < SHORTEST_MS || (!is_known && t->was_lossy))
		return;
	for (unsigned d = 0; d < 2; d++) {
		const uint64_t before = is_known ? s->bytes[d] : 0;
		/* Its counters may be set to zero by who lists them (conntrack -z). */
		if (c->bytes[d] <= before)
			continue;
		const struct rs_heavy_flow f = {.ends = c->ends[d],
		    .protocol = c->protocol,
		    .bps = (double)(c->bytes[d] - before) * 8000.0 / dt_ms};
		rank(t, &f);
	}
}

void
rs_flow_table_add(struct rs_flow_table *t, const struct rs_connection *c, rs_ns at_ns)
{
	const uint64_t hash = hash_of(c);
	const uint32_t now_ms = ms_of(at_ns);
	bool is_known;

	if (!c->has_bytes)
		return;
	t->has_bytes = true;
	struct slot *const s = find_slot(t, hash, &is_known);
	if (!s) {
		t->is_lossy = true;
		return;
	}
	/* A list that is walked while it changes may name one twice. */
	if (is_known && is_since(s, t->begun_ms))
		return;
	compare(t, c, s, is_known, now_ms);
	*s = (struct slot){{c->bytes[0], c->bytes[1]}, (uint32_t)(hash >> 32), now_ms};
}

bool
rs_flow_table_end(
    struct rs_flow_table *t, struct rs_heavy_flow ret[static RS_HEAVY_FLOWS_MAX], size_t *ret_n)
{
	const bool has_before = t->before_ms != 0;

	*ret_n = 0;
	t->was_lossy = t->is_lossy;
	t->before_ms = t->begun_ms;
	if (!has_before || !t->has_bytes)
		return false;
	*ret_n = t->n_top;
	memcpy(ret, t->top, t->n_top * sizeof(ret[0]));
	return true;
}

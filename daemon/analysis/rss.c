/* SPDX-License-Identifier: ISC */
/*
 * The hash: for each bit of the input that is set, the 32 bits of the key that
 * begin at that place, added without carry. The input is source address,
 * destination address, source port, destination port, in network byte order
 * (the verification suite of the RSS specification is a unit test).
 *
 * A table is a pattern, repeated: "0-3 x32", "0x64,1x64", "0-2 x42+2".
 */
#include "rss.h"

#include <string.h>

/* More entries than any driver has; keeps the arithmetic in 32 bits. */
#define ENTRIES_MAX 65536u

bool
rs_rss_key_parse(struct rs_text text, uint8_t ret[static RS_RSS_KEY_BYTES])
{
	unsigned digits = 0;

	for (; text.p < text.end && digits < 2 * RS_RSS_KEY_BYTES; text.p++) {
		const char c = *text.p;
		unsigned v;

		if (c == ':' && digits % 2 == 0)
			continue;
		if (c >= '0' && c <= '9')
			v = (unsigned)(c - '0');
		else if (c >= 'a' && c <= 'f')
			v = (unsigned)(c - 'a' + 10);
		else if (c >= 'A' && c <= 'F')
			v = (unsigned)(c - 'A' + 10);
		else
			return false;
		ret[digits / 2] =
		    (uint8_t)(digits % 2 == 0 ? v << 4 : (unsigned)ret[digits / 2] | v);
		digits++;
	}
	return digits == 2 * RS_RSS_KEY_BYTES;
}

static uint32_t
key_window(const uint8_t *key, unsigned byte)
{
	return (uint32_t)key[byte] << 24 | (uint32_t)key[byte + 1] << 16 |
	       (uint32_t)key[byte + 2] << 8 | key[byte + 3];
}

uint32_t
rs_rss_hash(
    const uint8_t key[static RS_RSS_KEY_BYTES], const struct rs_flow_ends *f, bool has_ports)
{
	const size_t bytes = f->is_ipv6 ? 16 : 4;
	uint8_t input[36];
	size_t n = 0;
	uint32_t hash = 0;

	memcpy(input, f->source, bytes);
	memcpy(input + bytes, f->destination, bytes);
	n = 2 * bytes;
	if (has_ports) {
		input[n++] = (uint8_t)(f->source_port >> 8);
		input[n++] = (uint8_t)(f->source_port & 0xff);
		input[n++] = (uint8_t)(f->destination_port >> 8);
		input[n++] = (uint8_t)(f->destination_port & 0xff);
	}
	for (unsigned i = 0; i < n; i++) {
		uint32_t window = key_window(key, i);

		for (unsigned bit = 0; bit < 8; bit++) {
			if (input[i] & 0x80u >> bit)
				hash ^= window;
			window = window << 1 | (key[i + 4] >> (7 - bit) & 1u);
		}
	}
	return hash;
}

/* --- the table --------------------------------------------------------- */

/* A run of the pattern: queues first, first + step, ..., `n` entries. */
struct run {
	uint32_t first, step, n;
};

static bool
get_number(struct rs_text *t, uint32_t *ret)
{
	uint64_t v;

	if (!rs_text_u64(t, &v) || v > ENTRIES_MAX)
		return false;
	*ret = (uint32_t)v;
	return true;
}

static bool
get_run(struct rs_text *t, struct run *ret)
{
	uint32_t second;

	*ret = (struct run){.n = 1};
	if (!get_number(t, &ret->first))
		return false;
	if (rs_text_skip(t, "x"))
		return get_number(t, &ret->n) && ret->n > 0;
	if (!rs_text_skip(t, "-"))
		return true;
	if (!get_number(t, &second) || second < ret->first)
		return false;
	ret->step = 1;
	ret->n = second - ret->first + 1;
	return true;
}

/* What a walk over the pattern finds. */
struct walk {
	uint32_t entries, queues; /* of the pattern */
	uint32_t at;		  /* entry looked for */
	int32_t found;		  /* its queue */
	uint32_t queue, limit;	  /* counted among the first `limit` entries */
	uint32_t count;
};

static void
walk_run(const struct run *r, struct walk *w)
{
	const uint32_t last = r->first + r->step * (r->n - 1);

	if (w->at >= w->entries && w->at - w->entries < r->n)
		w->found = (int32_t)(r->first + r->step * (w->at - w->entries));
	const uint32_t counted = w->limit > w->entries ? w->limit - w->entries : 0;
	const uint32_t n = r->n < counted ? r->n : counted;
	if (r->step == 0 && r->first == w->queue)
		w->count += n;
	else if (r->step == 1 && w->queue >= r->first && w->queue - r->first < n)
		w->count++;
	w->entries += r->n;
	if (last + 1 > w->queues)
		w->queues = last + 1;
}

/* Walks the pattern once; *ret_times and *ret_more say how it is repeated. */
static bool
walk_pattern(struct rs_text t, struct walk *w, uint32_t *ret_times, uint32_t *ret_more)
{
	struct run r;

	do {
		if (!get_run(&t, &r) || r.n > ENTRIES_MAX - w->entries)
			return false;
		walk_run(&r, w);
	} while (rs_text_skip(&t, ","));
	*ret_times = 1;
	*ret_more = 0;
	if (rs_text_skip(&t, " x")) {
		if (!get_number(&t, ret_times) || *ret_times == 0)
			return false;
		if (rs_text_skip(&t, "+") && !get_number(&t, ret_more))
			return false;
	}
	return t.p == t.end && *ret_more < w->entries &&
	       *ret_times <= (ENTRIES_MAX - *ret_more) / w->entries;
}

bool
rs_rss_table_size(struct rs_text table, uint32_t *ret_entries, uint32_t *ret_queues)
{
	struct walk w = {0};
	uint32_t times, more;

	if (!walk_pattern(table, &w, &times, &more))
		return false;
	*ret_entries = w.entries * times + more;
	*ret_queues = w.queues;
	return true;
}

int32_t
rs_rss_table_at(struct rs_text table, uint32_t i)
{
	struct walk w = {0};
	uint32_t times, more;

	if (!walk_pattern(table, &w, &times, &more) || i >= w.entries * times + more)
		return -1;
	w = (struct walk){.at = i % w.entries, .found = -1};
	(void)walk_pattern(table, &w, &times, &more);
	return w.found;
}

uint32_t
rs_rss_table_count(struct rs_text table, uint32_t queue)
{
	struct walk w = {.queue = queue, .limit = UINT32_MAX};
	uint32_t times, more;

	if (!walk_pattern(table, &w, &times, &more))
		return 0;
	const uint32_t whole = w.count * times;
	w = (struct walk){.queue = queue, .limit = more};
	(void)walk_pattern(table, &w, &times, &more);
	return whole + w.count;
}

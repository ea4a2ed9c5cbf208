/* SPDX-License-Identifier: ISC */
/*
 * /proc/net/nf_conntrack: a line for each tracked connection, the flow that began
 * it and the one that answers (net/netfilter/nf_conntrack_standalone.c,
 * ct_seq_show). Only of captures: on the live machine nobody but root may read it,
 * and conntrack_flows.c is cheaper. Pure; loop thread.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "collector.h"

/* Of one direction, in any order behind "src=". */
enum key { SOURCE, DESTINATION, SOURCE_PORT, DESTINATION_PORT, BYTES, ZONE, KEYS };

static const char *const names[KEYS] = {
    [SOURCE] = "src=",
    [DESTINATION] = "dst=",
    [SOURCE_PORT] = "sport=",
    [DESTINATION_PORT] = "dport=",
    [BYTES] = "bytes=",
    [ZONE] = "zone=",
};

struct reading {
	struct rs_connection c;
	unsigned directions; /* begun: each begins with src= */
	unsigned n_addresses, n_counts;
	bool is_whole; /* its last word was there: nothing before it was cut */
};

static bool
read_address(struct rs_text t, bool is_ipv6, uint8_t ret[static 16])
{
	char text[INET6_ADDRSTRLEN];

	return rs_text_copy(t, text, sizeof(text)) &&
	       inet_pton(is_ipv6 ? AF_INET6 : AF_INET, text, ret) == 1;
}

static bool
read_number(struct rs_text t, uint64_t max, uint64_t *ret)
{
	return rs_text_u64(&t, ret) && t.p == t.end && *ret <= max;
}

static bool
read_value(struct reading *r, enum key key, struct rs_text value)
{
	struct rs_flow_ends *const e = &r->c.ends[r->directions - 1];
	uint64_t n;

	switch (key) {
	case SOURCE:
	case DESTINATION:
		r->n_addresses++;
		return read_address(value, e->is_ipv6, key == SOURCE ? e->source : e->destination);
	case SOURCE_PORT:
	case DESTINATION_PORT:
		if (!read_number(value, UINT16_MAX, &n))
			return false;
		if (key == SOURCE_PORT)
			e->source_port = (uint16_t)n;
		else
			e->destination_port = (uint16_t)n;
		return true;
	case BYTES:
		r->n_counts++;
		return read_number(value, UINT64_MAX, &r->c.bytes[r->directions - 1]);
	case ZONE:
		if (!read_number(value, UINT16_MAX, &n))
			return false;
		r->c.zone = (uint16_t)n;
		return true;
	case KEYS:
		break;
	}
	return false;
}

/* False: not of a connection. Words that are not known are passed over. */
static bool
read_word(struct reading *r, struct rs_text word)
{
	unsigned key = 0;

	r->is_whole |= rs_text_starts(word, "use=");
	while (key < KEYS && !rs_text_skip(&word, names[key]))
		key++;
	if (key == KEYS)
		return true;
	if (key == SOURCE && ++r->directions > 2)
		return false;
	return r->directions > 0 && read_value(r, (enum key)key, word);
}

/* "ipv4 2 tcp 6 431999 ESTABLISHED src=..." */
static bool
read_line(struct rs_text line, struct reading *r)
{
	struct rs_text word;
	uint64_t family, protocol;
	bool is_ipv6;

	if (!rs_text_word(&line, &word))
		return false;
	is_ipv6 = rs_text_eq(word, "ipv6");
	if ((!is_ipv6 && !rs_text_eq(word, "ipv4")) || !rs_text_u64(&line, &family) ||
	    !rs_text_word(&line, &word) || !rs_text_u64(&line, &protocol) || protocol > UINT8_MAX)
		return false;
	r->c.protocol = (uint8_t)protocol;
	r->c.ends[0].is_ipv6 = r->c.ends[1].is_ipv6 = is_ipv6;
	while (rs_text_word(&line, &word)) {
		if (!read_word(r, word))
			return false;
	}
	r->c.has_bytes = r->n_counts == 2;
	return r->is_whole && r->directions == 2 && r->n_addresses == 4;
}

static int
parse(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f)
{
	struct rs_text line;

	(void)sys;
	while (rs_text_line(&t, &line)) {
		struct reading r = {.directions = 0};
		if (rs_text_len(rs_text_trim(line)) == 0)
			continue;
		if (f->n_connections == RS_CONNECTIONS_MAX || !read_line(line, &r)) {
			f->skipped_rows++;
			continue;
		}
		struct rs_connection *const c = rs_frame_connection(f);
		if (!c)
			return -ENOMEM;
		*c = r.c;
	}
	f->has_connections = f->n_connections > 0;
	return f->has_connections || f->skipped_rows == 0 ? 0 : -EINVAL;
}

static const char *const paths[] = {"proc/net/nf_conntrack", NULL};

RS_COLLECTOR(proc_nf_conntrack) = {
    .id = "connections",
    .summary = "tracked connections and what they carried",
    .paths = paths,
    .where = RS_WHERE_CAPTURE,
    .parse = parse,
};

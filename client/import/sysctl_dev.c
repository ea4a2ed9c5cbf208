/* SPDX-License-Identifier: ISC */
/*
 * "dev.cxl.0.stats.rx_ovflow0: 7301719197". The nodes between device and leaf
 * differ by driver and version (queue0, rxq00, queue_rx_0, iflib.rxq0, pf.rxq00,
 * rxq0.hstats); the words for packets are few.
 */
#include "import/sysctl_dev.h"

#include <string.h>

static bool
is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool
take_node(struct rs_text *t, struct rs_text *ret)
{
	if (t->p == t->end)
		return false;
	if (!rs_text_until(t, '.', ret)) {
		*ret = *t;
		t->p = t->end;
	}
	return true;
}

/* "rxq07", "queue_rx_1", "queue3": direction 1 receive, 2 transmit, 3 both. */
static bool
take_queue(struct rs_text node, unsigned *ret_direction, uint16_t *ret)
{
	static const struct {
		const char *word;
		unsigned direction;
	} words[] = {{"queue_rx_", 1}, {"queue_tx_", 2}, {"rxq.", 1}, {"rxq", 1}, {"txq", 2},
	    {"rxstat", 1}, {"txstat", 2}, {"queue", 3}, {"que", 3}};
	uint64_t n;

	for (size_t i = 0; i < RS_ARRAY_LEN(words); i++) {
		struct rs_text t = node;
		if (!rs_text_skip(&t, words[i].word) || t.p == t.end || !is_digit(*t.p) ||
		    !rs_text_u64(&t, &n) || t.p != t.end || n >= UINT16_MAX)
			continue;
		*ret_direction = words[i].direction;
		*ret = (uint16_t)n;
		return true;
	}
	return false;
}

/* Packets of a queue. */
static const struct {
	const char *leaf;
	unsigned direction; /* 0: of its node */
} leaves[] = {
    {"rx_packets", 1},
    {"ipackets", 1},
    {"tx_packets", 2},
    {"opackets", 2},
    {"packets", 0},
    {"ucast_packets", 0},
    {"mcast_packets", 0},
    {"bcast_packets", 0},
};

/* Counters of a device; '#' stands for a number. */
static const struct {
	const char *leaf;
	enum rs_sysctl_kind kind;
} device_leaves[] = {
    {"good_pkts_recvd", RS_SYSCTL_RX_GOOD},
    {"good_pkts_rcvd", RS_SYSCTL_RX_GOOD},
    {"good_packets_recvd", RS_SYSCTL_RX_GOOD},
    {"total_pkts_recvd", RS_SYSCTL_RX_TOTAL},
    {"total_pkts_rcvd", RS_SYSCTL_RX_TOTAL},
    {"missed_packets", RS_SYSCTL_LOST},
    {"rx_missed_packets", RS_SYSCTL_LOST},
    {"rx_overruns", RS_SYSCTL_LOST},
    {"rx_ovflow#", RS_SYSCTL_LOST},
    {"rx_trunc#", RS_SYSCTL_LOST},
    {"rx_discards", RS_SYSCTL_LOST},
    {"rx_discarded", RS_SYSCTL_LOST},
    {"rx_missed_packets#", RS_SYSCTL_LOST},
    {"iqdrops", RS_SYSCTL_LOST},
    {"nobuffer", RS_SYSCTL_LOST},
    {"rx_out_of_buffer", RS_SYSCTL_LOST},
    {"rx_frames_#", RS_SYSCTL_RX_BY_SIZE},
    {"rx_frames_#_#", RS_SYSCTL_RX_BY_SIZE},
    {"rx_frames_#_max", RS_SYSCTL_RX_BY_SIZE},
    {"cx_lowest", RS_SYSCTL_CX_LOWEST},
};

/* The kind of the last node, knowing whether a queue's node is before it. */
static enum rs_sysctl_kind
kind_of(struct rs_text leaf, unsigned direction)
{
	for (size_t i = 0; direction != 0 && i < RS_ARRAY_LEN(leaves); i++) {
		const unsigned of = leaves[i].direction != 0 ? leaves[i].direction : direction;
		if (rs_text_eq(leaf, leaves[i].leaf) && (of & direction) != 0)
			return of == 2 ? RS_SYSCTL_QUEUE_TX : RS_SYSCTL_QUEUE_RX;
	}
	for (size_t i = 0; i < RS_ARRAY_LEN(device_leaves); i++) {
		if (rs_import_fits(device_leaves[i].leaf, leaf))
			return device_leaves[i].kind;
	}
	return RS_SYSCTL_OTHER;
}

static void
classify(struct rs_sysctl_row *r)
{
	struct rs_text rest = r->leaf, node = rest;
	unsigned direction = 0;

	while (take_node(&rest, &node)) {
		unsigned d;
		if (rest.p < rest.end && take_queue(node, &d, &r->queue))
			direction = d;
	}
	r->kind = kind_of(node, direction);
	if (!r->is_number && r->kind != RS_SYSCTL_CX_LOWEST)
		r->kind = RS_SYSCTL_OTHER;
}

/* "dev.ix.0.mac_stats.x" up to the device. */
static bool
take_name(struct rs_text name, struct rs_sysctl_row *r)
{
	struct rs_text unit;
	uint64_t n;

	if (!rs_text_skip(&name, "dev.") || !rs_text_until(&name, '.', &r->driver) ||
	    !rs_text_until(&name, '.', &unit) || !rs_import_is_u64(unit, &n) ||
	    rs_text_len(r->driver) == 0 || rs_text_len(name) == 0)
		return false;
	r->device = (struct rs_text){r->driver.p, unit.end};
	r->leaf = name;
	return true;
}

bool
rs_import_sysctl_next(struct rs_lines *l, struct rs_sysctl_row *ret, struct rs_skips *skips)
{
	struct rs_text line, name;

	while (rs_lines_next(l, &line)) {
		struct rs_sysctl_row r = {0};
		/* sysctl -e writes '='. */
		const char by = memchr(line.p, ':', rs_text_len(line)) != NULL ? ':' : '=';

		if (!rs_text_until(&line, by, &name) || !take_name(rs_text_trim(name), &r)) {
			rs_skip(skips, l->number, "not a value of a device");
			continue;
		}
		r.text = rs_text_trim(line);
		r.is_number = rs_import_is_u64(r.text, &r.value);
		classify(&r);
		*ret = r;
		return true;
	}
	return false;
}

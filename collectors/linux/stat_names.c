/* SPDX-License-Identifier: ISC */
/*
 * A name fits a template, and what stands where its metric is belongs to a
 * small vocabulary. Templates and words are those of drivers/net. Pure; any
 * thread.
 */
#include "stat_names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "num.h"

enum { RX = 1, TX = 2 }; /* 0: the name does not tell */

/* @ direction, # queue, % another number, ~ blanks, * the metric. */
static const char *const templates[] = {
    "@_queue_#_*",	      /* igb, igc, ixgbe, ice, fm10k, hv_netvsc, veth, virtio_net < 6.10 */
    "@#_*",		      /* mlx4, mlx5, virtio_net */
    "@_#_*",		      /* ionic, mana, tsnep */
    "@q_#_*",		      /* amd-xgbe, nfp, mvpp2 */
    "@q#_*",		      /* bcmgenet, bcmsysport, hns3 */
    "@q#: *",		      /* octeontx2, nicvf, be2net */
    "@-#.*",		      /* i40e, iavf, sfc */
    "[#]: *",		      /* bnxt, bnx2x */
    "queue_#_@_*",	      /* ena */
    "@_*[#]",		      /* gve */
    "@_*[Q-#]",		      /* octeon_ep */
    "q#_@_*",		      /* macb, stmmac */
    "@_q-#_*",		      /* idpf */
    "Queue[#] *",	      /* atlantic */
    "TC% Queue[#] *", "#: *", /* qede */
    "#_%: *",		      /* its transmit queues, one for each class of service */
    "@ ring ~# *",	      /* enetc */
};

/* Of several names for one thing the lowest rank counts, and what has the same
 * rank is summed. */
enum { PLAIN, PARTS, DEVICE }; /* DEVICE: the device's own count, "hw_" */

static const struct word {
	const char *text;
	uint8_t kind, rank, direction;
} words[] = {
    {"packets", RS_STAT_PACKETS, PLAIN, 0},
    {"pkts", RS_STAT_PACKETS, PLAIN, 0},
    {"pkt", RS_STAT_PACKETS, PLAIN, 0},
    {"pkt_n", RS_STAT_PACKETS, PLAIN, 0},
    {"frames", RS_STAT_PACKETS, PLAIN, 0},
    {"cnt", RS_STAT_PACKETS, PLAIN, 0},
    {"rcv_pkts", RS_STAT_PACKETS, PLAIN, RX},
    {"xmit_pkts", RS_STAT_PACKETS, PLAIN, TX},
    {"InPackets", RS_STAT_PACKETS, PLAIN, RX},
    {"OutPackets", RS_STAT_PACKETS, PLAIN, TX},
    {"ucast_packets", RS_STAT_PACKETS, PARTS, 0},
    {"mcast_packets", RS_STAT_PACKETS, PARTS, 0},
    {"bcast_packets", RS_STAT_PACKETS, PARTS, 0},
    {"bytes", RS_STAT_BYTES, PLAIN, 0},
    {"octets", RS_STAT_BYTES, PLAIN, 0},
    {"ucast_bytes", RS_STAT_BYTES, PARTS, 0},
    {"mcast_bytes", RS_STAT_BYTES, PARTS, 0},
    {"bcast_bytes", RS_STAT_BYTES, PARTS, 0},
    {"drops", RS_STAT_DROPS, PLAIN, 0},
    {"dropped", RS_STAT_DROPS, PLAIN, 0},
    {"dropped_pkt", RS_STAT_DROPS, PLAIN, 0},
    {"discards", RS_STAT_DROPS, PLAIN, 0},
    {"queue_full_drops", RS_STAT_DROPS, PLAIN, 0},
    {"packets_bm_drops", RS_STAT_DROPS, PLAIN, 0},
    {"packets_early_drops", RS_STAT_DROPS, PLAIN, 0},
    {"queue_drop_cnt", RS_STAT_DROPS, PLAIN, 0},
    {"drops_no_frags", RS_STAT_DROPS, PLAIN, RX},
    {"drops_no_skbs", RS_STAT_DROPS, PLAIN, RX},
    {"drv_drops", RS_STAT_DROPS, PLAIN, TX},
    {"discarded frames", RS_STAT_DROPS, PLAIN, RX},
    {"missed_errors", RS_STAT_DROPS, PLAIN, 0},
    {"fifo_errors", RS_STAT_DROPS, PLAIN, 0},
    {"over_errors", RS_STAT_DROPS, PLAIN, 0},
    {"errors", RS_STAT_ERRORS, PLAIN, 0},
    {"err", RS_STAT_ERRORS, PLAIN, 0},
    {"csum_err", RS_STAT_ERRORS, PLAIN, 0},
    {"hw_errors", RS_STAT_ERRORS, PLAIN, 0},
    {"InErrors", RS_STAT_ERRORS, PLAIN, RX},
    {"alloc_failed", RS_STAT_NOMEM, PLAIN, 0},
    {"alloc_fail", RS_STAT_NOMEM, PLAIN, 0},
    {"alloc_err", RS_STAT_NOMEM, PLAIN, 0},
    {"alloc_errors", RS_STAT_NOMEM, PLAIN, 0},
    {"alloc errors", RS_STAT_NOMEM, PLAIN, 0},
    {"buff_alloc_err", RS_STAT_NOMEM, PLAIN, 0},
    {"page_alloc_fail", RS_STAT_NOMEM, PLAIN, 0},
    {"skb_alloc_fail", RS_STAT_NOMEM, PLAIN, 0},
    {"skb_alloc_discard", RS_STAT_NOMEM, PLAIN, 0},
    {"AllocFails", RS_STAT_NOMEM, PLAIN, RX},
    {"SkbAllocFails", RS_STAT_NOMEM, PLAIN, RX},
    {"no_buffers_posted", RS_STAT_NOMEM, PLAIN, RX},
    {"empty_rx_ring", RS_STAT_NOMEM, PLAIN, RX},
    {"buf_errors", RS_STAT_NOMEM, PLAIN, RX},
    {"stop", RS_STAT_TXSTOP, PLAIN, TX},
    {"stopped", RS_STAT_TXSTOP, PLAIN, TX},
    {"stopped_cnt", RS_STAT_TXSTOP, PLAIN, TX},
    {"queue_stop", RS_STAT_TXSTOP, PLAIN, TX},
    {"txq_stop", RS_STAT_TXSTOP, PLAIN, TX},
    {"busy", RS_STAT_TXSTOP, PLAIN, TX},
    /* Counts that the queue went on after a stop: instead of a count of
     * stops, not beside one. */
    {"restart", RS_STAT_TXSTOP, PARTS, TX},
    {"Restarts", RS_STAT_TXSTOP, PARTS, TX},
    {"wake", RS_STAT_TXWAKE, PLAIN, TX},
    {"queue_wakeup", RS_STAT_TXWAKE, PLAIN, TX},
    {"txq_wake", RS_STAT_TXWAKE, PLAIN, TX},
};

/* drivers/net/vmxnet3/vmxnet3_ethtool.c: all queues have rows of the same
 * names behind a row whose value is the queue's number. */
static const struct word rows[] = {
    {"ucast pkts rx", RS_STAT_PACKETS, PLAIN, RX},
    {"mcast pkts rx", RS_STAT_PACKETS, PLAIN, RX},
    {"bcast pkts rx", RS_STAT_PACKETS, PLAIN, RX},
    {"ucast bytes rx", RS_STAT_BYTES, PLAIN, RX},
    {"mcast bytes rx", RS_STAT_BYTES, PLAIN, RX},
    {"bcast bytes rx", RS_STAT_BYTES, PLAIN, RX},
    {"pkts rx OOB", RS_STAT_DROPS, PLAIN, RX},
    {"drv dropped rx total", RS_STAT_DROPS, PLAIN, RX},
    {"pkts rx err", RS_STAT_ERRORS, PLAIN, RX},
    {"rx buf alloc fail", RS_STAT_NOMEM, PLAIN, RX},
    {"ucast pkts tx", RS_STAT_PACKETS, PLAIN, TX},
    {"mcast pkts tx", RS_STAT_PACKETS, PLAIN, TX},
    {"bcast pkts tx", RS_STAT_PACKETS, PLAIN, TX},
    {"ucast bytes tx", RS_STAT_BYTES, PLAIN, TX},
    {"mcast bytes tx", RS_STAT_BYTES, PLAIN, TX},
    {"bcast bytes tx", RS_STAT_BYTES, PLAIN, TX},
    {"pkts tx discard", RS_STAT_DROPS, PLAIN, TX},
    {"drv dropped tx total", RS_STAT_DROPS, PLAIN, TX},
    {"pkts tx err", RS_STAT_ERRORS, PLAIN, TX},
    {"ring full", RS_STAT_TXSTOP, PLAIN, TX},
};

/* What a template found. */
struct hit {
	unsigned directions;
	uint64_t queue;
	struct rs_text metric;
};

static const struct word *
find_word(const struct word *list, size_t n, struct rs_text t)
{
	for (size_t i = 0; i < n; i++) {
		if (rs_text_eq(t, list[i].text))
			return &list[i];
	}
	return NULL;
}

static bool
take_number(struct rs_text *t, uint64_t *ret)
{
	return t->p < t->end && *t->p >= '0' && *t->p <= '9' && rs_text_u64(t, ret);
}

static bool
take_direction(struct rs_text *t, unsigned *directions)
{
	if (rs_text_skip(t, "rx") || rs_text_skip(t, "Rx"))
		*directions |= RX;
	else if (rs_text_skip(t, "tx") || rs_text_skip(t, "Tx"))
		*directions |= TX;
	else
		return false;
	return true;
}

/* The metric ends where the template's next byte is, or with the name. */
static void
take_metric(struct rs_text *t, char next, struct rs_text *ret)
{
	const char *const end = next && t->p < t->end ? memchr(t->p, next, rs_text_len(*t)) : NULL;
	*ret = (struct rs_text){t->p, end ? end : t->end};
	t->p = ret->end;
}

static bool
fits(const char *template, struct rs_text t, struct hit *h)
{
	uint64_t other;
	*h = (struct hit){0};
	for (const char *p = template; *p; p++) {
		bool is_there = true;
		switch (*p) {
		case '@':
			is_there = take_direction(&t, &h->directions);
			break;
		case '#':
			is_there = take_number(&t, &h->queue);
			break;
		case '%':
			is_there = take_number(&t, &other);
			break;
		case '~':
			rs_text_blanks(&t);
			break;
		case '*':
			take_metric(&t, p[1], &h->metric);
			break;
		default:
			is_there = t.p < t.end && *t.p == *p;
			t.p += is_there;
		}
		if (!is_there)
			return false;
	}
	return t.p == t.end;
}

/* The word with what may stand before it, or NULL. */
static const struct word *
read_metric(struct hit *h, unsigned *ret_rank)
{
	struct rs_text t = h->metric;
	const struct word *w = find_word(words, RS_ARRAY_LEN(words), t);
	*ret_rank = 0;
	if (!w && (rs_text_starts(t, "rx_") || rs_text_starts(t, "tx_"))) {
		(void)take_direction(&t, &h->directions);
		(void)rs_text_skip(&t, "_");
		w = find_word(words, RS_ARRAY_LEN(words), t);
	}
	if (!w && rs_text_skip(&t, "hw_")) {
		w = find_word(words, RS_ARRAY_LEN(words), t);
		*ret_rank = DEVICE;
	}
	return w;
}

static bool
set_use(struct rs_stat_use *u, const struct word *w, unsigned directions, uint64_t queue)
{
	if (!directions)
		directions = w->direction ? w->direction : RX;
	/* Both: the parts of the name contradict each other. */
	if (directions == (RX | TX) || queue >= UINT16_MAX)
		return false;
	u->queue = (uint16_t)queue;
	u->is_tx = directions == TX;
	u->kind = w->kind;
	u->rank = w->rank;
	return true;
}

static bool
read_name(struct rs_text name, struct rs_stat_use *u)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(templates); i++) {
		struct hit h;
		unsigned rank;
		if (!fits(templates[i], name, &h))
			continue;
		const struct word *const w = read_metric(&h, &rank);
		if (w && set_use(u, w, h.directions, h.queue)) {
			u->rank = (uint8_t)RS_MAX(u->rank, rank);
			return true;
		}
	}
	return false;
}

/* A row of vmxnet3; the first of a group has the queue as its value. */
static bool
read_row(const struct rs_stat_set *s, uint32_t i, struct rs_text name, struct rs_stat_place *g,
    struct rs_stat_use *u)
{
	struct rs_text t = name;
	unsigned direction = 0;
	if (take_direction(&t, &direction) && rs_text_eq(t, " Queue#")) {
		*g = (struct rs_stat_place){direction, i < s->n_values ? s->values[i] : UINT64_MAX};
		return false;
	}
	if (!g->direction)
		return false;
	const struct word *const w = find_word(rows, RS_ARRAY_LEN(rows), name);
	return w && w->direction == g->direction && set_use(u, w, g->direction, g->queue);
}

struct rs_text
rs_stat_name(const struct rs_stat_set *s, uint32_t i)
{
	const char *const p = s->names + (size_t)i * RS_STAT_NAME_BYTES;
	const char *const nul = memchr(p, '\0', RS_STAT_NAME_BYTES);
	return rs_text_trim((struct rs_text){p, nul ? nul : p + RS_STAT_NAME_BYTES});
}

/* Makes room for n names and values. */
static int
reserve(struct rs_stat_set *s, uint32_t n)
{
	if (n <= s->cap)
		return 0;
	char *const names = realloc(s->names, (size_t)n * RS_STAT_NAME_BYTES);
	if (!names)
		return -ENOMEM;
	s->names = names;
	uint64_t *const values = realloc(s->values, n * sizeof(*values));
	if (!values)
		return -ENOMEM;
	s->values = values;
	s->cap = n;
	return 0;
}

bool
rs_stat_read(
    const struct rs_stat_set *s, uint32_t i, struct rs_stat_place *place, struct rs_stat_use *ret)
{
	const struct rs_text name = rs_stat_name(s, i);
	*ret = (struct rs_stat_use){.index = i};
	return read_name(name, ret) || read_row(s, i, name, place, ret);
}

int
rs_stat_set_size(struct rs_stat_set *s, uint32_t n)
{
	s->n = s->n_values = s->skipped = 0;
	if (n > RS_STATS_MAX)
		return -E2BIG;
	const int error = reserve(s, n);
	if (error)
		return error;
	if (n) {
		memset(s->names, 0, (size_t)n * RS_STAT_NAME_BYTES);
		memset(s->values, 0, n * sizeof(*s->values));
	}
	s->n = s->n_values = n;
	return 0;
}

void
rs_stat_set_free(struct rs_stat_set *s)
{
	free(s->names);
	free(s->values);
	*s = (struct rs_stat_set){0};
}

/* "     rx_queue_0_packets: 123": names have colons too, the last one ends
 * them. */
static bool
split_line(struct rs_text line, struct rs_text *ret_name, uint64_t *ret_value)
{
	const char *p = line.end;
	while (p > line.p && p[-1] != ':')
		p--;
	if (p == line.p)
		return false;
	*ret_name = rs_text_trim((struct rs_text){line.p, p - 1});
	const size_t len = rs_text_len(*ret_name);
	return len > 0 && len <= RS_STAT_NAME_BYTES &&
	       rs_num_u64(rs_text_trim((struct rs_text){p, line.end}), ret_value) == 0;
}

static int
append(struct rs_stat_set *s, struct rs_text name, uint64_t value)
{
	if (s->n == s->cap) {
		const int error = reserve(s, RS_MIN(2 * s->cap + 64, RS_STATS_MAX));
		if (error)
			return error;
	}
	char *const block = s->names + (size_t)s->n * RS_STAT_NAME_BYTES;
	memset(block, 0, RS_STAT_NAME_BYTES);
	memcpy(block, name.p, rs_text_len(name));
	s->values[s->n++] = value;
	s->n_values = s->n;
	return 0;
}

int
rs_stat_set_parse(struct rs_stat_set *s, struct rs_text text)
{
	struct rs_text line, name;
	uint64_t value;
	s->n = s->n_values = s->skipped = 0;
	while (rs_text_line(&text, &line)) {
		line = rs_text_trim(line);
		if (!rs_text_len(line) || rs_text_eq(line, "NIC statistics:"))
			continue;
		if (!split_line(line, &name, &value) || s->n == RS_STATS_MAX) {
			s->skipped++;
			continue;
		}
		const int error = append(s, name, value);
		if (error)
			return error;
	}
	return s->n ? 0 : -ENODATA;
}

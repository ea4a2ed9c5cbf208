/* SPDX-License-Identifier: ISC */
/*
 * An action is cut into words: "mlx5_comp3@pci:0000:01:00.0" has the words mlx5
 * and comp 3 around the device's address. Known words announce a queue's
 * number or say that the line is no queue's. Behind the interface's name an
 * unknown word means control ("eth0-lsc"), before it only the driver's name
 * stands there. Words and numbers are those of drivers/net. Loop thread.
 */
#include "irqwords.h"

#include <string.h>
#include <strings.h>

enum { RX = 1, TX = 2 };

static const struct {
	const char *word;
	unsigned directions; /* 0: both, unless another word has said it */
} queue_words[] = {
    {"txrx", RX | TX},
    {"rxtx", RX | TX},
    {"rx", RX},
    {"tx", TX},
    {"rxq", RX},
    {"txq", TX},
    {"fp", 0},
    {"q", 0},
    {"queue", 0},
    {"int", 0},
    {"ring", 0},
    {"comp", 0},
    {"combined", 0},
    {"xdp", TX},
    {"sq", TX},
    {"input", RX},
    {"output", TX},
    {"rxdesc", RX},
    {"txcmpl", TX},
    {"blk", 0},
    {"block", 0},
    {"mlx4", 0},
    {"virtqueues", 0},
};

static const char *const control_words[] = {
    "admin",
    "aeq",
    "aq",
    "async",
    "cmd",
    "config",
    "control",
    "ctrl",
    "err",
    "event",
    "exception",
    "exn",
    "fdir",
    "hwc",
    "link",
    "lsc",
    "mac",
    "mailbox",
    "mbx",
    "mgmnt",
    "mgmt",
    "misc",
    "notify",
    "other",
    "pages",
    "phy",
    "ptp",
    "qerr",
    "rbdr",
    "rxfill",
    "safety",
    "unused",
    "wol",
};

/* What was read so far. */
struct reading {
	struct rs_irq_feed feeds[RS_IRQ_WORDS_FEEDS];
	size_t n;
	unsigned directions; /* of the queue being announced */
	bool is_announced;   /* a queue word without its number yet */
	bool is_first;	     /* a queue word that means number 0 when none follows */
	bool is_control, has_word, has_unknown, has_lone_number;
	uint64_t lone_number;
};

static bool
same_word(struct rs_text t, const char *word)
{
	return rs_text_len(t) == strlen(word) && strncasecmp(t.p, word, rs_text_len(t)) == 0;
}

static bool
is_control_word(struct rs_text t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(control_words); i++) {
		if (same_word(t, control_words[i]))
			return true;
	}
	return false;
}

static bool
announce(struct reading *r, struct rs_text t)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(queue_words); i++) {
		if (!same_word(t, queue_words[i].word))
			continue;
		r->directions |= queue_words[i].directions;
		r->is_announced = true;
		r->is_first |= same_word(t, "input") || same_word(t, "output");
		return true;
	}
	return false;
}

static void
set_directions(struct rs_irq_feed *f, unsigned directions)
{
	f->is_rx = (directions & RX) != 0;
	f->is_tx = (directions & TX) != 0;
}

static void
number(struct reading *r, uint64_t n)
{
	if (!r->is_announced) {
		r->has_lone_number = true;
		r->lone_number = n;
		return;
	}
	if (r->n < RS_IRQ_WORDS_FEEDS && n < INT32_MAX) {
		struct rs_irq_feed *const f = &r->feeds[r->n++];
		*f = (struct rs_irq_feed){.queue = (int32_t)n, .role = RS_IRQ_QUEUE};
		set_directions(f, r->directions ? r->directions : RX | TX);
	}
	r->directions = 0;
	r->is_announced = r->is_first = false;
}

/* A word without its digits at the end, which *ret_digits gets. */
static struct rs_text
split_digits(struct rs_text word, struct rs_text *ret_digits)
{
	const char *p = word.end;
	while (p > word.p && p[-1] >= '0' && p[-1] <= '9')
		p--;
	*ret_digits = (struct rs_text){p, word.end};
	return (struct rs_text){word.p, p};
}

static void
read_word(struct reading *r, struct rs_text word, bool is_behind)
{
	struct rs_text digits;
	const struct rs_text head = split_digits(word, &digits);
	uint64_t n = 0;
	if (rs_text_len(head) == 0) {
		if (rs_text_u64(&digits, &n) && (is_behind || r->is_announced))
			number(r, n);
		return;
	}
	r->has_word = true;
	if (is_control_word(head)) {
		r->is_control = true;
	} else if (same_word(word, "default")) {
		r->is_first = true; /* "iwlwifi:default_queue" is queue 0 */
	} else if (announce(r, word)) {
		return; /* "mlx4" has digits that are no number */
	} else if (announce(r, head)) {
		if (rs_text_u64(&digits, &n))
			number(r, n);
	} else if (is_behind) {
		r->has_unknown = true;
	}
}

static void
read_words(struct reading *r, struct rs_text t, bool is_behind)
{
	while (t.p < t.end) {
		const char *p = t.p;
		while (p < t.end && !strchr("-_:@.[]() ", *p))
			p++;
		if (p > t.p)
			read_word(r, (struct rs_text){t.p, p}, is_behind);
		t.p = p < t.end ? p + 1 : p;
	}
}

static size_t
one(struct rs_irq_feed *ret, enum rs_irq_role role, int32_t queue, bool is_bare)
{
	ret[0] = (struct rs_irq_feed){.queue = queue, .role = role, .is_bare = is_bare};
	ret[0].is_rx = ret[0].is_tx = role == RS_IRQ_QUEUE;
	return 1;
}

/* drivers/net/ethernet/aquantia: all vectors bear the interface's name, queues
 * come first. */
static size_t
read_atlantic(const struct rs_nic_info *nic, uint64_t irq, struct rs_irq_feed *ret)
{
	const int32_t queues = RS_MAX(nic->rx_queues, nic->tx_queues);
	for (int32_t i = 0; i < nic->n_irqs && queues > 0; i++) {
		if (nic->irqs[i] == irq)
			return one(ret, i < queues ? RS_IRQ_QUEUE : RS_IRQ_CONTROL,
			    i < queues ? i : -1, false);
	}
	return one(ret, RS_IRQ_QUEUE, -1, true);
}

/* The vendor's r8125 numbers vectors: 0 to 3 receive, 16 and 18 transmit, 21
 * is the link. */
static size_t
read_r8125(uint64_t n, struct rs_irq_feed *ret)
{
	if (n == 21)
		return one(ret, RS_IRQ_CONTROL, -1, false);
	const bool is_rx = n < 4, is_tx = n == 16 || n == 18;
	const int32_t queue = is_rx ? (int32_t)n : is_tx ? (int32_t)(n - 16) / 2 : -1;
	(void)one(ret, RS_IRQ_QUEUE, queue, false);
	if (is_rx || is_tx)
		set_directions(ret, is_rx ? RX : TX);
	return 1;
}

/* tg3 numbers vectors; the first is the link's where there are several
 * (drivers/net/ethernet/broadcom/tg3.c, tg3_request_irq). */
static void
shift_tg3(struct rs_irq_feed *f)
{
	if (f->queue > 0)
		f->queue--;
	else if (f->is_rx)
		(void)one(f, RS_IRQ_CONTROL, -1, false);
}

/* gve has the transmit queues in the first half of its blocks, the receive
 * queues in the second, and one vector more for management
 * (drivers/net/ethernet/google/gve/gve.h, gve_rx_idx_to_ntfy). */
static void
place_gve(struct rs_irq_feed *f, const struct rs_nic_info *nic)
{
	const int32_t half = (nic->n_irqs - 1) / 2;
	if (half < 1 || f->queue >= 2 * half) {
		f->queue = -1;
		return;
	}
	f->is_tx = f->queue < half;
	f->is_rx = !f->is_tx;
	f->queue %= half;
}

static bool
is_driver(const struct rs_nic_info *nic, const char *driver)
{
	return strcmp(nic->driver, driver) == 0;
}

/* Whether the words before a PCI address are the driver's name alone
 * ("sky2@pci:0000:02:00.0"): any other without a number is for control. */
static bool
is_plain_prefix(struct rs_text prefix, const struct rs_nic_info *nic)
{
	struct rs_text word;
	if (!rs_text_until(&prefix, '@', &word))
		return true;
	return *nic->driver ? rs_text_eq(word, nic->driver)
			    : !memchr(word.p, '-', rs_text_len(word)) &&
				  !memchr(word.p, '_', rs_text_len(word));
}

static size_t
read_lone_number(const struct rs_nic_info *nic, uint64_t n, struct rs_irq_feed *ret)
{
	if (is_driver(nic, "r8125"))
		return read_r8125(n, ret);
	(void)one(ret, RS_IRQ_QUEUE, n < INT32_MAX ? (int32_t)n : -1, false);
	if (is_driver(nic, "tg3"))
		shift_tg3(ret);
	return 1;
}

static size_t
conclude(struct reading *r, struct rs_text prefix, const struct rs_nic_info *nic, uint64_t irq,
    struct rs_irq_feed *ret)
{
	/* Its rings are numbered by their place in the device. */
	if (is_driver(nic, "ath11k"))
		return one(ret, RS_IRQ_QUEUE, -1, true);
	if (r->is_control)
		return one(ret, RS_IRQ_CONTROL, -1, false);
	if (r->is_announced && r->is_first)
		number(r, 0);
	/* "vif0-q1-rx": the direction comes last. */
	if (r->is_announced && r->directions && r->n)
		set_directions(&r->feeds[r->n - 1], r->directions);
	for (size_t i = 0; i < r->n; i++) {
		ret[i] = r->feeds[i];
		if (is_driver(nic, "tg3"))
			shift_tg3(&ret[i]);
		if (is_driver(nic, "gve"))
			place_gve(&ret[i], nic);
	}
	if (r->n)
		return r->n;
	if (r->is_announced) {
		(void)one(ret, RS_IRQ_QUEUE, -1, false);
		if (r->directions)
			set_directions(ret, r->directions);
		return 1;
	}
	if (r->has_unknown || !is_plain_prefix(prefix, nic))
		return one(ret, RS_IRQ_CONTROL, -1, false);
	if (r->has_lone_number)
		return read_lone_number(nic, r->lone_number, ret);
	if (is_driver(nic, "atlantic"))
		return read_atlantic(nic, irq, ret);
	return one(ret, RS_IRQ_QUEUE, -1, true);
}

size_t
rs_irq_words(struct rs_text action, struct rs_text span, const struct rs_nic_info *nic,
    uint64_t irq, struct rs_irq_feed ret[static RS_IRQ_WORDS_FEEDS])
{
	struct reading r = {0};
	const bool is_named = span.p < span.end;
	const struct rs_text prefix = {action.p, is_named ? span.p : action.end};
	read_words(&r, prefix, false);
	if (is_named)
		read_words(&r, (struct rs_text){span.end, action.end}, true);
	const size_t n = conclude(&r, prefix, nic, irq, ret);
	for (size_t i = 0; i < n; i++)
		ret[i].ifindex = nic->ifindex;
	return n;
}

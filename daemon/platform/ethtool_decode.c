/* SPDX-License-Identifier: ISC */
/*
 * The kernel's answers to ethtool's questions (include/uapi/linux/ethtool.h) as
 * words. Pure.
 */
#include "ethtool_settings.h"

#include <errno.h>
#include <linux/ethtool.h>
#include <string.h>

enum {
	NAME_BYTES = ETH_GSTRING_LEN,
	PATTERN_MAX = 256 /* longer ones are not looked for in an indirection table */
};

/* --- words --- */

/* A value under construction; the words move while they grow. */
struct values {
	struct rs_buf *words;
	size_t at[RS_ETHTOOL_VALUES], end[RS_ETHTOOL_VALUES];
};

static void
begin_value(struct values *v, unsigned i)
{
	v->at[i] = v->words->len;
}

static void
end_value(struct values *v, unsigned i)
{
	v->end[i] = v->words->len;
}

static void
put_number(struct values *v, unsigned i, uint32_t number)
{
	begin_value(v, i);
	rs_buf_printf(v->words, "%u", number);
	end_value(v, i);
}

static void
put_word(struct values *v, unsigned i, const char *word)
{
	begin_value(v, i);
	rs_buf_puts(v->words, word);
	end_value(v, i);
}

static void
put_switch(struct values *v, unsigned i, uint32_t is_on)
{
	put_word(v, i, is_on ? "on" : "off");
}

/* --- the answers --- */

static bool
take(struct rs_text *t, void *ret, size_t size)
{
	if (rs_text_len(*t) < size)
		return false;
	memcpy(ret, t->p, size);
	t->p += size;
	return true;
}

/* A kind of channel or ring the device does not have has no maximum either. */
static void
put_with_max(struct values *v, unsigned i, uint32_t number, uint32_t max)
{
	if (number == 0 && max == 0)
		return;
	put_number(v, i, number);
	put_number(v, i + 1, max);
}

static int
decode_channels(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_channels c;
	(void)features;
	if (!take(&t, &c, sizeof(c)))
		return -EINVAL;
	put_with_max(v, 0, c.combined_count, c.max_combined);
	put_with_max(v, 2, c.rx_count, c.max_rx);
	put_with_max(v, 4, c.tx_count, c.max_tx);
	return 0;
}

static int
decode_rings(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_ringparam r;
	(void)features;
	if (!take(&t, &r, sizeof(r)))
		return -EINVAL;
	put_with_max(v, 0, r.rx_pending, r.rx_max_pending);
	put_with_max(v, 2, r.tx_pending, r.tx_max_pending);
	return 0;
}

static int
decode_coalesce(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_coalesce c;
	(void)features;
	if (!take(&t, &c, sizeof(c)))
		return -EINVAL;
	put_switch(v, 0, c.use_adaptive_rx_coalesce);
	put_switch(v, 1, c.use_adaptive_tx_coalesce);
	put_number(v, 2, c.rx_coalesce_usecs);
	put_number(v, 3, c.rx_max_coalesced_frames);
	put_number(v, 4, c.tx_coalesce_usecs);
	put_number(v, 5, c.tx_max_coalesced_frames);
	return 0;
}

static int
decode_pause(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_pauseparam p;
	(void)features;
	if (!take(&t, &p, sizeof(p)))
		return -EINVAL;
	put_switch(v, 0, p.rx_pause);
	put_switch(v, 1, p.tx_pause);
	return 0;
}

/* The names `ethtool -K` has for them, sorted, and the kernel's features each is
 * made of (net/ethtool/common.c): it is on when one of them is. */
static const struct {
	const char *name;
	const char *features[6];
} offloads[] = {
    {"gro", {"rx-gro"}},
    {"gso", {"tx-generic-segmentation"}},
    {"hw-tc-offload", {"hw-tc-offload"}},
    {"lro", {"rx-lro"}},
    {"ntuple", {"rx-ntuple-filter"}},
    {"rx", {"rx-checksum"}},
    {"rx-gro-hw", {"rx-gro-hw"}},
    {"rxhash", {"rx-hashing"}},
    {"rxvlan", {"rx-vlan-hw-parse"}},
    {"sg", {"tx-scatter-gather", "tx-scatter-gather-fraglist"}},
    {"tso", {"tx-tcp-segmentation", "tx-tcp-ecn-segmentation", "tx-tcp-mangleid-segmentation",
		"tx-tcp6-segmentation"}},
    {"tx", {"tx-checksum-ipv4", "tx-checksum-ip-generic", "tx-checksum-ipv6",
	       "tx-checksum-fcoe-crc", "tx-checksum-sctp"}},
    {"txvlan", {"tx-vlan-hw-insert"}},
};

/* Which of the offloads a feature belongs to; -1: none. */
static int
offload_of(const char *feature)
{
	char name[NAME_BYTES + 1];
	memcpy(name, feature, NAME_BYTES);
	name[NAME_BYTES] = '\0';
	for (size_t i = 0; i < RS_ARRAY_LEN(offloads); i++) {
		for (size_t k = 0; k < RS_ARRAY_LEN(offloads[i].features); k++) {
			const char *const f = offloads[i].features[k];
			if (f && strcmp(f, name) == 0)
				return (int)i;
		}
	}
	return -1;
}

static int
decode_offloads(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_gfeatures head;
	struct ethtool_get_features_block block = {0};
	bool is_on[RS_ARRAY_LEN(offloads)] = {false};
	if (!take(&t, &head, sizeof(head)))
		return -EINVAL;
	for (uint32_t i = 0; i < head.size * 32 && i < features->n; i++) {
		if (i % 32 == 0 && !take(&t, &block, sizeof(block)))
			return -EINVAL;
		if (!(block.active >> i % 32 & 1))
			continue;
		const int offload = offload_of(features->names + (size_t)i * NAME_BYTES);
		if (offload >= 0)
			is_on[offload] = true;
	}
	begin_value(v, 0);
	const size_t before = v->words->len;
	for (size_t i = 0; i < RS_ARRAY_LEN(offloads); i++) {
		if (is_on[i])
			rs_buf_printf(
			    v->words, "%s%s", v->words->len > before ? " " : "", offloads[i].name);
	}
	if (v->words->len == before)
		rs_buf_puts(v->words, "none");
	end_value(v, 0);
	return 0;
}

/* By their bits (ETH_RSS_HASH_* in net/ethtool.h of the kernel). */
static const char *const hash_names[] = {"toeplitz", "xor", "crc32"};

/* As `ethtool -X DEVICE hkey` takes it. */
static void
put_key(struct values *v, unsigned i, struct rs_text key)
{
	begin_value(v, i);
	for (const char *p = key.p; p < key.end; p++)
		rs_buf_printf(v->words, "%s%02x", p == key.p ? "" : ":", (unsigned)(uint8_t)*p);
	end_value(v, i);
}

static int
decode_rss(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_rxfh r;
	static const size_t head = offsetof(struct ethtool_rxfh, rss_config);
	(void)features;
	if (rs_text_len(t) < head)
		return -EINVAL;
	memcpy(&r, t.p, head);
	t.p += head;
	/* The entries lie at a multiple of four bytes, as the reply does. */
	const size_t table = r.indir_size * sizeof(uint32_t);
	if (r.indir_size > RS_RSS_ENTRIES_MAX || r.key_size > RS_RSS_KEY_MAX ||
	    rs_text_len(t) < table + r.key_size)
		return -EINVAL;
	if (r.indir_size) {
		begin_value(v, 0);
		rs_rss_table_format((const uint32_t *)(const void *)t.p, r.indir_size, v->words);
		end_value(v, 0);
	}
	if (r.key_size)
		put_key(v, 1, (struct rs_text){t.p + table, t.p + table + r.key_size});
	for (unsigned i = 0; i < RS_ARRAY_LEN(hash_names); i++) {
		if (r.hfunc == 1u << i)
			put_word(v, 2, hash_names[i]);
	}
	return 0;
}

static void
put_modes(struct values *v, unsigned i, const uint32_t *mask, size_t words)
{
	begin_value(v, i);
	if (rs_link_modes_format(mask, words, v->words))
		end_value(v, i);
}

/* Whether it negotiates is of no account where the port cannot. */
static int
decode_link(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	struct ethtool_link_settings l;
	(void)features;
	if (!take(&t, &l, sizeof(l)) || l.link_mode_masks_nwords <= 0)
		return -EINVAL;
	const size_t words = (size_t)l.link_mode_masks_nwords;
	if (rs_text_len(t) < 3 * words * sizeof(uint32_t))
		return -EINVAL;
	/* They lie at a multiple of four bytes, as the reply does. */
	const uint32_t *const masks = (const uint32_t *)(const void *)t.p;
	if (masks[0] >> ETHTOOL_LINK_MODE_Autoneg_BIT & 1)
		put_switch(v, 0, l.autoneg != AUTONEG_DISABLE);
	for (unsigned i = 0; i < 3; i++)
		put_modes(v, i + 1, masks + i * words, words);
	return 0;
}

/* The letters of `ethtool -N`, in its order. */
static int
decode_udp_hash(struct rs_text t, const struct rs_ethtool_features *features, struct values *v)
{
	static const struct {
		uint64_t bit;
		char letter;
	} parts[] = {
	    {RXH_L2DA, 'm'}, {RXH_VLAN, 'v'}, {RXH_L3_PROTO, 't'}, {RXH_IP_SRC, 's'},
	    {RXH_IP_DST, 'd'}, {RXH_L4_B_0_1, 'f'}, {RXH_L4_B_2_3, 'n'},
	    {UINT64_C(1) << 31, 'r'}, /* RXH_DISCARD, which is more than an int holds */
	};
	struct ethtool_rxnfc r;
	char letters[RS_ARRAY_LEN(parts) + 1];
	size_t n = 0;
	(void)features;
	if (!take(&t, &r, sizeof(r)))
		return -EINVAL;
	for (size_t i = 0; i < RS_ARRAY_LEN(parts); i++) {
		if (r.data & parts[i].bit)
			letters[n++] = parts[i].letter;
	}
	letters[n] = '\0';
	if (n > 0)
		put_word(v, 0, letters);
	return 0;
}

typedef int (*decode_fn)(
    struct rs_text t, const struct rs_ethtool_features *features, struct values *v);

static const decode_fn decoders[RS_ETHTOOL_GROUPS] = {
    [RS_ETHTOOL_CHANNELS] = decode_channels,
    [RS_ETHTOOL_RINGS] = decode_rings,
    [RS_ETHTOOL_COALESCE] = decode_coalesce,
    [RS_ETHTOOL_PAUSE] = decode_pause,
    [RS_ETHTOOL_OFFLOADS] = decode_offloads,
    [RS_ETHTOOL_RSS] = decode_rss,
    [RS_ETHTOOL_LINK] = decode_link,
    [RS_ETHTOOL_UDP_HASH] = decode_udp_hash,
};

int
rs_ethtool_decode(enum rs_ethtool_group group, const void *reply, size_t len,
    const struct rs_ethtool_features *features, struct rs_buf *words, struct rs_ethtool_answer *ret)
{
	const char *const p = reply;
	struct values v = {.words = words};
	rs_buf_reset(words);
	/* One byte, so that an empty value has a place too. */
	rs_buf_putc(words, '\0');
	const int error = decoders[group]((struct rs_text){p, p + len}, features, &v);
	if (error)
		return error;
	if (words->failed)
		return -ENOMEM;
	memset(ret, 0, sizeof(*ret));
	for (unsigned i = 0; i < RS_ETHTOOL_VALUES; i++) {
		if (v.end[i] > 0)
			ret->value[i] =
			    (struct rs_text){words->data + v.at[i], words->data + v.end[i]};
	}
	return 0;
}

/* --- the indirection table --- */

/* The shortest pattern the whole table repeats, its last time perhaps in part;
 * n: none that is repeated. */
static size_t
pattern_of(const uint32_t *table, size_t n)
{
	for (size_t p = 1; p <= n / 2 && p <= PATTERN_MAX; p++) {
		size_t i = p;
		while (i < n && table[i] == table[i - p])
			i++;
		if (i == n)
			return p;
	}
	return n;
}

/* How many entries from `at` on are the same, or (step 1) one more each. */
static size_t
run_of(const uint32_t *table, size_t n, size_t at, uint32_t step)
{
	size_t len = 1;
	while (at + len < n && table[at + len] - table[at] == step * len &&
	       table[at + len] >= table[at])
		len++;
	return len;
}

void
rs_rss_table_format(const uint32_t *table, size_t n, struct rs_buf *b)
{
	const size_t pattern = pattern_of(table, n);
	for (size_t at = 0; at < pattern;) {
		const size_t same = run_of(table, pattern, at, 0);
		const size_t rising = run_of(table, pattern, at, 1);
		rs_buf_printf(b, "%s%u", at ? "," : "", table[at]);
		if (same > 1)
			rs_buf_printf(b, "x%zu", same);
		else if (rising > 1)
			rs_buf_printf(b, "-%u", table[at + rising - 1]);
		at += RS_MAX(same, rising);
	}
	if (pattern == 0 || pattern == n)
		return;
	rs_buf_printf(b, " x%zu", n / pattern);
	if (n % pattern)
		rs_buf_printf(b, "+%zu", n % pattern);
}

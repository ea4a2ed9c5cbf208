/* SPDX-License-Identifier: ISC */
#define _GNU_SOURCE /* unshare() */
#include <errno.h>
#include <limits.h>
#include <linux/ethtool.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ethtool_settings.h"
#include "num.h"
#include "rs_check.h"

/* --- indirection tables --- */

static struct rs_buf text;

static const char *
format(const uint32_t *table, size_t n)
{
	rs_buf_init(&text, 1 << 20);
	rs_rss_table_format(table, n, &text);
	return rs_buf_cstr(&text);
}

static void
append(uint32_t *table, size_t *n, uint32_t value)
{
	ck_assert_uint_lt(*n, 70000);
	table[(*n)++] = value;
}

static uint32_t
number(struct rs_text *t)
{
	uint64_t v;
	ck_assert(rs_text_u64(t, &v));
	return (uint32_t)v;
}

/* Reads what the header says the format is. */
static size_t
expand(const char *s, uint32_t *table)
{
	struct rs_text t = rs_text_of(s);
	size_t n = 0;
	do {
		const uint32_t first = number(&t);
		uint32_t last = first, times = 1;
		if (rs_text_skip(&t, "-"))
			last = number(&t);
		else if (rs_text_skip(&t, "x"))
			times = number(&t);
		for (uint32_t i = 0; i < times; i++) {
			for (uint32_t v = first; v <= last; v++)
				append(table, &n, v);
		}
	} while (rs_text_skip(&t, ","));
	if (rs_text_skip(&t, " x")) {
		const size_t pattern = n;
		const uint32_t times = number(&t);
		const uint32_t more = rs_text_skip(&t, "+") ? number(&t) : 0;
		while (n < pattern * times + more)
			append(table, &n, table[n - pattern]);
	}
	ck_assert_ptr_eq(t.p, t.end);
	return n;
}

static const struct {
	size_t n;
	uint32_t queues; /* i % queues, */
	uint32_t run;	 /* or, when not 0, i / run % queues */
	const char *want;
} tables[] = {
    {128, 1, 0, "0 x128"},
    {128, 2, 0, "0-1 x64"},
    {128, 4, 0, "0-3 x32"},
    {128, 3, 0, "0-2 x42+2"},
    {128, 64, 0, "0-63 x2"},
    {128, 128, 0, "0-127"},
    {128, 100, 0, "0-99,0-27"},
    {128, 4, 32, "0x32,1x32,2x32,3x32"},
    {128, 2, 32, "0x32,1x32 x2"},
    {8, 2, 2, "0x2,1x2 x2"},
    {1, 1, 0, "0"},
    {2, 1, 0, "0 x2"},
    {2, 2, 0, "0-1"},
    {3, 2, 0, "0-1,0"},
    {4096, 8, 0, "0-7 x512"},
};

START_TEST(a_usual_table_is_short)
{
	static uint32_t table[4096], again[70000];
	for (size_t i = 0; i < tables[_i].n; i++)
		table[i] = (uint32_t)(tables[_i].run ? i / tables[_i].run : i) % tables[_i].queues;
	ck_assert_str_eq(format(table, tables[_i].n), tables[_i].want);
	ck_assert_uint_eq(expand(tables[_i].want, again), tables[_i].n);
	ck_assert_mem_eq(table, again, tables[_i].n * sizeof(*table));
	rs_buf_fini(&text);
}
END_TEST

START_TEST(any_table_can_be_read_back)
{
	static uint32_t table[600], again[70000];
	uint32_t state = 12345;
	for (unsigned round = 0; round < 2000; round++) {
		const size_t n = 1 + round % RS_ARRAY_LEN(table);
		const uint32_t queues = 1 + round % 7;
		const size_t pattern = 1 + round % 50;
		for (size_t i = 0; i < n; i++) {
			state = state * 1664525u + 1013904223u;
			/* Half of them repeat themselves somehow. */
			const bool is_repeated = round % 2 && i >= pattern;
			table[i] = is_repeated ? table[i - pattern] : (state >> 16) % queues;
		}
		ck_assert_uint_eq(expand(format(table, n), again), n);
		ck_assert_mem_eq(table, again, n * sizeof(*table));
		rs_buf_fini(&text);
	}
	/* The largest queue number there can be does not overflow. */
	table[0] = UINT32_MAX;
	table[1] = 0;
	ck_assert_str_eq(format(table, 2), "4294967295,0");
	rs_buf_fini(&text);
}
END_TEST

/* --- answers --- */

enum { FEATURES = 40 };

static char names[FEATURES][ETH_GSTRING_LEN];
static struct rs_ethtool_features features = {names[0], FEATURES};
static struct rs_buf words;

/* Decodes an exact copy, so that a read past the end is found. */
static int
decode(enum rs_ethtool_group group, const void *reply, size_t len, struct rs_ethtool_answer *ret)
{
	char *const copy = malloc(len ? len : 1);
	ck_assert_ptr_nonnull(copy);
	memcpy(copy, reply, len);
	rs_buf_fini(&words);
	rs_buf_init(&words, 1 << 20);
	const int error = rs_ethtool_decode(group, copy, len, &features, &words, ret);
	free(copy);
	return error;
}

/* The values joined by blanks; "-": not told. */
static const char *
values(const struct rs_ethtool_answer *a, unsigned n)
{
	static char joined[512];
	size_t len = 0;
	for (unsigned i = 0; i < RS_ETHTOOL_VALUES; i++) {
		const struct rs_text v = a->value[i].p ? a->value[i] : rs_text_of("-");
		if (i >= n) {
			ck_assert_ptr_null(a->value[i].p);
			continue;
		}
		len += (size_t)snprintf(joined + len, sizeof(joined) - len, "%s%.*s", i ? " " : "",
		    (int)rs_text_len(v), v.p);
	}
	return joined;
}

START_TEST(channels_that_are_not_there_are_not_told)
{
	struct rs_ethtool_answer a;
	const struct ethtool_channels combined = {.max_combined = 8, .combined_count = 4};
	const struct ethtool_channels apart = {
	    .max_rx = 4, .rx_count = 2, .max_tx = 4, .tx_count = 1, .max_other = 1};
	ck_assert_int_eq(decode(RS_ETHTOOL_CHANNELS, &combined, sizeof(combined), &a), 0);
	ck_assert_str_eq(values(&a, 6), "4 8 - - - -");
	ck_assert_int_eq(decode(RS_ETHTOOL_CHANNELS, &apart, sizeof(apart), &a), 0);
	ck_assert_str_eq(values(&a, 6), "- - 2 4 1 4");
}
END_TEST

START_TEST(rings_coalescing_and_pause_are_told)
{
	struct rs_ethtool_answer a;
	const struct ethtool_ringparam rings = {
	    .rx_max_pending = 4096, .rx_pending = 256, .tx_max_pending = 4096, .tx_pending = 512};
	const struct ethtool_coalesce coalesce = {.use_adaptive_rx_coalesce = 1,
	    .rx_coalesce_usecs = 3,
	    .rx_max_coalesced_frames = 16,
	    .tx_coalesce_usecs = 50};
	const struct ethtool_pauseparam pause = {.autoneg = 1, .tx_pause = 1};
	ck_assert_int_eq(decode(RS_ETHTOOL_RINGS, &rings, sizeof(rings), &a), 0);
	ck_assert_str_eq(values(&a, 4), "256 4096 512 4096");
	ck_assert_int_eq(decode(RS_ETHTOOL_COALESCE, &coalesce, sizeof(coalesce), &a), 0);
	ck_assert_str_eq(values(&a, 6), "on off 3 16 50 0");
	ck_assert_int_eq(decode(RS_ETHTOOL_PAUSE, &pause, sizeof(pause), &a), 0);
	ck_assert_str_eq(values(&a, 2), "off on");
}
END_TEST

/* The kernel's features as if their numbers were these. */
static const char *const feature_names[] = {[0] = "tx-scatter-gather",
    [3] = "tx-checksum-ip-generic",
    [5] = "highdma",
    [14] = "rx-gro",
    [16] = "tx-tcp6-segmentation",
    [31] = "rx-checksum",
    [32] = "rx-hashing",
    [39] = "rx-gro-hw"};

static size_t
make_features(uint32_t size, uint32_t low, uint32_t high, char *reply)
{
	const struct ethtool_gfeatures head = {.cmd = ETHTOOL_GFEATURES, .size = size};
	const struct ethtool_get_features_block blocks[2] = {
	    {.active = low, .available = ~0u}, {.active = high, .requested = ~0u}};
	memset(names, 0, sizeof(names));
	for (size_t i = 0; i < RS_ARRAY_LEN(feature_names); i++) {
		if (feature_names[i])
			(void)strncpy(names[i], feature_names[i], ETH_GSTRING_LEN);
	}
	memcpy(reply, &head, sizeof(head));
	memcpy(reply + sizeof(head), blocks, size * sizeof(blocks[0]));
	return sizeof(head) + size * sizeof(blocks[0]);
}

static const struct {
	uint32_t low, high;
	const char *want;
} feature_sets[] = {
    {0, 0, "none"},
    {1u << 5, 0, "none"}, /* highdma is no offload of ours */
    {1u << 0, 0, "sg"},
    {1u << 3 | 1u << 14 | 1u << 31, 1u << 0 | 1u << 7, "gro rx rx-gro-hw rxhash tx"},
    {UINT32_MAX, UINT32_MAX, "gro rx rx-gro-hw rxhash sg tso tx"},
};

START_TEST(offloads_that_are_on_are_told_by_the_names_of_ethtool)
{
	struct rs_ethtool_answer a;
	char reply[128];
	const size_t len = make_features(2, feature_sets[_i].low, feature_sets[_i].high, reply);
	ck_assert_int_eq(decode(RS_ETHTOOL_OFFLOADS, reply, len, &a), 0);
	ck_assert_str_eq(values(&a, 1), feature_sets[_i].want);
}
END_TEST

static size_t
make_rss(uint32_t entries, uint32_t key_bytes, uint8_t hash, char *reply)
{
	const struct ethtool_rxfh head = {
	    .cmd = ETHTOOL_GRSSH, .indir_size = entries, .key_size = key_bytes, .hfunc = hash};
	size_t len = offsetof(struct ethtool_rxfh, rss_config);
	memcpy(reply, &head, len);
	for (uint32_t i = 0; i < entries; i++, len += sizeof(i)) {
		const uint32_t queue = i % 4;
		memcpy(reply + len, &queue, sizeof(queue));
	}
	for (uint32_t i = 0; i < key_bytes; i++)
		reply[len++] = (char)(0x6d + i * 61);
	return len;
}

static const struct {
	uint32_t entries, key_bytes;
	uint8_t hash;
	const char *want;
} rss[] = {
    {128, 4, 1, "0-3 x32 6d:aa:e7:24 toeplitz"}, {8, 1, 2, "0-3 x2 6d xor"},
    {8, 0, 4, "0-3 x2 - crc32"}, {0, 2, 0, "- 6d:aa -"},
    {0, 0, 8, "- - -"}, /* a function we have no name for */
};

START_TEST(hashing_is_told_as_far_as_the_device_has_it)
{
	struct rs_ethtool_answer a;
	static char reply[1024];
	const size_t len = make_rss(rss[_i].entries, rss[_i].key_bytes, rss[_i].hash, reply);
	ck_assert_int_eq(decode(RS_ETHTOOL_RSS, reply, len, &a), 0);
	ck_assert_str_eq(values(&a, 3), rss[_i].want);
}
END_TEST

/* --- link modes --- */

static const struct {
	unsigned bits[8]; /* ends with UINT_MAX */
	const char *want; /* "": none */
} modes[] = {
    {{UINT_MAX}, ""},
    {{0, 1, 2, 3, 5, 6, 7, UINT_MAX}, "10/half 10/full 100/half 100/full 1000/full"},
    {{5, 47, 48, 12, UINT_MAX}, "1000/full 2500/full 5000/full 10000/full"},
    {{41, 17, 68, UINT_MAX}, "1000/full"},	/* three ways of one speed */
    {{6, 7, 13, 14, 49, 50, 51, UINT_MAX}, ""}, /* what is no speed */
    {{36, 52, 66, 89, 98, UINT_MAX}, "50000/full 100000/full 200000/full 400000/full 800000/full"},
    {{90, 92, UINT_MAX}, "10/full 100/half"}, {{127, UINT_MAX}, ""}, /* newer than we are */
};

static size_t
make_link(
    const unsigned *supported, const unsigned *advertised, const unsigned *partner, char *reply)
{
	enum { WORDS = 4 };
	const struct ethtool_link_settings head = {.cmd = ETHTOOL_GLINKSETTINGS,
	    .autoneg = AUTONEG_ENABLE,
	    .link_mode_masks_nwords = WORDS};
	const unsigned *const lists[] = {supported, advertised, partner};
	uint32_t masks[3 * WORDS] = {0};
	for (unsigned i = 0; i < 3; i++) {
		for (const unsigned *bit = lists[i]; *bit != UINT_MAX; bit++)
			masks[i * WORDS + *bit / 32] |= UINT32_C(1) << *bit % 32;
	}
	memcpy(reply, &head, sizeof(head));
	memcpy(reply + sizeof(head), masks, sizeof(masks));
	return sizeof(head) + sizeof(masks);
}

START_TEST(link_modes_are_told_as_speeds)
{
	struct rs_ethtool_answer a;
	char reply[256];
	const size_t len = make_link(modes[_i].bits, modes[0].bits, modes[_i].bits, reply);
	ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, len, &a), 0);
	/* Without modes of its own there is nothing to offer. */
	ck_assert_ptr_null(a.value[2].p);
	for (unsigned i = 1; i <= 3; i += 2) {
		if (*modes[_i].want == '\0')
			ck_assert_ptr_null(a.value[i].p);
		else
			ck_assert(rs_text_eq(a.value[i], modes[_i].want));
	}
}
END_TEST

START_TEST(a_port_that_cannot_negotiate_is_not_said_to_be_off)
{
	static const unsigned can[] = {5, 6, UINT_MAX}, cannot[] = {12, UINT_MAX};
	struct rs_ethtool_answer a;
	char reply[256];
	size_t len = make_link(can, can, can, reply);
	ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, len, &a), 0);
	ck_assert(rs_text_eq(a.value[0], "on"));
	reply[offsetof(struct ethtool_link_settings, autoneg)] = AUTONEG_DISABLE;
	ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, len, &a), 0);
	ck_assert(rs_text_eq(a.value[0], "off"));
	len = make_link(cannot, cannot, cannot, reply);
	ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, len, &a), 0);
	ck_assert_ptr_null(a.value[0].p);
}
END_TEST

START_TEST(an_answer_about_the_link_that_is_cut_is_refused)
{
	static const unsigned bits[] = {5, 6, UINT_MAX};
	struct rs_ethtool_answer a;
	char reply[256];
	const size_t whole = make_link(bits, bits, bits, reply);
	for (size_t len = 0; len < whole; len++)
		ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, len, &a), -EINVAL);
	static const int8_t counts[] = {0, -1, -128, 127};
	for (size_t i = 0; i < RS_ARRAY_LEN(counts); i++) {
		memcpy(reply + offsetof(struct ethtool_link_settings, link_mode_masks_nwords),
		    &counts[i], 1);
		ck_assert_int_eq(decode(RS_ETHTOOL_LINK, reply, whole, &a), -EINVAL);
	}
}
END_TEST

START_TEST(a_cut_answer_is_refused_wherever_it_is_cut)
{
	static char reply[1024];
	struct rs_ethtool_answer a;
	static const size_t sizes[] = {
	    [RS_ETHTOOL_CHANNELS] = sizeof(struct ethtool_channels),
	    [RS_ETHTOOL_RINGS] = sizeof(struct ethtool_ringparam),
	    [RS_ETHTOOL_COALESCE] = sizeof(struct ethtool_coalesce),
	    [RS_ETHTOOL_PAUSE] = sizeof(struct ethtool_pauseparam),
	};
	for (unsigned g = 0; g < RS_ARRAY_LEN(sizes); g++) {
		for (size_t len = 0; len < sizes[g]; len++)
			ck_assert_int_eq(decode((enum rs_ethtool_group)g, reply, len, &a), -EINVAL);
	}
	size_t whole = make_features(2, 1, 1, reply);
	for (size_t len = 0; len < whole; len++)
		ck_assert_int_eq(decode(RS_ETHTOOL_OFFLOADS, reply, len, &a), -EINVAL);
	whole = make_rss(16, 40, 1, reply);
	for (size_t len = 0; len < whole; len++)
		ck_assert_int_eq(decode(RS_ETHTOOL_RSS, reply, len, &a), -EINVAL);
}
END_TEST

START_TEST(enormous_sizes_in_an_answer_are_refused)
{
	char reply[64];
	struct rs_ethtool_answer a;
	struct ethtool_rxfh r = {.indir_size = UINT32_MAX, .key_size = UINT32_MAX};
	const size_t len = offsetof(struct ethtool_rxfh, rss_config);
	memset(reply, 0, sizeof(reply));
	memcpy(reply, &r, len);
	ck_assert_int_eq(decode(RS_ETHTOOL_RSS, reply, sizeof(reply), &a), -EINVAL);
	r.indir_size = 1u << 30; /* times four is 0 in 32 bits */
	r.key_size = 0;
	memcpy(reply, &r, len);
	ck_assert_int_eq(decode(RS_ETHTOOL_RSS, reply, sizeof(reply), &a), -EINVAL);
	const struct ethtool_gfeatures f = {.size = UINT32_MAX};
	memcpy(reply, &f, sizeof(f));
	/* 64 bytes hold two blocks after the head at most; there are names for 40. */
	ck_assert_int_eq(decode(RS_ETHTOOL_OFFLOADS, reply, 30, &a), -EINVAL);
}
END_TEST

/* --- the kernel's own --- */

START_TEST(the_kernel_tells_the_offloads_of_loopback)
{
	struct rs_ethtool_settings *e;
	struct rs_ethtool_answer a;
	ck_assert_int_eq(rs_ethtool_settings_open(&e), 0);
	for (unsigned i = 0; i < 3; i++) {
		ck_assert_int_eq(rs_ethtool_settings_get(e, "lo", RS_ETHTOOL_OFFLOADS, &a), 0);
		ck_assert_ptr_nonnull(a.value[0].p);
		/* Sums are never made of packets that never leave. */
		ck_assert_ptr_nonnull(strstr(values(&a, 1), "tx"));
		ck_assert_int_eq(
		    rs_ethtool_settings_get(e, "lo", RS_ETHTOOL_RINGS, &a), -EOPNOTSUPP);
		ck_assert_int_eq(rs_ethtool_settings_get(e, "lo", RS_ETHTOOL_RSS, &a), -EOPNOTSUPP);
		ck_assert_int_eq(
		    rs_ethtool_settings_get(e, "rs-none", RS_ETHTOOL_RINGS, &a), -ENODEV);
		ck_assert_int_eq(
		    rs_ethtool_settings_get(e, "a-name-that-is-too-long", RS_ETHTOOL_CHANNELS, &a),
		    -ENODEV);
	}
	rs_ethtool_settings_close(e);
}
END_TEST

/* 0, 77: not allowed, or the number of what failed. */
static int
ask_veth(void)
{
	struct rs_ethtool_settings *e;
	struct rs_ethtool_answer a;
	if (unshare(CLONE_NEWNET) != 0 ||
	    system("ip link add name rsv0 numrxqueues 4 numtxqueues 2 type veth peer name rsv1 "
		   "2>/dev/null") != 0)
		return 77;
	if (rs_ethtool_settings_open(&e) != 0)
		return 1;
	const int error = rs_ethtool_settings_get(e, "rsv0", RS_ETHTOOL_CHANNELS, &a);
	if (error == -EOPNOTSUPP)
		return 77; /* before 5.15 */
	if (error || strcmp(values(&a, 6), "- - 4 4 2 2") != 0)
		return 2;
	rs_ethtool_settings_close(e);
	return 0;
}

START_TEST(the_kernel_tells_the_channels_of_a_pair)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(ask_veth());
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == 77)
		(void)printf("# no pair in a namespace here: its channels were not asked\n");
	else
		ck_assert_int_eq(WEXITSTATUS(status), 0);
}
END_TEST

static const struct {
	uint64_t data;
	const char *want; /* NULL: nothing is hashed, or the driver does not tell */
} udp_hashes[] = {
    {RXH_IP_SRC | RXH_IP_DST, "sd"},
    {RXH_IP_SRC | RXH_IP_DST | RXH_L4_B_0_1 | RXH_L4_B_2_3, "sdfn"},
    {RXH_VLAN | RXH_IP_SRC | RXH_IP_DST, "vsd"},
    {UINT64_C(1) << 31, "r"},
    {0, NULL},
};

START_TEST(the_hash_of_udp_is_told_in_the_letters_of_ethtool)
{
	const struct ethtool_rxnfc reply = {
	    .cmd = ETHTOOL_GRXFH, .flow_type = UDP_V4_FLOW, .data = udp_hashes[_i].data};
	struct rs_ethtool_answer a;
	ck_assert_int_eq(decode(RS_ETHTOOL_UDP_HASH, &reply, sizeof(reply), &a), 0);
	if (udp_hashes[_i].want)
		ck_assert(rs_text_eq(a.value[0], udp_hashes[_i].want));
	else
		ck_assert_ptr_null(a.value[0].p);
	for (size_t len = 0; len < sizeof(reply); len++)
		ck_assert_int_eq(decode(RS_ETHTOOL_UDP_HASH, &reply, len, &a), -EINVAL);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("ethtool_settings");
	TCase *const t = tcase_create("pure");
	tcase_add_loop_test(t, a_usual_table_is_short, 0, (int)RS_ARRAY_LEN(tables));
	tcase_add_test(t, any_table_can_be_read_back);
	tcase_add_test(t, channels_that_are_not_there_are_not_told);
	tcase_add_test(t, rings_coalescing_and_pause_are_told);
	tcase_add_loop_test(t, offloads_that_are_on_are_told_by_the_names_of_ethtool, 0,
	    (int)RS_ARRAY_LEN(feature_sets));
	tcase_add_loop_test(
	    t, hashing_is_told_as_far_as_the_device_has_it, 0, (int)RS_ARRAY_LEN(rss));
	tcase_add_loop_test(
	    t, the_hash_of_udp_is_told_in_the_letters_of_ethtool, 0, (int)RS_ARRAY_LEN(udp_hashes));
	tcase_add_loop_test(t, link_modes_are_told_as_speeds, 0, (int)RS_ARRAY_LEN(modes));
	tcase_add_test(t, a_port_that_cannot_negotiate_is_not_said_to_be_off);
	tcase_add_test(t, an_answer_about_the_link_that_is_cut_is_refused);
	tcase_add_test(t, a_cut_answer_is_refused_wherever_it_is_cut);
	tcase_add_test(t, enormous_sizes_in_an_answer_are_refused);
	suite_add_tcase(s, t);
	TCase *const live = tcase_create("live");
	tcase_add_test(live, the_kernel_tells_the_offloads_of_loopback);
	tcase_add_test(live, the_kernel_tells_the_channels_of_a_pair);
	suite_add_tcase(s, live);
	return s;
}

RS_CHECK_MAIN(suite())

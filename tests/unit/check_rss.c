/* SPDX-License-Identifier: ISC */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "rs.h"
#include "rs_check.h"
#include "rss.h"

/* The key of the verification suite of the RSS specification. */
static const char suite_key[] = "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6"
				"a42b73bbeac01fa";

static const struct {
	const char *source, *destination;
	uint16_t source_port, destination_port;
	uint32_t addresses, ports, reverse;
} flows[] = {
    {"66.9.149.187", "161.142.100.80", 2794, 1766, 0x323e8fc2, 0x51ccc178, 0xfde799b2},
    {"199.92.111.2", "65.69.140.83", 14230, 4739, 0xd718262a, 0xc626b0ea, 0xe53c74e8},
    {"24.19.198.95", "12.22.207.184", 12898, 38024, 0xd2d0a5de, 0x5c2b394a, 0xa802b849},
    {"38.27.205.30", "209.142.163.6", 48228, 2217, 0x82989176, 0xafc7327f, 0xe1dfcdff},
    {"153.39.163.191", "202.188.127.2", 44251, 1303, 0x5d1809c5, 0x10e828a2, 0x15d05e13},
    {"3ffe:2501:200:1fff::7", "3ffe:2501:200:3::1", 2794, 1766, 0x2cc18cd5, 0x40207d3d, 0},
    {"3ffe:501:8::260:97ff:fe40:efab", "ff02::1", 14230, 4739, 0x0f0c461c, 0xdde51bbf, 0},
};

static struct rs_flow_ends
ends(int i, bool is_reverse)
{
	struct rs_flow_ends f = {
	    .source_port = is_reverse ? flows[i].destination_port : flows[i].source_port,
	    .destination_port = is_reverse ? flows[i].source_port : flows[i].destination_port,
	};
	const char *from = is_reverse ? flows[i].destination : flows[i].source;
	const char *to = is_reverse ? flows[i].source : flows[i].destination;

	f.is_ipv6 = strchr(from, ':') != NULL;
	ck_assert_int_eq(inet_pton(f.is_ipv6 ? AF_INET6 : AF_INET, from, f.source), 1);
	ck_assert_int_eq(inet_pton(f.is_ipv6 ? AF_INET6 : AF_INET, to, f.destination), 1);
	return f;
}

START_TEST(rss_hash_is_that_of_the_verification_suite)
{
	uint8_t key[RS_RSS_KEY_BYTES];
	const struct rs_flow_ends forward = ends(_i, false), reverse = ends(_i, true);

	ck_assert(rs_rss_key_parse(rs_text_of(suite_key), key));
	ck_assert_uint_eq(rs_rss_hash(key, &forward, false), flows[_i].addresses);
	ck_assert_uint_eq(rs_rss_hash(key, &forward, true), flows[_i].ports);
	if (flows[_i].reverse)
		ck_assert_uint_eq(rs_rss_hash(key, &reverse, true), flows[_i].reverse);
}
END_TEST

START_TEST(rss_hash_of_a_repeating_key_is_symmetric)
{
	uint8_t key[RS_RSS_KEY_BYTES];
	const struct rs_flow_ends forward = ends(0, false), reverse = ends(0, true);

	for (unsigned i = 0; i < RS_RSS_KEY_BYTES; i++)
		key[i] = i % 2 ? 0x5a : 0x6d;
	ck_assert_uint_eq(rs_rss_hash(key, &forward, true), 0x9fcc9fcc);
	ck_assert_uint_eq(rs_rss_hash(key, &reverse, true), 0x9fcc9fcc);
}
END_TEST

START_TEST(rss_key_is_hexadecimal_and_long_enough)
{
	uint8_t key[RS_RSS_KEY_BYTES];
	char colons[3 * 52 + 1] = "";

	for (unsigned i = 0; i < 52; i++)
		(void)snprintf(colons + 3 * i, 4, "%02x:", i);
	colons[3 * 52 - 1] = '\0';
	ck_assert(rs_rss_key_parse(rs_text_of(colons), key));
	ck_assert_uint_eq(key[39], 39);
	ck_assert(!rs_rss_key_parse(rs_text_of(""), key));
	ck_assert(!rs_rss_key_parse(rs_text_of("6d5a56da"), key));
	ck_assert(!rs_rss_key_parse(rs_text_of("not known"), key));
}
END_TEST

static const struct {
	const char *text;
	uint32_t entries, queues, at, queue, count_of_1;
} tables[] = {
    {"0-3 x32", 128, 4, 127, 3, 32},
    {"0 x128", 128, 1, 5, 0, 0},
    {"0-2 x42+2", 128, 3, 127, 1, 43},
    {"0x64,1x64", 128, 2, 64, 1, 64},
    {"0x32,1x32 x2", 128, 2, 100, 1, 64},
    {"0-99,0-27", 128, 100, 127, 27, 2},
    {"0-1,0", 3, 2, 2, 0, 1},
    {"5", 1, 6, 0, 5, 0},
};

START_TEST(rss_table_gives_entries_and_counts)
{
	const struct rs_text t = rs_text_of(tables[_i].text);
	uint32_t entries, queues, all = 0;

	ck_assert(rs_rss_table_size(t, &entries, &queues));
	ck_assert_uint_eq(entries, tables[_i].entries);
	ck_assert_uint_eq(queues, tables[_i].queues);
	ck_assert_int_eq(rs_rss_table_at(t, tables[_i].at), (int32_t)tables[_i].queue);
	ck_assert_int_eq(rs_rss_table_at(t, entries), -1);
	ck_assert_uint_eq(rs_rss_table_count(t, 1), tables[_i].count_of_1);
	for (uint32_t q = 0; q < queues; q++) {
		uint32_t n = 0;
		for (uint32_t i = 0; i < entries; i++)
			n += rs_rss_table_at(t, i) == (int32_t)q;
		ck_assert_uint_eq(rs_rss_table_count(t, q), n);
		all += n;
	}
	ck_assert_uint_eq(all, entries);
}
END_TEST

START_TEST(rss_table_refuses_what_is_none)
{
	static const char *const texts[] = {"", "x", "0-", "3-1", "0x0", "0x", "0-3 x0", "0-3 x",
	    "0-3 x2+4", "0-3 x2+", "0-3,", "0-3 32", "0-65536", "0 x70000", "99999999999999999999",
	    "0-3 x32 ", "0x40000,1x40000"};

	for (size_t i = 0; i < RS_ARRAY_LEN(texts); i++) {
		uint32_t entries, queues;
		const struct rs_text t = rs_text_of(texts[i]);

		ck_assert_msg(!rs_rss_table_size(t, &entries, &queues), "%s", texts[i]);
		ck_assert_int_eq(rs_rss_table_at(t, 0), -1);
		ck_assert_uint_eq(rs_rss_table_count(t, 0), 0);
	}
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("rss");
	TCase *tc = tcase_create("rss");

	tcase_add_loop_test(
	    tc, rss_hash_is_that_of_the_verification_suite, 0, (int)RS_ARRAY_LEN(flows));
	tcase_add_test(tc, rss_hash_of_a_repeating_key_is_symmetric);
	tcase_add_test(tc, rss_key_is_hexadecimal_and_long_enough);
	tcase_add_loop_test(tc, rss_table_gives_entries_and_counts, 0, (int)RS_ARRAY_LEN(tables));
	tcase_add_test(tc, rss_table_refuses_what_is_none);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
#include <arpa/inet.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "chance.h"
#include "flows.h"
#include "rs_check.h"
#include "rss.h"
#include "view_builder.h"

static const char suite_key[] = "6d5a56da255b0ec24167253d43a38fb0d0ca2bcbae7b30b477cb2da38030f20c6"
				"a42b73bbeac01fa";

static struct rs_vb *b;
static struct rs_nic_view *nic;

static void
set_fact(enum rs_fact_id id, const char *value)
{
	rs_vb_fact(b, id, nic->info.ifindex, RS_NO_QUEUE, rs_text_of(value));
}

/* Core 1 is full of what queue `queues - 1` of eth0 receives. */
static void
set_up_queues(unsigned queues, double share, double pps)
{
	b = rs_vb_new(4);
	nic = rs_vb_nic(b, "eth0", 1000000000);
	rs_vb_traffic(nic, 760e6, 0, pps);
	for (unsigned q = 0; q < queues; q++) {
		char irq[16], action[24];
		const bool is_busiest = q == queues - 1;
		(void)snprintf(irq, sizeof(irq), "%u", 30 + q);
		(void)snprintf(action, sizeof(action), "eth0-rx-%u", q);
		const size_t line = rs_vb_irq(b, irq, action, "eth0", (int32_t)q, RS_IRQ_QUEUE);
		rs_vb_fire(b, line, is_busiest ? 1 : 0, is_busiest ? 9000 : 20);
		(void)rs_vb_queue(b, nic->info.ifindex, false, (uint16_t)q,
		    is_busiest ? pps * share : pps * (1.0 - share) / (queues - 1), 0);
	}
	nic->info.rx_queues = (int32_t)queues;
	rs_vb_core(b, 1, 0.98, 0.98);
}

static struct rs_heavy_flow
flow(unsigned i, double bps)
{
	struct rs_heavy_flow f = {.protocol = 6, .ifindex = nic->info.ifindex, .bps = bps};

	f.ends.source[0] = 10;
	f.ends.source[3] = (uint8_t)i;
	f.ends.destination[0] = 10;
	f.ends.destination[1] = 1;
	f.ends.source_port = 5201;
	f.ends.destination_port = (uint16_t)(40000 + 2 * i);
	return f;
}

static void
add_flows(unsigned n, double bps)
{
	for (unsigned i = 0; i < n; i++) {
		const struct rs_heavy_flow f = flow(i, bps);
		rs_vb_flow(b, &f);
	}
}

static struct rs_lead_flows
judge(void)
{
	struct rs_lead lead;
	struct rs_lead_flows f;

	ck_assert(rs_lead_of(rs_vb_tick(b), &lead));
	rs_lead_flows_of(&lead, &f);
	rs_vb_free(b);
	return f;
}

/* --- chapter 5 of the reference ------------------------------------------ */

static const struct {
	unsigned flows, queues;
	double share, pps;
	enum rs_flows_say say;
	double chance;
} judgements[] = {
    /* the test vectors of B1 */
    {2, 4, 1.0, 65000, RS_FLOWS_COLLISION, 0.25},
    {10, 4, 1.0, 65000, RS_FLOWS_NOT_HASHING, 3.8147e-6},
    {2, 2, 1.0, 65000, RS_FLOWS_COLLISION, 0.5},
    /* F_eff from which it is no chance: 8 (Q=2), 5 (Q=4), 4 (Q=8) */
    {8, 2, 1.0, 65000, RS_FLOWS_NOT_HASHING, 7.8e-3},
    {5, 4, 1.0, 65000, RS_FLOWS_NOT_HASHING, 3.9e-3},
    {4, 4, 1.0, 65000, RS_FLOWS_COLLISION, 1.5625e-2},
    {4, 8, 1.0, 65000, RS_FLOWS_NOT_HASHING, 1.953e-3},
    {3, 8, 1.0, 65000, RS_FLOWS_COLLISION, 1.5625e-2},
    /* too few packets, or not all of them, to blame the hash */
    {10, 4, 1.0, 4900, RS_FLOWS_NOTHING, NAN},
    {10, 4, 0.90, 65000, RS_FLOWS_NOTHING, NAN},
    {4, 4, 0.75, 65000, RS_FLOWS_COLLISION, 0.2031},
    /* one */
    {1, 4, 1.0, 65000, RS_FLOWS_ELEPHANT, 1.0},
    /* no queue stands out, or there is one only */
    {2, 4, 0.55, 65000, RS_FLOWS_NOTHING, NAN},
};

START_TEST(flows_and_queues_decide_what_is_said)
{
	set_up_queues(judgements[_i].queues, judgements[_i].share, judgements[_i].pps);
	add_flows(judgements[_i].flows, 740e6 / judgements[_i].flows);
	const struct rs_lead_flows f = judge();
	ck_assert_int_eq(f.say, judgements[_i].say);
	if (!isnan(judgements[_i].chance))
		ck_assert_double_eq_tol(
		    f.chance, judgements[_i].chance, 0.01 * judgements[_i].chance);
}
END_TEST

START_TEST(two_flows_are_a_collision_however_many_queues)
{
	/* 1 / 40 and less than one in a hundred alike. */
	set_up_queues(40, 1.0, 65000);
	add_flows(2, 370e6);
	ck_assert_int_eq(judge().say, RS_FLOWS_COLLISION);
}
END_TEST

START_TEST(flows_of_unequal_weight_count_for_fewer)
{
	set_up_queues(4, 1.0, 65000);
	add_flows(10, 20e6);
	const struct rs_heavy_flow big = flow(0, 300e6), other = flow(1, 240e6);
	rs_vb_flow(b, &big);
	rs_vb_flow(b, &other);
	const struct rs_lead_flows f = judge();
	/* (300 + 240 + 8 x 20)^2 / (300^2 + 240^2 + 8 x 20^2) = 3.25 */
	ck_assert_double_eq_tol(f.effective, 3.25, 0.02);
	ck_assert_int_eq(f.say, RS_FLOWS_COLLISION);
	ck_assert_uint_eq(f.n_big, 2);
	ck_assert_double_eq_tol(f.chance, 0.0625, 1e-9);
}
END_TEST

START_TEST(flows_that_explain_too_little_are_not_known)
{
	set_up_queues(4, 1.0, 65000);
	add_flows(5, 70e6);
	ck_assert_int_eq(judge().say, RS_FLOWS_UNKNOWN);
	set_up_queues(4, 1.0, 65000);
	const struct rs_lead_flows f = judge();
	ck_assert_int_eq(f.say, RS_FLOWS_UNKNOWN);
	ck_assert_double_eq_tol(f.chance, 0.25, 1e-9);
}
END_TEST

START_TEST(more_flows_than_are_told_are_many)
{
	set_up_queues(4, 1.0, 65000);
	add_flows(RS_HEAVY_FLOWS_MAX, 2e6); /* 128 of 760 Mbit/s */
	const struct rs_lead_flows f = judge();
	ck_assert_int_eq(f.say, RS_FLOWS_NOT_HASHING);
	ck_assert_double_eq_tol(f.effective, 380.0, 1.0);
}
END_TEST

START_TEST(flows_of_other_interfaces_do_not_count)
{
	set_up_queues(4, 1.0, 65000);
	struct rs_nic_view *const other = rs_vb_nic(b, "eth1", 1000000000);
	struct rs_nic_view *const tunnel = rs_vb_nic(b, "wg0", -1);
	struct rs_nic_view *const vlan = rs_vb_nic(b, "eth1.7", -1);
	struct rs_nic_view *const mine = rs_vb_nic(b, "eth0.7", -1);
	strcpy(tunnel->info.kind, "wireguard");
	strcpy(vlan->info.kind, "vlan");
	strcpy(mine->info.kind, "vlan");
	tunnel->counts_in_sums = vlan->counts_in_sums = mine->counts_in_sums = false;
	const uint32_t by[] = {other->info.ifindex, tunnel->info.ifindex, vlan->info.ifindex};
	for (unsigned i = 0; i < 3 * RS_ARRAY_LEN(by); i++) {
		struct rs_heavy_flow f = flow(i, 300e6);
		f.ifindex = by[i % RS_ARRAY_LEN(by)];
		rs_vb_flow(b, &f);
	}
	struct rs_heavy_flow f = flow(100, 370e6), g = flow(101, 370e6);
	rs_vb_flow(b, &f);
	g.ifindex = mine->info.ifindex;
	rs_vb_flow(b, &g);
	const struct rs_lead_flows seen = judge();
	ck_assert_uint_eq(seen.n, 2);
	ck_assert_int_eq(seen.say, RS_FLOWS_COLLISION);
	ck_assert(seen.is_by_route);
}
END_TEST

/* --- the queue of a flow ---------------------------------------------------- */

/* The hash bit by bit, as the specification words it, over a table written out. */
static uint32_t
plain_hash(const uint8_t *key, const uint8_t *input, size_t n)
{
	uint32_t hash = 0;

	for (size_t i = 0; i < 8 * n; i++) {
		if (!(input[i / 8] >> (7 - i % 8) & 1))
			continue;
		for (size_t k = 0; k < 32; k++) {
			const size_t bit = i + k;
			hash ^= (uint32_t)(key[bit / 8] >> (7 - bit % 8) & 1) << (31 - k);
		}
	}
	return hash;
}

static uint32_t state = 4711;

static uint8_t
dice(void)
{
	state = state * 1664525u + 1013904223u;
	return (uint8_t)(state >> 24);
}

/* Queue by a table that is an array; -1 on the other hand is never right here. */
static unsigned
plain_queue(const uint8_t *key, const unsigned *table, unsigned entries,
    const struct rs_heavy_flow *f, bool has_ports)
{
	const size_t bytes = f->ends.is_ipv6 ? 16 : 4;
	uint8_t input[36];
	size_t n = 2 * bytes;

	memcpy(input, f->ends.source, bytes);
	memcpy(input + bytes, f->ends.destination, bytes);
	if (has_ports) {
		const uint16_t ports[2] = {
		    htons(f->ends.source_port), htons(f->ends.destination_port)};
		memcpy(input + n, ports, sizeof(ports));
		n += sizeof(ports);
	}
	return table[plain_hash(key, input, n) % entries];
}

START_TEST(the_queue_is_that_of_a_table_written_out)
{
	static const struct {
		const char *text;
		unsigned entries, queues;
	} tables[] = {
	    {"0-3 x32", 128, 4}, {"0-2 x42+2", 128, 3}, {"0-5 x6+4", 40, 6}, {"0-7 x64", 512, 8}};
	unsigned written[512];
	uint8_t key[RS_RSS_KEY_BYTES];
	char hex[2 * RS_RSS_KEY_BYTES + 1] = "";

	set_up_queues(2, 1.0, 65000);
	for (unsigned i = 0; i < RS_RSS_KEY_BYTES; i++) {
		key[i] = dice();
		(void)snprintf(hex + 2 * i, 3, "%02x", key[i]);
	}
	for (unsigned i = 0; i < tables[_i].entries; i++)
		written[i] = i % tables[_i].queues;
	set_fact(RS_F_RSS_KEY, hex);
	set_fact(RS_F_RSS_HASH, "toeplitz");
	set_fact(RS_F_RSS_TABLE, tables[_i].text);
	for (unsigned round = 0; round < 2000; round++) {
		struct rs_heavy_flow f = {.bps = 1.0};
		const bool has_ports = round % 4 < 2;
		f.ends.is_ipv6 = round % 2;
		f.protocol = has_ports ? 6 : 50;
		for (unsigned i = 0; i < 16; i++) {
			f.ends.source[i] = dice();
			f.ends.destination[i] = dice();
		}
		f.ends.source_port = (uint16_t)(dice() << 8 | dice());
		f.ends.destination_port = (uint16_t)(dice() << 8 | dice());
		ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f),
		    (int)plain_queue(key, written, tables[_i].entries, &f, has_ports));
	}
	rs_vb_free(b);
}
END_TEST

START_TEST(the_queue_is_that_of_the_verification_suite)
{
	static const struct {
		const char *from, *to;
		uint16_t source_port, destination_port;
		int queue;
	} rows[] = {
	    {"66.9.149.187", "161.142.100.80", 2794, 1766, 0},
	    {"199.92.111.2", "65.69.140.83", 14230, 4739, 2},
	    {"24.19.198.95", "12.22.207.184", 12898, 38024, 2},
	    {"38.27.205.30", "209.142.163.6", 48228, 2217, 3},
	    {"153.39.163.191", "202.188.127.2", 44251, 1303, 2},
	};
	set_up_queues(4, 1.0, 65000);
	set_fact(RS_F_RSS_KEY, suite_key);
	set_fact(RS_F_RSS_HASH, "toeplitz");
	set_fact(RS_F_RSS_TABLE, "0-3 x32");
	for (size_t i = 0; i < RS_ARRAY_LEN(rows); i++) {
		struct rs_heavy_flow f = {.protocol = 6};
		ck_assert_int_eq(inet_pton(AF_INET, rows[i].from, f.ends.source), 1);
		ck_assert_int_eq(inet_pton(AF_INET, rows[i].to, f.ends.destination), 1);
		f.ends.source_port = rows[i].source_port;
		f.ends.destination_port = rows[i].destination_port;
		ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), rows[i].queue);
	}
	rs_vb_free(b);
}
END_TEST

START_TEST(a_queue_that_cannot_be_computed_is_not_known)
{
	set_up_queues(4, 1.0, 65000);
	struct rs_heavy_flow f = flow(1, 1e6);
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	set_fact(RS_F_RSS_KEY, suite_key);
	set_fact(RS_F_RSS_TABLE, "0-3 x32");
	set_fact(RS_F_RSS_HASH, "xor");
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	set_fact(RS_F_RSS_HASH, "toeplitz");
	const int queue = rs_flow_queue(&b->v, nic, &f);
	ck_assert_int_ge(queue, 0);
	/* UDP: only where it was read what is hashed of it. */
	f.protocol = 17;
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	set_fact(RS_F_RSS_UDP4, "sdfn");
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), queue);
	set_fact(RS_F_RSS_UDP4, "sd");
	const int by_addresses = rs_flow_queue(&b->v, nic, &f);
	f.ends.source_port ^= 0x5555;
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), by_addresses);
	/* Damaged settings. */
	f.protocol = 6;
	set_fact(RS_F_RSS_TABLE, "0-3 x0");
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	set_fact(RS_F_RSS_TABLE, "0-3 x32");
	set_fact(RS_F_RSS_KEY, "6d5a");
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	/* Behind PPPoE the NIC sees no addresses. */
	set_fact(RS_F_RSS_KEY, suite_key);
	struct rs_nic_view *const ppp = rs_vb_nic(b, "ppp0", -1);
	strcpy(ppp->info.kind, "ppp");
	f.ifindex = ppp->info.ifindex;
	ck_assert_int_eq(rs_flow_queue(&b->v, nic, &f), -1);
	rs_vb_free(b);
}
END_TEST

START_TEST(flows_are_written_as_people_read_them)
{
	char text[RS_FLOW_BYTES];
	struct rs_heavy_flow f = {.protocol = 6};

	f.ends.source[0] = 10;
	f.ends.destination[0] = 192;
	f.ends.source_port = 5201;
	rs_flow_format(&f, text);
	ck_assert_str_eq(text, "10.0.0.0:5201 -> 192.0.0.0:0 tcp");
	f.protocol = 47;
	rs_flow_format(&f, text);
	ck_assert_str_eq(text, "10.0.0.0 -> 192.0.0.0 gre");
	f.protocol = 253;
	f.ends.is_ipv6 = true;
	memset(f.ends.source, 0xfe, 16);
	memset(f.ends.destination, 0xfe, 16);
	rs_flow_format(&f, text);
	ck_assert_ptr_nonnull(strstr(text, "fefe:fefe:fefe:fefe:fefe:fefe:fefe:fefe -> fefe:"));
	ck_assert_ptr_nonnull(strstr(text, " protocol"));
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("flows");
	TCase *tc = tcase_create("flows");

	tcase_add_loop_test(
	    tc, flows_and_queues_decide_what_is_said, 0, (int)RS_ARRAY_LEN(judgements));
	tcase_add_test(tc, two_flows_are_a_collision_however_many_queues);
	tcase_add_test(tc, flows_of_unequal_weight_count_for_fewer);
	tcase_add_test(tc, flows_that_explain_too_little_are_not_known);
	tcase_add_test(tc, more_flows_than_are_told_are_many);
	tcase_add_test(tc, flows_of_other_interfaces_do_not_count);
	tcase_add_loop_test(tc, the_queue_is_that_of_a_table_written_out, 0, 4);
	tcase_add_test(tc, the_queue_is_that_of_the_verification_suite);
	tcase_add_test(tc, a_queue_that_cannot_be_computed_is_not_known);
	tcase_add_test(tc, flows_are_written_as_people_read_them);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

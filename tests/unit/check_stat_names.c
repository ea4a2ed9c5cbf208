/* SPDX-License-Identifier: ISC */
/*
 * Names of `ethtool -S` as the drivers' format strings make them, those that
 * only look like a queue's, and what a plan makes of whole sets.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "linux/drivers.h"
#include "linux/stat_names.h"
#include "rs_check.h"

enum { RX, TX };

/* One name, printed in a driver's format, and what it is. */
static const struct {
	const char *name;
	unsigned way, queue;
	enum rs_stat_kind kind;
} names[] = {
    /* igb, igc, ixgbe, ixgbevf, ice, fm10k */
    {"tx_queue_0_packets", TX, 0, RS_STAT_PACKETS},
    {"tx_queue_1_bytes", TX, 1, RS_STAT_BYTES},
    {"tx_queue_3_restart", TX, 3, RS_STAT_TXSTOP},
    {"rx_queue_0_packets", RX, 0, RS_STAT_PACKETS},
    {"rx_queue_63_bytes", RX, 63, RS_STAT_BYTES},
    {"rx_queue_7_drops", RX, 7, RS_STAT_DROPS},
    {"rx_queue_1_csum_err", RX, 1, RS_STAT_ERRORS},
    {"rx_queue_1_alloc_failed", RX, 1, RS_STAT_NOMEM},
    /* virtio_net of old */
    {"rx_queue_2_packets", RX, 2, RS_STAT_PACKETS},
    {"rx_queue_2_drops", RX, 2, RS_STAT_DROPS},
    /* mlx4, mlx5, virtio_net */
    {"rx12_packets", RX, 12, RS_STAT_PACKETS},
    {"rx12_bytes", RX, 12, RS_STAT_BYTES},
    {"rx3_dropped", RX, 3, RS_STAT_DROPS},
    {"rx3_buff_alloc_err", RX, 3, RS_STAT_NOMEM},
    {"tx4_stopped", TX, 4, RS_STAT_TXSTOP},
    {"tx4_wake", TX, 4, RS_STAT_TXWAKE},
    {"tx4_dropped", TX, 4, RS_STAT_DROPS},
    {"rx0_drops", RX, 0, RS_STAT_DROPS},
    {"rx0_hw_packets", RX, 0, RS_STAT_PACKETS},
    {"tx0_hw_bytes", TX, 0, RS_STAT_BYTES},
    {"rx0_hw_drops", RX, 0, RS_STAT_DROPS},
    /* ionic, mana, tsnep */
    {"rx_0_pkts", RX, 0, RS_STAT_PACKETS},
    {"rx_1_dropped", RX, 1, RS_STAT_DROPS},
    {"rx_1_alloc_err", RX, 1, RS_STAT_NOMEM},
    {"tx_2_packets", TX, 2, RS_STAT_PACKETS},
    {"tx_2_bytes", TX, 2, RS_STAT_BYTES},
    /* amd-xgbe, nfp, mvpp2 */
    {"txq_0_packets", TX, 0, RS_STAT_PACKETS},
    {"rxq_1_pkts", RX, 1, RS_STAT_PACKETS},
    {"rxq_3_queue_full_drops", RX, 3, RS_STAT_DROPS},
    {"rxq_3_packets_early_drops", RX, 3, RS_STAT_DROPS},
    {"rxq_3_packets_bm_drops", RX, 3, RS_STAT_DROPS},
    /* bcmgenet, bcmsysport, hns3, bna */
    {"rxq4_packets", RX, 4, RS_STAT_PACKETS},
    {"rxq4_errors", RX, 4, RS_STAT_ERRORS},
    {"rxq0_dropped", RX, 0, RS_STAT_DROPS},
    {"txq11_bytes", TX, 11, RS_STAT_BYTES},
    /* octeontx2, nicvf, be2net */
    {"rxq0: bytes", RX, 0, RS_STAT_BYTES},
    {"txq5: frames", TX, 5, RS_STAT_PACKETS},
    {"rxq8: rx_pkts", RX, 8, RS_STAT_PACKETS},
    {"rxq8: rx_drops_no_frags", RX, 8, RS_STAT_DROPS},
    {"txq7: tx_bytes", TX, 7, RS_STAT_BYTES},
    {"txq7: tx_drv_drops", TX, 7, RS_STAT_DROPS},
    /* i40e, iavf, sfc, i40e of old */
    {"tx-0.packets", TX, 0, RS_STAT_PACKETS},
    {"rx-10.bytes", RX, 10, RS_STAT_BYTES},
    {"rx-3.rx_packets", RX, 3, RS_STAT_PACKETS},
    {"tx-3.tx_bytes", TX, 3, RS_STAT_BYTES},
    /* bnxt_en, bnx2x */
    {"[0]: rx_ucast_packets", RX, 0, RS_STAT_PACKETS},
    {"[0]: rx_mcast_bytes", RX, 0, RS_STAT_BYTES},
    {"[7]: tx_bcast_packets", TX, 7, RS_STAT_PACKETS},
    {"[7]: rx_discards", RX, 7, RS_STAT_DROPS},
    {"[7]: tx_discards", TX, 7, RS_STAT_DROPS},
    {"[7]: rx_errors", RX, 7, RS_STAT_ERRORS},
    {"[7]: rx_buf_errors", RX, 7, RS_STAT_NOMEM},
    {"[2]: rx_bytes", RX, 2, RS_STAT_BYTES},
    {"[2]: rx_skb_alloc_discard", RX, 2, RS_STAT_NOMEM},
    /* ena */
    {"queue_0_tx_cnt", TX, 0, RS_STAT_PACKETS},
    {"queue_31_rx_cnt", RX, 31, RS_STAT_PACKETS},
    {"queue_31_rx_bytes", RX, 31, RS_STAT_BYTES},
    {"queue_1_tx_queue_stop", TX, 1, RS_STAT_TXSTOP},
    {"queue_1_tx_queue_wakeup", TX, 1, RS_STAT_TXWAKE},
    {"queue_1_rx_page_alloc_fail", RX, 1, RS_STAT_NOMEM},
    {"queue_1_rx_empty_rx_ring", RX, 1, RS_STAT_NOMEM},
    /* gve, octeon_ep */
    {"rx_bytes[0]", RX, 0, RS_STAT_BYTES},
    {"rx_dropped_pkt[3]", RX, 3, RS_STAT_DROPS},
    {"rx_queue_drop_cnt[3]", RX, 3, RS_STAT_DROPS},
    {"rx_no_buffers_posted[3]", RX, 3, RS_STAT_NOMEM},
    {"tx_stop[15]", TX, 15, RS_STAT_TXSTOP},
    {"tx_wake[15]", TX, 15, RS_STAT_TXWAKE},
    {"rx_packets[Q-5]", RX, 5, RS_STAT_PACKETS},
    {"tx_bytes[Q-5]", TX, 5, RS_STAT_BYTES},
    /* macb, stmmac */
    {"q0_rx_packets", RX, 0, RS_STAT_PACKETS},
    {"q1_tx_dropped", TX, 1, RS_STAT_DROPS},
    {"q3_rx_pkt_n", RX, 3, RS_STAT_PACKETS},
    {"q3_tx_pkt_n", TX, 3, RS_STAT_PACKETS},
    /* idpf */
    {"rx_q-12_pkts", RX, 12, RS_STAT_PACKETS},
    {"tx_q-0_bytes", TX, 0, RS_STAT_BYTES},
    /* atlantic */
    {"Queue[0] InPackets", RX, 0, RS_STAT_PACKETS},
    {"Queue[1] OutPackets", TX, 1, RS_STAT_PACKETS},
    {"TC0 Queue[2] InPackets", RX, 2, RS_STAT_PACKETS},
    {"TC1 Queue[10] Restarts", TX, 10, RS_STAT_TXSTOP},
    {"Queue[1] InErrors", RX, 1, RS_STAT_ERRORS},
    {"Queue[1] AllocFails", RX, 1, RS_STAT_NOMEM},
    {"Queue[1] SkbAllocFails", RX, 1, RS_STAT_NOMEM},
    /* qede */
    {"0: rcv_pkts", RX, 0, RS_STAT_PACKETS},
    {"3: rx_hw_errors", RX, 3, RS_STAT_ERRORS},
    {"3: rx_alloc_errors", RX, 3, RS_STAT_NOMEM},
    {"4_0: xmit_pkts", TX, 4, RS_STAT_PACKETS},
    {"4_1: stopped_cnt", TX, 4, RS_STAT_TXSTOP},
    /* enetc */
    {"Rx ring  0 frames", RX, 0, RS_STAT_PACKETS},
    {"Tx ring 15 frames", TX, 15, RS_STAT_PACKETS},
    {"Rx ring  1 alloc errors", RX, 1, RS_STAT_NOMEM},
    {"Rx ring 10 discarded frames", RX, 10, RS_STAT_DROPS},
};

/* They look like a queue's and are not, however many queues there are. */
static const char *const strangers[] = {
    /* mlx5 */
    "rx_prio0_packets",
    "tx_prio7_bytes",
    "rx_prio3_discards",
    "rx0_xdp_packets",
    "rx0_xdp_drop",
    "tx0_xsk_packets",
    "rx0_xsk_bytes",
    "ptp_rq0_packets",
    "ptp_tx0_packets",
    "ptp_ch_poll",
    "qos_tx0_packets",
    "ch0_poll",
    "ch12_events",
    "rx_xsk_packets",
    "tx_xsk_xmit",
    "rx1_pp_alloc",
    "rx_pp_alloc_fast",
    "rx_cache_reuse",
    "rx_64_bytes_phy",
    "rx_65_to_127_bytes_phy",
    /* ixgbe, i40e, ice */
    "tx_pb_0_pxon",
    "rx_pb_7_pxoff",
    "xdp_queue_0_packets",
    "tx_priority_0_xon",
    "rx_priority_0_xon.nic",
    "veb.tc_0_rx_packets",
    "veb.rx_bytes",
    "port.rx_priority_0_xon",
    "port.tx_size_64",
    "rx_size_64.nic",
    /* cxgb4, tg3, octeontx2, nicvf */
    "rx_bg0_frames_dropped",
    "rx_bg3_frames_trunc",
    "tx_collide_2times",
    "rx_64_or_less_octet_packets",
    "rx_65_to_127_octet_packets",
    "txq_qos0: bytes",
    "cgx_rxstat0: ",
    "bgx_rxstat0: ",
    "cgx_txstat3: packets",
    /* a DSA conduit has the switch's counters of its port */
    "p05_rx_packets",
    "p05_tx_bytes",
    "p5_rx_drops",
    /* hv_netvsc, nfp, dpaa, dpaa2, r8125 */
    "cpu0_rx_packets",
    "cpu3_vf_tx_bytes",
    "vf_rx_packets",
    "rvec_0_rx_pkts",
    "rvec_3_tx_busy",
    "rx packets [CPU 0]",
    "[hw] rx frames",
    "[mac] rx 64 bytes",
    "[drv] tx conf frames",
    /* ena, gve, virtio_net, veth, bnx2x, be2net, liquidio, hns */
    "queue_0_xdp_tx_cnt",
    "queue_0_tx_tx_poll",
    "queue_0_tx_napi_comp",
    "queue_0_rx_rx_copybreak_pkt",
    "rx_completed_desc[0]",
    "rx_posted_desc[0]",
    "rx_frag_copy_cnt[0]",
    "rx_queue_0_xdp_packets",
    "rx_queue_0_kicks",
    "tx_queue_0_xdp_xmit",
    "[0]: tpa_bytes",
    "[0]: tpa_aggregated_frames",
    "rxq0: rx_compl",
    "txq0: tx_reqs",
    "rxq0: rx_vxlan_offload_pkts",
    "innod0_rx_pkts",
    "rxf0_ucast_octets",
    "mac0_rx_pkts",
    /* no queue at all */
    "rx_packets",
    "tx_bytes",
    "packets",
    "rx_queue_packets",
    "rx__packets",
    "rx_queue__packets",
    "rx_queue_-1_packets",
    "rx_queue_0x1_packets",
    "rx_queue_ 1_packets",
    "rx_queue_1_packets ago",
    "rx-0.tx_packets",
    "rx_bytes[0",
    "rx_bytes0]",
    "[0]:rx_bytes",
    "[0] rx_bytes",
    "Queue[] InPackets",
    "queue_0_packets",
    "rx_queue_65535_packets",
    "rx_queue_99999999999_packets",
    "rx99999999999999999999999_bytes",
    "",
    ":",
    "[",
    "rx",
    "rx_",
    "rx_queue_",
    "q",
    "#",
};

static void
set_name(struct rs_stat_set *s, uint32_t i, const char *name)
{
	const size_t len = strlen(name);
	ck_assert_uint_le(len, RS_STAT_NAME_BYTES);
	memset(s->names + (size_t)i * RS_STAT_NAME_BYTES, 0, RS_STAT_NAME_BYTES);
	memcpy(s->names + (size_t)i * RS_STAT_NAME_BYTES, name, len);
}

static bool
read_one(const char *name, struct rs_stat_use *ret)
{
	struct rs_stat_set s = {0};
	struct rs_stat_place place = {0};
	ck_assert_int_eq(rs_stat_set_size(&s, 1), 0);
	set_name(&s, 0, name);
	const bool is_use = rs_stat_read(&s, 0, &place, ret);
	rs_stat_set_free(&s);
	return is_use;
}

START_TEST(a_name_tells_queue_direction_and_kind)
{
	struct rs_stat_use u;
	ck_assert_msg(read_one(names[_i].name, &u), "'%s' is not known", names[_i].name);
	ck_assert_msg(u.queue == names[_i].queue && u.is_tx == (names[_i].way == TX) &&
			  u.kind == names[_i].kind,
	    "'%s': queue %u, %s, kind %u", names[_i].name, u.queue, u.is_tx ? "tx" : "rx", u.kind);
}
END_TEST

START_TEST(padding_does_not_matter)
{
	char padded[RS_STAT_NAME_BYTES + 1];
	struct rs_stat_use u;
	if (strlen(names[_i].name) + 2 > RS_STAT_NAME_BYTES)
		return;
	/* To the last byte, without a NUL. */
	(void)snprintf(
	    padded, sizeof(padded), "  %-*s", (int)RS_STAT_NAME_BYTES - 2, names[_i].name);
	ck_assert_uint_eq(strlen(padded), RS_STAT_NAME_BYTES);
	ck_assert(read_one(padded, &u));
	ck_assert_uint_eq(u.queue, names[_i].queue);
}
END_TEST

START_TEST(what_only_looks_like_a_queue_is_none)
{
	struct rs_stat_use u;
	ck_assert_msg(!read_one(strangers[_i], &u), "'%s' is queue %u, kind %u", strangers[_i],
	    u.queue, u.kind);
}
END_TEST

/* A plan of a text, as a reading fills it. */
static struct rs_stat_set set;
static struct rs_stat_plan plan;

static void
teardown(void)
{
	rs_stat_set_free(&set);
	rs_stat_plan_free(&plan);
}

static void
make(const char *text, const char *driver, int32_t rx_queues, int32_t tx_queues)
{
	ck_assert_int_eq(rs_stat_set_parse(&set, rs_text_of(text)), 0);
	ck_assert_int_eq(
	    rs_stat_plan_make(&plan, &set, rs_driver_find(driver), rx_queues, tx_queues), 0);
}

/* "rx0 packets 5, tx3 drops 1": all that the plan gives. */
static const char *
told(void)
{
	static const char *const kinds[] = {
	    "packets", "bytes", "drops", "errors", "nomem", "txstop", "txwake"};
	static char text[4096];
	struct rs_stat_use u;
	uint64_t sum;
	uint32_t at = 0;
	size_t n = 0;
	*text = '\0';
	while (rs_stat_next(&plan, set.values, set.n_values, &at, &u, &sum)) {
		const size_t left = sizeof(text) - n;
		const int len = snprintf(text + n, left, "%s%s%u %s %llu", n ? ", " : "",
		    u.is_tx ? "tx" : "rx", u.queue, kinds[u.kind], (unsigned long long)sum);
		ck_assert(len > 0 && (size_t)len < left);
		n += (size_t)len;
	}
	return text;
}

START_TEST(queues_the_interface_lacks_are_left_out)
{
	static const char text[] = "NIC statistics:\n"
				   "     rx-0.packets: 10\n     rx-1.packets: 11\n"
				   "     rx-2.packets: 0\n     rx-63.packets: 0\n"
				   "     tx-0.packets: 20\n     tx-1.packets: 21\n";
	make(text, "i40e", 2, 1);
	ck_assert_str_eq(told(), "rx0 packets 10, rx1 packets 11, tx0 packets 20");
	make(text, "i40e", 0, 0);
	ck_assert_str_eq(told(), "");
}
END_TEST

START_TEST(sizes_are_no_queues)
{
	static const char text[] = "rx_64_octets: 5\ntx_64_octets: 6\nrx_64_bytes: 7\n"
				   "rx_128_octets: 8\n";
	make(text, "", 16, 16);
	ck_assert_str_eq(told(), "");
	make(text, "", -1, -1);
	ck_assert_str_eq(told(), "");
}
END_TEST

START_TEST(without_a_count_a_high_queue_needs_the_one_before)
{
	static char text[1024];
	size_t n = 0;
	for (unsigned i = 0; i < 18; i++)
		n += (size_t)snprintf(text + n, sizeof(text) - n, "rx_queue_%u_packets: 1\n", i);
	(void)snprintf(text + n, sizeof(text) - n, "rx_queue_19_packets: 1\n");
	make(text, "", -1, -1);
	ck_assert_ptr_nonnull(strstr(told(), "rx17 packets 1"));
	ck_assert_ptr_null(strstr(told(), "rx19"));
	make("rx_queue_3_packets: 4\n", "", -1, -1);
	ck_assert_str_eq(told(), "rx3 packets 4");
}
END_TEST

START_TEST(parts_are_summed)
{
	make("[0]: rx_ucast_packets: 1\n[0]: rx_mcast_packets: 20\n[0]: rx_bcast_packets: 300\n"
	     "[0]: rx_ucast_bytes: 1000\n[0]: rx_mcast_bytes: 20000\n[1]: rx_ucast_packets: 7\n",
	    "bnxt_en", 2, 2);
	ck_assert_str_eq(told(), "rx0 packets 321, rx0 bytes 21000, rx1 packets 7");
	make("4_0: xmit_pkts: 3\n4_1: xmit_pkts: 4\n", "qede", 8, 8);
	ck_assert_str_eq(told(), "tx4 packets 7");
	make("rxq_1_queue_full_drops: 1\nrxq_1_packets_early_drops: 2\nrxq_1_packets_bm_drops: 4\n",
	    "mvpp2", 4, 4);
	ck_assert_str_eq(told(), "rx1 drops 7");
}
END_TEST

START_TEST(parts_do_not_count_beside_the_whole)
{
	make("[0]: rx_ucast_packets: 1\n[0]: rx_packets: 9\n[0]: rx_mcast_packets: 8\n", "", 1, 1);
	ck_assert_str_eq(told(), "rx0 packets 9");
}
END_TEST

START_TEST(the_device_s_own_count_is_taken_when_no_other_is_there)
{
	make("rx0_hw_packets: 5\nrx0_packets: 4\nrx0_hw_bytes: 500\nrx1_hw_packets: 6\n"
	     "rx0_drops: 1\nrx0_hw_drops: 3\n",
	    "virtio_net", 2, 2);
	ck_assert_str_eq(told(), "rx0 packets 4, rx0 bytes 500, rx0 drops 1, rx1 packets 6");
}
END_TEST

START_TEST(stops_and_restarts_are_one_thing)
{
	make("tx0_stopped: 5\nTC0 Queue[0] Restarts: 4\n", "", 1, 1);
	ck_assert_str_eq(told(), "tx0 txstop 5");
	make("tx_queue_0_restart: 4\n", "igb", 1, 1);
	ck_assert_str_eq(told(), "tx0 txstop 4");
}
END_TEST

static const char vmxnet3[] =
    "     Tx Queue#: 0\n"
    "       ucast pkts tx: 1\n       ucast bytes tx: 100\n"
    "       mcast pkts tx: 2\n       pkts tx discard: 3\n"
    "       ring full: 4\n          giant hdr: 90\n       giant hdr: 91\n"
    "     Tx Queue#: 1\n       ucast pkts tx: 10\n"
    "     Rx Queue#: 1\n       ucast pkts rx: 20\n       LRO pkts rx: 99\n"
    "       bcast pkts rx: 5\n       pkts rx OOB: 6\n"
    "       drv dropped rx total: 1\n       rx buf alloc fail: 2\n"
    "     Rx Queue#: 0\n       ucast pkts rx: 30\n       pkts rx OOB: 7\n"
    "     tx timeout count: 8\n";

START_TEST(rows_belong_to_the_queue_before_them)
{
	uint64_t lost;
	make(vmxnet3, "vmxnet3", 2, 2);
	ck_assert_str_eq(told(),
	    "rx0 packets 30, rx0 drops 7, rx1 packets 25, rx1 drops 7, rx1 nomem 2, "
	    "tx0 packets 3, tx0 bytes 100, tx0 drops 3, tx0 txstop 4, tx1 packets 10");
	ck_assert(rs_stat_ring(&plan, set.values, set.n_values, &lost));
	ck_assert_uint_eq(lost, 13);
}
END_TEST

START_TEST(rows_without_a_value_belong_to_nobody)
{
	ck_assert_int_eq(rs_stat_set_parse(&set, rs_text_of(vmxnet3)), 0);
	set.n_values = 10;
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, NULL, 2, 2), 0);
	for (uint32_t i = 0; i < plan.n_uses; i++)
		ck_assert(plan.uses[i].is_tx);
	set.n_values = 0;
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, NULL, 2, 2), 0);
	ck_assert_uint_eq(plan.n_uses, 0);
	make("Rx Queue#: 65536\nucast pkts rx: 1\nRx Queue#: 18446744073709551615\n"
	     "ucast pkts rx: 2\nTx Queue#: 0\nucast pkts rx: 3\n",
	    "vmxnet3", -1, -1);
	ck_assert_str_eq(told(), "");
}
END_TEST

START_TEST(lines_that_are_there_twice_count_once)
{
	make("rx_queue_0_packets: 4\nrx_queue_1_packets: 5\nrx_queue_0_packets: 4\n", "", -1, -1);
	ck_assert_str_eq(told(), "rx0 packets 4, rx1 packets 5");
}
END_TEST

static const struct {
	const char *driver, *text;
	uint64_t lost; /* UINT64_MAX: not told */
} rings[] = {
    {"igb",
	"rx_missed_errors: 5\nrx_fifo_errors: 11\nrx_queue_0_drops: 2\nrx_queue_1_drops: 4\n"
	"rx_no_buffer_count: 100\n",
	11},
    {"ixgbe", "rx_missed_errors: 5\nrx_no_dma_resources: 7\nrx_no_buffer_count: 9\n", 7},
    {"ice", "rx_dropped: 3\nrx_dropped.nic: 4\ntx_dropped_link_down.nic: 50\n", 7},
    {"cxgb4",
	"rx_bg0_frames_dropped  : 1\nrx_bg3_frames_dropped  : 2\nrx_bg1_frames_trunc    : 4\n"
	"rx_bgx_frames_dropped: 9\n",
	7},
    {"mvpp2",
	"rx_fifo_or_parser_overrun_drops: 1\nrxq_0_queue_full_drops: 2\nrxq_11_packets_bm_drops: "
	"4\n"
	"txq_0_queue_full_drops: 64\nrx_fifo_overrun: 100\n",
	7},
    {"mvneta", "rx_discard: 3\nrx_overrun: 4\n", 7},
    {"fsl_dpaa2_eth", "[hw] rx nobuffer discards: 7\n[hw] rx discarded frames: 1\n", 7},
    {"fsl_enetc",
	"Rx ring  0 discarded frames: 3\nRx ring 10 discarded frames: 4\n"
	"Rx ring  0 frames: 100\n",
	7},
    {"be2net", "rxq0: rx_drops_no_frags: 3\nrxq8: rx_drops_no_frags: 4\nrxq0: rx_pkts: 9\n", 7},
    {"virtio_net", "rx0_packets: 3\n", UINT64_MAX},
    {"virtio_net", "rx0_hw_drops: 3\nrx1_hw_drops: 4\nrx0_hw_drop_overruns: 2\n", 7},
    {"hv_netvsc", "rx_no_memory: 3\n", UINT64_MAX},
    {"", "rx_missed_errors: 3\n", UINT64_MAX},
};

START_TEST(what_the_ring_lost_is_the_sum_of_its_counters)
{
	uint64_t lost = 0;
	make(rings[_i].text, rings[_i].driver, 16, 16);
	const bool is_told = rs_stat_ring(&plan, set.values, set.n_values, &lost);
	ck_assert_int_eq(is_told, rings[_i].lost != UINT64_MAX);
	if (is_told)
		ck_assert_uint_eq(lost, rings[_i].lost);
}
END_TEST

static const struct {
	const char *driver, *text;
	uint64_t rx_pause, tx_pause, stops; /* UINT64_MAX: not told */
} asides[] = {
    {"igb",
	"rx_flow_control_xon: 90\nrx_flow_control_xoff: 5\ntx_flow_control_xon: 91\n"
	"tx_flow_control_xoff: 6\ntx_queue_0_restart: 3\ntx_queue_1_restart: 4\n"
	"tx_queue_2_restart: 50\n", /* there are two */
	5, 6, 7},
    {"e1000e", "tx_restart_queue: 8\nrx_flow_control_xoff: 0\n", 0, UINT64_MAX, 8},
    {"i40e",
	"port.link_xoff_rx: 1\nport.link_xoff_tx: 2\nport.rx_priority_0_xoff: 90\n"
	"tx_restart: 9\ntx_stopped: 4\n",
	1, 2, 4},
    {"ice", "link_xoff_rx.nic: 1\nlink_xoff_tx.nic: 2\ntx_restart: 9\n", 1, 2, 9},
    {"mlx5_core",
	"rx_pause_ctrl_phy: 1\ntx_pause_ctrl_phy: 2\nrx_prio0_pause: 90\nrx_global_pause: 91\n"
	"tx_queue_stopped: 99\ntx0_stopped: 3\ntx1_stopped: 4\n",
	1, 2, 7},
    {"bnxt_en", "rx_pause_frames: 1\ntx_pause_frames: 2\nrx_pfc_frames: 90\n", 1, 2, UINT64_MAX},
    {"cxgb4", "tx_pause_frames        : 2\nrx_pause_frames        : 1\n", 1, 2, UINT64_MAX},
    {"tg3", "rx_xoff_pause_rcvd: 1\nrx_xon_pause_rcvd: 9\ntx_xoff_sent: 2\n", 1, 2, UINT64_MAX},
    {"be2net", "rx_pause_frames: 1\ntx_pauseframes: 2\ntxq0: tx_stops: 3\n", 1, 2, UINT64_MAX},
    {"ena", "queue_0_tx_queue_stop: 3\nqueue_1_tx_queue_stop: 4\n", UINT64_MAX, UINT64_MAX, 7},
    {"virtio_net", "rx0_packets: 3\n", UINT64_MAX, UINT64_MAX, UINT64_MAX},
};

static void
assert_total(enum rs_stat_sum what, uint64_t want)
{
	uint64_t got = 0;
	const bool is_told = rs_stat_total(&plan, what, set.values, set.n_values, &got);
	ck_assert_int_eq(is_told, want != UINT64_MAX);
	if (is_told)
		ck_assert_uint_eq(got, want);
}

START_TEST(pause_frames_and_stops_are_found_by_name)
{
	make(asides[_i].text, asides[_i].driver, 2, 2);
	assert_total(RS_STAT_RX_PAUSE, asides[_i].rx_pause);
	assert_total(RS_STAT_TX_PAUSE, asides[_i].tx_pause);
	assert_total(RS_STAT_STOPS, asides[_i].stops);
}
END_TEST

START_TEST(what_the_cloud_does_not_allow_is_one_sum)
{
	uint64_t sum;
	make("tx_timeout: 1\nbw_in_allowance_exceeded: 10\nbw_out_allowance_exceeded: 200\n"
	     "pps_allowance_exceeded: 3000\nconntrack_allowance_exceeded: 40000\n"
	     "linklocal_allowance_exceeded: 500000\nconntrack_allowance_available: 136812\n"
	     "queue_0_tx_cnt: 7\n",
	    "ena", 1, 1);
	assert_total(RS_STAT_ALLOWANCE, 43210);
	ck_assert(!rs_stat_total(&plan, RS_STAT_ALLOWANCE, set.values, 4, &sum));
	make("queue_0_tx_cnt: 7\n", "ena", 1, 1);
	assert_total(RS_STAT_ALLOWANCE, UINT64_MAX);
}
END_TEST

START_TEST(a_reading_with_fewer_values_tells_nothing)
{
	struct rs_stat_use u;
	uint64_t sum;
	uint32_t at = 0;
	make("rx_missed_errors: 1\nrx_queue_0_packets: 2\nother: 3\n", "igb", 1, 1);
	ck_assert_uint_eq(plan.n_values, 2);
	ck_assert(!rs_stat_next(&plan, set.values, 1, &at, &u, &sum));
	ck_assert(!rs_stat_ring(&plan, set.values, 1, &sum));
	ck_assert(rs_stat_next(&plan, set.values, 2, &at, &u, &sum));
	ck_assert_uint_eq(sum, 2);
	ck_assert(rs_stat_ring(&plan, set.values, 2, &sum));
}
END_TEST

START_TEST(a_plan_of_nothing_is_empty)
{
	ck_assert_int_eq(rs_stat_set_size(&set, 0), 0);
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, NULL, -1, -1), 0);
	ck_assert_str_eq(told(), "");
	ck_assert_uint_eq(plan.n_values, 0);
}
END_TEST

START_TEST(a_plan_made_again_forgets_the_last)
{
	make("rx_missed_errors: 1\nrx_queue_0_packets: 2\nrx_queue_1_packets: 3\n", "igb", 2, 2);
	make("rx_queue_0_packets: 2\n", "igb", 2, 2);
	uint64_t lost;
	ck_assert_str_eq(told(), "rx0 packets 2");
	ck_assert(!rs_stat_ring(&plan, set.values, set.n_values, &lost));
}
END_TEST

START_TEST(thousands_of_names_are_read)
{
	const uint32_t n = 5000;
	char name[RS_STAT_NAME_BYTES + 1];
	ck_assert_int_eq(rs_stat_set_size(&set, n), 0);
	for (uint32_t i = 0; i < n; i++) {
		(void)snprintf(
		    name, sizeof(name), "rx%u_%s", (n - 1 - i) / 2, i % 2 ? "packets" : "bytes");
		set_name(&set, i, name);
		set.values[i] = i;
	}
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, NULL, 2500, 0), 0);
	ck_assert_uint_eq(plan.n_uses, n);
	struct rs_stat_use u;
	uint64_t sum;
	uint32_t at = 0;
	for (uint32_t i = 0; i < n; i++) {
		ck_assert(rs_stat_next(&plan, set.values, n, &at, &u, &sum));
		ck_assert_uint_eq(u.queue, i / 2);
		ck_assert_uint_eq(u.kind, i % 2 ? RS_STAT_BYTES : RS_STAT_PACKETS);
	}
	ck_assert_int_eq(rs_stat_set_size(&set, RS_STATS_MAX + 1), -E2BIG);
	ck_assert_uint_eq(set.n, 0);
}
END_TEST

START_TEST(garbage_is_no_counter)
{
	const uint32_t n = 512;
	unsigned state = 1;
	ck_assert_int_eq(rs_stat_set_size(&set, n), 0);
	for (size_t i = 0; i < (size_t)n * RS_STAT_NAME_BYTES; i++) {
		state = state * 1103515245u + 12345u;
		set.names[i] = (char)(state >> 16);
	}
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, rs_driver_find("cxgb4"), -1, -1), 0);
	ck_assert_uint_eq(plan.n_uses, 0);
	memset(set.names, '[', (size_t)n * RS_STAT_NAME_BYTES);
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, rs_driver_find("mvpp2"), -1, -1), 0);
	ck_assert_uint_eq(plan.n_uses, 0);
	memset(set.names, '9', (size_t)n * RS_STAT_NAME_BYTES);
	ck_assert_int_eq(rs_stat_plan_make(&plan, &set, rs_driver_find("gve"), -1, -1), 0);
	ck_assert_uint_eq(plan.n_uses, 0);
}
END_TEST

static const struct {
	const char *text;
	int error;
	uint32_t n, skipped;
} texts[] = {
    {"", -ENODATA, 0, 0},
    {"NIC statistics:\n", -ENODATA, 0, 0},
    {"no stats available\n", -ENODATA, 0, 1},
    {"NIC statistics:\r\n     a: 1\r\n\r\n     b: 2\r\n", 0, 2, 0},
    {"a: 1\nb: 2", 0, 2, 0},
    {"a: 1\nb: 2\nrx_queue_0_pack", 0, 2, 1},
    {"a: 1\nb:", 0, 1, 1},
    {"a: 18446744073709551615\nb: 18446744073709551616\nc: 99999999999999999999\n", 0, 1, 2},
    {"a: -1\nb: 1.5\nc: 0x1\nd: 1 2\ne:\t3\n", 0, 1, 4},
    {"rxq0: rx_pkts: 5\n[0]: rx_bytes: 6\nTx Queue#: 0\n", 0, 3, 0},
    {": 5\n:\n::\n", -ENODATA, 0, 3},
    {"12345678901234567890123456789012: 1\n123456789012345678901234567890123: 2\n", 0, 1, 1},
};

START_TEST(a_text_gives_its_counters_and_says_what_it_skipped)
{
	ck_assert_int_eq(rs_stat_set_parse(&set, rs_text_of(texts[_i].text)), texts[_i].error);
	ck_assert_uint_eq(set.n, texts[_i].n);
	ck_assert_uint_eq(set.n_values, texts[_i].n);
	ck_assert_uint_eq(set.skipped, texts[_i].skipped);
}
END_TEST

START_TEST(a_text_cut_anywhere_does_no_harm)
{
	for (size_t len = 0; len < sizeof(vmxnet3); len++) {
		char *const copy = malloc(len + 1);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, vmxnet3, len);
		const int error = rs_stat_set_parse(&set, (struct rs_text){copy, copy + len});
		ck_assert(error == 0 || error == -ENODATA);
		ck_assert_int_eq(rs_stat_plan_make(&plan, &set, NULL, 2, 2), 0);
		ck_assert_uint_le(plan.n_values, set.n);
		free(copy);
	}
}
END_TEST

int
main(void)
{
	Suite *const s = suite_create("stat_names");
	TCase *const one = tcase_create("names");
	tcase_add_loop_test(
	    one, a_name_tells_queue_direction_and_kind, 0, (int)RS_ARRAY_LEN(names));
	tcase_add_loop_test(one, padding_does_not_matter, 0, (int)RS_ARRAY_LEN(names));
	tcase_add_loop_test(
	    one, what_only_looks_like_a_queue_is_none, 0, (int)RS_ARRAY_LEN(strangers));
	suite_add_tcase(s, one);
	TCase *const all = tcase_create("plans");
	tcase_add_checked_fixture(all, NULL, teardown);
	tcase_add_test(all, queues_the_interface_lacks_are_left_out);
	tcase_add_test(all, sizes_are_no_queues);
	tcase_add_test(all, without_a_count_a_high_queue_needs_the_one_before);
	tcase_add_test(all, parts_are_summed);
	tcase_add_test(all, parts_do_not_count_beside_the_whole);
	tcase_add_test(all, the_device_s_own_count_is_taken_when_no_other_is_there);
	tcase_add_test(all, stops_and_restarts_are_one_thing);
	tcase_add_test(all, rows_belong_to_the_queue_before_them);
	tcase_add_test(all, rows_without_a_value_belong_to_nobody);
	tcase_add_test(all, lines_that_are_there_twice_count_once);
	tcase_add_loop_test(
	    all, what_the_ring_lost_is_the_sum_of_its_counters, 0, (int)RS_ARRAY_LEN(rings));
	tcase_add_loop_test(
	    all, pause_frames_and_stops_are_found_by_name, 0, (int)RS_ARRAY_LEN(asides));
	tcase_add_test(all, a_reading_with_fewer_values_tells_nothing);
	tcase_add_test(all, what_the_cloud_does_not_allow_is_one_sum);
	tcase_add_test(all, a_plan_of_nothing_is_empty);
	tcase_add_test(all, a_plan_made_again_forgets_the_last);
	tcase_add_test(all, thousands_of_names_are_read);
	tcase_add_test(all, garbage_is_no_counter);
	tcase_add_loop_test(
	    all, a_text_gives_its_counters_and_says_what_it_skipped, 0, (int)RS_ARRAY_LEN(texts));
	tcase_add_test(all, a_text_cut_anywhere_does_no_harm);
	suite_add_tcase(s, all);
	return rs_check_run(s);
}

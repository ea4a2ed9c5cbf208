/* SPDX-License-Identifier: ISC */
/*
 * What drivers' counters mean: for each driver, the fields as its code fills
 * them for a known number of packets lost on the wire, in the ring and in
 * software, and what the view makes of them.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "linux/drivers.h"
#include "linux/nic_attributes.h"
#include "model.h"
#include "rs_check.h"

#define ROUTER RS_TEST_DIR "/fixtures/router-4cpu-igb/t0"

enum { RING = 9, SOFTWARE = 2, WIRE = 3, NONE = -1 };

/* A second of losses: WIRE damaged packets, RING lost in device and ring,
 * SOFTWARE given up above. Fields that are not given are 0; driver NONE: its
 * counters are not there. */
static const struct {
	const char *name;
	int missed, fifo, over, dropped, errors, driver;
	int wire, ring, unattributed; /* NONE: not known */
} losses[] = {
    /* Descriptors: 4, packet buffer: 5. */
    {"igb", 5, 9, 0, 2, 3, NONE, 3, 9, 2},
    {"igc", 5, 9, 0, 2, 3, 9, 3, 9, 2},
    {"e1000e", 9, 0, 0, 2, 3, 9, 3, 9, 2},
    {"ixgbe", 5, 0, 0, 2, 3, 4, 3, 9, 2},
    {"ixgbevf", 0, 0, 0, 2, 3, NONE, 3, NONE, 2},
    {"i40e", 5, 0, 0, 2, 3, 4, 3, 9, 2},
    {"iavf", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"ice", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"idpf", 0, 0, 0, 9, 3, NONE, 3, 9, 0},
    {"r8169", 9, 0, 0, 2, 3, 9, 3, 9, 2},
    {"r8152", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"asix", 0, 0, 9, 2, 3, NONE, 3, 9, 2},
    {"atlantic", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"alx", 0, 5, 0, 6, 12, 4, 3, 9, 2},
    {"jme", 0, 9, 0, 2, 3, NONE, 3, 9, 2},
    {"sky2", 0, 7, 9, 2, 3, 9, 3, 9, 2},
    {"tg3", 9, 0, 0, 2, 3, 9, 3, 9, 2},
    {"bnx2x", 0, 5, 4, 2, 12, NONE, 3, 9, 2},
    {"bnx2", 9, 0, 9, 2, 12, NONE, 3, 9, 2},
    {"bnxt_en", 9, 0, 0, 2, 3, NONE, 3, 9, 2},
    {"bcmgenet", 12, 0, 0, 2, 12, 9, 3, 9, 2},
    {"bgmac", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"qede", 0, 5, 0, 2, 3, 4, 3, 9, 2},
    {"cxgb4", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"nfp", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"sfc", 0, 5, 0, 6, 3, 4, 3, 9, 2},
    {"be2net", 0, 5, 0, 6, 3, 4, 3, 9, 2},
    {"enic", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    {"ionic", 3, 0, 9, 2, 12, NONE, 3, 9, 2},
    {"mlx4_core", 0, 9, 0, 2, 3, 9, 3, 9, 2},
    {"mlx5_core", 5, 0, 0, 6, 3, 4, 3, 9, 2},
    {"ena", 0, 0, 0, 9, 3, NONE, 3, 9, 0},
    {"gve", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"virtio_net", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"vmxnet3", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"mana", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"hv_netvsc", 0, 0, 0, 2, 3, NONE, 3, NONE, 2},
    {"mvneta", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"mvpp2", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"mtk_soc_eth", 0, 0, 9, 2, 3, 9, 3, 9, 2},
    {"st_gmac", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"rk_gmac-dwmac", 4, 0, 5, 2, 3, NONE, 3, 9, 2},
    {"macb", 0, 5, 4, 2, 12, NONE, 3, 9, 2},
    {"fec", 0, 9, 0, 2, 12, 9, 3, 9, 2},
    {"fsl_enetc", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"fsl_dpaa2_eth", 0, 0, 0, 2, 3, 9, 3, 9, 2},
    {"rvu_nicpf", 0, 0, 0, 9, 3, NONE, 3, 9, 0},
    {"nicvf", 0, 0, 0, 11, 3, 9, 3, 9, 2},
    /* The counters of the driver cannot be read: what is left is said. */
    {"iavf", 0, 0, 0, 11, 3, NONE, 3, NONE, 11},
    {"mlx5_core", 5, 0, 0, 6, 3, NONE, 3, 5, 6},
    {"virtio_net", 0, 0, 0, 2, 3, NONE, 3, NONE, 2},
    /* As /proc/net/dev has it: what was missed is in rx_dropped. */
    {"igb", NONE, 9, NONE, 7, 3, NONE, 3, 9, 0},
    {"e1000e", NONE, 0, NONE, 11, 3, NONE, 3, NONE, 11},
    /* A driver nobody has read: the kernel's meaning of the fields. */
    {"made_up", 9, 1, 0, 1, 3, NONE, 3, 9, 2},
};

static void
put_losses(struct rs_frame *f, unsigned times, int i)
{
	const struct {
		enum rs_metric_id metric;
		int value;
	} fields[] = {
	    {RS_M_NIC_RX_PACKETS, 1000},
	    {RS_M_NIC_RX_MISSED, losses[i].missed},
	    {RS_M_NIC_RX_FIFO, losses[i].fifo},
	    {RS_M_NIC_RX_OVER, losses[i].over},
	    {RS_M_NIC_RX_DROPPED, losses[i].dropped},
	    {RS_M_NIC_RX_ERRORS, losses[i].errors},
	    {RS_M_NIC_RX_RING, losses[i].driver},
	};
	for (size_t k = 0; k < RS_ARRAY_LEN(fields); k++) {
		if (fields[k].value != NONE)
			rs_put(f, fields[k].metric, 2, times * (uint64_t)fields[k].value);
	}
}

static void
run_a_second(struct rs_model *m, struct rs_frame *f, unsigned times, int i)
{
	const rs_ns now = (600 + (rs_ns)times) * RS_NS_PER_S;
	const struct rs_model_time t = {.mono_ns = now,
	    .due_ns = now,
	    .boot_ns = now,
	    .wall_ms = 1800000000000 + now / RS_NS_PER_MS,
	    .is_clock_ok = true};
	rs_model_begin(m, &t);
	rs_frame_reset(f, now);
	struct rs_nic_info *const nic = rs_frame_nic(f);
	ck_assert_ptr_nonnull(nic);
	nic->ifindex = 2;
	(void)snprintf(nic->name, sizeof(nic->name), "eth0");
	(void)snprintf(nic->driver, sizeof(nic->driver), "%s", losses[i].name);
	const struct rs_driver *const d = rs_driver_of(nic);
	nic->loss_ring = d ? d->loss_ring : 0;
	nic->loss_ring_in = d ? d->loss_ring_in : 0;
	f->has_nics = true;
	put_losses(f, times, i);
	rs_model_apply(m, f);
	rs_model_build_view(m);
	(void)rs_model_end(m);
}

static void
assert_rate(const char *name, const char *stage, double got, int want)
{
	if (want == NONE)
		ck_assert_msg(isnan(got), "%s: %s is %f", name, stage, got);
	else
		ck_assert_msg(
		    fabs(got - want) < 1e-6, "%s: %s is %f, not %d", name, stage, got, want);
}

START_TEST(each_lost_packet_is_in_one_stage)
{
	const struct rs_model_conf c = {
	    .interval_ns = RS_NS_PER_S, .max_series = 100, .n_blocks = 3};
	struct rs_model *m;
	struct rs_frame *f;
	ck_assert_int_eq(rs_model_new(&c, &m), 0);
	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	for (unsigned times = 1; times <= 3; times++)
		run_a_second(m, f, times, _i);
	const struct rs_nic_view *const v = rs_view_nic(rs_model_view(m), 2);
	ck_assert_ptr_nonnull(v);
	assert_rate(losses[_i].name, "wire", v->lost_wire_pps, losses[_i].wire);
	assert_rate(losses[_i].name, "ring", v->lost_ring_pps, losses[_i].ring);
	assert_rate(losses[_i].name, "rest", v->lost_unattributed_pps, losses[_i].unattributed);
	rs_frame_free(f);
	rs_model_free(m);
}
END_TEST

START_TEST(the_cases_lose_what_they_say)
{
	for (size_t i = 0; i < RS_ARRAY_LEN(losses); i++) {
		if (losses[i].ring == RING && losses[i].unattributed == SOFTWARE)
			ck_assert_int_eq(losses[i].wire, WIRE);
		if (strcmp(losses[i].name, "made_up") != 0)
			ck_assert_msg(rs_driver_find(losses[i].name) != NULL, "%s", losses[i].name);
	}
}
END_TEST

START_TEST(drivers_are_found_by_each_of_their_names)
{
	static const char *const pairs[][2] = {{"igb", "igc"}, {"mlx4_en", "mlx4_core"},
	    {"gve", "gvnic"}, {"st_gmac", "dwmac-sun8i"}, {"st_gmac", "stm32-dwmac"},
	    {"asix", "cdc_ncm"}, {"asix", "smsc95xx"}, {"rvu_nicpf", "rvu-nicvf"}};
	for (size_t i = 0; i < RS_ARRAY_LEN(pairs); i++) {
		ck_assert_ptr_nonnull(rs_driver_find(pairs[i][0]));
		ck_assert_ptr_eq(rs_driver_find(pairs[i][0]), rs_driver_find(pairs[i][1]));
	}
	static const char *const unknown[] = {
	    "", "ig", "igbx", "igb,igc", ",", "#", "IGB", "8139too"};
	for (size_t i = 0; i < RS_ARRAY_LEN(unknown); i++)
		ck_assert_msg(!rs_driver_find(unknown[i]), "'%s'", unknown[i]);
}
END_TEST

START_TEST(counters_are_not_asked_for_more_often_than_they_move)
{
	ck_assert_uint_eq(rs_driver_find("ixgbe")->refresh_s, 2);
	ck_assert_uint_eq(rs_driver_find("i40e")->refresh_s, 1);
	ck_assert_uint_eq(rs_driver_find("ice")->refresh_s, 1);
	ck_assert_uint_eq(rs_driver_find("bnxt_en")->refresh_s, 1);
	ck_assert_uint_eq(rs_driver_find("igb")->refresh_s, 0);
	ck_assert_uint_eq(rs_driver_find("r8152")->pace_s, 10);
	ck_assert_uint_eq(rs_driver_find("ax88179_178a")->pace_s, 10);
	ck_assert_uint_eq(rs_driver_find("igb")->pace_s, 0);
}
END_TEST

START_TEST(any_device_on_a_usb_is_slow)
{
	struct rs_nic_info nic = {.driver = "made_up", .device = "2-1.4:1.0"};
	const struct rs_driver *const d = rs_driver_of(&nic);
	ck_assert_ptr_nonnull(d);
	ck_assert_uint_eq(d->pace_s, 10);
	ck_assert_uint_eq(d->loss_ring, 0);
	(void)snprintf(nic.device, sizeof(nic.device), "0000:01:00.0");
	ck_assert_ptr_null(rs_driver_of(&nic));
	(void)snprintf(nic.driver, sizeof(nic.driver), "igb");
	ck_assert_ptr_eq(rs_driver_of(&nic), rs_driver_find("igb"));
}
END_TEST

START_TEST(an_interface_is_described_with_its_driver)
{
	struct rs_root *root;
	struct rs_nic_info nic;
	ck_assert_int_eq(rs_root_open(ROUTER, &root), 0);
	ck_assert_int_eq(rs_nic_read(root, "eth0", &nic), 0);
	ck_assert_uint_eq(nic.loss_ring, RS_LOSS_FIFO);
	ck_assert_uint_eq(nic.loss_ring_in, RS_LOSS_MISSED);
	ck_assert_int_eq(rs_nic_read(root, "usb0", &nic), 0);
	ck_assert_uint_eq(nic.loss_ring, RS_LOSS_DRIVER);
	ck_assert_int_eq(rs_nic_read(root, "wlan0", &nic), 0);
	ck_assert_uint_eq(nic.loss_ring, 0);
	ck_assert_int_eq(rs_nic_read(root, "br0", &nic), 0);
	ck_assert_uint_eq(nic.loss_ring, 0);
	rs_root_close(root);
}
END_TEST

static const struct {
	const char *list, *name;
	bool is_in;
} lists[] = {
    {"a", "a", true},
    {"a,b", "b", true},
    {"a,b", "a,b", false},
    {"a,b", "", false},
    {"", "", false},
    {NULL, "a", false},
    {"rx#_drops", "rx12_drops", true},
    {"rx#_drops", "rx_drops", false},
    {"rx#_drops", "rx1_drops2", false},
    {"rx#_drops", "rx1", false},
    {"#", "99999999999999999999999", true},
    {"[#]: a", "[7]: a", true},
    {"[#]: a", "[7]:a", false},
    {"[#]: a", "[7]:  a", true},
    {"x # y", "x  7   y", true},
    {"x # y", "x7y", false},
    {"a,bc", "b", false},
    {"bc,b", "b", true},
};

START_TEST(a_list_has_its_names_and_no_others)
{
	ck_assert_msg(
	    rs_driver_lists(lists[_i].list, rs_text_of(lists[_i].name)) == lists[_i].is_in,
	    "'%s' in '%s'", lists[_i].name, lists[_i].list ? lists[_i].list : "(none)");
}
END_TEST

static const struct {
	const char *driver, *name;
	enum rs_lost lost;
} counters[] = {
    {"igb", "rx_missed_errors", RS_LOST_RING},
    {"igb", "rx_queue_3_drops", RS_LOST_RING},
    {"igb", "rx_no_buffer_count", RS_LOST_NOTHING},
    {"igb", "rx_queue_0_csum_err", RS_LOST_NOTHING},
    {"igb", "tx_dropped", RS_LOST_SOFTWARE},
    {"", "rx_no_buffer_count", RS_LOST_NOTHING},
    {"", "rx_missed_errors", RS_LOST_RING},
    {"", "rx_dropped", RS_LOST_SOFTWARE},
    {"ice", "rx_dropped", RS_LOST_RING},
    {"ice", "rx_dropped.nic", RS_LOST_RING},
    {"tg3", "rxbds_empty", RS_LOST_NOTHING},
    {"", "rxbds_empty", RS_LOST_NOTHING},
    {"", "mbuf_lwm_thresh_hit", RS_LOST_NOTHING},
    {"tg3", "rx_discards", RS_LOST_RING},
    {"hv_netvsc", "tx_send_full", RS_LOST_NOTHING},
    {"hv_netvsc", "rx_no_memory", RS_LOST_SOFTWARE},
    {"ena", "bw_in_allowance_exceeded", RS_LOST_LIMIT},
    {"ena", "conntrack_allowance_available", RS_LOST_NOTHING},
    {"mlx5_core", "rx_out_of_buffer", RS_LOST_RING},
    {"mlx5_core", "rx_discards_phy", RS_LOST_RING},
    {"mlx5_core", "rx_prio0_discards", RS_LOST_NOTHING},
    {"be2net", "rx_dropped_too_short", RS_LOST_WIRE},
    {"", "rx_crc_errors", RS_LOST_WIRE},
    {"vmxnet3", "pkts rx OOB", RS_LOST_RING},
    {"", "rx_packets", RS_LOST_NOTHING},
    {"", "", RS_LOST_NOTHING},
};

START_TEST(a_counter_says_where_packets_were_lost)
{
	const enum rs_lost lost =
	    rs_driver_lost(rs_driver_find(counters[_i].driver), rs_text_of(counters[_i].name));
	ck_assert_msg(lost == counters[_i].lost, "%s '%s': %d", counters[_i].driver,
	    counters[_i].name, (int)lost);
}
END_TEST

int
main(void)
{
	Suite *const s = suite_create("drivers");
	TCase *const t = tcase_create("drivers");
	tcase_add_loop_test(t, each_lost_packet_is_in_one_stage, 0, (int)RS_ARRAY_LEN(losses));
	tcase_add_test(t, the_cases_lose_what_they_say);
	tcase_add_test(t, drivers_are_found_by_each_of_their_names);
	tcase_add_test(t, counters_are_not_asked_for_more_often_than_they_move);
	tcase_add_test(t, any_device_on_a_usb_is_slow);
	tcase_add_test(t, an_interface_is_described_with_its_driver);
	tcase_add_loop_test(t, a_list_has_its_names_and_no_others, 0, (int)RS_ARRAY_LEN(lists));
	tcase_add_loop_test(
	    t, a_counter_says_where_packets_were_lost, 0, (int)RS_ARRAY_LEN(counters));
	suite_add_tcase(s, t);
	return rs_check_run(s);
}

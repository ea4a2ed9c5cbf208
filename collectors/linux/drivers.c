/* SPDX-License-Identifier: ISC */
/*
 * No field of struct rtnl_link_stats64 means the same in all drivers. What is
 * said here was read in each driver's ndo_get_stats64 and get_ethtool_stats.
 * Where rx_dropped holds what the ring lost, the driver's own counter is
 * preferred: the kernel adds packets of unknown protocols to that field
 * (net/core/dev.c, dev_get_stats). Pure; any thread.
 */
#include "drivers.h"

#include <string.h>

#include "irqname.h"

#define MISSED RS_LOSS_MISSED
#define FIFO RS_LOSS_FIFO
#define OVER RS_LOSS_OVER
#define DROPPED RS_LOSS_DROPPED
#define ERRORS RS_LOSS_ERRORS
#define DRIVER RS_LOSS_DRIVER

/* A reading of a device on a USB is a series of transfers. */
enum { USB_PACE_S = 10 };

/* DRIVER without a list: what is lost there is not to be seen from here. */
static const struct rs_driver drivers[] = {
    /* Intel. rx_fifo is what the queues dropped and what was missed. */
    {.names = "igb,igc",
	.loss_ring = FIFO,
	.loss_ring_in = MISSED,
	.ring = "rx_missed_errors,rx_queue_#_drops",
	.benign = "rx_no_buffer_count"},
    {.names = "e1000e,e1000",
	.loss_ring = MISSED,
	.ring = "rx_missed_errors",
	.benign = "rx_no_buffer_count"},
    /* What found no descriptor is in no field. */
    {.names = "ixgbe",
	.loss_ring = MISSED | DRIVER,
	.refresh_s = 2,
	.ring = "rx_no_dma_resources",
	.benign = "rx_no_buffer_count"},
    {.names = "ixgbevf", .loss_ring = DRIVER},
    /* What the port's buffer lost, before any queue, is in no field. */
    {.names = "i40e",
	.loss_ring = MISSED | DRIVER,
	.refresh_s = 1,
	.ring = "port.rx_discards,port.rx_dropped"},
    {.names = "iavf", .loss_ring = DRIVER, .loss_ring_in = DROPPED, .ring = "rx_discards"},
    /* The port's is counted as missed, but not copied out. */
    {.names = "ice",
	.loss_ring = DRIVER,
	.loss_ring_in = DROPPED | MISSED,
	.refresh_s = 1,
	.ring = "rx_dropped,rx_dropped.nic"},
    {.names = "idpf", .loss_ring = DROPPED},
    /* Realtek: 16 bits wide. */
    {.names = "r8169", .loss_ring = MISSED, .ring = "rx_missed"},
    {.names = "r8125", .loss_ring = DRIVER, .ring = "rx_missed"},
    {.names = "r8152", .loss_ring = DRIVER, .pace_s = USB_PACE_S, .ring = "rx_missed"},
    /* Other devices on USB (drivers/net/usb/usbnet.c, rx_complete). */
    {.names = "asix,ax88179_178a,aqc111,cdc_eem,cdc_ether,cdc_mbim,cdc_ncm,ch9200,"
	      "huawei_cdc_ncm,lan78xx,qmi_wwan,r8153_ecm,rndis_host,smsc75xx,smsc95xx",
	.loss_ring = OVER,
	.pace_s = USB_PACE_S},
    {.names = "atlantic",
	.loss_ring = DRIVER,
	.loss_ring_in = DROPPED,
	.refresh_s = 1,
	.ring = "InDroppedDma"},
    /* rx_dropped is of the ring too, and both are in rx_errors. */
    {.names = "alx",
	.loss_ring = FIFO | DRIVER,
	.loss_ring_in = DROPPED | ERRORS,
	.ring = "rx_rrd_ov_drop_packets"},
    {.names = "jme", .loss_ring = FIFO},
    /* rx_fifo counts interrupts that tell of what rx_over counts. */
    {.names = "sky2", .loss_ring = OVER, .loss_ring_in = FIFO, .ring = "rx_fifo_overflow"},
    /* Broadcom. */
    {.names = "tg3",
	.loss_ring = MISSED,
	.refresh_s = 1,
	.ring = "rx_discards",
	.benign = "rxbds_empty,mbuf_lwm_thresh_hit"},
    {.names = "bnx2x", .loss_ring = FIFO | OVER, .loss_ring_in = ERRORS, .refresh_s = 1},
    {.names = "bnx2", .loss_ring = MISSED, .loss_ring_in = OVER | ERRORS, .refresh_s = 1},
    {.names = "bnxt_en", .loss_ring = MISSED, .refresh_s = 1},
    /* rx_missed is a copy of rx_errors, where the ring's losses are as well. */
    {.names = "bcmgenet",
	.loss_ring = DRIVER,
	.loss_ring_in = MISSED | ERRORS,
	.ring = "rxq#_errors,rbuf_ovflow_cnt"},
    {.names = "bcmsysport,brcm-systemport", .loss_ring = DRIVER, .ring = "rbuf_ovflow_cnt"},
    {.names = "bgmac,bgmac_bcma,bgmac-enet", .loss_ring = DRIVER, .ring = "rx_missed"},
    /* QLogic, Chelsio, Netronome, Solarflare, Emulex, Cisco, Pensando. */
    {.names = "qede", .loss_ring = FIFO | DRIVER, .ring = "brb_discards,brb_truncates"},
    {.names = "cxgb4",
	.loss_ring = DRIVER,
	.loss_ring_in = DROPPED,
	.ring = "rx_bg#_frames_dropped,rx_bg#_frames_trunc"},
    {.names = "nfp", .loss_ring = DRIVER, .loss_ring_in = DROPPED, .ring = "dev_rx_discards"},
    {.names = "sfc",
	.loss_ring = FIFO | DRIVER,
	.loss_ring_in = DROPPED,
	.refresh_s = 1,
	.ring = "port_rx_nodesc_drops,rx_nodesc_trunc",
	.benign = "port_rx_dp_di_dropped_packets"},
    {.names = "be2net",
	.loss_ring = FIFO | DRIVER,
	.loss_ring_in = DROPPED,
	.refresh_s = 1,
	.ring = "rxq#: rx_drops_no_frags"},
    {.names = "enic", .loss_ring = DRIVER, .loss_ring_in = DROPPED, .ring = "rx_no_bufs"},
    {.names = "ionic", .loss_ring = OVER, .loss_ring_in = MISSED | ERRORS},
    /* Mellanox; the driver of the device is not that of the interface. */
    {.names = "mlx4_en,mlx4_core", .loss_ring = FIFO, .ring = "rx_fifo_errors"},
    {.names = "mlx5_core,mlx5e_rep",
	.loss_ring = MISSED | DRIVER,
	.loss_ring_in = DROPPED,
	.ring = "rx_discards_phy"},
    /* Virtual machines. The device tells of its drops once a second. */
    {.names = "ena", .loss_ring = DROPPED, .refresh_s = 1},
    /* All zero unless the device reports (ethtool --set-priv-flags). */
    {.names = "gve,gvnic", .loss_ring = DRIVER, .refresh_s = 20, .ring = "rx_queue_drop_cnt[#]"},
    {.names = "virtio_net", .loss_ring = DRIVER, .ring = "rx#_hw_drops"},
    {.names = "vmxnet3", .loss_ring = DRIVER, .ring = "pkts rx OOB"},
    {.names = "hv_netvsc,vif,xen-netfront", .loss_ring = DRIVER},
    {.names = "mana", .loss_ring = DRIVER, .ring = "hc_rx_discards_no_wqe"},
    /* Systems on a chip. */
    {.names = "mvneta,mv643xx_eth_port", .loss_ring = DRIVER, .ring = "rx_discard,rx_overrun"},
    {.names = "mvpp2",
	.loss_ring = DRIVER,
	.ring = "rx_fifo_or_parser_overrun_drops,rx_classifier_drops,rxq_#_queue_full_drops,"
		"rxq_#_packets_early_drops,rxq_#_packets_bm_drops"},
    {.names = "mtk_soc_eth,airoha_eth", .loss_ring = OVER, .ring = "rx_overflow"},
    /* The fields are of the oldest cores, the counter of the others. */
    {.names = "st_gmac,stmmaceth,qcom-ethqos,intel-eth-pci,tegra-mgbe",
	.loss_ring = OVER | MISSED | DRIVER,
	.ring = "mmc_rx_fifo_overflow"},
    {.names = "macb", .loss_ring = FIFO | OVER, .loss_ring_in = ERRORS},
    {.names = "fec", .loss_ring = DRIVER, .loss_ring_in = FIFO | ERRORS, .ring = "IEEE_rx_macerr"},
    {.names = "fsl_enetc,fsl_enetc_vf",
	.loss_ring = DRIVER,
	.ring = "Rx ring # discarded frames,MAC rx fifo drop"},
    {.names = "fsl_dpaa2_eth", .loss_ring = DRIVER, .ring = "[hw] rx nobuffer discards"},
    {.names = "rvu_nicpf,rvu-nicpf,rvu_nicvf,rvu-nicvf", .loss_ring = DROPPED},
    {.names = "nicvf,thunder-nicvf",
	.loss_ring = DRIVER,
	.loss_ring_in = DROPPED,
	.ring = "rx_drop_red,rx_drop_overrun"},
};

static const struct rs_driver usb = {.names = "", .pace_s = USB_PACE_S};

/* Names that mean the same wherever they occur. */
static const struct {
	enum rs_lost lost;
	const char *list;
} common[] = {
    {RS_LOST_RING,
	"rx_missed_errors,rx_missed,rx_fifo_errors,rx_over_errors,rx_discards,rx_discard,"
	"rx_no_dma_resources,rx_out_of_buffer,rx_discards_phy,port.rx_discards,port.rx_dropped,"
	"rx_dropped.nic,rx_overrun,rx_overruns,rx_resource_errors,rx_overflow,rx_fifo_overflow,"
	"rx_overflow_cntr,rx_missed_cntr,mmc_rx_fifo_overflow,InDroppedDma,"
	"rx_rxf_ov_drop_packets,rx_rrd_ov_drop_packets,rx_brb_discard,rx_brb_truncate,"
	"no_buff_discards,brb_discards,brb_truncates,rx_ftq_discards,rx_fw_discards,"
	"rx_total_ring_discards,rx_total_discard_pkts,[#]: rx_discards,rx_bg#_frames_dropped,"
	"rx_bg#_frames_trunc,port_rx_nodesc_drops,port_rx_overflow,rx_nodesc_trunc,rx_no_bufs,"
	"dev_rx_discards,rx_drop_overrun,rx_drop_red,[hw] rx nobuffer discards,pkts rx OOB,"
	"rxpp_fifo_overflow_drop,rx_input_fifo_overflow_drop,pmem_fifo_overflow_drop,"
	"rx_drops_no_pbuf,rx_drops_no_erx_descr,rx_drops_no_tpre_descr,"
	"rxq#: rx_drops_no_frags,rx_queue_drop_cnt[#],hc_rx_discards_no_wqe,"
	"rx_fifo_or_parser_overrun_drops,rxq_#_queue_full_drops,rxq_#_packets_early_drops,"
	"rxq_#_packets_bm_drops,IEEE_rx_macerr,rbuf_ovflow_cnt,rx#_hw_drops,"
	"Rx ring # discarded frames,MAC rx fifo drop,rx_fifo_overflow_errors,rx_overflows,"
	"rx_drops_nic,RxDrop,RxDropPkts,RxOverFlow"},
    {RS_LOST_WIRE,
	"rx_crc_errors,rx_fcs_errors,rx_frame_errors,rx_align_errors,rx_length_errors,"
	"rx_long_length_errors,rx_short_length_errors,rx_undersize_packets,rx_jabbers,"
	"rx_fragments,rx_dropped_too_small,rx_dropped_too_short,rx_dropped_header_too_small,"
	"rx_dropped_tcp_length,rx_dropped_runt,[hw] rx discarded frames,rx_phy_ip_err_discards,"
	"rx_desc_err_dropped_pkt"},
    {RS_LOST_SOFTWARE,
	"rx_dropped,tx_dropped,rx_drops,tx_drops,tx_discards,rx_noskb_drops,rx_no_memory,"
	"tx_no_memory,tx_no_space,tx_too_big,vf_tx_dropped,rx_total_oom_discards,"
	"rx_total_netpoll_discards,tx_total_discard_pkts,[#]: tx_discards,rx_queue_#_drops,"
	"tx_queue_#_drops,rx#_drops,rx#_dropped,tx#_dropped,rx_#_dropped,tx_#_dropped,"
	"rxq#_dropped,txq#_dropped,q#_rx_dropped,q#_tx_dropped,rx_dropped_pkt[#],"
	"rxq#: rx_drops_no_skbs,txq#: tx_drv_drops,drv dropped rx total,drv dropped tx total,"
	"pkts tx discard,[hw] tx discarded frames,rx_skb_alloc_discard,tx_discards_phy,"
	"TxDrop,TxDropPkts"},
    {RS_LOST_LIMIT, "bw_in_allowance_exceeded,bw_out_allowance_exceeded,pps_allowance_exceeded,"
		    "conntrack_allowance_exceeded,linklocal_allowance_exceeded"},
};

static bool
skip_number(struct rs_text *t)
{
	const char *const start = t->p;
	while (t->p < t->end && *t->p >= '0' && *t->p <= '9')
		t->p++;
	return t->p > start;
}

static bool
matches(struct rs_text pattern, struct rs_text name)
{
	for (const char *p = pattern.p; p < pattern.end; p++) {
		if (*p == '#') {
			if (!skip_number(&name))
				return false;
			continue;
		}
		if (name.p == name.end || *name.p != *p)
			return false;
		name.p++;
		if (*p == ' ')
			rs_text_blanks(&name);
	}
	return name.p == name.end;
}

bool
rs_driver_lists(const char *list, struct rs_text name)
{
	struct rs_text rest = rs_text_of(list ? list : ""), pattern;
	while (rs_text_until(&rest, ',', &pattern)) {
		if (matches(pattern, name))
			return true;
	}
	return rest.p < rest.end && matches(rest, name);
}

const struct rs_driver *
rs_driver_find(const char *name)
{
	/* Each maker of a chip with that core has a driver for it
	 * (drivers/net/ethernet/stmicro/stmmac). */
	const struct rs_text t = rs_text_of(strstr(name, "dwmac") ? "st_gmac" : name);
	for (size_t i = 0; i < RS_ARRAY_LEN(drivers); i++) {
		if (rs_driver_lists(drivers[i].names, t))
			return &drivers[i];
	}
	return NULL;
}

const struct rs_driver *
rs_driver_of(const struct rs_nic_info *nic)
{
	const struct rs_driver *const d = rs_driver_find(nic->driver);
	return !d && rs_usb_bus(nic->device) >= 0 ? &usb : d;
}

enum rs_lost
rs_driver_lost(const struct rs_driver *driver, struct rs_text name)
{
	if (driver && rs_driver_lists(driver->benign, name))
		return RS_LOST_NOTHING;
	if (driver && rs_driver_lists(driver->ring, name))
		return RS_LOST_RING;
	for (size_t i = 0; i < RS_ARRAY_LEN(common); i++) {
		if (rs_driver_lists(common[i].list, name))
			return common[i].lost;
	}
	return RS_LOST_NOTHING;
}

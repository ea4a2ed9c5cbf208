/* SPDX-License-Identifier: ISC */
#include "diagnose/guess.h"
#include "rs.h"
#include "rs_check.h"

static const struct {
	const char *action;
	const char *interface, *device, *driver; /* "": not told */
	bool is_wireless;
} known[] = {
    {"eth0", "eth0", "", "", false},
    {"eth0-TxRx-3", "eth0", "", "", false},
    {"eth0-rx-0", "eth0", "", "", false},
    {"eth4[0]", "eth4", "", "", false},
    {"eth3-fp-2", "eth3", "", "", false},
    {"p1p1-rx-0", "p1p1", "", "", false},
    {"em1-2", "em1", "", "", false},
    {"enp195s0f1-TxRx-90", "enp195s0f1", "", "", false},
    {"eno1np0-TxRx-0", "eno1np0", "", "", false},
    {"i40e-eth0-TxRx-7", "eth0", "", "", false},
    {"ice-ens1f0-TxRx-0", "ens1f0", "", "", false},
    {"wan0-rxtx-1", "wan0", "", "", false},
    /* Whatever it is called, a queue's word follows. */
    {"uplink-TxRx-0", "uplink", "", "", false},
    {"eth%d-ntfy-block.0", "eth%d", "", "", false},
    {"wlp3s0", "wlp3s0", "", "", true},
    {"mlx5_comp3@pci:0000:01:00.0", "", "0000:01:00.0", "mlx5_core", false},
    {"mlx4-comp-12@pci:0000:07:00.0", "", "0000:07:00.0", "mlx4_core", false},
    {"gve-ntfy-blk0@pci:0000:00:04.0", "", "0000:00:04.0", "gve", false},
    {"ena-mgmnt@pci:0000:00:05.0", "", "0000:00:05.0", "ena", false},
    {"virtio3-input.0", "", "virtio3", "virtio_net", false},
    {"virtio3-output.1", "", "virtio3", "virtio_net", false},
    {"1e100000.ethernet", "", "1e100000.ethernet", "", false},
    {"f2000000.ethernet:rxq0", "", "f2000000.ethernet", "", false},
    {"iwlwifi:queue_1", "", "", "iwlwifi", true},
    {"iwlwifi", "", "", "iwlwifi", true},
    {"ath10k_pci", "", "", "ath10k_pci", true},
    {"mt7615e", "", "", "mt7615e", true},
    {"edma_rxdesc_0", "", "", "nss-dp", false},
    {"dpio.4", "", "", "fsl_dpaa2_eth", false},
    {"r8169", "", "", "r8169", false},
};

START_TEST(names_that_network_drivers_give_are_known)
{
	struct rs_guess g;

	ck_assert_msg(rs_guess(rs_text_of(known[_i].action), &g), "%s", known[_i].action);
	ck_assert_msg(rs_text_eq(g.interface, known[_i].interface), "%s: interface %.*s",
	    known[_i].action, (int)rs_text_len(g.interface), g.interface.p);
	ck_assert_msg(rs_text_eq(g.device, known[_i].device), "%s: device", known[_i].action);
	ck_assert_msg(rs_text_eq(g.driver, known[_i].driver), "%s: driver %.*s", known[_i].action,
	    (int)rs_text_len(g.driver), g.driver.p);
	ck_assert_int_eq(g.is_wireless, known[_i].is_wireless);
}
END_TEST

static const char *const others[] = {"", "timer", "ahci[0000:00:17.0]", "nvme0q1", "xhci_hcd:usb1",
    "i8042", "rtc0", "virtio1-req.0", "virtio2-config", "virtio0", "acpi", "megasas0-msix1", "i915",
    "dmar0", "arch_timer", "snd_hda_intel:card0", "mpt2sas0-msix0", "PCIe PME", "aerdrv", "pciehp",
    "ttyS0", "-rx-0", "0-rx-0", "enclosure", "energy", "wlan", "eth", "lanes", "i2c-0",
    "ehci_hcd:usb1", "mmc0", "@pci:0000:01:00.0", "qxl", "uhci_hcd:usb3", "vmw_vmci", "fsl-edma",
    "edma"};

START_TEST(names_of_other_things_are_none)
{
	struct rs_guess g;

	ck_assert_msg(!rs_guess(rs_text_of(others[_i]), &g), "%s", others[_i]);
}
END_TEST

START_TEST(addresses_are_whole)
{
	ck_assert(rs_guess_is_pci(rs_text_of("0000:01:00.0")));
	ck_assert(rs_guess_is_pci(rs_text_of("10000:e1:00.0")));
	ck_assert(!rs_guess_is_pci(rs_text_of("0000:01:00.0x")));
	ck_assert(!rs_guess_is_pci(rs_text_of("0000:01:00.")));
	ck_assert(!rs_guess_is_pci(rs_text_of("")));
	ck_assert(!rs_guess_is_pci(rs_text_of("virtio0")));
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("guess");
	TCase *const tc = tcase_create("guess");

	tcase_add_loop_test(
	    tc, names_that_network_drivers_give_are_known, 0, (int)RS_ARRAY_LEN(known));
	tcase_add_loop_test(tc, names_of_other_things_are_none, 0, (int)RS_ARRAY_LEN(others));
	tcase_add_test(tc, addresses_are_whole);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

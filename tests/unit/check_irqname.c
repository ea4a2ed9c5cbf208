/* SPDX-License-Identifier: ISC */
#include <stdio.h>
#include <string.h>

#include "irqname.h"
#include "rs_check.h"

static const struct {
	const char *rest, *chip, *actions;
} splits[] = {
    {"PCI-MSI-edge      eth0", "PCI-MSI-edge", "eth0"},
    {"IR-PCI-MSI 65536-edge      eth0-TxRx-0", "IR-PCI-MSI", "eth0-TxRx-0"},
    {"IR-PCI-MSIX-0000:01:00.0    1-edge      enp1s0-TxRx-0", "IR-PCI-MSIX-0000:01:00.0",
	"enp1s0-TxRx-0"},
    {"IO-APIC   2-edge      timer", "IO-APIC", "timer"},
    {"IO-APIC   2-edge", "IO-APIC", ""},
    {"IO-APIC-edge", "IO-APIC-edge", ""},
    {"IO-APIC-fasteoi   uhci_hcd:usb1, eth0, eth1", "IO-APIC-fasteoi", "uhci_hcd:usb1, eth0, eth1"},
    {"GICv2  56 Level     eth0", "GICv2", "eth0"},
    {"GIC-0  97 Edge      c080000.ethernet:txq0", "GIC-0", "c080000.ethernet:txq0"},
    {"GICv3  29 Level", "GICv3", ""},
    {"GIC  eth0", "GIC", "eth0"},
    {"eth0", "", "eth0"},
    {"", "", ""},
    {"MIPS GIC  10  1e100000.ethernet", "MIPS GIC", "1e100000.ethernet"},
    {"MIPS GIC Local   1  timer", "MIPS GIC Local", "timer"},
    {"MIPS GIC  63  IPI call", "MIPS GIC", "IPI call"},
    {"MIPS GIC  10", "MIPS GIC", ""},
    {"Hyper-V PCIe MSI 134250496-edge      mlx4-async@pci:0001:00:02.0", "Hyper-V PCIe MSI",
	"mlx4-async@pci:0001:00:02.0"},
    {"XIVE-IRQ 4609 Level     virtio3, virtio0, virtio2", "XIVE-IRQ", "virtio3, virtio0, virtio2"},
    {"IR-IO-APIC     23    -fasteoi   ehci_hcd:usb2", "IR-IO-APIC", "ehci_hcd:usb2"},
    {"IR-PCI-MSI-0000:00:19.0      0 oob-edge      eno1", "IR-PCI-MSI-0000:00:19.0", "eno1"},
    {"MT_SYSIRQ 224 Level     1b100000.ethernet", "MT_SYSIRQ", "1b100000.ethernet"},
    {"f03f0100.interrupt-controller  17 Level     arm-pmu", "f03f0100.interrupt-controller",
	"arm-pmu"},
    {"Xilinx INTC   1-level     eth0", "Xilinx INTC", "eth0"},
    {"GICv2 110 Level     mmci-pl18x (cmd)", "GICv2", "mmci-pl18x (cmd)"},
    {"PCI-MSI 524288-edge      enp5s0f4d1 (queue 11)", "PCI-MSI", "enp5s0f4d1 (queue 11)"},
    {"PCI-MSI 65536-edge      eth%d-ntfy-block.0", "PCI-MSI", "eth%d-ntfy-block.0"},
    {"  PCI-MSI-edge      eth0   ", "PCI-MSI-edge", "eth0"},
};

static void
assert_text(struct rs_text t, const char *want)
{
	char got[128];
	ck_assert(rs_text_copy(t, got, sizeof(got)));
	ck_assert_str_eq(got, want);
}

START_TEST(chip_and_actions_are_told_apart)
{
	struct rs_text chip, actions;
	rs_irq_split(rs_text_of(splits[_i].rest), &chip, &actions);
	assert_text(chip, splits[_i].chip);
	assert_text(actions, splits[_i].actions);
}
END_TEST

START_TEST(a_cut_rest_is_split_without_harm)
{
	const char *const rest = splits[_i].rest;
	for (size_t len = 0; len <= strlen(rest); len++) {
		char *const copy = malloc(len + 1);
		ck_assert_ptr_nonnull(copy);
		memcpy(copy, rest, len);
		const struct rs_text t = {copy, copy + len};
		struct rs_text chip, actions;
		rs_irq_split(t, &chip, &actions);
		ck_assert(chip.p >= t.p && chip.end <= t.end && chip.p <= chip.end);
		ck_assert(actions.p >= t.p && actions.end <= t.end && actions.p <= actions.end);
		free(copy);
	}
}
END_TEST

/* The machine the names below come from: one interface of each sort. */
static struct rs_nic_info nics[] = {
    {.ifindex = 1, .name = "lo", .is_loopback = true},
    {.ifindex = 2, .name = "eth0"},
    {.ifindex = 3, .name = "eth1"},
    {.ifindex = 4, .name = "eth10"},
    {.ifindex = 5, .name = "ens3", .device = "virtio3", .bus_parent = "0000:00:04.0"},
    {.ifindex = 6, .name = "mlxa", .driver = "mlx5_core", .device = "0000:07:00.0"},
    {.ifindex = 7, .name = "mlxb", .driver = "mlx5_core", .device = "0000:07:00.1"},
    {.ifindex = 8, .name = "p1", .driver = "mlx4_en", .device = "0001:00:02.0"},
    {.ifindex = 9, .name = "p2", .driver = "mlx4_en", .device = "0001:00:02.0"},
    {.ifindex = 10, .name = "gve0", .driver = "gve", .device = "0000:00:14.0", .n_irqs = 33},
    {.ifindex = 11, .name = "sky", .driver = "sky2", .device = "0000:02:00.0"},
    {.ifindex = 12, .name = "lan", .device = "15100000.ethernet"},
    {.ifindex = 13, .name = "wan", .device = "15100000.ethernet"},
    {.ifindex = 14, .name = "xn", .device = "vif-0"},
    {.ifindex = 15, .name = "bcm", .driver = "tg3"},
    {.ifindex = 16, .name = "rtl", .driver = "r8125"},
    {.ifindex = 17,
	.name = "aq",
	.driver = "atlantic",
	.device = "0000:01:00.0",
	.rx_queues = 4,
	.tx_queues = 4,
	.n_irqs = 6,
	.irqs = {128, 129, 130, 131, 132, 133}},
    {.ifindex = 18, .name = "usb0", .driver = "r8152", .device = "1-1:1.0"},
    {.ifindex = 19, .name = "wlan0", .driver = "mwlwifi", .device = "0000:03:00.0"},
    {.ifindex = 20, .name = "wlan1", .driver = "mwlwifi", .device = "0000:04:00.0"},
    {.ifindex = 21, .name = "wlp", .driver = "iwlwifi", .device = "0000:00:14.3"},
    {.ifindex = 22,
	.name = "new-name",
	.driver = "igb",
	.device = "0000:05:00.0",
	.n_irqs = 2,
	.irqs = {200, 201}},
    {.ifindex = 23, .name = "br0", .kind = "bridge", .is_master_or_stacked = true},
    {.ifindex = 24, .name = "hns", .driver = "hns3", .device = "0000:35:00.0"},
    {.ifindex = 25, .name = "al", .driver = "al_eth", .device = "0000:00:01.0"},
    {.ifindex = 26, .name = "dpa", .driver = "fsl_dpaa2_eth", .device = "dpni.0"},
    {.ifindex = 27, .name = "qca", .device = "c080000.ethernet"},
    {.ifindex = 28, .name = "mana0", .driver = "mana", .device = "7870:00:00.0"},
    {.ifindex = 29, .name = "enp5s0f4d1", .driver = "cxgb4", .device = "0000:05:00.4"},
    {.ifindex = 30, .name = "phy0-ap0", .driver = "ath11k", .device = "c000000.wifi"},
};

enum { BOTH = 3, RX = 1, TX = 2, CONTROL = 0 };

/* What is expected of each feed: interface, queue, directions (CONTROL: no
 * queue's). */
struct want {
	uint32_t ifindex;
	int queue;
	unsigned directions;
	bool is_bare;
};

static const struct {
	const char *name, *chip, *actions;
	unsigned n;
	struct want want[3];
} lines[] = {
    /* igb, igc, ixgbe, ice, i40e, vmxnet3, bnx2x, ena */
    {"30", "PCI-MSI", "eth0-TxRx-5", 1, {{2, 5, BOTH, 0}}},
    {"30", "PCI-MSI", "eth10-TxRx-5", 1, {{4, 5, BOTH, 0}}},
    {"30", "PCI-MSI", "eth1-rx-3", 1, {{3, 3, RX, 0}}},
    {"30", "PCI-MSI", "eth1-tx-12", 1, {{3, 12, TX, 0}}},
    {"30", "PCI-MSI", "eth0-unused", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "i40e-eth0-TxRx-7", 1, {{2, 7, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-rxtx-2", 1, {{2, 2, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-event-4", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-fp-1", 1, {{2, 1, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-Tx-Rx-6", 1, {{2, 6, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-lsc", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-Rx3", 1, {{2, 3, RX, 0}}},
    {"30", "PCI-MSI", "eth0-FWeventq", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-rxtx0", 1, {{2, 0, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-0", 1, {{2, 0, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0-7", 1, {{2, 7, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0[3]", 1, {{2, 3, BOTH, 0}}},
    {"30", "PCI-MSI", "enp5s0f4d1 (queue 11)", 1, {{29, 11, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0_int2", 1, {{2, 2, BOTH, 0}}},
    {"30", "PCI-MSI", "eth0:rx-1", 1, {{2, 1, RX, 0}}},
    {"30", "PCI-MSI", "eth0:mac", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0:safety-ce", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-sq-1", 1, {{2, 1, TX, 0}}},
    {"30", "PCI-MSI", "eth0-rbdr-0", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-qset-err-0", 1, {{2, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "eth0-tx-0-rx-3", 2, {{2, 0, TX, 0}, {2, 3, RX, 0}}},
    /* bare names, shared lines, other devices */
    {"17", "IO-APIC", "eth0", 1, {{2, -1, BOTH, 1}}},
    {"11", "IO-APIC", "uhci_hcd:usb3, eth0, eth1", 2, {{2, -1, BOTH, 1}, {3, -1, BOTH, 1}}},
    {"11", "IO-APIC", "eth1, ehci_hcd:usb2, eth1", 1, {{3, -1, BOTH, 1}}},
    {"18", "IO-APIC", "uhci_hcd:usb4, radeon", 0, {{0}}},
    {"8", "IO-APIC", "rtc0", 0, {{0}}},
    {"8", "IO-APIC", "br0", 0, {{0}}},
    {"8", "IO-APIC", "lo", 0, {{0}}},
    {"8", "IO-APIC", "eth100", 0, {{0}}},
    {"8", "IO-APIC", "meth0", 0, {{0}}},
    {"8", "IO-APIC", "fglrx[0]@PCI:1:0:0", 0, {{0}}},
    {"8", "IO-APIC", "", 0, {{0}}},
    {"8", "IO-APIC", "nvme0q1", 0, {{0}}},
    /* virtio */
    {"25", "PCI-MSI", "virtio3-input.0", 1, {{5, 0, RX, 0}}},
    {"25", "PCI-MSI", "virtio3-output.12", 1, {{5, 12, TX, 0}}},
    {"25", "PCI-MSI", "virtio3-config", 1, {{5, -1, CONTROL, 0}}},
    {"25", "PCI-MSI", "virtio3-control", 1, {{5, -1, CONTROL, 0}}},
    {"25", "PCI-MSI", "virtio3-virtqueues", 1, {{5, -1, BOTH, 0}}},
    {"25", "PCI-MSI", "virtio3-input", 1, {{5, 0, RX, 0}}},
    {"25", "PCI-MSI", "virtio30-input.0", 0, {{0}}},
    {"25", "PCI-MSI", "virtio4-input.0", 0, {{0}}},
    {"18", "XIVE-IRQ", "virtio3, virtio0, virtio2", 1, {{5, -1, BOTH, 1}}},
    {"25", "PCI-MSIX-0000:00:04.0", "virtio3-input.1", 1, {{5, 1, RX, 0}}},
    /* by PCI address */
    {"30", "PCI-MSI", "mlx5_comp3@pci:0000:07:00.0", 1, {{6, 3, BOTH, 0}}},
    {"30", "PCI-MSI", "mlx5_comp3@pci:0000:07:00.1", 1, {{7, 3, BOTH, 0}}},
    {"30", "PCI-MSI", "mlx5_async_eq@pci:0000:07:00.0", 1, {{6, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "mlx5_cmd_eq@pci:0000:07:00.0", 1, {{6, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "mlx5_async0@pci:0000:07:00.0", 1, {{6, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "mlx5_sf_ctrl1@pci:0000:07:00.0", 1, {{6, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "mlx5_comp3@pci:0000:08:00.0", 0, {{0}}},
    {"30", "PCI-MSI", "mlx4-5@0001:00:02.0", 2, {{8, 5, BOTH, 0}, {9, 5, BOTH, 0}}},
    {"30", "PCI-MSI", "mlx4-comp-2@pci:0001:00:02.0", 2, {{8, 2, BOTH, 0}, {9, 2, BOTH, 0}}},
    {"30", "PCI-MSI", "mlx4-async@pci:0001:00:02.0", 2, {{8, -1, CONTROL, 0}, {9, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "gve-ntfy-blk0@pci:0000:00:14.0", 1, {{10, 0, TX, 0}}},
    {"30", "PCI-MSI", "gve-ntfy-blk17@pci:0000:00:14.0", 1, {{10, 1, RX, 0}}},
    {"30", "PCI-MSI", "gve-ntfy-blk32@pci:0000:00:14.0", 1, {{10, -1, BOTH, 0}}},
    {"30", "PCI-MSI", "gve-mgmnt@pci:0000:00:14.0", 1, {{10, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "sky2@pci:0000:02:00.0", 1, {{11, -1, BOTH, 1}}},
    {"30", "PCI-MSI", "mana_q4@pci:7870:00:00.0", 1, {{28, 4, BOTH, 0}}},
    {"30", "PCI-MSI", "mana_hwc@pci:7870:00:00.0", 1, {{28, -1, CONTROL, 0}}},
    {"30", "PCI-MSI", "hns3-0000:35:00.0-TxRx-9", 1, {{24, 9, BOTH, 0}}},
    {"30", "MSIx", "al-eth-rx-comp-2@pci:0000:00:01.0", 1, {{25, 2, RX, 0}}},
    {"30", "IR-PCI-MSI", "i40e-0000:07:00.0:misc", 1, {{6, -1, CONTROL, 0}}},
    {"30", "IR-PCI-MSI", "i40e-0000:07:00.0:fdir-TxRx-0", 1, {{6, -1, CONTROL, 0}}},
    {"30", "IR-PCI-MSIX-0000:07:00.0", "idpf-Mailbox-0", 1, {{6, -1, CONTROL, 0}}},
    /* platform devices, Xen, USB, Wi-Fi */
    {"21", "MIPS GIC", "15100000.ethernet", 2, {{12, -1, BOTH, 1}, {13, -1, BOTH, 1}}},
    {"21", "GIC", "15100000.ethernet-ffffffff:00", 2, {{12, -1, CONTROL, 0}, {13, -1, CONTROL, 0}}},
    {"69", "GIC-0", "c080000.ethernet:txq4", 1, {{27, 4, TX, 0}}},
    {"70", "GIC-0", "c080000.ethernet:rxq0", 1, {{27, 0, RX, 0}}},
    {"70", "GIC-0", "xc080000.ethernet:rxq0", 0, {{0}}},
    {"80", "xen-dyn", "vif0-q1-rx", 1, {{14, 1, RX, 0}}},
    {"25", "GICv2", "xhci-hcd:usb1", 1, {{18, -1, BOTH, 1}}},
    {"26", "GICv2", "ehci_hcd:usb3", 0, {{0}}},
    {"49", "GIC-0", "mwlwifi", 0, {{0}}}, /* which of the two is not told */
    {"49", "PCI-MSIX-0000:04:00.0", "mwlwifi", 1, {{20, -1, BOTH, 1}}},
    {"50", "IR-PCI-MSI", "iwlwifi:default_queue", 1, {{21, 0, BOTH, 0}}},
    {"50", "IR-PCI-MSI", "iwlwifi:queue_3", 1, {{21, 3, BOTH, 0}}},
    {"50", "IR-PCI-MSI", "iwlwifi:exception", 1, {{21, -1, CONTROL, 0}}},
    {"60", "ITS-fMSI", "dpio.5", 1, {{26, -1, BOTH, 1}}},
    {"29", "GIC-0", "ce11", 1, {{30, -1, BOTH, 1}}},
    {"30", "GIC-0", "reo2host-destination-ring4", 1, {{30, -1, BOTH, 1}}},
    {"31", "GIC-0", "wbm2host-tx-completions-ring1", 1, {{30, -1, BOTH, 1}}},
    {"32", "GIC-0", "cec0", 0, {{0}}},
    {"33", "GIC-0", "ce", 0, {{0}}},
    {"34", "GIC-0", "ce1-x", 0, {{0}}},
    /* numbers that are vectors */
    {"70", "PCI-MSI", "bcm-0", 1, {{15, -1, CONTROL, 0}}},
    {"70", "PCI-MSI", "bcm-rx-1", 1, {{15, 0, RX, 0}}},
    {"70", "PCI-MSI", "bcm-txrx-4", 1, {{15, 3, BOTH, 0}}},
    {"70", "PCI-MSI", "bcm-tx-0", 1, {{15, 0, TX, 0}}},
    {"71", "PCI-MSI", "rtl-0", 1, {{16, 0, RX, 0}}},
    {"71", "PCI-MSI", "rtl-16", 1, {{16, 0, TX, 0}}},
    {"71", "PCI-MSI", "rtl-18", 1, {{16, 1, TX, 0}}},
    {"71", "PCI-MSI", "rtl-21", 1, {{16, -1, CONTROL, 0}}},
    {"71", "PCI-MSI", "rtl-5", 1, {{16, -1, BOTH, 0}}},
    /* by vector alone */
    {"130", "IR-PCI-MSI", "aq", 1, {{17, 2, BOTH, 0}}},
    {"132", "IR-PCI-MSI", "aq", 1, {{17, -1, CONTROL, 0}}},
    {"200", "IR-PCI-MSI", "eth5", 1, {{22, -1, BOTH, 1}}},
    {"201", "IR-PCI-MSI", "eth5-TxRx-0", 1, {{22, 0, BOTH, 0}}},
    /* an old name that is another interface's by now: the vector is surer */
    {"201", "IR-PCI-MSI", "eth0-TxRx-1", 1, {{22, 1, BOTH, 0}}},
    {"200", "IO-APIC", "radeon, eth1", 1, {{3, -1, BOTH, 1}}},
    /* names are data */
    {"200", "PCI-MSI", "eth%d-ntfy-block.0", 1, {{22, 0, BOTH, 0}}},
    {"31", "PCI-MSI", "%s%n%d", 0, {{0}}},
    {"31", "PCI-MSI", "eth0-TxRx-99999999999999999999", 1, {{2, -1, BOTH, 0}}},
    {"LOC", "", "Local timer interrupts", 0, {{0}}},
};

static size_t
feeds_of(
    const char *name, const char *chip, const char *actions, struct rs_irq_feed *feeds, size_t cap)
{
	return rs_irq_feeds(rs_text_of(name), rs_text_of(chip), rs_text_of(actions), nics,
	    RS_ARRAY_LEN(nics), feeds, cap);
}

START_TEST(a_line_is_given_to_its_device_and_queue)
{
	struct rs_irq_feed f[8];
	const size_t n =
	    feeds_of(lines[_i].name, lines[_i].chip, lines[_i].actions, f, RS_ARRAY_LEN(f));
	ck_assert_msg(
	    n == lines[_i].n, "'%s': %zu feeds, not %u", lines[_i].actions, n, lines[_i].n);
	for (size_t i = 0; i < n; i++) {
		const struct want *const w = &lines[_i].want[i];
		const unsigned d = (f[i].is_rx ? RX : 0u) | (f[i].is_tx ? TX : 0u);
		const enum rs_irq_role role =
		    w->directions == CONTROL ? RS_IRQ_CONTROL : RS_IRQ_QUEUE;
		ck_assert_msg(f[i].ifindex == w->ifindex && f[i].queue == w->queue &&
				  d == w->directions && f[i].role == role &&
				  f[i].is_bare == w->is_bare,
		    "'%s': interface %u queue %d directions %u role %d bare %d", lines[_i].actions,
		    f[i].ifindex, f[i].queue, d, (int)f[i].role, (int)f[i].is_bare);
	}
}
END_TEST

START_TEST(more_feeds_than_room_are_counted_and_not_written)
{
	struct rs_irq_feed f[2] = {{0}, {.ifindex = 99}};
	ck_assert_uint_eq(feeds_of("11", "IO-APIC", "eth0, eth1, eth10", f, 1), 3);
	ck_assert_uint_eq(f[0].ifindex, 2);
	ck_assert_uint_eq(f[1].ifindex, 99);
}
END_TEST

START_TEST(a_bare_line_beside_numbered_ones_is_control)
{
	struct rs_irq_feed bare, numbered;
	ck_assert_uint_eq(feeds_of("24", "PCI-MSI", "eth0", &bare, 1), 1);
	ck_assert_uint_eq(feeds_of("25", "PCI-MSI", "eth0-rx-0", &numbered, 1), 1);
	ck_assert(!rs_irq_is_numbered(&bare));
	ck_assert(rs_irq_is_numbered(&numbered));
	rs_irq_settle(&bare, true);
	rs_irq_settle(&numbered, true);
	ck_assert_int_eq(bare.role, RS_IRQ_CONTROL);
	ck_assert_int_eq(numbered.role, RS_IRQ_QUEUE);
	rs_irq_settle(&bare, false);
	ck_assert_int_eq(bare.role, RS_IRQ_QUEUE);
}
END_TEST

static const struct {
	const char *device;
	int bus;
} usb_names[] = {
    {"1-1:1.0", 1},
    {"2-1.4.3:2.1", 2},
    {"12-1:1.0", 12},
    {"1-1", -1}, /* the device, not an interface of it */
    {"0000:00:03.0", -1},
    {"15100000.ethernet", -1},
    {"virtio2", -1},
    {"", -1},
    {"-1:1.0", -1},
    {"99999999999999999999-1:1.0", -1},
};

START_TEST(a_usb_device_tells_its_bus)
{
	ck_assert_int_eq(rs_usb_bus(usb_names[_i].device), usb_names[_i].bus);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("irqname");
	TCase *const t = tcase_create("irqname");
	tcase_add_loop_test(t, chip_and_actions_are_told_apart, 0, (int)RS_ARRAY_LEN(splits));
	tcase_add_loop_test(t, a_cut_rest_is_split_without_harm, 0, (int)RS_ARRAY_LEN(splits));
	tcase_add_loop_test(
	    t, a_line_is_given_to_its_device_and_queue, 0, (int)RS_ARRAY_LEN(lines));
	tcase_add_test(t, more_feeds_than_room_are_counted_and_not_written);
	tcase_add_test(t, a_bare_line_beside_numbered_ones_is_control);
	tcase_add_loop_test(t, a_usb_device_tells_its_bus, 0, (int)RS_ARRAY_LEN(usb_names));
	suite_add_tcase(s, t);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/* Readers of pasted outputs, one table of lines each. */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "import/ethtool_text.h"
#include "import/lscpu.h"
#include "import/netstat_q.h"
#include "import/pathlines.h"
#include "import/sar.h"
#include "import/screen.h"
#include "import/sysctl_dev.h"
#include "import/vmstat.h"
#include "rs.h"
#include "rs_check.h"

static struct rs_skips skips;
static struct rs_screens screens;

static void
begin(void)
{
	memset(&skips, 0, sizeof(skips));
}

static void
end(void)
{
	rs_screens_free(&screens);
}

typedef int reader(struct rs_text t, struct rs_screens *ret, struct rs_skips *s);

static void
reads(reader *read, const char *text, size_t n_screens)
{
	begin();
	rs_screens_free(&screens);
	ck_assert_int_eq(read(rs_text_of(text), &screens, &skips), n_screens > 0 ? 0 : -ENODATA);
	if (n_screens > 0)
		ck_assert_uint_eq(screens.n, n_screens);
}

#define CK_NEAR(a, b) ck_assert_double_eq_tol((a), (b), 1e-9)

/* --- top ------------------------------------------------------------------------ */

START_TEST(top_of_procps_is_read_in_any_language)
{
	reads(rs_import_top,
	    "top - 10:00:00 up 5 days,  1 user,  load average: 0,50, 0,40, 0,30\n"
	    "%Cpu0  :  1,0 ut,  2,0 sy,  0,5 ni, 80,0 id,  0,5 wa,  3,0 hi, 13,0 si,  0,0 st\n"
	    "%Cpu1  :  0.0 us,  0.0 sy,  0.0 ni,100.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st\n",
	    1);
	ck_assert_uint_eq(screens.at[0].n_cores, 2);
	const struct rs_screen_core *const c = &screens.at[0].cores[0];
	CK_NEAR(c->user, 0.01);
	CK_NEAR(c->system, 0.02);
	CK_NEAR(c->nice, 0.005);
	CK_NEAR(c->irq, 0.03);
	CK_NEAR(c->softirq, 0.13);
	CK_NEAR(c->busy, 0.195); /* waiting for a disk is no work */
	CK_NEAR(screens.at[0].cores[1].busy, 0.0);
	ck_assert(!screens.at[0].is_bsd);
}
END_TEST

START_TEST(top_of_freebsd_counts_interrupts)
{
	reads(rs_import_top,
	    "CPU 0:  0.0% user,  0.0% nice,  0.8% system, 13.8% interrupt, 85.4% idle\r\n"
	    "CPU 3:  0.0% user,  0.0% nice,  0.0% system,  100% interrupt,  0.0% idle\r\n"
	    "\r\n"
	    "  PID USERNAME    THR PRI NICE   SIZE    RES STATE   C   TIME    WCPU COMMAND\r\n"
	    "   11 root         81   -     0B  1296K CPU3    3 100:00 99.12% intr{irq264: igb0:que "
	    "0}\r\n"
	    "  123 root          1  20    0    12M  4096K kqread  1   0:01   0.29% unbound\r\n",
	    1);
	const struct rs_screen *const s = &screens.at[0];
	ck_assert(s->is_bsd);
	ck_assert_int_eq(s->cores[1].cpu, 3);
	CK_NEAR(s->cores[1].irq, 1.0);
	ck_assert(isnan(s->cores[1].softirq));
	/* A row of another number of words is no row. */
	ck_assert_uint_eq(s->n_threads, 1);
	ck_assert_str_eq(s->threads[0].name, "unbound");
	ck_assert_int_eq(s->threads[0].cpu, 1);
	CK_NEAR(s->threads[0].load, 0.0029);
	ck_assert_uint_eq(skips.n, 1);
	ck_assert_uint_eq(skips.at[0].line, 5);
}
END_TEST

START_TEST(top_of_openbsd_and_busybox_are_read)
{
	reads(rs_import_top,
	    "CPU0 states:  0.0% user,  0.0% nice,  0.5% sys,  0.0% spin, 20.5% intr, 79.0% idle\n",
	    1);
	CK_NEAR(screens.at[0].cores[0].irq, 0.205);
	reads(rs_import_top,
	    "Mem: 50000K used, 70000K free, 400K shrd, 4000K buff, 15000K cached\n"
	    "CPU:   0% usr  34% sys   0% nic   3% idle   0% io   0% irq  61% sirq\n"
	    "Load average: 3.00 2.50 2.00 4/80 2000\n"
	    "  PID  PPID USER     STAT   VSZ %VSZ %CPU COMMAND\n"
	    "    7     2 root     RW       0   0%  24% [ksoftirqd/0]\n",
	    1);
	ck_assert_int_eq(screens.at[0].all.cpu, RS_SCREEN_ALL);
	CK_NEAR(screens.at[0].all.softirq, 0.61);
	CK_NEAR(screens.at[0].all.busy, 0.97);
	ck_assert(screens.at[0].is_thread_of_all);
	CK_NEAR(screens.at[0].threads[0].load, 0.24);
}
END_TEST

START_TEST(top_begins_a_new_screen_when_a_core_returns)
{
	reads(rs_import_top,
	    "CPU 0:  0.0% user,  0.0% nice,  0.0% system,  0.0% interrupt,  100% idle\n"
	    "CPU 1:  0.0% user,  0.0% nice,  0.0% system,  0.0% interrupt,  100% idle\n"
	    "CPU 0:  0.0% user,  0.0% nice,  0.0% system, 50.0% interrupt, 50.0% idle\n",
	    2);
	CK_NEAR(screens.at[1].cores[0].busy, 0.5);
}
END_TEST

START_TEST(top_with_impossible_shares_is_skipped)
{
	static const char *const bad[] = {
	    "CPU 0: 0.0% user, 0.0% nice, 0.0% system, 400% interrupt, 0.0% idle\n",
	    "CPU 0: 0.0% user, 0.0% nice, 0.0% sys\n",
	    "CPU 9999999999: 0.0% user, 0.0% nice, 0.0% system, 0.0% interrupt, 100% idle\n",
	    "CPU 0: user nice system\n",
	    "CPU 0: 99999999999999999999% user, 0% nice, 0% system, 0% idle\n",
	    "CPU 0:\n",
	    "",
	    "PID\n1\n",
	};
	for (size_t i = 0; i < RS_ARRAY_LEN(bad); i++)
		reads(rs_import_top, bad[i], 0);
}
END_TEST

/* --- mpstat, turbostat --------------------------------------------------------------- */

static const char mpstat[] = "Linux 6.1.0 (router) \t01/02/2024 \t_x86_64_\t(2 CPU)\n"
			     "\n"
			     "10:00:00 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  "
			     "%steal  %guest  %gnice   %idle\n"
			     "10:00:01 AM  all    1.00    0.00    1.00    0.00    0.00   48.00    "
			     "0.00    0.00    0.00   50.00\n"
			     "10:00:01 AM    0    2.00    0.00    1.00    1.00    0.00   96.00    "
			     "0.00    0.00    0.00    0.00\n"
			     "10:00:01 AM    1    0.00    0.00    1.00    0.00    0.00    0.00    "
			     "0.00    0.00    0.00   99.00\n"
			     "\n"
			     "10:00:01 AM  CPU    %usr   %nice    %sys %iowait    %irq   %soft  "
			     "%steal  %guest  %gnice   %idle\n"
			     "10:00:02 AM    0    0.00    0.00    0.00    0.00    0.00   50.00    "
			     "0.00    0.00    0.00   50.00\n"
			     "10:00:02 AM    0    0.00    0.00    0.00    0.00    0.00   10.00    "
			     "0.00    0.00    0.00   90.00\n"
			     "10:00:02 AM    1    0.00    0.00    zero    0.00    0.00   10.00    "
			     "0.00    0.00    0.00   90.00\n"
			     "10:00:02 AM    1    0.00\n"
			     "\n"
			     "Average:     CPU    %usr   %nice    %sys %iowait    %irq   %soft  "
			     "%steal  %guest  %gnice   %idle\n"
			     "Average:       0    7.00    0.00    0.00    0.00    0.00   73.00    "
			     "0.00    0.00    0.00   20.00\n";

START_TEST(mpstat_has_a_screen_for_each_interval)
{
	reads(rs_import_mpstat, mpstat, 2);
	ck_assert_uint_eq(screens.at[0].n_cores, 2);
	CK_NEAR(screens.at[0].cores[0].softirq, 0.96);
	CK_NEAR(screens.at[0].cores[0].busy, 0.99);
	CK_NEAR(screens.at[0].all.idle, 0.5);
	ck_assert_uint_eq(screens.at[1].n_cores, 1);
	ck_assert_uint_eq(skips.n, 3);
	ck_assert_uint_eq(skips.at[0].line, 10);
	ck_assert_uint_eq(skips.at[2].line, 12);
}
END_TEST

START_TEST(mpstat_means_are_taken_where_there_is_nothing_else)
{
	reads(rs_import_mpstat, strstr(mpstat, "Average:"), 1);
	CK_NEAR(screens.at[0].cores[0].softirq, 0.73);
	reads(rs_import_mpstat, "CPU %idle\n", 0);
}
END_TEST

START_TEST(turbostat_tells_clocks)
{
	reads(rs_import_turbostat,
	    "Core\tCPU\tAvg_MHz\tBusy%\tBzy_MHz\tTSC_MHz\tIRQ\n"
	    "-\t-\t301\t50.17\t600\t998\t100\n"
	    "0\t0\t504\t84.00\t600\t998\t50\n"
	    "0\t0\t504\t84.00\t600\t998\t50\n"
	    "1\t1\tmany\n",
	    1);
	ck_assert_uint_eq(screens.at[0].n_cores, 1);
	CK_NEAR(screens.at[0].cores[0].clock_hz, 600e6);
	CK_NEAR(screens.at[0].cores[0].nominal_hz, 998e6);
	CK_NEAR(screens.at[0].cores[0].busy, 0.84);
	ck_assert_uint_eq(skips.n, 2);
}
END_TEST

/* --- ethtool ------------------------------------------------------------------------------ */

START_TEST(ethtool_tells_driver_and_bus)
{
	struct rs_import_driver d;

	ck_assert_int_eq(
	    rs_import_ethtool_driver(
		rs_text_of("driver: igb\nversion: 5.6.0-k\nbus-info: 0000:01:00.0\n"), &d),
	    0);
	ck_assert_str_eq(d.driver, "igb");
	ck_assert_str_eq(d.bus, "0000:01:00.0");
	ck_assert_int_eq(rs_import_ethtool_driver(rs_text_of("hello\n"), &d), -ENODATA);
}
END_TEST

static const char *
setting(const struct rs_import_settings *s, enum rs_fact_id id)
{
	for (unsigned i = 0; i < s->n; i++) {
		if (s->at[i].id == id)
			return s->at[i].value;
	}
	return "";
}

START_TEST(ethtool_settings_are_facts)
{
	struct rs_import_settings s;

	begin();
	ck_assert_int_eq(rs_import_ethtool_settings(rs_text_of("Channel parameters for eth0:\n"
							       "Pre-set maximums:\n"
							       "RX:\t\tn/a\n"
							       "TX:\t\t0\n"
							       "Other:\t\t1\n"
							       "Combined:\t8\n"
							       "Current hardware settings:\n"
							       "RX:\t\t0\n"
							       "TX:\t\t0\n"
							       "Other:\t\t1\n"
							       "Combined:\tfour\n"
							       "Combined:\t4\n"),
			     &s, &skips),
	    0);
	ck_assert_str_eq(setting(&s, RS_F_CHANNELS_COMBINED), "4");
	ck_assert_str_eq(setting(&s, RS_F_CHANNELS_COMBINED_MAX), "8");
	ck_assert_str_eq(setting(&s, RS_F_CHANNELS_RX_MAX), "");
	ck_assert_uint_eq(skips.n, 1);
	ck_assert_uint_eq(skips.at[0].line, 11);
	begin();
	ck_assert_int_eq(rs_import_ethtool_settings(rs_text_of("Coalesce parameters for eth0:\n"
							       "Adaptive RX: on  TX: n/a\n"
							       "rx-usecs: 3\n"),
			     &s, &skips),
	    0);
	ck_assert_str_eq(setting(&s, RS_F_COALESCE_ADAPTIVE_RX), "on");
	ck_assert_str_eq(setting(&s, RS_F_COALESCE_RX_USECS), "3");
	ck_assert_int_eq(
	    rs_import_ethtool_settings(rs_text_of("Channel parameters for eth0:\nCannot get "
						  "device channel parameters\n"
						  ": Operation not supported\n"),
		&s, &skips),
	    -EOPNOTSUPP);
}
END_TEST

START_TEST(ethtool_indirection_table_is_read_in_order)
{
	static struct rs_import_table t;

	begin();
	ck_assert_int_eq(
	    rs_import_ethtool_table(
		rs_text_of("RX flow hash indirection table for eth0 with 4 RX ring(s):\n"
			   "    0:      0     1     2     3     0     1     2     3\n"
			   "    8:      0     0     0     0     3     3     3     3\n"
			   "   24:      9\n"
			   "RSS hash key:\n6d:5a:56\n"),
		&t, &skips),
	    0);
	ck_assert_uint_eq(t.n_entries, 16);
	ck_assert_uint_eq(t.n_queues, 4);
	ck_assert_uint_eq(t.queue[15], 3);
	ck_assert_uint_eq(skips.n, 1); /* what should stand at 16 is at 24 */
}
END_TEST

/* --- FreeBSD ---------------------------------------------------------------------------------- */

static const struct {
	const char *line, *device;
	int32_t queue;
	bool is_nic, is_control;
	uint64_t total;
} vectors[] = {
    {"irq264: igb0:que 0      1234567      12", "igb0", 0, true, false, 1234567},
    {"irq265: igb0:rxq3       10      1", "igb0", 3, true, false, 10},
    {"irq266: igb0:link       3       0", "igb0", -1, true, true, 3},
    {"irq267: igb0:aq         3       0", "igb0", -1, true, true, 3},
    {"irq268: em0:irq0        99      0", "em0", -1, true, false, 99},
    {"irq269: t5nex0:0a1      7       0", "t5nex0", 1, true, false, 7},
    {"irq16: re0              5       0", "re0", -1, true, false, 5},
    {"irq114/em0              8       1", "em0", -1, true, false, 8},
    {"irq120/ix0:3            8       1", "ix0", 3, true, false, 8},
    {"irq96/ahci0             8       1", "ahci0", -1, false, false, 8},
    {"irq0/clock              8       1", "clock", -1, false, false, 8},
    {"irq19: ahci0            5       0", "ahci0", -1, false, false, 5},
    {"cpu0:timer              5       0", "", -1, false, false, 5},
};

START_TEST(vmstat_rows_are_vectors)
{
	struct rs_vmstat v = {0};

	begin();
	ck_assert_int_eq(rs_import_vmstat(rs_text_of(vectors[_i].line), &v, &skips), 0);
	ck_assert_uint_eq(v.n, 1);
	ck_assert(rs_text_eq(v.rows[0].device, vectors[_i].device));
	ck_assert_int_eq(v.rows[0].queue, vectors[_i].queue);
	ck_assert_int_eq(v.rows[0].is_nic, vectors[_i].is_nic);
	ck_assert_int_eq(v.rows[0].is_control, vectors[_i].is_control);
	ck_assert_uint_eq(v.rows[0].total, vectors[_i].total);
	rs_vmstat_free(&v);
}
END_TEST

START_TEST(vmstat_without_numbers_is_none)
{
	struct rs_vmstat v = {0};

	begin();
	ck_assert_int_eq(rs_import_vmstat(rs_text_of("interrupt total rate\nirq1: atkbd0\n"
						     "irq2: 99999999999999999999 1\nTotal 1 1\n"),
			     &v, &skips),
	    -ENODATA);
	ck_assert_uint_eq(skips.n, 2);
	rs_vmstat_free(&v);
}
END_TEST

START_TEST(netstat_rows_are_workstreams)
{
	struct rs_netisr *const n = malloc(sizeof(*n));

	begin();
	ck_assert_ptr_nonnull(n);
	ck_assert_int_eq(
	    rs_import_netstat_q(
		rs_text_of(
		    "Configuration:\n"
		    "Setting                        Current        Limit\n"
		    "Thread count                         1            1\n"
		    "Protocols:\n"
		    "Name   Proto QLimit Policy Dispatch Flags\n"
		    "ip         1   1000    cpu   hybrid   C--\n"
		    "Workstreams:\n"
		    "WSID CPU   Name     Len WMark   Disp'd  HDisp'd   QDrops   Queued  Handled\n"
		    "   0   0   ip         0  1000  1000000        0   181210      500  1000500\n"
		    "   0   0   igmp       0     0        0        0        0        0\n"),
		n, &skips),
	    0);
	ck_assert_int_eq(n->threads, 1);
	ck_assert_uint_eq(n->workstreams, 1);
	ck_assert_uint_eq(n->limit, 1000);
	ck_assert_uint_eq(n->n, 1);
	ck_assert_uint_eq(n->rows[0].dropped, 181210);
	ck_assert_uint_eq(skips.n, 1);
	free(n);
}
END_TEST

static const struct {
	const char *line, *device;
	enum rs_sysctl_kind kind;
	uint16_t queue;
	uint64_t value;
} counters[] = {
    {"dev.ix.0.queue3.rx_packets: 12", "ix.0", RS_SYSCTL_QUEUE_RX, 3, 12},
    {"dev.ix.0.queue3.tx_packets: 12", "ix.0", RS_SYSCTL_QUEUE_TX, 3, 12},
    {"dev.igb.1.queue_rx_2.rx_packets: 7", "igb.1", RS_SYSCTL_QUEUE_RX, 2, 7},
    {"dev.ixl.0.pf.rxq07.packets: 5", "ixl.0", RS_SYSCTL_QUEUE_RX, 7, 5},
    {"dev.ixl.0.pf.txq07.packets: 5", "ixl.0", RS_SYSCTL_QUEUE_TX, 7, 5},
    {"dev.cxl.0.stats.rx_ovflow0: 730171", "cxl.0", RS_SYSCTL_LOST, 0, 730171},
    {"dev.em.0.mac_stats.missed_packets=4", "em.0", RS_SYSCTL_LOST, 0, 4},
    {"dev.ix.0.mac_stats.good_pkts_rcvd: 9", "ix.0", RS_SYSCTL_RX_GOOD, 0, 9},
    {"dev.ix.0.mac_stats.csum_err: 9", "ix.0", RS_SYSCTL_OTHER, 0, 9},
    {"dev.cpu.2.cx_lowest: C1", "cpu.2", RS_SYSCTL_CX_LOWEST, 0, 0},
    {"dev.ix.0.mac_stats.missed_packets: many", "ix.0", RS_SYSCTL_OTHER, 0, 0},
};

START_TEST(sysctl_counters_are_known_by_their_names)
{
	struct rs_lines lines = rs_lines_of(rs_text_of(counters[_i].line));
	struct rs_sysctl_row r;

	begin();
	ck_assert(rs_import_sysctl_next(&lines, &r, &skips));
	ck_assert(rs_text_eq(r.device, counters[_i].device));
	ck_assert_int_eq(r.kind, counters[_i].kind);
	ck_assert_uint_eq(r.value, counters[_i].value);
	if (r.kind == RS_SYSCTL_QUEUE_RX || r.kind == RS_SYSCTL_QUEUE_TX)
		ck_assert_uint_eq(r.queue, counters[_i].queue);
	ck_assert(!rs_import_sysctl_next(&lines, &r, &skips));
	lines = rs_lines_of(rs_text_of("hw.ncpu: 4\ndev.ix: 3\ndev..0.x: 1\n"));
	ck_assert(!rs_import_sysctl_next(&lines, &r, &skips));
	ck_assert_uint_eq(skips.n, 3);
}
END_TEST

/* --- the others --------------------------------------------------------------------------------
 */

START_TEST(sar_rates_are_summed_by_interface)
{
	struct rs_sar s = {0};

	begin();
	ck_assert_int_eq(
	    rs_import_sar(rs_text_of("10:00:00  IFACE rxpck/s txpck/s rxkB/s txkB/s rxcmp/s\n"
				     "10:00:01  eth0 1000,00 10.00 64.00 1.00 0.00\n"
				     "10:00:01  eth1 many 10.00 64.00 1.00 0.00\n"
				     "10:00:02  IFACE rxpck/s txpck/s rxkB/s txkB/s rxcmp/s\n"
				     "10:00:03  eth0 3000.00 10.00 64.00 1.00 0.00\n"
				     "Average:  eth0 2000.00 10.00 64.00 1.00 0.00\n"),
		&s, &skips),
	    0);
	ck_assert_uint_eq(s.n, 1);
	ck_assert_uint_eq(s.devices[0].n, 2);
	CK_NEAR(s.devices[0].rx_pps, 4000.0);
	CK_NEAR(s.devices[0].rx_bytes_ps, 131072.0);
	ck_assert_uint_eq(skips.n, 1);
	rs_sar_free(&s);
}
END_TEST

START_TEST(lscpu_tells_which_cores_are_one)
{
	static struct rs_cpu_info c;

	begin();
	ck_assert_int_eq(rs_import_lscpu(rs_text_of("# CPU,Core,Socket,Node,,L1d,L1i,L2\n"
						    "0,0,0,0,,0,0,0\n1,1,0,0,,1,1,1\n"
						    "2,0,0,0,,0,0,0\n5,0,1,0\nx,y\n"),
			     &c, &skips),
	    0);
	ck_assert(c.has_groups);
	ck_assert_uint_eq(c.group[2], 0);
	ck_assert_uint_eq(c.group[1], 1);
	ck_assert_uint_eq(c.group[5], 5); /* another socket */
	ck_assert_uint_eq(rs_cpuset_count(&c.online), 4);
	ck_assert_uint_eq(skips.n, 1);
	memset(&c, 0, sizeof(c));
	ck_assert_int_eq(
	    rs_import_lscpu(
		rs_text_of("Architecture: x86_64\nOn-line CPU(s) list:  0,2-3\n"), &c, &skips),
	    0);
	ck_assert_uint_eq(rs_cpuset_count(&c.online), 3);
}
END_TEST

static const struct {
	const char *line;
	enum rs_path_kind kind;
	const char *device, *value;
	uint32_t irq;
	uint16_t queue;
	bool is_missing;
} paths[] = {
    {"/sys/class/net/eth0/queues/rx-3/rps_cpus:0f", RS_PATH_RPS, "eth0", "0f", 0, 3, false},
    {"/sys/class/net/eth0/queues/tx-1/xps_cpus = 2", RS_PATH_XPS, "eth0", "2", 0, 1, false},
    {"/proc/irq/11/smp_affinity:44", RS_PATH_AFFINITY, "", "44", 11, 0, false},
    {"/proc/irq/11/smp_affinity_list:0-3", RS_PATH_AFFINITY_LIST, "", "0-3", 11, 0, false},
    {"cat: /proc/irq/86/smp_affinity: No such file or directory", RS_PATH_AFFINITY, "",
	"No such file or directory", 86, 0, true},
    {"Interrupt 85 is allowed on CPUs 19", RS_PATH_AFFINITY_LIST, "", "19", 85, 0, false},
    {"/proc/sys/net/core/rmem_max = 1", RS_PATH_OTHER, "", "1", 0, 0, false},
    {"/proc/irq/99999999999/smp_affinity:1", RS_PATH_OTHER, "", "1", 0, 0, false},
    {"/sys/class/net/a-name-that-is-too-long/queues/rx-0/rps_cpus:0", RS_PATH_OTHER, "", "0", 0, 0,
	false},
};

START_TEST(pasted_paths_are_known)
{
	struct rs_lines lines = rs_lines_of(rs_text_of(paths[_i].line));
	struct rs_path_row r;

	begin();
	ck_assert(rs_import_path_next(&lines, &r, &skips));
	ck_assert_int_eq(r.kind, paths[_i].kind);
	ck_assert(rs_text_eq(r.value, paths[_i].value));
	ck_assert_int_eq(r.is_missing, paths[_i].is_missing);
	if (r.kind == RS_PATH_OTHER)
		return;
	ck_assert_str_eq(r.device, paths[_i].device);
	ck_assert_uint_eq(r.irq, paths[_i].irq);
	ck_assert_uint_eq(r.queue, paths[_i].queue);
}
END_TEST

START_TEST(numbers_are_read_as_programs_print_them)
{
	double v;
	uint64_t u;

	ck_assert(rs_import_is_number(rs_text_of("19,1"), &v));
	CK_NEAR(v, 19.1);
	ck_assert(rs_import_is_number(rs_text_of("0.05"), &v));
	CK_NEAR(v, 0.05);
	ck_assert(!rs_import_is_number(rs_text_of("1.2.3"), &v));
	ck_assert(!rs_import_is_number(rs_text_of("-1"), &v));
	ck_assert(!rs_import_is_number(rs_text_of("."), &v));
	ck_assert(!rs_import_is_number(rs_text_of("12345678901234567890"), &v));
	ck_assert(rs_import_is_u64(rs_text_of("18446744073709551615"), &u));
	ck_assert(!rs_import_is_u64(rs_text_of("18446744073709551616"), &u));
	ck_assert(!rs_import_is_u64(rs_text_of("12 "), &u));
}
END_TEST

START_TEST(lines_that_cannot_be_used_are_counted_beyond_those_named)
{
	begin();
	for (unsigned i = 1; i <= 20; i++)
		rs_skip(&skips, i, "why");
	ck_assert_uint_eq(skips.n, 20);
	ck_assert_uint_eq(skips.at[RS_SKIPS_MAX - 1].line, RS_SKIPS_MAX);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("imports");
	TCase *const tc = tcase_create("imports");

	tcase_add_checked_fixture(tc, NULL, end);
	tcase_add_test(tc, top_of_procps_is_read_in_any_language);
	tcase_add_test(tc, top_of_freebsd_counts_interrupts);
	tcase_add_test(tc, top_of_openbsd_and_busybox_are_read);
	tcase_add_test(tc, top_begins_a_new_screen_when_a_core_returns);
	tcase_add_test(tc, top_with_impossible_shares_is_skipped);
	tcase_add_test(tc, mpstat_has_a_screen_for_each_interval);
	tcase_add_test(tc, mpstat_means_are_taken_where_there_is_nothing_else);
	tcase_add_test(tc, turbostat_tells_clocks);
	tcase_add_test(tc, ethtool_tells_driver_and_bus);
	tcase_add_test(tc, ethtool_settings_are_facts);
	tcase_add_test(tc, ethtool_indirection_table_is_read_in_order);
	tcase_add_loop_test(tc, vmstat_rows_are_vectors, 0, (int)RS_ARRAY_LEN(vectors));
	tcase_add_test(tc, vmstat_without_numbers_is_none);
	tcase_add_test(tc, netstat_rows_are_workstreams);
	tcase_add_loop_test(
	    tc, sysctl_counters_are_known_by_their_names, 0, (int)RS_ARRAY_LEN(counters));
	tcase_add_test(tc, sar_rates_are_summed_by_interface);
	tcase_add_test(tc, lscpu_tells_which_cores_are_one);
	tcase_add_loop_test(tc, pasted_paths_are_known, 0, (int)RS_ARRAY_LEN(paths));
	tcase_add_test(tc, numbers_are_read_as_programs_print_them);
	tcase_add_test(tc, lines_that_cannot_be_used_are_counted_beyond_those_named);
	suite_add_tcase(s, tc);
	return s;
}

RS_CHECK_MAIN(suite())

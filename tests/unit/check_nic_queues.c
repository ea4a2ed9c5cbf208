/* SPDX-License-Identifier: ISC */
/* What is live runs in a network namespace of its own, in a child process. */
#define _GNU_SOURCE /* unshare() */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/ethtool.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "collector.h"
#include "ethtool.h"
#include "faketree.h"
#include "linux/drivers.h"
#include "linux/nic_list.h"
#include "rs_check.h"
#include "rtnl.h"

enum { SKIPPED = RS_CHECK_SKIP };

/* ------------------------------------------------------------ a reading */

/* The value of a reading, or `otherwise` when it was not put. */
static uint64_t
value_of(const struct rs_frame *f, enum rs_metric_id metric, uint32_t ifindex, uint16_t queue,
    uint64_t otherwise)
{
	for (size_t i = 0; i < f->n_readings; i++) {
		const struct rs_reading *const r = &f->readings[i];
		if (r->metric == metric && r->key == ifindex && r->queue == queue)
			return r->value;
	}
	return otherwise;
}

static const char igb_text[] = "NIC statistics:\n"
			       "     rx_packets: 1000\n"
			       "     rx_missed_errors: 7\n"
			       "     tx_queue_0_packets: 11\n"
			       "     tx_queue_0_bytes: 1100\n"
			       "     tx_queue_0_restart: 3\n"
			       "     rx_queue_0_packets: 20\n"
			       "     rx_queue_0_bytes: 2000\n"
			       "     rx_queue_0_drops: 2\n"
			       "     rx_queue_1_packets: 21\n"
			       "     rx_queue_1_bytes: 2100\n"
			       "     rx_queue_1_drops: 3\n";

static const struct rs_nic_stats *
planned(struct rs_stat_set *set, struct rs_nic_stats *st, const char *text, const char *driver)
{
	memset(set, 0, sizeof(*set));
	memset(st, 0, sizeof(*st));
	ck_assert_int_eq(rs_stat_set_parse(set, rs_text_of(text)), 0);
	ck_assert_int_eq(rs_stat_plan_make(&st->plan, set, rs_driver_find(driver), 2, 1), 0);
	st->n = set->n;
	return st;
}

START_TEST(a_reading_gives_queues_and_the_ring)
{
	struct rs_stat_set set;
	struct rs_nic_stats st;
	struct rs_frame *f;
	(void)planned(&set, &st, igb_text, "igb");
	st.pace_s = 3;
	st.ring_pace_s = 5;
	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	rs_nic_stats_put_queues(&st, set.values, 9, f);
	ck_assert_uint_eq(f->n_readings, 8);
	for (size_t i = 0; i < f->n_readings; i++)
		ck_assert_uint_eq(f->readings[i].pace_s, 3);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_RX_PACKETS, 9, 0, 0), 20);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_RX_PACKETS, 9, 1, 0), 21);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_RX_BYTES, 9, 1, 0), 2100);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_RX_DROPS, 9, 1, 0), 3);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_TX_PACKETS, 9, 0, 0), 11);
	ck_assert_uint_eq(value_of(f, RS_M_QUEUE_TX_BYTES, 9, 0, 0), 1100);
	rs_frame_reset(f, 0);
	rs_nic_stats_put_ring(&st, set.values, 9, f);
	ck_assert_uint_eq(f->n_readings, 1);
	ck_assert_uint_eq(f->readings[0].pace_s, 5);
	ck_assert_uint_eq(value_of(f, RS_M_NIC_RX_RING, 9, 0, 0), 7 + 2 + 3);
	rs_frame_free(f);
	rs_stat_set_free(&set);
	rs_nic_stats_fini(&st);
}
END_TEST

START_TEST(a_reading_gives_pause_frames_and_stops_aside)
{
	static const char text[] = "rx_flow_control_xoff: 5\ntx_flow_control_xoff: 6\n"
				   "tx_queue_0_restart: 3\n";
	struct rs_stat_set set;
	struct rs_nic_stats st;
	struct rs_frame *f;
	(void)planned(&set, &st, text, "igb");
	st.more_pace_s = 4;
	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	rs_nic_stats_put_pause(&st, set.values, 9, f);
	rs_nic_stats_put_stops(&st, set.values, 9, f);
	ck_assert_uint_eq(f->n_readings, 3);
	for (size_t i = 0; i < f->n_readings; i++)
		ck_assert_uint_eq(f->readings[i].pace_s, 4);
	ck_assert_uint_eq(value_of(f, RS_M_NIC_RX_PAUSE, 9, 0, 0), 5);
	ck_assert_uint_eq(value_of(f, RS_M_NIC_TX_PAUSE, 9, 0, 0), 6);
	ck_assert_uint_eq(value_of(f, RS_M_NIC_TX_STOPS, 9, 0, 0), 3);
	rs_frame_free(f);
	rs_stat_set_free(&set);
	rs_nic_stats_fini(&st);
}
END_TEST

START_TEST(fewer_values_than_planned_give_nothing)
{
	struct rs_stat_set set;
	struct rs_nic_stats st;
	struct rs_frame *f;
	(void)planned(&set, &st, igb_text, "igb");
	st.n = set.n - 1;
	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	rs_nic_stats_put_queues(&st, set.values, 9, f);
	rs_nic_stats_put_ring(&st, set.values, 9, f);
	rs_nic_stats_put_stops(&st, set.values, 9, f);
	ck_assert_uint_eq(f->n_readings, 0);
	rs_frame_free(f);
	rs_stat_set_free(&set);
	rs_nic_stats_fini(&st);
}
END_TEST

static const struct {
	double last_s, now_s; /* last < 0: never */
	uint8_t pace_s;
	bool is_due;
} dues[] = {
    {99, 100, 0, true},	    /* each tick */
    {99.99, 100, 0, true},  /* whatever its length */
    {99, 100, 2, false},    /* not before its time */
    {98, 100, 2, true},	    /* at its time */
    {98.003, 100, 2, true}, /* as exact as ticks are */
    {98.3, 100, 2, false},  /* not more exact */
    {40, 100, 2, true},	    /* late */
    {100, 100, 10, true},   /* again in the same tick */
    {-1, 0.5, 255, true}    /* never read */
};

START_TEST(a_slow_source_is_read_at_its_pace)
{
	const rs_ns last =
	    dues[_i].last_s < 0 ? RS_NIC_LONG_AGO : (rs_ns)(dues[_i].last_s * (double)RS_NS_PER_S);
	const rs_ns now = (rs_ns)(dues[_i].now_s * (double)RS_NS_PER_S);
	ck_assert(rs_nic_stats_is_due(last, dues[_i].pace_s, now) == dues[_i].is_due);
}
END_TEST

/* ------------------------------------------------------------ live */

static bool
run(const char *command)
{
	char line[256];
	(void)snprintf(line, sizeof(line), "( %s ) >/dev/null 2>&1", command);
	return system(line) == 0;
}

/* One collector and its frame. */
struct rig {
	const struct rs_collector *collector;
	struct rs_root *root;
	void *state;
	struct rs_frame *frame;
	struct rs_rtnl *rtnl;
	rs_ns now;
};

static const struct rs_collector *
collector_of(const char *id)
{
	for (size_t i = 0; rs_collectors[i]; i++) {
		if (strcmp(rs_collectors[i]->id, id) == 0)
			return rs_collectors[i];
	}
	return NULL;
}

static bool
open_rig(struct rig *r, const char *id)
{
	memset(r, 0, sizeof(*r));
	r->collector = collector_of(id);
	r->now = 1000 * RS_NS_PER_S;
	return r->collector && rs_root_open("/", &r->root) == 0 &&
	       rs_frame_new(100000, &r->frame) == 0 && rs_rtnl_open(&r->rtnl) == 0 &&
	       r->collector->open(r->root, &r->state) == 0;
}

static void
close_rig(struct rig *r)
{
	r->collector->close(r->state);
	rs_rtnl_close(r->rtnl);
	rs_frame_free(r->frame);
	rs_root_close(r->root);
}

/* A tick a second later. */
static int
collect(struct rig *r)
{
	r->now += RS_NS_PER_S;
	rs_frame_reset(r->frame, r->now);
	return r->collector->collect(r->state, r->frame);
}

/* Ticks until the claim holds: links that come up do so in a work queue, whose
 * notice may fall into a tick, which then leaves the interface out. False: it
 * never held. */
#define SETTLES(rig, claim)                                                                        \
	({                                                                                         \
		unsigned left_ = 200;                                                              \
		while (left_ > 0 && (collect(rig) != 0 || !(claim))) {                             \
			(void)usleep(10000);                                                       \
			left_--;                                                                   \
		}                                                                                  \
		left_ > 0;                                                                         \
	})

static const struct rs_queue_origin *
origin_of(const struct rig *r, uint32_t ifindex)
{
	for (size_t i = 0; i < r->frame->n_origins; i++) {
		if (r->frame->origins[i].ifindex == ifindex)
			return &r->frame->origins[i];
	}
	return NULL;
}

static bool
is_from(const struct rig *r, uint32_t ifindex, enum rs_queue_source source, const char *reason)
{
	const struct rs_queue_origin *const o = origin_of(r, ifindex);
	return o && o->source == source && strcmp(o->reason, reason) == 0;
}

/* Sum over the queues; how many there are. */
static unsigned
sum_of(const struct rig *r, enum rs_metric_id metric, uint32_t ifindex, uint64_t *ret)
{
	unsigned n = 0;
	*ret = 0;
	for (size_t i = 0; i < r->frame->n_readings; i++) {
		const struct rs_reading *const x = &r->frame->readings[i];
		if (x->metric != metric || x->key != ifindex)
			continue;
		*ret += x->value;
		n++;
	}
	return n;
}

struct lookup {
	uint32_t ifindex;
	struct rs_link_stats stats;
};

static void
look_up(void *arg, const struct rs_link_stats *s)
{
	struct lookup *const l = arg;
	if (s->ifindex == l->ifindex)
		l->stats = *s;
}

static uint64_t
kernels_count(const struct rig *r, uint32_t ifindex, unsigned field)
{
	struct lookup l = {.ifindex = ifindex};
	return rs_rtnl_stats(r->rtnl, look_up, &l) == 0 ? l.stats.field[field] : 0;
}

static bool
send_frames(uint32_t ifindex, unsigned n)
{
	const int fd = socket(AF_PACKET, SOCK_RAW, 0);
	const struct sockaddr_ll to = {
	    .sll_family = AF_PACKET, .sll_ifindex = (int)ifindex, .sll_halen = ETH_ALEN};
	const char frame[64] = {[12] = (char)0x88, [13] = (char)0xb5};
	bool is_done = fd >= 0;
	for (unsigned i = 0; is_done && i < n; i++)
		is_done = sendto(fd, frame, sizeof(frame), 0, (const struct sockaddr *)&to,
			      sizeof(to)) == (ssize_t)sizeof(frame);
	if (fd >= 0)
		(void)close(fd);
	return is_done;
}

/* Root in a namespace with a sysfs of its own, where ip works. */
static bool
enter_namespace(void)
{
	return geteuid() == 0 && unshare(CLONE_NEWNET | CLONE_NEWNS) == 0 &&
	       mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0 &&
	       mount("sysfs", "/sys", "sysfs", 0, NULL) == 0 && run("ip link set lo up");
}

/* The counter of a queue lies between two looks at the interface's own. */
static int
count_packets(struct rig *r, uint32_t ifindex)
{
	uint64_t packets, bytes;
	const uint64_t before = kernels_count(r, ifindex, RS_LINK_RX_PACKETS);
	if (!SETTLES(r, origin_of(r, ifindex)))
		return 10;
	const uint64_t after = kernels_count(r, ifindex, RS_LINK_RX_PACKETS);
	if (sum_of(r, RS_M_QUEUE_RX_PACKETS, ifindex, &packets) != 2)
		return 11;
	if (packets < before || packets > after)
		return 12;
	if (sum_of(r, RS_M_QUEUE_RX_BYTES, ifindex, &bytes) != 2 || bytes < 64 * packets)
		return 13;
	return is_from(r, ifindex, RS_QUEUES_ETHTOOL, "") ? 0 : 14;
}

#define ADD_IFB(name, queues)                                                                      \
	"ip link add name " name " numtxqueues " queues " numrxqueues " queues " type ifb"

/* ifb counts what is sent to it as received, a queue at a time. */
static int
packets_of_queues(void)
{
	struct rig r;
	if (!run(ADD_IFB("qa", "2")) || !run(ADD_IFB("qb", "2")) ||
	    !run("ip link set qa up && ip link set qb up"))
		return SKIPPED;
	const uint32_t a = if_nametoindex("qa"), b = if_nametoindex("qb");
	if (!open_rig(&r, "queues") || !send_frames(a, 300) || !send_frames(b, 20))
		return 1;
	int rc = count_packets(&r, a);
	if (!rc)
		rc = count_packets(&r, b);
	if (rc)
		return rc;
	uint64_t packets, later;
	(void)sum_of(&r, RS_M_QUEUE_RX_PACKETS, a, &packets);
	if (packets < 300 || origin_of(&r, if_nametoindex("lo")))
		return 2;
	/* Each keeps its own counters when the names change places, in the same
	 * tick. */
	if (!run("ip link set qa name qc && ip link set qb name qa && ip link set qc name qb"))
		return SKIPPED;
	rc = count_packets(&r, a);
	if (!rc)
		rc = count_packets(&r, b);
	(void)sum_of(&r, RS_M_QUEUE_RX_PACKETS, a, &later);
	if (!rc && later < packets)
		rc = 3;
	/* One comes back with other queues, as after a reload of a driver. */
	if (!rc && (!run("ip link del qa") || collect(&r) != 0 || origin_of(&r, b)))
		rc = 4;
	if (!rc && (!run(ADD_IFB("qa", "5")) || !run("ip link set qa up")))
		rc = 5;
	const uint32_t again = if_nametoindex("qa");
	if (!rc && !SETTLES(&r, sum_of(&r, RS_M_QUEUE_TX_PACKETS, again, &packets) == 5))
		rc = 6;
	close_rig(&r);
	return rc;
}

static bool
set_channels(const char *name, uint32_t n)
{
	struct ethtool_channels c = {.cmd = ETHTOOL_SCHANNELS, .rx_count = n, .tx_count = n};
	struct ifreq q = {.ifr_data = (char *)&c};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	memcpy(q.ifr_name, name, strlen(name));
	const bool is_done = fd >= 0 && ioctl(fd, SIOCETHTOOL, &q) == 0;
	(void)close(fd);
	return is_done;
}

static int
reasons_and_changes(void)
{
	static const char down[] = "the interface is down";
	static const char none[] = "the driver has no queue counters";
	static const char drops[] = "the driver counts drops of its queues, not packets";
	struct rig r;
	uint64_t sum;
	if (!run("ip link add name va numtxqueues 4 numrxqueues 4 type veth peer name vb "
		 "numtxqueues 4 numrxqueues 4") ||
	    !run("ip link add name bra type bridge && ip link set bra up"))
		return SKIPPED;
	const uint32_t va = if_nametoindex("va"), bra = if_nametoindex("bra");
	if (!open_rig(&r, "queues") || collect(&r) != 0)
		return 1;
	if (!is_from(&r, va, RS_QUEUES_NONE, down) || !is_from(&r, bra, RS_QUEUES_NONE, none))
		return 2;
	if (r.frame->n_readings != 0)
		return 3;
	if (!run("ip link set va up && ip link set vb up") ||
	    !SETTLES(&r, is_from(&r, va, RS_QUEUES_ETHTOOL, drops)) ||
	    sum_of(&r, RS_M_QUEUE_RX_DROPS, va, &sum) != 4)
		return 4;
	if (!set_channels("va", 2))
		return SKIPPED;
	if (!SETTLES(&r, sum_of(&r, RS_M_QUEUE_RX_DROPS, va, &sum) == 2))
		return 5;
	if (!run("ip link set va down") || !SETTLES(&r, is_from(&r, va, RS_QUEUES_NONE, down)))
		return 6;
	/* The other end is still up. */
	if (!SETTLES(&r, r.frame->n_readings > 0) || sum_of(&r, RS_M_QUEUE_RX_DROPS, va, &sum) != 0)
		return 7;
	if (!run("ip link del va") || collect(&r) != 0)
		return 8;
	const int rc = origin_of(&r, va) || r.frame->n_readings ? 9 : 0;
	close_rig(&r);
	return rc;
}

static int
nothing_but_loopback(void)
{
	struct rig queues, napis;
	if (!open_rig(&queues, "queues") || collect(&queues) != 0)
		return 1;
	if (queues.frame->n_origins || queues.frame->n_readings)
		return 2;
	close_rig(&queues);
	if (!open_rig(&napis, "napi"))
		return SKIPPED;
	if (collect(&napis) != 0 || !napis.frame->has_napis || napis.frame->n_napis)
		return 3;
	/* What has not changed is not told again, but read again in 4 s. */
	if (collect(&napis) != 0 || napis.frame->has_napis)
		return 4;
	unsigned told = 0;
	for (unsigned i = 0; i < 8; i++)
		told += collect(&napis) == 0 && napis.frame->has_napis;
	close_rig(&napis);
	return told == 2 ? 0 : 5;
}

static bool
set_gro(const char *name)
{
	struct ethtool_value v = {.cmd = ETHTOOL_SGRO, .data = 1};
	struct ifreq q = {.ifr_data = (char *)&v};
	const int fd = socket(AF_INET, SOCK_DGRAM, 0);
	memcpy(q.ifr_name, name, strlen(name));
	const bool is_done = fd >= 0 && ioctl(fd, SIOCETHTOOL, &q) == 0;
	(void)close(fd);
	return is_done;
}

/* With GRO, veth polls by NAPI (drivers/net/veth.c, veth_napi_enable). */
static int
threads_of_napis(void)
{
	struct rig r;
	if (!run("ip link add name va numtxqueues 2 numrxqueues 2 type veth peer name vb") ||
	    !open_rig(&r, "napi"))
		return SKIPPED;
	if (collect(&r) != 0)
		return 1;
	if (!set_gro("va") || !run("ip link set va up && ip link set vb up"))
		return SKIPPED;
	/* A notice came: read at once. */
	if (collect(&r) != 0 || !r.frame->has_napis)
		return 2;
	if (r.frame->n_napis == 0)
		return SKIPPED;
	for (size_t i = 0; i < r.frame->n_napis; i++) {
		if (r.frame->napis[i].ifindex != if_nametoindex("va") ||
		    r.frame->napis[i].pid != -1 || r.frame->napis[i].irq != -1)
			return 3;
	}
	if (!run("echo 1 >/sys/class/net/va/threaded"))
		return SKIPPED;
	for (unsigned i = 0; i < 5; i++) {
		if (collect(&r) != 0)
			return 4;
		for (size_t k = 0; r.frame->has_napis && k < r.frame->n_napis; k++) {
			if (r.frame->napis[k].pid > 0) {
				close_rig(&r);
				return 0;
			}
		}
	}
	return 5;
}

/* veth, of which the tree says that it is a device that sleeps. */
static int
sleeping_devices(void)
{
	struct rs_faketree tree;
	struct rs_root *root;
	struct rs_ethtool *ethtool;
	struct rs_nic_list list;
	char number[16];
	rs_ns now = 1000 * RS_NS_PER_S;
	if (!run("ip link add name va type veth peer name vb && ip link set va up"))
		return SKIPPED;
	const uint32_t va = if_nametoindex("va");
	(void)snprintf(number, sizeof(number), "%u\n", va);
	rs_faketree_make(&tree);
	rs_faketree_put(&tree, number, "sys/class/net/va/ifindex");
	rs_faketree_put(&tree, "auto\n", "sys/class/net/va/device/power/control");
	rs_faketree_put(&tree, "suspended\n", "sys/class/net/va/device/power/runtime_status");
	if (rs_root_open(tree.dir, &root) != 0 || rs_ethtool_open(&ethtool) != 0 ||
	    rs_nic_list_open(&list, root, ethtool) != 0 || rs_nic_list_follow(&list, now) != 0)
		return 1;
	/* Not asked at all. */
	const struct rs_nic_entry *e = rs_nic_list_find(&list, va);
	if (!e || e->error != -ENODEV || e->stats.n != 0)
		return 2;
	/* It is looked at again soon. */
	rs_faketree_put(&tree, "active\n", "sys/class/net/va/device/power/runtime_status");
	if (rs_nic_list_follow(&list, now + 6 * RS_NS_PER_S) != 0)
		return 3;
	e = rs_nic_list_find(&list, va);
	if (!e || e->error || e->stats.n == 0 || rs_nic_list_is_asleep(&list, e))
		return 4;
	rs_faketree_put(&tree, "suspended\n", "sys/class/net/va/device/power/runtime_status");
	if (!rs_nic_list_is_asleep(&list, e))
		return 5;
	rs_nic_list_close(&list);
	rs_ethtool_close(ethtool);
	rs_root_close(root);
	rs_faketree_remove(&tree, NULL);
	return 0;
}

static const struct {
	const char *name;
	int (*fn)(void);
} lives[] = {
    {"packets of queues", packets_of_queues},
    {"reasons and changes", reasons_and_changes},
    {"nothing but loopback", nothing_but_loopback},
    {"threads of NAPI instances", threads_of_napis},
    {"sleeping devices", sleeping_devices},
};

START_TEST(live)
{
	const pid_t child = fork();
	ck_assert_int_ge(child, 0);
	if (child == 0)
		_exit(enter_namespace() ? lives[_i].fn() : SKIPPED);
	int status;
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert(WIFEXITED(status));
	if (WEXITSTATUS(status) == SKIPPED)
		(void)printf("# SKIP %s: not possible here\n", lives[_i].name);
	else
		ck_assert_msg(
		    WEXITSTATUS(status) == 0, "%s: %d", lives[_i].name, WEXITSTATUS(status));
}
END_TEST

/* On this machine's own interfaces: what netlink tells of the queues agrees with
 * the sum the kernel keeps of the interface. */
START_TEST(netlink_agrees_with_the_interface)
{
	struct rig r;
	uint64_t packets;
	bool is_tested = false;
	ck_assert(open_rig(&r, "queues"));
	ck_assert_int_eq(collect(&r), 0);
	struct rs_queue_origin origins[16];
	const size_t n = RS_MIN(r.frame->n_origins, RS_ARRAY_LEN(origins));
	if (n)
		memcpy(origins, r.frame->origins, n * sizeof(origins[0]));
	for (size_t i = 0; i < n; i++) {
		if (origins[i].source != RS_QUEUES_NETLINK)
			continue;
		const uint32_t ifindex = origins[i].ifindex;
		const uint64_t before = kernels_count(&r, ifindex, RS_LINK_RX_PACKETS);
		ck_assert_int_eq(collect(&r), 0);
		const uint64_t after = kernels_count(&r, ifindex, RS_LINK_RX_PACKETS);
		ck_assert_uint_gt(sum_of(&r, RS_M_QUEUE_RX_PACKETS, ifindex, &packets), 0);
		ck_assert_uint_le(packets, after);
		/* A driver may forget a queue's count when it is set up anew. */
		ck_assert(packets >= before || packets > 0);
		is_tested = true;
	}
	if (!is_tested)
		(void)printf("# SKIP no interface here is told by netlink\n");
	close_rig(&r);
}
END_TEST

START_TEST(a_count_that_changed_is_told_and_writes_nothing_else)
{
	struct rs_ethtool *e;
	const char *names;
	const uint64_t *values;
	uint32_t n = 0;
	ck_assert_int_eq(rs_ethtool_open(&e), 0);
	ck_assert_int_eq(rs_ethtool_count(e, "no-such-device", &n), -ENODEV);
	ck_assert_int_eq(rs_ethtool_values(e, "no-such-device", 1, &values), -ENODEV);
	ck_assert_int_eq(rs_ethtool_count(e, "lo", &n), -EOPNOTSUPP);
	char name[16];
	ck_assert_int_eq(rs_ethtool_name(e, 0x7ffffffe, name), -ENODEV);
	bool is_tested = false;
	for (uint32_t i = 1; i < 64 && !is_tested; i++) {
		if (rs_ethtool_name(e, i, name) != 0 || rs_ethtool_count(e, name, &n) != 0)
			continue;
		ck_assert_int_eq(rs_ethtool_names(e, name, n, &names), 0);
		ck_assert_int_eq(rs_ethtool_values(e, name, n, &values), 0);
		ck_assert_int_eq(rs_ethtool_names(e, name, n + 1, &names), -ESTALE);
		ck_assert_int_eq(rs_ethtool_values(e, name, n + 1, &values), -ESTALE);
		is_tested = true;
	}
	if (!is_tested)
		(void)printf("# SKIP no interface here has counters of its own\n");
	rs_ethtool_close(e);
}
END_TEST

static Suite *
suite(void)
{
	Suite *const s = suite_create("nic_queues");
	TCase *const t = tcase_create("reading");
	tcase_add_test(t, a_reading_gives_queues_and_the_ring);
	tcase_add_test(t, a_reading_gives_pause_frames_and_stops_aside);
	tcase_add_test(t, fewer_values_than_planned_give_nothing);
	tcase_add_loop_test(t, a_slow_source_is_read_at_its_pace, 0, (int)RS_ARRAY_LEN(dues));
	suite_add_tcase(s, t);
	TCase *const k = tcase_create("live");
	tcase_set_timeout(k, 60);
	tcase_add_loop_test(k, live, 0, (int)RS_ARRAY_LEN(lives));
	tcase_add_test(k, netlink_agrees_with_the_interface);
	tcase_add_test(k, a_count_that_changed_is_told_and_writes_nothing_else);
	suite_add_tcase(s, k);
	return s;
}

RS_CHECK_MAIN(suite())

/* SPDX-License-Identifier: ISC */
/*
 * The interfaces whose queues are read, and what is known of each beforehand:
 * kept up by the kernel's notices, so that a tick need not look for changes.
 * Used by nic_queues.c; loop thread.
 */
#ifndef RS_NIC_LIST_H
#define RS_NIC_LIST_H

#include "frame.h"
#include "nic_stats.h"

struct rs_root;

struct rs_nic_entry {
	uint32_t ifindex;
	char name[16];	  /* as of the last description */
	bool is_noted;	  /* it changed since then */
	bool is_loopback; /* of no interest */
	bool is_up;
	bool is_physical;
	int error; /* why `ethtool -S` is of no use; 0: it is, or the interface is down */
	struct rs_nic_stats stats;
	/* the list's own */
	bool is_listed;
	bool may_sleep;	   /* a question might wake it */
	rs_ns describe_ns; /* when it is described again without notice */
	/* the reader's own, zeroed when the interface appears */
	bool is_in_frame;		/* something was read of it in this try */
	bool is_answered, was_answered; /* by netlink, in this reading and the last */
	enum rs_queue_source source;	/* in this try */
	enum rs_queue_source told;	/* in the last frame that had some */
	bool has_drops;			/* netlink told what its receive queues lost, */
	uint64_t rx_drops;		/* in all */
	bool has_stops;			/* and how often its transmit queues stopped, */
	uint64_t stops;			/* in all */
	bool lacks_pause; /* netlink does not tell of pause frames, since it was described */
	/* When its queues, its ring, and pause frames and stops were read by ethtool,
	 * when netlink was asked for pause frames, and when it was told that it has no
	 * counters; RS_NIC_LONG_AGO: never, or not of late. */
	rs_ns read_ns, ring_ns, more_ns, pause_ns, none_ns;
};

#define RS_NIC_LONG_AGO (INT64_MIN / 2)

struct rs_nic_list {
	struct rs_nic_entry *entries;
	size_t n;
	bool has_new; /* set when an interface was described that is up; for the reader */
	const struct rs_ethtool *ethtool;
	/* nic_list.c's own */
	const struct rs_root *root;
	struct rs_linkwatch *watch;
	struct rs_rtnl *rtnl;
	size_t cap;
	size_t at; /* where the next index is looked for first */
	bool is_to_list;
	bool is_stale;
};

/* Asks by ethtool, which stays the caller's. */
int rs_nic_list_open(
    struct rs_nic_list *l, const struct rs_root *root, const struct rs_ethtool *ethtool);
void rs_nic_list_close(struct rs_nic_list *l); /* also half open; zeroes it */

/* Follows the notices: lists and describes what they tell of, and now and then
 * what may change without one. */
int rs_nic_list_follow(struct rs_nic_list *l, rs_ns now);
/* Takes the notices that have come since. False when one was of an interface
 * with is_in_frame set. */
bool rs_nic_list_is_same(struct rs_nic_list *l);
/* NULL: not known. */
struct rs_nic_entry *rs_nic_list_find(struct rs_nic_list *l, uint32_t ifindex);
/* Whether it must not be asked by ethtool, for that would wake it. */
bool rs_nic_list_is_asleep(const struct rs_nic_list *l, const struct rs_nic_entry *e);
/* `ethtool -S` failed: it is of no use until the interface is described again,
 * which is soon. */
void rs_nic_list_failed(struct rs_nic_entry *e, int error, rs_ns now);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What stands in counts without rates: totals since boot, or differences over a
 * time that nobody told. Load is not known there, only who was interrupted, which
 * queue got the packets and what was lost. Pure, over plain data of the caller;
 * used by captures.
 */
#ifndef RS_TOTALS_H
#define RS_TOTALS_H

#include "finding.h"

enum rs_total_basis {
	RS_TOTAL_SINCE_BOOT,
	RS_TOTAL_DIFFERENCE /* of two samples; a thousandth of the counts is enough */
};

/* A core that is online. NAN: not read. */
struct rs_total_core {
	unsigned cpu;
	double nic_interrupts; /* a shared line counts once */
	double net_rx, processed, dropped, squeezed;
	double softirq_s, booked_s; /* CPU time since boot: softirq, all */
	bool is_isolated;	    /* kept for something else */
};

/* An interrupt line of network devices. */
struct rs_total_line {
	char irq[16];
	const char *actions;	/* as printed; NULL: none */
	const uint32_t *counts; /* of each core, in their order; NULL: not by core */
	double total;
	uint32_t first_feed, n_feeds; /* in feeds */
	uint32_t row;		      /* the caller's */
};

/* Whose a line is: one for each device and queue it serves. Those of a line lie
 * together. */
struct rs_total_feed {
	uint32_t line, device; /* indexes */
	int32_t queue;	       /* -1: not told */
	bool is_queue;	       /* false: the bare name beside numbered lines */
};

/* Packets of a receive queue, by the driver's counters. */
struct rs_total_queue {
	uint16_t queue;
	double packets;
};

enum rs_total_lost { RS_TOTAL_RING, RS_TOTAL_WIRE, RS_TOTAL_SOFTWARE, RS_TOTAL_LIMIT };

struct rs_total_loss {
	char name[64];
	double count;
	enum rs_total_lost lost;
};

struct rs_total_device {
	char name[64];
	char driver[32]; /* "": not told */
	bool is_wireless;
	bool is_counted;		   /* the caller's: queues and losses are filled in */
	double rx_packets;		   /* NAN: not read */
	uint32_t first_queue, n_queues;	   /* in queues */
	uint32_t first_loss, n_losses;	   /* in losses */
	int32_t rx_channels, max_channels; /* ethtool -l; -1: not told */
};

/* Network threads of FreeBSD. NAN: not told. */
struct rs_total_netisr {
	bool is_present;
	unsigned workstreams, threads; /* listed; as configured, 0: not told */
	unsigned cpus;		       /* of the machine, 0: not known */
	double dropped, queued;
	char protocol[16]; /* that lost the most */
};

struct rs_totals {
	enum rs_total_basis basis;
	double span_s;			   /* between the samples; NAN: not known */
	const struct rs_total_core *cores; /* ascending */
	size_t n_cores;
	const struct rs_total_line *lines;
	size_t n_lines;
	const struct rs_total_feed *feeds;
	size_t n_feeds;
	const struct rs_total_device *devices;
	size_t n_devices;
	const struct rs_total_queue *queues;
	size_t n_queues;
	const struct rs_total_loss *losses;
	size_t n_losses;
	bool has_softirqs, has_softnet; /* net_rx, processed of cores */
	bool has_loads;	  /* the cores' loads are known from elsewhere: who was interrupted
			     does not matter then */
	bool wants_cause; /* a core is known to be full: why is asked, however few the counts
			     are */
	struct rs_total_netisr netisr;
};

/* Judges; writes at most cap findings, those that weigh most first. Confidence is
 * never better than medium. 0 or -ENOMEM. */
int rs_totals_judge(const struct rs_totals *t, struct rs_finding *ret, size_t cap, size_t *ret_n);

/* Whether what decides was read: lines of NICs, counters of several queues, or
 * packets by core. */
bool rs_totals_decide(const struct rs_totals *t);

/* A queue of a device: lines that serve the same one, for rx and tx, are one. */
struct rs_queue_unit {
	uint32_t device;
	int32_t queue; /* -1: not told */
	uint32_t line; /* the first of it */
	double total;
	size_t core;  /* that took the most */
	double share; /* of that core; NAN: nothing, or not by core */
};
/* Fills at most cap units; returns how many there are. */
size_t rs_queue_units_of(const struct rs_totals *t, struct rs_queue_unit *ret, size_t cap);
/* For lines of text: how much of all NIC interrupts the busiest core took; NAN:
 * there were none. */
double rs_totals_busiest(const struct rs_totals *t, unsigned *ret_cpu, double *ret_all);

#endif

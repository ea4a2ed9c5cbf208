/* SPDX-License-Identifier: ISC */
/*
 * The flows that the leading interface receives: which queue its hash gives to
 * each, how many equal ones they are worth, and what that makes of the queue that
 * stands out. Shared by rules/flow_*.c and rss_not_hashing.c, so that exactly one
 * of them explains it. Pure.
 */
#ifndef RS_FLOWS_H
#define RS_FLOWS_H

#include "lead.h"

/* From this share on the queue has nearly all packets: a hash that works does not
 * do that to many flows. */
#define RS_FLOWS_ALL_SHARE 0.95

enum rs_flows_say {
	RS_FLOWS_NOTHING,     /* no queue stands out, or it is none of these */
	RS_FLOWS_UNKNOWN,     /* flows are not known: one flow or a collision */
	RS_FLOWS_ELEPHANT,    /* one flow is nearly all of the queue */
	RS_FLOWS_COLLISION,   /* several of them met by chance */
	RS_FLOWS_NOT_HASHING, /* too many met for chance */
};

/* A flow with the queue that key and table give it; -1: not known. */
struct rs_lead_flow {
	const struct rs_heavy_flow *flow;
	int queue;
};

/* The queue is computed of so many of the heaviest. */
#define RS_LEAD_FLOWS_MAX 8u

struct rs_lead_flows {
	enum rs_flows_say say;
	unsigned queues;  /* Q: those the table can select */
	double queue_bps; /* of the busiest */
	unsigned n;	  /* flows received, the heaviest of them below */
	struct rs_lead_flow at[RS_LEAD_FLOWS_MAX];
	double effective; /* F_eff of all n; NAN: flows not known */
	double chance;	  /* that so much meets on a queue; with flows unknown, of two flows */
	double biggest;	  /* share of the queue that the heaviest flow on it has */
	unsigned n_big;	  /* flows with a part of the queue worth to be called so */
	unsigned big[2];  /* the first two of them in `at` */
	double udp_share; /* of the bits of all n */
	bool is_by_route; /* the interface of all of them is known */
};

void rs_lead_flows_of(const struct rs_lead *l, struct rs_lead_flows *ret);

/* The queue that the interface's key and table give to a flow; -1: it hashes
 * otherwise, or that is not known. */
int rs_flow_queue(
    const struct rs_view *v, const struct rs_nic_view *nic, const struct rs_heavy_flow *f);

/* What rules need that wait for flows. */
#define RS_FLOWS_NEEDED "bytes of connections (net.netfilter.nf_conntrack_acct=1, CAP_NET_ADMIN)"

/* A receive queue of the interface. */
struct rs_subject rs_queue_subject(
    const struct rs_nic_view *nic, const struct rs_queue_view *queue);

/* "10.0.0.2:5201 -> 10.0.1.2:40000 tcp". */
#define RS_FLOW_BYTES 112
void rs_flow_format(const struct rs_heavy_flow *f, char dst[static RS_FLOW_BYTES]);

/* For `explains` of all of them (cause.h): why none of them is the cause, where that
 * does not depend on which flows there are; true: it does. */
struct rs_cause;
bool rs_flows_matter(const struct rs_lead *l, const struct rs_lead_flows *f, struct rs_cause *ret);

/* The flows with their rates and queues, and the probability. */
void rs_flows_evidence(struct rs_says *out, const struct rs_lead *l, const struct rs_lead_flows *f);

/* A stacked interface that hides the flows in it from the NIC below, and whether
 * it carries at least half of what the NIC receives. */
bool rs_is_tunnel(const struct rs_nic_view *nic);
const struct rs_nic_view *rs_find_carried(
    const struct rs_lead *l, bool (*is_wanted)(const struct rs_nic_view *nic));

#endif

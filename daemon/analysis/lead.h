/* SPDX-License-Identifier: ISC */
/*
 * The core that leads: the one whose packet load an umbrella rule names, and
 * what feeds it. Computed once a tick by the engine; the rules of causes explain
 * it (rule.h: explains), the first in the order of causes that can is the cause.
 * Pure.
 */
#ifndef RS_LEAD_H
#define RS_LEAD_H

#include "feed.h"
#include "finding.h"
#include "rule.h"
#include "shape.h"

/* A device gives a core this share of its interrupts: it feeds it, and when no
 * other does, it alone. */
#define RS_FEEDS_SHARE 0.20
/* A receive queue with this share of its interface's packets stands out. */
#define RS_QUEUE_STANDS_OUT 0.60

struct rs_lead {
	const struct rs_view *v;
	struct rs_group group; /* the leading one; group.cpu is the core */
	const struct rs_core_view *core;
	/* Of the umbrella: imbalance (WARN) or skew (INFO); BETWEEN: only its clear
	 * threshold is passed. INFO too where the link is the limit. */
	bool is_imbalanced;
	enum rs_condition condition;
	enum rs_severity severity;
	/* Devices whose queue lines fire on the core, busiest first; before them the one
	 * that gives it most packets, where that is known. */
	struct rs_core_feed feeds[RS_FEEDS_MAX];
	size_t n_feeds;
	double feeds_ps; /* interrupts per second of all of them */
	unsigned n_nics; /* feeds with at least RS_FEEDS_SHARE of it */
	/* Packets each of them received on the core, by its queues or its only line;
	 * NAN: not known. A line interrupts for packets that were sent, too, so only
	 * these tell who feeds the core: n_rx_nics give it RS_FEEDS_SHARE of what it
	 * receives; 0: not known of all that matter. */
	double feed_rx_pps[RS_FEEDS_MAX];
	unsigned n_rx_nics;
	/* Packets come by hand-over from other cores (RPS) rather than interrupts. */
	bool is_by_rps;
	/* A kernel thread does the work (threaded NAPI, VPN). */
	const struct rs_thread_view *thread; /* or NULL */
	/* The interface that feeds it most, NULL: not known. With RPS or a thread, the
	 * one whose packets they are, where that can be told. */
	const struct rs_nic_view *nic;
	const struct rs_queue_view *rx;	     /* its receive queues, n_rx of them; NULL: not known */
	unsigned n_rx;			     /* 0: not known */
	const struct rs_queue_view *busiest; /* of rx; NULL: no packets known */
	double share;			     /* s*: its share of the received packets; NAN */
	size_t n_cold;			     /* eligible groups with P below RS_IDLE_BUSY */
};

/* False: no core leads, nothing is to be explained. */
bool rs_lead_of(const struct rs_view *v, struct rs_lead *ret);

/* The indirection table of the leading interface. */
struct rs_lead_table {
	struct rs_text text; /* as the setting has it (rss.h) */
	uint32_t entries;
	uint32_t most, least; /* entries of a queue */
	unsigned n;	      /* receive queues */
	unsigned selected;    /* of them, that have an entry */
	unsigned first;	      /* the first of those */
};
/* False: table or queues are not known, there is one queue, or it is too large a
 * table to be counted. */
bool rs_lead_table(const struct rs_lead *l, struct rs_lead_table *ret);

/* Text of a setting of the leading interface, NULL: not known. */
const char *rs_lead_fact(const struct rs_lead *l, enum rs_fact_id id);
/* The same as a number; -1: not known or none. */
int64_t rs_lead_number(const struct rs_lead *l, enum rs_fact_id id);

#endif

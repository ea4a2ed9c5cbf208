/* SPDX-License-Identifier: ISC */
/*
 * What an interface loses in its receive rings, and the core that should have
 * emptied them in time. Used by the rules about loss. Pure.
 */
#ifndef RS_LOSS_H
#define RS_LOSS_H

#include "recent.h"

/* The core that serves a ring. */
struct rs_ring_core {
	int32_t cpu;		  /* -1: not known; then the loads are those of the idlest core */
	double packet_load, busy; /* with its siblings; NAN: not known */
};

struct rs_ring_loss {
	double lost_pps;  /* in this tick */
	double lost_60;	  /* packets of the last minute */
	double cold_60;	  /* of these, those of ticks in which no core was hot */
	double share_60;  /* of all that arrived then */
	double share;	  /* the same of this tick */
	int32_t queue;	  /* that loses the most; -1: not told */
	bool is_by_queue; /* the core is that queue's own */
	struct rs_ring_core core;
};

/* False: nothing was lost in the last minute, or it is not known. */
bool rs_ring_loss_of(const struct rs_view *v, const struct rs_recent *r,
    const struct rs_nic_view *nic, struct rs_ring_loss *ret);

/* Calls look for each interface that may lose in its rings; says what a rule needs
 * when no such loss is known of any. */
struct rs_says;
void rs_rings_look(const struct rs_view *v, const double *thresholds, struct rs_says *out,
    void (*look)(const struct rs_view *v, const struct rs_nic_view *nic, const double *thresholds,
	struct rs_says *out));

/* The fullest core that serves receive queues of the interface. A queue that is
 * polled without end interrupts nobody: then its line's affinity tells. */
void rs_ring_core_of(
    const struct rs_view *v, const struct rs_nic_view *nic, struct rs_ring_core *ret);
/* Full with packet work, as in rs_group_is_hot. */
bool rs_ring_core_is_hot(const struct rs_ring_core *c, double hot);

/* How long the ring holds what the wire can bring at the present size of packets,
 * in microseconds; NAN: not known. */
double rs_ring_holds_us(const struct rs_view *v, const struct rs_nic_view *nic);

/* "38 %", "1.2 %", "0.012 %" */
void rs_format_share(double share, char dst[static 24]);

/* A setting of the interface as a number; -1: not known. */
int64_t rs_nic_number(const struct rs_view *v, const struct rs_nic_view *nic, enum rs_fact_id id);
/* Whether a setting has this value; false as well where it is not known. */
bool rs_nic_is(
    const struct rs_view *v, const struct rs_nic_view *nic, enum rs_fact_id id, const char *value);
/* The same for settings of the machine. */
int64_t rs_host_number(const struct rs_view *v, enum rs_fact_id id);
bool rs_host_is(const struct rs_view *v, enum rs_fact_id id, const char *value);
/* Whether a value has this word; false as well for NULL. */
bool rs_has_word(const char *value, const char *word);
/* A queueing discipline that holds packets back on purpose is among them; false as
 * well for NULL. */
bool rs_is_shaped(const char *qdisc);

#endif

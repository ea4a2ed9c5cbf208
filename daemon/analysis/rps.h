/* SPDX-License-Identifier: ISC */
/*
 * Receive packet steering of an interface: what is set, which cores the packets
 * would best be handed to, and the advice to set that. Used by rules/rps_*.c and
 * where a line cannot be moved. Pure.
 */
#ifndef RS_RPS_H
#define RS_RPS_H

#include "cpuset.h"
#include "rule.h"

struct rs_rps {
	const struct rs_view *v;
	const struct rs_nic_view *nic;
	unsigned n;	  /* receive queues; 0: not known */
	unsigned n_known; /* whose mask was read */
	unsigned n_set;	  /* whose mask names a core */
	bool has_rfs;	  /* flows of some queue follow their process (RFS) */
};

void rs_rps_of(const struct rs_view *v, const struct rs_nic_view *nic, struct rs_rps *ret);
/* What a rule needs that could not read them. */
#define RS_RPS_NEEDED "RPS masks of the interface (queues/rx-*/rps_cpus)"

/* The mask of a queue as read ("0-3", "none"); NULL: not known. */
const char *rs_rps_mask(const struct rs_rps *r, unsigned queue);
/* Whether the masks of all queues were read. */
bool rs_rps_is_read(const struct rs_rps *r);

struct rs_cause;
/* For `explains` (cause.h): its masks are all 0. */
bool rs_not_set(const struct rs_rps *r, struct rs_cause *ret);

/* The cores to hand packets to, one of each physical core: those among which the
 * fullest would be least full. work: the packet load to be shared out, in cores;
 * from: the core that has it now and would be free of it; -1: all keep what they
 * have. False: there is none to give to. */
bool rs_rps_choose(const struct rs_rps *r, int from, double work, struct rs_cpuset *ret);
/* The cores that lines of the interface fire on. */
void rs_rps_interrupted(const struct rs_rps *r, struct rs_cpuset *ret);
/* Advises this mask for all queues, or none of them; false: no room for it. */
bool rs_rps_advise(
    const struct rs_rps *r, const struct rs_cpuset *s, const char *expect, struct rs_says *out);

#endif

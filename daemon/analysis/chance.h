/* SPDX-License-Identifier: ISC */
/*
 * Could it be chance? Flows fall on queues independently and evenly when a hash
 * spreads them; what is the probability that so many meet? Pure.
 */
#ifndef RS_CHANCE_H
#define RS_CHANCE_H

/* More flows are judged as so many: their chance to meet is smaller still. */
#define RS_CHANCE_FLOWS_MAX 64u

/* Probability that the busiest of `queues` has at least `share` (0..1) of
 * `flows` equal flows. 1 for no flows or a single queue; NAN for no queue or a
 * share that is not known. */
double rs_chance_of_share(unsigned flows, unsigned queues, double share);

/* Probability that all flows are on one queue: queues ^ (1 - flows), for any
 * number of flows of which a part may be counted (effective flows, >= 1). */
double rs_chance_of_one(double flows, unsigned queues);

/* How many equal flows would be as uneven: (sum w)^2 / sum w^2. 0: none. */
double rs_effective_flows(const double *weight, unsigned n);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The names of `ethtool -S`: each driver makes its own. A few templates find
 * those that count packets of a queue. Names come from the kernel
 * (ETHTOOL_GSTRINGS) or from the printed text of a capture. A plan (stat_plan.c)
 * keeps where they lie among the values, so that a reading costs additions
 * only. Pure: no I/O, no clock; any thread.
 */
#ifndef RS_STAT_NAMES_H
#define RS_STAT_NAMES_H

#include <stdbool.h>

#include "text.h"

#define RS_STAT_NAME_BYTES 32u /* ETH_GSTRING_LEN; not always with a NUL */
#define RS_STATS_MAX 65536u    /* no interface has so many counters */

struct rs_driver;

enum rs_stat_kind {
	RS_STAT_PACKETS,
	RS_STAT_BYTES,
	RS_STAT_DROPS,	/* packets the queue lost */
	RS_STAT_ERRORS, /* packets with an error, a wrong checksum among them */
	RS_STAT_NOMEM,	/* events: no memory for a buffer */
	RS_STAT_TXSTOP, /* events: the transmit queue was full */
	RS_STAT_TXWAKE
};

/* Counters with their names. Zeroed to begin with. */
struct rs_stat_set {
	char *names; /* n blocks of RS_STAT_NAME_BYTES */
	uint64_t *values;
	uint32_t n, n_values; /* there may be fewer values than names */
	uint32_t cap;
	uint32_t skipped; /* lines of a text that could not be used */
};

/* Makes room for n names and as many values, zeroed, for the caller to fill.
 * 0, -ENOMEM, or -E2BIG past RS_STATS_MAX. */
int rs_stat_set_size(struct rs_stat_set *s, uint32_t n);
/* Reads what `ethtool -S` prints. 0, -ENOMEM, or -ENODATA when no line is a
 * counter. */
int rs_stat_set_parse(struct rs_stat_set *s, struct rs_text text);
void rs_stat_set_free(struct rs_stat_set *s); /* the memory it holds; zeroes it */
/* A name without the blanks and NULs around it. */
struct rs_text rs_stat_name(const struct rs_stat_set *s, uint32_t i);

/* Value `index` is of this queue. */
struct rs_stat_use {
	uint32_t index;
	uint16_t queue;
	bool is_tx;
	uint8_t kind; /* enum rs_stat_kind */
	uint8_t rank; /* of several for one thing the lowest rank counts, its values summed */
};

/* Names that say whose they are only by the name before them (vmxnet3): where
 * the reading of a set has come to. Zeroed to begin with. */
struct rs_stat_place {
	unsigned direction;
	uint64_t queue;
};

/* Whether counter i is of a queue, by its name alone. Called for each counter
 * of a set in order. */
bool rs_stat_read(
    const struct rs_stat_set *s, uint32_t i, struct rs_stat_place *place, struct rs_stat_use *ret);

/* What is told of the interface as a whole: each is a sum of values. */
enum rs_stat_sum {
	RS_STAT_RING, /* packets the ring lost */
	RS_STAT_RX_PAUSE,
	RS_STAT_TX_PAUSE,  /* pause frames; where they are told apart, those that say stop */
	RS_STAT_STOPS,	   /* of transmit queues, a ring being full */
	RS_STAT_ALLOWANCE, /* packets beyond what the cloud allows the port */
	RS_STAT_SUMS
};

/* Where the counters of an interface's queues, and those of its own, lie among
 * the values. Zeroed to begin with. */
struct rs_stat_plan {
	struct rs_stat_use *uses; /* by direction (receive first), queue and kind */
	uint32_t *parts[RS_STAT_SUMS];
	uint32_t n_uses, n_parts[RS_STAT_SUMS];
	uint32_t n_values; /* a reading must have so many values */
	uint32_t cap_uses, cap_parts[RS_STAT_SUMS];
};

/* Makes the plan anew. driver: NULL when it is not known. rx_queues,
 * tx_queues: how many the interface has, as drivers list more; -1: not known.
 * 0 or -ENOMEM. */
int rs_stat_plan_make(struct rs_stat_plan *p, const struct rs_stat_set *s,
    const struct rs_driver *driver, int32_t rx_queues, int32_t tx_queues);
void rs_stat_plan_free(struct rs_stat_plan *p); /* the memory it holds; zeroes it */

/* The next counter of a queue; *at is 0 before the first. false: no more, or
 * there are fewer values than the plan needs. */
bool rs_stat_next(const struct rs_stat_plan *p, const uint64_t *values, uint32_t n_values,
    uint32_t *at, struct rs_stat_use *ret, uint64_t *ret_sum);
/* False: the driver's counters do not tell. */
bool rs_stat_total(const struct rs_stat_plan *p, enum rs_stat_sum what, const uint64_t *values,
    uint32_t n_values, uint64_t *ret);
/* The same for RS_STAT_RING. */
bool rs_stat_ring(
    const struct rs_stat_plan *p, const uint64_t *values, uint32_t n_values, uint64_t *ret);

#endif

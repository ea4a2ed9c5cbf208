/* SPDX-License-Identifier: ISC */
/*
 * What the counters of a network driver mean: which of them hold packets that
 * were lost in the device or its ring, how often they are brought up to date,
 * and how dear it is to ask. A table made from reading drivers/net. Used where
 * interfaces are described, where `ethtool -S` is read, and by readers of
 * captures. Pure; any thread.
 */
#ifndef RS_DRIVERS_H
#define RS_DRIVERS_H

#include "frame.h"

/* Lists are of names with ',' between them; '#' stands for a number, a blank
 * for one or more. */
struct rs_driver {
	const char *names; /* of the driver link in sysfs, and as `ethtool -i` has it */
	/* For rs_nic_info: bits of enum rs_loss. */
	uint8_t loss_ring, loss_ring_in;
	/* The device's own counters are brought up to date once in so many
	 * seconds; 0: when they are read. */
	uint8_t refresh_s;
	/* Reading `ethtool -S` is slow: not more often than this; 0: each tick. */
	uint8_t pace_s;
	/* The counters of `ethtool -S` that RS_LOSS_DRIVER stands for, to be
	 * summed; without that bit they count the same as the fields. NULL:
	 * none. */
	const char *ring;
	/* Counters that sound like loss in this driver and are none. */
	const char *benign;
};

/* NULL: not known. */
const struct rs_driver *rs_driver_find(const char *name);
/* The driver of the interface; for any device on a USB the slow pace at
 * least. */
const struct rs_driver *rs_driver_of(const struct rs_nic_info *nic);
/* Whether a name of `ethtool -S` is in a list; no list has none. */
bool rs_driver_lists(const char *list, struct rs_text name);

/* What a counter of `ethtool -S` says of packets that were lost. */
enum rs_lost {
	RS_LOST_NOTHING,  /* nothing, or it is not known */
	RS_LOST_RING,	  /* in the device or its ring */
	RS_LOST_WIRE,	  /* damaged when they came */
	RS_LOST_SOFTWARE, /* given up by the driver: no memory, no room to send */
	RS_LOST_LIMIT	  /* held back or dropped by the provider of the machine */
};

/* driver may be NULL: then by the names that mean the same everywhere. */
enum rs_lost rs_driver_lost(const struct rs_driver *driver, struct rs_text name);

#endif

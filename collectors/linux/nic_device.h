/* SPDX-License-Identifier: ISC */
/*
 * What sysfs tells of the device behind an interface beside its queues' steering:
 * its memory node, the bridge or bond it is a port of, and how often its transmit
 * queues stood still. Used by nic_settings.c alone, on the loop thread.
 */
#ifndef RS_NIC_DEVICE_H
#define RS_NIC_DEVICE_H

#include "frame.h"
#include "root.h"

/* Puts memory node and master, or that there are none. */
void rs_nic_device_read(
    const struct rs_root *root, const char *name, uint32_t ifindex, struct rs_frame *f);

/* Transmit queues are looked at in turn. Zeroed to begin with, and where there are
 * others than before. */
struct rs_nic_timeouts {
	uint32_t at;	 /* the next queue */
	uint64_t sum;	 /* of those before it */
	bool is_in_part; /* one of them could not be read */
	rs_ns put_ns;
};

/* Looks at the next of n queues; the sum is put with the last of them. */
void rs_nic_timeouts_read(struct rs_nic_timeouts *t, const struct rs_root *root, const char *name,
    uint32_t ifindex, uint32_t n, struct rs_frame *f);

#endif

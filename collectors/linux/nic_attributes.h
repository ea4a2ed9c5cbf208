/* SPDX-License-Identifier: ISC */
/*
 * What sysfs says of one network interface. Used by sys_class_net.c and
 * nic_list.c.
 */
#ifndef RS_NIC_ATTRIBUTES_H
#define RS_NIC_ATTRIBUTES_H

#include "frame.h"
#include "root.h"

/* Reads /sys/class/net/NAME. -ENOTDIR: no interface (bonding_masters is a file
 * there); other errors: it is gone. Allocates nothing. */
int rs_nic_read(const struct rs_root *root, const char *name, struct rs_nic_info *ret);
/* Sets the kind and what follows from it. */
void rs_nic_set_kind(struct rs_nic_info *nic, const char *kind);

/* A question of ethtool's wakes a device that sleeps (runtime power management,
 * __dev_ethtool in net/ethtool/ioctl.c). Whether the device may do so when it is
 * idle, and whether it does. */
bool rs_nic_may_sleep(const struct rs_root *root, const char *name);
bool rs_nic_is_asleep(const struct rs_root *root, const char *name);

#endif

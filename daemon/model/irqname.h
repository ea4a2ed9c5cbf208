/* SPDX-License-Identifier: ISC */
/*
 * Which network device and queue an interrupt line belongs to, from its
 * action names, its MSI vectors and the devices' links. Pure.
 */
#ifndef RS_IRQNAME_H
#define RS_IRQNAME_H

#include "frame.h"

enum rs_irq_role {
	RS_IRQ_OTHER,  /* not a NIC's */
	RS_IRQ_QUEUE,  /* serves a queue; queue number known or -1 */
	RS_IRQ_CONTROL /* link, mailbox, admin, misc: a NIC's but no queue */
};

struct rs_irq_feed {
	uint32_t ifindex;
	int32_t queue; /* -1: unknown */
	uint8_t is_rx, is_tx;
	uint8_t is_bare; /* the line bears the device's name and nothing else */
	enum rs_irq_role role;
};

/* Splits the rest of a numbered row into chip and actions: "IR-PCI-MSI
 * 65536-edge  eth0, ehci_hcd" is "IR-PCI-MSI" and "eth0, ehci_hcd"; either may
 * be empty. Rows that are not numbered have a description there instead. */
void rs_irq_split(struct rs_text rest, struct rs_text *ret_chip, struct rs_text *ret_actions);

/* Fills at most cap feeds for the line, one per device and queue; returns how
 * many there are. 0: no network device. name is the row's, the number. */
size_t rs_irq_feeds(struct rs_text name, struct rs_text chip, struct rs_text actions,
    const struct rs_nic_info *nics, size_t n_nics, struct rs_irq_feed *ret_feeds, size_t cap);

/* A bare line is the queue of a device that has no other, and the control line
 * of one whose queues are numbered; a single line does not tell. So, when the
 * feeds of all lines are known: rs_irq_settle for each feed, has_numbered being
 * true when rs_irq_is_numbered is for any feed of the same interface. */
bool rs_irq_is_numbered(const struct rs_irq_feed *f);
void rs_irq_settle(struct rs_irq_feed *f, bool has_numbered);

/* The bus of a USB device by its name in sysfs ("2-1.4:1.0" is on 2), or -1. */
int rs_usb_bus(const char *device);

#endif

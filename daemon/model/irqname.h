/* SPDX-License-Identifier: ISC */
/*
 * Which network device and queue an interrupt line belongs to, from its
 * action names, its MSI vectors and the devices' links. Pure.
 */
#ifndef RS_IRQNAME_H
#define RS_IRQNAME_H

#include "frame.h"

enum rs_irq_role {
	RS_IRQ_OTHER, /* not a NIC's */
	RS_IRQ_QUEUE, /* serves a queue; queue number known or -1 */
	RS_IRQ_CONTROL /* link, mailbox, admin, misc: a NIC's but no queue */
};

struct rs_irq_feed {
	uint32_t ifindex;
	int32_t queue;    /* -1: unknown */
	uint8_t is_rx, is_tx;
	enum rs_irq_role role;
};

/* Splits a row's rest into chip and actions ("PCI-MSIX-0000:00:01.0 0-edge
 * eth0-TxRx-0"). Actions are joined by ", " and stay one text. */
void rs_irq_split(struct rs_text rest, struct rs_text *ret_chip, struct rs_text *ret_actions);

/* Fills at most cap feeds for the line, one per device and action; returns how
 * many there are. 0: no network device. */
size_t rs_irq_feeds(struct rs_text name, struct rs_text chip, struct rs_text actions,
    const struct rs_nic_info *nics, size_t n_nics, struct rs_irq_feed *ret_feeds, size_t cap);

#endif

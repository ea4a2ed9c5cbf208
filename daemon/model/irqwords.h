/* SPDX-License-Identifier: ISC */
/*
 * What the words of an interrupt's action say beside whose it is: queue number
 * and direction, or control. Used by irqname.c alone. Pure.
 */
#ifndef RS_IRQWORDS_H
#define RS_IRQWORDS_H

#include "irqname.h"

/* "eth0-tx-0-rx-3": one vector may serve two queues. */
#define RS_IRQ_WORDS_FEEDS 2

/* span: where the action names the interface; empty when it does not. Returns
 * how many feeds were written, at least 1. */
size_t rs_irq_words(struct rs_text action, struct rs_text span, const struct rs_nic_info *nic,
    uint64_t irq, struct rs_irq_feed ret[static RS_IRQ_WORDS_FEEDS]);

#endif

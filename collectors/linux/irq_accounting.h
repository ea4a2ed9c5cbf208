/* SPDX-License-Identifier: ISC */
/*
 * Whether the kernel measures interrupt time or samples it by the timer tick.
 */
#ifndef RS_IRQ_ACCOUNTING_H
#define RS_IRQ_ACCOUNTING_H

#include "root.h"

/* CONFIG_IRQ_TIME_ACCOUNTING: 1 yes, 0 no, -1 not told. Constant while the
 * system runs. */
int rs_irq_accounting(const struct rs_root *root);

#endif

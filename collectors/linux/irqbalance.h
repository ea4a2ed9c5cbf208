/* SPDX-License-Identifier: ISC */
/*
 * Whether irqbalance runs, which moves interrupts behind everybody's back. Used by
 * settings_host.c alone.
 */
#ifndef RS_IRQBALANCE_H
#define RS_IRQBALANCE_H

#include "kept.h"

struct rs_irqbalance;

/* Live machine only: captures have no processes. kept is borrowed. */
int rs_irqbalance_open(
    const struct rs_root *root, struct rs_kept *kept, struct rs_irqbalance **ret);
void rs_irqbalance_close(struct rs_irqbalance *b); /* NULL-safe */
/* 1: it runs; 0: it does not; -1: processes cannot be seen. Looks every few
 * seconds: a start is noticed at the second look, an end at the next one. */
int rs_irqbalance_look(struct rs_irqbalance *b, rs_ns now_ns);

#endif

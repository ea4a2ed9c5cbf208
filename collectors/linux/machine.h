/* SPDX-License-Identifier: ISC */
/*
 * What kind of machine it is: guest or not, which system, its memory nodes, and
 * what would start irqbalance. None of it changes while the machine runs, but
 * for the cores of a node. Used by settings_host.c alone, on the loop thread.
 */
#ifndef RS_MACHINE_H
#define RS_MACHINE_H

#include "frame.h"
#include "root.h"

/* Steps, to be taken one at a time. */
#define RS_MACHINE_STEPS 4u

/* Puts the fact of a step, or that it is not known. */
void rs_machine_read(const struct rs_root *root, unsigned step, struct rs_frame *f);

#endif

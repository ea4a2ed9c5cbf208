/* SPDX-License-Identifier: ISC */
/*
 * The header line "CPU0 CPU1 ..." of /proc/interrupts and /proc/softirqs: which
 * column is which CPU. Pure.
 */
#ifndef RS_CPU_COLUMNS_H
#define RS_CPU_COLUMNS_H

#include "cpuset.h"

/* The most columns a line of this length can name. */
uint32_t rs_cpu_columns_bound(struct rs_text line);
/* Writes the CPU number of each column, at most cap; returns how many there
 * are, 0 when the line is no such header (other words, numbers not ascending,
 * more than cap). */
uint32_t rs_cpu_columns(struct rs_text line, uint16_t *ret, uint32_t cap);

#endif

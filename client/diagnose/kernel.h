/* SPDX-License-Identifier: ISC */
/*
 * A text of the kernel's, parsed by the collector the daemon has for it, and with
 * the lines named that it could not use: it only counts them, and a person wants
 * to see which. Pure but for the collectors' table.
 */
#ifndef RS_KERNEL_H
#define RS_KERNEL_H

#include "buf.h"
#include "collector.h"
#include "diagnose/problems.h"

struct rs_kernel_text {
	const struct rs_collector *collector;
	struct rs_text text;
	bool is_headed;	 /* by rs_kernel_add_header: that line is none of the file's */
	bool has_online; /* else rows without a core's number are the first ones */
	struct rs_cpuset online;
};

/* As the collector's; what it could not use is noted under the file's name. */
int rs_kernel_parse(
    struct rs_kernel_text *t, struct rs_frame *f, const char *file, struct rs_problems *problems);
/* Rows of /proc/interrupts behind the header, usable or not, and those of them
 * whose name is a number. */
void rs_kernel_count_rows(struct rs_text t, uint32_t *ret_all, uint32_t *ret_numbered);
/* The first number of the line "intr" of /proc/stat; untouched without it. */
void rs_kernel_sum_of_interrupts(struct rs_text t, uint64_t *ret);

/* Rows of /proc/interrupts without their header: as many cores as most rows
 * have counts, numbered from 0. Puts header and text into the buffer; false:
 * no row is one. */
bool rs_kernel_add_header(struct rs_text t, struct rs_buf *ret);

/* The collector that parses a path; NULL: none. */
const struct rs_collector *rs_kernel_collector(const char *path);

#endif

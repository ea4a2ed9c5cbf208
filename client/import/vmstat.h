/* SPDX-License-Identifier: ISC */
/*
 * FreeBSD's `vmstat -i` and -ia: a row for each source of interrupts, counted
 * since boot over all cores. Pure.
 */
#ifndef RS_IMPORT_VMSTAT_H
#define RS_IMPORT_VMSTAT_H

#include "import/import.h"

struct rs_vmstat_row {
	struct rs_text name;   /* "irq278: igb2:que 0", "cpu0:timer"; in the text */
	struct rs_text device; /* "igb2"; empty: no device's */
	struct rs_text suffix; /* "que 0", "rxq3", "0a0"; empty: the device alone */
	int64_t irq;	       /* -1: none */
	int32_t queue;	       /* -1: the row is no queue's, or not numbered */
	bool is_control;       /* of a network device, but no queue: link, admin */
	bool is_nic;	       /* the name is that of a network device */
	uint64_t total;
};

#define RS_VMSTAT_ROWS_MAX 65536u
struct rs_vmstat {
	struct rs_vmstat_row *rows; /* owned */
	size_t n, cap;
};

/* 0, -ENODATA, -ENOMEM. The rows refer to the text. */
int rs_import_vmstat(struct rs_text t, struct rs_vmstat *ret, struct rs_skips *skips);
void rs_vmstat_free(struct rs_vmstat *v);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Lines of FreeBSD's `sysctl dev.DRIVER`: counters of network drivers, by the
 * patterns of their names. Pure.
 */
#ifndef RS_IMPORT_SYSCTL_DEV_H
#define RS_IMPORT_SYSCTL_DEV_H

#include "import/import.h"

enum rs_sysctl_kind {
	RS_SYSCTL_OTHER,
	RS_SYSCTL_QUEUE_RX,   /* packets of a receive queue */
	RS_SYSCTL_QUEUE_TX,   /* packets of a transmit queue */
	RS_SYSCTL_LOST,	      /* packets the device or its rings lost */
	RS_SYSCTL_RX_GOOD,    /* packets received well */
	RS_SYSCTL_RX_TOTAL,   /* packets received, whatever became of them */
	RS_SYSCTL_RX_BY_SIZE, /* packets received, of one size: all of them are the sum */
	RS_SYSCTL_CX_LOWEST,  /* of a core: the deepest idle state allowed; no number */
	RS_SYSCTL_KINDS
};

struct rs_sysctl_row {
	struct rs_text driver; /* "ix" */
	struct rs_text device; /* "ix.0" */
	struct rs_text leaf;   /* what follows: "mac_stats.good_pkts_rcvd" */
	struct rs_text text;   /* the value */
	bool is_number;
	uint64_t value;
	enum rs_sysctl_kind kind;
	uint16_t queue;
};

/* The next line that is a value of a device; false: no more. */
bool rs_import_sysctl_next(struct rs_lines *l, struct rs_sysctl_row *ret, struct rs_skips *skips);

#endif

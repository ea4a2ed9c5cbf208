/* SPDX-License-Identifier: ISC */
/*
 * FreeBSD's `netstat -Q`: the queues of its network threads (netisr). Two tables
 * follow each other, the second is read. Pure.
 */
#ifndef RS_IMPORT_NETSTAT_Q_H
#define RS_IMPORT_NETSTAT_Q_H

#include "import/import.h"

#define RS_NETISR_ROWS_MAX 1024u
#define RS_NETISR_UNKNOWN UINT64_MAX

struct rs_netisr_row {
	uint32_t workstream, cpu;
	char name[16];				      /* of the protocol */
	uint64_t dropped, queued, handled, watermark; /* or RS_NETISR_UNKNOWN */
};

struct rs_netisr {
	int64_t threads;      /* "Thread count", current; -1: not told */
	uint32_t workstreams; /* that are listed */
	uint64_t limit;	      /* the largest QLimit; RS_NETISR_UNKNOWN */
	struct rs_netisr_row rows[RS_NETISR_ROWS_MAX];
	unsigned n;
};

/* 0 or -ENODATA. Large: the caller has it on the heap. */
int rs_import_netstat_q(struct rs_text t, struct rs_netisr *ret, struct rs_skips *skips);

#endif

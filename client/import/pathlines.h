/* SPDX-License-Identifier: ISC */
/*
 * Small files of /proc and /sys pasted as lines, as grep and shell loops print
 * them:
 *
 *	/proc/irq/11/smp_affinity:44
 *	/sys/class/net/eth0/queues/rx-0/rps_cpus = 0
 *	Interrupt 85 is allowed on CPUs 19
 *
 * Pure.
 */
#ifndef RS_IMPORT_PATHLINES_H
#define RS_IMPORT_PATHLINES_H

#include "import/import.h"

enum rs_path_kind {
	RS_PATH_OTHER,
	RS_PATH_RPS,	       /* device, queue: a mask */
	RS_PATH_XPS,	       /* device, queue: a mask */
	RS_PATH_AFFINITY,      /* irq: a mask */
	RS_PATH_AFFINITY_LIST, /* irq: a list */
	RS_PATH_EFFECTIVE_LIST /* irq: a list */
};

struct rs_path_row {
	struct rs_text path, value; /* path without its first slash; may be empty */
	enum rs_path_kind kind;
	char device[16];
	uint32_t irq;
	uint16_t queue;
	bool is_missing; /* there is no such file, says the line */
};

bool rs_import_path_next(struct rs_lines *l, struct rs_path_row *ret, struct rs_skips *skips);

#endif

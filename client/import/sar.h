/* SPDX-License-Identifier: ISC */
/*
 * `sar -n DEV`: packets and bytes per second of each interface, in blocks. Pure.
 */
#ifndef RS_IMPORT_SAR_H
#define RS_IMPORT_SAR_H

#include "import/import.h"

#define RS_SAR_DEVICES_MAX 512u
struct rs_sar_device {
	char name[16];
	double rx_pps, tx_pps, rx_bytes_ps, tx_bytes_ps; /* sums of n blocks */
	unsigned n;
};
struct rs_sar {
	struct rs_sar_device *devices; /* owned */
	size_t n, cap;
};

/* 0 or -ENODATA. More interfaces than there is room for are left out. */
int rs_import_sar(struct rs_text t, struct rs_sar *ret, struct rs_skips *skips);
void rs_sar_free(struct rs_sar *s);

#endif

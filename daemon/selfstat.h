/* SPDX-License-Identifier: ISC */
/*
 * What the process knows of itself and of this boot.
 */
#ifndef RS_SELFSTAT_H
#define RS_SELFSTAT_H

#include <stdint.h>

/* From /proc/self/smaps_rollup; -1 where it cannot be told. */
void rs_selfstat_memory(int64_t *ret_rss_bytes, int64_t *ret_pss_bytes);
/* /proc/sys/kernel/random/boot_id, or "". */
void rs_selfstat_boot_id(char dst[static 40]);

#endif

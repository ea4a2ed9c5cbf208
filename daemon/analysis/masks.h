/* SPDX-License-Identifier: ISC */
/*
 * Sets of cores in the spellings that advice needs: the hexadecimal mask of
 * rps_cpus and xps_cpus, the list of smp_affinity_list; and the settings read
 * back. Pure, any thread.
 */
#ifndef RS_MASKS_H
#define RS_MASKS_H

#include "cpuset.h"

/* "e", "ff,ffffffff" (groups of 32 bits), "0" for none. False: cap is short, and
 * a mask is never cut. */
bool rs_mask_hex(const struct rs_cpuset *s, char *dst, size_t cap);
/* "0-3,8". False: cap is short, or there is nothing to list. */
bool rs_mask_list(const struct rs_cpuset *s, char *dst, size_t cap);

/* Of a setting ("0-3", "none"): the set, and whether a core is in it, without
 * making the set. False: NULL, or cut because it was too long. */
bool rs_mask_of(const char *value, struct rs_cpuset *ret);
bool rs_mask_has(const char *value, unsigned cpu);
/* "none" is a value; NULL is not. */
bool rs_mask_is_empty(const char *value);
/* The only core of a setting; -1: there are none, or several. */
int rs_mask_only(const char *value);

#endif

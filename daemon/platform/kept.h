/* SPDX-License-Identifier: ISC */
/*
 * Tiny files that are read again and again: attributes in sysfs, sysctls, masks
 * of interrupts. On the live machine as many descriptors as allowed are kept
 * open, since opening costs five times as much as reading; what is missing or
 * forbidden is not asked for again until the caller wants it. One buffer serves
 * all. Called by the collectors on the loop thread.
 */
#ifndef RS_KEPT_H
#define RS_KEPT_H

#include "root.h"
#include "text.h"

struct rs_kept;

/* What a caller holds of a file: a descriptor, the error of a file that is
 * missing or forbidden (negative), or this. */
#define RS_KEPT_NEW INT32_MIN

int rs_kept_open(const struct rs_root *root, unsigned max_files, struct rs_kept **ret);
/* NULL-safe. Descriptors still held by callers stay open: drop them before. */
void rs_kept_close(struct rs_kept *k);
/* The file whole, without its last line end; valid until the next read. The
 * path is only made when the file has to be opened. -ENOENT, -EACCES, -EFBIG,
 * other errno. */
int rs_kept_read(struct rs_kept *k, int32_t *file, struct rs_text *ret, const char *path, ...)
    RS_PRINTF(4, 5);
/* Forgets the file, closing it when it is open. */
void rs_kept_drop(struct rs_kept *k, int32_t *file);
/* Lets a file that was missing or forbidden be asked for again. */
void rs_kept_retry(int32_t *file);

#endif

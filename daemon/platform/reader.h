/* SPDX-License-Identifier: ISC */
/*
 * A file that is read again and again: opened once, pread whole each time into
 * a buffer that grows to a limit.
 */
#ifndef RS_READER_H
#define RS_READER_H

#include "root.h"
#include "text.h"

struct rs_reader;

/* Opens lazily at the first read, again after the file went away. */
int rs_reader_open(
    const struct rs_root *root, const char *path, size_t max_bytes, struct rs_reader **ret);
/* The whole file; valid until the next read. -ENOENT, -EACCES, -EFBIG (more
 * than max_bytes), other errno of open or pread. */
int rs_reader_read(struct rs_reader *r, struct rs_text *ret);
/* Reads into this buffer from now on, which must outlive the reader and hold
 * max_bytes + 1: what was read is valid until the next read of any that share
 * it. */
struct rs_buf;
void rs_reader_share(struct rs_reader *r, struct rs_buf *buf);
void rs_reader_close(struct rs_reader *r); /* NULL-safe */

#endif

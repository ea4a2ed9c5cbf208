/* SPDX-License-Identifier: ISC */
/*
 * Packed files: an archive of a capture into a private folder, or one packed file
 * into memory. Only this module (with extract.c) knows libarchive.
 */
#ifndef RS_UNPACK_H
#define RS_UNPACK_H

#include "buf.h"
#include "diagnose/problems.h"
#include "error.h"

/* A text larger than this is not read; /proc/interrupts of 1152 CPUs is 13 MB. */
#define RS_UNPACK_FILE_MAX (64u << 20)

/* What a file is. */
enum rs_packed {
	RS_PACKED_ONE,	  /* one file, perhaps compressed: its bytes are in the buffer */
	RS_PACKED_ARCHIVE /* an archive: unpacked */
};

/* Reads what the descriptor has, which stays the caller's. An archive goes into a
 * new folder under TMPDIR (or /tmp), whose name is written to ret_dir (PATH_MAX
 * bytes at least); rs_unpack_remove removes it. What could not be used is noted;
 * negative errno when nothing could. */
int rs_unpack(int fd, const char *name, struct rs_buf *ret_bytes, char *ret_dir, size_t cap,
    struct rs_problems *problems, enum rs_packed *ret);
void rs_unpack_remove(const char *dir);

/* The bytes of one file, compressed or not. -EFBIG: more than the buffer may hold;
 * -EBADMSG: damaged; what there was of it before is in the buffer. */
int rs_unpack_file(int fd, struct rs_buf *ret);

#endif

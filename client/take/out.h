/* SPDX-License-Identifier: ISC */
/*
 * Where a capture goes: a new folder, or a new archive when the name ends with
 * .tar.gz or .tgz. Nothing that is there is written over.
 */
#ifndef RS_OUT_H
#define RS_OUT_H

#include "error.h"
#include "text.h"

struct rs_out;

/* -EEXIST when there is something of this name; the sentence says why. */
int rs_out_open(const char *path, struct rs_out **ret, struct rs_error *e);
/* A file, and a link, below the capture; folders are made. Negative errno. */
int rs_out_file(struct rs_out *o, const char *path, struct rs_text content);
int rs_out_link(struct rs_out *o, const char *path, const char *target);
/* What is not written yet is; 0 or negative errno. NULL-safe. On failure it is still
 * the caller's, to be discarded; else it is gone. */
int rs_out_close(struct rs_out *o);
/* Removes what has been written. NULL-safe. */
void rs_out_discard(struct rs_out *o);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * A capture: a folder that looks like a root, an archive of one, or one pasted
 * file. It knows its samples, their times and their files; what the files mean is
 * the business of others.
 */
#ifndef RS_CAPTURE_H
#define RS_CAPTURE_H

#include "diagnose/problems.h"
#include "diagnose/unpack.h"
#include "root.h"

/* More samples than this are not read: the first and the last ones are kept. */
#define RS_SAMPLES_MAX 1000u

struct rs_capture_sample {
	struct rs_root *root; /* NULL: a pasted file */
	char dir[16];	      /* "t0"; "": the capture itself */
	double at_s;	      /* seconds on some clock; NAN: not told */
};

struct rs_capture {
	struct rs_capture_sample *samples; /* owned; by their numbers */
	size_t n_samples, cap_samples;
	struct rs_root *top; /* beside the samples t0, t1 ...; NULL where there are none */
	/* One pasted file: its name and its bytes. */
	bool is_pasted;
	char name[160];
	struct rs_buf pasted;
	char *unpacked; /* folder to be removed; owned; NULL: none */
};

/* Fails when there is nothing that could be looked at; the sentence says why. */
int rs_capture_open(
    const char *path, struct rs_problems *problems, struct rs_capture *ret, struct rs_error *e);
void rs_capture_close(struct rs_capture *c); /* also half open */

/* The text of a file below the root, or of the same file packed (".gz", ".bz2",
 * ".xz"), whose name goes to ret_name then. -ENOENT: there is none. -EBADMSG and
 * -EFBIG: damaged, too large; what is before is in the buffer. */
#define RS_CAPTURE_NAME 160
int rs_capture_read(const struct rs_root *root, const char *path, struct rs_buf *ret,
    char ret_name[static RS_CAPTURE_NAME]);

/* One file as it is named, unpacked when its name says that it is packed. */
int rs_capture_read_one(const struct rs_root *root, const char *name, struct rs_buf *ret);
/* In words, why not or not all of it could be read. */
const char *rs_capture_reason(int rc);

/* capture.c's (capture_times.c): of all samples; times that not all of them have, or
 * that do not go forward, are none. top: where meta.json may be. */
void rs_capture_find_times(
    struct rs_capture *c, const struct rs_root *top, struct rs_problems *problems);
/* Seconds between the first and the last sample; NAN: not told. */
double rs_capture_span_s(const struct rs_capture *c);

#endif

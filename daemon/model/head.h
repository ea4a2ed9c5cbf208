/* SPDX-License-Identifier: ISC */
/*
 * The head file: what the database does not have yet, in a file on tmpfs that
 * outlives a killed process. The model's blocks lie in it, and copies of the
 * latest changes of settings. The next process of the same boot and database
 * takes over what is whole; everything else is refused. Loop thread.
 *
 * Never an obstacle: without a usable file the blocks are in memory, and the
 * reason is kept here.
 */
#ifndef RS_HEAD_H
#define RS_HEAD_H

#include "leftover.h"

struct rs_head;

struct rs_head_conf {
	const char *path;
	const char *owner;   /* of the database that the ticks are for */
	const char *boot_id; /* "": not known, nothing can be taken over */
};

/* Opens and locks what is there. 0 or -ENOMEM: what is wrong with the file is in
 * the stats. */
int rs_head_open(const struct rs_head_conf *c, struct rs_head **ret);
/* Only a clean end removes the file: all that was in it is on disk. NULL-safe;
 * no block lies in it any more. */
void rs_head_close(struct rs_head *h, bool is_clean);

/* What an earlier process left, once, before rs_head_begin. Empty when there is
 * nothing or nothing to be believed. 0 or -ENOMEM. */
int rs_head_read(struct rs_head *h, struct rs_leftover *ret);

/* Makes the file anew, for these blocks, all of one shape. 0 or negative errno
 * (see the stats); the blocks then stay where they are. */
int rs_head_begin(struct rs_head *h, struct rs_block *const *blocks, unsigned n);

/* Keeps the latest of them. Ascending ids, newer than all before. */
void rs_head_note_changes(struct rs_head *h, const struct rs_change *c, size_t n);

struct rs_head_stats {
	bool is_begun;	   /* blocks may lie in it */
	char refused[160]; /* why the old file was not believed; "": it was, or there was none */
	char error[160];   /* why there is no file; "": there is */
};
void rs_head_get_stats(const struct rs_head *h, struct rs_head_stats *ret);

#endif

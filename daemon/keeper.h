/* SPDX-License-Identifier: ISC */
/*
 * The head file (head.h) in the life of the daemon: which one, read before the
 * database is opened, begun when what it held is on disk, removed at a clean end;
 * and what log and health say of it. Loop thread.
 */
#ifndef RS_KEEPER_H
#define RS_KEEPER_H

#include "config.h"
#include "live.h"

struct rs_keeper {
	struct rs_head *head; /* owned; NULL: none is wanted */
	const char *path;     /* borrowed */
	bool was_root;	      /* to be set: without root a folder may be out of reach */
	bool is_begun, is_said;
	uint64_t torn;
	struct rs_head_health health; /* up to date after rs_keeper_watch */
	char error[160], refused[160];
};

/* *ret: what an earlier process left; the caller's. 0 or -ENOMEM. */
int rs_keeper_open(struct rs_keeper *k, const struct rs_config *c, const char *boot_id,
    struct rs_leftover *ret, struct rs_error *e);
/* Before the first tick and now and then: begins the file as soon as it may be
 * written over, and says what changed. */
void rs_keeper_watch(struct rs_keeper *k, struct rs_model *m, struct rs_store *store);
void rs_keeper_note_changes(struct rs_keeper *k, const struct rs_change *c, size_t n);
/* After the model. is_clean: nothing is in the file that is not in the database. */
void rs_keeper_close(struct rs_keeper *k, bool is_clean);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * Where the database lies: whether it can be had, whether it is still there, and
 * what to do with one that is damaged. Store thread.
 */
#ifndef RS_PLACE_H
#define RS_PLACE_H

#include <sys/types.h>

#include "aside.h"
#include "error.h"
#include "sql.h"

/* The database, its log, its lock. */
#define RS_PLACE_FILES 3

struct rs_place {
	char *path;	     /* owned; NULL: in memory */
	struct rs_db *db;    /* owned; NULL: closed */
	struct rs_error why; /* it is closed */
	bool was_open;	     /* what lies there was ours once in this process */
	struct rs_file_id {
		dev_t dev;
		ino_t ino; /* 0: not known */
	} files[RS_PLACE_FILES];
	uint64_t bytes_written; /* by databases closed since */
	unsigned n_damaged;	/* moved aside since the start */
	struct rs_aside aside;	/* the newest of them */
};

/* Touches nothing yet. path: copied. 0 or -ENOMEM. */
int rs_place_init(struct rs_place *p, const char *path);
/* Closes what is open. */
void rs_place_fini(struct rs_place *p);

/* Tries to open it, once; look_up is the rest of what opening means, and may say
 * -EBADMSG too. What is damaged, seen twice, is moved aside and a new one is begun. Errors as
 * of rs_db_open; then it is closed, and p->why says it in a sentence. */
int rs_place_open(struct rs_place *p, int (*look_up)(void *arg, struct rs_db *db), void *arg);
/* False: somebody took the database, its log or its lock away. SQLite would go on
 * writing to files that have no name any more. */
bool rs_place_is_there(const struct rs_place *p);
/* Closes it; `why` is a sentence. as_is: nothing is written on the way. */
void rs_place_close(struct rs_place *p, bool as_is, int code, const char *why);
/* The database is damaged: closes it and moves it aside. */
int rs_place_give_up(struct rs_place *p);

/* Bytes of database and log on disk; -1: not known. */
int64_t rs_place_bytes(const struct rs_place *p);
/* Whether the disk has room for the log and about so many bytes more. */
bool rs_place_has_room(const struct rs_place *p, int64_t bytes);
/* To the database and its log since the start, as SQLite passed them on. */
uint64_t rs_place_written(const struct rs_place *p);

/* What an errno means here, in words for people; NULL: nothing better than what
 * SQLite said. */
const char *rs_place_words(int code);

#endif

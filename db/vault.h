/* SPDX-License-Identifier: ISC */
/*
 * The database as the store thread has it: open, or closed and tried again; what is
 * known of its content; how often a write is tried, and what `health` and the log
 * are told of it. Store thread.
 */
#ifndef RS_VAULT_H
#define RS_VAULT_H

#include "append.h"
#include "head.h"
#include "place.h"
#include "store.h"
#include "upkeep.h"

/* A closed database gets a new chance with the first job after so long. */
#define RS_VAULT_RETRY_NS (10 * RS_NS_PER_S)

enum rs_write { RS_WRITE_BLOCKS, RS_WRITE_FINDING, RS_WRITE_CHANGES, RS_WRITE_UPKEEP, RS_WRITES };

struct rs_vault {
	struct rs_place place;
	rs_ns tried_ns; /* when it was tried last to open it; 0: it may be at once */
	char boot_id[40];
	struct rs_store_limits limits;
	struct rs_appender appender;
	struct rs_upkeep upkeep;
	bool has_upkeep;	     /* there is more to do */
	struct rs_leftover leftover; /* not written yet, while stats.is_recovering */
	unsigned n_unrecovered;
	/* Ids of findings and changes that this process stores begin here. */
	int64_t own_finding_id, own_change_id;
	int64_t offset_ms;     /* wall clock minus boot clock, as last told */
	int64_t now_ms;	       /* boot clock, as last told; 0: not yet */
	uint64_t told_damaged; /* rows that upkeep could not read */
	/* The last attempt of each kind: a small write that works does not prove
	 * that a large one does. */
	struct {
		bool is_failing;
		char error[160];
	} writes[RS_WRITES];
	struct rs_store_stats stats;
};

/* Does not open anything yet; takes the leftover. 0 or -ENOMEM. */
int rs_vault_init(struct rs_vault *v, const struct rs_store_conf *c);
void rs_vault_close(struct rs_vault *v);
void rs_vault_fini(struct rs_vault *v);

/* Tries to open it, once; errors as of rs_db_open, in a sentence in place.why. */
int rs_vault_open(struct rs_vault *v);
/* Before anything is done with place.db: opens what is closed when its time has
 * come, and notices when somebody took the files away. 0: there is a database. */
int rs_vault_get_ready(struct rs_vault *v);

/* A write in a transaction of its own: 0, or negative errno and nothing of it is
 * stored. */
typedef int (*rs_write_fn)(struct rs_vault *v, void *arg);
/* Runs it as often as there is hope: on a full disk room for about so many bytes is
 * made, what is damaged is replaced. */
int rs_vault_write(
    struct rs_vault *v, enum rs_write kind, rs_write_fn write, void *arg, int64_t bytes);
/* Blocks by `next`, in one transaction; offset_ms: wall clock minus boot clock. */
int rs_vault_append(struct rs_vault *v, const struct rs_block *blocks, int64_t offset_ms);
/* A bite of upkeep, if there is something to do. */
void rs_vault_bite(struct rs_vault *v);

/* Within an attempt to write. Below the limit: -ENOSPC, or -EFBIG when not the disk is
 * full but what the file may have; db->error says more. */
int rs_vault_make_room(struct rs_vault *v, int64_t bytes, bool is_disk_full);
/* The log is written back to the database, as far as that works, and can be used from
 * its front. */
void rs_vault_empty_log(struct rs_vault *v);
/* When the disk is about to be full. */
void rs_vault_spare_disk(struct rs_vault *v, int64_t bytes);

const char *rs_vault_name(const struct rs_vault *v); /* of the file, for the log */

#endif

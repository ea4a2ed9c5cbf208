/* SPDX-License-Identifier: ISC */
/*
 * One minute of samples of all series: the head the live program writes into
 * and, once the minute is over, the unit handed to the store. After hand-over
 * nobody writes; loop and store thread both may read until the store gives it
 * back. It lies in memory of the process, or in the head file (head.h), where it
 * outlives the process.
 */
#ifndef RS_BLOCK_H
#define RS_BLOCK_H

#include <stdbool.h>
#include <sys/types.h>

#include "metric.h"

#define RS_BLOCK_NS (60 * RS_NS_PER_S)
#define RS_BLOCK_TICKS_MAX 300u /* 60 s at 200 ms */

struct rs_block_series {
	uint32_t uid; /* unique in this process, never reused; 0: slot unused */
	uint16_t metric;
	struct rs_labels labels;
	uint32_t check; /* by rs_block_name; of use in the head file only */
};

/* What a tick ends with in the head file. */
struct rs_block_seal {
	uint64_t sum; /* rs_block_sum; 0: the tick is not whole */
	int64_t wall_offset_ms;
	uint32_t is_clock_ok; /* 0, 1 */
};

/* What a block in the head file begins with. */
struct rs_block_top {
	int64_t minute;
	uint32_t n_series; /* as of the newest sealed tick */
	uint32_t is_committed;
};

struct rs_block {
	int64_t minute; /* start on CLOCK_BOOTTIME, in minutes since boot */
	rs_ns interval_ns;
	uint32_t ticks;	   /* slots in this minute: RS_BLOCK_NS / interval */
	uint32_t n_series; /* slots used, holes (uid 0) included */
	uint32_t max_series;
	uint32_t n_ready; /* slots with memory under them: all, unless in the file */
	/* per tick slot t: due boot time is minute start + t * interval */
	bool *has_tick;
	uint32_t *length_us;	/* measured since the tick before; 0: first ever */
	int64_t wall_offset_ms; /* wall clock minus boot clock at the newest tick */
	bool is_clock_ok;
	bool is_committed;		/* loop thread: the store has it on disk */
	bool is_with_store;		/* loop thread: handed over, not yet given back */
	bool has_failed;		/* loop thread: the store could not write it */
	struct rs_block *next;		/* of those handed over or read together; NULL: none */
	struct rs_block_series *series; /* max_series */
	int64_t *values;   /* [tick * max_series + slot]: increment, or gauge x scale */
	uint64_t *present; /* [slot * present_words + t / 64] bit t % 64 */
	uint32_t present_words;
	/* Where all of this lies: at base, which is home while that has room. */
	struct rs_block_top *top;
	struct rs_block_seal *seals; /* [tick] */
	char *base, *memory, *home;  /* home: in the head file; NULL: none */
	int home_fd;		     /* borrowed */
	int home_error;		     /* why it is not at home: negative errno */
	off_t home_at;
	uint32_t home_ready; /* slots that the file has room for */
};

/* Memory is reserved for max_series, touched only as series appear. */
int rs_block_new(uint32_t max_series, rs_ns interval_ns, struct rs_block **ret);
void rs_block_free(struct rs_block *b); /* NULL-safe; this one, not `next` */
/* Bytes of a block in a file: whole pages. */
size_t rs_block_bytes(const struct rs_block *b);
/* From its next reset on the block lies in the file: rs_block_bytes at `at`, a hole
 * mapped at `home`. Room in the file is allocated as series appear; when there is
 * none, the block is in memory until it is reset. */
void rs_block_settle(struct rs_block *b, int fd, off_t at, char *home);
bool rs_block_is_home(const struct rs_block *b);

/* Empties it for a new minute; series slots are cleared too. */
void rs_block_reset(struct rs_block *b, int64_t minute);
/* The slot belongs to this series; s->check is ignored. */
void rs_block_name(struct rs_block *b, uint32_t slot, const struct rs_block_series *s);
void rs_block_put(struct rs_block *b, uint32_t slot, uint32_t tick, int64_t value);
bool rs_block_get(const struct rs_block *b, uint32_t slot, uint32_t tick, int64_t *ret);
/* The tick did not happen. */
void rs_block_drop_tick(struct rs_block *b, uint32_t tick);
/* After all values of a tick: from now on a later process will believe it. Costs
 * nothing in memory. */
void rs_block_seal(struct rs_block *b, uint32_t tick);
/* The store is done with it. */
void rs_block_done(struct rs_block *b, bool is_committed);

/* Over all that a tick is: its time, its length, its values and whose they are. */
uint64_t rs_block_sum(const struct rs_block *b, uint32_t tick);
uint32_t rs_block_series_check(const struct rs_block_series *s, uint32_t slot);

/* Boot time in ms of tick slot t. */
int64_t rs_block_tick_ms(const struct rs_block *b, uint32_t tick);

#endif

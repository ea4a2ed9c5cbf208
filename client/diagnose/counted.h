/* SPDX-License-Identifier: ISC */
/*
 * From the first and the last sample to what was counted between them, or since
 * boot where there is but one: the numbers of the answer, and the plain data that
 * the rules over counts judge.
 */
#ifndef RS_COUNTED_H
#define RS_COUNTED_H

#include "diagnose/interfaces.h"
#include "totals.h"

struct rs_counted {
	struct rs_totals totals;     /* refers to what follows */
	struct rs_total_core *cores; /* owned, and so are the others */
	struct rs_total_line *lines;
	struct rs_total_feed *feeds;
	struct rs_total_device *devices;
	struct rs_total_queue *queues;
	struct rs_total_loss *losses;
	size_t n_cores, cap_cores, n_lines, cap_lines, n_feeds, cap_feeds, n_devices, cap_devices,
	    n_queues, cap_queues, n_losses, cap_losses;
	uint32_t *cells; /* counts of lines, by core */
	char **texts;	 /* actions of lines */
	size_t n_texts, cap_texts;
	struct rs_interfaces interfaces;
	/* Lines of which a count came near the end of 32 bits, or has gone through it
	 * as far as its neighbours tell. */
	unsigned n_doubtful;
	char doubtful[16];	 /* the first of them */
	bool has_more;		 /* lines, devices or counters that there was no room for */
	uint32_t columns_beyond; /* columns of softirqs that are no core online */
};

/* first may be the same as last: totals then. Screens tell the cores where nothing
 * else does. 0 or -ENOMEM. */
int rs_counted_make(const struct rs_sample *first, const struct rs_sample *last,
    const struct rs_screens *screens, struct rs_counted *ret);
void rs_counted_free(struct rs_counted *c);

/* The place of a core; SIZE_MAX: it is not among them. */
size_t rs_counted_core(const struct rs_counted *c, unsigned cpu);
/* last minus first, with a wrap at 32 bits; a counter that was set back began at
 * 0. */
uint64_t rs_counted_minus(uint64_t last, uint64_t first);

/* counted.c's: lines and their counts (counted_lines.c). */
int rs_counted_lines(
    struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last);
/* counted.c's: what drivers count of queues and losses (counted_devices.c). */
int rs_counted_devices(
    struct rs_counted *c, const struct rs_sample *first, const struct rs_sample *last);
struct rs_total_device *rs_counted_device(struct rs_counted *c, const char *name);

#endif

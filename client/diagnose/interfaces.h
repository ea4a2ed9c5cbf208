/* SPDX-License-Identifier: ISC */
/*
 * The network devices of a capture. Where it has sysfs, that tells; otherwise they
 * are guessed from the names drivers give their interrupts, and joined with what
 * outputs say of them. Pure.
 */
#ifndef RS_INTERFACES_H
#define RS_INTERFACES_H

#include "diagnose/sample.h"
#include "irqname.h"

struct rs_interface {
	char name[64]; /* as it is shown: of the interface, or of the device */
	bool is_wireless;
	bool is_guessed;      /* from the names of its interrupts */
	bool has_named_lines; /* interrupts bear its name: those with its address alone are of
				 the card */
};

/* More than this are not told apart. */
#define RS_INTERFACES_MAX 1024u

struct rs_interfaces {
	struct rs_interface *at;   /* owned */
	struct rs_nic_info *infos; /* as irqname.h takes them; ifindex is the place and one;
				      owned */
	size_t n, cap;
	bool has_sysfs;	   /* the list is the system's own */
	bool is_too_large; /* lines times interfaces: not told whose they are */
};

/* All that the sample names. 0 or -ENOMEM. */
int rs_interfaces_find(const struct rs_sample *s, struct rs_interfaces *ret);
void rs_interfaces_free(struct rs_interfaces *i);
/* By the name shown; NULL: there is none. */
const struct rs_interface *rs_interfaces_by_name(const struct rs_interfaces *i, const char *name);

/* Which of them a line serves; as rs_irq_feeds. */
size_t rs_interfaces_feeds(const struct rs_interfaces *i, const struct rs_lines_row *row,
    struct rs_irq_feed *ret, size_t cap);

/* Whether a queue's line is the interface's own. */
bool rs_interfaces_own(
    const struct rs_interfaces *i, const struct rs_irq_feed *f, const struct rs_lines_row *row);

/* Into a frame, for the model: interfaces the system itself did not list. */
void rs_interfaces_put(const struct rs_interfaces *i, struct rs_frame *f);

#endif

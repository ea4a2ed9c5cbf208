/* SPDX-License-Identifier: ISC */
/*
 * The settings of one interface: steering masks of its queues and `threaded` in
 * sysfs, and on the live machine what ethtool shows. They are read step by step.
 * Used by settings_nic.c alone.
 */
#ifndef RS_NIC_SETTINGS_H
#define RS_NIC_SETTINGS_H

#include <net/if.h>

#include "ethtool_settings.h"
#include "filewatch.h"
#include "kept.h"
#include "nic_device.h"
#include "settings.h"

/* Where settings are read; borrowed. */
struct rs_nic_sources {
	const struct rs_root *root;
	struct rs_kept *kept;
	struct rs_filewatch *watch;	     /* NULL: files are read each round */
	bool has_no_room;		     /* no more folders may be watched */
	struct rs_ethtool_settings *ethtool; /* NULL: a captured tree */
	struct rs_rounds rounds;
};

struct rs_nic_queue {
	int32_t file[2]; /* see kept.h */
	int watch;
	bool is_noted; /* somebody wrote to a file of it */
};

struct rs_nic_queues {
	struct rs_nic_queue *queue; /* owned */
	uint32_t n, cap;
};

struct rs_nic_settings {
	uint32_t ifindex;
	char name[IF_NAMESIZE];
	bool is_listed;			/* for the caller */
	bool is_urgent;			/* all of it is to be read */
	bool is_noted;			/* somebody wrote to some file of it */
	bool is_full;			/* all of it is read in this round */
	bool is_hurried;		/* and at once */
	bool is_usb;			/* each question is some transfers over its bus */
	bool has_device;		/* it is no virtual interface */
	bool may_sleep;			/* a question might wake it */
	bool is_asleep;			/* as of this round */
	bool has_frames[2];		/* rx, tx: holding back by frames was seen */
	uint32_t lacks;			/* groups the driver does not have, a bit each */
	uint32_t channels;		/* what they were, as a hash */
	int32_t threaded;		/* file */
	int watch;			/* of its folder */
	int links;			/* of the folder of queues, as last seen */
	struct rs_nic_queues queues[2]; /* rx, tx */
	struct rs_nic_timeouts timeouts;
	size_t step; /* the next one of its round */
	unsigned round;
};

void rs_nic_settings_init(struct rs_nic_settings *n, uint32_t ifindex);
void rs_nic_settings_fini(struct rs_nic_settings *n, const struct rs_nic_sources *s);
/* It is new, has got this name, or something of it has changed. */
void rs_nic_settings_noted(
    struct rs_nic_settings *n, const struct rs_nic_sources *s, const char *name);
/* How many steps its round has. */
size_t rs_nic_settings_steps(const struct rs_nic_settings *n, const struct rs_nic_sources *s);
/* Takes the next step; false: the round is over. */
bool rs_nic_settings_step(struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f);
/* Somebody wrote to a file in a folder. */
void rs_nic_settings_written(struct rs_nic_settings *n, int watch);
/* Reads what was written to. */
void rs_nic_settings_read_noted(
    struct rs_nic_settings *n, struct rs_nic_sources *s, struct rs_frame *f);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * The interface of a collector: a table with paths plus a pure parser (no I/O,
 * no clock, no log), or an active one that asks the kernel itself. To add one:
 * a file here, its name in CMakeLists.txt, a fixture.
 */
#ifndef RS_COLLECTOR_H
#define RS_COLLECTOR_H

#include "frame.h"
#include "root.h"

/* What parsers are told of the system. */
struct rs_sys {
	const struct rs_cpuset *online; /* as of this tick; NULL: not known */
};

enum rs_where {
	RS_WHERE_LIVE = 1,   /* the running machine */
	RS_WHERE_CAPTURE = 2 /* a captured tree */
};

struct rs_collector {
	const char *id; /* "softnet" */
	const char *summary;
	const char *const *paths; /* relative to the root, NULL-terminated; [0] is what is parsed */
	unsigned period_ms;	  /* 0: every tick */
	unsigned where;		  /* RS_WHERE_*: one or both */
	bool is_essential;	  /* no verdict without it */
	/* text kind. 0, or -EINVAL: nothing of the text could be used. Rows that
	 * cannot be used are counted in the frame and left out. */
	int (*parse)(struct rs_text t, const struct rs_sys *sys, struct rs_frame *f);
	/* active kind */
	int (*open)(const struct rs_root *root, void **ret_state);
	int (*collect)(void *state, struct rs_frame *f);
	void (*close)(void *state);
};

/* Defines the table of a collector: RS_COLLECTOR(proc_stat) = { ... }; */
#define RS_COLLECTOR(name)                                                                         \
	extern const struct rs_collector rs_collector_##name;                                      \
	const struct rs_collector rs_collector_##name

/* All collectors of this platform in the order of CMakeLists.txt, which is the
 * order of reading; ends with NULL. Generated. */
extern const struct rs_collector *const rs_collectors[];

#endif

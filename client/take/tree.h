/* SPDX-License-Identifier: ISC */
/*
 * Files of /proc and /sys into a capture: those the collectors read, and what tells
 * which device an interface is. Left out: what names hosts, users and programs
 * (addresses, routes, connections, processes).
 */
#ifndef RS_TREE_H
#define RS_TREE_H

#include "buf.h"
#include "root.h"
#include "take/out.h"

/* What is there and could not be read, by the pattern that led to it. */
enum { RS_LEFT_MAX = 64 };
struct rs_left {
	size_t n;
	struct {
		const char *pattern;
		int error; /* negative errno */
		size_t n_files;
	} at[RS_LEFT_MAX];
};

struct rs_tree {
	const struct rs_root *root;
	struct rs_out *out;
	const char *dir;      /* of the sample: "t0" */
	struct rs_buf text;   /* scratch; the caller's to initialise and free */
	bool has_flows;	      /* tracked connections, too */
	size_t n_files;	      /* written */
	struct rs_left *left; /* what could not be read; the caller's */
	char **seen;	      /* sorted; owned */
	size_t n_seen, cap_seen;
};

/* Counters that move, close together. 0 or negative errno of the writer. */
int rs_tree_counters(struct rs_tree *t);
/* The rest. */
int rs_tree_rest(struct rs_tree *t);
void rs_tree_free(struct rs_tree *t); /* not the text */

#endif

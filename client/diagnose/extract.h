/* SPDX-License-Identifier: ISC */
/*
 * The entries of an archive into a folder. Whatever is in the archive, nothing is
 * written outside of it; links are made when all files are there, and what is not a
 * file, a folder or a link is left out. Private to unpack.c.
 */
#ifndef RS_EXTRACT_H
#define RS_EXTRACT_H

#include "diagnose/problems.h"

struct archive;
struct archive_entry;

struct rs_extract {
	struct archive *archive; /* open */
	const char *name;	 /* of the archive, for problems */
	struct rs_problems *problems;
	int top; /* the folder */
};

/* From this entry to the end, the limits, or a damage of the archive itself. */
void rs_extract(const struct rs_extract *x, struct archive_entry *first);

#endif

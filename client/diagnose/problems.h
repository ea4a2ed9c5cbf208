/* SPDX-License-Identifier: ISC */
/*
 * What of a capture was not used: file, line and why. Filled by everything that
 * reads, printed at the end.
 */
#ifndef RS_PROBLEMS_H
#define RS_PROBLEMS_H

#include "import/import.h"

#define RS_PROBLEMS_MAX 200u

struct rs_problem {
	char file[160];
	unsigned line; /* 0: the file as a whole */
	char reason[120];
};

struct rs_problems {
	struct rs_problem *at; /* owned */
	size_t n, cap;
	size_t n_more; /* that there was no room for */
};

void rs_problem(struct rs_problems *p, const char *file, unsigned line, const char *format, ...)
    RS_PRINTF(4, 5);
/* The lines a reader could not use, and how many more of them there are. */
void rs_problem_skips(struct rs_problems *p, const char *file, const struct rs_skips *s);
void rs_problems_free(struct rs_problems *p);

#endif

/* SPDX-License-Identifier: ISC */
/*
 * What the readers of pasted outputs share: lines with their numbers, a note of
 * those that could not be used, numbers as programs print them. Texts may be cut,
 * wrapped or damaged anywhere. Pure.
 */
#ifndef RS_IMPORT_H
#define RS_IMPORT_H

#include <stdbool.h>

#include "text.h"

/* A text read line by line. */
struct rs_lines {
	struct rs_text rest;
	unsigned number; /* of the line taken last, from 1 */
};

struct rs_lines rs_lines_of(struct rs_text t);
/* The next line that is not blank, without the blanks around it. */
bool rs_lines_next(struct rs_lines *l, struct rs_text *ret);

/* Lines that could not be used: the first few, and how many. Zeroed to begin
 * with. */
#define RS_SKIPS_MAX 8u
struct rs_skips {
	struct rs_skip {
		unsigned line;	 /* 0: none in particular */
		const char *why; /* constant text */
	} at[RS_SKIPS_MAX];
	unsigned n; /* also those there was no room for */
};
void rs_skip(struct rs_skips *s, unsigned line, const char *why);

/* Blanks, then a decimal number with point or comma ("19,1"), never more than
 * fifteen digits before it. */
bool rs_import_number(struct rs_text *t, double *ret);
/* The same for a word that is nothing else. */
bool rs_import_is_number(struct rs_text word, double *ret);
bool rs_import_is_u64(struct rs_text word, uint64_t *ret);

/* Whether the whole text has this form, in which '#' stands for digits: "eth#-rx-#". */
bool rs_import_fits(const char *form, struct rs_text t);

/* A header by the words in it: the place of a word, or -1. */
#define RS_WORDS_MAX 24u
struct rs_words {
	struct rs_text at[RS_WORDS_MAX];
	unsigned n; /* more words than fit are not kept */
};
void rs_words_split(struct rs_text line, struct rs_words *ret);
int rs_words_find(const struct rs_words *w, const char *word);
/* The text from word i to the end of the line. */
struct rs_text rs_words_from(const struct rs_words *w, unsigned i, struct rs_text line);

/* Makes room for one more of a list and returns it zeroed; NULL: out of memory,
 * or there are max already. */
void *rs_list_add(void *list, size_t *n, size_t *cap, size_t size, size_t max);

#endif

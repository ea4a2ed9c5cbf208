/* SPDX-License-Identifier: ISC */
/*
 * The text a command prints, made in memory and written once. Everything put
 * into it is defused here: whatever a daemon answers, a line stays one line and
 * no control sequence reaches the terminal. Owned by main.c, filled by the
 * commands.
 */
#ifndef RS_PAGE_H
#define RS_PAGE_H

#include <stdarg.h>
#include <stdio.h>

#include "buf.h"
#include "text.h"

enum rs_style { RS_PLAIN, RS_BOLD, RS_FAINT, RS_GOOD, RS_NOTICE, RS_WARNING, RS_CRITICAL };

struct rs_page {
	struct rs_buf out;     /* the page so far */
	struct rs_buf scratch; /* what is being put */
	unsigned width;	       /* columns of the terminal; 0: no limit */
	unsigned column;       /* characters on the line so far */
	enum rs_style style;
	bool has_colour;
};

void rs_page_init(struct rs_page *p, unsigned width, bool has_colour);
void rs_page_fini(struct rs_page *p);
/* For what follows up to the end of the line. Nothing without colour. */
void rs_page_style(struct rs_page *p, enum rs_style style);
/* Adds to the line. */
void rs_page_printf(struct rs_page *p, const char *format, ...) RS_PRINTF(2, 3);
/* Blanks up to the column. */
void rs_page_indent(struct rs_page *p, unsigned column);
/* Ends the line and its style. */
void rs_page_end(struct rs_page *p);
/* Adds words, going on in the column `indent` of a new line where the width is
 * reached, and ends the line. */
void rs_page_prose(struct rs_page *p, unsigned indent, const char *format, ...) RS_PRINTF(3, 4);
/* -ENOMEM when the page could not be made, else 0 or the error of writing. */
int rs_page_write(struct rs_page *p, FILE *f);

/* Appends to b, defused: control characters, also those above ASCII (U+0080 to
 * U+009F), and bytes that are no UTF-8 become '?'. */
void rs_page_defused(struct rs_buf *b, const char *format, va_list args) RS_PRINTF(2, 0);
/* One line, defused, and its end. */
void rs_page_put_line(struct rs_buf *b, struct rs_text line);
/* JSON as it is, but for what a terminal may obey, and the end of a line. */
void rs_page_put_json(struct rs_buf *b, struct rs_text t);
/* Characters, not bytes. */
unsigned rs_page_length(struct rs_text t);

#endif

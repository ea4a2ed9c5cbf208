/* SPDX-License-Identifier: ISC */
/*
 * Rows of cells under titles, each column as wide as its widest cell but never
 * narrower than said, so that columns do not move from one call to the next. The
 * last column stands left and goes on below itself where the page ends.
 */
#ifndef RS_TABLE_H
#define RS_TABLE_H

#include "page.h"

enum rs_align { RS_LEFT, RS_RIGHT };

#define RS_TABLE_COLUMNS_MAX 12

struct rs_column {
	const char *title;
	enum rs_align align;
	unsigned min;	  /* characters */
	bool is_optional; /* left out when no cell says anything: all "-" or empty */
};

struct rs_table {
	const struct rs_column *columns;
	size_t n;	     /* columns */
	struct rs_buf cells; /* style byte, text, NUL; row by row */
	size_t n_cells;
};

/* At most RS_TABLE_COLUMNS_MAX columns. */
void rs_table_init(struct rs_table *t, const struct rs_column *columns, size_t n);
/* The next cell of the row, or the first of the next row. */
void rs_table_cell(struct rs_table *t, enum rs_style style, const char *format, ...)
    RS_PRINTF(3, 4);
/* More text for the last cell. */
void rs_table_add(struct rs_table *t, const char *format, ...) RS_PRINTF(2, 3);
/* Titles and rows, indented; then the table is empty and owns nothing. */
void rs_table_print(struct rs_table *t, struct rs_page *p, unsigned indent);

#endif

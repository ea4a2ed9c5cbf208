/* SPDX-License-Identifier: ISC */
/*
 * Tables: measured first, then printed. No I/O.
 */
#include "table.h"

#include <assert.h>
#include <string.h>

/* In characters. Words are not broken into a last column narrower than the last. */
enum { GAP = 2, CELL_MAX = 40, LAST_CELL_MAX = 400, LAST_WIDTH_MIN = 12 };

#define CELLS_MAX_BYTES ((size_t)256 << 20)

struct layout {
	unsigned width[RS_TABLE_COLUMNS_MAX];
	bool is_shown[RS_TABLE_COLUMNS_MAX];
	size_t last; /* the last shown */
};

void
rs_table_init(struct rs_table *t, const struct rs_column *columns, size_t n)
{
	assert(n > 0 && n <= RS_TABLE_COLUMNS_MAX);
	*t = (struct rs_table){.columns = columns, .n = n};
	rs_buf_init(&t->cells, CELLS_MAX_BYTES);
}

void
rs_table_cell(struct rs_table *t, enum rs_style style, const char *format, ...)
{
	va_list args;

	if (t->n_cells++ > 0)
		rs_buf_putc(&t->cells, '\0');
	rs_buf_putc(&t->cells, (char)style);
	va_start(args, format);
	rs_page_defused(&t->cells, format, args);
	va_end(args);
}

void
rs_table_add(struct rs_table *t, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	rs_page_defused(&t->cells, format, args);
	va_end(args);
}

/* Bytes of the first `max` characters. */
static size_t
bytes_of(const char *text, unsigned max)
{
	size_t i = 0;

	for (unsigned n = 0; text[i] != '\0'; i++) {
		n += ((unsigned char)text[i] & 0xc0) != 0x80;
		if (n > max)
			break;
	}
	return i;
}

static size_t
next_column(const struct rs_table *t, size_t k)
{
	return k + 1 < t->n ? k + 1 : 0;
}

static void
measure(const struct rs_table *t, struct layout *ret)
{
	const char *cell = t->cells.data;

	*ret = (struct layout){.last = 0};
	for (size_t k = 0; k < t->n; k++) {
		ret->width[k] = RS_MAX(t->columns[k].min, (unsigned)strlen(t->columns[k].title));
		ret->is_shown[k] = !t->columns[k].is_optional;
	}
	for (size_t i = 0, k = 0; i < t->n_cells; i++, k = next_column(t, k)) {
		const char *const text = cell + 1;
		const unsigned len = rs_page_length(rs_text_of(text));

		ret->width[k] = RS_MAX(ret->width[k], RS_MIN(len, (unsigned)CELL_MAX));
		ret->is_shown[k] |= len > 0 && strcmp(text, "-") != 0;
		cell = text + strlen(text) + 1;
	}
	for (size_t k = 0; k < t->n; k++) {
		if (ret->is_shown[k])
			ret->last = k;
	}
}

static void
print_last(struct rs_page *p, enum rs_style style, const char *text)
{
	const size_t bytes = bytes_of(text, LAST_CELL_MAX);
	const char *const more = text[bytes] != '\0' ? "..." : "";

	rs_page_style(p, style);
	if (p->width >= p->column + LAST_WIDTH_MIN) {
		rs_page_prose(p, p->column, "%.*s%s", (int)bytes, text, more);
	} else {
		rs_page_printf(p, "%.*s%s", (int)bytes, text, more);
		rs_page_end(p);
	}
}

static void
print_cell(struct rs_page *p, const struct rs_column *c, unsigned width, enum rs_style style,
    const char *text)
{
	const bool is_cut = text[bytes_of(text, width)] != '\0';
	const size_t bytes = bytes_of(text, is_cut ? width - 3 : width);
	const unsigned len =
	    rs_page_length((struct rs_text){text, text + bytes}) + (is_cut ? 3 : 0);
	const unsigned start = p->column;

	if (c->align == RS_RIGHT)
		rs_page_indent(p, start + width - len);
	rs_page_style(p, style);
	rs_page_printf(p, "%.*s%s", (int)bytes, text, is_cut ? "..." : "");
	rs_page_style(p, RS_PLAIN);
	rs_page_indent(p, start + width + GAP);
}

static void
print_titles(const struct rs_table *t, struct rs_page *p, const struct layout *l, unsigned indent)
{
	rs_page_indent(p, indent);
	for (size_t k = 0; k <= l->last; k++) {
		const char *const title = t->columns[k].title;

		if (k == l->last)
			print_last(p, RS_FAINT, title);
		else if (l->is_shown[k])
			print_cell(p, &t->columns[k], l->width[k], RS_FAINT, title);
	}
}

void
rs_table_print(struct rs_table *t, struct rs_page *p, unsigned indent)
{
	struct layout l;

	rs_buf_putc(&t->cells, '\0');
	if (t->cells.failed) {
		p->out.failed = true;
		t->n_cells = 0;
	}
	measure(t, &l);
	if (t->n_cells > 0)
		print_titles(t, p, &l, indent);
	const char *cell = t->cells.data;

	for (size_t i = 0, k = 0; i < t->n_cells; i++, k = next_column(t, k)) {
		const enum rs_style style = (enum rs_style)cell[0];
		const char *const text = cell + 1;

		if (k == 0)
			rs_page_indent(p, indent);
		if (k == l.last)
			print_last(p, style, text);
		else if (k < l.last && l.is_shown[k])
			print_cell(p, &t->columns[k], l.width[k], style, text);
		cell = text + strlen(text) + 1;
	}
	rs_buf_fini(&t->cells);
	t->n_cells = 0;
}

/* SPDX-License-Identifier: ISC */
/*
 * Common words.
 */
#include "words.h"

#include <jansson.h>
#include <string.h>

#include "doc.h"
#include "figure.h"

enum rs_style
rs_words_style(const char *severity)
{
	static const struct {
		const char *word;
		enum rs_style style;
	} known[] = {
	    {"ok", RS_GOOD},
	    {"info", RS_NOTICE},
	    {"warn", RS_WARNING},
	    {"crit", RS_CRITICAL},
	};

	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (strcmp(severity, known[i].word) == 0)
			return known[i].style;
	}
	return RS_PLAIN;
}

/* "eth0 rx queue 2" as far as it is told. */
static void
put_place(struct rs_buf *b, const json_t *subject)
{
	const char *const device = rs_doc_string(subject, "device");
	const char *const direction = rs_doc_string(subject, "direction");
	char queue[24];
	const size_t start = b->len;

	rs_figure_index(rs_doc_number(subject, "queue"), queue);
	if (device != NULL)
		rs_buf_puts(b, device);
	if (direction != NULL)
		rs_buf_printf(b, "%s%s", b->len > start ? " " : "", direction);
	if (queue[0] != '-')
		rs_buf_printf(b, "%squeue %s", b->len > start ? " " : "", queue);
}

const char *
rs_words_subject(struct rs_buf *scratch, const struct json_t *subject)
{
	const char *const irq = rs_doc_string(subject, "irq");
	char core[24];

	rs_buf_reset(scratch);
	rs_figure_index(rs_doc_number(subject, "core"), core);
	if (irq != NULL)
		rs_buf_printf(scratch, "irq %s (", irq);
	const size_t start = scratch->len;

	put_place(scratch, subject);
	if (irq != NULL && scratch->len == start)
		scratch->len -= 2;
	else if (irq != NULL)
		rs_buf_putc(scratch, ')');
	if (core[0] != '-')
		rs_buf_printf(scratch, "%score %s", scratch->len > 0 ? ", " : "", core);
	if (scratch->len == 0)
		rs_buf_puts(scratch, rs_doc_word(subject, "kind"));
	return rs_buf_cstr(scratch);
}

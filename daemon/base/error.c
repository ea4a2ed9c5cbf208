/* SPDX-License-Identifier: ISC */
/*
 * Error context: filled once by the deepest layer, read by whoever reports.
 * Any thread, each with its own object.
 */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

#include "text.h"

int
rs_error_set(struct rs_error *e, int code, const char *format, ...)
{
	va_list args;

	if (e == NULL || e->code != 0)
		return code;
	e->code = code;
	va_start(args, format);
	(void)vsnprintf(e->text, sizeof(e->text), format, args);
	va_end(args);
	/* The sentence may quote a file: keep it one harmless line. */
	rs_text_defuse(e->text);
	return code;
}

void
rs_error_clear(struct rs_error *e)
{
	if (e == NULL)
		return;
	e->code = 0;
	e->text[0] = '\0';
}

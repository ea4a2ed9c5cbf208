/* SPDX-License-Identifier: ISC */
/*
 * The list of what was not used.
 */
#include "diagnose/problems.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "rule.h"

void
rs_problem(struct rs_problems *p, const char *file, unsigned line, const char *format, ...)
{
	struct rs_problem *const one =
	    rs_list_add(&p->at, &p->n, &p->cap, sizeof(*one), RS_PROBLEMS_MAX);
	va_list ap;

	if (one == NULL) {
		p->n_more++;
		return;
	}
	(void)snprintf(one->file, sizeof(one->file), "%s", file);
	one->line = line;
	va_start(ap, format);
	rs_cut(one->reason, sizeof(one->reason),
	    vsnprintf(one->reason, sizeof(one->reason), format, ap));
	va_end(ap);
	rs_text_defuse(one->file);
	rs_text_defuse(one->reason);
}

void
rs_problem_skips(struct rs_problems *p, const char *file, const struct rs_skips *s)
{
	const unsigned kept = RS_MIN(s->n, RS_SKIPS_MAX);

	for (unsigned i = 0; i < kept; i++)
		rs_problem(p, file, s->at[i].line, "%s", s->at[i].why);
	if (s->n > kept)
		rs_problem(p, file, 0, "%u more lines like these", s->n - kept);
}

void
rs_problems_free(struct rs_problems *p)
{
	free(p->at);
	*p = (struct rs_problems){0};
}

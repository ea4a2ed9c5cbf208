/* SPDX-License-Identifier: ISC */
/*
 * The words a rule speaks in, kept in fixed space: what does not fit is cut between
 * words or left out, never allocated.
 */
#include "says.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void
rs_cut(char *dst, size_t cap, int wanted)
{
	static const char mark[] = "...";
	size_t len = cap - sizeof(mark);

	if (wanted < 0 || (size_t)wanted < cap)
		return;
	while (len > 0 && dst[len - 1] != ' ' && dst[len - 1] != ',')
		len--;
	memcpy(dst + (len > 0 ? len : cap - sizeof(mark)), mark, sizeof(mark));
}

void
rs_copy_cut(char *dst, size_t cap, const char *text)
{
	rs_cut(dst, cap, snprintf(dst, cap, "%s", text));
}

void
rs_says_begin(struct rs_says *s, size_t rule)
{
	s->rule = rule;
	s->needs[0] = '\0';
	s->n = s->refused = 0;
	s->last = NULL;
}

/* Where there is no room the least of the many makes it for what is worse. */
static struct rs_said *
find_room(struct rs_says *out, enum rs_severity s)
{
	struct rs_said *least = NULL;

	if (out->n < RS_SAYS_MAX)
		return &out->said[out->n++];
	out->refused++;
	for (unsigned i = 0; i < out->n; i++) {
		struct rs_said *const at = &out->said[i];
		if (at->words.severity < s &&
		    (!least || at->words.severity < least->words.severity))
			least = at;
	}
	return least;
}

void
rs_say(struct rs_says *out, const struct rs_subject *subject, enum rs_condition c,
    enum rs_severity s, enum rs_confidence f)
{
	struct rs_said *const said = find_room(out, s);

	out->last = NULL;
	if (!said)
		return;
	said->condition = c;
	out->last = &said->words;
	said->words.subject = *subject;
	said->words.severity = s;
	said->words.confidence = f;
	said->words.message[0] = '\0';
	said->words.n_evidence = said->words.n_causes = said->words.n_advice =
	    said->words.n_ruled_out = 0;
}

void
rs_message(struct rs_says *out, const char *format, ...)
{
	va_list ap;

	if (!out->last)
		return;
	va_start(ap, format);
	rs_cut(out->last->message, sizeof(out->last->message),
	    vsnprintf(out->last->message, sizeof(out->last->message), format, ap));
	va_end(ap);
}

static struct rs_evidence *
add_evidence(struct rs_says *out, const char *label)
{
	if (!out->last || out->last->n_evidence == RS_EVIDENCE_MAX)
		return NULL;
	struct rs_evidence *const e = &out->last->evidence[out->last->n_evidence++];
	rs_copy_cut(e->label, sizeof(e->label), label);
	e->value = NAN;
	e->unit = RS_UNIT_NONE;
	e->text[0] = '\0';
	return e;
}

/* A load is sampled a hundred times a second at best: no more digits than
 * that; rates are counts. */
static double
sensible(double x, enum rs_unit unit)
{
	switch (unit) {
	case RS_UNIT_RATIO:
		return round(x * 100.0) / 100.0;
	case RS_UNIT_CORES:
	case RS_UNIT_CELSIUS:
	case RS_UNIT_NONE:
		return round(x * 10.0) / 10.0;
	case RS_UNIT_PACKETS:
	case RS_UNIT_BYTES:
	case RS_UNIT_INTERRUPTS:
	case RS_UNIT_EVENTS:
	case RS_UNIT_BPS:
	case RS_UNIT_PPS:
	case RS_UNIT_PER_SECOND:
	case RS_UNIT_HZ:
		return round(x);
	case RS_UNIT_SECONDS:
	case RS_UNIT_COUNT:
		break;
	}
	return x;
}

static struct rs_evidence *
add_value(struct rs_says *out, const char *label, double value, enum rs_unit unit)
{
	struct rs_evidence *const e = add_evidence(out, label);

	if (!e)
		return NULL;
	e->value = sensible(value, unit);
	e->unit = unit;
	if (isnan(value))
		(void)snprintf(e->text, sizeof(e->text), "not known");
	return e;
}

void
rs_evidence(struct rs_says *out, const char *label, double value, enum rs_unit unit)
{
	(void)add_value(out, label, value, unit);
}

void
rs_evidence_noted(struct rs_says *out, const char *label, double value, enum rs_unit unit,
    const char *format, ...)
{
	struct rs_evidence *const e = add_value(out, label, value, unit);
	va_list ap;

	if (!e || isnan(value))
		return;
	va_start(ap, format);
	rs_cut(e->text, sizeof(e->text), vsnprintf(e->text, sizeof(e->text), format, ap));
	va_end(ap);
}

void
rs_evidence_text(struct rs_says *out, const char *label, const char *format, ...)
{
	struct rs_evidence *const e = add_evidence(out, label);
	va_list ap;

	if (!e)
		return;
	va_start(ap, format);
	rs_cut(e->text, sizeof(e->text), vsnprintf(e->text, sizeof(e->text), format, ap));
	va_end(ap);
}

void
rs_cause(struct rs_says *out, const char *format, ...)
{
	va_list ap;

	if (!out->last || out->last->n_causes == RS_CAUSES_MAX)
		return;
	char *const cause = out->last->causes[out->last->n_causes++];
	va_start(ap, format);
	rs_cut(cause, sizeof(out->last->causes[0]),
	    vsnprintf(cause, sizeof(out->last->causes[0]), format, ap));
	va_end(ap);
}

void
rs_advise(struct rs_says *out, const struct rs_advice *a)
{
	if (out->last && out->last->n_advice < RS_ADVICE_MAX)
		out->last->advice[out->last->n_advice++] = *a;
}

void
rs_needs(struct rs_says *out, const char *what)
{
	(void)snprintf(out->needs, sizeof(out->needs), "needs %s", what);
}

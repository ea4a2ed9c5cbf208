/* SPDX-License-Identifier: ISC */
/*
 * Findings as the API has them.
 */
#include <math.h>
#include <stdio.h>

#include "diagnose/document.h"

json_t *
rs_json_number(double value)
{
	if (isnan(value))
		return json_null();
	return value == floor(value) && fabs(value) < 9e15 ? json_integer((json_int_t)value)
							   : json_real(value);
}

json_t *
rs_json_ratio(double value)
{
	return isnan(value) ? json_null() : json_real(round(value * 1e4) / 1e4);
}

json_t *
rs_json_truth(int value)
{
	return value < 0 ? json_null() : json_boolean(value);
}

json_t *
rs_json_words(const char *s)
{
	char plain[sizeof(((struct rs_diagnosis *)0)->verdict)];
	json_t *const j = json_string(s);

	if (j != NULL)
		return j;
	(void)snprintf(plain, sizeof(plain), "%s", s);
	for (char *p = plain; *p != '\0'; p++) {
		if ((unsigned char)*p >= 0x80)
			*p = '?';
	}
	return json_string(plain);
}

json_t *
rs_json_text(const char *s)
{
	return s != NULL && s[0] != '\0' ? rs_json_words(s) : json_null();
}

void
rs_json_set(json_t *object, const char *key, json_t *take_value)
{
	(void)json_object_set_new(object, key, take_value);
}

static json_t *
subject(const struct rs_subject *s)
{
	json_t *const one = json_object();

	rs_json_set(one, "kind", json_string(rs_subject_kind_name(s->kind)));
	if (s->core >= 0)
		rs_json_set(one, "core", json_integer(s->core));
	if (s->device[0] != '\0')
		rs_json_set(one, "device", rs_json_words(s->device));
	if (s->queue >= 0)
		rs_json_set(one, "queue", json_integer(s->queue));
	if (s->direction[0] != '\0')
		rs_json_set(one, "direction", rs_json_words(s->direction));
	if (s->irq[0] != '\0')
		rs_json_set(one, "irq", rs_json_words(s->irq));
	return one;
}

static json_t *
evidence(const struct rs_finding *f)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < f->n_evidence; i++) {
		const struct rs_evidence *const e = &f->evidence[i];
		json_t *const one = json_object();
		rs_json_set(one, "label", rs_json_words(e->label));
		rs_json_set(one, "value", rs_json_number(e->value));
		rs_json_set(one, "unit", rs_json_text(rs_unit_name(e->unit)));
		if (e->text[0] != '\0')
			rs_json_set(one, "text", rs_json_words(e->text));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
advice(const struct rs_finding *f)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < f->n_advice; i++) {
		const struct rs_advice *const a = &f->advice[i];
		json_t *const one = json_object();
		rs_json_set(one, "command", rs_json_words(a->command));
		rs_json_set(one, "expect", rs_json_words(a->expect));
		rs_json_set(one, "undo", rs_json_words(a->undo));
		rs_json_set(one, "persistent", json_boolean(a->is_persistent));
		rs_json_set(one, "disruptive", json_boolean(a->is_disruptive));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
ruled_out(const struct rs_finding *f)
{
	json_t *const all = json_array();

	for (uint32_t i = 0; i < f->n_ruled_out; i++) {
		json_t *const one = json_object();
		rs_json_set(one, "code", rs_json_words(f->ruled_out[i].code));
		rs_json_set(one, "title", rs_json_words(f->ruled_out[i].title));
		rs_json_set(one, "reason", rs_json_words(f->ruled_out[i].reason));
		(void)json_array_append_new(all, one);
	}
	return all;
}

static json_t *
finding(const struct rs_finding *f, json_int_t id, bool has_ended)
{
	json_t *const one = json_object(), *const causes = json_array();

	for (uint32_t i = 0; i < f->n_causes; i++)
		(void)json_array_append_new(causes, rs_json_words(f->causes[i]));
	rs_json_set(one, "id", json_integer(id));
	rs_json_set(one, "code", rs_json_words(f->code));
	rs_json_set(one, "title", rs_json_words(f->title));
	rs_json_set(one, "severity", json_string(rs_severity_name(f->severity)));
	rs_json_set(one, "confidence", json_string(rs_confidence_name(f->confidence)));
	rs_json_set(one, "subject", subject(&f->subject));
	/* A capture has no time of day. */
	rs_json_set(one, "raised_ms", json_null());
	rs_json_set(one, "cleared_ms", json_null());
	rs_json_set(one, "active", json_boolean(!has_ended));
	rs_json_set(one, "episodes", json_integer(f->episodes));
	rs_json_set(one, "message", rs_json_words(f->message));
	rs_json_set(one, "evidence", evidence(f));
	rs_json_set(one, "causes", causes);
	rs_json_set(one, "ruled_out", ruled_out(f));
	rs_json_set(one, "advice", advice(f));
	return one;
}

json_t *
rs_json_findings(const struct rs_diagnosis *d)
{
	json_t *const all = json_array();
	json_int_t id = 0;

	for (size_t i = 0; i < d->n_findings; i++)
		(void)json_array_append_new(all, finding(&d->findings[i], ++id, false));
	for (size_t i = 0; i < d->judged.n_ended; i++)
		(void)json_array_append_new(all, finding(&d->judged.ended[i], ++id, true));
	return all;
}

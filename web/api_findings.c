/* SPDX-License-Identifier: ISC */
/*
 * Findings: the active ones from the engine, past ones from the store. Loop
 * thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "api.h"
#include "route.h"
#include "server.h"

const char *const rs_state_choices[] = {"active", "all", NULL};
enum { STATE_ACTIVE, STATE_ALL };

/* Parts that do not apply are left out. */
void
rs_api_put_subject(struct rs_json *j, const struct rs_subject *s)
{
	rs_json_key(j, "subject");
	rs_json_object(j);
	rs_json_put_string(j, "kind", rs_subject_kind_name(s->kind));
	if (s->core >= 0)
		rs_json_put_int(j, "core", s->core);
	if (s->device[0] != '\0')
		rs_json_put_string(j, "device", s->device);
	if (s->queue >= 0)
		rs_json_put_int(j, "queue", s->queue);
	if (s->direction[0] != '\0')
		rs_json_put_string(j, "direction", s->direction);
	if (s->irq[0] != '\0')
		rs_json_put_string(j, "irq", s->irq);
	rs_json_end(j);
}

static void
put_evidence(struct rs_json *j, const struct rs_finding *f)
{
	rs_json_key(j, "evidence");
	rs_json_array(j);
	for (uint32_t i = 0; i < f->n_evidence && i < RS_EVIDENCE_MAX; i++) {
		const struct rs_evidence *e = &f->evidence[i];

		rs_json_object(j);
		rs_json_put_string(j, "label", e->label);
		rs_json_put_double(j, "value", e->value);
		rs_json_put_string(j, "unit", rs_unit_name(e->unit));
		if (e->text[0] != '\0')
			rs_json_put_string(j, "text", e->text);
		rs_json_end(j);
	}
	rs_json_end(j);
}

static void
put_advice(struct rs_json *j, const struct rs_finding *f)
{
	rs_json_key(j, "advice");
	rs_json_array(j);
	for (uint32_t i = 0; i < f->n_advice && i < RS_ADVICE_MAX; i++) {
		const struct rs_advice *a = &f->advice[i];

		rs_json_object(j);
		rs_json_put_string(j, "command", a->command);
		rs_json_put_known_string(j, "expect", a->expect);
		rs_json_put_known_string(j, "undo", a->undo);
		rs_json_put_bool(j, "persistent", a->is_persistent);
		rs_json_put_bool(j, "disruptive", a->is_disruptive);
		rs_json_end(j);
	}
	rs_json_end(j);
}

void
rs_api_put_finding(struct rs_json *j, const struct rs_finding *f)
{
	rs_json_object(j);
	rs_json_put_int(j, "id", f->id);
	rs_json_put_string(j, "code", f->code);
	rs_json_put_string(j, "title", f->title);
	rs_json_put_string(j, "severity", rs_severity_name(f->severity));
	rs_json_put_string(j, "confidence", rs_confidence_name(f->confidence));
	rs_api_put_subject(j, &f->subject);
	rs_json_put_int(j, "raised_ms", f->raised_ms);
	rs_json_put_known_int(j, "cleared_ms", f->cleared_ms != 0 ? f->cleared_ms : -1);
	rs_json_put_uint(j, "episodes", f->episodes);
	rs_json_put_bool(j, "stale", f->is_stale);
	rs_json_put_string(j, "message", f->message);
	put_evidence(j, f);
	rs_json_key(j, "causes");
	rs_json_array(j);
	for (uint32_t i = 0; i < f->n_causes && i < RS_CAUSES_MAX; i++)
		rs_json_string(j, f->causes[i]);
	rs_json_end(j);
	put_advice(j, f);
	rs_json_end(j);
}

/* The active findings as they are now, then those of the past that are not
 * among them: the store may not have heard of the newest yet. */
static int
reply_findings(
    struct rs_request *q, struct rs_reply *r, const struct rs_finding *past, size_t n_past)
{
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n_active =
	    RS_MIN(rs_engine_active(q->web->live->engine, active, RS_FINDINGS_MAX),
		(size_t)RS_FINDINGS_MAX);
	struct rs_json j;

	rs_reply_json(r, &j);
	rs_json_array(&j);
	for (size_t i = 0; i < n_active; i++)
		rs_api_put_finding(&j, active[i]);
	for (size_t i = 0; i < n_past; i++) {
		size_t k = 0;

		while (k < n_active && active[k]->id != past[i].id)
			k++;
		if (k == n_active)
			rs_api_put_finding(&j, &past[i]);
	}
	rs_json_end(&j);
	return rs_reply_json_end(r, &j);
}

static void
past_known(void *arg, struct rs_finding_list *take)
{
	struct rs_request *q = rs_ticket_redeem(arg);

	if (q != NULL && take->status < 0)
		(void)rs_reply_problem(&q->reply, 503, "the history cannot be read");
	else if (q != NULL && reply_findings(q, &q->reply, take->findings, take->n) < 0)
		(void)rs_reply_problem(&q->reply, 500, "out of memory");
	rs_finding_list_free(take);
	if (q != NULL)
		rs_request_finish(q);
}

int
rs_api_findings(struct rs_request *q, struct rs_reply *r)
{
	if (rs_route_number(q, "state") == STATE_ACTIVE)
		return reply_findings(q, r, NULL, 0);
	struct rs_ticket *ticket = rs_request_defer(q);

	if (ticket == NULL)
		return -ENOMEM;
	if (rs_store_findings(q->web->live->store, past_known, ticket) == 0)
		return RS_LATER;
	(void)rs_ticket_redeem(ticket);
	return rs_reply_problem(r, 503, "too many questions at once, try again");
}

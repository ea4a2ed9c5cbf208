/* SPDX-License-Identifier: ISC */
/*
 * Findings: the active ones from the engine, past ones from the store. Loop
 * thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "api.h"
#include "pieces.h"
#include "route.h"
#include "server.h"

const char *const rs_state_choices[] = {"active", "all", NULL};
enum { STATE_ACTIVE, STATE_ALL };
enum { PIECE = 16 }; /* findings; about 30 kB of text */

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

static void
put_ruled_out(struct rs_json *j, const struct rs_finding *f)
{
	rs_json_key(j, "ruled_out");
	rs_json_array(j);
	for (uint32_t i = 0; i < f->n_ruled_out && i < RS_RULED_OUT_MAX; i++) {
		rs_json_object(j);
		rs_json_put_string(j, "code", f->ruled_out[i].code);
		rs_json_put_string(j, "title", f->ruled_out[i].title);
		rs_json_put_string(j, "reason", f->ruled_out[i].reason);
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
	put_ruled_out(j, f);
	put_advice(j, f);
	rs_json_end(j);
}

static int
reply_active(const struct rs_request *q, struct rs_reply *r)
{
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n = RS_MIN(rs_engine_active(q->web->live->engine, active, RS_FINDINGS_MAX),
	    (size_t)RS_FINDINGS_MAX);
	struct rs_json j;

	rs_reply_json(r, &j);
	rs_json_array(&j);
	for (size_t i = 0; i < n; i++)
		rs_api_put_finding(&j, active[i]);
	rs_json_end(&j);
	return rs_reply_json_end(r, &j);
}

/* The active ones as they are now, then those of the past that are not among them:
 * the store may not have heard of the newest yet. */
struct all_answer {
	struct rs_pieces pieces;      /* first: the pieces are their answer */
	struct rs_finding_list *past; /* owned */
	size_t at;
};

static void
write_past(struct rs_pieces *p)
{
	struct all_answer *a = (struct all_answer *)p;
	const size_t end = RS_MIN(a->at + PIECE, a->past->n);

	for (; a->at < end; a->at++)
		rs_api_put_finding(&p->json, &a->past->findings[a->at]);
	p->is_done = a->at == a->past->n;
	if (p->is_done)
		rs_json_end(&p->json);
}

static void
free_all(struct rs_pieces *p)
{
	struct all_answer *a = (struct all_answer *)p;

	rs_finding_list_free(a->past);
	free(a);
}

static bool
is_among(const struct rs_finding *const *active, size_t n, int64_t id)
{
	for (size_t i = 0; i < n; i++) {
		if (active[i]->id == id)
			return true;
	}
	return false;
}

/* Writes the active findings, and leaves those of the past that are not and that
 * stood after the given time. */
static void
begin_all(
    const struct rs_live *live, int64_t after_ms, struct rs_json *j, struct rs_finding_list *past)
{
	const struct rs_view *v = rs_model_view(live->model);
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n_active = RS_MIN(
	    rs_engine_active(live->engine, active, RS_FINDINGS_MAX), (size_t)RS_FINDINGS_MAX);
	size_t n = 0;

	rs_json_array(j);
	for (size_t i = 0; i < n_active; i++)
		rs_api_put_finding(j, active[i]);
	for (size_t i = 0; i < past->n; i++) {
		struct rs_finding *const f = &past->findings[i];

		if (is_among(active, n_active, f->id))
			continue;
		/* The clock may have been set since. */
		if (v->boot_ms != 0)
			(void)rs_finding_follow(f, v->wall_ms - v->boot_ms);
		if (f->cleared_ms != 0 && f->cleared_ms <= after_ms)
			continue;
		if (n < i)
			past->findings[n] = *f;
		n++;
	}
	past->n = n;
}

static void
reply_all(struct rs_request *q, struct rs_reply *r, struct rs_finding_list *take)
{
	const struct rs_arg *after = rs_request_arg(q, "after");
	const size_t bytes = sizeof(*take) + take->n * sizeof(*take->findings);
	const bool has_room = bytes <= RS_ANSWERS_BYTES_MAX - q->web->answer_bytes;
	struct all_answer *a = take->status == 0 && has_room ? calloc(1, sizeof(*a)) : NULL;

	if (a == NULL) {
		(void)rs_reply_problem(r, 503, "%s",
		    has_room ? "the history cannot be read"
			     : "too many questions at once, try again");
		rs_finding_list_free(take);
		return;
	}
	a->past = take;
	rs_pieces_init(&a->pieces, write_past, free_all, &q->web->answer_bytes, bytes);
	begin_all(q->web->live, after != NULL ? after->number : INT64_MIN, &a->pieces.json, take);
	r->type = RS_TYPE_JSON;
	r->source = rs_pieces_source(&a->pieces);
	rs_reply_incomplete(r, take->incomplete);
}

static void
past_known(void *arg, struct rs_finding_list *take)
{
	struct rs_request *q = rs_ticket_redeem(arg);

	if (q == NULL) {
		rs_finding_list_free(take);
		return;
	}
	reply_all(q, &q->reply, take);
	rs_request_finish(q);
}

int
rs_api_findings(struct rs_request *q, struct rs_reply *r)
{
	if (rs_route_number(q, "state") == STATE_ACTIVE) {
		return rs_request_arg(q, "after") == NULL
			   ? reply_active(q, r)
			   : rs_reply_problem(r, 400, "after: only with state=all");
	}
	struct rs_ticket *ticket = rs_request_defer(q);

	if (ticket == NULL)
		return -ENOMEM;
	if (rs_store_findings(q->web->live->store, past_known, ticket) == 0)
		return RS_LATER;
	(void)rs_ticket_redeem(ticket);
	return rs_reply_problem(r, 503, "too many questions at once, try again");
}

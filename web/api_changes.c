/* SPDX-License-Identifier: ISC */
/*
 * Settings that changed, from the store: it has those that are not on disk yet,
 * too. Loop thread.
 */
#include <errno.h>

#include "api.h"
#include "nearest.h"
#include "route.h"
#include "server.h"

void
rs_api_put_change(struct rs_json *j, const struct rs_change *c)
{
	struct rs_subject subject;

	rs_change_subject(c, &subject);
	rs_json_object(j);
	rs_json_put_int(j, "id", c->id);
	rs_json_put_int(j, "at_ms", c->at_ms);
	rs_json_put_string(j, "kind", rs_facts[c->fact].name);
	rs_api_put_subject(j, &subject);
	rs_json_put_string(j, "old", c->old);
	rs_json_put_string(j, "new", c->new);
	rs_json_end(j);
}

static int
unknown_kind(struct rs_text name, struct rs_error *e)
{
	struct rs_nearest nearest;

	rs_nearest_begin(&nearest, name);
	for (size_t i = 0; i < RS_F_COUNT; i++)
		rs_nearest_try(&nearest, rs_facts[i].name);
	const char *best = rs_nearest_best(&nearest);

	return rs_error_set(e, -EINVAL, "kind: there is no '%.*s'%s%s%s", (int)rs_text_len(name),
	    name.p, best != NULL ? ", did you mean '" : "", best != NULL ? best : "",
	    best != NULL ? "'?" : "");
}

static int
make_query(const struct rs_request *q, struct rs_change_query *ret, struct rs_error *e)
{
	const struct rs_arg *after = rs_request_arg(q, "after");
	const struct rs_arg *before = rs_request_arg(q, "before");
	const struct rs_arg *kind = rs_request_arg(q, "kind");
	const struct rs_arg *device = rs_request_arg(q, "device");
	const struct rs_view *v = rs_model_view(q->web->live->model);

	*ret = (struct rs_change_query){
	    .after_ms = after != NULL ? after->number : INT64_MIN,
	    .before_ms = before != NULL ? before->number : INT64_MAX,
	    .limit = (uint32_t)rs_route_number(q, "limit"),
	    .fact = RS_F_COUNT,
	    .has_offset = v->boot_ms != 0,
	    .offset_ms = v->wall_ms - v->boot_ms,
	};
	if (ret->after_ms >= ret->before_ms)
		return rs_error_set(e, -EINVAL, "after: not before the end of the range");
	if (device != NULL)
		(void)rs_text_copy(device->value, ret->device, sizeof(ret->device));
	if (kind == NULL)
		return 0;
	ret->fact = (uint16_t)rs_fact_find(kind->value);
	return ret->fact == RS_F_COUNT ? unknown_kind(kind->value, e) : 0;
}

static int
reply_changes(struct rs_reply *r, const struct rs_change_list *l)
{
	struct rs_json j;

	rs_reply_json(r, &j);
	rs_json_array(&j);
	for (size_t i = 0; i < l->n; i++)
		rs_api_put_change(&j, &l->changes[i]);
	rs_json_end(&j);
	rs_reply_incomplete(r, l->incomplete);
	return rs_reply_json_end(r, &j);
}

static void
changes_known(void *arg, struct rs_change_list *take)
{
	struct rs_request *q = rs_ticket_redeem(arg);

	if (q != NULL && take->status < 0)
		(void)rs_reply_problem(&q->reply, 503, "the history cannot be read");
	else if (q != NULL && reply_changes(&q->reply, take) < 0)
		(void)rs_reply_problem(&q->reply, 500, "out of memory");
	rs_change_list_free(take);
	if (q != NULL)
		rs_request_finish(q);
}

int
rs_api_changes(struct rs_request *q, struct rs_reply *r)
{
	struct rs_error e = {0};
	struct rs_change_query query;

	if (make_query(q, &query, &e) < 0)
		return rs_reply_problem(r, 400, "%s", e.text);
	struct rs_ticket *ticket = rs_request_defer(q);

	if (ticket == NULL)
		return -ENOMEM;
	if (rs_store_changes(q->web->live->store, &query, changes_known, ticket) == 0)
		return RS_LATER;
	(void)rs_ticket_redeem(ticket);
	return rs_reply_problem(r, 503, "too many questions at once, try again");
}

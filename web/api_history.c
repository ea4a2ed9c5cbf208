/* SPDX-License-Identifier: ISC */
/*
 * Questions to the store: series and catalog. The request waits, the answer
 * comes to the ticket. Loop thread.
 */
#include <errno.h>
#include <stdlib.h>

#include "api.h"
#include "history.h"
#include "nearest.h"
#include "pieces.h"
#include "route.h"
#include "server.h"

enum { PIECE = 128 }; /* entries of the catalog; about 25 kB of text */

const char *const rs_aggregate_choices[] = {
    [RS_AVG] = "avg", [RS_MIN] = "min", [RS_MAX_OF] = "max", [RS_SUM] = "sum", NULL};
const char *const rs_tier_choices[] = {[RS_TIER_ANY] = "any",
    [RS_TIER_FINEST] = "finest",
    [RS_TIER_ONLY_RAW] = "raw",
    [RS_TIER_ONLY_MINUTE] = "minute",
    [RS_TIER_ONLY_HOUR] = "hour",
    NULL};
const char *const rs_format_choices[] = {[RS_FORMAT_JSON] = "json", [RS_FORMAT_CSV] = "csv", NULL};
const char *const rs_layout_choices[] = {
    [RS_LAYOUT_COLUMNS] = "columns", [RS_LAYOUT_ROWS] = "rows", NULL};

static size_t
head_blocks(void *arg, const struct rs_block **ret, size_t cap)
{
	return rs_model_blocks(arg, ret, cap);
}

static int
busy(struct rs_reply *r)
{
	return rs_reply_problem(r, 503, "too many questions at once, try again");
}

/* What the store says instead of an answer. */
static int
no_answer(struct rs_reply *r, int status)
{
	static const struct {
		int status;
		unsigned http;
		const char *sentence;
	} known[] = {
	    {-E2BIG, 413,
		"the answer would be too large: ask for fewer series, a shorter range, or "
		"down-sampled with points="},
	    {-ETIME, 503, "the question takes too long; ask for a shorter range or fewer points"},
	    {-EINVAL, 400, "after, before: the range is empty or out of bounds"},
	};

	if (status == -EAGAIN)
		return busy(r);
	for (size_t i = 0; i < RS_ARRAY_LEN(known); i++) {
		if (known[i].status == status)
			return rs_reply_problem(r, known[i].http, "%s", known[i].sentence);
	}
	return rs_reply_problem(r, 503, "the history cannot be read");
}

static int
unknown_metric(struct rs_reply *r, struct rs_text name)
{
	struct rs_nearest nearest;

	rs_nearest_begin(&nearest, name);
	for (size_t i = 0; i < RS_M_COUNT; i++)
		rs_nearest_try(&nearest, rs_metrics[i].name);
	const char *best = rs_nearest_best(&nearest);

	return rs_reply_problem(r, 404, "metric: there is no '%.*s'%s%s%s", (int)rs_text_len(name),
	    name.p, best != NULL ? ", did you mean '" : "", best != NULL ? best : "",
	    best != NULL ? "'?" : "");
}

static int
add_filters(const struct rs_request *q, const struct rs_metric *m, struct rs_query *query,
    struct rs_error *e)
{
	for (size_t i = 0; i < q->n_args; i++) {
		const struct rs_arg *arg = &q->args[i];
		const char *label = NULL;

		for (size_t k = 0; rs_label_names[k] != NULL; k++) {
			if (rs_text_eq(arg->name, rs_label_names[k]))
				label = rs_label_names[k];
		}
		if (label == NULL)
			continue;
		if (!rs_history_has_label(m, label))
			return rs_error_set(
			    e, -EINVAL, "%s: series of '%s' have no such label", label, m->name);
		if (query->n_filters == RS_QUERY_FILTERS_MAX)
			return rs_error_set(
			    e, -EINVAL, "more than %d labels", RS_QUERY_FILTERS_MAX);
		struct rs_filter *f = &query->filters[query->n_filters++];

		f->label = label;
		(void)rs_text_copy(arg->value, f->value, sizeof(f->value));
	}
	return 0;
}

static int
make_query(
    const struct rs_request *q, const struct rs_metric *m, struct rs_query *ret, struct rs_error *e)
{
	*ret = (struct rs_query){
	    .after_ms = rs_route_number(q, "after"),
	    .before_ms = rs_route_number(q, "before"),
	    .aggregate = (enum rs_aggregate)rs_route_number(q, "aggregate"),
	    .tier = (enum rs_tier_wish)rs_route_number(q, "tier"),
	};
	(void)rs_text_copy(rs_text_of(m->name), ret->metric, sizeof(ret->metric));
	if (rs_request_arg(q, "points") != NULL)
		ret->points = (uint32_t)rs_route_number(q, "points");
	if (ret->after_ms >= ret->before_ms)
		return rs_error_set(e, -EINVAL, "after: not before the end of the range");
	if (ret->aggregate == RS_SUM && m->kind != RS_COUNTER)
		return rs_error_set(
		    e, -EINVAL, "aggregate: sum needs a counter, '%s' is a gauge", m->name);
	return add_filters(q, m, ret, e);
}

static void
reply_series(struct rs_request *q, struct rs_reply *r, struct rs_history *take)
{
	const struct rs_history_form form = {
	    .format = (enum rs_history_format)rs_route_number(q, "format"),
	    .layout = (enum rs_history_layout)rs_route_number(q, "layout"),
	    .aggregate = (enum rs_aggregate)rs_route_number(q, "aggregate"),
	    .metric = rs_history_metric(rs_request_arg(q, "metric")->value),
	};
	const int status = take->status;

	if (status == 0 && rs_history_bytes(take) <= RS_ANSWERS_BYTES_MAX - q->web->answer_bytes) {
		r->type = form.format == RS_FORMAT_CSV ? RS_TYPE_CSV : RS_TYPE_JSON;
		if (take->n_times > 0)
			rs_reply_header(r, "Ringside-Tier", take->tier);
		rs_reply_incomplete(r, take->incomplete);
		if (rs_history_source(take, &form, &q->web->answer_bytes, &r->source) < 0)
			(void)rs_reply_problem(r, 500, "out of memory");
		return;
	}
	rs_history_free(take);
	(void)no_answer(r, status < 0 ? status : -EAGAIN);
}

static void
series_known(void *arg, struct rs_history *take)
{
	struct rs_request *q = rs_ticket_redeem(arg);

	if (q == NULL) {
		rs_history_free(take);
		return;
	}
	reply_series(q, &q->reply, take);
	rs_request_finish(q);
}

int
rs_api_series(struct rs_request *q, struct rs_reply *r)
{
	const struct rs_text name = rs_request_arg(q, "metric")->value;
	const struct rs_metric *m = rs_history_metric(name);
	const struct rs_live *live = q->web->live;
	struct rs_error e = {0};
	struct rs_query query;

	if (m == NULL)
		return unknown_metric(r, name);
	if (make_query(q, m, &query, &e) < 0)
		return rs_reply_problem(r, 400, "%s", e.text);
	struct rs_ticket *ticket = rs_request_defer(q);

	if (ticket == NULL)
		return -ENOMEM;
	const int asked =
	    rs_store_query(live->store, &query, head_blocks, live->model, series_known, ticket);

	if (asked == 0)
		return RS_LATER;
	(void)rs_ticket_redeem(ticket);
	return no_answer(r, asked);
}

static void
put_entry(struct rs_json *j, const struct rs_catalog_entry *entry)
{
	const struct rs_metric *m = &rs_metrics[entry->metric];
	char value[24];

	rs_json_object(j);
	rs_json_put_string(j, "metric", m->name);
	rs_json_key(j, "labels");
	rs_json_object(j);
	for (size_t i = 0; rs_label_names[i] != NULL; i++) {
		if (rs_label_value(m, &entry->labels, rs_label_names[i], value))
			rs_json_put_string(j, rs_label_names[i], value);
	}
	rs_json_end(j);
	rs_json_put_string(j, "unit", rs_unit_name(m->unit));
	rs_json_put_string(j, "kind", m->kind == RS_COUNTER ? "counter" : "gauge");
	rs_json_put_int(j, "first_ms", entry->first_ms);
	rs_json_put_int(j, "last_ms", entry->last_ms);
	rs_json_end(j);
}

struct catalog_answer {
	struct rs_pieces pieces;    /* first: the pieces are their answer */
	struct rs_catalog *catalog; /* owned */
	bool has_begun;
	size_t at;
};

static void
write_entries(struct rs_pieces *p)
{
	struct catalog_answer *a = (struct catalog_answer *)p;
	const size_t end = RS_MIN(a->at + PIECE, a->catalog->n);

	if (!a->has_begun)
		rs_json_array(&p->json);
	a->has_begun = true;
	for (; a->at < end; a->at++)
		put_entry(&p->json, &a->catalog->entries[a->at]);
	p->is_done = a->at == a->catalog->n;
	if (p->is_done)
		rs_json_end(&p->json);
}

static void
free_catalog(struct rs_pieces *p)
{
	struct catalog_answer *a = (struct catalog_answer *)p;

	rs_catalog_free(a->catalog);
	free(a);
}

static void
reply_catalog(struct rs_reply *r, struct rs_catalog *take, size_t *held)
{
	const size_t bytes = sizeof(*take) + take->cap * sizeof(*take->entries);
	struct catalog_answer *a = NULL;

	if (take->status == 0 && bytes <= RS_ANSWERS_BYTES_MAX - *held) {
		a = calloc(1, sizeof(*a));
		if (a == NULL)
			(void)rs_reply_problem(r, 500, "out of memory");
	} else {
		(void)no_answer(r, take->status < 0 ? take->status : -EAGAIN);
	}
	if (a == NULL) {
		rs_catalog_free(take);
		return;
	}
	a->catalog = take;
	rs_pieces_init(&a->pieces, write_entries, free_catalog, held, bytes);
	r->type = RS_TYPE_JSON;
	r->source = rs_pieces_source(&a->pieces);
	rs_reply_incomplete(r, take->incomplete);
}

static void
catalog_known(void *arg, struct rs_catalog *take)
{
	struct rs_request *q = rs_ticket_redeem(arg);

	if (q == NULL) {
		rs_catalog_free(take);
		return;
	}
	reply_catalog(&q->reply, take, &q->web->answer_bytes);
	rs_request_finish(q);
}

int
rs_api_catalog(struct rs_request *q, struct rs_reply *r)
{
	const struct rs_live *live = q->web->live;
	struct rs_ticket *ticket = rs_request_defer(q);

	if (ticket == NULL)
		return -ENOMEM;
	if (rs_store_catalog(live->store, head_blocks, live->model, catalog_known, ticket) == 0)
		return RS_LATER;
	(void)rs_ticket_redeem(ticket);
	return busy(r);
}

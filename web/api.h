/* SPDX-License-Identifier: ISC */
/*
 * Handlers of the routes, and the JSON they share with the event stream and
 * the command line. Loop thread.
 */
#ifndef RS_API_H
#define RS_API_H

#include "finding.h"
#include "json.h"
#include "request.h"
#include "view.h"

struct rs_change;
struct rs_live;

/* The objects and arrays of contract chapter 4. */
void rs_api_put_summary(struct rs_json *j, const struct rs_live *live);
void rs_api_put_cores(struct rs_json *j, const struct rs_view *v);
void rs_api_put_interfaces(struct rs_json *j, const struct rs_view *v);
void rs_api_put_interrupts(struct rs_json *j, const struct rs_view *v);
void rs_api_put_queues(struct rs_json *j, const struct rs_view *v);
/* One interrupt line of the above, and its cores as an object core -> rate; NULL:
 * an empty one. */
void rs_api_put_interrupt(
    struct rs_json *j, const struct rs_view *v, const struct rs_irq_view *irq);
void rs_api_put_cells(struct rs_json *j, const struct rs_irq_view *irq);
/* The member fed_by: queues whose interrupts the core served in the last interval
 * or that a thread polled on it. */
void rs_api_put_fed_by(struct rs_json *j, const struct rs_view *v, unsigned cpu);
void rs_api_put_finding(struct rs_json *j, const struct rs_finding *f);
void rs_api_put_change(struct rs_json *j, const struct rs_change *c);
/* The member "subject". */
void rs_api_put_subject(struct rs_json *j, const struct rs_subject *s);

int rs_api_summary(struct rs_request *q, struct rs_reply *r);
int rs_api_cores(struct rs_request *q, struct rs_reply *r);
int rs_api_interfaces(struct rs_request *q, struct rs_reply *r);
int rs_api_interrupts(struct rs_request *q, struct rs_reply *r);
int rs_api_queues(struct rs_request *q, struct rs_reply *r);
int rs_api_map(struct rs_request *q, struct rs_reply *r);
int rs_api_findings(struct rs_request *q, struct rs_reply *r);
int rs_api_changes(struct rs_request *q, struct rs_reply *r);
int rs_api_series(struct rs_request *q, struct rs_reply *r);
int rs_api_catalog(struct rs_request *q, struct rs_reply *r);
int rs_api_health(struct rs_request *q, struct rs_reply *r);
int rs_api_stream(struct rs_request *q, struct rs_reply *r);
int rs_api_metrics(struct rs_request *q, struct rs_reply *r);

/* A file of the dashboard; -ENOENT: there is none of this path. */
int rs_api_asset(struct rs_request *q, struct rs_reply *r);

/* For handlers: a JSON document into the reply's body, and its end: 0, or
 * -ENOMEM when it did not fit. */
void rs_reply_json(struct rs_reply *r, struct rs_json *j);
int rs_reply_json_end(struct rs_reply *r, const struct rs_json *j);

/* Says in a header what the answer lacks: what is stored, because of this error of
 * the store; 0: nothing. */
void rs_reply_incomplete(struct rs_reply *r, int error);

/* Choices of parameters, in the order of their numbers. */
extern const char *const rs_state_choices[];	 /* active, all */
extern const char *const rs_aggregate_choices[]; /* as enum rs_aggregate */
extern const char *const rs_tier_choices[];	 /* as enum rs_tier_wish */
extern const char *const rs_format_choices[];	 /* json, csv */
extern const char *const rs_layout_choices[];	 /* columns, rows */

#endif

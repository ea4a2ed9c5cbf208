/* SPDX-License-Identifier: ISC */
/* The server thread and the store of the tests. */
#include "http_rig.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "load.h"
#include "mailbox.h"
#include "rs_check.h"
#include "server.h"

/* ---- the store ---- */

enum kind { KIND_SERIES, KIND_CATALOG, KIND_FINDINGS, KIND_CHANGES };

struct job {
	struct job *next;
	enum kind kind;
	void *arg;
	void (*series_done)(void *arg, struct rs_history *take);
	void (*catalog_done)(void *arg, struct rs_catalog *take);
	void (*findings_done)(void *arg, struct rs_finding_list *take);
	void (*changes_done)(void *arg, struct rs_change_list *take);
};

struct rs_store {
	struct rs_event *timer;
	struct job *jobs, **end;
};

struct rig_store rig_store;

static struct rs_history *
make_history(void)
{
	struct rs_history *h = calloc(1, sizeof(*h));

	ck_assert_ptr_nonnull(h);
	h->status = rig_store.status;
	if (h->status < 0)
		return h;
	h->incomplete = rig_store.incomplete;
	h->tier = "raw";
	h->resolution_ms = 1000;
	h->n_times = rig_store.n_times;
	h->n_series = rig_store.n_series;
	h->time_ms = calloc(h->n_times + 1, sizeof(*h->time_ms));
	h->series = calloc(h->n_series + 1, sizeof(*h->series));
	for (size_t t = 0; t < h->n_times; t++)
		h->time_ms[t] = INT64_C(1700000000000) + (int64_t)t * 1000;
	for (size_t i = 0; i < h->n_series; i++) {
		struct rs_history_series *s = &h->series[i];

		s->metric = RS_M_CORE_PACKET_LOAD;
		s->labels = rs_labels_none;
		s->labels.cpu = (int32_t)i;
		s->values = calloc(h->n_times + 1, sizeof(*s->values));
		for (size_t t = 0; t < h->n_times; t++)
			s->values[t] = t % 10 == 9 ? (double)NAN : -0.0123 - (double)(t % 7) / 7;
	}
	return h;
}

static struct rs_catalog *
make_catalog(void)
{
	struct rs_catalog *c = calloc(1, sizeof(*c));

	ck_assert_ptr_nonnull(c);
	c->status = rig_store.status;
	if (c->status < 0)
		return c;
	c->incomplete = rig_store.incomplete;
	c->n = c->cap = rig_store.n_catalog;
	c->entries = calloc(c->n + 1, sizeof(*c->entries));
	ck_assert_ptr_nonnull(c->entries);
	for (size_t i = 0; i < c->n; i++) {
		c->entries[i] = (struct rs_catalog_entry){.metric = RS_M_NIC_RX_BYTES,
		    .labels = {.cpu = -1, .queue = -1},
		    .first_ms = 1000,
		    .last_ms = 2000};
		(void)snprintf(c->entries[i].labels.device, sizeof(c->entries[i].labels.device),
		    "eth%u", (unsigned)(i % 1000000));
	}
	return c;
}

static struct rs_finding_list *
make_findings(void)
{
	struct rs_finding_list *l = calloc(1, sizeof(*l));

	ck_assert_ptr_nonnull(l);
	l->status = rig_store.status;
	if (l->status < 0)
		return l;
	l->incomplete = rig_store.incomplete;
	l->n = rig_store.n_findings;
	l->findings = calloc(l->n + 1, sizeof(*l->findings));
	ck_assert_ptr_nonnull(l->findings);
	for (size_t i = 0; i < l->n; i++)
		l->findings[i] = (struct rs_finding){.id = 6 + (int64_t)(l->n - i),
		    .code = "core.skewed",
		    .title = "Past",
		    .subject = rs_subject_host,
		    .raised_ms = 1000,
		    .cleared_ms = 2000};
	return l;
}

static struct rs_change_list *
make_changes(void)
{
	struct rs_change_list *l = calloc(1, sizeof(*l));

	ck_assert_ptr_nonnull(l);
	l->status = rig_store.status;
	if (l->status < 0)
		return l;
	l->incomplete = rig_store.incomplete;
	l->changes = calloc(1, sizeof(*l->changes));
	l->n = 1;
	l->changes[0] = (struct rs_change){.id = 3,
	    .at_ms = 3000,
	    .fact = RS_F_IRQ_AFFINITY,
	    .labels = {.cpu = -1, .queue = 1, .device = "eth0", .irq = "31"},
	    .old = "0-3",
	    .new = "2"};
	return l;
}

static void
answer_job(struct job *j)
{
	switch (j->kind) {
	case KIND_SERIES:
		j->series_done(j->arg, make_history());
		break;
	case KIND_CATALOG:
		j->catalog_done(j->arg, make_catalog());
		break;
	case KIND_FINDINGS:
		j->findings_done(j->arg, make_findings());
		break;
	case KIND_CHANGES:
		j->changes_done(j->arg, make_changes());
		break;
	}
	free(j);
	rig_store.answered++;
}

static void
answer_all(void *arg)
{
	struct rs_store *s = arg;

	while (s->jobs != NULL) {
		struct job *j = s->jobs;

		s->jobs = j->next;
		if (s->jobs == NULL)
			s->end = &s->jobs;
		answer_job(j);
	}
}

static int
add_job(struct rs_store *s, struct job job)
{
	if (rig_store.refusal < 0)
		return rig_store.refusal;
	struct job *j = malloc(sizeof(*j));

	ck_assert_ptr_nonnull(j);
	*j = job;
	j->next = NULL;
	*s->end = j;
	s->end = &j->next;
	rig_store.asked++;
	if (!rig_store.is_held)
		rs_timer_arm(s->timer, 0);
	return 0;
}

int
rs_store_query(struct rs_store *s, const struct rs_query *q, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_history *take), void *arg)
{
	const struct rs_block *blocks[8];

	rig_store.last = *q;
	(void)head(head_arg, blocks, RS_ARRAY_LEN(blocks));
	return add_job(s, (struct job){.kind = KIND_SERIES, .arg = arg, .series_done = done});
}

int
rs_store_catalog(struct rs_store *s, rs_head_fn head, void *head_arg,
    void (*done)(void *arg, struct rs_catalog *take), void *arg)
{
	(void)head;
	(void)head_arg;
	return add_job(s, (struct job){.kind = KIND_CATALOG, .arg = arg, .catalog_done = done});
}

int
rs_store_findings(
    struct rs_store *s, void (*done)(void *arg, struct rs_finding_list *take), void *arg)
{
	return add_job(s, (struct job){.kind = KIND_FINDINGS, .arg = arg, .findings_done = done});
}

int
rs_store_changes(struct rs_store *s, const struct rs_change_query *q,
    void (*done)(void *arg, struct rs_change_list *take), void *arg)
{
	rig_store.last_changes = *q;
	return add_job(s, (struct job){.kind = KIND_CHANGES, .arg = arg, .changes_done = done});
}

void
rs_change_list_free(struct rs_change_list *l)
{
	if (l != NULL)
		free(l->changes);
	free(l);
}

const char *
rs_store_words(int code)
{
	return strerror(-code);
}

void
rs_history_free(struct rs_history *h)
{
	if (h == NULL)
		return;
	for (size_t i = 0; h->series != NULL && i < h->n_series; i++)
		free(h->series[i].values);
	free(h->series);
	free(h->time_ms);
	free(h);
}

void
rs_catalog_free(struct rs_catalog *c)
{
	if (c != NULL)
		free(c->entries);
	free(c);
}

void
rs_finding_list_free(struct rs_finding_list *l)
{
	if (l != NULL)
		free(l->findings);
	free(l);
}

void
rs_store_get_stats(struct rs_store *s, struct rs_store_stats *ret)
{
	(void)s;
	*ret = (struct rs_store_stats){.state = "memory", .size_bytes = -1};
}

/* ---- the machine ---- */

static void
sample(struct rig *r)
{
	static const rs_ns start = 1000 * RS_NS_PER_S;
	const rs_ns now = start + (rs_ns)rs_model_view(r->model)->tick * RS_NS_PER_S;
	const uint64_t n = (uint64_t)(now - start) / (uint64_t)RS_NS_PER_S;
	const struct rs_model_time t = {.mono_ns = now,
	    .due_ns = now,
	    .boot_ns = now,
	    .wall_ms = INT64_C(1700000000000) + (int64_t)n * 1000,
	    .is_clock_ok = true};
	struct rs_frame *f;

	ck_assert_int_eq(rs_frame_new(1000, &f), 0);
	rs_model_begin(r->model, &t);
	rs_frame_reset(f, now);
	f->has_cpus_seen = true;
	for (unsigned cpu = 0; cpu < 2; cpu++) {
		rs_cpuset_add(&f->cpus_seen, cpu);
		rs_put(f, RS_M_CPU_IDLE, cpu, 1000 + n * 60);
		rs_put(f, RS_M_CPU_SOFTIRQ, cpu, 10 + n * 40);
		rs_put(f, RS_M_SOFTNET_PROCESSED, cpu, n * 50000);
	}
	f->has_nics = true;
	struct rs_nic_info *nic = rs_frame_nic(f);

	ck_assert_ptr_nonnull(nic);
	nic->ifindex = 2;
	(void)snprintf(nic->name, sizeof(nic->name), "eth0");
	nic->is_physical = true;
	rs_put(f, RS_M_NIC_RX_BYTES, 2, n * 1000000);
	rs_put(f, RS_M_NIC_RX_PACKETS, 2, n * 1000);
	rs_model_apply(r->model, f);
	rs_model_build_view(r->model);
	rs_frame_free(f);
}

void
rig_tick(struct rig *r, void *unused)
{
	const struct rs_finding *active[RS_FINDINGS_MAX];
	struct rs_view *v;

	(void)unused;
	sample(r);
	v = rs_model_view_rw(r->model);
	rs_load_fill(v, rs_model_cores_rw(r->model), v->n_cores, rs_model_cpus(r->model),
	    rs_model_reserved(r->model), rs_engine_groups(r->engine));
	rs_engine_run(r->engine, v, NULL, NULL);
	rs_verdict_make(
	    v, active, rs_engine_active(r->engine, active, RS_FINDINGS_MAX), NULL, 0, &r->verdict);
	struct rs_block *b = rs_model_end(r->model);

	if (b != NULL)
		rs_model_block_done(r->model, b, true);
	if (r->web != NULL)
		rs_web_publish_tick(r->web);
}

static void
get_health(void *arg, struct rs_health *ret)
{
	static const struct rs_source_health sources[] = {
	    {.id = "stat", .path = "proc/stat", .state = "ok"},
	    {.id = "softnet",
		.path = "proc/net/softnet_stat",
		.state = "missing",
		.reason = "No such file or directory"},
	};

	(void)arg;
	*ret = (struct rs_health){.ticks = 3,
	    .pss_bytes = -1,
	    .rss_bytes = 4096,
	    .sources = sources,
	    .n_sources = RS_ARRAY_LEN(sources),
	    .loop_method = "epoll"};
}

/* ---- the thread ---- */

static struct {
	pthread_t thread;
	struct rs_mailbox *calls;
	struct rs_event *watch;
	struct rs_store store;
} own;

struct call {
	struct rig *rig;
	void (*fn)(struct rig *r, void *arg);
	void *arg;
	sem_t done;
};

static void
on_call(void *arg, int ready)
{
	struct call *c;

	(void)arg;
	(void)ready;
	while ((c = rs_mailbox_take(own.calls, false)) != NULL) {
		c->fn(c->rig, c->arg);
		(void)sem_post(&c->done);
	}
}

static void *
serve(void *arg)
{
	struct rig *r = arg;

	(void)rs_loop_run(r->loop);
	return NULL;
}

void
rig_call(struct rig *r, void (*fn)(struct rig *r, void *arg), void *arg)
{
	struct call c = {.rig = r, .fn = fn, .arg = arg};

	ck_assert_int_eq(sem_init(&c.done, 0, 0), 0);
	ck_assert_int_eq(rs_mailbox_put(own.calls, &c), 0);
	while (sem_wait(&c.done) < 0)
		;
	(void)sem_destroy(&c.done);
}

static void
find_port(struct rig *r)
{
	struct rs_text rest = rs_text_of(rs_web_url(r->web)), one = rest;
	char first[160];

	(void)rs_text_until(&rest, ',', &one);
	ck_assert(rs_text_copy(one, first, sizeof(first)));
	const char *colon = strrchr(first, ':');

	r->port = strncmp(first, "http", 4) == 0 ? (unsigned)strtoul(colon + 1, NULL, 10) : 0;
}

void
rig_open(struct rig *r, const struct rs_web_conf *c)
{
	static const char *const any_port[] = {"127.0.0.1:0", NULL};
	const struct rs_model_conf model = {
	    .interval_ns = RS_NS_PER_S, .max_series = 500, .n_blocks = 3};
	struct rs_web_conf conf = c != NULL ? *c : (struct rs_web_conf){0};
	struct rs_error e = {0};

	if (conf.listen == NULL)
		conf.listen = any_port;
	*r = (struct rig){0};
	rig_store =
	    (struct rig_store){.n_series = 2, .n_times = 3, .n_catalog = 1, .n_findings = 1};
	own.store = (struct rs_store){.end = &own.store.jobs};
	ck_assert_int_eq(rs_loop_new(&r->loop), 0);
	ck_assert_int_eq(rs_model_new(&model, &r->model), 0);
	ck_assert_int_eq(rs_engine_new(rs_rules, NULL, 1, &r->engine), 0);
	ck_assert_int_eq(
	    rs_loop_timer(r->loop, "store", answer_all, &own.store, &own.store.timer), 0);
	ck_assert_int_eq(rs_mailbox_new(8, &own.calls), 0);
	ck_assert_int_eq(rs_loop_watch(r->loop, "calls", rs_mailbox_fd(own.calls), RS_LOOP_READ,
			     on_call, NULL, &own.watch),
	    0);
	r->live = (struct rs_live){.model = r->model,
	    .engine = r->engine,
	    .store = &own.store,
	    .verdict = &r->verdict,
	    .get_health = get_health,
	    .arg = r};
	rig_tick(r, NULL);
	rig_tick(r, NULL);
	ck_assert_msg(rs_web_open(&conf, r->loop, &r->live, &e, &r->web) == 0, "%s", e.text);
	find_port(r);
	ck_assert_int_eq(pthread_create(&own.thread, NULL, serve, r), 0);
}

static void
close_server(struct rig *r, void *unused)
{
	(void)unused;
	rs_web_close(r->web);
	/* As rs_store_close does: every question is answered, late or not. */
	answer_all(&own.store);
	rs_loop_stop(r->loop);
}

void
rig_close(struct rig *r)
{
	rig_call(r, close_server, NULL);
	ck_assert_int_eq(pthread_join(own.thread, NULL), 0);
	rs_event_free(own.watch);
	rs_mailbox_free(own.calls);
	rs_event_free(own.store.timer);
	rs_engine_free(r->engine);
	rs_model_free(r->model);
	rs_loop_free(r->loop);
}

void
rig_publish(struct rig *r, void *events)
{
	const struct rig_events *ev = events;

	for (unsigned i = 0; i < ev->n; i++) {
		struct rs_buf *out = rs_hub_begin(r->web->hub, "tick");
		char *data = rs_buf_reserve(out, ev->bytes);

		ck_assert_ptr_nonnull(data);
		memset(data, 'x', ev->bytes);
		out->len += ev->bytes;
		ck_assert(rs_hub_commit(r->web->hub));
	}
}

void
rig_answer(struct rig *r, void *unused)
{
	(void)r;
	(void)unused;
	rig_store.is_held = false;
	rs_timer_arm(own.store.timer, 0);
}

static void
get_stats(struct rig *r, void *arg)
{
	rs_web_get_stats(r->web, arg);
}

void
rig_stats(struct rig *r, struct rs_web_stats *ret)
{
	rig_call(r, get_stats, ret);
}

static void
get_http_stats(struct rig *r, void *arg)
{
	rs_http_get_stats(r->web->http, arg);
}

uint64_t
rig_runs(struct rig *r)
{
	struct rs_http_stats stats;

	rig_call(r, get_http_stats, &stats);
	return stats.runs;
}

void
rig_wait_streams(struct rig *r, unsigned n)
{
	const struct timespec pause = {.tv_nsec = 5000000};
	struct rs_web_stats stats;

	for (unsigned i = 0; i < 6000; i++) {
		rig_stats(r, &stats);
		if (stats.streams == n)
			return;
		(void)nanosleep(&pause, NULL);
	}
	ck_abort_msg("%u streams are open, expected %u", stats.streams, n);
}

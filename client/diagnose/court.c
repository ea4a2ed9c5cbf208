/* SPDX-License-Identifier: ISC */
/*
 * A moment is put into the daemon's view by a model that has seen no second
 * sample: all is unknown there but what the moment tells.
 */
#include "diagnose/court.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "load.h"

/* As the daemon, whose second this is. */
#define VOTE_NS RS_NS_PER_S
enum { SERIES = 64, BLOCKS = 3, READINGS_MAX = 1 << 20 };
/* The model takes no shorter one (block.h). */
#define INTERVAL_MIN_NS (RS_NS_PER_S / 5)

void
rs_court_close(struct rs_court *c)
{
	rs_frame_free(c->frame);
	rs_engine_free(c->engine);
	rs_model_free(c->model);
}

int
rs_court_open(struct rs_court *c, rs_ns interval_ns, struct rs_judged *judged)
{
	/* Nobody looks at its blocks of samples. */
	const struct rs_model_conf conf = {.interval_ns = RS_MAX(interval_ns, INTERVAL_MIN_NS),
	    .max_series = SERIES,
	    .n_blocks = BLOCKS};

	memset(c, 0, sizeof(*c));
	memset(judged, 0, sizeof(*judged));
	c->judged = judged;
	int rc = rs_model_new(&conf, &c->model);
	if (rc == 0)
		rc = rs_engine_new(rs_rules, NULL, 1, &c->engine);
	if (rc == 0)
		rc = rs_frame_new(READINGS_MAX, &c->frame);
	if (rc < 0)
		rs_court_close(c);
	return rc;
}

/* What stood and has ended is told as well. */
static void
note_cleared(void *arg, enum rs_finding_event ev, const struct rs_finding *f)
{
	struct rs_judged *const j = ((struct rs_court *)arg)->judged;

	if (ev != RS_FINDING_CLEARED)
		return;
	struct rs_finding *const one =
	    rs_list_add(&j->ended, &j->n_ended, &j->cap_ended, sizeof(*one), RS_FINDINGS_MAX);
	if (one != NULL)
		*one = *f;
}

/* The view as so many seconds. */
void
rs_court_vote(struct rs_court *c, unsigned votes)
{
	struct rs_view *const v = rs_model_view_rw(c->model);

	for (unsigned i = 0; i < votes; i++) {
		c->now_ns += VOTE_NS;
		v->tick = ++c->tick;
		v->mono_ns = v->due_ns = c->now_ns;
		v->interval_ns = VOTE_NS;
		rs_engine_run(c->engine, v, note_cleared, c);
	}
}

void
rs_court_loads(struct rs_court *c, const struct rs_cpu_info *cpus)
{
	struct rs_view *const v = rs_model_view_rw(c->model);

	rs_load_fill(
	    v, rs_model_cores_rw(c->model), v->n_cores, cpus, NULL, rs_engine_groups(c->engine));
}

static int
take_loads(struct rs_court *c)
{
	const struct rs_view *const v = rs_model_view(c->model);
	struct rs_judged *const j = c->judged;

	free(j->loads);
	j->n_loads = 0;
	j->loads = calloc(RS_MAX(v->n_cores, (size_t)1), sizeof(*j->loads));
	if (j->loads == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < v->n_cores; i++)
		j->loads[i] = (struct rs_core_load){
		    v->cores[i].cpu, v->cores[i].packet_load, v->cores[i].busy};
	j->n_loads = v->n_cores;
	return 0;
}

/* Findings that stand, and the verdict. Of what few seconds show nothing is sure. */
void
rs_court_conclude(struct rs_court *c, enum rs_confidence most)
{
	struct rs_judged *const j = c->judged;
	const struct rs_finding *active[RS_FINDINGS_MAX];
	const size_t n = rs_engine_active(c->engine, active, RS_FINDINGS_MAX);

	for (size_t i = 0; i < n; i++) {
		struct rs_finding *const one = rs_list_add(
		    &j->findings, &j->n_findings, &j->cap_findings, sizeof(*one), RS_FINDINGS_MAX);
		if (one == NULL)
			break;
		*one = *active[i];
		one->confidence = RS_MIN(one->confidence, most);
	}
	rs_verdict_make(rs_model_view(c->model), active, n, NULL, 0, &j->verdict); /* no hour */
	j->has_loads = rs_model_view(c->model)->has_packet_load;
}

/* --- moments -------------------------------------------------------------- */

/* A model that knows these cores and nothing of what they do. */
static int
begin_moment(
    struct rs_court *c, const struct rs_shares *cores, size_t n, const struct rs_cpu_info *cpus)
{
	const struct rs_model_time t = {.mono_ns = c->now_ns, .due_ns = c->now_ns};

	rs_model_begin(c->model, &t);
	rs_frame_reset(c->frame, c->now_ns);
	c->frame->has_cpus_seen = true;
	for (size_t i = 0; i < n; i++) {
		rs_cpuset_add(&c->frame->cpus_seen, cores[i].cpu);
		rs_put(c->frame, RS_M_CPU_USER, cores[i].cpu, 0);
	}
	if (cpus->has_groups || cpus->has_isolated || cpus->has_nohz_full) {
		c->frame->cpus = *cpus;
		c->frame->cpus.is_present = true;
		/* Who is online is known better. */
		c->frame->cpus.has_online = false;
	}
	if (c->frame->is_out_of_memory)
		return -ENOMEM;
	rs_model_apply(c->model, c->frame);
	rs_model_build_view(c->model);
	return 0;
}

/* Views are in the order of their CPUs. */
static void
put_shares(struct rs_core_view *views, size_t n, const struct rs_shares *s)
{
	size_t low = 0, high = n;

	while (low < high) {
		const size_t mid = low + (high - low) / 2;
		if (views[mid].cpu < s->cpu)
			low = mid + 1;
		else
			high = mid;
	}
	if (low == n || views[low].cpu != s->cpu)
		return;
	struct rs_core_view *const v = &views[low];
	v->user = s->user;
	v->nice = s->nice;
	v->system = s->system;
	v->idle = s->idle;
	v->iowait = s->iowait;
	v->irq = s->irq;
	v->softirq = s->softirq;
	v->steal = s->steal;
	v->nic_interrupts_ps = s->nic_interrupts_ps;
	v->processed_pps = s->processed_pps;
	v->packet_threads = s->packet_threads;
}

int
rs_court_moment(struct rs_court *c, const struct rs_shares *cores, size_t n,
    const struct rs_cpu_info *cpus, unsigned votes)
{
	const int rc = begin_moment(c, cores, n, cpus);
	struct rs_view *const v = rs_model_view_rw(c->model);
	struct rs_core_view *const views = rs_model_cores_rw(c->model);

	if (rc < 0)
		return rc;
	for (size_t i = 0; i < n; i++)
		put_shares(views, v->n_cores, &cores[i]);
	v->has_rates = true;
	v->missing = NULL;
	rs_court_loads(c, cpus);
	rs_court_vote(c, votes);
	return take_loads(c);
}

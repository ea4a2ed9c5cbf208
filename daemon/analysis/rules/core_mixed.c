/* SPDX-License-Identifier: ISC */
/*
 * A core is full with packets and a process together. With RFS packets go where
 * their process is on purpose: then nothing is said.
 */
#include <math.h>
#include <stdio.h>

#include "loss.h"
#include "process.h"
#include "shape.h"
#include "umbrella.h"

enum { BUSY, BUSY_CLEAR, LOAD, LOAD_MAX, THREAD, THREAD_CLEAR };

static const struct rs_threshold thresholds[] = {
    [BUSY] = {"busy", RS_HOT_MIXED_BUSY, 0.50, 1.0, RS_UNIT_RATIO,
	"Busy share from which the core is full"},
    [BUSY_CLEAR] = {"busy_clear", 0.90, 0.10, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    [LOAD] = {"load", RS_HOT_MIXED_LOAD, 0.05, 1.0, RS_UNIT_RATIO, "Packet load of that core"},
    [LOAD_MAX] = {"load_max", 0.90, 0.50, 1.0, RS_UNIT_RATIO,
	"Packet load from which the packets fill it alone"},
    [THREAD] = {"thread", RS_PROCESS_WORTH, 0.01, 1.0, RS_UNIT_RATIO,
	"Share of it that one thread of a process takes"},
    [THREAD_CLEAR] = {"thread_clear", 0.10, 0.01, 1.0, RS_UNIT_RATIO,
	"The share below which it clears"},
    {0},
};

struct pair {
	const struct rs_core_view *core;
	const struct rs_thread_view *thread;
	double share; /* of the thread, without what are the packets' ticks */
};

/* A thread's time may contain softirqs that interrupted it: it has no more than
 * packets leave. NAN: it has not been read twice. */
static double
own_share(const struct rs_core_view *c, const struct rs_thread_view *t)
{
	return isnan(t->load) ? t->load : fmin(t->load, c->busy - c->packet_load);
}

/* The largest, or that at the core of the finding that stands. */
static bool
find(const struct rs_view *v, const double *t, int32_t standing, struct pair *ret)
{
	*ret = (struct pair){.core = NULL};
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const x = &v->threads[i];
		const struct rs_core_view *const c =
		    x->thread.class == RS_THREAD_USER && x->thread.cpu >= 0
			? rs_view_core(v, (unsigned)x->thread.cpu)
			: NULL;
		if (!c || !c->is_eligible || !(c->busy >= t[BUSY_CLEAR]) ||
		    !(c->packet_load >= t[LOAD]) || !(c->packet_load < t[LOAD_MAX]) ||
		    !(own_share(c, x) >= t[THREAD_CLEAR]))
			continue;
		const bool is_standing = (int32_t)c->cpu == standing;
		const bool was_standing = ret->core && (int32_t)ret->core->cpu == standing;
		if (!ret->core || (is_standing && !was_standing) ||
		    (is_standing == was_standing && own_share(c, x) > ret->share))
			*ret = (struct pair){c, x, own_share(c, x)};
	}
	return ret->core != NULL;
}

static void
tell(const struct rs_view *v, const struct pair *p, struct rs_says *out)
{
	char label[64];

	rs_message(out, "process %s takes %ld %% of core %u, which has %ld %% of packet work",
	    p->thread->thread.name, lround(p->share * 100.0), p->core->cpu,
	    lround(p->core->packet_load * 100.0));
	rs_cause(out, "the scheduler does not see packet work, and puts processes beside it");
	(void)snprintf(label, sizeof(label), "packet load of core %u", p->core->cpu);
	rs_evidence_noted(out, label, p->core->packet_load, RS_UNIT_RATIO, "busy %ld %%",
	    lround(p->core->busy * 100.0));
	rs_evidence_noted(out, "share of the process", p->share, RS_UNIT_RATIO, "%s, thread %d",
	    p->thread->thread.name, (int)p->thread->thread.tid);
	rs_advise_process_off(v, p->thread, p->core->cpu,
	    "the core is left to the packets; if it is this process that receives them, undo it",
	    out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	struct pair p;

	if (!v->has_threads) {
		rs_needs(out, "threads (/proc/*/stat)");
		return;
	}
	if (v->n_eligible_groups < 2 || rs_host_number(v, RS_F_RPS_SOCK_FLOWS) > 0 ||
	    !find(v, t, rs_standing_core(out), &p))
		return;
	const struct rs_subject subject = rs_core_subject(p.core->cpu);
	rs_say(out, &subject,
	    rs_condition_of(p.core->busy >= t[BUSY] && p.share >= t[THREAD], true), RS_WARN,
	    v->accounting == RS_ACCOUNTING_PRECISE ? RS_HIGH : RS_MEDIUM);
	tell(v, &p, out);
}

RS_RULE(core_mixed) = {
    .code = "core.mixed",
    .title = "A busy process sits on a core that handles packets",
    .help = "Packets and a process share a core, and together they fill it.",
    .gives_way_to = "core.softirq_deferred",
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

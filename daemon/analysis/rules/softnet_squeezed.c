/* SPDX-License-Identifier: ISC */
/*
 * A core's poll loop ends by its budget with work left, and packets are lost that
 * it would have taken; or ksoftirqd takes them, later, which is no warning. Squeezes without loss
 * are common and harmless; on a full core more budget would only starve others: of neither is
 * anything said.
 */
#include <math.h>
#include <stdio.h>

#include "loss.h"
#include "places.h"
#include "umbrella.h"

enum { RATIO, RATIO_CLEAR, HOT };

static const struct rs_threshold thresholds[] = {
    [RATIO] = {"ratio", 0.10, 0.001, 1.0, RS_UNIT_RATIO,
	"Part of the poll rounds that ends with work left"},
    [RATIO_CLEAR] = {"ratio_clear", 0.05, 0.0, 1.0, RS_UNIT_RATIO,
	"The part below which it clears"},
    [HOT] = {"hot", 0.90, 0.50, 1.0, RS_UNIT_RATIO, "Packet load from which a core is full"},
    {0},
};

#define ROUNDS_MIN_PS 100.0
#define KSOFTIRQD_LOAD 0.50
#define BUDGET_ADVISED 600
#define USECS_ADVISED 8000

static double
ratio_of(const struct rs_core_view *c)
{
	return c->net_rx_ps >= ROUNDS_MIN_PS ? c->squeezed_ps / c->net_rx_ps : 0.0;
}

static bool
is_full(const struct rs_view *v, const struct rs_core_view *c, double hot)
{
	const struct rs_group *const g = rs_place_group(v, c->cpu);

	return g && rs_group_is_hot(g, hot);
}

/* What comes of it, in words; NULL: nothing. Work that ksoftirqd does is late, not
 * lost: no warning. */
static const char *
loss_at(const struct rs_view *v, const struct rs_recent *r, const struct rs_core_view *c,
    enum rs_severity *ret)
{
	*ret = RS_WARN;
	/* What the flow limit sheds is counted as dropped, too. */
	if (c->dropped_pps > fmax(0.0, c->flow_limit_ps))
		return "its backlog drops packets";
	for (size_t i = 0; i < v->n_nics; i++) {
		struct rs_ring_loss loss;
		if (v->nics[i].info.is_physical && rs_ring_loss_of(v, r, &v->nics[i], &loss) &&
		    loss.core.cpu == (int32_t)c->cpu)
			return "the ring it serves loses packets";
	}
	*ret = RS_INFO;
	for (size_t i = 0; i < v->n_threads; i++) {
		const struct rs_thread_view *const t = &v->threads[i];
		if (t->thread.class == RS_THREAD_KSOFTIRQD && t->thread.cpu == (int32_t)c->cpu &&
		    t->load >= KSOFTIRQD_LOAD)
			return "ksoftirqd has to do the work";
	}
	return NULL;
}

static void
advise(const struct rs_view *v, struct rs_says *out)
{
	const long long budget = rs_host_number(v, RS_F_NETDEV_BUDGET);
	const long long usecs = rs_host_number(v, RS_F_NETDEV_BUDGET_USECS);
	static const char set[] =
	    "sysctl -w net.core.netdev_budget=%lld net.core.netdev_budget_usecs=%lld";
	struct rs_advice a = {.is_persistent = false};

	if (budget <= 0 || usecs <= 0)
		return;
	(void)snprintf(a.command, sizeof(a.command), set,
	    RS_MAX(2 * budget, (long long)BUDGET_ADVISED),
	    RS_MAX(2 * usecs, (long long)USECS_ADVISED));
	(void)snprintf(a.expect, sizeof(a.expect),
	    "fewer squeezes and no loss; both limits, since either ends a round");
	(void)snprintf(a.undo, sizeof(a.undo), set, budget, usecs);
	rs_advise(out, &a);
}

static void
tell(const struct rs_view *v, const struct rs_core_view *c, const char *loss, struct rs_says *out)
{
	const char *const budget = rs_view_fact(v, RS_F_NETDEV_BUDGET, 0, RS_NO_QUEUE);
	const char *const usecs = rs_view_fact(v, RS_F_NETDEV_BUDGET_USECS, 0, RS_NO_QUEUE);

	rs_message(out, "core %u ends %ld %% of its poll rounds with work left, and %s", c->cpu,
	    lround(ratio_of(c) * 100.0), loss);
	rs_cause(out, "bursts that are longer than a poll round may take");
	rs_evidence(out, "poll rounds that ended with work left", ratio_of(c), RS_UNIT_RATIO);
	rs_evidence(out, "of them", c->squeezed_ps, RS_UNIT_PER_SECOND);
	rs_evidence_text(out, "net.core.netdev_budget", "%.20s", budget ? budget : "not known");
	rs_evidence_text(out, "net.core.netdev_budget_usecs", "%.20s", usecs ? usecs : "not known");
	rs_evidence(out, "packet load of that core", c->packet_load, RS_UNIT_RATIO);
	advise(v, out);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_core_view *worst = NULL;
	enum rs_severity severity;
	bool is_known = false;

	for (size_t i = 0; i < v->n_cores; i++) {
		const struct rs_core_view *const c = &v->cores[i];
		is_known |= !isnan(c->squeezed_ps) && !isnan(c->net_rx_ps);
		if (ratio_of(c) >= t[RATIO_CLEAR] && !is_full(v, c, t[HOT]) &&
		    (!worst || ratio_of(c) > ratio_of(worst)) &&
		    loss_at(v, rs_recent_of(out), c, &severity))
			worst = c;
	}
	if (!is_known)
		rs_needs(out, "counters of poll rounds (/proc/net/softnet_stat, /proc/softirqs)");
	if (!worst)
		return;
	const struct rs_subject subject = rs_core_subject(worst->cpu);
	const char *const loss = loss_at(v, rs_recent_of(out), worst, &severity);
	rs_say(
	    out, &subject, rs_condition_of(ratio_of(worst) >= t[RATIO], true), severity, RS_MEDIUM);
	tell(v, worst, loss, out);
}

RS_RULE(softnet_squeezed) = {
    .code = "softnet.squeezed",
    .title = "The poll loop runs out of budget while packets are lost",
    .help = "A poll round ends after so many packets or microseconds. That is common and harmless, "
	    "unless packets are lost meanwhile.",
    .window_s = 12,
    .has_one_subject = true,
    .thresholds = thresholds,
    .evaluate = evaluate,
};

/* SPDX-License-Identifier: ISC */
/*
 * The core that leads serves a device that could have more receive queues, on a
 * machine with more cores. While no core leads the smallest number that does is
 * the best, and nothing is said.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cause.h"

/* Queues that RSS of the driver can use, whatever more it reports. */
static const struct {
	const char *driver;
	int64_t most;
} limits[] = {
    {"ixgbe", 16}, /* struct ixgbe_hw: 16 RSS indices but on the latest of its devices */
};

/* The kind of channels that receives, and how many there are and may be. */
struct channels {
	const char *kind; /* as `ethtool -L` calls it; NULL: not known */
	int64_t current, most;
};

static struct channels
channels_of(const struct rs_lead *l)
{
	static const struct {
		const char *kind;
		enum rs_fact_id current, most;
	} kinds[] = {
	    {"combined", RS_F_CHANNELS_COMBINED, RS_F_CHANNELS_COMBINED_MAX},
	    {"rx", RS_F_CHANNELS_RX, RS_F_CHANNELS_RX_MAX},
	};
	struct channels c = {0};

	for (size_t i = 0; i < RS_ARRAY_LEN(kinds) && !c.kind; i++) {
		const int64_t current = rs_lead_number(l, kinds[i].current);
		const int64_t most = rs_lead_number(l, kinds[i].most);
		if (current > 0 && most > 0)
			c = (struct channels){kinds[i].kind, current, most};
	}
	for (size_t i = 0; c.kind && i < RS_ARRAY_LEN(limits); i++) {
		if (strcmp(l->nic->info.driver, limits[i].driver) == 0)
			c.most = RS_MIN(c.most, limits[i].most);
	}
	return c;
}

/* How many there should be; 0: as many as there are, or that is not known. */
static int64_t
wanted(const struct rs_lead *l, const struct channels *c)
{
	const int64_t most = RS_MIN(c->most, (int64_t)l->v->n_eligible_groups);

	return c->kind && c->current < most ? most : 0;
}

/* A table that leaves queues out would leave new ones out as well. */
static bool
has_queues_left_out(const struct rs_lead *l)
{
	struct rs_lead_table table;

	return rs_lead_table(l, &table) && table.selected < table.n;
}

static bool
explains(const struct rs_lead *l, const double *t, struct rs_cause *ret)
{
	(void)t;
	if (!rs_lead_is_fed_by_nic(l))
		return rs_not_by_interrupts(l, ret);
	const struct channels c = channels_of(l);
	if (!c.kind)
		return rs_not_known(ret, "channel counts of the interface (ethtool -l)");
	if (c.current >= c.most)
		return rs_not(ret, "%s uses all %ld receive queues it has", l->nic->info.name,
		    (long)c.current);
	if (wanted(l, &c) == 0)
		return rs_not(ret, "%s uses %ld receive queues for %u cores", l->nic->info.name,
		    (long)c.current, l->v->n_eligible_groups);
	if (has_queues_left_out(l))
		return rs_not(ret, "the indirection table of %s leaves out queues it has now",
		    l->nic->info.name);
	/* One of several queues that stands out is not helped by more of them. */
	if (c.current > 1 && l->share >= RS_QUEUE_STANDS_OUT)
		return rs_not(ret, "one of its %ld receive queues has %ld %% of the packets",
		    (long)c.current, lround(l->share * 100.0));
	ret->confidence = c.current == 1 || l->busiest ? RS_HIGH : RS_MEDIUM;
	(void)snprintf(ret->phrase, sizeof(ret->phrase), "%s uses %ld of %ld receive queues",
	    l->nic->info.name, (long)c.current, (long)c.most);
	return true;
}

static void
advise(const struct rs_lead *l, const struct channels *c, struct rs_says *out)
{
	const int64_t n = wanted(l, c);
	struct rs_advice a = {.is_disruptive = true};

	(void)snprintf(a.command, sizeof(a.command), "ethtool -L %s %s %ld", l->nic->info.name,
	    c->kind, (long)n);
	(void)snprintf(a.expect, sizeof(a.expect),
	    "%ld queues count packets, on as many cores, and core %u falls; the link is down for a "
	    "moment",
	    (long)n, l->group.cpu);
	(void)snprintf(a.undo, sizeof(a.undo), "ethtool -L %s %s %ld", l->nic->info.name, c->kind,
	    (long)c->current);
	rs_advise(out, &a);
}

static void
evaluate(const struct rs_view *v, const double *t, struct rs_says *out)
{
	const struct rs_lead *const l = rs_cause_only_turn(out);

	(void)t;
	if (!l)
		return;
	const struct channels c = channels_of(l);
	const struct rs_subject subject = rs_nic_subject(l->nic);
	rs_cause_say(out, l, &subject);
	rs_cause(out, "fewer receive queues than cores: a queue has one core for its packets");
	rs_evidence(out, "receive queues in use", (double)c.current, RS_UNIT_NONE);
	rs_evidence(out, "receive queues possible", (double)c.most, RS_UNIT_NONE);
	rs_evidence(out, "physical cores that take part", v->n_eligible_groups, RS_UNIT_CORES);
	rs_cause_figures(out, l);
	if (rs_cause_can_spread(out, l))
		advise(l, &c, out);
}

RS_RULE(queue_too_few) = {
    .code = "queue.too_few",
    .title = "Fewer receive queues than the device has and the cores could serve",
    .help = "Each receive queue has one core for its packets. The device could have more of them, "
	    "and there are cores with room.",
    .info_window_s = RS_CAUSE_INFO_WINDOW_S,
    .has_one_subject = true,
    .evaluate = evaluate,
    .cause_order = 60,
    .explains = explains,
};
